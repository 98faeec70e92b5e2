#include "plan/topology/geometry.h"

#include <math.h>
#include <string.h>

#include "joints/rows.h"

static const v3 ex = {1, 0, 0}, ey = {0, 1, 0}, ez = {0, 0, 1};

// ---- displacements ----------------------------------------------------------------------------

jn_displacement jn_displacement_identity(void)
{
  return (jn_displacement){m3_identity(), v3_set(0, 0, 0)};
}

jn_displacement jn_displacement_mul(const jn_displacement *a, const jn_displacement *b)
{
  return (jn_displacement){m3_mul(a->r, b->r), jn_displacement_point(a, b->t)};
}

jn_displacement jn_displacement_inverse(const jn_displacement *a)
{
  return (jn_displacement){m3_transpose(a->r), v3_neg(m3_tmul_v3(a->r, a->t))};
}

v3 jn_displacement_point(const jn_displacement *d, v3 x)
{
  return v3_add(m3_mul_v3(d->r, x), d->t);
}

// The origin of the turned axes is at t; seen from the world's origin, that is -t away.
sv jn_motion_to_world(const jn_displacement *d, sv motion)
{
  return sv_shift_motion(sv_rotate(d->r, motion), v3_neg(d->t));
}

sv jn_force_to_world(const jn_displacement *d, sv force)
{
  return sv_shift_force(sv_rotate(d->r, force), v3_neg(d->t));
}

static m3 turn_about(v3 axis, double angle)
{
  return m3_about(axis, cos(angle), sin(angle));
}

static m3 turn_by(v3 a)
{
  double angle = v3_norm(a);
  return angle > 0.0 ? turn_about(v3_scale(1.0 / angle, a), angle) : m3_identity();
}

// ---- geometry ---------------------------------------------------------------------------------

// Two unit vectors that complete u to a right-handed frame.
static void complete(v3 u, v3 n[2])
{
  double x = fabs(u.x), y = fabs(u.y), z = fabs(u.z);
  v3 least = x <= y && x <= z ? ex : y <= z ? ey : ez;
  n[0] = v3_unit(v3_cross(u, least));
  n[1] = v3_cross(u, n[0]);
}

// The shortest rotation that puts the line along unit vector `from` on that along `to`.
static m3 align(v3 from, v3 to)
{
  if (v3_dot(from, to) < 0.0) to = v3_neg(to);
  v3 axis = v3_cross(from, to), n[2];
  double sine = v3_norm(axis), cosine = v3_dot(from, to);
  complete(from, n);
  return turn_about(sine > 0.0 ? v3_scale(1.0 / sine, axis) : n[0], atan2(sine, cosine));
}

// Of any length, however large or small.
static v3 direction(const double a[3])
{
  double size = fmax(fabs(a[0]), fmax(fabs(a[1]), fabs(a[2])));
  return v3_unit(v3_set(a[0] / size, a[1] / size, a[2] / size));
}

// The part of a separation of the joint points that the joint has no say in.
static v3 permitted(jn_joint_kind kind, v3 axis, v3 d)
{
  v3 along = v3_scale(v3_dot(d, axis), axis);
  switch (kind) {
    case JN_JOINT_TRANSLATIONAL:
    case JN_JOINT_CYLINDRICAL:
    case JN_JOINT_SCREW:
    case JN_JOINT_SPHERICAL_TRANSLATIONAL:
      return along;
    case JN_JOINT_PLANAR:
      return v3_sub(d, along);
    default:
      return v3_set(0, 0, 0);
  }
}

// Do the two joint points meet, but for what is permitted?
static bool points_meet(jn_joint_kind kind)
{
  return kind != JN_JOINT_FREE && kind != JN_JOINT_NO_ROTATION && kind != JN_JOINT_DISTANCE &&
         kind != JN_JOINT_SPHERICAL_REVOLUTE;
}

// Directions and values that its rows name.
static void hold(jn_joint_geometry *g, v3 d)
{
  const bool bare = v3_dot(g->axis[0], g->axis[0]) == 0.0;  // held along all three
  g->x[JN_X_AXIS] = bare ? ez : g->axis[0];
  g->x[JN_X_NORMAL] = ex, g->x[JN_X_OTHER] = ey;
  if (!bare) complete(g->axis[0], &g->x[JN_X_NORMAL]);
  g->y[JN_Y_AXIS] = bare ? ez : g->axis[1];
  g->y[JN_Y_NORMAL] = m3_tmul_v3(g->turn, g->x[JN_X_NORMAL]);
  g->y[JN_Y_OTHER] = m3_tmul_v3(g->turn, g->x[JN_X_OTHER]);
  g->y[JN_Y_UP] = v3_cross(g->y[JN_Y_NORMAL], g->y[JN_Y_OTHER]);
  g->value[JN_VALUE_COSINE] = v3_dot(g->axis[0], g->axis[1]);
  g->value[JN_VALUE_OFFSET] = v3_dot(d, g->axis[0]);
  g->value[JN_VALUE_LENGTH] = v3_norm(d);
  g->value[JN_VALUE_SLIDE] = v3_dot(g->slide, g->axis[0]);
}

