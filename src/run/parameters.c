// parameters.c: another block of parameters on the same plan, and how a run goes on with it.
//
// The block is built as any system is, so that its numbers are those of a cold start, but for the decisions of the plan that
// hang on numbers: these are taken over and checked. Then all that is plan is compared, item by item.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/quat.h"
#include "run/plan_list.h"
#include "run/run_internal.h"
#include "solve/general/dense_core.h"
#include "spec/spec_internal.h"

// ---- the block ------------------------------------------------------------------------------------

typedef void (*listing)(jn_plan_list *list, const jn_system *s);

static void list_model(jn_plan_list *list, const jn_system *s)
{
  jn_plan_list_model(list, s->model);
}

static jn_status compare(const jn_system *like, const jn_system *s, listing list_of, jn_error *err)
{
  jn_plan_list plan = {0}, own = {0};
  list_of(&plan, like);
  list_of(&own, s);
  const jn_status st = jn_plan_list_compare(&plan, &own, s->model->spec->pos, err);
  jn_plan_list_free(&plan);
  jn_plan_list_free(&own);
  return st;
}

jn_status jn_system_with(const jn_system *like, const jn_spec *changed, jn_system **out,
                         jn_error *err)
{
  if (out) *out = NULL;
  JN_NEEDS(err, like && changed && out, "a system, a spec, and a place for the other system");
  jn_system *s = calloc(1, sizeof *s);
  if (!s) return jn_no_memory(err, changed->pos);
  jn_status st = jn_model_compile(changed, &like->model->opts, &s->own_model, err);
  s->model = s->own_model;
  s->binding.scenario = like->binding.scenario;
  s->binding.opts = like->binding.opts;
  s->like = like;
  if (!st)
    st = compare(like, s, list_model, err);  // indices of the plan mean the same from here on
  if (!st) st = jn_system_build(s, err);
  if (!st) st = compare(like, s, jn_plan_list_system, err);
  s->like = NULL;
  if (st)
    jn_system_free(s);
  else
    *out = s;
  return st;
}

// ---- a run that goes on with it ----------------------------------------------------------------------

static const double CLOSED = 1e-14,
                    CLOSED_ENOUGH = 1e-9;  // of the loops' size, as assembling has them
static const double FAR =
    0.2;  // radians, or sizes of the loops: no change of parameters is to move anything by more

// Choices of dependent coordinates and of rows, which a cold start makes too.
static void forget_choices(const jn_system *s, jn_data *d)
{
  jn_core_data *c = d->core;
  for (int i = 0; i < s->nblock; i++) *d->block[i].chosen = false;
  memset(c->choice, 0, sizeof *c->choice);
  memset(c->split, 0, sizeof *c->split);
  memset(c->square, 0, (size_t)s->ncore_row * sizeof *c->square);
}

static bool is_free(const jn_tree_joint *j)  // to go anywhere, in any direction
{
  return j->nv == 6 && j->nmove == 2 && j->move[0].kind == JN_MOVE_SLIDES &&
         j->move[1].kind == JN_MOVE_SPHERE;
}

// A body that is free to go anywhere stays where it is, though its anchor is another point of it: the base, whose centre of gravity
// has moved. Its points are at R (x - anchor) + anchor + q.
static void move_anchors(const jn_system *s, jn_data *d)
{
  for (int i = s->nframe; i < s->nbody; i++) {
    const jn_tree_joint *j = &s->joint[i];
    const v3 by = v3_sub(s->body[i].anchor, d->anchor[i]);
    d->anchor[i] = s->body[i].anchor;
    if (!is_free(j) || v3_dot(by, by) == 0.0) continue;
    const double *e = d->y + j->sphere;
    double *q = d->y + j->q, *v = d->y + s->nq + j->v;
    const v3 turned = q_rotate(q_normalise(q_load(e)), by);
    v3_store(q, v3_add(v3_load(q), v3_sub(turned, by)));
    v3_store(v, v3_add(v3_load(v), v3_cross(v3_load(v + 3), turned)));
  }
}

static double residual_of(const jn_system *s, jn_data *d, int *cut)
{
  double most = 0.0;
  jn_general_positions(s, d);
  for (int i = 0; i < s->ncut; i++)
    for (int r = s->cut[i].row; r < s->cut[i].row + s->cut[i].nrow; r++) {
      const double open = fabs(d->residual[r]) * s->length_scale[r];
      if (!(open <= most)) most = open, *cut = i;
    }
  return most;
}

// Newton's method with the mass-weighted corrections of a step, until no more digits are to be had, or it goes too far.
static double close_loops(const jn_system *s, jn_data *d, double t, int *cut)
{
  enum { MOST = 16, AT_LEAST = 6 };
  double way = 0.0;
  jn_inputs_at(s, d, t);
  double open = residual_of(s, d, cut);
  for (int n = 0; n < MOST && !(open <= CLOSED); n++) {
    const double before = open;
    jn_correct_positions(s, d, t, 1, true);
    jn_unit_quaternions(s, d);
    double farthest = 0.0;
    for (int v = 0; v < s->nv; v++)
      farthest = fmax(farthest, fabs(d->qdd[v]) / s->coordinate_scale[v]);
    way += farthest;
    open = residual_of(s, d, cut);
    if (!isfinite(open) || (n >= AT_LEAST && open >= 0.5 * before)) break;
  }
  return way <= FAR ? open : INFINITY;
}

jn_status jn_parameters_take(jn_data *d, bool moved, jn_error *err)
{
  const jn_system *s = d->system;
  const double t = jn_time(d);
  d->q = d->y, d->v = d->y + s->nq, d->x = d->v + s->nv;
  forget_choices(s, d);
  move_anchors(s, d);
  if (moved && s->nrow) {
    int cut = 0;
    d->closing = true;
    const double open = close_loops(s, d, t, &cut);
    if (open <= CLOSED_ENOUGH) jn_evaluate_stage(s, d, t, d->y, d->dy, d->rate, true);
    d->closing = false;
    if (!(open <= CLOSED_ENOUGH))
      return jn_fail(err, JN_E_RANGE, s->model->spec->pos, NULL,
                     "joints.%s: its loop cannot be closed from where the run is at %.6g s; make "
                     "the change in smaller steps",
                     s->model->edge[s->cut[cut].edge].name, t);
    jn_wrap_and_normalise(s, d);
    forget_choices(s, d);
  }
  d->events++;
  d->lanes_fresh = false;
  jn_state_set(d);
  return JN_OK;
}
