// check_states.c: formulations and paths at one state: rates, outputs, reactions.
#include "elements/law.h"
#include "run/channels.h"
#include "runs.h"
#include "solve/fast/fast.h"

// ---- names for people -----------------------------------------------------------------------------

static const char *name_of(const jn_system *s, int i, char text[80])
{
  if (i >= s->nq + s->nv) {
    const int x = i - s->nq - s->nv;
    snprintf(text, 80, "state %d", x);
    if (x == s->work_state) snprintf(text, 80, "work");
    for (int k = 0; k < s->nwheel; k++) {
      const jn_wheel *w = &s->wheel[k];
      if (x == w->spin) snprintf(text, 80, "spin of %s", w->name);
      if (x == w->hold) snprintf(text, 80, "brake of %s", w->name);
      if (w->comply >= 0 && x >= w->comply && x < w->comply + 2)
        snprintf(text, 80, "compliance of %s", w->name);
      if (x >= w->slip && x < w->slip + w->tyre.nslip) snprintf(text, 80, "tread of %s", w->name);
    }
    for (int k = 0; k < s->ninstance; k++) {
      const jn_instance *c = &s->instance[k];
      if ((x >= c->x && x < c->x + c->nplain) || (x >= c->e && x < c->e + c->ndeclared))
        snprintf(text, 80, "state of %.60s", c->name);
    }
    return text;
  }
  for (int b = s->nframe; b < s->nbody; b++) {
    const jn_tree_joint *j = &s->joint[b];
    const bool q = i < s->nq;
    const int first = q ? j->q : s->nq + j->v, n = q ? j->nq : j->nv;
    if (i >= first && i < first + n)
      snprintf(text, 80, "%s %d of %s", q ? "position" : "velocity", i - first,
               jn_node_name(s->model, s->body[b].node));
  }
  return text;
}

static double over(double a, double b, double allowed)
{
  const double apart = fabs(a - b);
  return apart == 0.0 ? 0.0 : apart / allowed;  // NaN stays NaN
}

// ---- formulations -----------------------------------------------------------------------------------

static bool is_undetermined(const subject *k, const view *v, int channel)
{
  for (int e = 0; e < k->model->nfile_edge; e++)
    if (k->undetermined[e] && v->reaction[e] >= 0 && channel >= v->reaction[e] &&
        channel < v->reaction[e] + 6 + k->model->edge[e].driven)
      return true;
  return false;
}

static void compare_views(const subject *k, const view *g, const view *f, const state *x,
                          int number, check c, outcome *o)
{
  const jn_system *s = g->run.s;
  const jn_model *m = s->model;
  char text[80];
  double worst = 0.0;
  int at = 0;
#define WORSE(ratio)          \
  const double now = (ratio); \
  if (!(now <= worst)) worst = isnan(now) ? INFINITY : now, at
  for (int i = 0; i < s->nq + s->nv + s->nx; i++) {
    WORSE(over(f->dy[i], g->dy[i], g->dy_allowed[i])) = i;
  }
  note(o, c, worst,
       "state %d: rate of %s is %.10g, general %.10g, allowed %.2g, conditions %.0e %.0e %.0e %.0e",
       number, name_of(s, at, text), f->dy[at], g->dy[at], g->dy_allowed[at], x->condition, x->mass,
       x->arm, x->spread);
  worst = 0.0, at = 0;
  for (int i = 0; i < s->nchannel; i++) {
    if (g->class.of[i] < 0 || is_undetermined(k, g, i)) continue;
    WORSE(over(f->row[i], g->row[i], g->row_allowed[i])) = i;
  }
  note(o, c, worst,
       "state %d: %s is %.10g, general %.10g, allowed %.2g, conditions %.0e %.0e %.0e %.0e", number,
       s->channel[at].name, f->row[at], g->row[at], g->row_allowed[at], x->condition, x->mass,
       x->arm, x->spread);
  worst = 0.0, at = 1;
  for (int n = 1; n < m->nnode; n++) {
    WORSE(v3_norm(v3_sub(f->held_f[n], g->held_f[n])) / g->force_allowed) = n;
  }
  for (int n = 1; n < m->nnode; n++) {
    WORSE(v3_norm(v3_sub(f->held_m[n], g->held_m[n])) / g->moment_allowed) = n;
  }
  note(o, c, worst, "state %d: resultant of constraints on %s, conditions %.0e %.0e %.0e %.0e",
       number, jn_node_name(m, at), x->condition, x->mass, x->arm, x->spread);
}

