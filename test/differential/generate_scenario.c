// generate_scenario.c: how a vehicle begins, what it is solved by, what goes in, what it drives on.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "differential/generate.h"

// ---- initial values -------------------------------------------------------------------------------

static bool is_bearing(const vehicle *v, int joint)
{
  for (int i = 0; i < v->nforce; i++)
    if (v->force[i].kind == VEHICLE_FORCE_TYRE && (v->joint[joint].body[0] == v->force[i].body[0] ||
                                                   v->joint[joint].body[1] == v->force[i].body[0]))
      return true;
  return false;
}

void draw_initial(drawing *d)
{
  vehicle *v = d->v;
  vehicle_body *b = &v->body[d->chassis];
  if (!d->afloat && d->rig < 0 && (d->speed > 0.0 || chance(d, 0.5))) {
    b->has_velocity = true;
    b->velocity[0] = d->speed;
    if (chance(d, 0.5)) {
      b->velocity[1] = rounded(size_in(d, -0.3, 0.3), 2);
      b->velocity[2] = rounded(size_in(d, -0.1, 0.1), 2);
    }
    if (chance(d, 0.5)) {
      b->has_angular = true;
      vector_in(d, 0.15, b->angular);
    }
  }
  const bool positions = !d->calm && chance(d, 0.5), speeds = !d->calm && chance(d, 0.5);
  for (int i = 0; i < v->njoint; i++) {
    vehicle_joint *j = &v->joint[i];
    const bool turns = j->kind == VEHICLE_JOINT_REVOLUTE;
    if ((!turns && j->kind != VEHICLE_JOINT_TRANSLATIONAL) || j->motion != VEHICLE_NONE ||
        j->place.limb || is_bearing(v, i) || strstr(j->name, "rack"))
      continue;
    // The others of a loop follow; positions that contradict each other are for a few.
    const bool follows = !strncmp(j->name, "uca", 3) || !strncmp(j->name, "rocker", 6) ||
                         !strncmp(j->name, "strut", 5) || !strncmp(j->name, "kingpin", 7);
    if (positions && chance(d, follows ? 0.03 : 0.5)) {
      j->has_position = true;
      j->position[0] = rounded(size_in(d, -0.03, 0.03) * (turns ? 1.0 : 0.3 * d->length), 2);
    }
    if (speeds && chance(d, 0.5)) {
      j->has_speed = true;
      j->speed[0] = rounded(size_in(d, -0.3, 0.3), 2);
    }
  }
}

// ---- topology -------------------------------------------------------------------------------------

// Joints alike on all corners are cut together.
static void cut_alike(drawing *d, int joint)
{
  vehicle *v = d->v;
  const char *name = v->joint[joint].name, *end = strrchr(name, '_');
  const bool all = v->joint[joint].place.corner && end && chance(d, 0.7);
  for (int i = 0; i < v->njoint && v->ncut < VEHICLE_CUTS; i++) {
    if (i != joint && !(all && v->joint[i].place.corner &&
                        !strncmp(v->joint[i].name, name, (size_t)(end - name) + 1)))
      continue;
    bool there = false;
    for (int k = 0; k < v->ncut; k++) there |= v->cut[k] == i;
    if (!there) v->cut[v->ncut++] = i;
  }
}

void draw_topology(drawing *d)
{
  vehicle *v = d->v;
  if (chance(d, 0.08)) {
    v->base = choose(d, v->nbody);
    for (int k = 0;
         k < 40 && !d->wild && (v->body[v->base].place.axle || v->body[v->base].place.limb); k++)
      v->base = choose(d, v->nbody);
    if (d->rig >= 0 && chance(d, 0.3)) v->base = VEHICLE_GROUND;
  }
  if (!v->njoint || !chance(d, 0.12)) return;
  // One of a loop of a corner, so that the tree still reaches everything.
  for (int k = 0; k < 30; k++) {
    const int i = choose(d, v->njoint);
    const vehicle_joint *j = &v->joint[i];
    static const char *const closing[] = {"uca_out", "uca_in",  "lca_out", "tie",   "strut",
                                          "rod",     "pushrod", "link_a",  "lca_in"};
    bool fits = false;
    for (int n = 0; n < 9; n++) fits |= !strncmp(j->name, closing[n], strlen(closing[n]));
    if (!fits || !j->place.corner) continue;
    cut_alike(d, i);
    return;
  }
}

// ---- inputs ---------------------------------------------------------------------------------------

