// A tyre alone: its forces are those of the tables, its figures are what its curves show, its entries are what stands in
// its file.
#include <unistd.h>

#include "harness.h"
#include "jounce/tyre.h"
#include "tyre/mf_tables.h"

#define FILES "test/tir/data/"
#define OURS  "models/tyres/"  // files that models use

static jn_tyre *load(const char *file, const char *const *set, int nset)
{
  jn_error err = {0};
  jn_tyre *t = NULL;
  const jn_status st = jn_tyre_load(file, set, nset, &t, &err);
  if (st) print_error("%s: %s\n", err.file, err.text);
  assert_int_equal(st, JN_OK);
  return t;
}

// ---- forces ----------------------------------------------------------------------------------------

static void meets_table(const char *tyre, const char *name, const char *option)
{
  static mf_table table;
  char file[128];
  double scale[MF_OUT];
  jn_pool pool = {0};
  jn_tir *tir = jn_pool_alloc(&pool, 1, sizeof *tir);
  snprintf(file, sizeof file, "%s%s", strcmp(tyre, "sample.tir") ? FILES : OURS, tyre);
  jn_tyre *t = load(file, &option, option ? 1 : 0);
  mf_read_table(name, &table);
  mf_read_tyre(file, &pool, tir);
  mf_scales(tir, scale);
  for (int i = 0; i < table.n; i++) {
    const mf_row *r = &table.row[i];
    const jn_tyre_forces f = jn_tyre_at(
        t, (jn_tyre_point){r->kappa, r->alpha, r->gamma, r->load, r->pressure, r->speed});
    const double found[MF_OUT] = {f.fx, f.fy, f.mx, f.my, f.mz};
    for (int c = 0; c < MF_OUT; c++)
      if (!isnan(r->value[c]))
        JT_NEAR(found[c], r->value[c], 1e-10 * fmax(fabs(r->value[c]), scale[c]));
  }
  jn_tyre_free(t);
  jn_pool_free(&pool);
}

static void forces_are_those_of_the_tables(void **state)
{
  (void)state;
  meets_table("sample.tir", "sample.csv", NULL);
  meets_table("sample.tir", "sample.book.csv", "formulas=book");
  meets_table("every_coefficient_61.tir", "every_coefficient_61.csv", NULL);
  meets_table("every_coefficient_52.tir", "every_coefficient_52.csv", NULL);
  meets_table("Sedan_Pac02Tire.tir", "Sedan_Pac02Tire.ellipse.csv", "combined=ellipse");
}

// A pressure at a point is the tyre inflated to it; none is the tyre's own.
static void pressure_of_a_point_is_that_of_the_tyre(void **state)
{
  (void)state;
  const char *set = "pressure=175e3";
  jn_tyre *t = load(OURS "sample.tir", NULL, 0), *low = load(OURS "sample.tir", &set, 1);
  jn_tyre_point at = {0.04, -0.06, 0.02, 3500, 175e3, 20};
  const jn_tyre_forces a = jn_tyre_at(t, at), own = jn_tyre_at(low, at);
  at.pressure = NAN;
  const jn_tyre_forces b = jn_tyre_at(low, at), c = jn_tyre_at(t, at);
  assert_memory_equal(&a, &b, sizeof a);
  assert_memory_equal(&a, &own, sizeof a);
  assert_true(fabs(a.fy - c.fy) > 1.0);
  JT_NEAR(jn_tyre_about(low).pressure, 175e3, 0.0);
  jn_tyre_free(t);
  jn_tyre_free(low);
}

static void backwards_what_follows_the_way_turns_round(void **state)
{
  (void)state;
  jn_tyre *t = load(OURS "sample.tir", NULL, 0);
  const jn_tyre_point at = {0.0, 0.05, 0.0, 4000, NAN, 12};
  jn_tyre_point back = at;
  back.speed = -12;
  const jn_tyre_forces f = jn_tyre_at(t, at), b = jn_tyre_at(t, back);
  JT_NEAR(b.fy, f.fy, 0.0);
  JT_NEAR(b.my, -f.my, 0.0);
  assert_true(f.my < 0.0);
  assert_true(f.mz * b.mz < 0.0);
  jn_tyre_free(t);
}

