// rapidcheck_seeded.hpp - RapidCheck with a fixed seed, so that a test that passed yesterday passes today.
// Idea       RapidCheck reads its settings from RC_PARAMS when the first property runs; this puts a seed there before.
//            To look further afield: RC_PARAMS="seed=7 max_success=10000" ctest ...
#pragma once

#include <cstdlib>

#include <rapidcheck/gtest.h>

namespace umbel::support {

inline const int rapidcheck_seeded = ::setenv("RC_PARAMS", "seed=20240601", /*overwrite=*/0);

}  // namespace umbel::support
