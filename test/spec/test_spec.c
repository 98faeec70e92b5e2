// What a file says is what the spec has, in SI units and ISO axes, however it was written.
#include "spec/spec_internal.h"

#include <dirent.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness.h"
#include "jounce/model.h"
#include "use_locale.h"

static void ok(jn_status st, const jn_error *err, const char *text)
{
  char line[1024];
  if (st == JN_OK) return;
  print_error("%s\n%s\n", jn_error_line(err, line, sizeof line), text ? text : "");
  fail();
}

static jn_spec *parse_set(const char *text, const char *const *set, int nset)
{
  jn_error err = {0};
  jn_spec *spec = NULL;
  ok(jn_spec_parse(text, strlen(text), "dir/test.yaml", set, nset, &spec, &err), &err, text);
  return spec;
}

static jn_spec *parse(const char *text)
{
  return parse_set(text, NULL, 0);
}

static char *print(const jn_spec *spec)
{
  jn_error err = {0};
  char *text = NULL;
  unsigned long length = 0;
  ok(jn_spec_print(spec, &text, &length, &err), &err, NULL);
  assert_int_equal(strlen(text), length);
  return text;
}

// Do two texts describe the same model, to the last digit?
static void check_same(const char *a, const char *b)
{
  jn_spec *x = parse(a), *y = parse(b);
  char *s = print(x), *t = print(y);
  assert_string_equal(s, t);
  free(s), free(t);
  jn_spec_free(x), jn_spec_free(y);
}

// A number that was converted: rounded at every power of its units, at most six times.
#define CHECK_SI(value, expected) JT_NEAR(value, expected, 6 * 0x1p-53 * fabs(expected))

#define BODY "bodies:\n  a: {mass: 2, cg: [1, 2, 3], inertia: [4, 5, 6]}\n"
#define FREE "joints:\n  j: {type: free, bodies: [ground, a]}\n"

// ---- units --------------------------------------------------------------------------------------

static const char *const everything =
    "bodies:\n"
    "  a: {mass: 3, cg: [1, 20, -300], inertia: [7, 8, 9, 0.1, 0.2, 0.3]}\n"
    "  b: {mass: 5, cg: [0, 0, 1], inertia: [1, 1, 1], orientation: [30, 45, 60]}\n"
    "  c: {mass: 5, cg: [0, 0, 1], inertia: [1, 1, 1]}\n"
    "joints:\n"
    "  ball: {type: spherical, bodies: [a, c], at: [0, 0, 0]}\n"
    "  fly: {type: free, bodies: [ground, c]}\n"
    "  steer: {type: revolute, bodies: [b, c], at: [0, 0, 0], axis: [0, 0, 1],\n"
    "          motion: {channel: a.d, filter: 3}}\n"
    "  turn: {type: revolute, bodies: [ground, a], at: [10, 0, 0], axis: [0, 0, 2]}\n"
    "  slide: {type: translational, bodies: [a, b], at: [10, 0, 0], axis: [3, 4, 0]}\n"
    "  screw: {type: screw, bodies: [ground, b], at: [0, 0, 0], axis: [0, 0, 1], lead: 12,\n"
    "          motion: {curve: [[0, 0], [2, 90]]}}\n"
    "tyres:\n"
    "  t: {type: linear, radius: 12, stiffness: 11, damping: 13, slip_stiffness: 14,\n"
    "      cornering_stiffness: 15, load: 16, friction: 0.9}\n"
    "  f: {type: fiala, radius: 12, load_curve: [[0, 0], [1, 40], [2, 90]], damping: 13, load: "
    "16,\n"
    "      lead: 17, slip_stiffness: 14, cornering_stiffness: 15, friction: 0.9, width: 18,\n"
    "      rolling_resistance: 19, relaxation_x: 20, relaxation_y: 21}\n"
    "  c: {type: carpet, radius: 12, stiffness: 11, load: 16,\n"
    "      side_force: {slip_angles: [0, 0.5, 1.25], loads: [30, 40],\n"
    "                   values: [[0, -5, -6], [0, -7, -8]]},\n"
    "      longitudinal_force: {slips: [-1, 0, 1], loads: [30], values: [[-9, 0, 10]]},\n"
    "      aligning_torque: {slip_angles: [0, 1], loads: [30], values: [[0, 11]]}}\n"
    "forces:\n"
    "  spring: {type: tsda, bodies: [a, b], at: [[0, 0, 0], [0, 0, 9]], stiffness: 100, damping: "
    "7,\n"
    "           free_length: 8, preload: 50, spring_curve: [[-1, -20], [1, 30]],\n"
    "           damper_curve: [[-10, -5], [10, 6]], spring_polynomial: [1, -2, 3],\n"
    "           damper_polynomial: [4, 5], channel: a.e, lag: 6}\n"
    "  twist: {type: rsda, joint: turn, stiffness: 40, damping: 3, free_angle: 10, preload: 11,\n"
    "          spring_curve: [[-90, -1], [90, 2]], damper_curve: [[-180, -3], [180, 4]],\n"
    "          spring_polynomial: [1, 2, 3, 4, 5, 6, 7, 8], damper_polynomial: [9, 10],\n"
    "          channel: a.e, lag: 7}\n"
    "  bush: {type: bushing, bodies: [a, b], at: [1, 1, 1], stiffness: [1, 2, 3],\n"
    "         damping: [4, 5, 6], rotational_stiffness: [7, 8, 9],\n"
    "         rotational_damping: [10, 11, 12]}\n"
    "  hold: {type: servo, joint: slide, stiffness: 21, damping: 22, channel: a.b}\n"
    "  aim: {type: servo, joint: turn, stiffness: 23, damping: 24, channel: a.c}\n"
    "  push: {type: force, body: a, force: [1, 2, 3], channel: a.e, lag: 8}\n"
    "  wind: {type: torque, bodies: [a, b], axis: [1, 0, 0], torque: 17, start: 18,\n"
    "         channel: a.e, lag: 9}\n"
    "  wheel: {type: wheel, body: b, at: [1, 2, 3], inertia: 19, tyre: t}\n"
    "initial:\n"
    "  turn: {angle: 90, speed: 180}\n"
    "  slide: {position: 4, speed: 5}\n"
    "  a: {velocity: [1, 2, 3], angular_velocity: [90, 180, 270]}\n"
    "  ball: {orientation: [30, 45, 60], angular_velocity: [1, 2, 3]}\n"
    "  fly: {orientation: [0.6, 0, 0.8, 0], offset: [4, 5, 6], velocity: [7, 8, 9]}\n"
    "gravity: [1, 2, 3]\n";

typedef struct units {  // of one in SI
  const char *text;
  double length, mass, time, angle, force;
} units;

static const jn_force_spec *force_of(const jn_spec *s, const char *name)
{
  int i = 0;
  while (i < s->nforce && strcmp(s->force[i].name, name)) i++;
  assert_true(i < s->nforce);
  return &s->force[i];
}

