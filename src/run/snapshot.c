// snapshot.c: one run copied, saved, restored, begun again: what lasts (solve/data.h), with a head before it when it is saved.
//
// Whatever an evaluation fills is not part of it. A state that has been evaluated already is evaluated again where it is taken over,
// which fills the workspace with the same numbers; since choices, once made, are made no further by the same positions, nothing else
// changes, and what lasts is then put back, with its counts of events.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/invariant.h"
#include "plan/build.h"
#include "plan/topology/geometry.h"
#include "run/parameter_list.h"
#include "run/plan_list.h"
#include "run/run_internal.h"
#include "solve/fast/fast.h"
#include "solve/formulation.h"
#include "solve/general/dense_core.h"
#include "solve/integrate/integrate.h"
#include "spec/spec_internal.h"

// Raised with every change of what lasts: of its numbers and arrays, their order and their meaning.
enum { FORMAT = 5 };
static const int64_t MOST_STEPS = 1000000000000;  // no run has more

typedef struct head {
  char magic[8];
  uint32_t order;   // of bytes
  uint32_t format;  // of what follows
  uint64_t size;    // of all of it
  uint64_t plan, parameters, geometry, scenario;
  uint64_t sum;  // of all that stands before and behind this
} head;

static const char MAGIC[JN_STATE_MAGIC] = JN_STATE_WORD;
static const uint32_t ORDER = 0x01020304;

// ---- marks ----------------------------------------------------------------------------------------

typedef uint64_t mark;

static mark add_numbers(mark h, int n, const double *x)
{
  return jn_hash(h, x, (size_t)n * sizeof *x);
}

#define NUMBERS(h, ...) \
  add_numbers(h, (int)(sizeof(double[]){__VA_ARGS__} / sizeof(double)), (double[]){__VA_ARGS__})

static mark add_opts(mark h, const jn_sim_opts *o)
{
  h = JN_HASH_INTS(h, (int)o->formulation, (int)o->integrator, (int)o->stabilize, (int)o->path,
                   o->newton_iterations, o->without_tyres != 0, o->without_plugins != 0);
  return NUMBERS(h, o->step, o->baumgarte);
}

static mark add_text(mark h, const char *text)
{
  return jn_hash(h, text, strlen(text) + 1);
}

// What a shared object is made of: its own code knows what it means.
static mark add_object(mark h, const char *file, const jn_parameters *p)
{
  h = add_text(h, file);
  for (int i = 0; i < p->n; i++) h = NUMBERS(add_text(h, p->name[i]), p->value[i]);
  return h;
}

// All numbers that the motion depends on.
static jn_status parameter_mark(jn_system *s, jn_error *err)
{
  const jn_spec *spec = s->model->spec;
  const int n = jn_parameters_count(s, false);
  double *number = malloc((size_t)n * sizeof *number + 1);
  if (!number) return jn_build_no_memory(s, err);
  jn_parameters_gather(s, false, number);
  mark h = add_numbers(JN_HASH_BEGIN, n, number);
  free(number);
  for (int i = 0; i < spec->nforce; i++)
    if (spec->force[i].kind == JN_FORCE_PLUGIN)
      h = add_object(h, spec->force[i].as.plugin.plugin, &spec->force[i].as.plugin.parameters);
  for (int i = 0; i < spec->ntyre; i++)
    if (spec->tyre[i].kind == JN_TYRE_PLUGIN)
      h = add_object(h, spec->tyre[i].as.plugin.plugin, &spec->tyre[i].as.plugin.parameters);
  s->parameter_mark = h;
  return JN_OK;
}

