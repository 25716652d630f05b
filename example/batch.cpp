// batch.cpp - single queries and a batch: equal answers, but the batch waits less for memory.
#include <umbel/set/split_block_bloom_filter.hpp>

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <memory>
#include <vector>

template <class Work>
double nanoseconds_per_key(std::size_t keys, Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
  return took.count() / static_cast<double>(keys);
}

int main() {
  constexpr std::size_t total = 2'000'000;
  std::vector<std::uint64_t> members(total), asked(total);
  for (std::size_t i = 0; i < total; ++i) {
    members[i] = i * 0x9E3779B97F4A7C15;
    // Every second key is a non-member.
    asked[i] = (i * 7919 % total + i % 2 * total) * 0x9E3779B97F4A7C15;
  }
  umbel::split_block_bloom_filter set({.keys = total, .bits = 12 * total});
  set.insert_batch(members);

  // Plain arrays of bool: std::vector<bool> does not store bools.
  const auto one_by_one = std::make_unique<bool[]>(total),
             together = std::make_unique<bool[]>(total);
  const double single_ns = nanoseconds_per_key(total, [&] {
    for (std::size_t i = 0; i < total; ++i) one_by_one[i] = set.may_contain(asked[i]);
  });
  const double batch_ns = nanoseconds_per_key(total, [&] {
    set.may_contain_batch(asked, {together.get(), total});
  });
  assert(std::equal(one_by_one.get(), one_by_one.get() + total, together.get()));
  std::cout << "single " << single_ns << " ns per key, batch " << batch_ns << " ns per key\n";
}
