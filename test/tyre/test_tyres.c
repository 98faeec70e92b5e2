// Laws of the tyre kernels, of the brake and of the roads, one wheel at a time. Formulas here are written
// apart from those of the kernels, with libm.
#include "elements/road/road.h"
#include "elements/tyre/tyre_kinds.h"
#include "harness.h"
#include "mirrored.h"

static const double linear[TYRE_LINEAR_FIELDS] = {0.47, 280e3, 1e3, 60e3, 50e3, 5e3, 0.9};
static const double brush[TYRE_BRUSH_FIELDS] = {0.33, 2e5, 1500, 6e4, 5e4,
                                                4e3,  0.9, 0.2,  0.4, 5e-3};
static const double magic[TYRE_MF_FIELDS] = {0.33, 2e5, 60, 0.32, 0.25, 10, 1.65, 1, 0.5, 1};

static tyre_in upright(double speed, double side, double spin, double height)
{
  return (tyre_in){.axis = v3_set(0, 1, 0),
                   .velocity = v3_set(speed, side, 0),
                   .omega = v3_set(0, 0, 0),
                   .spin = spin,
                   .forward = v3_set(1, 0, 0),
                   .normal = v3_set(0, 0, 1),
                   .height = height,
                   .friction = 1.0};
}

static tyre_in anyhow(jt_random *r)
{
  tyre_in in = {
      .spin = jt_random_in(r, -40, 40), .height = jt_random_in(r, 0.25, 0.5), .friction = 1.0};
  in.axis =
      v3_unit(v3_set(jt_random_in(r, -1, 1), jt_random_in(r, 1, 2), jt_random_in(r, -0.5, 0.5)));
  in.velocity =
      v3_set(jt_random_in(r, -20, 20), jt_random_in(r, -5, 5), jt_random_in(r, -0.5, 0.5));
  in.omega = v3_set(jt_random_in(r, -1, 1), jt_random_in(r, -1, 1), jt_random_in(r, -1, 1));
  in.normal = v3_unit(v3_set(jt_random_in(r, -0.2, 0.2), jt_random_in(r, -0.2, 0.2), 1));
  in.forward = v3_set(1, 0, 0);
  for (int i = 0; i < 2; i++) in.state[i] = jt_random_in(r, -0.1, 0.1);
  return in;
}

// ---- linear -----------------------------------------------------------------------------------------

// As the common vehicle of the engines that jounce is compared with has it: on the plane z = 0, in world axes,
// with components written out.
static void peer_tyre(const double *axis, const double *p, const double *v, const double *w,
                      double *force, double *arm)
{
  const double q = 1.0 / sqrt(axis[0] * axis[0] + axis[1] * axis[1]);
  const double ahead[2] = {axis[1] * q, -axis[0] * q}, left[2] = {axis[0] * q, axis[1] * q};
  const double down[3] = {axis[2] * axis[0] * q, axis[2] * axis[1] * q, -1.0 / q};
  const double depth = 0.47 / q - p[2], fz = 280e3 * depth - 1e3 * v[2];
  for (int i = 0; i < 3; i++) force[i] = 0.0, arm[i] = p[2] * q * down[i];
  if (depth <= 0.0 || fz <= 0.0) return;
  const double vx = v[0] + w[1] * arm[2] - w[2] * arm[1], vy = v[1] + w[2] * arm[0] - w[0] * arm[2];
  const double over = fmax(1.0, fabs(v[0] * ahead[0] + v[1] * ahead[1]));
  const double sx = (vx * ahead[0] + vy * ahead[1]) / over,
               sy = (vx * left[0] + vy * left[1]) / over;
  const double g = fmin(1.0, fz / 5e3);
  double fx = -60e3 * g * sx, fy = -50e3 * g * atan(sy);
  const double size = hypot(fx, fy);
  if (size > 0.9 * fz) fx *= 0.9 * fz / size, fy *= 0.9 * fz / size;
  force[0] = fx * ahead[0] + fy * left[0];
  force[1] = fx * ahead[1] + fy * left[1];
  force[2] = fz;
}

