// The Magic Formula against tables of two independent programs (data/README.md), and what its options change.
#include "mf_tables.h"

static const char *const outputs[] = {"Fx", "Fy", "Mx", "My", "Mz"};

static const struct {
  const char *tyre, *table;
  int formulas, combined;
} tables[] = {
    {MF_TYRES "every_coefficient_61.tir", "every_coefficient_61.csv", 0, 0},
    {MF_TYRES "every_coefficient_61.tir", "every_coefficient_61.book.csv", MF_FORMULAS_BOOK, 0},
    {MF_TYRES "every_coefficient_52.tir", "every_coefficient_52.csv", 0, 0},
    {MF_OURS "sample.tir", "sample.csv", 0, 0},
    {MF_OURS "sample.tir", "sample.book.csv", MF_FORMULAS_BOOK, 0},
    {MF_TYRES "Sedan_Pac02Tire.tir", "Sedan_Pac02Tire.csv", 0, 0},
    {MF_TYRES "Sedan_Pac02Tire.tir", "Sedan_Pac02Tire.ellipse.csv", 0, MF_COMBINED_ELLIPSE},
    {MF_TYRES "CityBus_Pac02Tire.tir", "CityBus_Pac02Tire.csv", 0, 0},
    {MF_TYRES "Generic_Pac02Tire.tir", "Generic_Pac02Tire.csv", 0, 0},
    {MF_OURS "HMMWV_Pac02Tire.tir", "HMMWV_Pac02Tire.csv", 0, 0},
    {MF_TYRES "335_65R22_5_G275MSA_40psi.tir", "335_65R22_5_G275MSA_40psi.csv", 0, 0},
    {MF_TYRES "335_65R22_5_G275MSA_70psi.tir", "335_65R22_5_G275MSA_70psi.csv", 0, 0},
};
enum { NTABLE = sizeof tables / sizeof *tables };

static mf_table table;

// Largest difference from the table, over its tolerance's scale.
static double worst_of(const jn_tir *tir, const mf_options *o, const mf_table *t, bool print)
{
  double scale[MF_OUT], found[MF_OUT], worst = 0.0;
  mf_scales(tir, scale);
  for (int i = 0; i < t->n; i++) {
    const mf_row *r = &t->row[i];
    mf_at_row(tir, *o, r, found);
    for (int k = 0; k < MF_OUT; k++) {
      if (isnan(r->value[k])) continue;
      const double apart = fabs(found[k] - r->value[k]) / fmax(fabs(r->value[k]), scale[k]);
      if (print && !(apart <= 1e-10))
        print_error(
            "%s: kappa %g alpha %g gamma %g load %g pressure %g speed %g: %s is %.12g, expected "
            "%.12g\n",
            tir->file, r->kappa, r->alpha, r->gamma, r->load, r->pressure, r->speed, outputs[k],
            found[k], r->value[k]);
      if (!(apart <= worst)) worst = apart;
    }
  }
  return worst;
}

static void every_table_is_met(void **state)
{
  (void)state;
  int wrong = 0;
  for (int i = 0; i < NTABLE; i++) {
    jn_pool pool = {0};
    jn_tir tir;
    mf_options o = mf_default_options();
    o.formulas = tables[i].formulas;
    o.combined = tables[i].combined;
    o.use_mode = 4;
    mf_read_tyre(tables[i].tyre, &pool, &tir);
    mf_read_table(tables[i].table, &table);
    const double worst = worst_of(&tir, &o, &table, true);
    print_message("%-34s %d rows, largest difference %.1e\n", tables[i].table, table.n, worst);
    wrong += !(worst <= 1e-10);
    jn_pool_free(&pool);
  }
  assert_int_equal(wrong, 0);
}

// ---- a wrong coefficient shows ----------------------------------------------------------------

// What the law does not read of a file: loads, radii, states.
static const int elsewhere[] = {TIR_FITTYP,
                                TIR_USE_MODE,
                                TIR_VXLOW,
                                TIR_RIM_RADIUS,
                                TIR_INFLPRES,
                                TIR_VERTICAL_STIFFNESS,
                                TIR_VERTICAL_DAMPING,
                                TIR_BREFF,
                                TIR_DREFF,
                                TIR_FREFF,
                                TIR_Q_RE0,
                                TIR_Q_V1,
                                TIR_Q_V2,
                                TIR_Q_FZ1,
                                TIR_Q_FZ2,
                                TIR_Q_FZ3,
                                TIR_PFZ1,
                                TIR_BOTTOM_OFFST,
                                TIR_BOTTOM_STIFF,
                                TIR_BOTTOMING_RADIUS,
                                TIR_LCZ};
