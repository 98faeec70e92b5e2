// parts.c: what can be taken out of a vehicle, from whole units to single keys and digits.
//
// Parts are numbered section by section, the large ones first. The numbers stay those of the elements that a vehicle
// was drawn with:
// an element that is out already has nothing to be taken out.
#include <stddef.h>
#include <string.h>

#include "differential/parts.h"

enum { MOST_UNITS = 3, MOST_AXLES = 10, MOST_LIMBS = 48 };

// ---- what goes with it ------------------------------------------------------------------------------

static bool is_gone(const vehicle *v, int body)
{
  return body >= 0 && v->body[body].out;
}

static bool has_two_bodies(vehicle_force_kind k)
{
  return k == VEHICLE_FORCE_TSDA || k == VEHICLE_FORCE_BUSHING || k == VEHICLE_FORCE_TORQUE ||
         k == VEHICLE_FORCE_PLUGIN;
}

static bool acts_in_joint(vehicle_force_kind k)
{
  return k == VEHICLE_FORCE_RSDA || k == VEHICLE_FORCE_SERVO;
}

static bool is_touched(const vehicle *v, int body)
{
  for (int i = 0; i < v->njoint; i++)
    if (!v->joint[i].out && (v->joint[i].body[0] == body || v->joint[i].body[1] == body))
      return true;
  for (int i = 0; i < v->nforce; i++) {
    const vehicle_force *f = &v->force[i];
    if (f->out || acts_in_joint(f->kind)) continue;
    if (f->body[0] == body || (has_two_bodies(f->kind) && f->body[1] == body)) return true;
  }
  return false;
}

static bool is_channel_used(const vehicle *v, int channel)
{
  for (int i = 0; i < v->njoint; i++)
    if (!v->joint[i].out && v->joint[i].motion == channel) return true;
  for (int i = 0; i < v->nforce; i++)
    if (!v->force[i].out && v->force[i].channel == channel) return true;
  return false;
}

static bool has_bearing(const vehicle *v, const vehicle_force *f)
{
  if (f->kind == VEHICLE_FORCE_WHEEL) return true;
  for (int i = 0; i < v->njoint; i++) {
    const vehicle_joint *j = &v->joint[i];
    if (!j->out && j->kind == VEHICLE_JOINT_REVOLUTE &&
        (j->body[0] == f->body[0] || j->body[1] == f->body[0]))
      return true;
  }
  return false;
}

static void settle_forces(vehicle *v)
{
  for (int i = 0; i < v->nforce; i++) {
    vehicle_force *f = &v->force[i];
    if (f->out) continue;
    if (acts_in_joint(f->kind)) {
      const vehicle_joint *j = &v->joint[f->joint];
      f->out = j->out || j->motion != VEHICLE_NONE;
      continue;
    }
    f->out = is_gone(v, f->body[0]) || (has_two_bodies(f->kind) && is_gone(v, f->body[1])) ||
             (has_two_bodies(f->kind) && f->body[0] == f->body[1]) ||
             (!has_two_bodies(f->kind) && f->body[0] < 0);
    if (is_gone(v, f->reaction)) f->reaction = VEHICLE_NONE;
  }
}

// Is what a signal measures still there?
static bool is_known(const vehicle *v, const vehicle_signal *s)
{
  switch (s->of) {
    case SIGNAL_BODY:
      return !v->body[s->index].out;
    case SIGNAL_JOINT:
      return !v->joint[s->index].out && v->joint[s->index].motion == VEHICLE_NONE;
    case SIGNAL_WHEEL:
      return !v->force[s->index].out && has_bearing(v, &v->force[s->index]);
    case SIGNAL_COMPONENT:
      return !v->component[s->index].out;
    default:
      return true;
  }
}

