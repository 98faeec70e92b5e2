// The laws of curve.h. Rounding: u = 2^-53; a value is a sum of four terms c_i t^i, each with at
// most 8 roundings (coefficients included, whose own errors are relative to slopes and secants), so
// that 16 u times the sum of |terms| bounds it. A piece's terms are bounded with its largest slope
// s and width h: |c1 t| <= s h, |c2 t^2| <= 6 s h, |c3 t^3| <= 4 s h.
#include "base/curve.h"

#include <stdlib.h>
#include <string.h>

#include "harness.h"

enum { MAX = 64 };
static const double U = 0x1p-53;

typedef struct curve {
  jn_curve_def def;
  double x[MAX], y[MAX];
  int steps;
  double *table;
} curve;

static void build(curve *c, int n, jn_curve_method method, jn_curve_end below, jn_curve_end above)
{
  c->def = (jn_curve_def){
      .n = n, .x = c->x, .y = c->y, .method = method, .below = below, .above = above};
  c->steps = jn_curve_steps(n);
  c->table = malloc(jn_curve_doubles(c->steps) * sizeof *c->table);
  assert_non_null(c->table);
  size_t count = jn_curve_doubles(c->steps);
  memset(c->table, 0xff, count * sizeof *c->table);
  jn_error err = {0};
  assert_int_equal(jn_curve_build(c->table, c->steps, &c->def, &err), JN_OK);
  for (size_t i = 0; i < count; i++) assert_false(isnan(c->table[i]));  // no part is left as it was
}

static void release(curve *c)
{
  free(c->table);
}

static double at(const curve *c, double x)
{
  return jn_curve_at(c->table, c->steps, x, NULL);
}

static double slope(const curve *c, double x)
{
  double s;
  jn_curve_at(c->table, c->steps, x, &s);
  return s;
}

static void any_points(jt_random *r, curve *c, int n)
{
  c->x[0] = jt_random_in(r, -10, 10);
  for (int i = 1; i < n; i++) c->x[i] = c->x[i - 1] + pow(10.0, jt_random_in(r, -2, 1));
  for (int i = 0; i < n; i++) c->y[i] = jt_random_in(r, -5, 5);
}

static const double *piece(const curve *c, int i)
{
  return c->table + ((size_t)1 << c->steps) + (size_t)i * JN_CURVE_PIECE;
}

// Sum of the sizes of the terms of piece i over its width, and of those of its derivative.
static double terms(const curve *c, int i, double h)
{
  const double *p = piece(c, i);
  return fabs(p[1]) + fabs(p[2]) * h + fabs(p[3]) * h * h + fabs(p[4]) * h * h * h;
}

static double slope_terms(const curve *c, int i, double h)
{
  const double *p = piece(c, i);
  return fabs(p[2]) + fabs(p[5]) * h + fabs(p[6]) * h * h;
}

static void curve_passes_through_its_points_exactly(void **state)
{
  (void)state;
  jt_random r = {1};
  curve c;
  for (int n = 2; n <= 40; n++)
    for (int m = 0; m < 3; m++)
      for (int e = 0; e < 4; e++) {
        any_points(&r, &c, n);
        build(&c, n, (jn_curve_method)m, (jn_curve_end)(e & 1), (jn_curve_end)(e >> 1));
        for (int i = 0; i < n; i++) JT_NEAR(at(&c, c.x[i]), c.y[i], 0.0);
        release(&c);
      }
}

static void straight_data_give_a_straight_curve(void **state)
{
  (void)state;
  // Numbers with few binary digits: not one operation rounds.
  static const double x[] = {-4, -3, -2.5, 0, 1, 1.5, 8};
  curve c;
  for (int n = 2; n <= 7; n++)
    for (int m = 0; m < 3; m++) {
      for (int i = 0; i < n; i++) {
        c.x[i] = x[i];
        c.y[i] = 1.0 - 0.75 * x[i];
      }
      build(&c, n, (jn_curve_method)m, JN_CURVE_EXTEND, JN_CURVE_EXTEND);
      for (double t = -10.0; t <= 10.0; t += 0.125) {
        JT_NEAR(at(&c, t), 1.0 - 0.75 * t, 0.0);
        JT_NEAR(slope(&c, t), -0.75, 0.0);
      }
      release(&c);
    }
}