// Newton and Euler: what joints and force elements put on a body is what moves it.
static void check_balance(const view *v, int number, outcome *o)
{
  const jn_system *s = v->run.s;
  for (int i = s->nframe; i < s->nbody; i++) {
    const int n = s->body[i].node;
    jt_body b = jt_see(&v->run, i, v->run.d->accel);
    b.a = v3_add(b.a, s->gravity);
    const s3 inertia = s3_rotate(b.r, s->body[i].inertia);
    const v3 spin = v3_add(s3_mul_v3(inertia, b.dw), v3_cross(b.w, s3_mul_v3(inertia, b.w)));
    const v3 force = v3_sub(v3_add(v->held_f[n], v->force[n]), v3_scale(s->body[i].mass, b.a));
    const v3 moment = v3_sub(v3_add(v->held_m[n], v->moment[n]), spin);
    note(o, CHECK_STATE_BALANCE, v3_norm(force) / v->force_allowed,
         "state %d: forces on %s leave %.3g N", number, jn_node_name(s->model, n), v3_norm(force));
    note(o, CHECK_STATE_BALANCE, v3_norm(moment) / v->moment_allowed,
         "state %d: moments on %s leave %.3g N m", number, jn_node_name(s->model, n),
         v3_norm(moment));
  }
}

// Assembled initial states, and preloads that balance the design position.
static void compare_initial(const jn_system *g, const jn_system *f, check c, double condition,
                            outcome *o)
{
  // Assembly ends when residuals are rounding; loops multiply that by their condition.
  const double part = 1e-12 * (10.0 + condition);
  char text[80];
  double worst = 0.0;
  int at = 0;
  for (int i = 0; i < g->nq + g->nv + g->nx; i++) {
    WORSE(over(f->y0[i], g->y0[i], part * fmax(1.0, fabs(g->y0[i])))) = i;
  }
  note(o, c, worst, "initial %s is %.12g, general %.12g", name_of(g, at, text), f->y0[at],
       g->y0[at]);
  for (int i = 0; i < g->nelement; i++) {
    const jn_element *a = &f->element[i], *b = &g->element[i];
    if (b->kind != JN_FORCE_TSDA) continue;
    const double size = fmax(fabs(b->p[LAW_PRELOAD]), 100.0);
    note(o, c, over(a->p[LAW_PRELOAD], b->p[LAW_PRELOAD], 100.0 * part * size),
         "preload of %s is %.12g, general %.12g", b->name, a->p[LAW_PRELOAD], b->p[LAW_PRELOAD]);
    note(o, c, over(a->p[LAW_FREE], b->p[LAW_FREE], 100.0 * part),
         "free length of %s is %.12g, general %.12g", b->name, a->p[LAW_FREE], b->p[LAW_FREE]);
  }
}
#undef WORSE

// ---- lanes ------------------------------------------------------------------------------------------

// A path in lanes, one Euler step of which shows the rates at a state: nothing else is evaluated in it.
typedef struct bench {
  jn_system system;
  jn_data *d;
  jn_rows *rows;    // of all channels that lanes have
  int *channel, n;  // these
  double *row;      // (n)
} bench;

static const double SHORT = 1e-7;

static bool bench_make(const jn_system *s, bench *b)
{
  jn_error err = {0};
  *b = (bench){0};
  if (!s) return true;
  b->system = with_options(s, JN_INTEGRATOR_EULER, s->binding.opts.stabilize, SHORT);
  return !jn_data_create(&b->system, &b->d, &err);
}

