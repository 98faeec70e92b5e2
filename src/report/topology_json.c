// topology_json.c: the plan as one JSON object. Keys are described in docs/topology.md.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/quat.h"
#include "json/json.h"
#include "plan/system.h"
#include "plan/topology/geometry.h"

static json_t *node_name(const jn_model *m, int v)
{
  return jn_json_text(jn_node_name(m, v));
}
static json_t *edge_name(const jn_model *m, int e)
{
  return jn_json_text(m->edge[e].name);
}

static json_t *each(const jn_model *m, int n, json_t *(*item)(const jn_model *, int))
{
  json_t *list = json_array();
  for (int i = 0; i < n; i++) jn_json_add(&list, item(m, i));
  return list;
}

static json_t *edge_names(const jn_model *m, const int *edge, int n)
{
  json_t *list = json_array();
  for (int i = 0; i < n; i++) jn_json_add(&list, edge_name(m, edge[i]));
  return list;
}

typedef struct collector {
  const jn_model *m;
  json_t *list;
} collector;

static void collect(void *user, int edge, int sign)
{
  collector *c = user;
  (void)sign;
  jn_json_add(&c->list, edge_name(c->m, edge));
}

static json_t *cuts(const jn_model *m)
{
  json_t *list = json_array();
  for (int e = 0; e < m->nedge; e++)
    if (!m->in_tree[e]) jn_json_add(&list, edge_name(m, e));
  return list;
}

static json_t *cuts_of_set(const jn_model *m, int set)
{
  json_t *list = json_array();
  for (int k = 0; k < m->nloop; k++)
    if (m->loop[k].set == set) jn_json_add(&list, edge_name(m, m->loop[k].cut));
  return list;
}

static json_t *set_of_loops(const jn_model *m, int i)
{
  const jn_loop_set *s = &m->set[i];
  json_t *set = json_pack("{s:o, s:i, s:i, s:b, s:o, s:o, s:o}", "cuts", cuts_of_set(m, i),
                          "coordinates", s->ncoord, "constraints", s->nrow, "ranked", s->ranked,
                          "rank", jn_json_count(s->ranked ? s->rank : -1), "design_rank",
                          jn_json_count(s->ranked ? s->design_rank : -1), "redundant",
                          jn_json_count(s->ranked ? s->nrow - s->rank : -1));
  jn_json_put(&set, "conditioning", jn_json_number(s->conditioning));
  jn_json_put(&set, "isolated", json_boolean(s->isolated));
  jn_json_put(&set, "gap", jn_json_number(s->gap));
  jn_json_put(&set, "closed_by", jn_json_number(s->closed));
  jn_json_put(&set, "undetermined", edge_names(m, s->undetermined, s->nundetermined));
  jn_json_put(&set, "locked", edge_names(m, s->locked, s->nlocked));
  return set;
}

static json_t *chain(const jn_model *m, int i)
{
  json_t *bodies = json_array();
  int v = m->chain[i].last;
  for (int k = 0; k < m->chain[i].length; k++, v = m->parent[v])
    jn_json_add_first(&bodies, node_name(m, v));
  return bodies;
}

static json_t *subsystem(const jn_model *m, int i)
{
  const jn_subsystem *s = &m->subsystem[i];
  json_t *bodies = json_array();
  for (int k = 0; k < s->nbody; k++) jn_json_add(&bodies, node_name(m, s->node[k]));
  return json_pack("{s:o, s:i, s:o, s:i, s:i, s:i}", "bodies", bodies, "shape", s->shape, "parent",
                   node_name(m, s->parent), "coordinates", s->ncoord, "constraints", s->nrow,
                   "cuts", s->ncut);
}

// ---- frames -----------------------------------------------------------------------------------------

static json_t *vector(v3 x)
{
  return json_pack("[f, f, f]", x.x, x.y, x.z);
}

typedef struct frame {
  m3 r;  // its axes, as columns
  v3 p;
} frame;

// A body's own axes at its centre of gravity; of the ground, the world's.
static frame body_frame(const jn_model *m, int v)
{
  if (v == JN_NODE_GROUND) return (frame){m3_identity(), v3_set(0, 0, 0)};
  const jn_body_keys *k = &m->spec->body[v - 1].keys;
  return (frame){q_to_m3(q_load(k->orientation)), v3_load(k->cg)};
}

// Of a joint on its first or on its second body: z along the axis, world axes where it has none.
static frame joint_frame(const jn_joint_geometry *g, int side)
{
  const v3 *x = g->x, *y = g->y;
  return (frame){side ? m3_columns(y[JN_Y_NORMAL], y[JN_Y_OTHER], y[JN_Y_UP])
                      : m3_columns(x[JN_X_NORMAL], x[JN_X_OTHER], x[JN_X_AXIS]),
                 g->at[side]};
}

