// Laws of the Fiala and the carpet tyre, one wheel at a time, against formulas and interpolations written here, with
// libm.
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "elements/tyre/fiala.h"
#include "elements/tyre/tabulated.h"
#include "harness.h"
#include "laws_data.h"
#include "spec/spec_internal.h"

// ---- what all laws are asked ------------------------------------------------------------------------

typedef struct law {
  int form;
  const double *p, *table;
  bool carpet;
} law;

static law fiala_law(void)
{
  return (law){0, laws_fiala, NULL, false};
}

static law tabulated_law(const tabulated_data *data)
{
  static double p[TABULATED_FIELDS];
  static double table[LAWS_TABLE];
  jn_error err = {0};
  law l = {.p = p, .table = table, .carpet = true};
  assert_true(tabulated_doubles(data) + LAWS_AT <= LAWS_TABLE);
  for (int i = 0; i < LAWS_TABLE; i++) table[i] = NAN;  // what is not written must not be read
  assert_int_equal(tabulated_build(data, table + LAWS_AT, LAWS_AT, p, &l.form, &err), JN_OK);
  return l;
}

static tyre_slip slip_of(double kappa, double tan_alpha, double load)
{
  return (tyre_slip){.kappa = kappa,
                     .tan_alpha = tan_alpha,
                     .load = load,
                     .speed = 20.0,
                     .forward = 1.0,
                     .rolling = 1.0};
}

static tyre_forces forces_at(const law *l, tyre_slip s)
{
  return l->carpet ? tabulated_forces(l->form, l->p, l->table, s)
                   : fiala_forces(l->form, l->p, l->table, s);
}

static tyre_forces forces(const law *l, double kappa, double tan_alpha, double load)
{
  return forces_at(l, slip_of(kappa, tan_alpha, load));
}

static tyre_limits limits(const law *l, double load)
{
  return l->carpet ? tabulated_limits(l->form, l->p, l->table, load, 0.0)
                   : fiala_limits(l->form, l->p, l->table, load, 0.0);
}

// Of all sizes, from nothing to a wheel that spins on the spot.
static double any_slip(jt_random *r)
{
  const double size = pow(10.0, jt_random_in(r, -6.0, 1.0));
  return jt_random_below(r, 20) ? (jt_random_below(r, 2) ? size : -size) : 0.0;
}

static void check_finite(tyre_forces f)
{
  assert_true(isfinite(f.fx) && isfinite(f.fy) && isfinite(f.mx) && isfinite(f.my) &&
              isfinite(f.mz));
}

static void finite_everywhere(const law *l)
{
  static const double slip[] = {0.0,  -0.0, 5e-324, 1e-300, 1e-170, 1e-155, 1e-20,
                                1e-3, 0.05, 1.0,    10.0,   1e3,    1e6};
  static const double load[] = {0.0, 5e-324, 1e-300, 1e-9, 1.0, 4e3, 3e4, 1e6};
  const int n = sizeof slip / sizeof *slip;
  for (int i = -n + 1; i < n; i++)
    for (int j = -n + 1; j < n; j++)
      for (size_t k = 0; k < sizeof load / sizeof *load; k++) {
        const double kappa = copysign(slip[abs(i)], i), t = copysign(slip[abs(j)], j);
        const tyre_forces f = forces(l, kappa, t, load[k]);
        check_finite(f);
        const tyre_limits a = limits(l, load[k]);
        for (int m = 0; m < 2; m++) {
          assert_true(isfinite(a.stiffness[m]) && a.relaxation[m] > 0.0);
          assert_true(isfinite(a.friction[m]) && a.friction[m] > 0.0);
          assert_true(load[k] < 1e-290 || a.stiffness[m] > 0.0);
        }
        if (load[k] > 0.0) continue;
        assert_true(f.fx == 0.0 && f.fy == 0.0 && f.mx == 0.0 && f.my == 0.0 && f.mz == 0.0);
      }
}

