#include "components/bus.h"

#include <math.h>
#include <string.h>

// ---- order ----------------------------------------------------------------------------------------

// Depth first, the lowest number first: what a component needs is put in front of it. `ring` is the path at hand.
int jn_bus_order(int n, const int *first, const int *source, int *order, int *ring, int *mark)
{
  enum { UNSEEN, ON_PATH, DONE };
  int depth = 0, done = 0;
  for (int i = 0; i < n; i++) mark[i] = UNSEEN;
  for (int start = 0; start < n; start++) {
    if (mark[start] != UNSEEN) continue;
    mark[start] = ON_PATH;
    ring[depth++] = start;
    while (depth) {
      const int i = ring[depth - 1];
      int k = first[i];
      while (k < first[i + 1] && mark[source[k]] == DONE) k++;
      if (k == first[i + 1]) {
        mark[i] = DONE;
        order[done++] = i;
        depth--;
        continue;
      }
      const int next = source[k];
      if (mark[next] == ON_PATH) {
        int j = 0;
        while (ring[j] != next) j++;
        memmove(ring, ring + j, (size_t)(depth - j) * sizeof *ring);
        return depth - j;
      }
      mark[next] = ON_PATH;
      ring[depth++] = next;
    }
  }
  return 0;
}

// ---- one component --------------------------------------------------------------------------------

// Its states side by side, as its functions take them: plain ones, then declared ones.
static const double *states_of(const jn_instance *k, const double *x, double *own)
{
  if (!k->ndeclared) return x + k->x;
  if (!k->nplain) return x + k->e;
  memcpy(own, x + k->x, (size_t)k->nplain * sizeof *own);
  memcpy(own + k->nplain, x + k->e, (size_t)k->ndeclared * sizeof *own);
  return own;
}

// What is not finite, or beyond 1.8e30, has diverged: times this it is not finite. No quantity of a vehicle comes near.
static const double BEYOND = 1e278;

static int first_not_finite(const double *x, int n)  // n: all are
{
  int i = 0;
  while (i < n && isfinite(BEYOND * x[i])) i++;
  return i;
}

// Of what it gave; -1: its inputs are not finite either.
static __attribute__((cold, noinline)) int blame(const jn_instance *k, const double *bus, int value)
{
  for (int i = 0; i < k->nu; i++)
    if (!isfinite(BEYOND * bus[k->from[i]])) return -1;
  return value;
}

int jn_instance_outputs(const jn_instance *k, double t, double *bus, const bool *live, int nlive,
                        const double *x)
{
  double u[JN_COMPONENT_MOST], y[JN_COMPONENT_MOST], own[JN_COMPONENT_MOST];
  for (int i = 0; i < k->nu; i++) u[i] = bus[k->direct[i]];
  const jn_component_io io = {.time = t, .u = u, .x = states_of(k, x, own), .y = y};
  k->table->outputs(k->self, &io);
  const jn_bus_copy *end = k->copy + k->ncopy;  // each value is copied at least once
  double finite = 0.0;                          // NaN once one is not
  for (const jn_bus_copy *c = k->copy; c < end; c++) {
    finite += 0.0 * (BEYOND * y[c->from]);
    if (nlive && live[c->to / JN_SIGNAL_VALUES]) continue;
    bus[c->to] = c->parts > 1 ? y[c->from] / c->parts : y[c->from];
  }
  return finite == 0.0 ? -1 : blame(k, bus, first_not_finite(y, k->ny));
}

int jn_instance_rates(const jn_instance *k, double t, const double *bus, const double *x,
                      double *dx, double *rate, int first_declared)
{
  if (!k->nplain && !k->ndeclared) return -1;
  double u[JN_COMPONENT_MOST], own[JN_COMPONENT_MOST], change[JN_COMPONENT_MOST];
  for (int i = 0; i < k->nu; i++) u[i] = bus[k->from[i]];
  const bool both = k->nplain && k->ndeclared;
  double *a = rate + (k->e - first_declared);
  const jn_component_io io = {.time = t,
                              .u = u,
                              .x = states_of(k, x, own),
                              .dx = both ? change : dx + (k->ndeclared ? k->e : k->x),
                              .a = k->ndeclared ? a : change};
  k->table->rates(k->self, &io);
  if (both) {
    memcpy(dx + k->x, change, (size_t)k->nplain * sizeof *dx);
    memcpy(dx + k->e, change + k->nplain, (size_t)k->ndeclared * sizeof *dx);
  }
  const int n = k->nplain + k->ndeclared;
  double finite = 0.0;  // NaN once one is not
  for (int i = 0; i < n; i++) finite += 0.0 * (BEYOND * io.dx[i]);
  for (int i = 0; i < k->ndeclared; i++) finite += 0.0 * io.a[i];
  if (finite == 0.0) return -1;
  const int state = first_not_finite(io.dx, n);
  return blame(k, bus, state < n ? state : k->nplain + first_not_finite(io.a, k->ndeclared));
}

void jn_instance_start(const jn_instance *k, const double *bus, double *x)
{
  double u[JN_COMPONENT_MOST], own[JN_COMPONENT_MOST] = {0};
  for (int i = 0; i < k->nu; i++) u[i] = bus[k->from[i]];
  if (k->table->start) k->table->start(k->self, u, own);
  memcpy(x + k->x, own, (size_t)k->nplain * sizeof *own);
  memcpy(x + k->e, own + k->nplain, (size_t)k->ndeclared * sizeof *own);
}