static void bench_free(bench *b)
{
  jn_rows_free(b->rows);
  jn_data_free(b->d);
  free(b->channel), free(b->row);
}

// Lanes know what the prescribed motion of a core body's joint needs; within a subsystem it is a reaction.
static bool is_driven_in_core(const jn_system *s, const char *channel)
{
  for (int i = 0; i < s->lane->ncore; i++) {
    const int drive = s->lane->core[i].drive;
    if (drive < 0) continue;
    const char *joint = s->model->spec->joint[s->model->edge[s->drive[drive].edge].joint].name;
    const size_t n = strlen(joint);
    if (!strncmp(channel + 6, joint, n) && !strcmp(channel + 6 + n, ".drive")) return true;
  }
  return false;
}

// Rows that need no evaluation of the general path. False: there is no memory.
static bool bench_rows(bench *b)
{
  const jn_system *s = &b->system;
  jn_error err = {0};
  b->channel = calloc((size_t)s->nchannel + 1, sizeof *b->channel);
  b->row = calloc((size_t)s->nchannel + 1, sizeof *b->row);
  if (!b->channel || !b->row) return false;
  for (int i = 0; i < s->nchannel; i++) {
    const char *name = s->channel[i].name, *dot = strrchr(name, '.');
    const bool drive = !strncmp(name, "joint.", 6) && dot && !strcmp(dot, ".drive");
    if (!jn_channel_is_reaction(s, i) || (drive && is_driven_in_core(s, name)))
      b->channel[b->n++] = i;
  }
  return !jn_rows_create(s, b->channel, b->n, &b->rows, &err);
}

static void bench_set(bench *b, const state *x)
{
  const jn_system *s = &b->system;
  jn_data *d = b->d;
  memcpy(d->y, x->y, (size_t)(s->nq + s->nv + s->nx) * sizeof *d->y);
  memcpy(d->turn, x->turn, (size_t)s->nq * sizeof *d->turn);
  memset(d->choice, 0, d->nchoice);  // not those of a state that another path did not come to
  d->advances = JN_ADVANCES_FAST;
  d->from = INFINITY;
  jn_state_set(d);
  d->step = 0, d->offset = x->t;
  jn_segment_begin(s, d, x->t);
  jn_inputs_at(s, d, x->t);
}

// False: it left the lanes, because a pivot has fallen since the coordinates were chosen.
static bool bench_at(bench *b, const state *x, jn_step_flags *flags)
{
  bench_set(b, x);
  *flags = jn_step(&b->system, b->d);
  return jn_is_fast(b->d);
}

typedef struct lane_compare {
  const jn_system *s;
  const view *g;
  const double *y;  // of the state
  double worst;
  char what[WHAT];
  int number;
  bool running;  // the workspace is that of a later evaluation
} lane_compare;

static void lane_value(lane_compare *c, int i, const char *kind, double lanes, double general,
                       double allowed)
{
  const double ratio = over(lanes, general, allowed);
  char text[80];
  if (ratio <= c->worst) return;
  c->worst = isnan(ratio) ? INFINITY : ratio;
  snprintf(c->what, WHAT, "state %d: %s of %s is %.10g in lanes, general %.10g, allowed %.2g",
           c->number, kind, name_of(c->s, i, text), lanes, general, allowed);
}

static void lane_rate(lane_compare *c, int i, double lanes)
{
  lane_value(c, i, "rate", lanes, c->g->dy[i], c->g->dy_allowed[i]);
}

// Rate at which a declared state decays.
static void lane_decay(lane_compare *c, int i, double lanes)
{
  const jn_system *s = c->s;
  const int e = i - (s->nq + s->nv + s->nx - s->nexp);
  const double size = fmax(fabs(c->y[i]), 1e-3);
  lane_value(c, i, "decay", lanes, c->g->rate[e],
             c->g->dy_allowed[i] / size + 1e-11 * fabs(c->g->rate[e]));
}

