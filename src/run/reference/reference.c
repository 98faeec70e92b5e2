// reference.c: explicit Runge-Kutta of order 8 with SUNDIALS' ARKODE.
//
// The equation that is integrated is the one on the constraint manifold: every evaluation first closes the loops
// by Newton's method and projects the velocities, so that stages do not see how an acceleration goes on beside it.
// After each step the state is put back likewise. Inputs that jump are stopped at, and so are places where the road bends: when a
// step has carried a wheel across one, it is made again up to the instant at which the wheel is there.
//
// Errors are judged by making each step again in two halves. The estimate that belongs to the method [Feh68] is the difference of rates
// at equal times, which vanishes for y' = f(t): it sees neither inputs nor forces that begin or end where the motion takes them, as
// those of a wheel that lands. Halves see both, and are no less exact beside singular positions than whole steps.
//
// At a singular position accelerations have no value, and near it they are rounding divided by the distance. No
// step is short enough to pass the error test there; but the motion itself is smooth. So the instant of the passage
// is foreseen, and a step of usual length is laid across it such that it falls into a gap between stages. What
// somebody wants to see meanwhile is visited by a step aside, from which nothing returns.
#include "jounce/reference.h"

#include <arkode/arkode_erkstep.h>
#include <float.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdlib.h>
#include <string.h>

#include "base/dense.h"
#include "run/run_internal.h"

struct jn_reference {
  const jn_system *s;
  jn_data *d;
  SUNContext context;
  N_Vector y, tolerance;
  void *ark;  // makes steps of given length
  double t;   // of y
  N_Vector aside;
  N_Vector whole, half,
      raw;       // ends of a step, and of two halves; the end before it was put on the constraints
  double next;   // length that the error test proposes
  int forced;    // steps in sequence that are as short as can be
  double usual;  // length of recent steps
  double best;   // conditioning so far
  double
      unknown;  // of rates, relative: rounding over conditioning, and over the distance of a singular position again, because what
                // rounding moves there turns the path on as well
  bool crossed;  // the singular position that was ahead
  double t_before, distance_before,
      distance;  // to a singular position, of two states, over the best
  double *rows;  // of all cut joints (nrow x nv)
  void *work;    // of their factors
  long steps;
  int nbend;      // places where a wheel's road bends, at most
  double *bend;   // of each wheel, NaN: it has no more (nwheel x nbend)
  double *ahead;  // how far each wheel is from each of them (nwheel x nbend)
  bool rests;     // a wheel stands on one
  N_Vector last;  // state before the last step
  jn_pool pool;
  int (*watch)(void *user, double t);
  void *user;
};

// All states that it keeps, and their tolerances.
#define STATES(r)                                                                         \
  {                                                                                       \
    &(r)->y, &(r)->tolerance, &(r)->aside, &(r)->last, &(r)->whole, &(r)->half, &(r)->raw \
  }

static const double NEAR =
    0.25;                        // of the best conditioning so far: a singular position may be near
static const double GAP = 0.75;  // middle of the widest gaps between the stages of the method
enum { MOST_STEPS = 100000 };    // from one row to the next: beyond, the model is too stiff
enum {
  BEND = 1000,
  INTERRUPTED
};  // beside what ARKODE returns: a wheel is at a bend of the road; who watches wants no more
static const double ACROSS = 0.8;  // step across, of a usual one
static const double FIRST = 1e-5;  // length to begin with: an input's period is many times that
static const double LEAST =
    1e-15;  // relative length of a step that is made whatever its error: a force jumps within it
static const double RESTS =
    1e-6;  // within that a wheel that hardly moves stands on a bend; and how far it is followed there
enum { MOST_FORCED = 8 };  // so many of them in sequence are no jump

static jn_status fail(const jn_reference *r, jn_error *err, const char *what)
{
  return jn_fail(err, JN_E_CALL, JN_NOWHERE, NULL, "`reference` stopped at t = %.9g s: %s", r->t,
                 what);
}

