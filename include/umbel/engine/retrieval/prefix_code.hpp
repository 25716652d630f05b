// prefix_code.hpp - canonical prefix code [SK64] for the values of a map, represented by the number
// of codes of each length.
//
// Idea       Codes of one length are consecutive numbers that follow those of all shorter codes.
//            The k-th code in this order stands for symbol k of a list. A query compares its bits
//            with one bound per length.
// Layout     `codes`: the number of codes of each length, from 0. `symbols`: the values in the
//            order of their codes, by length and then by value; empty if they are 0, 1, 2, ... The
//            last code of one length may be the escape, for values without a code.
// Invariant  The code is complete: every bit string begins with exactly one code. So a query finds
//            a valid code whatever the cells hold.
// Limits     2^20 codes of at most 32 bits.
// Threads    Immutable: any number of readers.
// Source     [SK64] for the order.
#pragma once

#include <array>
#include <cassert>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <string_view>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/cells/packed.hpp>
#include <umbel/cells/words.hpp>
#include <umbel/sizing/entropy.hpp>

namespace umbel::core {

class prefix_code {
 public:
  prefix_code() = default;
  // `symbols` in the order of their codes, which must be complete.
  template <class Lengths, class Symbols>
  prefix_code(const Lengths& codes, std::optional<unsigned> escape, const Symbols& symbols,
              unsigned value_bits, std::pmr::memory_resource* memory)
      : escape_(escape ? *escape + 1 : 0), codes_(codes.size(), memory) {
    assert(codes.size() <= limits_.size());
    std::uint64_t at = 0;
    for (const auto count : codes) codes_[at++] = static_cast<std::uint32_t>(count);
    bool ranked = true;
    at = 0;
    for (const std::uint64_t symbol : symbols) ranked &= symbol == at++;
    if (!ranked) {
      symbols_ = cells::packed(symbols.size(), value_bits, memory);
      at = 0;
      for (const std::uint64_t symbol : symbols) symbols_.set(at++, symbol);
    }
    draw();
  }

  [[nodiscard]] unsigned longest() const noexcept { return longest_; }
  [[nodiscard]] std::uint64_t codes() const noexcept { return total_; }
  [[nodiscard]] std::uint64_t symbols() const noexcept { return total_ - (escape_ != 0); }
  [[nodiscard]] bool has_escape() const noexcept { return escape_ != 0; }
  [[nodiscard]] std::uint64_t codes(unsigned length) const noexcept { return codes_[length]; }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept {
    return 32 * codes_.size() + 64 * symbols_.storage().size();
  }

  // `bits` are longest() bits that begin with a code. Whether the first `known` of them contain it.
  [[nodiscard]] bool is_whole(std::uint64_t bits, unsigned known) const noexcept {
    return bits < limits_[known];
  }
  // The number of the code with which `bits` begins; the code has at least `least` bits.
  [[nodiscard]] std::uint64_t number(std::uint64_t bits, unsigned least = 0) const noexcept {
    while (bits >= limits_[least]) ++least;  // the last limit is beyond longest() bits
    return (bits >> (longest_ - least)) + offsets_[least];
  }
  [[nodiscard]] bool is_escape(std::uint64_t number) const noexcept {
    return number == escape_number_;
  }
  // The symbol of the code with this number, which must not be the escape.
  [[nodiscard]] std::uint64_t symbol(std::uint64_t number) const noexcept {
    const std::uint64_t at = number - (number > escape_number_);
    return symbols_.size() == 0 ? at : symbols_.get(at);
  }
  // The reverse, for builds: length and bits of a code.
  struct code {
    std::uint64_t bits;  // longest() bits: the code, then zeros
    unsigned length;
  };
  [[nodiscard]] code code_of(std::uint64_t number) const noexcept {
    unsigned length = 0;
    for (std::uint64_t left = number; left >= codes_[length]; ++length) left -= codes_[length];
    return {(number - offsets_[length]) << (longest_ - length), length};
  }
  [[nodiscard]] std::uint64_t escape_number() const noexcept { return escape_number_; }