static void linear_is_the_law_of_the_peers(void **state)
{
  (void)state;
  jt_random r = {3};
  int loaded = 0, sliding = 0;
  for (int i = 0; i < 2000; i++) {
    tyre_in in = anyhow(&r);
    in.normal = v3_set(0, 0, 1);
    const v3 turning = v3_axpy(in.spin, in.axis, in.omega);
    double axis[3], p[3] = {0, 0, in.height}, v[3], w[3], force[3], arm[3];
    v3_store(axis, in.axis), v3_store(v, in.velocity), v3_store(w, turning);
    peer_tyre(axis, p, v, w, force, arm);
    const tyre_out o = tyre_linear(linear, in);
    const double size = 1e-13 * 2e5;
    JT_NEAR(o.force.x, force[0], size);
    JT_NEAR(o.force.y, force[1], size);
    JT_NEAR(o.force.z, force[2], size);
    JT_NEAR(o.arm.x, arm[0], 1e-14);
    JT_NEAR(o.arm.z, arm[2], 1e-14);
    loaded += o.load > 0.0;
    sliding += hypot(o.fx, o.fy) > 0.899 * o.load && o.load > 0.0;
  }
  assert_in_range(loaded, 500, 1900);
  assert_in_range(sliding, 200, 1900);
}

// ---- mf-simple --------------------------------------------------------------------------------------

static void magic_formula_behind_a_relaxation(void **state)
{
  (void)state;
  for (double z = -1.0; z <= 1.0; z += 0.05) {
    tyre_in in = upright(8.0, 0.0, 24.0, 0.31);
    in.state[0] = z;
    const tyre_out o = tyre_mf_simple(magic, in);
    const double b = 10.0 * z, load = 2e5 * 0.02;
    JT_NEAR(o.load, load, 1e-9);
    JT_NEAR(o.fx, load * sin(1.65 * atan(b - 0.5 * (b - atan(b)))), 1e-9);
    JT_NEAR(o.rate_a[0], 8.0 / 0.25, 1e-12);
    JT_NEAR(o.rate_b[0] - o.rate_a[0] * z, (-8.0 * z - (8.0 - 0.32 * 24.0)) / 0.25, 1e-11);
    JT_NEAR(o.force.y, 0.0, 0.0);
  }
  // A wheel that is turned by a right angle pushes along its own heading, on a rig along x.
  tyre_in in = upright(0.0, 5.0, 10.0, 0.31);
  in.axis = v3_set(-1, 0, 0);  // heads to y
  in.state[0] = 0.1;
  JT_NEAR(tyre_mf_simple(magic, in).force.x, 0.0, 1e-9);
  assert_true(tyre_mf_simple(magic, in).force.y > 1e3);
  double rig[TYRE_MF_FIELDS];
  memcpy(rig, magic, sizeof rig);
  rig[TYRE_MF_WITH_WHEEL] = 0.0;
  assert_true(tyre_mf_simple(rig, in).force.x > 1e3);
}

// ---- brush ------------------------------------------------------------------------------------------

// States at which a tyre rolls on and on, found by going there.
static tyre_in steady(tyre_in in)
{
  for (int i = 0; i < 4000; i++) {
    const tyre_out o = tyre_brush(brush, in);
    for (int k = 0; k < 2; k++) {
      const double h = 2e-4, a = o.rate_a[k];
      in.state[k] += a > 0.0 ? (o.rate_b[k] / a - in.state[k]) * -expm1(-a * h) : h * o.rate_b[k];
    }
  }
  return in;
}

