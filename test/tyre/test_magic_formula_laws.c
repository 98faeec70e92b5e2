// Laws that the Magic Formula obeys whatever its coefficients are: symmetry, no load no force, smooth at zero slip, slopes
// that are its stiffness, never anything but a number. Relaxation lengths by hand.
#include "mf_tables.h"

typedef struct file {
  jn_pool pool;
  jn_tir tir;
} file;

static void open_file(file *f, const char *path)
{
  *f = (file){0};
  mf_read_tyre(path, &f->pool, &f->tir);
}

static const char *const made_up[] = {MF_TYRES "every_coefficient_52.tir",
                                      MF_TYRES "every_coefficient_61.tir"};

static mf_options combined_slip(void)
{
  mf_options o = mf_default_options();
  o.use_mode = 4;
  return o;
}

static tyre_slip slip(double kappa, double alpha, double gamma, double load)
{
  return (tyre_slip){kappa, tan(alpha), gamma, load, 20.0, 1.0, 1.0};
}

static const double sizes[MF_OUT] = {4000, 4000, 400, 40, 100};  // of such a tyre

// ---- symmetry ---------------------------------------------------------------------------------

// What makes left and right differ.
static const int one_sided[] = {TIR_RHX1, TIR_QSX1, TIR_PEY3, TIR_PHY1, TIR_PHY2, TIR_PVY1,
                                TIR_PVY2, TIR_RBY3, TIR_RVY1, TIR_RVY2, TIR_QBZ4, TIR_QDZ3,
                                TIR_QDZ6, TIR_QDZ7, TIR_QEZ4, TIR_QHZ1, TIR_QHZ2, TIR_SSZ1};
enum { NONE_SIDED = sizeof one_sided / sizeof *one_sided };

static const double mirrored[MF_OUT] = {1, -1, -1, 1, -1};

// A tyre turned around is the tyre with these coefficients negated.
static void a_mirrored_tyre_has_mirrored_forces(void **state)
{
  (void)state;
  for (int v = 0; v < 2; v++) {
    file f;
    open_file(&f, made_up[v]);
    const mf_options o = combined_slip();
    const mf_tyre a = mf_cooked(&f.tir, &o);
    for (int i = 0; i < NONE_SIDED; i++) f.tir.value[one_sided[i]] *= -1.0;
    const mf_tyre b = mf_cooked(&f.tir, &o);
    jt_random r = {11};
    for (int i = 0; i < 2000; i++) {
      const double kappa = jt_random_in(&r, -0.5, 0.5), alpha = jt_random_in(&r, -0.4, 0.4);
      const double gamma = jt_random_in(&r, -0.1, 0.1), load = jt_random_in(&r, 0, 8000);
      double x[MF_OUT], y[MF_OUT];
      mf_at(&a, slip(kappa, alpha, gamma, load), x);
      mf_at(&b, slip(kappa, -alpha, -gamma, load), y);
      for (int k = 0; k < MF_OUT; k++) JT_NEAR(x[k], mirrored[k] * y[k], 1e-12 * sizes[k]);
    }
    jn_pool_free(&f.pool);
  }
}

// Without them it is the same on both sides, and without shifts ahead drives as it brakes.
static void a_symmetric_tyre_is_symmetric(void **state)
{
  (void)state;
  static const int shifts_ahead[] = {TIR_PHX1, TIR_PHX2, TIR_PVX1, TIR_PVX2, TIR_PEX4};
  for (int v = 0; v < 2; v++) {
    file f;
    open_file(&f, made_up[v]);
    for (int i = 0; i < NONE_SIDED; i++) f.tir.value[one_sided[i]] = 0.0;
    for (int i = 0; i < 5; i++) f.tir.value[shifts_ahead[i]] = 0.0;
    const mf_options o = combined_slip();
    const mf_tyre t = mf_cooked(&f.tir, &o);
    jt_random r = {12};
    for (int i = 0; i < 2000; i++) {
      const double kappa = jt_random_in(&r, -0.5, 0.5), alpha = jt_random_in(&r, -0.4, 0.4);
      const double gamma = jt_random_in(&r, -0.1, 0.1), load = jt_random_in(&r, 0, 8000);
      double x[MF_OUT], y[MF_OUT];
      mf_at(&t, slip(kappa, alpha, gamma, load), x);
      mf_at(&t, slip(kappa, -alpha, -gamma, load), y);
      for (int k = 0; k < MF_OUT; k++) JT_NEAR(x[k], mirrored[k] * y[k], 1e-12 * sizes[k]);
      mf_at(&t, slip(-kappa, alpha, gamma, load), y);
      JT_NEAR(x[MF_FX], -y[MF_FX], 1e-12 * sizes[MF_FX]);
      mf_at(&t, slip(0, 0, 0, load), x);
      JT_NEAR(fabs(x[MF_FX]) + fabs(x[MF_FY]) + fabs(x[MF_MX]) + fabs(x[MF_MZ]), 0.0, 0.0);
    }
    jn_pool_free(&f.pool);
  }
}

