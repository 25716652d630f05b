// one_of_k.hpp - one of a key's k cells, selected by an additional hash: the address of a
// memory-optimized Bloom filter [AW08].
//
// Idea       A walk of `k_probes`, and a number below k from another word of the digest, at which
//            the walk stops.
// Limits     As the only cell of a key in a filter this is a plain hash: its false positive rate is
//            1 - (1 - 1/m)^n, as of a plain filter with one probe, and more probes are better from
//            2.08 bits per key on. It is useful to locate what is stored under k cells:
//            map/one_copy_map.hpp.
// Source     [AW08], [TRL12] sec. III-U.
#pragma once

#include <cstdint>

#include <umbel/base/integers.hpp>
#include <umbel/engine/probe/index.hpp>
#include <umbel/engine/probe/k_probes.hpp>
#include <umbel/hash/digest.hpp>

namespace umbel::core {

class one_of_k {
 public:
  one_of_k() = default;
  explicit one_of_k(const k_probes& all) noexcept : all_(all) {}

  [[nodiscard]] std::uint64_t cells() const noexcept { return all_.cells(); }
  [[nodiscard]] unsigned probes() const noexcept { return 1; }
  [[nodiscard]] const k_probes& all() const noexcept { return all_; }
  // Which of the k cells, from 0.
  [[nodiscard]] unsigned number(digest d) const noexcept {
    constexpr detail::remixer words{detail::salt_of(detail::stage::selectors)};
    return static_cast<unsigned>(detail::fastrange(words(d).first(), all_.probes()));
  }
  [[nodiscard]] walk start(digest d) const noexcept {
    walk at = all_.start(d);
    for (unsigned i = number(d); i > 0; --i) (void)all_.next(at);
    return at;
  }
  [[nodiscard]] std::uint64_t next(walk& at) const noexcept { return all_.next(at); }
  // The one cell.
  [[nodiscard]] std::uint64_t cell(digest d) const noexcept {
    walk at = start(d);
    return next(at);
  }

  void check() { all_.check(); }
  friend bool operator==(const one_of_k&, const one_of_k&) noexcept = default;

 private:
  k_probes all_;
};

}  // namespace umbel::core
