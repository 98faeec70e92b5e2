// The laws of integrate.h, on equations with known solutions.
//
// Rounding: U = 2^-53. Errors are the largest over a run of the largest component's distance from
// the solution, which is evaluated by libm (an ulp or two: far below any error compared with it).
#include "solve/integrate/integrate.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "solve/integrate/phi.h"

enum { MAX = 16 };
static const double U = 0x1p-53;

// All but `reference`, which is the last and no method of steps.
enum { NMETHOD = JN_INTEGRATOR_REFERENCE };
#define X(name, word, help) word,
static const char *const name[] = {JN_INTEGRATOR_LIST(X)};
#undef X
static const int order[NMETHOD] = {
    [JN_INTEGRATOR_EULER] = 1, [JN_INTEGRATOR_SEMI_EULER] = 1, [JN_INTEGRATOR_AB2] = 2,
    [JN_INTEGRATOR_AB3] = 3,   [JN_INTEGRATOR_ABM4] = 4,       [JN_INTEGRATOR_RK2] = 2,
    [JN_INTEGRATOR_RK4] = 4};
static const int depth[NMETHOD] = {
    [JN_INTEGRATOR_AB2] = 1, [JN_INTEGRATOR_AB3] = 2, [JN_INTEGRATOR_ABM4] = 3};

// ---- Equations ----

typedef struct problem {
  const char *name;
  int nq, nv, nx, nexp;
  void (*eval)(void *user, double t, const double *y, double *dy, double *a);
  void (*qdot)(void *user, const double *y, double *dq);
  void (*exact)(double t, double *y);
  double end;
  int steps;  // the coarsest of four runs
} problem;

static void speeds_are_rates(void *user, const double *y, double *dq)
{
  (void)user;
  dq[0] = y[1];
}

static void no_positions(void *user, const double *y, double *dq)
{
  (void)user, (void)y, (void)dq;
}

static void oscillator(void *user, double t, const double *y, double *dy, double *a)
{
  (void)user, (void)t, (void)a;
  dy[0] = y[1];
  dy[1] = -y[0];
}

static void oscillator_exact(double t, double *y)
{
  y[0] = cos(t - 0.3);
  y[1] = -sin(t - 0.3);
}

// q'' = -sin q along the separatrix, and beside it the Riccati equation x' = cos t (1 + x^2),
// whose solution is tan(sin t).
static void pendulum(void *user, double t, const double *y, double *dy, double *a)
{
  (void)user, (void)a;
  dy[0] = y[1];
  dy[1] = -sin(y[0]);
  dy[2] = cos(t) * (1.0 + y[2] * y[2]);
}

static void pendulum_exact(double t, double *y)
{
  y[0] = 4.0 * atan(exp(t - 1.0)) - acos(-1.0);
  y[1] = 2.0 / cosh(t - 1.0);
  y[2] = tan(sin(t));
}

// A free symmetric body: q' = q w/2 and Euler's equations. With quaternions P = exp(p t/2) and
// E = exp(e t e3/2), q = P E turns with w = E^-1 p E + e e3 in its own axes: for p = (A, 0, C) that
// is (A cos et, -A sin et, C + e), which obeys w1' = e w2, w2' = -e w1.
static const double top_a = 0.8, top_c = 1.1, top_e = 0.7;

static void top_qdot(void *user, const double *y, double *dq)
{
  (void)user;
  const double *q = y, *w = y + 4;
  dq[0] = 0.5 * (-q[1] * w[0] - q[2] * w[1] - q[3] * w[2]);
  dq[1] = 0.5 * (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]);
  dq[2] = 0.5 * (q[0] * w[1] + q[3] * w[0] - q[1] * w[2]);
  dq[3] = 0.5 * (q[0] * w[2] + q[1] * w[1] - q[2] * w[0]);
}

static void top(void *user, double t, const double *y, double *dy, double *a)
{
  (void)t, (void)a;
  const double *w = y + 4, k = top_e / (top_c + top_e);
  top_qdot(user, y, dy);
  dy[4] = k * w[2] * w[1];
  dy[5] = -k * w[2] * w[0];
  dy[6] = 0.0;
}

static void top_exact(double t, double *y)
{
  double size = sqrt(top_a * top_a + top_c * top_c), s = sin(0.5 * size * t) / size;
  double p0 = cos(0.5 * size * t), p1 = top_a * s, p3 = top_c * s;
  double e0 = cos(0.5 * top_e * t), e3 = sin(0.5 * top_e * t);
  y[0] = p0 * e0 - p3 * e3;
  y[1] = p1 * e0;
  y[2] = -p1 * e3;
  y[3] = p0 * e3 + p3 * e0;
  y[4] = top_a * cos(top_e * t);
  y[5] = -top_a * sin(top_e * t);
  y[6] = top_c + top_e;
}

