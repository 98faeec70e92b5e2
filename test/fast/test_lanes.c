// Lanes against the general path: the same accelerations at the same state, the same motion but for the order in which
// loops are closed; and against themselves: one lane or four, list or compiled, the same bits.
#include <glob.h>
#include <math.h>
#include <pthread.h>

#include "run/run_case.h"
#include "run/run_internal.h"
#include "solve/fast/fast.h"

#define HMMWV_ON(tyre, keys)                                                               \
  "jounce: 1\nname: HMMWV on other tyres\ninclude: models/hmmwv.yaml\ntyres:\n  t: {" tyre \
  "}\nforces:\n  fl: {tyre: t" keys "}\n  fr: {tyre: t" keys "}\n  rl: {tyre: t" keys      \
  "}\n  rr: {tyre: t" keys "}\n"
#define MF_OF(file) "type: magic-formula, file: " file

// One of each kind of element that a list has, with all its forms between them: ends on members, on a body hinged on the
// chassis and on the chassis, axes of their own, loads that begin in the run, maps in a line and in a joint.
#define MAP         "method: monotone, values: [[-4e3, -2e3, 300], [-1e3, 0, 2e3], [-500, 900, 5e3]]}}\n"
#define AT(x, y, z) "[" x ", " y ", " z "]"
#define EVERY(c, x, y) \
  "  bush_" c ": {type: bushing, bodies: [chassis, lca_" c "], at: " AT(x, y, "0.4")                \
  ", stiffness: [2e4, 3e4, 1e4], damping: [200, 100, 50], rotational_stiffness: [900, 800, 700], " \
  "rotational_damping: [9, 8, 7]}\n"                                                               \
  "  skew_" c ": {type: bushing, bodies: [lca_" c ", wheel_" c "], at: [" AT(x, y, "0.4") ", "      \
  AT(x, y, "0.42") "], axes: [[1, 0.2, 0.3], [0, 1, 0.5]], stiffness: [1e4, 2e4, 5e3], damping: "   \
  "[20, 10, 50], rotational_stiffness: [90, 80, 70], rotational_damping: [2, 3, 4]}\n"             \
  "  back_" c ": {type: bushing, bodies: [uca_" c ", chassis], at: " AT(x, y, "0.8")                \
  ", stiffness: [3e3, 2e3, 4e3], rotational_damping: [5, 6, 4]}\n"                                 \
  "  push_" c ": {type: force, body: wheel_" c ", force: [100, 50, -80], frame: body}\n"           \
  "  wind_" c ": {type: force, body: uca_" c ", at: " AT(x, y, "0.7") ", force: [-30, 20, 10]}\n"  \
  "  turn_" c ": {type: torque, bodies: [lca_" c ", wheel_" c "], axis: [1, 2, 3], torque: 40, "    \
  "start: 0.5}\n"                                                                                  \
  "  hold_" c ": {type: torque, bodies: [chassis, lca_" c "], axis: [1, 0, 0], torque: -25}\n"     \
  "  map_" c ": {type: tsda, bodies: [chassis, uca_" c "], at: [" AT(x, y, "1.1") ", "              \
  AT(x, y, "0.7") "], map: {deflections: [-0.05, 0.01, 0.06], rates: [-0.4, 0, 1], " MAP            \
  "  bar_" c ": {type: rsda, joint: lca_pivot_" c ", map: {deflections: [-0.1, 0, 0.2], rates: "   \
  "[-2, 0, 1], outside: hold, " MAP