// What relaxation lengths depend on besides.
static const int relaxation[] = {TIR_LONGITUDINAL_STIFFNESS,
                                 TIR_LATERAL_STIFFNESS,
                                 TIR_PCFX1,
                                 TIR_PCFX2,
                                 TIR_PCFX3,
                                 TIR_PCFY1,
                                 TIR_PCFY2,
                                 TIR_PCFY3,
                                 TIR_LSGKP,
                                 TIR_LSGAL,
                                 TIR_PTX1,
                                 TIR_PTX2,
                                 TIR_PTX3,
                                 TIR_PTY1,
                                 TIR_PTY2};
#define IN(key, list) is_in(key, list, sizeof(list) / sizeof *(list))

static bool is_in(int key, const int *list, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (list[i] == key) return true;
  return false;
}

static bool is_scale(int key)  // what is 1 in a file that does not say it
{
  return jn_tir_key(key)[0] == 'L' && key != TIR_LONGVL;
}

static void every_coefficient_counts(void **state)
{
  (void)state;
  for (int version = 0; version < 2; version++) {
    jn_pool pool = {0};
    jn_tir tir;
    mf_options o = mf_default_options();
    int tried = 0;
    mf_read_tyre(
        version ? MF_TYRES "every_coefficient_61.tir" : MF_TYRES "every_coefficient_52.tir", &pool,
        &tir);
    mf_read_table(version ? "every_coefficient_61.csv" : "every_coefficient_52.csv", &table);
    for (int key = 0; key < TIR_NKEY; key++) {
      if (!jn_tir_uses(&tir, key) || IN(key, elsewhere) || IN(key, relaxation)) continue;
      const double is = tir.value[key];
      if (!tir.line[key] && !is_scale(key))
        print_error("%s is not in %s\n", jn_tir_key(key), tir.file);
      assert_true(tir.line[key] || is_scale(key));
      tir.value[key] = 1.01 * is;
      const double moved = worst_of(&tir, &o, &table, false);
      if (!(moved > 1e-8)) print_error("%s: %s by 1 %% moves nothing\n", tir.file, jn_tir_key(key));
      assert_true(moved > 1e-8);
      tir.value[key] = is;
      tried++;
    }
    print_message("%s: %d coefficients\n", tir.file, tried);
    assert_in_range(tried, version ? 160 : 120, 250);
    jn_pool_free(&pool);
  }
}

// ---- options ----------------------------------------------------------------------------------

static void no_option(mf_options *o)
{
  (void)o;
}
static void uncapped(mf_options *o)
{
  o->uncapped = true;
}
static void digressive(mf_options *o)
{
  o->digression = 10.0;
}
static void outside(mf_options *o)
{
  o->overturning_outside = true;
}
static void by_load(mf_options *o)
{
  o->rolling_by_load = true;
}
static void lenient(mf_options *o)
{
  o->lenient = true;
}

// Largest change of an output over the rows of a table, relative to that output's peak.
static double size_of(const char *tyre, const char *name, void (*option)(mf_options *), int output)
{
  jn_pool pool = {0};
  jn_tir tir;
  double peak = 0.0, change = 0.0;
  mf_read_tyre(tyre, &pool, &tir);
  mf_read_table(name, &table);
  for (int i = 0; i < table.n; i++) {
    double plain[MF_OUT], other[MF_OUT];
    mf_options o = mf_default_options();
    o.use_mode = 4;
    mf_at_row(&tir, o, &table.row[i], plain);
    option(&o);
    mf_at_row(&tir, o, &table.row[i], other);
    peak = fmax(peak, fabs(plain[output]));
    change = fmax(change, fabs(other[output] - plain[output]));
  }
  jn_pool_free(&pool);
  return change / peak;
}

