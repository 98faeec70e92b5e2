// system.c: a model made ready to run, stage by stage.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/build.h"
#include "run/run_internal.h"
#include "solve/fast/fast.h"
#include "solve/general/dense_core.h"
#include "spec/scenario_internal.h"
#include "spec/spec_reader.h"

// ---- options --------------------------------------------------------------------------------------

const char *jn_sim_word_of(const char *which, int value)
{
  const jn_field *f = which ? jn_field_of(&jn_solver_object, which) : NULL;
  int n = 0;
  while (f && f->words && f->words[n].word) n++;
  return value >= 0 && value < n ? f->words[value].word : NULL;
}

int jn_sim_word(const char *which, const char *word)
{
  const char *known;
  for (int i = 0; word && (known = jn_sim_word_of(which, i)); i++)
    if (!strcmp(known, word)) return i;
  return -1;
}

static void fill_defaults(jn_sim_opts *o)
{
  if (o->step == 0.0) o->step = 1e-3;
  if (o->end == 0.0) o->end = 1.0;
  if (o->baumgarte == 0.0) o->baumgarte = 0.1 / o->step;
  if (o->newton_iterations == 0) o->newton_iterations = 2;
  if (o->tolerance == 0.0) o->tolerance = 1e-12;
}

jn_sim_opts jn_sim_opts_of(const jn_scenario *c)
{
  jn_sim_opts o = {0};
  if (c) {
    const jn_solver_spec *k = &c->solver;
    o = (jn_sim_opts){.formulation = (jn_formulation)k->formulation,
                      .integrator = (jn_integrator)k->integrator,
                      .stabilize = (jn_stabilize)k->stabilize,
                      .path = (jn_path)k->path,
                      .step = k->step,
                      .end = k->end,
                      .baumgarte = k->baumgarte,
                      .newton_iterations = k->newton_iterations,
                      .tolerance = k->tolerance};
  }
  return o;
}

static jn_status check_opts(const jn_system *s, jn_error *err)
{
  const jn_sim_opts *o = &s->binding.opts;
  const jn_pos none = {NULL, 0, 0};
  const jn_pos pos =
      s->binding.scenario ? s->binding.scenario->pos : none;  // no command has options for these
  if (!(o->step > 0.0) || !isfinite(o->step))
    return jn_fail(err, JN_E_RANGE, none, NULL, "the step is %g s, must be above zero", o->step);
  if (!(o->end > 0.0) || !isfinite(o->end))
    return jn_fail(err, JN_E_RANGE, none, NULL, "the end is at %g s, must be above zero", o->end);
  if (o->end / o->step > 1e12)
    return jn_fail(err, JN_E_LIMIT, none, NULL, "the run has more than 1e12 steps");
  if ((int)o->formulation < 0 || o->formulation >= JN_NFORMULATION || (int)o->integrator < 0 ||
      o->integrator >= JN_NINTEGRATOR || (int)o->stabilize < 0 || o->stabilize >= JN_NSTABILIZE ||
      (int)o->path < 0 || o->path >= JN_NPATH)
    return jn_fail(err, JN_E_CALL, none, NULL,
                   "the options name no formulation, integrator, stabilisation or path");
  if (!(o->baumgarte > 0.0) || !isfinite(o->baumgarte))
    return jn_fail(err, JN_E_RANGE, none, NULL,
                   "the rate of `baumgarte` is %g 1/s, must be above zero", o->baumgarte);
  if (o->newton_iterations < 1 || o->newton_iterations > 100)
    return jn_fail(err, JN_E_RANGE, pos, NULL, "`newton` takes 1 to 100 corrections, not %d",
                   o->newton_iterations);
  if (!(o->tolerance >= 1e-15) || !(o->tolerance < 1.0))
    return jn_fail(err, JN_E_RANGE, pos, NULL, "the tolerance is %g, must be from 1e-15 to 1",
                   o->tolerance);
  if (o->integrator == JN_INTEGRATOR_REFERENCE && o->stabilize == JN_STABILIZE_BAUMGARTE)
    return jn_fail(
        err, JN_E_CALL, none, NULL,
        "`reference` closes loops itself and does not go with `baumgarte`; use `projection`");
  return JN_OK;
}

static void choose_formulation(jn_system *s)
{
  s->formulation = jn_formulations[s->binding.opts.formulation];
  s->core_whole = s->formulation->whole;
  s->core_partition = s->formulation->core == &jn_core_partition;
}

// ---- order and rank -------------------------------------------------------------------------------

enum { MOST_DENSE = 2000 };  // seconds for an evaluation

static jn_status check_size(const jn_system *s, jn_error *err)
{
  for (int b = 0; b < s->nblock; b++)
    if (s->block[b].n > MOST_DENSE)
      return jn_fail(err, JN_E_LIMIT, s->model->spec->pos, NULL,
                     "loops tie %d coordinates together; at most %d can be solved for",
                     s->block[b].n, MOST_DENSE);
  if (s->ncore <= MOST_DENSE && s->ncore_row <= 4 * MOST_DENSE) return JN_OK;
  return jn_fail(err, JN_E_LIMIT, s->model->spec->pos, NULL,
                 "%d coordinates with %d constraints would be solved together; at most %d can be%s",
                 s->ncore, s->ncore_row, MOST_DENSE, s->core_whole ? ": use `subsystem`" : "");
}