// In reverse the trail is ahead of the wheel and rolling resistance pushes the other way; forces stay.
static void reverse_turns_trail_and_resistance(void **state)
{
  (void)state;
  file f;
  open_file(&f, made_up[1]);
  f.tir.value[TIR_LS] = 0.0;  // the arm of Fx does not turn
  const mf_options o = combined_slip();
  const mf_tyre t = mf_cooked(&f.tir, &o);
  tyre_slip s = slip(0.03, 0.05, 0.02, 4000);
  double ahead[MF_OUT], back[MF_OUT];
  mf_at(&t, s, ahead);
  s.forward = s.rolling = -1.0;
  mf_at(&t, s, back);
  static const double turned[MF_OUT] = {1, 1, 1, -1, -1};
  for (int k = 0; k < MF_OUT; k++) JT_NEAR(back[k], turned[k] * ahead[k], 1e-13 * sizes[k]);
  assert_true(ahead[MF_MZ] > 10.0 && ahead[MF_MY] < -10.0);
  jn_pool_free(&f.pool);
}

// ---- load -------------------------------------------------------------------------------------

static void no_load_no_force(void **state)
{
  (void)state;
  for (int v = 0; v < 2; v++)
    for (int combined = 0; combined < 2; combined++) {
      file f;
      open_file(&f, made_up[v]);
      mf_options o = combined_slip();
      o.combined = combined ? MF_COMBINED_ELLIPSE : MF_COMBINED_AUTO;
      const mf_tyre t = mf_cooked(&f.tir, &o);
      double at[MF_OUT], last[MF_OUT];
      mf_at(&t, slip(0.1, -0.2, 0.05, 0.0), at);
      for (int k = 0; k < MF_OUT; k++) JT_NEAR(at[k], 0.0, 0.0);
      mf_at(&t, slip(0.1, -0.2, 0.05, -10.0), at);
      for (int k = 0; k < MF_OUT; k++) JT_NEAR(at[k], 0.0, 0.0);
      // Forces vanish with the load, without a step on the way.
      mf_at(&t, slip(0.1, -0.2, 0.05, 1.0), last);
      for (double load = 0.5; load > 1e-300; load *= 0.5) {
        mf_at(&t, slip(0.1, -0.2, 0.05, load), at);
        for (int k = 0; k < MF_OUT; k++) {
          JT_LE(fabs(at[k]), 0.6 * fabs(last[k]));
          JT_LE(0.4 * fabs(last[k]), fabs(at[k]) + 1e-300);
        }
        memcpy(last, at, sizeof last);
      }
      jn_pool_free(&f.pool);
    }
}

// ---- at zero slip -----------------------------------------------------------------------------

// From one side: value, and slope to second order.
static double slope_from(const mf_tyre *t, tyre_slip s, int output, bool side, double h)
{
  double f[3][MF_OUT];
  for (int i = 0; i < 3; i++) {
    tyre_slip at = s;
    if (side) at.tan_alpha = tan(atan(s.tan_alpha) + i * h);
    if (!side) at.kappa += i * h;
    mf_at(t, at, f[i]);
  }
  return (4.0 * f[1][output] - f[2][output] - 3.0 * f[0][output]) / (2.0 * h);
}

