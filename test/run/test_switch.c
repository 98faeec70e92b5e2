// A run that switches to another block of parameters of its plan between two steps goes on as one that was begun with these
// numbers in the same state: in every formulation, path, integrator and stabilisation, without allocating, a thousand times while
// driving. What a plan cannot take is refused by name, and what cannot be reached leaves the run as it was.
#include <math.h>

#include "allocations.h"
#include "run/parameter_list.h"
#include "run/run_internal.h"
#include "run_case.h"
#include "solve/fast/fast.h"

static const char steers[] =  // breakpoints within steps, and on their ends
    "jounce: 1\nscenario: steers\nend: 10\nspeed: 15\ninputs:\n"
    "  driver.rack: {type: sine, amplitude: 0.004, frequency: 0.5, start: 0.0205}\n";

// ---- blocks -----------------------------------------------------------------------------------------

static jn_spec *load_with(const char *file, const char *const *set, int n)
{
  jn_error err = {0};
  jn_spec *spec = NULL;
  jt_ok(jn_spec_load(file, set, n, &spec, &err), &err, file);
  return spec;
}

enum { SETS = 4, BLOCKS = 6 };

typedef struct subject {
  const char *name, *model, *scenario;
  double step;
  const char *set[BLOCKS][SETS];  // of each block, as --set has them; NULL: no more
} subject;

