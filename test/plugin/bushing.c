// bushing.c: what `bushing` is, as a plug-in: six stiffnesses and six dampings along and about the
// axes of the first body, angles from the antisymmetric part of the relative rotation.
#include <jounce/plugin.h>
#include <stdlib.h>

// A list of twelve: stiffness, damping, the same of turning.
static int init(const jn_plugin_setup *s, void **self)
{
  if (s->n != 12 || strcmp(s->name[11], "12") != 0) return 1;
  *self = malloc(12 * sizeof(double));
  if (*self) memcpy(*self, s->value, 12 * sizeof(double));
  return !*self;
}

static double back(const double r[9], const double x[3], int i)  // R' x
{
  return r[i] * x[0] + r[3 + i] * x[1] + r[6 + i] * x[2];
}

static double there(const double r[9], const double x[3], int i)  // R x
{
  return r[3 * i] * x[0] + r[3 * i + 1] * x[1] + r[3 * i + 2] * x[2];
}

static void force(const void *self, const jn_plugin_motion *m, jn_plugin_wrench *w, double *out)
{
  const double *ra = m->rotation[0], *rb = m->rotation[1], *wa = m->angular_velocity[0];
  const double *k = self;
  double d[3], v[3], dw[3], t[9], f[3], mom[3];
  (void)out;
  for (int i = 0; i < 3; i++) {
    d[i] = m->position[1][i] - m->position[0][i];
    dw[i] = m->angular_velocity[1][i] - wa[i];
  }
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, l = (i + 2) % 3;
    v[i] = m->velocity[1][i] - m->velocity[0][i] - (wa[j] * d[l] - wa[l] * d[j]);
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      t[3 * i + j] = ra[i] * rb[j] + ra[3 + i] * rb[3 + j] + ra[6 + i] * rb[6 + j];
  const double angle[3] = {(t[7] - t[5]) / 2, (t[2] - t[6]) / 2, (t[3] - t[1]) / 2};
  for (int i = 0; i < 3; i++) {
    f[i] = -k[i] * back(ra, d, i) - k[3 + i] * back(ra, v, i);
    mom[i] = -k[6 + i] * angle[i] - k[9 + i] * back(ra, dw, i);
  }
  for (int i = 0; i < 3; i++) {
    w->force[i] = there(ra, f, i);
    w->moment[i] = there(ra, mom, i);
  }
}

const jn_plugin_table jounce_plugin = {
    .version = JN_PLUGIN_VERSION, .init = init, .force = force, .free = free};
