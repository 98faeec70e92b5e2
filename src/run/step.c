// step.c: one evaluation and one step. Each line of jn_evaluate_stage() reads only what stands above it.
#include <math.h>
#include <string.h>

#include "base/invariant.h"
#include "components/signal.h"
#include "run/run_internal.h"
#include "solve/fast/fast.h"
#include "solve/path.h"

// ---- inputs ---------------------------------------------------------------------------------------

static const double CLOSE = 1e-9;  // of a step: so near to t a breakpoint counts as being at t

static bool is_in_segment(const jn_system *s, const jn_data *d, double t)
{
  return d->from <= t && t + CLOSE * s->binding.opts.step < d->limit;
}

void jn_segment_begin(const jn_system *s, jn_data *d, double t)
{
  d->still = false;
  if (is_in_segment(s, d, t)) return;
  const double close = CLOSE * s->binding.opts.step;
  int low = 0, high = s->binding.nbreakpoint;  // first breakpoint behind t
  while (low < high) {
    int mid = (low + high) / 2;
    if (s->binding.breakpoint[mid] > t + close)
      high = mid;
    else
      low = mid + 1;
  }
  d->from = low > 0 ? s->binding.breakpoint[low - 1] : -INFINITY;
  d->limit = low < s->binding.nbreakpoint ? s->binding.breakpoint[low] : INFINITY;
  // Between them by more than rounding: a road that moves under a wheel is where it is by a product of this time.
  const double margin = close + 1e-15 * fabs(t);
  d->from_in = d->from + margin;
  d->last_before = d->limit - margin;
}

void jn_segment_restart(const jn_system *s, jn_data *d)
{
  if (d->from == INFINITY) return;
  const double close = CLOSE * s->binding.opts.step;
  int k = 0;
  while (k < s->binding.nbreakpoint && s->binding.breakpoint[k] <= d->from + close) k++;
  const double limit = k < s->binding.nbreakpoint ? s->binding.breakpoint[k] : INFINITY;
  if (limit == d->limit) return;
  if (limit <= jn_time(d) + close && d->stage == JN_STAGE_EVALUATED)
    d->stage = JN_STAGE_CONSISTENT;  // it was evaluated before the breakpoint
  d->limit = limit;
  d->last_before = limit - (close + 1e-15 * (isfinite(d->from) ? fabs(d->from) : 0.0));
}

// A live input goes on at its rate until it is set again.
static void live_inputs(const jn_system *s, jn_data *d, double t)
{
  for (int i = 0; i < s->ninput; i++)
    if (d->live[i]) d->in[i][0] = r_fma(d->in[i][1], t - d->live_from[i][0], d->live_from[i][1]);
}

void jn_inputs_at(const jn_system *s, jn_data *d, double t)
{
  d->t = t;
  d->t_in = t < d->from_in ? d->from_in : t < d->last_before ? t : d->last_before;
  for (int i = 0; i < s->binding.ntimed; i++) {
    const int k = s->binding.timed[i].signal;
    if (d->nlive && d->live[k]) continue;
    jn_signal_value v = jn_signal_at(s->binding.time_table + s->binding.timed[i].table, d->t_in);
    d->in[k][0] = v.value, d->in[k][1] = v.rate, d->in[k][2] = v.accel;
  }
  if (d->nlive) live_inputs(s, d, t);
  jn_components_early(s, d);
  for (int i = 0; i < s->ndrive; i++) {
    const double *in = d->in[s->drive[i].signal];
    d->drive[i] = (jn_drive_state){in[0], in[1], in[2]};
  }
}

// ---- one evaluation -------------------------------------------------------------------------------

static void use_state(const jn_system *s, jn_data *d, double *y)
{
  d->q = y, d->v = y + s->nq, d->x = d->v + s->nv;
}

// Add a correction of velocities; a floating base's is in frame axes.
static void add_velocity_correction(const jn_system *s, const jn_data *d, double *v)
{
  for (int i = s->nframe; i < s->nbody; i++) {
    const jn_tree_joint *j = &s->joint[i];
    if (j->kind != JN_TREE_BASE) {
      for (int k = 0; k < j->nv; k++) v[j->v + k] += d->qdd[j->v + k];
      continue;
    }
    const m3 r = d->frame[s->body[i].frame].r;
    v3 l = m3_mul_v3(r, v3_load(&d->qdd[j->v])), w = m3_mul_v3(r, v3_load(&d->qdd[j->v + 3]));
    v3_store(&v[j->v], v3_add(v3_load(&v[j->v]), l));
    v3_store(&v[j->v + 3], v3_add(v3_load(&v[j->v + 3]), w));
  }
}

