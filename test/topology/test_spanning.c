// The laws of the spanning tree, held against trying every set of joints.
#include "mechanism.h"

enum { NODES = 12, EDGES = 16 };

// ---- brute force --------------------------------------------------------------------------------
// Written without a look at how the tree is found: sets of edges are bits, trees are what joins the
// right number of nodes.

typedef struct graph {
  int nnode, nedge;
  int ends[EDGES][2];
} graph;

// How many separate pieces the nodes fall into with these edges; piece[] numbers them.
static int pieces(const graph *g, unsigned edges, int piece[NODES])
{
  int n = 0;
  for (int v = 0; v < g->nnode; v++) piece[v] = -1;
  for (int v = 0; v < g->nnode; v++) {
    if (piece[v] >= 0) continue;
    piece[v] = n;
    for (bool grows = true; grows;) {
      grows = false;
      for (int e = 0; e < g->nedge; e++) {
        if (!(edges >> e & 1u)) continue;
        int a = g->ends[e][0], b = g->ends[e][1];
        if ((piece[a] == n) == (piece[b] == n)) continue;
        piece[a] = piece[b] = n;
        grows = true;
      }
    }
    n++;
  }
  return n;
}

static bool is_tree(const graph *g, unsigned edges)
{
  int piece[NODES];
  return __builtin_popcount(edges) == g->nnode - 1 && pieces(g, edges, piece) == 1;
}

static int count_trees(const graph *g)
{
  int n = 0;
  for (unsigned edges = 0; edges < 1u << g->nedge; edges++) n += is_tree(g, edges);
  return n;
}

// ---- counting and listing -----------------------------------------------------------------------

typedef struct seen {
  const graph *g;
  int n, most;
  unsigned last;  // as a number in which earlier edges weigh more
  bool *tree;     // (1 << nedge)
} seen;

static bool see_tree(void *user, const int *edge, int n)
{
  seen *s = user;
  unsigned edges = 0, key = 0;
  assert_int_equal(n, s->g->nnode - 1);
  for (int i = 0; i < n; i++) {
    assert_true(i == 0 || edge[i] > edge[i - 1]);
    edges |= 1u << edge[i];
    key |= 1u << (s->g->nedge - 1 - edge[i]);
  }
  assert_true(is_tree(s->g, edges));
  assert_false(s->tree[edges]);
  s->tree[edges] = true;
  if (s->n++) assert_true(key < s->last);  // lexical order: earlier edges first
  s->last = key;
  return s->n < s->most;
}

static void random_graph(jt_random *r, graph *g, int nodes, int edges)
{
  g->nnode = nodes;
  g->nedge = edges;
  for (int e = 0; e < edges; e++)
    for (int k = 0; k < 2; k++) g->ends[e][k] = jt_random_below(r, nodes);  // to itself, too
}

static void trees_are_counted_and_listed_as_brute_force_finds_them(void **state)
{
  (void)state;
  jt_random r = {1};
  int connected = 0, apart = 0;
  for (int round = 0; round < 300; round++) {
    graph g;
    random_graph(&r, &g, 1 + jt_random_below(&r, 7), jt_random_below(&r, 13));
    int count = count_trees(&g);
    *(count ? &connected : &apart) += 1;
    assert_true(jn_spanning_count(g.nnode, g.nedge, (const int(*)[2])g.ends) == count);
    seen s = {.g = &g, .most = INT32_MAX, .tree = calloc(1u << g.nedge, sizeof(bool))};
    assert_true(jn_spanning_each(g.nnode, g.nedge, (const int(*)[2])g.ends, see_tree, &s));
    assert_int_equal(s.n, count);
    free(s.tree);
  }
  assert_true(connected > 50 && apart > 50);
}

static void listing_stops_when_asked_to(void **state)
{
  (void)state;
  jt_random r = {2};
  for (int round = 0; round < 50; round++) {
    graph g;
    random_graph(&r, &g, 5, 12);
    int count = count_trees(&g);
    if (count < 2) continue;
    seen s = {.g = &g,
              .most = 1 + jt_random_below(&r, count - 1),
              .tree = calloc(1u << g.nedge, sizeof(bool))};
    assert_false(jn_spanning_each(g.nnode, g.nedge, (const int(*)[2])g.ends, see_tree, &s));
    assert_int_equal(s.n, s.most);
    free(s.tree);
  }
}

