// generate_rare.c: friction and roads of single wheels, controllers around the vehicle, prescribed motions of cut
// joints, housings of racks.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "differential/generate.h"

static bool is_wheel(const vehicle_force *f)
{
  return f->kind == VEHICLE_FORCE_WHEEL || f->kind == VEHICLE_FORCE_TYRE;
}

// ---- roads ------------------------------------------------------------------------------------------

// Friction goes over within an edge: a wheel that crosses a sharp one gets a blow that no step resolves.
static void draw_patches(drawing *d, vehicle_road *r)
{
  r->npatch = 1 + choose(d, VEHICLE_PATCHES);
  for (int i = 0; i < r->npatch; i++) {
    vehicle_patch *p = &r->patch[i];
    *p = (vehicle_patch){.has_x = chance(d, 0.5)};
    p->has_y = !p->has_x || chance(d, 0.5);
    const double x = rounded(d->length * size_in(d, -3, 3), 2),
                 y = rounded(d->length * size_in(d, -0.9, 0.3), 2);
    p->x[0] = x, p->x[1] = rounded(x + d->length * size_in(d, 1, 5), 3);
    p->y[0] = y, p->y[1] = rounded(y + d->length * size_in(d, 0.6, 2), 3);
    p->friction = rounded(size_in(d, 0.2, 1.1), 2);
    p->edge = rounded(d->length * size_in(d, 0.1, 0.25), 2);  // two fit into the patch
  }
}

static void draw_friction(drawing *d, vehicle_road *r)
{
  if (r->kind == VEHICLE_ROAD_NONE) r->kind = VEHICLE_ROAD_FLAT;
  if (chance(d, 0.6)) r->friction = rounded(size_in(d, 0.3, 1.2), 2);
  if (r->friction == 0.0 || chance(d, 0.6)) draw_patches(d, r);
}

// A plane of another height, or a bump ahead.
static void draw_single(drawing *d)
{
  vehicle *v = d->v;
  vehicle_road *r = &v->single[v->nroad];
  *r = (vehicle_road){.kind = (vehicle_road_kind)(1 + choose(d, VEHICLE_ROAD_PLATEAU))};
  double front = -1e9;
  for (int i = 0; i < v->nforce && r->nwheel < VEHICLE_DRIVEN; i++) {
    bool taken = !is_wheel(&v->force[i]);
    for (int k = 0; k < v->nroad; k++)
      for (int w = 0; w < v->single[k].nwheel; w++) taken |= v->single[k].wheel[w] == i;
    if (taken || !chance(d, 0.4)) continue;
    r->wheel[r->nwheel++] = i;
    front = fmax(front, v->force[i].at[0][0]);
  }
  if (!r->nwheel) return;
  v->nroad++;
  if (chance(d, 0.4)) draw_friction(d, r);
  if (r->kind == VEHICLE_ROAD_FLAT) {
    r->height = rounded(size_in(d, -0.01, 0.01), 2);
    if (chance(d, 0.4)) r->grade = rounded(size_in(d, -0.03, 0.03), 2);
    if (chance(d, 0.4)) r->bank = rounded(size_in(d, -0.03, 0.03), 2);
    return;
  }
  r->at = rounded(front + size_in(d, 0.05, 0.4), 3);
  r->length = rounded(size_in(d, 1.0, 3.0), 2);
  r->height = rounded(0.03 * d->length * size_in(d, 0.4, 1.0), 2);
  r->edge = rounded(size_in(d, 0.3, 0.45) * r->length, 2);
  if (d->speed == 0.0 ? chance(d, 0.9) : chance(d, 0.15)) r->moving = rounded(size_in(d, 3, 12), 2);
}

// ---- components -------------------------------------------------------------------------------------

// Something that is known within an evaluation, and about how large it is.
static vehicle_signal draw_signal(drawing *d, int before, double *size)
{
  vehicle *v = d->v;
  vehicle_signal s = {.of = SIGNAL_BODY, .index = d->chassis, .sense = choose(d, 6)};
  const int what = choose(d, 6);
  *size = s.sense == 0 ? fmax(1.0, d->speed) : 1.0;
  if (what == 0 && before > 0) {
    s = (vehicle_signal){.of = SIGNAL_COMPONENT, .index = choose(d, before)};
    *size = 0.0;  // as its own
  } else if (what == 1 && v->nforce) {
    const int i = choose(d, v->nforce);
    if (is_wheel(&v->force[i])) {
      s = (vehicle_signal){.of = SIGNAL_WHEEL, .index = i};
      *size = fmax(1.0, d->speed / 0.3);
    }
  } else if (what == 2 && v->njoint) {
    const int i = choose(d, v->njoint);
    const vehicle_joint_kind kind = v->joint[i].kind;
    if ((kind == VEHICLE_JOINT_REVOLUTE || kind == VEHICLE_JOINT_TRANSLATIONAL) &&
        v->joint[i].motion == VEHICLE_NONE)
      s = (vehicle_signal){.of = SIGNAL_JOINT, .index = i, .sense = choose(d, 2)};
  } else if (what == 3) {
    s.index = choose(d, v->nbody);
  }
  return s;
}

