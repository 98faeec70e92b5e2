// The engine gives the same bits however it is built: without and with optimisation, by gcc and by
// clang. BITS_PROGRAMS are builds of bits.c, parted by commas.
#include <string.h>

#include "harness.h"

enum { MOST = 1 << 16 };

static void output_of(const char *program, char *text)
{
  FILE *in = popen(program, "r");
  assert_non_null(in);
  size_t n = fread(text, 1, MOST - 1, in);
  text[n] = '\0';
  assert_int_equal(pclose(in), 0);
}

static void bits_do_not_depend_on_the_build(void **state)
{
  (void)state;
  static char list[] = BITS_PROGRAMS, expected[MOST], found[MOST];
  const char *first = strtok(list, ",");
  int n = 1;
  output_of(first, expected);
  for (const char *p; (p = strtok(NULL, ",")); n++) {
    output_of(p, found);
    const char *a = expected, *b = found;
    while (*a && *a == *b) a++, b++;
    while (a > expected && a[-1] != '\n') a--;
    if (strcmp(expected, found)) fail_msg("%s differs from %s at\n%.100s", p, first, a);
  }
  print_message("%d builds\n%s", n, expected);
  assert_true(n >= 2);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(bits_do_not_depend_on_the_build)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
