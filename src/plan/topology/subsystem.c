// subsystem.c: what hangs off the base and couples to nothing else, and which of it is alike.
#include <math.h>
#include <string.h>

#include "base/mix.h"
#include "joints/joint.h"
#include "plan/topology/geometry.h"
#include "plan/topology/topology.h"

typedef struct splitting {
  jn_model *m;
  int npart;
  int *size;  // bodies of each part (nnode)
  int *queue;
  int *label;    // scratch of is_shared (nnode)
  bool *closed;  // a joint that closes a loop ends here (nnode)
  bool *rolls;   // a tyre is on this body, or there is none at all (nnode)
  bool wheeled;  // there are tyres
  int ncore;     // coordinates of the core
} splitting;

// Give this label to all that joints reach outside the core from `start` and that has none yet. Returns how many, in `node`.
static int flood(const jn_model *m, int start, int value, int *label, int *node)
{
  int n = 0;
  label[start] = value;
  node[n++] = start;
  for (int head = 0; head < n; head++)
    for (int i = m->incident_at[node[head]]; i < m->incident_at[node[head] + 1]; i++) {
      const int w = jn_other(&m->edge[m->incident[i]], node[head]);
      if (!m->core[w] && label[w] < 0) label[w] = value, node[n++] = w;
    }
  return n;
}

// Number what joints connect outside the core: m->part.
static void find_parts(splitting *s)
{
  jn_model *m = s->m;
  for (int v = 0; v < m->nnode; v++) m->part[v] = -1;
  s->npart = 0;
  for (int k = 0; k < m->nnode; k++) {
    const int start = m->order[k];
    if (m->core[start] || m->part[start] >= 0) continue;
    s->size[s->npart] = flood(m, start, s->npart, m->part, s->queue);
    s->npart++;
  }
}

static bool bound_to(const jn_model *m, const int *label, int limb, int x)
{
  for (int i = 0; i < m->spec->nforce; i++) {
    int body[2];
    if (!jn_force_binds(&m->spec->force[i]) ||
        jn_force_bodies(m->spec, &m->spec->force[i], body) < 2)
      continue;
    int a = body[0] + 1, b = body[1] + 1;
    if ((a == x && label[b] == limb) || (b == x && label[a] == limb)) return true;
  }
  return false;
}

// Would the part fall into subsystems of its own if x joined the core? At least two must have loops
// of their own (what a steering rack or a subframe holds together), or, if x is in no loop itself, be
// held to it by springs (what a trailer carries). A wheel on its axle is neither. If x is in a loop
// itself they carry wheels: a rocker or half of an anti-roll bar on an arm is a part of the corner.
static bool is_shared(splitting *s, int x)
{
  jn_model *m = s->m;
  int limbs = 0, with_loops = 0, held = 0;
  for (int v = 0; v < m->nnode; v++) s->label[v] = -1;
  s->label[x] = 0;
  for (int k = 0; k < m->nnode; k++) {
    const int start = m->order[k];
    if (m->part[start] != m->part[x] || s->label[start] >= 0) continue;
    bool closed = false, rolls = false;
    const int n = flood(m, start, ++limbs, s->label, s->queue);
    for (int i = 0; i < n; i++) {
      closed |= s->closed[s->queue[i]];
      rolls |= s->rolls[s->queue[i]];
    }
    closed &= rolls || !m->in_loop[m->parent_edge[x]];
    with_loops += closed;
    held += closed || (!m->in_loop[m->parent_edge[x]] && bound_to(m, s->label, limbs, x));
  }
  return with_loops >= 2 || (!m->in_loop[m->parent_edge[x]] && held >= 2);
}

static void find_wheels(splitting *s)
{
  const jn_spec *spec = s->m->spec;
  bool any = false;
  for (int i = 0; i < spec->nforce; i++) {
    const jn_force_spec *f = &spec->force[i];
    if (f->kind != JN_FORCE_WHEEL && f->kind != JN_FORCE_TYRE) continue;
    s->rolls[(f->kind == JN_FORCE_WHEEL ? f->as.wheel.body : f->as.tyre.body) + 1] = any = true;
  }
  s->wheeled = any;
  for (int v = 0; v < s->m->nnode; v++) s->rolls[v] |= !any;
}

