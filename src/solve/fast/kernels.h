// kernels.h: the operations of an operation list, each an inline function of values, against `real`.
//
// Arguments are offsets of fields: of parameters where the name begins with p_, of state where it begins with q_, v_ or
// x_, else of the workspace; -1 stands for what is not there: the parent itself, whose pose is the identity and whose
// motion is nil. A screw S or a motion V is six fields, angular first, about the parent's point.
#ifndef JN_SOLVE_FAST_KERNELS_H
#define JN_SOLVE_FAST_KERNELS_H

#include "base/curve.h"
#include "base/quat.h"
#include "base/rmath.h"
#include "base/small.h"
#include "base/spatial.h"
#include "elements/wheel.h"
#include "joints/joint_rows.h"
#include "solve/fast/operations.h"
#include "spec/schema.h"

#if JN_WIDTH == 4
#define LANE(base, f)    (((real *)__builtin_assume_aligned(base, 32))[f])
#define LANE_OF(base, f) (((const real *)__builtin_assume_aligned(base, 32))[f])
#else
#define LANE(base, f)    ((base)[LANES * (f)])
#define LANE_OF(base, f) ((base)[LANES * (f)])
#endif

#define W(f)      LANE(r->w, f)
#define P(f)      LANE_OF(r->p, f)
#define PARENT(i) r_set(r->parent[i])
// What is seldom run stands apart, so that all else is inlined into the loop over a list.
#define LANE_APART static __attribute__((noinline, unused)) void
#define OP         JN_INLINE void  // (run, arguments)

JN_INLINE v3 lane_v3(const double *base, int f)
{
  return v3_make(LANE_OF(base, f), LANE_OF(base, f + 1), LANE_OF(base, f + 2));
}
JN_INLINE void lane_put_v3(double *base, int f, v3 a)
{
  LANE(base, f) = a.x, LANE(base, f + 1) = a.y, LANE(base, f + 2) = a.z;
}
JN_INLINE m3 lane_m3(const double *base, int f)
{
  return m3_rows(lane_v3(base, f), lane_v3(base, f + 3), lane_v3(base, f + 6));
}
JN_INLINE void lane_put_m3(double *base, int f, m3 a)
{
  lane_put_v3(base, f, a.x), lane_put_v3(base, f + 3, a.y), lane_put_v3(base, f + 6, a.z);
}
JN_INLINE sv lane_sv(const double *base, int f)
{
  return sv_make(lane_v3(base, f), lane_v3(base, f + 3));
}
JN_INLINE void lane_put_sv(double *base, int f, sv a)
{
  lane_put_v3(base, f, a.a), lane_put_v3(base, f + 3, a.l);
}
JN_INLINE void lane_add_sv(double *base, int f, sv a)
{
  lane_put_sv(base, f, sv_add(lane_sv(base, f), a));
}
JN_INLINE s3 lane_s3(const double *base, int f)
{
  return s3_make(LANE_OF(base, f), LANE_OF(base, f + 1), LANE_OF(base, f + 2), LANE_OF(base, f + 3),
                 LANE_OF(base, f + 4), LANE_OF(base, f + 5));
}
JN_INLINE void lane_put_s3(double *base, int f, s3 a)
{
  LANE(base, f) = a.xx, LANE(base, f + 1) = a.yy, LANE(base, f + 2) = a.zz;
  LANE(base, f + 3) = a.xy, LANE(base, f + 4) = a.xz, LANE(base, f + 5) = a.yz;
}
JN_INLINE v3 lane_top(const lane_run *r, int i)
{
  return v3_make(PARENT(i), PARENT(i + 1), PARENT(i + 2));
}
JN_INLINE v3 lane_nil(void)
{
  return v3_set(0, 0, 0);
}
JN_INLINE sv lane_motion_of(const lane_run *r, int f)  // -1: the parent's own
{
  return f < 0 ? sv_make(lane_nil(), lane_nil()) : lane_sv(r->w, f);
}

// A point of a body: place + R at, either of which may be the parent's. Of a body hinged on the parent it goes round a circle,
// b0 + b1 cos + b2 sin, and `rotation` is CIRCLE less the field of the two.
JN_INLINE v3 lane_point_at(const lane_run *r, int rotation, int place, int p_at)
{
  if (rotation <= LANE_CIRCLE) {
    const int at = LANE_CIRCLE - rotation;
    return v3_axpy(W(at + 1), lane_v3(r->p, p_at + 6),
                   v3_axpy(W(at), lane_v3(r->p, p_at + 3), lane_v3(r->p, p_at)));
  }
  v3 at = lane_v3(r->p, p_at);
  if (rotation >= 0) at = m3_mul_v3(lane_m3(r->w, rotation), at);
  return place >= 0 ? v3_add(lane_v3(r->w, place), at) : at;
}
JN_INLINE v3 lane_direction(const lane_run *r, int rotation, int p_axis)
{
  v3 u = lane_v3(r->p, p_axis);
  return rotation >= 0 ? m3_mul_v3(lane_m3(r->w, rotation), u) : u;
}

// ---- joints: pose of the body, screws of the coordinates ------------------------------------------

typedef struct lane_screws {
  double *w;
  int s, circle;  // first screw, cosine and sine; -1: nobody wants them
} lane_screws;

JN_INLINE void lane_put_screw(lane_screws to, int i, v3 a, v3 l)
{
  if (to.s >= 0) lane_put_sv(to.w, to.s + 6 * i, sv_make(a, l));
}
JN_INLINE void lane_put_circle(lane_screws to, real cosine, real sine)
{
  if (to.circle >= 0) LANE(to.w, to.circle) = cosine, LANE(to.w, to.circle + 1) = sine;
}
#define JOINT_MOVE                  lane_move
#define JOINT_TO                    lane_screws
#define JOINT_Q(q, i)               LANE_OF(q, i)
#define JOINT_TURNING(to, i, u, p)  lane_put_screw(to, i, u, v3_cross(p, u))
#define JOINT_SLIDING(to, i, u)     lane_put_screw(to, i, lane_nil(), u)
#define JOINT_SCREW(to, i, u, p, h) lane_put_screw(to, i, u, v3_axpy(h, u, v3_cross(p, u)))
#define JOINT_CIRCLE(to, c, s)      lane_put_circle(to, c, s)
#include "joints/moves.h"

