// solved.hpp - minimal perfect hash by linear systems over GF(3) [GOV20]: like BDZ (bdz.hpp), but
// solved by elimination, in buckets, with 1.10 cells per key instead of 1.13.
//
// A key has three candidate cells; their sum modulo 3 says which of them is assigned to it. Peeling
// needs more cells than a solution does; elimination (solve/own_cells.hpp) finds one with fewer.
// Its time is superlinear in the number of keys, so keys are divided into buckets of about 1500,
// each with its own system. The index is the number of keys before the bucket plus the number of
// assigned cells before the key's cell in the bucket.
//
// Layout     The bucket is fastrange(hi, buckets). The directory has one word per bucket, keys
//            before it << 8 | seed, and one more after the last. The first cell of a bucket follows
//            from the keys before it. Cells have two bits and follow without gaps over all buckets:
//            0 is assigned to no key, any other value is assigned; 3 counts as 0 in the sum. A
//            bucket is three equal blocks, and every key has one cell in each. 2.25 bits per key in
//            all.
// Invariant  After build, index(x) differs for all keys of the build. It is below keys() for every
//            digest.
// Limits     A bucket is tried with 256 seeds. If none fits, or if 16384 keys are in one bucket (as
//            crafted digests may arrange), all digests are remixed; after seven remixes the build
//            throws `unsolvable`.
// Threads    Immutable: any number of readers.
// Differs    [GOV20] counts assigned cells from the start of the bucket; here a query counts from
//            the nearer end.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <umbel/base/error.hpp>
#include <umbel/base/ring.hpp>
#include <umbel/base/text.hpp>
#include <umbel/cells/packed.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/core/field_check.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/engine/retrieval/xor.hpp>
#include <umbel/hash/digest.hpp>
#include <umbel/sizing/perfect.hpp>
#include <umbel/sizing/sparse.hpp>

namespace umbel::core {

template <class Spool>
class solved_builder;

class solved_hash {
 public:
  using graph = core::xor_graph<3>;

  solved_hash() = default;

  [[nodiscard]] static umbel::plan plan(std::uint64_t n) {
    check_keys(n);
    if (n == 0) return {};
    const std::uint64_t buckets = sizing::sparse_buckets(n),
                        cells = 3 * sizing::solved_blocks(n, buckets);
    return {.keys = n,
            .cells = cells,
            .probes = 3,
            .bits = (cells::packed::words_for(cells, 2) + buckets + 1) * 64,
            .fpr = 1};
  }

  [[nodiscard]] std::uint64_t keys() const noexcept { return keys_; }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept {
    return keys_ == 0 ? 0 : (cells_.storage().size() + directory_.size()) * 64;
  }

  [[nodiscard]] std::uint64_t index(digest d) const noexcept {
    return keys_ == 0 ? 0 : index_at(at(d));
  }
  // A batch. (Prefetching all cache lines of the bucket was no faster.)
  template <class Digest>
  void indices(const Digest* some, std::size_t total, std::uint64_t* out) const noexcept {
    if (keys_ == 0) return void(std::fill_n(out, total, 0));
    detail::ring<spot>(
        total,
        [&](std::size_t i, spot& s) {
      s = at(some[i]);
      for (const std::uint64_t cell : s.cells) cells_.prefetch(cell);
        },
        [&](std::size_t i, const spot& s) { out[i] = index_at(s); });
  }

