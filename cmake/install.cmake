# install.cmake - installs headers, libraries and the tool, and files for find_package(umbel) and
# pkg-config. Both are relocatable: neither contains the prefix given at configure time. The
# components `library` and `tool` become the two packages of package.cmake.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/umbel)

target_include_directories(umbel INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME library)
install(DIRECTORY include/umbel DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN *.hpp PATTERN *.ipp)
install(TARGETS umbel umbel_compiled umbel_any EXPORT umbelTargets)
install(EXPORT umbelTargets NAMESPACE umbel:: DESTINATION ${package_dir})

configure_package_config_file(cmake/umbelConfig.cmake.in umbelConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(umbelConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/umbelConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/umbelConfigVersion.cmake
        DESTINATION ${package_dir})

# In share/, not lib/: it describes header-only use, and its prefix is always two folders up.
configure_file(cmake/umbel.pc.in umbel.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/umbel.pc DESTINATION ${CMAKE_INSTALL_DATADIR}/pkgconfig)
# Beside the archive, which is built for one architecture. The number of folders up to the prefix
# depends on the name of that folder.
file(RELATIVE_PATH up_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/umbel_cpp.pc.in umbel_cpp.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/umbel_cpp.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# The tool prints the manual and the completion scripts from the definitions of its parser.
if(TARGET umbel_tool)
  install(TARGETS umbel_tool COMPONENT tool)
  function(umbel_printed file folder)
    set(made ${PROJECT_BINARY_DIR}/share/${file})
    add_custom_command(OUTPUT ${made} DEPENDS umbel_tool VERBATIM
                       COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/share
                       COMMAND sh -c "\"$0\" \"$@\" >${made}" $<TARGET_FILE:umbel_tool> ${ARGN})
    install(FILES ${made} DESTINATION ${folder} COMPONENT tool)
    set(printed ${printed} ${made} PARENT_SCOPE)
  endfunction()
  umbel_printed(umbel.1 ${CMAKE_INSTALL_MANDIR}/man1 man)
  umbel_printed(umbel ${CMAKE_INSTALL_DATADIR}/bash-completion/completions completion bash)
  umbel_printed(_umbel ${CMAKE_INSTALL_DATADIR}/zsh/site-functions completion zsh)
  umbel_printed(umbel.fish ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d completion fish)
  add_custom_target(umbel_printed_words ALL DEPENDS ${printed})
endif()
include(cmake/package.cmake)
