// bench.c: what `jounce bench` measures, from the project's folder; without a suite all but `work`.
//
//   compile    from a file to a plan
//   functions  elementary functions
//   tyres      four tyres, as laws alone                            (tyres.c)
//   models     a step of every model in every formulation           (steps.c)
//   vehicles   a step of the vehicles, and where it goes            (vehicles.c)
//   additions  a step of a vehicle with what users add to it        (additions.c)
//   rows       rows of channels in each step                        (rows.c)
//   scaling    a step of chains of 10 to 10,000 bodies              (steps.c)
//   work       instructions of single steps, counted by valgrind    (work.c)
//
// Timings are the fastest of several repeats: this is about the code, not about what else a machine
// does. docs/performance.md explains them.
#include "bench.h"

#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "functions.h"
#include "jounce/jounce.h"
#include "subject.h"

// Read and compile a text; prints a line of the table.
static int measure(bench *b, const char *name, const char *text, size_t length, int repeats)
{
  double read = 1e9, compile = 1e9;
  jn_model_counts n = {0};
  jn_error err = {0};
  for (int i = 0; i < repeats; i++) {
    jn_spec *spec = NULL;
    jn_model *model = NULL;
    double t0 = bench_now();
    jn_status st = jn_spec_parse(text, length, name, NULL, 0, &spec, &err);
    double t1 = bench_now();
    if (!st) st = jn_model_compile(spec, NULL, &model, &err);
    double t2 = bench_now();
    if (st) return bench_say(&err);
    if (t1 - t0 < read) read = t1 - t0;
    if (t2 - t1 < compile) compile = t2 - t1;
    n = jn_model_count(model);
    jn_model_free(model);
    jn_spec_free(spec);
  }
  bench_row(b, name,
            (bench_column[]){{"bodies", n.bodies, 0},
                             {"joints", n.joints, 0},
                             {"dof", n.dof, 0},
                             {"read ms", 1e3 * read, 3},
                             {"compile ms", 1e3 * compile, 3},
                             {0}});
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

// A hanging chain of n links on revolute joints; with `rungs`, every tenth link is tied to the one
// three further on by a distance joint.
char *bench_chain(int n, int rungs, size_t *length)
{
  char *text = NULL;
  FILE *out = open_memstream(&text, length);
  if (!out) return NULL;
  // Gravity askew, so that every joint moves at once and no number is denormal.
  fprintf(out, "jounce: 1\ngravity: [2, 1, -9.6]\nbodies:\n");
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

static int suite_compile(bench *b)
{
  glob_t files;
  int wrong = glob("models/*.yaml", 0, NULL, &files) != 0;
  for (size_t i = 0; !wrong && i < files.gl_pathc; i++) {
    size_t length = 0;
    char *text = read_whole(files.gl_pathv[i], &length);
    wrong = !text || measure(b, files.gl_pathv[i], text, length, b->quick ? 1 : 20);
    free(text);
  }
  globfree(&files);
  for (int rungs = 0; rungs < 2 && !wrong; rungs++) {
    size_t length = 0;
    char *text = bench_chain(10000, rungs, &length);
    wrong = !text || measure(b, rungs ? "chain of 10,000 with 1,000 ties" : "chain of 10,000", text,
                             length, b->quick ? 1 : 3);
    free(text);
  }
  return wrong;
}

// Nanoseconds of one call, when calls do not wait for each other. At one lane the compiler may put
// several calls of this loop into one vector.
static double time_function(void (*run)(int, const double *, double *, int), int width,
                            int function)
{
  enum { N = 1024, ROUNDS = 200 };
  static double x[N], out[N];
  double best = 1e9;
  for (int i = 0; i < N; i++) x[i] = 0.05 + 3.0 * i / N;
  for (int repeat = 0; repeat < 5; repeat++) {
    double t0 = bench_now();
    for (int r = 0; r < ROUNDS; r++) {
      run(function, x, out, N);
      x[r % N] += 1e-9 * out[r % N];  // so that no round can be left out
    }
    double t = (bench_now() - t0) / ((double)ROUNDS * N / width);
    if (t < best) best = t;
  }
  return 1e9 * best;
}

static int suite_functions(bench *b)
{
#define X(name, expression) #name,
  static const char *const names[] = {BENCH_FUNCTIONS(X)};
#undef X
#if defined __x86_64__
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return 0;
#endif
  for (int i = 0; i < BENCH_NFUNCTION; i++)
    bench_row(b, names[i],
              (bench_column[]){{"ns, one lane", time_function(bench_functions_1, 1, i), 1},
                               {"ns, four lanes", time_function(bench_functions_4, 4, i), 1},
                               {0}});
  return 0;
}

// ---- tables -------------------------------------------------------------------------------------

static void begin(bench *b, const char *suite)
{
  b->table = suite;
  b->rows = 0;
  if (b->json) printf("%s\n  \"%s\": [", b->suites ? "," : "{", suite);
  b->suites++;
}

static void end(const bench *b)
{
  if (b->json) printf("%s]", b->rows ? "\n  " : "");
  if (!b->json) printf("\n");
}

void bench_head(bench *b, const char *table)
{
  printf("\n");
  b->table = table;
  b->rows = 0;
}

void bench_note(const bench *b, const char *text)
{
  if (!b->json) printf("%s%s\n", b->markdown ? "\n" : "", text);
}

static void put_value(char *text, size_t size, const bench_column *c, const char *none)
{
  if (isnan(c->value))
    snprintf(text, size, "%s", none);
  else if (c->digits == BENCH_POWER)
    snprintf(text, size, "%.1e", c->value);
  else
    snprintf(text, size, "%.*f", c->digits, c->value);
}

static void put_json(const bench *b, const char *name, const bench_column *c)
{
  printf("%s\n    {\"name\": \"%s\"", b->rows ? "," : "", name);
  for (; c->name; c++) {
    char text[32];
    put_value(text, sizeof text, c, "null");
    printf(", \"%s\": %s", c->name, text);
  }
  printf("}");
}

static void put_line(const bench *b, const char *name, const bench_column *c, bool head)
{
  printf(b->markdown ? "| %s |" : "%-36s", name);
  for (; c->name; c++) {
    const int width = (int)strlen(c->name) + 2;
    char text[32];
    put_value(text, sizeof text, c, "-");
    printf(b->markdown ? " %*s |" : " %*s",
           b->markdown  ? 0
           : width > 10 ? width
                        : 10,
           head ? c->name : text);
  }
  printf("\n");
}

void bench_row(bench *b, const char *name, const bench_column *c)
{
  if (b->json) {
    put_json(b, name, c);
  } else {
    if (!b->rows) put_line(b, b->table, c, true);
    if (!b->rows && b->markdown) {
      printf("|---|");
      for (const bench_column *k = c; k->name; k++) printf("---:|");
      printf("\n");
    }
    put_line(b, name, c, false);
  }
  b->rows++;
  fflush(stdout);
}

static const struct {
  const char *name;
  int (*run)(bench *b);
  int asked;  // runs only if it is asked for
} suites[] = {{"compile", suite_compile, 0},   {"functions", suite_functions, 0},
              {"tyres", bench_tyre_laws, 0},   {"models", bench_models, 0},
              {"vehicles", bench_vehicles, 0}, {"additions", bench_additions, 0},
              {"rows", bench_rows, 0},         {"scaling", bench_scaling, 0},
              {"work", bench_work_suite, 1}};

int bench_run(bench *b, const char *suite)
{
  int wrong = 0;
  for (size_t i = 0; i < sizeof suites / sizeof *suites && !wrong; i++) {
    if (suite ? strcmp(suite, suites[i].name) != 0 : suites[i].asked) continue;
    begin(b, suites[i].name);
    wrong = suites[i].run(b);
    end(b);
  }
  if (b->json) printf("\n}\n");
  return wrong;
}

const char *bench_suite(int i)
{
  return i < (int)(sizeof suites / sizeof *suites) ? suites[i].name : NULL;
}
