// cmd_check.c: `jounce check MODEL`
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

const char jn_help_check[] =
    "  --expand         print the whole model as one file, in SI units and ISO axes\n"
    "  --json           print one JSON object\n"
    "  --set PATH=VALUE override a value of the file (may be given several times)\n"
    "\n"
    "A model that is wrong gives one line with its position, and exit code 2.\n";

static int show_expanded(const jn_spec *spec)
{
  char *text;
  jn_error err = {0};
  if (jn_spec_print(spec, &text, NULL, &err)) return jn_cli_error(&err);
  fputs(text, stdout);
  free(text);
  return JN_EXIT_DONE;
}

static json_t *known(int n)
{
  return n >= 0 ? json_integer(n) : json_null();
}

static int show_json(const char *file, const jn_model_counts *n)
{
  json_t *name = json_string(file);  // NULL: the name is not UTF-8
  json_t *o =
      json_pack("{s:o, s:i, s:i, s:i, s:i, s:i, s:o, s:o, s:b}", "file", name ? name : json_null(),
                "bodies", n->bodies, "joints", n->joints, "cuts", n->cuts, "coordinates",
                n->coordinates, "constraints", n->constraints, "dof", known(n->dof), "redundant",
                known(n->redundant), "singular", n->singular);
  int wrong = !o || json_dumpf(o, stdout, JSON_INDENT(2));
  putchar('\n');
  json_decref(o);
  return wrong ? JN_EXIT_FAILED : JN_EXIT_DONE;
}

static void show_text(const char *file, const jn_model_counts *n)
{
  printf("%s: good\n", file);
  printf("%d bod%s, %d joint%s, %d of them cut\n", n->bodies, n->bodies == 1 ? "y" : "ies",
         n->joints, n->joints == 1 ? "" : "s", n->cuts);
  printf("%d coordinates, %d constraints, ", n->coordinates, n->constraints);
  if (n->dof >= 0)
    printf("%d of them redundant: %d degree%s of freedom\n", n->redundant, n->dof,
           n->dof == 1 ? "" : "s");
  else
    printf("too many for a rank: degrees of freedom unknown\n");
  if (n->redundant > 0)
    printf(
        "note: redundant constraints leave reactions undetermined; jounce topology names the "
        "joints\n");
  if (n->singular)
    printf("note: the design position is singular; jounce topology names the loops\n");
}

int jn_cmd_check(int argc, char **argv)
{
  const char *file = NULL, *value, **set = calloc((size_t)argc, sizeof *set);
  int nset = 0, expand = 0, json = 0, code = set ? JN_EXIT_DONE : JN_EXIT_FAILED;
  for (int i = 1; i < argc && !code; i++) {
    if ((value = jn_cli_value(argc, argv, &i, "--set"))) {
      if (!*value) code = jn_cli_misuse("check", "--set lacks its PATH=VALUE");
      set[nset++] = value;
    } else if (!strcmp(argv[i], "--expand")) {
      expand = 1;
    } else if (!strcmp(argv[i], "--json")) {
      json = 1;
    } else if (argv[i][0] == '-' && argv[i][1]) {
      code = jn_cli_misuse("check", "check has no option \"%s\"", argv[i]);
    } else if (file) {
      code = jn_cli_misuse("check", "check takes one model, found \"%s\" too", argv[i]);
    } else {
      file = argv[i];
    }
  }
  if (!code && !file) code = jn_cli_misuse("check", "check needs a model");
  if (!code && expand && json) code = jn_cli_misuse("check", "choose one of --expand and --json");

  jn_spec *spec = NULL;
  jn_model *model = NULL;
  jn_error err = {0};
  if (!code &&
      (jn_spec_load(file, set, nset, &spec, &err) || jn_model_compile(spec, NULL, &model, &err)))
    code = jn_cli_error(&err);
  if (!code && expand) {
    code = show_expanded(spec);
  } else if (!code) {
    jn_model_counts n = jn_model_count(model);
    if (json)
      code = show_json(file, &n);
    else
      show_text(file, &n);
  }
  jn_model_free(model);
  jn_spec_free(spec);
  free(set);
  return code ? code : jn_cli_finish();
}
