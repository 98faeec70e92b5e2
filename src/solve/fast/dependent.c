// dependent.c: which coordinates of a subsystem follow from the others: the choice, and the order of its rows.
#include <math.h>
#include <stdlib.h>

#include "solve/fast/program_write.h"
#include "solve/general/dense_core.h"

// ---- choice of dependent coordinates --------------------------------------------------------------

// Rows at the initial state, in the order of the file and of the coordinates.
static bool initial_rows(const lane_program *b, double *a)
{
  const jn_system *s = b->s;
  const size_t nw = (size_t)b->nw * LANES, np = (size_t)b->np * LANES, nq = (size_t)b->nq * LANES,
               nshared = (size_t)(b->nsq + 2 * b->ns) * LANES,
               n = nw + np + nq + nshared + LANE_NPARENT;
  double *w = aligned_alloc(64, (n * sizeof *w + 63) / 64 * 64);
  if (!w) return false;
  double *p = w + nw, *q = p + np, *shared = q + nq, *parent = shared + nshared;
  memset(w, 0, n * sizeof *w);
  for (int i = 0; i < b->nw; i++) w[LANES * i] = b->image[i];
  for (int i = 0; i < b->np; i++) p[LANES * i] = b->p[i];
  for (int i = 0; i < b->n; i++) {
    const jn_tree_joint *j = &s->joint[b->m[i].body];
    if (b->m[i].rotor || b->m[i].given) continue;
    for (int k = 0; k < j->nq; k++) q[LANES * (b->m[i].q + k)] = s->y0[j->q + k];
  }
  for (int i = 0; i < b->nsq; i++) {  // what is prescribed is zero in the design position
    const lane_given *k = &b->given_q[i];
    shared[LANES * i] = k->body >= 0 ? s->y0[s->joint[k->body].q + k->index] : k->rest;
  }
  const lane_list *l = &b->list[LANE_POSE];
  lane_op op[LANE_LIST_OPS];
  for (int i = 0; i < l->nop; i++)
    op[i] = (lane_op){l->op[i].kind, l->op[i].narg, l->arg + l->op[i].first};
  const lane_run r = {.w = w,
                      .p = p,
                      .q = q,
                      .v = q,
                      .x = q,
                      .e = q,
                      .dq = q,
                      .dv = q,
                      .dx = q,
                      .de = q,
                      .rate = q,
                      .parent = parent,
                      .in = q,
                      .shared = shared,
                      .table = s->table};
  jn_lane_narrow.list(op, l->nop, 1, &r);
  const int width = b->nrow + b->nv + b->ns;
  for (int i = 0; i < b->nrow; i++)
    for (int k = 0; k < b->ncoord; k++) {
      const int column = b->column[k];
      const double x = w[LANES * (b->j + i * width + column)];
      a[i * b->ncoord + k] = column < b->nrow ? x : -x;
    }
  free(w);
  return true;
}

// Pivots of the dependent columns in the order that is set.
static void pivots_of(lane_program *b, const double *a)
{
  double m[LANE_ROWS][LANE_ROWS];
  for (int i = 0; i < LANE_ROWS; i++)
    for (int k = 0; k < b->ncoord && b->row[i] < b->nrow; k++)
      if (b->column[k] < b->nrow) m[b->row[i]][b->column[k]] = a[i * b->ncoord + k];
  for (int p = 0; p < b->nrow; p++) {
    b->first[p] = fabs(m[p][p]);
    for (int i = p + 1; i < b->nrow; i++) {
      const double f = m[i][p] / m[p][p];
      for (int k = p; k < b->nrow; k++) m[i][k] -= f * m[p][k];
    }
  }
}

// How small a pivot is, in the order that is set, beside what is left of its row and of its column when its turn comes: 1 where each
// is the largest, as in an order of the subsystem's own. Its inverse bounds the multipliers of the elimination, and what one coordinate
// that follows from others has of each of these. scaled: rows and columns are comparable.
static double least_pivot(const lane_program *b, const double *scaled)
{
  double m[LANE_ROWS][LANE_OWN], least = 1.0;
  for (int i = 0; i < b->nrow + b->nredundant; i++)
    for (int k = 0; k < b->ncoord && b->row[i] < b->nrow; k++)
      m[b->row[i]][b->column[k]] = scaled[i * b->ncoord + k];
  for (int p = 0; p < b->nrow; p++) {
    double most = 0.0;
    for (int k = p; k < b->ncoord; k++) most = fmax(most, fabs(m[p][k]));
    for (int i = p; i < b->nrow; i++) most = fmax(most, fabs(m[i][p]));
    if (!(fabs(m[p][p]) > 0.0)) return 0.0;
    least = fmin(least, fabs(m[p][p]) / most);
    for (int i = p + 1; i < b->nrow; i++) {
      const double f = m[i][p] / m[p][p];
      for (int k = p; k < b->ncoord; k++) m[i][k] -= f * m[p][k];
    }
  }
  return least;
}

