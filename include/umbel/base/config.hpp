// config.hpp - build configuration: header-only or compiled library, and inlining of batch loops.
//
// Long functions that need no template parameters are in .ipp files. By default a header includes
// its .ipp file and the functions are inline. With UMBEL_COMPILED they come from libumbel_cpp, which
// alone defines UMBEL_BODIES.
// UMBEL_FLAT marks the loops over a batch, which are fast if everything they call is inlined into
// them. That takes long to compile, three times as long under a sanitizer of g++, where speed does
// not matter. So it is empty under sanitizers, and in builds that define it as empty.
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

#if defined(UMBEL_FLAT)
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define UMBEL_FLAT
#elif defined(__has_feature)  // clang
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define UMBEL_FLAT
#endif
#endif
#if !defined(UMBEL_FLAT)
#define UMBEL_FLAT gnu::flatten
#endif
