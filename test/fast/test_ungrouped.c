// Vehicles with subsystems that no group of lanes takes: these alone are computed as the general path does it, and all agrees with
// what it does to the whole.
#include <math.h>
#include <stdio.h>

#include "fast/compare_runs.h"
#include "run/allocations.h"
#include "run/run_internal.h"

static void expect_ungrouped(const jt_run *r, int n, const char *why)
{
  const jn_path_info p = jn_system_path(r->system);
  assert_null(p.general);
  assert_int_equal(p.nsubsystem, n);
  for (int i = 0; i < n; i++) {
    const jn_path_subsystem k = jn_system_path_subsystem(r->system, i);
    if (!strstr(k.why, why)) fail_msg("%s: %s", k.name, k.why);
    assert_true(k.instructions > 1000.0 && k.instructions < p.instructions);
    assert_non_null(k.advice);
  }
  assert_null(jn_system_path_subsystem(r->system, n).name);
}

static void compare(const char *model, const char *scenario, int subsystems, const char *why)
{
  pair p =
      start_both(model, scenario, (jn_sim_opts){.integrator = JN_INTEGRATOR_RK4, .step = STEP});
  expect_ungrouped(&p.mixed, subsystems, why);
  compare_runs(model, scenario, p);
}

static const char steers[] =
    "jounce: 1\nscenario: steers\nend: 1\nspeed: 15\ninputs: {driver.rack: {type: sine, amplitude: "
    "0.01, frequency: 2}, wheel.rl.brake: 100, wheel.fl.drive: 150}\n";

#define HMMWV "jounce: 1\ninclude: models/hmmwv.yaml\n"

// ---- each reason ------------------------------------------------------------------------------------

static const char differ[] = "the axes given on its two bodies differ";

static void hinges_whose_axes_differ(void **state)
{
  (void)state;
  compare(HMMWV "joints:\n  lca_pivot_rl: {axis: [[1, 0, 0], [0.9998, 0.02, 0]]}\n", steers, 1,
          differ);
  // The rack is shared: with a lane, and with another ungrouped corner.
  compare(HMMWV "joints:\n  lca_pivot_fl: {axis: [[1, 0, 0], [0.9998, 0.02, 0]]}\n", steers, 1,
          differ);
  compare(HMMWV
          "joints:\n  lca_pivot_fl: {axis: [[1, 0, 0], [0.9998, 0.02, 0]]}\n"
          "  uca_pivot_fr: {axis: [[0.22, 0.03, 0.05], [0.22, 0.031, 0.052]]}\n",
          steers, 2, differ);
}

// On the wheel assembly, where it hangs on loops.
#define BOB(joint)                                                                          \
  HMMWV                                                                                     \
  "bodies:\n  bob: {mass: 4, cg: [-1.55, 0.9, 0.75], inertia: [0.02, 0.025, 0.03]}\n"       \
  "joints:\n  arm: {" joint                                                                 \
  "}\nforces:\n  hold: {type: bushing, bodies: [wheel_rl, bob], at: [-1.56, 0.9, 0.72], "   \
  "stiffness: [4e4, 5e4, 6e4], damping: [200, 210, 220], rotational_stiffness: [300, 310, " \
  "320], rotational_damping: [2, 2, 2]}\n"

static void joints_without_an_operation(void **state)
{
  (void)state;
  static const char why[] = "lanes have no operation for joints of its kind";
  compare(BOB("type: spherical-revolute, bodies: [wheel_rl, bob], at: [[-1.65, 0.88, 0.6], [-1.56, "
              "0.9, 0.72]], axis: [0.2, 1, 0.1]"),
          steers, 1, why);
  compare(BOB("type: spherical-translational, bodies: [bob, wheel_rl], at: [-1.56, 0.9, 0.72], "
              "axis: [0.2, 0.1, 1]"),
          steers, 1, why);
}

