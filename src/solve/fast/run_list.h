// run_list.h: operation lists run by one loop and one switch. A file that defines LANE_ENGINE, JN_WIDTH and JN_FUSED includes this: one
// source, one engine for each width.
#include "solve/fast/kernels.h"

#if JN_WIDTH == 1
#define LANE_STRIDE 1
#else
#define LANE_STRIDE LANES
#endif

// The same from lane `lane` on; four at once begin at the first and only.
static inline __attribute__((always_inline)) lane_run lane_from(const lane_run *r, int lane)
{
  lane_run k = *r;
  k.w += lane, k.p += lane, k.q += lane, k.v += lane, k.x += lane, k.e += lane, k.in += lane;
  k.shared += lane;
  k.dq += lane, k.dv += lane, k.dx += lane, k.de += lane, k.rate += lane;
  return k;
}

static void run_ops(const lane_op *op, const lane_op *end, const lane_run *r)
{
  for (const lane_op *o = op; o < end; o++) switch (o->kind) {
#define X(name, word)     \
  case LANE_##name:       \
    op_##word(r, o->arg); \
    break;
      LANE_OPS(X)
#undef X
    }
}

static void run_list(const lane_op *op, int nop, int lanes, const lane_run *run)
{
  if (JN_WIDTH == LANES) {
    run_ops(op, op + nop, run);
    return;
  }
  for (int lane = 0; lane < lanes; lane++) {
    const lane_run k = lane_from(run, lane);
    run_ops(op, op + nop, &k);
  }
}

// Four angles from their sines and cosines, or multiples of both.
static void angles(const double *sine, const double *cosine, double *angle)
{
  for (int i = 0; i < LANES; i += JN_WIDTH) {
    real s, c;
    memcpy(&s, sine + i, sizeof s);
    memcpy(&c, cosine + i, sizeof c);
    s = r_atan2(s, c);
    memcpy(angle + i, &s, sizeof s);
  }
}

#if JN_WIDTH == 4
// Four fields in four lanes, turned and added.
JN_INLINE real turn_and_add(real a, real b, real c, real d)
{
  const real ab =
      __builtin_shufflevector(a, b, 0, 4, 2, 6) + __builtin_shufflevector(a, b, 1, 5, 3, 7);
  const real cd =
      __builtin_shufflevector(c, d, 0, 4, 2, 6) + __builtin_shufflevector(c, d, 1, 5, 3, 7);
  return __builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
}
#endif

// Over the lanes in use; at width 1 nobody has written to the others.
static void sum_lanes(const double *out, int lanes, double *sum)
{
#if JN_WIDTH == 1
  (void)lanes;
  for (int f = 0; f < LANE_NSUM; f++)
    sum[f] = (out[LANES * f] + out[LANES * f + 1]) + (out[LANES * f + 2] + out[LANES * f + 3]);
#else
  const real *v = (const real *)__builtin_assume_aligned(out, 32);
  real *to = (real *)__builtin_assume_aligned(sum, 32);
  if (lanes == LANES) {  // nothing to be left out
    for (int f = 0; f < LANE_NSUM; f += 4)
      to[f / 4] = turn_and_add(v[f], v[f + 1], v[f + 2], v[f + 3]);
    return;
  }
  const r_mask used = (r_mask){-1, -(lanes > 1), -(lanes > 2), -(lanes > 3)};
  for (int f = 0; f < LANE_NSUM; f += 4)
    to[f / 4] = turn_and_add(r_real(r_bits(v[f]) & used), r_real(r_bits(v[f + 1]) & used),
                             r_real(r_bits(v[f + 2]) & used), r_real(r_bits(v[f + 3]) & used));
#endif
}
_Static_assert(LANE_NSUM % 4 == 0, "fields are summed four at a time");

#if JN_WIDTH == 4 && !defined JN_LISTS_ONLY
// Precompiled operation lists: the same operations in fixed order, with arguments that the compiler knows.
#define PHASE(i, phase, name)                 \
  static void compiled_##i(const lane_run *r) \
  {
#define OP(kind, word, ...)               \
  {                                       \
    static const int a[] = {__VA_ARGS__}; \
    op_##word(r, a);                      \
    __asm__ volatile("" ::: "memory");    \
  }
#define END }
#include "solve/fast/precompiled.inc"
#undef PHASE
#undef OP
#undef END

#define PHASE(i, phase, name) compiled_##i,
#define OP(kind, word, ...)
#define END
static void (*const compiled[])(const lane_run *r) = {
#include "solve/fast/precompiled.inc"
    NULL};
#undef PHASE
#undef OP
#undef END
#else
static void (*const *const compiled)(const lane_run *r) = NULL;  // operation lists alone
#endif

const lane_engine LANE_ENGINE = {.name = LANE_ENGINE_NAME,
                                 .width = JN_WIDTH,
                                 .list = run_list,
                                 .angles = angles,
                                 .compiled = compiled,
                                 .sum = sum_lanes};
