// The laws of names.h: a table that finds what was put in, and the nearest of several names.
#include "spec/names.h"

#include <stdlib.h>
#include <string.h>

#include "harness.h"

static void every_name_is_found_again(void **state)
{
  (void)state;
  enum { MANY = 5000 };
  static char name[MANY][24];
  jn_names t;
  assert_true(jn_names_init(&t, MANY));
  for (int i = 0; i < MANY; i++) {
    snprintf(name[i], sizeof name[i], "body_%d", i);
    assert_int_equal(jn_names_find(&t, name[i], strlen(name[i])), -1);
    assert_int_equal(jn_names_add(&t, name[i], strlen(name[i]), 2 * i), -1);
    assert_int_equal(t.count, i + 1);
  }
  for (int i = 0; i < MANY; i++) {
    char copy[16];
    strcpy(copy, name[i]);  // by content, not by address
    assert_int_equal(jn_names_find(&t, copy, strlen(copy)), 2 * i);
  }
  assert_int_equal(jn_names_find(&t, "body_5000", 9), -1);
  jn_names_free(&t);
}

static void a_name_that_is_there_keeps_its_number(void **state)
{
  (void)state;
  jn_names t;
  assert_true(jn_names_init(&t, 4));
  assert_int_equal(jn_names_add(&t, "rack", 4, 7), -1);
  assert_int_equal(jn_names_add(&t, "rack", 4, 9), 7);
  assert_int_equal(jn_names_find(&t, "rack", 4), 7);
  assert_int_equal(t.count, 1);
  jn_names_free(&t);
}

// A name is its bytes: neither a prefix nor a longer one is the same, and case counts.
static void names_are_equal_in_every_byte(void **state)
{
  (void)state;
  jn_names t;
  assert_true(jn_names_init(&t, 8));
  jn_names_add(&t, "lca_fl", 6, 1);
  jn_names_add(&t, "lca_fl", 5, 2);  // "lca_f"
  jn_names_add(&t, "", 0, 3);
  jn_names_add(&t, "a\0b", 3, 4);
  assert_int_equal(jn_names_find(&t, "lca_fl", 6), 1);
  assert_int_equal(jn_names_find(&t, "lca_f", 5), 2);
  assert_int_equal(jn_names_find(&t, "lca_fr", 6), -1);
  assert_int_equal(jn_names_find(&t, "lca_fl_", 7), -1);
  assert_int_equal(jn_names_find(&t, "LCA_fl", 6), -1);
  assert_int_equal(jn_names_find(&t, "", 0), 3);
  assert_int_equal(jn_names_find(&t, "a\0b", 3), 4);
  assert_int_equal(jn_names_find(&t, "a\0c", 3), -1);
  assert_int_equal(jn_names_find(&t, "a", 1), -1);
  jn_names_free(&t);
}

static void empty_table_finds_nothing_and_is_freed_twice(void **state)
{
  (void)state;
  jn_names t = {0};
  assert_int_equal(jn_names_find(&t, "x", 1), -1);
  jn_names_free(&t);
  assert_true(jn_names_init(&t, 0));
  assert_int_equal(jn_names_find(&t, "x", 1), -1);
  assert_int_equal(jn_names_add(&t, "x", 1, 5), -1);
  assert_int_equal(jn_names_find(&t, "x", 1), 5);
  jn_names_free(&t);
  jn_names_free(&t);
  assert_int_equal(jn_names_find(&t, "x", 1), -1);
}

// Names of one length that differ in one place only, as the corners of a car do.
static void names_that_are_much_alike_are_distinguished(void **state)
{
  (void)state;
  static char name[26 * 26 * 10][8];
  jn_names t;
  int n = 0;
  assert_true(jn_names_init(&t, 26 * 26 * 10));
  for (int i = 0; i < 26; i++)
    for (int k = 0; k < 26; k++)
      for (int d = 0; d < 10; d++, n++) {
        snprintf(name[n], sizeof name[n], "x%c%c_%c", 'a' + i, 'a' + k, '0' + d);
        assert_int_equal(jn_names_add(&t, name[n], strlen(name[n]), n), -1);
      }
  for (int i = 0; i < n; i++) assert_int_equal(jn_names_find(&t, name[i], strlen(name[i])), i);
  jn_names_free(&t);
}

// ---- the nearest name ---------------------------------------------------------------------------

static const char *nearest(const char *wanted, const char *const *candidate, int n)
{
  jn_nearest near = jn_nearest_to(wanted);
  for (int i = 0; i < n; i++) jn_nearest_try(&near, candidate[i]);
  return near.best;
}

static void nearest_name_is_the_one_with_the_fewest_changes(void **state)
{
  (void)state;
  static const char *const word[] = {"spherical", "spherical-revolute", "translational",
                                     "revolute",  "cylindrical",        "universal"};
  static const struct {
    const char *wanted, *best;
  } slip[] = {
      {"sperical", "spherical"},    // one left out
      {"sphericall", "spherical"},  // one too many
      {"spherycal", "spherical"},   // one wrong
      {"spherical_revolute", "spherical-revolute"},
      {"translationl", "translational"},
      {"Revolute", "revolute"},
      {"revoulte", "revolute"},  // two swapped: two changes
      {"cilindricall", "cylindrical"},
      {"prismatic", NULL},  // not meant
      {"x", NULL},
      {"", NULL},
  };
  for (size_t i = 0; i < sizeof slip / sizeof *slip; i++) {
    const char *best = nearest(slip[i].wanted, word, 6);
    if (!slip[i].best) {
      if (best) fail_msg("\"%s\" is taken for \"%s\"", slip[i].wanted, best);
    } else {
      assert_non_null(best);
      assert_string_equal(best, slip[i].best);
    }
  }
}

