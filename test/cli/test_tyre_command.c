// `jounce tyre`: what it prints, the table at given points, the report, and what it refuses.
#define _GNU_SOURCE
#include <jansson.h>

#include "cli/command.h"

static char root[PATH_MAX];  // the project
static char folder[64];      // where the command runs
static char tyre[PATH_MAX + 64], older[PATH_MAX + 64];
static jt_run run;

#define RUN(...)                                                 \
  do {                                                           \
    const char *const arguments[] = {"tyre", __VA_ARGS__, NULL}; \
    jt_command(folder, arguments, &run);                         \
  } while (0)

#define POINTS "kappa,alpha_rad,gamma_rad,Fz_N,p_Pa,vx_mps"

static int enter(void **state)
{
  (void)state;
  if (!getcwd(root, sizeof root)) return -1;
  snprintf(tyre, sizeof tyre, "%s/test/tir/data/every_coefficient_61.tir", root);
  snprintf(older, sizeof older, "%s/test/tir/data/every_coefficient_52.tir", root);
  strcpy(folder, "/tmp/jounce-tyre-XXXXXX");
  return mkdtemp(folder) ? 0 : -1;
}

static int leave(void **state)
{
  char command[128];
  (void)state;
  snprintf(command, sizeof command, "rm -rf %s", folder);
  return system(command);
}

static void write_bytes(const char *name, const char *bytes, size_t n)
{
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *out = fopen(path, "wb");
  assert_non_null(out);
  assert_int_equal(fwrite(bytes, 1, n, out), n);
  assert_int_equal(fclose(out), 0);
}

static void write_text(const char *name, const char *text)
{
  write_bytes(name, text, strlen(text));
}

static bool there_is(const char *name)
{
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return !access(path, F_OK);
}

// ---- the table -------------------------------------------------------------------------------------

// The first rows of a table of reference values, without what a person would not have: the forces.
static int copy_points(const char *table, const char *name, int most, double value[][5])
{
  char path[PATH_MAX + 64], line[512], out[1 << 15] = "";
  snprintf(path, sizeof path, "%s/test/tyre/data/%s", root, table);
  FILE *in = fopen(path, "r");
  assert_non_null(in);
  int n = 0;
  while (n < most && fgets(line, sizeof line, in)) {
    if (line[0] == '#') continue;
    char *at = line;
    for (int i = 0; i < 6; i++) at = strchr(at, ',') + 1;
    at[-1] = 0;
    strcat(strcat(out, line), "\n");
    if (line[0] == 'k') continue;
    for (int i = 0; i < 5; i++) value[n][i] = strtod(at, &at), at++;
    n++;
  }
  fclose(in);
  write_text(name, out);
  return n;
}

static void points_of_the_tables_give_their_forces(void **state)
{
  (void)state;
  static double wanted[100][5];
  static const double scale[5] = {4, 4, 1.2, 0.012,
                                  0.012};  // as the tables' README says, Fz0' of 4000 N
  const int n = copy_points("every_coefficient_61.csv", "points.csv", 100, wanted);
  assert_int_equal(n, 100);
  RUN(tyre, "--at", "points.csv");
  assert_string_equal(run.err, "");
  assert_int_equal(run.code, 0);
  char *line = strtok(run.out, "\n");
  assert_string_equal(line, POINTS ",Fx,Fy,Mx,My,Mz");
  for (int i = 0; i < n; i++) {
    line = strtok(NULL, "\n");
    assert_non_null(line);
    for (int k = 0; k < 6; k++) line = strchr(line, ',') + 1;
    for (int k = 0; k < 5; k++, line++) {
      const double found = strtod(line, &line);
      JT_NEAR(found, wanted[i][k], 1e-10 * fmax(fabs(wanted[i][k]), scale[k]));
    }
  }
  assert_null(strtok(NULL, "\n"));
}

