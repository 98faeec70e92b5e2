// forces.c: springs and dampers along a line and about a joint, bushings, loads, plug-ins.
#include "solve/general/forces.h"

#include <math.h>
#include <string.h>

#include "base/curve.h"
#include "base/rmath.h"
#include "solve/general/force_point.h"

static const v3 zero = {0, 0, 0};

// ---- points ---------------------------------------------------------------------------------------

// From a to b: in the axes of the frame that both share, else in world axes.
typedef struct span {
  jn_point a, b;
  bool shared;
  int fa, fb;
  v3 d, rate;
} span;

static span span_of(const jn_system *s, const jn_data *d, const jn_ends *e)
{
  span k = {.a = jn_point_of(s, d, e->a, e->at_a), .b = jn_point_of(s, d, e->b, e->at_b)};
  k.fa = s->body[e->a].frame, k.fb = s->body[e->b].frame;
  k.shared = k.fa == k.fb;
  if (k.shared) {
    k.d = v3_sub(k.b.p, k.a.p);
    k.rate = v3_sub(k.b.v, k.a.v);
    return k;
  }
  const jn_frame_state *a = &d->frame[k.fa], *b = &d->frame[k.fb];
  v3 between = v3_sub(s->frame[k.fb].origin, s->frame[k.fa].origin);
  between = v3_add(between, v3_sub(b->moved, a->moved));
  k.d = v3_add(between, v3_sub(m3_mul_v3(b->r, k.b.p), m3_mul_v3(a->r, k.a.p)));
  k.rate = v3_sub(v3_add(b->velocity, m3_mul_v3(b->r, k.b.v)),
                  v3_add(a->velocity, m3_mul_v3(a->r, k.a.v)));
  return k;
}

// A vector of the span, in the axes of an end's frame.
static v3 seen_from(const jn_data *d, const span *k, int frame, v3 x)
{
  return k->shared ? x : m3_tmul_v3(d->frame[frame].r, x);
}

// ---- laws -----------------------------------------------------------------------------------------

static double polynomial(const double *c, int n, double x)  // c0 x + c1 x^2 + ...
{
  double y = 0.0;
  for (int i = n - 1; i >= 0; i--) y = r_fma(y, x, c[i] * x);
  return y;
}

static double input_value(const jn_data *d, const jn_actuator *a)
{
  return a->input < 0 ? 0.0 : d->in[a->input][0];
}

static double law_force(const jn_system *s, const jn_data *d, const jn_law *l, double x,
                        double rate)
{
  double f = r_fma(l->stiffness, x, r_fma(l->damping, rate, l->preload));
  f += polynomial(l->spring, l->nspring, x) + polynomial(l->damper, l->ndamper, rate);
  if (l->spring_curve >= 0) f += curve_at(s->table, l->spring_curve, l->spring_steps, x).y;
  if (l->damper_curve >= 0) f += curve_at(s->table, l->damper_curve, l->damper_steps, rate).y;
  return f + input_value(d, &l->actuator);
}

// ---- kinds ----------------------------------------------------------------------------------------

static void apply_tsda(const jn_system *s, jn_data *d, int i)
{
  const jn_tsda *t = &s->tsda[i];
  const span k = span_of(s, d, &t->ends);
  const double length = v3_norm(k.d), inverse = length > 0.0 ? 1.0 / length : 0.0;
  const v3 n = v3_scale(inverse, k.d);
  const double rate = v3_dot(n, k.rate);
  const double tension = law_force(s, d, &t->law, length - t->free_length, rate);
  const v3 f = v3_scale(tension, n);
  jn_push(d, t->ends.a, k.a.about, seen_from(d, &k, k.fa, f));
  jn_push(d, t->ends.b, k.b.about, v3_neg(seen_from(d, &k, k.fb, f)));
  d->power -= tension * rate;
  double *out = d->element + jn_element_tsda(i);
  out[0] = length, out[1] = rate, out[2] = tension;
}

