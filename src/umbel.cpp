// umbel.cpp - the compiled library: the bodies of all headers, for programs with UMBEL_COMPILED.
#define UMBEL_BODIES
#include <umbel/umbel.hpp>
