// rolling_case.h: one tyre of every kind that drives from standstill to standstill, and what tests put on them: a cart on
// four wheels, and one wheel alone whose kernel is asked directly.
#ifndef JN_TEST_ROLLING_H
#define JN_TEST_ROLLING_H

#include <string.h>

#include "elements/tyre/tyre_at.h"
#include "run_case.h"
#include "solve/data.h"

typedef struct rolling_tyre {
  const char *name, *tyre;  // of the kind; of the tyre in the model
  const char *yaml;         // the model's section "tyres", with a place for the damping
  double radius, load;      // unloaded; on each wheel of the cart
  double stiffness;         // vertical
  double inertia;           // of the wheel about its axis
  double nominal;           // load that its damping is given at
} rolling_tyre;

// All are damped alike, whatever their files say: bare, most would bounce for minutes.
#define ROLLING_HMMWV  "file: models/tyres/HMMWV_Pac02Tire.tir, coefficients: {VERTICAL_DAMPING: %g}"
#define ROLLING_SAMPLE "file: models/tyres/sample.tir, coefficients: {VERTICAL_DAMPING: %g}"
#define ROLLING_SEDAN \
  "file: test/tir/data/Sedan_Pac02Tire.tir, coefficients: {VERTICAL_DAMPING: %g}"
#define ROLLING_MF(more) "tyres:\n  t: {type: magic-formula, " more "}\n"

static const rolling_tyre rolling_tyres[] = {
    {"brush", "t",
     "tyres:\n  t: {type: brush, radius: 0.33, stiffness: 2e5, damping: %g, slip_stiffness: 6e4, "
     "cornering_stiffness: 5e4, load: 4e3, friction: 0.9}\n",
     0.33, 4e3, 2e5, 1.2, 4e3},
    {"fiala", "t",
     "tyres:\n  t: {type: fiala, radius: 0.33, stiffness: 2e5, damping: %g, slip_stiffness: 6e4, "
     "cornering_stiffness: 5e4, load: 4e3, friction: 0.95, friction_sliding: 0.7, width: 0.2, "
     "rolling_resistance: 0.005}\n",
     0.33, 4e3, 2e5, 1.2, 4e3},
    {"carpet", "single", "include: models/tyres/truck.yaml\ntyres:\n  single: {damping: %g}\n",
     0.52, 20e3, 1e6, 10, 20e3},
    {"mf 5.2 steady", "t", ROLLING_MF(ROLLING_HMMWV ", use_mode: 4"), 0.4699, 6e3, 441.9e3, 7.4,
     35e3},
    {"mf 5.2 linear", "t", ROLLING_MF(ROLLING_HMMWV ", use_mode: 14"), 0.4699, 6e3, 441.9e3, 7.4,
     35e3},
    {"mf 5.2 nonlinear", "t", ROLLING_MF(ROLLING_HMMWV ", use_mode: 24"), 0.4699, 6e3, 441.9e3, 7.4,
     35e3},
    {"mf 6.1 steady", "t", ROLLING_MF(ROLLING_SAMPLE ", use_mode: 4"), 0.3135, 4e3, 209651, 1.2,
     4e3},
    {"mf 6.1 linear", "t", ROLLING_MF(ROLLING_SAMPLE ", use_mode: 14"), 0.3135, 4e3, 209651, 1.2,
     4e3},
    {"mf 6.1 nonlinear", "t", ROLLING_MF(ROLLING_SAMPLE ", use_mode: 24"), 0.3135, 4e3, 209651, 1.2,
     4e3},
    {"mf 6.1 book", "t", ROLLING_MF(ROLLING_SAMPLE ", use_mode: 14, formulas: book"), 0.3135, 4e3,
     209651, 1.2, 4e3},
    {"mf ellipse", "t", ROLLING_MF(ROLLING_SEDAN ", use_mode: 14, combined: ellipse"), 0.344, 4e3,
     280835.2941, 1.2, 4850},
};
enum { ROLLING_TYRES = sizeof rolling_tyres / sizeof *rolling_tyres };

