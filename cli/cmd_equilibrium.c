// cmd_equilibrium.c: `jounce equilibrium MODEL [SCENARIO]`
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "jounce/equilibrium.h"
#include "json/json.h"

const char jn_help_equilibrium[] =
    "  --design         begin at the design position, not at the model's initial one\n"
    "  --base B         take this body as the base\n"
    "  --cut J          cut this joint (may be given several times)\n"
    "  --set PATH=VALUE override a value of the model (may be given several times)\n"
    "  --without-tyres  leave tyres out\n"
    "  --json           print one JSON object\n"
    "\n"
    "Inputs and prescribed motions are held as the scenario has them at t = 0. Directions in "
    "which\n"
    "nothing resists and nothing pushes are held and listed. If there is no equilibrium, a line\n"
    "reports what is not held, and the exit code is 1.\n";

typedef struct call {
  jn_cli_input in;
  jn_equilibrium_opts opts;
} call;

typedef struct opened {
  const jn_system *system;
  jn_data *data;  // where the search begins, evaluated
  jn_equilibrium *e;
} opened;

static int parse(call *c, int argc, char **argv)
{
  int code = JN_EXIT_DONE;
  for (int i = 1; i < argc && !code; i++)
    if (!strcmp(argv[i], "--design"))
      c->opts.design = 1;
    else
      code = jn_cli_input_take(&c->in, "equilibrium", argc, argv, &i);
  if (!code && !c->in.model_file) code = jn_cli_misuse("equilibrium", "equilibrium needs a model");
  return code;
}

static int search(call *c, opened *o)
{
  jn_error err = {0};
  jn_cli_input *in = &c->in;
  jn_sim_opts opts = jn_sim_opts_of(in->scenario);
  opts.without_tyres = in->without_tyres;
  if (opts.integrator == JN_INTEGRATOR_REFERENCE) opts.integrator = JN_INTEGRATOR_RK4;
  jn_status st = jn_system_create(in->model, in->scenario, &opts, &in->system, &err);
  o->system = in->system;
  if (!st) st = jn_data_create(in->system, &o->data, &err);
  if (!st) jn_evaluate(in->system, o->data);
  if (!st) st = jn_equilibrium_find(in->system, &c->opts, &o->e, &err);
  return st ? jn_cli_error(&err) : JN_EXIT_DONE;
}

// ---- text ---------------------------------------------------------------------------------------

// "joint.lca.angle" is the channel `angle` of `lca` in the group `joint`; bodies have no group.
typedef struct part {
  char group[8], name[128];
  const char *what;
} part;

static part part_of(const char *channel)
{
  part p = {.what = strrchr(channel, '.')};
  const char *name = channel;
  if (!p.what) return p;
  for (int g = 0; g < 4; g++) {
    static const char *const group[] = {"joint", "force", "wheel", "tyre"};
    const size_t n = strlen(group[g]);
    if (strncmp(channel, group[g], n) || channel[n] != '.' || channel + n == p.what) continue;
    strcpy(p.group, group[g]);
    name = channel + n + 1;
  }
  snprintf(p.name, sizeof p.name, "%.*s", (int)(p.what - name), name);
  p.what++;
  return p;
}

static int is_one_of(const char *word, const char *const *list)
{
  for (; *list; list++)
    if (!strcmp(word, *list)) return 1;
  return 0;
}

static double tidy(double x)  // rounding is not news
{
  return fabs(x) < 5e-13 ? 0.0 : x;
}

static void show_joints(const opened *o)
{
  static const char *const coordinate[] = {"angle", "position", "angle1", "angle2", NULL};
  const double *first = jn_row(o->data);
  int n = 0;
  for (int i = 0; i < o->e->nrow; i++) {
    const jn_channel c = jn_channel_at(o->system, i);
    const part p = part_of(c.name);
    if (strcmp(p.group, "joint") || !is_one_of(p.what, coordinate)) continue;
    if (!n++) printf("\n%-28s%-10s%16s%16s\n", "joint", "", "value", "moved by");
    printf("%-28s%-10s%16.9g%16.6g  %s\n", p.name, p.what, tidy(o->e->row[i]),
           tidy(o->e->row[i] - first[i]), c.unit);
  }
}

