// The laws of loops, chains and subsystems, held against what can be read off the tree one by one.
#include "mechanism.h"

typedef struct walk {
  int n;
  int edge[JT_JOINTS + JT_BODIES], sign[JT_JOINTS + JT_BODIES];
} walk;

static void note(void *user, int edge, int sign)
{
  walk *w = user;
  w->edge[w->n] = edge;
  w->sign[w->n++] = sign;
}

static walk walk_of(const jn_model *m, int cut)
{
  walk w = {0};
  jn_loop_walk(m, cut, note, &w);
  return w;
}

static bool is_above(const jn_model *m, int high, int low)
{
  while (low >= 0 && low != high) low = m->parent[low];
  return low == high;
}

static int lower_end(const jn_model *m, int edge)
{
  int a = m->edge[edge].a, b = m->edge[edge].b;
  return m->parent_edge[a] == edge ? a : b;
}

// ---- laws of any plan ---------------------------------------------------------------------------

// Up from the first body, down to the second, by tree joints alone, each once.
static void check_loops(const jn_model *m)
{
  int closing = 0;
  bool in_loop[JT_JOINTS + JT_BODIES] = {false};
  for (int e = 0; e < m->nedge; e++) {
    bool closes = !m->in_tree[e] || m->edge[e].kind == JN_JOINT_DISTANCE;
    closing += closes;
    if (closes) {
      assert_true(closing <= m->nloop);
      assert_int_equal(m->loop[closing - 1].cut, e);
    }
  }
  assert_int_equal(m->nloop, closing);
  for (int i = 0; i < m->nloop; i++) {
    int cut = m->loop[i].cut, a = m->edge[cut].a, b = m->edge[cut].b, degree[JT_BODIES + 1] = {0};
    walk w = walk_of(m, cut);
    assert_int_equal(m->loop[i].length, w.n + 1);
    degree[a]++, degree[b]++;
    for (int k = 0; k < w.n; k++) {
      int child = lower_end(m, w.edge[k]);
      assert_true(m->in_tree[w.edge[k]]);
      for (int j = 0; j < k; j++) assert_true(w.edge[j] != w.edge[k]);
      degree[m->edge[w.edge[k]].a]++, degree[m->edge[w.edge[k]].b]++;
      assert_int_equal(w.sign[k], is_above(m, child, b) ? 1 : -1);
      assert_true(is_above(m, child, a) != is_above(m, child, b));
      in_loop[w.edge[k]] = true;
    }
    // In a forest every node of degree two, none of one: with the cut joint it is a cycle.
    for (int v = 0; v < m->nnode; v++) assert_true(degree[v] == 0 || degree[v] == 2);
  }
  for (int e = 0; e < m->nedge; e++) assert_int_equal(m->in_loop[e], in_loop[e]);
}

// Loops that share a joint with coordinates are in one set, and so are those that share with them.
static void check_sets(const jn_model *m)
{
  static bool share[JT_JOINTS + JT_BODIES][JT_JOINTS + JT_BODIES];
  int ncoord[JT_JOINTS] = {0}, nrow[JT_JOINTS] = {0}, nloop[JT_JOINTS] = {0};
  for (int i = 0; i < m->nloop; i++)
    for (int k = 0; k < m->nloop; k++) {
      walk x = walk_of(m, m->loop[i].cut), y = walk_of(m, m->loop[k].cut);
      share[i][k] = i == k;
      for (int p = 0; p < x.n; p++)
        for (int q = 0; q < y.n; q++)
          share[i][k] |= x.edge[p] == y.edge[q] && m->edge[x.edge[p]].ncoord > 0;
    }
  for (int j = 0; j < m->nloop; j++)
    for (int i = 0; i < m->nloop; i++)
      for (int k = 0; k < m->nloop; k++) share[i][k] |= share[i][j] && share[j][k];
  int sets = 0;
  for (int i = 0; i < m->nloop; i++) {
    bool first = true;
    for (int k = 0; k < m->nloop; k++) {
      assert_int_equal(m->loop[i].set == m->loop[k].set, share[i][k]);
      first = first && (k >= i || !share[i][k]);
    }
    if (first) assert_int_equal(m->loop[i].set, sets++);  // numbered by their first cut joint
    nloop[m->loop[i].set]++;
    nrow[m->loop[i].set] += m->edge[m->loop[i].cut].nrow;
  }
  assert_int_equal(m->nset, sets);
  for (int e = 0; e < m->nedge; e++) {
    int set = -1;
    for (int i = 0; i < m->nloop && m->in_tree[e] && set < 0; i++) {
      walk w = walk_of(m, m->loop[i].cut);
      for (int k = 0; k < w.n; k++)
        if (w.edge[k] == e) set = m->loop[i].set;
    }
    if (set >= 0) ncoord[set] += m->edge[e].ncoord;
  }
  for (int s = 0; s < sets; s++) {
    assert_int_equal(m->set[s].nloop, nloop[s]);
    assert_int_equal(m->set[s].nrow, nrow[s]);
    assert_int_equal(m->set[s].ncoord, ncoord[s]);
  }
}