static void project_velocities(const jn_system *s, jn_data *d)
{
  for (int r = 0; r < s->nrow; r++) d->change[r] = -d->residual_rate[r];
  jn_general_correction(s, d, d->change);
  s->formulation->solve(s, d);
  add_velocity_correction(s, d, d->v);
  s->formulation->velocities(s, d);
}

static void baumgarte_terms(const jn_system *s, jn_data *d)  // [Bau72]
{
  const double a = s->binding.opts.baumgarte;
  for (int r = 0; r < s->nrow; r++)
    d->gamma[r] -= r_fma(2.0 * a, d->residual_rate[r], a * a * d->residual[r]);
}

static void rates(const jn_system *s, jn_data *d, double *dy, double *rate)
{
  double *dv = dy + s->nq, *dx = dv + s->nv;
  jn_general_qdot(s, d->q, d->v, dy);
  jn_part_vdot(s, d, &s->whole, dv);
  jn_components_states(s, d, dx, rate);
  jn_wheels_states(s, d, dx, rate);
  if (d->audit && s->ndrive) {
    if (!d->reactions_done) s->formulation->reactions(s, d);
    d->reactions_done = true;
    d->power += jn_part_drive_power(s, d, &s->whole);
  }
  dx[s->work_state] = d->power;
}

void jn_evaluate_stage(const jn_system *s, jn_data *d, double t, const double *y, double *dy,
                       double *rate, bool begins)
{
  const jn_formulation_table *f = s->formulation;
  use_state(s, d, (double *)y);
  const bool closed = s->binding.opts.stabilize != JN_STABILIZE_NONE &&
                      s->binding.opts.stabilize != JN_STABILIZE_BAUMGARTE;
  jn_inputs_at(s, d, t);  // time                 -> inputs, prescribed motions
  f->positions(s, d);     // q                    -> poses, joint axes, constraint rows
  f->factor(s, d);        // poses                -> factors
  f->velocities(s, d);    // v                    -> twists
  if (begins && s->nrow && (d->closing || (closed && !jn_general_is_ill_conditioned(s, d))))
    project_velocities(s, d);
  f->biases(s, d);  // twists               -> what velocities bring along
  if (s->binding.opts.stabilize == JN_STABILIZE_BAUMGARTE) baumgarte_terms(s, d);
  jn_components_act(s, d);  // poses, twists, inputs -> sensors, outputs
  jn_forces_apply(s, d);    // poses, twists, inputs -> wrenches
  jn_part_right_side(s, d, &s->whole);
  f->solve(s, d);  // wrenches             -> accelerations
  d->reactions_done = false;
  rates(s, d, dy, rate);  // accelerations        -> y'
  use_state(s, d, d->y);
}

// ---- breakpoints of prescribed motions -----------------------------------------------------------

// Begins the segment of t. True: prescribed velocities jump there; d->drive_before has what they were.
bool jn_segment_enter(const jn_system *s, jn_data *d, double t)
{
  const bool next = s->ndrive && d->from <= t && t + CLOSE * s->binding.opts.step >= d->limit;
  if (next) {
    jn_inputs_at(s, d, t);
    memcpy(d->drive_before, d->drive, (size_t)s->ndrive * sizeof *d->drive);
  }
  jn_segment_begin(s, d, t);
  if (!next) return false;
  jn_inputs_at(s, d, t);
  bool jumps = false;
  for (int i = 0; i < s->ndrive; i++) {
    const double a = d->drive_before[i].rate, b = d->drive[i].rate;
    jumps |= fabs(b - a) > 1e-12 * (fabs(a) + fabs(b));
  }
  return jumps;
}

void jn_swap_drives(jn_data *d)
{
  jn_drive_state *drive = d->drive;
  d->drive = d->drive_before, d->drive_before = drive;
}

// The blow that all velocities get: impulses of the prescribed motions, whose work counts as theirs.
void jn_strike(const jn_system *s, jn_data *d)
{
  use_state(s, d, d->y);
  jn_swap_drives(d);
  s->formulation->positions(s, d);
  s->formulation->velocities(s, d);
  const jn_energy before = jn_mechanical_energy(s, d);
  jn_swap_drives(d);
  s->formulation->positions(s, d);
  s->formulation->factor(s, d);
  if (jn_general_is_ill_conditioned(s, d)) return;
  jn_general_blow(s, d, d->drive_before);
  s->formulation->solve(s, d);
  add_velocity_correction(s, d, d->v);
  s->formulation->velocities(s, d);
  const jn_energy now = jn_mechanical_energy(s, d);
  d->x[s->work_state] += (now.kinetic - before.kinetic) + (now.potential - before.potential);
}