// What inputs are over time, and the road; not how long the run is to be.
static mark scenario_mark(const jn_system *s)
{
  mark h = add_numbers(JN_HASH_BEGIN, s->binding.ntime_table, s->binding.time_table);
  for (int i = 0; i < s->ninput; i++) h = JN_HASH_INTS(h, s->input[i].signal);
  for (int i = 0; i < s->ndrive; i++) h = JN_HASH_INTS(h, s->drive[i].signal, s->drive[i].input);
  for (int i = 0; i < s->ncomponent; i++) {
    const jn_component *k = &s->component[i];
    h = jn_hash(h, k->name, strlen(k->name) + 1);
    if (k->table) h = add_numbers(h, k->table->nparameter, k->value);
  }
  for (int i = 0; i < s->binding.nroad;
       i++) {  // numbers of one that is called are known to it alone
    const jn_road *r = &s->binding.road[i];
    const bool called = road_shape(r->form) == JN_ROAD_CALLS;
    h = add_numbers(JN_HASH_INTS(h, r->form), called ? 0 : road_fields(r->form), r->p);
  }
  for (int i = 0; i < s->nwheel; i++) h = JN_HASH_INTS(h, s->wheel[i].road);
  return h;
}

// Where joints are and how they stand: should that differ, loops that are closed in one block are open in another. A joint that
// holds nothing may stand anywhere.
static mark geometry_mark(const jn_model *m)
{
  mark h = JN_HASH_BEGIN;
  for (int e = 0; e < m->nedge; e++) {
    if (jn_edge_free(&m->edge[e])) continue;
    const jn_joint_geometry g = jn_joint_geometry_of(m, e);
    h = add_numbers(add_numbers(h, 6, &g.at[0].x), 6, &g.axis[0].x);
    h = NUMBERS(add_numbers(h, 9, &g.turn.x.x), g.pitch);
    h = add_numbers(add_numbers(h, 3 * JN_NX, &g.x[0].x), 3 * JN_NY, &g.y[0].x);
    h = add_numbers(h, JN_NVALUE, g.value);
  }
  return h;
}

jn_status jn_snapshot_mark(jn_system *s, jn_error *err)
{
  jn_plan_list plan = {0};
  jn_plan_list_model(&plan, s->model);
  jn_plan_list_system(&plan, s);
  mark h = jn_hash(JN_HASH_BEGIN, JN_VERSION, sizeof JN_VERSION);
  h = JN_HASH_INTS(h, FORMAT, (int)sizeof(jn_data), (int)offsetof(jn_data, step));
  h = add_opts(h, &s->binding.opts);
  const mark own = jn_plan_list_mark(&plan);
  s->plan_mark = jn_hash(h, &own, sizeof own);
  const bool full = plan.full;
  jn_plan_list_free(&plan);
  if (full) return jn_build_no_memory(s, err);
  s->geometry_mark = geometry_mark(s->model);
  s->scenario_mark = scenario_mark(s);
  return parameter_mark(s, err);
}

// ---- what lasts -----------------------------------------------------------------------------------

static unsigned char *lasting(const jn_data *d)
{
  return (unsigned char *)d + offsetof(jn_data, step);
}

static size_t place_of(const jn_data *d, const void *at)  // among the bytes that last
{
  return (size_t)((const unsigned char *)at - lasting(d));
}

static bool lanes_have_it(const jn_data *d)
{
  return d->system->lane && d->owner != JN_OWNER_COMMON;
}

// The workspace of a state that has been put in place.
static void take_over(jn_data *d)
{
  const jn_system *s = d->system;
  d->q = d->y, d->v = d->y + s->nq, d->x = d->v + s->nv;
  d->still = d->reactions_done = d->lanes_fresh = false;
  d->now_position_norm = d->now_velocity_norm = 0.0;
  for (int i = 0; i < s->nwheel; i++) d->wheel[i].keep = 0.0;
  JN_VALIDATE(jn_data_is_whole(d));
  if (lanes_have_it(d)) jn_lane_restore(s, d);
}

static bool is_evaluated(const jn_data *d)
{
  return d->stage == JN_STAGE_EVALUATED;
}

static void evaluate_again(jn_data *d)
{
  jn_evaluate_stage(d->system, d, jn_time(d), d->y, d->dy, d->rate, false);
}