// Brush theory with parabolic pressure [Pac12, 3.2]: with theoretical slip s and th = C / (3 mu Fz),
// F = mu Fz (3 th s - 3 (th s)^2 + (th s)^3) up to th s = 1, and mu Fz beyond.
static void steady_brush_is_that_of_the_theory(void **state)
{
  (void)state;
  const double load = 2e5 * 0.02, mu = 0.9, x = load / 4e3, grows = 2.0 * x / (1.0 + x);
  for (double s = -0.6; s <= 0.6; s += 0.04) {
    const double v = 10.0, r = 0.31;
    // side slip of a wheel that rolls freely
    tyre_in side = steady(upright(v, s * v, v / r, r));
    double th = 5e4 * grows / (3 * mu * load), p = fmin(1.0, th * fabs(s));
    JT_NEAR(tyre_brush(brush, side).fy, -copysign(mu * load * (3 * p - 3 * p * p + p * p * p), s),
            1e-6 * load);
    // slip ahead: s = (r Omega - v) / (r Omega)
    tyre_in ahead = steady(upright(v, 0.0, v / r / (1.0 - s), r));
    th = 6e4 * grows / (3 * mu * load), p = fmin(1.0, th * fabs(s));
    JT_NEAR(tyre_brush(brush, ahead).fx, copysign(mu * load * (3 * p - 3 * p * p + p * p * p), s),
            1e-6 * load);
  }
  // A locked wheel slides: the whole friction, against the way.
  tyre_in locked = steady(upright(6.0, 8.0, 0.0, 0.31));
  JT_NEAR(tyre_brush(brush, locked).fx, -0.6 * mu * load, 1e-6 * load);
  JT_NEAR(tyre_brush(brush, locked).fy, -0.8 * mu * load, 1e-6 * load);
  // So does one that spins on the spot.
  tyre_in spins = steady(upright(0.0, 0.0, 50.0, 0.31));
  JT_NEAR(tyre_brush(brush, spins).fx, mu * load, 1e-6 * load);
}

static void forces_stay_in_the_friction_circle(void **state)
{
  (void)state;
  jt_random r = {5};
  for (int i = 0; i < 20000; i++) {
    const tyre_in in = anyhow(&r);
    const tyre_out b = tyre_brush(brush, in), l = tyre_linear(linear, in);
    JT_LE(hypot(b.fx, b.fy), 0.9 * b.load * (1.0 + 1e-14));
    JT_LE(hypot(l.fx, l.fy), 0.9 * l.load * (1.0 + 1e-14));
    for (int k = 0; k < 2; k++) JT_LE(0.0, b.rate_a[k]);
  }
}

// Left and right, ahead and back: the mirrored wheel has the mirrored force, to the last bit.
static void kernels_are_mirrored(void **state)
{
  (void)state;
  jt_random r = {6};
  for (int i = 0; i < 2000; i++) {
    const tyre_in a = anyhow(&r);
    const tyre_in b = mirrored(a);
    for (int kind = 0; kind < 3; kind++) {
      const tyre_out p = kind == 0   ? tyre_linear(linear, a)
                         : kind == 1 ? tyre_mf_simple(magic, a)
                                     : tyre_brush(brush, a);
      const tyre_out q = kind == 0   ? tyre_linear(linear, b)
                         : kind == 1 ? tyre_mf_simple(magic, b)
                                     : tyre_brush(brush, b);
      JT_NEAR(q.force.x, p.force.x, 1e-15 * p.load);
      JT_NEAR(q.force.y, -p.force.y, 1e-15 * p.load);
      JT_NEAR(q.force.z, p.force.z, 1e-15 * p.load);
    }
  }
}

// A wheel that stands is a spring with a damper: it gives back what was put in, and no motion is left over.
static void a_standing_tread_is_a_spring(void **state)
{
  (void)state;
  const double load = 2e5 * 0.02, x = load / 4e3, stiff = 5e4 * 2.0 * x / (1.0 + x) / 0.4;
  tyre_in in = upright(0.0, 0.0, 0.0, 0.31);
  in.state[1] = -1e-6;
  const tyre_out o = tyre_brush(brush, in);
  JT_NEAR(o.fy, -stiff * 1e-6, 1e-4 * stiff * 1e-6);
  JT_NEAR(o.rate_a[1], 0.0, 0.0);  // and stays so
  JT_NEAR(o.rate_b[1], 0.0, 0.0);
  in.state[1] = 0.0;
  in.velocity.y = 1e-6;
  JT_NEAR(tyre_brush(brush, in).fy, -stiff * 5e-3 * 1e-6, 1e-4 * stiff * 5e-3 * 1e-6);
  // At less than a fifth of the limit nothing wears off, however often it goes to and fro.
  const double limit = 3.0 * brush[TYRE_BRUSH_FRICTION] * load / (stiff * 0.4) * 0.4;
  in.velocity.y = 0.3;
  in.state[1] = 0.19 * limit;
  JT_NEAR(tyre_brush(brush, in).rate_a[1], 0.0, 0.0);
}

