// build_forces.c: inputs and drives; tables, states and instants of all that acts. Elements: build_elements.c, wheels: build_wheels.c.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/curve.h"
#include "components/component_kinds.h"
#include "components/signal.h"
#include "plan/build.h"
#include "spec/names.h"

// ---- tables ---------------------------------------------------------------------------------------

int jn_build_table(jn_building *b, size_t n)
{
  int at = b->ntable;
  b->ntable += (int)((n + 7) & ~(size_t)7);  // lines of eight
  return at;
}

jn_status jn_build_curve(jn_building *b, const jn_curve_spec *c, jn_pos pos, const char *path,
                         int least, int *at, int *steps, jn_error *err)
{
  *at = -1, *steps = 0;
  if (c->n == 0) return JN_OK;
  *steps = jn_curve_steps(c->n) > least ? jn_curve_steps(c->n) : least;
  *at = jn_build_table(b, jn_curve_doubles(*steps));
  if (!b->table) return JN_OK;  // measuring
  jn_curve_end end = c->outside == 0 ? JN_CURVE_HOLD : JN_CURVE_EXTEND;
  jn_curve_def def = {.n = c->n,
                      .x = c->x,
                      .y = c->y,
                      .method = (jn_curve_method)c->method,
                      .below = end,
                      .above = end,
                      .pos = pos,
                      .path = path};
  return jn_curve_build(b->table + *at, *steps, &def, err);
}

// A signal of the bus that is a function of time.
static jn_status signal_table(jn_building *b, const jn_signal_spec *spec, int signal, jn_error *err)
{
  const int at = b->ntime_table;
  b->ntime_table += (int)((jn_signal_doubles(spec) + 7) & ~(size_t)7);
  b->s->binding.timed[b->s->binding.ntimed++] = (jn_timed){signal, at};
  if (signal < b->s->ninput) b->s->input[signal].signal = at;
  return b->time_table ? jn_signal_build(b->time_table + at, spec, err) : JN_OK;
}

jn_status jn_build_constant(jn_building *b, int signal, double value, jn_pos pos, jn_error *err)
{
  const jn_signal_spec spec = {.pos = pos, .kind = JN_SIGNAL_CONSTANT, .as.constant.value = value};
  return signal_table(b, &spec, signal, err);
}

// ---- inputs ---------------------------------------------------------------------------------------

