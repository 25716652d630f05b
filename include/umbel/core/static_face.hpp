// static_face.hpp - the build verbs of structures made at once from all keys.
// Idea       A structure writes build(spool, options) and says which options it has; these mixins hash any range of
//            keys, or of (key, value) pairs, into a spool first: in parallel when asked to.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include <umbel/base/parallel.hpp>
#include <umbel/core/face.hpp>
#include <umbel/core/spool.hpp>

namespace umbel::core {

// The digests of all keys. Threads take slices of a contiguous range; the result does not depend on how many.
template <key_range Keys>
[[nodiscard]] digest_spool spool_of(const Keys& keys, const hasher& hash, unsigned threads) {
  digest_spool out;
  if constexpr (key_span<Keys>) {
    const std::size_t total = std::size(keys);
    const std::size_t slices = threads <= 1 || total < 100'000 ? 1 : std::min<std::size_t>(threads, total / 1000);
    const auto all = as_span(keys);
    std::vector<digest_spool> parts(slices - 1);
    detail::parallel_for(slices, threads, [&](std::size_t i) {
      digest_spool& mine = i == 0 ? out : parts[i - 1];
      const std::size_t first = total / slices * i;
      const std::size_t last = i + 1 == slices ? total : total / slices * (i + 1);
      hash.over(all.subspan(first, last - first), [&](std::size_t, std::size_t count, auto digest_at) {
        for (std::size_t j = 0; j < count; ++j) mine.add(digest_at(j));
      });
    });
    for (auto& part : parts) out.append(std::move(part));
  } else {
    for (const auto& k : keys) out.add(hash(k));
  }
  return out;
}

template <class Self>
class static_set {
 public:
  template <key_range Keys, class S = Self, class Options = typename S::options>
  [[nodiscard]] static S build(const Keys& keys, const Options& options) {
    return S::build(spool_of(keys, options.hash, options.threads), options);
  }
};

// A range of pairs whose first is a key and whose second is an unsigned value.
template <class R>
concept pair_range = requires(const value_in<R>& pair) {
  requires key<std::remove_cvref_t<decltype(pair.first)>>;
  requires std::convertible_to<decltype(pair.second), std::uint64_t>;
};

// The largest value that a map with these options takes.
template <class Options>
[[nodiscard]] constexpr std::uint64_t largest_value(const Options& options) noexcept {
  if constexpr (requires { options.values; })
    if (options.values) return *options.values - 1;
  return detail::low_mask(options.value_bits);
}
// What is said of one beyond: how many bits there are for it, or how many values.
[[nodiscard]] inline std::string misfit(std::uint64_t value, std::uint64_t largest, const std::string& whose = "") {
  if ((largest & (largest + 1)) == 0 && largest != 0)
    return detail::text("value ", value, whose, " does not fit ", std::bit_width(largest), " bits");
  return detail::text("value ", value, whose, " is not one of 0 to ", largest);
}

// A key in a message.
template <class K>
[[nodiscard]] std::string shown_key(const K& k) {
  if constexpr (detail::string_key<K>)
    return detail::text("\"", std::string_view(k), "\"");
  else if constexpr (std::integral<K>)
    return detail::text(k);
  else
    return "(unprintable)";
}

// All pairs, hashed. A value above `most` is a bad_parameter that names its key; complain(value, whose) says why.
template <pair_range Pairs, class Complain>
[[nodiscard]] pair_spool spool_of(const Pairs& pairs, const hasher& hash, std::uint64_t most, Complain&& complain) {
  pair_spool out;
  std::uint64_t position = 0;
  for (const auto& [k, value] : pairs) {
    const auto wide = static_cast<std::uint64_t>(value);
    if (wide > most)
      throw bad_parameter(complain(wide, detail::text(" of key ", shown_key(k), " (number ", position, ")")));
    out.add(valued{hash(k), wide});
    ++position;
  }
  return out;
}

// What `build` makes. Where it meets one key with two values, the pairs are looked through for that key's name.
template <pair_range Pairs, class Build>
[[nodiscard]] auto naming_conflicts(const Pairs& pairs, const hasher& hash, Build&& build) {
  try {
    return build();
  } catch (const digest_conflict& clash) {
    for (const auto& [k, value] : pairs)
      if (hash(k) == clash.key)
        throw conflict(
            detail::text("key ", shown_key(k), " was given with two values, ", clash.first, " and ", clash.second));
    throw;
  }
}

template <class Self>
class static_map {
 public:
  // Throws bad_parameter for a value wider than asked, conflict for a key with two values; both name the key.
  template <pair_range Pairs, class S = Self, class Options = typename S::options>
  [[nodiscard]] static S build(const Pairs& pairs, const Options& options) {
    (void)S::plan(options);  // refuses what cannot be built before any key is looked at
    const std::uint64_t largest = largest_value(options);
    const auto complain = [&](std::uint64_t value, const std::string& whose) { return misfit(value, largest, whose); };
    const pair_spool spool = spool_of(pairs, options.hash, largest, complain);
    return naming_conflicts(pairs, options.hash, [&] { return S::build(spool, options); });
  }
};

}  // namespace umbel::core
