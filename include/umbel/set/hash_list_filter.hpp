// hash_list_filter.hpp - static set for tiny error rates: one sorted fingerprint of log2(n/fpr) bits per key.
// Idea       Keep every key's hash, cut to w bits, in a sorted list; a stranger passes if its own w bits are there.
// Layout     Distinct values of w bits, ascending, packed.
// Invariant  Every key given is found. The rate is exactly values / 2^w, not an estimate.
// Merging    Two lists of one width and hash make the list of the union, value for value. To add keys, build a list of them
//            at that width (`width` in the options) and merge it. The rate stays exact and grows with the values.
// Limits     Static. log2(n) bits per key more than a fuse_filter; worth it where the sorted list itself is wanted, or a
//            rate of 1/n at 2 log2(n) bits. Building takes the spool twice, and 8 bytes per key.
// Threads    Immutable: any number of readers.
// Source     [BM04] sec. 2.3; differs in the interpolating search.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <umbel/base/error.hpp>
#include <umbel/base/ring.hpp>
#include <umbel/base/text.hpp>
#include <umbel/cells/packed.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/core/face.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/core/spooled.hpp>
#include <umbel/core/traits.hpp>
#include <umbel/sizing/hash_list.hpp>

namespace umbel {

struct hash_list_options {
  std::optional<std::uint64_t> keys{};  // for plans; a build counts them itself
  std::optional<double> fpr{};
  unsigned width = 0;  // bits of a value, instead of fpr: for lists that will be merged. 0: as fpr asks
  hasher hash{};
  std::pmr::memory_resource* memory = nullptr;
  unsigned threads = 1;
};

class hash_list_filter : public core::set_queries<hash_list_filter>, public core::static_set<hash_list_filter> {
 public:
  using options = hash_list_options;
  static constexpr std::string_view kind = "hash-list-filter";
  static constexpr std::uint32_t format_version = 1;
  static constexpr traits what{.of = family::set, .is_static = true, .mergeable = true, .lines = 2};

  hash_list_filter() = default;

  using core::static_set<hash_list_filter>::build;
  template <class Spool = digest_spool>  // a template, so that only programs that build compile the sorting
  [[nodiscard]] static hash_list_filter build(const std::type_identity_t<Spool>& keys, const options& wish) {
    const Spool once = keys.distinct(wish.threads);  // or copies of a key would widen the list
    const unsigned width = width_for(once.size(), wish);
    hash_list_filter out;
    out.hash_ = wish.hash;
    if (once.size() == 0) return out;
    std::vector<std::uint64_t> values;
    values.reserve(once.size());
    once.for_each(0, digest_spool::bins, [&](std::span<const digest> block) {
      for (const digest& d : block) values.push_back(value_of(d, width));
    });
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    out.values_ = values.size();
    out.width_ = width;
    out.list_ = cells::packed(out.values_, width, wish.memory);
    for (std::uint64_t i = 0; i < out.values_; ++i) out.list_.set(i, values[i]);
    return out;
  }
  [[nodiscard]] static umbel::plan plan(const options& wish) {
    const std::uint64_t n = wish.keys.value_or(0);
    const unsigned width = width_for(n, wish);
    return {.keys = n,
            .cells = n,
            .probes = 1,
            .bits = n == 0 ? 0 : cells::packed::words_for(n, width) * 64,
            .fpr = sizing::hash_list_planned_fpr(n, width)};
  }

  // The list of the union. Lists differ in width unless they were built with one: `incompatible`. An empty list fits any.
  void merge(const hash_list_filter& other) {
    if (hash_ != other.hash_) throw incompatible("these lists were built with different hashes, seeds or keys");
    if (other.values_ == 0) return;
    if (values_ != 0 && width_ != other.width_)
      throw incompatible(detail::text("these lists differ in width: ", width_, " bits against ", other.width_,
                                      "; build both with the same `width`"));
    hash_list_filter out;
    out.hash_ = hash_;
    out.width_ = other.width_;
    each_of_either(*this, other, [&](std::uint64_t) { ++out.values_; });
    out.list_ = cells::packed(out.values_, out.width(), list_.storage().bytes().memory());
    std::uint64_t at = 0;
    each_of_either(*this, other, [&](std::uint64_t value) { out.list_.set(at++, value); });
    *this = std::move(out);
  }

