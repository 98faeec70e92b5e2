// print.c: a vehicle as text: model and scenario in YAML, one element a line.
#include "differential/print.h"

#ifndef JT_FORCE_PLUGIN
#define JT_FORCE_PLUGIN ""
#endif
#ifndef JT_ROAD_PLUGIN
#define JT_ROAD_PLUGIN ""
#endif

#define X(name, word) word,
const char *vehicle_joint_word(vehicle_joint_kind kind)
{
  static const char *const words[] = {VEHICLE_JOINT_LIST(X)};
  return words[kind];
}

const char *vehicle_force_word(vehicle_force_kind kind)
{
  static const char *const words[] = {VEHICLE_FORCE_LIST(X)};
  return words[kind];
}

const char *vehicle_tyre_word(vehicle_tyre_kind kind)
{
  static const char *const words[] = {VEHICLE_TYRE_LIST(X)};
  return words[kind];
}

const char *vehicle_input_word(vehicle_input_kind kind)
{
  static const char *const words[] = {VEHICLE_INPUT_LIST(X)};
  return words[kind];
}

const char *vehicle_road_word(vehicle_road_kind kind)
{
  static const char *const words[] = {VEHICLE_ROAD_LIST(X)};
  return words[kind];
}

const char *vehicle_component_word(vehicle_component_kind kind)
{
  static const char *const words[] = {VEHICLE_COMPONENT_LIST(X)};
  return words[kind];
}
#undef X

const char *vehicle_sense_word(int sense)
{
#define X(word, flips) word,
  static const char *const words[] = {VEHICLE_SENSE_LIST(X)};
#undef X
  return words[sense];
}

bool vehicle_sense_flips(int sense)
{
#define X(word, flips) flips,
  static const bool all[] = {VEHICLE_SENSE_LIST(X)};
#undef X
  return all[sense];
}

static const char *body_name(const vehicle *v, int i)
{
  return i < 0 ? "ground" : v->body[i].name;
}

static void pair(text *t, const vehicle *v, const int body[2])
{
  say(t, ", bodies: [%s, %s]", body_name(v, body[0]), body_name(v, body[1]));
}

static void key_channel(text *t, const vehicle *v, int channel, double lag)
{
  if (channel < 0) return;
  say(t, ", channel: %s", v->channel[channel]);
  key_if(t, "lag", lag);
}

// Elements in the order that they are to have in the file: index of the one at place k, or -1.
#define AT_ORDER(array, count, k) at_order(&(array)[0].order, sizeof(array)[0], count, k)
static int at_order(const int *order, size_t stride, int n, int k)
{
  for (int i = 0; i < n; i++)
    if (*(const int *)((const char *)order + (size_t)i * stride) == k) return i;
  return -1;
}

// ---- the model ------------------------------------------------------------------------------------

static void one_body(text *t, const vehicle_body *b, const vehicle *v)
{
  say(t, "  %s: {mass: ", b->name);
  number(t, b->mass);
  key_list(t, "cg", b->cg, 3);
  const double *i = b->inertia;
  key_list(t, "inertia", i, i[3] != 0.0 || i[4] != 0.0 || i[5] != 0.0 ? 6 : 3);
  if (b->norientation) key_list(t, "orientation", b->orientation, b->norientation);
  if (b->parent != VEHICLE_NONE) say(t, ", parent: %s", body_name(v, b->parent));
  say(t, "}\n");
}

static void one_joint(text *t, const vehicle_joint *j, const vehicle *v)
{
  say(t, "  %s: {type: %s", j->name, vehicle_joint_word(j->kind));
  pair(t, v, j->body);
  vectors(t, "at", j->at, j->nat);
  vectors(t, "axis", j->axis, j->naxis);
  if (j->kind == VEHICLE_JOINT_SCREW) key(t, "lead", j->lead);
  if (j->motion == VEHICLE_GROUND) {
    text inner = {0};
    curve(&inner, "curve", &j->curve, "hold");
    say(t, ", motion: {%s}", inner.s ? inner.s + 2 : "");
    free(inner.s);
  } else if (j->motion >= 0) {
    say(t, ", motion: {channel: %s", v->channel[j->motion]);
    key_if(t, "filter", j->filter);
    say(t, "}");
  }
  say(t, "}\n");
}

