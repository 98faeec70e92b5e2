# Flags of every target. Results are bitwise reproducible: no contraction left to the compiler, and
# no SLP pass, because gcc's fuses products even with contraction off.
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_FLAGS_RELEASE "-O3")
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

set(JN_FLOAT_FLAGS -ffp-contract=off -fno-tree-slp-vectorize -fno-math-errno)
set(JN_WARNING_FLAGS -Wall -Wextra -Wshadow -Wvla -Wstrict-prototypes -Wmissing-prototypes
                     -Wpointer-arith -Wno-psabi)

add_library(jounce-flags INTERFACE)
target_compile_options(jounce-flags INTERFACE ${JN_FLOAT_FLAGS} ${JN_WARNING_FLAGS})
target_compile_definitions(jounce-flags INTERFACE _DEFAULT_SOURCE)
if(CMAKE_BUILD_TYPE STREQUAL "Debug")
  target_compile_definitions(jounce-flags INTERFACE JN_VALIDATING)  # base/invariant.h
endif()
if(JN_WERROR)
  target_compile_options(jounce-flags INTERFACE -Werror)
endif()
set(JN_LINK_FLAGS)
if(JN_SANITIZE)
  set(JN_LINK_FLAGS -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  # With kernels called instead of inlined gcc no longer sees that their small arrays are filled.
  target_compile_options(jounce-flags INTERFACE ${JN_LINK_FLAGS} -Wno-maybe-uninitialized)
  target_compile_definitions(jounce-flags INTERFACE JN_LISTS_ONLY)  # but for wide.c: cmake/lanes.cmake
endif()
# As written: what an optimiser joins or drops would count as another program. Counts are not made atomically, which takes ten
# times as long, and nobody reads them exactly: what was taken is not zero.
if(JN_COVERAGE)
  add_library(jounce-counts STATIC ${PROJECT_SOURCE_DIR}/cmake/count_at_exit.c)
  set(JN_LINK_FLAGS --coverage)
  target_link_libraries(jounce-flags INTERFACE -Wl,--wrap=_exit $<BUILD_INTERFACE:jounce-counts>)
  target_compile_options(jounce-flags INTERFACE --coverage -O0 -fprofile-abs-path)
  target_compile_definitions(jounce-flags INTERFACE JN_LISTS_ONLY)
endif()
target_link_options(jounce-flags INTERFACE ${JN_LINK_FLAGS})