static const subject subjects[] = {
    {"hmmwv",
     "models/hmmwv.yaml",
     steers,
     5e-4,
     {{"forces.rack_servo.stiffness=4e6", "forces.rack_servo.damping=30e3"},
      {"forces.damper_fl.damper_curve=[[-4, -23000], [-1, -9000], [0, 0], [1, 12000], [4, 38000]]",
       "forces.spring_rl.spring_curve=[[-0.2, -250000], [-0.1, -41000], [0, 0], [0.1, 41000]]"},
      {"bodies.chassis.mass=2600", "bodies.chassis.cg=[-0.3, 0.05, 0.75]", "bodies.lca_fl.mass=31",
       "bodies.wheel_rr.inertia=[5.2, 0.25, 5.0, 0, 0.01, 0]"},
      {"tyres.hmmwv.cornering_stiffness=52000", "tyres.hmmwv.friction=0.6", "forces.fl.inertia=9"},
      {"points.uca_ball_fl=[1.6319298, 0.712518, 0.6984936]",
       "points.tie_in_fr=[1.438648, -0.445437, 0.537229]",
       "points.lca_pivot_rl=[-1.688965, 0.309086, 0.477]"},
      {"gravity=[0.3, 0, -9.7]", "points.hub_rr=[-1.655405, -0.907701, 0.455711]"}}},
    {"hmmwv-odd-corners",
     "test/models/hmmwv-odd-corners.yaml",
     steers,
     5e-4,
     {{"bodies.lca_fl.mass=31", "bodies.bob_rr.mass=5", "forces.spring_fl.free_length=0.3"},
      {"points.uca_ball_fl=[1.6319298, 0.712518, 0.6984936]", "forces.fl.inertia=9"},
      {"tyres.hmmwv.friction=0.6", "points.tie_out_fl=[1.5131462, 0.8231058, 0.4656678]"}}},
    {"passenger-car",
     "models/passenger-car.yaml",
     steers,
     5e-4,
     {{"forces.spring_fl.stiffness=31", "forces.beam.stiffness=60e3"},
      {"bodies.chassis.mass=1400", "bodies.wheel_rl.mass=25", "bodies.rod_fr.mass=3.5"},
      {"tyres.road.friction=0.5", "tyres.road.radius=312"},
      {"points.tie_out_fl=[-141, 682, 227]", "points.bar_axle=[-2721, -468, 303]",
       "points.strut_top_fr=[-27, -583, 821]"}}},
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

typedef struct blocks {
  jt_run run;  // of the file as it is
  int n;
  jn_spec *spec[BLOCKS + 1];
  jn_system *system[BLOCKS + 1];  // the first is the run's own
} blocks;

static blocks open_blocks(const subject *k, jn_sim_opts o)
{
  jn_error err = {0};
  o.step = k->step;
  blocks b = {.run = jt_start(jt_load(k->model), k->scenario, &o)};
  b.system[b.n++] = b.run.system;
  for (int i = 0; i < BLOCKS; i++) {
    int n = 0;
    while (n < SETS && k->set[i][n]) n++;
    if (!n) continue;
    b.spec[b.n] = load_with(k->model, k->set[i], n);
    jt_ok(jn_system_with(b.run.system, b.spec[b.n], &b.system[b.n], &err), &err, k->set[i][0]);
    b.n++;
  }
  return b;
}

static void close_blocks(blocks *b)
{
  for (int i = 1; i < b->n; i++) {
    jn_system_free(b->system[i]);
    jn_spec_free(b->spec[i]);
  }
  jt_end(&b->run);
}

static void switch_to(blocks *b, int i)
{
  jn_error err = {0};
  jt_ok(jn_data_switch(b->run.data, b->system[i], &err), &err, "switch");
  assert_ptr_equal(b->run.data->system, b->system[i]);
}

static bool way(int i, jn_sim_opts *o)
{
  int n = 0;
  for (int f = 0; f < JN_NFORMULATION; f++)
    for (int p = 0; p < (f == JN_FORMULATION_SUBSYSTEM ? JN_NPATH : 1); p++)
      for (int m = 0; m < JN_NINTEGRATOR; m++)
        for (int z = 0; z < JN_NSTABILIZE; z++) {
          if (m == JN_INTEGRATOR_REFERENCE) continue;
          if (z != (m + p) % JN_NSTABILIZE && (m != JN_INTEGRATOR_AB3 || p)) continue;
          *o = (jn_sim_opts){.formulation = (jn_formulation)f,
                             .path = (jn_path)p,
                             .integrator = (jn_integrator)m,
                             .stabilize = (jn_stabilize)z};
          if (n++ == i) return true;
        }
  return false;
}

// ---- the same as a cold start -------------------------------------------------------------------------

static size_t size_of_state(const jn_system *s)
{
  return (size_t)(s->nq + s->nv + s->nx) * sizeof(double);
}

static void put_into(jn_data *d, const jn_data *from)
{
  const jn_system *s = d->system;
  jn_data_reset(d);
  memcpy(d->y, from->y, size_of_state(s));
  memcpy(d->turn, from->turn, (size_t)s->nq * sizeof *d->turn);
  memcpy(d->cut_angle, from->cut_angle, (size_t)s->ncut * sizeof *d->cut_angle);
  d->step = from->step;
  d->advances = from->advances;
  jn_state_set(d);
}

// A run of the changed file, which knows nothing of the plan that the other was made on, put into the other's state.
static jt_run cold_start(const subject *k, jn_sim_opts o, const char *const *set,
                         const jn_data *from)
{
  int n = 0;
  while (n < SETS && set[n]) n++;
  o.step = k->step;
  jt_run r = jt_start(load_with(k->model, set, n), k->scenario, &o);
  assert_int_equal(size_of_state(r.system), size_of_state(from->system));
  put_into(r.data, from);
  return r;
}

// Everything but what counts from the beginning of the run.
static void rows_are_equal(const subject *k, const jn_data *da, jt_run *b, const char *what)
{
  const double *x = jn_row(da), *y = jn_row(b->data);
  const bool same =
      da->system->plan_mark == b->system->plan_mark;  // else the order of sums may differ
  for (int c = 0; c < jn_channel_count(b->system); c++) {
    const char *name = jn_channel_at(b->system, c).name;
    if (!strcmp(name, "solver.events") || !strcmp(name, "solver.energy_drift") ||
        !strcmp(name, "solver.work"))
      continue;
    if (!same && fabs(x[c] - y[c]) <= 1e-7 * (1.0 + fabs(x[c]))) continue;
    if (memcmp(&x[c], &y[c], sizeof *x))
      fail_msg("%s, %s: %s is %.17g at %g s, after a cold start %.17g", k->name, what, name, x[c],
               jn_time(da), y[c]);
  }
}

static void goes_on_as_a_cold_start(const subject *k, jn_sim_opts o, int block, int before,
                                    int after)
{
  blocks b = open_blocks(k, o);
  jt_run *r = &b.run;
  jt_steps(r, before);
  switch_to(&b, block + 1);
  assert_true(r->data->owner == JN_OWNER_COMMON);
  jt_run cold = cold_start(k, o, k->set[block], r->data);
  char what[120];
  snprintf(what, sizeof what, "%s, %s %s %s", k->set[block][0],
           jn_sim_word_of("formulation", o.formulation), jn_sim_word_of("path", o.path),
           jn_sim_word_of("integrator", o.integrator));
  for (int i = 0; i <= after; i++) {
    if (i % 10 == 0) {
      jt_row(&cold), jt_row(r);
      rows_are_equal(k, r->data, &cold, what);
    }
    jt_steps(&cold, 1), jt_steps(r, 1);
  }
  jt_end(&cold);
  close_blocks(&b);
}

static void every_way_goes_on_as_a_cold_start(void **state)
{
  (void)state;
  jn_sim_opts o;
  for (int s = 0; s < SUBJECTS; s++)
    for (int i = 0; way(i, &o); i++) {
      int nblock = 0;
      while (nblock < BLOCKS && subjects[s].set[nblock][0]) nblock++;
      goes_on_as_a_cold_start(&subjects[s], o, i % nblock, 37 + i, 40);
    }
}

static void every_block_goes_on_as_a_cold_start(void **state)
{
  (void)state;
  for (int s = 0; s < SUBJECTS; s++)
    for (int i = 0; i < BLOCKS && subjects[s].set[i][0]; i++)
      for (int p = 0; p < 2; p++) {
        const jn_sim_opts o = {.path = p ? JN_PATH_GENERAL : JN_PATH_AUTO};
        goes_on_as_a_cold_start(&subjects[s], o, i, 100, 60);
      }
}

// ---- a thousand switches while driving -------------------------------------------------------------------

static bool states_are_equal(const jn_data *a, const jn_data *b)
{
  const jn_lane *l = a->system->lane;
  if (a->owner == JN_OWNER_COMMON || b->owner == JN_OWNER_COMMON)
    return a->owner == b->owner && !memcmp(a->y, b->y, size_of_state(a->system));
  return !memcmp(a->lane->y, b->lane->y, (size_t)(l->nq + l->nv + l->nx) * sizeof *a->y);
}

static double residual(const jn_data *d)
{
  double most = 0.0;
  for (int r = 0; r < d->system->nrow; r++)
    most = fmax(most, fabs(d->residual[r]) * d->system->length_scale[r]);
  return most;
}

// Each switch is followed by one to three steps, beside a run that was begun with the same file and knows of no other; states
// after them are the same bits where the same order of operations was chosen for both.
static void a_thousand(const subject *k, jn_sim_opts o, int switches)
{
  blocks b = open_blocks(k, o);
  jt_run *r = &b.run, cold[BLOCKS + 1];
  int equal = 0, steps = 0, failed = 0, open = 0;
  static const char *const none[SETS] = {NULL};
  for (int i = 0; i < b.n; i++) cold[i] = cold_start(k, o, i ? k->set[i - 1] : none, r->data);
  unsigned dice = 1;
  calls = 0;
  for (int n = 0; n < switches; n++) {
    jn_error err;
    dice = dice * 1664525u + 1013904223u;
    const int to = (int)(dice >> 16) % b.n, more = 1 + (int)(dice >> 8) % 3;
    if (r->data->system == b.system[to]) continue;
    watching = 1;
    failed += jn_data_switch(r->data, b.system[to], &err) != JN_OK;
    watching = 0;
    jn_data *beside = cold[to].data;
    put_into(beside, r->data);
    jn_step_flags flags = JN_STEP_OK;
    for (int i = 0; i < more && !flags; i++, steps++) {
      watching = 1;
      flags |= jn_step(b.system[to], r->data);
      watching = 0;
      flags |= jn_step(cold[to].system, beside);
    }
    if (flags || failed) fail_msg("%s: switch %d to block %d fails", k->name, n, to);
    open += !(residual(r->data) < 1e-6);
    if (b.system[to]->plan_mark == cold[to].system->plan_mark) {
      if (!states_are_equal(r->data, beside))
        fail_msg("%s: switch %d to block %d: not as a cold start", k->name, n, to);
      equal++;
    }
  }
  assert_int_equal(calls, 0);
  assert_int_equal(open, 0);
  assert_int_equal(jn_data_stats(r->data).steps, steps);
  assert_true(steps >= switches && equal > switches / 2);
  jt_row(r);
  const double speed = jt_now(r, "chassis.vx");
  if (!(speed > 10.0 && speed < 20.0)) fail_msg("%s: drives at %g m/s", k->name, speed);
  for (int i = 0; i < b.n; i++) jt_end(&cold[i]);
  close_blocks(&b);
}

static void a_thousand_switches_while_driving(void **state)
{
  (void)state;
  for (int s = 0; s < SUBJECTS; s++) {
    a_thousand(&subjects[s], (jn_sim_opts){.path = JN_PATH_AUTO}, 1300);
    a_thousand(&subjects[s], (jn_sim_opts){.path = JN_PATH_GENERAL}, 1300);
  }
}

static void a_hundred_switches_in_every_way(void **state)
{
  (void)state;
  jn_sim_opts o;
  for (int i = 0; way(i, &o); i++) a_thousand(&subjects[i % SUBJECTS], o, 60);
}

// ---- refusals ---------------------------------------------------------------------------------------------

static const char
    crank[] =  // the guide is 0.25 m above the crank's axis: a turn needs a rod of 0.35 m
    "jounce: 1\nname: offset crank\ngravity: [0, 0, 0]\n"
    "bodies:\n"
    "  crank: {mass: 1, cg: [0, 0, 0], inertia: [0.01, 0.01, 0.01]}\n"
    "  slider: {mass: 2, cg: [0, %g, 0.25], inertia: [0.02, 0.02, 0.02]}\n"
    "joints:\n"
    "  turn: {type: revolute, bodies: [ground, crank], at: [0, 0, 0], axis: [1, 0, 0]}\n"
    "  slide: {type: translational, bodies: [ground, slider], at: [0, %g, 0.25], axis: [0, 1, 0]}\n"
    "  rod: {type: distance, bodies: [crank, slider], at: [[0, 0, 0.1], [0, %g, 0.25]]}\n"
    "forces:\n"
    "  motor: {type: torque, bodies: [ground, crank], axis: [1, 0, 0], torque: 1, channel: "
    "motor%s}\n"
    "  drag: {type: rsda, joint: turn, damping: 0.01, damper_polynomial: [0.01%s]}\n"
    "initial: {turn: {speed: %g}}\n";

static jn_spec *crank_of(double away, const char *lag, const char *term)
{
  char text[1200];
  snprintf(text, sizeof text, crank, away, away, away, lag, term, 20.0);
  return jt_parse(text);
}

static void expect_refusal(const jn_system *like, jn_spec *changed, const char *text)
{
  jn_error err = {0};
  jn_system *other = NULL;
  char line[700];
  const jn_status st = jn_system_with(like, changed, &other, &err);
  assert_null(other);
  if (st != JN_E_PLAN || !strstr(jn_error_line(&err, line, sizeof line), text))
    fail_msg("expected \"%s\", got %d: %s", text, (int)st, jn_error_line(&err, line, sizeof line));
  jn_spec_free(changed);
}

static void what_breaks_the_plan_is_refused_by_name(void **state)
{
  (void)state;
  static const struct {
    const char *model, *set, *text;
  } sets[] = {
      {"models/double-pendulum.yaml", "joints.H.type=cylindrical",
       "joints.H: its type is cylindrical, in the plan revolute"},
      {"models/hmmwv.yaml", "forces.spring_rl.bodies=[chassis, wheel_rl]",
       "forces.spring_rl: its second body is wheel_rl, in the plan lca_rl"},
      {"models/hmmwv.yaml",
       "forces.damper_fl.damper_curve=[[-4, -4], [-3, -3], [-2, -2], [-1, -1], [0, 0], [1, 1], [2, "
       "2], [3, 3]]",
       "forces.damper_fl: its damper_curve has 8 points, and the plan has room for 7"},
      {"models/hmmwv.yaml", "bodies.lca_fl.inertia=[0.4469, 0.4469, 0.8938, 0.01, 0, 0]",
       "joint lca_pivot_fl (revolute): the plan has its axis as a principal axis"},
      {"models/passenger-car.yaml", "bodies.wheel_fl.inertia=[480e3, 850e3, 500e3]",
       "bodies.wheel_fl: the plan has it as a rotor"},
      {"models/passenger-car.yaml", "points.hub_fr=[1, -745, 288]",
       "bodies.wheel_fr: the plan has it as a rotor"},
  };
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
    jt_run r = jt_start(jt_load(sets[i].model), NULL, NULL);
    expect_refusal(r.system, load_with(sets[i].model, &sets[i].set, 1), sets[i].text);
    jt_end(&r);
  }
  jt_run r = jt_start(jt_load("models/hmmwv.yaml"), NULL, NULL);
  expect_refusal(r.system, jt_load("models/passenger-car.yaml"), "bodies.");
  expect_refusal(r.system, jt_load("models/hmmwv-mf.yaml"), "tyres.");
  expect_refusal(r.system,
                 jt_parse("jounce: 1\ninclude: models/hmmwv.yaml\nforces:\n"
                          "  more: {type: tsda, bodies: [chassis, lca_fl], at: [spring_top_fl, "
                          "spring_low_fl], stiffness: 1}\n"),
                 "forces.more");
  jt_end(&r);
  r = jt_start(crank_of(0.4, "", ""), NULL, NULL);
  expect_refusal(r.system, crank_of(0.4, ", lag: 0.01", ""), "motor");
  expect_refusal(r.system, crank_of(0.4, "", ", 0.02"), "forces.drag: the form of its law");
  jt_end(&r);
}

