// Numbers of a record read back exactly and are short; quantiles of times are right to a percent.
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "report/record.h"

static jn_powers power;

static const char *text_of(double x)
{
  static char text[JN_NUMBER_ROOM + 1];
  int n = jn_number_text(&power, x, text);
  assert_true(n > 0 && n < JN_NUMBER_ROOM);
  text[n] = 0;
  return text;
}

static double double_of(uint64_t bits)
{
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

// Digits of the shortest of %.15g, %.16g, %.17g that reads back.
static int digits_needed(double x)
{
  char text[40];
  for (int n = 15; n < 17; n++) {
    snprintf(text, sizeof text, "%.*g", n, x);
    if (strtod(text, NULL) == x) return n;
  }
  return 17;
}

static int digits_in(const char *text)
{
  int n = 0, zeros = 0;
  for (; *text && *text != 'e'; text++) {
    if (*text < '0' || *text > '9' || (n == 0 && *text == '0')) continue;
    zeros = *text == '0' ? zeros + 1 : 0;
    n++;
  }
  return n - zeros;
}

static void any_number_reads_back_as_itself(void **state)
{
  (void)state;
  jt_random r = {1};
  for (int i = 0; i < 2000000; i++) {
    double x = double_of(jt_random_bits(&r));
    if (isnan(x)) continue;
    const char *text = text_of(x);
    if (strtod(text, NULL) == x) continue;
    print_error("%.17g is written %s\n", x, text);
    fail();
  }
}

static void numbers_at_the_edges_read_back(void **state)
{
  (void)state;
  int n = 0;
  for (int e = -1074; e <= 1023; e++)  // powers of two and their neighbours
    for (int k = -2; k <= 2; k++) {
      double x = ldexp(1.0, e);
      uint64_t bits;
      memcpy(&bits, &x, sizeof bits);
      if (k < 0 && bits < (uint64_t)-k) continue;
      x = double_of(bits + (uint64_t)(int64_t)k);
      if (x == 0.0) continue;
      if (strtod(text_of(x), NULL) != x) print_error("%.17g: %s\n", x, text_of(x)), n++;
    }
  for (int e = -323; e <= 308; e++) {  // powers of ten and their neighbours
    char text[16];
    snprintf(text, sizeof text, "1e%d", e);
    const double p = strtod(text, NULL);
    const double near[] = {p, nextafter(p, 0.0), nextafter(p, INFINITY)};
    for (int k = 0; k < 3; k++)
      if (near[k] != 0.0 && strtod(text_of(near[k]), NULL) != near[k])
        print_error("%.17g: %s\n", near[k], text_of(near[k])), n++;
  }
  assert_int_equal(n, 0);
}

static void numbers_are_as_short_as_they_can_be(void **state)
{
  (void)state;
  jt_random r = {2};
  int longer = 0;
  const int most = 200000;
  for (int i = 0; i < most; i++) {
    const double x = jt_random_in(&r, -1.0, 1.0) * exp(jt_random_in(&r, -30.0, 30.0));
    longer += digits_in(text_of(x)) > digits_needed(x);
  }
  assert_int_equal(longer, 0);
  for (int i = 0; i < 100000; i++) {
    char text[40];
    const double x = i * 1e-3;
    snprintf(text, sizeof text, "%.15g", x);
    if (strtod(text, NULL) == x) assert_string_equal(text_of(x), text);
  }
}

// Digit by digit what printf writes with as few digits as read back. Larger ones often lie half way between two decimals,
// which printf rounds to the even one.
static void numbers_have_the_digits_of_printf(void **state)
{
  (void)state;
  jt_random r = {3};
  for (int i = 0; i < 500000; i++) {
    char text[40];
    const double x = jt_random_in(&r, -1.0, 1.0) * exp(jt_random_in(&r, -8.0, 14.0));
    if (fabs(x) < 1e-4) continue;  // where %g has an exponent
    snprintf(text, sizeof text, "%.*g", digits_needed(x), x);
    assert_string_equal(text_of(x), text);
  }
}

// Nothing is written behind the room of a number, however long it is.
static void numbers_keep_to_their_room(void **state)
{
  (void)state;
  jt_random r = {4};
  for (int i = 0; i < 200000; i++) {
    char text[JN_NUMBER_ROOM + 8];
    memset(text, '#', sizeof text);
    jn_number_text(&power, -double_of(jt_random_bits(&r)), text);
    jn_number_text(&power, -jt_random_in(&r, 1.0, 10.0) * pow(10.0, i % 40 - 20), text);
    for (int k = JN_NUMBER_ROOM; k < JN_NUMBER_ROOM + 8; k++) assert_int_equal(text[k], '#');
  }
}

static void familiar_numbers_look_familiar(void **state)
{
  (void)state;
  static const struct {
    double x;
    const char *text;
  } list[] = {{0.0, "0"},
              {-0.0, "-0"},
              {1.0, "1"},
              {-1.5, "-1.5"},
              {0.1, "0.1"},
              {0.001, "0.001"},
              {1e-5, "0.00001"},
              {1e-6, "1e-06"},
              {100.0, "100"},
              {1e16, "10000000000000000"},
              {1e17, "1e+17"},
              {1e22, "1e+22"},
              {1e100, "1e+100"},
              {9.81, "9.81"},
              {-9.81e-7, "-9.81e-07"},
              {1e-300, "1e-300"},
              {123456.789, "123456.789"},
              {INFINITY, "inf"},
              {-INFINITY, "-inf"},
              {NAN, "nan"},
              {0.3, "0.3"},
              {0.1 + 0.2, "0.30000000000000004"}};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    assert_string_equal(text_of(list[i].x), list[i].text);
}

static void quantiles_are_right_to_a_percent(void **state)
{
  (void)state;
  static jn_times t;
  const int n = 100000;
  assert_true(isnan(jn_times_quantile(&t, 0.5)));
  for (int i = 1; i <= n; i++) jn_times_add(&t, (uint64_t)i * 17);
  JT_NEAR(jn_times_quantile(&t, 0.5), 17.0 * 0.5 * n, 0.01 * 17.0 * 0.5 * n);
  JT_NEAR(jn_times_quantile(&t, 0.99), 17.0 * 0.99 * n, 0.01 * 17.0 * 0.99 * n);
  JT_NEAR(jn_times_quantile(&t, 1.0), 17.0 * n, 0.01 * 17.0 * n);
  assert_int_equal(t.max, 17 * n);
  static jn_times one;
  jn_times_add(&one, 0);
  jn_times_add(&one, UINT64_MAX);
  JT_NEAR(jn_times_quantile(&one, 0.5), 0.0, 0.0);
  JT_NEAR(jn_times_quantile(&one, 1.0), 0x1p64, 0x1p58);
}

static int begin(void **state)
{
  (void)state;
  jn_powers_init(&power);
  return 0;
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_number_reads_back_as_itself),
      cmocka_unit_test(numbers_at_the_edges_read_back),
      cmocka_unit_test(numbers_are_as_short_as_they_can_be),
      cmocka_unit_test(numbers_have_the_digits_of_printf),
      cmocka_unit_test(numbers_keep_to_their_room),
      cmocka_unit_test(familiar_numbers_look_familiar),
      cmocka_unit_test(quantiles_are_right_to_a_percent),
  };
  return cmocka_run_group_tests(tests, begin, NULL);
}