JN_INLINE void lane_joint(const lane_run *r, const int *a, const int kind, const bool turned)
{
  const jn_move_shape *m = jn_joint_shapes[kind].move;
  const lane_screws to = {r->w, a[8], a[9]};
  joint_at k = {turned ? lane_m3(r->w, a[4]) : m3_identity(), lane_point_at(r, a[4], a[5], a[2]),
                turned};
  int q = a[1], p = a[3], s = 0;
#define MOVE(i)                                                                         \
  if (m[i].kind != JN_MOVE_END) {                                                       \
    const bool screw = m[i].kind == JN_MOVE_SCREW, three = m[i].kind == JN_MOVE_SLIDES; \
    const bool has = m[i].kind != JN_MOVE_SPHERE && !three;                             \
    const joint_numbers n = {has ? lane_v3(r->p, p) : lane_nil(), lane_nil(),           \
                             screw ? P(p + 3) : r_set(0.0)};                            \
    k = lane_move(k, m[i].kind, screw, n, a[10] ? r->shared : r->q, q, to, s);          \
    q += three ? 3 : 1, s += three ? 3 : 1, p += screw ? 4 : 3;                         \
  }
  MOVE(0)
  MOVE(1)
  MOVE(2)
#undef MOVE
  if (a[6] >= 0) lane_put_m3(r->w, a[6], k.r);
  if (a[7] >= 0) lane_put_v3(r->w, a[7], k.p);
}
// On the parent the joint's point and the screws of a single move are constants that stand in the workspace from the beginning.
OP op_joint(const lane_run *r, const int *a)
// kind q_ p_at p_directions R_up P_up R P S cos_sin shared; directions one after the other, pitch behind a screw's; q_ of a
// shared joint is among the numbers of such joints
{
  switch (a[0] * 2 + (a[4] >= 0)) {
#define CASE(kind, ...)                       \
  case JN_JOINT_##kind * 2:                   \
    lane_joint(r, a, JN_JOINT_##kind, false); \
    break;                                    \
  case JN_JOINT_##kind * 2 + 1:               \
    lane_joint(r, a, JN_JOINT_##kind, true);  \
    break;
    JN_JOINT_KINDS(CASE)
#undef CASE
  }
}
// ---- cut joints: residuals and rows -----------------------------------------------------------------
// Rows are filled column by column, for each coordinate between the two ends: S, end (0 a, 1 b), column, sign.

OP op_point(const lane_run *r, const int *a)
// p_at_a R_a P_a p_at_b R_b P_b at_a at_b side(3) J(3) n (S end column sign)...
{
  const v3 pa = lane_point_at(r, a[1], a[2], a[0]), pb = lane_point_at(r, a[4], a[5], a[3]);
  lane_put_v3(r->w, a[6], pa);
  lane_put_v3(r->w, a[7], pb);
  const v3 open = v3_sub(pa, pb);
  W(a[8] + 1) = open.x, W(a[9] + 1) = open.y, W(a[10] + 1) = open.z;
  for (int k = 0; k < a[14]; k++) {
    const int *c = a + 15 + 4 * k;
    const sv s = lane_sv(r->w, c[0]);
    v3 x = v3_cross_add(s.a, c[1] ? pb : pa, s.l);
    if (c[3] < 0) x = v3_neg(x);
    W(a[11] + c[2]) = x.x, W(a[12] + c[2]) = x.y, W(a[13] + c[2]) = x.z;
  }
}
OP op_distance(const lane_run *r, const int *a)
// p_at_a R_a P_a p_at_b R_b P_b at_a at_b side J p_length direction n (S end column sign)...
{
  const v3 pa = lane_point_at(r, a[1], a[2], a[0]), pb = lane_point_at(r, a[4], a[5], a[3]);
  const real length = P(a[10]), inverse = P(a[10] + 1);
  const v3 d = v3_sub(pb, pa), e = v3_scale(inverse, d);
  lane_put_v3(r->w, a[6], pa);
  lane_put_v3(r->w, a[7], pb);
  lane_put_v3(r->w, a[11], e);
  W(a[8] + 1) = row_distance(d, e, length);
  for (int k = 0; k < a[12]; k++) {
    const int *c = a + 13 + 4 * k;
    const sv s = lane_sv(r->w, c[0]);
    const real x = v3_dot(e, v3_cross_add(s.a, c[1] ? pb : pa, s.l));
    W(a[9] + c[2]) = c[3] < 0 ? -x : x;
  }
}
OP op_along(const lane_run *r, const int *a)
// p_at_a R_a P_a p_at_b R_b P_b at_b side J p_along direction p_value R_along n (S end column sign)...
{
  const v3 pa = lane_point_at(r, a[1], a[2], a[0]), pb = lane_point_at(r, a[4], a[5], a[3]);
  const v3 f = lane_direction(r, a[12], a[9]);
  lane_put_v3(r->w, a[6], pb);
  lane_put_v3(r->w, a[10], f);
  W(a[7] + 1) = row_along(v3_sub(pb, pa), f, P(a[11]));
  for (int k = 0; k < a[13]; k++) {
    const int *c = a + 14 + 4 * k;
    const sv s = lane_sv(r->w, c[0]);
    const real x = v3_dot(f, v3_cross_add(s.a, pb, s.l));
    W(a[8] + c[2]) = c[3] < 0 ? -x : x;
  }
}
OP op_between(const lane_run *r, const int *a)
// p_x R_a p_y R_b x y side J p_value n (S end column sign)...
{
  const v3 x = lane_direction(r, a[1], a[0]), y = lane_direction(r, a[3], a[2]);
  const v3 n = row_between_moment(x, y);
  lane_put_v3(r->w, a[4], x);
  lane_put_v3(r->w, a[5], y);
  W(a[6] + 1) = row_between(x, y, P(a[8]));
  for (int k = 0; k < a[9]; k++) {
    const int *c = a + 10 + 4 * k;
    const real t = v3_dot(n, lane_v3(r->w, c[0]));
    W(a[7] + c[2]) = c[3] < 0 ? -t : t;
  }
}

// Second rates of the rows with all coordinates' accelerations left aside, as right-hand sides. A row's side is two
// fields: this one, and what is open, with its sign changed.

JN_INLINE v3 lane_acceleration(sv v, sv bias, v3 at)  // of a body's point
{
  return row_acceleration(v.a, v3_cross_add(v.a, at, v.l), v3_cross_add(bias.a, at, bias.l));
}
OP op_point_bias(const lane_run *r, const int *a)  // at_a at_b V_a B_a V_b B_b side(3)
{
  const v3 pa = lane_v3(r->w, a[0]), pb = lane_v3(r->w, a[1]);
  v3 x = lane_acceleration(lane_motion_of(r, a[4]), lane_motion_of(r, a[5]), pb);
  if (a[2] >= 0) x = v3_sub(x, lane_acceleration(lane_sv(r->w, a[2]), lane_motion_of(r, a[3]), pa));
  W(a[6]) = -x.x, W(a[7]) = -x.y, W(a[8]) = -x.z;
}
OP op_distance_bias(const lane_run *r, const int *a)
// at_a at_b V_a B_a V_b B_b side direction p_length
{
  const v3 pa = lane_v3(r->w, a[0]), pb = lane_v3(r->w, a[1]), e = lane_v3(r->w, a[7]);
  const sv va = lane_motion_of(r, a[2]), vb = lane_motion_of(r, a[4]);
  v3 x = lane_acceleration(vb, lane_motion_of(r, a[5]), pb), v = v3_cross_add(vb.a, pb, vb.l);
  if (a[2] >= 0) {
    x = v3_sub(x, lane_acceleration(va, lane_motion_of(r, a[3]), pa));
    v = v3_sub(v, v3_cross_add(va.a, pa, va.l));
  }
  W(a[6]) = -row_distance_second(e, v, x, P(a[8] + 1));
}
OP op_along_bias(const lane_run *r, const int *a)  // at_b V_a B_a V_b B_b side direction
{
  const v3 pb = lane_v3(r->w, a[0]), f = lane_v3(r->w, a[6]);
  const sv va = lane_motion_of(r, a[1]), vb = lane_motion_of(r, a[3]);
  const sv ba = lane_motion_of(r, a[2]), bb = lane_motion_of(r, a[4]);
  const v3 v = v3_cross_add(vb.a, pb, vb.l), gap = v3_sub(v, v3_cross_add(va.a, pb, va.l));
  const sv b = sv_sub(bb, ba);
  W(a[5]) = -row_along_second(f, va.a, vb.a, v, gap, v3_cross_add(b.a, pb, b.l));
}
OP op_between_bias(const lane_run *r, const int *a)  // x y V_a B_a V_b B_b side
{
  const v3 x = lane_v3(r->w, a[0]), y = lane_v3(r->w, a[1]);
  const v3 wa = lane_motion_of(r, a[2]).a, wb = lane_motion_of(r, a[4]).a;
  const v3 b = v3_sub(lane_motion_of(r, a[5]).a, lane_motion_of(r, a[3]).a);
  W(a[6]) = -row_between_second(x, y, wa, wb, b);
}

// ---- loops: dependent coordinates -------------------------------------------------------------------

// u = T z of the dependent coordinates u and z = independent ones, then those of the shared joints.
// any: m and nz are no constants.
JN_INLINE void lane_factor(const lane_run *r, const int *a, const int m, const int nz,
                           const bool any)
{
  real lu[LANE_ROWS * LANE_ROWS], t[LANE_ROWS * LANE_Z];
  real worst = r_set(0.0);
  if (any) lu[0] = worst;
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < m; j++) lu[i * m + j] = W(a[2] + i * (m + nz) + j);
    for (int z = 0; z < nz; z++) t[i * nz + z] = W(a[2] + i * (m + nz) + m + z);
  }
  if (any)
    small_lu_any(m, lu), small_lu_solve_any(m, lu, nz, t);
  else
    small_lu(m, lu), small_lu_solve(m, lu, nz, t);
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < m; j++) W(a[3] + i * m + j) = lu[i * m + j];
    for (int z = 0; z < nz; z++) W(a[4] + i * (nz + 1) + z) = t[i * nz + z];
    worst = r_max(worst, r_abs(lu[i * m + i] * P(a[6] + i)));
  }
  W(a[5]) = worst;
}
LANE_APART lane_factor_any(const lane_run *r, const int *a)
{
  lane_factor(r, a, a[0], a[1], true);
}
OP op_factor(const lane_run *r, const int *a)  // m nz J LU T worst p_first
{
  switch (a[0] * 32 + a[1]) {
#define CASE(m, nz)                  \
  case (m)*32 + (nz):                \
    lane_factor(r, a, m, nz, false); \
    break;
#define CASES(m) CASE(m, 1) CASE(m, 2) CASE(m, 3) CASE(m, 4)
    CASES(1)
    CASES(2)
    CASES(3)
    CASES(4)
    CASES(5)
    CASES(6)
    CASES(7)
    CASES(8)
#undef CASES
#undef CASE
    default:
      lane_factor_any(r, a);
  }
}
// Biases of the dependent coordinates, their corrections, or both.
JN_INLINE void lane_solve(const lane_run *r, const int *a, const int m, const int first,
                          const int n, const bool any)
{
  real lu[LANE_ROWS * LANE_ROWS], b[2 * LANE_ROWS];
  for (int i = 0; i < m * m; i++) lu[i] = W(a[2] + i);
  for (int i = 0; i < m; i++)
    for (int k = 0; k < n; k++) b[i * n + k] = W(a[3] + 2 * i + first + k);
  if (any)
    small_lu_solve_any(m, lu, n, b);
  else
    small_lu_solve(m, lu, n, b);
  for (int i = 0; i < m; i++) {
    if (first == 0) W(a[4] + i * (a[1] + 1) + a[1]) = b[i * n];
    if (first + n == 2) W(a[5] + i) = b[i * n + n - 1];
  }
}
LANE_APART lane_solve_any(const lane_run *r, const int *a)
{
  lane_solve(r, a, a[0], a[6], a[7], true);
}
OP op_solve(const lane_run *r, const int *a)  // m nz LU side T correction first n
{
  switch (a[0] * 3 + a[6] + a[7] - 1) {
#define CASE(m)                         \
  case (m)*3 + 0:                       \
    lane_solve(r, a, m, 0, 1, false);   \
    break;                              \
  case (m)*3 + 1:                       \
    if (a[6])                           \
      lane_solve(r, a, m, 1, 1, false); \
    else                                \
      lane_solve(r, a, m, 0, 2, false); \
    break;
    CASE(1)
    CASE(2)
    CASE(3)
    CASE(4)
    CASE(5)
    CASE(6)
    CASE(7)
    CASE(8)
#undef CASE
    default:
      lane_solve_any(r, a);
  }
}
OP op_dependent_velocities(const lane_run *r, const int *a)  // nv ns shared z m nz T u
{
  for (int i = 0; i < a[0]; i++) W(a[3] + i) = LANE_OF(r->v, i);
  for (int i = 0; i < a[1]; i++) W(a[3] + a[0] + i) = LANE_OF(r->shared, a[2] + i);
  for (int i = 0; i < a[4]; i++) {
    real u = a[5] ? W(a[6] + i * (a[5] + 1)) * W(a[3]) : r_set(0.0);
    for (int z = 1; z < a[5]; z++) u = r_fma(W(a[6] + i * (a[5] + 1) + z), W(a[3] + z), u);
    W(a[7] + i) = u;
  }
}