static int complete_graph(int n, int (*ends)[2])
{
  int e = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) ends[e][0] = i, ends[e++][1] = j;
  return e;
}

// Cayley: n^(n-2) trees of a complete graph. Intermediates of the elimination are products of two
// such numbers, so that 128 bits hold them to 2^60 at least; beyond, the answer is right or
// refused.
static void complete_graphs_have_the_trees_of_cayleys_formula(void **state)
{
  (void)state;
  static int ends[64 * 63 / 2][2];
  for (int n = 2; n <= 64; n++) {
    double count = jn_spanning_count(n, complete_graph(n, ends), (const int(*)[2])ends);
    double cayley = pow(n, n - 2);
    if (cayley < 0x1p60 || count > 0) JT_NEAR(count, cayley, 1e-13 * cayley);
    if (cayley > 0x1p128) assert_true(count == -1.0);
  }
}

static void cycles_and_ladders_have_the_trees_of_their_formulas(void **state)
{
  (void)state;
  static int ends[400][2];
  for (int n = 3; n <= 128; n++) {  // a cycle loses any one of its edges
    for (int i = 0; i < n; i++) ends[i][0] = i, ends[i][1] = (i + 1) % n;
    assert_true(jn_spanning_count(n, n, (const int(*)[2])ends) == n);
  }
  // A ladder of n rungs: t(n) = 4 t(n-1) - t(n-2) = 1, 4, 15, 56, ...
  double t[2] = {0, 1};
  for (int n = 1; n <= 30; n++) {
    int e = 0;
    for (int i = 0; i < n; i++) {
      ends[e][0] = 2 * i, ends[e++][1] = 2 * i + 1;
      for (int side = 0; side < 2 && i > 0; side++)
        ends[e][0] = 2 * i + side, ends[e++][1] = 2 * i - 2 + side;
    }
    double count = jn_spanning_count(2 * n, e, (const int(*)[2])ends);
    JT_NEAR(count, t[1], 1e-15 * t[1]);
    double next = 4 * t[1] - t[0];
    t[0] = t[1], t[1] = next;
  }
  assert_true(jn_spanning_count(1, 0, (const int(*)[2])ends) == 1.0);
  assert_true(jn_spanning_count(129, 0, (const int(*)[2])ends) ==
              -1.0);  // more nodes than it takes
}

// ---- the tree of a mechanism --------------------------------------------------------------------

// Ten times the weights of the design, once more.
static int weight10(const jt_joint *j)
{
  static const int w[JN_NJOINT_KIND] = {
      [JN_JOINT_FIXED] = 0,        [JN_JOINT_TRANSLATIONAL] = 10,
      [JN_JOINT_REVOLUTE] = 11,    [JN_JOINT_SCREW] = 11,
      [JN_JOINT_CYLINDRICAL] = 21, [JN_JOINT_UNIVERSAL] = 22,
      [JN_JOINT_SPHERICAL] = 30,   [JN_JOINT_NO_ROTATION] = 30,
      [JN_JOINT_PLANAR] = 31,      [JN_JOINT_SPHERICAL_TRANSLATIONAL] = 40,
      [JN_JOINT_DISTANCE] = 60,    [JN_JOINT_SPHERICAL_REVOLUTE] = 41,
      [JN_JOINT_FREE] = 65,
  };
  return j->driven ? 0 : w[j->kind];
}

// The joints of a mechanism sorted by name, as a graph with the ground as node 0.
typedef struct task {
  jt_mechanism k;
  graph g;
  int weight[EDGES];
  int joint[EDGES];  // of the mechanism
} task;

static void sort_joints(task *t)
{
  t->g.nnode = t->k.nbody + 1;
  t->g.nedge = t->k.njoint;
  assert_true(t->g.nnode <= NODES && t->g.nedge <= EDGES);
  for (int i = 0; i < t->k.njoint; i++) {
    int at = i;
    for (; at > 0 && strcmp(t->k.joint[t->joint[at - 1]].name, t->k.joint[i].name) > 0; at--)
      t->joint[at] = t->joint[at - 1];
    t->joint[at] = i;
  }
  for (int e = 0; e < t->g.nedge; e++) {
    const jt_joint *j = &t->k.joint[t->joint[e]];
    t->weight[e] = weight10(j);
    for (int side = 0; side < 2; side++) t->g.ends[e][side] = j->body[side] + 1;
  }
}

