// cmd_tyre.c: `jounce tyre FILE`
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"
#include "json/json.h"

const char jn_help_tyre[] =
    "  --compare OTHER  a second tyre, dashed in all plots of the report\n"
    "  --tyre NAME      which tyre of a model\n"
    "  --set KEY=VALUE  of a property file: a key of a magic-formula tyre, such as "
    "pressure=180e3,\n"
    "                   formulas=book or coefficients.LMUY=0.8; of a model: PATH=VALUE. May be\n"
    "                   given several times; holds for FILE, not for OTHER\n"
    "  --at POINTS      no report: forces at the points of a CSV file, as CSV\n"
    "  --out FILE       the report, or a folder for it; results/NAME.html if not given, NAME "
    "being\n"
    "                   the file's, for a model NAME-TYRE. With --at: the table, standard output "
    "if\n"
    "                   not given. - is standard output\n"
    "  --json           print one JSON object\n"
    "\n"
    "FILE and OTHER are tyre property files (.tir), models, or files of tyres that models include. "
    "It prints what the tyre is and "
    "which\n"
    "of the file's values are used, assumed and ignored, and writes a report for the browser.\n"
    "\n"
    "POINTS has the columns kappa, alpha_rad, gamma_rad, Fz_N, p_Pa (empty or nan: the tyre's "
    "own)\n"
    "and vx_mps, in any order, under a line with their names; # begins a comment.\n";

typedef struct call {
  const char *file, *compare, *tyre, *at, *out;
  const char **set;
  int nset, json;
} call;

static int parse(call *c, int argc, char **argv)
{
  for (int i = 1; i < argc; i++) {
    const char *name = argv[i], *value;
    if ((value = jn_cli_value(argc, argv, &i, "--compare")))
      c->compare = value;
    else if ((value = jn_cli_value(argc, argv, &i, "--tyre")))
      c->tyre = value;
    else if ((value = jn_cli_value(argc, argv, &i, "--set")))
      c->set[c->nset++] = value;
    else if ((value = jn_cli_value(argc, argv, &i, "--at")))
      c->at = value;
    else if ((value = jn_cli_value(argc, argv, &i, "--out")))
      c->out = value;
    else if (!strcmp(name, "--json"))
      c->json = 1;
    else if (name[0] == '-' && name[1])
      return jn_cli_misuse("tyre", "tyre has no option \"%s\"", name);
    else if (c->file)
      return jn_cli_misuse("tyre", "tyre takes one file, found \"%s\" too", name);
    else
      c->file = name;
    int code = jn_cli_has_value("tyre", name, value);
    if (code) return code;
  }
  if (!c->file) return jn_cli_misuse("tyre", "tyre needs a file");
  if (c->at && c->compare) return jn_cli_misuse("tyre", "choose one of --at and --compare");
  if (c->at && c->json) return jn_cli_misuse("tyre", "choose one of --at and --json");
  if (c->json && c->out && !strcmp(c->out, "-"))
    return jn_cli_misuse("tyre", "--json and a report cannot both go to standard output");
  return JN_EXIT_DONE;
}

// ---- tyres -----------------------------------------------------------------------------------------

static int is_property_file(const char *file)
{
  const size_t n = strlen(file);
  return n >= 4 && (!strcmp(file + n - 4, ".tir") || !strcmp(file + n - 4, ".TIR"));
}

static int open_tyre(jn_tyre **tyre, const char *file, const char *name, const char **set, int nset)
{
  jn_error err = {0};
  if (is_property_file(file) && name)
    return jn_cli_misuse("tyre", "--tyre is for models, found a property file");
  const jn_status st = is_property_file(file)
                           ? jn_tyre_load(file, set, nset, tyre, &err)
                           : jn_tyre_load_model(file, name, set, nset, tyre, &err);
  return st ? jn_cli_error(&err) : JN_EXIT_DONE;
}

// ---- text ------------------------------------------------------------------------------------------

static const char *const side_text[] = {"left", "right", "either side"};
static const char *const origins[] = {"read", "set", "default", "unused", "unknown"};

static void show_head(const jn_tyre *tyre)
{
  const jn_tyre_info a = jn_tyre_about(tyre);
  printf("%-13s%s\n", "tyre", a.name);
  if (a.file) printf("%-13s%s\n", "file", a.file);
  if (a.version)
    printf("%-13s%s, Magic Formula %d.%d\n", "type", a.kind, a.version / 10, a.version % 10);
  else
    printf("%-13s%s\n", "type", a.kind);
  printf("%-13s%s\n", "measured on", side_text[a.side]);
  if (a.use_mode >= 0)
    printf("%-13s%d: %s\n", "USE_MODE", a.use_mode, jn_tyre_use_text(a.use_mode));
}

