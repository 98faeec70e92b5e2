// Prescribed motions at the breakpoints of their inputs: where their velocity jumps, all others jump as under a blow; a position
// that jumps is refused.
#include "jounce/reference.h"
#include "run/run_case.h"
#include "run/run_internal.h"

// A carriage of 8 kg with a weight of 2 kg on a driven slide, free in space. The slide starts at 0.5 m/s, turns round and
// stops: momentum stays nil, so the carriage goes at -0.2 times the velocity of the slide.
#define CARRIAGE(bodies, motion)                                        \
  "jounce: 1\nname: carriage\ngravity: [0, 0, 0]\n"                     \
  "bodies:\n  carriage: {mass: 8, cg: [0, 0, 0], inertia: [1, 1, 1]}\n" \
  "  weight: {mass: 2, cg: [0.3, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"    \
  "joints:\n  slide: {type: translational, bodies: [" bodies            \
  "], at: [0, 0, 0], axis: ["                                           \
  "1, 0, 0], motion: " motion "}\n"

static const char ramps[] =
    "jounce: 1\nscenario: ramps\nend: 1\ninputs: {u: {type: table, points: [[0, 0], [0.1003, 0], "
    "[0.2, 0.04985], [0.3, -0.0002], [0.4, -0.0002]]}}\n";

static double wanted_speed(double t)
{
  return t < 0.1003 ? 0.0 : t < 0.2 ? 0.04985 / 0.0997 : t < 0.3 ? -0.5005 : 0.0;
}

static void momentum_of_a_carriage(void **state)
{
  (void)state;
  static const char *const models[] = {CARRIAGE("carriage, weight", "{channel: u}"),
                                       CARRIAGE("weight, carriage", "{channel: u}")};
  for (int m = 0; m < 2; m++)
    for (int f = 0; f < JN_NFORMULATION; f++)
      for (int i = 0; i < JN_INTEGRATOR_REFERENCE; i++) {
        const jn_sim_opts o = {.formulation = (jn_formulation)f, .integrator = (jn_integrator)i};
        jt_run r = jt_start(jt_parse(models[m]), ramps, &o);
        for (int k = 0; k <= 40; k++) {
          jt_row(&r);
          const double v = (m ? -1 : 1) * wanted_speed(jn_time(r.data) + 1e-9);
          JT_NEAR(jt_now(&r, "carriage.vx"), -0.2 * v, 1e-14);
          JT_NEAR(jt_now(&r, "weight.vx"), 0.8 * v, 1e-14);
          jt_steps(&r, 10);
        }
        // ½ 1.6 kg (relative velocity)^2 came in by the blows, and went again
        JT_LE(jn_data_stats(r.data).energy_drift, 1e-14);
        jt_end(&r);
      }
}

// A body on springs of its own, two arms that a driven rack moves by rods: loops, a drive in the tree or cut, lanes or not.
static const char arms[] =
    "jounce: 1\nname: arms\ngravity: [0, 0, 0]\n"
    "bodies:\n"
    "  frame: {mass: 50, cg: [0, 0, 0], inertia: [5, 6, 7, 0.1, 0.2, -0.3]}\n"
    "  rack: {mass: 3, cg: [0.4, 0, 0.1], inertia: [0.1, 0.02, 0.1]}\n"
    "  left: {mass: 5, cg: [0.1, 0.6, 0], inertia: [0.2, 0.1, 0.25]}\n"
    "  right: {mass: 5, cg: [0.1, -0.6, 0], inertia: [0.2, 0.1, 0.25]}\n"
    "joints:\n"
    "  guide: {type: translational, bodies: [frame, rack], at: [0.4, 0, 0.1], axis: [0.1, 1, 0], "
    "motion: "
    "{channel: u}}\n"
    "  ball_l: {type: spherical, bodies: [frame, left], at: [0, 0.4, 0]}\n"
    "  ball_r: {type: spherical, bodies: [frame, right], at: [0, -0.4, 0]}\n"
    "  rod_l: {type: distance, bodies: [rack, left], at: [[0.4, 0.2, 0.1], [0.3, 0.6, 0.05]]}\n"
    "  rod_r: {type: distance, bodies: [rack, right], at: [[0.4, -0.2, 0.1], [0.3, -0.6, 0.05]]}\n";