// Needs the channel the rate of what it is given? Then a filter drives it. A prescribed motion would begin anywhere.
static bool may_drive(const vehicle *v, int channel, bool *rate)
{
  *rate = false;
  for (int i = 0; i < v->njoint; i++)
    if (v->joint[i].motion == channel) return false;
  for (int i = 0; i < v->ncomponent; i++)
    if (v->component[i].to == VEHICLE_TO_CHANNEL && v->component[i].index == channel) return false;
  for (int i = 0; i < v->nforce; i++)
    *rate |= v->force[i].channel == channel && v->force[i].kind == VEHICLE_FORCE_SERVO;
  return true;
}

static bool is_driven(const vehicle *v, int wheel)
{
  for (int i = 0; i < v->ndriver; i++)
    for (int k = 0; k < v->driver[i].nwheel; k++)
      if (v->driver[i].wheel[k] == wheel) return true;
  for (int i = 0; i < v->ncomponent; i++)
    if (v->component[i].to == VEHICLE_TO_DRIVE && v->component[i].index == wheel) return true;
  return false;
}

static void draw_component(drawing *d)
{
  vehicle *v = d->v;
  vehicle_component *c = &v->component[v->ncomponent];
  *c = (vehicle_component){.kind = (vehicle_component_kind)choose(d, VEHICLE_NCOMPONENT),
                           .index = VEHICLE_NONE};
  snprintf(c->name, sizeof c->name, "control%d", v->ncomponent + 1);
  double reach = 1.0;
  bool rate = false;
  if (v->nchannel && chance(d, 0.6)) {
    const int channel = choose(d, v->nchannel);
    if (may_drive(v, channel, &rate)) {
      c->to = VEHICLE_TO_CHANNEL, c->index = channel;
      reach = reach_of_channel(d, channel);
      if (rate) c->kind = VEHICLE_COMPONENT_FILTER;
    }
  } else if (v->nforce) {
    const int i = choose(d, v->nforce);
    if (is_wheel(&v->force[i]) && !is_driven(v, i)) {
      c->to = VEHICLE_TO_DRIVE, c->index = i;
      reach = 0.1 * v->tyre[v->force[i].tyre].load * v->tyre[v->force[i].tyre].radius;
    }
  }
  // What goes through as it is goes to nothing that counts on its size.
  const bool through = c->kind == VEHICLE_COMPONENT_LAG || c->kind == VEHICLE_COMPONENT_FILTER;
  double size = 1.0, other = 1.0;
  c->in[0] = draw_signal(d, v->ncomponent, &size);
  c->in[1] = draw_signal(d, v->ncomponent, &other);
  if (through && c->index >= 0)
    c->in[0] = (vehicle_signal){.of = SIGNAL_NUMBER, .number = rounded(0.3 * reach, 2)};
  if (size == 0.0) size = 1.0;
  if (other == 0.0) other = 1.0;
  switch (c->kind) {
    case VEHICLE_COMPONENT_PID:  // target, measured
      c->in[1] = c->in[0];
      c->in[0] =
          (vehicle_signal){.of = SIGNAL_NUMBER, .number = rounded(size * size_in(d, 0.8, 1.2), 2)};
      c->p[0] = rounded(reach / size * size_in(d, 0.1, 0.5), 2);
      if (chance(d, 0.6)) c->p[1] = rounded(size_in(d, 0.2, 2), 2);
      if (chance(d, 0.4)) {
        c->p[2] = rounded(size_in(d, 0.005, 0.02), 2);
        c->p[3] = rounded(size_in(d, 0.01, 0.05), 2);
      }
      if (chance(d, 0.5)) c->p[4] = rounded(0.5 * reach, 2), c->p[5] = rounded(-0.3 * reach, 2);
      break;
    case VEHICLE_COMPONENT_LAG:
    case VEHICLE_COMPONENT_FILTER:
      c->p[0] = rounded(size_in(d, 0.005, 0.05), 2);
      break;
    case VEHICLE_COMPONENT_GAIN:  // factor, offset, least, most
      c->p[0] = rounded(reach / size * size_in(d, -0.3, 0.3), 2);
      if (chance(d, 0.5)) c->p[1] = rounded(0.2 * reach, 2);
      if (chance(d, 0.4)) c->p[2] = rounded(-0.2 * reach, 2), c->p[3] = rounded(0.3 * reach, 2);
      break;
    case VEHICLE_COMPONENT_SUM:
      c->p[0] = rounded(reach / size * size_in(d, -0.2, 0.2), 2);
      c->p[1] = rounded(reach / other * size_in(d, -0.2, 0.2), 2);
      break;
    case VEHICLE_NCOMPONENT:
      break;
  }
  v->ncomponent++;
  for (int i = 0; i < v->ninput && c->index >= 0; i++)
    if (v->input[i].target == c->to && v->input[i].index == c->index) v->input[i].out = true;
}

