// shared_packed.hpp - packed cells of 8, 16, 32 or 64 bits with concurrent readers and writers.
//
// Such cells are plain machine words, so a relaxed load or store accesses a whole cell, old or new.
//
// Limits     Cells of other widths would span words: the constructor and `reshape` reject them.
// Threads    `get` and `set`: any number of each. Accesses to different cells are not ordered.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory_resource>

#include <umbel/base/endian.hpp>
#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/cells/packed.hpp>

namespace umbel::cells {

class shared_packed : public packed {
 public:
  shared_packed() = default;
  shared_packed(std::uint64_t size, unsigned width, std::pmr::memory_resource* memory = nullptr)
      : packed(size, checked(width), memory) {}
  void reshape(std::uint64_t size, unsigned width) { packed::reshape(size, checked(width)); }

  [[nodiscard]] std::uint64_t get(std::uint64_t i) const noexcept {
    return with_cells([i](const auto* cells) -> std::uint64_t {
      using cell = std::remove_cvref_t<decltype(*cells)>;
      return std::atomic_ref<cell>(const_cast<cell&>(cells[i])).load(std::memory_order_relaxed);
    });
  }
  void set(std::uint64_t i, std::uint64_t value) noexcept {
    (void)with_cells([=](const auto* cells) -> std::uint64_t {
      using cell = std::remove_cvref_t<decltype(*cells)>;
      std::atomic_ref<cell>(const_cast<cell&>(cells[i]))
          .store(static_cast<cell>(value), std::memory_order_relaxed);
      return 0;
    });
  }

 private:
  [[nodiscard]] static unsigned checked(unsigned width) {
    if (width != 8 && width != 16 && width != 32 && width != 64)
      throw bad_parameter(
          detail::text("value_bits: threads share cells of 8, 16, 32 or 64 bits, found ", width));
    return width;
  }
  template <class Work>
  [[nodiscard]] std::uint64_t with_cells(Work&& work) const noexcept {
    switch (width()) {
      case 8: return work(as<std::uint8_t>());
      case 16: return work(as<std::uint16_t>());
      case 32: return work(as<std::uint32_t>());
      default: return work(as<std::uint64_t>());
    }
  }
};

}  // namespace umbel::cells