// y onto the constraints, in d->y.
static void close_state(jn_reference *r, double t, const double *y)
{
  const jn_system *s = r->s;
  jn_data *d = r->d;
  memcpy(d->y, y, (size_t)(s->nq + s->nv + s->nx) * sizeof *y);
  jn_unit_quaternions(s, d);
  double before = INFINITY;
  for (int i = 0; s->nrow && i < 8; i++) {
    jn_correct_positions(s, d, t, 1, true);
    const double now = jn_worst(s, d->residual, NULL);  // before the correction
    if (now < 1e-15 || now >= 0.5 * before) break;
    before = now;
  }
}

static int derivative(realtype t, N_Vector y, N_Vector dy, void *user)
{
  jn_reference *r = user;
  const jn_system *s = r->s;
  close_state(r, t, N_VGetArrayPointer(y));
  double *out = N_VGetArrayPointer(dy);
  r->d->faulty = r->d->faulty_plugin = -1;
  jn_evaluate_stage(s, r->d, t, r->d->y, out, r->d->rate, true);
  double sum = 0.0;
  for (int i = 0; i < s->nq + s->nv + s->nx; i++) sum += 0.0 * out[i];
  return sum == 0.0 ? 0 : 1;  // not finite: try a shorter step
}

static int settle(realtype t, N_Vector y, void *user)
{
  jn_reference *r = user;
  const jn_system *s = r->s;
  double *to = N_VGetArrayPointer(y);
  N_VScale(1.0, y, r->raw);
  close_state(r, t, to);
  jn_evaluate_stage(s, r->d, t, r->d->y, r->d->dy, r->d->rate, true);  // projects the velocities
  jn_cuts_follow(s, r->d);
  memcpy(to, r->d->y, (size_t)(s->nq + s->nv + s->nx) * sizeof *to);
  return 0;
}

static void quiet(int code, const char *module, const char *function, char *text, void *user)
{
  (void)code, (void)module, (void)function, (void)text,
      (void)user;  // failures are reported by our own messages
}

// How far the state is from a singular position, over the best so far. Measured by the last pivot of an orthogonal
// factorisation of all rows, which vanishes there linearly.
static double measure_distance(jn_reference *r)
{
  const jn_system *s = r->s;
  double now = 1.0;
  if (s->nrow) {
    memcpy(r->d->y, N_VGetArrayPointer(r->y), (size_t)s->nq * sizeof(double));
    jn_general_positions(s, r->d);
    jn_scaled_rows(s, r->d, r->rows);
    jn_qr f;
    jn_qr_factor(&f, s->nrow, s->nv, r->rows, 1e-10, r->work);
    now = f.rank > 0 ? f.last / f.first : 1.0;
  }
  r->best = fmax(r->best, now);
  const double distance = now / r->best;
  r->unknown = DBL_EPSILON / (now * distance);
  return distance;
}

// From the present state at r->t on.
static jn_status start(jn_reference *r, jn_error *err)
{
  jn_segment_begin(r->s, r->d, r->t);
  if (settle(r->t, r->y, r)) return fail(r, err, "the state cannot be put on the constraints");
  r->next = FIRST;
  measure_distance(r);
  r->distance = r->distance_before = 1.0;
  return JN_OK;
}

static jn_status set_up(jn_reference *r, jn_error *err)
{
  r->ark = ERKStepCreate(derivative, r->t, r->y, r->context);
  if (!r->ark) return fail(r, err, "memory is exhausted");
  int bad = ERKStepSetErrHandlerFn(r->ark, quiet, NULL);
  bad |= ERKStepSetUserData(r->ark, r);
  bad |= ERKStepSetTableNum(r->ark, ARKODE_FEHLBERG_13_7_8);
  bad |= ERKStepSetPostprocessStepFn(r->ark, settle);
  return bad ? fail(r, err, "the integrator cannot be set up") : start(r, err);
}

// ---- bends of the road ------------------------------------------------------------------------------

// Slopes of a road that moves under the wheels jump at instants, which are known.
static void find_bends(jn_reference *r)
{
  const jn_system *s = r->s;
  for (int i = 0; i < s->nwheel; i++) {
    const jn_road *k = &s->binding.road[s->wheel[i].road];
    double *at = r->bend + ROAD_BENDS * i;
    const int n = k->form & ROAD_MOVES ? 0 : road_bends(k, at);
    for (int j = n; j < ROAD_BENDS; j++) at[j] = NAN;
    if (n) r->nbend = ROAD_BENDS;
  }
}

