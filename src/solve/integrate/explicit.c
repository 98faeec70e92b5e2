// explicit.c: explicit integrators of fixed step.
//
// The formulas. f_0 = f(t_n, y_n) is given, f_1, f_2, .. are those of past steps (newest first), h
// is the step; for the declared states z = -a_n h, and g_j = u'_j + a_n u_j with the a_n of this
// step for every j, so that the history keeps u' and u and not g.
//
// What every exponential form begins with is u_{n+1} = exp(z) u_n + .., and since
// exp(z) u_n + h phi_1(z) g_0 = u_n + h phi_1(z) u'_n, all of them are written as the step u_n + ..
// that becomes the classical one for z = 0, with differences of g for the rest.
//
// Adams (E. Hairer, S. P. Norsett, G. Wanner, Solving Ordinary Differential Equations I, 2nd ed.,
// III.1; exponential: G. Beylkin, J. M. Keiser, L. Vozovoi, J. Comput. Phys. 147 (1998) 362-387;
// M. Hochbruck, A. Ostermann, Acta Numerica 19 (2010), section 2). The polynomial through
// g_0, g_1, .. in s = (t - t_n)/h is g_0 + s D1 + s (s+1)/2 D2 + s (s+1) (s+2)/6 D3, D the backward
// differences; and phi_{k+1}(z) k! is the integral of exp(z (1 - s)) s^k. Hence
//
//   u_{n+1} = u_n + h (phi_1 u'_n + c_1 D1 + c_2 D2 + c_3 D3)                                 (1)
//   c_1 = phi_2,  c_2 = phi_3 + phi_2/2,  c_3 = phi_4 + phi_3 + phi_2/3   (z = 0: 1/2, 5/12, 3/8)
//
// The corrector's polynomial passes through the predicted g_p at s = 1 instead of g_3 at s = -3.
// Both share the first three nodes, so that only the third difference changes, by the fourth one:
//
//   u_{n+1} = u_p + h c_3 (g_p - 4 g_0 + 6 g_1 - 4 g_2 + g_3)                                 (2)
//
// Runge-Kutta (S. M. Cox, P. C. Matthews, J. Comput. Phys. 176 (2002) 430-455, there ETD2RK and
// ETD4RK): g_a, g_b at the middle and g_c at the end stand for the stages 2, 3, 4 of the classical
// method, whose times they share, so that declared and other states are stages of one and the same
// method, the one for a diagonal matrix of which most rates are zero.
//
// Limit of the history: with -z large, (1) is u_{n+1} = (sum of w_j g_j)/a_n, w the weights of
// extrapolation to t_{n+1}: (2, -1), (3, -3, 1), (4, -6, 4, -1). And g_j = b_j + (a_n - a_j) u_j,
// so that an error of u_j returns as w_j (a_n - a_j)/a_n. That the sum of |w_j (a_n - a_j)|/a_n be
// below 1 is enough: where -z is large, a may change in a step by its own (new) size for ab2, by
// 1/5 of it for ab3. With abm4 17 times the change meets the corrector, whose u_{n+1} = g_p/a_n
// brings in the change once more: 0.24. Runge-Kutta, without history, forgets u_n when -z is large.
#include "solve/integrate/integrate.h"

#include <assert.h>
#include <string.h>

#include "base/real.h"
#include "solve/integrate/phi.h"

static int depth_of(jn_method method)
{
  static const int depth[JN_NMETHOD] = {
      [JN_METHOD_AB2] = 1, [JN_METHOD_AB3] = 2, [JN_METHOD_ABM4] = 3};
  return depth[method];
}

