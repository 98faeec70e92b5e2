// build_tyres.c: what the model says of a tyre, as the parameters of its kernel.
#include <math.h>
#include <stdlib.h>

#include "elements/tyre/tyre_at.h"
#include "plan/build.h"

// Tyres whose parameters are the file's keys in their order.
static void set_plain(const jn_tyre_spec *t, jn_tyre_data *d)
{
  static const int nslip[JN_NTYRE_KIND] = {[JN_TYRE_MF_SIMPLE] = 1, [JN_TYRE_BRUSH] = 2};
  const jn_object *object = &jn_tyre_kind_at(t->kind)->object;
  d->nslip = nslip[t->kind];
  d->nfield = object->n;
  for (int i = 0; i < object->n; i++) {
    const void *place = (const char *)&t->as + object->field[i].offset;
    d->p[i] = object->field[i].type == JN_T_CHOICE ? *(const int *)place : *(const double *)place;
  }
}

// Where files give none, or none to speak of: speed below which what has the sign of motion fades.
static const double SLOWEST = 0.1;  // [m/s]

// Load over deflection by points; beyond them with the last slope.
static jn_status set_curve(jn_building *b, const jn_tyre_spec *t, const char *what,
                           const jn_curve_spec *points, jn_curve_method method, int field, int bit,
                           jn_tyre_data *d, jn_error *err)
{
  int at, steps;
  if (!points->n) return JN_OK;
  if (points->n > ROLL_CURVE_POINTS)
    return jn_fail(err, JN_E_LIMIT, t->pos, t->name, "its %s has %d points, at most %d are allowed",
                   what, points->n, ROLL_CURVE_POINTS);
  jn_curve_spec c = *points;
  c.method = method;
  c.outside = 1;
  jn_status st = jn_build_curve(b, &c, t->pos, t->name, ROLL_CURVE_STEPS, &at, &steps, err);
  d->p[field] = r_real(at);
  d->form |= bit;
  return st;
}

// ---- Magic Formula --------------------------------------------------------------------------------

// Deflection at which points give a load; beyond them with the last slope.
static double deflection_at(const jn_curve_spec *c, double load)
{
  int i = 1;
  while (i < c->n - 1 && c->y[i] < load) i++;
  const double slope = (c->y[i] - c->y[i - 1]) / (c->x[i] - c->x[i - 1]);
  return c->x[i] + (load - c->y[i]) / slope;
}

// Load and radii [Pac12, 4.E68, 9.232; Besselink et al. 2010, A1 to A8].
static jn_status set_vertical(jn_building *b, const jn_tyre_spec *t, double pressure,
                              jn_tyre_data *d, jn_error *err)
{
  const jn_tyre_magic_formula_spec *k = &t->as.magic_formula;
  const double *v = t->tir->value;
  double *p = d->p;
  const double r0 = v[TIR_UNLOADED_RADIUS], load = v[TIR_FNOMIN], v0 = v[TIR_LONGVL];
  const double harder = v[TIR_LCZ] * (t->tir->version == 61 ? 1.0 + v[TIR_PFZ1] * pressure : 1.0);
  double cz = v[TIR_VERTICAL_STIFFNESS];
  p[ROLL_RADIUS] = r0 * v[TIR_Q_RE0];
  double q1 = v[TIR_Q_FZ1];
  const double q2 = v[TIR_Q_FZ2];
  if (!(q1 > 0.0)) q1 = sqrt(fmax(cz * r0 / load * (cz * r0 / load) - 4.0 * q2, 0.0));
  p[ROLL_STIFFNESS] = q1 * load / r0 * harder;
  p[ROLL_QUADRATIC] = q2 * load / (r0 * r0) * harder;
  p[ROLL_CAMBERED] = v[TIR_Q_FZ3] * load / r0 * harder;
  p[ROLL_STIFFENS] = v[TIR_Q_V2] * r0 / v0;
  p[ROLL_GROWTH] = v[TIR_Q_V1] * r0 * (r0 / v0) * (r0 / v0);
  p[ROLL_DAMPING] = v[TIR_VERTICAL_DAMPING] / load;
  jn_status st = set_curve(b, t, "load_curve", &k->load_curve, JN_CURVE_MONOTONE, ROLL_LOAD_CURVE,
                           ROLL_BY_CURVE, d, err);
  if (st) return st;
  if (isnan(cz))  // where the load is nominal
    cz = k->load_curve.n ? load / deflection_at(&k->load_curve, load)
                         : sqrt(q1 * q1 + 4.0 * q2) * load / r0;
  cz *= harder;
  if (k->bottoming_curve.n) {
    const bool radius = !isnan(v[TIR_BOTTOMING_RADIUS]);
    p[ROLL_BOTTOM] = radius ? v[TIR_BOTTOMING_RADIUS] : r0;
    st = set_curve(b, t, "bottoming_curve", &k->bottoming_curve, JN_CURVE_LINEAR, ROLL_BOTTOM_CURVE,
                   ROLL_BOTTOMS_BY_CURVE, d, err);
  } else if (v[TIR_BOTTOM_STIFF] > 0.0 && !isnan(v[TIR_RIM_RADIUS])) {
    const double offset = isnan(v[TIR_BOTTOM_OFFST]) ? 0.0 : v[TIR_BOTTOM_OFFST];
    p[ROLL_BOTTOM] = v[TIR_RIM_RADIUS] + offset;
    p[ROLL_HARDNESS] = v[TIR_BOTTOM_STIFF];
    d->form |= ROLL_BOTTOMS;
  }
  const bool given = v[TIR_BREFF] != 0.0 || v[TIR_DREFF] != 0.0 || v[TIR_FREFF] != 0.0;
  p[ROLL_FLAT] = given ? 0.0 : ROLL_FLAT_PART;
  p[ROLL_SHORTER] = load / cz * v[TIR_DREFF];
  p[ROLL_SHORTER_B] = v[TIR_BREFF] / load;
  p[ROLL_SHORTER_F] = v[TIR_FREFF] / cz;
  return st;
}

