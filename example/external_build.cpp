// external_build.cpp - a static set built in limited memory: keys that do not fit wait in a
// temporary file.
#include <umbel/codec/codec.hpp>
#include <umbel/set/binary_fuse_filter.hpp>

#include <cassert>
#include <cstdint>
#include <iostream>
#include <vector>

int main() {
  constexpr std::uint64_t total = 1'000'000;
  constexpr std::uint64_t limit = 2 << 20;
  const umbel::binary_fuse_filter::options_type options{.fpr = 1.0 / 256};

  // The spool takes digests one by one from any source, and holds at most `limit` bytes of them.
  umbel::digest_spool spool({.memory_limit = limit});
  for (std::uint64_t key = 0; key < total; ++key) spool.add(options.hash(key));
  assert(spool.spilled() && spool.size() == total);
  std::cout << spool.size() * sizeof(umbel::digest) << " bytes of digests under a limit of "
            << limit << '\n';

  const auto from_disk = umbel::binary_fuse_filter::build(spool, options);
  for (std::uint64_t key = 0; key < total; ++key) assert(from_disk.may_contain(key));

  // A build depends on the set of keys alone: the same bytes from memory, in any order, with any
  // number of threads.
  std::vector<std::uint64_t> keys;
  for (std::uint64_t key = total; key-- > 0;) keys.push_back(key);
  const auto from_memory = umbel::binary_fuse_filter::build(keys, {.fpr = 1.0 / 256, .threads = 2});
  assert(umbel::encode(from_disk) == umbel::encode(from_memory));
  std::cout << from_disk.size_in_bits() / 8 << " bytes, the same as built in memory\n";
}
