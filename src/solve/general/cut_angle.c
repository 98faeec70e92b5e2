#include "solve/general/cut_angle.h"

#include "base/rmath.h"

double jn_angle_about(v3 u, v3 x, v3 y)
{
  const v3 a = v3_axpy(-v3_dot(x, u), u, x), b = v3_axpy(-v3_dot(y, u), u, y);
  return r_atan2(v3_dot(u, v3_cross(a, b)), v3_dot(a, b));
}

// Of the second body about the first's axis, within +-pi.
static double angle_of(const jn_cut *c, const jn_pose *a, const jn_pose *b)
{
  return row_angle(m3_mul_v3(b->r, c->y[JN_Y_NORMAL]), m3_mul_v3(a->r, c->x[JN_X_NORMAL]),
                   m3_mul_v3(a->r, c->x[JN_X_OTHER]));
}

// Travel of the second body's point along the first's axis.
static double travel(const jn_system *s, const jn_data *d, const jn_cut *c, v3 u, double *rate)
{
  const jn_pose *a = &d->pose[c->a], *b = &d->pose[c->b];
  const sv va = d->twist[c->a], vb = d->twist[c->b];
  const v3 apart = v3_sub(d->station[s->body[c->b].station], d->station[s->body[c->a].station]);
  const v3 pa = v3_add(a->p, m3_mul_v3(a->r, c->at_a)), pb = v3_add(b->p, m3_mul_v3(b->r, c->at_b));
  const v3 between = v3_sub(v3_add(pb, apart), pa);
  const v3 speed = v3_sub(v3_cross_add(vb.a, pb, vb.l), v3_cross_add(va.a, pa, va.l));
  *rate = v3_dot(u, v3_sub(speed, v3_cross(va.a, between)));
  return v3_dot(u, between) - c->value[JN_VALUE_SLIDE];
}

double jn_cut_coordinate(const jn_system *s, const jn_data *d, int cut, double near, double *rate,
                         v3 *axis)
{
  const jn_cut *c = &s->cut[cut];
  const v3 u = m3_mul_v3(d->pose[c->a].r, c->x[JN_X_AXIS]);
  *axis = u;
  if (jn_joint_slides(c->kind)) return travel(s, d, c, u, rate);
  const double angle = angle_of(c, &d->pose[c->a], &d->pose[c->b]), turn = 2.0 * M_PI;
  *rate = v3_dot(u, v3_sub(d->twist[c->b].a, d->twist[c->a].a));
  return angle + turn * __builtin_round((near - angle) / turn);
}

void jn_cuts_follow(const jn_system *s, jn_data *d)
{
  for (int i = 0; i < s->ncut; i++) {
    double rate;
    v3 axis;
    if (jn_joint_has(s->cut[i].kind, JN_HAS_ANGLE))
      d->cut_angle[i] = jn_cut_coordinate(s, d, i, d->cut_angle[i], &rate, &axis);
  }
}
