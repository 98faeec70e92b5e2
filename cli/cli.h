// cli.h: what the commands share. Results go to standard output, everything else to standard error.
// Exit: 0 done, 1 the simulation failed, 2 the input or the call is wrong, or memory is exhausted, 130 interrupted.
#ifndef JN_CLI_H
#define JN_CLI_H

#include "jounce/jounce.h"

enum { JN_EXIT_DONE = 0, JN_EXIT_FAILED = 1, JN_EXIT_WRONG = 2, JN_EXIT_DOUBTED = 3 };

typedef struct jn_command {
  const char *name, *arguments, *summary, *help;
  int (*run)(int argc, char **argv);
} jn_command;

// Name, arguments, summary: cmd_NAME.c has the function jn_cmd_NAME and jn_help_NAME, what `jounce help NAME` says beyond that.
#define JN_COMMANDS(X)                                                                           \
  X(run, "MODEL [SCENARIO] [--end T] [--step H] [--out DIR] [--format F] [--json] ...",          \
    "simulate a model, record its channels")                                                     \
  X(check, "MODEL [SCENARIO] [--diagram [FILE]] [--expand] [--channels] [--json] ...",           \
    "is it right? what is in it? report or draw a model, with a scenario")                       \
  X(equilibrium, "MODEL [SCENARIO] [--design] [--without-tyres] [--json] ...",                   \
    "static balance: positions, spring forces, reactions; neutral directions are held")          \
  X(topology, "MODEL [--cut J] [--base B] [--trees] [--dot] [--json] [--set PATH=VALUE]",        \
    "spanning tree, cut joints, loops, subsystems, redundancy")                                  \
  X(plot, "RESULT [--out FILE]", "a report for the browser: plots, the mechanism moving in 3-D") \
  X(tyre, "FILE [--compare OTHER] [--tyre NAME] [--at POINTS] [--out FILE] [--json] ...",        \
    "a tyre alone: its figures, a report of its curves, its forces at given points")             \
  X(bench, "[--suite S] [--json]", "timings, model by model, formulation by formulation")

#define X(name, arguments, summary)         \
  int jn_cmd_##name(int argc, char **argv); \
  extern const char jn_help_##name[];
JN_COMMANDS(X)
#undef X

// Print an error in one line; returns the exit code that goes with it.
int jn_cli_error(const jn_error *err);

// Memory is exhausted: says so; returns JN_EXIT_WRONG.
int jn_cli_no_memory(void);

// Has standard output taken everything so far? If not, the exit code and a line will say so.
int jn_cli_written(void);

// Print what is wrong in one line; returns the code.
int jn_cli_fail(int code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

// A wrong call: says what, points to --help; returns JN_EXIT_WRONG.
int jn_cli_misuse(const char *command, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

// "--name=value" or "--name value": the value, and *i moves on; NULL if argv[*i] is another argument.
// A missing value gives "" and leaves *i behind the end.
const char *jn_cli_value(int argc, char **argv, int *i, const char *name);

// An option that was given an empty value, or none; `value` NULL: it takes none. Returns the exit code.
int jn_cli_has_value(const char *command, const char *name, const char *value);

// The word of an option of jn_sim_word; exit code.
int jn_cli_word(const char *command, const char *which, const char *value, int *out);

// What `run` and `equilibrium` begin with: MODEL [SCENARIO] --set --cut --base --without-tyres --json.
typedef struct jn_cli_input {
  const char *model_file, *scenario_file;
  const char **set, **cut;
  int nset, json, without_tyres;
  jn_compile_opts compile;
  jn_spec *spec;
  jn_model *model;
  jn_scenario *scenario;
  jn_system *system;  // the command's to create
} jn_cli_input;

int jn_cli_input_begin(jn_cli_input *in, int argc);  // exit code
// Take argv[*i], which is none of the command's own; exit code.
int jn_cli_input_take(jn_cli_input *in, const char *command, int argc, char **argv, int *i);
int jn_cli_input_open(jn_cli_input *in);  // read and compile; exit code
void jn_cli_input_end(jn_cli_input *in);

// The file that is read, with `ending` in place of its own. NULL: memory is exhausted. The caller frees it.
char *jn_cli_beside(const char *file, const char *ending);

// Is it the name of a file that a diagram can be written to?
int jn_cli_is_diagram(const char *word);
// A diagram of the system to a file, "-" for standard output; exit code.
int jn_cli_diagram(const jn_system *system, const char *file);

// Writes a JSON object to standard output and frees it; exit code.
struct json_t;
int jn_cli_json(struct json_t *object);

#endif
