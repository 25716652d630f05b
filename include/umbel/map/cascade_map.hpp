// cascade_map.hpp - static map to a few values, made of Bloom filters only: a filter for every
// value, level upon level.
// Idea       A level has a filter for each value, over the keys that have it. A key that only its
//            own value's filter accepts is told; those that others accept as well go to the next
//            level, whose filters are fresh and far fewer keys fill. A query walks the same way
//            down, keeping as candidates the values whose filters accepted.
// Layout     Filter `level * values + value` of one engine/compose/stack.hpp; then an
//            engine/retrieval/peeled.hpp for the tail, if any.
// Tail       Once n / log2 n keys are left, they may go into a small retrieval map with a check
//            instead: a bound on depth.
// Invariant  Every key given answers its value, always: its walk is the one it took in the build. A
//            non-member gets none, or some value with probability at most fpr. Past the last level
//            no member comes: the answer is none.
// Limits     At most 16 values, of 1 to 4 bits: a query asks the filter of each. For more, or for
//            fewer bits per key, take a binary_fuse_map. The build asks in one thread; those it has
//            remove repeats.
// Threads    Immutable: any number of readers.
// Source     [CKRT04] sec. 2; [TRL12] III-G for many values. Differs in the sizes, unless `levels`
//            is `paper`.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory_resource>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include <umbel/base/error.hpp>
#include <umbel/base/ring.hpp>
#include <umbel/base/text.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/core/keyed.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/core/spooled.hpp>
#include <umbel/core/traits.hpp>
#include <umbel/engine/compose/stack.hpp>
#include <umbel/engine/retrieval/fuse.hpp>
#include <umbel/engine/retrieval/peeled_build.hpp>
#include <umbel/engine/retrieval/word_rule.hpp>
#include <umbel/sizing/cascade.hpp>

namespace umbel {

// Options of cascade_map.
struct cascade_map_options {
  std::optional<std::uint64_t> keys{};  // keys, for plan(); a build counts them itself
  unsigned value_bits = 1;              // bits of a value, 1 to 4
  // rate at which a non-member gets a value; absent: 1/256, or with `paper` as paper_probes gives
  std::optional<double> fpr{};
  // `tight`: fewest bits; `quick`: fewer levels; `paper`: the sizes of [CKRT04]
  sizing::cascade_levels levels = sizing::cascade_levels::tight;
  // the constant k of [CKRT04], 2 to 64; only with `paper` and two values
  unsigned paper_probes = 2;
  bool tail = false;  // put the last n / log2 n keys into a retrieval map: fewer levels
  hasher hash{};      // hash function, and its seed or secret key
  std::pmr::memory_resource* memory = nullptr;  // for the cells; null: the default resource
  unsigned threads = 1;                         // threads of a build
};

namespace core {

// The cascade, for digests.
class value_cascade {
  using table = peeled<fuse<3>>;  // the tail

 public:
  using options_type = cascade_map_options;
  static constexpr unsigned max_value_bits = 4;

  value_cascade() = default;
  template <class Spool>
  [[nodiscard]] static value_cascade build(const Spool& pairs, const options_type& options) {
    check_options(options);
    const Spool once = pairs.distinct(options.threads);
    for (unsigned draw = 0; draw < sizing::cascade_draws; ++draw) {
      value_cascade out;
      if (out.try_build(once, options, draw)) return out;
    }
    throw unsolvable(detail::text("cascade-map: keys still alike after ",
                                  sizing::cascade_max_levels, " levels, ", sizing::cascade_draws,
                                  " times"));
  }
  [[nodiscard]] static umbel::plan plan(const options_type& options) {
    check_options(options);
    const std::uint64_t keys = options.keys.value_or(0);
    check_keys(keys);
    const auto shaped = sizing::plan_cascade({.n = keys,
                                              .values = 1U << options.value_bits,
                                              .delta = options.fpr.value_or(default_fpr),
                                              .levels = options.levels,
                                              .k = options.paper_probes,
                                              .tail = options.tail});
    if (shaped.bits > sizing::cascade_filter_bits)
      throw bad_parameter(
          detail::text("keys: ", keys, " at this rate take more than the 2^48 bits of a cascade"));
    check_kept(options.fpr, shaped.fpr);
    const std::uint64_t bits = shaped.bits +
                               (std::uint64_t{64} << options.value_bits) * shaped.levels +
                               table::plan(shaped.tail_keys, tail_width(options), 1).bits;
    return {.keys = keys,
            .cells = shaped.bits,
            .probes = shaped.probes,
            .bits = bits,
            .fpr = shaped.fpr};
  }