// Two declared states u, w among others, each equation holding the others' states, rates that vary
// with time and with states: q = sin t, v = cos t, x = exp(-t/2), u = cos 2t, w = 1/(1 + t).
static void mixed(void *user, double t, const double *y, double *dy, double *a)
{
  (void)user;
  double q = y[0], v = y[1], x = y[2], u = y[3], w = y[4];
  double s = sin(t), c = cos(t), u_t = cos(2.0 * t), w_t = 1.0 / (1.0 + t);
  dy[0] = v;
  dy[1] = -q + 0.7 * (u - u_t) + 0.3 * (w * q - w_t * s);
  dy[2] = -0.5 * x + sin(u) - sin(u_t);
  a[0] = 3.0 + s + q * q;
  a[1] = 2.0 + c + x * x;
  double b0 = -2.0 * sin(2.0 * t) + (3.0 + s + s * s) * u_t + (v * w - c * w_t);
  double b1 = -w_t * w_t + (2.0 + c + exp(-t)) * w_t + 0.4 * (u * x - u_t * exp(-0.5 * t));
  dy[3] = b0 - a[0] * u;
  dy[4] = b1 - a[1] * w;
}

static void mixed_exact(double t, double *y)
{
  y[0] = sin(t);
  y[1] = cos(t);
  y[2] = exp(-0.5 * t);
  y[3] = cos(2.0 * t);
  y[4] = 1.0 / (1.0 + t);
}

// The same equation given as one without declared states, and with rates of zero.
static void mixed_plain(void *user, double t, const double *y, double *dy, double *a)
{
  (void)a;
  double rates[2];
  mixed(user, t, y, dy, rates);
}

static void mixed_zero(void *user, double t, const double *y, double *dy, double *a)
{
  mixed(user, t, y, dy, a);
  a[0] = a[1] = 0.0;
}

static const problem problems[] = {
    {"oscillator", 1, 1, 0, 0, oscillator, speeds_are_rates, oscillator_exact, 3.0, 40},
    {"pendulum", 1, 1, 1, 0, pendulum, speeds_are_rates, pendulum_exact, 2.0, 40},
    {"top", 4, 3, 0, 0, top, top_qdot, top_exact, 4.0, 40},
    {"mixed", 1, 1, 3, 2, mixed, speeds_are_rates, mixed_exact, 2.0, 40},
};
enum { NPROBLEM = sizeof problems / sizeof *problems, MIXED = NPROBLEM - 1 };

// ---- Running them ----

typedef struct run {
  jn_integ w;
  jn_ode f;
  void *block;
  double t, y[MAX], dy[MAX], a[MAX];
  int evals;  // calls by the integrator
  const problem *p;
} run;

static void count_and_eval(void *user, double t, const double *y, double *dy, double *a)
{
  run *r = user;
  r->evals++;
  r->p->eval(NULL, t, y, dy, a);
}

static void run_begin(run *r, const problem *p, jn_integrator method)
{
  *r = (run){.p = p};
  r->f = (jn_ode){p->nq, p->nv, p->nx, p->nexp, count_and_eval, p->qdot, r, NULL};
  jn_arena measure = {0};
  jn_integ_place(&r->w, jn_methods, method, p->nq, p->nv, p->nx, p->nexp, &measure, &measure);
  jn_arena arena = {.cap = jn_arena_size(&measure)};
  arena.base = r->block = aligned_alloc(JN_ARENA_ALIGN, arena.cap);
  assert_non_null(r->block);
  memset(r->block, 0xff, arena.cap);  // NaN: what is read before it is written will be seen
  jn_integ_place(&r->w, jn_methods, method, p->nq, p->nv, p->nx, p->nexp, &arena, &arena);
  jn_integ_restart(&r->w);
  if (p->exact) p->exact(0.0, r->y);
}

static void run_end(run *r)
{
  free(r->block);
}

static void run_step(run *r, double h)
{
  r->p->eval(NULL, r->t, r->y, r->dy, r->a);
  jn_integ_step(&r->w, &r->f, r->t, h, r->y, r->dy, r->a);
}

