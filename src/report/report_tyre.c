// report_tyre.c: a tyre as one HTML file: curves of forces and moments, of load and radius, and what its file says.
//
// The page is that of web/, which draws a tyre where #about has `tyre`. Curves are computed here, so that the page knows
// no formula.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "jounce/tyre.h"
#include "report/report_result.h"
#include "run/tyre_alone.h"

enum { POINTS = 161, MOST_LEVELS = 7, MOST_TYRES = 2 };

// What curves are drawn over, and what distinguishes those of one chart.
typedef enum slot { KAPPA, ALPHA, GAMMA, LOAD, PRESSURE, SPEED, NSLOT } slot;
typedef enum output { FX, FY, MX, MY, MZ, NOUTPUT } output;

static const struct {
  const char *name, *unit, *level;
  double scale;  // from SI to what is shown
} slots[NSLOT] = {
    [KAPPA] = {"slip", "1", "κ %+.3g", 1.0},
    [ALPHA] = {"slip angle", "deg", "α %.3g°", 180.0 / M_PI},
    [GAMMA] = {"camber", "deg", "γ %.3g°", 180.0 / M_PI},
    [LOAD] = {"load", "kN", "%.3g kN", 1e-3},
    [PRESSURE] = {"pressure", "kPa", "%.3g kPa", 1e-3},
    [SPEED] = {"speed", "m/s", "%.3g m/s", 1.0},
};
static const struct {
  const char *name, *unit;
} outputs[NOUTPUT] = {{"Fx", "N"}, {"Fy", "N"}, {"Mx", "N m"}, {"My", "N m"}, {"Mz", "N m"}};

typedef struct levels {
  int n;
  double at[MOST_LEVELS];
} levels;

typedef struct look {
  const jn_tyre *tyre[MOST_TYRES];
  int n;
  jn_tyre_info info;  // of the first: levels and ranges are its own
  levels loads, cambers, alphas, pressures, speeds;
  double kappas[2], alphas_swept[2];
} look;

// ---- levels and ranges ------------------------------------------------------------------------------

static void add_level(levels *l, double x, const double range[2])
{
  const double little = 1e-9 * (fabs(range[0]) + fabs(range[1]));
  if (x >= range[0] - little && x <= range[1] + little && l->n < MOST_LEVELS) l->at[l->n++] = x;
}

// Two digits: levels are read by people.
static double rounded(double x)
{
  const double unit = x > 0.0 ? pow(10.0, floor(log10(x)) - 1.0) : 1.0;
  return round(x / unit) * unit;
}

static void set_levels(look *w)
{
  static const double part[] = {0.25, 0.5, 1.0, 1.5, 2.0}, degrees[] = {-6, -3, 0, 3, 6},
                      angle[] = {0, 2, 4, 8, 12}, inflation[] = {0.7, 0.85, 1.0, 1.15, 1.3},
                      speed[] = {0, 20, 40, 60}, degree = M_PI / 180.0;
  const jn_tyre_info *a = &w->info;
  for (int i = 0; i < 5; i++) {
    add_level(&w->loads, i == 2 ? a->load : rounded(part[i] * a->load), a->loads);
    add_level(&w->cambers, degrees[i] * degree, a->cambers);
    add_level(&w->alphas, angle[i] * degree, a->alphas);
    if (a->has_pressure)
      add_level(&w->pressures, i == 2 ? a->pressure : rounded(inflation[i] * a->pressure),
                a->pressures);
  }
  for (int i = 0; i < 4; i++) w->speeds.at[w->speeds.n++] = speed[i];
  if (!w->loads.n) w->loads.at[w->loads.n++] = a->load;
  for (int end = 0; end < 2; end++) {
    const double sign = end ? 1.0 : -1.0;
    w->kappas[end] = sign * fmin(fabs(a->kappas[end]), 0.5);
    w->alphas_swept[end] = sign * fmin(fabs(a->alphas[end]), 20.0 * degree);
  }
}

// ---- charts -----------------------------------------------------------------------------------------

static json_t *axis(const char *name, const char *unit)
{
  return json_pack("{s:s, s:s}", "name", name, "unit", unit);
}

typedef struct chart {
  json_t *about, *levels, *curves;
} chart;

static chart chart_of(const char *title, json_t *x, json_t *y)
{
  return (chart){json_pack("{s:s, s:o, s:o}", "title", title, "x", x, "y", y), json_array(),
                 json_array()};
}

