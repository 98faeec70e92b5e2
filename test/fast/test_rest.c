// Vehicles whose core lanes have no code for: loops in it, several assemblies, arms without mass, joints that corners on different bodies
// share. It is computed as the general path does it, with the corners in lanes on it, and all agrees with what that does to the whole.
#include <stdio.h>

#include "fast/compare_runs.h"
#include "run/allocations.h"
#include "run/run_internal.h"
#include "solve/fast/program.h"

#define HMMWV "jounce: 1\ninclude: models/hmmwv.yaml\n"

static const char steers[] =
    "jounce: 1\nscenario: steers\nend: 1\nspeed: 15\ninputs: {driver.rack: {type: sine, amplitude: "
    "0.01, frequency: 2}, wheel.rl.brake: 100, wheel.fl.drive: 150}\n";

// What is in the rest of a run that is in lanes.
typedef struct expected {
  int groups;      // at least so many subsystems are in lanes
  bool loops;      // the core's loops, or those that it solves for
  bool redundant;  // rows of them
  int assemblies;
} expected;

static void expect_rest(const jn_system *s, expected e)
{
  const jn_lane *l = s->lane;
  int n = 0;
  assert_true(jn_lane_has_rest(l));
  for (int g = 0; g < l->ngroup; g++) n += l->group[g].lanes;
  assert_true(n >= e.groups);
  assert_int_equal(l->rest.part.partition, e.loops);
  assert_int_equal(s->core_rank < s->ncore_row, e.redundant);
  assert_int_equal(s->nframe, e.assemblies);
}

static const jn_sim_opts rk4 = {.integrator = JN_INTEGRATOR_RK4, .step = 2.5e-4};

static void compare(const char *model, const char *scenario, expected e)
{
  pair p = start_both(model, scenario, rk4);
  expect_rest(p.mixed.system, e);
  compare_runs(model, scenario, p);
}

// ---- loops in the core --------------------------------------------------------------------------------

// The rack is a relay rod between a pitman arm, which is given `motion`, and an idler arm, on which the servo of the file acts. `first`,
// `second`: its joints.
#define ARMS(first, second, motion)                                                               \
  "bodies:\n"                                                                                     \
  "  rack: {mass: 6, cg: [1.438648, 0, 0.534229], inertia: [1, 0.1, 1]}\n"                        \
  "  pitman: {mass: 2, cg: [1.36, 0.3, 0.54], inertia: [0.02, 0.02, 0.02]}\n"                     \
  "  idler: {mass: 2, cg: [1.36, -0.3, 0.54], inertia: [0.02, 0.02, 0.02]}\n"                     \
  "joints:\n"                                                                                     \
  "  arm_in: {type: revolute, bodies: [chassis, pitman], at: [1.28, 0.3, 0.55], axis: [0.05, 0, " \
  "1]" motion                                                                                     \
  "}\n"                                                                                           \
  "  rack_guide: {type: revolute, bodies: [chassis, idler], at: [1.28, -0.3, 0.55], axis: "       \
  "[0.05, 0, 1]}\n"                                                                               \
  "  relay_left: {" first                                                                         \
  ", bodies: [pitman, rack], at: [1.44, 0.3, 0.534]}\n"                                           \
  "  relay_right: {" second ", bodies: [idler, rack], at: [1.44, -0.3, 0.534]}\n"
#define SERVO   "forces:\n  rack_servo: {stiffness: 1.5e5, damping: 1e3}\n"
#define ROLLING "type: universal, axis: [[1, 0, 0], [0, 0.3, 1]]"
#define HINGE   "type: revolute, axis: [0.05, 0, 1]"
#define BALL    "type: spherical"

static const char pitman[] = HMMWV ARMS(ROLLING, BALL, "") SERVO;
static const char parallelogram[] = HMMWV ARMS(HINGE, HINGE, "") SERVO;

static void a_pitman_arm_and_an_idler_arm(void **state)
{
  (void)state;
  compare(pitman, steers, (expected){.groups = 4, .loops = true, .assemblies = 1});
  compare(HMMWV ARMS(BALL, ROLLING, "") SERVO
          "  arm_spring: {type: rsda, joint: arm_in, stiffness: 500, damping: 20}\n"
          "topology: {cut: [arm_in]}\n",
          steers, (expected){.groups = 4, .loops = true, .assemblies = 1});
}

