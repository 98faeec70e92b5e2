// channels.c: every number that goes in or out, in one list, subject by subject: a body, a joint, a wheel. The same function
// names the channels of a subject when the system is made and fills them in a run, so that the two cannot disagree.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/quat.h"
#include "base/rmath.h"
#include "run/channels.h"
#include "run/run_internal.h"

typedef struct walk {
  const jn_system *s;
  jn_data *d;               // NULL: naming
  double *to;               // values
  unsigned details;         // parts of bodies; of wheels, their steer angles
  const jn_energy *bodies;  // their energy, NULL: from the arrays of the general path
  jn_system *naming;
  const char *group, *name;
  int n;
  bool failed;
} walk;

static __attribute__((noinline)) void name(walk *w, const char *suffix, const char *unit,
                                           const char *help)
{
  if (w->naming->channel) {
    char text[256];
    snprintf(text, sizeof text, "%s%s%s%s%s", w->group, *w->group ? "." : "", w->name,
             *w->name && *suffix ? "." : "", suffix);
    const char *kept = jn_pool_text(&w->naming->pool, text);
    w->failed |= !kept;
    w->naming->channel[w->n] = (jn_channel){kept, unit, help, 0};
  }
  w->n++;
}

static inline void add_channel(walk *w, const char *suffix, const char *unit, const char *help,
                               double value)
{
  if (w->d)
    w->to[w->n++] = value;
  else
    name(w, suffix, unit, help);
}

static inline void put3(walk *w, const char *const suffix[3], const char *unit, const char *help,
                        v3 x)
{
  add_channel(w, suffix[0], unit, help, x.x);
  add_channel(w, suffix[1], unit, help, x.y);
  add_channel(w, suffix[2], unit, help, x.z);
}

// ---- bodies ---------------------------------------------------------------------------------------

// R = Rz(yaw) Ry(pitch) Rx(roll)
static v3 angles_of(m3 r)
{
  return v3_make(r_atan2(r.z.y, r.z.z), r_asin(fmax(-1.0, fmin(1.0, -r.z.x))),
                 r_atan2(r.y.x, r.x.x));
}

static jn_body_row body_motion(const jn_system *s, const jn_data *d, int i, unsigned parts)
{
  const jn_body *b = &s->body[i];
  const jn_frame_state *f = &d->frame[b->frame];
  const sv v = d->twist[i];
  const v3 about = v3_add(d->pose[i].p, m3_mul_v3(d->pose[i].r, b->cg));
  const v3 speed = v3_cross_add(v.a, about, v.l);
  jn_body_row k;
  k.p = v3_add(v3_add(s->frame[b->frame].origin, f->moved),
               m3_mul_v3(f->r, v3_add(d->station[b->station], about)));
  k.v = v3_add(f->velocity, m3_mul_v3(f->r, speed));
  k.w = m3_mul_v3(f->r, v.a);
  if (parts & JN_BODY_ACCELERATIONS) {
    const sv a = d->accel[i];
    const v3 accel = v3_add(v3_cross_add(a.a, about, a.l), v3_cross(v.a, speed));
    k.a = v3_add(s->gravity, m3_mul_v3(f->r, accel));
    k.dw = m3_mul_v3(f->r, a.a);
  }
  if (parts & JN_BODY_OWN_AXES) {
    k.speed = m3_tmul_v3(d->pose[i].r, v3_add(speed, m3_tmul_v3(f->r, f->velocity)));
    k.rate = m3_tmul_v3(d->pose[i].r, v.a);
  }
  if (!(parts & (JN_BODY_ANGLES | JN_BODY_QUATERNION))) return k;
  k.q = q_mul(q_from_m3(m3_mul(f->r, d->pose[i].r)), q_load(b->orientation));
  if (k.q.w < 0.0) k.q = q_scale(-1.0, k.q);
  if (parts & JN_BODY_ANGLES) k.angles = angles_of(q_to_m3(k.q));
  return k;
}

