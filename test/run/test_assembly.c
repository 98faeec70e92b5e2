// The initial state: loops closed, the file's values held whichever joint is cut and whichever body
// is the base, what does not fit named with its size.
#include "base/quat.h"
#include "built.h"
#include "jounce/sim.h"
#include "plan/system.h"
#include "slow.h"

static jn_status try_build(jn_spec *spec, const jn_compile_opts *opts, built *b, jn_error *err)
{
  *b = (built){.spec = spec, .model = jt_compile(spec, opts)};
  jn_status st =
      jn_system_create(b->model, NULL, &(jn_sim_opts){.without_tyres = 1}, &b->system, err);
  if (!st) st = jn_data_create(b->system, &b->data, err);
  return st;
}

static built build(jn_spec *spec, const jn_compile_opts *opts)
{
  built b;
  jn_error err = {0};
  jt_ok(try_build(spec, opts, &b, &err), &err, spec->name);
  assert_int_equal(jn_evaluate(b.system, b.data), JN_STEP_OK);
  return b;
}

static built build_text(const char *frame, const char *initial, const jn_compile_opts *opts)
{
  char text[8192];
  assert_true(snprintf(text, sizeof text, "%s%s%s", frame, initial[0] ? "initial:\n" : "",
                       initial) < (int)sizeof text);
  return build(jt_parse(text), opts);
}

// The note that holds both texts, or NULL.
static const char *note_with(const built *b, const char *one, const char *two)
{
  const char *line;
  for (int i = 0; (line = jn_system_note(b->system, i)); i++)
    if (strstr(line, one) && strstr(line, two)) return line;
  return NULL;
}

static int complaints(const built *b)  // notes that something was changed
{
  int n = 0;
  const char *line;
  for (int i = 0; (line = jn_system_note(b->system, i)); i++)
    n += strstr(line, "does not fit") != NULL || strstr(line, "position error") != NULL;
  return n;
}

// Positions and velocities of all bodies, by name. Rotations are compared as matrices: a quaternion
// has two signs.
static void same_state(const built *a, const built *b, double position, double speed)
{
  static const char *const p[] = {"x", "y", "z"}, *const v[] = {"vx", "vy", "vz", "wx", "wy", "wz"};
  static const char *const q[] = {"qw", "qx", "qy", "qz"};
  for (int i = 0; i < a->spec->nbody; i++) {
    char name[128];
    double dot = 0.0;
    for (int k = 0; k < 3; k++) {
      snprintf(name, sizeof name, "%s.%s", a->spec->body[i].name, p[k]);
      JT_NEAR(value(a, name), value(b, name), position);
    }
    for (int k = 0; k < 6; k++) {
      snprintf(name, sizeof name, "%s.%s", a->spec->body[i].name, v[k]);
      JT_NEAR(value(a, name), value(b, name), speed);
    }
    for (int k = 0; k < 4; k++) {
      snprintf(name, sizeof name, "%s.%s", a->spec->body[i].name, q[k]);
      dot += value(a, name) * value(b, name);
    }
    for (int k = 0; k < 4; k++) {
      snprintf(name, sizeof name, "%s.%s", a->spec->body[i].name, q[k]);
      JT_NEAR(value(a, name), copysign(1.0, dot) * value(b, name), position);
    }
  }
}

static void closed(const built *b)
{
  JT_LE(value(b, "solver.position_norm"), 1e-13);
  JT_LE(value(b, "solver.velocity_norm"), 1e-12);
}

// ---- mechanisms ---------------------------------------------------------------------------------

// Spatial slider-crank, one degree of freedom: revolute, spherical, universal, translational.
static const char slider_crank[] =
    "jounce: 1\n"
    "name: slider-crank\n"
    "bodies:\n"
    "  crank:  {mass: 0.12, cg: [0, 0.1, 0.12], inertia: [1e-4, 1e-5, 1e-4]}\n"
    "  rod:    {mass: 0.5, cg: [0.1, 0.05, 0.1], inertia: [4e-4, 4e-3, 4e-3]}\n"
    "  slider: {mass: 2, cg: [0.2, 0, 0], inertia: [1e-4, 1e-4, 1e-4]}\n"
    "joints:\n"
    "  A: {type: revolute, bodies: [ground, crank], at: [0, 0.1, 0.12], axis: [1, 0, 0]}\n"
    "  B: {type: spherical, bodies: [crank, rod], at: [0, 0.1, 0.2]}\n"
    "  C: {type: universal, bodies: [slider, rod], at: [0.2, 0, 0], axis: [[1, 0, 0], [0.3, -0.9, "
    "0.45]]}\n"
    "  D: {type: translational, bodies: [ground, slider], at: [0.2, 0, 0], axis: [1, 0, 0]}\n";

