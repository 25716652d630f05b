// blocked.hpp - engine of blocked Bloom filters [PSS07]: all bits of a key are in one block, so a
// query reads one cache line.
//
// Idea       `Index` maps a digest to a block and a key within it. `Blocks` sets and tests the
//            pattern of that key with vector kernels. Both process a whole batch at once: the loop
//            over keys is inside the kernel.
// Threads    As its blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <type_traits>

#include <umbel/base/error.hpp>
#include <umbel/base/ring.hpp>
#include <umbel/base/text.hpp>
#include <umbel/core/digest_lanes.hpp>
#include <umbel/hash/digest.hpp>

namespace umbel::core {

template <class Index, class Blocks>
class blocked {
 public:
  blocked() : blocked(Index()) {}
  explicit blocked(Index at, std::pmr::memory_resource* memory = nullptr)
      : index_(at), blocks_(at.blocks(), at.pattern(), memory) {}
  blocked(Index at, Blocks blocks) : index_(at), blocks_(std::move(blocks)) {}

  [[nodiscard]] const Index& index() const noexcept { return index_; }
  [[nodiscard]] Index& index() noexcept { return index_; }
  [[nodiscard]] const Blocks& blocks() const noexcept { return blocks_; }
  [[nodiscard]] Blocks& blocks() noexcept { return blocks_; }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept {
    return index_.blocks() * Blocks::block_bits;
  }

  bool insert(digest d) noexcept {
    const auto spot = index_.place(d);
    return blocks_.set(spot.block, spot.key);
  }
  [[nodiscard, gnu::always_inline]] bool may_contain(digest d) const noexcept {
    const auto spot = index_.place(d);
    return blocks_.test(spot.block, spot.key);
  }
  template <class DigestAt>
  void insert(std::size_t total, DigestAt&& digest_at) noexcept {
    blocks_.set(total, placing<std::decay_t<DigestAt>>{digest_at, index_});
  }
  void clear() noexcept { blocks_.storage().clear(); }
  // Sets all bits of `other`: the filter of the union.
  void merge(const blocked& other) {
    require_same_size(other);
    blocks_.storage() |= other.blocks_.storage();
  }
  void intersect(const blocked& other) {
    require_same_size(other);
    blocks_.storage() &= other.blocks_.storage();
  }
  // Halves the number of blocks, as if the filter had been built that small. The number must be
  // even.
  void fold() {
    if (index_.blocks() % 2 != 0)
      throw bad_parameter(detail::text("cannot halve a filter of ", index_.blocks(),
                                       " blocks: the number of blocks must be even"));
    *this = blocked(Index(index_.blocks() / 2, index_.probes()), blocks_.folded());
  }

  friend bool operator==(const blocked& a, const blocked& b) noexcept {
    return a.index_ == b.index_ && a.blocks_ == b.blocks_;
  }
  static void describe(auto& self, auto& part) {
    part.fields("index", self.index_);
    part.array("cells", self.blocks_.storage());
  }
  void check() {
    index_.check();
    blocks_.reshape(index_.blocks(), index_.pattern());
  }

  // Inserts a batch and returns how many keys changed a bit. The kernels do not report that, so
  // this is a loop over single keys with prefetching.
  template <class DigestAt>
  std::uint64_t insert_counting(std::size_t total, DigestAt&& digest_at) noexcept {
    using spot = decltype(index_.place(digest{}));
    std::uint64_t fresh = 0;
    detail::ring<spot, detail::line_ring_depth>(
        total,
        [&](std::size_t i, spot& at) {
      at = index_.place(digest_at(i));
      blocks_.prefetch_for_write(at.block);
        },
        [&](std::size_t, const spot& at) { fresh += blocks_.set(at.block, at.key); });
    return fresh;
  }
  template <class DigestAt>
  void may_contain(std::size_t total, DigestAt&& digest_at, bool* out) const noexcept {
    blocks_.test(total, placing<std::decay_t<DigestAt>>{digest_at, index_}, out);
  }

 private:
  void require_same_size(const blocked& other) const {
    if (index_ != other.index_)
      throw incompatible(detail::text("these filters differ in size: ", index_.blocks(),
                                      " blocks against ", other.index_.blocks(),
                                      "; build both with the same keys and fpr"));
  }

  // Where keys go: one at a time, or eight at a time if the index can.
  template <class DigestAt>
  struct placing {
    DigestAt digest_at;
    Index at;
    [[nodiscard]] auto operator()(std::size_t i) const noexcept { return at.place(digest_at(i)); }
#if defined(__x86_64__)
    [[nodiscard]] bool takes_eight() const noexcept requires requires { at.takes_eight(); }
    { return at.takes_eight(); }
    [[nodiscard, UMBEL_LANES]] auto eight(std::size_t i) const noexcept {
      return at.place(core::eight::digests_at(digest_at, i));
    }
#endif
  };

  Index index_;
  Blocks blocks_;
};

}  // namespace umbel::core
