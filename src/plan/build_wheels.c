// build_wheels.c: wheels and tyres with their inputs and states.
#include <math.h>
#include <stdio.h>

#include "elements/tyre/tyre_at.h"
#include "plan/build.h"

static const char *const roles[] = {"drive", "brake", "steer"};

static bool is_wheel(const jn_force_spec *f)
{
  return f->kind == JN_FORCE_WHEEL || f->kind == JN_FORCE_TYRE;
}

// The joint that a wheel body spins in: about the tyre's axis; of several, the one nearest to the wheel centre, then the one
// with the heaviest body on the other side. -1: there is none.
static int bearing_of(const jn_spec *spec, const jn_tyre_keys *k)
{
  const v3 axis = v3_unit(v3_load(k->axis));
  int best = -1;
  double least = INFINITY, most = 0.0;
  for (int j = 0; j < spec->njoint; j++) {
    const jn_joint_keys *key = &spec->joint[j].keys;
    if (spec->joint[j].kind != JN_JOINT_REVOLUTE || jn_joint_driven(&spec->joint[j])) continue;
    if (key->bodies[0] != k->body && key->bodies[1] != k->body) continue;
    const bool second = key->bodies[1] == k->body;
    const v3 own = v3_unit(v3_load(key->axis.v[key->axis.n == 2 && second]));
    if (v3_norm(v3_cross(own, axis)) >= 1e-3) continue;
    const int other = key->bodies[!second];
    const double away =
        v3_norm(v3_sub(v3_load(key->at.v[key->at.n == 2 && second]), v3_load(k->at)));
    const double mass = other == JN_GROUND ? INFINITY : spec->body[other].keys.mass;
    if (away > least || (away == least && mass <= most)) continue;
    best = j, least = away, most = mass;
  }
  return best;
}

static bool has_input(const jn_spec *spec, const jn_force_spec *f, int role)
{
  if (f->kind == JN_FORCE_WHEEL) return role < 2 || f->as.wheel.steered;
  return role < 2 && bearing_of(spec, &f->as.tyre) >= 0;
}

static void input_name(const jn_force_spec *f, int role, char *name, size_t size)
{
  snprintf(name, size, "wheel.%s.%s", f->name, roles[role]);
}

jn_status jn_build_wheel_inputs(jn_system *s, const char **name, int *n, jn_error *err)
{
  const jn_spec *spec = s->model->spec;
  for (int i = 0; i < spec->nforce && !s->binding.opts.without_tyres; i++) {
    const jn_force_spec *f = &spec->force[i];
    for (int role = 0; role < 3 && is_wheel(f); role++) {
      char text[JN_CHANNEL_MAX];
      if (!has_input(spec, f, role)) continue;
      input_name(f, role, text, sizeof text);
      const char *kept = jn_pool_text(&s->pool, text);
      if (!kept) return jn_build_no_memory(s, err);
      name[(*n)++] = kept;
    }
  }
  return JN_OK;
}

static int find_input(jn_system *s, const jn_force_spec *f, int role)
{
  static const char *const unit[] = {"N m", "N m", "rad"};
  static const char *const help[] = {"driving torque on the wheel", "torque the brake can hold",
                                     "steer angle about the carrier's z axis, left positive"};
  char name[JN_CHANNEL_MAX];
  if (!has_input(s->model->spec, f, role)) return -1;
  input_name(f, role, name, sizeof name);
  const int i = jn_build_input(s, name);
  s->input[i].unit = unit[role], s->input[i].help = help[role], s->input[i].quiet = true;
  return i;
}

static int body_or_ground(const jn_system *s, int body, int beside)
{
  const int i = jn_build_index(s, body);
  return i >= 0 ? i : s->body[beside].frame;
}

// What both kinds of wheels say of their tyre.
typedef struct mounting {
  int tyre, side;
  bool has_side;
  const jn_curve_spec *curve[TYRE_NCOMPLIANCE];
  double lag;
} mounting;

#define MOUNTING(k, tag)                                                     \
  {                                                                          \
    (k)->tyre, (k)->side, JN_GIVEN(k, tag, side),                            \
        {&(k)->steer_by_force, &(k)->steer_by_torque, &(k)->camber_by_force, \
         &(k)->camber_by_torque},                                            \
        (k)->compliance_lag                                                  \
  }

