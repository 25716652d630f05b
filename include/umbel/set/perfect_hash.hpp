// perfect_hash.hpp - numbers the keys of a fixed set: each gets an index below n of its own, in 1.74 to 2.8 bits per key.
// Idea       engine/perfect/perfect.hpp with a hasher in front. The numbers are as good as a table's: arrays of anything can be kept
//            beside it, key by key, without the keys.
// Presets    `fast` builds fastest, 2.76 bits per key; `balanced` 2.38; `compact` 2.07, and builds in twice the time. All
//            answer alike fast. `coded` takes 1.89 and three lines; `smallest` 1.74, and answers in a quarter of a
//            microsecond. `levels` takes 3.5 and two lines, and builds in the least memory. `peeled` (2.4),
//            `solved` (2.25) and `tree` (4.2, which tells half of the strangers) are there to compare with.
// Invariant  index(x) differs for all keys given and is below keys(). It says nothing of whether x was given: a stranger gets
//            some key's index. perfect_filter and indexed_map tell strangers apart.
// Limits     Static. The order of the indices means nothing, but depends on the set of keys alone.
// Threads    Immutable: any number of readers.
// Source     [GK25]; [LRCP17] for levels, [HLPSW24] for codes, [EGV20] for the smallest, [BPZ07] for peeling, [GOV20] for
//            elimination, [AFGP08] for the tree.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

#include <umbel/core/face.hpp>
#include <umbel/engine/perfect/perfect.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/core/spooled.hpp>
#include <umbel/core/traits.hpp>

namespace umbel {

struct perfect_hash_options {
  std::optional<std::uint64_t> keys{};  // for plans; a build counts them itself
  perfect_preset preset = perfect_preset::balanced;
  hasher hash{};
  std::pmr::memory_resource* memory = nullptr;
  unsigned threads = 1;
  std::uint64_t shard_from = sizing::pilot_part_from;  // a seam for tests
};

class perfect_hash : public core::static_set<perfect_hash> {
 public:
  using options = perfect_hash_options;
  static constexpr std::string_view kind = "perfect-hash";
  static constexpr std::uint32_t format_version = 1;
  static constexpr traits what{.of = family::set, .answers = output::index, .is_static = true};

  perfect_hash() = default;

  using core::static_set<perfect_hash>::build;
  template <class Spool = digest_spool>  // a template, so that only programs that build compile the search
  [[nodiscard]] static perfect_hash build(const std::type_identity_t<Spool>& keys, const options& wish) {
    perfect_hash out;
    out.hash_ = wish.hash;
    out.engine_ = core::perfect::build(
        keys, {.preset = wish.preset, .memory = wish.memory, .threads = wish.threads, .part_from = wish.shard_from});
    return out;
  }
  [[nodiscard]] static umbel::plan plan(const options& wish) {
    return core::perfect::plan(wish.keys.value_or(0), wish.preset, wish.shard_from);
  }

  // Below keys(); no two keys given have the same. A stranger gets that of some key; 0 if none was given.
  template <key K>
  [[nodiscard]] std::uint64_t index(const K& k) const noexcept {
    return engine_.index(hash_(k));
  }
  // The same, or nothing if it is known that the key was not given: `levels` know some strangers, and `tree` half of them.
  template <key K>
  [[nodiscard]] std::optional<std::uint64_t> try_index(const K& k) const noexcept {
    return engine_.try_index(hash_(k));
  }
  // indices[i] for keys[i]; the fast way.
  template <core::key_span Keys>
  void index_batch(const Keys& keys, std::span<std::uint64_t> indices) const noexcept {
    assert(indices.size() >= std::size(keys));
    struct nothing {};
    hash_.with_digests(core::as_span(keys), [&](std::size_t first, std::size_t count, auto digest_at) noexcept {
      engine_.indices(
          count, digest_at, [](digest) { return nothing{}; },
          [out = indices.data() + first](std::size_t i, nothing, std::uint64_t index) { out[i] = index; });
    });
  }

  [[nodiscard]] std::uint64_t keys() const noexcept { return engine_.keys(); }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept { return engine_.size_in_bits(); }
  // The share of strangers that get an index: all, if there is any.
  [[nodiscard]] double expected_fpr() const noexcept { return keys() == 0 ? 0 : 1; }
  [[nodiscard]] const hasher& hash() const noexcept { return hash_; }
  [[nodiscard]] const core::perfect& engine() const noexcept { return engine_; }

  friend bool operator==(const perfect_hash& a, const perfect_hash& b) noexcept {
    return a.hash_ == b.hash_ && a.engine_ == b.engine_;
  }
  static void describe(auto& self, auto& part) {
    part.hash(self.hash_);
    core::perfect::describe(self.engine_, part);
  }
  void check() { engine_.check(); }

 private:
  hasher hash_;
  core::perfect engine_;
};

}  // namespace umbel
