// rows.c: selections of channels. What a selection needs is found once; a row is then made of what the step's own evaluation has.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/invariant.h"
#include "run/channels.h"
#include "run/run_internal.h"
#include "solve/fast/fast.h"

typedef struct pick {  // a subject with channels of the selection
  int subject;
  unsigned details;
  int first, n;  // copies
} pick;

typedef struct copy {
  int from, to;  // among the subject's channels; in the row
} copy;

// In lanes, a body with channels of the selection, or with energy that it wants.
typedef struct body_pick {
  lane_place place;
  unsigned parts;
  bool turned;  // its axes are not the world's in the design position
  q4 own;       // but these
  m3 axes;
  int first, n;  // copies
} body_pick;

struct jn_rows {
  const jn_system *s;
  int n, npick;
  pick *pick;
  copy *copy;  // (n)
  int ngather, nrun;
  lane_gather *gather;  // in lanes, channels that are numbers there (n)
  lane_gathers *run;    // of these, one after the other (n)
  int nbody_pick;
  body_pick *body;  // (nbody)
  int nlane_pick;
  pick *lane_pick;             // and what is left then
  copy *lane_copy;             // (n)
  bool reactions;              // of joints, or of prescribed motions
  const char *general;         // channel that lanes do not have, NULL: they have all
  bool energy, accelerations;  // of coordinates
  jn_lane_view view;           // of the lanes
  jn_pool pool;                // of all this
};

// ---- what a selection needs ---------------------------------------------------------------------------

static bool allocate(const jn_system *s, lane_wanted *k)
{
  const int size[] = {s->nbody,  s->nbody,    s->nx,     s->nelement,
                      s->nwheel, s->nelement, s->nwheel, s->lane->ngroup};
  bool **part[] = {&k->body,  &k->joint,       &k->state,     &k->element,
                   &k->wheel, &k->put_element, &k->put_wheel, &k->moves};
  enum { N = sizeof size / sizeof *size };
  size_t sum = 1;
  for (int i = 0; i < N; i++) sum += (size_t)size[i];
  bool *at = k->all = calloc(sum, sizeof *at);
  for (int i = 0; at && i < N; i++) *part[i] = at, at += size[i];
  return k->all;
}

static void need_body(const lane_wanted *k, int body)
{
  if (body >= 0) k->body[body] = true;
}

static void need_joint(const jn_system *s, const lane_wanted *k, int edge)
{
  const int body = s->body_of_edge[edge], cut = s->cut_of_edge[edge];
  if (body >= 0) k->joint[body] = true;
  if (body >= 0 && jn_lane_is_rotor(s, body)) k->body[body] = true;  // its carrier turns with it
  if (cut >= 0) need_body(k, s->cut[cut].a), need_body(k, s->cut[cut].b);
}

static void need_wheel(const jn_system *s, const lane_wanted *k, int i, bool steer)
{
  const jn_wheel *w = &s->wheel[i];
  if (steer) need_body(k, w->vehicle);
  if (!jn_lane_has_wheel(s, i))
    need_body(k, w->body), need_body(k, w->carrier), need_body(k, w->reaction);
  k->wheel[i] = k->put_wheel[i] = true;
  if (w->spin >= 0) k->state[w->spin] = true;
  if (w->hold >= 0) k->state[w->hold] = true;
  for (int j = 0; j < w->tyre.nslip; j++) k->state[w->slip + j] = true;
  for (int j = 0; j < 2 && w->comply >= 0; j++) k->state[w->comply + j] = true;
}

static void need_energy(const jn_system *s, const lane_wanted *k)
{
  for (int i = 0; i < s->nwheel; i++)
    if (s->wheel[i].spin >= 0) k->state[s->wheel[i].spin] = true;
}

static void need_subject(const jn_system *s, const lane_wanted *k, const jn_subject *o,
                         unsigned details)
{
  const int i = o->index;
  switch (o->kind) {
    case JN_SUBJECT_JOINT:
      need_joint(s, k, i);
      break;
    case JN_SUBJECT_ELEMENT:
      k->element[i] = k->put_element[i] = true;
      break;
    case JN_SUBJECT_WHEEL:
      need_wheel(s, k, i, details);
      break;
    default:  // what every evaluation has
      break;
  }
}