static jn_status refuse(jn_error *err, jn_status st, const char *what)
{
  return jn_fail(err, st, JN_NOWHERE, NULL, "%s", what);
}

// ---- copy, reset ----------------------------------------------------------------------------------

jn_status jn_data_copy(jn_data *to, const jn_data *from)
{
  if (!to || !from || to->lasting != from->lasting ||
      to->system->plan_mark != from->system->plan_mark ||
      to->system->parameter_mark != from->system->parameter_mark ||
      to->system->scenario_mark != from->system->scenario_mark)
    return JN_E_CALL;
  if (to == from) return JN_OK;
  memcpy(lasting(to), lasting(from), to->lasting);
  if (lanes_have_it(to)) jn_lane_save_turns(from->system, from, to->lane->turn);
  take_over(to);
  if (!is_evaluated(to)) return JN_OK;
  evaluate_again(to);
  memcpy(lasting(to), lasting(from), to->lasting);
  return JN_OK;
}

void jn_data_reset(jn_data *d)
{
  if (!d) return;
  const jn_system *s = d->system;
  memset(lasting(d), 0, d->lasting);
  jn_data_begin(d);
  memcpy(d->y, s->y0, (size_t)(s->nq + s->nv + s->nx) * sizeof *s->y0);
  memcpy(d->cut_angle, s->cut0, (size_t)s->ncut * sizeof *s->cut0);
  jn_wrap_and_normalise(s, d);
  d->advances = s->lane ? JN_ADVANCES_FAST : JN_ADVANCES_GENERAL;
  take_over(d);
  memset(d->channel, 0, (size_t)s->nchannel * sizeof *d->channel);
}

// ---- another block of parameters ---------------------------------------------------------------------

// What lasts, as it is, and back to it.
static void keep(jn_data *d)
{
  memcpy(d->kept, lasting(d), d->lasting);
  if (lanes_have_it(d)) jn_lane_save_turns(d->system, d, d->kept + place_of(d, d->lane->turn));
}

static void put_back(jn_data *d)
{
  memcpy(lasting(d), d->kept, d->lasting);
  take_over(d);
  if (!is_evaluated(d)) return;
  evaluate_again(d);
  memcpy(lasting(d), d->kept, d->lasting);
}

static bool same_opts(const jn_sim_opts *a, const jn_sim_opts *b)
{
  return add_opts(JN_HASH_BEGIN, a) == add_opts(JN_HASH_BEGIN, b) && a->road == b->road &&
         a->road_self == b->road_self;
}

static double energy_of(jn_data *d)  // of the common state
{
  jn_inputs_at(d->system, d, jn_time(d));
  jn_general_positions(d->system, d);
  jn_general_velocities(d->system, d);
  const jn_energy e = jn_mechanical_energy(d->system, d);
  return e.kinetic + e.potential;
}

// Do prescribed motions go on from elsewhere, or in another way?
static bool drives_differ(jn_data *d)
{
  bool differ = false;
  jn_inputs_at(d->system, d, jn_time(d));
  for (int i = 0; i < d->system->ndrive; i++)
    differ |= d->drive[i].s != d->drive_before[i].s || d->drive[i].rate != d->drive_before[i].rate;
  return differ;
}