static void hinges_with_redundant_rows(void **state)
{
  (void)state;
  compare(parallelogram, steers,
          (expected){.groups = 2, .loops = true, .redundant = true, .assemblies = 1});
  compare(HMMWV ARMS(HINGE, BALL, "") SERVO, steers,
          (expected){.groups = 2, .loops = true, .redundant = true, .assemblies = 1});
}

// Two linkages of parallel hinges, alike and each with redundant rows, beside the steering linkage. They are left out of lanes, the corners are not.
static void redundant_linkages_beside_each_other(void **state)
{
  (void)state;
#define FOUR_BAR(n, y)                                                   \
  "  a" n ": {type: revolute, bodies: [chassis, left" n "], at: [0, " y  \
  ", 1.5], axis: [0, 1, 0]}\n"                                           \
  "  b" n ": {type: revolute, bodies: [chassis, right" n "], at: [1, " y \
  ", 1.5], axis: [0, 1, 0]}\n"                                           \
  "  c" n ": {type: revolute, bodies: [left" n ", top" n "], at: [0, " y \
  ", 2], axis: [0, 1, 0]}\n"                                             \
  "  d" n ": {type: spherical, bodies: [right" n ", top" n "], at: [1, " y ", 1.95]}\n"
#define FOUR_BODIES(n, y)                \
  "  left" n ": {mass: 5, cg: [0, " y    \
  ", 1.75], inertia: [0.1, 0.1, 0.1]}\n" \
  "  right" n ": {mass: 5, cg: [1, " y   \
  ", 1.75], inertia: [0.1, 0.1, 0.1]}\n" \
  "  top" n ": {mass: 5, cg: [0.5, " y ", 2], inertia: [0.1, 0.1, 0.1]}\n"
  compare("jounce: 1\ninclude: test/models/hmmwv-pitman.yaml\nbodies:\n" FOUR_BODIES("1", "0")
              FOUR_BODIES("2", "0.2") "joints:\n" FOUR_BAR("1", "0") FOUR_BAR("2", "0.2"),
          steers, (expected){.groups = 4, .loops = true, .redundant = true, .assemblies = 1});
}

// Of the pitman arm: in the tree, and in the joint that is cut.
static void prescribed_arms(void **state)
{
  (void)state;
  static const char moves[] =
      "jounce: 1\nscenario: moves\nend: 1\nspeed: 15\ninputs: {act.arm: {type: sine, amplitude: "
      "0.02, frequency: 3}}\n";
#define MOVED \
  HMMWV ARMS(ROLLING, BALL, ", motion: {channel: act.arm, filter: 0.01}")     \
  "forces:\n  rack_servo: {stiffness: 500, damping: 20}\n"
  static const char in_tree[] = MOVED, in_cut[] = MOVED "topology: {cut: [arm_in]}\n";
  const char *const models[] = {in_tree, in_cut};
  for (int i = 0; i < 2; i++) {
    pair p = start_both(models[i], moves, rk4);
    assert_true(p.mixed.system->lane->rest.driven);
    jt_steps(&p.mixed, 200), jt_steps(&p.general, 200);
    jt_row(&p.mixed), jt_row(&p.general);
    static const char *const names[] = {"joint.arm_in.drive", "solver.work", "solver.energy"};
    for (int n = 0; n < 3; n++) {
      const double x = jt_now(&p.general, names[n]);
      assert_true(fabs(x) > 1.0);
      JT_NEAR(jt_now(&p.mixed, names[n]), x, 2e-4 * fmax(1.0, fabs(x)));
    }
    end_both(&p);
    p = start_both(models[i], moves, rk4);
    compare_runs(models[i], moves, p);
  }
}

// ---- several assemblies -------------------------------------------------------------------------------