static void apply_rsda(const jn_system *s, jn_data *d, int i)
{
  const jn_rsda *r = &s->rsda[i];
  double x, rate;
  v3 axis = zero;
  if (r->cut >= 0) {
    x = jn_cut_coordinate(s, d, r->cut, d->cut_angle[r->cut], &rate, &axis);
  } else if (r->driven >= 0) {
    const jn_drive_state *k = &d->drive[s->joint[r->driven].drive];
    x = k->s, rate = k->rate;
  } else {
    x = d->q[r->q] + (r->angular ? 2.0 * M_PI * d->turn[r->q] : 0.0);
    rate = d->v[r->v];
  }
  double torque;  // resists
  if (r->servo)
    torque = r_fma(r->law.stiffness, x - d->in[r->law.actuator.input][0],
                   r->law.damping * (rate - d->in[r->law.actuator.input][1]));
  else
    torque = law_force(s, d, &r->law, x - r->free_angle, rate);
  if (r->driven >=
      0) {  // no coordinate: a pair of moments, which the prescribed motion holds (no servo here)
    const int parent = s->body[r->driven].parent;
    const v3 m = v3_scale(torque, m3_mul_v3(d->pose[parent].r, s->joint[r->driven].axis));
    jn_twist(d, r->driven, v3_neg(m));
    jn_twist(d, parent, m);
  } else if (r->cut < 0) {
    d->tau[r->v] -= torque;
  } else {
    const jn_cut *c = &s->cut[r->cut];
    const v3 m = v3_scale(torque, axis);
    if (r->angular) {
      jn_twist(d, c->b, v3_neg(m));
      jn_twist(d, c->a, m);
    } else {  // both at the second body's point
      const jn_point b = jn_point_of(s, d, c->b, c->at_b);
      jn_push(d, c->b, b.about, v3_neg(m));
      jn_push(d, c->a, v3_sub(b.p, d->station[s->body[c->a].station]), m);
    }
  }
  d->power -= torque * rate;
  double *out = d->element + jn_element_rsda(s, i);
  out[0] = x, out[1] = rate, out[2] = torque;
}

// Force and moment in the axes of body a's end; both act at b's point.
static void apply_bushing(const jn_system *s, jn_data *d, int i)
{
  const jn_bushing *b = &s->bushing[i];
  const span k = span_of(s, d, &b->ends);
  m3 ra = d->pose[b->ends.a].r, rb = d->pose[b->ends.b].r;
  v3 wa = d->twist[b->ends.a].a, wb = d->twist[b->ends.b].a;
  if (!k.shared) {
    const m3 fa = d->frame[k.fa].r, fb = d->frame[k.fb].r;
    ra = m3_mul(fa, ra), rb = m3_mul(fb, rb);
    wa = m3_mul_v3(fa, wa), wb = m3_mul_v3(fb, wb);
  }
  const m3 axes = m3_mul(ra, b->axes_a), turn = m3_tmul(axes, m3_mul(rb, b->axes_b));
  const v3 x = m3_tmul_v3(axes, k.d);
  const v3 v = m3_tmul_v3(axes, v3_sub(k.rate, v3_cross(wa, k.d)));
  const v3 w = m3_tmul_v3(axes, v3_sub(wb, wa));
  const v3 angle =
      v3_scale(0.5, v3_make(turn.z.y - turn.y.z, turn.x.z - turn.z.x, turn.y.x - turn.x.y));
  const v3 f = v3_make(-r_fma(b->stiffness.x, x.x, b->damping.x * v.x),
                       -r_fma(b->stiffness.y, x.y, b->damping.y * v.y),
                       -r_fma(b->stiffness.z, x.z, b->damping.z * v.z));
  const v3 m = v3_make(-r_fma(b->turn_stiffness.x, angle.x, b->turn_damping.x * w.x),
                       -r_fma(b->turn_stiffness.y, angle.y, b->turn_damping.y * w.y),
                       -r_fma(b->turn_stiffness.z, angle.z, b->turn_damping.z * w.z));
  const v3 force = m3_mul_v3(axes, f), moment = m3_mul_v3(axes, m);
  jn_push(d, b->ends.b, k.b.about, seen_from(d, &k, k.fb, force));
  jn_twist(d, b->ends.b, seen_from(d, &k, k.fb, moment));
  const v3 at = v3_add(k.a.about, seen_from(d, &k, k.fa, k.d));  // b's point about a's station
  jn_push(d, b->ends.a, at, v3_neg(seen_from(d, &k, k.fa, force)));
  jn_twist(d, b->ends.a, v3_neg(seen_from(d, &k, k.fa, moment)));
  d->power += v3_dot(f, v) + v3_dot(m, w);
  v3_store(d->element + jn_element_bushing(s, i), f);
}

static void apply_load(const jn_system *s, jn_data *d, int i)
{
  const jn_load *l = &s->load[i];
  const double on = d->t_in >= l->start ? 1.0 : 0.0;
  const double scale = l->actuator.input >= 0 ? on * input_value(d, &l->actuator) : on;
  const int frame = s->body[l->b].frame;
  if (!l->torque) {
    v3 f = v3_scale(scale, l->world ? m3_tmul_v3(d->frame[frame].r, l->value)
                                    : m3_mul_v3(d->pose[l->b].r, l->value));
    const jn_point p = jn_point_of(s, d, l->b, l->at);
    jn_push(d, l->b, p.about, f);
    d->power += v3_dot(f, v3_add(p.v, m3_tmul_v3(d->frame[frame].r, d->frame[frame].velocity)));
    return;
  }
  const int other = s->body[l->a].frame;
  v3 m = v3_scale(scale, m3_mul_v3(d->pose[l->a].r, l->value)), mb = m, wa = d->twist[l->a].a,
     wb = d->twist[l->b].a;
  if (other != frame) {
    mb = m3_tmul_v3(d->frame[frame].r, m3_mul_v3(d->frame[other].r, m));
    wa = m3_tmul_v3(d->frame[frame].r, m3_mul_v3(d->frame[other].r, wa));
  }
  jn_twist(d, l->b, mb);
  jn_twist(d, l->a, v3_neg(m));
  d->power += v3_dot(mb, v3_sub(wb, wa));
}