static double distance(const problem *p, double t, const double *y)
{
  double exact[MAX], worst = 0.0;
  p->exact(t, exact);
  for (int i = 0; i < p->nq + p->nv + p->nx; i++) {
    double d = fabs(y[i] - exact[i]);
    if (!(d <= worst)) worst = d;  // NaN too
  }
  return worst;
}

// Largest error of a run of n steps. Where jump > 0, the run is interrupted after that part of its
// steps: one step of rk4 of an odd length, a restart, and as many steps as before.
static double error_of(const problem *p, jn_integrator method, int n, double jump)
{
  run r;
  run_begin(&r, p, method);
  double h = p->end / n, worst = 0.0, from = 0.0;
  int stop = jump > 0.0 ? (int)(jump * n) : n;
  for (int part = 0; part < (jump > 0.0 ? 2 : 1); part++) {
    for (int i = 0; i < stop; i++) {
      run_step(&r, h);
      r.t = from + (i + 1) * h;
      double d = distance(p, r.t, r.y);
      if (!(d <= worst)) worst = d;
    }
    if (jump > 0.0) {
      p->eval(NULL, r.t, r.y, r.dy, r.a);
      jn_integ_rk4(&r.w, &r.f, r.t, 0.37 * h, r.y, r.dy, r.a);
      from = r.t += 0.37 * h;
      jn_integ_restart(&r.w);
    }
  }
  run_end(&r);
  return worst;
}

// Three halvings. The first of them may still feel the next order, whose share halves each time, so
// the last one is held to 0.15 and the mean of the three to 0.15 as well.
static void check_order(const problem *p, jn_integrator m, double jump)
{
  double e[4];
  for (int k = 0; k < 4; k++) e[k] = error_of(p, m, p->steps << k, jump);
  double last = log2(e[2] / e[3]), mean = log2(e[0] / e[3]) / 3.0;
  if (!(fabs(last - order[m]) <= 0.15) || !(fabs(mean - order[m]) <= 0.15))
    fail_msg("%s, %s: errors %.3g %.3g %.3g %.3g, slopes %.3f %.3f %.3f, order is %d", p->name,
             name[m], e[0], e[1], e[2], e[3], log2(e[0] / e[1]), log2(e[1] / e[2]), last, order[m]);
}

static void each_method_has_its_order(void **state)
{
  (void)state;
  for (int i = 0; i < NPROBLEM; i++)
    for (int m = 0; m < NMETHOD; m++) check_order(&problems[i], (jn_integrator)m, 0.0);
}

static void restart_in_the_middle_keeps_the_order(void **state)
{
  (void)state;
  for (int i = 0; i < NPROBLEM; i++)
    for (int m = 0; m < NMETHOD; m++) check_order(&problems[i], (jn_integrator)m, 0.45);
}

// A breakpoint of f at t = 0, 0.37 h behind the end of a step: x = 1 + t + sin(3t)/3 before it,
// exp(-t) after it. The second state says which equation holds, as a mode would.
static void corner(void *user, double t, const double *y, double *dy, double *a)
{
  (void)user, (void)a;
  dy[0] = y[1] > 0.0 ? -y[0] : 1.0 + cos(3.0 * t);
  dy[1] = 0.0;
}

static double corner_error(jn_integrator method, int n, bool land)
{
  static const problem p = {.name = "corner", .nx = 2, .eval = corner, .qdot = no_positions};
  run r;
  run_begin(&r, &p, method);
  const double h = 1.0 / n, from = -0.37 * h - 1.0;
  r.y[0] = 1.0 + from + sin(3.0 * from) / 3.0;
  for (int i = 0; i < n; i++) {
    r.t = from + i * h;
    run_step(&r, h);
  }
  r.t = -0.37 * h;
  p.eval(NULL, r.t, r.y, r.dy, r.a);
  const double part = land ? 0.37 * h : h, behind = part - 0.37 * h;
  jn_integ_rk4(&r.w, &r.f, r.t, part, r.y, r.dy, r.a);
  r.y[1] = 1.0;
  jn_integ_restart(&r.w);
  for (int i = 0; i < n; i++) {
    r.t = behind + i * h;
    run_step(&r, h);
  }
  run_end(&r);
  return fabs(r.y[0] - exp(-behind - 1.0));
}

