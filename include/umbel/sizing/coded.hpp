// sizing/coded.hpp - what a map costs whose values are not all alike, in five forms, from how many
// keys have each value.
// Words      n keys, V values, counts c1 >= c2 >= ...; a code gives every value L bits, short ones
//            to the frequent; a value without a code of its own is told by the code of the
//            *escape*, and then by itself, literally.
// Forms      plain        no code: every value is literal. The price of a ribbon_map, to compare
//            with. escape       2^a - 1 values and the escape, a bits each.
//            coded_small  Huffman lengths; bits of the code are kept in ribbons, a few positions in
//            each, of the keys whose
//                         code is so long: hardly more than sum c L bits, and a run for each ribbon
//                         that a key goes through.
//            dominant     for c1 near n: a filter holds the keys of the other values, and whoever
//            does not pass it has value
//                         1; those that pass, few of value 1 among them, have a code. Less than one
//                         bit per key.
//            coded        Huffman lengths in one fuse graph of bits: 1.13 sum c L, and three reads
//            for a whole code.
// Source     [HKP09], [GV18] for codes in static functions; [CTLLS23] for the filter; chunks of
//            positions, and the choice by price, are ours.
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
// False if there is none of this name; then nothing changes.
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

// A code, as far as sizes go.
struct code_shape {
  std::uint64_t symbols = 0;         // values with a code of their own: the most frequent ones
  std::optional<unsigned> escape{};  // length of the others' code; none: there are no others
  // how many there are of each length, from 0, the escape's too
  std::vector<std::uint32_t> codes{};
  // keys whose code is longer than i bits, up to the longest: none
  std::vector<std::uint64_t> beyond{};
  std::uint64_t escaped = 0;       // keys without a code
  std::vector<unsigned> chunks{};  // how many positions of the code each ribbon has, in order
  [[nodiscard]] unsigned longest() const noexcept {
    return codes.empty() ? 0 : static_cast<unsigned>(codes.size()) - 1;
  }
};

// What must be known of a map before a form can be chosen.
struct coded_counts {
  // keys of each value, falling; empty: unknown, or too many to count
  std::span<const std::uint64_t> counts{};
  std::uint64_t keys = 0;   // n
  unsigned value_bits = 8;  // of a literal value
  unsigned check_bits = 0;  // that tell non-members apart
  // values are 0, 1, 2, ... in the order of the counts: no table is needed
  bool ranked = false;
  ribbon_preset preset = ribbon_preset::fast;
  std::uint64_t shard_from = peel_shard_from;
};
struct coded_price {
  coded_form form = coded_form::plain;
  std::uint64_t bits = 0;
  unsigned filter_bits = 0;  // of `dominant`
  code_shape code{};         // of the keys that are coded: of `dominant` as expected
};

inline constexpr unsigned max_filter_bits = 8;
inline constexpr std::uint64_t coded_field_words = 7;

// Where the check shares a ribbon with the first bits of every key: it needs no run of its own.
[[nodiscard]] constexpr bool check_is_joined(coded_form form) noexcept {
  return form != coded_form::dominant && form != coded_form::coded;
}

// The best code for these counts and its chunks, whatever `of` says of counts and keys: for builds,
// which know the keys that passed a filter. `huffman`, or flat as `escape` has it.
enum class code_kind { none, flat, huffman };
struct priced_code {
  code_shape code{};
  // of ribbons, literals and tables, with the check where it is joined
  std::uint64_t bits = 0;
  std::uint64_t chunk_bits = 0;  // of the ribbons alone
};
// templates, so that only programs that plan or build compile them
template <class Counts = coded_counts>
[[nodiscard]] std::optional<priced_code> price_code(const std::type_identity_t<Counts>& of,
                                                    code_kind kind, bool joined);

// The price of one form, or nothing where it makes no sense: none without counts but `plain`.
template <class Counts = coded_counts>
[[nodiscard]] std::optional<coded_price> price_coded(const std::type_identity_t<Counts>& of,
                                                     coded_form form);
// The smallest; of equal ones the plainest.
template <class Counts = coded_counts>
[[nodiscard]] coded_price choose_coded(const std::type_identity_t<Counts>& of);

}  // namespace sizing
}  // namespace umbel

#if UMBEL_WITH_BODIES
#include <umbel/sizing/coded.ipp>
#endif
