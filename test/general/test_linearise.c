// A = dy'/dy of a system, against closed forms, by every formulation and in lanes.
#include <complex.h>
#include <stdlib.h>

#include "run/run_case.h"
#include "run/run_internal.h"
#include "solve/fast/fast.h"
#include "solve/integrate/integrate.h"

enum { MOST = 40 };
static const double U = 0x1p-53, H = 6e-6;  // rounding; step of the differences

// Of the first coordinate and its velocity; states in lanes are four side by side.
typedef struct slopes {
  double a[2][2];
} slopes;

static slopes linearise(jt_run *r)
{
  assert_int_equal(jn_step_prepare(r->system, r->data), JN_STEP_OK);
  const jn_ode f = jn_ode_of(r->system, r->data);
  const int n = f.nq + f.nv + f.nx, at[2] = {0, f.nq};
  double *scratch = aligned_alloc(JN_ARENA_ALIGN, jn_linearise_size(&f)), a[MOST * MOST];
  assert_true(n <= MOST);
  jn_linearise(&f, 0.0, jn_is_fast(r->data) ? r->data->lane->y : r->data->y, scratch, a);
  free(scratch);
  slopes out;
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) out.a[i][j] = a[at[i] * n + at[j]];
  return out;
}

// Each formulation, and the fast path at last.
static jt_run begin(const char *text, int i)
{
  const bool fast = i == JN_NFORMULATION;
  const jn_sim_opts o = {.formulation = fast ? JN_FORMULATION_SUBSYSTEM : (jn_formulation)i,
                         .path = fast ? JN_PATH_AUTO : JN_PATH_GENERAL,
                         .step = 1e-3};
  jt_run r = jt_start(jt_parse(text), NULL, &o);
  assert_true(jn_is_fast(r.data) == fast);
  return r;
}

// m q'' + c q' + k q = 0: eigenvalues -zeta w +- i w sqrt(1 - zeta^2), w^2 = k / m, 2 zeta w = c / m.
static void eigenvalues_of_a_damped_oscillator(void **state)
{
  (void)state;
  static const char text[] =
      "jounce: 1\ngravity: [0, 0, 0]\n"
      "bodies: {block: {mass: 2, cg: [0, 0, 0], inertia: [1, 1, 1]}}\n"
      "joints: {guide: {type: translational, bodies: [ground, block], at: [0, 0, 0], axis: [1, 0, "
      "0]}}\n"
      "forces: {spring: {type: tsda, bodies: [ground, block], at: [[-1, 0, 0], [0, 0, 0]],\n"
      "                  stiffness: 200, damping: 8, free_length: 1}}\n";
  for (int i = 0; i <= JN_NFORMULATION; i++) {
    jt_run r = begin(text, i);
    const slopes k = linearise(&r);
    const double half = 0.5 * (k.a[0][0] + k.a[1][1]);
    const double det = k.a[0][0] * k.a[1][1] - k.a[0][1] * k.a[1][0];
    const double complex eigenvalue = half + csqrt(half * half - det);
    // A spring of length 1: its force is rounded at k u, and divided by m h.
    const double tol = 4.0 * U * 200.0 / (2.0 * H);
    JT_NEAR(creal(eigenvalue), -2.0, tol);
    JT_NEAR(fabs(cimag(eigenvalue)), 10.0 * sqrt(1.0 - 0.2 * 0.2), tol);
    JT_NEAR(k.a[0][0], 0.0, tol);
    JT_NEAR(k.a[0][1], 1.0, tol);
    jt_end(&r);
  }
}

// q'' = g / l cos q, with q from the horizontal.
static void slope_of_a_pendulum(void **state)
{
  (void)state;
  static const char text[] =
      "jounce: 1\ngravity: [0, -9.81, 0]\n"
      "bodies: {P: {mass: 3, cg: [-2, 0, 0], inertia: [1e-15, 1e-15, 1e-15]}}\n"
      "joints: {O: {type: revolute, bodies: [ground, P], at: [0, 0, 0], axis: [0, 0, 1]}}\n"
      "initial: {O: {angle: 0.7}}\n";
  for (int i = 0; i <= JN_NFORMULATION; i++) {
    jt_run r = begin(text, i);
    const slopes k = linearise(&r);
    // h^2 / 6 of the third derivative, and rounding.
    const double g = 9.81 / 2.0, tol = g * (H * H / 6.0 + 8.0 * U / H);
    JT_NEAR(k.a[1][0], -g * sin(0.7), tol);
    JT_NEAR(k.a[1][1], 0.0, tol);
    jt_end(&r);
  }
}

static void never(void *user, double t, const double *y, double *dy, double *a)
{
  (void)user, (void)t, (void)y, (void)dy, (void)a;
  fail();
}

static void seven(void *user, double t, const double *y, double *a)
{
  (void)user, (void)t, (void)y;
  a[0] = 7.0;
}

static void an_equation_may_have_its_own(void **state)
{
  (void)state;
  const jn_ode f = {.nx = 1, .eval = never, .linearise = seven};
  double y = 1.0, a = 0.0;
  jn_linearise(&f, 0.0, &y, NULL, &a);
  JT_NEAR(a, 7.0, 0.0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(eigenvalues_of_a_damped_oscillator),
      cmocka_unit_test(slope_of_a_pendulum),
      cmocka_unit_test(an_equation_may_have_its_own),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