static void slope_is_the_derivative(void **state)
{
  (void)state;
  jt_random r = {2};
  curve c;
  for (int round = 0; round < 100; round++)
    for (int m = 0; m < 3; m++) {
      int n = 2 + jt_random_below(&r, 20);
      any_points(&r, &c, n);
      build(&c, n, (jn_curve_method)m, JN_CURVE_EXTEND, JN_CURVE_HOLD);
      for (int i = 0; i + 1 < n; i++) {
        double h = c.x[i + 1] - c.x[i], d = 0x1p-12 * h;
        double x = c.x[i] + jt_random_in(&r, 0.1, 0.9) * h;
        double measured = (at(&c, x + d) - at(&c, x - d)) / ((x + d) - (x - d));
        // A central difference of a cubic is off by c3 d^2; values round, and x twice against its
        // origin.
        double tol = fabs(piece(&c, i + 1)[4]) * d * d * 1.01 + 16.0 * U * terms(&c, i + 1, h) / d +
                     16.0 * U * slope_terms(&c, i + 1, h) * (1.0 + fabs(x) / d);
        JT_NEAR(slope(&c, x), measured, tol);
      }
      release(&c);
    }
}

static void value_and_slope_are_continuous_at_the_points(void **state)
{
  (void)state;
  jt_random r = {3};
  curve c;
  for (int round = 0; round < 100; round++)
    for (int m = 0; m < 3; m++) {
      int n = 2 + jt_random_below(&r, 20);
      any_points(&r, &c, n);
      build(&c, n, (jn_curve_method)m, JN_CURVE_EXTEND, JN_CURVE_EXTEND);
      for (int i = 0; i < n; i++) {  // piece i ends where point i begins
        double h = i > 0 ? c.x[i] - c.x[i - 1] : 0.0, before = nextafter(c.x[i], -INFINITY);
        double step = c.x[i] - before, steepest = slope_terms(&c, i, h);
        JT_NEAR(at(&c, before), c.y[i], 16.0 * U * terms(&c, i, h) + steepest * step);
        if (m == JN_CURVE_LINEAR) continue;
        const double *p = piece(&c, i);
        double bend = fabs(p[5]) + 2.0 * fabs(p[6]) * h;  // |y''|
        JT_NEAR(slope(&c, before), slope(&c, c.x[i]), 32.0 * U * steepest + bend * step);
      }
      release(&c);
    }
}

static void akima_gives_the_values_of_its_paper(void **state)
{
  (void)state;
  // By hand from Akima 1970. Secants 1 -1 2 1 0 .25, continued by 5 3 before and .5 .75 behind;
  // with weights |m4 - m3| and |m2 - m1|:
  //   x = 0: (2 3 + 2 1)/4 = 2         x = 1: (3 1 + 2 -1)/5 = .2   x = 2: (1 -1 + 2 2)/3 = 1
  //   x = 3: (1 2 + 3 1)/4 = 1.25      x = 4: (.25 1 + 1 0)/1.25 = .2
  //   x = 5: (.25 0 + 1 .25)/1.25 = .2  x = 7: (.25 .25 + .25 .5)/.5 = .375
  static const double x[] = {0, 1, 2, 3, 4, 5, 7}, y[] = {0, 1, 0, 2, 3, 3, 3.5};
  static const double t[] = {2, 0.2, 1, 1.25, 0.2, 0.2, 0.375};
  curve c;
  memcpy(c.x, x, sizeof x);
  memcpy(c.y, y, sizeof y);
  build(&c, 7, JN_CURVE_AKIMA, JN_CURVE_EXTEND, JN_CURVE_EXTEND);
  for (int i = 0; i < 7; i++) JT_NEAR(slope(&c, x[i]), t[i], 8.0 * U * fabs(t[i]));
  // Hermite at the middle is (y0 + y1)/2 + h (t0 - t1)/8, at a quarter
  // .84375 y0 + .15625 y1 + h (.140625 t0 - .046875 t1).
  JT_NEAR(at(&c, 2.5), 0.96875, 16.0 * U * 12.0);
  JT_NEAR(at(&c, 6.0), 3.20625, 16.0 * U * 12.0);
  JT_NEAR(at(&c, 0.25), 0.428125, 16.0 * U * 12.0);
  JT_NEAR(at(&c, -2.0), -4.0, 16.0 * U * 4.0);
  JT_NEAR(at(&c, 9.0), 4.25, 16.0 * U * 5.0);
  release(&c);
}

