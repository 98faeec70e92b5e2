// check_runs.c: short runs, judged by what halving the step changes.
#include "jounce/reference.h"
#include "runs.h"
#include "solve/fast/fast.h"

enum { FEW = 12 };  // steps in which formulations are compared: one method, the same coordinates

// ---- lanes ------------------------------------------------------------------------------------------

static void compare_bits(const leg *a, const leg *b, const double *x, const double *y, check c,
                         outcome *o)
{
  const jn_system *s = &a->system;
  if (a->flags || b->flags || a->left != b->left) {
    note(o, c, a->flags == b->flags && a->left == b->left ? 0.0 : INFINITY,
         "flags %d and %d, lanes left %d and %d", (int)a->flags, (int)b->flags, a->left, b->left);
    return;
  }
  int apart = 0, where = 0;
  for (int i = 0; i < s->nchannel; i++)
    if (memcmp(&x[i], &y[i], sizeof *x) && !apart++) where = i;
  note(o, c, apart ? INFINITY : 0.0, "%d of %d channels, the first %s: %a in auto, %a", apart,
       s->nchannel, s->channel[where].name, x[where], y[where]);
  apart = 0;
  for (int i = 0; i < s->nq + s->nv + s->nx; i++)
    if (memcmp(&a->d->y[i], &b->d->y[i], sizeof *x) && !apart++) where = i;
  note(o, c, apart ? INFINITY : 0.0, "%d of %d numbers of the state, the first %a in auto, %a",
       apart, s->nq + s->nv + s->nx, a->d->y[where], b->d->y[where]);
}

static void check_unused(const leg *k, outcome *o)
{
  const jn_lane *l = k->system.lane;
  if (!l || l->engine->width == 1 || k->left || k->flags) return;
  bool finite = true;
  for (int i = 0; i < l->nq + l->nv + l->nx; i++) finite &= isfinite(k->d->lane->y[i]) != 0;
  note(o, CHECK_UNUSED_LANES, finite ? 0.0 : INFINITY,
       "states of lanes are not finite after a run");
}

// ---- runs -------------------------------------------------------------------------------------------

typedef struct work {
  const subject *k;
  judge j;
  int n, steps;
  double condition;
  double *general, *half, *middle, *row, *error;
} work;

static void compare_formulations(work *w, jn_integrator integrator, jn_stabilize stabilize,
                                 const double *middle, const check of[AUTO], outcome *o)
{
  // Positions are corrected with factors that are a step old, which are another matrix in each formulation: apart by less than
  // what a step errs.
  double *part = calloc((size_t)w->n + 1, sizeof *part);
  if (!part) return;
  for (int i = 0; i < w->n; i++) part[i] = isfinite(w->error[i]) ? w->error[i] : 0.0;
  allow_run(&w->j, middle, part, 0.3);
  for (int f = RECURSIVE; f <= INDEPENDENT; f++) {
    leg k;
    if (!w->k->system[f] || of[f] == NCHECK) continue;
    if (leg_begin(w->k->system[f], integrator, stabilize, w->k->drawn.step, &k)) {
      leg_go(&k, FEW);
      leg_row(&k, w->row);
      if (k.flags)
        note(o, of[f], INFINITY, "%s: flag %d", way_word[f], (int)k.flags);
      else
        judge_rows(&w->j, way_word[f], w->row, middle, of[f], o);
    }
    leg_end(&k);
  }
  free(part);
}

static double open_by(leg *k)  // scaled
{
  if (!k->flags) k->flags = jn_evaluate(&k->system, k->d);
  return jt_scaled_worst(&k->system, k->d->residual);
}

static double open_after(const subject *k, way w, int steps, int parts)
{
  leg part;
  double left = INFINITY;
  if (!leg_begin(k->system[w], JN_INTEGRATOR_RK4, JN_STABILIZE_PROJECTION, k->drawn.step / parts,
                 &part))
    return left;
  leg_go(&part, parts * steps);
  left = open_by(&part);
  if (part.flags) left = INFINITY;
  leg_end(&part);
  return left;
}