static int children_of(const jn_model *m, int v)
{
  int n = 0;
  for (int w = 1; w < m->nnode; w++) n += m->parent[w] == v;
  return n;
}

// Every body is in one chain; a chain is as long as it can be.
static void check_chains(const jn_model *m)
{
  int in[JT_BODIES + 1] = {0};
  for (int i = 0; i < m->nchain; i++) {
    const jn_chain *c = &m->chain[i];
    int v = c->last, n = 1;
    in[v]++;
    assert_true(children_of(m, v) != 1);
    for (; v != c->first; n++) {
      v = m->parent[v];
      assert_int_equal(children_of(m, v), 1);
      in[v]++;
    }
    assert_int_equal(n, c->length);
    int above = m->parent[c->first];
    assert_true(above == JN_NODE_GROUND || children_of(m, above) > 1);
  }
  for (int v = 1; v < m->nnode; v++) assert_int_equal(in[v], 1);
}

// Two coordinates meet in the mass matrix where one of them carries the other's body.
static void check_nonzeros(const jn_model *m)
{
  double n = 0.0;
  for (int v = 1; v < m->nnode; v++)
    for (int w = 1; w < m->nnode; w++) {
      int cv = m->edge[m->parent_edge[v]].ncoord, cw = m->edge[m->parent_edge[w]].ncoord;
      if (v == w) n += 0.5 * cv * (cv + 1);
      if (v != w && is_above(m, v, w)) n += cv * cw;
    }
  assert_true(m->nonzeros == n);
}

static void check_subsystems(const jn_model *m)
{
  int in[JT_BODIES + 1] = {0}, cuts = 0, rows = 0, coords = 0;
  assert_true(m->core[JN_NODE_GROUND] && m->core[m->base]);
  for (int v = 1; v < m->nnode; v++)
    if (m->core[v]) {
      assert_true(m->core[m->parent[v]]);
      assert_int_equal(m->part[v], -1);
      coords += m->edge[m->parent_edge[v]].ncoord;
    }
  for (int i = 0; i < m->nsubsystem; i++) {
    const jn_subsystem *s = &m->subsystem[i];
    int ncoord = 0, nrow = 0, ncut = 0;
    assert_true(s->nbody > 0);
    for (int k = 0; k < s->nbody; k++) {
      in[s->node[k]]++;
      assert_int_equal(m->part[s->node[k]], i);
      ncoord += m->edge[m->parent_edge[s->node[k]]].ncoord;
    }
    for (int e = 0; e < m->nedge; e++)
      if (!m->in_tree[e] && (m->part[m->edge[e].a] == i || m->part[m->edge[e].b] == i))
        ncut++, nrow += m->edge[e].nrow;
    for (int k = 0; k < s->nbody; k++) nrow += m->edge[m->parent_edge[s->node[k]]].tree_rows;
    assert_int_equal(s->ncoord, ncoord);
    assert_int_equal(s->nrow, nrow);
    assert_int_equal(s->ncut, ncut);
    assert_true(m->core[s->parent]);
    for (int k = 0; k < s->nbody; k++)
      for (int e = 0; e < m->nedge; e++) {  // what it is jointed to lies beyond its parent body
        const int a = m->edge[e].a, b = m->edge[e].b, own = s->node[k];
        if (a != own && b != own) continue;
        const int other = a == own ? b : a;
        if (m->core[other]) assert_true(other == s->parent || is_above(m, s->parent, other));
      }
    cuts += ncut, rows += nrow, coords += ncoord;
  }
  for (int v = 1; v < m->nnode; v++) assert_int_equal(in[v], !m->core[v]);
  int core_cuts = 0, all_coords = 0;
  for (int e = 0; e < m->nedge; e++) {
    int a = m->edge[e].a, b = m->edge[e].b;
    core_cuts += !m->in_tree[e] && m->core[a] && m->core[b];
    // Coupled through the core alone.
    assert_true(m->core[a] || m->core[b] || m->part[a] == m->part[b]);
    if (m->in_tree[e]) all_coords += m->edge[e].ncoord;
  }
  assert_int_equal(cuts + core_cuts, m->ncut);
  assert_int_equal(coords, all_coords);
  // A subsystem is one piece: from its first body all others are reached without the core.
  for (int i = 0; i < m->nsubsystem; i++) {
    bool reached[JT_BODIES + 1] = {false};
    reached[m->subsystem[i].node[0]] = true;
    for (bool grows = true; grows;) {
      grows = false;
      for (int e = 0; e < m->nedge; e++) {
        int a = m->edge[e].a, b = m->edge[e].b;
        if (m->core[a] || m->core[b] || reached[a] == reached[b]) continue;
        reached[a] = reached[b] = grows = true;
      }
    }
    for (int k = 0; k < m->subsystem[i].nbody; k++) assert_true(reached[m->subsystem[i].node[k]]);
  }
}