static void settle_components(vehicle *v)
{
  for (int i = 0; i < v->ncomponent; i++) {  // each measures those before it
    vehicle_component *c = &v->component[i];
    for (int k = 0; k < 3; k++) c->out |= !is_known(v, &c->in[k]);
    if (c->index < 0) continue;
    const bool there = c->to == VEHICLE_TO_CHANNEL
                           ? is_channel_used(v, c->index)
                           : !v->force[c->index].out && has_bearing(v, &v->force[c->index]);
    if (!there) c->index = VEHICLE_NONE;
  }
}

static void settle_roads(vehicle *v)
{
  int left = 0;
  for (int i = 0; i < v->nroad; i++) {
    vehicle_road *r = &v->single[i];
    int n = 0;
    for (int k = 0; k < r->nwheel; k++)
      if (!v->force[r->wheel[k]].out) r->wheel[n++] = r->wheel[k];
    r->nwheel = n;
    if (n) v->single[left++] = *r;
  }
  v->nroad = left;
}

static void settle_inputs(vehicle *v)
{
  for (int i = 0; i < v->ndriver; i++) {
    vehicle_driver *d = &v->driver[i];
    int n = 0;
    for (int k = 0; k < d->nwheel; k++)
      if (!v->force[d->wheel[k]].out && has_bearing(v, &v->force[d->wheel[k]]))
        d->wheel[n++] = d->wheel[k];
    d->nwheel = n;
    d->out |= n == 0 || is_gone(v, d->body);
  }
  for (int i = 0; i < v->ninput; i++) {
    vehicle_input *n = &v->input[i];
    if (n->out) continue;
    const vehicle_force *f = &v->force[n->index < v->nforce ? n->index : 0];
    switch (n->target) {
      case VEHICLE_TO_CHANNEL:
        n->out = !is_channel_used(v, n->index);
        break;
      case VEHICLE_TO_DRIVER:
        n->out = v->driver[n->index].out;
        break;
      case VEHICLE_TO_STEER:
        n->out = f->out || !f->steered || f->kind != VEHICLE_FORCE_WHEEL;
        break;
      default:
        n->out = f->out || !parts_is_wheel(f) || !has_bearing(v, f);
        break;
    }
  }
}

// Nothing is left that refers to what is out, nor anything that nothing touches.
void parts_settle(vehicle *v)
{
  for (int i = 0; i < v->njoint; i++) {
    vehicle_joint *j = &v->joint[i];
    j->out |= is_gone(v, j->body[0]) || is_gone(v, j->body[1]) || j->body[0] == j->body[1];
  }
  settle_forces(v);
  int left = 0;
  for (int i = 0; i < v->nbody; i++) left += !v->body[i].out;
  for (int i = 0; i < v->nbody && left > 1; i++)
    if (!v->body[i].out && !is_touched(v, i)) {
      v->body[i].out = true;
      left--;
    }
  for (int i = 0; i < v->nbody; i++)
    if (is_gone(v, v->body[i].parent)) v->body[i].parent = VEHICLE_NONE;
  for (int i = 0; i < v->ntyre; i++) {
    bool used = false;
    for (int k = 0; k < v->nforce; k++)
      used |= !v->force[k].out && parts_is_wheel(&v->force[k]) && v->force[k].tyre == i;
    v->tyre[i].out = !used;
  }
  if (is_gone(v, v->base)) v->base = VEHICLE_NONE;
  int n = 0;
  for (int i = 0; i < v->ncut; i++)
    if (!v->joint[v->cut[i]].out) v->cut[n++] = v->cut[i];
  v->ncut = n;
  settle_components(v);
  settle_roads(v);
  settle_inputs(v);
}

// ---- groups of elements -----------------------------------------------------------------------------

typedef bool take_out(vehicle *v, int i);
typedef bool in_group(const vehicle_place *p, int i);

static bool out_group(vehicle *v, in_group *in, int i)
{
  bool any = false;
  for (int k = 0; k < v->nbody; k++)
    if (!v->body[k].out && in(&v->body[k].place, i)) any = v->body[k].out = true;
  for (int k = 0; k < v->njoint; k++)
    if (!v->joint[k].out && in(&v->joint[k].place, i)) any = v->joint[k].out = true;
  for (int k = 0; k < v->nforce; k++)
    if (!v->force[k].out && in(&v->force[k].place, i)) any = v->force[k].out = true;
  return any;
}