// One revolute and three cylindrical joints, axes in no special position: one degree of freedom.
static const char four_bar[] =
    "jounce: 1\n"
    "name: RCCC\n"
    "bodies:\n"
    "  a: {mass: 1, cg: [0, 0.2, 0.5], inertia: [0.1, 0.1, 0.1]}\n"
    "  b: {mass: 2, cg: [0.6, 0.5, 0.9], inertia: [0.1, 0.2, 0.2]}\n"
    "  c: {mass: 1, cg: [1.2, 0.1, 0.5], inertia: [0.2, 0.1, 0.1]}\n"
    "joints:\n"
    "  R:  {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0.1, 1, 0.2]}\n"
    "  C1: {type: cylindrical, bodies: [b, a], at: [0, 0.2, 0.6], axis: [0.4, 1, -0.2]}\n"
    "  C2: {type: cylindrical, bodies: [b, c], at: [1.2, 0.4, 1.1], axis: [-0.3, 1, 0.3]}\n"
    "  C3: {type: cylindrical, bodies: [c, ground], at: [1.3, 0, 0], axis: [0.3, 1, -0.4]}\n";

// A nut that climbs: screw, revolute and slide on parallel axes, three redundant rows.
static const char nut[] =
    "jounce: 1\n"
    "name: nut\n"
    "bodies:\n"
    "  spindle: {mass: 1, cg: [0, 0, 0.1], inertia: [0.1, 0.1, 0.1]}\n"
    "  carriage: {mass: 2, cg: [0.3, 0, 0.2], inertia: [0.1, 0.2, 0.2]}\n"
    "joints:\n"
    "  S: {type: screw, bodies: [ground, spindle], at: [0, 0, 0], axis: [0, 0, 1], lead: 0.02}\n"
    "  R: {type: revolute, bodies: [spindle, carriage], at: [0, 0, 0.1], axis: [0, 0, 1]}\n"
    "  T: {type: translational, bodies: [carriage, ground], at: [0.3, 0, 0.2], axis: [0, 0, 1]}\n";

// A platform that does not turn, carried round by a crank.
static const char platform[] =
    "jounce: 1\n"
    "name: platform\n"
    "bodies:\n"
    "  crank: {mass: 1, cg: [0.1, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"
    "  plate: {mass: 2, cg: [0.2, 0, 0.3], inertia: [0.1, 0.2, 0.2]}\n"
    "joints:\n"
    "  A: {type: revolute, bodies: [ground, crank], at: [0, 0, 0], axis: [0, 1, 0]}\n"
    "  B: {type: revolute, bodies: [plate, crank], at: [0.2, 0, 0.1], axis: [0, 1, 0]}\n"
    "  N: {type: no-rotation, bodies: [ground, plate]}\n";

typedef struct mechanism {
  const char *text;
  const char *first;     // initial values of one joint that determine all
  const char *again[4];  // joint, kind of each joint that determines all as well
  const char *joints[4];
  const char *bodies[4];
} mechanism;

static const mechanism mechanisms[] = {
    {slider_crank,
     "  A: {angle: 0.7, speed: -3}\n",
     {"A", "C", "D", "B"},
     {"A", "B", "C", "D"},
     {"crank", "rod", "slider"}},
    {four_bar,
     "  R: {angle: -0.4, speed: 2}\n",
     {"C1", "C2", "C3"},
     {"R", "C1", "C2", "C3"},
     {"a", "b", "c"}},
    {nut, "  S: {angle: 2, speed: 5}\n", {"S", "R", "T"}, {"S", "R", "T"}, {"spindle", "carriage"}},
    {platform,
     "  A: {angle: 1.1, speed: 4}\n",
     {"A", "B", "N"},
     {"A", "B", "N"},
     {"crank", "plate"}},
};
enum { NMECHANISM = sizeof mechanisms / sizeof *mechanisms };

static int joint_index(const built *b, const char *name)
{
  for (int i = 0; i < b->spec->njoint; i++)
    if (!strcmp(b->spec->joint[i].name, name)) return i;
  fail_msg("no joint %s", name);
  return -1;
}

