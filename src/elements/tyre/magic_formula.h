// magic_formula.h: the Magic Formula in steady state, versions 5.2 and 6.1, without turn slip.
//
// Formulas are those of H. B. Pacejka, Tire and Vehicle Dynamics, 3rd ed. (2012), 4.3.2, cited as (4.E..), and, where the
// book differs and nobody asks for it (MF_BOOK), those of I. J. M. Besselink, A. J. C. Schmeitz, H. B. Pacejka, Vehicle
// System Dynamics 48 (2010), appendix, cited as (A..). Programs that read the same files choose as this one does.
//
// Parameters are cooked (magic_formula.c): scale factors, inflation pressure and reference values are folded into the
// coefficients, so MF_PDX1 is PDX1 LMUX (1 + PPX3 dpi + PPX4 dpi^2), and version 5.2 is 6.1 with terms at zero.
#ifndef JN_ELEMENTS_TYRE_MAGIC_FORMULA_H
#define JN_ELEMENTS_TYRE_MAGIC_FORMULA_H

#include <stdbool.h>

#include "base/error.h"
#include "elements/tyre/tyre_law.h"

// clang-format off
enum {
  // load and limits
  MF_PER_LOAD,                     // 1 / Fz0'
  MF_LOAD_MIN, MF_PER_MIN,         // below this load forces are proportional to it [N]; its inverse
  MF_LOAD_MAX,                     // FZMAX
  MF_KAPPA_MIN, MF_KAPPA_MAX,
  MF_TAN_MIN, MF_TAN_MAX,          // tangents of ALPMIN and ALPMAX
  MF_CAMBER_MIN, MF_CAMBER_MAX,
  // Fx
  MF_PCX1, MF_PER_PCX1, MF_PDX1, MF_PDX2, MF_PDX3, MF_PEX1, MF_PEX2, MF_PEX3, MF_PEX4,
  MF_PKX1, MF_PKX2, MF_PKX3, MF_PHX1, MF_PHX2, MF_PVX1, MF_PVX2,
  MF_RBX1, MF_RBX2, MF_RBX3, MF_RCX1, MF_REX1, MF_REX2, MF_RHX1,
  // Fy
  MF_PCY1, MF_PER_PCY1, MF_PDY1, MF_PDY2, MF_PDY3, MF_PEY1, MF_PEY2, MF_PEY3, MF_PEY4, MF_PEY5,
  MF_PKY1, MF_PKY2, MF_PER_PKY2, MF_PKY3, MF_PKY4, MF_PKY5, MF_PKY6, MF_PKY7,
  MF_PHY1, MF_PHY2, MF_PHY3, MF_PVY1, MF_PVY2, MF_PVY3, MF_PVY4,
  MF_RBY1, MF_RBY2, MF_RBY3, MF_RBY4, MF_RCY1, MF_REY1, MF_REY2, MF_RHY1, MF_RHY2,
  MF_RVY1, MF_RVY2, MF_RVY3, MF_RVY4, MF_RVY5, MF_RVY6,
  // Mx, My
  MF_QSX1, MF_QSX2, MF_QSX3, MF_QSX4, MF_QSX5, MF_QSX6, MF_QSX7, MF_QSX8, MF_QSX9, MF_QSX10,
  MF_QSX11, MF_QSX12, MF_QSX13, MF_QSX14,
  MF_QSY1, MF_QSY2, MF_QSY3, MF_QSY4, MF_QSY5, MF_QSY6, MF_QSY7,
  MF_ROLLING,                      // what the braces of My are multiplied by at the load FNOMIN [N m]
  MF_PER_FNOMIN,
  // Mz
  MF_QBZ1, MF_QBZ2, MF_QBZ3, MF_QBZ4, MF_QBZ5, MF_QBZ9, MF_QBZ10, MF_QCZ1,
  MF_QDZ1, MF_QDZ2, MF_QDZ3, MF_QDZ4, MF_QDZ6, MF_QDZ7, MF_QDZ8, MF_QDZ9, MF_QDZ10, MF_QDZ11,
  MF_QEZ1, MF_QEZ2, MF_QEZ3, MF_QEZ4, MF_QEZ5, MF_QHZ1, MF_QHZ2, MF_QHZ3, MF_QHZ4,
  MF_SSZ1, MF_SSZ2, MF_SSZ3, MF_SSZ4,
  // relaxation, longitudinal and lateral: the form says what the numbers mean
  MF_SIGMA_X1, MF_SIGMA_X2, MF_SIGMA_X3, MF_SIGMA_Y1, MF_SIGMA_Y2, MF_SIGMA_Y3,
  MF_SIGMA_MIN,                    // floor of both [m]
  MF_FIELDS
};