void jn_integ_place(jn_integ *w, jn_method method, int nq, int nv, int nx, int nexp,
                    jn_arena *history, jn_arena *scratch)
{
  assert(nq >= 0 && nv >= 0 && 0 <= nexp && nexp <= nx);
  w->method = method;
  w->nq = nq;
  w->nv = nv;
  w->nx = nx;
  w->nexp = nexp;
  w->n = nq + nv + nx;
  w->depth = depth_of(method);
  size_t n = (size_t)w->n, ne = (size_t)nexp;

  w->past = jn_arena_take(history, 1, sizeof *w->past);
  for (int i = 0; i < JN_INTEG_PAST; i++) {
    bool kept = w->depth > 0 && i <= w->depth;
    w->past_dy[i] = jn_arena_take(history, kept ? n : 0, sizeof(double));
    w->past_u[i] = jn_arena_take(history, kept ? ne : 0, sizeof(double));
  }
  w->stage = jn_arena_take(scratch, n, sizeof(double));
  for (int i = 0; i < 3; i++) w->k[i] = jn_arena_take(scratch, n, sizeof(double));
  w->rate = jn_arena_take(scratch, ne, sizeof(double));
  w->mid = jn_arena_take(scratch, ne, sizeof(double));
  for (int i = 0; i < 4; i++) w->c[i] = jn_arena_take(scratch, ne, sizeof(double));
}

void jn_integ_restart(jn_integ *w)
{
  w->past->steps = 0;
  w->past->head = 0;
  w->past->h = 0.0;
}

bool jn_integ_starting(const jn_integ *w)
{
  return w->past->steps < w->depth;
}

// Row of the step `back` steps ago, 1 <= back <= depth. No branch here and in shift_history(), and `restrict`
// below, without which compilers compare addresses before a loop: the work of a step would depend on
// which row it is.
static int row_of(const jn_integ *w, int back)
{
  int row = w->past->head - back;
  return row + (row < 0) * (w->depth + 1);
}

// The row of this step is written before it and counts from the next step on: the method still
// needs the oldest one, and y is about to change.
// Not memcpy, which goes different ways for different addresses: the count of instructions of a step is to be one number.
// (This file is built such that compilers do not make it one: CMakeLists.txt.)
static void copy(int n, double *restrict to, const double *restrict from)
{
  for (int i = 0; i < n; i++) to[i] = from[i];
}

static void remember(jn_integ *w, double h, const double *y, const double *dy)
{
  assert(w->past->steps == 0 || h == w->past->h);
  copy(w->n, w->past_dy[w->past->head], dy);
  copy(w->nexp, w->past_u[w->past->head], y + (w->n - w->nexp));
  w->past->h = h;
}

static void shift_history(jn_integ *w)
{
  w->past->head = (w->past->head != w->depth) * (w->past->head + 1);
  w->past->steps += w->past->steps < w->depth;
}

// to = y + h dy, the last nexp by exponential Euler: to = u + h phi_1(z) u'. `to` may be y.
static void euler(const jn_integ *w, double h, const double *y, const double *dy, const double *a,
                  double *to)
{
  const int plain = w->n - w->nexp;
  for (int i = 0; i < plain; i++) to[i] = r_fma(h, dy[i], y[i]);
  for (int i = 0; i < w->nexp; i++)
    to[plain + i] = r_fma(h * phi1_at(-a[i] * h), dy[plain + i], y[plain + i]);
}

// Symplectic Euler: velocities and the rest first, then positions with the new velocities
// (Hairer, Lubich, Wanner, Geometric Numerical Integration, 2nd ed., I.1.2).
static void semi_euler(jn_integ *w, const jn_ode *f, double h, double *y, const double *dy,
                       const double *a)
{
  double *next = w->stage, *dq = w->k[0];
  euler(w, h, y, dy, a, next);
  memcpy(next, y, (size_t)w->nq * sizeof *y);
  f->qdot(f->user, next, dq);
  for (int i = 0; i < w->nq; i++) y[i] = r_fma(h, dq[i], y[i]);
  memcpy(y + w->nq, next + w->nq, (size_t)(w->n - w->nq) * sizeof *y);
}