static q4 turned(const built *b,
                 int body)  // from the design position: bodies here have the vehicle's axes
{
  if (body == JN_GROUND) return q_identity();
  char name[64];
  double e[4];
  for (int k = 0; k < 4; k++) {
    snprintf(name, sizeof name, "%s.q%c", b->spec->body[body].name, "wxyz"[k]);
    e[k] = value(b, name);
  }
  return q_make(e[0], v3_load(e + 1));
}

static v3 vector(const built *b, int body, const char *prefix)
{
  if (body == JN_GROUND) return v3_set(0, 0, 0);
  char name[64];
  double e[3];
  for (int k = 0; k < 3; k++) {
    snprintf(name, sizeof name, "%s.%s%c", b->spec->body[body].name, prefix, "xyz"[k]);
    e[k] = value(b, name);
  }
  return v3_load(e);
}

// Everything that the file can say about a joint, as it is in a state that is already assembled.
static void as_initial(const built *b, const char *joint, char *text, size_t size)
{
  const jn_joint_spec *j = &b->spec->joint[joint_index(b, joint)];
  const int first = j->keys.bodies[0], second = j->keys.bodies[1];
  char c[96];
#define CHANNEL(what) (snprintf(c, sizeof c, "joint.%s.%s", joint, what), value(b, c))
  switch (j->kind) {
    case JN_JOINT_REVOLUTE:
    case JN_JOINT_SCREW:
      snprintf(text, size, "  %s: {angle: %.17g, speed: %.17g}\n", joint, CHANNEL("angle"),
               CHANNEL("speed"));
      return;
    case JN_JOINT_TRANSLATIONAL:
      snprintf(text, size, "  %s: {position: %.17g, speed: %.17g}\n", joint, CHANNEL("position"),
               CHANNEL("speed"));
      return;
    case JN_JOINT_CYLINDRICAL:
      snprintf(text, size, "  %s: {position: %.17g, angle: %.17g, speed: %.17g, spin: %.17g}\n",
               joint, CHANNEL("position"), CHANNEL("angle"), CHANNEL("speed"), CHANNEL("spin"));
      return;
    case JN_JOINT_UNIVERSAL:
      snprintf(text, size, "  %s: {angles: [%.17g, %.17g], speeds: [%.17g, %.17g]}\n", joint,
               CHANNEL("angle1"), CHANNEL("angle2"), CHANNEL("speed1"), CHANNEL("speed2"));
      return;
    case JN_JOINT_SPHERICAL: {
      const q4 a = turned(b, first), q = q_mul(q_conj(a), turned(b, second));
      const v3 w = q_rotate_back(a, v3_sub(vector(b, second, "w"), vector(b, first, "w")));
      snprintf(text, size,
               "  %s: {orientation: [%.17g, %.17g, %.17g, %.17g], angular_velocity: [%.17g, %.17g, "
               "%.17g]}\n",
               joint, q.w, q.x, q.y, q.z, w.x, w.y, w.z);
      return;
    }
    case JN_JOINT_NO_ROTATION: {  // on the ground
      const v3 o = v3_sub(vector(b, second, ""), v3_load(b->spec->body[second].keys.cg)),
               v = vector(b, second, "v");
      snprintf(text, size,
               "  %s: {offset: [%.17g, %.17g, %.17g], velocity: [%.17g, %.17g, %.17g]}\n", joint,
               o.x, o.y, o.z, v.x, v.y, v.z);
      return;
    }
    default:
      fail_msg("no initial values of joint %s", joint);
  }
#undef CHANNEL
}

// Newton's method ends at residuals of 1e-14 of the model's size, about 1 m. These loops amplify
// that by less than a hundred: the cosines of the angles between their axes are of the size of 0.1
// and more. Speeds are a hundredfold of ten.
static const double NEAR = 1e-12, NEAR_SPEED = 1e-10;

// ---- what the file gives is held ----------------------------------------------------------------