static void show_figures(const jn_tyre *tyre)
{
  jn_tyre_figure f[JN_TYRE_FIGURES];
  jn_tyre_figures(tyre, f);
  putchar('\n');
  for (int i = 0; i < JN_TYRE_FIGURES; i++)
    if (!isnan(f[i].value))
      printf("%-39s%10.*f%s%s\n", f[i].name,
             fabs(f[i].value) >= 1e3  ? 0
             : fabs(f[i].value) >= 10 ? 2
                                      : 4,
             f[i].value, strcmp(f[i].unit, "1") ? " " : "",
             strcmp(f[i].unit, "1") ? f[i].unit : "");
  const jn_tyre_point p = jn_tyre_utilise(tyre).at;
  printf("%-39s slip %.3g, slip angle %.3g deg, camber %.3g deg, load %.0f N\n", "  which is at",
         p.kappa, p.alpha * 180 / M_PI, p.gamma * 180 / M_PI, p.load);
}

static int count(const jn_tyre *tyre, jn_tyre_origin origin)
{
  int n = 0;
  for (int i = 0; i < jn_tyre_entry_count(tyre); i++)
    n += jn_tyre_entry_at(tyre, i).origin == origin;
  return n;
}

// Keys in lines, several to one, under the section that they are of.
static void show_entries(const jn_tyre *tyre, jn_tyre_origin origin, const char *title)
{
  enum { WIDTH = 100 };
  const char *section = NULL;
  size_t used = 0;
  const int n = count(tyre, origin);
  if (!n) return;
  printf("\n%d value%s %s", n, n == 1 ? "" : "s", title);
  for (int i = 0; i < jn_tyre_entry_count(tyre); i++) {
    const jn_tyre_entry e = jn_tyre_entry_at(tyre, i);
    char text[160];
    if (e.origin != origin) continue;
    if (!e.key)
      snprintf(text, sizeof text, "the whole section (line %d)", e.line);
    else if (origin == JN_TYRE_UNKNOWN)
      snprintf(text, sizeof text, "%.60s %.60s (line %d)", e.key, e.text, e.line);
    else
      snprintf(text, sizeof text, "%s %.6g%s%s", e.key, e.value, strcmp(e.unit, "1") ? " " : "",
               strcmp(e.unit, "1") ? e.unit : "");
    const int same = section && !strcmp(section, e.section);
    if (!same) printf("\n  %s\n    %s", e.section, text), used = 4 + strlen(text);
    if (same && used + strlen(text) + 2 > WIDTH)
      printf(",\n    %s", text), used = 4 + strlen(text);
    else if (same)
      printf(", %s", text), used += 2 + strlen(text);
    section = e.section;
  }
  putchar('\n');
}

static void show_text(const jn_tyre *tyre)
{
  show_head(tyre);
  show_figures(tyre);
  show_entries(tyre, JN_TYRE_READ, "read from the file");
  show_entries(tyre, JN_TYRE_SET, "set in place of the file's");
  show_entries(tyre, JN_TYRE_DEFAULT, "not given, and taken as");
  show_entries(tyre, JN_TYRE_UNUSED, "given that no formula here uses");
  show_entries(tyre, JN_TYRE_UNKNOWN, "of the file ignored");
}

// ---- JSON ------------------------------------------------------------------------------------------

static json_t *entries_json(const jn_tyre *tyre)
{
  json_t *list = json_array();
  for (int i = 0; i < jn_tyre_entry_count(tyre); i++) {
    const jn_tyre_entry e = jn_tyre_entry_at(tyre, i);
    jn_json_add(&list,
                json_pack("{s:s, s:o, s:o, s:o, s:o, s:s, s:o}", "origin", origins[e.origin],
                          "section", jn_json_text(e.section), "key", jn_json_text(e.key), "value",
                          jn_json_number(e.value), "text", jn_json_text(e.text), "unit", e.unit,
                          "line", e.line ? json_integer(e.line) : json_null()));
  }
  return list;
}