// Blocks with more rows than coordinates of their own cannot be eliminated anywhere: into the core, before memory is
// laid out for them. Ends, because more loops are in the core each time.
static int find_short_blocks(const jn_system *s, bool *forced)
{
  int n = 0;
  for (int i = 0; i < s->model->nloop; i++) {
    const int b = s->cut[s->cut_of_edge[s->model->loop[i].cut]].block;
    if (b >= 0 && s->block[b].n < s->block[b].m) forced[i] = true, n++;
  }
  return n;
}

// Blocks whose own rows do not determine as many of their own coordinates here: into the core.
static int find_ill_conditioned_blocks(const jn_system *s, jn_data *d, bool *forced)
{
  int n = 0;
  jn_general_positions(s, d);
  jn_general_factor(s, d);
  for (int b = 0; b < s->nblock; b++) {
    const jn_block *k = &s->block[b];
    double least = INFINITY, most = 0.0;
    for (int i = 0; i < k->m; i++) {
      least = fmin(least, d->block[b].chosen_pivot[i]);
      most = fmax(most, d->block[b].chosen_pivot[i]);
    }
    if (k->n >= k->m && least > 1e-6 * most && isfinite(least)) continue;
    n++;
    for (int i = 0; i < s->model->nloop; i++)
      if (s->cut[s->cut_of_edge[s->model->loop[i].cut]].block == b) forced[i] = true;
  }
  return n;
}

// A coordinate that moves next to nothing alone, such as the turn of a point mass: with multipliers, what constraints
// make of it would be a difference of large numbers.
// Returns the body that it belongs to, -1: there is none such.
static int find_nearly_massless(const jn_system *s, const jn_data *d)
{
  double least = INFINITY, most = 0.0;
  int body = -1;
  for (int k = 0, j = 0; k < s->ncore_body; k++)
    for (int n = 0; n < s->joint[s->core_body[k]].nv; n++, j++) {
      const double m =
          d->core->mass[s->core_first[j + 1] - 1] * s->core_scale[j] * s->core_scale[j];
      if (m < least) body = s->core_body[k];
      least = fmin(least, m);
      most = fmax(most, m);
    }
  return s->ncore_row > 0 && least < 1e-10 * most ? body : -1;
}

// On another system's plan: does its order of elimination serve these numbers?
static void check_order(jn_system *s, const bool *forced, int massless)
{
  for (int i = 0; i < s->model->nloop; i++)
    if (forced[i] && !s->forced[i])
      jn_build_breaks(s,
                      "joints.%s: its loop is ill-conditioned, and the plan eliminates it with the "
                      "coordinates of its own subsystem",
                      s->model->edge[s->model->loop[i].cut].name);
  if (massless >= 0 && !s->core_partition)
    jn_build_breaks(s, "bodies.%s: has next to no mass in its joint, and the plan needs some",
                    jn_node_name(s->model, s->body[massless].node));
}

// Joints whose reactions redundant constraints leave open.
static void note_undetermined(jn_system *s)
{
  char names[200] = "";
  int n = 0;
  size_t used = 0;
  for (int i = 0; i < s->model->nset; i++)
    for (int k = 0; k < s->model->set[i].nundetermined; k++, n++) {
      const char *name = s->model->edge[s->model->set[i].undetermined[k]].name;
      if (used + strlen(name) + 3 < sizeof names)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", n ? " " : "", name);
    }
  if (n)
    jn_build_note(s,
                  "redundant constraints leave reactions of %d joints undetermined (%s); of those "
                  "that fit, the least are reported",
                  n, names);
}

// States of components that measure something begin with what it is at the beginning.
static jn_status start_components(const jn_system *s, jn_data *d, jn_error *err)
{
  if (!s->nuse) return JN_OK;
  jn_inputs_at(s, d, 0.0);
  jn_general_positions(s, d);
  jn_general_velocities(s, d);
  jn_components_act(s, d);
  return jn_components_start(s, d, true) ? JN_OK : jn_build_no_memory(s, err);
}

// Into an order that serves the numbers of the design position. True: it was not there yet.
static bool change_order(jn_system *s, jn_data *d, bool *forced)
{
  memcpy(forced, s->forced, (size_t)s->model->nloop * sizeof *forced);
  const bool again = find_ill_conditioned_blocks(s, d, forced);
  const bool multipliers = !s->core_partition && s->formulation->core == &jn_core_multipliers;
  const int massless = again || !multipliers ? -1 : find_nearly_massless(s, d);
  if (s->like) {
    check_order(s, forced, massless);
    return false;
  }
  memcpy(s->forced, forced, (size_t)s->model->nloop * sizeof *forced);
  s->core_partition |= massless >= 0;
  return again || massless >= 0;
}

