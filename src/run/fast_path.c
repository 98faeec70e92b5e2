// fast_path.c: the fast path as a formulation: entering and leaving it, and what it does to inputs and states that no group has.
#include <math.h>
#include <string.h>

#include "base/invariant.h"
#include "run/run_internal.h"
#include "solve/fast/fast.h"
#include "solve/path.h"

static jn_own own(const jn_system *s, const jn_data *d)
{
  const jn_lane *l = s->lane;
  const jn_lane_data *k = d->lane;
  return (jn_own){l->nq, l->nv, l->nx, l->nexp, k->y, k->dy, k->rate, k->integ};
}

// ---- one evaluation -------------------------------------------------------------------------------

// States that no group has: those of components, of elements that are computed one by one, and work.
static void show_states(const jn_system *s, jn_data *d, const double *y)
{
  const jn_lane *l = s->lane;
  for (int i = 0; i < l->nplain; i++) d->x[l->plain[i]] = y[l->core_x + i];
  for (int i = 0; i < l->ndeclared; i++) d->x[l->declared[i]] = y[l->core_e + i];
}

static void derive(const jn_system *s, jn_data *d, double t, const double *y, double *dy,
                   double *rate)
{
  const jn_lane *l = s->lane;
  show_states(s, d, y);
  jn_inputs_at(s, d, t);
  jn_lane_evaluate(s, d, y, dy, rate);
  double *dx = d->dy + s->nq + s->nv;
  jn_components_states(s, d, dx, d->rate);
  for (int i = 0; i < l->nwheel; i++) jn_wheel_states(s, d, l->wheel[i], dx, d->rate);
  dx[s->work_state] = d->power;
  for (int i = 0; i < l->nplain; i++) dy[l->core_x + i] = dx[l->plain[i]];
  for (int i = 0; i < l->ndeclared; i++) {
    dy[l->core_e + i] = dx[l->declared[i]];
    rate[i] = d->rate[l->declared[i] - (s->nx - s->nexp)];
  }
}

static bool is_bounded(const jn_system *s, const double *dy)
{
  return s->lane->core_engine->is_bounded(dy, s->lane->nq, s->lane->nv, jn_lane_size(s->lane));
}

// The first stage keeps the state of the step's beginning: an integrator writes y at its end.
static void evaluate(const jn_system *s, jn_data *d, double t, double *y, double *dy, double *rate,
                     bool begins)
{
  jn_lane_data *k = d->lane;
  if (begins) {
    derive(s, d, t, y, dy, rate);
    return;
  }
  if (!k->staged) {
    memcpy(k->before, k->y, (size_t)jn_lane_size(s->lane) * sizeof *k->y);
    k->staged = true;
  }
  derive(s, d, t, y, dy, rate);
  k->ill_conditioned |=
      !(s->lane->core_engine->health(s, d).pivots < LANE_ILL_CONDITIONED) || !is_bounded(s, dy);
}

static jn_health health(const jn_system *s, const jn_data *d)
{
  return s->lane->core_engine->health(s, d);
}

// ---- entering and leaving ---------------------------------------------------------------------------

static void take(const jn_system *s, jn_data *d)
{
  JN_ASSERT(d->owner != JN_OWNER_FAST);
  const double t = jn_time(d);
  jn_segment_begin(s, d, t);  // wheel bodies have the velocity of what prescribed motions carry
  jn_inputs_at(s, d, t);
  jn_lane_enter(s, d);
  jn_integ_restart(d->lane->integ);
  d->lanes_fresh = false;
  d->owner = JN_OWNER_BOTH;
}

static void give(const jn_system *s, jn_data *d)
{
  jn_lane_leave(s, d);
  d->owner = JN_OWNER_BOTH;
}

// Loops whose pivots have fallen to a tenth want another choice of coordinates: the general path makes one.
static void leave(const jn_system *s, jn_data *d)
{
  jn_lane_leave(s, d);
  d->left_lanes = d->step + 1;
  d->advances = JN_ADVANCES_GENERAL;
  d->events++;
  jn_state_set(d);
}

