// wrong_component.c: components that must not be taken, or that go wrong in a run, one for each WRONG_... that is defined.
#include <jounce/plugin.h>
#include <math.h>
#include <stdio.h>

static int init(const jn_plugin_setup *s, void **self)
{
  (void)self;
#ifdef WRONG_INIT
  snprintf(s->reason, s->reason_size, "%s will not do", s->element);
  return 1;
#endif
  return s->n < 0;
}

static void outputs(const void *self, const jn_component_io *io)
{
  (void)self;
#ifdef WRONG_NUMBER
  io->y[0] = io->time > 0.05 ? NAN : 0.0;
#else
  io->y[0] = io->u[0];
#endif
}

static void rates(const void *self, const jn_component_io *io)
{
  (void)self;
  io->dx[0] = -io->x[0];
#ifdef WRONG_RATE
  io->dx[0] = io->time > 0.05 ? INFINITY : 0.0;
#endif
}

#ifdef WRONG_VERSION
enum { VERSION = 1 };
#else
enum { VERSION = JN_PLUGIN_VERSION };
#endif
#ifdef WRONG_COUNT
enum { NIN = 1000000 };
#elif defined WRONG_NEGATIVE
enum { NIN = -1 };
#else
enum { NIN = 1 };
#endif
#ifdef WRONG_PORT
#define PORT "in put"
#else
#define PORT "in"
#endif
#ifdef WRONG_RATES
enum { RATES = 7 };
#else
enum { RATES = 0 };
#endif
#ifdef WRONG_ORDER
enum { DECLARED = 1 };
#else
enum { DECLARED = 0 };
#endif
#ifdef WRONG_OUTPUTS
#define OUTPUTS 0
#else
#define OUTPUTS outputs
#endif
#ifdef WRONG_MISSING
#define RATES_OF 0
#else
#define RATES_OF rates
#endif
#ifdef WRONG_LIST
#define STATES 0
#else
#define STATES state
#endif
static const jn_port in[] = {{PORT, "1", "input", .rates = RATES, .direct = 1}};
static const jn_port out[] = {{"out", "1", "output", .rates = 0}};
static const jn_state_info state[] = {{"x", "1", "state", DECLARED}, {"y", "1", "state", 0}};

#ifdef WRONG_SYMBOL
#define jounce_component jounce_part
JN_PLUGIN_EXPORT extern const jn_component_table jounce_part;
#endif
const jn_component_table jounce_component = {VERSION, "wrong", NIN,  1, 2,       0,        in, out,
                                             STATES,  0,       init, 0, OUTPUTS, RATES_OF, 0,  0};
