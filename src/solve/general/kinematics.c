// kinematics.c: one pass from the ground outwards.
//
// A tree joint moves the child's anchor P along the parent, and turns the child about a point:
//
//   V_child = V_parent + sum S_k v_k,   c = V_parent x V_joint + (rate of S seen from the parent) v
//
// with S, V and c about the station's point, in frame axes [Fea08 ch. 3, 4].
#include "base/quat.h"
#include "base/rmath.h"
#include "solve/general/constraint_rows.h"

static const v3 zero = {0, 0, 0};

static sv turning(v3 u, v3 through)
{
  return sv_make(u, v3_cross(through, u));
}

static sv sliding(v3 u)
{
  return sv_make(zero, u);
}

// Coordinates that are angles stay near: they are kept within a turn. Screws and prescribed motions need not.
static m3 turned(const jn_tree_joint *j, v3 axis, double angle)
{
  const bool far = j->drive >= 0 || j->kind == JN_TREE_SCREW;
  const r_sin_cos t = far ? r_sincos(angle) : r_sincos_near(angle);
  return m3_about(axis, t.cos, t.sin);
}

static q4 sphere_of(const jn_tree_joint *j, const double *q)
{
  const double *e = q + j->sphere;  // of length one at a step's ends, nearly so within it
  return q_normalise(q_make(e[0], v3_make(e[1], e[2], e[3])));
}

// Scalar positions of a joint, those of a driven one from its drive.
static void scalars_of(const jn_tree_joint *j, const jn_data *d, double x[3])
{
  x[0] = x[1] = x[2] = 0.0;
  if (j->drive >= 0) {
    x[0] = d->drive[j->drive].s;
    return;
  }
  for (int k = 0; k < j->scalars; k++) x[k] = d->q[j->q + k];
}

static bool slides(jn_tree_kind kind)
{
  return kind == JN_TREE_TRANSLATIONAL || kind == JN_TREE_CYLINDRICAL || kind == JN_TREE_SLIDER ||
         kind == JN_TREE_SCREW || kind == JN_TREE_PLANAR || kind == JN_TREE_FREE ||
         kind == JN_TREE_NO_ROTATION;
}

// How far the joint has moved the anchor, in the parent's design axes; what turns it aside is left out.
static v3 travel(const jn_tree_joint *j, const double x[3])
{
  switch (j->kind) {
    case JN_TREE_TRANSLATIONAL:
    case JN_TREE_CYLINDRICAL:
    case JN_TREE_SLIDER:
      return v3_scale(x[0], j->axis);
    case JN_TREE_SCREW:
      return v3_scale(j->pitch * x[0], j->axis);
    case JN_TREE_PLANAR:
      return v3_axpy(x[0], j->second, v3_scale(x[1], j->third));
    case JN_TREE_FREE:
    case JN_TREE_NO_ROTATION:
    case JN_TREE_BASE:
      return v3_make(x[0], x[1], x[2]);
    default:
      return zero;
  }
}

// ---- positions --------------------------------------------------------------------------------

static void place_frames(const jn_system *s, jn_data *d)
{
  for (int f = 0; f < s->nframe; f++) {
    const jn_tree_joint *j = &s->joint[s->frame[f].body];
    jn_frame_state *k = &d->frame[f];
    double x[3];
    scalars_of(j, d, x);
    k->r = s->frame[f].floating ? q_to_m3(sphere_of(j, d->q)) : m3_identity();
    k->moved = travel(j, x);
    k->velocity = zero;
    k->gravity = m3_tmul_v3(k->r, s->gravity);
    d->pose[f].r = m3_transpose(k->r);
    d->pose[f].p = v3_neg(m3_tmul_v3(k->r, k->moved));
  }
}

