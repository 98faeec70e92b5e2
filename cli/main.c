#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static const jn_command commands[] = {
    {"run", "MODEL [SCENARIO] [--end T] [--step H] [--out DIR] [--format F] [--json] ...",
     "simulate a model, record its channels", jn_help_run, jn_cmd_run},
    {"check", "MODEL [--expand] [--channels] [--json] [--set PATH=VALUE]",
     "read and compile a model, report what is in it", jn_help_check, jn_cmd_check},
    {"equilibrium", "MODEL [SCENARIO] [--design] [--without-tyres] [--json] ...",
     "static balance: positions, spring forces, reactions; neutral directions are held",
     jn_help_equilibrium, jn_cmd_equilibrium},
    {"topology", "MODEL [--cut J] [--base B] [--trees] [--dot] [--json] [--set PATH=VALUE]",
     "spanning tree, cut joints, loops, subsystems, redundancy", jn_help_topology, jn_cmd_topology},
    {"plot", "RESULT [--out FILE]", "a page for the browser: plots, the mechanism moving in 3-D",
     jn_help_plot, jn_cmd_plot},
    {"tyre", "FILE [--compare OTHER] [--tyre NAME] [--at POINTS] [--out FILE] [--json] ...",
     "a tyre by itself: its figures, its curves as a page, its forces at given points",
     jn_help_tyre, jn_cmd_tyre},
    {"bench", "[--suite S] [--json]", "timings, model by model, formulation by formulation",
     jn_help_bench, jn_cmd_bench},
};
enum { NCOMMAND = sizeof commands / sizeof *commands };

int jn_cli_error(const jn_error *err)
{
  char line[1024];
  fprintf(stderr, "jounce: %s\n", jn_error_line(err, line, sizeof line));
  return err->code == JN_E_MEMORY ? JN_EXIT_FAILED : JN_EXIT_WRONG;
}

int jn_cli_misuse(const char *command, const char *fmt, ...)
{
  va_list args;
  fprintf(stderr, "jounce: ");
  va_start(args, fmt);
  vfprintf(stderr, fmt, args);
  va_end(args);
  fprintf(stderr, " (see jounce %s%s--help)\n", command, command[0] ? " " : "");
  return JN_EXIT_WRONG;
}

const char *jn_cli_value(int argc, char **argv, int *i, const char *name)
{
  size_t n = strlen(name);
  if (strncmp(argv[*i], name, n)) return NULL;
  if (argv[*i][n] == '=') return argv[*i] + n + 1;
  if (argv[*i][n] != 0) return NULL;
  return ++*i < argc ? argv[*i] : "";
}

char *jn_cli_beside(const char *file, const char *ending)
{
  const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
  const char *dot = strrchr(base, '.');
  const int stem = (int)(dot && dot > base ? dot - file : (long)strlen(file));
  const size_t room = (size_t)stem + strlen(ending) + 1;
  char *name = malloc(room);
  if (name) snprintf(name, room, "%.*s%s", stem, file, ending);
  return name;
}

int jn_cli_finish(void)
{
  if (!fflush(stdout) && !ferror(stdout)) return JN_EXIT_DONE;
  fprintf(stderr, "jounce: standard output cannot be written: %s\n", strerror(errno));
  return JN_EXIT_FAILED;
}

static void print_help(void)
{
  printf("jounce %s: real-time multibody vehicle dynamics\n\n", jn_version());
  for (int i = 0; i < NCOMMAND; i++)
    printf("  jounce %-11s %s\n%21s%s\n", commands[i].name, commands[i].arguments, "",
           commands[i].summary);
  printf("\n  jounce COMMAND --help tells more; jounce --version names the version.\n");
}

int main(int argc, char **argv)
{
  if (argc < 2) {
    print_help();
    return JN_EXIT_WRONG;
  }
  if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
    print_help();
    return jn_cli_finish();
  }
  if (!strcmp(argv[1], "--version")) {
    printf("jounce %s\n", jn_version());
    return jn_cli_finish();
  }
  for (int i = 0; i < NCOMMAND; i++) {
    const jn_command *c = &commands[i];
    if (strcmp(argv[1], c->name)) continue;
    for (int k = 2; k < argc; k++)
      if (!strcmp(argv[k], "--help") || !strcmp(argv[k], "-h")) {
        printf("jounce %s %s\n%s\n\n%s", c->name, c->arguments, c->summary, c->help);
        return jn_cli_finish();
      }
    return c->run(argc - 1, argv + 1);
  }
  return jn_cli_misuse("", "there is no command \"%s\"", argv[1]);
}
