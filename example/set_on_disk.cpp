// set_on_disk.cpp - a set saved, mapped, replaced while it is mapped, and refused when it is
// damaged.
#include <umbel/codec/codec.hpp>
#include <umbel/set/split_block_bloom_filter.hpp>

#include <cassert>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>

using set = umbel::split_block_bloom_filter;

set numbers(std::uint64_t first, std::uint64_t last) {
  set out({.keys = last - first, .fpr = 0.01});
  for (std::uint64_t i = first; i < last; ++i) out.insert(i);
  return out;
}

int main() {
  const std::string path = "numbers.umbel";
  umbel::save(numbers(0, 100'000), path);

  // `open` maps the file: it returns at once, however large the file is, and a query reads only the
  // pages it needs.
  const auto mapped = umbel::open<set>(path);
  for (std::uint64_t i = 0; i < 100'000; ++i) assert(mapped->may_contain(i));
  std::cout << std::filesystem::file_size(path) << " bytes, false positive rate "
            << mapped->expected_fpr() << '\n';

  // `save` writes a new file and renames it, so programs that have mapped the old one keep it.
  umbel::save(numbers(100'000, 200'000), path);
  assert(mapped->may_contain(std::uint64_t{7}));
  const auto newer = umbel::load<set>(path);  // a copy in memory, every byte verified
  assert(newer.may_contain(std::uint64_t{100'007}));

  // `load` detects a single flipped bit anywhere.
  {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(5000);
    const char damaged = static_cast<char>(file.get() ^ 1);
    file.seekp(5000);
    file.put(damaged);
  }
  try {
    (void)umbel::load<set>(path);
    assert(false);
  } catch (const umbel::corrupt& damage) {
    std::cout << "refused: " << damage.what() << '\n';
  }
  std::filesystem::remove(path);
}