// What rk4 itself leaves is of order h^5 and falls to 1/32, its square to 1/1024. The factors are those of positions that are off by
// h^4 at least. A step that is too long for what happens in it shows the order with its half, or with the half of that.
bool closes_faster(const subject *k, way w, int steps, double left)
{
  const double falls = 1.0 / 64.0, half = open_after(k, w, steps, 2);
  return half < falls * left || open_after(k, w, steps, 4) < falls * half;
}

// With the factors of rk4's last stage one correction reaches rounding, or the square of what a long step leaves, which falls
// at once with its length.
static void check_closed(const work *w, outcome *o)
{
  enum { STEPS = 3 };
  leg k;
  if (w->j.s->binding.opts.stabilize != JN_STABILIZE_PROJECTION ||
      !leg_begin(w->k->system[GENERAL], JN_INTEGRATOR_RK4, JN_STABILIZE_PROJECTION,
                 w->k->drawn.step, &k))
    return;
  leg_go(&k, STEPS);
  const double allowed = 1e-13 * (10.0 + w->condition), left = open_by(&k);
  if (!(left > allowed) || !closes_faster(w->k, GENERAL, STEPS, left))
    note(o, CHECK_CLOSED, left / allowed, "constraint residuals are %.2g, allowed %.2g", left,
         allowed);
  leg_end(&k);
}

// False: it cannot be compared at this step.
static bool run_general(work *w, jn_integrator integrator, jn_stabilize stabilize, double *first,
                        double *middle, outcome *o)
{
  const double h = w->k->drawn.step;
  leg a, b;
  bool good = leg_begin(w->k->system[GENERAL], integrator, stabilize, h, &a);
  if (good) {
    leg_row(&a, first ? first : w->row);  // energy counts from the first row
    leg_go(&a, FEW);
    leg_row(&a, middle);
    leg_go(&a, w->steps - FEW);
    leg_row(&a, w->general);
    good = !a.flags;
  }
  leg_end(&a);
  if (good && leg_begin(w->k->system[GENERAL], integrator, stabilize, 0.5 * h, &b)) {
    leg_row(&b, w->row);
    leg_go(&b, 2 * w->steps);
    leg_row(&b, w->half);
    good = !b.flags;
    leg_end(&b);
  }
  if (!good) {
    o->skipped[SKIP_FAILED]++;
    return false;
  }
  differ(w->j.s, w->general, w->half, w->error);
  if (!is_stiff(&w->j, w->half, w->error)) return true;
  o->skipped[SKIP_STIFF]++;
  return false;
}

// Row after some steps of length h, made in steps of h / parts. False: it fails.
static bool row_in(const work *w, way p, jn_integrator integrator, int steps, int parts,
                   double *row)
{
  leg k;
  bool good = leg_begin(w->k->system[p], integrator, w->k->system[p]->binding.opts.stabilize,
                        w->k->drawn.step / parts, &k);
  if (good) {
    leg_row(&k, row);  // energy counts from the first row
    leg_go(&k, parts * steps);
    leg_row(&k, row);
    good = !k.flags;
  }
  leg_end(&k);
  return good;
}

static bool row_by(const work *w, jn_integrator integrator, int steps, int parts, double *row)
{
  return row_in(w, GENERAL, integrator, steps, parts, row);
}

// Where steps meet breakpoints and landing wheels is chance, which halving the step may show nothing of. But two methods that are right
// come together where steps are short. `apart`: how far they are at steps of h; with a short part of it, a method of order 1 leaves
// such a part, times a chance.
static bool comes_together(double apart, double apart_short)
{
  return apart_short < 0.2 * apart;
}

