// components.c: components of one evaluation, in their order: outputs, rates of states, states at the beginning.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "solve/general/forces.h"

// The first fault is kept: others follow from it.
static void note_fault(jn_data *d, int instance, int output, int state)
{
  if (d->faulty >= 0) return;
  d->faulty = instance;
  d->faulty_output = output, d->faulty_state = state;
  d->faulty_time = d->t_in;
}

static void put_outputs(const jn_system *s, jn_data *d, int from, int to)
{
  for (int i = from; i < to; i++) {
    const int output =
        jn_instance_outputs(&s->instance[i], d->t_in, d->in[0], d->live, d->nlive, d->x);
    if (output >= 0) note_fault(d, i, output, -1);
  }
}

void jn_components_early(const jn_system *s, jn_data *d)
{
  put_outputs(s, d, 0, s->nearly);
}

void jn_components_late(const jn_system *s, jn_data *d)
{
  put_outputs(s, d, s->nearly, s->ninstance);
}

void jn_components_act(const jn_system *s, jn_data *d)
{
  for (int i = 0; i < s->nuse; i++) jn_sensor_read(s, d, s->use[i]);
  jn_components_late(s, d);
}

// After a fault, whatever depends on it, the work is not finite, so that the check of all rates ends the run: one more check
// would cost vehicles without components.
void jn_components_states(const jn_system *s, jn_data *d, double *dx, double *rate)
{
  for (int i = 0; i < s->ninstance; i++) {
    const int state =
        jn_instance_rates(&s->instance[i], d->t_in, d->in[0], d->x, dx, rate, s->first_lag);
    if (state >= 0) note_fault(d, i, -1, state);
    if (d->faulty >= 0) d->power = NAN;
  }
}

// ---- states at the beginning ----------------------------------------------------------------------

typedef struct starting {
  const jn_system *s;
  jn_data *d;
  int *first;            // of each signal: where its readers begin in `reader` (nsignal + 1)
  int *reader;           // instances
  unsigned char *again;  // instance whose inputs have changed since it was started (ninstance)
  double *seen;          // the bus as its readers know it (3 nsignal)
  jn_pool pool;          // of all this
} starting;

static bool find_readers(starting *k, int n)
{
  const jn_system *s = k->s;
  const size_t nsignal = (size_t)s->nsignal;
  int values = 0;
  for (int i = 0; i < n; i++) values += s->instance[i].nu;
  k->first = jn_pool_alloc(&k->pool, nsignal + 2, sizeof *k->first);
  k->reader = jn_pool_alloc(&k->pool, (size_t)values, sizeof *k->reader);
  k->again = jn_pool_alloc(&k->pool, (size_t)n, sizeof *k->again);
  k->seen = jn_pool_alloc(&k->pool, nsignal, JN_SIGNAL_VALUES * sizeof *k->seen);
  if (k->pool.failed) return false;
  for (int i = 0; i < n; i++)
    for (int u = 0; u < s->instance[i].nu; u++)
      k->first[s->instance[i].from[u] / JN_SIGNAL_VALUES + 2]++;
  for (size_t i = 2; i < nsignal + 2; i++) k->first[i] += k->first[i - 1];
  for (int i = 0; i < n; i++)
    for (int u = 0; u < s->instance[i].nu; u++)
      k->reader[k->first[s->instance[i].from[u] / JN_SIGNAL_VALUES + 1]++] = i;
  memset(k->again, 1, (size_t)n);
  memcpy(k->seen, k->d->in, nsignal * JN_SIGNAL_VALUES * sizeof *k->seen);
  return true;
}

static void start_one(starting *k, int i, bool sensed)
{
  const jn_instance *c = &k->s->instance[i];
  double *bus = k->d->in[0];
  k->again[i] = 0;
  if (!sensed || !k->s->component[k->s->instance_component[i]].prescribes)
    jn_instance_start(c, bus, k->d->x);
  put_outputs(k->s, k->d, i, i + 1);
  for (int n = 0; n < c->ncopy; n++) {
    const int to = c->copy[n].to, signal = to / JN_SIGNAL_VALUES;
    if (!memcmp(&bus[to], &k->seen[to], sizeof *bus)) continue;  // of a NaN too
    k->seen[to] = bus[to];
    for (int r = k->first[signal]; r < k->first[signal + 1]; r++) k->again[k->reader[r]] = 1;
  }
}

// A state may depend on outputs that are known only once other states are: as many turns as there can be in a chain, each with
// those alone whose inputs have changed.
bool jn_components_start(const jn_system *s, jn_data *d, bool sensed)
{
  const int n = sensed ? s->ninstance : s->nearly;
  starting k = {.s = s, .d = d};
  const bool enough = find_readers(&k, n);
  for (int turn = 0; enough && turn < n; turn++) {
    const unsigned char *at = memchr(k.again, 1, (size_t)n), *end = k.again + n;
    if (!at) break;
    for (; at; at = memchr(at + 1, 1, (size_t)(end - at - 1)))
      start_one(&k, (int)(at - k.again), sensed);
  }
  jn_pool_free(&k.pool);
  return enough;
}

// ---- what is not finite -----------------------------------------------------------------------------

static const char *port_of_value(const jn_component_table *t, int value)
{
  int port = 0;
  for (int n = 0; port < t->nout - 1; port++) {
    n += 1 + t->out[port].rates;
    if (value < n) break;
  }
  return t->out[port].name;
}

const char *jn_components_remark(const jn_system *s, const jn_data *d, char text[JN_REMARK])
{
  text[0] = 0;
  if (d->faulty < 0) return text;
  const jn_instance *k = &s->instance[d->faulty];
  const bool output = d->faulty_output >= 0;
  snprintf(
      text, JN_REMARK,
      ": of the %scomponent \"%s\" the %s \"%s\" is not finite, or beyond 1e30, at t = %.9g s, its "
      "inputs are not",
      k->is_plugin ? "plug-in " : "", k->name, output ? "output" : "rate of state",
      output ? port_of_value(k->table, d->faulty_output) : k->table->state[d->faulty_state].name,
      d->faulty_time);
  return text;
}
