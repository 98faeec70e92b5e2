#include "plan/topology/closure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Of scaled rows: between rounding (1e-13) and what geometry means to be independent.
static const double RANK_TOLERANCE = 1e-7;
static const double CLOSED = 1e-12;

// ---- memory -----------------------------------------------------------------------------------

bool jn_closure_init(jn_closure *c, const jn_model *m)
{
  size_t n = (size_t)m->nnode, loops = 1;
  for (int i = 0; i < m->nset; i++)
    if ((size_t)m->set[i].nloop > loops) loops = (size_t)m->set[i].nloop;
  *c = (jn_closure){.m = m};
  c->position = jn_pool_alloc(&c->pool, n, sizeof *c->position);
  c->local = jn_pool_alloc(&c->pool, n, sizeof *c->local);
  c->member = jn_pool_alloc(&c->pool, n, sizeof *c->member);
  c->state = jn_pool_alloc(&c->pool, n, sizeof *c->state);
  c->place = jn_pool_alloc(&c->pool, n, sizeof *c->place);
  c->cut = jn_pool_alloc(&c->pool, loops, sizeof *c->cut);
  c->loop = jn_pool_alloc(&c->pool, loops, sizeof *c->loop);
  if (c->pool.failed) return false;
  for (int i = 0; i < m->nnode; i++) c->position[m->order[i]] = i, c->local[i] = -1;
  return true;
}

void jn_closure_free(jn_closure *c)
{
  jn_pool_free(&c->pool);
}

// ---- a set ------------------------------------------------------------------------------------

int jn_closure_child(const jn_closure *c, int edge)
{
  const jn_edge *e = &c->m->edge[edge];
  return c->m->parent_edge[e->a] == edge ? e->a : e->b;
}

static void note_member(void *user, int edge, int sign)
{
  jn_closure *c = user;
  (void)sign;
  int child = jn_closure_child(c, edge);
  if (c->local[child] >= 0) return;
  c->local[child] = c->nmember;
  c->member[c->nmember++] = (jn_closure_member){.edge = edge,
                                                .child = child,
                                                .parent = c->m->parent[child],
                                                .column = c->position[child],
                                                .g = jn_joint_geometry_of(c->m, edge)};
}

static int by_position(const void *x, const void *y)
{
  const jn_closure_member *a = x, *b = y;
  return a->column - b->column;  // holds the position while members are sorted
}

static jn_joint_geometry *geometry(jn_closure *c, int i)  // of tree joints, then of cut ones
{
  return i < c->nmember ? &c->member[i].g : &c->cut[i - c->nmember];
}