// ---- limits and load --------------------------------------------------------------------------------

// Steepest slope and half of the height of a curve, found by looking at it.
typedef struct seen {
  double slope, height;
} seen;

static seen look_along(const jn_tyre *t, double load, bool side)
{
  enum { N = 40000 };
  const double most = side ? 0.5 : 1.0;
  double low = 0.0, high = 0.0, before = NAN;
  seen s = {0};
  for (int i = 0; i <= N; i++) {
    const double x = most * (2.0 * i / N - 1.0);
    jn_tyre_point at = {side ? 0.0 : x, side ? x : 0.0, 0.0, load, NAN, 16.7};
    const jn_tyre_forces f = jn_tyre_at(t, at);
    const double y = side ? f.fy : f.fx;
    low = fmin(low, y), high = fmax(high, y);
    if (i) s.slope = fmax(s.slope, fabs(y - before) / (2.0 * most / N));
    before = y;
  }
  s.height = 0.5 * (high - low);
  return s;
}

static void limits_are_what_curves_show(void **state)
{
  (void)state;
  jn_tyre *t = load(OURS "sample.tir", NULL, 0);
  for (double load = 2000; load < 7000; load += 2000) {
    const jn_tyre_limits r = jn_tyre_limits_at(t, load, 0.0);
    for (int c = 0; c < 2; c++) {
      const seen s = look_along(t, load, c == 1);
      JT_NEAR(s.slope / r.stiffness[c], 1.0, 0.01);
      JT_NEAR(s.height / (r.friction[c] * load), 1.0, 0.01);
    }
  }
  // sigma = Fz (PTX1 + PTX2 dfz) exp(-PTX3 dfz) R0 / Fz0, and PTY1 sin(2 atan(Fz / (PTY2 Fz0))) R0 [Pac02]
  const double load = 5000, dfz = load / 4000 - 1, r0 = 0.3135;
  const jn_tyre_limits r = jn_tyre_limits_at(t, load, 0.0);
  JT_NEAR(r.relaxation[0], load * (1.98 + 3e-4 * dfz) * exp(0.31 * dfz) * r0 / 4000, 1e-12);
  JT_NEAR(r.relaxation[1], 1.8 * sin(2 * atan(load / (1.8 * 4000))) * r0, 1e-12);
  jn_tyre_free(t);
}

// Fz = (1 + qV2 R0 |Omega| / V0) (qFz1 rho / R0 + qFz2 (rho / R0)^2) Fz0, rho of the radius that has grown with
// R0 (qRe0 + qV1 (Omega R0 / V0)^2); Re = that radius - Fz0 / Cz (D atan(B Fz / Fz0) + F Fz / Fz0)
static void load_and_radius_are_those_of_the_formulas(void **state)
{
  (void)state;
  const double r0 = 0.3135, f0 = 4000, cz = 209651, v0 = 16.7, q2 = 15.4;
  const double q1 = sqrt(cz * r0 / f0 * (cz * r0 / f0) - 4 * q2);
  jn_tyre *t = load(OURS "sample.tir", NULL, 0);
  for (double speed = 0; speed < 61; speed += 20)
    for (double rho = 0.005; rho < 0.04; rho += 0.01) {
      const jn_tyre_stand s = jn_tyre_load_at(t, rho, speed);
      const double spin = speed / s.rolling_radius, turn = spin * r0 / v0;
      const double radius = r0 * (0.9974 + 7.742e-4 * turn * turn);
      const double fz = (1 + 0.04667 * turn) * (q1 * rho / r0 + q2 * rho * rho / r0 / r0) * f0;
      const double shorter =
          f0 / cz * (0.25826 * atan(8.386 * s.load / f0) + 0.07394 * s.load / f0);
      JT_NEAR(s.load, fz, 1e-9 * fz);
      JT_NEAR(s.deflection, rho, 1e-15);
      JT_NEAR(s.loaded_radius, radius - rho, 1e-12);
      JT_NEAR(s.rolling_radius, radius - shorter, 1e-12);
      const jn_tyre_stand back = jn_tyre_stand_at(t, s.load, speed);
      JT_NEAR(back.deflection, rho, 1e-12);
    }
  JT_NEAR(jn_tyre_load_at(t, -0.01, 20).load, 0.0, 0.0);
  jn_tyre_free(t);
}

