// vector_quotient_filter.ipp - bodies of vector_quotient_filter.hpp: plans, and what is read off the whole table.
#pragma once

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/set/vector_quotient_filter.hpp>
#include <umbel/sizing/bloom.hpp>

namespace umbel {

UMBEL_INLINE sizing::vector_plan vector_quotient_filter::sized(const options& wish) {
  core::check({wish.keys, wish.fpr, wish.bits});
  const auto made = !wish.bits ? sizing::plan_vectors_for_rate(*wish.keys, *wish.fpr)
                    : wish.fpr ? sizing::vectors_room_for(*wish.bits, *wish.fpr)
                               : sizing::plan_vectors_for_bits(*wish.keys, *wish.bits);
  core::check_kept(wish.fpr, made.fpr);
  if (made.lines > sizing::max_bits / sizing::vector_line_bits)
    throw bad_parameter(detail::text("keys: ", made.keys, " of them take more than 2^56 bits"));
  return made;
}

UMBEL_INLINE plan vector_quotient_filter::plan(const options& wish) {
  const auto made = sized(wish);
  return {.keys = made.keys,
          .cells = made.lines * sizing::vector_form_of(made.tag_bits).tags,
          .probes = 2,
          .bits = made.lines * sizing::vector_line_bits,
          .fpr = made.fpr};
}

UMBEL_INLINE void vector_quotient_filter::clear() noexcept {
  with_ops([&]<class Ops>(Ops) {
    for (std::uint64_t line = 0; line < lines_; ++line) Ops::clear(line_at(line));
  });
}

UMBEL_INLINE std::uint64_t vector_quotient_filter::copies() const noexcept {
  std::uint64_t out = 0;
  with_ops([&]<class Ops>(Ops) {
    for (std::uint64_t line = 0; line < lines_; ++line) out += Ops::used(line_at(line));
  });
  return out;
}

// Of equal tags in one bucket the first counts, and only if its other line, should that be even, has none.
UMBEL_INLINE double vector_quotient_filter::expected_fpr() const noexcept {
  std::uint64_t distinct = 0;
  with_ops([&]<class Ops>(Ops ops) {
    for (std::uint64_t line = 0; line < lines_; ++line)
      (void)each_tag(ops, line, [&](unsigned bucket, typename Ops::tag tag, unsigned at) {
        if (Ops::find(line_at(line), bucket, tag) == at &&
            (line % 2 == 0 || Ops::find(line_at(other_line(line, bucket, tag, lines_)), bucket, tag) == Ops::none))
          ++distinct;
        return false;
      });
  });
  return static_cast<double>(distinct) / sizing::vector_fingerprints(lines_, tag_bits());
}

UMBEL_INLINE void vector_quotient_filter::check() {
  if (tag_bits_ != 8 && tag_bits_ != 16)
    throw corrupt(detail::text("vectors: tag_bits: expected 8 or 16, found ", tag_bits_));
  if (lines_ < 2 || lines_ % 2 != 0 || lines_ > sizing::max_bits / sizing::vector_line_bits)
    throw corrupt(detail::text("vectors: lines: expected an even number from 2 to 2^47, found ", lines_));
  cells_.require(lines_ * 8);
}

}  // namespace umbel
