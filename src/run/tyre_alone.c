// tyre_alone.c: a tyre without a vehicle: what its law gives, and what its file says.
#include "run/tyre_alone.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "elements/tyre/tyre_at.h"
#include "plan/build.h"
#include "spec/names.h"

// ---- laws ------------------------------------------------------------------------------------------

static bool has_law(jn_tyre_kind kind)
{
  return tyre_rolls(kind) && kind != JN_TYRE_PLUGIN;
}

static tyre_forces forces_of(const jn_tyre *t, const jn_tyre_data *d, tyre_slip slip)
{
  const int form = d->form >> ROLL_FORM_BITS;
  const double *p = d->p + ROLL_FIELDS;
  switch (d->kind) {
#define X(kind, word, law, fields) \
  case JN_TYRE_##kind:             \
    return law##_forces(form, p, t->table, slip);
    TYRE_LAWS(X)
#undef X
    default:
      return tyre_no_forces();
  }
}

static tyre_limits limits_of(const jn_tyre *t, double load, double camber)
{
  const int form = t->data.form >> ROLL_FORM_BITS;
  const double *p = t->data.p + ROLL_FIELDS;
  switch (t->data.kind) {
#define X(kind, word, law, fields) \
  case JN_TYRE_##kind:             \
    return law##_limits(form, p, t->table, load, camber);
    TYRE_LAWS(X)
#undef X
    default:
      return (tyre_limits){{1.0, 1.0}, {1.0, 1.0}, {1.0, 1.0}};
  }
}

// ---- at a point ------------------------------------------------------------------------------------

// The same tyre inflated to another pressure. Its curves do not feel it, so they stay in their table.
static jn_tyre_data inflated(const jn_tyre *t, double pressure)
{
  jn_tyre_spec spec = *t->spec;
  jn_tyre_data d;
  jn_building only_parameters = {0};
  spec.as.magic_formula.pressure = pressure;
  spec.as.magic_formula.given |= 1u << offsetof(jn_tyre_magic_formula_spec_bits, pressure);
  return jn_build_tyre(&only_parameters, &spec, &d, NULL) ? t->data : d;
}

// Tangents know no angles beyond a right one: those are as steep as can be.
static double tangent(double angle)
{
  return fabs(angle) < M_PI_2 ? tan(angle) : isnan(angle) ? angle : copysign(1e12, angle);
}

jn_tyre_forces jn_tyre_at(const jn_tyre *t, jn_tyre_point at)
{
  if (!t) return (jn_tyre_forces){NAN, NAN, NAN, NAN, NAN};
  const double direction = at.speed < 0.0 ? -1.0 : 1.0;
  const tyre_slip slip = {.kappa = at.kappa,
                          .tan_alpha = tangent(at.alpha),
                          .camber = at.gamma,
                          .load = at.load,
                          .speed = fabs(at.speed),
                          .forward = direction,
                          .rolling = direction};
  const bool other = t->info.has_pressure && !isnan(at.pressure) && at.pressure != t->info.pressure;
  jn_tyre_data d;
  if (other) d = inflated(t, at.pressure);
  const tyre_forces f = forces_of(t, other ? &d : &t->data, slip);
  return (jn_tyre_forces){f.fx, f.fy, f.mx, f.my, f.mz};
}

jn_tyre_limits jn_tyre_limits_at(const jn_tyre *t, double load, double camber)
{
  if (!t) return (jn_tyre_limits){{NAN, NAN}, {NAN, NAN}, {NAN, NAN}};
  const tyre_limits r = limits_of(t, load, camber);
  return (jn_tyre_limits){{r.stiffness[0], r.stiffness[1]},
                          {r.friction[0], r.friction[1]},
                          {r.relaxation[0], r.relaxation[1]}};
}

// ---- on a road -------------------------------------------------------------------------------------

static jn_tyre_stand stand(const jn_tyre *t, double deflection, double spin)
{
  const double *p = t->data.p;
  const double radius = p[ROLL_RADIUS] + p[ROLL_GROWTH] * spin * spin;
  const tyre_in in = {.axis = v3_set(0, 1, 0),
                      .velocity = v3_set(0, 0, 0),
                      .omega = v3_set(0, 0, 0),
                      .spin = spin,
                      .normal = v3_set(0, 0, 1),
                      .height = radius - deflection,
                      .table = t->table};
  const tyre_rolling k = rolling_of(t->data.form, p, &in);
  return (jn_tyre_stand){k.o.load, k.o.deflection, k.o.loaded_radius, k.o.rolling_radius};
}

