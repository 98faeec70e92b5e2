// load.h: force on a body; torque between two bodies.
#ifndef JN_ELEMENTS_LOAD_H
#define JN_ELEMENTS_LOAD_H

#include "elements/element.h"

enum { LOAD_VALUE = 0, LOAD_START = 3, LOAD_FIELDS = 4 };  // three components; instant

// Bits of `form`: a channel scales it; its axes are the world's, not the body's; it begins some time.
enum { LOAD_INPUT = 1, LOAD_WORLD = 2, LOAD_STARTS = 4 };

JN_INLINE v3 load_value(int form, el_numbers p, const el_motion *m, m3 axes, bool turned)
{
  v3 value = el_vector(p, LOAD_VALUE);
  if (turned) value = m3_mul_v3(axes, value);
  if (form & LOAD_INPUT) value = v3_scale(m->input, value);
  if (form & LOAD_STARTS)
    value =
        v3_scale(r_select(r_le(el_number(p, LOAD_START), m->time), r_set(1.0), r_set(0.0)), value);
  return value;
}

JN_INLINE el_load push_at(int form, el_numbers p, const el_motion *m)
{
  el_load o;
  o.force = form & LOAD_WORLD ? load_value(form, p, m, m->ra, true)
                              : load_value(form, p, m, m->rb, m->turned_b);
  o.power = v3_dot(o.force, m->velocity[1]);
  return o;
}

// In the axes of the first body.
JN_INLINE el_load couple_at(int form, el_numbers p, const el_motion *m)
{
  el_load o;
  o.moment = load_value(form, p, m, m->ra, m->turned_a);
  o.power = v3_dot(o.moment, v3_sub(m->wb, m->wa));
  return o;
}

#endif