static void check_units(const units *u)
{
  char text[8192];
  snprintf(text, sizeof text, "jounce: 1\n%s%s", u->text, everything);
  jn_spec *s = parse(text);
  const double l = u->length, m = u->mass, t = u->time, a = u->angle, f = u->force;
  CHECK_SI(s->gravity[1], 2 * l / (t * t));
  CHECK_SI(s->body[0].keys.mass, 3 * m);
  CHECK_SI(s->body[0].keys.cg[2], -300 * l);
  CHECK_SI(s->body[0].keys.inertia[0], 7 * m * l * l);
  CHECK_SI(s->body[0].keys.inertia[4], 0.2 * m * l * l);
  const double *q = s->body[1].keys.orientation, *ball;
  double half[3] = {15 * a, 22.5 * a, 30 * a};
  JT_NEAR(q[0],
          cos(half[0]) * cos(half[1]) * cos(half[2]) + sin(half[0]) * sin(half[1]) * sin(half[2]),
          1e-15);
  CHECK_SI(s->joint[2].keys.motion.filter, 3 * t);
  CHECK_SI(s->joint[3].keys.at.v[0][0], 10 * l);
  CHECK_SI(s->joint[4].keys.axis.v[0][1] / s->joint[4].keys.axis.v[0][0], 4.0 / 3.0);
  CHECK_SI(s->joint[5].keys.lead, 12 * l);
  CHECK_SI(s->joint[5].keys.motion.curve.x[1], 2 * t);
  CHECK_SI(s->joint[5].keys.motion.curve.y[1], 90 * a);
  const jn_tyre_linear_spec *tyre = &s->tyre[0].as.linear;
  CHECK_SI(tyre->radius, 12 * l);
  CHECK_SI(tyre->stiffness, 11 * f / l);
  CHECK_SI(tyre->damping, 13 * f * t / l);
  CHECK_SI(tyre->slip_stiffness, 14 * f);
  CHECK_SI(tyre->cornering_stiffness, 15 * f / a);
  CHECK_SI(tyre->load, 16 * f);
  CHECK_SI(tyre->friction, 0.9);
  const jn_tyre_fiala_spec *fiala = &s->tyre[1].as.fiala;
  CHECK_SI(fiala->radius, 12 * l);
  assert_int_equal(fiala->load_curve.n, 3);
  CHECK_SI(fiala->load_curve.x[2], 2 * l);
  CHECK_SI(fiala->load_curve.y[2], 90 * f);
  CHECK_SI(fiala->damping, 13 * f * t / l);
  CHECK_SI(fiala->load, 16 * f);
  CHECK_SI(fiala->lead, 17 * t);
  CHECK_SI(fiala->slip_stiffness, 14 * f);
  CHECK_SI(fiala->cornering_stiffness, 15 * f / a);
  CHECK_SI(fiala->friction_sliding, 0.9);  // as friction, where it is not given
  CHECK_SI(fiala->width, 18 * l);
  CHECK_SI(fiala->rolling_resistance, 19 * l);
  CHECK_SI(fiala->relaxation_x, 20 * l);
  CHECK_SI(fiala->relaxation_y, 21 * l);
  const jn_tyre_carpet_spec *carpet = &s->tyre[2].as.carpet;
  assert_int_equal(carpet->side_force.nslip, 3);
  assert_int_equal(carpet->side_force.nload, 2);
  CHECK_SI(carpet->side_force.slip[2], 1.25 * a);
  CHECK_SI(carpet->side_force.load[1], 40 * f);
  CHECK_SI(carpet->side_force.value[4], -7 * f);
  CHECK_SI(carpet->longitudinal_force.slip[0], -1.0);
  CHECK_SI(carpet->longitudinal_force.value[2], 10 * f);
  CHECK_SI(carpet->aligning_torque.slip[1], 1 * a);
  CHECK_SI(carpet->aligning_torque.value[1], 11 * f * l);
  CHECK_SI(carpet->relaxation_y, 0.4);  // defaults are in SI
  const jn_tsda_keys *spring = &force_of(s, "spring")->as.tsda;
  CHECK_SI(spring->at.v[1][2], 9 * l);
  CHECK_SI(spring->stiffness, 100 * f / l);
  CHECK_SI(spring->damping, 7 * f * t / l);
  CHECK_SI(spring->free_length.value, 8 * l);
  CHECK_SI(spring->preload.value, 50 * f);
  CHECK_SI(spring->spring_curve.x[0], -1 * l);
  CHECK_SI(spring->spring_curve.y[1], 30 * f);
  CHECK_SI(spring->damper_curve.x[0], -10 * l / t);
  CHECK_SI(spring->damper_curve.y[1], 6 * f);
  assert_int_equal(spring->spring_polynomial.n, 3);
  CHECK_SI(spring->spring_polynomial.v[0], f / l);
  CHECK_SI(spring->spring_polynomial.v[1], -2 * f / (l * l));
  CHECK_SI(spring->spring_polynomial.v[2], 3 * f / (l * l * l));
  assert_int_equal(spring->damper_polynomial.n, 2);
  CHECK_SI(spring->damper_polynomial.v[0], 4 * f * t / l);
  CHECK_SI(spring->damper_polynomial.v[1], 5 * f * t * t / (l * l));
  CHECK_SI(spring->lag, 6 * t);
  const jn_rsda_keys *twist = &force_of(s, "twist")->as.rsda;
  CHECK_SI(twist->stiffness, 40 * f * l / a);
  CHECK_SI(twist->damping, 3 * f * l * t / a);
  CHECK_SI(twist->free_angle.value, 10 * a);
  CHECK_SI(twist->preload.value, 11 * f * l);
  CHECK_SI(twist->spring_curve.x[1], 90 * a);
  CHECK_SI(twist->spring_curve.y[1], 2 * f * l);
  CHECK_SI(twist->damper_curve.x[1], 180 * a / t);
  CHECK_SI(twist->damper_curve.y[1], 4 * f * l);
  assert_int_equal(twist->spring_polynomial.n, 8);
  double power = a;  // rounded once more at every step, as is the reader's
  for (int i = 0; i < 8; i++, power *= a)
    JT_NEAR(twist->spring_polynomial.v[i], (i + 1) * f * l / power,
            (6 + 3 * i) * 0x1p-53 * (i + 1) * f * l / power);
  CHECK_SI(twist->damper_polynomial.v[1], 10 * f * l * t * t / (a * a));
  CHECK_SI(twist->lag, 7 * t);
  const jn_bushing_keys *bush = &force_of(s, "bush")->as.bushing;
  CHECK_SI(bush->stiffness[1], 2 * f / l);
  CHECK_SI(bush->damping[1], 5 * f * t / l);
  CHECK_SI(bush->rotational_stiffness[1], 8 * f * l / a);
  CHECK_SI(bush->rotational_damping[1], 11 * f * l * t / a);
  CHECK_SI(force_of(s, "hold")->as.servo.stiffness, 21 * f / l);
  CHECK_SI(force_of(s, "hold")->as.servo.damping, 22 * f * t / l);
  CHECK_SI(force_of(s, "aim")->as.servo.stiffness, 23 * f * l / a);
  CHECK_SI(force_of(s, "aim")->as.servo.damping, 24 * f * l * t / a);
  CHECK_SI(force_of(s, "push")->as.force.force[2], 3 * f);
  CHECK_SI(force_of(s, "push")->as.force.lag, 8 * t);
  CHECK_SI(force_of(s, "wind")->as.torque.lag, 9 * t);
  CHECK_SI(force_of(s, "wind")->as.torque.torque, 17 * f * l);
  CHECK_SI(force_of(s, "wind")->as.torque.start, 18 * t);
  CHECK_SI(force_of(s, "wheel")->as.wheel.inertia, 19 * m * l * l);
  CHECK_SI(s->initial[0].as.joint.angle, 90 * a);
  CHECK_SI(s->initial[0].as.joint.speed, 180 * a / t);
  CHECK_SI(s->initial[1].as.joint.position, 4 * l);
  CHECK_SI(s->initial[1].as.joint.speed, 5 * l / t);
  CHECK_SI(s->initial[2].as.body.velocity[1], 2 * l / t);
  CHECK_SI(s->initial[2].as.body.angular_velocity[2], 270 * a / t);
  ball = s->initial[3].as.joint.orientation;  // the same angles as b's
  for (int i = 0; i < 4; i++) JT_NEAR(ball[i], q[i], 0.0);
  CHECK_SI(s->initial[3].as.joint.angular_velocity[1], 2 * a / t);
  CHECK_SI(s->initial[4].as.joint.orientation[2], 0.8);
  CHECK_SI(s->initial[4].as.joint.offset[1], 5 * l);
  CHECK_SI(s->initial[4].as.joint.velocity[2], 9 * l / t);
  jn_spec_free(s);
}

