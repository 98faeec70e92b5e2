// scenario.c: a tree of mappings and lists into a scenario, as the schema says.
#include "spec/scenario_internal.h"

#include <math.h>
#include <stdlib.h>

#include "spec/spec_reader.h"

static const double MOST_STEPS = 1e12;  // a step of 1 us: eleven days
static const double STEEPEST = 10.0;    // of a plane road: rise over length
static const double SHORTEST = 1e-6;    // bump or edge of a plateau [m]
static const double FASTEST = 1e3;      // of a road under a rig [m/s]

#define X(kind, word, list, member, help) {word, help},
static const jn_word signal_words[] = {JN_SIGNAL_KINDS(X){0}};
static const jn_word road_words[] = {JN_ROAD_KINDS(X){0}};
static const jn_word driver_words[] = {JN_DRIVER_KINDS(X){0}};
#undef X

// The reader of a scenario's elements: jn_read_section passes only this much.
typedef struct scenario_reader {
  jn_reader reader;
  jn_scenario *scenario;
} scenario_reader;

static jn_scenario *scenario_of(jn_reader *r)
{
  return ((scenario_reader *)r)->scenario;
}

// Does it end behind its start? Reported at the key `end`.
static jn_status check_span(jn_reader *r, const jn_node *node, double start, double end)
{
  const jn_node *key = jn_node_find(node, "end");
  if (end > start) return JN_OK;
  return JN_READ_FAIL(r, JN_E_RANGE, key, "ends at %.9g s, must end behind its start at %.9g s",
                      end, start);
}

static jn_status read_input(jn_reader *r, const jn_node *node, int i)
{
  static const jn_field value = {.key = "value", .quantity = JN_Q_INPUT};
  jn_signal_spec *s = &scenario_of(r)->input[i];
  int kind;
  jn_status st = jn_read_name(r, node, &s->name, &s->pos);
  if (st) return st;
  if (jn_is_number(node)) {
    s->kind = JN_SIGNAL_CONSTANT;
    s->as.constant.given = 1;
    return jn_read_value(r, node, &value, &s->as.constant.value);
  }
  if (node->kind != JN_NODE_MAP)
    return jn_expected(r, node, "a finite number, or a mapping such as {type: step, ...}");
  st = jn_read_type(r, node, signal_words, &kind);
  if (st) return st;
  s->kind = (jn_signal_kind)kind;
  st = jn_read_object(r, node, &jn_signal_kind_at(kind)->object, true, &s->as);
  if (st) return st;
  switch (s->kind) {
    case JN_SIGNAL_RAMP:
      return check_span(r, node, s->as.ramp.start, s->as.ramp.end);
    case JN_SIGNAL_SINE:
      return check_span(r, node, s->as.sine.start, s->as.sine.end);
    case JN_SIGNAL_CHIRP:
      return check_span(r, node, s->as.chirp.start, s->as.chirp.end);
    default:
      return JN_OK;
  }
}

static jn_status read_driver(jn_reader *r, const jn_node *node, int i)
{
  jn_driver_spec *s = &scenario_of(r)->driver[i];
  int kind;
  jn_status st = jn_read_named(r, node, driver_words, &s->name, &s->pos, &kind);
  if (st) return st;
  s->kind = (jn_driver_kind)kind;
  return jn_read_object(r, node, &jn_driver_kind_at(kind)->object, true, &s->as);
}

static jn_status read_component(jn_reader *r, const jn_node *node, int i)
{
  return jn_read_component(r, node, &scenario_of(r)->component[i]);
}

static jn_status read_stop(jn_reader *r, const jn_node *node, int i)
{
  jn_stop_spec *s = &scenario_of(r)->stop[i];
  jn_status st = jn_read_name(r, node, &s->name, &s->pos);
  if (st) return st;
  s->keys.below = -INFINITY;
  s->keys.above = INFINITY;
  st = jn_read_object(r, node, &jn_stop_object, false, &s->keys);
  const jn_node *channel = st ? NULL : jn_node_find(node, "channel");
  if (channel) s->channel_pos = jn_node_pos(channel);
  if (!st && !JN_GIVEN(&s->keys, jn_stop_keys, below) && !JN_GIVEN(&s->keys, jn_stop_keys, above))
    st = jn_fail(r->err, JN_E_SCHEMA, s->pos, r->path, "lacks the key \"below\" or \"above\"");
  return st;
}

