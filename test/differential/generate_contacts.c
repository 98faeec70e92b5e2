// generate_contacts.c: points of bodies that the road pushes back: some of them below it, some near it, some far above.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "differential/generate.h"

static bool is_large(const drawing *d, int body)  // a chassis, a trailer
{
  return body == d->chassis || !strncmp(d->v->body[body].name, "trailer", 7);
}

// Often that of the contact before, so that several push one body; wheel bodies seldom.
static int draw_body(drawing *d, int before)
{
  if (before >= 0 && chance(d, 0.45)) return before;
  if (chance(d, 0.45)) return d->chassis;
  for (;;) {
    const int b = choose(d, d->v->nbody);
    if (!is_wheel_body(d->v, b) || chance(d, 0.2)) return b;
  }
}

typedef enum height { LOW, NEAR, HIGH } height;

// Below the body, wherever that is; below a large one also where a bump is.
static void draw_point(drawing *d, int body, height h, double out[3])
{
  static const double from[] = {-0.02, 0.0, 0.05}, to[] = {0.005, 0.03, 0.5};
  const vehicle_road *r = &d->v->road;
  const double *cg = d->v->body[body].cg, length = d->length;
  const double wide = is_large(d, body) ? 1.0 : 0.25;
  const bool bumps = r->kind > VEHICLE_ROAD_FLAT && is_large(d, body) && chance(d, 0.5);
  out[0] = rounded(bumps ? r->at + 0.6 * r->length * size_in(d, 0, 1)
                         : cg[0] + wide * length * size_in(d, -1, 1),
                   4);
  out[1] = rounded(cg[1] + 0.6 * wide * length * size_in(d, -1, 1), 4);
  out[2] = rounded(length * size_in(d, from[h], to[h]), 4);
}

// What a body weighs at a point so far from its centre of gravity, at least: a push there turns it as well.
static double mass_at(const vehicle_body *b, double arm)
{
  const double inertia = fmin(b->inertia[0], fmin(b->inertia[1], b->inertia[2]));
  return b->mass / (1.0 + b->mass * arm * arm / inertia);
}

// So stiff that the body alone would bounce at some hertz: steps follow that.
static int draw_contact(drawing *d, int number, int before)
{
  vehicle *v = d->v;
  char name[24];
  snprintf(name, sizeof name, "touch%d", number);
  const int body = draw_body(d, before), i = add_force(d, name, VEHICLE_FORCE_CONTACT, body, body);
  const height where = (height)CHOOSE(d, LOW, LOW, LOW, NEAR, NEAR, HIGH);
  vehicle_force *f = &v->force[i];
  double arm = 0.0;
  f->nplace = chance(d, 0.3) ? 1 : 1 + choose(d, VEHICLE_PLACES);
  for (int k = 0; k < f->nplace; k++) {
    draw_point(d, body, chance(d, 0.7) ? where : HIGH, f->point[k]);
    arm = fmax(arm, distance_of(f->point[k], v->body[body].cg));
  }
  const double w = 2.0 * 3.14159265358979 * size_in(d, 2, 8);
  f->stiffness = rounded(mass_at(&v->body[body], arm) * w * w / f->nplace, 4);
  f->damping = chance(d, 0.3) ? 0.5 : chance(d, 0.2) ? 0.0 : rounded(size_in(d, 0.1, 2), 2);
  f->friction = chance(d, 0.3) ? 0.5 : chance(d, 0.2) ? 0.0 : rounded(size_in(d, 0.1, 1.2), 2);
  return body;
}

#ifdef JT_ROAD_PLUGIN
// The same bump by a plug-in, which has a friction of its own there.
static void draw_plugin(drawing *d)
{
  vehicle_road *r = &d->v->road;
  if (r->kind != VEHICLE_ROAD_HALF_SINE || r->moving != 0.0 || !chance(d, 0.4)) return;
  r->kind = VEHICLE_ROAD_PLUGIN;
  r->npatch = 0;
  r->friction = chance(d, 0.6) ? rounded(size_in(d, 0.4, 1.1), 2) : 0.0;
}
#endif

void draw_contacts(drawing *d, uint64_t seed)
{
  begin_stream(d, seed ^ 0x8cb92ba72f3d8dd7u, seed ^ 0xa0761d6478bd642fu);
  if (!chance(d, 0.3)) return;
  d->place = (vehicle_place){0};
  d->suffix[0] = 0;
  d->side = 1.0;
  const int n = CHOOSE(d, 1, 1, 2, 2, 3, 5);
  int body = VEHICLE_NONE;
#ifdef JT_ROAD_PLUGIN
  draw_plugin(d);
#endif
  for (int i = 0; i < n && d->v->nforce < VEHICLE_FORCES - 1; i++)
    body = draw_contact(d, i + 1, body);
}
