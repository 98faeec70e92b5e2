// Vehicles that lanes once had wrong: each against the general path, accelerations and other rates at states on its way, and
// the motion itself. Random vehicles are in test/differential.
#include "run/run_case.h"
#include "run/run_internal.h"
#include "solve/fast/fast.h"

typedef struct pair {
  jt_run lanes, general;
} pair;

static pair start_both(const char *model, const char *scenario, jn_sim_opts o)
{
  pair p;
  p.lanes = jt_start(jt_parse(model), scenario, &o);
  if (!p.lanes.system->lane) fail_msg("%s", p.lanes.system->lane_reason);
  o.path = JN_PATH_GENERAL;
  p.general = jt_start(jt_parse(model), scenario, &o);
  return p;
}

static void end_both(pair *p)
{
  jt_end(&p->lanes);
  jt_end(&p->general);
}

// Steps of rk4 in both, rows on the way. Rates agree to rounding; channels as far as the two close loops alike, which is
// to the error of the integrator.
static void compare(const char *model, const char *scenario, double allowed)
{
  const jn_sim_opts o = {.integrator = JN_INTEGRATOR_RK4, .step = 2.5e-4};
  pair p = start_both(model, scenario, o);
  for (int i = 0; i < 8; i++) {
    const double *a = jt_row(&p.lanes), *b = jt_row(&p.general);
    for (int c = 0; c < jn_channel_count(p.lanes.system); c++) {
      const jn_channel k = jn_channel_at(p.lanes.system, c);
      if (!strncmp(k.name, "solver.", 7)) continue;
      if (!(fabs(a[c] - b[c]) <= allowed * fmax(1.0, fabs(b[c]))))
        fail_msg("%s at %g s: %.17g in lanes, %.17g by the general path", k.name,
                 jn_time(p.lanes.data), a[c], b[c]);
    }
    JT_LE(jn_data_stats(p.lanes.data).path_difference, 1e-10);
    jt_steps(&p.lanes, 50);
    jt_steps(&p.general, 50);
  }
  end_both(&p);
}

static const char rolls[] = "jounce: 1\nscenario: rolls\nend: 1\nspeed: 15\n";
static const char steers[] =
    "jounce: 1\nscenario: steers\nend: 1\nspeed: 15\ninputs: {driver.rack: {type: sine, amplitude: "
    "0.01, frequency: 2}}\n";

// ---- wheels ---------------------------------------------------------------------------------------

static void wheels_on_core_bodies(void **state)
{
  (void)state;
  compare(
      "jounce: 1\ninclude: models/hmmwv.yaml\nforces:\n"
      "  wc: {type: wheel, body: chassis, at: [0.4, 0.1, 0.45], inertia: 1.5, tyre: hmmwv}\n"
      "  wr: {type: wheel, body: rack, at: [1.4, 0.1, 0.46], inertia: 1.5, tyre: hmmwv, "
      "steer_by_force: [[-5e3, 0.01], [5e3, -0.01]]}\n",
      steers, 1e-8);
  compare("jounce: 1\ninclude: models/tractor-semitrailer.yaml\ntopology: {base: wheel_1l}\n",
          rolls, 1e-8);
}

static void drives_that_react_elsewhere(void **state)
{
  (void)state;
  compare(
      "jounce: 1\ninclude: models/hmmwv.yaml\nforces:\n  fl: {reaction: rack}\n  rr: {reaction: "
      "lca_rl}\n",
      "jounce: 1\nscenario: pulls\nend: 1\nspeed: 15\ninputs: {wheel.fl.drive: 300, "
      "wheel.rr.drive: "
      "-200, wheel.rl.drive: 100, wheel.fr.brake: 150}\n",
      1e-8);
}

static void wheel_bodies_that_are_no_rotors(void **state)
{
  (void)state;
  compare(
      "jounce: 1\ninclude: models/peer-vehicle.yaml\nbodies:\n"
      "  wheel_fl: {inertia: [0.6, 1.0, 0.7, 0.05, 0, 0.02]}\n"
      "forces:\n  pull: {type: tsda, bodies: [upright_rr, wheel_rr], at: [[-1.7, -0.7, 0.4], "
      "[-1.6, "
      "-0.8, 0.5]], stiffness: 2000, damping: 10}\n",
      "jounce: 1\nscenario: brakes\nend: 1\nspeed: 15\ninputs: {wheel.fl.brake: 80, "
      "wheel.rr.drive: "
      "50}\n",
      1e-7);
}

static void two_tyres_on_one_wheel_body(void **state)
{
  (void)state;
  compare(
      "jounce: 1\ninclude: models/peer-vehicle.yaml\nforces:\n  rl2: {type: tyre, body: wheel_rl, "
      "at: "
      "[-1.778, 0.61, 0.448], tyre: peer}\n",
      "jounce: 1\nscenario: drives\nend: 1\nspeed: 15\ninputs: {wheel.rl.drive: 60, "
      "wheel.rl2.brake: "
      "20}\n",
      1e-8);
}

// Corners alike, but that a wheel body without a tyre is a body like any other, with one more coordinate, and one with a tyre a rotor.
static void wheel_bodies_without_tyres(void **state)
{
  (void)state;
#define STRUT(c, y)                                                                          \
  "  lca_" c ": {type: revolute, bodies: [chassis, arm_" c "], at: [-2.2, " y                \
  "0.55, 0.39], "                                                                            \
  "axis: [1, 0, 0]}\n"                                                                       \
  "  ball_" c ": {type: spherical, bodies: [arm_" c ", upright_" c "], at: [-2.2, " y        \
  "1, 0.31]}\n"                                                                              \
  "  slide_" c ": {type: translational, bodies: [upright_" c ", strut_" c "], at: [-2.3, " y \
  "0.99, 0.68], axis: [0, 0, 1]}\n"                                                          \
  "  top_" c ": {type: spherical, bodies: [strut_" c ", chassis], at: [-2.3, " y             \
  "0.85, 1.3]}\n"                                                                            \
  "  bearing_" c ": {type: revolute, bodies: [upright_" c ", wheel_" c "], at: [-2.3, " y    \
  "1.1, 0.5], axis: [0, 1, 0]}\n"
#define STRUT_BODIES(c, y)                    \
  "  arm_" c ": {mass: 20, cg: [-2.3, " y     \
  "0.83, 0.35], inertia: [0.7, 0.7, 0.7]}\n"  \
  "  upright_" c ": {mass: 90, cg: [-2.3, " y \
  "1.1, 0.61], inertia: [4, 4, 4]}\n"         \
  "  strut_" c ": {mass: 10, cg: [-2.3, " y   \
  "0.95, 0.87], inertia: [0.5, 0.5, 0.5]}\n"  \
  "  wheel_" c ": {mass: 90, cg: [-2.3, " y "1.2, 0.5], inertia: [20, 20, 20]}\n"
  compare(
      "jounce: 1\nbodies:\n  chassis: {mass: 9000, cg: [0, 0, 1], inertia: [2e4, 2e4, 2e4]}\n"  //
      STRUT_BODIES("l", "") STRUT_BODIES("r", "-") "joints:\n" STRUT("l", "")
          STRUT("r", "-") "tyres:\n  tyre: {type: vertical, radius: 0.535, stiffness: 4e5}\n"
                            "forces:\n  tyre_r: {type: tyre, body: wheel_r, at: [-2.3, -1.2, "
                            "0.5], tyre: tyre}\n",
      NULL, 1e-7);
}

// An angle that goes on with the old velocity is off by h times the change of velocity. Loops that are not closed again by the
// general path leave some 1e-9 in three steps; a projection would turn wheel bodies too.
static void turn_wheel_bodies(const char *model, const char *scenario, char axle)
{
  const jn_sim_opts o = {
      .integrator = JN_INTEGRATOR_SEMI_EULER, .stabilize = JN_STABILIZE_NONE, .step = 1e-3};
  pair p = start_both(model, scenario, o);
  for (int i = 0; i < 3; i++) {
    jt_steps(&p.lanes, 1);
    jt_steps(&p.general, 1);
    jt_row(&p.lanes), jt_row(&p.general);
    for (int k = 0; k < 2; k++) {
      char angle[] = "joint.hub_??.angle";
      angle[10] = axle, angle[11] = "lr"[k];
      JT_NEAR(jt_now(&p.lanes, angle), jt_now(&p.general, angle), 1e-8);
    }
  }
  end_both(&p);
}

