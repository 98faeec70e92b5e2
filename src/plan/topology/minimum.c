// minimum.c: one minimum-weight spanning tree of a component, with the shortest longest chain.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/union_find.h"
#include "plan/topology/spanning.h"

// ---- one tree ---------------------------------------------------------------------------------

// Sum of all chains from a node, in joints.
static double chain_sum(jn_search *s, const jn_component *c, const bool *in_tree, int from)
{
  double sum = 0.0;
  jn_search_farthest(s, c, in_tree, from);
  for (int i = 0; i < c->nnode; i++) sum += s->distance[c->node[i]];
  return sum;
}

// Better as a base of two: the one that all chains together are shorter from, the heavier body, the one
// with the first joint by name, that joint's first body.
static bool better_base(jn_search *s, const jn_component *c, const bool *in_tree, int v, int w)
{
  const jn_model *m = s->m;
  double sv = chain_sum(s, c, in_tree, v), sw = chain_sum(s, c, in_tree, w);
  if (sv != sw) return sv < sw;
  double mv = m->spec->body[v - 1].keys.mass, mw = m->spec->body[w - 1].keys.mass;
  if (mv != mw) return mv > mw;
  const int first_v = m->incident[m->incident_at[v]], first_w = m->incident[m->incident_at[w]];
  return first_v != first_w ? first_v < first_w : m->edge[first_v].a == v;
}

// Longest chain of the tree from its root, in joints; without a root, from the best one, *centre.
static int chain_length(jn_search *s, const jn_component *c, const bool *in_tree, int *centre)
{
  if (c->root >= 0) {
    *centre = c->root;
    return s->distance[jn_search_farthest(s, c, in_tree, c->root)];
  }
  int u = jn_search_farthest(s, c, in_tree, c->node[0]), v = jn_search_farthest(s, c, in_tree, u);
  int diameter = s->distance[v], middle[2] = {-1, -1};
  // One or two centres lie in the middle of the path from v back to u.
  for (int at = v, d = diameter; d >= diameter / 2; d--) {
    if (d <= (diameter + 1) / 2) middle[d - diameter / 2] = at;
    int next = at;
    for (int i = s->m->incident_at[at]; i < s->m->incident_at[at + 1]; i++) {
      int e = s->m->incident[i], w = jn_other(&s->m->edge[e], at);
      if (in_tree[e] && s->distance[w] == d - 1) next = w;
    }
    at = next;
  }
  *centre = middle[0];
  if (middle[1] >= 0 && better_base(s, c, in_tree, middle[1], middle[0])) *centre = middle[1];
  return (diameter + 1) / 2;
}

// The tree with the earlier joints by name comes first.
static bool earlier(const jn_component *c, const bool *x, const bool *y)
{
  for (int i = 0; i < c->nedge; i++)
    if (x[c->edge[i]] != y[c->edge[i]]) return x[c->edge[i]];
  return false;
}

// ---- all minimum trees, if they are few ---------------------------------------------------------
// Kruskal takes the weights in rising order. After each weight the nodes it has joined are the same in
// every minimum tree, so the trees of one weight among the groups joined before are free choices.

typedef struct
    choice {  // ways to join one connected group of contracted nodes by edges of one weight
  int nway, size;
  int *way;  // edges (nway x size)
  int at;
} choice;

typedef struct choices {
  jn_search *s;
  jn_pool pool;
  int n;
  choice *item;  // at most one for each edge
  double product;
  const int *edge_of;  // of the group being enumerated
} choices;

static bool keep_way(void *user, const int *edge, int n)
{
  choices *k = user;
  choice *c = &k->item[k->n];
  for (int i = 0; i < n; i++) c->way[c->nway * n + i] = k->edge_of[edge[i]];
  c->nway++;
  return true;
}