static void given_values_hold_whichever_joint_is_cut(void **state)
{
  (void)state;
  for (int i = 0; i < NMECHANISM; i++) {
    const mechanism *m = &mechanisms[i];
    built first = build_text(m->text, m->first, NULL);
    closed(&first);
    for (int k = 0; k < 4 && m->joints[k]; k++) {
      built b = build_text(m->text, m->first, &(jn_compile_opts){.cut = &m->joints[k], .ncut = 1});
      assert_false(b.model->in_tree[b.model->loop[0].cut]);
      assert_string_equal(b.model->edge[b.model->loop[0].cut].name, m->joints[k]);
      closed(&b);
      same_state(&first, &b, NEAR, NEAR_SPEED);
      assert_int_equal(complaints(&b), 0);
      drop(&b);
    }
    for (int k = 0; k < 4 && m->bodies[k]; k++) {
      built b = build_text(m->text, m->first, &(jn_compile_opts){.base = m->bodies[k]});
      same_state(&first, &b, NEAR, NEAR_SPEED);
      drop(&b);
    }
    drop(&first);
  }
  // What was asked for is there.
  built b = build_text(slider_crank, mechanisms[0].first,
                       &(jn_compile_opts){.cut = &mechanisms[0].joints[0], .ncut = 1});
  JT_NEAR(value(&b, "joint.A.angle"), 0.7, 1e-13);
  JT_NEAR(value(&b, "joint.A.speed"), -3.0, 1e-12);
  drop(&b);
}

// The same state given by another joint of the loop, cut or not.
static void any_joint_of_a_loop_can_give_the_state(void **state)
{
  (void)state;
  for (int i = 0; i < NMECHANISM; i++) {
    const mechanism *m = &mechanisms[i];
    built first = build_text(m->text, m->first, NULL);
    for (int t = 0; t < 4 && m->again[t]; t++) {
      char text[512];
      as_initial(&first, m->again[t], text, sizeof text);
      for (int k = 0; k < 4 && m->joints[k]; k++) {
        built b = build_text(m->text, text, &(jn_compile_opts){.cut = &m->joints[k], .ncut = 1});
        closed(&b);
        // The telling joint may move little where the others move much: a tenth at the least.
        same_state(&first, &b, 10.0 * NEAR, 10.0 * NEAR_SPEED);
        assert_int_equal(complaints(&b), 0);
        drop(&b);
      }
    }
    drop(&first);
  }
}

// Turns are counted from the design position, on a cut joint too: a spring in it knows the whole
// angle.
static void whole_turns_of_a_cut_joint_count(void **state)
{
  (void)state;
  char text[2048];
  snprintf(text, sizeof text, "%sforces:\n  spring: {type: rsda, joint: R, stiffness: 3}\n", nut);
  static const char *const joints[] = {"S", "R", "T"};
  for (int k = 0; k < 3; k++) {
    built b =
        build_text(text, "  S: {angle: 11}\n", &(jn_compile_opts){.cut = &joints[k], .ncut = 1});
    JT_NEAR(value(&b, "joint.S.angle"), 11.0, 1e-12);
    JT_NEAR(value(&b, "joint.R.angle"), -11.0, 1e-12);
    JT_NEAR(value(&b, "joint.T.position"), -0.02 * 11.0 / (2.0 * M_PI),
            1e-13);  // of the ground on the carriage
    JT_NEAR(value(&b, "force.spring.force"), -33.0, 1e-11);
    drop(&b);
  }
}

// A crank beyond its dead centre is reached along the loop's own way: the coupler does not flip.
static void loops_are_closed_as_the_mechanism_moves(void **state)
{
  (void)state;
  static const char parallelogram[] =
      "jounce: 1\n"
      "bodies:\n"
      "  left:   {mass: 1, cg: [0, 0, 0.5], inertia: [1, 1, 1]}\n"
      "  bar:    {mass: 1, cg: [1, 0, 1], inertia: [1, 1, 1]}\n"
      "  right:  {mass: 1, cg: [2, 0, 0.5], inertia: [1, 1, 1]}\n"
      "joints:\n"
      "  a: {type: revolute, bodies: [ground, left], at: [0, 0, 0], axis: [0, 1, 0]}\n"
      "  b: {type: revolute, bodies: [left, bar], at: [0, 0, 1], axis: [0, 1, 0]}\n"
      "  c: {type: revolute, bodies: [bar, right], at: [2, 0, 1], axis: [0, 1, 0]}\n"
      "  d: {type: revolute, bodies: [right, ground], at: [2, 0, 0], axis: [0, 1, 0]}\n";
  static const char *const joints[] = {"a", "b", "c", "d"};
  for (int k = 0; k < 4; k++)
    for (double angle = -1.4; angle < 1.5; angle += 0.7) {
      char text[64];
      snprintf(text, sizeof text, "  a: {angle: %g}\n", angle);
      built b = build_text(parallelogram, text, &(jn_compile_opts){.cut = &joints[k], .ncut = 1});
      JT_NEAR(value(&b, "bar.x"), 1.0 + sin(angle), 1e-12);
      JT_NEAR(value(&b, "bar.z"), cos(angle), 1e-12);
      JT_NEAR(value(&b, "joint.d.angle"), -angle, 1e-12);
      JT_NEAR(value(&b, "joint.b.angle"), -angle, 1e-12);
      drop(&b);
    }
}