static void map(text *t, const vehicle_curve c[2], double coupled)
{
  say(t, ", map: {method: %s, outside: %s", methods[c[0].method], c[0].outside ? "linear" : "hold");
  key_list(t, "deflections", c[0].x, c[0].n);
  key_list(t, "rates", c[1].x, c[1].n);
  for (int i = 0; i < c[1].n; i++) {
    say(t, i ? ", [" : ", values: [[");
    for (int k = 0; k < c[0].n; k++)
      say(t, "%s%.17g", k ? ", " : "", c[0].y[k] + c[1].y[i] + coupled * (c[0].y[k] * c[1].y[i]));
    say(t, "]");
  }
  say(t, "]}");
}

static void spring(text *t, const vehicle_force *f, const vehicle *v)
{
  key_if(t, "stiffness", f->stiffness);
  key_if(t, "damping", f->damping);
  const char *name = f->kind == VEHICLE_FORCE_TSDA ? "free_length" : "free_angle";
  if (f->auto_free)
    say(t, ", %s: auto", name);
  else if (f->has_free)
    key(t, name, f->free);
  if (f->auto_preload)
    say(t, ", preload: auto");
  else
    key_if(t, "preload", f->preload);
  curve(t, "spring_curve", &f->spring, "hold");
  curve(t, "damper_curve", &f->damper, "hold");
  if (f->nspring) key_list(t, "spring_polynomial", f->spring_term, f->nspring);
  if (f->ndamper) key_list(t, "damper_polynomial", f->damper_term, f->ndamper);
  if (f->map[0].n) map(t, f->map, f->coupled);
  key_channel(t, v, f->channel, f->lag);
}

static void wheel(text *t, const vehicle_force *f, const vehicle *v)
{
  static const char *const comply[] = {"steer_by_force", "steer_by_torque", "camber_by_force",
                                       "camber_by_torque"};
  const bool rotor = f->kind == VEHICLE_FORCE_WHEEL;
  say(t, ", body: %s", body_name(v, f->body[0]));
  vectors(t, "at", f->at, 1);
  if (f->has_axis) key_list(t, "axis", f->axis, 3);
  if (rotor) key(t, "inertia", f->inertia);
  say(t, ", tyre: %s", v->tyre[f->tyre].name);
  if (rotor && f->not_gyroscopic) say(t, ", gyroscopic: false");
  if (rotor && f->steered) say(t, ", steered: true");
  if (f->side) say(t, ", side: %s", sides[f->side]);
  for (int i = 0; i < 4; i++) curve(t, comply[i], &f->comply[i], "hold");
  key_if(t, "compliance_lag", f->comply_lag);
  if (f->reaction != VEHICLE_NONE) say(t, ", reaction: %s", body_name(v, f->reaction));
}

// What is the default of the file is left out.
static void contact(text *t, const vehicle_force *f, const vehicle *v)
{
  say(t, ", body: %s, at: [", body_name(v, f->body[0]));
  for (int i = 0; i < f->nplace; i++) {
    if (i) say(t, ", ");
    list(t, f->point[i], 3);
  }
  say(t, "]");
  key(t, "stiffness", f->stiffness);
  if (f->damping != 0.5) key(t, "damping", f->damping);
  if (f->friction != 0.5) key(t, "friction", f->friction);
}