// Enumerate the ways of one group of edges; false: too many.
static bool add_choice(choices *k, const int *edge, int n, int *number)
{
  jn_search *s = k->s;
  if (n == 0) return true;
  int(*ends)[2] = jn_pool_alloc(&k->pool, (size_t)n, sizeof *ends), nodes = 0;
  if (!ends) return false;
  for (int i = 0; i < n; i++)
    for (int side = 0; side < 2; side++) {
      const jn_edge *e = &s->m->edge[edge[i]];
      int g = jn_group_find(s->group, side ? e->b : e->a);
      if (number[g] < 0) number[g] = nodes++;
      ends[i][side] = number[g];
    }
  for (int i = 0; i < n; i++) {  // leave the numbers as they were
    number[jn_group_find(s->group, s->m->edge[edge[i]].a)] = -1;
    number[jn_group_find(s->group, s->m->edge[edge[i]].b)] = -1;
  }
  double count = n == nodes - 1 ? 1.0 : jn_spanning_count(nodes, n, (const int(*)[2])ends);
  k->pool.failed |= isnan(count);
  if (!(count > 0.0 && k->product * count <= JN_TREES_LISTED)) return false;
  choice *c = &k->item[k->n];
  c->size = nodes - 1;
  c->way = jn_pool_alloc(&k->pool, (size_t)count * (size_t)c->size, sizeof *c->way);
  if (!c->way) return false;
  if (n == c->size) {
    memcpy(c->way, edge, (size_t)n * sizeof *edge);
    c->nway = 1;
  } else {
    k->edge_of = edge;
    k->pool.failed |= !jn_spanning_each(nodes, n, (const int(*)[2])ends, keep_way, k);
  }
  k->product *= count;
  k->n++;
  return !k->pool.failed;
}

static int *edges_of_weight(const jn_search *s, const jn_component *c, int weight10, int *list,
                            int *n)
{
  *n = 0;
  for (int i = 0; i < c->nedge; i++) {
    const jn_edge *e = &s->m->edge[c->edge[i]];
    if (e->weight10 == weight10 && jn_group_find(s->group, e->a) != jn_group_find(s->group, e->b))
      list[(*n)++] = c->edge[i];
  }
  return list;
}

// Split the edges of one weight into connected groups and enumerate each.
static bool add_choices(choices *k, const jn_component *c, int weight10, int *list, int *number)
{
  jn_search *s = k->s;
  int n;
  edges_of_weight(s, c, weight10, list, &n);
  bool good = true;
  int *joined = number + s->m->nnode, *group = joined + s->m->nnode;  // second union-find
  for (int i = 0; i < n; i++) {
    const jn_edge *e = &s->m->edge[list[i]];
    joined[jn_group_find(s->group, e->a)] = jn_group_find(s->group, e->a);
    joined[jn_group_find(s->group, e->b)] = jn_group_find(s->group, e->b);
  }
  for (int i = 0; i < n; i++) {
    const jn_edge *e = &s->m->edge[list[i]];
    joined[jn_group_find(joined, jn_group_find(s->group, e->a))] =
        jn_group_find(joined, jn_group_find(s->group, e->b));
  }
  for (int i = 0; i < n && good; i++) {
    if (list[i] < 0) continue;
    int root = jn_group_find(joined, jn_group_find(s->group, s->m->edge[list[i]].a)), size = 0;
    for (int j = i; j < n; j++)
      if (list[j] >= 0 &&
          jn_group_find(joined, jn_group_find(s->group, s->m->edge[list[j]].a)) == root) {
        group[size++] = list[j];
        list[j] = -1;
      }
    good = add_choice(k, group, size, number);
  }
  for (int i = 0; i < c->nedge; i++) {
    const jn_edge *e = &s->m->edge[c->edge[i]];
    if (e->weight10 == weight10)
      s->group[jn_group_find(s->group, e->a)] = jn_group_find(s->group, e->b);
  }
  return good;
}

// Compare all minimum trees of a component; false: there are too many. The winner in m->in_tree.
static bool compare_all(jn_search *s, jn_component *c, jn_status *st)
{
  jn_model *m = s->m;
  choices k = {.s = s, .product = 1.0};
  int *list = jn_pool_alloc(&k.pool, (size_t)c->nedge, sizeof *list);
  int *number = jn_pool_alloc(&k.pool, 3 * (size_t)m->nnode + (size_t)m->nedge, sizeof *number);
  bool *tree = jn_pool_alloc(&k.pool, (size_t)m->nedge, sizeof *tree);
  k.item = jn_pool_alloc(&k.pool, (size_t)c->nedge, sizeof *k.item);
  bool all = !k.pool.failed;
  for (int v = 0; v < m->nnode; v++) {
    s->group[v] = v;
    if (number) number[v] = -1;
  }
  for (int w = -2, next; all; w = next) {  // weights in rising order
    next = INT32_MAX;
    for (int i = 0; i < c->nedge; i++) {
      int x = m->edge[c->edge[i]].weight10;
      if (x > w && x < next) next = x;
    }
    if (next == INT32_MAX) break;
    all = add_choices(&k, c, next, list, number);
  }
  all = all && k.product * c->nnode <= 2e7;
  int best = INT32_MAX, length, centre;
  while (all) {
    for (int i = 0; i < c->nedge; i++) tree[c->edge[i]] = false;
    for (int i = 0; i < k.n; i++)
      for (int j = 0; j < k.item[i].size; j++)
        tree[k.item[i].way[k.item[i].at * k.item[i].size + j]] = true;
    length = chain_length(s, c, tree, &centre);
    if (length < best || (length == best && earlier(c, tree, m->in_tree))) {
      best = length;
      for (int i = 0; i < c->nedge; i++) m->in_tree[c->edge[i]] = tree[c->edge[i]];
    }
    int i = 0;
    while (i < k.n && ++k.item[i].at == k.item[i].nway) k.item[i++].at = 0;
    if (i == k.n) break;
  }
  if (k.pool.failed) *st = jn_search_no_memory(s);
  jn_pool_free(&k.pool);
  return all;
}