static jn_status set_magic_formula(jn_building *b, const jn_tyre_spec *t, jn_tyre_data *d,
                                   jn_error *err)
{
  const jn_tyre_magic_formula_spec *k = &t->as.magic_formula;
  mf_options o = mf_default_options();
  o.formulas = k->formulas;
  o.uncapped = !k->capped;
  o.digression = k->digression;
  o.combined = k->combined;
  o.lenient = k->newer;
  o.overturning_outside = k->overturning;
  o.rolling_by_load = k->resistance;
  o.use_mode = (int)t->tir->value[TIR_USE_MODE];
  const double nominal = t->tir->value[TIR_NOMPRES], inflated = t->tir->value[TIR_INFLPRES];
  o.pressure = JN_GIVEN(k, jn_tyre_magic_formula_spec, pressure) ? k->pressure
               : isnan(inflated)                                 ? nominal
                                                                 : inflated;
  int form = 0;
  jn_error why = {
      0};  // it names lines of the file, which coefficients of the model may have overridden
  jn_status st = mf_cook(t->tir, &o, d->p + ROLL_FIELDS, &form, &why);
  if (st)
    return jn_fail(err, st, t->pos, t->name, "%s%s%s", why.path, *why.path ? ": " : "", why.text);
  d->nslip = 2;
  d->nfield = ROLL_FIELDS + MF_FIELDS;
  d->side = t->tir->side;
  if (signbit(
          t->tir->value
              [TIR_USE_MODE]))  // the file wants it mirrored: it is as if measured on the other side
    d->side = d->side == TIR_RIGHT ? TIR_LEFT : TIR_RIGHT;
  d->form = form << ROLL_FORM_BITS;
  const int transient = abs(o.use_mode) / 10 % 10;
  if (transient == 0) d->form |= ROLL_STEADY;
  if (transient == 2) d->form |= ROLL_NONLINEAR;
  d->p[ROLL_DAMPING_TIME] = k->lead;
  d->p[ROLL_SLOW] = fmax(t->tir->value[TIR_VXLOW], SLOWEST);
  d->p[ROLL_SIDE] = 1.0;
  const double more = isnan(nominal) || isnan(o.pressure) ? 0.0 : o.pressure / nominal - 1.0;
  return set_vertical(b, t, more, d, err);
}

// ---- laws with keys of their own --------------------------------------------------------------------

static jn_status set_rolling(jn_building *b, const jn_tyre_spec *t, int nlaw, jn_tyre_data *d,
                             jn_error *err)
{
  const jn_tyre_rolling_spec *k = &t->as.rolling;
  d->nslip = 2;
  d->nfield = ROLL_FIELDS + nlaw;
  d->form |= ROLL_CONSERVES;
  d->p[ROLL_RADIUS] = k->radius;
  d->p[ROLL_STIFFNESS] = k->stiffness;
  d->p[ROLL_DAMPING] = k->damping / k->load;
  d->p[ROLL_FLAT] = ROLL_FLAT_PART;
  d->p[ROLL_DAMPING_TIME] = k->lead;
  d->p[ROLL_SLOW] = TYRE_SLIP_FLOOR;
  d->p[ROLL_SIDE] = 1.0;
  return set_curve(b, t, "load_curve", &k->load_curve, JN_CURVE_MONOTONE, ROLL_LOAD_CURVE,
                   ROLL_BY_CURVE, d, err);
}

