// Each kind of joint, as a joint of the tree and as a cut one, in both orders of its bodies, on the
// ground and between moving bodies: its motions are the derivatives of its positions, its
// constraint rows hold what its coordinates permit, both forms give the same accelerations and
// reactions, and these balance every body.
#include "joint_states.h"

enum { STATES = JT_SLOW ? 3 : 12 };

// ---- mechanisms --------------------------------------------------------------------------------

// Points P and Q, axes U and W; P1 and U1 are those of an
// imported file, in which points and axes of the two bodies do not meet.
#define P     "[0.6, 0.1, 0.35]"
#define P1    "[0.61, 0.095, 0.36]"
#define Q     "[1.0, 0.5, -0.1]"
#define U     "[0.3, -0.5, 0.8]"
#define U1    "[0.32, -0.47, 0.81]"
#define W     "[0.9, 0.2, -0.1]"
#define ALONG "[0.66, 0.0, 0.51]"  // P + U / 5
#define CURVE                                                                                     \
  "motion: {curve: {points: [[-2, 0.2], [0.1, -0.1], [0.5, 0.3], [0.8, 0.9], [3, 0.4]], method: " \
  "akima}}"

typedef struct joint_case {
  const char *name, *text;
  bool driven;
} joint_case;

static const joint_case joints[] = {
    {"fixed", "type: fixed, at: " P, false},
    {"revolute", "type: revolute, at: " P ", axis: " U, false},
    {"translational", "type: translational, at: " P ", axis: " U, false},
    {"cylindrical", "type: cylindrical, at: " P ", axis: " U, false},
    {"universal", "type: universal, at: " P ", axis: [" U ", " W "]", false},
    {"universal, square", "type: universal, at: " P ", axis: [[1, 0, 0], [0, 0.6, 0.8]]", false},
    {"spherical", "type: spherical, at: " P, false},
    {"planar", "type: planar, at: " P ", axis: " U, false},
    {"screw", "type: screw, at: " P ", axis: " U ", lead: 0.5", false},
    {"screw, left-handed", "type: screw, at: " P ", axis: " U ", lead: -2", false},
    {"free", "type: free", false},
    {"free, at a point", "type: free, at: " P, false},
    {"no-rotation", "type: no-rotation", false},
    {"distance", "type: distance, at: [" P ", " Q "]", false},
    {"spherical-revolute", "type: spherical-revolute, at: [" P ", " Q "], axis: " U, false},
    {"spherical-translational", "type: spherical-translational, at: " P ", axis: " U, false},
    {"driven revolute", "type: revolute, at: " P ", axis: " U ", " CURVE, true},
    {"driven translational", "type: translational, at: " P ", axis: " U ", " CURVE, true},
    {"driven screw", "type: screw, at: " P ", axis: " U ", lead: 0.5, " CURVE, true},
    // Two points along what the joint permits.
    {"slid translational", "type: translational, at: [" P ", " ALONG "], axis: " U, false},
    {"slid cylindrical", "type: cylindrical, at: [" P ", " ALONG "], axis: " U, false},
    {"slid screw", "type: screw, at: [" P ", " ALONG "], axis: " U ", lead: 0.5", false},
    {"slid slider", "type: spherical-translational, at: [" P ", " ALONG "], axis: " U, false},
    {"slid driven screw", "type: screw, at: [" P ", " ALONG "], axis: " U ", lead: -1, " CURVE,
     true},
    {"slid driven translational",
     "type: translational, at: [" P ", " ALONG "], axis: " U ", " CURVE, true},
    // Two points and axes that do not meet.
    {"imported fixed", "type: fixed, at: [" P ", " P1 "]", false},
    {"imported revolute", "type: revolute, at: [" P ", " P1 "], axis: [" U ", " U1 "]", false},
    {"imported translational", "type: translational, at: [" P ", " P1 "], axis: [" U ", " U1 "]",
     false},
    {"imported cylindrical", "type: cylindrical, at: [" P ", " P1 "], axis: [" U ", " U1 "]",
     false},
    {"imported universal", "type: universal, at: [" P ", " P1 "], axis: [" U ", " W "]", false},
    {"imported spherical", "type: spherical, at: [" P ", " P1 "]", false},
    {"imported planar", "type: planar, at: [" P ", " P1 "], axis: [" U ", " U1 "]", false},
    {"imported screw", "type: screw, at: [" P ", " P1 "], axis: [" U ", " U1 "], lead: 0.5", false},
    {"imported slider", "type: spherical-translational, at: [" P ", " P1 "], axis: " U, false},
    {"imported driven revolute",
     "type: revolute, at: [" P ", " P1 "], axis: [" U ", " U1 "], " CURVE, true},
    {"imported driven screw",
     "type: screw, at: [" P ", " P1 "], axis: [" U ", " U1 "], lead: 0.5, " CURVE, true},
};
enum { NJOINT = sizeof joints / sizeof *joints };

typedef enum context { ON_GROUND, ON_MOVING, FLOATING, FAR_OFF, IN_LOOP, NCONTEXT } context;
static const char *const context_name[] = {"on the ground", "on a moving body", "floating",
                                           "far off", "in a loop"};

// What the test adds up itself: a force on each body at a point of it, a spring between B and its
// partner.
static const double push_a[3] = {3, -20, 11}, push_b[3] = {-7, 5, 13}, at_a[3] = {0.2, 0, 0.6},
                    at_b[3] = {1.2, 0.3, 0.3};
static const double spring_a[3] = {0.1, -0.6, 0.2}, spring_b[3] = {1.4, 0.9, 0.5};
static const double STIFFNESS = 40.0, DAMPING = 3.0, FREE_LENGTH = 0.7, TURN_STIFFNESS = 6.0,
                    TURN_DAMPING = 0.4;
#define CG_A "[0.3, -0.2, 0.5]"
#define CG_B "[0.9, 0.4, 0.2]"

// And a spring within J, where there can be one.
static bool takes_torque(const joint_case *j)
{
  const bool turns = strstr(j->text, "type: revolute") || strstr(j->text, "type: cylindrical") ||
                     strstr(j->text, "type: screw");
  return turns && !j->driven;
}