// ---- shapes -------------------------------------------------------------------------------------

// What a joint is, seen from one of its ends: massless links differ.
static int seen_from(const jn_edge *e, int node)
{
  bool link = e->kind == JN_JOINT_SPHERICAL_REVOLUTE || e->kind == JN_JOINT_SPHERICAL_TRANSLATIONAL;
  return 4 * (int)e->kind + 2 * e->driven + (link && e->a == node);
}

// Cut joints between two members, or a member and the core (j < 0), that look like this.
static int count_cuts(const jn_model *m, const int *node, int i, int j, int look)
{
  int n = 0;
  for (int e = 0; e < m->nedge; e++)
    for (int side = 0; side < 2; side++) {
      int a = side ? m->edge[e].b : m->edge[e].a, b = side ? m->edge[e].a : m->edge[e].b;
      if (m->in_tree[e] || a != node[i] || seen_from(&m->edge[e], a) != look) continue;
      n += j < 0 ? m->core[b] : b == node[j];
    }
  return n;
}

static int member(const int *node, int n, int v)
{
  int i = 0;
  while (i < n && node[i] != v) i++;
  return i < n ? i : -1;
}

// Does member i of one correspond to member i of the other, in every joint?
static bool correspond(const jn_model *m, const int *x, const int *y, int n)
{
  for (int i = 0; i < n; i++) {
    int px = m->parent[x[i]], py = m->parent[y[i]];
    if (m->core[px] != m->core[py] || member(x, n, px) != member(y, n, py)) return false;
    if (seen_from(&m->edge[m->parent_edge[x[i]]], x[i]) !=
        seen_from(&m->edge[m->parent_edge[y[i]]], y[i]))
      return false;
    for (int j = -1; j < n; j++)
      for (int look = 0; look < 4 * JN_NJOINT_KIND; look++)
        if (count_cuts(m, x, i, j, look) != count_cuts(m, y, i, j, look)) return false;
  }
  return true;
}

// By trying every order.
static bool isomorphic(const jn_model *m, const int *x, int *y, int n, int placed)
{
  if (placed == n) return correspond(m, x, y, n);
  for (int i = placed; i < n; i++) {
    int was = y[placed];
    y[placed] = y[i], y[i] = was;
    bool found = isomorphic(m, x, y, n, placed + 1);
    was = y[placed];
    y[placed] = y[i], y[i] = was;
    if (found) return true;
  }
  return false;
}

static int compared, equal, different;

