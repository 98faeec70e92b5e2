# Sources that are built for CPUs with AVX2 and fused products, and chosen at start where the CPU has them
# (src/solve/fast/fast_build.c). Elsewhere they are built like all others, and no operation list is precompiled.
set(JN_FUSED_SOURCES ${PROJECT_SOURCE_DIR}/src/solve/fast/wide.c ${PROJECT_SOURCE_DIR}/src/solve/fast/narrow_fused.c)
# Integrators are built a second time so (src/solve/integrate/method.h).
file(GLOB JN_METHOD_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/solve/integrate/methods/*.c)
foreach(source ${JN_METHOD_SOURCES})
  get_filename_component(name ${source} NAME_WE)
  set(fused ${PROJECT_BINARY_DIR}/methods/${name}_fused.c)
  file(CONFIGURE OUTPUT ${fused} CONTENT "#define JN_METHOD_FUSED\n#include \"solve/integrate/methods/${name}.c\"\n")
  list(APPEND JN_FUSED_SOURCES ${fused})
  list(APPEND JN_ENGINE_SOURCES ${fused})
endforeach()
set(JN_FUSED_FLAGS)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  set(JN_FUSED_FLAGS -march=x86-64-v3)
endif()

# For the targets of the folder that calls it. Copies stay loops, because memcpy takes different ways for different
# addresses; loops whose length a compiled list knows vanish.
macro(jn_source_flags)
  if(CMAKE_C_COMPILER_ID STREQUAL GNU)
    set(plain -fno-tree-loop-distribute-patterns)
    set(lanes ${plain} --param=max-completely-peeled-insns=4000
              --param=max-completely-peel-times=64)
  endif()
  set_source_files_properties(${PROJECT_SOURCE_DIR}/src/solve/integrate/integrate.c ${JN_METHOD_SOURCES}
                              PROPERTIES COMPILE_OPTIONS "${plain}")
  set_source_files_properties(${PROJECT_SOURCE_DIR}/src/solve/fast/narrow.c PROPERTIES COMPILE_OPTIONS
                              "${lanes}")
  set_source_files_properties(${JN_FUSED_SOURCES} PROPERTIES COMPILE_OPTIONS
                              "${JN_FUSED_FLAGS};${lanes}")
  # The precompiled lists that users run are under the sanitizers, too: as one file, for minutes, and without what a debugger wants,
  # which takes longer still. Marks around variables of the stack are left to narrow.c, the same source: where all operations are in
  # one function, they take ten times as long as all else.
  if(JN_SANITIZE)
    set_source_files_properties(${PROJECT_SOURCE_DIR}/src/solve/fast/wide.c PROPERTIES COMPILE_OPTIONS
                                "${JN_FUSED_FLAGS};${lanes};-UJN_LISTS_ONLY;-g0;--param=asan-stack=0")
  endif()
endmacro()
jn_source_flags()