static void ab2(const jn_integ *w, double h, double *restrict y, const double *restrict dy,
                const double *restrict a)
{
  const int plain = w->n - w->nexp, r1 = row_of(w, 1);
  const double *restrict f1 = w->past_dy[r1];
  const double h2 = 0.5 * h;
  for (int i = 0; i < plain; i++) y[i] = r_fma(h2, r_fma(3.0, dy[i], -f1[i]), y[i]);

  y += plain, dy += plain, f1 += plain;
  const double *restrict u1 = w->past_u[r1];
  for (int i = 0; i < w->nexp; i++) {
    phi_values p = phi_at(-a[i] * h);
    double d1 = r_fma(a[i], y[i], dy[i]) - r_fma(a[i], u1[i], f1[i]);
    y[i] = r_fma(h, r_fma(p.p1, dy[i], p.p2 * d1), y[i]);  // (1)
  }
}

// Keeps this step's row of the history in the same pass.
static void ab3(jn_integ *w, double h, double *restrict y, const double *restrict dy,
                const double *restrict a)
{
  const int plain = w->n - w->nexp, r1 = row_of(w, 1), r2 = row_of(w, 2);
  const double *restrict f1 = w->past_dy[r1], *restrict f2 = w->past_dy[r2];
  double *restrict kept = w->past_dy[w->past->head];
  const double h12 = h / 12.0;
  assert(h == w->past->h);
  for (int i = 0; i < plain; i++) {
    kept[i] = dy[i];
    y[i] = r_fma(h12, r_fma(23.0, dy[i], r_fma(-16.0, f1[i], 5.0 * f2[i])), y[i]);
  }

  y += plain, dy += plain, f1 += plain, f2 += plain, kept += plain;
  const double *restrict u1 = w->past_u[r1], *restrict u2 = w->past_u[r2];
  double *restrict kept_u = w->past_u[w->past->head];
  for (int i = 0; i < w->nexp; i++) kept[i] = dy[i], kept_u[i] = y[i];
  for (int i = 0; i < w->nexp; i++) {
    phi_values p = phi_at(-a[i] * h);
    double g0 = r_fma(a[i], y[i], dy[i]);
    double g1 = r_fma(a[i], u1[i], f1[i]), g2 = r_fma(a[i], u2[i], f2[i]);
    double d1 = g0 - g1, d2 = d1 - (g1 - g2);
    double more = r_fma(p.p2, d1, r_fma(0.5, p.p2, p.p3) * d2);
    y[i] = r_fma(h, r_fma(p.p1, dy[i], more), y[i]);  // (1)
  }
}

// Predict, evaluate, correct. The second E of PECE is the caller's at the next step's beginning, so
// that the history holds derivatives at accepted states.
static void abm4(jn_integ *w, const jn_ode *f, double t, double h, double *y, const double *dy,
                 const double *a)
{
  const int plain = w->n - w->nexp, r1 = row_of(w, 1), r2 = row_of(w, 2), r3 = row_of(w, 3);
  const double *restrict f1 = w->past_dy[r1], *restrict f2 = w->past_dy[r2],
                         *restrict f3 = w->past_dy[r3];
  const double *restrict u1 = w->past_u[r1], *restrict u2 = w->past_u[r2],
                         *restrict u3 = w->past_u[r3];
  const double h24 = h / 24.0;
  double *yp = w->stage, *fp = w->k[0];
  double *p1 = w->c[0], *c1 = w->c[1], *c2 = w->c[2], *c3 = w->c[3], *past = w->mid;

  for (int i = 0; i < plain; i++) {
    double sum = r_fma(55.0, dy[i], r_fma(-59.0, f1[i], r_fma(37.0, f2[i], -9.0 * f3[i])));
    yp[i] = r_fma(h24, sum, y[i]);
  }
  for (int i = 0; i < w->nexp; i++) {  // apart, so that the compiler sees few enough arrays
    phi_values p = phi_at(-a[i] * h);
    p1[i] = p.p1;
    c1[i] = p.p2;
    c2[i] = r_fma(0.5, p.p2, p.p3);
    c3[i] = r_fma(1.0 / 3.0, p.p2, p.p3 + p.p4);
  }
  for (int i = 0; i < w->nexp; i++) {
    int k = plain + i;
    double g0 = r_fma(a[i], y[k], dy[k]), g1 = r_fma(a[i], u1[i], f1[k]);
    double g2 = r_fma(a[i], u2[i], f2[k]), g3 = r_fma(a[i], u3[i], f3[k]);
    double d1 = g0 - g1, e1 = g1 - g2, d2 = d1 - e1, d3 = d2 - (e1 - (g2 - g3));
    double more = r_fma(c1[i], d1, r_fma(c2[i], d2, c3[i] * d3));
    yp[k] = r_fma(h, r_fma(p1[i], dy[k], more), y[k]);  // (1)
    past[i] = g0 + d1 + d2 + d3;  // what g_p would be if D4 were zero: 4 g_0 - 6 g_1 + 4 g_2 - g_3
  }
  f->eval(f->user, t + h, yp, fp, w->rate);

  for (int i = 0; i < plain; i++) {
    double sum = r_fma(9.0, fp[i], r_fma(19.0, dy[i], r_fma(-5.0, f1[i], f2[i])));
    y[i] = r_fma(h24, sum, y[i]);
  }
  for (int i = 0; i < w->nexp; i++) {
    int k = plain + i;
    y[k] = r_fma(h * c3[i], r_fma(a[i], yp[k], fp[k]) - past[i], yp[k]);  // (2)
  }
}