static double figure(const jn_tyre *t, const char *key)
{
  jn_tyre_figure f[JN_TYRE_FIGURES];
  jn_tyre_figures(t, f);
  for (int i = 0; i < JN_TYRE_FIGURES; i++)
    if (!strcmp(f[i].key, key)) return f[i].value;
  fail_msg("there is no figure %s", key);
  return NAN;
}

// K = PKY1 Fz0 sin(PKY4 atan(1 / PKY2)), PKX1 Fz0, PDX1, PDY1 at the nominal load, where dfz is zero.
static void figures_are_those_of_the_nominal_load(void **state)
{
  (void)state;
  jn_tyre *t = load(OURS "sample.tir", NULL, 0);
  JT_NEAR(figure(t, "load"), 4000, 0);
  JT_NEAR(figure(t, "cornering_stiffness"), 15.324 * 4000 * sin(2.0005 * atan(1 / 1.715)), 1e-6);
  JT_NEAR(figure(t, "slip_stiffness"), 21.687 * 4000, 1e-6);
  JT_NEAR(figure(t, "friction_x"), 1.0422, 1e-12);
  JT_NEAR(figure(t, "friction_y"), 0.8785, 1e-12);
  // Q_FZ1 is found so that the stiffness at the nominal load is the file's: (q1^2 + 4 q2) is that slope squared.
  JT_NEAR(figure(t, "vertical_stiffness"), 209651, 1.0);
  jn_tyre_free(t);
  const char *set = "use_mode=2";  // side force alone
  t = load(OURS "sample.tir", &set, 1);
  assert_true(isnan(figure(t, "slip_stiffness")) && isnan(figure(t, "relaxation_x")));
  JT_NEAR(figure(t, "friction_y"), 0.8785, 1e-12);
  jn_tyre_free(t);
}

// ---- utilisation -----------------------------------------------------------------------------------

static double utilisation_at(const jn_tyre *t, jn_tyre_point at)
{
  const jn_tyre_forces f = jn_tyre_at(t, at);
  const jn_tyre_limits r = jn_tyre_limits_at(t, at.load, at.gamma);
  return hypot(f.fx / (r.friction[0] * at.load), f.fy / (r.friction[1] * at.load));
}

static void no_point_uses_more_friction_than_the_largest(void **state)
{
  (void)state;
  static const char *const files[] = {OURS "sample.tir", FILES "every_coefficient_61.tir",
                                      FILES "Sedan_Pac02Tire.tir"};
  jt_random random = {7};
  for (int k = 0; k < 3; k++) {
    jn_tyre *t = load(files[k], NULL, 0);
    const jn_tyre_info a = jn_tyre_about(t);
    const jn_tyre_utilisation most = jn_tyre_utilise(t);
    JT_NEAR(utilisation_at(t, most.at), most.value, 1e-12);
    double found = 0.0;
    for (int i = 0; i < 200000; i++)
      found = fmax(found, utilisation_at(
                              t, (jn_tyre_point){jt_random_in(&random, a.kappas[0], a.kappas[1]),
                                                 jt_random_in(&random, a.alphas[0], a.alphas[1]),
                                                 jt_random_in(&random, a.cambers[0], a.cambers[1]),
                                                 jt_random_in(&random, a.loads[0], a.loads[1]), NAN,
                                                 a.speed}));
    JT_LE(found, most.value);
    JT_LE(most.value, 1.05 * found);  // and chance comes near it
    jn_tyre_free(t);
  }
}