  [[nodiscard]] std::uint64_t values() const noexcept { return values_; }  // stored: keys that collide share one
  [[nodiscard]] unsigned width() const noexcept { return static_cast<unsigned>(width_); }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept { return list_.storage().size() * 64; }
  [[nodiscard]] double expected_fpr() const noexcept { return sizing::hash_list_fpr(values_, width()); }
  [[nodiscard]] const hasher& hash() const noexcept { return hash_; }
  friend bool operator==(const hash_list_filter& a, const hash_list_filter& b) noexcept {
    return a.hash_ == b.hash_ && a.values_ == b.values_ && a.width_ == b.width_ && a.list_ == b.list_;
  }

  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("values", self.values_);
    field("width", self.width_);
  }
  static void describe(auto& self, auto& part) {
    part.hash(self.hash_);
    part.fields("list", self);
    part.array("values", self.list_.storage());
  }
  void check() {
    if (width_ < 1 || width_ > 64 || (values_ == 0 && width_ != 1))
      throw corrupt(detail::text("hash list: width: expected 1 to 64 (1 for an empty list), found ", width_));
    if (values_ > core::most_keys || (width_ < 64 && values_ > std::uint64_t{1} << width_))
      throw corrupt(detail::text("hash list: ", values_, " distinct values of ", width_, " bits cannot be"));
    if (values_ == 0)
      list_.storage().require(0);
    else
      list_.reshape(values_, width());
  }

 private:
  friend core::set_queries<hash_list_filter>;

  // Ascending and distinct, even if `b` is a mapped file with values in disorder.
  template <class Visit>
  static void each_of_either(const hash_list_filter& a, const hash_list_filter& b, Visit&& visit) {
    std::uint64_t i = 0, j = 0, last = 0;
    for (bool first = true; i < a.values_ || j < b.values_;) {
      const bool from_a = j == b.values_ || (i < a.values_ && a.list_.get(i) <= b.list_.get(j));
      const std::uint64_t value = from_a ? a.list_.get(i++) : b.list_.get(j++);
      if (!first && value <= last) continue;
      visit(last = value);
      first = false;
    }
  }
  [[nodiscard]] static unsigned width_for(std::uint64_t n, const options& wish) {
    if (wish.width != 0) {
      if (wish.width > 64) throw bad_parameter(detail::text("width: expected 1 to 64 bits, found ", wish.width));
      if (wish.fpr) throw bad_parameter("width: the rate follows from it; give either width or fpr");
      core::check_keys(n);
      return wish.width;
    }
    const double fpr = wish.fpr.value_or(1.0 / 256);
    core::check_fpr(fpr);
    core::check_keys(n);
    const unsigned width = sizing::hash_list_width(n, fpr);
    core::check_kept(fpr, sizing::hash_list_planned_fpr(n, width));
    return width;
  }
  [[nodiscard]] static std::uint64_t value_of(digest d, unsigned width) noexcept {
    constexpr detail::remixer words{detail::salt_of(detail::stage::list)};
    return words(d).first() >> (64 - width);
  }
  // Values are uniform, so one's place is known to within about sqrt(values): search from there.
  struct spot {
    std::uint64_t value, near;
  };
  [[nodiscard]] spot locate(digest d) const noexcept {
    const std::uint64_t value = value_of(d, width());
    return {value, detail::fastrange(value << (64 - width()), values_)};
  }
  // Strides double until the value is between two of them, then halve.
  [[nodiscard]] bool search(const spot& at) const noexcept {
    std::uint64_t low = at.near, high = low;  // the last value not above it is in [low, high), if there is one
    for (std::uint64_t stride = 16; low > 0 && list_.get(low) > at.value; stride *= 2)
      low = low > stride ? low - stride : 0;
    for (std::uint64_t stride = 16; high < values_ && list_.get(high) <= at.value; stride *= 2)
      high = values_ - high > stride ? high + stride : values_;
    while (high - low > 1) {
      const std::uint64_t middle = low + (high - low) / 2;
      (list_.get(middle) <= at.value ? low : high) = middle;
    }
    return list_.get(low) == at.value;
  }
  [[nodiscard]] bool may_contain_digest(digest d) const noexcept { return values_ != 0 && search(locate(d)); }
  void may_contain_digests(std::size_t total, auto& digest_at, bool* out) const noexcept {
    if (values_ == 0) {
      std::fill_n(out, total, false);
      return;
    }
    detail::ring<spot>(
        total,
        [&](std::size_t i, spot& at) {
          at = locate(digest_at(i));
          list_.prefetch(at.near);
        },
        [&](std::size_t i, const spot& at) { out[i] = search(at); });
  }

  hasher hash_;
  std::uint64_t values_ = 0;
  std::uint64_t width_ = 1;
  cells::packed list_;
};

}  // namespace umbel