// ---- a change that cannot be made from here ---------------------------------------------------------------

typedef struct bytes {
  size_t n;
  unsigned char *at;
} bytes;

static bytes save(const jn_data *d)
{
  bytes b = {.n = jn_data_save(d, NULL, 0)};
  b.at = malloc(b.n);
  assert_non_null(b.at);
  assert_int_equal(jn_data_save(d, b.at, b.n), b.n);
  return b;
}

static void loops_that_cannot_be_closed_leave_the_run_as_it_was(void **state)
{
  (void)state;
  for (int p = 0; p < 4; p++) {
    const jn_sim_opts o = {
        .formulation = p < 2 ? JN_FORMULATION_SUBSYSTEM : (jn_formulation)(p - 1),
        .path = p == 1 ? JN_PATH_GENERAL : JN_PATH_AUTO,
        .step = 1e-3};
    jn_error err = {0};
    jt_run r = jt_start(crank_of(0.4, "", ""), NULL, &o);
    jn_spec *spec = crank_of(0.2, "", "");  // a rod of 0.25 m, which is too short for a turn
    jn_system *other = NULL;
    jt_ok(jn_system_with(r.system, spec, &other, &err), &err, "block");
    int refused = 0, taken = 0;
    for (int i = 0; i < 400; i++) {  // more than a turn
      jt_steps(&r, 1);
      if (i % 3 == 0) jt_row(&r);
      bytes before = save(r.data);
      const jn_status st = jn_data_switch(r.data, other, &err);
      if (st) {
        assert_int_equal(st, JN_E_RANGE);
        assert_non_null(strstr(err.text, "joints.rod: its loop cannot be closed"));
        bytes after = save(r.data);
        assert_true(before.n == after.n && !memcmp(before.at, after.at, after.n));
        free(after.at);
        refused++;
      } else {
        jt_ok(jn_data_switch(r.data, r.system, &err), &err, "back");
        jt_ok(jn_data_restore(r.data, before.at, before.n, &err), &err, "back");
        taken++;
      }
      free(before.at);
    }
    if (refused < 20 || taken < 20) fail_msg("way %d: %d refused, %d taken", p, refused, taken);
    jn_system_free(other);
    jn_spec_free(spec);
    jt_end(&r);
  }
}

