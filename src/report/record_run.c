// record_run.c: from the first row to the last: steps, rows, stop conditions, times.
#include "jounce/run.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "jounce/reference.h"
#include "plan/system.h"
#include "report/record.h"
#include "report/record_trust.h"
#include "run/channels.h"
#include "run/run_internal.h"
#include "solve/general/cut_angle.h"
#include "solve/general/forces.h"
#include "spec/scenario_internal.h"

enum { MOST_ROWS = 10000 };  // behind the first, unless somebody asks for more
static const double MOST_STEPS = 1e12;
static const uint64_t SECOND = 1000000000;  // [ns]

typedef struct run {
  const jn_system *s;
  jn_data *d;
  const jn_run_opts *opts;
  jn_run_result *r;
  int64_t nstep, per_row;  // steps to the end, and from row to row
  int64_t first;           // step that it begins with
  double begin;            // and its time [s]
  int *stop;               // channel of each stop condition (nstop)
  jn_rows
      *rows;  // what is recorded, what stop conditions look at, positions and rotations of bodies
  double *value;         // of these
  double *motion;        // of the bodies at the last row (nbody x 7)
  double *place;         // likewise where paths were compared
  double *begun, *good;  // state at the beginning of this step, and of the last one that began well
  bool any_good;
  jn_trust trust;
  jn_record record;
  jn_times times;
  uint64_t stepping;      // time in steps                [ns]
  uint64_t evaluating;    // in rows                      [ns]
  uint64_t checking;      // in comparing paths           [ns]
  uint64_t opening;       // in making files at this row  [ns]
  uint64_t recording;     // in writing rows              [ns]
  int64_t evaluated;      // rows
  uint64_t flushed;       // when the files were flushed  [ns]
  uint64_t row_at;        // when the last row came       [ns]
  bool any_row, written;  // there is a last row; it is in the record
  bool interrupted;       // between rows
  jn_pool pool;           // of lists and rows
} run;

static uint64_t now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

__attribute__((format(printf, 2, 3))) static bool note(jn_run_result *r, const char *fmt, ...)
{
  char text[1024];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  char **more = realloc(r->note, ((size_t)r->nnote + 1) * sizeof *more);
  if (!more) return false;
  r->note = more;
  more[r->nnote] = strdup(text);
  return more[r->nnote] && ++r->nnote;
}

// ---- before it begins -----------------------------------------------------------------------------

// Whole steps to the end, and whole steps from row to row. Digits of a quotient of two decimal
// fractions are the reason for the tolerances.
static jn_status plan_steps(run *w, jn_error *err)
{
  jn_run_result *r = w->r;
  const jn_scenario *scenario = w->s->binding.scenario;
  const double h = r->solver.step, n = r->solver.end / h;
  bool kept = true;
  if (!(h > 0.0) || !(n > 0.0) || !(n <= MOST_STEPS))
    return jn_fail(err, JN_E_RANGE, JN_NOWHERE, NULL,
                   "a run to %g s in steps of %g s has %g steps, at most %g are allowed",
                   r->solver.end, h, n, MOST_STEPS);
  const double whole = fabs(n - round(n)) <= 1e-6 && n > 0.5 ? round(n) : ceil(n);
  w->nstep = (int64_t)whole;
  r->end = whole * h;
  if (fabs(n - whole) > 1e-6)
    kept = note(r, "the end at %.9g s is no whole number of steps: it runs to %.9g s",
                r->solver.end, r->end);

  double every = w->opts->every;
  if (!(every > 0.0) && scenario) every = scenario->record.every;
  if (!(every > 0.0)) {
    w->per_row = (w->nstep + MOST_ROWS - 1) / MOST_ROWS;
    return kept ? JN_OK : jn_no_memory(err, JN_NOWHERE);
  }
  const double ratio = fmin(every / h, MOST_STEPS), per = fmax(1.0, round(ratio));
  w->per_row = (int64_t)per;
  if (fabs(every / h - per) > 1e-9 * per && every < r->end)
    kept &= note(r, "rows every %.9g s are no whole number of steps apart: they are every %.9g s",
                 every, per * h);
  return kept ? JN_OK : jn_no_memory(err, JN_NOWHERE);
}

