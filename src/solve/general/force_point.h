// force_point.h: a point of a body, and what pushes there.
#ifndef JN_SOLVE_GENERAL_FORCE_POINT_H
#define JN_SOLVE_GENERAL_FORCE_POINT_H

#include "solve/data.h"

typedef struct jn_point {  // of a body
  v3 p;                    // from its frame's origin, frame axes
  v3 about;                // from its station, frame axes
  v3 v;                    // velocity in its frame, frame axes
} jn_point;

static inline jn_point jn_point_of(const jn_system *s, const jn_data *d, int body, v3 at)
{
  const jn_pose *k = &d->pose[body];
  const sv v = d->twist[body];
  jn_point p;
  p.about = v3_add(k->p, m3_mul_v3(k->r, at));
  p.p = v3_add(p.about, d->station[s->body[body].station]);
  p.v = v3_cross_add(v.a, p.about, v.l);
  return p;
}

static inline void jn_push(jn_data *d, int body, v3 about, v3 force)
{
  d->force[body] = sv_add(d->force[body], sv_make(v3_cross(about, force), force));
}

static inline void jn_twist(jn_data *d, int body, v3 moment)
{
  d->force[body].a = v3_add(d->force[body].a, moment);
}

#endif