// How far wheels are ahead of bends, at a state on the constraints.
static void look_ahead(jn_reference *r, double t, const double *y, double *ahead)
{
  const jn_system *s = r->s;
  jn_data *d = r->d;
  if (!r->nbend) return;
  memcpy(d->y, y, (size_t)(s->nq + s->nv + s->nx) * sizeof *y);
  jn_inputs_at(s, d, t);
  jn_general_positions(s, d);
  for (int i = 0; i < s->nwheel; i++) {
    const double x = jn_wheel_centre(s, d, i).x;
    for (int k = 0; k < r->nbend; k++) ahead[i * r->nbend + k] = x - r->bend[i * r->nbend + k];
  }
}

// So near to a bend a wheel is on neither side of it.
static bool is_there(const jn_reference *r, int i, double ahead)
{
  return fabs(ahead) <= (r->rests ? RESTS : 1e-12) * (1.0 + fabs(r->bend[i]));
}

// A wheel that stands on a bend is on either side of it in turn, and its force jumps each time.
static bool is_at_rest(const jn_reference *r, double since, const double *before, const double *now)
{
  bool rests = false;
  for (int i = 0; i < r->s->nwheel * r->nbend; i++)
    rests |= fabs(now[i]) <= RESTS * (1.0 + fabs(r->bend[i])) &&
             fabs(now[i] - before[i]) <= 1e-3 * since;
  return rests;
}

// The first wheel and bend, by number, that changed sides; -1: none.
static int crossing(const jn_reference *r, const double *before, const double *now)
{
  for (int i = 0; i < r->s->nwheel * r->nbend; i++)
    if ((before[i] < 0.0) != (now[i] < 0.0) && !is_there(r, i, now[i])) return i;
  return -1;
}

// Sides from here on: those of `now`, of a wheel at its bend the one that it was on before.
static void take_sides(jn_reference *r, const double *now)
{
  for (int i = 0; i < r->s->nwheel * r->nbend; i++)
    if (!is_there(r, i, now[i])) r->ahead[i] = now[i];
}

jn_status jn_reference_create(const jn_system *s, jn_data *d, jn_reference **out, jn_error *err)
{
  if (out) *out = NULL;
  JN_NEEDS(err, jn_is_of(d, s) && out, "a system, data of it, and a place for the integrator");
  jn_reference *r = calloc(1, sizeof *r);
  if (!r) return jn_no_memory(err, JN_NOWHERE);
  r->s = s, r->d = d, r->t = jn_time(d);
  const int n = s->nq + s->nv + s->nx;
  N_Vector *const state[] = STATES(r);
  bool enough = !SUNContext_Create(NULL, &r->context);
  for (size_t i = 0; i < sizeof state / sizeof *state && enough; i++)
    enough = (*state[i] = N_VNew_Serial(n, r->context)) != NULL;
  r->rows = jn_pool_alloc(&r->pool, (size_t)s->nrow * (size_t)s->nv, sizeof *r->rows);
  r->bend = jn_pool_alloc(&r->pool, (size_t)s->nwheel * ROAD_BENDS, sizeof *r->bend);
  r->ahead = jn_pool_alloc(&r->pool, (size_t)s->nwheel * 8, sizeof *r->ahead);
  r->work = aligned_alloc(JN_ARENA_ALIGN, jn_qr_size(s->nrow, s->nv));
  if (!enough || r->pool.failed || !r->work) {
    jn_reference_free(r);
    return jn_no_memory(err, JN_NOWHERE);
  }
  d->closing = true;
  find_bends(r);
  memcpy(N_VGetArrayPointer(r->y), d->y, (size_t)n * sizeof(double));
  // Absolute tolerance: relative to one radian, one metre, one per second. Work done counts in joules of what moves.
  N_VConst(s->binding.opts.tolerance, r->tolerance);
  N_VGetArrayPointer(r->tolerance)[s->nq + s->nv + s->work_state] = 1e6 * s->binding.opts.tolerance;
  jn_status st = set_up(r, err);
  look_ahead(r, r->t, N_VGetArrayPointer(r->y), r->ahead);
  if (st)
    jn_reference_free(r);
  else
    *out = r;
  return st;
}