static int compare_text(const void *a, const void *b)
{
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int compare_input(const void *name, const void *input)
{
  return strcmp(name, ((const jn_input_channel *)input)->name);
}

int jn_build_input(const jn_system *s, const char *name)  // they are sorted by name
{
  const jn_input_channel *found =
      name ? bsearch(name, s->input, (size_t)s->ninput, sizeof *s->input, compare_input) : NULL;
  return found ? (int)(found - s->input) : -1;
}

static jn_status find_inputs(jn_system *s, jn_error *err)
{
  const jn_spec *spec = s->model->spec;
  jn_status st = jn_build_components_find(s, err);
  if (st) return st;
  const int most = spec->njoint + 3 * spec->nforce +  // a wheel has up to three
                   jn_build_component_inputs_most(s);
  const char **name = jn_build_array(s, most, sizeof *name);
  s->input = jn_build_array(s, most, sizeof *s->input);
  s->binding.timed = jn_build_array(s, most + spec->njoint, sizeof *s->binding.timed);
  if (!name || !s->input || !s->binding.timed) return jn_build_no_memory(s, err);
  int n = 0;
  for (int i = 0; i < spec->njoint; i++)
    if (spec->joint[i].keys.motion.channel) name[n++] = spec->joint[i].keys.motion.channel;
  for (int i = 0; i < spec->nforce; i++)
    if (jn_force_channel(&spec->force[i])) name[n++] = jn_force_channel(&spec->force[i]);
  st = jn_build_wheel_inputs(s, name, &n, err);
  if (!st) st = jn_build_component_inputs(s, name, &n, err);
  if (st) return st;
  qsort(name, (size_t)n, sizeof *name, compare_text);
  for (int i = 0; i < n; i++)
    if (i == 0 || strcmp(name[i], name[i - 1]))
      s->input[s->ninput++] = (jn_input_channel){
          .name = name[i], .signal = -1, .unit = "SI", .help = "input", .driven = -1};
  s->nothing = s->ninput;
  return JN_OK;
}

static jn_status no_such_input(const jn_system *s, const jn_signal_spec *input, jn_error *err)
{
  jn_nearest near = jn_nearest_to(input->name);
  if (!s->ninput)
    return jn_fail(err, JN_E_SCHEMA, input->pos, NULL, "inputs.%s: the model has no input channels",
                   input->name);
  for (int i = 0; i < s->ninput; i++) jn_nearest_try(&near, s->input[i].name);
  return jn_fail(err, JN_E_SCHEMA, input->pos, NULL,
                 "inputs.%s: the model has no such input channel%s", input->name,
                 jn_hint(&near).text);
}

static jn_status scenario_inputs(jn_building *b, jn_error *err)
{
  jn_system *s = b->s;
  const jn_scenario *c = s->binding.scenario;
  for (int i = 0; c && i < c->ninput; i++) {
    const int k = jn_build_input(s, c->input[i].name);
    if (k < 0 && jn_build_component_is_absent(s, c->input[i].name)) continue;
    if (k < 0) return no_such_input(s, &c->input[i], err);
    s->input[k].given = true;
    jn_status st = signal_table(b, &c->input[i], k, err);
    if (st) return st;
  }
  return JN_OK;
}

// The speed that a driver aims at, where `inputs` does not say it.
static jn_status aim_drivers(jn_building *b, jn_error *err)
{
  const jn_scenario *c = b->s->binding.scenario;
  for (int i = 0; c && !b->s->binding.opts.without_tyres && i < c->ndriver; i++) {
    const jn_driver_spec *k = &c->driver[i];
    char name[JN_CHANNEL_MAX], path[96];
    snprintf(name, sizeof name, "driver.%s.speed", k->name);
    snprintf(path, sizeof path, "drivers.%s", k->name);
    jn_input_channel *in = &b->s->input[jn_build_input(b->s, name)];
    const bool own = JN_GIVEN(&k->as.speed, jn_driver_speed_spec, speed);
    in->unit = "m/s", in->help = "speed that the driver aims at";
    if (in->given && own)
      return jn_fail(err, JN_E_SCHEMA, k->pos, path,
                     "has a `speed`, and inputs.%s gives it too; leave one of them out", name);
    if (in->given) continue;
    if (!own && !c->has_speed)
      return jn_fail(err, JN_E_SCHEMA, k->pos, path,
                     "lacks the key \"speed\", and the scenario has none either");
    jn_status st = jn_build_constant(b, (int)(in - b->s->input), own ? k->as.speed.speed : c->speed,
                                     k->pos, err);
    if (st) return st;
  }
  return JN_OK;
}

static jn_status set_drives(jn_building *b, jn_error *err)
{
  jn_system *s = b->s;
  const jn_model *m = s->model;
  s->ndrive = 0;
  for (int e = 0; e < m->nedge; e++) {
    if (!m->edge[e].driven) continue;
    const jn_joint_spec *j = &m->spec->joint[m->edge[e].joint];
    const jn_motion_spec *motion = &j->keys.motion;
    jn_drive d = {.edge = e, .input = jn_build_input(s, motion->channel)};
    d.signal = d.input;
    if (motion->curve.n) {
      jn_signal_spec curve = jn_signal_from_curve(&motion->curve, j->pos);
      d.curve = true;
      d.input = -1;
      d.signal = s->nsignal++;
      jn_status st = signal_table(b, &curve, d.signal, err);
      if (st) return st;
    }
    if (JN_GIVEN(motion, jn_motion_spec, filter)) {
      const int k =
          jn_build_hidden(s, &jn_component_filter, "joint", j->name, d.signal, motion->filter);
      if (k < 0) return jn_build_no_memory(s, err);
      s->component[k].x = s->nx;
      s->nx += s->component[k].table->nstate;
      d.input = -1;
      d.signal = s->component[k].out;
    }
    if (s->body_of_edge[e] >= 0) s->joint[s->body_of_edge[e]].drive = s->ndrive;
    if (s->cut_of_edge[e] >= 0) s->cut[s->cut_of_edge[e]].drive = s->ndrive;
    s->drive[s->ndrive++] = d;
  }
  return JN_OK;
}

// ---- the whole ------------------------------------------------------------------------------------

static int compare_double(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// Instants at which an input, or one of its derivatives, jumps; a caller may step on beyond the end of the scenario. Returns how
// many; `at` may be NULL, to count.
static int list_breakpoints(const jn_system *s, double *at)
{
  const jn_model *m = s->model;
  int n = jn_build_road_breakpoints(s, at);
  for (int i = 0; i < s->nelement; i++) {
    if (!(s->element[i].start > 0.0 && s->element[i].start < INFINITY)) continue;
    if (at) at[n] = s->element[i].start;
    n++;
  }
  for (int i = 0; s->binding.scenario && i < s->binding.scenario->ninput; i++)
    n += jn_signal_breakpoints(&s->binding.scenario->input[i], 0.0, INFINITY, at ? at + n : NULL);
  for (int i = 0; i < s->ndrive; i++) {
    const jn_joint_spec *j = &m->spec->joint[m->edge[s->drive[i].edge].joint];
    if (!s->drive[i].curve) continue;
    jn_signal_spec curve = jn_signal_from_curve(&j->keys.motion.curve, j->pos);
    n += jn_signal_breakpoints(&curve, 0.0, INFINITY, at ? at + n : NULL);
  }
  return n;
}

static jn_status find_breakpoints(jn_system *s, jn_error *err)
{
  const int n = list_breakpoints(s, NULL);
  s->binding.breakpoint = jn_build_array(s, n, sizeof *s->binding.breakpoint);
  if (!s->binding.breakpoint) return jn_build_no_memory(s, err);
  list_breakpoints(s, s->binding.breakpoint);
  qsort(s->binding.breakpoint, (size_t)n, sizeof *s->binding.breakpoint, compare_double);
  s->binding.nbreakpoint = 0;
  for (int i = 0; i < n; i++)
    if (!s->binding.nbreakpoint ||
        s->binding.breakpoint[i] > s->binding.breakpoint[s->binding.nbreakpoint - 1])
      s->binding.breakpoint[s->binding.nbreakpoint++] = s->binding.breakpoint[i];
  return JN_OK;
}

// A prescribed position that jumps would need an infinite force: a filter or a ramp is wanted.
static jn_status refuse_jumps(const jn_system *s, jn_error *err)
{
  for (int i = 0; i < s->ndrive; i++) {
    const jn_drive *k = &s->drive[i];
    if (k->input < 0 || s->input[k->input].signal < 0) continue;
    const double *table = s->binding.time_table + s->input[k->input].signal;
    for (int n = 0; n < s->binding.nbreakpoint && s->binding.breakpoint[n] <= s->binding.opts.end;
         n++) {
      const double before =
                       jn_signal_at(table, nextafter(s->binding.breakpoint[n], -INFINITY)).value,
                   after = jn_signal_at(table, s->binding.breakpoint[n]).value;
      if (fabs(after - before) <= 1e-9 * (fabs(before) + fabs(after)) + 1e-12) continue;
      const char *joint = s->model->edge[k->edge].name, *input = s->input[k->input].name;
      char path[JN_CHANNEL_MAX + 8];
      snprintf(path, sizeof path, "inputs.%s", input);
      jn_pos pos = {NULL, 0, 0};
      for (int j = 0; j < s->binding.scenario->ninput; j++)
        if (!strcmp(s->binding.scenario->input[j].name, input))
          pos = s->binding.scenario->input[j].pos;
      return jn_fail(
          err, JN_E_RANGE, pos, path,
          "jumps from %.6g to %.6g at t = %.6g s, and prescribes the motion of joint \"%s\", "
          "which cannot jump: use a ramp, or give the joint's motion a filter",
          before, after, s->binding.breakpoint[n], joint);
    }
  }
  return JN_OK;
}

static int compare_force(const void *a, const void *b)
{
  return strcmp((*(const jn_force_spec *const *)a)->name, (*(const jn_force_spec *const *)b)->name);
}

jn_status jn_build_forces(jn_system *s, jn_error *err)
{
  const jn_spec *spec = s->model->spec;
  const int n = spec->nforce;
  const jn_force_spec **force = jn_build_array(s, n, sizeof *force);
  s->drive = jn_build_array(s, spec->njoint, sizeof *s->drive);
  s->element = jn_build_array(s, n, sizeof *s->element);
  s->plugin = jn_build_array(s, n, sizeof *s->plugin);
  s->wheel = jn_build_array(s, n, sizeof *s->wheel);
  s->tyre = jn_build_array(s, spec->ntyre, sizeof *s->tyre);
  s->tyre_plugin = jn_build_array(s, spec->ntyre, sizeof *s->tyre_plugin);
  if (s->pool.failed) return jn_build_no_memory(s, err);
  for (int i = 0; i < n; i++) force[i] = &spec->force[i];
  qsort(force, (size_t)n, sizeof *force, compare_force);
  jn_status st = find_inputs(s, err);
  jn_building b = {.s = s};
  for (int pass = 0; pass < 2 && !st; pass++) {  // measure the tables, then fill them
    b.ntable = b.ntime_table = 0;
    s->nx = s->binding.ntimed = 0;
    s->ncomponent = s->nshown;
    s->nsignal = s->nothing + 1;
    if (!st) st = scenario_inputs(&b, err);
    if (!st) st = aim_drivers(&b, err);
    if (!st) st = jn_build_component_constants(&b, err);
    if (!st) st = set_drives(&b, err);
    for (int i = 0; i < spec->ntyre && !s->binding.opts.without_tyres && !st; i++)
      st = jn_build_tyre(&b, &spec->tyre[i], &s->tyre[i], err);
    if (!st) st = jn_build_elements(&b, force, err);
    if (!st && s->short_of_memory) st = jn_build_no_memory(s, err);
    if (pass == 0 && !st) {
      s->table = b.table = jn_build_array(s, b.ntable + 8, sizeof(double));
      s->binding.time_table = b.time_table = jn_build_array(s, b.ntime_table + 8, sizeof(double));
      if (!s->table || !s->binding.time_table) return jn_build_no_memory(s, err);
    }
  }
  s->ntable = b.ntable, s->binding.ntime_table = b.ntime_table;
  if (!st) st = jn_build_element_index(s, err);
  if (!st) st = jn_build_headings(s, err);
  if (!st) st = jn_build_roads(s, err);
  if (!st) st = jn_build_plugins(s, err);
  if (!st) st = jn_build_drivers(s, err);
  if (!st) st = jn_build_components(s, err);
  if (st) return st;
  jn_build_component_states(s, false);
  s->work_state = s->nx++;
  s->first_lag = s->nx;  // from here on: declared in the form u' = b - a u
  jn_build_component_states(s, true);
  jn_build_wheel_states(s);
  jn_build_check_wheels(s);
  s->nexp = s->nx - s->first_lag;
  jn_build_tyre_notes(s);
  for (int i = 0; i < s->ninput; i++)
    if (s->input[i].signal < 0 && s->input[i].driven < 0 && s->binding.scenario &&
        !s->input[i].quiet)
      jn_build_note(s, "input \"%s\" has no value in the scenario: it is held at zero",
                    s->input[i].name);
  st = find_breakpoints(s, err);
  return st ? st : refuse_jumps(s, err);
}
