// Angles and speeds of wheels as channels, and suspensions that are compliant under tyre forces.
#include "rig.h"
#include "rolling_case.h"
#include "solve/data.h"

// ---- kinematics -------------------------------------------------------------------------------------

typedef struct matrix {
  double m[3][3];
} matrix;

static matrix times(matrix a, matrix b)
{
  matrix c = {0};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++) c.m[i][j] += a.m[i][k] * b.m[k][j];
  return c;
}

static matrix about(int axis, double angle)
{
  const int i = (axis + 1) % 3, j = (axis + 2) % 3;
  matrix r = {0};
  r.m[axis][axis] = 1.0;
  r.m[i][i] = r.m[j][j] = cos(angle);
  r.m[j][i] = sin(angle), r.m[i][j] = -sin(angle);
  return r;
}

static v3 turned(matrix a, v3 x)
{
  return v3_set(a.m[0][0] * x.x + a.m[0][1] * x.y + a.m[0][2] * x.z,
                a.m[1][0] * x.x + a.m[1][1] * x.y + a.m[1][2] * x.z,
                a.m[2][0] * x.x + a.m[2][1] * x.y + a.m[2][2] * x.z);
}

// A body that yaws, pitches and rolls somewhere, with a wheel at each side, steered and leaning: angles as defined in
// ISO 8855, from the pose with plain rotations. On the level road heading is an angle about z.
static void channels_are_the_geometry(void **state)
{
  (void)state;
  static const struct {
    double roll, pitch, yaw, steer[2], camber[2], spin[2];
  } cases[] = {
      {0, 0, 0, {0, 0}, {0, 0}, {30, 30}},
      {0, 0, 0.7, {0.1, 0.08}, {-0.02, 0.03}, {31, 28}},
      {0.012, -0.008, -2.3, {-0.2, 0.15}, {0.05, 0.06}, {29, -4}},
  };
  const double radius = 0.33, v[3] = {9, 1.2, 0.1}, w[3] = {0.2, -0.1, 0.5}, z = 0.31;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[2048], scenario[256];
    snprintf(text, sizeof text,
             "jounce: 1\nname: angles\n"
             "tyres:\n  t: {type: fiala, radius: 0.33, stiffness: 2e5, slip_stiffness: 6e4, "
             "cornering_stiffness: 5e4, load: 4e3, friction: 0.9}\n"
             "bodies:\n  chassis: {mass: 900, cg: [0.1, 0, 0.5], inertia: [300, 900, 1000]}\n"
             "joints:\n  base: {type: free, bodies: [ground, chassis], at: [0, 0, 0]}\n"
             "forces:\n"
             "  l: {type: wheel, body: chassis, at: [1, 0.75, %g], inertia: 1, tyre: t, steered: "
             "true, axis: [0, %.17g, %.17g]}\n"
             "  r: {type: wheel, body: chassis, at: [1, -0.75, %g], inertia: 1, tyre: t, steered: "
             "true, axis: [0, %.17g, %.17g]}\n"
             "initial:\n  base: {orientation: [%.17g, %.17g, %.17g]}\n"
             "  chassis: {velocity: [%g, %g, %g], angular_velocity: [%g, %g, %g]}\n"
             "  l: {speed: %g}\n  r: {speed: %g}\n",
             z, cos(cases[i].camber[0]), sin(cases[i].camber[0]), z, cos(cases[i].camber[1]),
             sin(cases[i].camber[1]), cases[i].roll, cases[i].pitch, cases[i].yaw, v[0], v[1], v[2],
             w[0], w[1], w[2], cases[i].spin[0], cases[i].spin[1]);
    snprintf(
        scenario, sizeof scenario,
        "jounce: 1\nscenario: x\nend: 1\ninputs: {wheel.l.steer: %.17g, wheel.r.steer: %.17g}\n",
        cases[i].steer[0], cases[i].steer[1]);
    jt_run r = jt_start(jt_parse(text), scenario, &(jn_sim_opts){.step = 1e-3});
    jt_row(&r);
    const matrix pose =
        times(about(2, cases[i].yaw), times(about(1, cases[i].pitch), about(0, cases[i].roll)));
    for (int k = 0; k < 2; k++) {
      const char side = k ? 'r' : 'l';
      const v3 axis = turned(times(pose, about(2, cases[i].steer[k])),
                             v3_set(0, cos(cases[i].camber[k]), sin(cases[i].camber[k])));
      const v3 at = v3_set(1, k ? -0.75 : 0.75, z), centre = turned(pose, at);
      const v3 omega = v3_set(w[0], w[1], w[2]);
      const v3 velocity = v3_add(v3_set(v[0], v[1], v[2]),
                                 v3_cross(omega, turned(pose, v3_sub(at, v3_set(0.1, 0, 0.5)))));
      const double heading = atan2(-axis.x, axis.y), camber = asin(axis.z);
      const v3 x = v3_set(cos(heading), sin(heading), 0),
               y = v3_set(-sin(heading), cos(heading), 0);
      const double deflection = radius * cos(camber) - centre.z, loaded = centre.z / cos(camber);
      const double rolling = radius - fmax(deflection, 0.0) / 3.0;
      // Straight down within the wheel's plane, which leans to the right: the contact is to the left of the centre.
      const v3 arm = v3_set(sin(camber) * loaded * y.x, sin(camber) * loaded * y.y, -centre.z);
      const v3 contact = v3_add(velocity, v3_cross(omega, arm));  // of what does not spin
      const double own = v3_dot(axis, omega);
      const double ahead = v3_dot(contact, x) + own * loaded, across = v3_dot(contact, y);
      const double spin = own + cases[i].spin[k];
      const double steer = remainder(heading - cases[i].yaw, 2.0 * M_PI);
      const struct {
        const char *name;
        double value;
      } expected[] = {
          {"steer", steer},
          {"toe", k ? steer : -steer},
          {"camber", camber},
          {"vx", v3_dot(velocity, x)},
          {"vy", v3_dot(velocity, y)},
          {"deflection", deflection},
          {"loaded_radius", loaded},
          {"rolling_radius", rolling},
          {"slip", (rolling * spin - ahead) / fabs(ahead)},
          {"slip_angle", atan(across / fabs(ahead))},
      };
      for (size_t n = 0; n < sizeof expected / sizeof *expected; n++) {
        char channel[64];
        snprintf(channel, sizeof channel, "tyre.%c.%s", side, expected[n].name);
        const double got = jt_now(&r, channel);
        if (!(fabs(got - expected[n].value) <= 1e-12 * (1.0 + fabs(got))))
          fail_msg("case %d: %s is %.15g, by geometry %.15g", (int)i, channel, got,
                   expected[n].value);
      }
    }
    jt_end(&r);
  }
}

