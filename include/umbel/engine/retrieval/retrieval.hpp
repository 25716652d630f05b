// retrieval.hpp - the contract of a retrieval engine: a static function of the keys it was built
// from, which answers members exactly and other keys with anything.
//
// The adaptors make structures of any: `tagged` a set, by values that are fingerprints; `checked` a
// map, by a check beside each value.
//
// Laws       test/engine/retrieval_laws_test.cpp, for every engine there is.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include <umbel/core/can.hpp>
#include <umbel/core/spool.hpp>
#include <umbel/hash/digest.hpp>

namespace umbel::core {

// What a batch notes of a key while it is in hand: nothing, or its tag.
struct any_note {
  [[nodiscard]] std::uint64_t operator()(digest) const noexcept { return 0; }
  [[nodiscard]] std::uint64_t operator()(std::uint64_t tag) const noexcept { return tag; }
};
// What a build stores for a key: value_of(record), or value_of(record, tag) from an engine whose
// tags come with the place of a key.
struct any_value {
  [[nodiscard]] std::uint64_t operator()(const valued& v) const noexcept { return v.value; }
  [[nodiscard]] std::uint64_t operator()(const valued& v, std::uint64_t) const noexcept {
    return v.value;
  }
};

// Works on digests, never on keys.
//
// build     Of the set of records: the same engine for any order of them, for copies, and for any
//           number of threads. One key with two values is a `conflict`. `options.width` is the
//           width of a value, which value_of must keep to.
// keys      Distinct keys. With none, every value is 0.
// value     Exact for members. An engine that can make all members answer 0 says so by all_zero(),
//           and then has no use for value_of.
// values    The batch: sink(i, note, value) for every i below total, in order. The note is taken
//           while the key is in hand: note_of(digest), or note_of(tag) from an engine whose tags
//           come with the place of a key (engine/retrieval/tagged.hpp).
// check     After loading: the last word on fields and cells.
template <class E>
concept retrieval = std::copyable<E> && std::default_initializable<E> &&
    std::equality_comparable<E> &&
    requires(const E& engine, E& loaded, digest d, std::size_t total, each_digest digest_at,
             const pair_spool& records, const typename E::build_options& options) {
  { options.width } -> std::convertible_to<unsigned>;
  { E::build(records, options, any_value{}) } -> std::same_as<E>;
  { engine.keys() } -> std::same_as<std::uint64_t>;
  { engine.width() } -> std::same_as<unsigned>;
  { engine.size_in_bits() } -> std::same_as<std::uint64_t>;
  { engine.value(d) }
  noexcept->std::same_as<std::uint64_t>;
  engine.values(total, digest_at, any_note{}, [](std::size_t, std::uint64_t, std::uint64_t) {});
  loaded.check();
};

}  // namespace umbel::core
