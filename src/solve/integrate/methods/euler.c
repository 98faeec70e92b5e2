// euler.c: explicit Euler; the same with positions that move with the new velocities.
#include "solve/integrate/method.h"

// to = y + h dy, the last nexp by exponential Euler: to = u + h phi_1(z) u'. `to` may be y.
static void euler_to(const jn_integ *w, double h, const double *y, const double *dy,
                     const double *a, double *to)
{
  const int plain = w->n - w->nexp;
  for (int i = 0; i < plain; i++) to[i] = r_fma(h, dy[i], y[i]);
  for (int i = 0; i < w->nexp; i++)
    to[plain + i] = r_fma(h * phi1_at(-a[i] * h), dy[plain + i], y[plain + i]);
}

static void euler(jn_integ *w, const jn_ode *f, double t, double h, double *y, const double *dy,
                  const double *a)
{
  (void)f, (void)t;
  euler_to(w, h, y, dy, a, y);
}

// Symplectic Euler: velocities and the rest first, then positions with the new velocities
// (Hairer, Lubich, Wanner, Geometric Numerical Integration, 2nd ed., I.1.2).
static void semi_euler(jn_integ *w, const jn_ode *f, double t, double h, double *y,
                       const double *dy, const double *a)
{
  (void)t;
  double *next = w->stage, *dq = w->k[0];
  euler_to(w, h, y, dy, a, next);
  memcpy(next, y, (size_t)w->nq * sizeof *y);
  f->qdot(f->user, next, dq);
  for (int i = 0; i < w->nq; i++) y[i] = r_fma(h, dq[i], y[i]);
  memcpy(y + w->nq, next + w->nq, (size_t)(w->n - w->nq) * sizeof *y);
}

const jn_method_table JN_METHOD(EULER) = {.order = 1, .step = euler};
const jn_method_table JN_METHOD(SEMI_EULER) = {.order = 1, .step = semi_euler};
