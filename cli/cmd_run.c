// cmd_run.c: `jounce run MODEL [SCENARIO]`
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"
#include "jounce/run.h"

#define X(name, word, help) " " word
const char jn_help_run[] =
    "  --end T          end of the run [s]\n"
    "  --step H         length of a step [s]\n"
    "  --formulation F " JN_FORMULATION_LIST(X) "\n"
    "  --integrator I  " JN_INTEGRATOR_LIST(X) "\n"
    "  --stabilize S   " JN_STABILIZE_LIST(X) "\n"
    "  --path P        " JN_PATH_LIST(X) ": how subsystem is computed\n"
    "  --record PATTERN channels to record, * for any characters (may be given several times)\n"
    "  --every T        time from row to row [s]\n"
    "  --out DIR        folder of the record, results if not given; - is CSV on standard output\n"
    "  --name NAME      name of the record; the scenario file's or the model file's if not given\n"
    "  --format F       files of the record: both, csv, hdf5; both if not given\n"
    "  --save FILE      save the state at the end of the run\n"
    "  --from FILE      go on from a saved state, of the same model and solver\n"
    "  --base B         take this body as the base\n"
    "  --cut J          cut this joint (may be given several times)\n"
    "  --set PATH=VALUE override a value of the model (may be given several times)\n"
    "  --without-tyres  leave tyres out\n"
    "  --json           print one JSON object\n"
    "\n"
    "Options override the scenario; without a scenario all inputs are zero and the\n"
    "run ends at 1 s. The record is DIR/NAME.h5, from which jounce makes pictures, and "
    "DIR/NAME.csv\n"
    "for people and spreadsheets; while it grows they are called NAME.unfinished. An older record\n"
    "of that name is replaced at the end; no two runs record under one name at a time. It has\n"
    "every channel but accelerations, reactions, quaternions and rates in own axes, and at\n"
    "most 10,000 rows behind the first, unless asked for; jounce check MODEL --channels lists the "
    "channels.\n"
    "\n"
    "A run that fails names the time and the body, keeps its record, and has exit code 1. One that\n"
    "goes on but is not to be trusted, because energy comes from nowhere or a body is below the\n"
    "road, has exit code 3.\n"
    "Ctrl-C, SIGTERM and SIGHUP end a run at the next step; it keeps its record too, and has exit\n"
    "code 128 + the signal's number: 130, 143, 129.\n";
#undef X

enum { EXIT_SIGNAL = 128 };  // and the number of the signal

typedef struct call {
  jn_cli_input in;
  const char **record;
  jn_run_opts run;
  double step, end;                              // 0: not given
  int formulation, integrator, stabilize, path;  // -1: not given
} call;

// ---- the command line -------------------------------------------------------------------------------

static int read_number(const char *option, const char *value, double *out)
{
  char *behind;
  errno = 0;
  *out = strtod(value, &behind);
  if (*value && !*behind && isfinite(*out) && *out > 0.0 && !errno) return JN_EXIT_DONE;
  return jn_cli_misuse("run", "%s is \"%s\", expected a number above zero, in seconds", option,
                       value);
}

static int read_format(const char *value, jn_record_format *out)
{
  static const char *const word[] = {
      [JN_RECORD_BOTH] = "both", [JN_RECORD_CSV] = "csv", [JN_RECORD_HDF5] = "hdf5"};
  for (int i = 0; i < (int)(sizeof word / sizeof *word); i++) {
    *out = (jn_record_format)i;
    if (!strcmp(value, word[i])) return JN_EXIT_DONE;
  }
  return jn_cli_misuse("run", "--format is \"%s\", expected one of both, csv, hdf5", value);
}