static const struct vehicle {
  const char *model, *scenario;
  const char *text;  // of the model, where it is no file
} vehicles[] = {
    {"models/peer-vehicle.yaml", "scenarios/peer-vehicle.yaml", NULL},
    {"models/hmmwv.yaml", "scenarios/hmmwv-step-steer.yaml", NULL},
    {"models/passenger-car.yaml", "scenarios/passenger-car.yaml", NULL},
    {"models/tractor-semitrailer.yaml", "scenarios/tractor-semitrailer.yaml", NULL},
    {"models/quarter-car.yaml", "scenarios/quarter-car.yaml", NULL},
    {"models/hmmwv-mf.yaml", "scenarios/hmmwv-mf-step-steer.yaml", NULL},
    {"models/passenger-car-mf.yaml", "scenarios/passenger-car-mf-step-steer.yaml", NULL},
    {"fiala, with compliant wheels", "scenarios/hmmwv-step-steer.yaml",
     HMMWV_ON(
         "type: fiala, radius: 0.4699, stiffness: 4e5, damping: 500, slip_stiffness: 9e4, "
         "cornering_stiffness: 7e4, load: 6e3, friction: 0.9, friction_sliding: 0.7, width: 0.3, "
         "rolling_resistance: 0.005",
         ", steer_by_force: [[-1e4, -0.01], [1e4, 0.02]], camber_by_torque: [[-500, 0.02], [0, "
         "0], [500, -0.01]]")},
    {"carpet", "scenarios/hmmwv-step-steer.yaml",
     "jounce: 1\nname: HMMWV on carpets\ninclude: [models/hmmwv.yaml, models/tyres/truck.yaml]\n"
     "tyres:\n  single: {radius: 0.4699}\n"
     "forces:\n  fl: {tyre: single}\n  fr: {tyre: single}\n  rl: {tyre: single}\n  rr: {tyre: "
     "single}\n"},
    {"5.2, steady", "scenarios/hmmwv-step-steer.yaml",
     HMMWV_ON(MF_OF("models/tyres/HMMWV_Pac02Tire.tir, use_mode: 4"), "")},
    {"5.2, nonlinear", "scenarios/hmmwv-step-steer.yaml",
     HMMWV_ON(MF_OF("models/tyres/HMMWV_Pac02Tire.tir, use_mode: 24"), "")},
    {"6.1, formulas of the book", "scenarios/hmmwv-step-steer.yaml",
     HMMWV_ON(
         MF_OF("models/tyres/sample.tir, formulas: book, coefficients: {UNLOADED_RADIUS: 0.4699, "
               "FNOMIN: 6e3}"),
         "")},
    {"ellipse", "scenarios/hmmwv-step-steer.yaml",
     HMMWV_ON(
         MF_OF("test/tir/data/Sedan_Pac02Tire.tir, use_mode: 14, combined: ellipse, coefficients: "
               "{UNLOADED_RADIUS: 0.4699}"),
         "")},
    {"load by curves", "scenarios/hmmwv-step-steer.yaml",
     HMMWV_ON(MF_OF("test/tir/data/335_65R22_5_G275MSA_40psi.tir, use_mode: 14, coefficients: "
                    "{UNLOADED_RADIUS: 0.4699}"),
              "")},
    {"elements of all kinds", "scenarios/hmmwv-step-steer.yaml",
     "jounce: 1\nname: HMMWV with elements of all kinds\ninclude: "
     "models/hmmwv.yaml\nforces:\n" EVERY("fl", "1.7", "0.7") EVERY("fr", "1.7", "-0.7")
         EVERY("rl", "-1.7", "0.7") EVERY("rr", "-1.7", "-0.7")},
};
enum { VEHICLES = sizeof vehicles / sizeof *vehicles };

static jt_run open_vehicle(const struct vehicle *v, const jn_sim_opts *opts)
{
  jn_error err = {0};
  jt_run r = {0};
  if (v->text)
    r.spec = jt_parse(v->text);
  else
    jt_ok(jn_spec_load(v->model, NULL, 0, &r.spec, &err), &err, v->model);
  r.model = jt_compile(r.spec, NULL);
  if (v->scenario) jt_ok(jn_scenario_load(v->scenario, &r.scenario, &err), &err, v->scenario);
  jt_ok(jn_system_create(r.model, r.scenario, opts, &r.system, &err), &err, v->model);
  jt_ok(jn_data_create(r.system, &r.data, &err), &err, v->model);
  return r;
}

static void must_be_in_lanes(const jt_run *r)
{
  if (!r->system->lane) fail_msg("%s: %s", r->spec->name, r->system->lane_reason);
}