// Distances within a tree, in joints; -1 where it does not reach. Returns the largest.
static int distances(const graph *g, unsigned tree, int from, int d[NODES])
{
  for (int v = 0; v < g->nnode; v++) d[v] = -1;
  d[from] = 0;
  for (int far = 0;; far++) {
    bool reached = false;
    for (int e = 0; e < g->nedge; e++)
      for (int side = 0; side < 2; side++)
        if ((tree >> e & 1u) && d[g->ends[e][side]] == far && d[g->ends[e][!side]] < 0)
          d[g->ends[e][!side]] = far + 1, reached = true;
    if (!reached) return far;
  }
}

static int longest_from(const graph *g, unsigned tree, int from)
{
  int d[NODES];
  return distances(g, tree, from, d);
}

typedef struct best {  // tree of one component
  unsigned tree;
  int weight, chain;
} best;

// Is x before y by name: has it the first joint that is not in both?
static bool earlier(unsigned x, unsigned y)
{
  unsigned differ = x ^ y;
  return differ && (x >> __builtin_ctz(differ) & 1u);
}

// Of the component that node `in` lies in, among trees of the `allowed` joints that have all those
// of `must`: the lightest, then the shortest longest chain (from `root`, or from any body), then by
// name.
static best best_tree(const task *t, int in, int root, unsigned allowed, unsigned must)
{
  const graph *g = &t->g;
  int piece[NODES], size = 0;
  unsigned within = 0;
  pieces(g, (1u << g->nedge) - 1, piece);
  for (int v = 0; v < g->nnode; v++) size += piece[v] == piece[in];
  for (int e = 0; e < g->nedge; e++)
    if (piece[g->ends[e][0]] == piece[in]) within |= 1u << e;
  best b = {0, INT32_MAX, INT32_MAX};
  int reached[NODES];
  allowed &= within;
  must &= within;
  for (unsigned tree = allowed;; tree = (tree - 1) & allowed) {
    if (__builtin_popcount(tree) == size - 1 && (tree & must) == must) {
      int weight = 0, chain = INT32_MAX, n = 0;
      for (int e = 0; e < g->nedge; e++) weight += tree >> e & 1u ? t->weight[e] : 0;
      distances(g, tree, in, reached);
      for (int v = 0; v < g->nnode; v++) n += reached[v] >= 0;
      if (n == size && weight <= b.weight) {
        for (int v = 0; v < g->nnode; v++)
          if (piece[v] == piece[in] && (root < 0 || v == root)) {
            int length = longest_from(g, tree, v);
            if (length < chain) chain = length;
          }
        if (weight < b.weight || chain < b.chain || (chain == b.chain && earlier(tree, b.tree)))
          b = (best){tree, weight, chain};
      }
    }
    if (tree == 0) break;
  }
  assert_true(b.weight < INT32_MAX);
  return b;
}

static int first_joint(const graph *g, int v)
{
  int e = 0;
  while (g->ends[e][0] != v && g->ends[e][1] != v) e++;
  return e;
}

// The body that a floating tree hangs by: shortest longest chain, shortest chains together,
// heaviest, first joint by name, that joint's first body.
static int best_root(const task *t, unsigned tree, int in)
{
  const graph *g = &t->g;
  int reached[NODES], d[NODES], winner = -1, least[2] = {0, 0};
  distances(g, tree, in, reached);
  for (int v = 0; v < g->nnode; v++) {
    if (reached[v] < 0) continue;
    int longest = distances(g, tree, v, d), sum = 0;
    for (int w = 0; w < g->nnode; w++) sum += d[w] > 0 ? d[w] : 0;
    bool wins = winner < 0;
    if (!wins) {
      double heavier = t->k.mass[v - 1] - t->k.mass[winner - 1];
      int ev = tree ? first_joint(g, v) : 0, ew = tree ? first_joint(g, winner) : 0;
      wins = longest != least[0] ? longest < least[0]
             : sum != least[1]   ? sum < least[1]
             : heavier != 0.0    ? heavier > 0.0
             : ev != ew          ? ev < ew
                                 : g->ends[ev][0] == v;
    }
    if (wins) winner = v, least[0] = longest, least[1] = sum;
  }
  return winner;
}

static unsigned tree_bits(const jn_model *m)
{
  unsigned bits = 0;
  for (int e = 0; e < m->nfile_edge; e++) bits |= (unsigned)m->in_tree[e] << e;
  return bits;
}

