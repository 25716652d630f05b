// block_filter.hpp - blocked Bloom filters [PSS07]: approximate sets that keep a key inside one
// block. One class template over every bit pattern.
//
// Idea       Filters differ in how a key marks its block (cells/pattern/) and how the block is
//            found (one_block.hpp, split_block.hpp, parquet.hpp). Plans, estimates, unions and
//            files follow from the shape of the pattern.
// Invariant  As bloom_filter: no false negatives, equal sets give equal bits, unions are exact.
// Threads    Many readers or one writer; with `cells::relaxed` any number of both.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <string_view>

#include <umbel/base/error.hpp>
#include <umbel/cells/blocks.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/core/estimate.hpp>
#include <umbel/core/grown.hpp>
#include <umbel/core/keyed.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/core/traits.hpp>
#include <umbel/engine/block/blocked.hpp>
#include <umbel/engine/block/one_block.hpp>
#include <umbel/hash/hasher.hpp>
#include <umbel/sizing/blocked.hpp>

namespace umbel {

struct blocked_options {
  std::optional<std::uint64_t> keys{};  // give exactly two of keys, fpr and bits
  std::optional<double> fpr{};
  std::optional<std::uint64_t> bits{};
  unsigned probes = 0;  // 0: the best number, or the only one
  hasher hash{};
  std::pmr::memory_resource* memory = nullptr;
  unsigned threads = 1;  // unused: inserts run on the caller's thread
};

namespace core {

// The probability that all bits of a non-member are set, averaged over all blocks.
template <class Index, class Blocks>
[[nodiscard]] double rate_of_marks(const blocked<Index, Blocks>& engine) noexcept {
  const sizing::block_shape marks = Index::pattern_type::shape(engine.index().probes());
  const sizing::block_group large(marks, marks.probes_in(0)),
      small(marks, marks.probes_in(marks.groups - 1));
  double sum = 0;
  for (std::uint64_t block = 0; block < engine.index().blocks(); ++block) {
    if (marks.in_two) {
      // a key marks two groups: the sum of products of two different groups' rates
      double all = 0, squares = 0;
      for (unsigned g = 0; g < marks.groups; ++g) {
        const double of_group = small.rate_at(engine.blocks().ones_in_group(block, g));
        all += of_group;
        squares += of_group * of_group;
      }
      sum += (all * all - squares) / (marks.groups * (marks.groups - 1));
      continue;
    }
    double product = 1;
    for (unsigned g = 0; g < marks.groups; ++g)
      product *= (g < marks.probes % marks.groups ? large : small)
                     .rate_at(engine.blocks().ones_in_group(block, g));
    sum += product;
  }
  return sum / static_cast<double>(engine.index().blocks());
}

// The number of distinct keys inserted so far, estimated from the number of clear bits.
template <class Index, class Blocks>
[[nodiscard]] estimate cardinality_of(const blocked<Index, Blocks>& engine) noexcept {
  const sizing::block_shape marks = Index::pattern_type::shape(engine.index().probes());
  const auto& words = engine.blocks().storage();
  const auto z = static_cast<double>(engine.index().blocks());
  const auto clear = static_cast<double>(words.bytes().size() * 8 - words.ones());
  if (clear == 0) return {.value = sizing::block_cardinality(marks, 1, z), .saturated = true};
  const double keys = sizing::block_cardinality(marks, clear, z);
  return {.value = keys, .standard_error = sizing::block_cardinality_error(marks, keys, z)};
}

template <class Index, class Access = cells::plain>
class block_filter
    : public keyed<blocked<Index, umbel::cells::blocks<typename Index::pattern_type, Access>>> {
  using base = keyed<blocked<Index, umbel::cells::blocks<typename Index::pattern_type, Access>>>;
  using base::engine_, base::hash_;

 public:
  using options_type = blocked_options;
  static constexpr std::string_view kind = Index::kind;
  static constexpr std::uint32_t format_version = [] {
    if constexpr (requires { Index::pattern_type::format_version; })
      return Index::pattern_type::format_version;
    else
      return std::uint32_t{1};
  }();
  static constexpr umbel::traits traits{
      .of = family::set,
      .mergeable = true,
      .lines = sizeof(typename Index::pattern_type::word) * Index::pattern_type::block_words > 64
                   ? 2U
                   : 1U};

  block_filter() { hash_ = right_hash({}); }
  explicit block_filter(const options_type& options) : block_filter(plan(options), options) {}

  template <key_range Keys>
  [[nodiscard]] static block_filter build(const Keys& keys, const options_type& options) {
    return grown<block_filter>(keys, options);
  }
  [[nodiscard]] static umbel::plan plan(const options_type& options) {
    core::check({options.keys, options.fpr, options.bits});
    if (options.probes != 0) (void)Index(1, options.probes);  // throws if it is not allowed
    std::uint64_t keys = options.keys.value_or(0);
    std::uint64_t blocks;
    unsigned probes = options.probes;
    const auto blocks_for = [&](std::uint64_t n) {  // at this rate, with the best number of probes
      std::uint64_t fewest = 0;
      const double guess = std::log2(1 / *options.fpr);
      for (unsigned k = first_probes(guess, options); k <= last_probes(guess, options); ++k)
        if (const auto need = sizing::blocks_for_rate(pattern_type::shape(k), n, *options.fpr);
            fewest == 0 || need < fewest)
          fewest = need, probes = k;
      return fewest;
    };
    if (!options.bits) {
      blocks = blocks_for(std::max<std::uint64_t>(keys, 1));
    } else {
      blocks = std::max<std::uint64_t>(1, *options.bits / cells::block_bits);
      if (options.fpr)
        keys = static_cast<std::uint64_t>(static_cast<double>(blocks) /
                                          static_cast<double>(blocks_for(1'000'000)) * 1e6);
    }
    const double per_key = static_cast<double>(blocks) * cells::block_bits /
                           static_cast<double>(std::max<std::uint64_t>(keys, 1));
    // rounding up to whole blocks may make more probes better than the rate needs
    if (options.probes == 0) {
      const unsigned best =
          sizing::best_block_probes(pattern_type::shape, std::min(per_key, 64.0),
                                    pattern_type::min_probes, pattern_type::max_probes);
      const auto rate = [&](unsigned k) {
        return sizing::block_fpr(pattern_type::shape(k), per_key);
      };
      if (probes == 0 || rate(best) < rate(probes)) probes = best;
    }
    const double fpr = keys == 0 ? 0 : sizing::block_fpr(pattern_type::shape(probes), per_key);
    (void)Index(blocks, probes);
    check_kept(options.fpr, fpr);
    return {.keys = keys,
            .cells = blocks,
            .probes = probes,
            .bits = blocks * cells::block_bits,
            .fpr = fpr};
  }

  using base::probes;
  // The false positive rate at the present fill.
  [[nodiscard]] double expected_fpr() const noexcept {
    const sizing::block_shape marks = shape();
    const double rate = rate_of_marks(engine_);
    if (marks.patterns == 0) return rate;
    const double load = cardinality().value / static_cast<double>(engine_.index().blocks());
    // or some member has the same mask
    return rate + (1 - rate) * -std::expm1(load * std::log1p(-1.0 / marks.patterns));
  }

  // The number of distinct keys inserted so far.
  [[nodiscard]] estimate cardinality() const noexcept { return cardinality_of(engine_); }

  // The stored bits: little-endian words, block after block. A Parquet file holds exactly these.
  [[nodiscard]] std::span<const std::byte> bitset() const noexcept {
    return engine_.blocks().storage().bytes().bytes();
  }

  void check() {
    if constexpr (requires { Index::required_hash; })
      if (hash_ != Index::required_hash)
        throw corrupt(detail::text("hash: a ", kind, " is always under hash 3"));
    engine_.check();
  }

 private:
  using pattern_type = typename Index::pattern_type;
  using cells = umbel::cells::blocks<pattern_type, Access>;

  block_filter(const umbel::plan& made, const options_type& options)
      : base(right_hash(options.hash),
             typename base::engine_type(Index(made.cells, made.probes), options.memory)) {}

  [[nodiscard]] sizing::block_shape shape() const noexcept { return pattern_type::shape(probes()); }
  // The range of probes worth trying for a rate of 2^-bits: the best is a little below `bits`.
  [[nodiscard]] static unsigned first_probes(double bits, const options_type& options) noexcept {
    return options.probes != 0 ? options.probes : clamped(bits - 4);
  }
  [[nodiscard]] static unsigned last_probes(double bits, const options_type& options) noexcept {
    return options.probes != 0 ? options.probes : clamped(bits + 1);
  }
  [[nodiscard]] static unsigned clamped(double probes) noexcept {
    return static_cast<unsigned>(
        std::clamp<double>(std::round(probes), pattern_type::min_probes, pattern_type::max_probes));
  }

  // An index of a foreign format requires the hash of that format.
  [[nodiscard]] static hasher right_hash(const hasher& options) {
    if constexpr (requires { Index::required_hash; }) {
      if (options != hasher() && options != Index::required_hash)
        throw bad_parameter(
            "hash: this format fixes its hash (XXH64, seed 0) and takes no seed and no key");
      return Index::required_hash;
    } else {
      return options;
    }
  }
};

}  // namespace core
}  // namespace umbel
