// Wheels, tyres, brakes and roads in a run: a rotor against a body, standing, rolling, locking, lifting.
#include "elements/law.h"
#include "jounce/reference.h"
#include "rig.h"
#include "slow.h"
#include "solve/data.h"

// ---- a rotor and a body -----------------------------------------------------------------------------

// A carrier that tumbles and a wheel on it, over the ground: the wheel as a rotor whose mass and inertia across
// the axis the carrier has, or as a body on a bearing.
static void unicycle(char *text, size_t size, bool rotor, const char *keys)
{
  static const double mass = 60, wheel = 20, at[3] = {0.1, -0.05, 0.5}, hub[3] = {0.05, 0.1, 0.32};
  static const double inertia[3] = {3, 4, 5}, across = 0.8, spin = 1.4;
  const v3 a = v3_load(at), b = v3_load(hub);
  const double all = mass + wheel;
  const v3 cg = v3_scale(1.0 / all, v3_axpy(wheel, b, v3_scale(mass, a)));
  const v3 ra = v3_sub(a, cg), rb = v3_sub(b, cg);
  const s3 own = s3_make(inertia[0], inertia[1], inertia[2], 0, 0, 0);
  const s3 disc = s3_make(across, 0, across, 0, 0, 0);
  const s3 j = s3_add(s3_add(own, s3_inertia(v3_scale(mass, ra), ra)),
                      s3_add(disc, s3_inertia(v3_scale(wheel, rb), rb)));
  const v3 v = v3_add(v3_set(5.5, 0.2, 0), v3_cross(v3_set(0.3, -0.4, 0.9), v3_sub(cg, a)));
  const int n = snprintf(
      text, size,
      "jounce: 1\nname: unicycle\ntyres:\n  t: {type: brush, radius: 0.33, stiffness: 2e5, "
      "damping: 500, slip_stiffness: 4e4, cornering_stiffness: 3e4, load: 2e3, friction: "
      "0.9}\nbodies:\n");
  if (rotor)
    snprintf(text + n, size - (size_t)n,
             "  carrier: {mass: %.17g, cg: [%.17g, %.17g, %.17g], inertia: [%.17g, %.17g, %.17g, "
             "%.17g, %.17g, %.17g]}\n"
             "forces:\n  w: {type: wheel, body: carrier, at: [0.05, 0.1, 0.32], inertia: 1.4, "
             "tyre: t%s}\n"
             "initial:\n  carrier: {angular_velocity: [0.3, -0.4, 0.9], velocity: [%.17g, %.17g, "
             "%.17g]}\n  w: {speed: 18}\n",
             all, cg.x, cg.y, cg.z, j.xx, j.yy, j.zz, j.xy, j.xz, j.yz, keys, v.x, v.y, v.z);
  else
    snprintf(
        text + n, size - (size_t)n,
        "  carrier: {mass: 60, cg: [0.1, -0.05, 0.5], inertia: [3, 4, 5]}\n"
        "  rim: {mass: 20, cg: [0.05, 0.1, 0.32], inertia: [%g, %g, %g]}\n"
        "joints:\n  hub: {type: revolute, bodies: [carrier, rim], at: [0.05, 0.1, 0.32], axis: [0, "
        "1, 0]}\n"
        "forces:\n  w: {type: tyre, body: rim, at: [0.05, 0.1, 0.32], tyre: t%s}\n"
        "initial:\n  carrier: {angular_velocity: [0.3, -0.4, 0.9], velocity: [5.5, 0.2, 0]}\n"
        "  hub: {speed: 18}\n",
        across, spin, across, keys);
}

static const char *const same[] = {"wheel.w.x",   "wheel.w.y",   "wheel.w.z",      "wheel.w.speed",
                                   "wheel.w.fx",  "wheel.w.fy",  "wheel.w.fz",     "carrier.roll",
                                   "carrier.yaw", "tyre.w.slip", "wheel.w.braking"};
enum { SAME = sizeof same / sizeof *same, SIDE_FORCE = 5 };

static void run_unicycle(bool rotor, const char *keys, double step, double out[SAME])
{
  static char text[4096];
  unicycle(text, sizeof text, rotor, keys);
  const jn_sim_opts o = {.integrator = JN_INTEGRATOR_RK4, .step = step};
  jt_run r = jt_start(jt_parse(text),
                      "jounce: 1\nscenario: x\nend: 1\ninputs:\n"
                      "  wheel.w.drive: {type: ramp, start: 0, end: 0.1, to: 200}\n"
                      "  wheel.w.brake: {type: ramp, start: 0.1, end: 0.2, to: 350}\n",
                      &o);
  jt_steps(&r, (int)lround(0.25 / step));
  jt_row(&r);
  for (int i = 0; i < SAME; i++) out[i] = jt_now(&r, same[i]);
  jt_end(&r);
}