// Size of the set, from its joint points, which are then taken from their centre: far from the world's
// origin digits would be lost.
static void measure(jn_closure *c)
{
  v3 low = v3_set(INFINITY, INFINITY, INFINITY), high = v3_neg(low);
  const int n = c->nmember + c->nloop;
  for (int i = 0; i < 2 * n; i++) {
    v3 p = geometry(c, i / 2)->at[i % 2];
    low = v3_set(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
    high = v3_set(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
  }
  v3 extent = v3_sub(high, low), centre = v3_scale(0.5, v3_add(high, low));
  c->size = fmax(extent.x, fmax(extent.y, extent.z));
  if (!(c->size > 1e-6)) c->size = 1.0;  // all joints in one point: lengths play no part
  for (int i = 0; i < 2 * n; i++) {
    v3 *p = &geometry(c, i / 2)->at[i % 2];
    *p = v3_sub(*p, centre);
  }
}

static void collect(jn_closure *c, int set)
{
  const jn_model *m = c->m;
  c->nmember = c->nloop = c->nrow = c->ncol = 0;
  for (int i = 0; i < m->nloop; i++) {
    if (m->loop[i].set != set) continue;
    const jn_edge *e = &m->edge[m->loop[i].cut];
    jn_loop_walk(m, m->loop[i].cut, note_member, c);
    c->cut[c->nloop] = jn_joint_geometry_of(m, m->loop[i].cut);
    c->cut[c->nloop].driven = e->driven && !c->motors_free;
    c->loop[c->nloop++] = i;
    c->nrow += e->nrow - (e->driven && c->motors_free ? 1 : 0);
  }
  qsort(c->member, (size_t)c->nmember, sizeof *c->member, by_position);
  for (int i = 0; i < c->nmember; i++) {
    jn_closure_member *k = &c->member[i];
    const jn_edge *e = &m->edge[k->edge];
    k->ncoord = e->driven && c->motors_free ? jn_joint_kinds[e->kind].ncoord : e->ncoord;
    k->column = k->ncoord ? c->ncol : -1;
    c->ncol += k->ncoord;
    c->local[k->child] = i;
    c->state[i] = jn_joint_state_zero();
  }
}

bool jn_closure_open(jn_closure *c, int set, bool motors_free)
{
  c->motors_free = motors_free;
  collect(c, set);
  measure(c);
  size_t rows = (size_t)c->nrow, cols = (size_t)c->ncol, most = rows > cols ? rows : cols;
  c->rows = jn_pool_alloc(&c->set_pool, rows * cols, sizeof *c->rows);
  c->residual = jn_pool_alloc(&c->set_pool, rows, sizeof *c->residual);
  c->scale = jn_pool_alloc(&c->set_pool, cols, sizeof *c->scale);
  c->step = jn_pool_alloc(&c->set_pool, most, sizeof *c->step);
  c->work = jn_qr_work(&c->set_pool, c->nrow, c->ncol);
  return !c->set_pool.failed;
}

void jn_closure_shut(jn_closure *c)
{
  for (int i = 0; i < c->nmember; i++) c->local[c->member[i].child] = -1;
  jn_pool_free(&c->set_pool);
}

// ---- rows and residuals -----------------------------------------------------------------------

static jn_displacement place_of(const jn_closure *c, int node)
{
  return c->local[node] >= 0 ? c->place[c->local[node]] : jn_displacement_identity();
}

static void place_members(jn_closure *c)
{
  for (int i = 0; i < c->nmember; i++) {
    const jn_closure_member *k = &c->member[i];
    jn_displacement parent = place_of(c, k->parent);
    jn_displacement d = jn_joint_displacement(&k->g, &c->state[i]);
    if (c->m->edge[k->edge].b == k->parent) d = jn_displacement_inverse(&d);
    c->place[i] = jn_displacement_mul(&parent, &d);
  }
}

int jn_closure_loop_rows(const jn_closure *c, int i, jn_displacement *first, double residual[6],
                         sv row[6], bool lengths[6])
{
  const jn_edge *e = &c->m->edge[c->m->loop[c->loop[i]].cut];
  *first = place_of(c, e->a);
  jn_displacement to_first = jn_displacement_inverse(first), second = place_of(c, e->b);
  jn_displacement relative = jn_displacement_mul(&to_first, &second);
  return jn_joint_wrenches(&c->cut[i], &relative, residual, row, lengths);
}

typedef struct row_block {  // rows of one cut joint
  jn_closure *c;
  jn_displacement to_first;  // from world axes to those of its first body
  int at, n;
  const sv *row;
  const double *scale;  // of each row
} row_block;

static void add_columns(void *user, int edge, int sign)
{
  row_block *b = user;
  jn_closure *c = b->c;
  const jn_edge *e = &c->m->edge[edge];
  const int child = jn_closure_child(c, edge);
  const jn_closure_member *k = &c->member[c->local[child]];
  if (k->column < 0) return;
  sv twist[6];
  bool translates[6];
  double direction = sign * (e->b == child ? 1.0 : -1.0);
  jn_displacement first = place_of(c, e->a);
  int n = jn_joint_twists(&k->g, &c->state[c->local[child]], twist, translates);
  for (int j = 0; j < n; j++) {
    sv seen = jn_motion_to_world(&b->to_first, jn_motion_to_world(&first, twist[j]));
    double unit = translates[j] ? c->size : 1.0;
    c->scale[k->column + j] = unit;
    for (int i = 0; i < b->n; i++)
      c->rows[(size_t)(b->at + i) * (size_t)c->ncol + (size_t)(k->column + j)] +=
          direction * b->scale[i] * unit * sv_dot(seen, b->row[i]);
  }
}

double jn_closure_evaluate(jn_closure *c)
{
  double worst = 0.0;
  int at = 0;
  place_members(c);
  memset(c->rows, 0, (size_t)c->nrow * (size_t)c->ncol * sizeof *c->rows);
  c->worst = 0;
  for (int i = 0; i < c->nloop; i++) {
    sv row[6];
    double scale[6];
    bool lengths[6];
    jn_displacement first;
    int n = jn_closure_loop_rows(c, i, &first, c->residual + at, row, lengths);
    for (int k = 0; k < n; k++) {
      scale[k] = lengths[k] ? 1.0 / c->size : 1.0;
      c->residual[at + k] *= scale[k];
      if (fabs(c->residual[at + k]) <= worst) continue;
      worst = fabs(c->residual[at + k]);
      c->worst = i;
    }
    row_block b = {c, jn_displacement_inverse(&first), at, n, row, scale};
    jn_loop_walk(c->m, c->m->loop[c->loop[i]].cut, add_columns, &b);
    at += n;
  }
  return worst;
}

void jn_closure_advance(jn_closure *c, const double *step)
{
  for (int i = 0; i < c->nmember; i++) {
    const jn_closure_member *k = &c->member[i];
    double own[6];
    for (int j = 0; j < k->ncoord; j++) own[j] = step[k->column + j] * c->scale[k->column + j];
    if (k->ncoord) jn_joint_advance(&k->g, &c->state[i], own);
  }
}

// ---- factors ----------------------------------------------------------------------------------

// Rows are scaled such that a constraint is of size one. What is far below that is rounding, also where
// nothing larger stands beside it.
int jn_closure_factor(jn_closure *c, jn_qr *f)
{
  double longest = 0.0;
  for (int j = 0; j < c->ncol; j++) {
    double sum = 0.0;
    for (int i = 0; i < c->nrow; i++) {
      double x = c->rows[(size_t)i * (size_t)c->ncol + (size_t)j];
      sum += x * x;
    }
    longest = fmax(longest, sqrt(sum));
  }
  if (longest < RANK_TOLERANCE)
    memset(c->rows, 0, (size_t)c->nrow * (size_t)c->ncol * sizeof *c->rows);
  double tolerance =
      longest >= 1.0 || longest < RANK_TOLERANCE ? RANK_TOLERANCE : RANK_TOLERANCE / longest;
  return jn_qr_factor(f, c->nrow, c->ncol, c->rows, fmin(tolerance, 0.5), c->work);
}

double jn_closure_close(jn_closure *c)
{
  double worst = jn_closure_evaluate(c);
  for (int i = 0; i < 40 && worst > CLOSED && isfinite(worst); i++) {
    jn_qr f;
    if (jn_closure_factor(c, &f) < 0) return INFINITY;
    for (int k = 0; k < c->nrow; k++) c->step[k] = -c->residual[k];
    jn_qr_solve(&f, c->step, c->step);
    double length = 0.0;
    for (int k = 0; k < c->ncol; k++) length = fmax(length, fabs(c->step[k]));
    double shorten =
        length > 0.5 ? 0.5 / length : 1.0;  // half a radian is as far as a slope reaches
    for (int k = 0; k < c->ncol; k++) c->step[k] *= shorten;
    jn_closure_advance(c, c->step);
    double next = jn_closure_evaluate(c);
    if (next <= JN_CLOSED_ENOUGH && next >= 0.5 * worst) return next;  // rounding is reached
    worst = next;
  }
  return worst;
}
