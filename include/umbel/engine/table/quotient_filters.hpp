// quotient_filters.hpp - what approximate sets over one table of runs have: queries, erases, and both in batches.
// Idea       A structure on top says where a key belongs (`locate`), whether its home holds it (`holds`) and how one copy of it
//            goes (`take_out`); the last two take the word operations they are compiled for. Loops and waiting are here.
// Threads    Many readers or one writer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <umbel/cells/kernel/word_bits.hpp>
#include <umbel/core/face.hpp>
#include <umbel/engine/table/quotient_table.hpp>
#include <umbel/hash/hasher.hpp>

namespace umbel::core {

template <class Self>
class run_filter : public set_queries<Self>, public set_erases<Self> {
 public:
  [[nodiscard]] std::uint64_t slots() const noexcept { return table_.slots(); }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept { return table_.size_in_bits(); }
  [[nodiscard]] const hasher& hash() const noexcept { return hash_; }

 protected:
  using spot = quotient_table::spot;

  run_filter() = default;
  run_filter(const hasher& hash, quotient_table table) : hash_(hash), table_(std::move(table)) {}

  // The spot of every key of a batch.
  [[nodiscard]] auto located(auto& digest_at) const noexcept {
    return [this, &digest_at](std::size_t i) { return self().locate(digest_at(i)); };
  }

  hasher hash_;
  quotient_table table_;

 private:
  friend set_queries<Self>;
  friend set_erases<Self>;
  [[nodiscard]] const Self& self() const noexcept { return static_cast<const Self&>(*this); }
  [[nodiscard]] Self& self() noexcept { return static_cast<Self&>(*this); }

  // Nothing is captured: what a kernel's copy of the loop needs is given to it.
  [[nodiscard]] bool may_contain_digest(digest d) const noexcept {
    return cells::kernel::with_word_bits([](auto bits, const Self* of, const spot key) { return of->holds(bits, key); },
                                         &self(), self().locate(d));
  }
  void may_contain_digests(std::size_t total, auto& digest_at, bool* out) const noexcept {
    table_.each_read(total, located(digest_at),
                     [&](auto bits, std::size_t i, const spot& key) { out[i] = self().holds(bits, key); });
  }
  erasure erase_digest(digest d) noexcept {
    const bool done = cells::kernel::with_word_bits(
        [](auto bits, Self* of, const spot key) { return of->take_out(bits, key); }, &self(), self().locate(d));
    return done ? erasure::done : erasure::absent;
  }
  std::size_t erase_digests(std::size_t total, auto& digest_at) noexcept {
    std::size_t done = 0;
    table_.each_written(total, located(digest_at),
                        [&](auto bits, std::size_t, const spot& key) { done += self().take_out(bits, key); });
    return done;
  }
};

}  // namespace umbel::core
