# settings.cmake - settings for the development of umbel. Read only when umbel is the top-level
# project: they do not change the flags, warnings and compiler launcher of a project that uses
# umbel.
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  add_compile_options(-Wno-restrict -Wno-array-bounds)  # gcc 12: false alarms in std::string
endif()
# clang rejects `for (std::uint64_t n : {1, 2})`, which g++ accepts. Only headers are held to clang
# (tools/check_headers.py).
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  add_compile_options(-Wno-sign-conversion)
endif()

# By default gcc collects garbage as if memory were scarce, which takes an eighth of its time.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options("SHELL:--param ggc-min-expand=1000" "SHELL:--param ggc-min-heapsize=1000000")
endif()

# Half the time of a full build is spent reading headers again. Small pieces suit editing, large
# ones `make test`.
option(UMBEL_IN_PIECES "Compile kinds and tests in a few large pieces: faster from nothing, slower after an edit" OFF)
if(UMBEL_IN_PIECES)
  # Builds in pieces are not used for measurements. For the most expensive pieces g++ would spend a
  # fifth of its time on flat loops, and for the others a tenth on passes that do not make tests
  # faster.
  add_compile_definitions(UMBEL_FLAT=)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-fno-tree-dominator-opts -fno-tree-pta -fno-ivopts)
  endif()
  # Under sanitizers line numbers take a sixteenth of the compile time. Without them a report names
  # functions; a build without pieces reports lines.
  if(CMAKE_BUILD_TYPE STREQUAL Debug)
    add_compile_options(-g0)
    # A second version of every stack frame, for a check that is off, takes a tenth of the compile
    # time. (Checks by calls instead of inline save an eighth of it, and lose as much when the laws
    # run.)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
      add_compile_options(-fsanitize-address-use-after-return=never)
    endif()
  endif()
endif()

find_program(CCACHE_PROGRAM ccache)
mark_as_advanced(CCACHE_PROGRAM)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()