  [[nodiscard]] std::optional<std::uint64_t> find(digest d) const noexcept { return walk(d); }
  [[nodiscard]] std::uint64_t value(digest d) const noexcept { return walk(d).value_or(0); }
  template <class DigestAt>
  void find(std::size_t total, DigestAt& digest_at,
            std::optional<std::uint64_t>* out) const noexcept {
    over(total, digest_at,
         [out](std::size_t i, std::optional<std::uint64_t> value) { out[i] = value; });
  }
  template <class DigestAt>
  void value(std::size_t total, DigestAt& digest_at, std::uint64_t* out) const noexcept {
    over(total, digest_at,
         [out](std::size_t i, std::optional<std::uint64_t> value) { out[i] = value.value_or(0); });
  }

  [[nodiscard]] std::uint64_t keys() const noexcept { return keys_; }
  [[nodiscard]] unsigned value_bits() const noexcept { return static_cast<unsigned>(value_bits_); }
  [[nodiscard]] unsigned levels() const noexcept { return static_cast<unsigned>(levels_); }
  [[nodiscard]] std::uint64_t tail_keys() const noexcept { return tail_.keys(); }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept {
    return filters_.size_in_bits() + tail_.size_in_bits();
  }
  // The share of non-members that get a value, at the present fills.
  [[nodiscard]] double expected_fpr() const noexcept {
    std::array<double, std::size_t{sizing::cascade_max_levels} * sizing::cascade_max_values>
        accepts;
    for (std::size_t i = 0; i < filters_.size(); ++i) accepts[i] = filters_.accepts(i);
    const double tail = tail_.keys() == 0 ? 0 : std::exp2(-static_cast<double>(tail_bits()));
    return sizing::cascade_non_member_rate({accepts.data(), filters_.size()},
                                           static_cast<unsigned>(values_), tail);
  }
  // Number of levels that a query for this key reads.
  [[nodiscard]] unsigned depth(digest d) const noexcept {
    unsigned visited = 0;
    (void)walk(d, &visited);
    return visited;
  }

  friend bool operator==(const value_cascade& a, const value_cascade& b) noexcept {
    return a.keys_ == b.keys_ && a.value_bits_ == b.value_bits_ && a.values_ == b.values_ &&
           a.filters_ == b.filters_ && a.tail_ == b.tail_;
  }
  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("keys", self.keys_);
    field("value_bits", self.value_bits_);
    field("values", self.values_);
    field("levels", self.levels_);
  }
  static void describe(auto& self, auto& part) {
    part.fields("cascade", self);
    filter_stack::describe(self.filters_, part);
    table::describe(self.tail_, part);
  }
  void check() {
    const auto require = [](bool holds, std::string_view field, std::uint64_t found) {
      if (!holds)
        throw corrupt(detail::text("cascade: field ", field, " has the impossible value ", found));
    };
    require(value_bits_ >= 1 && value_bits_ <= max_value_bits, "value_bits", value_bits_);
    require(values_ <= (std::uint64_t{1} << value_bits_), "values", values_);
    require(keys_ <= max_keys, "keys", keys_);
    require((keys_ == 0) == (values_ == 0), "values", values_);
    require(levels_ <= sizing::cascade_max_levels, "levels", levels_);
    tail_.check();
    require(tail_.keys() <= keys_, "keys", keys_);
    filters_.check(levels_ * values_);
    // a filter has at least as many bits as keys
    std::uint64_t most = levels_ == 0 ? tail_.keys() : 0;
    for (std::uint64_t v = 0; levels_ != 0 && v < values_; ++v) most += filters_.cells(v);
    require(levels_ == 0 ? keys_ == most : keys_ <= most, "keys", keys_);
    if (tail_.keys() != 0)
      require(tail_.width() >= value_bits_ + sizing::cascade_tail_bits, "width", tail_.width());
    // every level has keys
    for (std::uint64_t level = 0; level < levels_; ++level) {
      bool some = false;
      for (std::uint64_t v = 0; v < values_; ++v) some |= filters_.exists(level * values_ + v);
      require(some, "levels", levels_);
    }
    // and so has the last value
    if (levels_ != 0) require(filters_.exists(values_ - 1), "values", values_);
  }

