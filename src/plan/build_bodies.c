// build_bodies.c: bodies from the ground outwards, with their frames, stations and joints.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/quat.h"
#include "base/union_find.h"
#include "plan/build.h"
#include "plan/topology/geometry.h"

// Squared ratio of distance to radius of gyration beyond which a body begins a station: the digits lost.
static const double FAR = 1e6;

void *jn_build_array(jn_system *s, int n, size_t size)
{
  return jn_pool_alloc(&s->pool, (size_t)(n > 0 ? n : 1), size);
}

jn_status jn_build_no_memory(const jn_system *s, jn_error *err)
{
  return jn_no_memory(err, s->model->spec->pos);
}

bool jn_build_lacks_memory(const jn_system *s)
{
  return s->pool.failed || s->short_of_memory;
}

void jn_build_note(jn_system *s, const char *fmt, ...)
{
  enum { MOST = 64 };
  char line[400];
  va_list args;
  va_start(args, fmt);
  vsnprintf(line, sizeof line, fmt, args);
  va_end(args);
  if (!s->note) s->note = jn_build_array(s, MOST + 1, sizeof *s->note);
  char *text = jn_pool_text(&s->pool, line);
  if (s->note && text && s->nnote < MOST) s->note[s->nnote++] = text;
}

void jn_build_breaks(jn_system *s, const char *fmt, ...)
{
  char line[300];
  va_list args;
  if (s->broken) return;
  va_start(args, fmt);
  vsnprintf(line, sizeof line, fmt, args);
  va_end(args);
  s->broken = jn_pool_text(&s->pool, line);
}

// ---- assemblies -----------------------------------------------------------------------------------

static bool constrains(const jn_model *m, int e)  // holds its bodies by rows
{
  return m->in_tree[e] ? m->edge[e].tree_rows > 0 : m->edge[e].nrow > 0;
}

// group[v]: representative of v's assembly. What ground joints share is not shared.
static void find_assemblies(const jn_model *m, int *group)
{
  for (int v = 0; v < m->nnode; v++) group[v] = v;
  for (int e = 0; e < m->nedge; e++) {
    const jn_edge *edge = &m->edge[e];
    if (edge->a == JN_NODE_GROUND || edge->b == JN_NODE_GROUND) continue;
    if (m->in_tree[e] || constrains(m, e))
      group[jn_group_find(group, edge->a)] = jn_group_find(group, edge->b);
  }
}

static bool floats(const jn_model *m, int *group, int root)
{
  if (m->edge[m->parent_edge[root]].kind != JN_JOINT_FREE) return false;
  const int own = jn_group_find(group, root);
  for (int v = 1; v < m->nnode; v++)
    if (v != root && m->parent[v] == JN_NODE_GROUND && jn_group_find(group, v) == own) return false;
  for (int e = 0; e < m->nedge; e++) {
    const jn_edge *edge = &m->edge[e];
    const int other = edge->a == JN_NODE_GROUND   ? edge->b
                      : edge->b == JN_NODE_GROUND ? edge->a
                                                  : -1;
    if (other >= 0 && constrains(m, e) && jn_group_find(group, other) == own) return false;
  }
  return true;
}

// ---- joints ---------------------------------------------------------------------------------------

// From a joint of the file to what leads from the parent to the child. Returns the child's anchor.
static v3 joint_from_file(jn_tree_joint *j, const jn_joint_geometry *g, v3 parent_anchor)
{
  const jn_joint_lead l = jn_joint_lead_of(g, j->reversed);
  j->nmove = l.nmove;
  memcpy(j->move, l.move, sizeof j->move);
  for (int i = l.nmove - 1; i >= 0; i--)
    if (l.move[i].direction == JN_X_AXIS || l.move[i].direction == JN_ALONG_SECOND)
      j->axis = l.move[i].own;
  j->turn = l.turn;
  j->askew = g->askew > 0.0;
  j->at = v3_sub(l.start, parent_anchor);
  j->second_at = v3_sub(g->at[1], parent_anchor);
  return l.end;
}

