// require.hpp - what must hold of every input; a fuzzer takes an abort for a finding.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace umbel::fuzz {

inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

}  // namespace umbel::fuzz