// A wheel body of its own: an angle like any other there, though it would be a rotor in a lane.
static void wheel_bodies(void **state)
{
  (void)state;
  compare(
      "jounce: 1\ninclude: models/peer-vehicle.yaml\njoints:\n"
      "  lca_pivot_rl: {axis: [[1, 0, 0], [0.99998, 0.006, 0]]}\n",
      "jounce: 1\nscenario: brakes\nend: 1\nspeed: 15\ninputs: {wheel.rl.brake: 200, "
      "driver.rack: {type: sine, amplitude: 0.01, frequency: 2}}\n",
      1, differ);
}

// Bodies one behind the other on a wheel assembly, on hinges or on universal joints.
static void compare_chain(int n, bool universal, const char *why)
{
  static char model[16384];
  char *at = model, *const end = model + sizeof model;
#define PUT(...) (at += snprintf(at, (size_t)(end - at), __VA_ARGS__))
  PUT(HMMWV "topology: {base: chassis}\nbodies:\n");
  for (int i = 0; i < n; i++)
    PUT("  c%d: {mass: 0.5, cg: [-1.65, 0.88, %g], inertia: [0.01, 0.01, 0.01]}\n", i,
        0.7 + 0.02 * i);
  PUT("joints:\n");
  for (int i = 0; i < n; i++) {
    char on[16] = "wheel_rl";
    if (i) snprintf(on, sizeof on, "c%d", i - 1);
    PUT("  h%d: {type: %s, bodies: [%s, c%d], at: [-1.65, 0.88, %g], axis: %s}\n", i,
        universal ? "universal" : "revolute", on, i, 0.69 + 0.02 * i,
        universal ? "[[1, 0, 0], [0, 1, 0]]"
        : i % 2   ? "[1, 0, 0]"
                  : "[0, 1, 0]");
  }
  if (!universal) PUT("forces:\n");
  for (int i = 0; i < n && !universal; i++)
    PUT("  r%d: {type: rsda, joint: h%d, stiffness: 300, damping: 1}\n", i, i);
  assert_true(at < end);
  compare(model, steers, 1, why);
}

static void large_subsystems(void **state)
{
  (void)state;
  compare_chain(26, false, "it has too many bodies");
  compare_chain(9, true, "it has more than 16 freedoms");
  // A corner with two more loops, which no other one is like.
#define LOOP(n, x)                                                                               \
  "  a" n ": {type: universal, bodies: [wheel_rl, p" n "], at: [" x                              \
  ", 0.8, 0.6], axis: [[1, 0, "                                                                  \
  "0], [0, 1, 0]]}\n  b" n ": {type: universal, bodies: [wheel_rl, q" n "], at: [" x             \
  ", 1.0, 0.6], axis: [[1, 0, 0], [0, 0, 1]]}\n  c" n ": {type: spherical, bodies: [p" n ", q" n \
  "], at: [" x ", 0.9, 0.75]}\n"
#define LINKS(n, x)                                                                   \
  "  p" n ": {mass: 1, cg: [" x ", 0.85, 0.7], inertia: [0.01, 0.012, 0.011]}\n  q" n \
  ": {mass: 1, cg: [" x ", 0.95, 0.7], inertia: [0.011, 0.01, 0.012]}\n"
#define SPRING(n, x)                                                               \
  "  s" n ": {type: tsda, bodies: [wheel_rl, p" n "], at: [[" x ", 0.7, 0.8], [" x \
  ", 0.9, 0.75]], "                                                                \
  "stiffness: 2e4, damping: 50}\n"
  compare(HMMWV "bodies:\n" LINKS("1", "-1.6") LINKS("2", "-1.7") "joints:\n" LOOP("1", "-1.6")
              LOOP("2", "-1.7") "forces:\n" SPRING("1", "-1.6") SPRING("2", "-1.7"),
          steers, 1, "rows, and no other subsystem is like it");
  // And with ten, which are too many for any group.
#define TEN(x)                                                                                    \
  x("1", "-1.60") x("2", "-1.61") x("3", "-1.62") x("4", "-1.63") x("5", "-1.64") x("6", "-1.65") \
      x("7", "-1.66") x("8", "-1.67") x("9", "-1.68") x("10", "-1.69")
  compare(HMMWV "bodies:\n" TEN(LINKS) "joints:\n" TEN(LOOP) "forces:\n" TEN(SPRING), steers, 1,
          "its loops have more than 32 rows");
}