static bool in_unit(const vehicle_place *p, int i)
{
  return p->unit == i + 1;
}

static bool in_axle(const vehicle_place *p, int i)
{
  return p->axle == i + 1;
}

static bool in_corner(const vehicle_place *p, int i)
{
  return p->axle == 1 + i / 2 && p->corner == 1 + i % 2;
}

static bool in_limb(const vehicle_place *p, int i)
{
  return p->limb == i + 1;
}

static bool in_any_limb(const vehicle_place *p, int i)
{
  (void)i;
  return p->limb > 0;
}

static bool out_unit(vehicle *v, int i)
{
  return out_group(v, in_unit, i);
}

static bool out_axle(vehicle *v, int i)
{
  return out_group(v, in_axle, i);
}

static bool out_corner(vehicle *v, int i)
{
  return out_group(v, in_corner, i);
}

static bool out_limb(vehicle *v, int i)
{
  return out_group(v, in_limb, i);
}

// ---- all of a kind ------------------------------------------------------------------------------------

static bool out_all(vehicle *v, int i)
{
  bool any = false;
  switch (i) {
    case 0:
      return out_group(v, in_any_limb, 0);
    case 1:
      for (int k = 0; k < v->ninput; k++)
        if (!v->input[k].out) any = v->input[k].out = true;
      return any;
    case 2:
      for (int k = 0; k < v->njoint; k++)
        if (!v->joint[k].out) any |= parts_joint_values(&v->joint[k]);
      return any;
    case 3:
      for (int k = 0; k < v->nbody; k++)
        any |= set_int(&v->body[k].norientation, 0) && !v->body[k].out;
      return any;
    case 4:
      for (int k = 0; k < v->nbody; k++)
        for (int n = 3; n < 6; n++) any |= set(&v->body[k].inertia[n], 0.0) && !v->body[k].out;
      return any;
    case 5:
      for (int k = 0; k < v->nforce; k++) {
        vehicle_force *f = &v->force[k];
        const bool there = f->spring.n || f->damper.n || f->nspring || f->ndamper || f->map[0].n;
        f->spring.n = f->damper.n = f->nspring = f->ndamper = f->map[0].n = 0;
        any |= there && !f->out;
      }
      return any;
    case 6:
      for (int k = 0; k < v->nforce; k++) {
        bool there = false;
        for (int n = 0; n < 4; n++) there |= CLEARED(v->force[k].comply[n]);
        any |= there && !v->force[k].out;
      }
      return any;
    case 7:
      for (int k = 0; k < v->nforce; k++)
        if (!v->force[k].out && parts_is_wheel(&v->force[k])) any = v->force[k].out = true;
      return any;
    case 8:  // neither wheels nor limbs: what is left of the springs
      for (int k = 0; k < v->nforce; k++)
        if (!v->force[k].out && !parts_is_wheel(&v->force[k])) any = v->force[k].out = true;
      return any;
    case 9:
      for (int k = 0; k < v->nforce; k++)
        any |= set_int(&v->force[k].channel, VEHICLE_NONE) && !v->force[k].out &&
               v->force[k].kind != VEHICLE_FORCE_SERVO;
      for (int k = 0; k < v->nforce; k++)
        if (v->force[k].kind == VEHICLE_FORCE_SERVO && v->force[k].channel == VEHICLE_NONE)
          v->force[k].out = true;
      return any;
    default:
      for (int k = 0; k < v->nbody; k++)
        any |= CLEARED(v->body[k].has_velocity) | CLEARED(v->body[k].has_angular);
      return any;
  }
}

// ---- the scenario and the choices -----------------------------------------------------------------------

