// wrong.c: plug-ins that must not be taken, one for each WRONG_... that is defined.
#include <jounce/plugin.h>
#include <stdio.h>
#include <unistd.h>

static int init(const jn_plugin_setup *s, void **self)
{
  *self = 0;
#ifdef WRONG_INIT
  snprintf(s->reason, s->reason_size, "%s will not do\n\x1b[1m of %d", s->element, s->n);
  return 1;
#elif defined WRONG_SILENT
  return 1;
#endif
  (void)s;
  return 0;
}

static void force(const void *self, const jn_plugin_motion *m, jn_plugin_wrench *w, double *out)
{
  (void)self, (void)out;
#ifdef WRONG_LATER
  if (m->time < 0.05) return;
#endif
  (void)m;
  w->force[0] = 0.0 / (w->force[0] * 0.0);  // not a number
}

static const char *const parameters[] = {"stiffness", NULL};

#ifdef WRONG_LOADED
__attribute__((constructor)) static void loaded(void)
{
  _exit(77);  // seen by whoever loads it
}
#endif

#ifdef WRONG_VERSION
enum { VERSION = JN_PLUGIN_VERSION + 1 };
#else
enum { VERSION = JN_PLUGIN_VERSION };
#endif

#ifdef WRONG_OUTPUT
enum { NOUT = 1 };
#elif defined WRONG_OUTPUTS
enum { NOUT = 1000000 };
#else
enum { NOUT = 0 };
#endif
static const jn_plugin_output outputs[] = {{"fx", "N", "a name that is taken"}};

#ifdef WRONG_TABLE
#define FORCE 0
#else
#define FORCE force
#endif

#ifdef WRONG_SYMBOL
#define jounce_plugin jounce_plug_in
JN_PLUGIN_EXPORT extern const jn_plugin_table jounce_plug_in;
#endif

const jn_plugin_table jounce_plugin = {VERSION, parameters, NOUT, outputs, init, FORCE, 0};
