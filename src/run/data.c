// data.c: one run in one block of memory.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/invariant.h"
#include "run/run_internal.h"
#include "solve/fast/fast.h"
#include "solve/general/dense_core.h"
#include "solve/integrate/integrate.h"

#define TAKE(pointer, count) ((pointer) = jn_arena_take(a, (size_t)(count), sizeof *(pointer)))
#define KEEP(pointer, count) ((pointer) = jn_arena_take(last, (size_t)(count), sizeof *(pointer)))

// `last`: what lasts, `a`: the rest.
static void place_block(const jn_block *k, jn_block_data *b, jn_arena *last, jn_arena *a)
{
  jn_block_data none, *t = b ? b : &none;
  const size_t n = (size_t)k->n, m = (size_t)k->m, nc = (size_t)k->nc, nbody = (size_t)k->nbody;
  const size_t nv = n - m, nz = nv + nc, nb = nbody + (size_t)k->ncore;
  TAKE(t->j, m * (n + nc));
  KEEP(t->chosen, 1);
  KEEP(t->pick, n);
  TAKE(t->lu, m * m);
  KEEP(t->pivot, m);
  TAKE(t->t, m * nz);
  TAKE(t->k, nz * nb);
  TAKE(t->h, nz * nbody);
  TAKE(t->d, nz * nz);
  TAKE(t->dc, nv * nc);
  TAKE(t->f, nz);
  TAKE(t->fv, nv);
  TAKE(t->x0, n);
  TAKE(t->y, nv);
  TAKE(t->beta, nb);
  TAKE(t->rhs, n + m + nz + nc);
  TAKE(t->x_load, n);
  TAKE(t->trial, m * n);
  KEEP(t->first, n);
  TAKE(t->chosen_pivot, n);
}

static void place_core(const jn_system *s, jn_core_data *core, jn_arena *last, jn_arena *a)
{
  jn_core_data none, *c = core ? core : &none;
  const jn_core_solver *solver = s->formulation->core;
  const size_t n = (size_t)s->ncore, m = (size_t)s->ncore_row;
  const size_t few = s->core_partition ? 0 : 1;
  const size_t split = s->core_partition || (s->lane && s->lane->rest.part.partition) ? 1 : 0;
  KEEP(c->choice, 1);
  KEEP(c->split, 1);
  TAKE(c->own, solver->doubles ? solver->doubles(s) : 0);
  TAKE(c->composite, s->nbody);
  TAKE(c->mass, s->core_first[n]);
  TAKE(c->jacobian, s->core_row_first[m]);
  TAKE(c->rhs, n);
  TAKE(c->gamma, m);
  TAKE(c->x, n);
  TAKE(c->lambda, m);
  TAKE(c->beta, s->nbody);
  TAKE(c->sum, s->nbody);
  TAKE(c->chol, few * (size_t)s->core_first[n]);
  const size_t kept = (size_t)s->core_rank;
  TAKE(c->w, few * (size_t)s->core_row_first[m]);
  TAKE(c->spread, few * n);
  TAKE(c->schur, few * kept * (kept + 1) / 2);
  KEEP(c->square, m);
  TAKE(c->unit, m);
  TAKE(c->all, few * kept * n);
  c->qr_work = jn_arena_take(a, few * jn_qr_size((int)kept, (int)n), 1);
  const size_t redundant = kept < m;  // then reactions are shortened
  TAKE(c->every, redundant * m * n);
  c->every_work = jn_arena_take(a, redundant * jn_qr_size((int)m, (int)n), 1);
  TAKE(c->full_mass, split * n * n);
  TAKE(c->full_rows, split * m * n);
  TAKE(c->trial_rows, m);
  TAKE(c->trial_cols, n);
  TAKE(c->trial_pivot, n + m);
  KEEP(c->rows, m);
  KEEP(c->cols, n);
  TAKE(c->lu, split * m * n);
  KEEP(c->first, n + m);
  TAKE(c->t, split * n * n);
  TAKE(c->reduced, split * n * n);
  TAKE(c->mr, split * n * n);
  TAKE(c->scratch, 4 * (n + m) + 8);
  TAKE(c->trial, m * n);
  KEEP(c->pick, m);
  TAKE(c->pick_before, m);
  TAKE(c->keep, m);
}