// Now and then a run that has left the lanes asks whether their coordinates serve again. Its state is on the constraints.
static bool come_back(const jn_system *s, jn_data *d)
{
  enum { STEPS = 16 };
  const int64_t since = d->step + 1 - d->left_lanes;
  if (!d->left_lanes || since == 0 || since % STEPS) return false;
  take(s, d);
  if (!(jn_lane_pivots(s, d) < LANE_SERVES)) {
    d->owner = JN_OWNER_COMMON;
    return false;
  }
  d->advances = JN_ADVANCES_FAST;
  d->stage = JN_STAGE_CONSISTENT;
  d->left_lanes = 0;
  d->events++;
  return true;
}

bool jn_path_changes(const jn_system *s, jn_data *d)
{
  if (!jn_is_fast(d)) return come_back(s, d);
  leave(s, d);
  return true;
}

void jn_fast_return(const jn_system *s, jn_data *d, const double *y)
{
  memcpy(d->lane->y, y, (size_t)jn_lane_size(s->lane) * sizeof *y);
  show_states(s, d, d->lane->y);
  jn_segment_begin(s, d, jn_time(d));
  jn_inputs_at(s, d, jn_time(d));
}

// Pivots fell within the step, where stages have been evaluated: back to its beginning, from where the general path goes on.
static bool take_back(const jn_system *s, jn_data *d)
{
  if (!d->lane->ill_conditioned) return false;
  jn_fast_return(s, d, d->lane->before);
  leave(s, d);
  return true;
}

// Out with the velocities before the jump, the blow, and in again.
static void cross(const jn_system *s, jn_data *d, double t)
{
  if (s->ndrive) show_states(s, d, d->lane->y);  // nothing else looks at them there
  if (!jn_segment_enter(s, d, t)) return;
  jn_swap_drives(d);
  jn_lane_leave(s, d);
  jn_swap_drives(d);
  jn_strike(s, d);
  jn_lane_enter(s, d);
}

// ---- the formulation ------------------------------------------------------------------------------

// With new velocities, of prescribed motions too: dependent coordinates and carriers of wheel bodies move with them. What stands
// here of these is put right when the step closes.
static void qdot(const jn_system *s, jn_data *d, const double *y, double *dq)
{
  for (int i = 0; i < s->ndrive; i++)
    d->drive[i].rate = fma(s->binding.opts.step, d->drive[i].accel, d->drive[i].rate);
  jn_lane_qdot(s, d, y, dq);
}

static jn_step_flags judge(const jn_system *s, jn_data *d)
{
  jn_lane_data *k = d->lane;
  const jn_health now = health(s, d);
  k->staged = k->ill_conditioned = false;
  k->pivots = now.pivots;
  const bool bounded = is_bounded(s, k->dy);  // y is not finite, if not y'
  d->lanes_fresh = bounded && now.open <= JN_OPEN;
  if (d->lanes_fresh) return JN_STEP_OK;
  give(s, d);  // the general path finds who it was
  const jn_step_flags flags = jn_evaluate(s, d);
  if (flags || bounded) return flags ? flags : JN_STEP_OPEN;
  d->failing_body = jn_fastest_body(s, d);
  return jn_are_finite(jn_lane_size(s->lane), k->dy) ? JN_STEP_DIVERGED : JN_STEP_NOT_FINITE;
}

static void close(const jn_system *s, jn_data *d, double t)
{
  if (s->ndrive) {  // loops close where prescribed motions have gone
    show_states(s, d, d->lane->y);
    jn_inputs_at(s, d, t);
  }
  jn_lane_close(s, d);
}

const jn_path_table jn_fast_path = {.word = "fast",
                                    .owner = JN_OWNER_FAST,
                                    .own = own,
                                    .take = take,
                                    .give = give,
                                    .cross = cross,
                                    .evaluate = evaluate,
                                    .qdot = qdot,
                                    .judge = judge,
                                    .health = health,
                                    .take_back = take_back,
                                    .close = close};

// ---- rows -----------------------------------------------------------------------------------------

void jn_paths_compare(const jn_system *s, jn_data *d, double t)
{
  jn_lane_data *own_data = d->lane;
  if (d->owner == JN_OWNER_COMMON) take(s, d);
  memcpy(own_data->general, d->dy + s->nq + s->nv, (size_t)s->nx * sizeof *d->dy);
  derive(s, d, t, own_data->y, own_data->dy, own_data->rate);
  const lane_difference k = jn_lane_compare(s, d);
  if (!(k.size > d->path_difference || isnan(k.size))) return;
  d->path_difference = k.size;
  d->path_time = t;
  d->path_body = k.body;
}
