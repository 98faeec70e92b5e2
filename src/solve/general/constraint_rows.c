// constraint_rows.c: cut joints as constraint rows.
//
// A row is a wrench w on body b, and -w on body a, that does no work in the motions that the joint permits:
//
//   rate of residual = w . (V_b - V_a),   second rate = w . (A_b - A_a) + w' . (V_b - V_a)
//
// The same wrench is held twice, about the stations of a and of b.
#include <math.h>

#include "base/rmath.h"
#include "solve/general/constraint_rows.h"
#include "solve/general/cut_angle.h"

static const v3 zero = {0, 0, 0};

typedef struct geometry {  // of a cut joint, in frame axes
  v3 offset;               // of b's station from a's: what is about b, plus this, is about a
  v3 pb;                   // second body's point about b's station
  v3 d;                    // from the first body's point to the second's
  v3 vd;                   // its rate
  v3 wa, wb;               // angular velocities
  v3 vpb;                  // velocity of the second body's point
} geometry;

typedef enum wanted {
  RESIDUALS,
  WRENCHES,  // and residuals
  RATES      // of wrenches
} wanted;

typedef struct rows {
  const jn_system *s;
  jn_data *d;
  const jn_cut *c;
  geometry g;
  int row;
  wanted what;
} rows;

JN_INLINE geometry look(const jn_system *s, const jn_data *d, const jn_cut *c, wanted what)
{
  geometry g = {.wa = zero, .wb = zero, .vpb = zero, .vd = zero};
  const jn_pose *a = &d->pose[c->a], *b = &d->pose[c->b];
  const int sa = s->body[c->a].station, sb = s->body[c->b].station;
  g.offset = sa == sb ? zero : v3_sub(d->station[sb], d->station[sa]);
  g.pb = v3_add(b->p, m3_mul_v3(b->r, c->at_b));
  v3 pa = v3_add(a->p, m3_mul_v3(a->r, c->at_a));
  g.d = v3_sub(v3_add(g.pb, g.offset), pa);
  if (what == RATES) {
    const sv va = d->twist[c->a], vb = d->twist[c->b];
    g.wa = va.a, g.wb = vb.a;
    g.vpb = v3_cross_add(vb.a, g.pb, vb.l);
    g.vd = v3_sub(g.vpb, v3_cross_add(va.a, pa, va.l));
  }
  return g;
}

// A force along f at the second body's point, together with a moment m on it.
JN_INLINE void put(rows *k, double residual, v3 f, v3 m, v3 f_rate, v3 m_rate)
{
  jn_row_data *r = &k->d->row[k->row];
  const v3 pb = k->g.pb, pa = v3_add(pb, k->g.offset);
  if (k->what != RATES) {
    k->d->residual[k->row++] = residual;
    if (k->what == RESIDUALS) return;
    r->b = sv_make(v3_cross_add(pb, f, m), f);
    r->a = sv_make(v3_cross_add(pa, f, m), f);
    return;
  }
  v3 carried = v3_add(v3_cross(k->g.vpb, f), m_rate);
  r->rate_b = sv_make(v3_cross_add(pb, f_rate, carried), f_rate);
  r->rate_a = sv_make(v3_cross_add(pa, f_rate, carried), f_rate);
  k->row++;
}

// d . f = value, f on the first body.
JN_INLINE void along(rows *k, v3 f, double value)
{
  put(k, v3_dot(k->g.d, f) - value, f, zero, v3_cross(k->g.wa, f), zero);
}

// x . y = value, x on the first body and y on the second: a moment along y x x.
JN_INLINE void between(rows *k, v3 x, v3 y, double value)
{
  v3 rate = v3_add(v3_cross(v3_cross(k->g.wb, y), x), v3_cross(y, v3_cross(k->g.wa, x)));
  put(k, v3_dot(x, y) - value, zero, v3_cross(y, x), zero, rate);
}

JN_INLINE void point(rows *k, const m3 *r)
{
  for (int i = 0; i < 3; i++) along(k, m3_column(*r, i), 0.0);
}

JN_INLINE void distance(rows *k, double length)
{
  const double n = v3_norm(k->g.d), inverse = n > 0.0 ? 1.0 / n : 0.0;
  const v3 f = v3_scale(inverse, k->g.d);
  const v3 rate = v3_scale(inverse, v3_axpy(-v3_dot(f, k->g.vd), f, k->g.vd));
  put(k, n - length, f, zero, rate, zero);
}

JN_INLINE void no_rotation(rows *k, const jn_pose *a, const jn_pose *b)
{
  const jn_cut *c = k->c;
  const v3 u = m3_mul_v3(a->r, c->axis_a), n0 = m3_mul_v3(a->r, c->normal_a[0]),
           n1 = m3_mul_v3(a->r, c->normal_a[1]);
  const v3 m0 = m3_mul_v3(b->r, c->normal_b[0]), m1 = m3_mul_v3(b->r, c->normal_b[1]);
  const v3 mu = v3_cross(m0, m1);
  between(k, n0, m1, 0.0);
  between(k, n1, mu, 0.0);
  between(k, u, m0, 0.0);
}

