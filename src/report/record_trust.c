// record_trust.c: whether the motion of a run can be one: its energy, where its bodies are; and what the reason is, if not.
#include "report/record_trust.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "elements/road/road.h"
#include "run/run_internal.h"

// What energy may drift by, of all that is in play: at usual steps it stays below a hundredth, of what is lost it reaches half. Methods of
// order 1 go beyond while they serve: an oscillation of the rate w swings by h w / 2 of its energy by semi-euler, and grows by h w² t by euler.
static const double MOST_DRIFT = 0.02, MOST_DRIFT_OF_ORDER_1 = 0.2;
// Energies of less are not judged: what everything weighs over that height, or has at that speed. From rest all is small, and so is
// nothing against it.
static const double LOW = 0.001, SLOW = 0.01;  // [m], [m/s]
static const double DEEP = 0.001;              // a body is below the road [m]
static const double EXACT =
    0.01;  // share of the energy in play: of a run whose drift is less than that the step is not to blame

// Steps from one state that is kept to the next: so far back nothing has grown much.
enum { BETWEEN = 100 };

// Floats, and all its wheels are on the road that is asked.
static bool is_vehicle(const jn_system *s, int frame)
{
  bool wheels = false;
  for (int i = 0; i < s->nwheel; i++) {
    if (s->body[s->wheel[i].body].frame != frame) continue;
    if (s->wheel[i].road != JN_COMMON_ROAD) return false;
    wheels = true;
  }
  return wheels && s->frame[frame].floating;
}

// Bodies that the design position has below z = 0 are left out, and roads that move.
static void find_bodies(jn_trust *k)
{
  const jn_system *s = k->s;
  if (s->binding.road[JN_COMMON_ROAD].form & ROAD_MOVES) return;
  for (int f = 0; f < s->nframe; f++) {
    if (!is_vehicle(s, f)) continue;
    for (int i = s->nframe; i < s->nbody; i++)
      if (s->body[i].frame == f && s->body[i].anchor.z + s->body[i].cg.z >= 0.0)
        k->body[k->nbody++] = i - s->nframe;
  }
}

jn_status jn_trust_begin(jn_trust *k, const jn_system *s, jn_error *err)
{
  double mass = 0.0;
  *k = (jn_trust){.s = s};
  for (int i = s->nframe; i < s->nbody; i++) mass += s->body[i].mass;
  k->least = mass * fmax(v3_norm(s->gravity) * LOW, 0.5 * SLOW * SLOW);
  k->body = jn_pool_alloc(&k->pool, (size_t)jn_body_count(s), sizeof *k->body);
  for (int i = 0; i < JN_TRUST_STATES; i++)
    k->state[i] = jn_pool_alloc(&k->pool, (size_t)jn_state_size(s), sizeof *k->state[i]);
  if (k->pool.failed) return jn_no_memory(err, JN_NOWHERE);
  find_bodies(k);
  return JN_OK;
}

void jn_trust_end(jn_trust *k)
{
  jn_pool_free(&k->pool);
}

// ---- beside rows --------------------------------------------------------------------------------------

static void swap(jn_trust *k, int a, int b)
{
  double *state = k->state[a];
  k->state[a] = k->state[b], k->state[b] = state;
}

void jn_trust_keep(jn_trust *k, const jn_data *d, int64_t step, const jn_run_result *r)
{
  if (r->doubt[0] || (k->nkept && step < k->kept + BETWEEN)) return;
  swap(k, JN_TRUST_NEWER, JN_TRUST_OLDER);
  jn_state_keep(k->s, d, k->state[JN_TRUST_NEWER]);
  k->kept = step;
  k->nkept++;
}

// The state that the reason is looked for at: the older of those that are kept.
static void suspect(jn_trust *k)
{
  if (k->suspects || !k->nkept) return;
  swap(k, JN_TRUST_SUSPECT, k->nkept > 1 ? JN_TRUST_OLDER : JN_TRUST_NEWER);
  k->suspects = true;
}

__attribute__((format(printf, 4, 5))) static void doubt(jn_trust *k, jn_run_result *r, double t,
                                                        const char *fmt, ...)
{
  va_list args;
  va_start(args, fmt);
  vsnprintf(r->doubt, sizeof r->doubt, fmt, args);
  va_end(args);
  r->doubt_time = t;
  suspect(k);
}