static void place_body(const jn_system *s, jn_data *d, int i)
{
  const jn_tree_joint *j = &s->joint[i];
  const jn_body *b = &s->body[i];
  const jn_pose *up = &d->pose[b->parent];
  jn_pose *own = &d->pose[i];
  sv *col = j->drive >= 0 ? &d->s_drive[j->drive] : &d->s[j->v];
  if (j->kind == JN_TREE_BASE) {
    own->r = m3_identity();
    own->p = zero;
    col[0] = sliding(v3_set(1, 0, 0)), col[1] = sliding(v3_set(0, 1, 0));
    col[2] = sliding(v3_set(0, 0, 1));
    col[3] = turning(v3_set(1, 0, 0), zero), col[4] = turning(v3_set(0, 1, 0), zero);
    col[5] = turning(v3_set(0, 0, 1), zero);
    d->station[b->station] = zero;
    return;
  }
  double x[3];
  scalars_of(j, d, x);
  const v3 at = v3_add(up->p, m3_mul_v3(up->r, j->at));  // joint point on the parent
  const v3 u = m3_mul_v3(up->r, j->axis);
  v3 p = slides(j->kind) ? v3_add(at, m3_mul_v3(up->r, travel(j, x))) : at, centre = p, arm = zero;
  switch (j->kind) {
    case JN_TREE_REVOLUTE:
    case JN_TREE_SCREW:
      own->r = m3_mul(up->r, m3_mul(turned(j, j->axis, x[0]), j->turn));
      break;
    case JN_TREE_CYLINDRICAL:
      own->r = m3_mul(up->r, m3_mul(turned(j, j->axis, x[1]), j->turn));
      break;
    case JN_TREE_PLANAR:
      own->r = m3_mul(up->r, m3_mul(turned(j, j->axis, x[2]), j->turn));
      break;
    case JN_TREE_UNIVERSAL:
      own->r = m3_mul(m3_mul(up->r, turned(j, j->axis, x[0])), turned(j, j->second, x[1]));
      break;
    case JN_TREE_SPHERICAL:
    case JN_TREE_FREE:
    case JN_TREE_SLIDER:
      own->r = m3_mul(up->r, q_to_m3(sphere_of(j, d->q)));
      break;
    case JN_TREE_LINK:
      own->r = m3_mul(up->r, q_to_m3(sphere_of(j, d->q)));
      arm = m3_mul_v3(up->r, m3_mul_v3(turned(j, j->axis, x[0]), j->link));
      centre = p = v3_add(at, arm);
      break;
    case JN_TREE_LINK_CHILD:
      own->r = m3_mul(up->r, q_to_m3(sphere_of(j, d->q)));
      arm = m3_mul_v3(own->r, m3_mul_v3(turned(j, j->axis, x[0]), j->link));
      p = v3_sub(at, arm);
      break;
    case JN_TREE_SLIDER_CHILD:
      own->r = m3_mul(up->r, q_to_m3(sphere_of(j, d->q)));
      arm = m3_mul_v3(own->r, v3_axpy(x[0], j->axis, j->link));
      p = v3_sub(at, arm);
      break;
    default:  // FIXED, TRANSLATIONAL, NO_ROTATION
      own->r = m3_mul(up->r, j->turn);
  }
  v3 origin = d->station[s->body[b->parent].station];
  if (b->new_station) {
    d->station[b->station] = v3_add(origin, p);
    centre = v3_sub(centre, p);
    p = zero;
  }
  own->p = p;

  switch (j->kind) {
    case JN_TREE_REVOLUTE:
      col[0] = turning(u, centre);
      break;
    case JN_TREE_TRANSLATIONAL:
      col[0] = sliding(u);
      break;
    case JN_TREE_CYLINDRICAL:
      col[0] = sliding(u);
      col[1] = turning(u, centre);
      break;
    case JN_TREE_SCREW:
      col[0] = sv_add(turning(u, centre), sliding(v3_scale(j->pitch, u)));
      break;
    case JN_TREE_UNIVERSAL:
      col[0] = turning(u, centre);
      col[1] = turning(m3_mul_v3(own->r, j->second), centre);
      break;
    case JN_TREE_PLANAR:
      col[0] = sliding(m3_mul_v3(up->r, j->second));
      col[1] = sliding(m3_mul_v3(up->r, j->third));
      col[2] = turning(u, centre);
      break;
    case JN_TREE_NO_ROTATION:
    case JN_TREE_FREE:
      for (int k = 0; k < 3; k++) col[k] = sliding(m3_column(up->r, k));
      break;
    case JN_TREE_LINK:
      col[0] = sliding(v3_cross(u, arm));
      break;
    case JN_TREE_LINK_CHILD:
      col[0] = sliding(v3_cross(arm, m3_mul_v3(own->r, j->axis)));
      break;
    case JN_TREE_SLIDER:
      col[0] = sliding(u);
      break;
    case JN_TREE_SLIDER_CHILD:
      col[0] = sliding(v3_neg(m3_mul_v3(own->r, j->axis)));
      break;
    default:
      break;
  }
  if (j->sphere >= 0)
    for (int k = 0; k < 3; k++) col[j->scalars + k] = turning(m3_column(up->r, k), centre);
}

