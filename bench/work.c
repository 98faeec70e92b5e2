// work.c: is the work of a step constant? valgrind's callgrind counts the instructions of each step
// alone: it collects inside of jn_step, and writes a file and begins anew whenever jn_step returns.
//
// The first steps are those of Runge and Kutta that multistep methods begin with.
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

static int count(bench *b, const char *folder, const char *model, const char *formulation)
{
  char command[2048], file[512], name[128];
  snprintf(command, sizeof command,
           "valgrind -q --tool=callgrind --toggle-collect=jn_step --dump-after=jn_step "
           "--callgrind-out-file=%s/out %s --steps %s %s %d",
           folder, b->command, model, formulation, STEPS);
  if (system(command)) return 1;
  double least = 1e300, most = 0.0, first = 0.0;
  for (int i = 1; i <= STEPS; i++) {
    snprintf(file, sizeof file, "%s/out.%d", folder, i);
    const double n = total_of(file);
    remove(file);
    if (i == 1) first = n;
    if (i <= FIRST) continue;
    least = n < least ? n : least;
    most = n > most ? n : most;
  }
  snprintf(file, sizeof file, "%s/out", folder);
  remove(file);
  snprintf(name, sizeof name, "%s, %s", model, formulation);
  bench_row(b, name,
            (bench_column[]){{"first step", first, 0},
                             {"least", least, 0},
                             {"most", most, 0},
                             {"differ", most - least, 0},
                             {0}});
  return least <= 0.0;
}

int bench_work(bench *b)
{
  static const char *const model[] = {"models/slider-crank.yaml", "models/quarter-car.yaml",
                                      "models/hmmwv.yaml", "models/peer-vehicle.yaml"};
  char folder[] = "/tmp/jounce-bench-XXXXXX";
  if (system("valgrind --version > /dev/null 2>&1")) {
    fprintf(stderr, "jounce: valgrind is not installed\n");
    return 1;
  }
  if (!mkdtemp(folder)) return 1;
  int wrong = 0;
  for (size_t i = 0; i < sizeof model / sizeof *model; i++)
    for (int f = 0; f < JN_NFORMULATION && !wrong; f++)
      wrong = count(b, folder, model[i], jn_sim_word_of("formulation", f));
  rmdir(folder);
  if (!b->json)
    printf(
        "instructions of a step of ab3 at 1 ms, from the fourth step to the hundredth; libc's "
        "memcpy may\n"
        "differ by a few, because it looks at addresses\n");
  return wrong;
}