static void akima_is_defined_for_few_points_and_for_corners(void **state)
{
  (void)state;
  curve c = {.x = {1, 3}, .y = {2, 8}};
  build(&c, 2, JN_CURVE_AKIMA, JN_CURVE_EXTEND, JN_CURVE_EXTEND);  // a line
  JT_NEAR(at(&c, 2.0), 5.0, 0.0);
  JT_NEAR(at(&c, 0.0), -1.0, 0.0);
  release(&c);

  c = (curve){.x = {0, 1, 2}, .y = {0, 1, 4}};  // the parabola x^2
  build(&c, 3, JN_CURVE_AKIMA, JN_CURVE_EXTEND, JN_CURVE_EXTEND);
  for (double x = 0.0; x <= 2.0; x += 0.0625) {
    JT_NEAR(at(&c, x), x * x, 0.0);
    JT_NEAR(slope(&c, x), 2.0 * x, 0.0);
  }
  release(&c);

  c = (curve){.x = {0, 1, 2, 3}, .y = {0, 1, 4, 9}};
  build(&c, 4, JN_CURVE_AKIMA, JN_CURVE_HOLD, JN_CURVE_EXTEND);
  for (double x = 0.0; x <= 3.0; x += 0.0625) JT_NEAR(at(&c, x), x * x, 0.0);
  release(&c);

  // Straight on both sides of a corner: 0/0 in the formula, the mean by its author's rule.
  c = (curve){.x = {0, 1, 2, 3, 4}, .y = {0, 0, 0, 1, 2}};
  build(&c, 5, JN_CURVE_AKIMA, JN_CURVE_EXTEND, JN_CURVE_EXTEND);
  JT_NEAR(slope(&c, 2.0), 0.5, 0.0);
  JT_NEAR(slope(&c, 1.0), 0.0, 0.0);
  JT_NEAR(slope(&c, 3.0), 1.0, 0.0);
  JT_NEAR(at(&c, 0.5), 0.0, 0.0);
  JT_NEAR(at(&c, 3.5), 1.5, 0.0);
  release(&c);
}

static void monotone_gives_the_slopes_of_its_paper(void **state)
{
  (void)state;
  // Secants 1 and 1/2 over widths 1 and 2: 1/t = (5/9)/1 + (4/9)/(1/2) = 13/9; the ends by
  // parabola.
  curve c = {.x = {0, 1, 3}, .y = {0, 1, 2}};
  build(&c, 3, JN_CURVE_MONOTONE, JN_CURVE_EXTEND, JN_CURVE_EXTEND);
  JT_NEAR(slope(&c, 0.0), 7.0 / 6.0, 8.0 * U);
  JT_NEAR(slope(&c, 1.0), 9.0 / 13.0, 8.0 * U);
  JT_NEAR(slope(&c, 3.0), 1.0 / 6.0, 8.0 * U);
  release(&c);

  c = (curve){.x = {0, 1, 2, 3}, .y = {0, 1, 1, 0}};  // flat top: no overshoot, extremum at rest
  build(&c, 4, JN_CURVE_MONOTONE, JN_CURVE_EXTEND, JN_CURVE_EXTEND);
  for (double x = 1.0; x <= 2.0; x += 0.03125) JT_NEAR(at(&c, x), 1.0, 0.0);
  release(&c);

  // An end whose parabola would turn back is flat; one that is too steep before an extremum is
  // three times its secant.
  c = (curve){.x = {0, 1, 2}, .y = {0, 1, 11}};
  build(&c, 3, JN_CURVE_MONOTONE, JN_CURVE_EXTEND, JN_CURVE_EXTEND);
  JT_NEAR(slope(&c, 0.0), 0.0, 0.0);
  release(&c);
  c = (curve){.x = {0, 1, 2}, .y = {0, 1, -9}};
  build(&c, 3, JN_CURVE_MONOTONE, JN_CURVE_EXTEND, JN_CURVE_EXTEND);
  JT_NEAR(slope(&c, 0.0), 3.0, 0.0);
  release(&c);
}