static bool takes_force(const joint_case *j)
{
  return strstr(j->text, "type: translational") && !j->driven;
}

// J cut, or in the tree; bodies [A, B], or [B, A]. B's partner A is the ground in ON_GROUND.
static jn_spec *mechanism(const joint_case *j, context c, bool reversed, bool cut)
{
  static char text[4096];
  const char *a = c == ON_GROUND ? "ground" : "A";
  int n = snprintf(text, sizeof text, "jounce: 1\ngravity: [1.5, -2, -9]\nbodies:\n");
  const size_t room = sizeof text;
#define ADD(...) n += snprintf(text + n, room - (size_t)n, __VA_ARGS__)
  if (c != ON_GROUND)
    ADD("  A: {mass: 3, cg: " CG_A ", inertia: [0.2, 0.3, 0.25, 0.02, -0.03, 0.01]}\n");
  // Of a size such that a body far off begins a station of its own.
  ADD("  B: {mass: 2, cg: " CG_B ", inertia: [0.06, 0.05, 0.08, -0.01, 0.005, 0.01]}\n");
  ADD("joints:\n  J: {bodies: [%s, %s], %s}\n", reversed ? "B" : a, reversed ? a : "B", j->text);
  if (cut) ADD("  X: {type: free, bodies: [%s, B]}\n", a);  // holds nothing, but B hangs on it
  if (c == ON_MOVING || c == IN_LOOP)
    ADD("  K: {type: cylindrical, bodies: [ground, A], at: [0.1, -0.3, 0.4], axis: [0.2, 0.9, "
        "0.4]}\n");
  if (c == FAR_OFF)
    ADD("  K: {type: universal, bodies: [ground, A], at: [-150, 110, 60], axis: [[0, 0, 1], [0.1, "
        "0.9, 0]]}\n");
  if (c == IN_LOOP)
    ADD("  L: {type: distance, bodies: [B, ground], at: [[1.3, 0.2, 0.4], [1.9, 1.1, -0.8]]}\n");
  ADD("forces:\n");
  if (c != ON_GROUND)
    ADD("  pa: {type: force, body: A, at: [%g, %g, %g], force: [%g, %g, %g]}\n", at_a[0], at_a[1],
        at_a[2], push_a[0], push_a[1], push_a[2]);
  ADD("  pb: {type: force, body: B, at: [%g, %g, %g], force: [%g, %g, %g]}\n", at_b[0], at_b[1],
      at_b[2], push_b[0], push_b[1], push_b[2]);
  ADD("  s: {type: tsda, bodies: [%s, B], at: [[%g, %g, %g], [%g, %g, %g]], stiffness: %g, "
      "damping: %g, free_length: %g}\n",
      a, spring_a[0], spring_a[1], spring_a[2], spring_b[0], spring_b[1], spring_b[2], STIFFNESS,
      DAMPING, FREE_LENGTH);
  if (takes_torque(j))
    ADD("  r: {type: rsda, joint: J, stiffness: %g, damping: %g}\n", TURN_STIFFNESS, TURN_DAMPING);
  if (takes_force(j))
    ADD("  r: {type: servo, joint: J, stiffness: %g, damping: %g, channel: none}\n", STIFFNESS,
        DAMPING);
  if (cut || c == FLOATING)
    ADD("topology: {%s%s%s}\n", cut ? "cut: [J]" : "", cut && c == FLOATING ? ", " : "",
        c == FLOATING ? "base: A" : "");
#undef ADD
  return jt_parse(text);
}

// A joint that leaves nothing free is refused, as is a driven or fixed one that a rod holds as
// well.
static bool is_mechanism(const joint_case *j, context c)
{
  const bool fixed = strstr(j->text, "type: fixed") != NULL;
  if (c == ON_GROUND && fixed) return false;
  return true;
}

static const char *label(const joint_case *j, context c, bool reversed)
{
  static char text[160];
  snprintf(text, sizeof text, "%s, %s%s", j->name, context_name[c], reversed ? ", reversed" : "");
  return text;
}

// Largest distance from which differences are taken: digits of places in the world are relative to
// it.
static double extent(context c)
{
  return c == FAR_OFF ? 200.0 : 2.0;
}

// Digits that a body loses because spatial quantities are about a point far off: the square of its
// distance over its radius of gyration. A station of its own saves them, but bodies in loops have
// none.
static double lost(context c)
{
  return c == FAR_OFF ? 1.5e6 : 1.0;
}

static void draw_state(jt_run *k, jt_random *r, double speed)
{
  const jn_system *s = k->s;
  double *q = k->d->y, *v = q + s->nq;
  for (int i = s->nframe; i < s->nbody; i++) {
    const jn_tree_joint *j = &s->joint[i];
    for (int m = 0; m < j->scalars; m++)
      q[j->q + m] =
          s->coordinate_angle[j->v + m] ? jt_random_in(r, -3, 3) : jt_random_in(r, -0.6, 0.6);
    for (int m = 0; m < j->nv; m++) v[j->v + m] = jt_random_in(r, -speed, speed);
    if (j->sphere < 0) continue;
    const q4 e = jt_random_turn(r);
    double *to = q + j->sphere;
    to[0] = e.w, to[1] = e.x, to[2] = e.y, to[3] = e.z;
  }
  k->t = jt_random_in(r, 0.52,
                      0.78);  // between two points of the curve, whose third derivative jumps there
}

// ---- derivatives -------------------------------------------------------------------------------

// (4 D(h/2) - D(h)) / 3 of central differences D: in error by h^4 f''''' / 480, and by rounding,
// about eps f / h. With speeds of up to 1 the fifth derivative of a place stays below a few
// thousand: 1e-11 with h = 1/1024; rounding is 2e-13 of the extent, a few times over.
static const double STEP = 1.0 / 1024, DIFFERENCE = 1e-10;

// Along (q + h dq, v + h dv, t + h): tangent to a motion, and that is enough for a derivative.
typedef struct moving {
  jt_run *k;
  const double *y, *dy;
  double t;
} moving;