static void check_shapes(const jn_model *m)
{
  int shapes = 0;
  for (int i = 0; i < m->nsubsystem; i++) {
    const jn_subsystem *s = &m->subsystem[i];
    assert_true(s->shape >= 0 && s->shape <= shapes);  // numbered as they appear
    shapes += s->shape == shapes;
    for (int k = 0; k < i; k++) {
      const jn_subsystem *t = &m->subsystem[k];
      if (s->shape == t->shape) {
        assert_int_equal(s->nbody, t->nbody);
        assert_true(correspond(m, t->node, s->node, s->nbody));
        equal++;
      } else if (s->nbody == t->nbody && s->nbody <= 5) {
        int other[JT_BODIES];
        memcpy(other, s->node, (size_t)s->nbody * sizeof *other);
        assert_false(isomorphic(m, t->node, other, s->nbody, 0));
        different++;
      }
      compared++;
    }
  }
  assert_int_equal(m->nshape, shapes);
}

// ---- on random mechanisms -----------------------------------------------------------------------

static void on_random_mechanisms(void (*law)(const jn_model *), uint64_t seed, int count)
{
  jt_random r = {seed};
  for (int round = 0; round < count; round++) {
    jt_mechanism k;
    int nbody = 2 + jt_random_below(&r, 14);
    jt_random_mechanism(&k, &r, nbody, jt_random_below(&r, nbody + 8),
                        jt_random_below(&r, 3) ? 0.3 : 0.0, 1 + jt_random_below(&r, 4));
    for (int i = jt_random_below(&r, 8); i > 0; i--) {
      int a = jt_random_below(&r, nbody), b = jt_random_below(&r, nbody + 1) - 1;
      if (a != b) jt_add_force(&k, &r, a, b);
    }
    jn_spec *spec = jt_mechanism_spec(&k);
    jn_model *m = jt_spanned(spec, NULL);
    law(m);
    jn_model_free(m);
    jn_spec_free(spec);
  }
}

static void loops_are_closed_cycles(void **state)
{
  (void)state;
  on_random_mechanisms(check_loops, 21, 400);
}

static void loops_share_a_set_where_coordinates_connect_them(void **state)
{
  (void)state;
  on_random_mechanisms(check_sets, 22, 400);
}

static void chains_divide_the_bodies(void **state)
{
  (void)state;
  on_random_mechanisms(check_chains, 23, 400);
}

static void mass_matrix_has_its_nonzeros_along_the_chains(void **state)
{
  (void)state;
  on_random_mechanisms(check_nonzeros, 24, 400);
}

static void subsystems_divide_what_is_not_core_and_couple_through_it_alone(void **state)
{
  (void)state;
  on_random_mechanisms(check_subsystems, 25, 400);
}

static void shapes_are_equal_where_some_order_of_the_bodies_makes_them_so(void **state)
{
  (void)state;
  compared = equal = different = 0;
  on_random_mechanisms(check_shapes, 26, 1000);
  assert_true(compared > 1000 && equal > 100 && different > 500);
}

// ---- copies of one design -----------------------------------------------------------------------

typedef struct design {  // on the ground: body -1
  int nbody, njoint;
  jn_joint_kind kind[12];
  int body[12][2];
  bool driven[12];
} design;

static void random_design(jt_random *r, design *d)
{
  d->nbody = 1 + jt_random_below(r, 5);
  d->njoint = d->nbody + jt_random_below(r, 4);
  for (int i = 0; i < d->njoint; i++) {
    d->kind[i] = jt_random_kind(r);
    d->driven[i] = jn_joint_kinds[d->kind[i]].drivable && jt_random_below(r, 6) == 0;
    int b = i < d->nbody ? i : jt_random_below(r, d->nbody);  // all hang together
    int a = i == 0         ? -1
            : i < d->nbody ? jt_random_below(r, i)
                           : jt_random_below(r, d->nbody + 1) - 1;
    if (a == b) a = -1;
    if (i == 0 && d->kind[i] == JN_JOINT_FREE) d->kind[i] = JN_JOINT_SPHERICAL;
    d->body[i][0] = a;
    d->body[i][1] = b;
  }
}

static bool one_ended(jn_joint_kind kind)
{
  return kind == JN_JOINT_SPHERICAL_REVOLUTE || kind == JN_JOINT_SPHERICAL_TRANSLATIONAL;
}

