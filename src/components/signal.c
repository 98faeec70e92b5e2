// signal.c: functions of time from their descriptions to tables, and from tables to values.
#include "components/signal.h"

#include <math.h>
#include <stdio.h>

#include "base/curve.h"
#include "base/rmath.h"

// A table begins with these; the points of a `table` follow, as base/curve.h has them.
enum {
  KIND,
  START,  // of a step: its instant
  END,
  VALUE,  // before START
  AFTER,  // from END
  A,      // ramp: slope; sine, chirp: amplitude; table: bisections
  B,      // sine, chirp: angular frequency at START
  C,      // sine: phase at START; chirp: rate of the angular frequency
  HEAD,   // one cache line, so that the points are aligned if the table is
};

static const double TWO_PI = 6.283185307179586477;

static const jn_curve_method methods[] = {JN_CURVE_LINEAR, JN_CURVE_AKIMA, JN_CURVE_MONOTONE};
static const jn_curve_end ends[] = {JN_CURVE_HOLD, JN_CURVE_EXTEND};  // in the order of the words

jn_signal_spec jn_signal_from_curve(const jn_curve_spec *curve, jn_pos pos)
{
  jn_signal_spec spec = {.pos = pos, .kind = JN_SIGNAL_TABLE};
  spec.as.table.points = *curve;
  spec.as.table.method = curve->method;
  spec.as.table.outside = curve->outside;
  return spec;
}

size_t jn_signal_doubles(const jn_signal_spec *spec)
{
  if (spec->kind != JN_SIGNAL_TABLE) return HEAD;
  int steps = jn_curve_steps(spec->as.table.points.n);
  return HEAD +
         (steps > JN_CURVE_MAX_STEPS ? 0 : jn_curve_doubles(steps));  // else build refuses it
}

// ---- building -----------------------------------------------------------------------------------

static jn_status build_table(double *table, const jn_signal_spec *spec, const char *path,
                             jn_error *err)
{
  const jn_signal_table_spec *s = &spec->as.table;
  const jn_curve_def def = {
      .n = s->points.n,
      .x = s->points.x,
      .y = s->points.y,
      .method = methods[s->method],
      .below = ends[s->outside],
      .above = ends[s->outside],
      .pos = spec->pos,
      .path = path,
  };
  int steps = jn_curve_steps(s->points.n);
  table[A] = steps;
  return jn_curve_build(table + HEAD, steps, &def, err);
}

// Of a sine whose angular frequency goes up to `omega`.
static bool is_bounded(double amplitude, double offset, double omega)
{
  return isfinite(fabs(amplitude) + fabs(offset)) && isfinite(amplitude * omega * omega);
}

jn_status jn_signal_build(double *table, const jn_signal_spec *spec, jn_error *err)
{
  char path[160] = "";
  bool bounded = true;
  if (spec->name) snprintf(path, sizeof path, "inputs.%s", spec->name);
  for (int i = 0; i < HEAD; i++) table[i] = 0.0;
  table[KIND] = spec->kind;
  switch (spec->kind) {
    case JN_SIGNAL_CONSTANT:
      table[VALUE] = spec->as.constant.value;
      break;
    case JN_SIGNAL_STEP: {
      const jn_signal_step_spec *s = &spec->as.step;
      table[START] = s->at, table[VALUE] = s->from, table[AFTER] = s->to;
      break;
    }
    case JN_SIGNAL_RAMP: {
      const jn_signal_ramp_spec *s = &spec->as.ramp;
      table[START] = s->start, table[END] = s->end, table[VALUE] = s->from, table[AFTER] = s->to;
      table[A] = (s->to - s->from) / (s->end - s->start);
      bounded = isfinite(table[A]) && isfinite(s->end - s->start);
      break;
    }
    case JN_SIGNAL_SINE: {
      const jn_signal_sine_spec *s = &spec->as.sine;
      table[START] = s->start, table[END] = s->end, table[VALUE] = table[AFTER] = s->offset;
      table[A] = s->amplitude, table[B] = TWO_PI * s->frequency, table[C] = s->phase;
      bounded = is_bounded(s->amplitude, s->offset, table[B]);
      break;
    }
    case JN_SIGNAL_CHIRP: {
      const jn_signal_chirp_spec *s = &spec->as.chirp;
      const double *f = s->frequencies;
      table[START] = s->start, table[END] = s->end, table[VALUE] = table[AFTER] = s->offset;
      table[A] = s->amplitude, table[B] = TWO_PI * f[0];
      table[C] = TWO_PI * (f[1] - f[0]) / (s->end - s->start);
      bounded = is_bounded(s->amplitude, s->offset, TWO_PI * fmax(f[0], f[1])) &&
                isfinite(s->amplitude * table[C]) && isfinite(s->end - s->start);
      break;
    }
    case JN_SIGNAL_TABLE:
      return build_table(table, spec, path[0] ? path : NULL, err);
    case JN_NSIGNAL_KIND:
      break;
  }
  if (bounded) return JN_OK;
  return jn_fail(err, JN_E_RANGE, spec->pos, path[0] ? path : NULL,
                 "changes so fast that a double cannot hold its rate or its acceleration");
}

