// runge_kutta.c: of order 2 and 4.
//
// Runge-Kutta (S. M. Cox, P. C. Matthews, J. Comput. Phys. 176 (2002) 430-455, there ETD2RK and
// ETD4RK): g_a, g_b at the middle and g_c at the end stand for the stages 2, 3, 4 of the classical
// method, whose times they share, so that declared and other states are stages of one and the same
// method, the one for a diagonal matrix of which most rates are zero.
#include "solve/integrate/method.h"

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
static void rk4(jn_integ *w, const jn_ode *f, double t, double h, double *y, const double *dy,
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

const jn_method_table JN_METHOD(RK2) = {.order = 2, .step = rk2};
const jn_method_table JN_METHOD(RK4) = {.order = 4, .step = rk4};
const jn_method_table JN_METHOD(REFERENCE) = {
    .order = 4, .step = rk4};  // where steps are asked for that it does not choose itself