// ---- motions ----------------------------------------------------------------------------------------

// V = V_up + sum S u;  B = B_up + V_up x (V - V_up) + what the joint's own screws add.
OP op_body_motion(const lane_run *r, const int *a)  // V_up B_up V B carried n S.. u..
{
  const int n = a[5], *s = a + 6, *u = s + n;
  sv rel = sv_scale(W(u[0]), lane_sv(r->w, s[0]));
  for (int k = 1; k < n; k++) rel = sv_axpy(W(u[k]), lane_sv(r->w, s[k]), rel);
  sv own = sv_make(lane_nil(), lane_nil());
  if (a[4]) {  // what comes first carries the screws of the others
    sv before = sv_scale(W(u[0]), lane_sv(r->w, s[0])),
       after = sv_scale(W(u[a[4]]), lane_sv(r->w, s[a[4]]));
    for (int k = 1; k < a[4]; k++) before = sv_axpy(W(u[k]), lane_sv(r->w, s[k]), before);
    for (int k = a[4] + 1; k < n; k++) after = sv_axpy(W(u[k]), lane_sv(r->w, s[k]), after);
    own = joint_carried(before, after);
  }
  if (a[0] < 0) {
    lane_put_sv(r->w, a[2], rel);
    if (a[4]) lane_put_sv(r->w, a[3], own);
    return;
  }
  const sv up = lane_sv(r->w, a[0]);
  sv b = sv_crm(up, rel);
  if (a[1] >= 0) b = sv_add(b, lane_sv(r->w, a[1]));
  if (a[4]) b = sv_add(b, own);
  lane_put_sv(r->w, a[2], sv_add(up, rel));
  lane_put_sv(r->w, a[3], b);
}