// The slope at zero slip is that of `limits`, from all directions, and so is it close to zero: no cone, no breakpoint.
static void smooth_through_zero(const law *l, double load)
{
  const tyre_limits a = limits(l, load);
  const double h = 1e-7;
  for (int i = 0; i < 32; i++) {
    const double x = cos(i * M_PI / 16), y = sin(i * M_PI / 16);
    const tyre_forces f = forces(l, h * x, h * y, load);
    JT_NEAR(f.fx / h, a.stiffness[0] * x, 1e-4 * a.stiffness[0]);
    JT_NEAR(f.fy / h, -a.stiffness[1] * y, 1e-4 * a.stiffness[1]);
    // derivatives next to zero, along both slips
    const double e = 1e-9;
    const tyre_forces k0 = forces(l, h * x - e, h * y, load),
                      k1 = forces(l, h * x + e, h * y, load);
    const tyre_forces t0 = forces(l, h * x, h * y - e, load),
                      t1 = forces(l, h * x, h * y + e, load);
    JT_NEAR((k1.fx - k0.fx) / (2 * e), a.stiffness[0], 1e-4 * a.stiffness[0]);
    JT_NEAR((k1.fy - k0.fy) / (2 * e), 0.0, 1e-4 * a.stiffness[1]);
    JT_NEAR((t1.fy - t0.fy) / (2 * e), -a.stiffness[1], 1e-4 * a.stiffness[1]);
    JT_NEAR((t1.fx - t0.fx) / (2 * e), 0.0, 1e-4 * a.stiffness[0]);
  }
}

// Left and right, driving and braking are images of each other, but for rounding.
static void symmetric(const law *l, double most)
{
  jt_random r = {11};
  for (int i = 0; i < 20000; i++) {
    const double kappa = any_slip(&r), t = any_slip(&r), load = jt_random_in(&r, 0.0, most);
    const double tol = 1e-14 * load;
    const tyre_forces a = forces(l, kappa, t, load), b = forces(l, kappa, -t, load),
                      c = forces(l, -kappa, t, load);
    JT_NEAR(b.fx, a.fx, tol);
    JT_NEAR(b.fy, -a.fy, tol);
    JT_NEAR(b.mz, -a.mz, tol);
    JT_NEAR(c.fx, -a.fx, tol);
    JT_NEAR(c.fy, a.fy, tol);
    JT_NEAR(c.mz, a.mz, tol);
    assert_true(b.my == a.my && c.my == a.my);
  }
}

// Trail turns round with the direction of travel, rolling resistance with the spin.
static void reversed(const law *l, double load)
{
  tyre_slip s = slip_of(0.01, 0.03, load);
  const tyre_forces a = forces_at(l, s);
  assert_true(a.mz > 0.0 && a.my < 0.0);
  s.forward = s.rolling = -1.0;
  const tyre_forces b = forces_at(l, s);
  assert_true(b.mz == -a.mz && b.my == -a.my && b.fx == a.fx && b.fy == a.fy);
}

// No jump anywhere: over a small change of slips and load the force changes by little.
static void continuous(const law *l, double most)
{
  jt_random r = {12};
  for (int i = 0; i < 100000; i++) {
    const double kappa = any_slip(&r), t = any_slip(&r), load = jt_random_in(&r, 0.05, most);
    const double h = 1e-9;
    const tyre_limits a = limits(l, load);
    const tyre_forces f = forces(l, kappa, t, load),
                      g = forces(l, kappa + h, t - h, load * (1.0 + h));
    const double steepest = 4.0 * (a.stiffness[0] + a.stiffness[1]) + 4.0 * load;
    JT_LE(hypot(g.fx - f.fx, g.fy - f.fy), steepest * h + 1e-12 * load);
  }
}

// ---- fiala ------------------------------------------------------------------------------------------

static double fiala_limit(double kappa, double t, double load)
{
  const double *p = laws_fiala, s = fmin(hypot(kappa, t), 1.0);
  return load * (p[FIALA_FRICTION] - (p[FIALA_FRICTION] - p[FIALA_FRICTION_SLIDING]) * s);
}

