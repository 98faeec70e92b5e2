// identity_channels.c: where the value of a channel is found in another vehicle, and with what sign.
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "differential/identity.h"

// What a channel is, under a mirror, a turn about the vertical and a shift.
typedef enum nature {
  SCALAR,   // the same everywhere
  FLIPS,    // a scalar that the mirror turns round
  PLACE_X,  // components in world axes: of a place
  PLACE_Y,
  POLAR_X,  // of a velocity, a force
  POLAR_Y,
  POLAR_Z,
  AXIAL_X,  // of an angular velocity, a moment
  AXIAL_Y,
  AXIAL_Z,
  YAW,
  QUATERNION,        // w and y: the mirror keeps them
  QUATERNION_FLIPS,  // x and z
  NO_CLAIM
} nature;

typedef struct entry {
  const char *suffix;
  nature nature;
} entry;

static const entry of_body[] = {
    {"x", PLACE_X},           {"y", PLACE_Y},           {"z", POLAR_Z},
    {"roll", FLIPS},          {"pitch", SCALAR},        {"yaw", YAW},
    {"qw", QUATERNION},       {"qx", QUATERNION_FLIPS}, {"qy", QUATERNION},
    {"qz", QUATERNION_FLIPS}, {"vx", POLAR_X},          {"vy", POLAR_Y},
    {"vz", POLAR_Z},          {"wx", AXIAL_X},          {"wy", AXIAL_Y},
    {"wz", AXIAL_Z},          {"ax", POLAR_X},          {"ay", POLAR_Y},
    {"az", POLAR_Z},          {"dwx", AXIAL_X},         {"dwy", AXIAL_Y},
    {"dwz", AXIAL_Z},         {NULL, NO_CLAIM}};
static const entry of_joint[] = {{"angle", SCALAR},    {"speed", SCALAR},  {"accel", SCALAR},
                                 {"position", SCALAR}, {"spin", SCALAR},   {"angle1", SCALAR},
                                 {"angle2", SCALAR},   {"speed1", SCALAR}, {"speed2", SCALAR},
                                 {"fx", POLAR_X},      {"fy", POLAR_Y},    {"fz", POLAR_Z},
                                 {"mx", AXIAL_X},      {"my", AXIAL_Y},    {"mz", AXIAL_Z},
                                 {"drive", SCALAR},    {NULL, NO_CLAIM}};
static const entry of_spring[] = {{"length", SCALAR}, {"rate", SCALAR},     {"force", SCALAR},
                                  {"angle", SCALAR},  {"position", SCALAR}, {NULL, NO_CLAIM}};
static const entry of_plugin[] = {{"fx", POLAR_X}, {"fy", POLAR_Y}, {"fz", POLAR_Z},
                                  {"mx", AXIAL_X}, {"my", AXIAL_Y}, {"mz", AXIAL_Z},
                                  {NULL, NO_CLAIM}};
static const entry of_contact[] = {
    {"fx", POLAR_X}, {"fy", POLAR_Y}, {"fz", POLAR_Z}, {"depth", SCALAR}, {NULL, NO_CLAIM}};
// Forces of a wheel are in its own axes.
static const entry of_wheel[] = {
    {"fx", SCALAR},         {"fy", FLIPS},          {"fz", SCALAR},    {"mx", FLIPS},
    {"my", SCALAR},         {"mz", FLIPS},          {"speed", SCALAR}, {"braking", SCALAR},
    {"x", PLACE_X},         {"y", PLACE_Y},         {"z", POLAR_Z},    {"contact_x", PLACE_X},
    {"contact_y", PLACE_Y}, {"contact_z", POLAR_Z}, {"road", SCALAR},  {"drive", SCALAR},
    {"brake", SCALAR},      {"steer", FLIPS},       {NULL, NO_CLAIM}};