// An end in world axes.
static void tell_end(const jn_system *s, const jn_data *d, int body, const jn_point *p, int end,
                     jn_plugin_motion *m)
{
  const int frame = s->body[body].frame;
  const jn_frame_state *f = &d->frame[frame];
  const m3 r = m3_mul(f->r, d->pose[body].r);
  v3_store(m->position[end],
           v3_add(v3_add(s->frame[frame].origin, f->moved), m3_mul_v3(f->r, p->p)));
  v3_store(m->velocity[end], v3_add(f->velocity, m3_mul_v3(f->r, p->v)));
  v3_store(m->rotation[end], r.x);
  v3_store(m->rotation[end] + 3, r.y);
  v3_store(m->rotation[end] + 6, r.z);
  v3_store(m->angular_velocity[end], m3_mul_v3(f->r, d->twist[body].a));
}

// Force and moment in world axes; both act at b's point, as those of a bushing.
static void apply_plugin(const jn_system *s, jn_data *d, int i)
{
  const jn_plugin_element *e = &s->plugin[i];
  if (!e->table) return;
  double *out = d->element + jn_element_plugin(s, i);
  const int a = e->ends.a, b = e->ends.b;
  const span k = span_of(s, d, &e->ends);
  jn_plugin_motion m = {.time = d->t_in};
  jn_plugin_wrench w = {0};
  tell_end(s, d, a, &k.a, 0, &m);
  tell_end(s, d, b, &k.b, 1, &m);
  e->table->force(e->self, &m, &w, out + JN_PLUGIN_VALUES);
  const v3 force = v3_load(w.force), moment = v3_load(w.moment);
  const m3 fa = d->frame[k.fa].r, fb = d->frame[k.fb].r;
  const v3 on_a = m3_tmul_v3(fa, force), on_b = m3_tmul_v3(fb, force);
  jn_push(d, b, k.b.about, on_b);
  jn_twist(d, b, m3_tmul_v3(fb, moment));
  const v3 span_a = k.shared ? k.d : m3_tmul_v3(fa, k.d);
  jn_push(d, a, v3_add(k.a.about, span_a), v3_neg(on_a));
  jn_twist(d, a, v3_neg(m3_tmul_v3(fa, moment)));
  const v3 wa = v3_load(m.angular_velocity[0]), wb = v3_load(m.angular_velocity[1]);
  const v3 across = v3_sub(v3_load(m.position[1]), v3_load(m.position[0]));
  const v3 speed =
      v3_sub(v3_sub(v3_load(m.velocity[1]), v3_load(m.velocity[0])), v3_cross(wa, across));
  d->power += v3_dot(force, speed) + v3_dot(moment, v3_sub(wb, wa));
  v3_store(out, force);
  v3_store(out + 3, moment);
}

// ---- the whole ------------------------------------------------------------------------------------

void jn_forces_apply(const jn_system *s, jn_data *d)
{
  memset(d->force, 0, (size_t)s->nbody * sizeof *d->force);
  memset(d->tau, 0, (size_t)s->nv * sizeof *d->tau);
  d->power = 0.0;
  for (int i = 0; i < s->ntsda; i++) apply_tsda(s, d, i);
  for (int i = 0; i < s->nrsda; i++) apply_rsda(s, d, i);
  for (int i = 0; i < s->nbushing; i++) apply_bushing(s, d, i);
  for (int i = 0; i < s->nload; i++) apply_load(s, d, i);
  for (int i = 0; i < s->nplugin; i++) apply_plugin(s, d, i);
  jn_wheels_apply(s, d);
}

void jn_force_apply(const jn_system *s, jn_data *d, jn_force_kind kind, int i)
{
  switch (kind) {
    case JN_FORCE_TSDA:
      apply_tsda(s, d, i);
      break;
    case JN_FORCE_RSDA:
      apply_rsda(s, d, i);
      break;
    case JN_FORCE_BUSHING:
      apply_bushing(s, d, i);
      break;
    case JN_FORCE_PLUGIN:
      apply_plugin(s, d, i);
      break;
    case JN_FORCE_WHEEL:
      jn_wheel_apply(s, d, i);
      break;
    default:
      apply_load(s, d, i);
  }
}
