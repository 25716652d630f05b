// open.cpp - fuzz target: any bytes as a mapped file. Its arrays are not verified, so answers may
// be wrong but nothing may crash. The header and the fields get correct checksums, or the fuzzer
// would never get past them.
#include <cstddef>
#include <cstdint>
#include <span>

#include <umbel/any/any.hpp>
#include <umbel/base/error.hpp>

#include "../test/support/file_image.hpp"
#include "../test/support/memory_file.hpp"
#include "query.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static umbel::test::memory_file file;
  static const std::string path = file.path();
  const auto raw = std::as_bytes(std::span(data, size));
  umbel::test::file_image image({raw.begin(), raw.end()});
  file.assign(image.lay_out().seal().bytes());
  try {
    const auto mapped = umbel::any::open(path);
    umbel::fuzz::query(*mapped);
    umbel::fuzz::query(*mapped->clone());
  } catch (const umbel::corrupt&) {
  } catch (const umbel::incompatible&) {
  }
  return 0;
}
