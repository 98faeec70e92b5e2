// What a tyre property file says is what jn_tir has, in SI units, however it was written.
#include "tir/tir.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness.h"
#include "tir/tir_scan.h"
#include "use_locale.h"

#define DATA "test/tir/data/"
#define OURS "models/tyres/"  // files that models use
#define HEAD                                                               \
  "[MODEL]\nFITTYP = 61\n[DIMENSION]\nUNLOADED_RADIUS = 0.3\n[VERTICAL]\n" \
  "FNOMIN = 4000\nVERTICAL_STIFFNESS = 2e5\n"

static jn_pool pool;  // emptied behind each test

static int empty_pool(void **state)
{
  (void)state;
  jn_pool_free(&pool);
  return 0;
}

static void ok(jn_status st, const jn_error *err)
{
  char line[1024];
  if (st == JN_OK) return;
  print_error("%s\n", jn_error_line(err, line, sizeof line));
  fail();
}

static jn_tir load(const char *file)
{
  jn_tir t;
  jn_error err = {0};
  ok(jn_tir_load(file, (jn_pos){NULL, 0, 0}, NULL, &pool, &t, &err), &err);
  return t;
}

static jn_tir parse_n(const char *text, size_t length)
{
  jn_tir t;
  jn_error err = {0};
  ok(jn_tir_parse(text, length, "t.tir", &pool, &t, &err), &err);
  return t;
}

static jn_tir parse(const char *text)
{
  return parse_n(text, strlen(text));
}

static const tir_item *find_unused(const jn_tir *t, const char *section, const char *key)
{
  for (int i = 0; i < t->nunused; i++) {
    const tir_item *item = &t->unused[i];
    if (!strcmp(item->section, section) &&
        (key ? item->key && !strcmp(item->key, key) : !item->key))
      return item;
  }
  return NULL;
}

static int key_named(const char *name)
{
  for (int i = 0; i < TIR_NKEY; i++)
    if (!strcmp(jn_tir_key(i), name)) return i;
  return -1;
}

// ---- files of others --------------------------------------------------------------------------

// Numbers typed from the files, with their lines.
static void files_in_use_are_read(void **state)
{
  (void)state;
  static const struct {
    const char *file;
    int key, line;
    double value;
  } cases[] = {
      {OURS "sample.tir", TIR_UNLOADED_RADIUS, 25, 0.3135},
      {OURS "sample.tir", TIR_VERTICAL_STIFFNESS, 46, 209651},
      {OURS "sample.tir", TIR_PCX1, 108, 1.579},
      {OURS "sample.tir", TIR_PVY4, 160, -0.4864},
      {OURS "sample.tir", TIR_QSX11, 195, 5.349},
      {OURS "sample.tir", TIR_PPZ1, 243, -0.4408},
      {OURS "sample.tir", TIR_Q_FZ2, 256, 15.4},  // there QFZ2
      {DATA "Sedan_Pac02Tire.tir", TIR_VERTICAL_STIFFNESS, 37, 280835.2941},
      {DATA "Sedan_Pac02Tire.tir", TIR_LFZO, 61, 0.81},
      {DATA "Sedan_Pac02Tire.tir", TIR_QBZ9, 137, 8.9846},
      {OURS "HMMWV_Pac02Tire.tir", TIR_NOMPRES, 25, 800000},  // there IP_NOM
      {OURS "HMMWV_Pac02Tire.tir", TIR_LCZ, 91, 0.4419},
      {OURS "HMMWV_Pac02Tire.tir", TIR_RHY2, 175, -4.8794e-5},
      {DATA "Generic_Pac02Tire.tir", TIR_LFZO, 62, 0.580904846},
      {DATA "CityBus_Pac02Tire.tir", TIR_FNOMIN, 42, 35000},
      {DATA "CityBus_Pac02Tire.tir", TIR_PVY4, 158, -0.055766},
      {DATA "335_65R22_5_G275MSA_40psi.tir", TIR_VERTICAL_STIFFNESS, 77, 406520},
      {DATA "335_65R22_5_G275MSA_40psi.tir", TIR_KPUMAX, 92, 0},
      {DATA "335_65R22_5_G275MSA_70psi.tir", TIR_FNOMIN, 82, 24046},
      {DATA "335_65R22_5_G275MSA_70psi.tir", TIR_PVY4, 180, -0.1929},
      {DATA "every_coefficient_52.tir", TIR_QBZ9, 136, 12},
      {DATA "every_coefficient_61.tir", TIR_PPZ1, 195, -0.4408},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const jn_tir t = load(cases[i].file);
    JT_NEAR(t.value[cases[i].key], cases[i].value, 0.0);
    assert_int_equal(t.line[cases[i].key], cases[i].line);
  }
}