void jn_segment_cross(const jn_system *s, jn_data *d, double t)
{
  if (!jn_segment_enter(s, d, t)) return;
  jn_strike(s, d);
  jn_state_set(d);
}

// ---- steps ----------------------------------------------------------------------------------------

static const jn_path_table *path_of(const jn_data *d)
{
  return jn_is_fast(d) ? &jn_fast_path : &jn_general_path;
}

void jn_state_set(jn_data *d)
{
  d->owner = JN_OWNER_COMMON;
  d->stage = JN_STAGE_SET;
  jn_integ_restart(d->integ);
  if (d->system->lane) jn_integ_restart(d->lane->integ);
}

static void eval(void *user, double t, const double *y, double *dy, double *rate)
{
  jn_data *d = user;
  path_of(d)->evaluate(d->system, d, t, (double *)y, dy, rate, false);
}

static void qdot(void *user, const double *y, double *dq)
{
  jn_data *d = user;
  path_of(d)->qdot(d->system, d, y, dq);
}

static void linearise(void *user, double t, const double *y, double *a)
{
  jn_data *d = user;
  d->system->formulation->linearise(d->system, d, t, y, a);
}

static jn_ode ode_of(const jn_system *s, jn_data *d, const jn_own *own)
{
  const bool has_own = !jn_is_fast(d) && s->formulation->linearise;
  return (jn_ode){.nq = own->nq,
                  .nv = own->nv,
                  .nx = own->nx,
                  .nexp = own->nexp,
                  .eval = eval,
                  .qdot = qdot,
                  .linearise = has_own ? linearise : NULL,
                  .user = d};
}

jn_ode jn_ode_of(const jn_system *s, jn_data *d)
{
  const jn_own own = path_of(d)->own(s, d);
  return ode_of(s, d, &own);
}

// The state at t, evaluated by f.
static jn_step_flags begin(const jn_system *s, jn_data *d, const jn_path_table *f,
                           const jn_own *own, double t)
{
  if (d->stage == JN_STAGE_EVALUATED) return JN_STEP_OK;
  if (d->owner == JN_OWNER_COMMON) f->take(s, d);
  if (d->lanes_fresh && f == &jn_fast_path) return JN_STEP_OK;
  if (!is_in_segment(s, d, t)) f->cross(s, d, t);
  f->evaluate(s, d, t, own->y, own->dy, own->rate, true);
  return f->judge(s, d);
}

// The same by the general path, which has the row.
static jn_step_flags begin_row(const jn_system *s, jn_data *d, double t)
{
  const jn_own own = jn_general_path.own(s, d);
  const jn_step_flags flags = begin(s, d, &jn_general_path, &own, t);
  if (flags == JN_STEP_OK && !jn_is_fast(d)) d->stage = JN_STAGE_EVALUATED;
  return flags;
}

// ---- a look by the general path ------------------------------------------------------------------

// While lanes advance the motion, a look by the general path changes nothing of it: neither the state, of which it projects a copy,
// nor which coordinates are dependent, which ungrouped subsystems have from the same place, and a run that leaves the lanes later.
static void look_begin(const jn_system *s, jn_data *d)
{
  d->lanes_fresh = false;
  if (!jn_is_fast(d)) return;
  if (d->owner == JN_OWNER_COMMON) jn_fast_path.take(s, d);
  if (d->owner == JN_OWNER_FAST) jn_fast_path.give(s, d);
  memcpy(d->lane_choice, d->choice, d->nchoice);
  d->lane_events = d->events;
}

void jn_look_end(jn_data *d)
{
  if (!jn_is_fast(d)) return;
  memcpy(d->choice, d->lane_choice, d->nchoice);
  d->events = d->lane_events;
}

// ---- held signals -----------------------------------------------------------------------------------

// By the lanes, which have these channels: an evaluation more, with what was held before.
static jn_step_flags sample_lanes(const jn_system *s, jn_data *d)
{
  const jn_own own = jn_fast_path.own(s, d);
  // A state that has failed is evaluated by the general path, which is not to sample it again.
  d->sampled = d->step + 1;
  const jn_step_flags flags = begin(s, d, &jn_fast_path, &own, jn_time(d));
  if (flags) return flags;
  d->lanes_fresh = true;
  const jn_step_flags wrong = jn_held_rows_fill(s, d);
  d->lanes_fresh = false;
  return wrong;
}