// ---- entries ---------------------------------------------------------------------------------------

enum { MOST_LINES = 600 };

typedef struct lines {
  char text[MOST_LINES][200];
  int n;
} lines;

static void read_lines(const char *file, lines *l)
{
  FILE *in = fopen(file, "r");
  assert_non_null(in);
  for (l->n = 1; l->n < MOST_LINES && fgets(l->text[l->n], sizeof l->text[0], in); l->n++) continue;
  fclose(in);
}

static const jn_tyre_entry *entry(const jn_tyre *t, const char *key)
{
  static jn_tyre_entry e;
  for (int i = 0; i < jn_tyre_entry_count(t); i++) {
    e = jn_tyre_entry_at(t, i);
    if (e.key && !strcmp(e.key, key)) return &e;
  }
  return NULL;
}

// Some files write QV1 for Q_V1.
static bool same_but_underscores(const char *a, const char *b)
{
  for (; *a || *b; a++, b++) {
    while (*a == '_') a++;
    while (*b == '_') b++;
    if (*a != *b) return false;
    if (!*a) break;
  }
  return true;
}

static void entries_stand_in_the_lines_that_they_name(void **state)
{
  (void)state;
  static lines l;
  int n[5] = {0};
  jn_tyre *t = load(OURS "sample.tir", NULL, 0);
  read_lines(OURS "sample.tir", &l);
  for (int i = 0; i < jn_tyre_entry_count(t); i++) {
    const jn_tyre_entry e = jn_tyre_entry_at(t, i);
    char key[64], value[64];
    n[e.origin]++;
    if (!e.line) {
      assert_int_equal(e.origin, JN_TYRE_DEFAULT);
      continue;
    }
    assert_in_range(e.line, 1, l.n - 1);
    assert_int_equal(sscanf(l.text[e.line], " %63[A-Z0-9_] = %63s", key, value), 2);
    assert_true(same_but_underscores(key, e.key));
    if (e.origin == JN_TYRE_UNKNOWN)
      assert_non_null(strstr(l.text[e.line], e.text));
    else
      JT_NEAR(e.value, atof(value), 0.0);  // the file is in SI
  }
  assert_true(n[JN_TYRE_READ] > 150 && n[JN_TYRE_DEFAULT] > 0 && n[JN_TYRE_UNUSED] > 10);
  assert_int_equal(n[JN_TYRE_SET], 0);
  assert_int_equal(n[JN_TYRE_UNKNOWN], 1);
  // The file gives lengths of 5.2 and no stiffness of the carcass: its relaxation is by the lengths.
  assert_int_equal(entry(t, "PTX1")->origin, JN_TYRE_READ);
  assert_int_equal(entry(t, "MASS")->origin, JN_TYRE_UNUSED);
  assert_string_equal(entry(t, "MASS")->unit, "kg");
  jn_tyre_free(t);
}

static void an_override_is_reported_and_the_rest_keeps_its_lines(void **state)
{
  (void)state;
  const char *set[] = {"coefficients.LMUY=0.5", "use_mode=4"};
  jn_tyre *t = load(OURS "sample.tir", NULL, 0), *other = load(OURS "sample.tir", set, 2);
  int n = 0;
  assert_int_equal(jn_tyre_entry_count(t), jn_tyre_entry_count(other));
  for (int i = 0; i < jn_tyre_entry_count(t); i++) {
    const jn_tyre_entry a = jn_tyre_entry_at(t, i), b = jn_tyre_entry_at(other, i);
    const bool changed = b.key && (!strcmp(b.key, "LMUY") || !strcmp(b.key, "USE_MODE"));
    n += changed;
    assert_int_equal(b.origin, changed ? JN_TYRE_SET : a.origin);
    assert_int_equal(b.line, changed ? 0 : a.line);
  }
  assert_int_equal(n, 2);
  JT_NEAR(entry(other, "LMUY")->value, 0.5, 0.0);
  assert_int_equal(jn_tyre_about(other).use_mode, 4);
  assert_string_equal(jn_tyre_use_text(4), "Fx and Fy, combined, steady state");
  assert_string_equal(jn_tyre_use_text(22), "Fy alone, with nonlinear relaxation");
  jn_tyre_free(t);
  jn_tyre_free(other);
}

