// keyed.hpp - a structure as users meet it: a hasher before an engine that knows digests only.
//
// One class gives every structure its verbs, for keys of any type, single and in batches. Which
// verbs it has follows from what its engine can do (core/can.hpp). A structure derives from
// keyed<engine> to have a name, options, a plan and traits of its own; it writes no line for keys,
// batches or hashing.
//
// Batches    The hash of one key overlaps with the wait for the cells of another. In the cache
//            there is nothing to wait for: an engine may say from how many bytes on its batch is
//            faster than a loop of single queries (`batch_from`, measured), and below, the loop
//            runs.
// Threads    As the engine.
#pragma once

#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include <umbel/base/error.hpp>
#include <umbel/core/can.hpp>
#include <umbel/core/estimate.hpp>
#include <umbel/core/keys.hpp>
#include <umbel/core/occupancy.hpp>
#include <umbel/hash/hasher.hpp>

namespace umbel::core {

// `Kind` tells kinds apart that stand on one engine: they have nothing to merge or compare. Where
// there may be no room, it also names the kind in the message (Kind::kind).
template <class Engine, class Kind = void>
class keyed {
 public:
  using engine_type = Engine;

  keyed() = default;
  keyed(const hasher& hash, Engine engine) : hash_(hash), engine_(std::move(engine)) {}

  [[nodiscard]] const hasher& hash() const noexcept { return hash_; }
  [[nodiscard]] const Engine& engine() const noexcept { return engine_; }

  // ---- queries ----

  // False: certainly never given. True: given, or a false positive.
  template <key K>
  requires can::may_contain<Engine>
  [[nodiscard, gnu::always_inline]] bool may_contain(const K& k) const noexcept {
    return hash_.with_digest(k, [this](digest d) noexcept { return engine_.may_contain(d); });
  }
  // answers[i] for keys[i]; the fast way. `answers` is at least as long as `keys`.
  template <key_span Keys>
  requires can::may_contain<Engine>
  void may_contain_batch(const Keys& keys, std::span<bool> answers) const noexcept {
    assert(answers.size() >= std::size(keys));
    answer_batch(keys, answers, [this](auto... d) noexcept {
      if constexpr (sizeof...(d) == 1)
        return may_contain_near(engine_, d...);
      else
        return engine_.may_contain(d...);
    });
  }

  // True just for members, as long as the key is one of the universe.
  template <key K>
  requires can::contain<Engine>
  [[nodiscard]] bool contains(const K& k) const noexcept {
    return hash_.with_digest(k, [this](digest d) noexcept { return engine_.contains(d); });
  }
  template <key_span Keys>
  requires can::contain<Engine>
  void contains_batch(const Keys& keys, std::span<bool> answers) const noexcept {
    assert(answers.size() >= std::size(keys));
    answer_batch(keys, answers, [this](auto... d) noexcept { return engine_.contains(d...); });
  }

  // How often the key was given: never less, unless the structure says so.
  template <key K>
  requires can::count<Engine>
  [[nodiscard]] std::uint64_t count(const K& k) const noexcept {
    return hash_.with_digest(k, [this](digest d) noexcept { return engine_.count(d); });
  }

  // The value given with the key; for a non-member nothing, or some value at the rate
  // expected_fpr().
  template <key K>
  requires can::find<Engine>
  [[nodiscard]] std::optional<std::uint64_t> find(const K& k) const noexcept {
    return hash_.with_digest(k, [this](digest d) noexcept { return engine_.find(d); });
  }
  template <key_span Keys>
  requires can::find<Engine>
  void find_batch(const Keys& keys,
                  std::span<std::optional<std::uint64_t>> answers) const noexcept {
    assert(answers.size() >= std::size(keys));
    answer_batch(keys, answers, [this](auto... d) noexcept { return engine_.find(d...); });
  }
  // No check: exact for members, arbitrary for others.
  template <key K>
  requires can::value<Engine>
  [[nodiscard]] std::uint64_t value(const K& k) const noexcept {
    return hash_.with_digest(k, [this](digest d) noexcept { return engine_.value(d); });
  }
  template <key_span Keys>
  requires can::value<Engine>
  void value_batch(const Keys& keys, std::span<std::uint64_t> answers) const noexcept {
    assert(answers.size() >= std::size(keys));
    answer_batch(keys, answers, [this](auto... d) noexcept { return engine_.value(d...); });
  }

  // Below keys(); no two keys given have the same. A non-member gets that of some key; 0 if none
  // was given.
  template <key K>
  requires can::index<Engine>
  [[nodiscard]] std::uint64_t index(const K& k) const noexcept {
    return hash_.with_digest(k, [this](digest d) noexcept { return engine_.index(d); });
  }
  template <key_span Keys>
  requires can::index<Engine>
  void index_batch(const Keys& keys, std::span<std::uint64_t> indices) const noexcept {
    assert(indices.size() >= std::size(keys));
    answer_batch(keys, indices, [this](auto... d) noexcept { return engine_.index(d...); });
  }

  // ---- changes ----