static void numbers_are_taken_in_the_units_of_the_file(void **state)
{
  (void)state;
  const double degree = 3.14159265358979323846 / 180, lbf = 4.4482216152605;
  const units unit[] = {
      {"", 1, 1, 1, 1, 1},
      {"units: {}\n", 1, 1, 1, 1, 1},
      {"units: {length: mm, angle: deg}\n", 1e-3, 1, 1, degree, 1},
      {"units: {length: in, mass: lb, force: lbf}\n", 0.0254, 0.45359237, 1, 1, lbf},
      {"units: {length: ft, mass: slug, force: lbf, angle: deg}\n", 0.3048, lbf / 0.3048, 1, degree,
       lbf},
      {"units: {length: cm, mass: g, time: ms, force: kN}\n", 1e-2, 1e-3, 1e-3, 1, 1e3},
      {"units: {length: km, mass: t}\n", 1e3, 1e3, 1, 1, 1},
  };
  for (size_t i = 0; i < sizeof unit / sizeof *unit; i++) check_units(&unit[i]);
}

// 235 mm is the double nearest to 0.235: one rounding, not two.
static void decimal_units_round_once(void **state)
{
  (void)state;
  for (int mm = 1; mm < 2000; mm += 3) {
    char text[512];
    snprintf(text, sizeof text,
             "jounce: 1\nunits: {length: mm}\n"
             "bodies:\n  a: {mass: 1, cg: [%d, -%d, 0], inertia: [1, 1, 1]}\n" FREE,
             mm, mm);
    jn_spec *s = parse(text);
    snprintf(text, sizeof text, "%d.%03d", mm / 1000, mm % 1000);
    assert_true(s->body[0].keys.cg[0] == strtod(text, NULL));
    assert_true(s->body[0].keys.cg[1] == -strtod(text, NULL));
    jn_spec_free(s);
  }
}

// ---- axes ---------------------------------------------------------------------------------------

// One model written three times by hand. ISO: x forward, y left, z up. SAE: (x, -y, -z). DADS: its
// x is right, its y forward: (-y, x, z). A product of inertia has the signs of both its axes.
static const char *const iso =
    "jounce: 1\nname: m\n"
    "points: {p: [1, 2, 3]}\n"
    "bodies:\n"
    "  a: {mass: 1, cg: [0.1, 0.2, 0.3], inertia: [10, 11, 12, 0.1, 0.2, 0.3]}\n"
    "  b: {mass: 1, cg: p, inertia: [20, 21, 22, 1, 2, 3], orientation: [0.5, 0.1, 0.7, 0.5]}\n"
    "joints:\n"
    "  j: {type: universal, bodies: [ground, a], at: [1, 0, 0.5], axis: [[1, 2, 3], [4, -5, 6]]}\n"
    "  k: {type: distance, bodies: [a, b], at: [[0, 1, 0], [0, 0, 2]]}\n"
    "  f: {type: free, bodies: [ground, b]}\n"
    "tyres: {t: {type: vertical, radius: 0.3, stiffness: 1e5}}\n"
    "forces:\n"
    "  bush: {type: bushing, bodies: [a, b], at: p, axes: [[0, 0, 1], [1, 0, 0]],\n"
    "         stiffness: [1, 2, 3]}\n"
    "  push: {type: force, body: b, at: [1, 1, 1], force: [7, 8, 9]}\n"
    "  wind: {type: torque, bodies: [a, b], axis: [0, 3, 4], torque: 5}\n"
    "  w: {type: wheel, body: b, at: p, inertia: 1, tyre: t}\n"
    "  v: {type: wheel, body: b, at: p, inertia: 1, tyre: t, axis: [0.1, 0.9, 0]}\n"
    "initial:\n"
    "  b: {velocity: [10, 1, 2], angular_velocity: [3, 4, 5]}\n"
    "  f: {orientation: [0.5, 0.1, 0.7, 0.5], offset: [1, 2, 3], velocity: [4, 5, 6],\n"
    "      angular_velocity: [7, 8, 9]}\n";

static const char *const sae =
    "jounce: 1\nname: m\naxes: sae\n"
    "points: {p: [1, -2, -3]}\n"
    "bodies:\n"
    "  a: {mass: 1, cg: [0.1, -0.2, -0.3], inertia: [10, 11, 12, -0.1, -0.2, 0.3]}\n"
    "  b: {mass: 1, cg: p, inertia: [20, 21, 22, -1, -2, 3], orientation: [0.5, 0.1, -0.7, -0.5]}\n"
    "joints:\n"
    "  j: {type: universal, bodies: [ground, a], at: [1, 0, -0.5], axis: [[1, -2, -3], [4, 5, "
    "-6]]}\n"
    "  k: {type: distance, bodies: [a, b], at: [[0, -1, 0], [0, 0, -2]]}\n"
    "  f: {type: free, bodies: [ground, b]}\n"
    "tyres: {t: {type: vertical, radius: 0.3, stiffness: 1e5}}\n"
    "forces:\n"
    "  bush: {type: bushing, bodies: [a, b], at: p, axes: [[0, 0, -1], [1, 0, 0]],\n"
    "         stiffness: [1, 2, 3]}\n"
    "  push: {type: force, body: b, at: [1, -1, -1], force: [7, -8, -9]}\n"
    "  wind: {type: torque, bodies: [a, b], axis: [0, -3, -4], torque: 5}\n"
    "  w: {type: wheel, body: b, at: p, inertia: 1, tyre: t}\n"
    "  v: {type: wheel, body: b, at: p, inertia: 1, tyre: t, axis: [0.1, -0.9, 0]}\n"
    "initial:\n"
    "  b: {velocity: [10, -1, -2], angular_velocity: [3, -4, -5]}\n"
    "  f: {orientation: [0.5, 0.1, -0.7, -0.5], offset: [1, -2, -3], velocity: [4, -5, -6],\n"
    "      angular_velocity: [7, -8, -9]}\n";

