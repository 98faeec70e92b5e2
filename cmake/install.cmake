# Headers, libraries, command, and the two ways to find them: pkg-config and CMake. Headers are those of all libraries, and
# say what is in which.
include(CMakePackageConfigHelpers)

set(JN_LIBRARIES jounce)
if(NOT JN_ENGINE_ONLY)
  list(APPEND JN_LIBRARIES jounce-offline)
  install(TARGETS jounce-cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
foreach(name ${JN_LIBRARIES})
  list(APPEND JN_LIBRARY_TARGETS ${name}-static ${name}-shared)
endforeach()

install(DIRECTORY include/jounce DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS ${JN_LIBRARY_TARGETS}
        EXPORT jounce-targets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT jounce-targets NAMESPACE jounce:: FILE jounce-targets.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/jounce)
configure_package_config_file(cmake/jounce-config.cmake.in ${PROJECT_BINARY_DIR}/jounce-config.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/jounce)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/jounce-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/jounce-config.cmake
              ${PROJECT_BINARY_DIR}/jounce-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/jounce)
# The way from the .pc files back to the prefix: they stay right wherever the tree is moved.
file(RELATIVE_PATH JN_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
foreach(name ${JN_LIBRARIES})
  configure_file(cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
