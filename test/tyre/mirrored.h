// mirrored.h: a wheel and its mirror image.
#ifndef JN_TEST_MIRRORED_H
#define JN_TEST_MIRRORED_H

#include "elements/tyre/contact.h"

// y -> -y: vectors turn y, axial ones x and z; the axis still points to the left.
static inline tyre_in mirrored(tyre_in a)
{
  tyre_in b = a;
  b.axis = v3_make(-a.axis.x, a.axis.y, -a.axis.z);
  b.velocity.y = -a.velocity.y, b.normal.y = -a.normal.y, b.forward.y = -a.forward.y;
  b.omega = v3_make(-a.omega.x, a.omega.y, -a.omega.z);
  b.state[1] = -a.state[1];
  return b;
}

#endif