static void go_to(const moving *m, double h)
{
  const jn_system *s = m->k->s;
  for (int i = 0; i < s->nq + s->nv; i++) m->k->d->y[i] = m->y[i] + h * m->dy[i];
  m->k->t = m->t + h;
  jt_look(m->k);
}

typedef void (*sample)(const jt_run *k, double *out);

static void differentiate(const moving *m, int n, sample f, double *out)
{
  static const double at[4] = {1.0, -1.0, 0.5, -0.5},
                      weight[4] = {-1.0 / 6.0, 1.0 / 6.0, 4.0 / 3.0, -4.0 / 3.0};
  double x[256];
  assert_true(n <= 256);
  for (int i = 0; i < n; i++) out[i] = 0.0;
  for (int k = 0; k < 4; k++) {
    go_to(m, at[k] * STEP);
    f(m->k, x);
    for (int i = 0; i < n; i++) out[i] += weight[k] * x[i] / STEP;
  }
  go_to(m, 0.0);
}

static void sample_places(const jt_run *k, double *out)
{
  for (int i = k->s->nframe; i < k->s->nbody; i++, out += 12) {
    const jt_body x = jt_see(k, i, NULL);
    v3_store(out, x.p);
    v3_store(out + 3, x.r.x), v3_store(out + 6, x.r.y), v3_store(out + 9, x.r.z);
  }
}

static void sample_speeds(const jt_run *k, double *out)
{
  for (int i = k->s->nframe; i < k->s->nbody; i++, out += 6) {
    const jt_body x = jt_see(k, i, NULL);
    v3_store(out, x.v);
    v3_store(out + 3, x.w);
  }
}

static void sample_residual(const jt_run *k, double *out)
{
  memcpy(out, k->d->residual, (size_t)k->s->nrow * sizeof *out);
}

static void sample_residual_rate(const jt_run *k, double *out)
{
  memcpy(out, k->d->residual_rate, (size_t)k->s->nrow * sizeof *out);
}

static double worst;  // difference over what is allowed

static void near_v3(v3 a, v3 b, double tolerance, const char *what, const char *where)
{
  const double apart = v3_norm(v3_sub(a, b));
  worst = fmax(worst, apart / tolerance);
  if (apart <= tolerance) return;
  print_error(
      "%s: %s (%.12g, %.12g, %.12g) against (%.12g, %.12g, %.12g): apart by %g, allowed %g\n",
      where, what, a.x, a.y, a.z, b.x, b.y, b.z, apart, tolerance);
  fail();
}

// Spatial accelerations of all bodies for given accelerations of the coordinates, in inertial
// frames that rest.
static void accelerations(const jt_run *k, const double *qdd, sv *accel)
{
  const jn_system *s = k->s;
  const jn_data *d = k->d;
  const v3 zero = v3_set(0, 0, 0);
  for (int f = 0; f < s->nframe; f++) accel[f] = sv_make(zero, zero);
  for (int i = s->nframe; i < s->nbody; i++) {
    const jn_body *b = &s->body[i];
    const jn_tree_joint *j = &s->joint[i];
    sv up = accel[b->parent];
    if (b->new_station)
      up = sv_shift_motion(up,
                           v3_sub(d->station[b->station], d->station[s->body[b->parent].station]));
    accel[i] = sv_add(up, d->bias[i]);
    for (int m = 0; m < j->nv; m++) accel[i] = sv_axpy(qdd[j->v + m], d->s[j->v + m], accel[i]);
  }
}

// dq/dt of v, and dv/dt of qdd, which is in frame axes for a floating base.
static void tangent(const jt_run *k, const double *qdd, double *dy)
{
  const jn_system *s = k->s;
  jn_general_qdot(s, k->d->y, k->d->y + s->nq, dy);
  for (int i = s->nframe; i < s->nbody; i++) {
    const jn_tree_joint *j = &s->joint[i];
    for (int m = 0; m < j->nv; m++) dy[s->nq + j->v + m] = qdd[j->v + m];
    if (j->kind != JN_TREE_BASE) continue;
    const m3 r = k->d->frame[s->body[i].frame].r;
    v3_store(dy + s->nq + j->v, m3_mul_v3(r, v3_load(qdd + j->v)));
    v3_store(dy + s->nq + j->v + 3, m3_mul_v3(r, v3_load(qdd + j->v + 3)));
  }
}

// Rows with an angle in them: the angle is about the first body's axis, and its rate is the axis
// times the relative angular velocity only where the second body's axis is parallel to that, as the
// joint's other rows see to.
static bool row_has_angle(const jn_system *s, int row)
{
  for (int i = 0; i < s->ncut; i++) {
    const jn_cut *c = &s->cut[i];
    if (row < c->row || row >= c->row + c->nrow) continue;
    if (c->kind == JN_JOINT_SCREW) return row == c->row + 4;
    return c->kind == JN_JOINT_REVOLUTE && row == c->row + 5;
  }
  return false;
}

// Rods shorter than half a metre turn so fast that higher derivatives grow.
static bool rods_are_long(const jt_run *k)
{
  const jn_system *s = k->s;
  bool good = true;
  for (int i = 0; i < s->ncut; i++) {
    const jn_cut *c = &s->cut[i];
    if (c->kind == JN_JOINT_DISTANCE || c->kind == JN_JOINT_SPHERICAL_REVOLUTE)
      good &= k->d->residual[c->row + c->nrow - 1] + c->value[JN_VALUE_LENGTH] > 0.5;
  }
  return good;
}