// A refused switch is as if nobody had asked: the run goes on with the same bits.
static void a_refused_switch_changes_nothing(void **state)
{
  (void)state;
  jn_error err = {0};
  const subject *k = &subjects[0];
  jn_sim_opts o = {.step = k->step};
  jt_run a = jt_start(jt_load(k->model), k->scenario, &o),
         b = jt_start(jt_load(k->model), k->scenario, &o);
  const jn_sim_opts wrong[] = {{.step = 2e-4},
                               {.step = k->step, .integrator = JN_INTEGRATOR_RK4},
                               {.step = k->step, .path = JN_PATH_GENERAL}};
  jn_system *other;
  for (int i = 0; i < 3; i++) {
    jt_ok(jn_system_create(b.model, b.scenario, &wrong[i], &other, &err), &err, "system");
    jt_steps(&a, 20), jt_steps(&b, 20);
    assert_int_equal(jn_data_switch(a.data, other, &err), JN_E_CALL);
    jn_system_free(other);
    jt_ok(jn_system_create(b.model, NULL, &o, &other, &err), &err, "system");  // of no scenario
    assert_int_equal(jn_data_switch(a.data, other, &err), JN_E_CALL);
    jn_system_free(other);
    jt_row(&a), jt_row(&b);
    rows_are_equal(k, a.data, &b, "refused");
  }
  jt_end(&a), jt_end(&b);
}

