// Compiled once for each entry of ALGEBRA_KERNELS, with ALGEBRA_NAME, JN_WIDTH and JN_FUSED given.
#include "algebra_kernels.h"

#include "base/curve.h"
#include "base/quat.h"
#include "base/small.h"
#include "base/spatial.h"

typedef struct tape {
  const real *in;
  real *out;
  int read, written;
} tape;

static real next(tape *t)
{
  return t->in[t->read++ % ALGEBRA_IN];
}

static v3 next_v3(tape *t)
{
  real x = next(t), y = next(t), z = next(t);
  return v3_make(x, y, z);
}

// Arguments are evaluated in any order: whatever takes several from the tape takes them one by one.
static m3 next_m3(tape *t)
{
  v3 x = next_v3(t), y = next_v3(t), z = next_v3(t);
  return m3_rows(x, y, z);
}

static sv next_sv(tape *t)
{
  v3 a = next_v3(t), l = next_v3(t);
  return sv_make(a, l);
}

static q4 next_q(tape *t)
{
  real w = next(t);
  return q_normalise(q_make(w, next_v3(t)));
}

static void put(tape *t, real x)
{
  t->out[t->written++] = x;
}

static void put_v3(tape *t, v3 a)
{
  v3_store(t->out + t->written, a);
  t->written += 3;
}

static void put_m3(tape *t, m3 a)
{
  put_v3(t, a.x);
  put_v3(t, a.y);
  put_v3(t, a.z);
}

static void put_s3(tape *t, s3 a)
{
  put_m3(t, s3_full(a));
}

static void put_q(tape *t, q4 q)
{
  put(t, q.w);
  put_v3(t, q_vector(q));
}

static void put_sv(tape *t, sv s)
{
  put_v3(t, s.a);
  put_v3(t, s.l);
}

static void put_si(tape *t, si i)
{
  put(t, i.m);
  put_v3(t, i.h);
  put_s3(t, i.j);
}

static void vectors(tape *t)
{
  v3 a = next_v3(t), b = next_v3(t), c = next_v3(t);
  real s = next(t);
  put_v3(t, v3_add(a, b));
  put_v3(t, v3_sub(a, b));
  put_v3(t, v3_neg(a));
  put_v3(t, v3_scale(s, a));
  put_v3(t, v3_axpy(s, a, b));
  put(t, v3_dot(a, b));
  put_v3(t, v3_cross(a, b));
  put_v3(t, v3_cross_add(a, b, c));
  put(t, v3_norm(a));
  put_v3(t, v3_unit(b));
  put_v3(t, v3_select(r_lt(a.x, b.x), a, c));
}

static void matrices(tape *t)
{
  m3 a = next_m3(t), b = next_m3(t);
  v3 u = next_v3(t), v = next_v3(t);
  put_m3(t, m3_transpose(a));
  put_m3(t, m3_add(a, m3_columns(b.x, b.y, b.z)));
  put_m3(t, m3_sub(a, m3_scale(u.x, b)));
  put_v3(t, m3_mul_v3(a, u));
  put_v3(t, m3_tmul_v3(a, u));
  put_m3(t, m3_mul(a, b));
  put_m3(t, m3_tmul(a, b));
  put_m3(t, m3_mult(a, b));
  put_m3(t, m3_skew(u));
  put_m3(t, m3_outer(u, v));
  put_m3(t, m3_about(u, v.x, v.y));
  s3 s = s3_make(u.x, u.y, u.z, v.x, v.y, v.z);
  put_s3(t, s3_rotate(a, s));
  put_s3(t, s3_sub(s3_scale(u.y, s), s3_inertia(u, v)));
  put_v3(t, s3_mul_v3(s, u));
}

static void rotations(tape *t)
{
  q4 p = next_q(t), q = next_q(t);
  v3 a = next_v3(t), b = next_v3(t);
  put_q(t, q_mul(p, q));
  put_q(t, q_conj(q_axpy(a.x, p, q)));
  put_m3(t, q_to_m3(p));
  put_v3(t, q_rotate(p, a));
  put_v3(t, q_rotate_back(p, a));
  put_q(t, q_from_m3(q_to_m3(q)));
  put_q(t, q_from_m3(m3_about(v3_unit(a), r_set(-1.0), r_set(0.0))));  // half a turn
  put_q(t, q_rate_body(p, b));
  put_q(t, q_rate_world(p, b));
  put_q(t, q_about(a, b.x, b.y));
  put_q(t, q_exp(a));
  put_q(t, q_exp(v3_scale(r_set(1e-6), a)));
  put_v3(t, q_log(p));
  put_v3(t, q_log(q_exp(v3_scale(r_set(1e-6), b))));
}