static bool out_choice(vehicle *v, int i)
{
  switch (i) {
    case 0:
      return CLEARED(v->road);
    case 1:
      return CLEARED(v->has_speed);
    case 2:
      return CLEARED(v->has_gravity);
    case 3:
      return set_int(&v->base, VEHICLE_NONE);
    case 4:
      return set_int(&v->ncut, 0);
    case 5:
      return set(&v->step, 1e-3);
    case 6: {
      const bool other = v->integrator != JN_INTEGRATOR_AB3;
      v->integrator = JN_INTEGRATOR_AB3;
      return other;
    }
    case 7: {
      const bool other = v->stabilize != JN_STABILIZE_PROJECTION;
      v->stabilize = JN_STABILIZE_PROJECTION;
      return other;
    }
    case 8:
      return CLEARED(v->road.moving);
    case 9:
      return CLEARED(v->road.grade);
    case 10:
      return CLEARED(v->road.bank);
    default:
      return v->road.kind == VEHICLE_ROAD_FLAT && CLEARED(v->road.height);
  }
}

static bool out_cut(vehicle *v, int i)
{
  if (i >= v->ncut) return false;
  memmove(v->cut + i, v->cut + i + 1, (size_t)(v->ncut - i - 1) * sizeof *v->cut);
  v->ncut--;
  return true;
}

static bool out_input(vehicle *v, int i)
{
  if (v->input[i].out) return false;
  return v->input[i].out = true;
}

static bool plain_input(vehicle *v, int i)
{
  vehicle_input *n = &v->input[i];
  if (n->out || n->kind == VEHICLE_INPUT_CONSTANT) return false;
  n->kind = VEHICLE_INPUT_CONSTANT;
  return true;
}

static bool out_component(vehicle *v, int i)
{
  if (v->component[i].out) return false;
  return v->component[i].out = true;
}

static bool out_road(vehicle *v, int i)
{
  if (i >= v->nroad) return false;
  v->single[i].nwheel = 0;
  return true;
}

static bool out_patch(vehicle *v, int i)
{
  vehicle_road *r = &v->road;
  if (i == VEHICLE_PATCHES) return CLEARED(r->friction);
  if (i >= r->npatch) return false;
  memmove(r->patch + i, r->patch + i + 1, (size_t)(r->npatch - i - 1) * sizeof *r->patch);
  r->npatch--;
  return true;
}

static bool out_driver(vehicle *v, int i)
{
  if (v->driver[i].out) return false;
  return v->driver[i].out = true;
}

static bool plain_driver(vehicle *v, int i)
{
  vehicle_driver *d = &v->driver[i];
  if (d->out) return false;
  return CLEARED(d->gain) | CLEARED(d->integral_time) | CLEARED(d->most) | CLEARED(d->least);
}

static bool out_driven_wheel(vehicle *v, int i)
{
  vehicle_driver *d = &v->driver[i / VEHICLE_DRIVEN];
  const int k = i % VEHICLE_DRIVEN;
  if (d->out || k >= d->nwheel) return false;
  memmove(d->wheel + k, d->wheel + k + 1, (size_t)(d->nwheel - k - 1) * sizeof *d->wheel);
  d->nwheel--;
  return true;
}

// ---- bodies ---------------------------------------------------------------------------------------

static bool out_body(vehicle *v, int i)
{
  if (v->body[i].out) return false;
  return v->body[i].out = true;
}

// All that is on it goes to the body on the other side of its first joint: a weld.
static bool weld_body(vehicle *v, int i)
{
  if (v->body[i].out) return false;
  int to = VEHICLE_NONE;
  for (int k = 0; k < v->njoint && to == VEHICLE_NONE; k++) {
    const vehicle_joint *j = &v->joint[k];
    if (!j->out && (j->body[0] == i || j->body[1] == i))
      to = j->body[0] == i ? j->body[1] : j->body[0];
  }
  if (to < 0) return false;
  for (int k = 0; k < v->njoint; k++)
    for (int n = 0; n < 2; n++)
      if (v->joint[k].body[n] == i) v->joint[k].body[n] = to;
  for (int k = 0; k < v->nforce; k++) {
    for (int n = 0; n < 2; n++)
      if (v->force[k].body[n] == i) v->force[k].body[n] = to;
    if (v->force[k].reaction == i) v->force[k].reaction = to;
  }
  for (int k = 0; k < v->ndriver; k++)
    if (v->driver[k].body == i) v->driver[k].body = to;
  if (v->base == i) v->base = to;
  return v->body[i].out = true;
}