static void set_body(jn_body *b, const jn_body_spec *spec)
{
  const jn_body_keys *k = &spec->keys;
  q4 own = q_load(k->orientation);
  const double *i = k->inertia;
  b->mass = k->mass;
  b->cg = v3_sub(v3_load(k->cg), b->anchor);
  b->inertia = s3_rotate(q_to_m3(own), s3_make(i[0], i[1], i[2], i[3], i[4], i[5]));
  q_store(b->orientation, own);
}

// Squared radius of gyration about one of the vehicle's axes, the smallest: near enough for a threshold.
static double gyration(const jn_body *b)
{
  s3 i = b->inertia;
  double least = fmin(i.xx, fmin(i.yy, i.zz));
  return least / b->mass;
}

// ---- cut joints -----------------------------------------------------------------------------------

static void set_cut(jn_system *s, jn_cut *c, int e)
{
  const jn_model *m = s->model;
  const jn_edge *edge = &m->edge[e];
  const jn_joint_geometry g = jn_joint_geometry_of(m, e);
  int a = s->body_of_node[edge->a], b = s->body_of_node[edge->b];
  if (edge->a == JN_NODE_GROUND) a = s->body[b].frame;
  if (edge->b == JN_NODE_GROUND) b = s->body[a].frame;
  c->kind = edge->kind;
  c->edge = e;
  c->a = a, c->b = b;
  c->drive = -1;
  c->nrow = m->in_tree[e] ? edge->tree_rows : edge->nrow;
  c->at_a = v3_sub(g.at[0], s->body[a].anchor);
  c->at_b = v3_sub(g.at[1], s->body[b].anchor);
  memcpy(c->x, g.x, sizeof c->x);
  memcpy(c->y, g.y, sizeof c->y);
  memcpy(c->value, g.value, sizeof c->value);
  c->pitch = g.pitch;
  jn_joint_rows(c->kind, edge->driven, c->rows);
  c->row = s->nrow;
  c->block = -1;
  s->nrow += c->nrow;
}

// Lengths are compared by the size of what loops span.
static double size_of_loops(const jn_system *s)
{
  v3 low = v3_set(INFINITY, INFINITY, INFINITY), high = v3_neg(low);
  bool any = false;
  for (int i = 0; i < s->ncut; i++) {
    const jn_cut *c = &s->cut[i];
    const v3 p[4] = {v3_add(s->body[c->a].anchor, c->at_a), v3_add(s->body[c->b].anchor, c->at_b),
                     s->body[c->a].anchor, s->body[c->b].anchor};
    for (int k = 0; k < 4; k++) {
      low = v3_set(fmin(low.x, p[k].x), fmin(low.y, p[k].y), fmin(low.z, p[k].z));
      high = v3_set(fmax(high.x, p[k].x), fmax(high.y, p[k].y), fmax(high.z, p[k].z));
      any = true;
    }
  }
  v3 e = v3_sub(high, low);
  double size = any ? fmax(e.x, fmax(e.y, e.z)) : 1.0;
  return size > 1e-6 ? size : 1.0;
}

static jn_status set_scales(jn_system *s, jn_error *err)
{
  s->length_scale = jn_build_array(s, s->nrow, sizeof(double));
  s->coordinate_scale = jn_build_array(s, s->nv, sizeof(double));
  s->coordinate_angle = jn_build_array(s, s->nv, sizeof(bool));
  s->row_angle = jn_build_array(s, s->nrow, sizeof(bool));
  if (s->pool.failed) return jn_build_no_memory(s, err);
  const double size = size_of_loops(s);
  for (int i = 0; i < s->ncut; i++) {
    const jn_cut *c = &s->cut[i];
    for (int r = 0; r < c->nrow; r++) {
      s->row_angle[c->row + r] = jn_row_is_angle(&c->rows[r]);
      s->length_scale[c->row + r] = s->row_angle[c->row + r] ? 1.0 : 1.0 / size;
    }
  }
  for (int i = s->nframe; i < s->nbody; i++)
    for (int k = 0; k < s->joint[i].nv; k++) {
      const jn_tree_joint *j = &s->joint[i];
      const bool angle = jn_move_is_angle(jn_move_of(j->move, k));
      s->coordinate_angle[j->v + k] = angle;
      s->coordinate_scale[j->v + k] = angle ? 1.0 : size;
    }
  return JN_OK;
}

