// spanning.c: the minimum-weight spanning tree, and what the model hangs on.
//
// Fewer tree coordinates and fewer constraint rows make the equations smaller, which the weights of the
// joints express (Tsai & Haug 1989, table 1 in Perera, Romano & Nunez 2006). Among trees of one weight
// the one with the shortest longest chain wins, then the one with the first joints by name.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/union_find.h"
#include "plan/topology/spanning.h"
#include "spec/names.h"

// ---- components -------------------------------------------------------------------------------

typedef struct touched_node {
  const char *force;  // first force by name that touches it, NULL: none
  int side, node;     // which of that force's bodies it is
} touched_node;

static int by_force(const void *x, const void *y)
{
  const touched_node *a = x, *b = y;
  int order = a->force && b->force ? strcmp(a->force, b->force) : !a->force - !b->force;
  return order ? order : a->side - b->side;
}

// Bodies by the first force that touches them: the order in which those without a joint are numbered.
static int *sorted_nodes(jn_search *s)
{
  jn_model *m = s->m;
  touched_node *list = jn_search_scratch(s, (size_t)m->nnode, sizeof *list);
  int *node = jn_search_scratch(s, (size_t)m->nnode, sizeof *node);
  if (!list || !node) return NULL;
  for (int v = 0; v < m->nnode; v++) list[v].node = v;
  for (int i = 0; i < m->spec->nforce; i++) {
    const char *name = m->spec->force[i].name;
    int body[2], n = jn_force_bodies(m->spec, &m->spec->force[i], body);
    for (int side = 0; side < n; side++) {
      touched_node *t = &list[body[side] + 1];
      if (!t->force || strcmp(name, t->force) < 0) t->force = name, t->side = side;
    }
  }
  qsort(list + 1, (size_t)m->nnode - 1, sizeof *list, by_force);  // the ground stays in front
  for (int i = 1; i < m->nnode; i++) node[i - 1] = list[i].node;
  return node;
}

// Take in everything that joints reach from `start`.
static void flood(jn_search *s, int start, int c, int *fill)
{
  jn_model *m = s->m;
  int head = *fill;
  s->queue[(*fill)++] = start;
  s->comp_of[start] = c;
  for (; head < *fill; head++) {
    int v = s->queue[head];
    for (int i = m->incident_at[v]; i < m->incident_at[v + 1]; i++) {
      int w = jn_other(&m->edge[m->incident[i]], v);
      if (s->comp_of[w] < 0) s->comp_of[w] = c, s->queue[(*fill)++] = w;
    }
  }
}

// The ground is always component 0, alone if no joint names it; the others by their first joint, then
// lone bodies by their first force.
static jn_status find_components(jn_search *s)
{
  jn_model *m = s->m;
  s->comp_of = jn_search_scratch(s, (size_t)m->nnode, sizeof(int));
  s->local = jn_search_scratch(s, (size_t)m->nnode, sizeof(int));
  s->queue = jn_search_scratch(s, (size_t)m->nnode, sizeof(int));
  s->distance = jn_search_scratch(s, (size_t)m->nnode, sizeof(int));
  s->group = jn_search_scratch(s, (size_t)m->nnode, sizeof(int));
  s->comp = jn_search_scratch(s, (size_t)m->nnode, sizeof *s->comp);
  int *nodes = jn_search_scratch(s, (size_t)m->nnode, sizeof(int));
  int *edges = jn_search_scratch(s, (size_t)m->nedge + 1, sizeof(int));
  int *sorted = sorted_nodes(s);
  if (m->pool.failed) return jn_search_no_memory(s);
  for (int v = 0; v < m->nnode; v++) s->comp_of[v] = -1;
  int fill = 0;
  flood(s, JN_NODE_GROUND, s->ncomp++, &fill);
  for (int e = 0; e < m->nedge; e++)
    if (s->comp_of[m->edge[e].a] < 0) flood(s, m->edge[e].a, s->ncomp++, &fill);
  for (int i = 0; i < m->nnode - 1; i++)
    if (s->comp_of[sorted[i]] < 0) flood(s, sorted[i], s->ncomp++, &fill);

  for (int v = 0; v < m->nnode; v++) s->comp[s->comp_of[v]].nnode++;
  for (int e = 0; e < m->nedge; e++) s->comp[s->comp_of[m->edge[e].a]].nedge++;
  for (int c = 0; c < s->ncomp; c++) {
    jn_component *k = &s->comp[c];
    k->node = nodes, k->edge = edges;
    nodes += k->nnode, edges += k->nedge;
    k->nnode = k->nedge = 0;
    k->root = k->hang = -1;
  }
  for (int i = 0; i < m->nnode; i++) {  // in the order of the flood: independent of the file's
    jn_component *k = &s->comp[s->comp_of[s->queue[i]]];
    s->local[s->queue[i]] = k->nnode;
    k->node[k->nnode++] = s->queue[i];
  }
  for (int e = 0; e < m->nedge; e++)
    if (!m->edge[e].must_cut) {
      jn_component *k = &s->comp[s->comp_of[m->edge[e].a]];
      k->edge[k->nedge++] = e;
    }
  return JN_OK;
}

