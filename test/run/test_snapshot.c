// A run that is copied, saved and restored, in another process too, or begun again goes on with the very bits of the original:
// every row and all that lasts, in every formulation, path, integrator and stabilisation, at random steps, with live inputs,
// behind events, and on both sides of a way out of the lanes. Bytes that are none of its own are refused.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run_case.h"

enum { AHEAD = 160 };  // steps of the continuation

static const char steers[] =  // breakpoints within steps, and on their ends
    "jounce: 1\nscenario: steers\nend: 1\nspeed: 15\ninputs:\n"
    "  driver.rack: {type: ramp, start: 0.00205, end: 0.012, to: 0.004}\n";
static const char pulls[] =
    "jounce: 1\nscenario: pulls\nend: 1\nspeed: 15\ninputs:\n"
    "  wheel.1l.steer: {type: ramp, start: 0.00205, end: 0.012, to: 0.02}\n"
    "drivers: {cruise: {type: speed, body: tractor, wheels: [2l, 2r, 3l, 3r]}}\n";
static const char drives[] =
    "jounce: 1\nscenario: drives\nend: 1\nspeed: 15\ninputs:\n"
    "  driver.rack: {type: ramp, start: 0.00205, end: 0.012, to: 0.004}\n"
    "drivers: {cruise: {type: speed, body: chassis, wheels: [fl, fr]}}\n";
static const char jumps[] =
    "jounce: 1\nscenario: jumps\nend: 1\ninputs:\n"
    "  motor: {type: step, at: 0.00507, to: 0.3}\n"
    "  servo: {type: ramp, start: 0.002, end: 0.00605, to: 0.1}\n";
static const char crank[] =
    "jounce: 1\ninclude: models/slider-crank.yaml\nforces:\n"
    "  motor: {type: torque, bodies: [ground, crank], axis: [1, 0, 0], torque: 1, channel: motor,\n"
    "          lag: 0.01}\n"
    "  servo: {type: servo, joint: A, stiffness: 1, damping: 0.1, channel: servo}\n";
// Dependent pivots fall to a tenth and rise again within a turn: it leaves the lanes and returns.
static const char rockers[] =
    "jounce: 1\nname: rockers\ngravity: [0, 0, 0]\n"
    "bodies:\n"
    "  frame: {mass: 50, cg: [0, 0, 0], inertia: [5, 5, 5]}\n"
    "  first: {mass: 1, cg: [0.07, 0.13, 0], inertia: [0.01, 0.01, 0.01]}\n"
    "  second: {mass: 2, cg: [0.5, 0.15, 0], inertia: [0.02, 0.02, 0.02]}\n"
    "joints:\n"
    "  turn: {type: revolute, bodies: [frame, first], at: [0, 0, 0], axis: [0.1, 0, 1]}\n"
    "  swing: {type: revolute, bodies: [frame, second], at: [0.5, 0, 0], axis: [0, 0.1, 1]}\n"
    "  rod: {type: distance, bodies: [first, second], at: [[0.15, 0.26, 0], [0.5, 0.25, 0]]}\n"
    "initial: {turn: {speed: 10}}\n";

typedef struct subject {
  const char *name, *model, *text, *scenario;
  double step;
} subject;