// Other orders, further columns, comments, line ends of other systems, blanks, no pressure: the same numbers.
static void tables_may_be_written_in_many_ways(void **state)
{
  (void)state;
  static char first[JT_MOST_OUTPUT];
  write_text("a.csv", POINTS "\n0.1,0.05,0.01,3000,nan,20\n-0.02,0,0,4000,nan,10\n");
  write_text(
      "b.csv",
      "\xef\xbb\xbf# a comment\r\n\r\nname, vx_mps ,kappa,alpha_rad,p_Pa,Fz_N,gamma_rad\r\n"
      "# another, with commas\r\none, 20, +0.1 ,5e-2,,3e3,.01\r\ntwo,10,-0.02,0,NaN,4000.,0");
  RUN(tyre, "--at", "a.csv");
  assert_int_equal(run.code, 0);
  strcpy(first, run.out);
  RUN(tyre, "--at", "b.csv");
  assert_string_equal(run.err, "");
  assert_string_equal(run.out, first);
  // 17 digits read back as the number that they were.
  assert_non_null(strstr(first, "\n0.10000000000000001,0.050000000000000003,0.01,3000,nan,20,"));
  RUN(tyre, "--at", "a.csv", "--out", "forces.csv");
  assert_int_equal(run.code, 0);
  assert_string_equal(run.out, "");
  char path[PATH_MAX], text[4096];
  snprintf(path, sizeof path, "%s/forces.csv", folder);
  FILE *in = fopen(path, "r");
  assert_non_null(in);
  text[fread(text, 1, sizeof text - 1, in)] = 0;
  fclose(in);
  assert_string_equal(text, first);
  write_text("none.csv", POINTS "\n");
  RUN(tyre, "--at", "none.csv");
  assert_int_equal(run.code, 0);
  assert_string_equal(run.out, POINTS ",Fx,Fy,Mx,My,Mz\n");
}

// ---- what is refused -------------------------------------------------------------------------------

// One line on standard error with place and reason, exit code 2, nothing else anywhere.
static void refuses(const char *const *arguments, const char *begin, const char *text)
{
  const int before = jt_count_files(folder);
  char whole[PATH_MAX];
  jt_command(folder, arguments, &run);
  snprintf(whole, sizeof whole, "jounce: %s", begin);
  const bool good = run.code == 2 && !run.out[0] && !strncmp(run.err, whole, strlen(whole)) &&
                    strstr(run.err, text) &&
                    strchr(run.err, '\n') == run.err + strlen(run.err) - 1 &&
                    jt_count_files(folder) == before;
  if (!good)
    print_error("expected %s...%s, found exit code %d, %s%.200s\n", whole, text, run.code, run.err,
                run.out);
  assert_true(good);
}

#define REFUSES(begin, text, ...) \
  refuses((const char *const[]){"tyre", __VA_ARGS__, NULL}, begin, text)

