# instructions.cmake - bench/instructions: single queries of every kind, which callgrind counts. One
# program builds the structures and saves them, compiled as everything else. The other loads and
# queries them, and is counted; it has flags of its own, and therefore a folder.
if(NOT "bench" IN_LIST UMBEL_AREAS_ELSEWHERE)
  add_executable(instructions_write bench/instructions/write.cpp)
  target_link_libraries(instructions_write PRIVATE umbel::any)
  set_target_properties(instructions_write PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench)
  add_subdirectory(bench/instructions)
endif()
