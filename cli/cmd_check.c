// cmd_check.c: `jounce check MODEL`
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"
#include "json/json.h"

const char jn_help_check[] =
    "  jounce check models/hmmwv.yaml\n"
    "  jounce check models/hmmwv.yaml scenarios/hmmwv-yaw-hold.yaml\n"
    "  jounce check models/hmmwv.yaml scenarios/hmmwv-yaw-hold.yaml --diagram hmmwv.svg\n"
    "\n"
    "  SCENARIO         with its inputs, drivers and components; what a run would refuse is "
    "refused\n"
    "  --diagram [FILE] draw subsystems, bodies and joints, and beside them components, their "
    "ports\n"
    "                   and signals: FILE.svg, .png, .pdf (drawn by Graphviz), .dot; without FILE, "
    "or\n"
    "                   with -, a Graphviz graph on standard output\n"
    "  --expand         print the whole model as one file, in SI units and ISO axes\n"
    "  --channels       list all channels that a run has: name, unit, what it is\n"
    "  --plugins        load the plug-ins that the model names: this runs their code\n"
    "  --json           print one JSON object\n"
    "  --set PATH=VALUE override a value of the file (may be given several times)\n"
    "\n"
    "It reports counts, inputs that are given and that are left at zero, components and what they\n"
    "read and drive, how a run is computed (in lanes, or by the general path and why), and notes:\n"
    "preloads that were balanced, wheels that hang above the road or sink into it.\n"
    "Without --plugins no code runs but jounce's own: plug-ins exert no force (tyres carry, and "
    "do\n"
    "no more) and have no channels of their own.\n"
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

// "m/s²" is four characters wide, but longer in bytes.
static int width_of(const char *text)
{
  int n = 0;
  for (; *text; text++) n += (*text & 0xc0) != 0x80;
  return n;
}

static void show_channels(const jn_system *system)
{
  const int n = jn_channel_count(system);
  int name = 0, unit = 0;
  for (int i = 0; i < n; i++) {
    const jn_channel c = jn_channel_at(system, i);
    name = width_of(c.name) > name ? width_of(c.name) : name;
    unit = width_of(c.unit) > unit ? width_of(c.unit) : unit;
  }
  for (int i = 0; i < n; i++) {
    const jn_channel c = jn_channel_at(system, i);
    printf("%s%*s  %s%*s  %s\n", c.name, name - width_of(c.name), "", c.unit,
           unit - width_of(c.unit), "", c.help);
  }
}

static json_t *channels_json(const jn_system *system)
{
  json_t *list = json_array();
  for (int i = 0; i < jn_channel_count(system); i++) {
    const jn_channel c = jn_channel_at(system, i);
    jn_json_add(&list, json_pack("{s:s, s:s, s:s, s:b}", "name", c.name, "unit", c.unit, "help",
                                 c.help, "input", c.input));
  }
  return list;
}

static int is_owned_by(const jn_system *system, int channel, jn_input_owner source)
{
  return jn_channel_at(system, channel).input && jn_input_owner_of(system, channel) == source;
}

static json_t *inputs_json(const jn_system *system, jn_input_owner source)
{
  json_t *list = json_array();
  for (int i = 0; i < jn_channel_count(system); i++)
    if (is_owned_by(system, i, source))
      jn_json_add(&list, jn_json_text(jn_channel_at(system, i).name));
  return list;
}

static json_t *notes_json(const jn_system *system, const char *more)
{
  json_t *list = json_array();
  if (*more) jn_json_add(&list, jn_json_text(more));
  for (int i = 0; jn_system_note(system, i); i++)
    jn_json_add(&list, jn_json_text(jn_system_note(system, i)));
  return list;
}