// ---- compliance -------------------------------------------------------------------------------------

// A wheel on a hub that slides up and down, moved ahead at 10 m/s, steered by 0.02 rad to the left.
static jt_run moved(const char *tyre, const char *keys, double steer)
{
  char text[2048], scenario[256];
  char wheel[512];
  snprintf(wheel, sizeof wheel, ", steered: true%s", keys);
  jt_rig(text, sizeof text, tyre, wheel, "");
  snprintf(scenario, sizeof scenario,
           "jounce: 1\nscenario: x\nend: 20\nspeed: 10\ninputs:\n"
           "  rig.x: {type: ramp, end: 20, to: 200}\n  wheel.w.steer: %g\n",
           steer);
  return jt_start(jt_parse(text), scenario,
                  &(jn_sim_opts){.step = 1e-3, .integrator = JN_INTEGRATOR_RK4, .end = 20});
}

#define FIALA                                                                                    \
  "tyres:\n  t: {type: fiala, radius: 0.33, stiffness: 2e5, damping: 4e3, slip_stiffness: 6e4, " \
  "cornering_stiffness: 5e4, load: 4e3, friction: 0.95, width: 0.2}\n"
#define SAMPLE                                                                       \
  "tyres:\n  t: {type: magic-formula, file: models/tyres/sample.tir, coefficients: " \
  "{VERTICAL_DAMPING: 4e3}}\n"
