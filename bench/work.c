// work.c: is the work of a step constant? valgrind's callgrind counts the instructions of each step
// alone: it collects inside of jn_step, and writes a file and begins anew whenever jn_step returns.
//
// The first steps are those of Runge and Kutta that multistep methods begin with.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "jounce/sim.h"

enum { STEPS = 100, FIRST = 3 };  // of a run; from the fourth on they are compared

// The number behind "totals:" or "summary:", 0 if there is none.
static double total_of(const char *file)
{
  FILE *in = fopen(file, "r");
  char line[4096];
  double total = 0.0;
  while (in && fgets(line, sizeof line, in))
    if (!strncmp(line, "totals: ", 8) || !strncmp(line, "summary: ", 9))
      total = atof(strchr(line, ' '));
  if (in) fclose(in);
  return total;
}

bool bench_work_count(const bench *b, const char *model, const char *scenario, const bench_way *way,
                      int steps, bench_work *work)
{
  char command[2048], file[512], folder[] = "/tmp/jounce-bench-XXXXXX";
  if (system("valgrind --version > /dev/null 2>&1") || !mkdtemp(folder)) return false;
  snprintf(command, sizeof command,
           "valgrind -q --tool=callgrind --toggle-collect=jn_step --dump-after=jn_step "
           "--callgrind-out-file=%s/out %s --steps %s %s %s %d",
           folder, b->command, model, scenario, way->name, steps);
  const bool done = !system(command);
  *work = (bench_work){.least = INFINITY};
  for (int i = 1; i <= steps; i++) {
    snprintf(file, sizeof file, "%s/out.%d", folder, i);
    const double n = total_of(file);
    remove(file);
    if (i == 1) work->first = n;
    if (i <= FIRST) continue;
    work->least = fmin(work->least, n);
    work->most = fmax(work->most, n);
  }
  snprintf(file, sizeof file, "%s/out", folder);
  remove(file);
  rmdir(folder);
  return done && work->least > 0.0;
}

static double count_all(const bench *b, const char *model, const char *scenario,
                        const bench_way *way, int steps, const char *rows)
{
  char command[2048], file[] = "/tmp/jounce-bench-XXXXXX";
  const int f = mkstemp(file);
  if (f < 0) return NAN;
  close(f);
  snprintf(command, sizeof command,
           "valgrind -q --tool=callgrind --toggle-collect=jn_step --toggle-collect=jn_rows_fill "
           "--callgrind-out-file=%s %s --steps %s %s %s %d %s",
           file, b->command, model, scenario, way->name, steps, rows);
  const double n = system(command) ? NAN : total_of(file);
  remove(file);
  return n;
}

// By the difference of two runs: files written between two functions that are both collected leave some out.
double bench_work_rows(const bench *b, const char *model, const char *scenario,
                       const bench_way *way, const char *rows)
{
  enum { SHORT = 10, LONG = 30 };
  if (system("valgrind --version > /dev/null 2>&1")) return NAN;
  const double few = count_all(b, model, scenario, way, SHORT, rows),
               many = count_all(b, model, scenario, way, LONG, rows);
  return (many - few) / (LONG - SHORT);
}

static int count(bench *b, const bench_vehicle *v, const bench_way *way)
{
  char name[128];
  bench_work w;
  if (!bench_work_count(b, v->model, v->scenario, way, b->quick ? 10 : STEPS, &w)) return 1;
  snprintf(name, sizeof name, "%s, %s", v->name, way->name);
  bench_row(b, name,
            (bench_column[]){{"first step", w.first, 0},
                             {"least", w.least, 0},
                             {"most", w.most, 0},
                             {"differ", w.most - w.least, 0},
                             {0}});
  return 0;
}

int bench_work_suite(bench *b)
{
  if (system("valgrind --version > /dev/null 2>&1")) {
    fprintf(stderr, "jounce: valgrind is not installed\n");
    return 1;
  }
  int wrong = 0;
  for (int i = 0; bench_vehicle_at(i); i++)
    for (int k = 0; bench_way_at(b, k) && !wrong; k++)
      wrong = count(b, bench_vehicle_at(i), bench_way_at(b, k));
  bench_note(b,
             "instructions of a step of each vehicle's scenario without reactions and energy, from "
             "the fourth step on; "
             "libc's memcpy may differ by a few, because it looks at addresses");
  return wrong;
}
