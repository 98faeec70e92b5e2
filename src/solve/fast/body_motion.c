// body_motion.c: how bodies move, from lanes and parent bodies, for rows of channels: world axes throughout, because that is
// what channels are in.
#include "base/rmath.h"
#include "solve/fast/fast.h"

// ---- parent bodies ------------------------------------------------------------------------------------

// Own axes: angular, and linear of the anchor less gravity. Of a body that nothing hangs on, nobody has computed it.
static sv parent_acceleration(const jn_system *s, const jn_data *d, int c)
{
  const lane_core *k = &s->lane->core[c];
  const lane_core_data *own = &d->lane->core[c];
  if ((!k->leaf && !k->laned) || k->kind == JN_TREE_BASE || jn_lane_has_rest(s->lane))
    return own->accel;
  sv a = k->up < 0 ? d->lane->ground->accel : parent_acceleration(s, d, k->up);
  a = sv_shift_motion(a, own->at);
  for (int i = 0; i < k->nv; i++) a = sv_axpy(own->qdd[i], own->s[i], a);
  return sv_add(sv_rotate_back(own->r, a), own->bias);
}

// On a slide that nothing reads, the pose stays undone too.
static void complete_slide(const jn_system *s, jn_data *d, int c)
{
  const lane_core *k = &s->lane->core[c];
  if (k->kind != JN_JOINT_TRANSLATIONAL) return;
  lane_core_data *own = &d->lane->core[c];
  const lane_core_data *up = k->up < 0 ? d->lane->ground : &d->lane->core[k->up];
  const double rate = k->drive >= 0 ? d->drive[k->drive].rate : d->lane->y[k->v];
  own->v = v3_axpy(rate, s->joint[k->body].axis, v3_add(up->v, v3_cross(up->w, own->at)));
  own->world = up->world;
  own->place = v3_add(up->place, m3_mul_v3(up->world, own->at));
}

// Of a body in lanes all of it, with those that it hangs on.
static void complete_laned(const jn_system *s, jn_data *d, int c)
{
  const lane_core *k = &s->lane->core[c];
  if (!k->laned) return;
  if (k->up >= 0) complete_laned(s, d, k->up);
  s->lane->core_engine->place(s, d, c, d->lane->y, d->lane->dy);
}

static const lane_core_data *complete(const jn_system *s, jn_data *d, int c)
{
  if (c < 0) return d->lane->ground;
  if (jn_lane_has_rest(s->lane)) return &d->lane->core[c];
  complete_laned(s, d, c);
  complete_slide(s, d, c);
  return &d->lane->core[c];
}

static sv acceleration_of(const jn_system *s, const jn_data *d, int c)
{
  return c < 0 ? d->lane->ground->accel : parent_acceleration(s, d, c);
}

// ---- bodies in lanes ----------------------------------------------------------------------------------

// Against its parent body, then with it. With p its anchor and v its velocity, both relative, w and A those of the parent body:
// a = A + A_w x p + w x (w x p) + 2 w x v + a_rel. The parent body's axes.
static sv member_acceleration(const lane_pose *m, const double *w, int lane, v3 turning, sv parent)
{
  sv rel = sv_make(jn_lane_vector(w, m->accel, lane), jn_lane_vector(w, m->accel + 3, lane));
  if (m->bias >= 0)
    rel = sv_add(rel,
                 sv_make(jn_lane_vector(w, m->bias, lane), jn_lane_vector(w, m->bias + 3, lane)));
  const sv v = sv_make(jn_lane_vector(w, m->v, lane), jn_lane_vector(w, m->v + 3, lane));
  const v3 p = jn_lane_vector(w, m->p, lane), vp = v3_cross_add(v.a, p, v.l);
  const v3 linear = v3_cross_add(v.a, vp, v3_cross_add(rel.a, p, rel.l));
  v3 a = v3_add(parent.l, v3_add(v3_cross(parent.a, p), linear));
  a = v3_cross_add(turning, v3_cross_add(turning, p, v3_add(vp, vp)), a);
  return sv_make(v3_add(parent.a, v3_cross_add(turning, v.a, rel.a)), a);
}

