// A motion depends on the mechanism alone: not on where in the world it is, nor how it is turned,
// nor on names and the order of the file. And what a mechanism conserves is conserved.
#include <glob.h>

#include "base/quat.h"
#include "base/v3.h"
#include "reorder.h"
#include "run_case.h"
#include "slow.h"
#include "spec/spec_internal.h"

// ---- the whole model moved ----------------------------------------------------------------------

typedef struct placing {  // p -> r p + d
  q4 r;
  v3 d;
} placing;

static void turn(const placing *k, double x[3])
{
  v3_store(x, q_rotate(k->r, v3_load(x)));
}

static void move(const placing *k, double x[3])
{
  v3_store(x, v3_add(q_rotate(k->r, v3_load(x)), k->d));
}

static void turn_all(const placing *k, jn_vectors *x)
{
  for (int i = 0; i < x->n; i++) turn(k, x->v[i]);
}

static void move_all(const placing *k, jn_vectors *x)
{
  for (int i = 0; i < x->n; i++) move(k, x->v[i]);
}

static void put(double e[4], q4 q)
{
  e[0] = q.w, e[1] = q.x, e[2] = q.y, e[3] = q.z;
}

static q4 quaternion(const double e[4])
{
  return q_make(e[0], v3_load(e + 1));
}

static void place_force(const placing *k, jn_force_spec *f)
{
  switch (f->kind) {
    case JN_FORCE_TSDA:
      move_all(k, &f->as.tsda.at);
      break;
    case JN_FORCE_BUSHING:
      move_all(k, &f->as.bushing.at);
      if (f->as.bushing.axes.n == 0) f->as.bushing.axes = (jn_vectors){2, {{1, 0, 0}, {0, 1, 0}}};
      turn_all(k, &f->as.bushing.axes);
      break;
    case JN_FORCE_FORCE:
      move(k, f->as.force.at);
      turn(k, f->as.force.force);  // in the body's axes of the design position, or in the world's
      break;
    case JN_FORCE_TORQUE:
      turn(k, f->as.torque.axis);
      break;
    case JN_FORCE_WHEEL:
      move(k, f->as.wheel.at);
      break;
    case JN_FORCE_TYRE:
      move(k, f->as.tyre.at);
      break;
    default:
      break;
  }
}

// Everything that has a place or a direction. Inertias are in the bodies' axes, which turn.
static void place(const placing *k, jn_spec *s)
{
  turn(k, s->gravity);
  for (int i = 0; i < s->nbody; i++) {
    move(k, s->body[i].keys.cg);
    put(s->body[i].keys.orientation, q_mul(k->r, quaternion(s->body[i].keys.orientation)));
  }
  for (int i = 0; i < s->njoint; i++) {
    move_all(k, &s->joint[i].keys.at);
    turn_all(k, &s->joint[i].keys.axis);
  }
  for (int i = 0; i < s->nforce; i++) place_force(k, &s->force[i]);
  for (int i = 0; i < s->ninitial; i++) {
    if (s->initial[i].joint < 0) {
      turn(k, s->initial[i].as.body.velocity);
      turn(k, s->initial[i].as.body.angular_velocity);
      continue;
    }
    jn_initial_joint_keys *j = &s->initial[i].as.joint;
    turn(k, j->angular_velocity);
    turn(k, j->offset);
    turn(k, j->velocity);
    put(j->orientation, q_mul(q_mul(k->r, quaternion(j->orientation)), q_conj(k->r)));
  }
}

// ---- comparing motions --------------------------------------------------------------------------

typedef struct difference {
  double position, rotation, speed, accel, joint, force;  // largest, in SI units
} difference;

static double value(jt_run *r, const double *row, const char *group, const char *name,
                    const char *suffix)
{
  char text[200];
  snprintf(text, sizeof text, "%s%s.%s", group, name, suffix);
  int c = jn_channel_find(r->system, text);
  return c < 0 ? NAN : row[c];
}

static v3 triple(jt_run *r, const double *row, const char *group, const char *name,
                 const char *const suffix[3])
{
  return v3_make(value(r, row, group, name, suffix[0]), value(r, row, group, name, suffix[1]),
                 value(r, row, group, name, suffix[2]));
}

