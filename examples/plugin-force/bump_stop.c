// bump_stop.c: a rubber stop between two points that pushes them apart once they are nearer than its length.
//
//   x = length - |d|            how far it is squeezed, d from the first point to the second
//   F = k x + c x^3 + h k x x'  for x > 0, never pulling
//
// The last term is damping that grows with the squeeze, so that the force begins without a jump.
#include <jounce/plugin.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct bump_stop {
  double length;     // at which it begins to push  [m]
  double stiffness;  // k                           [N/m]
  double cubic;      // c                           [N/m^3]
  double loss;       // h                           [s/m]
} bump_stop;

static int init(const jn_plugin_setup *setup, void **self)
{
  const bump_stop b = {jn_plugin_number(setup, "length", 0.0),
                       jn_plugin_number(setup, "stiffness", 0.0),
                       jn_plugin_number(setup, "cubic", 0.0), jn_plugin_number(setup, "loss", 0.0)};
  if (!(b.length > 0.0) || !(b.stiffness > 0.0)) {
    snprintf(setup->reason, setup->reason_size, "length is %g m and stiffness %g N/m, %s", b.length,
             b.stiffness, "both must be above zero");
    return 1;
  }
  bump_stop *kept = malloc(sizeof *kept);
  if (!kept) return 1;
  *kept = b;
  *self = kept;
  return 0;
}

static void force(const void *self, const jn_plugin_motion *m, jn_plugin_wrench *wrench,
                  double *out)
{
  const bump_stop *b = self;
  double d[3], square = 0.0, along = 0.0;
  for (int i = 0; i < 3; i++) {
    d[i] = m->position[1][i] - m->position[0][i];
    square += d[i] * d[i];
    along += d[i] * (m->velocity[1][i] - m->velocity[0][i]);
  }
  const double distance = sqrt(square), rate = along / distance;
  const double x = fmax(b->length - distance, 0.0);
  const double f = fmax(b->stiffness * x * (1.0 - b->loss * rate) + b->cubic * x * x * x, 0.0);
  for (int i = 0; i < 3; i++) wrench->force[i] = f * d[i] / distance;
  out[0] = x;
  out[1] = f;
}

static const char *const parameters[] = {"length", "stiffness", "cubic", "loss", NULL};
static const jn_plugin_output outputs[] = {{"squeeze", "m", "how far the stop is compressed"},
                                           {"push", "N", "force between the points"}};

const jn_plugin_table jounce_plugin = {.version = JN_PLUGIN_VERSION,
                                       .parameter = parameters,
                                       .nout = 2,
                                       .output = outputs,
                                       .init = init,
                                       .force = force,
                                       .free = free};
