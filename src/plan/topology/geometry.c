#include "plan/topology/geometry.h"

#include <math.h>

#include "base/quat.h"
#include "joints/joint_rows.h"

static sv rotation(v3 u, v3 through)
{
  return sv_make(u, v3_cross(through, u));
}
static sv translation(v3 u)
{
  return sv_make(v3_set(0, 0, 0), u);
}

#define JOINT_MOVE                  joint_move
#define JOINT_TO                    sv *
#define JOINT_Q(q, i)               ((q)[i])
#define JOINT_TURNING(to, i, u, p)  ((to)[i] = rotation(u, p))
#define JOINT_SLIDING(to, i, u)     ((to)[i] = translation(u))
#define JOINT_SCREW(to, i, u, p, h) ((to)[i] = sv_axpy(h, translation(u), rotation(u, p)))
#include "joints/moves.h"

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
  const v3 along = v3_scale(v3_dot(d, axis), axis);
  const bool slides = jn_joint_slides_along(kind, JN_X_AXIS);
  const bool aside =
      jn_joint_slides_along(kind, JN_X_NORMAL) && jn_joint_slides_along(kind, JN_X_OTHER);
  return slides && aside ? d : slides ? along : aside ? v3_sub(d, along) : v3_set(0, 0, 0);
}

// Do the two joint points meet, but for what is permitted?
static bool points_meet(jn_joint_kind kind)
{
  return !jn_joint_has_move(kind, JN_MOVE_SLIDES) && !jn_joint_has_move(kind, JN_MOVE_ARM);
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
  if (k->axis.n == 2 && !jn_joint_has_second_axis(g.kind)) {
    g.turn = align(g.axis[1], g.axis[0]);
    g.askew = asin(fmin(1.0, v3_norm(v3_cross(g.axis[0], g.axis[1]))));
  }
  hold(&g, d);
  return g;
}

jn_joint_state jn_joint_state_zero(void)
{
  return (jn_joint_state){.e = {1.0}};
}

// ---- as a tree joint --------------------------------------------------------------------------

// Seen from the second body a joint that is alike on both has its directions turned round; of another the moves come in reverse
// order as well, and directions are those of the body that it leads to.
jn_joint_lead jn_joint_lead_of(const jn_joint_geometry *g, bool reversed)
{
  const bool handed = jn_joint_shapes[g->kind].handed;
  const m3 back = m3_transpose(g->turn);
  jn_joint_lead l = {.turn = reversed ? back : g->turn};
  l.nmove = jn_joint_moves(g->kind, reversed, g->driven, l.move);
  l.start = reversed ? g->at[1] : v3_add(g->at[0], g->slide);
  l.end = reversed ? g->at[0] : g->at[1];
  if (reversed && handed) l.end = v3_add(l.end, g->slide);
  if (reversed && !handed) l.start = v3_sub(l.start, m3_mul_v3(back, g->slide));
  for (int i = 0; i < l.nmove; i++) {
    jn_move *m = &l.move[i];
    const double sign = reversed ? -1.0 : 1.0;
    const v3 u = m->direction == JN_ALONG_SECOND ? g->axis[1] : g->x[m->direction];
    m->pitch = g->pitch;
    m->own = reversed ? v3_neg(handed ? u : m3_mul_v3(back, u)) : u;
    if (m->kind == JN_MOVE_SLIDES) l.start = l.end;
    if (m->kind != JN_MOVE_ARM) continue;
    m->own = u;
    m->arm = v3_scale(sign, v3_sub(g->at[1], g->at[0]));
  }
  return l;
}

// The motions of the coordinates about the origin, and where the moves lead. Angles may be any.
static joint_at across(const jn_joint_lead *l, const jn_joint_state *state, sv twist[6])
{
  joint_at k = {m3_identity(), l->start, false};
  for (int i = 0; i < l->nmove; i++) {
    const jn_move *m = &l->move[i];
    const joint_numbers n = {m->own, m->arm, m->pitch};
    if (m->kind == JN_MOVE_SPHERE)
      k = joint_move(k, m->kind, true, n, state->e, 0, twist, m->v);
    else
      k = joint_move(k, m->kind, true, n, state->s, m->q, twist, m->v);
  }
  return k;
}

jn_displacement jn_joint_displacement(const jn_joint_geometry *g, const jn_joint_state *state)
{
  sv twist[6];
  const jn_joint_lead l = jn_joint_lead_of(g, false);
  const joint_at k = across(&l, state, twist);
  const m3 r = m3_mul(k.r, l.turn);
  return (jn_displacement){r, v3_sub(k.p, m3_mul_v3(r, l.end))};
}

int jn_joint_twists(const jn_joint_geometry *g, const jn_joint_state *state, sv twist[6],
                    bool translates[6])
{
  const jn_joint_lead l = jn_joint_lead_of(g, false);
  int n = 0;
  across(&l, state, twist);
  for (int i = 0; i < l.nmove; i++)
    for (int k = 0; k < jn_move_speeds(&l.move[i]); k++, n++)
      translates[l.move[i].v + k] = !jn_move_is_angle(&l.move[i]);
  return n;
}

void jn_joint_advance(const jn_joint_geometry *g, jn_joint_state *state, const double *step)
{
  const int scalars = jn_joint_scalars(g->kind);
  for (int i = 0; i < scalars; i++) state->s[i] += step[i];
  if (!jn_joint_has_move(g->kind, JN_MOVE_SPHERE)) return;
  q_store(state->e, q_normalise(q_mul(q_exp(v3_load(step + scalars)), q_load(state->e))));
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