static const entry of_tyre[] = {{"slip", SCALAR},
                                {"slip_angle", FLIPS},
                                {"camber", FLIPS},
                                {"deflection", SCALAR},
                                {"steer", FLIPS},
                                {"vx", SCALAR},
                                {"vy", FLIPS},
                                {"loaded_radius", SCALAR},
                                {"rolling_radius", SCALAR},
                                {"utilisation", SCALAR},
                                {"friction", SCALAR},
                                {"compliance_steer", FLIPS},
                                {"compliance_camber", FLIPS},
                                {"tread_x", SCALAR},
                                {"tread_y", FLIPS},
                                {"lagged_slip", SCALAR},
                                {NULL, NO_CLAIM}};
static const entry of_driver[] = {{"measured", SCALAR},
                                  {"torque", SCALAR},
                                  {"integral", SCALAR},
                                  {"speed", SCALAR},
                                  {NULL, NO_CLAIM}};

static nature nature_of(const entry *list, const char *suffix)
{
  for (; list->suffix; list++)
    if (!strcmp(list->suffix, suffix)) return list->nature;
  return NO_CLAIM;
}

static bool claims(nature n, vehicle_identity k, double *sign)
{
  *sign = 1.0;
  if (n == NO_CLAIM) return false;
  switch (k) {
    case VEHICLE_MIRRORED:
      if (n == FLIPS || n == PLACE_Y || n == POLAR_Y || n == AXIAL_X || n == AXIAL_Z || n == YAW ||
          n == QUATERNION_FLIPS)
        *sign = -1.0;
      return true;
    case VEHICLE_TURNED:
      return n == SCALAR || n == FLIPS || n == POLAR_Z || n == AXIAL_Z;
    case VEHICLE_MOVED:
      return n != PLACE_X && n != PLACE_Y;
    default:
      return true;
  }
}

// ---- elements -------------------------------------------------------------------------------------

static nature of_bushing(const vehicle_force *f, const char *suffix)
{
  // Components along its own axes: the two that are given are mirrored, the third is their product.
  const int k = !strcmp(suffix, "fx") ? 0 : !strcmp(suffix, "fy") ? 1 : 2;
  return k == (f->has_axes ? 2 : 1) ? FLIPS : SCALAR;
}

static nature of_force(const vehicle *v, const vehicle_force *f, const char *suffix)
{
  if (f->kind == VEHICLE_FORCE_BUSHING) return of_bushing(f, suffix);
  if (f->kind == VEHICLE_FORCE_PLUGIN) return nature_of(of_plugin, suffix);
  if (f->kind == VEHICLE_FORCE_CONTACT) return nature_of(of_contact, suffix);
  const nature n = nature_of(of_spring, suffix);
  return n == SCALAR && identity_flips(v, f) ? FLIPS : n;
}

static nature of_this_joint(const vehicle_joint *j, const char *suffix)
{
  const bool angular = !strcmp(suffix, "angle") || !strcmp(suffix, "spin");
  if (j->kind == VEHICLE_JOINT_CYLINDRICAL && angular) return FLIPS;
  return nature_of(of_joint, suffix);
}

// A carrier that took mass from a wheel, or gave it, has its centre of gravity elsewhere.
static bool is_about_cg(const char *suffix)
{
  return (strlen(suffix) == 1) || suffix[0] == 'v' || suffix[0] == 'a';
}

typedef struct found {
  const char *name;  // in the other vehicle
  nature nature;
} found;

#define FIND(array, n, text, length)                                               \
  int i = 0;                                                                       \
  while (i < (n) && !((length) < VEHICLE_NAME && (array)[i].name[length] == 0 &&   \
                      !strncmp((array)[i].name, text, length) && !(array)[i].out)) \
  i++

static found find_body(const vehicle *v, const vehicle *out, const char *name, size_t length,
                       const char *suffix)
{
  FIND(v->body, v->nbody, name, length);
  if (i == v->nbody || out->body[i].out) return (found){NULL, NO_CLAIM};
  const bool same = v->body[i].mass == out->body[i].mass;
  return (found){out->body[i].name,
                 same || !is_about_cg(suffix) ? nature_of(of_body, suffix) : NO_CLAIM};
}