// Lanes and general path are apart by `apart` times what is allowed. Lanes close loops in another way, with an error of its own, and
// where they are left and taken up again depends on the step: halving it may change nothing by chance.
static bool lanes_come_together(const work *w, jn_integrator integrator, double apart)
{
  double *lanes = calloc((size_t)w->n + 1, sizeof *lanes),
         *general = calloc((size_t)w->n + 1, sizeof *general);
  int at = 0;
  const bool together = apart > 1.0 && lanes && general &&
                        row_in(w, AUTO, integrator, w->steps, SHORT_PARTS, lanes) &&
                        row_in(w, GENERAL, integrator, w->steps, SHORT_PARTS, general) &&
                        comes_together(apart, rows_apart(&w->j, lanes, general, &at));
  free(lanes), free(general);
  return together;
}

// Energy less work is kept but for the step's error: what halving it leaves is no more than what it changes, or goes with short steps.
// An error that has the same size at both lengths by chance, or in steps that meet breakpoints, does.
static void check_energy(const work *w, outcome *o)
{
  const jn_system *s = w->j.s;
  const int drift = jn_channel_find(s, "solver.energy_drift"),
            energy = jn_channel_find(s, "solver.energy"), done = jn_channel_find(s, "solver.work");
  const double *a = w->general, *b = w->half;
  const double size = fabs(b[energy]) + fabs(b[done]) + 1.0;
  const double allowed = FACTOR * fabs(a[drift] - b[drift]) + 1e-6 * size;
  if (fabs(b[drift]) > allowed && row_by(w, JN_INTEGRATOR_RK4, w->steps, SHORT_PARTS, w->row) &&
      comes_together(fabs(b[drift]), fabs(w->row[drift])))
    return;
  note(o, CHECK_ENERGY, fabs(b[drift]) / allowed,
       "energy less work changes by %.3g J with the step, %.3g J with half of it, energy %.3g J",
       a[drift], b[drift], b[energy]);
}

// What halving the step changes in lanes, added to what it changes in the general path: loops are kept closed in another way, which
// has an error of its own (`delayed` leaves that of a step).
static void add_lane_error(work *w, jn_integrator integrator, const double *row)
{
  const jn_system *s = w->k->system[AUTO];
  double *half = calloc((size_t)w->n + 1, sizeof *half);
  leg k;
  if (half && leg_begin(s, integrator, s->binding.opts.stabilize, 0.5 * w->k->drawn.step, &k)) {
    leg_go(&k, 2 * w->steps);
    leg_row(&k, half);
    for (int i = 0; i < w->n && !k.flags; i++) w->error[i] += apart_at(s, i, row, half);
    leg_end(&k);
  }
  free(half);
}

// In lanes by rk4.
static void run_lanes(work *w, course *c, outcome *o)
{
  const jn_system *s = w->k->system[AUTO];
  leg k;
  int at = 0;
  if (!s || !leg_begin(s, JN_INTEGRATOR_RK4, s->binding.opts.stabilize, w->k->drawn.step, &k))
    return;
  leg_go(&k, w->steps);
  if (!k.flags && !k.left) check_left(w->k, &k.system, k.d, w->steps, o);
  leg_row(&k, w->row);
  if (k.left) o->skipped[SKIP_LEFT]++;
  add_lane_error(w, JN_INTEGRATOR_RK4, w->row);
  allow_run(&w->j, w->half, w->error, FACTOR);
  if (k.flags)
    note(o, CHECK_RUN_LANES, INFINITY, "flag %d in lanes", (int)k.flags);
  else if (!lanes_come_together(w, JN_INTEGRATOR_RK4, rows_apart(&w->j, w->row, w->general, &at)))
    judge_rows(&w->j, "lanes", w->row, w->general, CHECK_RUN_LANES, o);
  if (!k.flags && (c->lanes = calloc((size_t)w->n + 1, sizeof *c->lanes)))
    memcpy(c->lanes, w->row, (size_t)w->n * sizeof *c->lanes);
  if (c->lanes && (c->lane_error = calloc((size_t)w->n + 1, sizeof *c->lane_error)))
    memcpy(c->lane_error, w->error, (size_t)w->n * sizeof *c->lane_error);
  check_unused(&k, o);
  if (!k.flags && !k.left) compare_running(w->k, &k.system, k.d, w->steps, o);
  leg_end(&k);
}