// The two are different equations: they agree as far as steps are short. Stiff, and compliant under the tyre's force.
static void a_rotor_moves_as_a_body_on_a_bearing_does(void **state)
{
  (void)state;
  static const char *const keys[] = {
      "",
      ", steer_by_force: [[-2000, 0.03], [2000, -0.03]], camber_by_force: [[-2000, 0.02], [2000, "
      "-0.02]], compliance_lag: 0.02"};
  double stiff = 0.0;
  for (int gives = 0; gives < 2; gives++) {
    double worst[2] = {0, 0};
    for (int half = 0; half < 2; half++) {
      double a[SAME], b[SAME];
      run_unicycle(true, keys[gives], half ? 2.5e-4 : 5e-4, a);
      run_unicycle(false, keys[gives], half ? 2.5e-4 : 5e-4, b);
      for (int i = 0; i < SAME; i++) {
        assert_true(isfinite(a[i]));
        worst[half] = fmax(worst[half], fabs(a[i] - b[i]) / (1.0 + fabs(a[i])));
      }
      if (!gives) stiff = a[SIDE_FORCE];
      if (gives) assert_true(fabs(a[SIDE_FORCE] - stiff) > 0.02 * fabs(stiff));
    }
    print_message("apart by %.2g and %.2g of each\n", worst[0], worst[1]);
    JT_LE(worst[0], 1e-6);
    JT_LE(worst[1], fmax(worst[0] / 8.0, 1e-11));  // order 4, less what rounding takes
  }
}

static const char in_space[] =
    "jounce: 1\nname: rotor\ngravity: [0, 0, 0]\ntyres:\n  t: {type: vertical, radius: 0.1, "
    "stiffness: 1e5}\n"
    "bodies:\n  carrier: {mass: 10, cg: [0, 0, 5], inertia: [2, 2, 2]}\n"
    "  motor: {mass: 4, cg: [0, 0, 6], inertia: [1, 1, 1]}\n"
    "joints:\n  shaft: {type: revolute, bodies: [carrier, motor], at: [0, 0, 6], axis: [0, 1, 0]}\n"
    "initial:\n  carrier: {angular_velocity: [0, 0, 3]}\n  motor: {angular_velocity: [0, 0, 3]}\n"
    "  w: {speed: 40}\nforces:\n";

// Moment I Omega (a x w) on the carrier, and none where it is switched off.
static void a_spinning_wheel_is_a_gyroscope(void **state)
{
  (void)state;
  static const char *const wheel[] = {
      "  w: {type: wheel, body: carrier, at: [0, 0, 5], inertia: 0.5, tyre: t}\n",
      "  w: {type: wheel, body: carrier, at: [0, 0, 5], inertia: 0.5, tyre: t, gyroscopic: "
      "false}\n"};
  for (int i = 0; i < 2; i++) {
    char text[1024];
    snprintf(text, sizeof text, "%s%s", in_space, wheel[i]);
    jt_run r = jt_start(jt_parse(text), NULL, &(jn_sim_opts){0});
    jt_row(&r);
    // x of carrier and motor together: 2 + 1 + both masses from their common centre, (10 4 / 14) 1 m
    const double together = 3.0 + 40.0 / 14.0;
    JT_NEAR(jt_now(&r, "carrier.dwx"), i ? 0.0 : 0.5 * 40.0 * 3.0 / together, 1e-12);
    jt_end(&r);
  }
}

static void a_drive_reacts_on_the_carrier_or_where_the_model_wants(void **state)
{
  (void)state;
  static const char *const reaction[] = {"", ", reaction: motor"};
  for (int i = 0; i < 2; i++) {
    char text[1200];
    snprintf(
        text, sizeof text,
        "%s  w: {type: wheel, body: carrier, at: [0, 0, 5], inertia: 0.5, tyre: t, gyroscopic: "
        "false%s}\n",
        in_space, reaction[i]);
    jt_run r =
        jt_start(jt_parse(text), "jounce: 1\nscenario: x\nend: 1\ninputs: {wheel.w.drive: 30}\n",
                 &(jn_sim_opts){.step = 1e-3, .integrator = JN_INTEGRATOR_RK4});
    jt_row(&r);
    // The motor turns freely on its shaft through its own centre: a torque on it moves nothing else.
    JT_NEAR(jt_now(&r, "motor.dwy"), i ? -30.0 : 0.0, 1e-9);
    const double carrier = jt_now(&r, "carrier.dwy");
    JT_NEAR(carrier, i ? 0.0 : -30.0 / (2.0 + 40.0 / 14.0), 1e-9);
    const double before = r.data->x[r.system->wheel[0].spin];
    jt_steps(&r, 1);
    jt_row(&r);
    JT_NEAR(r.data->x[r.system->wheel[0].spin], before + 1e-3 * 30.0 / 0.5, 1e-9);
    jt_end(&r);
  }
}