 private:
  static constexpr double default_fpr = 1.0 / 256;
  using mask = std::uint32_t;  // a set of values: bit v stands for value v

  static void check_options(const options_type& options) {
    if (options.value_bits < 1 || options.value_bits > max_value_bits)
      throw bad_parameter(detail::text(
          "value_bits: a cascade-map asks one filter for every value and so takes 1 to ",
          max_value_bits, " bits; for more take a binary-fuse-map; found ", options.value_bits));
    if (options.fpr) check_fpr(*options.fpr);
    if (options.levels != sizing::cascade_levels::paper) return;
    if (options.value_bits != 1)
      throw bad_parameter(detail::text("value_bits: the paper's cascade has two values, found ",
                                       options.value_bits, " bits"));
    if (options.fpr)
      throw bad_parameter("fpr: in the paper's cascade the rate follows from the number of probes");
    if (options.paper_probes < 2 || options.paper_probes > 64)
      throw bad_parameter(
          detail::text("paper_probes: expected 2 to 64, found ", options.paper_probes));
  }
  [[nodiscard]] static unsigned tail_width(const options_type& options) {
    return options.value_bits + sizing::cascade_tail_check(options.fpr.value_or(default_fpr));
  }
  [[nodiscard]] unsigned tail_bits() const noexcept { return tail_.width() - value_bits(); }

  [[nodiscard]] std::optional<std::uint64_t> walk(digest d,
                                                  unsigned* visited = nullptr) const noexcept {
    mask candidates = (mask{1} << values_) - 1;
    for (std::size_t level = 0; level < levels_; ++level) {
      if (visited != nullptr) ++*visited;
      mask accepted = 0;
      for (mask left = candidates; left != 0; left &= left - 1) {
        const auto value = static_cast<unsigned>(std::countr_zero(left));
        accepted |= mask{filters_.may_contain(level * values_ + value, d)} << value;
      }
      if (accepted == 0) return std::nullopt;
      if (std::has_single_bit(accepted))
        return static_cast<std::uint64_t>(std::countr_zero(accepted));
      candidates = accepted;
    }
    if (tail_.keys() == 0) return std::nullopt;
    const auto [word, tag] = tail_.answer(d);
    const std::uint64_t value = word ^ tag_rule(value_bits()).own_bits(tag);
    return value >> value_bits_ == 0 ? std::optional(value) : std::nullopt;
  }
  // Most queries end in the first level, so its first cells are prefetched, for every value.
  template <class DigestAt, class Sink>
  void over(std::size_t total, DigestAt& digest_at, Sink&& sink) const noexcept {
    const std::size_t ahead = std::min<std::size_t>(filters_.size(), values_);
    detail::ring<digest>(
        total,
        [&](std::size_t i, digest& d) {
      d = digest_at(i);
      for (std::size_t value = 0; value < ahead; ++value) filters_.prefetch(value, d);
        },
        [&](std::size_t i, const digest& d) { sink(i, walk(d)); });
  }

  // ---- building ----

