#include "base/curve.h"

#include <math.h>

// One piece, 64 bytes: y = c0 + c1 t + c2 t^2 + c3 t^3 with t = x - origin.
typedef struct curve_piece {
  double origin, c0, c1, c2, c3;
  double twice_c2, thrice_c3;  // of the derivative
  double unused;
} curve_piece;
_Static_assert(sizeof(curve_piece) == JN_CURVE_PIECE * sizeof(double), "a piece is plain doubles");

int jn_curve_steps(int n)
{
  int steps = 3;  // eight keys fill a cache line; the pieces behind them are then aligned too
  while (steps <= JN_CURVE_MAX_STEPS && n > (1 << steps) - 1) steps++;
  return steps;
}

size_t jn_curve_doubles(int steps)
{
  return ((size_t)1 << steps) * (1 + JN_CURVE_PIECE);
}

static double secant(const jn_curve_def *d, int i)
{
  return (d->y[i + 1] - d->y[i]) / (d->x[i + 1] - d->x[i]);
}

// The secants before the first point and behind the last continue the last two in equal
// differences; Akima 1970, section 2.3. Of a single secant there is no difference: it goes on as it
// is.
static double akima_secant(const jn_curve_def *d, int i)
{
  int last = d->n - 2;
  if (last == 0) return secant(d, 0);
  if (i < 0) return secant(d, 0) + (secant(d, 1) - secant(d, 0)) * i;
  if (i > last) return secant(d, last) + (secant(d, last) - secant(d, last - 1)) * (i - last);
  return secant(d, i);
}

// Akima 1970, eq. 1: the secants on the two sides, each weighted by how straight the curve runs on
// the other. Straight on both sides: 0/0, and neither side is preferred.
static double akima_slope(const jn_curve_def *d, int i)
{
  double m1 = akima_secant(d, i - 2), m2 = akima_secant(d, i - 1);
  double m3 = akima_secant(d, i), m4 = akima_secant(d, i + 1);
  double w2 = fabs(m4 - m3), w3 = fabs(m2 - m1);
  if (w2 + w3 == 0.0) return 0.5 * m2 + 0.5 * m3;
  return (w2 / (w2 + w3)) * m2 + (w3 / (w2 + w3)) * m3;
}

// At an end: the parabola through three points, limited so that the first piece keeps the sense of
// its secant and is not steeper than three times it (Fritsch & Carlson 1980, the region of
// monotonicity).
static double monotone_end(double h0, double h1, double m0, double m1)
{
  double slope = m0 + (m0 - m1) * (h0 / (h0 + h1));
  if (slope * m0 <= 0.0) return 0.0;
  if (m0 * m1 <= 0.0 && fabs(slope) > 3.0 * fabs(m0)) return 3.0 * m0;
  return slope;
}

// Fritsch & Butland 1984 (as in PCHIP): the weighted harmonic mean of the two secants, which never
// exceeds three times the smaller; zero where they differ in sign, since there is the extremum.
static double monotone_slope(const jn_curve_def *d, int i)
{
  const double *x = d->x;
  int last = d->n - 1;
  if (last == 1) return secant(d, 0);
  if (i == 0) return monotone_end(x[1] - x[0], x[2] - x[1], secant(d, 0), secant(d, 1));
  if (i == last)
    return monotone_end(x[last] - x[last - 1], x[last - 1] - x[last - 2], secant(d, last - 1),
                        secant(d, last - 2));
  double h0 = x[i] - x[i - 1], h1 = x[i + 1] - x[i], m0 = secant(d, i - 1), m1 = secant(d, i);
  if (!((m0 > 0.0 && m1 > 0.0) || (m0 < 0.0 && m1 < 0.0))) return 0.0;
  double w =
      (h0 + 2.0 * h1) / (3.0 * (h0 + h1));  // weight of the first, that of the second is 1 - w
  return m0 * (m1 / (w * m1 + (1.0 - w) * m0));
}

static double slope_at(const jn_curve_def *d, int i)
{
  switch (d->method) {
    case JN_CURVE_LINEAR:
      return secant(d, i < d->n - 1 ? i : i - 1);
    case JN_CURVE_AKIMA:
      return akima_slope(d, i);
    case JN_CURVE_MONOTONE:
      return monotone_slope(d, i);
  }
  return NAN;
}

