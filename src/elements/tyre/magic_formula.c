// magic_formula.c: from a tyre property file to the parameters of magic_formula.h.
#include "elements/tyre/magic_formula.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tir/tir.h"

// Beyond these a number is a mistake, and products of several could leave the range of doubles.
#define LARGEST  1e9
#define SMALLEST 1e-6  // of what is divided by

typedef struct cook {
  const jn_tir *tir;
  const mf_options *o;
  double *p;
  int form;
  double load, radius;  // FNOMIN, UNLOADED_RADIUS
  double load0;         // Fz0' = LFZO FNOMIN
  double dpi, ratio;    // inflation: (p - p0) / p0 and p / p0
} cook;

mf_options mf_default_options(void)
{
  return (mf_options){.digression = 1.0, .use_mode = -1, .pressure = NAN};
}

static const double otherwise[TIR_NKEY] = {
#define X(key, quantity, value, use) [TIR_##key] = value,
#define LIST(section, KEYS)          KEYS(X)
    TIR_SECTIONS(LIST)
#undef LIST
#undef X
};

// A coefficient, if the formulas of the file's version know it; by default what it is in a file that lacks it.
static double get(const cook *c, int key)
{
  return jn_tir_uses(c->tir, key) || c->o->lenient ? c->tir->value[key] : otherwise[key];
}
#define GET(key)   get(c, TIR_##key)
#define SET(field) c->p[MF_##field]

static bool given(const cook *c, int key)
{
  return c->tir->line[key] > 0;
}

static double inverse(double x)  // as mf_over
{
  return fabs(x) > 1e-30 ? 1.0 / x : 0.0;
}

static jn_pos at_key(const jn_tir *t, int key)
{
  return (jn_pos){t->file, t->line[key], t->line[key] ? 1 : 0};
}

// The reader has looked at signs and limits. What is left: numbers that no tyre has.
static jn_status check(const cook *c, jn_error *err)
{
  const jn_tir *t = c->tir;
  for (int key = 0; key < TIR_NKEY; key++)
    if (fabs(get(c, key)) > LARGEST)
      return jn_fail(err, JN_E_RANGE, at_key(t, key), jn_tir_key(key),
                     "is %g in SI units, expected at most %g", t->value[key], LARGEST);
  static const int divisors[] = {TIR_FNOMIN, TIR_UNLOADED_RADIUS, TIR_LFZO, TIR_LONGVL};
  for (size_t i = 0; i < sizeof divisors / sizeof *divisors; i++)
    if (!(t->value[divisors[i]] >= SMALLEST))
      return jn_fail(err, JN_E_RANGE, at_key(t, divisors[i]), jn_tir_key(divisors[i]),
                     "is %g in SI units, expected at least %g", t->value[divisors[i]], SMALLEST);
  if (c->o->pressure <= 0.0)
    return jn_fail(err, JN_E_RANGE, (jn_pos){t->file, 0, 0}, NULL,
                   "pressure is %g Pa, expected a number above zero", c->o->pressure);
  return JN_OK;
}

static double or_none(double limit, double none)
{
  return isnan(limit) ? none : limit;
}

// The tangent of a slip angle's limit. Beyond a right angle it limits nothing, because slip angles end there: what is
// left is to keep tangents finite.
static double tangent(double angle, double none)
{
  return fabs(angle) < M_PI_2 ? tan(angle) : none;
}

static void cook_limits(cook *c)
{
  const double *v = c->tir->value, least = 1e-9 * c->load0;
  SET(PER_LOAD) = 1.0 / c->load0;
  SET(LOAD_MIN) = least;
  SET(PER_MIN) = 1.0 / least;
  SET(LOAD_MAX) = fmax(or_none(v[TIR_FZMAX], 1e6 * c->load0), least);
  SET(KAPPA_MIN) = or_none(v[TIR_KPUMIN], -LARGEST);
  SET(KAPPA_MAX) = or_none(v[TIR_KPUMAX], LARGEST);
  SET(TAN_MIN) = tangent(v[TIR_ALPMIN], -LARGEST);
  SET(TAN_MAX) = tangent(v[TIR_ALPMAX], LARGEST);
  SET(CAMBER_MIN) = or_none(v[TIR_CAMMIN], -M_PI_2);
  SET(CAMBER_MAX) = or_none(v[TIR_CAMMAX], M_PI_2);
}

