// spanning.h: the state of one search for a spanning tree, shared by the files that find it.
#ifndef JN_PLAN_TOPOLOGY_SPANNING_H
#define JN_PLAN_TOPOLOGY_SPANNING_H

#include "plan/topology/topology.h"

typedef struct jn_component {
  int nnode, nedge;
  int *node, *edge;  // edges of the file that may be in the tree, rising
  int root;          // node that chains are measured from; -1: yet to be chosen
  int hang;          // node that the implied joint hangs the root on; -1: automatic
  bool attached;
} jn_component;

typedef struct jn_search {
  jn_model *m;
  jn_error *err;
  int ncomp;
  jn_component *comp;
  int *comp_of;  // (nnode)
  int *local;    // number of a node in its component (nnode)
  // scratch of the tree at hand (nnode)
  int *distance, *queue;
  int *group;     // union-find of Kruskal
  int base;       // node that the user wants as the base, -1: automatic
  int base_edge;  // its free joint to the ground, light while trees are compared, -1: none
  bool parents;   // bodies name parents
} jn_search;

static inline jn_status jn_search_no_memory(const jn_search *s)
{
  return jn_no_memory(s->err, s->m->spec->pos);
}

static inline void *jn_search_scratch(jn_search *s, size_t count, size_t size)
{
  return jn_pool_alloc(&s->m->pool, count, size);  // freed with the model
}

// Breadth-first over the tree from `start`; the node farthest away. Distances in s->distance, nodes in their
// order in s->queue.
int jn_search_farthest(jn_search *s, const jn_component *c, const bool *in_tree, int start);

// A free joint between two nodes that the file does not have.
void jn_search_imply(jn_model *m, int a, int b);

// The stages: a minimum tree of one component into m->in_tree, and its root (minimum.c); all trees of the model
// (enumerate.c); implied joints from every component to what it hangs on (hang.c).
jn_status jn_search_minimum(jn_search *s, jn_component *c);
jn_status jn_search_list(jn_search *s);
jn_status jn_search_hang(jn_search *s);

#endif
