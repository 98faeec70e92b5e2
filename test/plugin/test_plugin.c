// Plug-in forces against built-in elements of the same law, by the general path and in lanes; how far lanes reach.
#include <stdlib.h>

#include "jounce/equilibrium.h"
#include "run/run_case.h"

#define PEER "jounce: 1\nname: peer vehicle with more\ninclude: models/peer-vehicle.yaml\n"

// Springs between core bodies, members of one subsystem, of two, and the ground.
#define ENDS(X)                                                                           \
  X(arm, "bodies: [chassis, lca_fl], at: [[1.6, 0.5, 0.9], [1.6, 0.7, 0.35]]")            \
  X(across, "bodies: [upright_fl, upright_rr], at: [[1.6, 0.8, 0.5], [-1.7, -0.8, 0.4]]") \
  X(inside, "bodies: [uca_rl, lca_rl], at: [[-1.7, 0.6, 0.6], [-1.8, 0.6, 0.3]]")         \
  X(rope, "bodies: [ground, chassis], at: [[-20, 1, 3], [-2, 0.1, 1]]")                   \
  X(anchor, "bodies: [upright_fr, ground], at: [[1.6, -0.8, 0.5], [30, -4, 0.2]]")        \
  X(steering, "bodies: [rack, lca_fr], at: [[1.8, -0.1, 0.4], [1.5, -0.6, 0.3]]")

#define LAW "stiffness: 3000, damping: 400, free_length: 0.9"

static const char springs[] = PEER "forces:\n"
#define X(name, ends) "  " #name ": {type: tsda, " ends ", " LAW "}\n"
    ENDS(X)
#undef X
    ;

static const char plugins[] = PEER "forces:\n"
#define X(name, ends) \
  "  " #name ": {type: plugin, plugin: " PLUGINS "/spring.so, " ends ", parameters: {" LAW "}}\n"
    ENDS(X)
#undef X
    ;

static const char rack_moves[] =
    "jounce: 1\nscenario: rack\nend: 1\ninputs: {driver.rack: {type: ramp, start: 0.05, end: 0.1, "
    "to: 0.02}}\n";

static jt_run begin(const char *text, jn_path path, double step)
{
  const jn_sim_opts opts = {.path = path, .step = step};
  return jt_start(jt_parse(text), rack_moves, &opts);
}

// Of channels that both have, the largest difference, as a part of 1 + the value; of forces and moments, of the vehicle's
// weight too, since they are what is left of larger ones. Those of the elements are along other axes or have other names;
// the drift is since the first row.
static double apart(const jt_run *a, const jt_run *b, const char **where)
{
  double most = 0.0;
  for (int i = 0; i < jn_channel_count(a->system); i++) {
    const char *name = jn_channel_at(a->system, i).name;
    const int k = jn_channel_find(b->system, name);
    if (k < 0 || !strncmp(name, "force.", 6) || !strcmp(name, "solver.energy_drift")) continue;
    const double x = jn_row(a->data)[i], y = jn_row(b->data)[k];
    const double weight = jn_channel_at(a->system, i).unit[0] == 'N' ? 2525.5 * 9.81 : 0.0;
    const double e = fabs(x - y) / (1.0 + fabs(x) + weight);
    if (!(e <= most)) most = e, *where = name;
  }
  return most;
}

// At 0.1 s.
static double apart_by(const char *one, jn_path path_one, const char *other, jn_path path_other,
                       double step, const char **where)
{
  jt_run a = begin(one, path_one, step), b = begin(other, path_other, step);
  assert_true(!jn_system_path(a.system).general == (path_one == JN_PATH_AUTO));
  assert_true(!jn_system_path(b.system).general == (path_other == JN_PATH_AUTO));
  jt_steps(&a, (int)lround(0.1 / step)), jt_steps(&b, (int)lround(0.1 / step));
  jt_row(&a), jt_row(&b);
  const double e = apart(&a, &b, where);
  jt_end(&a), jt_end(&b);
  return e;
}

// Along one path both move alike but for rounding. Paths close loops differently, within what ab3 leaves open: that shrinks
// with the third power of the step.
static void compare(const char *built_in, const char *plug_in)
{
  const char *where = "nowhere";
  for (int i = 0; i < 2; i++) {
    const jn_path path = i ? JN_PATH_AUTO : JN_PATH_GENERAL;
    const double e = apart_by(built_in, path, plug_in, path, 1e-3, &where);
    if (!(e <= 1e-10)) fail_msg("apart by %g in %s", e, where);
  }
  const double e = apart_by(built_in, JN_PATH_GENERAL, plug_in, JN_PATH_AUTO, 1e-3, &where);
  const double half = apart_by(built_in, JN_PATH_GENERAL, plug_in, JN_PATH_AUTO, 0.5e-3, &where);
  if (!(half <= e / 6.0))
    fail_msg("lanes: apart by %g, with half the step %g in %s", e, half, where);
}

