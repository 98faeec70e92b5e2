// identity.c: other vehicles that must move alike.
#include "differential/vehicle.h"

bool vehicle_transform(const vehicle *v, vehicle_identity k, uint64_t seed, vehicle *out)
{
  (void)v, (void)k, (void)seed, (void)out;
  return false;
}

bool vehicle_channel(const vehicle *v, const vehicle *out, vehicle_identity k, const char *name,
                     char *other, double *sign)
{
  (void)v, (void)out, (void)k, (void)name, (void)other, (void)sign;
  return false;
}

bool vehicle_set_free(const vehicle *v, vehicle *out)
{
  (void)v, (void)out;
  return false;
}