static jn_status find_stops(run *w, jn_error *err)
{
  const jn_scenario *scenario = w->s->binding.scenario;
  const int n = scenario ? scenario->nstop : 0;
  jn_status st = JN_OK;
  w->stop = jn_pool_alloc(&w->pool, (size_t)n, sizeof *w->stop);
  if (!w->stop) return jn_no_memory(err, JN_NOWHERE);
  for (int i = 0; i < n && !st; i++) {
    char path[160];
    snprintf(path, sizeof path, "stop.%s.channel", scenario->stop[i].name);
    st = jn_record_find(w->s, scenario->stop[i].keys.channel, scenario->stop[i].channel_pos, path,
                        &w->stop[i], err);
  }
  return st;
}

// One selection for all that looks at rows: records, then stop conditions, then pictures.
static jn_status select_channels(run *w, jn_error *err)
{
  const int nstop = w->s->binding.scenario ? w->s->binding.scenario->nstop : 0,
            nbody = jn_body_count(w->s);
  const int n = w->r->nchannel, all = n + nstop + (w->opts->out ? 7 * nbody : 0);
  int *channel = jn_pool_alloc(&w->pool, (size_t)all, sizeof *channel);
  w->value = jn_pool_alloc(&w->pool, (size_t)all, sizeof *w->value);
  if (w->pool.failed) return jn_no_memory(err, JN_NOWHERE);
  for (int i = 0; i < n; i++) channel[i] = w->r->channel[i];
  for (int i = 0; i < nstop; i++) channel[n + i] = w->stop[i];
  if (w->opts->out) jn_motion_channels(w->s, channel + n + nstop);
  return jn_rows_create(w->s, channel, all, &w->rows, err);
}

// From a state that another run has left.
static jn_status run_to_end(run *w, jn_error *err)
{
  const char *file = w->opts->from;
  if (!file) return JN_OK;
  jn_status st = jn_state_read(w->d, file, err);
  if (st) return st;
  w->begin = jn_time(w->d);
  w->first = llround(w->begin / w->r->solver.step);
  if (w->first >= w->nstep)
    return jn_fail(
        err, JN_E_RANGE, (jn_pos){file, 0, 0}, NULL,
        "the saved state is at t = %.9g s, and the run ends at %.9g s: it must end later", w->begin,
        w->r->end);
  return note(w->r, "goes on at t = %.9g s from %s", w->begin, file)
             ? JN_OK
             : jn_no_memory(err, JN_NOWHERE);
}

// What scenario and options ask for exists.
static jn_status accept(run *w, jn_error *err)
{
  jn_status st = plan_steps(w, err);
  if (!st) st = find_stops(w, err);
  if (!st) st = jn_record_pick(w->s, w->opts, &w->r->channel, &w->r->nchannel, err);
  if (!st) st = select_channels(w, err);
  if (!st) st = jn_data_create(w->s, &w->d, err);
  return st;
}

// Would the state be saved over a file of the record, which is not there yet?
static jn_status check_save(const run *w, jn_error *err)
{
  const char *out = w->opts->out, *save = w->opts->save;
  char *name = NULL;
  jn_status st = jn_state_check(save, err);
  if (!st && out && strcmp(out, "-") != 0) st = jn_record_name(w->s, w->opts, &name, err);
  const int has = name ? jn_record_has(name, save) : 0;
  if (has < 0) st = jn_no_memory(err, JN_NOWHERE);
  if (has > 0)
    st = jn_fail(err, JN_E_CALL, (jn_pos){save, 0, 0}, NULL,
                 "the state cannot be saved here: it is the record of this run; name another file");
  if (!st && w->opts->from && jn_is_same_file(save, w->opts->from))
    st =
        jn_fail(err, JN_E_CALL, (jn_pos){save, 0, 0}, NULL,
                "the state cannot be saved here: the run goes on from this file; name another one");
  free(name);
  return st;
}

