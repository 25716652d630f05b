// blocked.hpp - everything that keeps a key inside one block: one cache line per key, whole blocks
// at a time.
// Idea       `Index` names a block and the key inside it, `Blocks` sets and tests its pattern with
//            vector kernels. Both are asked for a whole batch at once: the loop over keys belongs
//            to the kernel.
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
  // Every mark of both: the filter of the union.
  void merge(const blocked& other) {
    require_same_size(other);
    blocks_.storage() |= other.blocks_.storage();
  }
  void intersect(const blocked& other) {
    require_same_size(other);
    blocks_.storage() &= other.blocks_.storage();
  }
  // Half as many blocks, as if built that small. Needs an even number of blocks.
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

  // How many of them changed a block. Kernels do not tell, so this is a loop over single keys, each
  // fetched ahead.
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

  // Where keys go, one by one or, if the index can, eight at a time.
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
