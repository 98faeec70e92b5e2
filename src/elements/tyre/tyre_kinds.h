// tyre_kinds.h: all tyre kernels. Parameters of a kind are an array in the order of its enum: that of its keys in the model
// file, or, of tyres that roll by a law, those of rolling.h and behind them those of the law.
#ifndef JN_ELEMENTS_TYRE_TYRE_KINDS_H
#define JN_ELEMENTS_TYRE_TYRE_KINDS_H

#include "elements/tyre/brake.h"
#include "elements/tyre/brush.h"
#include "elements/tyre/fiala.h"
#include "elements/tyre/linear.h"
#include "elements/tyre/magic_formula.h"
#include "elements/tyre/mf_simple.h"
#include "elements/tyre/rolling.h"
#include "elements/tyre/tabulated.h"
#include "elements/tyre/tyre_plugin.h"
#include "elements/tyre/vertical.h"

// Laws (tyre_law.h): kind in the file; word, whose parameters plan/build_tyres.c fills by set_WORD; what its functions begin with; how many
// parameters it has.
#define TYRE_LAWS(X)                             \
  X(MAGIC_FORMULA, magic_formula, mf, MF_FIELDS) \
  X(FIALA, fiala, fiala, FIALA_FIELDS)           \
  X(CARPET, tabulated, tabulated, TABULATED_FIELDS)

enum { JN_TYRE_FIELDS = ROLL_FIELDS + MF_FIELDS };
#define X(kind, word, law, fields) (int)ROLL_FIELDS + (int)fields <= (int)JN_TYRE_FIELDS &&
_Static_assert(TYRE_LAWS(X) TYRE_MF_FIELDS <= (int)JN_TYRE_FIELDS &&
                   TYRE_LINEAR_FIELDS <= (int)JN_TYRE_FIELDS &&
                   TYRE_VERTICAL_FIELDS <= (int)JN_TYRE_FIELDS &&
                   TYRE_BRUSH_FIELDS <= (int)JN_TYRE_FIELDS,
               "the longest list of parameters");
#undef X

// A tyre that rolls by a law: where it is, what the law can hold there, how it slips, what the law gives.
#define TYRE_BY_LAW(name, law)                                                             \
  JN_INLINE tyre_out name(int form, const real *p, tyre_in in)                             \
  {                                                                                        \
    const int own = form >> ROLL_FORM_BITS;                                                \
    const real *q = p + ROLL_FIELDS;                                                       \
    tyre_rolling k = rolling_of(form, p, &in);                                             \
    const tyre_limits limits = law##_limits(own, q, in.table, k.o.load, k.camber);         \
    const tyre_slip slip = rolling_slip(form, p, &in, &k, limits);                         \
    return rolling_result(form, p, &in, &k, limits, law##_forces(own, q, in.table, slip)); \
  }

#define X(kind, word, law, fields) TYRE_BY_LAW(tyre_##word, law)
TYRE_LAWS(X)
#undef X

#endif
