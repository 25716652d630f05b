// vector_quotient_filter.ipp - bodies of vector_quotient_filter.hpp: plans.
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

}  // namespace umbel