// Every body hangs by one joint of the tree on a body that comes before it, and no joint is left
// over.
static void check_tree(const jn_model *m)
{
  int in_tree = 0, longest = 0, weight = 0;
  bool seen_node[NODES] = {false};
  assert_int_equal(m->order[0], JN_NODE_GROUND);
  assert_int_equal(m->parent[0], -1);
  for (int i = 0; i < m->nnode; i++) {
    int v = m->order[i];
    assert_false(seen_node[v]);
    seen_node[v] = true;
    if (i == 0) continue;
    int p = m->parent[v], e = m->parent_edge[v];
    assert_true(p >= 0 && seen_node[p] && p != v);
    assert_true(m->in_tree[e]);
    assert_true((m->edge[e].a == v && m->edge[e].b == p) ||
                (m->edge[e].a == p && m->edge[e].b == v));
    assert_int_equal(m->depth[v], m->depth[p] + 1);
    if (m->depth[v] > longest) longest = m->depth[v];
  }
  for (int e = 0; e < m->nedge; e++)
    if (m->in_tree[e]) in_tree++, weight += m->edge[e].weight10;
  assert_int_equal(in_tree, m->nnode - 1);
  assert_int_equal(m->ncut, m->nedge - in_tree);
  assert_int_equal(m->longest_chain, longest);
  assert_int_equal(m->weight10, weight);
}

static void check_against_brute_force(const task *t, const jn_model *m, unsigned allowed)
{
  const graph *g = &t->g;
  int piece[NODES], n = pieces(g, (1u << g->nedge) - 1, piece), weight = 0, longest = 0;
  unsigned tree = 0;
  bool grounded = false;
  check_tree(m);
  assert_true(m->exact_chain);
  for (int e = 0; e < g->nedge; e++) {
    const jt_joint *j = &t->k.joint[t->joint[e]];
    assert_string_equal(m->edge[e].name, j->name);
    assert_int_equal(m->edge[e].weight10, t->weight[e]);
    grounded |= j->kind != JN_JOINT_FREE && (g->ends[e][0] == 0 || g->ends[e][1] == 0);
  }
  for (int c = 0; c < n; c++) {
    int in = 0;
    while (piece[in] != c) in++;
    best b = best_tree(t, in, in == 0 ? 0 : -1, allowed, 0);
    tree |= b.tree;
    weight += b.weight;
    if (in == 0) {
      longest = b.chain > longest ? b.chain : longest;
      continue;
    }
    int root = best_root(t, b.tree, in), hung = 0;
    for (int v = 0; v < g->nnode; v++) {
      if (piece[v] != c || m->parent_edge[v] < m->nfile_edge) continue;
      assert_int_equal(v, root);
      assert_true(jn_edge_free(&m->edge[m->parent_edge[v]]));
      hung++;
    }
    assert_int_equal(hung, 1);
    longest = b.chain + 1 > longest ? b.chain + 1 : longest;
  }
  assert_int_equal(tree_bits(m), tree);
  assert_int_equal(m->weight10, weight);
  if (t->k.nforce == 0) assert_int_equal(m->longest_chain, longest);
  assert_int_equal(m->ncut,
                   t->k.njoint - (g->nnode - n));  // N_cj = N_j - (N_b - 1), piece by piece
  // The ground, if anything but free joints leads there; else a free body on it.
  if (grounded) {
    assert_int_equal(m->base, JN_NODE_GROUND);
  } else {
    assert_int_equal(m->parent[m->base], JN_NODE_GROUND);
    assert_true(jn_edge_free(&m->edge[m->parent_edge[m->base]]));
  }
}

static void random_task(jt_random *r, task *t)
{
  int nbody = 2 + jt_random_below(r, 7), njoint = jt_random_below(r, nbody + 5);
  double ground = jt_random_below(r, 3) ? 0.25 : 0.0;
  jt_random_mechanism(&t->k, r, nbody, njoint, ground, 1 + jt_random_below(r, 5));
  sort_joints(t);
}

static void tree_is_the_lightest_then_the_shortest_then_the_first_by_name(void **state)
{
  (void)state;
  jt_random r = {3};
  for (int round = 0; round < 600; round++) {
    task t;
    random_task(&r, &t);
    jn_spec *spec = jt_mechanism_spec(&t.k);
    jn_model *m = jt_spanned(spec, NULL);
    check_against_brute_force(&t, m, ~0u);
    jn_model_free(m);
    jn_spec_free(spec);
  }
}

