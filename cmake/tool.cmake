# tool.cmake - the command line tool, left at the top of the build folder as `umbel`. All of it but
# main.cpp is the library umbel_cli, which fuzz targets link, too: what reads bytes from outside is
# tried without a process for each input.
file(GLOB_RECURSE tool_sources CONFIGURE_DEPENDS cli/*.cpp)
list(REMOVE_ITEM tool_sources ${PROJECT_SOURCE_DIR}/cli/main.cpp)
if(tool_sources)
  find_package(fmt REQUIRED)
  find_package(CLI11 REQUIRED)
  find_package(ZLIB REQUIRED)
  find_package(zstd REQUIRED)
  # The page of `umbel plan --html` is one text, with its style and its scripts in it. The tool holds
  # both sides of its data.
  set(page cli/page/plan.html)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${page})
  file(READ ${page} page_text)
  foreach(part plan.css plot.js figures.js plan.js)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS cli/page/${part})
    file(READ cli/page/${part} part_text)
    string(REPLACE "/*${part}*/\n" "${part_text}" page_text "${page_text}")
  endforeach()
  string(FIND "${page_text}" "/*data*/null" page_data)
  string(SUBSTRING "${page_text}" 0 ${page_data} page_head)
  math(EXPR page_rest "${page_data} + 12")
  string(SUBSTRING "${page_text}" ${page_rest} -1 page_tail)
  set(page_source ${PROJECT_BINARY_DIR}/plan_page.cpp)
  configure_file(cmake/plan_page.cpp.in ${page_source} @ONLY)
  add_library(umbel_cli STATIC EXCLUDE_FROM_ALL ${tool_sources} ${page_source})
  target_include_directories(umbel_cli PRIVATE cli)
  target_link_libraries(umbel_cli PUBLIC umbel::any fmt::fmt CLI11::CLI11 ZLIB::ZLIB zstd::libzstd_shared)
  # In a unity build, too, each command is compiled alone: they all call their options `options`.
  file(GLOB command_sources CONFIGURE_DEPENDS cli/cmd/*.cpp)
  set_source_files_properties(${command_sources} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  # Read once for nearly all files.
  target_precompile_headers(umbel_cli PRIVATE <fmt/format.h> <umbel/any/any.hpp>)
  # Optimising what parses options and prints reports takes a minute and gains nothing; keys are
  # read by the million.
  target_compile_options(umbel_cli PRIVATE $<IF:$<CONFIG:Debug>,-O0,-O1>)
  set(fast cli/keys.cpp cli/input.cpp cli/pairs.cpp)
  set_source_files_properties(${fast} PROPERTIES COMPILE_OPTIONS $<IF:$<CONFIG:Debug>,-O1,-O3>)
  set_source_files_properties(cli/parser.cpp PROPERTIES COMPILE_OPTIONS -O0)
  set_source_files_properties(${fast} cli/parser.cpp PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
  if(UMBEL_TOOL)
    # The target is not called `umbel`, which is the library.
    add_executable(umbel_tool cli/main.cpp)
    set_target_properties(umbel_tool PROPERTIES OUTPUT_NAME umbel RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
    target_link_libraries(umbel_tool PRIVATE umbel_cli)
  endif()
endif()