// Laws 1 and 2 at the state at hand, which need not be assembled.
static void check_derivatives(jt_run *k, jt_random *r, context c, bool assembled, const char *where)
{
  const jn_system *s = k->s;
  double y[64], dy[64], qdd[32], rate[256];
  sv accel[8];
  assert_true(s->nq + s->nv <= 64 && s->nv <= 32 && s->nbody <= 8);
  for (int i = 0; i < s->nv; i++) qdd[i] = jt_random_in(r, -2, 2);
  jt_look(k);
  jn_general_biases(s, k->d);
  memcpy(y, k->d->y, (size_t)(s->nq + s->nv) * sizeof *y);
  tangent(k, qdd, dy);
  const moving m = {k, y, dy, k->t};
  const double tolerance = DIFFERENCE * extent(c);

  differentiate(&m, 12 * (s->nbody - s->nframe), sample_places, rate);
  for (int i = s->nframe; i < s->nbody; i++) {
    const double *x = rate + 12 * (i - s->nframe);
    const jt_body b = jt_see(k, i, NULL);
    // R' = skew(w) R  =>  skew(w) = R' R'
    const m3 w = m3_mult(m3_rows(v3_load(x + 3), v3_load(x + 6), v3_load(x + 9)), b.r);
    near_v3(v3_load(x), b.v, tolerance, "velocity", where);
    near_v3(w.x, m3_skew(b.w).x, DIFFERENCE, "angular velocity", where);
    near_v3(w.y, m3_skew(b.w).y, DIFFERENCE, "angular velocity", where);
    near_v3(w.z, m3_skew(b.w).z, DIFFERENCE, "angular velocity", where);
  }

  jn_general_biases(s, k->d);
  accelerations(k, qdd, accel);
  differentiate(&m, 6 * (s->nbody - s->nframe), sample_speeds, rate);
  for (int i = s->nframe; i < s->nbody; i++) {
    const double *x = rate + 6 * (i - s->nframe);
    const jt_body b = jt_see(k, i, accel);
    near_v3(v3_load(x), b.a, 4.0 * tolerance, "acceleration", where);
    near_v3(v3_load(x + 3), b.dw, 4.0 * DIFFERENCE, "angular acceleration", where);
  }
  if (!s->nrow) return;

  differentiate(&m, s->nrow, sample_residual, rate);
  for (int i = 0; i < s->nrow; i++) {
    if (!assembled && row_has_angle(s, i)) continue;
    if (fabs(rate[i] - k->d->residual_rate[i]) > tolerance)
      fail_msg("%s: rate of row %d is %.12g, by differences %.12g", where, i,
               k->d->residual_rate[i], rate[i]);
  }
  jn_general_biases(s, k->d);
  differentiate(&m, s->nrow, sample_residual_rate, rate);
  jn_general_biases(s, k->d);
  for (int i = 0; i < s->ncut; i++)
    for (int row = s->cut[i].row; row < s->cut[i].row + s->cut[i].nrow; row++) {
      const jn_row_data *w = &k->d->row[row];
      const double second =
          sv_dot(accel[s->cut[i].b], w->b) - sv_dot(accel[s->cut[i].a], w->a) - k->d->gamma[row];
      if (!(fabs(rate[row] - second) <= 4.0 * tolerance))
        fail_msg("%s: second rate of row %d is %.12g, by differences %.12g", where, row, second,
                 rate[row]);
    }
}

// ---- the two forms of a joint ------------------------------------------------------------------

static void each_mechanism(void (*check)(const joint_case *, context, bool))
{
  for (int c = 0; c < NCONTEXT; c++)
    for (int j = 0; j < NJOINT; j++)
      for (int reversed = 0; reversed < 2; reversed++)
        if (is_mechanism(&joints[j], (context)c)) check(&joints[j], (context)c, reversed);
}

// The joint is where the test wants it: in the tree in the asked direction, or cut.
static void check_form(const jn_system *s, context c, bool cut, bool reversed)
{
  for (int e = 0; e < s->model->nfile_edge; e++) {
    if (strcmp(s->model->edge[e].name, "J")) continue;
    if (cut) {
      assert_false(s->model->in_tree[e]);
      assert_true(s->model->edge[e].kind == JN_JOINT_FREE || s->cut_of_edge[e] >= 0);
    } else {
      assert_true(s->body_of_edge[e] >= 0);
      assert_int_equal(s->joint[s->body_of_edge[e]].reversed, reversed);
      if (c == FAR_OFF) assert_true(s->body[s->body_of_edge[e]].new_station || s->nrow);
    }
  }
}

static void check_motion(const joint_case *j, context c, bool reversed)
{
  jt_random r = {17};
  for (int cut = 0; cut < 2; cut++) {
    if (cut && strstr(j->text, "type: free")) continue;  // nothing is left of it
    jn_spec *spec = mechanism(j, c, reversed, cut);
    jn_model *m = jt_compile(spec, NULL);
    jt_run k = jt_run_of(m, JN_FORMULATION_RECURSIVE);
    if (cut || c != IN_LOOP) check_form(k.s, c, cut, reversed);
    jt_closer closer = jt_closer_of(k.s);
    for (int n = 0; n < STATES; n++) {
      do draw_state(&k, &r, 1.0), jt_look(&k);
      while (!rods_are_long(&k));
      check_derivatives(&k, &r, c, false, label(j, c, reversed));
    }
    int closed = 0;
    for (int n = 0; n < 4 * STATES && closed < STATES && k.s->nrow;
         n++) {  // with speeds that open the loops
      draw_state(&k, &r, 1.0);
      const double t = k.t;
      if (!(jt_close(&k, &closer) < 1e-13)) continue;
      k.t = t;
      closed++;
      check_derivatives(&k, &r, c, true, label(j, c, reversed));
    }
    if (k.s->nrow) assert_true(closed == STATES || c == IN_LOOP);
    jt_closer_free(&closer);
    jt_run_free(&k);
    jn_model_free(m);
    jn_spec_free(spec);
  }
}

static void motions_and_rows_are_derivatives_of_positions(void **state)
{
  (void)state;
  each_mechanism(check_motion);
}

// ---- the same physics both ways ----------------------------------------------------------------

static double value_of(const jt_run *k, const char *joint, const char *what)
{
  char name[64];
  snprintf(name, sizeof name, "joint.%s.%s", joint, what);
  const int i = jn_channel_find(k->s, name);
  return i < 0 ? 0.0 : jn_row(k->d)[i];
}

typedef struct wrench {
  v3 f, m;  // m about the world's origin
} wrench;

