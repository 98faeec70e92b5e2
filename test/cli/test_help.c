// Help: of everything, of each command, and that the two ways to ask for it are one.
#include "cli/command.h"

static const char *const commands[] = {"run",  "check", "equilibrium", "topology",
                                       "plot", "tyre",  "bench"};
enum { NCOMMAND = sizeof commands / sizeof *commands };

static jt_run run, other;

static void ask(const char *first, const char *second, jt_run *answer)
{
  const char *const arguments[] = {first, second, NULL};
  jt_command(".", arguments, answer);
  assert_int_equal(answer->code, 0);
  assert_string_equal(answer->err, "");
}

static void help_lists_every_command(void **state)
{
  (void)state;
  ask("help", NULL, &run);
  for (int i = 0; i < NCOMMAND; i++) {
    char line[64];
    snprintf(line, sizeof line, "\n  jounce %s ", commands[i]);
    assert_non_null(strstr(run.out, line));
  }
  ask("--help", NULL, &other);
  assert_string_equal(run.out, other.out);
}

static void help_of_a_command_is_its_own(void **state)
{
  (void)state;
  for (int i = 0; i < NCOMMAND; i++) {
    char begin[64];
    snprintf(begin, sizeof begin, "jounce %s ", commands[i]);
    ask(commands[i], "--help", &run);
    ask("help", commands[i], &other);
    assert_memory_equal(other.out, begin, strlen(begin));
    assert_string_equal(run.out, other.out);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(help_lists_every_command),
      cmocka_unit_test(help_of_a_command_is_its_own),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
