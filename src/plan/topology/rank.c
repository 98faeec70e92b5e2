// rank.c: which constraints depend on others, everywhere or only in the design position.
//
// Each decoupled set of loops is closed first (files have rounded numbers), then the rank of its
// constraint rows is taken there and at neighbours: positions that the mechanism can reach, closed as
// well. Rows that depend on others at every one of them are redundant. A rank that is lower at the design
// position than at its neighbours is a singular position.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mix.h"
#include "plan/topology/closure.h"

static const double NEIGHBOUR_STEP = 0.1;  // [rad], and lengths over the set's size
static const double LOCKED = 1e-7;    // share of a joint in what can move, below which it cannot
static const double LOADED = 1e-6;    // share of a joint in a load, below which it has none
static const double MOST_WORK = 2e8;  // rows x coordinates^2 of a set that is ranked
static const double MOST_ROWS_SQUARED = 1e7;

static jn_status fail_at_joint(const jn_model *m, int edge, jn_error *err, const char *text)
{
  const jn_edge *e = &m->edge[edge];
  if (e->joint < 0) return jn_fail(err, JN_E_TOPOLOGY, m->spec->pos, NULL, "%s", text);
  return jn_fail(err, JN_E_TOPOLOGY, m->spec->joint[e->joint].pos, jn_entry("joints", e->name).text,
                 "%s", text);
}

// ---- neighbours -------------------------------------------------------------------------------

// How far the set is from where `place` says, in radians and in lengths over its size.
static double distance_from(const jn_closure *c, const jn_displacement *place)
{
  double most = 0.0;
  for (int i = 0; i < c->nmember; i++) {
    m3 r = m3_sub(c->place[i].r, place[i].r);
    v3 t = v3_sub(c->place[i].t, place[i].t);
    most = fmax(most, fmax(v3_norm(r.x), fmax(v3_norm(r.y), v3_norm(r.z))));
    most = fmax(most, v3_norm(t) / c->size);
  }
  return most;
}

typedef struct survey {      // of a set's positions
  int design_rank, rank;     // at the design position; the highest
  double gap, conditioning;  // of the highest rank; of the design position
  bool isolated;             // it can move at the design position, but nowhere from there
  bool *moves;               // member can move at one of the positions (nmember)
  jn_joint_state *best;      // where the rank is highest (nmember)

  jn_joint_state *state;  // the closed design position (nmember)
  jn_displacement *place;
  double *null;   // what can move there (ncol x nfree)
  double *other;  // and elsewhere
  int nfree;
  jn_pool pool;
} survey;

static bool survey_alloc(survey *s, const jn_closure *c)
{
  const size_t n = (size_t)c->nmember, square = (size_t)c->ncol * (size_t)c->ncol;
  *s = (survey){0};
  s->moves = jn_pool_alloc(&s->pool, n, sizeof *s->moves);
  s->best = jn_pool_alloc(&s->pool, n, sizeof *s->best);
  s->state = jn_pool_alloc(&s->pool, n, sizeof *s->state);
  s->place = jn_pool_alloc(&s->pool, n, sizeof *s->place);
  s->null = jn_pool_alloc(&s->pool, square, sizeof *s->null);
  s->other = jn_pool_alloc(&s->pool, square, sizeof *s->other);
  return !s->pool.failed;
}

// Mark the joints that can move from here. One that stands still at a dead centre moves beside it. True: all
// of them can.
static bool mark_moving(const jn_closure *c, const jn_qr *f, double *null, bool *moves)
{
  const int nfree = c->ncol - f->rank;
  bool all = true;
  jn_qr_null(f, null);
  for (int i = 0; i < c->nmember; i++) {
    const jn_closure_member *k = &c->member[i];
    for (int j = 0; j < k->ncoord * nfree; j++)
      moves[i] |= fabs(null[k->column * nfree + j]) > LOCKED;
    all &= moves[i] || k->ncoord == 0;
  }
  return all;
}

// Step from the design position along a random direction that the rows allow, and close the loops again.
// False: that leads nowhere, or back.
static bool go_to_neighbour(jn_closure *c, const survey *s, uint64_t *seed)
{
  double length = 0.0;
  memcpy(c->state, s->state, (size_t)c->nmember * sizeof *s->state);
  for (int k = 0; k < c->ncol; k++) c->step[k] = 0.0;
  for (int j = 0; j < s->nfree; j++) {
    double share = 2.0 * jn_mix_next(seed) - 1.0;
    for (int k = 0; k < c->ncol; k++) c->step[k] += share * s->null[k * s->nfree + j];
  }
  for (int k = 0; k < c->ncol; k++) length = fmax(length, fabs(c->step[k]));
  if (!(length > 0.0)) return false;
  for (int k = 0; k < c->ncol; k++) c->step[k] *= NEIGHBOUR_STEP / length;
  jn_closure_advance(c, c->step);
  return jn_closure_close(c) <= JN_CLOSED_ENOUGH &&
         distance_from(c, s->place) > 0.1 * NEIGHBOUR_STEP;
}