// A rotor's state is its absolute angular velocity about the axis, which is fixed in the wheel: its rate is the
// angular acceleration along it.
static void lane_rotor(lane_compare *c, const lane_state_map *k, double lanes)
{
  const jn_data *d = c->g->run.d;
  const v3 axis = m3_mul_v3(d->pose[k->rotor].r, k->axis);
  lane_value(c, k->general, "rate of the absolute spin", lanes, v3_dot(axis, d->accel[k->rotor].a),
             c->g->angular_allowed);
}

static void lane_group_rates(lane_compare *c, const jn_data *d, int g)
{
  const jn_system *s = c->s;
  const lane_group *k = &s->lane->group[g];
  const int first[] = {[LANE_Q] = k->q, [LANE_V] = k->v, [LANE_X] = k->x, [LANE_E] = k->e};
  for (int lane = 0; lane < k->lanes; lane++)
    for (int i = 0; i < k->nlink; i++) {
      const lane_state_map *link = &k->link[lane * k->nlink + i];
      const int at = LANES * link->field + lane;
      if (link->section == LANE_TURNS) continue;
      if (link->section == LANE_FOLLOWS) {
        const int v = link->general - s->nq;
        if (c->running) continue;
        lane_value(c, link->general, "value", d->lane->w[g][at], c->y[link->general],
                   c->g->v_allowed[v]);
        continue;
      }
      const double x = d->lane->dy[first[link->section] + at];
      if (link->rotor >= 0)
        lane_rotor(c, link, x);
      else
        lane_rate(c, link->general, x);
      if (link->section == LANE_E)
        lane_decay(c, link->general, d->lane->rate[k->e - s->lane->core_e + at]);
    }
}

typedef struct
    own_body {  // that is in no lane: its first position and velocity in the lanes' state
  int body, q, v;
} own_body;

static own_body own_body_of(const jn_lane *l, int i)  // core bodies, then those of the rest
{
  const lane_rest *r = &l->rest;
  if (i < l->ncore) return (own_body){l->core[i].body, l->core[i].q, l->core[i].v};
  return (own_body){r->part.body[i - l->ncore], r->q[i - l->ncore], r->v[i - l->ncore]};
}

static void compare_lanes(const view *g, const jn_system *s, const jn_data *d, const state *x,
                          int number, bool running, outcome *o)
{
  const jn_lane *l = s->lane;
  const double *dy = d->lane->dy;
  lane_compare c = {.s = s, .g = g, .y = x->y, .number = number, .running = running};
  for (int i = 0; i < l->ncore + l->rest.part.nbody; i++) {
    const own_body b = own_body_of(l, i);
    const jn_tree_joint *j = &s->joint[b.body];
    for (int k = 0; k < j->nq; k++) lane_rate(&c, j->q + k, dy[b.q + k]);
    for (int k = 0; k < j->nv; k++) lane_rate(&c, s->nq + j->v + k, dy[b.v + k]);
  }
  for (int i = 0; i < l->nplain; i++) lane_rate(&c, s->nq + s->nv + l->plain[i], dy[l->core_x + i]);
  for (int i = 0; i < l->ndeclared; i++) {
    lane_rate(&c, s->nq + s->nv + l->declared[i], dy[l->core_e + i]);
    lane_decay(&c, s->nq + s->nv + l->declared[i], d->lane->rate[i]);
  }
  for (int n = 0; n < l->ngroup; n++) lane_group_rates(&c, d, n);
  note(o, running ? CHECK_RUN_RATES : CHECK_STATE_LANES, c.worst,
       "%.160s, conditions %.0e %.0e %.0e %.0e", c.what, x->condition, x->mass, x->arm, x->spread);
}