static void fiala_is_fialas_in_pure_slip(void **state)
{
  (void)state;
  const law l = fiala_law();
  const double cs = laws_fiala[FIALA_SLIP_STIFFNESS], ca = laws_fiala[FIALA_CORNERING_STIFFNESS];
  int sticking = 0, sliding = 0;
  for (double load = 50.0; load < 2e4; load *= 1.7)
    for (double s = -2.0; s <= 2.0; s += 0.00371) {
      double limit = fiala_limit(s, 0.0, load);
      const double critical = limit / (2.0 * cs);
      const double fx =
          fabs(s) <= critical ? cs * s : copysign(limit - limit * limit / (4.0 * fabs(s) * cs), s);
      tyre_forces f = forces(&l, s, 0.0, load);
      JT_NEAR(f.fx, fx, 1e-14 * load);
      assert_true(f.fy == 0.0 && f.mz == 0.0);
      JT_NEAR(f.my, -laws_fiala[FIALA_ROLLING_RESISTANCE] * load, 1e-14 * load);

      limit = fiala_limit(0.0, s, load);
      const bool slides = fabs(s) > 3.0 * limit / ca;
      const double h = slides ? 0.0 : 1.0 - ca * fabs(s) / (3.0 * limit);
      f = forces(&l, 0.0, s, load);
      JT_NEAR(f.fy, -copysign(limit * (1.0 - h * h * h), s), 1e-14 * load);
      JT_NEAR(f.mz, copysign(limit * laws_fiala[FIALA_WIDTH] * (1.0 - h) * h * h * h, s),
              1e-14 * load);
      assert_true(f.fx == 0.0);
      sticking += !slides, sliding += slides;
    }
  assert_true(sticking > 500 && sliding > 500);
}

// The tread of which the formulas are made, element by element: uniform pressure for slips along, parabolic for those
// across, each counting by the square of the direction cosine of what the elements would pull.
static void fiala_is_its_tread_in_combined_slip(void **state)
{
  (void)state;
  enum { ELEMENTS = 20000 };
  const law l = fiala_law();
  const double cs = laws_fiala[FIALA_SLIP_STIFFNESS], ca = laws_fiala[FIALA_CORNERING_STIFFNESS];
  jt_random r = {13};
  for (int i = 0; i < 60; i++) {
    const double kappa = jt_random_in(&r, -0.3, 0.3), t = jt_random_in(&r, -0.4, 0.4);
    const double load = jt_random_in(&r, 500.0, 9e3), limit = fiala_limit(kappa, t, load);
    const double qx = cs * kappa, qy = ca * t, q = hypot(qx, qy), size = hypot(kappa, t);
    double fx = 0.0, fy = 0.0;
    for (int k = 0; k < ELEMENTS; k++) {
      const double u = (k + 0.5) / ELEMENTS;  // from the leading edge
      for (int parabolic = 0; parabolic < 2; parabolic++) {
        const double share = (parabolic ? qy * qy : qx * qx) / (q * q) / ELEMENTS;
        const double most = limit * (parabolic ? 6.0 * u * (1.0 - u) : 1.0), bent = 2.0 * q * u;
        const bool sticks = bent <= most;
        fx += share * (sticks ? bent * qx / q : most * kappa / size);
        fy -= share * (sticks ? bent * qy / q : most * t / size);
      }
    }
    const tyre_forces f = forces(&l, kappa, t, load);
    JT_NEAR(f.fx, fx, 2e-4 * limit);
    JT_NEAR(f.fy, fy, 2e-4 * limit);
  }
}

static void fiala_stays_in_the_circle(void **state)
{
  (void)state;
  const law l = fiala_law();
  jt_random r = {14};
  int used = 0;
  for (int i = 0; i < 1000000; i++) {
    const double kappa = any_slip(&r), t = any_slip(&r), load = jt_random_in(&r, 0.0, 2e4);
    const tyre_forces f = forces(&l, kappa, t, load);
    const double limit = fiala_limit(kappa, t, load), size = hypot(f.fx, f.fy);
    JT_LE(size, limit * (1.0 + 1e-14));
    JT_LE(0.0, f.fx * kappa - f.fy * t);  // takes energy
    used += size > 0.9 * limit;
  }
  assert_in_range(used, 100000, 900000);
  // A locked wheel that slides askew is pushed against its way; along it some elements stick, to the end.
  for (double angle = 0.1; angle < 1.6; angle += 0.1) {
    const tyre_forces f = forces(&l, -1.0, tan(angle), 4e3);
    JT_NEAR(atan2(-f.fy, -f.fx), angle, 2e-3);
    JT_NEAR(hypot(f.fx, f.fy), fiala_limit(-1.0, tan(angle), 4e3), 0.02 * 4e3);
  }
  const tyre_forces f = forces(&l, -0.1, 1.0, 4e3);
  JT_NEAR(f.fx / f.fy, 0.1, 1e-3);
}

