// bit_stream.cpp - fuzz target of the bit stream: written codes are read back, and a reader stays
// inside its words whatever they hold. The first half of the input is a list of values to write and
// read back; then all of the input is a stream, read with every remainder width from every kind of
// position.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <umbel/cells/bit_stream.hpp>

namespace {

using umbel::cells::bit_reader;
using umbel::cells::bit_writer;
using umbel::cells::words;

struct code {
  std::uint64_t value;
  unsigned remainder_bits;
};

words<> stored(const bit_writer& bits) {
  words<> out(bit_writer::words_for(bits.size()));
  std::copy(bits.bits().begin(), bits.bits().end(), out.data());
  return out;
}

void require(bool holds) {
  if (!holds) std::abort();
}

// Three bytes are one code: the width of its remainder, and a value of up to 16 quotient steps or,
// rarely, 200.
void write_and_read_back(const std::uint8_t* data, std::size_t size) {
  std::vector<code> codes;
  bit_writer bits, second;
  for (std::size_t i = 0; i + 3 <= size; i += 3) {
    const unsigned width = data[i] % 57;
    const std::uint64_t quotient = data[i] % 29 == 0 ? data[i + 1] % 200 : data[i + 1] % 16;
    const std::uint64_t low =
        (data[i + 2] * 0x0101010101010101ULL) & umbel::detail::low_mask(width);
    if (width + 8 > 63) continue;
    codes.push_back({quotient << width | low, width});
    (codes.size() % 2 == 0 && codes.size() > 20 ? second : bits)
        .put_rice(codes.back().value, width);
    if (codes.size() % 2 == 0 && codes.size() > 20) {  // joined writers are one writer
      bits.append(second);
      second = bit_writer();
    }
  }
  const auto stream = stored(bits);
  bit_reader reader(stream, 0, bits.size());
  for (const code& c : codes) {
    require(!reader.at_end());
    require(reader.get_rice(c.remainder_bits) == c.value);
  }
  require(reader.at_end());
}

// Every read advances, so a stream of n bits ends after n reads.
void read_anything(const std::uint8_t* data, std::size_t size) {
  const std::uint64_t count = std::min<std::uint64_t>(size, 512) * 8;
  words<> stream(bit_writer::words_for(count));
  if (count != 0) std::memcpy(stream.data(), data, count / 8);
  const std::uint64_t pick = size < 2 ? 0 : data[0] * 256U + data[1];
  for (const std::uint64_t end : {count, count == 0 ? 0 : pick % count}) {
    for (unsigned width = 0; width <= 56; width += 7) {
      for (const std::uint64_t from : {std::uint64_t{0}, pick % (count + 1), count, count + 1000}) {
        bit_reader reader(stream, from, end);
        std::uint64_t reads = 0;
        for (; !reader.at_end(); ++reads) {
          (void)reader.get_rice(width);
          require(reads <= count);
        }
      }
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  write_and_read_back(data, size);
  read_anything(data, size);
  return 0;
}
