// build_forces.c: inputs, drives and force elements, in the order of their names. Wheels: build_wheels.c.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/curve.h"
#include "components/kinds.h"
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
  const int at = jn_build_table(b, jn_signal_doubles(spec));
  b->s->timed[b->s->ntimed++] = (jn_timed){signal, at};
  if (signal < b->s->ninput) b->s->input[signal].signal = at;
  return b->table ? jn_signal_build(b->table + at, spec, err) : JN_OK;
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

int jn_build_input(const jn_system *s, const char *name)
{
  if (!name) return -1;
  for (int i = 0; i < s->ninput; i++)
    if (!strcmp(s->input[i].name, name)) return i;
  return -1;
}

static const char *force_channel(const jn_force_spec *f)
{
  switch (f->kind) {
    case JN_FORCE_TSDA:
      return f->as.tsda.channel;
    case JN_FORCE_RSDA:
      return f->as.rsda.channel;
    case JN_FORCE_SERVO:
      return f->as.servo.channel;
    case JN_FORCE_FORCE:
      return f->as.force.channel;
    case JN_FORCE_TORQUE:
      return f->as.torque.channel;
    default:
      return NULL;
  }
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
  s->timed = jn_build_array(s, most + spec->njoint, sizeof *s->timed);
  if (!name || !s->input || !s->timed) return jn_build_no_memory(s, err);
  int n = 0;
  for (int i = 0; i < spec->njoint; i++)
    if (spec->joint[i].keys.motion.channel) name[n++] = spec->joint[i].keys.motion.channel;
  for (int i = 0; i < spec->nforce; i++)
    if (force_channel(&spec->force[i])) name[n++] = force_channel(&spec->force[i]);
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
  char hint[176];
  jn_nearest near = jn_nearest_to(input->name);
  if (!s->ninput)
    return jn_fail(err, JN_E_SCHEMA, input->pos, NULL, "inputs.%s: the model has no input channels",
                   input->name);
  for (int i = 0; i < s->ninput; i++) jn_nearest_try(&near, s->input[i].name);
  return jn_fail(err, JN_E_SCHEMA, input->pos, NULL,
                 "inputs.%s: the model has no such input channel%s", input->name,
                 jn_nearest_or_known(&near, hint, sizeof hint));
}

static jn_status scenario_inputs(jn_building *b, jn_error *err)
{
  jn_system *s = b->s;
  const jn_scenario *c = s->scenario;
  for (int i = 0; c && i < c->ninput; i++) {
    const int k = jn_build_input(s, c->input[i].name);
    if (k < 0 && jn_build_component_is_absent(s, c->input[i].name)) continue;
    if (k < 0) return no_such_input(s, &c->input[i], err);
    jn_status st = signal_table(b, &c->input[i], k, err);
    if (st) return st;
  }
  return JN_OK;
}

