// bank.hpp - bank of Bloom filters, one per class or coded [CLF04], [LPB05]: filters of one shape,
// bit-sliced (engine/compose/slices.hpp). The engine of bank filters.
//
// A plain bank has one filter per class. In a coded bank each class has a code word
// (sizing/bank.hpp), and its keys are inserted into the filters at the set bits of the code word.
//
// Invariant  All filters of a key's class accept the key.
// Threads    Many readers or one writer.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <utility>
#include <vector>

#include <umbel/base/error.hpp>
#include <umbel/cells/rows.hpp>
#include <umbel/engine/compose/slices.hpp>
#include <umbel/engine/probe/k_probes.hpp>
#include <umbel/hash/digest.hpp>
#include <umbel/sizing/bank.hpp>
#include <umbel/sizing/meta.hpp>

namespace umbel::core {

class bank {
 public:
  using code = sizing::bank_code;
  // Which filters accept a key: bit j for filter j. Only words_per_answer() words are used.
  static constexpr std::size_t max_words = sizing::meta_max_databases / 64;
  using answer = std::array<std::uint64_t, max_words>;

  bank() : bank(k_probes(), 1, 1, code::plain, {}, nullptr) {}
  bank(const k_probes& at, unsigned width, unsigned classes, code chosen,
       std::vector<std::uint32_t> codes, std::pmr::memory_resource* memory)
      : classes_(classes),
        code_(chosen),
        index_(at),
        rows_(at.cells(), width, memory),
        codes_(std::move(codes)) {
    if (is_plain()) return;
    class_of_.assign(std::size_t{1} << width, none);
    for (unsigned i = 0; i < classes_; ++i) class_of_[codes_[i]] = static_cast<std::uint16_t>(i);
  }

  [[nodiscard]] const k_probes& index() const noexcept { return index_; }
  [[nodiscard]] unsigned classes() const noexcept { return classes_; }
  [[nodiscard]] unsigned filters() const noexcept { return rows_.width(); }
  [[nodiscard]] bool is_plain() const noexcept { return code_ == code::plain; }
  // only if not plain
  [[nodiscard]] std::uint32_t code_of(unsigned number) const noexcept { return codes_[number]; }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept { return index_.cells() * filters(); }

  // True if anything changed.
  bool insert(digest d, unsigned number) noexcept {
    if (is_plain()) return slices::mark(index_, rows_, d, number);
    bool changed = false;
    for (std::uint32_t left = codes_[number]; left != 0; left &= left - 1)
      changed |= slices::mark(index_, rows_, d, static_cast<unsigned>(std::countr_zero(left)));
    return changed;
  }
  [[nodiscard]] std::size_t words_per_answer() const noexcept { return rows_.words_per_row(); }
  void query(digest d, std::uint64_t* out) const noexcept { slices::query(index_, rows_, d, out); }
  void query(std::size_t total, auto&& digest_at, std::uint64_t* out) const noexcept {
    slices::query(index_, rows_, total, digest_at, out);
  }

  // Whether a key accepted by exactly these filters may be of the class.
  [[nodiscard]] bool may_be(const std::uint64_t* accepting, unsigned number) const noexcept {
    return is_plain() ? (accepting[number / 64] >> number % 64 & 1) != 0
                      : (codes_[number] & ~accepting[0]) == 0;
  }
  [[nodiscard]] bool accepted_by_none(const std::uint64_t* accepting) const noexcept {
    return std::all_of(accepting, accepting + words_per_answer(),
                       [](std::uint64_t word) { return word == 0; });
  }
  // The class whose filters are exactly these, if there is one.
  [[nodiscard]] std::optional<unsigned> class_with(const std::uint64_t* accepting) const noexcept {
    if (!is_plain()) {
      const std::uint16_t number = class_of_[accepting[0]];
      return number == none ? std::nullopt : std::optional<unsigned>(number);
    }
    std::optional<unsigned> last;
    for (unsigned i = 0; i < words_per_answer(); ++i) {
      if (accepting[i] == 0) continue;
      if (last || !std::has_single_bit(accepting[i])) return std::nullopt;
      last = 64 * i + static_cast<unsigned>(std::countr_zero(accepting[i]));
    }
    return last;
  }

  // Adds the keys of `other`. Both must have the same shape, classes and codes.
  void merge(const bank& other) {
    if (index_ != other.index_ || classes_ != other.classes_ || code_ != other.code_ ||
        codes_ != other.codes_)
      throw incompatible("these banks differ in shape, classes or codes");
    rows_.storage() |= other.rows_.storage();
  }
  void clear() noexcept { rows_.storage().clear(); }
  // The false positive rate of each filter, from its fill.
  [[nodiscard]] std::vector<double> member_rates() const {
    std::vector<double> ones(filters());
    answer row;
    for (std::uint64_t i = 0; i < rows_.size(); ++i) {
      rows_.copy(i, row.data());
      for (unsigned j = 0; j < filters(); ++j)
        ones[j] += static_cast<double>(row[j / 64] >> (j % 64) & 1);
    }
    for (double& rate : ones)
      rate = std::pow(rate / static_cast<double>(rows_.size()), index_.probes());
    return ones;
  }

  friend bool operator==(const bank& a, const bank& b) noexcept {
    return a.index_ == b.index_ && a.classes_ == b.classes_ && a.code_ == b.code_ &&
           a.codes_ == b.codes_ && a.rows_ == b.rows_;
  }

 private:
  static constexpr std::uint16_t none = 0xFFFF;

  unsigned classes_;
  code code_;
  k_probes index_;
  cells::rows rows_;
  std::vector<std::uint32_t> codes_;     // by class; none in a plain bank
  std::vector<std::uint16_t> class_of_;  // by code
};

}  // namespace umbel::core
