// One wheel on a tyre as the model builds it, its kernel asked directly: steady state and lag, load and radii by
// hand, left and right, ahead and back, work.
#include "rolling_case.h"
#include "tyre/mirrored.h"

// One wheel at the left (or elsewhere), with a section "tyres" and more keys.
static jt_run one_wheel(const char *tyres, const char *tyre, double y, const char *keys)
{
  char text[2048];
  snprintf(text, sizeof text,
           "jounce: 1\nname: wheel\n%sbodies:\n  hub: {mass: 400, cg: [0, 0, 1], inertia: [9, 9, "
           "9]}\nforces:\n  w: {type: wheel, body: hub, at: [0, %g, 1], inertia: 1, tyre: %s%s}\n",
           tyres, y, tyre, keys);
  return jt_start(jt_parse(text), NULL, &(jn_sim_opts){.step = 1e-3});
}

static jt_run one_wheel_of(const rolling_tyre *t, double y, const char *keys)
{
  char tyres[512];
  snprintf(tyres, sizeof tyres, t->yaml, 0.5 * t->nominal);
  return one_wheel(tyres, t->tyre, y, keys);
}

static tyre_out at(const jt_run *r, tyre_in in)
{
  const jn_wheel *w = &r->system->wheel[0];
  in.table = r->system->table;
  return tyre_at(w->tyre.kind, w->tyre.form, w->tyre.p, in);
}

// A wheel that heads along x, leans to the right by camber and turns with spin.
static tyre_in posed(double vx, double vy, double spin, double height, double camber)
{
  return (tyre_in){.axis = v3_set(0, cos(camber), sin(camber)),
                   .velocity = v3_set(vx, vy, 0),
                   .omega = v3_set(0, 0, 0),
                   .spin = spin,
                   .forward = v3_set(1, 0, 0),
                   .normal = v3_set(0, 0, 1),
                   .height = height,
                   .friction = 1.0};
}

static tyre_in gone(const jt_run *r, tyre_in in, double time, double step)
{
  for (double t = 0.0; t < time - 0.5 * step; t += step) {
    const tyre_out o = at(r, in);
    for (int k = 0; k < 2; k++) {
      const double a = o.rate_a[k];
      in.state[k] +=
          a > 0.0 ? (o.rate_b[k] / a - in.state[k]) * -expm1(-a * step) : step * o.rate_b[k];
    }
  }
  return in;
}

// Height at which it carries about what it is meant for.
static double height_of(const rolling_tyre *t)
{
  return t->radius - t->load / t->stiffness;
}

// ---- steady state -----------------------------------------------------------------------------------

// Slips by their definitions: the wheel's centre moves with (vx, vy) and the tread at Re Omega. Forces are then those
// of the law, which is tested elsewhere against formulas of others.
static void steady_forces_are_those_of_the_law(void **state)
{
  (void)state;
  static const double slips[][3] = {
      {0.01, 0.02, 0.0}, {-0.03, 0.0, 0.05}, {0.0, -0.08, -0.04},  {-0.12, 0.1, 0.03},
      {0.3, -0.4, 0.0},  {-0.6, 0.2, 0.02},  {-0.999, 0.05, 0.01},
  };
  for (int i = 1; i < ROLLING_TYRES; i++)  // brush is no law
    for (int right = 0; right < 2; right++)
      for (size_t k = 0; k < sizeof slips / sizeof *slips; k++) {
        const rolling_tyre *t = &rolling_tyres[i];
        jt_run r = one_wheel_of(t, right ? -0.75 : 0.75, "");
        const double kappa = slips[k][0], tan_alpha = slips[k][1], camber = slips[k][2], v = 15.0;
        // The rolling radius may depend on the spin: a few rounds find the spin.
        double spin = v / t->radius;
        for (int n = 0; n < 50; n++)
          spin = (1.0 + kappa) * v / at(&r, posed(v, 0, spin, height_of(t), camber)).rolling_radius;
        const tyre_in in = gone(&r, posed(v, v * tan_alpha, spin, height_of(t), camber), 4.0, 1e-3);
        const tyre_out o = at(&r, in);
        const jn_wheel *w = &r.system->wheel[0];
        const double side = w->tyre.side == TIR_LEFT && right ? -1.0 : 1.0;
        const tyre_forces f = rolling_law(r.system, w,
                                          (tyre_slip){.kappa = kappa,
                                                      .tan_alpha = side * tan_alpha,
                                                      .camber = side * camber,
                                                      .load = o.load,
                                                      .speed = v,
                                                      .forward = 1.0,
                                                      .rolling = fmin(1.0, 1e3 * (1.0 + kappa))});
        const double size = 1e-9 * t->load;
        assert_true(o.load > 0.3 * t->load);
        JT_NEAR(o.fx, f.fx, size);
        JT_NEAR(o.fy, side * f.fy, size);
        JT_NEAR(o.mx, side * f.mx, size);
        JT_NEAR(o.mz, side * f.mz, size);
        // fiala and carpet: what the arm between rolling and loaded radius would give for nothing is taken back
        const double arm =
            w->tyre.kind == JN_TYRE_MAGIC_FORMULA ? 0.0 : o.loaded_radius - o.rolling_radius;
        if (kappa > -0.9) JT_NEAR(o.my, f.my + arm * f.fx, size);
        jt_end(&r);
      }
}