// Angles of wheel bodies go on with the new velocities, as all other coordinates do: 1 ms and 200 N m on 1 kg m^2 make 2e-4 rad. So
// does a rear rack whose motion is prescribed, and with it the carriers.
static void semi_euler_turns_wheel_bodies(void **state)
{
  (void)state;
  turn_wheel_bodies("jounce: 1\ninclude: models/peer-vehicle.yaml\n",
                    "jounce: 1\nscenario: brakes\nend: 1\nspeed: 15\ninputs: {wheel.fl.brake: "
                    "200, driver.rack: {type: sine, amplitude: 0.01, frequency: 2}}\n",
                    'f');
  turn_wheel_bodies(
      "jounce: 1\ninclude: models/peer-vehicle.yaml\nbodies:\n"
      "  rear: {mass: 5, cg: [-1.8, 0, 0.433], inertia: [0.2, 0.02, 0.2]}\njoints:\n"
      "  rear_guide: {type: translational, bodies: [chassis, rear], at: [-1.8, 0, 0.433], axis: "
      "[0, 1, 0], motion: {channel: act.rear, filter: 0.005}}\n"
      "  tie_rod_rl: {bodies: [rear, upright_rl]}\n  tie_rod_rr: {bodies: [rear, upright_rr]}\n",
      "jounce: 1\nscenario: steers\nend: 1\nspeed: 15\ninputs: {act.rear: {type: sine, "
      "amplitude: 0.01, frequency: 2}}\n",
      'r');
}

// ---- core -----------------------------------------------------------------------------------------

static void pitman_arms(void **state)
{
  (void)state;
#define PITMAN(servo)                                                                            \
  "jounce: 1\ninclude: models/hmmwv.yaml\njoints:\n  rack_guide: {type: revolute, at: [1.6, 0, " \
  "0.53], axis: [0.05, 0.1, 1]}\nforces:\n  rack_servo: {" servo "}\n"
  compare(PITMAN("stiffness: 2e5, damping: 2e3"), steers, 1e-8);
}

static void springs_to_ground_on_a_slide(void **state)
{
  (void)state;
  compare(
      "jounce: 1\ninclude: models/hmmwv.yaml\njoints:\n"
      "  rig: {type: translational, bodies: [ground, chassis], at: [0.056, 0, 0.693], axis: [0, 0, "
      "1]}\n"
      "forces:\n"
      "  up: {type: tsda, bodies: [ground, chassis], at: [[0.056, 0, 3], [0.056, 0, 0.693]], "
      "stiffness: 2e4}\n"
      "  hold: {type: bushing, bodies: [ground, lca_fl], at: [1.7, 0.6, 0.4], stiffness: [100, "
      "100, "
      "2000], damping: [1, 1, 20]}\n"
      "  third: {type: wheel, body: chassis, at: [0, 0, 0.4], inertia: 1, tyre: hmmwv}\n"
      "initial:\n  rig: {position: 0.1}\n",
      NULL, 1e-7);
}

#define REAR_RACK(axis, bodies, joints)                                                         \
  "bodies:\n  rack_r: {mass: 9, cg: [-1.4657, 0, 0.54], inertia: [1, 1, 1]}\n" bodies           \
  "joints:\n  rack_guide_r: {type: translational, bodies: [chassis, rack_r], at: [-1.4657, 0, " \
  "0.54], axis: " axis                                                                          \
  "}\n  tie_rod_rl: {bodies: [rack_r, wheel_rl]}\n"                                             \
  "  tie_rod_rr: {bodies: [rack_r, wheel_rr]}\n" joints                                         \
  "forces:\n  rack_servo_r: {type: servo, joint: rack_guide_r, stiffness: 5e6, damping: 4e4, "  \
  "channel: driver.rack_r}\n"

static const char both_steer[] =
    "jounce: 1\nscenario: both steer\nend: 1\nspeed: 15\ninputs: {driver.rack: {type: sine, "
    "amplitude: "
    "0.01, frequency: 2}, driver.rack_r: {type: sine, amplitude: 0.006, frequency: 3}}\n";

// Of like axles, each with its own rack; of unlike ones; and a driver who watches a rack.
static void several_shared_joints(void **state)
{
  (void)state;
  compare("jounce: 1\ninclude: models/hmmwv.yaml\n" REAR_RACK("[0, 1, 0.1]", "", ""), both_steer,
          1e-8);
  compare("jounce: 1\ninclude: models/hmmwv.yaml\n" REAR_RACK(
              "[0, 1, 0]", "  mass_rl: {mass: 3, cg: [-1.65, 0.88, 0.7], inertia: [0.01, 0.01, 0.01]}\n",
              "  slide_rl: {type: translational, bodies: [wheel_rl, mass_rl], at: [-1.65, 0.88, 0.7], "
              "axis: [0, 0, 1]}\n") "  spring_of_mass: {type: tsda, bodies: [wheel_rl, mass_rl], at: "
                                    "[[-1.65, 0.88, 0.5], [-1.65, 0.88, 0.7]], stiffness: 2e4, "
                                    "damping: 100}\n",
          both_steer, 1e-8);
}

// A front axle on a rig: one subsystem with four freedoms, of which some first meet in the uprights.
static void one_subsystem_of_several_freedoms(void **state)
{
  (void)state;
  compare(
      "jounce: 1\nbodies:\n"
      "  chassis: {mass: 900, cg: [0, 0, 0.9], inertia: [300, 300, 300]}\n"
      "  rack: {mass: 9, cg: [-0.2, 0, 0.55], inertia: [0.7, 0.7, 0.7]}\n"
      "  lca_l: {mass: 5, cg: [0.07, 0.9, 0.34], inertia: [0.2, 0.2, 0.2]}\n"
      "  lca_r: {mass: 5, cg: [0.07, -0.9, 0.34], inertia: [0.2, 0.2, 0.2]}\n"
      "  upright_l: {mass: 40, cg: [0.06, 1.3, 0.54], inertia: [2.5, 2.4, 2.3, 0.1, 0, 0.1]}\n"
      "  upright_r: {mass: 40, cg: [0.06, -1.3, 0.54], inertia: [2.5, 2.4, 2.3, -0.1, 0, -0.1]}\n"
      "joints:\n"
      "  rig: {type: translational, bodies: [ground, chassis], at: [0, 0, 0.9], axis: [0, 0, 1]}\n"
      "  pitman: {type: revolute, bodies: [chassis, rack], at: [0.2, 0, 0.55], axis: [0.05, 0.07, "
      "1]}\n"
      "  lca_in_l: {type: revolute, bodies: [chassis, lca_l], at: [0.07, 0.7, 0.37], axis: [1, 0, "
      "0]}\n"
      "  lca_in_r: {type: revolute, bodies: [chassis, lca_r], at: [0.07, -0.7, 0.37], axis: [1, 0, "
      "0]}\n"
      "  ball_l: {type: spherical, bodies: [lca_l, upright_l], at: [0.06, 1.2, 0.29]}\n"
      "  ball_r: {type: spherical, bodies: [lca_r, upright_r], at: [0.06, -1.2, 0.29]}\n"
      "  front_l: {type: distance, bodies: [chassis, upright_l], at: [[0.29, 0.8, 0.74], [0.08, "
      "1.19, "
      "0.77]]}\n"
      "  front_r: {type: distance, bodies: [chassis, upright_r], at: [[0.29, -0.8, 0.74], [0.08, "
      "-1.19, "
      "0.77]]}\n"
      "  rear_l: {type: distance, bodies: [chassis, upright_l], at: [[-0.19, 0.77, 0.74], [-0.04, "
      "1.15, "
      "0.79]]}\n"
      "  rear_r: {type: distance, bodies: [chassis, upright_r], at: [[-0.19, -0.77, 0.74], [-0.04, "
      "-1.15, "
      "0.79]]}\n"
      "  tie_l: {type: distance, bodies: [rack, upright_l], at: [[-0.16, 0.79, 0.57], [-0.23, "
      "1.21, "
      "0.54]]}\n"
      "  tie_r: {type: distance, bodies: [rack, upright_r], at: [[-0.16, -0.79, 0.57], [-0.23, "
      "-1.21, "
      "0.54]]}\n"
      "tyres:\n  t: {type: vertical, radius: 0.54, stiffness: 2e5, damping: 400}\n"
      "forces:\n"
      "  steer: {type: servo, joint: pitman, stiffness: 2e4, damping: 300, channel: "
      "driver.pitman}\n"
      "  spring_l: {type: tsda, bodies: [chassis, lca_l], at: [[0.1, 0.9, 1.2], [0.06, 1, 0.35]], "
      "stiffness: 1e5, damping: 5e3, preload: -5e3}\n"
      "  spring_r: {type: tsda, bodies: [chassis, lca_r], at: [[0.1, -0.9, 1.2], [0.06, -1, "
      "0.35]], "
      "stiffness: 1e5, damping: 5e3, preload: -5e3}\n"
      "  wheel_l: {type: wheel, body: upright_l, at: [0.05, 1.37, 0.52], inertia: 4, tyre: t}\n"
      "  wheel_r: {type: wheel, body: upright_r, at: [0.05, -1.37, 0.52], inertia: 4, tyre: t}\n",
      "jounce: 1\nscenario: steers\nend: 1\ninputs: {driver.pitman: {type: sine, amplitude: 0.02, "
      "frequency: 2}}\n",
      1e-8);
}

