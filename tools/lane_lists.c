// lane_lists.c: prints the lists of operations of models as src/solve/fast/precompiled.inc, which compiles them in.
//
//   lane_lists MODEL[:SCENARIO]... > src/solve/fast/precompiled.inc
#include <stdio.h>
#include <string.h>

#include "jounce/jounce.h"
#include "solve/fast/fast.h"

static const char *const words[] = {
#define X(name, word) #word,
    LANE_OPS(X)
#undef X
};
static const char *const kinds[] = {
#define X(name, word) #name,
    LANE_OPS(X)
#undef X
};
static const char *const phases[LANE_ROW] = {"POSE",          "FACTORS",     "RATE",
                                             "MOTION",        "FORCE",       "INERTIA",
                                             "ACCELERATIONS", "CORRECTIONS", "CLOSURE"};

enum { MOST = 400 };
static struct {
  const lane_op *op;
  int nop, phase;
} seen[MOST];
static int nseen;

static int same(const lane_op *a, const lane_op *b, int n)
{
  for (int i = 0; i < n; i++)
    if (a[i].kind != b[i].kind || a[i].narg != b[i].narg ||
        memcmp(a[i].arg, b[i].arg, (size_t)a[i].narg * sizeof *a[i].arg))
      return 0;
  return 1;
}

static void print_list(const lane_op *op, int nop, int phase, const char *name)
{
  for (int i = 0; i < nseen; i++)
    if (seen[i].phase == phase && seen[i].nop == nop && same(seen[i].op, op, nop)) return;
  if (nseen == MOST || !nop) return;
  seen[nseen].op = op, seen[nseen].nop = nop, seen[nseen].phase = phase;
  printf("PHASE(%d, %s, \"%s\")\n", nseen++, phases[phase], name);
  for (int i = 0; i < nop; i++) {
    printf("OP(%s, %s", kinds[op[i].kind], words[op[i].kind]);
    for (int k = 0; k < op[i].narg; k++) printf(", %d", op[i].arg[k]);
    printf(")\n");
  }
  printf("END\n");
}

static void print_system(const jn_system *system)
{
  for (int g = 0; g < system->lane->ngroup; g++) {
    const lane_group *k = &system->lane->group[g];
    for (int p = 0; p < LANE_ROW; p++)
      print_list(k->op[p], k->nop[p], p, system->model->spec->name);
  }
}

static int print_model(char *name)
{
  jn_error err = {0};
  jn_spec *spec;
  jn_model *model;
  jn_scenario *scenario = NULL;
  jn_system *system;
  char *second = strchr(name, ':');
  if (second) *second++ = 0;
  if (jn_spec_load(name, NULL, 0, &spec, &err) || jn_model_compile(spec, NULL, &model, &err) ||
      (second && jn_scenario_load(second, &scenario, &err))) {
    fprintf(stderr, "%s: %s\n", name, err.text);
    return 1;
  }
  static const jn_stabilize ways[] = {JN_STABILIZE_PROJECTION, JN_STABILIZE_DELAYED};
  for (int w = 0; w < 2; w++) {
    jn_sim_opts opts = jn_sim_opts_of(scenario);
    opts.stabilize = ways[w];
    if (jn_system_create(model, scenario, &opts, &system, &err) || !system->lane) {
      fprintf(stderr, "%s: %s\n", name, err.text[0] ? err.text : system->lane_reason);
      return 1;
    }
    print_system(system);
  }
  return 0;  // kept until the end: later lists are compared with them
}
int main(int argc, char **argv)
{
  printf("// Made by tools/lane_lists (make lists): operation lists of the shipped vehicles.\n");
  int wrong = 0;
  for (int i = 1; i < argc; i++) wrong |= print_model(argv[i]);
  return wrong;
}