// ---- the user's choices -----------------------------------------------------------------------

// Every component must hold together without the joints that the user cuts.
static jn_status check_cuts(jn_search *s)
{
  jn_model *m = s->m;
  for (int v = 0; v < m->nnode; v++) s->group[v] = v;
  for (int e = 0; e < m->nedge; e++)
    if (!m->edge[e].must_cut)
      s->group[jn_group_find(s->group, m->edge[e].a)] = jn_group_find(s->group, m->edge[e].b);
  for (int e = 0; e < m->nedge; e++) {
    const jn_edge *edge = &m->edge[e];
    if (jn_group_find(s->group, edge->a) != jn_group_find(s->group, edge->b)) {
      return jn_fail(s->err, JN_E_TOPOLOGY, m->spec->joint[edge->joint].pos,
                     jn_entry("joints", edge->name).text,
                     "cannot be cut: without it \"%s\" and \"%s\" are not connected",
                     jn_node_name(m, edge->a), jn_node_name(m, edge->b));
    }
  }
  return JN_OK;
}

// A name of the call that the model does not have.
static jn_status unknown(const jn_search *s, const char *what, const char *use,
                         const jn_nearest *near)
{
  return jn_fail(s->err, JN_E_CALL, (jn_pos){s->m->spec->pos.file, 0, 0}, NULL,
                 "the model has no %s \"%s\" %s%s", what,
                 jn_quoted(near->wanted, strlen(near->wanted), 80).text, use, jn_hint(near).text);
}

static jn_status mark_cuts(jn_search *s, const jn_compile_opts *opts)
{
  jn_model *m = s->m;
  for (int e = 0; e < m->nedge && !(opts && opts->automatic); e++)
    for (int i = 0; i < m->spec->topology.cut.n; i++)
      m->edge[e].must_cut |= m->edge[e].joint == m->spec->topology.cut.i[i];
  for (int i = 0; opts && i < opts->ncut; i++) {
    jn_nearest near = jn_nearest_to(opts->cut[i]);
    const int e = JN_FIND(&near, m->edge, m->nedge);
    if (e < 0) return unknown(s, "joint", "to cut", &near);
    m->edge[e].must_cut = true;
  }
  return check_cuts(s);
}

