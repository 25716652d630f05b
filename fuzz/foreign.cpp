// foreign.cpp - fuzz target: any bytes as a filter of another program, packed or not, are refused,
// or read and written as the same bytes; also by way of an umbel file, as `umbel convert` does it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <umbel/base/error.hpp>
#include <umbel/codec/codec.hpp>
#include <umbel/codec/foreign/dcso.hpp>
#include <umbel/codec/foreign/parquet_bits.hpp>

#include "../cli/unpack.hpp"
#include "../test/support/memory_file.hpp"
#include "gzip.hpp"
#include "require.hpp"

namespace {

using umbel::fuzz::require;

template <class Read, class Write>
void there_and_back(std::span<const std::byte> file, Read&& read, Write&& write) {
  try {
    const auto made = read(file);
    require(std::ranges::equal(write(made), file), "the same bytes");
  } catch (const umbel::corrupt&) {
  }
}

// The structure after it was written to an umbel file and read back.
template <class T>
[[nodiscard]] T kept(const T& made) {
  const T again = umbel::decode<T>(umbel::encode(made));
  require(again == made, "a file of ours holds all of it");
  return again;
}

[[nodiscard]] std::vector<std::byte> as_the_tool_reads(std::span<const std::uint8_t> file) {
  static umbel::test::memory_file disk;
  static const std::string path = disk.path();
  disk.assign(std::as_bytes(file));
  return umbel::cli::read_whole(path);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace umbel::codec;
  const std::span input(data, size);
  const auto file = as_the_tool_reads(umbel::fuzz::gzipped(input));
  require(std::ranges::equal(file, std::as_bytes(input)), "unpacked as it was packed");
  there_and_back(
      file,
      [](auto some) {
    dcso_file theirs = read_dcso(some);
    for (int key = 0; key < 20; ++key) (void)theirs.filter.may_contain(key);
    theirs.filter = kept(theirs.filter);
    return theirs;
      },
      write_dcso);
  there_and_back(
      file, [](auto some) { return kept(read_parquet_bits(some)); }, write_parquet_bits);
  // A number may take more bytes than it needs, so the header that is written may differ.
  try {
    const auto made = read_parquet_section(file);
    require(read_parquet_section(write_parquet_section(kept(made))) == made, "the same filter");
  } catch (const umbel::corrupt&) {
  }
  return 0;
}
