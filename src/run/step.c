// step.c: one evaluation and one step. Each line of jn_derive() reads only what stands above it.
#include <math.h>
#include <string.h>

#include "base/quat.h"
#include "components/signal.h"
#include "run/run_internal.h"
#include "solve/fast/fast.h"
#include "solve/integrate/integrate.h"

// ---- inputs ---------------------------------------------------------------------------------------

static const double CLOSE = 1e-9;  // of a step: so near to t a breakpoint counts as being at t

void jn_segment_begin(const jn_system *s, jn_data *d, double t)
{
  d->still = false;
  const double close = CLOSE * s->opts.step;
  if (d->from <= t && t + close < d->limit && d->segmented) return;
  d->segmented = true;
  int low = 0, high = s->nkink;  // first kink behind t
  while (low < high) {
    int mid = (low + high) / 2;
    if (s->kink[mid] > t + close)
      high = mid;
    else
      low = mid + 1;
  }
  d->from = low > 0 ? s->kink[low - 1] : -INFINITY;
  d->limit = low < s->nkink ? s->kink[low] : INFINITY;
  // Between them by more than rounding: a road that moves under a wheel is where it is by a product of this time.
  const double margin = close + 1e-15 * fabs(t);
  d->from_in = d->from + margin;
  d->limit_in = d->limit - margin;
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
  d->t_in = t < d->from_in ? d->from_in : t < d->limit_in ? t : d->limit_in;
  for (int i = 0; i < s->ntimed; i++) {
    const int k = s->timed[i].signal;
    if (d->nlive && d->live[k]) continue;
    jn_signal_value v = jn_signal_at(s->table + s->timed[i].table, d->t_in);
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

static void look_at(const jn_system *s, jn_data *d, double *y)
{
  d->q = y, d->v = y + s->nq, d->x = d->v + s->nv;
}

// Add a correction of speeds; a floating base's is in frame axes.
static void add_speeds(const jn_system *s, const jn_data *d, double *v)
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

static void project_speeds(const jn_system *s, jn_data *d)
{
  for (int r = 0; r < s->nrow; r++) d->change[r] = -d->residual_rate[r];
  jn_dyn_correction(s, d, d->change);
  jn_dyn_solve(s, d);
  add_speeds(s, d, d->v);
  jn_dyn_speeds(s, d);
}

static void draw_back(const jn_system *s, jn_data *d)  // [Bau72]
{
  const double a = s->opts.baumgarte;
  for (int r = 0; r < s->nrow; r++)
    d->gamma[r] -= r_fma(2.0 * a, d->residual_rate[r], a * a * d->residual[r]);
}

// Power that prescribed motions bring in; needs the reactions.
static void drive_power(const jn_system *s, jn_data *d)
{
  for (int i = s->nframe; i < s->nbody; i++) {
    const int k = s->joint[i].drive;
    if (k >= 0) d->power += d->drive[k].rate * sv_dot(d->s_drive[k], d->reaction[i]);
  }
  for (int i = 0; i < s->ncut; i++) {
    const jn_cut *c = &s->cut[i];
    if (c->drive < 0) continue;
    d->power += d->drive[c->drive].rate * jn_drive_unit(c) * d->lambda[c->row + c->nrow - 1];
  }
}

static void rates(const jn_system *s, jn_data *d, double *dy, double *rate)
{
  double *dv = dy + s->nq, *dx = dv + s->nv;
  jn_dyn_qdot(s, d->q, d->v, dy);
  for (int i = s->nframe; i < s->nbody; i++) {
    const jn_tree_joint *j = &s->joint[i];
    if (j->kind != JN_TREE_BASE) {
      for (int k = 0; k < j->nv; k++) dv[j->v + k] = d->qdd[j->v + k];
      continue;
    }
    const m3 r = d->frame[s->body[i].frame].r;  // less gravity, in frame axes
    v3_store(&dv[j->v], v3_add(s->gravity, m3_mul_v3(r, v3_load(&d->qdd[j->v]))));
    v3_store(&dv[j->v + 3], m3_mul_v3(r, v3_load(&d->qdd[j->v + 3])));
  }
  jn_components_states(s, d, dx, rate);
  jn_wheels_states(s, d, dx, rate);
  if (d->audit && s->ndrive) {
    if (!d->reactions_done) jn_dyn_reactions(s, d);
    d->reactions_done = true;
    drive_power(s, d);
  }
  dx[s->work_state] = d->power;
}

void jn_derive(const jn_system *s, jn_data *d, double t, const double *y, double *dy, double *rate,
               bool begins)
{
  look_at(s, d, (double *)y);
  const bool closed =
      s->opts.stabilize != JN_STABILIZE_NONE && s->opts.stabilize != JN_STABILIZE_BAUMGARTE;
  jn_inputs_at(s, d, t);   // time                 -> inputs, prescribed motions
  jn_dyn_positions(s, d);  // q                    -> poses, joint axes, constraint rows
  jn_dyn_factor(s, d);     // poses                -> factors
  jn_dyn_speeds(s, d);     // v                    -> twists
  if (begins && s->nrow && (d->closing || (closed && !jn_dyn_is_weak(s, d)))) project_speeds(s, d);
  jn_dyn_biases(s, d);  // twists               -> what speeds bring along
  if (s->opts.stabilize == JN_STABILIZE_BAUMGARTE) draw_back(s, d);
  jn_components_act(s, d);  // poses, twists, inputs -> sensors, outputs
  jn_forces_apply(s, d);    // poses, twists, inputs -> wrenches
  jn_dyn_motion(s, d);
  jn_dyn_solve(s, d);  // wrenches             -> accelerations
  d->reactions_done = false;
  rates(s, d, dy, rate);  // accelerations        -> y'
  look_at(s, d, d->y);
}

// ---- breakpoints of prescribed motions -----------------------------------------------------------

// Begins the segment of t. True: prescribed velocities jump there; d->drive_before has what they were.
static bool enter_segment(const jn_system *s, jn_data *d, double t)
{
  const bool next =
      s->ndrive && d->segmented && d->from <= t && t + CLOSE * s->opts.step >= d->limit;
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

static void swap_drives(jn_data *d)
{
  jn_drive_state *drive = d->drive;
  d->drive = d->drive_before, d->drive_before = drive;
}

// The blow that all velocities get: impulses of the prescribed motions, whose work counts as theirs.
static void strike(const jn_system *s, jn_data *d)
{
  look_at(s, d, d->y);
  swap_drives(d);
  jn_dyn_positions(s, d);
  jn_dyn_speeds(s, d);
  const double energy = jn_mechanical_energy(s, d);
  swap_drives(d);
  jn_dyn_positions(s, d);
  jn_dyn_factor(s, d);
  if (jn_dyn_is_weak(s, d)) return;
  jn_dyn_blow(s, d, d->drive_before);
  jn_dyn_solve(s, d);
  add_speeds(s, d, d->v);
  jn_dyn_speeds(s, d);
  d->x[s->work_state] += jn_mechanical_energy(s, d) - energy;
}

void jn_segment_cross(const jn_system *s, jn_data *d, double t)
{
  if (!enter_segment(s, d, t)) return;
  strike(s, d);
  d->entered = false;  // lanes take the state from here
}

// ---- after a step ---------------------------------------------------------------------------------

static void swap_motions(jn_data *d)
{
  sv *motion = d->s;
  v3 *station = d->station;
  jn_frame_state *frame = d->frame;
  d->s = d->s_spare, d->s_spare = motion;
  d->station = d->station_spare, d->station_spare = station;
  d->frame = d->frame_spare, d->frame_spare = frame;
}

void jn_correct_positions(const jn_system *s, jn_data *d, double t, int times, bool fresh)
{
  for (int n = 0; n < times; n++) {
    jn_inputs_at(s, d, t);
    // Old factors go with old joint motions: otherwise the correction is not the mass-weighted one
    // of either position, and depends on which coordinates count as dependent.
    if (fresh) {
      jn_dyn_positions(s, d);
      jn_dyn_factor(s, d);
    } else {
      swap_motions(d);
      jn_dyn_residuals(s, d);
      swap_motions(d);
    }
    // Beside a singular position a correction would turn rounding into motion; the next step makes it.
    if (!d->closing && jn_dyn_is_weak(s, d)) return;
    for (int r = 0; r < s->nrow; r++) d->change[r] = -d->residual[r];
    jn_dyn_correction(s, d, d->change);
    jn_dyn_solve(s, d);
    jn_dyn_move(s, d->q, d->qdd, d->frame);
  }
}

void jn_unit_quaternions(const jn_system *s, jn_data *d)
{
  for (int i = s->nframe; i < s->nbody; i++) {
    if (s->joint[i].sphere < 0) continue;
    double *e = d->y + s->joint[i].sphere;
    q4 q = q_normalise(q_make(e[0], v3_make(e[1], e[2], e[3])));
    e[0] = q.w, e[1] = q.x, e[2] = q.y, e[3] = q.z;
  }
}

static bool wraps(jn_tree_kind kind, int k)
{
  return kind == JN_TREE_REVOLUTE || kind == JN_TREE_UNIVERSAL ||
         (kind == JN_TREE_CYLINDRICAL && k == 1) || (kind == JN_TREE_PLANAR && k == 2) ||
         ((kind == JN_TREE_LINK || kind == JN_TREE_LINK_CHILD) && k == 0);
}

void jn_normalise(const jn_system *s, jn_data *d)
{
  const double turn = 2.0 * M_PI;
  for (int i = s->nframe; i < s->nbody; i++) {
    const jn_tree_joint *j = &s->joint[i];
    for (int k = 0; k < j->scalars; k++) {
      if (!wraps(j->kind, k)) continue;
      const double whole = __builtin_rint(d->y[j->q + k] / turn);
      d->y[j->q + k] = r_fma(-turn, whole, d->y[j->q + k]);
      d->turn[j->q + k] += whole;
    }
  }
  jn_unit_quaternions(s, d);
}

double jn_worst(const jn_system *s, const double *residual, int *cut)
{
  double worst = 0.0;
  for (int i = 0; i < s->ncut; i++)
    for (int r = s->cut[i].row; r < s->cut[i].row + s->cut[i].nrow; r++)
      if (!(fabs(residual[r]) <= worst)) {
        worst = fabs(residual[r]);
        if (cut) *cut = i;
      }
  return worst;
}

static bool is_finite(int n, const double *y, const double *dy)
{
  double sum = 0.0;
  for (int i = 0; i < n; i++) sum += y[i] * 0.0 + dy[i] * 0.0;  // not zero if any is not finite
  return sum == 0.0;
}

static jn_step_flags check(const jn_system *s, jn_data *d)
{
  if (is_finite(s->nq + s->nv + s->nx, d->y, d->dy)) {
    int cut = -1;
    double worst = 0.0;
    for (int r = 0; r < s->nrow; r++)
      worst = fmax(worst, fabs(d->residual[r]) * s->length_scale[r]);
    if (worst <= 0.1) return JN_STEP_OK;
    jn_worst(s, d->residual, &cut);
    d->culprit = cut >= 0 ? s->cut[cut].b : -1;
    return JN_STEP_OPEN;
  }
  for (int i = s->nframe; i < s->nbody && d->culprit < 0; i++)
    for (int k = 0; k < s->joint[i].nv; k++)
      if (!isfinite(d->dy[s->nq + s->joint[i].v + k]) || !isfinite(d->v[s->joint[i].v + k]))
        d->culprit = i;
  return JN_STEP_NOT_FINITE;
}

// ---- the same in lanes ------------------------------------------------------------------------------

// States that no group has: those of components, of elements that are computed one by one, and work.
static void take_states(const jn_system *s, jn_data *d, const double *y)
{
  const jn_lane *l = s->lane;
  look_at(s, d, d->y);
  for (int i = 0; i < l->nplain; i++) d->x[l->plain[i]] = y[l->core_x + i];
  for (int i = 0; i < l->ndeclared; i++) d->x[l->declared[i]] = y[l->core_e + i];
}

static void lane_derive(const jn_system *s, jn_data *d, double t, const double *y, double *dy,
                        double *rate)
{
  const jn_lane *l = s->lane;
  take_states(s, d, y);
  jn_inputs_at(s, d, t);
  jn_lane_derive(s, d, y, dy, rate);
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

// A stage within a step. The first one keeps the state of the step's beginning: an integrator writes y at its end.
static void eval_lanes(void *user, double t, const double *y, double *dy, double *rate)
{
  jn_data *d = user;
  const jn_system *s = d->system;
  jn_lane_data *k = d->lane;
  if (!k->staged) {
    memcpy(k->before, k->y, (size_t)(s->lane->nq + s->lane->nv + s->lane->nx) * sizeof *k->y);
    k->staged = true;
  }
  lane_derive(s, d, t, y, dy, rate);
  k->weak |= !(jn_lane_weakest(s, d) < LANE_WEAK) ||
             s->lane->core_engine->check(dy, s->lane->nq + s->lane->nv + s->lane->nx) != 0.0;
}

static void qdot_lanes(void *user, const double *y, double *dq)
{
  jn_data *d = user;
  jn_lane_qdot(d->system, d, y, dq);
}

// Loops whose pivots have fallen to a tenth want another choice of coordinates: the general path makes one.
static void leave_lanes(const jn_system *s, jn_data *d)
{
  jn_lane_leave(s, d);
  d->left_lanes = d->step + 1;
  d->in_lanes = d->entered = d->stale = d->fresh = d->settled = false;
  d->events++;
  jn_integ_restart(d->integ);
}

// Pivots fell within the step, where stages have been evaluated: back to its beginning, from where the general path goes on.
static void take_back_step(const jn_system *s, jn_data *d, double t)
{
  jn_lane_data *k = d->lane;
  memcpy(k->y, k->before, (size_t)(s->lane->nq + s->lane->nv + s->lane->nx) * sizeof *k->y);
  take_states(s, d, k->y);
  jn_segment_begin(s, d, t);
  jn_inputs_at(s, d, t);
  leave_lanes(s, d);
}

static void enter_lanes(const jn_system *s, jn_data *d)
{
  if (d->entered) return;
  jn_segment_begin(s, d,
                   jn_time(d));  // wheel bodies have the velocity of what prescribed motions carry
  jn_inputs_at(s, d, jn_time(d));
  jn_lane_enter(s, d);
  jn_integ_restart(d->lane->integ);
  d->entered = true;
  d->lanes_fresh = false;
}

// Now and then a run that has left the lanes asks whether their coordinates serve again. Its state is on the constraints.
static bool returns_to_lanes(const jn_system *s, jn_data *d)
{
  enum { STEPS = 16 };
  const int64_t since = d->step + 1 - d->left_lanes;
  if (!d->left_lanes || since == 0 || since % STEPS) return false;
  enter_lanes(s, d);
  d->entered = jn_lane_pivots(s, d) < LANE_SERVES;
  if (!d->entered) return false;
  d->in_lanes = true;
  d->left_lanes = 0;
  d->fresh = d->stale = false;
  d->events++;
  return true;
}

// The same in lanes: out with the velocities before the jump, the blow, and in again.
static void cross_in_lanes(const jn_system *s, jn_data *d, double t)
{
  take_states(s, d, d->lane->y);
  if (!enter_segment(s, d, t)) return;
  swap_drives(d);
  jn_lane_leave(s, d);
  swap_drives(d);
  strike(s, d);
  jn_lane_enter(s, d);
}

static jn_step_flags begin_in_lanes(const jn_system *s, jn_data *d, double t)
{
  enter_lanes(s, d);
  if (d->lanes_fresh) return JN_STEP_OK;
  const int n = s->lane->nq + s->lane->nv + s->lane->nx;
  cross_in_lanes(s, d, t);
  lane_derive(s, d, t, d->lane->y, d->lane->dy, d->lane->rate);
  const lane_core_engine *e = s->lane->core_engine;
  d->lanes_fresh = e->check(d->lane->dy, n) == 0.0;  // what is not finite in y is not so there
  if (d->lanes_fresh) return JN_STEP_OK;
  jn_lane_leave(s, d);  // the general path finds who it was
  d->stale = false;
  const jn_step_flags flags = jn_evaluate(s, d);
  return flags ? flags : JN_STEP_NOT_FINITE;
}

// ---- steps ----------------------------------------------------------------------------------------

static void eval(void *user, double t, const double *y, double *dy, double *rate)
{
  jn_data *d = user;
  jn_derive(d->system, d, t, y, dy, rate, false);
}

static void qdot(void *user, const double *y, double *dq)
{
  jn_data *d = user;
  jn_dyn_qdot(d->system, y, y + d->system->nq, dq);
}

static jn_step_flags begin(const jn_system *s, jn_data *d, double t)
{
  if (d->fresh) return JN_STEP_OK;
  jn_segment_cross(s, d, t);
  jn_derive(s, d, t, d->y, d->dy, d->rate, !d->settled);
  d->settled = true;
  jn_cuts_follow(s, d);
  return check(s, d);
}

// ---- held signals -----------------------------------------------------------------------------------

// At the beginning of a step, with components that still hold what was sampled a step before: what is held depends on what
// components give, so that one of the two has to come first. The general path has all channels.
static jn_step_flags sample(const jn_system *s, jn_data *d)
{
  if (!s->nheld || d->sampled == d->step + 1) return JN_STEP_OK;
  if (d->stale) jn_lane_leave(s, d);
  d->stale = d->fresh = d->lanes_fresh = false;
  const jn_step_flags flags = begin(s, d, jn_time(d));
  if (flags) return flags;
  const jn_audit audit = d->audit;
  const int64_t rows = d->rows_seen;
  const double first = d->energy_first, energy = d->energy, drift = d->energy_drift;
  if (s->held_reactions) d->audit = JN_AUDIT_ALL;
  jn_channels_fill(s, d);
  d->audit = audit, d->rows_seen = rows;
  d->energy_first = first, d->energy = energy, d->energy_drift = drift;
  for (int i = 0; i < s->nheld; i++) {
    const jn_held *h = &s->held[i];
    if (h->channel < 0) jn_sensor_read(s, d, h->sensor);
    d->in[h->signal][0] =
        h->channel < 0 ? d->in[s->sensor[h->sensor].signal][0] : d->channel[h->channel];
  }
  d->sampled = d->step + 1;
  return JN_STEP_OK;
}

// The row was made by the general path: do the lanes, which advance the motion, have the same accelerations?
static void compare_paths(const jn_system *s, jn_data *d, double t)
{
  enter_lanes(s, d);
  memcpy(d->lane->general, d->dy + s->nq + s->nv, (size_t)s->nx * sizeof *d->dy);
  lane_derive(s, d, t, d->lane->y, d->lane->dy, d->lane->rate);
  const lane_difference k = jn_lane_compare(s, d);
  if (!(k.size > d->path_difference || isnan(k.size))) return;
  d->path_difference = k.size;
  d->path_time = t;
  d->path_body = k.body;
}

jn_step_flags jn_step_prepare(const jn_system *s, jn_data *d)
{
  jn_step_flags flags = sample(s, d);
  if (flags) return flags;
  if (d->in_lanes) return begin_in_lanes(s, d, jn_time(d));
  flags = begin(s, d, jn_time(d));
  d->fresh = flags == JN_STEP_OK;
  return flags;
}

jn_step_flags jn_evaluate(const jn_system *s, jn_data *d)
{
  const double t = jn_time(d);
  jn_step_flags flags = sample(s, d);
  if (d->stale) jn_lane_leave(s, d);
  if (d->in_lanes) d->fresh = d->lanes_fresh = false;
  d->stale = false;
  if (!flags) flags = begin(s, d, t);
  d->fresh = flags == JN_STEP_OK;
  jn_channels_fill(s, d);
  if (d->in_lanes && flags == JN_STEP_OK) compare_paths(s, d, t);
  return flags;
}

// What advances: the general path's own state, or that of the lanes.
typedef struct advance {
  jn_integ *integ;
  double *y, *dy, *rate;
  void (*step)(jn_integ *w, const jn_ode *f, double t, double h, double *y, const double *dy,
               const double *a);
  void (*rk4)(jn_integ *w, const jn_ode *f, double t, double h, double *y, const double *dy,
              const double *a);
} advance;

static void go(const jn_system *s, jn_data *d, const advance *a, double t, double h)
{
  const double close = 1e-9 * h, end = (double)(d->step + 1) * h + d->offset;
  if (d->step > 0 && fabs(d->from - t) <= close) jn_integ_restart(a->integ);
  if (d->limit >= end - close) {
    if (jn_integ_starting(a->integ)) d->events++;
    a->step(a->integ, d->ode, t, h, a->y, a->dy, a->rate);
    return;
  }
  // Something jumps within the step: up to there, and on from there, again and again.
  d->events++;
  while (d->limit < end - close) {
    a->rk4(a->integ, d->ode, t, d->limit - t, a->y, a->dy, a->rate);
    t = d->limit;
    if (d->in_lanes) {
      cross_in_lanes(s, d, t);
      lane_derive(s, d, t, a->y, a->dy, a->rate);
    } else {
      jn_segment_cross(s, d, t);
      jn_derive(s, d, t, a->y, a->dy, a->rate, true);
    }
  }
  a->rk4(a->integ, d->ode, t, end - t, a->y, a->dy, a->rate);
  jn_integ_restart(a->integ);
}

jn_step_flags jn_step(const jn_system *s, jn_data *d)
{
  const double h = s->opts.step, t = jn_time(d);
  jn_step_flags flags = sample(s, d);
  if (!flags) flags = d->in_lanes ? begin_in_lanes(s, d, t) : begin(s, d, t);
  if (flags) return flags;
  if (d->in_lanes && !(jn_lane_weakest(s, d) < LANE_WEAK)) {
    leave_lanes(s, d);
    return jn_step(s, d);
  }
  if (!d->in_lanes && returns_to_lanes(s, d)) return jn_step(s, d);
  d->fresh = false;
  d->settled = false;
  d->lanes_fresh = false;
  if (d->in_lanes) {
    const jn_lane *l = s->lane;
    *d->ode = (jn_ode){l->nq, l->nv, l->nx, l->nexp, eval_lanes, qdot_lanes, d};
    const advance a = {d->lane->integ, d->lane->y,           d->lane->dy,
                       d->lane->rate,  l->core_engine->step, l->core_engine->rk4};
    d->lane->staged = d->lane->weak = false;
    const int64_t events = d->events;
    go(s, d, &a, t, h);
    if (d->lane->weak) {
      d->events = events;
      take_back_step(s, d, t);
      return jn_step(s, d);
    }
    d->step++;
    d->stale = true;
    if (s->ndrive) {  // loops close where prescribed motions have gone
      take_states(s, d, d->lane->y);
      jn_inputs_at(s, d, jn_time(d));
    }
    jn_lane_close(s, d);
    return JN_STEP_OK;
  }
  *d->ode = (jn_ode){s->nq, s->nv, s->nx, s->nexp, eval, qdot, d};
  go(s, d, &(advance){d->integ, d->y, d->dy, d->rate, jn_integ_step, jn_integ_rk4}, t, h);
  d->step++;
  const double end = jn_time(d);
  if (s->nrow &&
      (s->opts.stabilize == JN_STABILIZE_PROJECTION || s->opts.stabilize == JN_STABILIZE_DELAYED))
    jn_correct_positions(s, d, end, 1, false);
  if (s->nrow && s->opts.stabilize == JN_STABILIZE_NEWTON)
    jn_correct_positions(s, d, end, s->opts.newton_iterations, true);
  jn_normalise(s, d);
  return JN_STEP_OK;
}

// ---- a state to return to -------------------------------------------------------------------------

static int lane_size(const jn_system *s)
{
  return s->lane ? s->lane->nq + s->lane->nv + s->lane->nx : 0;
}

int jn_state_size(const jn_system *s)
{
  const int general = s->nq + s->nv + s->nx, lanes = lane_size(s);
  return 3 + s->nheld + (general > lanes ? general : lanes);
}

void jn_state_keep(const jn_system *s, const jn_data *d, double *to)
{
  const bool lanes = d->in_lanes && d->entered;
  to[0] = (double)d->step, to[1] = lanes, to[2] = (double)d->sampled;
  to += 3;
  for (int i = 0; i < s->nheld; i++) *to++ = d->in[s->held[i].signal][0];
  if (lanes)
    memcpy(to, d->lane->y, (size_t)lane_size(s) * sizeof *to);
  else
    memcpy(to, d->y, (size_t)(s->nq + s->nv + s->nx) * sizeof *to);
}

void jn_state_return(const jn_system *s, jn_data *d, const double *from)
{
  const bool lanes = from[1] != 0.0;
  d->step = (int64_t)from[0];
  d->sampled = (int64_t)from[2];
  d->fresh = d->settled = d->entered = false;
  from += 3;
  for (int i = 0; i < s->nheld; i++) d->in[s->held[i].signal][0] = *from++;
  if (lanes) {
    memcpy(d->lane->y, from, (size_t)lane_size(s) * sizeof *from);
    take_states(s, d, d->lane->y);
    jn_segment_begin(s, d, jn_time(d));
    jn_inputs_at(s, d, jn_time(d));
    jn_lane_leave(s, d);
  } else {
    memcpy(d->y, from, (size_t)(s->nq + s->nv + s->nx) * sizeof *from);
  }
  d->in_lanes = d->stale = false;
}

double jn_time(const jn_data *d)
{
  return (double)d->step * d->system->opts.step + d->offset;
}

const double *jn_row(const jn_data *d)
{
  return d->channel;
}

void jn_input_set(jn_data *d, int channel, double value, double rate)
{
  const int i = channel - d->system->first_input;
  if (i < 0 || i >= d->system->ninput) return;
  d->nlive += !d->live[i];
  d->live[i] = true;
  d->settled = d->fresh = d->lanes_fresh = false;
  d->live_from[i][0] = jn_time(d), d->live_from[i][1] = value;
  d->in[i][0] = value, d->in[i][1] = rate, d->in[i][2] = 0.0;
}

void jn_data_audit(jn_data *d, jn_audit audit)
{
  d->fresh = false;
  d->audit = audit;
}

static const char *body_name(const jn_system *s, int body)  // NULL: none
{
  return body >= s->nframe ? jn_node_name(s->model, s->body[body].node) : NULL;
}

jn_run_stats jn_data_stats(const jn_data *d)
{
  return (jn_run_stats){.steps = d->step,
                        .events = d->events,
                        .position_norm = d->position_norm,
                        .velocity_norm = d->velocity_norm,
                        .energy = d->energy,
                        .energy_first = d->energy_first,
                        .energy_drift = d->energy_drift,
                        .path_difference = d->path_difference,
                        .path_time = d->path_time,
                        .path_body = body_name(d->system, d->path_body)};
}

const char *jn_data_culprit(const jn_system *s, const jn_data *d)
{
  return body_name(s, d->culprit);
}
