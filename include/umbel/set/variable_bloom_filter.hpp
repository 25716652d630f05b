// variable_bloom_filter.hpp - variable-length signatures [LPB05]: a Bloom filter whose keys can be
// strengthened, weakened, erased and aged. May forget.
//
// A key has k bits. An insert sets the first t of them, and a query needs q of them to be set. So
// bits can be cleared, of one key or of all in turn, before a key is forgotten, and an important
// key can be given more of its bits.
//
// Layout     One array of m bits, an index that names k per key, and the position that ages next.
// Invariant  While no bit was cleared and q <= t, there are no false negatives. With t = q = k it
//            is a bloom_filter, bit for bit.
// Limits     Keys share bits: clearing those of one key clears bits of others, which may be
//            forgotten. Two bits of one key coincide with probability k^2/2m, and then count twice.
// Threads    Many readers or one writer.
// Source     [LPB05], [TRL12] sec. III-L. The t bits are the first ones of the key, unless a seed
//            draws them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <string_view>

#include <umbel/base/error.hpp>
#include <umbel/base/integers.hpp>
#include <umbel/base/text.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/core/grown.hpp>
#include <umbel/core/keyed.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/core/traits.hpp>
#include <umbel/engine/probe/threshold_bits.hpp>
#include <umbel/hash/hasher.hpp>
#include <umbel/sizing/variable.hpp>

namespace umbel {

// Options of variable_bloom_filter.
struct variable_options {
  // Give exactly two of keys, fpr and bits: the third follows. A build counts `keys` itself.
  std::optional<std::uint64_t> keys{};          // distinct keys it is planned for
  std::optional<double> fpr{};                  // false positive rate once `keys` keys are in
  std::optional<std::uint64_t> bits{};          // size of the filter in bits
  unsigned probes = 0;                          // k, bits of a key; 0: 10
  unsigned marks = 0;                           // t, bits an insert sets; 0: seven tenths of k
  unsigned needed = 0;                          // q, set bits a query needs; 0: six tenths of k
  hasher hash{};                                // hash function, and its seed or secret key
  std::pmr::memory_resource* memory = nullptr;  // for the cells; null: the default resource
  unsigned threads = 1;                         // no effect: inserts run on the caller's thread
};

// The filter. Inherited from core/keyed.hpp: may_contain, may_contain_batch, insert, insert_batch,
// erase, try_erase, erase_batch.
class variable_bloom_filter : public core::keyed<core::threshold_bits> {
  using base = core::keyed<core::threshold_bits>;

 public:
  using options_type = variable_options;
  static constexpr std::string_view kind = "variable-bloom-filter";
  static constexpr std::uint32_t format_version = 1;
  static constexpr umbel::traits traits{.of = family::set,
                                        .erases = true,
                                        .popularity_aware = true,
                                        .may_forget = true,
                                        .windowed = true};

  variable_bloom_filter() = default;
  // An empty filter. Throws bad_parameter if no filter can have these options.
  explicit variable_bloom_filter(const options_type& options)
      : variable_bloom_filter(shaped(options), options) {}

  // A filter of these keys.
  template <core::key_range Keys>
  [[nodiscard]] static variable_bloom_filter build(const Keys& keys, const options_type& options) {
    return core::grown<variable_bloom_filter>(keys, options);
  }
  // Size, probes and predicted false positive rate of a filter with these options. Builds nothing.
  [[nodiscard]] static umbel::plan plan(const options_type& options) {
    return shaped(options).planned;
  }

  // bits an insert sets
  [[nodiscard]] unsigned marks() const noexcept { return engine_.index().marks(); }
  // set bits a query needs
  [[nodiscard]] unsigned needed() const noexcept { return engine_.index().needed(); }
  // The false positive rate at the present fill.
  [[nodiscard]] double expected_fpr() const noexcept {
    return sizing::variable_fpr(fill(), probes(), needed());
  }
  // The probability that a key is forgotten after the share `cleared` of the set bits, chosen at
  // random, was cleared.
  [[nodiscard]] double expected_fnr(double cleared) const noexcept {
    return sizing::variable_fnr(fill(), cleared, probes(), marks(), needed());
  }