#define GIVES                                                                                     \
  ", steer_by_force: [[-1e4, -0.02], [1e4, 0.02]], steer_by_torque: [[-100, 0.01], [100, -0.01]]" \
  ", camber_by_force: [[-1e4, 0.03], [1e4, -0.03]], camber_by_torque: [[-100, -0.02], [100, "     \
  "0.02]]"

static void a_wheel_gives_way_as_its_curves_say(void **state)
{
  (void)state;
  static const char *const tyre[] = {FIALA, SAMPLE};
  for (int i = 0; i < 2; i++) {
    double fy[2], mz[2], camber[2];
    for (int gives = 0; gives < 2; gives++) {
      jt_run r = moved(tyre[i], gives ? GIVES : "", 0.02);
      jt_steps(&r, 4000);
      jt_row(&r);
      fy[gives] = jt_now(&r, "wheel.w.fy"), mz[gives] = jt_now(&r, "wheel.w.mz");
      camber[gives] = jt_now(&r, "tyre.w.camber");
      if (gives) {
        // by the straight lines of the curves
        const double steer = 2e-6 * fy[1] - 1e-4 * mz[1], lean = -3e-6 * fy[1] + 2e-4 * mz[1];
        print_message(
            "  Fy %.1f N (stiff %.1f N), Mz %.2f N m: turned by %.6f, leant by %.6f rad\n", fy[1],
            fy[0], mz[1], steer, lean);
        JT_NEAR(jt_now(&r, "tyre.w.compliance_steer"), steer, 1e-10);
        JT_NEAR(jt_now(&r, "tyre.w.compliance_camber"), lean, 1e-10);
        JT_NEAR(jt_now(&r, "tyre.w.steer"), 0.02 + steer, 1e-9);
        JT_NEAR(camber[1], lean, 1e-9);
        // The wheel's centre moves along x, so the slip angle is that of the heading, but for what the contact moves.
        JT_NEAR(jt_now(&r, "tyre.w.slip_angle"), -(0.02 + steer), 1e-6);
        assert_true(steer > 1e-3);
        assert_true(fy[1] > fy[0] + 10.0);
      } else {
        JT_NEAR(camber[0], 0.0, 1e-12);
      }
      jt_end(&r);
    }
  }
}

// The angle follows what the curve says with the time constant given: c' = (aim - c) / lag.
static void a_wheel_gives_way_behind_a_lag(void **state)
{
  (void)state;
  jt_run r =
      moved(FIALA, ", steer_by_force: [[-1e4, -0.02], [1e4, 0.02]], compliance_lag: 0.1", 0.02);
  double before[2] = {0}, most = 0.0;
  for (int k = 0; k < 400; k++) {
    jt_row(&r);
    const double c = jt_now(&r, "tyre.w.compliance_steer"), fy = jt_now(&r, "wheel.w.fy");
    if (k) {
      const double rate = (c - before[0]) / 1e-3;
      const double aim = 2e-6 * 0.5 * (fy + before[1]), mean = 0.5 * (c + before[0]);
      JT_NEAR(rate, (aim - mean) / 0.1, 2e-5);
      most = fmax(most, fabs(rate));
    }
    before[0] = c, before[1] = fy;
    jt_steps(&r, 1);
  }
  assert_true(most > 5e-3);
  jt_end(&r);
}