static jn_status mount_tyre(jn_building *b, const jn_force_spec *f, const mounting *m, jn_wheel *w,
                            jn_error *err)
{
  w->tyre = b->s->tyre[m->tyre];
  if (w->tyre.kind == JN_TYRE_PLUGIN) w->plugin = &b->s->tyre_plugin[m->tyre];
  w->outward = m->has_side ? (m->side == JN_SIDE_LEFT) - (m->side == JN_SIDE_RIGHT)
                           : (w->y > 0.0) - (w->y < 0.0);
  const double measured = w->tyre.side == TIR_LEFT ? 1.0 : w->tyre.side == TIR_RIGHT ? -1.0 : 0.0;
  if (tyre_rolls(w->tyre.kind)) w->tyre.p[ROLL_SIDE] = w->outward * measured < 0.0 ? -1.0 : 1.0;
  w->compliance_lag = m->lag;
  jn_status st = JN_OK;
  for (int i = 0; i < TYRE_NCOMPLIANCE && !st; i++) {
    int steps;
    st = jn_build_curve(b, m->curve[i], f->pos, f->name, TYRE_COMPLIANCE_STEPS, &w->compliance[i],
                        &steps, err);
    if (!st && steps > TYRE_COMPLIANCE_STEPS)
      st = jn_fail(err, JN_E_LIMIT, f->pos, f->name,
                   "a compliance has %d points, at most %d are allowed", m->curve[i]->n,
                   (1 << TYRE_COMPLIANCE_STEPS) - 1);
    if (w->compliance[i] >= 0) w->comply = 0;  // jn_build_wheel_states says where
  }
  return st;
}

jn_status jn_build_wheel(jn_building *b, const jn_force_spec *f, jn_error *err)
{
  jn_system *s = b->s;
  const jn_spec *spec = s->model->spec;
  jn_wheel *w = &s->wheel[s->nwheel++];
  *w = (jn_wheel){.name = f->name,
                  .spin = -1,
                  .hold = -1,
                  .carrier = -1,
                  .reaction = -1,
                  .bearing = -1,
                  .comply = -1};
  const double *at, *axis;
  mounting m;
  if (f->kind == JN_FORCE_WHEEL) {
    const jn_wheel_keys *k = &f->as.wheel;
    w->body = w->carrier = jn_build_index(s, k->body);
    w->reaction =
        JN_GIVEN(k, jn_wheel_keys, reaction) ? body_or_ground(s, k->reaction, w->body) : w->carrier;
    w->inertia = k->inertia;
    w->gyroscopic = k->gyroscopic;
    w->spin = s->nx++;
    at = k->at, axis = k->axis;
    m = (mounting)MOUNTING(k, jn_wheel_keys);
  } else {
    const jn_tyre_keys *k = &f->as.tyre;
    w->body = jn_build_index(s, k->body);
    at = k->at, axis = k->axis;
    m = (mounting)MOUNTING(k, jn_tyre_keys);
    w->bearing = bearing_of(spec, k);
    if (w->bearing >= 0) {
      const int *pair = spec->joint[w->bearing].keys.bodies;
      w->carrier = body_or_ground(s, pair[pair[0] == k->body], w->body);
    }
    w->reaction =
        JN_GIVEN(k, jn_tyre_keys, reaction) ? body_or_ground(s, k->reaction, w->body) : w->carrier;
  }
  w->axis = v3_unit(v3_load(axis));
  w->at = v3_sub(v3_load(at), s->body[w->body].anchor);
  w->x = at[0], w->y = at[1];
  if (w->spin < 0) w->inertia = v3_dot(w->axis, s3_mul_v3(s->body[w->body].inertia, w->axis));
  w->drive = find_input(s, f, 0);
  w->brake = find_input(s, f, 1);
  w->steer = find_input(s, f, 2);
  for (int i = 0; i < spec->ninitial; i++)
    if (spec->initial[i].wheel >= 0 && &spec->force[spec->initial[i].wheel] == f)
      w->start = spec->initial[i].as.wheel.speed;
  return mount_tyre(b, f, &m, w, err);
}

// An axis that points to the other side than those of other wheels: the wheel would roll backwards.
void jn_build_check_wheels(jn_system *s)
{
  int left = 0, right = 0;
  for (int i = 0; i < s->nwheel; i++)
    left += s->wheel[i].axis.y > 0.0, right += s->wheel[i].axis.y < 0.0;
  const double odd = left >= right ? -1.0 : 1.0;
  for (int i = 0; i < s->nwheel && left && right; i++)
    if (s->wheel[i].axis.y * odd > 0.0)
      jn_build_note(s,
                    "wheel \"%s\": its axis points to the other side than those of other wheels, "
                    "so that it rolls the other "
                    "way; axes of all wheels point to the vehicle's left",
                    s->wheel[i].name);
}

// Declared states, behind the actuators' lags.
void jn_build_wheel_states(jn_system *s)
{
  for (int i = 0; i < s->nwheel; i++) {
    jn_wheel *w = &s->wheel[i];
    w->slip = s->nx;
    s->nx += w->tyre.nslip;
    if (w->comply >= 0) w->comply = s->nx, s->nx += 2;
    if (w->brake >= 0) w->hold = s->nx++;
  }
}