// Joints are the same seen from either end, but for the massless links.
static uint64_t joint_label(const jn_edge *e, int from)
{
  const bool two_ended =
      jn_joint_shapes[e->kind].handed && jn_joint_has_move(e->kind, JN_MOVE_SPHERE);
  return (uint64_t)e->kind * 4 + (e->driven ? 2 : 0) + (two_ended && e->a == from ? 1 : 0);
}

typedef struct shaping {
  jn_model *m;
  uint64_t *colour, *next;  // (nnode)
  int *image;               // of a node of the pattern (nnode), -1: none yet
  bool *used;               // (nnode)
  int *tried;               // (nnode)
  int steps;                // left before a comparison is given up
} shaping;

// Colour refinement (Weisfeiler & Leman): nodes of one colour look alike as far as they see.
static void paint(shaping *s, const jn_subsystem *sub)
{
  jn_model *m = s->m;
  const uint64_t core_colour = jn_mix(1), tree = jn_mix(2);
  for (int i = 0; i < sub->nbody; i++) s->colour[sub->node[i]] = jn_mix(3);
  int rounds = sub->nbody < 16 ? sub->nbody : 16;
  for (int r = 0; r < rounds; r++) {
    for (int i = 0; i < sub->nbody; i++) {
      int v = sub->node[i];
      uint64_t sum = 0;
      for (int k = m->incident_at[v]; k < m->incident_at[v + 1]; k++) {
        int e = m->incident[k], w = jn_other(&m->edge[e], v);
        uint64_t label = joint_label(&m->edge[e], v) * 4;
        if (m->in_tree[e]) label += m->parent[v] == w && m->parent_edge[v] == e ? 1 : 2;
        sum += jn_mix(jn_mix(label ^ tree) ^ (m->core[w] ? core_colour : s->colour[w]));
      }
      s->next[v] = jn_mix(s->colour[v] ^ sum);
    }
    for (int i = 0; i < sub->nbody; i++) s->colour[sub->node[i]] = s->next[sub->node[i]];
  }
}

static uint64_t signature(const shaping *s, const jn_subsystem *sub)
{
  uint64_t sum = jn_mix((uint64_t)sub->nbody);
  for (int i = 0; i < sub->nbody; i++) sum += jn_mix(s->colour[sub->node[i]]);
  return sum;
}

typedef struct bearing {
  const jn_model *m;
  v3 at, axis;
  int n;
  bool coaxial;
} bearing;

// Is the joint about the axis of those before it? A ball joint has only a point to lie on it.
static void visit_bearing(void *user, int edge, int sign)
{
  bearing *b = user;
  const jn_joint_geometry g = jn_joint_geometry_of(b->m, edge);
  const bool ball = g.kind == JN_JOINT_SPHERICAL && !b->m->in_tree[edge] && b->n;
  (void)sign;
  if (b->n++ == 0) b->at = g.at[0], b->axis = g.axis[0];
  const v3 off = v3_sub(g.at[0], b->at);
  const double size = 1e-9 * (1.0 + v3_norm(off));
  b->coaxial &=
      ball ||
      ((g.kind == JN_JOINT_REVOLUTE || (g.kind == JN_JOINT_CYLINDRICAL && !b->m->in_tree[edge])) &&
       v3_norm(v3_cross(g.axis[0], b->axis)) < 1e-9);
  b->coaxial &= v3_norm(v3_cross(off, b->axis)) < size;
}

// A cut joint in a loop of hinges about one axis holds nothing: a further bearing of a shaft that turns in others.
static bool is_further_bearing(const jn_model *m, int cut)
{
  bearing b = {.m = m, .coaxial = true};
  for (int v = m->edge[cut].a, w = m->edge[cut].b; v != w;) {
    int *deeper = m->depth[v] >= m->depth[w] ? &v : &w;
    visit_bearing(&b, m->parent_edge[*deeper], 1);
    *deeper = m->parent[*deeper];
  }
  visit_bearing(&b, cut, 1);
  return b.coaxial;
}

