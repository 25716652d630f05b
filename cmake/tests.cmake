# tests.cmake - one folder of test/ is one area: its *.cpp make the program test_<area>, its
# test_*.py and test_*.sh are tests as they stand. The area is also the ctest label, so `ctest -L
# '^laws$'` runs one area.
find_package(GTest REQUIRED)
find_package(rapidcheck REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(ZLIB REQUIRED)
find_package(Python3 REQUIRED COMPONENTS Interpreter)
include(GoogleTest)
set(UMBEL_TEST_TIMEOUT 300 CACHE STRING "Seconds after which one program has failed")

# What nearly every test includes is read once for all of them.
file(WRITE ${PROJECT_BINARY_DIR}/prelude.cpp "")
add_library(test_prelude OBJECT EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/prelude.cpp)
target_link_libraries(test_prelude PRIVATE umbel::umbel GTest::gtest GTest::gmock)
target_compile_options(test_prelude PRIVATE $<$<CONFIG:Release>:-O2>)
target_precompile_headers(test_prelude PRIVATE test/support/prelude.hpp)

# Headers alone at -O2, as most users have them. The other areas are linked with the libraries.
set(areas_header_only cells concurrent core engine map set solve)

# Each start of a program registers every case of every kind, which takes as long as many cases: it
# is started once for each quarter of its cases. Where a test is about the memory of a whole
# process, once for each.
set(areas_by_case external)
set(environment_of_external TMPDIR=unset:)  # spilling into memory would show nothing

function(umbel_gtest_area area)
  add_executable(test_${area} ${ARGN})
  target_compile_options(test_${area} PRIVATE $<$<CONFIG:Release>:-O2>)
  target_precompile_headers(test_${area} REUSE_FROM test_prelude)
  set_target_properties(test_${area} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test)
  target_include_directories(test_${area} PRIVATE test)
  target_compile_definitions(test_${area} PRIVATE UMBEL_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  # An area that mirrors a folder below any/ is linked without umbel::any: it must not need it.
  if(area IN_LIST areas_header_only)
    target_link_libraries(test_${area} PRIVATE umbel::umbel)
  elseif(EXISTS ${PROJECT_SOURCE_DIR}/include/umbel/${area} AND NOT area STREQUAL any)
    target_link_libraries(test_${area} PRIVATE umbel::compiled)
  else()
    target_link_libraries(test_${area} PRIVATE umbel::any)
  endif()
  target_link_libraries(test_${area} PRIVATE GTest::gtest_main GTest::gmock rapidcheck rapidcheck_gtest
                                             rapidcheck_gmock OpenSSL::Crypto ZLIB::ZLIB)
  # Like the replays of fuzz seeds, hostile inputs belong under the sanitizers: built where they are
  # asked for.
  if(area STREQUAL hostile)
    set_target_properties(test_hostile PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
  if(area IN_LIST areas_by_case)
    gtest_discover_tests(test_${area} TEST_PREFIX "${area}." DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
                         PROPERTIES TIMEOUT ${UMBEL_TEST_TIMEOUT} LABELS ${area}
                                    ENVIRONMENT_MODIFICATION "${environment_of_${area}}")
    return()
  endif()
  foreach(quarter RANGE 3)
    set(name ${area}.quarter_${quarter})
    add_test(NAME ${name} COMMAND test_${area})
    # What the program says of each of its cases, for tools/slowest.py.
    set(environment GTEST_TOTAL_SHARDS=4 GTEST_SHARD_INDEX=${quarter}
                    GTEST_OUTPUT=xml:${PROJECT_BINARY_DIR}/results/${name}.xml)
    set_tests_properties(${name} PROPERTIES TIMEOUT ${UMBEL_TEST_TIMEOUT} LABELS ${area} ENVIRONMENT "${environment}")
  endforeach()
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
