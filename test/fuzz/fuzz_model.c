// fuzz_model.c: any bytes as a model. They are refused with a message, or they are a model; then it
// prints as a text that reads back as the same text, and it compiles or is refused. A small one then
// moves: a few steps, in a way of solving that the bytes choose, which end or are flagged, and the
// same again for another run. Bytes with the word "scenario" are tried as a scenario too; its inputs
// then are functions of time, or are refused, and drive a model made for them.
//
// Input that begins with "#set " has overrides in its first line, with tabs between them.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "components/signal.h"
#include "fuzz/check.h"
#include "fuzz/mutate.h"
#include "jounce/jounce.h"
#include "spec/spec_internal.h"

enum { MOST_SETS = 4 };

static void check_print(const jn_spec *spec)
{
  char *text = NULL, *again = NULL;
  unsigned long length = 0, second = 0;
  jn_spec *copy = NULL;
  jn_error err = {0};
  CHECK(!jn_spec_print(spec, &text, &length, &err), "%s\n", err.text);
  jn_status st = jn_spec_parse(text, length, "printed.yaml", NULL, 0, &copy, &err);
  CHECK(!st, "%d:%d %s: %s\n%s\n", err.line, err.col, err.path, err.text, text);
  CHECK(!jn_spec_print(copy, &again, &second, &err), "%s\n", err.text);
  CHECK(length == second && !memcmp(text, again, length), "\n%s\n%s\n", text, again);
  free(text);
  free(again);
  jn_spec_free(copy);
}

// No number that is none: as a word of its own, since names may hold these letters.
static void check_numbers(const char *text)
{
  static const char *const none[] = {"nan", "inf"};
  for (int i = 0; i < 2; i++)
    for (const char *s = text; (s = strstr(s, none[i])); s++) {
      bool begins = s == text || strchr(" -[,:", s[-1]);
      CHECK(!begins || (s[3] && !strchr(" ,]\n", s[3])), "%s\n", text);
    }
}

// ---- motion ---------------------------------------------------------------------------------------

enum { STEPS = 3 };

static jn_data *open_data(const jn_system *system)
{
  jn_data *data = NULL;
  jn_error err = {0};
  jn_status st = jn_data_create(system, &data, &err);
  CHECK(!st == !!data, "status %d\n", (int)st);
  if (st) check_error(st, &err);
  return data;
}

static void check_flags(const jn_system *system, const jn_data *data, jn_step_flags flags)
{
  const char *failing_body = jn_data_failing_body(system, data);
  CHECK(!failing_body || (flags && failing_body[0]), "failing_body without a flag\n");
}

// Two runs of one system are the same, bit by bit, whatever memory held before.
static void check_steps(const jn_system *system)
{
  jn_data *data = open_data(system), *again = open_data(system);
  const size_t size = (size_t)jn_channel_count(system) * sizeof(double);
  jn_step_flags flags = JN_STEP_OK;
  for (int i = 0; data && again && i < STEPS && !flags; i++) {
    flags = jn_evaluate(system, data);
    CHECK(jn_evaluate(system, again) == flags, "one of two runs fails\n");
    CHECK(!memcmp(jn_row(data), jn_row(again), size), "two runs differ\n");
    if (!flags) {
      flags = jn_step(system, data);
      CHECK(jn_step(system, again) == flags, "one of two runs fails\n");
    }
    check_flags(system, data, flags);
  }
  if (data && again && !flags) {
    jn_data_audit(data, 0);
    check_flags(system, data, jn_evaluate(system, data));
  }
  jn_data_free(data);
  jn_data_free(again);
}

// `reference` takes as many steps as accuracy needs, of whatever length: it gets little to do, and is ended after a few.
static int is_enough(void *user, double t)
{
  int *left = user;
  (void)t;
  return (*left)-- <= 0;
}

static void check_reference(const jn_system *system)
{
  jn_data *data = open_data(system);
  jn_reference *reference = NULL;
  jn_error err = {0};
  jn_status st = data ? jn_reference_create(system, data, &reference, &err) : JN_E_MEMORY;
  CHECK(!st == !!reference, "status %d\n", (int)st);
  int steps = 20;
  if (!st) jn_reference_watch(reference, is_enough, &steps);
  if (!st) st = jn_reference_advance(reference, 1e-8, &err);
  if (!st) check_flags(system, data, jn_evaluate(system, data));
  if (data && st) check_error(st, &err);
  jn_reference_free(reference);
  jn_data_free(data);
}

