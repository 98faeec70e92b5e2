// build_roads.c: roads of a scenario as parameters of their kernels, and which wheel stands on which.
#include <math.h>
#include <string.h>

#include "base/invariant.h"
#include "plan/build.h"
#include "spec/names.h"
#include "spec/scenario_internal.h"

// Numbers of a kernel: the kind's own keys, which follow those that all surfaces have.
static void put_numbers(jn_road *r, int shape, int first, const jn_road_spec *k)
{
  const jn_object *o = &jn_road_kind_at(k->kind)->object;
  r->form = shape;
  for (int i = 0; i < o->n; i++) {
    const jn_field *f = &o->field[i];
    if (f->type != JN_T_NUMBER || f->offset < sizeof(jn_road_surface_spec)) continue;
    const double x = *(const double *)((const char *)&k->as + f->offset);
    const bool moves = !strcmp(f->key, "moving");
    JN_ASSERT(moves || first < ROAD_SPEED);
    r->p[moves ? ROAD_SPEED : first++] = x;
    if (moves && x != 0.0) r->form |= ROAD_MOVES;
  }
}

static void put_patches(jn_road *r, const jn_patches *list)
{
  r->form |= list->n << ROAD_PATCH_SHIFT;
  for (int i = 0; i < list->n; i++) {
    const jn_patch_keys *k = &list->patch[i];
    double *p = r->p + ROAD_FIELDS + PATCH_FIELDS * i;
    const bool x = JN_GIVEN(k, jn_patch_keys, x), y = JN_GIVEN(k, jn_patch_keys, y);
    p[PATCH_X0] = x ? k->x[0] : -INFINITY, p[PATCH_X1] = x ? k->x[1] : INFINITY;
    p[PATCH_Y0] = y ? k->y[0] : -INFINITY, p[PATCH_Y1] = y ? k->y[1] : INFINITY;
    p[PATCH_FRICTION] = k->friction;
    p[PATCH_STEEP] = k->edge > 0.0 ? 1.0 / k->edge : PATCH_SHARP;
  }
}

static void put_road(jn_system *s, int i, const jn_road_spec *k)
{
  jn_road *r = &s->binding.road[i];
  *r = (jn_road){.name = k->name};
  switch (k->kind) {
#define X(name, word, first)                    \
  case JN_ROAD_KIND_##name:                     \
    put_numbers(r, JN_ROAD_##name, (first), k); \
    break;
    ROAD_SHAPES(X)
#undef X
    default:  // a plug-in
      s->road_object[i].name = k->name;
      r->form = JN_ROAD_CALLS;
      r->p[ROAD_OBJECT] = r_real(i);
      r->highest = INFINITY;
      return;
  }
  const jn_road_surface_spec *surface = &k->as.surface;
  r->p[ROAD_FRICTION] = JN_GIVEN(surface, jn_road_surface_spec, friction) ? surface->friction : 1.0;
  put_patches(r, &surface->patches);
  if (r->form == JN_ROAD_FLAT && r->p[ROAD_FRICTION] == 1.0 && r->p[ROAD_LEVEL] == 0.0 &&
      r->p[ROAD_GRADE] == 0.0 && r->p[ROAD_BANK] == 0.0)
    r->form |= ROAD_PLAIN;
  r->highest = road_highest(r);
}

static jn_status place_wheels(jn_system *s, const jn_road_spec *k, int road, jn_error *err)
{
  const jn_texts *list = &k->as.any.wheels;
  for (int i = 0; i < list->n; i++) {
    jn_nearest near = jn_nearest_to(list->text[i]);
    const int w = JN_FIND(&near, s->wheel, s->nwheel);
    if (w < 0)
      return jn_fail(err, JN_E_SCHEMA, k->pos, NULL, "roads.%s: the model has no wheel \"%s\"%s",
                     k->name, list->text[i], jn_hint(&near).text);
    if (s->wheel[w].road != JN_COMMON_ROAD)
      return jn_fail(err, JN_E_SCHEMA, k->pos, NULL,
                     "roads.%s: the wheel \"%s\" stands on the road \"%s\" already", k->name,
                     s->wheel[w].name, s->binding.road[s->wheel[w].road].name);
    s->wheel[w].road = road;
  }
  return JN_OK;
}

// The caller's own, in place of the scenario's.
static void put_caller(jn_system *s)
{
  road_object *object = &s->road_object[JN_COMMON_ROAD];
  object->name = "road", object->table = s->binding.opts.road,
  object->self = s->binding.opts.road_self;
  s->binding.road[JN_COMMON_ROAD] =
      (jn_road){.name = "road", .form = JN_ROAD_CALLS, .highest = INFINITY};
  s->binding.road[JN_COMMON_ROAD].p[ROAD_OBJECT] = r_real(JN_COMMON_ROAD);
}

jn_status jn_build_roads(jn_system *s, jn_error *err)
{
  static const jn_road_spec plane = {.name = "road"};
  const jn_scenario *k = s->binding.scenario;
  s->binding.nroad = 2 + (k ? k->nroad : 0);
  s->binding.road = jn_build_array(s, s->binding.nroad, sizeof *s->binding.road);
  s->road_object = jn_build_array(s, s->binding.nroad, sizeof *s->road_object);
  if (!s->binding.road || !s->road_object) return jn_build_no_memory(s, err);
  put_road(s, JN_DESIGN_ROAD, &plane);
  put_road(s, JN_COMMON_ROAD, k ? &k->road : &plane);
  s->binding.road[JN_COMMON_ROAD].name = "road";
  if (s->binding.opts.road) put_caller(s);
  for (int i = 0; i < s->nwheel; i++) s->wheel[i].road = JN_COMMON_ROAD;
  jn_status st = JN_OK;
  const bool wheels = !s->binding.opts.without_tyres;
  for (int i = 0; k && i < k->nroad && !st; i++) {
    const int road = JN_COMMON_ROAD + 1 + i;
    put_road(s, road, &k->own_road[i]);
    if (wheels) st = place_wheels(s, &k->own_road[i], road, err);
  }
  return st;
}

// Instants at which the slope of a moving road, or its derivative, jumps under a wheel.
int jn_build_road_breakpoints(const jn_system *s, double *at)
{
  int n = 0;
  for (int i = 0; i < s->nwheel; i++) {
    const jn_road *r = &s->binding.road[s->wheel[i].road];
    double place[ROAD_BENDS];
    const int most = r->form & ROAD_MOVES ? road_bends(r, place) : 0;
    for (int k = 0; k < most; k++) {
      const double t = (place[k] - s->wheel[i].x) / r->p[ROAD_SPEED];
      if (!(t > 0.0) || !isfinite(t)) continue;
      if (at) at[n] = t;
      n++;
    }
  }
  return n;
}