// Edit distance by its definition: the least of three shorter ones.
static int changes(const char *a, const char *b)
{
  if (!*a) return (int)strlen(b);
  if (!*b) return (int)strlen(a);
  int drop = changes(a + 1, b) + 1, add = changes(a, b + 1) + 1;
  int keep = changes(a + 1, b + 1) + (*a != *b), least = drop < add ? drop : add;
  return keep < least ? keep : least;
}

static void nearest_of_random_names_is_that_of_the_definition(void **state)
{
  (void)state;
  jt_random r = {52};
  for (int round = 0; round < 300; round++) {
    char word[6][8];
    const char *candidate[5], *best = NULL;
    for (int i = 0; i < 6; i++) {
      int n = 1 + jt_random_below(&r, 6);
      for (int k = 0; k < n; k++) word[i][k] = (char)('a' + jt_random_below(&r, 3));
      word[i][n] = 0;
      if (i < 5) candidate[i] = word[i];
    }
    int limit = 1 + (int)strlen(word[5]) / 3, least = limit + 1;
    bool there = false;  // then nobody asks
    for (int i = 0; i < 5; i++) {
      int d = changes(word[5], candidate[i]);
      there |= d == 0;
      if (d < least) least = d, best = candidate[i];  // the first of equals
    }
    if (there) continue;
    const char *found = nearest(word[5], candidate, 5);
    assert_int_equal(found != NULL, best != NULL);
    if (best) assert_int_equal(changes(word[5], found), least);
  }
}

static void long_names_are_compared_without_harm(void **state)
{
  (void)state;
  char name[200], other[200];
  for (int n = 60; n < 70; n++) {
    memset(name, 'x', sizeof name);
    name[n] = 0;
    strcpy(other, name);
    other[n / 2] = 'y';
    jn_nearest near = jn_nearest_to(name);
    jn_nearest_try(&near, other);
    jn_nearest_try(&near, "short");
    if (n <= 63) assert_ptr_equal(near.best, other);  // the longest that an element may have
    if (near.best) assert_ptr_equal(near.best, other);
  }
  memset(other, 'x', sizeof other - 1);
  other[sizeof other - 1] = 0;
  jn_nearest near = jn_nearest_to("xxxx");
  jn_nearest_try(&near, other);
  assert_null(near.best);
}

// * takes in any characters: of all parts of a name that it may stand for, the best is what counts.
static void nearest_to_a_pattern_lets_stars_stand_for_anything(void **state)
{
  (void)state;
  static const struct {
    const char *pattern, *best;
  } k[] = {{"chasis.*", "chassis.x"},
           {"*.fzz", "wheel.fl.fz"},
           {"wheel.*.fy", "wheel.fl.fz"},
           {"whel.*.fz", "wheel.fl.fz"},
           {"q*", NULL},
           {"*", NULL},
           {"abcdef*", NULL},
           {"chassis*y", "chassis.x"}};
  for (size_t i = 0; i < sizeof k / sizeof *k; i++) {
    jn_nearest near = jn_nearest_to_pattern(k[i].pattern);
    jn_nearest_try(&near, "wheel.fl.fz");
    jn_nearest_try(&near, "chassis.x");
    if (k[i].best)
      assert_string_equal(near.best, k[i].best);
    else
      assert_null(near.best);
  }
}

static void hint_names_the_nearest_or_says_nothing(void **state)
{
  (void)state;
  char out[64];
  jn_nearest near = jn_nearest_to("chasis");
  assert_ptr_equal(jn_nearest_text(&near, out, sizeof out), out);
  assert_string_equal(out, "");
  jn_nearest_try(&near, "rack");
  assert_string_equal(jn_nearest_text(&near, out, sizeof out), "");
  jn_nearest_try(&near, "chassis");
  assert_string_equal(jn_nearest_text(&near, out, sizeof out), ", did you mean \"chassis\"?");
  char small[12];
  jn_nearest_text(&near, small, sizeof small);
  assert_int_equal(strlen(small), sizeof small - 1);  // cut off, not overrun
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_name_is_found_again),
      cmocka_unit_test(a_name_that_is_there_keeps_its_number),
      cmocka_unit_test(names_are_equal_in_every_byte),
      cmocka_unit_test(empty_table_finds_nothing_and_is_freed_twice),
      cmocka_unit_test(names_that_are_much_alike_are_distinguished),
      cmocka_unit_test(nearest_name_is_the_one_with_the_fewest_changes),
      cmocka_unit_test(nearest_of_random_names_is_that_of_the_definition),
      cmocka_unit_test(long_names_are_compared_without_harm),
      cmocka_unit_test(nearest_to_a_pattern_lets_stars_stand_for_anything),
      cmocka_unit_test(hint_names_the_nearest_or_says_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