// Work and energy are channels too: power is counted as that of a built-in element.
static void a_plug_in_spring_moves_as_a_spring(void **state)
{
  (void)state;
  compare(springs, plugins);
}

// Moments, rotations and angular velocities, by the law of a bushing.
static void a_plug_in_bushing_moves_as_a_bushing(void **state)
{
  (void)state;
#define BUSHINGS(kind, law)                                                                 \
  PEER "forces:\n"                                                                          \
       "  mount: {" kind "bodies: [chassis, upright_rr], at: [-1.7, -0.7, 0.5], " law       \
       "}\n"                                                                                \
       "  post: {" kind "bodies: [ground, chassis], at: [[0.1, 0, 0.7], [0, 0, 0.8]], " law \
       "}\n"                                                                                \
       "  back: {" kind "bodies: [lca_fl, chassis], at: [1.6, 0.5, 0.4], " law "}\n"
  compare(BUSHINGS("type: bushing, ",
                   "stiffness: [3e3, 2e3, 1e3], damping: [300, 200, 100], rotational_stiffness: "
                   "[400, 500, 600], rotational_damping: [40, 50, 60]"),
          BUSHINGS("type: plugin, plugin: " PLUGINS "/bushing.so, ",
                   "parameters: [3e3, 2e3, 1e3, 300, 200, 100, 400, 500, 600, 40, 50, 60]"));
}

// Two assemblies have a frame each: what acts between them is seen in world axes. Nothing else acts: momentum is kept.
static void between_assemblies_it_is_the_same(void **state)
{
  (void)state;
#define FLYING(kind, law)                                                                       \
  "jounce: 1\nname: flying\ngravity: [0, 0, 0]\nbodies:\n"                                      \
  "  a: {mass: 3, cg: [0, 0, 1], inertia: [1, 2, 2.5]}\n"                                       \
  "  b: {mass: 5, cg: [1, 0.2, 1.5], inertia: [2, 1, 1.5]}\n"                                   \
  "joints:\n  fa: {type: free, bodies: [ground, a]}\n  fb: {type: free, bodies: [ground, b]}\n" \
  "forces:\n  f: {" kind "bodies: [a, b], at: [[0.1, 0, 1.2], [0.9, 0.4, 1.5]], " law           \
  "}\n"                                                                                         \
  "initial:\n  a: {velocity: [1, 2, 3], angular_velocity: [2, 1, -1]}\n"                        \
  "  b: {velocity: [-1, 0, 0.5], angular_velocity: [0.3, -2, 1]}\n"
  static const char *const text[] = {
      FLYING("type: tsda, ", "stiffness: 300, damping: 4, free_length: 0.9"),
      FLYING("type: plugin, plugin: " PLUGINS "/spring.so, ",
             "parameters: {stiffness: 300, damping: 4, free_length: 0.9}"),
      FLYING("type: bushing, ",
             "stiffness: [300, 200, 100], damping: [3, 2, 1], rotational_stiffness: [40, 50, 60], "
             "rotational_damping: [4, 5, 6]"),
      FLYING("type: plugin, plugin: " PLUGINS "/bushing.so, ",
             "parameters: [300, 200, 100, 3, 2, 1, 40, 50, 60, 4, 5, 6]")};
  for (int i = 0; i < 4; i += 2) {
    jt_run r[2] = {jt_start(jt_parse(text[i]), NULL, NULL),
                   jt_start(jt_parse(text[i + 1]), NULL, NULL)};
    for (int k = 0; k < 2; k++) {
      assert_non_null(jn_system_path(r[k].system).general);
      jt_steps(&r[k], 300);
      const double *row = jt_row(&r[k]);
      const int va = jt_channel(&r[k], "a.vx"), vb = jt_channel(&r[k], "b.vx");
      const double momentum[3] = {3 * 1 - 5 * 1, 3 * 2, 3 * 3 + 5 * 0.5};
      for (int c = 0; c < 3; c++) JT_NEAR(3 * row[va + c] + 5 * row[vb + c], momentum[c], 1e-11);
    }
    const char *where = "nowhere";
    const double e = apart(&r[0], &r[1], &where);
    if (!(e <= 1e-10)) fail_msg("apart by %g in %s", e, where);
    jt_end(&r[0]), jt_end(&r[1]);
  }
}

