// retouched_bloom_filter.hpp - a Bloom filter whose worst false positives can be taken out, for a
// few members. May forget.
// Idea       Non-members that come often and cost much are known after a while. `retouch` clears a
//            bit of each, chosen so that few members need it (engine/probe/retouch.hpp). Who is
//            forgotten is told.
// Layout     As bloom_filter, and how many bits were cleared.
// Invariant  Until bits are cleared it is a bloom_filter, bit for bit. A non-member taken out stays
//            out until keys are inserted again.
// Limits     No union: it would bring back what was cleared.
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

struct retouched_options {
  std::optional<std::uint64_t> keys{};  // of keys, fpr and bits exactly two
  std::optional<double> fpr{};          // before anything is cleared
  std::optional<std::uint64_t> bits{};
  unsigned probes = 0;  // 0: the best number
  hasher hash{};
  std::pmr::memory_resource* memory = nullptr;
  unsigned threads = 1;  // inserts run on the caller's thread: here for uniformity
};

class retouched_bloom_filter
    : public core::keyed<core::probes<core::k_probes, cells::bits>, retouched_bloom_filter> {
  using base = core::keyed<core::probes<core::k_probes, cells::bits>, retouched_bloom_filter>;

 public:
  using options_type = retouched_options;
  static constexpr std::string_view kind = "retouched-bloom-filter";
  static constexpr std::uint32_t format_version = 1;
  static constexpr umbel::traits traits{.of = family::set, .may_forget = true};

  retouched_bloom_filter() = default;
  explicit retouched_bloom_filter(const options_type& options)
      : retouched_bloom_filter(plan(options), options) {}

  template <core::key_range Keys>
  [[nodiscard]] static retouched_bloom_filter build(const Keys& keys, const options_type& options) {
    return core::grown<retouched_bloom_filter>(keys, options);
  }
  [[nodiscard]] static umbel::plan plan(const options_type& options) {
    return bloom_filter::plan(
        {.keys = options.keys, .fpr = options.fpr, .bits = options.bits, .probes = options.probes});
  }

  // The rate at the present fill, of non-members nobody chose.
  [[nodiscard]] double expected_fpr() const noexcept { return std::pow(fill(), probes()); }
  // bits, in all; 0: nothing is forgotten
  [[nodiscard]] std::uint64_t cleared() const noexcept { return cleared_; }

  // Stops every one of the non-members. `members` are the keys in the filter, as far as they are to
  // be spared and counted.
  template <core::key_span Members, core::key_span NonMembers>
  retouch_report retouch(const Members& members, const NonMembers& non_members,
                         const retouch_options& options = {}) {
    auto out = core::retouch(engine_.index(), engine_.cells(), digests_of(members),
                             digests_of(non_members), options);
    cleared_ += out.cleared;
    return out;
  }
  // Clears set bits at random, as many as that: removes non-members and members alike, 1 - (1 -
  // count/ones)^k of each.
  std::uint64_t clear_some(std::uint64_t count, std::uint64_t seed) {
    const std::uint64_t done = core::clear_some(engine_.cells(), count, seed);
    cleared_ += done;
    return done;
  }
  void clear() noexcept {
    base::clear();
    cleared_ = 0;
  }

  // A bit cleared in one filter would come back from the other.
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