#define PAD                                                                                     \
  "bodies:\n  pad: {mass: 40, cg: [1.6, 1.6, 0.4], inertia: [1, 1.2, 1.5]}\n"                   \
  "joints:\n  pad_in: {type: translational, bodies: [ground, pad], at: [1.6, 1.5, 0.4], axis: " \
  "[0, 0.1, 1]}\n"                                                                              \
  "forces:\n  pad_keep: {type: bushing, bodies: [ground, pad], at: [1.6, 1.6, 0.4], "           \
  "stiffness: [2e4, 2e4, 3e4], damping: [100, 100, 150]}\n"

static void a_pad_on_the_ground_beside_the_vehicle(void **state)
{
  (void)state;
  compare(HMMWV PAD, steers, (expected){.groups = 4, .assemblies = 2});
  // At rest it may be tied to it.
  compare(HMMWV PAD
          "  tie: {type: tsda, bodies: [chassis, pad], at: [[1.6, 0.9, 1], [1.6, 1.6, 0.4]], "
          "stiffness: 2e4, damping: 200}\ntopology: {base: chassis}\ninitial: {pad_in: {speed: "
          "0.3}}\n",
          NULL, (expected){.groups = 4, .assemblies = 2});
}

// A vehicle that a spring alone ties to a pad hangs on the pad, which is on the ground: its chassis is core for all that.
static void a_pad_that_carries_the_vehicle(void **state)
{
  (void)state;
  pair p = start_both(HMMWV PAD
                      "  tie: {type: tsda, bodies: [chassis, pad], at: [[1.6, 0.9, 1], [1.6, 1.6, "
                      "0.4]], stiffness: 2e4, damping: 200}\n",
                      NULL, rk4);
  const jn_model *m = p.mixed.system->model;
  assert_string_equal(jn_node_name(m, m->base), "ground");
  compare_runs(HMMWV PAD
               "  tie: {type: tsda, bodies: [chassis, pad], at: [[1.6, 0.9, 1], [1.6, 1.6, 0.4]], "
               "stiffness: 2e4, damping: 200}\n",
               NULL, p);
}

// A group on the ground, since its rocker is pushed by an arm that hangs on the ground as the chassis does, which slides there: the frame
// of the general path goes along with the slide. The spring is between a body of the rest and one of the group.
static void a_slide_on_the_ground(void **state)
{
  (void)state;
  compare(
      "jounce: 1\nname: slide\nbodies:\n"
      "  chassis: {mass: 600, cg: [-0.5, 0, 0.85], inertia: [200, 200, 200]}\n"
      "  arm: {mass: 10, cg: [2.3, -0.9, 0.3], inertia: [0.3, 0.3, 0.3]}\n"
      "  rocker: {mass: 5, cg: [2.4, -0.7, 1.1], inertia: [0.1, 0.1, 0.1]}\n"
      "  rod: {mass: 8, cg: [2.4, 1.1, 0.5], inertia: [0.3, 0.3, 0.3]}\n"
      "joints:\n"
      "  rig: {type: translational, bodies: [ground, chassis], at: [-0.5, 0, 0.85], axis: [0.1, 0, "
      "1]}\n"
      "  arm_in: {type: revolute, bodies: [chassis, arm], at: [2.4, -0.6, 0.3], axis: [1, 0, 0]}\n"
      "  rocker_in: {type: revolute, bodies: [chassis, rocker], at: [2.3, -0.7, 1], axis: [1, 0, "
      "0]}\n"
      "  push: {type: distance, bodies: [arm, rocker], at: [[2.3, -1.1, 0.3], [2.3, -0.9, 1]]}\n"
      "  hang: {type: distance, bodies: [chassis, rod], at: [[2.3, 0.9, 1], [2.3, 1.1, 0.3]]}\n"
      "forces:\n"
      "  spring: {type: tsda, bodies: [chassis, rocker], at: [[2.4, -0.3, 1.2], [2.4, -0.6, 1.2]], "
      "stiffness: 5e4, damping: 50}\n"
      "initial: {rig: {position: 0.1, speed: 0.5}}\n"
      "topology: {base: arm}\n",
      NULL, (expected){.groups = 2, .loops = true, .assemblies = 1});
}

