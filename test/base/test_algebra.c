// The identities of v3.h, m3.h, quat.h and spatial.h at width 1; test_bits.c carries them to width
// 4.
//
// Bounds: gamma(k) = k u / (1 - k u), u = 2^-53, for k roundings in a row (Higham 2002, ch. 3),
// times the sum of the sizes of the terms. k is counted generously from the formulas: a scalar
// product rounds 3 times, a cross product 2, R(q) 4 with the error of a unit quaternion, and so on.
#include <string.h>

#include "base/quat.h"
#include "base/spatial.h"
#include "harness.h"

static double gamma_of(int k)
{
  return k * 0x1p-53 / (1.0 - k * 0x1p-53);
}

enum { ROUNDS = 2000 };

// Arguments are evaluated in any order: random numbers are drawn one by one, the same everywhere.
static v3 in_box(jt_random *r, double s)
{
  double x = jt_random_in(r, -s, s), y = jt_random_in(r, -s, s), z = jt_random_in(r, -s, s);
  return v3_make(x, y, z);
}

static v3 any_v3(jt_random *r)
{
  return in_box(r, pow(10.0, jt_random_in(r, -3.0, 3.0)));
}

static m3 any_m3(jt_random *r)
{
  v3 x = any_v3(r), y = any_v3(r), z = any_v3(r);
  return m3_rows(x, y, z);
}

static s3 any_s3(jt_random *r)
{
  v3 a = any_v3(r), b = any_v3(r);
  return s3_make(a.x, a.y, a.z, b.x, b.y, b.z);
}

static q4 any_q(jt_random *r)
{
  q4 q;
  do {
    double w = jt_random_in(r, -1, 1);
    q = q_make(w, in_box(r, 1));
  } while (q_dot(q, q) > 1.0 || q_dot(q, q) < 0.01);
  return q_normalise(q);
}

static sv any_sv(jt_random *r)
{
  v3 a = any_v3(r), l = any_v3(r);
  return sv_make(a, l);
}

static double size_v3(v3 a)
{
  return fabs(a.x) + fabs(a.y) + fabs(a.z);
}
static double size_m3(m3 a)
{
  return size_v3(a.x) + size_v3(a.y) + size_v3(a.z);
}
static double size_s3(s3 a)
{
  return size_m3(s3_full(a));
}
static double size_sv(sv a)
{
  return size_v3(a.a) + size_v3(a.l);
}

static void near_v3(v3 a, v3 b, double tol)
{
  JT_NEAR(a.x, b.x, tol);
  JT_NEAR(a.y, b.y, tol);
  JT_NEAR(a.z, b.z, tol);
}

static void near_m3(m3 a, m3 b, double tol)
{
  near_v3(a.x, b.x, tol);
  near_v3(a.y, b.y, tol);
  near_v3(a.z, b.z, tol);
}

static void near_q(q4 a, q4 b, double tol)
{
  JT_NEAR(a.w, b.w, tol);
  near_v3(q_vector(a), q_vector(b), tol);
}

static void near_sv(sv a, sv b, double tol)
{
  near_v3(a.a, b.a, tol);
  near_v3(a.l, b.l, tol);
}

// ---- v3 ----

static void vectors_form_a_linear_space(void **state)
{
  (void)state;
  jt_random r = {1};
  for (int i = 0; i < ROUNDS; i++) {
    v3 a = any_v3(&r), b = any_v3(&r);
    double s = jt_random_in(&r, -2, 2), size = size_v3(a) + size_v3(b);
    near_v3(v3_add(a, v3_neg(b)), v3_sub(a, b), 0.0);
    near_v3(v3_axpy(s, a, b), v3_add(v3_scale(s, a), b), gamma_of(4) * 2.0 * size);
    near_v3(v3_scale(2.0, a), v3_add(a, a), 0.0);
    near_v3(v3_select(r_lt(1.0, 2.0), a, b), a, 0.0);
    near_v3(v3_select(r_lt(2.0, 1.0), a, b), b, 0.0);
    real memory[3];
    v3_store(memory, a);
    near_v3(v3_load(memory), a, 0.0);
  }
  near_v3(v3_set(1, 2, 3), v3_make(1, 2, 3), 0.0);
}