// Bits of `form`.
enum {
  MF_USE = 7,                      // USE_MODE % 10: 0 nothing, 1 Fx My, 2 Fy Mx Mz, 3 all; 4 all, combined
  MF_SIN_PKY4 = 1 << 3,            // cornering stiffness with its own exponent and camber; else sin(2 atan)
  MF_CAMBER_STIFFNESS = 1 << 4,    // camber shifts Fy by its stiffness (4.E27); else by PHY3
  MF_UPRIGHT = 1 << 5,             // the trail's side force is that at zero camber (4.E74); else the actual one
  MF_TIPPING = 1 << 6,             // Mx has the terms from QSX4 on
  MF_ROLLING_POWER = 1 << 7,       // My goes with (Fz / Fz0)^QSY7; else with Fz
  MF_BOOK = 1 << 8,                // tan(alpha), sin(gamma) and Mz as the book prints them
  MF_UNCAPPED = 1 << 9,            // curvature factors may exceed 1
  MF_ELLIPSE = 1 << 10,            // combined slip by the friction ellipse of PAC2002
  MF_TIPPING_OUTSIDE = 1 << 11,    // atan()^2 in place of atan(()^2) in Mx
  MF_RELAX_X_LOAD = 1 << 12,       // relaxation length by PTX1 ...,
  MF_RELAX_X_STIFFNESS = 1 << 13,  // or Kx over the carcass stiffness; else constant
  MF_RELAX_Y_LOAD = 1 << 14,
  MF_RELAX_Y_STIFFNESS = 1 << 15
};
// clang-format on

// What a file leaves open, and what programs that read it decide differently.
enum { MF_FORMULAS_PAPER, MF_FORMULAS_BOOK };
enum {
  MF_COMBINED_AUTO,  // weighting functions; what the file lacks is zero, so without any: no interaction
  MF_COMBINED_ELLIPSE,  // friction ellipse in their place
  MF_COMBINED_TYPICAL   // a file without any gets typical ones
};

typedef struct mf_options {
  int formulas;       // MF_FORMULAS_...: angles as they are; tan(alpha), sin(gamma), Mz as printed
  bool uncapped;      // curvature factors above 1 stay
  double digression;  // A_mu of (4.E8), which the vertical shifts feel: 1, or the book's 10
  int combined;       // MF_COMBINED_...
  bool lenient;       // coefficients of 6.1 in a file of 5.2 count
  bool overturning_outside;  // atan()^2 in Mx in place of atan(()^2)
  bool rolling_by_load;      // My of 6.1 has a further factor Fz / Fz0
  int use_mode;              // -1: as the file says
  double pressure;           // [Pa]; NAN: the file's INFLPRES, or else its NOMPRES
} mf_options;

struct jn_tir;
mf_options mf_default_options(void);

// From a file to parameters and form; fails where the formulas have no meaning, with the line.
jn_status mf_cook(const struct jn_tir *tir, const mf_options *o, double p[MF_FIELDS], int *form,
                  jn_error *err);

// What all formulas make of load and camber.
typedef struct mf_load {
  real fz, x, dfz;           // within limits; x = Fz / Fz0'
  real part;                 // of a load below MF_LOAD_MIN: what the forces are multiplied by
  real gamma, g, g2, abs_g;  // g: gamma or sin(gamma)
} mf_load;

