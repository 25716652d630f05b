// blocked.hpp - everything that keeps a key inside one block: one cache line per key, whole blocks at a time.
// Idea       `Index` names a block and the key inside it, `Blocks` sets and tests its pattern with vector kernels.
//            Both are asked for a whole batch at once: the loop over keys belongs to the kernel.
// Threads    As its blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <type_traits>

#include <umbel/base/ring.hpp>
#include <umbel/hash/digest.hpp>
#include <umbel/index/digest_lanes.hpp>

namespace umbel::core {

template <class Index, class Blocks>
class blocked {
 public:
  blocked() : blocked(Index()) {}
  explicit blocked(Index at, std::pmr::memory_resource* memory = nullptr)
      : at_(at), blocks_(at.blocks(), at.how(), memory) {}
  blocked(Index at, Blocks blocks) : at_(at), blocks_(std::move(blocks)) {}

  [[nodiscard]] const Index& at() const noexcept { return at_; }
  [[nodiscard]] Index& at() noexcept { return at_; }
  [[nodiscard]] const Blocks& blocks() const noexcept { return blocks_; }
  [[nodiscard]] Blocks& blocks() noexcept { return blocks_; }
  void check() {
    at_.check();
    blocks_.reshape(at_.blocks(), at_.how());
  }

  bool insert(digest d) noexcept {
    const auto spot = at_.place(d);
    return blocks_.set(spot.block, spot.key);
  }
  [[nodiscard]] bool query(digest d) const noexcept {
    const auto spot = at_.place(d);
    return blocks_.test(spot.block, spot.key);
  }
  template <class DigestAt>
  void insert(std::size_t total, DigestAt&& digest_at) noexcept {
    blocks_.set(total, placing<std::decay_t<DigestAt>>{digest_at, at_});
  }
  // How many of them changed a block. Kernels do not tell, so this is a loop over single keys, each fetched ahead.
  template <class DigestAt>
  std::uint64_t insert_counting(std::size_t total, DigestAt&& digest_at) noexcept {
    using spot = decltype(at_.place(digest{}));
    std::uint64_t fresh = 0;
    detail::ring<spot, detail::line_ring_depth>(
        total,
        [&](std::size_t i, spot& at) {
          at = at_.place(digest_at(i));
          blocks_.prefetch_for_write(at.block);
        },
        [&](std::size_t, const spot& at) { fresh += blocks_.set(at.block, at.key); });
    return fresh;
  }
  template <class DigestAt>
  void query(std::size_t total, DigestAt&& digest_at, bool* out) const noexcept {
    blocks_.test(total, placing<std::decay_t<DigestAt>>{digest_at, at_}, out);
  }

 private:
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
      return at.place(index::eight::digests_at(digest_at, i));
    }
#endif
  };

  Index at_;
  Blocks blocks_;
};

}  // namespace umbel::core