static void one_force(text *t, const vehicle_force *f, const vehicle *v)
{
  say(t, "  %s: {type: %s", f->name, vehicle_force_word(f->kind));
  switch (f->kind) {
    case VEHICLE_FORCE_TSDA:
      pair(t, v, f->body);
      vectors(t, "at", f->at, f->nat);
      spring(t, f, v);
      break;
    case VEHICLE_FORCE_RSDA:
      say(t, ", joint: %s", v->joint[f->joint].name);
      spring(t, f, v);
      break;
    case VEHICLE_FORCE_SERVO:
      say(t, ", joint: %s", v->joint[f->joint].name);
      key(t, "stiffness", f->stiffness);
      key_if(t, "damping", f->damping);
      key_channel(t, v, f->channel, 0.0);
      break;
    case VEHICLE_FORCE_BUSHING:
      pair(t, v, f->body);
      vectors(t, "at", f->at, f->nat);
      vectors(t, "axes", f->axes, f->has_axes ? 2 : 0);
      key_list(t, "stiffness", f->linear[0], 3);
      key_list(t, "damping", f->linear[1], 3);
      key_list(t, "rotational_stiffness", f->rotational[0], 3);
      key_list(t, "rotational_damping", f->rotational[1], 3);
      break;
    case VEHICLE_FORCE_FORCE:
      say(t, ", body: %s", body_name(v, f->body[0]));
      vectors(t, "at", f->at, f->nat);
      key_list(t, "force", f->vector, 3);
      if (f->body_frame) say(t, ", frame: body");
      key_channel(t, v, f->channel, f->lag);
      break;
    case VEHICLE_FORCE_TORQUE:
      pair(t, v, f->body);
      key_list(t, "axis", f->vector, 3);
      key(t, "torque", f->torque);
      key_if(t, "start", f->start);
      key_channel(t, v, f->channel, f->lag);
      break;
    case VEHICLE_FORCE_PLUGIN:
      say(t, ", plugin: \"%s\"", JT_FORCE_PLUGIN);
      pair(t, v, f->body);
      vectors(t, "at", f->at, f->nat);
      say(t, ", parameters: {length: ");
      number(t, f->free);
      key(t, "stiffness", f->stiffness);
      key_if(t, "cubic", f->preload);
      key_if(t, "loss", f->damping);
      say(t, "}");
      break;
    case VEHICLE_FORCE_CONTACT:
      contact(t, f, v);
      break;
    case VEHICLE_FORCE_WHEEL:
    case VEHICLE_FORCE_TYRE:
      wheel(t, f, v);
      break;
    case VEHICLE_NFORCE:
      break;
  }
  say(t, "}\n");
}

static void initial_joint(text *t, const vehicle_joint *j)
{
  const bool two = j->kind == VEHICLE_JOINT_UNIVERSAL, both = j->kind == VEHICLE_JOINT_CYLINDRICAL;
  const char *position = j->kind == VEHICLE_JOINT_TRANSLATIONAL || both ? "position" : "angle";
  if (!j->has_position && !j->has_speed && !j->has_angles && !j->has_angular && !j->has_offset &&
      !j->has_velocity)
    return;
  text k = {0};
  if (two) {
    if (j->has_position) key_list(&k, "angles", j->position, 2);
    if (j->has_speed) key_list(&k, "speeds", j->speed, 2);
  } else {
    if (j->has_position) key(&k, position, j->position[0]);
    if (j->has_position && both) key(&k, "angle", j->position[1]);
    if (j->has_speed) key(&k, "speed", j->speed[0]);
    if (j->has_speed && both) key(&k, "spin", j->speed[1]);
  }
  if (j->has_angles) key_list(&k, "orientation", j->angles, 3);
  if (j->has_angular) key_list(&k, "angular_velocity", j->angular, 3);
  if (j->has_offset) key_list(&k, "offset", j->offset, 3);
  if (j->has_velocity) key_list(&k, "velocity", j->velocity, 3);
  say(t, "  %s: {%s}\n", j->name, k.s + 2);
  free(k.s);
}

