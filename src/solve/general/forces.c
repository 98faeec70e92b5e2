// forces.c: force elements by the general path: motion of their ends, kernel (elements/), wrenches on bodies.
#include "solve/general/forces.h"

#include <math.h>
#include <string.h>

#include "solve/general/force_point.h"

// ---- ends -----------------------------------------------------------------------------------------

// From a to b: in the axes of the frame that both share, else in world axes. Of a coordinate: the axis of a cut joint.
typedef struct span {
  jn_point a, b;
  bool shared;
  int fa, fb;
  v3 d, axis;
} span;

// A vector from the axes of a frame to those of the span, and back.
static v3 to_span(const jn_data *d, const span *k, int frame, v3 x)
{
  return k->shared ? x : m3_mul_v3(d->frame[frame].r, x);
}
static v3 from_span(const jn_data *d, const span *k, int frame, v3 x)
{
  return k->shared ? x : m3_tmul_v3(d->frame[frame].r, x);
}

static void load_LINE(const jn_system *s, const jn_data *d, const jn_element *e, span *k,
                      el_motion *m)
{
  const jn_ends *n = &e->ends;
  k->a = jn_point_of(s, d, n->a, n->at_a), k->b = jn_point_of(s, d, n->b, n->at_b);
  k->fa = s->body[n->a].frame, k->fb = s->body[n->b].frame;
  k->shared = k->fa == k->fb;
  if (k->shared) {
    m->d = k->d = v3_sub(k->b.p, k->a.p);
    m->rate = v3_sub(k->b.v, k->a.v);
    return;
  }
  const jn_frame_state *a = &d->frame[k->fa], *b = &d->frame[k->fb];
  v3 between = v3_sub(s->frame[k->fb].origin, s->frame[k->fa].origin);
  between = v3_add(between, v3_sub(b->moved, a->moved));
  m->d = k->d = v3_add(between, v3_sub(m3_mul_v3(b->r, k->b.p), m3_mul_v3(a->r, k->a.p)));
  m->rate = v3_sub(v3_add(b->velocity, m3_mul_v3(b->r, k->b.v)),
                   v3_add(a->velocity, m3_mul_v3(a->r, k->a.v)));
}

static void apply_LINE(const jn_system *s, jn_data *d, const jn_element *e, const span *k,
                       const el_load *o)
{
  (void)s;
  const v3 f = v3_scale(o->pull, o->n);
  jn_push(d, e->ends.a, k->a.about, from_span(d, k, k->fa, f));
  jn_push(d, e->ends.b, k->b.about, v3_neg(from_span(d, k, k->fb, f)));
  d->power -= o->pull * o->speed;
}

static void load_COORDINATE(const jn_system *s, const jn_data *d, const jn_element *e, span *k,
                            el_motion *m)
{
  const jn_coordinate *c = &e->in;
  if (c->cut >= 0) {
    m->x = jn_cut_coordinate(s, d, c->cut, d->cut_angle[c->cut], &m->v, &k->axis);
  } else if (c->driven >= 0) {
    const jn_drive_state *drive = &d->drive[s->joint[c->driven].drive];
    m->x = drive->s, m->v = drive->rate;
  } else {
    m->x = d->q[c->q] + (c->angular ? 2.0 * M_PI * d->turn[c->q] : 0.0);
    m->v = d->v[c->v];
  }
}

static void apply_COORDINATE(const jn_system *s, jn_data *d, const jn_element *e, const span *k,
                             const el_load *o)
{
  const jn_coordinate *c = &e->in;
  d->power -= o->pull * o->speed;
  if (c->driven >= 0) {  // no coordinate: a pair of moments, which the prescribed motion holds
    const int parent = s->body[c->driven].parent;
    const v3 m = v3_scale(o->pull, m3_mul_v3(d->pose[parent].r, s->joint[c->driven].axis));
    jn_twist(d, c->driven, v3_neg(m));
    jn_twist(d, parent, m);
  } else if (c->cut < 0) {
    d->tau[c->v] -= o->pull;
  } else {
    const jn_cut *cut = &s->cut[c->cut];
    const v3 m = v3_scale(o->pull, k->axis);
    if (c->angular) {
      jn_twist(d, cut->b, v3_neg(m));
      jn_twist(d, cut->a, m);
    } else {  // both at the second body's point
      const jn_point b = jn_point_of(s, d, cut->b, cut->at_b);
      jn_push(d, cut->b, b.about, v3_neg(m));
      jn_push(d, cut->a, v3_sub(b.p, d->station[s->body[cut->a].station]), m);
    }
  }
}