static json_t *put_together(chart c)
{
  jn_json_put(&c.about, "levels", c.levels);
  jn_json_put(&c.about, "curves", c.curves);
  return c.about;
}

__attribute__((format(printf, 2, 3))) static void add_name(chart *c, const char *format, ...)
{
  char text[64];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  jn_json_add(&c->levels, jn_json_text(text));
}

static void add_curve(chart *c, int tyre, int level, const double *x, const double *y)
{
  json_t *xs = json_array(), *ys = json_array();
  for (int i = 0; i < POINTS; i++) {
    jn_json_add(&xs, jn_json_number(x[i]));
    jn_json_add(&ys, jn_json_number(y[i]));
  }
  jn_json_add(&c->curves,
              json_pack("{s:i, s:i, s:o, s:o}", "tyre", tyre, "level", level, "x", xs, "y", ys));
}

// A range from -1 to 1 in steps that are small near zero, where curves bend; one of positive numbers in equal ones.
static double swept(const double range[2], int i)
{
  if (range[0] >= 0.0) return range[0] + (range[1] - range[0]) * i / (POINTS - 1);
  const double t = 2.0 * i / (POINTS - 1) - 1.0, bent = t * (0.3 + 0.7 * t * t);
  return bent < 0.0 ? -bent * range[0] : bent * range[1];
}

static double output_of(const jn_tyre_forces *f, output out)
{
  const double value[NOUTPUT] = {f->fx, f->fy, f->mx, f->my, f->mz};
  return value[out];
}

static jn_tyre_forces at(const jn_tyre *tyre, const double p[NSLOT])
{
  return jn_tyre_at(tyre,
                    (jn_tyre_point){p[KAPPA], p[ALPHA], p[GAMMA], p[LOAD], p[PRESSURE], p[SPEED]});
}

// One force or moment over one slot, a curve for each level of another one; all else nominal.
static json_t *sweep(const look *w, const char *title, output out, slot over, const double range[2],
                     slot by, const levels *l)
{
  chart drawn = chart_of(title, axis(slots[over].name, slots[over].unit),
                         axis(outputs[out].name, outputs[out].unit));
  double x[POINTS], y[POINTS];
  for (int k = 0; k < l->n; k++) {
    add_name(&drawn, slots[by].level, l->at[k] * slots[by].scale);
    for (int t = 0; t < w->n; t++) {
      if (by == PRESSURE && !jn_tyre_about(w->tyre[t]).has_pressure) continue;
      double p[NSLOT] = {[LOAD] = w->info.load, [PRESSURE] = NAN, [SPEED] = w->info.speed};
      p[by] = l->at[k];
      for (int i = 0; i < POINTS; i++) {
        p[over] = swept(range, i);
        const jn_tyre_forces f = at(w->tyre[t], p);
        x[i] = p[over] * slots[over].scale;
        y[i] = output_of(&f, out);
      }
      add_curve(&drawn, t, k, x, y);
    }
  }
  return put_together(drawn);
}

// Fy over Fx as the slip goes through its range, a curve for each slip angle, in both directions.
static json_t *ellipse(const look *w)
{
  chart drawn = chart_of("Friction ellipse: Fy over Fx, slip from lock to spin", axis("Fx", "N"),
                         axis("Fy", "N"));
  const double whole[2] = {fmax(-1.0, w->info.kappas[0]), fmin(1.0, w->info.kappas[1])};
  double x[POINTS], y[POINTS];
  jn_json_put(&drawn.about, "equal", json_true());
  for (int k = 0; k < w->alphas.n; k++) {
    add_name(&drawn, w->alphas.at[k] == 0.0 ? "α %.3g°" : "α ±%.3g°",
             w->alphas.at[k] * slots[ALPHA].scale);
    for (int sign = -1; sign < 2; sign += 2)
      for (int t = 0; t < w->n && (sign < 0 || w->alphas.at[k] != 0.0); t++) {
        double p[NSLOT] = {[ALPHA] = sign * w->alphas.at[k],
                           [LOAD] = w->info.load,
                           [PRESSURE] = NAN,
                           [SPEED] = w->info.speed};
        for (int i = 0; i < POINTS; i++) {
          p[KAPPA] = swept(whole, i);
          const jn_tyre_forces f = at(w->tyre[t], p);
          x[i] = f.fx, y[i] = f.fy;
        }
        add_curve(&drawn, t, k, x, y);
      }
  }
  return put_together(drawn);
}