// A body's channels, each with its number: BODY_...
#define BODY_LIST(C)                                                                     \
  C(X, "x", "m", "position of the centre of gravity, world")                             \
  C(Y, "y", "m", "position of the centre of gravity, world")                             \
  C(Z, "z", "m", "position of the centre of gravity, world")                             \
  C(ROLL, "roll", "rad", "about the body's x axis, the last of yaw, pitch and roll")     \
  C(PITCH, "pitch", "rad", "about the turned y axis")                                    \
  C(YAW, "yaw", "rad", "about the world's z axis")                                       \
  C(QW, "qw", "1", "rotation from the body's axes to the world's, as quaternion")        \
  C(QX, "qx", "1", "likewise")                                                           \
  C(QY, "qy", "1", "likewise")                                                           \
  C(QZ, "qz", "1", "likewise")                                                           \
  C(VX, "vx", "m/s", "velocity of the centre of gravity, world")                         \
  C(VY, "vy", "m/s", "velocity of the centre of gravity, world")                         \
  C(VZ, "vz", "m/s", "velocity of the centre of gravity, world")                         \
  C(WX, "wx", "rad/s", "angular velocity, world axes")                                   \
  C(WY, "wy", "rad/s", "angular velocity, world axes")                                   \
  C(WZ, "wz", "rad/s", "angular velocity, world axes")                                   \
  C(AX, "ax", "m/s²", "acceleration of the centre of gravity, world")                    \
  C(AY, "ay", "m/s²", "acceleration of the centre of gravity, world")                    \
  C(AZ, "az", "m/s²", "acceleration of the centre of gravity, world")                    \
  C(DWX, "dwx", "rad/s²", "angular acceleration, world axes")                            \
  C(DWY, "dwy", "rad/s²", "angular acceleration, world axes")                            \
  C(DWZ, "dwz", "rad/s²", "angular acceleration, world axes")                            \
  C(SPEED_X, "speed_x", "m/s",                                                           \
    "velocity of the centre of gravity along the body's x axis, its own axes")           \
  C(SPEED_Y, "speed_y", "m/s",                                                           \
    "velocity of the centre of gravity along the body's y axis, its own axes")           \
  C(SPEED_Z, "speed_z", "m/s",                                                           \
    "velocity of the centre of gravity along the body's z axis, its own axes")           \
  C(RATE_X, "rate_x", "rad/s", "angular velocity about the body's x axis, its own axes") \
  C(RATE_Y, "rate_y", "rad/s", "angular velocity about the body's y axis, its own axes") \
  C(RATE_Z, "rate_z", "rad/s", "angular velocity about the body's z axis, its own axes")

enum {
#define X(id, name, unit, help) BODY_##id,
  BODY_LIST(X)
#undef X
      BODY_CHANNELS
};

unsigned jn_body_part(int channel)
{
  return channel >= BODY_ROLL && channel <= BODY_YAW ? JN_BODY_ANGLES
         : channel >= BODY_QW && channel <= BODY_QZ  ? JN_BODY_QUATERNION
         : channel >= BODY_AX && channel <= BODY_DWZ ? JN_BODY_ACCELERATIONS
         : channel >= BODY_SPEED_X                   ? JN_BODY_OWN_AXES
                                                     : 0;
}

void jn_body_values(const jn_body_row *k, unsigned parts, double *to)
{
  v3_store(to + BODY_X, k->p);
  v3_store(to + BODY_VX, k->v);
  v3_store(to + BODY_WX, k->w);
  if (parts & JN_BODY_ACCELERATIONS) {
    v3_store(to + BODY_AX, k->a);
    v3_store(to + BODY_DWX, k->dw);
  }
  if (parts & JN_BODY_ANGLES) v3_store(to + BODY_ROLL, k->angles);
  if (parts & JN_BODY_OWN_AXES) {
    v3_store(to + BODY_SPEED_X, k->speed);
    v3_store(to + BODY_RATE_X, k->rate);
  }
  if (parts & JN_BODY_QUATERNION) q_store(to + BODY_QW, k->q);
}

static void body(walk *w, int i)
{
  static const struct {
    const char *name, *unit, *help;
  } list[] = {
#define X(id, name, unit, help) {name, unit, help},
      BODY_LIST(X)
#undef X
  };
  w->group = "";
  if (w->d) {
    const jn_body_row k = body_motion(w->s, w->d, i, w->details);
    jn_body_values(&k, w->details, w->to + w->n);
    w->n += BODY_CHANNELS;
    return;
  }
  w->name = jn_node_name(w->s->model, w->s->body[i].node);
  for (int k = 0; k < BODY_CHANNELS; k++) name(w, list[k].name, list[k].unit, list[k].help);
}

// ---- joints ---------------------------------------------------------------------------------------

static double total(const jn_data *d, const jn_tree_joint *j, int k)
{
  return d->q[j->q + k] + 2.0 * M_PI * d->turn[j->q + k];
}

typedef struct coordinate {
  double x, rate, accel;
} coordinate;

static coordinate tree_coordinate(const jn_system *s, const jn_data *d, int i, int k)
{
  const jn_tree_joint *j = &s->joint[i];
  if (j->drive >= 0)
    return (coordinate){d->drive[j->drive].s, d->drive[j->drive].rate, d->drive[j->drive].accel};
  return (coordinate){total(d, j, k), d->v[j->v + k], d->qdd[j->v + k]};
}