static v3 momentum_of(jt_run *r)
{
  static const struct {
    const char *name;
    double mass;
  } body[] = {{"frame", 50}, {"rack", 3}, {"left", 5}, {"right", 5}};
  v3 p = {0, 0, 0};
  for (int i = 0; i < 4; i++) {
    double v[3];
    for (int k = 0; k < 3; k++) {
      char name[40];
      snprintf(name, sizeof name, "%s.v%c", body[i].name, "xyz"[k]);
      v[k] = jt_now(r, name);
    }
    p = v3_axpy(body[i].mass, v3_load(v), p);
  }
  return p;
}

static void momentum_with_loops(void **state)
{
  (void)state;
  enum { WAYS = 5 };
  static const jn_sim_opts way[WAYS] = {{.path = JN_PATH_AUTO},
                                        {.path = JN_PATH_GENERAL},
                                        {.formulation = JN_FORMULATION_RECURSIVE},
                                        {.formulation = JN_FORMULATION_INDEPENDENT},
                                        {.path = JN_PATH_GENERAL}};
  double speed[WAYS];
  for (int w = 0; w < WAYS; w++) {
    jn_error err = {0};
    jn_sim_opts o = way[w];
    o.integrator = JN_INTEGRATOR_RK4;
    const char *cut = "guide";
    jt_run r = {.spec = jt_parse(arms), .scenario = jt_scenario(ramps)};
    r.model = jt_compile(r.spec, w == WAYS - 1 ? &(jn_compile_opts){.cut = &cut, .ncut = 1} : NULL);
    jt_ok(jn_system_create(r.model, r.scenario, &o, &r.system, &err), &err, NULL);
    jt_ok(jn_data_create(r.system, &r.data, &err), &err, NULL);
    if (!w) assert_null(jn_system_path(r.system).general);
    for (int k = 0; k <= 16; k++) {
      jt_row(&r);
      const v3 p = momentum_of(&r);
      JT_LE(v3_norm(p), 1e-11);  // of 3 kg at 0.5 m/s
      if (k == 12) speed[w] = jt_now(&r, "left.wz");
      jt_steps(&r, 25);
    }
    JT_LE(jn_data_stats(r.data).energy_drift, 1e-8);  // rk4 at 1 ms, rates of 1/s
    if (!w) JT_LE(jn_data_stats(r.data).path_difference, 1e-11);
    jt_end(&r);
  }
  for (int w = 1; w < WAYS; w++) JT_NEAR(speed[w], speed[0], 1e-9);
}

