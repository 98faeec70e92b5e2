// law.c: a tyre as a plug-in whose forces can be worked out in the head: linear in slip up to a friction circle, with a side
// force of its own at no slip, as of a tyre that is not the same on its two sides. Its outputs are what it is given.
#include <jounce/plugin.h>
#include <math.h>
#include <stdlib.h>

typedef struct law {
  double stiffness[2], friction, relaxation[2], pull, trail, resistance, radius, load;
} law;

static int init(const jn_plugin_setup *s, void **self)
{
  law *k = malloc(sizeof *k);
  if (!k) return 1;
  *k = (law){{jn_plugin_number(s, "stiffness_x", 6e4), jn_plugin_number(s, "stiffness_y", 5e4)},
             jn_plugin_number(s, "friction", 0.9),
             {jn_plugin_number(s, "relaxation_x", 0.2), jn_plugin_number(s, "relaxation_y", 0.4)},
             jn_plugin_number(s, "pull", 0.0),
             jn_plugin_number(s, "trail", 0.0),
             jn_plugin_number(s, "resistance", 0.0),
             s->radius,
             s->load};
  *self = k;
  return 0;
}

static void limits(const void *self, double load, double camber, jn_tyre_plugin_limits *r)
{
  const law *k = self;
  (void)load, (void)camber;
  for (int i = 0; i < 2; i++) {
    r->stiffness[i] = k->stiffness[i];
    r->friction[i] = k->friction;
    r->relaxation[i] = k->relaxation[i];
  }
}

static void forces(const void *self, const jn_tyre_plugin_slip *s, jn_tyre_plugin_forces *f,
                   double *out)
{
  const law *k = self;
  const double x = k->stiffness[0] * s->kappa,
               y = k->pull * s->load - k->stiffness[1] * s->tan_alpha;
  const double within = fmin(1.0, k->friction * s->load / fmax(hypot(x, y), 1e-300));
  f->fx = within * x;
  f->fy = within * y;
  f->mx = -0.01 * f->fy;
  f->my = -k->resistance * k->radius * s->load * s->rolling;
  f->mz = -k->trail * s->forward * f->fy;
  const double given[] = {s->load,    s->camber,  s->kappa,  s->tan_alpha, s->speed,
                          s->forward, s->rolling, k->radius, k->load};
  memcpy(out, given, sizeof given);
}

static const char *const parameters[] = {"stiffness_x",  "stiffness_y",  "friction",
                                         "relaxation_x", "relaxation_y", "pull",
                                         "trail",        "resistance",   NULL};
static const jn_plugin_output outputs[] = {
    {"load", "N", "given"},      {"camber", "rad", "given"}, {"kappa", "1", "given"},
    {"tan_alpha", "1", "given"}, {"speed", "m/s", "given"},  {"forward", "1", "given"},
    {"rolling", "1", "given"},   {"radius", "m", "set up"},  {"nominal", "N", "set up"}};

const jn_tyre_plugin_table jounce_tyre_plugin = {
    JN_PLUGIN_VERSION, parameters, 9, outputs, init, limits, forces, free};
