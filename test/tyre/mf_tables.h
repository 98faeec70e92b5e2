// mf_tables.h: tyre files, tables of reference values, and the Magic Formula at a row of them.
#ifndef JN_TEST_MF_TABLES_H
#define JN_TEST_MF_TABLES_H

#include <stdlib.h>
#include <string.h>

#include "elements/tyre/magic_formula.h"
#include "harness.h"
#include "tir/tir.h"

#define MF_DATA  "test/tyre/data/"  // tables
#define MF_TYRES "test/tir/data/"   // the files of their tyres
#define MF_OURS  "models/tyres/"    // those that models use

enum { MF_FX, MF_FY, MF_MX, MF_MY, MF_MZ, MF_OUT };

typedef struct mf_row {
  double kappa, alpha, gamma, load, pressure, speed;
  double value[MF_OUT];  // NAN: not published
} mf_row;

typedef struct mf_table {
  int n;
  mf_row row[512];
} mf_table;

typedef struct mf_tyre {
  double p[MF_FIELDS];
  int form;
} mf_tyre;

static inline void mf_read_table(const char *name, mf_table *t)
{
  char path[256], line[512];
  snprintf(path, sizeof path, MF_DATA "%s", name);
  FILE *in = fopen(path, "r");
  if (!in) print_error("no %s\n", path);
  assert_non_null(in);
  bool moments = true;  // all three, or Mz alone
  t->n = 0;
  while (fgets(line, sizeof line, in)) {
    if (line[0] == '#') continue;
    if (line[0] == 'k') {
      moments = strstr(line, ",Mx,") != NULL;
      continue;
    }
    assert_in_range(t->n, 0, 511);
    mf_row *r = &t->row[t->n++];
    double *const to[] = {&r->kappa,    &r->alpha,    &r->gamma,    &r->load,
                          &r->pressure, &r->speed,    &r->value[0], &r->value[1],
                          &r->value[2], &r->value[3], &r->value[4]};
    char *at = line;
    for (int i = 0; i < 11; i++) {
      if (!moments && (i == 8 || i == 9)) {
        *to[i] = NAN;
        continue;
      }
      char *end;
      *to[i] = strtod(at, &end);
      assert_ptr_not_equal(end, at);
      at = *end == ',' ? end + 1 : end;
    }
  }
  fclose(in);
  assert_in_range(t->n, 100, 512);
}

static inline void mf_read_tyre(const char *path, jn_pool *pool, jn_tir *tir)
{
  jn_error err = {0};
  const jn_status status = jn_tir_load(path, (jn_pos){NULL, 0, 0}, NULL, pool, tir, &err);
  if (status) print_error("%s: %s\n", path, err.text);
  assert_int_equal(status, JN_OK);
}

static inline mf_tyre mf_cooked(const jn_tir *tir, const mf_options *o)
{
  mf_tyre t;
  jn_error err = {0};
  const jn_status status = mf_cook(tir, o, t.p, &t.form, &err);
  if (status) print_error("%s: %s\n", tir->file, err.text);
  assert_int_equal(status, JN_OK);
  return t;
}

static inline void mf_at(const mf_tyre *t, tyre_slip s, double out[MF_OUT])
{
  const tyre_forces f = mf_forces(t->form, t->p, NULL, s);
  out[MF_FX] = f.fx, out[MF_FY] = f.fy, out[MF_MX] = f.mx, out[MF_MY] = f.my, out[MF_MZ] = f.mz;
}

static inline tyre_slip mf_slip_at(const mf_row *r)
{
  // Tangents know no angles beyond a right one: those are as steep as can be.
  const bool beyond = fabs(r->alpha) >= M_PI_2;
  return (tyre_slip){.kappa = r->kappa,
                     .tan_alpha = beyond ? copysign(1e12, r->alpha) : tan(r->alpha),
                     .camber = r->gamma,
                     .load = r->load,
                     .speed = r->speed,
                     .forward = 1.0,
                     .rolling = 1.0};
}

// At a row's inputs, its pressure included.
static inline void mf_at_row(const jn_tir *tir, mf_options o, const mf_row *r, double out[MF_OUT])
{
  o.pressure = r->pressure;
  const mf_tyre t = mf_cooked(tir, &o);
  mf_at(&t, mf_slip_at(r), out);
}

// Values below these are compared as if they were that large.
static inline void mf_scales(const jn_tir *tir, double scale[MF_OUT])
{
  const double load = tir->value[TIR_LFZO] * tir->value[TIR_FNOMIN];
  const double arm = tir->value[TIR_UNLOADED_RADIUS];
  scale[MF_FX] = scale[MF_FY] = 1e-3 * load;
  scale[MF_MX] = 1e-3 * load * arm;
  scale[MF_MY] = scale[MF_MZ] = 1e-5 * load * arm;
}

#endif
