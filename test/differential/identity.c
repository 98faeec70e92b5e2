// identity.c: other vehicles that must move alike: other names, mirrored, heading elsewhere, far away, on another
// base; and free ones.
#include "differential/identity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "differential/parts.h"

uint64_t identity_bits(uint64_t *state)
{
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

double identity_in(uint64_t *state, double lo, double hi)
{
  return lo + (hi - lo) * (double)(identity_bits(state) >> 11) * 0x1p-53;
}

bool identity_is_wheel(const vehicle_force *f)
{
  return f->kind == VEHICLE_FORCE_WHEEL || f->kind == VEHICLE_FORCE_TYRE;
}

bool identity_has_two_bodies(const vehicle_force *f)
{
  return f->kind == VEHICLE_FORCE_TSDA || f->kind == VEHICLE_FORCE_BUSHING ||
         f->kind == VEHICLE_FORCE_TORQUE || f->kind == VEHICLE_FORCE_PLUGIN;
}

bool identity_acts_in_joint(const vehicle_force *f)
{
  return f->kind == VEHICLE_FORCE_RSDA || f->kind == VEHICLE_FORCE_SERVO;
}

int identity_side(const vehicle_force *wheel)
{
  if (wheel->side) return wheel->side == 1 ? 1 : wheel->side == 2 ? -1 : 0;
  return (wheel->at[0][1] > 0.0) - (wheel->at[0][1] < 0.0);
}

bool identity_flips(const vehicle *v, const vehicle_force *f)
{
  return identity_acts_in_joint(f) && v->joint[f->joint].kind == VEHICLE_JOINT_CYLINDRICAL;
}

// ---- where it begins ------------------------------------------------------------------------------

// Is there another way between the joint's bodies, without it and what is cut?
static bool closes_loop(const vehicle *v, const int *cut, int ncut, int joint)
{
  bool reached[VEHICLE_BODIES + 1] = {false};  // the last one: the ground
  const int to = v->joint[joint].body[1], from = v->joint[joint].body[0];
  reached[from < 0 ? VEHICLE_BODIES : from] = true;
  for (bool again = true; again;) {
    again = false;
    for (int i = 0; i < v->njoint; i++) {
      bool left_out = v->joint[i].out || i == joint;
      for (int k = 0; k < ncut; k++) left_out |= cut[k] == i;
      if (left_out) continue;
      const int a = v->joint[i].body[0] < 0 ? VEHICLE_BODIES : v->joint[i].body[0];
      const int b = v->joint[i].body[1] < 0 ? VEHICLE_BODIES : v->joint[i].body[1];
      if (reached[a] == reached[b]) continue;
      reached[a] = reached[b] = again = true;
    }
  }
  return reached[to < 0 ? VEHICLE_BODIES : to];
}

static bool is_at_rest(const vehicle *v, const vehicle_joint *j)
{
  for (int i = 0; i < v->ncomponent && j->motion >= 0; i++)
    if (!v->component[i].out && v->component[i].to == VEHICLE_TO_CHANNEL &&
        v->component[i].index == j->motion)
      return false;
  if (j->motion == VEHICLE_NONE) return true;
  if (j->motion == VEHICLE_GROUND)
    return j->curve.n > 3 && j->curve.y[0] == 0.0 && j->curve.y[1] == 0.0 && j->curve.y[2] == 0.0;
  for (int i = 0; i < v->ninput; i++) {
    const vehicle_input *n = &v->input[i];
    if (n->out || n->target != VEHICLE_TO_CHANNEL || n->index != j->motion) continue;
    switch (n->kind) {
      case VEHICLE_INPUT_STEP:
      case VEHICLE_INPUT_RAMP:
        return n->from == 0.0 && n->at > 0.0;
      case VEHICLE_INPUT_SINE:
      case VEHICLE_INPUT_CHIRP:
        return n->offset == 0.0 && n->at > 0.0;
      case VEHICLE_INPUT_TABLE:
        return n->table.method == 0 && n->table.y[0] == 0.0 && n->table.y[1] == 0.0;
      default:
        return n->to == 0.0;
    }
  }
  return true;
}

// The same positions and velocities whatever the tree is? Where what is given of a loop does not fit, or is not all,
// the tree decides
// which of its joints follow.
static bool begins_in_one_way(const vehicle *v)
{
  // What no preload balances is shared out among all.
  for (int i = 0; i < v->nforce; i++)
    if (!v->force[i].out && (v->force[i].auto_free || v->force[i].auto_preload)) return false;
  for (int i = 0; i < v->njoint; i++) {
    const vehicle_joint *j = &v->joint[i];
    if (j->out) continue;
    const bool link =
        j->kind == VEHICLE_JOINT_DISTANCE || j->kind == VEHICLE_JOINT_SPHERICAL_REVOLUTE;
    if (j->nat == 2 && !link) return false;
    const bool given = j->has_position || j->has_speed || j->has_angles || j->has_angular ||
                       j->has_offset || j->has_velocity;
    if ((given || !is_at_rest(v, j)) && closes_loop(v, NULL, 0, i)) return false;
  }
  return true;
}

// May positions that are given of loops be out of reach? The nearest one that is not is then known to the square root of rounding.
static bool may_contradict(const vehicle *v)
{
  for (int i = 0; i < v->njoint; i++) {
    const vehicle_joint *j = &v->joint[i];
    const bool link =
        j->kind == VEHICLE_JOINT_DISTANCE || j->kind == VEHICLE_JOINT_SPHERICAL_REVOLUTE;
    if (!j->out && j->nat == 2 && !link) return true;  // points that do not meet
    if (!j->out && (j->has_position || j->has_angles || j->has_offset || !is_at_rest(v, j)) &&
        closes_loop(v, NULL, 0, i))
      return true;
  }
  return false;
}

// Are there velocities of bodies in an assembly that a joint holds to the ground?
static bool is_pulled_along(const vehicle *v)
{
  bool grounded = false, given = false;
  for (int i = 0; i < v->njoint; i++)
    grounded |= !v->joint[i].out && (v->joint[i].body[0] < 0 || v->joint[i].body[1] < 0);
  for (int i = 0; i < v->nbody; i++)
    given |= !v->body[i].out && (v->body[i].has_velocity || v->body[i].has_angular);
  return grounded && given;
}

// Is anything given of positions and velocities? On another base, which has zeros where nothing is given, that is
// met by other joints.
static bool is_placed(const vehicle *v)
{
  for (int i = 0; i < v->nbody; i++)
    if (!v->body[i].out && (v->body[i].has_velocity || v->body[i].has_angular)) return true;
  for (int i = 0; i < v->njoint; i++) {
    const vehicle_joint *j = &v->joint[i];
    if (!j->out && (j->has_position || j->has_speed || j->has_angles || j->has_angular ||
                    j->has_offset || j->has_velocity || !is_at_rest(v, j)))
      return true;
  }
  return v->has_speed;
}

// ---- names and order ------------------------------------------------------------------------------

static void shuffle(uint64_t *random, int *order, size_t stride, int n)
{
  int *place = calloc((size_t)n + 1, sizeof *place);
  if (!place) abort();
  for (int i = 0; i < n; i++) place[i] = i;
  for (int i = n - 1; i > 0; i--) {
    const int k = (int)(identity_bits(random) % (uint64_t)(i + 1)), p = place[i];
    place[i] = place[k];
    place[k] = p;
  }
  for (int i = 0; i < n; i++) *(int *)((char *)order + (size_t)i * stride) = place[i];
  free(place);
}
#define SHUFFLE(random, array, n) shuffle(random, &(array)[0].order, sizeof(array)[0], n)

// The number at the end keeps names apart.
static void rename_it(uint64_t *random, char name[VEHICLE_NAME], int *number)
{
  static const char first[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  const uint64_t bits = identity_bits(random);
  const int dotted = strncmp(name, "act.", 4) == 0;
  snprintf(name, VEHICLE_NAME, "%s%c%c%d", dotted ? "act." : "", first[bits % 52],
           first[bits / 52 % 52], (*number)++);
}

static bool rename_all(vehicle *v, uint64_t *random)
{
  int n = 1;
  for (int i = 0; i < v->nbody; i++) rename_it(random, v->body[i].name, &n);
  for (int i = 0; i < v->njoint; i++) rename_it(random, v->joint[i].name, &n);
  for (int i = 0; i < v->nforce; i++) rename_it(random, v->force[i].name, &n);
  for (int i = 0; i < v->ntyre; i++) rename_it(random, v->tyre[i].name, &n);
  for (int i = 0; i < v->nchannel; i++) rename_it(random, v->channel[i], &n);
  for (int i = 0; i < v->ndriver; i++) rename_it(random, v->driver[i].name, &n);
  for (int i = 0; i < v->ncomponent; i++) rename_it(random, v->component[i].name, &n);
  SHUFFLE(random, v->body, v->nbody);
  SHUFFLE(random, v->joint, v->njoint);
  SHUFFLE(random, v->force, v->nforce);
  SHUFFLE(random, v->tyre, v->ntyre);
  SHUFFLE(random, v->input, v->ninput);
  return true;
}

// ---- the mirror -----------------------------------------------------------------------------------

static void mirror_polar(double x[3])
{
  x[1] = -x[1];
}

static void mirror_axial(double x[3])
{
  x[0] = -x[0];
  x[2] = -x[2];
}

// x over y becomes -x over -y.
static void turn_curve(vehicle_curve *c)
{
  for (int i = 0; i < c->n / 2 + c->n % 2; i++) {
    const int k = c->n - 1 - i;
    const double x = c->x[i], y = c->y[i];
    c->x[i] = -c->x[k];
    c->y[i] = -c->y[k];
    c->x[k] = -x;
    c->y[k] = -y;
  }
}

static void negate_input(vehicle *v, vehicle_target target, int index)
{
  for (int i = 0; i < v->ninput; i++) {
    vehicle_input *n = &v->input[i];
    if (n->target != target || n->index != index) continue;
    n->from = -n->from;
    n->to = -n->to;
    n->amplitude = -n->amplitude;
    n->offset = -n->offset;
    for (int k = 0; k < n->table.n; k++) n->table.y[k] = -n->table.y[k];
  }
}

// Does a component measure what a mirror turns round, or drive it?
static bool is_one_sided(const vehicle *v, const vehicle_component *c)
{
  for (int i = 0; i < 3; i++) {
    const vehicle_signal *s = &c->in[i];
    if (s->of == SIGNAL_BODY && vehicle_sense_flips(s->sense)) return true;
  }
  for (int i = 0; i < v->nforce; i++)
    if (c->to == VEHICLE_TO_CHANNEL && c->index >= 0 && v->force[i].channel == c->index &&
        identity_flips(v, &v->force[i]))
      return true;
  return false;
}

// A law that is not symmetric must know which side it is on.
static bool has_mirror(const vehicle *v)
{
  for (int i = 0; i < v->ncomponent; i++)
    if (!v->component[i].out && is_one_sided(v, &v->component[i])) return false;
  for (int i = 0; i < v->nforce; i++) {
    const vehicle_force *f = &v->force[i];
    if (f->out || !identity_is_wheel(f)) continue;
    const vehicle_tyre *t = &v->tyre[f->tyre];
    if (t->kind == VEHICLE_TYRE_CARPET && t->two_sided) return false;
    if (t->kind == VEHICLE_TYRE_MAGIC_FORMULA && (t->measured == 3 || identity_side(f) == 0))
      return false;
  }
  return true;
}

static void mirror_joint(vehicle_joint *j)
{
  const bool slides = j->kind == VEHICLE_JOINT_TRANSLATIONAL ||
                      j->kind == VEHICLE_JOINT_CYLINDRICAL ||
                      j->kind == VEHICLE_JOINT_SPHERICAL_TRANSLATIONAL;
  for (int k = 0; k < 2; k++) {
    mirror_polar(j->at[k]);
    if (slides)
      mirror_polar(j->axis[k]);
    else
      mirror_axial(j->axis[k]);
  }
  j->lead = -j->lead;
  if (j->kind == VEHICLE_JOINT_CYLINDRICAL) {
    j->position[1] = -j->position[1];
    j->speed[1] = -j->speed[1];
  }
  mirror_axial(j->angles);  // roll, pitch, yaw have the signs of such a vector
  mirror_axial(j->angular);
  mirror_polar(j->offset);
  mirror_polar(j->velocity);
}

static void mirror_force(vehicle *v, int i)
{
  vehicle_force *f = &v->force[i];
  for (int k = 0; k < 2; k++) {
    mirror_polar(f->at[k]);
    mirror_polar(f->axes[k]);
  }
  if (f->kind == VEHICLE_FORCE_FORCE)
    mirror_polar(f->vector);
  else
    mirror_axial(f->vector);
  mirror_axial(f->axis);
  for (int k = 0; k < f->nplace; k++) mirror_polar(f->point[k]);
  if (f->side == 1 || f->side == 2) f->side = 3 - f->side;
  for (int k = 0; k < 4; k++) turn_curve(&f->comply[k]);
  if (f->kind == VEHICLE_FORCE_WHEEL && f->steered) negate_input(v, VEHICLE_TO_STEER, i);
  if (!identity_flips(v, f)) return;
  f->free = -f->free;
  f->preload = -f->preload;
  turn_curve(&f->spring);
  turn_curve(&f->damper);
  turn_curve(&f->map[0]);
  turn_curve(&f->map[1]);
  f->coupled = -f->coupled;
  for (int k = 1; k < VEHICLE_TERMS; k += 2) {
    f->spring_term[k] = -f->spring_term[k];
    f->damper_term[k] = -f->damper_term[k];
  }
  if (f->channel >= 0) negate_input(v, VEHICLE_TO_CHANNEL, f->channel);
}

// Several positions given in loops contradict each other: what comes next to them is not found to the last digits.
static bool contradicts(const vehicle *v)
{
  int n = 0;
  for (int i = 0; i < v->njoint; i++)
    n += !v->joint[i].out && v->joint[i].has_position && closes_loop(v, NULL, 0, i);
  return n > 1;
}

static void mirror_road(vehicle_road *r)
{
  r->bank = -r->bank;
  for (int i = 0; i < r->npatch; i++) {
    const double from = r->patch[i].y[0];
    r->patch[i].y[0] = -r->patch[i].y[1];
    r->patch[i].y[1] = -from;
  }
}

static bool mirror_all(vehicle *v)
{
  if (!has_mirror(v) || contradicts(v)) return false;
  for (int i = 0; i < v->nbody; i++) {
    vehicle_body *b = &v->body[i];
    mirror_polar(b->cg);
    b->inertia[3] = -b->inertia[3];
    b->inertia[5] = -b->inertia[5];
    if (b->norientation == 3)
      mirror_axial(b->orientation);
    else
      mirror_axial(b->orientation + 1);
    mirror_polar(b->velocity);
    mirror_axial(b->angular);
  }
  for (int i = 0; i < v->njoint; i++) mirror_joint(&v->joint[i]);
  for (int i = 0; i < v->nforce; i++) mirror_force(v, i);
  mirror_polar(v->gravity);
  mirror_road(&v->road);
  for (int i = 0; i < v->nroad; i++) mirror_road(&v->single[i]);
  return true;
}

// ---- elsewhere ------------------------------------------------------------------------------------

static bool touches_ground(const vehicle *v, int but_joint)
{
  for (int i = 0; i < v->njoint; i++) {
    const vehicle_joint *j = &v->joint[i];
    if (!j->out && i != but_joint && (j->body[0] < 0 || j->body[1] < 0)) return true;
  }
  for (int i = 0; i < v->nforce; i++) {
    const vehicle_force *f = &v->force[i];
    // A torque's axis may be fixed in the ground; a wheel's drive may react on it.
    if (f->out || identity_acts_in_joint(f)) continue;
    if (identity_has_two_bodies(f) && f->kind != VEHICLE_FORCE_TORQUE &&
        (f->body[0] < 0 || f->body[1] < 0))
      return true;
  }
  for (int i = 0; i < v->nbody; i++)
    if (!v->body[i].out && v->body[i].parent == VEHICLE_GROUND) return true;
  return false;
}

static int free_joint(const vehicle *v)
{
  for (int i = 0; i < v->njoint; i++)
    if (!v->joint[i].out && v->joint[i].kind == VEHICLE_JOINT_FREE && v->joint[i].body[0] < 0)
      return i;
  return VEHICLE_NONE;
}

// How many groups of bodies joints and, for bodies that no joint reaches, force elements connect.
static int count_groups(const vehicle *v)
{
  int group[VEHICLE_BODIES], n = 0;
  for (int i = 0; i < v->nbody; i++) group[i] = i;
  for (bool again = true; again;) {
    again = false;
    for (int i = 0; i < v->njoint + v->nforce; i++) {
      const bool joint = i < v->njoint;
      const vehicle_force *f = joint ? NULL : &v->force[i - v->njoint];
      if (joint ? v->joint[i].out : f->out || !identity_has_two_bodies(f)) continue;
      const int *b = joint ? v->joint[i].body : f->body;
      if (b[0] < 0 || b[1] < 0 || group[b[0]] == group[b[1]]) continue;
      const int to = group[b[0]] < group[b[1]] ? group[b[0]] : group[b[1]];
      group[b[0]] = group[b[1]] = to;
      again = true;
    }
  }
  for (int i = 0; i < v->nbody; i++) n += !v->body[i].out && group[i] == i;
  return n;
}

// The vehicle on a free joint that says where it is. What was given of its body is given of the joint.
static int give_place(vehicle *v)
{
  int j = free_joint(v);
  if (j >= 0) return j;
  int b = VEHICLE_NONE;
  for (int i = v->nbody - 1; i >= 0; i--)
    if (!v->body[i].out && (b < 0 || v->body[i].mass >= v->body[b].mass)) b = i;
  for (int i = 0; i < v->nbody; i++)
    if (!v->body[i].out && (v->body[i].has_velocity || v->body[i].has_angular)) b = i;
  if (b < 0 || v->njoint == VEHICLE_JOINTS || v->road.height != 0.0 || v->road.grade != 0.0 ||
      v->road.bank != 0.0)
    return VEHICLE_NONE;
  j = v->njoint++;
  v->joint[j] = (vehicle_joint){.name = "placed",
                                .order = j,
                                .kind = VEHICLE_JOINT_FREE,
                                .body = {VEHICLE_GROUND, b},
                                .nat = 1,
                                .motion = VEHICLE_NONE,
                                // A scenario's speed takes the place of what the body had.
                                .has_velocity = v->body[b].has_velocity && !v->has_speed,
                                .has_angular = v->body[b].has_angular && !v->has_speed};
  memcpy(v->joint[j].at[0], v->body[b].cg, sizeof v->joint[j].at[0]);
  memcpy(v->joint[j].velocity, v->body[b].velocity, sizeof v->body[b].velocity);
  memcpy(v->joint[j].angular, v->body[b].angular, sizeof v->body[b].angular);
  v->body[b].has_velocity = v->body[b].has_angular = false;
  return j;
}

static void turn(double angle, double x[3])
{
  const double c = cos(angle), s = sin(angle), ahead = x[0];
  x[0] = c * ahead - s * x[1];
  x[1] = s * ahead + c * x[1];
}

// How many bodies' initial velocities are given: a free joint takes those of one.
static int given_velocities(const vehicle *v)
{
  int n = 0;
  for (int i = 0; i < v->nbody; i++)
    n += !v->body[i].out && (v->body[i].has_velocity || v->body[i].has_angular);
  return n;
}

static bool turn_all(vehicle *v, uint64_t *random)
{
  const int was = free_joint(v);
  if (touches_ground(v, was) || count_groups(v) != 1 || given_velocities(v) > (was < 0))
    return false;
  for (int i = 0; i <= v->nroad; i++) {
    const vehicle_road *r = i ? &v->single[i - 1] : &v->road;
    if (r->kind > VEHICLE_ROAD_FLAT || r->grade != 0.0 || r->bank != 0.0 || r->npatch) return false;
  }
  for (int i = 0; i < v->ntyre; i++)
    if (!v->tyre[i].out && v->tyre[i].kind == VEHICLE_TYRE_MF_SIMPLE && v->tyre[i].world_frame)
      return false;
  if (v->base != VEHICLE_NONE && is_placed(v)) return false;
  const int j = give_place(v);
  if (j < 0) return false;
  v->base = VEHICLE_NONE;
  const double angle = identity_in(random, 0.3, 2.8) * (identity_bits(random) % 2 ? 1.0 : -1.0);
  vehicle_joint *joint = &v->joint[j];
  if (!joint->has_angles) memset(joint->angles, 0, sizeof joint->angles);
  joint->has_angles = true;
  joint->angles[2] += angle;
  turn(angle, joint->velocity);
  turn(angle, joint->angular);
  turn(angle, v->gravity);
  for (int i = 0; i < v->nforce; i++) {
    vehicle_force *f = &v->force[i];
    const bool in_world = f->kind == VEHICLE_FORCE_FORCE && !f->body_frame;
    if (in_world || (f->kind == VEHICLE_FORCE_TORQUE && f->body[0] < 0)) turn(angle, f->vector);
  }
  return true;
}

static void move_road(vehicle_road *r, double x, double y)
{
  if (r->kind > VEHICLE_ROAD_FLAT && r->moving == 0.0) r->at += x;
  if (r->kind == VEHICLE_ROAD_FLAT) r->height -= r->grade * x + r->bank * y;
  const double along =
      r->moving == 0.0 ? x : 0.0;  // a road that moves is under posts where they stood
  for (int i = 0; i < r->npatch; i++)
    for (int k = 0; k < 2; k++) r->patch[i].x[k] += along, r->patch[i].y[k] += y;
}

static bool move_all(vehicle *v, uint64_t *random)
{
  const int was = free_joint(v);
  if (touches_ground(v, was) || count_groups(v) != 1 || given_velocities(v) > (was < 0))
    return false;
  if (v->base != VEHICLE_NONE && is_placed(v)) return false;
  const int j = give_place(v);
  if (j < 0) return false;
  v->base = VEHICLE_NONE;
  const double angle = identity_in(random, -3.0, 3.0), far = 1024.0;
  const double x = round(far * cos(angle)), y = round(far * sin(angle));
  vehicle_joint *joint = &v->joint[j];
  if (!joint->has_offset) memset(joint->offset, 0, sizeof joint->offset);
  joint->has_offset = true;
  joint->offset[0] += x;
  joint->offset[1] += y;
  for (int i = 0; i <= v->nroad; i++) move_road(i ? &v->single[i - 1] : &v->road, x, y);
  return true;
}

// ---- another tree ---------------------------------------------------------------------------------

// Do joints leave the vehicle in several groups, of which the ground is one if a joint names it? A group hangs on the nearest to the
// ground of the bodies that force elements hold it to, by its base, both of which the tree decides, and begins where that one takes
// it.
static bool has_loose_group(const vehicle *v)
{
  int group[VEHICLE_BODIES + 1], n = 0;
  bool ground = false, seen[VEHICLE_BODIES + 1] = {false};
  for (int i = 0; i <= VEHICLE_BODIES; i++) group[i] = i;
  for (int k = 0; k < v->njoint; k++) {
    if (v->joint[k].out) continue;
    int end[2];
    for (int e = 0; e < 2; e++) {
      ground |= v->joint[k].body[e] < 0;
      end[e] = group[v->joint[k].body[e] < 0 ? VEHICLE_BODIES : v->joint[k].body[e]];
    }
    for (int i = 0; i <= VEHICLE_BODIES; i++)
      if (group[i] == end[1]) group[i] = end[0];
  }
  for (int i = 0; i <= VEHICLE_BODIES; i++) {
    if (i == VEHICLE_BODIES ? !ground : i >= v->nbody || v->body[i].out) continue;
    n += !seen[group[i]];
    seen[group[i]] = true;
  }
  return n > 1;
}

static bool rebase(vehicle *v, uint64_t *random)
{
  const int base = v->base, ncut = v->ncut;
  v->ncut = 0;
  if (v->njoint && identity_bits(random) % 3) {
    for (int k = 0; k < 40 && v->ncut < 3; k++) {
      const int j = (int)(identity_bits(random) % (uint64_t)v->njoint);
      bool there = v->joint[j].out;
      for (int i = 0; i < v->ncut; i++) there |= v->cut[i] == j;
      if (!there && closes_loop(v, v->cut, v->ncut, j)) v->cut[v->ncut++] = j;
    }
  }
  if (is_placed(v) && has_loose_group(v)) return false;
  if (is_placed(v)) return v->base == VEHICLE_NONE && (v->ncut || ncut);
  v->base = VEHICLE_NONE;
  if (identity_bits(random) % 3) {
    do v->base = (int)(identity_bits(random) % (uint64_t)v->nbody);
    while (v->body[v->base].out);
  }
  return v->base != base || v->ncut || ncut;
}

// Do components measure the same in a vehicle that is built in another way? Centres of gravity move with masses.
static bool measures_alike(const vehicle *v, const vehicle *other)
{
  for (int i = 0; i < v->ncomponent; i++)
    for (int k = 0; k < 3 && !v->component[i].out; k++) {
      const vehicle_signal *s = &v->component[i].in[k];
      if (s->of == SIGNAL_BODY &&
          (other->body[s->index].out || other->body[s->index].mass != v->body[s->index].mass))
        return false;
      if (s->of == SIGNAL_JOINT && other->joint[s->index].out) return false;
      if (s->of == SIGNAL_WHEEL && other->force[s->index].out) return false;
    }
  return true;
}

// ---- all --------------------------------------------------------------------------------------------

bool vehicle_transform(const vehicle *v, vehicle_identity k, uint64_t seed, vehicle *out)
{
  uint64_t random = seed * 2 + (uint64_t)k;
  *out = *v;
  // What a file leaves open is no matter of names; but where bodies have their centres may decide.
  // On a base of the user's choice, positions that the file leaves open are found to 1e-7 only.
  if (v->base != VEHICLE_NONE && is_placed(v)) return false;
  const bool same = k == VEHICLE_RENAMED || k == VEHICLE_MIRRORED;
  if (same ? may_contradict(v) : !begins_in_one_way(v)) return false;
  switch (k) {
    case VEHICLE_RENAMED:
      return rename_all(out, &random);
    case VEHICLE_MIRRORED:
      return mirror_all(out);
    case VEHICLE_TURNED:
      return turn_all(out, &random);
    case VEHICLE_MOVED:
      return move_all(out, &random);
    case VEHICLE_REBUILT:
      // Of a body on springs alone the centre, which moves with its mass, is what its velocity is measured at.
      return !is_pulled_along(v) && identity_rebuild(out, &random) && measures_alike(v, out);
    case VEHICLE_REBASED:
      return rebase(out, &random);
    case VEHICLE_NIDENTITY:
      break;
  }
  return false;
}

bool vehicle_set_free(const vehicle *v, vehicle *out)
{
  *out = *v;
  for (int i = 0; i < out->njoint; i++)
    if (out->joint[i].body[0] < 0 || out->joint[i].body[1] < 0) out->joint[i].out = true;
  for (int i = 0; i < out->nforce; i++) {
    vehicle_force *f = &out->force[i];
    const bool grounded = identity_has_two_bodies(f) && (f->body[0] < 0 || f->body[1] < 0);
    f->out |= identity_is_wheel(f) || f->kind == VEHICLE_FORCE_FORCE ||
              f->kind == VEHICLE_FORCE_CONTACT || grounded;
    f->auto_free = f->auto_preload = false;  // there is no weight to balance
  }
  for (int i = 0; i < out->nbody; i++)
    if (out->body[i].parent == VEHICLE_GROUND) out->body[i].parent = VEHICLE_NONE;
  for (int i = 0; i < out->ndriver; i++) out->driver[i].out = true;
  for (int i = 0; i < out->ncomponent; i++) out->component[i].out = true;
  out->nroad = 0;
  if (out->base == VEHICLE_GROUND) out->base = VEHICLE_NONE;
  out->road = (vehicle_road){0};
  out->has_speed = false;
  out->has_gravity = true;
  memset(out->gravity, 0, sizeof out->gravity);
  parts_settle(out);
  int left = 0;
  for (int i = 0; i < out->nbody; i++) left += !out->body[i].out;
  return left > 1;
}
