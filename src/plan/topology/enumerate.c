// enumerate.c: how many spanning trees a multigraph has, and which.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/union_find.h"
#include "plan/topology/spanning.h"

// Kirchhoff's theorem: the number of spanning trees is any cofactor of the Laplacian. Bareiss'
// elimination keeps every intermediate a whole number, so the result is exact as long as 128 bits
// hold it.
double jn_spanning_count(int nnode, int nedge, const int (*ends)[2])
{
  enum { MOST_NODES = 128 };
  if (nnode <= 1) return 1.0;
  if (nnode > MOST_NODES) return -1.0;
  int n = nnode - 1;
  __int128 *a = calloc((size_t)n * (size_t)n, sizeof *a);
  if (!a) return NAN;
#define A(i, j) a[(i)*n + (j)]
  for (int e = 0; e < nedge; e++) {
    int i = ends[e][0] - 1, j = ends[e][1] - 1;  // node 0 is the row and column left out
    if (i == j) continue;
    if (i >= 0) A(i, i)++;
    if (j >= 0) A(j, j)++;
    if (i >= 0 && j >= 0) A(i, j)--, A(j, i)--;
  }
  __int128 previous = 1;
  bool overflow = false;
  for (int k = 0; k < n - 1 && !overflow && A(k, k) != 0; k++) {
    for (int i = k + 1; i < n; i++)
      for (int j = k + 1; j < n; j++) {
        __int128 x, y, z;
        overflow |= __builtin_mul_overflow(A(i, j), A(k, k), &x);
        overflow |= __builtin_mul_overflow(A(i, k), A(k, j), &y);
        overflow |= __builtin_sub_overflow(x, y, &z);
        A(i, j) = overflow ? 0 : z / previous;
      }
    previous = A(k, k);
  }
  // The Laplacian is positive semidefinite: a zero pivot means a graph that is not connected.
  bool apart = false;
  for (int k = 0; k < n - 1; k++) apart |= A(k, k) == 0;
  double count = overflow ? -1.0 : apart ? 0.0 : (double)A(n - 1, n - 1);
#undef A
  free(a);
  return count;
}

typedef struct enumeration {
  int nnode, nedge;
  const int (*ends)[2];
  jn_visit_tree visit;
  void *user;
  int *chosen, nchosen;
  int *group;  // scratch: union-find
} enumeration;

// Groups of nodes that the chosen edges join; with `rest`, those from that edge on as well.
static int join(enumeration *n, int rest)
{
  int groups = n->nnode;
  for (int v = 0; v < n->nnode; v++) n->group[v] = v;
  for (int i = 0; i < n->nchosen + (n->nedge - rest); i++) {
    int e = i < n->nchosen ? n->chosen[i] : rest + i - n->nchosen;
    int a = jn_group_find(n->group, n->ends[e][0]), b = jn_group_find(n->group, n->ends[e][1]);
    if (a != b) n->group[a] = b, groups--;
  }
  return groups;
}

// Every tree either has edge e or has it not; a branch is entered only if it holds a tree.
static bool branch(enumeration *n, int e)
{
  if (n->nchosen == n->nnode - 1) return n->visit(n->user, n->chosen, n->nchosen);
  join(n, n->nedge);
  if (jn_group_find(n->group, n->ends[e][0]) != jn_group_find(n->group, n->ends[e][1])) {
    n->chosen[n->nchosen++] = e;
    bool go_on = branch(n, e + 1);
    n->nchosen--;
    if (!go_on) return false;
  }
  return join(n, e + 1) > 1 || branch(n, e + 1);
}

bool jn_spanning_each(int nnode, int nedge, const int (*ends)[2], jn_visit_tree visit, void *user)
{
  enumeration n = {nnode, nedge, ends, visit, user, NULL, 0, NULL};
  n.chosen = calloc((size_t)nnode, sizeof(int));
  n.group = calloc((size_t)nnode, sizeof(int));
  bool done = n.chosen && n.group && (join(&n, 0) > 1 || branch(&n, 0));
  free(n.chosen);
  free(n.group);
  return done;
}

