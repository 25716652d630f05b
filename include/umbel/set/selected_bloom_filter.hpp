// selected_bloom_filter.hpp - Bloom filter with partitioned hashing [HKL07]: each small group of
// keys uses the hash function that sets the fewest new bits. Static.
//
// A group of keys may use any of C hash functions, the candidates. The build takes the one under
// which most of the group's bits are already set, since fewer ones give a lower rate. A table
// stores the choice per group: 5 bits for every 4 keys by default.
//
// Layout     m bits, and a packed table of choices. A query reads its group's choice, then probes
//            as in a Bloom filter.
// Invariant  No false negatives. Equal sets give equal bits: the largest groups choose first,
//            groups of equal size in the order of their numbers, and of equal candidates the lowest
//            number is chosen.
// Limits     Static. A build tries C candidates for every key, on one thread. It takes 32 bytes per
//            key besides the spool, and with refinements one byte more per bit of the filter. No
//            insert and no merge: the choices suit the keys of the build only.
// Threads    Immutable: any number of readers.
// Source     [HKL07], [TRL12] sec. II-C; differs in the order and in ties, and in that candidates
//            are salts of one digest.
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
#include <umbel/engine/probe/probes.hpp>
#include <umbel/engine/probe/selected_probes.hpp>
#include <umbel/sizing/selection.hpp>

namespace umbel {

// Options of selected_bloom_filter.
struct selected_options {
  std::optional<std::uint64_t> keys{};  // keys, for plan(); a build counts them itself
  std::optional<double> fpr{};          // false positive rate; give this or bits, or neither: 1/256
  std::optional<std::uint64_t> bits{};  // size in bits, the table of choices included
  std::uint64_t groups = 0;             // number of groups; 0: one for every 4 keys
  // hash functions per group: a power of two from 2 to 256, so that no table bits are wasted
  unsigned candidates = 32;
  unsigned probes = 0;  // bits set per key; 0: the best number
  // maximum number of further passes in which groups choose again; each takes as long as the build
  unsigned refinements = 0;
  hasher hash{};                                // hash function, and its seed or secret key
  std::pmr::memory_resource* memory = nullptr;  // for the cells; null: the default resource
  unsigned threads = 1;                         // threads of a build
};

// The filter. Inherited from core/keyed.hpp: may_contain, may_contain_batch.
class selected_bloom_filter : public core::keyed<core::probes<core::selected_probes, cells::bits>> {
 public:
  using options_type = selected_options;
  static constexpr std::string_view kind = "selected-bloom-filter";
  static constexpr std::uint32_t format_version = 1;
  static constexpr umbel::traits traits{.of = family::set, .is_static = true};

  selected_bloom_filter() = default;

  // The filter of these keys; duplicate keys count once.
  template <core::key_range Keys>
  [[nodiscard]] static selected_bloom_filter build(const Keys& keys, const options_type& options) {
    return build(core::spool_of(keys, options.hash, options.threads), options);
  }
  // The same from a spool of digests. A template, so that only programs that call it compile the
  // choosing.
  template <class Spool = digest_spool>
  [[nodiscard]] static selected_bloom_filter build(const std::type_identity_t<Spool>& keys,
                                                   const options_type& options);
  // Size, probes and predicted false positive rate of a filter with these options. Builds nothing.
  [[nodiscard]] static umbel::plan plan(const options_type& options);

  // The false positive rate at the fill that was reached, whatever was planned.
  [[nodiscard]] double expected_fpr() const noexcept { return std::pow(fill(), probes()); }
  // number of groups
  [[nodiscard]] std::uint64_t groups() const noexcept { return engine_.index().groups(); }
  // Size of the bits and of the table of choices.
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept {
    return engine_.cells().size() + engine_.index().choices().storage().size() * 64;
  }

  static void describe(auto& self, auto& part) {
    part.hash(self.hash_);
    part.fields("index", self.engine_.index());
    part.array("choices", self.engine_.index().choices().storage());
    part.array("cells", self.engine_.cells().storage());
  }

 private:
  using keyed::keyed;
  // Private: the hash functions were chosen for the keys of the build.
  using keyed::clear;
  using keyed::insert;
  using keyed::insert_batch;
};

}  // namespace umbel

#if UMBEL_WITH_BODIES
#include <umbel/set/selected_bloom_filter.ipp>
#endif