// (4.E8): the scale factor of friction as vertical shifts see it
static double digressive(const cook *c, double scale)
{
  return c->o->digression * scale / (1.0 + (c->o->digression - 1.0) * scale);
}

static void cook_ahead(cook *c)
{
  const double mu = GET(LMUX) * (1.0 + GET(PPX3) * c->dpi + GET(PPX4) * c->dpi * c->dpi);
  const double k = GET(LKX) * (1.0 + GET(PPX1) * c->dpi + GET(PPX2) * c->dpi * c->dpi);
  const double sv = GET(LVX) * digressive(c, GET(LMUX)), leans = GET(LGAX);
  SET(PCX1) = GET(PCX1) * GET(LCX);
  SET(PER_PCX1) = inverse(SET(PCX1));
  SET(PDX1) = GET(PDX1) * mu;
  SET(PDX2) = GET(PDX2) * mu;
  SET(PDX3) = GET(PDX3) * leans * leans;
  SET(PEX1) = GET(PEX1) * GET(LEX);
  SET(PEX2) = GET(PEX2) * GET(LEX);
  SET(PEX3) = GET(PEX3) * GET(LEX);
  SET(PEX4) = GET(PEX4);
  SET(PKX1) = GET(PKX1) * k;
  SET(PKX2) = GET(PKX2) * k;
  SET(PKX3) = GET(PKX3);
  SET(PHX1) = GET(PHX1) * GET(LHX);
  SET(PHX2) = GET(PHX2) * GET(LHX);
  SET(PVX1) = GET(PVX1) * sv;
  SET(PVX2) = GET(PVX2) * sv;
}

static void cook_side(cook *c)
{
  const double mu = GET(LMUY) * (1.0 + GET(PPY3) * c->dpi + GET(PPY4) * c->dpi * c->dpi);
  const double sv = digressive(c, GET(LMUY)), leans = GET(LGAY);
  const double peak = 1.0 + GET(PPY2) * c->dpi;  // load of the largest cornering stiffness
  const double kg = GET(LKYC) * (1.0 + GET(PPY5) * c->dpi);
  SET(PCY1) = GET(PCY1) * GET(LCY);
  SET(PER_PCY1) = inverse(SET(PCY1));
  SET(PDY1) = GET(PDY1) * mu;
  SET(PDY2) = GET(PDY2) * mu;
  SET(PDY3) = GET(PDY3) * leans * leans;
  SET(PEY1) = GET(PEY1) * GET(LEY);
  SET(PEY2) = GET(PEY2) * GET(LEY);
  SET(PEY3) = GET(PEY3);
  SET(PEY4) = GET(PEY4) * leans;
  SET(PEY5) = GET(PEY5) * leans * leans;
  SET(PKY1) = GET(PKY1) * c->load0 * GET(LKY) * (1.0 + GET(PPY1) * c->dpi);
  SET(PKY2) = GET(PKY2) * peak;
  SET(PER_PKY2) = inverse(SET(PKY2));
  SET(PKY3) = GET(PKY3) * fabs(leans);
  SET(PKY4) = GET(PKY4);
  SET(PKY5) = GET(PKY5) * peak * leans * leans;
  SET(PKY6) = GET(PKY6) * kg * leans;
  SET(PKY7) = GET(PKY7) * kg * leans;
  SET(PHY1) = GET(PHY1) * GET(LHY);
  SET(PHY2) = GET(PHY2) * GET(LHY);
  SET(PHY3) = GET(PHY3) * GET(LKYC) * leans;
  SET(PVY1) = GET(PVY1) * GET(LVY) * sv;
  SET(PVY2) = GET(PVY2) * GET(LVY) * sv;
  SET(PVY3) = GET(PVY3) * GET(LKYC) * sv * leans;
  SET(PVY4) = GET(PVY4) * GET(LKYC) * sv * leans;
}