static const jn_tyre_stand no_stand = {NAN, NAN, NAN, NAN};

// Spin and rolling radius hang together weakly: each round adds some digits.
jn_tyre_stand jn_tyre_load_at(const jn_tyre *t, double deflection, double speed)
{
  if (!t) return no_stand;
  jn_tyre_stand s = stand(t, deflection, speed / t->data.p[ROLL_RADIUS]);
  for (int i = 0; i < 30 && speed != 0.0; i++) s = stand(t, deflection, speed / s.rolling_radius);
  return s;
}

// Load rises with deflection: the bracket is halved until nothing lies between.
jn_tyre_stand jn_tyre_stand_at(const jn_tyre *t, double load, double speed)
{
  if (!t) return no_stand;
  double low = 0.0, high = t->data.p[ROLL_RADIUS];
  for (int i = 0; i < 60; i++) {
    const double middle = 0.5 * (low + high);
    if (jn_tyre_load_at(t, middle, speed).load < load)
      low = middle;
    else
      high = middle;
  }
  return jn_tyre_load_at(t, high, speed);
}

// ---- utilisation -----------------------------------------------------------------------------------

enum { NKAPPA = 41, NALPHA = 41, NLOAD = 5, NCAMBER = 5, NSLOT = 4, ROUNDS = 24 };

static double used(const jn_tyre *t, const double x[NSLOT], jn_tyre_point *at)
{
  const tyre_limits r = limits_of(t, x[2], x[3]);
  *at = (jn_tyre_point){x[0], x[1], x[3], x[2], NAN, t->info.speed};
  const jn_tyre_forces f = jn_tyre_at(t, *at);
  return hypot(f.fx / (r.friction[0] * x[2]), f.fy / (r.friction[1] * x[2]));
}

// A grid finds the hill, steps that halve climb it.
jn_tyre_utilisation jn_tyre_utilise(const jn_tyre *t)
{
  static const int n[NSLOT] = {NKAPPA, NALPHA, NLOAD, NCAMBER};
  if (!t) return (jn_tyre_utilisation){.value = NAN};
  const jn_tyre_info *a = &t->info;
  const double *const range[NSLOT] = {a->kappas, a->alphas, a->loads, a->cambers};
  double best[NSLOT] = {0}, step[NSLOT], x[NSLOT];
  jn_tyre_utilisation most = {.value = -1.0}, now;
  for (int c = 0; c < NSLOT; c++) step[c] = (range[c][1] - range[c][0]) / (n[c] - 1);
  for (int k = 0; k < NKAPPA * NALPHA * NLOAD * NCAMBER; k++) {
    for (int c = 0, rest = k; c < NSLOT; rest /= n[c++]) x[c] = range[c][0] + rest % n[c] * step[c];
    now.value = used(t, x, &now.at);
    if (now.value > most.value) most = now, memcpy(best, x, sizeof best);
  }
  for (int round = 0; round < ROUNDS; round++) {
    bool higher = false;
    for (int c = 0; c < NSLOT; c++)
      for (int sign = -1; sign < 2; sign += 2) {
        memcpy(x, best, sizeof x);
        x[c] = fmin(fmax(x[c] + sign * step[c], range[c][0]), range[c][1]);
        now.value = used(t, x, &now.at);
        if (now.value > most.value) most = now, memcpy(best, x, sizeof best), higher = true;
      }
    for (int c = 0; c < NSLOT && !higher; c++) step[c] *= 0.5;
  }
  return most;
}

// ---- figures ---------------------------------------------------------------------------------------

// Load per deflection, by a difference that is small against the deflection and large against rounding.
static double stiffness_at(const jn_tyre *t, double deflection)
{
  const double step = 1e-5 * t->data.p[ROLL_RADIUS];
  return (jn_tyre_load_at(t, deflection + step, 0.0).load -
          jn_tyre_load_at(t, deflection - step, 0.0).load) /
         (2.0 * step);
}