// Where sgn() and sqrt() of the formulas turn: kx = 0, ay = 0, at = 0, kappa = 0, alpha = 0, alone and together.
static void value_and_slope_are_continuous(void **state)
{
  (void)state;
  for (int v = 0; v < 2; v++)
    for (int formulas = 0; formulas < 2; formulas++) {
      file f;
      open_file(&f, made_up[v]);
      mf_options o = combined_slip();
      o.formulas = formulas;
      const mf_tyre t = mf_cooked(&f.tir, &o);
      const double gamma = 0.03, load = 3500.0, dfz = load * t.p[MF_PER_LOAD] - 1.0;
      const mf_load l = mf_load_of(t.form, t.p, load, gamma);
      const double shx = mf_ahead(t.p, &l).sh, shy = mf_side(t.form, t.p, &l, false).sh;
      const double sht =
          t.p[MF_QHZ1] + t.p[MF_QHZ2] * dfz + (t.p[MF_QHZ3] + t.p[MF_QHZ4] * dfz) * gamma;
      const double kappas[] = {0.0, -shx, 0.05}, alphas[] = {0.0, -shy, -sht, 0.05};
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
          for (int k = 0; k < MF_OUT; k++)
            for (int side = 0; side < 2; side++) {
              const tyre_slip s = slip(kappas[i], alphas[j], gamma, load);
              const double up = slope_from(&t, s, k, side, 1e-5);
              const double down = slope_from(&t, s, k, side, -1e-5);
              JT_NEAR(up, down, 1e-4 * sizes[k] * 20.0);  // 20: slope of a force over the force
            }
      jn_pool_free(&f.pool);
    }
}

static void ellipse_is_continuous(void **state)
{
  (void)state;
  file f;
  open_file(&f, made_up[0]);
  mf_options o = combined_slip();
  o.combined = MF_COMBINED_ELLIPSE;
  for (int shifts = 1; shifts >= 0; shifts--) {
    for (int i = 0; !shifts && i < NONE_SIDED; i++) f.tir.value[one_sided[i]] = 0.0;
    if (!shifts) f.tir.value[TIR_LHX] = f.tir.value[TIR_LVX] = 0.0;
    const mf_tyre t = mf_cooked(&f.tir, &o);
    const mf_load l = mf_load_of(t.form, t.p, 3500.0, 0.0);
    const mf_axis x = mf_ahead(t.p, &l), y = mf_side(t.form, t.p, &l, false);
    const double kappa = -x.sh - x.sv / x.k, alpha = -y.sh - y.sv / y.k;
    for (double other = 0.0; other < 0.2; other += 0.05) {
      double a[MF_OUT], b[MF_OUT];
      for (int side = 0; side < 2; side++) {
        const double k0 = side ? kappa + other : kappa, a0 = side ? alpha : alpha + other;
        mf_at(&t, slip(k0, a0, 0, 3500), a);
        for (int sign = -1; sign < 2; sign += 2) {
          const double d = sign * 1e-9;
          mf_at(&t, slip(k0 + (side ? 0 : d), a0 + (side ? d : 0), 0, 3500), b);
          for (int k = 0; k < MF_OUT; k++) JT_NEAR(a[k], b[k], 1e-6 * sizes[k]);
        }
      }
    }
  }
  jn_pool_free(&f.pool);
}

static void slopes_are_the_stiffness(void **state)
{
  (void)state;
  for (int v = 0; v < 2; v++) {
    file f;
    open_file(&f, made_up[v]);
    const mf_options o = combined_slip();
    const mf_tyre t = mf_cooked(&f.tir, &o);
    for (double load = 500; load < 9000; load += 500)
      for (double gamma = -0.1; gamma < 0.11; gamma += 0.05) {
        const mf_load l = mf_load_of(t.form, t.p, load, gamma);
        const double shx = mf_ahead(t.p, &l).sh, shy = mf_side(t.form, t.p, &l, false).sh;
        const tyre_limits limits = mf_limits(t.form, t.p, NULL, load, gamma);
        const double fx = slope_from(&t, slip(-shx, 0, gamma, load), MF_FX, false, 1e-5);
        const double fy = slope_from(&t, slip(0, -shy, gamma, load), MF_FY, true, 1e-5);
        JT_NEAR(fx, limits.stiffness[0], 1e-5 * limits.stiffness[0]);
        JT_NEAR(-fy, limits.stiffness[1], 1e-5 * limits.stiffness[1]);
        // and a peak is the friction: somewhere the force over the load reaches it and never exceeds it
        double most = 0.0;
        for (double kappa = 0; kappa < 1; kappa += 0.002) {
          double at[MF_OUT];
          mf_at(&t, slip(kappa, 0, gamma, load), at);
          most = fmax(most, (at[MF_FX] - mf_ahead(t.p, &l).sv) / load);
        }
        JT_NEAR(most, limits.friction[0], 1e-4);
      }
    jn_pool_free(&f.pool);
  }
}

