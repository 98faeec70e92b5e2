// topology.c: from a spec to a plan, stage by stage.
#include <stdlib.h>

#include "plan/topology/topology.h"

// The caller's choices, so that another spec can be compiled likewise.
static jn_status keep_opts(jn_model *m, const jn_compile_opts *o, jn_error *err)
{
  if (!o) return JN_OK;
  m->opts = *o;
  bool good = !o->base || (m->opts.base = jn_pool_text(&m->pool, o->base));
  const char **cut = jn_pool_alloc(&m->pool, (size_t)o->ncut + 1, sizeof *cut);
  for (int i = 0; cut && i < o->ncut; i++)
    good &= (cut[i] = jn_pool_text(&m->pool, o->cut[i])) != NULL;
  m->opts.cut = cut;
  return good && cut ? JN_OK : jn_no_memory(err, m->spec->pos);
}

jn_status jn_model_compile(const jn_spec *spec, const jn_compile_opts *opts, jn_model **out,
                           jn_error *err)
{
  if (out) *out = NULL;
  JN_NEEDS(err, spec && out && (!opts || jn_has_texts(opts->cut, opts->ncut)),
           "a spec, as many names of joints to cut as are announced, and a place for the model");
  jn_model *m = calloc(1, sizeof *m);
  if (!m) return jn_no_memory(err, spec->pos);
  m->spec = spec;
  jn_status st = keep_opts(m, opts, err);
  if (!st) st = jn_graph_build(m, err);          // bodies and joints   -> nodes and edges
  if (!st) st = jn_spanning_find(m, opts, err);  // weights             -> tree, base, cut joints
  if (!st) st = jn_loops_find(m, err);           // cut joints          -> loops, decoupled sets
  if (!st) st = jn_subsystems_find(m, err);      // tree and loops      -> core, subsystems, shapes
  if (!st) st = jn_ranks_find(m, err);           // geometry            -> ranks, redundancy, DOF
  if (!st) jn_costs_estimate(m);                 // counts              -> operations
  if (st)
    jn_model_free(m);
  else
    *out = m;
  return st;
}

void jn_model_free(jn_model *model)
{
  if (!model) return;
  jn_pool_free(&model->pool);
  free(model);
}

jn_model_counts jn_model_count(const jn_model *m)
{
  if (!m) return (jn_model_counts){0};
  return (jn_model_counts){
      .bodies = m->spec->nbody,
      .joints = m->spec->njoint,
      .cuts = m->ncut,
      .coordinates = m->ncoord,
      .constraints = m->nrow,
      .dof = m->dof,
      .redundant = m->redundant,
      .singular = m->singular,
      .weight = m->weight10 / 10.0,
      .longest_chain = m->longest_chain,
      .operations = m->cost.subsystem,
  };
}