static void fiala_is_a_law(void **state)
{
  (void)state;
  const law l = fiala_law();
  finite_everywhere(&l);
  for (double load = 300.0; load < 3e4; load *= 2.0) smooth_through_zero(&l, load);
  symmetric(&l, 2e4);
  reversed(&l, 4e3);
  continuous(&l, 2e4);
}

// ---- carpet -----------------------------------------------------------------------------------------

// Monotone cubic of Fritsch and Butland, with Hermite's four polynomials, of points that the caller has mirrored.
static double pchip(int n, const double *x, const double *y, double at)
{
  if (at <= x[0]) return y[0];
  if (at >= x[n - 1]) return y[n - 1];
  double slope[2];
  int i = 0;
  while (at >= x[i + 1]) i++;
  for (int k = 0; k < 2; k++) {
    const int j = i + k;
    if (j == 0 || j == n - 1) {  // parabola through three points, kept from overshooting
      const int a = j ? n - 1 : 0, b = j ? n - 2 : 1, c = j ? n - 3 : 2;
      const double h0 = fabs(x[b] - x[a]), h1 = fabs(x[c] - x[b]);
      const double m0 = (y[b] - y[a]) / (x[b] - x[a]), m1 = (y[c] - y[b]) / (x[c] - x[b]);
      double d = ((2.0 * h0 + h1) * m0 - h0 * m1) / (h0 + h1);
      if (d * m0 <= 0.0) d = 0.0;
      if (m0 * m1 <= 0.0 && fabs(d) > 3.0 * fabs(m0)) d = 3.0 * m0;
      slope[k] = d;
      continue;
    }
    const double h0 = x[j] - x[j - 1], h1 = x[j + 1] - x[j];
    const double m0 = (y[j] - y[j - 1]) / h0, m1 = (y[j + 1] - y[j]) / h1;
    slope[k] =
        m0 * m1 > 0.0 ? 3.0 * (h0 + h1) / ((2.0 * h1 + h0) / m0 + (h1 + 2.0 * h0) / m1) : 0.0;
  }
  const double h = x[i + 1] - x[i], s = (at - x[i]) / h;
  return y[i] * (1.0 + 2.0 * s) * (1.0 - s) * (1.0 - s) + h * slope[0] * s * (1.0 - s) * (1.0 - s) +
         y[i + 1] * s * s * (3.0 - 2.0 * s) - h * slope[1] * s * s * (1.0 - s);
}

static double of_row(const tabulated_table *t, int row, double at)
{
  double x[64], y[64];
  int n = 0;
  for (int i = t->nslip - 1; i > 0 && t->slip[0] == 0.0; i--)
    x[n] = -t->slip[i], y[n++] = -t->value[row * t->nslip + i];
  for (int i = 0; i < t->nslip; i++) x[n] = t->slip[i], y[n++] = t->value[row * t->nslip + i];
  return pchip(n, x, y, at);
}

static double of_table(const tabulated_table *t, double at, double load)
{
  const int last = t->nload - 1;
  if (load <= t->load[0]) return of_row(t, 0, at) * load / t->load[0];
  if (load >= t->load[last]) return of_row(t, last, at) * load / t->load[last];
  int i = 0;
  while (load > t->load[i + 1]) i++;
  const double u = (load - t->load[i]) / (t->load[i + 1] - t->load[i]);
  return (1.0 - u) * of_row(t, i, at) + u * of_row(t, i + 1, at);
}