// Wheels that meet a bend of the road at once, or nearly so, forwards, backwards and standing on it; and a breakpoint one rounding
// before a row: the reference integrator gets past them, in few steps.
static void reference_at_bends(void **state)
{
  (void)state;
  static const char cart[] =
      "jounce: 1\nname: cart\n"
      "bodies:\n  cart: {mass: 800, cg: [0, 0, 0.5], inertia: [200, 600, 700]}\n"
      "tyres:\n  t: {type: brush, radius: 0.3, stiffness: 2e5, damping: 800, slip_stiffness: 4e4, "
      "cornering_stiffness: 3e4, load: 2e3, friction: 0.9}\n"
      "forces:\n"
      "  fl: {type: wheel, body: cart, at: [1, 0.7, 0.29], inertia: 1, tyre: t, steered: true}\n"
      "  fr: {type: wheel, body: cart, at: [1.0000001, -0.7, 0.29], inertia: 1, tyre: t}\n"
      "  rl: {type: wheel, body: cart, at: [-1, 0.7, 0.29], inertia: 1, tyre: t}\n"
      "  rr: {type: wheel, body: cart, at: [-1, -0.7, 0.29], inertia: 1, tyre: t}\n";
  static const char *const roads[] = {
      "speed: 10\nroad: {type: half-sine, at: 1.5, length: 1, height: 0.02}\n",
      "speed: -5\nroad: {type: half-sine, at: -2, length: 0.5, height: 0.02}\n",
      "speed: 0\nroad: {type: half-sine, at: -1, length: 2, height: 0.01}\n",
      "speed: 5\nroad: {type: plateau, at: 1.2, length: 0.4, height: 0.01, edge: 1e-3}\n",
      "speed: 5\ninputs: {wheel.fl.steer: {type: ramp, start: 0.029999999999999995, end: 1, to: "
      "0.1}}\n"};
  for (int i = 0; i < 5; i++) {
    char scenario[300];
    jn_error err = {0};
    jn_reference *reference = NULL;
    snprintf(scenario, sizeof scenario, "jounce: 1\nscenario: s\nend: 1\n%s", roads[i]);
    jt_run r = jt_start(jt_parse(cart), scenario,
                        &(jn_sim_opts){.integrator = JN_INTEGRATOR_REFERENCE, .tolerance = 1e-10});
    jt_ok(jn_reference_create(r.system, r.data, &reference, &err), &err, scenario);
    for (int k = 1; k <= 30; k++)
      jt_ok(jn_reference_advance(reference, 0.01 * k, &err), &err, scenario);
    JT_LE((double)jn_reference_steps(reference), 50000.0);  // treads at rest are stiff
    jt_row(&r);
    JT_LE(fabs(jt_now(&r, "cart.z") - 0.5), 0.1);
    jn_reference_free(reference);
    jt_end(&r);
  }
}

// A filter has the rack move without jumps: loops close where it is, not where it was a step ago.
static void filtered_motion_in_lanes(void **state)
{
  (void)state;
  char text[4096];
  const char *at = strstr(arms, "channel: u");
  snprintf(text, sizeof text, "%.*schannel: u, filter: 0.02%s", (int)(at - arms), arms, at + 10);
  double row[2];
  for (int p = 0; p < 2; p++) {
    const jn_sim_opts o = {.path = p ? JN_PATH_GENERAL : JN_PATH_AUTO};
    jt_run r = jt_start(jt_parse(text),
                        "jounce: 1\nscenario: s\nend: 1\ninputs: {u: {type: step, at: "
                        "0.05, to: 0.03}}\n",
                        &o);
    if (!p) assert_null(jn_system_path(r.system).general);
    for (int k = 0; k < 150; k++) {
      jt_steps(&r, 1);
      jt_row(&r);
      // one Newton step a step: what is left is the square of what a step of ab3 leaves
      JT_LE(jt_now(&r, "solver.position_norm"), 1e-9);
    }
    row[p] = jt_now(&r, "left.wz");
    jt_end(&r);
  }
  JT_NEAR(row[0], row[1], 1e-6);
}