jn_status jn_data_switch(jn_data *d, const jn_system *to, jn_error *err)
{
  JN_NEEDS(err, d && to, "data and a system");
  const jn_system *from = d->system;
  if (to == from) return JN_OK;
  if (to->plan_mark != from->plan_mark)
    return refuse(err, JN_E_CALL,
                  "the system has another plan; jn_system_with makes one of the same");
  if (to->binding.scenario != from->binding.scenario ||
      !same_opts(&to->binding.opts, &from->binding.opts))
    return refuse(err, JN_E_CALL, "the system is of another scenario or of other options");
  if (from->binding.opts.integrator == JN_INTEGRATOR_REFERENCE)
    return refuse(err, JN_E_CALL, "`reference` has no steps to switch between");
  JN_ASSERT(to->nq == from->nq && to->nv == from->nv && to->nx == from->nx);
  keep(d);
  if (jn_step_prepare(from, d)) {  // breakpoints at this instant are the old parameters' business
    put_back(d);
    return refuse(err, JN_E_CALL, "the run has failed: there is no state to go on from");
  }
  if (d->owner == JN_OWNER_FAST) jn_fast_path.give(from, d);
  const double before = energy_of(d);
  memcpy(d->drive_before, d->drive, (size_t)from->ndrive * sizeof *d->drive);
  d->system = to;
  jn_segment_restart(to, d);
  const bool moved = to->geometry_mark != from->geometry_mark || drives_differ(d);
  const jn_status st = jn_parameters_take(d, moved, err);
  if (st) {
    d->system = from;
    put_back(d);
    return st;
  }
  d->x[to->work_state] += energy_of(d) - before;  // mass and height that come from nowhere
  return JN_OK;
}

// ---- save -----------------------------------------------------------------------------------------

static mark sum_of(const head *k, const unsigned char *body, size_t n)
{
  return jn_hash(jn_hash(JN_HASH_BEGIN, k, offsetof(head, sum)), body, n);
}

static void save_turns(const jn_data *d, unsigned char *body)
{
  const jn_system *s = d->system;
  if (!s->lane) return;
  unsigned char *turn = body + place_of(d, d->lane->turn);
  if (lanes_have_it(d))
    jn_lane_save_turns(s, d, turn);
  else
    memset(turn, 0, (size_t)jn_lane_turns(s->lane) * sizeof(double));  // or they would be old ones
}

size_t jn_data_save(const jn_data *d, void *bytes, size_t size)
{
  if (!d) return 0;
  const jn_system *s = d->system;
  const size_t needed = sizeof(head) + d->lasting;
  if (!bytes || size < needed) return needed;
  unsigned char *to = bytes, *body = to + sizeof(head);
  memcpy(body, lasting(d), d->lasting);
  save_turns(d, body);
  head k = {.order = ORDER,
            .format = FORMAT,
            .size = needed,
            .plan = s->plan_mark,
            .parameters = s->parameter_mark,
            .geometry = s->geometry_mark,
            .scenario = s->scenario_mark};
  memcpy(k.magic, MAGIC, sizeof k.magic);
  k.sum = sum_of(&k, body, d->lasting);
  memcpy(to, &k, sizeof k);
  return needed;
}

// ---- restore --------------------------------------------------------------------------------------

// Bytes that have come in, while they are looked at: what would be read from an array, or a number, of d.
typedef struct incoming {
  const jn_data *d;
  const unsigned char *body;
  bool good;
} incoming;

static void check_ints(incoming *k, const int *array, int n, int low, int high)
{
  for (int i = 0; i < n; i++) {
    int x;
    memcpy(&x, k->body + place_of(k->d, array + i), sizeof x);
    k->good &= low <= x && x <= high;
  }
}

static int64_t check_count(incoming *k, const int64_t *of, int64_t high)
{
  int64_t x;
  memcpy(&x, k->body + place_of(k->d, of), sizeof x);
  k->good &= 0 <= x && x <= high;
  return x;
}

static double number_of(const incoming *k, const double *of)
{
  double x;
  memcpy(&x, k->body + place_of(k->d, of), sizeof x);
  return x;
}

static void check_flags(incoming *k, const bool *array, int n)
{
  for (int i = 0; i < n; i++) k->good &= k->body[place_of(k->d, array + i)] <= 1;
}

static void check_history(incoming *k, const jn_integ *w)
{
  jn_integ_past x;
  memcpy(&x, k->body + place_of(k->d, w->past), sizeof x);
  k->good &= x.steps >= 0 && x.steps <= w->depth && x.head >= 0 && x.head <= w->depth;
  k->good &= x.steps == 0 || x.h == k->d->system->binding.opts.step;
}

