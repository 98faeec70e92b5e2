// graph.c: bodies and joints as a multigraph.
#include <stdlib.h>
#include <string.h>

#include "plan/topology/topology.h"

const char *jn_node_name(const jn_model *m, int node)
{
  return jn_spec_body_name(m->spec, node - 1);
}

int jn_node_by_name(const jn_model *m, const char *name)
{
  for (int v = 0; v < m->nnode; v++)
    if (!strcmp(jn_node_name(m, v), name)) return v;
  return -1;
}

static int by_name(const void *x, const void *y)
{
  return strcmp(((const jn_edge *)x)->name, ((const jn_edge *)y)->name);
}

static jn_edge edge_of_joint(const jn_spec *s, int i)
{
  const jn_joint_spec *j = &s->joint[i];
  const jn_joint_kind_info *kind = &jn_joint_kinds[j->kind];
  bool driven = jn_joint_driven(j);
  return (jn_edge){
      .name = j->name,
      .joint = i,
      .a = j->keys.bodies[0] + 1,
      .b = j->keys.bodies[1] + 1,
      .kind = j->kind,
      .driven = driven,
      .weight10 = driven ? 0 : (int)(10.0 * kind->weight + 0.5),
      .ncoord = driven ? 0 : kind->ncoord,
      .nrow = kind->nrow + (driven ? kind->ncoord : 0),
      .tree_rows = kind->ncoord + kind->nrow > 6 ? kind->ncoord + kind->nrow - 6 : 0,
  };
}

jn_status jn_graph_index(jn_model *m, jn_error *err)
{
  m->incident_at = jn_pool_alloc(&m->pool, (size_t)m->nnode + 2, sizeof(int));
  m->incident = jn_pool_alloc(&m->pool, 2 * (size_t)m->nedge, sizeof(int));
  if (!m->incident_at || !m->incident) return jn_no_memory(err, m->spec->pos);
  int *at = m->incident_at + 1;  // at[v] runs to the end of slice v while it is filled
  for (int e = 0; e < m->nedge; e++) at[m->edge[e].a + 1]++, at[m->edge[e].b + 1]++;
  for (int v = 0; v < m->nnode; v++) at[v + 1] += at[v];
  for (int e = 0; e < m->nedge; e++) {
    m->incident[at[m->edge[e].a]++] = e;
    m->incident[at[m->edge[e].b]++] = e;
  }
  return JN_OK;
}

jn_status jn_graph_build(jn_model *m, jn_error *err)
{
  const jn_spec *s = m->spec;
  m->nnode = s->nbody + 1;
  m->nedge = m->nfile_edge = s->njoint;
  // Every floating component may get an implied joint.
  m->edge = jn_pool_alloc(&m->pool, (size_t)s->njoint + (size_t)s->nbody + 1, sizeof *m->edge);
  if (!m->edge) return jn_no_memory(err, s->pos);
  for (int i = 0; i < s->njoint; i++) {
    m->edge[i] = edge_of_joint(s, i);
    m->ground_named |= m->edge[i].a == JN_NODE_GROUND || m->edge[i].b == JN_NODE_GROUND;
  }
  qsort(m->edge, (size_t)m->nedge, sizeof *m->edge, by_name);
  return jn_graph_index(m, err);
}