void jn_trust_judge_energy(jn_trust *k, const jn_data *d, double t, jn_run_result *r)
{
  const jn_account *e = &d->energy;
  const double play = e->kinetic + e->moved + k->least;
  const jn_integrator by = r->solver.integrator;
  const bool first = by == JN_INTEGRATOR_EULER || by == JN_INTEGRATOR_SEMI_EULER;
  k->share = e->drift / play;
  if (r->doubt[0] || k->share <= (first ? MOST_DRIFT_OF_ORDER_1 : MOST_DRIFT)) return;
  doubt(k, r, t, "energy has drifted by %.3g J, with %.3g J in play, at t = %.6g s", e->drift, play,
        t);
  jn_state_keep(k->s, d, k->state[JN_TRUST_DOUBTED]);
  k->has_doubted = true;
}

static bool has_contact(const jn_system *s, int body)
{
  bool found = false;
  for (int i = 0; i < s->nelement; i++)
    found |= s->element[i].kind == JN_FORCE_CONTACT && s->element[i].ends.b == body;
  return found;
}

void jn_trust_judge_places(jn_trust *k, const double *motion, double t, jn_run_result *r)
{
  const jn_system *s = k->s;
  const jn_road *road = &s->binding.road[JN_COMMON_ROAD];
  for (int i = 0; i < k->nbody && !r->doubt[0]; i++) {
    const double *p = motion + 7 * k->body[i];
    const road_query q = {.x = p[0], .y = p[1], .z = p[2], .time = t, .object = s->road_object};
    const double below = road_at(road->form, road->p, &q).z - p[2];
    if (!(below > DEEP)) continue;
    k->doubt_has_reason = k->share < EXACT;  // it goes through the road whatever the step is
    doubt(k, r, t, "the centre of gravity of body %s is %.3g m below the road at t = %.6g s%s",
          jn_body_name(s, k->body[i]), below, t,
          !k->doubt_has_reason                     ? ""
          : has_contact(s, s->nframe + k->body[i]) ? "; its contacts are too soft, or are elsewhere"
                                                   : "; no force of type contact keeps it above");
  }
}

// ---- the reason ---------------------------------------------------------------------------------------

// To 1, 2 or 5 and zeros.
static double round_down(double x)
{
  const double power = pow(10.0, floor(log10(1.0001 * x))), digit = 1.0001 * x / power;
  return (digit >= 5.0 ? 5.0 : digit >= 2.0 ? 2.0 : 1.0) * power;
}

// Radians of the fastest motion in a step: beyond LONG explicit methods are not stable (ab3: 6/11 for what decays). Below it, energy
// may still go by the error of the method, which falls with the step; below COARSE that is not the reason.
static const double LONG = 0.5, COARSE = 0.02;

// By euler what oscillates without damping grows, whatever the step.
static const char *better_than_euler(const jn_run_result *r)
{
  return r->solver.integrator == JN_INTEGRATOR_EULER ? ", or ab3: euler amplifies what oscillates"
                                                     : "";
}

static jn_fastest fastest_at(jn_trust *k, jn_data *d, int state, double *t)
{
  jn_state_return(k->s, d, k->state[state]);
  *t = jn_time(d);
  return jn_fastest_motion(k->s, d);
}

void jn_trust_explain(jn_trust *k, jn_data *d, jn_run_result *r)
{
  const bool failed = r->outcome == JN_RUN_FAILED;
  char *text = failed ? r->error : r->doubt;
  suspect(k);
  if (!text[0] || (failed ? k->has_reason : k->doubt_has_reason) || !k->suspects ||
      r->solver.integrator == JN_INTEGRATOR_REFERENCE)
    return;
  double t, later;
  const double h = r->solver.step;
  jn_fastest fast = fastest_at(k, d, JN_TRUST_SUSPECT, &t);
  if (k->has_doubted && !(fast.rate * h > LONG)) {  // contacts and stops may have come since
    const jn_fastest at = fastest_at(k, d, JN_TRUST_DOUBTED, &later);
    if (at.rate > 1.2 * fast.rate) fast = at, t = later;  // more than its own error
  }
  const double turn = fast.rate * h;
  const size_t n = strlen(text), room = sizeof r->error - n;
  char who[100] = "";
  const bool body = fast.name && !strcmp(fast.kind, "body");
  if (!(turn > COARSE) || !isfinite(turn)) return;
  if (fast.name) snprintf(who, sizeof who, ", of %s %s", fast.kind, fast.name);
  snprintf(
      text + n, room,
      "; the step of %g s is too %s for the fastest motion%s, %.3g rad/s at t = %.6g s: try %g s%s",
      h, turn > LONG ? "long" : "coarse", who, fast.rate, t,
      round_down(turn > LONG ? LONG / fast.rate : 0.2 * h), better_than_euler(r));
  if (k->motion_lost) r->error_body = body ? fast.name : NULL;
}
