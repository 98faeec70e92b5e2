// spanning.c: the minimum-weight spanning tree, and what the model hangs on.
//
// Fewer tree coordinates and fewer constraint rows make the equations smaller, which the weights of the
// joints express (Tsai & Haug 1989, table 1 in Perera, Romano & Nunez 2006). Among trees of one weight
// the one with the shortest longest chain wins, then the one with the first joints by name.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topo/plan.h"

// ---- components -------------------------------------------------------------------------------

typedef struct component {
  int nnode, nedge;
  int *node, *edge;  // edges of the file that may be in the tree, rising
  int root;          // node that chains are measured from; -1: yet to be chosen
  int hang;          // node that the implied joint hangs the root on; -1: automatic
  bool attached;
} component;

typedef struct search {
  jn_model *m;
  jn_error *err;
  int ncomp;
  component *comp;
  int *comp_of;  // (nnode)
  int *local;    // number of a node in its component (nnode)
  // scratch of the tree at hand (nnode)
  int *distance, *queue;
  int *group;    // union-find of Kruskal
  int base;      // node that the user wants as the base, -1: automatic
  bool parents;  // bodies name parents
} search;

static jn_status no_memory(const search *s)
{
  return jn_fail(s->err, JN_E_MEMORY, s->m->spec->pos, NULL, "memory is exhausted");
}

static void *scratch(search *s, size_t count, size_t size)
{
  return jn_pool_alloc(&s->m->pool, count, size);
}

typedef struct named_node {
  const char *name;
  int node;
} named_node;

static int by_node_name(const void *x, const void *y)
{
  return strcmp(((const named_node *)x)->name, ((const named_node *)y)->name);
}

// Bodies by name: the order in which lone ones are numbered.
static int *sorted_nodes(search *s)
{
  jn_model *m = s->m;
  named_node *list = scratch(s, (size_t)m->nnode, sizeof *list);
  int *node = scratch(s, (size_t)m->nnode, sizeof *node);
  if (!list || !node) return NULL;
  for (int v = 1; v < m->nnode; v++) list[v - 1] = (named_node){jn_node_name(m, v), v};
  qsort(list, (size_t)m->nnode - 1, sizeof *list, by_node_name);
  for (int i = 0; i < m->nnode - 1; i++) node[i] = list[i].node;
  return node;
}

// Take in everything that joints reach from `start`.
static void flood(search *s, int start, int c, int *fill)
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
// lone bodies by name.
static jn_status find_components(search *s)
{
  jn_model *m = s->m;
  s->comp_of = scratch(s, (size_t)m->nnode, sizeof(int));
  s->local = scratch(s, (size_t)m->nnode, sizeof(int));
  s->queue = scratch(s, (size_t)m->nnode, sizeof(int));
  s->distance = scratch(s, (size_t)m->nnode, sizeof(int));
  s->group = scratch(s, (size_t)m->nnode, sizeof(int));
  s->comp = scratch(s, (size_t)m->nnode, sizeof *s->comp);
  int *nodes = scratch(s, (size_t)m->nnode, sizeof(int));
  int *edges = scratch(s, (size_t)m->nedge + 1, sizeof(int));
  int *sorted = sorted_nodes(s);
  if (!s->comp_of || !s->local || !s->queue || !s->distance || !s->group || !s->comp || !nodes ||
      !edges || !sorted)
    return no_memory(s);
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
    component *k = &s->comp[c];
    k->node = nodes, k->edge = edges;
    nodes += k->nnode, edges += k->nedge;
    k->nnode = k->nedge = 0;
    k->root = k->hang = -1;
  }
  for (int i = 0; i < m->nnode; i++) {  // in the order of the flood: independent of the file's
    component *k = &s->comp[s->comp_of[s->queue[i]]];
    s->local[s->queue[i]] = k->nnode;
    k->node[k->nnode++] = s->queue[i];
  }
  for (int e = 0; e < m->nedge; e++)
    if (!m->edge[e].must_cut) {
      component *k = &s->comp[s->comp_of[m->edge[e].a]];
      k->edge[k->nedge++] = e;
    }
  return JN_OK;
}