static json_t *group_json(const jn_path_group *g)
{
  json_t *subsystems = json_array(), *compiled = json_array(), *listed = json_array();
  for (int i = 0; i < g->lanes; i++) jn_json_add(&subsystems, jn_json_text(g->subsystem[i]));
  for (int i = 0; i < JN_LANE_LISTS; i++)
    jn_json_add(g->compiled[i] ? &compiled : &listed, jn_json_text(g->list[i]));
  json_t *out = json_pack("{s:o, s:i, s:i, s:o, s:o, s:f}", "subsystems", subsystems, "lanes",
                          g->lanes, "of", JN_LANES, "compiled", compiled, "lists", listed,
                          "instructions_estimated", g->instructions);
  if (g->advice) jn_json_put(&out, "advice", jn_json_text(g->advice));
  return out;
}

static json_t *subsystem_json(const jn_path_subsystem *k)
{
  json_t *out = json_pack("{s:s, s:s, s:f}", "subsystem", k->name, "why", k->why,
                          "instructions_estimated", k->instructions);
  if (k->advice) jn_json_put(&out, "advice", jn_json_text(k->advice));
  return out;
}

static json_t *path_json(const jn_system *system)
{
  const jn_path_info p = jn_system_path(system);
  json_t *groups = json_array(), *singles = json_array(), *subsystems = json_array();
  for (int i = 0; i < p.ngroup; i++) {
    const jn_path_group g = jn_system_path_group(system, i);
    jn_json_add(&groups, group_json(&g));
  }
  for (int i = 0; i < p.nsubsystem; i++) {
    const jn_path_subsystem k = jn_system_path_subsystem(system, i);
    jn_json_add(&subsystems, subsystem_json(&k));
  }
  for (int i = 0; i < p.nungrouped; i++)
    jn_json_add(&singles, jn_json_text(jn_system_path_ungrouped(system, i)));
  return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:f}", "kind",
                   p.general ? "general" : "lanes", "reason", jn_json_text(p.general), "engine",
                   jn_json_text(p.engine), "groups", groups, "core", jn_json_text(p.core),
                   "ungrouped_subsystems", subsystems, "ungrouped_elements", singles,
                   "instructions_estimated", p.instructions);
}

static json_t *outputs_json(const jn_system *system, int i, int n)
{
  json_t *outputs = json_array();
  for (int k = 0; k < n; k++) {
    const jn_component_output out = jn_component_output_at(system, i, k);
    json_t *driven = json_array();
    for (int j = 0; j < out.ndriven; j++)
      jn_json_add(&driven, jn_json_text(jn_component_driven(system, i, k, j)));
    jn_json_add(&outputs,
                json_pack("{s:s, s:s, s:o}", "port", out.port, "unit", out.unit, "drives", driven));
  }
  return outputs;
}

static json_t *components_json(const jn_system *system)
{
  json_t *list = json_array();
  for (int i = 0; i < jn_component_count(system); i++) {
    const jn_component_info c = jn_component_at(system, i);
    json_t *inputs = json_array();
    for (int k = 0; k < c.ninput; k++) {
      const jn_component_input in = jn_component_input_at(system, i, k);
      json_t *o =
          json_pack("{s:s, s:s, s:b}", "port", in.port, "signal", in.signal, "held", in.held);
      if (!isnan(in.value)) jn_json_put(&o, "value", jn_json_number(in.value));
      jn_json_add(&inputs, o);
    }
    jn_json_add(&list, json_pack("{s:s, s:s, s:b, s:o, s:o}", "name", c.name, "kind", c.kind,
                                 "sensed", c.sensed, "inputs", inputs, "outputs",
                                 outputs_json(system, i, c.noutput)));
  }
  return list;
}

// `system` is NULL if it cannot be run, and `why` says why; else that is a note on it, or nothing.
static int show_json(const char *file, const jn_model_counts *n, const jn_system *system,
                     const char *why, int channels, int tried)
{
  json_t *o = json_pack("{s:o, s:i, s:i, s:i, s:i, s:i, s:o, s:o, s:b}", "file", jn_json_text(file),
                        "bodies", n->bodies, "joints", n->joints, "cuts", n->cuts, "coordinates",
                        n->coordinates, "constraints", n->constraints, "dof", jn_json_count(n->dof),
                        "redundant", jn_json_count(n->redundant), "singular", n->singular);
  jn_json_put(&o, "runs", tried ? json_boolean(system != NULL) : json_null());
  if (!system) jn_json_put(&o, "why_not", jn_json_text(why));
  jn_json_put(&o, "inputs", system ? inputs_json(system, JN_OWNER_NONE) : json_null());
  jn_json_put(&o, "given", system ? inputs_json(system, JN_OWNER_SCENARIO) : json_null());
  jn_json_put(&o, "components", system ? components_json(system) : json_null());
  jn_json_put(&o, "path", system ? path_json(system) : json_null());
  jn_json_put(&o, "notes", system ? notes_json(system, why) : json_null());
  if (channels && system) jn_json_put(&o, "channels", channels_json(system));
  return jn_cli_json(o);
}