// ---- the whole ------------------------------------------------------------------------------------

int jn_build_body_of(const jn_system *s, int joint)
{
  for (int e = 0; e < s->model->nedge; e++)
    if (s->model->edge[e].joint == joint && s->model->in_tree[e]) return s->body_of_edge[e];
  return -1;
}

int jn_build_cut_of(const jn_system *s, int joint)
{
  for (int i = 0; i < s->ncut; i++)
    if (s->model->edge[s->cut[i].edge].joint == joint && !s->model->in_tree[s->cut[i].edge])
      return i;
  return -1;
}

static void set_tree(jn_system *s, int *group)
{
  const jn_model *m = s->model;
  for (int k = 1, i = s->nframe; k < m->nnode; k++, i++) {
    const int v = m->order[k], e = m->parent_edge[v];
    const jn_edge *edge = &m->edge[e];
    const jn_joint_geometry g = jn_joint_geometry_of(m, e);
    jn_body *b = &s->body[i];
    jn_tree_joint *j = &s->joint[i];
    const bool root = m->parent[v] == JN_NODE_GROUND;
    b->node = v;
    s->body_of_node[v] = i;
    s->body_of_edge[e] = i;
    if (root) {
      int f = 0;
      while (s->frame[f].group != jn_group_find(group, v)) f++;
      b->frame = b->parent = f;
      b->floating = s->frame[f].floating;
      if (s->frame[f].body == 0) {
        s->frame[f].body = i;
        s->frame[f].origin = edge->b == v ? g.at[1] : g.at[0];
        s->body[f].anchor = s->frame[f].origin;
        s->body[f].frame = s->body[f].station = f;
        s->body[f].parent = -1;
        s->body[f].node = JN_NODE_GROUND;
      }
    } else {
      b->parent = s->body_of_node[m->parent[v]];
      b->frame = s->body[b->parent].frame;
    }
    j->edge = e;
    j->reversed = edge->a == v;
    j->kind = b->floating && root ? JN_TREE_BASE : edge->kind;
    j->drive = -1;
    b->anchor = joint_from_file(j, &g, s->body[b->parent].anchor);
    set_body(b, &m->spec->body[v - 1]);
    j->scalars = edge->driven ? 0 : jn_joint_scalars(j->kind);
    j->sphere = -1;
    j->q = s->nq, j->v = s->nv;
    if (jn_joint_has_move(j->kind, JN_MOVE_SPHERE)) j->sphere = s->nq + j->scalars;
    j->nq = j->scalars + (j->sphere >= 0 ? 4 : 0);
    j->nv = j->scalars + (j->sphere >= 0 ? 3 : 0);
    s->nq += j->nq, s->nv += j->nv;

    b->station = s->body[b->parent].station;
    const int start = s->station_body[b->station];
    v3 away = v3_sub(v3_add(b->anchor, b->cg), s->body[start].anchor);
    const bool far =
        !m->in_loop[e] && !(root && b->floating) && v3_dot(away, away) > FAR * gyration(b);
    b->new_station = s->like ? s->like->body[i].new_station : far;
    if (far && !b->new_station)
      jn_build_breaks(s,
                      "bodies.%s: is %.3g m away from the point that its motion is computed about, "
                      "which is too far for its size: digits would be lost",
                      m->spec->body[v - 1].name, v3_norm(away));
    if (b->new_station) {
      b->station = s->nstation++;
      s->station_body[b->station] = i;
    }
  }
}