// ---- prescribed motions -------------------------------------------------------------------------

static void driven_joints_begin_where_their_motion_does(void **state)
{
  (void)state;
  char driven[2048], *at;
  strcpy(driven, slider_crank);
  at = strstr(driven, "axis: [1, 0, 0]}\n  B:");
  assert_non_null(at);
  char rest[2048];
  strcpy(rest, at + strlen("axis: [1, 0, 0]}"));
  strcpy(at, "axis: [1, 0, 0], motion: {curve: [[0, 0.7], [1, -2.3]]}}");
  strcat(driven, rest);
  built free_one = build_text(slider_crank, mechanisms[0].first, NULL);
  for (int k = 0; k < 4; k++) {
    built b =
        build_text(driven, "", &(jn_compile_opts){.cut = &mechanisms[0].joints[k], .ncut = 1});
    closed(&b);
    same_state(&free_one, &b, NEAR, NEAR_SPEED);
    drop(&b);
  }
  built b = build_text(driven, "  A: {angle: 0.1}\n", NULL);
  assert_non_null(note_with(&b, "\"A\"", "left aside"));
  same_state(&free_one, &b, NEAR, NEAR_SPEED);
  drop(&b);
  drop(&free_one);
}

// ---- what does not meet -------------------------------------------------------------------------

static void points_that_do_not_meet_are_closed_and_reported(void **state)
{
  (void)state;
  char text[2048], *at;
  strcpy(text, slider_crank);
  at = strstr(text, "at: [0, 0.1, 0.2]}");
  char rest[2048];
  strcpy(rest, at + strlen("at: [0, 0.1, 0.2]}"));
  strcpy(at, "at: [[0, 0.1, 0.2], [0, 0.1, 0.203]]}");
  strcat(text, rest);
  for (int k = 0; k < 4; k++) {
    built b = build_text(text, "  A: {angle: 0.2}\n",
                         &(jn_compile_opts){.cut = &mechanisms[0].joints[k], .ncut = 1});
    closed(&b);
    JT_NEAR(value(&b, "joint.A.angle"), 0.2, 1e-13);
    double by = 0.0;
    const char *line = note_with(&b, "\"B\"", "position error");
    if (!strcmp(mechanisms[0].joints[k], "B")) assert_non_null(line);
    if (!line)
      line = note_with(&b, "assembled", "position error");  // the cut joint, when the tree closed B
    assert_non_null(line);
    const char *number = strpbrk(strstr(line, "\" ") + 2, "0123456789");
    assert_int_equal(sscanf(number, "%lf", &by), 1);
    JT_LE(1e-4, by);
    if (strstr(line, "\"B\"")) JT_NEAR(by, 0.003, 1e-12);
    drop(&b);
  }
  built good = build_text(slider_crank, "  A: {angle: 0.2}\n", NULL);
  assert_null(note_with(&good, "assembled", "apart"));
  drop(&good);
}

// What contradicts itself is changed, by a compromise that is no matter of the tree.
static void contradictions_are_reported_and_the_loops_closed(void **state)
{
  (void)state;
  static const char both[] = "  A: {angle: 0.4}\n  D: {position: 0.03}\n";
  built first = build_text(slider_crank, both, NULL);
  const double angle = value(&first, "joint.A.angle"), position = value(&first, "joint.D.position");
  JT_LE(1e-4, fabs(angle - 0.4));
  JT_LE(1e-4, fabs(position - 0.03));
  for (int k = 0; k < 4; k++) {
    built b = build_text(slider_crank, both,
                         &(jn_compile_opts){.cut = &mechanisms[0].joints[k], .ncut = 1});
    closed(&b);
    for (int j = 0; j < 2; j++) {
      const char *line = note_with(&b, j ? "\"D\"" : "\"A\"", "changed by");
      double by = 0.0;
      assert_non_null(line);
      assert_int_equal(sscanf(strstr(line, "changed by ") + strlen("changed by "), "%lf", &by), 1);
      JT_NEAR(by, fabs(j ? position - 0.03 : angle - 0.4), 6e-3 * by);  // three digits
    }
    // The least sum of squares is flat: its place is known to the root of the rounding.
    same_state(&first, &b, 1e-6, 1e-6);
    drop(&b);
  }
  drop(&first);
  // Speeds: dx/dangle of the first-order motion makes both certain, so they cannot be had together.
  static const char speeds[] = "  A: {speed: 6}\n  D: {speed: 1}\n";
  first = build_text(slider_crank, speeds, NULL);
  for (int k = 0; k < 4; k++) {
    built b = build_text(slider_crank, speeds,
                         &(jn_compile_opts){.cut = &mechanisms[0].joints[k], .ncut = 1});
    closed(&b);
    assert_non_null(note_with(&b, "\"D\"", "initial speed"));
    same_state(&first, &b, NEAR, NEAR_SPEED);
    drop(&b);
  }
  drop(&first);
}

