// rmath_builds.h: the builds linked into this program. CMakeLists.txt writes their list.
#ifndef JT_RMATH_BUILDS_H
#define JT_RMATH_BUILDS_H

#include <stddef.h>

#include "rmath_build_list.h"
#include "rmath_kernels.h"

#define X(build) extern const jt_rmath_build build;
JT_RMATH_BUILDS(X)
#undef X

#define X(build) &build,
static const jt_rmath_build *const jt_rmath_builds[] = {JT_RMATH_BUILDS(X)};
#undef X

enum { JT_RMATH_BUILD_COUNT = sizeof jt_rmath_builds / sizeof *jt_rmath_builds };

// The fused builds are for x86-64-v3.
static inline int jt_rmath_runs_here(const jt_rmath_build *b)
{
#if defined __x86_64__
  return !b->fused || (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                       __builtin_cpu_supports("bmi2"));
#else
  return 1;
#endif
}

// The first build with or without fused products that this CPU can run, or NULL.
static inline const jt_rmath_build *jt_rmath_find(int fused)
{
  for (int i = 0; i < JT_RMATH_BUILD_COUNT; i++) {
    const jt_rmath_build *b = jt_rmath_builds[i];
    if (b->fused == fused && jt_rmath_runs_here(b)) return b;
  }
  return NULL;
}

#endif