// The speed that a driver aims at, where `inputs` does not say it.
static jn_status aim_drivers(jn_building *b, jn_error *err)
{
  const jn_scenario *c = b->s->scenario;
  for (int i = 0; c && !b->s->opts.without_tyres && i < c->ndriver; i++) {
    const jn_driver_spec *k = &c->driver[i];
    char name[JN_CHANNEL_MAX], path[96];
    snprintf(name, sizeof name, "driver.%s.speed", k->name);
    snprintf(path, sizeof path, "drivers.%s", k->name);
    jn_input_channel *in = &b->s->input[jn_build_input(b->s, name)];
    const bool own = JN_GIVEN(&k->as.speed, jn_driver_speed_spec, speed);
    bool given = false;
    for (int j = 0; j < c->ninput; j++) given = given || !strcmp(c->input[j].name, name);
    in->unit = "m/s", in->help = "speed that the driver aims at";
    if (given && own)
      return jn_fail(err, JN_E_SCHEMA, k->pos, path,
                     "has a `speed`, and inputs.%s says it too; leave one of them out", name);
    if (given) continue;
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

// ---- elements -------------------------------------------------------------------------------------

int jn_build_index(const jn_system *s, int body)
{
  return body == JN_GROUND ? -1 : s->body_of_node[body + 1];
}

// The ground as the other end's frame sees it.
static void ends_of(const jn_system *s, jn_ends *e, const int bodies[2], const jn_vectors *at)
{
  e->a = jn_build_index(s, bodies[0]), e->b = jn_build_index(s, bodies[1]);
  if (e->a < 0) e->a = s->body[e->b].frame;
  if (e->b < 0) e->b = s->body[e->a].frame;
  e->at_a = v3_sub(v3_load(at->v[0]), s->body[e->a].anchor);
  e->at_b = v3_sub(v3_load(at->v[at->n == 2 ? 1 : 0]), s->body[e->b].anchor);
}

static jn_actuator actuator_of(jn_system *s, const char *force, const char *channel, double lag)
{
  jn_actuator a = {.input = jn_build_input(s, channel)};
  if (a.input >= 0 && lag > 0.0) {
    const int k = jn_build_hidden(s, &jn_component_lag, "force", force, a.input, lag);
    a.input = k < 0 ? -1 : s->component[k].out;
    s->short_of_memory |= k < 0;
  }
  return a;
}

#define LAW(law, k, own)                                                                        \
  do {                                                                                          \
    jn_law *l_ = (law);                                                                         \
    l_->stiffness = (k)->stiffness, l_->damping = (k)->damping;                                 \
    l_->preload = (k)->preload.automatic ? 0.0 : (k)->preload.value;                            \
    l_->nspring = (k)->spring_polynomial.n, l_->ndamper = (k)->damper_polynomial.n;             \
    memcpy(l_->spring, (k)->spring_polynomial.v, sizeof l_->spring);                            \
    memcpy(l_->damper, (k)->damper_polynomial.v, sizeof l_->damper);                            \
    l_->actuator = actuator_of(s, (own)->name, (k)->channel, (k)->lag);                         \
    st = jn_build_curve(b, &(k)->spring_curve, (own)->pos, (own)->name, 0, &l_->spring_curve,   \
                        &l_->spring_steps, err);                                                \
    if (!st)                                                                                    \
      st = jn_build_curve(b, &(k)->damper_curve, (own)->pos, (own)->name, 0, &l_->damper_curve, \
                          &l_->damper_steps, err);                                              \
  } while (0)

static bool springs(const jn_law *l)  // has something to deflect
{
  return l->stiffness > 0.0 || l->nspring || l->spring_curve >= 0;
}

static jn_status add_tsda(jn_building *b, const jn_force_spec *f, jn_error *err)
{
  jn_system *s = b->s;
  const jn_tsda_spec *k = &f->as.tsda;
  jn_tsda *t = &s->tsda[s->ntsda++];
  jn_status st = JN_OK;
  *t = (jn_tsda){.name = f->name};
  ends_of(s, &t->ends, k->bodies, &k->at);
  const double design = v3_norm(v3_sub(v3_load(k->at.v[1]), v3_load(k->at.v[0])));
  t->auto_length = k->free_length.automatic;
  t->automatic = k->free_length.automatic || k->preload.automatic;
  t->free_length = JN_GIVEN(k, jn_tsda_spec, free_length) && !k->free_length.automatic
                       ? k->free_length.value
                       : design;
  LAW(&t->law, k, f);
  if (!st && t->auto_length && !springs(&t->law))
    return jn_fail(err, JN_E_RANGE, f->pos, NULL,
                   "forces.%s: `free_length: auto` needs a stiffness above zero or a curve, else "
                   "use `preload: auto`",
                   f->name);
  return st;
}

// A coordinate of the joint: the tree's own, or the angle or travel of a cut joint.
static void coordinate_of(const jn_system *s, jn_rsda *r, int joint)
{
  const int i = jn_build_body_of(s, joint);
  const jn_joint_kind kind = s->model->spec->joint[joint].kind;
  r->angular = kind != JN_JOINT_TRANSLATIONAL;
  r->v = r->q = r->cut = r->driven = -1;
  if (i >= 0 && s->joint[i].drive >= 0) {
    r->driven = i;
  } else if (i >= 0) {
    // Reversed joints have their axis turned round, so that the coordinate is the file's.
    const int k = s->joint[i].kind == JN_TREE_CYLINDRICAL ? 1 : 0;
    r->v = s->joint[i].v + k;
    r->q = s->joint[i].q + k;
  } else {
    r->cut = jn_build_cut_of(s, joint);
  }
}

static jn_status add_rsda(jn_building *b, const jn_force_spec *f, jn_error *err)
{
  jn_system *s = b->s;
  jn_rsda *r = &s->rsda[s->nrsda++];
  jn_status st = JN_OK;
  *r =
      (jn_rsda){.name = f->name, .law = {.spring_curve = -1, .damper_curve = -1, .actuator = {-1}}};
  if (f->kind == JN_FORCE_SERVO) {
    r->servo = true;
    coordinate_of(s, r, f->as.servo.joint);
    r->law.stiffness = f->as.servo.stiffness, r->law.damping = f->as.servo.damping;
    r->law.actuator = actuator_of(s, f->name, f->as.servo.channel, 0.0);
    return JN_OK;
  }
  const jn_rsda_spec *k = &f->as.rsda;
  coordinate_of(s, r, k->joint);
  r->automatic = k->free_angle.automatic || k->preload.automatic;
  r->auto_angle = k->free_angle.automatic;
  r->free_angle = k->free_angle.automatic ? 0.0 : k->free_angle.value;
  LAW(&r->law, k, f);
  if (!st && r->auto_angle && !springs(&r->law))
    return jn_fail(err, JN_E_RANGE, f->pos, NULL,
                   "forces.%s: `free_angle: auto` needs a stiffness above zero or a curve, else "
                   "use `preload: auto`",
                   f->name);
  return st;
}

static void add_bushing(jn_system *s, const jn_force_spec *f)
{
  const jn_bushing_spec *k = &f->as.bushing;
  jn_bushing *b = &s->bushing[s->nbushing++];
  b->name = f->name;
  ends_of(s, &b->ends, k->bodies, &k->at);
  m3 axes = m3_identity();
  if (k->axes.n == 2) {
    v3 x = v3_unit(v3_load(k->axes.v[0])), second = v3_load(k->axes.v[1]);
    v3 y = v3_unit(v3_axpy(-v3_dot(second, x), x, second));
    axes = m3_columns(x, y, v3_cross(x, y));
  }
  b->axes_a = b->axes_b = axes;  // undeformed in the design position
  b->stiffness = v3_load(k->stiffness), b->damping = v3_load(k->damping);
  b->turn_stiffness = v3_load(k->rotational_stiffness),
  b->turn_damping = v3_load(k->rotational_damping);
}

static void add_load(jn_system *s, const jn_force_spec *f)
{
  jn_load *l = &s->load[s->nload++];
  *l = (jn_load){.name = f->name, .a = -1, .start = -INFINITY};
  if (f->kind == JN_FORCE_FORCE) {
    const jn_force_keys *k = &f->as.force;
    l->b = jn_build_index(s, k->body);
    l->at = JN_GIVEN(k, jn_force_keys, at) ? v3_sub(v3_load(k->at), s->body[l->b].anchor)
                                           : s->body[l->b].cg;
    l->value = v3_load(k->force);
    l->world = k->frame == 0;
    l->actuator = actuator_of(s, f->name, k->channel, k->lag);
    return;
  }
  const jn_torque_spec *k = &f->as.torque;
  l->torque = true;
  l->a = jn_build_index(s, k->bodies[0]), l->b = jn_build_index(s, k->bodies[1]);
  if (l->a < 0) l->a = s->body[l->b].frame;
  if (l->b < 0) l->b = s->body[l->a].frame;
  l->value = v3_scale(k->torque, v3_unit(v3_load(k->axis)));
  if (JN_GIVEN(k, jn_torque_spec, start)) l->start = k->start;
  l->actuator = actuator_of(s, f->name, k->channel, k->lag);
}

static void add_plugin(jn_system *s, const jn_force_spec *f)
{
  jn_plugin_element *p = &s->plugin[s->nplugin++];
  *p = (jn_plugin_element){.name = f->name, .spec = f};
  ends_of(s, &p->ends, f->as.plugin.bodies, &f->as.plugin.at);
}

static int compare_force(const void *a, const void *b)
{
  return strcmp((*(const jn_force_spec *const *)a)->name, (*(const jn_force_spec *const *)b)->name);
}

static jn_status add_forces(jn_building *b, const jn_force_spec *const *force, jn_error *err)
{
  jn_system *s = b->s;
  s->ntsda = s->nrsda = s->nbushing = s->nload = s->nplugin = s->nwheel = 0;
  jn_status st = JN_OK;
  for (int i = 0; i < s->model->spec->nforce && !st; i++) {
    const jn_force_spec *f = force[i];
    switch (f->kind) {
      case JN_FORCE_TSDA:
        st = add_tsda(b, f, err);
        break;
      case JN_FORCE_RSDA:
      case JN_FORCE_SERVO:
        st = add_rsda(b, f, err);
        break;
      case JN_FORCE_BUSHING:
        add_bushing(s, f);
        break;
      case JN_FORCE_FORCE:
      case JN_FORCE_TORQUE:
        add_load(s, f);
        break;
      case JN_FORCE_PLUGIN:
        add_plugin(s, f);
        break;
      case JN_FORCE_WHEEL:
      case JN_FORCE_TYRE:
        if (!s->opts.without_tyres) st = jn_build_wheel(b, f, err);
        break;
      case JN_NFORCE_KIND:
        break;
    }
  }
  return st;
}

// Which elements act in which coordinate, rising.
static jn_status index_rsdas(jn_system *s, jn_error *err)
{
  s->rsda_first = jn_build_array(s, s->nv, sizeof *s->rsda_first);
  s->rsda_next = jn_build_array(s, s->nrsda, sizeof *s->rsda_next);
  if (!s->rsda_first || !s->rsda_next) return jn_build_no_memory(s, err);
  for (int v = 0; v < s->nv; v++) s->rsda_first[v] = -1;
  for (int i = s->nrsda - 1; i >= 0; i--) {
    const int v = s->rsda[i].v;
    s->rsda_next[i] = v < 0 ? -1 : s->rsda_first[v];
    if (v >= 0) s->rsda_first[v] = i;
  }
  return JN_OK;
}

static int compare_double(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// Instants in the run at which an input, or one of its derivatives, jumps.
static jn_status find_kinks(jn_system *s, jn_error *err)
{
  const jn_model *m = s->model;
  const double end = INFINITY;  // a caller may step on beyond the end of the scenario
  int n = s->nload + jn_build_road_kinks(s, NULL);
  for (int i = 0; s->scenario && i < s->scenario->ninput; i++)
    n += jn_signal_kinks(&s->scenario->input[i], 0.0, end, NULL);
  for (int i = 0; i < s->ndrive; i++) {
    const jn_joint_spec *j = &m->spec->joint[m->edge[s->drive[i].edge].joint];
    if (!s->drive[i].curve) continue;
    jn_signal_spec curve = jn_signal_from_curve(&j->keys.motion.curve, j->pos);
    n += jn_signal_kinks(&curve, 0.0, end, NULL);
  }
  s->kink = jn_build_array(s, n, sizeof *s->kink);
  if (!s->kink) return jn_build_no_memory(s, err);
  n = jn_build_road_kinks(s, s->kink);
  for (int i = 0; i < s->nload; i++)
    if (s->load[i].start > 0.0 && s->load[i].start < end) s->kink[n++] = s->load[i].start;
  for (int i = 0; s->scenario && i < s->scenario->ninput; i++)
    n += jn_signal_kinks(&s->scenario->input[i], 0.0, end, s->kink + n);
  for (int i = 0; i < s->ndrive; i++) {
    const jn_joint_spec *j = &m->spec->joint[m->edge[s->drive[i].edge].joint];
    if (!s->drive[i].curve) continue;
    jn_signal_spec curve = jn_signal_from_curve(&j->keys.motion.curve, j->pos);
    n += jn_signal_kinks(&curve, 0.0, end, s->kink + n);
  }
  qsort(s->kink, (size_t)n, sizeof *s->kink, compare_double);
  s->nkink = 0;
  for (int i = 0; i < n; i++)
    if (!s->nkink || s->kink[i] > s->kink[s->nkink - 1]) s->kink[s->nkink++] = s->kink[i];
  return JN_OK;
}

// A prescribed position that jumps would need an infinite force: a filter or a ramp is wanted.
static jn_status refuse_jumps(const jn_system *s, jn_error *err)
{
  for (int i = 0; i < s->ndrive; i++) {
    const jn_drive *k = &s->drive[i];
    if (k->input < 0 || s->input[k->input].signal < 0) continue;
    const double *table = s->table + s->input[k->input].signal;
    for (int n = 0; n < s->nkink && s->kink[n] <= s->opts.end; n++) {
      const double before = jn_signal_at(table, nextafter(s->kink[n], -INFINITY)).value,
                   after = jn_signal_at(table, s->kink[n]).value;
      if (fabs(after - before) <= 1e-9 * (fabs(before) + fabs(after)) + 1e-12) continue;
      const char *joint = s->model->edge[k->edge].name, *input = s->input[k->input].name;
      char path[JN_CHANNEL_MAX + 8];
      snprintf(path, sizeof path, "inputs.%s", input);
      jn_pos pos = {NULL, 0, 0};
      for (int j = 0; j < s->scenario->ninput; j++)
        if (!strcmp(s->scenario->input[j].name, input)) pos = s->scenario->input[j].pos;
      return jn_fail(
          err, JN_E_RANGE, pos, path,
          "jumps from %.6g to %.6g at t = %.6g s, and prescribes the motion of joint \"%s\", "
          "which cannot jump: use a ramp, or give the joint's motion a filter",
          before, after, s->kink[n], joint);
    }
  }
  return JN_OK;
}

jn_status jn_build_forces(jn_system *s, jn_error *err)
{
  const jn_spec *spec = s->model->spec;
  const int n = spec->nforce;
  const jn_force_spec **force = jn_build_array(s, n, sizeof *force);
  s->drive = jn_build_array(s, spec->njoint, sizeof *s->drive);
  s->tsda = jn_build_array(s, n, sizeof *s->tsda);
  s->rsda = jn_build_array(s, n, sizeof *s->rsda);
  s->bushing = jn_build_array(s, n, sizeof *s->bushing);
  s->load = jn_build_array(s, n, sizeof *s->load);
  s->plugin = jn_build_array(s, n, sizeof *s->plugin);
  s->wheel = jn_build_array(s, n, sizeof *s->wheel);
  s->tyre = jn_build_array(s, spec->ntyre, sizeof *s->tyre);
  s->tyre_plugin = jn_build_array(s, spec->ntyre, sizeof *s->tyre_plugin);
  if (!force || !s->drive || !s->tsda || !s->rsda || !s->bushing || !s->load || !s->plugin ||
      !s->wheel || !s->tyre || !s->tyre_plugin)
    return jn_build_no_memory(s, err);
  for (int i = 0; i < n; i++) force[i] = &spec->force[i];
  qsort(force, (size_t)n, sizeof *force, compare_force);
  jn_status st = find_inputs(s, err);
  jn_building b = {.s = s};
  for (int pass = 0; pass < 2 && !st; pass++) {  // measure the tables, then fill them
    b.ntable = 0;
    s->nx = s->ntimed = 0;
    s->ncomponent = s->nshown;
    s->nsignal = s->nothing + 1;
    if (!st) st = scenario_inputs(&b, err);
    if (!st) st = aim_drivers(&b, err);
    if (!st) st = jn_build_component_constants(&b, err);
    if (!st) st = set_drives(&b, err);
    for (int i = 0; i < spec->ntyre && !s->opts.without_tyres && !st; i++)
      st = jn_build_tyre(&b, &spec->tyre[i], &s->tyre[i], err);
    if (!st) st = add_forces(&b, force, err);
    if (!st && s->short_of_memory) st = jn_build_no_memory(s, err);
    if (pass == 0 && !st) {
      s->table = b.table = jn_build_array(s, b.ntable + 8, sizeof(double));
      if (!s->table) return jn_build_no_memory(s, err);
    }
  }
  if (!st) st = index_rsdas(s, err);
  if (!st) st = jn_build_headings(s, err);
  if (!st) st = jn_build_plugins(s, err);
  if (!st) st = jn_build_drivers(s, err);
  if (!st) st = jn_build_components(s, err);
  if (st) return st;
  jn_build_component_states(s, false);
  s->work_state = s->nx++;
  s->first_lag = s->nx;  // from here on: declared in the form u' = b - a u
  jn_build_component_states(s, true);
  jn_build_wheel_states(s);
  s->nexp = s->nx - s->first_lag;
  jn_build_road(s);
  jn_build_tyre_notes(s);
  for (int i = 0; i < s->ninput; i++)
    if (s->input[i].signal < 0 && s->input[i].driven < 0 && s->scenario && !s->input[i].quiet)
      jn_build_note(s, "input \"%s\" has no value in the scenario: it is held at zero",
                    s->input[i].name);
  st = find_kinks(s, err);
  return st ? st : refuse_jumps(s, err);
}