// What force elements hold hangs on them, which changes no tree.
static void forces_decide_what_floating_parts_hang_on_and_nothing_else(void **state)
{
  (void)state;
  jt_random r = {4};
  for (int round = 0; round < 300; round++) {
    task t;
    random_task(&r, &t);
    for (int i = jt_random_below(&r, 6); i > 0; i--) {
      int a = jt_random_below(&r, t.k.nbody + 1) - 1, b = jt_random_below(&r, t.k.nbody + 1) - 1;
      if (a != b) jt_add_force(&t.k, &r, a, b);
    }
    jn_spec *spec = jt_mechanism_spec(&t.k);
    jn_model *m = jt_spanned(spec, NULL);
    check_against_brute_force(&t, m, ~0u);
    int piece[NODES];
    pieces(&t.g, (1u << t.g.nedge) - 1, piece);
    for (int v = 1; v < m->nnode; v++) {
      if (m->parent_edge[v] < m->nfile_edge) continue;
      int p = m->parent[v], nearest = INT32_MAX, on_parent = 0, elsewhere = 0;
      for (int i = 0; i < t.k.nforce; i++)
        for (int side = 0; side < 2; side++) {
          int mine = t.k.force[i].body[side] + 1, other = t.k.force[i].body[!side] + 1;
          if (piece[mine] != piece[v] || piece[other] == piece[v]) continue;
          bool below = false;  // what hangs on this part itself cannot carry it
          for (int w = other; w >= 0; w = m->parent[w]) below |= w == v;
          if (below) continue;
          elsewhere++;
          on_parent += other == p;
          if (m->depth[other] < nearest) nearest = m->depth[other];
        }
      if (elsewhere == 0) {
        assert_int_equal(p, JN_NODE_GROUND);
      } else if (on_parent ==
                 0) {  // hung on the ground as the largest, before its forces were reached
        assert_int_equal(p, JN_NODE_GROUND);
        assert_true(nearest > 0);
      } else {
        assert_int_equal(m->depth[p], nearest);
      }
    }
    jn_model_free(m);
    jn_spec_free(spec);
  }
}

static void parent_overrides_what_forces_say(void **state)
{
  (void)state;
  const char *text =
      "jounce: 1\n"
      "bodies:\n"
      "  a: {mass: 1, cg: [0, 0, 0], inertia: [1, 1, 1]}\n"
      "  b: {mass: 1, cg: [0, 0, 0], inertia: [1, 1, 1]}\n"
      "  c: {mass: 1, cg: [0, 0, 0], inertia: [1, 1, 1]%s}\n"
      "joints:\n"
      "  j: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}\n"
      "  k: {type: revolute, bodies: [a, b], at: [1, 0, 0], axis: [0, 0, 1]}\n"
      "forces:\n"
      "  f: {type: bushing, bodies: [c, b], at: [0, 0, 0]}\n"
      "  g: {type: bushing, bodies: [a, c], at: [0, 0, 0]}\n";
  static const char *const says[] = {"", ", parent: b", ", parent: ground"};
  static const char *const hangs_on[] = {"a", "b", "ground"};
  for (int i = 0; i < 3; i++) {
    char filled[1024];
    snprintf(filled, sizeof filled, text, says[i]);
    jn_spec *spec = jt_parse(filled);
    jn_model *m = jt_compile(spec, NULL);
    assert_string_equal(jn_node_name(m, m->parent[jn_node_by_name(m, "c")]), hangs_on[i]);
    jn_model_free(m);
    jn_spec_free(spec);
  }
}

// ---- what the user wants ------------------------------------------------------------------------