// Would a loop of the core be closed that constrains it?
static bool closes_core(const jn_model *m, int x)
{
  for (int i = m->incident_at[x]; i < m->incident_at[x + 1]; i++)
    if (!m->in_tree[m->incident[i]] && m->core[jn_other(&m->edge[m->incident[i]], x)] &&
        !is_further_bearing(m, m->incident[i]))
      return true;
  return false;
}

// Coordinates of a body that may join the core, with those of what a floating one floats beside: a vehicle beside a pad that only springs
// tie it to hangs on that pad. -1: it may not.
static int coordinates_to(const jn_model *m, int x)
{
  int n = m->edge[m->parent_edge[x]].ncoord;
  if (m->core[m->parent[x]]) return n;
  if (!jn_edge_free(&m->edge[m->parent_edge[x]])) return -1;
  for (int up = m->parent[x]; !m->core[up]; up = m->parent[up])
    n += m->edge[m->parent_edge[up]].ncoord;
  return n;
}

// Bodies that several subsystems attach to join the core, from the base outwards.
static void grow_core(splitting *s)
{
  jn_model *m = s->m;
  for (int k = 1; k < m->nnode; k++) {
    const int x = m->order[k], n = m->core[x] ? -1 : coordinates_to(m, x);
    if (n < 0 || s->ncore + n > JN_CORE_COORDINATES) continue;
    const int size = s->size[m->part[x]];
    if (size < 3 || size > JN_PART_SPLIT || !is_shared(s, x)) continue;
    if (s->wheeled && closes_core(m, x)) continue;
    for (int up = x; !m->core[up]; up = m->parent[up]) m->core[up] = true;
    s->ncore += n;
    find_parts(s);
  }
}

// ---- several bodies at once ---------------------------------------------------------------------------
//
// No single body separates the corners of an axle that a steering rack and an anti-roll bar both connect: rack and bar do together.
// So sets of bodies are tried, each with all that it hangs on, and the cheapest is taken. The cost is that of one evaluation in
// lanes, in instructions, roughly: corners that are alike share a list, so that they cost as much as one.

enum {
  SEARCH_BODIES = 4,   // of a set
  SEARCH_PART = 48,    // larger parts are not searched
  SEARCH_SETS = 2000,  // tried for a part
  COST_LIST = 600,     // of a list: what it has once
  COST_BODY = 350,     // and of each body
  COST_ROW = 150,
  COST_WHEEL = 900,
  COST_COLUMN = 60,        // of a body, per coordinate that it moves with
  COST_CORE = 450,         // of a body of the core, and per coordinate of it
  COST_UNGROUPED = 2000,   // of a force element that no list has
  COST_CORE_LOOP = 15000,  // of a joint that closes a loop in the core
  COST_ROWS_ALONE = 8,     // most rows of a list that no other is like; with more, it is computed
  COST_GENERAL = 12,       // by the general path, at so many times the cost
};

typedef struct searching {
  splitting *s;
  shaping shape;
  jn_subsystem *limb;  // of a set, while it is tried (nnode)
  int *nodes;          // of these (nnode)
  uint64_t *sign;      // (nnode)
  int list[SEARCH_BODIES], best[SEARCH_BODIES];
  int n, nbest, sets;
  double cost;
} searching;

static bool closes_loop(const splitting *s, const jn_subsystem *k)
{
  for (int i = 0; i < k->nbody; i++)
    if (s->closed[k->node[i]]) return true;
  return false;
}

static int wheels_of(const splitting *s, const jn_subsystem *k)
{
  int n = 0;
  for (int i = 0; i < k->nbody; i++) n += s->rolls[k->node[i]];
  return n;
}