static jn_status too_steep(const jn_curve_def *d, int i, jn_error *err)
{
  return jn_fail(err, JN_E_RANGE, d->pos, d->path,
                 "points %d and %d, (%g, %g) and (%g, %g), are too close in x for their y", i + 1,
                 i + 2, d->x[i], d->y[i], d->x[i + 1], d->y[i + 1]);
}

static jn_status curve_check(int steps, const jn_curve_def *d, jn_error *err)
{
  if (d->n < 2)
    return jn_fail(err, JN_E_RANGE, d->pos, d->path, "a curve needs at least 2 points, found %d",
                   d->n);
  if (steps > JN_CURVE_MAX_STEPS || d->n > (1 << steps) - 1)
    return jn_fail(err, JN_E_LIMIT, d->pos, d->path, "a curve has at most %d points, found %d",
                   (1 << (steps < JN_CURVE_MAX_STEPS ? steps : JN_CURVE_MAX_STEPS)) - 1, d->n);
  for (int i = 0; i < d->n; i++)
    if (!isfinite(d->x[i]) || !isfinite(d->y[i]))
      return jn_fail(err, JN_E_RANGE, d->pos, d->path, "point %d is (%g, %g), must be finite",
                     i + 1, d->x[i], d->y[i]);
  if (!isfinite(d->x[d->n - 1] - d->x[0]))
    return jn_fail(err, JN_E_RANGE, d->pos, d->path,
                   "x reaches from %g to %g, too far for a number", d->x[0], d->x[d->n - 1]);
  for (int i = 1; i < d->n; i++)
    if (!(d->x[i] > d->x[i - 1]))
      return jn_fail(err, JN_E_RANGE, d->pos, d->path,
                     "x must increase from point to point, found %.17g at point %d behind %.17g",
                     d->x[i], i + 1, d->x[i - 1]);
  for (int i = 0; i + 1 < d->n; i++)
    if (!isfinite(secant(d, i))) return too_steep(d, i, err);
  return JN_OK;
}

// The cubic with the given values and slopes at both ends of its interval.
static void piece_between(curve_piece *p, const jn_curve_def *d, int i, double next_slope)
{
  double h = d->x[i + 1] - d->x[i], m = secant(d, i);
  if (d->method == JN_CURVE_LINEAR) return;
  p->c2 = ((m - p->c1) + (m - p->c1) + (m - next_slope)) / h;
  p->c3 = ((p->c1 - m) + (next_slope - m)) / h / h;
  p->twice_c2 = 2.0 * p->c2;
  p->thrice_c3 = 3.0 * p->c3;
}

jn_status jn_curve_build(double *table, int steps, const jn_curve_def *d, jn_error *err)
{
  jn_status status = curve_check(steps, d, err);
  if (status) return status;
  int n = d->n, size = 1 << steps;
  double *key = table;
  curve_piece *piece = (curve_piece *)(table + size);

  for (int i = 0; i < size; i++) key[i] = i < n ? d->x[i] : INFINITY;
  for (int i = 0; i <= n; i++) {
    int at = i > 0 ? i - 1 : 0;  // the point it starts from
    piece[i] = (curve_piece){.origin = d->x[at], .c0 = d->y[at], .c1 = slope_at(d, at)};
  }
  for (int i = 0; i < n - 1; i++) piece_between(&piece[i + 1], d, i, piece[i + 2].c1);
  for (int i = 1; i <= n; i++)  // an extended end has the slope of a piece that is checked
    if (!isfinite(piece[i].c1) || !isfinite(piece[i].twice_c2) || !isfinite(piece[i].thrice_c3))
      return too_steep(d, i < n ? i - 1 : n - 2, err);
  if (d->below == JN_CURVE_HOLD) piece[0].c1 = 0.0;
  if (d->above == JN_CURVE_HOLD) piece[n].c1 = 0.0;
  for (int i = n + 1; i < size; i++) piece[i] = piece[n];
  return JN_OK;
}

double jn_curve_at(const double *table, int steps, double x, double *slope)
{
  curve_value v = curve_at(table, r_int(0), steps, x);
  if (slope) *slope = v.slope;
  return v.y;
}

double jn_curve_at2(const double *table, int steps, double x, double *slope, double *second)
{
  int64_t count = 0;
  for (int64_t digit = (int64_t)1 << steps >> 1; digit; digit >>= 1)
    if (table[count + digit - 1] <= x) count += digit;
  const curve_piece *p = (const curve_piece *)(table + ((size_t)1 << steps)) + count;
  *second = p->twice_c2 + 2.0 * p->thrice_c3 * (x - p->origin);
  return jn_curve_at(table, steps, x, slope);
}