// ---- the user's choices -----------------------------------------------------------------------

static int find(int *group, int v)
{
  while (group[v] != v) v = group[v] = group[group[v]];
  return v;
}

// Every component must hold together without the joints that the user cuts.
static jn_status check_cuts(search *s)
{
  jn_model *m = s->m;
  for (int v = 0; v < m->nnode; v++) s->group[v] = v;
  for (int e = 0; e < m->nedge; e++)
    if (!m->edge[e].must_cut)
      s->group[find(s->group, m->edge[e].a)] = find(s->group, m->edge[e].b);
  for (int e = 0; e < m->nedge; e++) {
    const jn_edge *edge = &m->edge[e];
    if (find(s->group, edge->a) != find(s->group, edge->b)) {
      char path[96];
      snprintf(path, sizeof path, "joints.%s", edge->name);
      return jn_fail(s->err, JN_E_TOPOLOGY, m->spec->joint[edge->joint].pos, path,
                     "cannot be cut: without it \"%s\" and \"%s\" are not connected",
                     jn_node_name(m, edge->a), jn_node_name(m, edge->b));
    }
  }
  return JN_OK;
}

static jn_status mark_cuts(search *s, const jn_compile_opts *opts)
{
  jn_model *m = s->m;
  for (int e = 0; e < m->nedge; e++)
    for (int i = 0; i < m->spec->topology.cut.n; i++)
      m->edge[e].must_cut |= m->edge[e].joint == m->spec->topology.cut.i[i];
  for (int i = 0; opts && i < opts->ncut; i++) {
    int e = 0;
    while (e < m->nedge && strcmp(m->edge[e].name, opts->cut[i])) e++;
    if (e == m->nedge)
      return jn_fail(s->err, JN_E_CALL, m->spec->pos, NULL, "the model has no joint \"%s\" to cut",
                     opts->cut[i]);
    m->edge[e].must_cut = true;
  }
  return check_cuts(s);
}

// The implied free joint is called after the body that it sets free.
static void add_implied(jn_model *m, int a, int b)
{
  m->edge[m->nedge++] = (jn_edge){.name = jn_node_name(m, b), .joint = -1, .a = a, .b = b,
                                  .kind = JN_JOINT_FREE,
                                  .ncoord = jn_joint_kinds[JN_JOINT_FREE].ncoord};
}

// Roots that are known: the ground, the user's base, bodies that name a parent.
static jn_status choose_roots(search *s)
{
  jn_model *m = s->m;
  s->comp[0].root = JN_NODE_GROUND;
  s->comp[0].attached = true;
  for (int v = 1; v < m->nnode; v++) {
    const jn_body_spec *b = &m->spec->body[v - 1];
    if (!JN_GIVEN(&b->keys, jn_body_keys, parent)) continue;
    component *c = &s->comp[s->comp_of[v]];
    const char *wrong = s->comp_of[v] == 0 ? "joints connect it to the ground"
                        : s->comp_of[b->keys.parent + 1] == s->comp_of[v]
                            ? "joints connect it to that body"
                        : c->root >= 0 ? "another body of those that joints connect it to has one too"
                                       : NULL;
    char path[96];
    snprintf(path, sizeof path, "bodies.%s.parent", b->name);
    if (wrong)
      return jn_fail(s->err, JN_E_TOPOLOGY, b->pos, path, "it needs no parent: %s", wrong);
    c->root = v;
    c->hang = b->keys.parent + 1;
    s->parents = true;
  }
  if (s->base > 0 && s->comp_of[s->base] != 0) s->comp[s->comp_of[s->base]].root = s->base;
  return JN_OK;
}

static jn_status find_base(search *s, const jn_compile_opts *opts)
{
  const jn_model *m = s->m;
  s->base = -1;
  if (JN_GIVEN(&m->spec->topology, jn_topology_spec, base)) s->base = m->spec->topology.base + 1;
  if (opts && opts->base && (s->base = jn_node_by_name(m, opts->base)) < 0)
    return jn_fail(s->err, JN_E_CALL, m->spec->pos, NULL, "the model has no body \"%s\" to be the base",
                   opts->base);
  return JN_OK;
}

