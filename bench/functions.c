// functions.c: compiled once for each width; BENCH_NAME is the function that it makes.
#include "functions.h"

#include "base/rmath.h"

void BENCH_NAME(int function, const double *from, double *out, int n)
{
  switch (function) {
#define X(name, expression)                 \
  case BENCH_##name:                        \
    for (int i = 0; i < n; i += JN_WIDTH) { \
      real x, f;                            \
      memcpy(&x, from + i, sizeof x);       \
      f = expression;                       \
      memcpy(out + i, &f, sizeof f);        \
    }                                       \
    break;
    BENCH_FUNCTIONS(X)
#undef X
  }
}
