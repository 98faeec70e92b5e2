// design_wheels.c: does the vehicle stand on its wheels in the design position?
#include <math.h>

#include "plan/build.h"
#include "run/statics.h"

static const double TOUCHES = 1e-4;  // a gap that files' rounded digits make  [m]
static const double SHARES =
    3.0;  // of the weight over the number of wheels: more is not carried by any

static double weight_of(const jn_system *s)
{
  double mass = 0.0;
  for (int i = s->nframe; i < s->nbody; i++) mass += s->body[i].mass;
  return mass * v3_norm(s->gravity);
}

void jn_design_wheels(jn_system *s, jn_data *d)
{
  if (!s->nwheel) return;
  const double weight = weight_of(s), most = SHARES * weight / s->nwheel;
  jn_statics_rest(s, d);
  d->on_plane = true;  // the design position stands on z = 0
  jn_general_positions(s, d);
  jn_general_velocities(s, d);
  jn_wheels_apply(s, d);
  d->on_plane = false;
  for (int i = 0; i < s->nwheel; i++) {
    const jn_wheel *w = &s->wheel[i];
    const tyre_out *o = &d->wheel[i].tyre;
    if (jn_place_given(s, s->body[w->body].frame)) continue;
    if (o->deflection < -TOUCHES)
      jn_build_note(s,
                    "wheel \"%s\" hangs %.3g mm above the road at the design position; lower the "
                    "vehicle (z of its points) or give the tyre a larger radius",
                    w->name, -1e3 * o->deflection);
    else if (o->load > most && weight > 0.0 && isfinite(o->load))
      jn_build_note(s,
                    "wheel \"%s\" sinks %.3g mm into the road at the design position, where its "
                    "tyre gives %.6g N of the %.6g N that everything weighs; raise the vehicle (z "
                    "of its points) or give the tyre a smaller radius",
                    w->name, 1e3 * o->deflection, o->load, weight);
  }
}
