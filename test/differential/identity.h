// identity.h: pieces of the identities (identity.c, identity_wheels.c, identity_channels.c).
#ifndef JT_DIFFERENTIAL_IDENTITY_H
#define JT_DIFFERENTIAL_IDENTITY_H

#include "differential/vehicle.h"

uint64_t identity_bits(uint64_t *state);  // splitmix64
double identity_in(uint64_t *state, double lo, double hi);

bool identity_is_wheel(const vehicle_force *f);
bool identity_has_two_bodies(const vehicle_force *f);
bool identity_acts_in_joint(const vehicle_force *f);

// Side that the wheel's tyre knows of: 1: left, -1: right, 0: neither.
int identity_side(const vehicle_force *wheel);
// A torsion spring whose angle changes sign in the mirror: the position along the axis keeps it.
bool identity_flips(const vehicle *v, const vehicle_force *f);

// Wheel elements as wheel bodies and the other way round, as many of them as that is possible for, some left as they are.
bool identity_rebuild(vehicle *v, uint64_t *random);

#endif