// Three rods to each upright, of which one comes from the rack: the second by name on one side, the last on the other.
static void rods_in_any_order(void **state)
{
  (void)state;
  compare(
      "jounce: 1\nbodies:\n"
      "  chassis: {mass: 20000, cg: [-0.82, 0, 1.1], inertia: [40000, 40000, 40000]}\n"
      "  rack: {mass: 200, cg: [3, 0, 0.63], inertia: [20, 20, 20]}\n"
      "  arm_l: {mass: 40, cg: [3.3, 1, 0.4], inertia: [1, 1, 1]}\n"
      "  arm_r: {mass: 40, cg: [3.3, -1.1, 0.4], inertia: [2, 2, 2]}\n"
      "  upright_l: {mass: 400, cg: [3.3, 1.4, 0.62], inertia: [20, 20, 20]}\n"
      "  upright_r: {mass: 400, cg: [3.3, -1.4, 0.6], inertia: [30, 30, 30]}\n"
      "joints:\n"
      "  guide: {type: translational, bodies: [chassis, rack], at: [3, 0, 0.63], axis: [0, -1, "
      "0]}\n"
      "  pivot_l: {type: revolute, bodies: [arm_l, chassis], at: [3.3, 0.72, 0.44], axis: [1, 0, "
      "0]}\n"
      "  pivot_r: {type: revolute, bodies: [arm_r, chassis], at: [3.3, -0.7, 0.45], axis: [-1, 0, "
      "0]}\n"
      "  ball_l: {type: spherical, bodies: [arm_l, upright_l], at: [3.3, 1.3, 0.37]}\n"
      "  ball_r: {type: spherical, bodies: [arm_r, upright_r], at: [3.3, -1.3, 0.37]}\n"
      "  rod_l1: {type: distance, bodies: [chassis, upright_l], at: [[3.6, 0.83, 0.84], [3.4, 1.3, "
      "0.86]]}\n"
      "  rod_l2: {type: distance, bodies: [rack, upright_l], at: [[3, 0.81, 0.61], [3, 1.3, "
      "0.61]]}\n"
      "  rod_l3: {type: distance, bodies: [chassis, upright_l], at: [[3, 0.77, 0.82], [3.2, 1.2, "
      "0.87]]}\n"
      "  rod_r1: {type: distance, bodies: [chassis, upright_r], at: [[3.5, -0.79, 0.82], [3.3, "
      "-1.2, "
      "0.88]]}\n"
      "  rod_r2: {type: distance, bodies: [chassis, upright_r], at: [[3, -0.78, 0.84], [3.2, -1.2, "
      "0.87]]}\n"
      "  rod_r3: {type: distance, bodies: [rack, upright_r], at: [[3, -0.83, 0.6], [3, -1.3, "
      "0.61]]}\n"
      "forces:\n"
      "  spring: {type: tsda, bodies: [arm_r, chassis], at: [[3.3, -1.1, 0.43], [3.4, -0.95, "
      "1.4]], "
      "stiffness: 1e6, free_length: 1.0056}\n",
      NULL, 1e-7);
}

static void drivers_watch_a_rack(void **state)
{
  (void)state;
  compare("jounce: 1\ninclude: models/peer-vehicle.yaml\n",
          "jounce: 1\nscenario: cruise\nend: 1\nspeed: 15\ndrivers: {c: {type: speed, body: rack, "
          "wheels: [fl, fr], speed: 15.1, most: 9000}}\ninputs: {driver.rack: {type: sine, "
          "amplitude: 0.01, "
          "frequency: 2}}\n",
          1e-8);
}

// A crank in a housing, both moved by the file and both in lanes beside each other: components watch the crank, which is placed on
// the housing.
static void components_watch_a_body_on_another_in_lanes(void **state)
{
  (void)state;
  compare(
      "jounce: 1\n"
      "bodies:\n"
      "  frame: {mass: 740, cg: [-0.1, 0, 0.8], inertia: [750, 900, 720]}\n"
      "  housing: {mass: 555, cg: [-3, 0, 0.63], inertia: [190, 200, 210]}\n"
      "  crank: {mass: 185, cg: [-3, 0, 0.63], inertia: [16, 18, 24]}\n"
      "  lca_l: {mass: 42, cg: [-2.7, 0.7, 0.42], inertia: [0.9, 1.7, 1.7]}\n"
      "  uca_l: {mass: 25, cg: [-2.7, 0.8, 0.87], inertia: [0.6, 0.8, 0.5]}\n"
      "  upright_l: {mass: 126, cg: [-2.7, 1.2, 0.63], inertia: [10, 8.5, 6.7]}\n"
      "  wheel_l: {mass: 168, cg: [-2.7, 1.3, 0.6], inertia: [32, 48, 32]}\n"
      "  lca_r: {mass: 42, cg: [-2.7, -0.7, 0.42], inertia: [0.9, 1.7, 1.7]}\n"
      "  uca_r: {mass: 25, cg: [-2.7, -0.8, 0.87], inertia: [0.6, 0.8, 0.5]}\n"
      "  upright_r: {mass: 126, cg: [-2.7, -1.2, 0.63], inertia: [10, 8.5, 6.7]}\n"
      "  wheel_r: {mass: 168, cg: [-2.7, -1.3, 0.6], inertia: [32, 48, 32]}\n"
      "joints:\n"
      "  housing_in: {type: revolute, bodies: [frame, housing], at: [-3, 0, 0.63], axis: [0.1, "
      "0.1, 0.7], motion: {channel: act.housing}}\n"
      "  crank_in: {type: revolute, bodies: [housing, crank], at: [-2.5, 0, 0.63], axis: [-0.1, "
      "0.1, 2], motion: {channel: act.crank}}\n"
      "  lca_in_l: {type: revolute, bodies: [frame, lca_l], at: [-2.7, 0.5, 0.44], axis: [1, 0, "
      "0]}\n"
      "  uca_in_l: {type: revolute, bodies: [housing, uca_l], at: [-2.7, 0.7, 0.86], axis: [1, 0, "
      "-0.1]}\n"
      "  lca_out_l: {type: spherical, bodies: [lca_l, upright_l], at: [-2.7, 1.1, 0.37]}\n"
      "  uca_out_l: {type: spherical, bodies: [uca_l, upright_l], at: [-2.7, 1.1, 0.91]}\n"
      "  bearing_l: {type: revolute, bodies: [upright_l, wheel_l], at: [-2.7, 1.2, 0.6], axis: [0, "
      "1, 0]}\n"
      "  lca_in_r: {type: revolute, bodies: [frame, lca_r], at: [-2.7, -0.5, 0.44], axis: [1, 0, "
      "0]}\n"
      "  uca_in_r: {type: revolute, bodies: [housing, uca_r], at: [-2.7, -0.7, 0.86], axis: [1, 0, "
      "-0.1]}\n"
      "  lca_out_r: {type: spherical, bodies: [lca_r, upright_r], at: [-2.7, -1.1, 0.37]}\n"
      "  uca_out_r: {type: spherical, bodies: [uca_r, upright_r], at: [-2.7, -1.1, 0.91]}\n"
      "  tie_r: {type: distance, bodies: [upright_r, crank], at: [[-3, -1.1, 0.57], [-3, -0.6, "
      "0.61]]}\n"
      "  bearing_r: {type: revolute, bodies: [upright_r, wheel_r], at: [-2.7, -1.2, 0.6], axis: "
      "[0, 1, 0]}\n"
      "tyres:\n"
      "  t: {type: vertical, radius: 0.64, stiffness: 2e5, damping: 2100}\n"
      "forces:\n"
      "  tyre_l: {type: tyre, body: wheel_l, at: [-2.7, 1.3, 0.6], tyre: t, reaction: frame}\n"
      "  tyre_r: {type: tyre, body: wheel_r, at: [-2.7, -1.3, 0.6], tyre: t, reaction: frame}\n"
      "components:\n"
      "  turning: {type: filter, time: 0.02, inputs: {in: crank.rate_y}}\n"
      "  moving: {type: filter, time: 0.02, inputs: {in: crank.speed_x}}\n"
      "topology: {cut: [uca_in_l]}\n",
      "jounce: 1\nscenario: turns\nend: 1\nspeed: 10\ninputs: {act.housing: {type: sine, "
      "amplitude: 0.01, frequency: 2}, act.crank: {type: sine, amplitude: 0.01, frequency: 3}}\n",
      1e-8);
}

