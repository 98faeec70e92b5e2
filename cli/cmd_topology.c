// cmd_topology.c: `jounce topology MODEL`
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

const char jn_help_topology[] =
    "  jounce topology models/quarter-car.yaml\n"
    "  jounce topology models/hmmwv.yaml --dot | dot -Tsvg > hmmwv.svg\n"
    "  jounce topology models/hmmwv.yaml --json\n"
    "\n"
    "  --cut J          cut this joint (may be given several times)\n"
    "  --base B         take this body as the base\n"
    "  --trees          list every spanning tree, up to 65536 of them\n"
    "  --dot            print a Graphviz graph: cut joints dashed, like subsystems in one colour\n"
    "  --json           print one JSON object: also orders, joint frames, initial coordinates, "
    "blocks\n"
    "                   of mass matrix and constraint Jacobian that are not zero\n"
    "  --set PATH=VALUE override a value of the file (may be given several times)\n"
    "\n"
    "With --cut or --base, or `topology` in the file, the text ends with what the choice costs\n"
    "against the automatic one. jounce check MODEL --diagram FILE.svg draws components too.\n";

typedef struct call {
  const char *file;
  jn_compile_opts opts;
  const char **set, **cut;
  int nset, dot, json;
} call;

static int parse(call *c, int argc, char **argv)
{
  for (int i = 1; i < argc; i++) {
    const char *value;
    if ((value = jn_cli_value(argc, argv, &i, "--cut")))
      c->cut[c->opts.ncut++] = value;
    else if ((value = jn_cli_value(argc, argv, &i, "--base")))
      c->opts.base = value;
    else if ((value = jn_cli_value(argc, argv, &i, "--set")))
      c->set[c->nset++] = value;
    else if (!strcmp(argv[i], "--trees"))
      c->opts.trees = 1;
    else if (!strcmp(argv[i], "--dot"))
      c->dot = 1;
    else if (!strcmp(argv[i], "--json"))
      c->json = 1;
    else if (argv[i][0] == '-' && argv[i][1])
      return jn_cli_misuse("topology", "topology has no option \"%s\"", argv[i]);
    else if (c->file)
      return jn_cli_misuse("topology", "topology takes one model, found \"%s\" too", argv[i]);
    else
      c->file = argv[i];
    if (value && !*value) return jn_cli_misuse("topology", "an option lacks its value");
  }
  c->opts.cut = c->cut;
  if (!c->file) return jn_cli_misuse("topology", "topology needs a model");
  if (c->dot && c->json) return jn_cli_misuse("topology", "choose one of --dot and --json");
  return JN_EXIT_DONE;
}

static void show_price(const jn_model_counts *a, const jn_model_counts *b)
{
  printf("\n%-26s%12s%12s\n", "price of the choice", "automatic", "chosen");
  printf("%-26s%12d%12d\n", "coordinates", a->coordinates, b->coordinates);
  printf("%-26s%12d%12d\n", "constraints", a->constraints, b->constraints);
  printf("%-26s%12.1f%12.1f\n", "weight of the tree", a->weight, b->weight);
  printf("%-26s%12d%12d\n", "longest chain", a->longest_chain, b->longest_chain);
  printf("%-26s%12.0f%12.0f\n", "operations (subsystem)", a->operations, b->operations);
}

// With initial coordinates, where the model can be assembled and that takes no longer than a look at it should. No plug-in is
// loaded for it.
static int show_json(const jn_model *model)
{
  enum { QUICK_BODIES = 500 };
  jn_error err = {0};
  jn_system *system = NULL;
  const jn_model_counts n = jn_model_count(model);
  if ((!n.constraints || n.bodies <= QUICK_BODIES) &&
      jn_system_create(model, NULL, &(jn_sim_opts){.without_plugins = 1}, &system, &err) ==
          JN_E_MEMORY)
    return jn_cli_error(&err);
  const jn_status st = jn_model_show_json(model, system, stdout, &err);
  jn_system_free(system);
  return st ? jn_cli_error(&err) : JN_EXIT_DONE;
}

static int show(const call *c, const jn_spec *spec, const jn_model *model)
{
  jn_error err = {0};
  if (c->json) return show_json(model);
  if (c->dot) {
    jn_model_show_dot(model, stdout);
    return JN_EXIT_DONE;
  }
  jn_model *automatic;  // what would be without the choices of the call and of the file
  if (jn_model_compile(spec, &(jn_compile_opts){.automatic = 1}, &automatic, &err))
    return jn_cli_error(&err);
  jn_model_show_text(model, stdout);
  jn_model_counts a = jn_model_count(automatic), b = jn_model_count(model);
  bool chosen = c->opts.base || c->opts.ncut || a.weight != b.weight ||
                a.coordinates != b.coordinates || a.longest_chain != b.longest_chain;
  if (chosen) show_price(&a, &b);
  jn_model_free(automatic);
  return JN_EXIT_DONE;
}

int jn_cmd_topology(int argc, char **argv)
{
  call c = {.set = calloc((size_t)argc, sizeof *c.set), .cut = calloc((size_t)argc, sizeof *c.cut)};
  int code = c.set && c.cut ? parse(&c, argc, argv) : jn_cli_no_memory();
  jn_spec *spec = NULL;
  jn_model *model = NULL;
  jn_error err = {0};
  if (!code && (jn_spec_load(c.file, c.set, c.nset, &spec, &err) ||
                jn_model_compile(spec, &c.opts, &model, &err)))
    code = jn_cli_error(&err);
  if (!code) code = show(&c, spec, model);
  jn_model_free(model);
  jn_spec_free(spec);
  free(c.set);
  free(c.cut);
  return code;
}
