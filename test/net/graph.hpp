// graph.hpp - small static random networks: links, distances, and simple paths.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <umbel/base/integers.hpp>

namespace umbel::test {

class graph {
 public:
  // A random tree, so that the graph is connected, and as many random links more.
  graph(std::size_t nodes, std::size_t more, std::uint64_t seed) : links_(nodes) {
    std::uint64_t drawn = 0;
    const auto random = [&](std::size_t below) {
      return static_cast<std::size_t>(detail::fastrange(detail::remix(seed, drawn++), below));
    };
    for (std::size_t i = 1; i < nodes; ++i) join(i, random(i));
    for (std::size_t i = 0; i < more; ++i) join(random(nodes), random(nodes));
  }
  explicit graph(std::size_t nodes) : links_(nodes) {}

  void join(std::size_t a, std::size_t b) {
    if (a == b || std::find(links_[a].begin(), links_[a].end(), b) != links_[a].end()) return;
    links_[a].push_back(b);
    links_[b].push_back(a);
  }
  [[nodiscard]] std::size_t nodes() const { return links_.size(); }
  [[nodiscard]] const std::vector<std::size_t>& of(std::size_t node) const { return links_[node]; }
  [[nodiscard]] unsigned link(std::size_t from, std::size_t to) const {
    return static_cast<unsigned>(std::find(links_[from].begin(), links_[from].end(), to) -
                                 links_[from].begin());
  }
  [[nodiscard]] std::vector<unsigned> distances(std::size_t from) const {
    std::vector<unsigned> out(nodes(), ~0U);
    std::vector<std::size_t> queue{from};
    out[from] = 0;
    for (std::size_t i = 0; i < queue.size(); ++i)
      for (const std::size_t next : links_[queue[i]])
        if (out[next] == ~0U) {
          out[next] = out[queue[i]] + 1;
          queue.push_back(next);
        }
    return out;
  }
  // work(path) for every simple path of 1 to `most` hops from a node.
  template <class Work>
  void simple_paths(std::size_t from, unsigned most, Work&& work) const {
    std::vector<std::size_t> path{from};
    extend(path, most, work);
  }

 private:
  template <class Work>
  void extend(std::vector<std::size_t>& path, unsigned left, Work& work) const {
    if (path.size() > 1) work(path);
    if (left == 0) return;
    for (const std::size_t next : links_[path.back()]) {
      if (std::find(path.begin(), path.end(), next) != path.end()) continue;
      path.push_back(next);
      extend(path, left - 1, work);
      path.pop_back();
    }
  }
  std::vector<std::vector<std::size_t>> links_;
};

}  // namespace umbel::test