// A base that joints connect to the ground floats all the same if the user wants it: on six
// coordinates, with the joints of the ground as constraints.
static jn_status float_base(search *s)
{
  jn_model *m = s->m;
  if (s->base <= 0 || s->comp_of[s->base] != 0) return JN_OK;
  for (int e = 0; e < m->nedge; e++)
    if (jn_edge_free(&m->edge[e]) && !m->edge[e].must_cut && m->edge[e].a + m->edge[e].b == s->base)
      return JN_OK;  // it has a free joint to the ground already
  add_implied(m, JN_NODE_GROUND, s->base);
  m->edge[m->nedge - 1].weight10 = -1;  // before all others: always in the tree
  jn_status st = jn_graph_index(m, s->err);
  s->ncomp = 0;
  return st ? st : find_components(s);
}

// ---- one tree ---------------------------------------------------------------------------------

// Breadth-first over the tree from `start`; the node farthest away. Distances in s->distance.
static int farthest(search *s, const component *c, const bool *in_tree, int start)
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

// Sum of all chains from a node, in joints.
static double chain_sum(search *s, const component *c, const bool *in_tree, int from)
{
  double sum = 0.0;
  farthest(s, c, in_tree, from);
  for (int i = 0; i < c->nnode; i++) sum += s->distance[c->node[i]];
  return sum;
}

// Better as a base of two: the one that all chains together are shorter from, the heavier body, the one
// with the first joint by name, that joint's first body.
static bool better_base(search *s, const component *c, const bool *in_tree, int v, int w)
{
  const jn_model *m = s->m;
  double sv = chain_sum(s, c, in_tree, v), sw = chain_sum(s, c, in_tree, w);
  if (sv != sw) return sv < sw;
  double mv = m->spec->body[v - 1].keys.mass, mw = m->spec->body[w - 1].keys.mass;
  if (mv != mw) return mv > mw;
  for (int i = m->incident_at[v], k = m->incident_at[w];
       i < m->incident_at[v + 1] && k < m->incident_at[w + 1]; i++, k++) {
    if (m->incident[i] != m->incident[k]) return m->incident[i] < m->incident[k];
    if (m->edge[m->incident[i]].a != m->edge[m->incident[k]].b)
      return m->edge[m->incident[i]].a == v;
  }
  return m->edge[m->incident[m->incident_at[v]]].a == v;
}