static const subject subjects[] = {
    {"hmmwv", "models/hmmwv.yaml", NULL, steers, 1e-4},
    {"hmmwv-odd-corners", "test/models/hmmwv-odd-corners.yaml", NULL, steers, 1e-4},
    {"passenger-car", "models/passenger-car.yaml", NULL, drives, 1e-4},
    {"tractor-semitrailer", "models/tractor-semitrailer.yaml", NULL, pulls, 1e-4},
    {"slider-crank", NULL, crank, jumps, 1e-4},
    {"andrews", "models/andrews.yaml", NULL, NULL, 2e-5},
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

static jt_run open_subject(const subject *k, jn_sim_opts o)
{
  o.step = k->step;
  return jt_start(k->text ? jt_parse(k->text) : jt_load(k->model), k->scenario, &o);
}

// The i-th of all ways of solving that are tried; false: there are no more.
static bool way(int i, jn_sim_opts *o)
{
  int n = 0;
  for (int f = 0; f < JN_NFORMULATION; f++)
    for (int p = 0; p < (f == JN_FORMULATION_SUBSYSTEM ? JN_NPATH : 1); p++)
      for (int m = 0; m < JN_NINTEGRATOR; m++)
        for (int z = 0; z < JN_NSTABILIZE; z++) {
          if (m == JN_INTEGRATOR_REFERENCE) continue;
          if (m != JN_INTEGRATOR_AB3 && z != (m + p) % JN_NSTABILIZE) continue;
          *o = (jn_sim_opts){.formulation = (jn_formulation)f,
                             .path = (jn_path)p,
                             .integrator = (jn_integrator)m,
                             .stabilize = (jn_stabilize)z};
          if (n++ == i) return true;
        }
  return false;
}

// ---- what a run does, and all that is to be seen of it ---------------------------------------------

static uint64_t hash(uint64_t h, const void *bytes, size_t n)
{
  const unsigned char *at = bytes;
  for (size_t i = 0; i < n; i++) h = (h ^ at[i]) * 0x100000001b3u;
  return h;
}

typedef struct saved {
  size_t size;
  unsigned char *bytes;
} saved;

static saved save(const jn_data *d)
{
  saved k = {.size = jn_data_save(d, NULL, 0)};
  k.bytes = malloc(k.size);
  assert_non_null(k.bytes);
  assert_int_equal(jn_data_save(d, k.bytes, k.size), k.size);
  return k;
}

static bool same(saved a, saved b)
{
  return a.size == b.size && !memcmp(a.bytes, b.bytes, a.size);
}

// Some steps with rows in between, and an input that is set from outside; a number of all rows, and of all that lasts.
static uint64_t go_on(const jn_system *s, jn_data *d, int steps, bool live)
{
  uint64_t h = 0;
  int input = -1;
  for (int c = 0; c < jn_channel_count(s) && input < 0; c++)
    if (jn_channel_at(s, c).input) input = c;
  for (int i = 0; i < steps; i++) {
    jn_step_flags flags = JN_STEP_OK;
    if (live && input >= 0 && i % 50 == 20) jn_input_set(d, input, 1e-3 * i / 50, 0.01);
    if (i % 7 == 0) {
      flags = jn_evaluate(s, d);
      h = hash(h, jn_row(d), (size_t)jn_channel_count(s) * sizeof(double));
    }
    if (!flags) flags = jn_step(s, d);
    h = hash(h, &flags, sizeof flags);
    if (flags) break;
  }
  saved all = save(d);
  h = hash(h, all.bytes, all.size);
  free(all.bytes);
  return h;
}

static void expect(const char *what, const subject *k, const jn_sim_opts *o, uint64_t a, uint64_t b)
{
  if (a == b) return;
  fail_msg("%s, %s %s %s %s: %s does not go on as the original", k->name,
           jn_sim_word_of("formulation", (int)o->formulation), jn_sim_word_of("path", (int)o->path),
           jn_sim_word_of("integrator", (int)o->integrator),
           jn_sim_word_of("stabilize", (int)o->stabilize), what);
}

static jn_data *another(const jn_system *s)
{
  jn_error err = {0};
  jn_data *d;
  jt_ok(jn_data_create(s, &d, &err), &err, "data");
  return d;
}

// ---- tests ----------------------------------------------------------------------------------------

static void restore(jn_data *d, saved k)
{
  jn_error err = {0};
  jt_ok(jn_data_restore(d, k.bytes, k.size, &err), &err, "restore");
}

static void check_way(const subject *k, const jn_sim_opts *o, jt_random *random)
{
  jt_run r = open_subject(k, *o);
  const jn_system *s = r.system;
  const int before = jt_random_below(random, 140), used = jt_random_below(random, 30);
  const bool row = jt_random_below(random, 2), live = jt_random_below(random, 2);
  jn_data *copy = another(s), *back = another(s), *fresh = another(s);
  go_on(s, copy, used, !live);  // they have been elsewhere
  go_on(s, back, 2 * used, true);
  go_on(s, r.data, before, live);
  if (row) jn_evaluate(s, r.data);
  assert_int_equal(jn_data_copy(copy, r.data), JN_OK);
  const saved at = save(r.data), copied = save(copy);
  assert_true(same(at, copied));
  restore(back, at);
  const saved restored = save(back);
  assert_true(same(at, restored));
  const uint64_t h = go_on(s, r.data, AHEAD, true);
  expect("a copy", k, o, h, go_on(s, copy, AHEAD, true));
  expect("what is restored", k, o, h, go_on(s, back, AHEAD, true));
  restore(r.data, at);  // onto itself, back in time
  expect("the original, back in time,", k, o, h, go_on(s, r.data, AHEAD, true));
  jn_data_reset(back);
  const saved begun = save(back), first = save(fresh);
  assert_true(same(begun, first));
  const uint64_t whole = go_on(s, fresh, AHEAD, true);
  expect("what is begun again", k, o, whole, go_on(s, back, AHEAD, true));
  free(at.bytes), free(copied.bytes), free(restored.bytes), free(begun.bytes), free(first.bytes);
  jn_data_free(copy), jn_data_free(back), jn_data_free(fresh);
  jt_end(&r);
}

static void every_way_goes_on_as_the_original(void **state)
{
  (void)state;
  jt_random random = {7};
  jn_sim_opts o;
  int n = 0;
  for (int i = 0; i < SUBJECTS; i++)
    for (int w = 0; way(w, &o); w++, n++) check_way(&subjects[i], &o, &random);
  print_message("  %d ways\n", n);
}

// Partitions that change, positions that are singular.
static void choices_are_part_of_it(void **state)
{
  (void)state;
  static const struct {
    const char *file;
    jn_formulation formulation;
    int steps;
  } cases[] = {{"models/n-four-bar.yaml", JN_FORMULATION_INDEPENDENT, 1500},
               {"test/models/n-four-bar-singular.yaml", JN_FORMULATION_RECURSIVE, 100},
               {"test/models/n-four-bar-singular.yaml", JN_FORMULATION_SUBSYSTEM, 100},
               {"models/bricard.yaml", JN_FORMULATION_RECURSIVE, 300},
               {"models/bricard.yaml", JN_FORMULATION_INDEPENDENT, 300}};
  jt_random random = {11};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    const jn_sim_opts o = {.formulation = cases[c].formulation, .integrator = JN_INTEGRATOR_AB3};
    jt_run r = jt_start(jt_load(cases[c].file), NULL, &o);
    jn_data *copy = another(r.system);
    for (int i = 0; i < 8; i++) {
      go_on(r.system, r.data, jt_random_below(&random, cases[c].steps / 4), false);
      if (i % 2) jn_evaluate(r.system, r.data);
      assert_int_equal(jn_data_copy(copy, r.data), JN_OK);
      const saved at = save(r.data);
      const uint64_t h = go_on(r.system, r.data, 120, false);
      if (h != go_on(r.system, copy, 120, false)) fail_msg("%s: a copy differs", cases[c].file);
      restore(r.data, at);
      free(at.bytes);
    }
    jn_data_free(copy);
    jt_end(&r);
  }
}