static void cross_product_is_orthogonal_and_spans_the_area(void **state)
{
  (void)state;
  near_v3(v3_cross(v3_set(1, 0, 0), v3_set(0, 1, 0)), v3_set(0, 0, 1), 0.0);
  near_v3(v3_cross(v3_set(0, 1, 0), v3_set(0, 0, 1)), v3_set(1, 0, 0), 0.0);
  near_v3(v3_cross(v3_set(0, 0, 1), v3_set(1, 0, 0)), v3_set(0, 1, 0), 0.0);
  jt_random r = {2};
  for (int i = 0; i < ROUNDS; i++) {
    v3 a = any_v3(&r), b = any_v3(&r), c = any_v3(&r);
    v3 n = v3_cross(a, b);
    double ab = size_v3(a) * size_v3(b), abc = ab * size_v3(c);
    JT_NEAR(v3_dot(n, a), 0.0, gamma_of(5) * ab * size_v3(a));
    JT_NEAR(v3_dot(n, b), 0.0, gamma_of(5) * ab * size_v3(b));
    near_v3(v3_cross(b, a), v3_neg(n), gamma_of(4) * ab);
    near_v3(v3_cross_add(a, b, c), v3_add(n, c), gamma_of(5) * (ab + size_v3(c)));
    JT_NEAR(v3_dot(n, n), v3_dot(a, a) * v3_dot(b, b) - v3_dot(a, b) * v3_dot(a, b),
            gamma_of(12) * 2.0 * ab * ab);  // Lagrange
    JT_NEAR(v3_dot(n, c), v3_dot(a, v3_cross(b, c)), gamma_of(10) * 2.0 * abc);
    v3 jacobi = v3_add(v3_cross(a, v3_cross(b, c)),
                       v3_add(v3_cross(b, v3_cross(c, a)), v3_cross(c, v3_cross(a, b))));
    near_v3(jacobi, v3_set(0, 0, 0), gamma_of(6) * 3.0 * abc);
  }
}

static void unit_vector_has_length_one(void **state)
{
  (void)state;
  jt_random r = {3};
  JT_NEAR(v3_norm(v3_set(2, 3, 6)), 7.0, 0.0);
  for (int i = 0; i < ROUNDS; i++) {
    v3 a = any_v3(&r), u = v3_unit(a);
    JT_NEAR(v3_norm(u), 1.0, gamma_of(8));
    near_v3(v3_cross(u, a), v3_set(0, 0, 0), gamma_of(8) * size_v3(a));
    assert_true(v3_dot(u, a) > 0.0);
  }
  assert_true(isnan(v3_unit(v3_set(0, 0, 0)).x));
}

// ---- m3 and s3 ----

static void matrix_products_agree_with_each_other(void **state)
{
  (void)state;
  jt_random r = {4};
  for (int i = 0; i < ROUNDS; i++) {
    m3 a = any_m3(&r), b = any_m3(&r);
    v3 v = any_v3(&r), w = any_v3(&r);
    double ab = size_m3(a) * size_m3(b), av = size_m3(a) * size_v3(v);
    near_v3(m3_mul_v3(m3_mul(a, b), v), m3_mul_v3(a, m3_mul_v3(b, v)),
            gamma_of(8) * 2.0 * ab * size_v3(v));
    near_m3(m3_tmul(a, b), m3_mul(m3_transpose(a), b), gamma_of(6) * ab);
    near_m3(m3_mult(a, b), m3_mul(a, m3_transpose(b)), gamma_of(6) * ab);
    near_v3(m3_tmul_v3(a, v), m3_mul_v3(m3_transpose(a), v), gamma_of(6) * av);
    near_m3(m3_mul(a, m3_identity()), a, 0.0);
    near_m3(m3_add(a, m3_scale(-1.0, b)), m3_sub(a, b), 0.0);
    near_m3(m3_transpose(m3_rows(a.x, a.y, a.z)), m3_columns(a.x, a.y, a.z), 0.0);
    near_v3(m3_mul_v3(m3_columns(a.x, a.y, a.z), v3_set(0, 1, 0)), a.y, 0.0);
    near_v3(m3_mul_v3(m3_skew(v), w), v3_cross(v, w), gamma_of(4) * size_v3(v) * size_v3(w));
    near_v3(m3_mul_v3(m3_outer(v, w), w), v3_scale(v3_dot(w, w), v),
            gamma_of(8) * 2.0 * size_v3(v) * size_v3(w) * size_v3(w));
  }
}