// The general path's derivative of its own state, and the lanes' of the same one.
static void compare_derivatives(jt_run *r, double *worst)
{
  const jn_system *s = r->system;
  jn_data *d = r->data;
  // A servo of 5 MN/m on 4 kg feels a position error of 1e-13.
  jn_correct_positions(s, d, jn_time(d), 3, true);
  d->stage = JN_STAGE_SET;
  jt_flag(r, jn_evaluate(s, d));  // projects speeds, fills dy
  const int n = s->nq + s->nv + s->nx;
  double *dy = calloc((size_t)n, sizeof *dy);
  assert_non_null(dy);
  memcpy(dy, d->dy, (size_t)n * sizeof *dy);
  double size = 9.81;
  for (int i = s->nq; i < s->nq + s->nv; i++) size = fmax(size, fabs(dy[i]));
  const double t = jn_time(d);
  jn_lane_enter(s, d);
  jn_inputs_at(s, d, t);
  jn_lane_evaluate(s, d, d->lane->y, d->lane->dy, d->lane->rate);
  const jn_lane *l = s->lane;
  for (int i = 0; i < l->ncore; i++) {
    const jn_tree_joint *j = &s->joint[l->core[i].body];
    for (int k = 0; k < j->nv; k++)
      *worst = fmax(*worst, fabs(d->lane->dy[l->core[i].v + k] - dy[s->nq + j->v + k]) / size);
  }
  int compared = 0;
  for (int g = 0; g < l->ngroup; g++)
    for (int lane = 0; lane < l->group[g].lanes; lane++)
      for (int i = 0; i < l->group[g].nlink; i++) {
        const lane_group *k = &l->group[g];
        const lane_state_map *link = &k->link[lane * k->nlink + i];
        const int first[] = {[LANE_Q] = k->q, [LANE_V] = k->v, [LANE_X] = k->x, [LANE_E] = k->e};
        if (link->section > LANE_E || link->rotor >= 0) continue;
        const double x = d->lane->dy[first[link->section] + LANES * link->field + lane];
        *worst = fmax(*worst, fabs(x - dy[link->general]) / size);
        compared++;
      }
  assert_true(compared > 0 || s->nv == 0);
  free(dy);
}

static void derivatives_are_those_of_the_general_path(void **state)
{
  (void)state;
  for (int v = 0; v < VEHICLES; v++) {
    double worst = 0.0;
    jt_run r = open_vehicle(&vehicles[v], NULL);
    must_be_in_lanes(&r);
    r.data->advances = JN_ADVANCES_GENERAL;  // states on the way of the general path
    for (int i = 0; i < 40; i++) {
      jt_steps(&r, 25);
      compare_derivatives(&r, &worst);
    }
    print_message("  %-40s %.1e\n", vehicles[v].model, worst);
    JT_LE(
        worst,
        1e-11);  // of 9.81: springs and wheels' loads, 1e3 m/s^2 and more, cancel on a straight road
    jt_end(&r);
  }
}

// With speeds that no manoeuvre would give it, and bent treads. False: it does not run in lanes.
static bool agrees_at_any_speeds(const struct vehicle *v, const jn_sim_opts *o)
{
  jt_run r = open_vehicle(v, o);
  const jn_system *s = r.system;
  const bool in_lanes = s->lane;
  double worst = 0.0;
  if (in_lanes) {
    r.data->advances = JN_ADVANCES_GENERAL;
    for (int k = 0; k < s->nv; k++) r.data->y[s->nq + k] = sin(1.3 * k + 0.7);
    for (int k = 0; k < s->nwheel; k++)
      for (int j = 0; j < s->wheel[k].tyre.nslip; j++)
        r.data->x[s->wheel[k].slip + j] = 0.01 * sin(2.1 * k + 1.7 * j + 0.4);
    compare_derivatives(&r, &worst);
    print_message("  %-40s %.1e\n", v->model, worst);
    JT_LE(worst, 1e-12);
  }
  jt_end(&r);
  return in_lanes;
}

static void derivatives_agree_at_any_speeds(void **state)
{
  (void)state;
  glob_t files;
  int checked = 0;
  assert_int_equal(glob("models/*.yaml", 0, NULL, &files), 0);
  for (size_t i = 0; i < files.gl_pathc; i++)
    for (int without = 0; without < 2; without++) {
      const struct vehicle v = {files.gl_pathv[i], NULL, NULL};
      checked += agrees_at_any_speeds(&v, &(jn_sim_opts){.without_tyres = without});
    }
  globfree(&files);
  assert_true(checked > 10);
  for (int i = 0; i < VEHICLES; i++)
    if (vehicles[i].text) assert_true(agrees_at_any_speeds(&vehicles[i], &(jn_sim_opts){0}));
}

