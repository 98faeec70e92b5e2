# The page of `jounce plot`: web/ made into one HTML file, which report_template.c takes in.
find_program(JN_NODE NAMES node nodejs REQUIRED)
if(NOT EXISTS ${PROJECT_SOURCE_DIR}/web/node_modules/vite/bin/vite.js)
  message(FATAL_ERROR "web/ lacks its packages: run scripts/setup build")
endif()
file(GLOB JN_PAGE_SOURCES CONFIGURE_DEPENDS web/src/* web/index.html web/vite.config.mjs
     web/package-lock.json web/tsconfig.json)
set(JN_PAGE ${PROJECT_BINARY_DIR}/web/index.html)
add_custom_command(
  OUTPUT ${JN_PAGE}
  COMMAND ${JN_NODE} node_modules/vite/bin/vite.js build --logLevel warn
          --outDir ${PROJECT_BINARY_DIR}/web
  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}/web
  DEPENDS ${JN_PAGE_SOURCES}
  COMMENT "Making the page of jounce plot")
set_source_files_properties(src/report/report_template.c PROPERTIES
  OBJECT_DEPENDS ${JN_PAGE} COMPILE_DEFINITIONS JN_PAGE_FILE="${JN_PAGE}")
list(APPEND JN_OFFLINE_SOURCES ${JN_PAGE})
