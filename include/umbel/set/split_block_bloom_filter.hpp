// split_block_bloom_filter.hpp - the fastest approximate set: one cache line per key, eight bits by one multiplication.
// Idea       A key belongs to one 256-bit block and sets one bit in each of its eight 32-bit lanes.
// Layout     z blocks of 32 bytes; any z that fits in memory.
// Invariant  As bloom_filter: no key is forgotten, equal sets give equal bits, unions are exact.
// Limits     Always eight bits per key, and blocks fill unevenly: at 12 bits per key 0.54% instead of 0.31%. Best from
//            8 to 16 bits per key; ask fuse_filter for rates below 0.1%.
// Threads    Many readers or one writer; `concurrent_split_block_bloom_filter` takes any number of both.
// Source     [PSS07], and the Parquet format; differs from it in hash and size: see parquet_filter.hpp for that one.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <string_view>

#include <umbel/base/error.hpp>
#include <umbel/cells/split_blocks.hpp>
#include <umbel/core/blocked.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/core/estimate.hpp>
#include <umbel/core/face.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/core/traits.hpp>
#include <umbel/hash/hasher.hpp>
#include <umbel/index/split_block.hpp>
#include <umbel/sizing/blocked.hpp>

namespace umbel {

struct split_block_options {
  std::optional<std::uint64_t> keys{};  // of keys, fpr and bits exactly two
  std::optional<double> fpr{};
  std::optional<std::uint64_t> bits{};
  hasher hash{};
  std::pmr::memory_resource* memory = nullptr;
  unsigned threads = 1;  // inserts run on the caller's thread: here for uniformity
};

template <class Index = index::split_block, class Cells = cells::split_blocks>
class basic_split_block_bloom_filter : public core::set_queries<basic_split_block_bloom_filter<Index, Cells>>,
                                       public core::set_inserts<basic_split_block_bloom_filter<Index, Cells>> {
 public:
  using options = split_block_options;
  static constexpr std::string_view kind = Index::kind;
  static constexpr std::uint32_t format_version = 1;
  static constexpr traits what{.of = family::set, .mergeable = true};

  basic_split_block_bloom_filter() : hash_(right_hash({})) {}
  explicit basic_split_block_bloom_filter(const options& wish)
      : hash_(right_hash(wish.hash)), engine_(Index(plan(wish).cells), wish.memory) {}

  [[nodiscard]] static umbel::plan plan(const options& wish) {
    core::check({wish.keys, wish.fpr, wish.bits});
    constexpr double per_block = Cells::block_bits;
    std::uint64_t keys = wish.keys.value_or(0);
    std::uint64_t blocks;
    if (!wish.bits) {
      blocks = sizing::split_blocks_for_rate(std::max<std::uint64_t>(keys, 1), *wish.fpr);
    } else {
      blocks = std::max<std::uint64_t>(1, *wish.bits / Cells::block_bits);
      if (wish.fpr) {
        const double per_million = static_cast<double>(sizing::split_blocks_for_rate(1'000'000, *wish.fpr));
        keys = static_cast<std::uint64_t>(static_cast<double>(blocks) / per_million * 1e6);
      }
    }
    const double size = static_cast<double>(blocks) * per_block;
    const double fpr = keys == 0 ? 0 : sizing::lanes_fpr(size / static_cast<double>(keys), 32, 8);
    Index(blocks).check();
    core::check_kept(wish.fpr, fpr);
    return {.keys = keys, .cells = blocks, .probes = 8, .bits = blocks * Cells::block_bits, .fpr = fpr};
  }

  void clear() noexcept { engine_.blocks().storage().clear(); }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept { return engine_.at().blocks() * Cells::block_bits; }
  [[nodiscard]] double expected_fpr() const noexcept { return engine_.blocks().stranger_rate(); }

  // Distinct keys inserted so far: in every lane a key is one ball thrown into 32 bins per block.
  [[nodiscard]] estimate cardinality() const noexcept {
    const auto bins = 32 * static_cast<double>(engine_.at().blocks());
    const auto clear = static_cast<double>(size_in_bits() - engine_.blocks().storage().ones());
    if (clear == 0) return {.value = sizing::bloom_cardinality(1, bins, 1), .saturated = true};
    const double keys = sizing::bloom_cardinality(clear / 8, bins, 1);
    return {.value = keys, .standard_error = sizing::lanes_cardinality_error(keys, bins / 32, 32, 8)};
  }

  void merge(const basic_split_block_bloom_filter& other) {
    require_alike(other);
    engine_.blocks().storage() |= other.engine_.blocks().storage();
  }
  void intersect(const basic_split_block_bloom_filter& other) {
    require_alike(other);
    engine_.blocks().storage() &= other.engine_.blocks().storage();
  }
  // Half as many blocks, as if built that small. Needs an even number of blocks.
  void fold() {
    if (engine_.at().blocks() % 2 != 0)
      throw bad_parameter(detail::text("fold: needs an even number of blocks, found ", engine_.at().blocks()));
    engine_ = engine(Index(engine_.at().blocks() / 2), engine_.blocks().folded());
  }

  // The bits as the Parquet format lays them out: little-endian words, block after block.
  [[nodiscard]] std::span<const std::byte> bitset() const noexcept {
    return engine_.blocks().storage().bytes().bytes();
  }

  [[nodiscard]] const hasher& hash() const noexcept { return hash_; }
  friend bool operator==(const basic_split_block_bloom_filter& a, const basic_split_block_bloom_filter& b) noexcept {
    return a.hash_ == b.hash_ && a.engine_.blocks() == b.engine_.blocks();
  }

  static void describe(auto& self, auto& part) {
    part.hash(self.hash_);
    part.fields("index", self.engine_.at());
    part.array("cells", self.engine_.blocks().storage());
  }
  void check() {
    if constexpr (requires { Index::required_hash; })
      if (hash_ != Index::required_hash) throw corrupt(detail::text("hash: a ", kind, " is always under hash 3"));
    engine_.check();
  }

 private:
  friend core::set_queries<basic_split_block_bloom_filter>;
  friend core::set_inserts<basic_split_block_bloom_filter>;
  using engine = core::blocked<Index, Cells>;

  bool insert_digest(digest d) noexcept { return engine_.insert(d); }
  void insert_digests(std::size_t total, auto& digest_at) noexcept { engine_.insert(total, digest_at); }
  [[nodiscard]] bool may_contain_digest(digest d) const noexcept { return engine_.query(d); }
  void may_contain_digests(std::size_t total, auto& digest_at, bool* out) const noexcept {
    engine_.query(total, digest_at, out);
  }

  // A foreign index works under its own hash only.
  [[nodiscard]] static hasher right_hash(const hasher& wish) {
    if constexpr (requires { Index::required_hash; }) {
      if (wish != hasher() && wish != Index::required_hash)
        throw bad_parameter("hash: this format fixes its hash (XXH64, seed 0) and takes no seed and no key");
      return Index::required_hash;
    } else {
      return wish;
    }
  }
  void require_alike(const basic_split_block_bloom_filter& other) const {
    if (hash_ != other.hash_) throw incompatible("these filters were built with different hashes, seeds or keys");
    if (engine_.at() != other.engine_.at())
      throw incompatible(detail::text("these filters differ in size: ", engine_.at().blocks(), " blocks against ",
                                      other.engine_.at().blocks()));
  }

  hasher hash_;
  engine engine_;
};

using split_block_bloom_filter = basic_split_block_bloom_filter<>;
using concurrent_split_block_bloom_filter =
    basic_split_block_bloom_filter<index::split_block, cells::shared_split_blocks>;

}  // namespace umbel
