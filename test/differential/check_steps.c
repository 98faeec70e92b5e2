// check_steps.c: one short step of the methods of order 1, in lanes and by the general path: what an integrator makes of the rates.
#include "solve/fast/fast.h"
#include "solve/general/dense_core.h"
#include "states.h"

// So short that what paths do in different ways, of order h^2 in velocities of coordinates that follow from others, is rounding in
// positions, and what a wrong velocity would do is not.
static const double STEP = 1e-5;

static bool step_general(const jn_system *s, jn_integrator integrator, const state *x, double *y)
{
  jn_system own = with_options(s, integrator, JN_STABILIZE_NONE, STEP);
  jn_error err = {0};
  jn_data *d = NULL;
  if (jn_data_create(&own, &d, &err)) return false;
  memcpy(d->y, x->y, (size_t)(s->nq + s->nv + s->nx) * sizeof *d->y);
  memcpy(d->turn, x->turn, (size_t)s->nq * sizeof *d->turn);
  d->offset = x->t;
  const bool good = jn_step(&own, d) == JN_STEP_OK;
  memcpy(y, d->y, (size_t)(s->nq + s->nv + s->nx) * sizeof *y);
  for (int i = 0; i < s->nq; i++) y[i] += 2.0 * M_PI * d->turn[i];
  jn_data_free(d);
  return good;
}

// Lanes take velocities of dependent coordinates u from the new ones z by u = T z with T of the step's beginning, the general path has
// u + h u' with u' = T z' + b. An angle of a rotor, which is its absolute spin less that of its carrier about its axis, differs by h^2
// times the part of b that turns the carrier, at most the sum of |b| of its lane; and by h^2 times what axes of joints do that turn each
// other while T and poses stand, at most the square of the sum of angular velocities from the base to the carrier. The rest is of order h^3.
static double biases_of(const jn_data *d, const lane_group *k, int group, int lane)
{
  double sum = 0.0;
  for (int i = 0; i < k->nop[LANE_MOTION]; i++) {
    const lane_op *o = &k->op[LANE_MOTION][i];  // m nz LU side T ...: b is the last column
    if (o->kind != LANE_SOLVE) continue;
    const int m = o->arg[0], nz = o->arg[1], t = o->arg[4];
    for (int r = 0; r < m; r++)
      sum += fabs(d->lane->w[group][LANES * (t + r * (nz + 1) + nz) + lane]);
  }
  return sum;
}

static double turning_of(const jn_system *s, const jn_data *d, const double *y, int body)
{
  double sum = 0.0;
  for (; body >= s->nframe; body = s->body[body].parent) {
    const jn_tree_joint *j = &s->joint[body];
    if (j->drive >= 0) sum += fabs(d->drive[j->drive].rate);
    for (int v = j->v; v < j->v + j->nv; v++)
      if (s->coordinate_angle[v]) sum += fabs(y[s->nq + v]);
  }
  return sum;
}

static void allow_rotors(const jn_system *s, const jn_data *d, const state *x, double *second)
{
  const jn_lane *l = s->lane;
  for (int g = 0; g < l->ngroup; g++)
    for (int lane = 0; lane < l->group[g].lanes; lane++)
      for (int i = 0; i < l->group[g].nlink; i++) {
        const int body = l->group[g].link[lane * l->group[g].nlink + i].rotor;
        if (body < 0) continue;
        const double w = turning_of(s, d, x->y, s->body[body].parent);
        second[s->joint[body].q] = biases_of(d, &l->group[g], g, lane) + w * w;
      }
}

// A velocity that follows from others in lanes, and its position: of a ball all four numbers.
static void leave_out(const jn_system *s, int v, bool position, bool *own)
{
  own[s->nq + v] = false;
  for (int b = s->nframe; b < s->nbody && position; b++) {
    const jn_tree_joint *j = &s->joint[b];
    if (v < j->v || v >= j->v + j->nv) continue;
    if (j->sphere < 0 || v - j->v < j->scalars)
      own[j->q + (v - j->v)] = false;
    else
      for (int q = j->sphere; q < j->sphere + 4; q++) own[q] = false;
  }
}

static bool is_rotor_in(const lane_group *k, const jn_system *s, int v)
{
  for (int i = 0; i < k->lanes * k->nlink; i++)
    if (k->link[i].rotor >= 0 && s->joint[k->link[i].rotor].v == v) return true;
  return false;
}

// Of a block, in the order that it has chosen.
static void leave_out_block(const jn_system *s, const jn_data *d, int block, bool *own)
{
  const jn_block *k = &s->block[block];
  for (int r = 0; r < k->m; r++)
    for (int g = 0; g < k->nbody; g++) {
      const int at = d->block[block].pick[r] - k->column[g];
      if (at >= 0 && at < s->joint[k->body[g]].nv)
        leave_out(s, s->joint[k->body[g]].v + at, true, own);
    }
}