// Screws of a body per unit of each z it moves with, and, last, the part of its bias acceleration that the loops
// demand: K = K_up + sum S T. Of T -1 is nothing, -2 is one.
OP op_motions(const lane_run *r, const int *a)  // ncol n S.. (K_up K T..)...
{
  const int ncol = a[0], n = a[1], *s = a + 2;
  for (int c = 0; c < ncol; c++) {
    const int *k = s + n + c * (n + 2);
    sv sum = lane_motion_of(r, k[0]);
    bool any = k[0] >= 0;
    for (int i = 0; i < n; i++) {
      const int t = k[2 + i];
      if (t == -1) continue;
      const sv x = lane_sv(r->w, s[i]);
      if (t == -2)
        sum = any ? sv_add(sum, x) : x;
      else
        sum = any ? sv_axpy(W(t), x, sum) : sv_scale(W(t), x);
      any = true;
    }
    lane_put_sv(r->w, k[1], sum);
  }
}

// Rates of positions: scalars, and quaternions (ball) from three velocities along the parent's axes.
OP op_rates(const lane_run *r, const int *a)  // n (q_ u u u ball)...
{
  for (int i = 0; i < a[0]; i++) {
    const int *k = a + 1 + 5 * i;
    if (!k[4]) {
      LANE(r->dq, k[0]) = W(k[1]);
      continue;
    }
    const q4 q = q_make(LANE_OF(r->q, k[0]), lane_v3(r->q, k[0] + 1));
    const q4 rate = q_rate_world(q, v3_make(W(k[1]), W(k[2]), W(k[3])));
    LANE(r->dq, k[0]) = rate.w, LANE(r->dq, k[0] + 1) = rate.x;
    LANE(r->dq, k[0] + 2) = rate.y, LANE(r->dq, k[0] + 3) = rate.z;
  }
}

// ---- forces -----------------------------------------------------------------------------------------

OP op_zero(const lane_run *r, const int *a)  // first n
{
  for (int i = 0; i < a[1]; i++) W(a[0] + i) = r_set(0.0);
}

#include "solve/fast/element_kernels.h"

// A wheel turning in its carrier. Its spin is the whole angular velocity about the axis, so that no other
// motion enters I spin' = torque. The carrier bears the rest of the tyre's wrench, and the gyroscopic moment.
enum {  // arguments of a wheel
  WHEEL_KIND,
  WHEEL_FORM,       // of its tyre: which formulas apply
  WHEEL_P_AT,       // centre, and its x in the design position
  WHEEL_P_AXIS,     // of spin
  WHEEL_P_INERTIA,  // and whether the gyroscopic moment is applied
  WHEEL_P_TYRE,
  WHEEL_R,
  WHEEL_P,
  WHEEL_V,
  WHEEL_FORCE,
  WHEEL_OUTSIDE,
  WHEEL_ON_TOP,  // the parent bears the drive's reaction, not the carrier
  WHEEL_POWER,
  WHEEL_X_SPIN,  // state, -1: it is a speed
  WHEEL_V_SPIN,
  WHEEL_E_SLIP,
  WHEEL_NSLIP,
  WHEEL_NTYRE,       // parameters of the tyre
  WHEEL_E_COMPLY,    // states of its compliance, steer and camber, -1: it is stiff
  WHEEL_P_COMPLY,    // one over their lag, then bits of the four curves
  WHEEL_COMPLIANCE,  // bit i: there is curve i
  WHEEL_Q_ANGLE,     // of a wheel that is a body in the file, -1; of a further tyre on it, -1
  WHEEL_P_SIGN,      // of its joint's axis against the wheel's
  WHEEL_RELATIVE,    // field for its speed
  WHEEL_E_HOLD,
  WHEEL_DRIVE,
  WHEEL_BRAKE,
  WHEEL_STEER,
  WHEEL_ROAD,    // form of its road
  WHEEL_P_ROAD,  // and its parameters
  WHEEL_KEEP,    // field for what its contact keeps (elements/road/keep.h), -1: nothing
  WHEEL_NARG
};
typedef struct lane_contact {  // of a wheel: how it moves, what its tyre is asked and gives
  wheel_motion m;
  sv v;       // of its carrier
  real spin;  // absolute, about the axis
  real road;  // height under the centre
  tyre_in in;
  tyre_out o;
} lane_contact;

JN_INLINE lane_contact lane_touch(const lane_run *r, const int *a, jn_tyre_kind kind)
{
  const v3 w0 = lane_top(r, LANE_PARENT_W), v0 = lane_top(r, LANE_PARENT_V);
  wheel_motion m = {.axis = lane_v3(r->p, a[WHEEL_P_AXIS])};
  m.world = m3_rows(lane_top(r, LANE_PARENT_R), lane_top(r, LANE_PARENT_R + 3),
                    lane_top(r, LANE_PARENT_R + 6));
  m.origin = lane_top(r, LANE_PARENT_P);
  m.at = lane_point_at(r, a[WHEEL_R], a[WHEEL_P], a[WHEEL_P_AT]);
  sv v = sv_make(w0, lane_nil());
  if (a[WHEEL_V] >= 0) v = sv_add(v, lane_sv(r->w, a[WHEEL_V]));
  m.omega = v.a;
  m.velocity = v3_add(v0, v3_cross_add(v.a, m.at, v.l));
  m3 turned;
  if (a[WHEEL_R] >= 0) turned = lane_m3(r->w, a[WHEEL_R]);
  if (a[WHEEL_STEER] >= 0)
    wheel_steer(a[WHEEL_R] >= 0 ? &turned : NULL, LANE_OF(r->in, a[WHEEL_STEER]),
                LANE_OF(r->in, a[WHEEL_STEER] + 1), &m.axis, &m.omega);
  if (a[WHEEL_R] >= 0) m.axis = m3_mul_v3(turned, m.axis);
  const real spin =
      a[WHEEL_X_SPIN] >= 0 ? LANE_OF(r->x, a[WHEEL_X_SPIN]) : LANE_OF(r->v, a[WHEEL_V_SPIN]);
  m.spin = spin - v3_dot(m.axis, m.omega);

  real road;
  const road_query q = {.post = P(a[WHEEL_P_AT] + 3),
                        .time = PARENT(LANE_PARENT_TIME),
                        .keep = a[WHEEL_KEEP] >= 0 ? &W(a[WHEEL_KEEP]) : NULL,
                        .object = r->road};
#if JN_WIDTH == 4
  const real *surface = &P(a[WHEEL_P_ROAD]), *p = &P(a[WHEEL_P_TYRE]);
#else  // of one lane among others
  real surface[ROAD_MOST_FIELDS], p[JN_TYRE_FIELDS];
  const int nroad = a[WHEEL_ROAD] & ROAD_PLAIN ? 0 : road_fields(a[WHEEL_ROAD]);
  for (int i = 0; i < nroad; i++) surface[i] = P(a[WHEEL_P_ROAD] + i);
  for (int i = 0; i < a[WHEEL_NTYRE]; i++) p[i] = P(a[WHEEL_P_TYRE] + i);
#endif
  tyre_in in = wheel_touch(&m, kind, a[WHEEL_ROAD], surface, q, &road);
  for (int i = 0; i < a[WHEEL_NSLIP]; i++) in.state[i] = LANE_OF(r->e, a[WHEEL_E_SLIP] + i);
  in.table = r->table, in.plugin = r->plugin, in.keep = q.keep;
  if (a[WHEEL_E_COMPLY] >= 0)
    in.axis = tyre_comply(m.axis, in.normal, LANE_OF(r->e, a[WHEEL_E_COMPLY]),
                          LANE_OF(r->e, a[WHEEL_E_COMPLY] + 1));
  const tyre_out o = tyre_at(kind, a[WHEEL_FORM], p, in);
  return (lane_contact){m, v, spin, road, in, o};
}