static void show_counts(const jn_model_counts *n, const jn_system *system)
{
  printf("%d bod%s, %d joint%s, %d of them cut\n", n->bodies, n->bodies == 1 ? "y" : "ies",
         n->joints, n->joints == 1 ? "" : "s", n->cuts);
  printf("%d coordinates, %d constraints, ", n->coordinates, n->constraints);
  if (n->dof >= 0)
    printf("%d of them redundant: %d degree%s of freedom\n", n->redundant, n->dof,
           n->dof == 1 ? "" : "s");
  else
    printf("too many for a rank: degrees of freedom unknown\n");
  if (n->redundant > 0 && !system)  // which has a note with their names
    printf(
        "note: redundant constraints leave reactions undetermined; jounce topology names the "
        "joints\n");
  if (n->singular)
    printf("note: the design position is singular; jounce topology names the loops\n");
}

static void show_inputs(const jn_system *system, jn_input_owner source, const char *label)
{
  int n = 0;
  for (int i = 0; i < jn_channel_count(system); i++)
    if (is_owned_by(system, i, source))
      printf("%s%s", n++ ? ", " : label, jn_channel_at(system, i).name);
  if (n) putchar('\n');
}

static void show_group(const jn_path_group *g, double all)
{
  int listed = 0;
  printf("  %d of %d lanes:", g->lanes, JN_LANES);
  for (int i = 0; i < g->lanes; i++) printf(" %s", g->subsystem[i]);
  for (int i = 0; i < JN_LANE_LISTS; i++) listed += !g->compiled[i];
  if (listed == 0) printf("; all precompiled");
  for (int i = 0, n = 0; i < JN_LANE_LISTS; i++)
    if (!g->compiled[i]) printf("%s%s", n++ ? ", " : "; by operation lists: ", g->list[i]);
  if (listed > 0 && listed < JN_LANE_LISTS) printf("; the others precompiled");
  printf("\n    about %.0f instructions of a step, %.0f %%", round(g->instructions / 100.0) * 100.0,
         100.0 * g->instructions / all);
  if (g->advice) printf("; %s", g->advice);
  putchar('\n');
}

static void show_subsystem(const jn_path_subsystem *k, double all)
{
  printf("  ungrouped subsystem: %s: %s\n", k->name, k->why);
  printf("    about %.0f instructions of a step, %.0f %%", round(k->instructions / 100.0) * 100.0,
         100.0 * k->instructions / all);
  if (k->advice) printf("; %s", k->advice);
  putchar('\n');
}

static void show_components(const jn_system *system)
{
  const int n = jn_component_count(system);
  if (n) printf("components, in the order in which they are evaluated:\n");
  for (int i = 0; i < n; i++) {
    const jn_component_info c = jn_component_at(system, i);
    printf("  %s (%s), %s:", c.name, c.kind, c.sensed ? "after velocities" : "before positions");
    for (int k = 0; k < c.ninput; k++) {
      const jn_component_input in = jn_component_input_at(system, i, k);
      printf("%s %s = ", k ? "," : "", in.port);
      if (isnan(in.value))
        printf("%s%s", in.signal, in.held ? " (held)" : "");
      else
        printf("%.9g", in.value);
    }
    for (int k = 0; k < c.noutput; k++) {
      const jn_component_output out = jn_component_output_at(system, i, k);
      printf("; %s -> ", out.port);
      for (int j = 0; j < out.ndriven; j++)
        printf("%s%s", j ? ", " : "", jn_component_driven(system, i, k, j));
      if (!out.ndriven) printf("%s.%s", c.name, out.port);
    }
    putchar('\n');
  }
}