// The long arm, 0.9 on a base of 1, swings as far as coupler and short arm reach in line.
static const char rocker[] =
    "jounce: 1\n"
    "name: rocker\n"
    "bodies:\n"
    "  long:    {mass: 1, cg: [0, 0, 0.4], inertia: [1, 1, 1]}\n"
    "  coupler: {mass: 1, cg: [0.2, 0, 0.8], inertia: [1, 1, 1]}\n"
    "  short:   {mass: 1, cg: [0.8, 0, 0.3], inertia: [1, 1, 1]}\n"
    "joints:\n"
    "  a: {type: revolute, bodies: [ground, long], at: [0, 0, 0], axis: [0, 1, 0]%s}\n"
    "  b: {type: revolute, bodies: [long, coupler], at: [0, 0, 0.9], axis: [0, 1, 0]}\n"
    "  c: {type: revolute, bodies: [coupler, short], at: [0.5, 0, 0.6], axis: [0, 1, 0]}\n"
    "  d: {type: revolute, bodies: [short, ground], at: [1, 0, 0], axis: [0, 1, 0]}\n";

static void values_out_of_reach_come_as_near_as_they_can(void **state)
{
  (void)state;
  // Triangle of the long arm, the base, and coupler and short arm in line.
  const double arm = 0.9, base = 1.0, line = hypot(0.5, 0.3) + hypot(0.5, 0.6);
  const double between = acos((arm * arm + base * base - line * line) / (2.0 * arm * base));
  const double limit = 0.5 * M_PI - between;  // least angle about y from the vertical
  static const char *const joints[] = {"a", "b", "c", "d"};
  char text[2048];
  snprintf(text, sizeof text, rocker, "");
  for (int k = 0; k < 4; k++) {
    built b =
        build_text(text, "  a: {angle: -1.2}\n", &(jn_compile_opts){.cut = &joints[k], .ncut = 1});
    closed(&b);
    assert_non_null(note_with(&b, "\"a\"", "changed by"));
    // At the limit the angle is stationary: it is good to the square of how well its place is
    // known.
    JT_NEAR(value(&b, "joint.a.angle"), limit, 1e-9);
    drop(&b);
  }
  // Prescribed, it must be there.
  snprintf(text, sizeof text, rocker, ", motion: {curve: [[0, -1.2], [1, 0]]}");
  for (int k = 0; k < 4; k++) {
    built b;
    jn_error err = {0};
    assert_int_equal(
        try_build(jt_parse(text), &(jn_compile_opts){.cut = &joints[k], .ncut = 1}, &b, &err),
        JN_E_TOPOLOGY);
    assert_non_null(strstr(err.text, "cannot be closed"));
    char quoted[8];
    snprintf(quoted, sizeof quoted, "\"%s\"", joints[k]);
    assert_non_null(strstr(err.text, quoted));
    drop(&b);
  }
}

// ---- shipped models -----------------------------------------------------------------------------

// A shipped model with initial values of its own.
static jn_spec *load(const char *file, const char *initial)
{
  char text[2048];
  snprintf(text, sizeof text, "jounce: 1\ninclude: %s\n%s%s", file, initial[0] ? "initial:\n" : "",
           initial);
  return jt_parse(text);
}

