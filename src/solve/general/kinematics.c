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
#include "solve/general/general.h"

static const v3 zero = {0, 0, 0};

typedef struct screws {  // about a point that is `origin` away
  sv *col;
  v3 origin;
} screws;

static sv turning(v3 u, v3 through)
{
  return sv_make(u, v3_cross(through, u));
}

static sv sliding(v3 u)
{
  return sv_make(zero, u);
}

#define JOINT_MOVE                 joint_move
#define JOINT_TO                   screws
#define JOINT_Q(q, i)              ((q)[i])
#define JOINT_TURNING(to, i, u, p) ((to).col[i] = turning(u, v3_sub(p, (to).origin)))
#define JOINT_SLIDING(to, i, u)    ((to).col[i] = sliding(u))
#define JOINT_SCREW(to, i, u, p, h) \
  ((to).col[i] = sv_axpy(h, sliding(u), turning(u, v3_sub(p, (to).origin))))
#include "joints/moves.h"

static q4 sphere_at(const double *e)  // of length one at a step's ends, nearly so within it
{
  return q_normalise(q_make(e[0], v3_make(e[1], e[2], e[3])));
}

// Positions of a joint, those of a driven one from its drive.
static const double *positions_of(const jn_tree_joint *j, const jn_data *d)
{
  return j->drive >= 0 ? &d->drive[j->drive].s : &d->q[j->q];
}

static joint_at move(const jn_move *m, joint_at k, const double *q, screws to)
{
  return joint_move(k, m->kind, m->far, (joint_numbers){m->own, m->arm, m->pitch}, q, m->q, to,
                    m->v);
}

static joint_at across(const jn_tree_joint *j, joint_at k, const double *q, screws to)
{
  for (int i = 0; i < j->nmove; i++) k = move(&j->move[i], k, q, to);
  return k;
}

// How far the joint has moved the anchor, in the parent's design axes, before anything turns.
static v3 travel(const jn_tree_joint *j, const double *q)
{
  sv col[6];
  joint_at k = {m3_identity(), zero, false};
  for (int i = 0; i < j->nmove && !k.turned && j->move[i].kind != JN_MOVE_ARM; i++)
    k = move(&j->move[i], k, q, (screws){col, zero});
  return k.p;
}

void jn_general_screws(const jn_tree_joint *j, const double *q, sv *screw)
{
  across(j, (joint_at){m3_identity(), j->at, false}, q, (screws){screw, zero});
}

// ---- positions --------------------------------------------------------------------------------

