# jn_library(NAME <name> SOURCES ... [PRIVATE libs ...]): one set of objects, a static and a shared
# library of it.
function(jn_library)
  cmake_parse_arguments(L "" "NAME" "SOURCES;NEEDS;NEEDS_STATIC;NEEDS_SHARED" ${ARGN})
  add_library(${L_NAME}-objects OBJECT ${L_SOURCES})
  target_include_directories(${L_NAME}-objects PUBLIC ${PROJECT_SOURCE_DIR}/include
                                                      ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${L_NAME}-objects PRIVATE jounce-flags ${L_NEEDS})
  target_compile_definitions(${L_NAME}-objects PRIVATE JN_VERSION="${PROJECT_VERSION}")

  foreach(kind static shared)
    string(TOUPPER ${kind} KIND)
    add_library(${L_NAME}-${kind} ${KIND} $<TARGET_OBJECTS:${L_NAME}-objects>)
    set_target_properties(${L_NAME}-${kind} PROPERTIES OUTPUT_NAME ${L_NAME}
      VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR} EXPORT_NAME ${L_NAME}-${kind}
      BUILD_RPATH_USE_ORIGIN ON INSTALL_RPATH $ORIGIN)  # the other one lies beside it, wherever that is
    target_include_directories(${L_NAME}-${kind} INTERFACE
      $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
      $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    target_link_libraries(${L_NAME}-${kind} PUBLIC ${L_NEEDS_${KIND}} PRIVATE ${L_NEEDS})
    target_link_options(${L_NAME}-${kind} PUBLIC ${JN_LINK_FLAGS})
    if(NOT JN_SANITIZE)
      target_link_options(${L_NAME}-${kind} PRIVATE -Wl,-z,defs)
    endif()
  endforeach()
endfunction()