// ---- saved states, rows ------------------------------------------------------------------------------------

// A saved state belongs to a plan. Restored to other parameters of it, the run goes on as after a switch.
static void a_saved_state_goes_on_with_other_parameters(void **state)
{
  (void)state;
  for (int p = 0; p < 2; p++)
    for (int i = 1; i <= BLOCKS; i++) {
      jn_error err = {0};
      const subject *k = &subjects[0];
      blocks b = open_blocks(k, (jn_sim_opts){.path = p ? JN_PATH_GENERAL : JN_PATH_AUTO});
      jt_run *r = &b.run;
      jt_steps(r, 50);
      bytes saved = save(r->data);
      jn_data *d;
      jt_ok(jn_data_create(b.system[i], &d, &err), &err, "data");
      assert_int_equal(jn_data_copy(d, r->data),
                       JN_E_CALL);  // of other parameters: not the same run
      jt_ok(jn_data_restore(d, saved.at, saved.n, &err), &err, "restore");
      assert_ptr_equal(d->system, b.system[i]);
      switch_to(&b, i);
      for (int n = 0; n < 40; n++) {
        assert_int_equal(jn_step(b.system[i], d), JN_STEP_OK);
        jt_steps(r, 1);
      }
      assert_int_equal(jn_evaluate(b.system[i], d), JN_STEP_OK);
      jt_row(r);
      const double *x = jn_row(d), *y = jn_row(r->data);
      for (int c = 0; c < jn_channel_count(b.system[i]); c++) {
        const char *name = jn_channel_at(b.system[i], c).name;
        // Where geometry moved, the fast path's own state has kept the independent velocities, not those of all joints.
        if (!strncmp(name, "solver.", 7)) continue;
        if (fabs(x[c] - y[c]) > (i >= 5 ? 2e-2 : 1e-9) * (1.0 + fabs(y[c])))
          fail_msg("block %d: %s is %.17g, after a switch %.17g", i, name, x[c], y[c]);
      }
      bytes own = save(d);  // of the new block, and back on the old one
      jn_data_reset(r->data);
      jt_ok(jn_data_restore(r->data, own.at, own.n, &err), &err, "own");
      assert_int_equal(jn_step(b.system[i], r->data), JN_STEP_OK);
      free(saved.at), free(own.at);
      jn_data_free(d);
      close_blocks(&b);
    }
}