// A copy with names of its own, its joints in another order and seen from the other end. Names keep
// the order of the design, because ties between joints go by name. at[i]: where body i is.
static void add_copy(jt_mechanism *k, jt_random *r, const design *d, int copy, int *at)
{
  int order[12] = {0};
  for (int i = 0; i < d->nbody; i++) at[i] = -1;
  for (int i = 0; i < d->nbody; i++) {
    int b = jt_random_below(r, d->nbody);
    while (at[b] >= 0) b = (b + 1) % d->nbody;
    at[b] = jt_add_body(k, r);
  }
  for (int i = 0; i < d->njoint; i++) {
    int j = jt_random_below(r, i + 1);
    order[i] = order[j];
    order[j] = i;
  }
  for (int i = 0; i < d->njoint; i++) {
    int j = order[i], swap = !one_ended(d->kind[j]) && jt_random_below(r, 2), body[2];
    for (int side = 0; side < 2; side++)
      body[side ^ swap] = d->body[j][side] < 0 ? JN_GROUND : at[d->body[j][side]];
    jt_joint *joint = jt_add_joint(k, r, d->kind[j], body[0], body[1]);
    joint->driven = d->driven[j];
    snprintf(joint->name, sizeof joint->name, "%c%d%c", 'a' + j, copy,
             'a' + jt_random_below(r, 26));
  }
}

static void copies_have_one_shape_whatever_their_names_and_order(void **state)
{
  (void)state;
  jt_random r = {27};
  enum { COPIES = 3 };
  for (int round = 0; round < 300; round++) {
    design d;
    random_design(&r, &d);
    jt_mechanism k = {0};
    int at[COPIES][5];
    for (int c = 0; c < COPIES; c++) add_copy(&k, &r, &d, c, at[c]);
    jn_spec *spec = jt_mechanism_spec(&k);
    jn_model *m = jt_spanned(spec, NULL);
    check_shapes(m);
    for (int c = 1; c < COPIES; c++)
      for (int i = 0; i < d.nbody; i++) {
        int v = at[0][i] + 1, w = at[c][i] + 1;
        assert_int_equal(m->core[v], m->core[w]);
        if (!m->core[v])
          assert_int_equal(m->subsystem[m->part[v]].shape, m->subsystem[m->part[w]].shape);
      }
    jn_model_free(m);
    jn_spec_free(spec);
  }
}

// Another kind in place of this one, which asks for the same points and axes.
static jn_joint_kind other_kind(jn_joint_kind kind)
{
  switch (kind) {
    case JN_JOINT_REVOLUTE:
      return JN_JOINT_CYLINDRICAL;
    case JN_JOINT_CYLINDRICAL:
    case JN_JOINT_TRANSLATIONAL:
    case JN_JOINT_PLANAR:
    case JN_JOINT_SCREW:
      return JN_JOINT_REVOLUTE;
    case JN_JOINT_SPHERICAL:
      return JN_JOINT_NO_ROTATION;
    default:
      return JN_JOINT_SPHERICAL;
  }
}

static void one_joint_of_another_kind_makes_another_shape(void **state)
{
  (void)state;
  jt_random r = {28};
  int changed = 0;
  for (int round = 0; round < 300; round++) {
    design d;
    random_design(&r, &d);
    jt_mechanism k = {0};
    int at[2][5], j = jt_random_below(&r, d.njoint);
    add_copy(&k, &r, &d, 0, at[0]);
    d.kind[j] = other_kind(d.kind[j]);
    d.driven[j] = false;
    add_copy(&k, &r, &d, 1, at[1]);
    jn_spec *spec = jt_mechanism_spec(&k);
    jn_model *m = jt_spanned(spec, NULL);
    for (int side = 0; side < 2; side++) {
      if (d.body[j][side] < 0) continue;
      int v = at[0][d.body[j][side]] + 1, w = at[1][d.body[j][side]] + 1;
      if (m->core[v] || m->core[w]) continue;
      assert_true(m->subsystem[m->part[v]].shape != m->subsystem[m->part[w]].shape);
      changed++;
    }
    jn_model_free(m);
    jn_spec_free(spec);
  }
  assert_true(changed > 200);
}

// ---- the corners of a car -----------------------------------------------------------------------

