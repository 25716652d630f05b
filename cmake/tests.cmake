# tests.cmake - one folder of test/ is one area: its *.cpp make the program test_<area>, its test_*.py and test_*.sh
# are tests as they stand. The area is also the ctest label, so `ctest -L '^laws$'` runs one area.
find_package(GTest REQUIRED)
find_package(rapidcheck REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(ZLIB REQUIRED)
find_package(Python3 REQUIRED COMPONENTS Interpreter)
include(GoogleTest)
set(UMBEL_TEST_TIMEOUT 120 CACHE STRING "Seconds after which one test is ended and has failed")
set(UMBEL_SHARE_TIMEOUT 300 CACHE STRING "The same for a share of all tests of an area")

# Most of a test's compile time is other people's headers and the optimiser: the first are read once for all areas, the
# second is kept short (and left out under the sanitizers, where it takes half the time). What is timed or counted in bulk
# lives in the libraries, which are fully optimised.
set(test_optimisation $<IF:$<CONFIG:Debug>,-O0,-O1>)
file(WRITE ${PROJECT_BINARY_DIR}/prelude.cpp "")
add_library(test_prelude OBJECT ${PROJECT_BINARY_DIR}/prelude.cpp)
target_link_libraries(test_prelude PRIVATE umbel::compiled GTest::gtest GTest::gmock)
target_compile_options(test_prelude PRIVATE ${test_optimisation})
target_precompile_headers(test_prelude PRIVATE test/support/prelude.hpp)

# Each start of a program registers every case of every kind, which costs more the more kinds there are: in pieces it is
# started once for each share of its tests. Not where a test is about the memory of a whole process.
set(areas_by_test external)
set(test_shares 4)
function(umbel_gtest_area area)
  add_executable(test_${area} ${ARGN})
  if(UMBEL_IN_PIECES)  # a few large pieces instead of a file at a time: each file has a namespace of its own
    set_target_properties(test_${area} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
    target_compile_options(test_${area} PRIVATE -Wno-shadow)  # of what another file keeps to itself
  endif()
  target_compile_options(test_${area} PRIVATE ${test_optimisation})
  target_precompile_headers(test_${area} REUSE_FROM test_prelude)
  set_target_properties(test_${area} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test)
  target_include_directories(test_${area} PRIVATE test)
  target_compile_definitions(test_${area} PRIVATE UMBEL_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  # An area that mirrors a folder below any/ is linked without umbel::any: it must not need it, and the sanitizer and
  # clang builds of that area then skip compiling every kind.
  if((EXISTS ${PROJECT_SOURCE_DIR}/include/umbel/${area} OR area STREQUAL concurrent) AND NOT area STREQUAL any)
    target_link_libraries(test_${area} PRIVATE umbel::compiled)
  else()
    target_link_libraries(test_${area} PRIVATE umbel::any)
  endif()
  target_link_libraries(test_${area} PRIVATE GTest::gtest_main GTest::gmock rapidcheck rapidcheck_gtest
                                             rapidcheck_gmock OpenSSL::Crypto ZLIB::ZLIB)
  if(UMBEL_IN_PIECES AND NOT area IN_LIST areas_by_test)
    math(EXPR last "${test_shares} - 1")
    foreach(share RANGE ${last})
      set(name ${area}.share_${share})
      set(environment GTEST_TOTAL_SHARDS=${test_shares} GTEST_SHARD_INDEX=${share}
                      GTEST_OUTPUT=xml:${PROJECT_BINARY_DIR}/cases/${name}.xml)
      add_test(NAME ${name} COMMAND test_${area})
      set_tests_properties(${name} PROPERTIES TIMEOUT ${UMBEL_SHARE_TIMEOUT} LABELS ${area}
                                              ENVIRONMENT "${environment}")
    endforeach()
    return()
  endif()
  # Tests are listed when ctest starts, not when the program is linked: a program that cannot start is then a failed
  # test, not a failed build, and ctest may be run in another environment than the build.
  gtest_discover_tests(test_${area} TEST_PREFIX "${area}." DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
                       PROPERTIES TIMEOUT ${UMBEL_TEST_TIMEOUT} LABELS ${area})
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
endfunction()

file(GLOB areas CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/test test/*)
foreach(area IN LISTS areas)
  file(GLOB area_sources CONFIGURE_DEPENDS test/${area}/*.cpp)
  if(area_sources)
    umbel_gtest_area(${area} ${area_sources})
  endif()
  file(GLOB area_scripts CONFIGURE_DEPENDS test/${area}/test_*.py test/${area}/test_*.sh)
  foreach(script IN LISTS area_scripts)
    umbel_script_test(${area} ${script})
  endforeach()
endforeach()