static void outputs_are_channels_of_the_instant(void **state)
{
  (void)state;
  jt_run a = begin(springs, JN_PATH_AUTO, 1e-3), b = begin(plugins, JN_PATH_AUTO, 1e-3);
  jt_steps(&a, 50), jt_steps(&b, 50);
  const double *x = jt_row(&a), *y = jt_row(&b);
  const double length = x[jt_channel(&a, "force.arm.length")];
  JT_NEAR(y[jt_channel(&b, "force.arm.length")], length, 1e-10);
  JT_NEAR(y[jt_channel(&b, "force.arm.tension")], x[jt_channel(&a, "force.arm.force")], 1e-5);
  JT_NEAR(y[jt_channel(&b, "force.arm.clock")], 0.05,
          2e-12);  // a billionth of a step from its breakpoint
  const double f[3] = {y[jt_channel(&b, "force.arm.fx")], y[jt_channel(&b, "force.arm.fy")],
                       y[jt_channel(&b, "force.arm.fz")]};
  JT_NEAR(sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]),
          fabs(y[jt_channel(&b, "force.arm.tension")]), 1e-9);
  assert_string_equal(jn_channel_at(b.system, jt_channel(&b, "force.arm.rate")).unit, "m/s");
  jt_end(&a), jt_end(&b);
}

// A body that flies on springs alone settles where tsda has it; a plug-in binds bodies.
static void equilibrium_knows_plug_ins(void **state)
{
  (void)state;
#define HANGING(law)                                                                          \
  "jounce: 1\nname: hanging\nbodies: {b: {mass: 3, cg: [0, 0, -1], inertia: [1, 1, 1]}}\n"    \
  "joints: {g: {type: translational, bodies: [ground, b], at: [0, 0, 0], axis: [0, 0, 1]}}\n" \
  "forces: {s: {" law "}}\n"
  static const char *const text[] = {
      HANGING("type: tsda, bodies: [ground, b], at: [[0, 0, 1], [0, 0, -1]], stiffness: 100"),
      HANGING("type: plugin, plugin: " PLUGINS
              "/spring.so, bodies: [ground, b], at: [[0, 0, 1], [0, 0, -1]], parameters: "
              "{stiffness: 100}")};
  for (int i = 0; i < 2; i++) {
    jn_error err = {0};
    jn_equilibrium *e = NULL;
    jt_run r = jt_start(jt_parse(text[i]), NULL, NULL);
    jt_ok(jn_equilibrium_find(r.system, NULL, &e, &err), &err, text[i]);
    assert_true(e->found);
    JT_NEAR(e->row[jt_channel(&r, "joint.g.position")], -3 * 9.81 / 100, 1e-9);
    jn_equilibrium_free(e);
    jt_end(&r);
  }
}

// ---- how far lanes reach ------------------------------------------------------------------------------

static void expect_lists(const jt_run *r, const char *listed, int singles)
{
  char text[200], line[400];
  const jn_path_info p = jn_system_path(r->system);
  if (p.general) fail_msg("general path: %s", p.general);
  assert_int_equal(p.ngroup, 1);
  assert_int_equal(p.nungrouped, singles);
  const jn_path_group g = jn_system_path_group(r->system, 0);
  assert_int_equal(g.lanes, 4);
  // Nothing is precompiled for the sanitizers and for CPUs without four lanes.
  jt_run plain = begin(PEER, JN_PATH_AUTO, 1e-3);
  const int compiled = jn_system_path_group(plain.system, 0).compiled[0];
  jt_end(&plain);
  if (!compiled) return;
  text[0] = 0;
  for (int i = 0; i < JN_LANE_LISTS; i++)
    if (!g.compiled[i]) strcat(strcat(text, text[0] ? " " : ""), g.list[i]);
  assert_string_equal(text, listed);
  jn_system_path_line(r->system, line, sizeof line);
  assert_non_null(strstr(line, listed[0] ? "compiled but for force" : "compiled"));
}