void jn_tyre_figures(const jn_tyre *t, jn_tyre_figure out[JN_TYRE_FIGURES])
{
  if (!out) return;
  if (!t) {
    for (int i = 0; i < JN_TYRE_FIGURES; i++) out[i] = (jn_tyre_figure){"", "", "", NAN};
    return;
  }
  const jn_tyre_info *a = &t->info;
  const jn_tyre_limits limits = jn_tyre_limits_at(t, a->load, 0.0);
  const jn_tyre_stand still = jn_tyre_stand_at(t, a->load, 0.0);
  const int use = a->use_mode < 0 ? 4 : a->use_mode % 10;  // of another law: everything
  const double longitudinal = use != 0 && use != 2 ? 1.0 : NAN, lateral = use > 1 ? 1.0 : NAN;
  const jn_tyre_figure list[JN_TYRE_FIGURES] = {
      {"load", "nominal load", "N", a->load},
      {"radius", "unloaded radius", "m", a->radius},
      {"pressure", "inflation pressure", "Pa", a->pressure},
      {"speed", "reference speed", "m/s", a->speed},
      {"deflection", "deflection", "m", still.deflection},
      {"vertical_stiffness", "vertical stiffness", "N/m", stiffness_at(t, still.deflection)},
      {"loaded_radius", "loaded radius", "m", still.loaded_radius},
      {"rolling_radius", "rolling radius", "m", still.rolling_radius},
      {"slip_stiffness", "slip stiffness", "N", longitudinal * limits.stiffness[0]},
      {"cornering_stiffness", "cornering stiffness", "N/rad", lateral * limits.stiffness[1]},
      {"friction_x", "peak friction, longitudinal", "1", longitudinal * limits.friction[0]},
      {"friction_y", "peak friction, lateral", "1", lateral * limits.friction[1]},
      {"relaxation_x", "relaxation length, longitudinal", "m", longitudinal * limits.relaxation[0]},
      {"relaxation_y", "relaxation length, lateral", "m", lateral * limits.relaxation[1]},
      {"rolling_resistance", "rolling resistance at reference speed", "N m",
       -jn_tyre_at(t, (jn_tyre_point){0.0, 0.0, 0.0, a->load, NAN, a->speed}).my},
      {"utilisation", "largest utilisation of friction", "1", jn_tyre_utilise(t).value},
  };
  memcpy(out, list, sizeof list);
}

// ---- what it is ------------------------------------------------------------------------------------

const char *jn_tyre_use_text(int use_mode)
{
#define WITH(relaxation)                                                               \
  {                                                                                    \
    "load alone, " relaxation, "Fx alone, " relaxation, "Fy alone, " relaxation,       \
        "Fx and Fy, each as if alone, " relaxation, "Fx and Fy, combined, " relaxation \
  }
  static const char *const text[3][5] = {WITH("steady state"), WITH("with relaxation"),
                                         WITH("with nonlinear relaxation")};
#undef WITH
  const int use = abs(use_mode) % 10, transient = abs(use_mode) / 10 % 10;
  return use_mode < 0 || use > 4 || transient > 2 ? "" : text[transient][use];
}

// A range of the file as far as it is one, within what makes sense to look at.
static void set_range(double range[2], double low, double high, double least, double most)
{
  range[0] = isnan(low) ? least : fmax(low, least);
  range[1] = isnan(high) ? most : fmin(high, most);
  if (!(range[0] < range[1])) range[0] = least, range[1] = most;
}

static void set_ranges(jn_tyre_info *a, const jn_tir *tir)
{
  double v[TIR_NKEY];
  for (int i = 0; i < TIR_NKEY; i++) v[i] = tir ? tir->value[i] : NAN;
  const bool load = !isnan(v[TIR_FZMAX]), alpha = !isnan(v[TIR_ALPMAX]);
  set_range(a->loads, v[TIR_FZMIN], v[TIR_FZMAX], 0.1 * a->load, (load ? 10.0 : 2.0) * a->load);
  set_range(a->kappas, v[TIR_KPUMIN], v[TIR_KPUMAX], -1.0, 1.0);
  set_range(a->alphas, v[TIR_ALPMIN], v[TIR_ALPMAX], alpha ? -1.5 : -0.35, alpha ? 1.5 : 0.35);
  set_range(a->cambers, v[TIR_CAMMIN], v[TIR_CAMMAX], -1.0, 1.0);
  if (isnan(v[TIR_CAMMAX])) a->cambers[0] = -0.1, a->cambers[1] = 0.1;
  set_range(a->pressures, v[TIR_PRESMIN], v[TIR_PRESMAX], 0.5 * a->pressure, 1.5 * a->pressure);
}

