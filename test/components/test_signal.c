// Signals are the functions of time that their specs say, their derivatives are those of the
// values, and their breakpoints are where the two sides of an instant differ.
#include "components/signal.h"

#include <stdlib.h>
#include <string.h>

#include "base/curve.h"
#include "harness.h"

static const double PI = 3.14159265358979323846;
static const double EPS = 0x1p-52;

static jn_signal_spec constant(double value)
{
  return (jn_signal_spec){.kind = JN_SIGNAL_CONSTANT, .as.constant.value = value};
}

static jn_signal_spec step(double at, double from, double to)
{
  return (jn_signal_spec){.kind = JN_SIGNAL_STEP, .as.step = {0, at, from, to}};
}

static jn_signal_spec ramp(double start, double end, double from, double to)
{
  return (jn_signal_spec){.kind = JN_SIGNAL_RAMP, .as.ramp = {0, start, end, from, to}};
}

static jn_signal_spec sine(double amplitude, double frequency, double phase, double offset,
                           double start, double end)
{
  return (jn_signal_spec){.kind = JN_SIGNAL_SINE,
                          .as.sine = {0, amplitude, frequency, phase, offset, start, end}};
}

static jn_signal_spec chirp(double amplitude, double f0, double f1, double start, double end,
                            double offset)
{
  return (jn_signal_spec){.kind = JN_SIGNAL_CHIRP,
                          .as.chirp = {0, amplitude, {f0, f1}, start, end, offset}};
}

enum { LINEAR, AKIMA, MONOTONE, HOLD = 0, EXTEND };

static jn_signal_spec table(int n, const double *x, const double *y, int method, int outside)
{
  const jn_curve_spec curve = {n, x, y, method, outside};
  return jn_signal_from_curve(&curve, (jn_pos){"t.yaml", 3, 4});
}

static double *build(const jn_signal_spec *spec)
{
  jn_error err = {0};
  double *t = malloc(jn_signal_doubles(spec) * sizeof *t);
  assert_non_null(t);
  if (jn_signal_build(t, spec, &err)) fail_msg("%s", err.text);
  return t;
}

static const double xs[] = {-1.0, 0.5, 1.0, 2.25, 3.0, 4.5};
static const double ys[] = {2.0, -1.0, 3.0, 3.5, -2.0, 0.25};
enum { NPOINT = sizeof xs / sizeof *xs };

// ---- values -------------------------------------------------------------------------------------

#define CHECK_AT(t, v, r, a, tol)            \
  do {                                       \
    jn_signal_value jt = jn_signal_at(p, t); \
    JT_NEAR(jt.value, v, tol);               \
    JT_NEAR(jt.rate, r, tol);                \
    JT_NEAR(jt.accel, a, tol);               \
  } while (0)

static void constants_steps_and_ramps_are_exact(void **state)
{
  (void)state;
  jn_signal_spec s = constant(-3.5);
  double *p = build(&s);
  for (double t = -2.0; t < 9.0; t += 0.37) CHECK_AT(t, -3.5, 0.0, 0.0, 0.0);
  free(p);
  s = step(1.25, 2.0, -7.0);
  p = build(&s);
  CHECK_AT(nextafter(1.25, 0.0), 2.0, 0.0, 0.0, 0.0);
  CHECK_AT(1.25, -7.0, 0.0, 0.0, 0.0);
  CHECK_AT(1e9, -7.0, 0.0, 0.0, 0.0);
  free(p);
  s = ramp(0.5, 2.5, 1.0, 5.0);  // of slope 2, without rounding
  p = build(&s);
  CHECK_AT(nextafter(0.5, 0.0), 1.0, 0.0, 0.0, 0.0);
  CHECK_AT(0.5, 1.0, 2.0, 0.0, 0.0);
  CHECK_AT(1.75, 3.5, 2.0, 0.0, 0.0);
  CHECK_AT(2.5, 5.0, 0.0, 0.0, 0.0);
  CHECK_AT(99.0, 5.0, 0.0, 0.0, 0.0);
  free(p);
}