typedef struct mf_axis {  // of Fx or Fy at pure slip
  real mu, k;             // friction, slip stiffness
  real bc;                // B C = K / D
  real sh, sv;            // shifts
} mf_axis;

// a / b, 0 where b is none: files that leave a force out have zeros there, and then nothing depends on it.
JN_INLINE real mf_over(real a, real b)
{
  const r_mask there = r_lt(r_set(1e-30), r_abs(b));
  return r_select(there, a, r_set(0.0)) / r_select(there, b, r_set(1.0));
}

JN_INLINE real mf_clamp(real x, real lo, real hi)
{
  return r_min(hi, r_max(x, lo));
}

JN_INLINE real mf_line(real c0, real c1, real x)
{
  return r_fma(c1, x, c0);
}

JN_INLINE real mf_cos_atan(real x)
{
  return r_set(1.0) / r_sqrt(r_fma(x, x, r_set(1.0)));
}

// exp(x), without overflow: exponents of real tyres are below 10.
JN_INLINE real mf_exp(real x)
{
  return r_exp(mf_clamp(x, r_set(-100.0), r_set(100.0)));
}

JN_INLINE real mf_cap(int form, real e)
{
  return form & MF_UNCAPPED ? e : r_min(e, r_set(1.0));
}

// Formulas C atan(B x - E (B x - atan(B x))), their sines and cosines. A tyre has up to ten that do not wait for each other:
// computed together they take half the time, and one loop in place of ten copies.
enum { MF_BATCH = 10 };

typedef struct mf_batch {
  int n;
  real c[MF_BATCH], bx[MF_BATCH], e[MF_BATCH];
  r_sin_cos of[MF_BATCH];
} mf_batch;

JN_INLINE int mf_add(mf_batch *b, real c, real bx, real e)
{
  b->c[b->n] = c;
  b->bx[b->n] = bx;
  b->e[b->n] = e;
  return b->n++;
}

#ifdef __clang__
#define MF_ROLLED _Pragma("clang loop unroll(disable)")
#else
#define MF_ROLLED _Pragma("GCC unroll 1")
#endif

JN_INLINE void mf_compute(mf_batch *b)
{
  real y[MF_BATCH];
  MF_ROLLED
  for (int i = 0; i < b->n; i++) y[i] = r_fma(-b->e[i], b->bx[i] - r_atan(b->bx[i]), b->bx[i]);
  MF_ROLLED
  for (int i = 0; i < b->n; i++) y[i] = b->c[i] * r_atan(y[i]);
  MF_ROLLED
  for (int i = 0; i < b->n; i++) b->of[i] = r_sincos_near(y[i]);
}

// Weighting function of the other slip x, 1 at zero (4.E51-53): two formulas and their quotient.
JN_INLINE int mf_add_weight(mf_batch *b, real c, real stiff, real e, real x, real shift)
{
  const int at = mf_add(b, c, stiff * (x + shift), e);
  mf_add(b, c, stiff * shift, e);
  return at;
}

JN_INLINE real mf_weight(const mf_batch *b, int at)
{
  return mf_over(b->of[at].cos, b->of[at + 1].cos);
}

JN_INLINE mf_load mf_load_of(int form, const real *p, real load, real camber)
{
  mf_load l;
  l.fz = r_min(p[MF_LOAD_MAX], r_max(load, p[MF_LOAD_MIN]));
  l.part = r_min(r_set(1.0), r_max(load, r_set(0.0)) * p[MF_PER_MIN]);
  l.x = l.fz * p[MF_PER_LOAD];
  l.dfz = l.x - r_set(1.0);
  l.gamma = mf_clamp(camber, p[MF_CAMBER_MIN], p[MF_CAMBER_MAX]);
  l.g = form & MF_BOOK ? r_sincos_near(l.gamma).sin : l.gamma;  // (4.E4)
  l.g2 = l.g * l.g;
  l.abs_g = r_abs(l.g);
  return l;
}

