// wiedemann.ipp - bodies of wiedemann.hpp.
#pragma once

#include <algorithm>

#include <umbel/base/integers.hpp>
#include <umbel/cells/kernel/carryless.hpp>
#include <umbel/solve/wiedemann.hpp>

namespace umbel::solve {

// Berlekamp-Massey: the shortest recurrence of the sequence read so far. When it fails at a term,
// the recurrence before the last length change is added, scaled and shifted so that the term comes
// out right.
UMBEL_INLINE void wiedemann::find_recurrence() {
  namespace field = cells::kernel;
  recurrence_.assign(sequence_.size() + 1, 0);
  recurrence_[0] = 1;
  older_ = recurrence_;
  length_ = 0;
  std::size_t older_length = 0, since = 1;
  std::uint64_t older_gap = 1;
  for (std::size_t j = 0; j < sequence_.size(); ++j, ++since) {
    const std::uint64_t gap = field::field_back_dot(recurrence_.data(), &sequence_[j], length_ + 1);
    if (gap == 0) continue;
    const std::uint64_t factor = field::field_product(gap, field::field_inverse(older_gap));
    const bool grows = 2 * length_ <= j;
    if (grows)
      spare_.assign(recurrence_.begin(),
                    recurrence_.begin() + static_cast<std::ptrdiff_t>(length_ + 1));
    field::field_add(recurrence_.data() + since, factor, older_.data(), older_length + 1);
    if (!grows) continue;
    std::copy(spare_.begin(), spare_.end(), older_.begin());
    older_length = length_;
    length_ = j + 1 - length_;
    older_gap = gap;
    since = 0;
  }
}

UMBEL_INLINE bool wiedemann::solve(std::span<const std::uint32_t> members, std::size_t arity,
                                   std::span<const std::uint64_t> rights, std::uint64_t seed,
                                   std::span<std::uint64_t> out) {
  namespace field = cells::kernel;
  const std::size_t n = rights.size();
  std::vector<std::uint64_t> u(n), now(n), next(n);
  const auto times = [&](std::span<const std::uint64_t> from, std::span<std::uint64_t> to) {
    for (std::size_t i = 0; i < n; ++i) {
      std::uint64_t sum = 0;
      for (std::size_t j = 0; j < arity; ++j) sum ^= from[members[i * arity + j]];
      to[i] = sum;
    }
  };
  for (std::size_t i = 0; i < n; ++i) u[i] = detail::remix(seed, i);
  sequence_.resize(2 * n);
  std::copy(rights.begin(), rights.end(), now.begin());
  for (std::uint64_t& s : sequence_) {
    s = field::field_dot(u.data(), now.data(), n);
    times(now, next);
    std::swap(now, next);
  }
  find_recurrence();
  // The minimal polynomial is the recurrence backwards: F[i] = C[L - i]. Then x = (F[1] d + F[2] A
  // d + ...) / F[0].
  std::fill(out.begin(), out.end(), 0);
  if (length_ == 0)
    return std::all_of(rights.begin(), rights.end(),
                       [](std::uint64_t right) { return right == 0; });
  if (length_ > n || recurrence_[length_] == 0) return false;
  std::copy(rights.begin(), rights.end(), now.begin());
  for (std::size_t i = 1; i <= length_; ++i) {
    field::field_add(out.data(), recurrence_[length_ - i], now.data(), n);
    times(now, next);
    std::swap(now, next);
  }
  const std::uint64_t scale = field::field_inverse(recurrence_[length_]);
  for (std::uint64_t& x : out) x = field::field_product(scale, x);
  times(out, next);
  return std::equal(next.begin(), next.end(), rights.begin());
}

}  // namespace umbel::solve