static void load_PAIR(const jn_system *s, const jn_data *d, const jn_element *e, span *k,
                      el_motion *m)
{
  const int a = e->ends.a, b = e->ends.b;
  k->fa = s->body[a].frame, k->fb = s->body[b].frame;
  k->shared = k->fa == k->fb;
  m->ra = d->pose[a].r, m->rb = d->pose[b].r;
  if (!k->shared)
    m->ra = m3_mul(d->frame[k->fa].r, m->ra), m->rb = m3_mul(d->frame[k->fb].r, m->rb);
  m->wa = to_span(d, k, k->fa, d->twist[a].a), m->wb = to_span(d, k, k->fb, d->twist[b].a);
}

static void apply_PAIR(const jn_system *s, jn_data *d, const jn_element *e, const span *k,
                       const el_load *o)
{
  (void)s;
  jn_twist(d, e->ends.b, from_span(d, k, k->fb, o->moment));
  jn_twist(d, e->ends.a, v3_neg(from_span(d, k, k->fa, o->moment)));
  d->power += o->power;
}

static void load_FRAME(const jn_system *s, const jn_data *d, const jn_element *e, span *k,
                       el_motion *m)
{
  load_PAIR(s, d, e, k, m);
  load_LINE(s, d, e, k, m);
}

static void apply_FRAME(const jn_system *s, jn_data *d, const jn_element *e, const span *k,
                        const el_load *o)
{
  const v3 at = v3_add(k->a.about, from_span(d, k, k->fa, k->d));  // b's point about a's station
  jn_push(d, e->ends.b, k->b.about, from_span(d, k, k->fb, o->force));
  jn_push(d, e->ends.a, at, v3_neg(from_span(d, k, k->fa, o->force)));
  apply_PAIR(s, d, e, k, o);
}

static void load_WORLD(const jn_system *s, const jn_data *d, const jn_element *e, span *k,
                       el_motion *m)
{
  const int body[2] = {e->ends.a, e->ends.b};
  load_LINE(s, d, e, k, m);
  if (k->shared) k->d = m3_mul_v3(d->frame[k->fa].r, k->d);
  k->shared = false;
  const jn_point *p[2] = {&k->a, &k->b};
  m3 *r[2] = {&m->ra, &m->rb};
  v3 *w[2] = {&m->wa, &m->wb};
  for (int i = 0; i < 2; i++) {
    const int frame = s->body[body[i]].frame;
    const jn_frame_state *f = &d->frame[frame];
    *r[i] = m3_mul(f->r, d->pose[body[i]].r);
    *w[i] = m3_mul_v3(f->r, d->twist[body[i]].a);
    m->place[i] = v3_add(v3_add(s->frame[frame].origin, f->moved), m3_mul_v3(f->r, p[i]->p));
    m->velocity[i] = v3_add(f->velocity, m3_mul_v3(f->r, p[i]->v));
  }
}

// What is not a number, of a motion that is one, ends the run, which names the first that gave it.
static void apply_WORLD(const jn_system *s, jn_data *d, const jn_element *e, const span *k,
                        const el_load *o)
{
  const v3 load = v3_add(o->force, o->moment);
  const bool wrong = (load.x + load.y + load.z) * 0.0 != 0.0;
  if (wrong && d->faulty_plugin < 0 && (k->d.x + k->d.y + k->d.z) * 0.0 == 0.0)
    d->faulty_plugin = e->plugin;
  apply_FRAME(s, d, e, k, o);
}

static void load_BODY(const jn_system *s, const jn_data *d, const jn_element *e, span *k,
                      el_motion *m)
{
  const jn_frame_state *f = &d->frame[s->body[e->ends.b].frame];
  k->b = jn_point_of(s, d, e->ends.b, e->ends.at_b);
  m->ra = m3_transpose(f->r), m->rb = d->pose[e->ends.b].r;
  m->velocity[1] = v3_add(k->b.v, m3_tmul_v3(f->r, f->velocity));
}

static void apply_BODY(const jn_system *s, jn_data *d, const jn_element *e, const span *k,
                       const el_load *o)
{
  (void)s;
  jn_push(d, e->ends.b, k->b.about, o->force);
  d->power += o->power;
}

static void load_ROAD(const jn_system *s, const jn_data *d, const jn_element *e, span *k,
                      el_motion *m)
{
  const int frame = s->body[e->ends.b].frame;
  const jn_frame_state *f = &d->frame[frame];
  k->fb = frame;
  k->b = jn_point_of(s, d, e->ends.b, e->ends.at_b);
  m->place[1] = v3_add(v3_add(s->frame[frame].origin, f->moved), m3_mul_v3(f->r, k->b.p));
  m->velocity[1] = v3_add(f->velocity, m3_mul_v3(f->r, k->b.v));
  m->rb = m3_mul(f->r, d->pose[e->ends.b].r);
  m->wb = m3_mul_v3(f->r, d->twist[e->ends.b].a);
  m->road = &s->binding.road[JN_COMMON_ROAD], m->road_object = s->road_object;
  m->post = s->body[e->ends.b].anchor.x + e->ends.at_b.x;
  m->over = m->place[1].z + v3_dot(m->rb.z, v3_sub(s->body[e->ends.b].cg, e->ends.at_b));
}