static json_t *frame_json(const frame *in, const frame *f)
{
  const q4 q = q_from_m3(m3_mul(m3_transpose(in->r), f->r));
  return json_pack("{s:o, s:[f, f, f, f]}", "position",
                   vector(m3_tmul_v3(in->r, v3_sub(f->p, in->p))), "orientation", q.w, q.x, q.y,
                   q.z);
}

// From the parent's joint point to the child's in the design position, as the parent's joint frame sees it: what the joint lets
// them be apart, or what it says nothing about.
static json_t *offset_json(const jn_joint_geometry *g, const frame *parent, bool reversed)
{
  const v3 d = g->apart > 0.0 ? g->slide : v3_sub(g->at[1], g->at[0]);
  return vector(m3_tmul_v3(parent->r, reversed ? v3_neg(d) : d));
}

static void set_frames(json_t **o, const jn_model *m, int e, int from, int to,
                       const char *const name[2])
{
  jn_joint_geometry g = jn_joint_geometry_of(m, e);
  if (m->edge[e].joint < 0) {  // nothing is known of its directions
    g.x[JN_X_NORMAL] = g.y[JN_Y_NORMAL] = v3_set(1, 0, 0);
    g.x[JN_X_OTHER] = g.y[JN_Y_OTHER] = v3_set(0, 1, 0);
    g.x[JN_X_AXIS] = g.y[JN_Y_UP] = v3_set(0, 0, 1);
  }
  const int side = m->edge[e].a == from ? 0 : 1;
  const frame a = body_frame(m, from), b = body_frame(m, to), at_a = joint_frame(&g, side),
              at_b = joint_frame(&g, 1 - side);
  jn_json_put(o, name[0], frame_json(&a, &at_a));
  jn_json_put(o, name[1], frame_json(&b, &at_b));
  jn_json_put(o, "offset", offset_json(&g, &at_a, side == 1));
  if (m->edge[e].kind == JN_JOINT_UNIVERSAL)
    jn_json_put(o, "axes", json_pack("[o, o]", vector(g.axis[0]), vector(g.axis[1])));
}

static json_t *loop(const jn_model *m, int i)
{
  const int cut = m->loop[i].cut;
  const jn_edge *e = &m->edge[cut];
  collector c = {m, json_array()};
  collect(&c, cut, 1);
  if (!m->in_tree[cut]) jn_loop_walk(m, cut, collect, &c);
  json_t *o = json_pack("{s:o, s:o, s:i, s:[o, o], s:i}", "cut", edge_name(m, cut), "joints",
                        c.list, "set", m->loop[i].set, "bodies", node_name(m, e->a),
                        node_name(m, e->b), "rows", m->in_tree[cut] ? e->tree_rows : e->nrow);
  set_frames(&o, m, cut, e->a, e->b, (const char *[]){"frame_in_first", "frame_in_second"});
  return o;
}

static json_t *numbers(const double *x, int n)
{
  json_t *list = json_array();
  for (int i = 0; i < n; i++) jn_json_add(&list, jn_json_number(x[i] + 0.0));  // no -0
  return list;
}

// The tree's coordinates lead from the parent to the child; of a joint that is not alike on both bodies they are others from its
// first body to its second, where that is the parent. With p and R of the child in the parent's axes, o = -R' p and R' are those of
// the parent in the child's, w -> -R' w and o' = -R' (p' - w x p).
static void turn_round_body(const jn_tree_joint *j, double *q, double *v)
{
  const bool slides = jn_joint_has_move(j->kind, JN_MOVE_SLIDES);
  const int at = j->sphere - j->q;
  const q4 r = j->sphere < 0 ? q_identity() : q_load(q + at);
  const v3 w = j->sphere < 0 ? v3_set(0, 0, 0) : v3_load(v + j->scalars);
  if (slides) {
    const v3 p = v3_load(q), rate = v3_sub(v3_load(v), v3_cross(w, p));
    v3_store(q, v3_neg(q_rotate_back(r, p)));
    v3_store(v, v3_neg(q_rotate_back(r, rate)));
  }
  if (j->sphere < 0) return;
  for (int i = 1; i < 4; i++) q[at + i] = 0.0 - q[at + i];
  v3_store(v + j->scalars, v3_neg(q_rotate_back(r, w)));
}

// Two lengths x in the plane and the angle about its normal: x of the parent's axes are R x in the child's.
static void turn_round_planar(double *q, double *v)
{
  const double c = cos(q[2]), s = sin(q[2]);
  const double x = q[0], y = q[1], vx = v[0] - v[2] * y, vy = v[1] + v[2] * x;
  q[0] = c * x - s * y, q[1] = s * x + c * y;
  v[0] = c * vx - s * vy, v[1] = s * vx + c * vy;
}