  using base::insert;
  // Sets the first `count` bits of the key instead of marks(), 1 to k: a key with more bits lasts
  // longer. True if any bit changed.
  template <key K>
  bool insert(const K& k, unsigned count) {
    check_count(count);
    return engine_.insert(hash_(k), count);
  }
  // The same with `count` bits that `seed` draws from the k bits of the key, all with the same
  // probability. A key inserted repeatedly with different seeds gains bits.
  template <key K>
  bool insert(const K& k, unsigned count, std::uint64_t seed) {
    check_count(count);
    return engine_.insert(hash_(k), count, seed);
  }
  // Sets the first clear bit of the key; false if all are set.
  template <key K>
  bool strengthen(const K& k) noexcept {
    return engine_.strengthen(hash_(k));
  }
  // Clears bits of the key, the last ones first, until fewer than `least` are set; returns how many
  // were cleared. erase(k) is weaken(k, needed()).
  template <key K>
  unsigned weaken(const K& k, unsigned least) noexcept {
    return engine_.weaken(hash_(k), least);
  }
  // Number of set bits of the key.
  template <key K>
  [[nodiscard]] unsigned length(const K& k) const noexcept {
    return engine_.length(hash_(k));
  }
  // Ages the filter: clears the next `count` bits in turn. size_in_bits() of them clear every bit
  // once.
  void age(std::uint64_t count) noexcept {
    const std::uint64_t end = (cursor_ + count % size_in_bits()) % size_in_bits();
    auto& words = engine_.cells().storage();
    for (std::uint64_t left = std::min(count, size_in_bits()); left > 0;) {
      const std::uint64_t in_word = cursor_ % 64,
                          run = std::min({left, 64 - in_word, size_in_bits() - cursor_});
      words[cursor_ / 64] &= ~(detail::low_mask(static_cast<unsigned>(run)) << in_word);
      left -= run;
      cursor_ = cursor_ + run == size_in_bits() ? 0 : cursor_ + run;
    }
    cursor_ = end;
  }
  // position of the bit that ages next
  [[nodiscard]] std::uint64_t oldest() const noexcept { return cursor_; }
  // Removes all keys.
  void clear() noexcept {
    base::clear();
    cursor_ = 0;
  }

  friend bool operator==(const variable_bloom_filter&, const variable_bloom_filter&) = default;
  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("oldest", self.cursor_);
  }
  static void describe(auto& self, auto& part) {
    base::describe(self, part);
    part.fields("age", self);
  }
  void check() {
    base::check();
    if (cursor_ >= size_in_bits())
      throw bad_parameter(detail::text("oldest: expected less than the ", size_in_bits(),
                                       " bits, found ", cursor_));
  }

 private:
  struct shape {
    umbel::plan planned;
    unsigned marks, needed;
  };
  [[nodiscard]] static shape shaped(const options_type& options);
  variable_bloom_filter(const shape& made, const options_type& options)
      : base(options.hash,
             engine_type({made.planned.bits, made.planned.probes, made.marks, made.needed},
                         options.memory)) {}

  void check_count(unsigned count) const {
    if (count == 0 || count > probes())
      throw bad_parameter(detail::text("count: expected 1 to ", probes(), ", found ", count));
  }

  std::uint64_t cursor_ = 0;
};

inline variable_bloom_filter::shape variable_bloom_filter::shaped(const options_type& options) {
  core::check({options.keys, options.fpr, options.bits});
  const unsigned probes = options.probes != 0 ? options.probes : 10;
  const auto tenths = [&](unsigned count) { return std::max(1U, probes * count / 10); };
  const unsigned marks = options.marks != 0 ? options.marks : tenths(7),
                 needed = options.needed != 0 ? options.needed : tenths(6);
  (void)core::threshold_probes(1, probes, marks, needed);  // throws for impossible options
  std::uint64_t keys = options.keys.value_or(0);
  const std::uint64_t bits = options.bits
                                 ? *options.bits
                                 : sizing::variable_bits(keys, *options.fpr, probes, marks, needed);
  if (!options.keys) keys = sizing::variable_room(bits, *options.fpr, probes, marks, needed);
  const double fill =
      sizing::variable_fill(static_cast<double>(keys), static_cast<double>(bits), marks);
  const double rate = sizing::variable_fpr(fill, probes, needed);
  core::check_kept(options.fpr, rate);
  return {
      {.keys = keys, .cells = bits, .probes = probes, .bits = bits, .fpr = rate}, marks, needed};
}

}  // namespace umbel
