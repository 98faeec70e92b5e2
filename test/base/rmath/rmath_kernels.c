// rmath_kernels.c: one build of the functions. JT_BUILD names its symbol, JT_LABEL what it is.
#include "rmath_kernels.h"

#include <string.h>

#include "base/rmath.h"

_Static_assert(JN_FUSED == JT_FUSED, "real.h and the build disagree on fused products");

#define X(name, expression)                                                      \
  static void run_##name(const double *xs, const double *ys, double *out, int n) \
  {                                                                              \
    for (int i = 0; i < n; i += JN_WIDTH) {                                      \
      real x, y, f;                                                              \
      memcpy(&x, xs + i, sizeof x);                                              \
      memcpy(&y, ys + i, sizeof y);                                              \
      f = expression;                                                            \
      memcpy(out + i, &f, sizeof f);                                             \
    }                                                                            \
  }
JT_RMATH_LIST(X)
#undef X

extern const jt_rmath_build JT_BUILD;
const jt_rmath_build JT_BUILD = {
    JT_LABEL,
    JN_WIDTH,
    JN_FUSED,
    {
#define X(name, expression) run_##name,
        JT_RMATH_LIST(X)
#undef X
    },
};
