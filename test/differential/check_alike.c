// check_alike.c: vehicles that must move alike, and the momentum of free ones.
#include "runs.h"

// ---- channels of the other vehicle ------------------------------------------------------------------

typedef struct named {
  const char *name;
  int channel;
} named;

static int by_name(const void *a, const void *b)
{
  return strcmp(((const named *)a)->name, ((const named *)b)->name);
}

typedef struct partner {
  int *channel;  // of the other system, -1: it has nothing to do with it (nchannel)
  double *sign;
} partner;

static bool find_partners(const jn_system *s, const jn_system *t, const vehicle *v,
                          const vehicle *other, vehicle_identity k, partner *p)
{
  const size_t n = (size_t)t->nchannel;
  named *list = calloc(n + 1, sizeof *list);
  p->channel = calloc((size_t)s->nchannel + 1, sizeof *p->channel);
  p->sign = calloc((size_t)s->nchannel + 1, sizeof *p->sign);
  if (!list || !p->channel || !p->sign) {
    free(list);
    return false;
  }
  for (size_t i = 0; i < n; i++) list[i] = (named){t->channel[i].name, (int)i};
  qsort(list, n, sizeof *list, by_name);
  for (int i = 0; i < s->nchannel; i++) {
    char name[128];
    p->channel[i] = -1;
    if (!vehicle_channel(v, other, k, s->channel[i].name, name, &p->sign[i])) continue;
    const named want = {name, 0}, *found = bsearch(&want, list, n, sizeof *list, by_name);
    if (found) p->channel[i] = found->channel;
  }
  free(list);
  return true;
}

static void partner_free(partner *p)
{
  free(p->channel), free(p->sign);
}

// ---- identities -------------------------------------------------------------------------------------

static void compare_rows(const judge *j, const partner *p, const double *other, const double *own,
                         const char *who, check c, outcome *o)
{
  double worst = 0.0;
  int at = -1;
  for (int i = 0; i < j->s->nchannel; i++) {
    if (p->channel[i] < 0 || !is_judged(j, i, own)) continue;
    const double apart = fabs(p->sign[i] * other[p->channel[i]] - own[i]);
    const double ratio = apart == 0.0 ? 0.0 : apart / j->allowed[i];
    if (!(ratio <= worst) || at < 0) worst = isnan(ratio) ? INFINITY : ratio, at = i;
  }
  if (at >= 0)
    note(o, c, worst, "%s: %s is %.12g, of the other vehicle %.12g, allowed %.2g", who,
         j->s->channel[at].name, own[at], p->sign[at] * other[p->channel[at]], j->allowed[at]);
}

static bool all_allowed(const judge *j, const partner *p, const double *other, const double *own)
{
  for (int i = 0; i < j->s->nchannel; i++)
    if (p->channel[i] >= 0 && is_judged(j, i, own) &&
        !(fabs(own[i] - p->sign[i] * other[p->channel[i]]) <= j->allowed[i]))
      return false;
  return true;
}

// Rows of the other vehicle by one path: the first and the last; the step in so many parts.
static bool other_rows(const jn_system *s, const course *c, bool last, int parts, double *row,
                       leg *k)
{
  if (!leg_begin(s, JN_INTEGRATOR_RK4, s->binding.opts.stabilize, c->step / parts, k)) return false;
  leg_row(k, row);
  if (last) {
    leg_go(k, parts * c->steps);
    leg_row(k, row);
  }
  return true;
}

// The other vehicle has an error of its own, with other joints cut or another base: what halving its step changes.
// False: it does not get there with half the step.
static bool add_other_error(const judge *j, const partner *p, const jn_system *s, const course *c,
                            const double *row)
{
  double *half = calloc((size_t)s->nchannel + 1, sizeof *half);
  leg run = {0};
  if (half && other_rows(s, c, true, 2, half, &run))
    for (int i = 0; i < j->s->nchannel && !run.flags; i++)
      if (p->channel[i] >= 0)
        j->allowed[i] += FACTOR * fabs(row[p->channel[i]] - half[p->channel[i]]);
  const bool good = !run.flags;
  leg_end(&run);
  free(half);
  return good;
}