static void landing_on_a_corner_keeps_the_order(void **state)
{
  (void)state;
  for (int m = 0; m < NMETHOD; m++) {
    double e[4], over[4];
    for (int k = 0; k < 4; k++) {
      e[k] = corner_error((jn_integrator)m, 40 << k, true);
      over[k] = corner_error((jn_integrator)m, 40 << k, false);
    }
    double last = log2(e[2] / e[3]), mean = log2(e[0] / e[3]) / 3.0;
    if (!(fabs(last - order[m]) <= 0.15) || !(fabs(mean - order[m]) <= 0.15))
      fail_msg("%s: errors %.3g %.3g %.3g %.3g", name[m], e[0], e[1], e[2], e[3]);
    // Stepping over the corner errs by the jump of f, times 0.63 h: order 1, whatever the method.
    JT_NEAR(log2(over[2] / over[3]), 1.0, 0.15);
  }
}

// ---- Declared states ----

// u' = b - a u, b and a constant: u(t) = b/a + (u0 - b/a) exp(-a t), by every method and any h.
typedef struct relaxation {
  double a, b;
} relaxation;

static void relax(void *user, double t, const double *y, double *dy, double *a)
{
  (void)t;
  const relaxation *r = user;
  a[0] = r->a;
  dy[0] = r->b - r->a * y[0];
}

static void constant_rates_are_exact_at_any_step(void **state)
{
  (void)state;
  static const double rates[] = {0.0, 1e-9, 0.3, 7.0, 150.0, 2e3, 1e5, 1e6};
  static const double lengths[] = {1e-6, 1e-3, 0.02, 1.0, 50.0};
  for (int m = 0; m < NMETHOD; m++)
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
      for (size_t j = 0; j < sizeof lengths / sizeof *lengths; j++) {
        relaxation r = {.a = rates[i], .b = 0.7 * rates[i] - (rates[i] > 0.0 ? 0.0 : 0.4)};
        const double u0 = -1.3, h = lengths[j], rest = r.a > 0.0 ? r.b / r.a : 0.0;
        jn_ode f = {0, 0, 1, 1, relax, no_positions, &r, NULL};
        _Alignas(JN_ARENA_ALIGN) unsigned char block[4096];
        jn_arena arena = {.base = block, .cap = sizeof block};
        jn_integ w;
        jn_integ_place(&w, jn_methods, (jn_integrator)m, 0, 0, 1, 1, &arena, &arena);
        assert_true(arena.used <= arena.cap);
        jn_integ_restart(&w);
        double u = u0, du, a;
        for (int n = 1; n <= 40; n++) {
          relax(&r, 0.0, &u, &du, &a);
          jn_integ_step(&w, &f, (n - 1) * h, h, &u, &du, &a);
          long double exact =
              r.a > 0.0 ? rest + ((long double)u0 - rest) * expl(-(long double)r.a * h * n)
                        : u0 + (long double)r.b * h * n;
          // A step rounds u once; u' and each g to 3 U (a |u| + |b|), the phi's to 8 U. These meet
          // in the sum of h c_k D_k, where h c_k a <= min(1, a h), and D_k holds 2^k g's: at most
          // 1 + 2/2 + 4 5/12 + 8 3/8 + 16 3/8 = 13 of them (abm4), 13 (3 + 8) = 144 U. Without a,
          // u grows by b h, which rounds to at most 4 U (rk4: the stages' sum, h/6, the product).
          double grown = r.a > 0.0 ? 0.0 : fabs(r.b) * h * n;
          double size = fabs(u0) + fabs(rest) + grown;
          double tol = n * U * (size * (1.0 + 144.0 * fmin(1.0, r.a * h)) + 4.0 * grown);
          JT_NEAR(u, (double)exact, tol);
        }
      }
}

// Stiff and forced: u' = a(t) (sin t - u) + cos t, u = sin t + (u0 - sin 0) exp(-integral of a).
// On the solution sin t, g(s; a_n) = u' + a_n u = cos s + a_n sin s whatever a(s) is: its p-th
// derivative is below a_n (1 + 1/a_n).
typedef struct stiff {
  double a, swing;
} stiff;

static double stiff_rate(const stiff *s, double t)
{
  return s->a * (1.0 + s->swing * sin(3.0 * t));
}

static void stiff_eval(void *user, double t, const double *y, double *dy, double *a)
{
  a[0] = stiff_rate(user, t);
  dy[0] = a[0] * (sin(t) - y[0]) + cos(t);
}