// Longest chain of the tree from its root, in joints; without a root, from the best one, *centre.
static int chain_length(search *s, const component *c, const bool *in_tree, int *centre)
{
  if (c->root >= 0) {
    *centre = c->root;
    return s->distance[farthest(s, c, in_tree, c->root)];
  }
  int u = farthest(s, c, in_tree, c->node[0]), v = farthest(s, c, in_tree, u);
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
static bool earlier(const component *c, const bool *x, const bool *y)
{
  for (int i = 0; i < c->nedge; i++)
    if (x[c->edge[i]] != y[c->edge[i]]) return x[c->edge[i]];
  return false;
}

// ---- all minimum trees, if they are few ---------------------------------------------------------
// Kruskal takes the weights in rising order. After each weight the nodes it has joined are the same in
// every minimum tree, so the trees of one weight among the groups joined before are free choices.

typedef struct choice {  // ways to join one connected group of contracted nodes by edges of one weight
  int nway, size;
  int *way;  // edges (nway x size)
  int at;
} choice;

typedef struct choices {
  search *s;
  int n, room;
  choice *item;
  double product;
  const int *edge_of;  // of the group being enumerated
  bool failed;
} choices;

static bool keep_way(void *user, const int *edge, int n)
{
  choices *k = user;
  choice *c = &k->item[k->n];
  if (c->nway == c->at) {  // room
    int room = c->at ? 2 * c->at : 8;
    int *way = realloc(c->way, (size_t)room * (size_t)n * sizeof(int));
    if (!way) return !(k->failed = true);
    c->way = way;
    c->at = room;
  }
  c->size = n;
  for (int i = 0; i < n; i++) c->way[c->nway * n + i] = k->edge_of[edge[i]];
  c->nway++;
  return true;
}

// Enumerate the ways of one group of edges; false: too many.
static bool add_choice(choices *k, const int *edge, int n, int *number)
{
  search *s = k->s;
  if (n == 0) return true;
  int(*ends)[2] = malloc((size_t)n * sizeof *ends), nodes = 0;
  if (!ends) return !(k->failed = true);
  for (int i = 0; i < n; i++)
    for (int side = 0; side < 2; side++) {
      const jn_edge *e = &s->m->edge[edge[i]];
      int g = find(s->group, side ? e->b : e->a);
      if (number[g] < 0) number[g] = nodes++;
      ends[i][side] = number[g];
    }
  for (int i = 0; i < n; i++) {  // leave the numbers as they were
    number[find(s->group, s->m->edge[edge[i]].a)] = -1;
    number[find(s->group, s->m->edge[edge[i]].b)] = -1;
  }
  double count = n == nodes - 1 ? 1.0 : jn_spanning_count(nodes, n, (const int(*)[2])ends);
  bool fits = count > 0.0 && k->product * count <= JN_TREES_LISTED;
  if (fits && k->n == k->room) {
    int room = k->room ? 2 * k->room : 16;
    choice *item = realloc(k->item, (size_t)room * sizeof *item);
    if (!item) {
      free(ends);
      return !(k->failed = true);
    }
    k->item = item;
    k->room = room;
  }
  if (fits) {
    k->item[k->n] = (choice){0};
    k->edge_of = edge;
    if (n == nodes - 1) {
      choice *c = &k->item[k->n];
      c->way = malloc((size_t)n * sizeof(int));
      if (c->way) memcpy(c->way, edge, (size_t)n * sizeof(int));
      k->failed |= !c->way;
      c->nway = 1;
      c->size = n;
    } else {
      jn_spanning_each(nodes, n, (const int(*)[2])ends, keep_way, k);
    }
    k->item[k->n].at = 0;
    k->product *= count;
    k->n++;
  }
  free(ends);
  return fits && !k->failed;
}

static int *edges_of_weight(const search *s, const component *c, int weight10, int *list, int *n)
{
  *n = 0;
  for (int i = 0; i < c->nedge; i++) {
    const jn_edge *e = &s->m->edge[c->edge[i]];
    if (e->weight10 == weight10 && find(s->group, e->a) != find(s->group, e->b))
      list[(*n)++] = c->edge[i];
  }
  return list;
}

// Split the edges of one weight into connected groups and enumerate each.
static bool add_choices(choices *k, const component *c, int weight10, int *list, int *number)
{
  search *s = k->s;
  int n;
  edges_of_weight(s, c, weight10, list, &n);
  bool good = true;
  int *joined = number + s->m->nnode, *group = joined + s->m->nnode;  // second union-find
  for (int i = 0; i < n; i++) {
    const jn_edge *e = &s->m->edge[list[i]];
    joined[find(s->group, e->a)] = find(s->group, e->a);
    joined[find(s->group, e->b)] = find(s->group, e->b);
  }
  for (int i = 0; i < n; i++) {
    const jn_edge *e = &s->m->edge[list[i]];
    joined[find(joined, find(s->group, e->a))] = find(joined, find(s->group, e->b));
  }
  for (int i = 0; i < n && good; i++) {
    if (list[i] < 0) continue;
    int root = find(joined, find(s->group, s->m->edge[list[i]].a)), size = 0;
    for (int j = i; j < n; j++)
      if (list[j] >= 0 && find(joined, find(s->group, s->m->edge[list[j]].a)) == root) {
        group[size++] = list[j];
        list[j] = -1;
      }
    good = add_choice(k, group, size, number);
  }
  for (int i = 0; i < c->nedge; i++) {
    const jn_edge *e = &s->m->edge[c->edge[i]];
    if (e->weight10 == weight10) s->group[find(s->group, e->a)] = find(s->group, e->b);
  }
  return good;
}

// Compare all minimum trees of a component; false: there are too many. The winner in m->in_tree.
static bool compare_all(search *s, component *c, jn_status *st)
{
  jn_model *m = s->m;
  choices k = {.s = s, .product = 1.0};
  int *list = malloc(((size_t)c->nedge + 1) * sizeof(int));
  int *number = malloc((3 * (size_t)m->nnode + (size_t)m->nedge) * sizeof(int));
  bool *tree = calloc((size_t)m->nedge + 1, sizeof *tree);
  bool all = list && number && tree;
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
  if (k.failed || !list || !number || !tree) *st = no_memory(s);
  for (int i = 0; i < k.n; i++) free(k.item[i].way);
  free(k.item);
  free(list);
  free(number);
  free(tree);
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

static jn_status grow(search *s, const component *c, int root, bool *tree)
{
  const jn_model *m = s->m;
  heap_item *heap = malloc((2 * (size_t)c->nedge + 1) * sizeof *heap);
  if (!heap) return no_memory(s);
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

static jn_status grow_shortest(search *s, component *c)
{
  jn_model *m = s->m;
  bool *tree = calloc((size_t)m->nedge + 1, sizeof *tree);
  if (!tree) return no_memory(s);
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

// ---- all trees, for those who want to see them ----------------------------------------------------

typedef struct listed {
  int weight10, n;
  const int *cut;
} listed;

typedef struct listing {
  const search *s;
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
static jn_status list_trees(search *s)
{
  jn_model *m = s->m;
  int(*ends)[2] = scratch(s, (size_t)m->nfile_edge + 1, sizeof *ends);
  int *edge = scratch(s, (size_t)m->nfile_edge + 1, sizeof(int));
  int *number = scratch(s, (size_t)m->nnode, sizeof(int));
  if (!ends || !edge || !number) return no_memory(s);
  int nodes = 1, nedge = 0;
  for (int v = 0; v < m->nnode; v++) number[v] = s->local[v] ? nodes++ : 0;
  for (int e = 0; e < m->nfile_edge; e++)
    if (!m->edge[e].must_cut) {
      ends[nedge][0] = number[m->edge[e].a], ends[nedge][1] = number[m->edge[e].b];
      edge[nedge++] = e;
    }
  jn_tree_list *t = &m->trees;
  t->count = jn_spanning_count(nodes, nedge, (const int(*)[2])ends);
  if (!(t->count >= 1.0 && t->count <= JN_TREES_LISTED)) return JN_OK;
  size_t n = (size_t)t->count, ncut = (size_t)(m->nfile_edge - (nodes - 1));
  t->weight10 = scratch(s, n, sizeof(int));
  t->cut = scratch(s, n * ncut + 1, sizeof(int));
  listing l = {s, edge, nedge, (int)ncut, 0, scratch(s, n, sizeof(int)),
               scratch(s, n * ncut + 1, sizeof(int))};
  listed *sorted = scratch(s, n, sizeof *sorted);
  if (!t->weight10 || !t->cut || !l.weight10 || !l.cut || !sorted) return no_memory(s);
  jn_spanning_each(nodes, nedge, (const int(*)[2])ends, list_tree, &l);
  for (size_t i = 0; i < n; i++)
    sorted[i] = (listed){l.weight10[i], (int)ncut, l.cut + i * ncut};
  qsort(sorted, n, sizeof *sorted, by_weight);
  for (size_t i = 0; i < n; i++) {
    t->weight10[i] = sorted[i].weight10;
    memcpy(t->cut + i * ncut, sorted[i].cut, ncut * sizeof(int));
  }
  t->n = l.n;
  t->ncut = (int)ncut;
  return JN_OK;
}

// ---- hanging the components on the ground and on each other -----------------------------------------

typedef struct named_force {
  const char *name;
  int a, b;  // nodes
} named_force;

static int by_force_name(const void *x, const void *y)
{
  return strcmp(((const named_force *)x)->name, ((const named_force *)y)->name);
}

// Force elements that hold two bodies together, in the order of their names.
static named_force *binding_forces(search *s, int *n)
{
  const jn_spec *spec = s->m->spec;
  named_force *list = scratch(s, (size_t)spec->nforce + 1, sizeof *list);
  *n = 0;
  for (int i = 0; list && i < spec->nforce; i++) {
    int body[2];
    if (jn_force_binds(&spec->force[i]) && jn_force_bodies(spec, &spec->force[i], body) == 2)
      list[(*n)++] = (named_force){spec->force[i].name, body[0] + 1, body[1] + 1};
  }
  if (list) qsort(list, (size_t)*n, sizeof *list, by_force_name);
  return list;
}

typedef struct hanging {
  search *s;
  int *depth;              // of a node that hangs (nnode)
  int *first, *last, *next;  // nodes that hang, in lists by depth
  int nforce;
  named_force *force;
  int *force_at, *forces;  // forces at node v, as slices
} hanging;

// Take the nodes of a component in; its root is at this depth.
static void take_in(hanging *h, component *c, int depth)
{
  c->attached = true;
  farthest(h->s, c, h->s->m->in_tree, c->root);
  for (int i = 0; i < c->nnode; i++) {
    int v = h->s->queue[i], d = h->depth[v] = depth + h->s->distance[v];
    h->next[v] = -1;
    if (h->first[d] < 0)
      h->first[d] = v;
    else
      h->next[h->last[d]] = v;
    h->last[d] = v;
  }
}

static void hang(hanging *h, component *c, int on)
{
  add_implied(h->s->m, on, c->root);
  take_in(h, c, h->depth[on] + 1);
}

// Hang what names this node as its parent, or what force elements hold to it.
static void hang_on(hanging *h, int v)
{
  search *s = h->s;
  for (int c = 0; s->parents && c < s->ncomp; c++)
    if (!s->comp[c].attached && s->comp[c].hang == v) hang(h, &s->comp[c], v);
  for (int i = h->force_at[v]; i < h->force_at[v + 1]; i++) {
    const named_force *f = &h->force[h->forces[i]];
    component *c = &s->comp[s->comp_of[f->a == v ? f->b : f->a]];
    if (!c->attached && c->hang < 0) hang(h, c, v);
  }
}

static jn_status index_forces(hanging *h)
{
  search *s = h->s;
  h->force = binding_forces(s, &h->nforce);
  h->force_at = scratch(s, (size_t)s->m->nnode + 2, sizeof(int));
  h->forces = scratch(s, 2 * (size_t)h->nforce + 1, sizeof(int));
  if (!h->force || !h->force_at || !h->forces) return no_memory(s);
  int *at = h->force_at + 1;
  for (int i = 0; i < h->nforce; i++) at[h->force[i].a + 1]++, at[h->force[i].b + 1]++;
  for (int v = 0; v < s->m->nnode; v++) at[v + 1] += at[v];
  for (int i = 0; i < h->nforce; i++) {
    h->forces[at[h->force[i].a]++] = i;
    h->forces[at[h->force[i].b]++] = i;
  }
  return JN_OK;
}

// Whatever hangs on nothing yet: the largest first, on the ground.
static component *largest_left(search *s)
{
  component *best = NULL;
  for (int i = 0; i < s->ncomp; i++) {
    component *c = &s->comp[i];
    if (!c->attached && c->hang < 0 && (!best || c->nnode > best->nnode)) best = c;
  }
  return best;
}

static jn_status hang_all(search *s)
{
  jn_model *m = s->m;
  size_t n = (size_t)m->nnode + 1;
  hanging h = {.s = s, .depth = scratch(s, n, sizeof(int)), .first = scratch(s, n, sizeof(int)),
               .last = scratch(s, n, sizeof(int)), .next = scratch(s, n, sizeof(int))};
  if (!h.depth || !h.first || !h.last || !h.next) return no_memory(s);
  jn_status st = index_forces(&h);
  if (st) return st;
  for (size_t i = 0; i < n; i++) h.first[i] = -1;
  take_in(&h, &s->comp[0], 0);
  for (int depth = 0; depth < m->nnode;) {  // nearest the ground first
    for (int v = h.first[depth]; v >= 0; v = h.next[v]) hang_on(&h, v);
    component *left = ++depth == m->nnode || h.first[depth] < 0 ? largest_left(s) : NULL;
    if (!left) continue;
    hang(&h, left, JN_NODE_GROUND);
    depth = 1;
  }
  for (int i = 0; i < s->ncomp; i++)
    if (!s->comp[i].attached) {
      const jn_body_spec *b = &m->spec->body[s->comp[i].root - 1];
      char path[96];
      snprintf(path, sizeof path, "bodies.%s.parent", b->name);
      return jn_fail(s->err, JN_E_TOPOLOGY, b->pos, path,
                     "parents go round in a circle and never reach the ground");
    }
  return JN_OK;
}

// ---- the whole tree -------------------------------------------------------------------------------

static jn_status root_tree(search *s)
{
  jn_model *m = s->m;
  jn_status st = jn_graph_index(m, s->err);
  m->parent = scratch(s, (size_t)m->nnode, sizeof(int));
  m->parent_edge = scratch(s, (size_t)m->nnode, sizeof(int));
  m->depth = scratch(s, (size_t)m->nnode, sizeof(int));
  m->order = scratch(s, (size_t)m->nnode, sizeof(int));
  if (st || !m->parent || !m->parent_edge || !m->depth || !m->order) return no_memory(s);
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
  for (int e = 0; e < m->nfile_edge; e++)
    if (m->in_tree[e]) m->weight10 += m->edge[e].weight10;
  return JN_OK;
}

// The base is the free body that carries most; the ground, if anything but free joints leads there.
static jn_status choose_base(search *s)
{
  jn_model *m = s->m;
  int *size = scratch(s, (size_t)m->nnode, sizeof(int));
  if (!size) return no_memory(s);
  for (int i = m->nnode - 1; i > 0; i--) {
    int v = m->order[i];
    size[m->parent[v]] += ++size[v];
  }
  bool grounded = false;
  for (int i = m->incident_at[0]; i < m->incident_at[1]; i++)
    grounded |= !jn_edge_free(&m->edge[m->incident[i]]);
  m->base = JN_NODE_GROUND;
  for (int i = 1; i < m->nnode; i++) {
    int v = m->order[i];
    if (m->parent[v] != JN_NODE_GROUND || !jn_edge_free(&m->edge[m->parent_edge[v]])) continue;
    bool wanted = grounded && m->parent_edge[v] >= m->nfile_edge && s->comp_of[v] == 0;
    if (grounded && !wanted) continue;  // the ground, unless the user made a grounded body float
    if (m->base == JN_NODE_GROUND || size[v] > size[m->base]) m->base = v;
  }
  return JN_OK;
}

jn_status jn_spanning_find(jn_model *m, const jn_compile_opts *opts, jn_error *err)
{
  search s = {.m = m, .err = err};
  m->in_tree = jn_pool_alloc(&m->pool, (size_t)m->nedge + (size_t)m->nnode + 1, sizeof *m->in_tree);
  s.group = scratch(&s, (size_t)m->nnode, sizeof(int));
  if (!m->in_tree || !s.group) return no_memory(&s);
  jn_status st = mark_cuts(&s, opts);
  if (!st) st = find_base(&s, opts);
  if (!st) st = find_components(&s);
  if (!st && opts && opts->trees) st = list_trees(&s);
  if (!st) st = float_base(&s);
  if (!st) st = choose_roots(&s);
  if (st) return st;

  m->exact_chain = true;
  for (int c = 0; c < s.ncomp && !st; c++) {
    component *k = &s.comp[c];
    if (k->nnode > 1 && !compare_all(&s, k, &st) && !st) {
      m->exact_chain = false;
      st = grow_shortest(&s, k);
    }
    if (!st && k->root < 0) chain_length(&s, k, m->in_tree, &k->root);
  }
  if (st) return st;
  int first_implied = m->nedge;
  st = hang_all(&s);
  if (st) return st;
  for (int e = first_implied; e < m->nedge; e++) m->in_tree[e] = true;
  st = root_tree(&s);
  return st ? st : choose_base(&s);
}