// Numbers of the state that both paths have as states: not the coordinates that follow from others in lanes, nor spins of
// rotors, which are absolute there. Angles of rotors are, but for what those coordinates do to the carrier.
static void find_own(const jn_system *s, const jn_data *d, bool *own)
{
  const jn_lane *l = s->lane;
  for (int i = 0; i < s->nq + s->nv + s->nx; i++) own[i] = true;
  for (int g = 0; g < l->ngroup; g++)
    for (int i = 0; i < l->group[g].lanes * l->group[g].nlink; i++) {
      const lane_state_map *k = &l->group[g].link[i];
      const int v = k->general - s->nq;
      if (k->section == LANE_FOLLOWS) leave_out(s, v, !is_rotor_in(&l->group[g], s, v), own);
    }
  const jn_part *p = &l->rest.part;
  for (int b = 0; b < p->nblock; b++) leave_out_block(s, d, p->block[b], own);
  for (int i = 0; i < d->core->split->rank && p->partition; i++)
    leave_out(s, s->core_speed[d->core->cols[i]], true, own);
}

// What the core's b (see biases_of) turns all that it carries, at most: u' of the general path less T z', which a core has for
// velocities that are the accelerations.
static double core_bias(const jn_system *s, const state *x, const double *dy)
{
  jn_error err = {0};
  jn_data *d = NULL;
  double sum = 0.0;
  if (!s->lane->rest.part.partition || jn_data_create(s, &d, &err)) return 0.0;
  memcpy(d->y, x->y, (size_t)s->nq * sizeof *d->y);
  memcpy(d->y + s->nq, dy + s->nq, (size_t)s->nv * sizeof *d->y);
  d->offset = x->t;
  jn_segment_begin(s, d, x->t);
  jn_inputs_at(s, d, x->t);
  for (int i = 0; i < s->ndrive; i++) d->drive[i].rate = d->drive[i].accel;
  jn_lane_enter(s, d);
  jn_lane_rest_kinematics(s, d, d->lane->y, d->lane->dy);
  for (int i = 0; i < d->core->split->rank; i++) {
    const int v = s->core_speed[d->core->cols[i]];
    if (s->coordinate_angle[v]) sum += fabs(dy[s->nq + v] - d->v[v]);
  }
  jn_data_free(d);
  return sum;
}

// own: of each number, whether both paths have it as a state; second: what it may be off by over h^2.
static bool step_lanes(const jn_system *s, jn_integrator integrator, const state *x, double *y,
                       bool *own_state, double *second)
{
  jn_system own = with_options(s, integrator, s->binding.opts.stabilize, STEP);
  jn_error err = {0};
  jn_data *d = NULL;
  if (jn_data_create(&own, &d, &err)) return false;
  memcpy(d->y, x->y, (size_t)(s->nq + s->nv + s->nx) * sizeof *d->y);
  memcpy(d->turn, x->turn, (size_t)s->nq * sizeof *d->turn);
  d->offset = x->t;
  jn_segment_begin(&own, d, x->t);
  jn_inputs_at(&own, d, x->t);
  const bool good = jn_step(&own, d) == JN_STEP_OK && jn_is_fast(d);
  allow_rotors(&own, d, x, second);
  find_own(&own, d, own_state);
  if (good) jn_lane_leave(&own, d);
  memcpy(y, d->y, (size_t)(s->nq + s->nv + s->nx) * sizeof *y);
  for (int i = 0; i < s->nq; i++) y[i] += 2.0 * M_PI * d->turn[i];
  jn_data_free(d);
  return good;
}

void compare_steps(const jn_system *general, const jn_system *lanes, const view *g, const state *x,
                   outcome *o)
{
  const jn_system *s = lanes;
  const size_t n = (size_t)(s->nq + s->nv + s->nx);
  for (int i = 0; i < s->binding.nbreakpoint; i++)
    if (s->binding.breakpoint[i] > x->t - 1e-6 && s->binding.breakpoint[i] < x->t + STEP + 1e-6)
      return;
  double *a = calloc(n + 1, sizeof *a), *b = calloc(n + 1, sizeof *b);
  double *second = calloc(n + 1, sizeof *second);
  bool *own = calloc(n + 1, sizeof *own);
  static const jn_integrator method[] = {JN_INTEGRATOR_EULER, JN_INTEGRATOR_SEMI_EULER};
  const double carried = core_bias(s, x, g->dy);
  for (int m = 0; a && b && own && second && m < 2; m++) {
    if (!step_general(general, method[m], x, a) || !step_lanes(lanes, method[m], x, b, own, second))
      continue;
    double fast = 1.0, sharp = 1.0, worst = 0.0;
    int at = 0;
    for (int i = 0; i < s->nv; i++) {
      fast = fmax(fast, fabs(x->y[s->nq + i]));
      sharp = fmax(sharp, fabs(g->dy[s->nq + i]));
    }
    for (int i = 0; i < (int)n; i++) {
      if (!own[i]) continue;
      // Rates as they are allowed to differ; of positions also what the second order of velocities leaves.
      double allowed = STEP * g->dy_allowed[i] + 4e-16 * (1.0 + fabs(a[i]));
      if (i < s->nq) allowed += STEP * STEP * STEP * fast * (fast * fast + sharp);
      allowed += STEP * STEP * second[i];
      if (second[i] > 0.0) allowed += STEP * STEP * carried;  // an angle of a rotor
      const double ratio = a[i] == b[i] ? 0.0 : fabs(a[i] - b[i]) / allowed;
      if (!(ratio <= worst)) worst = isnan(ratio) ? INFINITY : ratio, at = i;
    }
    note(o, CHECK_FIRST_STEP, worst,
         "%s: number %d of the state (%d positions) is %.15g, lanes %.15g",
         jn_sim_word_of("integrator", (int)method[m]), at, s->nq, a[at], b[at]);
  }
  free(a), free(b), free(own), free(second);
}