static void cook_combined(cook *c)
{
  SET(RBX1) = GET(RBX1) * GET(LXAL);
  SET(RBX2) = GET(RBX2);
  SET(RBX3) = GET(RBX3) * GET(LXAL);
  SET(RCX1) = GET(RCX1);
  SET(REX1) = GET(REX1);
  SET(REX2) = GET(REX2);
  SET(RHX1) = GET(RHX1);
  SET(RBY1) = GET(RBY1) * GET(LYKA);
  SET(RBY2) = GET(RBY2);
  SET(RBY3) = GET(RBY3);
  SET(RBY4) = GET(RBY4) * GET(LYKA);
  SET(RCY1) = GET(RCY1);
  SET(REY1) = GET(REY1);
  SET(REY2) = GET(REY2);
  SET(RHY1) = GET(RHY1);
  SET(RHY2) = GET(RHY2);
  SET(RVY1) = GET(RVY1) * GET(LVYKA);
  SET(RVY2) = GET(RVY2) * GET(LVYKA);
  SET(RVY3) = GET(RVY3) * GET(LVYKA);
  SET(RVY4) = GET(RVY4);
  SET(RVY5) = GET(RVY5);
  SET(RVY6) = GET(RVY6);
  if (c->o->combined != MF_COMBINED_TYPICAL) return;
  // Typical of car tyres; what programs assume that meet a file of pure slip.
  const double x = GET(LXAL), y = GET(LYKA);
  if (!given(c, TIR_RBX1) && !given(c, TIR_RCX1))
    SET(RBX1) = 20.0 * x, SET(RBX2) = 15.0, SET(RCX1) = 1.0;
  if (!given(c, TIR_RBY1) && !given(c, TIR_RCY1))
    SET(RBY1) = 10.0 * y, SET(RBY2) = 10.0, SET(RCY1) = 1.0;
}

static void cook_overturning(cook *c)
{
  const double all = c->radius * GET(LMX), per = 1.0 / c->load;
  const double beyond = c->o->formulas == MF_FORMULAS_BOOK ? 0.0 : 1.0;  // the book ends at QSX11
  SET(QSX1) = all * GET(QSX1) * GET(LVMX);
  SET(QSX2) = all * GET(QSX2) * (1.0 + GET(PPMX1) * c->dpi);
  SET(QSX3) = all * GET(QSX3) * per;
  SET(QSX4) = all * GET(QSX4);
  SET(QSX5) = GET(QSX5);
  SET(QSX6) = GET(QSX6) * per;
  SET(QSX7) = GET(QSX7);
  SET(QSX8) = GET(QSX8);
  SET(QSX9) = GET(QSX9) * per;
  SET(QSX10) = all * GET(QSX10);
  SET(QSX11) = GET(QSX11) * per;
  SET(QSX12) = all * GET(QSX12) * beyond;
  SET(QSX13) = all * GET(QSX13) * beyond;
  SET(QSX14) = all * GET(QSX14) * beyond;
}

static void cook_rolling(cook *c)
{
  const double per = 1.0 / c->load, v0 = GET(LONGVL);
  SET(QSY1) = GET(QSY1);
  SET(QSY2) = GET(QSY2) * per;
  SET(QSY3) = GET(QSY3) / v0;
  SET(QSY4) = GET(QSY4) / pow(v0, 4.0);
  SET(QSY5) = GET(QSY5);
  SET(QSY6) = GET(QSY6) * per;
  SET(QSY7) = GET(QSY7) + (c->o->rolling_by_load ? 1.0 : 0.0);
  SET(PER_FNOMIN) = per;
  SET(ROLLING) = c->radius * c->load * GET(LMY);
  if (c->form & MF_ROLLING_POWER) SET(ROLLING) *= pow(c->ratio, GET(QSY8));
}