// Our sine is right to 2 ulp. Its argument, 2 pi f tau + phase, is rounded thrice, and so is libm's
// here: six half ulps of it. Derivatives are larger by omega and its square, and rounded thrice
// more.
static void sines_are_sines_between_start_and_end(void **state)
{
  (void)state;
  const double a = 2.0, f = 1.7, phase = 0.4, offset = 5.0, start = 0.3, end = 6.5;
  const double w = 2.0 * PI * f;
  jn_signal_spec s = sine(a, f, phase, offset, start, end);
  double *p = build(&s);
  for (double t = -1.0; t < 8.0; t += 0.0137) {
    double angle = w * (t - start) + phase, off = (3.0 * fabs(angle) + 8.0) * EPS;
    bool on = t >= start && t < end;
    jn_signal_value v = jn_signal_at(p, t);
    JT_NEAR(v.value, on ? offset + a * sin(angle) : offset, on ? a * off + offset * EPS : 0.0);
    JT_NEAR(v.rate, on ? a * w * cos(angle) : 0.0, on ? a * w * off : 0.0);
    JT_NEAR(v.accel, on ? -a * w * w * sin(angle) : 0.0, on ? a * w * w * off : 0.0);
  }
  CHECK_AT(nextafter(start, 0.0), offset, 0.0, 0.0, 0.0);
  CHECK_AT(end, offset, 0.0, 0.0, 0.0);
  assert_true(jn_signal_at(p, start).rate > 1.0 && jn_signal_at(p, nextafter(end, 0)).rate != 0.0);
  free(p);
  s = sine(1.0, 0.25, 0.0, 0.0, 0.0, INFINITY);  // without end
  p = build(&s);
  JT_NEAR(jn_signal_at(p, 4001.0).value, 1.0, 1e-11);  // 1000 periods and a quarter
  free(p);
}

// The angle of a chirp is the integral of its frequency, which Simpson's rule gives exactly.
static void chirps_sweep_evenly(void **state)
{
  (void)state;
  const double a = 1.5, f0 = 0.2, f1 = 4.0, start = 1.0, end = 9.0, offset = -2.0;
  jn_signal_spec s = chirp(a, f0, f1, start, end, offset);
  double *p = build(&s);
  for (double t = 0.0; t < 11.0; t += 0.0173) {
    double tau = t - start, rise = (f1 - f0) / (end - start), f = f0 + rise * tau;
    double turns = tau / 6.0 * (f0 + 4.0 * (f0 + rise * tau / 2.0) + f);
    double angle = 2.0 * PI * turns, w = 2.0 * PI * f, off = (6.0 * fabs(angle) + 12.0) * EPS;
    bool on = t >= start && t < end;
    jn_signal_value v = jn_signal_at(p, t);
    double accel = 2.0 * PI * rise * cos(angle) - w * w * sin(angle);
    JT_NEAR(v.value, on ? offset + a * sin(angle) : offset, on ? (a + 2.0) * off : 0.0);
    JT_NEAR(v.rate, on ? a * w * cos(angle) : 0.0, on ? a * w * off : 0.0);
    JT_NEAR(v.accel, on ? a * accel : 0.0, on ? a * (w * w + 6.0 * rise) * off : 0.0);
  }
  free(p);
}

static void tables_are_curves(void **state)
{
  (void)state;
  for (int method = LINEAR; method <= MONOTONE; method++)
    for (int outside = HOLD; outside <= EXTEND; outside++) {
      jn_signal_spec s = table(NPOINT, xs, ys, method, outside);
      double *p = build(&s), slope;
      const jn_curve_end end = outside == HOLD ? JN_CURVE_HOLD : JN_CURVE_EXTEND;
      const jn_curve_def def = {.n = NPOINT,
                                .x = xs,
                                .y = ys,
                                .method = (jn_curve_method)method,
                                .below = end,
                                .above = end};
      int steps = jn_curve_steps(NPOINT);
      double *c = malloc(jn_curve_doubles(steps) * sizeof *c);
      assert_int_equal(jn_curve_build(c, steps, &def, NULL), JN_OK);
      for (double t = -3.0; t < 7.0; t += 0.01) {
        jn_signal_value v = jn_signal_at(p, t);
        JT_NEAR(v.value, jn_curve_at(c, steps, t, &slope), 0.0);
        JT_NEAR(v.rate, slope, 0.0);
      }
      for (int i = 0; i < NPOINT; i++) JT_NEAR(jn_signal_at(p, xs[i]).value, ys[i], 0.0);
      JT_NEAR(jn_signal_at(p, -5.0).rate, outside == HOLD ? 0.0 : jn_signal_at(p, -1.0).rate, 0.0);
      JT_NEAR(jn_signal_at(p, 9.0).accel, 0.0, 0.0);
      free(c);
      free(p);
    }
}