static void initial(text *t, const vehicle *v)
{
  const size_t before = t->n;
  say(t, "initial:\n");
  const size_t empty = t->n;
  for (int i = 0; i < v->nbody; i++) {
    const vehicle_body *b = &v->body[i];
    if (b->out || (!b->has_velocity && !b->has_angular)) continue;
    text k = {0};
    if (b->has_velocity) key_list(&k, "velocity", b->velocity, 3);
    if (b->has_angular) key_list(&k, "angular_velocity", b->angular, 3);
    say(t, "  %s: {%s}\n", b->name, k.s + 2);
    free(k.s);
  }
  for (int i = 0; i < v->njoint; i++)
    if (!v->joint[i].out) initial_joint(t, &v->joint[i]);
  for (int i = 0; i < v->nforce; i++)
    if (!v->force[i].out && v->force[i].kind == VEHICLE_FORCE_WHEEL && v->force[i].has_spin) {
      text k = {0};
      key(&k, "speed", v->force[i].spin);
      say(t, "  %s: {%s}\n", v->force[i].name, k.s + 2);
      free(k.s);
    }
  if (t->n == empty) t->s[t->n = before] = 0;
}

// ---- components -------------------------------------------------------------------------------------

static void signal(text *t, const vehicle *v, const vehicle_signal *s)
{
  switch (s->of) {
    case SIGNAL_NUMBER:
      number(t, s->number);
      break;
    case SIGNAL_BODY:
      say(t, "%s.%s", v->body[s->index].name, vehicle_sense_word(s->sense));
      break;
    case SIGNAL_JOINT: {
      const vehicle_joint *j = &v->joint[s->index];
      const char *position = j->kind == VEHICLE_JOINT_TRANSLATIONAL ? "position" : "angle";
      say(t, "joint.%s.%s", j->name, s->sense ? "speed" : position);
      break;
    }
    case SIGNAL_WHEEL:
      say(t, "wheel.%s.speed", v->force[s->index].name);
      break;
    case SIGNAL_COMPONENT:
      say(t, "%s.out", v->component[s->index].name);
      break;
    default:
      break;
  }
}

static void one_component(text *t, const vehicle_component *c, const vehicle *v)
{
  static const char *const parameter[][6] = {
      [VEHICLE_COMPONENT_PID] = {"gain", "integral_time", "derivative_time", "filter_time", "most",
                                 "least"},
      [VEHICLE_COMPONENT_LAG] = {"time"},
      [VEHICLE_COMPONENT_FILTER] = {"time"},
      [VEHICLE_COMPONENT_GAIN] = {"factor", "offset", "least", "most"},
      [VEHICLE_COMPONENT_SUM] = {"weight_a", "weight_b"}};
  static const char *const port[][3] = {[VEHICLE_COMPONENT_PID] = {"target", "measured"},
                                        [VEHICLE_COMPONENT_LAG] = {"in"},
                                        [VEHICLE_COMPONENT_FILTER] = {"in"},
                                        [VEHICLE_COMPONENT_GAIN] = {"in"},
                                        [VEHICLE_COMPONENT_SUM] = {"a", "b"}};
  say(t, "  %s: {type: %s", c->name, vehicle_component_word(c->kind));
  for (int i = 0; i < 6 && parameter[c->kind][i]; i++) {
    if (i)
      key_if(t, parameter[c->kind][i], c->p[i]);
    else
      key(t, parameter[c->kind][i], c->p[i]);
  }
  say(t, ", inputs: {");
  for (int i = 0; i < 3 && port[c->kind][i]; i++) {
    say(t, "%s%s: ", i ? ", " : "", port[c->kind][i]);
    signal(t, v, &c->in[i]);
  }
  say(t, "}");
  if (c->index >= 0 && c->to == VEHICLE_TO_CHANNEL)
    say(t, ", outputs: {out: %s}", v->channel[c->index]);
  else if (c->index >= 0)
    say(t, ", outputs: {out: wheel.%s.drive}", v->force[c->index].name);
  say(t, "}\n");
}