static void show_path(const jn_system *system)
{
  const jn_path_info p = jn_system_path(system);
  char line[400];
  printf("path: %s\n", jn_system_path_line(system, line, sizeof line));
  for (int i = 0; i < p.ngroup; i++) {
    const jn_path_group g = jn_system_path_group(system, i);
    show_group(&g, p.instructions);
  }
  for (int i = 0; i < p.nsubsystem; i++) {
    const jn_path_subsystem k = jn_system_path_subsystem(system, i);
    show_subsystem(&k, p.instructions);
  }
  for (int i = 0; i < p.nungrouped; i++)
    printf("%s%s", i ? " " : "  ungrouped: ", jn_system_path_ungrouped(system, i));
  double sum = 0.0;
  for (int i = 0; i < p.nungrouped; i++) sum += jn_system_path_ungrouped_cost(system, i);
  if (p.nungrouped) putchar('\n');
  if (sum > 1000.0)
    printf(
        "    about %.0f instructions of a step, %.0f %%; springs, bushings and loads on bodies of "
        "one subsystem "
        "would be part of its list\n",
        round(sum / 100.0) * 100.0, 100.0 * sum / p.instructions);
  printf("  a step of one evaluation takes about %.0f instructions (estimated)\n",
         round(p.instructions / 100.0) * 100.0);
}

// As show_json.
static void show_text(const char *file, const jn_model_counts *n, const jn_system *system,
                      const char *why, int scenario, int tried)
{
  if (!system && tried)
    printf("%s: cannot be run: %s\n", file, why);
  else
    printf("%s: good\n", file);
  show_counts(n, system);
  if (!system) return;
  show_inputs(system, JN_OWNER_SCENARIO, "inputs of the scenario: ");
  show_inputs(system, JN_OWNER_NONE, scenario ? "inputs left at zero: " : "inputs: ");
  show_components(system);
  show_path(system);
  if (*why) printf("note: %s\n", why);
  for (int i = 0; jn_system_note(system, i); i++) printf("note: %s\n", jn_system_note(system, i));
}

enum { QUICK_BODIES = 500 };

// Would a run begin? What plug-ins that are not loaded might have is no error, but goes to `note`.
static int check_run(const jn_system *system, char *note, size_t size)
{
  jn_error err = {0};
  if (!jn_run_check(system, NULL, &err)) return JN_EXIT_DONE;
  if (err.code != JN_E_CALL || !jn_system_left_out(system)) return jn_cli_error(&err);
  jn_error_line(&err, note, size);
  const size_t used = strlen(note);
  snprintf(note + used, size - used, "; it may be a channel of a plug-in: --plugins loads them");
  return JN_EXIT_DONE;
}

// A model that compiles and still cannot be run is reported whole: topology may be all that is asked of it.
static int report(const char *file, const jn_model *model, const jn_scenario *scenario, int json,
                  int channels, int plugins, const char *diagram)
{
  jn_error err = {0};
  jn_system *system = NULL;
  jn_sim_opts opts = jn_sim_opts_of(scenario);
  opts.without_plugins = !plugins;
  const jn_model_counts n = jn_model_count(model);
  int code = JN_EXIT_DONE;
  // Assembling many loops takes longer than a check should.
  const int must = channels || plugins || diagram || scenario != NULL;
  const int tried = must || !n.constraints || n.bodies <= QUICK_BODIES;
  if (tried && jn_system_create(model, scenario, &opts, &system, &err) &&
      (must || err.code == JN_E_MEMORY))
    return jn_cli_error(&err);
  char why[600] = "not tried: it has loops and many bodies";
  err.file[0] = 0, err.line = 0;  // stands in front of everything already
  if (tried) jn_error_line(&err, why, sizeof why);
  if (system) {
    why[0] = 0;
    code = check_run(system, why, sizeof why);
  }
  if (!code && diagram)
    code = jn_cli_diagram(system, diagram);
  else if (!code && json)
    code = show_json(file, &n, system, why, channels, tried);
  else if (!code && channels)
    show_channels(system);
  else if (!code)
    show_text(file, &n, system, why, scenario != NULL, tried);
  if (!code && tried && !system) code = JN_EXIT_WRONG;
  jn_system_free(system);
  return code;
}