// Plain doubles: a copy elsewhere gives the same bits.
static void tables_may_be_copied(void **state)
{
  (void)state;
  const jn_signal_spec spec[] = {sine(1, 2, 3, 4, 0, 5), table(NPOINT, xs, ys, AKIMA, HOLD)};
  for (int i = 0; i < 2; i++) {
    size_t size = jn_signal_doubles(&spec[i]) * sizeof(double);
    double *p = build(&spec[i]), *q = malloc(size);
    memcpy(q, p, size);
    jn_signal_value a = jn_signal_at(p, 1.2);
    memset(p, 0xff, size);
    jn_signal_value b = jn_signal_at(q, 1.2);
    assert_memory_equal(&a, &b, sizeof a);
    free(p), free(q);
  }
}

// ---- derivatives --------------------------------------------------------------------------------

// Of the cubic between point i and the next, where it is constant.
static double third_of_piece(const double *p, int i)
{
  double h = 0.25 * (xs[i + 1] - xs[i]), mid = 0.5 * (xs[i] + xs[i + 1]);
  return fabs(jn_signal_at(p, mid + h).accel - jn_signal_at(p, mid - h).accel) / (2.0 * h);
}

typedef struct smooth {
  jn_signal_spec spec;
  double size, third, fourth;  // bounds of the value and of its third and fourth derivative
  double from, to;             // within which there is no breakpoint
} smooth;

// A central difference of y over +-h is off by h²/6 times the third derivative of y, and by the
// rounding of two values over 2h.
static void check_derivatives(const smooth *s)
{
  double *p = build(&s->spec);
  const double h1 = cbrt(3.0 * EPS * s->size / fmax(s->third, 1e-3));  // both errors alike
  const double room = s->to - s->from, h = fmin(h1, 0.01 * room);
  double speed = 0.0;
  for (int i = 1; i < 200; i++)
    speed = fmax(speed, fabs(jn_signal_at(p, s->from + room * i / 200).rate));
  for (int i = 1; i < 200; i++) {
    double t = s->from + 0.01 * room + 0.98 * room * i / 200;
    volatile double up = t + h, down = t - h;
    jn_signal_value v = jn_signal_at(p, t), a = jn_signal_at(p, up), b = jn_signal_at(p, down);
    double width = up - down, skew = fabs((up - t) - (t - down));  // t + h is rounded
    // A sine's value is off by its argument, too, which is below 400 in these tests.
    double off_value = EPS * (4.0 * s->size + 400.0 * speed),
           off_rate = EPS * 400.0 * (speed + s->size);
    double second = fmax(fabs(a.accel), fabs(b.accel)) + s->third * h;
    JT_NEAR((a.value - b.value) / width, v.rate,
            s->third * h * h / 6.0 * 1.01 + second * skew + 2.0 * off_value / width);
    JT_NEAR((a.rate - b.rate) / width, v.accel,
            s->fourth * h * h / 6.0 * 1.01 + s->third * skew + 2.0 * off_rate / width);
  }
  free(p);
}

static void rates_and_accelerations_are_those_of_the_values(void **state)
{
  (void)state;
  const double w = 2.0 * PI * 1.7, q = 2.0 * PI * 4.0, k = 2.0 * PI * 3.8 / 8.0;
  const smooth all[] = {
      {ramp(0, 4, 1, 9), 9.0, 0.0, 0.0, 0, 4},
      {sine(2, 1.7, 0.4, 5, 0.3, 6.5), 7.0, 2 * w * w * w, 2 * w * w * w * w, 0.3, 6.5},
      // a sin(phi): third derivative at most a (q³ + 3 q k), fourth a (q⁴ + 6 q² k + 3 k²)
      {chirp(1.5, 0.2, 4, 1, 9, -2), 3.5, 1.5 * (q * q * q + 3 * q * k),
       1.5 * (q * q * q * q + 6 * q * q * k + 3 * k * k), 1, 9},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) check_derivatives(&all[i]);
  for (int method = LINEAR; method <= MONOTONE; method++) {
    jn_signal_spec spec = table(NPOINT, xs, ys, method, EXTEND);
    double *p = build(&spec);
    for (int i = 0; i + 1 < NPOINT; i++) {
      smooth s = {spec, 10.0, third_of_piece(p, i) * (1.0 + 1e-12), 0.0, xs[i], xs[i + 1]};
      check_derivatives(&s);
    }
    free(p);
  }
}

// ---- breakpoints --------------------------------------------------------------------------------------

// Value, slope and curvature at t, from three values on one side: the parabola through them, which
// is off by the third derivative times d³, 4 d² and 3 d.
typedef struct side {
  double v[3];
} side;