void jn_dyn_residuals(const jn_system *s, jn_data *d)
{
  place_frames(s, d);
  for (int i = s->nframe; i < s->nbody; i++) place_body(s, d, i);
  jn_rows_residuals(s, d);
}

void jn_dyn_positions(const jn_system *s, jn_data *d)
{
  place_frames(s, d);
  for (int i = s->nframe; i < s->nbody; i++) {
    place_body(s, d, i);
    const jn_body *b = &s->body[i];
    const jn_pose *own = &d->pose[i];
    d->inertia[i] = si_from_cg(b->mass, v3_add(own->p, m3_mul_v3(own->r, b->cg)),
                               s3_rotate(own->r, b->inertia));
  }
  jn_rows_positions(s, d);
}

// ---- speeds -----------------------------------------------------------------------------------

// The parent's motion, about the child's station.
static sv parent_motion(const jn_system *s, const jn_data *d, const sv *motion, int i)
{
  const jn_body *b = &s->body[i];
  sv up = motion[b->parent];
  if (!b->new_station) return up;
  return sv_shift_motion(up, v3_neg(jn_to_parent(s, d, i)));
}

static sv joint_motion(const jn_system *s, const jn_data *d, int i)
{
  const jn_tree_joint *j = &s->joint[i];
  if (j->drive >= 0) return sv_scale(d->drive[j->drive].rate, d->s_drive[j->drive]);
  sv sum = sv_make(zero, zero);
  for (int k = 0; k < j->nv; k++) sum = sv_axpy(d->v[j->v + k], d->s[j->v + k], sum);
  return sum;
}

void jn_dyn_speeds(const jn_system *s, jn_data *d)
{
  for (int f = 0; f < s->nframe; f++) {
    if (s->frame[f].floating) d->frame[f].velocity = v3_load(&d->v[s->joint[s->frame[f].body].v]);
    d->twist[f] = sv_make(zero, v3_neg(m3_tmul_v3(d->frame[f].r, d->frame[f].velocity)));
  }
  for (int i = s->nframe; i < s->nbody; i++) {
    const jn_tree_joint *j = &s->joint[i];
    if (j->kind == JN_TREE_BASE)
      d->twist[i] =
          sv_make(m3_tmul_v3(d->frame[s->body[i].frame].r, v3_load(&d->v[j->v + 3])), zero);
    else
      d->twist[i] = sv_add(parent_motion(s, d, d->twist, i), joint_motion(s, d, i));
  }
  jn_rows_rates(s, d);
}

// Rate of the joint's motion as the parent sees it, coordinates' own accelerations left aside.
static sv own_bias(const jn_tree_joint *j, const jn_data *d, const sv *col)
{
  const double *v = j->drive >= 0 ? &d->drive[j->drive].rate : &d->v[j->v];
  v3 w = zero;  // of the sphere
  if (j->sphere >= 0)
    for (int k = 0; k < 3; k++) w = v3_axpy(v[j->scalars + k], col[j->scalars + k].a, w);
  switch (j->kind) {
    case JN_TREE_UNIVERSAL:
      return sv_scale(v[0] * v[1], sv_crm(col[0], col[1]));
    case JN_TREE_PLANAR: {
      v3 moving = v3_axpy(v[0], col[0].l, v3_scale(v[1], col[1].l));
      return sliding(v3_cross(moving, v3_scale(v[2], col[2].a)));
    }
    case JN_TREE_FREE: {
      v3 moving = v3_axpy(v[0], col[0].l, v3_axpy(v[1], col[1].l, v3_scale(v[2], col[2].l)));
      return sliding(v3_cross(moving, w));
    }
    case JN_TREE_SLIDER:
      return sliding(v3_cross(v3_scale(v[0], col[0].l), w));
    case JN_TREE_SLIDER_CHILD:
      return sliding(v3_scale(v[0], v3_cross(w, col[0].l)));
    default:
      return sv_make(zero, zero);
  }
}