static void components(text *t, const vehicle *v)
{
  bool any = false;
  for (int i = 0; i < v->ncomponent; i++) {
    if (v->component[i].out) continue;
    if (!any) say(t, "components:\n");
    any = true;
    one_component(t, &v->component[i], v);
  }
}

// A section without elements is left out.
#define SECTION(title, array, count, line)     \
  do {                                         \
    const size_t before = t.n;                 \
    say(&t, title ":\n");                      \
    const size_t empty = t.n;                  \
    for (int k = 0; k < (count); k++) {        \
      const int i = AT_ORDER(array, count, k); \
      if (i >= 0 && !(array)[i].out) line;     \
    }                                          \
    if (t.n == empty) t.s[t.n = before] = 0;   \
  } while (0)

char *vehicle_model(const vehicle *v)
{
  text t = {0};
  say(&t, "jounce: 1\nname: vehicle %llu\n", (unsigned long long)v->seed);
  if (v->has_gravity) {
    say(&t, "gravity: ");
    list(&t, v->gravity, 3);
    say(&t, "\n");
  }
  SECTION("bodies", v->body, v->nbody, one_body(&t, &v->body[i], v));
  SECTION("joints", v->joint, v->njoint, one_joint(&t, &v->joint[i], v));
  SECTION("tyres", v->tyre, v->ntyre, print_tyre(&t, &v->tyre[i]));
  SECTION("forces", v->force, v->nforce, one_force(&t, &v->force[i], v));
  initial(&t, v);
  if (v->in_model) components(&t, v);
  if (v->base != VEHICLE_NONE || v->ncut) {
    say(&t, "topology: {");
    if (v->base != VEHICLE_NONE) say(&t, "base: %s", body_name(v, v->base));
    if (v->ncut) say(&t, "%scut: [", v->base != VEHICLE_NONE ? ", " : "");
    for (int i = 0; i < v->ncut; i++) say(&t, "%s%s", i ? ", " : "", v->joint[v->cut[i]].name);
    say(&t, "%s}\n", v->ncut ? "]" : "");
  }
  return t.s;
}

// ---- the scenario -----------------------------------------------------------------------------------

static void one_input(text *t, const vehicle_input *n, const vehicle *v)
{
  static const char *const keys[] = {"", "drive", "brake", "steer"};
  if (n->target == VEHICLE_TO_CHANNEL)
    say(t, "  %s: {", v->channel[n->index]);
  else if (n->target == VEHICLE_TO_DRIVER)
    say(t, "  driver.%s.speed: {", v->driver[n->index].name);
  else
    say(t, "  wheel.%s.%s: {", v->force[n->index].name, keys[n->target]);
  say(t, "type: %s", vehicle_input_word(n->kind));
  switch (n->kind) {
    case VEHICLE_INPUT_CONSTANT:
      key(t, "value", n->to);
      break;
    case VEHICLE_INPUT_STEP:
      key(t, "at", n->at);
      key_if(t, "from", n->from);
      key(t, "to", n->to);
      break;
    case VEHICLE_INPUT_RAMP:
      key_if(t, "start", n->at);
      key(t, "end", n->end);
      key_if(t, "from", n->from);
      key(t, "to", n->to);
      break;
    case VEHICLE_INPUT_SINE:
      key(t, "amplitude", n->amplitude);
      key(t, "frequency", n->frequency[0]);
      key_if(t, "phase", n->phase);
      key_if(t, "offset", n->offset);
      key_if(t, "start", n->at);
      key_if(t, "end", n->end);
      break;
    case VEHICLE_INPUT_CHIRP:
      key(t, "amplitude", n->amplitude);
      key_list(t, "frequencies", n->frequency, 2);
      key_if(t, "start", n->at);
      key(t, "end", n->end);
      key_if(t, "offset", n->offset);
      break;
    case VEHICLE_INPUT_TABLE:
      say(t, ", points: ");
      points(t, &n->table);
      if (n->table.method) say(t, ", method: %s", methods[n->table.method]);
      if (n->table.outside) say(t, ", outside: linear");
      break;
    case VEHICLE_NINPUT:
      break;
  }
  say(t, "}\n");
}