// Extent of the subsystem's loops in the design position: a length that compares with an angle of 1. That of the whole vehicle
// would make a slide of a suspension, which hardly moves a tie rod, look as if it moved it most.
static double size_of_loops(const lane_program *b)
{
  const jn_system *s = b->s;
  v3 low = v3_set(INFINITY, INFINITY, INFINITY), high = v3_neg(low);
  int list[LANE_CUTS];
  const int n = jn_lane_find_cuts(s, b->subsystem, list);
  for (int i = 0; i < b->n + 2 * n; i++) {
    const jn_cut *c = i < b->n ? NULL : &s->cut[list[(i - b->n) / 2]];
    const bool second = (i - b->n) % 2;
    const int body = !c ? b->m[i].body : second ? c->b : c->a;
    v3 p = s->body[body].anchor;
    if (c) p = v3_add(p, second ? c->at_b : c->at_a);
    low = v3_make(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
    high = v3_make(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
  }
  const v3 e = v3_sub(high, low);
  const double size = fmax(e.x, fmax(e.y, e.z));
  return size > 1e-6 ? size : 1.0;
}

static const lane_group *planned_group(const lane_program *b)  // NULL: there is no plan
{
  const jn_system *like = b->s->like;
  for (int g = 0; like && g < like->lane->ngroup; g++)
    for (int i = 0; i < like->lane->group[g].lanes; i++)
      if (like->lane->group[g].subsystem[i] == b->subsystem) return &like->lane->group[g];
  return NULL;
}

static void take_order(lane_program *b, const int *column, const int *row)
{
  memcpy(b->column, column, (size_t)b->ncoord * sizeof *column);
  memcpy(b->row, row, (size_t)b->nrow * sizeof *row);
}

// Rows and columns made comparable: angles, and lengths over the size of the loops.
static void scale_rows(const lane_program *b, double *a)
{
  const jn_system *s = b->s;
  int list[LANE_CUTS], row = 0;
  const int n = jn_lane_find_cuts(s, b->subsystem, list);
  const double size = size_of_loops(b);
  for (int i = 0; i < n; i++)
    for (int r = 0; r < s->cut[list[i]].nrow; r++, row++) {
      const bool angle = s->row_angle[s->cut[list[i]].row + r];
      for (int m = 0; m < b->n; m++)
        for (int k = 0; k < b->m[m].ncoord && !b->m[m].given; k++)
          a[row * b->ncoord + b->m[m].first + k] *=
              (angle ? 1.0 : 1.0 / size) *
              (s->coordinate_angle[s->joint[b->m[m].body].v + k] ? 1.0 : size);
    }
}

// Rows of its loops that are independent in general, as the plan found them: numbers at one position do not show
// whether a row is rounding or holds something.
static int general_rank(const lane_program *b)
{
  return b->s->model->subsystem[b->subsystem].rank;
}

// An order found elsewhere serves a subsystem that is alike if its pivots are no smaller than those that a run in lanes may
// fall to: a tenth. A plan is kept to a hundredth, where four digits are lost: to leave it is an error.
static bool order_serves(lane_program *b, const lane_group *plan, const lane_program *like,
                         const double *scaled)
{
  const int all = b->nrow, kept = plan ? plan->nrow : like->nrow,
            redundant = plan ? plan->nredundant : like->nredundant;
  if (all != kept + redundant || kept != general_rank(b)) return false;
  // Of two wheel bodies alike one may be a rotor, which is no coordinate, and the other not.
  if (b->ncoord != (plan ? plan->ncoord : like->ncoord)) return false;
  take_order(b, plan ? plan->column : like->column, plan ? plan->row : like->row);
  b->nrow = kept, b->nredundant = redundant;
  if (least_pivot(b, scaled) >= (plan ? 0.01 : 0.1)) return true;
  b->nrow = all, b->nredundant = 0;
  return false;
}

const char *jn_lane_choose_dependent(lane_program *b, const lane_program *like)
{
  double a[LANE_ROWS * LANE_OWN], scaled[LANE_ROWS * LANE_OWN], first[LANE_COORDS];
  int rows[LANE_ROWS], cols[LANE_COORDS];
  if (!initial_rows(b, a)) return jn_lane_no_memory(b);
  memcpy(scaled, a, sizeof a);
  scale_rows(b, scaled);
  const lane_group *plan = planned_group(b);
  if ((plan || like) && order_serves(b, plan, like, scaled)) {
    pivots_of(b, a);
    return NULL;
  }
  const int all = b->nrow, rank = general_rank(b);
  if (rank < 0) return "its loops are too large for a rank";
  b->nrow = jn_pivots_choose(all, b->ncoord, scaled, 1e-6, rows, cols, first);
  if (b->nrow < rank)
    return rank > b->ncoord ? "its loops hold more than its own coordinates"
                            : "its loops are near a singular position";
  b->nrow = rank, b->nredundant = all - rank;
  for (int i = 0; i < all; i++) b->row[rows[i]] = i;
  // Independent ones in the order of the coordinates.
  for (int k = 0; k < b->ncoord; k++) b->column[k] = -1;
  for (int i = 0; i < b->nrow; i++) b->column[cols[i]] = i;
  for (int k = 0, at = b->nrow; k < b->ncoord; k++)
    if (b->column[k] < 0) b->column[k] = at++;
  pivots_of(b, a);
  const bool same = !plan || (!memcmp(b->column, plan->column, (size_t)b->ncoord * sizeof(int)) &&
                              !memcmp(b->row, plan->row, (size_t)b->nrow * sizeof(int)));
  return same ? NULL : "its loops are ill-conditioned in the coordinates that the plan has chosen";
}
