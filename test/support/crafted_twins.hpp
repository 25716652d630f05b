// crafted_twins.hpp - texts that share all 128 bits of their unkeyed digest, for any seed that an
// attacker knows.
// Idea       XXH3 reads a text of 128 bytes as eight pieces of two words (a, b). Each piece enters
//            as the folded product (a ^ s)(b ^ t), with s and t fixed by the seed, and as the sum a
//            + b. The pieces (s, x) and (s + x - t, t) have the same product, zero, and the same
//            sum: swapping one for the other changes nothing. Eight pieces, two spellings each: 256
//            twins; another x gives another family.
// Limits     This is why a seed is not a key. No such thing is known for SipHash.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace umbel::support {

[[nodiscard]] inline std::vector<std::string> crafted_twins(std::uint64_t seed,
                                                            std::uint64_t family) {
  std::array<unsigned char, XXH3_SECRET_DEFAULT_SIZE> secret{};
  XXH3_generateSecret_fromSeed(secret.data(), seed);
  // Where a piece lies in the text, and where its (s, t) lies in the secret.
  constexpr std::size_t pieces[8][2] = {{0, 0},   {112, 16}, {16, 32}, {96, 48},
                                        {32, 64}, {80, 80},  {48, 96}, {64, 112}};
  std::vector<std::string> twins;
  for (unsigned spelling = 0; spelling < 256; ++spelling) {
    std::string text(128, '\0');
    for (unsigned i = 0; i < 8; ++i) {
      std::uint64_t s = 0, t = 0;
      std::memcpy(&s, secret.data() + pieces[i][1], 8);
      std::memcpy(&t, secret.data() + pieces[i][1] + 8, 8);
      const std::uint64_t x = 0x0123456789abcdef * (family + 1) + i;
      const bool swapped = (spelling >> i & 1) != 0;
      const std::array<std::uint64_t, 2> words = {swapped ? s + x - t : s, swapped ? t : x};
      std::memcpy(text.data() + pieces[i][0], words.data(), 16);
    }
    twins.push_back(text);
  }
  return twins;
}

}  // namespace umbel::support