// At the beginning of a step, with components that still hold what was sampled a step before: what is held depends on what
// components give, so that one of the two has to come first. The general path has all channels.
static jn_step_flags sample(const jn_system *s, jn_data *d)
{
  if (!s->nheld || d->sampled == d->step + 1) return JN_STEP_OK;
  if (jn_is_fast(d) && s->held_rows) return sample_lanes(s, d);
  if (d->stage == JN_STAGE_EVALUATED) d->stage = JN_STAGE_CONSISTENT;
  look_begin(s, d);
  const jn_own own = jn_general_path.own(s, d);
  const jn_step_flags flags = begin(s, d, &jn_general_path, &own, jn_time(d));
  if (flags) {
    jn_look_end(d);
    return flags;
  }
  const jn_audit audit = d->audit;
  const int64_t rows = d->rows_seen;
  const jn_account energy = d->energy;
  if (s->held_reactions) d->audit = JN_AUDIT_ALL;
  jn_channels_fill(s, d);
  d->audit = audit, d->rows_seen = rows;
  d->energy = energy;
  for (int i = 0; i < s->nheld; i++) {
    const jn_held *h = &s->held[i];
    if (h->channel < 0) jn_sensor_read(s, d, h->sensor);
    d->in[h->signal][0] =
        h->channel < 0 ? d->in[s->sensor[h->sensor].signal][0] : d->channel[h->channel];
  }
  jn_look_end(d);
  d->sampled = d->step + 1;
  return JN_STEP_OK;
}

jn_step_flags jn_step_prepare(const jn_system *s, jn_data *d)
{
  const jn_step_flags flags = sample(s, d);
  if (flags) return flags;
  if (!jn_is_fast(d)) return begin_row(s, d, jn_time(d));
  const jn_own own = jn_fast_path.own(s, d);
  return begin(s, d, &jn_fast_path, &own, jn_time(d));
}

jn_step_flags jn_look_begin(const jn_system *s, jn_data *d)
{
  const jn_step_flags flags = sample(s, d);
  look_begin(s, d);
  return flags ? flags : begin_row(s, d, jn_time(d));
}

// The system is that of the data, whichever the caller holds since the run has switched to another (jn_data_switch).
jn_step_flags jn_evaluate(const jn_system *system, jn_data *d)
{
  JN_ASSERT(jn_is_of(d, system));
  const jn_system *s = d->system;
  (void)system;
  const jn_step_flags flags = jn_look_begin(s, d);
  jn_channels_fill(s, d);
  jn_look_end(d);
  if (jn_is_fast(d) && flags == JN_STEP_OK) jn_paths_compare(s, d, jn_time(d));
  return flags;
}

// To the end of the step, and up to what jumps within it, and on from there, again and again.
static void advance(const jn_system *s, jn_data *d, const jn_path_table *f, const jn_own *own,
                    double t)
{
  const double h = s->binding.opts.step, close = CLOSE * h,
               end = (double)(d->step + 1) * h + d->offset;
  const jn_ode ode = ode_of(s, d, own);
  if (d->step > 0 && fabs(d->from - t) <= close) jn_integ_restart(own->integ);
  if (d->limit >= end - close) {
    d->events += jn_integ_starting(own->integ);
    jn_integ_step(own->integ, &ode, t, h, own->y, own->dy, own->rate);
    return;
  }
  d->events++;
  while (d->limit < end - close) {
    jn_integ_rk4(own->integ, &ode, t, d->limit - t, own->y, own->dy, own->rate);
    t = d->limit;
    f->cross(s, d, t);
    f->evaluate(s, d, t, own->y, own->dy, own->rate, true);
  }
  jn_integ_rk4(own->integ, &ode, t, end - t, own->y, own->dy, own->rate);
  jn_integ_restart(own->integ);
}