OP op_wheel(const lane_run *r, const int *a)
{
  const v3 w0 = lane_top(r, LANE_PARENT_W);
  const lane_contact c = lane_touch(r, a, (jn_tyre_kind)a[WHEEL_KIND]);
  const wheel_motion m = c.m;
  const tyre_in in = c.in;
  const tyre_out o = c.o;
  const sv v = c.v;
  const real spin = c.spin;
  wheel_drive d = {.inertia = P(a[WHEEL_P_INERTIA]),
                   .gyro = P(a[WHEEL_P_INERTIA] + 1),
                   .whole = spin,
                   .driven = a[WHEEL_DRIVE] >= 0,
                   .braked = a[WHEEL_BRAKE] >= 0,
                   .bears = v.a,
                   .on_brake = v.a,
                   .on_drive = a[WHEEL_ON_TOP] ? w0 : v.a};
  if (d.driven) d.drive = LANE_OF(r->in, a[WHEEL_DRIVE]);
  if (d.braked) d.limit = LANE_OF(r->in, a[WHEEL_BRAKE]), d.hold = LANE_OF(r->e, a[WHEEL_E_HOLD]);
  const wheel_loads k = wheel_turn(&m, &o, &d, W(a[WHEEL_POWER]));
  W(a[WHEEL_POWER]) = k.power;

  v3 about = v3_cross_add(m.at, o.force, k.moment), on_top = lane_nil();
  if (d.driven && a[WHEEL_ON_TOP]) on_top = v3_scale(-d.drive, m.axis);
  if (d.driven && !a[WHEEL_ON_TOP]) about = v3_axpy(-d.drive, m.axis, about);
  if (d.braked) {
    about = v3_axpy(k.brake.torque, m.axis, about);
    LANE(r->de, a[WHEEL_E_HOLD]) = r_fma(-k.brake.a, d.hold, k.brake.b);
    LANE(r->rate, a[WHEEL_E_HOLD]) = k.brake.a;
  }
  lane_add_sv(r->w, a[WHEEL_FORCE], sv_make(about, o.force));
  lane_add_sv(r->w, a[WHEEL_OUTSIDE], sv_make(v3_add(about, on_top), o.force));
  if (a[WHEEL_X_SPIN] >= 0) {
    LANE(r->dx, a[WHEEL_X_SPIN]) = k.torque / d.inertia;
  } else if (a[WHEEL_Q_ANGLE] < 0) {
    LANE(r->dv, a[WHEEL_V_SPIN]) = LANE_OF(r->dv, a[WHEEL_V_SPIN]) + k.torque / d.inertia;
  } else {
    LANE(r->dv, a[WHEEL_V_SPIN]) = k.torque / d.inertia;
    const real relative = P(a[WHEEL_P_SIGN]) * m.spin;
    LANE(r->dq, a[WHEEL_Q_ANGLE]) = relative;
    W(a[WHEEL_RELATIVE]) = relative;
  }
  if (a[WHEEL_E_COMPLY] >= 0) {
    const real lag = P(a[WHEEL_P_COMPLY]);
    real curve[TYRE_NCOMPLIANCE], yields[2];
    for (int i = 0; i < TYRE_NCOMPLIANCE; i++) curve[i] = P(a[WHEEL_P_COMPLY] + 1 + i);
    wheel_yields(r->table, a[WHEEL_COMPLIANCE], curve, &o, yields);
    for (int i = 0; i < 2; i++) {
      LANE(r->de, a[WHEEL_E_COMPLY] + i) =
          r_fma(-lag, LANE_OF(r->e, a[WHEEL_E_COMPLY] + i), lag * yields[i]);
      LANE(r->rate, a[WHEEL_E_COMPLY] + i) = lag;
    }
  }
  for (int i = 0; i < a[WHEEL_NSLIP]; i++) {
    LANE(r->de, a[WHEEL_E_SLIP] + i) = r_fma(-o.rate_a[i], in.state[i], o.rate_b[i]);
    LANE(r->rate, a[WHEEL_E_SLIP] + i) = o.rate_a[i];
  }
}

// The same for rows of channels: what the tyre gives, in fields (WHEEL_ROW_...); places and directions in world axes.
JN_INLINE void lane_wheel_row(const lane_run *r, const int *row, jn_tyre_kind kind)
{
  const int *a = row + 1, at = row[0];
  const lane_contact c = lane_touch(r, a, kind);
#define X(id, member, channel) W(at + WHEEL_ROW_##id) = c.o.member;
  WHEEL_ROW_TYRE(X)
#undef X
  W(at + WHEEL_ROW_SPIN) = c.m.spin;
  W(at + WHEEL_ROW_ROAD) = c.road;
  W(at + WHEEL_ROW_FRICTION) = c.in.friction;
  W(at + WHEEL_ROW_BRAKE) = r_set(0.0);
  if (a[WHEEL_BRAKE] >= 0)
    W(at + WHEEL_ROW_BRAKE) = brake(LANE_OF(r->in, a[WHEEL_BRAKE]), P(a[WHEEL_P_INERTIA]), c.m.spin,
                                    LANE_OF(r->e, a[WHEEL_E_HOLD]))
                                  .torque;
  const v3 centre = v3_add(c.m.origin, m3_mul_v3(c.m.world, c.m.at));
  lane_put_v3(r->w, at + WHEEL_ROW_CENTRE, centre);
  lane_put_v3(r->w, at + WHEEL_ROW_CONTACT, v3_add(centre, m3_mul_v3(c.m.world, c.o.arm)));
  lane_put_v3(r->w, at + WHEEL_ROW_AXIS, m3_mul_v3(c.m.world, c.in.axis));
  lane_put_v3(r->w, at + WHEEL_ROW_NORMAL, m3_mul_v3(c.m.world, c.in.normal));
}

