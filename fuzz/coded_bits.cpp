// coded_bits.cpp - fuzz target of the range coder and its messages: coded bits are decoded again,
// and any bytes are refused with a typed error or are the only code of what they decode to.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include <umbel/base/error.hpp>
#include <umbel/cells/coded_bits.hpp>
#include <umbel/codec/compress.hpp>
#include <umbel/set/bloom_filter.hpp>

namespace {

using bytes = std::vector<std::byte>;
using umbel::cells::ones_in;

void require(bool holds) {
  if (!holds) std::abort();
}

template <class Encode, class Decode>
void there_and_back(std::span<const std::byte> bits, Encode&& encode, Decode&& decode) {
  const std::uint64_t ones = ones_in(bits);
  if (ones == 0 || ones == bits.size() * 8) return;
  bytes again(bits.size());
  decode(encode(bits, ones), ones, again);
  require(std::equal(again.begin(), again.end(), bits.begin(), bits.end()));
}

// The first two bytes give the number of bits and of set bits; the rest is their code.
template <class Encode, class Decode>
void any_code(std::span<const std::byte> input, Encode&& encode, Decode&& decode) {
  if (input.size() < 2) return;
  bytes bits(std::to_integer<std::size_t>(input[0]) + 1);
  const std::uint64_t ones = std::to_integer<std::uint64_t>(input[1]) * bits.size() * 8 / 256 + 1;
  if (ones >= bits.size() * 8) return;
  const auto code = input.subspan(2);
  try {
    decode(code, ones, bits);
  } catch (const umbel::corrupt&) {
    return;
  }
  const auto again = encode(bits, ones);
  require(std::equal(again.begin(), again.end(), code.begin(), code.end()));
}

void any_message(std::span<const std::byte> input) {
  constexpr std::uint64_t most = 1 << 20;
  try {
    const auto file = umbel::decompress(input, most);
    require(file.size() <= most);
    require(umbel::decompress(umbel::compress(std::span<const std::byte>(file)), most) == file);
    require(umbel::apply_change(
                file, umbel::compress_change(std::span<const std::byte>(file), file)) == file);
  } catch (const umbel::error&) {
  }
}

// As a change to a file that the receiver has.
void any_change(std::span<const std::byte> input) {
  static const bytes before = [] {
    umbel::bloom_filter some({.keys = 20, .fpr = 0.1});
    for (int key = 0; key < 10; ++key) some.insert(key);
    return umbel::encode(some);
  }();
  try {
    const auto after = umbel::apply_change(before, input);
    require(after.size() == before.size());
    require(umbel::apply_change(before, umbel::compress_change(std::span<const std::byte>(before),
                                                               after)) == after);
  } catch (const umbel::error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto input = std::as_bytes(std::span(data, size));
  there_and_back(input, umbel::cells::range_encode, umbel::cells::range_decode);
  there_and_back(input, umbel::cells::rice_encode, umbel::cells::rice_decode);
  any_code(input, umbel::cells::range_encode, umbel::cells::range_decode);
  any_code(input, umbel::cells::rice_encode, umbel::cells::rice_decode);
  any_message(input);
  any_change(input);
  return 0;
}
