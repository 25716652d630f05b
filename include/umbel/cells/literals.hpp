// literals.hpp - cells of a generalized Bloom filter [LVC05]: each cell is a literal, "bit i is
// set" or "bit i is clear".
//
// m bits have 2m literals: number i says that bit i is set, number m + i that it is clear. Making
// one literal true may make another false, so what a key states can be overwritten.
//
// Layout     The m bits, laid out as in bits.hpp.
// Threads    Many readers or one writer.
#pragma once

#include <cstdint>
#include <memory_resource>

#include <umbel/cells/bits.hpp>

namespace umbel::cells {

class literals {
 public:
  literals() = default;
  explicit literals(std::uint64_t statements, std::pmr::memory_resource* memory = nullptr)
      : bits_(statements / 2, memory) {}

  // number of bits: half the number of literals
  [[nodiscard]] std::uint64_t size() const noexcept { return bits_.size(); }
  [[nodiscard]] bool test(std::uint64_t i) const noexcept {
    return bits_.test(bit_of(i)) == says_set(i);
  }
  // Returns true if the literal was false.
  bool set(std::uint64_t i) noexcept { return says_set(i) ? bits_.set(i) : bits_.reset(bit_of(i)); }
  void prefetch(std::uint64_t i) const noexcept { bits_.prefetch(bit_of(i)); }
  void prefetch_for_write(std::uint64_t i) const noexcept { bits_.prefetch_for_write(bit_of(i)); }

  void reshape(std::uint64_t statements) { bits_.reshape(statements / 2); }
  [[nodiscard]] const words<>& storage() const noexcept { return bits_.storage(); }
  [[nodiscard]] words<>& storage() noexcept { return bits_.storage(); }
  friend bool operator==(const literals&, const literals&) noexcept = default;

 private:
  [[nodiscard]] bool says_set(std::uint64_t i) const noexcept { return i < bits_.size(); }
  [[nodiscard]] std::uint64_t bit_of(std::uint64_t i) const noexcept {
    return says_set(i) ? i : i - bits_.size();
  }

  bits bits_;
};

}  // namespace umbel::cells