static jn_status prepare(run *w, jn_error *err)
{
  jn_run_result *r = w->r;
  const char *text;
  for (int i = 0; (text = jn_system_note(w->s, i)); i++)
    if (!note(r, "%s", text)) return jn_no_memory(err, JN_NOWHERE);
  jn_status st = w->opts->save ? check_save(w, err) : JN_OK;
  if (!st) st = accept(w, err);
  if (!st) st = jn_trust_begin(&w->trust, w->s, err);
  if (!st) st = run_to_end(w, err);
  if (st) return st;
  jn_data_audit(w->d, JN_AUDIT_ENERGY);
  r->last = calloc((size_t)r->nchannel, sizeof *r->last);
  for (int i = 0; r->last && i < r->nchannel; i++) r->last[i] = NAN;
  w->motion = jn_pool_alloc(&w->pool, (size_t)jn_body_count(w->s), 7 * sizeof *w->motion);
  w->place = jn_pool_alloc(&w->pool, (size_t)jn_body_count(w->s), 7 * sizeof *w->place);
  w->begun = jn_pool_alloc(&w->pool, (size_t)jn_state_size(w->s), sizeof *w->begun);
  w->good = jn_pool_alloc(&w->pool, (size_t)jn_state_size(w->s), sizeof *w->good);
  return r->last && !w->pool.failed ? JN_OK : jn_no_memory(err, JN_NOWHERE);
}

// ---- rows -------------------------------------------------------------------------------------------

static void lose_record(run *w)
{
  jn_run_result *r = w->r;
  r->outcome = JN_RUN_UNRECORDED;
  r->error_time = r->time;
  r->rows = w->record.rows;
  snprintf(r->error, sizeof r->error, "the record cannot be written: %s", strerror(errno));
}

static bool is_full(int error)  // no mistake of the user, unlike a folder that may not be written
{
  return error == ENOSPC || error == EDQUOT || error == EFBIG;
}

// Files are made with their first row, so that a run that cannot begin leaves none.
static jn_status open_record(run *w, jn_error *err)
{
  const int64_t n = w->nstep - w->first,
                rows = n / w->per_row + 1 + (n % w->per_row != 0) + (w->first > 0);
  const jn_status st = jn_record_open(&w->record, w->r, w->opts, rows, w->motion, err);
  if (st != JN_E_FILE || !is_full(errno)) return st;
  lose_record(w);
  return JN_OK;
}

static jn_status write_row(run *w, jn_error *err)
{
  jn_run_result *r = w->r;
  w->written = true;
  if (!w->opts->out || r->outcome == JN_RUN_UNRECORDED) return JN_OK;
  const uint64_t before = w->row_at;
  w->row_at = now();
  const bool first = !w->record.open;
  if (first) {
    jn_status st = open_record(w, err);
    w->opening = now() - w->row_at;
    if (st || r->outcome == JN_RUN_UNRECORDED) return st;
    w->flushed = w->row_at;
  }
  bool good = first || jn_record_row(&w->record, r->last, w->motion);
  if (good) r->rows++;
  // Whoever looks at a file while it grows, or finds what is left of a run that was killed, sees all but
  // the last second. The next row may be as long in coming as this one was.
  if (good && !first && w->row_at + (w->row_at - before) - w->flushed >= SECOND) {
    w->flushed = w->row_at;
    good = jn_record_flush(&w->record, true);
  }
  if (!good) lose_record(w);
  return JN_OK;
}

// place: of the bodies; NULL: not known
static void judge(run *w, double t, const double *place)
{
  jn_trust_judge_energy(&w->trust, w->d, t, w->r);
  if (place) jn_trust_judge_places(&w->trust, place, t, w->r);
}

static jn_status take_row(run *w, double t, bool due, jn_error *err)
{
  jn_run_result *r = w->r;
  const jn_scenario *scenario = w->s->binding.scenario;
  const double *stop = w->value + r->nchannel;
  memcpy(r->last, w->value, (size_t)r->nchannel * sizeof *r->last);
  if (w->opts->out) jn_motion_from(w->s, stop + (scenario ? scenario->nstop : 0), w->motion);
  judge(w, t, w->opts->out ? w->motion : NULL);
  r->time = t;
  w->any_row = true;
  w->written = false;
  const uint64_t begin = now();
  jn_status st = due ? write_row(w, err) : JN_OK;
  w->recording += now() - begin - w->opening;
  w->opening = 0;
  for (int i = 0; scenario && i < scenario->nstop && !st && !r->outcome; i++) {
    const double x = stop[i];
    if (!(x < scenario->stop[i].keys.below) && !(x > scenario->stop[i].keys.above)) continue;
    r->outcome = JN_RUN_STOPPED;
    r->stopped = scenario->stop[i].name;
  }
  return st;
}

