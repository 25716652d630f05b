// wiedemann.hpp - sparse square systems of XOR equations, solved by looking at them from afar:
// products with the matrix alone.
// Idea       The vectors d, A d, A^2 d, ... of a system A x = d obey a recurrence. It is found from
//            one number of each, its product with a random vector u, by Berlekamp and Massey's
//            algorithm; read backwards it says what combination of them is A^-1 d. A is never
//            changed, so it stays sparse. The field has 2^64 elements: a bad u is improbable, and
//            the right side's words are elements as they are, all bit planes at once.
// Invariant  A solution returned is one: A x = d is checked. A regular system's is found but for n
//            in 2^64 draws of u.
// Limits     3 n products with A and 2 n^2 products of elements: a second at 10 000 unknowns, and
//            memory for 4 n words. A singular system is given up, unless the right side happens to
//            have a solution among the vectors.
// Threads    One.
// Source     [Wie86]; [Mas69] for the recurrence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <umbel/base/config.hpp>

namespace umbel::solve {

class wiedemann {
 public:
  // Equation i is the XOR of the unknowns members[i * arity] to members[i * arity + arity - 1]; as
  // many as unknowns. One that is named twice cancels. False: no solution was found.
  [[nodiscard]] bool solve(std::span<const std::uint32_t> members, std::size_t arity,
                           std::span<const std::uint64_t> rights, std::uint64_t seed,
                           std::span<std::uint64_t> out);

 private:
  void find_recurrence();

  std::vector<std::uint64_t> sequence_;  // u d, u A d, u A^2 d, ...
  // C of the sequence: the sum of C[i] s[j - i] is 0
  std::vector<std::uint64_t> recurrence_, older_, spare_;
  std::size_t length_ = 0;
};

}  // namespace umbel::solve

#if UMBEL_WITH_BODIES
#include <umbel/solve/wiedemann.ipp>
#endif