static void spatial(tape *t)
{
  sv v = next_sv(t), f = next_sv(t);
  v3 r = next_v3(t), c = next_v3(t), j = next_v3(t);
  real m = r_abs(next(t));
  m3 rot = q_to_m3(q_normalise(q_make(m, c)));
  put_sv(t, sv_sub(sv_add(v, f), sv_axpy(m, sv_neg(v), sv_scale(m, f))));
  put(t, sv_dot(v, f));
  put_sv(t, sv_crm(v, f));
  put_sv(t, sv_crf(v, f));
  put_sv(t, sv_shift_motion(v, r));
  put_sv(t, sv_shift_force(f, r));
  put_sv(t, sv_rotate(rot, v));
  put_sv(t, sv_rotate_back(rot, v));
  si i = si_from_cg(m, c, s3_make(j.x, j.y, j.z, r.x, r.y, r.z));
  put_si(t, i);
  put_si(t, si_add(si_shift(i, r), si_rotate(rot, i)));
  put_sv(t, si_mul(i, v));
}

// One n of each method; the first case of every four is singular, and must leave the others alone.
#define SMALL(n)                                                                \
  static void small_##n(tape *t)                                                \
  {                                                                             \
    real g[n * n], a[n * n], b[n * 2];                                          \
    for (int i = 0; i < n * n; i++) g[i] = next(t);                             \
    for (int method = 0; method < 2; method++) {                                \
      for (int i = 0; i < n; i++)                                               \
        for (int k = 0; k < n; k++) {                                           \
          real s = i == k ? r_abs(g[0]) : r_set(0.0);                           \
          for (int l = 0; l < n; l++) s = r_fma(g[i * n + l], g[k * n + l], s); \
          a[i * n + k] = s;                                                     \
        }                                                                       \
      for (int i = 0; i < n * 2; i++) b[i] = next(t);                           \
      real least;                                                               \
      if (method == 0) {                                                        \
        least = small_ldlt(n, a);                                               \
        small_ldlt_solve(n, a, 2, b);                                           \
      } else {                                                                  \
        least = small_lu(n, a);                                                 \
        small_lu_solve(n, a, 2, b);                                             \
      }                                                                         \
      put(t, least);                                                            \
      for (int i = 0; i < n * 2; i++) put(t, b[i]);                             \
    }                                                                           \
  }
SMALL(1)
SMALL(2)
SMALL(3)
SMALL(4)
SMALL(5)
SMALL(6)

static void curves(tape *t, const double *tables, r_mask offset)
{
  for (int i = 0; i < 6; i++) {
    curve_value v = curve_at(tables, offset, ALGEBRA_STEPS, r_set(3.0) * next(t));
    put(t, v.y);
    put(t, v.slope);
  }
}

int ALGEBRA_NAME(int count, const double (*in)[ALGEBRA_IN], const double *tables,
                 const int64_t *offset, double (*out)[ALGEBRA_OUT])
{
  tape t = {0};
  for (int c = 0; c < count; c += JN_WIDTH) {
    real from[ALGEBRA_IN], to[ALGEBRA_OUT];
    for (int i = 0; i < ALGEBRA_IN; i++)
      for (int lane = 0; lane < JN_WIDTH; lane++) r_put(&from[i], lane, in[c + lane][i]);
#if JN_WIDTH == 1
    r_mask at = offset[c];
#else
    r_mask at = {offset[c], offset[c + 1], offset[c + 2], offset[c + 3]};
#endif
    t = (tape){.in = from, .out = to};
    vectors(&t);
    matrices(&t);
    rotations(&t);
    spatial(&t);
    small_1(&t);
    small_2(&t);
    small_3(&t);
    small_4(&t);
    small_5(&t);
    small_6(&t);
    curves(&t, tables, at);
    for (int i = 0; i < t.written; i++)
      for (int lane = 0; lane < JN_WIDTH; lane++) out[c + lane][i] = r_lane(to[i], lane);
  }
  return t.written;
}