// By the drawn integrator in all lanes: the same bits. `judged`: rows of the general path can be compared with.
static void run_drawn_lanes(work *w, jn_integrator integrator, bool judged, outcome *o)
{
  const jn_system *const *s = (const jn_system *const *)w->k->system;
  leg k[NWAY] = {0};
  double *row[NWAY] = {0};
  int at = 0;
  for (int p = AUTO; p < NWAY; p++) {
    if (!s[p] ||
        !leg_begin(s[p], integrator, s[p]->binding.opts.stabilize, w->k->drawn.step, &k[p]))
      continue;
    row[p] = calloc((size_t)w->n + 1, sizeof *row[p]);
    if (!row[p]) continue;
    leg_row(&k[p], row[p]);
    leg_go(&k[p], w->steps);
    leg_row(&k[p], row[p]);
  }
  if (row[AUTO]) {
    if (judged) add_lane_error(w, integrator, row[AUTO]);
    allow_run(&w->j, w->half, w->error, FACTOR);
    if (judged && k[AUTO].flags)
      note(o, CHECK_DRAWN_LANES, INFINITY, "flag %d in lanes", (int)k[AUTO].flags);
    else if (judged &&
             !lanes_come_together(w, integrator, rows_apart(&w->j, row[AUTO], w->general, &at)))
      judge_rows(&w->j, "lanes", row[AUTO], w->general, CHECK_DRAWN_LANES, o);
    for (int p = LIST; p < NWAY; p++)
      if (row[p])
        compare_bits(&k[AUTO], &k[p], row[AUTO], row[p],
                     p == LIST ? CHECK_DRAWN_LIST : CHECK_DRAWN_NARROW, o);
  }
  for (int p = AUTO; p < NWAY; p++) leg_end(&k[p]), free(row[p]);
}

// Short steps of rk4 come to the row of `reference`. Where a wheel lands within one, a part of a step is left, which is chance: steps of a
// 64th may be unluckier than whole ones, those that are shorter still show which.
static bool comes_to_reference(const work *w, double apart, const double *reference, double *row)
{
  int at = 0;
  for (int parts = SHORT_PARTS; parts <= 64 * SHORT_PARTS; parts *= 8) {
    if (!row_by(w, JN_INTEGRATOR_RK4, FEW, parts, row)) return false;
    const double near = rows_apart(&w->j, reference, row, &at);
    if (comes_together(apart, near)) return true;
    apart = fmax(apart, near);
  }
  return false;
}

// By `reference`, to the row in the middle: its error is nothing beside that of rk4. Where tyres leave the ground or springs have
// breakpoints it takes many steps, so that one vehicle in four has to do. A road that bends gives a blow of which rk4 has a part
// that is chance, and halving the step shows nothing of it.
static void run_reference(work *w, outcome *o)
{
  for (int i = JN_COMMON_ROAD; i < w->j.s->binding.nroad; i++) {
    const jn_road *road = &w->j.s->binding.road[i];
    if (road_shape(road->form) != JN_ROAD_FLAT && !(road->form & ROAD_MOVES)) return;
  }
  leg k = {0};
  jn_error err = {0};
  jn_reference *reference = NULL;
  double *error = calloc((size_t)w->n + 1, sizeof *error);
  int at = 0;
  if (error && row_by(w, JN_INTEGRATOR_RK4, FEW, 2, w->row) &&
      leg_begin(w->k->system[GENERAL], JN_INTEGRATOR_REFERENCE, w->j.s->binding.opts.stabilize,
                w->k->drawn.step, &k)) {
    differ(w->j.s, w->middle, w->row, error);
    allow_run(&w->j, w->middle, error, FACTOR);
    k.system.binding.opts.tolerance = 1e-10;
    leg_row(&k, w->row);
    jn_status st = jn_reference_create(&k.system, k.d, &reference, &err);
    if (!st) st = jn_reference_advance(reference, FEW * w->k->drawn.step, &err);
    leg_row(&k, w->row);
    const double apart = rows_apart(&w->j, w->row, w->middle, &at);
    if (st || k.flags)
      note(o, CHECK_RUN_REFERENCE, INFINITY, "flag %d: %.120s", (int)k.flags, err.text);
    else if (!(apart > 1.0) || !comes_to_reference(w, apart, w->row, error))
      judge_rows(&w->j, "reference", w->row, w->middle, CHECK_RUN_REFERENCE, o);
  }
  jn_reference_free(reference);
  leg_end(&k);
  free(error);
}

