// slice_probes.hpp - index of a partitioned Bloom filter: k cells of a key, one in each of k equal
// slices.
//
// Idea       As scheme `partitioned` of engine/probe/k_probes.hpp, but with a salt and with inlined
//            steps, because a query to a scalable filter asks many of these one after another.
// Layout     Slice j is cells j*m/k to (j+1)*m/k - 1.
// Invariant  The cells of a key differ.
// Source     [ABPH07] sec. 2.
#pragma once

#include <cstdint>

#include <umbel/base/error.hpp>
#include <umbel/base/integers.hpp>
#include <umbel/base/text.hpp>
#include <umbel/engine/probe/index.hpp>
#include <umbel/hash/digest.hpp>
#include <umbel/sizing/bloom.hpp>
#include <umbel/sizing/walks.hpp>

namespace umbel::core {

class slice_probes {
 public:
  using choice = std::uint64_t;  // the salt

  slice_probes() = default;
  slice_probes(std::uint64_t cells, unsigned probes, std::uint64_t salt)
      : cells_(cells), probes_(probes), salt_(salt) {
    check();
  }
  // With `slice` cells in each slice.
  [[nodiscard]] static slice_probes of(std::uint64_t slice, unsigned probes, std::uint64_t salt) {
    return {slice > sizing::max_bits / probes ? ~std::uint64_t{0} : slice * probes, probes, salt};
  }

  // The interface for engine/probe/fit_bits.hpp.
  [[nodiscard]] static unsigned probes_for(choice, unsigned options) noexcept { return options; }
  [[nodiscard]] static slice_probes fitted(std::uint64_t cells, unsigned probes, choice salt,
                                           bool grow) {
    return of(cells < probes || (grow && cells % probes != 0) ? cells / probes + 1 : cells / probes,
              probes, salt);
  }
  [[nodiscard]] double rate(std::uint64_t keys) const {
    return sizing::partitioned_fpr(static_cast<double>(keys), static_cast<double>(cells_),
                                   probes());
  }

  [[nodiscard]] std::uint64_t cells() const noexcept { return cells_; }
  [[nodiscard]] unsigned probes() const noexcept { return static_cast<unsigned>(probes_); }
  [[nodiscard]] std::uint64_t salt() const noexcept { return salt_; }

  struct walk {
    std::uint64_t x, slice;
  };
  [[nodiscard]] walk start(digest d) const noexcept { return {words_(d).first(), 0}; }
  [[nodiscard]] std::uint64_t next(walk& w) const noexcept {
    const std::uint64_t cell = w.slice + detail::fastrange(detail::mix64(w.x), each_);
    w.x += detail::golden;
    w.slice += each_;
    return cell;
  }

  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("cells", self.cells_);
    field("probes", self.probes_);
    field("salt", self.salt_);
  }
  void check() {
    if (probes_ == 0 || probes_ > sizing::bloom_max_probes)
      throw bad_parameter(
          detail::text("probes: expected 1 to ", sizing::bloom_max_probes, ", found ", probes_));
    if (cells_ == 0 || cells_ > sizing::max_bits || cells_ % probes_ != 0)
      throw bad_parameter(
          detail::text("cells: expected a multiple of ", probes_, " up to 2^56, found ", cells_));
    each_ = cells_ / probes_;
    words_ = detail::remixer(detail::salt_of(detail::stage::parts, salt_));
  }
  friend bool operator==(const slice_probes& a, const slice_probes& b) noexcept {
    return a.cells_ == b.cells_ && a.probes_ == b.probes_ && a.salt_ == b.salt_;
  }

 private:
  std::uint64_t cells_ = 1;
  std::uint64_t probes_ = 1;
  std::uint64_t salt_ = 0;
  std::uint64_t each_ = 1;  // cells of a slice: follows from the others, as the next
  detail::remixer words_;
};

}  // namespace umbel::core