static int parse(call *c, int argc, char **argv)
{
  int code = JN_EXIT_DONE;
  for (int i = 1; i < argc && !code; i++) {
    const char *name = argv[i], *value;
    if ((value = jn_cli_value(argc, argv, &i, "--record")))
      c->record[c->run.nrecord++] = value;
    else if ((value = jn_cli_value(argc, argv, &i, "--out")))
      c->run.out = value;
    else if ((value = jn_cli_value(argc, argv, &i, "--name")))
      c->run.name = value;
    else if ((value = jn_cli_value(argc, argv, &i, "--save")))
      c->run.save = value;
    else if ((value = jn_cli_value(argc, argv, &i, "--from")))
      c->run.from = value;
    else if ((value = jn_cli_value(argc, argv, &i, "--format")))
      code = *value ? read_format(value, &c->run.format) : 0;
    else if ((value = jn_cli_value(argc, argv, &i, "--every")))
      code = *value ? read_number("--every", value, &c->run.every) : 0;
    else if ((value = jn_cli_value(argc, argv, &i, "--step")))
      code = *value ? read_number("--step", value, &c->step) : 0;
    else if ((value = jn_cli_value(argc, argv, &i, "--end")))
      code = *value ? read_number("--end", value, &c->end) : 0;
    else if ((value = jn_cli_value(argc, argv, &i, "--formulation")))
      code = *value ? jn_cli_word("run", "formulation", value, &c->formulation) : 0;
    else if ((value = jn_cli_value(argc, argv, &i, "--integrator")))
      code = *value ? jn_cli_word("run", "integrator", value, &c->integrator) : 0;
    else if ((value = jn_cli_value(argc, argv, &i, "--stabilize")))
      code = *value ? jn_cli_word("run", "stabilize", value, &c->stabilize) : 0;
    else if ((value = jn_cli_value(argc, argv, &i, "--path")))
      code = *value ? jn_cli_word("run", "path", value, &c->path) : 0;
    else
      code = jn_cli_input_take(&c->in, "run", argc, argv, &i);
    if (!code) code = jn_cli_has_value("run", name, value);
  }
  if (code) return code;
  if (!c->in.model_file) return jn_cli_misuse("run", "run needs a model");
  if (c->in.json && !strcmp(c->run.out, "-"))
    return jn_cli_misuse("run", "choose one of --json and --out -");
  if (c->run.format == JN_RECORD_HDF5 && !strcmp(c->run.out, "-"))
    return jn_cli_misuse("run",
                         "standard output takes CSV, choose one of --format hdf5 and --out -");
  if (c->run.name && !strcmp(c->run.out, "-"))
    return jn_cli_misuse("run", "choose one of --name and --out -");
  c->run.record = c->record;
  return JN_EXIT_DONE;
}

// What the call says, on top of what the scenario says.
static jn_sim_opts choose(const call *c, const jn_scenario *scenario)
{
  jn_sim_opts o = jn_sim_opts_of(scenario);
  if (c->step > 0.0) o.step = c->step;
  if (c->end > 0.0) o.end = c->end;
  if (c->formulation >= 0) o.formulation = (jn_formulation)c->formulation;
  if (c->integrator >= 0) o.integrator = (jn_integrator)c->integrator;
  if (c->stabilize >= 0) o.stabilize = (jn_stabilize)c->stabilize;
  if (c->path >= 0) o.path = (jn_path)c->path;
  o.without_tyres = c->in.without_tyres;
  return o;
}

// ---- while it runs ------------------------------------------------------------------------------------

static volatile sig_atomic_t interrupted;  // number of the signal; 0: none

static struct timespec interrupted_at;

// The first Ctrl-C ends the run, a second one the program; likewise the request of a supervisor, and the loss of the terminal. Who sends
// it to the program and to its group, as `timeout` does, means one.
static void interrupt(int number)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  const double later = (double)(t.tv_sec - interrupted_at.tv_sec) +
                       1e-9 * (double)(t.tv_nsec - interrupted_at.tv_nsec);
  if (!interrupted) {
    interrupted = number;
    interrupted_at = t;
  } else if (later > 0.5) {
    signal(number, SIG_DFL);
    raise(number);
  }
}

static void watch_signals(void)
{
  static const int number[] = {SIGINT, SIGTERM, SIGHUP, SIGXCPU};
  struct sigaction action = {.sa_handler = interrupt, .sa_flags = (int)SA_RESTART}, was;
  sigemptyset(&action.sa_mask);
  // Who starts it in the background of a script, or by nohup, has it ignore a signal, and means it.
  for (size_t i = 0; i < sizeof number / sizeof *number; i++)
    if (!sigaction(number[i], NULL, &was) && was.sa_handler != SIG_IGN)
      sigaction(number[i], &action, NULL);
}