void jn_reference_free(jn_reference *r)
{
  if (!r) return;
  r->d->closing = false;
  N_Vector *const state[] = STATES(r);
  if (r->ark) ERKStepFree(&r->ark);
  for (size_t i = 0; i < sizeof state / sizeof *state; i++)
    if (*state[i]) N_VDestroy(*state[i]);
  if (r->context) SUNContext_Free(&r->context);
  jn_pool_free(&r->pool);
  free(r->work);
  free(r);
}

// The state at time t is new.
static void note_distance(jn_reference *r, double t)
{
  const double now = measure_distance(r);
  r->t_before = r->t, r->distance_before = r->distance;
  r->t = t, r->distance = now;
  if (r->distance > r->distance_before) r->crossed = false;
}

// Length of the next step if it must be just so: towards or across a singular position. 0: none is near.
static double planned(const jn_reference *r, bool *across)
{
  *across = false;
  const double fall = r->distance_before - r->distance;
  if (!(r->distance < NEAR) || !(fall > 0.0) || !(r->usual > 0.0) || r->crossed) return 0.0;
  const double ahead = r->distance * (r->t - r->t_before) / fall;  // until it would vanish
  const double before = ahead - GAP * ACROSS * r->usual;           // until the step across begins
  if (ahead > 3.0 * r->usual) return 0.0;
  *across = before <= 1e-3 * r->usual;
  if (*across) return fmax(ahead / GAP, r->usual / 8.0);
  return before / ceil(before / r->usual);
}

// ---- steps ------------------------------------------------------------------------------------------

// One step of length h from y at t, to `to`. Returns what ARKODE says.
static int leap(jn_reference *r, double t, N_Vector y, double h, N_Vector to)
{
  realtype reached;
  int flag = ERKStepReset(r->ark, t, y);
  if (!flag) flag = ERKStepSetFixedStep(r->ark, h);
  if (!flag) flag = ERKStepEvolve(r->ark, t + h, to, &reached, ARK_ONE_STEP);
  return flag < 0 ? flag : 0;
}

static double most(int n, const double *a, const double *b)  // that they are apart
{
  double worst = 0.0;
  for (int i = 0; i < n; i++) worst = fmax(worst, fabs(a[i] - b[i]));
  return worst;
}

// A step in r->whole, its halves in r->half, and how far they are apart over what is allowed. They are compared as they were before
// they were put on the constraints, and allowed what rates are not known to.
static int make_step(jn_reference *r, double t, N_Vector y, double h, double *error)
{
  const int nq = r->s->nq, nv = r->s->nv, n = nq + nv + r->s->nx;
  const double *from = N_VGetArrayPointer(y), *raw = N_VGetArrayPointer(r->raw),
               *middle = N_VGetArrayPointer(r->half), *absolute = N_VGetArrayPointer(r->tolerance);
  double *apart = N_VGetArrayPointer(r->whole);
  int flag = leap(r, t, y, h, r->whole);
  if (flag) return flag;
  const double positions = r->unknown * most(nq, raw, from),
               velocities = r->unknown * most(nv, raw + nq, from + nq) + (r->rests ? RESTS : 0.0);
  memcpy(apart, raw, (size_t)n * sizeof *apart);
  flag = leap(r, t, y, 0.5 * h, r->half);
  if (flag) return flag;
  for (int i = 0; i < n; i++) apart[i] += middle[i] - raw[i];
  flag = leap(r, t + 0.5 * h, r->half, 0.5 * h, r->half);
  double sum = 0.0;
  for (int i = 0; i < n; i++) {
    const double known = i < nq ? positions : i < nq + nv ? velocities : 0.0;
    const double e =
        (apart[i] - raw[i]) / (r->s->binding.opts.tolerance * fabs(from[i]) + absolute[i] + known);
    sum += e * e;
  }
  *error = sqrt(sum / n);
  return flag;
}