static void set_info(jn_tyre *t)
{
  const jn_tyre_spec *spec = t->spec;
  const jn_tir *tir = spec->tir;
  const bool magic = spec->kind == JN_TYRE_MAGIC_FORMULA;
  jn_tyre_info *a = &t->info;
  *a = (jn_tyre_info){.name = spec->name,
                      .kind = jn_tyre_kind_at(spec->kind)->word,
                      .side = (jn_tyre_side)t->data.side,
                      .use_mode = -1,
                      .radius = jn_tyre_radius(spec),
                      .pressure = NAN,
                      .load = NAN,
                      .speed = 16.7};
  if (magic) {
    const jn_tyre_magic_formula_spec *k = &spec->as.magic_formula;
    const double *v = tir->value;
    a->file = tir->file;
    a->version = tir->version;
    a->use_mode = abs((int)v[TIR_USE_MODE]);
    a->load = v[TIR_FNOMIN];
    a->speed = v[TIR_LONGVL];
    a->pressure = JN_GIVEN(k, jn_tyre_magic_formula_spec, pressure) ? k->pressure
                  : isnan(v[TIR_INFLPRES])                          ? v[TIR_NOMPRES]
                                                                    : v[TIR_INFLPRES];
    a->has_pressure = !isnan(v[TIR_NOMPRES]) && (tir->version == 61 || k->newer);
  } else {
    a->load = spec->as.rolling.load;
  }
  set_ranges(a, tir);
}

jn_tyre_info jn_tyre_about(const jn_tyre *t)
{
  return t ? t->info : (jn_tyre_info){0};
}

// ---- entries ---------------------------------------------------------------------------------------

static const jn_quantity quantities[TIR_NKEY] = {
#define X(key, quantity, otherwise, use) [TIR_##key] = JN_Q_##quantity,
#define LIST(section, KEYS)              KEYS(X)
    TIR_SECTIONS(LIST)
#undef LIST
#undef X
};

// Does anything depend on a key? Of alternatives, those that this tyre has taken.
static bool is_used(const jn_tyre *t, int key)
{
  const jn_tir *tir = t->spec->tir;
  const int form = t->data.form, own = form >> ROLL_FORM_BITS;
  switch (key) {
    case TIR_PTX1:
    case TIR_PTX2:
    case TIR_PTX3:
      return own & MF_RELAX_X_LOAD;
    case TIR_PTY1:
    case TIR_PTY2:
      return own & MF_RELAX_Y_LOAD;
    case TIR_LONGITUDINAL_STIFFNESS:
    case TIR_PCFX1:
    case TIR_PCFX2:
    case TIR_PCFX3:
      return own & MF_RELAX_X_STIFFNESS;
    case TIR_LATERAL_STIFFNESS:
    case TIR_PCFY1:
    case TIR_PCFY2:
    case TIR_PCFY3:
      return own & MF_RELAX_Y_STIFFNESS;
    case TIR_RIM_RADIUS:
    case TIR_BOTTOM_OFFST:
    case TIR_BOTTOM_STIFF:
      return form & ROLL_BOTTOMS;
    case TIR_BOTTOMING_RADIUS:
      return form & ROLL_BOTTOMS_BY_CURVE;
    case TIR_Q_RE0:  // load and radius are of one set of formulas
    case TIR_Q_V1:
    case TIR_Q_V2:
    case TIR_Q_FZ1:
    case TIR_Q_FZ2:
    case TIR_Q_FZ3:
      return true;
    default: {
      jn_tir newer = *tir;
      newer.version = 61;
      return jn_tir_uses(tir, key) || (t->spec->as.magic_formula.newer && jn_tir_uses(&newer, key));
    }
  }
}