// A step of the slip, small enough that forces are linear in it: what is missing of the force fades with exp(-x /
// sigma) over the way x. Where the file wants no relaxation, sigma is shorter by the speed over VXLOW, 1 m/s,
// but takes 2.5 ms to pass.
static void slips_follow_over_the_relaxation_length(void **state)
{
  (void)state;
  for (int i = 0; i < ROLLING_TYRES; i++)
    for (int side = 0; side < 2; side++) {
      const rolling_tyre *t = &rolling_tyres[i];
      jt_run r = one_wheel_of(t, 0.75, "");
      const double v = 5.0, s = 1e-5;
      double spin = v / t->radius;
      for (int n = 0; n < 50; n++)
        spin = (1.0 + (side ? 0.0 : s)) * v /
               at(&r, posed(v, 0, spin, height_of(t), 0)).rolling_radius;
      tyre_in in = posed(v, side ? s * v : 0.0, spin, height_of(t), 0.0);
      const tyre_limits limits = rolling_limits(r.system, &r.system->wheel[0], at(&r, in).load);
      const bool none = strstr(t->name, "steady");
      const double least = 2.5e-3 * v, full = limits.relaxation[side];
      const double sigma = none ? fmin(full, fmax(full / v, least)) : full;
      double missing[2];
      const tyre_out end = at(&r, gone(&r, in, 40.0 * sigma / v, 0.01 * sigma / v));
      for (int n = 0; n < 2; n++) {
        in = gone(&r, in, sigma / v, 1e-3 * sigma / v);
        const tyre_out o = at(&r, in);
        missing[n] = side ? end.fy - o.fy : end.fx - o.fx;
      }
      const double length = sigma / log(missing[0] / missing[1]);
      // The force is that of the deflection 5 ms ahead: less is missing by 1 + v T / sigma.
      const double first = missing[0] * exp(1.0) * (1.0 + v * 5e-3 / sigma) /
                           (limits.stiffness[side] * s) * (side ? -1.0 : 1.0);
      print_message("  %-18s %s: %.5f m, is to be %.5f m; at once %.4f of the force is missing\n",
                    t->name, side ? "side " : "ahead", length, sigma, first);
      JT_NEAR(length, sigma, 2e-3 * sigma);
      if (i) JT_NEAR(first, 1.0, 0.02);  // the stiffness of brush is that of its nominal load
      jt_end(&r);
    }
}

// ---- left and right, ahead and back -----------------------------------------------------------------

static tyre_in anyhow(jt_random *r, const rolling_tyre *t)
{
  tyre_in in = posed(jt_random_in(r, -20, 20), jt_random_in(r, -5, 5), jt_random_in(r, -40, 40),
                     height_of(t) + jt_random_in(r, -0.01, 0.015), 0.0);
  in.axis =
      v3_unit(v3_set(jt_random_in(r, -1, 1), jt_random_in(r, 1, 2), jt_random_in(r, -0.2, 0.2)));
  in.omega = v3_set(jt_random_in(r, -1, 1), jt_random_in(r, -1, 1), jt_random_in(r, -1, 1));
  in.normal = v3_unit(v3_set(jt_random_in(r, -0.2, 0.2), jt_random_in(r, -0.2, 0.2), 1));
  for (int i = 0; i < 2; i++) in.state[i] = jt_random_in(r, -0.02, 0.02);
  return in;
}