static void check_pure_slip(const tabulated_data *d)
{
  const law l = tabulated_law(d);
  for (double load = 10.0; load < 2e5; load *= 1.31)
    for (double s = -1.4; s <= 1.4; s += 0.00713) {
      const double t = tan(s), tol = 1e-13 * load;
      const tyre_forces f = forces(&l, 0.0, t, load), g = forces(&l, s, 0.0, load);
      JT_NEAR(f.fy, of_table(&d->side_force, s, load), 10 * tol);
      JT_NEAR(g.fx, of_table(&d->longitudinal_force, s, load), 10 * tol);
      JT_NEAR(g.my, -d->rolling_resistance * load, tol);
      JT_NEAR(f.mz, d->aligning_torque.nload ? of_table(&d->aligning_torque, s, load) : 0.0, tol);
    }
}

static void tabulated_tyre_is_its_tables_in_pure_slip(void **state)
{
  (void)state;
  check_pure_slip(&laws_half);
  check_pure_slip(&laws_full);
  tabulated_data d = laws_half;
  d.aligning_torque.nload = 0;
  check_pure_slip(&d);
  d.side_force.nload = 1;  // proportional to the load throughout
  check_pure_slip(&d);
}

// At points of the tables: the numbers themselves.
static void tabulated_tyre_has_its_points(void **state)
{
  (void)state;
  const tabulated_data *const data[] = {&laws_half, &laws_full};
  for (int k = 0; k < 2; k++) {
    const law l = tabulated_law(data[k]);
    const tabulated_table *t = &data[k]->side_force, *m = &data[k]->longitudinal_force;
    for (int row = 0; row < t->nload; row++)
      for (int i = 0; i < t->nslip; i++)
        JT_NEAR(forces(&l, 0.0, tan(t->slip[i]), t->load[row]).fy, t->value[row * t->nslip + i],
                1e-9);
    for (int row = 0; row < m->nload; row++)
      for (int i = 0; i < m->nslip; i++)
        JT_NEAR(forces(&l, m->slip[i], 0.0, m->load[row]).fx, m->value[row * m->nslip + i], 1e-9);
  }
}

// Largest force against a slip of that sign, between rows in proportion to the load, and the slip where it is, which
// beyond the rows stays as it is.
typedef struct peak {
  double force, slip;
} peak;

static peak peak_of_row(const tabulated_table *t, int row, double sign)
{
  peak p = {0.0, 0.0};
  for (int i = 0; i < t->nslip; i++) {
    const double x = t->slip[i], y = fabs(t->value[row * t->nslip + i]);
    if ((t->slip[0] == 0.0 || x * sign >= 0.0) && y > p.force) p = (peak){y, fabs(x)};
  }
  return p;
}

static peak peak_of(const tabulated_table *t, double load, double sign, double (*measure)(double))
{
  const int last = t->nload - 1;
  int i = 0;
  while (i < last && load > t->load[i + 1]) i++;
  const peak a = peak_of_row(t, i, sign), b = peak_of_row(t, i < last ? i + 1 : i, sign);
  if (load <= t->load[0] || i == last) return (peak){a.force * load / t->load[i], measure(a.slip)};
  const double u = (load - t->load[i]) / (t->load[i + 1] - t->load[i]);
  return (peak){(1.0 - u) * a.force + u * b.force,
                (1.0 - u) * measure(a.slip) + u * measure(b.slip)};
}

static double itself(double x)
{
  return x;
}