// Rows that are made of what lanes have, at a state at which they stay.
static void compare_rows(const view *g, bench *b, const state *x, int number, outcome *o)
{
  const jn_system *s = &b->system;
  double worst = 0.0;
  int at = 0;
  bench_set(b, x);
  const jn_step_flags flags = jn_rows_fill(b->rows, b->d, b->row);
  const char *without = jn_rows_general(b->rows);
  if (flags || without) {
    note(o, CHECK_STATE_ROWS, INFINITY, "state %d: flag %d, lanes are without %s", number,
         (int)flags, without ? without : "nothing");
    return;
  }
  for (int i = 0; i < b->n; i++) {
    const int c = b->channel[i];
    if (g->class.of[c] < 0) continue;
    const double ratio = over(b->row[i], g->row[c], g->row_allowed[c]);
    if (!(ratio <= worst)) worst = isnan(ratio) ? INFINITY : ratio, at = i;
  }
  const int c = b->channel[at];
  note(
      o, CHECK_STATE_ROWS, worst,
      "state %d: %s is %.10g in lanes, general %.10g, allowed %.2g, conditions %.0e %.0e %.0e %.0e",
      number, s->channel[c].name, b->row[at], g->row[c], g->row_allowed[c], x->condition, x->mass,
      x->arm, x->spread);
}

void check_left(const subject *k, const jn_system *s, jn_data *d, int steps, outcome *o)
{
  view v;
  state x = {0};
  for (int i = 0; i < s->binding.nbreakpoint; i++)  // velocities may jump there, and have not yet
    if (fabs(s->binding.breakpoint[i] - jn_time(d)) < 1e-6) return;
  if (view_make(k->system[GENERAL], &v) && state_make(s, &x)) {
    jn_lane_leave(s, d);
    memcpy(x.y, d->y, (size_t)(s->nq + s->nv + s->nx) * sizeof *x.y);
    x.t = jn_time(d);
    state_measure(k, &v, &x);
    double size = 1.0;
    for (int i = 0; i < s->nv; i++) size = fmax(size, fabs(x.y[s->nq + i]));
    const double left = jt_scaled_worst(v.run.s, v.run.d->residual_rate);
    // Where loops are not quite closed, rates differ by the turning of the axes that rows are in. Otherwise a rate is a sum of
    // some twenty products of velocities that follow from others: eps, 6 rows, 20 terms, condition.
    const double allowed = (3e-14 * (10.0 + x.condition) + 4.0 * x.residual) * size;
    if (x.condition < 1e6)
      note(o, CHECK_RUN_RATES, left / allowed,
           "after %d steps, rates of constraint residuals are %.2g, allowed %.2g", steps, left,
           allowed);
    // The factors of rk4's last stage are those of the new time: one correction reaches rounding.
    const double closed = 1e-13 * (10.0 + x.condition);
    if (x.condition < 1e6 && s->binding.opts.stabilize == JN_STABILIZE_PROJECTION &&
        !(x.residual > closed && closes_faster(k, AUTO, steps, x.residual)))
      note(o, CHECK_RUN_RATES, x.residual / closed,
           "after %d steps, constraint residuals are %.2g, allowed %.2g", steps, x.residual,
           closed);
  }
  view_free(&v);
  state_free(&x);
}

void compare_running(const subject *k, const jn_system *s, jn_data *d, int steps, outcome *o)
{
  view v;
  state x = {0};
  jt_random r = {5};
  const double t = jn_time(d);
  for (int i = 0; i < s->binding.nbreakpoint; i++)
    // To which side of it t belongs is rounding, and a step that meets one has other rates in the end.
    if (s->binding.breakpoint[i] > t - 1e-6 &&
        s->binding.breakpoint[i] < t + s->binding.opts.step + 1e-6)
      return;
  if (view_make(k->system[GENERAL], &v) && state_make(s, &x)) {
    jn_lane_leave(s, d);  // a row has projected velocities
    memcpy(x.y, d->y, (size_t)(s->nq + s->nv + s->nx) * sizeof *x.y);
    memcpy(x.turn, d->turn, (size_t)s->nq * sizeof *x.turn);
    x.t = t;
    state_measure(k, &v, &x);
    if (x.condition < 1e6) {
      view_allow(&v, &x, &r);
      if (!jn_step(s, d) && jn_is_fast(d)) compare_lanes(&v, s, d, &x, steps, true, o);
    }
  }
  view_free(&v);
  state_free(&x);
}