// Of the list of a subsystem: bodies, rows of the loops, and what it moves with. alone: no other is like it.
static double cost_of_list(const jn_model *m, const splitting *s, const jn_subsystem *k, bool alone)
{
  int ncoord = 0, nrow = 0, shared = 0;
  for (int i = 0; i < k->nbody; i++) {
    const int v = k->node[i];
    ncoord += m->edge[m->parent_edge[v]].ncoord;
    for (int e = m->incident_at[v]; e < m->incident_at[v + 1]; e++) {
      const jn_edge *edge = &m->edge[m->incident[e]];
      const int w = jn_other(edge, v);
      shared += m->core[w] && w != m->base && w != JN_NODE_GROUND;
      if (m->in_tree[m->incident[e]]) continue;
      nrow += edge->b == v && !m->core[w] ? 0 : edge->nrow;  // once
    }
  }
  const int columns = k->nbody * (1 + shared) + (ncoord > nrow ? ncoord - nrow : 0);
  return (COST_LIST + COST_BODY * k->nbody + COST_ROW * nrow + (double)nrow * nrow * nrow +
          COST_WHEEL * wheels_of(s, k) + COST_COLUMN * columns) *
         (alone && nrow > COST_ROWS_ALONE ? COST_GENERAL : 1);
}

// Force elements that reach from a list to other bodies than its parent body, or pull on what the set has taken out of one.
// of: limb of each node, -1: core.
static double cost_of_elements(const searching *q, const int *of)
{
  const jn_model *m = q->s->m;
  double cost = 0.0;
  for (int i = 0; i < m->spec->nforce; i++) {
    int body[2];
    const jn_force_spec *f = &m->spec->force[i];
    if (f->kind == JN_FORCE_RSDA || f->kind == JN_FORCE_SERVO) continue;
    if (jn_force_bodies(m->spec, f, body) < 2) continue;
    const int a = body[0] + 1, b = body[1] + 1;
    const bool outer[2] = {m->core[a] && a != m->base && a != JN_NODE_GROUND,
                           m->core[b] && b != m->base && b != JN_NODE_GROUND};
    if (outer[0] || outer[1] || (of[a] >= 0 && of[b] >= 0 && of[a] != of[b]))
      cost += COST_UNGROUPED;
  }
  return cost;
}

// Is it beside another body of the set, as the arms that carry a relay rod are, or between two limbs with loops and wheels? An arm of
// a suspension is not.
static bool connects(const searching *q, int v)
{
  const jn_model *m = q->s->m;
  int first = -1;
  for (int i = m->incident_at[v]; i < m->incident_at[v + 1]; i++) {
    const int w = jn_other(&m->edge[m->incident[i]], v), limb = q->s->label[w];
    for (int k = 0; k < q->n; k++)
      if (q->list[k] == w) return true;
    if (limb < 0 || !closes_loop(q->s, &q->limb[limb]) || !wheels_of(q->s, &q->limb[limb]))
      continue;
    if (first >= 0 && first != limb) return true;
    first = limb;
  }
  return false;
}

// Of a part, with the bodies of the list in the core. INFINITY: it does not fall into subsystems with wheels and loops.
static double cost_of_set(searching *q, int part)
{
  splitting *s = q->s;
  jn_model *m = s->m;
  const int *of = s->label;  // limb of each node, as is_shared numbers them
  int nlimb = 0, fill = 0, loops = 0;
  double cost = 0.0;
  for (int v = 0; v < m->nnode; v++) s->label[v] = -1;
  for (int k = 0; k < m->nnode; k++) {
    const int start = m->order[k];
    if (m->part[start] != part || m->core[start] || of[start] >= 0) continue;
    jn_subsystem *limb = &q->limb[nlimb];
    *limb = (jn_subsystem){.node = q->nodes + fill};
    limb->nbody = flood(m, start, nlimb, s->label, limb->node);
    fill += limb->nbody;
    nlimb++;
    if (closes_loop(s, limb) && wheels_of(s, limb)) loops++;
  }
  if (loops < 2) return INFINITY;
  for (int i = 0; i < q->n; i++)
    if (!connects(q, q->list[i])) return INFINITY;
  for (int i = 0; i < nlimb; i++) {
    paint(&q->shape, &q->limb[i]);
    q->sign[i] = signature(&q->shape, &q->limb[i]);
  }
  for (int i = 0; i < nlimb; i++) {
    bool first = true, alone = true;
    for (int k = 0; k < nlimb; k++) {
      if (k == i || q->sign[k] != q->sign[i]) continue;
      first &= k > i;
      alone = false;
    }
    if (first) cost += cost_of_list(m, s, &q->limb[i], alone);
  }
  cost += cost_of_elements(q, of);
  for (int i = 0; i < q->n; i++) {
    const int v = q->list[i];
    cost += COST_CORE * (1 + m->edge[m->parent_edge[v]].ncoord);
    for (int e = m->incident_at[v]; e < m->incident_at[v + 1]; e++)
      if (!m->in_tree[m->incident[e]] && m->core[jn_other(&m->edge[m->incident[e]], v)] &&
          !is_further_bearing(m, m->incident[e]))
        cost += COST_CORE_LOOP;
  }
  return cost;
}