// What a joint puts on its second body, reported at that body's joint point.
static wrench reaction_of(const jt_run *k, const char *joint, const jt_body *at, double *size)
{
  const jn_model *m = k->s->model;
  for (int e = 0; e < m->nfile_edge; e++) {
    const jn_edge *edge = &m->edge[e];
    if (strcmp(edge->name, joint)) continue;
    const wrench reported = {
        v3_make(value_of(k, joint, "fx"), value_of(k, joint, "fy"), value_of(k, joint, "fz")),
        v3_make(value_of(k, joint, "mx"), value_of(k, joint, "my"), value_of(k, joint, "mz"))};
    const v3 point = jt_joint_point(k, e, at);
    *size = fmax(*size, v3_norm(reported.f));
    return (wrench){reported.f, v3_add(reported.m, v3_cross(point, reported.f))};
  }
  return (wrench){v3_set(0, 0, 0), v3_set(0, 0, 0)};
}

static void add(wrench *sum, v3 f, v3 at, double sign)
{
  sum->f = v3_axpy(sign, f, sum->f);
  sum->m = v3_axpy(sign, v3_cross(at, f), sum->m);
}

static v3 velocity_at(const jt_body *x, v3 p)
{
  return v3_add(x->v, v3_cross(x->w, v3_sub(p, x->p)));
}

// The spring in J: about or along the first body's axis, against the coordinate.
static void add_spring_of(const jt_run *k, const joint_case *j, int e, const jt_body *at,
                          wrench *sum)
{
  const jn_edge *edge = &k->s->model->edge[e];
  const jn_joint_keys *keys = &k->s->model->spec->joint[edge->joint].keys;
  if (!takes_torque(j) && !takes_force(j)) return;
  const v3 u = m3_mul_v3(at[edge->a].r, v3_unit(v3_load(keys->axis.v[0])));
  if (takes_torque(j)) {
    const bool cylindrical = edge->kind == JN_JOINT_CYLINDRICAL;
    const double torque = TURN_STIFFNESS * value_of(k, "J", "angle") +
                          TURN_DAMPING * value_of(k, "J", cylindrical ? "spin" : "speed");
    sum[edge->b].m = v3_axpy(-torque, u, sum[edge->b].m);
    sum[edge->a].m = v3_axpy(torque, u, sum[edge->a].m);
    return;
  }
  const v3 point = jt_joint_point(k, e, at);
  const double force =
      STIFFNESS * value_of(k, "J", "position") + DAMPING * value_of(k, "J", "speed");
  add(&sum[edge->b], v3_scale(force, u), point, -1.0);
  add(&sum[edge->a], v3_scale(force, u), point, 1.0);
}

// Newton and Euler for each body, summed here: reactions as reported, weight, the forces of the file.
static void check_balance(const jt_run *k, const joint_case *j, context c, const char *where)
{
  const jn_system *s = k->s;
  const jn_model *m = s->model;
  jt_body at[4];
  assert_true(m->nnode <= 4);
  jt_see_all(k, at);
  const int na = c == ON_GROUND ? JN_NODE_GROUND : jn_node_by_name(m, "A"),
            nb = jn_node_by_name(m, "B");
  const int ia = na == JN_NODE_GROUND ? 0 : s->body_of_node[na], ib = s->body_of_node[nb];
  wrench sum[4] = {0};
  double size = 50.0;
  const v3 pb = jt_point(k, ib, &at[nb], v3_load(at_b)),
           sb = jt_point(k, ib, &at[nb], v3_load(spring_b));
  v3 sa = v3_load(spring_a);
  add(&sum[nb], v3_load(push_b), pb, 1.0);
  if (na != JN_NODE_GROUND) {
    sa = jt_point(k, ia, &at[na], sa);
    add(&sum[na], v3_load(push_a), jt_point(k, ia, &at[na], v3_load(at_a)), 1.0);
  }
  const v3 d = v3_sub(sb, sa), n = v3_unit(d);
  const v3 va = na == JN_NODE_GROUND ? v3_set(0, 0, 0) : velocity_at(&at[na], sa);
  const double tension = STIFFNESS * (v3_norm(d) - FREE_LENGTH) +
                         DAMPING * v3_dot(n, v3_sub(velocity_at(&at[nb], sb), va));
  size = fmax(size, fabs(tension));
  add(&sum[na], v3_scale(tension, n), sa, 1.0);
  add(&sum[nb], v3_scale(tension, n), sb, -1.0);
  for (int e = 0; e < m->nfile_edge; e++) {
    if (!strcmp(m->edge[e].name, "J")) add_spring_of(k, j, e, at, sum);
    const wrench w = reaction_of(k, m->edge[e].name, at, &size);
    sum[m->edge[e].b].f = v3_add(sum[m->edge[e].b].f, w.f),
    sum[m->edge[e].b].m = v3_add(sum[m->edge[e].b].m, w.m);
    sum[m->edge[e].a].f = v3_sub(sum[m->edge[e].a].f, w.f),
    sum[m->edge[e].a].m = v3_sub(sum[m->edge[e].a].m, w.m);
  }
  for (int node = 1; node < m->nnode; node++) {
    const jn_body *b = &s->body[s->body_of_node[node]];
    const jt_body *x = &at[node];
    const v3 weight = v3_scale(b->mass, v3_load(m->spec->gravity));
    const s3 inertia = s3_rotate(x->r, b->inertia);
    const v3 spin = s3_mul_v3(inertia, x->w);
    const v3 momentum = v3_add(s3_mul_v3(inertia, x->dw), v3_cross(x->w, spin));
    const v3 moment = v3_sub(sum[node].m, v3_cross(x->p, sum[node].f));  // about the cg
    // Rounding of forces, times arms of the extent, in moments about the world's origin.
    near_v3(v3_add(sum[node].f, weight), v3_scale(b->mass, x->a), (1e-11 + 1e-15 * lost(c)) * size,
            "force on a body", where);
    near_v3(moment, momentum, (1e-11 + 1e-15 * lost(c)) * size * extent(c), "moment on a body",
            where);
  }
}

