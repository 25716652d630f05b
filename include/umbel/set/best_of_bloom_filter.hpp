// best_of_bloom_filter.hpp - static set: of N Bloom filters under N hashes, the one with the fewest
// ones.
// Idea       The number of ones varies with the hash by about sqrt(m)/4; the rate is a power of it,
//            so the luckiest of a few draws is worth having where sqrt(m) is not small beside m.
// Layout     A Bloom filter whose index has the winner's number, from 1 to N, for a salt.
// Invariant  Every key given is found. Equal sets give equal bits, whatever the number of threads.
// Limits     Static; N inserts for every key. For small filters only: 16 tries lower the rate by a
//            fifth at 800 bits, by 6 % at 8000 and by 2 % at 10^5. No union: two winners have
//            different hashes.
// Threads    Immutable: any number of readers. Tries are shared among the threads asked for.
// Source     [JCR07], [TRL12] sec. IV-F; differs in that no generator is seeded by the key:
//            core::k_probes under N salts takes N independent walks from one digest by one
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

struct best_of_options {
  std::optional<std::uint64_t> keys{};  // for plans; a build counts them itself
  std::optional<double> fpr{};          // this or bits; 1/256 if neither
  std::optional<std::uint64_t> bits{};
  unsigned probes = 0;  // 0: the best number
  unsigned tries = 16;  // 1 to 65536
  hasher hash{};
  std::pmr::memory_resource* memory = nullptr;
  unsigned threads = 1;
};

class best_of_bloom_filter
    : public core::keyed<core::probes<core::k_probes, cells::bits>, best_of_bloom_filter> {
 public:
  using options_type = best_of_options;
  static constexpr std::string_view kind = "best-of-bloom-filter";
  static constexpr std::uint32_t format_version = 1;
  static constexpr umbel::traits traits{.of = family::set, .is_static = true};

  best_of_bloom_filter() = default;

  template <core::key_range Keys>
  [[nodiscard]] static best_of_bloom_filter build(const Keys& keys, const options_type& options) {
    return build(core::spool_of(keys, options.hash, options.threads), options);
  }
  // a template, so that only programs that build compile the choosing
  template <class Spool = digest_spool>
  [[nodiscard]] static best_of_bloom_filter build(const std::type_identity_t<Spool>& keys,
                                                  const options_type& options);
  [[nodiscard]] static umbel::plan plan(const options_type& options);

  // The rate at the fill that was reached, whatever was planned.
  [[nodiscard]] double expected_fpr() const noexcept { return std::pow(fill(), probes()); }

  // Each filter has a hash of its own.
  void merge(const best_of_bloom_filter&) = delete;
  void intersect(const best_of_bloom_filter&) = delete;
  void fold() = delete;

  void check() {
    engine_.check();
    engine_.index().require_usual();
  }

 private:
  using keyed::keyed;
  // Built at once: its hash was chosen for these keys.
  using keyed::clear;
  using keyed::insert;
  using keyed::insert_batch;
};

}  // namespace umbel

#if UMBEL_WITH_BODIES
#include <umbel/set/best_of_bloom_filter.ipp>
#endif