// ---- roads ----------------------------------------------------------------------------------------

// The slope of a road that moves under the wheels jumps at an instant that is known but for rounding, which differs between the
// paths: what counts is on which side of it an evaluation is meant to be.
static void breakpoints_of_moving_roads(void **state)
{
  (void)state;
  for (int i = 24; i < 30; i++) {
    char scenario[200];
    snprintf(
        scenario, sizeof scenario,
        "jounce: 1\nscenario: shaken\nend: 1\nroad: {type: half-sine, at: %g, length: 1.3, height: "
        "0.02, moving: %g}\n",
        2.0 + 0.0137 * i, 9.1 + 0.7 * i);
    compare("jounce: 1\ninclude: models/hmmwv.yaml\n", scenario, 1e-8);
  }
}

// ---- lanes that are not in use --------------------------------------------------------------------

// They stay copies of the first, whatever acts on it: what they compute counts nowhere, but it has to be finite.
static void free_lanes_are_copies(void **state)
{
  (void)state;
  const jn_sim_opts o = {.integrator = JN_INTEGRATOR_RK2};
  jt_run r = jt_start(
      jt_parse("jounce: 1\ninclude: models/hmmwv.yaml\n"
               "bodies:\n  extra: {mass: 3, cg: [1.7, 0.9, 0.7], inertia: [0.02, 0.02, 0.02]}\n"
               "joints:\n  extra_joint: {type: translational, bodies: [wheel_fl, extra], at: [1.7, "
               "0.9, 0.7], axis: [0, 0, 1]}\n"
               "forces:\n  push: {type: force, body: wheel_rl, force: [0, 0, 5000]}\n"
               "  hang: {type: tsda, bodies: [extra, lca_rr], at: [[1.7, 0.9, 0.7], [-1.6, -0.6, "
               "0.4]], stiffness: 2000, damping: 100}\n"),
      rolls, &o);
  if (!r.system->lane) fail_msg("%s", r.system->lane_reason);
  jt_steps(&r, 300);
  const jn_lane *l = r.system->lane;
  int compared = 0;
  for (int g = 0; g < l->ngroup; g++) {
    const lane_group *k = &l->group[g];
    const int first[] = {k->q, k->v, k->x, k->e}, n[] = {k->nq, k->nv, k->nx, k->ne};
    for (int section = 0; section < 4; section++)
      for (int i = 0; i < n[section]; i++)
        for (int lane = k->lanes; lane < LANES; lane++, compared++) {
          const double *y = r.data->lane->y + first[section] + LANES * i;
          if (memcmp(&y[lane], &y[0], sizeof *y))
            fail_msg("group %d, section %d, field %d: %g in free lane %d, %g in the first", g,
                     section, i, y[lane], lane, y[0]);
        }
  }
  assert_true(compared > 20);
  jt_end(&r);
}

// ---- rockers --------------------------------------------------------------------------------------

// Rockers on all corners of the HMMWV: on the chassis with a massless pushrod, on the lower arm, and on the chassis with a pushrod
// that is a body. Each adds its loop to that of its corner, which stays in lanes.
enum { PUSHROD, ON_ARM, PUSHROD_BODY };

static void add_rocker(char *bodies, char *joints, char *forces, const char *corner, int kind)
{
  const double x = corner[0] == 'f' ? 1.69 : -1.69, side = corner[1] == 'l' ? 1.0 : -1.0;
  const bool arm = kind == ON_ARM;
  sprintf(bodies + strlen(bodies),
          "  rocker_%s: {mass: 2, cg: [%g, %g, %g], inertia: [0.01, 0.012, 0.014]}\n", corner, x,
          0.62 * side, arm ? 0.42 : 0.82);
  sprintf(joints + strlen(joints),
          "  rocker_pivot_%s: {type: revolute, bodies: [%s%s, rocker_%s], at: [%g, %g, %g], axis: "
          "[1, 0.1, 0]}\n",
          corner, arm ? "lca_" : "chassis", arm ? corner : "", corner, x, 0.6 * side,
          arm ? 0.42 : 0.8);
  if (kind == PUSHROD_BODY) {
    sprintf(bodies + strlen(bodies),
            "  rod_%s: {mass: 1, cg: [%g, %g, 0.65], inertia: [0.02, 0.02, 0.001]}\n", corner, x,
            0.72 * side);
    sprintf(
        joints + strlen(joints),
        "  rod_low_%s: {type: universal, bodies: [lca_%s, rod_%s], at: [%g, %g, 0.45], axis: [[1, "
        "0, 0], [0, 1, 0.1]]}\n"
        "  rod_high_%s: {type: spherical, bodies: [rocker_%s, rod_%s], at: [%g, %g, 0.85]}\n",
        corner, corner, corner, x, 0.72 * side, corner, corner, corner, x, 0.72 * side);
  } else {
    sprintf(joints + strlen(joints),
            "  pushrod_%s: {type: distance, bodies: [%s%s, rocker_%s], at: [[%g, %g, %g], [%g, %g, "
            "%g]]}\n",
            corner, arm ? "chassis" : "lca_", arm ? "" : corner, corner, x,
            (arm ? 0.4 : 0.72) * side, arm ? 0.6 : 0.45, x, 0.7 * side, arm ? 0.5 : 0.85);
  }
  sprintf(forces + strlen(forces),
          "  rocker_spring_%s: {type: tsda, bodies: [chassis, rocker_%s], at: [[%g, %g, 0.9], [%g, "
          "%g, %g]], stiffness: 20e3, damping: 500}\n",
          corner, corner, x, 0.3 * side, x, 0.55 * side, arm ? 0.5 : 0.92);
}

static void rockers_stay_in_their_corners(void **state)
{
  (void)state;
  for (int kind = PUSHROD; kind <= PUSHROD_BODY; kind++) {
    char bodies[4000] = "", joints[8000] = "", forces[4000] = "", model[20000];
    static const char *const corner[] = {"fl", "fr", "rl", "rr"};
    for (int i = 0; i < 4; i++) add_rocker(bodies, joints, forces, corner[i], kind);
    snprintf(model, sizeof model,
             "jounce: 1\ninclude: models/hmmwv.yaml\nbodies:\n%sjoints:\n%sforces:\n%s", bodies,
             joints, forces);
    compare(model, steers, 1e-8);
  }
}

// ---- anti-roll bars -------------------------------------------------------------------------------

// A U-bar in two halves on an axle of the HMMWV, with drop links to the lower arms. The halves are hinged on each other, and the
// first on the chassis; the second too, in bearings that leave all or some of the rows redundant; or they have a bushing between
// them. Drop links are rods, or bodies on a universal joint and a ball joint, or on two ball joints.
enum { CHAIN, HINGES, BEARING, SLEEVE, BUSHING, BARS };
enum { ROD, LINK, LINK_ON_BAR, LINK_ON_BALLS, LINKS };

typedef struct parts {
  char bodies[8000], joints[12000], forces[8000];
} parts;

#define ADD(to, ...) snprintf((to) + strlen(to), sizeof(to) - strlen(to), __VA_ARGS__)