jn_status jn_scenario_head(const jn_node *root, jn_error *err)
{
  static const char *const of_models[] = {"bodies", "joints", "forces", "include", "name"};
  if (root->kind != JN_NODE_MAP)
    return jn_fail(err, JN_E_SCHEMA, jn_node_pos(root), NULL,
                   "found %s, expected a scenario: a mapping of keys and values",
                   jn_shown(root).text);
  bool named = jn_node_find(root, "scenario");
  for (size_t i = 0; i < sizeof of_models / sizeof *of_models && !named; i++) {
    const jn_node *n = jn_node_find(root, of_models[i]);
    if (n)
      return jn_fail(err, JN_E_SCHEMA, jn_node_key_pos(n), NULL, "is a model, expected a scenario");
  }
  for (const jn_node *n = root->first; n; n = n->next)
    if (!jn_field_of(&jn_scenario_object, n->key))
      return jn_unknown_in_file(n, &jn_scenario_object, "a scenario", err);
  return JN_OK;
}

// The keys of the file that say how to solve.
static jn_status read_solver(jn_reader *r, const jn_node *root, jn_solver_spec *solver)
{
  jn_read_defaults(&jn_solver_object, solver);
  for (const jn_node *n = root->first; n; n = n->next) {
    const jn_field *f = jn_field_of(&jn_solver_object, n->key);
    if (!f) continue;
    size_t was = jn_reader_enter(r, n->key);
    jn_status st = jn_read_value(r, n, f, (char *)solver + f->offset);
    if (st) return st;
    r->path[was] = 0;
    solver->given |= 1u << (f - jn_solver_object.field);
  }
  if (!JN_GIVEN(solver, jn_solver_spec, end))
    return JN_READ_FAIL(r, JN_E_SCHEMA, root, "lacks the key \"end\", the duration of the run");
  const jn_node *step = jn_node_find(root, "step"), *end = jn_node_find(root, "end");
  if (solver->step > solver->end)
    return JN_READ_FAIL(r, JN_E_RANGE, step ? step : end,
                        "a step of %.9g s is longer than the run, which ends at %.9g s",
                        solver->step, solver->end);
  if (!(solver->end / solver->step <= MOST_STEPS))
    return JN_READ_FAIL(r, JN_E_RANGE, end, "the run has %.9g steps, at most %g are allowed",
                        solver->end / solver->step, MOST_STEPS);
  return JN_OK;
}

static jn_status read_texts(jn_reader *r, const jn_node *root, jn_scenario *s)
{
  static const jn_field text_field = {.type = JN_T_TEXT};
  const jn_node *name = jn_node_find(root, "scenario");
  if (!name)
    return JN_READ_FAIL(r, JN_E_SCHEMA, root,
                        "lacks the key \"scenario\"; it has a scenario's name");
  size_t was = jn_reader_enter(r, "scenario");
  jn_status st = jn_read_value(r, name, &text_field, &s->name);
  if (!st && !s->name[0]) st = JN_READ_FAIL(r, JN_E_SCHEMA, name, "is empty, expected a name");
  if (st) return st;
  r->path[was] = 0;
  return jn_read_key(r, root, &jn_scenario_object, "description", &s->description);
}

// Lengths by which a height is divided, and instants at which a bump passes a wheel, are to be numbers.
static jn_status check_bump(jn_reader *r, const jn_node *node, double length, double edge,
                            double moving)
{
  const struct {
    const char *key;
    double value;
  } lengths[] = {{"length", length}, {"edge", edge}};
  for (int i = 0; i < 2; i++) {
    if (lengths[i].value >= SHORTEST) continue;
    jn_reader_enter(r, lengths[i].key);
    return JN_READ_FAIL(r, JN_E_RANGE, jn_node_find(node, lengths[i].key),
                        "is %.9g m, must be at least %g m", lengths[i].value, SHORTEST);
  }
  if (fabs(moving) <= FASTEST) return JN_OK;
  jn_reader_enter(r, "moving");
  return JN_READ_FAIL(r, JN_E_RANGE, jn_node_find(node, "moving"),
                      "is %.9g m/s, must be from -%g to %g m/s", moving, FASTEST, FASTEST);
}