static void lanes_that_are_left_are_part_of_it(void **state)
{
  (void)state;
  jt_random random = {5};
  for (int m = 0; m < 2; m++) {
    const jn_sim_opts o = {.integrator = m ? JN_INTEGRATOR_AB3 : JN_INTEGRATOR_RK4,
                           .step = m ? 5e-4 : 0.02};
    jt_run r = jt_start(jt_parse(rockers), NULL, &o);
    jn_data *copy = another(r.system);
    for (int i = 0; i < 40; i++) {
      for (int n = jt_random_below(&random, m ? 60 : 6); n > 0; n--)
        jt_flag(&r, jn_step(r.system, r.data));
      if (i % 3 == 0) jn_evaluate(r.system, r.data);
      assert_int_equal(jn_data_copy(copy, r.data), JN_OK);
      const saved at = save(r.data);
      const uint64_t h = go_on(r.system, r.data, AHEAD, false);
      if (h != go_on(r.system, copy, AHEAD, false)) fail_msg("a copy at step %d differs", i);
      restore(copy, at);
      restore(r.data, at);
      if (h != go_on(r.system, copy, AHEAD, false)) fail_msg("restored at %d, it differs", i);
      free(at.bytes);
    }
    assert_true(jn_data_stats(r.data).events > 2);
    jn_data_free(copy);
    jt_end(&r);
  }
}

// ---- another process ------------------------------------------------------------------------------

static const char CHILD[] = "JN_TEST_SNAPSHOT";  // "subject way file": be that process

