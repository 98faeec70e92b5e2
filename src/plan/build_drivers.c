// build_drivers.c: drivers of the scenario: components of the kind `speed`, with parameters that fit the vehicle.
#include <stdio.h>
#include <string.h>

#include "base/union_find.h"
#include "components/component_kinds.h"
#include "plan/build.h"
#include "spec/names.h"
#include "spec/scenario_internal.h"

static const double TIME_CONSTANT =
    1.0;  // of an error of the speed, unless the file says otherwise [s]
static const double HARDEST =
    3.0;  // what a driven wheel gives its part of the mass, likewise [m/s²]

typedef struct driver {  // as it is built
  int component;
  int body;
  int nwheel, *wheel;
  int *group;  // scratch (nodes)
} driver;

static jn_status refuse(const jn_driver_spec *k, jn_error *err, const char *what, const char *name,
                        const char *hint)
{
  return jn_fail(err, JN_E_SCHEMA, k->pos, jn_entry("drivers", k->name).text, "%s \"%s\"%s", what,
                 name, hint);
}

static jn_status find_body(jn_system *s, const jn_driver_spec *k, driver *d, jn_error *err)
{
  const jn_spec *spec = s->model->spec;
  jn_nearest near = jn_nearest_to(k->as.speed.body);
  const int i = JN_FIND(&near, spec->body, spec->nbody);
  if (i < 0) return refuse(k, err, "the model has no body", k->as.speed.body, jn_hint(&near).text);
  d->body = jn_build_index(s, i);
  return JN_OK;
}

static jn_status find_wheel(const jn_system *s, const jn_driver_spec *k, const char *name, int *out,
                            jn_error *err)
{
  jn_nearest near = jn_nearest_to(name);
  *out = JN_FIND(&near, s->wheel, s->nwheel);
  return *out >= 0 ? JN_OK : refuse(k, err, "the model has no wheel", name, jn_hint(&near).text);
}

// A wheel has one source of its torque.
static jn_status take_wheel(jn_system *s, const jn_driver_spec *k, driver *d, int wheel,
                            jn_error *err)
{
  const jn_wheel *w = &s->wheel[wheel];
  if (w->drive < 0)
    return refuse(k, err, "there is no bearing in which to drive the wheel", w->name, "");
  if (s->input[w->drive].signal >= 0)
    return refuse(k, err, "the torque is given in `inputs` already, of the wheel", w->name, "");
  const int other = s->input[w->drive].driven;
  if (other >= 0)
    return refuse(k, err,
                  other == d->component      ? "drives twice the wheel"
                  : s->component[other].spec ? "a component has the wheel"
                                             : "another driver has the wheel",
                  w->name, "");
  d->wheel[d->nwheel++] = wheel;
  return jn_build_drives(s, d->component, 0, w->drive, k->pos, err);
}

// What moves along with a body: group[node] is the same for all that joints hold together, and that force elements hold to it; but
// not what stands on the ground, and whatever the tree is.
static void find_groups(const jn_spec *spec, int *group)
{
  for (int i = 0; i <= spec->nbody; i++) group[i] = i;
  for (int i = 0; i < spec->njoint; i++) {
    const int *body = spec->joint[i].keys.bodies;
    const int a = jn_group_find(group, body[0] + 1), b = jn_group_find(group, body[1] + 1);
    if (spec->joint[i].kind == JN_JOINT_FREE && (body[0] == JN_GROUND || body[1] == JN_GROUND))
      continue;
    group[a > b ? a : b] = a > b ? b : a;  // the ground stands for its own
  }
  for (int i = 0; i < spec->nforce; i++) {
    int body[2];
    if (!jn_force_binds(&spec->force[i]) || jn_force_bodies(spec, &spec->force[i], body) != 2)
      continue;
    const int a = jn_group_find(group, body[0] + 1), b = jn_group_find(group, body[1] + 1);
    if (a > 0 && b > 0) group[a] = b;
  }
}