  struct live {  // a key that is not yet resolved, and its candidates
    valued key;
    mask candidates;
  };
  using counts = std::array<std::uint64_t, sizing::cascade_max_values>;
  using level_filters = std::span<filter_stack::loose>;
  static constexpr std::size_t block_keys = 4096;

  // The filters of one level, sized for the keys that reach it.
  [[nodiscard]] std::vector<filter_stack::loose> filters_for(const counts& keys, unsigned present,
                                                             const options_type& options,
                                                             unsigned draw) const {
    std::vector<filter_stack::loose> out;
    const std::uint64_t most = *std::max_element(keys.begin(), keys.end());
    const auto filters = static_cast<unsigned>(
        std::count_if(keys.begin(), keys.end(), [](auto n) { return n != 0; }));
    const auto level = static_cast<unsigned>(levels_);
    const double eps =
        sizing::cascade_eps(level, present, options.fpr.value_or(default_fpr), options.levels);
    for (std::size_t value = 0; value < values_; ++value) {
      const auto shape =
          keys[value] == 0 ? sizing::filter_shape{}
          : options.levels == sizing::cascade_levels::paper
              ? sizing::paper_filter(most, level, options.paper_probes)
              : sizing::cascade_filter(keys[value], eps, sizing::cascade_least_bits(filters));
      out.emplace_back(shape, level * values_ + value, draw, options.memory);
    }
    return out;
  }
  void fill(level_filters filters, std::span<const live> keys) const {
    std::array<std::vector<digest>, sizing::cascade_max_values> by_value;
    for (const live& one : keys) by_value[one.key.value].push_back(one.key.key);
    for (std::size_t value = 0; value < values_; ++value) filters[value].insert(by_value[value]);
  }
  // Appends to `rest` the keys that the level does not resolve.
  void pass(std::span<const filter_stack::loose> filters, std::span<const live> keys,
            std::vector<live>& rest) const {
    std::vector<digest> digests;
    for (const live& one : keys) digests.push_back(one.key.key);
    std::vector<mask> accepted(keys.size());
    for (std::size_t value = 0; value < values_; ++value) {
      filters[value].each_accepted(std::span<const digest>(digests),
                                   [&](std::size_t i) { accepted[i] |= mask{1} << value; });
    }
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const mask candidates = keys[i].candidates & accepted[i];
      if (!std::has_single_bit(candidates)) rest.push_back({keys[i].key, candidates});
    }
  }
  // Calls work(span of keys) until all unresolved keys were passed: before the first level those of
  // the spool, later those in `rest`.
  template <class Spool, class Work>
  void in_blocks(const Spool& all, const std::vector<live>& rest, Work&& work) const {
    if (levels_ == 0) {
      const mask every = (mask{1} << values_) - 1;
      std::vector<live> some;
      all.for_each(0, Spool::bins, [&](std::span<const valued> block) {
        for (const valued& one : block) some.push_back({one, every});
        if (some.size() >= block_keys) work(std::span<const live>(some)), some.clear();
      });
      work(std::span<const live>(some));
    } else {
      for (std::size_t first = 0; first < rest.size(); first += block_keys)
        work(std::span<const live>(rest).subspan(first, std::min(block_keys, rest.size() - first)));
    }
  }

