// sizing/exclusion.hpp - inclusion-exclusion: the probability that given bits are all set.
//
// It is computed from the probabilities that subsets of these bits are all clear.
//
// Limits     The sum alternates: it loses about (1 + clear(1))^d / (1 - clear(1))^d of its
//            precision.
#pragma once

namespace umbel::sizing {

// d given bits; clear(r) is the probability that r given bits are all clear.
template <class Clear>
[[nodiscard]] double all_set(unsigned d, Clear&& clear) {
  double sum = 0, choose = 1;  // binomial coefficient (d over r)
  for (unsigned r = 0; r <= d; ++r) {
    sum += (r % 2 == 0 ? choose : -choose) * clear(r);
    choose = choose * (d - r) / (r + 1);
  }
  return sum;
}

}  // namespace umbel::sizing
