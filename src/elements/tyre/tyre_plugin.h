// tyre_plugin.h: a steady-state law (law.h) that is a shared object of the user's own (jounce/plugin.h).
//
// The one law that is not a kernel: it is called lane by lane, in order, so that a lane gets the very bits that width 1 gives.
#ifndef JN_ELEMENTS_TYRE_TYRE_PLUGIN_H
#define JN_ELEMENTS_TYRE_TYRE_PLUGIN_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "elements/road/keep.h"
#include "elements/tyre/rolling.h"
#include "jounce/plugin.h"

enum { PLUG_OUTPUTS = 64 };  // of its own, at most

typedef struct tyre_plugin {
  void *library, *self;
  const jn_tyre_plugin_table *table;  // NULL: it was not loaded, and gives no force
} tyre_plugin;

enum { PLUG_INDEX, PLUG_FIELDS };  // bits of its place among the model's

// The plug-in of a lane. NULL: none is loaded, or the wheel is in the air.
JN_INLINE const tyre_plugin *plug_of(const real *p, const tyre_plugin *all, real load, int lane)
{
  const tyre_plugin *k = all + keep_bits(r_lane(p[PLUG_INDEX], lane));
  return k->table && r_lane(load, lane) > 0.0 ? k : NULL;
}

// A value that breaks the contract is not a number, which ends the run.
JN_INLINE double plug_above_zero(double x)
{
  return x > 0.0 && x < INFINITY ? x : NAN;
}

// Not finite if any of what is summed up is not.
JN_INLINE void record_fault(real *keep, int lane, double asked, double given)
{
  if (asked * 0.0 == 0.0 && given * 0.0 != 0.0) keep_mark(keep, lane, KEEP_TYRE_BROKE);
}

JN_INLINE tyre_limits plug_limits(const real *p, const tyre_in *in, real load, real camber)
{
  const real one = r_set(1.0);
  tyre_limits out = {{one, one}, {one, one}, {one, one}};
  for (int lane = 0; lane < JN_WIDTH; lane++) {
    const tyre_plugin *k = plug_of(p, in->plugin, load, lane);
    if (!k) continue;
    jn_tyre_plugin_limits limits = {0};
    double sum = 0.0;
    k->table->limits(k->self, r_lane(load, lane), r_lane(camber, lane), &limits);
    for (int i = 0; i < 2; i++) {
      const double stiffness = plug_above_zero(limits.stiffness[i]);
      const double friction = plug_above_zero(limits.friction[i]);
      const double relaxation = plug_above_zero(limits.relaxation[i]);
      r_put(&out.stiffness[i], lane, stiffness);
      r_put(&out.friction[i], lane, friction);
      r_put(&out.relaxation[i], lane, relaxation);
      sum += 0.0 * stiffness + 0.0 * friction + 0.0 * relaxation;
    }
    record_fault(in->keep, lane, r_lane(load, lane) + r_lane(camber, lane), sum);
  }
  return out;
}

JN_INLINE jn_tyre_plugin_slip plug_slip(tyre_slip s, int lane)
{
  return (jn_tyre_plugin_slip){.load = r_lane(s.load, lane),
                               .camber = r_lane(s.camber, lane),
                               .kappa = r_lane(s.kappa, lane),
                               .tan_alpha = r_lane(s.tan_alpha, lane),
                               .speed = r_lane(s.speed, lane),
                               .forward = r_lane(s.forward, lane),
                               .rolling = r_lane(s.rolling, lane)};
}

// out: of its outputs, where they are wanted; at width 1.
JN_INLINE tyre_forces plug_forces(const real *p, const tyre_in *in, tyre_slip slip, double *out)
{
  tyre_forces all = tyre_no_forces();
  for (int lane = 0; lane < JN_WIDTH; lane++) {
    const tyre_plugin *k = plug_of(p, in->plugin, slip.load, lane);
    if (!k) continue;
    double unwanted[PLUG_OUTPUTS];
    const jn_tyre_plugin_slip own = plug_slip(slip, lane);
    jn_tyre_plugin_forces f = {0};
    k->table->forces(k->self, &own, &f, out ? out : unwanted);
    record_fault(in->keep, lane, own.load + own.camber + own.kappa + own.tan_alpha + own.speed,
                 f.fx + f.fy + f.mx + f.my + f.mz);
    r_put(&all.fx, lane, f.fx);
    r_put(&all.fy, lane, f.fy);
    r_put(&all.mx, lane, f.mx);
    r_put(&all.my, lane, f.my);
    r_put(&all.mz, lane, f.mz);
  }
  return all;
}

JN_INLINE tyre_out tyre_by_plugin(int form, const real *p, tyre_in in, double *out)
{
  const real *q = p + ROLL_FIELDS;
  tyre_rolling k = rolling_of(form, p, &in);
  const tyre_limits limits = plug_limits(q, &in, k.o.load, k.camber);
  const tyre_slip slip = rolling_slip(form, p, &in, &k, limits);
  return rolling_result(form, p, &in, &k, limits, plug_forces(q, &in, slip, out));
}

#endif