static const char *const dads =
    "jounce: 1\nname: m\naxes: dads\n"
    "points: {p: [-2, 1, 3]}\n"
    "bodies:\n"
    "  a: {mass: 1, cg: [-0.2, 0.1, 0.3], inertia: [11, 10, 12, -0.1, -0.3, 0.2]}\n"
    "  b: {mass: 1, cg: p, inertia: [21, 20, 22, -1, -3, 2], orientation: [0.5, -0.7, 0.1, 0.5]}\n"
    "joints:\n"
    "  j: {type: universal, bodies: [ground, a], at: [0, 1, 0.5], axis: [[-2, 1, 3], [5, 4, 6]]}\n"
    "  k: {type: distance, bodies: [a, b], at: [[-1, 0, 0], [0, 0, 2]]}\n"
    "  f: {type: free, bodies: [ground, b]}\n"
    "tyres: {t: {type: vertical, radius: 0.3, stiffness: 1e5}}\n"
    "forces:\n"
    "  bush: {type: bushing, bodies: [a, b], at: p, axes: [[0, 0, 1], [0, 1, 0]],\n"
    "         stiffness: [1, 2, 3]}\n"
    "  push: {type: force, body: b, at: [-1, 1, 1], force: [-8, 7, 9]}\n"
    "  wind: {type: torque, bodies: [a, b], axis: [-3, 0, 4], torque: 5}\n"
    "  w: {type: wheel, body: b, at: p, inertia: 1, tyre: t}\n"
    "  v: {type: wheel, body: b, at: p, inertia: 1, tyre: t, axis: [-0.9, 0.1, 0]}\n"
    "initial:\n"
    "  b: {velocity: [-1, 10, 2], angular_velocity: [-4, 3, 5]}\n"
    "  f: {orientation: [0.5, -0.7, 0.1, 0.5], offset: [-2, 1, 3], velocity: [-5, 4, 6],\n"
    "      angular_velocity: [-8, 7, 9]}\n";

static void sae_axes_give_the_iso_model(void **state)
{
  (void)state;
  check_same(sae, iso);
}

static void dads_axes_give_the_iso_model(void **state)
{
  (void)state;
  check_same(dads, iso);
}

// Free fall is downwards by default, whatever the file's axes, and turned if given.
static void gravity_points_down_in_any_axes(void **state)
{
  (void)state;
  static const char *const head[] = {"",
                                     "axes: sae\n",
                                     "axes: dads\n",
                                     "axes: sae\nunits: {length: mm, time: ms}\n",
                                     "gravity: [0, 0, -9.81]\n",
                                     "axes: sae\ngravity: [0, 0, 9.81]\n",
                                     "axes: dads\ngravity: [0, 0, -9.81]\n",
                                     "units: {length: mm}\ngravity: [0, 0, -9810]\n"};
  for (size_t i = 0; i < sizeof head / sizeof *head; i++) {
    char text[512];
    snprintf(text, sizeof text, "jounce: 1\n%s" BODY FREE, head[i]);
    jn_spec *s = parse(text);
    JT_NEAR(s->gravity[0], 0.0, 0.0);
    JT_NEAR(s->gravity[1], 0.0, 0.0);
    JT_NEAR(s->gravity[2], -9.81, 1e-15 * 9.81);
    jn_spec_free(s);
  }
}

// The default axes of a bushing are those of its file: in DADS axes its first one points right.
static void bushing_without_axes_has_those_of_its_file(void **state)
{
  (void)state;
  char one[1024], two[1024];
  const char *text =
      "jounce: 1\naxes: %s\n"
      "bodies:\n  a: {mass: 1, cg: [0, 0, 0], inertia: [1, 1, 1]}\n"
      "joints:\n  j: {type: free, bodies: [ground, a]}\n"
      "forces:\n  f: {type: bushing, bodies: [ground, a], at: [0, 0, 0], stiffness: [1, 2, 3]%s}\n";
  static const char *const axes[] = {"iso", "sae", "dads"};
  for (int i = 0; i < 3; i++) {
    double along[2][3][3];
    snprintf(one, sizeof one, text, axes[i], "");
    snprintf(two, sizeof two, text, axes[i], ", axes: [[1, 0, 0], [0, 1, 0]]");
    for (int k = 0; k < 2; k++) {  // stiffness as a matrix in ISO axes
      jn_spec *s = parse(k ? two : one);
      const jn_bushing_keys *b = &s->force[0].as.bushing;
      double e[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
      if (b->axes.n) {
        memcpy(e[0], b->axes.v[0], sizeof e[0]);
        memcpy(e[1], b->axes.v[1], sizeof e[1]);
        for (int c = 0; c < 3; c++)
          e[2][c] = e[0][(c + 1) % 3] * e[1][(c + 2) % 3] - e[0][(c + 2) % 3] * e[1][(c + 1) % 3];
      }
      for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) {
          along[k][r][c] = 0.0;
          for (int d = 0; d < 3; d++) along[k][r][c] += b->stiffness[d] * e[d][r] * e[d][c];
        }
      jn_spec_free(s);
    }
    for (int r = 0; r < 3; r++)
      for (int c = 0; c < 3; c++) JT_NEAR(along[0][r][c], along[1][r][c], 0.0);
  }
}