static void rotation_about_an_axis_keeps_it_and_adds_angles(void **state)
{
  (void)state;
  near_v3(m3_mul_v3(m3_about(v3_set(0, 0, 1), 0, 1), v3_set(1, 0, 0)), v3_set(0, 1, 0), 0.0);
  near_v3(m3_mul_v3(m3_about(v3_set(1, 0, 0), 0, 1), v3_set(0, 1, 0)), v3_set(0, 0, 1), 0.0);
  near_v3(m3_mul_v3(m3_about(v3_set(0, 1, 0), 0, 1), v3_set(0, 0, 1)), v3_set(1, 0, 0), 0.0);
  jt_random r = {5};
  for (int i = 0; i < ROUNDS; i++) {
    v3 u = v3_unit(any_v3(&r)), v = any_v3(&r);
    double s = jt_random_in(&r, -4, 4), t = jt_random_in(&r, -4, 4);
    m3 a = m3_about(u, cos(s), sin(s)), b = m3_about(u, cos(t), sin(t));
    near_v3(m3_mul_v3(a, u), u, gamma_of(20));
    // s + t rounds too: half an ulp of up to 8 is 8 u of angle.
    near_m3(m3_mul(a, b), m3_about(u, cos(s + t), sin(s + t)), gamma_of(60));
    JT_NEAR(v3_norm(m3_mul_v3(a, v)), v3_norm(v), gamma_of(30) * size_v3(v));
    near_m3(m3_tmul(a, a), m3_identity(), gamma_of(60));
  }
}

static void symmetric_matrices_agree_with_full_ones(void **state)
{
  (void)state;
  jt_random r = {6};
  for (int i = 0; i < ROUNDS; i++) {
    s3 a = any_s3(&r), b = any_s3(&r);
    m3 m = any_m3(&r), full = s3_full(a);
    v3 v = any_v3(&r), w = any_v3(&r);
    near_m3(full, m3_transpose(full), 0.0);
    near_m3(s3_full(s3_add(a, b)), m3_add(full, s3_full(b)), 0.0);
    near_m3(s3_full(s3_sub(a, b)), m3_sub(full, s3_full(b)), 0.0);
    near_m3(s3_full(s3_scale(3.0, a)), m3_scale(3.0, full), 0.0);
    near_v3(s3_mul_v3(a, v), m3_mul_v3(full, v), 0.0);
    near_m3(s3_full(s3_rotate(m, a)), m3_mul(m, m3_mult(full, m)),
            gamma_of(12) * size_m3(m) * size_m3(m) * size_m3(full));
    m3 direct = m3_sub(m3_scale(v3_dot(v, w), m3_identity()),
                       m3_scale(0.5, m3_add(m3_outer(v, w), m3_outer(w, v))));
    near_m3(s3_full(s3_inertia(v, w)), direct, gamma_of(10) * 2.0 * size_v3(v) * size_v3(w));
  }
}

static void rotated_tensor_keeps_its_invariants(void **state)
{
  (void)state;
  jt_random r = {7};
  for (int i = 0; i < ROUNDS; i++) {
    s3 a = any_s3(&r);
    s3 b = s3_rotate(q_to_m3(any_q(&r)), a);
    JT_NEAR(b.xx + b.yy + b.zz, a.xx + a.yy + a.zz, gamma_of(40) * 3.0 * size_s3(a));
    m3 f = s3_full(a), g = s3_full(b);
    JT_NEAR(v3_dot(g.x, g.x) + v3_dot(g.y, g.y) + v3_dot(g.z, g.z),
            v3_dot(f.x, f.x) + v3_dot(f.y, f.y) + v3_dot(f.z, f.z),
            gamma_of(80) * 3.0 * size_s3(a) * size_s3(a));
  }
}