static jn_status set_fiala(jn_building *b, const jn_tyre_spec *t, jn_tyre_data *d, jn_error *err)
{
  const jn_tyre_fiala_spec *k = &t->as.fiala;
  double *p = d->p + ROLL_FIELDS;
  p[FIALA_SLIP_STIFFNESS] = k->slip_stiffness;
  p[FIALA_CORNERING_STIFFNESS] = k->cornering_stiffness;
  p[FIALA_FRICTION] = k->friction;
  p[FIALA_FRICTION_SLIDING] = k->friction_sliding;
  p[FIALA_WIDTH] = k->width;
  p[FIALA_ROLLING_RESISTANCE] = k->rolling_resistance;
  p[FIALA_RELAXATION_X] = k->relaxation_x;
  p[FIALA_RELAXATION_Y] = k->relaxation_y;
  return set_rolling(b, t, FIALA_FIELDS, d, err);
}

static tabulated_table tabulated_of(const jn_carpet_spec *c, const char *path)
{
  return (tabulated_table){c->nslip, c->nload, c->slip, c->load, c->value, c->pos, path};
}

static jn_status set_tabulated(jn_building *b, const jn_tyre_spec *t, jn_tyre_data *d,
                               jn_error *err)
{
  const jn_tyre_carpet_spec *k = &t->as.carpet;
  const tabulated_data data = {.side_force = tabulated_of(&k->side_force, t->name),
                               .longitudinal_force = tabulated_of(&k->longitudinal_force, t->name),
                               .aligning_torque = tabulated_of(&k->aligning_torque, t->name),
                               .rolling_resistance = k->rolling_resistance,
                               .relaxation_x = k->relaxation_x,
                               .relaxation_y = k->relaxation_y};
  const int at = jn_build_table(b, tabulated_doubles(&data));
  if (b->table) {
    int form = 0;
    jn_status st = tabulated_build(&data, b->table + at, at, d->p + ROLL_FIELDS, &form, err);
    if (st) return st;
    d->form = form << ROLL_FORM_BITS;
  }
  return set_rolling(b, t, TABULATED_FIELDS, d, err);
}

static jn_status set_plugin(jn_building *b, const jn_tyre_spec *t, jn_tyre_data *d, jn_error *err)
{
  d->side = (tir_side)t->as.plugin.measured;
  d->p[ROLL_FIELDS + PLUG_INDEX] = r_real(t - b->s->model->spec->tyre);
  return set_rolling(b, t, PLUG_FIELDS, d, err);
}

jn_status jn_build_tyre(jn_building *b, const jn_tyre_spec *t, jn_tyre_data *d, jn_error *err)
{
  *d = (jn_tyre_data){.kind = t->kind, .side = TIR_EITHER};
  switch (t->kind) {
#define X(kind, word, law, fields) \
  case JN_TYRE_##kind:             \
    return set_##word(b, t, d, err);
    TYRE_LAWS(X)
#undef X
    case JN_TYRE_PLUGIN:
      return set_plugin(b, t, d, err);
    default:
      set_plain(t, d);
      return JN_OK;
  }
}

static void note(jn_system *s, const jn_tyre_spec *t, const tir_item *item)
{
  const char *what = item->key[0] == '{' ? item->section : item->key;  // a table's columns, a key
  if (item->line)
    jn_build_note(s, "tyre \"%s\": %s:%d: %s %s", t->name, t->tir->file, item->line, what,
                  item->text);
  else
    jn_build_note(s, "tyre \"%s\": %s %s", t->name, what, item->text);
}

void jn_build_tyre_notes(jn_system *s)
{
  const jn_spec *spec = s->model->spec;
  for (int i = 0; i < spec->ntyre && !s->binding.opts.without_tyres; i++) {
    const jn_tir *tir = spec->tyre[i].tir;
    for (int k = 0; tir && k < tir->nunused; k++)
      if (tir->unused[k].replaced) note(s, &spec->tyre[i], &tir->unused[k]);
  }
}
