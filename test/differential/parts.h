// parts.h: keys of elements that may be taken out of a vehicle (parts_keys.c).
#ifndef JT_DIFFERENTIAL_PARTS_H
#define JT_DIFFERENTIAL_PARTS_H

#include <string.h>

#include "differential/vehicle.h"

// How many keys an element has; key k of element i is number i * n + k.
enum {
  BODY_KEYS = 8,
  JOINT_KEYS = 13,
  SPRING_KEYS = 20,
  CONTACT_KEYS = VEHICLE_PLACES + 3,
  WHEEL_KEYS = 13,
  TYRE_KEYS = 11
};

// False: it is not there.
bool parts_body_key(vehicle *v, int i);
bool parts_joint_key(vehicle *v, int i);
bool parts_spring_key(vehicle *v, int i);  // of force elements but contacts and wheels
bool parts_contact_key(vehicle *v, int i);
bool parts_wheel_key(vehicle *v, int i);
bool parts_tyre_key(vehicle *v, int i);
// Nothing is left that refers to what is out, nor anything that nothing touches.
void parts_settle(vehicle *v);

bool parts_joint_values(vehicle_joint *j);  // all initial values

static inline bool parts_is_wheel(const vehicle_force *f)
{
  return f->kind == VEHICLE_FORCE_WHEEL || f->kind == VEHICLE_FORCE_TYRE;
}

// All return whether there was anything to be changed.
static inline bool cleared(void *x, size_t size)
{
  char *c = x;
  bool any = false;
  for (size_t i = 0; i < size; i++) any |= c[i] != 0;
  memset(x, 0, size);
  return any;
}
#define CLEARED(x) cleared(&(x), sizeof(x))

static inline bool set(double *x, double value)
{
  const bool other = *x != value;
  *x = value;
  return other;
}

static inline bool set_int(int *x, int value)
{
  const bool other = *x != value;
  *x = value;
  return other;
}

#endif