static void version_format_and_side_are_what_the_files_say(void **state)
{
  (void)state;
  static const struct {
    const char *file, *format;
    int version, fittyp;
    tir_side side;
    bool has_side;
  } cases[] = {
      {OURS "sample.tir", "", 61, 61, TIR_LEFT, true},
      {DATA "Sedan_Pac02Tire.tir", "PAC2002", 52, 0, TIR_LEFT, true},
      {OURS "HMMWV_Pac02Tire.tir", "PAC2002", 52, 0, TIR_LEFT, true},
      {DATA "Generic_Pac02Tire.tir", "PAC2002", 52, 0, TIR_LEFT, true},
      {DATA "CityBus_Pac02Tire.tir", "PAC2002", 52, 0, TIR_LEFT, true},
      {DATA "335_65R22_5_G275MSA_40psi.tir", "MF_05", 52, 5, TIR_EITHER, false},
      {DATA "335_65R22_5_G275MSA_70psi.tir", "MF_05", 52, 5, TIR_EITHER, false},
      {DATA "every_coefficient_52.tir", "", 52, 6, TIR_LEFT, true},
      {DATA "every_coefficient_61.tir", "", 61, 61, TIR_LEFT, true},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const jn_tir t = load(cases[i].file);
    assert_string_equal(t.file, cases[i].file);
    assert_string_equal(t.format, cases[i].format);
    assert_int_equal(t.version, cases[i].version);
    assert_int_equal(t.fittyp, cases[i].fittyp);
    assert_int_equal(t.side, cases[i].side);
    assert_int_equal(t.has_side, cases[i].has_side);
  }
}

// A second reader, of three lines: all files of the folder are in SI units, and each number begins a line.
static void every_number_of_every_file_arrives(void **state)
{
  (void)state;
  static const char *const folders[] = {DATA, OURS};
  int files = 0, numbers = 0;
  for (int folder = 0; folder < 2; folder++) {
    DIR *dir = opendir(folders[folder]);
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir));) {
      char path[512], line[512], name[64];
      if (!strstr(entry->d_name, ".tir") || strstr(entry->d_name, "caseFront") ||
          strstr(entry->d_name, "521_equation"))
        continue;
      snprintf(path, sizeof path, "%s%s", folders[folder], entry->d_name);
      const jn_tir t = load(path);
      FILE *in = fopen(path, "r");
      assert_non_null(in);
      int seen[TIR_NKEY] = {0};
      for (int at = 1; fgets(line, sizeof line, in); at++) {
        double value;
        if (sscanf(line, " %63[A-Z0-9_] = %lf", name, &value) != 2) continue;
        const int key = key_named(name);
        if (key < 0) continue;
        JT_NEAR(t.value[key], value, 0.0);
        assert_int_equal(t.line[key], at);
        seen[key] = 1;
        numbers++;
      }
      fclose(in);
      for (int i = 0; i < TIR_NKEY; i++)
        if (t.line[i] && !seen[i] && i != TIR_INFLPRES && i != TIR_NOMPRES &&
            strncmp(jn_tir_key(i), "Q_", 2) && i != TIR_LKYC) {  // those have aliases
          print_error("%s: %s comes from nowhere\n", path, jn_tir_key(i));
          fail();
        }
      files++;
    }
    closedir(dir);
  }
  assert_int_equal(files, 9);
  assert_true(numbers > 1400);
}

static void tables_of_files_are_read(void **state)
{
  (void)state;
  const jn_tir t = load(DATA "335_65R22_5_G275MSA_40psi.tir");
  static const double pen[] = {0.0, 0.05, 0.10}, fz[] = {0.0, 17876.049, 40051.666};
  static const double deep[] = {0.0, 0.10546, 0.30546}, hard[] = {0.0, 0.0, 563080.0};
  assert_int_equal(t.deflection_load.n, 3);
  assert_int_equal(t.bottoming.n, 3);
  assert_memory_equal(t.deflection_load.x, pen, sizeof pen);
  assert_memory_equal(t.deflection_load.y, fz, sizeof fz);
  assert_memory_equal(t.bottoming.x, deep, sizeof deep);
  assert_memory_equal(t.bottoming.y, hard, sizeof hard);
  assert_int_equal(load(OURS "sample.tir").deflection_load.n, 0);
}

