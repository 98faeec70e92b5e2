// compare_paths.c: rates of the lanes against those of the general path, at one state.
#include <math.h>

#include "base/invariant.h"
#include "solve/fast/fast.h"

// Of the body whose acceleration differs most; states of tyres and actuators belong to none.
static void take(lane_difference *worst, double ours, double theirs, double scale, int body)
{
  const double x = fabs(ours - theirs) / fmax(scale, fabs(theirs));
  if (x > worst->size || isnan(x)) *worst = (lane_difference){x, body};
}

// A declared state, u' = b - a u, is a difference of two terms that may be large.
static double declared_scale(const jn_lane_data *k, const jn_lane *l, int at)
{
  return at < l->core_e ? 0.0 : fabs(k->rate[at - l->core_e] * k->y[at]);
}

// A number of the general path's that a lane has. NULL: it is none that has a rate of its own.
static const double *rate_of(const jn_data *d, int g, int lane, const lane_state_map *link)
{
  const lane_group *group = &d->system->lane->group[g];
  if (link->section == LANE_FOLLOWS && link->second >= 0)
    return &d->lane->w[g][LANES * link->second + lane];
  if (link->section != LANE_V && link->section != LANE_X && link->section != LANE_E) return NULL;
  return &d->lane->dy[jn_lane_section_at(group, link->section) + LANES * link->field + lane];
}

// Accelerations of dependent coordinates are no rates of the lanes' state, and are computed as for rows: a joint whose only coordinate is
// dependent would be compared with nothing otherwise.
static void take_group(const jn_system *s, const jn_data *d, int g, double size,
                       lane_difference *worst)
{
  const jn_lane_data *k = d->lane;
  const lane_group *group = &s->lane->group[g];
  JN_ASSERT(group->op[LANE_ROW][0].kind == LANE_COORDINATES);
  s->lane->engine->list(group->op[LANE_ROW], 1, group->lanes, &k->run[g]);
  for (int i = 0; i < group->lanes * group->nlink; i++) {
    const lane_state_map *link = &group->link[i];
    const double *ours = rate_of(d, g, i / group->nlink, link);
    if (!ours) continue;
    const bool moves = link->section == LANE_V || link->section == LANE_FOLLOWS;
    double theirs;
    if (link->rotor >= 0)  // (axis . w)' = axis . w', since the axis turns with the carrier
      theirs = v3_dot(m3_mul_v3(d->pose[link->rotor].r, link->axis), d->accel[link->rotor].a);
    else if (moves)
      theirs = d->dy[link->general];
    else
      theirs = k->general[link->general - s->nq - s->nv];
    const double scale =
        link->section == LANE_E ? declared_scale(k, s->lane, (int)(ours - k->dy)) : 0.0;
    const int body = moves ? jn_lane_body_of_speed(s, link->general - s->nq) : -1;
    take(worst, *ours, theirs, fmax(size, scale), body);
  }
}

lane_difference jn_lane_compare(const jn_system *s, const jn_data *d)
{
  const jn_lane *l = s->lane;
  const jn_lane_data *k = d->lane;
  lane_difference worst = {0.0, -1};
  double size = fmax(v3_norm(s->gravity), 1.0);
  for (int i = 0; i < s->nv; i++) size = fmax(size, fabs(d->dy[s->nq + i]));
  for (int i = 0; i < l->ncore && !jn_lane_has_rest(l); i++) {
    const int body = l->core[i].body, v = s->nq + s->joint[body].v;
    for (int a = 0; a < l->core[i].nv; a++)
      take(&worst, k->dy[l->core[i].v + a], d->dy[v + a], size, body);
  }
  for (int i = 0; i < l->rest.part.nbody; i++) {
    const int body = l->rest.part.body[i], v = s->nq + s->joint[body].v;
    for (int a = 0; a < s->joint[body].nv; a++)
      take(&worst, k->dy[l->rest.v[i] + a], d->dy[v + a], size, body);
  }
  for (int i = 0; i < l->nplain; i++)
    take(&worst, k->dy[l->core_x + i], k->general[l->plain[i]], size, -1);
  for (int i = 0; i < l->ndeclared; i++)
    take(&worst, k->dy[l->core_e + i], k->general[l->declared[i]],
         fmax(size, declared_scale(k, l, l->core_e + i)), -1);
  for (int g = 0; g < l->ngroup; g++) take_group(s, d, g, size, &worst);
  return worst;
}