// The second body's axis stays normal to the first body's normals.
JN_INLINE void parallel(rows *k, const jn_pose *a, const jn_pose *b)
{
  const v3 axis = m3_mul_v3(b->r, k->c->axis_b);
  between(k, m3_mul_v3(a->r, k->c->normal_a[0]), axis, 0.0);
  between(k, m3_mul_v3(a->r, k->c->normal_a[1]), axis, 0.0);
}

// The second body's point stays on the first body's axis.
JN_INLINE void on_axis(rows *k, const jn_pose *a)
{
  along(k, m3_mul_v3(a->r, k->c->normal_a[0]), 0.0);
  along(k, m3_mul_v3(a->r, k->c->normal_a[1]), 0.0);
}

JN_INLINE void cut_rows(const jn_system *s, jn_data *d, int i, wanted what)
{
  const jn_cut *c = &s->cut[i];
  const jn_pose *a = &d->pose[c->a], *b = &d->pose[c->b];
  rows k = {s, d, c, look(s, d, c, what), c->row, what};
  switch (c->kind) {
    case JN_JOINT_FIXED:
      point(&k, &a->r);
      no_rotation(&k, a, b);
      break;
    case JN_JOINT_REVOLUTE:
      point(&k, &a->r);
      parallel(&k, a, b);
      break;
    case JN_JOINT_TRANSLATIONAL:
      on_axis(&k, a);
      no_rotation(&k, a, b);
      break;
    case JN_JOINT_CYLINDRICAL:
      on_axis(&k, a);
      parallel(&k, a, b);
      break;
    case JN_JOINT_SCREW: {
      const v3 u = m3_mul_v3(a->r, c->axis_a);
      const double travel = v3_dot(k.g.d, u) - c->slide, angle = jn_cut_angle(c, a, b);
      on_axis(&k, a);
      parallel(&k, a, b);
      put(&k, c->pitch * jn_nearest_turn(travel / c->pitch - angle), u, v3_scale(-c->pitch, u),
          v3_cross(k.g.wa, u), v3_scale(-c->pitch, v3_cross(k.g.wa, u)));
      break;
    }
    case JN_JOINT_UNIVERSAL:
      point(&k, &a->r);
      between(&k, m3_mul_v3(a->r, c->axis_a), m3_mul_v3(b->r, c->axis_b), c->cosine);
      break;
    case JN_JOINT_SPHERICAL:
      point(&k, &a->r);
      break;
    case JN_JOINT_PLANAR:
      along(&k, m3_mul_v3(a->r, c->axis_a), 0.0);
      parallel(&k, a, b);
      break;
    case JN_JOINT_NO_ROTATION:
      no_rotation(&k, a, b);
      break;
    case JN_JOINT_DISTANCE:
      distance(&k, c->length);
      break;
    case JN_JOINT_SPHERICAL_REVOLUTE:
      along(&k, m3_mul_v3(a->r, c->axis_a), c->offset);
      distance(&k, c->length);
      break;
    case JN_JOINT_SPHERICAL_TRANSLATIONAL:
      on_axis(&k, a);
      break;
    case JN_JOINT_FREE:
    case JN_NJOINT_KIND:
      break;
  }
  if (c->drive < 0) return;
  const double value = d->drive[c->drive].s;
  const v3 u = m3_mul_v3(a->r, c->axis_a);
  if (c->kind == JN_JOINT_REVOLUTE)
    put(&k, jn_nearest_turn(jn_cut_angle(c, a, b) - value), zero, u, zero, v3_cross(k.g.wa, u));
  else
    along(&k, u, c->slide + (c->kind == JN_JOINT_SCREW ? c->pitch * value : value));
}

void jn_rows_residuals(const jn_system *s, jn_data *d)
{
  for (int i = 0; i < s->ncut; i++) cut_rows(s, d, i, RESIDUALS);
}

void jn_rows_positions(const jn_system *s, jn_data *d)
{
  for (int i = 0; i < s->ncut; i++) cut_rows(s, d, i, WRENCHES);
}

void jn_rows_rates(const jn_system *s, jn_data *d)
{
  for (int i = 0; i < s->ncut; i++) {
    const jn_cut *c = &s->cut[i];
    const sv va = d->twist[c->a], vb = d->twist[c->b];
    for (int r = c->row; r < c->row + c->nrow; r++)
      d->residual_rate[r] = sv_dot(vb, d->row[r].b) - sv_dot(va, d->row[r].a);
    if (c->drive >= 0)
      d->residual_rate[c->row + c->nrow - 1] -= jn_drive_unit(c) * d->drive[c->drive].rate;
  }
}

void jn_rows_gamma(const jn_system *s, jn_data *d)
{
  for (int i = 0; i < s->ncut; i++) {
    const jn_cut *c = &s->cut[i];
    const sv va = d->twist[c->a], vb = d->twist[c->b];
    cut_rows(s, d, i, RATES);
    for (int r = c->row; r < c->row + c->nrow; r++)
      d->gamma[r] = sv_dot(va, d->row[r].rate_a) - sv_dot(vb, d->row[r].rate_b);
    if (c->drive >= 0)
      d->gamma[c->row + c->nrow - 1] += jn_drive_unit(c) * d->drive[c->drive].accel;
  }
}