static void forced_cuts_are_made_and_the_rest_is_the_best_that_is_left(void **state)
{
  (void)state;
  jt_random r = {5};
  int refused = 0, made = 0;
  for (int round = 0; round < 150; round++) {
    task t;
    random_task(&r, &t);
    jn_spec *spec = jt_mechanism_spec(&t.k);
    int piece[NODES], whole = pieces(&t.g, (1u << t.g.nedge) - 1, piece);
    for (int i = 0; i < t.g.nedge; i++) {
      int j = jt_random_below(&r, t.g.nedge);  // the same one twice is one cut
      unsigned left = ((1u << t.g.nedge) - 1) & ~(1u << i) & ~(1u << j);
      const char *name[2] = {t.k.joint[t.joint[i]].name, t.k.joint[t.joint[j]].name};
      jn_compile_opts opts = {.cut = name, .ncut = 2};
      jn_error err = {0};
      jn_model *m;
      jn_status st = jt_span(spec, &opts, &m, &err);
      if (pieces(&t.g, left, piece) == whole) {  // no bridge
        jt_ok(st, &err, NULL);
        assert_false(m->in_tree[i] || m->in_tree[j]);
        check_against_brute_force(&t, m, left);
        made++;
      } else {
        assert_int_equal(st, JN_E_TOPOLOGY);
        assert_true(strstr(err.path, name[0]) || strstr(err.path, name[1]));
        assert_non_null(strstr(err.text, "cannot be cut"));
        refused++;
      }
      jn_model_free(m);
    }
    jn_spec_free(spec);
  }
  assert_true(refused > 100 && made > 100);
}

static void a_joint_that_is_not_there_cannot_be_cut(void **state)
{
  (void)state;
  jn_spec *spec = jt_load("models/corner-002.yaml");
  jn_error err = {0};
  jn_model *m = NULL;
  jn_compile_opts opts = {.cut = (const char *[]){"tie_road"}, .ncut = 1};
  assert_int_equal(jn_model_compile(spec, &opts, &m, &err), JN_E_CALL);
  assert_non_null(strstr(err.text, "tie_road"));
  assert_null(m);
  opts = (jn_compile_opts){.base = "chasis"};
  assert_int_equal(jn_model_compile(spec, &opts, &m, &err), JN_E_CALL);
  assert_non_null(strstr(err.text, "chasis"));
  jn_spec_free(spec);
}

// A body that joints connect to the ground floats by a free joint of its own, or by the file's.
static unsigned float_body(task *t, int v)
{
  int e = 0;
  for (; e < t->g.nedge; e++)
    if (t->k.joint[t->joint[e]].kind == JN_JOINT_FREE && t->g.ends[e][0] * t->g.ends[e][1] == 0 &&
        t->g.ends[e][0] + t->g.ends[e][1] == v)
      return 1u << e;
  assert_true(e < EDGES);
  t->g.ends[e][0] = 0;
  t->g.ends[e][1] = v;
  t->weight[e] = 65;
  t->g.nedge++;
  return 1u << e;
}

// Any body may be the base: it hangs free on the ground, and the tree is the best of those with it.
static void base_is_the_body_that_the_user_names(void **state)
{
  (void)state;
  jt_random r = {6};
  for (int round = 0; round < 200; round++) {
    task t;
    random_task(&r, &t);
    if (round % 2)
      for (int i = jt_random_below(&r, 4); i > 0; i--) {
        int a = jt_random_below(&r, t.k.nbody), b = jt_random_below(&r, t.k.nbody + 1) - 1;
        if (a != b) jt_add_force(&t.k, &r, a, b);
      }
    jn_spec *spec = jt_mechanism_spec(&t.k);
    int piece[NODES], n = pieces(&t.g, (1u << t.g.nedge) - 1, piece);
    for (int v = 1; v < t.g.nnode; v++) {
      jn_compile_opts opts = {.base = t.k.body[v - 1]};
      jn_model *m = jt_spanned(spec, &opts);
      check_tree(m);
      assert_int_equal(m->base, v);
      assert_int_equal(m->parent[v], JN_NODE_GROUND);
      assert_true(jn_edge_free(&m->edge[m->parent_edge[v]]));
      task floating = t;
      unsigned must = piece[v] == piece[0] ? float_body(&floating, v) : 0, tree = 0;
      int weight = 0;
      for (int c = 0; c < n; c++) {
        int in = 0;
        while (piece[in] != c) in++;
        best b = best_tree(&floating, in, in == 0 ? 0 : piece[v] == c ? v : -1, ~0u, must);
        tree |= b.tree;
        weight += b.weight;
      }
      assert_int_equal(m->weight10, weight);
      assert_int_equal(tree_bits(m), tree & ((1u << t.g.nedge) - 1));
      assert_int_equal(m->ncut, floating.g.nedge - (t.g.nnode - n));
      jn_model_free(m);
    }
    jn_spec_free(spec);
  }
}

// ---- the list of all trees ----------------------------------------------------------------------