// The pressure in a vendor's section is in bar, and is not ours.
static void what_nothing_uses_is_reported(void **state)
{
  (void)state;
  const jn_tir t = load(DATA "335_65R22_5_G275MSA_40psi.tir");
  assert_int_equal(t.nunused, 11);
  assert_int_equal(find_unused(&t, "GOODYEAR", NULL)->line, 16);
  assert_string_equal(find_unused(&t, "GOODYEAR", "INFLATION_PRESSURE")->text, "2.7");
  assert_int_equal(find_unused(&t, "GOODYEAR", "INFLATION_PRESSURE")->line, 18);
  assert_string_equal(find_unused(&t, "GOODYEAR", "TEST_NUMBER")->text, "");
  assert_string_equal(find_unused(&t, "MODEL", "FE_METHOD")->text, "YES");
  assert_int_equal(find_unused(&t, "SHAPE", NULL)->line, 64);
  assert_int_equal(t.line[TIR_INFLPRES], 0);
  assert_true(isnan(t.value[TIR_INFLPRES]));
  const jn_tir s = load(OURS "sample.tir");
  assert_int_equal(s.nunused, 1);
  assert_string_equal(find_unused(&s, "LOADED_RADIUS_COEFFICIENTS", "QFCG")->text, "7.742e-4");
}

static void formats_of_another_kind_are_refused_by_name(void **state)
{
  (void)state;
  static const struct {
    const char *file, *says;
  } cases[] = {
      {DATA "caseFrontWheel.tir",
       DATA "caseFrontWheel.tir:27:29: PROPERTY_FILE_FORMAT: found \"PAC89\": "},
      {DATA "521_equation.tir",
       DATA "521_equation.tir:27:29: PROPERTY_FILE_FORMAT: found \"5.2.1\": "},
  };
  for (int i = 0; i < 2; i++) {
    jn_tir t;
    jn_error err = {0};
    char line[1024];
    assert_int_equal(jn_tir_load(cases[i].file, (jn_pos){NULL, 0, 0}, NULL, &pool, &t, &err),
                     JN_E_SCHEMA);
    jn_error_line(&err, line, sizeof line);
    assert_memory_equal(line, cases[i].says, strlen(cases[i].says));
  }
}

// ---- units ------------------------------------------------------------------------------------

#define QUANTITY_OF(key, quantity, otherwise, use) #quantity,
#define DEFAULT_OF(key, quantity, otherwise, use)  otherwise,
#define USE_OF(key, quantity, otherwise, use)      #use[0],
#define OF_SECTION_Q(section, LIST)                LIST(QUANTITY_OF)
#define OF_SECTION_D(section, LIST)                LIST(DEFAULT_OF)
#define OF_SECTION_U(section, LIST)                LIST(USE_OF)
static const char *const quantity_of[] = {TIR_SECTIONS(OF_SECTION_Q)};
static const double default_of[] = {TIR_SECTIONS(OF_SECTION_D)};
static const char use_of[] = {TIR_SECTIONS(OF_SECTION_U)};

// In inches, pounds, degrees, slugs and minutes: a second opinion on every power of every unit.
static double in_si(const char *quantity, double value, double pressure)
{
  const double inch = 0.0254, lbf = 0.45359237 * 9.80665, degree = acos(-1.0) / 180.0;
  const double slug = lbf / 0.3048, minute = 60.0;
  if (!strcmp(quantity, "ONE")) return value;
  if (!strcmp(quantity, "LENGTH")) return value * inch;
  if (!strcmp(quantity, "FORCE")) return value * lbf;
  if (!strcmp(quantity, "ANGLE")) return value * degree;
  if (!strcmp(quantity, "MASS")) return value * slug;
  if (!strcmp(quantity, "INERTIA")) return value * slug * inch * inch;
  if (!strcmp(quantity, "SPEED")) return value * inch / minute;
  if (!strcmp(quantity, "STIFFNESS")) return value * lbf / inch;
  if (!strcmp(quantity, "DAMPING")) return value * lbf / (inch / minute);
  if (!strcmp(quantity, "TURN_STIFFNESS")) return value * lbf * inch / degree;
  if (!strcmp(quantity, "ACCELERATION")) return value * inch / (minute * minute);
  if (!strcmp(quantity, "PRESSURE")) return value * pressure;
  fail_msg("a new quantity: %s", quantity);
  return NAN;
}