static double apart(const tyre_out *p, const tyre_out *q)
{
  const double d[] = {
      q->force.x - p->force.x,     q->force.y + p->force.y,       q->force.z - p->force.z,
      q->moment.x + p->moment.x,   q->moment.y - p->moment.y,     q->moment.z + p->moment.z,
      q->rate_b[0] - p->rate_b[0], q->rate_b[1] + p->rate_b[1],   q->rate_a[0] - p->rate_a[0],
      q->rate_a[1] - p->rate_a[1], q->slip_angle + p->slip_angle, q->camber + p->camber};
  double worst = 0.0;
  for (size_t i = 0; i < sizeof d / sizeof *d; i++) worst = fmax(worst, fabs(d[i]));
  return worst;
}

// The mirror image of a vehicle moves as the mirror image, whichever side the tyre was measured on; `side` puts a
// wheel on the other side, and a negative USE_MODE means the same.
static void a_mirrored_wheel_has_mirrored_forces(void **state)
{
  (void)state;
  for (int i = 0; i < ROLLING_TYRES; i++) {
    const rolling_tyre *t = &rolling_tyres[i];
    jt_run left = one_wheel_of(t, 0.75, ""), right = one_wheel_of(t, -0.75, "");
    jt_run named = one_wheel_of(t, 0.75, ", side: right"),
           back = one_wheel_of(t, -0.75, ", side: left");
    jt_random random = {11};
    double plain = 0.0;
    int loaded = 0;
    for (int k = 0; k < 500; k++) {
      const tyre_in a = anyhow(&random, t), b = mirrored(a);
      const tyre_out p = at(&left, a), q = at(&right, b), s = at(&named, b), u = at(&back, a);
      const double size = 1e-14 * (p.load + 1e3);
      JT_LE(apart(&p, &q), size);
      assert_memory_equal(&q, &s, sizeof q);
      assert_memory_equal(&p, &u, sizeof p);
      const tyre_out same = at(&left, b);
      plain = fmax(plain, apart(&p, &same));
      loaded += p.load > 0.0;
    }
    assert_in_range(loaded, 100, 500);
    // Files have plysteer and conicity: unmirrored, such a tyre is no mirror image. The others are.
    if (left.system->wheel[0].tyre.side != TIR_EITHER)
      assert_true(plain > 1.0);
    else
      JT_LE(plain, 1e-9);
    jt_end(&left), jt_end(&right), jt_end(&named), jt_end(&back);
  }
  jt_run plus = one_wheel(
      "tyres:\n  t: {type: magic-formula, file: models/tyres/sample.tir, "
      "use_mode: 14}\n",
      "t", -0.75, "");
  jt_run minus = one_wheel(
      "tyres:\n  t: {type: magic-formula, file: models/tyres/sample.tir, "
      "use_mode: -14}\n",
      "t", 0.75, "");
  jt_random random = {12};
  for (int k = 0; k < 100; k++) {
    const tyre_in a = anyhow(&random, &rolling_tyres[7]);
    const tyre_out p = at(&plus, a), q = at(&minus, a);
    assert_memory_equal(&p, &q, sizeof p);
  }
  jt_end(&plus), jt_end(&minus);
}

// In reverse the side force is still against the sliding, rolling resistance against the rolling, and the trail,
// behind the wheel's centre as it moves, is ahead of it as it heads: that part of Mz changes its sign.
static void in_reverse_forces_know_where_the_wheel_goes(void **state)
{
  (void)state;
  for (int i = 0; i < ROLLING_TYRES; i++) {
    const rolling_tyre *t = &rolling_tyres[i];
    jt_run r = one_wheel_of(t, 0.75, "");
    for (int left = -1; left <= 1; left += 2) {
      tyre_out o[2];
      for (int back = 0; back < 2; back++) {
        const double v = back ? -8.0 : 8.0;
        double spin = v / t->radius;
        for (int n = 0; n < 50; n++)
          spin = v / at(&r, posed(v, 0, spin, height_of(t), 0)).rolling_radius;
        const tyre_in in = posed(v, 0.05 * 8.0 * left, spin, height_of(t), 0);
        o[back] = at(&r, gone(&r, in, 4.0, 1e-3));
        assert_true(o[back].fy * left < -0.05 * t->load);
        if (strcmp(t->name, "brush") && strcmp(t->name, "mf ellipse"))  // these have none
          assert_true(o[back].my * spin < 0.0);
        JT_NEAR(o[back].rolling_radius * spin, v, 1e-9);
      }
      JT_NEAR(o[1].load, o[0].load, 1e-9 * t->load);
      JT_NEAR(o[1].fy, o[0].fy, 1e-6 * t->load);
      if (!i) continue;
      // ahead: turns the wheel into the direction of travel, to the left where it slides to the left
      assert_true(o[0].mz * left > 1e-4 * t->load);
      assert_true(o[1].mz * left < -1e-4 * t->load);
    }
    jt_end(&r);
  }
}

