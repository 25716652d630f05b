// attenuated_filter.hpp - attenuated Bloom filters [RK02]: what is reachable over each link of a
// node, by distance; routes queries to a near copy of an object.
//
// Each link has an array of filters: number i holds the objects that are i hops away when that link
// is taken first. A node advertises its own objects to a neighbour and, one level deeper, what it
// heard over all other links. A query follows the link that accepts its key at the lowest level,
// and turns back where the filter was wrong.
//
// Layout     Per link `depth` bit arrays of one signature, levels from 1; the node's own bits; and
//            the last advertisement to each neighbour, so that only differences are sent.
// Invariant  In a stable network, after `depth` rounds of advertisements, an object at distance
//            j <= depth on a simple path that begins with a link is accepted at that link's level
//            j. Level 1 equals the neighbour's own filter.
// Limits     Level i holds the objects of up to degree^i nodes and fills up: size filters for the
//            deepest level and monitor `fill`. What was heard over a link is not advertised back
//            over it, but cycles still return a node's own objects.
// Threads    Many readers or one writer.
// Source     [RK02], [BM04] sec. 6.2, [TRL12] sec. IV-B. Ties are broken by the sum of 2^-i over
//            accepting levels i.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/cells/bits.hpp>
#include <umbel/net/signature.hpp>

namespace umbel::net {

class attenuated_filter {
 public:
  static constexpr unsigned max_depth = 64;
  using levels = std::vector<cells::bits>;                // the first is level 1
  using flips = std::vector<std::vector<std::uint64_t>>;  // by level: the bits that change

  attenuated_filter(const signature& agreed, unsigned depth)
      : agreed_(agreed), own_(agreed.nothing()) {
    if (depth < 1 || depth > max_depth)
      throw bad_parameter(detail::text("depth: expected 1 to ", max_depth, ", found ", depth));
    nothing_.assign(depth, agreed.nothing());
  }
  [[nodiscard]] unsigned depth() const noexcept { return static_cast<unsigned>(nothing_.size()); }
  [[nodiscard]] unsigned links() const noexcept { return static_cast<unsigned>(links_.size()); }
  [[nodiscard]] const signature& agreed() const noexcept { return agreed_; }
  [[nodiscard]] const cells::bits& own() const noexcept { return own_; }
  [[nodiscard]] const levels& heard(unsigned link) const { return links_.at(link).heard; }

  // Returns the number of the new link. Nothing is reachable over it yet.
  unsigned add_link() {
    links_.push_back({nothing_, nothing_});
    return links() - 1;
  }
  // Adds an object of this node. Returns true if its filter changed.
  template <key K>
  bool insert(const K& k) {
    return agreed_.mark(own_, k);
  }

  // The advertisement for the neighbour at the end of this link: this node's objects, and what is
  // reachable from here over any other link.
  [[nodiscard]] levels advertisement(unsigned link) const {
    levels out = nothing_;
    (void)links_.at(link);
    out[0] = own_;
    for (unsigned other = 0; other < links(); ++other)
      for (unsigned i = 1; other != link && i < depth(); ++i)
        out[i].storage() |= links_[other].heard[i - 1].storage();
    return out;
  }
  // Stores what a neighbour advertised. Returns true if it changed anything.
  bool accept(unsigned link, levels told) {
    if (told.size() != depth())
      throw incompatible(detail::text("levels: expected ", depth(), ", found ", told.size()));
    for (const cells::bits& level : told) agreed_.require_fitting(level);
    if (links_.at(link).heard == told) return false;
    links_[link].heard = std::move(told);
    return true;
  }
  // Incremental advertisements: the differences since the last call, and their application by the
  // neighbour.
  [[nodiscard]] flips changes(unsigned link) {
    levels now = advertisement(link);
    flips out;
    for (unsigned i = 0; i < depth(); ++i) out.push_back(differences(links_[link].told[i], now[i]));
    links_[link].told = std::move(now);
    return out;
  }
  void apply(unsigned link, const flips& changed) {
    levels now = links_.at(link).heard;
    if (changed.size() != depth())
      throw incompatible(detail::text("levels: expected ", depth(), ", found ", changed.size()));
    for (unsigned i = 0; i < depth(); ++i) flip(now[i], changed[i]);
    links_[link].heard = std::move(now);
  }