// Of a cut joint: about or along its axis.
static coordinate cut_coordinate(const jn_system *s, const jn_data *d, int cut, bool angular)
{
  const jn_cut *c = &s->cut[cut];
  coordinate k = {0};
  v3 u = m3_mul_v3(d->pose[c->a].r, c->x[JN_X_AXIS]);
  const int sa = s->body[c->a].station, sb = s->body[c->b].station;
  if (angular) {
    double near = c->drive >= 0 ? d->drive[c->drive].s : d->cut_angle[cut];
    k.x = jn_cut_coordinate(s, d, cut, near, &k.rate, &u);
    k.accel = v3_dot(u, v3_sub(d->accel[c->b].a, d->accel[c->a].a)) +
              v3_dot(v3_cross(d->twist[c->a].a, u), v3_sub(d->twist[c->b].a, d->twist[c->a].a));
    return k;
  }
  const sv va = d->twist[c->a], vb = d->twist[c->b], aa = d->accel[c->a], ab = d->accel[c->b];
  const v3 pb = v3_add(d->pose[c->b].p, m3_mul_v3(d->pose[c->b].r, c->at_b));
  const v3 pa = v3_add(d->pose[c->a].p, m3_mul_v3(d->pose[c->a].r, c->at_a));
  const v3 pba = v3_add(pb, v3_sub(d->station[sb], d->station[sa])), dist = v3_sub(pba, pa);
  const v3 vpb = v3_cross_add(vb.a, pb, vb.l), ur = v3_cross(va.a, u);
  k.x = v3_dot(u, dist) - c->value[JN_VALUE_SLIDE];
  k.rate = v3_dot(u, v3_sub(vpb, v3_cross_add(va.a, pba, va.l)));
  // second rate: wrench u at the point, and its own rate (rows.c)
  const v3 m = v3_cross(vpb, u);
  k.accel = sv_dot(ab, sv_make(v3_cross(pb, u), u)) - sv_dot(aa, sv_make(v3_cross(pba, u), u)) +
            sv_dot(vb, sv_make(v3_cross_add(pb, ur, m), ur)) -
            sv_dot(va, sv_make(v3_cross_add(pba, ur, m), ur));
  return k;
}

static void cut_universal(const jn_system *s, const jn_data *d, int cut, coordinate k[2])
{
  const jn_cut *c = &s->cut[cut];
  const jn_pose *a = &d->pose[c->a], *b = &d->pose[c->b];
  const v3 u = m3_mul_v3(a->r, c->x[JN_X_AXIS]), y = m3_mul_v3(b->r, c->y[JN_Y_AXIS]);
  k[0].x = jn_angle_about(u, m3_mul_v3(a->r, c->y[JN_Y_AXIS]), y);
  k[1].x = jn_angle_about(y, u, m3_mul_v3(b->r, c->x[JN_X_AXIS]));
  // w_b - w_a = u s1 + y s2
  const v3 w = v3_sub(d->twist[c->b].a, d->twist[c->a].a);
  const double g = v3_dot(u, y), det = 1.0 - g * g, wu = v3_dot(w, u), wy = v3_dot(w, y);
  k[0].rate = (wu - g * wy) / det;
  k[1].rate = (wy - g * wu) / det;
}

// Wrench on the joint's second body, at its joint point, in world axes.
static void joint_reaction(const jn_system *s, const jn_data *d, int edge, v3 *f, v3 *m,
                           double *drive)
{
  const int i = s->body_of_edge[edge], cut = s->cut_of_edge[edge];
  *f = *m = v3_set(0, 0, 0);
  *drive = 0.0;
  if (i >= 0) {
    const jn_tree_joint *j = &s->joint[i];
    const jn_body *b = &s->body[i];
    sv r = d->reaction[i];
    v3 at = d->pose[i].p;
    if (j->drive >= 0) *drive = sv_dot(d->s_drive[j->drive], r);
    // Springs and servos that act in the joint are elements of their own.
    for (int v = j->v; v < j->v + j->nv; v++)
      for (int k = s->element_in_speed[v]; k >= 0; k = s->element_next[k]) {
        const double t = -d->element[s->element[k].output + 2];
        const v3 u = m3_mul_v3(d->pose[b->parent].r, j->axis);
        if (s->element[k].in.angular)
          r.a = v3_axpy(-t, u, r.a);
        else
          r = sv_sub(r, sv_make(v3_cross(at, v3_scale(t, u)), v3_scale(t, u)));
      }
    if (j->reversed) {
      r = sv_neg(r);
      const jn_pose *up =
          &d->pose[b->parent];  // the second body's point, about the child's station
      at = v3_add(up->p, m3_mul_v3(up->r, j->second_at));
      if (b->new_station)
        at = v3_sub(v3_add(at, d->station[s->body[b->parent].station]), d->station[b->station]);
    }
    r = sv_shift_force(r, at);
    *f = m3_mul_v3(d->frame[b->frame].r, r.l);
    *m = m3_mul_v3(d->frame[b->frame].r, r.a);
  }
  if (cut >= 0) {
    const jn_cut *c = &s->cut[cut];
    sv r = sv_make(v3_set(0, 0, 0), v3_set(0, 0, 0));
    for (int k = c->row; k < c->row + c->nrow; k++) r = sv_axpy(d->lambda[k], d->row[k].b, r);
    if (c->drive >= 0) *drive = d->lambda[c->row + c->nrow - 1] * jn_drive_unit(c);
    r = sv_shift_force(r, v3_add(d->pose[c->b].p, m3_mul_v3(d->pose[c->b].r, c->at_b)));
    const m3 frame = d->frame[s->body[c->b].frame].r;
    *f = v3_add(*f, m3_mul_v3(frame, r.l));
    *m = v3_add(*m, m3_mul_v3(frame, r.a));
  }
}