static void apply_ROAD(const jn_system *s, jn_data *d, const jn_element *e, const span *k,
                       const el_load *o)
{
  (void)s;
  const m3 r = d->frame[k->fb].r;
  if (d->on_plane) return;  // preloads balance the design position by tyres
  jn_push(d, e->ends.b, k->b.about, m3_tmul_v3(r, o->force));
  jn_twist(d, e->ends.b, m3_tmul_v3(r, o->moment));
  d->power += o->power;
}

// ---- the whole ------------------------------------------------------------------------------------

// Fields of the motion that no end has. The others stay as they are: a kernel reads what its ends have, and nothing else.
static void load_inputs(const jn_system *s, const jn_data *d, const jn_element *e, el_motion *m)
{
  const jn_actuator *a = &e->actuator;
  m->time = d->t_in;
  m->table = s->table;
  m->turned_a = m->turned_b = true;
  m->input = m->input_rate = 0.0;
  if (a->input < 0) return;
  m->input = d->in[a->input][0];
  m->input_rate = d->in[a->input][1];
}

#define ONE(name, unit, help) +1
#define X(kind, word, ends, outputs)                                            \
  static void apply_##word(const jn_system *s, jn_data *d, const jn_element *e) \
  {                                                                             \
    double *out = d->element + e->output;                                       \
    span k;                                                                     \
    el_motion m;                                                                \
    load_inputs(s, d, e, &m);                                                   \
    m.plugin = e->plugin < 0 ? NULL : &s->plugin[e->plugin];                    \
    m.own = out + (0 outputs(ONE));                                             \
    load_##ends(s, d, e, &k, &m);                                               \
    const el_load o = word##_at(e->form, (el_numbers){e->p, 1}, &m);            \
    apply_##ends(s, d, e, &k, &o);                                              \
    for (int i = 0; i < 0 outputs(ONE); i++) out[i] = o.out[i];                 \
  }
JN_ELEMENT_KINDS(X)
#undef X
#undef ONE

sv jn_contact_apply(const jn_system *s, jn_data *d, const jn_element *e, const m3 *r, v3 place,
                    sv motion)
{
  const el_numbers p = {e->p, 1};
  const int nout = jn_element_kinds[JN_FORCE_CONTACT].nout;
  const jn_road *road = &s->binding.road[JN_COMMON_ROAD];
  double *out = d->element + e->output;
  if (contact_is_clear(e->form, p, road, place.z, r->z)) {
    for (int i = 0; i < nout; i++) out[i] = 0.0;
    return sv_make(v3_set(0, 0, 0), v3_set(0, 0, 0));
  }
  const el_motion m = {.place[1] = place,
                       .velocity[1] = m3_mul_v3(*r, motion.l),
                       .rb = *r,
                       .wb = m3_mul_v3(*r, motion.a),
                       .time = d->t_in,
                       .road = road,
                       .road_object = s->road_object,
                       .post = s->body[e->ends.b].anchor.x,
                       .over = place.z + v3_dot(r->z, s->body[e->ends.b].cg)};
  const el_load o = contact_at(e->form, p, &m);
  for (int i = 0; i < nout; i++) out[i] = o.out[i];
  d->power += o.power;
  return sv_make(m3_tmul_v3(*r, o.moment), m3_tmul_v3(*r, o.force));
}

void jn_element_apply(const jn_system *s, jn_data *d, int i)
{
  jn_element_apply_as(s, d, &s->element[i]);
}

void jn_element_apply_as(const jn_system *s, jn_data *d, const jn_element *e)
{
  switch (e->kind) {
#define X(kind, word, ends, outputs) \
  case JN_FORCE_##kind:              \
    apply_##word(s, d, e);           \
    break;
    JN_ELEMENT_KINDS(X)
#undef X
    default:
      break;
  }
}

void jn_forces_apply(const jn_system *s, jn_data *d)
{
  memset(d->force, 0, (size_t)s->nbody * sizeof *d->force);
  memset(d->tau, 0, (size_t)s->nv * sizeof *d->tau);
  d->power = 0.0;
  for (int i = 0; i < s->nelement; i++) jn_element_apply(s, d, i);
  jn_wheels_apply(s, d);
}