static void one_driver(text *t, const vehicle_driver *d, const vehicle *v)
{
  say(t, "  %s: {type: speed, body: %s, wheels: [", d->name, body_name(v, d->body));
  for (int i = 0; i < d->nwheel; i++) say(t, "%s%s", i ? ", " : "", v->force[d->wheel[i]].name);
  say(t, "]");
  if (d->has_speed) key(t, "speed", d->speed);
  key_if(t, "gain", d->gain);
  key_if(t, "integral_time", d->integral_time);
  key_if(t, "most", d->most);
  key_if(t, "least", d->least);
  say(t, "}\n");
}

static void plugin_road(text *t, const vehicle_road *r)
{
  say(t, ", plugin: \"%s\", parameters: {at: ", JT_ROAD_PLUGIN);
  number(t, r->at);
  key(t, "length", r->length);
  key(t, "height", r->height);
  key_if(t, "friction", r->friction);
  say(t, "}}\n");
}

static void road(text *t, const char *name, const vehicle_road *r, const vehicle *v)
{
  if (r->kind == VEHICLE_ROAD_NONE) return;
  say(t, "%s: {type: %s", name, vehicle_road_word(r->kind));
  for (int i = 0; i < r->nwheel; i++)
    say(t, "%s%s%s", i ? ", " : ", wheels: [", v->force[r->wheel[i]].name,
        i + 1 < r->nwheel ? "" : "]");
  if (r->kind == VEHICLE_ROAD_PLUGIN) {
    plugin_road(t, r);
    return;
  }
  key_if(t, "friction", r->friction);
  for (int i = 0; i < r->npatch; i++) {
    const vehicle_patch *p = &r->patch[i];
    say(t, "%sp%d: {friction: ", i ? ", " : ", patches: {", i + 1);
    number(t, p->friction);
    if (p->has_x) key_list(t, "x", p->x, 2);
    if (p->has_y) key_list(t, "y", p->y, 2);
    key_if(t, "edge", p->edge);
    say(t, "}%s", i + 1 < r->npatch ? "" : "}");
  }
  key_if(t, "height", r->height);
  if (r->kind == VEHICLE_ROAD_FLAT) {
    key_if(t, "grade", r->grade);
    key_if(t, "bank", r->bank);
  } else {
    key(t, "at", r->at);
    key(t, "length", r->length);
    if (r->kind == VEHICLE_ROAD_PLATEAU) key(t, "edge", r->edge);
    key_if(t, "moving", r->moving);
  }
  say(t, "}\n");
}

char *vehicle_scenario(const vehicle *v)
{
  text t = {0};
  say(&t, "jounce: 1\nscenario: vehicle %llu\nend: ", (unsigned long long)v->seed);
  number(&t, v->end);
  say(&t, "\nstep: ");
  number(&t, v->step);
  say(&t, "\nintegrator: %s\nstabilize: %s\n", jn_sim_word_of("integrator", (int)v->integrator),
      jn_sim_word_of("stabilize", (int)v->stabilize));
  if (v->has_speed) {
    say(&t, "speed: ");
    number(&t, v->speed);
    say(&t, "\n");
  }
  road(&t, "road", &v->road, v);
  for (int i = 0; i < v->nroad; i++) {
    char name[24];
    snprintf(name, sizeof name, "%s  own%d", i ? "" : "roads:\n", i + 1);
    road(&t, name, &v->single[i], v);
  }
  if (!v->in_model) components(&t, v);
  SECTION("inputs", v->input, v->ninput, one_input(&t, &v->input[i], v));
  const size_t before = t.n;
  say(&t, "drivers:\n");
  const size_t empty = t.n;
  for (int i = 0; i < v->ndriver; i++)
    if (!v->driver[i].out) one_driver(&t, &v->driver[i], v);
  if (t.n == empty) t.s[t.n = before] = 0;
  return t.s;
}
