// multi.hpp - k cells per key, drawn with repetition: the probes of a plain Bloom filter.
// Idea       A triple-hashing walk in 64-bit arithmetic (x += y, y += z) with fastrange on every value: three
//            multiplications per key, not k. Below 4096 cells walks of two keys overlap too often, so there every
//            probe is an independent word.
// Invariant  Each position is reduced by itself with fastrange, so position(m/2) = position(m)/2: filters fold.
// Source     [DM04] for triple hashing; the penalty of walks at small m is tabled in doc/theory/hashing.md.
#pragma once

#include <cstdint>

#include <umbel/base/error.hpp>
#include <umbel/base/integers.hpp>
#include <umbel/base/text.hpp>
#include <umbel/hash/digest.hpp>
#include <umbel/index/placement.hpp>
#include <umbel/sizing/bloom.hpp>

namespace umbel::index {

class multi {
 public:
  enum class scheme : std::uint64_t { triple = 0, independent = 1 };
  static constexpr std::uint64_t independent_below = 4096;

  struct walk {
    std::uint64_t x, y, z;
  };

  multi() = default;
  multi(std::uint64_t cells, unsigned probes, std::uint64_t salt = 0)
      : multi(cells, probes, salt, cells < independent_below ? scheme::independent : scheme::triple) {}
  multi(std::uint64_t cells, unsigned probes, std::uint64_t salt, scheme how)
      : cells_(cells), probes_(probes), scheme_(static_cast<std::uint64_t>(how)), salt_(salt) {
    check();
  }

  [[nodiscard]] std::uint64_t cells() const noexcept { return cells_; }
  [[nodiscard]] unsigned probes() const noexcept { return static_cast<unsigned>(probes_); }

  [[nodiscard]] walk start(digest d) const noexcept {
    const auto words = words_(d);
    const std::uint64_t x = words.first(), y = words.second();
    if (scheme_ != 0) return {x, detail::golden, 0};
    return {x, y, detail::fold_product(x ^ std::rotl(y, 32), detail::golden)};
  }
  [[nodiscard]] std::uint64_t next(walk& w) const noexcept {
    const std::uint64_t word = scheme_ == 0 ? w.x : detail::mix64(w.x);
    w.x += w.y;
    w.y += w.z;
    return detail::fastrange(word, cells_);
  }

  // The same walks over half as many cells; the scheme stays, or folded filters would not be what they claim.
  [[nodiscard]] multi halved() const { return {cells_ / 2, probes(), salt_, static_cast<scheme>(scheme_)}; }

  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("cells", self.cells_);
    field("probes", self.probes_);
    field("scheme", self.scheme_);
    field("salt", self.salt_);
  }
  void check() {
    if (cells_ == 0 || cells_ > sizing::max_bits)
      throw bad_parameter(detail::text("cells: expected 1 to 2^56, found ", cells_));
    if (probes_ == 0 || probes_ > sizing::bloom_max_probes)
      throw bad_parameter(detail::text("probes: expected 1 to ", sizing::bloom_max_probes, ", found ", probes_));
    if (scheme_ > 1) throw bad_parameter(detail::text("scheme: expected 0 or 1, found ", scheme_));
    words_ = detail::remixer(detail::salt_of(detail::stage::probes, salt_));
  }
  friend bool operator==(const multi& a, const multi& b) noexcept {
    return a.cells_ == b.cells_ && a.probes_ == b.probes_ && a.scheme_ == b.scheme_ && a.salt_ == b.salt_;
  }

 private:
  std::uint64_t cells_ = 1;
  std::uint64_t probes_ = 1;
  std::uint64_t scheme_ = 1;
  std::uint64_t salt_ = 0;
  detail::remixer words_;  // follows from salt_
};

}  // namespace umbel::index
