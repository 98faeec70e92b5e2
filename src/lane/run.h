// run.h: lists run by one loop and one switch. A file that defines LANE_ENGINE, JN_WIDTH and JN_FUSED includes this: one
// source, one engine for each way of computing.
#include "lane/ops.h"

#if JN_WIDTH == 1
#define LANE_STRIDE 1
#else
#define LANE_STRIDE LANES
#endif

// A list's own pointers, from lane `lane` on. What it writes is nowhere else: without `restrict` every store would be
// followed by loads of parameters anew.
#define LANE_BODY(name)                                                                            \
  static __attribute__((noinline)) void name(                                                      \
      double *restrict w, const double *restrict p, double *restrict q, double *restrict v,        \
      double *restrict x, double *restrict e, double *restrict dq, double *restrict dv,            \
      double *restrict dx, double *restrict de, double *restrict rate, const double *restrict top, \
      const double *restrict in, const double *restrict table,                                     \
      const jn_road *restrict road LANE_BODY_MORE)                                                 \
  {                                                                                                \
    const lane_run k = {w, p, q, v, x, e, dq, dv, dx, de, rate, top, in, table, road}, *r = &k;
#define LANE_CALL(name, run, lane, ...)                                                            \
  name(run->w + lane, run->p + lane, run->q + lane, run->v + lane, run->x + lane, run->e + lane,   \
       run->dq + lane, run->dv + lane, run->dx + lane, run->de + lane, run->rate + lane, run->top, \
       run->in + lane, run->table, run->road __VA_ARGS__)

#define LANE_BODY_MORE , const lane_op *op, const lane_op *end
LANE_BODY(run_ops)
for (const lane_op *o = op; o < end; o++) switch (o->kind) {
#define X(name, word)     \
  case LANE_##name:       \
    op_##word(r, o->arg); \
    break;
    LANE_OPS(X)
#undef X
  }
}
#undef LANE_BODY_MORE
#define LANE_BODY_MORE

static void run_list(const lane_op *op, int nop, int lanes, const lane_run *run)
{
  for (int lane = 0; lane < lanes; lane += LANE_STRIDE)
    LANE_CALL(run_ops, run, lane, , op, op + nop);
}

// Over the lanes in use; at width 1 nobody has written to the others.
static void sum_lanes(const double *out, int lanes, double *sum)
{
#if JN_WIDTH == 1
  (void)lanes;
  for (int f = 0; f < LANE_NSUM; f++)
    sum[f] = (out[LANES * f] + out[LANES * f + 1]) + (out[LANES * f + 2] + out[LANES * f + 3]);
#else
  const real *v = (const real *)__builtin_assume_aligned(out, 32);
  const r_mask used = (r_mask){-1, -(lanes > 1), -(lanes > 2), -(lanes > 3)};
  for (int f = 0; f < LANE_NSUM; f += 4) {  // four fields in four lanes, turned and added
    const real a = r_real(r_bits(v[f]) & used), b = r_real(r_bits(v[f + 1]) & used);
    const real c = r_real(r_bits(v[f + 2]) & used), d = r_real(r_bits(v[f + 3]) & used);
    const real ab =
        __builtin_shufflevector(a, b, 0, 4, 2, 6) + __builtin_shufflevector(a, b, 1, 5, 3, 7);
    const real cd =
        __builtin_shufflevector(c, d, 0, 4, 2, 6) + __builtin_shufflevector(c, d, 1, 5, 3, 7);
    const real all =
        __builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
    *(real *)__builtin_assume_aligned(sum + f, 32) = all;
  }
#endif
}
_Static_assert(LANE_NSUM % 4 == 0, "fields are summed four at a time");

#if JN_WIDTH == 4 && !defined JN_LISTS_ONLY
// Lists compiled in: the same operations in fixed order, with arguments that the compiler knows.
#define PHASE(i, phase, name) LANE_BODY(compiled_lane_##i)
#define OP(kind, word, ...)               \
  {                                       \
    static const int a[] = {__VA_ARGS__}; \
    op_##word(r, a);                      \
    __asm__ volatile("" ::: "memory");    \
  }
#define END }
#include "lane/compiled.inc"
#undef PHASE
#undef OP
#undef END

#define PHASE(i, phase, name)                                                                      \
  static void compiled_##i(int lanes, const lane_run *run)                                         \
  {                                                                                                \
    for (int lane = 0; lane < lanes; lane += LANE_STRIDE) LANE_CALL(compiled_lane_##i, run, lane); \
  }
#define OP(kind, word, ...)
#define END
#include "lane/compiled.inc"
#undef PHASE
#undef OP
#undef END

#define PHASE(i, phase, name) compiled_##i,
#define OP(kind, word, ...)
#define END
static void (*const compiled[])(int lanes, const lane_run *r) = {
#include "lane/compiled.inc"
    NULL};
#undef PHASE
#undef OP
#undef END
#else
static void (*const *const compiled)(int lanes, const lane_run *r) = NULL;  // lists alone
#endif

const lane_engine LANE_ENGINE = {.name = LANE_ENGINE_NAME,
                                 .width = JN_WIDTH,
                                 .list = run_list,
                                 .compiled = compiled,
                                 .sum = sum_lanes};
