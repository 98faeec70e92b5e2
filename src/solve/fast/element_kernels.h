// element_kernels.h: force elements in lanes: an operation for each kind, from its kernel (elements/) and the loader and the
// writer of its ends. Part of kernels.h.
//
// Elements act on the group's bodies only: what one does to the parent body is opposite, and the sum of both is nil. What
// comes from outside of both counts as `outside` too.
#include "elements/element_kinds.h"

enum {  // arguments of an element; those of its ends follow
  ELEMENT_P,
  ELEMENT_FORM,
  ELEMENT_INPUT,  // -1: none
  ELEMENT_RATE,   // of the input
  ELEMENT_POWER,
  ELEMENT_ENDS
};

enum {  // of an end on a body
  END_P_AT,
  END_R,  // what lane_point_at takes for the rotation
  END_P,
  END_V,
  END_FORCE,  // -1: on the parent body
  END_TURN,   // rotation, -1: the parent body's
  END_NARG
};

JN_INLINE v3 lane_end_at(const lane_run *r, const int *a)
{
  return lane_point_at(r, a[END_R], a[END_P], a[END_P_AT]);
}
JN_INLINE v3 lane_end_turning(const lane_run *r, const int *a)
{
  return a[END_V] >= 0 ? lane_v3(r->w, a[END_V]) : lane_nil();
}

// Ends a and b, by their arguments; at: their places.
JN_INLINE void lane_load_LINE(const lane_run *r, const int *a, el_motion *m, v3 at[2])
{
  const int *b = a + END_NARG;
  at[0] = lane_end_at(r, a), at[1] = lane_end_at(r, b);
  m->d = v3_sub(at[1], at[0]);
  m->rate = lane_nil();
  if (b[END_V] >= 0) {
    const sv v = lane_sv(r->w, b[END_V]);
    m->rate = v3_cross_add(v.a, at[1], v.l);
  }
  if (a[END_V] >= 0) {
    const sv v = lane_sv(r->w, a[END_V]);
    m->rate = v3_sub(m->rate, v3_cross_add(v.a, at[0], v.l));
  }
}
JN_INLINE void lane_apply_LINE(const lane_run *r, const int *a, const el_load *o, const v3 at[2],
                               int power)
{
  const int *b = a + END_NARG;
  const v3 f = v3_scale(o->pull, o->n);
  if (a[END_FORCE] >= 0) lane_add_sv(r->w, a[END_FORCE], sv_make(v3_cross(at[0], f), f));
  if (b[END_FORCE] >= 0) lane_add_sv(r->w, b[END_FORCE], sv_neg(sv_make(v3_cross(at[1], f), f)));
  W(power) = r_fma(-o->pull, o->speed, W(power));
}

JN_INLINE void lane_load_PAIR(const lane_run *r, const int *a, el_motion *m, v3 at[2])
{
  const int *b = a + END_NARG;
  (void)at;
  m->turned_a = a[END_TURN] >= 0, m->turned_b = b[END_TURN] >= 0;
  m->ra = m->turned_a ? lane_m3(r->w, a[END_TURN]) : m3_identity();
  m->rb = m->turned_b ? lane_m3(r->w, b[END_TURN]) : m3_identity();
  m->wa = lane_end_turning(r, a), m->wb = lane_end_turning(r, b);
}
JN_INLINE void lane_apply_PAIR(const lane_run *r, const int *a, const el_load *o, const v3 at[2],
                               int power)
{
  const int *b = a + END_NARG;
  const int fa = a[END_FORCE], fb = b[END_FORCE];
  (void)at;
  if (fa >= 0) lane_put_v3(r->w, fa, v3_sub(lane_v3(r->w, fa), o->moment));
  if (fb >= 0) lane_put_v3(r->w, fb, v3_add(lane_v3(r->w, fb), o->moment));
  W(power) = W(power) + o->power;
}

JN_INLINE void lane_load_FRAME(const lane_run *r, const int *a, el_motion *m, v3 at[2])
{
  lane_load_LINE(r, a, m, at);
  lane_load_PAIR(r, a, m, at);
}
JN_INLINE void lane_apply_FRAME(const lane_run *r, const int *a, const el_load *o, const v3 at[2],
                                int power)
{
  const int *b = a + END_NARG;
  const int fa = a[END_FORCE], fb = b[END_FORCE];
  const sv f = sv_make(v3_cross_add(at[1], o->force, o->moment), o->force);
  if (fa >= 0) lane_put_sv(r->w, fa, sv_sub(lane_sv(r->w, fa), f));
  if (fb >= 0) lane_add_sv(r->w, fb, f);
  W(power) = W(power) + o->power;
}