// A step integrates exp(-a (..)) times the error of interpolating g. Summed over steps,
// h phi_1/(1 - exp(-a h)) = 1/a times the largest error of g: at most
//
//   h^p (1 + 1/a) max |nodes|/p!    max over 0 < s < 1 of s/1!, s (s+1)/2!, .. = 1 for Adams-
//                                   Bashforth; (s-1) s (s+1) (s+2)/4! = 1/24 for the corrector;
//                                   s (1-s)/2! = 1/8 for rk2; s (s-1/2) (s-1)/3! = 1/125 for rk4
//                                   (p = 3: a stiff rk4 integrates a parabola through three stages)
//
// Where a varies, an error of past u's comes back in g times (a_n - a_j): for the methods with
// history a factor kappa, as adams.c says, and 1/(1 - kappa) in all. In rk2 and rk4 the stages err
// by E = 2 h (1 + 1/a) at most (g taken as a constant over at most a step, from a stage that did
// the same), which comes back times the change of a in a step over a, and times weights
// h phi_2 <= 1/a for rk2; 2 h (phi_2 - 2 phi_3) <= 2/a twice and h (4 phi_3 - phi_2) <= 2/a for
// rk4; over 1 - exp(-a h) >= 0.6.
static double stiff_bound(jn_integrator m, const stiff *s, double h)
{
  double least = s->a * (1.0 - s->swing), change = 3.0 * s->a * s->swing * h / least;
  double factor = 1.0 + 1.0 / least, stages = 2.0 * h * factor * change / 0.6;
  switch (m) {
    case JN_INTEGRATOR_AB2:
      return h * h * factor / (1.0 - change);
    case JN_INTEGRATOR_AB3:
      return h * h * h * factor / (1.0 - 5.0 * change);
    case JN_INTEGRATOR_ABM4:
      // The predictor's error, h^4, times the change; the corrector's own.
      return h * h * h * h * factor * (1.0 / 24.0 + change) / (1.0 - 17.0 * change);
    case JN_INTEGRATOR_RK2:
      return h * h * factor / 8.0 + stages;
    case JN_INTEGRATOR_RK4:
      return h * h * h * factor / 124.0 + 6.0 * stages;
    default:
      return h * factor;
  }
}

static void stiff_states_are_stable_and_accurate_over_long_runs(void **state)
{
  (void)state;
  static const stiff cases[] = {{2e3, 0.0}, {1e5, 0.0}, {2e3, 0.5}, {1e5, 0.5}};
  const double h = 1e-3;
  for (int m = 0; m < NMETHOD; m++)
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
      stiff s = cases[i];
      jn_ode f = {0, 0, 1, 1, stiff_eval, no_positions, &s, NULL};
      _Alignas(JN_ARENA_ALIGN) unsigned char block[4096];
      jn_arena arena = {.base = block, .cap = sizeof block};
      jn_integ w;
      jn_integ_place(&w, jn_methods, (jn_integrator)m, 0, 0, 1, 1, &arena, &arena);
      assert_true(arena.used <= arena.cap);
      jn_integ_restart(&w);
      double u = 1.0, du, a, worst = 0.0, exact = 0.0;
      // Of rounding: as in the test above, 144 U in a step, the steps before it fading by
      // exp(-1) at least.
      const double tol = stiff_bound((jn_integrator)m, &s, h) + 2.0 * 144.0 * U;
      for (int n = 1; n <= 50000; n++) {
        double t = (n - 1) * h;
        stiff_eval(&s, t, &u, &du, &a);
        jn_integ_step(&w, &f, t, h, &u, &du, &a);
        // Begun 1 beside the solution, which is over after 100 steps: exp(-100), and kappa < 0.06
        // for each turn of the history.
        exact = sin(n * h);
        if (n > 100 && !(fabs(u - exact) <= worst)) worst = fabs(u - exact);
        if (!(fabs(u) < 3.0)) fail_msg("%s, a = %g: u = %g at step %d", name[m], s.a, u, n);
      }
      if (!(worst <= tol))
        fail_msg("%s, a = %g (1 + %g sin 3t): off by %g, allowed %g", name[m], s.a, s.swing, worst,
                 tol);
    }
}

// Rates that go to and fro between a and (1 + change) a, a h = 1000: what adams.c says of the
// history, just within its limits. The bounds are those above.
static double swap_change;

static void swap_eval(void *user, double t, const double *y, double *dy, double *a)
{
  (void)user;
  a[0] = lround(t / 1e-3) % 2 ? 1e6 * (1.0 + swap_change) : 1e6;
  dy[0] = a[0] * (sin(t) - y[0]) + cos(t);
}

