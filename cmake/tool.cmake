# tool.cmake - the command line tool, left at the top of the build folder as `umbel`. Everything
# but main.cpp is the library umbel_cli. Fuzz targets link it too, to test the code that reads input
# without starting a process per input.
file(GLOB_RECURSE tool_sources CONFIGURE_DEPENDS cli/*.cpp)
list(REMOVE_ITEM tool_sources ${PROJECT_SOURCE_DIR}/cli/main.cpp)
if(tool_sources)
  find_package(fmt REQUIRED)
  find_package(CLI11 REQUIRED)
  find_package(ZLIB REQUIRED)
  find_package(zstd REQUIRED)
  # The page of `umbel plan --html` is one text that contains its style and scripts. The tool stores
  # the part before the data and the part after it.
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
  if(UMBEL_IN_PIECES)  # except commands: each names its options `arguments`
    file(GLOB command_sources CONFIGURE_DEPENDS cli/cmd/*.cpp)
    set_source_files_properties(${command_sources} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    set_target_properties(umbel_cli PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 32)
    target_compile_options(umbel_cli PRIVATE -Wno-shadow)  # of other files in a unity file
  endif()
  # Precompiled for nearly all files.
  target_precompile_headers(umbel_cli PRIVATE <fmt/format.h> <umbel/any/any.hpp>)
  # Full optimisation of option parsing and reports takes a minute and gains nothing; only the files
  # that read keys need it. CLI11 is third-party code, and sanitized it compiles twice as long.
  target_compile_options(umbel_cli PRIVATE $<IF:$<CONFIG:Debug>,-O0,-O1>)
  set(fast cli/keys.cpp cli/input.cpp cli/pairs.cpp)
  set_source_files_properties(${fast} PROPERTIES COMPILE_OPTIONS $<IF:$<CONFIG:Debug>,-O1,-O3>)
  set_source_files_properties(cli/parser.cpp PROPERTIES COMPILE_OPTIONS "-O0;-fno-sanitize=all")
  set_source_files_properties(${fast} cli/parser.cpp PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
  if(UMBEL_TOOL)
    # The target is not called `umbel`, which is the library.
    add_executable(umbel_tool cli/main.cpp)
    set_target_properties(umbel_tool PROPERTIES OUTPUT_NAME umbel RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
    target_link_libraries(umbel_tool PRIVATE umbel_cli)
  endif()
endif()
