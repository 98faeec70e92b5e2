// build_wheels.c: wheels and tyres with their inputs and states, and the road.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/build.h"
#include "spec/scenario.h"

static const char *const roles[] = {"drive", "brake", "steer"};

static bool is_wheel(const jn_force_spec *f)
{
  return f->kind == JN_FORCE_WHEEL || f->kind == JN_FORCE_TYRE;
}

static int tyre_of(const jn_force_spec *f)
{
  return f->kind == JN_FORCE_WHEEL ? f->as.wheel.tyre : f->as.tyre.tyre;
}

// The joint that a wheel body spins in: about the tyre's axis. -1: there is none.
static int bearing_of(const jn_spec *spec, const jn_tyre_contact_spec *k)
{
  const v3 axis = v3_unit(v3_load(k->axis));
  for (int j = 0; j < spec->njoint; j++) {
    const jn_joint_keys *key = &spec->joint[j].keys;
    if (spec->joint[j].kind != JN_JOINT_REVOLUTE || jn_joint_driven(&spec->joint[j])) continue;
    if (key->bodies[0] != k->body && key->bodies[1] != k->body) continue;
    const v3 own = v3_unit(v3_load(key->axis.v[key->axis.n == 2 && key->bodies[1] == k->body]));
    if (v3_norm(v3_cross(own, axis)) < 1e-3) return j;
  }
  return -1;
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
  for (int i = 0; i < spec->nforce && !s->opts.without_tyres; i++) {
    const jn_force_spec *f = &spec->force[i];
    const jn_tyre_spec *t = is_wheel(f) ? &spec->tyre[tyre_of(f)] : NULL;
    if (t && t->kind >= JN_TYRE_FIALA)
      return jn_fail(err, JN_E_SCHEMA, f->pos, f->name, "no wheel runs on a %s tyre yet",
                     jn_tyre_kinds[t->kind].word);
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

// Parameters of a kernel are the tyre's keys in their order.
static void set_tyre(jn_wheel *w, const jn_tyre_spec *t)
{
  static const int nslip[JN_NTYRE_KIND] = {[JN_TYRE_MF_SIMPLE] = 1, [JN_TYRE_BRUSH] = 2};
  const jn_object *object = &jn_tyre_kinds[t->kind].object;
  w->kind = t->kind;
  w->nslip = nslip[t->kind];
  for (int i = 0; i < object->n; i++) {
    const void *place = (const char *)&t->as + object->field[i].offset;
    w->tyre[i] =
        object->field[i].type == JN_T_CHOICE ? *(const int *)place : *(const double *)place;
  }
}

static int body_or_ground(const jn_system *s, int body, int beside)
{
  const int i = jn_build_index(s, body);
  return i >= 0 ? i : s->body[beside].frame;
}

void jn_build_wheel(jn_system *s, const jn_force_spec *f)
{
  const jn_spec *spec = s->model->spec;
  jn_wheel *w = &s->wheel[s->nwheel++];
  *w = (jn_wheel){
      .name = f->name, .spin = -1, .hold = -1, .carrier = -1, .reaction = -1, .bearing = -1};
  const double *at, *axis;
  if (f->kind == JN_FORCE_WHEEL) {
    const jn_wheel_spec *k = &f->as.wheel;
    w->body = w->carrier = jn_build_index(s, k->body);
    w->reaction =
        JN_GIVEN(k, jn_wheel_spec, reaction) ? body_or_ground(s, k->reaction, w->body) : w->carrier;
    w->inertia = k->inertia;
    w->gyroscopic = k->gyroscopic;
    w->spin = s->nx++;
    at = k->at, axis = k->axis;
    set_tyre(w, &spec->tyre[k->tyre]);
  } else {
    const jn_tyre_contact_spec *k = &f->as.tyre;
    w->body = jn_build_index(s, k->body);
    at = k->at, axis = k->axis;
    set_tyre(w, &spec->tyre[k->tyre]);
    w->bearing = bearing_of(spec, k);
    if (w->bearing >= 0) {
      const int *pair = spec->joint[w->bearing].keys.bodies;
      w->carrier = body_or_ground(s, pair[pair[0] == k->body], w->body);
    }
    w->reaction = JN_GIVEN(k, jn_tyre_contact_spec, reaction)
                      ? body_or_ground(s, k->reaction, w->body)
                      : w->carrier;
  }
  w->axis = v3_unit(v3_load(axis));
  w->at = v3_sub(v3_load(at), s->body[w->body].anchor);
  w->x = at[0];
  if (w->spin < 0) w->inertia = v3_dot(w->axis, s3_mul_v3(s->body[w->body].inertia, w->axis));
  w->drive = find_input(s, f, 0);
  w->brake = find_input(s, f, 1);
  w->steer = find_input(s, f, 2);
  for (int i = 0; i < spec->ninitial; i++)
    if (spec->initial[i].wheel >= 0 && &spec->force[spec->initial[i].wheel] == f)
      w->start = spec->initial[i].as.wheel.speed;
}

// Declared states, behind the actuators' lags.
void jn_build_wheel_states(jn_system *s)
{
  for (int i = 0; i < s->nwheel; i++) {
    jn_wheel *w = &s->wheel[i];
    w->slip = s->nx;
    s->nx += w->nslip;
    if (w->brake >= 0) w->hold = s->nx++;
  }
}

// ---- road -----------------------------------------------------------------------------------------

void jn_build_road(jn_system *s)
{
  if (!s->scenario) return;
  const jn_road_spec *k = &s->scenario->road;
  jn_road *r = &s->road;
  switch (k->kind) {
    case JN_ROAD_KIND_HALF_SINE:
      *r = (jn_road){.shape = JN_ROAD_HALF_SINE,
                     .at = k->as.half_sine.at,
                     .length = k->as.half_sine.length,
                     .height = k->as.half_sine.height,
                     .moving = k->as.half_sine.moving};
      break;
    case JN_ROAD_KIND_PLATEAU:
      *r = (jn_road){.shape = JN_ROAD_PLATEAU,
                     .at = k->as.plateau.at,
                     .length = k->as.plateau.length,
                     .height = k->as.plateau.height,
                     .edge = k->as.plateau.edge,
                     .moving = k->as.plateau.moving};
      break;
    default:
      *r = (jn_road){.shape = JN_ROAD_FLAT,
                     .level = k->as.flat.height,
                     .grade = k->as.flat.grade,
                     .bank = k->as.flat.bank};
  }
}

// Instants at which the slope of a moving road, or its derivative, jumps under a wheel.
int jn_build_road_kinks(const jn_system *s, double *at)
{
  const jn_road *r = &s->road;
  const double place[] = {r->at, r->at + r->length, r->at + r->edge, r->at + r->length - r->edge};
  const int most = r->shape == JN_ROAD_PLATEAU ? 4 : 2;
  int n = 0;
  for (int i = 0; i < s->nwheel && r->moving != 0.0; i++)
    for (int k = 0; k < most; k++) {
      const double t = (place[k] - s->wheel[i].x) / r->moving;
      if (!(t > 0.0) || !isfinite(t)) continue;
      if (at) at[n] = t;
      n++;
    }
  return n;
}