// ---- joints ---------------------------------------------------------------------------------------

static bool out_joint(vehicle *v, int i)
{
  if (v->joint[i].out) return false;
  return v->joint[i].out = true;
}

// ---- forces ---------------------------------------------------------------------------------------

static bool out_force(vehicle *v, int i)
{
  if (v->force[i].out) return false;
  return v->force[i].out = true;
}

// ---- tyres ----------------------------------------------------------------------------------------

// Wheels of it get the first tyre there is.
static bool out_tyre(vehicle *v, int i)
{
  int first = VEHICLE_NONE;
  for (int k = v->ntyre - 1; k >= 0; k--)
    if (!v->tyre[k].out && k != i) first = k;
  if (v->tyre[i].out || first < 0 || first > i) return false;
  for (int k = 0; k < v->nforce; k++)
    if (v->force[k].tyre == i) v->force[k].tyre = first;
  return v->tyre[i].out = true;
}

// ---- all parts --------------------------------------------------------------------------------------

typedef struct section {
  take_out *take;
  int each;   // parts of an element
  int n;      // elements, where they are no array of the vehicle's
  size_t of;  // offset of their number in a vehicle, 0: n
} section;

#define OF(count) offsetof(vehicle, count)

static const section sections[] = {
    {out_unit, 1, MOST_UNITS, 0},
    {out_axle, 1, MOST_AXLES, 0},
    {out_corner, 1, 2 * MOST_AXLES, 0},
    {out_all, 1, 11, 0},
    {out_limb, 1, MOST_LIMBS, 0},
    {out_choice, 1, 12, 0},
    {out_driver, 1, 0, OF(ndriver)},
    {out_component, 1, 0, OF(ncomponent)},
    {out_road, 1, VEHICLE_ROADS, 0},
    {out_patch, 1, VEHICLE_PATCHES + 1, 0},
    {out_body, 1, 0, OF(nbody)},
    {weld_body, 1, 0, OF(nbody)},
    {out_force, 1, 0, OF(nforce)},
    {out_joint, 1, 0, OF(njoint)},
    {out_input, 1, 0, OF(ninput)},
    {out_tyre, 1, 0, OF(ntyre)},
    {out_cut, 1, VEHICLE_CUTS, 0},
    {out_driven_wheel, VEHICLE_DRIVEN, 0, OF(ndriver)},
    {parts_tyre_key, TYRE_KEYS, 0, OF(ntyre)},
    {plain_input, 1, 0, OF(ninput)},
    {plain_driver, 1, 0, OF(ndriver)},
    {parts_body_key, BODY_KEYS, 0, OF(nbody)},
    {parts_joint_key, JOINT_KEYS, 0, OF(njoint)},
    {parts_spring_key, SPRING_KEYS, 0, OF(nforce)},
    {parts_contact_key, CONTACT_KEYS, 0, OF(nforce)},
    {parts_wheel_key, WHEEL_KEYS, 0, OF(nforce)},
};
enum { NSECTION = sizeof sections / sizeof sections[0] };

static int parts_of(const vehicle *v, const section *s)
{
  const int n = s->of ? *(const int *)((const char *)v + s->of) : s->n;
  return n * s->each;
}

int vehicle_parts(const vehicle *v)
{
  int n = 0;
  for (int i = 0; i < NSECTION; i++) n += parts_of(v, &sections[i]);
  return n;
}

bool vehicle_take_out(vehicle *v, int part)
{
  for (int i = 0; i < NSECTION; i++) {
    const int n = parts_of(v, &sections[i]);
    if (part < n) {
      if (!sections[i].take(v, part)) return false;
      parts_settle(v);
      return true;
    }
    part -= n;
  }
  return false;
}
