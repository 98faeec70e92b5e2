#include "solve/integrate/method.h"

#define X(name, word, help) extern const jn_method_table jn_method_##name, jn_method_##name##_fused;
JN_INTEGRATOR_LIST(X)
#undef X
#define X(name, word, help) [JN_INTEGRATOR_##name] = &jn_method_##name,
const jn_method_table *const jn_methods[JN_NINTEGRATOR] = {JN_INTEGRATOR_LIST(X)};
#undef X
#define X(name, word, help) [JN_INTEGRATOR_##name] = &jn_method_##name##_fused,
const jn_method_table *const jn_methods_fused[JN_NINTEGRATOR] = {JN_INTEGRATOR_LIST(X)};
#undef X

void jn_integ_place(jn_integ *w, const jn_method_table *const *methods, jn_integrator method,
                    int nq, int nv, int nx, int nexp, jn_arena *history, jn_arena *scratch)
{
  assert(nq >= 0 && nv >= 0 && 0 <= nexp && nexp <= nx);
  w->methods = methods;
  w->method = methods[method];
  w->nq = nq;
  w->nv = nv;
  w->nx = nx;
  w->nexp = nexp;
  w->n = nq + nv + nx;
  w->depth = w->method->depth;
  size_t n = (size_t)w->n, ne = (size_t)nexp;

  w->past = jn_arena_take(history, 1, sizeof *w->past);
  for (int i = 0; i < JN_INTEG_PAST; i++) {
    bool kept = w->depth > 0 && i <= w->depth;
    w->past_dy[i] = jn_arena_take(history, kept ? n : 0, sizeof(double));
    w->past_u[i] = jn_arena_take(history, kept ? ne : 0, sizeof(double));
  }
  w->stage = jn_arena_take(scratch, n, sizeof(double));
  for (int i = 0; i < 3; i++) w->k[i] = jn_arena_take(scratch, n, sizeof(double));
  w->rate = jn_arena_take(scratch, ne, sizeof(double));
  w->mid = jn_arena_take(scratch, ne, sizeof(double));
  for (int i = 0; i < 4; i++) w->c[i] = jn_arena_take(scratch, ne, sizeof(double));
}

void jn_integ_restart(jn_integ *w)
{
  w->past->steps = 0;
  w->past->head = 0;
  w->past->h = 0.0;
}

bool jn_integ_starting(const jn_integ *w)
{
  return w->past->steps < w->depth;
}

static void shift_history(jn_integ *w)
{
  w->past->head = (w->past->head != w->depth) * (w->past->head + 1);
  w->past->steps += w->past->steps < w->depth;
}

void jn_integ_step(jn_integ *w, const jn_ode *f, double t, double h, double *y, const double *dy,
                   const double *a)
{
  assert(f->nq == w->nq && f->nv == w->nv && f->nx == w->nx && f->nexp == w->nexp);
  if (!jn_integ_starting(w)) {
    w->method->step(w, f, t, h, y, dy, a);
  } else {
    jn_past_keep(w, h, y, dy);
    w->methods[w->method->start]->step(w, f, t, h, y, dy, a);
  }
  if (w->depth) shift_history(w);
}

void jn_integ_rk4(jn_integ *w, const jn_ode *f, double t, double h, double *y, const double *dy,
                  const double *a)
{
  w->methods[JN_INTEGRATOR_RK4]->step(w, f, t, h, y, dy, a);
}
