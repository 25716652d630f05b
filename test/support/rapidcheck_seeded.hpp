// rapidcheck_seeded.hpp - RapidCheck under the fixed seed of environment.hpp.
// Idea       A property includes this and not <rapidcheck/gtest.h>: then its seed cannot be
//            forgotten. To look further afield: RC_PARAMS="seed=7 max_success=10000" ctest ...
#pragma once

#include <rapidcheck/gtest.h>

#include "support/environment.hpp"