static side side_of(const double *p, double t, double d, bool right)
{
  double f[3];
  for (int i = 0; i < 3; i++)
    f[i] = jn_signal_at(p, right ? t + (i + 1) * d : t - (i + 1) * d).value;
  double sign = right ? 1.0 : -1.0;
  return (side){{3.0 * f[0] - 3.0 * f[1] + f[2],
                 sign * (-5.0 * f[0] + 8.0 * f[1] - 3.0 * f[2]) / (2.0 * d),
                 (f[0] - 2.0 * f[1] + f[2]) / (d * d)}};
}

// Do they differ by more than the two parabolas may be off? `third` bounds the third derivative.
static bool sides_differ(const double *p, double t, double third)
{
  const double d = 1e-4, round = 64.0 * EPS * 10.0;
  side l = side_of(p, t, d, false), r = side_of(p, t, d, true);
  const double off[3] = {2.0 * third * d * d * d + 8.0 * round,
                         8.0 * third * d * d + 16.0 * round / d,
                         6.0 * third * d + 8.0 * round / d / d};
  for (int i = 0; i < 3; i++)
    if (fabs(r.v[i] - l.v[i]) > off[i]) return true;
  return false;
}

// Breakpoints in (from, to) are those of the candidates at which the sides differ, and no other instant
// is.
static void check_breakpoints(const jn_signal_spec *s, double third, const double *candidate, int n)
{
  double *p = build(s), at[32];
  const double from = -10.0, to = 20.0;
  int count = jn_signal_breakpoints(s, from, to, at), k = 0;
  assert_int_equal(jn_signal_breakpoints(s, from, to, NULL), count);
  for (int i = 0; i < n; i++) {
    bool listed = k < count && at[k] == candidate[i];
    if (listed != sides_differ(p, candidate[i], third))
      fail_msg("kind %d: %g is %slisted", s->kind, candidate[i], listed ? "" : "not ");
    k += listed;
  }
  assert_int_equal(k, count);
  for (double t = -2.0003; t < 10.0; t += 0.00371) {
    bool near = false;
    for (int i = 0; i < n; i++) near |= fabs(t - candidate[i]) < 1e-3;
    if (!near && sides_differ(p, t, third)) fail_msg("kind %d: a breakpoint at %g", s->kind, t);
  }
  // the interval is open
  if (count > 0) {
    assert_int_equal(jn_signal_breakpoints(s, at[0], to, NULL), count - 1);
    assert_int_equal(jn_signal_breakpoints(s, from, at[0], NULL), 0);
    assert_int_equal(jn_signal_breakpoints(s, nextafter(at[0], from), to, NULL), count);
  }
  free(p);
}

static void breakpoints_are_where_the_two_sides_differ(void **state)
{
  (void)state;
  const double w = 2.0 * PI * 0.7, q = 2.0 * PI, third = 2.0 * w * w * w;
  const double one[] = {1.0}, two[] = {1.0, 3.0}, whole[] = {1.0, 1.0 + 5.0 / 0.7};
  jn_signal_spec s = constant(4.0);
  check_breakpoints(&s, 0.0, one, 1);
  s = step(1.0, 2.0, 3.0), check_breakpoints(&s, 0.0, one, 1);
  s = step(1.0, 2.0, 2.0), check_breakpoints(&s, 0.0, one, 1);
  s = ramp(1.0, 3.0, 2.0, 5.0), check_breakpoints(&s, 0.0, two, 2);
  s = ramp(1.0, 3.0, 2.0, 2.0), check_breakpoints(&s, 0.0, two, 2);
  s = sine(2.0, 0.7, 0.5, 1.0, 1.0, 3.0), check_breakpoints(&s, third, two, 2);
  s = sine(2.0, 0.7, 0.0, 1.0, 1.0, whole[1]),
  check_breakpoints(&s, third, whole, 2);  // the rate jumps
  s = sine(2.0, 0.7, PI / 2, 1.0, 1.0, INFINITY), check_breakpoints(&s, third, one, 1);
  s = sine(0.0, 0.7, 0.5, 1.0, 1.0, 3.0), check_breakpoints(&s, 0.0, two, 2);
  const double steep = q * q * q + 3.0 * q * q;
  s = chirp(1.0, 0.0, 1.0, 1.0, 3.0, 0.5),
  check_breakpoints(&s, steep, two, 2);  // acceleration at first
  s = chirp(1.0, 1.0, 0.0, 1.0, 3.0, 0.5), check_breakpoints(&s, steep, two, 2);
  s = chirp(1.0, 0.0, 0.0, 1.0, 3.0, 0.5), check_breakpoints(&s, 0.0, two, 2);
  s = chirp(0.0, 0.5, 1.0, 1.0, 3.0, 0.5), check_breakpoints(&s, 0.0, two, 2);
}

