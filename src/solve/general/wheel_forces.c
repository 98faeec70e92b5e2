// wheel_forces.c: wheels on their tyres: where they meet the road, what pushes and turns them.
//
// A wheel that is no body is a rotor in its carrier, whose mass and whose inertia across the axis the
// carrier has. With the axis a, the carrier's angular velocity w and the absolute angular velocity Omega
// about a, its momentum is I Omega a, so that
//
//   I Omega' = a . (all moments on it),   on the carrier: what is left of them, - I Omega (w x a)
#include <math.h>
#include <stdio.h>

#include "base/rmath.h"
#include "elements/tyre/tyre_at.h"
#include "solve/general/force_point.h"
#include "solve/general/forces.h"

static const v3 zero = {0, 0, 0};

// A vector of the frame of body `from`, in the axes of the frame of body `to`.
static v3 carried(const jn_system *s, const jn_data *d, int from, int to, v3 x)
{
  const int f = s->body[from].frame, g = s->body[to].frame;
  return f == g ? x : m3_tmul_v3(d->frame[g].r, m3_mul_v3(d->frame[f].r, x));
}

// Moment of the brake and the drive on a body, given in the axes of the wheel's frame.
static void turn(const jn_system *s, jn_data *d, const jn_wheel *w, int body, v3 moment)
{
  const v3 m = carried(s, d, w->body, body, moment);
  jn_twist(d, body, m);
  d->power += v3_dot(m, d->twist[body].a);
}

// A tyre of the user's own, with its outputs; of a wheel in the air they are zero.
static tyre_out plugged(const jn_system *s, jn_data *d, int i, tyre_in in)
{
  const jn_wheel *w = &s->wheel[i];
  const int nout = w->plugin->table ? w->plugin->table->nout : 0;
  double *out = d->element + jn_element_tyre(s, i);
  for (int j = 0; j < nout; j++) out[j] = 0.0;
  return tyre_by_plugin(w->tyre.form, w->tyre.p, in, out);
}

v3 jn_wheel_centre(const jn_system *s, const jn_data *d, int i)
{
  const jn_wheel *w = &s->wheel[i];
  const int frame = s->body[w->body].frame;
  const jn_frame_state *f = &d->frame[frame];
  const jn_point p = jn_point_of(s, d, w->body, w->at);
  return v3_add(v3_add(s->frame[frame].origin, f->moved), m3_mul_v3(f->r, p.p));
}

void jn_wheel_apply(const jn_system *s, jn_data *d, int i)
{
  const jn_wheel *w = &s->wheel[i];
  jn_wheel_state *k = &d->wheel[i];
  const jn_frame_state *f = &d->frame[s->body[w->body].frame];
  const jn_point p = jn_point_of(s, d, w->body, w->at);
  const m3 pose = d->pose[w->body].r;

  // axis and angular velocity, with the steer angle about the carrier's z
  v3 axis = w->axis, omega = d->twist[w->body].a;
  if (w->steer >= 0) {
    const r_sin_cos t = r_sincos(d->in[w->steer][0]);
    axis = m3_mul_v3(m3_about(v3_set(0, 0, 1), t.cos, t.sin), axis);
    omega = v3_axpy(d->in[w->steer][1], m3_column(pose, 2), omega);
  }
  axis = m3_mul_v3(pose, axis);
  const double about = v3_dot(axis, omega);
  const bool rotor = w->spin >= 0;
  if (rotor)
    k->spin = d->x[w->spin] - about;
  else
    k->spin =
        w->carrier < 0
            ? about
            : about - v3_dot(axis, carried(s, d, w->carrier, w->body, d->twist[w->carrier].a));

  // A wheel that gives way spins about the axis as it has turned, so its spin is no part of omega. Of a wheel body, omega less
  // the spin is the carrier's, and what a bearing that is not quite along the axis lets it wobble.
  const bool apart = rotor || w->comply >= 0;
  const v3 held = rotor || !apart ? omega : v3_axpy(-k->spin, axis, omega);

  // road
  k->centre =
      v3_add(v3_add(s->frame[s->body[w->body].frame].origin, f->moved), m3_mul_v3(f->r, p.p));
  const v3 velocity = v3_add(p.v, m3_tmul_v3(f->r, f->velocity));
  const road_hit hit =
      road_at(&s->road, s->road.moving != 0.0 ? w->x : k->centre.x, k->centre.y, d->t_in);
  const road_plane plane = tyre_follows(w->tyre.kind)
                               ? road_follow(&hit, k->centre, m3_mul_v3(f->r, velocity))
                               : road_touch(&hit, k->centre);
  k->road = hit.z;

  // tyre
  tyre_in in = {.axis = axis,
                .velocity = velocity,
                .omega = held,
                .spin = apart ? k->spin : 0.0,
                .forward = f->r.x,
                .normal = m3_tmul_v3(f->r, plane.normal),
                .height = plane.height,
                .road_rate = plane.rate,
                .table = s->table};
  if (w->comply >= 0) in.axis = tyre_comply(axis, in.normal, d->x[w->comply], d->x[w->comply + 1]);
  for (int j = 0; j < w->tyre.nslip; j++) in.state[j] = d->x[w->slip + j];
  if (w->plugin)
    k->tyre = plugged(s, d, i, in);
  else
    k->tyre = tyre_at(w->tyre.kind, w->tyre.form, w->tyre.p, in);
  k->axis = in.axis, k->normal = in.normal;
  if (w->carries || d->still) {
    k->tyre.load = w->carries ? w->carried : k->tyre.load;
    k->tyre.fx = k->tyre.fy = k->tyre.mx = k->tyre.my = k->tyre.mz = 0.0;
    k->tyre.force = v3_scale(k->tyre.load, in.normal);
    k->tyre.moment = zero;
  }
  const tyre_out *o = &k->tyre;
  k->contact = v3_add(k->centre, m3_mul_v3(f->r, o->arm));
  const v3 moment = v3_cross_add(o->arm, o->force, o->moment);  // about the centre

  // drive and brake
  const double drive = w->drive >= 0 ? d->in[w->drive][0] : 0.0;
  k->torque = k->brake_a = k->brake_b = 0.0;
  if (w->hold >= 0) {
    const brake_out b = brake(d->in[w->brake][0], w->inertia, k->spin, d->x[w->hold]);
    k->torque = b.torque, k->brake_a = b.a, k->brake_b = b.b;
  }
  const double turning = drive - k->torque;
  if (w->reaction >= 0) turn(s, d, w, w->reaction, v3_scale(-drive, axis));
  if (w->carrier >= 0) turn(s, d, w, w->carrier, v3_scale(k->torque, axis));

  // on the bodies
  jn_push(d, w->body, p.about, o->force);
  d->power += v3_dot(o->force, velocity);
  if (!rotor) {
    turn(s, d, w, w->body, v3_axpy(turning, axis, moment));
    return;
  }
  const double rolling = v3_dot(axis, moment), spin = d->x[w->spin];
  const v3 gyro = w->gyroscopic ? v3_scale(-w->inertia * spin, v3_cross(omega, axis)) : zero;
  turn(s, d, w, w->body, v3_add(gyro, v3_axpy(-rolling, axis, moment)));
  k->spin_rate = (turning + rolling) / w->inertia;
  d->power += (turning + rolling) * spin;
}