// ---- a rig ------------------------------------------------------------------------------------------

#define BRUSH                                                                                     \
  "tyres:\n  t: {type: brush, radius: 0.33, stiffness: 2e5, damping: 2000, slip_stiffness: 6e4, " \
  "cornering_stiffness: 5e4, load: 4e3, friction: 0.9}\n"
#define LINEAR                                                                                     \
  "tyres:\n  t: {type: linear, radius: 0.33, stiffness: 2e5, damping: 2000, slip_stiffness: 6e4, " \
  "cornering_stiffness: 5e4, load: 4e3, friction: 0.9}\n"
#define MF                                                                                       \
  "tyres:\n  t: {type: mf-simple, radius: 0.33, stiffness: 2e5, damping: 2000, rolling_radius: " \
  "0.32, "                                                                                       \
  "relaxation_length: 0.25, b: 10, c: 1.65, d: 1, e: 0.5}\n"

// Turned by the channel to the left while it moves ahead, a wheel slips to its right.
static void a_steered_wheel_pulls_to_the_side_it_is_steered_to(void **state)
{
  (void)state;
  char text[2048];
  for (int i = 0; i < 2; i++) {
    jt_rig(text, sizeof text, i ? BRUSH : LINEAR, ", steered: true", "");
    jt_run r = jt_start(jt_parse(text),
                        "jounce: 1\nscenario: x\nend: 2\nspeed: 10\ninputs:\n"
                        "  rig.x: {type: ramp, end: 10, to: 100}\n  wheel.w.steer: 0.02\n",
                        &(jn_sim_opts){.step = 1e-3, .integrator = JN_INTEGRATOR_RK4});
    jt_steps(&r, 1500);
    jt_row(&r);
    JT_NEAR(jt_now(&r, "tyre.w.slip_angle"), -0.02, 1e-6);
    assert_true(jt_now(&r, "wheel.w.fy") > 500.0);
    if (!i) {
      const double g = fmin(1.0, jt_now(&r, "wheel.w.fz") / 4e3);
      JT_NEAR(jt_now(&r, "wheel.w.fy"), 5e4 * g * 0.02, 1e-3);
    }
    jt_end(&r);
  }
}

// Largest change of the three forces from step to step.
static double largest_change(const char *text, const char *scenario, double step, double end,
                             double *seen)
{
  static const char *const force[] = {"wheel.w.fx", "wheel.w.fy", "wheel.w.fz"};
  jt_run r = jt_start(jt_parse(text), scenario,
                      &(jn_sim_opts){.step = step, .integrator = JN_INTEGRATOR_RK4});
  int channel[3];
  for (int i = 0; i < 3; i++) channel[i] = jt_channel(&r, force[i]);
  jn_data_audit(r.data, JN_AUDIT_NONE);
  double most = 0.0, before[3] = {0};
  const int n = (int)lround(end / step);
  for (int k = 0; k < n; k++) {
    jt_steps(&r, 1);
    jt_row(&r);
    for (int i = 0; i < 3; i++) {
      const double f = jn_row(r.data)[channel[i]];
      if (k) most = fmax(most, fabs(f - before[i]));
      *seen = fmax(*seen, fabs(f));
      before[i] = f;
    }
  }
  jt_end(&r);
  return most;
}

// A force that is continuous changes a quarter as much in a quarter of the step; one that jumps, as much.
static void check_continuous(const char *what, const char *text, const char *scenario, double step,
                             double end)
{
  double seen = 0.0;
  const double whole = largest_change(text, scenario, step, end, &seen);
  const double quarter = largest_change(text, scenario, 0.25 * step, end, &seen);
  print_message("%s: changes by %.3g N, %.3g N of %.4g N\n", what, whole, quarter, seen);
  JT_LE(1e3, seen);
  JT_LE(1.0, whole);
  JT_LE(quarter, 0.35 * whole);
  JT_LE(whole, 0.2 * seen);
}