// Apart from springs within it, a joint does no work in what it permits.
static void check_workless(const jt_run *k, context c, const char *where)
{
  const jn_system *s = k->s;
  for (int i = s->nframe; i < s->nbody; i++)
    for (int m = 0; m < s->joint[i].nv; m++) {
      const sv w = k->d->s[s->joint[i].v + m], f = k->d->reaction[i];
      const double force = v3_norm(f.l) + 50.0,
                   size = v3_norm(w.a) * (v3_norm(f.a) + extent(c) * force) + v3_norm(w.l) * force;
      const double rounding = 1e-11 + 1e-15 * lost(c);
      const double work = sv_dot(w, f) - k->d->tau[s->joint[i].v + m];
      if (!(fabs(work) <= rounding * size))
        fail_msg("%s: reaction of body %d works by %g", where, i, work);
    }
}

static void check_same(const jt_run *x, const jt_run *y, context c, const char *where)
{
  const jn_model *m = x->s->model;
  jt_body a[4], b[4];
  jt_see_all(x, a);
  jt_see_all(y, b);
  double size = 50.0, linear = 10.0, angular = 10.0;
  const double tolerance = 1e-9 + 1e-15 * lost(c);
  for (int node = 1; node < m->nnode; node++) {
    linear = fmax(linear, v3_norm(a[node].a));
    angular = fmax(angular, v3_norm(a[node].dw));
  }
  for (int node = 1; node < m->nnode; node++) {
    near_v3(a[node].a, b[node].a, tolerance * linear, "acceleration", where);
    near_v3(a[node].dw, b[node].dw, tolerance * angular, "angular acceleration", where);
  }
  for (int e = 0; e < m->nfile_edge; e++) {
    const char *name = m->edge[e].name;
    const wrench w = reaction_of(x, name, a, &size), v = reaction_of(y, name, b, &size);
    near_v3(w.f, v.f, tolerance * size, "reaction", where);
    near_v3(w.m, v.m, tolerance * size * extent(c), "moment of reaction", where);
    static const char *const reported[] = {"angle", "angle1", "angle2", "position", "speed",
                                           "spin",  "speed1", "speed2", "accel",    "drive"};
    for (size_t i = 0; i < sizeof reported / sizeof *reported; i++) {
      const double p = value_of(x, name, reported[i]), q = value_of(y, name, reported[i]);
      const double allowed = tolerance * (i < 4    ? 1.0
                                          : i < 8  ? 10.0
                                          : i == 8 ? linear + angular
                                                   : size);
      const double apart = i < 3 ? remainder(p - q, 2.0 * M_PI) : p - q;
      if (!(fabs(apart) <= allowed))
        fail_msg("%s: %s.%s is %.12g and %.12g", where, name, reported[i], p, q);
    }
  }
}

static bool moderate(const jt_run *k, jt_closer *c)  // no row nearly depends on the others
{
  if (!k->s->nrow) return true;
  jt_scaled_rows(k, c->j);
  jn_qr f;
  jn_qr_factor(&f, k->s->nrow, k->s->nv, c->j, 1e-7, c->work);
  return f.rank == k->s->nrow && f.last > 1e-3 * f.first;
}

// Springs of cut joints take the angle for the one nearest to where it was, which is zero here.
static bool within_a_turn(const jt_run *k)
{
  bool good = true;
  for (int i = k->s->nframe; i < k->s->nbody; i++)
    for (int m = 0; m < k->s->joint[i].scalars; m++)
      if (k->s->coordinate_angle[k->s->joint[i].v + m])
        good &= fabs(k->d->y[k->s->joint[i].q + m]) < 3.1;
  return good;
}

static void check_physics(const joint_case *j, context c, bool reversed)
{
  jt_random r = {29};
  enum { FORMS = 2 * JN_NFORMULATION };
  const char *where = label(j, c, reversed);
  jn_spec *spec[2];
  jn_model *model[2];
  jt_run k[FORMS];
  for (int cut = 0; cut < 2; cut++) {
    spec[cut] = mechanism(j, c, reversed, cut);
    model[cut] = jt_compile(spec[cut], NULL);
    for (int f = 0; f < JN_NFORMULATION; f++)
      k[cut * JN_NFORMULATION + f] = jt_run_of(model[cut], (jn_formulation)f);
  }
  jt_closer closer = jt_closer_of(k[0].s);
  int done = 0;
  for (int n = 0; n < 20 * STATES && done < STATES; n++) {
    draw_state(&k[0], &r, 2.0);
    if (!(jt_close(&k[0], &closer) < 1e-13)) continue;
    jt_project(&k[0], &closer);
    if (!moderate(&k[0], &closer) || !within_a_turn(&k[0])) continue;
    done++;
    jt_body at[4];
    jt_look(&k[0]);
    jt_see_all(&k[0], at);
    jt_evaluate(&k[0]);
    check_balance(&k[0], j, c, where);
    check_workless(&k[0], c, where);
    for (int f = 1; f < FORMS; f++) {
      k[f].t = k[0].t;
      JT_LE(jt_transfer(&k[f], at), 1e-13 * extent(c) * 10.0);
      // What the tree permits, the rows do not see: lengths of a few ulps, and their rates.
      if (!(jn_worst(k[f].s, k[f].d->residual, NULL) <= 1e-14 * extent(c) * 10.0))
        fail_msg("%s: residual %g in form %d", where, jn_worst(k[f].s, k[f].d->residual, NULL), f);
      JT_LE(jn_worst(k[f].s, k[f].d->residual_rate, NULL), 1e-13 * extent(c) * 10.0);
      jt_evaluate(&k[f]);
      check_balance(&k[f], j, c, where);
      check_workless(&k[f], c, where);
      check_same(&k[0], &k[f], c, where);
    }
  }
  assert_int_equal(done, STATES);
  jt_closer_free(&closer);
  for (int f = 0; f < FORMS; f++) jt_run_free(&k[f]);
  for (int cut = 0; cut < 2; cut++) {
    jn_model_free(model[cut]);
    jn_spec_free(spec[cut]);
  }
}

static void tree_and_cut_joint_are_the_same_physics(void **state)
{
  (void)state;
  each_mechanism(check_physics);
}

// ---- attitudes ---------------------------------------------------------------------------------

