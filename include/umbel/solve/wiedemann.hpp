// wiedemann.hpp - Wiedemann's algorithm [Wie86]: solves sparse square systems over GF(2) by
// products with the matrix alone.
//
// The vectors d, A d, A^2 d, ... of a system A x = d satisfy a linear recurrence. The
// Berlekamp-Massey algorithm [Mas69] finds it from one number per vector, its product with a random
// vector u. Read backwards, the recurrence gives the combination of the vectors that is A^-1 d. A
// is never changed, so it stays sparse. The arithmetic is in GF(2^64): an unlucky u is improbable,
// and a right side's word is one field element, so all bit planes are solved at once.
//
// Invariant  Every solution returned was checked: A x = d. For a regular system the search fails
//            with probability at most n / 2^64 over the choice of u.
// Limits     3 n products with A and 2 n^2 field multiplications: one second at 10 000 unknowns.
//            Memory: 4 n words. A singular system fails, unless a solution happens to lie in the
//            span of the vectors.
// Threads    One.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <umbel/base/config.hpp>

namespace umbel::solve {

class wiedemann {
 public:
  // Equation i is the XOR of the unknowns members[i * arity] to members[i * arity + arity - 1].
  // There are as many equations as unknowns. An unknown named twice cancels. Returns false if no
  // solution was found.
  [[nodiscard]] bool solve(std::span<const std::uint32_t> members, std::size_t arity,
                           std::span<const std::uint64_t> rights, std::uint64_t seed,
                           std::span<std::uint64_t> out);

 private:
  void find_recurrence();

  std::vector<std::uint64_t> sequence_;  // u d, u A d, u A^2 d, ...
  // C, with: the sum of C[i] s[j - i] is 0
  std::vector<std::uint64_t> recurrence_, older_, spare_;
  std::size_t length_ = 0;
};

}  // namespace umbel::solve

#if UMBEL_WITH_BODIES
#include <umbel/solve/wiedemann.ipp>
#endif
