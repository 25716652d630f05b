// deletable_bloom_filter.hpp - a Bloom filter from which some keys can be taken out again, for a sixteenth more bits.
// Idea       Bits are divided into regions, and a flag for each says whether two keys ever met there. Outside of such regions
//            a bit belongs to one key alone and is cleared with it; a key is gone once any of its bits is.
// Layout     The bits of a Bloom filter, and one flag for each region of neighbouring bits.
// Invariant  In a region without its flag every set bit has exactly one owner: no erase of a key that is in makes another one
//            forgotten. Flags never go back.
// Limits     An erase is refused where all bits of a key lie in flagged regions; sizing/deletable.hpp says how often that is: at
//            its planned fill and 1 % three times in four, with half the keys in one time in sixteen, with a quarter one in
//            3000. A key that is inserted twice can not be taken out. Erasing a stranger that is taken for a member takes bits
//            of members with it.
// Threads    Many readers or one writer.
// Source     [RMVM10], [TRL12] sec. III-D.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <string_view>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/cells/flagged_bits.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/core/face.hpp>
#include <umbel/engine/probe/fit_bits.hpp>
#include <umbel/core/ordered_build.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/engine/probe/probes.hpp>
#include <umbel/core/traits.hpp>
#include <umbel/hash/hasher.hpp>
#include <umbel/engine/probe/k_probes.hpp>
#include <umbel/sizing/bloom.hpp>
#include <umbel/sizing/deletable.hpp>