// Units of the file and sections of other programs.
static void vendor_sections_are_named(void **state)
{
  (void)state;
  char name[] = "/tmp/jounce-look-XXXXXX.tir";
  const int file = mkstemps(name, 4);
  assert_true(file >= 0);
  FILE *out = fdopen(file, "w");
  fputs(
      "[UNITS]\nLENGTH='mm'\nFORCE='newton'\nANGLE='degrees'\nMASS='kg'\nTIME='second'\n"
      "[MODEL]\nFITTYP=61\n[DIMENSION]\nUNLOADED_RADIUS=310\n"
      "[VERTICAL]\nFNOMIN=4000\nVERTICAL_STIFFNESS=200\nNOT_A_KEY=3\n"
      "[SLIP_ANGLE_RANGE]\nALPMIN=-10\nALPMAX=10\n[ACME_THERMAL]\nHEAT=3\nCOLD=4\n",
      out);
  assert_int_equal(fclose(out), 0);
  jn_tyre *t = load(name, NULL, 0);
  const jn_tyre_info a = jn_tyre_about(t);
  JT_NEAR(a.radius, 0.31, 1e-15);
  JT_NEAR(a.alphas[1], 10 * M_PI / 180, 1e-15);
  assert_memory_equal(a.name, name + 5, strlen(name) - 9);
  JT_NEAR(entry(t, "VERTICAL_STIFFNESS")->value, 200e3, 1e-9);
  assert_int_equal(entry(t, "NOT_A_KEY")->origin, JN_TYRE_UNKNOWN);
  assert_int_equal(entry(t, "NOT_A_KEY")->line, 14);
  bool section = false;
  for (int i = 0; i < jn_tyre_entry_count(t); i++) {
    const jn_tyre_entry e = jn_tyre_entry_at(t, i);
    section |= e.origin == JN_TYRE_UNKNOWN && !strcmp(e.section, "ACME_THERMAL");
  }
  assert_true(section);
  assert_int_equal(entry(t, "PKY4")->origin, JN_TYRE_DEFAULT);
  JT_NEAR(entry(t, "PKY4")->value, 2.0, 0.0);
  jn_tyre_free(t);
  unlink(name);
}

// ---- of models -------------------------------------------------------------------------------------

#define MODEL                                                              \
  "jounce: 1\nbodies: {b: {mass: 1, cg: [0, 0, 0], inertia: [1, 1, 1]}}\n" \
  "joints: {j: {type: free, bodies: [ground, b]}}\n"                       \
  "tyres:\n  front: {type: magic-formula, file: " OURS                     \
  "sample.tir}\n"                                                          \
  "  soft: {type: magic-formula, file: " OURS                              \
  "sample.tir, coefficients: {LKY: 0.5}}\n"                                \
  "  flat: {type: vertical, radius: 0.3, stiffness: 2e5, damping: 100}\n"

static jn_spec *parse(const char *text)
{
  jn_error err = {0};
  jn_spec *spec = NULL;
  if (jn_spec_parse(text, strlen(text), "model.yaml", NULL, 0, &spec, &err)) {
    print_error("%d:%d: %s\n", err.line, err.col, err.text);
    fail();
  }
  return spec;
}

static void is_refused(const jn_spec *spec, const char *name, const char *text)
{
  jn_error err = {0};
  jn_tyre *t = (jn_tyre *)&err;
  assert_int_equal(jn_tyre_of(spec, name, &t, &err), JN_E_CALL);
  assert_null(t);
  if (!strstr(err.text, text)) print_error("\"%s\" is not in \"%s\"\n", text, err.text);
  assert_non_null(strstr(err.text, text));
}