// Combined slip once more: along and across written out, angles instead of cosines.
static tyre_forces by_hand(const tabulated_data *d, double kappa, double t, double load)
{
  const tabulated_table *tx = &d->longitudinal_force, *ty = &d->side_force,
                        *tz = &d->aligning_torque;
  const double sx = kappa < 0.0 ? -1.0 : 1.0, sy = t < 0.0 ? -1.0 : 1.0;
  const peak px = peak_of(tx, load, sx, itself), py = peak_of(ty, load, sy, tan);
  const double along = atan2(fabs(t) / py.slip, fabs(kappa) / px.slip);
  const double n = hypot(kappa / px.slip, t / py.slip), angle = sy * atan(n * py.slip);
  const double gx = of_table(tx, 0.0, load), gy = of_table(ty, 0.0, load);
  const double ux = cos(along) * (of_table(tx, sx * n * px.slip, load) - gx) / (sx * px.force - gx);
  const double uy = sin(along) * (of_table(ty, angle, load) - gy) / (-sy * py.force - gy);
  const double e = hypot(ux, uy), way = fmin(fmax((n - 1.0) / 2.0, 0.0), 1.0);
  const double w = way * way * (3.0 - 2.0 * way);
  const double sticks = atan2(uy * py.force, ux * px.force), slides = atan2(fabs(t), fabs(kappa));
  const double dx = (1.0 - w) * cos(sticks) + w * cos(slides),
               dy = (1.0 - w) * sin(sticks) + w * sin(slides);
  const double size = e / hypot(dx / px.force, dy / py.force);
  const double mz = of_table(tz, 0.0, load), cx = cos(along);
  return (tyre_forces){
      .fx = sx * size * dx + (1.0 - e) * gx,
      .fy = -sy * size * dy + (1.0 - e) * gy,
      .mz = sin(along) * (of_table(tz, angle, load) - mz) + mz * (1.0 - cx * cx * e)};
}

static void tabulated_tyre_combines_its_slips(void **state)
{
  (void)state;
  const tabulated_data *const data[] = {&laws_half, &laws_full};
  for (int k = 0; k < 2; k++) {
    const law l = tabulated_law(data[k]);
    jt_random r = {16};
    for (int i = 0; i < 100000; i++) {
      const double kappa = any_slip(&r), t = any_slip(&r), load = jt_random_in(&r, 1.0, 6e4);
      const tyre_forces f = forces(&l, kappa, t, load), g = by_hand(data[k], kappa, t, load);
      if (kappa == 0.0 && t == 0.0) continue;  // no direction
      JT_NEAR(f.fx, g.fx, 1e-11 * load);
      JT_NEAR(f.fy, g.fy, 1e-11 * load);
      JT_NEAR(f.mz, g.mz, 1e-11 * load);
    }
  }
}

static void check_ellipse(const tabulated_data *d, int n)
{
  const law l = tabulated_law(d);
  jt_random r = {15};
  int used = 0;
  for (int i = 0; i < n; i++) {
    const double kappa = any_slip(&r), t = any_slip(&r), load = jt_random_in(&r, 1.0, 6e4);
    const tyre_forces f = forces(&l, kappa, t, load);
    const double x = f.fx / peak_of(&d->longitudinal_force, load, f.fx, itself).force;
    const double y = f.fy / peak_of(&d->side_force, load, -f.fy, itself).force;
    JT_LE(hypot(x, y), 1.0 + 1e-12);
    used += hypot(x, y) > 0.9;
  }
  assert_in_range(used, n / 20, n);
}

static void tabulated_tyre_stays_in_the_ellipse(void **state)
{
  (void)state;
  check_ellipse(&laws_half, 1000000);
  check_ellipse(&laws_full, 200000);
}

// From three times the slip of the peak on, the force is against the sliding; up to the peak it is that of the
// normalised slips.
static void tabulated_tyre_slides_and_sticks(void **state)
{
  (void)state;
  const law l = tabulated_law(&laws_half);
  const double load = laws_half.side_force.load[1];
  for (double angle = 0.05; angle < 1.55; angle += 0.05) {
    const tyre_forces f = forces(&l, -1.0, tan(angle), load);
    JT_NEAR(atan2(-f.fy, -f.fx), angle, 1e-12);
  }
  // both peaks by hand: laws_data.h has them at 0.1 and at 8 degrees in the second row
  const double at = tan(8.0 * M_PI / 180.0);
  for (double angle = 0.05; angle < 1.55; angle += 0.05)
    for (double n = 0.1; n <= 1.0; n += 0.1) {
      const double c = cos(angle), s = sin(angle);
      const tyre_forces f = forces(&l, n * c * 0.1, n * s * at, load);
      JT_NEAR(f.fx, c * of_table(&laws_half.longitudinal_force, 0.1 * n, load), 1e-9);
      JT_NEAR(f.fy, s * of_table(&laws_half.side_force, atan(n * at), load), 1e-9);
      JT_NEAR(f.mz, s * of_table(&laws_half.aligning_torque, atan(n * at), load), 1e-9);
    }
}