// A load that moves the centre of gravity of the base, in a bend: no other body notices at that instant.
static void bodies_stay_where_they_are(void **state)
{
  (void)state;
  for (int p = 0; p < 2; p++) {
    blocks b = open_blocks(&subjects[0], (jn_sim_opts){.path = p ? JN_PATH_GENERAL : JN_PATH_AUTO});
    jt_run *r = &b.run;
    jt_steps(r, 2000);
    const double *row = jt_row(r);
    const int n = jn_channel_count(r->system);
    double *before = calloc((size_t)n, sizeof *before);
    assert_non_null(before);
    memcpy(before, row, (size_t)n * sizeof *row);
    assert_true(fabs(before[jt_channel(r, "chassis.yaw")]) > 0.01);
    switch_to(&b, 3);
    jt_row(r);
    int seen = 0;
    for (int i = 0; i < jn_body_count(r->system); i++) {
      static const char *const what[] = {"x", "y", "z", "vx", "vy", "vz"};
      for (int k = 0; k < 6; k++) {
        char name[80];
        snprintf(name, sizeof name, "%s.%s", jn_body_name(r->system, i), what[k]);
        const int c = jt_channel(r, name);
        if (!strcmp(jn_body_name(r->system, i), "chassis")) continue;
        JT_NEAR(row[c], before[c], 1e-9);
        seen++;
      }
    }
    assert_int_equal(seen, 6 * 13);
    free(before);
    close_blocks(&b);
  }
}