// All sets of bodies of a part, each with what it hangs on, that begin with those chosen.
static void try_sets(searching *q, int part, int from)
{
  jn_model *m = q->s->m;
  if (q->n) {
    const double cost = cost_of_set(q, part);
    if (cost < q->cost) {
      q->cost = cost, q->nbest = q->n;
      memcpy(q->best, q->list, sizeof q->best);
    }
  }
  for (int k = from; k < m->nnode && q->n < SEARCH_BODIES; k++) {
    const int v = m->order[k];
    if (m->part[v] != part || m->core[v] || !m->core[m->parent[v]] || q->s->rolls[v]) continue;
    if (jn_edge_free(&m->edge[m->parent_edge[v]]) || q->sets-- <= 0) continue;
    q->list[q->n++] = v;
    m->core[v] = true;
    try_sets(q, part, k + 1);
    m->core[v] = false;
    q->n--;
  }
}

static double cost_of_whole(const searching *q, int part)
{
  const jn_model *m = q->s->m;
  jn_subsystem all = {.node = q->nodes};
  for (int k = 0; k < m->nnode; k++) {
    const int v = m->order[k];
    q->s->label[v] = m->part[v] == part ? 0 : -1;
    if (m->part[v] == part) all.node[all.nbody++] = v;
  }
  return cost_of_list(m, q->s, &all, true) + cost_of_elements(q, q->s->label);
}

static jn_status search_sets(splitting *s, jn_error *err)
{
  jn_model *m = s->m;
  const size_t n = (size_t)m->nnode;
  searching q = {.s = s, .shape = {.m = m}};
  q.shape.colour = jn_pool_alloc(&m->pool, n, sizeof *q.shape.colour);
  q.shape.next = jn_pool_alloc(&m->pool, n, sizeof *q.shape.next);
  q.sign = jn_pool_alloc(&m->pool, n, sizeof *q.sign);
  q.limb = jn_pool_alloc(&m->pool, n, sizeof *q.limb);
  q.nodes = jn_pool_alloc(&m->pool, n, sizeof *q.nodes);
  if (m->pool.failed) return jn_no_memory(err, m->spec->pos);
  for (int part = 0; part < s->npart; part++) {
    int wheels = 0, room = JN_CORE_COORDINATES - s->ncore;
    for (int v = 0; v < m->nnode; v++) wheels += m->part[v] == part && s->rolls[v];
    if (!s->wheeled || wheels < 2 || s->size[part] > SEARCH_PART) continue;
    q.nbest = 0, q.sets = SEARCH_SETS, q.cost = cost_of_whole(&q, part);
    try_sets(&q, part, 0);
    for (int i = 0; i < q.nbest; i++) room -= m->edge[m->parent_edge[q.best[i]]].ncoord;
    if (!q.nbest || room < 0) continue;
    for (int i = 0; i < q.nbest; i++) m->core[q.best[i]] = true;
    s->ncore = JN_CORE_COORDINATES - room;
    find_parts(s);
    part = -1;  // parts have new numbers
  }
  return JN_OK;
}

// ---- shapes -----------------------------------------------------------------------------------
// Two subsystems share a plan if their bodies can be put side by side such that tree joints meet tree
// joints and cut joints meet cut joints of the same kind. All core bodies count as one here: which of
// them a tie rod ends on is a matter of numbers.