static void joint(walk *w, int e)
{
  static const char *const f3[3] = {"fx", "fy", "fz"}, *const m3n[3] = {"mx", "my", "mz"};
  const jn_system *s = w->s;
  const jn_model *m = s->model;
  const jn_data *d = w->d;
  w->group = "joint";
  const jn_edge *edge = &m->edge[e];
  const int i = s->body_of_edge[e], cut = s->cut_of_edge[e];
  w->name = edge->name;
  coordinate k[2] = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  const int has = jn_joint_kinds[edge->kind].has;
  const bool position = has & JN_HAS_POSITION, angle = has & JN_HAS_ANGLE, both = position && angle;
  if (d && position) k[0] = i >= 0 ? tree_coordinate(s, d, i, 0) : cut_coordinate(s, d, cut, false);
  if (d && angle)
    k[both] = i >= 0 ? tree_coordinate(s, d, i, both) : cut_coordinate(s, d, cut, true);
  if (position)
    add_channel(w, "position", "m", "second body against the first, from the design position",
                k[0].x);
  if (angle)
    add_channel(w, "angle", "rad", "second body against the first, turns counted", k[both].x);
  if (position) add_channel(w, "speed", "m/s", "rate of the position", k[0].rate);
  if (angle) add_channel(w, both ? "spin" : "speed", "rad/s", "rate of the angle", k[both].rate);
  if (position)
    add_channel(w, "accel", "m/s²", both ? "second rate of the position" : "its second rate",
                k[0].accel);
  if (angle && !both) add_channel(w, "accel", "rad/s²", "its second rate", k[0].accel);
  if (has & JN_HAS_ANGLES) {
    if (d && i >= 0) {
      const int first = s->joint[i].reversed ? 1 : 0;
      k[0] = tree_coordinate(s, d, i, first);
      k[1] = tree_coordinate(s, d, i, 1 - first);
    } else if (d) {
      cut_universal(s, d, cut, k);
    }
    add_channel(w, "angle1", "rad", "about the first body's axis", k[0].x);
    add_channel(w, "angle2", "rad", "about the second body's axis", k[1].x);
    add_channel(w, "speed1", "rad/s", "rate of angle1", k[0].rate);
    add_channel(w, "speed2", "rad/s", "rate of angle2", k[1].rate);
  }
  v3 f = {0}, moment = {0};
  double drive = 0.0;
  if (d && d->audit == JN_AUDIT_ALL && d->reactions_done)
    joint_reaction(s, d, e, &f, &moment, &drive);
  if (edge->kind != JN_JOINT_FREE) {
    put3(w, f3, "N", "reaction on the second body, world axes", f);
    put3(w, m3n, "N m", "reaction moment on the second body at its joint point, world axes",
         moment);
  }
  if (edge->driven)
    add_channel(w, "drive", jn_joint_slides(edge->kind) ? "N" : "N m",
                "what the prescribed motion needs, on the second body along the axis", drive);
}

// ---- elements, solver, inputs ----------------------------------------------------------------------

static void element(walk *w, int i)
{
  const jn_system *s = w->s;
  const jn_element *e = &s->element[i];
  const jn_element_kind *kind = &jn_element_kinds[e->kind];
  const jn_output *out = jn_element_outputs(e->kind, !e->in.angular);
  const double *x = w->d ? w->d->element + e->output : NULL;
  w->group = "force", w->name = e->name;
  for (int k = 0; k < kind->nout; k++)
    add_channel(w, out[k].name, out[k].unit, out[k].help, x ? x[k] : 0.0);
  const jn_plugin_table *own = e->plugin < 0 ? NULL : s->plugin[e->plugin].table;
  for (int k = 0; own && k < own->nout; k++)
    add_channel(w, own->output[k].name, own->output[k].unit, own->output[k].help,
                x ? x[kind->nout + k] : 0.0);
}

