// reread.hpp - keys, or pairs, of a static build, hashed where they lie whenever they are read.
// Idea       A build that reads all keys once, and again only when an attempt fails, needs no copy of
//            them: 16 bytes per key that are written, read and given back.
// Limits     A part of the bins costs as much as all. The keys must outlive it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <umbel/core/keys.hpp>
#include <umbel/core/record_source.hpp>
#include <umbel/core/spool.hpp>

namespace umbel::core {

// What read(add) adds, the same every time it is called.
template <class Record, class Read>
class reread final : public record_source<Record> {
  using base = record_source<Record>;

 public:
  reread(std::uint64_t size, Read read) : size_(size), read_(std::move(read)) {}

  [[nodiscard]] std::uint64_t size() const noexcept override { return size_; }
  [[nodiscard]] std::uint64_t count(std::size_t first, std::size_t last) const override {
    if (first == 0 && last == base::bins) return size_;
    std::uint64_t sum = 0;
    base::for_each(first, last, [&](std::span<const Record> block) { sum += block.size(); });
    return sum;
  }
  [[nodiscard]] basic_spool<Record> distinct(unsigned threads) const override {
    basic_spool<Record> all;
    read_([&](const Record& record) { all.add(record); });
    return all.distinct(threads);
  }

 private:
  void visit(std::size_t first, std::size_t last, typename base::visitor work,
             void* context) const override {
    Record block[128];  // stays in the innermost cache
    std::size_t held = 0;
    read_([&](const Record& record) {
      block[held++] = record;
      if (held == std::size(block))
        deliver(first, last, {block, std::exchange(held, 0)}, work, context);
    });
    deliver(first, last, {block, held}, work, context);
  }
  static void deliver(std::size_t first, std::size_t last, std::span<Record> block,
                      typename base::visitor work, void* context) {
    if (last - first == base::bins) return work(context, block);
    const auto elsewhere = [=](const Record& record) {
      const std::size_t bin = key_of(record).hi >> (64 - base::bin_bits);
      return bin < first || bin >= last;
    };
    const auto end = std::remove_if(block.begin(), block.end(), elsewhere);
    work(context, {block.begin(), end});
  }

  std::uint64_t size_;
  Read read_;
};
template <class Record, class Read>
[[nodiscard]] reread<Record, Read> rereading(std::uint64_t size, Read read) {
  return {size, std::move(read)};
}

}  // namespace umbel::core
