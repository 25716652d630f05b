// exponentially_decaying_filter.hpp - exponentially decaying Bloom filters [KXZ05]: routing by the
// number of a key's probes that still hit.
//
// A node advertises the bits of its own objects and a random subset of what it heard: every bit is
// kept with probability 1/factor. The closer an object, the more of its probes still hit. A query
// follows the link with the most hits, or a random one if no link exceeds the noise.
//
// Layout     One bit array per link, as heard, and the node's own.
// Invariant  Decay never sets a bit. With factor 1 it clears none, and the result is the plain
//            union. Own objects are advertised undecayed. Within an epoch, the bits kept depend
//            only on (bit, epoch, node, link): equal advertisements stay equal.
// Limits     A factor near the degree keeps the noise constant. Objects that share probes by chance
//            appear nearer than they are.
// Threads    Many readers or one writer.
// Source     [KXZ05], [TRL12] sec. IV-B; formulas in sizing/network.hpp.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <umbel/base/error.hpp>
#include <umbel/base/integers.hpp>
#include <umbel/base/text.hpp>
#include <umbel/cells/bits.hpp>
#include <umbel/net/signature.hpp>
#include <umbel/sizing/network.hpp>

namespace umbel::net {

// Determines which bits decay: equal sources, equal bits.
struct decay_source {
  std::uint64_t epoch = 0, node = 0, link = 0;
  [[nodiscard]] constexpr std::uint64_t seed() const noexcept {
    return detail::remix(detail::remix(detail::remix(0, epoch), node), link);
  }
};
// Returns the factor, or throws bad_parameter.
[[nodiscard]] inline double checked_factor(double factor) {
  if (!(factor >= 1 && std::isfinite(factor)))  // written so that NaN fails too
    throw bad_parameter(detail::text("factor: expected at least 1, found ", factor));
  return factor;
}
// Keeps every set bit with probability 1/factor, independently.
[[nodiscard]] inline cells::bits decayed(cells::bits bits, double factor,
                                         const decay_source& from) {
  (void)checked_factor(factor);
  if (factor == 1) return bits;
  const auto below = static_cast<std::uint64_t>(std::ldexp(1 / factor, 64));
  const std::uint64_t seed = from.seed();
  for (std::size_t i = 0; i < bits.storage().size(); ++i)
    for (std::uint64_t left = bits.storage()[i]; left != 0; left &= left - 1)
      if (detail::remix(seed, 64 * i + static_cast<unsigned>(std::countr_zero(left))) >= below)
        bits.storage()[i] &= ~(left & -left);
  return bits;
}

class exponentially_decaying_filter {
 public:
  static constexpr unsigned usual_probes = 32;
  static constexpr double usual_factor = 8;

  // `node` makes its random choices independent of those of other nodes.
  exponentially_decaying_filter(const signature& agreed, std::uint64_t node,
                                double factor = usual_factor)
      : agreed_(agreed), node_(node), factor_(checked_factor(factor)), own_(agreed.nothing()) {}
  [[nodiscard]] unsigned links() const noexcept { return static_cast<unsigned>(heard_.size()); }
  [[nodiscard]] const signature& agreed() const noexcept { return agreed_; }
  [[nodiscard]] const cells::bits& own() const noexcept { return own_; }
  [[nodiscard]] const cells::bits& heard(unsigned link) const { return heard_.at(link); }

  unsigned add_link() {
    heard_.push_back(agreed_.nothing());
    return links() - 1;
  }
  template <key K>
  bool insert(const K& k) {
    return agreed_.mark(own_, k);
  }
  // The advertisement for the neighbour at the end of this link in this epoch.
  [[nodiscard]] cells::bits advertisement(unsigned link, std::uint64_t epoch) const {
    (void)heard_.at(link);
    cells::bits all = agreed_.nothing();
    for (unsigned other = 0; other < links(); ++other)
      if (other != link) all.storage() |= heard_[other].storage();
    all = decayed(std::move(all), factor_, {epoch, node_, link});
    all.storage() |= own_.storage();
    return all;
  }
  bool accept(unsigned link, cells::bits told) {
    agreed_.require_fitting(told);
    if (heard_.at(link) == told) return false;
    heard_[link] = std::move(told);
    return true;
  }

  // Number of the key's probes that hit over a link: 0 to probes.
  template <key K>
  [[nodiscard]] unsigned theta(unsigned link, const K& k) const {
    return agreed_.hits(heard_.at(link), k);
  }
  // The link for a query that came over `from`, if over any: the link with the most hits, if they
  // exceed the noise; otherwise a random one, selected by `random`. Returns `from` only if there is
  // no other link, and nothing if there is no link.
  template <key K>
  [[nodiscard]] std::optional<unsigned> next(const K& k, std::optional<unsigned> from,
                                             std::uint64_t random) const {
    std::vector<unsigned> open;
    for (unsigned link = 0; link < links(); ++link)
      if (link != from) open.push_back(link);
    if (open.empty()) return links() == 0 ? std::nullopt : from;
    unsigned best = open[0], most = theta(best, k);
    for (const unsigned link : open)
      if (const unsigned hits = theta(link, k); hits > most) best = link, most = hits;
    if (most > sizing::noise_level(agreed_.probes(), fill(heard_[best]))) return best;
    return open[detail::fastrange(random, open.size())];
  }

 private:
  signature agreed_;
  std::uint64_t node_;
  double factor_;
  cells::bits own_;
  std::vector<cells::bits> heard_;
};

}  // namespace umbel::net
