// adams.c: Adams-Bashforth of order 2 and 3, Adams-Bashforth-Moulton of order 4.
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
// Limit of the history: with -z large, (1) is u_{n+1} = (sum of w_j g_j)/a_n, w the weights of
// extrapolation to t_{n+1}: (2, -1), (3, -3, 1), (4, -6, 4, -1). And g_j = b_j + (a_n - a_j) u_j,
// so that an error of u_j returns as w_j (a_n - a_j)/a_n. That the sum of |w_j (a_n - a_j)|/a_n be
// below 1 is enough: where -z is large, a may change in a step by its own (new) size for ab2, by
// 1/5 of it for ab3. With abm4 17 times the change meets the corrector, whose u_{n+1} = g_p/a_n
// brings in the change once more: 0.24. Runge-Kutta, without history, forgets u_n when -z is large.
#include "solve/integrate/method.h"

static void ab2(jn_integ *w, const jn_ode *f, double t, double h, double *restrict y,
                const double *restrict dy, const double *restrict a)
{
  (void)f, (void)t;
  jn_past_keep(w, h, y, dy);
  const int plain = w->n - w->nexp, r1 = jn_past_row(w, 1);
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
static void ab3(jn_integ *w, const jn_ode *f, double t, double h, double *restrict y,
                const double *restrict dy, const double *restrict a)
{
  (void)f, (void)t;
  const int plain = w->n - w->nexp, r1 = jn_past_row(w, 1), r2 = jn_past_row(w, 2);
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
  jn_past_keep(w, h, y, dy);
  const int plain = w->n - w->nexp, r1 = jn_past_row(w, 1), r2 = jn_past_row(w, 2),
            r3 = jn_past_row(w, 3);
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

// One step of order 2 errs as little as the steps that follow, and costs half of rk4.
const jn_method_table JN_METHOD(AB2) = {
    .order = 2, .depth = 1, .start = JN_INTEGRATOR_RK2, .step = ab2};
const jn_method_table JN_METHOD(AB3) = {
    .order = 3, .depth = 2, .start = JN_INTEGRATOR_RK4, .step = ab3};
const jn_method_table JN_METHOD(ABM4) = {
    .order = 4, .depth = 3, .start = JN_INTEGRATOR_RK4, .step = abm4};
