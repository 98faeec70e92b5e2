// drivers.c: drivers in a run: what they see becomes the torque of their wheels.
#include "solve/general/force_point.h"
#include "solve/general/forces.h"

void jn_driver_act(const jn_system *s, jn_data *d, int i, double speed)
{
  const jn_driver *k = &s->driver[i];
  jn_driver_state *own = &d->driver[i];
  own->speed = speed;
  own->out = speed_driver(&k->law, d->in[k->target][0] - speed, d->x[k->state]);
  for (int j = 0; j < k->nwheel; j++)
    d->in[s->wheel[k->wheel[j]].drive][0] = own->out.torque / k->nwheel;
}

void jn_drivers_act(const jn_system *s, jn_data *d)
{
  for (int i = 0; i < s->ndriver; i++) {
    const int b = s->driver[i].body;
    const jn_frame_state *f = &d->frame[s->body[b].frame];
    const v3 velocity =
        v3_add(jn_point_of(s, d, b, s->body[b].cg).v, m3_tmul_v3(f->r, f->velocity));
    jn_driver_act(s, d, i, v3_dot(m3_column(d->pose[b].r, 0), velocity));
  }
}

void jn_drivers_states(const jn_system *s, const jn_data *d, double *dx)
{
  for (int i = 0; i < s->ndriver; i++) dx[s->driver[i].state] = d->driver[i].out.rate;
}
