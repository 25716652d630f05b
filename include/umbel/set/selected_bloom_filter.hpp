// selected_bloom_filter.hpp - static Bloom filter: every few keys take the hash that sets the
// fewest new bits.
// Idea       A group of keys may use any of C hashes. The one under which most of its bits are set
//            already costs the least; fewer ones are a lower rate. Which it was is remembered per
//            group: 5 bits for every 4 keys.
// Layout     m bits, and a packed table of choices. A query reads its group's choice, then probes
//            as a Bloom filter does.
// Invariant  Every key given is found. The same set gives the same bits: groups are taken in an
//            order of their own, the largest first, equal ones by number, and of equal candidates
//            the lowest.
// Limits     Static. Every key is tried C times, one group after another on one thread; building
//            takes 32 bytes per key beside the spool, with refinements one more per bit of the
//            filter. No insert and no union: a choice is made once, for the keys there are.
// Threads    Immutable: any number of readers.
// Source     [HKL07], [TRL12] sec. II-C; differs in order and ties, and in candidates being salts
//            of one digest.
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

struct selected_options {
  std::optional<std::uint64_t> keys{};  // for plans; a build counts them itself
  std::optional<double> fpr{};          // this or bits; 1/256 if neither
  std::optional<std::uint64_t> bits{};  // the table of choices included
  std::uint64_t groups = 0;             // 0: one for every 4 keys
  // a power of two from 2 to 256: any other number wastes bits of the table
  unsigned candidates = 32;
  unsigned probes = 0;  // 0: the best number
  // passes that choose again, at most; each takes as long as the build
  unsigned refinements = 0;
  hasher hash{};
  std::pmr::memory_resource* memory = nullptr;
  unsigned threads = 1;
};

class selected_bloom_filter : public core::keyed<core::probes<core::selected_probes, cells::bits>> {
 public:
  using options_type = selected_options;
  static constexpr std::string_view kind = "selected-bloom-filter";
  static constexpr std::uint32_t format_version = 1;
  static constexpr umbel::traits traits{.of = family::set, .is_static = true};

  selected_bloom_filter() = default;

  template <core::key_range Keys>
  [[nodiscard]] static selected_bloom_filter build(const Keys& keys, const options_type& options) {
    return build(core::spool_of(keys, options.hash, options.threads), options);
  }
  // a template, so that only programs that build compile the choosing
  template <class Spool = digest_spool>
  [[nodiscard]] static selected_bloom_filter build(const std::type_identity_t<Spool>& keys,
                                                   const options_type& options);
  [[nodiscard]] static umbel::plan plan(const options_type& options);

  // The rate at the fill that was reached, whatever was planned.
  [[nodiscard]] double expected_fpr() const noexcept { return std::pow(fill(), probes()); }
  [[nodiscard]] std::uint64_t groups() const noexcept { return engine_.index().groups(); }
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
  // Built at once: its hashes were chosen for these keys.
  using keyed::clear;
  using keyed::insert;
  using keyed::insert_batch;
};

}  // namespace umbel

#if UMBEL_WITH_BODIES
#include <umbel/set/selected_bloom_filter.ipp>
#endif