// (4.E12-18)
JN_INLINE mf_axis mf_ahead(const real *p, const mf_load *l)
{
  mf_axis o;
  o.mu =
      mf_line(p[MF_PDX1], p[MF_PDX2], l->dfz) * r_fma(-p[MF_PDX3] * l->gamma, l->gamma, r_set(1.0));
  o.k = l->fz * mf_line(p[MF_PKX1], p[MF_PKX2], l->dfz) * mf_exp(p[MF_PKX3] * l->dfz);
  o.bc = mf_over(o.k, o.mu * l->fz);
  o.sh = mf_line(p[MF_PHX1], p[MF_PHX2], l->dfz);
  o.sv = l->fz * mf_line(p[MF_PVX1], p[MF_PVX2], l->dfz);
  return o;
}

// (4.E9-11, 4.E14)
JN_INLINE int mf_add_fx0(mf_batch *b, int form, const real *p, const mf_load *l, const mf_axis *x,
                         real kappa)
{
  const real kx = kappa + x->sh, sign = r_copysign(r_set(1.0), kx);
  const real e = r_fma(r_fma(p[MF_PEX3], l->dfz, p[MF_PEX2]), l->dfz, p[MF_PEX1]) *
                 r_fma(-p[MF_PEX4], sign, r_set(1.0));
  return mf_add(b, p[MF_PCX1], x->bc * p[MF_PER_PCX1] * kx, mf_cap(form, e));
}

// Cornering stiffness (4.E25).
JN_INLINE real mf_cornering(int form, const real *p, const mf_load *l, bool upright)
{
  if (!(form & MF_SIN_PKY4)) {  // sin(2 atan(u)) = 2 u / (1 + u^2)
    const real u = l->x * p[MF_PER_PKY2];
    const real k = p[MF_PKY1] * (u + u) / r_fma(u, u, r_set(1.0));
    return upright ? k : k * r_fma(-p[MF_PKY3], l->abs_g, r_set(1.0));
  }
  const real u =
      upright ? l->x * p[MF_PER_PKY2] : mf_over(l->x, r_fma(p[MF_PKY5], l->g2, p[MF_PKY2]));
  const real k = p[MF_PKY1] * r_sincos_near(p[MF_PKY4] * r_atan(u)).sin;
  return upright ? k : k * r_fma(-p[MF_PKY3], l->abs_g, r_set(1.0));
}

// (4.E22, 4.E23, 4.E26-30), at the actual camber or at none
JN_INLINE mf_axis mf_side(int form, const real *p, const mf_load *l, bool upright)
{
  mf_axis o;
  o.mu = mf_line(p[MF_PDY1], p[MF_PDY2], l->dfz);
  o.k = mf_cornering(form, p, l, upright);
  o.sh = mf_line(p[MF_PHY1], p[MF_PHY2], l->dfz);
  o.sv = l->fz * mf_line(p[MF_PVY1], p[MF_PVY2], l->dfz);
  if (!upright) {
    const real svg = l->fz * mf_line(p[MF_PVY3], p[MF_PVY4], l->dfz) * l->g;
    o.mu = o.mu * r_fma(-p[MF_PDY3], l->g2, r_set(1.0));
    o.sv = o.sv + svg;
    if (form & MF_CAMBER_STIFFNESS) {
      const real kg = l->fz * mf_line(p[MF_PKY6], p[MF_PKY7], l->dfz);
      o.sh = o.sh + mf_over(r_fma(kg, l->g, -svg), o.k);
    } else {
      o.sh = r_fma(p[MF_PHY3], l->g, o.sh);
    }
  }
  o.bc = mf_over(o.k, o.mu * l->fz);
  return o;
}

// (4.E19-21, 4.E24)
JN_INLINE int mf_add_fy0(mf_batch *b, int form, const real *p, const mf_load *l, const mf_axis *y,
                         real a, bool upright)
{
  const real ay = a + y->sh, sign = r_copysign(r_set(1.0), ay);
  const real skew = upright ? p[MF_PEY3] : r_fma(p[MF_PEY4], l->g, p[MF_PEY3]);
  const real level = upright ? r_set(1.0) : r_fma(p[MF_PEY5], l->g2, r_set(1.0));
  const real e = mf_line(p[MF_PEY1], p[MF_PEY2], l->dfz) * r_fma(-skew, sign, level);
  return mf_add(b, p[MF_PCY1], y->bc * p[MF_PER_PCY1] * ay, mf_cap(form, e));
}

