// vector_quotient_filter.ipp - bodies of vector_quotient_filter.hpp: plans.
#pragma once

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/set/vector_quotient_filter.hpp>
#include <umbel/sizing/bloom.hpp>

namespace umbel {

UMBEL_INLINE sizing::vector_plan vector_quotient_filter::sized(const options_type& options) {
  core::check({options.keys, options.fpr, options.bits});
  const auto made = !options.bits ? sizing::plan_vectors_for_rate(*options.keys, *options.fpr)
                    : options.fpr ? sizing::vectors_room_for(*options.bits, *options.fpr)
                                  : sizing::plan_vectors_for_bits(*options.keys, *options.bits);
  core::check_kept(options.fpr, made.fpr);
  if (made.lines > sizing::max_bits / sizing::vector_line_bits)
    throw bad_parameter(detail::text("keys: ", made.keys, " of them take more than 2^56 bits"));
  return made;
}

UMBEL_INLINE plan vector_quotient_filter::plan(const options_type& options) {
  const auto made = sized(options);
  return {.keys = made.keys,
          .cells = made.lines * sizing::vector_form_of(made.tag_bits).tags,
          .probes = 2,
          .bits = made.lines * sizing::vector_line_bits,
          .fpr = made.fpr};
}

}  // namespace umbel
