# debian.cmake - run by CPack between installing and packing: files that a Debian package needs and
# an installation in /usr/local does not. The folder of each component is
# CPACK_TEMPORARY_DIRECTORY/<component>.
function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

set(package_of_tool umbel)
set(package_of_library libumbel-cpp-dev)
# The date of the changelog: SOURCE_DATE_EPOCH if it is set, so that the same sources give the same
# bytes.
string(TIMESTAMP day "%a, %d %b %Y %H:%M:%S +0000" UTC)
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  set(root ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr)
  set(package ${package_of_${component}})
  set(papers ${root}/share/doc/${package})
  file(MAKE_DIRECTORY ${papers})
  file(COPY_FILE ${CMAKE_CURRENT_LIST_DIR}/debian_copyright ${papers}/copyright)
  file(WRITE ${papers}/changelog "\
${package} (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium\n\n\
  * Release ${CPACK_PACKAGE_VERSION}; what is in it: CHANGELOG.md of the sources.\n\n\
 -- ${CPACK_PACKAGE_CONTACT}  ${day}\n")
  run(gzip -9n ${papers}/changelog)
  file(GLOB pages ${root}/share/man/man*/*.[0-9])
  foreach(page IN LISTS pages)
    run(gzip -9n ${page})
  endforeach()
  # Debian's zsh searches this folder, not site-functions.
  if(EXISTS ${root}/share/zsh/site-functions)
    file(RENAME ${root}/share/zsh/site-functions ${root}/share/zsh/vendor-completions)
  endif()
  file(GLOB archives ${root}/lib/*.a)
  foreach(archive IN LISTS archives)
    run(strip --strip-debug --enable-deterministic-archives
        --remove-section=.comment --remove-section=.note ${archive})
  endforeach()
  run(chmod -R u=rwX,go=rX ${root})
endforeach()