static void monotone_data_give_a_monotone_curve(void **state)
{
  (void)state;
  jt_random r = {4};
  curve c;
  for (int round = 0; round < 300; round++) {
    int n = 2 + jt_random_below(&r, 30);
    double sense = round % 2 ? -1.0 : 1.0;
    any_points(&r, &c, n);
    c.y[0] = jt_random_in(&r, -1, 1);
    for (int i = 1; i < n; i++)  // steps over six decades, a quarter of them flat
      c.y[i] =
          c.y[i - 1] + sense * (jt_random_below(&r, 4) ? pow(10.0, jt_random_in(&r, -4, 2)) : 0.0);
    build(&c, n, JN_CURVE_MONOTONE, JN_CURVE_EXTEND, JN_CURVE_EXTEND);
    for (int i = 0; i + 1 < n; i++) {
      double h = c.x[i + 1] - c.x[i], last = c.y[i], tol = 16.0 * U * terms(&c, i + 1, h);
      double slack = 16.0 * U * slope_terms(&c, i + 1, h);
      double lo = fmin(c.y[i], c.y[i + 1]), hi = fmax(c.y[i], c.y[i + 1]);
      for (int k = 1; k < 200; k++) {
        double x = c.x[i] + h * k / 200.0, y = at(&c, x);
        JT_LE(sense * (last - y), tol);
        JT_LE(-sense * slope(&c, x), slack);
        JT_LE(y, hi + tol);
        JT_LE(lo, y + tol);
        last = y;
      }
      if (c.y[i] == c.y[i + 1]) JT_NEAR(at(&c, c.x[i] + 0.3 * h), c.y[i], 0.0);
    }
    release(&c);
  }
}

static void beyond_its_points_a_curve_does_as_asked(void **state)
{
  (void)state;
  jt_random r = {5};
  curve c;
  for (int m = 0; m < 3; m++)
    for (int e = 0; e < 4; e++)
      for (int round = 0; round < 20; round++) {
        int n = 2 + jt_random_below(&r, 20), last = n - 1;
        any_points(&r, &c, n);
        build(&c, n, (jn_curve_method)m, (jn_curve_end)(e & 1), (jn_curve_end)(e >> 1));
        double s0 = slope(&c, c.x[0]);  // from the right: that of the curve itself
        double s1 = slope(&c, nextafter(c.x[last], -INFINITY));
        for (double d = 1e-6; d < 1e6; d *= 10.0) {
          double below = c.x[0] - d, above = c.x[last] + d;
          double y0 = c.y[0], y1 = c.y[last];
          if (e & 1) y0 += s0 * (below - c.x[0]);
          if (e >> 1) y1 += s1 * (above - c.x[last]);
          const double *p = piece(&c, last);
          double h = c.x[last] - c.x[last - 1], bend = fabs(p[5]) + 2.0 * fabs(p[6]) * h;
          double off = 32.0 * U * slope_terms(&c, last, h) +
                       bend * (c.x[last] - nextafter(c.x[last], -INFINITY));
          JT_NEAR(at(&c, below), y0, e & 1 ? 4.0 * U * (fabs(c.y[0]) + fabs(s0) * d) : 0.0);
          JT_NEAR(at(&c, above), y1,
                  e >> 1 ? 4.0 * U * (fabs(c.y[last]) + fabs(s1) * d) + off * d : 0.0);
          JT_NEAR(slope(&c, below), e & 1 ? s0 : 0.0, 0.0);
          JT_NEAR(slope(&c, above), e >> 1 ? s1 : 0.0, e >> 1 ? off : 0.0);
        }
        assert_true(isnan(at(&c, NAN)));
        assert_true(isnan(at(&c, INFINITY)));
        assert_true(isnan(at(&c, -INFINITY)));
        release(&c);
      }
}

static void longer_table_of_the_same_curve_gives_the_same_bits(void **state)
{
  (void)state;
  jt_random r = {6};
  curve c;
  any_points(&r, &c, 7);
  build(&c, 7, JN_CURVE_AKIMA, JN_CURVE_HOLD, JN_CURVE_EXTEND);
  assert_int_equal(c.steps, 3);
  for (int steps = 4; steps < 8; steps++) {
    double *table = malloc(jn_curve_doubles(steps) * sizeof *table);
    assert_int_equal(jn_curve_build(table, steps, &c.def, NULL), JN_OK);
    for (double x = c.x[0] - 3.0; x < c.x[6] + 3.0; x += 0.1) {
      double s, y = jn_curve_at(table, steps, x, &s);
      JT_NEAR(y, at(&c, x), 0.0);
      JT_NEAR(s, slope(&c, x), 0.0);
    }
    free(table);
  }
  release(&c);
}