static jn_status find_needs(jn_rows *r, jn_error *err)
{
  const jn_system *s = r->s;
  lane_wanted k = {.accelerations = r->accelerations};
  bool good = allocate(s, &k);
  for (int i = 0; good && i < r->nlane_pick; i++) {
    const jn_subject *o = &s->subject[r->lane_pick[i].subject];
    need_subject(s, &k, o, r->lane_pick[i].details);
    k.residuals |= o->kind == JN_SUBJECT_SOLVER;
  }
  for (int i = 0; good && i < r->npick; i++) {  // those whose numbers are gathered
    const jn_subject *o = &s->subject[r->pick[i].subject];
    if (o->kind == JN_SUBJECT_ELEMENT) k.element[o->index] = true;
    if (o->kind == JN_SUBJECT_WHEEL) k.wheel[o->index] = true;
  }
  for (int i = 0; good && i < r->nbody_pick; i++) {
    const body_pick *b = &r->body[i];
    if (b->place.group >= 0 && b->parts & JN_BODY_ACCELERATIONS) k.moves[b->place.group] = true;
  }
  if (good && r->energy) need_energy(s, &k);
  good = good && jn_lane_view_create(s, &k, &r->view);
  free(k.all);
  return good ? JN_OK : jn_no_memory(err, JN_NOWHERE);
}

// ---- selections -----------------------------------------------------------------------------------------

static bool is_accel(const char *name)
{
  const char *last = strrchr(name, '.');
  return last && !strcmp(last, ".accel");
}

static void pick_subjects(jn_rows *r, const int *channel)
{
  const jn_system *s = r->s;
  int ncopy = 0;
  for (int i = 0; i < s->nsubject; i++) {
    const jn_subject *o = &s->subject[i];
    pick p = {.subject = i, .first = ncopy};
    for (int k = 0; k < r->n; k++) {
      const int at = channel[k] - o->first;
      if (at < 0 || at >= o->count) continue;
      r->copy[ncopy++] = (copy){at, k};
      p.details |= jn_channel_detail(s, o, channel[k]);
      r->accelerations |= o->kind == JN_SUBJECT_JOINT && is_accel(s->channel[channel[k]].name);
    }
    p.n = ncopy - p.first;
    if (!p.n) continue;
    r->pick[r->npick++] = p;
    r->energy |= o->kind == JN_SUBJECT_SOLVER;
  }
  for (int k = 0; k < r->n && !r->reactions; k++)
    r->reactions = jn_channel_is_reaction(s, channel[k]);
}

// In lanes bodies are asked where they are, each once.
static void add_body(jn_rows *r, int body, const pick *p)
{
  const jn_system *s = r->s;
  const double *own = s->body[body].orientation;
  body_pick *b = &r->body[r->nbody_pick];
  *b = (body_pick){.parts = p ? p->details : 0, .first = p ? p->first : 0, .n = p ? p->n : 0};
  if (!jn_lane_find_body(s, s->lane, body, &b->place)) return;
  b->own = q_make(own[0], v3_load(own + 1));
  b->axes = q_to_m3(b->own);
  b->turned = own[1] != 0.0 || own[2] != 0.0 || own[3] != 0.0;
  r->nbody_pick++;
}

static int by_body(const void *a, const void *b)
{
  return ((const body_pick *)a)->place.body - ((const body_pick *)b)->place.body;
}

// Whose energy is wanted: all in their order, so that the sum does not depend on the selection.
static void add_others(jn_rows *r)
{
  const int n = r->nbody_pick;
  for (int i = r->s->nframe; i < r->s->nbody; i++) {
    bool there = false;
    for (int k = 0; k < n; k++) there |= r->body[k].place.body == i;
    if (!there) add_body(r, i, NULL);
  }
  qsort(r->body, (size_t)r->nbody_pick, sizeof *r->body, by_body);
}

// In lanes most channels are single numbers, which need no more than a copy.
static void split_picks(jn_rows *r, const int *channel)
{
  int ncopy = 0;
  for (int i = 0; i < r->npick; i++) {
    pick p = r->pick[i];
    const jn_subject *o = &r->s->subject[p.subject];
    const copy *from = r->copy + p.first;
    if (o->kind == JN_SUBJECT_BODY) {
      add_body(r, o->index, &p);
      continue;
    }
    const int n = p.n;
    p.first = ncopy, p.details = 0;
    for (int k = 0; k < n; k++) {
      lane_gather *g = &r->gather[r->ngather];
      if (jn_lane_gather_find(r->s, o, channel[from[k].to], g)) {
        g->to = from[k].to;
        r->ngather++;
        continue;
      }
      const int left = channel[from[k].to];
      p.details |= jn_channel_detail(r->s, o, left);
      if (!r->general && jn_channel_is_reaction(r->s, left)) r->general = r->s->channel[left].name;
      r->lane_copy[ncopy++] = from[k];
    }
    p.n = ncopy - p.first;
    if (p.n) r->lane_pick[r->nlane_pick++] = p;
  }
  r->nrun = jn_lane_gather_order(r->gather, r->ngather, r->run);
  if (r->energy) add_others(r);
}