// Attitudes at which some description by angles is singular, and random ones.
static q4 attitude(int n, jt_random *r)
{
  static const double half = 0.70710678118654752440;
  switch (n) {
    case 0:
      return q_identity();
    case 1:
      return q_make(0, v3_set(1, 0, 0));  // upside down, three ways
    case 2:
      return q_make(0, v3_set(0, 1, 0));
    case 3:
      return q_make(0, v3_set(0, 0, 1));
    case 4:
      return q_make(half, v3_set(0, half, 0));  // nose up and down
    case 5:
      return q_make(half, v3_set(0, -half, 0));
    case 6:
      return q_make(0, v3_set(half, 0, -half));
    case 7:
      return q_normalise(q_make(1e-9, v3_set(0.6, -0.8, 1e-9)));  // and beside them
    default:
      return jt_random_turn(r);
  }
}

static void set_turn(jt_run *k, int body, q4 e)
{
  double *q = k->d->y + k->s->joint[body].sphere;
  q[0] = e.w, q[1] = e.x, q[2] = e.y, q[3] = e.z;
}

// A heavy body on a ball, and a free one: Euler's equations about the point and about the cg, at
// any attitude.
static void euler_holds_at_every_attitude(void **state)
{
  (void)state;
  static const char *const text =
      "jounce: 1\nbodies:\n  B: {mass: 2, cg: [0.5, 0.2, -0.3], inertia: [0.06, 0.05, 0.08, -0.01, "
      "0.005, 0.01]}\n"
      "joints:\n  J: {type: %s, bodies: [%s], at: [0.1, 0, 0]}\n";
  const v3 c = v3_set(0.4, 0.2, -0.3), g = v3_set(0, 0, -9.81);
  const s3 own = s3_make(0.06, 0.05, 0.08, -0.01, 0.005, 0.01);
  for (int n = 0; n < 4; n++) {
    char model[512];
    const bool free_body = n & 1;
    snprintf(model, sizeof model, text, free_body ? "free" : "spherical",
             n & 2 ? "B, ground" : "ground, B");
    jn_spec *spec = jt_parse(model);
    jn_model *m = jt_compile(spec, NULL);
    for (int f = 0; f < JN_NFORMULATION; f++) {
      jt_run k = jt_run_of(m, (jn_formulation)f);
      jt_random r = {5};
      const int body = k.s->nframe;
      for (int i = 0; i < 100; i++) {
        const q4 e = attitude(i, &r);
        const m3 turn = q_to_m3(e);
        const v3 w = jt_random_v3(&r, i % 2 ? 5.0 : 100.0);
        set_turn(&k, body, e);
        v3_store(k.d->y + k.s->nq + k.s->joint[body].v + k.s->joint[body].scalars, w);
        jt_evaluate(&k);
        jt_body at[2];
        jt_see_all(&k, at);
        const v3 arm = m3_mul_v3(turn, c);
        s3 inertia = s3_rotate(turn, own);
        v3 moment = v3_set(0, 0, 0), a = g;
        if (!free_body) {
          inertia = s3_add(inertia, s3_inertia(v3_scale(2.0, arm), arm));
          moment = v3_cross(arm, v3_scale(2.0, g));
        }
        // I dw = moment - w x I w, by Cramer's rule
        const v3 rhs = v3_sub(moment, v3_cross(w, s3_mul_v3(inertia, w)));
        const m3 full = s3_full(inertia);
        const double det = v3_dot(full.x, v3_cross(full.y, full.z));
        const v3 dw = v3_scale(
            1.0 / det, m3_tmul_v3(m3_rows(v3_cross(full.y, full.z), v3_cross(full.z, full.x),
                                          v3_cross(full.x, full.y)),
                                  rhs));
        if (!free_body) a = v3_add(v3_cross(dw, arm), v3_cross(w, v3_cross(w, arm)));
        // Condition of the inertia, about 10, times a few roundings of the terms.
        const double size = 10.0 + v3_dot(w, w);
        near_v3(at[1].dw, dw, 1e-13 * size, "angular acceleration",
                free_body ? "free body" : "top");
        near_v3(at[1].a, a, 1e-13 * size, "acceleration", free_body ? "free body" : "top");
      }
      jt_run_free(&k);
    }
    jn_model_free(m);
    jn_spec_free(spec);
  }
}

// Turning, shifting and pushing off everything that floats turns accelerations less gravity, and
// nothing else.
static void floating_bodies_do_not_know_where_they_are(void **state)
{
  (void)state;
  static const char *const types[] = {"type: spherical, at: " P, "type: free",
                                      "type: spherical-revolute, at: [" P ", " Q "], axis: " U};
  jt_random r = {77};
  for (int n = 0; n < 6; n++) {
    char model[1024];
    snprintf(model, sizeof model,
             "jounce: 1\nbodies:\n  A: {mass: 3, cg: " CG_A
             ", inertia: [0.2, 0.3, 0.25, 0.02, -0.03, 0.01]}\n"
             "  B: {mass: 2, cg: " CG_B
             ", inertia: [0.06, 0.05, 0.08, -0.01, 0.005, 0.01]}\n"
             "joints:\n  J: {bodies: [%s], %s}\n"
             "forces:\n  s: {type: tsda, bodies: [A, B], at: [[0, 0, 0], [1, 1, 1]], stiffness: "
             "400, damping: 9, "
             "free_length: 0.5}\ntopology: {base: A}\n",
             n & 1 ? "B, A" : "A, B", types[n / 2]);
    jn_spec *spec = jt_parse(model);
    jn_model *m = jt_compile(spec, NULL);
    jt_run k = jt_run_of(m, JN_FORMULATION_SUBSYSTEM);
    double start[64];
    jt_body first[4];
    assert_true(k.s->nframe == 1 && k.s->frame[0].floating);
    draw_state(&k, &r, 3.0);
    memcpy(start, k.d->y, (size_t)(k.s->nq + k.s->nv) * sizeof *start);
    jt_evaluate(&k);
    jt_see_all(&k, first);
    const int base = k.s->frame[0].body;
    const jn_tree_joint *j = &k.s->joint[base];
    for (int i = 0; i < 60; i++) {
      const q4 e = attitude(i, &r);
      const m3 turn = q_to_m3(e);
      memcpy(k.d->y, start, (size_t)(k.s->nq + k.s->nv) * sizeof *start);
      double *q = k.d->y, *v = q + k.s->nq + j->v;
      set_turn(&k, base, q_mul(e, q_make(q[j->sphere], v3_load(q + j->sphere + 1))));
      v3_store(q + j->q, jt_random_v3(&r, 1e6));
      v3_store(v, v3_add(m3_mul_v3(turn, v3_load(v)), jt_random_v3(&r, 100.0)));
      v3_store(v + 3, m3_mul_v3(turn, v3_load(v + 3)));
      jt_evaluate(&k);
      jt_body at[4];
      jt_see_all(&k, at);
      const v3 g = k.s->gravity;
      for (int b = 1; b < 3; b++) {
        // Rounding times the ratio of inertias, whatever the place in the world.
        const double linear = v3_norm(first[b].a) + 100.0, angular = v3_norm(first[b].dw) + 100.0;
        near_v3(v3_sub(at[b].a, g), m3_mul_v3(turn, v3_sub(first[b].a, g)), 1e-12 * linear,
                "acceleration", types[n / 2]);
        near_v3(at[b].dw, m3_mul_v3(turn, first[b].dw), 1e-12 * angular, "angular acceleration",
                types[n / 2]);
      }
    }
    jt_run_free(&k);
    jn_model_free(m);
    jn_spec_free(spec);
  }
}