static void steps_grow_with_the_points(void **state)
{
  (void)state;
  assert_int_equal(jn_curve_steps(2), 3);
  assert_int_equal(jn_curve_steps(7), 3);
  assert_int_equal(jn_curve_steps(8), 4);
  assert_int_equal(jn_curve_steps(1023), 10);
  assert_int_equal(jn_curve_steps(1024), 11);
  assert_int_equal(jn_curve_steps((1 << 20) - 1), 20);
  assert_int_equal(jn_curve_steps(1 << 20), JN_CURVE_MAX_STEPS + 1);
  assert_int_equal(jn_curve_steps(INT32_MAX), JN_CURVE_MAX_STEPS + 1);
  assert_int_equal(jn_curve_doubles(3), 72);
}

static void refused(int n, const double *x, const double *y, jn_status status, const char *word)
{
  double table[16 * 9];
  jn_error err = {0};
  jn_curve_def def = {.n = n,
                      .x = x,
                      .y = y,
                      .method = JN_CURVE_AKIMA,
                      .pos = {"car.yaml", 12, 7},
                      .path = "forces.bump.force"};
  assert_int_equal(jn_curve_build(table, 4, &def, &err), status);
  assert_int_equal(err.code, status);
  assert_string_equal(err.file, "car.yaml");
  assert_int_equal(err.line, 12);
  assert_int_equal(err.col, 7);
  assert_string_equal(err.path, "forces.bump.force");
  if (!strstr(err.text, word)) fail_msg("'%s' does not say '%s'", err.text, word);
  assert_int_equal(jn_curve_build(table, 4, &def, NULL), status);
}

static void bad_points_are_refused_with_their_place(void **state)
{
  (void)state;
  static const double up[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  refused(0, NULL, NULL, JN_E_RANGE, "found 0");
  refused(1, up, up, JN_E_RANGE, "at least 2 points, found 1");
  refused(-3, up, up, JN_E_RANGE, "found -3");
  refused(16, up, up, JN_E_LIMIT, "at most 15 points, found 16");
  refused(3, (double[]){0, 2, 2}, up, JN_E_RANGE, "point 3");
  refused(3, (double[]){0, 2, 1}, up, JN_E_RANGE, "x must increase");
  refused(3, (double[]){0, NAN, 2}, up, JN_E_RANGE, "point 2 is (nan, 1)");
  refused(3, (double[]){0, 1, INFINITY}, up, JN_E_RANGE, "point 3 is (inf, 2)");
  refused(3, up, (double[]){0, 1, -INFINITY}, JN_E_RANGE, "finite");
  refused(3, up, (double[]){NAN, 1, 2}, JN_E_RANGE, "point 1");
  refused(2, (double[]){-1.7e308, 1.7e308}, up, JN_E_RANGE, "too far");
  refused(3, (double[]){0, 1, 2}, (double[]){0, 1.7e308, -1.7e308}, JN_E_RANGE, "points 2 and 3");
  refused(3, (double[]){0, 1e-320, 2}, (double[]){0, 1, 2}, JN_E_RANGE, "points 1 and 2");
  // Slopes are finite, their change is not.
  refused(4, (double[]){0, 1, 1 + 0x1p-52, 2}, (double[]){0, 0, 1e280, 1e280}, JN_E_RANGE,
          "points 2 and 3");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(curve_passes_through_its_points_exactly),
      cmocka_unit_test(straight_data_give_a_straight_curve),
      cmocka_unit_test(slope_is_the_derivative),
      cmocka_unit_test(value_and_slope_are_continuous_at_the_points),
      cmocka_unit_test(akima_gives_the_values_of_its_paper),
      cmocka_unit_test(akima_is_defined_for_few_points_and_for_corners),
      cmocka_unit_test(monotone_gives_the_slopes_of_its_paper),
      cmocka_unit_test(monotone_data_give_a_monotone_curve),
      cmocka_unit_test(beyond_its_points_a_curve_does_as_asked),
      cmocka_unit_test(longer_table_of_the_same_curve_gives_the_same_bits),
      cmocka_unit_test(steps_grow_with_the_points),
      cmocka_unit_test(bad_points_are_refused_with_their_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