static json_t *tyre_json(const jn_tyre *tyre)
{
  const jn_tyre_info a = jn_tyre_about(tyre);
  const jn_tyre_utilisation most = jn_tyre_utilise(tyre);
  jn_tyre_figure f[JN_TYRE_FIGURES];
  json_t *figures = json_object();
  jn_tyre_figures(tyre, f);
  for (int i = 0; i < JN_TYRE_FIGURES; i++)
    jn_json_put(&figures, f[i].key, jn_json_number(f[i].value));
  return json_pack("{s:o, s:o, s:s, s:o, s:s, s:o, s:s, s:o, s:{s:f, s:f, s:f, s:f}, s:o}", "name",
                   jn_json_text(a.name), "file", jn_json_text(a.file), "type", a.kind, "version",
                   a.version ? json_integer(a.version) : json_null(), "measured",
                   a.side == JN_TYRE_EITHER ? "either" : side_text[a.side], "use_mode",
                   a.use_mode >= 0 ? json_integer(a.use_mode) : json_null(), "use",
                   jn_tyre_use_text(a.use_mode), "figures", figures, "utilisation_at", "kappa",
                   most.at.kappa, "alpha", most.at.alpha, "gamma", most.at.gamma, "load",
                   most.at.load, "entries", entries_json(tyre));
}

static int show_json(jn_tyre *const tyre[2], int n, const char *report)
{
  json_t *list = json_array();
  for (int i = 0; i < n; i++) jn_json_add(&list, tyre_json(tyre[i]));
  json_t *o = json_pack("{s:o, s:o}", "report", jn_json_text(report), "tyres", list);
  return jn_cli_json(o);
}

// ---- the report ------------------------------------------------------------------------------------

static const char results[] = "results";  // as of jounce run

// Where it goes: --out, in the folder --out, or in that of the results; one of a model has the tyre's name too.
static char *report_name(const call *c, const jn_tyre *tyre)
{
  struct stat there;
  if (c->out && (stat(c->out, &there) || !S_ISDIR(there.st_mode))) return strdup(c->out);
  const char *folder = c->out ? c->out : results, *name = jn_tyre_about(tyre).name;
  const size_t room = strlen(name) + sizeof "-.html";
  char *ending = malloc(room), *beside = NULL, *report = NULL;
  if (ending) {
    snprintf(ending, room, "%s%s.html", is_property_file(c->file) ? "" : "-",
             is_property_file(c->file) ? "" : name);
    beside = jn_cli_beside(c->file, ending);
  }
  if (beside) {
    const char *slash = strrchr(beside, '/'), *base = slash ? slash + 1 : beside;
    const size_t whole = strlen(folder) + strlen(base) + 2;
    if ((report = malloc(whole))) snprintf(report, whole, "%s/%s", folder, base);
  }
  free(ending);
  free(beside);
  return report;
}

static int report(const call *c, jn_tyre *const tyre[2])
{
  jn_error err = {0};
  char *report = report_name(c, tyre[0]);
  if (!report) return jn_cli_no_memory();
  int code = JN_EXIT_DONE;
  if (!c->out) mkdir(results, 0777);  // an error is reported of the file
  if (jn_tyre_report_write(tyre[0], tyre[1], report, &err)) {
    code = jn_cli_error(&err);
  } else if (c->json) {
    code = show_json(tyre, c->compare ? 2 : 1, report);
  } else if (strcmp(report, "-")) {
    show_text(tyre[0]);
    if (tyre[1]) printf("\n"), show_text(tyre[1]);
    printf("\n%-13s%s\n", "report", report);
  }
  free(report);
  return code;
}

static int write_table(const call *c, const jn_tyre *tyre)
{
  jn_error err = {0};
  return jn_tyre_table_write(tyre, c->at, c->out ? c->out : "-", &err) ? jn_cli_error(&err)
                                                                       : JN_EXIT_DONE;
}

int jn_cmd_tyre(int argc, char **argv)
{
  call c = {.set = calloc((size_t)argc, sizeof *c.set)};
  jn_tyre *tyre[2] = {NULL, NULL};
  int code = c.set ? parse(&c, argc, argv) : jn_cli_no_memory();
  if (!code) code = open_tyre(&tyre[0], c.file, c.tyre, c.set, c.nset);
  if (!code && c.compare)
    code = open_tyre(&tyre[1], c.compare, is_property_file(c.compare) ? NULL : c.tyre, NULL, 0);
  if (!code) code = c.at ? write_table(&c, tyre[0]) : report(&c, tyre);
  for (int i = 0; i < 2; i++) jn_tyre_free(tyre[i]);
  free(c.set);
  return code;
}