// The same heavy body, drawn in two attitudes of the design position: the coordinates differ, the
// motion does not. A Runge-Kutta step of the quaternion's equation q' = w q / 2 commutes with a
// factor on the right, so they differ by rounding alone, while the body makes many turns, head over
// heels.
static void motion_does_not_know_the_design_attitude(void **state)
{
  (void)state;
  enum { STEPS = 4000 };
  jt_random r = {41};
  for (int n = 0; n < 4; n++) {
    const char *bodies = n & 1 ? "B, ground" : "ground, B", *type = n & 2 ? "free" : "spherical";
    const q4 design[2] = {q_identity(), jt_random_turn(&r)}, start = jt_random_turn(&r);
    const v3 c = v3_set(0.05, 0.02, -0.1), w = v3_set(32, -21, 1);
    jn_spec *spec[2];
    jn_model *m[2];
    jt_run k[2];
    for (int i = 0; i < 2; i++) {
      char text[512];
      const q4 e = design[i];
      const v3 cg = q_rotate(e, c);
      snprintf(text, sizeof text,
               "jounce: 1\nbodies:\n  B: {mass: 2, cg: [%.17g, %.17g, %.17g], inertia: [0.06, "
               "0.05, 0.08, -0.01, 0.005, 0.01], "
               "orientation: [%.17g, %.17g, %.17g, %.17g]}\njoints:\n  J: {type: %s, bodies: [%s], "
               "at: [0, 0, 0]}\n",
               cg.x, cg.y, cg.z, e.w, e.x, e.y, e.z, type, bodies);
      spec[i] = jt_parse(text);
      m[i] = jt_compile(spec[i], NULL);
      k[i] = jt_run_of(m[i], JN_FORMULATION_SUBSYSTEM);
      const int body = k[i].s->nframe;
      const jn_tree_joint *j = &k[i].s->joint[body];
      set_turn(&k[i], body, q_mul(start, q_conj(e)));
      v3_store(k[i].d->y + k[i].s->nq + j->v + j->scalars, w);
    }
    double turned = 0.0, lowest = 1.0;
    for (int step = 0; step < STEPS; step++) {
      jt_body x[2];
      for (int i = 0; i < 2; i++) {
        assert_int_equal(jn_step(k[i].s, k[i].d), JN_STEP_OK);
        jt_look(&k[i]);
        x[i] = jt_see(&k[i], k[i].s->nframe, NULL);
        x[i].r = m3_mul(x[i].r, q_to_m3(design[i]));
      }
      turned += v3_norm(x[0].w) * 1e-3 / (2.0 * M_PI);
      lowest = fmin(lowest, v3_dot(x[0].r.z, q_to_m3(start).z));  // what stood upright
      // Roundings of a step, some 10 eps, add up; the motion spreads them, by less than a factor
      // 100.
      near_v3(x[0].w, x[1].w, 1e-11 * 50.0, "angular velocity", type);
      near_v3(x[0].p, x[1].p, 1e-11 * (1.0 + v3_norm(x[0].p)), "place", type);
      near_v3(m3_mul_v3(x[0].r, v3_set(1, 0, 0)), m3_mul_v3(x[1].r, v3_set(1, 0, 0)), 1e-11,
              "x axis", type);
      near_v3(m3_mul_v3(x[0].r, v3_set(0, 0, 1)), m3_mul_v3(x[1].r, v3_set(0, 0, 1)), 1e-11,
              "z axis", type);
    }
    assert_true(turned > 20.0);
    JT_LE(lowest, -0.9);
    // Order 4: (w h)^5 / 120 = 5e-10 of the energy, 50 J, in each step, and not all in one
    // direction.
    JT_LE(jn_data_stats(k[0].d).energy_drift, 4000 * 5e-10 * 50.0);
    for (int i = 0; i < 2; i++) {
      jt_run_free(&k[i]);
      jn_model_free(m[i]);
      jn_spec_free(spec[i]);
    }
  }
}

static int begin(void **state)
{
  (void)state;
  worst = 0.0;
  return 0;
}

static int print_worst(void **state)
{
  (void)state;
  printf("largest difference: %.2g of what is allowed\n", worst);
  return 0;
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(motions_and_rows_are_derivatives_of_positions, begin,
                                      print_worst),
      cmocka_unit_test_setup_teardown(tree_and_cut_joint_are_the_same_physics, begin, print_worst),
      cmocka_unit_test_setup_teardown(euler_holds_at_every_attitude, begin, print_worst),
      cmocka_unit_test_setup_teardown(floating_bodies_do_not_know_where_they_are, begin,
                                      print_worst),
      cmocka_unit_test_setup_teardown(motion_does_not_know_the_design_attitude, begin, print_worst),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