static void compare_other(const judge *j, const subject *b, const partner *p, const course *c,
                          bool far, check k, outcome *o)
{
  double *row = calloc((size_t)b->system[GENERAL]->nchannel + 1, sizeof *row);
  double *none = calloc((size_t)j->s->nchannel + 1, sizeof *none);
  leg run = {0};
  if (!row || !none) goto done;
  // Assembly ends when residuals are rounding; a kilometre away rounding is a thousand times as much.
  allow_run(j, c->first, none, 0.0);
  for (int i = 0; i < j->s->nchannel; i++) j->allowed[i] *= far ? 100.0 : 1.0;
  if (other_rows(b->system[GENERAL], c, false, 1, row, &run)) {
    if (run.flags)
      note(o, k, INFINITY, "the other vehicle has flag %d at once", (int)run.flags);
    else
      compare_rows(j, p, row, c->first, "at the beginning", k, o);
  }
  leg_end(&run);
  if (!c->good) goto done;
  for (int w = GENERAL; w <= AUTO; w += AUTO - GENERAL) {
    if (!b->system[w] || !other_rows(b->system[w], c, true, 1, row, &run)) continue;
    const bool lanes = w == AUTO && c->lanes && c->lane_error;
    const double *own = lanes ? c->lanes : c->last;
    allow_run(j, c->last, lanes ? c->lane_error : c->error, FACTOR);
    for (int i = 0; i < j->s->nchannel; i++) j->allowed[i] *= far ? 10.0 : 1.0;
    if (run.flags) {
      note(o, k, INFINITY, "the other vehicle has flag %d in path %s", (int)run.flags, way_word[w]);
    } else if (run.d->now_position_norm > 1e-7) {  // by `none` and `delayed`, at long steps
      o->skipped[SKIP_STIFF]++;
    } else {
      if (all_allowed(j, p, row, own) || add_other_error(j, p, b->system[w], c, row))
        compare_rows(j, p, row, own, w == AUTO ? "at the end, lanes" : "at the end", k, o);
      else
        o->skipped[SKIP_STIFF]++;
    }
    leg_end(&run);
  }
done:
  free(row), free(none);
}

static void compare_identity(const judge *j, const vehicle *v, vehicle_identity t, uint64_t seed,
                             const course *c, outcome *o)
{
  static vehicle other;  // large
  static outcome spare;
  const check k = (check)(CHECK_RENAMED + (int)t);
  if (!vehicle_transform(v, t, seed, &other)) {
    o->skipped[SKIP_NOT_ALIKE]++;
    return;
  }
  char *model = vehicle_model(&other), *scenario = vehicle_scenario(&other);
  subject b = {0};
  partner p = {0};
  memset(&spare, 0, sizeof spare);
  if (!model || !scenario) goto done;
  if (!subject_open(model, scenario, VEHICLE_FILE, 1 << GENERAL | 1 << AUTO, &b, &spare)) {
    // Not any body can be the base, nor any joint be cut.
    if (t == VEHICLE_REBASED)
      o->skipped[SKIP_REFUSED]++;
    else
      note(o, k, INFINITY, "the other vehicle is refused: %.120s", spare.reason);
    goto done;
  }
  if (find_partners(j->s, b.system[GENERAL], v, &other, t, &p))
    compare_other(j, &b, &p, c, t == VEHICLE_MOVED, k, o);
done:
  partner_free(&p);
  subject_close(&b);
  free(model), free(scenario);
}

// ---- momentum ---------------------------------------------------------------------------------------

typedef struct momentum {
  v3 p, l;                // about the world's origin
  double size_p, size_l;  // sums of sizes
} momentum;

static momentum momentum_of(const jt_run *run)
{
  const jn_system *s = run->s;
  momentum k = {0};
  for (int i = s->nframe; i < s->nbody; i++) {
    const jt_body b = jt_see(run, i, NULL);
    const s3 inertia = s3_rotate(b.r, s->body[i].inertia);
    const v3 p = v3_scale(s->body[i].mass, b.v), turn = s3_mul_v3(inertia, b.w);
    const v3 l = v3_add(turn, v3_cross(b.p, p));
    k.p = v3_add(k.p, p), k.l = v3_add(k.l, l);
    k.size_p += v3_norm(p), k.size_l += v3_norm(l);
  }
  return k;
}

// Sum of all inertia forces and moments at the initial state: nothing acts from outside.
static void check_momentum_rate(const subject *b, outcome *o)
{
  const jn_system *s = b->system[GENERAL];
  view v;
  state x = {0};
  jt_random r = {3};
  if (view_make(s, &v) && state_make(s, &x)) {
    state_initial(b, &v, &x);
    view_allow(&v, &x, &r);
    v3 force = v3_set(0, 0, 0), moment = v3_set(0, 0, 0);
    // Where nothing acts and nothing moves, all of it is zero.
    double linear = 0.0, allowed_f = DBL_MIN, allowed_m = DBL_MIN;
    for (int i = 0; i < s->nchannel; i++)
      if (v.class.of[i] >= 0 && !strcmp(s->channel[i].unit, "m/s²"))
        linear = fmax(linear, v.row_allowed[i]);
    for (int i = s->nframe; i < s->nbody; i++) {
      const jt_body q = jt_see(&v.run, i, v.run.d->accel);
      const s3 inertia = s3_rotate(q.r, s->body[i].inertia);
      const v3 f = v3_scale(s->body[i].mass, q.a);
      const v3 m = v3_add(s3_mul_v3(inertia, q.dw), v3_cross(q.w, s3_mul_v3(inertia, q.w)));
      force = v3_add(force, f);
      moment = v3_add(moment, v3_add(m, v3_cross(q.p, f)));
      const double trace = inertia.xx + inertia.yy + inertia.zz;
      // Centripetal forces are about a point in common: those of a wheel that turns fast cancel, but for rounding of their sums.
      const double arm = v3_norm(jt_cg_about(&v.run, i)), turning = v3_dot(q.w, q.w);
      const double cancels = 16.0 * 2.2e-16 * s->body[i].mass * arm * turning;
      allowed_f += s->body[i].mass * linear + cancels;
      allowed_m +=
          (s->body[i].mass * linear + cancels) * (1.0 + v3_norm(q.p)) + trace * v.angular_allowed;
    }
    if (x.condition < 1e6) {
      note(o, CHECK_MOMENTUM, v3_norm(force) / allowed_f,
           "rate of linear momentum is %.3g N, allowed %.2g", v3_norm(force), allowed_f);
      note(o, CHECK_MOMENTUM, v3_norm(moment) / allowed_m,
           "rate of angular momentum is %.3g N m, allowed %.2g", v3_norm(moment), allowed_m);
    }
  }
  view_free(&v);
  state_free(&x);
}