static void wrong_tables_are_refused_at_their_place(void **state)
{
  (void)state;
  static const struct {
    const char *text, *place, *message;
  } cases[] = {
      {"", "t.csv: ", "is empty, expected a line with the names"},
      {"# nothing\n\n", "t.csv: ", "is empty"},
      {"kappa,alpha_rad,gamma_rad,Fz_N,vx_mps\n", "t.csv:1:1: ", "found no column \"p_Pa\""},
      {"0,0,0,4000,nan,10\n", "t.csv:1:1: ", "found no column \"kappa\""},
      {"# x\n" POINTS ",kappa\n", "t.csv:2:44: ", "\"kappa\" a second time"},
      {POINTS "\n0,0,0,4000,,10\n0,0,0,4000\n", "t.csv:3:1: ", "found 4 cells, expected 6"},
      {POINTS "\n0,0,0,4000,,10,3\n", "t.csv:2:1: ", "found 7 cells, expected 6"},
      {POINTS "\n0,0,0,4000,,10\n0,0, four,4000,,10\n",
       "t.csv:3:6: ", "gamma_rad: found \"four\", expected a number"},
      {POINTS "\n0,0,0,,,10\n", "t.csv:2:7: ", "Fz_N: found \"\", expected a number"},
      {POINTS "\n0,nan,0,4000,,10\n", "t.csv:2:3: ", "alpha_rad: found \"nan\""},
      {POINTS "\n0,0,0,1e999,,10\n", "t.csv:2:7: ", "Fz_N: found \"1e999\""},
      {POINTS "\n0,0,0,4000,-3,10\n", "t.csv:2:12: ", "p_Pa: is -3, expected a pressure above"},
      {POINTS "\n0x10,0,0,4000,,10\n", "t.csv:2:1: ", "found \"0x10\""},
      {POINTS "\n0;0;0;4000;;10\n", "t.csv:2:1: ", "found 1 cells"},
      {POINTS "\n0,0,0,4000,,\x1b[31m\n", "t.csv:2:13: ", "found \"\\x1b[31m\""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    write_text("t.csv", cases[i].text);
    REFUSES(cases[i].place, cases[i].message, tyre, "--at", "t.csv");
  }
  static const char zero[] = POINTS
      "\n0,0,0,40\0"
      "00,,10\n";
  write_bytes("t.csv", zero, sizeof zero - 1);
  REFUSES("t.csv:2:9: ", "a byte of value zero", tyre, "--at", "t.csv");
  // A line of a million digits, one of a million cells, one of a million columns.
  enum { MANY = 1000000 };
  char *huge = malloc(2 * MANY + 200);
  assert_non_null(huge);
  int n = sprintf(huge, "%s\n", POINTS);
  memset(huge + n, '1', MANY), huge[n + MANY] = 0;
  write_text("t.csv", huge);
  REFUSES("t.csv:2:1: ", "found 1 cells", tyre, "--at", "t.csv");
  strcpy(huge + n + MANY, ",0,0,4000,,10");
  write_text("t.csv", huge);
  REFUSES("t.csv:2:1: ", "kappa: found \"111", tyre, "--at", "t.csv");
  memset(huge + n, ',', MANY), huge[n + MANY] = 0;
  write_text("t.csv", huge);
  REFUSES("t.csv:2:1: ", "found 1000001 cells", tyre, "--at", "t.csv");
  write_text("t.csv", huge + n);
  REFUSES("t.csv:1:1: ", "has 1000001 columns", tyre, "--at", "t.csv");
  free(huge);
  // A bad last row leaves no table behind, nor the one that was there harmed.
  write_text("t.csv", POINTS "\n0,0,0,4000,,10\n0,0,0,4000,,x\n");
  REFUSES("t.csv:3:13: ", "vx_mps", tyre, "--at", "t.csv", "--out", "new.csv");
  assert_false(there_is("new.csv"));
  REFUSES("gone.csv: ", "cannot be opened", tyre, "--at", "gone.csv");
  REFUSES("/dev/null: ", "is no plain file", tyre, "--at", "/dev/null");
  REFUSES("no/where.csv: ", "the table cannot be written", tyre, "--at", "a.csv", "--out",
          "no/where.csv");
}

static void wrong_calls_are_refused(void **state)
{
  (void)state;
  char model[PATH_MAX + 64], pendulum[PATH_MAX + 64];
  snprintf(model, sizeof model, "%s/models/hmmwv.yaml", root);
  snprintf(pendulum, sizeof pendulum, "%s/models/pendulum.yaml", root);
  refuses((const char *const[]){"tyre", NULL}, "tyre needs a file", "jounce tyre --help");
  REFUSES("tyre takes one file", "\"b.tir\"", "a.tir", "b.tir");
  REFUSES("tyre has no option \"--sett\"", "", tyre, "--sett", "x=1");
  REFUSES("--compare lacks its value", "", tyre, "--compare");
  REFUSES("choose one of --at and --compare", "", tyre, "--at", "a.csv", "--compare", older);
  REFUSES("choose one of --at and --json", "", tyre, "--at", "a.csv", "--json");
  REFUSES("--json and a report", "standard output", tyre, "--json", "--out", "-");
  REFUSES("--tyre is for models", "", tyre, "--tyre", "front");
  REFUSES("gone.tir: ", "cannot be opened", "gone.tir");
  REFUSES("gone.tir: ", "cannot be opened", tyre, "--compare", "gone.tir");
  REFUSES("--set pressur:", "did you mean \"pressure\"", tyre, "--set", "pressur=2");
  REFUSES("--set pressure:", "must be above zero", tyre, "--set", "pressure=-2");
  REFUSES("--set formulas:", "expected one of paper, book", tyre, "--set", "formulas=magic");
  REFUSES("--set: ", "expected key=value", tyre, "--set", "pressure");
  REFUSES("--set coefficients.LMUQ:", "has the coefficient \"LMUQ\"", tyre, "--set",
          "coefficients.LMUQ=2");
  write_text("bad.yaml", "jounce: 1\ntyres: {own: {type: magic-formula, file: gone.tir}}\n");
  REFUSES("bad.yaml:", "gone.tir", "bad.yaml");
  REFUSES(pendulum, "has no tyres", pendulum);
  REFUSES(model, "tyres.hmmwv: is of type brush", model);
  REFUSES(model, "has no tyre \"rear\"", model, "--tyre", "rear");
  REFUSES("no/where.html: ", "the report cannot be written", tyre, "--out", "no/where.html");
}

// ---- text, JSON, report ------------------------------------------------------------------------------

static void text_says_what_the_tyre_is(void **state)
{
  (void)state;
  static const char *const lines[] = {
      "tyre         every_coefficient_61\n",
      "type         magic-formula, Magic Formula 6.1\n",
      "measured on  left\n",
      "USE_MODE     14: Fx and Fy, combined, with relaxation\n",
      "\nnominal load                                 4000 N\n",
      "\nlargest utilisation of friction ",
      " values read from the file\n",
      "    FNOMIN 4000 N, VERTICAL_STIFFNESS 209651 N/m",
      "\n1 value set in place of the file's\n  SCALING_COEFFICIENTS\n    LMUX 0.7\n",
      " not given, and taken as\n",
      "\nreport       page.html\n",
  };
  RUN(tyre, "--set", "coefficients.LMUX=0.7", "--out", "page.html");
  assert_int_equal(run.code, 0);
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    if (!strstr(run.out, lines[i])) print_error("no \"%s\" in\n%s", lines[i], run.out);
    assert_non_null(strstr(run.out, lines[i]));
  }
}