// Where the model overrides its file, lines are those of the file alone.
static jn_status set_entries(jn_tyre *t, jn_error *err)
{
  static const jn_tir none;
  const jn_tir *tir = t->spec->tir, *file = t->spec->written ? t->spec->written : &none;
  if (!tir) return JN_OK;
  t->entry = jn_pool_alloc(&t->pool, (size_t)(TIR_NKEY + file->nunused), sizeof *t->entry);
  if (!t->entry) return jn_no_memory(err, JN_NOWHERE);
  for (int i = 0; i < TIR_NKEY; i++) {
    const double x = tir->value[i];
    const bool uses = is_used(t, i);
    const bool same = file->line[i] && (x == file->value[i] || i == TIR_FITTYP);
    const bool given = tir->line[i] != 0;
    if (isnan(x) || (!given && !uses)) continue;
    t->entry[t->nentry++] = (jn_tyre_entry){.origin = !given  ? JN_TYRE_DEFAULT
                                                      : !uses ? JN_TYRE_UNUSED
                                                      : same  ? JN_TYRE_READ
                                                              : JN_TYRE_SET,
                                            .section = jn_tir_section(i),
                                            .key = jn_tir_key(i),
                                            .value = x,
                                            .unit = jn_quantities[quantities[i]].si,
                                            .line = same ? file->line[i] : 0};
  }
  for (int i = 0; i < file->nunused; i++) {
    const tir_item *u = &file->unused[i];
    t->entry[t->nentry++] = (jn_tyre_entry){
        JN_TYRE_UNKNOWN, u->section, u->key, u->text ? u->text : "", NAN, "", u->line};
  }
  return JN_OK;
}

int jn_tyre_entry_count(const jn_tyre *t)
{
  return t ? t->nentry : 0;
}

jn_tyre_entry jn_tyre_entry_at(const jn_tyre *t, int i)
{
  return t && i >= 0 && i < t->nentry ? t->entry[i] : (jn_tyre_entry){0};
}

// ---- the whole -------------------------------------------------------------------------------------

// Parameters, and the table of curves: measured first, then filled.
static jn_status build(jn_tyre *t, jn_error *err)
{
  jn_building b = {0};
  jn_status st = jn_build_tyre(&b, t->spec, &t->data, err);
  if (st) return st;
  t->table = b.table = jn_pool_alloc(&t->pool, (size_t)b.ntable + 8, sizeof *b.table);
  if (!b.table) return jn_no_memory(err, JN_NOWHERE);
  b.ntable = 0;
  return jn_build_tyre(&b, t->spec, &t->data, err);
}

static jn_status find(const jn_spec *spec, const char *name, const jn_tyre_spec **out,
                      jn_error *err)
{
  const jn_pos pos = {spec->pos.file, 0, 0};
  if (!spec->ntyre) return jn_fail(err, JN_E_CALL, pos, NULL, "has no tyres");
  if (!name && spec->ntyre > 1)
    return jn_fail(err, JN_E_CALL, pos, NULL,
                   "has %d tyres, expected the name of one: \"%s\", \"%s\"%s", spec->ntyre,
                   spec->tyre[0].name, spec->tyre[1].name, spec->ntyre > 2 ? ", ..." : "");
  jn_nearest near = jn_nearest_to(name ? name : "");
  const int i = name ? JN_FIND(&near, spec->tyre, spec->ntyre) : 0;
  *out = &spec->tyre[i < 0 ? 0 : i];
  if (i >= 0) return JN_OK;
  return jn_fail(err, JN_E_CALL, pos, NULL, "has no tyre \"%s\"%s",
                 jn_quoted(name, strlen(name), 96).text, jn_hint(&near).text);
}

jn_status jn_tyre_of(const jn_spec *spec, const char *name, jn_tyre **out, jn_error *err)
{
  const jn_tyre_spec *found = NULL;
  if (out) *out = NULL;
  JN_NEEDS(err, spec && out, "a spec, and a place for the tyre");
  jn_status st = find(spec, name, &found, err);
  if (st) return st;
  if (!has_law(found->kind))
    return jn_fail(err, JN_E_CALL, found->pos, jn_entry("tyres", found->name).text,
                   "is of type %s, which has no law of slip and load to look at, expected "
                   "magic-formula, fiala or carpet",
                   jn_tyre_kind_at(found->kind)->word);
  jn_tyre *t = calloc(1, sizeof *t);
  if (!t) return jn_no_memory(err, JN_NOWHERE);
  t->spec = found;
  st = build(t, err);
  if (!st) {
    set_info(t);
    st = set_entries(t, err);
  }
  if (st)
    jn_tyre_free(t);
  else
    *out = t;
  return st;
}

void jn_tyre_free(jn_tyre *t)
{
  if (!t) return;
  jn_spec_free(t->own);
  jn_pool_free(&t->pool);
  free(t);
}