static void cook_aligning(cook *c)
{
  const bool book = c->o->formulas == MF_FORMULAS_BOOK;
  const double leans = GET(LGAZ), mu = GET(LMUY), r0 = c->radius, over = GET(LKY) * inverse(mu);
  const double dt = r0 / (book ? c->load0 : c->load) * (1.0 - GET(PPZ1) * c->dpi) * GET(LTR);
  const double dr = r0 * mu, drg = dr * GET(LKZC) * leans, skew = 2.0 / M_PI;
  SET(QBZ1) = GET(QBZ1) * over;
  SET(QBZ2) = GET(QBZ2) * over;
  SET(QBZ3) = GET(QBZ3) * over;
  SET(QBZ4) = GET(QBZ4) * leans;
  SET(QBZ5) = GET(QBZ5) * fabs(leans);
  SET(QBZ9) = GET(QBZ9) * over;
  SET(QBZ10) = GET(QBZ10);
  SET(QCZ1) = GET(QCZ1);
  SET(QDZ1) = GET(QDZ1) * dt;
  SET(QDZ2) = GET(QDZ2) * dt;
  SET(QDZ3) = GET(QDZ3) * (book ? fabs(leans) : leans);
  SET(QDZ4) = GET(QDZ4) * leans * leans;
  SET(QDZ6) = GET(QDZ6) * dr * GET(LRES);
  SET(QDZ7) = GET(QDZ7) * dr * GET(LRES);
  SET(QDZ8) = GET(QDZ8) * drg * (1.0 + GET(PPZ2) * c->dpi);
  SET(QDZ9) = GET(QDZ9) * drg * (1.0 + GET(PPZ2) * c->dpi);
  SET(QDZ10) = GET(QDZ10) * drg * fabs(leans);
  SET(QDZ11) = GET(QDZ11) * drg * fabs(leans);
  SET(QEZ1) = GET(QEZ1);
  SET(QEZ2) = GET(QEZ2);
  SET(QEZ3) = GET(QEZ3);
  SET(QEZ4) = GET(QEZ4) * skew;
  SET(QEZ5) = GET(QEZ5) * skew * leans;
  SET(QHZ1) = GET(QHZ1);
  SET(QHZ2) = GET(QHZ2);
  SET(QHZ3) = GET(QHZ3) * leans;
  SET(QHZ4) = GET(QHZ4) * leans;
  SET(SSZ1) = GET(SSZ1) * r0 * GET(LS);
  SET(SSZ2) = GET(SSZ2) * r0 * GET(LS) / (book ? c->load0 : c->load);
  SET(SSZ3) = GET(SSZ3) * r0 * GET(LS);
  SET(SSZ4) = GET(SSZ4) * r0 * GET(LS);
}

// Of a carcass stiffness C (1 + c1 dfz + c2 dfz^2 + c3 dpi), over the scale factor of the length.
static void cook_carcass(double *sigma, const cook *c, double stiffness, const double f[3],
                         double scale)
{
  const double size = stiffness * inverse(scale);
  sigma[0] = size * (1.0 + f[2] * c->dpi);
  sigma[1] = size * f[0];
  sigma[2] = size * f[1];
}

// Each version has its own, and files of either are known with the other's. A file with neither gets lengths in
// proportion to its radius, as is usual for car tyres: the whole laterally, half of it longitudinally.
static void cook_relaxation(cook *c)
{
  const double *v = c->tir->value, r0 = c->radius, x = GET(LSGKP), y = GET(LSGAL);
  const bool old = c->tir->version == 52;
  const bool load_x = v[TIR_PTX1] != 0.0, load_y = v[TIR_PTY1] != 0.0 && v[TIR_PTY2] != 0.0;
  const bool stiff_x = v[TIR_LONGITUDINAL_STIFFNESS] > 0.0,
             stiff_y = v[TIR_LATERAL_STIFFNESS] > 0.0;
  SET(SIGMA_MIN) = 0.01 * r0;
  SET(SIGMA_X1) = 0.5 * r0 * x;
  SET(SIGMA_Y1) = r0 * y;
  if (load_x && (old || !stiff_x)) {
    c->form |= MF_RELAX_X_LOAD;
    SET(SIGMA_X1) = v[TIR_PTX1] * r0 / c->load * x;
    SET(SIGMA_X2) = v[TIR_PTX2] * r0 / c->load * x;
    SET(SIGMA_X3) = v[TIR_PTX3];
  } else if (stiff_x) {
    c->form |= MF_RELAX_X_STIFFNESS;
    cook_carcass(&SET(SIGMA_X1), c, v[TIR_LONGITUDINAL_STIFFNESS],
                 (double[]){v[TIR_PCFX1], v[TIR_PCFX2], v[TIR_PCFX3]}, x);
  }
  if (load_y && (old || !stiff_y)) {
    c->form |= MF_RELAX_Y_LOAD;
    SET(SIGMA_Y1) = v[TIR_PTY1] * r0 * GET(LFZO) * y;
    SET(SIGMA_Y2) = inverse(v[TIR_PTY2]);
    SET(SIGMA_Y3) = SET(PKY3);
  } else if (stiff_y) {
    c->form |= MF_RELAX_Y_STIFFNESS;
    cook_carcass(&SET(SIGMA_Y1), c, v[TIR_LATERAL_STIFFNESS],
                 (double[]){v[TIR_PCFY1], v[TIR_PCFY2], v[TIR_PCFY3]}, y);
  }
}