// Ranks and mobility at the design position, where the closure is, and at neighbours. Leaves the closure where
// the rank is highest, factorised in *f.
static void explore(jn_closure *c, survey *s, jn_qr *f)
{
  const size_t bytes = (size_t)c->nmember * sizeof *s->state;
  const int count = (double)c->nrow * c->ncol * c->ncol > 2e7 ? 1 : 4;
  s->rank = s->design_rank = jn_closure_factor(c, f);
  s->gap = f->gap;
  s->conditioning = s->rank > 0 ? f->last / fmax(f->first, 1.0) : 1.0;
  s->nfree = c->ncol - s->rank;
  memcpy(s->state, c->state, bytes);
  memcpy(s->best, c->state, bytes);
  memcpy(s->place, c->place, (size_t)c->nmember * sizeof *s->place);
  jn_qr_null(f, s->null);
  bool settled =
      mark_moving(c, f, s->other, s->moves) && (s->rank == c->nrow || s->rank == c->ncol);
  int reached = 0;
  uint64_t seed = 1;
  for (int i = 0; i < count && !settled && s->nfree > 0; i++) {
    if (!go_to_neighbour(c, s, &seed)) continue;
    reached++;
    int rank = jn_closure_factor(c, f);
    if (rank < 0) continue;
    mark_moving(c, f, s->other, s->moves);
    if (rank <= s->rank) continue;
    s->rank = rank;
    s->gap = f->gap;
    memcpy(s->best, c->state, bytes);
  }
  s->isolated = !settled && s->nfree > 0 && reached == 0;
  memcpy(c->state, s->best, bytes);
  jn_closure_evaluate(c);
  jn_closure_factor(c, f);
}

// ---- what redundancy leaves open ----------------------------------------------------------------

typedef struct load {  // the left null space as loads that joints carry without any cause
  const jn_closure *c;
  int column, ncolumn;
  double *wrench;  // of each member (nmember x ncolumn x 6)
  double of_cut[6];
} load;

static void carry(void *user, int edge, int sign)
{
  load *l = user;
  size_t member = (size_t)l->c->local[jn_closure_child(l->c, edge)];
  double *w = l->wrench + 6 * (member * (size_t)l->ncolumn + (size_t)l->column);
  for (int i = 0; i < 6; i++) w[i] += sign * l->of_cut[i];
}

// Load of a loop's cut joint in one column of the left null space, moments in units of the set's size.
static bool cut_load(const jn_closure *c, int loop, const double *null, int at, load *l)
{
  sv row[6], sum = {0};
  double residual[6], size = 0.0;
  bool lengths[6];
  jn_displacement first;
  int rows = jn_closure_loop_rows(c, loop, &first, residual, row, lengths);
  for (int k = 0; k < rows; k++) {
    double share = null[(size_t)(at + k) * (size_t)l->ncolumn + (size_t)l->column];
    sum = sv_axpy(share * (lengths[k] ? 1.0 / c->size : 1.0), row[k], sum);
    size = fmax(size, fabs(share));
  }
  sum = jn_force_to_world(&first, sum);
  const double w[6] = {sum.a.x,           sum.a.y,           sum.a.z,
                       c->size * sum.l.x, c->size * sum.l.y, c->size * sum.l.z};
  memcpy(l->of_cut, w, sizeof w);
  return size > LOADED;
}

static bool mark_loaded(const jn_closure *c, const double *null, int n, bool *named)
{
  load l = {.c = c, .ncolumn = n};
  l.wrench = calloc(6 * (size_t)c->nmember * (size_t)n + 1, sizeof *l.wrench);
  if (!l.wrench) return false;
  for (int i = 0, at = 0; i < c->nloop; i++) {
    int cut = c->m->loop[c->loop[i]].cut;
    for (l.column = 0; l.column < n; l.column++) {
      named[cut] |= cut_load(c, i, null, at, &l);
      jn_loop_walk(c->m, cut, carry, &l);
    }
    at += c->m->edge[cut].nrow;
  }
  for (int i = 0; i < c->nmember; i++)
    for (int k = 0; k < 6 * n; k++)
      named[c->member[i].edge] |= fabs(l.wrench[6 * (size_t)i * (size_t)n + (size_t)k]) > LOADED;
  free(l.wrench);
  return true;
}