static void add_drop_link(parts *p, const char *c, double x, double y, int link)
{
  const char *low = link == LINK_ON_BAR ? "bar" : "lca",
             *high = link == LINK_ON_BAR ? "lca" : "bar";
  const double z_low = link == LINK_ON_BAR ? 0.6 : 0.43, z_high = 1.03 - z_low;
  if (link == ROD) {
    ADD(p->joints,
        "  drop_%s: {type: distance, bodies: [bar_%s, lca_%s], at: [[%g, %g, 0.6], [%g, %g, "
        "0.43]]}\n",
        c, c, c, x, y, x, 1.04 * y);
    return;
  }
  ADD(p->bodies, "  drop_%s: {mass: 0.4, cg: [%g, %g, 0.515], inertia: [0.002, 0.002, 0.0001]}\n",
      c, x, y);
  ADD(p->joints, "  drop_%s_1: {type: %s, bodies: [%s_%s, drop_%s], at: [%g, %g, %g]%s}\n", c,
      link == LINK_ON_BALLS ? "spherical" : "universal", low, c, c, x, y, z_low,
      link == LINK_ON_BALLS ? "" : ", axis: [[1, 0, 0], [0, 1, 0.1]]");
  ADD(p->joints, "  drop_%s_2: {type: spherical, bodies: [%s_%s, drop_%s], at: [%g, %g, %g]}\n", c,
      high, c, c, x, y, z_high);
}

static void add_bar(parts *p, char axle, int bar, int link)
{
  const double s = axle == 'f' ? 1.0 : -1.0, x = 1.35 * s;
  for (int side = 0; side < 2; side++)
    ADD(p->bodies,
        "  bar_%c%c: {mass: 4, cg: [%g, %g, 0.47], inertia: [0.15, 0.05, 0.16, 0.01, 0, 0]}\n",
        axle, side ? 'r' : 'l', 1.45 * s, side ? -0.35 : 0.35);
  ADD(p->joints,
      "  hinge_%cl: {type: revolute, bodies: [chassis, bar_%cl], at: [%g, 0.3, 0.46], axis: [0, 1, "
      "0]}\n",
      axle, axle, x);
  static const char *const type[] = {NULL, "revolute", "spherical", "cylindrical", "revolute"};
  if (type[bar])
    ADD(p->joints, "  hinge_%cr: {type: %s, bodies: [chassis, bar_%cr], at: [%g, -0.3, 0.46]%s}\n",
        axle, type[bar], axle, x, bar == BEARING ? "" : ", axis: [0, 1, 0]");
  if (bar == BUSHING) {
    ADD(p->forces,
        "  twist_%c: {type: bushing, bodies: [bar_%cl, bar_%cr], at: [%g, 0, 0.46], axes: [[0, 1, "
        "0], "
        "[1, 0, 0]], rotational_stiffness: [4000, 0, 0], rotational_damping: [20, 0, 0]}\n",
        axle, axle, axle, x);
  } else {
    ADD(p->joints,
        "  torsion_%c: {type: revolute, bodies: [bar_%cl, bar_%cr], at: [%g, 0, 0.46], axis: [0, "
        "1, "
        "0]}\n",
        axle, axle, axle, x);
    ADD(p->forces, "  twist_%c: {type: rsda, joint: torsion_%c, stiffness: 4000, damping: 20}\n",
        axle, axle);
  }
  add_drop_link(p, axle == 'f' ? "fl" : "rl", 1.65 * s, 0.5, link);
  add_drop_link(p, axle == 'f' ? "fr" : "rr", 1.65 * s, -0.5, link);
}

static const char *with_parts(const parts *p)
{
  static char model[30000];
  snprintf(model, sizeof model,
           "jounce: 1\ninclude: models/hmmwv.yaml\nbodies:\n%sjoints:\n%sforces:\n%s", p->bodies,
           p->joints, p->forces);
  return model;
}

static int groups_of(const char *model)
{
  jt_run r = jt_start(jt_parse(model), NULL, NULL);
  if (!r.system->lane) fail_msg("%s", r.system->lane_reason);
  int n = 0;  // of subsystems
  for (int g = 0; g < r.system->lane->ngroup; g++) n += r.system->lane->group[g].subsystem[0] >= 0;
  jt_end(&r);
  return n;
}

// All four corners stay in one group: the halves belong to none of them.
static void anti_roll_bars_leave_corners_alike(void **state)
{
  (void)state;
  for (int bar = 0; bar < BARS; bar++)
    for (int link = 0; link < LINKS; link++) {
      parts p = {"", "", ""};
      add_bar(&p, 'f', bar, link), add_bar(&p, 'r', bar, link);
      const char *model = with_parts(&p);
      print_message("  bar %d, drop link %d\n", bar, link);
      assert_int_equal(groups_of(model), 1);
      compare(model, steers, 1e-7);
    }
}

// Axles that are not alike: a bar in front alone, bars of two kinds, bars with rockers on all corners, a bar beside a rear rack.
static void axles_that_are_not_alike(void **state)
{
  (void)state;
  static const char *const corner[] = {"fl", "fr", "rl", "rr"};
  for (int i = 0; i < 4; i++) {
    parts p = {"", "", ""};
    add_bar(&p, 'f', i == 2 ? HINGES : CHAIN, i == 1 ? LINK_ON_BALLS : ROD);
    if (i == 1) add_bar(&p, 'r', BUSHING, LINK);
    if (i == 2) add_bar(&p, 'r', SLEEVE, ROD);
    for (int c = 0; c < 4 && i == 2; c++)
      add_rocker(p.bodies, p.joints, p.forces, corner[c], ON_ARM);
    if (i == 3) {
      ADD(p.bodies, "  rack_r: {mass: 9, cg: [-1.4657, 0, 0.54], inertia: [1, 1, 1]}\n");
      ADD(p.joints,
          "  rack_guide_r: {type: translational, bodies: [chassis, rack_r], at: [-1.4657, 0, "
          "0.54], axis: "
          "[0, 1, 0.1]}\n  tie_rod_rl: {bodies: [rack_r, wheel_rl]}\n  tie_rod_rr: {bodies: "
          "[rack_r, "
          "wheel_rr]}\n");
      ADD(p.forces,
          "  rack_servo_r: {type: servo, joint: rack_guide_r, stiffness: 5e6, damping: 4e4, "
          "channel: "
          "driver.rack_r}\n");
    }
    compare(with_parts(&p), i == 3 ? both_steer : steers, 1e-7);
  }
}

// ---- conditioning -----------------------------------------------------------------------------------

// The rack drives the tie rods through their dead point within a step: stages of that step lie beyond what the choice of
// dependent coordinates bears, and the step is taken back.
static void dead_points_within_a_step(void **state)
{
  (void)state;
  const jn_sim_opts o = {.integrator = JN_INTEGRATOR_RK4, .step = 1e-3};
  pair p = start_both(
      "jounce: 1\ninclude: models/hmmwv.yaml\ninitial:\n  chassis: {velocity: [15, 0, 0]}\n"
      "  rack_guide: {speed: -30}\n",
      "jounce: 1\nscenario: toggles\nend: 1\n", o);
  jt_row(&p.lanes), jt_row(&p.general);
  jt_steps(&p.lanes, 50), jt_steps(&p.general, 50);
  jt_row(&p.lanes), jt_row(&p.general);
  assert_true(jn_data_stats(p.lanes.data).events >= 2);  // it left the lanes, and is back
  assert_true(jn_is_fast(p.lanes.data));
  JT_NEAR(jt_now(&p.lanes, "chassis.x"), jt_now(&p.general, "chassis.x"), 1e-4);
  const double lanes = jn_data_stats(p.lanes.data).energy_drift,
               general = jn_data_stats(p.general.data).energy_drift;
  JT_LE(
      fabs(lanes),
      LANE_ILL_CONDITIONED * fabs(general));  // pivots may fall so far in lanes; before: 250 times
  end_both(&p);
}

