// dense.h: dense factorisations of run-time size, for the work that builds a plan.
//
// Row-major doubles without padding: element (i, j) of an (m x n) matrix is a[i * n + j]. No
// factorisation allocates. Fixed order of operations: the same input gives the same bits everywhere. What
// runs in a step is in small.h.
#ifndef JN_BASE_DENSE_H
#define JN_BASE_DENSE_H

#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"

// ---- Orthogonal factorisation with column pivoting and rank ----
//
//   A P = Q [T 0; 0 0] Z      Q (m x m), Z (n x n) orthogonal, T (rank x rank) upper triangular
//
// the complete orthogonal factorisation: it solves rank-deficient systems and gives all four
// fundamental subspaces of A.
typedef struct jn_qr {
  int m, n;
  int rank;            // columns accepted; -1 when A holds a number that is not finite
  const int *perm;     // perm[j]: the column of A chosen j-th; the first `rank` are independent (n)
  double first, last;  // size of the first and of the last accepted diagonal of R, 0 if rank is 0
  double next;         // size of the first rejected one, 0 if there was nothing left to reject
  double gap;          // next / last: how clear the decision was; 0 if nothing was rejected

  // Inside, all in the caller's work.
  double *a;       // T, below it the vectors of Q, right of it those of Z    (m x n)
  double *q, *z;   // factors of the reflectors                               (min(m, n))
  double *row;     // scratch of the factorisation                            (n)
  double *column;  // scratch of the solves: one thread at a time             (max(m, n, 1))
  int *order;      // what perm shows                                         (n)
  int exponent;    // A was scaled by 2^-exponent
} jn_qr;

// Bytes of work for an (m x n) matrix, in a block aligned to 64 bytes (JN_ARENA_ALIGN); never 0.
JN_PRIVATE size_t jn_qr_size(int m, int n);
void *jn_qr_work(jn_pool *pool, int m, int n);  // such a block; NULL: memory is exhausted

// Factorise A (left as it is; m, n >= 0). A column is accepted as long as what is left of it after
// projection on those before it is longer than tol times the longest column, 0 <= tol < 1 (taken as
// 1e-150 at least: below that, squares vanish). Ties go to the column that stands first in A. *f
// lives as long as `work`. Returns rank.
JN_PRIVATE int jn_qr_factor(jn_qr *f, int m, int n, const double *a, double tol, void *work);

// Of all x that minimise |A x - b|, the shortest. b (m) and x (n) may be the same memory. Returns
// the minimum |A x - b|, which is rounding when b lies in the range of A.
double jn_qr_solve(const jn_qr *f, const double *b, double *x);

// The same for the transpose: of all y that minimise |A' y - c|, the shortest; c (n), y (m).
double jn_qr_solve_transposed(const jn_qr *f, const double *c, double *y);

// Orthonormal bases, one vector a column: A N = 0 with N (n x (n - rank)), A' L = 0 with
// L (m x (m - rank)). A zero row i of L says that equation i takes no part in any redundancy.
void jn_qr_null(const jn_qr *f, double *basis);
void jn_qr_left_null(const jn_qr *f, double *basis);

// ---- Square systems, factorised in place ----
//
// The factor functions return 0, or k + 1 when pivot k stopped them (zero, not positive for
// Cholesky, or not a number); the factors are then not to be used. The solve replaces B (n x k),
// row-major, by the solution.

// A = L L': symmetric positive definite. Reads and writes the lower triangle only.
int jn_chol_factor(int n, double *a);

// P A = L U with partial pivoting; pivot (n).
int jn_lu_factor(int n, double *a, int *pivot);
void jn_lu_solve(int n, const double *lu, const int *pivot, int k, double *b);

// ---- Eigenvalues ----

// Jacobi's method: A (n x n, symmetric) becomes diagonal, V its eigenvectors, one a column.
void jn_eigen(int n, double *a, double *v);

#endif
