# settings.cmake - how umbel's own developers build it. Read only when umbel is the top-level project: a consumer's
# flags, warnings and compiler launcher are the consumer's business.
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  add_compile_options(-Wno-restrict -Wno-array-bounds)  # false alarms of gcc 12 inside its own std::string
endif()
# Only in headers (tools/check_headers.py) is clang stricter than g++, which lets a loop say `for (std::uint64_t n : {1, 2})`.
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  add_compile_options(-Wno-sign-conversion)
endif()

# gcc tidies its memory as if there were little of it, which takes an eighth of its time.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options("SHELL:--param ggc-min-expand=1000" "SHELL:--param ggc-min-heapsize=1000000")
endif()

# Half the time of a build from nothing is spent reading headers again. Whoever edits wants small pieces, `make test` large.
option(UMBEL_IN_PIECES "Compile kinds and tests in a few large pieces: faster from nothing, slower after an edit" OFF)
if(UMBEL_IN_PIECES)
  # Nothing in pieces is measured, and a fifth of g++'s time for the dearest of them would go into flat loops, a tenth of the
  # rest into passes that tests do not run faster for.
  add_compile_definitions(UMBEL_FLAT=)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-fno-tree-dominator-opts -fno-tree-pta -fno-ivopts)
  endif()
  # Under sanitizers a sixteenth is line numbers. A report then names functions; a build without pieces tells the lines.
  if(CMAKE_BUILD_TYPE STREQUAL Debug)
    add_compile_options(-g0)
    # A tenth is a second form of every frame, for what is not switched on anyway. (Checks by calls instead of in line are
    # compiled in an eighth less, and what is saved is lost when the laws run.)
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