// Left, the slide moves the tie rod more than the kingpin does, right it hardly moves it: what follows from what is chosen for both.
static void one_order_for_all_lanes(void **state)
{
  (void)state;
  static const char model[] =
      "jounce: 1\nbodies:\n"
      "  chassis: {mass: 6000, cg: [0, 0, 0.85], inertia: [10000, 10000, 10000]}\n"
      "  rack: {mass: 60, cg: [1.8, 0, 0.48], inertia: [3, 3, 3]}\n"
      "  pillar_l: {mass: 30, cg: [2, 0.92, 0.53], inertia: [0.2, 0.2, 0.2]}\n"
      "  knuckle_l: {mass: 200, cg: [2, 0.93, 0.45], inertia: [5, 5, 5]}\n"
      "  pillar_r: {mass: 30, cg: [2, -0.88, 0.54], inertia: [0.1, 0.1, 0.1]}\n"
      "  knuckle_r: {mass: 200, cg: [2, -0.95, 0.44], inertia: [5, 5, 5]}\n"
      "joints:\n"
      "  base: {type: free, bodies: [ground, chassis]}\n"
      "  guide: {type: translational, bodies: [chassis, rack], at: [1.8, 0, 0.48], axis: [0, 1, "
      "0]}\n"
      "  slide_l: {type: translational, bodies: [chassis, pillar_l], at: [2, 0.92, 0.58], axis: "
      "[0.05, -0.2, 0.8]}\n"
      "  kingpin_l: {type: revolute, bodies: [pillar_l, knuckle_l], at: [2, 0.9, 0.44], axis: [0, "
      "0, -1]}\n"
      "  tie_l: {type: distance, bodies: [knuckle_l, rack], at: [[1.8, 0.89, 0.45], [1.8, 0.49, "
      "0.5]]}\n"
      "  slide_r: {type: translational, bodies: [chassis, pillar_r], at: [2, -0.88, 0.58], axis: "
      "[0, 0, 1]}\n"
      "  kingpin_r: {type: revolute, bodies: [pillar_r, knuckle_r], at: [2, -0.87, 0.47], axis: "
      "[0, 0, 1]}\n"
      "  tie_r: {type: distance, bodies: [knuckle_r, rack], at: [[1.8, -0.87, 0.47], [1.8, -0.5, "
      "0.46995]]}\n"
      "forces:\n"
      "  spring_l: {type: tsda, bodies: [chassis, pillar_l], at: [[2, 0.86, 1.1], [2, 0.9, 0.44]], "
      "stiffness: 1.6e5, damping: 1e4, preload: 1e3}\n"
      "  spring_r: {type: tsda, bodies: [chassis, pillar_r], at: [[2, -0.86, 1.1], [2, -0.87, "
      "0.47]], "
      "stiffness: 1.6e5, damping: 1e4, preload: 1e3}\n"
      "  hold: {type: servo, joint: guide, stiffness: 4e5, damping: 6e3, channel: steer}\n"
      "initial:\n  guide: {speed: 0.2}\n";
  assert_int_equal(groups_of(model), 1);
  compare(model, NULL, 1e-6);
}

// A heavy chassis on a base of some grams. The condition of the base's equations is 1e7: rounding is 2e-9 of the accelerations.
static const char light_base[] =
    "jounce: 1\n"
    "name: light base\n"
    "bodies:\n"
    "  chassis: {mass: 2110, cg: [0.05, 0, 0.67], inertia: [3097, 3489, 2786, -220, -219, 167]}\n"
    "  ring: {mass: 0.03, cg: [0.18, 0.08, 0.86], inertia: [0.0003, 0.0004, 0.0003]}\n"
    "  pointer: {mass: 0.007, cg: [0.39, 0.15, 0.7], inertia: [0.00006, 0.00006, 0.00006]}\n"
    "joints:\n"
    "  gimbal: {type: universal, bodies: [chassis, ring], at: [0.15, 0, 0.82], axis: [[0.53, "
    "-1.05, 0.55], [0.48, 0.88, 1.24]]}\n"
    "  pivot: {type: universal, bodies: [ring, pointer], at: [0.32, 0.06, 0.76], axis: [[1.3, "
    "0.83, 1.27], [1.37, -1.43, -0.48]]}\n"
    "tyres:\n"
    "  t: {type: brush, radius: 0.373, stiffness: 208600, load: 5e3, slip_stiffness: 1e5, "
    "cornering_stiffness: 1e5, friction: 1}\n"
    "forces:\n"
    "  fl: {type: wheel, body: chassis, at: [1.541, 0.84, 0.345], inertia: 2.48, tyre: t}\n"
    "  fr: {type: wheel, body: chassis, at: [1.541, -0.84, 0.345], inertia: 2.48, tyre: t}\n"
    "  rl: {type: wheel, body: chassis, at: [-1.413, 0.84, 0.345], inertia: 2.48, tyre: t}\n"
    "  rr: {type: wheel, body: chassis, at: [-1.413, -0.84, 0.345], inertia: 2.48, tyre: t}\n"
    "initial:\n"
    "  gimbal: {speeds: [-0.9, -0.54]}\n"
    "  pivot: {angles: [0.14, 0.039], speeds: [1, -1]}\n";

static void heavy_bodies_on_a_light_base(void **state)
{
  (void)state;
  const jn_sim_opts o = {.integrator = JN_INTEGRATOR_RK4, .step = 2.5e-4};
  pair p = start_both(light_base, rolls, o);
  for (int i = 0; i < 40; i++) {
    jt_row(&p.lanes);
    jt_steps(&p.lanes, 10);
  }
  JT_LE(jn_data_stats(p.lanes.data).path_difference, 1e-7);
  end_both(&p);
}

// Two arms on balls at the front, steered by a rack.
#define BODY(name, at) "  " name ": {mass: 5, cg: [" at "], inertia: [1, 1, 1]}\n"
#define BALL(name, at) \
  "  " name "_ball: {type: spherical, bodies: [chassis, " name "], at: [" at "]}\n"
#define ROD(name, to, at) \
  "  " name "_rod: {type: distance, bodies: [" name ", " to "], at: [" at "]}\n"
#define STEERED(bodies, guide) \
  "jounce: 1\nbodies:\n" BODY("chassis", "0, 0, 0.5") BODY("a", "1, 1, 0.4") \
      BODY("b", "1, -1, 0.4") BODY("rack", "0.8, 0, 0.5") bodies \
  "joints:\n  base: {type: free, bodies: [ground, chassis]}\n" BALL("a", "1, 0.5, 0.5") \
      BALL("b", "1, -0.5, 0.5") ROD("a", "rack", "[0.9, 1, 0.45], [0.8, 0.2, 0.5]") \
          ROD("b", "rack", "[0.9, -1, 0.45], [0.8, -0.2, 0.5]") \
  "  rack_guide: {bodies: [chassis, rack], at: [0.8, 0, 0.5], " guide "}\n"

// Steering by a joint of two coordinates; by a slide on a slide, which rear arms hang on; by a ball.
static void joints_that_are_shared_may_be_of_any_kind(void **state)
{
  (void)state;
  compare(STEERED("", "type: universal, axis: [[0, 0, 1], [1, 0, 0]]"), NULL, 1e-7);
  compare(STEERED("", "type: spherical"), NULL, 1e-7);
  compare(STEERED("", "type: cylindrical, axis: [0, 1, 0.1]"), NULL, 1e-7);
  compare(STEERED(BODY("c", "-1, 1, 0.4") BODY("d", "-1, -1, 0.4") BODY("slide", "0.7, 0, 0.6"),
                  "type: translational, axis: [0, 1, 0]")
          "  slide_guide: {type: translational, bodies: [rack, slide], at: [0.7, 0, 0.6], "
          "axis: [0, 1, 0]}\n"  //
          BALL("c", "-1, 0.5, 0.5") BALL("d", "-1, -0.5, 0.5")
              ROD("c", "slide", "[-0.9, 1, 0.55], [0.7, 0.2, 0.5]")
                  ROD("d", "slide", "[-0.9, -1, 0.55], [0.7, -0.2, 0.5]"),
          NULL, 1e-7);
}

// Bodies held by bushings alone: in a corner, on the chassis with an arm on it, and a body on a ball that slides.
static void bodies_on_bushings(void **state)
{
  (void)state;
#define HMMWV_WITH(bodies, joints, forces) \
  "jounce: 1\ninclude: models/hmmwv.yaml\nbodies:\n" bodies joints forces
#define EXTRA(name, at) \
  "  " name ": {mass: 3, cg: [" at "], inertia: [0.02, 0.03, 0.025, 0.001, 0, 0]}\n"
#define HOLD(name, a, b, at)                                                                       \
  "  " name ": {type: bushing, bodies: [" a ", " b "], at: [" at                                   \
  "], stiffness: [1e5, 2e5, 3e5], damping: [100, 80, 90], rotational_stiffness: [300, 400, 500], " \
  "rotational_damping: [2, 3, 4]}\n"
  compare(HMMWV_WITH(EXTRA("extra", "1.7, 0.6, 0.5"), "",
                     "forces:\n" HOLD("hold", "lca_fl", "extra", "1.7, 0.6, 0.5")),
          steers, 1e-6);
  compare(HMMWV_WITH(EXTRA("frame", "0.1, 0.1, 0.8") EXTRA("arm", "0.2, 0.1, 0.8"),
                     "joints:\n  hinge: {type: revolute, bodies: [frame, arm], at: [0.15, 0.1, "
                     "0.8], axis: [0, 1, "
                     "0.2]}\n",
                     "forces:\n" HOLD("hold", "chassis", "frame", "0.1, 0.1, 0.8")
                         HOLD("tie", "chassis", "arm", "0.3, 0.1, 0.8")),
          steers, 1e-6);
  compare(HMMWV_WITH(EXTRA("extra", "1.7, 0.6, 0.5"),
                     "joints:\n  slider: {type: spherical-translational, bodies: [lca_fl, extra], "
                     "at: [1.7, 0.6, "
                     "0.5], axis: [0, 1, 0]}\n",
                     "forces:\n" HOLD("hold", "lca_fl", "extra", "1.7, 0.6, 0.52")),
          steers, 1e-6);
}