static void swap(double *x)
{
  const double first = x[0];
  x[0] = x[1], x[1] = first;
}

static void turn_round(const jn_tree_joint *j, double *q, double *v)
{
  if (!j->reversed || j->drive >= 0) return;
  if (j->kind == JN_JOINT_UNIVERSAL)
    swap(q), swap(v);
  else if (j->kind == JN_JOINT_PLANAR)
    turn_round_planar(q, v);
  else if (j->sphere >= 0 || jn_joint_has_move(j->kind, JN_MOVE_SLIDES))
    turn_round_body(j, q, v);
}

// Of the tree joint that leads to a body; null without a system.
static json_t *initial(const jn_system *s, int v)
{
  if (!s) return json_null();
  const jn_tree_joint *j = &s->joint[s->body_of_node[v]];
  double position[7] = {0}, speed[6] = {0};
  memcpy(position, s->y0 + j->q, (size_t)j->nq * sizeof *position);
  memcpy(speed, s->y0 + s->nq + j->v, (size_t)j->nv * sizeof *speed);
  turn_round(j, position, speed);
  return json_pack("{s:o, s:o}", "coordinates", numbers(position, j->nq), "velocities",
                   numbers(speed, j->nv));
}

static json_t *tree(const jn_model *m, const jn_system *s)
{
  json_t *list = json_array();
  int first = 0;
  for (int i = 1; i < m->nnode; i++) {
    const int v = m->order[i], e = m->parent_edge[v];
    json_t *o = json_pack("{s:o, s:o, s:o, s:s, s:i, s:i, s:b, s:f}", "body", node_name(m, v),
                          "parent", node_name(m, m->parent[v]), "joint", edge_name(m, e), "type",
                          jn_joint_kinds[m->edge[e].kind].word, "coordinates", m->edge[e].ncoord,
                          "first_coordinate", first, "implied", m->edge[e].joint < 0, "moved_by",
                          m->edge[e].apart);
    first += m->edge[e].ncoord;
    jn_json_put(&o, "reversed", json_boolean(m->edge[e].a == v));
    set_frames(&o, m, e, m->parent[v], v, (const char *[]){"frame_in_parent", "frame_in_child"});
    jn_json_put(&o, "initial", initial(s, v));
    jn_json_add(&list, o);
  }
  return list;
}

static json_t *backward(const jn_model *m)
{
  json_t *list = json_array();
  for (int i = m->nnode - 1; i >= 1; i--) jn_json_add(&list, node_name(m, m->order[i]));
  return list;
}

// ---- non-zeros --------------------------------------------------------------------------------------

enum { MOST_BLOCKS = 1000000 };  // beyond which nobody reads them

static void add_block(json_t **list, int row, int column)
{
  jn_json_add(list, json_pack("[i, i]", row, column));
}

// Places of bodies in `tree`; -1: its joint has no coordinate.
static int *places(const jn_model *m)
{
  int *place = calloc((size_t)m->nnode, sizeof *place);
  for (int i = 0; place && i < m->nnode; i++) {
    const int v = m->order[i];
    place[v] = v == JN_NODE_GROUND || !m->edge[m->parent_edge[v]].ncoord ? -1 : i - 1;
  }
  return place;
}

// Of the lower triangle: a joint with itself and with those that it hangs on.
static json_t *mass_matrix(const jn_model *m, const int *place)
{
  json_t *list = json_array();
  if (m->nonzeros > MOST_BLOCKS) {
    json_decref(list);
    return json_pack("{s:i, s:n}", "size", m->ncoord, "blocks");
  }
  for (int i = 1; i < m->nnode; i++)
    for (int v = m->order[i]; v != JN_NODE_GROUND && place[m->order[i]] >= 0; v = m->parent[v])
      if (place[v] >= 0) add_block(&list, place[m->order[i]], place[v]);
  return json_pack("{s:i, s:o}", "size", m->ncoord, "blocks", list);
}

typedef struct columns {
  const jn_model *m;
  const int *place;
  json_t *list;
  int loop;
} columns;

static void add_column(void *user, int edge, int sign)
{
  columns *c = user;
  const jn_edge *x = &c->m->edge[edge];
  const int v = c->m->parent_edge[x->a] == edge ? x->a : x->b;
  (void)sign;
  if (c->place[v] >= 0) add_block(&c->list, c->loop, c->place[v]);
}

// Of the rows of each loop: the joints of the tree between the two bodies of its cut joint.
static json_t *jacobian(const jn_model *m, const int *place)
{
  columns c = {m, place, json_array(), 0};
  json_t *first = json_array();
  int row = 0;
  for (c.loop = 0; c.loop < m->nloop; c.loop++) {
    const int e = m->loop[c.loop].cut;
    jn_json_add(&first, json_integer(row));
    row += m->in_tree[e] ? m->edge[e].tree_rows : m->edge[e].nrow;
    if (m->in_tree[e])
      add_column(&c, e, 1);
    else
      jn_loop_walk(m, e, add_column, &c);
  }
  return json_pack("{s:i, s:i, s:o, s:o}", "rows", row, "columns", m->ncoord, "first_rows", first,
                   "blocks", c.list);
}