jn_joint_geometry jn_joint_geometry_of(const jn_model *m, int edge)
{
  const jn_edge *e = &m->edge[edge];
  jn_joint_geometry g = {.kind = e->kind, .driven = e->driven, .turn = m3_identity()};
  const jn_body_spec *moving = &m->spec->body[(e->b > 0 ? e->b : e->a) - 1];
  g.at[0] = g.at[1] = v3_load(moving->keys.cg);  // where the file gives no point, any will do
  if (e->joint < 0) return g;
  const jn_joint_keys *k = &m->spec->joint[e->joint].keys;
  for (int i = 0; i < 2; i++) {
    if (k->at.n) g.at[i] = v3_load(k->at.v[k->at.n == 2 ? i : 0]);
    if (k->axis.n) g.axis[i] = direction(k->axis.v[k->axis.n == 2 ? i : 0]);
  }
  v3 d = v3_sub(g.at[1], g.at[0]);
  g.pitch = k->lead / (2.0 * M_PI);
  g.slide = permitted(g.kind, g.axis[0], d);
  if (points_meet(g.kind)) g.apart = v3_norm(v3_sub(d, g.slide));
  if (k->axis.n == 2 && g.kind != JN_JOINT_UNIVERSAL) {
    g.turn = align(g.axis[1], g.axis[0]);
    g.askew = asin(fmin(1.0, v3_norm(v3_cross(g.axis[0], g.axis[1]))));
  }
  hold(&g, d);
  return g;
}

jn_joint_state jn_joint_state_zero(void)
{
  return (jn_joint_state){.r = m3_identity()};
}

// ---- as a tree joint --------------------------------------------------------------------------

// Where the joint point of the second body is, in the first's axes.
static v3 joint_point(const jn_joint_geometry *g, const jn_joint_state *state)
{
  const double *s = state->s;
  const v3 start = v3_add(g->at[0], g->slide);
  switch (g->kind) {
    case JN_JOINT_TRANSLATIONAL:
    case JN_JOINT_CYLINDRICAL:
    case JN_JOINT_SPHERICAL_TRANSLATIONAL:
      return v3_axpy(s[0], g->axis[0], start);
    case JN_JOINT_SCREW:
      return v3_axpy(g->pitch * s[0], g->axis[0], start);
    case JN_JOINT_PLANAR:
      return v3_axpy(s[0], g->x[JN_X_NORMAL], v3_axpy(s[1], g->x[JN_X_OTHER], start));
    case JN_JOINT_FREE:
    case JN_JOINT_NO_ROTATION:
    case JN_JOINT_DISTANCE:
      return v3_add(g->at[1], v3_set(s[0], s[1], s[2]));
    case JN_JOINT_SPHERICAL_REVOLUTE: {
      v3 link = v3_sub(g->at[1], g->at[0]);
      return v3_add(g->at[0], m3_mul_v3(turn_about(g->axis[0], s[0]), link));
    }
    default:
      return start;
  }
}

static m3 joint_rotation(const jn_joint_geometry *g, const jn_joint_state *state)
{
  const double *s = state->s;
  switch (g->kind) {
    case JN_JOINT_REVOLUTE:
    case JN_JOINT_SCREW:
      return m3_mul(turn_about(g->axis[0], s[0]), g->turn);
    case JN_JOINT_CYLINDRICAL:
      return m3_mul(turn_about(g->axis[0], s[1]), g->turn);
    case JN_JOINT_PLANAR:
      return m3_mul(turn_about(g->axis[0], s[2]), g->turn);
    case JN_JOINT_UNIVERSAL:
      return m3_mul(turn_about(g->axis[0], s[0]), turn_about(g->axis[1], s[1]));
    default:  // those with a sphere, and those that do not turn
      return m3_mul(state->r, g->turn);
  }
}

jn_displacement jn_joint_displacement(const jn_joint_geometry *g, const jn_joint_state *state)
{
  m3 r = joint_rotation(g, state);
  return (jn_displacement){r, v3_sub(joint_point(g, state), m3_mul_v3(r, g->at[1]))};
}

