// linearise.c: A = df/dy of an equation y' = f(t, y), for implicit methods and for modes.
//
// Central differences: column j is (f(y + h e_j) - f(y - h e_j)) / 2 h, with an error of h^2 f''' / 6 and of rounding, u f / h. Both
// are alike at h = u^(1/3), of y_j where that is larger than one.
#include <math.h>
#include <string.h>

#include "solve/integrate/integrate.h"

// States in lanes are read as vectors: each array begins where one may.
static int aligned(int n)
{
  enum { AT = JN_ARENA_ALIGN / (int)sizeof(double) };
  return (n + AT - 1) / AT * AT;
}

size_t jn_linearise_size(const jn_ode *f)
{
  return (size_t)(3 * aligned(f->nq + f->nv + f->nx) + aligned(f->nexp)) * sizeof(double);
}

void jn_linearise(const jn_ode *f, double t, const double *y, double *scratch, double *a)
{
  if (f->linearise) {
    f->linearise(f->user, t, y, a);
    return;
  }
  const int n = f->nq + f->nv + f->nx;
  const int apart = aligned(n);
  double *at = scratch, *above = at + apart, *below = above + apart, *rate = below + apart;
  memcpy(at, y, (size_t)n * sizeof *at);
  for (int j = 0; j < n; j++) {
    const double h = 6e-6 * fmax(1.0, fabs(y[j]));
    at[j] = y[j] + h;
    const double up = at[j];
    f->eval(f->user, t, at, above, rate);
    at[j] = y[j] - h;
    const double width = up - at[j];  // as rounded
    f->eval(f->user, t, at, below, rate);
    at[j] = y[j];
    for (int i = 0; i < n; i++) a[i * n + j] = (above[i] - below[i]) / width;
  }
}
