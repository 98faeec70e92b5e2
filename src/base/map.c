#include "base/map.h"

#include <math.h>
#include <stdbool.h>

size_t jn_map_doubles(int steps_x, int steps_v, int nv)
{
  return ((size_t)1 << steps_v) * (1 + JN_MAP_SPAN) + (size_t)nv * jn_curve_doubles(steps_x);
}

// The span behind row i - 1: piece 0 lies below the first row, piece nv above the last one. That begins at the last row and
// goes back to the one before it, so that the last row answers exactly too.
static void span_set(double *span, const jn_map_def *d, int i, size_t rows, size_t row)
{
  const int last = d->nv - 1, low = i < 1 ? 0 : i > last ? last : i - 1;
  const int high = low < last ? low + 1 : low - 1;
  const bool outside = i < 1 || i > last;
  span[0] = d->v[low];
  span[1] = outside && d->outside == JN_CURVE_HOLD ? 0.0 : 1.0 / (d->v[high] - d->v[low]);
  span[2] = r_real((int64_t)(rows + (size_t)low * row));
  span[3] = r_real((int64_t)(rows + (size_t)high * row));
}

jn_status jn_map_build(double *table, int steps_x, int steps_v, const jn_map_def *d, jn_error *err)
{
  const int keys = 1 << steps_v;
  if (d->nv < 2 || d->nv > keys - 1)
    return jn_fail(err, JN_E_LIMIT, d->pos, d->path, "a map has 2 to %d rows, found %d", keys - 1,
                   d->nv);
  for (int i = 1; i < d->nv; i++)
    if (!(d->v[i] > d->v[i - 1]) || !isfinite(1.0 / (d->v[i] - d->v[i - 1])))
      return jn_fail(err, JN_E_RANGE, d->pos, d->path,
                     "rates %d and %d, %.17g and %.17g, must rise, and not too little", i, i + 1,
                     d->v[i - 1], d->v[i]);
  const size_t rows = (size_t)keys * (1 + JN_MAP_SPAN), row = jn_curve_doubles(steps_x);
  for (int i = 0; i < keys; i++) {
    table[i] = i < d->nv ? d->v[i] : INFINITY;
    span_set(table + keys + JN_MAP_SPAN * i, d, i, rows, row);
  }
  jn_status st = JN_OK;
  for (int i = 0; i < d->nv && !st; i++) {
    const jn_curve_def curve = {.n = d->nx,
                                .x = d->x,
                                .y = d->y + (size_t)i * (size_t)d->nx,
                                .method = d->method,
                                .below = d->outside,
                                .above = d->outside,
                                .pos = d->pos,
                                .path = d->path};
    st = jn_curve_build(table + rows + (size_t)i * row, steps_x, &curve, err);
  }
  return st;
}