// A rigid body on four wheels, as heavy as its tyres are meant for. Front wheels are steered. lift: above where it
// stands.
typedef struct rolling_cart {
  double lift, velocity[3], spin;
  double damping;      // vertical, over load; 0: 1 s/m
  const char *wheels;  // more keys of every wheel
} rolling_cart;

static const char *const rolling_wheels[] = {"fl", "fr", "rl", "rr"};

static inline void rolling_cart_text(char *text, size_t size, const rolling_tyre *t, rolling_cart c)
{
  const double mass = 4.0 * t->load / 9.81, z = t->radius - t->load / t->stiffness + c.lift;
  char tyres[512];
  snprintf(tyres, sizeof tyres, t->yaml, (c.damping ? c.damping : 1.0) * t->nominal);
  int n = snprintf(text, size,
                   "jounce: 1\nname: cart on %s\n%sbodies:\n  chassis: {mass: %.17g, cg: [0, 0, "
                   "%.17g], inertia: [%.17g, %.17g, %.17g]}\nforces:\n",
                   t->name, tyres, mass, z + 0.25, 0.3 * mass, 1.2 * mass, 1.4 * mass);
  for (int i = 0; i < 4; i++)
    n += snprintf(
        text + n, size - (size_t)n,
        "  %s: {type: wheel, body: chassis, at: [%g, %g, %.17g], inertia: %g, tyre: %s%s%s}\n",
        rolling_wheels[i], i < 2 ? 1.3 : -1.3, i % 2 ? -0.75 : 0.75, z, t->inertia, t->tyre,
        i < 2 ? ", steered: true" : "", c.wheels ? c.wheels : "");
  if (!c.lift) return;
  n += snprintf(text + n, size - (size_t)n, "initial:\n  chassis: {velocity: [%g, %g, %g]}\n",
                c.velocity[0], c.velocity[1], c.velocity[2]);
  for (int i = 0; i < 4; i++)
    n += snprintf(text + n, size - (size_t)n, "  %s: {speed: %g}\n", rolling_wheels[i], c.spin);
}

// The same input for all wheels.
static inline void rolling_inputs(char *text, size_t size, const char *head, const char *role,
                                  const char *signal)
{
  int n = snprintf(text, size, "jounce: 1\nscenario: x\nend: 600\n%sinputs:\n", head);
  for (int i = 0; i < 4; i++)
    n += snprintf(text + n, size - (size_t)n, "  wheel.%s.%s: %s\n", rolling_wheels[i], role,
                  signal);
}

// What the law of a wheel's tyre says of a load, and of a slip; brush is no law.
static inline tyre_limits rolling_limits(const jn_system *s, const jn_wheel *w, double load)
{
  const int form = w->tyre.form >> ROLL_FORM_BITS;
  const double *p = w->tyre.p + ROLL_FIELDS;
  switch (w->tyre.kind) {
    case JN_TYRE_MAGIC_FORMULA:
      return mf_limits(form, p, s->table, load, 0.0);
    case JN_TYRE_FIALA:
      return fiala_limits(form, p, s->table, load, 0.0);
    case JN_TYRE_CARPET:
      return tabulated_limits(form, p, s->table, load, 0.0);
    default:  // at its nominal load
      p = w->tyre.p;
      return (tyre_limits){
          {p[TYRE_BRUSH_SLIP_STIFFNESS], p[TYRE_BRUSH_CORNERING_STIFFNESS]},
          {p[TYRE_BRUSH_FRICTION], p[TYRE_BRUSH_FRICTION]},
          {p[TYRE_BRUSH_RELAXATION_X], p[TYRE_BRUSH_RELAXATION_Y]},
      };
  }
}

static inline tyre_forces rolling_law(const jn_system *s, const jn_wheel *w, tyre_slip slip)
{
  const int form = w->tyre.form >> ROLL_FORM_BITS;
  const double *p = w->tyre.p + ROLL_FIELDS;
  return w->tyre.kind == JN_TYRE_MAGIC_FORMULA ? mf_forces(form, p, s->table, slip)
         : w->tyre.kind == JN_TYRE_FIALA       ? fiala_forces(form, p, s->table, slip)
                                               : tabulated_forces(form, p, s->table, slip);
}

#endif
