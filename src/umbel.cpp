// umbel.cpp - the bodies of every header, compiled once: what UMBEL_COMPILED programs link.
#define UMBEL_BODIES
#include <umbel/umbel.hpp>