static void all_trees_are_listed_with_the_lightest_first(void **state)
{
  (void)state;
  jt_random r = {7};
  for (int round = 0; round < 100; round++) {
    task t;
    random_task(&r, &t);
    jn_spec *spec = jt_mechanism_spec(&t.k);
    int piece[NODES], n = pieces(&t.g, (1u << t.g.nedge) - 1, piece), count = 0,
                      lightest = INT32_MAX;
    int size = t.g.nnode - n;
    for (unsigned edges = 0; edges < 1u << t.g.nedge; edges++) {
      int weight = 0;
      if (__builtin_popcount(edges) != size || pieces(&t.g, edges, piece) != n) continue;
      count++;
      for (int e = 0; e < t.g.nedge; e++) weight += edges >> e & 1u ? t.weight[e] : 0;
      if (weight < lightest) lightest = weight;
    }
    jn_compile_opts opts = {.trees = 1};
    jn_model *m = jt_spanned(spec, &opts);
    assert_true(m->trees.count == count);
    assert_int_equal(m->trees.n, count);
    assert_int_equal(m->trees.ncut, t.g.nedge - size);
    assert_int_equal(m->trees.weight10[0], lightest);
    assert_int_equal(m->weight10, lightest);
    unsigned last = 0;
    for (int i = 0; i < count; i++) {
      unsigned tree = (1u << t.g.nedge) - 1;
      int weight = 0;
      for (int k = 0; k < m->trees.ncut; k++) tree &= ~(1u << m->trees.cut[i * m->trees.ncut + k]);
      for (int e = 0; e < t.g.nedge; e++) weight += tree >> e & 1u ? t.weight[e] : 0;
      assert_int_equal(pieces(&t.g, tree, piece), n);
      assert_int_equal(m->trees.weight10[i], weight);
      if (i > 0) {  // rising weights, then by name: so none is listed twice
        assert_true(weight >= m->trees.weight10[i - 1]);
        if (weight == m->trees.weight10[i - 1]) assert_true(earlier(last, tree));
      }
      last = tree;
    }
    jn_model_free(m);
    jn_spec_free(spec);
  }
}

// Where there are too many minimum trees to compare, the tree is still one of them.
static void tree_is_the_lightest_even_where_not_all_are_compared(void **state)
{
  (void)state;
  jt_random r = {8};
  int inexact = 0;
  for (int round = 0; round < 60; round++) {
    jt_mechanism k;
    int nbody = 12 + jt_random_below(&r, 12);
    jt_random_mechanism(&k, &r, nbody, 36, 0.1, 1 + jt_random_below(&r, 3));
    jn_spec *spec = jt_mechanism_spec(&k);
    jn_model *m = jt_spanned(spec, NULL);
    inexact += !m->exact_chain;
    // A tree is of minimum weight if no cut joint is lighter than any joint of its loop.
    for (int e = 0; e < m->nedge; e++) {
      if (m->in_tree[e]) continue;
      int a = m->edge[e].a, b = m->edge[e].b;
      while (a != b) {
        int *low = m->depth[a] >= m->depth[b] ? &a : &b;
        assert_true(m->edge[m->parent_edge[*low]].weight10 <= m->edge[e].weight10);
        *low = m->parent[*low];
      }
    }
    jn_model_free(m);
    jn_spec_free(spec);
  }
  assert_true(inexact > 10);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(trees_are_counted_and_listed_as_brute_force_finds_them),
      cmocka_unit_test(listing_stops_when_asked_to),
      cmocka_unit_test(complete_graphs_have_the_trees_of_cayleys_formula),
      cmocka_unit_test(cycles_and_ladders_have_the_trees_of_their_formulas),
      cmocka_unit_test(tree_is_the_lightest_then_the_shortest_then_the_first_by_name),
      cmocka_unit_test(forces_decide_what_floating_parts_hang_on_and_nothing_else),
      cmocka_unit_test(parent_overrides_what_forces_say),
      cmocka_unit_test(forced_cuts_are_made_and_the_rest_is_the_best_that_is_left),
      cmocka_unit_test(a_joint_that_is_not_there_cannot_be_cut),
      cmocka_unit_test(base_is_the_body_that_the_user_names),
      cmocka_unit_test(all_trees_are_listed_with_the_lightest_first),
      cmocka_unit_test(tree_is_the_lightest_even_where_not_all_are_compared),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
