// parts.c: what can be taken out of a vehicle.
#include "differential/vehicle.h"

int vehicle_parts(const vehicle *v)
{
  return v->nforce;
}

bool vehicle_take_out(vehicle *v, int part)
{
  if (v->force[part].out) return false;
  return v->force[part].out = true;
}
