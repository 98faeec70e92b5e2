// fuzz_command.c: any lines as the arguments of a command, one a line, run by the program's own main() in a child process and a
// folder of its own. Exit codes are those of the manual; a refusal is one line on standard error and nothing else; --json prints one
// JSON object; models and results that were there before are as they were; no unfinished file is left.
//
// Lines that name anything outside of the folder are left out, and so is `bench`, which is long.
#define _XOPEN_SOURCE 700  // nftw
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fuzz/check.h"
#include "fuzz/mutate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

int jounce_main(int argc, char **argv);  // main() of cli/main.c

// Sanitizers end the program by a code that no command has.
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
  return "exitcode=99";
}

enum { MOST_ARGUMENTS = 14, MOST_OUTPUT = 1 << 20, SECONDS = 5 };

static char root[4096], folder[] = "/tmp/jounce-fuzz-XXXXXX", *output[2];

// ---- the folder -------------------------------------------------------------------------------------------

static const struct {
  const char *name, *from;
} inputs[] = {
    {"pendulum.yaml", "models/pendulum.yaml"},   {"crank.yaml", "models/slider-crank.yaml"},
    {"quarter.yaml", "models/quarter-car.yaml"}, {"drive.yaml", "scenarios/slider-crank.yaml"},
    {"bump.yaml", "scenarios/quarter-car.yaml"}, {"tyre.tir", "models/tyres/sample.tir"},
    {"wrong.yaml", "test/wrong/mass-zero.yaml"}, {"result.h5", JT_RESULTS "/pendulum.h5"},
    {"result.csv", JT_RESULTS "/pendulum.csv"}};
enum { NINPUT = sizeof inputs / sizeof *inputs };
static char *input[NINPUT];
static size_t input_size[NINPUT];

static char *read_whole(const char *name, size_t *n)
{
  FILE *in = fopen(name, "rb");
  char *text = in ? calloc(1, MOST_OUTPUT + 1) : NULL;
  if (!text) return NULL;
  *n = fread(text, 1, MOST_OUTPUT, in);
  fclose(in);
  return text;
}

static int discard(const char *path, const struct stat *stat, int kind, struct FTW *at)
{
  (void)stat, (void)kind;
  return at->level ? remove(path) : 0;
}

static void clear(void)
{
  CHECK(!nftw(folder, discard, 8, FTW_DEPTH | FTW_PHYS), "the folder stays full\n");
}

static pid_t own;

static void leave(void)
{
  if (getpid() != own || chdir(root)) return;  // a child ends by exit(), too
  clear();
  rmdir(folder);
}

static void fill(void)
{
  clear();
  for (int i = 0; i < NINPUT; i++) {
    FILE *out = fopen(inputs[i].name, "wb");
    CHECK(out && fwrite(input[i], 1, input_size[i], out) == input_size[i], "%s\n", inputs[i].name);
    fclose(out);
  }
}

static void enter(void)
{
  if (root[0]) return;
  CHECK(getcwd(root, sizeof root) && mkdtemp(folder), "no folder\n");
  for (int i = 0; i < NINPUT; i++) {
    input[i] = read_whole(inputs[i].from, &input_size[i]);
    CHECK(input[i], "%s cannot be read\n", inputs[i].from);
  }
  CHECK(!chdir(folder), "no folder\n");
  own = getpid();
  for (int i = 0; i < 2; i++) output[i] = calloc(1, MOST_OUTPUT + 1);
  atexit(leave);
}

// ---- one call ---------------------------------------------------------------------------------------------

static bool may_be_run(const char *word)
{
  return word[0] != '/' && !strstr(word, "..") && !strstr(word, "=/") && strcmp(word, "bench") &&
         !strstr(word, "--plugins");  // what code of files does is not judged
}

static int arguments_of(const uint8_t *data, size_t size, char *text, char **argv)
{
  int n = 1;
  memcpy(text, data, size);
  text[size] = 0;
  argv[0] = "jounce";
  for (char *word = text, *end; n <= MOST_ARGUMENTS && word < text + size; word = end + 1) {
    end = word + strcspn(word, "\n");
    *end = 0;
    if (may_be_run(word)) argv[n++] = word;
  }
  argv[n] = NULL;
  return n;
}