static bool find_undetermined(jn_model *m, const jn_closure *c, const jn_qr *f, jn_loop_set *set)
{
  const int n = c->nrow - f->rank;
  if (n == 0) return true;
  double *null = malloc((size_t)c->nrow * (size_t)n * sizeof *null);
  bool *named = calloc((size_t)m->nedge + 1, sizeof *named), good = null && named;
  if (good) jn_qr_left_null(f, null);
  good = good && mark_loaded(c, null, n, named);
  int count = 0;
  for (int e = 0; good && e < m->nedge; e++) count += named[e];
  set->undetermined = jn_pool_alloc(&m->pool, (size_t)count, sizeof(int));
  good = good && set->undetermined;
  for (int e = 0; good && e < m->nedge; e++)
    if (named[e]) set->undetermined[set->nundetermined++] = e;
  free(null);
  free(named);
  return good;
}

// ---- subsystems -----------------------------------------------------------------------------------

static int subsystem_of(const jn_closure *c, int loop)  // -1: it is between core bodies
{
  const jn_edge *e = &c->m->edge[c->m->loop[c->loop[loop]].cut];
  return c->m->part[e->a] >= 0 ? c->m->part[e->a] : c->m->part[e->b];
}

// Generic rank of the rows of one subsystem alone, at the position of the closure. full: that of all rows is their number.
static int rank_alone(jn_closure *c, int subsystem, bool full, double *rows)
{
  const size_t w = (size_t)c->ncol;
  double *const all = c->rows;
  const int nrow = c->nrow;
  int n = 0;
  for (int i = 0, at = 0; i < c->nloop; i++) {
    const int own = c->m->edge[c->m->loop[c->loop[i]].cut].nrow;
    if (subsystem_of(c, i) == subsystem) {
      memcpy(rows + (size_t)n * w, all + (size_t)at * w, (size_t)own * w * sizeof *rows);
      n += own;
    }
    at += own;
  }
  jn_qr f;
  c->rows = rows, c->nrow = n;
  const int rank = n && !full ? jn_closure_factor(c, &f) : n;
  c->rows = all, c->nrow = nrow;
  return rank;
}

// Subsystems that share coordinates are one set, whose rank does not say whose rows depend on others.
static bool rank_subsystems(jn_model *m, jn_closure *c, jn_loop_set *set)
{
  double *rows = jn_pool_alloc(&c->set_pool, (size_t)c->nrow * (size_t)c->ncol, sizeof *rows);
  if (!rows) return false;
  jn_closure_evaluate(c);
  for (int k = 0; k < m->nsubsystem; k++) {
    const int rank = rank_alone(c, k, set->rank == set->nrow, rows);
    m->subsystem[k].rank += rank;
    set->apart_rank += rank;
  }
  return true;
}

// Subsystems with a loop in a set that is too large for a rank.
static void forget_ranks(jn_model *m)
{
  for (int k = 0; k < m->nloop; k++) {
    const jn_edge *e = &m->edge[m->loop[k].cut];
    const int ends[2] = {m->part[e->a], m->part[e->b]};
    for (int i = 0; i < 2; i++)
      if (ends[i] >= 0 && !m->set[m->loop[k].set].ranked) m->subsystem[ends[i]].rank = -1;
  }
}

// ---- what can move ------------------------------------------------------------------------------

static bool keep_locked(jn_model *m, const jn_closure *c, const survey *s, jn_loop_set *set)
{
  set->locked = jn_pool_alloc(&m->pool, (size_t)c->nmember, sizeof(int));
  for (int i = 0; set->locked && i < c->nmember; i++)
    if (c->member[i].ncoord && !c->m->edge[c->member[i].edge].driven && !s->moves[i])
      set->locked[set->nlocked++] = c->member[i].edge;
  return set->locked != NULL;
}

static int count_motors(const jn_closure *c, int *first)
{
  int n = 0;
  for (int i = 0; i < c->nmember + c->nloop; i++) {
    int edge = i < c->nmember ? c->member[i].edge : c->m->loop[c->loop[i - c->nmember]].cut;
    if (c->m->edge[edge].driven && n++ == 0) *first = edge;
  }
  return n;
}

// Every motor must find a freedom of its own: with motors free the set can move by as much more as it has
// motors.
static jn_status check_motors(jn_model *m, jn_closure *c, int number, int nmotor, int motor,
                              jn_error *err)
{
  jn_loop_set *set = &m->set[number];
  const int nfree = c->ncol - set->rank;
  survey s = {0};
  jn_qr f;
  jn_closure_shut(c);
  bool good = jn_closure_open(c, number, true) && survey_alloc(&s, c);
  if (good) {
    jn_closure_close(c);
    explore(c, &s, &f);
    good = keep_locked(m, c, &s, set);
  }
  const int without = c->ncol - s.rank;
  jn_pool_free(&s.pool);
  if (!good) return jn_no_memory(err, m->spec->pos);
  if (nfree <= without - nmotor) return JN_OK;
  char text[160];
  snprintf(text, sizeof text,
           "its motion and %d other%s ask for more than the %d freedom%s that their loops have",
           nmotor - 1, nmotor == 2 ? "" : "s", without, without == 1 ? "" : "s");
  return fail_at_joint(m, motor, err, text);
}

