// spring.c: what `tsda` is, as a plug-in: tension k (|d| - l) + c |d|'.
#include <jounce/plugin.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct spring {
  double stiffness, damping, free_length;
} spring;

static int init(const jn_plugin_setup *s, void **self)
{
  double square = 0.0;
  for (int i = 0; i < 3; i++) square += pow(s->position[1][i] - s->position[0][i], 2.0);
  spring *k = malloc(sizeof *k);
  if (!k) return 1;
  *k = (spring){jn_plugin_number(s, "stiffness", 0.0), jn_plugin_number(s, "damping", 0.0),
                jn_plugin_number(s, "free_length", sqrt(square))};
  *self = k;
  return 0;
}

static void force(const void *self, const jn_plugin_motion *m, jn_plugin_wrench *w, double *out)
{
  const spring *k = self;
  double d[3], square = 0.0, rate = 0.0;
  for (int i = 0; i < 3; i++) {
    d[i] = m->position[1][i] - m->position[0][i];
    square += d[i] * d[i];
    rate += d[i] * (m->velocity[1][i] - m->velocity[0][i]);
  }
  const double length = sqrt(square);
  rate /= length;
  const double tension = k->stiffness * (length - k->free_length) + k->damping * rate;
  for (int i = 0; i < 3; i++) w->force[i] = -tension * d[i] / length;
  out[0] = length, out[1] = rate, out[2] = tension, out[3] = m->time;
}

static const char *const parameters[] = {"stiffness", "damping", "free_length", NULL};
static const jn_plugin_output outputs[] = {{"length", "m", "between the points"},
                                           {"rate", "m/s", "of the length"},
                                           {"tension", "N", "between the points"},
                                           {"clock", "s", "time it was given"}};

const jn_plugin_table jounce_plugin = {
    JN_PLUGIN_VERSION, parameters, 4, outputs, init, force, free};