static void tyres_of_a_model_are_those_of_its_files(void **state)
{
  (void)state;
  jn_spec *spec = parse(MODEL);
  jn_error err = {0};
  jn_tyre *front = NULL, *soft = NULL, *alone = load(OURS "sample.tir", NULL, 0);
  assert_int_equal(jn_tyre_of(spec, "front", &front, &err), JN_OK);
  assert_int_equal(jn_tyre_of(spec, "soft", &soft, &err), JN_OK);
  assert_string_equal(jn_tyre_about(front).name, "front");
  const jn_tyre_point at = {0.02, 0.03, 0.01, 4200, NAN, 20};
  const jn_tyre_forces a = jn_tyre_at(front, at), b = jn_tyre_at(alone, at);
  assert_memory_equal(&a, &b, sizeof a);
  JT_NEAR(jn_tyre_limits_at(soft, 4000, 0).stiffness[1],
          0.5 * jn_tyre_limits_at(front, 4000, 0).stiffness[1], 1e-9);
  assert_int_equal(entry(soft, "LKY")->origin, JN_TYRE_SET);
  is_refused(spec, NULL, "has 3 tyres, expected the name of one");
  is_refused(spec, "fron", "did you mean \"front\"");
  is_refused(spec, "flat", "is of type vertical");
  jn_tyre_free(front);
  jn_tyre_free(soft);
  jn_tyre_free(alone);
  jn_spec_free(spec);
  jn_tyre_free(NULL);
  jn_spec *none = parse(
      "jounce: 1\nbodies: {b: {mass: 1, cg: [0, 0, 0], inertia: [1, 1, 1]}}\n"
      "joints: {j: {type: free, bodies: [ground, b]}}\n");
  is_refused(none, NULL, "has no tyres");
  jn_spec_free(none);
}

// A curve of the file, and another pressure beside it: the table is that of the tyre.
static void load_curves_of_a_model_count(void **state)
{
  (void)state;
  jn_spec *spec = parse(
      "jounce: 1\nbodies: {b: {mass: 1, cg: [0, 0, 0], inertia: [1, 1, 1]}}\n"
      "joints: {j: {type: free, bodies: [ground, b]}}\n"
      "tyres: {t: {type: magic-formula, file: " OURS
      "sample.tir, "
      "load_curve: [[0, 0], [0.01, 1000], [0.02, 4000], [0.03, 9000]]}}\n");
  jn_error err = {0};
  jn_tyre *t = NULL;
  assert_int_equal(jn_tyre_of(spec, NULL, &t, &err), JN_OK);
  JT_NEAR(jn_tyre_load_at(t, 0.02, 0).load, 4000, 1e-9);
  JT_NEAR(jn_tyre_load_at(t, 0.03, 0).load, 9000, 1e-9);
  JT_NEAR(jn_tyre_stand_at(t, 4000, 0).deflection, 0.02, 1e-12);
  assert_true(isfinite(jn_tyre_at(t, (jn_tyre_point){0, 0.1, 0, 4000, 180e3, 10}).fy));
  JT_NEAR(jn_tyre_load_at(t, 0.02, 0).load, 4000, 1e-9);
  jn_tyre_free(t);
  jn_spec_free(spec);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forces_are_those_of_the_tables),
      cmocka_unit_test(pressure_of_a_point_is_that_of_the_tyre),
      cmocka_unit_test(backwards_what_follows_the_way_turns_round),
      cmocka_unit_test(limits_are_what_curves_show),
      cmocka_unit_test(load_and_radius_are_those_of_the_formulas),
      cmocka_unit_test(figures_are_those_of_the_nominal_load),
      cmocka_unit_test(no_point_uses_more_friction_than_the_largest),
      cmocka_unit_test(entries_stand_in_the_lines_that_they_name),
      cmocka_unit_test(an_override_is_reported_and_the_rest_keeps_its_lines),
      cmocka_unit_test(vendor_sections_are_named),
      cmocka_unit_test(tyres_of_a_model_are_those_of_its_files),
      cmocka_unit_test(load_curves_of_a_model_count),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