// None of them is ungrouped: what is, is the servo of the rack.
static void elements_of_a_corner_are_in_its_list(void **state)
{
  (void)state;
  jt_run r = open_vehicle(&vehicles[VEHICLES - 1], NULL);
  must_be_in_lanes(&r);
  const int n = jn_system_path(r.system).nungrouped;
  for (int i = 0; i < n; i++)
    assert_string_equal(jn_system_path_ungrouped(r.system, i), "rack_servo");
  assert_int_equal(r.system->lane->ngroup, 1);
  jt_end(&r);
}

// A bushing in one corner alone leaves the four in one group.
static void an_element_of_one_corner_splits_no_group(void **state)
{
  (void)state;
  const struct vehicle v = {
      "one bushing", "scenarios/hmmwv-step-steer.yaml",
      "jounce: 1\nname: one bushing\ninclude: models/hmmwv.yaml\nforces:\n  bush: {type: bushing, "
      "bodies: [lca_fl, chassis], at: [1.7, 0.5, 0.4], stiffness: [1e4, 2e4, 3e4]}\n"};
  jt_run r = open_vehicle(&v, NULL);
  must_be_in_lanes(&r);
  assert_int_equal(r.system->lane->ngroup, 1);
  bool found = false;
  for (int i = 0; i < jn_system_path(r.system).nungrouped; i++)
    found |= !strcmp(jn_system_path_ungrouped(r.system, i), "bush");
  assert_true(found);
  jt_end(&r);
  assert_true(agrees_at_any_speeds(&v, &(jn_sim_opts){0}));
}

// ---- every kind of joint ------------------------------------------------------------------------

// A corner with one more body on its arm, and another fixed to that, and a body on the chassis: joints of one kind.
static const char *with_joints(const char *keys, const char *bare)
{
  static char text[3000];
  snprintf(
      text, sizeof text,
      "jounce: 1\ninclude: models/hmmwv.yaml\nbodies:\n"
      "  extra: {mass: 3, cg: [-1.68, 0.62, 0.53], inertia: [0.02, 0.03, 0.025, 0.001, 0.002, "
      "0.003]}\n"
      "  tip: {mass: 1, cg: [-1.6, 0.65, 0.6], inertia: [0.01, 0.012, 0.011]}\n"
      "  box: {mass: 20, cg: [-0.4, 0.1, 0.9], inertia: [0.4, 0.6, 0.5, 0.02, 0.01, 0]}\n"
      "joints:\n"
      "  collar: {%s, bodies: [lca_rl, extra]%s}\n"
      "  tip: {type: fixed, bodies: [extra, tip]}\n"
      "  shelf: {%s, bodies: [chassis, box]%s}\n"
      "forces:\n"
      "  hold: {type: tsda, bodies: [lca_rl, tip], at: [[-1.8, 0.5, 0.45], [-1.7, 0.65, 0.55]], "
      "stiffness: 2e4, damping: 100, free_length: auto}\n"
      "  hold_box: {type: tsda, bodies: [chassis, box], at: [[-0.3, 0.2, 0.6], [-0.4, 0.1, "
      "0.85]], stiffness: 2e4, damping: 100, free_length: auto}\n",
      keys, bare ? "" : ", at: [-1.7, 0.6, 0.5]", keys, bare ? "" : ", at: [-0.4, 0, 0.8]");
  return text;
}

static void disturb(jt_random *r, const jn_system *s, jn_data *d)
{
  memcpy(d->y, s->y0, (size_t)(s->nq + s->nv + s->nx) * sizeof *d->y);
  for (int i = s->nframe; i < s->nbody; i++) {
    const jn_tree_joint *j = &s->joint[i];
    for (int k = 0; j->drive < 0 && k < j->nq; k++) d->y[j->q + k] += jt_random_in(r, -0.02, 0.02);
    for (int k = 0; k < j->nv; k++) d->y[s->nq + j->v + k] = jt_random_in(r, -1, 1);
  }
  jn_unit_quaternions(s, d);
  jn_correct_positions(s, d, jn_time(d), 20, true);
}