// Whoever steps without looking at a row first gets the same motion: the spin of a wheel body that lanes begin with is that of a
// carrier which a prescribed motion moves.
static void a_row_changes_nothing(void **state)
{
  (void)state;
  static const char cart[] =
      "jounce: 1\nname: cart\n"
      "bodies:\n"
      "  trailer: {mass: 300, cg: [0, 0, 0.5], inertia: [100, 100, 100]}\n"
      "  sub: {mass: 10, cg: [0, 0, 0.3], inertia: [0.7, 0.7, 0.7]}\n"
      "  left: {mass: 4, cg: [0, 0.45, 0.22], inertia: [0.03, 0.03, 0.03]}\n"
      "  right: {mass: 4, cg: [0, -0.45, 0.22], inertia: [0.03, 0.03, 0.03]}\n"
      "  wheel: {mass: 5, cg: [0, -0.5, 0.23], inertia: [0.2, 0.2, 0.2]}\n"
      "joints:\n"
      "  pitch: {type: revolute, bodies: [trailer, sub], at: [0, 0, 0.3], axis: [0, -1, 0], "
      "motion: "
      "{curve: [[0, 0], [1, 0.5]]}}\n"
      "  ball_l: {type: spherical, bodies: [sub, left], at: [0, 0.42, 0.34]}\n"
      "  ball_r: {type: spherical, bodies: [sub, right], at: [0, -0.42, 0.34]}\n"
      "  tie_l: {type: distance, bodies: [sub, left], at: [[-0.1, 0.23, 0.23], [-0.1, 0.42, "
      "0.22]]}\n"
      "  tie_r: {type: distance, bodies: [sub, right], at: [[-0.1, -0.23, 0.23], [-0.1, -0.42, "
      "0.22]]}\n"
      "  bearing: {type: revolute, bodies: [right, wheel], at: [0, -0.5, 0.23], axis: [0, 1, 0]}\n"
      "tyres:\n  t: {type: vertical, radius: 0.24, stiffness: 1e5}\n"
      "forces:\n  w: {type: tyre, body: wheel, at: [0, -0.5, 0.23], tyre: t}\n"
      "topology: {base: trailer}\n";
  double spin[2];
  for (int k = 0; k < 2; k++) {
    jt_run r = jt_start(jt_parse(cart), NULL, &(jn_sim_opts){0});
    if (!r.system->lane) fail_msg("%s", r.system->lane_reason);
    if (k) jt_row(&r);
    jt_steps(&r, 20);
    jt_row(&r);
    spin[k] = jt_now(&r, "wheel.wy");
    jt_end(&r);
  }
  JT_NEAR(spin[0], spin[1], 0.0);
}

static void positions_that_jump_are_refused(void **state)
{
  (void)state;
  static const struct {
    const char *input;
    bool good;
  } inputs[] = {{"{type: step, at: 0.1, to: 0.01}", false},
                {"{type: step, at: 1, to: 0.01}", false},
                {"{type: step, at: 1.1, to: 0.01}", true},  // after the end
                {"{type: ramp, end: 0.1, to: 0.01}", true},
                {"{type: sine, amplitude: 0.01, frequency: 2, start: 0.1}", true},
                {"{type: sine, amplitude: 0.01, frequency: 2, start: 0.1, phase: 1}", false},
                {"{type: sine, amplitude: 0.01, frequency: 2, end: 0.3}", false},
                {"{type: chirp, amplitude: 0.01, frequencies: [1, 2], end: 0.3}", false},
                {"{type: constant, value: 0.01}", true},
                {"{type: table, points: [[0, 0], [1, 0.1]]}", true}};
  for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
    char text[200];
    jn_error err = {0};
    jn_system *s = NULL;
    snprintf(text, sizeof text, "jounce: 1\nscenario: s\nend: 1\ninputs:\n  u: %s\n",
             inputs[i].input);
    jn_spec *spec = jt_parse(arms);
    jn_model *m = jt_compile(spec, NULL);
    jn_scenario *c = jt_scenario(text);
    const jn_status st = jn_system_create(m, c, NULL, &s, &err);
    if (inputs[i].good) {
      jt_ok(st, &err, text);
    } else {
      assert_int_equal(st, JN_E_RANGE);
      assert_int_equal(err.line, 5);
      assert_non_null(strstr(err.text, "guide"));
    }
    jn_system_free(s);
    jn_scenario_free(c);
    jn_model_free(m);
    jn_spec_free(spec);
  }
}

