// blocked.hpp - everything that keeps a key inside one block: one cache line per key, whole blocks at a time.
// Idea       `Index` names a block and the bits inside it, `Blocks` sets and tests them with vector kernels.
// Threads    As its blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>

#include <umbel/core/batch.hpp>
#include <umbel/hash/digest.hpp>

namespace umbel::core {

template <class Index, class Blocks>
class blocked {
 public:
  blocked() : blocked(Index()) {}
  explicit blocked(Index at, std::pmr::memory_resource* memory = nullptr) : at_(at), blocks_(at.blocks(), memory) {}
  blocked(Index at, Blocks blocks) : at_(at), blocks_(std::move(blocks)) {}

  [[nodiscard]] const Index& at() const noexcept { return at_; }
  [[nodiscard]] Index& at() noexcept { return at_; }
  [[nodiscard]] const Blocks& blocks() const noexcept { return blocks_; }
  [[nodiscard]] Blocks& blocks() noexcept { return blocks_; }
  void check() {
    at_.check();
    blocks_.reshape(at_.blocks());
  }

  bool insert(digest d) noexcept { return blocks_.set(at_.block(d), at_.lane_key(d)); }
  [[nodiscard]] bool query(digest d) const noexcept { return blocks_.test(at_.block(d), at_.lane_key(d)); }

  void insert(std::span<const digest> keys) noexcept {
    in_groups<slot>(
        keys.size(),
        [&](std::size_t first, std::size_t count, slot& s) {
          for (std::size_t i = 0; i < count; ++i) {
            place(keys[first + i], s, i);
            blocks_.prefetch_for_write(s.block[i]);
          }
        },
        [&](std::size_t, std::size_t count, slot& s) { blocks_.set(s.block, s.key, count); });
  }
  void query(std::span<const digest> keys, bool* out) const noexcept {
    in_groups<slot>(
        keys.size(),
        [&](std::size_t first, std::size_t count, slot& s) {
          for (std::size_t i = 0; i < count; ++i) {
            place(keys[first + i], s, i);
            blocks_.prefetch(s.block[i]);
          }
        },
        [&](std::size_t first, std::size_t count, slot& s) { blocks_.test(s.block, s.key, count, out + first); });
  }

 private:
  struct slot {
    std::uint64_t block[group_size];
    std::uint32_t key[group_size];
  };
  void place(digest d, slot& s, std::size_t i) const noexcept {
    s.block[i] = at_.block(d);
    s.key[i] = at_.lane_key(d);
  }

  Index at_;
  Blocks blocks_;
};

}  // namespace umbel::core
