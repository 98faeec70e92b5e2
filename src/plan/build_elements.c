// build_elements.c: force elements: where they are attached, numbers and form of their kernels (elements/). Wheels: build_wheels.c.
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "components/component_kinds.h"
#include "plan/build.h"

int jn_build_index(const jn_system *s, int body)
{
  return body == JN_GROUND ? -1 : s->body_of_node[body + 1];
}

// ---- ends -----------------------------------------------------------------------------------------

// The ground as the other end's frame sees it.
static void set_bodies(const jn_system *s, jn_ends *e, const int bodies[2])
{
  e->a = jn_build_index(s, bodies[0]), e->b = jn_build_index(s, bodies[1]);
  if (e->a < 0) e->a = s->body[e->b].frame;
  if (e->b < 0) e->b = s->body[e->a].frame;
}

static void set_ends(const jn_system *s, jn_ends *e, const int bodies[2], const jn_vectors *at)
{
  set_bodies(s, e, bodies);
  e->at_a = v3_sub(v3_load(at->v[0]), s->body[e->a].anchor);
  e->at_b = v3_sub(v3_load(at->v[at->n == 2 ? 1 : 0]), s->body[e->b].anchor);
}

// A coordinate of the joint: the tree's own, or the angle or travel of a cut joint.
static void set_coordinate(const jn_system *s, jn_coordinate *c, int joint)
{
  const int i = jn_build_body_of(s, joint);
  const jn_joint_kind kind = s->model->spec->joint[joint].kind;
  *c = (jn_coordinate){
      .v = -1, .q = -1, .cut = -1, .driven = -1, .angular = jn_joint_has(kind, JN_HAS_ANGLE)};
  if (i >= 0 && s->joint[i].drive >= 0) {
    c->driven = i;
  } else if (i >= 0) {
    // Reversed joints have their axis turned round, so that the coordinate is the file's.
    const int k = jn_joint_has(kind, JN_HAS_BOTH) ? 1 : 0;
    c->v = s->joint[i].v + k;
    c->q = s->joint[i].q + k;
  } else {
    c->cut = jn_build_cut_of(s, joint);
  }
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

// ---- laws -----------------------------------------------------------------------------------------

const jn_element *jn_build_planned(const jn_system *s, const char *name)
{
  for (int i = 0; s->like && i < s->like->nelement; i++)
    if (!strcmp(s->like->element[i].name, name)) return &s->like->element[i];
  return NULL;
}

// Bisections of a curve or a map: as many as the plan has, if it has any.
static int steps_in_plan(jn_system *s, const jn_element *e, const char *what, int n, int planned)
{
  if (planned > 0 && n > (1 << planned) - 1)
    jn_build_breaks(s, "forces.%s: its %s has %d points, and the plan has room for %d", e->name,
                    what, n, (1 << planned) - 1);
  return planned > 0 ? planned : 0;
}

static jn_status law_curve(jn_building *b, jn_element *e, const jn_curve_spec *c, int field,
                           int steps_at, jn_error *err)
{
  int at, steps;
  const jn_element *plan = jn_build_planned(b->s, e->name);
  const char *what = field == LAW_SPRING_CURVE ? "spring_curve" : "damper_curve";
  const int planned = plan ? law_part(plan->form, steps_at, 5) - 1 : -1;
  const int least = steps_in_plan(b->s, e, what, c->n, planned);
  jn_status st = jn_build_curve(b, c, e->spec->pos, e->name, least, &at, &steps, err);
  e->p[field] = r_real(at);
  if (at >= 0) e->form |= (steps + 1) << steps_at;
  return st;
}

static jn_status law_map(jn_building *b, jn_element *e, const jn_map_spec *k, jn_error *err)
{
  if (!k->n) return JN_OK;
  const jn_element *plan = jn_build_planned(b->s, e->name);
  const int planned_x = plan ? law_part(plan->form, LAW_MAP_X, 3) : 0,
            planned_v = plan ? law_part(plan->form, LAW_MAP_V, 3) : 0;
  int steps_x = steps_in_plan(b->s, e, "map over deflections", k->n, planned_x),
      steps_v = steps_in_plan(b->s, e, "map over rates", k->nrate, planned_v);
  if (jn_curve_steps(k->n) > steps_x) steps_x = jn_curve_steps(k->n);
  if (jn_curve_steps(k->nrate) > steps_v) steps_v = jn_curve_steps(k->nrate);
  const int at = jn_build_table(b, jn_map_doubles(steps_x, steps_v, k->nrate));
  e->p[LAW_MAP] = r_real(at);
  e->form |= steps_x << LAW_MAP_X | steps_v << LAW_MAP_V;
  if (!b->table) return JN_OK;  // measuring
  const jn_map_def def = {.nx = k->n,
                          .nv = k->nrate,
                          .x = k->deflection,
                          .v = k->rate,
                          .y = k->value,
                          .method = (jn_curve_method)k->method,
                          .outside = k->outside == 0 ? JN_CURVE_HOLD : JN_CURVE_EXTEND,
                          .pos = k->pos,
                          .path = e->name};
  return jn_map_build(b->table + at, steps_x, steps_v, &def, err);
}
_Static_assert(JN_MAP_MOST < 1 << 6, "steps of a map have three bits of a form");

// What tsda and rsda have in common.
typedef struct law_keys {
  double stiffness, damping, free, lag;
  const jn_auto *preload;
  const jn_numbers *spring_polynomial, *damper_polynomial;
  const jn_curve_spec *spring_curve, *damper_curve;
  const jn_map_spec *map;
  const char *channel;
} law_keys;

#define LAW_KEYS(k, free_value)                                                                  \
  {                                                                                              \
    (k)->stiffness, (k)->damping, free_value, (k)->lag, &(k)->preload, &(k)->spring_polynomial,  \
        &(k)->damper_polynomial, &(k)->spring_curve, &(k)->damper_curve, &(k)->map, (k)->channel \
  }

static jn_status set_law(jn_building *b, jn_element *e, const law_keys *k, jn_error *err)
{
  const jn_numbers *spring = k->spring_polynomial, *damper = k->damper_polynomial;
  e->p[LAW_STIFFNESS] = k->stiffness, e->p[LAW_DAMPING] = k->damping;
  e->p[LAW_PRELOAD] = k->preload->automatic ? 0.0 : k->preload->value;
  e->p[LAW_FREE] = k->free;
  memcpy(e->p + LAW_TERMS, spring->v, (size_t)spring->n * sizeof *spring->v);
  memcpy(e->p + LAW_TERMS + spring->n, damper->v, (size_t)damper->n * sizeof *damper->v);
  e->form = spring->n << LAW_NSPRING | damper->n << LAW_NDAMPER;
  e->actuator = actuator_of(b->s, e->name, k->channel, k->lag);
  if (e->actuator.input >= 0) e->form |= LAW_INPUT;
  e->nfield = law_fields(e->form);
  e->automatic = e->auto_free || k->preload->automatic;
  jn_status st = law_curve(b, e, k->spring_curve, LAW_SPRING_CURVE, LAW_SPRING_STEPS, err);
  if (!st) st = law_curve(b, e, k->damper_curve, LAW_DAMPER_CURVE, LAW_DAMPER_STEPS, err);
  if (!st) st = law_map(b, e, k->map, err);
  if (!st && e->auto_free && !law_springs(e->form, e->p[LAW_STIFFNESS]))
    return jn_fail(err, JN_E_RANGE, e->spec->pos, NULL,
                   "forces.%s: `%s: auto` needs a stiffness above zero, a curve or a map, else "
                   "use `preload: auto`",
                   e->name, e->kind == JN_FORCE_TSDA ? "free_length" : "free_angle");
  return st;
}
_Static_assert((int)LAW_MOST_TERMS == (int)JN_NUMBERS_MOST, "coefficients of the file");
_Static_assert((int)JN_CURVE_MAX_STEPS + 1 < 1 << 5, "steps have five bits of a form");

// ---- kinds ----------------------------------------------------------------------------------------

static jn_status build_spring(jn_building *b, jn_element *e, jn_error *err)
{
  const jn_tsda_keys *k = &e->spec->as.tsda;
  const double design = v3_norm(v3_sub(v3_load(k->at.v[1]), v3_load(k->at.v[0])));
  const bool given = JN_GIVEN(k, jn_tsda_keys, free_length) && !k->free_length.automatic;
  const law_keys keys = LAW_KEYS(k, given ? k->free_length.value : design);
  set_ends(b->s, &e->ends, k->bodies, &k->at);
  e->auto_free = k->free_length.automatic;
  return set_law(b, e, &keys, err);
}

static jn_status build_torsion(jn_building *b, jn_element *e, jn_error *err)
{
  const jn_rsda_keys *k = &e->spec->as.rsda;
  const law_keys keys = LAW_KEYS(k, k->free_angle.automatic ? 0.0 : k->free_angle.value);
  set_coordinate(b->s, &e->in, k->joint);
  e->auto_free = k->free_angle.automatic;
  return set_law(b, e, &keys, err);
}

static jn_status build_servo(jn_building *b, jn_element *e, jn_error *err)
{
  (void)err;
  const jn_servo_keys *k = &e->spec->as.servo;
  set_coordinate(b->s, &e->in, k->joint);
  e->p[SERVO_STIFFNESS] = k->stiffness, e->p[SERVO_DAMPING] = k->damping;
  e->nfield = SERVO_FIELDS;
  e->actuator = actuator_of(b->s, e->name, k->channel, 0.0);
  e->actuator.follows = true;
  return JN_OK;
}

static jn_status build_bushing(jn_building *b, jn_element *e, jn_error *err)
{
  (void)err;
  const jn_bushing_keys *k = &e->spec->as.bushing;
  set_ends(b->s, &e->ends, k->bodies, &k->at);
  memcpy(e->p + BUSHING_STIFFNESS, k->stiffness, sizeof k->stiffness);
  memcpy(e->p + BUSHING_DAMPING, k->damping, sizeof k->damping);
  memcpy(e->p + BUSHING_TURN_STIFFNESS, k->rotational_stiffness, sizeof k->rotational_stiffness);
  memcpy(e->p + BUSHING_TURN_DAMPING, k->rotational_damping, sizeof k->rotational_damping);
  e->nfield = BUSHING_AXES;
  if (k->axes.n != 2) return JN_OK;
  const v3 x = v3_unit(v3_load(k->axes.v[0])), second = v3_load(k->axes.v[1]);
  const v3 y = v3_unit(v3_axpy(-v3_dot(second, x), x, second));
  const m3 axes = m3_columns(x, y, v3_cross(x, y));
  v3_store(e->p + BUSHING_AXES, axes.x);
  v3_store(e->p + BUSHING_AXES + 3, axes.y);
  v3_store(e->p + BUSHING_AXES + 6, axes.z);
  e->form = BUSHING_SKEW;
  e->nfield = BUSHING_FIELDS;
  return JN_OK;
}

static jn_status build_push(jn_building *b, jn_element *e, jn_error *err)
{
  (void)err;
  const jn_force_keys *k = &e->spec->as.force;
  const jn_system *s = b->s;
  e->ends.a = -1, e->ends.b = jn_build_index(s, k->body);
  e->ends.at_b = JN_GIVEN(k, jn_force_keys, at) ? v3_sub(v3_load(k->at), s->body[e->ends.b].anchor)
                                                : s->body[e->ends.b].cg;
  memcpy(e->p + LOAD_VALUE, k->force, sizeof k->force);
  e->nfield = LOAD_FIELDS;
  e->actuator = actuator_of(b->s, e->name, k->channel, k->lag);
  e->form =
      (e->actuator.input >= 0 ? LOAD_INPUT : 0) | (k->frame == JN_FRAME_WORLD ? LOAD_WORLD : 0);
  return JN_OK;
}

static jn_status build_couple(jn_building *b, jn_element *e, jn_error *err)
{
  (void)err;
  const jn_torque_keys *k = &e->spec->as.torque;
  set_bodies(b->s, &e->ends, k->bodies);
  v3_store(e->p + LOAD_VALUE, v3_scale(k->torque, v3_unit(v3_load(k->axis))));
  e->nfield = LOAD_FIELDS;
  e->actuator = actuator_of(b->s, e->name, k->channel, k->lag);
  if (e->actuator.input >= 0) e->form |= LOAD_INPUT;
  if (!JN_GIVEN(k, jn_torque_keys, start)) return JN_OK;
  e->form |= LOAD_STARTS;
  e->p[LOAD_START] = e->start = k->start;
  return JN_OK;
}

static jn_status build_plugged(jn_building *b, jn_element *e, jn_error *err)
{
  (void)err;
  set_ends(b->s, &e->ends, e->spec->as.plugin.bodies, &e->spec->as.plugin.at);
  e->plugin = b->s->nplugin++;
  return JN_OK;
}

static jn_status build_contact(jn_building *b, jn_element *e, jn_error *err)
{
  (void)err;
  const jn_contact_keys *k = &e->spec->as.contact;
  const jn_body *body;
  e->ends.b = jn_build_index(b->s, k->body);
  body = &b->s->body[e->ends.b];
  e->p[CONTACT_STIFFNESS] = k->stiffness, e->p[CONTACT_DAMPING] = k->damping;
  e->p[CONTACT_FRICTION] = k->friction;
  for (int i = 0; i < k->at.n; i++) {
    const v3 at = v3_load(k->at.v[i]);
    v3_store(e->p + CONTACT_AT + 3 * i, v3_sub(at, body->anchor));
    if (at.z < 0.0 && b->table)
      jn_build_note(
          b->s,
          "contact %s: its point %d is %.3g mm below the road at the design position, which "
          "pushes it from the beginning",
          e->name, i + 1, -1e3 * at.z);
  }
  e->form = k->at.n;
  e->nfield = CONTACT_AT + 3 * k->at.n;
  return JN_OK;
}
_Static_assert((int)JN_PLACES_MOST <= (int)CONTACT_POINTS, "points of the file");

// ---- the whole ------------------------------------------------------------------------------------

static int compare_elements(const void *a, const void *b)
{
  const jn_element *x = a, *y = b;
  const int by_kind = jn_element_order(x->kind) - jn_element_order(y->kind);
  return by_kind ? by_kind : strcmp(x->name, y->name);
}

jn_status jn_build_elements(jn_building *b, const jn_force_spec *const *force, jn_error *err)
{
  jn_system *s = b->s;
  s->nelement = s->nplugin = s->nwheel = 0;
  jn_status st = JN_OK;
  for (int i = 0; i < s->model->spec->nforce && !st; i++) {
    const jn_force_spec *f = force[i];
    if (jn_element_kinds[f->kind].ends == JN_ENDS_NONE) {
      if (!s->binding.opts.without_tyres) st = jn_build_wheel(b, f, err);
      continue;
    }
    jn_element *e = &s->element[s->nelement++];
    *e = (jn_element){.name = f->name,
                      .spec = f,
                      .kind = f->kind,
                      .in = {-1, -1, -1, -1, true},
                      .ends = {.a = -1, .b = -1},
                      .actuator = {.input = -1},
                      .plugin = -1};
    switch (f->kind) {
#define X(kind, word, ends, outputs) \
  case JN_FORCE_##kind:              \
    st = build_##word(b, e, err);    \
    break;
      JN_ELEMENT_KINDS(X)
#undef X
      default:
        break;
    }
  }
  qsort(s->element, (size_t)s->nelement, sizeof *s->element, compare_elements);
  return st;
}

jn_status jn_build_element_index(jn_system *s, jn_error *err)
{
  s->element_in_speed = jn_build_array(s, s->nv, sizeof *s->element_in_speed);
  s->element_next = jn_build_array(s, s->nelement, sizeof *s->element_next);
  if (!s->element_in_speed || !s->element_next) return jn_build_no_memory(s, err);
  for (int v = 0; v < s->nv; v++) s->element_in_speed[v] = -1;
  for (int i = s->nelement - 1; i >= 0; i--) {
    const int v = s->element[i].in.v;
    s->element_next[i] = v < 0 ? -1 : s->element_in_speed[v];
    if (v >= 0) s->element_in_speed[v] = i;
  }
  return JN_OK;
}