// A run whose time is no time of a run would not come to its end; lanes to return to are there or not.
static void check_clock(incoming *k)
{
  const jn_data *d = k->d;
  const double offset = number_of(k, &d->offset);
  const jn_sim_opts *o = &d->system->binding.opts;
  const bool own_steps = o->integrator == JN_INTEGRATOR_REFERENCE;  // its time is the offset alone
  k->good &= 0.0 <= offset && offset <= (own_steps ? (double)MOST_STEPS * o->step : 0.0);
  const int64_t step = check_count(k, &d->step, MOST_STEPS);
  check_count(k, &d->left_lanes, d->system->lane && k->good ? step + 1 : 0);
  check_count(k, &d->sampled, k->good ? step + 1 : 0);
  check_count(k, &d->events, INT64_MAX);
  check_count(k, &d->rows_seen, INT64_MAX);
  const double *const between[] = {&d->from, &d->limit, &d->from_in, &d->last_before};
  for (int i = 0; i < 4; i++)  // infinite where there is no breakpoint
    k->good &= !isnan(number_of(k, between[i]));
}

static void check_statistics(incoming *k)
{
  const jn_data *d = k->d;
  const jn_account *e = &d->energy;
  const double *const number[] = {&d->position_norm,   &d->velocity_norm, &e->now,  &e->first,
                                  &e->drift,           &e->kinetic,       &e->work, &e->moved,
                                  &d->path_difference, &d->path_time};
  for (size_t i = 0; i < sizeof number / sizeof *number; i++)
    k->good &= isfinite(number_of(k, number[i]));
}

// Whatever is an index, or decides what is read or how long the run goes on: bytes may be made up, with their sum.
static bool is_sound(const jn_data *d, const unsigned char *body)
{
  const jn_system *s = d->system;
  const jn_core_data *c = d->core;
  incoming k = {d, body, true};
  check_clock(&k);
  check_statistics(&k);
  check_ints(&k, &d->nlive, 1, 0, s->ninput);
  check_ints(&k, &d->faulty, 1, -1, -1);  // a run that has failed does not go on
  check_ints(&k, &d->faulty_plugin, 1, -1, -1);
  check_ints(&k, &d->path_body, 1, -1, s->nbody - 1);
  check_ints(&k, &d->failing_body, 1, -1, s->nbody - 1);
  check_ints(&k, (const int *)&d->audit, 1, JN_AUDIT_NONE, JN_AUDIT_ALL);
  check_ints(&k, (const int *)&d->stage, 1, JN_STAGE_SET, JN_STAGE_EVALUATED);
  check_ints(&k, (const int *)&d->advances, 1, JN_ADVANCES_GENERAL,
             s->lane ? JN_ADVANCES_FAST : JN_ADVANCES_GENERAL);
  check_ints(&k, (const int *)&d->owner, 1, JN_OWNER_COMMON,
             s->lane ? JN_OWNER_BOTH : JN_OWNER_COMMON);
  check_flags(&k, d->live, s->ninput);
  for (int i = 0; i < s->nblock; i++) {
    const jn_block *b = &s->block[i];
    check_flags(&k, d->block[i].chosen, 1);
    check_ints(&k, d->block[i].pick, b->n, 0, b->n - 1);
    check_ints(&k, d->block[i].pivot, b->m, 0, b->m - 1);
  }
  check_flags(&k, &c->choice->chosen, 1);
  check_ints(&k, &c->split->rank, 1, 0, s->core_rank);
  check_flags(&k, &c->split->chosen, 1);
  check_ints(&k, c->rows, s->ncore_row, 0, s->ncore_row - 1);
  check_ints(&k, c->cols, s->ncore, 0, s->ncore - 1);
  check_ints(&k, c->pick, s->ncore_row, 0, s->ncore_row - 1);
  check_history(&k, d->integ);
  if (s->lane) check_history(&k, d->lane->integ);
  return k.good;
}