// With each kind known to the compiler, what a tyre gives stays in registers.
OP op_wheel_row(const lane_run *r, const int *row)  // field, as the wheel
{
  switch ((jn_tyre_kind)row[1 + WHEEL_KIND]) {
#define X(kind, word, ...)                  \
  case JN_TYRE_##kind:                      \
    lane_wheel_row(r, row, JN_TYRE_##kind); \
    return;
    JN_TYRE_KINDS(X)
#undef X
    default:
      return;
  }
}

// ---- bodies -----------------------------------------------------------------------------------------
//
// Of each body its inertia about the parent's point, its bias wrench P = I a + V x* I V, and for each z it moves with, K
// its screw: h = I K,  F += h,  D += K' h,  Q += K' (f - P), f the wrench of the force elements. What comes from outside of parent
// and group, and so moves the parent too, is summed apart (`outside`).

// Sums: of a z or a pair that no body before had, they begin. -z - 1 stands for such a z.
JN_INLINE void lane_sum_v3(const lane_run *r, int at, v3 x, bool first)
{
  lane_put_v3(r->w, at, first ? x : v3_add(lane_v3(r->w, at), x));
}
JN_INLINE void lane_sum_inertia(const lane_run *r, int at, s3 about, v3 moment, bool first)
{
  lane_put_s3(r->w, at, first ? about : s3_add(lane_s3(r->w, at), about));
  lane_sum_v3(r, at + 6, moment, first);
}
JN_INLINE void lane_sum(const lane_run *r, int at, real x, bool first)
{
  W(at) = first ? x : W(at) + x;
}

// A body hinged on the parent: all but a few numbers are harmonics of its angle, and all its screws are multiples t of one.
enum {  // parameters
  HINGED_MASS,
  HINGED_INVERSE,            // of the mass
  HINGED_SELF,               // S' I S
  HINGED_S,                  // its screw
  HINGED_H0 = HINGED_S + 6,  // first moment
  HINGED_H1 = HINGED_H0 + 3,
  HINGED_H2 = HINGED_H1 + 3,
  HINGED_N0 = HINGED_H2 + 3,  // moment of I S
  HINGED_N1 = HINGED_N0 + 3,
  HINGED_N2 = HINGED_N1 + 3,
  HINGED_J0 = HINGED_N2 + 3,  // inertia about the centre: 1, cos 2, sin 2
  HINGED_J1 = HINGED_J0 + 6,
  HINGED_J2 = HINGED_J1 + 6,
  HINGED_FIELDS = HINGED_J2 + 6
};
JN_INLINE v3 lane_harmonic(const lane_run *r, int p, real c, real s)
{
  return v3_axpy(s, lane_v3(r->p, p + 6), v3_axpy(c, lane_v3(r->p, p + 3), lane_v3(r->p, p)));
}
JN_INLINE real lane_t(const lane_run *r, int t)
{
  return t == -2 ? r_set(1.0) : W(t);
}
OP op_hinged(const lane_run *r, const int *a)
// cos_sin p_hinged u t_bias force inertia push F D Q first n (z first t)...
{
  const v3 w0 = lane_top(r, LANE_PARENT_W);
  const int p = a[1];
  const real c = W(a[0]), s = W(a[0] + 1), rate = W(a[2]);
  const real twice = s + s, c2 = r_fma(-twice, s, r_set(1.0)), s2 = twice * c;
  const v3 axis = lane_v3(r->p, p + HINGED_S);
  const v3 h1 = lane_v3(r->p, p + HINGED_H1), h2 = lane_v3(r->p, p + HINGED_H2);
  const v3 turning = v3_axpy(s, h2, v3_scale(c, h1));  // first moment about the axis
  const v3 first = v3_add(lane_v3(r->p, p + HINGED_H0), turning);
  const sv h = sv_make(lane_harmonic(r, p + HINGED_N0, c, s), v3_axpy(-s, h1, v3_scale(c, h2)));
  const s3 j0 = lane_s3(r->p, p + HINGED_J0), j1 = lane_s3(r->p, p + HINGED_J1),
           j2 = lane_s3(r->p, p + HINGED_J2);
  const s3 j =
      s3_make(r_fma(s2, j2.xx, r_fma(c2, j1.xx, j0.xx)), r_fma(s2, j2.yy, r_fma(c2, j1.yy, j0.yy)),
              r_fma(s2, j2.zz, r_fma(c2, j1.zz, j0.zz)), r_fma(s2, j2.xy, r_fma(c2, j1.xy, j0.xy)),
              r_fma(s2, j2.xz, r_fma(c2, j1.xz, j0.xz)), r_fma(s2, j2.yz, r_fma(c2, j1.yz, j0.yz)));
  const v3 centre = v3_scale(P(p + HINGED_INVERSE), first);
  const v3 w = v3_axpy(rate, axis, w0), angular = v3_scale(rate, v3_cross(w0, axis));
  v3 force = v3_cross(w0, v3_axpy(rate + rate, h.l, v3_cross(w0, first)));
  force = v3_axpy(-(rate * rate), turning, force);
  const v3 moment = v3_cross_add(w, s3_mul_v3(j, w), s3_mul_v3(j, angular));
  sv push = sv_make(v3_cross_add(centre, force, moment), force);
  real felt = r_fma(v3_dot(h.l, force), P(p + HINGED_INVERSE), v3_dot(axis, moment));
  const real self = P(p + HINGED_SELF);
  if (a[3] >= 0) {
    const real bias = W(a[3]);
    push = sv_axpy(bias, h, push);
    felt = r_fma(bias, self, felt);
  }
  felt = sv_dot(lane_sv(r->p, p + HINGED_S), lane_sv(r->w, a[4])) - felt;
  for (int i = 0; i < a[11]; i++) {
    const int *k = a + 12 + 3 * i;
    const int z = k[0];
    const real t = lane_t(r, k[2]);
    const sv f = k[2] == -2 ? h : sv_scale(t, h);
    lane_sum_v3(r, a[7] + 6 * z, f.a, k[1]);
    lane_sum_v3(r, a[7] + 6 * z + 3, f.l, k[1]);
    for (int l = 0; l <= i; l++) {
      const int *m = a + 12 + 3 * l;
      lane_sum(r, a[8] + z * (z + 1) / 2 + m[0], t * lane_t(r, m[2]) * self, k[1] || m[1]);
    }
    lane_sum(r, a[9] + z, t * felt, false);
  }
  const real x = first.x * centre.x, y = first.y * centre.y, zz = first.z * centre.z;
  const s3 about =
      s3_make(j.xx + (y + zz), j.yy + (x + zz), j.zz + (x + y), r_fma(-first.x, centre.y, j.xy),
              r_fma(-first.x, centre.z, j.xz), r_fma(-first.y, centre.z, j.yz));
  lane_sum_inertia(r, a[5], about, first, a[10]);
  lane_sum_v3(r, a[6], push.a, a[10]);
  lane_sum_v3(r, a[6] + 3, push.l, a[10]);
}

OP op_body(const lane_run *r, const int *a)
// R P p_body V B delta force inertia push F D Q first n (z first K)...
{
  const v3 w0 = lane_top(r, LANE_PARENT_W);
  const real mass = P(a[2]);
  v3 c = lane_v3(r->p, a[2] + 1);
  s3 j = lane_s3(r->p, a[2] + 4);
  if (a[0] >= 0) {
    const m3 turn = lane_m3(r->w, a[0]);
    c = m3_mul_v3(turn, c);
    j = s3_rotate(turn, j);
  }
  c = v3_add(lane_v3(r->w, a[1]), c);

  // relative motion of the centre, then Coriolis and centripetal terms of the parent's turning
  const sv v = lane_sv(r->w, a[3]);
  const v3 w = v3_add(w0, v.a), vc = v3_cross_add(v.a, c, v.l);
  v3 angular = v3_cross(w0, v.a), linear = v3_cross(v.a, vc);
  for (int k = 4; k < 6; k++) {
    if (a[k] < 0) continue;
    const sv b = lane_sv(r->w, a[k]);
    angular = v3_add(angular, b.a);
    linear = v3_add(linear, v3_cross_add(b.a, c, b.l));
  }
  linear = v3_cross_add(w0, v3_cross_add(w0, c, v3_add(vc, vc)), linear);
  const v3 force = v3_scale(mass, linear);
  const v3 moment = v3_cross_add(w, s3_mul_v3(j, w), s3_mul_v3(j, angular));
  const sv f = lane_sv(r->w, a[6]);

  for (int i = 0; i < a[13]; i++) {
    const int *m = a + 14 + 3 * i;
    const int z = m[0];
    const sv k = lane_sv(r->w, m[2]);
    const v3 kc = v3_cross_add(k.a, c, k.l), hl = v3_scale(mass, kc), ha = s3_mul_v3(j, k.a);
    lane_sum_v3(r, a[9] + 6 * z, v3_cross_add(c, hl, ha), m[1]);
    lane_sum_v3(r, a[9] + 6 * z + 3, hl, m[1]);
    for (int l = 0; l <= i; l++) {
      const int *n = a + 14 + 3 * l;
      const sv o = lane_sv(r->w, n[2]);
      const v3 oc = l == i ? kc : v3_cross_add(o.a, c, o.l);
      lane_sum(r, a[10] + z * (z + 1) / 2 + n[0], v3_dot(oc, hl) + v3_dot(o.a, ha), m[1] || n[1]);
    }
    lane_sum(r, a[11] + z, sv_dot(k, f) - (v3_dot(kc, force) + v3_dot(k.a, moment)), false);
  }
  const v3 mc = v3_scale(mass, c);
  const real x = mc.x * c.x, y = mc.y * c.y, zz = mc.z * c.z;
  const s3 about =
      s3_make(j.xx + (y + zz), j.yy + (x + zz), j.zz + (x + y), r_fma(-mc.x, c.y, j.xy),
              r_fma(-mc.x, c.z, j.xz), r_fma(-mc.y, c.z, j.yz));
  lane_sum_inertia(r, a[7], about, mc, a[12]);
  lane_sum_v3(r, a[8], v3_cross_add(c, force, moment), a[12]);
  lane_sum_v3(r, a[8] + 3, force, a[12]);
}

// ---- elimination ------------------------------------------------------------------------------------
//
//   D_vv v' + D_vs s' + F_v' A = Q_v,   A the parent body's acceleration, s the shared joints
//
// v' = y - Y_s s' - Y_F A is put back into the equations of the parent body and of the shared joints. A subsystem without
// independent coordinates gives the latter what its bodies have summed up, as it is.
JN_INLINE void lane_eliminate(const lane_run *r, const int *a, const int nv, const int ns,
                              const bool any)
// nv ns inertia push F D Q p_mass Y out power outside shared
{
  const int width = 7 + ns;
  real d[LANE_Z * LANE_Z], y[LANE_Z * (7 + LANE_Z)];
  for (int i = 0; i < nv; i++) {
    for (int k = 0; k < nv; k++) {
      const int hi = i > k ? i : k, lo = i > k ? k : i;
      d[i * nv + k] = W(a[5] + hi * (hi + 1) / 2 + lo);
    }
    for (int k = 0; k < 6; k++) y[i * width + k] = W(a[4] + 6 * i + k);
    y[i * width + 6] = W(a[6] + i);
    for (int k = 0; k < ns; k++) y[i * width + 7 + k] = W(a[5] + (nv + k) * (nv + k + 1) / 2 + i);
  }
  if (any)
    small_ldlt_any(nv, d), small_ldlt_solve_any(nv, d, width, y);
  else if (nv)
    small_ldlt(nv, d), small_ldlt_solve(nv, d, width, y);
  for (int i = 0; i < nv * width; i++) W(a[8] + i) = y[i];

  s3 j = lane_s3(r->w, a[2]);
  const real mass = P(a[7]), none = r_set(0.0);
  m3 h = m3_skew(lane_v3(r->w, a[2] + 6));
  s3 m = s3_make(mass, mass, mass, none, none, none);
  sv p = lane_sv(r->w, a[3]);
  p = sv_sub(p, lane_sv(r->w, a[11]));
  for (int i = 0; i < nv; i++) {
    const sv f = lane_sv(r->w, a[4] + 6 * i);
    const real *k = y + i * width;
    const sv g = sv_make(v3_make(k[0], k[1], k[2]), v3_make(k[3], k[4], k[5]));
    const v3 fa = f.a, fl = f.l, ga = g.a, gl = g.l;
    j = s3_make(r_fma(-fa.x, ga.x, j.xx), r_fma(-fa.y, ga.y, j.yy), r_fma(-fa.z, ga.z, j.zz),
                r_fma(-fa.x, ga.y, j.xy), r_fma(-fa.x, ga.z, j.xz), r_fma(-fa.y, ga.z, j.yz));
    h = m3_rows(v3_axpy(-fa.x, gl, h.x), v3_axpy(-fa.y, gl, h.y), v3_axpy(-fa.z, gl, h.z));
    m = s3_make(r_fma(-fl.x, gl.x, m.xx), r_fma(-fl.y, gl.y, m.yy), r_fma(-fl.z, gl.z, m.zz),
                r_fma(-fl.x, gl.y, m.xy), r_fma(-fl.x, gl.z, m.xz), r_fma(-fl.y, gl.z, m.yz));
    p = sv_axpy(k[6], f, p);
  }
  const int out = a[9];
  lane_put_s3(r->w, out + LANE_SUM_J, j);
  lane_put_m3(r->w, out + LANE_SUM_H, h);
  lane_put_s3(r->w, out + LANE_SUM_M, m);
  lane_put_sv(r->w, out + LANE_SUM_P, p);
  W(out + LANE_SUM_POWER) = W(a[10]);
  if (!nv) return;
  for (int l = 0; l < ns; l++) {
    const int row = (nv + l) * (nv + l + 1) / 2, to = a[12] + 7 * ns + l * (l + 1) / 2;
    sv f = lane_sv(r->w, a[4] + 6 * (nv + l));
    real q = W(a[6] + nv + l);
    for (int i = 0; i < nv; i++) {
      f = sv_axpy(-y[i * width + 7 + l], lane_sv(r->w, a[4] + 6 * i), f);
      q = r_fma(-y[i * width + 6], W(a[5] + row + i), q);
    }
    lane_put_sv(r->w, a[12] + 6 * l, f);
    W(a[12] + 6 * ns + l) = q;
    for (int k = 0; k <= l; k++) {
      real x = W(a[5] + row + nv + k);
      for (int i = 0; i < nv; i++) x = r_fma(-y[i * width + 7 + k], W(a[5] + row + i), x);
      W(to + k) = x;
    }
  }
}
LANE_APART lane_eliminate_any(const lane_run *r, const int *a)
{
  lane_eliminate(r, a, a[0], a[1], true);
}
OP op_eliminate(const lane_run *r, const int *a)
{
  switch (a[0] * 32 + a[1]) {
#define CASE(nv, ns)                     \
  case (nv)*32 + (ns):                   \
    lane_eliminate(r, a, nv, ns, false); \
    break;
    CASE(0, 0)
    CASE(0, 1)
    CASE(0, 2)
    CASE(0, 3)
    CASE(0, 4)
    CASE(1, 0)
    CASE(1, 1)
    CASE(1, 2)
    CASE(1, 3)
    CASE(2, 0)
    CASE(2, 1)
    CASE(2, 2)
    CASE(3, 0)
    CASE(3, 1)
    CASE(4, 0)
    CASE(4, 1)
#undef CASE
    default:
      lane_eliminate_any(r, a);
  }
}
OP op_acceleration(const lane_run *r, const int *a)  // nv ns Y shared
{
  const int width = 7 + a[1];
  for (int i = 0; i < a[0]; i++) {
    const int y = a[2] + i * width;
    real x = W(y + 6);
    for (int k = 0; k < 6; k++) x = r_fma(-W(y + k), PARENT(LANE_PARENT_A + k), x);
    for (int k = 0; k < a[1]; k++) x = r_fma(-W(y + 7 + k), LANE_OF(r->shared, a[3] + k), x);
    LANE(r->dv, i) = x;
  }
}

// ---- after a step -----------------------------------------------------------------------------------

OP op_correct(const lane_run *r, const int *a)  // n (q_ correction(3) ball)...
{
  const real none = r_set(0.0);
  for (int i = 0; i < a[0]; i++) {
    const int *k = a + 1 + 5 * i;
    if (!k[4]) {
      LANE(r->q, k[0]) = LANE_OF(r->q, k[0]) + W(k[1]);
      continue;
    }
    const v3 c =
        v3_make(k[1] < 0 ? none : W(k[1]), k[2] < 0 ? none : W(k[2]), k[3] < 0 ? none : W(k[3]));
    const q4 q = q_make(LANE_OF(r->q, k[0]), lane_v3(r->q, k[0] + 1)), d = q_rate_world(q, c);
    LANE(r->q, k[0]) = q.w + d.w, LANE(r->q, k[0] + 1) = q.x + d.x;
    LANE(r->q, k[0] + 2) = q.y + d.y, LANE(r->q, k[0] + 3) = q.z + d.z;
  }
}
OP op_wrap(const lane_run *r, const int *a)  // n (q_ turns)...
{
  const double turn = 6.283185307179586;
  for (int i = 0; i < a[0]; i++) {
    const int *k = a + 1 + 2 * i;
    const real whole = r_nearest(LANE_OF(r->q, k[0]) * r_set(1.0 / turn));
    LANE(r->q, k[0]) = r_fma(r_set(-turn), whole, LANE_OF(r->q, k[0]));
    W(k[1]) = W(k[1]) + whole;
  }
}
OP op_unit(const lane_run *r, const int *a)  // n q_...
{
  for (int i = 0; i < a[0]; i++) {
    const int q = a[1 + i];
    const v3 e = lane_v3(r->q, q + 1);
    const real w = LANE_OF(r->q, q), s = r_set(1.0) / r_sqrt(r_fma(w, w, v3_dot(e, e)));
    LANE(r->q, q) = s * w, LANE(r->q, q + 1) = s * e.x;
    LANE(r->q, q + 2) = s * e.y, LANE(r->q, q + 3) = s * e.z;
  }
}

// ---- rows of channels -------------------------------------------------------------------------------

// Accelerations of all coordinates, dependent ones first: T z'' and the loops' bias.
OP op_coordinates(const lane_run *r, const int *a)  // nv ns m T accelerations shared
{
  const int nv = a[0], nz = nv + a[1], m = a[2];
  for (int i = 0; i < m; i++) {
    const int t = a[3] + i * (nz + 1);
    real x = W(t + nz);
    for (int z = 0; z < nv; z++) x = r_fma(W(t + z), LANE_OF(r->dv, z), x);
    for (int z = nv; z < nz; z++) x = r_fma(W(t + z), LANE_OF(r->shared, a[5] + z - nv), x);
    W(a[4] + i) = x;
  }
  for (int z = 0; z < nv; z++) W(a[4] + m + z) = LANE_OF(r->dv, z);
  for (int z = nv; z < nz; z++) W(a[4] + m + z) = LANE_OF(r->shared, a[5] + z - nv);
}
// Of a body against its parent body's axes, the bias B of its motion (op_body_motion) left aside: A = A_up + sum S u'.
OP op_body_acceleration(const lane_run *r, const int *a)  // A_up A n (S u')...
{
  sv x = lane_motion_of(r, a[0]);
  for (int i = 0; i < a[2]; i++) x = sv_axpy(W(a[4 + 2 * i]), lane_sv(r->w, a[3 + 2 * i]), x);
  lane_put_sv(r->w, a[1], x);
}
// The largest residual of the loops, and the largest rate of one: J u - J_z z.
OP op_residuals(const lane_run *r, const int *a)  // m nz J side u z worst(2)
{
  real position = r_set(0.0), velocity = r_set(0.0);
  for (int i = 0; i < a[0]; i++) {
    real rate = r_set(0.0);
    for (int k = 0; k < a[0]; k++) rate = r_fma(W(a[2] + i * (a[0] + a[1]) + k), W(a[4] + k), rate);
    for (int z = 0; z < a[1]; z++)
      rate = r_fma(-W(a[2] + i * (a[0] + a[1]) + a[0] + z), W(a[5] + z), rate);
    position = r_max(position, r_abs(W(a[3] + 2 * i + 1)));
    velocity = r_max(velocity, r_abs(rate));
  }
  W(a[6]) = position;
  W(a[6] + 1) = velocity;
}

#undef OP
#undef W
#undef P
#undef TOP

#endif
