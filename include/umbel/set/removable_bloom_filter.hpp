// removable_bloom_filter.hpp - two Bloom filters: of the keys that came, and of those that went.
// Idea       A key is in if the first accepts it and the second does not. So any key can be taken out of a filter that cannot
//            clear a bit, and none of its bits is needed for that.
// Layout     Two equal Bloom filters under different salts.
// Invariant  A key that was erased is out for good. A key that is in and was never erased is forgotten only if the second filter
//            takes it for one that was.
// Limits     Forgets: at the rate of the second filter, which is the one asked for once as many keys went as were planned. A
//            key that went cannot come back: its insert is refused. The rate of false positives falls with what went.
// Threads    Many readers or one writer.
// Source     [TRL12] sec. II-B.
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
#include <umbel/cells/bits.hpp>
#include <umbel/engine/compose/any_of.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/core/face.hpp>
#include <umbel/engine/probe/fit_bits.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/engine/probe/probes.hpp>
#include <umbel/core/traits.hpp>
#include <umbel/hash/hasher.hpp>
#include <umbel/engine/probe/k_probes.hpp>

namespace umbel {

struct removable_options {
  std::optional<std::uint64_t> keys{};  // that come, and that go. Of keys, fpr and bits exactly two
  std::optional<double> fpr{};          // of false positives, and of keys that are forgotten
  std::optional<std::uint64_t> bits{};  // of both filters
  unsigned probes = 0;                  // 0: the best number
  hasher hash{};
  std::pmr::memory_resource* memory = nullptr;
  unsigned threads = 1;  // inserts run on the caller's thread: here for uniformity
};

class removable_bloom_filter : public core::set_queries<removable_bloom_filter>,
                               public core::set_inserts<removable_bloom_filter>,
                               public core::set_erases<removable_bloom_filter> {
 public:
  using options = removable_options;
  static constexpr std::string_view kind = "removable-bloom-filter";
  static constexpr std::uint32_t format_version = 1;
  static constexpr traits what{.of = family::set, .erases = true, .may_forget = true};

  removable_bloom_filter() : removable_bloom_filter({core::k_probes(), 0}, {}) {}
  explicit removable_bloom_filter(const options& wish) : removable_bloom_filter(fitted(wish), wish) {}

  // With all keys in and none gone.
  [[nodiscard]] static umbel::plan plan(const options& wish) {
    const auto made = fitted(wish);
    return {.keys = made.keys,
            .cells = made.at.cells(),
            .probes = made.at.probes(),
            .bits = 2 * made.at.cells(),
            .fpr = made.at.rate(made.keys)};
  }

  void clear() noexcept {
    came_.cells().storage().clear();
    went_.cells().storage().clear();
  }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept { return came_.cells().size() + went_.cells().size(); }
  [[nodiscard]] unsigned probes() const noexcept { return came_.index().probes(); }
  // Both at the present fill.
  [[nodiscard]] double expected_fpr() const noexcept { return accepts(came_) * (1 - forgotten()); }
  // Share of the keys that are in which seem to have gone.
  [[nodiscard]] double forgotten() const noexcept { return accepts(went_); }

  [[nodiscard]] const hasher& hash() const noexcept { return hash_; }
  friend bool operator==(const removable_bloom_filter& a, const removable_bloom_filter& b) noexcept {
    return a.hash_ == b.hash_ && a.came_.index() == b.came_.index() && a.came_.cells() == b.came_.cells() &&
           a.went_.cells() == b.went_.cells();
  }

  static void describe(auto& self, auto& part) {
    part.hash(self.hash_);
    part.fields("index", self.came_.index());
    part.array("came", self.came_.cells().storage());
    part.array("went", self.went_.cells().storage());
  }
  void check() {
    came_.check();
    came_.index().require_usual();
    if (came_.index().salt() != salt)
      throw bad_parameter(detail::text("salt: expected ", salt, ", found ", came_.index().salt()));
    went_.index() = core::k_probes(came_.index().cells(), probes(), salt + 1, came_.index().how());
    went_.check();
  }

 private:
  friend core::set_queries<removable_bloom_filter>;
  friend core::set_inserts<removable_bloom_filter>;
  friend core::set_erases<removable_bloom_filter>;
  using engine = core::probes<core::k_probes, cells::bits>;

  static constexpr std::uint64_t salt = 0x30000;  // of the keys that came; the next one of those that went

  [[nodiscard]] static core::bit_fit<core::k_probes> fitted(const options& wish) {
    core::budget half{wish.keys, wish.fpr, wish.bits};
    core::check(half);
    if (wish.bits) half.bits = std::max<std::uint64_t>(1, *wish.bits / 2);
    return core::fit_bits<core::k_probes>(half, wish.probes, {});
  }
  removable_bloom_filter(const core::bit_fit<core::k_probes>& made, const options& wish)
      : hash_(wish.hash),
        came_(core::k_probes(made.at.cells(), made.at.probes(), salt), wish.memory),
        went_(core::k_probes(made.at.cells(), made.at.probes(), salt + 1), wish.memory) {}

  [[nodiscard]] static double accepts(const engine& filter) noexcept {
    return std::pow(static_cast<double>(filter.cells().storage().ones()) / static_cast<double>(filter.cells().size()),
                    filter.index().probes());
  }

  [[nodiscard]] bool may_contain_digest(digest d) const noexcept { return came_.may_contain(d) && !went_.may_contain(d); }
  void may_contain_digests(std::size_t total, auto& digest_at, bool* out) const noexcept {
    core::query_but(came_, went_, total, digest_at, out);
  }
  // A key that went stays out.
  bool insert_digest(digest d) noexcept { return !went_.may_contain(d) && came_.insert(d); }
  void insert_digests(std::size_t total, auto& digest_at) noexcept {
    core::asked_keys some;
    for (std::size_t first = 0; first < total; first += core::asked_keys::most) {
      some.take(std::min(core::asked_keys::most, total - first), first, digest_at);
      some.drop_accepted(went_, 0, [](std::uint32_t, bool) {});
      came_.insert(some.size, detail::digest_list{some.key});
    }
  }
  core::erasure erase_digest(digest d) noexcept {
    if (!may_contain_digest(d)) return core::erasure::absent;
    went_.insert(d);
    return core::erasure::done;
  }
  std::size_t erase_digests(std::size_t total, auto& digest_at) noexcept {
    std::size_t done = 0;
    core::asked_keys some;
    for (std::size_t first = 0; first < total; first += core::asked_keys::most) {
      bool said[core::asked_keys::most];
      some.take(std::min(core::asked_keys::most, total - first), first, digest_at);
      came_.may_contain(some.size, detail::digest_list{some.key}, said);
      some.keep(said);
      done += went_.insert_counting(some.size, detail::digest_list{some.key});  // what changed nothing had gone before
    }
    return done;
  }

  hasher hash_;
  engine came_, went_;
};

}  // namespace umbel
