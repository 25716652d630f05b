// flagged_bits.hpp - bits with collision flags per region, as in deletable Bloom filters [RMVM10].
//
// A bit that only one key has set may be cleared when that key is erased. One flag per region of
// adjacent bits records whether any bit of the region was set twice. A flag is never cleared again.
//
// Layout     `bits`, where bit i is in region high64(i * floor(2^64 * regions / bits)), and one
//            flag per region.
// Invariant  In a region without its flag, every set bit was set exactly once since it was last
//            clear.
// Threads    Many readers or one writer.
#pragma once

#include <cstdint>
#include <memory_resource>

#include <umbel/base/error.hpp>
#include <umbel/base/integers.hpp>
#include <umbel/base/text.hpp>
#include <umbel/cells/bits.hpp>

namespace umbel::cells {

class flagged_bits {
 public:
  static constexpr bool each_key_once = true;  // a key's probes must be distinct bits

  flagged_bits() : flagged_bits(2, 1) {}
  // Requires more bits than regions.
  flagged_bits(std::uint64_t size, std::uint64_t regions,
               std::pmr::memory_resource* memory = nullptr)
      : bits_(size, memory), flags_(regions, memory), regions_(regions) {
    check_regions(size);
  }

  [[nodiscard]] std::uint64_t size() const noexcept { return bits_.size(); }
  [[nodiscard]] std::uint64_t regions() const noexcept { return regions_; }
  [[nodiscard]] bool test(std::uint64_t i) const noexcept { return bits_.test(i); }
  // Returns true if the bit was clear. Otherwise flags its region.
  bool set(std::uint64_t i) noexcept {
    if (bits_.set(i)) return true;
    flags_.set(region(i));
    return false;
  }
  // Whether the bit's region has no collision, so the bit may be cleared.
  [[nodiscard]] bool free(std::uint64_t i) const noexcept { return !flags_.test(region(i)); }
  // Returns true if the bit was cleared.
  bool unset(std::uint64_t i) noexcept { return free(i) && bits_.reset(i); }
  void clear() noexcept {
    bits_.storage().clear();
    flags_.storage().clear();
  }
  void prefetch(std::uint64_t i) const noexcept { bits_.prefetch(i); }
  void prefetch_for_write(std::uint64_t i) const noexcept {
    bits_.prefetch_for_write(i);
    flags_.prefetch(region(i));
  }

  [[nodiscard]] const bits& plain() const noexcept { return bits_; }
  [[nodiscard]] const bits& flags() const noexcept { return flags_; }
  friend bool operator==(const flagged_bits& a, const flagged_bits& b) noexcept {
    return a.bits_ == b.bits_ && a.flags_ == b.flags_;
  }

  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("regions", self.regions_);
  }
  static void describe(auto& self, auto& part) {
    part.fields("regions", self);
    part.array("cells", self.bits_.storage());
    part.array("flags", self.flags_.storage());
  }
  // After loading: sets the number of bits.
  void reshape(std::uint64_t size) {
    check_regions(size);
    bits_.reshape(size);
    flags_.reshape(regions_);
  }

 private:
  void check_regions(std::uint64_t size) {
    if (regions_ == 0 || regions_ >= size)
      throw bad_parameter(detail::text("regions: expected at least one, and fewer than the ", size,
                                       " bits, found ", regions_));
    scale_ = static_cast<std::uint64_t>((static_cast<detail::uint128>(regions_) << 64) / size);
  }
  [[nodiscard]] std::uint64_t region(std::uint64_t i) const noexcept {
    return static_cast<std::uint64_t>(static_cast<detail::uint128>(i) * scale_ >> 64);
  }

  bits bits_, flags_;
  std::uint64_t regions_ = 1;
  std::uint64_t scale_ = 0;  // computed from the sizes
};

}  // namespace umbel::cells
