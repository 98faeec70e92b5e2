// dense_core.h: the dense heart of the equations of motion: coordinates that are solved for together, with the
// rows of the cut joints among them. In `recursive` and `independent` that is the whole mechanism.
#ifndef JN_SOLVE_GENERAL_DENSE_CORE_H
#define JN_SOLVE_GENERAL_DENSE_CORE_H

#include "base/dense.h"
#include "solve/formulation.h"
#include "solve/general/general.h"

// What lasts of the choice of rows and columns, beside them.
typedef struct jn_core_choice {
  double largest;  // square of a row so far, scaled; `independent`: least pivot where it was best
  double tried;    // `conditioning` at which a new choice did not help
  int rank;
  bool chosen;
} jn_core_choice;

typedef struct jn_core_data {
  jn_core_choice *choice;  // of multipliers; it lasts, and so do pick and square
  jn_core_choice *split;   // of the partition; it lasts, and so do rows, cols and first
  ai *composite;           // inertia of a core body and all that hangs on it (nbody)
  double *mass;            // lower triangle, packed along paths (plan/system.h)
  double *jacobian;        // all rows, packed along their supports
  double *rhs;             // generalised force less bias (n)
  double *gamma;           // demanded acceleration of each row less bias (m)
  double *x;               // accelerations (n)
  bool still;              // rhs is zero, and accelerations of bodies are not asked for
  double *lambda;          // multipliers of the rows kept (m)
  sv *beta;                // bias accelerations (nbody)
  sv *sum;                 // wrenches summed towards the ground (nbody)

  // multipliers: L' L = mass, W = J L^-1, W W' lambda = ... (core_multipliers.c)
  double *chol;                  // L, packed like mass; the diagonal is inverted
  double *w;                     // kept rows of W, packed like jacobian
  double *spread;                // scratch: a row of W over all coordinates, zero between uses (n)
  int *pick, *pick_before;       // rows kept, rising (core_rank)
  bool *keep;                    // scratch of the choice (m)
  int *trial_rows, *trial_cols;  // scratch of the choice (m), (n)
  double *trial_pivot;           // likewise (n + m)
  double *schur;                 // W W' and its factor, a triangle (m (m + 1) / 2)
  double *square;                // largest square that each row had so far (m)
  double *unit;                  // scale of each row at a singular position (m)
  double conditioning;  // how far the rows kept are from dependent: what is left of a square
  bool degenerate;  // rows depend here beyond what they always do: the orthogonal factors answer
  double *all;      // kept rows of W, scaled (m x n)
  jn_qr qr;
  void *qr_work;
  double *every;  // all rows, scaled, of shorten() (m x n)
  void *every_work;

  // partition: dependent u, independent v (core_partition.c)
  double *full_mass;  // (n x n)
  double *full_rows;  // (m x n)
  int *rows, *cols;   // order in which rows and columns are eliminated (m), (n)
  double *lu;         // (rank x rank)
  double *first;      // pivots when the order was chosen (rank)
  double *t;          // -J_u^-1 J_v (rank x (n - rank))
  double *reduced;    // factor of the reduced mass matrix ((n - rank)^2)
  double *mr;         // mass times the columns of R (n x (n - rank))
  double *scratch;    // (3 (n + m))

  double *trial;  // (m x n)
  double *own;    // of a solver that has other memory (formulation.h)
} jn_core_data;

// Rows of the core unpacked (m x n), as they are or scaled to be comparable; its mass matrix (n x n).
void jn_core_unpack_rows(const jn_system *s, const jn_core_data *c, bool scaled, double *rows);
void jn_core_unpack_mass(const jn_system *s, const jn_core_data *c, double *mass);

// A = L' L along paths, in place, and L^-T b, then L^-1 b. Diagonals of L are inverted (packed.c).
void jn_packed_factor(const jn_system *s, double *a);
void jn_packed_first(const jn_system *s, const double *l, double *b);
void jn_packed_second(const jn_system *s, const double *l, double *b);
void jn_packed_first_row(const jn_system *s, const double *l, const jn_support *u, double *row);

// The same of a whole lower triangle, its rows one behind the other.
void jn_triangle_factor(int n, double *a);
void jn_triangle_solve(int n, const double *l, double *b);

extern const jn_core_solver jn_core_multipliers, jn_core_partition;

// The partition's factor in two: of rows, which reads the jacobian alone, and of the mass matrix behind it. Then, with the first alone:
// dependent coordinates set to zero in v (nv); the change of them that takes `open` (nrow) out of the core's rows, the other coordinates of
// the core zero.
void jn_core_partition_rows(const jn_system *s, jn_data *d);
void jn_core_partition_mass(const jn_system *s, jn_data *d);
void jn_core_rest(const jn_system *s, const jn_data *d, double *v);
void jn_core_follow(const jn_system *s, jn_data *d, const double *open, double *change);

void jn_multipliers_shorten(const jn_system *s, jn_data *d);

// Blocks of `subsystem` (block.c).
void jn_block_factor(const jn_system *s, jn_data *d, int i);
void jn_block_backward(const jn_system *s, jn_data *d, int i);
void jn_block_forward(const jn_system *s, jn_data *d, int i);
void jn_block_multipliers(const jn_system *s, jn_data *d, int i, const double *unbalanced);

// What it adds to core coordinate x: coupling to the top; inertia with core coordinate y.
sv jn_block_coupling(const jn_block *k, const jn_block_data *b, int x);
double jn_block_inertia(const jn_block *k, const jn_block_data *b, int x, int y);

// Its dependent coordinates alone: set to zero in v; the change of them that takes `open` (nrow) out of its rows, in the places of all
// its coordinates in `change`, the others zero. With the factors at hand.
void jn_block_rest(const jn_system *s, jn_data *d, int i, double *v);
void jn_block_follow(const jn_system *s, jn_data *d, int i, const double *open, double *change);

// Choose rows and columns by complete pivoting, of an (m x n) matrix scaled to be comparable, which is
// destroyed. Order of all rows and columns; the rank. `first` gets the pivots (min(m, n)).
int jn_pivots_choose(int m, int n, double *a, double tolerance, int *rows, int *cols,
                     double *first);

// LU without a search for pivots, in place; unit lower triangle. False: a pivot fell below a tenth of what it
// was when the order was chosen, or elements grew too much. `first` may be NULL.
bool jn_lu_fixed(int n, double *a, const double *first);
void jn_lu_fixed_solve(int n, const double *lu, int k, double *b);      // A X = B, B (n x k)
void jn_lu_fixed_solve_transposed(int n, const double *lu, double *b);  // A' x = b

// Cholesky without a branch on data: a pivot that is not positive gives NaN, which is found later.
void jn_chol_plain(int n, double *a, int stride);
void jn_chol_forward(int n, const double *l, int stride, double *b);   // L^-1 b
void jn_chol_backward(int n, const double *l, int stride, double *b);  // L^-T b

#endif
