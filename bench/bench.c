// bench.c: how long it takes from a file to a plan, and what the elementary functions cost. `make bench` runs
// it from the project's folder.
//
// Timings are the fastest of several repeats: this is about the code, not about what else a machine does.
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "functions.h"
#include "jounce/jounce.h"

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Read and compile a text; prints a line of the table.
static int measure(const char *name, const char *text, size_t length, int repeats)
{
  double read = 1e9, compile = 1e9;
  jn_model_counts n = {0};
  jn_error err = {0};
  for (int i = 0; i < repeats; i++) {
    jn_spec *spec = NULL;
    jn_model *model = NULL;
    double t0 = now();
    jn_status st = jn_spec_parse(text, length, name, NULL, 0, &spec, &err);
    double t1 = now();
    if (!st) st = jn_model_compile(spec, NULL, &model, &err);
    double t2 = now();
    if (st) {
      char line[1024];
      fprintf(stderr, "%s\n", jn_error_line(&err, line, sizeof line));
      return 1;
    }
    if (t1 - t0 < read) read = t1 - t0;
    if (t2 - t1 < compile) compile = t2 - t1;
    n = jn_model_count(model);
    jn_model_free(model);
    jn_spec_free(spec);
  }
  printf("%-36s %7d %7d %6d %10.3f %10.3f\n", name, n.bodies, n.joints, n.dof, 1e3 * read,
         1e3 * compile);
  return 0;
}

static char *read_whole(const char *file, size_t *length)
{
  FILE *in = fopen(file, "rb");
  char *text = in ? malloc(1 << 24) : NULL;
  if (text) *length = fread(text, 1, 1 << 24, in);
  if (in) fclose(in);
  return text;
}

// A hanging chain of n links on revolute joints; with `rungs`, every tenth link is tied to the one three
// further on by a distance joint.
static char *chain(int n, int rungs, size_t *length)
{
  char *text = NULL;
  FILE *out = open_memstream(&text, length);
  if (!out) return NULL;
  fprintf(out, "jounce: 1\nbodies:\n");
  for (int i = 0; i < n; i++)
    fprintf(out, "  b%d: {mass: 1, cg: [0, 0, %g], inertia: [0.1, 0.1, 0.1]}\n", i, -i - 0.5);
  fprintf(out, "joints:\n");
  for (int i = 0; i < n; i++) {
    fprintf(out, "  j%d: {type: revolute, ", i);
    if (i == 0) fprintf(out, "bodies: [ground, b0], ");
    if (i > 0) fprintf(out, "bodies: [b%d, b%d], ", i - 1, i);
    fprintf(out, "at: [0, 0, %d], axis: [%d, %d, 0]}\n", -i, i % 2, 1 - i % 2);
  }
  for (int i = 0; rungs && i + 3 < n; i += 10)
    fprintf(out,
            "  tie%d: {type: distance, bodies: [b%d, b%d], at: [[0.2, 0, %g], [0.2, 0.1, %g]]}\n",
            i, i, i + 3, -i - 0.5, -i - 3.5);
  fclose(out);
  return text;
}

static int measure_models(void)
{
  printf("%-36s %7s %7s %6s %10s %10s\n", "model", "bodies", "joints", "dof", "read ms",
         "compile ms");
  glob_t files;
  int wrong = glob("models/*.yaml", 0, NULL, &files) != 0;
  for (size_t i = 0; !wrong && i < files.gl_pathc; i++) {
    size_t length = 0;
    char *text = read_whole(files.gl_pathv[i], &length);
    wrong = !text || measure(files.gl_pathv[i], text, length, 20);
    free(text);
  }
  globfree(&files);
  for (int rungs = 0; rungs < 2 && !wrong; rungs++) {
    size_t length = 0;
    char *text = chain(10000, rungs, &length);
    wrong = !text ||
            measure(rungs ? "chain of 10,000 with 1,000 ties" : "chain of 10,000", text, length, 3);
    free(text);
  }
  return wrong;
}

// Nanoseconds of one call, when calls do not wait for each other. At one lane the compiler may put several
// calls of this loop into one vector.
static double time_function(void (*run)(int, const double *, double *, int), int width,
                            int function)
{
  enum { N = 1024, ROUNDS = 200 };
  static double x[N], out[N];
  double best = 1e9;
  for (int i = 0; i < N; i++) x[i] = 0.05 + 3.0 * i / N;
  for (int repeat = 0; repeat < 5; repeat++) {
    double t0 = now();
    for (int r = 0; r < ROUNDS; r++) {
      run(function, x, out, N);
      x[r % N] += 1e-9 * out[r % N];  // so that no round can be left out
    }
    double t = (now() - t0) / ((double)ROUNDS * N / width);
    if (t < best) best = t;
  }
  return 1e9 * best;
}

static void measure_functions(void)
{
#define X(name, expression) #name,
  static const char *const names[] = {BENCH_FUNCTIONS(X)};
#undef X
  printf("\n%-36s %15s %15s\n", "function", "ns, one lane", "ns, four lanes");
  for (int i = 0; i < BENCH_NFUNCTION; i++)
    printf("%-36s %15.1f %15.1f\n", names[i], time_function(bench_functions_1, 1, i),
           time_function(bench_functions_4, 4, i));
}

int main(void)
{
  if (measure_models()) {
    fprintf(stderr, "bench: run it from the project's folder\n");
    return 1;
  }
#if defined __x86_64__
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return 0;
#endif
  measure_functions();
  return 0;
}