// ---- q ----

static void rotation_matrix_is_the_documented_one(void **state)
{
  (void)state;
  jt_random r = {8};
  for (int i = 0; i < ROUNDS; i++) {
    q4 q = any_q(&r);
    v3 e = q_vector(q);
    m3 direct = m3_add(m3_scale(2 * q.w * q.w - 1, m3_identity()),
                       m3_add(m3_scale(2.0, m3_outer(e, e)), m3_scale(2 * q.w, m3_skew(e))));
    m3 m = q_to_m3(q);
    near_m3(m, direct, gamma_of(12));
    near_m3(m3_mult(m, m), m3_identity(), gamma_of(40));
    JT_NEAR(v3_dot(v3_cross(m.x, m.y), m.z), 1.0, gamma_of(60));
  }
  // A quarter turn to the left carries the body's x axis to the world's y.
  double c = sqrt(0.5);
  near_v3(m3_mul_v3(q_to_m3(q_make(c, v3_set(0, 0, c))), v3_set(1, 0, 0)), v3_set(0, 1, 0),
          gamma_of(4));
}

static void rotation_preserves_length_and_angle(void **state)
{
  (void)state;
  jt_random r = {9};
  for (int i = 0; i < ROUNDS; i++) {
    q4 q = any_q(&r);
    v3 a = any_v3(&r), b = any_v3(&r), c = q_rotate(q, a), d = q_rotate(q, b);
    double ab = size_v3(a) * size_v3(b);
    JT_NEAR(v3_norm(c), v3_norm(a), gamma_of(30) * size_v3(a));
    JT_NEAR(v3_dot(c, d), v3_dot(a, b), gamma_of(60) * 4.0 * ab);
    near_v3(v3_cross(c, d), q_rotate(q, v3_cross(a, b)), gamma_of(60) * 4.0 * ab);
    near_v3(m3_mul_v3(q_to_m3(q), a), c, gamma_of(30) * size_v3(a));
    near_v3(q_rotate_back(q, c), a, gamma_of(60) * size_v3(a));
    near_v3(q_rotate(q_scale(-1.0, q), a), c, 0.0);
  }
}

static void product_of_quaternions_is_product_of_rotations(void **state)
{
  (void)state;
  jt_random r = {10};
  for (int i = 0; i < ROUNDS; i++) {
    q4 p = any_q(&r), q = any_q(&r), s = any_q(&r);
    near_m3(q_to_m3(q_mul(p, q)), m3_mul(q_to_m3(p), q_to_m3(q)), gamma_of(60));
    near_q(q_mul(q_mul(p, q), s), q_mul(p, q_mul(q, s)), gamma_of(30));
    near_q(q_mul(q, q_conj(q)), q_identity(), gamma_of(12));
    near_q(q_mul(q, q_identity()), q, 0.0);
    JT_NEAR(q_dot(q_mul(p, q), q_mul(p, q)), 1.0, gamma_of(40));
    near_q(q_axpy(2.0, p, q), q_make(2 * p.w + q.w, v3_axpy(2.0, q_vector(p), q_vector(q))),
           gamma_of(3) * 3.0);
    q4 t = q_normalise(q_scale(jt_random_in(&r, 0.5, 20.0), p));
    near_q(t, p, gamma_of(12));
  }
}

// The same up to sign.
static void same_rotation(q4 a, q4 b, double tol)
{
  near_q(q_scale(q_dot(a, b) < 0.0 ? -1.0 : 1.0, a), b, tol);
}

