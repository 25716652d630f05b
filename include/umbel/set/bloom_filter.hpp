// bloom_filter.hpp - approximate set: about 1.44 log2(1/fpr) bits per key, k probes, no false negatives.
// Idea       Every key sets k bits; a key all of whose bits are set may be in, one with a clear bit is certainly out.
// Layout     One array of m bits and the index that names k of them per key.
// Invariant  Bits never go from 1 to 0, so no key is forgotten. Equal sets give equal bits, in any order.
// Limits     No erase; the rate rises past the planned number of keys. It never refuses a key.
// Threads    Many readers or one writer; `concurrent_bloom_filter` takes any number of both.
// Source     [Blo70], [BM04] sec. 2, [TRL12] sec. II.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <string_view>

#include <umbel/base/error.hpp>
#include <umbel/cells/bits.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/core/estimate.hpp>
#include <umbel/core/face.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/core/probed.hpp>
#include <umbel/core/traits.hpp>
#include <umbel/hash/hasher.hpp>
#include <umbel/index/multi.hpp>
#include <umbel/sizing/bloom.hpp>

namespace umbel {

struct bloom_options {
  std::optional<std::uint64_t> keys{};  // of keys, fpr and bits exactly two
  std::optional<double> fpr{};
  std::optional<std::uint64_t> bits{};
  unsigned probes = 0;  // 0: the best number
  hasher hash{};
  std::pmr::memory_resource* memory = nullptr;
  unsigned threads = 1;  // inserts run on the caller's thread: here for uniformity
};

template <class Cells = cells::bits>
class basic_bloom_filter : public core::set_queries<basic_bloom_filter<Cells>>,
                           public core::set_inserts<basic_bloom_filter<Cells>> {
 public:
  using options = bloom_options;
  static constexpr std::string_view kind = "bloom-filter";
  static constexpr std::uint32_t format_version = 1;
  static constexpr traits what{.of = family::set, .mergeable = true};

  basic_bloom_filter() = default;
  explicit basic_bloom_filter(const options& wish) : basic_bloom_filter(plan(wish), wish) {}

  [[nodiscard]] static umbel::plan plan(const options& wish) {
    core::check({wish.keys, wish.fpr, wish.bits});
    if (wish.probes > sizing::bloom_max_probes)
      throw bad_parameter(detail::text("probes: expected at most ", sizing::bloom_max_probes, ", found ", wish.probes));
    std::uint64_t keys = wish.keys.value_or(0);
    const auto made = [&]() -> sizing::bloom_plan {
      if (!wish.bits) return sizing::plan_bloom_for_rate(keys, *wish.fpr, wish.probes);
      if (wish.fpr) {
        const auto room = sizing::bloom_room_for(*wish.bits, *wish.fpr, wish.probes);
        keys = room.keys;
        return sizing::plan_bloom_for_bits(keys, *wish.bits, room.probes);
      }
      return sizing::plan_bloom_for_bits(keys, *wish.bits, wish.probes);
    }();
    core::check_kept(wish.fpr, made.fpr);
    return {.keys = keys, .cells = made.bits, .probes = made.probes, .bits = made.bits, .fpr = made.fpr};
  }

  void clear() noexcept { engine_.cells().storage().clear(); }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept { return engine_.cells().size(); }
  [[nodiscard]] unsigned probes() const noexcept { return engine_.at().probes(); }
  [[nodiscard]] double fill() const noexcept {
    return static_cast<double>(engine_.cells().storage().ones()) / static_cast<double>(size_in_bits());
  }
  // The rate at the present fill, whatever was planned.
  [[nodiscard]] double expected_fpr() const noexcept { return std::pow(fill(), probes()); }

  // Distinct keys inserted so far, from the number of clear bits.
  [[nodiscard]] estimate cardinality() const noexcept { return estimate_from(zeros()); }

  // The filter of the union, bit for bit.
  void merge(const basic_bloom_filter& other) {
    require_alike(other);
    engine_.cells().storage() |= other.engine_.cells().storage();
  }
  // Accepts every common key; may hold more bits than the filter of the intersection would.
  void intersect(const basic_bloom_filter& other) {
    require_alike(other);
    engine_.cells().storage() &= other.engine_.cells().storage();
  }
  // Half as many bits, as if built that small. Needs an even number of bits.
  void fold() {
    if (size_in_bits() % 2 != 0)
      throw bad_parameter(detail::text("fold: needs an even number of bits, found ", size_in_bits()));
    engine_ = engine(engine_.at().halved(), engine_.cells().folded());
  }
  // False: this set is certainly not a subset of the other. True: probably.
  [[nodiscard]] bool may_be_subset_of(const basic_bloom_filter& other) const {
    require_alike(other);
    for (std::size_t i = 0; i < words().size(); ++i)
      if ((words()[i] & ~other.words()[i]) != 0) return false;
    return true;
  }
  // How the two sets overlap, from the clear bits of both and of their union.
  [[nodiscard]] overlap overlap_with(const basic_bloom_filter& other) const {
    require_alike(other);
    std::uint64_t both_clear = 0;
    for (std::size_t i = 0; i < words().size(); ++i)
      both_clear += static_cast<unsigned>(std::popcount(~(words()[i] | other.words()[i])));
    both_clear -= words().size() * 64 - size_in_bits();  // the tail of the last word is clear in every filter
    overlap out{cardinality(), other.cardinality(), estimate_from(both_clear)};
    if (!out.either.saturated)
      out.common_raw = sizing::bloom_intersection_size(double(zeros()), double(other.zeros()), double(both_clear),
                                                       double(size_in_bits()), probes());
    out.common = std::clamp(out.common_raw, 0.0, std::min(out.first.value, out.second.value));
    return out;
  }

  [[nodiscard]] const hasher& hash() const noexcept { return hash_; }
  friend bool operator==(const basic_bloom_filter& a, const basic_bloom_filter& b) noexcept {
    return a.hash_ == b.hash_ && a.engine_.at() == b.engine_.at() && a.engine_.cells() == b.engine_.cells();
  }

  static void describe(auto& self, auto& part) {
    part.hash(self.hash_);
    part.fields("index", self.engine_.at());
    part.array("cells", self.engine_.cells().storage());
  }
  void check() { engine_.check(); }

 private:
  friend core::set_queries<basic_bloom_filter>;
  friend core::set_inserts<basic_bloom_filter>;
  using engine = core::probed<index::multi, Cells>;

  basic_bloom_filter(const umbel::plan& made, const options& wish)
      : hash_(wish.hash), engine_(index::multi(made.cells, made.probes), wish.memory) {}

  bool insert_digest(digest d) noexcept { return engine_.insert(d); }
  void insert_digests(std::size_t total, auto& digest_at) noexcept { engine_.insert(total, digest_at); }
  [[nodiscard]] bool may_contain_digest(digest d) const noexcept { return engine_.query(d); }
  void may_contain_digests(std::size_t total, auto& digest_at, bool* out) const noexcept {
    engine_.query(total, digest_at, out);
  }

  [[nodiscard]] const cells::words<>& words() const noexcept { return engine_.cells().storage(); }
  [[nodiscard]] std::uint64_t zeros() const noexcept { return size_in_bits() - words().ones(); }
  [[nodiscard]] estimate estimate_from(std::uint64_t clear) const noexcept {
    const auto m = static_cast<double>(size_in_bits());
    if (clear == 0) return {.value = sizing::bloom_cardinality(1, std::max(m, 2.0), probes()), .saturated = true};
    const double keys = sizing::bloom_cardinality(static_cast<double>(clear), m, probes());
    return {.value = keys, .standard_error = sizing::bloom_cardinality_error(keys, m, probes())};
  }
  void require_alike(const basic_bloom_filter& other) const {
    if (hash_ != other.hash_) throw incompatible("these filters were built with different hashes, seeds or keys");
    if (engine_.at() != other.engine_.at())
      throw incompatible(detail::text("these filters differ in shape: ", size_in_bits(), " bits and ", probes(),
                                      " probes against ", other.size_in_bits(), " bits and ", other.probes(),
                                      " probes"));
  }

  hasher hash_;
  engine engine_;
};

using bloom_filter = basic_bloom_filter<>;
using concurrent_bloom_filter = basic_bloom_filter<cells::shared_bits>;

}  // namespace umbel