static void check_equilibrium(const jn_system *system)
{
  jn_error err = {0};
  jn_equilibrium *e = NULL;
  jn_data *data = open_data(system);
  jn_status st = jn_equilibrium_find(system, NULL, &e, &err);
  CHECK(!st == !!e, "status %d\n", (int)st);
  if (st) check_error(st, &err);
  if (e && data) {
    jn_equilibrium_apply(system, e, data);
    check_flags(system, data, jn_evaluate(system, data));
  }
  jn_equilibrium_free(e);
  jn_data_free(data);
}

static jn_system *open_system(const jn_model *model, const jn_scenario *scenario,
                              const jn_sim_opts *opts)
{
  jn_system *system = NULL;
  jn_error err = {0};
  jn_status st = jn_system_create(model, scenario, opts, &system, &err);
  CHECK(!st == !!system, "status %d\n", (int)st);
  if (st) {
    check_error(st, &err);
    check_numbers(err.text);
  }
  for (int i = 0; system && jn_system_note(system, i); i++)
    check_numbers(jn_system_note(system, i));
  return system;
}

// The bytes choose how it is solved, so that a finding stays one.
static void check_motion(const jn_model *model, unsigned choice)
{
  const jn_sim_opts opts = {.formulation = (jn_formulation)(choice % JN_NFORMULATION),
                            .integrator = (jn_integrator)(choice / 4 % JN_NINTEGRATOR),
                            .stabilize = (jn_stabilize)(choice / 64 % JN_NSTABILIZE),
                            .step = 1e-3,
                            .end = 1e-3 * STEPS,
                            .tolerance = 1e-6,
                            .without_plugins = 1};  // no code from what bytes name
  jn_system *system = open_system(model, NULL, &opts);
  if (!system) return;
  if (opts.integrator == JN_INTEGRATOR_REFERENCE)
    check_reference(system);
  else
    check_steps(system);
  if (jn_model_count(model).bodies <= 3) check_equilibrium(system);
  jn_system_free(system);
}

static bool is_small(const jn_model_counts *n, const jn_spec *spec)
{
  return n->bodies <= 12 && n->joints <= 20 && spec->nforce <= 20;
}

static void check_compile(const jn_spec *spec, unsigned choice)
{
  jn_model *model = NULL;
  jn_error err = {0};
  jn_status st = jn_model_compile(spec, NULL, &model, &err);
  CHECK(!st == !!model, "status %d\n", (int)st);
  if (st) {
    check_error(st, &err);
    check_numbers(err.text);
    return;
  }
  jn_model_counts n = jn_model_count(model);
  CHECK(n.dof == n.coordinates - n.constraints + n.redundant && n.dof >= 0 && n.redundant >= 0,
        "%d coordinates - %d constraints + %d redundant = %d\n", n.coordinates, n.constraints,
        n.redundant, n.dof);
  char *text = NULL;
  size_t length = 0;
  FILE *out = open_memstream(&text, &length);
  CHECK(out && !jn_model_show_json(model, NULL, out, &err), "%s\n", err.text);
  jn_model_show_text(model, out);
  jn_model_show_dot(model, out);
  fclose(out);
  check_numbers(text);
  free(text);
  if (is_small(&n, spec)) check_motion(model, choice);
  jn_model_free(model);
}

// ---- scenarios ------------------------------------------------------------------------------------

static void check_signal(const jn_signal_spec *spec)
{
  enum { MOST_KINKS = 64 };
  static const double times[] = {-1.0, 0.0, 1e-3, 0.5, 1.0, 2.0, 10.0, 1e6};
  double *table = malloc(jn_signal_doubles(spec) * sizeof *table), at[MOST_KINKS];
  jn_error err = {0};
  CHECK(table, "no memory\n");
  jn_status st = jn_signal_build(table, spec, &err);
  if (st) check_error(st, &err);
  for (size_t i = 0; i < sizeof times / sizeof *times && !st; i++) {
    jn_signal_value v = jn_signal_at(table, times[i]);
    (void)v;  // may overflow far from its points, but must not trap
  }
  int n = jn_signal_breakpoints(spec, 0.0, 10.0, NULL);
  CHECK(n >= 0, "%d breakpoints\n", n);
  if (n <= MOST_KINKS) {
    CHECK(jn_signal_breakpoints(spec, 0.0, 10.0, at) == n, "not %d breakpoints again\n", n);
    for (int i = 0; i < n; i++)
      CHECK(at[i] > (i ? at[i - 1] : 0.0) && at[i] < 10.0, "breakpoint %d at %g\n", i, at[i]);
  }
  free(table);
}

static int watch(void *user, double t)
{
  (void)t;
  return ++*(int *)user >= STEPS;
}