// Sizes as an evaluator of its own found them when the option was tried there; within a factor of two, because it had other
// rows.
static void options_change_what_they_say(void **state)
{
  (void)state;
  static const struct {
    const char *tyre, *table;
    void (*option)(mf_options *);
    double size[MF_OUT];  // 0: none at all; NAN: any
  } cases[] = {
      {MF_TYRES "every_coefficient_61.tir", "every_coefficient_61.csv", no_option, {0}},
      {MF_TYRES "every_coefficient_61.tir", "every_coefficient_61.csv", uncapped, {0}},
      {MF_TYRES "Sedan_Pac02Tire.tir", "Sedan_Pac02Tire.csv", uncapped, {NAN, 0.28, NAN, NAN, NAN}},
      {MF_TYRES "every_coefficient_61.tir",
       "every_coefficient_61.csv",
       digressive,
       {NAN, 0.008, NAN, NAN, NAN}},
      {MF_OURS "sample.tir", "sample.csv", digressive, {0}},
      {MF_OURS "sample.tir", "sample.csv", outside, {0, 0, 3.0, 0, 0}},
      {MF_OURS "sample.tir", "sample.csv", by_load, {0, 0, 0, 1.2, 0}},
      {MF_TYRES "every_coefficient_52.tir", "every_coefficient_52.csv", by_load, {0}},
      {MF_TYRES "every_coefficient_52.tir", "every_coefficient_52.csv", lenient, {0}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int k = 0; k < MF_OUT; k++) {
      const double expected = cases[i].size[k];
      if (isnan(expected)) continue;
      const double size = size_of(cases[i].tyre, cases[i].table, cases[i].option, k);
      print_message("%2d %s of %s: %.3g, expected about %.3g\n", (int)i, outputs[k], cases[i].table,
                    size, expected);
      if (expected == 0.0) JT_LE(size, 1e-14);
      if (expected > 0.0) JT_LE(0.5 * expected, size);
      if (expected > 0.0) JT_LE(size, 2.0 * expected);
    }
}

// A 5.2 file with all coefficients of 6.1: read leniently its forces are those of a 6.1 file; only its aligning moment
// keeps the side force of 5.2.
static void a_lenient_reading_takes_newer_terms(void **state)
{
  (void)state;
  jn_pool pool = {0};
  jn_tir tir;
  double strict_moved = 0.0;
  mf_read_tyre(MF_TYRES "every_coefficient_61.tir", &pool, &tir);
  mf_read_table("every_coefficient_61.csv", &table);
  for (int i = 0; i < table.n; i++) {
    double old[MF_OUT], now[MF_OUT], strict[MF_OUT];
    mf_options o = mf_default_options();
    o.use_mode = 4;
    tir.version = 61;
    mf_at_row(&tir, o, &table.row[i], now);
    tir.version = 52;
    mf_at_row(&tir, o, &table.row[i], strict);
    o.lenient = true;
    mf_at_row(&tir, o, &table.row[i], old);
    for (int k = 0; k < MF_MZ; k++) JT_NEAR(old[k], now[k], 1e-12 * (1.0 + fabs(now[k])));
    strict_moved = fmax(strict_moved, fabs(strict[MF_FY] - old[MF_FY]));
  }
  assert_true(strict_moved > 100.0);
  jn_pool_free(&pool);
}

// A file of pure slip with typical weights of combined slip: Gxa = cos(atan(20 cos(atan(15 kappa)) alpha)), Gyk alike.
static void typical_weights(void **state)
{
  (void)state;
  jn_pool pool = {0};
  jn_tir tir;
  mf_read_tyre(MF_TYRES "Sedan_Pac02Tire.tir", &pool, &tir);
  mf_options o = mf_default_options();
  o.use_mode = 4;
  const mf_tyre alone = mf_cooked(&tir, &o);
  o.combined = MF_COMBINED_TYPICAL;
  const mf_tyre typical = mf_cooked(&tir, &o);
  for (double kappa = -0.5; kappa <= 0.5; kappa += 0.1)
    for (double alpha = -0.3; alpha <= 0.3; alpha += 0.1) {
      const mf_row r = {.kappa = kappa, .alpha = alpha, .gamma = 0.02, .load = 3000, .speed = 16};
      double a[MF_OUT], b[MF_OUT];
      mf_at(&alone, mf_slip_at(&r), a);
      mf_at(&typical, mf_slip_at(&r), b);
      JT_NEAR(b[MF_FX], a[MF_FX] * cos(atan(20 * cos(atan(15 * kappa)) * alpha)), 1e-10 * 3000);
      JT_NEAR(b[MF_FY], a[MF_FY] * cos(atan(10 * cos(atan(10 * alpha)) * kappa)), 1e-10 * 3000);
    }
  jn_pool_free(&pool);
}

// ---- modes of use -----------------------------------------------------------------------------

// Without combined slip Fx and My are those of the table where alpha is zero, the others those where kappa is zero, but for
// Fx on its arm, which pure side slip does not have.
static void uncombined_modes(void **state)
{
  (void)state;
  static const char *const tyres[][2] = {
      {MF_TYRES "every_coefficient_61.tir", "every_coefficient_61.csv"},
      {MF_TYRES "every_coefficient_52.tir", "every_coefficient_52.csv"}};
  for (int version = 0; version < 2; version++) {
    jn_pool pool = {0};
    jn_tir tir;
    double scale[MF_OUT];
    int longs = 0, sides = 0;
    mf_read_tyre(tyres[version][0], &pool, &tir);
    mf_read_table(tyres[version][1], &table);
    mf_scales(&tir, scale);
    const double *v = tir.value, r0 = v[TIR_UNLOADED_RADIUS], load0 = v[TIR_FNOMIN] * v[TIR_LFZO];
    for (int i = 0; i < table.n; i++)
      for (int use = 0; use < 4; use++) {
        const mf_row *r = &table.row[i];
        mf_options o = mf_default_options();
        double f[MF_OUT];
        o.use_mode = use;
        mf_at_row(&tir, o, r, f);
        if (use == 0 || use == 2) JT_NEAR(fabs(f[MF_FX]) + fabs(f[MF_MY]), 0.0, 0.0);
        if (use == 0 || use == 1)
          JT_NEAR(fabs(f[MF_FY]) + fabs(f[MF_MX]) + fabs(f[MF_MZ]), 0.0, 0.0);
        if ((use & 1) && r->alpha == 0.0) {
          JT_NEAR(f[MF_FX], r->value[MF_FX], 1e-10 * fmax(fabs(r->value[MF_FX]), scale[MF_FX]));
          if (!isnan(r->value[MF_MY]))
            JT_NEAR(f[MF_MY], r->value[MF_MY], 1e-10 * fmax(fabs(r->value[MF_MY]), scale[MF_MY]));
          longs++;
        }
        if ((use & 2) && r->kappa == 0.0 && r->load > 0.0) {
          const double camber = fmin(fmax(r->gamma, v[TIR_CAMMIN]), v[TIR_CAMMAX]);
          const double load = fmin(r->load, v[TIR_FZMAX]), dfz = (load - load0) / load0;
          const double s = r0 * v[TIR_LS] *
                           (v[TIR_SSZ1] + v[TIR_SSZ2] * r->value[MF_FY] / v[TIR_FNOMIN] +
                            (v[TIR_SSZ3] + v[TIR_SSZ4] * dfz) * camber);
          JT_NEAR(f[MF_FY], r->value[MF_FY], 1e-10 * fmax(fabs(r->value[MF_FY]), scale[MF_FY]));
          JT_NEAR(f[MF_MX], r->value[MF_MX], 1e-10 * fmax(fabs(r->value[MF_MX]), scale[MF_MX]));
          JT_NEAR(f[MF_MZ] + s * r->value[MF_FX], r->value[MF_MZ],
                  1e-10 * fmax(fabs(r->value[MF_MZ]), 1e-2 * scale[MF_FX] * r0));
          sides++;
        }
      }
    assert_true(longs > 50 && sides > 100);
    jn_pool_free(&pool);
  }
}

// ---- errors -----------------------------------------------------------------------------------

static void what_no_tyre_has_is_refused(void **state)
{
  (void)state;
  jn_pool pool = {0};
  jn_tir tir;
  double p[MF_FIELDS];
  int form;
  jn_error err = {0};
  char line[256];
  mf_read_tyre(MF_TYRES "every_coefficient_61.tir", &pool, &tir);
  mf_options o = mf_default_options();
  o.pressure = 0.0;
  assert_int_equal(mf_cook(&tir, &o, p, &form, &err), JN_E_RANGE);
  assert_string_equal(jn_error_line(&err, line, sizeof line), MF_TYRES
                      "every_coefficient_61.tir: pressure is 0 Pa, expected a number above zero");
  o.pressure = NAN;
  tir.value[TIR_PKX1] = 2e9;
  assert_int_equal(mf_cook(&tir, &o, p, &form, &err), JN_E_RANGE);
  assert_non_null(strstr(jn_error_line(&err, line, sizeof line),
                         ": PKX1: is 2e+09 in SI units, expected at most 1e+09"));
  assert_int_equal(err.line, tir.line[TIR_PKX1]);
  tir.value[TIR_PKX1] = 20.0;
  tir.value[TIR_LFZO] = 1e-300;
  assert_int_equal(mf_cook(&tir, &o, p, &form, &err), JN_E_RANGE);
  assert_non_null(strstr(jn_error_line(&err, line, sizeof line),
                         ": LFZO: is 1e-300 in SI units, expected at least 1e-06"));
  jn_pool_free(&pool);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_table_is_met),
      cmocka_unit_test(every_coefficient_counts),
      cmocka_unit_test(options_change_what_they_say),
      cmocka_unit_test(a_lenient_reading_takes_newer_terms),
      cmocka_unit_test(typical_weights),
      cmocka_unit_test(uncombined_modes),
      cmocka_unit_test(what_no_tyre_has_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