static void place_frames(const jn_system *s, jn_data *d)
{
  for (int f = 0; f < s->nframe; f++) {
    const jn_tree_joint *j = &s->joint[s->frame[f].body];
    jn_frame_state *k = &d->frame[f];
    k->r = s->frame[f].floating ? q_to_m3(sphere_at(d->q + j->sphere)) : m3_identity();
    k->moved = travel(j, positions_of(j, d));
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
  const double *q = positions_of(j, d);
  const v3 at = v3_add(up->p, m3_mul_v3(up->r, j->at));  // joint point on the parent
  const joint_at start = {up->r, at, true};
  joint_at k = across(j, start, q, (screws){col, zero});
  if (b->new_station) {
    d->station[b->station] = v3_add(d->station[s->body[b->parent].station], k.p);
    across(j, start, q, (screws){col, k.p});
    k.p = zero;
  }
  own->r = j->askew ? m3_mul(k.r, j->turn) : k.r;
  own->p = k.p;
}

static void place_inertia(const jn_system *s, jn_data *d, int i)
{
  const jn_body *b = &s->body[i];
  const jn_pose *own = &d->pose[i];
  d->inertia[i] =
      si_from_cg(b->mass, v3_add(own->p, m3_mul_v3(own->r, b->cg)), s3_rotate(own->r, b->inertia));
}

void jn_part_residuals(const jn_system *s, jn_data *d, const jn_part *p)
{
  place_frames(s, d);
  for (int i = 0; i < p->nbody; i++) place_body(s, d, p->body[i]);
  for (int i = 0; i < p->ncut; i++) jn_cut_residuals(s, d, p->cut[i]);
}

void jn_part_positions(const jn_system *s, jn_data *d, const jn_part *p)
{
  place_frames(s, d);
  for (int i = 0; i < p->nbody; i++) {
    place_body(s, d, p->body[i]);
    place_inertia(s, d, p->body[i]);
  }
  for (int i = 0; i < p->ncut; i++) jn_cut_positions(s, d, p->cut[i]);
}

// ---- velocities -----------------------------------------------------------------------------------

static sv joint_motion(const jn_system *s, const jn_data *d, int i)
{
  const jn_tree_joint *j = &s->joint[i];
  if (j->drive >= 0) return sv_scale(d->drive[j->drive].rate, d->s_drive[j->drive]);
  sv sum = sv_make(zero, zero);
  for (int k = 0; k < j->nv; k++) sum = sv_axpy(d->v[j->v + k], d->s[j->v + k], sum);
  return sum;
}

static void move_body(const jn_system *s, jn_data *d, int i)
{
  const jn_tree_joint *j = &s->joint[i];
  if (j->kind == JN_TREE_BASE)
    d->twist[i] = sv_make(m3_tmul_v3(d->frame[s->body[i].frame].r, v3_load(&d->v[j->v + 3])), zero);
  else
    d->twist[i] = sv_add(jn_motion_of_parent(s, d, d->twist, i), joint_motion(s, d, i));
}

void jn_part_velocities(const jn_system *s, jn_data *d, const jn_part *p)
{
  for (int f = 0; f < s->nframe; f++) {
    if (s->frame[f].floating) d->frame[f].velocity = v3_load(&d->v[s->joint[s->frame[f].body].v]);
    d->twist[f] = sv_make(zero, v3_neg(m3_tmul_v3(d->frame[f].r, d->frame[f].velocity)));
  }
  for (int i = 0; i < p->nbody; i++) move_body(s, d, p->body[i]);
  for (int i = 0; i < p->ncut; i++) jn_cut_rates(s, d, p->cut[i]);
}

// Rate of the joint's motion as the parent sees it, coordinates' own accelerations left aside.
static sv own_bias(const jn_system *s, const jn_data *d, int i)
{
  const jn_tree_joint *j = &s->joint[i];
  const double *v = &d->v[j->v];
  const sv *col = &d->s[j->v];
  sv before = sv_make(zero, zero), bias = before;
  for (int m = 0; m < j->nmove && j->nmove > 1; m++) {
    const jn_move *k = &j->move[m];
    sv own = sv_scale(v[k->v], col[k->v]);
    for (int c = k->v + 1; c < k->v + jn_move_speeds(k); c++) own = sv_axpy(v[c], col[c], own);
    if (m > 0) bias = sv_add(bias, joint_carried(before, own));
    if (k->kind ==
        JN_MOVE_ARM) {  // the first or the last move: its axis is the parent's or the child's
      const v3 u = m3_mul_v3(d->pose[m > 0 ? i : s->body[i].parent].r, k->own);
      bias.l = v3_add(bias.l, joint_arm_bias(u, col[k->v].l, v[k->v]));
    }
    before = sv_add(before, own);
  }
  return bias;
}

static void bias_body(const jn_system *s, jn_data *d, int i)
{
  const jn_tree_joint *j = &s->joint[i];
  if (j->kind == JN_TREE_BASE) {
    d->bias[i] = sv_make(zero, zero);
    return;
  }
  sv up = jn_motion_of_parent(s, d, d->twist, i), relative = sv_sub(d->twist[i], up);
  d->bias[i] = sv_add(sv_crm(up, relative), own_bias(s, d, i));
  if (j->drive >= 0)
    d->bias[i] = sv_axpy(d->drive[j->drive].accel, d->s_drive[j->drive], d->bias[i]);
}

void jn_part_biases(const jn_system *s, jn_data *d, const jn_part *p)
{
  for (int i = 0; i < p->nbody; i++) bias_body(s, d, p->body[i]);
  for (int i = 0; i < p->ncut; i++) jn_cut_gamma(s, d, p->cut[i]);
}

// ---- coordinates ------------------------------------------------------------------------------

void jn_joint_qdot(const jn_tree_joint *j, const double *q, const double *v, double *dq)
{
  for (int k = 0; k < j->scalars; k++) dq[k] = v[k];
  if (j->sphere < 0) return;
  q4 rate = q_rate_world(sphere_at(q + j->scalars), v3_load(v + j->scalars));
  double *e = dq + j->scalars;
  e[0] = rate.w, e[1] = rate.x, e[2] = rate.y, e[3] = rate.z;
}

void jn_general_qdot(const jn_system *s, const double *q, const double *v, double *dq)
{
  for (int i = s->nframe; i < s->nbody; i++) {
    const jn_tree_joint *j = &s->joint[i];
    if (j->drive < 0) jn_joint_qdot(j, q + j->q, v + j->v, dq + j->q);
  }
}

void jn_part_vdot(const jn_system *s, const jn_data *d, const jn_part *p, double *dv)
{
  for (int i = 0; i < p->nbody; i++) {
    const jn_tree_joint *j = &s->joint[p->body[i]];
    if (j->kind != JN_TREE_BASE) {
      for (int k = 0; k < j->nv; k++) dv[j->v + k] = d->qdd[j->v + k];
      continue;
    }
    const m3 r = d->frame[s->body[p->body[i]].frame].r;
    v3_store(&dv[j->v], v3_add(s->gravity, m3_mul_v3(r, v3_load(&d->qdd[j->v]))));
    v3_store(&dv[j->v + 3], m3_mul_v3(r, v3_load(&d->qdd[j->v + 3])));
  }
}

void jn_joint_normalise(const jn_tree_joint *j, double *q)
{
  if (j->sphere < 0) return;
  double *e = q + j->scalars;
  const q4 x = sphere_at(e);
  e[0] = x.w, e[1] = x.x, e[2] = x.y, e[3] = x.z;
}

void jn_joint_wrap(const jn_tree_joint *j, double *q, double *turns)
{
  const double turn = 6.283185307179586;
  for (int k = 0; k < j->scalars; k++) {
    if (!jn_move_wraps(jn_move_of(j->move, k))) continue;
    const double whole = __builtin_rint(q[k] / turn);
    q[k] = r_fma(-turn, whole, q[k]);
    turns[k] += whole;
  }
  jn_joint_normalise(j, q);
}

static void turn_by(double *to, v3 turn)
{
  const q4 e = q_normalise(q_mul(q_exp(turn), sphere_at(to)));
  to[0] = e.w, to[1] = e.x, to[2] = e.y, to[3] = e.z;
}

void jn_joint_displace(const jn_tree_joint *j, double *q, const double *step)
{
  for (int k = 0; k < j->scalars; k++) q[k] += step[k];
  if (j->sphere >= 0) turn_by(q + j->scalars, v3_load(step + j->scalars));
}

void jn_general_displace(const jn_system *s, double *q, const double *step,
                         const jn_frame_state *frame)
{
  for (int i = s->nframe; i < s->nbody; i++) {
    const jn_tree_joint *j = &s->joint[i];
    if (j->drive >= 0) continue;
    if (j->kind != JN_TREE_BASE) {
      jn_joint_displace(j, q + j->q, step + j->v);
      continue;
    }
    const m3 r = frame[s->body[i].frame].r;
    const v3 shift = m3_mul_v3(r, v3_load(step + j->v));
    q[j->q] += shift.x, q[j->q + 1] += shift.y, q[j->q + 2] += shift.z;
    turn_by(q + j->sphere, m3_mul_v3(r, v3_load(step + j->v + 3)));
  }
}
