// sizing/vector_quotient.ipp - bodies of vector_quotient.hpp.
#pragma once

#include <umbel/sizing/vector_quotient.hpp>

#include <algorithm>
#include <cmath>

namespace umbel::sizing {

// Two lines are each other's alternates and fill to the last tag. Of larger tables the worst is ten
// lines of 28 tags: each 0.01 less load divides the share of tables that do not reach it by ten,
// from 1e-5 at 0.954. This formula gives them a load of 0.896, and large tables 0.9375.
UMBEL_INLINE std::uint64_t vector_room(std::uint64_t lines, unsigned tag_bits) {
  const std::uint64_t tags = lines * vector_form_of(tag_bits).tags;
  return lines == 2 ? tags : tags - tags / 16 - 12;
}
UMBEL_INLINE double vector_fingerprints(std::uint64_t lines, unsigned tag_bits) {
  return static_cast<double>(lines / 2) * vector_form_of(tag_bits).buckets * std::exp2(tag_bits);
}
UMBEL_INLINE double vector_fpr(std::uint64_t n, std::uint64_t lines, unsigned tag_bits) {
  return n == 0 ? 0
                : -std::expm1(static_cast<double>(n) *
                              std::log1p(-1 / vector_fingerprints(lines, tag_bits)));
}

UMBEL_INLINE vector_plan plan_vectors_for_rate(std::uint64_t n, double eps) {
  vector_plan best{n, 0, 0, 1};
  for (const unsigned tag_bits : {16U, 8U}) {
    const auto form = vector_form_of(tag_bits);
    std::uint64_t lines = 2;
    if (vector_room(2, tag_bits) < n)
      lines = std::max<std::uint64_t>(4, n / 15 * 16 / form.tags / 2 * 2);
    while (vector_room(lines, tag_bits) < n) lines += 2;
    const auto made = [&] {
      return vector_plan{n, lines, tag_bits, vector_fpr(n, lines, tag_bits)};
    };
    if (best.tag_bits == 0) best = made();
    const double options =
        -2 * static_cast<double>(n) / std::log1p(-eps) / (form.buckets * std::exp2(tag_bits));
    const std::uint64_t most = std::max<std::uint64_t>(2, 2 * (n / form.tags));
    if (options > static_cast<double>(most)) continue;
    lines = std::max(lines, static_cast<std::uint64_t>(options) / 2 * 2);
    while (vector_fpr(n, lines, tag_bits) > eps) lines += 2;
    if (best.fpr > eps || lines < best.lines) best = made();
  }
  return best;
}

UMBEL_INLINE vector_plan plan_vectors_for_bits(std::uint64_t n, std::uint64_t bits) {
  const std::uint64_t lines = std::max<std::uint64_t>(2, bits / vector_line_bits / 2 * 2);
  const unsigned tag_bits = n <= vector_room(lines, 16) ? 16 : 8;
  const std::uint64_t keys = std::min(n, vector_room(lines, tag_bits));
  return {keys, lines, tag_bits, vector_fpr(keys, lines, tag_bits)};
}

UMBEL_INLINE vector_plan vectors_room_for(std::uint64_t bits, double eps) {
  const std::uint64_t lines = std::max<std::uint64_t>(2, bits / vector_line_bits / 2 * 2);
  vector_plan best{0, lines, 16, 0};
  for (const unsigned tag_bits : {16U, 8U}) {
    const double most =
        std::floor(std::log1p(-eps) / std::log1p(-1 / vector_fingerprints(lines, tag_bits)));
    const std::uint64_t room = vector_room(lines, tag_bits);
    const std::uint64_t keys =
        most < static_cast<double>(room) ? static_cast<std::uint64_t>(most) : room;
    if (2 * keys >= lines * vector_form_of(tag_bits).tags / 2 && keys > best.keys)
      best = {keys, lines, tag_bits, vector_fpr(keys, lines, tag_bits)};
  }
  return best;
}

}  // namespace umbel::sizing