// D sin() + SV
JN_INLINE real mf_pure(const mf_batch *b, int at, const mf_load *l, const mf_axis *o)
{
  return r_fma(o->mu * l->fz, b->of[at].sin, o->sv);
}

// Slips within their limits.
typedef struct mf_slip {
  real kappa;
  real a;     // alpha, or its tangent
  real cosa;  // cos'(alpha), with the sign of the direction of travel (4.E6)
} mf_slip;

JN_INLINE mf_slip mf_slip_of(int form, const real *p, const tyre_slip *s)
{
  const real tangent = mf_clamp(s->tan_alpha, p[MF_TAN_MIN], p[MF_TAN_MAX]);
  return (mf_slip){mf_clamp(s->kappa, p[MF_KAPPA_MIN], p[MF_KAPPA_MAX]),
                   form & MF_BOOK ? tangent : r_atan(tangent), s->forward * mf_cos_atan(tangent)};
}

// Gxa (4.E54-57)
JN_INLINE int mf_add_gxa(mf_batch *batch, int form, const real *p, const mf_load *l,
                         const mf_slip *s)
{
  const real b = r_fma(p[MF_RBX3], l->g2, p[MF_RBX1]) * mf_cos_atan(p[MF_RBX2] * s->kappa);
  const real e = mf_cap(form, mf_line(p[MF_REX1], p[MF_REX2], l->dfz));
  return mf_add_weight(batch, p[MF_RCX1], b, e, s->a, p[MF_RHX1]);
}

// Gyk (4.E62-65)
JN_INLINE int mf_add_gyk(mf_batch *batch, int form, const real *p, const mf_load *l,
                         const mf_slip *s, bool upright)
{
  const real size = upright ? p[MF_RBY1] : r_fma(p[MF_RBY4], l->g2, p[MF_RBY1]);
  const real b = size * mf_cos_atan(p[MF_RBY2] * (s->a - p[MF_RBY3]));
  const real e = mf_cap(form, mf_line(p[MF_REY1], p[MF_REY2], l->dfz));
  return mf_add_weight(batch, p[MF_RCY1], b, e, s->kappa, mf_line(p[MF_RHY1], p[MF_RHY2], l->dfz));
}

// SVyk, side force that driving or braking brings (4.E66, 4.E67)
JN_INLINE real mf_svyk(const real *p, const mf_load *l, const mf_axis *y, const mf_slip *s)
{
  const real size = r_fma(p[MF_RVY3], l->g, mf_line(p[MF_RVY1], p[MF_RVY2], l->dfz));
  const real turns = p[MF_RVY5] * r_atan(p[MF_RVY6] * s->kappa);
  return y->mu * l->fz * size * mf_cos_atan(p[MF_RVY4] * s->a) * r_sincos_near(turns).sin;
}

// The friction ellipse of PAC2002. Its tan(beta) = |ac| / |kc| is multiplied out, so that it has a value at zero slip of
// either kind: there a force is what it would be alone.
JN_INLINE void mf_ellipse(const mf_load *l, const mf_axis *x, const mf_axis *y, const mf_slip *s,
                          real *fx, real *fy)
{
  const real kc = r_abs(s->kappa + x->sh + mf_over(x->sv, x->k));
  const real ac = r_abs(r_sincos_near(s->a + y->sh + mf_over(y->sv, y->k)).sin);
  const real mx = l->fz * r_abs(x->mu), my = l->fz * r_abs(y->mu);
  const real px = r_abs(*fx - x->sv) * ac, qx = my * kc, nx = r_sqrt(r_fma(px, px, qx * qx));
  const real py = r_abs(*fy - y->sv) * kc, qy = mx * ac, ny = r_sqrt(r_fma(py, py, qy * qy));
  const real none = r_set(1e-100), one = r_set(1.0);
  *fx = *fx * r_select(r_lt(none, nx), qx / r_max(nx, none), one);
  *fy = *fy * r_select(r_lt(none, ny), qy / r_max(ny, none), one);
}