// Heun; ETD2RK: u_a = u + h phi_1 u',  u_{n+1} = u_a + h phi_2 (g_a - g_0).
static void rk2(jn_integ *w, const jn_ode *f, double t, double h, double *y, const double *dy,
                const double *a)
{
  const int plain = w->n - w->nexp;
  const double h2 = 0.5 * h;
  double *stage = w->stage, *k2 = w->k[0], *hp2 = w->c[0];

  for (int i = 0; i < plain; i++) stage[i] = r_fma(h, dy[i], y[i]);
  for (int i = 0; i < w->nexp; i++) {
    phi_values p = phi_at(-a[i] * h);
    stage[plain + i] = r_fma(h * p.p1, dy[plain + i], y[plain + i]);
    hp2[i] = h * p.p2;
  }
  f->eval(f->user, t + h, stage, k2, w->rate);

  for (int i = 0; i < plain; i++) y[i] = r_fma(h2, dy[i] + k2[i], y[i]);
  for (int i = 0; i < w->nexp; i++) {
    int k = plain + i;
    double d = r_fma(a[i], stage[k], k2[k]) - r_fma(a[i], y[k], dy[k]);
    y[k] = r_fma(hp2[i], d, stage[k]);
  }
}

// The classical method; ETD4RK, with m = h/2 phi_1(z/2):
//
//   u_a = u + m u'                        = exp(z/2) u + m g_0
//   u_b = u + m (u' + g_a - g_0)          = exp(z/2) u + m g_a
//   u_c = u_a + m (2 g_b - g_0 - a u_a)   = exp(z/2) u_a + m (2 g_b - g_0)
//   u_{n+1} = u + h (phi_1 u' + 2 (phi_2 - 2 phi_3) (g_a - g_0 + g_b - g_0)
//                             + (4 phi_3 - phi_2) (g_c - g_0))
//
// Their weights of g_0, g_a, g_b, g_c sum to phi_1, which leaves the differences.
void jn_integ_rk4(jn_integ *w, const jn_ode *f, double t, double h, double *y, const double *dy,
                  const double *a)
{
  const int plain = w->n - w->nexp;
  const double h2 = 0.5 * h, h6 = h / 6.0;
  double *stage = w->stage, *k2 = w->k[0], *k3 = w->k[1], *k4 = w->k[2];
  // The same from the first declared state on. A stage's k is replaced by its g there.
  const double *u = y + plain, *du = dy + plain;
  double *us = stage + plain, *ga = k2 + plain, *gb = k3 + plain, *gc = k4 + plain, *ua = w->mid;
  double *m = w->c[0], *c1 = w->c[1], *cab = w->c[2], *cc = w->c[3];

  for (int i = 0; i < plain; i++) stage[i] = r_fma(h2, dy[i], y[i]);
  for (int i = 0; i < w->nexp; i++) {
    double z = -a[i] * h;
    phi_values p = phi_at(z);
    m[i] = h2 * phi1_at(0.5 * z);
    c1[i] = h * p.p1;
    cab[i] = h * (2.0 * r_fma(-2.0, p.p3, p.p2));
    cc[i] = h * r_fma(4.0, p.p3, -p.p2);
  }
  for (int i = 0; i < w->nexp; i++) us[i] = ua[i] = r_fma(m[i], du[i], u[i]);
  f->eval(f->user, t + h2, stage, k2, w->rate);

  for (int i = 0; i < plain; i++) stage[i] = r_fma(h2, k2[i], y[i]);
  for (int i = 0; i < w->nexp; i++) {
    ga[i] = r_fma(a[i], us[i], ga[i]);
    us[i] = r_fma(m[i], du[i] + (ga[i] - r_fma(a[i], u[i], du[i])), u[i]);
  }
  f->eval(f->user, t + h2, stage, k3, w->rate);

  for (int i = 0; i < plain; i++) stage[i] = r_fma(h, k3[i], y[i]);
  for (int i = 0; i < w->nexp; i++) {
    gb[i] = r_fma(a[i], us[i], gb[i]);
    double sum = r_fma(2.0, gb[i], -r_fma(a[i], u[i], du[i]));
    us[i] = r_fma(m[i], r_fma(-a[i], ua[i], sum), ua[i]);
  }
  f->eval(f->user, t + h, stage, k4, w->rate);

  for (int i = 0; i < plain; i++) y[i] = r_fma(h6, r_fma(2.0, k2[i] + k3[i], dy[i] + k4[i]), y[i]);
  for (int i = 0; i < w->nexp; i++) {
    double g0 = r_fma(a[i], u[i], du[i]);
    gc[i] = r_fma(a[i], us[i], gc[i]);
    double more = r_fma(cab[i], (ga[i] - g0) + (gb[i] - g0), cc[i] * (gc[i] - g0));
    y[plain + i] += r_fma(c1[i], du[i], more);
  }
}