// Heading of a wheel against that of its vehicle, in the plane of the road.
static double steer_angle(const jn_system *s, const jn_data *d, int i)
{
  const jn_wheel *w = &s->wheel[i];
  const jn_wheel_state *k = &d->wheel[i];
  const int own = s->body[w->body].frame, other = s->body[w->vehicle].frame;
  v3 forward = m3_column(d->pose[w->vehicle].r, 0);
  if (own != other) forward = m3_tmul_v3(d->frame[own].r, m3_mul_v3(d->frame[other].r, forward));
  const v3 heading = v3_cross(k->axis, k->normal);
  return atan2(v3_dot(k->normal, v3_cross(forward, heading)),
               v3_dot(forward, heading) - v3_dot(forward, k->normal) * v3_dot(heading, k->normal));
}

static void wheel(walk *w, int i)
{
  static const char *const p3[3] = {"x", "y", "z"}, *const c3[3] = {"contact_x", "contact_y",
                                                                    "contact_z"};
  static const jn_wheel_state nothing = {0};
  const jn_system *s = w->s;
  const jn_wheel *own = &s->wheel[i];
  const jn_wheel_state *k = w->d ? &w->d->wheel[i] : &nothing;
  const tyre_out *o = &k->tyre;
  const double *x = w->d ? w->d->x + own->slip : NULL;
  const double steer = w->d && w->details ? steer_angle(s, w->d, i) : 0.0;
  w->name = own->name;
  w->group = "wheel";
  add_channel(w, "fx", "N", "longitudinal force of the road on the wheel, in the road's plane",
              o->fx);
  add_channel(w, "fy", "N", "likewise, to the left", o->fy);
  add_channel(w, "fz", "N", "likewise, along the road's normal", o->load);
  add_channel(w, "mx", "N m", "overturning moment on the wheel at the contact point", o->mx);
  add_channel(w, "my", "N m", "rolling resistance moment, against rolling forward if negative",
              o->my);
  add_channel(w, "mz", "N m", "aligning moment, to the left if positive", o->mz);
  add_channel(w, "speed", "rad/s", "spin against the carrier, forward if positive", k->spin);
  if (own->hold >= 0)
    add_channel(w, "braking", "N m", "torque of the brake, against a forward spin", k->torque);
  put3(w, p3, "m", "position of the wheel centre, world", k->centre);
  put3(w, c3, "m", "position of the contact point, world", k->contact);
  add_channel(w, "road", "m", "height of the road under the wheel centre, world", k->road);
  w->group = "tyre";
  add_channel(w, "slip", "1",
              "speed of the tread against the road over longitudinal speed, driving if positive",
              o->slip);
  add_channel(w, "slip_angle", "rad",
              "arctangent of lateral over longitudinal speed, to the left if positive",
              o->slip_angle);
  add_channel(w, "camber", "rad",
              "of the wheel's plane to the road, leans to the right if positive", o->camber);
  add_channel(w, "deflection", "m", "how deep the road is in the tyre, below zero: in the air",
              o->deflection);
  add_channel(w, "steer", "rad", "heading against that of the vehicle, to the left if positive",
              steer);
  add_channel(w, "toe", "rad",
              "heading towards the vehicle's middle; where no side is known, as steer",
              own->outward != 0.0 ? -own->outward * steer : steer);
  add_channel(w, "vx", "m/s", "longitudinal velocity of the wheel centre, in the road's plane",
              o->vx);
  add_channel(w, "vy", "m/s", "likewise, to the left", o->vy);
  add_channel(w, "loaded_radius", "m", "from the wheel centre to the contact point",
              o->loaded_radius);
  add_channel(w, "rolling_radius", "m",
              "longitudinal speed over the spin at which the tyre rolls freely", o->rolling_radius);
  add_channel(w, "utilisation", "1", "force along the road over what friction gives",
              o->utilisation);
  add_channel(w, "friction", "1",
              "of the road under the wheel, relative to that of the tyre's parameters",
              k->friction);
  if (own->comply >= 0) {
    add_channel(w, "compliance_steer", "rad", "of the suspension's compliance, to the left",
                w->d ? w->d->x[own->comply] : 0.0);
    add_channel(w, "compliance_camber", "rad", "likewise, leaning to the right",
                w->d ? w->d->x[own->comply + 1] : 0.0);
  }
  if (own->tyre.nslip > 1) {
    add_channel(w, "tread_x", "m", "longitudinal deflection of the tread", x ? x[0] : 0.0);
    add_channel(w, "tread_y", "m", "likewise, to the left", x ? x[1] : 0.0);
  } else if (own->tyre.nslip) {
    add_channel(w, "lagged_slip", "1", "slip behind the relaxation length", x ? x[0] : 0.0);
  }
  w->group = "law";
  const jn_tyre_plugin_table *law = own->plugin ? own->plugin->table : NULL;
  for (int j = 0; law && j < law->nout; j++)
    add_channel(w, law->output[j].name, law->output[j].unit, law->output[j].help,
                w->d ? w->d->element[own->output + j] : 0.0);
}