static void json_has_figures_and_entries(void **state)
{
  (void)state;
  // It is longer than what a run here keeps of its output.
  char command[4 * PATH_MAX], path[PATH_MAX];
  snprintf(command, sizeof command,
           "cd %s && %s tyre %s --compare %s --json --out two.html > two.json", folder, JN_COMMAND,
           tyre, older);
  assert_int_equal(system(command), 0);
  snprintf(path, sizeof path, "%s/two.json", folder);
  json_error_t why;
  json_t *o = json_load_file(path, 0, &why);
  if (!o) fail_msg("%s", why.text);
  assert_string_equal(json_string_value(json_object_get(o, "report")), "two.html");
  json_t *tyres = json_object_get(o, "tyres");
  assert_int_equal(json_array_size(tyres), 2);
  const char *name, *type;
  int version, second, use;
  double load, most, kappa;
  json_t *pressure, *entries;
  assert_int_equal(
      json_unpack(tyres, "[{s:s, s:s, s:i, s:i, s:{s:F, s:F}, s:{s:F}, s:o}, {s:i, s:{s:o}}]",
                  "name", &name, "type", &type, "version", &version, "use_mode", &use, "figures",
                  "load", &load, "utilisation", &most, "utilisation_at", "kappa", &kappa, "entries",
                  &entries, "version", &second, "figures", "pressure", &pressure),
      0);
  assert_string_equal(name, "every_coefficient_61");
  assert_string_equal(type, "magic-formula");
  assert_int_equal(version, 61);
  assert_int_equal(second, 52);
  assert_int_equal(use, 14);
  JT_NEAR(load, 4000, 0);
  assert_true(most > 1.0 && most < 2.0 && fabs(kappa) <= 1.0);
  assert_true(json_is_null(pressure));
  assert_true(json_array_size(entries) > 150);
  json_decref(o);
}

