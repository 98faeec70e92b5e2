// wrong_tyre.c: tyres that must not be taken, or that break their contract, one for each WRONG_... that is defined.
#include <jounce/plugin.h>
#include <math.h>
#include <stdio.h>

static int init(const jn_plugin_setup *s, void **self)
{
  *self = 0;
#ifdef WRONG_INIT
  snprintf(s->reason, s->reason_size, "%s of %g m will not do", s->element, s->radius);
  return 1;
#endif
  (void)s;
  return 0;
}

static void limits(const void *self, double load, double camber, jn_tyre_plugin_limits *r)
{
  (void)self, (void)load, (void)camber;
  for (int i = 0; i < 2; i++) r->stiffness[i] = 5e4, r->friction[i] = 0.9, r->relaxation[i] = 0.3;
#ifdef WRONG_LIMITS
  r->relaxation[1] = 0.0;
#endif
}

static void forces(const void *self, const jn_tyre_plugin_slip *s, jn_tyre_plugin_forces *f,
                   double *out)
{
  (void)self, (void)out;
  f->fx = 5e4 * s->kappa;
#ifdef WRONG_FORCES
  f->fy = NAN;
#elif defined WRONG_LATER  // once it is braked
  f->fy = s->kappa < -1e-3 ? INFINITY : -5e4 * s->tan_alpha;
#endif
}

#ifdef WRONG_VERSION
enum { VERSION = JN_PLUGIN_VERSION + 1 };
#else
enum { VERSION = JN_PLUGIN_VERSION };
#endif

#ifdef WRONG_OUTPUTS
enum { NOUT = 65 };
#elif defined WRONG_OUTPUT
enum { NOUT = 1 };
#else
enum { NOUT = 0 };
#endif
static const jn_plugin_output outputs[] = {{"a b", "N", "a name with a blank"}};

#ifdef WRONG_TABLE
#define LIMITS 0
#else
#define LIMITS limits
#endif

const jn_tyre_plugin_table jounce_tyre_plugin = {VERSION, 0,      NOUT,   outputs,
                                                 init,    LIMITS, forces, 0};
