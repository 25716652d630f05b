// config.hpp - header-only or compiled, decided in one place.
// Idea       Long bodies that need no types live in .ipp files. By default a header includes its .ipp and the bodies
//            are inline; with UMBEL_COMPILED they come from libumbel, which alone defines UMBEL_BODIES.
#pragma once

#define UMBEL_VERSION_MAJOR 0
#define UMBEL_VERSION_MINOR 1
#define UMBEL_VERSION_PATCH 0

#if !defined(UMBEL_COMPILED)
#define UMBEL_INLINE inline
#define UMBEL_WITH_BODIES 1
#else
#define UMBEL_INLINE
#if defined(UMBEL_BODIES)
#define UMBEL_WITH_BODIES 1
#else
#define UMBEL_WITH_BODIES 0
#endif
#endif