// Of a component: what it measures that is no channel otherwise, or a velocity in own axes; what it gives, its states.
static void component(walk *w, int i)
{
  const jn_system *s = w->s;
  const jn_component *c = &s->component[i];
  const jn_component_table *t = c->table;
  if (!t) return;
  w->group = "", w->name = c->name;
  for (int k = 0; k < t->nin; k++)
    if (c->shown[k])
      add_channel(w, t->in[k].name, t->in[k].unit, t->in[k].help,
                  w->d ? w->d->in[c->signal[k]][0] : 0.0);
  for (int k = 0; k < t->nout; k++)
    add_channel(w, t->out[k].name, t->out[k].unit, t->out[k].help,
                w->d ? w->d->in[c->out + k][0] : 0.0);
  const int plain = s->instance[c->instance].nplain;
  for (int k = 0; k < t->nstate; k++)
    add_channel(w, t->state[k].name, t->state[k].unit, t->state[k].help,
                w->d ? w->d->x[k < plain ? c->x + k : c->e + k - plain] : 0.0);
}

static jn_energy add_spinning(const jn_system *s, const jn_data *d, jn_energy sum)
{
  for (int i = 0; i < s->nwheel; i++) {
    const double spin = s->wheel[i].spin >= 0 ? d->x[s->wheel[i].spin] : 0.0;
    sum.kinetic += 0.5 * s->wheel[i].inertia * spin * spin;
  }
  return sum;
}

jn_energy jn_body_energy(const jn_system *s, int i, const jn_body_row *k, const m3 *r)
{
  const jn_body *b = &s->body[i];
  const v3 w = m3_tmul_v3(*r, k->w), moved = v3_sub(k->p, v3_add(b->anchor, b->cg));
  return (jn_energy){0.5 * (b->mass * v3_dot(k->v, k->v) + v3_dot(w, s3_mul_v3(b->inertia, w))),
                     -b->mass * v3_dot(s->gravity, moved)};
}

double jn_kinetic_energy(const jn_system *s, const jn_data *d, int i)
{
  const jn_frame_state *f = &d->frame[s->body[i].frame];
  sv v = d->twist[i];
  v.l = v3_add(v.l, m3_tmul_v3(f->r, f->velocity));
  return 0.5 * sv_dot(v, si_mul(d->inertia[i], v));
}

jn_energy jn_mechanical_energy(const jn_system *s, const jn_data *d)
{
  jn_energy sum = {0.0, 0.0};
  for (int i = s->nframe; i < s->nbody; i++) {
    const jn_body *b = &s->body[i];
    const jn_frame_state *f = &d->frame[b->frame];
    const v3 about = v3_add(d->pose[i].p, m3_mul_v3(d->pose[i].r, b->cg));
    const v3 moved = v3_add(f->moved, m3_mul_v3(f->r, v3_add(d->station[b->station], about)));
    const v3 start = v3_sub(v3_add(b->anchor, b->cg), s->frame[b->frame].origin);
    sum.kinetic += jn_kinetic_energy(s, d, i);
    sum.potential -= b->mass * v3_dot(s->gravity, v3_sub(moved, start));
  }
  return add_spinning(s, d, sum);
}

// Returns what energy has drifted by.
static double take_down(jn_data *d, jn_energy e, double work)
{
  jn_account *k = &d->energy;
  k->now = e.kinetic + e.potential;
  if (!d->rows_seen++) k->first = k->now - work, k->work = work;
  const double drift = k->now - work - k->first;
  k->drift = fmax(k->drift, fabs(drift));
  k->kinetic = fmax(k->kinetic, e.kinetic);
  k->moved += fabs(work - k->work);
  k->work = work;
  return drift;
}

static void solver(walk *w, int i)
{
  (void)i;  // there is one
  jn_data *d = w->d;
  double energy = 0.0, work = 0.0, drift = 0.0;
  if (d && d->audit) {
    const jn_energy e =
        w->bodies ? add_spinning(w->s, d, *w->bodies) : jn_mechanical_energy(w->s, d);
    energy = e.kinetic + e.potential;
    work = d->x[w->s->work_state];
    drift = take_down(d, e, work);
  }
  w->group = "", w->name = "solver";
  add_channel(w, "position_norm", "m", "largest constraint residual [m or rad]",
              d ? d->now_position_norm : 0.0);
  add_channel(w, "velocity_norm", "m/s", "largest rate of one [m/s or rad/s]",
              d ? d->now_velocity_norm : 0.0);
  add_channel(w, "energy", "J",
              "kinetic energy, and potential energy of weight from the design position", energy);
  add_channel(w, "work", "J", "done by all force elements, tyres and prescribed motions", work);
  add_channel(w, "energy_drift", "J", "energy less work less what it was at the beginning", drift);
  add_channel(w, "events", "1", "starts, restarts, new partitions, singular positions so far",
              d ? (double)d->events : 0.0);
}