// Cut joints from v to w (core: any core body) with this label.
static int cuts_between(const jn_model *m, int v, int w, bool core, uint64_t label)
{
  int n = 0;
  for (int k = m->incident_at[v]; k < m->incident_at[v + 1]; k++) {
    int e = m->incident[k], u = jn_other(&m->edge[e], v);
    if (!m->in_tree[e] && (core ? m->core[u] : u == w) && joint_label(&m->edge[e], v) == label) n++;
  }
  return n;
}

// Does putting v of the pattern on w agree with everything placed so far?
static bool fits(const shaping *s, int v, int w)
{
  const jn_model *m = s->m;
  if (s->used[w] || s->colour[v] != s->colour[w]) return false;
  int p = m->parent[v], q = m->parent[w];
  if (m->core[p] != m->core[q] || (!m->core[p] && s->image[p] != q)) return false;
  if (joint_label(&m->edge[m->parent_edge[v]], v) != joint_label(&m->edge[m->parent_edge[w]], w))
    return false;
  for (int k = m->incident_at[v]; k < m->incident_at[v + 1]; k++) {
    int e = m->incident[k], u = jn_other(&m->edge[e], v);
    if (m->in_tree[e]) continue;
    uint64_t label = joint_label(&m->edge[e], v);
    if (m->core[u]) {
      if (cuts_between(m, v, 0, true, label) != cuts_between(m, w, 0, true, label)) return false;
    } else if (s->image[u] >= 0 && cuts_between(m, v, u, false, label) !=
                                       cuts_between(m, w, s->image[u], false, label)) {
      return false;
    }
  }
  return true;
}

// Place node i of the pattern and all that follow, by trial.
static bool place(shaping *s, const jn_subsystem *pattern, const jn_subsystem *sub)
{
  int nbody = pattern->nbody, i = 0, *tried = s->tried;
  memset(tried, 0, (size_t)nbody * sizeof *tried);
  while (i >= 0 && i < nbody && s->steps-- > 0) {
    int v = pattern->node[i], k = tried[i];
    if (s->image[v] >= 0) s->used[s->image[v]] = false, s->image[v] = -1;
    while (k < nbody && !fits(s, v, sub->node[k])) k++;
    if (k == nbody) {
      tried[i--] = 0;
      continue;
    }
    s->image[v] = sub->node[k];
    s->used[sub->node[k]] = true;
    tried[i++] = k + 1;
  }
  return i == nbody;
}

// Sort the subsystem's bodies as those of its shape, or open a new shape.
static jn_status find_shapes(jn_model *m, jn_error *err)
{
  shaping s = {.m = m};
  size_t n = (size_t)m->nnode;
  s.colour = jn_pool_alloc(&m->pool, n, sizeof *s.colour);
  s.next = jn_pool_alloc(&m->pool, n, sizeof *s.next);
  s.image = jn_pool_alloc(&m->pool, n, sizeof *s.image);
  s.used = jn_pool_alloc(&m->pool, n, sizeof *s.used);
  s.tried = jn_pool_alloc(&m->pool, n, sizeof *s.tried);
  uint64_t *sign = jn_pool_alloc(&m->pool, n, sizeof *sign);
  int *pattern = jn_pool_alloc(&m->pool, n, sizeof *pattern);  // first subsystem of a shape
  if (m->pool.failed) return jn_no_memory(err, m->spec->pos);
  for (int i = 0; i < m->nsubsystem; i++) {
    jn_subsystem *sub = &m->subsystem[i];
    paint(&s, sub);
    sign[i] = signature(&s, sub);
    sub->shape = -1;
    for (int k = 0; k < m->nshape && sub->shape < 0; k++) {
      const jn_subsystem *p = &m->subsystem[pattern[k]];
      if (sign[pattern[k]] != sign[i] || p->nbody != sub->nbody) continue;
      for (int j = 0; j < p->nbody; j++) s.image[p->node[j]] = -1;
      for (int j = 0; j < sub->nbody; j++) s.used[sub->node[j]] = false;
      s.steps = 1000 + 100 * sub->nbody;
      if (!place(&s, p, sub)) continue;
      for (int j = 0; j < p->nbody; j++) sub->node[j] = s.image[p->node[j]];
      sub->shape = k;
    }
    if (sub->shape < 0) pattern[sub->shape = m->nshape++] = i;
  }
  return JN_OK;
}

