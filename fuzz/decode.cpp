// decode.cpp - fuzz target: any bytes, decoded as every kind, are refused with a typed error or
// give a structure that answers queries. Checksums would stop the fuzzer, so the input is tried
// three times: unchanged, with correct checksums, and with its sections laid out anew as well.
// Arrays then hold what the fuzzer wrote, in memory whose ends the address sanitizer watches. A
// structure has one encoding: what is accepted must be what encode gives.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include <umbel/any/any.hpp>
#include <umbel/base/error.hpp>

#include "../test/support/file_image.hpp"
#include "query.hpp"

namespace {

void decode_as_every_kind(std::span<const std::byte> bytes) {
  for (const umbel::any::kind* const kind : umbel::any::kinds()) {
    try {
      const auto made = kind->decode(bytes, {});
      umbel::fuzz::query(*made);
      const auto again = made->encode();
      if (!std::equal(again.begin(), again.end(), bytes.begin(), bytes.end())) std::abort();
    } catch (const umbel::corrupt&) {
    } catch (const umbel::incompatible&) {
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto raw = std::as_bytes(std::span(data, size));
  decode_as_every_kind(raw);
  umbel::test::file_image image({raw.begin(), raw.end()});
  decode_as_every_kind(image.claim_size().seal().bytes());
  decode_as_every_kind(image.lay_out().seal().bytes());
  return 0;
}