jn_step_flags jn_step(const jn_system *system, jn_data *d)
{
  JN_ASSERT(jn_is_of(d, system));
  const jn_system *s = d->system;
  (void)system;
  JN_VALIDATE(jn_data_is_whole(d));
  const jn_path_table *f = path_of(d);
  const double t = jn_time(d);
  const jn_own own = f->own(s, d);
  jn_step_flags flags = sample(s, d);
  if (!flags) flags = begin(s, d, f, &own, t);
  if (flags) return flags;
  const bool serves = jn_is_fast(d) ? d->lane->pivots < LANE_ILL_CONDITIONED : !d->left_lanes;
  if (!serves && jn_path_changes(s, d)) return jn_step(s, d);
  const int64_t events = d->events;
  d->stage = JN_STAGE_SET;
  d->lanes_fresh = false;
  advance(s, d, f, &own, t);
  if (f->take_back && f->take_back(s, d)) {
    d->events = events + 1;
    d->faulty = d->faulty_plugin = -1;  // of stages that are taken back
    return jn_step(s, d);
  }
  d->step++;
  d->owner = f->owner;
  f->close(s, d, jn_time(d));
  return JN_STEP_OK;
}

// ---- a state to return to -------------------------------------------------------------------------

int jn_state_size(const jn_system *s)
{
  const int general = s->nq + s->nv + s->nx, lanes = s->lane ? jn_lane_size(s->lane) : 0;
  return 3 + s->nheld + (general > lanes ? general : lanes);
}

void jn_state_keep(const jn_system *s, const jn_data *d, double *to)
{
  const bool lanes = jn_is_fast(d) && d->owner != JN_OWNER_COMMON;
  to[0] = (double)d->step, to[1] = lanes, to[2] = (double)d->sampled;
  to += 3;
  for (int i = 0; i < s->nheld; i++) *to++ = d->in[s->held[i].signal][0];
  if (lanes)
    memcpy(to, d->lane->y, (size_t)jn_lane_size(s->lane) * sizeof *to);
  else
    memcpy(to, d->y, (size_t)(s->nq + s->nv + s->nx) * sizeof *to);
}

void jn_state_return(const jn_system *s, jn_data *d, const double *from)
{
  const bool lanes = from[1] != 0.0;
  d->step = (int64_t)from[0];
  d->sampled = (int64_t)from[2];
  from += 3;
  for (int i = 0; i < s->nheld; i++) d->in[s->held[i].signal][0] = *from++;
  if (lanes) {
    jn_fast_return(s, d, from);
    jn_fast_path.give(s, d);
  } else {
    memcpy(d->y, from, (size_t)(s->nq + s->nv + s->nx) * sizeof *from);
  }
  d->advances = JN_ADVANCES_GENERAL;
  d->faulty = d->faulty_plugin = -1;
  jn_state_set(d);
}

double jn_time(const jn_data *d)
{
  if (!d) return NAN;
  return (double)d->step * d->system->binding.opts.step + d->offset;
}

const double *jn_row(const jn_data *d)
{
  return d ? d->channel : NULL;
}

jn_status jn_input_set(jn_data *d, int channel, double value, double rate)
{
  const int i = d ? jn_input_at(d->system, channel) : -1;
  if (i < 0) return JN_E_CALL;
  if (!isfinite(value) || !isfinite(rate)) return JN_E_RANGE;
  d->nlive += !d->live[i];
  d->live[i] = true;
  d->stage = JN_STAGE_SET;
  d->lanes_fresh = false;
  d->live_from[i][0] = jn_time(d), d->live_from[i][1] = value;
  d->in[i][0] = value, d->in[i][1] = rate, d->in[i][2] = 0.0;
  return JN_OK;
}

void jn_data_audit(jn_data *d, jn_audit audit)
{
  if (!d || (int)audit < JN_AUDIT_NONE || audit > JN_AUDIT_ALL) return;
  if (d->stage == JN_STAGE_EVALUATED && audit != d->audit) d->stage = JN_STAGE_CONSISTENT;
  d->audit = audit;
}

static const char *body_name(const jn_system *s, int body)  // NULL: none
{
  return body >= s->nframe ? jn_node_name(s->model, s->body[body].node) : NULL;
}

jn_run_stats jn_data_stats(const jn_data *d)
{
  if (!d) return (jn_run_stats){0};
  return (jn_run_stats){.steps = d->step,
                        .events = d->events,
                        .position_norm = d->position_norm,
                        .velocity_norm = d->velocity_norm,
                        .energy = d->energy.now,
                        .energy_first = d->energy.first,
                        .energy_drift = d->energy.drift,
                        .energy_in_play = d->energy.kinetic + d->energy.moved,
                        .path_difference = d->path_difference,
                        .path_time = d->path_time,
                        .path_body = body_name(d->system, d->path_body)};
}

const char *jn_data_failing_body(const jn_system *s, const jn_data *d)
{
  return jn_is_of(d, s) ? body_name(s, d->faulty < 0 ? d->failing_body : -1) : NULL;
}
