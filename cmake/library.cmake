# library.cmake - the three libraries.
find_package(Threads REQUIRED)
find_path(UMBEL_XXHASH_INCLUDE_DIR xxhash.h DOC "Where xxhash.h is")
mark_as_advanced(UMBEL_XXHASH_INCLUDE_DIR)
if(NOT UMBEL_XXHASH_INCLUDE_DIR)
  message(FATAL_ERROR "umbel needs the header xxhash.h (Debian: apt-get install libxxhash-dev). "
                      "If it is in an unusual place, say -DUMBEL_XXHASH_INCLUDE_DIR=<directory>.")
endif()

# umbel::umbel - headers alone. The xxHash path stays out of the exported target: umbelConfig.cmake finds it again.
add_library(umbel INTERFACE)
add_library(umbel::umbel ALIAS umbel)
target_compile_features(umbel INTERFACE cxx_std_20)
target_include_directories(umbel INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
target_include_directories(umbel SYSTEM INTERFACE $<BUILD_INTERFACE:${UMBEL_XXHASH_INCLUDE_DIR}>)
target_link_libraries(umbel INTERFACE Threads::Threads)

# Position-independent, because bindings and server modules link these into shared objects. Whoever adds umbel as a
# subdirectory compiles only what they link.
function(umbel_static_library name)
  add_library(umbel_${name} STATIC ${ARGN})
  add_library(umbel::${name} ALIAS umbel_${name})
  set_target_properties(umbel_${name} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON)
  if(NOT PROJECT_IS_TOP_LEVEL AND NOT UMBEL_INSTALL)
    set_target_properties(umbel_${name} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
endfunction()

# umbel::compiled - the bodies kept in *.ipp, compiled once instead of in every user's translation unit.
# Its file is libumbel_cpp.a: -lumbel is kept for a library with a C interface.
umbel_static_library(compiled src/umbel.cpp)
set_target_properties(umbel_compiled PROPERTIES OUTPUT_NAME umbel_cpp)
target_compile_definitions(umbel_compiled PUBLIC UMBEL_COMPILED)
target_link_libraries(umbel_compiled PUBLIC umbel)

# umbel::any - every kind behind one virtual face. Each entry UMBEL_KIND(folder, class, summary) of the one list becomes a
# translation unit of its own, so that editing a structure recompiles that structure alone.
set(variants ${PROJECT_SOURCE_DIR}/include/umbel/any/variants.hpp)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${variants})
set(kind_line "^ *UMBEL_KIND\\(([a-z0-9_]+), *([a-z0-9_]+),")
set(kind_sources)
file(STRINGS ${variants} kind_lines REGEX "${kind_line}")
foreach(line IN LISTS kind_lines)
  string(REGEX MATCH "${kind_line}" matched "${line}")
  set(UMBEL_FOLDER ${CMAKE_MATCH_1})
  set(UMBEL_CLASS ${CMAKE_MATCH_2})
  set(kind_source ${PROJECT_BINARY_DIR}/kinds/${UMBEL_CLASS}.cpp)
  configure_file(src/any/kind.cpp.in ${kind_source} @ONLY)
  list(APPEND kind_sources ${kind_source})
endforeach()
file(GLOB any_sources CONFIGURE_DEPENDS src/any/*.cpp)
list(SORT kind_sources)  # in a unity build, filter and map on one engine share its instantiations
umbel_static_library(any ${any_sources} ${kind_sources})
target_include_directories(umbel_any PRIVATE src)
target_compile_definitions(umbel_any PRIVATE $<$<CONFIG:Debug>:UMBEL_WITHOUT_BENCH>)
target_link_libraries(umbel_any PUBLIC umbel_compiled)