static void hmmwv_begins_the_same_from_any_base(void **state)
{
  (void)state;
  // All eleven degrees of freedom.
  static const char initial[] =
      "  chassis: {velocity: [10, 1, -0.5], angular_velocity: [0.1, -0.2, 0.4]}\n"
      "  rack_guide: {position: 0.02, speed: 0.05}\n"
      "  lca_pivot_fl: {angle: 0.05, speed: 0.3}\n"
      "  lca_pivot_fr: {angle: -0.03, speed: -0.2}\n"
      "  lca_pivot_rl: {angle: 0.04, speed: 0.1}\n"
      "  lca_pivot_rr: {angle: 0.02, speed: -0.4}\n";
  static const char *const bases[] = {"chassis", "wheel_fl", "uca_rr", "rack"};
  static const char *const cuts[][4] = {
      {"lca_pivot_fl", "lca_pivot_fr", "lca_pivot_rl", "lca_pivot_rr"},
      {"uca_ball_fl", "lca_ball_fr", "uca_pivot_rl", "tie_rod_rr"},
      {"uca_pivot_fl", "uca_pivot_fr", "lca_ball_rl", "uca_ball_rr"}};
  built first = build(load("models/hmmwv.yaml", initial), NULL);
  closed(&first);
  assert_null(note_with(&first, "does not fit", ""));
  JT_NEAR(value(&first, "joint.lca_pivot_fl.angle"), 0.05, 1e-13);
  JT_NEAR(value(&first, "joint.rack_guide.speed"), 0.05, 1e-12);
  JT_NEAR(value(&first, "chassis.vx"), 10.0, 1e-11);
  JT_NEAR(value(&first, "chassis.wz"), 0.4, 1e-12);
  for (int i = 0; i < 7; i++) {
    const jn_compile_opts opts = i < 4 ? (jn_compile_opts){.base = bases[i]}
                                       : (jn_compile_opts){.cut = cuts[i - 4], .ncut = 4};
    built b = build(load("models/hmmwv.yaml", initial), &opts);
    closed(&b);
    assert_null(note_with(&b, "does not fit", ""));
    same_state(
        &first, &b, 1e-11,
        1e-9);  // poses go through up to six bodies of a loop that is ten times worse conditioned
    drop(&b);
  }
  drop(&first);
}

static void five_link_suspension_begins_the_same_from_any_tree(void **state)
{
  (void)state;
  static const char *const cuts[][4] = {
      {"link1_lower_front_out", "link2_lower_rear_out", "link3_upper_front_out",
       "link4_upper_rear_out"},
      {"link1_lower_front_in", "link3_upper_front_in", "link4_upper_rear_out", "link5_toe_in"}};
  built first = build(load("models/five-link-joints.yaml", ""), NULL);
  closed(&first);
  JT_NEAR(value(&first, "chassis.vx"), 5.0, 1e-6);
  JT_NEAR(value(&first, "rim.wy"), 15.384640757206068, 1e-6);
  for (int i = 0; i < 2; i++) {
    built b = build(load("models/five-link-joints.yaml", ""),
                    &(jn_compile_opts){.cut = cuts[i], .ncut = 4});
    closed(&b);
    // Least squares over the given velocities, which contradict each other by 1e-8.
    same_state(&first, &b, 1e-9, 1e-8);
    drop(&b);
  }
  drop(&first);
}

static void bricard_turns_as_its_first_hinge_says(void **state)
{
  (void)state;
  static const char *const joints[] = {"J1", "J2", "J3", "J4", "J5", "J6"};
  static const char initial[] = "  J2: {angle: -0.3, speed: 1}\n";
  built first = build(load("models/bricard.yaml", initial), NULL);
  closed(&first);
  JT_NEAR(value(&first, "joint.J2.angle"), -0.3, 1e-13);
  JT_NEAR(value(&first, "joint.J4.angle"), -0.3, 1e-12);  // by its threefold symmetry
  for (int k = 0; k < (SLOW ? 2 : 6); k++) {
    built b = build(load("models/bricard.yaml", initial),
                    &(jn_compile_opts){.cut = &joints[k], .ncut = 1});
    closed(&b);
    same_state(&first, &b, NEAR, NEAR_SPEED);
    drop(&b);
  }
  drop(&first);
}