  // True if anything changed: then the key was certainly new, unless the structure may keep a key
  // more than once. Where there may be no room, throws `full` then, with nothing changed.
  template <key K>
  requires can::insert<Engine>
  bool insert(const K& k) {
    return hash_.with_digest(k, [this](digest d) { return engine_.insert(d); });
  }
  template <key K>
  requires can::try_insert<Engine>
  bool insert(const K& k) {
    const std::optional<bool> changed = try_insert(k);
    if (!changed) throw no_room(Kind::kind, engine_.occupied());
    return *changed;
  }
  // The same, but nothing if there is no room.
  template <key K>
  requires can::try_insert<Engine>
  [[nodiscard]] std::optional<bool> try_insert(const K& k) noexcept {
    return hash_.with_digest(k, [this](digest d) noexcept { return engine_.try_insert(d); });
  }
  // How many keys were taken: all of them, or those before the first for which there was no room.
  template <key_span Keys>
  requires can::insert<Engine> std::size_t insert_batch(const Keys& keys) {
    hash_.with_digests(as_span(keys), [this](std::size_t, std::size_t count, auto digest_at) {
      engine_.insert(count, digest_at);
    });
    return std::size(keys);
  }
  template <key_span Keys>
  requires can::try_insert<Engine>
  [[nodiscard]] std::size_t insert_batch(const Keys& keys) {
    std::size_t taken = 0;
    hash_.with_digests(as_span(keys), [&](std::size_t first, std::size_t count, auto digest_at) {
      if (taken == first) taken += engine_.try_insert(count, digest_at);  // else it was full before
    });
    return taken;
  }

  // Only a key that is in may be erased, as often as it was inserted. No filter can check that: it
  // refuses a key that it knows to be absent, but a non-member it takes for a member takes another
  // key's traces with it. True: one copy of the key was taken out.
  template <key K>
  requires can::erase<Engine>
  bool erase(const K& k) { return try_erase(k) == erasure::done; }
  template <key K>
  requires can::erase<Engine> erasure try_erase(const K& k) {
    return hash_.with_digest(k, [this](digest d) { return engine_.erase(d); });
  }
  // How many copies were taken out.
  template <key_span Keys>
  requires can::erase<Engine> std::size_t erase_batch(const Keys& keys) {
    std::size_t done = 0;
    hash_.with_digests(as_span(keys), [&](std::size_t, std::size_t count, auto digest_at) {
      done += engine_.erase(count, digest_at);
    });
    return done;
  }

  void clear() requires can::clear<Engine> { engine_.clear(); }
  // The union; both must have the same hash and shape, or `incompatible` is thrown.
  void merge(const keyed& other) requires can::merge<Engine> {
    require_same_hash(other);
    engine_.merge(other.engine_);
  }
  // Accepts every common key; may accept more than the filter of the common keys would.
  void intersect(const keyed& other) requires can::intersect<Engine> {
    require_same_hash(other);
    engine_.intersect(other.engine_);
  }
  // Half the size, as if built that small.
  void fold() requires can::fold<Engine> { engine_.fold(); }

  // ---- what it takes and promises ----

  [[nodiscard]] std::uint64_t size_in_bits() const noexcept { return engine_.size_in_bits(); }
  // The rate of false positives as the structure stands, whatever was planned.
  [[nodiscard]] double expected_fpr() const noexcept requires requires(const Engine& e) {
    e.expected_fpr();
  }
  { return engine_.expected_fpr(); }
  [[nodiscard]] std::uint64_t keys() const noexcept requires requires(const Engine& e) { e.keys(); }
  { return engine_.keys(); }
  [[nodiscard]] unsigned value_bits() const noexcept requires requires(const Engine& e) {
    e.value_bits();
  }
  { return engine_.value_bits(); }
  // Cells that a query for a member looks at.
  [[nodiscard]] unsigned probes() const noexcept requires requires(const Engine& e) {
    e.index().probes();
  }
  { return engine_.index().probes(); }
  // The share of cells that are set.
  [[nodiscard]] double fill() const noexcept requires requires(const Engine& e) { e.fill(); }
  { return engine_.fill(); }
  // Distinct keys inserted so far.
  [[nodiscard]] estimate cardinality() const noexcept requires requires(const Engine& e) {
    e.cardinality();
  }
  { return engine_.cardinality(); }
  // How the two sets overlap.
  [[nodiscard]] overlap overlap_with(const keyed& other) const requires requires(const Engine& e) {
    e.overlap_with(e);
  }
  {
    require_same_hash(other);
    return engine_.overlap_with(other.engine_);
  }

  friend bool operator==(const keyed&, const keyed&) = default;

  // ---- files (codec/) ----

  // Of a structure derived from this: it may have made the parts private.
  template <class Self>
  static void describe(Self& derived, auto& part) {
    std::conditional_t<std::is_const_v<Self>, const keyed, keyed>& self = derived;
    part.hash(self.hash_);
    Engine::describe(self.engine_, part);
  }
  void check() { engine_.check(); }

 protected:
  void require_same_hash(const keyed& other) const {
    if (hash_ != other.hash_)
      throw incompatible("these were built with different hashes, seeds or keys");
  }

  hasher hash_;
  Engine engine_;

 private:
  // `ask` takes one digest and returns the answer, or takes a batch as the engine does.
  template <key_span Keys, class Answers, class Ask>
  [[gnu::always_inline]] void answer_batch(const Keys& keys, Answers answers,
                                           Ask ask) const noexcept {
    const bool loop = engine_.size_in_bits() / 8 < batch_from(engine_);
    hash_.with_digests(as_span(keys),
                       [&](std::size_t first, std::size_t count, auto digest_at) noexcept {
      auto* const out = answers.data() + first;
      if (!loop) return ask(count, digest_at, out);
      for (std::size_t i = 0; i < count; ++i) {
        if constexpr (std::is_same_v<decltype(out), bool* const>) {
          // Told apart for the compiler: a query that ends in a store of its answer would carry it
          // from probe to probe, for a tenth of the time of a hit.
          if (ask(digest_at(i))) {
            out[i] = true;
            asm("");
          } else {
            out[i] = false;
            asm("");
          }
        } else {
          out[i] = ask(digest_at(i));
        }
      }
    });
  }
};

}  // namespace umbel::core