// With the results of runs, in a folder, where one says, or on standard output; never beside what was read.
static void pages_go_where_they_should(void **state)
{
  (void)state;
  char command[2 * PATH_MAX + 128];
  snprintf(command, sizeof command, "mkdir %s/sub && cp %s %s/sub/own.tir", folder, tyre, folder);
  assert_int_equal(system(command), 0);
  RUN("sub/own.tir");
  assert_int_equal(run.code, 0);
  assert_true(there_is("results/own.html"));
  assert_false(there_is("sub/own.html"));
  assert_non_null(strstr(run.out, "\nreport       results/own.html\n"));
  RUN("sub/own.tir");  // the folder is there already
  assert_int_equal(run.code, 0);
  RUN("sub/own.tir", "--out", ".");
  assert_int_equal(run.code, 0);
  assert_true(there_is("own.html"));
  RUN("sub/own.tir", "--out=-");
  assert_int_equal(run.code, 0);
  assert_memory_equal(run.out, "<!doctype html>", 15);
  write_text("model.yaml",
             "jounce: 1\nbodies: {b: {mass: 1, cg: [0, 0, 0], inertia: [1, 1, 1]}}\n"
             "joints: {j: {type: free, bodies: [ground, b]}}\n"
             "tyres: {front: {type: magic-formula, file: sub/own.tir},\n"
             "        rear: {type: magic-formula, file: sub/own.tir, pressure: 180e3}}\n");
  RUN("model.yaml", "--tyre", "rear");
  assert_string_equal(run.err, "");
  assert_int_equal(run.code, 0);
  assert_true(there_is("results/model-rear.html"));
  assert_non_null(strstr(run.out, "inflation pressure                         180000 Pa\n"));
  write_text("part.yaml", "tyres: {own: {type: magic-formula, file: sub/own.tir}}\n");
  RUN("part.yaml", "--set", "tyres.own.use_mode=3");  // as models include it
  assert_string_equal(run.err, "");
  assert_true(there_is("results/part-own.html"));
  assert_non_null(strstr(run.out, "USE_MODE     3: Fx and Fy, each as if alone"));
  REFUSES("model.yaml: ", "has 2 tyres, expected the name of one: \"front\", \"rear\"",
          "model.yaml");
  // What is no folder stays as it is.
  snprintf(command, sizeof command, "rm -r %s/results && echo mine > %s/results", folder, folder);
  assert_int_equal(system(command), 0);
  REFUSES("results/own.html: ", "the report cannot be written: Not a directory", "sub/own.tir");
  assert_true(there_is("results"));
  snprintf(command, sizeof command, "rm %s/results", folder);
  assert_int_equal(system(command), 0);
}

// ---- files that are not complete --------------------------------------------------------------------

#define PART                                                                                   \
  "[DIMENSION]\nUNLOADED_RADIUS = 0.3\n[LATERAL_COEFFICIENTS]\nPCY1 = 1.3\nPDY1 = -1\nPKY1 = " \
  "-20\nPKY2 = 2\n"
#define LOOKED_AT                                                                            \
  "jounce: 1\nbodies: {b: {mass: 400, cg: [0, 0, 0.3], inertia: [40, 40, 40]}}\n"            \
  "joints: {j: {type: translational, bodies: [ground, b], at: [0, 0, 0], axis: [0, 0, "      \
  "1]}}\nforces: {w: {type: wheel, body: b, at: [0, 0, 0.3], axis: [0, 1, 0], tyre: front, " \
  "inertia: 1}}\n"

static void has(const char *where, const char *text)
{
  if (!strstr(where, text)) fail_msg("no \"%s\" in\n%s", text, where);
}