// Ahead, through zero speed, back, through it again; with a brake that holds, one that locks at speed, and
// a driving torque that spins the wheel.
static void forces_do_not_jump_through_zero_speed(void **state)
{
  (void)state;
  static const char *const input[][2] = {
      {"rolls", ""},
      {"locks", "  wheel.w.brake: {type: ramp, start: 0.1, end: 0.3, to: 4000}\n"},
      {"brakes", "  wheel.w.brake: {type: ramp, start: 0.1, end: 0.3, to: 400}\n"},
      {"spins", "  wheel.w.drive: {type: ramp, start: 0.1, end: 0.6, to: 2500}\n"}};
  static const char *const tyre[][2] = {{"brush", BRUSH}, {"linear", LINEAR}, {"mf-simple", MF}};
  char text[2048], scenario[512], what[64];
  for (int t = 0; t < 3; t++)
    for (int i = 0; i < 4; i++) {
      jt_rig(text, sizeof text, tyre[t][1], "", "");
      snprintf(scenario, sizeof scenario,
               "jounce: 1\nscenario: x\nend: 3\ninputs:\n"
               "  rig.x: {type: sine, amplitude: 1.5, frequency: 0.7, phase: 1.2}\n%s",
               input[i][1]);
      snprintf(what, sizeof what, "%s %s", tyre[t][0], input[i][0]);
      check_continuous(what, text, scenario, t == 0 ? 5e-4 : 1e-4, 1.6);
    }
}

// Lifted by its post, spun up in the air, let down.
static void a_brush_tyre_leaves_and_lands_without_a_jump(void **state)
{
  (void)state;
  char text[2048];
  jt_rig(text, sizeof text, BRUSH, "", ", motion: {channel: rig.z}");
  check_continuous("lifted", text,
                   "jounce: 1\nscenario: x\nend: 3\nspeed: 8\ninputs:\n"
                   "  rig.x: {type: ramp, end: 10, to: 80}\n"
                   "  rig.z: {type: sine, amplitude: 0.05, frequency: 2, offset: 0.03}\n"
                   "  wheel.w.drive: {type: step, at: 0.2, to: 100}\n",
                   5e-4, 1.2);
}

// ---- stops and racks --------------------------------------------------------------------------------

// Stops are a curve that is flat over the free travel: below 0.3 m of length the bump stop, above 0.4 m the
// rebound stop, and beyond their last points on with the last slope.
static void stops_act_beyond_their_clearance(void **state)
{
  (void)state;
  static const char text[] =
      "jounce: 1\nname: stops\nbodies:\n  a: {mass: 1, cg: [0, 0, 0.35], inertia: [1, 1, 1]}\n"
      "joints:\n  p: {type: translational, bodies: [ground, a], at: [0, 0, 0], axis: [0, 0, 1], "
      "motion: "
      "{channel: z}}\n"
      "forces:\n  stops: {type: tsda, bodies: [ground, a], at: [[0, 0, 0], [0, 0, 0.35]], "
      "free_length: 0.3,\n"
      "    spring_curve: [[-0.02, -5000], [-0.01, -1000], [0, 0], [0.1, 0], [0.11, 2000]]}\n";
  static const double way[][2] = {{-0.08, -9000}, {-0.06, -1000}, {-0.055, -500}, {-0.05, 0},
                                  {0.0, 0},       {0.05, 0},      {0.055, 1000},  {0.07, 4000}};
  jt_run r = jt_start(jt_parse(text), NULL, &(jn_sim_opts){0});
  const int z = jt_channel(&r, "z");
  for (size_t i = 0; i < sizeof way / sizeof *way; i++) {
    jn_input_set(r.data, z, way[i][0], 0.0);
    jt_row(&r);
    JT_NEAR(jt_now(&r, "force.stops.force"), way[i][1], 1e-8);
  }
  jt_end(&r);
}