void jn_integ_step(jn_integ *w, const jn_ode *f, double t, double h, double *y, const double *dy,
                   const double *a)
{
  assert(f->nq == w->nq && f->nv == w->nv && f->nx == w->nx && f->nexp == w->nexp);
  const bool starting = jn_integ_starting(w);
  if (w->method == JN_METHOD_AB3 && !starting) {
    ab3(w, h, y, dy, a);
    shift_history(w);
    return;
  }
  if (w->depth) remember(w, h, y, dy);
  switch (w->method) {
    case JN_METHOD_EULER:
      euler(w, h, y, dy, a, y);
      break;
    case JN_METHOD_SEMI_EULER:
      semi_euler(w, f, h, y, dy, a);
      break;
    case JN_METHOD_AB2:
      // One step of order 2 errs as little as the steps that follow, and costs half of rk4.
      if (starting)
        rk2(w, f, t, h, y, dy, a);
      else
        ab2(w, h, y, dy, a);
      break;
    case JN_METHOD_AB3:
      jn_integ_rk4(w, f, t, h, y, dy, a);
      break;
    case JN_METHOD_ABM4:
      if (starting)
        jn_integ_rk4(w, f, t, h, y, dy, a);
      else
        abm4(w, f, t, h, y, dy, a);
      break;
    case JN_METHOD_RK2:
      rk2(w, f, t, h, y, dy, a);
      break;
    case JN_METHOD_RK4:
      jn_integ_rk4(w, f, t, h, y, dy, a);
      break;
    case JN_NMETHOD:
      assert(!"a method");
  }
  if (w->depth) shift_history(w);
}