static int joint_by_name(const jn_spec *spec, const char *name)
{
  int i = 0;
  while (strcmp(spec->joint[i].name, name)) i++;
  return i;
}

static void a_corner_with_one_other_joint_is_no_longer_like_the_others(void **state)
{
  (void)state;
  static const char *const joint[] = {"lca_pivot_fl", "uca_pivot_fr", "lca_ball_rl", "uca_ball_rr",
                                      "hub_fl"};
  static const char *const body[] = {"lca_fl", "uca_fr", "lca_rl", "uca_rr", "wheel_fl"};
  for (int i = 0; i < 5; i++) {
    jn_spec *spec = jt_load("models/peer-vehicle.yaml");
    jn_joint_spec *j = &spec->joint[joint_by_name(spec, joint[i])];
    j->kind = other_kind(j->kind);
    jn_model *m = jt_spanned(spec, NULL);
    assert_int_equal(m->nsubsystem, 4);
    assert_int_equal(m->nshape, 2);
    int odd = m->part[jn_node_by_name(m, body[i])];
    for (int k = 0; k < 4; k++)
      for (int l = 0; l < 4; l++)
        assert_int_equal(m->subsystem[k].shape == m->subsystem[l].shape, (k == odd) == (l == odd));
    jn_model_free(m);
    jn_spec_free(spec);
  }
}

// `text` without the line that begins with `start`; and with `more` before the brace that closes a
// line.
static void remove_line(char *text, const char *start)
{
  char *line = strstr(text, start), *end = line ? strchr(line, '\n') : NULL;
  assert_non_null(end);
  memmove(line, end + 1, strlen(end + 1) + 1);
}

static char *extend_line(char *text, const char *start, const char *more)
{
  char *line = strstr(text, start), *end = line ? strchr(line, '\n') : NULL;
  assert_non_null(end);
  assert_int_equal(end[-1], '}');
  char *out = malloc(strlen(text) + strlen(more) + 1);
  size_t head = (size_t)(end - 1 - text);
  memcpy(out, text, head);
  strcpy(out + head, more);
  strcat(out, end - 1);
  free(text);
  return out;
}

// A rack that is driven has no coordinate: the corners on it are the same subsystems, and
// decoupled.
static void corners_on_a_driven_rack_still_separate(void **state)
{
  (void)state;
  static const char *const file[] = {"models/hmmwv.yaml", "models/peer-vehicle.yaml"};
  for (int i = 0; i < 2; i++) {
    jn_spec *free_spec = jt_load(file[i]);
    jn_model *loose = jt_compile(free_spec, NULL);
    char *text = jt_print(free_spec);
    remove_line(text, "  rack_servo: ");
    text = extend_line(text, "  rack_guide: ", ", motion: {channel: driver.rack}");
    jn_spec *spec = jt_parse(text);
    jn_model *m = jt_compile(spec, NULL);
    int rack = jn_node_by_name(m, "rack");
    assert_true(m->core[rack]);
    assert_int_equal(m->nsubsystem, 4);
    assert_int_equal(m->nshape, 1);
    assert_int_equal(m->nset, 4);
    assert_int_equal(loose->nset, 3);
    assert_int_equal(m->ncoord, loose->ncoord - 1);
    assert_int_equal(m->dof, loose->dof - 1);
    assert_int_equal(m->ncut, loose->ncut);
    jn_model_free(m);
    jn_model_free(loose);
    jn_spec_free(spec);
    jn_spec_free(free_spec);
    free(text);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(loops_are_closed_cycles),
      cmocka_unit_test(loops_share_a_set_where_coordinates_connect_them),
      cmocka_unit_test(chains_divide_the_bodies),
      cmocka_unit_test(mass_matrix_has_its_nonzeros_along_the_chains),
      cmocka_unit_test(subsystems_divide_what_is_not_core_and_couple_through_it_alone),
      cmocka_unit_test(shapes_are_equal_where_some_order_of_the_bodies_makes_them_so),
      cmocka_unit_test(copies_have_one_shape_whatever_their_names_and_order),
      cmocka_unit_test(one_joint_of_another_kind_makes_another_shape),
      cmocka_unit_test(a_corner_with_one_other_joint_is_no_longer_like_the_others),
      cmocka_unit_test(corners_on_a_driven_rack_still_separate),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