// What a user adds costs its own work, and leaves the rest as it is.
static void there_is_no_cliff(void **state)
{
  (void)state;
#define STOP(corner, x, y)                                                             \
  "  stop_" corner ": {type: tsda, bodies: [chassis, lca_" corner "], at: [[" x ", " y \
  ", 0.8], [" x ", " y ", 0.33]], spring_curve: {points: [[-0.2, -4e4], [-0.1, 0], [0.2, 0]]}}\n"
  jt_run r = begin(PEER, JN_PATH_AUTO, 1e-3);
  expect_lists(&r, "", 1);  // the rack's servo is ungrouped
  jt_end(&r);
  r = begin(PEER "forces:\n" STOP("fl", "1.6", "0.6") STOP("fr", "1.6", "-0.6")
                STOP("rl", "-1.778", "0.6") STOP("rr", "-1.778", "-0.6"),
            JN_PATH_AUTO, 1e-3);
  expect_lists(&r, "force", 1);
  jt_end(&r);
  r = begin(PEER "forces:\n  push: {type: plugin, plugin: " PLUGINS
                 "/spring.so, bodies: [ground, chassis], at: [[9, 0, 1], [0, 0, 1]], parameters: "
                 "{stiffness: 10}}\n",
            JN_PATH_AUTO, 1e-3);
  expect_lists(&r, "", 2);
  assert_string_equal(jn_system_path_ungrouped(r.system, 0), "rack_servo");
  assert_string_equal(jn_system_path_ungrouped(r.system, 1), "push");
  assert_null(jn_system_path_ungrouped(r.system, 2));
  // Rows leave it in lanes: the same bits as without.
  jt_run plain = begin(PEER, JN_PATH_AUTO, 1e-3), watched = begin(PEER, JN_PATH_AUTO, 1e-3);
  for (int i = 0; i < 100; i++) {
    jt_steps(&plain, 1), jt_steps(&watched, 1);
    if (i % 10 == 9) jt_row(&watched);
  }
  const char *where = "nowhere";
  jt_row(&plain);
  assert_true(apart(&plain, &watched, &where) == 0.0);
  jt_end(&plain), jt_end(&watched), jt_end(&r);
}

static void a_plug_in_is_not_loaded_if_not_wanted(void **state)
{
  (void)state;
  const jn_sim_opts opts = {.without_plugins = 1};
  const char *const text = PEER
      "forces:\n  x: {type: plugin, plugin: /nowhere/x.so, bodies: "
      "[ground, chassis], at: [0, 0, 0]}\n";
  jt_run r = jt_start(jt_parse(text), rack_moves, &opts), plain = begin(PEER, JN_PATH_AUTO, 1e-3);
  jt_steps(&r, 20), jt_steps(&plain, 20);
  jt_row(&r), jt_row(&plain);
  const char *where = "nowhere";
  const double e = apart(&plain, &r, &where);
  if (!(e <= 1e-9)) fail_msg("apart by %g in %s", e, where);
  assert_true(jn_row(r.data)[jt_channel(&r, "force.x.fx")] == 0.0);
  jt_end(&r), jt_end(&plain);
}

// What is written is read back as the same, and names the file from wherever it is read.
static void a_written_model_has_its_plug_in(void **state)
{
  (void)state;
  jn_spec *first = jt_parse(
      "jounce: 1\nname: a\nbodies: {b: {mass: 3, cg: [0, 0, -1], inertia: [1, 1, 1]}}\n"
      "forces:\n  p: {type: plugin, plugin: ./a/q.so, bodies: [ground, b], at: "
      "[1, 2, 3], parameters: [1.5, 2]}\n");
  char *text = jt_print(first);
  assert_non_null(strstr(text, "/a/q.so\", bodies: [ground, b]"));
  assert_null(strstr(text, "./a"));
  assert_non_null(strstr(text, "parameters: {1: 1.5, 2: 2}"));
  jn_spec *second = jt_parse(text);
  char *again = jt_print(second);
  assert_string_equal(text, again);
  free(text), free(again);
  jn_spec_free(first), jn_spec_free(second);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_plug_in_spring_moves_as_a_spring),
      cmocka_unit_test(a_plug_in_bushing_moves_as_a_bushing),
      cmocka_unit_test(between_assemblies_it_is_the_same),
      cmocka_unit_test(outputs_are_channels_of_the_instant),
      cmocka_unit_test(equilibrium_knows_plug_ins),
      cmocka_unit_test(there_is_no_cliff),
      cmocka_unit_test(a_plug_in_is_not_loaded_if_not_wanted),
      cmocka_unit_test(a_written_model_has_its_plug_in),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
