// The Magic Formula against tables of two independent programs (data/README.md), and what its options change.
#include "mf_tables.h"

static const char *const outputs[] = {"Fx", "Fy", "Mx", "My", "Mz"};

static const struct {
  const char *tyre, *table;
  int formulas, combined;
} tables[] = {
    {MF_DATA "every_coefficient_61.tir", "every_coefficient_61.csv", 0, 0},
    {MF_DATA "every_coefficient_61.tir", "every_coefficient_61.book.csv", MF_FORMULAS_BOOK, 0},
    {MF_DATA "every_coefficient_52.tir", "every_coefficient_52.csv", 0, 0},
    {MF_REAL "sample.tir", "sample.csv", 0, 0},
    {MF_REAL "sample.tir", "sample.book.csv", MF_FORMULAS_BOOK, 0},
    {MF_REAL "Sedan_Pac02Tire.tir", "Sedan_Pac02Tire.csv", 0, 0},
    {MF_REAL "Sedan_Pac02Tire.tir", "Sedan_Pac02Tire.ellipse.csv", 0, MF_COMBINED_ELLIPSE},
    {MF_REAL "audi_Pac02Tire.tir", "audi_Pac02Tire.csv", 0, 0},
    {MF_REAL "audi_Pac02Tire.tir", "audi_Pac02Tire.ellipse.csv", 0, MF_COMBINED_ELLIPSE},
    {MF_REAL "CityBus_Pac02Tire.tir", "CityBus_Pac02Tire.csv", 0, 0},
    {MF_REAL "Generic_Pac02Tire.tir", "Generic_Pac02Tire.csv", 0, 0},
    {MF_REAL "HMMWV_Pac02Tire.tir", "HMMWV_Pac02Tire.csv", 0, 0},
    {MF_REAL "335_65R22_5_G275MSA_40psi.tir", "335_65R22_5_G275MSA_40psi.csv", 0, 0},
    {MF_REAL "335_65R22_5_G275MSA_70psi.tir", "335_65R22_5_G275MSA_70psi.csv", 0, 0},
    {MF_REAL "obfuscated_v52.tir", "obfuscated_v52.csv", 0, 0},
};
enum { NTABLE = sizeof tables / sizeof *tables };

static mf_table table;

// Largest difference from the table, over its tolerance's scale.
static double worst_of(const jn_tir *tir, const mf_options *o, const mf_table *t, bool tell)
{
  double scale[MF_OUT], found[MF_OUT], worst = 0.0;
  mf_scales(tir, scale);
  for (int i = 0; i < t->n; i++) {
    const mf_row *r = &t->row[i];
    mf_at_row(tir, *o, r, found);
    for (int k = 0; k < MF_OUT; k++) {
      if (isnan(r->value[k])) continue;
      const double apart = fabs(found[k] - r->value[k]) / fmax(fabs(r->value[k]), scale[k]);
      if (tell && !(apart <= 1e-10))
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

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_table_is_met)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