// Roots that are known: the ground, the user's base, bodies that name a parent.
static jn_status choose_roots(jn_search *s)
{
  jn_model *m = s->m;
  s->comp[0].root = JN_NODE_GROUND;
  s->comp[0].attached = true;
  for (int v = 1; v < m->nnode; v++) {
    const jn_body_spec *b = &m->spec->body[v - 1];
    if (!JN_GIVEN(&b->keys, jn_body_keys, parent)) continue;
    jn_component *c = &s->comp[s->comp_of[v]];
    const char *wrong =
        s->comp_of[v] == 0                                ? "joints connect it to the ground"
        : s->comp_of[b->keys.parent + 1] == s->comp_of[v] ? "joints connect it to that body"
        : c->root >= 0 ? "another body of those that joints connect it to has one too"
                       : NULL;
    char path[96];
    snprintf(path, sizeof path, "bodies.%s.parent", b->name);
    if (wrong) return jn_fail(s->err, JN_E_TOPOLOGY, b->pos, path, "it needs no parent: %s", wrong);
    c->root = v;
    c->hang = b->keys.parent + 1;
    s->parents = true;
  }
  if (s->base > 0 && s->comp_of[s->base] != 0) {
    s->comp[s->comp_of[s->base]].root = s->base;
    s->comp[s->comp_of[s->base]].hang = -1;
  }
  return JN_OK;
}

static jn_status find_base(jn_search *s, const jn_compile_opts *opts)
{
  const jn_model *m = s->m;
  s->base = s->base_edge = -1;
  if (JN_GIVEN(&m->spec->topology, jn_topology_spec, base) && !(opts && opts->automatic))
    s->base = m->spec->topology.base + 1;
  if (opts && opts->base && (s->base = jn_node_by_name(m, opts->base)) < 0) {
    jn_nearest near = jn_nearest_to(opts->base);
    for (int v = 0; v < m->nnode; v++) jn_nearest_try(&near, jn_node_name(m, v));
    return unknown(s, "body", "to be the base", &near);
  }
  return JN_OK;
}

// A base that joints connect to the ground floats all the same if the user wants it: on six
// coordinates, with the joints of the ground as constraints.
static jn_status float_base(jn_search *s)
{
  jn_model *m = s->m;
  if (s->base <= 0 || s->comp_of[s->base] != 0) return JN_OK;
  for (int e = 0; e < m->nedge; e++)
    if (jn_edge_free(&m->edge[e]) && !m->edge[e].must_cut && m->edge[e].a * m->edge[e].b == 0 &&
        m->edge[e].a + m->edge[e].b == s->base) {
      m->edge[s->base_edge = e].weight10 = -1;  // it has a free joint to the ground already
      return JN_OK;
    }
  jn_search_imply(m, JN_NODE_GROUND, s->base);
  m->edge[s->base_edge = m->nedge - 1].weight10 = -1;  // before all others: always in the tree
  jn_status st = jn_graph_index(m, s->err);
  s->ncomp = 0;
  return st ? st : find_components(s);
}

// The implied free joint is called after the body that it sets free; no joint of a file has a colon.
void jn_search_imply(jn_model *m, int a, int b)
{
  char name[JN_NAME_MAX + 8];
  snprintf(name, sizeof name, "free:%s", jn_node_name(m, b));
  const char *kept = jn_pool_text(&m->pool, name);
  m->edge[m->nedge++] = (jn_edge){.name = kept ? kept : jn_node_name(m, b),
                                  .joint = -1,
                                  .a = a,
                                  .b = b,
                                  .kind = JN_JOINT_FREE,
                                  .ncoord = jn_joint_kinds[JN_JOINT_FREE].ncoord};
}

// ---- trees -----------------------------------------------------------------------------------------

int jn_search_farthest(jn_search *s, const jn_component *c, const bool *in_tree, int start)
{
  const jn_model *m = s->m;
  for (int i = 0; i < c->nnode; i++) s->distance[c->node[i]] = -1;
  int head = 0, fill = 0;
  s->queue[fill++] = start;
  s->distance[start] = 0;
  for (; head < fill; head++) {
    int v = s->queue[head];
    for (int i = m->incident_at[v]; i < m->incident_at[v + 1]; i++) {
      int e = m->incident[i], w = jn_other(&m->edge[e], v);
      if (in_tree[e] && s->distance[w] < 0) {
        s->distance[w] = s->distance[v] + 1;
        s->queue[fill++] = w;
      }
    }
  }
  return s->queue[fill - 1];
}

// ---- the whole tree -------------------------------------------------------------------------------