typedef struct progress {
  int shown, wanted;
  double end, last;
} progress;

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int watch(void *user, double t)
{
  progress *p = user;
  if (interrupted) return 1;
  if (!p->wanted) return 0;
  const double time = now();
  if (time - p->last < 0.1) return 0;
  p->last = time;
  p->shown = 1;
  fprintf(stderr, "\rt = %.6g of %.6g s, %d %%\033[K", t, p->end, (int)(100.0 * t / p->end));
  return 0;
}

// ---- afterwards -----------------------------------------------------------------------------------------

typedef struct recorded {
  char text[PATH_MAX + 100];
} recorded;

static recorded what_is_recorded(const jn_run_result *r)
{
  recorded out = {"nothing was recorded"};
  const char *file = r->hdf5 ? r->hdf5 : r->file;
  char up_to[40] = "";
  if (!file || !r->rows) return out;
  const int lost = r->outcome == JN_RUN_UNRECORDED;
  if (lost && strcmp(file, "-") && access(file, F_OK)) {
    snprintf(out.text, sizeof out.text, "%s was moved or removed while the run went on", file);
    return out;
  }
  if (!lost) snprintf(up_to, sizeof up_to, " up to t = %.9g s", r->time);
  snprintf(out.text, sizeof out.text, "%s has the %s%lld row%s%s",
           strcmp(file, "-") ? file : "standard output", lost ? "first " : "", (long long)r->rows,
           r->rows == 1 ? "" : "s", up_to);
  return out;
}

static int print_failure(const jn_run_result *r)
{
  return jn_cli_fail(JN_EXIT_FAILED, "failed at t = %.9g s: %s%s%s%s; %s", r->error_time,
                     r->error_body ? "body " : "", r->error_body ? r->error_body : "",
                     r->error_body ? ": " : "", r->error, what_is_recorded(r).text);
}

static int print_doubt(const jn_run_result *r)
{
  return jn_cli_fail(JN_EXIT_DOUBTED, "not to be trusted: %s; %s", r->doubt,
                     what_is_recorded(r).text);
}

static int finish(const call *c, const jn_run_result *r)
{
  jn_error err = {0};
  int code = JN_EXIT_DONE;
  if (c->in.json) {
    if (jn_run_show_json(r, stdout, &err) && !r->error[0]) return jn_cli_error(&err);
  } else {
    jn_run_show_text(r, strcmp(c->run.out, "-") ? stdout : stderr);
  }
  if (r->error[0]) return print_failure(r);
  if (r->outcome == JN_RUN_INTERRUPTED) {
    code = EXIT_SIGNAL + (int)interrupted;
    if (r->doubt[0]) print_doubt(r);
  }
  return !code && jn_cli_written() && r->doubt[0] ? print_doubt(r) : code;
}

static int run(call *c, const jn_system *system)
{
  jn_error err = {0};
  jn_run_result result;
  progress p = {.wanted = !c->in.json && isatty(STDERR_FILENO), .last = now()};
  p.end = jn_system_opts(system)->end;
  c->run.watch = watch;
  c->run.user = &p;
  watch_signals();
  jn_status st = jn_run(system, &c->run, &result, &err);
  if (p.shown) fprintf(stderr, "\r\033[K");
  if (st) return jn_cli_error(&err);
  int code = finish(c, &result);
  jn_run_result_free(&result);
  return code;
}

int jn_cmd_run(int argc, char **argv)
{
  const size_t n = (size_t)argc;
  call c = {.record = calloc(n, sizeof *c.record),
            .run = {.out = "results"},
            .formulation = -1,
            .integrator = -1,
            .stabilize = -1,
            .path = -1};
  jn_cli_input *in = &c.in;
  jn_error err = {0};
  int code = jn_cli_input_begin(in, argc);
  if (!code) code = c.record ? parse(&c, argc, argv) : jn_cli_no_memory();
  if (!code) code = jn_cli_input_open(in);
  const jn_sim_opts opts = choose(&c, in->scenario);
  if (!code && jn_system_create(in->model, in->scenario, &opts, &in->system, &err))
    code = jn_cli_error(&err);
  if (!code) code = run(&c, in->system);
  jn_cli_input_end(in);
  free(c.record);
  return code;
}
