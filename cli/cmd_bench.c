// cmd_bench.c: `jounce bench`
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bench/bench.h"
#include "cli.h"

const char jn_help_bench[] =
    "  --suite S        one of compile (from files to plans), functions (elementary functions),\n"
    "                   tyres (four tyres, as laws alone),\n"
    "                   models (a step of every model in every formulation), vehicles (steps of "
    "the\n"
    "                   vehicles, and where they go), additions (a step of a vehicle with what\n"
    "                   users add to it), rows (what rows of channels add to a step), scaling (a\n"
    "                   step of chains of 10 to 10,000 bodies), work (instructions of one step\n"
    "                   each, counted by valgrind)\n"
    "  --path P         list, narrow, general: how subsystem is computed, beside nothing else\n"
    "  --quick          few repeats: rough figures, soon\n"
    "  --markdown       print tables in Markdown\n"
    "  --json           print one JSON object\n"
    "\n"
    "Without a suite: all but work. Times are the fastest of several repeats. It reads models/ "
    "and\n"
    "scenarios/, so it is run from the project's folder.\n";

static int is_suite(const char *name)
{
  for (int i = 0; bench_suite(i); i++)
    if (!strcmp(bench_suite(i), name)) return 1;
  return 0;
}

int jn_cmd_bench(int argc, char **argv)
{
  const char *suite = NULL, *value;
  char self[1024], command[1100];
  bench b = {.command = command};
  // What valgrind runs for the suite `work`.
  if ((argc == 6 || argc == 7) && !strcmp(argv[1], "--steps"))
    return bench_steps(argv[2], argv[3], argv[4], argv[5], argc > 6 ? argv[6] : NULL);
  for (int i = 1; i < argc; i++) {
    if ((value = jn_cli_value(argc, argv, &i, "--suite"))) {
      suite = value;
    } else if ((value = jn_cli_value(argc, argv, &i, "--path"))) {
      if (jn_cli_word("bench", "path", value, &b.path)) return JN_EXIT_WRONG;
    } else if (!strcmp(argv[i], "--json")) {
      b.json = true;
    } else if (!strcmp(argv[i], "--markdown")) {
      b.markdown = true;
    } else if (!strcmp(argv[i], "--quick")) {
      b.quick = true;
    } else {
      return jn_cli_misuse("bench", "bench has no option \"%s\"", argv[i]);
    }
  }
  if (suite && !is_suite(suite))
    return jn_cli_misuse("bench",
                         "there is no suite \"%s\": compile, functions, tyres, models, vehicles, "
                         "additions, rows, scaling, work",
                         suite);
  if (access("models/pendulum.yaml", R_OK))
    return jn_cli_misuse("bench",
                         "there is no models/pendulum.yaml here: run it from the project's folder");
  const long n = readlink("/proc/self/exe", self, sizeof self - 1);
  snprintf(command, sizeof command, "'%.*s' bench", n > 0 ? (int)n : 6, n > 0 ? self : "jounce");
  if (bench_run(&b, suite)) {
    fprintf(stderr, "jounce: the suite could not be measured\n");
    return JN_EXIT_FAILED;
  }
  return JN_EXIT_DONE;
}
