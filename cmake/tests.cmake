# tests.cmake - each folder of test/ is an area: its *.cpp make the program test_<area>, its
# test_*.py and test_*.sh are run as tests. The area is also the ctest label, so `ctest -L '^laws$'`
# runs one area.
find_package(GTest REQUIRED)
find_package(rapidcheck REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(ZLIB REQUIRED)
find_package(Python3 REQUIRED COMPONENTS Interpreter)
include(GoogleTest)
set(UMBEL_TEST_TIMEOUT 120 CACHE STRING "Seconds after which one test is ended and has failed")
set(UMBEL_SHARE_TIMEOUT 300 CACHE STRING "The same for a share of all tests of an area")
set(UMBEL_AREAS_ELSEWHERE "" CACHE STRING "Areas of tests that this build leaves out")

# Most of a test's compile time goes into third-party headers and the optimiser. The headers are
# precompiled once for all areas. Optimisation is reduced, and switched off under the sanitizers and
# for areas that run in almost no time. It stays on where the libraries do the work: functions
# shared with a test are linked from the test, and hostile tests took twice as long without it.
set(areas_unoptimised codec)
if(UMBEL_IN_PIECES)
  list(APPEND areas_unoptimised long)  # only compiled, so that they do not break unnoticed
endif()
file(WRITE ${PROJECT_BINARY_DIR}/prelude.cpp "")
function(umbel_prelude name optimisation)
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/prelude.cpp)
  target_link_libraries(${name} PRIVATE umbel::umbel GTest::gtest GTest::gmock)
  target_compile_options(${name} PRIVATE ${optimisation})
  target_precompile_headers(${name} PRIVATE test/support/prelude.hpp)
endfunction()
umbel_prelude(test_prelude -O1)
umbel_prelude(test_prelude_unoptimised -O0)

# Linked with headers alone, as by most users. A build that consists of one of these areas (under
# the thread sanitizer, or by clang) does not compile the library at all.
set(areas_header_only cells concurrent engine)

# Each start of a test program registers every case of every kind. With UMBEL_IN_PIECES it is
# therefore started once per share of its tests instead of once per test, except where a test
# measures the memory of a whole process.
set(areas_by_test external)
set(environment_of_external TMPDIR=unset:)  # spilling to a folder in memory would not be a test
set(test_shares 4)
set(shares_of_codec 1)  # each share makes all golden files
# ctest starts the longest tests first, so that no core is left alone with a long test at the end.
set(areas_first build codec core flow format hostile laws map set)
function(umbel_set_cost name area)
  if(area IN_LIST areas_first)
    set_tests_properties(${name} PROPERTIES COST 1)
  endif()
endfunction()

function(umbel_gtest_area area)
  add_executable(test_${area} ${ARGN})
  if(UMBEL_IN_PIECES)  # unity files: each file has its own namespace
    set_target_properties(test_${area} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 17)
    target_compile_options(test_${area} PRIVATE -Wno-shadow)  # of other files in a unity file
  endif()
  if(area IN_LIST areas_unoptimised OR CMAKE_BUILD_TYPE STREQUAL Debug)
    target_compile_options(test_${area} PRIVATE -O0)
    target_precompile_headers(test_${area} REUSE_FROM test_prelude_unoptimised)
  else()
    target_compile_options(test_${area} PRIVATE -O1)
    target_precompile_headers(test_${area} REUSE_FROM test_prelude)
  endif()
  set_target_properties(test_${area} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test)
  target_include_directories(test_${area} PRIVATE test)
  target_compile_definitions(test_${area} PRIVATE UMBEL_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  # An area that mirrors a folder below any/ must not need umbel::any, so it is linked without it.
  if(area IN_LIST areas_header_only)
    target_link_libraries(test_${area} PRIVATE umbel::umbel)
  elseif(EXISTS ${PROJECT_SOURCE_DIR}/include/umbel/${area} AND NOT area STREQUAL any)
    target_link_libraries(test_${area} PRIVATE umbel::compiled)
  else()
    target_link_libraries(test_${area} PRIVATE umbel::any)
  endif()
  target_link_libraries(test_${area} PRIVATE GTest::gtest_main GTest::gmock rapidcheck rapidcheck_gtest
                                             rapidcheck_gmock OpenSSL::Crypto ZLIB::ZLIB)
  if(UMBEL_IN_PIECES AND NOT area IN_LIST areas_by_test)
    set(shares ${test_shares})
    if(shares_of_${area})
      set(shares ${shares_of_${area}})
    endif()
    math(EXPR last "${shares} - 1")
    foreach(share RANGE ${last})
      set(name ${area}.share_${share})
      set(environment GTEST_TOTAL_SHARDS=${shares} GTEST_SHARD_INDEX=${share}
                      GTEST_OUTPUT=xml:${PROJECT_BINARY_DIR}/cases/${name}.xml)
      add_test(NAME ${name} COMMAND test_${area})
      set_tests_properties(${name} PROPERTIES TIMEOUT ${UMBEL_SHARE_TIMEOUT} LABELS ${area}
                                              ENVIRONMENT "${environment}")
      umbel_set_cost(${name} ${area})
    endforeach()
    return()
  endif()
  # Tests are listed when ctest starts, not when the program is linked: a program that cannot start
  # is then a failed test, not a failed build, and ctest may run in a different environment.
  gtest_discover_tests(test_${area} TEST_PREFIX "${area}." DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
                       PROPERTIES TIMEOUT ${UMBEL_TEST_TIMEOUT} LABELS ${area}
                                  ENVIRONMENT_MODIFICATION "${environment_of_${area}}")
endfunction()

function(umbel_script_test area script)
  get_filename_component(name ${script} NAME_WE)
  string(REGEX REPLACE "^test_" "" name ${name})
  if(script MATCHES "\\.py$")
    set(interpreter ${Python3_EXECUTABLE})
  else()
    set(interpreter bash)
  endif()
  add_test(NAME ${area}.${name} COMMAND ${interpreter} ${script})
  set(environment "UMBEL_SOURCE_DIR=${PROJECT_SOURCE_DIR}" "UMBEL_BUILD_DIR=${PROJECT_BINARY_DIR}")
  if(TARGET umbel_tool)
    list(APPEND environment "UMBEL_TOOL=$<TARGET_FILE:umbel_tool>")
  endif()
  set_tests_properties(${area}.${name} PROPERTIES TIMEOUT ${UMBEL_TEST_TIMEOUT} LABELS ${area}
                                                  ENVIRONMENT "${environment}")
  umbel_set_cost(${area}.${name} ${area})
endfunction()

file(GLOB areas CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/test test/*)
foreach(area IN LISTS areas)
  if(area IN_LIST UMBEL_AREAS_ELSEWHERE)
    continue()
  endif()
  file(GLOB area_sources CONFIGURE_DEPENDS test/${area}/*.cpp)
  if(area_sources)
    umbel_gtest_area(${area} ${area_sources})
  endif()
  file(GLOB area_scripts CONFIGURE_DEPENDS test/${area}/test_*.py test/${area}/test_*.sh)
  foreach(script IN LISTS area_scripts)
    umbel_script_test(${area} ${script})
  endforeach()
endforeach()