// Mx without what follows from Fy, and the factor of the sine in it (4.E69, A47).
typedef struct mf_tipping {
  real moment, sway;
} mf_tipping;

JN_INLINE mf_tipping mf_tipping_of(int form, const real *p, const mf_load *l)
{
  const real g = l->gamma;
  mf_tipping o = {l->fz * r_fma(-p[MF_QSX2], g, p[MF_QSX1]), r_set(0.0)};
  if (!(form & MF_TIPPING)) return o;
  const real q6 = p[MF_QSX6] * l->fz, inner = r_atan(form & MF_TIPPING_OUTSIDE ? q6 : q6 * q6);
  const real turn = p[MF_QSX5] * (form & MF_TIPPING_OUTSIDE ? inner * inner : inner);
  const real leans = r_fma(p[MF_QSX10], r_atan(p[MF_QSX11] * l->fz), -p[MF_QSX12] * r_abs(g));
  o.moment = r_fma(l->fz * leans, g, o.moment);
  o.sway = l->fz * p[MF_QSX4] * r_sincos_near(turn).cos;
  return o;
}

JN_INLINE real mf_mx(int form, const real *p, const mf_load *l, const mf_tipping *t, real fy)
{
  real arm = l->fz * p[MF_QSX3];
  if (!(form & MF_TIPPING)) return r_fma(arm, fy, t->moment);
  const real lean = r_fma(p[MF_QSX8], r_atan(p[MF_QSX9] * fy), p[MF_QSX7] * l->gamma);
  arm = arm + r_fma(p[MF_QSX14], r_abs(l->gamma), p[MF_QSX13]);
  return r_fma(t->sway, r_sincos_near(lean).sin, r_fma(arm, fy, t->moment));
}

// How My grows with the load (A48).
JN_INLINE real mf_rolling_of(int form, const real *p, const mf_load *l)
{
  const real ratio = l->fz * p[MF_PER_FNOMIN];
  return p[MF_ROLLING] * (form & MF_ROLLING_POWER ? mf_exp(p[MF_QSY7] * r_log(ratio)) : ratio);
}

// (A48), against the wheel's spin
JN_INLINE real mf_my(const real *p, const mf_load *l, const tyre_slip *s, real rolling, real fx)
{
  const real v = r_min(s->speed, r_set(1e6)), v2 = v * v;
  real m = r_fma(p[MF_QSY4] * v2, v2, r_fma(p[MF_QSY3], v, r_fma(p[MF_QSY2], fx, p[MF_QSY1])));
  m = r_fma(r_fma(p[MF_QSY6], l->fz, p[MF_QSY5]) * l->gamma, l->gamma, m);
  return -s->rolling * rolling * m;
}

// Slip equivalent to a slip angle at that kappa, without its sign: what follows is even (A54, A55; 4.E77, 4.E78).
JN_INLINE real mf_equivalent(int form, real a, real kappa)
{
  if (form & MF_BOOK) return r_sqrt(r_fma(a, a, kappa * kappa));
  const r_sin_cos t = r_sincos_near(a);  // atan(sqrt(tan^2 + kappa^2))
  const real side = t.cos * kappa;
  return r_atan2(r_sqrt(r_fma(t.sin, t.sin, side * side)), r_abs(t.cos));
}

// Pneumatic trail t (4.E33-35, 4.E40-44, A58, A60) and residual moment Mzr (4.E37, 4.E45-47), at a slip kappa that is
// already in terms of a slip angle: (Kx / Ky) kappa; `combined` false: at none.
typedef struct mf_trail {
  int at;         // formula of the trail
  real size;      // Dt cos'(alpha)
  real residual;  // Mzr
} mf_trail;