// One step by the error test from y at *t towards `stop`. *next: length that is proposed, then that of the next one.
static int step_by_error(jn_reference *r, double *t, double stop, N_Vector y, double *next)
{
  const double least = LEAST * (1.0 + fabs(*t)), left = stop - *t;
  for (bool again = false;; again = true) {
    const bool ends = *next >= left;
    const double h = ends ? left : fmax(*next, least);
    double error = INFINITY;
    const int flag = make_step(r, *t, y, h, &error);
    const bool forced = h <= least;
    if (flag == ARK_MEM_FAIL || (flag && forced)) return flag;
    if (flag) error = INFINITY;
    // 0.9 error^(-1/9) is the length at which a method of order 8 would err by 0.4 of what is allowed.
    const double by = fmin(fmax(0.9 * pow(error, -1.0 / 9.0), 0.2), again ? 1.0 : 5.0);
    if (error <= 1.0 || forced) {
      r->forced = error <= 1.0 ? 0 : r->forced + 1;
      if (r->forced > MOST_FORCED) return ARK_ERR_FAILURE;
      *t = ends ? stop : *t + h;
      *next = ends ? fmax(*next, h * by) : h * by;
      N_VScale(1.0, r->half, y);
      r->steps++;
      return 0;
    }
    // Where a force jumps, errors do not fall by order 8.
    *next = h * (again ? fmin(by, 0.3) : by);
  }
}

// One step, of given length or as the error test says. Returns what ARKODE says.
static int one_step(jn_reference *r, double stop, double length)
{
  double reached = r->t;
  int flag;
  if (length > 0.0) {
    const double h = fmin(length, stop - r->t);
    flag = leap(r, r->t, r->y, h, r->y);
    reached = h < length ? stop : r->t + h;
    r->steps++;
  } else {
    flag = step_by_error(r, &reached, stop, r->y, &r->next);
    // A step that a stop cut short says that steps may be so long, not that they must be so short.
    r->usual = fmax(reached - r->t, reached < stop ? 0.98 * r->usual : r->usual);
  }
  if (!flag) note_distance(r, reached);
  return flag;
}

// To t, without a word to the integration that goes on. In two steps, of which the second is short: should t be at a
// singular position, what its stages say there counts little.
static int step_aside(jn_reference *r, double t)
{
  N_VScale(1.0, r->y, r->aside);
  if (t - r->t <= 1e-14 * (1.0 + fabs(t))) return 0;
  const double last = fmin(r->usual / 64.0, 0.5 * (t - r->t)), between = t - last;
  const int flag = leap(r, r->t, r->aside, between - r->t, r->aside);
  return flag ? flag : leap(r, between, r->aside, t - between, r->aside);
}

// From the state before the last step to t, as the error test says; in r->aside.
static int step_again(jn_reference *r, double from, double t)
{
  int flag = 0;
  double next = t - from;
  N_VScale(1.0, r->last, r->aside);
  while (from < t && !flag) flag = step_by_error(r, &from, t, r->aside, &next);
  return flag;
}

// Instant between `from` and `high` at which wheel and bend k meet; `now` is how far wheels are ahead at `high`, and then there, with
// the state in r->aside. By false position with the Illinois rule: both ends move.
static int find_instant(jn_reference *r, double from, int k, double *high, double *now)
{
  const bool after = now[k] >= 0.0;
  double low = from, a = r->ahead[k], b = now[k];
  for (int i = 0, side = 0; i < 60 && *high - low > 1e-15 * (1.0 + fabs(*high)); i++) {
    const double t = low + (*high - low) * a / (a - b);
    const int flag = step_again(r, from, t);
    if (flag) return flag;
    look_ahead(r, t, N_VGetArrayPointer(r->aside), now);
    const bool beyond = (now[k] >= 0.0) == after;
    if (beyond)
      *high = t, b = now[k], a *= side == 1 ? 0.5 : 1.0;
    else
      low = t, a = now[k], b *= side == -1 ? 0.5 : 1.0;
    side = beyond ? 1 : -1;
    if (fabs(now[k]) < 1e-14 * (1.0 + fabs(r->bend[k]))) {
      *high = t;
      break;
    }
  }
  const int flag = step_again(r, from, *high);
  look_ahead(r, *high, N_VGetArrayPointer(r->aside), now);
  return flag;
}