static jn_status order_and_assemble(jn_system *s, jn_error *err)
{
  const int nloop = s->model->nloop;
  bool *forced = jn_build_array(s, nloop, sizeof *forced);
  s->forced = jn_build_array(s, nloop, sizeof *s->forced);
  if (!forced || !s->forced) return jn_build_no_memory(s, err);
  if (s->like) {
    memcpy(s->forced, s->like->forced, (size_t)nloop * sizeof *s->forced);
    s->core_partition = s->like->core_partition;
  }
  for (;;) {  // each turn puts more loops into the core
    jn_status st = JN_OK;
    do st = jn_build_order(s, s->forced, err);
    while (!st && find_short_blocks(s, s->forced));
    if (!st) st = check_size(s, err);
    if (!st) st = jn_build_sparsity(s, err);
    jn_data *d = st ? NULL : jn_data_place(s);
    if (!st && !d) st = jn_build_no_memory(s, err);
    if (!st) st = jn_assemble(s, d, false, err);
    if (!st && change_order(s, d, forced)) {
      jn_data_free(d);
      continue;
    }
    if (!st) note_undetermined(s);
    if (!st) jn_design_wheels(s, d);
    if (!st) st = jn_balance(s, d, err);
    if (!st) st = jn_assemble(s, d, true, err);
    if (!st) st = start_components(s, d, err);
    if (!st) {
      memcpy(s->y0, d->y, (size_t)(s->nq + s->nv + s->nx) * sizeof *s->y0);
      memcpy(s->cut0, d->cut_angle, (size_t)s->ncut * sizeof *s->cut0);
    }
    jn_data_free(d);
    return st;
  }
}

// ---- the whole ------------------------------------------------------------------------------------

static jn_status check_plan(jn_system *s, jn_error *err)
{
  if (s->like && s->like->lane && !s->lane)
    jn_build_breaks(s, "the plan is for the fast path: %s", s->lane_reason);
  return s->broken ? jn_fail(err, JN_E_PLAN, s->model->spec->pos, NULL, "%s", s->broken) : JN_OK;
}

jn_status jn_system_build(jn_system *s, jn_error *err)
{
  fill_defaults(&s->binding.opts);
  jn_status st = check_opts(s, err);
  if (!st) choose_formulation(s);
  if (!st) st = jn_build_bodies(s, err);  // plan           -> bodies, joints, cut joints
  if (!st) st = jn_build_forces(s, err);  // spec, scenario -> force elements, inputs, drives
  if (!st) {
    s->y0 = jn_build_array(s, s->nq + s->nv + s->nx, sizeof *s->y0);
    s->cut0 = jn_build_array(s, s->ncut, sizeof *s->cut0);
    if (!s->y0 || !s->cut0) st = jn_build_no_memory(s, err);
  }
  if (!st) st = jn_channels_build(s, err);   // all of that    -> channels
  if (!st) st = jn_build_held(s, err);       //              -> held signals
  if (!st) st = order_and_assemble(s, err);  //              -> blocks, core, initial state
  if (!st) st = jn_lane_build(s, err);       //              -> lanes
  if (!st) st = jn_held_rows_create(s, err);
  if (!st && jn_build_lacks_memory(s)) st = jn_build_no_memory(s, err);
  if (!st) st = check_plan(s, err);
  if (!st) st = jn_snapshot_mark(s, err);  //              -> what saved states are known by
  return st;
}

jn_status jn_system_create(const jn_model *model, const jn_scenario *scenario,
                           const jn_sim_opts *opts, jn_system **out, jn_error *err)
{
  if (out) *out = NULL;
  JN_NEEDS(err, model && out, "a model, and a place for the system");
  jn_system *s = calloc(1, sizeof *s);
  if (!s) return jn_no_memory(err, model->spec->pos);
  s->model = model;
  s->binding.scenario = scenario;
  s->binding.opts = opts ? *opts : jn_sim_opts_of(scenario);
  const jn_status st = jn_system_build(s, err);
  if (st)
    jn_system_free(s);
  else
    *out = s;
  return st;
}

void jn_system_free(jn_system *s)
{
  if (!s) return;
  jn_rows_free(s->held_rows);
  jn_build_plugins_free(s);
  jn_pool_free(&s->pool);
  jn_model_free(s->own_model);
  free(s);
}

const jn_sim_opts *jn_system_opts(const jn_system *s)
{
  return s ? &s->binding.opts : NULL;
}

const char *jn_system_note(const jn_system *s, int i)
{
  return s && i >= 0 && i < s->nnote ? s->note[i] : NULL;
}

jn_status jn_data_create(const jn_system *s, jn_data **out, jn_error *err)
{
  if (out) *out = NULL;
  JN_NEEDS(err, s && out, "a system, and a place for the data");
  *out = jn_data_place(s);
  if (!*out) return jn_build_no_memory(s, err);
  jn_data_reset(*out);
  return JN_OK;
}

void jn_data_free(jn_data *d)
{
  free(d);
}