jn_status jn_rows_create(const jn_system *s, const int *channel, int n, jn_rows **out,
                         jn_error *err)
{
  if (out) *out = NULL;
  JN_NEEDS(err, s && out && n >= 0 && (channel || !n),
           "a system, as many channels as are announced, and a place for the rows");
  for (int i = 0; i < n; i++)
    if (channel[i] < 0 || channel[i] >= s->nchannel)
      return jn_fail(err, JN_E_CALL, JN_NOWHERE, NULL, "there is no channel %d, only 0 to %d",
                     channel[i], s->nchannel - 1);
  jn_rows *r = calloc(1, sizeof *r);
  if (!r) return jn_no_memory(err, JN_NOWHERE);
  r->s = s, r->n = n;
  r->pick = jn_pool_alloc(&r->pool, (size_t)s->nsubject, sizeof *r->pick);
  r->copy = jn_pool_alloc(&r->pool, (size_t)n, sizeof *r->copy);
  r->lane_pick = jn_pool_alloc(&r->pool, (size_t)s->nsubject, sizeof *r->pick);
  r->lane_copy = jn_pool_alloc(&r->pool, (size_t)n, sizeof *r->copy);
  r->gather = jn_pool_alloc(&r->pool, (size_t)n, sizeof *r->gather);
  r->run = jn_pool_alloc(&r->pool, (size_t)n, sizeof *r->run);
  r->body = jn_pool_alloc(&r->pool, (size_t)s->nbody, sizeof *r->body);
  jn_status st = r->pool.failed ? jn_no_memory(err, JN_NOWHERE) : JN_OK;
  if (!st) pick_subjects(r, channel);
  if (!st && s->lane) split_picks(r, channel);
  if (!st && s->lane) st = find_needs(r, err);
  if (st)
    jn_rows_free(r);
  else
    *out = r;
  return st;
}

void jn_rows_free(jn_rows *r)
{
  if (!r) return;
  jn_lane_view_free(&r->view);
  jn_pool_free(&r->pool);
  free(r);
}

const char *jn_rows_general(const jn_rows *r)
{
  return r && r->s->lane ? r->general : NULL;
}

// ---- rows -----------------------------------------------------------------------------------------------

// R = Rz(yaw) Ry(pitch) Rx(roll), all three at once.
static v3 angles_of(const jn_system *s, m3 r)
{
  const double sine[LANES] = {r.z.y, -r.z.x, r.y.x}, along = r.z.y * r.z.y + r.z.z * r.z.z;
  const double cosine[LANES] = {r.z.z, sqrt(along), r.x.x, 1.0};
  double angle[LANES];
  s->lane->engine->angles(sine, cosine, angle);
  return v3_load(angle);
}

// From lanes; returns the energy of all bodies, if that is wanted.
static jn_energy fill_bodies(const jn_rows *r, jn_data *d, double *row)
{
  const jn_system *s = d->system;
  double value[JN_SUBJECT_CHANNELS];
  jn_energy energy = {0.0, 0.0};
  for (const body_pick *b = r->body; b < r->body + r->nbody_pick; b++) {
    lane_body_motion m;
    jn_body_row k;
    jn_lane_body_motion(s, d, &b->place, b->parts & JN_BODY_ACCELERATIONS, &m);
    const v3 about = m3_mul_v3(m.r, s->body[b->place.body].cg), around = v3_cross(m.w, about);
    k.p = v3_add(m.p, about);
    k.v = v3_add(m.v, around);
    k.w = m.w;
    if (r->energy) {
      const jn_energy own = jn_body_energy(s, b->place.body, &k, &m.r);
      energy.kinetic += own.kinetic, energy.potential += own.potential;
    }
    if (!b->n) continue;
    if (b->parts & JN_BODY_ACCELERATIONS) {
      k.a = v3_add(s->gravity, v3_add(m.a, v3_cross_add(m.dw, about, v3_cross(m.w, around))));
      k.dw = m.dw;
    }
    if (b->parts & JN_BODY_OWN_AXES) {
      k.speed = m3_tmul_v3(m.r, k.v);
      k.rate = m3_tmul_v3(m.r, k.w);
    }
    if (b->parts & JN_BODY_QUATERNION) {
      k.q = q_from_m3(m.r);
      if (b->turned) k.q = q_mul(k.q, b->own);
      if (k.q.w < 0.0) k.q = q_scale(-1.0, k.q);
    }
    if (b->parts & JN_BODY_ANGLES) k.angles = angles_of(s, b->turned ? m3_mul(m.r, b->axes) : m.r);
    jn_body_values(&k, b->parts, value);
    const copy *c = r->copy + b->first;
    for (int i = 0; i < b->n; i++) row[c[i].to] = value[c[i].from];
  }
  return energy;
}

