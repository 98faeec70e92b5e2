// Maps: force over deflection and rate together, against closed forms.
#include <math.h>

#include "run/run_case.h"
#include "solve/data.h"

// A mass on a rail along x, from `at` with `speed`; its element acts from the ground.
static jt_run rail(const char *element, double at, double speed)
{
  char text[2000];
  snprintf(
      text, sizeof text,
      "jounce: 1\nname: rail\ngravity: [0, 0, 0]\n"
      "bodies: {m: {mass: 2, cg: [1, 0, 0], inertia: [1, 1, 1]}}\n"
      "joints: {t: {type: translational, bodies: [ground, m], at: [1, 0, 0], axis: [1, 0, 0]}}\n"
      "initial: {t: {position: %.17g, speed: %.17g}}\n"
      "forces:\n  s: {type: tsda, bodies: [ground, m], at: [[0, 0, 0], [1, 0, 0]], %s}\n",
      at, speed, element);
  const jn_sim_opts o = {.integrator = JN_INTEGRATOR_RK4, .step = 1e-3};
  return jt_start(jt_parse(text), NULL, &o);
}

static double force_of(const char *element, double at, double speed)
{
  jt_run r = rail(element, at, speed);
  jt_row(&r);
  const double f = jt_now(&r, "force.s.force");
  jt_end(&r);
  return f;
}

// 300 x + 20 v at points that are not evenly spaced: straight lines have no error there.
#define SAMPLED(method, outside)                                                               \
  "map: {deflections: [-0.2, 0.05, 0.1, 0.4], rates: [-1.5, -0.2, 0, 2], values: [[-90, -15, " \
  "0, 90], [-64, 11, 26, 116], [-60, 15, 30, 120], [-20, 55, 70, 160]], method: " method       \
  ", outside: " outside "}"

static void a_sampled_linear_law_is_the_linear_law(void **state)
{
  (void)state;
  static const char *const method[] = {SAMPLED("linear", "linear"), SAMPLED("akima", "linear"),
                                       SAMPLED("monotone", "linear")};
  for (int i = 0; i < 3; i++) {
    for (double x = -0.5; x <= 0.7; x += 0.0631)  // inside and on all four sides
      for (double v = -3.0; v <= 4.0; v += 0.371)
        JT_NEAR(force_of(method[i], x, v), 300.0 * x + 20.0 * v, 2e-13 * 500.0);
    jt_run map = rail(method[i], 0.3, -2.0), line = rail("stiffness: 300, damping: 20", 0.3, -2.0);
    for (int k = 0; k < 20; k++) {
      jt_steps(&map, 50), jt_steps(&line, 50);
      jt_row(&map), jt_row(&line);
      JT_NEAR(jt_now(&map, "joint.t.position"), jt_now(&line, "joint.t.position"), 1e-13);
      JT_NEAR(jt_now(&map, "joint.t.speed"), jt_now(&line, "joint.t.speed"), 1e-12);
    }
    jt_end(&map), jt_end(&line);
  }
}

static void beyond_its_points_a_map_holds_if_asked_to(void **state)
{
  (void)state;
  static const char element[] = SAMPLED("linear", "hold");
  JT_NEAR(force_of(element, 0.6, 0.5), 300.0 * 0.4 + 20.0 * 0.5, 1e-12);
  JT_NEAR(force_of(element, -0.3, 0.5), 300.0 * -0.2 + 20.0 * 0.5, 1e-12);
  JT_NEAR(force_of(element, 0.2, 3.0), 300.0 * 0.2 + 20.0 * 2.0, 1e-12);
  JT_NEAR(force_of(element, 0.2, -9.0), 300.0 * 0.2 + 20.0 * -1.5, 1e-12);
  JT_NEAR(force_of(element, 0.6, 3.0), 300.0 * 0.4 + 20.0 * 2.0, 1e-12);
}

// At its points a map is its values, to the last bit that the deflection has: the length is 1 + x.
static void at_its_points_a_map_is_its_values(void **state)
{
  (void)state;
  static const double x[] = {-0.25, 0.125, 0.5}, v[] = {-1.0, 0.0, 0.75};
  static const double y[3][3] = {{-7, 3, 11.5}, {0.3, -2, 8}, {5, 4.1, -9}};
  static const char *const method[] = {"linear", "akima", "monotone"};
  for (int m = 0; m < 3; m++) {
    char element[300];
    snprintf(element, sizeof element,
             "map: {deflections: [-0.25, 0.125, 0.5], rates: [-1, 0, 0.75], values: [[-7, 3, "
             "11.5], [0.3, -2, 8], [5, 4.1, -9]], method: %s}",
             method[m]);
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < 3; k++) assert_true(force_of(element, x[k], v[i]) == y[i][k]);
  }
}