// Of the formulation `recursive`, at the same state.
static double from_recursive(jt_run *r, jt_run *other)
{
  const jn_system *s = r->system, *o = other->system;
  double size = 9.81, worst = 0.0;
  assert_int_equal(s->nq, o->nq);
  assert_int_equal(s->nx, o->nx);
  memcpy(other->data->y, r->data->y, (size_t)(s->nq + s->nv + s->nx) * sizeof *r->data->y);
  other->data->stage = JN_STAGE_CONSISTENT;
  jt_flag(other, jn_evaluate(o, other->data));
  const double *a = r->data->dy + s->nq, *b = other->data->dy + s->nq;
  for (int i = 0; i < s->nv; i++) size = fmax(size, fabs(b[i]));
  for (int i = 0; i < s->nv; i++) worst = fmax(worst, fabs(a[i] - b[i]) / size);
  return worst;
}

static void joints_of_every_kind_in_a_corner(void **state)
{
  (void)state;
  static const struct {
    const char *keys;
    bool bare;
  } kinds[] = {{"type: revolute, axis: [0.1, 1, 0.2]", false},
               {"type: translational, axis: [0.1, 1, 0.2]", false},
               {"type: cylindrical, axis: [0.1, 1, 0.2]", false},
               {"type: universal, axis: [[1, 0.1, 0.2], [0, 1, 0.1]]", false},
               {"type: spherical", false},
               {"type: planar, axis: [0.1, 0.2, 1]", false},
               {"type: screw, axis: [0.1, 1, 0.2], lead: 0.05", false},
               {"type: no-rotation", true},
               {"type: fixed", true}};
  jt_random random = {77};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    double worst = 0.0;
    const jn_sim_opts o = {.formulation = JN_FORMULATION_RECURSIVE};
    const struct vehicle v = {.model = kinds[i].keys,
                              .text = with_joints(kinds[i].keys, kinds[i].bare ? "" : NULL)};
    jt_run r = open_vehicle(&v, NULL), other = open_vehicle(&v, &o);
    must_be_in_lanes(&r);
    r.data->advances = JN_ADVANCES_GENERAL;
    for (int k = 0; k < 200; k++) {
      disturb(&random, r.system, r.data);
      compare_derivatives(&r, &worst);
      worst = fmax(worst, from_recursive(&r, &other));
    }
    print_message("  %-60s %.1e\n", v.model, worst);
    JT_LE(worst, 1e-11);
    jt_end(&r), jt_end(&other);
  }
}

static void rows_of(const struct vehicle *v, jn_sim_opts o, int steps, int every, double **rows,
                    int *n)
{
  jt_run r = open_vehicle(v, &o);
  const int channels = jn_channel_count(r.system), count = steps / every;
  *n = channels * count;
  *rows = calloc((size_t)*n, sizeof **rows);
  assert_non_null(*rows);
  for (int i = 0; i < count; i++) {
    jt_steps(&r, every);
    memcpy(*rows + (size_t)i * (size_t)channels, jt_row(&r), (size_t)channels * sizeof **rows);
  }
  jt_end(&r);
}

static void width_and_compilation_change_no_bit(void **state)
{
  (void)state;
  static const jn_integrator integrators[] = {JN_INTEGRATOR_AB3, JN_INTEGRATOR_SEMI_EULER,
                                              JN_INTEGRATOR_RK4};
  for (int v = 0; v < VEHICLES; v++)
    for (int k = 0; k < 3; k++) {
      double *rows[3] = {0};
      int n[3];
      static const jn_path paths[] = {JN_PATH_AUTO, JN_PATH_LIST, JN_PATH_NARROW};
      for (int p = 0; p < 3; p++)
        rows_of(&vehicles[v], (jn_sim_opts){.integrator = integrators[k], .path = paths[p]}, 1500,
                100, &rows[p], &n[p]);
      for (int p = 1; p < 3; p++) {
        assert_int_equal(n[0], n[p]);
        for (int i = 0; i < n[0]; i++)
          if (memcmp(&rows[0][i], &rows[p][i], sizeof(double)))
            fail_msg("%s, %s: number %d is %a in one path, %a in another", vehicles[v].model,
                     jn_sim_word_of("integrator", (int)integrators[k]), i, rows[0][i], rows[p][i]);
      }
      for (int p = 0; p < 3; p++) free(rows[p]);
    }
}