// Roll, pitch and yaw: the body is turned about z, then about its y, then about its x.
static void angles_turn_yaw_then_pitch_then_roll(void **state)
{
  (void)state;
  check_same(
      "jounce: 1\nunits: {angle: deg}\nbodies:\n"
      "  a: {mass: 1, cg: [0, 0, 0], inertia: [1, 2, 3], orientation: [0, 0, 90]}\n" FREE,
      "jounce: 1\nbodies:\n"
      "  a: {mass: 1, cg: [0, 0, 0], inertia: [1, 2, 3],\n"
      "      orientation: [0.7071067811865476, 0, 0, 0.7071067811865475]}\n" FREE);
  const double roll = 0.3, pitch = -0.7, yaw = 2.1;
  jn_spec *s = parse(
      "jounce: 1\nbodies:\n  a: {mass: 1, cg: [0, 0, 0], inertia: [1, 2, 3],\n"
      "      orientation: [0.3, -0.7, 2.1]}\n" FREE);
  const double *q = s->body[0].keys.orientation;
  const double w = q[0], x = q[1], y = q[2], z = q[3];
  // First and third row or column of R = Rz(yaw) Ry(pitch) Rx(roll).
  JT_NEAR(1 - 2 * (y * y + z * z), cos(yaw) * cos(pitch), 1e-15);
  JT_NEAR(2 * (x * y + w * z), sin(yaw) * cos(pitch), 1e-15);
  JT_NEAR(2 * (x * z - w * y), -sin(pitch), 1e-15);
  JT_NEAR(2 * (y * z + w * x), cos(pitch) * sin(roll), 1e-15);
  JT_NEAR(1 - 2 * (x * x + y * y), cos(pitch) * cos(roll), 1e-15);
  jn_spec_free(s);
  // SAE's y and z are the opposite ones: pitch and yaw change their signs.
  char *printed[2];
  for (int i = 0; i < 2; i++) {
    s = parse(i ? "jounce: 1\naxes: sae\nname: m\nbodies:\n  a: {mass: 1, cg: [1, 1, 1],"
                  " inertia: [1, 2, 3], orientation: [0.3, 0.7, -2.1]}\n" FREE
                : "jounce: 1\nname: m\nbodies:\n  a: {mass: 1, cg: [1, -1, -1],"
                  " inertia: [1, 2, 3], orientation: [0.3, -0.7, 2.1]}\n" FREE);
    printed[i] = print(s);
    jn_spec_free(s);
  }
  assert_string_equal(printed[0], printed[1]);
  free(printed[0]), free(printed[1]);
}

// ---- files that include others ------------------------------------------------------------------

static char folder[] = "/tmp/jounce-test-XXXXXX";

static void write_file(const char *name, const char *text)
{
  char path[128];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *out = fopen(path, "wb");
  assert_non_null(out);
  fputs(text, out);
  fclose(out);
}

static jn_spec *load_file(const char *name, const char *const *set, int nset)
{
  char path[128];
  jn_error err = {0};
  jn_spec *spec = NULL;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  ok(jn_spec_load(path, set, nset, &spec, &err), &err, NULL);
  return spec;
}

static void check_file(const char *name, const char *text)
{
  jn_spec *x = load_file(name, NULL, 0), *y = parse(text);
  char *s = print(x), *t = print(y);
  assert_string_equal(s, t);
  free(s), free(t);
  jn_spec_free(x), jn_spec_free(y);
}

static int make_folder(void **state)
{
  (void)state;
  if (!mkdtemp(folder)) return -1;
  char path[128];
  snprintf(path, sizeof path, "%s/parts", folder);
  return mkdir(path, 0700);
}

static int remove_folder(void **state)
{
  (void)state;
  char command[128];
  snprintf(command, sizeof command, "rm -rf %s", folder);
  return system(command);
}

static void includes_are_overridden_key_by_key(void **state)
{
  (void)state;
  write_file("parts/base.yaml",
             "jounce: 1\nname: base\ngravity: [0, 0, -1]\n"
             "points: {p: [1, 2, 3], q: [4, 5, 6]}\n"
             "bodies:\n"
             "  a: {mass: 1, cg: p, inertia: [1, 2, 3]}\n"
             "  b: {mass: 2, cg: q, inertia: [1, 2, 3]}\n"
             "joints:\n"
             "  j: {type: revolute, bodies: [ground, a], at: p, axis: [0, 0, 1]}\n"
             "  k: {type: revolute, bodies: [a, b], at: q, axis: [0, 0, 1]}\n");
  write_file("car.yaml",
             "jounce: 1\ninclude: parts/base.yaml\nname: car\n"
             "points: {q: [7, 8, 9]}\n"
             "bodies:\n"
             "  a: {mass: 10}\n"
             "  c: {mass: 3, cg: q, inertia: [1, 1, 1]}\n"
             "joints:\n"
             "  k: {axis: [0, 1, 0]}\n"
             "  l: {type: spherical, bodies: [b, c], at: p}\n");
  check_file("car.yaml",
             "jounce: 1\nname: car\ngravity: [0, 0, -1]\n"
             "bodies:\n"
             "  a: {mass: 10, cg: [1, 2, 3], inertia: [1, 2, 3]}\n"
             "  b: {mass: 2, cg: [7, 8, 9], inertia: [1, 2, 3]}\n"
             "  c: {mass: 3, cg: [7, 8, 9], inertia: [1, 1, 1]}\n"
             "joints:\n"
             "  j: {type: revolute, bodies: [ground, a], at: [1, 2, 3], axis: [0, 0, 1]}\n"
             "  k: {type: revolute, bodies: [a, b], at: [7, 8, 9], axis: [0, 1, 0]}\n"
             "  l: {type: spherical, bodies: [b, c], at: [1, 2, 3]}\n");
}

// Numbers are in the units of the file they stand in, whoever includes it.
static void included_files_keep_their_own_units_and_axes(void **state)
{
  (void)state;
  write_file("parts/mm.yaml",
             "units: {length: mm, mass: g}\naxes: sae\n"
             "bodies:\n"
             "  a: {mass: 1000, cg: [1000, 2000, 3000], inertia: [1e9, 1e9, 1e9]}\n"
             "  b: {mass: 2000, cg: [0, 0, 500], inertia: [1e9, 1e9, 1e9]}\n");
  write_file("parts/joints.yaml",
             "units: {length: cm}\n"
             "joints:\n  j: {type: spherical, bodies: [ground, a], at: [100, 50, 25]}\n");
  write_file("units.yaml",
             "jounce: 1\nname: car\nunits: {length: km}\n"
             "include: [parts/mm.yaml, parts/joints.yaml]\n"
             "bodies:\n  b: {cg: [0.001, 0.002, 0.003]}\n"
             "joints:\n  k: {type: spherical, bodies: [a, b], at: [0.001, 0, 0]}\n");
  check_file("units.yaml",
             "jounce: 1\nname: car\n"
             "bodies:\n"
             "  a: {mass: 1, cg: [1, -2, -3], inertia: [1, 1, 1, 0, 0, 0]}\n"
             "  b: {mass: 2, cg: [1, 2, 3], inertia: [1, 1, 1, 0, 0, 0]}\n"
             "joints:\n"
             "  j: {type: spherical, bodies: [ground, a], at: [1, 0.5, 0.25]}\n"
             "  k: {type: spherical, bodies: [a, b], at: [1, 0, 0]}\n");
}

static void later_includes_override_earlier_ones_and_files_include_beside_themselves(void **state)
{
  (void)state;
  write_file("parts/one.yaml", "bodies:\n  a: {mass: 1, cg: [0, 0, 0], inertia: [1, 1, 1]}\n");
  write_file("parts/two.yaml", "include: one.yaml\nbodies:\n  a: {mass: 2}\n");
  write_file("parts/three.yaml", "bodies:\n  a: {mass: 3}\n");
  write_file("nested.yaml",
             "jounce: 1\nname: n\ninclude: [parts/two.yaml, parts/three.yaml]\n" FREE);
  check_file("nested.yaml",
             "jounce: 1\nname: n\n"
             "bodies:\n  a: {mass: 3, cg: [0, 0, 0], inertia: [1, 1, 1]}\n" FREE);
  write_file("swapped.yaml",
             "jounce: 1\nname: n\ninclude: [parts/three.yaml, parts/two.yaml]\n" FREE);
  check_file("swapped.yaml",
             "jounce: 1\nname: n\n"
             "bodies:\n  a: {mass: 2, cg: [0, 0, 0], inertia: [1, 1, 1]}\n" FREE);
}

