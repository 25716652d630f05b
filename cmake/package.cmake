# package.cmake - Debian packages by CPack: `umbel`, the tool with its manual and completion, and
# `libumbel-cpp-dev`, the headers, both archives and the files of find_package and pkg-config. `make
# deb` makes them (tools/deb.sh).
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME umbel)
set(CPACK_PACKAGE_VENDOR umbel)
set(CPACK_PACKAGE_CONTACT "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")  # set by tools/deb.sh
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
# Folders are readable by all, whatever the umask of the packaging user.
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
                                                WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/debian.cmake)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL library)
if(TARGET umbel_tool)
  list(APPEND CPACK_COMPONENTS_ALL tool)
endif()
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_TOOL_PACKAGE_NAME umbel)
set(CPACK_DEBIAN_TOOL_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_TOOL_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_TOOL_DESCRIPTION
"filters of lists and maps of tables in a few bits per key
umbel makes Bloom filters and their relatives of lists, maps of tables, and
looks up lines in them. A filter forgets no key and errs on other lines at a
rate that is chosen; it takes a few bits per key, whatever the keys are.

It plans sizes, measures speed, and exits as grep does.")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libumbel-cpp-dev)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS "libxxhash-dev")
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION
"Bloom filters and their relatives in C++20 (development files)
umbel is a header library of approximate sets and static maps that take a few
bits per key, answer in a few memory reads and never forget a key.

This package has the headers, the bodies compiled once (libumbel_cpp.a), the
registry of all kinds (libumbel_any.a), and the files by which CMake and
pkg-config find them.")
include(CPack)