static void matrix_gives_its_quaternion_back(void **state)
{
  (void)state;
  jt_random r = {11};
  // R errs by 6 u an element; a row of 4 q q' by 4 such, divided by twice a component of at least
  // 1/2, and normalised.
  const double tol = gamma_of(60);
  for (int i = 0; i < ROUNDS; i++) {
    q4 q = any_q(&r), p = q_from_m3(q_to_m3(q));
    same_rotation(p, q, tol);
    assert_true(p.w >= 0.0);
    JT_NEAR(q_dot(p, p), 1.0, gamma_of(12));
  }
  // Half turns, and as near to them as doubles come, about axes and between them.
  static const double axes[][3] = {{1, 0, 0},  {0, 1, 0}, {0, 0, 1},  {1, 1, 0}, {0, -1, 1},
                                   {1, 0, -1}, {1, 1, 1}, {-1, 1, 1}, {1, -2, 3}};
  static const double missing[] = {0.0, 1e-300, 1e-17, 1e-12, 1e-8, 1e-4, -1e-8, -1e-15};
  for (int i = 0; i < 9; i++)
    for (int j = 0; j < 8; j++) {
      v3 u = v3_unit(v3_set(axes[i][0], axes[i][1], axes[i][2]));
      q4 q = q_normalise(q_about(u, sin(0.5 * missing[j]), cos(0.5 * missing[j])));
      same_rotation(q_from_m3(q_to_m3(q)), q, tol);
    }
  near_q(q_from_m3(m3_identity()), q_identity(), 0.0);
}

static void exponential_and_logarithm_are_inverse(void **state)
{
  (void)state;
  jt_random r = {12};
  near_q(q_exp(v3_set(0, 0, 0)), q_identity(), 0.0);
  near_v3(q_log(q_identity()), v3_set(0, 0, 0), 0.0);
  for (int i = 0; i < ROUNDS; i++) {
    // Angles over all sizes; close to pi the logarithm is ill-conditioned in sign only, and half a
    // turn is left out.
    double angle = i % 2 ? pow(10.0, jt_random_in(&r, -300.0, 0.0)) : jt_random_in(&r, 0.0, 3.14);
    v3 a = v3_scale(angle, v3_unit(any_v3(&r)));
    q4 q = q_exp(a);
    JT_NEAR(q_dot(q, q), 1.0, gamma_of(12));
    // w errs by 2 u absolutely, and near a half angle of pi/4 and less e carries the digits: the
    // angle is right to a few u of itself.
    near_v3(q_log(q), a, gamma_of(24) * angle);
    near_v3(q_log(q_scale(-1.0, q)), q_log(q), 0.0);
    m3 m = m3_about(v3_unit(a), cos(v3_norm(a)), sin(v3_norm(a)));
    if (angle > 1e-100) near_m3(q_to_m3(q), m, gamma_of(60));
  }
  near_v3(q_log(q_make(0.0, v3_set(0, 0, 1))), v3_set(0, 0, 3.14159265358979323846),
          gamma_of(4) * 4.0);
  // On both sides of the change from series to quotient.
  for (double t = 0x1p-14; t < 0x1p-13; t *= 1.01) {
    q4 q = q_exp(v3_make(t, 0, 0));
    JT_NEAR(q.x, (double)sinl(0.5L * t), gamma_of(4) * t);
    JT_NEAR(q_log(q).x, t, gamma_of(12) * t);
  }
}

static void about_and_exponential_agree(void **state)
{
  (void)state;
  jt_random r = {13};
  for (int i = 0; i < ROUNDS; i++) {
    v3 u = v3_unit(any_v3(&r));
    double t = jt_random_in(&r, -6, 6);
    near_q(q_about(u, cos(t / 2), sin(t / 2)), q_exp(v3_scale(t, u)), gamma_of(30));
  }
}

static void rates_are_the_derivative_of_the_quaternion(void **state)
{
  (void)state;
  jt_random r = {14};
  const double h = 0x1p-17;
  for (int i = 0; i < ROUNDS; i++) {
    q4 q = any_q(&r);
    v3 w = in_box(&r, 5);
    // q(t) = q exp(w t) turns with w in body axes, exp(w t) q in world axes. Central difference:
    // the third derivative is |w/2|^3; each value errs by some 20 u.
    double tol = h * h / 6.0 * pow(0.5 * v3_norm(w), 3) + gamma_of(20) / h;
    q4 plus = q_exp(v3_scale(h, w)), minus = q_exp(v3_scale(-h, w));
    q4 body = q_scale(0.5 / h, q_axpy(-1.0, q_mul(q, minus), q_mul(q, plus)));
    q4 world = q_scale(0.5 / h, q_axpy(-1.0, q_mul(minus, q), q_mul(plus, q)));
    near_q(q_rate_body(q, w), body, tol);
    near_q(q_rate_world(q, w), world, tol);
    near_q(q_rate_world(q, q_rotate(q, w)), q_rate_body(q, w), gamma_of(60) * size_v3(w));
    JT_NEAR(q_dot(q, q_rate_body(q, w)), 0.0, gamma_of(20) * size_v3(w));  // length is kept
  }
}

