// rank.c: which constraints depend on others, everywhere or only in the design position.
//
// Each decoupled set of loops is closed first (files have rounded numbers), then the rank of its
// constraint rows is taken there and at neighbours: positions that the mechanism can reach, closed as
// well. Rows that depend on others at every one of them are redundant. A rank that is lower at the design
// position than at its neighbours tells a singular position.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dense.h"
#include "topo/motion.h"

static const double RANK_TOLERANCE = 1e-7;  // of scaled rows: between rounding and geometry
static const double CLOSED = 1e-12;         // residual of a closed loop over the set's size
static const double CLOSED_ENOUGH = 1e-9;   // what a loop must reach to count as closed
static const double NEIGHBOUR_STEP = 0.1;   // [rad], and lengths over the set's size

typedef struct member {  // a tree joint of the set
  int edge, child, parent;
  int column;  // of its first coordinate, -1: it has none
  int ncoord;
  jn_joint_geometry g;
} member;

typedef struct analysis {
  jn_model *m;
  jn_error *err;
  int *position;  // of a node in the forward order (nnode)
  int *local;     // member whose child a node is, -1: not in this set (nnode)
  jn_loop_set *set;
  int set_number;

  int nmember, nrow, ncol;
  member *member;
  double size;             // characteristic length of the set                        [m]
  double *scale;           // of each coordinate: 1 for angles, size for lengths      (ncol)
  jn_joint_geometry *cut;  // of each loop of the set                                 (nloop)
  int *loop;               // numbers of the set's loops                              (nloop)
  jn_joint_state *state;   // (nmember)
  jn_displacement *place;  // of each member's child                                  (nmember)
  double *rows;            // scaled constraint rows                                  (nrow x ncol)
  double *residual;        // scaled                                                  (nrow)
  double *step;            // (max(nrow, ncol))
  void *work;              // of the factorisation
} analysis;

// ---- the set at hand --------------------------------------------------------------------------

static void note_member(void *user, int edge, int sign)
{
  analysis *a = user;
  const jn_edge *e = &a->m->edge[edge];
  (void)sign;
  int child = a->m->parent_edge[e->a] == edge ? e->a : e->b;
  if (a->local[child] >= 0) return;
  a->local[child] = a->nmember;
  a->member[a->nmember++] = (member){.edge = edge, .child = child, .parent = a->m->parent[child]};
}

static int by_position(const void *x, const void *y)
{
  const member *a = x, *b = y;
  return a->column - b->column;  // holds the position while members are sorted
}

static jn_joint_geometry *geometry(analysis *a, int i)  // of tree joints, then of cut ones
{
  return i < a->nmember ? &a->member[i].g : &a->cut[i - a->nmember];
}