static void tabulated_tyre_is_a_law(void **state)
{
  (void)state;
  law l = tabulated_law(&laws_half);
  finite_everywhere(&l);
  symmetric(&l, 6e4);
  reversed(&l, 2e4);
  continuous(&l, 6e4);
  for (double load = 300.0; load < 1e5; load *= 2.0) smooth_through_zero(&l, load);
  l = tabulated_law(&laws_full);
  finite_everywhere(&l);
  continuous(&l, 6e4);
}

static void tabulated_tyre_returns_its_limits(void **state)
{
  (void)state;
  const law l = tabulated_law(&laws_half);
  for (double load = 10.0; load < 1e5; load *= 1.7) {
    const tyre_limits a = limits(&l, load);
    const double h = 1e-6;
    JT_NEAR(a.stiffness[0], of_table(&laws_half.longitudinal_force, h, load) / h,
            1e-4 * a.stiffness[0]);
    JT_NEAR(a.stiffness[1], -of_table(&laws_half.side_force, h, load) / h, 1e-4 * a.stiffness[1]);
    JT_NEAR(a.friction[0], peak_of(&laws_half.longitudinal_force, load, 1.0, itself).force / load,
            1e-13);
    JT_NEAR(a.friction[1], peak_of(&laws_half.side_force, load, 1.0, itself).force / load, 1e-13);
    JT_NEAR(a.relaxation[0], laws_half.relaxation_x, 0.0);
    JT_NEAR(a.relaxation[1], laws_half.relaxation_y, 0.0);
  }
  JT_NEAR(limits(&l, 0.0).friction[1], limits(&l, 1.0).friction[1], 1e-13);
}

// ---- shipped carpets --------------------------------------------------------------------------------

static tabulated_table table_of(const jn_carpet_spec *c)
{
  return (tabulated_table){.nslip = c->nslip,
                           .nload = c->nload,
                           .slip = c->slip,
                           .load = c->load,
                           .value = c->value,
                           .pos = c->pos};
}

// Truck tyres as the literature has them: cornering stiffness over load about 6 at light load and falling, friction
// below that of cars and falling, the largest side force beyond 15 degrees, a trail of centimetres. A pair at twice
// the load has twice the forces.
static void shipped_truck_tyres_are_truck_tyres(void **state)
{
  (void)state;
  static const char text[] =
      "jounce: 1\ninclude: tyres/truck.yaml\nbodies:\n  a: {mass: 1, cg: [0, 0, 0], inertia: [1, "
      "1, "
      "1]}\njoints:\n  j: {type: free, bodies: [ground, a]}\n";
  jn_error err = {0};
  jn_spec *spec = NULL;
  assert_int_equal(jn_spec_parse(text, strlen(text), "models/test.yaml", NULL, 0, &spec, &err),
                   JN_OK);
  assert_int_equal(spec->ntyre, 2);
  tyre_forces single[3] = {0};
  for (int k = 0; k < 2; k++) {
    assert_int_equal(spec->tyre[k].kind, JN_TYRE_CARPET);
    const jn_tyre_carpet_spec *c = &spec->tyre[k].as.carpet;
    const tabulated_data d = {.side_force = table_of(&c->side_force),
                              .longitudinal_force = table_of(&c->longitudinal_force),
                              .aligning_torque = table_of(&c->aligning_torque),
                              .relaxation_x = c->relaxation_x,
                              .relaxation_y = c->relaxation_y,
                              .rolling_resistance = c->rolling_resistance};
    const law l = tabulated_law(&d);
    double before = 6.5;
    for (double load = 4e3; load <= 48e3; load += 4e3) {
      const tyre_limits a = limits(&l, (k + 1) * load);
      const double over = a.stiffness[1] / ((k + 1) * load);
      assert_true(over > 4.5 && over <= before);
      assert_true(a.friction[0] > 0.6 && a.friction[0] < 1.05);
      assert_true(a.friction[1] > 0.6 && a.friction[1] < 0.9);
      before = over * (1.0 + 1e-9);
      const tyre_forces f = forces(&l, 0.0, 0.01, (k + 1) * load);
      const double trail = -f.mz / f.fy;
      assert_true(trail > 0.01 && trail < 0.1);
      assert_true(fabs(forces(&l, 0.0, tan(0.26), (k + 1) * load).fy) <
                  fabs(forces(&l, 0.0, tan(0.36), (k + 1) * load).fy));
    }
    for (int i = 0; i < 3; i++) {
      const double kappa = i % 2 ? -0.07 : 0.0, t = i ? 0.1 * i : 0.02;
      const tyre_forces f = forces(&l, kappa, t, 20e3 * (k + 1));
      if (!k) single[i] = f;
      JT_NEAR(f.fx, (k + 1) * single[i].fx, 4.0);  // tables are rounded to 1 N
      JT_NEAR(f.fy, (k + 1) * single[i].fy, 4.0);
    }
  }
  jn_spec_free(spec);
}