static void note(double *most, v3 x, v3 expected)
{
  double d = v3_norm(v3_sub(x, expected));
  if (!(d <= *most)) *most = d;
}

static difference compare(jt_run *a, jt_run *b, const placing *k)
{
  static const char *const p3[3] = {"x", "y", "z"}, *const v3n[3] = {"vx", "vy", "vz"};
  static const char *const w3[3] = {"wx", "wy", "wz"}, *const a3[3] = {"ax", "ay", "az"};
  static const char *const dw3[3] = {"dwx", "dwy", "dwz"}, *const f3[3] = {"fx", "fy", "fz"};
  static const char *const q3[3] = {"qx", "qy", "qz"};
  static const char *const coordinate[] = {"angle",  "position", "speed",  "spin",
                                           "angle1", "angle2",   "speed1", "speed2"};
  const double *x = jt_row(a), *y = jt_row(b);
  difference d = {0};
  for (int i = 0; i < a->spec->nbody; i++) {
    const char *n = a->spec->body[i].name;
    note(&d.position, triple(b, y, "", n, p3),
         v3_add(q_rotate(k->r, triple(a, x, "", n, p3)), k->d));
    note(&d.speed, triple(b, y, "", n, v3n), q_rotate(k->r, triple(a, x, "", n, v3n)));
    note(&d.speed, triple(b, y, "", n, w3), q_rotate(k->r, triple(a, x, "", n, w3)));
    note(&d.accel, triple(b, y, "", n, a3), q_rotate(k->r, triple(a, x, "", n, a3)));
    note(&d.accel, triple(b, y, "", n, dw3), q_rotate(k->r, triple(a, x, "", n, dw3)));
    q4 qa = q_mul(k->r, q_make(value(a, x, "", n, "qw"), triple(a, x, "", n, q3)));
    q4 qb = q_make(value(b, y, "", n, "qw"), triple(b, y, "", n, q3));
    if (qa.w * qb.w + qa.x * qb.x + qa.y * qb.y + qa.z * qb.z < 0.0) qb = q_scale(-1.0, qb);
    note(&d.rotation, v3_make(qa.x, qa.y, qa.z), v3_make(qb.x, qb.y, qb.z));
  }
  for (int i = 0; i < a->spec->njoint; i++) {
    const char *n = a->spec->joint[i].name;
    for (size_t c = 0; c < sizeof coordinate / sizeof *coordinate; c++) {
      double at = value(a, x, "joint.", n, coordinate[c]);
      if (isnan(at)) continue;
      note(&d.joint, v3_make(value(b, y, "joint.", n, coordinate[c]), 0, 0), v3_make(at, 0, 0));
    }
    if (a->spec->joint[i].kind == JN_JOINT_FREE) continue;
    note(&d.force, triple(b, y, "joint.", n, f3), q_rotate(k->r, triple(a, x, "joint.", n, f3)));
  }
  return d;
}

// ---- which --------------------------------------------------------------------------------------

// The stiff dampers of the flyball governor and the bushings of the five-link suspension need short
// steps with ab3 (its limit on the real axis is 6/11 over the rate).
typedef struct subject {
  const char *file;
  double step;
  int steps;
} subject;