static sv rotation(v3 u, v3 through)
{
  return sv_make(u, v3_cross(through, u));
}
static sv translation(v3 u)
{
  return sv_make(v3_set(0, 0, 0), u);
}

static int sphere_twists(v3 p, sv *twist)
{
  twist[0] = rotation(ex, p);
  twist[1] = rotation(ey, p);
  twist[2] = rotation(ez, p);
  return 3;
}

int jn_joint_twists(const jn_joint_geometry *g, const jn_joint_state *state, sv twist[6],
                    bool translates[6])
{
  const v3 p = joint_point(g, state), u = g->axis[0];
  memset(translates, 0, 6 * sizeof *translates);
  switch (g->kind) {
    case JN_JOINT_FIXED:
    case JN_NJOINT_KIND:
      return 0;
    case JN_JOINT_REVOLUTE:
      twist[0] = rotation(u, p);
      return 1;
    case JN_JOINT_TRANSLATIONAL:
      translates[0] = true;
      twist[0] = translation(u);
      return 1;
    case JN_JOINT_CYLINDRICAL:
      translates[0] = true;
      twist[0] = translation(u);
      twist[1] = rotation(u, p);
      return 2;
    case JN_JOINT_SCREW:
      twist[0] = sv_add(rotation(u, p), translation(v3_scale(g->pitch, u)));
      return 1;
    case JN_JOINT_UNIVERSAL:
      twist[0] = rotation(u, p);
      twist[1] = rotation(m3_mul_v3(turn_about(u, state->s[0]), g->axis[1]), p);
      return 2;
    case JN_JOINT_SPHERICAL:
      return sphere_twists(p, twist);
    case JN_JOINT_PLANAR:
      translates[0] = translates[1] = true;
      twist[0] = translation(g->x[JN_X_NORMAL]);
      twist[1] = translation(g->x[JN_X_OTHER]);
      twist[2] = rotation(u, p);
      return 3;
    case JN_JOINT_FREE:
    case JN_JOINT_DISTANCE:
    case JN_JOINT_NO_ROTATION:
      translates[0] = translates[1] = translates[2] = true;
      twist[0] = translation(ex);
      twist[1] = translation(ey);
      twist[2] = translation(ez);
      return 3 + (g->kind == JN_JOINT_NO_ROTATION ? 0 : sphere_twists(p, twist + 3));
    case JN_JOINT_SPHERICAL_REVOLUTE:  // the link turns, the second body's orientation is its own
      twist[0] = translation(v3_cross(u, v3_sub(p, g->at[0])));
      return 1 + sphere_twists(p, twist + 1);
    case JN_JOINT_SPHERICAL_TRANSLATIONAL:
      translates[0] = true;
      twist[0] = translation(u);
      return 1 + sphere_twists(p, twist + 1);
  }
  return 0;
}

void jn_joint_advance(const jn_joint_geometry *g, jn_joint_state *state, const double *step)
{
  int scalars = 0, sphere = -1;
  switch (g->kind) {
    case JN_JOINT_SPHERICAL:
      sphere = 0;
      break;
    case JN_JOINT_FREE:
    case JN_JOINT_DISTANCE:
      scalars = sphere = 3;
      break;
    case JN_JOINT_SPHERICAL_REVOLUTE:
    case JN_JOINT_SPHERICAL_TRANSLATIONAL:
      scalars = sphere = 1;
      break;
    default:
      scalars = jn_joint_kinds[g->kind].ncoord;
  }
  for (int i = 0; i < scalars; i++) state->s[i] += step[i];
  if (sphere >= 0) state->r = m3_mul(turn_by(v3_load(step + sphere)), state->r);
}

// ---- as a constraint --------------------------------------------------------------------------

int jn_joint_wrenches(const jn_joint_geometry *g, const jn_displacement *e, double residual[6],
                      sv wrench[6], bool lengths[6])
{
  jn_joint_row row[JN_ROWS];
  const m3 own = m3_identity();
  const int n = jn_joint_rows(g->kind, g->driven, row);
  const v3 at = jn_displacement_point(e, g->at[1]);
  const jn_row_place p = {.a = &own,
                          .b = &e->r,
                          .x = g->x,
                          .y = g->y,
                          .value = g->value,
                          .pitch = g->pitch,
                          .d = v3_sub(at, g->at[0])};
  for (int i = 0; i < n; i++) {
    const jn_row_value k = jn_row_at(&row[i], &p);
    residual[i] = k.residual;
    wrench[i] = sv_make(v3_cross_add(at, k.f, k.m), k.f);
    lengths[i] = !jn_row_is_angle(&row[i]);
  }
  return n;
}