// The angle of an upper arm, prescribed in a joint that is cut; and a prescribed rack, whose drive feels the odd corner too.
static void prescribed_motions(void **state)
{
  (void)state;
  static const char moves[] =
      "jounce: 1\nscenario: moves\nend: 1\nspeed: 15\ninputs: {act.arm: {type: sine, amplitude: "
      "0.02, frequency: 3}}\n",
                    slides[] =
                        "jounce: 1\nscenario: slides\nend: 1\nspeed: 15\ninputs: "
                        "{act.rack: {type: sine, amplitude: 0.01, frequency: 2}}\n";
  compare(HMMWV
          "joints:\n  uca_pivot_rl: {motion: {channel: act.arm, filter: 0.01}}\n"
          "topology: {cut: [uca_pivot_rl]}\nforces:\n  spring_rl: {free_length: 0.33}\n",
          moves, 1, "");
  compare(
      "jounce: 1\ninclude: models/peer-vehicle.yaml\nbodies:\n"
      "  rear: {mass: 5, cg: [-1.8, 0, 0.433], inertia: [0.2, 0.02, 0.2]}\njoints:\n"
      "  lca_pivot_rl: {axis: [[1, 0, 0], [0.99998, 0.006, 0]]}\n"
      "  rear_guide: {type: translational, bodies: [chassis, rear], at: [-1.8, 0, 0.433], axis: "
      "[0, 1, 0], motion: {channel: act.rack, filter: 0.01}}\n"
      "  tie_rod_rl: {bodies: [rear, upright_rl]}\n  tie_rod_rr: {bodies: [rear, upright_rr]}\n",
      slides, 1, differ);
  compare(HMMWV
          "joints:\n  lca_pivot_fl: {axis: [[1, 0, 0], [0.9998, 0.02, 0]], motion: {channel: "
          "act.arm, filter: 0.01}}\n",
          moves, 1, differ);
}

// ---- where it hangs -----------------------------------------------------------------------------------

static void on_other_bodies_than_the_base(void **state)
{
  (void)state;
  static const char pulls[] =
      "jounce: 1\nscenario: pulls\nend: 1\nspeed: 15\ninputs:\n"
      "  wheel.1l.steer: {type: ramp, start: 0.00205, end: 0.012, to: 0.02}\n"
      "drivers: {cruise: {type: speed, body: tractor, wheels: [2l, 2r, 3l, 3r]}}\n";
  compare(
      "jounce: 1\ninclude: models/tractor-semitrailer.yaml\njoints:\n"
      "  arm_4l: {axis: [[0, 1, 0], [0.01, 0.9999, 0]]}\n",
      pulls, 1, differ);
  compare(HMMWV
          "joints:\n  lca_pivot_fl: {axis: [[1, 0, 0], [0.9998, 0.02, 0]]}\n"
          "  rig: {type: translational, bodies: [ground, chassis], at: [0.056, 0, 0.693], "
          "axis: [0, 0, 1]}\n",
          "jounce: 1\nscenario: rig\nend: 1\ninputs: {driver.rack: {type: sine, amplitude: 0.01, "
          "frequency: 2}}\n",
          1, differ);
}

// Springs in its joints, a bushing to the ground, a spring to a body in a lane and a load on it.
static void elements_of_all_kinds(void **state)
{
  (void)state;
  compare(HMMWV
          "joints:\n  lca_pivot_fl: {axis: [[1, 0, 0], [0.9998, 0.02, 0]]}\nforces:\n"
          "  in_tree: {type: rsda, joint: lca_pivot_fl, stiffness: 3000, damping: 20}\n"
          "  in_cut: {type: rsda, joint: uca_pivot_fl, stiffness: 2000, damping: 20}\n"
          "  to_ground: {type: bushing, bodies: [ground, lca_fl], at: [1.7, 0.6, 0.4], "
          "stiffness: [100, 100, 2000], damping: [1, 1, 20]}\n"
          "  across: {type: tsda, bodies: [lca_fl, lca_fr], at: [[1.7, 0.6, 0.4], [1.7, -0.6, "
          "0.4]], stiffness: 2e4, damping: 100}\n"
          "  load: {type: force, body: uca_fl, at: [1.6, 0.6, 0.7], force: [30, "
          "-40, 50]}\n"
          "topology: {cut: [uca_pivot_fl]}\n",
          steers, 1, "");
}