// Each key has a value of its own, so that none can stand for another.
static double value_for(int key)
{
  if (key == TIR_FITTYP) return 62;
  if (key == TIR_USE_MODE) return 12;
  if (key == TIR_UNLOADED_RADIUS) return 1000;  // above RIM_RADIUS
  return 1.0 + 0.25 * key;  // the upper end of each range is behind its lower one
}

static void check_every_key(const char *unit, double pressure)
{
  char *text = NULL;
  size_t length = 0;
  FILE *out = open_memstream(&text, &length);
  const char *section = "";
  for (int i = 0; i < TIR_NKEY; i++) {
    if (strcmp(section, jn_tir_section(i))) fprintf(out, "[%s]\n", section = jn_tir_section(i));
    fprintf(out, "%s = %.17g\n", jn_tir_key(i), value_for(i));
  }
  // Units may stand behind the numbers they are for.
  fprintf(out,
          "[units]\nlength='INCH'\nforce=\"pound_force\"\nangle=degrees\nmass='slug'\n"
          "time='minute'\n%s",
          unit);
  fclose(out);
  const jn_tir t = parse_n(text, length);
  free(text);
  for (int i = 0; i < TIR_NKEY; i++) {
    const double expected = in_si(quantity_of[i], value_for(i), pressure);
    assert_true(t.line[i] > 0);
    JT_NEAR(t.value[i], expected, 4e-15 * fabs(expected));
  }
  assert_int_equal(t.nunused, 0);
}

static void every_key_is_read_in_any_units(void **state)
{
  (void)state;
  check_every_key("pressure = 'bar'\n", 1e5);
  check_every_key("pressure = 'kPa'\n", 1e3);
}

static void pressure_without_a_unit_is_force_over_area(void **state)
{
  (void)state;
  check_every_key("", 0.45359237 * 9.80665 / (0.0254 * 0.0254));
  jn_tir t = parse(
      "[UNITS]\nLENGTH='mm'\nFORCE='newton'\n[MODEL]\nFITTYP=61\n[DIMENSION]\n"
      "UNLOADED_RADIUS=313.5\n[OPERATING_CONDITIONS]\nINFLPRES=0.2\n[VERTICAL]\n"
      "FNOMIN=4000\nVERTICAL_STIFFNESS=209.651\n");
  JT_NEAR(t.value[TIR_INFLPRES], 2e5, 0.0);  // MPa
}

// 504 mm are the double nearest to 0.504 m: a factor of 0.001 would round twice.
static void decimal_units_round_once(void **state)
{
  (void)state;
  for (int i = 1; i < 1000; i++) {
    char text[512], metres[16];
    snprintf(text, sizeof text,
             "[UNITS]\nLENGTH='mm'\nFORCE='kilonewton'\n[MODEL]\nFITTYP=6\n[DIMENSION]\n"
             "UNLOADED_RADIUS=%d\n[VERTICAL]\nFNOMIN=%d.5\nVERTICAL_STIFFNESS=%d\n",
             i, i, i);
    const jn_tir t = parse(text);
    snprintf(metres, sizeof metres, "0.%03d", i);
    JT_NEAR(t.value[TIR_UNLOADED_RADIUS], strtod(metres, NULL), 0.0);
    JT_NEAR(t.value[TIR_FNOMIN], i * 1000.0 + 500.0, 0.0);
    JT_NEAR(t.value[TIR_VERTICAL_STIFFNESS], i * 1e6, 0.0);
    jn_pool_free(&pool);
  }
}

