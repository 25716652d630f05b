# tool.cmake - the command line tool, left at the top of the build folder as `umbel`.
file(GLOB tool_sources CONFIGURE_DEPENDS cli/*.cpp cli/cmd/*.cpp)
if(tool_sources)
  find_package(fmt REQUIRED)
  find_package(CLI11 REQUIRED)
  # The target is not called `umbel`, which is the library.
  add_executable(umbel_tool ${tool_sources})
  set_target_properties(umbel_tool PROPERTIES OUTPUT_NAME umbel RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  target_include_directories(umbel_tool PRIVATE cli)
  # Optimising what parses options and prints reports takes a minute and gains nothing; keys are read by the million.
  target_compile_options(umbel_tool PRIVATE -O1)
  set_source_files_properties(cli/keys.cpp cli/input.cpp PROPERTIES COMPILE_OPTIONS -O3)
  target_link_libraries(umbel_tool PRIVATE umbel::any fmt::fmt CLI11::CLI11)
endif()