static const subject subjects[] = {
    {"models/pendulum.yaml", 1e-3, 500},         {"models/double-pendulum.yaml", 1e-3, 500},
    {"models/slider-crank.yaml", 1e-3, 300},     {"models/hmmwv-002.yaml", 1e-3, 200},
    {"models/five-link-joints.yaml", 1e-4, 500}, {"models/flyball.yaml", 1e-5, 500},
    {"models/bricard.yaml", 1e-3, 500},
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

static jn_sim_opts opts_of(const subject *c, int formulation)
{
  return (jn_sim_opts){
      .formulation = (jn_formulation)formulation, .step = c->step, .without_tyres = 1};
}

static double around_one(jt_random *r, double width)
{
  return 1.0 + jt_random_in(r, -width, width);
}

// What a change of the model's numbers by one part in 1e10 (of 1 m, if they are points) does to the
// motion, for each part in 2^53: at once, which damping makes vanish, or at the end of the run.
//
// That is what rounding of the numbers does. A run rounds again in every step: state and
// accelerations, the latter some hundred times on the way, but a step of h adds only h of it, and
// errors of either sign partly cancel. A thousand is allowed for all this.
static difference conditioning(const subject *c, const jn_sim_opts *o)
{
  const double width = 1e-10, allowed = 1000.0 * 0x1p-53 / width;
  static const placing nowhere = {{1, 0, 0, 0}, {0, 0, 0}};
  jt_random r = {17};
  jn_spec *s = jt_load(c->file);
  for (int i = 0; i < s->nbody; i++) {
    jn_body_keys *b = &s->body[i].keys;
    const double factor = around_one(&r, width);  // one for all: triangle inequalities hold
    b->mass *= around_one(&r, width);
    for (int k = 0; k < 6; k++) b->inertia[k] *= factor;
    for (int k = 0; k < 3; k++) b->cg[k] += jt_random_in(&r, -width, width);
  }
  for (int i = 0; i < s->njoint; i++)
    for (int k = 0; k < 6; k++)
      s->joint[i].keys.at.v[k / 3][k % 3] += jt_random_in(&r, -width, width);
  for (int i = 0; i < 3; i++) s->gravity[i] *= around_one(&r, width);
  for (int i = 0; i < s->ninitial; i++) {
    s->initial[i].as.joint.speed *= s->initial[i].joint >= 0 ? around_one(&r, width) : 1.0;
    for (int k = 0; k < 3 && s->initial[i].joint < 0; k++) {
      s->initial[i].as.body.velocity[k] *= around_one(&r, width);
      s->initial[i].as.body.angular_velocity[k] *= around_one(&r, width);
    }
  }
  for (int i = 0; i < s->nforce; i++) {
    if (s->force[i].kind == JN_FORCE_BUSHING) {  // its ends need not meet
      jn_vectors *at = &s->force[i].as.bushing.at;
      if (at->n == 1) memcpy(at->v[1], at->v[0], sizeof at->v[1]);
      at->n = 2;
      for (int k = 0; k < 6; k++) at->v[k / 3][k % 3] += jt_random_in(&r, -width, width);
    }
    if (s->force[i].kind != JN_FORCE_TSDA) continue;
    s->force[i].as.tsda.stiffness *= around_one(&r, width);
    s->force[i].as.tsda.damping *= around_one(&r, width);
    for (int k = 0; k < 6; k++)
      s->force[i].as.tsda.at.v[k / 3][k % 3] += jt_random_in(&r, -width, width);
  }
  jt_run a = jt_start(jt_load(c->file), NULL, o), b = jt_start(s, NULL, o);
  difference d = compare(&a, &b, &nowhere), last;
  jt_steps(&a, c->steps);
  jt_steps(&b, c->steps);
  last = compare(&a, &b, &nowhere);
  d = (difference){fmax(d.position, last.position), fmax(d.rotation, last.rotation),
                   fmax(d.speed, last.speed),       fmax(d.accel, last.accel),
                   fmax(d.joint, last.joint),       fmax(d.force, last.force)};
  jt_end(&a);
  jt_end(&b);
  d.position *= allowed, d.rotation *= allowed, d.speed *= allowed;
  d.accel *= allowed, d.joint *= allowed, d.force *= allowed;
  return d;
}

// Two runs, of which the second is placed elsewhere.
static difference run_both(jn_spec *first, jn_spec *second, const subject *c, const jn_sim_opts *o,
                           const placing *k)
{
  place(k, second);
  jt_run a = jt_start(first, NULL, o), b = jt_start(second, NULL, o);
  jt_steps(&a, c->steps);
  jt_steps(&b, c->steps);
  difference d = compare(&a, &b, k);
  // Rows of a cut joint are along the axes of its first body, so that a turned model has others,
  // and of rows that depend on each other other ones may be left out: reactions are not determined
  // then.
  if (jn_model_count(a.model).redundant) d.force = 0.0;
  jt_end(&a);
  jt_end(&b);
  return d;
}

static void check_difference(const subject *c, int formulation, difference d, difference most)
{
  print_message(
      "%-30s %-11s m %.0e of %.0e  1 %.0e of %.0e  m/s %.0e of %.0e  m/s2 %.0e of %.0e  "
      "joint %.0e of %.0e  N %.0e of %.0e\n",
      c->file, jn_sim_word_of("formulation", formulation), d.position, most.position, d.rotation,
      most.rotation, d.speed, most.speed, d.accel, most.accel, d.joint, most.joint, d.force,
      most.force);
  JT_LE(d.position, most.position);
  JT_LE(d.rotation, most.rotation);
  JT_LE(d.speed, most.speed);
  JT_LE(d.accel, most.accel);
  JT_LE(d.joint, most.joint);
  JT_LE(d.force, most.force);
}

static q4 random_turn(jt_random *r)
{
  double e[4];
  for (int i = 0; i < 4; i++) e[i] = jt_random_in(r, -1, 1);
  return q_normalise(quaternion(e));
}

static void world_turned(void **state)
{
  (void)state;
  jt_random r = {5};
  for (int i = 0; i < SUBJECTS; i++)
    for (int f = 0; f < JN_NFORMULATION; f++) {
      const subject *c = &subjects[i];
      const jn_sim_opts o = opts_of(c, f);
      const placing k = {random_turn(&r), {0, 0, 0}};
      check_difference(c, f, run_both(jt_load(c->file), jt_load(c->file), c, &o, &k),
                       conditioning(c, &o));
    }
}

// ---- far away -----------------------------------------------------------------------------------

static void snap(double x[3])
{
  for (int i = 0; i < 3; i++) x[i] = __builtin_rint(x[i] * 0x1p30) * 0x1p-30;
}

static void snap_all(jn_vectors *x)
{
  for (int i = 0; i < x->n; i++) snap(x->v[i]);
}

// All points are whole numbers of 2^-30 m, so that 131 km may be added without rounding.
static jn_spec *snapped(const char *file)
{
  jn_spec *s = jt_load(file);
  for (int i = 0; i < s->nbody; i++) snap(s->body[i].keys.cg);
  for (int i = 0; i < s->njoint; i++) snap_all(&s->joint[i].keys.at);
  for (int i = 0; i < s->nforce; i++) {
    if (s->force[i].kind == JN_FORCE_TSDA) snap_all(&s->force[i].as.tsda.at);
    if (s->force[i].kind == JN_FORCE_BUSHING) snap_all(&s->force[i].as.bushing.at);
    if (s->force[i].kind == JN_FORCE_FORCE) snap(s->force[i].as.force.at);
    if (s->force[i].kind == JN_FORCE_WHEEL) snap(s->force[i].as.wheel.at);
    if (s->force[i].kind == JN_FORCE_TYRE) snap(s->force[i].as.tyre.at);
  }
  return s;
}

// Only the positions that are reported have fewer digits there: 2^-36 m is the last one, half of it is
// lost in each coordinate when the origin is added, when what it has moved is, and when the two are
// compared.
static void world_moved_by_131_km(void **state)
{
  (void)state;
  const placing k = {q_identity(), v3_set(0x1p17, -0x1p17, 0x1p16)};
  const difference digits = {.position = 1.5 * 1.7320508 * 0x1p-36};
  for (int i = 0; i < SUBJECTS; i++)
    for (int f = 0; f < JN_NFORMULATION; f++) {
      const subject *c = &subjects[i];
      const jn_sim_opts o = opts_of(c, f);
      check_difference(c, f, run_both(snapped(c->file), snapped(c->file), c, &o, &k), digits);
    }
}

// ---- other names, another order -----------------------------------------------------------------

// Steps are so short that no model leaves the range of numbers: about bits, not about accuracy.
static const jn_sim_opts short_steps = {.step = 1e-5, .without_tyres = 1};
enum { FEW = 60 };

static void check_same_row(jt_run *a, jt_run *b)
{
  assert_int_equal(jn_channel_count(a->system), jn_channel_count(b->system));
  const double *x = jt_row(a), *y = jt_row(b);
  for (int c = 0; c < jn_channel_count(a->system); c++) {
    jn_channel ca = jn_channel_at(a->system, c), cb = jn_channel_at(b->system, c);
    assert_string_equal(ca.name, cb.name);
    if (memcmp(&x[c], &y[c], sizeof *x))
      fail_msg("%s: %s is %a and %a", a->spec->name, ca.name, x[c], y[c]);
  }
}

static void check_reordered(jt_random *r, const char *file, int formulation)
{
  jn_sim_opts o = short_steps;
  o.formulation = (jn_formulation)formulation;
  jn_spec *spec = jt_load(file);
  char *text = jt_print(spec), *other = jt_reordered(r, text);
  assert_string_not_equal(text, other);
  jt_run a = jt_start(jt_parse(text), NULL, &o), b = jt_start(jt_parse(other), NULL, &o);
  jt_steps(&a, FEW);
  jt_steps(&b, FEW);
  check_same_row(&a, &b);
  jt_end(&a);
  jt_end(&b);
  free(text);
  free(other);
  jn_spec_free(spec);
}

// Random names of bodies; everything is compared by name, that of bodies translated.
static void check_renamed(jt_random *r, const char *file, int formulation)
{
  jn_sim_opts o = short_steps;
  o.formulation = (jn_formulation)formulation;
  jn_spec *spec = jt_load(file), *changed = jt_load(file);
  char(*name)[32] = calloc((size_t)spec->nbody, sizeof *name);
  for (int i = 0; i < spec->nbody; i++) {
    snprintf(name[i], sizeof name[i], "%c%c_body_%d", 'a' + jt_random_below(r, 26),
             'a' + jt_random_below(r, 26), i);
    changed->body[i].name = name[i];
  }
  char *text = jt_print(changed);
  jt_run a = jt_start(spec, NULL, &o), b = jt_start(jt_parse(text), NULL, &o);
  jt_steps(&a, FEW);
  jt_steps(&b, FEW);
  assert_int_equal(jn_channel_count(a.system), jn_channel_count(b.system));
  const double *x = jt_row(&a), *y = jt_row(&b);
  for (int c = 0; c < jn_channel_count(a.system); c++) {
    const char *whole = jn_channel_at(a.system, c).name;
    char other[200];
    snprintf(other, sizeof other, "%s", whole);
    for (int i = 0; i < spec->nbody; i++) {
      size_t n = strlen(spec->body[i].name);
      if (!strncmp(whole, spec->body[i].name, n) && whole[n] == '.' && !strchr(whole + n + 1, '.'))
        snprintf(other, sizeof other, "%s%s", name[i], whole + n);
    }
    int k = jt_channel(&b, other);
    if (memcmp(&x[c], &y[k], sizeof *x)) fail_msg("%s: %s is %a and %a", file, whole, x[c], y[k]);
  }
  jt_end(&a);
  jt_end(&b);
  jn_spec_free(changed);
  free(name);
  free(text);
}

typedef void (*check)(jt_random *r, const char *file, int formulation);

static void on_every_model(check law, uint64_t seed)
{
  glob_t files;
  jt_random r = {seed};
  assert_int_equal(glob("models/*.yaml", 0, NULL, &files), 0);
  assert_true(files.gl_pathc >= 20);
  for (size_t i = 0; i < files.gl_pathc; i++)
    for (int f = 0; f < JN_NFORMULATION; f++) law(&r, files.gl_pathv[i], f);
  globfree(&files);
}

static void file_in_another_order(void **state)
{
  (void)state;
  on_every_model(check_reordered, 6);
}

static void bodies_renamed(void **state)
{
  (void)state;
  on_every_model(check_renamed, 7);
}

static void from_run_to_run(void **state)
{
  (void)state;
  for (int i = 0; i < SUBJECTS; i++) {
    const jn_sim_opts o = opts_of(&subjects[i], 0);
    jt_run a = jt_start(jt_load(subjects[i].file), NULL, &o);
    jt_run b = jt_start(jt_load(subjects[i].file), NULL, &o);
    jn_error err = {0};
    jt_steps(&a, subjects[i].steps);
    jt_steps(&b, subjects[i].steps);
    check_same_row(&a, &b);
    jn_data_free(b.data);  // another run of the same system
    jt_ok(jn_data_create(b.system, &b.data, &err), &err, NULL);
    jt_steps(&b, subjects[i].steps);
    check_same_row(&a, &b);
    jt_end(&a);
    jt_end(&b);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(world_turned),          cmocka_unit_test(world_moved_by_131_km),
      cmocka_unit_test(file_in_another_order), cmocka_unit_test(bodies_renamed),
      cmocka_unit_test(from_run_to_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