namespace umbel {

struct deletable_options {
  std::optional<std::uint64_t> keys{};  // of keys, fpr and bits exactly two
  std::optional<double> fpr{};
  std::optional<std::uint64_t> bits{};  // flags included
  unsigned probes = 0;                  // 0: the best number
  std::uint64_t regions = 0;            // 0: a sixteenth of the bits. More regions: more keys can be taken out
  hasher hash{};
  std::pmr::memory_resource* memory = nullptr;
  unsigned threads = 1;  // for sorting in a build
};

// `Index` names a key's bits: core::k_probes, or core::slice_probes for a partitioned filter.
template <class Index>
class basic_deletable_bloom_filter : public core::set_queries<basic_deletable_bloom_filter<Index>>,
                                     public core::set_inserts<basic_deletable_bloom_filter<Index>>,
                                     public core::set_erases<basic_deletable_bloom_filter<Index>>,
                                     public core::ordered_build<basic_deletable_bloom_filter<Index>> {
 public:
  using options = deletable_options;
  static constexpr std::string_view kind = "deletable-bloom-filter";
  static constexpr std::uint32_t format_version = 1;
  static constexpr traits what{.of = family::set, .erases = true};

  basic_deletable_bloom_filter() : basic_deletable_bloom_filter(fit{Index(2, 1, salt), 0, 1}, {}) {}
  explicit basic_deletable_bloom_filter(const options& wish) : basic_deletable_bloom_filter(fitted(wish), wish) {}

  [[nodiscard]] static umbel::plan plan(const options& wish) {
    const fit made = fitted(wish);
    return {.keys = made.keys,
            .cells = made.at.cells(),
            .probes = made.at.probes(),
            .bits = made.at.cells() + made.regions,
            .fpr = made.at.rate(made.keys)};
  }

  using core::ordered_build<basic_deletable_bloom_filter>::build;

  void clear() noexcept { engine_.cells().clear(); }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept { return engine_.cells().size() + regions(); }
  [[nodiscard]] unsigned probes() const noexcept { return engine_.index().probes(); }
  [[nodiscard]] std::uint64_t regions() const noexcept { return engine_.cells().regions(); }
  [[nodiscard]] double fill() const noexcept {
    return static_cast<double>(engine_.cells().plain().storage().ones()) / static_cast<double>(engine_.cells().size());
  }
  // Share of regions in which two keys met.
  [[nodiscard]] double flagged() const noexcept {
    return static_cast<double>(engine_.cells().flags().storage().ones()) / static_cast<double>(regions());
  }
  // The rate at the present fill.
  [[nodiscard]] double expected_fpr() const noexcept { return std::pow(fill(), probes()); }

  // Whether an erase would take the key out; false for what is absent.
  template <key K>
  [[nodiscard]] bool erasable(const K& k) const noexcept {
    const digest d = hash_(k);
    return engine_.may_contain(d) &&
           !core::all_of(engine_.index(), d, [&](std::uint64_t i) { return !engine_.cells().free(i); });
  }

  [[nodiscard]] const hasher& hash() const noexcept { return hash_; }
  friend bool operator==(const basic_deletable_bloom_filter& a, const basic_deletable_bloom_filter& b) noexcept {
    return a.hash_ == b.hash_ && a.engine_.index() == b.engine_.index() && a.engine_.cells() == b.engine_.cells();
  }

  static void describe(auto& self, auto& part) {
    part.hash(self.hash_);
    part.fields("index", self.engine_.index());
    cells::flagged_bits::describe(self.engine_.cells(), part);
  }
  void check() {
    engine_.check();
    if constexpr (requires { engine_.index().require_usual(); }) engine_.index().require_usual();
    if (engine_.index().salt() != salt)
      throw bad_parameter(detail::text("salt: expected ", salt, ", found ", engine_.index().salt()));
  }

 private:
  friend core::set_queries<basic_deletable_bloom_filter>;
  friend core::set_inserts<basic_deletable_bloom_filter>;
  friend core::set_erases<basic_deletable_bloom_filter>;

  static constexpr std::uint64_t salt = 0x10000;  // past those of cascades

  struct fit {
    Index at;
    std::uint64_t keys, regions;
  };
  [[nodiscard]] static fit fitted(const options& wish) {
    core::budget proper{wish.keys, wish.fpr, wish.bits};
    core::check(proper);
    std::uint64_t regions = wish.regions;
    if (wish.bits) {
      if (regions == 0) regions = *wish.bits / 16;
      if (regions >= *wish.bits)
        throw bad_parameter(detail::text("regions: expected fewer than the ", *wish.bits, " bits, found ", regions));
      proper.bits = *wish.bits - std::max<std::uint64_t>(regions, 1);
      if (*proper.bits < 2) proper.bits = 2;
    }
    const auto made = core::fit_bits<Index>(proper, wish.probes, {});
    if (regions == 0) regions = std::max<std::uint64_t>(1, made.at.cells() / 15);
    // The index may have left a few bits over.
    if (wish.bits && wish.regions == 0 && *wish.bits > made.at.cells())
      regions = std::clamp<std::uint64_t>(*wish.bits - made.at.cells(), 1, made.at.cells() - 1);
    return {Index(made.at.cells(), made.at.probes(), salt), made.keys, regions};
  }
  basic_deletable_bloom_filter(const fit& made, const options& wish)
      : hash_(wish.hash), engine_(made.at, cells::flagged_bits(made.at.cells(), made.regions, wish.memory)) {}

  [[nodiscard]] bool may_contain_digest(digest d) const noexcept { return engine_.may_contain(d); }
  void may_contain_digests(std::size_t total, auto& digest_at, bool* out) const noexcept {
    engine_.may_contain(total, digest_at, out);
  }
  bool insert_digest(digest d) noexcept { return engine_.insert(d); }
  void insert_digests(std::size_t total, auto& digest_at) noexcept { engine_.insert(total, digest_at); }
  core::erasure erase_digest(digest d) noexcept { return engine_.erase(d); }
  std::size_t erase_digests(std::size_t total, auto& digest_at) noexcept { return engine_.erase(total, digest_at); }

  hasher hash_;
  core::probes<Index, cells::flagged_bits> engine_;
};

using deletable_bloom_filter = basic_deletable_bloom_filter<core::k_probes>;

}  // namespace umbel
