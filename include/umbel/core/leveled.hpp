// leveled.hpp - minimal perfect hash by levels: keys that fall alone are numbered, the others try again in a smaller array.
// Idea       At a level of two bits per key, three keys in five fall on a bit of their own, which is set; the rest goes to
//            the next level. A key's index is the number of set bits before its own, over all levels.
// Layout     Levels of whole words, one after another in one array of bits. As many as it takes until no key is left.
// Invariant  After build, index(x) differs for all keys given. Below keys() for every digest whatever.
// Limits     Memory while building: two bits for each bit of a level beside the spool of keys left. Any number of keys.
// Threads    Immutable: any number of readers. The build starts `threads` threads; bits are set by all in any order.
// Source     [LRCP17]; here no key is left to a table at the end.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <umbel/base/error.hpp>
#include <umbel/base/parallel.hpp>
#include <umbel/base/text.hpp>
#include <umbel/cells/ranked_bits.hpp>
#include <umbel/core/budget.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/core/spool.hpp>
#include <umbel/hash/digest.hpp>
#include <umbel/sizing/perfect.hpp>

namespace umbel::core {

class leveled {
 public:
  static constexpr std::uint64_t nobody = ~std::uint64_t{0};

  leveled() = default;

  [[nodiscard]] static umbel::plan plan(std::uint64_t n) {
    check_keys(n);
    const std::uint64_t bits = sizing::level_bits_in_all(n);
    return {.keys = n, .cells = bits, .probes = 1, .bits = bits + bits / 16, .fpr = n == 0 ? 0.0 : 1.0};
  }

  // Repeats are dropped. Throws unsolvable.
  template <class Record>
  [[nodiscard]] static leveled build(const basic_spool<Record>& keys, std::pmr::memory_resource* memory,
                                     unsigned threads) {
    check_keys(keys.size());
    if (auto out = try_build(keys, memory, threads)) return *std::move(out);
    if (auto out = try_build(keys.distinct(threads), memory, threads)) return *std::move(out);
    throw unsolvable(detail::text("levels: ", sizing::most_levels, " do not separate ", keys.size(), " keys"));
  }

  [[nodiscard]] std::uint64_t keys() const noexcept { return keys_; }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept { return bits_.size_in_bits() + sizes_.size() * 64; }

  [[nodiscard]] std::uint64_t index(digest d) const noexcept {
    const std::uint64_t found = seek(d);
    return found == nobody ? 0 : found;
  }
  // The index, or `nobody` if the key falls on no set bit at any level: then it was not given. Bits that changed since they
  // were counted may lead past the last key.
  [[nodiscard]] std::uint64_t seek(digest d) const noexcept {
    for (const level& at : levels_)
      if (const std::uint64_t position = at.position(d); bits_.test(position))
        return std::min(bits_.rank(position), keys_ - 1);
    return nobody;
  }
  // Of many at once. Keys that are not alone at a level go on to the next together: there is always enough on its way.
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

  friend bool operator==(const leveled& a, const leveled& b) noexcept {
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
    const auto require = [](bool holds, std::string_view field, std::uint64_t found) {
      if (!holds) throw corrupt(detail::text("leveled: field ", field, " has the impossible value ", found));
    };
    require(keys_ <= most_keys, "keys", keys_);
    require(sizes_.size() <= sizing::most_levels && (sizes_.size() != 0) == (keys_ != 0), "levels", sizes_.size());
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
  struct level {
    detail::remixer words;
    std::uint64_t first, size;
    [[nodiscard]] std::uint64_t position(digest d) const noexcept {
      return first + detail::fastrange(words(d).first(), size);
    }
  };
  [[nodiscard]] static level level_at(std::uint64_t number, std::uint64_t first, std::uint64_t size) noexcept {
    return {detail::remixer(detail::salt_of(detail::stage::levels, number)), first, size};
  }

  // Nothing if some keys are never alone: they repeat.
  template <class Record>
  [[nodiscard]] static std::optional<leveled> try_build(const basic_spool<Record>& keys,
                                                        std::pmr::memory_resource* memory, unsigned threads) {
    leveled out;
    out.keys_ = keys.size();
    std::vector<cells::shared_bits> made;
    digest_spool left(keys.how());
    for (std::uint64_t remaining = keys.size(); remaining != 0; remaining = left.size()) {
      if (made.size() == sizing::most_levels) return std::nullopt;
      const level at = level_at(made.size(), 0, sizing::level_bits(remaining));
      cells::shared_bits met(at.size, memory);
      made.emplace_back(at.size, memory);
      if (made.size() == 1)
        left = divide(keys, at, made.back(), met, threads);
      else
        left = divide(left, at, made.back(), met, threads);
    }
    out.sizes_ = cells::words<>(made.size(), memory);
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < made.size(); ++i) all += out.sizes_[i] = made[i].size();
    cells::bits joined(all, memory);
    std::uint64_t* next = joined.storage().data();
    for (const auto& one : made) next = std::copy_n(one.storage().data(), one.storage().size(), next);
    out.bits_ = cells::ranked_bits(std::move(joined));
    out.draw_levels();
    return out;
  }

  // Sets the bits of `alone` on which one key falls, and returns the other keys.
  template <class Record>
  [[nodiscard]] static digest_spool divide(const basic_spool<Record>& keys, const level& at, cells::shared_bits& alone,
                                           cells::shared_bits& met, unsigned threads) {
    constexpr std::size_t bins = basic_spool<Record>::bins;
    const auto each = [&](auto&& work) {
      detail::parallel_for(bins, threads, [&](std::size_t bin, std::size_t worker) {
        keys.for_each(bin, bin + 1, [&](std::span<const Record> block) {
          for (const Record& record : block) work(key_of(record), worker);
        });
      });
    };
    each([&](digest d, std::size_t) {
      const std::uint64_t i = at.position(d);
      if (!alone.set(i)) (void)met.set(i);  // of two that race one is told that the bit was set
    });
    std::vector<digest_spool> left;
    for (std::size_t i = detail::crew_size(bins, threads); i > 0; --i) left.emplace_back(keys.how());
    each([&](digest d, std::size_t worker) {
      if (met.test(at.position(d))) left[worker].add(d);
    });
    for (std::size_t i = 1; i < left.size(); ++i) left[0].append(std::move(left[i]));
    for (std::size_t i = 0; i < met.storage().size(); ++i) alone.storage()[i] &= ~met.storage()[i];
    return std::move(left[0]);
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