// ---- relaxation -------------------------------------------------------------------------------

static void relaxation_lengths_by_hand(void **state)
{
  (void)state;
  const mf_options o = combined_slip();
  for (int v = 0; v < 2; v++)
    for (int way = 0; way < 3; way++) {  // as version 5.2 has it, as 6.1 has it, neither
      file f;
      open_file(&f, made_up[v]);
      double *k = f.tir.value;
      const double r0 = k[TIR_UNLOADED_RADIUS], load0 = k[TIR_FNOMIN] * k[TIR_LFZO];
      k[TIR_PTX1] = k[TIR_PTX2] = k[TIR_PTX3] = k[TIR_PTY1] = k[TIR_PTY2] = 0.0;
      k[TIR_LONGITUDINAL_STIFFNESS] = k[TIR_LATERAL_STIFFNESS] = NAN;
      k[TIR_LSGKP] = 1.3, k[TIR_LSGAL] = 0.7;
      if (way == 0)
        k[TIR_PTX1] = 2.1, k[TIR_PTX2] = 0.4, k[TIR_PTX3] = 0.2, k[TIR_PTY1] = 1.9,
        k[TIR_PTY2] = 2.2;
      if (way == 1) {
        k[TIR_LONGITUDINAL_STIFFNESS] = 3e5, k[TIR_LATERAL_STIFFNESS] = 1.5e5;
        k[TIR_PCFX1] = 0.17, k[TIR_PCFX2] = -0.05, k[TIR_PCFX3] = 0.3;
        k[TIR_PCFY1] = 0.16, k[TIR_PCFY2] = -0.06, k[TIR_PCFY3] = 0.25;
        k[TIR_INFLPRES] = 1.1 * 2e5;
      }
      const mf_tyre t = mf_cooked(&f.tir, &o);
      for (double load = 200; load < 9000; load += 400)
        for (double gamma = -0.1; gamma < 0.11; gamma += 0.1) {
          const double dfz = (load - load0) / load0, dpi = v && way == 1 ? 0.1 : 0.0;
          const tyre_limits limits = mf_limits(t.form, t.p, NULL, load, gamma);
          double x = 0.5 * r0 * 1.3, y = r0 * 0.7;
          if (way == 0) {
            x = load * (2.1 + 0.4 * dfz) * exp(-0.2 * dfz) * r0 / k[TIR_FNOMIN] * 1.3;
            y = 1.9 * sin(2.0 * atan(load / (2.2 * load0))) * (1 - k[TIR_PKY3] * fabs(gamma)) * r0 *
                k[TIR_LFZO] * 0.7;
          }
          if (way == 1) {
            x = limits.stiffness[0] / (3e5 * (1 + 0.17 * dfz - 0.05 * dfz * dfz + 0.3 * dpi)) * 1.3;
            y = limits.stiffness[1] / (1.5e5 * (1 + 0.16 * dfz - 0.06 * dfz * dfz + 0.25 * dpi)) *
                0.7;
          }
          JT_NEAR(limits.relaxation[0], x, 1e-12);
          JT_NEAR(limits.relaxation[1], y, 1e-12);
        }
      const tyre_limits least = mf_limits(t.form, t.p, NULL, 1e-6, 0.0);
      JT_LE(0.01 * r0, least.relaxation[0]);
      JT_LE(0.01 * r0, least.relaxation[1]);
      jn_pool_free(&f.pool);
    }
}