// ---- sv and si ----

static void spatial_vectors_form_a_linear_space(void **state)
{
  (void)state;
  jt_random r = {15};
  for (int i = 0; i < ROUNDS; i++) {
    sv s = any_sv(&r), t = any_sv(&r);
    near_sv(sv_add(s, sv_neg(t)), sv_sub(s, t), 0.0);
    near_sv(sv_axpy(-3.0, s, t), sv_add(sv_scale(-3.0, s), t),
            gamma_of(4) * (3.0 * size_sv(s) + size_sv(t)));
    JT_NEAR(sv_dot(s, t), v3_dot(s.a, t.a) + v3_dot(s.l, t.l), 0.0);
  }
}

static void power_does_not_depend_on_point_or_axes(void **state)
{
  (void)state;
  jt_random r = {16};
  for (int i = 0; i < ROUNDS; i++) {
    sv m = any_sv(&r), f = any_sv(&r);
    v3 p = any_v3(&r), p2 = any_v3(&r);
    m3 rot = q_to_m3(any_q(&r));
    double reach = 1.0 + size_v3(p), size = size_sv(m) * size_sv(f);
    JT_NEAR(sv_dot(sv_shift_motion(m, p), sv_shift_force(f, p)), sv_dot(m, f),
            gamma_of(16) * 2.0 * size * reach * reach);
    JT_NEAR(sv_dot(sv_rotate(rot, m), sv_rotate(rot, f)), sv_dot(m, f), gamma_of(60) * 4.0 * size);
    near_sv(sv_rotate_back(rot, sv_rotate(rot, m)), m, gamma_of(60) * size_sv(m));
    double far = 1.0 + size_v3(p) + size_v3(p2);
    near_sv(sv_shift_motion(sv_shift_motion(m, p), p2), sv_shift_motion(m, v3_add(p, p2)),
            gamma_of(10) * size_sv(m) * far);
    near_sv(sv_shift_force(sv_shift_force(f, p), p2), sv_shift_force(f, v3_add(p, p2)),
            gamma_of(10) * size_sv(f) * far);
  }
}

static void shift_moves_to_the_named_point(void **state)
{
  (void)state;
  // Turning about z through O: the point at x = 2 moves along y. A force along y at x = 2 has no
  // moment about that point, and about O the moment 2.
  sv spin = sv_make(v3_set(0, 0, 3), v3_set(0, 0, 0));
  near_sv(sv_shift_motion(spin, v3_set(2, 0, 0)), sv_make(v3_set(0, 0, 3), v3_set(0, 6, 0)), 0.0);
  sv push = sv_make(v3_set(0, 0, 2), v3_set(0, 1, 0));
  near_sv(sv_shift_force(push, v3_set(2, 0, 0)), sv_make(v3_set(0, 0, 0), v3_set(0, 1, 0)), 0.0);
}