// Steered in the other direction, all four wheels yield in the other direction.
static void a_mirrored_vehicle_is_compliant_mirrored(void **state)
{
  (void)state;
  static const char *const what[] = {"compliance_steer", "compliance_camber", "slip_angle", "toe"};
  for (int i = 1; i < ROLLING_TYRES; i += 6) {  // fiala, and a file of 6.1, which is mirrored
    jt_run r[2];
    for (int k = 0; k < 2; k++) {
      char text[4096], scenario[256];
      rolling_cart_text(text, sizeof text, &rolling_tyres[i], (rolling_cart){.wheels = GIVES});
      snprintf(scenario, sizeof scenario,
               "jounce: 1\nscenario: x\nend: 20\nspeed: 15\ninputs: {wheel.fl.steer: %g, "
               "wheel.fr.steer: %g}\n",
               k ? -0.02 : 0.02, k ? -0.02 : 0.02);
      r[k] = jt_start(jt_parse(text), scenario, &(jn_sim_opts){.step = 1e-3});
      jt_steps(&r[k], 1500);
      jt_row(&r[k]);
    }
    for (int w = 0; w < 4; w++)
      for (int n = 0; n < 4; n++) {
        char here[64], there[64];
        snprintf(here, sizeof here, "tyre.%s.%s", rolling_wheels[w], what[n]);
        snprintf(there, sizeof there, "tyre.%s.%s", rolling_wheels[w ^ 1], what[n]);
        const double a = jt_now(&r[0], here), b = jt_now(&r[1], there);
        assert_true(fabs(a) > 1e-5);
        JT_NEAR(n == 3 ? b : -b, a, 1e-11);
      }
    jt_end(&r[0]), jt_end(&r[1]);
  }
}

// ---- a wheel that is a body -------------------------------------------------------------------------

// A level carrier that moves and turns over the ground, with a wheel body; or a wheel body alone, which no bearing carries.
typedef struct disc {
  const char *tyre, *keys;
  bool bearing;
  double turned;  // axis of wheel and bearing, to the left in the design position
  double askew;   // of the bearing against the wheel's own axis
  double state;   // by which the wheel has given way, to the left
} disc;

static const char *const disc_channels[] = {"wheel.w.fx",   "wheel.w.fy",        "wheel.w.fz",
                                            "wheel.w.mz",   "tyre.w.slip",       "tyre.w.camber",
                                            "tyre.w.steer", "tyre.w.slip_angle", "wheel.w.speed"};
enum {
  DISC_CHANNELS = sizeof disc_channels / sizeof *disc_channels,
  DISC_FY = 1,
  DISC_STEER = 6,
  DISC_SPEED = 8
};

static void look_at_disc(disc k, double out[DISC_CHANNELS])
{
  const double c = cos(k.turned), s = sin(k.turned), spin = 27.0;
  const v3 w = v3_set(0.3, -0.4, 0.9);  // of the carrier
  char text[2048];
  int n = snprintf(text, sizeof text, "jounce: 1\nname: disc\n%sbodies:\n", k.tyre);
  if (k.bearing) {
    snprintf(
        text + n, sizeof text - (size_t)n,
        "  carrier: {mass: 60, cg: [0.1, -0.05, 0.5], inertia: [3, 4, 5]}\n"
        "  rim: {mass: 20, cg: [0.05, 0.1, 0.32], inertia: [0.8, 1.4, 0.8], orientation: [0, 0, "
        "%.17g]}\n"
        "joints:\n  hub: {type: revolute, bodies: [carrier, rim], at: [0.05, 0.1, 0.32], axis: "
        "[%.17g, %.17g, %.17g]}\n"
        "forces:\n  w: {type: tyre, body: rim, at: [0.05, 0.1, 0.32], axis: [%.17g, %.17g, 0], "
        "tyre: t%s}\n"
        "initial:\n  carrier: {angular_velocity: [%g, %g, %g], velocity: [8, 0.6, -0.1]}\n"
        "  hub: {speed: %g}\n",
        k.turned, -s, c, k.askew, -s, c, k.keys, w.x, w.y, w.z, spin);
  } else {
    const v3 all = v3_axpy(spin, v3_set(-s, c, 0), v3_set(w.x, 0, w.z));
    snprintf(
        text + n, sizeof text - (size_t)n,
        "  rim: {mass: 20, cg: [0.05, 0.1, 0.32], inertia: [0.8, 1.4, 0.8], orientation: [0, 0, "
        "%.17g]}\n"
        "forces:\n  w: {type: tyre, body: rim, at: [0.05, 0.1, 0.32], axis: [%.17g, %.17g, 0], "
        "tyre: t%s}\n"
        "initial:\n  rim: {angular_velocity: [%.17g, %.17g, %.17g], velocity: [8, 0.6, -0.1]}\n",
        k.turned, -s, c, k.keys, all.x, all.y, all.z);
  }
  jt_run r = jt_start(jt_parse(text), NULL, &(jn_sim_opts){.step = 1e-3});
  if (r.system->wheel[0].comply >= 0) r.data->x[r.system->wheel[0].comply] = k.state;
  jt_row(&r);
  for (int i = 0; i < DISC_CHANNELS; i++) out[i] = jt_now(&r, disc_channels[i]);
  jt_end(&r);
}

