// tyre_at.h: the kernel of each kind of tyre, for one wheel and for lanes.
#ifndef JN_ELEMENTS_TYRE_TYRE_AT_H
#define JN_ELEMENTS_TYRE_TYRE_AT_H

#include <stdbool.h>

#include "elements/tyre/tyre_kinds.h"
#include "spec/schema.h"

JN_INLINE tyre_out tyre_at(jn_tyre_kind kind, int form, const real *p, tyre_in in)
{
  switch (kind) {
    case JN_TYRE_VERTICAL:
      return tyre_vertical(p, in);
    case JN_TYRE_LINEAR:
      return tyre_linear(p, in);
    case JN_TYRE_MF_SIMPLE:
      return tyre_mf_simple(p, in);
#define X(kind, word, law, fields) \
  case JN_TYRE_##kind:             \
    return tyre_##word(form, p, in);
      TYRE_LAWS(X)
#undef X
    case JN_TYRE_PLUGIN:
      return tyre_by_plugin(form, p, in, NULL);
    default:
      return tyre_brush(p, in);
  }
}

// Is it one of rolling.h, with a law of its own?
JN_INLINE bool tyre_rolls(jn_tyre_kind kind)
{
#define X(own, word, law, fields) kind == JN_TYRE_##own ||
  return TYRE_LAWS(X) kind == JN_TYRE_PLUGIN;
#undef X
}

// Does it follow the profile of the road straight under its centre (road.h: road_follow)?
JN_INLINE bool tyre_follows(jn_tyre_kind kind)
{
  return kind == JN_TYRE_VERTICAL || kind == JN_TYRE_MF_SIMPLE;
}

#endif