static void rates_may_change_as_much_as_promised(void **state)
{
  (void)state;
  static const double change[NMETHOD] = {
      [JN_INTEGRATOR_AB2] = 0.9, [JN_INTEGRATOR_AB3] = 0.19, [JN_INTEGRATOR_ABM4] = 0.23};
  const double h = 1e-3;
  for (int m = 0; m < NMETHOD; m++) {
    if (!depth[m]) continue;
    const double c = swap_change = change[m];
    const double kappa = m == JN_INTEGRATOR_AB2   ? c
                         : m == JN_INTEGRATOR_AB3 ? 5.0 * c
                                                  : 17.0 * c * c;
    const double own = m == JN_INTEGRATOR_ABM4 ? 1.0 / 24.0 + c : 1.0;
    jn_ode f = {0, 0, 1, 1, swap_eval, no_positions, NULL, NULL};
    _Alignas(JN_ARENA_ALIGN) unsigned char block[4096];
    jn_arena arena = {.base = block, .cap = sizeof block};
    jn_integ w;
    jn_integ_place(&w, jn_methods, (jn_integrator)m, 0, 0, 1, 1, &arena, &arena);
    assert_true(arena.used <= arena.cap);
    jn_integ_restart(&w);
    double u = 1.0, du, a;
    for (int n = 1; n <= 5000; n++) {
      swap_eval(NULL, (n - 1) * h, &u, &du, &a);
      jn_integ_step(&w, &f, (n - 1) * h, h, &u, &du, &a);
      // kappa is 0.95 at most a turn of the history of 3 steps, 0.95^667 = 1e-15 after 2000 steps.
      if (n > 2000)
        JT_NEAR(u, sin(n * h), (own * pow(h, order[m]) * 1.00001 + 144.0 * U) / (1.0 - kappa));
    }
  }
}

static void rates_of_zero_give_the_classical_formulas(void **state)
{
  (void)state;
  problem zero = problems[MIXED], plain = problems[MIXED];
  zero.eval = mixed_zero;
  plain.eval = mixed_plain;
  plain.nexp = 0;
  for (int m = 0; m < NMETHOD; m++) {
    run a, b;
    run_begin(&a, &zero, (jn_integrator)m);
    run_begin(&b, &plain, (jn_integrator)m);
    const double h = 0.01;
    for (int n = 1; n <= 30; n++) {
      run_step(&a, h);
      run_step(&b, h);
      a.t = b.t = n * h;
      // Values of about 1 and steps of about h: either formula rounds its sum once (U each, and the
      // stages' rounding times h), and what the steps before left grows by less than
      // exp(3.5 n h) <= 3.
      for (int k = 0; k < 5; k++) JT_NEAR(a.y[k], b.y[k], n * 3.0 * 2.1 * U);
      if (n == 1)
        for (int k = 0; k < 5; k++) JT_NEAR(a.y[k], b.y[k], 1e-15);
    }
    run_end(&a);
    run_end(&b);
  }
}

// phi_k(-x) = exp(-x)/(k-1)! sum x^j/(j! (k + j)), Kummer's transformation: positive terms only.
static long double phi_reference(int k, double x)
{
  if (x > 60.0) {  // upwards, where nothing cancels
    long double p = -expm1l(-(long double)x) / x, factorial = 1.0L;
    for (int i = 1; i < k; i++) {
      factorial *= i;
      p = (1.0L / factorial - p) / x;
    }
    return p;
  }
  long double term = 1.0L, sum = 0.0L, factorial = 1.0L;
  for (int j = 0; j < 60 + 3 * (int)x; j++) {
    sum += term / (k + j);
    term *= (long double)x / (j + 1);
  }
  for (int i = 2; i < k; i++) factorial *= i;
  return expl(-(long double)x) * sum / factorial;
}

static void check_phi(double x, double *worst)
{
  phi_values p = phi_at(-x);
  double value[4] = {p.p1, p.p2, p.p3, p.p4};
  for (int k = 1; k <= 4; k++) {
    long double exact = phi_reference(k, x);
    double off = (double)fabsl((value[k - 1] - exact) / exact);
    if (!(off <= 1e-15)) fail_msg("phi_%d(%.17g) is off by %g of its value", k, -x, off);
    if (off > worst[k - 1]) worst[k - 1] = off;
  }
}