// bodies: their energy, NULL: from the arrays of the general path
static void fill(const pick *p, int n, const copy *copies, jn_data *d, const jn_energy *bodies,
                 double *row)
{
  const jn_system *s = d->system;
  double value[JN_SUBJECT_CHANNELS];
  for (int i = 0; i < n; i++, p++) {
    const copy *c = copies + p->first;
    const jn_subject *o = &s->subject[p->subject];
    if (bodies && o->kind == JN_SUBJECT_SOLVER)
      jn_solver_fill(s, d, *bodies, value);
    else
      jn_subject_fill(s, d, o, p->details, value);
    for (int k = 0; k < p->n; k++) row[c[k].to] = value[c[k].from];
  }
}

static void note_residuals(jn_data *d)
{
  d->position_norm = fmax(d->position_norm, d->now_position_norm);
  d->velocity_norm = fmax(d->velocity_norm, d->now_velocity_norm);
}

bool jn_rows_are_general(const jn_rows *r, const jn_data *d)
{
  return r->general && jn_is_fast(d);
}

// By the general path, though lanes integrate. What a run reports of its energy and residuals is of every such row.
static jn_step_flags fill_general(const jn_rows *r, jn_data *d, bool compare, double *row)
{
  const jn_system *s = d->system;
  double unused[JN_SUBJECT_CHANNELS];
  const jn_step_flags flags = jn_look_begin(s, d);
  if (!flags) {
    jn_row_prepare(s, d);
    note_residuals(d);
    fill(r->pick, r->npick, r->copy, d, NULL, row);
    if (!r->energy) jn_subject_fill(s, d, &s->subject[s->nsubject - 1], 0, unused);
  }
  jn_look_end(d);
  if (!flags && compare) jn_paths_compare(s, d, jn_time(d));
  return flags;
}

static jn_step_flags fill_row(const jn_rows *r, jn_data *d, bool compare, double *row)
{
  const jn_system *s = d->system;  // that of r, or another of the same plan
  if (d->audit != JN_AUDIT_ALL && (r->general || (r->reactions && !jn_is_fast(d))))
    jn_data_audit(d, JN_AUDIT_ALL);
  if (r->energy && d->audit == JN_AUDIT_NONE) jn_data_audit(d, JN_AUDIT_ENERGY);
  if (jn_rows_are_general(r, d)) return fill_general(r, d, compare, row);
  const jn_step_flags flags = jn_step_prepare(s, d);
  if (flags) return flags;
  if (!jn_is_fast(d)) {
    jn_row_prepare(s, d);
    if (r->energy) note_residuals(d);
    fill(r->pick, r->npick, r->copy, d, NULL, row);
    return JN_STEP_OK;
  }
  d->reactions_done = false;
  jn_lane_view_fill(&r->view, s, d);
  jn_lane_gather(d, r->gather, r->run, r->nrun, row);
  const jn_energy bodies = fill_bodies(r, d, row);
  if (r->energy) note_residuals(d);
  fill(r->lane_pick, r->nlane_pick, r->lane_copy, d, &bodies, row);
  return JN_STEP_OK;
}

// Of another plan, it would be read and written beyond the ends of arrays.
jn_step_flags jn_rows_fill(const jn_rows *r, jn_data *d, double *row)
{
  JN_ASSERT(r && row && jn_is_of(d, r->s));
  if (r->s != d->system && r->s->plan_mark != d->system->plan_mark) return JN_STEP_CALL;
  return fill_row(r, d, false, row);
}

jn_step_flags jn_rows_compare(const jn_rows *r, jn_data *d, double *row)
{
  return fill_row(r, d, true, row);
}

// ---- held signals ---------------------------------------------------------------------------------------

enum { HELD = 64 };  // more are sampled by the general path

jn_status jn_held_rows_create(jn_system *s, jn_error *err)
{
  int channel[HELD], n = 0;
  if (!s->lane || !s->nheld || s->nheld > HELD || !s->lane->knows_held) return JN_OK;
  for (int i = 0; i < s->nheld; i++)
    if (s->held[i].channel >= 0) channel[n++] = s->held[i].channel;
  const jn_status st = jn_rows_create(s, channel, n, &s->held_rows, err);
  if (!st && (s->held_rows->general || s->held_rows->energy)) {  // which the general path alone has
    jn_rows_free(s->held_rows);
    s->held_rows = NULL;
  }
  return st;
}

jn_step_flags jn_held_rows_fill(const jn_system *s, jn_data *d)
{
  double value[HELD];
  const jn_step_flags flags = fill_row(s->held_rows, d, false, value);
  for (int i = 0, n = 0; i < s->nheld && !flags; i++) {
    const jn_held *h = &s->held[i];
    d->in[h->signal][0] = h->channel >= 0 ? value[n++] : d->in[s->sensor[h->sensor].signal][0];
  }
  return flags;
}