// What a file lacks, or has wrong, may be given by the model, in the file or on the command line.
static void overrides_complete_a_file(void **state)
{
  (void)state;
  write_text("part.tir", PART "[VERTICAL]\nVERTICAL_STIFFNESS = 0\n");
  REFUSES("part.tir: ", "has no version; expected FITTYP = 61", "part.tir");
  REFUSES("part.tir:9:22: ", "VERTICAL_STIFFNESS: is 0", "part.tir", "--set", "version=61");
  REFUSES("part.tir: ", "lacks FNOMIN, expected in [VERTICAL] or set as coefficients.FNOMIN",
          "part.tir", "--set", "version=61", "--set", "coefficients.VERTICAL_STIFFNESS=2e5");
  RUN("part.tir", "--set", "version=61", "--set", "coefficients.VERTICAL_STIFFNESS=2e5", "--set",
      "coefficients.FNOMIN=4000");
  assert_string_equal(run.err, "");
  assert_int_equal(run.code, 0);
  has(run.out, "\nnominal load                                 4000 N\n");
  has(run.out, " values set in place of the file's\n");
  has(run.out, "\n    FNOMIN 4000 N, VERTICAL_STIFFNESS 200000 N/m\n");
  has(run.out, "PCY1 1.3");

  write_text("car.yaml", LOOKED_AT
             "tyres: {front: {type: magic-formula, file: part.tir, version: 52, "
             "load_curve: [[0, 0], [0.02, 4000]], coefficients: {FNOMIN: 4000, "
             "VERTICAL_STIFFNESS: 2e5}}}\n");
  const char *const check[] = {"check", "car.yaml", NULL};
  jt_command(folder, check, &run);
  assert_string_equal(run.err, "");
  assert_int_equal(run.code, 0);
  write_text("car.yaml", LOOKED_AT "tyres: {front: {type: magic-formula, file: part.tir}}\n");
  const char *const set[] = {"check",
                             "car.yaml",
                             "--set=tyres.front.version=61",
                             "--set=tyres.front.coefficients.FNOMIN=4000",
                             "--set=tyres.front.coefficients.VERTICAL_STIFFNESS=2e5",
                             NULL};
  jt_command(folder, set, &run);
  assert_string_equal(run.err, "");
  assert_int_equal(run.code, 0);
}

// A curve given twice and a radius of zero leave the forces whole: they are read, and reported.
static void what_is_replaced_is_reported(void **state)
{
  (void)state;
  write_text("odd.tir", "[MODEL]\nFITTYP = 61\n" PART  // 9 lines
                        "[VERTICAL]\nFNOMIN = 4000\nQ_RE0 = 0\n"
                        "[DEFLECTION_LOAD_CURVE]\n0 0\n0.04 4000\n"
                        "[DEFLECTION_LOAD_CURVE]\n0 0\n0.02 4000\n");
  RUN("odd.tir");
  assert_string_equal(run.err, "");
  assert_int_equal(run.code, 0);
  has(run.out,
      "2 values of the file ignored\n  DEFLECTION_LOAD_CURVE\n    {pen fz} is given again "
      "in line 16, which is taken (line 13)\n  VERTICAL\n    Q_RE0 is 0, taken as 1 (line "
      "12)\n");
  has(run.out, "Q_RE0 1");
  write_text("car.yaml", LOOKED_AT "tyres: {front: {type: magic-formula, file: odd.tir}}\n");
  const char *const arguments[] = {"check", "car.yaml", NULL};
  jt_command(folder, arguments, &run);
  assert_string_equal(run.err, "");
  has(run.out, "\nnote: tyre \"front\": ");
  has(run.out, "/odd.tir:13: DEFLECTION_LOAD_CURVE is given again in line 16, which is taken\n");
  has(run.out, "/odd.tir:12: Q_RE0 is 0, taken as 1\n");
  // What the model has in its place is not noted; what it has no better is.
  const char *const set[] = {"check", "car.yaml",
                             "--set=tyres.front.load_curve=[[0, 0], [0.03, 4000]]",
                             "--set=tyres.front.coefficients.Q_RE0=0", NULL};
  jt_command(folder, set, &run);
  assert_string_equal(run.err, "");
  assert_null(strstr(run.out, "DEFLECTION_LOAD_CURVE"));
  has(run.out, "note: tyre \"front\": Q_RE0 is 0, taken as 1\n");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(points_of_the_tables_give_their_forces),
      cmocka_unit_test(tables_may_be_written_in_many_ways),
      cmocka_unit_test(wrong_tables_are_refused_at_their_place),
      cmocka_unit_test(wrong_calls_are_refused),
      cmocka_unit_test(text_says_what_the_tyre_is),
      cmocka_unit_test(json_has_figures_and_entries),
      cmocka_unit_test(pages_go_where_they_should),
      cmocka_unit_test(overrides_complete_a_file),
      cmocka_unit_test(what_is_replaced_is_reported),
  };
  return cmocka_run_group_tests(tests, enter, leave);
}