// Mass of all that moves along with the body, and how many wheels it stands on; they count for what their spin takes too.
static double moved_mass(const jn_system *s, const driver *d, int *wheels)
{
  double sum = 0.0;
  int *group = d->group;
  find_groups(s->model->spec, group);
  const int own = jn_group_find(group, s->body[d->body].node);
  *wheels = 0;
  for (int i = s->nframe; i < s->nbody; i++)
    if (jn_group_find(group, s->body[i].node) == own) sum += s->body[i].mass;
  for (int i = 0; i < s->nwheel; i++)
    if (jn_group_find(group, s->body[s->wheel[i].body].node) == own) {
      sum += s->wheel[i].inertia / (s->wheel[i].tyre.p[0] * s->wheel[i].tyre.p[0]);
      ++*wheels;
    }
  return sum;
}

static jn_status set_law(const jn_system *s, const jn_driver_spec *k, const driver *d,
                         jn_error *err)
{
  enum { GAIN, INTEGRAL_TIME, MOST, LEAST };  // of the component
  const jn_driver_speed_spec *own = &k->as.speed;
  double radius = 0.0;
  for (int i = 0; i < d->nwheel; i++) radius += s->wheel[d->wheel[i]].tyre.p[0] / d->nwheel;
  int wheels;
  const double mass = moved_mass(s, d, &wheels);
  double *law = s->component[d->component].value;
  law[GAIN] = JN_GIVEN(own, jn_driver_speed_spec, gain) ? own->gain : mass * radius / TIME_CONSTANT;
  law[INTEGRAL_TIME] = JN_GIVEN(own, jn_driver_speed_spec, integral_time)
                           ? own->integral_time
                           : jn_speed_critical_time(mass, radius, law[GAIN]);
  law[MOST] = JN_GIVEN(own, jn_driver_speed_spec, most)
                  ? own->most
                  : HARDEST * mass * radius * d->nwheel / wheels;
  law[LEAST] = JN_GIVEN(own, jn_driver_speed_spec, least) ? own->least : -law[MOST];
  if (law[LEAST] < law[MOST]) return JN_OK;
  return jn_fail(
      err, JN_E_RANGE, k->pos, jn_entry("drivers", k->name).text,
      "the torque is at least %.9g N m and at most %.9g N m; the least must be below the most",
      law[LEAST], law[MOST]);
}

static jn_status build_driver(jn_system *s, const jn_driver_spec *k, jn_error *err)
{
  const jn_texts *wheels = &k->as.speed.wheels;
  driver d = {.wheel = jn_build_array(s, wheels->n, sizeof *d.wheel),
              .group = jn_build_array(s, s->model->spec->nbody + 1, sizeof *d.group)};
  if (!d.wheel || !d.group) return jn_build_no_memory(s, err);
  char name[JN_CHANNEL_MAX];
  static const char *const own[] = {"measured", "torque", "integral"};
  for (int i = 0; i < 3; i++) {
    snprintf(name, sizeof name, "driver.%s.%s", k->name, own[i]);
    if (jn_build_input(s, name) >= 0)
      return refuse(k, err, "the model has an input channel of the driver's own name", name, "");
  }
  snprintf(name, sizeof name, "driver.%s", k->name);
  while (strcmp(s->component[d.component].name, name) != 0) d.component++;
  jn_status st = find_body(s, k, &d, err);
  for (int i = 0; i < wheels->n && !st; i++) {
    int wheel;
    st = find_wheel(s, k, wheels->text[i], &wheel, err);
    if (!st) st = take_wheel(s, k, &d, wheel, err);
  }
  return st ? st : set_law(s, k, &d, err);
}

jn_status jn_build_drivers(jn_system *s, jn_error *err)
{
  const jn_scenario *c = s->binding.scenario;
  jn_status st = JN_OK;
  for (int i = 0; c && !s->binding.opts.without_tyres && i < c->ndriver && !st; i++)
    st = build_driver(s, &c->driver[i], err);
  return st;
}