static const char OTHER[] =
    "the saved state is of another model (other bodies, joints, force elements, tyres or "
    "components), of other solver options, of wheels on roads of other kinds, or of another "
    "version of jounce";

static jn_status check_head(const jn_data *d, const unsigned char *bytes, size_t size, head *k,
                            jn_error *err)
{
  const size_t seen = size < sizeof k->magic ? size : sizeof k->magic;
  if (!size) return refuse(err, JN_E_PARSE, "there is nothing where a saved state is expected");
  if (memcmp(bytes, MAGIC, seen))
    return refuse(err, JN_E_PARSE, "this is no saved state of jounce");
  if (size < sizeof *k) return refuse(err, JN_E_PARSE, "the saved state is cut short");
  memcpy(k, bytes, sizeof *k);
  if (k->order != ORDER)
    return refuse(
        err, JN_E_PARSE,
        "the saved state is damaged, or was saved on a machine with another order of bytes");
  if (k->format != FORMAT)
    return jn_fail(err, JN_E_PARSE, JN_NOWHERE, NULL,
                   "the saved state has format %u, this version of jounce reads format %d",
                   (unsigned)k->format, FORMAT);
  if (size < k->size && k->plan == d->system->plan_mark)
    return refuse(err, JN_E_PARSE, "the saved state is cut short");
  if (size < k->size) return refuse(err, JN_E_CALL, OTHER);
  if (size > k->size) return refuse(err, JN_E_PARSE, "there are bytes behind the saved state");
  if (k->sum != sum_of(k, bytes + sizeof *k, size - sizeof *k))
    return refuse(err, JN_E_PARSE, "the saved state is damaged");
  if (k->plan != d->system->plan_mark || size != sizeof *k + d->lasting)
    return refuse(err, JN_E_CALL, OTHER);
  if (!is_sound(d, bytes + sizeof *k)) return refuse(err, JN_E_PARSE, "the saved state is damaged");
  return JN_OK;
}

// Of another scenario: its inputs begin here.
static void change_scenario(jn_data *d)
{
  d->from = INFINITY;
  d->stage = JN_STAGE_SET;
  jn_integ_restart(d->integ);
  if (d->system->lane) jn_integ_restart(d->lane->integ);
}

// Of other parameters: taken over as a switch takes it, or not at all.
static jn_status restore_other(jn_data *d, const unsigned char *body, bool moved, bool scenario,
                               jn_error *err)
{
  keep(d);
  memcpy(lasting(d), body, d->lasting);
  take_over(d);
  if (scenario) d->from = INFINITY;
  jn_segment_restart(d->system, d);
  jn_segment_begin(d->system, d, jn_time(d));
  jn_inputs_at(d->system, d, jn_time(d));
  if (d->owner == JN_OWNER_FAST) jn_fast_path.give(d->system, d);
  const jn_status st = jn_parameters_take(d, moved, err);
  if (st)
    put_back(d);
  else
    d->rows_seen = 0,
    d->energy = (jn_account){0};  // what its energy was with its own parameters is not known
  return st;
}

jn_status jn_data_restore(jn_data *d, const void *bytes, size_t size, jn_error *err)
{
  JN_NEEDS(err, d && bytes, "data and a saved state");
  head k;
  const unsigned char *body = (const unsigned char *)bytes + sizeof k;
  const jn_status st = check_head(d, bytes, size, &k, err);
  if (st) return st;
  if (k.parameters != d->system->parameter_mark)
    return restore_other(d, body, k.geometry != d->system->geometry_mark,
                         k.scenario != d->system->scenario_mark, err);
  memcpy(lasting(d), body, d->lasting);
  take_over(d);
  if (k.scenario != d->system->scenario_mark) change_scenario(d);
  if (is_evaluated(d)) {
    evaluate_again(d);
    memcpy(lasting(d), body, d->lasting);
  }
  jn_segment_restart(d->system, d);
  return JN_OK;
}