  // A candidate link: the lowest level that accepts the key, and the weight of all accepting
  // levels.
  struct way {
    unsigned link;
    unsigned distance;  // 1 for the neighbour itself
    double weight;
  };
  // Links that accept the key within `furthest` hops, the best first: by distance, then weight,
  // then number.
  template <key K>
  [[nodiscard]] std::vector<way> ways(const K& k, unsigned furthest) const {
    std::vector<way> out;
    const digest d = agreed_.hash()(k);
    for (unsigned link = 0; link < links(); ++link) {
      way one{link, 0, 0};
      for (unsigned i = 1; i <= depth(); ++i) {
        if (!agreed_.accepts(links_[link].heard[i - 1], d)) continue;
        if (one.distance == 0) one.distance = i;
        one.weight += std::ldexp(1, -static_cast<int>(i));
      }
      if (one.distance != 0 && one.distance <= furthest) out.push_back(one);
    }
    std::stable_sort(out.begin(), out.end(), [](const way& a, const way& b) {
      return a.distance != b.distance ? a.distance < b.distance : a.weight > b.weight;
    });
    return out;
  }
  // Largest fill of a level over all links. Above one half the level is not reliable.
  [[nodiscard]] double fill(unsigned level) const {
    double most = 0;
    for (const link_state& link : links_)
      most = std::max(most, net::fill(link.heard.at(level - 1)));
    return most;
  }

 private:
  struct link_state {
    levels heard, told;
  };
  signature agreed_;
  cells::bits own_;
  levels nothing_;
  std::vector<link_state> links_;
};

// The result of a query. Every message counts as a move, including those that turn back.
struct trail {
  bool found = false;
  std::vector<std::size_t> path;  // from the start to the last node, which is the holder if found
  unsigned moves = 0;
  unsigned returns = 0;
};

// Routes a query through a network. node(i) is the attenuated_filter of node i; neighbour(i, link)
// is the node at the end of a link; holds(i) says whether node i has the object. holds() must be
// exact, because it ends the search. A query that followed a link at distance j only follows links
// of at most distance j - 1 from there; if there is none, the filter was wrong and the query turns
// back. Fails if no link is left or after `max_moves`, by default twice the depth. The caller then
// looks up the key in another way.
template <key K, class Node, class Neighbour, class Holds>
[[nodiscard]] trail route(std::size_t start, const K& k, Node&& node, Neighbour&& neighbour,
                          Holds&& holds, unsigned max_moves = 0) {
  struct stop {
    std::size_t at;
    std::vector<attenuated_filter::way> left;  // the best last
  };
  const auto stop_at = [&](std::size_t at, unsigned furthest) {
    stop out{at, node(at).ways(k, furthest)};
    std::reverse(out.left.begin(), out.left.end());
    return out;
  };
  if (max_moves == 0) max_moves = 2 * node(start).depth();
  trail out;
  std::vector<stop> stack;
  std::vector<std::size_t> visited{start};
  stack.push_back(stop_at(start, node(start).depth()));
  out.found = holds(start);
  while (!out.found && out.moves < max_moves) {
    if (stack.back().left.empty()) {
      if (stack.size() == 1) break;
      stack.pop_back();
      ++out.moves, ++out.returns;
      continue;
    }
    const attenuated_filter::way next = stack.back().left.back();
    stack.back().left.pop_back();
    const std::size_t to = neighbour(stack.back().at, next.link);
    if (std::find(visited.begin(), visited.end(), to) != visited.end()) continue;
    visited.push_back(to);
    stack.push_back(stop_at(to, next.distance - 1));
    ++out.moves;
    out.found = holds(to);
  }
  for (const stop& s : stack) out.path.push_back(s.at);
  return out;
}

}  // namespace umbel::net