// What steers a rack and what that takes: a servo's force, or that of a prescribed motion.
static void a_rack_reports_the_force_it_takes(void **state)
{
  (void)state;
  static const char *const how[] = {
      "joints:\n  guide: {type: translational, bodies: [ground, rack], at: [0, 0, 0], axis: [0, 1, "
      "0], motion: "
      "{channel: driver.rack}}\nforces:\n",
      "joints:\n  guide: {type: translational, bodies: [ground, rack], at: [0, 0, 0], axis: [0, 1, "
      "0]}\n"
      "forces:\n  servo: {type: servo, joint: guide, stiffness: 1e6, damping: 4e3, channel: "
      "driver.rack}\n"};
  for (int i = 0; i < 2; i++) {
    char text[1024];
    snprintf(
        text, sizeof text,
        "jounce: 1\nname: rack\nbodies:\n  rack: {mass: 4, cg: [0, 0, 0], inertia: [1, 1, 1]}\n%s"
        "  tie: {type: tsda, bodies: [ground, rack], at: [[0, 1, 0], [0, 0, 0]], stiffness: 2e4}\n",
        how[i]);
    jt_run r =
        jt_start(jt_parse(text), "jounce: 1\nscenario: x\nend: 1\ninputs: {driver.rack: 0.01}\n",
                 &(jn_sim_opts){.step = 5e-4});
    jt_steps(&r, 2000);
    jt_row(&r);
    // The tie is 10 mm shorter and pushes back with 200 N; a servo yields by 1 / 51 of the travel.
    const double x = i ? 0.01 * 50.0 / 51.0 : 0.01;
    JT_NEAR(jt_now(&r, "joint.guide.position"), x, 1e-9);
    JT_NEAR(i ? -jt_now(&r, "force.servo.force") : jt_now(&r, "joint.guide.drive"), 2e4 * x, 1e-4);
    jt_end(&r);
  }
}

// ---- vehicles ---------------------------------------------------------------------------------------

static void a_vehicle_stands_at_its_design_height(void **state)
{
  (void)state;
  jt_run r = jt_start(jt_load("models/hmmwv.yaml"), NULL, &(jn_sim_opts){.step = 1e-3});
  double mass = 0.0, load = 0.0;
  for (int i = 0; i < r.spec->nbody; i++) mass += r.spec->body[i].keys.mass;
  jt_steps(&r, 4000);
  jt_row(&r);
  for (int i = 0; i < 4; i++) {
    static const char *const wheel[] = {"wheel.fl.fz", "wheel.fr.fz", "wheel.rl.fz", "wheel.rr.fz"};
    load += jt_now(&r, wheel[i]);
  }
  JT_NEAR(load, 9.81 * mass, 1e-3 * 9.81 * mass);
  JT_NEAR(jt_now(&r, "chassis.z"), 0.693,
          1e-3);  // tyres are deflected by up to 1.3 mm less than as drawn
  jt_end(&r);
}

// Springs are balanced as the vehicle is drawn, and not as it is steered when a run begins.
static void a_steered_start_leaves_the_springs_alone(void **state)
{
  (void)state;
  double length[2];
  for (int i = 0; i < 2; i++) {
    jt_run r =
        jt_start(jt_load("models/hmmwv.yaml"),
                 i ? "jounce: 1\nscenario: x\nend: 1\ninputs: {driver.rack: -0.006}\n" : NULL,
                 &(jn_sim_opts){.step = 1e-3});
    const jn_element *last = NULL;  // of the springs
    for (int k = 0; k < r.system->nelement; k++)
      if (r.system->element[k].kind == JN_FORCE_TSDA) last = &r.system->element[k];
    length[i] = last->p[LAW_FREE];
    jt_end(&r);
  }
  JT_NEAR(length[1], length[0], 1e-12);
}

// Ten minutes on a slope of 20 %, all brakes on: less than a millimetre.
static void a_parked_vehicle_stays_where_it_is(void **state)
{
  (void)state;
  jt_run r = jt_start(jt_load("models/hmmwv.yaml"),
                      "jounce: 1\nscenario: x\nend: 600\nroad: {type: flat, grade: 0.2}\ninputs:\n"
                      "  wheel.fl.brake: 3000\n  wheel.fr.brake: 3000\n"
                      "  wheel.rl.brake: 3000\n  wheel.rr.brake: 3000\n",
                      &(jn_sim_opts){.step = 1e-3, .end = 600});
  jn_data_audit(r.data, JN_AUDIT_NONE);
  jt_steps(&r, 10000);  // it settles
  jt_row(&r);
  const v3 first =
      v3_set(jt_now(&r, "chassis.x"), jt_now(&r, "chassis.y"), jt_now(&r, "chassis.z"));
  const double pull = jt_now(&r, "wheel.fl.fx") + jt_now(&r, "wheel.fr.fx") +
                      jt_now(&r, "wheel.rl.fx") + jt_now(&r, "wheel.rr.fx");
  double mass = 0.0;
  for (int i = 0; i < r.spec->nbody; i++) mass += r.spec->body[i].keys.mass;
  JT_NEAR(pull, 9.81 * mass * 0.2 / sqrt(1.04), 1.0);  // what the slope pulls
  jt_steps(&r, SLOW ? 5000 : 590000);
  jt_row(&r);
  const v3 last = v3_set(jt_now(&r, "chassis.x"), jt_now(&r, "chassis.y"), jt_now(&r, "chassis.z"));
  const double moved = v3_norm(v3_sub(last, first));
  print_message("moved by %.3g m in %g s\n", moved, jn_time(r.data) - 10.0);
  JT_LE(moved, 1e-3);
  jt_end(&r);
}