// ---- a minimum tree with short chains, if they are many -------------------------------------------
// Prim's algorithm from the root; of joints of one weight it takes the one nearest the root.

typedef struct heap_item {
  int weight10, depth, edge, to;
} heap_item;

static bool before(const heap_item *x, const heap_item *y)
{
  if (x->weight10 != y->weight10) return x->weight10 < y->weight10;
  if (x->depth != y->depth) return x->depth < y->depth;
  return x->edge < y->edge;
}

static void heap_push(heap_item *heap, int *n, heap_item item)
{
  int i = (*n)++;
  for (; i > 0 && before(&item, &heap[(i - 1) / 2]); i = (i - 1) / 2) heap[i] = heap[(i - 1) / 2];
  heap[i] = item;
}

static heap_item heap_pop(heap_item *heap, int *n)
{
  heap_item top = heap[0], last = heap[--*n];
  int i = 0;
  for (int child; (child = 2 * i + 1) < *n; i = child) {
    if (child + 1 < *n && before(&heap[child + 1], &heap[child])) child++;
    if (!before(&heap[child], &last)) break;
    heap[i] = heap[child];
  }
  heap[i] = last;
  return top;
}

static jn_status grow(jn_search *s, const jn_component *c, int root, bool *tree)
{
  const jn_model *m = s->m;
  heap_item *heap = malloc((2 * (size_t)c->nedge + 1) * sizeof *heap);
  if (!heap) return jn_search_no_memory(s);
  int n = 0, v = root;
  for (int i = 0; i < c->nnode; i++) s->distance[c->node[i]] = -1;
  for (int i = 0; i < c->nedge; i++) tree[c->edge[i]] = false;
  s->distance[root] = 0;
  for (;;) {
    for (int i = m->incident_at[v]; i < m->incident_at[v + 1]; i++) {
      int e = m->incident[i], w = jn_other(&m->edge[e], v);
      if (!m->edge[e].must_cut && s->distance[w] < 0)
        heap_push(heap, &n, (heap_item){m->edge[e].weight10, s->distance[v], e, w});
    }
    while (n > 0 && s->distance[heap[0].to] >= 0) heap_pop(heap, &n);
    if (n == 0) break;
    heap_item next = heap_pop(heap, &n);
    tree[next.edge] = true;
    v = next.to;
    s->distance[v] = next.depth + 1;
  }
  free(heap);
  return JN_OK;
}

static jn_status grow_shortest(jn_search *s, jn_component *c)
{
  jn_model *m = s->m;
  bool *tree = calloc((size_t)m->nedge + 1, sizeof *tree);
  if (!tree) return jn_search_no_memory(s);
  int best = INT32_MAX, root = c->root >= 0 ? c->root : c->node[0], centre;
  jn_status st = JN_OK;
  for (int round = 0; round < 8 && !st; round++) {  // from the centre of the tree before
    st = grow(s, c, root, tree);
    if (st) break;
    int length = chain_length(s, c, tree, &centre);
    if (length >= best) break;
    best = length;
    for (int i = 0; i < c->nedge; i++) m->in_tree[c->edge[i]] = tree[c->edge[i]];
    if (centre == root) break;
    root = centre;
  }
  free(tree);
  return st;
}

jn_status jn_search_minimum(jn_search *s, jn_component *c)
{
  jn_status st = JN_OK;
  if (c->nnode > 1 && !compare_all(s, c, &st) && !st) {
    s->m->exact_chain = false;
    st = grow_shortest(s, c);
  }
  if (!st && c->root < 0) chain_length(s, c, s->m->in_tree, &c->root);
  return st;
}