static void place(const jn_system *s, jn_data *d, jn_arena *last, jn_arena *a)
{
  KEEP(d->y, s->nq + s->nv + s->nx);
  KEEP(d->turn, s->nq);
  KEEP(d->in, s->nsignal);
  KEEP(d->live, s->nsignal);
  KEEP(d->live_from, s->ninput);
  TAKE(d->drive, s->ndrive);
  TAKE(d->drive_before, s->ndrive);
  TAKE(d->frame, s->nframe);
  TAKE(d->frame_spare, s->nframe);
  TAKE(d->station, s->nstation);
  TAKE(d->pose, s->nbody);
  TAKE(d->s, s->nv + 6);
  TAKE(d->station_spare, s->nstation);
  TAKE(d->s_spare, s->nv + 6);
  TAKE(d->s_drive, s->ndrive);
  TAKE(d->inertia, s->nbody);
  TAKE(d->residual, s->nrow);
  TAKE(d->row, s->nrow);
  TAKE(d->twist, s->nbody);
  TAKE(d->bias, s->nbody);
  TAKE(d->residual_rate, s->nrow);
  TAKE(d->force, s->nbody);
  TAKE(d->tau, s->nv);
  TAKE(d->element, s->noutput);
  TAKE(d->wheel, s->nwheel);
  KEEP(d->cut_angle, s->ncut);
  KEEP(d->anchor, s->nbody);
  TAKE(d->push, s->nbody);
  TAKE(d->carry, s->nbody);
  TAKE(d->load, s->nv);
  TAKE(d->gamma, s->nrow);
  TAKE(d->ground, s->nframe);
  TAKE(d->accel, s->nbody);
  TAKE(d->qdd, s->nv);
  TAKE(d->lambda, s->nrow);
  TAKE(d->reaction, s->nbody);
  TAKE(d->articulated, s->nbody);
  TAKE(d->u, s->nv);
  TAKE(d->d, 6 * s->nv);
  TAKE(d->e, s->nv);
  TAKE(d->change, s->nrow);
  TAKE(d->dy, s->nq + s->nv + s->nx);
  TAKE(d->rate, s->nexp);
  TAKE(d->channel, s->nchannel);
  const size_t choices = last->used;
  jn_block_data *block = TAKE(d->block, s->nblock);
  for (int i = 0; i < s->nblock; i++) place_block(&s->block[i], block ? &block[i] : NULL, last, a);
  jn_core_data *core = TAKE(d->core, 1);
  place_core(s, core, last, a);
  d->nchoice = last->used - choices;
  d->choice = last->base ? last->base + choices : NULL;
  TAKE(d->lane_choice, d->nchoice);
  jn_integ none = {0}, *integ = TAKE(d->integ, 1);
  jn_integ_place(integ ? integ : &none, jn_methods, s->binding.opts.integrator, s->nq, s->nv, s->nx,
                 s->nexp, last, a);
  if (s->lane) {
    jn_lane_data *lane = TAKE(d->lane, 1);
    jn_lane_place(s, lane, last, a);
    jn_lane_rest_place(s, d, a);
    jn_integ *own = jn_arena_take(a, 1, sizeof *own);
    if (lane) lane->integ = own;
    jn_integ_place(own ? own : &none, s->lane->core_engine->methods, s->binding.opts.integrator,
                   s->lane->nq, s->lane->nv, s->lane->nx, s->lane->nexp, last, a);
  }
  TAKE(d->kept, sizeof *d - offsetof(jn_data, step) + jn_arena_size(last));
}

_Static_assert(sizeof(jn_data) % JN_ARENA_ALIGN == 0, "arrays that last follow the struct");

jn_data *jn_data_place(const jn_system *s)
{
  jn_data measure = {0};
  jn_arena last = {0}, a = {0};
  place(s, &measure, &last, &a);
  const size_t kept = jn_arena_size(&last), work = jn_arena_size(&a);
  size_t size;
  if (__builtin_add_overflow(sizeof(jn_data), kept, &size) ||
      __builtin_add_overflow(size, work, &size))
    return NULL;
  unsigned char *block = aligned_alloc(JN_ARENA_ALIGN, size);
  if (!block) return NULL;
  memset(block, 0, size);
  jn_data *d = (jn_data *)block;
  last = (jn_arena){.base = block + sizeof *d, .cap = kept};
  a = (jn_arena){.base = block + sizeof *d + kept, .cap = work};
  place(s, d, &last, &a);
  JN_ASSERT(last.used <= last.cap && a.used <= a.cap);
  d->system = s;
  d->size = size;
  d->lasting = sizeof *d - offsetof(jn_data, step) + kept;
  d->q = d->y, d->v = d->y + s->nq, d->x = d->v + s->nv;
  jn_data_begin(d);
  return d;
}

// All that lasts is zero here.
void jn_data_begin(jn_data *d)
{
  for (int i = 0; i < d->system->nbody; i++) d->anchor[i] = d->system->body[i].anchor;
  d->from = INFINITY;
  d->failing_body = d->path_body = -1;
  d->faulty = d->faulty_output = d->faulty_state = d->faulty_plugin = -1;
  d->audit = JN_AUDIT_ALL;
  jn_integ_restart(d->integ);
  if (d->system->lane) jn_integ_restart(d->lane->integ);
}

static bool is_within(const jn_data *d, const void *array, bool lasts)
{
  const unsigned char *at = array, *block = (const unsigned char *)d;
  const unsigned char *work = block + offsetof(jn_data, step) + d->lasting;
  return lasts ? at >= block + sizeof *d && at <= work : at >= work && at <= block + d->size;
}

bool jn_data_is_whole(const jn_data *d)
{
  const jn_system *s = d->system;
  bool good = d->q == d->y && d->v == d->y + s->nq && d->x == d->v + s->nv;
  good &= is_within(d, d->y, true) && is_within(d, d->in, true) && is_within(d, d->live, true);
  good &= is_within(d, d->integ->past, true) && is_within(d, d->core->choice, true);
  good &= is_within(d, d->dy, false) && is_within(d, d->channel, false);
  good &=
      is_within(d, d->s, false) && is_within(d, d->drive, false) && is_within(d, d->frame, false);
  if (s->lane) good &= is_within(d, d->lane->y, true) && is_within(d, d->lane->dy, false);
  return good && (s->lane || (!jn_is_fast(d) && d->owner == JN_OWNER_COMMON));
}