// ---- limits and load ----------------------------------------------------------------------------------

typedef enum limits_part { STIFFNESS, FRICTION, RELAXATION } limits_part;

static json_t *limits_chart(const look *w, const char *title, limits_part part, const char *name,
                            const char *unit, const char *longitudinal, const char *lateral)
{
  chart drawn = chart_of(title, axis("load", "kN"), axis(name, unit));
  const double range[2] = {w->info.loads[0], fmin(w->info.loads[1], 2.5 * w->info.load)};
  double x[POINTS], y[POINTS];
  for (int c = 0; c < 2; c++) {
    add_name(&drawn, "%s", c ? lateral : longitudinal);
    for (int t = 0; t < w->n; t++) {
      for (int i = 0; i < POINTS; i++) {
        const double load = swept(range, i);
        const jn_tyre_limits r = jn_tyre_limits_at(w->tyre[t], load, 0.0);
        x[i] = load * slots[LOAD].scale;
        y[i] = part == STIFFNESS  ? 1e-3 * r.stiffness[c]
               : part == FRICTION ? r.friction[c]
                                  : r.relaxation[c];
      }
      add_curve(&drawn, t, c, x, y);
    }
  }
  return put_together(drawn);
}

// Load over deflection, or the rolling radius over load, at several speeds.
static json_t *stand_chart(const look *w, const char *title, bool radius)
{
  chart drawn = radius ? chart_of(title, axis("load", "kN"), axis("rolling radius", "mm"))
                       : chart_of(title, axis("deflection", "mm"), axis("load", "kN"));
  const double most = jn_tyre_stand_at(w->tyre[0], 2.5 * w->info.load, 0.0).deflection;
  double x[POINTS], y[POINTS];
  for (int k = 0; k < w->speeds.n; k++) {
    add_name(&drawn, slots[SPEED].level, w->speeds.at[k]);
    for (int t = 0; t < w->n; t++) {
      for (int i = 0; i < POINTS; i++) {
        const double deflection = most * i / (POINTS - 1);
        const jn_tyre_stand s = jn_tyre_load_at(w->tyre[t], deflection, w->speeds.at[k]);
        x[i] = radius ? 1e-3 * s.load : 1e3 * deflection;
        y[i] = radius ? 1e3 * s.rolling_radius : 1e-3 * s.load;
      }
      add_curve(&drawn, t, k, x, y);
    }
  }
  return put_together(drawn);
}

// ---- sections ----------------------------------------------------------------------------------------

static void add_section(json_t **list, const char *title, json_t *charts)
{
  jn_json_add(list, json_pack("{s:s, s:o}", "title", title, "charts", charts));
}

static json_t *sections(const look *w)
{
  static const double fast[2] = {0.0, 60.0};
  const double *k = w->kappas, *a = w->alphas_swept;
  json_t *list = json_array();
  add_section(
      &list, "Pure slip",
      json_pack("[o, o, o, o]", sweep(w, "Fx over slip, by load", FX, KAPPA, k, LOAD, &w->loads),
                sweep(w, "Fy over slip angle, by load", FY, ALPHA, a, LOAD, &w->loads),
                sweep(w, "Fx over slip, by camber", FX, KAPPA, k, GAMMA, &w->cambers),
                sweep(w, "Fy over slip angle, by camber", FY, ALPHA, a, GAMMA, &w->cambers)));
  add_section(&list, "Combined slip",
              json_pack("[o, o, o, o]", ellipse(w),
                        sweep(w, "Mz over slip, by slip angle", MZ, KAPPA, k, ALPHA, &w->alphas),
                        sweep(w, "Fx over slip, by slip angle", FX, KAPPA, k, ALPHA, &w->alphas),
                        sweep(w, "Fy over slip, by slip angle", FY, KAPPA, k, ALPHA, &w->alphas)));
  add_section(
      &list, "Moments",
      json_pack(
          "[o, o, o, o, o]",
          sweep(w, "Aligning Mz over slip angle, by load", MZ, ALPHA, a, LOAD, &w->loads),
          sweep(w, "Aligning Mz over slip angle, by camber", MZ, ALPHA, a, GAMMA, &w->cambers),
          sweep(w, "Overturning Mx over slip angle, by load", MX, ALPHA, a, LOAD, &w->loads),
          sweep(w, "Overturning Mx over slip angle, by camber", MX, ALPHA, a, GAMMA, &w->cambers),
          sweep(w, "Rolling resistance My over speed, by load", MY, SPEED, fast, LOAD, &w->loads)));
  add_section(&list, "Load, radius, relaxation",
              json_pack("[o, o, o, o, o]", stand_chart(w, "Load over deflection, by speed", false),
                        stand_chart(w, "Rolling radius over load, by speed", true),
                        limits_chart(w, "Relaxation lengths over load", RELAXATION, "length", "m",
                                     "longitudinal", "lateral"),
                        limits_chart(w, "Slip stiffness over load", STIFFNESS, "stiffness", "kN",
                                     "longitudinal", "cornering, per rad"),
                        limits_chart(w, "Peak friction over load", FRICTION, "friction", "1",
                                     "longitudinal", "lateral")));
  if (w->pressures.n > 1)
    add_section(
        &list, "Inflation pressure",
        json_pack(
            "[o, o, o]",
            sweep(w, "Fx over slip, by pressure", FX, KAPPA, k, PRESSURE, &w->pressures),
            sweep(w, "Fy over slip angle, by pressure", FY, ALPHA, a, PRESSURE, &w->pressures),
            sweep(w, "Mz over slip angle, by pressure", MZ, ALPHA, a, PRESSURE, &w->pressures)));
  return list;
}