// Sums over initial values must not depend on the order of the file.
static jn_status order_initial(jn_system *s, jn_error *err)
{
  const jn_spec *spec = s->model->spec;
  const int nkey = s->model->nedge + s->nbody;
  int *first = jn_build_array(s, nkey, sizeof *first),
      *next = jn_build_array(s, spec->ninitial, sizeof *next), n = 0;
  int *edge_of = jn_build_array(s, spec->njoint, sizeof *edge_of);
  s->initial_order = jn_build_array(s, spec->ninitial, sizeof *s->initial_order);
  if (!first || !next || !edge_of || !s->initial_order) return jn_build_no_memory(s, err);
  for (int i = 0; i < nkey; i++) first[i] = -1;
  for (int e = 0; e < s->model->nedge; e++)
    if (s->model->edge[e].joint >= 0) edge_of[s->model->edge[e].joint] = e;
  for (int i = 0; i < spec->ninitial; i++) {
    const jn_initial_spec *k = &spec->initial[i];
    if (k->wheel >= 0) continue;  // nothing is summed over those
    const int key =
        k->joint >= 0 ? edge_of[k->joint] : s->model->nedge + s->body_of_node[k->body + 1];
    next[i] = first[key];
    first[key] = i;
  }
  for (int i = 0; i < nkey; i++)
    for (int k = first[i]; k >= 0; k = next[k]) s->initial_order[n++] = k;
  s->ninitial = n;
  return JN_OK;
}

jn_status jn_build_bodies(jn_system *s, jn_error *err)
{
  const jn_model *m = s->model;
  s->gravity = v3_load(m->spec->gravity);
  int *group = jn_build_array(s, m->nnode, sizeof *group);
  s->frame = jn_build_array(s, m->nnode, sizeof *s->frame);
  s->body_of_node = jn_build_array(s, m->nnode, sizeof(int));
  s->body_of_edge = jn_build_array(s, m->nedge, sizeof(int));
  if (s->pool.failed) return jn_build_no_memory(s, err);
  find_assemblies(m, group);
  for (int k = 1; k < m->nnode; k++) {
    const int v = m->order[k];
    if (m->parent[v] != JN_NODE_GROUND) continue;
    int f = 0, own = jn_group_find(group, v);
    while (f < s->nframe && s->frame[f].group != own) f++;
    if (f == s->nframe)
      s->frame[s->nframe++] = (jn_frame){.group = own, .floating = floats(m, group, v)};
  }
  s->nbody = s->nframe + m->nnode - 1;
  s->nstation = s->nframe;
  s->body = jn_build_array(s, s->nbody, sizeof *s->body);
  s->joint = jn_build_array(s, s->nbody, sizeof *s->joint);
  s->station_body = jn_build_array(s, s->nbody, sizeof(int));
  if (!s->body || !s->joint || !s->station_body) return jn_build_no_memory(s, err);
  for (int f = 0; f < s->nframe; f++)
    s->station_body[f] = f, s->joint[f].drive = s->joint[f].sphere = -1;
  for (int e = 0; e < m->nedge; e++) s->body_of_edge[e] = -1;
  set_tree(s, group);
  jn_status st = order_initial(s, err);
  if (st) return st;

  s->cut = jn_build_array(s, m->nloop, sizeof *s->cut);
  s->cut_of_edge = jn_build_array(s, m->nedge, sizeof(int));
  if (!s->cut || !s->cut_of_edge) return jn_build_no_memory(s, err);
  for (int e = 0; e < m->nedge; e++) s->cut_of_edge[e] = -1;
  for (int i = 0; i < m->nloop; i++) {
    s->cut_of_edge[m->loop[i].cut] = s->ncut;
    set_cut(s, &s->cut[s->ncut++], m->loop[i].cut);
  }
  return set_scales(s, err);
}
