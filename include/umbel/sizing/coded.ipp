// coded.ipp - bodies of sizing/coded.hpp.
#pragma once

#include <algorithm>
#include <bit>
#include <utility>

#include <umbel/base/integers.hpp>
#include <umbel/sizing/coded.hpp>
#include <umbel/sizing/fuse.hpp>

namespace umbel::sizing {

namespace detail {

using umbel::detail::ceil_div;

inline constexpr auto falls = [](std::uint64_t a, std::uint64_t b) { return a > b; };

inline std::uint64_t sum_of(std::span<const std::uint64_t> counts) {
  std::uint64_t sum = 0;
  for (const std::uint64_t c : counts) sum += c;
  return sum;
}

// Codes of these lengths for these counts, both in the same order.
template <class = void>
void set_lengths(code_shape& out, std::span<const std::uint64_t> counts,
                 std::span<const std::uint8_t> lengths) {
  const unsigned longest = lengths.empty() ? 0 : *std::max_element(lengths.begin(), lengths.end());
  out.codes.assign(longest + 1, 0);
  out.beyond.assign(longest, 0);
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    ++out.codes[lengths[i]];
    for (unsigned bit = 0; bit < lengths[i]; ++bit) out.beyond[bit] += counts[i];
  }
}

// The first `symbols` counts get a code each. The remaining keys are escaped.
template <class = void>  // a template, as its callers are
code_shape shape_of(std::span<const std::uint64_t> counts, std::uint64_t keys,
                    std::uint64_t symbols, bool flat) {
  code_shape out{.symbols = symbols};
  std::vector<std::uint64_t> weights(counts.begin(),
                                     counts.begin() + static_cast<std::ptrdiff_t>(symbols));
  out.escaped = keys - sum_of(weights);
  auto escape = weights.end();
  if (out.escaped != 0) {
    escape = std::upper_bound(weights.begin(), weights.end(), out.escaped, falls);
    escape = weights.insert(escape, out.escaped);
  }
  const auto bits = static_cast<std::uint8_t>(std::bit_width(weights.size() - 1));
  const auto lengths =
      flat ? std::vector<std::uint8_t>(weights.size(), bits) : code_lengths(weights);
  if (out.escaped != 0) out.escape = lengths[static_cast<std::size_t>(escape - weights.begin())];
  set_lengths(out, weights, lengths);
  return out;
}

// Bits of one ribbon, with the lengths of its four arrays.
inline std::uint64_t part_bits(const coded_counts& of, std::uint64_t n, unsigned width) {
  if (n == 0 || width == 0) return 0;
  return ribbon_bits(umbel::sizing::shape_of(of.preset), n, width, of.shard_from) + 4 * 64;
}

// Splits the code positions into chunks at the lowest size, by dynamic programming; returns that
// size. A key uses all positions of every chunk that its code reaches, so cuts belong where many
// codes end. Each cut costs another ribbon.
template <class = void>
std::uint64_t cut(code_shape& code, const coded_counts& of, unsigned joined_bits) {
  const unsigned longest = code.longest();
  std::vector<std::uint64_t> least(longest + 1, ~std::uint64_t{0});
  std::vector<unsigned> from(longest + 1);
  least[0] = 0;
  for (unsigned end = 1; end <= longest; ++end)
    for (unsigned begin = 0; begin < end; ++begin) {
      const unsigned width = end - begin + (begin == 0 ? joined_bits : 0);
      if (width > 64) continue;
      const std::uint64_t price = least[begin] + part_bits(of, code.beyond[begin], width);
      if (price >= least[end]) continue;
      least[end] = price;
      from[end] = begin;
    }
  code.chunks.clear();
  for (unsigned end = longest; end > 0; end = from[end]) code.chunks.push_back(end - from[end]);
  std::reverse(code.chunks.begin(), code.chunks.end());
  return least[longest];
}

inline std::uint64_t table_bits(const code_shape& code, const coded_counts& of) {
  const std::uint64_t symbols =
      of.ranked || code.symbols == 0 ? 0 : 64 * (ceil_div(code.symbols * of.value_bits, 64) + 1);
  return symbols + 32 * code.codes.size();
}

// Bits of the literal values, and of the check bits if no chunk holds them.
inline std::uint64_t literal_bits(const code_shape& code, const coded_counts& of,
                                  unsigned joined_bits) {
  if (code.longest() != 0) joined_bits = 0;  // they are in the first chunk
  if (code.escaped == 0) return part_bits(of, of.keys, joined_bits);
  return part_bits(of, code.escaped, of.value_bits + joined_bits);
}

}  // namespace detail