static int be_child(const char *what)
{
  int i, w;
  char file[200];
  jn_sim_opts o;
  if (sscanf(what, "%d %d %199s", &i, &w, file) != 3 || i < 0 || i >= SUBJECTS || !way(w, &o))
    return 3;
  jt_run r = open_subject(&subjects[i], o);
  FILE *in = fopen(file, "rb");
  saved k = {.size = jn_data_save(r.data, NULL, 0)};
  k.bytes = malloc(k.size);
  if (!in || fread(k.bytes, 1, k.size, in) != k.size) return 4;
  fclose(in);
  jn_error err = {0};
  if (jn_data_restore(r.data, k.bytes, k.size, &err)) {
    fprintf(stderr, "%s\n", err.text);
    return 5;
  }
  const uint64_t h = go_on(r.system, r.data, AHEAD, true);
  FILE *out = fopen(file, "wb");
  if (!out || fwrite(&h, sizeof h, 1, out) != 1 || fclose(out)) return 6;
  free(k.bytes);
  jt_end(&r);
  return 0;
}

static uint64_t go_on_elsewhere(int i, int w, saved k)
{
  char file[] = "/tmp/jounce-snapshot-XXXXXX", what[256];
  const int f = mkstemp(file);
  assert_true(f >= 0);
  assert_int_equal(write(f, k.bytes, k.size), k.size);
  close(f);
  snprintf(what, sizeof what, "%d %d %s", i, w, file);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    setenv(CHILD, what, 1);
    execl("/proc/self/exe", "test_snapshot", (char *)NULL);
    _exit(127);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
  uint64_t h = 0;
  FILE *in = fopen(file, "rb");
  assert_non_null(in);
  assert_int_equal(fread(&h, sizeof h, 1, in), 1);
  fclose(in);
  unlink(file);
  return h;
}

static void another_process_goes_on(void **state)
{
  (void)state;
  jt_random random = {3};
  jn_sim_opts o;
  int ways = 0;
  while (way(ways, &o)) ways++;
  for (int n = 0; n < 4 * SUBJECTS; n++) {
    const int i = n % SUBJECTS, w = jt_random_below(&random, ways);
    way(w, &o);
    jt_run r = open_subject(&subjects[i], o);
    go_on(r.system, r.data, jt_random_below(&random, 140), true);
    if (n % 2) jn_evaluate(r.system, r.data);
    const saved at = save(r.data);
    const uint64_t h = go_on(r.system, r.data, AHEAD, true);
    expect("another process", &subjects[i], &o, h, go_on_elsewhere(i, w, at));
    free(at.bytes);
    jt_end(&r);
  }
}

// ---- wrong bytes ----------------------------------------------------------------------------------

static void refuse(jn_data *d, const unsigned char *bytes, size_t size, const char *why)
{
  jn_error err = {0};
  const saved before = save(d);
  const jn_status st = jn_data_restore(d, bytes, size, &err);
  if (!st) fail_msg("%zu bytes were taken, expected: %s", size, why);
  if (!strstr(err.text, why)) fail_msg("\"%s\", expected: %s", err.text, why);
  const saved after = save(d);
  assert_true(same(before, after));
  free(before.bytes), free(after.bytes);
}

static void damaged_bytes_are_refused(void **state)
{
  (void)state;
  jt_run r = jt_start(jt_load("models/pendulum.yaml"), NULL, NULL);
  jt_steps(&r, 10);
  saved k = save(r.data);
  jt_steps(&r, 5);
  refuse(r.data, k.bytes, 0, "nothing");
  for (size_t n = 1; n < k.size; n++) refuse(r.data, k.bytes, n, "cut short");
  unsigned char *more = calloc(1, k.size + 1);
  assert_non_null(more);
  memcpy(more, k.bytes, k.size);
  refuse(r.data, more, k.size + 1, "behind");
  free(more);
  for (size_t i = 0; i < k.size; i++)
    for (int bit = 0; bit < 8; bit++) {
      k.bytes[i] ^= (unsigned char)(1 << bit);
      refuse(r.data, k.bytes, k.size, i < 8 ? "no saved state" : "");
      k.bytes[i] ^= (unsigned char)(1 << bit);
    }
  restore(r.data, k);
  free(k.bytes);
  jt_end(&r);
}