static double largest_third(const jn_signal_spec *s)
{
  double *p = build(s), largest = 0.0;
  for (int i = 0; i + 1 < NPOINT; i++) largest = fmax(largest, third_of_piece(p, i));
  free(p);
  return largest;
}

static void breakpoints_of_tables_are_points(void **state)
{
  (void)state;
  const double level[] = {1.0, 1.0, 2.0, 2.0, 2.0, 3.0};
  for (int outside = HOLD; outside <= EXTEND; outside++) {
    jn_signal_spec s = table(NPOINT, xs, ys, LINEAR, outside);
    check_breakpoints(&s, 0.0, xs, NPOINT);
    s = table(NPOINT, xs, level, LINEAR, outside);
    check_breakpoints(&s, 0.0, xs, NPOINT);
    s = table(NPOINT, xs, ys, AKIMA, outside);
    check_breakpoints(&s, largest_third(&s), xs, NPOINT);
    s = table(NPOINT, xs, ys, MONOTONE, outside);
    check_breakpoints(&s, largest_third(&s), xs, NPOINT);
  }
}

// Points on a line stay on it when they are written with few digits.
static void rounding_is_no_breakpoint(void **state)
{
  (void)state;
  enum { N = 400 };
  double x[N], y[N];
  for (int slope = -3; slope <= 3; slope++)
    for (int far = 0; far < 3; far++) {
      for (int i = 0; i < N; i++) {
        x[i] = (i + far * 10000) / 10.0;  // 0.1, 0.2, ...: the nearest doubles
        y[i] = (slope * (i + far * 10000) + 7) / 100.0;
      }
      jn_signal_spec s = table(N, x, y, LINEAR, EXTEND);
      assert_int_equal(jn_signal_breakpoints(&s, -1e9, 1e9, NULL), 0);
      y[N / 2] += 1e-12 * (1.0 + fabs(y[N / 2]));  // and no further
      assert_int_equal(jn_signal_breakpoints(&s, -1e9, 1e9, NULL), 3);
    }
}

// ---- refused ------------------------------------------------------------------------------------

static void check_refused(jn_signal_spec spec, const char *text)
{
  jn_error err = {0};
  spec.name = "road.u";
  spec.pos = (jn_pos){"s.yaml", 7, 3};
  double *p = malloc(jn_signal_doubles(&spec) * sizeof *p);
  assert_int_equal(jn_signal_build(p, &spec, &err), JN_E_RANGE);
  assert_non_null(strstr(err.text, text));
  assert_string_equal(err.path, "inputs.road.u");
  assert_true(err.line == 7 && err.col == 3);
  assert_int_equal(jn_signal_build(p, &spec, NULL), JN_E_RANGE);
  free(p);
}

static void what_a_double_cannot_hold_is_refused(void **state)
{
  (void)state;
  const double near[] = {0.0, 1e-300}, high[] = {0.0, 1e300};
  check_refused(ramp(0.0, 1e-300, 0.0, 1e300), "changes so fast");
  check_refused(ramp(-1e308, 1e308, 0.0, 1.0), "changes so fast");
  check_refused(sine(1e10, 1e150, 0, 0, 0, 1), "changes so fast");
  check_refused(sine(1e308, 1, 0, 1e308, 0, 1), "changes so fast");
  check_refused(chirp(1, 1, 1e200, 0, 1, 0), "changes so fast");
  check_refused(chirp(1e200, 1, 2, 0, 1e-200, 0), "changes so fast");
  check_refused(table(2, near, high, LINEAR, HOLD), "too close in x");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(constants_steps_and_ramps_are_exact),
      cmocka_unit_test(sines_are_sines_between_start_and_end),
      cmocka_unit_test(chirps_sweep_evenly),
      cmocka_unit_test(tables_are_curves),
      cmocka_unit_test(tables_may_be_copied),
      cmocka_unit_test(rates_and_accelerations_are_those_of_the_values),
      cmocka_unit_test(breakpoints_are_where_the_two_sides_differ),
      cmocka_unit_test(breakpoints_of_tables_are_points),
      cmocka_unit_test(rounding_is_no_breakpoint),
      cmocka_unit_test(what_a_double_cannot_hold_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