// Lanes that hold no subsystem are copies of the first.
static void check_unused(const bench *b, int number, outcome *o)
{
  const jn_lane *l = b->system.lane;
  const double *dy = b->d->lane->dy, *y = b->d->lane->y;
  if (l->engine->width == 1) return;  // nobody writes to them
  for (int g = 0; g < l->ngroup; g++) {
    const lane_group *k = &l->group[g];
    const int first[] = {k->q, k->v, k->x, k->e}, n[] = {k->nq, k->nv, k->nx, k->ne};
    bool finite = true, same = true;
    for (int p = 0; p < 4; p++)
      for (int f = 0; f < n[p]; f++)
        for (int lane = k->lanes; lane < LANES; lane++) {
          const int at = first[p] + LANES * f;
          finite &= isfinite(dy[at + lane]) && isfinite(y[at + lane]);
          same &= !memcmp(&dy[at + lane], &dy[at], sizeof *dy);
        }
    note(o, CHECK_UNUSED_LANES, finite && same ? 0.0 : INFINITY,
         "state %d: rates of the unused lanes of group %d are %s", number, g,
         finite ? "not those of the first" : "not finite");
  }
}

// All numbers in use, bit by bit; but the larger of two zeros is either of them, by the CPU's choice.
static void compare_bits(const bench *a, const bench *b, check c, int number, outcome *o)
{
  const jn_lane *l = a->system.lane, *m = b->system.lane;
  const double *x = a->d->lane->dy, *y = b->d->lane->dy;
  if (l->ngroup != m->ngroup || l->ncore != m->ncore || l->core_e != m->core_e) {
    note(o, c, INFINITY, "state %d: groups differ", number);
    return;
  }
  int apart = 0, count = 0, where = 0;
#define SAME(i)                                                                              \
  do {                                                                                       \
    const int at_ = (i);                                                                     \
    count++;                                                                                 \
    if (memcmp(&x[at_], &y[at_], sizeof *x) && (x[at_] != 0.0 || y[at_] != 0.0) && !apart++) \
      where = at_;                                                                           \
  } while (0)
  for (int i = 0; i < l->ncore + l->rest.part.nbody; i++) {
    const own_body own = own_body_of(l, i);
    const jn_tree_joint *j = &a->system.joint[own.body];
    for (int k = 0; k < j->nq; k++) SAME(own.q + k);
    for (int k = 0; k < j->nv; k++) SAME(own.v + k);
  }
  for (int i = 0; i < l->nplain; i++) SAME(l->core_x + i);
  for (int i = 0; i < l->ndeclared; i++) SAME(l->core_e + i);
  for (int g = 0; g < l->ngroup; g++) {
    const lane_group *k = &l->group[g];
    const int first[] = {k->q, k->v, k->x, k->e}, n[] = {k->nq, k->nv, k->nx, k->ne};
    for (int p = 0; p < 4; p++)
      for (int f = 0; f < n[p]; f++)
        for (int lane = 0; lane < k->lanes; lane++) SAME(first[p] + LANES * f + lane);
  }
#undef SAME
  note(o, c, apart ? INFINITY : 0.0,
       "state %d: %d of %d rates, the first at %d (%d positions, %d velocities): %a in auto, %a",
       number, apart, count, where, l->nq, l->nv, x[where], y[where]);
}

// ---- the whole --------------------------------------------------------------------------------------