static found find_joint(const vehicle *v, const vehicle *out, const char *name, size_t length,
                        const char *suffix)
{
  FIND(v->joint, v->njoint, name, length);
  if (i == v->njoint || out->joint[i].out) return (found){NULL, NO_CLAIM};
  // Without a point of its own, moments are about one that moves with a centre of gravity.
  bool changed = false;
  for (int n = 0; n < 2 && v->joint[i].nat == 0; n++) {
    const int b = v->joint[i].body[n];
    changed |= b >= 0 && v->body[b].mass != out->body[b].mass;
  }
  if (changed && suffix[0] == 'm') return (found){NULL, NO_CLAIM};
  return (found){out->joint[i].name, of_this_joint(&v->joint[i], suffix)};
}

static found find_force(const vehicle *v, const vehicle *out, const char *group, const char *name,
                        size_t length, const char *suffix)
{
  FIND(v->force, v->nforce, name, length);
  if (i == v->nforce || out->force[i].out) return (found){NULL, NO_CLAIM};
  const vehicle_force *f = &v->force[i];
  found k = {out->force[i].name, NO_CLAIM};
  if (!strcmp(group, "force")) k.nature = of_force(v, f, suffix);
  if (!strcmp(group, "wheel")) k.nature = nature_of(of_wheel, suffix);
  if (!strcmp(group, "tyre")) k.nature = nature_of(of_tyre, suffix);
  // Towards the vehicle's middle, where a side is known; else as steer.
  if (!strcmp(group, "tyre") && !strcmp(suffix, "toe"))
    k.nature = identity_side(f) ? SCALAR : FLIPS;
  return k;
}

static found find_driver(const vehicle *v, const vehicle *out, const char *name, size_t length,
                         const char *suffix)
{
  FIND(v->driver, v->ndriver, name, length);
  if (i == v->ndriver || out->driver[i].out) return (found){NULL, NO_CLAIM};
  return (found){out->driver[i].name, nature_of(of_driver, suffix)};
}

// A channel that the model names.
static bool own_channel(const vehicle *v, const vehicle *out, vehicle_identity k, const char *name,
                        char *other, double *sign)
{
  for (int i = 0; i < v->nchannel; i++) {
    if (strcmp(v->channel[i], name) != 0) continue;
    bool flips = false;
    for (int n = 0; n < v->nforce; n++)
      flips |= v->force[n].channel == i && !v->force[n].out && identity_flips(v, &v->force[n]);
    snprintf(other, 128, "%s", out->channel[i]);
    return claims(flips ? FLIPS : SCALAR, k, sign);
  }
  return false;
}

bool vehicle_channel(const vehicle *v, const vehicle *out, vehicle_identity k, const char *name,
                     char *other, double *sign)
{
  *sign = 1.0;
  if (!strcmp(name, "time") || !strcmp(name, "solver.energy") || !strcmp(name, "solver.work")) {
    // Weight that is not upright does work on the way.
    if (k == VEHICLE_MOVED && v->has_gravity && !strcmp(name, "solver.energy")) return false;
    // Energy counts from the design position, turned or not.
    if (k == VEHICLE_TURNED && strcmp(name, "time") != 0) return false;
    snprintf(other, 128, "%s", name);
    return true;
  }
  if (own_channel(v, out, k, name, other, sign)) return true;
  const char *first = strchr(name, '.'), *last = strrchr(name, '.');
  if (!first || strlen(name) > 100) return false;
  found f = {NULL, NO_CLAIM};
  if (first == last) {
    f = find_body(v, out, name, (size_t)(first - name), last + 1);
    if (f.name) snprintf(other, 128, "%s%s", f.name, last);
  } else {
    char group[16];
    if (first - name >= (ptrdiff_t)sizeof group) return false;
    memcpy(group, name, (size_t)(first - name));
    group[first - name] = 0;
    const char *element = first + 1;
    const size_t length = (size_t)(last - element);
    if (!strcmp(group, "joint"))
      f = find_joint(v, out, element, length, last + 1);
    else if (!strcmp(group, "driver"))
      f = find_driver(v, out, element, length, last + 1);
    else
      f = find_force(v, out, group, element, length, last + 1);
    if (f.name) snprintf(other, 128, "%s.%s%s", group, f.name, last);
  }
  return f.name && claims(f.nature, k, sign);
}