// ---- load and radii ---------------------------------------------------------------------------------

// A tyre of no file: what is not given is zero, or one.
#define BARE61(more)                                                                               \
  "tyres:\n  t: {type: magic-formula, version: 61, use_mode: 14, coefficients: {UNLOADED_RADIUS: " \
  "0.32, FNOMIN: 4e3, VERTICAL_STIFFNESS: 2e5, LONGVL: 16, NOMPRES: 2e5, LONGITUDINAL_STIFFNESS: " \
  "3e5, LATERAL_STIFFNESS: 1e5, PCX1: 1.6, PDX1: 1, PKX1: 20, PCY1: 1.3, PDY1: 1, PKY1: -15, "     \
  "PKY2: 1.5, PKY4: 2, " more "}"

typedef struct vertical_case {
  const char *yaml;
  double spin, height, camber, rate;  // rate: of the centre, upwards
  double load;
} vertical_case;

// MF-Tyre 6.1 [Besselink et al. 2010, A1 to A8], with numbers put in by hand, R0 0.32 m, Fz0 4 kN, cz 200 kN/m, V0 16
// m/s:
//   Fz = Fz0 (1 + Q_V2 R0/V0 |Omega|) (q1 r/R0 + q2 (r/R0)^2) (1 + PFZ1 dpi),   q1 = sqrt((cz R0/Fz0)^2 - 4 q2)
// with cz R0 / Fz0 = 16, and r the deflection of a tyre of the radius R0 (Q_RE0 + Q_V1 (Omega R0/V0)^2).
static void load_is_that_of_the_formulas(void **state)
{
  (void)state;
  const double r0 = 0.32;
  const vertical_case cases[] = {
      {BARE61("LCX: 1") "}\n", 0, 0.30, 0, 0, 4e3},                   // 200 kN/m times 20 mm
      {BARE61("LCX: 1") "}\n", 40, 0.30, 0, 0, 4e3},                  // whatever the spin
      {BARE61("LCZ: 1.5") "}\n", 0, 0.30, 0, 0, 6e3},                 //
      {BARE61("Q_FZ1: 12") "}\n", 0, 0.30, 0, 0, 4e3 * 12 * 0.0625},  //
      {BARE61("Q_FZ2: 15") "}\n", 0, 0.30, 0, 0,                      // q1 = sqrt(256 - 60) = 14
       4e3 * (14 * 0.0625 + 15 * 0.0625 * 0.0625)},                   //
      {BARE61("PFZ1: 0.7") ", pressure: 2.4e5}\n", 0, 0.30, 0, 0, 4e3 * 1.14},  // dpi = 0.2
      {BARE61("Q_V2: 0.05") "}\n", 40, 0.30, 0, 0, 4e3 * (1 + 0.05 * 0.8)},  // R0 Omega / V0 = 0.8
      {BARE61("Q_V2: 0.05") "}\n", -40, 0.30, 0, 0, 4e3 * (1 + 0.05 * 0.8)},
      {BARE61("Q_V1: 1e-3") "}\n", 40, 0.30, 0, 0, 2e5 * (0.02 + r0 * 1e-3 * 0.64)},
      {BARE61("Q_RE0: 0.99") "}\n", 0, 0.30, 0, 0, 2e5 * (0.02 - 0.01 * r0)},
      // leaning: R cos(camber) - h deep, and Q_FZ3 by sin(camber) squared
      {BARE61("LCX: 1") "}\n", 0, 0.29, 0.2, 0, 2e5 * (r0 * cos(0.2) - 0.29)},
      {BARE61("Q_FZ3: 5") "}\n", 0, 0.29, 0.2, 0,
       (2e5 + 5 * 4e3 / r0 * sin(0.2) * sin(0.2)) * (r0 * cos(0.2) - 0.29)},
      // damping as given at Fz0, in proportion to the load; it only pushes
      {BARE61("VERTICAL_DAMPING: 800") "}\n", 0, 0.31, 0, -0.5, 2e3 * (1 + 800 * 0.5 / 4e3)},
      {BARE61("VERTICAL_DAMPING: 800") "}\n", 0, 0.31, 0, 0.5, 2e3 * (1 - 800 * 0.5 / 4e3)},
      {BARE61("VERTICAL_DAMPING: 800") "}\n", 0, 0.31, 0, 6.0, 0},
      // on the rim: 0.1905 m and the offset of 0.01 m of the file
      {BARE61("BOTTOM_STIFF: 3e6, RIM_RADIUS: 0.19, BOTTOM_OFFST: 0.01") "}\n", 0, 0.195, 0, 0,
       2e5 * 0.125 + 3e6 * 0.005},
      {BARE61("BOTTOM_STIFF: 3e6, RIM_RADIUS: 0.19, BOTTOM_OFFST: 0.01") "}\n", 0, 0.201, 0, 0,
       2e5 * 0.119},
      // by curves: over the deflection, or over the depth below a radius
      {BARE61("LCX: 1") ", bottoming_curve: [[0, 0], [0.1, 0], [0.2, 3e5]]}\n", 0, 0.12, 0, 0,
       2e5 * 0.2 + 3e5},
      {BARE61("BOTTOMING_RADIUS: 0.2") ", bottoming_curve: [[0, 0], [0.1, 3e5]]}\n", 0, 0.17, 0, 0,
       2e5 * 0.15 + 0.9e5},
      {BARE61("BOTTOMING_RADIUS: 0.2") ", bottoming_curve: [[0, 0], [0.1, 3e5]]}\n", 0, 0.21, 0, 0,
       2e5 * 0.11},
      {BARE61("LCX: 1") ", load_curve: [[0, 0], [0.02, 3e3], [0.06, 1.1e4]]}\n", 0, 0.30, 0, 0,
       3e3},
      {BARE61("LCX: 1") ", load_curve: [[0, 0], [0.02, 3e3]]}\n", 0, 0.31, 0, 0, 1.5e3},
      // version 5.2 as it was found: 1e6 N/m and LCZ = 0.4419
      {"tyres:\n  t: {type: magic-formula, file: models/tyres/HMMWV_Pac02Tire.tir}\n", 0, 0.4599, 0,
       0, 441900 * 0.01},
      // a deflection-load curve as it was found; beyond 0.10546 m the rim, 563080 N within 0.2 m
      {"tyres:\n  t: {type: magic-formula, file: test/tir/data/335_65R22_5_G275MSA_40psi.tir}\n", 0,
       0.4487, 0, 0, 17876.049},
      {"tyres:\n  t: {type: magic-formula, file: test/tir/data/335_65R22_5_G275MSA_40psi.tir}\n", 0,
       0.3987, 0, 0, 40051.666},
      // in the air, or just so
      {BARE61("LCX: 1") "}\n", 30, 0.33, 0, -1, 0},
      {BARE61("LCX: 1") "}\n", 30, 0.32, 0, -1, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const vertical_case *c = &cases[i];
    jt_run r = one_wheel(c->yaml, "t", 0.75, "");
    tyre_in in = posed(5, 0.3, c->spin, c->height, c->camber);
    in.velocity.z = c->rate;
    in.state[0] = 1e-3, in.state[1] = -2e-3;
    const tyre_out o = at(&r, in);
    if (!(fabs(o.load - c->load) <= 1e-9 * (1e3 + c->load)))
      fail_msg("case %d: load %.12g, by hand %.12g", (int)i, o.load, c->load);
    JT_NEAR(o.loaded_radius, c->height / cos(c->camber), 1e-14);
    JT_NEAR(v3_dot(o.force, in.normal), o.load, 1e-9 * (1.0 + c->load));
    if (c->load == 0.0) {
      const double all = fabs(o.fx) + fabs(o.fy) + fabs(o.mx) + fabs(o.my) + fabs(o.mz) +
                         v3_norm(o.force) + v3_norm(o.moment) + fabs(o.utilisation);
      JT_NEAR(all, 0.0, 0.0);
    } else {
      assert_true(hypot(o.fx, o.fy) > 1.0);
    }
    jt_end(&r);
  }
}

// Re = R_Omega - Fz0 / cz (D atan(B Fz / Fz0) + F Fz / Fz0) [Besselink et al. 2010, A7]; cz grows with the pressure,
// R_Omega with the spin. Where a file has none of B, D and F, and for other tyres, R less a third of the deflection.
static void rolling_radius_is_that_of_the_formula(void **state)
{
  (void)state;
  const double r0 = 0.32;
  jt_run r = one_wheel(
      BARE61("BREFF: 8, DREFF: 0.25, FREFF: 0.07, PFZ1: 0.7, Q_V1: 1e-3") ", pressure: 2.4e5}\n",
      "t", 0.75, "");
  for (double depth = 0.002; depth < 0.05; depth += 0.006)
    for (double spin = -50; spin <= 50; spin += 25) {
      const double grown = r0 + r0 * 1e-3 * pow(spin * r0 / 16.0, 2), x = depth * 2.28e5 / 4e3;
      const tyre_out o = at(&r, posed(5, 0, spin, grown - depth, 0));
      JT_NEAR(o.load, 4e3 * x, 1e-8);
      JT_NEAR(o.deflection, depth, 1e-14);
      JT_NEAR(o.rolling_radius, grown - 4e3 / 2.28e5 * (0.25 * atan(8 * x) + 0.07 * x), 1e-13);
    }
  jt_end(&r);
  jt_run plain = one_wheel(BARE61("BREFF: 0, DREFF: 0, FREFF: 0") "}\n", "t", 0.75, "");
  JT_NEAR(at(&plain, posed(5, 0, 0, 0.29, 0)).rolling_radius, 0.31, 1e-14);
  jt_end(&plain);
  for (int i = 1; i < 3; i++) {
    jt_run other = one_wheel_of(&rolling_tyres[i], 0.75, "");
    const double radius = rolling_tyres[i].radius;
    JT_NEAR(at(&other, posed(5, 0, 0, radius - 0.03, 0)).rolling_radius, radius - 0.01, 1e-14);
    jt_end(&other);
  }
}

// ---- work -------------------------------------------------------------------------------------------

// What the road does on a wheel that rolls on and on is never more than nothing: what is driven in goes to the hub or
// is lost, by the sliding and the rolling resistance.
static void a_rolling_wheel_gains_nothing(void **state)
{
  (void)state;
  jt_random random = {21};
  for (int i = 0; i < 3; i++) {
    const rolling_tyre *t = &rolling_tyres[i];
    jt_run r = one_wheel_of(t, 0.75, "");
    for (int k = 0; k < 300; k++) {
      const double v = jt_random_in(&random, -20, 20), s = jt_random_in(&random, -0.3, 0.3);
      tyre_in in = posed(v, v * jt_random_in(&random, -0.2, 0.2),
                         (1.0 + s * fabs(s)) * v / t->radius, height_of(t), 0.0);
      if (fabs(v) < 2.0) continue;
      in = gone(&r, in, 3.0, 2e-3);
      const tyre_out o = at(&r, in);
      const v3 about = v3_cross_add(o.arm, o.force, o.moment);
      const double hub = -v3_dot(o.force, in.velocity), drive = -v3_dot(about, in.axis) * in.spin;
      // lost: forces times sliding, with the tread at the rolling radius, and the rolling resistance
      const double lost = -(o.fx * (v - o.rolling_radius * in.spin) + o.fy * in.velocity.y);
      const double resistance = i == 0 ? 0.0 : i == 1 ? 0.005 : 0.003;
      JT_LE(0.0, lost);
      JT_NEAR(drive, -hub + lost + resistance * o.load * fabs(in.spin), 1e-9 * t->load * 20);
    }
    jt_end(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(steady_forces_are_those_of_the_law),
      cmocka_unit_test(slips_follow_over_the_relaxation_length),
      cmocka_unit_test(a_mirrored_wheel_has_mirrored_forces),
      cmocka_unit_test(in_reverse_forces_know_where_the_wheel_goes),
      cmocka_unit_test(load_is_that_of_the_formulas),
      cmocka_unit_test(rolling_radius_is_that_of_the_formula),
      cmocka_unit_test(a_rolling_wheel_gains_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