// ---- numbers ----------------------------------------------------------------------------------

static double any(jt_random *r, const double *of, int n, double lo, double hi)
{
  const int i = jt_random_below(r, 2 * n);
  return i < n ? of[i] : jt_random_in(r, lo, hi);
}

// Whatever stands in a file that the reader lets pass, and however the wheel moves.
static void never_anything_but_a_number(void **state)
{
  (void)state;
  static const double kappas[] = {0, 1e-300, -1, 1, 1e6, -1e6, 1e12},
                      loads[] = {0, 1e-300, 1e-9, 1, 1e7};
  static const double cambers[] = {0, 1e-300, 1.5, -1.5, 3}, ways[] = {0, 1, -1};
  jt_random r = {21};
  for (int trial = 0; trial < 4000; trial++) {
    file f;
    open_file(&f, made_up[trial % 2]);
    for (int key = 0; key < TIR_NKEY; key++) {
      const char *name = jn_tir_key(key);
      if (!strchr("PQRS", name[0]) || !strncmp(name, "PRES", 4) || !strncmp(name, "RIM", 3))
        continue;
      const int kind = jt_random_below(&r, 20);
      if (kind < 3) f.tir.value[key] = 0.0;
      if (kind == 3) f.tir.value[key] *= jt_random_in(&r, -1e3, 1e3);
      if (kind == 4) f.tir.value[key] = trial % 7 ? f.tir.value[key] : jt_random_in(&r, -1e9, 1e9);
      if (kind > 4 && kind < 12) f.tir.value[key] *= jt_random_in(&r, -3, 3);
    }
    mf_options o = combined_slip();
    o.formulas = jt_random_below(&r, 2);
    o.uncapped = jt_random_below(&r, 2);
    o.combined = jt_random_below(&r, 3);
    o.lenient = jt_random_below(&r, 2);
    o.overturning_outside = jt_random_below(&r, 2);
    o.use_mode = jt_random_below(&r, 5);
    if (trial % 3 == 0)  // no limits
      for (int key = TIR_PRESMIN; key <= TIR_CAMMAX; key++) f.tir.value[key] = NAN;
    const mf_tyre t = mf_cooked(&f.tir, &o);
    for (int i = 0; i < 100; i++) {
      const tyre_slip s = {.kappa = any(&r, kappas, 7, -2, 2),
                           .tan_alpha = any(&r, kappas, 7, -2, 2),
                           .camber = any(&r, cambers, 5, -0.2, 0.2),
                           .load = any(&r, loads, 5, 0, 9000),
                           .speed = any(&r, kappas, 2, 0, 100),
                           .forward = any(&r, ways, 3, -1, 1),
                           .rolling = any(&r, ways, 3, -1, 1)};
      double at[MF_OUT];
      mf_at(&t, s, at);
      for (int k = 0; k < MF_OUT; k++) {
        if (!isfinite(at[k]))
          print_error("trial %d: output %d at kappa %g tan %g camber %g load %g\n", trial, k,
                      s.kappa, s.tan_alpha, s.camber, s.load);
        assert_true(isfinite(at[k]));
      }
      const tyre_limits limits = mf_limits(t.form, t.p, NULL, s.load, s.camber);
      for (int k = 0; k < 2; k++) {
        assert_true(isfinite(limits.stiffness[k]) && limits.stiffness[k] > 0.0);
        assert_true(isfinite(limits.friction[k]) && limits.friction[k] > 0.0);
        assert_true(isfinite(limits.relaxation[k]) && limits.relaxation[k] > 0.0);
      }
    }
    jn_pool_free(&f.pool);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_mirrored_tyre_has_mirrored_forces),
      cmocka_unit_test(a_symmetric_tyre_is_symmetric),
      cmocka_unit_test(reverse_turns_trail_and_resistance),
      cmocka_unit_test(no_load_no_force),
      cmocka_unit_test(value_and_slope_are_continuous),
      cmocka_unit_test(ellipse_is_continuous),
      cmocka_unit_test(slopes_are_the_stiffness),
      cmocka_unit_test(relaxation_lengths_by_hand),
      cmocka_unit_test(never_anything_but_a_number),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
