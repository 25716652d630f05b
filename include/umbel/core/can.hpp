// can.hpp - what an engine may offer. Each concept is one verb on a digest; core/keyed.hpp makes a
// verb on keys of it.
//
// An engine is a structure that knows digests only. It offers a verb by a member of that name, for
// one digest and for a batch:
//
//     bool may_contain(digest) const noexcept;
//     void may_contain(std::size_t total, DigestAt& digest_at, bool* out) const noexcept;
//
// digest_at(i) is the digest of key i, asked for once or more, in any order inside a batch. A class
// with the single form alone does not have the verb: a loop over keys would be no batch. `count`
// has no batch.
//
// Two more, for batches in the cache, where there is nothing to wait for:
//
//     std::size_t batch_from() const noexcept;        size in bytes from which on its batch is
//                                                     faster than a loop of single queries
//     bool may_contain_near(digest) const noexcept;   may_contain, as such a loop asks it
//
// Laws: test/laws, over every kind whose traits claim the verb; test/core/can_test.cpp.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <umbel/core/occupancy.hpp>
#include <umbel/hash/digest.hpp>

namespace umbel::core {

// What became of an erase. `refused`: the key is still in, because taking it out could have made
// another one forgotten.
enum class erasure { absent, done, refused };

// Stands for any digest_at.
struct each_digest {
  [[nodiscard]] digest operator()(std::size_t) const noexcept;
};

namespace can {
// clang-format off: version 14 breaks `noexcept -> type` apart.

// Approximate: false is certain. Exact sets have `contain` instead, which has no "may".
template <class E>
concept may_contain = requires(const E& engine, digest d, std::size_t total, each_digest& digest_at,
                               bool* out) {
  { engine.may_contain(d) }
  noexcept->std::same_as<bool>;
  { engine.may_contain(total, digest_at, out) }
  noexcept->std::same_as<void>;
};
template <class E>
concept contain = requires(const E& engine, digest d, std::size_t total, each_digest& digest_at,
                           bool* out) {
  { engine.contains(d) }
  noexcept->std::same_as<bool>;
  { engine.contains(total, digest_at, out) }
  noexcept->std::same_as<void>;
};
// For engines with room for every key: whether anything changed.
template <class E>
concept insert = requires(E& engine, digest d, std::size_t total, each_digest& digest_at) {
  { engine.insert(d) } -> std::same_as<bool>;
  engine.insert(total, digest_at);
};
// For engines that can be full: the same, or nothing and no change if there is no room. The batch
// returns how many keys were taken: those before the first without room. occupied() is for the
// message that says so.
template <class E>
concept try_insert = requires(E& engine, digest d, std::size_t total, each_digest& digest_at) {
  { engine.try_insert(d) }
  noexcept->std::same_as<std::optional<bool>>;
  { engine.try_insert(total, digest_at) }
  noexcept->std::same_as<std::size_t>;
  { engine.occupied() }
  noexcept->std::same_as<occupancy>;
};
// The batch returns how many copies were taken out.
template <class E>
concept erase = requires(E& engine, digest d, std::size_t total, each_digest& digest_at) {
  { engine.erase(d) } -> std::same_as<erasure>;
  { engine.erase(total, digest_at) } -> std::same_as<std::size_t>;
};
template <class E>
concept count = requires(const E& engine, digest d) {
  { engine.count(d) }
  noexcept->std::same_as<std::uint64_t>;
};
template <class E>
concept find = requires(const E& engine, digest d, std::size_t total, each_digest& digest_at,
                        std::optional<std::uint64_t>* out) {
  { engine.find(d) }
  noexcept->std::same_as<std::optional<std::uint64_t>>;
  { engine.find(total, digest_at, out) }
  noexcept->std::same_as<void>;
};
// Unchecked: exact for members, arbitrary for others.
template <class E>
concept value = requires(const E& engine, digest d, std::size_t total, each_digest& digest_at,
                         std::uint64_t* out) {
  { engine.value(d) }
  noexcept->std::same_as<std::uint64_t>;
  { engine.value(total, digest_at, out) }
  noexcept->std::same_as<void>;
};
template <class E>
concept index = requires(const E& engine, digest d, std::size_t total, each_digest& digest_at,
                         std::uint64_t* out) {
  { engine.index(d) }
  noexcept->std::same_as<std::uint64_t>;
  { engine.index(total, digest_at, out) }
  noexcept->std::same_as<void>;
};

// Whole-structure verbs. keyed compares hashes before it joins two engines; the engine compares
// shapes.
template <class E>
concept merge = requires(E& engine, const E& other) {
  engine.merge(other);
};
template <class E>
concept intersect = requires(E& engine, const E& other) {
  engine.intersect(other);
};
template <class E>
concept fold = requires(E& engine) {
  engine.fold();
};
template <class E>
concept clear = requires(E& engine) {
  engine.clear();
};

// clang-format on
}  // namespace can

// What an engine says of batches in the cache, or what holds for one that says nothing.
template <class E>
[[nodiscard, gnu::always_inline]] inline std::size_t batch_from(
    [[maybe_unused]] const E& engine) noexcept {
  if constexpr (requires { engine.batch_from(); })
    return engine.batch_from();
  else
    return 0;
}
template <class E>
[[nodiscard, gnu::always_inline]] inline bool may_contain_near(const E& engine, digest d) noexcept {
  if constexpr (requires { engine.may_contain_near(d); })
    return engine.may_contain_near(d);
  else
    return engine.may_contain(d);
}

}  // namespace umbel::core