static void check_refused(const tabulated_data *d, const char *says)
{
  static double table[LAWS_TABLE], p[TABULATED_FIELDS];
  char line[512];
  int form;
  jn_error err = {0};
  const jn_status st = tabulated_build(d, table, 0, p, &form, &err);
  jn_error_line(&err, line, sizeof line);
  if (st == JN_OK || !strstr(line, says)) print_error("found: %s\nexpected: %s\n", line, says);
  assert_true(st != JN_OK && strstr(line, says));
}

static void tabulated_tyre_refuses_what_is_no_tyre(void **state)
{
  (void)state;
  double values[64];
  tabulated_data d = laws_half;
  const tabulated_table *side = &laws_half.side_force;
  for (int i = 0; i < side->nload * side->nslip; i++) values[i] = -side->value[i];
  d.side_force.value = values;
  check_refused(&d, "expected one that is smaller");
  memcpy(values, side->value, sizeof *values * (size_t)(side->nload * side->nslip));
  for (int i = 1; i < side->nslip; i++) values[side->nslip + i] = 0.0;
  check_refused(&d, "largest force against slip is 0 N");
  values[0] = 5.0;
  check_refused(&d, "expected 0 where the other side is not given");
  d = laws_half;
  d.longitudinal_force.value = side->value;
  d.longitudinal_force.nslip = side->nslip, d.longitudinal_force.nload = 1;
  d.longitudinal_force.slip = side->slip;
  check_refused(&d, "expected one that is larger");
  d = laws_half;
  d.side_force.nload = 0;
  check_refused(&d, "has 0 loads, expected 1 to 15");
  d = laws_half;
  d.side_force.nslip = 1;
  check_refused(&d, "has 1 slips, expected 2 to 31");
  d = laws_half;
  const double loads[] = {-1.0, 2.0, 1.0};
  d.side_force.load = loads;
  check_refused(&d, "load 1 is -1 N, must be above zero");
  d.side_force.load = loads + 1, d.side_force.nload = 2;
  check_refused(&d, "load 2 is 1 N, must be above the one before it");
  d = laws_half;
  double slips[32];
  for (int i = 0; i < side->nslip; i++) slips[i] = side->slip[i] + 0.01;
  d.side_force.slip = slips;
  check_refused(&d, "expected from zero on, or to both sides of zero");
  for (int i = 0; i < side->nslip; i++) slips[i] = i * 0.5;
  check_refused(&d, "must be below a right angle");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fiala_is_fialas_in_pure_slip),
      cmocka_unit_test(fiala_is_its_tread_in_combined_slip),
      cmocka_unit_test(fiala_stays_in_the_circle),
      cmocka_unit_test(fiala_is_a_law),
      cmocka_unit_test(tabulated_tyre_is_its_tables_in_pure_slip),
      cmocka_unit_test(tabulated_tyre_has_its_points),
      cmocka_unit_test(tabulated_tyre_combines_its_slips),
      cmocka_unit_test(tabulated_tyre_stays_in_the_ellipse),
      cmocka_unit_test(tabulated_tyre_slides_and_sticks),
      cmocka_unit_test(tabulated_tyre_is_a_law),
      cmocka_unit_test(tabulated_tyre_returns_its_limits),
      cmocka_unit_test(shipped_truck_tyres_are_truck_tyres),
      cmocka_unit_test(tabulated_tyre_refuses_what_is_no_tyre),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
