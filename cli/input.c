// input.c: a model and a scenario from the command line, for the commands that simulate.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

int jn_cli_input_begin(jn_cli_input *in, int argc)
{
  *in = (jn_cli_input){.set = calloc((size_t)argc, sizeof *in->set),
                       .cut = calloc((size_t)argc, sizeof *in->cut)};
  in->compile.cut = in->cut;
  return in->set && in->cut ? JN_EXIT_DONE : jn_cli_no_memory();
}

int jn_cli_input_take(jn_cli_input *in, const char *command, int argc, char **argv, int *i)
{
  const char *name = argv[*i], *value;
  if ((value = jn_cli_value(argc, argv, i, "--set")))
    in->set[in->nset++] = value;
  else if ((value = jn_cli_value(argc, argv, i, "--cut")))
    in->cut[in->compile.ncut++] = value;
  else if ((value = jn_cli_value(argc, argv, i, "--base")))
    in->compile.base = value;
  else if (!strcmp(name, "--without-tyres"))
    in->without_tyres = 1;
  else if (!strcmp(name, "--json"))
    in->json = 1;
  else if (name[0] == '-' && name[1])
    return jn_cli_misuse(command, "%s has no option \"%s\"", command, name);
  else if (!in->model_file)
    in->model_file = name;
  else if (!in->scenario_file)
    in->scenario_file = name;
  else
    return jn_cli_misuse(command, "%s takes one model and one scenario, found \"%s\" too", command,
                         name);
  return jn_cli_has_value(command, name, value);
}

int jn_cli_has_value(const char *command, const char *name, const char *value)
{
  if (!value || *value) return JN_EXIT_DONE;
  return jn_cli_misuse(command, "%.*s lacks its value", (int)strcspn(name, "="), name);
}

int jn_cli_word(const char *command, const char *which, const char *value, int *out)
{
  char known[256] = "";
  *out = jn_sim_word(which, value);
  if (*out >= 0) return JN_EXIT_DONE;
  for (int i = 0; jn_sim_word_of(which, i); i++) {
    size_t used = strlen(known);
    snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", jn_sim_word_of(which, i));
  }
  return jn_cli_misuse(command, "--%s is \"%s\", expected one of %s", which, value, known);
}

int jn_cli_input_open(jn_cli_input *in)
{
  jn_error err = {0};
  jn_status st = jn_spec_load(in->model_file, in->set, in->nset, &in->spec, &err);
  if (!st && in->scenario_file) st = jn_scenario_load(in->scenario_file, &in->scenario, &err);
  if (!st) st = jn_model_compile(in->spec, &in->compile, &in->model, &err);
  return st ? jn_cli_error(&err) : JN_EXIT_DONE;
}

void jn_cli_input_end(jn_cli_input *in)
{
  jn_system_free(in->system);
  jn_scenario_free(in->scenario);
  jn_model_free(in->model);
  jn_spec_free(in->spec);
  free(in->set);
  free(in->cut);
}