static void every_unit_is_what_it_is_called(void **state)
{
  (void)state;
  static const struct {
    const char *dimension, *word;
    int key;
    double value, si;
  } cases[] = {
      {"LENGTH", "metre", TIR_UNLOADED_RADIUS, 0.4, 0.4},
      {"LENGTH", "cm", TIR_UNLOADED_RADIUS, 40, 0.4},
      {"LENGTH", "millimeter", TIR_UNLOADED_RADIUS, 400, 0.4},
      {"LENGTH", "inch", TIR_UNLOADED_RADIUS, 10, 0.254},
      {"LENGTH", "foot", TIR_UNLOADED_RADIUS, 1, 0.3048},
      {"LENGTH", "km", TIR_UNLOADED_RADIUS, 0.001, 1},
      {"FORCE", "knewton", TIR_FNOMIN, 4, 4000},
      {"FORCE", "kilonewton", TIR_FNOMIN, 4, 4000},
      {"FORCE", "kg_force", TIR_FNOMIN, 400, 3922.66},
      {"FORCE", "lbf", TIR_FNOMIN, 1000, 4448.2216152605},
      {"FORCE", "kpound_force", TIR_FNOMIN, 1, 4448.2216152605},
      {"ANGLE", "deg", TIR_ALPMAX, 180, 3.14159265358979323846},
      {"ANGLE", "rad", TIR_ALPMAX, 0.5, 0.5},
      {"MASS", "gram", TIR_MASS, 9300, 9.3},
      {"MASS", "pound_mass", TIR_MASS, 100, 45.359237},
      {"MASS", "slug", TIR_MASS, 1, 14.593902937206364},
      {"MASS", "tonne", TIR_MASS, 0.01, 10},
      {"TIME", "millisecond", TIR_LONGVL, 0.0167, 16.7},
      {"TIME", "hour", TIR_LONGVL, 36000, 10},
      {"TIME", "sec", TIR_LONGVL, 10, 10},
      {"PRESSURE", "psi", TIR_INFLPRES, 30, 206842.71879505084},
      {"PRESSURE", "bar", TIR_INFLPRES, 2.2, 220000},
      {"PRESSURE", "kpascal", TIR_INFLPRES, 220, 220000},
      {"PRESSURE", "pascal", TIR_INFLPRES, 220000, 220000},
      {"PRESSURE", "megapascal", TIR_INFLPRES, 0.22, 220000},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[512];
    const bool radius = cases[i].key == TIR_UNLOADED_RADIUS, load_key = cases[i].key == TIR_FNOMIN;
    snprintf(text, sizeof text,
             "[UNITS]\n%s = '%s'\n[MODEL]\nFITTYP = 61\n[VERTICAL]\nVERTICAL_STIFFNESS = 2e5\n%s%s"
             "%s = %.17g\n",
             cases[i].dimension, cases[i].word, radius ? "" : "UNLOADED_RADIUS = 0.3\n",
             load_key ? "" : "FNOMIN = 4000\n", jn_tir_key(cases[i].key), cases[i].value);
    const jn_tir t = parse(text);
    JT_NEAR(t.value[cases[i].key], cases[i].si, 4e-15 * cases[i].si);
  }
}

static void tables_are_in_the_units_of_the_file(void **state)
{
  (void)state;
  const jn_tir t = parse(
      "[DEFLECTION_LOAD_CURVE]\n{pen fz}\n0 0\n10 2\n20 5\n[UNITS]\nLENGTH='mm'\n"
      "FORCE='kilonewton'\n[MODEL]\nFITTYP=6\nUNLOADED_RADIUS=300\nFNOMIN=4\n");
  assert_int_equal(t.deflection_load.n, 3);
  JT_NEAR(t.deflection_load.x[2], 0.02, 0.0);
  JT_NEAR(t.deflection_load.y[2], 5000.0, 0.0);
}

// ---- defaults and versions --------------------------------------------------------------------

static void what_a_file_does_not_say_has_the_default_of_the_list(void **state)
{
  (void)state;
  const jn_tir t = parse(HEAD "MFSAFE3 =\nPCY1 =   $ nothing\nPKX1 = ''\n");
  for (int i = 0; i < TIR_NKEY; i++) {
    if (t.line[i]) continue;
    assert_true(isnan(default_of[i]) ? isnan(t.value[i]) : t.value[i] == default_of[i]);
  }
  assert_int_equal(t.line[TIR_MFSAFE3] + t.line[TIR_PCY1] + t.line[TIR_PKX1], 0);
  JT_NEAR(t.value[TIR_LMUX], 1.0, 0.0);
  JT_NEAR(t.value[TIR_PKY4], 2.0, 0.0);
  JT_NEAR(t.value[TIR_PCY1], 0.0, 0.0);
  assert_false(t.has_side);
  assert_int_equal(t.side, TIR_EITHER);
}

