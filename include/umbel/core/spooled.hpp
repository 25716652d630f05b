// spooled.hpp - the keys, or (key, value) pairs, of a static build, hashed into a spool; in
// parallel if requested.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include <umbel/base/error.hpp>
#include <umbel/base/integers.hpp>
#include <umbel/base/parallel.hpp>
#include <umbel/base/text.hpp>
#include <umbel/core/keys.hpp>
#include <umbel/core/spool.hpp>

namespace umbel::core {

// Calls fill(spool, first, last) for slices of [0, total) and joins the spools. Which thread gets
// which slice is not deterministic, and so neither is the order within a bin. No build depends on
// it.
template <class Record, class Fill>
[[nodiscard]] basic_spool<Record> spool_slices(std::size_t total, unsigned threads, Fill&& fill) {
  // about a thousandth of a second, so the last slice is not waited for long
  constexpr std::size_t slice = std::size_t{1} << 16;
  const std::size_t slices = detail::ceil_div(total, slice);
  std::vector<basic_spool<Record>> parts(detail::crew_size(slices, threads));
  detail::parallel_for(slices, threads, [&](std::size_t i, std::size_t worker) {
    fill(parts[worker], i * slice, std::min(total, (i + 1) * slice));
  });
  for (std::size_t i = 1; i < parts.size(); ++i) parts[0].append(std::move(parts[i]));
  return std::move(parts[0]);
}

// The digests of all keys; of a contiguous range in parallel.
template <key_range Keys>
[[nodiscard]] digest_spool spool_of(const Keys& keys, const hasher& hash, unsigned threads) {
  if constexpr (key_span<Keys>) {
    const auto all = as_span(keys);
    return spool_slices<digest>(all.size(), threads,
                                [&](digest_spool& out, std::size_t first, std::size_t last) {
      hash.with_digests(all.subspan(first, last - first),
                        [&](std::size_t, std::size_t count, auto digest_at) {
        for (std::size_t i = 0; i < count; ++i) out.add(digest_at(i));
      });
    });
  } else {
    digest_spool out;
    for (const auto& k : keys) out.add(hash(k));
    return out;
  }
}

// The largest value that a map with these options can hold.
template <class Options>
[[nodiscard]] constexpr std::uint64_t largest_value(const Options& options) noexcept {
  if constexpr (requires { options.values; })
    if (options.values) return *options.values - 1;
  return detail::low_mask(options.value_bits);
}
// The message for a larger value: how many bits or how many values there are.
[[nodiscard]] inline std::string misfit(std::uint64_t value, std::uint64_t largest,
                                        const std::string& whose = "") {
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

// All pairs, hashed; those of a contiguous range in parallel. Throws bad_parameter if a value is
// above `most`, for the first key with such a value; complain(value, whose) gives the message.
template <pair_range Pairs, class Complain>
[[nodiscard]] pair_spool spool_of(const Pairs& pairs, const hasher& hash, std::uint64_t most,
                                  Complain&& complain, unsigned threads = 1) {
  constexpr std::uint64_t none = ~std::uint64_t{0};
  // Returns the number of the first pair that does not fit; `number` is that of the first pair.
  const auto fill = [&](pair_spool& out, auto at, auto end, std::uint64_t number) {
    for (; at != end; ++at, ++number) {
      const auto& [k, value] = *at;
      if (static_cast<std::uint64_t>(value) > most) return number;
      hash.with_digest(k, [&out, v = static_cast<std::uint64_t>(value)](digest d) {
        out.add(valued{d, v});
      });
    }
    return none;
  };
  pair_spool out;
  std::atomic<std::uint64_t> misfits_from = none;
  const auto begin = std::begin(pairs);
  if constexpr (std::random_access_iterator<std::remove_const_t<decltype(begin)>>) {
    const auto total = static_cast<std::size_t>(std::end(pairs) - begin);
    out = spool_slices<valued>(total, threads,
                               [&](pair_spool& mine, std::size_t first, std::size_t last) {
      const auto at = [&](std::size_t i) { return begin + static_cast<std::ptrdiff_t>(i); };
      const std::uint64_t here = fill(mine, at(first), at(last), first);
      for (std::uint64_t seen = misfits_from;
           here < seen && !misfits_from.compare_exchange_weak(seen, here);) {
      }
    });
  } else {
    misfits_from = fill(out, begin, std::end(pairs), 0);
  }
  if (const std::uint64_t number = misfits_from; number != none) {
    const auto& [k, value] = *std::next(begin, static_cast<std::ptrdiff_t>(number));
    const std::string whose = detail::text(" of key ", shown_key(k), " (number ", number, ")");
    throw bad_parameter(complain(static_cast<std::uint64_t>(value), whose));
  }
  return out;
}

// Returns build(). If it finds one key with two values, the pairs are searched for that key, so
// that the message can name it.
template <pair_range Pairs, class Build>
[[nodiscard]] auto naming_conflicts(const Pairs& pairs, const hasher& hash, Build&& build) {
  try {
    return build();
  } catch (const digest_conflict& clash) {
    for (const auto& [k, value] : pairs)
      if (hash(k) == clash.key)
        throw conflict(detail::text("key ", shown_key(k), " was given with two values, ",
                                    clash.first, " and ", clash.second));
    throw;
  }
}

// A map of all pairs. Throws bad_parameter for a value that is too large, and conflict for a key
// with two values; both messages name the key.
template <class Map, pair_range Pairs>
[[nodiscard]] Map map_of(const Pairs& pairs, const typename Map::options_type& options) {
  (void)Map::plan(options);  // throws for impossible options before any key is read
  const std::uint64_t largest = largest_value(options);
  const auto complain = [&](std::uint64_t value, const std::string& whose) {
    return misfit(value, largest, whose);
  };
  const pair_spool spool = spool_of(pairs, options.hash, largest, complain, options.threads);
  return naming_conflicts(pairs, options.hash, [&] { return Map::build(spool, options); });
}

}  // namespace umbel::core