// ---- all trees, for those who want to see them ----------------------------------------------------

typedef struct listed {
  int weight10, n;
  const int *cut;
} listed;

typedef struct listing {
  const jn_search *s;
  const int *edge;  // in the graph that is enumerated
  int nedge, ncut, n;
  int *weight10, *cut;
} listing;

static bool list_tree(void *user, const int *chosen, int n)
{
  listing *l = user;
  int at = 0, *cut = l->cut + (size_t)l->n * (size_t)l->ncut, ncut = 0;
  l->weight10[l->n] = 0;
  for (int e = 0; e < l->s->m->nfile_edge; e++) {
    bool in = at < n && l->edge[chosen[at]] == e;
    if (in)
      l->weight10[l->n] += l->s->m->edge[e].weight10, at++;
    else
      cut[ncut++] = e;
  }
  return ++l->n < JN_TREES_LISTED;
}

static int by_weight(const void *x, const void *y)
{
  const listed *a = x, *b = y;
  if (a->weight10 != b->weight10) return a->weight10 < b->weight10 ? -1 : 1;
  for (int i = 0; i < a->n; i++)  // later joints cut first: the tree keeps the earlier ones
    if (a->cut[i] != b->cut[i]) return a->cut[i] > b->cut[i] ? -1 : 1;
  return 0;
}

// Components hang together at one node each, which changes no tree of any of them.
jn_status jn_search_list(jn_search *s)
{
  jn_model *m = s->m;
  int(*ends)[2] = jn_search_scratch(s, (size_t)m->nfile_edge + 1, sizeof *ends);
  int *edge = jn_search_scratch(s, (size_t)m->nfile_edge + 1, sizeof(int));
  int *number = jn_search_scratch(s, (size_t)m->nnode, sizeof(int));
  if (!ends || !edge || !number) return jn_search_no_memory(s);
  int nodes = 1, nedge = 0;
  for (int v = 0; v < m->nnode; v++) number[v] = s->local[v] ? nodes++ : 0;
  for (int e = 0; e < m->nfile_edge; e++)
    if (!m->edge[e].must_cut) {
      ends[nedge][0] = number[m->edge[e].a], ends[nedge][1] = number[m->edge[e].b];
      edge[nedge++] = e;
    }
  jn_tree_list *t = &m->trees;
  t->count = jn_spanning_count(nodes, nedge, (const int(*)[2])ends);
  if (isnan(t->count)) return jn_search_no_memory(s);
  if (!(t->count >= 1.0 && t->count <= JN_TREES_LISTED)) return JN_OK;
  size_t n = (size_t)t->count, ncut = (size_t)(m->nfile_edge - (nodes - 1));
  t->weight10 = jn_search_scratch(s, n, sizeof(int));
  t->cut = jn_search_scratch(s, n * ncut + 1, sizeof(int));
  listing l = {s,
               edge,
               nedge,
               (int)ncut,
               0,
               jn_search_scratch(s, n, sizeof(int)),
               jn_search_scratch(s, n * ncut + 1, sizeof(int))};
  listed *sorted = jn_search_scratch(s, n, sizeof *sorted);
  if (!t->weight10 || !t->cut || !l.weight10 || !l.cut || !sorted) return jn_search_no_memory(s);
  jn_spanning_each(nodes, nedge, (const int(*)[2])ends, list_tree, &l);
  if ((size_t)l.n < n) return jn_search_no_memory(s);
  for (size_t i = 0; i < n; i++) sorted[i] = (listed){l.weight10[i], (int)ncut, l.cut + i * ncut};
  qsort(sorted, n, sizeof *sorted, by_weight);
  for (size_t i = 0; i < n; i++) {
    t->weight10[i] = sorted[i].weight10;
    memcpy(t->cut + i * ncut, sorted[i].cut, ncut * sizeof(int));
  }
  t->n = l.n;
  t->ncut = (int)ncut;
  return JN_OK;
}
