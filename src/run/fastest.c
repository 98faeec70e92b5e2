// fastest.c: the fastest motion about a state: what decides how long a step may be.
//
// Of the linearised equations y' = A y it is the eigenvalue of largest size, by power iteration: A x by central differences
// along x, so that neither A nor its memory is needed. Of a pair that oscillates, x goes from coordinates to velocities and back, which
// differ by the eigenvalue's size: coordinates are counted by what is known of that, and the geometric mean over many iterations
// does not swing. Of a declared state, u' = b - a u, the decay is left out: the exponential form of explicit methods is stable for any a.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run/channels.h"
#include "run/run_internal.h"
#include "solve/integrate/integrate.h"

enum { WARMING = 60, SCALING = 60, COUNTING = 60 };

typedef struct iteration {
  const jn_system *s;
  jn_data *d;
  jn_ode f;
  int n;
  double t, *y, *x, *near, *above, *below, *rate;
  double scale;    // by which coordinates count
  double *energy;  // of each body, then of each wheel that is a rotor, in the motion x
  jn_pool pool;
} iteration;

static double length_of(const iteration *k)
{
  double sum = 0.0;
  for (int i = 0; i < k->n; i++) {
    const double x = i < k->s->nq ? k->scale * k->x[i] : k->x[i];
    sum += x * x;
  }
  return sqrt(sum);
}

// x <- A x / |A x|. Returns |A x|; 0: there is no motion, or no number.
static double advance(iteration *k)
{
  const double by = 1e-7;
  double *side[2] = {k->above, k->below};
  for (int i = 0; i < 2; i++) {
    for (int j = 0; j < k->n; j++) k->near[j] = k->y[j] + (i ? -by : by) * k->x[j];
    k->f.eval(k->f.user, k->t, k->near, side[i], k->rate);
  }
  for (int j = 0; j < k->n; j++) {
    const int declared = j - (k->n - k->f.nexp);
    const double decay = declared < 0 ? 0.0 : k->rate[declared];
    k->x[j] = r_fma(decay, k->x[j], (k->above[j] - k->below[j]) / (2.0 * by));
  }
  const double size = length_of(k);
  if (!(size > 0.0) || !jn_are_finite(k->n, k->x)) return 0.0;
  for (int j = 0; j < k->n; j++) k->x[j] /= size;
  return size;
}

// By which coordinates count from here on; x is of length one by that.
static void set_scale(iteration *k, double scale)
{
  k->scale = scale;
  const double size = length_of(k);
  for (int j = 0; j < k->n && size > 0.0; j++) k->x[j] /= size;
}

// Adds the kinetic energies that x has as a motion; its velocities are made large, so that prescribed ones do not count.
static void add_energies(iteration *k)
{
  const jn_system *s = k->s;
  jn_data *d = k->d;
  for (int i = 0; i < k->n; i++) d->y[i] = i < s->nq ? k->y[i] : 1e6 * k->x[i];
  jn_general_positions(s, d);
  jn_general_velocities(s, d);
  for (int i = s->nframe; i < s->nbody; i++) k->energy[i] += jn_kinetic_energy(s, d, i);
  for (int i = 0; i < s->nwheel; i++) {
    const double spin = s->wheel[i].spin >= 0 ? d->x[s->wheel[i].spin] : 0.0;
    k->energy[s->nbody + i] += 0.5 * s->wheel[i].inertia * spin * spin;
  }
}

static void name_mover(const iteration *k, jn_fastest *out)
{
  const jn_system *s = k->s;
  int most = -1;
  for (int i = s->nframe; i < s->nbody + s->nwheel; i++)
    if (k->energy[i] > (most < 0 ? 0.0 : k->energy[most])) most = i;
  if (most < 0) return;
  const bool body = most < s->nbody;
  out->kind = body ? "body" : "wheel";
  out->name = body ? jn_node_name(s->model, s->body[most].node) : s->wheel[most - s->nbody].name;
}

static bool begin(iteration *k, const jn_system *s, jn_data *d)
{
  const size_t n = (size_t)(s->nq + s->nv + s->nx);
  *k =
      (iteration){.s = s, .d = d, .f = jn_ode_of(s, d), .n = (int)n, .t = jn_time(d), .scale = 1.0};
  double **const own[] = {&k->y, &k->x, &k->near, &k->above, &k->below, &k->rate};
  for (size_t i = 0; i < sizeof own / sizeof *own; i++)
    *own[i] = jn_pool_alloc(&k->pool, n, sizeof **own[i]);
  k->energy = jn_pool_alloc(&k->pool, (size_t)(s->nbody + s->nwheel), sizeof *k->energy);
  if (k->pool.failed) return false;
  memcpy(k->y, d->y, n * sizeof *k->y);
  for (int i = 0; i < k->n; i++) k->x[i] = 1.0 + 0.5 * sin(1.0 + i);  // some of each motion
  return true;
}

// Of so many iterations; 0: there is no motion, or no number. energies: added up over some phases of what oscillates.
static double mean_growth(iteration *k, int times, bool energies)
{
  double sum = 0.0;
  for (int i = 0; i < times; i++) {
    const double size = advance(k);
    if (!(size > 0.0)) return 0.0;
    sum += log(size);
    if (energies && i >= times - 8) add_energies(k);
  }
  return exp(sum / times);
}

jn_fastest jn_fastest_motion(const jn_system *s, jn_data *d)
{
  iteration k;
  jn_fastest out = {0.0, NULL, NULL};
  if (begin(&k, s, d) && mean_growth(&k, WARMING, false) > 0.0) {
    set_scale(&k, mean_growth(&k, SCALING, false));
    out.rate = k.scale > 0.0 ? mean_growth(&k, COUNTING, true) : 0.0;
    if (out.rate > 0.0) name_mover(&k, &out);
  }
  jn_pool_free(&k.pool);
  return out;
}
