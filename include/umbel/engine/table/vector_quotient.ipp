// vector_quotient.ipp - bodies of vector_quotient.hpp: figures computed from the whole table.
#pragma once

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/engine/table/vector_quotient.hpp>
#include <umbel/sizing/bloom.hpp>

namespace umbel::core {

UMBEL_INLINE void vector_quotient::clear() noexcept {
  with_ops([&]<class Ops>(Ops) {
    for (std::uint64_t line = 0; line < lines_; ++line) Ops::clear(line_at(line));
  });
}

UMBEL_INLINE std::uint64_t vector_quotient::copies() const noexcept {
  std::uint64_t out = 0;
  with_ops([&]<class Ops>(Ops) {
    for (std::uint64_t line = 0; line < lines_; ++line) out += Ops::used(line_at(line));
  });
  return out;
}

// Of equal tags in one bucket only the first counts. A line and its alternate have different
// parity, so a tag in an odd line counts only if the even line does not have it.
UMBEL_INLINE double vector_quotient::expected_fpr() const noexcept {
  std::uint64_t distinct = 0;
  with_ops([&]<class Ops>(Ops ops) {
    for (std::uint64_t line = 0; line < lines_; ++line)
      (void)each_tag(ops, line, [&](unsigned bucket, typename Ops::tag tag, unsigned at) {
        if (Ops::find(line_at(line), bucket, tag) == at &&
            (line % 2 == 0 ||
             Ops::find(line_at(other_line(line, value_of(ops, bucket, tag), lines_)), bucket,
                       tag) == Ops::none))
          ++distinct;
        return false;
      });
  });
  return static_cast<double>(distinct) / sizing::vector_fingerprints(lines_, tag_bits());
}

UMBEL_INLINE void vector_quotient::check() {
  if (tag_bits_ != 8 && tag_bits_ != 16)
    throw corrupt(detail::text("vectors: tag_bits: expected 8 or 16, found ", tag_bits_));
  if (lines_ < 2 || lines_ % 2 != 0 || lines_ > sizing::max_bits / sizing::vector_line_bits)
    throw corrupt(
        detail::text("vectors: lines: expected an even number from 2 to 2^47, found ", lines_));
  cells_.require(lines_ * 8);
}

}  // namespace umbel::core
