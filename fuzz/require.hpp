// require.hpp - assertions of the fuzz targets: an abort counts as a finding.
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
