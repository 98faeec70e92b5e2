// test_rmath_accuracy.c: every function of rmath.h against quad precision (libquadmath), with fused
// products and without: at most 2 ulp anywhere, and C's special values (C17, Annex F).
//
// One ulp is the distance of doubles at the true result; below the normal numbers that of the
// denormals. Infinity counts as 2^1024.
#include <float.h>
#include <quadmath.h>
#include <string.h>

#include "harness.h"
#include "rmath_builds.h"

#define LIMIT 2.0

// ---- the points of a sweep

enum { MOST = 1 << 19 };
static double xs[MOST], ys[MOST], out[MOST];
static int count;
static jt_random rng;

static void start(void)
{
  count = 0;
  rng.state = 1;
}

static void add2(double x, double y)
{
  assert_true(count < MOST);
  xs[count] = x;
  ys[count++] = y;
}

static void add(double x)
{
  add2(x, 1.0);
}

static double any_bits(void)
{
  uint64_t bits = jt_random_bits(&rng);
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static double any_sign(double x)
{
  return jt_random_below(&rng, 2) ? x : -x;
}

// 2^lo to 2^hi, evenly in the exponent
static double any_log(double lo, double hi)
{
  double e = jt_random_in(&rng, lo, hi);
  return any_sign(scalbn(jt_random_in(&rng, 1.0, 2.0), (int)floor(e)));
}

static double step(double x, int ulps)
{
  int64_t bits;
  memcpy(&bits, &x, sizeof bits);
  bits += ulps;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static void add_bits(int n)
{
  for (int i = 0; i < n; i++) add(any_bits());
}
static void add_in(int n, double lo, double hi)
{
  for (int i = 0; i < n; i++) add(jt_random_in(&rng, lo, hi));
}
static void add_log(int n, double lo, double hi)
{
  for (int i = 0; i < n; i++) add(any_log(lo, hi));
}
static void add_around(double x)  // not for 0
{
  for (int i = -40; i <= 40; i++) {
    add(step(x, i));
    add(-step(x, i));
  }
}

// clang-format off
static const double specials[] = {
  0.0, 0x1p-1074, 0x1p-1073, 0x1.8p-1073, DBL_MIN, DBL_MIN - 0x1p-1074, 0x1p-1000, 0x1p-100,
  0x1p-54, 0x1p-53, 0x1p-52, 0x1p-28, 0x1p-27, 0x1p-26, 0.25, 0.5, 1.0 - DBL_EPSILON / 2, 1.0,
  1.0 + DBL_EPSILON, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 0x1p51, 0x1p52 - 1.0, 0x1p52, 0x1p53 - 1.0,
  0x1p53, 0x1p53 + 2.0, 0x1p54, 0x1p63, 0x1p64, 0x1p65, 0x1p66, 0x1p512, 0x1p1023, DBL_MAX,
  INFINITY, NAN};
// clang-format on
enum { SPECIALS = sizeof specials / sizeof *specials };

static void add_specials(void)
{
  for (int i = 0; i < SPECIALS; i++) {
    add(specials[i]);
    add(-specials[i]);
  }
}

static void add_specials2(void)
{
  for (int i = 0; i < SPECIALS; i++) {
    for (int j = 0; j < SPECIALS; j++) {
      for (int s = 0; s < 4; s++) {
        add2(s & 1 ? -specials[i] : specials[i], s & 2 ? -specials[j] : specials[j]);
      }
    }
  }
}

// ---- the comparison

static double ulps_apart(double got, __float128 want)
{
  const __float128 top = 0x1p1023Q * 2.0Q;
  if (isnanq(want) || isnan(got)) return isnanq(want) && isnan(got) ? 0.0 : INFINITY;
  if (!signbit(got) != !signbitq(want)) return INFINITY;
  if (want == 0.0Q || isinfq(want)) return got == (double)want ? 0.0 : INFINITY;
  __float128 a = isinf(got) ? top : fabsq((__float128)got);
  __float128 b = fabsq(want) < top ? fabsq(want) : top;
  int e;
  frexpq(b, &e);
  return (double)(fabsq(a - b) / scalbnq(1.0Q, e - 53 > -1074 ? e - 53 : -1074));
}

typedef __float128 ref1(__float128);
typedef __float128 ref2(__float128, __float128);

// Runs function `f` of the fused and the unfused build over the points; prints the worst, and fails
// above the limit.
static void check(int f, const char *name, ref1 *one, ref2 *two)
{
  static __float128 want[MOST];
  while (count % 4) add2(1.0, 1.0);
  for (int i = 0; i < count; i++) want[i] = one ? one(xs[i]) : two(xs[i], ys[i]);
  print_message("%-16s %7d points", name, count);
  int bad = 0;
  for (int fused = 1; fused >= 0; fused--) {
    const jt_rmath_build *b = jt_rmath_find(fused);
    if (!b) {
      print_message("   fused: not on this CPU");
      continue;
    }
    double worst = -1.0;
    int at = 0;
    b->run[f](xs, ys, out, count);
    for (int i = 0; i < count; i++) {
      double u = ulps_apart(out[i], want[i]);
      if (u > worst) {
        worst = u;
        at = i;
      }
    }
    print_message("   %s %.3f ulp at %a", fused ? "fused" : "unfused", worst, xs[at]);
    if (two) print_message(", %a", ys[at]);
    if (!(worst <= LIMIT)) {
      print_message(" = %a, not %a", out[at], (double)want[at]);
      bad = 1;
    }
  }
  print_message("\n");
  assert_false(bad);
}

#define CHECK1(f, reference) check(JT_RMATH_##f, #f, reference, NULL)
#define CHECK2(f, reference) check(JT_RMATH_##f, #f, NULL, reference)

// ---- sine, cosine, tangent

// Doubles very close to multiples of pi/2 (by continued fractions of 2^e 2/pi): the closest of all,
// 2^-60.9 off, the closest below 1e5, and for each row of the table one that needs its last column.
// clang-format off
static const double near_quarter_turns[] = {
  0x1.6ac5b262ca1ffp+849, 0x1.6c6cbc45dc8dep+5,
  0x1.b951f1572eba5p+23, 0x1.c3cfa4749cdd7p+58, 0x1.c3dc1a597f202p+95, 0x1.e7426933f5760p+124,
  0x1.17e1e60c52f2ep+158, 0x1.bb4c8e40cbe5dp+191, 0x1.33322fd48b212p+223, 0x1.b2196364d750bp+253,
  0x1.3e51cbf3b4ecap+287, 0x1.3127b6b3f4f22p+318, 0x1.6328a9f515123p+351, 0x1.715b33a0d143ep+383,
  0x1.cc28f2b4ce84bp+415, 0x1.9578238d36543p+447, 0x1.fe85261f02860p+479, 0x1.ac9e64eef2a61p+511,
  0x1.3b4801fd74c7ep+543, 0x1.29fd89961d61ep+575, 0x1.5157705a306a2p+607, 0x1.cfb3e6650ad50p+639,
  0x1.af4f27e7a4e8dp+669, 0x1.a6427ab7d6a9ap+700, 0x1.817050190d2a4p+733, 0x1.4a4629b09d4fep+766,
  0x1.eea340a33754dp+799, 0x1.f04242f88c33bp+830, 0x1.cfe482285f8edp+860, 0x1.58588f8cda276p+894,
  0x1.c309215988102p+924, 0x1.ea17c46d23a3cp+959, 0x1.e009c53148be1p+991, 0x1.61a3db8c8d129p+1021};
// clang-format on

static double quarter_turns(double n)
{
  return (double)(n * M_PI_2q);
}

static void add_angles(void)
{
  add_specials();
  add_in(40000, -4.0, 4.0);
  add_log(20000, -1074, 17);
  add_log(20000, -40, 17);
  for (int i = 0; i < 20000; i++)
    add(step(quarter_turns(jt_random_below(&rng, 63662) + 1), i % 5 - 2));
  for (int i = 1; i < 400; i++) add_around(quarter_turns(i));
}

static void add_huge_angles(void)
{
  add_bits(20000);
  add_log(40000, 16, 1024);
  add_around(1e5);
  for (int e = 0; e < 1024; e++) {  // every row of the table, and its edges
    add(scalbn(1.0, e));
    add(-step(scalbn(2.0, e > 1022 ? 1022 : e), -1));
  }
  for (int i = 0; i < (int)(sizeof near_quarter_turns / sizeof *near_quarter_turns); i++) {
    for (int k = 0; k < 4; k++) add_around(scalbn(near_quarter_turns[i], k));
  }
  for (int i = 0; i < 20000; i++) {
    add(quarter_turns(scalbn(jt_random_in(&rng, 1.0, 2.0), jt_random_below(&rng, 1022))));
  }
}

static void sine_and_cosine(void **state)
{
  (void)state;
  start();
  add_angles();
  add_huge_angles();
  CHECK1(sin, sinq);
  CHECK1(cos, cosq);
}

static void sine_and_cosine_near(void **state)
{
  (void)state;
  start();
  add_angles();
  for (int i = 1; i <= 63661; i++) {  // all multiples of pi/2 of the domain
    double x = quarter_turns(i);
    add(x);
    add(-step(x, i % 2 ? 1 : -1));
  }
  int n = 0;
  for (int i = 0; i < count; i++) {
    if (fabs(xs[i]) <= 1e5 || !isfinite(xs[i])) xs[n++] = xs[i];
  }
  count = n;
  CHECK1(sincos_near_sin, sinq);
  CHECK1(sincos_near_cos, cosq);
}

static void tangent(void **state)
{
  (void)state;
  start();
  add_angles();
  add_huge_angles();
  CHECK1(tan, tanq);
}

// ---- inverses

static void arc_sine_and_cosine(void **state)
{
  (void)state;
  start();
  add_specials();
  add_bits(2000);
  add_in(100000, -1.0, 1.0);
  add_log(20000, -1074, 0);
  add_around(0.5);
  add_around(1.0);
  for (int i = 0; i < 50000; i++) add(any_sign(1.0 - fabs(any_log(-53, -1))));
  CHECK1(asin, asinq);
  CHECK1(acos, acosq);
}

static void arc_tangent(void **state)
{
  (void)state;
  start();
  add_specials();
  add_bits(50000);
  add_in(100000, -4.0, 4.0);
  add_log(50000, -30, 60);
  add_around(1.0);
  CHECK1(atan, atanq);
}

static void arc_tangent_of_two(void **state)
{
  (void)state;
  start();
  add_specials2();
  for (int i = 0; i < 50000; i++) add2(any_bits(), any_bits());
  for (int i = 0; i < 100000; i++) {
    add2(jt_random_in(&rng, -1.0, 1.0), jt_random_in(&rng, -1.0, 1.0));
  }
  for (int i = 0; i < 50000; i++) {  // ratios near 1, over all magnitudes
    double x = any_log(-1073, 1023);
    add2(any_sign(x * jt_random_in(&rng, 0.9, 1.1)), x);
  }
  for (int i = 0; i < 50000; i++) add2(any_log(-1074, -900), any_log(-1074, 200));
  CHECK2(atan2, atan2q);
}

// ---- exponential, logarithm, power, hyperbolic tangent

static void exponential(void **state)
{
  (void)state;
  start();
  add_specials();
  add_bits(20000);
  add_in(100000, -746.0, 710.0);
  add_in(100000, -1.5, 1.5);
  add_in(40000, -746.0, -708.0);  // denormal results
  add_log(30000, -1074, 10);
  for (int n = -1080; n <= 1030; n++) {  // either side of a change of n
    double x = (n + 0.5) * 0x1.62e42fefa39efp-1;
    add(x);
    add(step(x, 1));
    add(step(x, -1));
  }
  add_around(0x1.62e42fefa39efp+9);  // overflow
  add_around(0x1.6232bdd7abcd2p+9);  // the smallest normal
  add_around(0x1.74910d52d3051p+9);  // half the smallest denormal
  CHECK1(exp, expq);
  add_in(60000, -0.4, 0.4);
  add_in(20000, -60.0, -30.0);
  CHECK1(expm1, expm1q);
}

static void logarithm(void **state)
{
  (void)state;
  start();
  add_specials();
  add_bits(80000);
  for (int i = 0; i < 100000; i++) add(jt_random_in(&rng, 0.0, 4.0));
  for (int i = 0; i < 50000; i++) add(1.0 + any_log(-53, -1));
  for (int i = 0; i < 30000; i++) add(fabs(any_log(-1074, -1000)));
  for (int e = -1074; e < 1024; e++) {
    add(scalbn(1.0, e));
    add(scalbn(0x1.6a09e667f3bcdp-1, e));
    add(scalbn(0x1.6a09e667f3bccp-1, e));
  }
  add_around(1.0);
  CHECK1(log, logq);
}

static void logarithm_of_1_plus_x(void **state)
{
  (void)state;
  start();
  add_specials();
  add_bits(40000);
  add_in(100000, -1.0, 2.0);
  add_log(100000, -60, 60);
  for (int i = 0; i < 50000; i++) add(-1.0 + fabs(any_log(-53, -1)));
  for (int e = -53; e < 1024; e++) {
    add(scalbn(0x1.6a09e667f3bcdp-1, e) - 1.0);
    add(scalbn(0x1.6a09e667f3bccp-1, e) - 1.0);
  }
  add_around(1.0);
  CHECK1(log1p, log1pq);
}

static __float128 power(__float128 x, __float128 y)
{
  // libquadmath gives NaN for some of C's ones
  return y == 0.0Q || x == 1.0Q ? 1.0Q : powq(x, y);
}

static void powers(void **state)
{
  (void)state;
  start();
  add_specials2();
  for (int i = 0; i < 20000; i++) add2(any_bits(), any_bits());
  for (int i = 0; i < 60000; i++) {  // results over the whole range, and a little beyond
    double x = fabs(any_log(-1074, 1024));
    add2(x, jt_random_in(&rng, -750.0, 715.0) / log(x));
  }
  for (int i = 0; i < 60000; i++) {  // bases near 1, large exponents
    double x = 1.0 + any_log(-52, -1);
    add2(x, jt_random_in(&rng, -750.0, 715.0) / log(x));
  }
  for (int i = 0; i < 40000; i++) {  // around the ends of the range
    double x = fabs(any_log(-3, 4)), at[3] = {709.782712893384, -708.3964185322641, -745.13};
    add2(x, (at[i % 3] + jt_random_in(&rng, -0.5, 0.5)) / log(x));
  }
  for (int i = 0; i < 40000; i++)
    add2(jt_random_in(&rng, 0.0, 10.0), jt_random_in(&rng, -5.0, 5.0));
  for (int i = 0; i < 20000; i++)
    add2(jt_random_in(&rng, -10.0, 0.0), jt_random_below(&rng, 601) - 300);
  CHECK2(pow, power);
}

static void hyperbolic_tangent(void **state)
{
  (void)state;
  start();
  add_specials();
  add_bits(20000);
  add_in(150000, -23.0, 23.0);
  add_in(100000, -1.0, 1.0);
  add_log(50000, -1074, 6);
  CHECK1(tanh, tanhq);
}

// ---- Annex F, written out, so that nothing rests on the reference alone

typedef struct row {
  double x, y, want;
} row;

static void expect(int f, const char *name, const row *rows, int n)
{
  for (int fused = 0; fused < 2; fused++) {
    const jt_rmath_build *b = jt_rmath_find(fused);
    for (int i = 0; b && i < n; i++) {
      double x[4], y[4], got[4];
      for (int k = 0; k < 4; k++) {
        x[k] = rows[i].x;
        y[k] = rows[i].y;
      }
      b->run[f](x, y, got, 4);
      double want = rows[i].want;
      int same = isnan(want) ? isnan(got[3]) : !memcmp(&want, &got[3], sizeof want);
      if (!same) {
        fail_msg("%s(%g, %g) = %a, not %a (%s)", name, x[0], y[0], got[3], want, b->label);
      }
    }
  }
}

#define EXPECT(f, ...)                                          \
  do {                                                          \
    static const row rows[] = {__VA_ARGS__};                    \
    expect(JT_RMATH_##f, #f, rows, sizeof rows / sizeof *rows); \
  } while (0)

#define INF INFINITY
#define PI  0x1.921fb54442d18p+1

static void special_values_of_one_argument(void **state)
{
  (void)state;
  EXPECT(sin, {0, 0, 0}, {-0.0, 0, -0.0}, {INF, 0, NAN}, {-INF, 0, NAN}, {NAN, 0, NAN});
  EXPECT(cos, {0, 0, 1}, {-0.0, 0, 1}, {INF, 0, NAN}, {-INF, 0, NAN}, {NAN, 0, NAN});
  EXPECT(sincos_near_sin, {0, 0, 0}, {-0.0, 0, -0.0}, {INF, 0, NAN}, {NAN, 0, NAN});
  EXPECT(sincos_near_cos, {0, 0, 1}, {-0.0, 0, 1}, {INF, 0, NAN}, {NAN, 0, NAN});
  EXPECT(tan, {0, 0, 0}, {-0.0, 0, -0.0}, {INF, 0, NAN}, {-INF, 0, NAN}, {NAN, 0, NAN});
  EXPECT(asin, {0, 0, 0}, {-0.0, 0, -0.0}, {1, 0, PI / 2}, {-1, 0, -PI / 2},
         {1 + DBL_EPSILON, 0, NAN}, {-INF, 0, NAN}, {NAN, 0, NAN});
  EXPECT(acos, {1, 0, 0}, {-1, 0, PI}, {0, 0, PI / 2}, {-0.0, 0, PI / 2},
         {-1 - DBL_EPSILON, 0, NAN}, {INF, 0, NAN}, {NAN, 0, NAN});
  EXPECT(atan, {0, 0, 0}, {-0.0, 0, -0.0}, {INF, 0, PI / 2}, {-INF, 0, -PI / 2}, {NAN, 0, NAN});
  EXPECT(exp, {0, 0, 1}, {-0.0, 0, 1}, {INF, 0, INF}, {-INF, 0, 0}, {NAN, 0, NAN}, {710, 0, INF},
         {-746, 0, 0}, {DBL_MAX, 0, INF}, {-DBL_MAX, 0, 0});
  EXPECT(expm1, {0, 0, 0}, {-0.0, 0, -0.0}, {INF, 0, INF}, {-INF, 0, -1}, {NAN, 0, NAN},
         {710, 0, INF}, {-100, 0, -1}, {-DBL_MAX, 0, -1}, {0x1p-1074, 0, 0x1p-1074});
  EXPECT(log, {1, 0, 0}, {0, 0, -INF}, {-0.0, 0, -INF}, {INF, 0, INF}, {-1, 0, NAN},
         {-0x1p-1074, 0, NAN}, {-INF, 0, NAN}, {NAN, 0, NAN});
  EXPECT(log1p, {0, 0, 0}, {-0.0, 0, -0.0}, {-1, 0, -INF}, {INF, 0, INF},
         {-1 - DBL_EPSILON, 0, NAN}, {-INF, 0, NAN}, {NAN, 0, NAN}, {0x1p-1074, 0, 0x1p-1074});
  EXPECT(tanh, {0, 0, 0}, {-0.0, 0, -0.0}, {INF, 0, 1}, {-INF, 0, -1}, {NAN, 0, NAN},
         {0x1p-1074, 0, 0x1p-1074}, {-30, 0, -1});
}

static void special_values_of_atan2(void **state)
{
  (void)state;
  EXPECT(atan2, {0, 0, 0}, {-0.0, 0, -0.0}, {0, -0.0, PI}, {-0.0, -0.0, -PI}, {0, 1, 0},
         {-0.0, 1, -0.0}, {0, -1, PI}, {-0.0, -1, -PI}, {1, 0, PI / 2}, {1, -0.0, PI / 2},
         {-1, 0, -PI / 2}, {-1, -0.0, -PI / 2}, {1, -INF, PI}, {-1, -INF, -PI}, {1, INF, 0},
         {-1, INF, -0.0}, {INF, 1, PI / 2}, {-INF, 1, -PI / 2}, {INF, -1, PI / 2},
         {-INF, -1, -PI / 2}, {INF, INF, PI / 4}, {-INF, INF, -PI / 4}, {INF, -INF, 3 * (PI / 4)},
         {-INF, -INF, -3 * (PI / 4)}, {NAN, 1, NAN}, {1, NAN, NAN}, {NAN, NAN, NAN}, {0, NAN, NAN},
         {NAN, 0, NAN}, {INF, NAN, NAN}, {NAN, INF, NAN});
}

static void special_values_of_pow(void **state)
{
  (void)state;
  EXPECT(pow,
         // zeros
         {0, -3, INF}, {-0.0, -3, -INF}, {0, -2, INF}, {-0.0, -2, INF}, {-0.0, -2.5, INF},
         {0, -INF, INF}, {-0.0, -INF, INF}, {0, 3, 0}, {-0.0, 3, -0.0}, {-0.0, 2, 0},
         {-0.0, 2.5, 0}, {0, INF, 0}, {-0.0, INF, 0},
         // ones
         {-1, INF, 1}, {-1, -INF, 1}, {1, NAN, 1}, {1, INF, 1}, {1, 0, 1}, {NAN, 0, 1},
         {NAN, -0.0, 1}, {INF, 0, 1}, {0, 0, 1}, {-1, 3, -1}, {-1, 4, 1}, {-1, 0x1p53 - 1, -1},
         {-1, 0x1p53, 1},
         // no real value
         {-1, 0.5, NAN}, {-2, -1.5, NAN}, {-0x1p-1074, 0x1p-1074, NAN},
         // infinities
         {0.5, -INF, INF}, {-0.5, -INF, INF}, {2, -INF, 0}, {-2, -INF, 0}, {0.5, INF, 0},
         {2, INF, INF}, {-INF, -3, -0.0}, {-INF, -2, 0}, {-INF, -2.5, 0}, {-INF, 3, -INF},
         {-INF, 2, INF}, {-INF, 2.5, INF}, {INF, -1, 0}, {INF, 1, INF}, {-INF, -INF, 0},
         {-INF, INF, INF}, {1 - DBL_EPSILON / 2, INF, 0}, {1 + DBL_EPSILON, DBL_MAX, INF},
         // NaN
         {NAN, 1, NAN}, {2, NAN, NAN}, {NAN, NAN, NAN}, {-1, NAN, NAN}, {0, NAN, NAN},
         {INF, NAN, NAN}, {NAN, INF, NAN},
         // over- and underflow keep the sign
         {-2, 1025, -INF}, {-2, -1077, -0.0}, {-2, 1024, INF}, {2, 0x1p-1074, 1});
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sine_and_cosine),
      cmocka_unit_test(sine_and_cosine_near),
      cmocka_unit_test(tangent),
      cmocka_unit_test(arc_sine_and_cosine),
      cmocka_unit_test(arc_tangent),
      cmocka_unit_test(arc_tangent_of_two),
      cmocka_unit_test(exponential),
      cmocka_unit_test(logarithm),
      cmocka_unit_test(logarithm_of_1_plus_x),
      cmocka_unit_test(powers),
      cmocka_unit_test(hyperbolic_tangent),
      cmocka_unit_test(special_values_of_one_argument),
      cmocka_unit_test(special_values_of_atan2),
      cmocka_unit_test(special_values_of_pow),
  };
  return cmocka_run_group_tests_name("rmath_accuracy", tests, NULL, NULL);
}