// What the file leaves open is the same from any base too: the heaviest body stays where it is, and
// nothing moves in the joints.
static void a_velocity_of_the_chassis_moves_the_whole_vehicle(void **state)
{
  (void)state;
  static const char *const files[] = {"models/hmmwv.yaml", "models/open-tree-vehicle.yaml"};
  static const char *const bases[][3] = {{NULL, "wheel_fl", "uca_rr"},
                                         {NULL, "arm_fl", "wheel_rr"}};
  for (int m = 0; m < 2; m++)
    for (int i = 0; i < 3; i++) {
      built b = build(load(files[m], "  chassis: {velocity: [10, 1, -0.5]}\n"),
                      &(jn_compile_opts){.base = bases[m][i]});
      for (int k = 0; k < b.spec->nbody; k++) {
        const v3 v = vector(&b, k, "v"), x = vector(&b, k, "");
        const double *cg = b.spec->body[k].keys.cg;
        const bool spins = m == 1 && strstr(b.spec->body[k].name, "wheel");
        JT_NEAR(v.x, 10.0, 1e-10);
        JT_NEAR(v.y, 1.0, 1e-10);
        JT_NEAR(v.z, -0.5, 1e-10);
        JT_NEAR(v3_norm(vector(&b, k, "w")), spins ? 25.0 : 0.0, 1e-10);
        JT_NEAR(v3_norm(v3_sub(x, v3_load(cg))), 0.0, 1e-8);  // rounded digits of the file
      }
      drop(&b);
    }
}

// A free joint of the file, given from either side, turned and moved.
static void free_bodies_begin_where_the_file_puts_them(void **state)
{
  (void)state;
  static const char body[] =
      "jounce: 1\n"
      "bodies:\n"
      "  box: {mass: 1, cg: [1, 2, 3], inertia: [1, 2, 2.5]}\n"
      "joints:\n"
      "  F: {type: free, bodies: [%s], at: [1, 2, 3]}\n";
  char text[1024];
  snprintf(text, sizeof text, body, "ground, box");
  const q4 turn = q_exp(v3_set(0.3, -0.5, 0.8));
  char initial[512];
  snprintf(initial, sizeof initial,
           "  F: {orientation: [%.17g, %.17g, %.17g, %.17g], offset: [0.1, 0.2, -0.3], velocity: "
           "[1, 2, 3], "
           "angular_velocity: [0.5, -1, 2]}\n",
           turn.w, turn.x, turn.y, turn.z);
  built b = build_text(text, initial, NULL);
  JT_NEAR(value(&b, "box.x"), 1.1, 1e-15);
  JT_NEAR(value(&b, "box.vz"), 3.0, 1e-15);
  JT_NEAR(value(&b, "box.wy"), -1.0, 1e-15);
  JT_NEAR(value(&b, "box.qx"), turn.x, 1e-15);
  drop(&b);
  // From the other side: the ground relative to the box. x = -R o, v = R (w x o - o'), with R' = -R
  // w.
  snprintf(text, sizeof text, body, "box, ground");
  b = build_text(text, initial, NULL);
  const q4 back = q_conj(turn);
  const v3 o = v3_set(0.1, 0.2, -0.3), v = v3_set(1, 2, 3), w = v3_set(0.5, -1, 2);
  const v3 x = v3_neg(q_rotate(back, o)), dx = q_rotate(back, v3_sub(v3_cross(w, o), v)),
           dw = v3_neg(q_rotate(back, w));
  JT_NEAR(value(&b, "box.x"), 1.0 + x.x, 1e-15);
  JT_NEAR(value(&b, "box.y"), 2.0 + x.y, 1e-15);
  JT_NEAR(value(&b, "box.vx"), dx.x, 1e-14);
  JT_NEAR(value(&b, "box.vy"), dx.y, 1e-14);
  JT_NEAR(value(&b, "box.wz"), dw.z, 1e-14);
  JT_NEAR(value(&b, "box.qx"), back.x, 1e-15);
  drop(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(given_values_hold_whichever_joint_is_cut),
      cmocka_unit_test(any_joint_of_a_loop_can_give_the_state),
      cmocka_unit_test(whole_turns_of_a_cut_joint_count),
      cmocka_unit_test(loops_are_closed_as_the_mechanism_moves),
      cmocka_unit_test(driven_joints_begin_where_their_motion_does),
      cmocka_unit_test(points_that_do_not_meet_are_closed_and_reported),
      cmocka_unit_test(contradictions_are_reported_and_the_loops_closed),
      cmocka_unit_test(values_out_of_reach_come_as_near_as_they_can),
      cmocka_unit_test(hmmwv_begins_the_same_from_any_base),
      cmocka_unit_test(five_link_suspension_begins_the_same_from_any_tree),
      cmocka_unit_test(bricard_turns_as_its_first_hinge_says),
      cmocka_unit_test(a_velocity_of_the_chassis_moves_the_whole_vehicle),
      cmocka_unit_test(free_bodies_begin_where_the_file_puts_them),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
