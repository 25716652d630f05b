# bench.cmake - each bench/derive/<name>.cpp recomputes tables of doc/theory/. They are not tests,
# but `make test-long` compiles them, so that they do not break unnoticed. Speed is measured by
# `umbel bench`.
file(GLOB derive_sources CONFIGURE_DEPENDS bench/derive/*.cpp)
foreach(source IN LISTS derive_sources)
  get_filename_component(name ${source} NAME_WE)
  add_executable(derive_${name} ${source})
  target_link_libraries(derive_${name} PRIVATE umbel::compiled)
  set_target_properties(derive_${name} PROPERTIES OUTPUT_NAME ${name}
                                                  RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/derive)
endforeach()