// ---- joints that lanes have no core code for --------------------------------------------------------------

// Front corners on a frame of their own. `joint`: what holds it to the chassis beside a bushing.
#define FRAME(joint)                                                                             \
  HMMWV                                                                                          \
  "bodies:\n  sub: {mass: 80, cg: [1.6, 0, 0.55], inertia: [6, 4, 8]}\n"                         \
  "joints:\n  sub_in: {" joint                                                                   \
  "}\n"                                                                                          \
  "  lca_pivot_fl: {bodies: [sub, lca_fl]}\n  uca_pivot_fl: {bodies: [sub, uca_fl]}\n"           \
  "  lca_pivot_fr: {bodies: [sub, lca_fr]}\n  uca_pivot_fr: {bodies: [sub, uca_fr]}\n"           \
  "forces:\n  sub_bush: {type: bushing, bodies: [chassis, sub], at: [1.6, 0, 0.55], stiffness: " \
  "[3e6, 3e6, 3e6], damping: [2e4, 2e4, 2e4], rotational_stiffness: [4e5, 4e5, 4e5], "           \
  "rotational_damping: [4e3, 4e3, 4e3]}\n"

static void arms_without_mass_in_the_core(void **state)
{
  (void)state;
  compare(FRAME("type: spherical-translational, bodies: [sub, chassis], at: [1.5, 0, 0.6], axis: "
                "[0.2, 0.1, 1]"),
          steers, (expected){.groups = 2, .assemblies = 1});
  compare(FRAME("type: spherical-revolute, bodies: [chassis, sub], at: [[1.9, 0.1, 0.7], [1.6, "
                "0.1, 0.6]], axis: [0.1, 1, 0.2]"),
          steers, (expected){.groups = 2, .assemblies = 1});
  compare(FRAME("type: revolute, bodies: [chassis, sub], at: [1.5, 0, 0.6], axis: [[0, 1, 0], "
                "[0.01, 1, 0.02]]"),
          steers, (expected){.groups = 2, .assemblies = 1});
}

// A frame that is moved, with the rack on it: its drive feels that the rack accelerates, which the corners share.
static void a_rack_on_a_frame_that_is_moved(void **state)
{
  (void)state;
  static const char model[] = HMMWV
      "bodies:\n  sub: {mass: 80, cg: [1.6, 0, 0.55], inertia: [6, 4, 8]}\n"
      "joints:\n  sub_in: {type: revolute, bodies: [chassis, sub], at: [1.5, 0, 0.6], axis: [[0, "
      "0.5, 1], [0.01, 0.5, 1]], motion: {channel: act.sub, filter: 0.01}}\n"
      "  rack_guide: {bodies: [sub, rack]}\n"
      "  lca_pivot_fl: {bodies: [sub, lca_fl]}\n  uca_pivot_fl: {bodies: [sub, uca_fl]}\n"
      "  lca_pivot_fr: {bodies: [sub, lca_fr]}\n  uca_pivot_fr: {bodies: [sub, uca_fr]}\n"
      "forces:\n  spring_fl: {free_length: 0.29}\n  spring_fr: {free_length: 0.29}\n  spring_rl: "
      "{free_length: 0.33}\n  spring_rr: {free_length: 0.33}\ntopology: {base: chassis}\n";
  static const char moves[] =
      "jounce: 1\nscenario: moves\nend: 1\nspeed: 15\ninputs: {act.sub: {type: sine, amplitude: "
      "0.01, frequency: 3}, driver.rack: {type: sine, amplitude: 0.01, frequency: 4}}\n";
  pair p = start_both(model, moves, rk4);
  expect_rest(p.mixed.system, (expected){.groups = 2, .assemblies = 1});
  assert_true(p.mixed.system->lane->rest.driven);
  compare_runs(model, moves, p);
}

