// enumerate.c: how many spanning trees a multigraph has, and which.
#include <stdlib.h>
#include <string.h>

#include "topo/plan.h"

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
  if (!a) return -1.0;
#define A(i, j) a[(i) * n + (j)]
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

static int find(int *group, int v)
{
  while (group[v] != v) v = group[v] = group[group[v]];
  return v;
}

// Groups of nodes that the chosen edges join; with `rest`, those from that edge on as well.
static int join(enumeration *n, int rest)
{
  int groups = n->nnode;
  for (int v = 0; v < n->nnode; v++) n->group[v] = v;
  for (int i = 0; i < n->nchosen + (n->nedge - rest); i++) {
    int e = i < n->nchosen ? n->chosen[i] : rest + i - n->nchosen;
    int a = find(n->group, n->ends[e][0]), b = find(n->group, n->ends[e][1]);
    if (a != b) n->group[a] = b, groups--;
  }
  return groups;
}

// Every tree either has edge e or has it not; a branch is entered only if it holds a tree.
static bool branch(enumeration *n, int e)
{
  if (n->nchosen == n->nnode - 1) return n->visit(n->user, n->chosen, n->nchosen);
  join(n, n->nedge);
  if (find(n->group, n->ends[e][0]) != find(n->group, n->ends[e][1])) {
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