static double channel(jt_run *r, const char *name)
{
  return jt_row(r)[jt_channel(r, name)];
}

// Apart by the error of both: as the step is halved, so is the difference, four times over.
static void motions_converge_to_each_other(void **state)
{
  (void)state;
  for (int v = 0; v < 2; v++) {
    double apart[2];
    for (int k = 0; k < 2; k++) {
      double y[2];
      for (int p = 0; p < 2; p++) {
        const jn_sim_opts o = {.integrator = JN_INTEGRATOR_RK4,
                               .step = k ? 0.5e-3 : 1e-3,
                               .path = p ? JN_PATH_GENERAL : JN_PATH_AUTO};
        jt_run r = open_vehicle(&vehicles[v], &o);
        jt_steps(&r, k ? 5000 : 2500);
        y[p] = channel(&r, "chassis.y");
        jt_end(&r);
      }
      apart[k] = fabs(y[0] - y[1]);
    }
    print_message("  %-40s %.1e m, %.1e m with half the step\n", vehicles[v].model, apart[0],
                  apart[1]);
    JT_LE(apart[0], 1e-6);
    JT_LE(apart[1], fmax(apart[0] / 8.0, 1e-11));
  }
}

// Two arms and a rod of lengths such that none of them can turn round: whichever is dependent at first, its pivot goes
// through zero where the other one turns back.
static const char rockers[] =
    "jounce: 1\nname: rockers\ngravity: [0, 0, 0]\n"
    "bodies:\n"
    "  frame: {mass: 50, cg: [0, 0, 0], inertia: [5, 5, 5]}\n"
    "  first: {mass: 1, cg: [0.07, 0.13, 0], inertia: [0.01, 0.01, 0.01]}\n"
    "  second: {mass: 2, cg: [0.5, 0.15, 0], inertia: [0.02, 0.02, 0.02]}\n"
    "joints:\n"
    "  turn: {type: revolute, bodies: [frame, first], at: [0, 0, 0], axis: [0.1, 0, 1]}\n"
    "  swing: {type: revolute, bodies: [frame, second], at: [0.5, 0, 0], axis: [0, 0.1, 1]}\n"
    "  rod: {type: distance, bodies: [first, second], at: [[0.15, 0.26, 0], [0.5, 0.25, 0]]}\n"
    "initial: {turn: {speed: 10}}\n";

static void fallen_pivots_leave_the_lanes_and_return(void **state)
{
  (void)state;
  double x[2][2];
  int left = 0, returned = 0;
  for (int p = 0; p < 2; p++) {
    const jn_sim_opts o = {
        .integrator = JN_INTEGRATOR_RK4, .step = 1e-4, .path = p ? JN_PATH_GENERAL : JN_PATH_AUTO};
    jt_run r = jt_start(jt_parse(rockers), NULL, &o);
    if (!p) must_be_in_lanes(&r);
    for (int i = 0; i < 10000; i++) {
      const bool before = jn_is_fast(r.data);
      jt_steps(&r, 1);
      left += before && !jn_is_fast(r.data);
      returned += !before && jn_is_fast(r.data);
    }
    x[p][0] = channel(&r, "joint.turn.angle");
    x[p][1] = channel(&r, "joint.swing.angle");
    if (!p) assert_int_equal(jn_data_stats(r.data).events, left + returned);
    jt_end(&r);
  }
  print_message("  left %d times, returned %d times\n", left, returned);
  assert_true(left >= 2 && returned >= 2);  // at each turning point
  JT_NEAR(x[0][0], x[1][0], 1e-7);
  JT_NEAR(x[0][1], x[1][1], 1e-7);
}