static bool is_interrupted(const run *w, double t)
{
  return w->opts->watch && w->opts->watch(w->opts->user, t);
}

// why: NULL, or what is known beyond the flags
static void fail_at(run *w, double t, jn_step_flags flags, const char *why)
{
  jn_run_result *r = w->r;
  char remark[JN_REMARK] = "";
  r->outcome = JN_RUN_FAILED;
  r->error_time = t;
  r->error_body = jn_data_failing_body(w->s, w->d);
  if (!(flags & JN_STEP_OPEN)) jn_plugin_fault_text(w->s, w->d, remark);
  if (!why && w->d->faulty >= 0)
    why = "an output or a rate of a component has diverged";
  else if (!why)
    why = flags & JN_STEP_NOT_FINITE ? "a position, a speed or an acceleration is not a number"
          : flags & JN_STEP_DIVERGED
              ? "the motion has diverged: beyond 1e6 m/s or rad/s, or 1e15 m/s² or rad/s²"
              : "the constraint residual of a loop exceeds a tenth of its size";
  snprintf(r->error, sizeof r->error, "%s%s", why, remark);
  w->trust.has_reason = remark[0] || w->d->faulty >= 0;
  w->trust.motion_lost = flags & (JN_STEP_NOT_FINITE | JN_STEP_DIVERGED);
}

// ---- a whole run --------------------------------------------------------------------------------------

static void begun_well(run *w)
{
  double *good = w->begun;
  w->begun = w->good, w->good = good;
  w->any_good = true;
}

// Of a run that fails between two rows, the last good state has one.
static jn_status take_last_row(run *w, jn_error *err)
{
  if (!w->any_good) return JN_OK;
  jn_state_return(w->s, w->d, w->good);
  const double t = jn_time(w->d);
  if ((w->any_row && !(t > w->r->time)) || jn_rows_fill(w->rows, w->d, w->value)) return JN_OK;
  return take_row(w, t, false, err);
}

enum { BETWEEN_COMPARISONS = 1000 };  // steps: what a comparison takes does not show

// The general path beside the lanes, now and then and at both ends of the run.
static jn_step_flags compare_paths(run *w)
{
  const uint64_t begin = now();
  const jn_step_flags flags = jn_evaluate(w->s, w->d);
  w->checking += now() - begin;
  return flags;
}

// Rows are made where they are recorded, in every step only where a stop condition looks at them. What a step shares with its
// row, the evaluation at its beginning, counts as the step's.
static jn_status run_steps(run *w, jn_error *err)
{
  jn_run_result *r = w->r;
  const bool stops = w->s->binding.scenario && w->s->binding.scenario->nstop;
  int64_t next = w->first;  // step at which paths are compared
  jn_status st = JN_OK;
  for (int64_t i = w->first; i <= w->nstep && !st && !r->outcome; i++) {
    const double t = jn_time(w->d);
    const bool last = i == w->nstep, due = i == w->first || i % w->per_row == 0;
    const bool ends = is_interrupted(w, t);
    uint64_t begin = now(), shared = 0;
    jn_step_flags flags = JN_STEP_OK;
    const bool wanted = last || due || stops || ends, compares = last || i >= next,
               by_general = wanted && jn_rows_are_general(w->rows, w->d);
    if (compares) {
      if (!by_general) flags = compare_paths(w);  // such a row can do it too
      if (!flags && !by_general && !jn_body_motion(w->s, w->d, w->place)) judge(w, t, w->place);
      next = i + BETWEEN_COMPARISONS;
      begin = now();
    }
    if (!flags && wanted) {
      if (!by_general) flags = jn_step_prepare(w->s, w->d);
      const uint64_t mid = now();
      shared = mid - begin;
      if (!flags) flags = (compares ? jn_rows_compare : jn_rows_fill)(w->rows, w->d, w->value);
      if (!flags) {
        w->evaluating += now() - mid;
        w->evaluated++;
        st = take_row(w, t, due, err);
      }
      if (!st && !r->outcome && ends) r->outcome = JN_RUN_INTERRUPTED;
      begin = now();
    }
    if (!flags && !last && !st && !r->outcome) {
      jn_state_keep(w->s, w->d, w->begun);
      if (wanted || compares) jn_trust_keep(&w->trust, w->d, i, r);
      flags = jn_step(w->s, w->d);
      jn_times_add(&w->times, shared + (now() - begin));
      if (!flags) begun_well(w);
    }
    if (flags) {
      fail_at(w, t, flags, NULL);
      st = take_last_row(w, err);
    }
  }
  w->stepping = w->times.sum;
  r->steps = (int64_t)w->times.count;
  return st;
}