// Damage that has its sum right, which nobody makes by accident: refused, or numbers like any others.
static void forged_bytes_do_no_harm(void **state)
{
  (void)state;
  enum {
    PARAMETERS = 32,
    SUM = 56,
    HEAD = 64
  };  // marks of parameters and geometry too: it is then as after a switch
  static const struct {
    const char *file, *text;
    jn_formulation formulation;
    int every;
  } cases[] = {{"models/pendulum.yaml", NULL, JN_FORMULATION_SUBSYSTEM, 1},
               {NULL, crank, JN_FORMULATION_INDEPENDENT, 1},
               {NULL, crank, JN_FORMULATION_RECURSIVE, 1},
               {"models/hmmwv.yaml", NULL, JN_FORMULATION_SUBSYSTEM, 13}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    const jn_sim_opts o = {.formulation = cases[c].formulation};
    jt_run r = jt_start(cases[c].text ? jt_parse(cases[c].text) : jt_load(cases[c].file), NULL, &o);
    int taken = 0;
    jt_steps(&r, 10);
    jn_evaluate(r.system, r.data);
    saved k = save(r.data);
    for (size_t i = PARAMETERS; i < k.size; i += (size_t)cases[c].every) {
      if (i >= SUM && i < HEAD) continue;
      const unsigned char was = k.bytes[i];
      k.bytes[i] ^= i % 3 ? 0xff : 0x41;
      uint64_t sum = hash(0xcbf29ce484222325u, k.bytes, SUM);
      sum = hash(sum, k.bytes + HEAD, k.size - HEAD);
      memcpy(k.bytes + SUM, &sum, sizeof sum);
      if (!jn_data_restore(r.data, k.bytes, k.size, NULL)) {
        taken++;
        for (int n = 0; n < 3 && !jn_step(r.system, r.data); n++) {
        }
        jn_evaluate(r.system, r.data);
      }
      k.bytes[i] = was;
    }
    assert_true(taken > 0);
    free(k.bytes);
    jt_end(&r);
  }
}

// The first numbers of what lasts: step, offset, four breakpoints, left_lanes, events, rows_seen, and statistics.
static void forged_times_and_counts_are_refused(void **state)
{
  (void)state;
  enum { SUM = 56, HEAD = 64, STEP = 0, OFFSET = 1, LIMIT = 3, LEFT_LANES = 6, FIRST_ENERGY = 12 };
  const double later = 1e300, before = -1.0, nan = NAN;
  int64_t bits[3];
  memcpy(&bits[0], &later, sizeof later);
  memcpy(&bits[1], &before, sizeof before);
  memcpy(&bits[2], &nan, sizeof nan);
  const struct {
    int place;
    int64_t value;
  } forged[] = {{STEP, -1},           {STEP, INT64_MIN},    {STEP, INT64_MAX},
                {OFFSET, bits[0]},    {OFFSET, bits[1]},    {OFFSET, bits[2]},
                {LIMIT, bits[2]},     {LEFT_LANES, -1},     {LEFT_LANES, 5},
                {LEFT_LANES + 1, -1}, {LEFT_LANES + 2, -1}, {FIRST_ENERGY, bits[2]}};
  const jn_sim_opts o = {.path = JN_PATH_GENERAL};  // it has no lanes that it could have left
  jt_run r = jt_start(jt_load("models/hmmwv.yaml"), NULL, &o);
  jt_steps(&r, 10);
  saved k = save(r.data);
  for (size_t i = 0; i < sizeof forged / sizeof *forged; i++) {
    unsigned char *at = k.bytes + HEAD + 8 * forged[i].place, was[8];
    memcpy(was, at, sizeof was);
    memcpy(at, &forged[i].value, sizeof forged[i].value);
    uint64_t sum = hash(0xcbf29ce484222325u, k.bytes, SUM);
    sum = hash(sum, k.bytes + HEAD, k.size - HEAD);
    memcpy(k.bytes + SUM, &sum, sizeof sum);
    refuse(r.data, k.bytes, k.size, "the saved state is damaged");
    memcpy(at, was, sizeof was);
  }
  free(k.bytes);
  jt_end(&r);
}