  friend bool operator==(const prefix_code& a, const prefix_code& b) noexcept {
    return a.escape_ == b.escape_ && a.codes_ == b.codes_ && a.symbols_ == b.symbols_;
  }
  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("escape", self.escape_);
  }
  static void describe(auto& self, auto& part) {
    part.array("codes", self.codes_);
    part.array("symbols", self.symbols_.storage());
  }
  void check(unsigned value_bits) {
    const auto require = [](bool holds, std::string_view what, std::uint64_t found) {
      if (!holds) throw corrupt(detail::text("code: ", what, ", found ", found));
    };
    require(codes_.size() <= sizing::max_code_bits + 1, "expected codes of at most 32 bits",
            codes_.size());
    codes_.require(codes_.size());
    // small, and used by every query: copy it
    codes_.own();
    if (codes_.size() == 0) {
      require(escape_ == 0, "expected no escape", escape_);
      symbols_.storage().require(0);
      draw();
      return;
    }
    std::uint64_t codes = 0, share = 0;  // the share of all strings of 32 bits
    for (unsigned length = 0; length < codes_.size(); ++length) {
      codes += codes_[length];
      share += std::uint64_t{codes_[length]} << (sizing::max_code_bits - length);
      require(codes <= sizing::max_codes, "expected at most 2^20 codes", codes);
    }
    require(share == std::uint64_t{1} << sizing::max_code_bits,
            "expected every string to begin with one code", share);
    require(codes_[codes_.size() - 1] != 0, "expected the longest code to be there",
            codes_.size() - 1);
    require(escape_ <= codes_.size() && (escape_ == 0 || codes_[escape_ - 1] != 0),
            "expected an escape", escape_);
    draw();
    const bool listed = symbols_.storage().size() != 0;
    if (listed)
      symbols_.reshape(symbols(), value_bits);
    else
      require(symbols() <= max_ranked(value_bits), "expected values of fewer bits", symbols());
    check_order(listed, require);
  }

 private:
  [[nodiscard]] static std::uint64_t max_ranked(unsigned value_bits) noexcept {
    return value_bits >= 20 ? sizing::max_codes : std::uint64_t{1} << value_bits;
  }
  // Symbols of one length ascend. A list that is not needed must be absent.
  void check_order(bool listed, auto& require) const {
    if (!listed) return;
    bool ranked = true;
    std::uint64_t at = 0;
    for (unsigned length = 0; length < codes_.size(); ++length) {
      const std::uint64_t end = at + codes_[length] - (escape_ == length + 1);
      for (std::uint64_t first = at; at < end; ++at) {
        const std::uint64_t symbol = symbols_.get(at);
        require(at == first || symbol > symbols_.get(at - 1), "expected symbols to rise", symbol);
        ranked &= symbol == at;
      }
    }
    require(!ranked, "expected no list of symbols that are their own numbers", at);
  }

  void draw() noexcept {
    longest_ = codes_.size() == 0 ? 0 : static_cast<unsigned>(codes_.size() - 1);
    total_ = 0;
    escape_number_ = ~std::uint64_t{0};
    std::uint64_t next = 0;  // the first code of a length, as a number
    for (unsigned length = 0; length < codes_.size(); ++length) {
      next <<= 1;
      offsets_[length] = total_ - next;
      next += codes_[length];
      total_ += codes_[length];
      limits_[length] = next << (longest_ - length);
      if (escape_ == length + 1) escape_number_ = total_ - 1;
    }
  }

  std::uint64_t escape_ = 0;  // its length plus one; 0: none
  cells::words<std::uint32_t> codes_;
  cells::packed symbols_;
  // These follow from the fields above:
  unsigned longest_ = 0;
  std::uint64_t total_ = 0;
  std::uint64_t escape_number_ = ~std::uint64_t{0};
  std::array<std::uint64_t, sizing::max_code_bits + 1>
      limits_{};  // bits below: a code of this length or a shorter one
  // from a code of this length to its number
  std::array<std::uint64_t, sizing::max_code_bits + 1> offsets_{};
};

}  // namespace umbel::core
