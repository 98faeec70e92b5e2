#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static const jn_command commands[] = {
    {"run", "MODEL [SCENARIO] [--end T] [--step H] [--out DIR] [--format F] [--json] ...",
     "simulate a model, record its channels", jn_help_run, jn_cmd_run},
    {"check", "MODEL [SCENARIO] [--diagram [FILE]] [--expand] [--channels] [--json] ...",
     "is it right? what is in it? report or draw a model, with a scenario", jn_help_check,
     jn_cmd_check},
    {"equilibrium", "MODEL [SCENARIO] [--design] [--without-tyres] [--json] ...",
     "static balance: positions, spring forces, reactions; neutral directions are held",
     jn_help_equilibrium, jn_cmd_equilibrium},
    {"topology", "MODEL [--cut J] [--base B] [--trees] [--dot] [--json] [--set PATH=VALUE]",
     "spanning tree, cut joints, loops, subsystems, redundancy", jn_help_topology, jn_cmd_topology},
    {"plot", "RESULT [--out FILE]", "a report for the browser: plots, the mechanism moving in 3-D",
     jn_help_plot, jn_cmd_plot},
    {"tyre", "FILE [--compare OTHER] [--tyre NAME] [--at POINTS] [--out FILE] [--json] ...",
     "a tyre alone: its figures, a report of its curves, its forces at given points", jn_help_tyre,
     jn_cmd_tyre},
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
  printf("\n  jounce help COMMAND explains a command; jounce --version names the version.\n");
}

static void print_command(const jn_command *c)
{
  printf("jounce %s %s\n%s\n\n%s", c->name, c->arguments, c->summary, c->help);
}

static const jn_command *find_command(const char *name)
{
  for (int i = 0; i < NCOMMAND; i++)
    if (!strcmp(name, commands[i].name)) return &commands[i];
  return NULL;
}

static int no_command(const char *name)
{
  const char *names[NCOMMAND];
  char all[160] = "";
  for (int i = 0; i < NCOMMAND; i++) {
    names[i] = commands[i].name;
    strcat(strcat(all, i ? ", " : ""), names[i]);
  }
  const char *near = jn_nearest_word(name, names, NCOMMAND);
  return near ? jn_cli_misuse("", "there is no command \"%s\", did you mean \"%s\"?", name, near)
              : jn_cli_misuse("", "there is no command \"%s\"; expected %s", name, all);
}

static bool asks_for_help(const char *word)
{
  return !strcmp(word, "--help") || !strcmp(word, "-h");
}

// `jounce help`, `jounce help COMMAND`
static int help(int argc, char **argv)
{
  if (argc > 3) return jn_cli_misuse("", "help takes one command, found \"%s\" too", argv[3]);
  const jn_command *c = argc == 3 ? find_command(argv[2]) : NULL;
  if (argc == 3 && !c && !asks_for_help(argv[2]) && strcmp(argv[2], "help"))
    return no_command(argv[2]);
  if (c)
    print_command(c);
  else
    print_help();
  return jn_cli_finish();
}

int main(int argc, char **argv)
{
  if (argc < 2) {
    print_help();
    return JN_EXIT_WRONG;
  }
  if (asks_for_help(argv[1]) || !strcmp(argv[1], "help")) return help(argc, argv);
  if (!strcmp(argv[1], "--version")) {
    printf("jounce %s\n", jn_version());
    return jn_cli_finish();
  }
  const jn_command *c = find_command(argv[1]);
  if (!c) return no_command(argv[1]);
  for (int i = 2; i < argc; i++)
    if (asks_for_help(argv[i])) {
      print_command(c);
      return jn_cli_finish();
    }
  return c->run(argc - 1, argv + 1);
}