static void spatial_cross_products_obey_their_laws(void **state)
{
  (void)state;
  jt_random r = {17};
  for (int i = 0; i < ROUNDS; i++) {
    sv u = any_sv(&r), v = any_sv(&r), m = any_sv(&r), f = any_sv(&r);
    v3 p = any_v3(&r);
    double uv = size_sv(u) * size_sv(v), reach = 1.0 + size_v3(p);
    near_sv(sv_crm(v, v), sv_make(v3_set(0, 0, 0), v3_set(0, 0, 0)),
            gamma_of(5) * 2.0 * size_sv(v) * size_sv(v));
    // crf(v) = -crm(v)'
    JT_NEAR(sv_dot(m, sv_crf(v, f)), -sv_dot(sv_crm(v, m), f),
            gamma_of(12) * 4.0 * size_sv(m) * size_sv(v) * size_sv(f));
    // Jacobi: crm(u x v) = crm(u) crm(v) - crm(v) crm(u), and the same for crf
    double tol = gamma_of(12) * 8.0 * uv;
    near_sv(sv_crm(sv_crm(u, v), m), sv_sub(sv_crm(u, sv_crm(v, m)), sv_crm(v, sv_crm(u, m))),
            tol * size_sv(m));
    near_sv(sv_crf(sv_crm(u, v), f), sv_sub(sv_crf(u, sv_crf(v, f)), sv_crf(v, sv_crf(u, f))),
            tol * size_sv(f));
    // Products do not depend on the point they are taken at.
    near_sv(sv_crm(sv_shift_motion(u, p), sv_shift_motion(v, p)), sv_shift_motion(sv_crm(u, v), p),
            gamma_of(16) * 8.0 * uv * reach * reach);
    near_sv(sv_crf(sv_shift_motion(u, p), sv_shift_force(f, p)), sv_shift_force(sv_crf(u, f), p),
            gamma_of(16) * 8.0 * size_sv(u) * size_sv(f) * reach * reach);
  }
}

enum { POINTS = 8 };

typedef struct cloud {
  double mass[POINTS];
  v3 at[POINTS];
  double size;  // sum of m (1 + |r|)^2: the scale of every moment
} cloud;

static cloud any_cloud(jt_random *r)
{
  cloud c = {.size = 0.0};
  v3 centre = in_box(r, 3);
  for (int i = 0; i < POINTS; i++) {
    c.mass[i] = jt_random_in(r, 0.1, 10.0);
    c.at[i] = v3_add(centre, in_box(r, 1));
    c.size += c.mass[i] * (1.0 + size_v3(c.at[i])) * (1.0 + size_v3(c.at[i]));
  }
  return c;
}

// Mass, first moment and inertia by their definition, about the point p.
static si sum_of_points(const cloud *c, v3 p)
{
  si s = {0};
  for (int i = 0; i < POINTS; i++) {
    v3 d = v3_sub(c->at[i], p);
    s.m += c->mass[i];
    s.h = v3_add(s.h, v3_scale(c->mass[i], d));
    m3 k = m3_skew(d), j = m3_scale(-c->mass[i], m3_mul(k, k));  // -m skew(d)^2
    s.j = s3_add(s.j, s3_make(j.x.x, j.y.y, j.z.z, j.x.y, j.x.z, j.y.z));
  }
  return s;
}

static void near_si(si a, si b, double tol)
{
  JT_NEAR(a.m, b.m, tol);
  near_v3(a.h, b.h, tol);
  near_m3(s3_full(a.j), s3_full(b.j), tol);
}

static void inertia_is_the_sum_over_its_points(void **state)
{
  (void)state;
  jt_random r = {18};
  const v3 origin = v3_set(0, 0, 0);
  for (int i = 0; i < ROUNDS; i++) {
    cloud c = any_cloud(&r);
    double tol = gamma_of(POINTS + 20) * 4.0 * c.size;
    si whole = sum_of_points(&c, origin), joined = {0};
    for (int k = 0; k < POINTS; k++) {
      s3 none = s3_make(0, 0, 0, 0, 0, 0);
      joined = si_add(joined, si_from_cg(c.mass[k], c.at[k], none));
    }
    near_si(joined, whole, tol);

    v3 p = in_box(&r, 4);
    double far = (1.0 + size_v3(p)) * (1.0 + size_v3(p));
    near_si(si_shift(whole, p), sum_of_points(&c, p), tol * far);
    near_si(si_shift(si_shift(whole, p), v3_neg(p)), whole, 2.0 * tol * far);

    // Steiner: through the centre of gravity and back.
    v3 g = v3_scale(1.0 / whole.m, whole.h);
    si central = si_shift(whole, g);
    near_v3(central.h, origin, tol);
    near_si(si_from_cg(whole.m, g, central.j), whole, 4.0 * tol);

    m3 rot = q_to_m3(any_q(&r));
    cloud turned = c;
    for (int k = 0; k < POINTS; k++) turned.at[k] = m3_mul_v3(rot, c.at[k]);
    near_si(si_rotate(rot, whole), sum_of_points(&turned, origin), gamma_of(80) * 4.0 * c.size);
  }
}