// A stream that no other feature draws from.
void begin_stream(drawing *d, uint64_t a, uint64_t b)
{
  d->random = (streams){a, b};
  for (int i = 0; i < 4; i++) fork_streams(d);
}

void draw_odd_corner(drawing *d, uint64_t seed)
{
  vehicle *v = d->v;
  begin_stream(d, seed ^ 0x61c8864680b583ebu, seed ^ 0xd1342543de82ef95u);
  if (!chance(d, 0.15)) return;
  int joint[VEHICLE_JOINTS], n = 0;
  for (int i = 0; i < v->njoint; i++) {
    const vehicle_joint *j = &v->joint[i];
    if (j->place.corner && j->kind == VEHICLE_JOINT_REVOLUTE && j->naxis == 1 && j->nat > 0 &&
        strncmp(j->name, "bearing", 7) != 0)
      joint[n++] = i;
  }
  for (int times = 1 + chance(d, 0.2); n && times > 0; times--) {
    vehicle_joint *j = &v->joint[joint[choose(d, n)]];
    if (j->nat == 1) memcpy(j->at[1], j->at[0], sizeof j->at[1]);
    j->nat = j->naxis = 2;  // given once on each body, as of imported models
    for (int k = 0; k < 3; k++)
      j->axis[1][k] = rounded(j->axis[0][k] + 0.002 * size_in(d, -1, 1), 5);
  }
}

// ---- prescribed motions -----------------------------------------------------------------------------

// Joints of further loops that are cut: a prescribed motion there is a row of the loop.
static void draw_driven_cuts(drawing *d)
{
  vehicle *v = d->v;
  for (int i = 0; i < v->ncut; i++) {
    const vehicle_joint *j = &v->joint[v->cut[i]];
    const bool turns = j->kind == VEHICLE_JOINT_REVOLUTE;
    if ((!turns && j->kind != VEHICLE_JOINT_TRANSLATIONAL) || strncmp(j->name, "turn", 4)) continue;
    if (j->motion == VEHICLE_NONE && chance(d, 0.6))
      drive_by_curve(d, v->cut[i], turns ? 0.02 : 0.006 * d->length);
  }
}

// ---- housings -----------------------------------------------------------------------------------------

// A rack in a housing that is welded to the vehicle, or moved against it; arms of its axle may be hinged on the housing.
static void draw_housing(drawing *d)
{
  vehicle *v = d->v;
  int guide = 0;
  while (guide < v->njoint && strncmp(v->joint[guide].name, "rack_in", 7) != 0) guide++;
  if (guide == v->njoint || v->nbody >= 50) return;
  const vehicle_joint *j = &v->joint[guide];
  const int up = !strncmp(v->body[j->body[0]].name, "rack", 4) ? 1 : 0;
  const int parent = j->body[up], axle = j->place.axle;
  if (parent < 0) return;
  d->place = (vehicle_place){0};
  d->suffix[0] = 0;
  const int housing =
      add_body(d, "housing", 0.03 * d->mass, v->body[j->body[1 - up]].cg, 0.3 * d->length);
  if (chance(d, 0.6)) {
    add_joint(d, "housing_in", VEHICLE_JOINT_FIXED, parent, housing);
  } else {
    double axis[3];
    direction_in(d, axis);
    drive_by_curve(d, add_revolute(d, "housing_in", parent, housing, v->body[housing].cg, axis),
                   0.01);
  }
  v->joint[guide].body[up] = housing;
  const char *arms = CHOOSE(d, 0, 1) ? "lca_in" : "uca_in";
  for (int i = 0; i < v->njoint; i++) {
    vehicle_joint *arm = &v->joint[i];
    if (strncmp(arm->name, arms, 6) != 0 || arm->place.axle != axle) continue;
    for (int e = 0; e < 2; e++)
      if (arm->body[e] == parent) arm->body[e] = housing;
  }
}

void draw_rare(drawing *d, uint64_t seed)
{
  vehicle *v = d->v;
  begin_stream(d, seed ^ 0x2545f4914f6cdd1du, seed ^ 0x9e6c63d0876a9a35u);
  if (chance(d, 0.2)) draw_friction(d, &v->road);
  if (chance(d, 0.12))
    for (int i = 0; i < VEHICLE_ROADS && (!i || chance(d, 0.4)); i++) draw_single(d);
  if (chance(d, 0.25)) {
    const int n = 1 + choose(d, VEHICLE_COMPONENTS);
    v->in_model = chance(d, 0.3);
    for (int i = 0; i < n; i++) draw_component(d);
  }
  draw_driven_cuts(d);
  if (chance(d, 0.12)) draw_housing(d);
}