static void show_bodies(const opened *o)
{
  const double *first = jn_row(o->data), *row = o->e->row;
  int n = 0;
  for (int i = 0; i + 5 < o->e->nrow; i++) {
    const part p = part_of(jn_channel_at(o->system, i).name);
    if (p.group[0] || !p.what || strcmp(p.what, "x")) continue;
    if (!n++)
      printf("\n%-28s%13s%13s%13s%13s%13s%13s\n", "body moved by", "x [m]", "y [m]", "z [m]",
             "roll [rad]", "pitch [rad]", "yaw [rad]");
    printf("%-28s", p.name);
    for (int k = 0; k < 6; k++) {
      double by = row[i + k] - first[i + k];
      if (k >= 3) by -= 2.0 * M_PI * round(by / (2.0 * M_PI));
      printf("%13.6g", tidy(by));
    }
    putchar('\n');
  }
}

static void show_forces(const opened *o)
{
  static const char *const state[] = {"length", "angle", "position", NULL};
  static const char *const bushing[] = {"fx", "fy", "fz", NULL};
  int n = 0;
  for (int i = 0; i < o->e->nrow; i++) {
    const jn_channel c = jn_channel_at(o->system, i);
    const part p = part_of(c.name);
    if (strcmp(p.group, "force")) continue;
    const int deflects = is_one_of(p.what, state), pushes = !strcmp(p.what, "force");
    if (!deflects && !pushes && !is_one_of(p.what, bushing)) continue;
    if (!n++) printf("\n%-28s%-10s%16s\n", "force element", "", "value");
    printf("%-28s%-10s%16.9g  %s\n", p.name, p.what, tidy(o->e->row[i]), c.unit);
  }
}

static void show_wheels(const opened *o)
{
  int n = 0;
  for (int i = 0; i < o->e->nrow; i++) {
    const jn_channel c = jn_channel_at(o->system, i);
    const part p = part_of(c.name);
    const int load = !strcmp(p.group, "wheel") && !strcmp(p.what, "fz");
    if (!load && (strcmp(p.group, "tyre") || strcmp(p.what, "deflection"))) continue;
    if (!n++) printf("\n%-28s%-10s%16s\n", "wheel", "", "value");
    printf("%-28s%-10s%16.9g  %s\n", p.name, load ? "load" : p.what, tidy(o->e->row[i]), c.unit);
  }
}

static void show_reactions(const opened *o)
{
  int n = 0;
  for (int i = 0; i + 5 < o->e->nrow; i++) {
    const part p = part_of(jn_channel_at(o->system, i).name);
    if (strcmp(p.group, "joint") || strcmp(p.what, "fx")) continue;
    if (!n++)
      printf("\n%-28s%13s%13s%13s%13s%13s%13s\n", "reaction on second body", "fx [N]", "fy [N]",
             "fz [N]", "mx [N m]", "my [N m]", "mz [N m]");
    printf("%-28s", p.name);
    for (int k = 0; k < 6; k++) printf("%13.6g", tidy(o->e->row[i + k]));
    putchar('\n');
  }
}

static void show_text(const call *c, const opened *o)
{
  const jn_equilibrium *e = o->e;
  printf("%s: in equilibrium, found in %d iteration%s\n", c->in.model_file, e->iterations,
         e->iterations == 1 ? "" : "s");
  if (e->nmode)
    printf("largest unbalanced force: %.2g %s (%s)\n", e->unbalanced, e->worst.unit, e->worst.name);
  for (int i = 0; i < e->nneutral; i++) printf("neutral, held: %s\n", e->neutral[i].name);
  for (int i = 0; i < e->nunstable; i++)
    printf("unstable, moves away if disturbed: %s\n", e->unstable[i].name);
  show_joints(o);
  show_bodies(o);
  show_forces(o);
  show_wheels(o);
  show_reactions(o);
}

