// bbhash.hpp - BBHash minimal perfect hash [LRCP17]: levels of bits; keys that collide at one level
// go to the next.
//
// A level has two bits per key. Three keys in five are the only key on their bit; these bits are
// set. All other keys go to the next level. The index of a key is the number of set bits before its
// own bit, over all levels.
//
// Layout     One array of bits, in which the levels follow one another. Each level is a whole
//            number of words. There are as many levels as it takes until no key is left.
// Invariant  After build, index(x) differs for all keys of the build. It is below keys() for every
//            digest.
// Threads    Immutable: any number of readers.
// Differs    [LRCP17] puts the keys that are left after the last level into a hash table. Here no
//            key is left.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/cells/ranked_bits.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/core/field_check.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/hash/digest.hpp>
#include <umbel/sizing/perfect.hpp>

namespace umbel::core {

template <class Spool>
class bbhash_builder;

class bbhash {
 public:
  static constexpr std::uint64_t nobody = ~std::uint64_t{0};

  bbhash() = default;

  [[nodiscard]] static umbel::plan plan(std::uint64_t n) {
    check_keys(n);
    const std::uint64_t bits = sizing::level_bits_in_all(n);
    return {
        .keys = n, .cells = bits, .probes = 1, .bits = bits + bits / 16, .fpr = n == 0 ? 0.0 : 1.0};
  }

  [[nodiscard]] std::uint64_t keys() const noexcept { return keys_; }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept {
    return bits_.size_in_bits() + sizes_.size() * 64;
  }

  [[nodiscard]] std::uint64_t index(digest d) const noexcept {
    const std::uint64_t found = seek(d);
    return found == nobody ? 0 : found;
  }
  // The index, or `nobody` if the key hits no set bit at any level: it was not in the build. The
  // result is clamped because the bits of a mapped file can change after their ranks were counted.
  [[nodiscard]] std::uint64_t seek(digest d) const noexcept {
    for (const level& at : levels_)
      if (const std::uint64_t position = at.position(d); bits_.test(position))
        return std::min(bits_.rank(position), keys_ - 1);
    return nobody;
  }
  // A batch. Keys that hit a clear bit at one level go to the next level together, so that enough
  // prefetches are in flight at every level.
  template <class Digest>
  void indices(const Digest* keys, std::size_t total, std::uint64_t* out) const noexcept {
    if (keys_ == 0) return void(std::fill_n(out, total, 0));
    constexpr std::size_t most = 128;
    for (std::size_t first = 0; first < total; first += most) {
      struct {
        std::uint64_t position;
        std::size_t key;
      } left[most];
      std::size_t count = std::min(most, total - first);
      for (std::size_t i = 0; i < count; ++i) {
        left[i] = {levels_[0].position(keys[first + i]), first + i};
        bits_.prefetch(left[i].position);
      }
      for (std::size_t next = 1; count != 0; ++next) {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < count; ++i) {
          const auto [position, key] = left[i];
          if (bits_.test(position)) {
            out[key] = std::min(bits_.rank(position), keys_ - 1);
          } else if (next == levels_.size()) {
            out[key] = 0;
          } else {
            left[kept] = {levels_[next].position(keys[key]), key};
            bits_.prefetch(left[kept++].position);
          }
        }
        count = kept;
      }
    }
  }

  friend bool operator==(const bbhash& a, const bbhash& b) noexcept {
    return a.keys_ == b.keys_ && a.sizes_ == b.sizes_ && a.bits_ == b.bits_;
  }
  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    field("keys", self.keys_);
  }
  static void describe(auto& self, auto& part) {
    part.fields("leveled", self);
    part.array("levels", self.sizes_);
    part.array("bits", self.bits_.storage());
  }
  void check() {
    const field_check require{"leveled"};
    require(keys_ <= max_keys, "keys", keys_);
    require(sizes_.size() <= sizing::max_levels && (sizes_.size() != 0) == (keys_ != 0), "levels",
            sizes_.size());
    sizes_.own();  // small, and queries follow what is drawn from it
    std::uint64_t all = 0;
    for (const std::uint64_t size : std::as_const(sizes_).span()) {
      require(size != 0 && size % 64 == 0 && size <= sizing::max_bits, "levels", size);
      all += size;
    }
    require(all <= sizing::max_bits, "levels", all);
    bits_.reshape(all);
    require(bits_.ones() == keys_, "keys", keys_);
    draw_levels();
  }

 private:
  template <class Spool>
  friend class bbhash_builder;

  struct level {
    detail::remixer words;
    std::uint64_t first, size;
    [[nodiscard]] std::uint64_t position(digest d) const noexcept {
      return first + detail::fastrange(words(d).first(), size);
    }
  };
  [[nodiscard]] static level level_at(std::uint64_t number, std::uint64_t first,
                                      std::uint64_t size) noexcept {
    return {detail::remixer(detail::salt_of(detail::stage::levels, number)), first, size};
  }

  void draw_levels() {
    levels_.clear();
    std::uint64_t first = 0;
    for (const std::uint64_t size : std::as_const(sizes_).span()) {
      levels_.push_back(level_at(levels_.size(), first, size));
      first += size;
    }
  }

  std::uint64_t keys_ = 0;
  cells::words<> sizes_;  // of the levels, in bits
  cells::ranked_bits bits_;
  std::vector<level> levels_;  // follows from sizes_
};

}  // namespace umbel::core