// Wheels have crossed bends between `from` and r->t, where `now` is how far they are ahead: back to the instant at which the first
// of them was at its bend, which it is beyond from then on.
static int back_to_bend(jn_reference *r, double from, double *now)
{
  double high = r->t;
  int first = -1;
  for (int k; (k = crossing(r, r->ahead, now)) >= 0 && k != first; first = k) {
    const int flag = find_instant(r, from, k, &high, now);
    if (flag) return flag;
    now[k] = r->ahead[k];  // has anyone crossed before it?
  }
  take_sides(r, now);
  r->ahead[first] = r->ahead[first] < 0.0 ? 0.0 : -1e-300;
  N_VScale(1.0, r->aside, r->y);
  r->t = high;
  return 0;
}

// On towards `stop`, until it is reached, lies within a step that must be just so, or a wheel comes to a bend of the road: then it
// is to be started again.
static int advance_reference(jn_reference *r, double stop)
{
  for (long n = 0; r->t < stop; n++) {
    bool across;
    if (n == MOST_STEPS) return ARK_TOO_MUCH_WORK;
    const double length = planned(r, &across);
    if (length > 0.0 && r->t + length > stop && stop < r->d->limit) break;
    if (r->watch && r->watch(r->user, r->t)) return INTERRUPTED;
    const double from = r->t;
    double *now = r->ahead + r->s->nwheel * r->nbend;
    N_VScale(1.0, r->y, r->last);
    int flag = one_step(r, stop, length);
    if (flag) return flag;
    r->crossed |= across;  // until the distance grows again
    if (!r->nbend) continue;
    look_ahead(r, r->t, N_VGetArrayPointer(r->y), now);
    r->rests = is_at_rest(r, r->t - from, r->ahead, now);
    if (crossing(r, r->ahead, now) >= 0) {
      flag = back_to_bend(r, from, now);
      return flag ? flag : BEND;
    }
    take_sides(r, now);
  }
  return 0;
}

jn_status jn_reference_advance(jn_reference *r, double t, jn_error *err)
{
  JN_NEEDS(err, r && isfinite(t) && t >= jn_time(r->d) - 1e-14 * (1.0 + fabs(t)),
           "an integrator, and a time that is not before that of its data");
  const jn_system *s = r->s;
  jn_data *d = r->d;
  int flag = 0;
  const double close = 1e-14 * (1.0 + fabs(t));  // a row that is so near is there
  for (int stalled = 0;;) {
    jn_segment_begin(s, d, r->t);
    const double breakpoint = d->limit, from = r->t;
    if (t - r->t <= close) break;
    flag = advance_reference(r, breakpoint < t ? breakpoint : t);
    if (flag == BEND) {
      // Several wheels may be at bends at once, but no more than there are.
      stalled = r->t - from > close ? 0 : stalled + 1;
      if (stalled > 2 * s->nwheel * r->nbend)
        return fail(r, err, "a wheel stays at a bend of the road");
      const jn_status st = start(r, err);
      if (st) return st;
      flag = 0;
      if (r->t < t) continue;
    }
    if (flag || r->t < breakpoint) break;
    const size_t n = (size_t)(s->nq + s->nv + s->nx);
    memcpy(d->y, N_VGetArrayPointer(r->y), n * sizeof *d->y);
    jn_segment_cross(s, d, r->t);
    memcpy(N_VGetArrayPointer(r->y), d->y, n * sizeof *d->y);
    jn_status st = start(r, err);
    if (st) return st;
    if (r->t >= t) break;
  }
  const bool interrupted = flag == INTERRUPTED;
  if (interrupted) t = r->t, flag = 0;
  if (!flag) flag = step_aside(r, t);
  if (flag)
    return fail(r, err,
                flag == ARK_TOO_MUCH_WORK
                    ? "more than 100,000 steps from row to row: the model is too stiff for it"
                : flag == ARK_MEM_FAIL ? "memory is exhausted"
                                       : "no step is short enough");
  memcpy(d->y, N_VGetArrayPointer(r->aside), (size_t)(s->nq + s->nv + s->nx) * sizeof *d->y);
  d->step = 0;
  d->offset = t;
  jn_state_set(d);
  return interrupted ? fail(r, err, "it was interrupted") : JN_OK;
}

void jn_reference_watch(jn_reference *r, int (*watch)(void *user, double t), void *user)
{
  if (r) r->watch = watch, r->user = user;
}

long jn_reference_steps(const jn_reference *r)
{
  return r ? r->steps : 0;
}
