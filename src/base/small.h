// small.h: factorisations of small systems (n = 1 to 6) inside a step, against `real`.
//
// n and k are constants at every call: the functions are inlined and every loop is unrolled, so
// that elements live in registers and no jump is left (-O2 and above). The order of elimination is
// fixed: no pivot is searched, since lanes cannot go different ways; whoever builds the plan has
// chosen an order that is safe, and watches the pivots. A pivot of zero gives infinities in its own
// lane and nothing else.
//
// Matrices are row-major, factorised in place; the solves replace B (n x k) by the solution. The
// diagonal of a factor holds reciprocals: the divisions are done once, in the factorisation. Every
// factorisation returns its smallest pivot, NaN if one was: below zero or tiny means that the order
// has become a bad one. Unused, it costs nothing.
#ifndef JN_BASE_SMALL_H
#define JN_BASE_SMALL_H

#include "base/real.h"

// Bounds of inner loops do not depend on outer counters, a condition does: gcc unrolls from the
// inside out, and only constant bounds vanish.
#ifdef __clang__
#define SMALL_FOR(i, n) _Pragma("clang loop unroll(full)") for (int i = 0; i < (n); i++)
#else
#define SMALL_FOR(i, n) _Pragma("GCC unroll 8") for (int i = 0; i < (n); i++)
#endif

// The smaller of the two; NaN for good once a pivot was NaN or infinite.
JN_INLINE real small_least(real least, real pivot)
{
  return r_fma(r_set(0.0), pivot, r_min(pivot, least));
}

// A = L D L' for symmetric A, definite or with leading minors that are not zero; no roots (Golub &
// Van Loan 4.1.2). Lower triangle: L below, 1/D on the diagonal. Returns the smallest |d|.
JN_INLINE real small_ldlt(int n, real *a)
{
  real least = r_abs(a[0]);
  SMALL_FOR(i, n)
  {
    // Row i first becomes L D, element by element; then each is divided by its d while the last sum
    // takes both.
    SMALL_FOR(j, n)
    if (j < i)
      SMALL_FOR(l, n) if (l < j) a[i * n + j] = r_fma(-a[i * n + l], a[j * n + l], a[i * n + j]);
    real d = a[i * n + i];
    SMALL_FOR(l, n) if (l < i)
    {
      real ld = a[i * n + l];
      a[i * n + l] = ld * a[l * n + l];
      d = r_fma(-ld, a[i * n + l], d);
    }
    least = small_least(least, r_abs(d));
    a[i * n + i] = r_set(1.0) / d;
  }
  return least;
}

JN_INLINE void small_ldlt_solve(int n, const real *ld, int k, real *b)
{
  SMALL_FOR(i, n)
  SMALL_FOR(c, k)
  SMALL_FOR(j, n) if (j < i) b[i * k + c] = r_fma(-ld[i * n + j], b[j * k + c], b[i * k + c]);
  SMALL_FOR(up, n)
  SMALL_FOR(c, k)
  {
    const int i = n - 1 - up;
    real s = b[i * k + c] * ld[i * n + i];
    SMALL_FOR(j, n) if (j > i) s = r_fma(-ld[j * n + i], b[j * k + c], s);
    b[i * k + c] = s;
  }
}

// A = L U in the given order, L with a unit diagonal (Golub & Van Loan 3.2.6). Returns the smallest
// |u_kk|.
JN_INLINE real small_lu(int n, real *a)
{
  real least = r_abs(a[0]);
  SMALL_FOR(p, n)
  {
    least = small_least(least, r_abs(a[p * n + p]));
    a[p * n + p] = r_set(1.0) / a[p * n + p];
    SMALL_FOR(i, n) if (i > p)
    {
      a[i * n + p] *= a[p * n + p];
      SMALL_FOR(j, n) if (j > p) a[i * n + j] = r_fma(-a[i * n + p], a[p * n + j], a[i * n + j]);
    }
  }
  return least;
}

JN_INLINE void small_lu_solve(int n, const real *lu, int k, real *b)
{
  SMALL_FOR(i, n)
  SMALL_FOR(c, k)
  SMALL_FOR(j, n) if (j < i) b[i * k + c] = r_fma(-lu[i * n + j], b[j * k + c], b[i * k + c]);
  SMALL_FOR(up, n)
  SMALL_FOR(c, k)
  {
    const int i = n - 1 - up;
    real s = b[i * k + c];
    SMALL_FOR(j, n) if (j > i) s = r_fma(-lu[i * n + j], b[j * k + c], s);
    b[i * k + c] = s * lu[i * n + i];
  }
}

// ---- of any size --------------------------------------------------------------------------------
//
// The same operations in the same order, as loops: for sizes that are not constants.

JN_INLINE void small_lu_any(int n, real *a)
{
  for (int p = 0; p < n; p++) {
    a[p * n + p] = r_set(1.0) / a[p * n + p];
    for (int i = p + 1; i < n; i++) {
      a[i * n + p] *= a[p * n + p];
      for (int j = p + 1; j < n; j++)
        a[i * n + j] = r_fma(-a[i * n + p], a[p * n + j], a[i * n + j]);
    }
  }
}

JN_INLINE void small_lu_solve_any(int n, const real *lu, int k, real *b)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++)
      for (int c = 0; c < k; c++) b[i * k + c] = r_fma(-lu[i * n + j], b[j * k + c], b[i * k + c]);
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++)
      for (int c = 0; c < k; c++) b[i * k + c] = r_fma(-lu[i * n + j], b[j * k + c], b[i * k + c]);
    for (int c = 0; c < k; c++) b[i * k + c] = b[i * k + c] * lu[i * n + i];
  }
}

JN_INLINE void small_ldlt_any(int n, real *a)
{
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++)
      for (int l = 0; l < j; l++) a[i * n + j] = r_fma(-a[i * n + l], a[j * n + l], a[i * n + j]);
    real d = a[i * n + i];
    for (int l = 0; l < i; l++) {
      const real ld = a[i * n + l];
      a[i * n + l] = ld * a[l * n + l];
      d = r_fma(-ld, a[i * n + l], d);
    }
    a[i * n + i] = r_set(1.0) / d;
  }
}

JN_INLINE void small_ldlt_solve_any(int n, const real *ld, int k, real *b)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++)
      for (int c = 0; c < k; c++) b[i * k + c] = r_fma(-ld[i * n + j], b[j * k + c], b[i * k + c]);
  for (int i = n - 1; i >= 0; i--) {
    for (int c = 0; c < k; c++) b[i * k + c] = b[i * k + c] * ld[i * n + i];
    for (int j = i + 1; j < n; j++)
      for (int c = 0; c < k; c++) b[i * k + c] = r_fma(-ld[j * n + i], b[j * k + c], b[i * k + c]);
  }
}

#endif