// From 60 km/h with brakes that lock: friction's deceleration, then it stands, and goes nowhere.
static void a_vehicle_with_locked_wheels_slides_to_rest(void **state)
{
  (void)state;
  jt_run r = jt_start(jt_load("models/hmmwv.yaml"),
                      "jounce: 1\nscenario: x\nend: 10\nspeed: 16.666666666666667\ninputs:\n"
                      "  wheel.fl.brake: {type: ramp, start: 0.5, end: 0.6, to: 8000}\n"
                      "  wheel.fr.brake: {type: ramp, start: 0.5, end: 0.6, to: 8000}\n"
                      "  wheel.rl.brake: {type: ramp, start: 0.5, end: 0.6, to: 8000}\n"
                      "  wheel.rr.brake: {type: ramp, start: 0.5, end: 0.6, to: 8000}\n",
                      &(jn_sim_opts){.step = 1e-3});
  jt_steps(&r, 1200);
  jt_row(&r);
  const double v = jt_now(&r, "chassis.vx");
  JT_NEAR(jt_now(&r, "wheel.fl.speed"), 0.0, 0.1);  // locked
  jt_steps(&r, 500);
  jt_row(&r);
  JT_NEAR((v - jt_now(&r, "chassis.vx")) / 0.5, 0.8 * 9.81, 0.02 * 0.8 * 9.81);
  jt_steps(&r, 7300);  // 9 s: it stopped 6 s ago, and has rocked on its tyres
  jt_row(&r);
  const double x = jt_now(&r, "chassis.x");
  JT_NEAR(jt_now(&r, "chassis.vx"), 0.0, 1e-3);
  jt_steps(&r, 1000);
  jt_row(&r);
  JT_NEAR(jt_now(&r, "chassis.x"), x, 1e-4);
  jt_end(&r);
}

// A controller that opens and closes a brake at every step: whatever came before, a brake takes energy and never gives any, and uses no
// more than its limit; the vehicle comes to rest and stays there.
static void a_brake_that_is_switched_at_every_step_never_drives(void **state)
{
  (void)state;
  static const char *const brake[] = {"wheel.fl.brake", "wheel.fr.brake", "wheel.rl.brake",
                                      "wheel.rr.brake"};
  for (int path = 0; path < 2; path++) {
    jt_run r =
        jt_start(jt_load("models/hmmwv.yaml"), "jounce: 1\nscenario: x\nend: 10\nspeed: 16\n",
                 &(jn_sim_opts){.step = 1e-3, .path = path ? JN_PATH_GENERAL : JN_PATH_AUTO});
    int input[4];
    for (int i = 0; i < 4; i++) input[i] = jt_channel(&r, brake[i]);
    for (int k = 0; k < 8000; k++) {
      for (int i = 0; i < 4; i++) jn_input_set(r.data, input[i], k % 2 ? 5000.0 : 0.0, 0.0);
      jt_steps(&r, 1);
      if (k % 101) continue;
      jt_row(&r);
      for (int i = 0; i < r.system->nwheel; i++) {
        const double z = r.data->y[r.system->nq + r.system->nv + r.system->wheel[i].hold];
        JT_LE(fabs(z), 1.0);
      }
    }
    jt_row(&r);
    const double x = jt_now(&r, "chassis.x");
    print_message("after %g s at %.3f m, %.2g m/s\n", jn_time(r.data), x, jt_now(&r, "chassis.vx"));
    JT_LE(fabs(jt_now(&r, "chassis.vx")), 1e-2);
    jt_end(&r);
  }
}

