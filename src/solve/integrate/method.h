// method.h: what a file of methods/ sees: formulas of one integrator, or of several that belong together.
//
// The formulas. f_0 = f(t_n, y_n) is given, f_1, f_2, .. are those of past steps (newest first), h
// is the step; for the declared states z = -a_n h, and g_j = u'_j + a_n u_j with the a_n of this
// step for every j, so that the history keeps u' and u and not g.
//
// What every exponential form begins with is u_{n+1} = exp(z) u_n + .., and since
// exp(z) u_n + h phi_1(z) g_0 = u_n + h phi_1(z) u'_n, all of them are written as the step u_n + ..
// that becomes the classical one for z = 0, with differences of g for the rest.
//
// Each file is built twice, without fused products and with them for states in lanes (cmake/lanes.cmake): a table is called
// JN_METHOD(NAME) there, with NAME from JN_INTEGRATOR_LIST, and all else is static. A step writes y at its end.
#ifndef JN_SOLVE_INTEGRATE_METHOD_H
#define JN_SOLVE_INTEGRATE_METHOD_H

#include <assert.h>
#include <string.h>

#include "base/real.h"
#include "solve/integrate/integrate.h"
#include "solve/integrate/phi.h"

#ifdef JN_METHOD_FUSED
#define JN_METHOD(name) jn_method_##name##_fused
#else
#define JN_METHOD(name) jn_method_##name
#endif

// Row of the step `back` steps ago, 1 <= back <= depth. No branch here, and `restrict` in methods, without which compilers
// compare addresses before a loop: the work of a step would depend on which row it is.
static inline int jn_past_row(const jn_integ *w, int back)
{
  const int row = w->past->head - back;
  return row + (row < 0) * (w->depth + 1);
}

// Not memcpy, which goes different ways for different addresses: the count of instructions of a step is to be one number.
// (These files are built such that compilers do not make it one: cmake/lanes.cmake.)
static inline void jn_copy(int n, double *restrict to, const double *restrict from)
{
  for (int i = 0; i < n; i++) to[i] = from[i];
}

// The row of this step is written before it, by each step of a method that has a history, and counts from the next step on: the
// method still needs the oldest one, and y is about to change.
static inline void jn_past_keep(jn_integ *w, double h, const double *y, const double *dy)
{
  assert(w->past->steps == 0 || h == w->past->h);
  jn_copy(w->n, w->past_dy[w->past->head], dy);
  jn_copy(w->nexp, w->past_u[w->past->head], y + (w->n - w->nexp));
  w->past->h = h;
}

#endif