// ---- what it is --------------------------------------------------------------------------------------

static json_t *figures(const jn_tyre *tyre)
{
  jn_tyre_figure f[JN_TYRE_FIGURES];
  json_t *list = json_array();
  jn_tyre_figures(tyre, f);
  for (int i = 0; i < JN_TYRE_FIGURES; i++)
    if (isfinite(f[i].value))
      jn_json_add(&list, json_pack("{s:s, s:s, s:s, s:f}", "key", f[i].key, "name", f[i].name,
                                   "unit", f[i].unit, "value", f[i].value));
  return list;
}

static json_t *entries(const jn_tyre *tyre)
{
  static const char *const origin[] = {"read", "set", "default", "unused", "unknown"};
  json_t *list = json_array();
  for (int i = 0; i < jn_tyre_entry_count(tyre); i++) {
    const jn_tyre_entry e = jn_tyre_entry_at(tyre, i);
    jn_json_add(&list, json_pack("{s:s, s:o, s:o, s:o, s:o, s:s, s:i}", "origin", origin[e.origin],
                                 "section", jn_json_text(e.section), "key", jn_json_text(e.key),
                                 "text", jn_json_text(e.text), "value", jn_json_number(e.value),
                                 "unit", e.unit, "line", e.line));
  }
  return list;
}

static json_t *tyres(const look *w)
{
  static const char *const side[] = {"left", "right", "either"};
  json_t *list = json_array();
  for (int t = 0; t < w->n; t++) {
    const jn_tyre_info a = jn_tyre_about(w->tyre[t]);
    const char *slash = a.file ? strrchr(a.file, '/') : NULL;
    jn_json_add(
        &list,
        json_pack("{s:o, s:o, s:s, s:i, s:s, s:s, s:o, s:o}", "name", jn_json_text(a.name), "file",
                  jn_json_text(slash ? slash + 1 : a.file), "kind", a.kind, "version", a.version,
                  "side", side[a.side], "use", jn_tyre_use_text(a.use_mode), "figures",
                  figures(w->tyre[t]), "entries", entries(w->tyre[t])));
  }
  return list;
}

static jn_status put_tyre(FILE *out, void *user, jn_error *err)
{
  const look *w = user;
  json_t *about = json_pack("{s:s, s:{s:o, s:o}}", "version", jn_version(), "tyre", "tyres",
                            tyres(w), "sections", sections(w));
  const jn_status st = jn_page_about(out, about, err);
  json_decref(about);
  return st;
}

jn_status jn_tyre_report_write(const jn_tyre *tyre, const jn_tyre *other, const char *file,
                               jn_error *err)
{
  JN_NEEDS(err, tyre && file, "a tyre and the name of a file");
  look w = {.tyre = {tyre, other}, .n = other ? 2 : 1, .info = jn_tyre_about(tyre)};
  jn_status st = JN_OK;
  for (int i = 0; i < w.n && !st; i++)
    if (w.tyre[i]->own) st = jn_output_check(file, "report", w.tyre[i]->own->files, err);
  if (st) return st;
  set_levels(&w);
  return jn_page_file(file, put_tyre, &w, err);
}