// Momentum at both ends of a run with that part of the step.
static bool momentum_after(const subject *b, way w, int steps, double step, int parts,
                           momentum *first, momentum *last)
{
  const jn_system *s = b->system[w];
  double *row = calloc((size_t)s->nchannel + 1, sizeof *row);
  leg k;
  bool good = row && leg_begin(s, JN_INTEGRATOR_RK4, s->binding.opts.stabilize, step / parts, &k);
  if (good) {
    const jt_run run = {&k.system, k.d, 0.0};
    leg_row(&k, row);
    *first = momentum_of(&run);
    leg_go(&k, parts * steps);
    leg_row(&k, row);
    *last = momentum_of(&run);
    good = !k.flags;
    leg_end(&k);
  }
  free(row);
  return good;
}

// Momentum is kept but for the step's error, which halving it shows; where it has the same size at both by chance, it goes with short steps.
static void check_momentum_run(const subject *b, way w, int steps, double step, outcome *o)
{
  momentum first, whole, half, brief;
  if (!momentum_after(b, w, steps, step, 1, &first, &whole) ||
      !momentum_after(b, w, steps, step, 2, &first, &half)) {
    o->skipped[SKIP_FAILED]++;
    return;
  }
  const double p = v3_norm(v3_sub(half.p, first.p)), l = v3_norm(v3_sub(half.l, first.l));
  const double dp = v3_norm(v3_sub(half.p, whole.p)), dl = v3_norm(v3_sub(half.l, whole.l));
  const double allowed_p = FACTOR * dp + ROUNDING * (1.0 + first.size_p + half.size_p),
               allowed_l = FACTOR * dl + ROUNDING * (1.0 + first.size_l + half.size_l);
  if ((p > allowed_p || l > allowed_l) &&
      momentum_after(b, w, steps, step, SHORT_PARTS, &first, &brief) &&
      v3_norm(v3_sub(brief.p, first.p)) < fmax(0.2 * p, ROUNDING * (1.0 + half.size_p)) &&
      v3_norm(v3_sub(brief.l, first.l)) < fmax(0.2 * l, ROUNDING * (1.0 + half.size_l)))
    return;
  note(o, CHECK_MOMENTUM, p / allowed_p,
       "%s: linear momentum changes by %.3g of %.3g kg m/s, halving the step changes it by %.2g",
       way_word[w], p, half.size_p, dp);
  note(o, CHECK_MOMENTUM, l / allowed_l,
       "%s: angular momentum changes by %.3g of %.3g kg m²/s, halving the step changes it by %.2g",
       way_word[w], l, half.size_l, dl);
}

static void check_momentum(const vehicle *v, const course *c, outcome *o)
{
  static vehicle other;
  static outcome spare;
  if (!vehicle_set_free(v, &other)) {
    o->skipped[SKIP_NOT_ALIKE]++;
    return;
  }
  char *model = vehicle_model(&other), *scenario = vehicle_scenario(&other);
  subject b = {0};
  memset(&spare, 0, sizeof spare);
  if (model && scenario) {
    if (subject_open(model, scenario, VEHICLE_FILE, 1 << GENERAL | 1 << AUTO, &b, &spare)) {
      check_momentum_rate(&b, o);
      check_momentum_run(&b, GENERAL, c->steps / 2, c->step, o);
      if (b.system[AUTO]) check_momentum_run(&b, AUTO, c->steps / 2, c->step, o);
    } else {
      o->skipped[SKIP_REFUSED]++;
    }
  }
  subject_close(&b);
  free(model), free(scenario);
}

// ---- the whole --------------------------------------------------------------------------------------

void compare_alike(const subject *k, const vehicle *v, uint64_t seed, const course *c,
                   checks wanted, outcome *o)
{
  if (!c->first || !c->steps) return;
  view own;
  double *allowed = calloc((size_t)k->system[GENERAL]->nchannel + 1, sizeof *allowed);
  if (view_make(k->system[GENERAL], &own) && allowed) {
    const judge j = {k, k->system[GENERAL], &own, c->tolerance, allowed};
    for (int t = 0; t < VEHICLE_NIDENTITY; t++)
      if (wanted >> (CHECK_RENAMED + t) & 1)
        compare_identity(&j, v, (vehicle_identity)t, seed, c, o);
    if (wanted >> CHECK_MOMENTUM & 1) check_momentum(v, c, o);
  }
  view_free(&own);
  free(allowed);
}
