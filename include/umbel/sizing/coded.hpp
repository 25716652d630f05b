// sizing/coded.hpp - size of compressed static functions [HKP09], [GV18]: five forms for maps with
// skewed values.
//
// Symbols    n keys; V values; counts c1 >= c2 >= ... of keys per value. A prefix code gives every
//            value L bits, fewer to frequent values. A value without a code is stored as the code
//            of the *escape* and then literally.
// Forms      plain: no code, every value is literal. The size of a ribbon_map, for comparison.
//            escape: codes for 2^a - 1 values and the escape, a bits each.
//            coded_small: Huffman code. Code bits are kept in ribbons; each ribbon holds a few code
//            positions for the keys whose code is long enough. Little more than sum c L bits, and a
//            query reads one band per ribbon that the key's code reaches.
//            dominant: for c1 near n. A filter holds the keys of the other values; a key that it
//            rejects has value 1. The keys that pass, among them few of value 1, have a code. Less
//            than one bit per key.
//            coded: Huffman code in one fuse graph of bits: 1.13 sum c L bits, and three reads for
//            a whole code.
// Source     [HKP09], [GV18] for codes in static functions; [CTLLS23] for the filter. Splitting the
//            code positions into chunks, and the choice by size, are new here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include <umbel/base/config.hpp>
#include <umbel/sizing/entropy.hpp>
#include <umbel/sizing/peel.hpp>
#include <umbel/sizing/ribbon.hpp>

namespace umbel {

enum class coded_form : std::uint64_t { plain, escape, coded_small, dominant, coded };

inline constexpr std::array<std::string_view, 5> coded_form_names{"plain", "escape", "coded_small",
                                                                  "dominant", "coded"};
[[nodiscard]] constexpr std::string_view name_of(coded_form f) noexcept {
  return coded_form_names[static_cast<std::size_t>(f)];
}
// Returns false and changes nothing if no form has this name.
[[nodiscard]] constexpr bool form_named(std::string_view name,
                                        std::optional<coded_form>& out) noexcept {
  for (std::size_t i = 0; i < coded_form_names.size(); ++i) {
    if (coded_form_names[i] != name) continue;
    out = static_cast<coded_form>(i);
    return true;
  }
  return false;
}

namespace sizing {

// The lengths of a code.
struct code_shape {
  std::uint64_t symbols = 0;         // values with a code of their own: the most frequent ones
  std::optional<unsigned> escape{};  // length of the escape's code, if there is an escape
  // number of codes by length, from 0, including the escape's
  std::vector<std::uint32_t> codes{};
  // keys whose code is longer than i bits, for i below the longest length
  std::vector<std::uint64_t> beyond{};
  std::uint64_t escaped = 0;       // keys without a code
  std::vector<unsigned> chunks{};  // number of code positions in each ribbon, in order
  [[nodiscard]] unsigned longest() const noexcept {
    return codes.empty() ? 0 : static_cast<unsigned>(codes.size()) - 1;
  }
};

// What the choice of a form depends on.
struct coded_counts {
  // keys of each value, falling; empty if unknown or too many to count
  std::span<const std::uint64_t> counts{};
  std::uint64_t keys = 0;   // n
  unsigned value_bits = 8;  // of a literal value
  unsigned check_bits = 0;  // to reject non-members
  // values are 0, 1, 2, ... in the order of the counts: no symbol table is needed
  bool ranked = false;
  ribbon_preset preset = ribbon_preset::fast;
  std::uint64_t shard_from = peel_shard_from;
};
struct coded_price {
  coded_form form = coded_form::plain;
  std::uint64_t bits = 0;
  unsigned filter_bits = 0;  // of `dominant`
  code_shape code{};         // of the coded keys; for `dominant` the expected one
};

inline constexpr unsigned max_filter_bits = 8;
inline constexpr std::uint64_t coded_field_words = 7;

// Whether the check bits share a ribbon with the first code bits of every key, so that they need no
// read of their own.
[[nodiscard]] constexpr bool check_is_joined(coded_form form) noexcept {
  return form != coded_form::dominant && form != coded_form::coded;
}

// The smallest code for these counts, with its chunks; `flat` has codes of equal length as `escape`
// uses them. Independent of a form: builds call it for the keys that passed a filter.
enum class code_kind { none, flat, huffman };
struct priced_code {
  code_shape code{};
  // of ribbons, literals and tables, and of the check bits if joined
  std::uint64_t bits = 0;
  std::uint64_t chunk_bits = 0;  // of the ribbons alone
};
// Templates, so that only programs that plan or build compile them.
template <class Counts = coded_counts>
[[nodiscard]] std::optional<priced_code> price_code(const std::type_identity_t<Counts>& of,
                                                    code_kind kind, bool joined);

// The size of one form, or nothing if it does not apply. Without counts only `plain` applies.
template <class Counts = coded_counts>
[[nodiscard]] std::optional<coded_price> price_coded(const std::type_identity_t<Counts>& of,
                                                     coded_form form);
// The form of the smallest size; among equals the first in the order above.
template <class Counts = coded_counts>
[[nodiscard]] coded_price choose_coded(const std::type_identity_t<Counts>& of);

}  // namespace sizing
}  // namespace umbel

#if UMBEL_WITH_BODIES
#include <umbel/sizing/coded.ipp>
#endif