// Those of links need the axis and the arm.
static sv link_bias(const jn_system *s, const jn_data *d, int i)
{
  const jn_tree_joint *j = &s->joint[i];
  const double *v = &d->v[j->v];
  const sv *col = &d->s[j->v];
  bool child = j->kind == JN_TREE_LINK_CHILD;
  v3 u = m3_mul_v3(d->pose[child ? i : s->body[i].parent].r, j->axis), w = zero, move = col[0].l;
  for (int k = 0; k < 3; k++) w = v3_axpy(v[1 + k], col[1 + k].a, w);
  v3 around = v3_scale(v[0] * v[0], v3_cross(u, move));
  return child ? sliding(v3_add(around, v3_scale(v[0], v3_cross(w, move))))
               : sliding(v3_add(around, v3_cross(v3_scale(v[0], move), w)));
}

void jn_dyn_biases(const jn_system *s, jn_data *d)
{
  for (int i = s->nframe; i < s->nbody; i++) {
    const jn_tree_joint *j = &s->joint[i];
    if (j->kind == JN_TREE_BASE) {
      d->bias[i] = sv_make(zero, zero);
      continue;
    }
    const sv *col = j->drive >= 0 ? &d->s_drive[j->drive] : &d->s[j->v];
    sv up = parent_motion(s, d, d->twist, i), relative = sv_sub(d->twist[i], up);
    sv own = j->kind == JN_TREE_LINK || j->kind == JN_TREE_LINK_CHILD ? link_bias(s, d, i)
                                                                      : own_bias(j, d, col);
    d->bias[i] = sv_add(sv_crm(up, relative), own);
    if (j->drive >= 0)
      d->bias[i] = sv_axpy(d->drive[j->drive].accel, d->s_drive[j->drive], d->bias[i]);
  }
  jn_rows_gamma(s, d);
}

// ---- coordinates ------------------------------------------------------------------------------

void jn_dyn_qdot(const jn_system *s, const double *q, const double *v, double *dq)
{
  for (int i = s->nframe; i < s->nbody; i++) {
    const jn_tree_joint *j = &s->joint[i];
    if (j->drive >= 0) continue;
    for (int k = 0; k < j->scalars; k++) dq[j->q + k] = v[j->v + k];
    if (j->sphere < 0) continue;
    q4 rate = q_rate_world(sphere_of(j, q), v3_load(&v[j->v + j->scalars]));
    double *e = dq + j->sphere;
    e[0] = rate.w, e[1] = rate.x, e[2] = rate.y, e[3] = rate.z;
  }
}

void jn_dyn_move(const jn_system *s, double *q, const double *step, const jn_frame_state *frame)
{
  for (int i = s->nframe; i < s->nbody; i++) {
    const jn_tree_joint *j = &s->joint[i];
    if (j->drive >= 0) continue;
    v3 shift = zero, turn = zero;
    if (j->kind == JN_TREE_BASE) {
      m3 r = frame[s->body[i].frame].r;
      shift = m3_mul_v3(r, v3_load(step + j->v));
      turn = m3_mul_v3(r, v3_load(step + j->v + 3));
      q[j->q] += shift.x, q[j->q + 1] += shift.y, q[j->q + 2] += shift.z;
    } else {
      for (int k = 0; k < j->scalars; k++) q[j->q + k] += step[j->v + k];
      if (j->sphere >= 0) turn = v3_load(step + j->v + j->scalars);
    }
    if (j->sphere < 0) continue;
    q4 e = q_normalise(q_mul(q_exp(turn), sphere_of(j, q)));
    double *to = q + j->sphere;
    to[0] = e.w, to[1] = e.x, to[2] = e.y, to[3] = e.z;
  }
}