// Sideways with locked wheels every tyre slides throughout, at slips without bound. Its force is against the sliding then, not
// beside it, and does not jump: steps a quarter as long come to the same motion at least four times closer (brakes that
// wind up within a step let no method have a higher order).
static void locked_wheels_that_slide_sideways_push_against_it(void **state)
{
  (void)state;
  static const char *const corner[] = {"fl", "fr", "rl", "rr"};
  double y[3];
  for (int fine = 0; fine < 3; fine++) {
    const int part = 100 << 2 * fine;
    jt_run r = jt_start(
        jt_load("test/models/passenger-car-sideways.yaml"),
        "jounce: 1\nscenario: x\nend: 1\ninputs: {wheel.fl.brake: 1500, wheel.fr.brake: 1500,"
        " wheel.rl.brake: 1500, wheel.rr.brake: 1500}\n",
        &(jn_sim_opts){.step = 0.1 / part});
    jt_steps(&r, part);  // the brakes have wound up
    for (int k = 0; k < 3; k++) {
      jt_steps(&r, part);
      jt_row(&r);
      double fx = 0.0, fy = 0.0;
      for (int i = 0; i < 4; i++) {
        char name[32];
        snprintf(name, sizeof name, "wheel.%s.fx", corner[i]);
        fx += jt_now(&r, name);
        snprintf(name, sizeof name, "wheel.%s.fy", corner[i]);
        fy += jt_now(&r, name);
      }
      JT_LE(fy, 0.0);
      JT_LE(fabs(fx), 0.1 * fabs(fy));
    }
    y[fine] = jt_now(&r, "chassis.y");
    jt_end(&r);
  }
  const double coarse = fabs(y[0] - y[1]), close = fabs(y[1] - y[2]);
  print_message("%.9f m, a step of 1 ms: %.3g m, of 1/4 ms: %.3g m\n", y[2], coarse, close);
  JT_LE(close, 0.3 * coarse);
  JT_LE(coarse, 1e-4);
}

// Spins and treads are states like others: every integrator comes to `reference` at its order. (A brake winds up
// within less than a step.)
static void integrators_keep_their_order_with_wheels(void **state)
{
  (void)state;
  static const char scenario[] =
      "jounce: 1\nscenario: x\nend: 1\nspeed: 15\ninputs:\n"
      "  wheel.1l.steer: {type: sine, amplitude: 0.03, frequency: 0.5}\n"
      "  wheel.1r.steer: {type: sine, amplitude: 0.03, frequency: 0.5}\n"
      "  wheel.2l.drive: {type: ramp, end: 0.5, to: 2000}\n";
  static const char *const channel[] = {"tractor.y", "tractor.roll", "wheel.2l.speed",
                                        "wheel.4l.speed", "tyre.1l.tread_y"};
  enum { CHANNELS = sizeof channel / sizeof *channel };
  static const struct {
    jn_integrator integrator;
    int order;
  } method[] = {{JN_INTEGRATOR_SEMI_EULER, 1},
                {JN_INTEGRATOR_AB2, 2},
                {JN_INTEGRATOR_AB3, 3},
                {JN_INTEGRATOR_RK4, 4}};
  jn_error err = {0};
  double exact[CHANNELS];
  jt_run r = jt_start(jt_load("test/models/tractor-semitrailer-brush.yaml"), scenario,
                      &(jn_sim_opts){.integrator = JN_INTEGRATOR_REFERENCE, .tolerance = 1e-13});
  jn_reference *reference = NULL;
  jt_ok(jn_reference_create(r.system, r.data, &reference, &err), &err, NULL);
  jt_ok(jn_reference_advance(reference, 0.8, &err), &err, NULL);
  jt_row(&r);
  for (int c = 0; c < CHANNELS; c++) exact[c] = jt_now(&r, channel[c]);
  jn_reference_free(reference);
  jt_end(&r);
  for (size_t m = 0; m < sizeof method / sizeof *method; m++) {
    double error[2];
    for (int half = 0; half < 2; half++) {
      const double step = half ? 5e-4 : 1e-3;
      r = jt_start(jt_load("test/models/tractor-semitrailer-brush.yaml"), scenario,
                   &(jn_sim_opts){.integrator = method[m].integrator, .step = step});
      jt_steps(&r, (int)lround(0.8 / step));
      jt_row(&r);
      double sum = 0.0;
      for (int c = 0; c < CHANNELS; c++)
        sum += pow((jt_now(&r, channel[c]) - exact[c]) / (1e-3 + fabs(exact[c])), 2);
      error[half] = sqrt(sum);
      jt_end(&r);
    }
    const double order = log2(error[0] / error[1]);
    print_message("%s: %.2g, %.2g: order %.2f\n",
                  jn_sim_word_of("integrator", (int)method[m].integrator), error[0], error[1],
                  order);
    JT_NEAR(order, method[m].order, 0.3);
  }
}