// With long steps pivots fall from good to fallen within one: what returns is the state of then, not that of when it left.
static void what_returns_to_the_lanes_is_the_present_state(void **state)
{
  (void)state;
  const jn_sim_opts o = {.integrator = JN_INTEGRATOR_RK4, .step = 0.02};
  jt_run r = jt_start(jt_parse(rockers), NULL, &o);
  int returned = 0;
  must_be_in_lanes(&r);
  double before[2] = {channel(&r, "joint.turn.angle"), channel(&r, "joint.swing.angle")};
  for (int i = 0; i < 200; i++) {
    const bool was = jn_is_fast(r.data);
    const double rate = fmax(fabs(channel(&r, "joint.turn.speed")), 1.0);
    jt_steps(&r, 1);
    returned += !was && jn_is_fast(r.data);
    const double now[2] = {channel(&r, "joint.turn.angle"), channel(&r, "joint.swing.angle")};
    JT_LE(fabs(now[0] - before[0]), 0.02 * 3.0 * rate + 0.1);
    before[0] = now[0], before[1] = now[1];
  }
  assert_true(returned > 0);
  jt_end(&r);
}

// One system, several runs at once: each thread has data of its own, and nothing else is written to.
typedef struct worker {
  pthread_t thread;
  const jn_system *system;
  double *row;
} worker;

static void *work(void *user)
{
  worker *w = user;
  jn_error err = {0};
  jn_data *d = NULL;
  if (jn_data_create(w->system, &d, &err)) return NULL;
  jn_step_flags flags = JN_STEP_OK;
  for (int i = 0; i < 3000 && !flags; i++) flags = jn_step(w->system, d);
  if (!flags) flags = jn_evaluate(w->system, d);
  const int n = jn_channel_count(w->system);
  w->row = flags ? NULL : calloc((size_t)n, sizeof *w->row);
  if (w->row) memcpy(w->row, jn_row(d), (size_t)n * sizeof *w->row);
  jn_data_free(d);
  return NULL;
}

static void threads_change_no_bit(void **state)
{
  (void)state;
  enum { THREADS = 6 };
  for (int v = 0; v < 2; v++) {
    jt_run r = open_vehicle(&vehicles[v], NULL);
    const size_t size = (size_t)jn_channel_count(r.system) * sizeof(double);
    worker alone = {.system = r.system}, many[THREADS];
    work(&alone);
    assert_non_null(alone.row);
    for (int i = 0; i < THREADS; i++) {
      many[i] = (worker){.system = r.system};
      assert_int_equal(pthread_create(&many[i].thread, NULL, work, &many[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
      pthread_join(many[i].thread, NULL);
      assert_non_null(many[i].row);
      assert_memory_equal(many[i].row, alone.row, size);
      free(many[i].row);
    }
    free(alone.row);
    jt_end(&r);
  }
}

// A core of base and rack by straight code, and by the loops that serve any core.
static void straight_code_changes_no_bit(void **state)
{
  (void)state;
  int straight = 0, racks = 0;
  for (int v = 0; v < VEHICLES; v++) {
    jt_run a = open_vehicle(&vehicles[v], NULL), b = open_vehicle(&vehicles[v], NULL);
    must_be_in_lanes(&a);
    const jn_lane *l = a.system->lane;
    straight += l->straight;
    racks += l->straight && l->ncore > 1;
    b.system->lane->straight = false;
    jt_steps(&a, 500);
    jt_steps(&b, 500);
    const size_t size = (size_t)(l->nq + l->nv + l->nx) * sizeof *a.data->lane->y;
    assert_memory_equal(a.data->lane->y, b.data->lane->y, size);
    jt_end(&a);
    jt_end(&b);
  }
  assert_true(straight >= 10);
  assert_true(racks >= 10);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_are_those_of_the_general_path),
      cmocka_unit_test(derivatives_agree_at_any_speeds),
      cmocka_unit_test(elements_of_a_corner_are_in_its_list),
      cmocka_unit_test(an_element_of_one_corner_splits_no_group),
      cmocka_unit_test(joints_of_every_kind_in_a_corner),
      cmocka_unit_test(width_and_compilation_change_no_bit),
      cmocka_unit_test(straight_code_changes_no_bit),
      cmocka_unit_test(motions_converge_to_each_other),
      cmocka_unit_test(what_returns_to_the_lanes_is_the_present_state),
      cmocka_unit_test(fallen_pivots_leave_the_lanes_and_return),
      cmocka_unit_test(threads_change_no_bit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
