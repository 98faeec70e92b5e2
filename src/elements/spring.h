// spring.h: spring, damper and actuator between two points.
#ifndef JN_ELEMENTS_SPRING_H
#define JN_ELEMENTS_SPRING_H

#include "elements/law.h"

#define SPRING_OUTPUTS(X)                         \
  X(length, "m", "between the attachment points") \
  X(rate, "m/s", "rate of the length")            \
  X(force, "N", "tension")

JN_INLINE el_load spring_at(int form, el_numbers p, const el_motion *m)
{
  el_load o;
  const real norm = v3_norm(m->d), one = r_set(1.0), none = r_set(0.0);
  const real inverse =
      r_select(r_lt(none, norm), one / norm, none);  // without a length it pulls nowhere
  o.n = v3_scale(inverse, m->d);
  o.speed = v3_dot(o.n, m->rate);
  o.pull = law_at(form, p, m, norm - el_number(p, LAW_FREE), o.speed);
  o.out[0] = norm, o.out[1] = o.speed, o.out[2] = o.pull;
  return o;
}

#endif
