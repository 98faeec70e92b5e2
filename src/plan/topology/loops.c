// loops.c: the loops that the cut joints close, which of them share coordinates, and the chains.
#include <stdlib.h>

#include "base/union_find.h"
#include "plan/topology/topology.h"

void jn_loop_walk(const jn_model *m, int cut, jn_visit visit, void *user)
{
  int a = m->edge[cut].a, b = m->edge[cut].b, below = b;
  while (m->depth[b] > m->depth[a]) b = m->parent[b];
  while (a != b) {
    if (m->depth[a] >= m->depth[b]) {
      visit(user, m->parent_edge[a], -1);
      a = m->parent[a];
    }
    while (m->depth[b] > m->depth[a]) b = m->parent[b];
  }
  for (int v = below; v != a; v = m->parent[v]) visit(user, m->parent_edge[v], +1);
}

typedef struct walk {
  jn_model *m;
  int *group;  // union-find over loops
  int *owner;  // first loop that has this tree joint, -1: none yet (nedge)
  int loop;
} walk;

// Loops that meet in a joint with coordinates move together.
static void meet(void *user, int edge, int sign)
{
  walk *w = user;
  (void)sign;
  w->m->loop[w->loop].length++;
  w->m->in_loop[edge] = true;
  if (w->m->edge[edge].ncoord == 0) return;
  if (w->owner[edge] < 0)
    w->owner[edge] = w->loop;
  else
    w->group[jn_group_find(w->group, w->loop)] = jn_group_find(w->group, w->owner[edge]);
}

static jn_status find_sets(jn_model *m, jn_error *err)
{
  walk w = {.m = m};
  w.group = jn_pool_alloc(&m->pool, (size_t)m->nloop, sizeof(int));
  w.owner = jn_pool_alloc(&m->pool, (size_t)m->nedge + 1, sizeof(int));
  m->set = jn_pool_alloc(&m->pool, (size_t)m->nloop, sizeof *m->set);
  int *number = jn_pool_alloc(&m->pool, (size_t)m->nloop, sizeof(int));
  if (!w.group || !w.owner || !m->set || !number) return jn_no_memory(err, m->spec->pos);
  for (int e = 0; e < m->nedge; e++) w.owner[e] = -1;
  for (int i = 0; i < m->nloop; i++) w.group[i] = i, number[i] = -1;
  for (w.loop = 0; w.loop < m->nloop; w.loop++) {
    m->loop[w.loop].length = 1;
    jn_loop_walk(m, m->loop[w.loop].cut, meet, &w);
  }
  for (int i = 0; i < m->nloop; i++) {  // sets in the order of their first cut joint
    int g = jn_group_find(w.group, i);
    if (number[g] < 0) number[g] = m->nset++;
    jn_loop_set *set = &m->set[m->loop[i].set = number[g]];
    set->nloop++;
    set->nrow += m->edge[m->loop[i].cut].nrow;
  }
  for (int e = 0; e < m->nedge; e++)
    if (w.owner[e] >= 0) m->set[m->loop[w.owner[e]].set].ncoord += m->edge[e].ncoord;
  return JN_OK;
}

// Chains run from a junction (or the ground) over bodies with one child each to the next junction,
// which ends them, or to the last body.
static jn_status find_chains(jn_model *m, jn_error *err)
{
  int *children = jn_pool_alloc(&m->pool, (size_t)m->nnode, sizeof(int));
  m->chain = jn_pool_alloc(&m->pool, (size_t)m->nnode, sizeof *m->chain);
  int *chain_of = jn_pool_alloc(&m->pool, (size_t)m->nnode, sizeof(int));
  if (!children || !m->chain || !chain_of) return jn_no_memory(err, m->spec->pos);
  for (int v = 1; v < m->nnode; v++) children[m->parent[v]]++;
  for (int i = 1; i < m->nnode; i++) {
    int v = m->order[i], p = m->parent[v];
    bool begins = p == JN_NODE_GROUND || children[p] > 1;
    int c = begins ? m->nchain++ : chain_of[p];
    if (begins) m->chain[c].first = v;
    m->chain[c].last = v;
    m->chain[c].length++;
    chain_of[v] = c;
  }
  return JN_OK;
}

// Element (i, j) of the mass matrix differs from zero where one coordinate moves the other's body: on the
// path to the root.
static void count_nonzeros(jn_model *m, double *above)
{
  m->nonzeros = 0.0;
  for (int i = 1; i < m->nnode; i++) {
    int v = m->order[i], n = m->edge[m->parent_edge[v]].ncoord;
    above[v] = above[m->parent[v]] + n;
    m->nonzeros += n * above[m->parent[v]] + 0.5 * n * (n + 1);
  }
}

// A cut joint, or a distance joint in the tree: its row closes a loop with its own six coordinates.
static bool closes_loop(const jn_model *m, int e)
{
  return !m->in_tree[e] || m->edge[e].tree_rows > 0;
}

jn_status jn_loops_find(jn_model *m, jn_error *err)
{
  for (int e = 0; e < m->nedge; e++) {
    m->ncut += !m->in_tree[e];
    m->nloop += closes_loop(m, e);
  }
  m->loop = jn_pool_alloc(&m->pool, (size_t)m->nloop, sizeof *m->loop);
  m->in_loop = jn_pool_alloc(&m->pool, (size_t)m->nedge + 1, sizeof *m->in_loop);
  double *above = jn_pool_alloc(&m->pool, (size_t)m->nnode, sizeof *above);
  if (!m->loop || !m->in_loop || !above) return jn_no_memory(err, m->spec->pos);
  int n = 0;
  for (int e = 0; e < m->nedge; e++)
    if (closes_loop(m, e)) m->loop[n++].cut = e;
  count_nonzeros(m, above);
  jn_status st = find_sets(m, err);
  return st ? st : find_chains(m, err);
}