// ---- subsystems -------------------------------------------------------------------------------

// The node nearest to both that lies on the way from the ground to each.
static int common_ancestor(const jn_model *m, int a, int b)
{
  while (a != b) {
    if (m->depth[a] >= m->depth[b])
      a = m->parent[a];
    else
      b = m->parent[b];
  }
  return a;
}

static void count_subsystem(jn_model *m, jn_subsystem *sub, int part)
{
  sub->parent = -1;
  for (int i = 0; i < sub->nbody; i++) {
    int v = sub->node[i];
    sub->ncoord += m->edge[m->parent_edge[v]].ncoord;
    sub->nrow += m->edge[m->parent_edge[v]].tree_rows;
    for (int k = m->incident_at[v]; k < m->incident_at[v + 1]; k++) {
      const jn_edge *e = &m->edge[m->incident[k]];
      const int other = jn_other(e, v);
      if (m->core[other])
        sub->parent = sub->parent < 0 ? other : common_ancestor(m, sub->parent, other);
      if (m->in_tree[m->incident[k]]) continue;
      bool seen = e->b == v && m->part[e->a] == part;  // counted at its first body
      sub->nrow += seen ? 0 : e->nrow;
      sub->ncut += seen ? 0 : 1;
    }
  }
}

jn_status jn_subsystems_find(jn_model *m, jn_error *err)
{
  splitting s = {.m = m};
  size_t n = (size_t)m->nnode;
  m->core = jn_pool_alloc(&m->pool, n, sizeof *m->core);
  m->part = jn_pool_alloc(&m->pool, n, sizeof *m->part);
  s.size = jn_pool_alloc(&m->pool, n, sizeof *s.size);
  s.queue = jn_pool_alloc(&m->pool, n, sizeof *s.queue);
  s.label = jn_pool_alloc(&m->pool, n, sizeof *s.label);
  s.closed = jn_pool_alloc(&m->pool, n, sizeof *s.closed);
  s.rolls = jn_pool_alloc(&m->pool, n, sizeof *s.rolls);
  int *nodes = jn_pool_alloc(&m->pool, n, sizeof *nodes);
  if (m->pool.failed) return jn_no_memory(err, m->spec->pos);
  m->core[JN_NODE_GROUND] = true;
  for (int v = m->base; v != JN_NODE_GROUND; v = m->parent[v]) {
    m->core[v] = true;
    s.ncore += m->edge[m->parent_edge[v]].ncoord;
  }
  for (int i = 0; i < m->nloop; i++)
    s.closed[m->edge[m->loop[i].cut].a] = s.closed[m->edge[m->loop[i].cut].b] = true;
  find_wheels(&s);
  find_parts(&s);
  jn_status st = search_sets(&s, err);
  if (st) return st;
  grow_core(&s);
  if ((st = search_sets(&s, err))) return st;

  m->nsubsystem = s.npart;
  m->subsystem = jn_pool_alloc(&m->pool, (size_t)s.npart, sizeof *m->subsystem);
  if (!m->subsystem) return jn_no_memory(err, m->spec->pos);
  for (int v = 0; v < m->nnode; v++)
    if (m->part[v] >= 0) m->subsystem[m->part[v]].nbody++;
  for (int i = 0; i < m->nsubsystem; i++) {
    m->subsystem[i].node = nodes;
    nodes += m->subsystem[i].nbody;
    m->subsystem[i].nbody = 0;
  }
  for (int k = 0; k < m->nnode; k++) {
    int v = m->order[k];
    if (m->part[v] < 0) continue;
    jn_subsystem *sub = &m->subsystem[m->part[v]];
    sub->node[sub->nbody++] = v;
  }
  for (int i = 0; i < m->nsubsystem; i++) count_subsystem(m, &m->subsystem[i], i);
  return find_shapes(m, err);
}