// By whatever names: a diagram in the place of what it is drawn from would be all that is left of it.
static int is_input(const char *out, const char *in)
{
  struct stat a, b;
  return in && !stat(out, &a) && !stat(in, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

int jn_cmd_check(int argc, char **argv)
{
  const char *file = NULL, *second = NULL, *diagram = NULL, *value,
             **set = calloc((size_t)argc, sizeof *set);
  int nset = 0, expand = 0, json = 0, channels = 0, plugins = 0,
      code = set ? JN_EXIT_DONE : jn_cli_no_memory();
  for (int i = 1; i < argc && !code; i++) {
    if ((value = jn_cli_value(argc, argv, &i, "--set"))) {
      if (!*value) code = jn_cli_misuse("check", "--set lacks its PATH=VALUE");
      set[nset++] = value;
    } else if (!strcmp(argv[i], "--expand")) {
      expand = 1;
    } else if (!strcmp(argv[i], "--channels")) {
      channels = 1;
    } else if (!strncmp(argv[i], "--diagram=", 10)) {
      diagram = argv[i] + 10;
    } else if (!strcmp(argv[i], "--diagram")) {
      diagram = i + 1 < argc && jn_cli_is_diagram(argv[i + 1]) ? argv[++i] : "-";
    } else if (!strcmp(argv[i], "--plugins")) {
      plugins = 1;
    } else if (!strcmp(argv[i], "--json")) {
      json = 1;
    } else if (argv[i][0] == '-' && argv[i][1]) {
      code = jn_cli_misuse("check", "check has no option \"%s\"", argv[i]);
    } else if (second) {
      code = jn_cli_misuse("check", "check takes one model and one scenario, found \"%s\" too",
                           argv[i]);
    } else if (file) {
      second = argv[i];
    } else {
      file = argv[i];
    }
  }
  if (!code && !file) code = jn_cli_misuse("check", "check needs a model");
  if (!code && expand && json) code = jn_cli_misuse("check", "choose one of --expand and --json");
  if (!code && expand && channels)
    code = jn_cli_misuse("check", "choose one of --expand and --channels");

  if (!code && diagram && (expand || channels || json))
    code = jn_cli_misuse("check", "choose one of --diagram and --%s",
                         expand     ? "expand"
                         : channels ? "channels"
                                    : "json");
  if (!code && diagram && !jn_cli_is_diagram(diagram))
    code = jn_cli_misuse(
        "check", "--diagram is \"%s\", expected a name that ends in .dot, .svg, .png or .pdf",
        diagram);
  if (!code && diagram && (is_input(diagram, file) || is_input(diagram, second)))
    code = jn_cli_misuse("check", "--diagram is \"%s\", which is the %s itself: name another file",
                         diagram, is_input(diagram, file) ? "model" : "scenario");

  jn_spec *spec = NULL;
  jn_model *model = NULL;
  jn_scenario *scenario = NULL;
  jn_error err = {0};
  if (!code &&
      (jn_spec_load(file, set, nset, &spec, &err) || jn_model_compile(spec, NULL, &model, &err) ||
       (second && jn_scenario_load(second, &scenario, &err))))
    code = jn_cli_error(&err);
  if (!code && diagram && jn_spec_reads(spec, diagram))
    code = jn_cli_misuse("check", "--diagram is \"%s\", which the model reads: name another file",
                         diagram);
  if (!code)
    code = expand ? show_expanded(spec)
                  : report(file, model, scenario, json, channels, plugins, diagram);
  jn_model_free(model);
  jn_scenario_free(scenario);
  jn_spec_free(spec);
  free(set);
  return code;
}