// Components that read its bodies, joints and wheels.
static void sensors(void **state)
{
  (void)state;
  compare(HMMWV
          "joints:\n  lca_pivot_rl: {axis: [[1, 0, 0], [0.9998, 0.02, 0]]}\ncomponents:\n"
          "  a: {type: gain, factor: 20, inputs: {in: wheel_rl.speed_z}, outputs: {out: "
          "wheel.rl.drive}}\n"
          "  b: {type: gain, factor: 300, inputs: {in: joint.lca_pivot_rl.angle}, outputs: "
          "{out: wheel.rr.drive}}\n"
          "  c: {type: gain, factor: 2, inputs: {in: wheel.rl.speed}, outputs: {out: "
          "wheel.fl.drive}}\n"
          "  e: {type: gain, factor: 30, inputs: {in: joint.lca_pivot_rl.speed}, outputs: "
          "{out: wheel.fr.drive}}\n",
          "jounce: 1\nscenario: rolls\nend: 1\nspeed: 15\n", 1, differ);
}

// ---- what it is not for ---------------------------------------------------------------------------------

// Nothing is left for lanes: the general path, with the reason of the first.
static void all_of_them_odd(void **state)
{
  (void)state;
  jt_run r = jt_start(jt_parse(HMMWV "joints:\n"
                                     "  lca_pivot_fl: {axis: [[1, 0, 0], [0.9998, 0.02, 0]]}\n"
                                     "  lca_pivot_fr: {axis: [[1, 0, 0], [0.9998, 0.02, 0]]}\n"
                                     "  lca_pivot_rl: {axis: [[1, 0, 0], [0.9998, 0.02, 0]]}\n"
                                     "  lca_pivot_rr: {axis: [[1, 0, 0], [0.9998, 0.02, 0]]}\n"),
                      NULL, NULL);
  const jn_path_info p = jn_system_path(r.system);
  assert_non_null(p.general);
  assert_non_null(strstr(p.general, "joint lca_pivot_fl (revolute): the axes"));
  assert_int_equal(p.nsubsystem, 0);
  jt_end(&r);
}

// ---- runs -------------------------------------------------------------------------------------------------

static const char odd[] = "jounce: 1\ninclude: test/models/hmmwv-odd-corners.yaml\n";

static double apart(jn_integrator integrator, double step, int steps)
{
  pair p = start_both(odd, steers, (jn_sim_opts){.integrator = integrator, .step = step});
  jt_steps(&p.mixed, steps);
  jt_steps(&p.general, steps);
  jt_row(&p.mixed), jt_row(&p.general);
  static const char *const names[] = {"chassis.z", "wheel_fl.z", "wheel_rr.z", "bob_rr.x",
                                      "joint.uca_pivot_fl.angle"};
  double most = 0.0;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    most = fmax(most, fabs(jt_now(&p.mixed, names[i]) - jt_now(&p.general, names[i])));
  JT_LE(jn_data_stats(p.mixed.data).path_difference, 1e-10);
  JT_LE(jn_data_stats(p.mixed.data).position_norm, 1e-6);
  end_both(&p);
  return most;
}

// The paths are two methods of one order: they come together as steps shorten.
static void paths_come_together(void **state)
{
  (void)state;
  const double one = apart(JN_INTEGRATOR_AB3, 1e-3, 400),
               half = apart(JN_INTEGRATOR_AB3, 5e-4, 800),
               quarter = apart(JN_INTEGRATOR_AB3, 2.5e-4, 1600);
  print_message("  ab3: %.2g, %.2g, %.2g m or rad apart\n", one, half, quarter);
  JT_LE(one, 1e-4);
  JT_LE(half, one / 4.0);
  JT_LE(quarter, half / 4.0);
}