static void a_lifted_tread_springs_back(void **state)
{
  (void)state;
  tyre_in in = upright(10.0, 1.0, 20.0, 0.34);
  in.state[0] = 0.05;
  const tyre_out o = tyre_brush(brush, in);
  JT_NEAR(o.load, 0.0, 0.0);
  JT_NEAR(v3_norm(o.force), 0.0, 0.0);
  JT_NEAR(o.rate_b[0], 0.0, 0.0);
  JT_NEAR(o.rate_a[0], 200.0, 1e-9);
}

// The tread and the sliding take energy out and never bring it in, over any closed path.
static void sliding_takes_energy(void **state)
{
  (void)state;
  jt_random r = {8};
  for (int run = 0; run < 20; run++) {
    tyre_in in = upright(0.0, 0.0, 0.0, 0.31);
    double work = 0.0;
    const double fx = jt_random_in(&r, 0.2, 3), fy = jt_random_in(&r, 0.2, 3), h = 1e-4;
    for (int i = 0; i <= 20000; i++) {
      const double t = h * i, fade = sin(M_PI * t / 2.0);  // at rest at both ends
      in.velocity = v3_set(3 * fade * sin(fx * t * 6), 2 * fade * sin(fy * t * 6), 0);
      in.spin = 5 * fade * sin(7 * t);
      const tyre_out o = tyre_brush(brush, in);
      const v3 sliding = v3_cross_add(v3_scale(in.spin, in.axis), o.arm, in.velocity);
      work += h * v3_dot(o.force, sliding);
      JT_LE(work, 1e-2);  // J: what the first tenth of a millisecond rounds
      for (int k = 0; k < 2; k++) in.state[k] += h * (o.rate_b[k] - o.rate_a[k] * in.state[k]);
    }
    assert_true(work < -100.0);
  }
}

// ---- brake ------------------------------------------------------------------------------------------

static void a_brake_slides_at_its_limit_and_holds_below(void **state)
{
  (void)state;
  // against a torque on a wheel of 1 kg m2 that starts to turn
  for (int pull = 0; pull < 2; pull++) {
    double w = 20.0, z = 0.0;
    const double limit = 300.0, torque = pull ? 200.0 : 400.0, h = 1e-4;
    double last = 0.0;
    for (int i = 0; i < 40000; i++) {
      const brake_out o = brake(limit, 1.0, w, z);
      JT_LE(fabs(o.torque), limit);
      w += h * (torque - o.torque);
      z += o.a > 0.0 ? (o.b / o.a - z) * -expm1(-o.a * h) : h * o.b;
      last = o.torque;
    }
    if (pull) {
      JT_NEAR(w, 0.0, 1e-12);  // it has stopped, and the brake gives what it is asked for
      JT_NEAR(last, 200.0, 1e-9);
    } else {
      JT_NEAR(last, 300.0, 1e-9);
      JT_NEAR(w, 20.0 + 4.0 * 100.0, 0.5);
    }
  }
  const brake_out off = brake(0.0, 1.0, 30.0, 0.7);
  JT_NEAR(off.torque, 0.0, 0.0);
  JT_NEAR(off.b, 0.0, 0.0);
  JT_NEAR(brake(-5.0, 1.0, 30.0, 0.7).torque, 0.0, 0.0);
}

// ---- roads ------------------------------------------------------------------------------------------

static const jn_road roads[] = {
    {.form = JN_ROAD_FLAT, .p = {1, [ROAD_LEVEL] = 0.3, [ROAD_GRADE] = 0.2, [ROAD_BANK] = -0.1}},
    {.form = JN_ROAD_HALF_SINE, .p = {1, [ROAD_AT] = 1, [ROAD_LENGTH] = 0.5, [ROAD_HEIGHT] = 0.05}},
    {.form = JN_ROAD_PLATEAU,
     .p = {1, [ROAD_AT] = 1, [ROAD_LENGTH] = 2, [ROAD_HEIGHT] = 0.02, [ROAD_EDGE] = 0.3}},
};

static road_hit hit_of(const jn_road *r, double x, double y, double t)
{
  return road_at(r->form, r->p, &(road_query){.x = x, .y = y, .z = 1.0, .post = x, .time = t});
}