// ---- --set --------------------------------------------------------------------------------------

static void check_set(const char *text, const char *set, const char *expected)
{
  jn_spec *x = parse_set(text, &set, 1), *y = parse(expected);
  char *s = print(x), *t = print(y);
  assert_string_equal(s, t);
  free(s), free(t);
  jn_spec_free(x), jn_spec_free(y);
}

static void values_are_set_in_the_units_of_the_file(void **state)
{
  (void)state;
  const char *text =
      "jounce: 1\nname: m\nunits: {length: mm}\naxes: sae\n"
      "bodies:\n  a: {mass: 2, cg: [1000, 2000, 3000], inertia: [4e6, 5e6, 6e6]}\n" FREE;
#define EXPECT(g, mass, cg)                                         \
  "jounce: 1\nname: m\n" g "bodies:\n  a: {mass: " mass ", cg: " cg \
  ", inertia: [4, 5, 6, 0, 0, 0]}\n" FREE
  check_set(text, "bodies.a.mass=7", EXPECT("", "7", "[1, -2, -3]"));      // a number
  check_set(text, "bodies.a.cg.1=500", EXPECT("", "2", "[1, -0.5, -3]"));  // of a list
  check_set(text, "bodies.a.cg=[10, 20, 30]", EXPECT("", "2", "[0.01, -0.02, -0.03]"));
  check_set(text, "gravity=[0, 0, 1620]", EXPECT("gravity: [0, 0, -1.62]\n", "2", "[1, -2, -3]"));
#undef EXPECT
  check_set("jounce: 1\nname: m\n" BODY FREE, "joints.j.at=[1, 2, 3]",  // a new key
            "jounce: 1\nname: m\n" BODY
            "joints:\n  j: {type: free, bodies: [ground, a], at: [1, 2, 3]}\n");
  check_set("jounce: 1\nname: m\n" BODY FREE, "name=other words",
            "jounce: 1\nname: other words\n" BODY FREE);
  check_set("jounce: 1\nname: m\n" BODY FREE, "initial={a: {velocity: [1, 0, 0]}}",
            "jounce: 1\nname: m\n" BODY FREE "initial:\n  a: {velocity: [1, 0, 0]}\n");
}

static void later_sets_win_and_reach_what_was_included(void **state)
{
  (void)state;
  write_file("parts/set.yaml",
             "units: {length: mm}\n"
             "bodies:\n  a: {mass: 1, cg: [1000, 0, 0], inertia: [1e6, 1e6, 1e6]}\n");
  write_file("set.yaml", "jounce: 1\nname: n\ninclude: parts/set.yaml\n" FREE);
  const char *set[] = {"bodies.a.mass=5", "bodies.a.cg.0=3000", "bodies.a.mass=6"};
  jn_spec *x = load_file("set.yaml", set, 3);
  assert_true(x->body[0].keys.mass == 6.0);
  assert_true(x->body[0].keys.cg[0] == 3.0);  // in millimetres, as in the file that has it
  assert_true(x->body[0].keys.inertia[0] == 1.0);
  jn_spec_free(x);
}

// ---- values -------------------------------------------------------------------------------------

static void points_are_known_by_name_wherever_they_stand(void **state)
{
  (void)state;
  check_same(
      "jounce: 1\nname: m\nbodies:\n  a: {mass: 2, cg: here, inertia: [4, 5, 6]}\n"
      "joints:\n  j: {type: distance, bodies: [ground, a], at: [here, [7, 8, 9]]}\n"
      "points:\n  here: [1, 2, 3]\n",
      "jounce: 1\nname: m\n" BODY
      "joints:\n  j: {type: distance, bodies: [ground, a], at: [[1, 2, 3], [7, 8, 9]]}\n");
}

#define CURVED(curve)                                                            \
  "jounce: 1\nname: m\n" BODY FREE                                               \
  "forces:\n  f: {type: tsda, bodies: [ground, a], at: [[0, 0, 0], [0, 0, 1]], " \
  "spring_curve: " curve "}\n"

static void curves_are_lists_of_points_or_mappings(void **state)
{
  (void)state;
  check_same(CURVED("[[0, 1], [2, 3]]"),
             CURVED("{points: [[0, 1], [2, 3]], method: linear, outside: linear}"));
  check_same(CURVED("{points: [[0, 1], [2, 3]], outside: hold}"),
             CURVED("{outside: hold, method: linear, points: [[0, 1], [2, 3]]}"));
  static const char *const method[] = {"linear", "akima", "monotone"};
  for (int i = 0; i < 3; i++) {
    char text[512];
    snprintf(text, sizeof text, CURVED("{points: [[0, 1], [2, 3], [5, 7]], method: %s}"),
             method[i]);
    jn_spec *s = parse(text);
    const jn_curve_spec *c = &s->force[0].as.tsda.spring_curve;
    assert_int_equal(c->method, i);
    assert_int_equal(c->n, 3);
    assert_true(c->x[2] == 5.0 && c->y[2] == 7.0);
    assert_string_equal(jn_curve_outside[c->outside].word, "linear");
    jn_spec_free(s);
  }
}

static void what_is_left_out_has_its_default(void **state)
{
  (void)state;
  jn_spec *s = parse("jounce: 1\n" BODY FREE
                     "tyres: {t: {type: vertical, radius: 0.3, stiffness: 1e5}}\n"
                     "forces:\n"
                     "  s: {type: tsda, bodies: [ground, a], at: [[0, 0, 0], [0, 0, 1]]}\n"
                     "  b: {type: bushing, bodies: [ground, a], at: [0, 0, 0]}\n"
                     "  w: {type: wheel, body: a, at: [0, 0, 0], inertia: 1, tyre: t}\n"
                     "  y: {type: tyre, body: a, at: [0, 0, 0], tyre: t}\n"
                     "  d: {type: torque, bodies: [ground, a], axis: [0, 0, 1], torque: 1}\n"
                     "  f: {type: force, body: a, force: [0, 0, 1]}\n");
  assert_string_equal(s->name, "test");  // of the file
  assert_null(s->description);
  assert_true(s->gravity[2] == -9.81);
  const double *q = s->body[0].keys.orientation;
  assert_true(q[0] == 1.0 && q[1] == 0.0 && q[2] == 0.0 && q[3] == 0.0);
  assert_true(s->body[0].keys.inertia[3] == 0.0);
  assert_int_equal(s->joint[0].keys.at.n, 0);
  assert_false(jn_joint_driven(&s->joint[0]));
  const jn_tsda_keys *spring = &s->force[0].as.tsda;
  assert_true(spring->stiffness == 0.0 && spring->damping == 0.0 && spring->preload.value == 0.0);
  assert_false(spring->free_length.automatic || spring->preload.automatic);
  assert_false(JN_GIVEN(spring, jn_tsda_keys, free_length));
  assert_int_equal(spring->spring_curve.n, 0);
  assert_int_equal(spring->spring_polynomial.n, 0);
  assert_null(spring->channel);
  assert_true(spring->lag == 0.0);
  assert_true(s->force[1].as.bushing.stiffness[0] == 0.0);
  const jn_wheel_keys *w = &s->force[2].as.wheel;
  assert_true(w->axis[0] == 0.0 && w->axis[1] == 1.0 && w->axis[2] == 0.0 && w->gyroscopic);
  assert_true(s->force[3].as.tyre.axis[1] == 1.0);
  assert_true(s->force[4].as.torque.start < -1e300);
  assert_int_equal(s->force[5].as.force.frame, 0);
  assert_false(JN_GIVEN(&s->force[5].as.force, jn_force_keys, at));
  assert_int_equal(s->topology.given, 0);
  jn_spec_free(s);
}