static void fittyp_and_format_choose_the_equations(void **state)
{
  (void)state;
  static const struct {
    const char *model;
    int version;
  } cases[] = {{"FITTYP = 5", 52},
               {"FITTYP = 6", 52},
               {"FITTYP = 6.0", 52},
               {"FITTYP = 21", 52},
               {"FITTYP = 52", 52},
               {"FITTYP = 61", 61},
               {"FITTYP = 62", 61},
               {"PROPERTY_FILE_FORMAT = 'PAC2002'", 52},
               {"PROPERTY_FILE_FORMAT = 'pac2002'", 52},
               {"PROPERTY_FILE_FORMAT = 'PAC2002'\nFITTYP = 6", 52},
               {"FITTYP = 5\nPROPERTY_FILE_FORMAT = 'MF_05'", 52},
               {"PROPERTY_FILE_FORMAT = 'MF_05'", 52},
               {"PROPERTY_FILE_FORMAT = 'MF-TYRE'\nFITTYP = 61", 61},
               {"PROPERTY_FILE_FORMAT = 'MF_TYRE'\nFITTYP = 52", 52}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[512];
    snprintf(text, sizeof text,
             "[MODEL]\n%s\n[DIMENSION]\nUNLOADED_RADIUS = 0.3\n[VERTICAL]\nFNOMIN = 4000\n"
             "VERTICAL_STIFFNESS = 2e5\n",
             cases[i].model);
    const jn_tir t = parse(text);
    assert_int_equal(t.version, cases[i].version);
    for (int k = 0; k < TIR_NKEY; k++)
      assert_int_equal(jn_tir_uses(&t, k), use_of[k] == 'B' || use_of[k] == "56"[t.version == 61]);
  }
}

static void stiffness_may_be_a_polynomial_or_a_curve(void **state)
{
  (void)state;
  static const char base[] = "UNLOADED_RADIUS = 0.3\nFNOMIN = 4000\n";
  char text[512];
  snprintf(text, sizeof text, "[MODEL]\nFITTYP = 61\n%sQFZ1 = 14\n", base);
  JT_NEAR(parse(text).value[TIR_Q_FZ1], 14.0, 0.0);
  snprintf(text, sizeof text, "[MODEL]\nFITTYP = 6\n%s[DEFLECTION_LOAD_CURVE]\n0 0\n0.1 9\n", base);
  assert_int_equal(parse(text).deflection_load.n, 2);
}

static void of_several_curves_the_last_is_taken(void **state)
{
  (void)state;
  const jn_tir t = parse(HEAD
                         "[DEFLECTION_LOAD_CURVE]\n{pen fz}\n0 0\n0.01 900\n0.02 2000\n"  // line 8
                         "[BOTTOMING_CURVE]\n0 0\n0.1 9e4\n"
                         "[DEFLECTION_LOAD_CURVE]\n{pen fz}\n0 0\n0.03 5000\n");  // line 16
  assert_int_equal(t.deflection_load.n, 2);
  JT_NEAR(t.deflection_load.x[1], 0.03, 0.0);
  JT_NEAR(t.deflection_load.y[1], 5000, 0.0);
  assert_int_equal(t.nunused, 1);
  assert_string_equal(t.unused[0].section, "DEFLECTION_LOAD_CURVE");
  assert_string_equal(t.unused[0].text, "is given again in line 16, which is taken");
  assert_int_equal(t.unused[0].line, 8);
  assert_true(t.unused[0].replaced);
}

static void a_factor_of_the_radius_of_zero_is_none(void **state)
{
  (void)state;
  const jn_tir t = parse(HEAD "QRE0 = 0\n"), same = parse(HEAD);
  assert_int_equal(t.line[TIR_Q_RE0], 0);
  JT_NEAR(t.value[TIR_Q_RE0], same.value[TIR_Q_RE0], 0.0);
  JT_NEAR(t.value[TIR_Q_RE0], 1.0, 0.0);
  const tir_item *item = find_unused(&t, "VERTICAL", "Q_RE0");
  assert_non_null(item);
  assert_string_equal(item->text, "is 0, taken as 1");
  assert_int_equal(item->line, 8);
  assert_true(item->replaced);
}

static void use_mode_is_taken_without_its_contact(void **state)
{
  (void)state;
  static const struct {
    const char *text;
    double mode;
    int notes;
  } cases[] = {{"0", 0, 0},     {"4", 4, 0},    {"4.0", 4, 0},  {"12", 12, 0},  {"24", 24, 0},
               {"-14", -14, 0}, {"114", 14, 1}, {"124", 24, 1}, {"-104", -4, 1}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[512];
    snprintf(text, sizeof text, HEAD "USE_MODE = %s\n", cases[i].text);
    const jn_tir t = parse(text);
    JT_NEAR(t.value[TIR_USE_MODE], cases[i].mode, 0.0);
    assert_int_equal(t.nunused, cases[i].notes);
  }
}

// ---- ways to write ----------------------------------------------------------------------------

