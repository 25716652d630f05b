# examples.cmake - each example/<name>.cpp is a complete program; it is compiled, and run as the test example.<name>.
file(GLOB example_sources CONFIGURE_DEPENDS example/*.cpp)
foreach(source IN LISTS example_sources)
  get_filename_component(name ${source} NAME_WE)
  add_executable(example_${name} ${source})
  # Linked as a reader would: headers alone, unless the program asks for the run-time choice of kind.
  file(STRINGS ${source} uses_any REGEX "#include <umbel/any/")
  if(uses_any)
    target_link_libraries(example_${name} PRIVATE umbel::any)
  else()
    target_link_libraries(example_${name} PRIVATE umbel::umbel)
  endif()
  target_compile_options(example_${name} PRIVATE -O0)  # they show and check; nothing in them is timed
  set_target_properties(example_${name} PROPERTIES OUTPUT_NAME ${name}
                                                   RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/example)
  add_test(NAME example.${name} COMMAND example_${name})
  # An example may write files; they belong in the build folder.
  set_tests_properties(example.${name} PROPERTIES TIMEOUT 60 LABELS example
                                                  WORKING_DIRECTORY ${PROJECT_BINARY_DIR}/example)
endforeach()
