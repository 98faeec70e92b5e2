// topology_json.c: the plan as one JSON object. Keys are described in docs/topology.md.
#include <jansson.h>
#include <stdlib.h>

#include "plan/topology/topology.h"

static json_t *node_name(const jn_model *m, int v)
{
  return json_string(jn_node_name(m, v));
}
static json_t *edge_name(const jn_model *m, int e)
{
  return json_string(m->edge[e].name);
}

static json_t *known(int n)
{
  return n >= 0 ? json_integer(n) : json_null();
}

static json_t *edge_names(const jn_model *m, const int *edge, int n)
{
  json_t *list = json_array();
  for (int i = 0; i < n; i++) json_array_append_new(list, edge_name(m, edge[i]));
  return list;
}

typedef struct collector {
  const jn_model *m;
  json_t *list;
} collector;

static void collect(void *user, int edge, int sign)
{
  collector *c = user;
  (void)sign;
  json_array_append_new(c->list, edge_name(c->m, edge));
}

static json_t *cuts(const jn_model *m)
{
  json_t *list = json_array();
  for (int e = 0; e < m->nedge; e++)
    if (!m->in_tree[e]) json_array_append_new(list, edge_name(m, e));
  return list;
}

static json_t *loops(const jn_model *m)
{
  json_t *list = json_array();
  for (int i = 0; i < m->nloop; i++) {
    collector c = {m, json_array()};
    collect(&c, m->loop[i].cut, 1);
    if (!m->in_tree[m->loop[i].cut]) jn_loop_walk(m, m->loop[i].cut, collect, &c);
    json_array_append_new(list, json_pack("{s:o, s:o, s:i}", "cut", edge_name(m, m->loop[i].cut),
                                          "joints", c.list, "set", m->loop[i].set));
  }
  return list;
}

static json_t *sets(const jn_model *m)
{
  json_t *list = json_array();
  for (int i = 0; i < m->nset; i++) {
    const jn_loop_set *s = &m->set[i];
    json_t *closing = json_array();
    for (int k = 0; k < m->nloop; k++)
      if (m->loop[k].set == i) json_array_append_new(closing, edge_name(m, m->loop[k].cut));
    json_t *set = json_pack("{s:o, s:i, s:i, s:b, s:o, s:o, s:o}", "cuts", closing, "coordinates",
                            s->ncoord, "constraints", s->nrow, "ranked", s->ranked, "rank",
                            known(s->ranked ? s->rank : -1), "design_rank",
                            known(s->ranked ? s->design_rank : -1), "redundant",
                            known(s->ranked ? s->nrow - s->rank : -1));
    json_object_set_new(set, "conditioning", json_real(s->conditioning));
    json_object_set_new(set, "isolated", json_boolean(s->isolated));
    json_object_set_new(set, "gap", json_real(s->gap));
    json_object_set_new(set, "closed_by", json_real(s->closed));
    json_object_set_new(set, "undetermined", edge_names(m, s->undetermined, s->nundetermined));
    json_object_set_new(set, "locked", edge_names(m, s->locked, s->nlocked));
    json_array_append_new(list, set);
  }
  return list;
}

static json_t *decoupled(const jn_model *m)
{
  json_t *list = json_array();
  for (int i = 0; i < m->nset; i++) {
    json_t *closing = json_array();
    for (int k = 0; k < m->nloop; k++)
      if (m->loop[k].set == i) json_array_append_new(closing, edge_name(m, m->loop[k].cut));
    json_array_append_new(list, closing);
  }
  return list;
}

static json_t *chains(const jn_model *m)
{
  json_t *list = json_array();
  for (int i = 0; i < m->nchain; i++) {
    json_t *bodies = json_array();
    int v = m->chain[i].last;
    for (int k = 0; k < m->chain[i].length; k++, v = m->parent[v])
      json_array_insert_new(bodies, 0, node_name(m, v));
    json_array_append_new(list, bodies);
  }
  return list;
}

static json_t *subsystems(const jn_model *m)
{
  json_t *list = json_array();
  for (int i = 0; i < m->nsubsystem; i++) {
    const jn_subsystem *s = &m->subsystem[i];
    json_t *bodies = json_array();
    for (int k = 0; k < s->nbody; k++) json_array_append_new(bodies, node_name(m, s->node[k]));
    json_array_append_new(
        list, json_pack("{s:o, s:i, s:o, s:i, s:i, s:i}", "bodies", bodies, "shape", s->shape,
                        "parent", node_name(m, s->parent), "coordinates", s->ncoord, "constraints",
                        s->nrow, "cuts", s->ncut));
  }
  return list;
}