// One that swings within the reach, or goes there.
static void draw_input(drawing *d, vehicle_target target, int index, double reach)
{
  vehicle *v = d->v;
  if (v->ninput == VEHICLE_INPUTS) return;
  const int i = v->ninput++;
  vehicle_input *n = &v->input[i];
  *n = (vehicle_input){.order = i, .target = target, .index = index};
  n->kind = (vehicle_input_kind)choose(d, VEHICLE_NINPUT);
  n->to = rounded(reach * size_in(d, 0.3, 1.0), 3);
  n->from = chance(d, 0.3) ? rounded(0.2 * reach, 2) : 0.0;
  n->at = chance(d, 0.7) ? rounded(size_in(d, 0.002, 0.04), 2) : 0.0;
  n->end = rounded(size_in(d, 0.05, 0.12), 2);
  n->amplitude = rounded(0.7 * reach * size_in(d, 0.4, 1.0), 3);
  n->frequency[0] = rounded(size_in(d, 0.5, 4), 2);
  n->frequency[1] = rounded(size_in(d, 4, 9), 2);
  n->phase = chance(d, 0.4) ? rounded(size_in(d, -2, 2), 2) : 0.0;
  n->offset = chance(d, 0.3) ? rounded(0.2 * reach, 2) : 0.0;
  if (n->kind == VEHICLE_INPUT_SINE && chance(d, 0.6)) n->end = 0.0;
  n->table = (vehicle_curve){.n = 4, .method = choose(d, 3), .outside = choose(d, 2)};
  static const double at[] = {0, 0.02, 0.06, 0.15};
  for (int k = 0; k < 4; k++) {
    n->table.x[k] = at[k];
    n->table.y[k] = k ? rounded(reach * size_in(d, -0.8, 0.8), 2) : 0.0;
  }
}

// What a channel of the model may do.
double reach_of_channel(const drawing *d, int channel)
{
  const vehicle *v = d->v;
  for (int i = 0; i < v->njoint; i++)
    if (v->joint[i].motion == channel)
      return v->joint[i].kind == VEHICLE_JOINT_TRANSLATIONAL ? 0.006 * d->length : 0.02;
  for (int i = 0; i < v->nforce; i++) {
    const vehicle_force *f = &v->force[i];
    if (f->channel != channel) continue;
    if (f->kind == VEHICLE_FORCE_SERVO)
      return v->joint[f->joint].kind == VEHICLE_JOINT_TRANSLATIONAL ? 0.008 * d->length : 0.03;
    if (f->kind == VEHICLE_FORCE_TSDA) return 0.01 * fmax(f->stiffness, 20.0 * f->damping);
    if (f->kind == VEHICLE_FORCE_RSDA) return 0.05 * f->stiffness;
    return 1.0;
  }
  return 0.0;
}

static bool is_wheel(const vehicle_force *f)
{
  return f->kind == VEHICLE_FORCE_WHEEL || f->kind == VEHICLE_FORCE_TYRE;
}

static bool is_driven(const vehicle *v, int wheel)
{
  for (int i = 0; i < v->ndriver; i++)
    for (int k = 0; k < v->driver[i].nwheel; k++)
      if (v->driver[i].wheel[k] == wheel) return true;
  return false;
}

static bool drives_joint(const vehicle *v, int channel)
{
  for (int i = 0; i < v->njoint; i++)
    if (v->joint[i].motion == channel) return true;
  return false;
}

static bool is_filtered(const vehicle *v, int channel)
{
  for (int i = 0; i < v->njoint; i++)
    if (v->joint[i].motion == channel && v->joint[i].filter == 0.0) return false;
  return true;
}

// A prescribed position does not jump.
static void make_continuous(vehicle_input *n)
{
  if (n->kind == VEHICLE_INPUT_STEP) {
    n->kind = VEHICLE_INPUT_RAMP;
    n->end = rounded(n->at + 0.03, 3);
  }
  if (n->kind == VEHICLE_INPUT_CHIRP) n->kind = VEHICLE_INPUT_SINE;
  if (n->kind == VEHICLE_INPUT_SINE) n->phase = n->end = 0.0;
}

// Zero at the beginning, and for a while.
static void begin_at_rest(vehicle_input *n)
{
  n->from = n->offset = n->phase = 0.0;
  n->at = fmax(n->at, 0.004);
  n->end = n->kind == VEHICLE_INPUT_SINE ? n->end : fmax(n->end, 0.05);
  n->table.method = 0;
  n->table.y[0] = n->table.y[1] = 0.0;
  if (n->kind == VEHICLE_INPUT_CONSTANT) n->kind = VEHICLE_INPUT_STEP;
}

