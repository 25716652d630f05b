// spooled.hpp - the keys, or (key, value) pairs, of a static build, hashed into a spool; in
// parallel if requested.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include <umbel/base/error.hpp>
#include <umbel/base/integers.hpp>
#include <umbel/base/parallel.hpp>
#include <umbel/base/text.hpp>
#include <umbel/core/keys.hpp>
#include <umbel/core/reread.hpp>
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

// add(digest) for every key.
template <key K, class Add>
void for_digests(std::span<const K> keys, const hasher& hash, Add&& add) {
  hash.with_digests(keys, [&](std::size_t, std::size_t count, auto digest_at) {
    for (std::size_t i = 0; i < count; ++i) add(digest_at(i));
  });
}
// The digests of all keys, hashed where they lie whenever they are read.
template <key K>
[[nodiscard]] auto digests_in_place(std::span<const K> keys, const hasher& hash) {
  return rereading<digest>(keys.size(), [keys, hash](auto&& add) { for_digests(keys, hash, add); });
}
// The digests of all keys: of a contiguous range in parallel.
template <key_range Keys>
[[nodiscard]] digest_spool spool_of(const Keys& keys, const hasher& hash, unsigned threads) {
  if constexpr (key_span<Keys>) {
    const auto all = as_span(keys);
    return spool_slices<digest>(all.size(), threads,
                                [&](digest_spool& out, std::size_t first, std::size_t last) {
      for_digests(all.subspan(first, last - first), hash, [&](const digest& d) { out.add(d); });
    });
  } else {
    digest_spool out;
    for (const auto& k : keys) out.add(hash(k));
    return out;
  }
}

// The largest value that a map with these options can hold; of options that are about to be refused,
// any value.
template <class Options>
[[nodiscard]] constexpr std::uint64_t largest_value(const Options& options) noexcept {
  if constexpr (requires { options.values; })
    if (options.values) return *options.values - 1;
  return detail::low_mask(std::min(unsigned{options.value_bits}, 64U));
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

// All pairs, hashed where they lie whenever they are read.
template <random_pairs Pairs>
[[nodiscard]] auto pairs_in_place(const Pairs& pairs, const hasher& hash) {
  const auto count = static_cast<std::uint64_t>(std::end(pairs) - std::begin(pairs));
  return rereading<valued>(count, [&pairs, hash](auto&& add) {
    for (const auto& [k, value] : pairs)
      hash.with_digest(k, [&add, v = static_cast<std::uint64_t>(value)](digest d) {
        add(valued{d, v});
      });
  });
}

// bad_parameter for the number-th pair, whose value is too large; complain(value, whose) says why.
template <pair_range Pairs, class Complain>
[[noreturn]] void refuse_value(const Pairs& pairs, std::uint64_t number, Complain&& complain) {
  const auto& [k, value] = *std::next(std::begin(pairs), static_cast<std::ptrdiff_t>(number));
  const std::string whose = detail::text(" of key ", shown_key(k), " (number ", number, ")");
  throw bad_parameter(complain(static_cast<std::uint64_t>(value), whose));
}

// All pairs, hashed: those of a contiguous range in parallel. A value above `most` is a
// bad_parameter that names the first key with one; complain(value, whose) says why.
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
  if constexpr (random_pairs<Pairs>) {
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
  if (const std::uint64_t number = misfits_from; number != none)
    refuse_value(pairs, number, complain);
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

// Whether a build of so many keys reads each of them once, but for attempts that fail: it then reads
// them where they lie, but for several threads, which hash to a spool each.
template <class Built, class Options>
[[nodiscard]] bool reads_in_place(std::uint64_t keys, const Options& options) {
  if constexpr (requires { Built::reads_once(keys, options); })
    return options.threads <= 1 && Built::reads_once(keys, options);
  else
    return false;
}

// A set of all keys.
template <class Set, key_range Keys>
[[nodiscard]] Set set_of(const Keys& keys, const typename Set::options_type& options) {
  if constexpr (key_span<Keys>)
    if (reads_in_place<Set>(std::size(keys), options))
      return Set::build(digests_in_place(as_span(keys), options.hash), options);
  return Set::build(spool_of(keys, options.hash, options.threads), options);
}

// A map of all pairs. Throws bad_parameter for a value wider than asked, conflict for a key with
// two values; both name the key.
template <class Map, pair_range Pairs>
[[nodiscard]] Map map_of(const Pairs& pairs, const typename Map::options_type& options) {
  (void)Map::plan(options);  // throws for impossible options before any key is read
  const std::uint64_t largest = largest_value(options);
  const auto complain = [&](std::uint64_t value, const std::string& whose) {
    return misfit(value, largest, whose);
  };
  const auto built = [&](const auto& records) {
    return naming_conflicts(pairs, options.hash, [&] { return Map::build(records, options); });
  };
  if constexpr (random_pairs<Pairs> && requires { Map::reads_once(largest, options); }) {
    const auto records = pairs_in_place(pairs, options.hash);
    if (reads_in_place<Map>(records.size(), options)) {
      std::uint64_t number = 0;
      for (const auto& [k, value] : pairs) {
        if (static_cast<std::uint64_t>(value) > largest) refuse_value(pairs, number, complain);
        ++number;
      }
      return built(records);
    }
  }
  return built(spool_of(pairs, options.hash, largest, complain, options.threads));
}

}  // namespace umbel::core