static void the_same_file_in_other_words(void **state)
{
  (void)state;
  static const char *const cases[] = {
      HEAD "PCX1 = 1500\n",
      "\xef\xbb\xbf" HEAD "PCX1 = 1500\n",     // byte order mark
      HEAD "PCX1 = 1500",                      // no line end
      HEAD "PCX1 = 1500\n\x1a",                // end of a file of DOS
      HEAD "\tpcx1\t=\t1.5d+03\t$ Fortran\n",  // tabs, lower case
      "[model]\nfittyp=61\nunloaded_radius=0.3\nFnomin=4000\nvertical_stiffness=2e5\nPcx1=1500",
      HEAD "PCX1=+1500.!no space\n",                              //
      HEAD "PCX1 = .15E+4 $ caf\xe9, Dpt\" = 'a [b\n",            // Latin-1, quotes in a comment
      HEAD "! \xe9\xe8 [ { ' = \n$=\n   \n\t\nPCX1 = 1500   \n",  // odd comments and blank lines
      HEAD "[ Longitudinal_Coefficients ] $ comment\nPCX1 = 150.0D1\n",
      HEAD "[MODEL]\nPCX1 = 1500\n",                      // a section in two parts
      HEAD "{a b}\n1 2\n3 4\nwords, too\nPCX1 = 1500\n",  // rows that nothing uses
      "[MDI_HEADER]\nFILE_TYPE = 'TIR'\n(COMMENTS)\n{comment_string}\n'Tire - X'\n\"a = b\"\n" HEAD
      "PCX1 = 1500\n",
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const jn_tir t = parse(cases[i]);
    JT_NEAR(t.value[TIR_PCX1], 1500.0, 0.0);
    JT_NEAR(t.value[TIR_FNOMIN], 4000.0, 0.0);
  }
}

static void lines_may_end_in_three_ways(void **state)
{
  (void)state;
  static const char *const ends[] = {"\n", "\r\n", "\r"};
  for (int i = 0; i < 3; i++) {
    char text[512] = "";
    size_t at = 0;
    for (const char *s = HEAD; *s; s++)
      if (*s == '\n')
        at += (size_t)sprintf(text + at, "%s", ends[i]);
      else
        text[at++] = *s;
    const jn_tir t = parse_n(text, at);
    assert_int_equal(t.line[TIR_FNOMIN], 6);
    assert_int_equal(t.line[TIR_VERTICAL_STIFFNESS], 7);
    JT_NEAR(t.value[TIR_VERTICAL_STIFFNESS], 2e5, 0.0);
  }
}

static void texts_keep_what_stands_between_their_quotes(void **state)
{
  (void)state;
  const jn_tir t =
      parse(HEAD
            "A = 'it $ is ! \"so\"' $ comment\nB = \"it's\"\nC = bare words ! comment\n"
            "[VENDOR]\nD = 'never closed\nE = 'closed' and more\nfree text = 'a\n"
            "{\n[ SHAPE ]\n1 2\n");
  assert_string_equal(find_unused(&t, "VERTICAL", "A")->text, "it $ is ! \"so\"");
  assert_string_equal(find_unused(&t, "VERTICAL", "B")->text, "it's");
  assert_string_equal(find_unused(&t, "VERTICAL", "C")->text, "bare words");
  assert_string_equal(find_unused(&t, "VENDOR", "D")->text, "never closed");
  assert_string_equal(find_unused(&t, "VENDOR", "E")->text, "closed");
  assert_non_null(find_unused(&t, "VENDOR", NULL));
  assert_non_null(find_unused(&t, "SHAPE", NULL));
  assert_int_equal(t.nunused, 7);
}

// Files in use have `MASS = kg`; nothing depends on the mass.
static void a_word_for_an_unused_number_is_only_reported(void **state)
{
  (void)state;
  const jn_tir t = parse(HEAD "[INERTIA]\nMASS = kg\n");
  assert_string_equal(find_unused(&t, "INERTIA", "MASS")->text, "kg");
  assert_true(isnan(t.value[TIR_MASS]));
}

// A vendor may repeat coefficients in a section of its own: ours count.
static void a_vendor_may_repeat_keys(void **state)
{
  (void)state;
  const jn_tir t = parse("[WET]\nPCX1 = 7\nMASS = 3\n" HEAD "PCX1 = 1.5\n");
  JT_NEAR(t.value[TIR_PCX1], 1.5, 0.0);
  assert_int_equal(t.line[TIR_MASS], 0);
}