// The drawn method and rk4 with short steps, whose rows are left in w->row and by_rk4; how far these are apart. Where a wheel crosses a bend
// of the road, a method of any order leaves a part of a step, which is chance: steps of a 64th may leave more than whole ones. Steps that are
// shorter still show which: an unlucky method comes nearer, a wrong one does not.
static bool comes_to_rk4(work *w, double apart, double *by_rk4, double *near, int *at)
{
  for (int parts = SHORT_PARTS; parts <= 8 * SHORT_PARTS; parts *= 8) {
    if (!row_by(w, w->k->drawn.integrator, w->steps, parts, w->row) ||
        !row_by(w, JN_INTEGRATOR_RK4, w->steps, parts, by_rk4))
      return false;
    *near = rows_apart(&w->j, w->row, by_rk4, at);
    if (comes_together(apart, *near)) return true;
    apart = fmax(apart, *near);
  }
  return false;
}

// Another method ends where rk4 does, within what halving the step changes in either.
static void compare_with_rk4(work *w, const course *c, outcome *o)
{
  int at = 0;
  double near;
  for (int i = 0; i < w->n; i++) w->row[i] = w->error[i] + c->error[i];
  allow_run(&w->j, c->last, w->row, FACTOR);
  const double apart = rows_apart(&w->j, w->general, c->last, &at);
  double *by_rk4 = calloc((size_t)w->n + 1, sizeof *by_rk4);
  if (!(apart > 1.0) || !by_rk4 || !comes_to_rk4(w, apart, by_rk4, &near, &at))
    judge_rows(&w->j, jn_sim_word_of("integrator", (int)w->k->drawn.integrator), w->general,
               c->last, CHECK_DRAWN_RK4, o);
  free(by_rk4);
}

// A method that errs too much at that step to be compared, where rk4 does not, goes where rk4 does with short steps.
static void check_converges(work *w, const course *c, outcome *o)
{
  int at = 0;
  double near = 0.0;
  allow_run(&w->j, c->last, c->error, FACTOR);
  const double apart = rows_apart(&w->j, w->general, c->last, &at);
  double *by_rk4 = calloc((size_t)w->n + 1, sizeof *by_rk4);
  if (isfinite(apart) && apart > 1.0 && by_rk4) {
    const bool comes = comes_to_rk4(w, apart, by_rk4, &near, &at);
    note(o, CHECK_DRAWN_RK4, near > 1.0 && !comes ? near : 0.0,
         "%s: %s is %.12g with short steps, by rk4 %.12g",
         jn_sim_word_of("integrator", (int)w->k->drawn.integrator), w->j.s->channel[at].name,
         w->row[at], by_rk4[at]);
  }
  free(by_rk4);
}

