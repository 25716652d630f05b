// retouched_bloom_filter.hpp - Retouched Bloom filter [DBF06]: removes chosen false positives at
// the cost of some false negatives.
//
// Frequent or expensive false positives become known over time. retouch() clears one bit of each,
// chosen so that it affects the fewest members (engine/probe/retouch.hpp), and reports which
// members are lost.
//
// Layout     As bloom_filter, and the number of bits cleared.
// Invariant  Until bits are cleared it is a bloom_filter, bit for bit. A false positive that was
//            removed stays removed until keys are inserted again.
// Limits     No merge: the other filter would restore bits that were cleared.
// Threads    Many readers or one writer.
// Source     [DBF06], [TRL12] sec. III-Q.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <umbel/core/grown.hpp>
#include <umbel/core/keyed.hpp>
#include <umbel/engine/probe/probes.hpp>
#include <umbel/engine/probe/retouch.hpp>
#include <umbel/set/bloom_filter.hpp>

namespace umbel {

// Options of retouched_bloom_filter.
struct retouched_options {
  // Give exactly two of keys, fpr and bits: the third follows. A build counts `keys` itself.
  std::optional<std::uint64_t> keys{};  // distinct keys it is planned for
  // false positive rate once `keys` keys are in, before any bit is cleared
  std::optional<double> fpr{};
  std::optional<std::uint64_t> bits{};          // size of the filter in bits
  unsigned probes = 0;                          // bits set per key; 0: the best number
  hasher hash{};                                // hash function, and its seed or secret key
  std::pmr::memory_resource* memory = nullptr;  // for the cells; null: the default resource
  unsigned threads = 1;                         // no effect: inserts run on the caller's thread
};

// The filter. Inherited from core/keyed.hpp: may_contain, may_contain_batch, insert, insert_batch.
class retouched_bloom_filter
    : public core::keyed<core::probes<core::k_probes, cells::bits>, retouched_bloom_filter> {
  using base = core::keyed<core::probes<core::k_probes, cells::bits>, retouched_bloom_filter>;

 public:
  using options_type = retouched_options;
  static constexpr std::string_view kind = "retouched-bloom-filter";
  static constexpr std::uint32_t format_version = 1;
  static constexpr umbel::traits traits{.of = family::set, .may_forget = true};

  retouched_bloom_filter() = default;
  // An empty filter. Throws bad_parameter if no filter can have these options.
  explicit retouched_bloom_filter(const options_type& options)
      : retouched_bloom_filter(plan(options), options) {}

  // A filter of these keys; no bit is cleared yet.
  template <core::key_range Keys>
  [[nodiscard]] static retouched_bloom_filter build(const Keys& keys, const options_type& options) {
    return core::grown<retouched_bloom_filter>(keys, options);
  }
  // Size, probes and predicted false positive rate of a filter with these options. Builds nothing.
  [[nodiscard]] static umbel::plan plan(const options_type& options) {
    return bloom_filter::plan(
        {.keys = options.keys, .fpr = options.fpr, .bits = options.bits, .probes = options.probes});
  }

  // The false positive rate at the present fill, for non-members that were not given to retouch().
  [[nodiscard]] double expected_fpr() const noexcept { return std::pow(fill(), probes()); }
  // Number of bits cleared so far; 0: no false negatives.
  [[nodiscard]] std::uint64_t cleared() const noexcept { return cleared_; }

  // Clears bits until none of `non_members` passes. `members` are the keys of the filter to be
  // considered when bits are chosen; the report lists those that are lost. retouch_options and
  // retouch_report: engine/probe/retouch.hpp.
  template <core::key_span Members, core::key_span NonMembers>
  retouch_report retouch(const Members& members, const NonMembers& non_members,
                         const retouch_options& options = {}) {
    auto out = core::retouch(engine_.index(), engine_.cells(), digests_of(members),
                             digests_of(non_members), options);
    cleared_ += out.cleared;
    return out;
  }
  // Clears `count` set bits at random, chosen by `seed`; returns how many were cleared. This
  // removes the same share of false positives and of members: 1 - (1 - count/ones)^k.
  std::uint64_t clear_some(std::uint64_t count, std::uint64_t seed) {
    const std::uint64_t done = core::clear_some(engine_.cells(), count, seed);
    cleared_ += done;
    return done;
  }
  // Removes all keys.
  void clear() noexcept {
    base::clear();
    cleared_ = 0;
  }

  // Deleted: a bit cleared in one filter would be restored by the other.
  void merge(const retouched_bloom_filter&) = delete;
  void intersect(const retouched_bloom_filter&) = delete;
  void fold() = delete;

  friend bool operator==(const retouched_bloom_filter&, const retouched_bloom_filter&) = default;
  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("cleared", self.cleared_);
  }
  static void describe(auto& self, auto& part) {
    base::describe(self, part);
    part.fields("retouch", self);
  }
  void check() {
    base::check();
    engine_.index().require_usual();
  }

 private:
  retouched_bloom_filter(const umbel::plan& made, const options_type& options)
      : base(options.hash, engine_type({made.cells, made.probes}, options.memory)) {}
  template <core::key_span Keys>
  [[nodiscard]] std::vector<digest> digests_of(const Keys& keys) const {
    std::vector<digest> out;
    out.reserve(std::size(keys));
    for (const auto& k : keys) out.push_back(hash_(k));
    return out;
  }

  std::uint64_t cleared_ = 0;
};

}  // namespace umbel