// ---- evaluating ---------------------------------------------------------------------------------

// Angle of the sine is angle + speed tau + ..., tau from START, where its rates are these.
static jn_signal_value sine_at(const double *table, double angle, double speed, double rise)
{
  r_sin_cos sc = r_sincos(angle);
  double a = table[A];
  return (jn_signal_value){table[VALUE] + a * sc.sin, a * speed * sc.cos,
                           a * (rise * sc.cos - speed * speed * sc.sin)};
}

jn_signal_value jn_signal_at(const double *table, double t)
{
  const jn_signal_kind kind = (jn_signal_kind)table[KIND];
  jn_signal_value v = {0};
  if (kind == JN_SIGNAL_TABLE) {
    v.value = jn_curve_at2(table + HEAD, (int)table[A], t, &v.rate, &v.accel);
    return v;
  }
  v.value = table[VALUE];
  if (kind == JN_SIGNAL_CONSTANT || t < table[START]) return v;
  double tau = t - table[START];
  if (kind == JN_SIGNAL_STEP || t >= table[END]) {
    v.value = table[AFTER];
  } else if (kind == JN_SIGNAL_RAMP) {
    v.value += table[A] * tau;
    v.rate = table[A];
  } else if (kind == JN_SIGNAL_SINE) {
    v = sine_at(table, table[C] + table[B] * tau, table[B], 0.0);
  } else {  // the integral of B + C tau
    v = sine_at(table, (table[B] + 0.5 * table[C] * tau) * tau, table[B] + table[C] * tau,
                table[C]);
  }
  return v;
}

// ---- breakpoints --------------------------------------------------------------------------------------

typedef struct breakpoints {
  double from, to;
  double *at;
  int n;
} breakpoints;

static void add(breakpoints *k, double t)
{
  if (!(t > k->from && t < k->to)) return;
  if (k->at) k->at[k->n] = t;
  k->n++;
}

typedef struct slope {
  double value, slack;  // slack: what it may be off because the points were rounded
} slope;

// From point i to the next. A coordinate is off by half of its last digit, the difference of two by
// as much as both together, and the quotient by its own rounding.
static slope slope_from(const jn_curve_spec *c, int i)
{
  const double *x = c->x + i, *y = c->y + i, h = x[1] - x[0], m = (y[1] - y[0]) / h;
  double off = fabs(y[0]) + fabs(y[1]) + fabs(m) * (fabs(x[0]) + fabs(x[1]));
  return (slope){m, 0x1p-52 * (off / h + fabs(m))};
}

static void add_points(breakpoints *k, const jn_signal_table_spec *s)
{
  const jn_curve_spec *c = &s->points;
  const int last = c->n - 1;
  const bool hold = ends[s->outside] == JN_CURVE_HOLD;
  for (int i = 0; i <= last; i++) {
    slope left = slope_from(c, i > 0 ? i - 1 : 0), right = slope_from(c, i < last ? i : last - 1);
    if (i == 0 && hold) left = (slope){0};
    if (i == last && hold) right = (slope){0};
    if (methods[s->method] != JN_CURVE_LINEAR ||
        fabs(right.value - left.value) > left.slack + right.slack)
      add(k, c->x[i]);
  }
}

int jn_signal_breakpoints(const jn_signal_spec *spec, double from, double to, double *at)
{
  breakpoints k = {.from = from, .to = to, .at = at};
  switch (spec->kind) {
    case JN_SIGNAL_STEP:
      if (spec->as.step.from != spec->as.step.to) add(&k, spec->as.step.at);
      break;
    case JN_SIGNAL_RAMP:
      if (spec->as.ramp.from == spec->as.ramp.to) break;
      add(&k, spec->as.ramp.start);
      add(&k, spec->as.ramp.end);
      break;
    case JN_SIGNAL_SINE:  // value and rate of a sine are never both zero
      if (spec->as.sine.amplitude == 0.0) break;
      add(&k, spec->as.sine.start);
      add(&k, spec->as.sine.end);
      break;
    case JN_SIGNAL_CHIRP:  // where its frequency is zero, it has an acceleration
      if (spec->as.chirp.amplitude == 0.0 ||
          (spec->as.chirp.frequencies[0] == 0.0 && spec->as.chirp.frequencies[1] == 0.0))
        break;
      add(&k, spec->as.chirp.start);
      add(&k, spec->as.chirp.end);
      break;
    case JN_SIGNAL_TABLE:
      add_points(&k, &spec->as.table);
      break;
    case JN_SIGNAL_CONSTANT:
    case JN_NSIGNAL_KIND:
      break;
  }
  return k.n;
}