// In `independent` small pivots are a matter of the loops' proportions, not of a singular position beside which nothing is corrected.
static void blows_reach_loops_of_any_proportions(void **state)
{
  (void)state;
  static const char model[] =
      "jounce: 1\nname: loops of many sizes\nbodies:\n"
      "  chassis: {mass: 2150, cg: [0.017, 0, 0.671], inertia: [1957, 2216, 2606]}\n"
      "  rack: {mass: 21.5, cg: [1.284, 0, 0.3692], inertia: [0.9835, 0.9675, 1.01]}\n"
      "  front: {mass: 17.55, cg: [1.457, -0.8727, 0.3419], inertia: [0.3664, 0.5542, 0.3905]}\n"
      "  rocker: {mass: 2.925, cg: [1.437, -0.5137, 0.9084], inertia: [0.0129, 0.0095, 0.0112]}\n"
      "  rear: {mass: 17.55, cg: [-1.493, -0.888, 0.3334], inertia: [0.2583, 0.3303, 0.2869]}\n"
      "  a: {mass: 20.13, cg: [0.1626, 0.01842, 0.7712], inertia: [0.1514, 0.09368, 0.1271]}\n"
      "  b: {mass: 20.13, cg: [0.3081, 0.1721, 0.8902], inertia: [0.1621, 0.1359, 0.1611]}\n"
      "joints:\n"
      "  rack_in: {type: translational, bodies: [chassis, rack], at: [1.284, 0, 0.3692], axis: [0, "
      "1, "
      "0], motion: {channel: act.rack}}\n"
      "  tie_front: {type: distance, bodies: [rack, front], at: [[1.286, -0.5183, 0.3668], [1.265, "
      "-0.8264, 0.3324]]}\n"
      "  rocker_in: {type: revolute, bodies: [chassis, rocker], at: [1.432, -0.515, 0.8092], axis: "
      "[1, 0, 0]}\n"
      "  pushrod: {type: distance, bodies: [front, rocker], at: [[1.449, -0.8265, 0.2473], [1.465, "
      "-0.6697, 0.8157]]}\n"
      "  tie_rear: {type: distance, bodies: [chassis, rear], at: [[-1.65, -0.5319, 0.3645], "
      "[-1.65, "
      "-0.8491, 0.3295]]}\n"
      "  turn_a: {type: translational, bodies: [a, chassis], at: [0.02782, -0.0216, 0.7337], axis: "
      "[0.2337, 0.1588, -0.3688]}\n"
      "  turn_b: {type: universal, bodies: [a, b], at: [0.2974, 0.05843, 0.8086], axis: [[0.5372, "
      "0.1723, 0.5202], [-0.2272, 0.4109, 0.09847]]}\n"
      "  turn_c: {type: spherical-translational, bodies: [b, chassis], at: [0.3188, 0.2858, "
      "0.9718], "
      "axis: [-0.485, -0.946, 0.0269]}\n";
  static const char ramp[] =
      "jounce: 1\nscenario: ramp\nend: 0.05\ninputs: {act.rack: {type: ramp, start: 0.004, end: "
      "0.034, to: 0.00434}}\n";
  static const jn_formulation kind[] = {JN_FORMULATION_SUBSYSTEM, JN_FORMULATION_RECURSIVE,
                                        JN_FORMULATION_INDEPENDENT};
  double y = 0.0;
  for (int i = 0; i < 3; i++) {
    const jn_sim_opts o = {.formulation = kind[i],
                           .integrator = JN_INTEGRATOR_RK4,
                           .step = 1e-3,
                           .path = JN_PATH_GENERAL};
    jt_run r = jt_start(jt_parse(model), ramp, &o);
    jt_steps(&r, 10);
    jt_row(&r);
    JT_LE(jn_data_stats(r.data).velocity_norm, 1e-12);
    JT_LE(jn_data_stats(r.data).position_norm, 1e-9);
    if (i == 0) y = jt_now(&r, "front.y");
    JT_NEAR(jt_now(&r, "front.y"), y, 1e-12);
    jt_end(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(momentum_of_a_carriage),
      cmocka_unit_test(momentum_with_loops),
      cmocka_unit_test(reference_at_bends),
      cmocka_unit_test(filtered_motion_in_lanes),
      cmocka_unit_test(a_row_changes_nothing),
      cmocka_unit_test(positions_that_jump_are_refused),
      cmocka_unit_test(blows_reach_loops_of_any_proportions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