static void member_motion(const jn_system *s, jn_data *d, const lane_place *place,
                          bool accelerations, lane_body_motion *out)
{
  const lane_group *k = &s->lane->group[place->group];
  const lane_pose *m = &k->pose[place->lane * LANE_BODIES + place->member];
  const double *w = d->lane->w[place->group];
  const lane_core_data *parent = complete(s, d, k->parent);
  const m3 world = parent->world;
  const v3 at = jn_lane_vector(w, m->p, place->lane), rel = jn_lane_vector(w, m->v, place->lane);
  m3 turn;
  out->r = jn_lane_member_turn(s, d, place, &turn) ? m3_mul(world, turn) : world;
  const v3 own = v3_cross_add(rel, at, jn_lane_vector(w, m->v + 3, place->lane));
  out->p = v3_add(parent->place, m3_mul_v3(world, at));
  out->w = m3_mul_v3(world, v3_add(parent->w, rel));
  out->v = m3_mul_v3(world, v3_add(v3_cross_add(parent->w, at, parent->v), own));
  if (!accelerations) return;
  const sv a = member_acceleration(m, w, place->lane, parent->w, acceleration_of(s, d, k->parent));
  out->dw = m3_mul_v3(world, a.a);
  out->a = m3_mul_v3(world, a.l);
}

// A wheel body is a rotor on its carrier: its spin is the whole angular velocity about the axis.
static void rotor_motion(const jn_system *s, jn_data *d, const lane_place *place,
                         bool accelerations, lane_body_motion *out)
{
  const lane_group *k = &s->lane->group[place->group];
  lane_place carrier;
  const lane_roller *r = jn_lane_roller_of(s, place, &carrier);
  lane_body_motion c;
  member_motion(s, d, &carrier, accelerations, &c);
  const jn_tree_joint *j = &s->joint[place->body];
  const r_sin_cos t = r_sincos(d->lane->y[k->q + LANES * r->q + place->lane]);
  const v3 u = m3_mul_v3(c.r, j->axis), at = m3_mul_v3(c.r, j->at);
  const v3 spin = v3_scale(jn_lane_roll_rate(s, d, place->group, place->lane, r, d->lane->y), u);
  out->r = m3_mul(c.r, m3_about(j->axis, t.cos, t.sin));
  out->p = v3_add(c.p, at);
  out->w = v3_add(c.w, spin);
  const v3 around = v3_cross(c.w, at);
  out->v = v3_add(c.v, around);
  if (!accelerations) return;
  const double spinning = d->lane->dy[k->v + LANES * r->v + place->lane];
  const double second = r->sign * spinning - v3_dot(u, c.dw);
  out->dw = v3_axpy(second, u, v3_cross_add(c.w, spin, c.dw));
  out->a = v3_add(c.a, v3_cross_add(c.dw, at, v3_cross(c.w, around)));
  d->qdd[j->v] = second;
}

// A body of the rest is in the general path's arrays, about its station, in the axes of the frame.
static void rest_motion(const jn_system *s, const jn_data *d, int body, lane_body_motion *out)
{
  const int frame = s->body[body].frame;
  const jn_frame_state *f = &d->frame[frame];
  const jn_pose *pose = &d->pose[body];
  const sv twist = d->twist[body], accel = d->accel[body];
  const v3 at = v3_add(pose->p, d->station[s->body[body].station]);
  const v3 v = v3_cross_add(twist.a, pose->p, twist.l);
  const v3 a = v3_cross_add(twist.a, v, v3_cross_add(accel.a, pose->p, accel.l));
  out->r = m3_mul(f->r, pose->r);
  out->p = v3_add(v3_add(s->frame[frame].origin, f->moved), m3_mul_v3(f->r, at));
  out->v = v3_add(f->velocity, m3_mul_v3(f->r, v));
  out->w = m3_mul_v3(f->r, twist.a);
  out->a = m3_mul_v3(f->r, a);
  out->dw = m3_mul_v3(f->r, accel.a);
}

void jn_lane_body_motion(const jn_system *s, jn_data *d, const lane_place *place,
                         bool accelerations, lane_body_motion *out)
{
  if (place->group == LANE_REST_BODY) {
    rest_motion(s, d, place->body, out);
    return;
  }
  if (place->group >= 0) {
    const lane_pose *m =
        &s->lane->group[place->group].pose[place->lane * LANE_BODIES + place->member];
    (m->r == LANE_ROTOR ? rotor_motion : member_motion)(s, d, place, accelerations, out);
    return;
  }
  const lane_core_data *c = complete(s, d, place->lane);
  *out = (lane_body_motion){
      .r = c->world, .p = c->place, .v = m3_mul_v3(c->world, c->v), .w = m3_mul_v3(c->world, c->w)};
  if (!accelerations) return;
  const sv a = acceleration_of(s, d, place->lane);
  out->dw = m3_mul_v3(c->world, a.a);
  out->a = m3_mul_v3(c->world, a.l);
}