// Where a joint is to go is a parameter, too: what moves with it goes there.
static void a_prescribed_motion_may_be_another(void **state)
{
  (void)state;
  static const char *const text =
      "jounce: 1\nname: driven crank\ngravity: [0, 0, 0]\n"
      "bodies:\n"
      "  crank: {mass: 1, cg: [0, 0, 0], inertia: [0.01, 0.01, 0.01]}\n"
      "  slider: {mass: 2, cg: [0, 0.4, 0.25], inertia: [0.02, 0.02, 0.02]}\n"
      "joints:\n"
      "  turn: {type: revolute, bodies: [ground, crank], at: [0, 0, 0], axis: [1, 0, 0],\n"
      "         motion: {curve: [[0, 0], [1, %g], [2, %g]]}}\n"
      "  slide: {type: translational, bodies: [ground, slider], at: [0, 0.4, 0.25], axis: [0, 1, "
      "0]}\n"
      "  rod: {type: distance, bodies: [crank, slider], at: [[0, 0, 0.1], [0, 0.4, 0.25]]}\n";
  for (int f = 0; f < JN_NFORMULATION; f++) {
    jn_error err = {0};
    char a[900], c[900];
    snprintf(a, sizeof a, text, 0.5, 1.0);
    snprintf(c, sizeof c, text, 0.6, 1.1);
    jt_run r = jt_start(jt_parse(a), NULL, &(jn_sim_opts){.formulation = (jn_formulation)f});
    jn_spec *spec = jt_parse(c);
    jn_system *other = NULL;
    jt_ok(jn_system_with(r.system, spec, &other, &err), &err, "block");
    jt_steps(&r, 700);
    jt_ok(jn_data_switch(r.data, other, &err), &err, "switch");
    jt_row(&r);
    // The rod's length is what it was: from the pin on its circle to the slider on its guide.
    const double angle = jt_now(&r, "joint.turn.angle"),
                 y = 0.4 + jt_now(&r, "joint.slide.position");
    JT_NEAR(angle, 0.6 * 0.7, 1e-12);
    JT_NEAR(hypot(y + 0.1 * sin(angle), 0.25 - 0.1 * cos(angle)), hypot(0.4, 0.15), 1e-9);
    JT_NEAR(jt_now(&r, "solver.velocity_norm"), 0.0, 1e-9);
    jn_data_free(r.data), r.data = NULL;
    jn_system_free(other);
    jn_spec_free(spec);
    jt_end(&r);
  }
}

// The block of parameters is all that differs between two systems of a plan: put into a system of the file as it is, in place of
// its own, it makes that the other one.
static void a_block_is_all_that_differs(void **state)
{
  (void)state;
  for (int s = 0; s < SUBJECTS; s++)
    for (int p = 0; p < 2; p++) {
      const jn_sim_opts o = {.path = p ? JN_PATH_GENERAL : JN_PATH_AUTO};
      blocks b = open_blocks(&subjects[s], o);
      for (int i = 1; i < b.n; i++) {
        static const char *const none[SETS] = {NULL};
        jn_error err = {0};
        jt_run other = cold_start(&subjects[s], o, none, b.run.data);
        const int n = jn_parameters_count(b.system[i], true);
        assert_int_equal(jn_parameters_count(other.system, true), n);
        double *block = calloc((size_t)n, sizeof *block);
        assert_non_null(block);
        jn_parameters_gather(b.system[i], true, block);
        jn_parameters_scatter(other.system, true, block);
        free(block);
        jn_data_reset(other.data);
        jn_data *d;
        jt_ok(jn_data_create(b.system[i], &d, &err), &err, "data");
        for (int k = 0; k < 60; k++) {
          assert_int_equal(jn_step(b.system[i], d), JN_STEP_OK);
          jt_steps(&other, 1);
        }
        assert_int_equal(jn_evaluate(b.system[i], d), JN_STEP_OK);
        jt_row(&other);
        rows_are_equal(&subjects[s], d, &other, "a block put in place");
        jn_data_free(d);
        jt_end(&other);
      }
      close_blocks(&b);
    }
}