static void run_all(work *w, checks wanted, course *c, outcome *o)
{
  static const check by_rk4[AUTO] = {
      [RECURSIVE] = CHECK_RUN_RECURSIVE, [INDEPENDENT] = CHECK_RUN_INDEPENDENT};
  static const check drawn[AUTO] = {[RECURSIVE] = CHECK_DRAWN_RECURSIVE, [INDEPENDENT] = NCHECK};
  const jn_stabilize fits = w->j.s->binding.opts.stabilize, stabilize = w->k->drawn.stabilize;
  jn_integrator integrator = w->k->drawn.integrator;
  if (integrator == JN_INTEGRATOR_REFERENCE) integrator = JN_INTEGRATOR_RK4;
  const bool rk4 = integrator == JN_INTEGRATOR_RK4;
  c->good = run_general(w, JN_INTEGRATOR_RK4, fits, c->first, w->middle, o);
  if (c->good) {
    memcpy(c->last, w->general, (size_t)w->n * sizeof *c->last);
    memcpy(c->error, w->error, (size_t)w->n * sizeof *c->error);
    check_energy(w, o);
    check_closed(w, o);
    compare_formulations(w, JN_INTEGRATOR_RK4, fits, w->middle, by_rk4, o);
    if (wanted >> CHECK_RUN_REFERENCE & 1 && o->seed % 4 == 0) run_reference(w, o);
    run_lanes(w, c, o);
  }
  if (!(wanted & checks_in(IN_DRAWN))) return;
  if (stabilize != fits) {  // not for lanes: formulations alone
    leg a;
    if (leg_begin(w->k->system[GENERAL], integrator, stabilize, w->k->drawn.step, &a)) {
      leg_go(&a, FEW);
      leg_row(&a, w->middle);
      if (!a.flags) compare_formulations(w, integrator, stabilize, w->middle, drawn, o);
    }
    leg_end(&a);
  }
  bool judged = c->good;
  if (!rk4) {
    judged = run_general(w, integrator, fits, NULL, w->middle, o);
    if (judged && c->good) compare_with_rk4(w, c, o);
    if (!judged && c->good) check_converges(w, c, o);
    if (judged && stabilize == fits) compare_formulations(w, integrator, fits, w->middle, drawn, o);
  }
  run_drawn_lanes(w, integrator, judged, o);
}

void compare_runs(const subject *k, checks wanted, course *c, outcome *o)
{
  *c = (course){0};
  if (!(wanted & checks_in(IN_RUNS | IN_DRAWN | IN_ALIKE))) return;
  const jn_system *s = k->system[GENERAL];
  const size_t n = (size_t)s->nchannel + 1;
  view v;
  state x = {0};
  work w = {.k = k, .n = s->nchannel};
  const double steps = rint(0.05 / k->drawn.step);
  w.steps = steps < 2 * FEW ? 2 * FEW : steps > 60 ? 60 : (int)steps;
  c->steps = w.steps, c->step = k->drawn.step;
  double **all[] = {&w.general, &w.half,  &w.middle, &w.row,       &w.error,
                    &c->first,  &c->last, &c->error, &c->tolerance};
  bool good = view_make(s, &v) && state_make(s, &x);
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    good &= (*all[i] = calloc(n, sizeof(double))) != NULL;
  double *allowed = calloc(n, sizeof *allowed);
  if (good && allowed) {
    jt_random r = {1};
    state_initial(k, &v, &x);
    view_allow(&v, &x, &r);
    memcpy(c->tolerance, v.row_allowed, (size_t)s->nchannel * sizeof *c->tolerance);
    w.j = (judge){k, s, &v, c->tolerance, allowed};
    w.condition = x.condition;
    if (x.condition < 1e6)
      run_all(&w, wanted, c, o);
    else
      o->skipped[SKIP_CONDITION]++;
  }
  free(allowed);
  free(w.general), free(w.half), free(w.middle), free(w.row), free(w.error);
  view_free(&v);
  state_free(&x);
}

void course_free(course *c)
{
  free(c->first), free(c->last), free(c->error), free(c->lanes), free(c->lane_error);
  free(c->tolerance);
  *c = (course){0};
}