static jn_status read_road(jn_reader *r, const jn_node *node, jn_road_spec *road)
{
  int kind;
  road->pos = jn_node_key_pos(node);
  jn_status st = jn_read_type(r, node, road_words, &kind);
  if (st) return st;
  road->kind = (jn_road_kind)kind;
  st = jn_read_object(r, node, &jn_road_kind_at(kind)->object, true, &road->as);
  const jn_node *friction = jn_node_find(node, "friction");
  if (!st && friction) st = jn_check_friction(r, friction, road->as.surface.friction);
  const jn_road_plateau_spec *k = &road->as.plateau;
  for (int i = 0; i < 2 && !st && road->kind == JN_ROAD_KIND_FLAT; i++) {
    const double slope = i ? road->as.flat.bank : road->as.flat.grade;
    if (fabs(slope) > STEEPEST)
      return JN_READ_FAIL(r, JN_E_RANGE, jn_node_find(node, i ? "bank" : "grade"),
                          "a slope of %.9g is a wall, at most %g is a road", slope, STEEPEST);
  }
  if (!st && (road->kind == JN_ROAD_KIND_HALF_SINE || road->kind == JN_ROAD_KIND_PLATEAU))
    st = check_bump(r, node, k->length, road->kind == JN_ROAD_KIND_PLATEAU ? k->edge : k->length,
                    k->moving);
  if (!st && road->kind == JN_ROAD_KIND_PLATEAU && 2.0 * k->edge > k->length)
    st = JN_READ_FAIL(r, JN_E_RANGE, jn_node_find(node, "edge"),
                      "two edges of %.9g m are longer than the plateau, which has %.9g m", k->edge,
                      k->length);
  return st;
}

static jn_status read_own_road(jn_reader *r, const jn_node *node, int i)
{
  jn_road_spec *road = &scenario_of(r)->own_road[i];
  road->name = jn_keep_name(r, node);
  if (!road->name) return JN_READ_NO_MEMORY(r, node);
  jn_status st = read_road(r, node, road);
  if (!st && !road->as.any.wheels.n)
    st = jn_fail(r->err, JN_E_SCHEMA, road->pos, r->path, "lacks the key \"wheels\"");
  return st;
}

// What is there at the beginning.
static jn_status read_start(jn_reader *r, const jn_node *root, jn_scenario *s)
{
  const jn_node *road = jn_node_find(root, "road");
  jn_status st = JN_OK;
  if (road) {
    size_t was = jn_reader_enter(r, "road");
    const jn_node *wheels = jn_node_find(road, "wheels");
    st = read_road(r, road, &s->road);
    if (!st && wheels)
      st = JN_READ_FAIL(r, JN_E_SCHEMA, wheels,
                        "has wheels, but all others stand on `road`; an entry of `roads` has them");
    if (!st) r->path[was] = 0;
  }
  s->has_speed = jn_node_find(root, "speed");
  return st ? st : jn_read_key(r, root, &jn_scenario_object, "speed", &s->speed);
}

static jn_status read_scenario(jn_reader *r, const jn_node *root, jn_scenario *s)
{
  const jn_section section[] = {
      {"roads", sizeof *s->own_road, (void **)&s->own_road, &s->nroad, NULL, read_own_road, false},
      {"inputs", sizeof *s->input, (void **)&s->input, &s->ninput, NULL, read_input, true},
      {"drivers", sizeof *s->driver, (void **)&s->driver, &s->ndriver, NULL, read_driver, false},
      {"components", sizeof *s->component, (void **)&s->component, &s->ncomponent, NULL,
       read_component, false},
      {"stop", sizeof *s->stop, (void **)&s->stop, &s->nstop, NULL, read_stop, false},
  };
  const jn_node *record = jn_node_find(root, "record");
  jn_status st = jn_scenario_head(root, r->err);
  if (!st) st = jn_read_version(r, root, "a scenario");
  if (!st) st = read_texts(r, root, s);
  if (!st) st = read_solver(r, root, &s->solver);
  if (!st) st = read_start(r, root, s);
  for (size_t i = 0; i < sizeof section / sizeof *section && !st; i++)
    st = jn_read_section(r, root, &section[i]);
  if (st || !record) return st;
  jn_reader_enter(r, "record");
  return jn_read_object(r, record, &jn_record_object, false, &s->record);
}

jn_status jn_scenario_read(jn_scenario *scenario, const jn_node *root, jn_error *err)
{
  scenario_reader r = {.reader = {.pool = &scenario->pool, .files = &scenario->files, .err = err},
                       .scenario = scenario};
  scenario->pos = jn_node_pos(root);
  scenario->road.name = "road";
  return read_scenario(&r.reader, root, scenario);
}

void jn_scenario_free(jn_scenario *scenario)
{
  if (!scenario) return;
  jn_pool_free(&scenario->pool);
  free(scenario);
}

// A * that went too far is not taken back beyond the next one: what is behind the last * decides,
// so the work is at most the product of the two lengths.
bool jn_pattern_fits(const char *pattern, const char *name)
{
  const char *star = NULL, *retry = NULL;
  while (*name) {
    if (*pattern == '*') {
      star = ++pattern;
      retry = name;
    } else if (*pattern == *name) {
      pattern++, name++;
    } else if (star) {
      pattern = star;
      name = ++retry;
    } else {
      return false;
    }
  }
  while (*pattern == '*') pattern++;
  return *pattern == 0;
}