static void in_a_child(int argc, char **argv, const int *to)
{
  const struct rlimit seconds = {SECONDS, SECONDS}, bytes = {32 << 20, 32 << 20};
  const int none = open("/dev/null", O_RDONLY);
  for (int i = 0; i < 32; i++) signal(i, SIG_DFL);
  alarm(0);
  if (dup2(none, 0) < 0 || dup2(to[0], 1) < 0 || dup2(to[1], 2) < 0) _exit(126);
  setrlimit(RLIMIT_CPU, &seconds);
  setrlimit(RLIMIT_FSIZE, &bytes);
  exit(jounce_main(argc, argv));
}

// Its exit code, and what it has printed; 128 + n of a signal.
static int call(int argc, char **argv)
{
  int to[2], status = 0;
  for (int i = 0; i < 2; i++) {
    char name[] = "/tmp/jounce-output-XXXXXX";
    to[i] = mkstemp(name);
    CHECK(to[i] >= 0 && !unlink(name), "no file\n");
  }
  fflush(NULL);
  const pid_t child = fork();
  CHECK(child >= 0, "no process\n");
  if (child == 0) in_a_child(argc, argv, to);
  CHECK(waitpid(child, &status, 0) == child, "no process\n");
  for (int i = 0; i < 2; i++) {
    const ssize_t n = pread(to[i], output[i], MOST_OUTPUT, 0);
    output[i][n > 0 ? n : 0] = 0;
    close(to[i]);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// ---- what must hold -----------------------------------------------------------------------------------------

static bool has(int argc, char **argv, const char *word)
{
  for (int i = 1; i < argc; i++)
    if (!strcmp(argv[i], word)) return true;
  return false;
}

// As an option, and not as the value of the one before it.
static bool asks_for_json(int argc, char **argv)
{
  static const char *const alone[] = {"--json",   "--without-tyres", "--expand", "--channels",
                                      "--design", "--trees",         "--dot",    "--overwrite"};
  for (int i = 1; i < argc; i++) {
    bool is_value = argv[i - 1][0] == '-' && !strchr(argv[i - 1], '=');
    for (size_t k = 0; k < sizeof alone / sizeof *alone; k++)
      is_value = is_value && strcmp(argv[i - 1], alone[k]);
    if (!strcmp(argv[i], "--json") && !is_value) return true;
  }
  return false;
}

static void check_refusal(void)
{
  const char *err = output[1], *end = strchr(err, '\n');
  CHECK(!strncmp(err, "jounce: ", 8), "no message: %s\n", err);
  CHECK(end && !end[1], "more than a line: %s\n", err);
  for (const char *s = err; s < end; s++)
    CHECK((unsigned char)*s >= 0x20 && *s != 0x7f, "control character in: %s\n", err);
  CHECK(!output[0][0], "prints %.80s\n", output[0]);
}

static void check_files(void)
{
  for (int i = 0; i < NINPUT; i++) {
    size_t n = 0;
    char *now = read_whole(inputs[i].name, &n);
    CHECK(now && n == input_size[i] && !memcmp(now, input[i], n), "%s has changed\n",
          inputs[i].name);
    free(now);
  }
}

static int is_unfinished(const char *path, const struct stat *stat, int kind, struct FTW *at)
{
  (void)stat, (void)kind, (void)at;
  static const char *const of_writers[] = {".unfinished", ".part", ".lock"};
  for (size_t i = 0; i < sizeof of_writers / sizeof *of_writers; i++)
    CHECK(!strstr(path, of_writers[i]), "%s is left\n", path);
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static char text[1 << 16];
  char *argv[MOST_ARGUMENTS + 2];
  if (size >= sizeof text || memchr(data, 0, size)) return 0;
  enter();
  fill();
  const int argc = arguments_of(data, size, text, argv), code = call(argc, argv);
  const bool helps = argc < 2 || has(argc, argv, "--help") || has(argc, argv, "-h") ||
                     has(argc, argv, "help") || has(argc, argv, "--version");
  // A run of as many steps as were asked for may be long: the limit of time ends it.
  if (code == 128 + SIGXCPU || code == 128 + SIGKILL) {
    CHECK(has(argc, argv, "run"), "hangs\n");
    return 0;
  }
  CHECK(code <= 3, "exit code %d: %s\n", code, output[1]);
  CHECK(!strstr(output[1], "Sanitizer") && !strstr(output[1], "runtime error"), "%s\n", output[1]);
  if (code == 2 && !helps) check_refusal();
  if (code == 1) CHECK(!strncmp(output[1], "jounce: ", 8), "no message: %s\n", output[1]);
  if (code == 0 && !helps && asks_for_json(argc, argv)) {
    json_error_t why;
    json_t *o = json_loads(output[0], JSON_REJECT_DUPLICATES, &why);
    CHECK(json_is_object(o) || strlen(output[0]) + 1 >= MOST_OUTPUT, "%d:%d %s\n", why.line,
          why.column, why.text);
    json_decref(o);
  }
  check_files();
  nftw(".", is_unfinished, 8, FTW_PHYS);
  return 0;
}

// ---- changes that keep a call near a call -----------------------------------------------------------------

static const char *const words[] = {"run",
                                    "check",
                                    "equilibrium",
                                    "topology",
                                    "plot",
                                    "tyre",
                                    "help",
                                    "--version",
                                    "--help",
                                    "-h",
                                    "--end",
                                    "--step",
                                    "--formulation",
                                    "--integrator",
                                    "--stabilize",
                                    "--path",
                                    "--record",
                                    "--every",
                                    "--out",
                                    "--format",
                                    "--save",
                                    "--from",
                                    "--base",
                                    "--cut",
                                    "--set",
                                    "--without-tyres",
                                    "--json",
                                    "--diagram",
                                    "--expand",
                                    "--channels",
                                    "--design",
                                    "--trees",
                                    "--dot",
                                    "--compare",
                                    "--tyre",
                                    "--at",
                                    "--overwrite",
                                    "--name",
                                    "-",
                                    "",
                                    ".",
                                    "out",
                                    "a.dot",
                                    "a.svg",
                                    "a.html",
                                    "s.state",
                                    "points.csv",
                                    "pendulum.yaml",
                                    "crank.yaml",
                                    "quarter.yaml",
                                    "drive.yaml",
                                    "bump.yaml",
                                    "tyre.tir",
                                    "wrong.yaml",
                                    "result.h5",
                                    "result.csv",
                                    "csv",
                                    "hdf5",
                                    "both",
                                    "recursive",
                                    "independent",
                                    "subsystem",
                                    "rk4",
                                    "ab3",
                                    "reference",
                                    "newton",
                                    "baumgarte",
                                    "none",
                                    "general",
                                    "narrow",
                                    "*",
                                    "*.x",
                                    "solver.*",
                                    "0",
                                    "-1",
                                    "1e-3",
                                    "0.01",
                                    "1e-300",
                                    "1e300",
                                    "nan",
                                    "inf",
                                    "0x10",
                                    "1,5",
                                    "bodies.rod.mass=0.1",
                                    "bodies.rod.mass=-1",
                                    "gravity=[0, 0, 1e300]",
                                    "joints={}",
                                    "a=b",
                                    "=",
                                    "pressure=2e5",
                                    "coefficients.LMUY=0.8",
                                    "A",
                                    "ground",
                                    "crank"};
enum { NWORD = sizeof words / sizeof *words };

static size_t change_argument(uint8_t *data, size_t size, size_t most, unsigned *state)
{
  size_t old;
  const size_t at = find_line(data, size, state, &old);
  const char *word = words[pick(state, NWORD)];
  const bool ends = old > 0 && data[at + old - 1] == '\n';
  return splice(data, size, most, at, pick(state, 3) ? old - ends : 0, word, strlen(word));
}

static size_t add_argument(uint8_t *data, size_t size, size_t most, unsigned *state)
{
  char line[64];
  size_t old;
  snprintf(line, sizeof line, "%s\n", words[pick(state, NWORD)]);
  return splice(data, size, most, find_line(data, size, state, &old), 0, line, strlen(line));
}

static size_t take_argument(uint8_t *data, size_t size, size_t most, unsigned *state)
{
  size_t old;
  const size_t at = find_line(data, size, state, &old);
  return splice(data, size, most, at, old, "", 0);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
  static const mutation some[] = {change_argument, change_argument, add_argument, add_argument,
                                  take_argument};
  return mutate(data, size, most, seed, some, sizeof some / sizeof *some);
}
