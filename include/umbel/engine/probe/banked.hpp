// banked.hpp - Bloom filter index with k cells in k different memory banks [BLB08], for hardware
// whose single-ported memories serve one probe at a time.
//
// Idea       The first bank of a key comes from its hash; each later probe uses the next bank,
//            cyclically. With as many banks as probes and a fixed first bank this would be a
//            partitioned filter; here every bank gets an equal share of every probe.
// Layout     Bank j is cells j*m/banks to (j+1)*m/banks - 1. The number of banks is a power of two.
// Invariant  The cells of a key differ. position(m/2) = position(m)/2 while a bank has an even
//            number of cells, so filters can be folded.
// Source     [BLB08] in [TRL12] sec. IV-F; the selection of banks is ours.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

#include <umbel/base/error.hpp>
#include <umbel/base/integers.hpp>
#include <umbel/base/text.hpp>
#include <umbel/engine/probe/index.hpp>
#include <umbel/hash/hasher.hpp>
#include <umbel/sizing/bloom.hpp>
#include <umbel/sizing/walks.hpp>

namespace umbel::core {

class banked {
 public:
  // number of banks; 0: as few as the probes need
  using choice = std::uint64_t;
  static constexpr std::string_view kind = "banked-bloom-filter";  // of the filter it makes
  static constexpr std::uint64_t max_banks = 4096;

  banked() = default;
  banked(std::uint64_t cells, unsigned probes, std::uint64_t banks)
      : cells_(cells), probes_(probes), banks_(banks) {
    check();
  }

  [[nodiscard]] static unsigned probes_for(choice, unsigned options) noexcept { return options; }
  [[nodiscard]] static banked fitted(std::uint64_t cells, unsigned probes, choice banks,
                                     bool grow) {
    if (banks == 0) banks = std::bit_ceil(std::uint64_t{probes});
    if (banks > max_banks) return {cells, probes, banks};  // the constructor throws
    const std::uint64_t each =
        cells < banks || (grow && cells % banks != 0) ? cells / banks + 1 : cells / banks;
    return {each * banks, probes, banks};
  }
  [[nodiscard]] choice choice_made() const noexcept { return banks_; }
  [[nodiscard]] double rate(std::uint64_t keys) const {
    return sizing::partitioned_fpr(static_cast<double>(keys), static_cast<double>(cells_),
                                   probes());
  }
  [[nodiscard]] bool bits_differ() const noexcept { return true; }
  [[nodiscard]] std::string in_words() const {
    return detail::text(cells_, " bits, ", probes_, " probes, ", banks_, " banks");
  }
  [[nodiscard]] static const hasher& right_hash(choice, const hasher& options) noexcept {
    return options;
  }

  [[nodiscard]] std::uint64_t cells() const noexcept { return cells_; }
  [[nodiscard]] unsigned probes() const noexcept { return static_cast<unsigned>(probes_); }
  [[nodiscard]] std::uint64_t banks() const noexcept { return banks_; }

  struct walk {
    std::uint64_t x, bank;
  };
  [[nodiscard]] walk start(digest d) const noexcept {
    const auto words = words_(d);
    return {words.first(), words.second()};
  }
  [[nodiscard]] std::uint64_t next(walk& w) const noexcept {
    const std::uint64_t cell =
        (w.bank & (banks_ - 1)) * each_ + detail::fastrange(detail::mix64(w.x), each_);
    w.x += detail::golden;
    ++w.bank;
    return cell;
  }

  [[nodiscard]] banked halved() const {
    if (cells_ % (2 * banks_) != 0)
      throw bad_parameter(detail::text("cannot halve banks of ", each_,
                                       " bits: the number of bits in each must be even"));
    return {cells_ / 2, probes(), banks_};
  }
  [[nodiscard]] bool folds_onto_itself() const noexcept { return false; }

  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("cells", self.cells_);
    field("probes", self.probes_);
    field("banks", self.banks_);
  }
  void check() {
    if (banks_ == 0 || banks_ > max_banks || !std::has_single_bit(banks_))
      throw bad_parameter(
          detail::text("banks: expected a power of two up to ", max_banks, ", found ", banks_));
    if (probes_ > sizing::bloom_max_probes)
      throw bad_parameter(
          detail::text("probes: expected at most ", sizing::bloom_max_probes, ", found ", probes_));
    if (probes_ == 0 || probes_ > banks_)
      throw bad_parameter(
          detail::text("probes: expected 1 to the number of banks, ", banks_, ", found ", probes_));
    if (cells_ == 0 || cells_ > sizing::max_bits || cells_ % banks_ != 0)
      throw bad_parameter(
          detail::text("cells: expected a multiple of ", banks_, " up to 2^56, found ", cells_));
    each_ = cells_ / banks_;
  }
  friend bool operator==(const banked& a, const banked& b) noexcept {
    return a.cells_ == b.cells_ && a.probes_ == b.probes_ && a.banks_ == b.banks_;
  }

 private:
  static constexpr detail::remixer words_{detail::salt_of(detail::stage::banks)};
  std::uint64_t cells_ = 1;
  std::uint64_t probes_ = 1;
  std::uint64_t banks_ = 1;
  std::uint64_t each_ = 1;  // cells of a bank: follows from the others
};

}  // namespace umbel::core