// A model in which the scenario's first inputs drive something: a joint, a joint behind a filter, a
// spring behind a lag, a servo.
static jn_model *model_for(const jn_scenario *scenario, jn_spec **spec)
{
  static const char *const motion[] = {
      "  j%d: {type: revolute, bodies: [ground, b%d], at: [0, 0, 0], "
      "axis: [0, 1, 0], motion: {channel: %s}}\n",
      "  j%d: {type: translational, bodies: [ground, b%d], at: [0, 0, 0], "
      "axis: [1, 0, 0], motion: {channel: %s, filter: 0.02}}\n",
      "  j%d: {type: screw, bodies: [ground, b%d], at: [0, 0, 0], "
      "axis: [0, 0, 1], lead: 0.1} # %s\n",
      "  j%d: {type: revolute, bodies: [ground, b%d], at: [0, 0, 0], "
      "axis: [0, 1, 0]} # %s\n"};
  static const char *const force[] = {
      "  f%d: {type: force, body: b%d, force: [1, 2, 3], channel: %s}\n",
      "  f%d: {type: force, body: b%d, force: [3, 2, 1]} # %s\n",
      "  f%d: {type: tsda, bodies: [ground, b%d], at: [[0, 1, 0], [1, 0, 0]], "
      "stiffness: 10, channel: %s, lag: 0.01}\n",
      "  f%d: {type: servo, joint: j%d, stiffness: 100, damping: 1, channel: %s}\n"};
  enum { MOST = 4 };
  const int n = scenario->ninput < MOST ? scenario->ninput : MOST;
  char *text = NULL;
  size_t length = 0;
  FILE *out = open_memstream(&text, &length);
  CHECK(out, "no memory\n");
  fputs("jounce: 1\nbodies:\n  a: {mass: 1, cg: [0, 0, 0], inertia: [1, 1, 1]}\n", out);
  for (int i = 0; i < n; i++)
    fprintf(out, "  b%d: {mass: 1, cg: [1, 0, 0], inertia: [1, 1, 1]}\n", i);
  fputs("joints:\n  j: {type: free, bodies: [ground, a]}\n", out);
  for (int i = 0; i < n; i++) fprintf(out, motion[i], i, i, scenario->input[i].name);
  if (n) fputs("forces:\n", out);
  for (int i = 0; i < n; i++) fprintf(out, force[i], i, i, scenario->input[i].name);
  fclose(out);
  jn_error err = {0};
  jn_model *model = NULL;
  CHECK(!jn_spec_parse(text, length, "made.yaml", NULL, 0, spec, &err), "%s\n%s", err.text, text);
  CHECK(!jn_model_compile(*spec, NULL, &model, &err), "%s\n%s", err.text, text);
  free(text);
  return model;
}

// The run as the scenario wants it, but a few rows of it. `reference` takes steps until it is at the
// next row: those are put close.
static void check_run(const jn_scenario *scenario)
{
  jn_spec *spec = NULL;
  jn_model *model = model_for(scenario, &spec);
  jn_sim_opts opts = jn_sim_opts_of(scenario);
  if (opts.integrator == JN_INTEGRATOR_REFERENCE) {
    opts.step = 1e-6;
    opts.end = 3e-6;
  }
  jn_system *system = open_system(model, scenario, &opts);
  int rows = 0;
  const jn_run_opts run = {.watch = watch, .user = &rows};
  jn_run_result result;
  jn_error err = {0};
  if (system) {
    jn_status st = jn_run(system, &run, &result, &err);
    if (st)
      check_error(st, &err);
    else
      jn_run_result_free(&result);
  }
  jn_system_free(system);
  jn_model_free(model);
  jn_spec_free(spec);
}

