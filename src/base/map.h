// map.h: a force over two variables, as a table: a curve over x (curve.h) for each of some v, and straight lines between them.
//
// A table is plain doubles, as that of a curve; every evaluation of it executes the same instructions.
//
//   2^steps_v keys: the v of the rows, then +inf
//   2^steps_v spans of 4: origin, 1 / width, bits of where the two rows begin, from the beginning of the table
//   the rows, each a curve with 2^steps_x keys
//
// Between rows i and i + 1, at t = (v - v_i) / (v_{i+1} - v_i): f = f_i(x) + t (f_{i+1}(x) - f_i(x)), so that at a
// row the row answers to the last bit. Below the first row and above the last one that line goes on, or the row holds.
#ifndef JN_BASE_MAP_H
#define JN_BASE_MAP_H

#include "base/curve.h"

enum { JN_MAP_SPAN = 4 };

typedef struct jn_map_def {
  int nx, nv;           // at least 2
  const double *x, *v;  // rising
  const double *y;      // (nv x nx)
  jn_curve_method method;
  jn_curve_end outside;  // on all four sides
  jn_pos pos;
  const char *path;
} jn_map_def;

size_t jn_map_doubles(int steps_x, int steps_v, int nv);

// Fill table. JN_E_RANGE or JN_E_LIMIT, with a message, as for curves.
jn_status jn_map_build(double *table, int steps_x, int steps_v, const jn_map_def *def,
                       jn_error *err);

// ---- Inside kernels ----

// Lane by lane, the map whose table begins at base[at]; all with the same steps. NaN and infinities give NaN.
JN_INLINE real map_at(const double *base, r_mask at, int steps_x, int steps_v, real x, real v)
{
  const r_mask rows = curve_count(base, at, steps_v, v);
  const r_mask span = at + ((int64_t)1 << steps_v) + r_shl(rows, 2);  // of JN_MAP_SPAN doubles
  const real t = (v - r_gather(base, span)) * r_gather(base, span + 1);
  const r_mask first = at + r_bits(r_gather(base, span + 2));
  const r_mask second = at + r_bits(r_gather(base, span + 3));
  const r_mask count = curve_count(base, first, steps_x, x);  // rows have the same x
  const real f = curve_on(base, first, steps_x, count, x).y;
  return r_fma(t, curve_on(base, second, steps_x, count, x).y - f, f);
}

#endif
