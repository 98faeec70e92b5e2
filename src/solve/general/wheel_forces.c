// wheel_forces.c: wheels on their tyres (elements/wheel.h) and the bodies that they push and turn.
#include <math.h>

#include "base/rmath.h"
#include "elements/wheel.h"
#include "solve/general/force_point.h"
#include "solve/general/forces.h"

static const v3 zero = {0, 0, 0};

// A vector of the frame of body `from`, in the axes of the frame of body `to`.
static v3 carried(const jn_system *s, const jn_data *d, int from, int to, v3 x)
{
  const int f = s->body[from].frame, g = s->body[to].frame;
  return f == g ? x : m3_tmul_v3(d->frame[g].r, m3_mul_v3(d->frame[f].r, x));
}

// Moment on a body, given in the axes of the wheel's frame.
static void turn(const jn_system *s, jn_data *d, const jn_wheel *w, int body, v3 moment)
{
  jn_twist(d, body, carried(s, d, w->body, body, moment));
}

// Angular velocity of a body in these axes; -1: nothing turns.
static v3 turning(const jn_system *s, const jn_data *d, const jn_wheel *w, int body)
{
  return body < 0 ? zero : carried(s, d, body, w->body, d->twist[body].a);
}

// A tyre of the user's own, with its outputs; of a wheel in the air they are zero.
static tyre_out plugged(const jn_system *s, jn_data *d, int i, tyre_in in)
{
  const jn_wheel *w = &s->wheel[i];
  const int nout = w->plugin->table ? w->plugin->table->nout : 0;
  double *out = d->element + s->wheel[i].output;
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

// How it moves, in the axes of its body's frame. whole: absolute angular velocity about the axis.
static wheel_motion motion_of(const jn_system *s, const jn_data *d, const jn_wheel *w, v3 *about,
                              double *whole)
{
  const int frame = s->body[w->body].frame;
  const jn_frame_state *f = &d->frame[frame];
  const jn_point p = jn_point_of(s, d, w->body, w->at);
  const m3 pose = d->pose[w->body].r;
  wheel_motion m = {.world = f->r,
                    .origin = v3_add(s->frame[frame].origin, f->moved),
                    .at = p.p,
                    .velocity = v3_add(p.v, m3_tmul_v3(f->r, f->velocity)),
                    .axis = w->axis,
                    .omega = d->twist[w->body].a};
  if (w->steer >= 0) wheel_steer(&pose, d->in[w->steer][0], d->in[w->steer][1], &m.axis, &m.omega);
  m.axis = m3_mul_v3(pose, m.axis);
  *about = p.about;
  if (w->spin >= 0) {
    *whole = d->x[w->spin];
    m.spin = *whole - v3_dot(m.axis, m.omega);
  } else {
    // A body: what is left without its spin is the carrier's motion, and what a bearing that is not quite along the axis
    // lets it wobble.
    *whole = v3_dot(m.axis, m.omega);
    m.spin = *whole - v3_dot(m.axis, turning(s, d, w, w->carrier));
    m.omega = v3_axpy(-m.spin, m.axis, m.omega);
  }
  return m;
}

void jn_wheel_apply(const jn_system *s, jn_data *d, int i)
{
  const jn_wheel *w = &s->wheel[i];
  jn_wheel_state *k = &d->wheel[i];
  const bool rotor = w->spin >= 0;
  v3 about;
  double whole;
  const wheel_motion m = motion_of(s, d, w, &about, &whole);
  k->spin = m.spin;
  k->centre = v3_add(m.origin, m3_mul_v3(m.world, m.at));

  const jn_road *road = &s->binding.road[d->on_plane ? 0 : w->road];
  const road_query q = {.post = w->x, .time = d->t_in, .keep = &k->keep, .object = s->road_object};
  tyre_in in = wheel_touch(&m, w->tyre.kind, road->form, road->p, q, &k->road);
  k->friction = in.friction;
  in.table = s->table, in.plugin = s->tyre_plugin, in.keep = &k->keep;
  if (w->comply >= 0)
    in.axis = tyre_comply(m.axis, in.normal, d->x[w->comply], d->x[w->comply + 1]);
  for (int j = 0; j < w->tyre.nslip; j++) in.state[j] = d->x[w->slip + j];
  if (w->plugin)
    k->tyre = plugged(s, d, i, in);
  else
    k->tyre = tyre_at(w->tyre.kind, w->tyre.form, w->tyre.p, in);
  k->axis = in.axis, k->normal = in.normal;
  if (k->carries || d->still) {
    k->tyre.load = k->carries ? k->carried : k->tyre.load;
    k->tyre.fx = k->tyre.fy = k->tyre.mx = k->tyre.my = k->tyre.mz = 0.0;
    k->tyre.force = v3_scale(k->tyre.load, in.normal);
    k->tyre.moment = zero;
  }
  k->contact = v3_add(k->centre, m3_mul_v3(m.world, k->tyre.arm));

  const wheel_drive drive = {.inertia = w->inertia,
                             .gyro = rotor && w->gyroscopic ? w->inertia : 0.0,
                             .whole = whole,
                             .driven = w->drive >= 0,
                             .drive = w->drive >= 0 ? d->in[w->drive][0] : 0.0,
                             .braked = w->hold >= 0,
                             .limit = w->hold >= 0 ? d->in[w->brake][0] : 0.0,
                             .hold = w->hold >= 0 ? d->x[w->hold] : 0.0,
                             .bears = d->twist[w->body].a,
                             .on_brake = turning(s, d, w, w->hold >= 0 ? w->carrier : -1),
                             .on_drive = turning(s, d, w, w->drive >= 0 ? w->reaction : -1)};
  const wheel_loads loads = wheel_turn(&m, &k->tyre, &drive, d->power);
  d->power = loads.power;
  k->torque = loads.brake.torque, k->brake_a = loads.brake.a, k->brake_b = loads.brake.b;
  k->spin_rate = loads.torque / w->inertia;
  if (w->reaction >= 0) turn(s, d, w, w->reaction, v3_scale(-drive.drive, m.axis));
  if (w->carrier >= 0) turn(s, d, w, w->carrier, v3_scale(k->torque, m.axis));
  jn_push(d, w->body, about, k->tyre.force);
  jn_twist(d, w->body, rotor ? loads.moment : v3_axpy(loads.torque, m.axis, loads.moment));
}

void jn_wheels_apply(const jn_system *s, jn_data *d)
{
  for (int i = 0; i < s->nwheel; i++) jn_wheel_apply(s, d, i);
}

// Compliance angles of the suspension, behind a lag: what they are functions of depends on them.
static void comply(const jn_system *s, const jn_wheel *w, const jn_wheel_state *k, const double *x,
                   double *dx, double *rate)
{
  const double a = 1.0 / w->compliance_lag;
  double at[TYRE_NCOMPLIANCE], yields[2];
  int curves = 0;
  for (int i = 0; i < TYRE_NCOMPLIANCE; i++) {
    at[i] = r_real(w->compliance[i]);
    if (w->compliance[i] >= 0) curves |= 1 << i;
  }
  wheel_yields(s->table, curves, at, &k->tyre, yields);
  for (int i = 0; i < 2; i++) {
    rate[w->comply + i - s->first_lag] = a;
    dx[w->comply + i] = r_fma(-a, x[w->comply + i], a * yields[i]);
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
