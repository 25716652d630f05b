// bit_filter.hpp - the approximate sets that are an array of bits: one class over every way to name a key's bits.
// Idea       What differs is the index (index/multi.hpp, index/banked.hpp): it fits itself to a size, knows its rate, and
//            says how it halves. Plans, estimates, unions and files follow.
// Invariant  Bits never go from 1 to 0, so no key is forgotten. Equal sets give equal bits, in any order.
// Threads    Many readers or one writer; with `cells::shared_bits` any number of both.
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
#include <umbel/sizing/bloom.hpp>

namespace umbel::core {

template <class Index, class Options, class Cells = cells::bits>
class bit_filter : public set_queries<bit_filter<Index, Options, Cells>>,
                   public set_inserts<bit_filter<Index, Options, Cells>> {
 public:
  using options = Options;
  static constexpr std::string_view kind = Index::kind;
  static constexpr std::uint32_t format_version = 1;
  static constexpr traits what{.of = family::set, .mergeable = true};

  bit_filter() = default;
  explicit bit_filter(const options& wish) : bit_filter(fitted(wish), wish) {}

  [[nodiscard]] static umbel::plan plan(const options& wish) {
    const fit made = fitted(wish);
    return {.keys = made.keys,
            .cells = made.at.cells(),
            .probes = made.at.probes(),
            .bits = made.at.cells(),
            .fpr = made.at.rate(made.keys)};
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
  void merge(const bit_filter& other) {
    require_alike(other);
    engine_.cells().storage() |= other.engine_.cells().storage();
  }
  // Accepts every common key; may hold more bits than the filter of the intersection would.
  void intersect(const bit_filter& other) {
    require_alike(other);
    engine_.cells().storage() &= other.engine_.cells().storage();
  }
  // Half as many bits, as if built that small. Needs an even number of bits, or of what the index divides them into.
  void fold() {
    const Index half = engine_.at().halved();
    engine_ = engine(half, half.folds_onto_itself() ? engine_.cells().overlaid() : engine_.cells().folded());
  }
  // False: this set is certainly not a subset of the other. True: probably.
  [[nodiscard]] bool may_be_subset_of(const bit_filter& other) const {
    require_alike(other);
    for (std::size_t i = 0; i < words().size(); ++i)
      if ((words()[i] & ~other.words()[i]) != 0) return false;
    return true;
  }
  // How the two sets overlap, from the clear bits of both and of their union.
  [[nodiscard]] overlap overlap_with(const bit_filter& other) const {
    require_alike(other);
    std::uint64_t both_clear = 0;
    for (std::size_t i = 0; i < words().size(); ++i)
      both_clear += static_cast<unsigned>(std::popcount(~(words()[i] | other.words()[i])));
    both_clear -= words().size() * 64 - size_in_bits();  // the tail of the last word is clear in every filter
    overlap out{cardinality(), other.cardinality(), estimate_from(both_clear)};
    if (!out.either.saturated)
      out.common_raw = sizing::bloom_intersection_size(double(zeros()) / parts(), double(other.zeros()) / parts(),
                                                       double(both_clear) / parts(), double(size_in_bits()) / parts(),
                                                       probes() / parts());
    out.common = std::clamp(out.common_raw, 0.0, std::min(out.first.value, out.second.value));
    return out;
  }

  [[nodiscard]] const hasher& hash() const noexcept { return hash_; }
  friend bool operator==(const bit_filter& a, const bit_filter& b) noexcept {
    return a.hash_ == b.hash_ && a.engine_.at() == b.engine_.at() && a.engine_.cells() == b.engine_.cells();
  }

  static void describe(auto& self, auto& part) {
    part.hash(self.hash_);
    part.fields("index", self.engine_.at());
    part.array("cells", self.engine_.cells().storage());
  }
  void check() {
    engine_.check();
    if (Index::right_hash(engine_.at().choice_made(), hash_) != hash_)
      throw bad_parameter("hash: another one than the scheme works under");
  }

 private:
  friend set_queries<bit_filter>;
  friend set_inserts<bit_filter>;
  using engine = probed<Index, Cells>;

  struct fit {
    Index at;
    std::uint64_t keys;
  };
  // The arithmetic of plain filters gives a first size; the index may have to round it, or need more for the same rate.
  [[nodiscard]] static fit fitted(const options& wish) {
    core::check({wish.keys, wish.fpr, wish.bits});
    if (wish.probes > sizing::bloom_max_probes)
      throw bad_parameter(detail::text("probes: expected at most ", sizing::bloom_max_probes, ", found ", wish.probes));
    const auto choice = wish.choice();
    const unsigned probes = Index::probes_for(choice, wish.probes);
    fit out{.at = {}, .keys = wish.keys.value_or(0)};
    if (wish.bits) {
      unsigned best = probes;
      if (wish.fpr) {
        const auto room = sizing::bloom_room_for(*wish.bits, *wish.fpr, probes);
        out.keys = room.keys;
        best = room.probes;
      }
      const auto fit_into = [&](std::uint64_t bits) {
        const auto made = sizing::plan_bloom_for_bits(out.keys, bits, best);
        out.at = Index::fitted(made.bits, made.probes, choice, false);
      };
      fit_into(*wish.bits);
      if (out.at.cells() < *wish.bits) fit_into(out.at.cells());  // the best probes for what is left
      while (wish.fpr && out.keys > 0 && out.at.rate(out.keys) > *wish.fpr) out.keys -= out.keys / 256 + 1;
    } else {
      const auto made = sizing::plan_bloom_for_rate(out.keys, *wish.fpr, probes);
      for (std::uint64_t bits = made.bits;; bits = std::min(bits + bits / 256 + 1, sizing::max_bits)) {
        out.at = Index::fitted(bits, made.probes, choice, true);
        if (out.at.rate(out.keys) <= *wish.fpr || bits == sizing::max_bits) break;
      }
    }
    check_kept(wish.fpr, out.at.rate(out.keys));
    return out;
  }
  bit_filter(const fit& made, const options& wish)
      : hash_(Index::right_hash(wish.choice(), wish.hash)), engine_(made.at, wish.memory) {}

  bool insert_digest(digest d) noexcept { return engine_.insert(d); }
  void insert_digests(std::size_t total, auto& digest_at) noexcept { engine_.insert(total, digest_at); }
  [[nodiscard]] bool may_contain_digest(digest d) const noexcept { return engine_.query(d); }
  void may_contain_digests(std::size_t total, auto& digest_at, bool* out) const noexcept {
    engine_.query(total, digest_at, out);
  }

  [[nodiscard]] const cells::words<>& words() const noexcept { return engine_.cells().storage(); }
  [[nodiscard]] std::uint64_t zeros() const noexcept { return size_in_bits() - words().ones(); }
  // Where a key's bits never coincide, each falls into a share m/k of its own.
  [[nodiscard]] double parts() const noexcept { return engine_.at().bits_differ() ? probes() : 1; }
  [[nodiscard]] estimate estimate_from(std::uint64_t clear) const noexcept {
    const auto m = static_cast<double>(size_in_bits());
    const auto keys_behind = [&](double zeros, double part) {
      return sizing::bloom_cardinality(zeros / parts(), part, probes() / parts());
    };
    if (clear == 0) return {.value = keys_behind(1, std::max(m / parts(), 2.0)), .saturated = true};
    const double keys = keys_behind(static_cast<double>(clear), m / parts());
    return {.value = keys, .standard_error = sizing::bloom_cardinality_error(keys, m, probes())};
  }
  void require_alike(const bit_filter& other) const {
    if (hash_ != other.hash_) throw incompatible("these filters were built with different hashes, seeds or keys");
    if (engine_.at() != other.engine_.at())
      throw incompatible(detail::text("these filters differ in shape: ", engine_.at().in_words(), " against ",
                                      other.engine_.at().in_words()));
  }

  hasher hash_;
  engine engine_;
};

}  // namespace umbel::core