// Corners of the left on a frame, with the rack: that is shared by one on the frame and one on the chassis.
static void a_rack_between_corners_on_two_bodies(void **state)
{
  (void)state;
  const char *model = HMMWV
      "bodies:\n  side: {mass: 80, cg: [0, 0.5, 0.55], inertia: [6, 40, 40]}\n"
      "joints:\n  side_in: {type: revolute, bodies: [chassis, side], at: [0, 0.4, 0.6], axis: [1, "
      "0.1, 0]}\n"
      "  lca_pivot_fl: {bodies: [side, lca_fl]}\n  uca_pivot_fl: {bodies: [side, uca_fl]}\n"
      "  lca_pivot_rl: {bodies: [side, lca_rl]}\n  uca_pivot_rl: {bodies: [side, uca_rl]}\n"
      "  tie_rod_rl: {bodies: [side, wheel_rl]}\n  rack_guide: {bodies: [side, rack]}\n"
      "forces:\n  side_spring: {type: rsda, joint: side_in, stiffness: 2e5, damping: 5e3}\n"
      "topology: {base: chassis}\n";
  compare(model, steers, (expected){.groups = 4, .assemblies = 1});
}

// ---- runs -------------------------------------------------------------------------------------------------

static const char *const all[] = {pitman, parallelogram, HMMWV PAD};
enum { ALL = sizeof all / sizeof *all };

static void rows_leave_no_trace(void **state)
{
  (void)state;
  for (int i = 0; i < ALL; i++) expect_no_trace(all[i], steers, 1e-3, 200);
}

static void nothing_is_allocated(void **state)
{
  (void)state;
  for (int m = 0; m < ALL; m++)
    for (int i = 0; i < JN_NINTEGRATOR; i++) {
      if (i == JN_INTEGRATOR_REFERENCE) continue;
      const jn_sim_opts o = {.integrator = (jn_integrator)i, .step = 2e-4};
      jt_run r = jt_start(jt_parse(all[m]), steers, &o);
      jn_step_flags flags = JN_STEP_OK;
      calls = 0;
      watching = 1;
      for (int k = 0; k < 30 && !flags; k++) flags = jn_step(r.system, r.data);
      watching = 0;
      assert_int_equal(calls, 0);
      jt_flag(&r, flags);
      assert_true(jn_is_fast(r.data));
      jt_end(&r);
    }
}

typedef struct bytes {
  size_t size;
  unsigned char *at;
} bytes;

static bytes save(const jn_data *d)
{
  bytes k = {.size = jn_data_save(d, NULL, 0)};
  k.at = malloc(k.size);
  assert_non_null(k.at);
  assert_int_equal(jn_data_save(d, k.at, k.size), k.size);
  return k;
}

static bytes go_on(jt_run *r)
{
  for (int i = 0; i < 80; i++) {
    if (i % 7 == 0) jt_row(r);
    jt_steps(r, 1);
  }
  return save(r->data);
}

static void what_is_restored_goes_on_alike(void **state)
{
  (void)state;
  for (int m = 0; m < ALL; m++)
    for (int i = 0; i < JN_NINTEGRATOR; i++) {
      if (i == JN_INTEGRATOR_REFERENCE) continue;
      const jn_sim_opts o = {.integrator = (jn_integrator)i, .step = 2e-4};
      jt_run a = jt_start(jt_parse(all[m]), steers, &o), b = jt_start(jt_parse(all[m]), steers, &o);
      jt_steps(&a, 57), jt_steps(&b, 20);
      bytes k = save(a.data);
      jn_error err = {0};
      jt_ok(jn_data_restore(b.data, k.at, k.size, &err), &err, "restore");
      bytes x = go_on(&a), y = go_on(&b);
      assert_int_equal(x.size, y.size);
      assert_memory_equal(x.at, y.at, x.size);
      free(k.at), free(x.at), free(y.at);
      jt_end(&a), jt_end(&b);
    }
}