// In the parent body's axes, as everything; its own motion counts, because the force comes from outside.
JN_INLINE void lane_load_BODY(const lane_run *r, const int *a, el_motion *m, v3 at[2])  // b outside
{
  const v3 w0 = lane_top(r, LANE_PARENT_W), v0 = lane_top(r, LANE_PARENT_V);
  at[1] = lane_end_at(r, a);
  sv v = sv_make(w0, lane_nil());
  if (a[END_V] >= 0) v = sv_add(v, lane_sv(r->w, a[END_V]));
  m->velocity[1] = v3_add(v0, v3_cross_add(v.a, at[1], v.l));
  m->turned_b = a[END_TURN] >= 0;
  m->rb = m->turned_b ? lane_m3(r->w, a[END_TURN]) : m3_identity();
  m->ra = m3_columns(lane_top(r, LANE_PARENT_R), lane_top(r, LANE_PARENT_R + 3),
                     lane_top(r, LANE_PARENT_R + 6));
}
JN_INLINE void lane_apply_BODY(const lane_run *r, const int *a, const el_load *o, const v3 at[2],
                               int power)
{
  const sv f = sv_make(v3_cross(at[1], o->force), o->force);
  lane_add_sv(r->w, a[END_FORCE], f);
  lane_add_sv(r->w, a[END_NARG], f);
  W(power) = W(power) + o->power;
}

// In a joint, on its coordinate: force on each z that moves it.
JN_INLINE void lane_load_COORDINATE(const lane_run *r, const int *a, el_motion *m, v3 at[2])
// q_ turns u n (T Q)...
{
  (void)at;
  m->x = LANE_OF(r->q, a[0]);
  if (a[1] >= 0) m->x = r_fma(r_set(6.283185307179586), W(a[1]), m->x);
  m->v = W(a[2]);
}
JN_INLINE void lane_apply_COORDINATE(const lane_run *r, const int *a, const el_load *o,
                                     const v3 at[2], int power)
{
  (void)at;
  for (int i = 0; i < a[3]; i++) {
    const int t = a[4 + 2 * i], q = a[5 + 2 * i];
    W(q) = t == -2 ? W(q) - o->pull : r_fma(-o->pull, W(t), W(q));
  }
  W(power) = r_fma(-o->pull, o->speed, W(power));
}

JN_INLINE el_motion lane_inputs(const lane_run *r, const int *a)
{
  el_motion m = {.table = r->table, .time = PARENT(LANE_PARENT_TIME)};
  if (a[ELEMENT_INPUT] >= 0) m.input = LANE_OF(r->in, a[ELEMENT_INPUT]);
  if (a[ELEMENT_RATE] >= 0) m.input_rate = LANE_OF(r->in, a[ELEMENT_RATE]);
  return m;
}

// Once more for rows of channels, whose outputs are stored and whose load is not: the same bits.
#define ONE(name, unit, help)              +1
#define ELEMENT(kind, word, ends, outputs) LANE_ENDS_##ends(ELEMENT_OPS(word, ends, 0 outputs(ONE)))
#define ELEMENT_OPS(word, ends, count)                                              \
  JN_INLINE el_load lane_##word(const lane_run *r, const int *a, v3 at[2])          \
  {                                                                                 \
    const el_numbers p = {&P(a[ELEMENT_P]), JN_WIDTH == LANES ? 1 : LANES};         \
    el_motion m = lane_inputs(r, a);                                                \
    lane_load_##ends(r, a + ELEMENT_ENDS, &m, at);                                  \
    return word##_at(a[ELEMENT_FORM], p, &m);                                       \
  }                                                                                 \
  OP op_##word(const lane_run *r, const int *a)                                     \
  {                                                                                 \
    v3 at[2];                                                                       \
    const el_load o = lane_##word(r, a, at);                                        \
    lane_apply_##ends(r, a + ELEMENT_ENDS, &o, at, a[ELEMENT_POWER]);               \
  }                                                                                 \
  OP op_##word##_row(const lane_run *r, const int *row) /* field, as the element */ \
  {                                                                                 \
    v3 at[2];                                                                       \
    const el_load o = lane_##word(r, row + 1, at);                                  \
    for (int i = 0; i < (count); i++) W(row[0] + i) = o.out[i];                     \
  }
JN_ELEMENT_KINDS(ELEMENT)
#undef ELEMENT
#undef ELEMENT_OPS
#undef ONE