static void check_discs(const char *what, disc a, disc b)
{
  double x[DISC_CHANNELS], y[DISC_CHANNELS];
  look_at_disc(a, x), look_at_disc(b, y);
  print_message("%s: Fy %.6f and %.6f N\n", what, x[DISC_FY], y[DISC_FY]);
  for (int i = 0; i < DISC_CHANNELS; i++) {
    // Of a wheel alone, heading is measured against itself, and spin has a share of what turns it otherwise.
    if (!a.bearing && (i == DISC_STEER || i == DISC_SPEED)) continue;
    if (!(fabs(x[i] - y[i]) <= 1e-11 * (1.0 + fabs(x[i]))))
      fail_msg("%s: %s is %.15g and %.15g", what, disc_channels[i], x[i], y[i]);
  }
}

#define LINEAR                                                                                    \
  "tyres:\n  t: {type: linear, radius: 0.33, stiffness: 2e5, damping: 4e3, slip_stiffness: 6e4, " \
  "cornering_stiffness: 5e4, load: 4e3, friction: 0.95}\n"

// Turned to the left by a constant angle, a wheel is as one whose axis is turned: with the same spin about it, it pushes alike.
static void a_wheel_body_that_has_turned_is_one_whose_axis_is_turned(void **state)
{
  (void)state;
  static const char *const tyre[] = {FIALA, LINEAR};
  static const char constant[] = ", steer_by_force: [[-1e4, 0.03], [1e4, 0.03]]";
  static const char nothing[] = ", steer_by_force: [[-1e4, 0], [1e4, 0]]";
  for (int i = 0; i < 2; i++) {
    for (int alone = 0; alone < 2; alone++)
      check_discs(alone ? "alone" : "on a bearing", (disc){tyre[i], constant, !alone, 0, 0, 0.03},
                  (disc){tyre[i], "", !alone, 0.03, 0, 0});
    check_discs("which has not given way", (disc){tyre[i], nothing, true, 0.1, 0, 0},
                (disc){tyre[i], "", true, 0.1, 0, 0});
    check_discs("in a bearing askew", (disc){tyre[i], nothing, true, 0, 8e-4, 0},
                (disc){tyre[i], "", true, 0, 8e-4, 0});
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(channels_are_the_geometry),
      cmocka_unit_test(a_wheel_gives_way_as_its_curves_say),
      cmocka_unit_test(a_wheel_gives_way_behind_a_lag),
      cmocka_unit_test(a_mirrored_vehicle_is_compliant_mirrored),
      cmocka_unit_test(a_wheel_body_that_has_turned_is_one_whose_axis_is_turned),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
