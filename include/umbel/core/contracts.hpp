// contracts.hpp - the three things a static structure can promise about the keys it was built from.
//
// A *retrieval* engine answers members exactly and other keys with anything; the adaptors tagged
// and checked make sets and maps of any. A *map* recognises non-members, but for a share of them.
// An *exact set* does not err on the universe it was declared over.
//
// Limits     The compiler checks the form; the laws of test/laws check the promise.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <umbel/hash/digest.hpp>

namespace umbel::core {

// Works on digests, never on keys. `values` is the batch: sink(i, note, value) for every i, in
// order. The note is taken while the key is in hand: note_of(digest), or note_of(tag) from an
// engine whose tags come with the place of a key (engine/retrieval/tagged.hpp).
struct any_note {
  [[nodiscard]] std::uint64_t operator()(digest) const noexcept { return 0; }
  [[nodiscard]] std::uint64_t operator()(std::uint64_t tag) const noexcept { return tag; }
};
template <class E>
concept retrieval = std::copyable<E> && std::default_initializable<E> &&
    std::equality_comparable<E> &&
    requires(const E& engine, E& loaded, digest d, std::size_t total) {
  { engine.keys() } -> std::same_as<std::uint64_t>;  // distinct; none: every value is 0
  { engine.width() } -> std::same_as<unsigned>;      // of a value, in bits
  { engine.size_in_bits() } -> std::same_as<std::uint64_t>;
  { engine.value(d) }
  noexcept->std::same_as<std::uint64_t>;
  engine.values(
      total, [](std::size_t) { return digest{}; }, any_note{},
      [](std::size_t, std::uint64_t, std::uint64_t) {});
  typename E::build_options;
  loaded.check();
};

// A value for every member, none for a non-member but at the rate `expected_fpr`.
template <class M>
concept checked_map = requires(const M& map, digest d) {
  { map.find(d) }
  noexcept->std::same_as<std::optional<std::uint64_t>>;
  { map.value(d) }
  noexcept->std::same_as<std::uint64_t>;  // unchecked: arbitrary for a non-member
  { map.keys() } -> std::same_as<std::uint64_t>;
  { map.value_bits() } -> std::same_as<unsigned>;
  { map.expected_fpr() } -> std::same_as<double>;
};

// The verb is `contains`: it has no "may".
template <class S>
concept exact_set = requires(const S& set, digest d) {
  { set.contains(d) }
  noexcept->std::same_as<bool>;
};

}  // namespace umbel::core