// ---- one set --------------------------------------------------------------------------------------

static jn_status close_set(const jn_model *m, jn_closure *c, jn_loop_set *set, jn_error *err)
{
  char text[160];
  double open = jn_closure_evaluate(c), closed = jn_closure_close(c);
  set->closed = open * c->size;
  if (closed <= JN_CLOSED_ENOUGH) return JN_OK;
  if (!isfinite(closed)) closed = open;
  snprintf(text, sizeof text,
           "its loop cannot be closed: the nearest position has an error of %g m",
           closed * c->size);
  return fail_at_joint(m, m->loop[c->loop[c->worst]].cut, err, text);
}

static jn_status rank_set(jn_model *m, jn_closure *c, int number, jn_error *err)
{
  jn_loop_set *set = &m->set[number];
  jn_status st = close_set(m, c, set, err);
  if (st) return st;
  survey s;
  jn_qr f;
  if (!survey_alloc(&s, c)) st = jn_no_memory(err, m->spec->pos);
  if (!st) explore(c, &s, &f);
  if (!st && s.rank < 0)
    st = fail_at_joint(m, m->loop[c->loop[0]].cut, err, "its numbers are too large");
  if (!st) {
    int motor = 0, nmotor = count_motors(c, &motor);
    set->ranked = true;
    set->rank = s.rank;
    set->design_rank = s.design_rank;
    set->gap = s.gap;
    set->conditioning = s.conditioning;
    set->isolated = s.isolated;
    if (!find_undetermined(m, c, &f, set) || !rank_subsystems(m, c, set) ||
        (!nmotor && !keep_locked(m, c, &s, set)))
      st = jn_no_memory(err, m->spec->pos);
    else if (nmotor)
      st = check_motors(m, c, number, nmotor, motor, err);
  }
  jn_pool_free(&s.pool);
  return st;
}

// ---- the model ------------------------------------------------------------------------------------

static jn_status check_mobility(const jn_model *m, jn_error *err)
{
  bool driven = false;
  double conditioning = 1.0;
  for (int e = 0; e < m->nedge; e++) driven |= m->edge[e].driven;
  for (int i = 0; i < m->nset; i++) conditioning = fmin(conditioning, m->set[i].conditioning);
  if (m->dof != 0 || driven) return JN_OK;
  char text[240], near[120] = "";
  if (conditioning < 1e-3)
    snprintf(
        near, sizeof near,
        " (one of them is nearly redundant, %.0e of the others: are axes meant to be in line?)",
        conditioning);
  snprintf(text, sizeof text,
           "nothing can move: %d coordinates, %d constraints%s; free a joint, or give one a motion",
           m->ncoord, m->nrow, near);
  return fail_at_joint(m, m->ncut ? m->loop[0].cut : 0, err, text);
}

static jn_status rank_sets(jn_model *m, jn_error *err)
{
  jn_closure c;
  jn_status st = jn_closure_init(&c, m) ? JN_OK : jn_no_memory(err, m->spec->pos);
  for (int i = 0; i < m->nset && !st; i++) {
    jn_loop_set *set = &m->set[i];
    double rows = set->nrow, work = rows * set->ncoord * set->ncoord;
    if (work > MOST_WORK || rows * rows > MOST_ROWS_SQUARED) continue;
    st = jn_closure_open(&c, i, false) ? rank_set(m, &c, i, err) : jn_no_memory(err, m->spec->pos);
    jn_closure_shut(&c);
  }
  jn_closure_free(&c);
  if (!st) forget_ranks(m);
  return st;
}

jn_status jn_ranks_find(jn_model *m, jn_error *err)
{
  jn_status st = m->nset ? rank_sets(m, err) : JN_OK;
  if (st) return st;
  for (int e = 0; e < m->nedge; e++) {
    if (!m->in_tree[e]) continue;
    m->ncoord += m->edge[e].ncoord;
    const jn_joint_geometry g = jn_joint_geometry_of(m, e);
    m->edge[e].apart = g.apart;
    m->edge[e].askew = g.askew;
  }
  m->dof = m->ncoord;
  bool known = true;
  for (int i = 0; i < m->nset; i++) {
    const jn_loop_set *set = &m->set[i];
    known &= set->ranked;
    m->nrow += set->nrow;
    m->dof -= set->rank;
    m->redundant += set->nrow - set->rank;
    m->singular |= set->design_rank < set->rank || set->isolated;
  }
  if (!known) m->dof = m->redundant = -1;
  return check_mobility(m, err);
}