static bool any_given(const cook *c, const int *keys, int n)
{
  for (int i = 0; i < n; i++)
    if (given(c, keys[i])) return true;
  return false;
}

// A lenient reading of a 5.2 file takes the terms of 6.1 that it has coefficients for, and no other.
static int form_of(const cook *c)
{
  static const int stiffness[] = {TIR_PKY6, TIR_PKY7},
                   rolling[] = {TIR_QSY5, TIR_QSY6, TIR_QSY7, TIR_QSY8};
  const bool now = c->tir->version == 61, mixed = !now && c->o->lenient;
  int form = 0;
  if (now || mixed) form |= MF_SIN_PKY4 | MF_TIPPING;
  if (now || (mixed && !given(c, TIR_PHY3) && any_given(c, stiffness, 2)))
    form |= MF_CAMBER_STIFFNESS;
  if (now || (mixed && any_given(c, rolling, 4))) form |= MF_ROLLING_POWER;
  if (now) form |= MF_UPRIGHT;
  if (c->o->formulas == MF_FORMULAS_BOOK) form |= MF_BOOK;
  if (c->o->uncapped) form |= MF_UNCAPPED;
  if (c->o->combined == MF_COMBINED_ELLIPSE) form |= MF_ELLIPSE;
  if (c->o->overturning_outside) form |= MF_TIPPING_OUTSIDE;
  return form;
}

static void cook_pressure(cook *c)
{
  const double *v = c->tir->value, nominal = v[TIR_NOMPRES];
  double p = isnan(c->o->pressure) ? v[TIR_INFLPRES] : c->o->pressure;
  c->dpi = 0.0;
  c->ratio = 1.0;
  if (isnan(p) || isnan(nominal) || (c->tir->version != 61 && !c->o->lenient)) return;
  if (p < v[TIR_PRESMIN]) p = v[TIR_PRESMIN];
  if (p > v[TIR_PRESMAX]) p = v[TIR_PRESMAX];
  c->dpi = (p - nominal) / nominal;
  c->ratio = p / nominal;
}

jn_status mf_cook(const jn_tir *tir, const mf_options *o, double p[MF_FIELDS], int *form,
                  jn_error *err)
{
  cook work = {.tir = tir, .o = o, .p = p}, *c = &work;
  const int use = (o->use_mode >= 0 ? o->use_mode : abs((int)tir->value[TIR_USE_MODE])) % 10;
  const jn_status status = check(c, err);
  if (status) return status;
  memset(p, 0, MF_FIELDS * sizeof *p);
  c->load = tir->value[TIR_FNOMIN];
  c->radius = tir->value[TIR_UNLOADED_RADIUS];
  c->load0 = c->load * tir->value[TIR_LFZO];
  c->form = form_of(c) | (use < 4 ? use : 4);
  cook_pressure(c);
  cook_limits(c);
  cook_ahead(c);
  cook_side(c);
  cook_combined(c);
  cook_overturning(c);
  cook_rolling(c);
  cook_aligning(c);
  cook_relaxation(c);
  *form = c->form;
  return JN_OK;
}