static void auto_is_a_value_of_its_own(void **state)
{
  (void)state;
  jn_spec *s = parse("jounce: 1\n" BODY FREE
                     "forces:\n  s: {type: tsda, bodies: [ground, a], at: [[0, 0, 0], [0, 0, 1]],\n"
                     "      free_length: auto, preload: auto}\n");
  assert_true(s->force[0].as.tsda.free_length.automatic && s->force[0].as.tsda.preload.automatic);
  char *text = print(s);
  assert_non_null(strstr(text, "free_length: auto, preload: auto"));
  free(text);
  jn_spec_free(s);
}

// ---- how it is written --------------------------------------------------------------------------

static const char *const plain = "jounce: 1\nname: m\n" BODY FREE;

static void json_is_read_as_yaml(void **state)
{
  (void)state;
  check_same(
      "{\"jounce\": 1, \"name\": \"m\", \"bodies\": {\"a\": {\"mass\": 2, \"cg\": [1, 2, 3],"
      "\"inertia\": [4, 5, 6]}}, \"joints\": {\"j\": {\"type\": \"free\","
      "\"bodies\": [\"ground\", \"a\"]}}}",
      plain);
  check_same(
      "{\n  \"jounce\": 1,\n  \"name\": \"m\",\n  \"units\": {\"length\": \"mm\"},\n"
      "  \"bodies\": {\n    \"a\": {\n      \"mass\": 2.0e0,\n      \"cg\": [1e3, 2000, 3E3],\n"
      "      \"inertia\": [4e6, 5e6, 6e6]\n    }\n  },\n"
      "  \"joints\": {\"j\": {\"type\": \"free\", \"bodies\": [\"ground\", \"a\"]}},\n"
      "  \"forces\": {\"s\": {\"type\": \"tsda\", \"bodies\": [\"ground\", \"a\"],"
      " \"at\": [[0, 0, 0], [0, 0, 1]], \"free_length\": \"auto\"},\n"
      "    \"w\": {\"type\": \"wheel\", \"body\": \"a\", \"at\": [0, 0, 0], \"inertia\": 1e6,"
      " \"tyre\": \"t\", \"gyroscopic\": false}},\n"
      "  \"tyres\": {\"t\": {\"type\": \"vertical\", \"radius\": 300, \"stiffness\": 100}}\n}\n",
      "jounce: 1\nname: m\n" BODY FREE
      "forces:\n"
      "  s: {type: tsda, bodies: [ground, a], at: [[0, 0, 0], [0, 0, 0.001]], free_length: auto}\n"
      "  w: {type: wheel, body: a, at: [0, 0, 0], inertia: 1, tyre: t, gyroscopic: false}\n"
      "tyres: {t: {type: vertical, radius: 0.3, stiffness: 1e5}}\n");
}

static void json_may_be_indented_with_tabs(void **state)
{
  (void)state;
  check_same(
      "{\n\t\"jounce\": 1,\n\t\"name\": \"m\",\n\t\"bodies\": {\n\t\t\"a\": {\n\t\t\t\"mass\": 2,\n"
      "\t\t\t\"cg\": [1, 2, 3],\n\t\t\t\"inertia\": [4, 5, 6]\n\t\t}\n\t},\n"
      "\t\"joints\": {\"j\": {\"type\": \"free\", \"bodies\": [\"ground\", \"a\"]}}\n}\n",
      plain);
}

static void marks_line_ends_and_version_do_not_matter(void **state)
{
  (void)state;
  check_same("\xef\xbb\xbfjounce: 1\nname: m\n" BODY FREE, plain);
  check_same(
      "jounce: 1\r\nname: m\r\nbodies:\r\n"
      "  a: {mass: 2, cg: [1, 2, 3], inertia: [4, 5, 6]}\r\n"
      "joints:\r\n  j: {type: free, bodies: [ground, a]}\r\n",
      plain);
  check_same(
      "jounce: 1\rname: m\rbodies:\r  a: {mass: 2, cg: [1, 2, 3], inertia: [4, 5, 6]}\r"
      "joints:\r  j: {type: free, bodies: [ground, a]}\r",
      plain);
  check_same("%YAML 1.2\n---\njounce: 1\nname: m\n" BODY FREE "...\n", plain);
  check_same("\xef\xbb\xbf%YAML 1.2\r\n---\r\njounce: 1\nname: m\n" BODY FREE, plain);
  check_same("---\njounce: 1\nname: m\n" BODY FREE, plain);
  check_same("# a comment\njounce: 1  # one more\n\n\nname: \"m\"\n" BODY FREE "# the last", plain);
  check_same(
      "jounce: 1\nname: 'm'\nbodies:\n  a:\n    mass: +2.\n    cg:\n    - 1\n    - .2e1\n"
      "    - 3E0\n    inertia: [4, 5,\n      6]\n" FREE,
      plain);
  check_same(
      "jounce: 1\nname: m\njoints: {j: {type: free, bodies: [ground, a]}}\nforces:\ninitial: ~\n"
      "tyres: null\npoints: {}\nbodies: {a: {mass: 2, cg: [1, 2, 3], inertia: [4, 5, 6]}}\n",
      plain);
}

// ---- printing and reading again -----------------------------------------------------------------

static char *json_of(const jn_spec *spec)
{
  jn_error err = {0};
  jn_model *m = NULL;
  char *text = NULL;
  size_t length = 0;
  ok(jn_model_compile(spec, NULL, &m, &err), &err, NULL);
  FILE *out = open_memstream(&text, &length);
  ok(jn_model_show_json(m, NULL, out, &err), &err, NULL);
  fclose(out);
  jn_model_free(m);
  return text;
}

