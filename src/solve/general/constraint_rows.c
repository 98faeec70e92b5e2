// constraint_rows.c: cut joints as constraint rows.
//
// A row is a wrench w on body b, and -w on body a, that does no work in the motions that the joint permits:
//
//   rate of residual = w . (V_b - V_a),   second rate = w . (A_b - A_a) + w' . (V_b - V_a)
//
// The same wrench is held twice, about the stations of a and of b. Which rows a kind of joint has says joints/joint.h.
#include "solve/general/constraint_rows.h"
#include "joints/joint_rows.h"
#include "solve/general/cut_angle.h"

typedef struct ends {  // of a cut joint, in frame axes
  v3 offset;           // of b's station from a's: what is about b, plus this, is about a
  v3 pa, pb;           // points of the bodies, each about its own station
  jn_row_place place;
} ends;

static ends look(const jn_system *s, const jn_data *d, const jn_cut *c)
{
  const jn_pose *a = &d->pose[c->a], *b = &d->pose[c->b];
  const int sa = s->body[c->a].station, sb = s->body[c->b].station;
  ends e = {.offset = sa == sb ? v3_set(0, 0, 0) : v3_sub(d->station[sb], d->station[sa]),
            .pa = v3_add(a->p, m3_mul_v3(a->r, c->at_a)),
            .pb = v3_add(b->p, m3_mul_v3(b->r, c->at_b)),
            .place = {.a = &a->r, .b = &b->r, .x = c->x, .y = c->y, .value = c->value}};
  e.place.pitch = c->pitch;
  if (c->drive >= 0) e.place.drive = jn_drive_unit(c) * d->drive[c->drive].s;
  e.place.d = v3_sub(v3_add(e.pb, e.offset), e.pa);
  return e;
}

void jn_cut_residuals(const jn_system *s, jn_data *d, int i)
{
  const jn_cut *c = &s->cut[i];
  const ends e = look(s, d, c);
  for (int r = 0; r < c->nrow; r++)
    d->residual[c->row + r] = jn_row_at(&c->rows[r], &e.place).residual;
}

void jn_cut_positions(const jn_system *s, jn_data *d, int i)
{
  const jn_cut *c = &s->cut[i];
  const ends e = look(s, d, c);
  const v3 pa = v3_add(e.pb, e.offset);
  for (int r = 0; r < c->nrow; r++) {
    const jn_row_value k = jn_row_at(&c->rows[r], &e.place);
    d->residual[c->row + r] = k.residual;
    d->row[c->row + r].b = sv_make(v3_cross_add(e.pb, k.f, k.m), k.f);
    d->row[c->row + r].a = sv_make(v3_cross_add(pa, k.f, k.m), k.f);
  }
}

void jn_cut_rates(const jn_system *s, jn_data *d, int i)
{
  const jn_cut *c = &s->cut[i];
  const sv va = d->twist[c->a], vb = d->twist[c->b];
  for (int r = c->row; r < c->row + c->nrow; r++)
    d->residual_rate[r] = sv_dot(vb, d->row[r].b) - sv_dot(va, d->row[r].a);
  if (c->drive >= 0)
    d->residual_rate[c->row + c->nrow - 1] -= jn_drive_unit(c) * d->drive[c->drive].rate;
}

static jn_row_motion motion_of(const jn_data *d, const jn_cut *c, const ends *e)
{
  const sv va = d->twist[c->a], vb = d->twist[c->b];
  const v3 none = v3_set(0, 0, 0), vpa = v3_cross_add(va.a, e->pa, va.l);
  jn_row_motion k = {.wa = va.a, .wb = vb.a, .point = v3_cross_add(vb.a, e->pb, vb.l)};
  k.gap = v3_sub(k.point, v3_cross_add(va.a, v3_add(e->pb, e->offset), va.l));
  k.rate = v3_sub(k.point, vpa);
  k.accel = v3_sub(row_acceleration(vb.a, k.point, none), row_acceleration(va.a, vpa, none));
  return k;
}

void jn_cut_gamma(const jn_system *s, jn_data *d, int i)
{
  const jn_cut *c = &s->cut[i];
  const ends e = look(s, d, c);
  const jn_row_motion k = motion_of(d, c, &e);
  for (int r = 0; r < c->nrow; r++)
    d->gamma[c->row + r] = -jn_row_second(&c->rows[r], &e.place, &k);
  if (c->drive >= 0) d->gamma[c->row + c->nrow - 1] += jn_drive_unit(c) * d->drive[c->drive].accel;
}