static int watch_reference(void *user, double t)
{
  run *w = user;
  w->interrupted = is_interrupted(w, t);
  return w->interrupted;
}

// Steps of its own choice from row to row.
static jn_status run_reference(run *w, jn_error *err)
{
  jn_run_result *r = w->r;
  jn_reference *reference;
  jn_status st = jn_reference_create(w->s, w->d, &reference, err);
  if (st) return st;
  jn_reference_watch(reference, watch_reference, w);
  double last = -INFINITY;
  for (int64_t i = w->first; i <= w->nstep && !st && !r->outcome;) {
    double t = (double)i * r->solver.step;
    jn_error wrong = {0};
    const uint64_t begin = now();
    const jn_status reached = i > w->first ? jn_reference_advance(reference, t, &wrong) : JN_OK;
    const uint64_t mid = now();
    w->stepping += mid - begin;
    const jn_step_flags flags = jn_rows_fill(w->rows, w->d, w->value);
    w->evaluating += now() - mid;
    w->evaluated++;
    if (w->interrupted) t = jn_time(w->d);
    if ((reached && !w->interrupted) || flags) fail_at(w, t, flags, reached ? wrong.text : NULL);
    if (r->outcome) break;
    if (t > last) st = take_row(w, t, true, err);
    last = t;
    if (!st && !r->outcome && (w->interrupted || is_interrupted(w, t)))
      r->outcome = JN_RUN_INTERRUPTED;
    const int64_t then = i - i % w->per_row + w->per_row;
    i = i < w->nstep && then > w->nstep ? w->nstep : then;
  }
  r->steps = jn_reference_steps(reference);
  jn_reference_free(reference);
  return st;
}

static void save_state(run *w)
{
  jn_run_result *r = w->r;
  jn_error wrong = {0};
  if (!jn_state_write(w->d, w->opts->save, &wrong) || r->error[0]) return;
  r->outcome = JN_RUN_UNRECORDED;
  r->error_time = r->time;
  jn_error_line(&wrong, r->error, sizeof r->error);
}

// Going on from a run whose record has failed would leave a gap between the two records.
static bool has_failed(const jn_run_result *r)
{
  return r->outcome == JN_RUN_FAILED || r->outcome == JN_RUN_UNRECORDED;
}

static jn_status run_all(run *w, jn_error *err)
{
  jn_run_result *r = w->r;
  const uint64_t begin = now();
  const bool reference = r->solver.integrator == JN_INTEGRATOR_REFERENCE;
  jn_status st = reference ? run_reference(w, err) : run_steps(w, err);
  if (!st && w->any_row && !w->written) st = write_row(w, err);
  if (!st && w->record.open && r->outcome != JN_RUN_UNRECORDED &&
      !jn_record_flush(&w->record, w->opts->save != NULL))
    lose_record(w);
  r->wall_time = 1e-9 * (double)(now() - begin);
  if (st || !w->opts->save || has_failed(r)) return st;
  save_state(w);
  return st;
}

// At one state the lanes and the general path agree to rounding: 1e-13 to 1e-9, by conditioning.
static void judge_paths(jn_run_result *r)
{
  const double most = 1e-6;
  const jn_run_stats *k = &r->stats;
  if (k->path_difference <= most) return;
  (void)note(
      r,
      "the lanes and the general path disagree by %.2g of the largest acceleration, at t = "
      "%.9g s%s%s: the step is too long for it; should a shorter one not help, run it with --path "
      "general, and report it",
      k->path_difference, k->path_time, k->path_body ? ", body " : "",
      k->path_body ? k->path_body : "");
}