JN_INLINE mf_trail mf_add_trail(mf_batch *b, int form, const real *p, const mf_load *l,
                                const mf_axis *y, const mf_slip *s, bool combined, real kappa)
{
  const real one = r_set(1.0), dfz = l->dfz, g = l->g;
  const real sht =
      r_fma(mf_line(p[MF_QHZ3], p[MF_QHZ4], dfz), g, mf_line(p[MF_QHZ1], p[MF_QHZ2], dfz));
  const real at = s->a + sht, ar = s->a + y->sh + mf_over(y->sv, y->k);
  const real at_eq = combined ? mf_equivalent(form, at, kappa) : r_abs(at);
  const real ar_eq = combined ? mf_equivalent(form, ar, kappa) : r_abs(ar);

  const real bt = r_fma(r_fma(p[MF_QBZ3], dfz, p[MF_QBZ2]), dfz, p[MF_QBZ1]) *
                  r_fma(p[MF_QBZ5], l->abs_g, r_fma(p[MF_QBZ4], g, one));
  const real leans = form & MF_BOOK ? l->abs_g : g;
  const real dt = l->fz * mf_line(p[MF_QDZ1], p[MF_QDZ2], dfz) *
                  r_fma(p[MF_QDZ4], l->g2, r_fma(p[MF_QDZ3], leans, one));
  const real skew = mf_line(p[MF_QEZ4], p[MF_QEZ5], g) * r_atan(bt * p[MF_QCZ1] * at);
  const real et = r_fma(r_fma(p[MF_QEZ3], dfz, p[MF_QEZ2]), dfz, p[MF_QEZ1]) * (one + skew);

  const real br = r_fma(p[MF_QBZ10], y->bc, p[MF_QBZ9]);
  const real by_g =
      r_fma(mf_line(p[MF_QDZ10], p[MF_QDZ11], dfz), l->abs_g, mf_line(p[MF_QDZ8], p[MF_QDZ9], dfz));
  const real dr = l->fz * r_fma(by_g, g, mf_line(p[MF_QDZ6], p[MF_QDZ7], dfz));
  return (mf_trail){mf_add(b, p[MF_QCZ1], bt * at_eq, mf_cap(form, et)), dt * s->cosa,
                    dr * mf_cos_atan(br * ar_eq) * s->cosa};
}

// Arm of Fx about the vertical (A56; 4.E76).
JN_INLINE real mf_arm(const real *p, const mf_load *l, real fy)
{
  return r_fma(mf_line(p[MF_SSZ3], p[MF_SSZ4], l->dfz), l->g, r_fma(p[MF_SSZ2], fy, p[MF_SSZ1]));
}

