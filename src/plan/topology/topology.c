// topology.c: from a spec to a plan, stage by stage.
#include <stdlib.h>

#include "plan/topology/topology.h"

jn_status jn_model_compile(const jn_spec *spec, const jn_compile_opts *opts, jn_model **out,
                           jn_error *err)
{
  *out = NULL;
  jn_model *m = calloc(1, sizeof *m);
  if (!m) return jn_fail(err, JN_E_MEMORY, spec->pos, NULL, "memory is exhausted");
  m->spec = spec;
  jn_status st = jn_graph_build(m, err);         // bodies and joints   -> nodes and edges
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
