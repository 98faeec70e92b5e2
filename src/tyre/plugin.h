// plugin.h: a steady-state law (law.h) that is a shared object of the user's own (jounce/plugin.h).
//
// The one law that is not a kernel: it is called lane by lane, in order, so that a lane gets the very bits that width 1 gives.
#ifndef JN_TYRE_PLUGIN_H
#define JN_TYRE_PLUGIN_H

#include <math.h>
#include <stddef.h>

#include "jounce/plugin.h"
#include "tyre/rolling.h"

enum { PLUG_OUTPUTS = 64 };  // of its own, at most

typedef struct tyre_plugin {
  void *library, *self;
  const jn_tyre_plugin_table *table;  // NULL: it was not loaded, and gives no force
} tyre_plugin;

enum { PLUG_PLACE, PLUG_FIELDS };  // bits of the address of its tyre_plugin

JN_INLINE double plug_at(const tyre_plugin *k)
{
  const uint64_t bits = (uintptr_t)k;
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

// The plug-in of a lane. NULL: none is loaded, or the wheel is in the air.
JN_INLINE const tyre_plugin *plug_of(const real *p, real load, int lane)
{
  uint64_t bits;
  const double place = r_lane(p[PLUG_PLACE], lane);
  memcpy(&bits, &place, sizeof bits);
  const tyre_plugin *k = (const tyre_plugin *)(uintptr_t)bits;
  return k && k->table && r_lane(load, lane) > 0.0 ? k : NULL;
}

// A value that breaks the contract is not a number, which ends the run.
JN_INLINE double plug_above_zero(double x)
{
  return x > 0.0 && x < INFINITY ? x : NAN;
}

JN_INLINE tyre_reach plug_reach(const real *p, real load, real camber)
{
  const real one = r_set(1.0);
  tyre_reach out = {{one, one}, {one, one}, {one, one}};
  for (int lane = 0; lane < JN_WIDTH; lane++) {
    const tyre_plugin *k = plug_of(p, load, lane);
    if (!k) continue;
    jn_tyre_plugin_reach reach = {0};
    k->table->reach(k->self, r_lane(load, lane), r_lane(camber, lane), &reach);
    for (int i = 0; i < 2; i++) {
      r_put(&out.stiffness[i], lane, plug_above_zero(reach.stiffness[i]));
      r_put(&out.friction[i], lane, plug_above_zero(reach.friction[i]));
      r_put(&out.relaxation[i], lane, plug_above_zero(reach.relaxation[i]));
    }
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
JN_INLINE tyre_forces plug_forces(const real *p, tyre_slip slip, double *out)
{
  tyre_forces all = tyre_no_forces();
  for (int lane = 0; lane < JN_WIDTH; lane++) {
    const tyre_plugin *k = plug_of(p, slip.load, lane);
    if (!k) continue;
    double unwanted[PLUG_OUTPUTS];
    const jn_tyre_plugin_slip own = plug_slip(slip, lane);
    jn_tyre_plugin_forces f = {0};
    k->table->forces(k->self, &own, &f, out ? out : unwanted);
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
  const tyre_reach reach = plug_reach(q, k.o.load, k.camber);
  const tyre_slip slip = rolling_slip(form, p, &in, &k, reach);
  return rolling_result(form, p, &in, &k, reach, plug_forces(q, slip, out));
}

#endif