// A selection of channels serves all systems of a plan; so does the system that the caller held before.
static void rows_follow_the_data(void **state)
{
  (void)state;
  jn_error err = {0};
  const subject *k = &subjects[0];
  blocks b = open_blocks(k, (jn_sim_opts){0});
  jt_run *r = &b.run;
  const int channel[] = {jt_channel(r, "wheel.fl.fz"), jt_channel(r, "chassis.z"),
                         jt_channel(r, "force.spring_rl.force"), jt_channel(r, "solver.energy")};
  jn_rows *rows;
  jt_ok(jn_rows_create(r->system, channel, 4, &rows, &err), &err, "rows");
  for (int i = 1; i < b.n; i++) {
    double row[4];
    jt_steps(r, 10);
    switch_to(&b, i);
    assert_int_equal(jn_rows_fill(rows, r->data, row), JN_STEP_OK);
    assert_int_equal(jn_evaluate(b.system[0], r->data), JN_STEP_OK);
    for (int c = 0; c < 4; c++)
      JT_NEAR(row[c], jn_row(r->data)[channel[c]], 1e-9 * (1.0 + fabs(row[c])));
  }
  assert_true(jn_data_stats(r->data).energy_drift < 1.0);  // a jump of energy counts as work
  jn_rows_free(rows);
  close_blocks(&b);
}

// A block of the same numbers is taken, whatever the plan was chosen with, and is a new start and no more.
static void the_same_numbers_are_always_taken(void **state)
{
  (void)state;
  static const char *const models[] = {"models/andrews.yaml",
                                       "models/bricard.yaml",
                                       "models/flyball.yaml",
                                       "models/n-four-bar.yaml",
                                       "models/peer-vehicle.yaml",
                                       "models/tractor-semitrailer.yaml",
                                       "models/five-link-bushings.yaml",
                                       "models/passenger-car-mf.yaml",
                                       "models/trailer-train.yaml",
                                       "test/models/n-four-bar-singular.yaml"};
  for (size_t i = 0; i < sizeof models / sizeof *models; i++)
    for (int f = 0; f < JN_NFORMULATION; f++) {
      const jn_sim_opts o = {.formulation = (jn_formulation)f, .step = 1e-5};
      jn_error err = {0};
      jt_run r = jt_start(jt_load(models[i]), NULL, &o);
      jn_spec *spec = jt_load(models[i]);
      jn_system *other = NULL;
      jt_ok(jn_system_with(r.system, spec, &other, &err), &err, models[i]);
      jt_steps(&r, 10);
      jt_ok(jn_data_switch(r.data, other, &err), &err, models[i]);
      jt_steps(&r, 10);
      jn_data_free(r.data), r.data = NULL;
      jn_system_free(other);
      jn_spec_free(spec);
      jt_end(&r);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_block_goes_on_as_a_cold_start),
      cmocka_unit_test(every_way_goes_on_as_a_cold_start),
      cmocka_unit_test(a_thousand_switches_while_driving),
      cmocka_unit_test(a_hundred_switches_in_every_way),
      cmocka_unit_test(what_breaks_the_plan_is_refused_by_name),
      cmocka_unit_test(loops_that_cannot_be_closed_leave_the_run_as_it_was),
      cmocka_unit_test(a_refused_switch_changes_nothing),
      cmocka_unit_test(a_saved_state_goes_on_with_other_parameters),
      cmocka_unit_test(bodies_stay_where_they_are),
      cmocka_unit_test(a_prescribed_motion_may_be_another),
      cmocka_unit_test(a_block_is_all_that_differs),
      cmocka_unit_test(rows_follow_the_data),
      cmocka_unit_test(the_same_numbers_are_always_taken),
  };
  return cmocka_run_group_tests(tests, watch, NULL);
}
