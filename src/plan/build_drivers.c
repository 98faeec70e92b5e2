// build_drivers.c: drivers of the scenario: whom they watch, what they drive, and how hard.
#include <stdio.h>
#include <string.h>

#include "plan/build.h"
#include "spec/names.h"
#include "spec/scenario_internal.h"

static const double TIME_CONSTANT =
    1.0;  // of an error of the speed, unless the file says otherwise [s]
static const double HARDEST =
    3.0;  // what a driven wheel gives its part of the mass, likewise [m/s²]

static jn_status refuse(const jn_driver_spec *k, jn_error *err, const char *what, const char *name,
                        const char *hint)
{
  char path[96];
  snprintf(path, sizeof path, "drivers.%s", k->name);
  return jn_fail(err, JN_E_SCHEMA, k->pos, path, "%s \"%s\"%s", what, name, hint);
}

const char *jn_build_driver_channel(jn_system *s, const char *driver, const char *what)
{
  char name[JN_CHANNEL_MAX];
  snprintf(name, sizeof name, "driver.%s.%s", driver, what);
  return jn_pool_text(&s->pool, name);
}

static jn_status find_body(jn_system *s, const jn_driver_spec *k, jn_driver *d, jn_error *err)
{
  const jn_spec *spec = s->model->spec;
  jn_nearest near = jn_nearest_to(k->as.speed.body);
  char hint[176];
  for (int i = 0; i < spec->nbody; i++) {
    if (!strcmp(spec->body[i].name, k->as.speed.body)) {
      d->body = jn_build_index(s, i);
      return JN_OK;
    }
    jn_nearest_try(&near, spec->body[i].name);
  }
  return refuse(k, err, "the model has no body", k->as.speed.body,
                jn_nearest_or_known(&near, hint, sizeof hint));
}

static jn_status find_wheel(const jn_system *s, const jn_driver_spec *k, const char *name, int *out,
                            jn_error *err)
{
  jn_nearest near = jn_nearest_to(name);
  char hint[176];
  for (*out = 0; *out < s->nwheel; ++*out) {
    if (!strcmp(s->wheel[*out].name, name)) return JN_OK;
    jn_nearest_try(&near, s->wheel[*out].name);
  }
  return refuse(k, err, "the model has no wheel", name,
                jn_nearest_or_known(&near, hint, sizeof hint));
}

// A wheel has one source of its torque.
static jn_status take_wheel(jn_system *s, const jn_driver_spec *k, jn_driver *d, int wheel,
                            jn_error *err)
{
  const jn_wheel *w = &s->wheel[wheel];
  if (w->drive < 0)
    return refuse(k, err, "there is no bearing in which to drive the wheel", w->name, "");
  if (s->input[w->drive].signal >= 0)
    return refuse(k, err, "the torque is given in `inputs` already, of the wheel", w->name, "");
  for (int i = 0; i <= s->ndriver; i++)
    for (int j = 0; j < s->driver[i].nwheel; j++)
      if (s->driver[i].wheel[j] == wheel)
        return refuse(k, err,
                      i == s->ndriver ? "drives twice the wheel" : "another driver has the wheel",
                      w->name, "");
  d->wheel[d->nwheel++] = wheel;
  return JN_OK;
}

// Mass of all that is jointed to the body, and how many wheels it stands on; they count for what their spin takes too.
static double moved_mass(const jn_system *s, const jn_driver *d, int *wheels)
{
  double sum = 0.0;
  *wheels = 0;
  for (int i = s->nframe; i < s->nbody; i++)
    if (s->body[i].frame == s->body[d->body].frame) sum += s->body[i].mass;
  for (int i = 0; i < s->nwheel; i++)
    if (s->body[s->wheel[i].body].frame == s->body[d->body].frame) {
      sum += s->wheel[i].inertia / (s->wheel[i].tyre.p[0] * s->wheel[i].tyre.p[0]);
      ++*wheels;
    }
  return sum;
}

static jn_status set_law(const jn_system *s, const jn_driver_spec *k, jn_driver *d, jn_error *err)
{
  const jn_driver_speed_spec *own = &k->as.speed;
  double radius = 0.0;
  for (int i = 0; i < d->nwheel; i++) radius += s->wheel[d->wheel[i]].tyre.p[0] / d->nwheel;
  int wheels;
  const double mass = moved_mass(s, d, &wheels);
  speed_law *law = &d->law;
  law->gain = JN_GIVEN(own, jn_driver_speed_spec, gain) ? own->gain : mass * radius / TIME_CONSTANT;
  law->integral_time = JN_GIVEN(own, jn_driver_speed_spec, integral_time)
                           ? own->integral_time
                           : speed_critical_time(mass, radius, law->gain);
  law->most = JN_GIVEN(own, jn_driver_speed_spec, most)
                  ? own->most
                  : HARDEST * mass * radius * d->nwheel / wheels;
  law->least = JN_GIVEN(own, jn_driver_speed_spec, least) ? own->least : -law->most;
  if (law->least < law->most) return JN_OK;
  char path[96];
  snprintf(path, sizeof path, "drivers.%s", k->name);
  return jn_fail(
      err, JN_E_RANGE, k->pos, path,
      "the torque is at least %.9g N m and at most %.9g N m; the least must be below the most",
      law->least, law->most);
}

static jn_status build_driver(jn_system *s, const jn_driver_spec *k, jn_error *err)
{
  static const char *const own[] = {"measured", "torque", "integral"};
  jn_driver *d = &s->driver[s->ndriver];
  const jn_texts *wheels = &k->as.speed.wheels;
  *d = (jn_driver){.name = k->name, .wheel = jn_build_array(s, wheels->n, sizeof *d->wheel)};
  if (!d->wheel) return jn_build_no_memory(s, err);
  for (int i = 0; i < 3; i++) {
    const char *channel = jn_build_driver_channel(s, k->name, own[i]);
    if (!channel) return jn_build_no_memory(s, err);
    if (jn_build_input(s, channel) >= 0)
      return refuse(k, err, "the model has an input channel of the driver's own name", channel, "");
  }
  const char *target = jn_build_driver_channel(s, k->name, "speed");
  if (!target) return jn_build_no_memory(s, err);
  d->target = jn_build_input(s, target);
  jn_status st = find_body(s, k, d, err);
  for (int i = 0; i < wheels->n && !st; i++) {
    int wheel;
    st = find_wheel(s, k, wheels->text[i], &wheel, err);
    if (!st) st = take_wheel(s, k, d, wheel, err);
  }
  if (!st) st = set_law(s, k, d, err);
  d->state = s->nx++;
  s->ndriver++;
  return st;
}

jn_status jn_build_drivers(jn_system *s, jn_error *err)
{
  const jn_scenario *c = s->scenario;
  if (!c || s->opts.without_tyres) return JN_OK;
  s->driver = jn_build_array(s, c->ndriver, sizeof *s->driver);
  if (!s->driver) return jn_build_no_memory(s, err);
  jn_status st = JN_OK;
  for (int i = 0; i < c->ndriver && !st; i++) st = build_driver(s, &c->driver[i], err);
  return st;
}