static void input(walk *w, int i)
{
  w->group = "";
  w->name = w->s->input[i].name;
  add_channel(w, "", w->s->input[i].unit, w->s->input[i].help, w->d ? w->d->in[i][0] : 0.0);
  if (w->naming && w->naming->channel) w->naming->channel[w->n - 1].input = 1;
}

static void simulated_time(walk *w, int i)
{
  (void)i;
  w->group = w->name = "";
  add_channel(w, "time", "s", "simulated time", w->d ? w->d->t : 0.0);
}

static void (*const subject[])(walk *w, int i) = {
    [JN_SUBJECT_TIME] = simulated_time, [JN_SUBJECT_INPUT] = input,     [JN_SUBJECT_BODY] = body,
    [JN_SUBJECT_JOINT] = joint,         [JN_SUBJECT_ELEMENT] = element, [JN_SUBJECT_WHEEL] = wheel,
    [JN_SUBJECT_COMPONENT] = component, [JN_SUBJECT_SOLVER] = solver};

// ---- the table ----------------------------------------------------------------------------------------

static void several(walk *w, jn_subject_kind kind, int first, int end)
{
  jn_system *s = w->naming;
  for (int i = first; i < end; i++) {
    if (s->channel) s->subject[s->nsubject] = (jn_subject){kind, i, w->n, 0};
    s->nsubject++;
    const int before = w->n;
    subject[kind](w, i);
    w->failed |= w->n - before > JN_SUBJECT_CHANNELS;
    if (s->channel) s->subject[s->nsubject - 1].count = w->n - before;
  }
}

static void all(walk *w)  // in the order of rows
{
  const jn_system *s = w->s;
  w->naming->nsubject = 0;
  several(w, JN_SUBJECT_TIME, 0, 1);
  w->naming->first_input = w->n;
  several(w, JN_SUBJECT_INPUT, 0, s->ninput);
  w->naming->first_body = w->n;
  several(w, JN_SUBJECT_BODY, s->nframe, s->nbody);
  several(w, JN_SUBJECT_JOINT, 0, s->model->nfile_edge);
  several(w, JN_SUBJECT_ELEMENT, 0, s->nelement);
  several(w, JN_SUBJECT_WHEEL, 0, s->nwheel);
  several(w, JN_SUBJECT_COMPONENT, 0, s->nshown);
  several(w, JN_SUBJECT_SOLVER, 0, 1);
}

typedef struct named {
  const char *name;
  int channel;
} named;

static int compare_named(const void *a, const void *b)
{
  const named *x = a, *y = b;
  const int order = strcmp(x->name, y->name);
  return order ? order : x->channel - y->channel;
}

static bool sort_names(jn_system *s)
{
  named *list = malloc((size_t)s->nchannel * sizeof *list);
  s->channel_by_name = jn_pool_alloc(&s->pool, (size_t)s->nchannel, sizeof *s->channel_by_name);
  const bool enough = list && s->channel_by_name;
  if (enough) {
    for (int i = 0; i < s->nchannel; i++) list[i] = (named){s->channel[i].name, i};
    qsort(list, (size_t)s->nchannel, sizeof *list, compare_named);
    for (int i = 0; i < s->nchannel; i++) s->channel_by_name[i] = list[i].channel;
  }
  free(list);
  return enough;
}

// Inputs have names of the user's choice: one that is another channel's would hide it, or be hidden.
static jn_status check_names(const jn_system *s, jn_error *err)
{
  for (int i = 1; i < s->nchannel; i++) {
    const int a = s->channel_by_name[i - 1], b = s->channel_by_name[i];
    const bool input = (a >= s->first_input && a < s->first_input + s->ninput) ||
                       (b >= s->first_input && b < s->first_input + s->ninput);
    if (input && !strcmp(s->channel[a].name, s->channel[b].name))
      return jn_fail(
          err, JN_E_SCHEMA, s->model->spec->pos, NULL,
          "the input channel \"%s\" has the name of another channel; call it something else",
          s->channel[a].name);
  }
  return JN_OK;
}

jn_status jn_channels_build(jn_system *s, jn_error *err)
{
  walk count = {.s = s, .naming = s};
  s->channel = NULL;
  all(&count);
  s->nchannel = count.n;
  s->subject = jn_pool_alloc(&s->pool, (size_t)s->nsubject, sizeof *s->subject);
  s->channel = jn_pool_alloc(&s->pool, (size_t)count.n, sizeof *s->channel);
  if (!s->channel || !s->subject) return jn_no_memory(err, s->model->spec->pos);
  walk name = {.s = s, .naming = s};
  all(&name);
  if (name.failed || !sort_names(s)) return jn_no_memory(err, s->model->spec->pos);
  return check_names(s, err);
}

