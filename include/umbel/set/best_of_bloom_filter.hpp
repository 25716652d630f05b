// best_of_bloom_filter.hpp - best-of-N Bloom filter [JCR07]: of N Bloom filters of the same keys
// under N hash functions, the one with the fewest ones. Static.
//
// The number of ones varies with the hash function by about sqrt(m)/4, and the false positive rate
// is a power of it. So the best of a few attempts pays where sqrt(m) is not small compared with m.
//
// Layout     A Bloom filter whose index has the number of the best attempt, 1 to N, as its salt.
// Invariant  No false negatives. Equal sets give equal bits, whatever the number of threads.
// Limits     Static; a build inserts every key N times. Only for small filters: 16 attempts lower
//            the rate by a fifth at 800 bits, by 6 % at 8000 and by 2 % at 10^5. No merge: two
//            filters have different hash functions.
// Threads    Immutable: any number of readers. A build shares the attempts among its threads.
// Source     [JCR07], [TRL12] sec. IV-F. Differs in that no generator is seeded by the key:
//            core::k_probes under N salts derives N independent sequences from one digest, with one
//            multiplication each.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <optional>
#include <string_view>
#include <type_traits>

#include <umbel/base/config.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/core/keyed.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/core/spooled.hpp>
#include <umbel/core/traits.hpp>
#include <umbel/engine/probe/k_probes.hpp>
#include <umbel/engine/probe/probes.hpp>
#include <umbel/sizing/selection.hpp>

namespace umbel {

// Options of best_of_bloom_filter.
struct best_of_options {
  std::optional<std::uint64_t> keys{};  // keys, for plan(); a build counts them itself
  std::optional<double> fpr{};          // false positive rate; give this or bits, or neither: 1/256
  std::optional<std::uint64_t> bits{};  // size of the filter in bits
  unsigned probes = 0;                  // bits set per key; 0: the best number
  unsigned tries = 16;                  // number of hash functions that are tried, 1 to 65536
  hasher hash{};                        // hash function, and its seed or secret key
  std::pmr::memory_resource* memory = nullptr;  // for the cells; null: the default resource
  unsigned threads = 1;                         // threads of a build
};

// The filter. Inherited from core/keyed.hpp: may_contain, may_contain_batch.
class best_of_bloom_filter
    : public core::keyed<core::probes<core::k_probes, cells::bits>, best_of_bloom_filter> {
 public:
  using options_type = best_of_options;
  static constexpr std::string_view kind = "best-of-bloom-filter";
  static constexpr std::uint32_t format_version = 1;
  static constexpr umbel::traits traits{.of = family::set, .is_static = true};

  best_of_bloom_filter() = default;

  // The filter of these keys with the fewest ones.
  template <core::key_range Keys>
  [[nodiscard]] static best_of_bloom_filter build(const Keys& keys, const options_type& options) {
    return build(core::spool_of(keys, options.hash, options.threads), options);
  }
  // The same from a spool of digests. A template, so that only programs that call it compile the
  // choosing.
  template <class Spool = digest_spool>
  [[nodiscard]] static best_of_bloom_filter build(const std::type_identity_t<Spool>& keys,
                                                  const options_type& options);
  // Size and expected false positive rate of the best attempt. Builds nothing.
  [[nodiscard]] static umbel::plan plan(const options_type& options);

  // The false positive rate at the fill that was reached, whatever was planned.
  [[nodiscard]] double expected_fpr() const noexcept { return std::pow(fill(), probes()); }

  // Deleted: two filters have different hash functions.
  void merge(const best_of_bloom_filter&) = delete;
  void intersect(const best_of_bloom_filter&) = delete;
  void fold() = delete;

  void check() {
    engine_.check();
    engine_.index().require_usual();
  }

 private:
  using keyed::keyed;
  // Private: the hash function was chosen for the keys of the build.
  using keyed::clear;
  using keyed::insert;
  using keyed::insert_batch;
};

}  // namespace umbel

#if UMBEL_WITH_BODIES
#include <umbel/set/best_of_bloom_filter.ipp>
#endif
