// general_path.c: the general path as a formulation: its own state is the common one.
#include <math.h>

#include "base/invariant.h"
#include "elements/tyre/brake.h"
#include "run/run_internal.h"
#include "solve/path.h"

// ---- corrections ----------------------------------------------------------------------------------

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
      s->formulation->positions(s, d);
      s->formulation->factor(s, d);
    } else {
      swap_motions(d);
      jn_part_residuals(s, d, &s->whole);
      swap_motions(d);
    }
    // Beside a singular position a correction would turn rounding into motion; the next step makes it.
    if (!d->closing && jn_general_is_ill_conditioned(s, d)) return;
    for (int r = 0; r < s->nrow; r++) d->change[r] = -d->residual[r];
    jn_general_correction(s, d, d->change);
    s->formulation->solve(s, d);
    jn_general_displace(s, d->q, d->qdd, d->frame);
  }
}

void jn_unit_quaternions(const jn_system *s, jn_data *d)
{
  for (int i = s->nframe; i < s->nbody; i++) jn_joint_normalise(&s->joint[i], d->y + s->joint[i].q);
}

void jn_wrap_and_normalise(const jn_system *s, jn_data *d)
{
  for (int i = s->nframe; i < s->nbody; i++) {
    const jn_tree_joint *j = &s->joint[i];
    jn_joint_wrap(j, d->y + j->q, d->turn + j->q);
  }
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

// ---- the formulation ------------------------------------------------------------------------------

bool jn_are_finite(int n, const double *x)
{
  double sum = 0.0;
  for (int i = 0; i < n; i++) sum += x[i] * 0.0;  // not zero if any is not finite
  return sum == 0.0;
}

static bool within(int n, const double *rate, double most)
{
  double sum = 0.0;
  for (int i = 0; i < n; i++) sum += rate[i] * rate[i];
  return sum <= most * most;
}

// Of a state that is not finite, some rate is not either.
static bool is_bounded(const jn_system *s, const double *dy)
{
  return within(s->nq, dy, JN_FASTEST) && within(s->nv, dy + s->nq, JN_STEEPEST) &&
         jn_are_finite(s->nx, dy + s->nq + s->nv);
}

int jn_fastest_body(const jn_system *s, const jn_data *d)
{
  int fastest = -1;
  double most = 0.0;
  for (int i = s->nframe; i < s->nbody; i++)
    for (int k = 0; k < s->joint[i].nv; k++) {
      const int at = s->joint[i].v + k;
      const double rate = fmax(fabs(d->v[at]) / JN_FASTEST, fabs(d->dy[s->nq + at]) / JN_STEEPEST);
      if (isnan(d->v[at] + d->dy[s->nq + at])) return i;
      if (rate > most) most = rate, fastest = i;
    }
  return fastest;
}

static jn_health health(const jn_system *s, const jn_data *d)
{
  jn_health k = {1.0, 0.0};  // fallen pivots have been chosen anew
  for (int r = 0; r < s->nrow; r++)
    k.open = fmax(k.open, fabs(d->residual[r]) * s->length_scale[r]);
  return k;
}

static jn_step_flags judge(const jn_system *s, jn_data *d)
{
  d->stage = JN_STAGE_CONSISTENT;
  jn_cuts_follow(s, d);
  if (is_bounded(s, d->dy)) {
    int cut = -1;
    if (health(s, d).open <= JN_OPEN) return JN_STEP_OK;
    jn_worst(s, d->residual, &cut);
    d->failing_body = cut >= 0 ? s->cut[cut].b : -1;
    return JN_STEP_OPEN;
  }
  d->failing_body = jn_fastest_body(s, d);
  return jn_are_finite(s->nq + s->nv + s->nx, d->dy) ? JN_STEP_DIVERGED : JN_STEP_NOT_FINITE;
}

static jn_own own(const jn_system *s, const jn_data *d)
{
  return (jn_own){s->nq, s->nv, s->nx, s->nexp, d->y, d->dy, d->rate, d->integ};
}

static void nothing(const jn_system *s, jn_data *d)
{
  (void)s, (void)d;
}

static void evaluate(const jn_system *s, jn_data *d, double t, double *y, double *dy, double *rate,
                     bool begins)
{
  JN_ASSERT(!begins || d->owner != JN_OWNER_FAST);
  jn_evaluate_stage(s, d, t, y, dy, rate, begins && d->stage < JN_STAGE_CONSISTENT);
}

static void qdot(const jn_system *s, jn_data *d, const double *y, double *dq)
{
  (void)d;
  jn_general_qdot(s, y, y + s->nq, dq);
}

static void close(const jn_system *s, jn_data *d, double t)
{
  const jn_stabilize how = s->binding.opts.stabilize;
  if (s->nrow && (how == JN_STABILIZE_PROJECTION || how == JN_STABILIZE_DELAYED))
    jn_correct_positions(s, d, t, 1, false);
  if (s->nrow && how == JN_STABILIZE_NEWTON)
    jn_correct_positions(s, d, t, s->binding.opts.newton_iterations, true);
  double *x = d->y + s->nq + s->nv;
  for (int i = 0; i < s->nwheel; i++)
    if (s->wheel[i].hold >= 0) x[s->wheel[i].hold] = brake_in_range(x[s->wheel[i].hold]);
  jn_wrap_and_normalise(s, d);
}

const jn_path_table jn_general_path = {.word = "general",
                                       .owner = JN_OWNER_COMMON,
                                       .own = own,
                                       .take = nothing,
                                       .give = nothing,
                                       .cross = jn_segment_cross,
                                       .evaluate = evaluate,
                                       .qdot = qdot,
                                       .judge = judge,
                                       .health = health,
                                       .close = close};