static json_t *tree(const jn_model *m)
{
  json_t *list = json_array();
  for (int i = 1; i < m->nnode; i++) {
    int v = m->order[i], e = m->parent_edge[v];
    json_array_append_new(
        list, json_pack("{s:o, s:o, s:o, s:s, s:i, s:b, s:f}", "body", node_name(m, v), "parent",
                        node_name(m, m->parent[v]), "joint", edge_name(m, e), "type",
                        jn_joint_kinds[m->edge[e].kind].word, "coordinates", m->edge[e].ncoord,
                        "implied", m->edge[e].joint < 0, "moved_by", m->edge[e].apart));
  }
  return list;
}

static json_t *trees(const jn_model *m)
{
  json_t *list = json_array();
  for (int i = 0; i < m->trees.n; i++)
    json_array_append_new(
        list,
        json_pack("{s:f, s:o}", "weight", m->trees.weight10[i] / 10.0, "cuts",
                  edge_names(m, m->trees.cut + (size_t)i * (size_t)m->trees.ncut, m->trees.ncut)));
  return list;
}

static json_t *core(const jn_model *m)
{
  json_t *list = json_array();
  for (int i = 0; i < m->nnode; i++) {
    int v = m->order[i];
    bool ground = v == JN_NODE_GROUND && m->base != JN_NODE_GROUND;
    if (m->core[v] && !ground) json_array_append_new(list, node_name(m, v));
  }
  return list;
}

static json_t *junctions(const jn_model *m)
{
  json_t *list = json_array();
  int *children = calloc((size_t)m->nnode, sizeof *children);
  for (int v = 1; children && v < m->nnode; v++) children[m->parent[v]]++;
  for (int i = 0; children && i < m->nnode; i++)
    if (children[m->order[i]] > 1) json_array_append_new(list, node_name(m, m->order[i]));
  free(children);
  return list;
}

jn_status jn_model_show_json(const jn_model *m, FILE *out, jn_error *err)
{
  int rows = 0, bodies = m->spec->nbody;
  for (int e = 0; e < m->nfile_edge; e++) rows += m->edge[e].nrow;
  json_t *o = json_object();
  json_object_set_new(o, "model", json_string(m->spec->name));
  json_object_set_new(o, "bodies", json_integer(bodies));
  json_object_set_new(o, "joints", json_integer(m->spec->njoint));
  json_object_set_new(o, "base", node_name(m, m->base));
  json_object_set_new(o, "cuts", cuts(m));
  json_object_set_new(o, "weight", json_real(m->weight10 / 10.0));
  json_object_set_new(o, "longest_chain", json_integer(m->longest_chain));
  json_object_set_new(o, "chain_is_shortest", json_boolean(m->exact_chain));
  if (m->trees.count != 0.0) {
    json_object_set_new(o, "tree_count",
                        m->trees.count > 0.0 ? json_real(m->trees.count) : json_null());
    json_object_set_new(o, "trees", m->trees.n ? trees(m) : json_null());
  }
  json_object_set_new(o, "coordinates", json_integer(m->ncoord));
  json_object_set_new(o, "constraints", json_integer(m->nrow));
  json_object_set_new(o, "dof", known(m->dof));
  json_object_set_new(o, "redundant", known(m->redundant));
  json_object_set_new(o, "singular", json_boolean(m->singular));
  json_object_set_new(
      o, "cartesian",
      json_pack("{s:i, s:i, s:i, s:o}", "coordinates", 7 * bodies, "joint_rows", rows, "rows",
                rows + bodies, "rank", known(m->dof >= 0 ? 7 * bodies - m->dof : -1)));
  json_object_set_new(o, "tree", tree(m));
  json_object_set_new(o, "loops", loops(m));
  json_object_set_new(o, "decoupled", decoupled(m));
  json_object_set_new(o, "sets", sets(m));
  json_object_set_new(o, "chains", chains(m));
  json_object_set_new(o, "junctions", junctions(m));
  json_object_set_new(o, "core", core(m));
  json_object_set_new(o, "subsystems", subsystems(m));
  json_object_set_new(o, "shapes", json_integer(m->nshape));
  json_object_set_new(o, "mass_matrix_nonzeros", json_real(m->nonzeros));
  json_object_set_new(o, "operations",
                      json_pack("{s:f, s:f, s:f, s:f}", "recursive", m->cost.recursive,
                                "independent", m->cost.independent, "subsystem", m->cost.subsystem,
                                "cartesian", m->cost.cartesian));
  int failed = json_dumpf(o, out, JSON_INDENT(2) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(15));
  fputc('\n', out);
  json_decref(o);
  if (failed || ferror(out))
    return jn_fail(err, JN_E_FILE, (jn_pos){NULL, 0, 0}, NULL, "the JSON output cannot be written");
  return JN_OK;
}