// Prescribed motions in a corner: an active link that turns the rear arm of a toe link, and a slide on an arm.
static void prescribed_motions_in_corners(void **state)
{
  (void)state;
  compare(
      HMMWV_WITH(
          EXTRA("lever_rl", "-1.4657, 0.416, 0.55") EXTRA("mass_fr", "1.7, -0.6, 0.5"),
          "joints:\n  lever_pivot_rl: {type: revolute, bodies: [chassis, lever_rl], at: [-1.4, "
          "0.416052, "
          "0.538674], axis: [0, 0, 1], motion: {channel: toe, filter: 0.02}}\n"
          "  tie_rod_rl: {bodies: [lever_rl, wheel_rl]}\n"
          "  slide_fr: {type: translational, bodies: [lca_fr, mass_fr], at: [1.7, -0.6, 0.5], "
          "axis: [0, 1, 0.2], motion: {channel: shake, filter: 0.02}}\n",
          ""),
      "jounce: 1\nscenario: toes\nend: 1\nspeed: 15\ninputs: {toe: {type: sine, amplitude: 0.05, "
      "frequency: 2}, shake: {type: sine, amplitude: 0.02, frequency: 5}, driver.rack: {type: "
      "sine, "
      "amplitude: 0.005, frequency: 1}}\n",
      1e-6);
}

// What lanes do not take gets the reason in words of joints and bodies: a subsystem, or all of a vehicle that has no other.
static void reasons_name_joints_and_bodies(void **state)
{
  (void)state;
#define EXTRA_ARM(on)                                                               \
  "bodies:\n  extra: {mass: 3, cg: [1.7, 0.6, 0.5], inertia: [0.02, 0.02, 0.02]}\n" \
  "joints:\n  arm: {type: spherical-revolute, bodies: [" on                         \
  ", extra], at: [[1.7, 0.6, 0.5], [1.7, 0.6, 0.6]], axis: [1, 0, 0]}\n"
  static const char why[] =
      "joint arm (spherical-revolute): lanes have no operation for joints of its kind";
  const jn_sim_opts o = {.integrator = JN_INTEGRATOR_RK4};
  jt_run r =
      jt_start(jt_parse("jounce: 1\ninclude: models/hmmwv.yaml\n" EXTRA_ARM("lca_fl")), NULL, &o);
  const jn_path_subsystem k = jn_system_path_subsystem(r.system, 0);
  assert_string_equal(k.name, "lca_fl");
  assert_string_equal(k.why, why);
  jt_end(&r);
  r = jt_start(jt_parse("jounce: 1\n" EXTRA_ARM("ground")), NULL, &o);
  const char *general = jn_system_path(r.system).general;
  assert_non_null(general);
  assert_string_equal(general,
                      "subsystem of extra: joint arm (spherical-revolute): lanes have no "
                      "operation for joints of its kind");
  jt_end(&r);
}

// ---- bodies between the parent body and a shared joint ------------------------------------------------

// A subframe that is welded to the chassis, or moved against it, carries the rack and the lower arms; upper arms are on the chassis. The
// front corners may be ungrouped, or one of them not be steered: then joints stand in for the subframe's twice.
static void racks_on_bodies_without_a_freedom(void **state)
{
  (void)state;
  static const char *const mount[] = {
      "type: fixed, bodies: [chassis, housing], at: [1.2, 0, 0.4]",
      "type: revolute, bodies: [chassis, housing], at: [1.2, 0, 0.4], axis: [0.1, 1, 0.2], motion: "
      "{curve: {points: [[0, 0], [0.1, 0.01], [0.5, -0.01]], method: akima}}"};
  static const char *const odd[] = {"", ", axis: [[1, 0, 0], [1, 0.02, 0]]"};
  for (int m = 0; m < 2; m++)
    for (int k = 0; k < 3; k++) {
      char model[1200];
      snprintf(model, sizeof model,
               "jounce: 1\ninclude: models/hmmwv.yaml\nbodies:\n"
               "  housing: {mass: 60, cg: [1.438648, 0, 0.534229], inertia: [2, 3, 2]}\n"
               "joints:\n  mount: {%s}\n"
               "  rack_guide: {bodies: [housing, rack]}\n"
               "  lca_pivot_fl: {bodies: [housing, lca_fl]%s}\n"
               "  lca_pivot_fr: {bodies: [housing, lca_fr]%s}\n%s"
               "forces:\n  spring_fl: {free_length: 0.2937}\n  spring_fr: {free_length: 0.2937}\n"
               "  spring_rl: {free_length: 0.3323}\n  spring_rr: {free_length: 0.3323}\n",
               mount[m], odd[k == 1], odd[k == 1],
               k == 2 ? "  tie_rod_fr: {bodies: [chassis, wheel_fr]}\n" : "");
      compare(model, steers, 1e-7);
    }
}

// Two sets of loops of one subsystem that end on the rack, joined by a joint that holds nothing: front corners with one odd axis.
static void several_loops_of_a_subsystem_on_a_rack(void **state)
{
  (void)state;
  static const char model[] =
      "jounce: 1\ninclude: models/hmmwv.yaml\njoints:\n"
      "  lca_pivot_fl: {axis: [[1, 0, 0], [1, 0.02, 0.01]]}\n"
      "  lk: {type: free, bodies: [wheel_fl, wheel_fr]}\n"
      "forces:\n  spring_fl: {free_length: 0.3}\n  spring_fr: {free_length: 0.3}\n"
      "  spring_rl: {free_length: 0.3}\n  spring_rr: {free_length: 0.3}\n"
      "initial:\n  rack_guide: {speed: 0.2}\n";
  jn_sim_opts o = {.integrator = JN_INTEGRATOR_RK4, .step = 1e-4};
  jt_run r = jt_start(jt_parse(model), rolls, &o);
  jt_row(&r);
  JT_LE(jn_data_stats(r.data).path_difference, 1e-10);
  jt_steps(&r, 20);
  jt_row(&r);
  JT_LE(jn_data_stats(r.data).path_difference, 1e-10);
  jt_end(&r);
}

// ---- redundant rows -----------------------------------------------------------------------------------

#define DOOR(c) "  door" c ": {mass: 3, cg: [0.87, 0.33, 0.29], inertia: [0.1, 0.1, 0.1]}\n"
#define HINGES(c, at, second, axis)                                                           \
  "  one" c ": {type: revolute, bodies: [chassis, door" c "], at: " at ", axis: " axis        \
  "}\n  two" c ": {type: revolute, bodies: [chassis, door" c "], at: " second ", axis: " axis \
  "}\n"
#define OBLIQUE(c)                                                             \
  HINGES(c, "[0.8773, 0.2248, 0.2938]", "[1.069428, 0.224638208, 0.28764037]", \
         "[2.432, -0.002048, -0.07797]")

static const char door[] =
    "jounce: 1\nbodies:\n  chassis: {mass: 200, cg: [0, 0, 0.4], inertia: [70, 70, 70]}\n" DOOR(
        "1") "joints:\n  rig: {type: fixed, bodies: [ground, chassis]}\n" OBLIQUE("1");

// A second hinge in the axis of the first holds nothing: of its rows only rounding is left, none of which says how the door moves.
static void hinges_in_one_axis(void **state)
{
  (void)state;
  compare(door, NULL, 1e-8);
}