static void compare_paths(const view *g, bench b[NWAY], const state *x, int number, outcome *o)
{
  jn_step_flags flags = JN_STEP_OK;
  bool stays[NWAY] = {false};
  for (int w = AUTO; w < NWAY; w++) {
    if (!b[w].d) continue;
    stays[w] = bench_at(&b[w], x, &flags);
    if (w != AUTO) continue;
    if (flags) {
      note(o, CHECK_STATE_LANES, INFINITY, "state %d: flag %d in lanes", number, (int)flags);
      return;
    }
    if (!stays[AUTO]) {
      o->skipped[SKIP_PIVOT]++;
      return;
    }
  }
  if (!b[AUTO].d) return;
  compare_lanes(g, &b[AUTO].system, b[AUTO].d, x, number, false, o);
  check_unused(&b[AUTO], number, o);
  for (int w = LIST; w < NWAY; w++)
    if (b[w].d && stays[w])
      compare_bits(&b[AUTO], &b[w], w == LIST ? CHECK_STATE_LIST : CHECK_STATE_NARROW, number, o);
  compare_rows(g, &b[AUTO], x, number, o);
}

void compare_states(const subject *k, uint64_t seed, checks wanted, outcome *o)
{
  if (!(wanted & checks_in(IN_STATES))) return;
  static const check of[] = {
      [RECURSIVE] = CHECK_STATE_RECURSIVE, [INDEPENDENT] = CHECK_STATE_INDEPENDENT};
  jt_random r = {seed * 0x9e3779b97f4a7c15u + 7};
  view v[AUTO] = {0};
  bench b[NWAY] = {0};
  state x = {0};
  bool good = state_make(k->system[GENERAL], &x) && view_make(k->system[GENERAL], &v[GENERAL]);
  for (int w = RECURSIVE; w <= INDEPENDENT; w++)
    if (good && k->system[w]) good = view_make(k->system[w], &v[w]);
  for (int w = AUTO; w < NWAY; w++)
    if (good && k->system[w]) good = bench_make(k->system[w], &b[w]);
  if (good && b[AUTO].d) good = bench_rows(&b[AUTO]);
  for (int n = 0; good && n < STATES; n++) {
    if (n == 0) {
      state_initial(k, &v[GENERAL], &x);
      for (int w = RECURSIVE; w <= INDEPENDENT; w++)
        if (k->system[w] && x.condition < 1e6)
          compare_initial(k->system[GENERAL], k->system[w],
                          w == RECURSIVE ? CHECK_INITIAL_RECURSIVE : CHECK_INITIAL_INDEPENDENT,
                          x.condition, o);
      if (!(x.condition < 1e6)) {
        o->skipped[SKIP_CONDITION]++;
        continue;
      }
    } else if (!state_draw(k, &v[GENERAL], &r, &x, o)) {
      continue;
    }
    view_allow(&v[GENERAL], &x, &r);
    check_balance(&v[GENERAL], n, o);
    check_rates(&v[GENERAL], &x, n, o);
    check_laws(&v[GENERAL], &x, n, o);
    for (int w = RECURSIVE; w <= INDEPENDENT; w++) {
      if (!k->system[w]) continue;
      // Not those of a state far away: pivots that have fallen to nearly a tenth since cost digits.
      memset(v[w].run.d->choice, 0, v[w].run.d->nchoice);
      view_at(&v[w], &x);
      compare_views(k, &v[GENERAL], &v[w], &x, n, of[w], o);
    }
    compare_paths(&v[GENERAL], b, &x, n, o);
    if (n == 0) {  // loops whose rows are wrong close nowhere else
      jt_random later = {seed};
      state_later(k->system[GENERAL], &later, &x);
      view_allow(&v[GENERAL], &x, &later);
      check_rates(&v[GENERAL], &x, n, o);
    }
    if (k->system[AUTO] && n == STATES - 1)
      compare_steps(k->system[GENERAL], k->system[AUTO], &v[GENERAL], &x, o);
  }
  for (int w = GENERAL; w < AUTO; w++)
    if (v[w].run.s) view_free(&v[w]);
  for (int w = AUTO; w < NWAY; w++) bench_free(&b[w]);
  state_free(&x);
}
