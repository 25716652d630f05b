// rapidcheck_seeded.hpp - RapidCheck under the fixed seed of environment.hpp.
// Idea       A property includes this instead of <rapidcheck/gtest.h>, so that its seed cannot be
//            forgotten. For other seeds: RC_PARAMS="seed=7 max_success=10000" ctest ...
#pragma once

#include <rapidcheck/gtest.h>

#include "support/environment.hpp"