// Why there is none, in one line on standard error; the exit code.
static int print_failure(const call *c, const opened *o)
{
  const jn_equilibrium *e = o->e;
  const char *file = c->in.model_file;
  if (!e->nunheld)
    return jn_cli_fail(JN_EXIT_FAILED,
                       "%s: no equilibrium found in %d iterations: %.6g %s are left at %s", file,
                       e->iterations, e->unbalanced, e->worst.unit, e->worst.name);
  char *list = NULL;
  size_t size;
  FILE *out = open_memstream(&list, &size);
  for (int i = 0; out && i < e->nunheld; i++) {
    const jn_direction *d = &e->unheld[i];
    fprintf(out, "%s%s%s (%.6g %s)", i ? "; nothing holds " : "", d->name,
            d->weight ? ", against gravity" : "", fabs(d->force), d->unit);
  }
  const int code =
      !out || fclose(out)
          ? jn_cli_fail(JN_EXIT_WRONG, "memory is exhausted")
          : jn_cli_fail(JN_EXIT_FAILED, "%s: no equilibrium: nothing holds %s", file, list);
  free(list);
  return code;
}

// ---- JSON ---------------------------------------------------------------------------------------

static json_t *directions(const jn_direction *d, int n)
{
  json_t *list = json_array();
  for (int i = 0; i < n; i++)
    jn_json_add(&list,
                json_pack("{s:s, s:o, s:s, s:b}", "name", d[i].name, "force",
                          jn_json_number(d[i].force), "unit", d[i].unit, "weight", d[i].weight));
  return list;
}

static int show_json(const call *c, const opened *o)
{
  const jn_equilibrium *e = o->e;
  json_t *values = json_object(), *modes = json_array(), *notes = json_array();
  for (int i = 0; i < e->nrow; i++)
    jn_json_put(&values, jn_channel_at(o->system, i).name, jn_json_number(e->row[i]));
  for (int i = 0; i < e->nmode; i++) jn_json_add(&modes, jn_json_number(e->mode[i]));
  for (int i = 0; jn_system_note(o->system, i); i++)
    jn_json_add(&notes, jn_json_text(jn_system_note(o->system, i)));
  json_t *j = json_pack("{s:o, s:b, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "file",
                        jn_json_text(c->in.model_file), "found", e->found, "iterations",
                        e->iterations, "unbalanced", jn_json_number(e->unbalanced), "forces",
                        jn_json_number(e->scale), "neutral", directions(e->neutral, e->nneutral),
                        "unheld", directions(e->unheld, e->nunheld), "unstable",
                        directions(e->unstable, e->nunstable), "squared_frequencies", modes,
                        "notes", notes, "channels", values);
  return jn_cli_json(j);
}

int jn_cmd_equilibrium(int argc, char **argv)
{
  call c = {0};
  opened o = {0};
  int code = jn_cli_input_begin(&c.in, argc);
  if (!code) code = parse(&c, argc, argv);
  if (!code) code = jn_cli_input_open(&c.in);
  if (!code) code = search(&c, &o);
  if (!code) {
    for (int i = 0; !c.in.json && jn_system_note(o.system, i); i++)
      fprintf(stderr, "jounce: note: %s\n", jn_system_note(o.system, i));
    if (c.in.json)
      code = show_json(&c, &o);
    else if (o.e->found)
      show_text(&c, &o);
    if (!o.e->found) code = print_failure(&c, &o);
  }
  jn_equilibrium_free(o.e);
  jn_data_free(o.data);
  jn_cli_input_end(&c.in);
  return code;
}
