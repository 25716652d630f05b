// foreign.cpp - any bytes as a filter of another program: refused, or read and written as the same bytes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include <umbel/base/error.hpp>
#include <umbel/codec/foreign/dcso.hpp>
#include <umbel/codec/foreign/parquet_bits.hpp>

namespace {

template <class Read, class Write>
void there_and_back(std::span<const std::byte> bytes, Read&& read, Write&& write) {
  try {
    const auto made = read(bytes);
    const std::vector<std::byte> again = write(made);
    if (!std::equal(again.begin(), again.end(), bytes.begin(), bytes.end())) std::abort();
  } catch (const umbel::corrupt&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace umbel::codec;
  const auto bytes = std::as_bytes(std::span(data, size));
  there_and_back(
      bytes,
      [](auto some) {
        dcso_file file = read_dcso(some);
        for (int key = 0; key < 20; ++key) (void)file.filter.may_contain(key);
        return file;
      },
      write_dcso);
  there_and_back(bytes, read_parquet_bits, write_parquet_bits);
  // A number may be written in more bytes than it needs, so what comes back may differ in its header.
  try {
    const auto made = read_parquet_section(bytes);
    if (!(read_parquet_section(write_parquet_section(made)) == made)) std::abort();
  } catch (const umbel::corrupt&) {
  }
  return 0;
}