// Rockers on an odd hinge: their block chooses other dependent coordinates on the way.
static const char rockers[] = HMMWV
    "bodies:\n"
    "  first: {mass: 1, cg: [-0.13, 0.13, 1.2], inertia: [0.01, 0.01, 0.01]}\n"
    "  second: {mass: 2, cg: [0.3, 0.15, 1.2], inertia: [0.02, 0.02, 0.02]}\n"
    "joints:\n"
    "  turn: {type: revolute, bodies: [chassis, first], at: [-0.2, 0, 1.2], axis: [[0.1, 0, "
    "1], [0.1, 0.001, 1]]}\n"
    "  swing: {type: revolute, bodies: [chassis, second], at: [0.3, 0, 1.2], axis: [0, 0.1, "
    "1]}\n"
    "  rod: {type: distance, bodies: [first, second], at: [[-0.05, 0.26, 1.2], [0.3, 0.25, "
    "1.2]]}\n"
    "initial: {turn: {speed: 10}}\n";

static void rows_leave_no_trace(void **state)
{
  (void)state;
  expect_no_trace(odd, steers, 1e-3, 300);
  expect_no_trace(rockers, NULL, 2.5e-4, 4000);
}

static void nothing_is_allocated(void **state)
{
  (void)state;
  for (int i = 0; i < JN_NINTEGRATOR; i++) {
    if (i == JN_INTEGRATOR_REFERENCE) continue;
    const jn_sim_opts o = {.integrator = (jn_integrator)i, .step = 2e-4};
    jt_run r = jt_start(jt_parse(odd), steers, &o);
    jn_step_flags flags = JN_STEP_OK;
    calls = 0;
    watching = 1;
    for (int k = 0; k < 50 && !flags; k++) flags = jn_step(r.system, r.data);
    watching = 0;
    assert_int_equal(calls, 0);
    jt_flag(&r, flags);
    assert_true(jn_is_fast(r.data));
    jt_end(&r);
  }
}

// The run stays in lanes.
static void other_dependent_coordinates(void **state)
{
  (void)state;
  const jn_sim_opts o = {.integrator = JN_INTEGRATOR_AB3, .step = 2.5e-4};
  pair p = start_both(rockers, NULL, o);
  expect_ungrouped(&p.mixed, 1, differ);
  for (int i = 0; i < 20; i++) {
    jt_steps(&p.mixed, 200);
    jt_steps(&p.general, 200);
    jt_row(&p.mixed), jt_row(&p.general);
    assert_true(jn_is_fast(p.mixed.data));
    JT_NEAR(jt_now(&p.mixed, "joint.turn.angle"), jt_now(&p.general, "joint.turn.angle"), 2e-3);
  }
  const jn_run_stats k = jn_data_stats(p.mixed.data);
  print_message("  %lld events\n", (long long)k.events);
  assert_true(k.events >= 4);  // two are steps that a method begins with
  JT_LE(k.path_difference, 1e-9);
  JT_LE(fabs(k.energy_drift), 1e-2);
  end_both(&p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hinges_whose_axes_differ),
      cmocka_unit_test(joints_without_an_operation),
      cmocka_unit_test(wheel_bodies),
      cmocka_unit_test(large_subsystems),
      cmocka_unit_test(prescribed_motions),
      cmocka_unit_test(on_other_bodies_than_the_base),
      cmocka_unit_test(elements_of_all_kinds),
      cmocka_unit_test(sensors),
      cmocka_unit_test(all_of_them_odd),
      cmocka_unit_test(paths_come_together),
      cmocka_unit_test(rows_leave_no_trace),
      cmocka_unit_test(nothing_is_allocated),
      cmocka_unit_test(other_dependent_coordinates),
  };
  return cmocka_run_group_tests(tests, watch, NULL);
}