  friend bool operator==(const solved_hash& a, const solved_hash& b) noexcept {
    return a.keys_ == b.keys_ && a.redraw_ == b.redraw_ && a.directory_ == b.directory_ &&
           a.cells_ == b.cells_;
  }
  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("keys", self.keys_);
    field("redraw", self.redraw_);
  }
  static void describe(auto& self, auto& part) {
    part.fields("solved", self);
    part.array("directory", self.directory_);
    part.array("cells", self.cells_.storage());
  }
  void check() {
    const field_check require{"solved"};
    require(keys_ <= max_keys, "keys", keys_);
    require(redraw_ < (keys_ == 0 ? 1 : sizing::solved_redraws), "redraw", redraw_);
    directory_.require(keys_ == 0 ? 0 : sizing::sparse_buckets(keys_) + 1);
    if (keys_ == 0) return cells_.storage().require(0);
    // small, and queries use it unchecked: copy it
    directory_.own();
    const std::size_t buckets = directory_.size() - 1;
    require(directory_[0] >> seed_bits == 0, "first", directory_[0] >> seed_bits);
    for (std::size_t i = 0; i < buckets; ++i) {
      const std::uint64_t first = directory_[i] >> seed_bits, end = directory_[i + 1] >> seed_bits;
      require(end >= first && end - first <= sizing::sparse_bucket_most, "first", end);
    }
    // the entry after the last bucket has no seed
    require(directory_[buckets] == keys_ << seed_bits, "keys", keys_);
    cells_.reshape(3 * sizing::solved_blocks(keys_, buckets), 2);
    draw();
  }

 private:
  template <class Spool>
  friend class solved_builder;
  static constexpr unsigned seed_bits = 8;
  static constexpr std::uint64_t redraw_number = sizing::sparse_seeds;  // beside the seeds

  struct spot {
    graph::positions cells;
    std::uint64_t first, end;    // cells of the bucket
    std::uint64_t before, next;  // keys before it, and before the next
  };

  [[nodiscard]] spot at(digest d) const noexcept {
    if (redraw_ != 0) [[unlikely]]
      d = redrawn(d);
    const std::uint64_t bucket = detail::fastrange(d.hi, directory_.size() - 1),
                        entry = directory_[bucket];
    spot out;
    out.before = entry >> seed_bits;
    out.next = directory_[bucket + 1] >> seed_bits;
    const std::uint64_t first = sizing::solved_blocks(out.before, bucket),
                        end = sizing::solved_blocks(out.next, bucket + 1);
    out.first = 3 * first;
    out.end = 3 * end;
    out.cells = graph({.block = end - first})
                    .cells(detail::drawn(d, salts_[entry % sizing::sparse_seeds]).place, out.first);
    return out;
  }
  // From the nearer end of the bucket. A non-member may give an index past the last key: clamped.
  [[nodiscard]] std::uint64_t index_at(const spot& s) const noexcept {
    std::uint64_t sum = 0;
    for (const std::uint64_t cell : s.cells) sum += cells_.get(cell);
    const std::uint64_t own = s.cells[sum % 3];
    const bool near_first = own - s.first < s.end - own;  // unpredictable: no branch
    const std::uint64_t count = owned(near_first ? s.first : own, near_first ? own : s.end);
    return std::min(near_first ? s.before + count : s.next - count, keys_ - 1);
  }
  // The number of assigned cells in [first, end).
  [[nodiscard]] std::uint64_t owned(std::uint64_t first, std::uint64_t end) const noexcept {
    constexpr unsigned in_word = 32;
    const auto count = [](std::uint64_t word) {
      return detail::bit_counts((word | word >> 1) & 0x5555555555555555).all();
    };
    const std::uint64_t* const words = cells_.storage().data();
    const std::uint64_t last = end / in_word;
    std::uint64_t at = first / in_word, word = words[at] & ~detail::low_mask(2 * (first % in_word)),
                  out = 0;
    for (; at < last; word = words[++at]) out += count(word);
    return out + count(word & detail::low_mask(2 * (end % in_word)));
  }

  [[nodiscard]] digest redrawn(digest d) const noexcept {
    const auto words =
        detail::remixer(detail::salt_of(detail::stage::fuse, redraw_number + redraw_))(d);
    return {words.first(), words.second()};
  }
  void draw() {
    salts_.clear();
    std::uint64_t most = 0;
    for (const std::uint64_t entry : directory_.span())
      most = std::max(most, entry % sizing::sparse_seeds);
    for (std::uint64_t seed = 0; seed <= most; ++seed) salts_.push_back(graph_salt(seed));
  }

  std::uint64_t keys_ = 0;
  std::uint64_t redraw_ = 0;
  cells::words<> directory_;  // keys before every bucket << 8 | its seed; then all keys << 8
  cells::packed cells_;
  std::vector<std::uint64_t> salts_;  // of every seed in use; follow from the directory
};

}  // namespace umbel::core