static json_t *spanning_tree(const jn_model *m, int i)
{
  const jn_tree_list *t = &m->trees;
  return json_pack("{s:f, s:o}", "weight", t->weight10[i] / 10.0, "cuts",
                   edge_names(m, t->cut + (size_t)i * (size_t)t->ncut, t->ncut));
}

static json_t *core(const jn_model *m)
{
  json_t *list = json_array();
  for (int i = 0; i < m->nnode; i++) {
    int v = m->order[i];
    bool ground = v == JN_NODE_GROUND && m->base != JN_NODE_GROUND;
    if (m->core[v] && !ground) jn_json_add(&list, node_name(m, v));
  }
  return list;
}

static json_t *junctions(const jn_model *m)
{
  int *children = calloc((size_t)m->nnode, sizeof *children);
  json_t *list = children ? json_array() : NULL;
  for (int v = 1; children && v < m->nnode; v++) children[m->parent[v]]++;
  for (int i = 0; children && i < m->nnode; i++)
    if (children[m->order[i]] > 1) jn_json_add(&list, node_name(m, m->order[i]));
  free(children);
  return list;
}

jn_status jn_model_show_json(const jn_model *m, const jn_system *s, FILE *out, jn_error *err)
{
  JN_NEEDS(err, m && out && (!s || s->model == m),
           "a model, no system but one that is made from it, and a stream");
  int *place = places(m);
  if (!place) return jn_no_memory(err, JN_NOWHERE);
  int rows = 0, bodies = m->spec->nbody;
  for (int e = 0; e < m->nfile_edge; e++) rows += m->edge[e].nrow;
  json_t *o = json_object();
  jn_json_put(&o, "model", jn_json_text(m->spec->name));
  jn_json_put(&o, "bodies", json_integer(bodies));
  jn_json_put(&o, "joints", json_integer(m->spec->njoint));
  jn_json_put(&o, "base", node_name(m, m->base));
  jn_json_put(&o, "cuts", cuts(m));
  jn_json_put(&o, "weight", jn_json_number(m->weight10 / 10.0));
  jn_json_put(&o, "longest_chain", json_integer(m->longest_chain));
  jn_json_put(&o, "chain_is_shortest", json_boolean(m->exact_chain));
  if (m->trees.count != 0.0) {
    jn_json_put(&o, "tree_count",
                m->trees.count > 0.0 ? jn_json_number(m->trees.count) : json_null());
    jn_json_put(&o, "trees", m->trees.n ? each(m, m->trees.n, spanning_tree) : json_null());
  }
  jn_json_put(&o, "coordinates", json_integer(m->ncoord));
  jn_json_put(&o, "constraints", json_integer(m->nrow));
  jn_json_put(&o, "dof", jn_json_count(m->dof));
  jn_json_put(&o, "redundant", jn_json_count(m->redundant));
  jn_json_put(&o, "singular", json_boolean(m->singular));
  jn_json_put(
      &o, "cartesian",
      json_pack("{s:i, s:i, s:i, s:o}", "coordinates", 7 * bodies, "joint_rows", rows, "rows",
                rows + bodies, "rank", jn_json_count(m->dof >= 0 ? 7 * bodies - m->dof : -1)));
  jn_json_put(&o, "tree", tree(m, s));
  jn_json_put(&o, "backward", backward(m));
  jn_json_put(&o, "loops", each(m, m->nloop, loop));
  jn_json_put(&o, "decoupled", each(m, m->nset, cuts_of_set));
  jn_json_put(&o, "sets", each(m, m->nset, set_of_loops));
  jn_json_put(&o, "chains", each(m, m->nchain, chain));
  jn_json_put(&o, "junctions", junctions(m));
  jn_json_put(&o, "core", core(m));
  jn_json_put(&o, "subsystems", each(m, m->nsubsystem, subsystem));
  jn_json_put(&o, "shapes", json_integer(m->nshape));
  jn_json_put(&o, "mass_matrix_nonzeros", jn_json_number(m->nonzeros));
  jn_json_put(&o, "mass_matrix", mass_matrix(m, place));
  jn_json_put(&o, "constraint_jacobian", jacobian(m, place));
  free(place);
  jn_json_put(&o, "operations",
              json_pack("{s:f, s:f, s:f, s:f}", "recursive", m->cost.recursive, "independent",
                        m->cost.independent, "subsystem", m->cost.subsystem, "cartesian",
                        m->cost.cartesian));
  return jn_json_write(o, 15, out, err);
}