void jn_wheels_apply(const jn_system *s, jn_data *d)
{
  for (int i = 0; i < s->nwheel; i++) jn_wheel_apply(s, d, i);
}

const char *jn_wheels_remark(const jn_system *s, char text[JN_REMARK])
{
  text[0] = 0;
  for (int i = 0; i < s->model->spec->ntyre && !text[0]; i++)
    if (atomic_load_explicit(&s->tyre_plugin[i].broke, memory_order_relaxed))
      snprintf(
          text, JN_REMARK,
          ": the plug-in tyre \"%s\" gave what is not a number, or no length, at a slip that is",
          s->model->spec->tyre[i].name);
  return text;
}

// Angles by which the suspension gives way, behind a lag: what they are functions of depends on them.
static void comply(const jn_system *s, const jn_wheel *w, const jn_wheel_state *k, const double *x,
                   double *dx, double *rate)
{
  const double a = 1.0 / w->compliance_lag, by[2] = {k->tyre.fy, k->tyre.mz};
  for (int i = 0; i < 2; i++) {
    double aim = 0.0;
    for (int j = 0; j < 2; j++) {
      const int at = w->compliance[2 * i + j];
      if (at >= 0) aim += curve_at(s->table, at, TYRE_COMPLIANCE_STEPS, by[j]).y;
    }
    rate[w->comply + i - s->first_lag] = a;
    dx[w->comply + i] = r_fma(-a, x[w->comply + i], a * aim);
  }
}

void jn_wheel_states(const jn_system *s, const jn_data *d, int i, double *dx, double *rate)
{
  const jn_wheel *w = &s->wheel[i];
  const jn_wheel_state *k = &d->wheel[i];
  if (w->spin >= 0) dx[w->spin] = k->spin_rate;
  for (int j = 0; j < w->tyre.nslip; j++) {
    const int x = w->slip + j;
    rate[x - s->first_lag] = k->tyre.rate_a[j];
    dx[x] = r_fma(-k->tyre.rate_a[j], d->x[x], k->tyre.rate_b[j]);
  }
  if (w->comply >= 0) comply(s, w, k, d->x, dx, rate);
  if (w->hold < 0) return;
  rate[w->hold - s->first_lag] = k->brake_a;
  dx[w->hold] = r_fma(-k->brake_a, d->x[w->hold], k->brake_b);
}

void jn_wheels_states(const jn_system *s, const jn_data *d, double *dx, double *rate)
{
  for (int i = 0; i < s->nwheel; i++) jn_wheel_states(s, d, i, dx, rate);
}