template <class Counts>
std::optional<priced_code> price_code(const std::type_identity_t<Counts>& of, code_kind kind,
                                      bool joined) {
  const unsigned joined_bits = joined ? of.check_bits : 0;
  std::optional<priced_code> best;
  const auto offer = [&](std::uint64_t symbols) {
    priced_code one{.code =
                        detail::shape_of(of.counts, of.keys, symbols, kind != code_kind::huffman)};
    one.chunk_bits = detail::cut(one.code, of, joined_bits);
    one.bits = one.chunk_bits + detail::table_bits(one.code, of) +
               detail::literal_bits(one.code, of, joined_bits);
    if (!best || one.bits < best->bits) best = std::move(one);
  };
  const std::uint64_t values = of.counts.size();
  const bool complete = values <= max_codes && detail::sum_of(of.counts) == of.keys;
  if (of.keys == 0) return std::nullopt;
  if (kind == code_kind::none) {
    offer(0);
    return best;
  }
  // The size changes slowly with the number of symbols, so try 2^a - 1: these fill a code of a bits
  // together with the escape.
  for (std::uint64_t symbols = 1; symbols < std::min(values + !complete, max_codes);
       symbols = 2 * symbols + 1)
    offer(symbols);
  if (complete && (kind == code_kind::huffman || values == 1)) offer(values);
  return best;
}

template <class Counts>
std::optional<coded_price> price_coded(const std::type_identity_t<Counts>& of, coded_form form) {
  const auto priced =
      [&](std::optional<priced_code> code, std::uint64_t more, unsigned filter_bits = 0) {
    if (!code) return std::optional<coded_price>();
    const std::uint64_t bits = code->bits + more + 64 * coded_field_words;
    return std::optional<coded_price>({form, bits, filter_bits, std::move(code->code)});
  };
  if (form != coded_form::plain && of.counts.empty()) return std::nullopt;
  const std::uint64_t check =
      check_is_joined(form) ? 0 : detail::part_bits(of, of.keys, of.check_bits);
  switch (form) {
    case coded_form::plain: return priced(price_code(of, code_kind::none, true), 0);
    case coded_form::escape: return priced(price_code(of, code_kind::flat, true), 0);
    case coded_form::coded_small: return priced(price_code(of, code_kind::huffman, true), 0);
    case coded_form::coded: {
      auto code = price_code(of, code_kind::huffman, false);
      if (!code) return std::nullopt;
      code->code.chunks.clear();
      code->bits -= code->chunk_bits;
      const std::uint64_t equations = detail::sum_of(code->code.beyond);
      const std::uint64_t pad = 64ULL << peel_shard_bits(equations, of.shard_from);
      return priced(std::move(code),
                    check + (equations == 0 ? 0 : fuse_bits(3, equations, 1, of.shard_from) + pad));
    }
    case coded_form::dominant: {
      std::optional<coded_price> best;
      const std::uint64_t first = of.counts[0], others = of.keys - first;
      if (others == 0) return best;
      for (unsigned bits = 1; bits <= max_filter_bits; ++bits) {
        std::vector<std::uint64_t> passing(of.counts.begin() + 1, of.counts.end());
        const std::uint64_t taken_along = first >> bits;
        const auto at =
            std::upper_bound(passing.begin(), passing.end(), taken_along, detail::falls);
        if (taken_along != 0) passing.insert(at, taken_along);
        coded_counts rest = of;
        rest.counts = passing;
        rest.keys = others + taken_along;
        rest.ranked = false;  // the values that pass have another order of frequency
        auto one = priced(price_code(rest, code_kind::huffman, false),
                          check + detail::part_bits(of, others, bits), bits);
        if (one && (!best || one->bits < best->bits)) best = std::move(one);
      }
      return best;
    }
  }
  return std::nullopt;
}

template <class Counts>
coded_price choose_coded(const std::type_identity_t<Counts>& of) {
  coded_price best;
  for (const auto form : {coded_form::plain, coded_form::escape, coded_form::coded_small,
                          coded_form::dominant, coded_form::coded}) {
    if (form == coded_form::dominant && (of.counts.empty() || of.counts[0] <= of.keys / 2))
      continue;
    if (auto price = price_coded(of, form); price && (best.bits == 0 || price->bits < best.bits))
      best = std::move(*price);
  }
  return best;
}

#if defined(UMBEL_BODIES)
template std::optional<priced_code> price_code<coded_counts>(const coded_counts&, code_kind, bool);
template std::optional<coded_price> price_coded<coded_counts>(const coded_counts&, coded_form);
template coded_price choose_coded<coded_counts>(const coded_counts&);
#endif

}  // namespace umbel::sizing