static void draw_inputs(drawing *d)
{
  vehicle *v = d->v;
  const bool drives = chance(d, 0.3), brakes = chance(d, 0.25);
  for (int i = 0; i < v->nchannel; i++)
    if (chance(d, 0.9) && v->ninput < VEHICLE_INPUTS) {
      draw_input(d, VEHICLE_TO_CHANNEL, i, reach_of_channel(d, i));
      if (d->calm && drives_joint(v, i)) begin_at_rest(&v->input[v->ninput - 1]);
      if (!is_filtered(v, i)) make_continuous(&v->input[v->ninput - 1]);
    }
  for (int i = 0; i < v->nforce; i++) {
    const vehicle_force *f = &v->force[i];
    if (!is_wheel(f)) continue;
    const double torque = v->tyre[f->tyre].load * v->tyre[f->tyre].radius;
    const bool steers = f->kind == VEHICLE_FORCE_WHEEL && f->steered;
    if (steers) draw_input(d, VEHICLE_TO_STEER, i, 0.03);
    if (drives && !is_driven(v, i) && chance(d, 0.7))
      draw_input(d, VEHICLE_TO_DRIVE, i, 0.2 * torque);
    if (brakes && chance(d, 0.7)) {
      draw_input(d, VEHICLE_TO_BRAKE, i, 0.5 * torque);
      // What a brake can hold is not below zero.
      vehicle_input *n = &v->input[v->ninput - 1];
      if (n->kind > VEHICLE_INPUT_RAMP) n->kind = VEHICLE_INPUT_RAMP;
      if (n->end <= n->at) n->end = rounded(n->at + 0.05, 3);
    }
  }
}

static void draw_driver(drawing *d)
{
  vehicle *v = d->v;
  vehicle_driver *k = &v->driver[v->ndriver++];
  *k = (vehicle_driver){.body = d->chassis};
  snprintf(k->name, sizeof k->name, "cruise");
  if (d->wild && chance(d, 0.2)) k->body = choose(d, v->nbody);
  for (int i = 0; i < v->nforce && k->nwheel < VEHICLE_DRIVEN; i++)
    if (is_wheel(&v->force[i]) && chance(d, 0.6)) k->wheel[k->nwheel++] = i;
  if (!k->nwheel) {
    v->ndriver--;
    return;
  }
  k->has_speed = !v->has_speed || chance(d, 0.7);
  k->speed = rounded(d->speed + size_in(d, -1, 2), 3);
  if (chance(d, 0.3)) k->gain = rounded(d->mass * d->radius * size_in(d, 0.5, 2), 3);
  if (chance(d, 0.3)) k->integral_time = rounded(size_in(d, 1, 5), 2);
  if (chance(d, 0.3)) k->most = rounded(d->mass * d->radius * size_in(d, 0.5, 2), 3);
  if (chance(d, 0.2)) k->least = rounded(-d->mass * d->radius * size_in(d, 0.5, 2), 3);
  if (chance(d, 0.25)) {
    draw_input(d, VEHICLE_TO_DRIVER, v->ndriver - 1, d->speed + 3.0);
    k->has_speed = false;
  }
}

// ---- the road -------------------------------------------------------------------------------------

static void draw_road(drawing *d)
{
  vehicle *v = d->v;
  vehicle_road *r = &v->road;
  double front = 0.0;
  for (int i = 0; i < v->nforce; i++)
    if (is_wheel(&v->force[i])) front = fmax(front, v->force[i].at[0][0]);
  if (chance(d, 0.5)) return;
  r->kind = (vehicle_road_kind)(1 + choose(d, VEHICLE_ROAD_PLATEAU));
  if (r->kind == VEHICLE_ROAD_FLAT) {
    if (chance(d, 0.5)) r->height = rounded(size_in(d, -0.01, 0.01), 2);
    if (chance(d, 0.6)) r->grade = rounded(size_in(d, -0.08, 0.08), 2);
    if (chance(d, 0.6)) r->bank = rounded(size_in(d, -0.06, 0.06), 2);
    return;
  }
  r->at = rounded(front + size_in(d, 0.05, 0.4), 3);
  r->length = rounded(size_in(d, 1.0, 3.0), 2);
  r->height = rounded(0.03 * d->length * size_in(d, 0.4, 1.0), 2);
  r->edge = rounded(size_in(d, 0.3, 0.45) * r->length, 2);
  if (d->speed == 0.0 ? chance(d, 0.9) : chance(d, 0.15)) r->moving = rounded(size_in(d, 3, 12), 2);
}

void draw_scenario(drawing *d)
{
  vehicle *v = d->v;
  draw_road(d);
  if (d->rig < 0 && d->speed > 0.0 && chance(d, 0.35)) {
    v->has_speed = true;
    v->speed = d->speed;
    // Which is then not given of the free joint.
    for (int i = 0; i < v->njoint; i++)
      if (v->joint[i].kind == VEHICLE_JOINT_FREE && v->joint[i].body[0] < 0)
        v->joint[i].has_velocity = v->joint[i].has_angular = false;
  }
  if (d->rig < 0 && chance(d, 0.18)) draw_driver(d);
  draw_inputs(d);
}