static double height_of(const jn_road *r, double x, double y)
{
  const double *p = r->p, s = x - p[ROAD_AT], length = p[ROAD_LENGTH], height = p[ROAD_HEIGHT];
  const int shape = road_shape(r->form);
  if (shape == JN_ROAD_FLAT) return p[ROAD_LEVEL] + p[ROAD_GRADE] * x + p[ROAD_BANK] * y;
  if (s < 0 || s > length) return 0.0;
  if (shape == JN_ROAD_HALF_SINE) return height * sin(M_PI * s / length);
  const double edge = fmin(s, length - s);
  return edge >= p[ROAD_EDGE] ? height : 0.5 * height * (1 - cos(M_PI * edge / p[ROAD_EDGE]));
}

static void roads_have_their_heights_and_normals(void **state)
{
  (void)state;
  for (int k = 0; k < 3; k++)
    for (double x = 0.5; x < 3.5; x += 0.0137) {
      const jn_road *r = &roads[k];
      const road_hit h = hit_of(r, x, 0.7, 0.0);
      JT_NEAR(h.z, height_of(r, x, 0.7), 1e-15);
      const double e = 1e-6,
                   slope = (height_of(r, x + e, 0.7) - height_of(r, x - e, 0.7)) / (2 * e);
      const bool bends = k && (fabs(x - r->p[ROAD_AT]) < 2 * e ||
                               fabs(x - r->p[ROAD_AT] - r->p[ROAD_LENGTH]) < 2 * e);
      if (!bends) JT_NEAR(h.slope_x, slope, 1e-6);
      JT_NEAR(v3_norm(h.normal), 1.0, 1e-15);
      JT_NEAR(h.normal.x / h.normal.z, -h.slope_x, 1e-15);
    }
}

// The point under a moving centre: its height along `up`, and the rate of that.
static void a_point_follows_the_road(void **state)
{
  (void)state;
  for (int k = 0; k < 3; k++) {
    const v3 v = v3_set(7, 2, 0.3), c = v3_set(1.13, 0.4, 0.6);
    const double e = 1e-7;
    double height[2];
    for (int i = 0; i < 2; i++) {
      const v3 at = v3_axpy(i ? e : -e, v, c);
      const road_hit h = hit_of(&roads[k], at.x, at.y, 0.0);
      height[i] = road_follow(&h, at, v).height;
    }
    const road_hit h = hit_of(&roads[k], c.x, c.y, 0.0);
    const road_plane p = road_follow(&h, c, v);
    JT_NEAR((height[1] - height[0]) / (2 * e), v3_dot(v, p.normal) - p.rate, 1e-7);
    const road_plane q =
        road_touch(&h, c);  // the tangent plane passes through the road under the centre
    JT_NEAR(q.height, v3_dot(v3_sub(c, v3_set(c.x, c.y, h.z)), q.normal), 1e-15);
  }
}

static void a_moving_road_lifts_its_posts(void **state)
{
  (void)state;
  jn_road r = roads[1];
  r.form |= ROAD_MOVES, r.p[ROAD_SPEED] = 4.0;
  for (double t = 0.0; t < 0.6; t += 0.0071) {
    const road_hit h = hit_of(&r, 0.2, 0.0, t);
    JT_NEAR(h.z, height_of(&roads[1], 0.2 + 4.0 * t, 0.0), 1e-15);
    JT_NEAR(h.rate, 4.0 * hit_of(&roads[1], 0.2 + 4.0 * t, 0.0, 0.0).slope_x, 1e-14);
    JT_NEAR(h.normal.z, 1.0, 0.0);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(linear_is_the_law_of_the_peers),
      cmocka_unit_test(magic_formula_behind_a_relaxation),
      cmocka_unit_test(steady_brush_is_that_of_the_theory),
      cmocka_unit_test(forces_stay_in_the_friction_circle),
      cmocka_unit_test(kernels_are_mirrored),
      cmocka_unit_test(a_standing_tread_is_a_spring),
      cmocka_unit_test(a_lifted_tread_springs_back),
      cmocka_unit_test(sliding_takes_energy),
      cmocka_unit_test(a_brake_slides_at_its_limit_and_holds_below),
      cmocka_unit_test(roads_have_their_heights_and_normals),
      cmocka_unit_test(a_point_follows_the_road),
      cmocka_unit_test(a_moving_road_lifts_its_posts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