static void phi_functions_are_right_to_1e_15(void **state)
{
  (void)state;
  if (LDBL_MANT_DIG < 64) JT_SKIP("long double has no more digits than double");
  double worst[4] = {0};
  check_phi(0.0, worst);
  check_phi(5e-324, worst);
  check_phi(DBL_MIN, worst);
  static const double turns[] = {1.0, 1.5, 2.0, 3.0, 4.0, 60.0, 64.0, 708.0, 745.0, 800.0, 1e6};
  for (size_t i = 0; i < sizeof turns / sizeof *turns; i++)
    for (int k = -20; k <= 20; k++) check_phi(turns[i] * (1.0 + k * 0x1p-52), worst);
  jt_random r = {1};
  for (int i = 0; i < 20000; i++) {
    check_phi(pow(10.0, jt_random_in(&r, -20.0, 6.0)), worst);
    check_phi(jt_random_in(&r, 0.0, 6.0), worst);
  }
  for (int k = 1; k <= 4; k++) {
    assert_true(worst[k - 1] > 0.0 || k == 1);
    print_message("phi_%d off by %.3g at most\n", k, worst[k - 1]);
  }
  assert_true(isnan(phi_at(NAN).p1) && isnan(phi_at(NAN).p4));
  // At 0 the classical weights, to the bit.
  phi_values p = phi_at(0.0);
  assert_true(p.p1 == 1.0 && p.p2 == 0.5 && p.p3 == 1.0 / 6.0 && p.p4 == 1.0 / 24.0);
}

// ---- The machine ----

static void semi_euler_is_symplectic(void **state)
{
  (void)state;
  run r;
  run_begin(&r, &problems[0], JN_INTEGRATOR_SEMI_EULER);
  const double h = 0.1;
  const int n = 100000;
  double q = r.y[0], v = r.y[1], kept = q * q + v * v - h * q * v;
  for (int i = 0; i < n; i++) {
    run_step(&r, h);
    q = r.y[0], v = r.y[1];
    // With v1 = v - h q and q1 = q + h v1, q^2 + v^2 - h q v is kept exactly; a step rounds q and v
    // once each, by U of at most 1.06, and the square doubles that.
    JT_NEAR(q * q + v * v - h * q * v, kept, (i + 1) * 6.0 * U);
    // Hence 2 E = q^2 + v^2 stays within kept/(1 +- h/2).
    JT_LE(q * q + v * v, 1.000001 * kept / (1.0 - 0.5 * h));
    JT_LE(0.999999 * kept / (1.0 + 0.5 * h), q * q + v * v);
  }
  run_end(&r);
}

static void semi_euler_moves_old_positions_with_new_speeds(void **state)
{
  (void)state;
  run r;
  run_begin(&r, &problems[2], JN_INTEGRATOR_SEMI_EULER);
  const double h = 0.1;
  double y[MAX], dq[4];
  r.p->eval(NULL, 0.0, r.y, r.dy, r.a);
  for (int i = 0; i < 7; i++) y[i] = r.y[i] + (i < 4 ? 0.0 : h * r.dy[i]);
  r.p->qdot(NULL, y, dq);
  run_step(&r, h);
  // Products and sums of numbers below 2, each rounded or fused.
  for (int i = 0; i < 7; i++) JT_NEAR(r.y[i], y[i] + (i < 4 ? h * dq[i] : 0.0), 8.0 * U);
  run_end(&r);
}

static void evaluations_of_a_step(void **state)
{
  (void)state;
  static const int usual[NMETHOD] = {
      [JN_INTEGRATOR_ABM4] = 1, [JN_INTEGRATOR_RK2] = 1, [JN_INTEGRATOR_RK4] = 3};
  static const int first[NMETHOD] = {[JN_INTEGRATOR_AB2] = 1,
                                     [JN_INTEGRATOR_AB3] = 3,
                                     [JN_INTEGRATOR_ABM4] = 3,
                                     [JN_INTEGRATOR_RK2] = 1,
                                     [JN_INTEGRATOR_RK4] = 3};
  for (int m = 0; m < NMETHOD; m++) assert_int_equal(jn_methods[m]->order, order[m]);
  for (int i = 0; i < NPROBLEM; i++)
    for (int m = 0; m < NMETHOD; m++) {
      run r;
      run_begin(&r, &problems[i], (jn_integrator)m);
      for (int round = 0; round < 3; round++) {
        for (int n = 0; n < 12; n++) {
          bool starting = n < depth[m];
          assert_true(jn_integ_starting(&r.w) == starting);
          r.evals = 0;
          run_step(&r, 0.01 * (round + 1));
          r.t += 0.01 * (round + 1);
          assert_int_equal(r.evals, starting ? first[m] : usual[m]);
        }
        jn_integ_restart(&r.w);
      }
      run_end(&r);
    }
}

