// law.h: force over deflection and rate, of springs and dampers along a line and about a joint.
#ifndef JN_ELEMENTS_LAW_H
#define JN_ELEMENTS_LAW_H

#include "base/curve.h"
#include "elements/element.h"

enum {
  LAW_STIFFNESS,
  LAW_DAMPING,
  LAW_PRELOAD,
  LAW_FREE,          // length or angle without deflection
  LAW_SPRING_CURVE,  // bits of the index of its table, likewise the next one
  LAW_DAMPER_CURVE,
  LAW_TERMS  // coefficients of x, x^2 ..., then those of the rate
};

enum { LAW_MOST_TERMS = 8 };

// Bits of `form`: numbers of coefficients, bisections of each curve and one (0: there is no such curve), an input.
enum {
  LAW_INPUT = 1,
  LAW_DAMPER_STEPS = 7,
  LAW_SPRING_STEPS = 12,
  LAW_NDAMPER = 17,
  LAW_NSPRING = 21
};

JN_INLINE int law_part(int form, int at, int bits)
{
  return form >> at & ((1 << bits) - 1);
}
JN_INLINE int law_nspring(int form)
{
  return law_part(form, LAW_NSPRING, 4);
}
JN_INLINE int law_ndamper(int form)
{
  return law_part(form, LAW_NDAMPER, 4);
}
JN_INLINE int law_fields(int form)
{
  return LAW_TERMS + law_nspring(form) + law_ndamper(form);
}
_Static_assert((int)LAW_TERMS + 2 * (int)LAW_MOST_TERMS <= (int)JN_ELEMENT_FIELDS,
               "a law's numbers");

// Does a deflection give a force?
JN_INLINE bool law_springs(int form, double stiffness)
{
  return stiffness > 0.0 || law_nspring(form) || law_part(form, LAW_SPRING_STEPS, 5);
}

JN_INLINE real law_polynomial(el_numbers p, int first, int n, real x)  // c0 x + c1 x^2 + ...
{
  real y = r_set(0.0);
  for (int i = n - 1; i >= 0; i--) y = r_fma(y, x, el_number(p, first + i) * x);
  return y;
}

JN_INLINE real law_at(int form, el_numbers p, const el_motion *m, real x, real rate)
{
  const int nspring = law_nspring(form), ndamper = law_ndamper(form);
  const int spring = law_part(form, LAW_SPRING_STEPS, 5) - 1,
            damper = law_part(form, LAW_DAMPER_STEPS, 5) - 1;
  real f = r_fma(el_number(p, LAW_STIFFNESS), x,
                 r_fma(el_number(p, LAW_DAMPING), rate, el_number(p, LAW_PRELOAD)));
  if (nspring) f = f + law_polynomial(p, LAW_TERMS, nspring, x);
  if (ndamper) f = f + law_polynomial(p, LAW_TERMS + nspring, ndamper, rate);
  if (spring >= 0) f = f + curve_at(m->table, r_bits(el_number(p, LAW_SPRING_CURVE)), spring, x).y;
  if (damper >= 0)
    f = f + curve_at(m->table, r_bits(el_number(p, LAW_DAMPER_CURVE)), damper, rate).y;
  if (form & LAW_INPUT) f = f + m->input;
  return f;
}

#endif