// Size of the set, from its joint points, which are then taken from their centre: far from the world's
// origin digits would be lost.
static void measure(analysis *a)
{
  v3 low = v3_set(INFINITY, INFINITY, INFINITY), high = v3_neg(low);
  const int n = a->nmember + a->set->nloop;
  for (int i = 0; i < 2 * n; i++) {
    v3 p = geometry(a, i / 2)->at[i % 2];
    low = v3_set(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
    high = v3_set(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
  }
  v3 extent = v3_sub(high, low), centre = v3_scale(0.5, v3_add(high, low));
  a->size = fmax(extent.x, fmax(extent.y, extent.z));
  if (!(a->size > 1e-6)) a->size = 1.0;  // all joints in one point: lengths play no part
  for (int i = 0; i < 2 * n; i++) {
    v3 *p = &geometry(a, i / 2)->at[i % 2];
    *p = v3_sub(*p, centre);
  }
}

static bool gather(analysis *a, int number)
{
  const jn_model *m = a->m;
  a->set = &m->set[number];
  a->set_number = number;
  a->nmember = 0;
  int nloop = 0;
  for (int i = 0; i < m->nloop; i++)
    if (m->loop[i].set == number) {
      jn_loop_walk(m, m->loop[i].cut, note_member, a);
      a->cut[nloop] = jn_joint_geometry_of(m, m->loop[i].cut);
      a->loop[nloop++] = i;
    }
  for (int i = 0; i < a->nmember; i++) {
    member *k = &a->member[i];
    k->g = jn_joint_geometry_of(m, k->edge);
    k->column = a->position[k->child];
  }
  qsort(a->member, (size_t)a->nmember, sizeof *a->member, by_position);
  a->ncol = 0;
  for (int i = 0; i < a->nmember; i++) {
    member *k = &a->member[i];
    k->ncoord = m->edge[k->edge].ncoord;
    k->column = k->ncoord ? a->ncol : -1;
    a->ncol += k->ncoord;
    a->local[k->child] = i;
    a->state[i] = jn_joint_state_zero();
  }
  a->nrow = a->set->nrow;
  measure(a);
  size_t rows = (size_t)a->nrow, cols = (size_t)a->ncol, most = rows > cols ? rows : cols;
  a->rows = calloc(rows * cols + 1, sizeof *a->rows);
  a->residual = calloc(rows + 1, sizeof *a->residual);
  a->scale = calloc(cols + 1, sizeof *a->scale);
  a->step = calloc(most + 1, sizeof *a->step);
  size_t bytes = jn_qr_size(a->nrow, a->ncol);
  a->work = bytes ? aligned_alloc(JN_ARENA_ALIGN, bytes) : NULL;
  return a->rows && a->residual && a->scale && a->step && a->work;
}

static void release(analysis *a)
{
  for (int i = 0; i < a->nmember; i++) a->local[a->member[i].child] = -1;
  free(a->rows);
  free(a->residual);
  free(a->scale);
  free(a->step);
  free(a->work);
  a->rows = a->residual = a->scale = a->step = NULL;
  a->work = NULL;
}

// ---- constraint rows at the state at hand -----------------------------------------------------

static jn_displacement place_of(const analysis *a, int node)
{
  return a->local[node] >= 0 ? a->place[a->local[node]] : jn_displacement_identity();
}

static void place_members(analysis *a)
{
  for (int i = 0; i < a->nmember; i++) {
    const member *k = &a->member[i];
    jn_displacement parent = place_of(a, k->parent);
    jn_displacement d = jn_joint_displacement(&k->g, &a->state[i]);
    if (a->m->edge[k->edge].b == k->parent) d = jn_displacement_inverse(&d);
    a->place[i] = jn_displacement_mul(&parent, &d);
  }
}

typedef struct row_block {  // rows of one cut joint
  analysis *a;
  jn_displacement to_first;  // from world axes to those of its first body
  int at, n;
  const sv *row;
  const double *scale;  // of each row
} row_block;

static void add_columns(void *user, int edge, int sign)
{
  row_block *b = user;
  analysis *a = b->a;
  const jn_edge *e = &a->m->edge[edge];
  int child = a->m->parent_edge[e->a] == edge ? e->a : e->b;
  const member *k = &a->member[a->local[child]];
  if (k->column < 0) return;
  sv twist[6];
  bool translates[6];
  double direction = sign * (e->b == child ? 1.0 : -1.0);
  jn_displacement first = place_of(a, e->a);
  int n = jn_joint_twists(&k->g, &a->state[a->local[child]], twist, translates);
  for (int j = 0; j < n; j++) {
    sv seen = jn_motion_to_world(&b->to_first, jn_motion_to_world(&first, twist[j]));
    double unit = translates[j] ? a->size : 1.0;
    a->scale[k->column + j] = unit;
    for (int i = 0; i < b->n; i++)
      a->rows[(size_t)(b->at + i) * (size_t)a->ncol + (size_t)(k->column + j)] +=
          direction * b->scale[i] * unit * sv_dot(seen, b->row[i]);
  }
}

// Fill rows and residuals; the largest scaled residual.
static double evaluate(analysis *a)
{
  double worst = 0.0;
  int at = 0;
  place_members(a);
  memset(a->rows, 0, (size_t)a->nrow * (size_t)a->ncol * sizeof *a->rows);
  for (int i = 0; i < a->set->nloop; i++) {
    int cut = a->m->loop[a->loop[i]].cut;
    const jn_edge *e = &a->m->edge[cut];
    jn_displacement first = place_of(a, e->a), second = place_of(a, e->b);
    jn_displacement to_first = jn_displacement_inverse(&first);
    jn_displacement relative = jn_displacement_mul(&to_first, &second);
    sv row[6];
    double scale[6];
    bool lengths[6];
    int n = jn_joint_rows(&a->cut[i], &relative, a->residual + at, row, lengths);
    for (int k = 0; k < n; k++) {
      scale[k] = lengths[k] ? 1.0 / a->size : 1.0;
      a->residual[at + k] *= scale[k];
      worst = fmax(worst, fabs(a->residual[at + k]));
    }
    row_block b = {a, to_first, at, n, row, scale};
    jn_loop_walk(a->m, cut, add_columns, &b);
    at += n;
  }
  return worst;
}

static void advance(analysis *a, const double *step)
{
  for (int i = 0; i < a->nmember; i++) {
    const member *k = &a->member[i];
    double own[6];
    for (int j = 0; j < k->ncoord; j++) own[j] = step[k->column + j] * a->scale[k->column + j];
    if (k->ncoord) jn_joint_advance(&k->g, &a->state[i], own);
  }
}

// Newton's method with the shortest step; leaves rows at the closed position. The residual reached.
static double close_loops(analysis *a)
{
  double worst = evaluate(a);
  for (int i = 0; i < 40 && worst > CLOSED && isfinite(worst); i++) {
    jn_qr f;
    if (jn_qr_factor(&f, a->nrow, a->ncol, a->rows, RANK_TOLERANCE, a->work) < 0) return INFINITY;
    for (int k = 0; k < a->nrow; k++) a->step[k] = -a->residual[k];
    jn_qr_solve(&f, a->step, a->step);
    double length = 0.0;
    for (int k = 0; k < a->ncol; k++) length = fmax(length, fabs(a->step[k]));
    double shorten =
        length > 0.5 ? 0.5 / length : 1.0;  // half a radian is as far as a slope reaches
    for (int k = 0; k < a->ncol; k++) a->step[k] *= shorten;
    advance(a, a->step);
    double next = evaluate(a);
    if (next <= CLOSED_ENOUGH && next >= 0.5 * worst) return next;  // rounding is reached
    worst = next;
  }
  return worst;
}

// ---- ranks ------------------------------------------------------------------------------------

static uint64_t next_random(uint64_t *state)  // splitmix64: the same neighbours on every machine
{
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static int factor(analysis *a, jn_qr *f)
{
  return jn_qr_factor(f, a->nrow, a->ncol, a->rows, RANK_TOLERANCE, a->work);
}

// Step from `start` along a random direction that the rows allow, and close the loops again.
static bool go_to_neighbour(analysis *a, const jn_joint_state *start, const double *null, int free,
                            uint64_t *seed)
{
  double length = 0.0;
  memcpy(a->state, start, (size_t)a->nmember * sizeof *start);
  for (int k = 0; k < a->ncol; k++) a->step[k] = 0.0;
  for (int j = 0; j < free; j++) {
    double c = 2.0 * (double)(next_random(seed) >> 11) * 0x1p-53 - 1.0;
    for (int k = 0; k < a->ncol; k++) a->step[k] += c * null[k * free + j];
  }
  for (int k = 0; k < a->ncol; k++) length = fmax(length, fabs(a->step[k]));
  if (!(length > 0.0)) return false;
  for (int k = 0; k < a->ncol; k++) a->step[k] *= NEIGHBOUR_STEP / length;
  advance(a, a->step);
  return close_loops(a) <= CLOSED_ENOUGH;
}

// Joints that carry a load of their own in the left null space: their reactions are undetermined.
typedef struct load {
  analysis *a;
  int column, ncolumn;  // of the left null space
  double *wrench;       // (nmember x ncolumn x 6)
  const double *of_cut;
} load;

static void carry(void *user, int edge, int sign)
{
  load *l = user;
  const jn_edge *e = &l->a->m->edge[edge];
  int child = l->a->m->parent_edge[e->a] == edge ? e->a : e->b;
  double *w = l->wrench + 6 * ((size_t)l->a->local[child] * (size_t)l->ncolumn + (size_t)l->column);
  for (int i = 0; i < 6; i++) w[i] += sign * l->of_cut[i];
}

static bool find_undetermined(analysis *a, const jn_qr *f)
{
  const int n = a->nrow - f->rank;
  if (n == 0) return true;
  double *null = malloc((size_t)a->nrow * (size_t)n * sizeof *null);
  double *wrench = calloc(6 * (size_t)a->nmember * (size_t)n + 1, sizeof *wrench);
  bool *named = calloc((size_t)a->m->nedge + 1, sizeof *named);
  bool good = null && wrench && named;
  if (good) jn_qr_left_null(f, null);
  int at = 0;
  for (int i = 0; good && i < a->set->nloop; i++) {
    int cut = a->m->loop[a->loop[i]].cut;
    const jn_edge *e = &a->m->edge[cut];
    jn_displacement first = place_of(a, e->a), second = place_of(a, e->b);
    jn_displacement to_first = jn_displacement_inverse(&first);
    jn_displacement relative = jn_displacement_mul(&to_first, &second);
    sv row[6];
    double residual[6];
    bool lengths[6];
    int rows = jn_joint_rows(&a->cut[i], &relative, residual, row, lengths);
    for (int j = 0; j < n; j++) {
      sv sum = {0};
      double size = 0.0;
      for (int k = 0; k < rows; k++) {
        double share = null[(size_t)(at + k) * (size_t)n + (size_t)j];
        sum = sv_axpy(share * (lengths[k] ? 1.0 / a->size : 1.0), row[k], sum);
        size = fmax(size, fabs(share));
      }
      if (size > 1e-6) named[cut] = true;
      sum = jn_force_to_world(&first, sum);
      const double of_cut[6] = {sum.a.x,           sum.a.y,           sum.a.z,
                                a->size * sum.l.x, a->size * sum.l.y, a->size * sum.l.z};
      load l = {a, j, n, wrench, of_cut};
      jn_loop_walk(a->m, cut, carry, &l);
    }
    at += rows;
  }
  int count = 0;
  for (int i = 0; good && i < a->nmember; i++)
    for (int k = 0; k < 6 * n; k++)
      if (fabs(wrench[(size_t)i * 6 * (size_t)n + (size_t)k]) > 1e-6)
        named[a->member[i].edge] = true;
  for (int e = 0; good && e < a->m->nedge; e++) count += named[e];
  if (good) {
    a->set->undetermined = jn_pool_alloc(&a->m->pool, (size_t)count, sizeof(int));
    good = a->set->undetermined != NULL;
  }
  for (int e = 0; good && e < a->m->nedge; e++)
    if (named[e]) a->set->undetermined[a->set->nundetermined++] = e;
  free(null);
  free(wrench);
  free(named);
  return good;
}

// Mark the tree joints that can move from here. One that stands still at a dead centre moves beside it.
static bool note_moving(const analysis *a, const jn_qr *f, bool *moves)
{
  const int free_count = a->ncol - f->rank;
  double *null = malloc(((size_t)a->ncol * (size_t)free_count + 1) * sizeof *null);
  if (!null) return false;
  jn_qr_null(f, null);
  for (int i = 0; i < a->nmember; i++)
    for (int j = 0; j < a->member[i].ncoord * free_count; j++)
      moves[i] |= fabs(null[a->member[i].column * free_count + j]) >= RANK_TOLERANCE;
  free(null);
  return true;
}

static bool all_move(const analysis *a, const bool *moves)
{
  for (int i = 0; i < a->nmember; i++)
    if (a->member[i].ncoord && !moves[i]) return false;
  return true;
}

static bool list_locked(analysis *a, const bool *moves)
{
  a->set->locked = jn_pool_alloc(&a->m->pool, (size_t)a->nmember, sizeof(int));
  if (!a->set->locked) return false;
  for (int i = 0; i < a->nmember; i++)
    if (a->member[i].ncoord && !moves[i]) a->set->locked[a->set->nlocked++] = a->member[i].edge;
  return true;
}

static jn_status cannot_close(analysis *a, double worst)
{
  int cut = a->m->loop[a->loop[0]].cut;
  const jn_edge *e = &a->m->edge[cut];
  char path[96];
  snprintf(path, sizeof path, "joints.%s", e->name);
  jn_pos pos = e->joint >= 0 ? a->m->spec->joint[e->joint].pos : a->m->spec->pos;
  return jn_fail(a->err, JN_E_TOPOLOGY, pos, path,
                 "its loop cannot be closed: the nearest position is %g %s apart", worst * a->size,
                 "m (or rad times the loop's size)");
}

// Rank at the design position, at neighbours, and what follows from both.
static jn_status rank_set(analysis *a)
{
  jn_loop_set *set = a->set;
  double start_worst = evaluate(a);
  for (int i = 0; i < a->nrow; i++) set->closed = fmax(set->closed, fabs(a->residual[i]) * a->size);
  double worst = close_loops(a);
  if (!(worst <= CLOSED_ENOUGH)) return cannot_close(a, isfinite(worst) ? worst : start_worst);

  jn_qr f;
  int rank = factor(a, &f), free_count = a->ncol - rank;
  if (rank < 0) return cannot_close(a, start_worst);
  set->ranked = true;
  set->rank = set->design_rank = rank;
  set->gap = f.gap;
  set->weakest = f.first > 0.0 ? f.last / f.first : 1.0;
  size_t bytes = (size_t)a->nmember * sizeof *a->state;
  double *null = malloc(((size_t)a->ncol * (size_t)free_count + 1) * sizeof *null);
  jn_joint_state *start = malloc(bytes + 1), *best = malloc(bytes + 1);
  bool *moves = calloc((size_t)a->nmember + 1, sizeof *moves);
  bool good = null && start && best && moves && note_moving(a, &f, moves);
  if (good) {
    jn_qr_null(&f, null);
    memcpy(start, a->state, bytes);
    memcpy(best, a->state, bytes);
  }
  double work = (double)a->nrow * a->ncol * a->ncol;
  uint64_t seed = 1;
  // A full rank cannot grow.
  bool full = rank == a->nrow || rank == a->ncol;
  for (int i = 0; good && (!full || !all_move(a, moves)) && i < (work > 2e7 ? 1 : 4); i++) {
    if (!go_to_neighbour(a, start, null, free_count, &seed)) continue;
    rank = factor(a, &f);
    good = note_moving(a, &f, moves);
    if (rank <= set->rank) continue;
    set->rank = rank;
    set->gap = f.gap;
    memcpy(best, a->state, bytes);
  }
  if (good) {
    memcpy(a->state, best, bytes);
    evaluate(a);
    factor(a, &f);
    good = find_undetermined(a, &f) && list_locked(a, moves);
  }
  free(null);
  free(start);
  free(best);
  free(moves);
  return good ? JN_OK : jn_fail(a->err, JN_E_MEMORY, a->m->spec->pos, NULL, "memory is exhausted");
}

static bool prepare(analysis *a)
{
  jn_model *m = a->m;
  size_t n = (size_t)m->nnode, most = 1;
  for (int i = 0; i < m->nset; i++)
    if ((size_t)m->set[i].nloop > most) most = (size_t)m->set[i].nloop;
  a->position = jn_pool_alloc(&m->pool, n, sizeof(int));
  a->local = jn_pool_alloc(&m->pool, n, sizeof(int));
  a->member = malloc(n * sizeof *a->member);
  a->state = malloc(n * sizeof *a->state);
  a->place = malloc(n * sizeof *a->place);
  a->cut = malloc(most * sizeof *a->cut);
  a->loop = malloc(most * sizeof *a->loop);
  if (!a->position || !a->local || !a->member || !a->state || !a->place || !a->cut || !a->loop)
    return false;
  for (int i = 0; i < m->nnode; i++) a->position[m->order[i]] = i, a->local[i] = -1;
  return true;
}

static jn_status check_mobility(const jn_model *m, jn_error *err)
{
  bool driven = false;
  for (int e = 0; e < m->nedge; e++) driven |= m->edge[e].driven;
  if (m->dof > 0 || driven) return JN_OK;
  const jn_edge *e = m->ncut ? &m->edge[m->loop[0].cut] : &m->edge[0];
  char path[96];
  snprintf(path, sizeof path, "joints.%s", e->name);
  return jn_fail(
      err, JN_E_TOPOLOGY, m->spec->joint[e->joint].pos, path,
      "nothing can move: %d coordinates, %d constraints; free a joint, or give one a motion",
      m->ncoord, m->nrow);
}

jn_status jn_ranks_find(jn_model *m, jn_error *err)
{
  analysis a = {.m = m, .err = err};
  jn_status st = JN_OK;
  if (m->nset > 0 && !prepare(&a))
    st = jn_fail(err, JN_E_MEMORY, m->spec->pos, NULL, "memory is exhausted");
  for (int i = 0; i < m->nset && !st; i++) {
    jn_loop_set *set = &m->set[i];
    double work = (double)set->nrow * set->ncoord * set->ncoord;
    if (work > 2e8) {
      set->rank = set->design_rank = set->nrow < set->ncoord ? set->nrow : set->ncoord;
      continue;
    }
    st = gather(&a, i) ? rank_set(&a)
                       : jn_fail(err, JN_E_MEMORY, m->spec->pos, NULL, "memory is exhausted");
    release(&a);
  }
  free(a.member);
  free(a.state);
  free(a.place);
  free(a.cut);
  free(a.loop);
  if (st) return st;

  for (int e = 0; e < m->nedge; e++)
    if (m->in_tree[e]) m->ncoord += m->edge[e].ncoord;
  m->dof = m->ncoord;
  for (int i = 0; i < m->nset; i++) {
    m->nrow += m->set[i].nrow;
    m->dof -= m->set[i].rank;
    m->redundant += m->set[i].nrow - m->set[i].rank;
    m->singular |= m->set[i].design_rank < m->set[i].rank;
  }
  return check_mobility(m, err);
}