static void rk4_leaves_the_history_alone(void **state)
{
  (void)state;
  for (int i = 0; i < NPROBLEM; i++)
    for (int m = 0; m < NMETHOD; m++) {
      run a, b;
      run_begin(&a, &problems[i], (jn_integrator)m);
      run_begin(&b, &problems[i], (jn_integrator)m);
      for (int n = 1; n <= 20; n++) {
        double aside[MAX];
        memcpy(aside, b.y, sizeof aside);
        b.p->eval(NULL, b.t, b.y, b.dy, b.a);
        jn_integ_rk4(&b.w, &b.f, b.t, 0.003 * n, aside, b.dy, b.a);
        assert_true(jn_integ_starting(&a.w) == jn_integ_starting(&b.w));
        run_step(&a, 0.02);
        run_step(&b, 0.02);
        a.t = b.t = 0.02 * n;
        assert_memory_equal(a.y, b.y, sizeof a.y);  // and runs repeat to the bit
      }
      run_end(&a);
      run_end(&b);
    }
}

static void rk4_of_any_method_is_the_step_of_rk4(void **state)
{
  (void)state;
  for (int i = 0; i < NPROBLEM; i++) {
    run a;
    run_begin(&a, &problems[i], JN_INTEGRATOR_RK4);
    run_step(&a, 0.03);
    for (int m = 0; m < NMETHOD; m++) {
      run b;
      run_begin(&b, &problems[i], (jn_integrator)m);
      b.p->eval(NULL, b.t, b.y, b.dy, b.a);
      jn_integ_rk4(&b.w, &b.f, b.t, 0.03, b.y, b.dy, b.a);
      assert_memory_equal(a.y, b.y, sizeof a.y);
      assert_int_equal(b.evals, 3);
      run_end(&b);
    }
    run_end(&a);
  }
}

static void nothing(void *user, double t, const double *y, double *dy, double *a)
{
  (void)user, (void)t, (void)y, (void)dy, (void)a;
}

static void walk_sizes_what_it_places(void **state)
{
  (void)state;
  static const int sizes[][4] = {
      {0, 0, 0, 0}, {1, 0, 0, 0}, {7, 6, 0, 0}, {0, 0, 9, 9}, {31, 29, 40, 12}};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    for (int m = 0; m < NMETHOD; m++) {
      const int *s = sizes[i];
      jn_integ w;
      jn_arena measure = {0};
      jn_integ_place(&w, jn_methods, (jn_integrator)m, s[0], s[1], s[2], s[3], &measure, &measure);
      assert_null(w.stage);
      enum { GUARD = 64 };
      size_t size = jn_arena_size(&measure);
      unsigned char *block = aligned_alloc(JN_ARENA_ALIGN, size + GUARD);
      memset(block, 0xa5, size + GUARD);
      jn_arena arena = {.base = block, .cap = size};
      jn_integ_place(&w, jn_methods, (jn_integrator)m, s[0], s[1], s[2], s[3], &arena, &arena);
      assert_true(arena.used == measure.used);
      jn_integ_restart(&w);

      jn_ode f = {s[0], s[1], s[2], s[3], nothing, no_positions, NULL, NULL};
      double y[128] = {0}, dy[128] = {0}, a[128] = {0};
      for (int n = 0; n < 10; n++) {
        jn_integ_step(&w, &f, 0.0, 1e-3, y, dy, a);
        jn_integ_rk4(&w, &f, 0.0, 1e-3, y, dy, a);
      }
      for (int k = 0; k < GUARD; k++) assert_int_equal(block[size + k], 0xa5);
      for (int k = s[0] + s[1] + s[2]; k < 128; k++) assert_true(y[k] == 0.0);
      free(block);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_method_has_its_order),
      cmocka_unit_test(restart_in_the_middle_keeps_the_order),
      cmocka_unit_test(landing_on_a_corner_keeps_the_order),
      cmocka_unit_test(constant_rates_are_exact_at_any_step),
      cmocka_unit_test(stiff_states_are_stable_and_accurate_over_long_runs),
      cmocka_unit_test(rates_may_change_as_much_as_promised),
      cmocka_unit_test(rates_of_zero_give_the_classical_formulas),
      cmocka_unit_test(phi_functions_are_right_to_1e_15),
      cmocka_unit_test(semi_euler_is_symplectic),
      cmocka_unit_test(semi_euler_moves_old_positions_with_new_speeds),
      cmocka_unit_test(evaluations_of_a_step),
      cmocka_unit_test(rk4_leaves_the_history_alone),
      cmocka_unit_test(rk4_of_any_method_is_the_step_of_rk4),
      cmocka_unit_test(walk_sizes_what_it_places),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