static void momentum_and_energy_are_sums_over_points(void **state)
{
  (void)state;
  jt_random r = {19};
  for (int i = 0; i < ROUNDS; i++) {
    cloud c = any_cloud(&r);
    si whole = sum_of_points(&c, v3_set(0, 0, 0));
    v3 omega = in_box(&r, 2);
    sv v = sv_make(omega, any_v3(&r));
    sv direct = sv_make(v3_set(0, 0, 0), v3_set(0, 0, 0));
    double energy = 0.0;
    for (int k = 0; k < POINTS; k++) {
      v3 speed = v3_cross_add(v.a, c.at[k], v.l), p = v3_scale(c.mass[k], speed);
      direct = sv_add(direct, sv_make(v3_cross(c.at[k], p), p));
      energy += 0.5 * v3_dot(speed, p);
    }
    double tol = gamma_of(POINTS + 20) * 4.0 * c.size * size_sv(v);
    sv momentum = si_mul(whole, v);
    near_sv(momentum, direct, tol);
    JT_NEAR(0.5 * sv_dot(v, momentum), energy, tol * size_sv(v));

    // The product does not depend on the point or the axes.
    v3 p = in_box(&r, 4);
    double far = pow(1.0 + size_v3(p), 3);
    near_sv(si_mul(si_shift(whole, p), sv_shift_motion(v, p)), sv_shift_force(momentum, p),
            4.0 * tol * far);
    m3 rot = q_to_m3(any_q(&r));
    near_sv(si_mul(si_rotate(rot, whole), sv_rotate(rot, v)), sv_rotate(rot, momentum), 4.0 * tol);
    // Symmetric: u.(I v) = v.(I u)
    sv u = any_sv(&r);
    JT_NEAR(sv_dot(u, momentum), sv_dot(v, si_mul(whole, u)), tol * size_sv(u) * 2.0);
  }
}

static void massless_link_stays_massless(void **state)
{
  (void)state;
  si none = {0};
  si moved = si_rotate(m3_skew(v3_set(1, 2, 3)), si_shift(none, v3_set(1, -2, 3)));
  near_si(moved, none, 0.0);
  near_si(si_make(0.0, v3_set(0, 0, 0), s3_make(0, 0, 0, 0, 0, 0)), none, 0.0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(vectors_form_a_linear_space),
      cmocka_unit_test(cross_product_is_orthogonal_and_spans_the_area),
      cmocka_unit_test(unit_vector_has_length_one),
      cmocka_unit_test(matrix_products_agree_with_each_other),
      cmocka_unit_test(rotation_about_an_axis_keeps_it_and_adds_angles),
      cmocka_unit_test(symmetric_matrices_agree_with_full_ones),
      cmocka_unit_test(rotated_tensor_keeps_its_invariants),
      cmocka_unit_test(rotation_matrix_is_the_documented_one),
      cmocka_unit_test(rotation_preserves_length_and_angle),
      cmocka_unit_test(product_of_quaternions_is_product_of_rotations),
      cmocka_unit_test(matrix_gives_its_quaternion_back),
      cmocka_unit_test(exponential_and_logarithm_are_inverse),
      cmocka_unit_test(about_and_exponential_agree),
      cmocka_unit_test(rates_are_the_derivative_of_the_quaternion),
      cmocka_unit_test(spatial_vectors_form_a_linear_space),
      cmocka_unit_test(power_does_not_depend_on_point_or_axes),
      cmocka_unit_test(shift_moves_to_the_named_point),
      cmocka_unit_test(spatial_cross_products_obey_their_laws),
      cmocka_unit_test(inertia_is_the_sum_over_its_points),
      cmocka_unit_test(momentum_and_energy_are_sums_over_points),
      cmocka_unit_test(massless_link_stays_massless),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
