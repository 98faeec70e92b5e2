// generate.c: a vehicle from a seed.
#include <math.h>
#include <string.h>

#include "differential/generate.h"

void vehicle_draw(vehicle *v, uint64_t seed)
{
  *v = (vehicle){.seed = seed, .base = VEHICLE_NONE, .step = 1e-3, .end = 0.1};
  drawing drawn = {.v = v, .random = {seed * 2 + 1, ~seed}, .side = 1, .length = 1}, *d = &drawn;
  d->chassis = add_body(d, "chassis", 1200, (double[3]){0, 0, 0.6}, 1.0);
  v->tyre[v->ntyre++] = (vehicle_tyre){.name = "tyre",
                                       .kind = VEHICLE_TYRE_BRUSH,
                                       .radius = 0.32,
                                       .stiffness = 2e5,
                                       .damping = 500,
                                       .load = 3500,
                                       .slip_stiffness = 5e4,
                                       .cornering_stiffness = 4e4,
                                       .friction = 0.9};
  for (int i = 0; i < 4; i++) {
    static const char *const suffix[] = {"_fl", "_fr", "_rl", "_rr"};
    const double c[3] = {i < 2 ? 1.3 : -1.3, i % 2 ? -0.7 : 0.7, 0.3};
    const double up[3] = {c[0], c[1], 0.8};
    strcpy(d->suffix, suffix[i]);
    d->place = (vehicle_place){0, 1 + i / 2, 1 + i % 2, 0};
    const int b = add_body(d, "pillar", 40, c, 0.2);
    const int j = add_joint_at(d, "slide", VEHICLE_JOINT_TRANSLATIONAL, d->chassis, b, c);
    v->joint[j].naxis = 1;
    v->joint[j].axis[0][2] = 1;
    const int s = add_spring(d, "spring", d->chassis, b, up, c, 2e4, 1500);
    v->force[s].preload = -2943;
    const int w = add_force(d, "wheel", VEHICLE_FORCE_WHEEL, b, b);
    memcpy(v->force[w].at[0], c, sizeof c);
    v->force[w].inertia = 1;
  }
}