static void another_model_is_refused(void **state)
{
  (void)state;
  static const char *const light =
      "jounce: 1\ninclude: models/pendulum.yaml\ngravity: [0, 0, -1.62]\n";
  jt_run a = jt_start(jt_load("models/pendulum.yaml"), NULL, NULL);
  const saved k = save(a.data);
  const jn_sim_opts others[] = {{.step = 2e-3},
                                {.integrator = JN_INTEGRATOR_RK4},
                                {.stabilize = JN_STABILIZE_NONE},
                                {.formulation = JN_FORMULATION_RECURSIVE}};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    jt_run b = jt_start(jt_load("models/pendulum.yaml"), NULL, &others[i]);
    refuse(b.data, k.bytes, k.size, "another model");
    assert_int_equal(jn_data_copy(b.data, a.data), JN_E_CALL);
    jt_end(&b);
  }
  jt_run c = jt_start(jt_parse(light), NULL, NULL);
  assert_int_equal(jn_data_copy(c.data, a.data), JN_E_CALL);
  restore(c.data, k);  // of other parameters: test_switch.c
  jt_end(&c);
  jt_run d = jt_start(jt_load("models/double-pendulum.yaml"), NULL, NULL);
  refuse(d.data, k.bytes, k.size, "another model");
  jt_end(&d);
  jt_run again = jt_start(jt_load("models/pendulum.yaml"), NULL, &(jn_sim_opts){.end = 7.0});
  restore(again.data, k);
  jt_end(&again);
  free(k.bytes);
  jt_end(&a);
}

// The end of a run cuts off what its inputs do behind it: whoever goes on has a breakpoint where the other had none.
static void a_longer_run_goes_on(void **state)
{
  (void)state;
  for (int p = 0; p < 2; p++)
    for (int n = 0; n < 3; n++) {
      static const double ends[] = {0.0020, 0.0021, 0.0120};
      const jn_sim_opts whole = {
          .step = 1e-4, .end = 1.0, .path = p ? JN_PATH_GENERAL : JN_PATH_AUTO};
      jn_sim_opts part = whole;
      part.end = ends[n];
      jt_run a = jt_start(jt_load("models/hmmwv.yaml"), steers, &whole),
             b = jt_start(jt_load("models/hmmwv.yaml"), steers, &part);
      const int steps = (int)lround(part.end / whole.step);
      go_on(a.system, a.data, steps, false), go_on(b.system, b.data, steps, false);
      jn_evaluate(a.system, a.data), jn_evaluate(b.system, b.data);
      const saved at = save(b.data);
      jn_data *d = another(a.system);
      restore(d, at);
      const uint64_t h = go_on(a.system, a.data, AHEAD, true);
      if (h != go_on(a.system, d, AHEAD, true)) fail_msg("cut at %g s, it differs", part.end);
      free(at.bytes);
      jn_data_free(d);
      jt_end(&a), jt_end(&b);
    }
}

static void another_scenario_begins_where_it_is(void **state)
{
  (void)state;
  const jn_sim_opts o = {.step = 1e-3};
  jt_run a = jt_start(jt_load("models/hmmwv.yaml"),
                      "jounce: 1\nscenario: rolls\nend: 1\nspeed: 15\n", &o),
         b = jt_start(jt_load("models/hmmwv.yaml"), steers, &o);
  jt_steps(&a, 100);
  const saved k = save(a.data);
  restore(b.data, k);
  assert_true(jn_time(b.data) == jn_time(a.data));
  const int rack = jt_channel(&b, "driver.rack");
  assert_true(jt_row(&b)[rack] == 0.004);
  jt_steps(&b, 100);
  free(k.bytes);
  jt_end(&a), jt_end(&b);
}

int main(void)
{
  const char *child = getenv(CHILD);
  if (child) return be_child(child);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_way_goes_on_as_the_original),
      cmocka_unit_test(choices_are_part_of_it),
      cmocka_unit_test(lanes_that_are_left_are_part_of_it),
      cmocka_unit_test(another_process_goes_on),
      cmocka_unit_test(damaged_bytes_are_refused),
      cmocka_unit_test(forged_bytes_do_no_harm),
      cmocka_unit_test(forged_times_and_counts_are_refused),
      cmocka_unit_test(another_model_is_refused),
      cmocka_unit_test(a_longer_run_goes_on),
      cmocka_unit_test(another_scenario_begins_where_it_is),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