static void check_scenario(const char *text, size_t size)
{
  jn_error err = {0};
  jn_scenario *scenario = NULL;
  jn_status st = jn_scenario_parse(text, size, "/nowhere/fuzz.yaml", &scenario, &err);
  CHECK(!st == !!scenario, "status %d\n", (int)st);
  if (st) {
    check_error(st, &err);
    return;
  }
  const jn_solver_spec *s = &scenario->solver;
  CHECK(s->end > 0.0 && s->step > 0.0 && s->step <= s->end && s->end / s->step <= 1e12,
        "step %g, end %g\n", s->step, s->end);
  for (int i = 0; i < scenario->ninput; i++) check_signal(&scenario->input[i]);
  check_run(scenario);
  jn_scenario_free(scenario);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

// FNV-1a.
static unsigned hash_of(const uint8_t *data, size_t size)
{
  uint32_t h = 2166136261u;
  for (size_t i = 0; i < size; i++) h = (h ^ data[i]) * 16777619u;
  return h ^ h >> 16;
}

static bool has_word(const char *text, size_t size, const char *word)
{
  size_t n = strlen(word);
  for (size_t i = 0; i + n <= size; i++)
    if (!memcmp(text + i, word, n)) return true;
  return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  const char *text = (const char *)data, *set[MOST_SETS];
  char first[4096];
  int nset = 0;
  const char *end = size > 5 && !memcmp(text, "#set ", 5) ? memchr(text, '\n', size) : NULL;
  if (end && (size_t)(end - text) < sizeof first) {
    size_t length = (size_t)(end - text);
    memcpy(first, text, length);
    first[length] = 0;
    for (char *s = strtok(first + 5, "\t"); s && nset < MOST_SETS; s = strtok(NULL, "\t"))
      set[nset++] = s;
  }
  if (has_word(text, size, "scenario")) check_scenario(text, size);
  jn_error err = {0};
  jn_spec *spec = NULL;
  jn_status st = jn_spec_parse(text, size, "/nowhere/fuzz.yaml", set, nset, &spec, &err);
  CHECK(!st == !!spec, "status %d\n", (int)st);
  if (st) {
    check_error(st, &err);
    return 0;
  }
  check_print(spec);
  check_compile(spec, hash_of(data, size));
  jn_spec_free(spec);
  return 0;
}

// ---- changes that keep a model near a model -----------------------------------------------------
// Changed bytes seldom get past the reader. Three times in four, words or lines are changed instead.

static size_t change_model_word(uint8_t *data, size_t size, size_t most, unsigned *state)
{
  static const char *const words[] = {"0",
                                      "-0",
                                      "1",
                                      "-1",
                                      "1e-300",
                                      "1e-9",
                                      "1e-99",
                                      "1e99",
                                      "1e8",
                                      "-1e8",
                                      "1e300",
                                      "5e-324",
                                      "0.3",
                                      "3.14159265358979",
                                      "auto",
                                      "true",
                                      "fixed",
                                      "revolute",
                                      "screw",
                                      "spherical",
                                      "universal",
                                      "planar",
                                      "free",
                                      "distance",
                                      "cylindrical",
                                      "translational",
                                      "no-rotation",
                                      "spherical-revolute",
                                      "spherical-translational",
                                      "ground",
                                      "a",
                                      "b",
                                      "p",
                                      "q",
                                      "tsda",
                                      "rsda",
                                      "bushing",
                                      "plugin",
                                      "servo",
                                      "wheel",
                                      "sae",
                                      "dads",
                                      "mm",
                                      "deg",
                                      "parent",
                                      "base",
                                      "cut",
                                      "motion",
                                      "lead",
                                      "orientation",
                                      "initial",
                                      "never",
                                      "scenario",
                                      "table",
                                      "chirp",
                                      "end",
                                      "lag",
                                      "offset",
                                      "spring_polynomial"};
  return change_word(data, size, most, state, words, sizeof words / sizeof *words);
}

static size_t add_yaml(uint8_t *data, size_t size, size_t most, unsigned *state)
{
  static const char *const pieces[] = {
      "\n",   "\n  ",       "\n- ",    " ",     "\t",        "\r\n",     "\n\n",     "# ",
      " #",   "- ",         "? ",      ": ",    ", ",        "[",        "]",        "{",
      "}",    "&a ",        "*a ",     "!a ",   "! ",        "|\n",      ">\n",      "|1\n ",
      ">+2",  "|-\n",       "\"",      "'",     "''",        "\\n",      "\\u",      "\\x8",
      "\\\n", "%",          "@",       "---\n", "...\n",     "\xc3\xa9", "\xc2\x85", "~",
      "<<: ", "\"a\\x85\"", "'it''s'", "\na: ", "          "};
  return add_piece(data, size, most, state, pieces, sizeof pieces / sizeof *pieces);
}

static size_t change_line(uint8_t *data, size_t size, size_t most, unsigned *state)
{
  size_t length, old, from = find_line(data, size, state, &length);
  if (pick(state, 3) == 0) return splice(data, size, most, from, length, "", 0);
  size_t at = find_line(data, size, state, &old);
  size_t now = splice(data, size, most, at, 0, data + from, length);
  if (now == size) return size;
  size_t colon = at;  // a name of its own, lest it stand there twice
  while (colon < now && data[colon] != ':' && data[colon] != '\n') colon++;
  const char digit = (char)('0' + pick(state, 10));
  return splice(data, now, most, colon, 0, &digit, 1);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
  static const mutation some[] = {add_yaml,          change_line,       change_line,
                                  change_model_word, change_model_word, change_model_word};
  return mutate(data, size, most, seed, some, sizeof some / sizeof *some);
}
