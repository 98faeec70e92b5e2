// torsion.h: spring, damper and actuator about a joint's axis; servo, which holds a joint's coordinate to a channel.
#ifndef JN_ELEMENTS_TORSION_H
#define JN_ELEMENTS_TORSION_H

#include "elements/law.h"

#define TORSION_OUTPUTS(X)                   \
  X(angle, "rad", "of the joint it acts in") \
  X(rate, "rad/s", "its rate")               \
  X(force, "N m", "on the second body, against the joint's positive direction")

#define SLIDE_OUTPUTS(X)                      \
  X(position, "m", "of the joint it acts in") \
  X(rate, "m/s", "its rate")                  \
  X(force, "N", "on the second body, against the joint's positive direction")

JN_INLINE el_load torsion_at(int form, el_numbers p, const el_motion *m)
{
  el_load o;
  o.speed = m->v;
  o.pull = law_at(form, p, m, m->x - el_number(p, LAW_FREE), m->v);
  o.out[0] = m->x, o.out[1] = m->v, o.out[2] = o.pull;
  return o;
}

enum { SERVO_STIFFNESS, SERVO_DAMPING, SERVO_FIELDS };

JN_INLINE el_load servo_at(int form, el_numbers p, const el_motion *m)
{
  el_load o;
  (void)form;
  o.speed = m->v;
  o.pull = r_fma(el_number(p, SERVO_STIFFNESS), m->x - m->input,
                 el_number(p, SERVO_DAMPING) * (m->v - m->input_rate));
  o.out[0] = m->x, o.out[1] = m->v, o.out[2] = o.pull;
  return o;
}

#endif
