// tyre.h: all tyre kernels. A kind's parameters are an array in the order of its enum, which is the
// order of its keys in the model file.
#ifndef JN_TYRE_TYRE_H
#define JN_TYRE_TYRE_H

#include "tyre/brake.h"
#include "tyre/brush.h"
#include "tyre/linear.h"
#include "tyre/mf_simple.h"
#include "tyre/vertical.h"

enum { JN_TYRE_FIELDS = TYRE_BRUSH_FIELDS };
_Static_assert(TYRE_MF_FIELDS <= (int)JN_TYRE_FIELDS && TYRE_LINEAR_FIELDS <= (int)JN_TYRE_FIELDS &&
                   TYRE_VERTICAL_FIELDS <= (int)JN_TYRE_FIELDS,
               "the longest list of parameters");

#endif