static void each_side_is_known(void **state)
{
  (void)state;
  static const struct {
    const char *word;
    tir_side side;
    bool has;
  } cases[] = {{"'LEFT'", TIR_LEFT, true},
               {"right", TIR_RIGHT, true},
               {"\"Symmetric\"", TIR_EITHER, true},
               {"'UNKNOWN'", TIR_EITHER, false},
               {"''", TIR_EITHER, false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[512];
    snprintf(text, sizeof text, HEAD "TYRESIDE = %s\n", cases[i].word);
    const jn_tir t = parse(text);
    assert_int_equal(t.side, cases[i].side);
    assert_int_equal(t.has_side, cases[i].has);
  }
}

static void the_comma_of_a_locale_does_not_matter(void **state)
{
  (void)state;
  char folder[] = "/tmp/jounce_tir_XXXXXX", command[64];
  assert_non_null(mkdtemp(folder));
  const jn_tir here = load(OURS "sample.tir");
  const bool found = use_locale(folder, "de_DE.UTF-8", "de_DE", ",");
  jn_tir there = {0};
  jn_error err = {0};
  jn_status st = JN_OK;
  if (found) st = jn_tir_load(OURS "sample.tir", (jn_pos){NULL, 0, 0}, NULL, &pool, &there, &err);
  setlocale(LC_ALL, "C");
  snprintf(command, sizeof command, "rm -r %s", folder);
  assert_int_equal(system(command), 0);
  if (!found) JT_SKIP("there is no locale de_DE.UTF-8, and none can be made");
  ok(st, &err);
  assert_memory_equal(here.value, there.value, sizeof here.value);
}

// ---- limits that are just met -----------------------------------------------------------------

static void the_largest_allowed_file_is_read(void **state)
{
  (void)state;
  const size_t most = TIR_MOST_BYTES;
  char *text = malloc(most);
  assert_non_null(text);
  memset(text, '$', most);
  memcpy(text, HEAD, sizeof HEAD - 1);
  size_t at = sizeof HEAD - 1;
  for (int line = 8; line < TIR_MOST_LINES; line++) {
    memcpy(text + at, "A=1\n", 4);
    at += 4;
  }
  const jn_tir t = parse_n(text, at);
  assert_int_equal(t.nunused, TIR_MOST_LINES - 8);
  at = sizeof HEAD - 1;
  memset(text + at, '$', most - at);
  while (at + TIR_LONGEST_LINE < most) text[at += TIR_LONGEST_LINE] = '\n', at++;
  assert_true(most - at <= TIR_LONGEST_LINE);
  assert_int_equal(parse_n(text, most).line[TIR_FNOMIN], 6);
  free(text);
}

static void a_table_has_up_to_31_rows(void **state)
{
  (void)state;
  char text[2048] = HEAD "[BOTTOMING_CURVE]\n{pen fz}\n";
  for (int i = 0; i < 31; i++) sprintf(text + strlen(text), "%d %d\n", i, 2 * i);
  assert_int_equal(parse(text).bottoming.n, 31);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_teardown(f, empty_pool)
  const struct CMUnitTest tests[] = {
      TEST(files_in_use_are_read),
      TEST(version_format_and_side_are_what_the_files_say),
      TEST(every_number_of_every_file_arrives),
      TEST(tables_of_files_are_read),
      TEST(what_nothing_uses_is_reported),
      TEST(formats_of_another_kind_are_refused_by_name),
      TEST(every_key_is_read_in_any_units),
      TEST(pressure_without_a_unit_is_force_over_area),
      TEST(decimal_units_round_once),
      TEST(every_unit_is_what_it_is_called),
      TEST(tables_are_in_the_units_of_the_file),
      TEST(what_a_file_does_not_say_has_the_default_of_the_list),
      TEST(fittyp_and_format_choose_the_equations),
      TEST(stiffness_may_be_a_polynomial_or_a_curve),
      TEST(of_several_curves_the_last_is_taken),
      TEST(a_factor_of_the_radius_of_zero_is_none),
      TEST(use_mode_is_taken_without_its_contact),
      TEST(the_same_file_in_other_words),
      TEST(lines_may_end_in_three_ways),
      TEST(texts_keep_what_stands_between_their_quotes),
      TEST(a_word_for_an_unused_number_is_only_reported),
      TEST(a_vendor_may_repeat_keys),
      TEST(each_side_is_known),
      TEST(the_comma_of_a_locale_does_not_matter),
      TEST(the_largest_allowed_file_is_read),
      TEST(a_table_has_up_to_31_rows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