// A run that switches to other numbers goes on as one that has them, in the same state.
static void other_parameters(void **state)
{
  (void)state;
  for (int m = 0; m < ALL; m++) {
    jn_error err = {0};
    jn_spec *other = jt_parse(all[m]);
    other->body[0].keys.mass *= 1.1;
    other->gravity[0] = 0.3;
    pair p = start_both(all[m], steers, rk4);
    jn_system *lanes, *general;
    jt_ok(jn_system_with(p.mixed.system, other, &lanes, &err), &err, "lanes");
    jt_ok(jn_system_with(p.general.system, other, &general, &err), &err, "general");
    assert_non_null(lanes->lane);
    assert_true(jn_lane_has_rest(lanes->lane));
    jt_steps(&p.mixed, 20), jt_steps(&p.general, 20);
    jt_ok(jn_data_switch(p.mixed.data, lanes, &err), &err, "switch");
    jt_ok(jn_data_switch(p.general.data, general, &err), &err, "switch");
    assert_true(jn_is_fast(p.mixed.data));
    for (int i = 0; i < 40; i++) {
      assert_int_equal(jn_step(lanes, p.mixed.data), JN_STEP_OK);
      assert_int_equal(jn_step(general, p.general.data), JN_STEP_OK);
    }
    jn_evaluate(lanes, p.mixed.data), jn_evaluate(general, p.general.data);
    JT_NEAR(jt_now(&p.mixed, "chassis.z"), jt_now(&p.general, "chassis.z"), 1e-8);
    JT_NEAR(jt_now(&p.mixed, "wheel_fl.ay"), jt_now(&p.general, "wheel_fl.ay"), 1e-3);
    JT_LE(jn_data_stats(p.mixed.data).path_difference, 1e-9);
    end_both(&p);
    jn_system_free(lanes), jn_system_free(general);
    jn_spec_free(other);
  }
}

// ---- angles of cut joints -----------------------------------------------------------------------------

// The crank's angle after five turns, by rows that lanes make, or by the general path.
static double turned(jn_path path, int steps)
{
  const jn_sim_opts o = {.integrator = JN_INTEGRATOR_RK4, .step = 3.0 / steps, .path = path};
  jt_run r = jt_start(
      jt_parse("jounce: 1\ninclude: models/slider-crank.yaml\ntopology: {cut: [A]}\n"), NULL, &o);
  assert_int_equal(r.system->lane != NULL, path == JN_PATH_AUTO);
  const int angle = jt_channel(&r, "joint.A.angle");
  jn_rows *rows = NULL;
  jn_error err = {0};
  double x = 0.0;
  jt_ok(jn_rows_create(r.system, &angle, 1, &rows, &err), &err, "rows");
  assert_null(jn_rows_general(rows));
  jt_steps(&r, steps);
  jt_flag(&r, jn_rows_fill(rows, r.data, &x));
  jn_rows_free(rows);
  jt_end(&r);
  return x;
}

// Whole turns are counted in every step, though nothing but lanes computes the run and nobody looks. Both paths are of order 4, so that
// each is apart from the truth by 16/15 of what half the step changes.
static void turns_of_cut_joints(void **state)
{
  (void)state;
  const double lanes = turned(JN_PATH_AUTO, 3000), general = turned(JN_PATH_GENERAL, 3000);
  const double changes =
      fabs(turned(JN_PATH_AUTO, 6000) - lanes) + fabs(turned(JN_PATH_GENERAL, 6000) - general);
  assert_true(fabs(lanes) > 12.0);
  JT_NEAR(lanes, general, 16.0 / 15.0 * changes);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_pitman_arm_and_an_idler_arm),
      cmocka_unit_test(hinges_with_redundant_rows),
      cmocka_unit_test(redundant_linkages_beside_each_other),
      cmocka_unit_test(prescribed_arms),
      cmocka_unit_test(a_pad_on_the_ground_beside_the_vehicle),
      cmocka_unit_test(a_pad_that_carries_the_vehicle),
      cmocka_unit_test(a_slide_on_the_ground),
      cmocka_unit_test(arms_without_mass_in_the_core),
      cmocka_unit_test(a_rack_on_a_frame_that_is_moved),
      cmocka_unit_test(a_rack_between_corners_on_two_bodies),
      cmocka_unit_test(rows_leave_no_trace),
      cmocka_unit_test(nothing_is_allocated),
      cmocka_unit_test(what_is_restored_goes_on_alike),
      cmocka_unit_test(other_parameters),
      cmocka_unit_test(turns_of_cut_joints),
  };
  return cmocka_run_group_tests(tests, watch, NULL);
}