static void sum_up(run *w)
{
  jn_run_result *r = w->r;
  const jn_times *t = &w->times;
  r->realtime_factor =
      w->stepping ? (jn_time(w->d) - w->begin) / (1e-9 * (double)w->stepping) : NAN;
  r->stats = jn_data_stats(w->d);
  judge_paths(r);
  jn_trust_explain(&w->trust, w->d, r);
  r->us_mean = t->count ? 1e-3 * (double)t->sum / (double)t->count : NAN;
  r->us_median = 1e-3 * jn_times_quantile(t, 0.5);
  r->us_p99 = 1e-3 * jn_times_quantile(t, 0.99);
  r->us_max = t->count ? 1e-3 * (double)t->max : NAN;
  r->us_row = w->evaluated ? 1e-3 * (double)w->evaluating / (double)w->evaluated : NAN;
  r->us_record = r->rows ? 1e-3 * (double)w->recording / (double)r->rows : NAN;
  const uint64_t loop = w->stepping + w->evaluating + w->checking + w->recording;
  r->step_share = loop ? (double)w->stepping / (double)loop : NAN;
  if (!w->record.open || jn_record_finish(&w->record, r) || r->outcome == JN_RUN_UNRECORDED) return;
  lose_record(w);
  (void)jn_record_finish(&w->record, r);  // that it was lost, if that can be written
}

static bool has_all(const jn_run_opts *opts)
{
  return !opts || (isfinite(opts->every) && jn_has_texts(opts->record, opts->nrecord));
}

static run *begin(const jn_system *system, const jn_run_opts *opts, jn_run_result *out)
{
  static const jn_run_opts defaults = {0};
  memset(out, 0, sizeof *out);
  out->system = system;
  out->model = system->model->spec->name;
  out->scenario = system->binding.scenario ? system->binding.scenario->name : NULL;
  out->count = jn_model_count(system->model);
  out->solver = *jn_system_opts(system);
  run *w = calloc(1, sizeof *w);
  if (w) w->s = system, w->opts = opts ? opts : &defaults, w->r = out;
  return w;
}

static void end(run *w, bool discard)
{
  jn_record_close(&w->record, discard);
  jn_trust_end(&w->trust);
  jn_data_free(w->d);
  jn_rows_free(w->rows);
  jn_pool_free(&w->pool);
  free(w);
}

jn_status jn_run(const jn_system *system, const jn_run_opts *opts, jn_run_result *out,
                 jn_error *err)
{
  if (out) memset(out, 0, sizeof *out);
  JN_NEEDS(err, system && out && has_all(opts),
           "a system, as many channels as are announced, rows at finite times, and a place for the "
           "result");
  run *w = begin(system, opts, out);
  if (!w) return jn_no_memory(err, JN_NOWHERE);
  jn_status st = prepare(w, err);
  if (!st) st = run_all(w, err);
  if (!st) sum_up(w);
  end(w, st != JN_OK);
  if (st) jn_run_result_free(out);
  return st;
}

jn_status jn_run_check(const jn_system *system, const jn_run_opts *opts, jn_error *err)
{
  jn_run_result result;
  jn_reference *reference = NULL;
  JN_NEEDS(err, system && has_all(opts),
           "a system, as many channels as are announced, and rows at finite times");
  run *w = begin(system, opts, &result);
  if (!w) return jn_no_memory(err, JN_NOWHERE);
  jn_status st = accept(w, err);
  if (!st && result.solver.integrator == JN_INTEGRATOR_REFERENCE)
    st = jn_reference_create(w->s, w->d, &reference, err);
  jn_reference_free(reference);
  end(w, true);
  jn_run_result_free(&result);
  return st;
}

void jn_run_result_free(jn_run_result *r)
{
  if (!r) return;
  for (int i = 0; i < r->nnote; i++) free(r->note[i]);
  free(r->note);
  free(r->file);
  free(r->hdf5);
  free(r->channel);
  free(r->last);
  memset(r, 0, sizeof *r);
}
