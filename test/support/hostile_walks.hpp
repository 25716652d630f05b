// hostile_walks.hpp - what the tests do to one good file: cut it everywhere, flip its bits, set its
// fields to extremes. With corrected checksums a file must be refused or safe: `decoded` and
// `mapped` judge it.
#pragma once

#include <cstddef>
#include <cstdint>

#include <gtest/gtest.h>

#include "support/file_image.hpp"
#include "support/memory_file.hpp"
#include "support/verdict.hpp"

namespace umbel::test {

// As bytes and as a mapped file; the verdict on the bytes.
inline verdict both_ways(const any::kind& kind, const file_image& image) {
  const auto decoded_as = decoded(kind, image.bytes(), 100);
  const memory_file file(image.bytes());
  (void)mapped(kind, file.path(), image.size(), 100);
  return decoded_as;
}

inline void cut_everywhere(const any::kind& kind, const file_image& good, std::size_t step) {
  for (std::size_t size = 0; size < good.size(); size += step) {
    file_image cut = good;
    cut.resize(size);
    ASSERT_EQ(decoded(kind, cut.bytes()), verdict::refused) << size;
    if (size < at::header_end) continue;
    ASSERT_EQ(decoded(kind, cut.claim_size().seal().bytes()), verdict::refused) << size;
  }
}

inline void flip_everywhere(const any::kind& kind, const file_image& good, std::size_t step) {
  for (std::size_t bit = 0; bit < good.size() * 8; bit += step) {
    file_image image = good;
    image.flip(bit);
    ASSERT_EQ(decoded(kind, image.bytes()), verdict::refused) << bit;
    (void)decoded(kind, image.seal().bytes(), 100);
    if (::testing::Test::HasFailure()) FAIL() << "bit " << bit % 8 << " of byte " << bit / 8;
  }
}

inline void make_fields_extreme(const any::kind& kind, const file_image& good) {
  for (const std::size_t place : good.field_places()) {
    for (unsigned bit = 0; bit < 64; ++bit)
      for (const std::uint64_t near : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}}) {
        file_image image = good;
        (void)both_ways(kind, image.set(place, (std::uint64_t{1} << bit) + near).seal());
        if (::testing::Test::HasFailure())
          FAIL() << "field at " << place << ", 2^" << bit << " + " << near;
      }
  }
}

}  // namespace umbel::test