void jn_subject_fill(const jn_system *s, jn_data *d, const jn_subject *o, unsigned details,
                     double *to)
{
  walk w = {.s = s, .d = d, .to = to, .details = details};
  subject[o->kind](&w, o->index);
}

void jn_solver_fill(const jn_system *s, jn_data *d, jn_energy bodies, double *to)
{
  walk w = {.s = s, .d = d, .to = to, .bodies = &bodies};
  solver(&w, 0);
}

void jn_row_prepare(const jn_system *s, jn_data *d)
{
  d->now_position_norm = jn_worst(s, d->residual, NULL);
  d->now_velocity_norm = jn_worst(s, d->residual_rate, NULL);
  if (d->audit == JN_AUDIT_ALL && !d->reactions_done) {
    s->formulation->reactions(s, d);
    d->reactions_done = true;
  }
}

void jn_channels_fill(const jn_system *s, jn_data *d)
{
  jn_row_prepare(s, d);
  d->position_norm = fmax(d->position_norm, d->now_position_norm);
  d->velocity_norm = fmax(d->velocity_norm, d->now_velocity_norm);
  for (int i = 0; i < s->nsubject; i++)
    jn_subject_fill(s, d, &s->subject[i], JN_ALL_DETAILS, d->channel + s->subject[i].first);
}

bool jn_channel_is_reaction(const jn_system *s, int channel)
{
  static const char *const last[] = {"fx", "fy", "fz", "mx", "my", "mz", "drive"};
  const char *name = s->channel[channel].name, *dot = strrchr(name, '.');
  if (strncmp(name, "joint.", 6) || !dot) return false;
  for (size_t i = 0; i < sizeof last / sizeof *last; i++)
    if (!strcmp(dot + 1, last[i])) return true;
  return false;
}

unsigned jn_channel_detail(const jn_system *s, const jn_subject *o, int channel)
{
  if (o->kind == JN_SUBJECT_BODY) return jn_body_part(channel - o->first);
  if (o->kind != JN_SUBJECT_WHEEL) return 0;
  const char *last = strrchr(s->channel[channel].name, '.');
  return last && (!strcmp(last, ".steer") || !strcmp(last, ".toe"));
}

int jn_channel_count(const jn_system *s)
{
  return s ? s->nchannel : 0;
}

jn_channel jn_channel_at(const jn_system *s, int i)
{
  return s && i >= 0 && i < s->nchannel ? s->channel[i] : (jn_channel){0};
}

int jn_channel_find(const jn_system *s, const char *name)
{
  int low = 0, high = s && name ? s->nchannel : 0;
  while (low < high) {
    const int middle = low + (high - low) / 2, i = s->channel_by_name[middle];
    const int order = strcmp(s->channel[i].name, name);
    if (!order) return i;
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return -1;
}

// ---- motion of bodies ------------------------------------------------------------------------------

int jn_body_count(const jn_system *s)
{
  return s ? s->nbody - s->nframe : 0;
}

const char *jn_body_name(const jn_system *s, int i)
{
  if (i < 0 || i >= jn_body_count(s)) return NULL;
  return jn_node_name(s->model, s->body[s->nframe + i].node);
}

void jn_motion_channels(const jn_system *s, int *channel)
{
  for (int i = 0; i < jn_body_count(s); i++) {
    const int first = s->first_body + i * BODY_CHANNELS;
    for (int k = 0; k < 3; k++) channel[7 * i + k] = first + BODY_X + k;
    for (int k = 0; k < 4; k++) channel[7 * i + 3 + k] = first + BODY_QW + k;
  }
}

void jn_motion_from(const jn_system *s, const double *value, double *motion)
{
  for (int i = 0; i < jn_body_count(s); i++) {
    const double *own = s->body[s->nframe + i].orientation, *from = value + 7 * i;
    const q4 turn = q_mul(q_load(from + 3), q_conj(q_load(own)));
    v3_store(motion + 7 * i, v3_load(from));
    q_store(motion + 7 * i + 3, turn);
  }
}

// From the row, because poses have moved on by then.
jn_status jn_body_motion(const jn_system *s, const jn_data *d, double *motion)
{
  if (!jn_is_of(d, s) || !motion) return JN_E_CALL;
  for (int i = 0; i < jn_body_count(s); i++) {
    const double *row = d->channel + s->first_body + i * BODY_CHANNELS;
    for (int k = 0; k < 3; k++) motion[7 * i + k] = row[BODY_X + k];
    for (int k = 0; k < 4; k++) motion[7 * i + 3 + k] = row[BODY_QW + k];
  }
  jn_motion_from(s, motion, motion);
  return JN_OK;
}
