// data.c: one run in one block of memory.
#include <stdlib.h>
#include <string.h>

#include "run/run_internal.h"
#include "solve/fast/fast.h"
#include "solve/general/dense_core.h"
#include "solve/integrate/integrate.h"

#define TAKE(pointer, count) ((pointer) = jn_arena_take(a, (size_t)(count), sizeof *(pointer)))

static jn_method method_of(jn_integrator i)
{
  switch (i) {
    case JN_INTEGRATOR_EULER:
      return JN_METHOD_EULER;
    case JN_INTEGRATOR_SEMI_EULER:
      return JN_METHOD_SEMI_EULER;
    case JN_INTEGRATOR_AB2:
      return JN_METHOD_AB2;
    case JN_INTEGRATOR_AB3:
      return JN_METHOD_AB3;
    case JN_INTEGRATOR_ABM4:
      return JN_METHOD_ABM4;
    case JN_INTEGRATOR_RK2:
      return JN_METHOD_RK2;
    default:
      return JN_METHOD_RK4;
  }
}

static void place_block(const jn_block *k, jn_block_data *b, jn_arena *a)
{
  jn_block_data none, *t = b ? b : &none;
  const size_t n = (size_t)k->n, m = (size_t)k->m, nc = (size_t)k->nc, nbody = (size_t)k->nbody;
  const size_t nv = n - m, nz = nv + nc, nb = nbody + (size_t)k->ncore;
  TAKE(t->j, m * (n + nc));
  TAKE(t->pick, n);
  TAKE(t->lu, m * m);
  TAKE(t->pivot, m);
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
  TAKE(t->first, n);
  TAKE(t->chosen_pivot, n);
}

static void place_core(const jn_system *s, jn_core_data *core, jn_arena *a)
{
  jn_core_data none, *c = core ? core : &none;
  const size_t n = (size_t)s->ncore, m = (size_t)s->ncore_row;
  const bool partition = s->core_partition;
  const size_t few = partition ? 0 : 1, split = partition ? 1 : 0;
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
  TAKE(c->square, m);
  TAKE(c->unit, m);
  TAKE(c->all, few * kept * n);
  c->qr_work = jn_arena_take(a, few * jn_qr_size((int)kept, (int)n), 1);
  const size_t redundant = kept < m;  // then reactions are shortened
  TAKE(c->every, redundant * m * n);
  c->every_work = jn_arena_take(a, redundant * jn_qr_size((int)m, (int)n), 1);
  TAKE(c->full_mass, split * n * n);
  TAKE(c->full_rows, split * m * n);
  TAKE(c->rows, m);
  TAKE(c->cols, n);
  TAKE(c->lu, split * m * n);
  TAKE(c->first, n + m);
  TAKE(c->t, split * n * n);
  TAKE(c->reduced, split * n * n);
  TAKE(c->mr, split * n * n);
  TAKE(c->scratch, 4 * (n + m) + 8);
  TAKE(c->trial, m * n);
  TAKE(c->pick, m);
  TAKE(c->pick_before, m);
  TAKE(c->keep, m);
}

static void place(const jn_system *s, jn_data *d, jn_arena *a)
{
  TAKE(d->y, s->nq + s->nv + s->nx);
  TAKE(d->turn, s->nq);
  TAKE(d->in, s->nsignal);
  TAKE(d->live, s->nsignal);
  TAKE(d->live_from, s->ninput);
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
  TAKE(d->cut_angle, s->ncut);
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
  TAKE(d->ode, 1);
  jn_block_data *block = TAKE(d->block, s->nblock);
  for (int i = 0; i < s->nblock; i++) place_block(&s->block[i], block ? &block[i] : NULL, a);
  jn_core_data *core = TAKE(d->core, 1);
  place_core(s, core, a);
  jn_integ none = {0}, *integ = TAKE(d->integ, 1);
  jn_integ_place(integ ? integ : &none, method_of(s->opts.integrator), s->nq, s->nv, s->nx, s->nexp,
                 a);
  if (!s->lane) return;
  jn_lane_data *lane = TAKE(d->lane, 1);
  jn_lane_place(s, lane, a);
  jn_integ *own = jn_arena_take(a, 1, sizeof *own);
  if (lane) lane->integ = own;
  jn_integ_place(own ? own : &none, method_of(s->opts.integrator), s->lane->nq, s->lane->nv,
                 s->lane->nx, s->lane->nexp, a);
}

jn_data *jn_data_place(const jn_system *s)
{
  jn_data measure = {0};
  jn_arena a = {0};
  place(s, &measure, &a);
  const size_t size = jn_arena_size(&a),
               head = (sizeof(jn_data) + JN_ARENA_ALIGN - 1) & ~(size_t)(JN_ARENA_ALIGN - 1);
  if (size > SIZE_MAX - head) return NULL;
  unsigned char *block = aligned_alloc(JN_ARENA_ALIGN, head + size);
  if (!block) return NULL;
  memset(block, 0, head + size);
  jn_data *d = (jn_data *)block;
  a = (jn_arena){.base = block + head, .cap = size};
  place(s, d, &a);
  d->system = s;
  d->size = head + size;
  d->q = d->y, d->v = d->y + s->nq, d->x = d->v + s->nv;
  d->culprit = d->path_body = d->faulty = -1;
  d->audit = JN_AUDIT_ALL;
  jn_integ_restart(d->integ);
  if (s->lane) jn_integ_restart(d->lane->integ);
  return d;
}