// A vehicle with a given speed rolls, in either direction.
static void a_rolling_start_rolls(void **state)
{
  (void)state;
  static const char *const file[] = {"models/hmmwv.yaml", "models/peer-vehicle.yaml",
                                     "models/tractor-semitrailer.yaml",
                                     "models/passenger-car.yaml"};
  for (int i = 0; i < 4; i++)
    for (int back = 0; back < 2; back++) {
      jt_run r = jt_start(jt_load(file[i]),
                          back ? "jounce: 1\nscenario: x\nend: 1\nspeed: -4\n"
                               : "jounce: 1\nscenario: x\nend: 1\nspeed: 12\n",
                          &(jn_sim_opts){.step = 2e-4});
      jt_row(&r);
      for (int k = 0; k < r.system->nwheel; k++) {
        const tyre_out *o = &r.data->wheel[k].tyre;
        JT_NEAR(o->slip, 0.0, 1e-12);
        JT_NEAR(o->fx, 0.0, 1e-7);
      }
      const double x = jt_now(&r, r.spec->body[0].name[0] == 't' ? "tractor.x" : "chassis.x");
      jt_steps(&r, 500);
      jt_row(&r);
      const double to = jt_now(&r, r.spec->body[0].name[0] == 't' ? "tractor.x" : "chassis.x");
      JT_NEAR(to - x, back ? -0.4 : 1.2, 0.01);
      jt_end(&r);
    }
}

// Left and right are alike.
static void a_mirrored_manoeuvre_is_the_mirror_image(void **state)
{
  (void)state;
  static const char *const even[] = {"chassis.x", "chassis.z", "chassis.pitch", "chassis.vx"};
  static const char *const odd[] = {"chassis.y", "chassis.roll", "chassis.yaw", "chassis.wz"};
  static const char *const pair[][2] = {{"wheel.fl.fz", "wheel.fr.fz"},
                                        {"wheel.rr.fx", "wheel.rl.fx"}};
  jt_run r[2];
  for (int i = 0; i < 2; i++) {
    char scenario[200];
    snprintf(scenario, sizeof scenario,
             "jounce: 1\nscenario: x\nend: 4\nspeed: 15\ninputs:\n"
             "  driver.rack: {type: ramp, start: 0.2, end: 0.3, to: %s0.006}\n",
             i ? "" : "-");
    r[i] = jt_start(jt_load("models/hmmwv.yaml"), scenario, &(jn_sim_opts){.step = 1e-3});
    jt_steps(&r[i], 2000);
    jt_row(&r[i]);
  }
  assert_true(fabs(jt_now(&r[0], "chassis.y")) > 1.0);
  for (int k = 0; k < 4; k++) {
    const double a = jt_now(&r[0], even[k]), b = jt_now(&r[0], odd[k]);
    JT_NEAR(jt_now(&r[1], even[k]), a, 1e-11 * (1.0 + fabs(a)));
    JT_NEAR(jt_now(&r[1], odd[k]), -b, 1e-11 * (1.0 + fabs(b)));
  }
  for (int k = 0; k < 2; k++)
    JT_NEAR(jt_now(&r[1], pair[k][1]), jt_now(&r[0], pair[k][0]), 1e-11 * 2.5e4);
  jt_end(&r[0]);
  jt_end(&r[1]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_rotor_moves_as_a_body_on_a_bearing_does),
      cmocka_unit_test(a_spinning_wheel_is_a_gyroscope),
      cmocka_unit_test(a_drive_reacts_on_the_carrier_or_where_the_model_wants),
      cmocka_unit_test(a_steered_wheel_pulls_to_the_side_it_is_steered_to),
      cmocka_unit_test(forces_do_not_jump_through_zero_speed),
      cmocka_unit_test(a_brush_tyre_leaves_and_lands_without_a_jump),
      cmocka_unit_test(stops_act_beyond_their_clearance),
      cmocka_unit_test(a_rack_reports_the_force_it_takes),
      cmocka_unit_test(a_vehicle_stands_at_its_design_height),
      cmocka_unit_test(a_steered_start_leaves_the_springs_alone),
      cmocka_unit_test(a_parked_vehicle_stays_where_it_is),
      cmocka_unit_test(a_vehicle_with_locked_wheels_slides_to_rest),
      cmocka_unit_test(a_brake_that_is_switched_at_every_step_never_drives),
      cmocka_unit_test(locked_wheels_that_slide_sideways_push_against_it),
      cmocka_unit_test(integrators_keep_their_order_with_wheels),
      cmocka_unit_test(a_rolling_start_rolls),
      cmocka_unit_test(a_mirrored_manoeuvre_is_the_mirror_image),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