JN_INLINE tyre_forces mf_forces(int form, const real *p, const double *table, tyre_slip in)
{
  (void)table;
  const int use = form & MF_USE;
  tyre_forces o = tyre_no_forces();
  if (!use) return o;
  const bool longitudinal = use != 2, lateral = use != 1, book = form & MF_BOOK;
  const bool ellipse = use > 3 && form & MF_ELLIPSE, combined = use > 3 && !ellipse;
  const bool upright = form & MF_UPRIGHT && !ellipse;
  const mf_load l = mf_load_of(form, p, in.load, in.camber);
  const mf_slip s = mf_slip_of(form, p, &in);
  mf_axis x = {0}, y = {0}, y0 = {0};
  mf_trail t = {0};
  mf_tipping tipping = {0};
  real rolling = r_set(0.0), svyk = r_set(0.0);
  mf_batch b = {.n = 0};
  int fx0 = 0, fy0 = 0, fy0_upright = 0, gxa = 0, gyk = 0, gyk_upright = 0;

  if (longitudinal) {
    x = mf_ahead(p, &l);
    fx0 = mf_add_fx0(&b, form, p, &l, &x, s.kappa);
    if (combined) gxa = mf_add_gxa(&b, form, p, &l, &s);
    rolling = mf_rolling_of(form, p, &l);
  }
  if (lateral) {
    y = mf_side(form, p, &l, false);
    fy0 = mf_add_fy0(&b, form, p, &l, &y, s.a, false);
    if (upright) y0 = mf_side(form, p, &l, true);
    if (upright) fy0_upright = mf_add_fy0(&b, form, p, &l, &y0, s.a, true);
    if (combined) gyk_upright = gyk = mf_add_gyk(&b, form, p, &l, &s, false);
    if (combined && upright && book) gyk_upright = mf_add_gyk(&b, form, p, &l, &s, true);
    if (combined) svyk = mf_svyk(p, &l, &y, &s);
    tipping = mf_tipping_of(form, p, &l);
    t = mf_add_trail(&b, form, p, &l, &y, &s, combined, mf_over(x.k, y.k) * s.kappa);
  }
  mf_compute(&b);

  if (longitudinal) o.fx = mf_pure(&b, fx0, &l, &x);
  if (combined) o.fx = o.fx * mf_weight(&b, gxa);
  if (lateral) o.fy = mf_pure(&b, fy0, &l, &y);
  real trailing =
      upright ? mf_pure(&b, fy0_upright, &l, &y0) : o.fy;  // Fy', the force behind the trail
  if (combined) {
    trailing = trailing * mf_weight(&b, gyk_upright);
    o.fy = r_fma(mf_weight(&b, gyk), o.fy, svyk);
  }
  if (ellipse) {
    mf_ellipse(&l, &x, &y, &s, &o.fx, &o.fy);
    trailing = o.fy;
  }
  if (longitudinal) o.my = mf_my(p, &l, &in, rolling, o.fx);
  if (lateral) {
    o.mx = mf_mx(form, p, &l, &tipping, o.fy);
    o.mz = r_fma(-t.size * b.of[t.at].cos, trailing, t.residual);
  }
  if (combined) o.mz = r_fma(mf_arm(p, &l, o.fy), o.fx, o.mz);
  return (tyre_forces){l.part * o.fx, l.part * o.fy, l.part * o.mx, l.part * o.my, l.part * o.mz};
}

// Relaxation lengths: version 5.2 gives them (PTX1 ..., PTY1 ...), 6.1 the stiffness of the carcass, and the length is slip
// stiffness over that.
JN_INLINE tyre_limits mf_limits(int form, const real *p, const double *table, real load,
                                real camber)
{
  (void)table;
  const real one = r_set(1.0), small = r_set(1e-3);
  const mf_load l = mf_load_of(form, p, load, camber);
  const mf_axis x = mf_ahead(p, &l), y = mf_side(form, p, &l, false);
  const real sx[3] = {p[MF_SIGMA_X1], p[MF_SIGMA_X2], p[MF_SIGMA_X3]};
  const real sy[3] = {p[MF_SIGMA_Y1], p[MF_SIGMA_Y2], p[MF_SIGMA_Y3]};
  real along = sx[0], across = sy[0];
  if (form & MF_RELAX_X_LOAD) along = l.fz * mf_line(sx[0], sx[1], l.dfz) * mf_exp(-sx[2] * l.dfz);
  if (form & MF_RELAX_X_STIFFNESS)
    along = mf_over(x.k, r_fma(r_fma(sx[2], l.dfz, sx[1]), l.dfz, sx[0]));
  if (form & MF_RELAX_Y_LOAD) {  // sin(2 atan(u)) = 2 u / (1 + u^2)
    const real u = l.x * sy[1];
    across = sy[0] * (u + u) / r_fma(u, u, one) * r_fma(-sy[2], l.abs_g, one);
  }
  if (form & MF_RELAX_Y_STIFFNESS)
    across = mf_over(y.k, r_fma(r_fma(sy[2], l.dfz, sy[1]), l.dfz, sy[0]));
  // A file without one of the forces still has limits above zero.
  return (tyre_limits){
      {r_max(r_abs(x.k), small * l.fz), r_max(r_abs(y.k), small * l.fz)},
      {r_max(r_abs(x.mu), small), r_max(r_abs(y.mu), small)},
      {r_max(r_abs(along), p[MF_SIGMA_MIN]), r_max(r_abs(across), p[MF_SIGMA_MIN])}};
}

#endif
