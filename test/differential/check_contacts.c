// check_contacts.c: contacts by the formulas of the manual: what the road does to points of a body (elements/contact_points.h says which).
// Roads by their formulas, too, but for plug-ins, which are asked.
#include "elements/contact_points.h"
#include "laws.h"

static const double EPS = LAWS_EPS, CREEP = 0.2;

typedef struct ground {  // what is under a point
  double z, slope[2], bend, rate, friction, steep;
} ground;

// Height over the distance from where a bump begins (docs/format.md), its slope, and how fast that changes, at most.
static ground bump(const jn_road *road, double along)
{
  const double *p = road->p, height = p[ROAD_HEIGHT], length = p[ROAD_LENGTH];
  ground g = {0};
  if (along < 0.0 || along > length) return g;
  if (road_shape(road->form) == JN_ROAD_HALF_SINE) {
    const double k = M_PI / length;
    g.z = height * sin(k * along), g.slope[0] = height * k * cos(k * along);
    g.bend = fabs(height) * k * k;
    return g;
  }
  const bool falls = length - along < along;
  const double k = M_PI / p[ROAD_EDGE], in = falls ? length - along : along;
  g.z = height, g.bend = fabs(height) * k * k;
  if (in >= p[ROAD_EDGE]) return g;
  g.z = 0.5 * height * (1.0 - cos(k * in));
  g.slope[0] = (falls ? -0.5 : 0.5) * height * k * sin(k * in);
  return g;
}

// What a plug-in answers.
static road_hit hit_at(const laws *k, const jn_road *road, v3 at, double further)
{
  const road_query q = {
      .x = at.x + further, .y = at.y, .z = at.z, .time = k->d->t_in, .object = k->s->road_object};
  return road_at(road->form, road->p, &q);
}

static ground plugin_at(const laws *k, const jn_road *road, v3 at)
{
  const double by = 0x1p-20;
  const road_hit here = hit_at(k, road, at, 0.0), before = hit_at(k, road, at, -by),
                 behind = hit_at(k, road, at, by);
  const double bend =
      fmax(fabs(here.slope_x - before.slope_x), fabs(here.slope_x - behind.slope_x));
  return (ground){.z = here.z,
                  .slope = {here.slope_x, here.slope_y},
                  .bend = bend / by,
                  .rate = here.rate,
                  .friction = here.friction};
}

// post: x of the point in the design position.
static ground ground_at(const laws *k, const jn_road *road, double post, v3 at)
{
  if (road_shape(road->form) == JN_ROAD_CALLS) return plugin_at(k, road, at);
  const double *p = road->p, speed = p[ROAD_SPEED];
  const bool moves = road->form & ROAD_MOVES;
  const double x = moves ? post + speed * k->d->t_in : at.x;
  ground g = {0};
  if (road_shape(road->form) == JN_ROAD_FLAT) {
    g.slope[0] = p[ROAD_GRADE], g.slope[1] = p[ROAD_BANK];
    g.z = g.slope[0] * x + g.slope[1] * at.y;
  } else {
    g = bump(road, x - p[ROAD_AT]);
  }
  g.z += p[ROAD_LEVEL];
  // Who stands on a post feels no slope: it goes up and down.
  if (moves) g.rate = speed * g.slope[0], g.slope[0] = 0.0, g.bend *= fabs(speed);
  g.friction = laws_friction(road, x, at.y, &g.steep);
  return g;
}

typedef struct pushed {
  v3 force;
  double depth, off, depth_off;  // off: by rounding
} pushed;

// At the depth d, along the road's normal n: N n - mu N v / sqrt(v² + w²), N = k d max(0, 1 + c d'), v the velocity along the road,
// w = 0.2 m/s, or mu d / 20 ms where that is more.
static pushed pushed_at(const jn_contact_keys *t, const ground *g, const place *p)
{
  const v3 n = v3_unit(v3_set(-g->slope[0], -g->slope[1], 1.0));
  const double depth = fmax((g->z - p->p.z) * n.z, 0.0);
  const v3 over = v3_sub(p->v, v3_set(0.0, 0.0, g->rate));
  const double deeper = -v3_dot(over, n), held = fmax(1.0 + t->damping * deeper, 0.0);
  const double normal = t->stiffness * depth * held;
  // Friction is against the velocity over the plane of the road: that it goes up makes none.
  const v3 slides = v3_sub(p->v, v3_scale(v3_dot(p->v, n), n));
  const double mu = t->friction * g->friction, creep = fmax(CREEP, mu * depth / 0.02);
  const double size = hypot(v3_norm(slides), creep);
  pushed out = {.depth = depth,
                .force = v3_sub(v3_scale(normal, n), v3_scale(mu * normal / size, slides))};
  const double steep = 1.0 + fabs(g->slope[0]) + fabs(g->slope[1]), length = 64.0 * EPS * p->length;
  out.depth_off = length * (steep + g->bend * fabs(depth));
  const double speed_off = 64.0 * EPS * p->speed * (steep + g->bend * p->length);
  const double off = t->stiffness * (out.depth_off * (1.0 + t->damping * fabs(deeper)) +
                                     depth * t->damping * speed_off);
  out.off = (1.0 + mu) * (off + 64.0 * EPS * normal) +
            normal * (mu * speed_off / CREEP + length * (g->bend + t->friction * g->steep)) +
            normal * mu * out.depth_off / fmax(depth, out.depth_off);
  return out;
}

void laws_contact(laws *k, const jn_element *e, int node)
{
  const jn_contact_keys *t = &e->spec->as.contact;
  const jn_road *road = &k->s->binding.road[JN_COMMON_ROAD];
  const double *out = k->d->element + e->output;
  v3 sum = v3_set(0, 0, 0);
  double deepest = 0.0, off = 0.0, depth_off = 0.0;
  for (int i = 0; i < t->at.n; i++) {
    const v3 design = v3_load(t->at.v[i]);
    const place p = laws_place(k, node, design);
    const ground g = ground_at(k, road, design.x, p.p);
    const pushed q = pushed_at(t, &g, &p);
    laws_push(k, node, p.p, q.force, q.off);
    sum = v3_add(sum, q.force);
    off += q.off, depth_off = fmax(depth_off, q.depth_off), deepest = fmax(deepest, q.depth);
  }
  static const char *const name[] = {"fx", "fy", "fz"};
  const double own[] = {sum.x, sum.y, sum.z};
  for (int i = 0; i < 3; i++) laws_judge(k, e->name, name[i], own[i], out[i], 4.0 * off + 1e-300);
  laws_judge(k, e->name, "depth", deepest, out[3], depth_off);
  k->pushes |= v3_norm(sum) > 0.0;
}
