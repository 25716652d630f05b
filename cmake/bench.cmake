# bench.cmake - each bench/<name>.cpp is a program; `make bench` runs them all. No benchmark is a test, but all are
# compiled with everything else, so that they do not rot.
file(GLOB bench_sources CONFIGURE_DEPENDS bench/*.cpp)
add_custom_target(benchmarks)
if(bench_sources)
  find_package(benchmark REQUIRED)
  find_package(fmt REQUIRED)
endif()
foreach(source IN LISTS bench_sources)
  get_filename_component(name ${source} NAME_WE)
  add_executable(bench_${name} ${source})
  target_link_libraries(bench_${name} PRIVATE umbel::any benchmark::benchmark fmt::fmt)
  set_target_properties(bench_${name} PROPERTIES OUTPUT_NAME ${name}
                                                 RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench)
  add_dependencies(benchmarks bench_${name})
endforeach()