  // False if the maximum number of levels is exceeded. `pairs` has no duplicates.
  template <class Spool>
  [[nodiscard]] bool try_build(const Spool& pairs, const options_type& options, unsigned draw) {
    keys_ = pairs.size();
    value_bits_ = options.value_bits;
    counts keys = count(pairs);
    const auto present = static_cast<unsigned>(
        std::count_if(keys.begin(), keys.end(), [](auto n) { return n != 0; }));
    const std::uint64_t tail_from = options.tail ? sizing::cascade_tail_from(keys_) : 0;
    std::vector<filter_stack::loose> filters;
    std::vector<live> rest;
    std::uint64_t left = keys_;
    for (; left > tail_from; left = rest.size(), ++levels_) {
      if (levels_ == sizing::cascade_max_levels) return false;
      auto level = filters_for(keys, present, options, draw);
      in_blocks(pairs, rest, [&](std::span<const live> some) { fill(level, some); });
      std::vector<live> next;
      in_blocks(pairs, rest, [&](std::span<const live> some) { pass(level, some, next); });
      rest = std::move(next);
      keys = {};
      for (const live& one : rest) ++keys[one.key.value];
      std::move(level.begin(), level.end(), std::back_inserter(filters));
    }
    filters_ = filter_stack(filters, options.memory);
    if (left != 0) build_tail(pairs, rest, options);
    return true;
  }
  // Number of keys of each value. Sets values_ to the largest value + 1.
  template <class Spool>
  [[nodiscard]] counts count(const Spool& pairs) {
    counts out{};
    values_ = 0;
    pairs.for_each(0, Spool::bins, [&](std::span<const valued> block) {
      for (const valued& one : block) {
        if (one.value >> value_bits_ != 0)
          throw bad_parameter(
              detail::text("value ", one.value, " does not fit ", value_bits_, " bits"));
        ++out[one.value];
        values_ = std::max(values_, one.value + 1);
      }
    });
    return out;
  }
  template <class Spool>
  void build_tail(const Spool& pairs, const std::vector<live>& rest, const options_type& options) {
    Spool keys;
    in_blocks(pairs, rest, [&](std::span<const live> some) {
      for (const live& one : some) keys.add(one.key);
    });
    const unsigned width = tail_width(options);
    tail_ =
        table::build(keys, {.width = width, .memory = options.memory, .threads = options.threads},
                     [&](const valued& v, std::uint64_t tag) {
      return v.value ^ tag_rule(options.value_bits).own_bits(tag & detail::low_mask(width));
        });
  }

  std::uint64_t keys_ = 0;
  std::uint64_t value_bits_ = 1;
  std::uint64_t values_ = 0;  // largest value of the build + 1
  std::uint64_t levels_ = 0;
  filter_stack filters_;
  table tail_;
};

}  // namespace core

// The map. Inherited from core/keyed.hpp: find, find_batch, value, value_batch, keys, value_bits.
class cascade_map : public core::keyed<core::value_cascade> {
 public:
  using options_type = cascade_map_options;
  static constexpr std::string_view kind = "cascade-map";
  static constexpr std::uint32_t format_version = 1;
  static constexpr unsigned max_value_bits = engine_type::max_value_bits;
  static constexpr umbel::traits traits{.of = family::map,
                                        .answers = output::value,
                                        .is_static = true,
                                        .max_value_bits = max_value_bits};

  cascade_map() = default;

  // A map of these pairs (key, value). Throws bad_parameter for a value that does not fit and
  // conflict for a key with two values; both messages name the key.
  template <core::pair_range Pairs>
  [[nodiscard]] static cascade_map build(const Pairs& pairs, const options_type& options) {
    return core::map_of<cascade_map>(pairs, options);
  }
  // The same from a spool of digests with values. A template, so that only programs that call it
  // compile it.
  template <class Spool = pair_spool>
  [[nodiscard]] static cascade_map build(const std::type_identity_t<Spool>& pairs,
                                         const options_type& options) {
    return {options.hash, engine_type::build(pairs, options)};
  }
  // Size and predicted false positive rate of a map with these options. Builds nothing.
  [[nodiscard]] static umbel::plan plan(const options_type& options) {
    return engine_type::plan(options);
  }

  [[nodiscard]] unsigned levels() const noexcept { return engine_.levels(); }  // number of levels
  // Number of keys in the tail; 0: there is none.
  [[nodiscard]] std::uint64_t tail_keys() const noexcept { return engine_.tail_keys(); }
  // Number of levels that a query for this key reads.
  template <key K>
  [[nodiscard]] unsigned depth(const K& k) const noexcept {
    return engine_.depth(hash_(k));
  }

 private:
  using keyed::keyed;
};

}  // namespace umbel