static jn_status root_tree(jn_search *s)
{
  jn_model *m = s->m;
  jn_status st = jn_graph_index(m, s->err);
  m->parent = jn_search_scratch(s, (size_t)m->nnode, sizeof(int));
  m->parent_edge = jn_search_scratch(s, (size_t)m->nnode, sizeof(int));
  m->depth = jn_search_scratch(s, (size_t)m->nnode, sizeof(int));
  m->order = jn_search_scratch(s, (size_t)m->nnode, sizeof(int));
  if (st || !m->parent || !m->parent_edge || !m->depth || !m->order) return jn_search_no_memory(s);
  int fill = 0;
  m->parent[0] = m->parent_edge[0] = -1;
  m->order[fill++] = JN_NODE_GROUND;
  for (int head = 0; head < fill; head++) {
    int v = m->order[head];
    for (int i = m->incident_at[v]; i < m->incident_at[v + 1]; i++) {
      int e = m->incident[i], w = jn_other(&m->edge[e], v);
      if (!m->in_tree[e] || e == m->parent_edge[v]) continue;
      m->parent[w] = v;
      m->parent_edge[w] = e;
      m->depth[w] = m->depth[v] + 1;
      m->order[fill++] = w;
    }
    if (m->depth[v] > m->longest_chain) m->longest_chain = m->depth[v];
  }
  for (int e = 0; e < m->nedge; e++)
    if (m->in_tree[e]) m->weight10 += m->edge[e].weight10;
  return JN_OK;
}

// The base is the user's choice; else the free body that carries most; the ground, if anything but
// free joints leads there.
static jn_status choose_base(jn_search *s)
{
  jn_model *m = s->m;
  int *size = jn_search_scratch(s, (size_t)m->nnode, sizeof(int));
  if (!size) return jn_search_no_memory(s);
  for (int i = m->nnode - 1; i > 0; i--) {
    int v = m->order[i];
    size[m->parent[v]] += ++size[v];
  }
  bool grounded = false;
  for (int i = m->incident_at[0]; i < m->incident_at[1]; i++)
    grounded |= !jn_edge_free(&m->edge[m->incident[i]]);
  m->base = s->base >= 0 ? s->base : JN_NODE_GROUND;
  if (s->base >= 0 || grounded) return JN_OK;
  for (int i = 1; i < m->nnode; i++) {
    int v = m->order[i];
    if (m->parent[v] != JN_NODE_GROUND || !jn_edge_free(&m->edge[m->parent_edge[v]])) continue;
    if (m->base == JN_NODE_GROUND || size[v] > size[m->base]) m->base = v;
  }
  return JN_OK;
}

jn_status jn_spanning_find(jn_model *m, const jn_compile_opts *opts, jn_error *err)
{
  jn_search s = {.m = m, .err = err};
  m->in_tree = jn_pool_alloc(&m->pool, (size_t)m->nedge + (size_t)m->nnode + 1, sizeof *m->in_tree);
  s.group = jn_search_scratch(&s, (size_t)m->nnode, sizeof(int));
  if (!m->in_tree || !s.group) return jn_search_no_memory(&s);
  jn_status st = mark_cuts(&s, opts);
  if (!st) st = find_base(&s, opts);
  if (!st) st = find_components(&s);
  if (!st && opts && opts->trees) st = jn_search_list(&s);
  if (!st) st = float_base(&s);
  if (!st) st = choose_roots(&s);
  if (st) return st;

  m->exact_chain = true;
  for (int c = 0; c < s.ncomp && !st; c++) st = jn_search_minimum(&s, &s.comp[c]);
  if (st) return st;
  if (s.base_edge >= 0)
    m->edge[s.base_edge].weight10 = (int)(10.0 * jn_joint_kinds[JN_JOINT_FREE].weight + 0.5);
  int first_implied = m->nedge;
  st = jn_search_hang(&s);
  if (st) return st;
  for (int e = first_implied; e < m->nedge; e++) m->in_tree[e] = true;
  st = root_tree(&s);
  return st ? st : choose_base(&s);
}