// Rows of doors alike in shape may be redundant in one and hold another.
static void hinges_beside_others_that_hold(void **state)
{
  (void)state;
  compare("jounce: 1\nbodies:\n  chassis: {mass: 200, cg: [0, 0, 0.4], inertia: [70, 70, 70]}\n"  //
          DOOR("1") DOOR("2") DOOR("3")                                                           //
          "joints:\n  rig: {type: fixed, bodies: [ground, chassis]}\n" OBLIQUE("1")
              HINGES("2", "[0.9, 0.2, 0.3]", "[1.1, 0.2, 0.3]", "[1, 0, 0]")
                  HINGES("3", "[0.9, 0.2, 0.3]", "[1.1, 0.2, 0.5]", "[1, 0, 0]"),
          NULL, 1e-8);
}

// Redundant rows of a corner are not those of a joint between core bodies, which holds the rack here.
static void redundant_corners_on_a_rack_that_is_held(void **state)
{
  (void)state;
  compare(
      "jounce: 1\ninclude: models/hmmwv.yaml\njoints:\n"
      "  second_fl: {type: revolute, bodies: [chassis, lca_fl], at: [1.888965, 0.307086, 0.48], "
      "axis: [1, 0, 0]}\n"
      "  hold: {type: cylindrical, bodies: [chassis, rack], at: [1.438648, 0, 0.534229], axis: [0, "
      "1, 0.2]}\n",
      steers, 1e-7);
}

// What lanes compute is compared in all coordinates, the dependent ones too: a joint may have no other.
static void agreement_is_of_every_coordinate(void **state)
{
  (void)state;
  jt_run r = jt_start(jt_parse("jounce: 1\ninclude: models/hmmwv.yaml\n"), rolls, NULL);
  const jn_system *s = r.system;
  jn_data *d = r.data;
  assert_non_null(s->lane);
  jt_row(&r);
  JT_LE(jn_lane_compare(s, d).size, 1e-10);
  int n = 0;
  for (int i = s->nframe; i < s->nbody; i++) {
    double *dv = d->dy + s->nq + s->joint[i].v;
    for (int k = 0; k < s->joint[i].nv && !jn_lane_is_rotor(s, i); k++, n++) {
      const double kept = dv[k];
      dv[k] += 1e4;
      const lane_difference seen = jn_lane_compare(s, d);
      JT_LE(1e-2, seen.size);
      assert_int_equal(seen.body, i);
      dv[k] = kept;
    }
  }
  JT_LE(20, n);
  jt_end(&r);
}

// ---- core bodies in lanes -----------------------------------------------------------------------------

#define LIMB(n, m, at, j) n ": {mass: " m ", cg: " at ", inertia: [" j ", " j ", " j "]}\n"
#define SIDE_BODIES(c, y)                                     \
  LIMB("  lca_" c, "0.6", "[0.88, " y "0.3, 0.14]", "0.003")  \
  LIMB("  uca_" c, "0.3", "[0.87, " y "0.33, 0.29]", "0.001") \
  LIMB("  upright_" c, "4", "[0.89, " y "0.42, 0.2]", "0.02")
#define SIDE(c, y)                                                                       \
  "  lca_in_" c ": {type: revolute, bodies: [chassis, lca_" c "], at: [0.88, " y         \
  "0.18, 0.15], axis: [1, 0, 0]}\n"                                                      \
  "  uca_in_" c ": {type: revolute, bodies: [housing, uca_" c "], at: [0.88, " y         \
  "0.22, 0.29], axis: [1, 0, 0]}\n"                                                      \
  "  lca_out_" c ": {type: spherical, bodies: [lca_" c ", upright_" c "], at: [0.88, " y \
  "0.38, 0.13]}\n"                                                                       \
  "  uca_out_" c ": {type: spherical, bodies: [uca_" c ", upright_" c "], at: [0.87, " y \
  "0.37, 0.29]}\n"                                                                       \
  "  tie_" c ": {type: distance, bodies: [rack, upright_" c "], at: [[0.79, " y          \
  "0.21, 0.21], ["                                                                       \
  "0.78, " y "0.39, 0.21]]}\n"
#define SIDE_WHEEL(c, y)                                            \
  "  wheel_" c ": {type: wheel, body: upright_" c ", at: [0.88, " y \
  "0.45, 0.2], inertia: 0.07, tyre: tyre}\n"

// Arms on a housing are computed in lanes, which takes the housing there, and the rack in it, which is like nothing else.
static void racks_beside_arms_in_lanes(void **state)
{
  (void)state;
  compare(
      "jounce: 1\nbodies:\n  chassis: {mass: 200, cg: [0.061, 0, 0.38], inertia: [70, 70, 70]}\n"  //
      LIMB("  housing", "6", "[0.79, 0, 0.21]", "0.1")
          LIMB("  rack", "2", "[0.79, 0, 0.21]", "0.04") SIDE_BODIES("l", "") SIDE_BODIES("r", "-")
              "joints:\n  housing_in: {type: fixed, bodies: [chassis, housing]}\n"
              "  rack_in: {type: translational, bodies: [housing, rack], at: [0.79, 0, 0.21], axis: "
              "[0, 1, 0]}\n" SIDE("l", "") SIDE("r", "-")
                  "  second: {type: revolute, bodies: [chassis, uca_l], at: [1.08, 0.22, 0.29], "
                  "axis: [1, 0, 0]}\n"
                  "tyres:\n  tyre: {type: vertical, radius: 0.209, stiffness: 5e4}\n"
                  "forces:\n" SIDE_WHEEL("l", "") SIDE_WHEEL("r", "-"),
      rolls, 1e-8);
}

// ---- failures -----------------------------------------------------------------------------------------

// A controller that reads an acceleration, which is held over the step, drives a wheel to pieces: the run ends, and nothing goes round.
static void a_run_that_fails_with_held_signals_ends(void **state)
{
  (void)state;
  jt_run r = jt_start(jt_parse("jounce: 1\ninclude: models/hmmwv.yaml\n"),
                      "jounce: 1\nscenario: fails\nend: 1\ncomponents:\n"
                      "  k: {type: gain, factor: 1e5, inputs: {in: chassis.az}, outputs: {out: "
                      "wheel.rr.drive}}\n",
                      NULL);
  assert_non_null(r.system->lane);
  jn_step_flags flags = JN_STEP_OK;
  for (int i = 0; i < 2000 && flags == JN_STEP_OK; i++) flags = jn_step(r.system, r.data);
  assert_int_not_equal(flags, JN_STEP_OK);
  jt_end(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wheels_on_core_bodies),
      cmocka_unit_test(drives_that_react_elsewhere),
      cmocka_unit_test(wheel_bodies_that_are_no_rotors),
      cmocka_unit_test(two_tyres_on_one_wheel_body),
      cmocka_unit_test(wheel_bodies_without_tyres),
      cmocka_unit_test(semi_euler_turns_wheel_bodies),
      cmocka_unit_test(pitman_arms),
      cmocka_unit_test(springs_to_ground_on_a_slide),
      cmocka_unit_test(several_shared_joints),
      cmocka_unit_test(one_subsystem_of_several_freedoms),
      cmocka_unit_test(rods_in_any_order),
      cmocka_unit_test(drivers_watch_a_rack),
      cmocka_unit_test(components_watch_a_body_on_another_in_lanes),
      cmocka_unit_test(breakpoints_of_moving_roads),
      cmocka_unit_test(free_lanes_are_copies),
      cmocka_unit_test(rockers_stay_in_their_corners),
      cmocka_unit_test(anti_roll_bars_leave_corners_alike),
      cmocka_unit_test(axles_that_are_not_alike),
      cmocka_unit_test(dead_points_within_a_step),
      cmocka_unit_test(one_order_for_all_lanes),
      cmocka_unit_test(heavy_bodies_on_a_light_base),
      cmocka_unit_test(joints_that_are_shared_may_be_of_any_kind),
      cmocka_unit_test(bodies_on_bushings),
      cmocka_unit_test(prescribed_motions_in_corners),
      cmocka_unit_test(racks_on_bodies_without_a_freedom),
      cmocka_unit_test(several_loops_of_a_subsystem_on_a_rack),
      cmocka_unit_test(hinges_in_one_axis),
      cmocka_unit_test(hinges_beside_others_that_hold),
      cmocka_unit_test(redundant_corners_on_a_rack_that_is_held),
      cmocka_unit_test(agreement_is_of_every_coordinate),
      cmocka_unit_test(racks_beside_arms_in_lanes),
      cmocka_unit_test(a_run_that_fails_with_held_signals_ends),
      cmocka_unit_test(reasons_name_joints_and_bodies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