static void check_round_trip(const jn_spec *spec, bool compile)
{
  char *text = print(spec);
  jn_spec *again = parse(text);
  char *twice = print(again);
  assert_string_equal(text, twice);
  if (compile) {
    char *plan = json_of(spec), *other = json_of(again);
    assert_string_equal(plan, other);
    free(plan), free(other);
  }
  free(text), free(twice);
  jn_spec_free(again);
}

static void on_every_model(void (*law)(const jn_spec *, bool))
{
  static const char *const folders[] = {"models", "test/models"};
  int files = 0;
  for (int i = 0; i < 2; i++) {
    DIR *dir = opendir(folders[i]);
    assert_non_null(dir);
    for (struct dirent *d; (d = readdir(dir));) {
      char path[512];
      jn_error err = {0};
      jn_spec *spec = NULL;
      if (!strstr(d->d_name, ".yaml")) continue;
      snprintf(path, sizeof path, "%s/%s", folders[i], d->d_name);
      ok(jn_spec_load(path, NULL, 0, &spec, &err), &err, path);
      law(spec, true);
      jn_spec_free(spec);
      files++;
    }
    closedir(dir);
  }
  assert_true(files >= 22);
}

static void every_model_is_read_again_as_it_was_printed(void **state)
{
  (void)state;
  on_every_model(check_round_trip);
}

// Every kind of element and key, in units that do not divide.
static void every_key_is_read_again_as_it_was_printed(void **state)
{
  (void)state;
  char text[8192];
  snprintf(text, sizeof text, "jounce: 1\n%s%s%s",
           "units: {length: in, mass: lb, angle: deg, force: lbf}\n", everything,
           "topology: {base: b, cut: [slide]}\ndescription: all of it\n");
  jn_spec *s = parse(text);
  check_round_trip(s, false);
  jn_spec_free(s);
  const char *const three[] = {iso, sae, dads};
  for (int i = 0; i < 3; i++) {
    s = parse(three[i]);
    check_round_trip(s, false);
    jn_spec_free(s);
  }
}

static void numbers_are_read_again_to_the_last_bit(void **state)
{
  (void)state;
  jt_random r = {51};
  for (int round = 0; round < 300; round++) {
    char text[512];
    double cg[3], mass = ldexp(jt_random_in(&r, 0.5, 1), jt_random_below(&r, 200) - 100);
    for (int i = 0; i < 3; i++)
      cg[i] = ldexp(jt_random_in(&r, -1, 1), jt_random_below(&r, 60) - 40);
    snprintf(text, sizeof text,
             "jounce: 1\nbodies:\n  a: {mass: %.17g, cg: [%.17g, %.17g, %.17g], inertia: [1, 1, "
             "1]}\n" FREE,
             mass, cg[0], cg[1], cg[2]);
    jn_spec *s = parse(text);
    assert_true(s->body[0].keys.mass == mass);
    char *printed = print(s);
    jn_spec *again = parse(printed);
    assert_true(again->body[0].keys.mass == mass);
    assert_memory_equal(again->body[0].keys.cg, cg, sizeof cg);
    free(printed);
    jn_spec_free(again);
    jn_spec_free(s);
  }
}

// Text in any script, with quotes and line ends, comes back as it was.
static void text_is_read_again_as_it_was(void **state)
{
  (void)state;
  static const char *const says[] = {"plain",
                                     "with \\\"quotes\\\" and \\\\ backslash",
                                     "two\\nlines\\tand a tab",
                                     "",
                                     "null",
                                     "12",
                                     "- [a, {b: c}] # no comment",
                                     "\xc3\xa4\xe2\x82\xac\xf0\x9f\x9a\x97",
                                     "\\u0085\\u2028\\ufeff \\x07",
                                     " spaces at both ends "};
  for (size_t i = 0; i < sizeof says / sizeof *says; i++) {
    char text[512];
    snprintf(text, sizeof text, "jounce: 1\nname: \"%s\"\ndescription: \"%s\"\n" BODY FREE, says[i],
             says[i]);
    jn_spec *s = parse(text);
    char *printed = print(s);
    jn_spec *again = parse(printed);
    assert_string_equal(s->name, again->name);
    assert_string_equal(s->description, again->description);
    free(printed);
    jn_spec_free(again);
    check_round_trip(s, false);
    jn_spec_free(s);
  }
}

// ---- locales ------------------------------------------------------------------------------------

static void check_locale(const char *name, const char *source, const char *point)
{
  jn_spec *s = parse(iso);
  char *here = print(s), *there = NULL;
  bool found = use_locale(folder, name, source, point);
  jn_spec *again = NULL;
  if (found) {
    again = parse(here);
    there = print(again);
    check_round_trip(s, false);
  }
  setlocale(LC_ALL, "C");
  jn_spec_free(s);
  if (found) assert_string_equal(here, there);
  jn_spec_free(again);
  free(here), free(there);
  if (!found) JT_SKIP("the locale is not there, and cannot be made");
}

static void decimal_comma_of_the_locale_does_not_matter(void **state)
{
  (void)state;
  check_locale("de_DE.UTF-8", "de_DE", ",");
}

static void decimal_point_of_two_bytes_does_not_matter(void **state)
{
  (void)state;
  check_locale("ps_AF.UTF-8", "ps_AF", "\xd9\xab");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_are_taken_in_the_units_of_the_file),
      cmocka_unit_test(decimal_units_round_once),
      cmocka_unit_test(sae_axes_give_the_iso_model),
      cmocka_unit_test(dads_axes_give_the_iso_model),
      cmocka_unit_test(gravity_points_down_in_any_axes),
      cmocka_unit_test(bushing_without_axes_has_those_of_its_file),
      cmocka_unit_test(angles_turn_yaw_then_pitch_then_roll),
      cmocka_unit_test(includes_are_overridden_key_by_key),
      cmocka_unit_test(included_files_keep_their_own_units_and_axes),
      cmocka_unit_test(later_includes_override_earlier_ones_and_files_include_beside_themselves),
      cmocka_unit_test(values_are_set_in_the_units_of_the_file),
      cmocka_unit_test(later_sets_win_and_reach_what_was_included),
      cmocka_unit_test(points_are_known_by_name_wherever_they_stand),
      cmocka_unit_test(curves_are_lists_of_points_or_mappings),
      cmocka_unit_test(what_is_left_out_has_its_default),
      cmocka_unit_test(auto_is_a_value_of_its_own),
      cmocka_unit_test(json_is_read_as_yaml),
      cmocka_unit_test(json_may_be_indented_with_tabs),
      cmocka_unit_test(marks_line_ends_and_version_do_not_matter),
      cmocka_unit_test(every_model_is_read_again_as_it_was_printed),
      cmocka_unit_test(every_key_is_read_again_as_it_was_printed),
      cmocka_unit_test(numbers_are_read_again_to_the_last_bit),
      cmocka_unit_test(text_is_read_again_as_it_was),
      cmocka_unit_test(decimal_comma_of_the_locale_does_not_matter),
      cmocka_unit_test(decimal_point_of_two_bytes_does_not_matter),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