// F = 50 x v, which no sum of curves can be; a map of straight lines has it without error. Beside a spring and a damper.
static void a_product_of_deflection_and_rate(void **state)
{
  (void)state;
  static const char product[] =
      "map: {deflections: [-0.2, 0.1, 0.3], rates: [-2, 1], values: [[20, -10, -30], [-10, 5, "
      "15]]}";
  JT_NEAR(force_of(product, 0.07, -0.4), 50.0 * 0.07 * -0.4, 1e-14);
  JT_NEAR(force_of(product, -0.4, 3.0), 50.0 * -0.4 * 3.0, 1e-12);
  char both[400];
  snprintf(both, sizeof both, "stiffness: 10, damping: 3, preload: 7, %s", product);
  JT_NEAR(force_of(both, 0.07, -0.4), 0.7 - 1.2 + 7.0 - 1.4, 1e-13);
}

// Damping that grows with the deflection, F = (2 + 10 x) v: m v' = -(2 + 10 x) v, so m v = m v0 - (2 x + 5 x^2) along the
// way. What the mass loses is what the element has taken up.
static void damping_over_deflection_takes_its_energy(void **state)
{
  (void)state;
  jt_run r =
      rail("map: {deflections: [-0.1, 2], rates: [-4, 4], values: [[-4, -88], [4, 88]]}", 0.0, 3.0);
  double before = 9.0;  // m v^2 / 2
  for (int k = 0; k < 30; k++) {
    jt_steps(&r, 50);
    jt_row(&r);
    const double x = jt_now(&r, "joint.t.position"), v = jt_now(&r, "joint.t.speed");
    JT_NEAR(v, 3.0 - 0.5 * (2.0 * x + 5.0 * x * x), 1e-10);
    assert_true(v * v < before);
    before = v * v;
    JT_NEAR(r.data->x[r.system->work_state], v * v - 9.0, 1e-9);
  }
  jt_end(&r);
}

// About a joint, turns counted, against the linear law.
static void a_map_in_a_joint(void **state)
{
  (void)state;
  static const char text[] =
      "jounce: 1\nname: hinge\ngravity: [0, 0, 0]\nunits: {angle: deg}\n"
      "bodies: {m: {mass: 2, cg: [1, 0, 0], inertia: [1, 1, 1]}}\n"
      "joints: {j: {type: revolute, bodies: [ground, m], at: [0, 0, 0], axis: [0, 0, 1]}}\n"
      "initial: {j: {angle: 400, speed: -30}}\n"
      "forces:\n  s: {type: rsda, joint: j, free_angle: 10, map: {deflections: [0, 90, 180], "
      "rates: "
      "[-90, 90], values: [[-9, 0, 9], [9, 18, 27]]}}\n";
  jt_run r = jt_start(jt_parse(text), NULL, &(jn_sim_opts){.step = 1e-3});
  jt_row(&r);
  JT_NEAR(jt_now(&r, "force.s.force"), 390.0 / 10.0 - 30.0 / 10.0, 1e-12);
  jt_end(&r);
}

// 20 N hang on it; at rest it gives 20 N at x = 0.1 (the row of rate 0 between -0.1 and 0.2).
static void auto_finds_the_deflection_of_a_map(void **state)
{
  (void)state;
  static const char *const want[] = {"free_length", "preload"};
  for (int i = 0; i < 2; i++) {
    char text[1000];
    snprintf(text, sizeof text,
             "jounce: 1\nname: hangs\ngravity: [0, 0, -10]\n"
             "bodies: {m: {mass: 2, cg: [0, 0, -1], inertia: [1, 1, 1]}}\n"
             "joints: {t: {type: translational, bodies: [ground, m], at: [0, 0, 0], axis: [0, 0, "
             "1]}}\n"
             "forces:\n  s: {type: tsda, bodies: [ground, m], at: [[0, 0, 0], [0, 0, -1]], %s: "
             "auto, map: {deflections: [-0.1, 0.2], rates: [-1, 0, 2], values: [[-90, 0], [-20, "
             "40], [5, 60]]}}\n",
             want[i]);
    jt_run r = jt_start(jt_parse(text), NULL, &(jn_sim_opts){.step = 1e-3});
    jt_row(&r);
    JT_NEAR(jt_now(&r, "force.s.force"), 20.0, 1e-9);
    jt_steps(&r, 200);
    JT_NEAR(jt_row(&r)[jt_channel(&r, "joint.t.position")], 0.0, 1e-9);
    const char *note = jn_system_note(r.system, 0);
    // The force of a map at rest and undeflected stays: a free length adds what is missing of 20 N to its 0 N.
    assert_non_null(
        strstr(note, i ? "the preload of \"s\" is 20 N" : "the free length of \"s\" is 0.9 m"));
    jt_end(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_sampled_linear_law_is_the_linear_law),
      cmocka_unit_test(beyond_its_points_a_map_holds_if_asked_to),
      cmocka_unit_test(at_its_points_a_map_is_its_values),
      cmocka_unit_test(a_product_of_deflection_and_rate),
      cmocka_unit_test(damping_over_deflection_takes_its_energy),
      cmocka_unit_test(a_map_in_a_joint),
      cmocka_unit_test(auto_finds_the_deflection_of_a_map),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
