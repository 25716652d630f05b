# instructions.cmake - bench/instructions: programs that make single queries of every kind, whose
# instructions callgrind counts. Each kind is a small translation unit at -O2, as a user's program
# is.
set(counted ${PROJECT_SOURCE_DIR}/bench/instructions/main.cpp)
foreach(line IN LISTS kind_lines)
  string(REGEX MATCH "${kind_line}" matched "${line}")
  set(UMBEL_FOLDER ${CMAKE_MATCH_1})
  set(UMBEL_CLASS ${CMAKE_MATCH_2})
  set(source ${PROJECT_BINARY_DIR}/instructions/${UMBEL_CLASS}.cpp)
  configure_file(bench/instructions/kind.cpp.in ${source} @ONLY)
  list(APPEND counted ${source})
endforeach()
add_executable(instructions ${counted})
target_include_directories(instructions PRIVATE bench/instructions)
target_link_libraries(instructions PRIVATE umbel::any)
target_compile_options(instructions PRIVATE -O2)
set_target_properties(instructions PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench)
