// ribbon.cpp - overhead of ribbons above r bits per key, and how often a ribbon without bumping
// succeeds. The tables of doc/theory/ribbon.md.
// Idea       Whole builds for the sizes; for success the library's own rows and elimination, on
//            fresh salts instead of fresh keys.
// Limits     Not a benchmark: run it as build/derive/ribbon after `make build`; a minute or two.
// Source     [DHSW22] for bumped ribbons, [DW21] for standard and homogeneous ones.
#include <umbel/engine/retrieval/ribbon/build.hpp>
#include <umbel/engine/retrieval/ribbon/row.hpp>
#include <umbel/engine/retrieval/tagged.hpp>
#include <umbel/hash/hasher.hpp>
#include <umbel/solve/band_span.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string_view>
#include <vector>

namespace {

using umbel::ribbon_preset;
using umbel::core::ribbon;
using umbel::sizing::ribbon_shape;

const umbel::hasher hash;

ribbon built(const umbel::digest_spool& keys, const ribbon::build_options& how) {
  return ribbon::build(keys, how, [bits = how.width](const umbel::digest& d) {
    return umbel::core::tag_of(d, bits);
  });
}

// Slots of all shards of every layer.
struct layer_sizes {
  std::vector<std::uint64_t> slots{};
  template <class Object>
  void fields(std::string_view, const Object&) {}
  template <class Word>
  void array(std::string_view name, const umbel::cells::words<Word>& words) {
    if (name != "layers") return;
    for (const std::uint64_t layer : words.span())
      slots.push_back((layer & 0xFFFFFFFFFFFFFF) << (layer >> 56));
  }
};

void print_overheads(std::uint64_t n) {
  umbel::digest_spool keys;
  for (std::uint64_t i = 0; i < n; ++i) keys.add(hash(i));
  std::printf(
      "%llu keys: bits above r per key in %%, for r = 1, 2, 4, 8 and 16; keys bumped from layer 0 "
      "and its empty\n"
      "slots in %%\n",
      static_cast<unsigned long long>(n));
  for (std::size_t preset = 0; preset < umbel::ribbon_preset_names.size(); ++preset) {
    const auto& shape = umbel::sizing::ribbon_shapes[preset];
    std::printf("%-15s", umbel::ribbon_preset_names[preset].data());
    layer_sizes layers;
    for (const unsigned r : {1U, 2U, 4U, 8U, 16U}) {
      const ribbon made = built(keys, {.width = r, .preset = static_cast<ribbon_preset>(preset)});
      std::printf(
          " %6.3f",
          100 * (static_cast<double>(made.size_in_bits()) / static_cast<double>(r * n) - 1));
      layers = {};
      ribbon::describe(made, layers);
    }
    if (layers.slots.size() > 1) {
      // Rounded to a block: layer 1 has slots for all keys but its own overload.
      const double bumped = static_cast<double>(layers.slots[1]) / (1 - shape.overload);
      const auto slots = static_cast<double>(layers.slots[0]);
      std::printf("  %6.3f %6.3f", 100 * bumped / static_cast<double>(n),
                  100 * (slots - (static_cast<double>(n) - bumped)) / slots);
    }
    std::puts("");
  }
}

struct outcome {
  double solved = 0;  // share of draws
  // of every draw, sorted: the share of rows that are sums of members' rows
  std::vector<double> sums{};
};

// Inserts a row. False if it is a sum of the rows already in.
template <class Word>
bool insert(std::vector<umbel::solve::band_slot<Word>>& slots, std::uint64_t at, Word row) {
  for (;;) {
    if (slots[at].coefficients == 0) {
      slots[at].coefficients = row;
      return true;
    }
    row ^= slots[at].coefficients;
    if (row == 0) return false;
    for (; (row & 1) == 0; row >>= 1) ++at;
  }
}

template <class Word>
outcome draw(const ribbon_shape& shape, std::uint64_t keys, std::uint64_t slots, unsigned draws,
             bool count_sums) {
  outcome out;
  for (unsigned number = 0; number < draws; ++number) {
    const umbel::core::ribbon_row rows(number, shape, slots);
    const std::uint64_t last = shape.starts(slots) - 1;
    std::vector<umbel::solve::band_slot<Word>> system(slots);
    bool all = true;
    for (std::uint64_t i = 0; i < keys; ++i) {
      const auto row = rows.at<Word>(hash(i));
      all = insert(system, last - row.back, row.coefficients) && all;
    }
    out.solved += all ? 1.0 / draws : 0;
    if (count_sums)
      out.sums.push_back(
          umbel::solve::span_share(std::span<const umbel::solve::band_slot<Word>>(system),
                                   [&](std::uint64_t s) { return rows.share(last - s); }));
  }
  std::sort(out.sums.begin(), out.sums.end());
  return out;
}
outcome draw(ribbon_preset preset, std::uint64_t keys, std::uint64_t slots, unsigned draws,
             bool count_sums = false) {
  const auto& shape = umbel::sizing::shape_of(preset);
  return shape.width == 64 ? draw<std::uint64_t>(shape, keys, slots, draws, count_sums)
                           : draw<umbel::detail::uint128>(shape, keys, slots, draws, count_sums);
}

void print_success() {
  std::puts("\nstandard, 2^17 slots: share of 200 draws solved at so many slots per key");
  const struct {
    ribbon_preset preset;
    double slots_per_key[3];
  } table[] = {{ribbon_preset::standard_64, {1.0632, 1.0940, 1.1389}},
               {ribbon_preset::standard_128, {1.0218, 1.0361, 1.0581}}};
  for (const auto& [preset, slots_per_key] : table) {
    std::printf("%u:", umbel::sizing::shape_of(preset).width);
    for (const double per_key : slots_per_key)
      std::printf(
          " %.4f %.3f", per_key,
          draw(preset, static_cast<std::uint64_t>((1 << 17) / per_key), 1 << 17, 200).solved);
    std::puts("");
  }
  std::puts(
      "\nstandard, slots of sizing/ribbon.hpp: share of draws solved for 50, 100, 300, 1000, 3000, "
      "10^4, 10^5, 10^6 "
      "keys");
  for (const auto preset : {ribbon_preset::standard_64, ribbon_preset::standard_128}) {
    const auto& shape = umbel::sizing::shape_of(preset);
    std::printf("%u:", shape.width);
    for (const std::uint64_t n : {50U, 100U, 300U, 1000U, 3000U, 10'000U, 100'000U, 1'000'000U})
      std::printf(" %.3f", draw(preset, n, umbel::sizing::ribbon_plain_slots(shape, n, n, 8),
                                n < 50'000    ? 1000
                                : n < 500'000 ? 100
                                              : 20)
                               .solved);
    std::puts("");
  }
}

void print_sums() {
  std::puts(
      "\nhomogeneous, keys, slots per key: log2 of the share of rows that are sums of members' "
      "rows: median, one draw "
      "in\n"
      "twenty, most");
  const struct {
    ribbon_preset preset;
    double slots_per_key[4];
  } table[] = {{ribbon_preset::homogeneous_64, {1.06, 1.09, 1.12, 1.15}},
               {ribbon_preset::homogeneous_128, {1.02, 1.04, 1.06, 1.08}}};
  for (const auto& [preset, slots_per_key] : table)
    for (const std::uint64_t n : {10'000U, 300'000U}) {
      std::printf("%u, %llu:", umbel::sizing::shape_of(preset).width,
                  static_cast<unsigned long long>(n));
      for (const double per_key : slots_per_key) {
        const auto slots =
            static_cast<std::uint64_t>(static_cast<double>(n) * per_key) / 64 * 64 + 64;
        const auto sums = draw(preset, n, slots, n < 50'000 ? 400 : 60, true).sums;
        std::printf("  %.2f %.1f %.1f %.1f", per_key, std::log2(sums[sums.size() / 2]),
                    std::log2(sums[sums.size() * 19 / 20]), std::log2(sums.back()));
      }
      std::puts("");
    }
  std::puts(
      "\nhomogeneous, slots of sizing/ribbon.hpp: share of draws that keep the rate, for 100, "
      "1000, 10^4, 10^5, 10^6 "
      "keys");
  for (const auto preset : {ribbon_preset::homogeneous_64, ribbon_preset::homogeneous_128})
    for (const unsigned columns : {1U, 8U, 16U, 24U, 36U, 64U}) {
      const auto& shape = umbel::sizing::shape_of(preset);
      std::printf("%u, %u columns:", shape.width, columns);
      for (const std::uint64_t n : {100U, 1000U, 10'000U, 100'000U, 1'000'000U}) {
        const std::uint64_t slots = umbel::sizing::ribbon_plain_slots(shape, n, n, columns);
        const auto sums = draw(preset, n, slots,
                               n < 50'000    ? 400
                               : n < 500'000 ? 60
                                             : 20,
                               true)
                              .sums;
        const double most =
            std::exp2(-static_cast<double>(umbel::sizing::ribbon_sum_bits(shape, columns)));
        const auto kept = std::upper_bound(sums.begin(), sums.end(), most) - sums.begin();
        std::printf(" %.3f", static_cast<double>(kept) / static_cast<double>(sums.size()));
      }
      std::puts("");
    }
}

}  // namespace

int main() {
  print_overheads(1'000'000);
  print_success();
  print_sums();
}
