// write.c: a spec as a model file, a scenario as a scenario file, key by key in the order of the schema.
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "spec/scenario_internal.h"
#include "spec/spec_internal.h"

typedef struct writer {
  const jn_spec *spec;  // NULL: a scenario
  char *text;
  size_t length, room;
  bool failed;  // memory is exhausted
} writer;

__attribute__((format(printf, 2, 3))) static void put(writer *w, const char *fmt, ...)
{
  va_list args;
  va_start(args, fmt);
  int n = vsnprintf(NULL, 0, fmt, args);
  va_end(args);
  if (w->failed || n < 0) return;
  if (w->length + (size_t)n + 1 > w->room) {
    size_t room = 2 * (w->length + (size_t)n) + 1024;
    char *text = realloc(w->text, room);
    if (!text) {
      w->failed = true;
      return;
    }
    w->text = text;
    w->room = room;
  }
  va_start(args, fmt);
  vsnprintf(w->text + w->length, w->room - w->length, fmt, args);
  va_end(args);
  w->length += (size_t)n;
}

// The shortest digits that read back as the same number, with a dot whatever the process's locale has.
static void put_number(writer *w, double x)
{
  char text[48];
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, x);
    if (strtod(text, NULL) == x) break;
  }
  const char *point = localeconv()->decimal_point;
  const char *found = strcmp(point, ".") ? strstr(text, point) : NULL;
  if (found)
    put(w, "%.*s.%s", (int)(found - text), text, found + strlen(point));
  else
    put(w, "%s", text);
}

static void put_numbers(writer *w, const double *x, int n)
{
  put(w, "[");
  for (int i = 0; i < n; i++) {
    if (i) put(w, ", ");
    put_number(w, x[i]);
  }
  put(w, "]");
}

// What a file may not hold as it is, though text may by an escape: controls, separators of lines and
// paragraphs, byte order marks, and what is no character.
static bool needs_escape(unsigned code)
{
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x2028 || code == 0x2029 ||
         code == 0xfeff || code == 0xfffe || code == 0xffff;
}

// In double quotes, with what YAML cannot show escaped. The reader lets only valid UTF-8 through.
static void put_text(writer *w, const char *text)
{
  const unsigned char *s = (const unsigned char *)text;
  put(w, "\"");
  for (size_t left = strlen(text); left > 0;) {
    unsigned code = *s;
    size_t n = jn_utf8_next(s, left, &code);
    if (code == '"' || code == '\\')
      put(w, "\\%c", (char)code);
    else if (code == '\n')
      put(w, "\\n");
    else if (code == '\t')
      put(w, "\\t");
    else if (needs_escape(code))
      put(w, "\\u%04x", code);
    else
      put(w, "%.*s", (int)n, (const char *)s);
    n += n == 0;
    s += n;
    left -= n;
  }
  put(w, "\"");
}

static void put_vectors(writer *w, const jn_vectors *v)
{
  if (v->n == 2) put(w, "[");
  put_numbers(w, v->v[0], 3);
  if (v->n == 2) {
    put(w, ", ");
    put_numbers(w, v->v[1], 3);
    put(w, "]");
  }
}

static void put_points(writer *w, const jn_curve_spec *c)
{
  put(w, "[");
  for (int i = 0; i < c->n; i++) {
    if (i) put(w, ", ");
    put_numbers(w, (double[]){c->x[i], c->y[i]}, 2);
  }
  put(w, "]");
}

static void put_curve(writer *w, const jn_curve_spec *c)
{
  put(w, "{points: ");
  put_points(w, c);
  put(w, ", method: %s, outside: %s}", jn_curve_methods[c->method].word,
      jn_curve_outside[c->outside].word);
}

static void put_rows(writer *w, const double *value, int nrow, int ncolumn)
{
  put(w, ", values: [");
  for (int i = 0; i < nrow; i++) {
    if (i) put(w, ", ");
    put_numbers(w, value + (size_t)i * (size_t)ncolumn, ncolumn);
  }
  put(w, "]");
}

static void put_carpet(writer *w, const jn_carpet_spec *c, bool angle)
{
  put(w, "{%s: ", angle ? "slip_angles" : "slips");
  put_numbers(w, c->slip, c->nslip);
  put(w, ", loads: ");
  put_numbers(w, c->load, c->nload);
  put_rows(w, c->value, c->nload, c->nslip);
  put(w, "}");
}

static void put_map(writer *w, const jn_map_spec *m)
{
  put(w, "{deflections: ");
  put_numbers(w, m->deflection, m->n);
  put(w, ", rates: ");
  put_numbers(w, m->rate, m->nrate);
  put_rows(w, m->value, m->nrate, m->n);
  put(w, ", method: %s, outside: %s}", jn_curve_methods[m->method].word,
      jn_curve_outside[m->outside].word);
}

static void put_object(writer *w, const jn_object *object, const void *values, const char *type);

static void put_value(writer *w, const jn_field *field, const void *place)
{
  const jn_spec *s = w->spec;
  switch (field->type) {
    case JN_T_NUMBER:
      put_number(w, *(const double *)place);
      break;
    case JN_T_AUTO: {
      const jn_auto *a = place;
      if (a->automatic)
        put(w, "auto");
      else
        put_number(w, a->value);
      break;
    }
    case JN_T_INTEGER:
      put(w, "%d", *(const int *)place);
      break;
    case JN_T_FLAG:
      put(w, *(const bool *)place ? "true" : "false");
      break;
    case JN_T_TEXT:
    case JN_T_FILE:
    case JN_T_NAME:
    case JN_T_CHANNEL:
      put_text(w, *(const char *const *)place);
      break;
    case JN_T_CHOICE:
      put(w, "%s", field->words[*(const int *)place].word);
      break;
    case JN_T_POINT:
    case JN_T_VECTOR:
    case JN_T_AXIS:
    case JN_T_TRIPLE:
      put_numbers(w, place, 3);
      break;
    case JN_T_POINTS:
    case JN_T_AXES:
      put_vectors(w, place);
      break;
    case JN_T_PLACES: {
      const jn_places *list = place;
      for (int i = 0; i < list->n; i++) {
        put(w, i ? ", " : "[");
        put_numbers(w, list->v[i], 3);
      }
      put(w, "]");
      break;
    }
    case JN_T_PAIR:
      put_numbers(w, place, 2);
      break;
    case JN_T_NUMBERS:
      put_numbers(w, ((const jn_numbers *)place)->v, ((const jn_numbers *)place)->n);
      break;
    case JN_T_INERTIA:
      put_numbers(w, place, 6);
      break;
    case JN_T_ORIENTATION:
      put_numbers(w, place, 4);
      break;
    case JN_T_BODY:
      put(w, "%s", jn_spec_body_name(s, *(const int *)place));
      break;
    case JN_T_BODIES: {
      const int *body = place;
      put(w, "[%s, %s]", jn_spec_body_name(s, body[0]), jn_spec_body_name(s, body[1]));
      break;
    }
    case JN_T_JOINT:
      put(w, "%s", s->joint[*(const int *)place].name);
      break;
    case JN_T_JOINTS: {
      const jn_indices *list = place;
      put(w, "[");
      for (int i = 0; i < list->n; i++) put(w, "%s%s", i ? ", " : "", s->joint[list->i[i]].name);
      put(w, "]");
      break;
    }
    case JN_T_TYRE:
      put(w, "%s", s->tyre[*(const int *)place].name);
      break;
    case JN_T_CURVE:
      put_curve(w, place);
      break;
    case JN_T_MOTION:
      put_object(w, &jn_motion_object, place, NULL);
      break;
    case JN_T_NEVER:
      if (isinf(*(const double *)place))
        put(w, "never");
      else
        put_number(w, *(const double *)place);
      break;
    case JN_T_SERIES:
      put_points(w, place);
      break;
    case JN_T_CARPET:
      put_carpet(w, place, field->quantity != JN_Q_FORCE_OVER_SLIP);
      break;
    case JN_T_MAP:
      put_map(w, place);
      break;
    case JN_T_NAMES:
    case JN_T_CHANNELS: {
      const jn_texts *list = place;
      put(w, "[");
      for (int i = 0; i < list->n; i++) put(w, i ? ", " : ""), put_text(w, list->text[i]);
      put(w, "]");
      break;
    }
    case JN_T_PARAMETERS: {
      const jn_parameters *p = place;
      put(w, "{");
      for (int i = 0; i < p->n; i++) {
        put(w, "%s%s: ", i ? ", " : "", p->name[i]);
        put_number(w, p->value[i]);
      }
      put(w, "}");
      break;
    }
    case JN_T_PATCHES: {
      const jn_patches *p = place;
      put(w, "{");
      for (int i = 0; i < p->n; i++) {
        put(w, "%s%s: ", i ? ", " : "", p->name[i]);
        put_object(w, &jn_patch_object, &p->patch[i], NULL);
      }
      put(w, "}");
      break;
    }
    case JN_T_UNITS:
    case JN_T_FILES:
    case JN_T_SECTION:
    case JN_T_TOPOLOGY:
    case JN_T_ROAD:
    case JN_T_RECORD:
    case JN_NTYPE:
      break;  // not inside an element
  }
}

// {type: ..., key: value, ...} with the keys that were given.
static void put_object(writer *w, const jn_object *object, const void *values, const char *type)
{
  const uint32_t given = *(const uint32_t *)values;
  const char *comma = "";
  put(w, "{");
  if (type) {
    put(w, "type: %s", type);
    comma = ", ";
  }
  for (int i = 0; i < object->n; i++) {
    if (!(given >> i & 1u)) continue;
    const jn_field *f = &object->field[i];
    put(w, "%s%s: ", comma, f->key);
    put_value(w, f, (const char *)values + f->offset);
    comma = ", ";
  }
  put(w, "}");
}

static void put_line(writer *w, const char *key, const jn_object *object, const void *values,
                     const char *type)
{
  put(w, "%s: ", key);
  put_object(w, object, values, type);
  put(w, "\n");
}

static void put_entry(writer *w, const char *name, const jn_object *object, const void *values,
                      const char *type)
{
  put(w, "  ");
  put_line(w, name, object, values, type);
}

static void put_kind(writer *w, const char *name, const jn_kind *kind, const void *values)
{
  put_entry(w, name, &kind->object, values, kind->word);
}

static void put_links(writer *w, const char *key, const jn_link_spec *link, int n)
{
  if (!n) return;
  put(w, ", %s: {", key);
  for (int i = 0; i < n; i++) {
    const bool first = i == 0 || strcmp(link[i].port, link[i - 1].port) != 0;
    const bool several = i + 1 < n && !strcmp(link[i].port, link[i + 1].port);
    if (first) put(w, "%s%s: %s", i ? ", " : "", link[i].port, several ? "[" : "");
    if (!first) put(w, ", ");
    if (link[i].signal)
      put(w, "%s", link[i].signal);
    else
      put_number(w, link[i].value);
    if (!first && !several) put(w, "]");
  }
  put(w, "}");
}

static void put_components(writer *w, const jn_component_spec *component, int n)
{
  if (n) put(w, "components:\n");
  for (int i = 0; i < n; i++) {
    const jn_component_spec *c = &component[i];
    const jn_parameters *p = &c->parameters;
    put(w, "  %s: {type: ", c->name);
    put_text(w, c->type);
    if (c->plugin) put(w, ", plugin: "), put_text(w, c->plugin);
    if (c->plugin && p->n) put(w, ", parameters: {");
    for (int k = 0; k < p->n; k++) {
      put(w, "%s%s: ", c->plugin && k == 0 ? "" : ", ", p->name[k]);
      put_number(w, p->value[k]);
    }
    if (c->plugin && p->n) put(w, "}");
    put_links(w, "inputs", c->in, c->nin);
    put_links(w, "outputs", c->out, c->nout);
    put(w, "}\n");
  }
}

static void put_model(writer *w)
{
  const jn_spec *s = w->spec;
  put(w, "jounce: 1\n");
  if (s->name) put(w, "name: "), put_text(w, s->name), put(w, "\n");
  if (s->description) put(w, "description: "), put_text(w, s->description), put(w, "\n");
  put(w, "gravity: "), put_numbers(w, s->gravity, 3), put(w, "\n");
  put(w, "bodies:\n");
  for (int i = 0; i < s->nbody; i++)
    put_entry(w, s->body[i].name, &jn_body_object, &s->body[i].keys, NULL);
  if (s->njoint) put(w, "joints:\n");
  for (int i = 0; i < s->njoint; i++)
    put_entry(w, s->joint[i].name, &jn_joint_object, &s->joint[i].keys,
              jn_joint_kinds[s->joint[i].kind].word);
  if (s->ntyre) put(w, "tyres:\n");
  for (int i = 0; i < s->ntyre; i++)
    put_kind(w, s->tyre[i].name, jn_tyre_kind_at(s->tyre[i].kind), &s->tyre[i].as);
  if (s->nforce) put(w, "forces:\n");
  for (int i = 0; i < s->nforce; i++)
    put_kind(w, s->force[i].name, jn_force_kind_at(s->force[i].kind), &s->force[i].as);
  put_components(w, s->component, s->ncomponent);
  if (s->ninitial) put(w, "initial:\n");
  for (int i = 0; i < s->ninitial; i++) {
    const jn_initial_spec *n = &s->initial[i];
    if (n->joint >= 0)
      put_entry(w, s->joint[n->joint].name, &jn_initial_joint_object, &n->as.joint, NULL);
    else if (n->body >= 0)
      put_entry(w, s->body[n->body].name, &jn_initial_body_object, &n->as.body, NULL);
    else
      put_entry(w, s->force[n->wheel].name, &jn_initial_wheel_object, &n->as.wheel, NULL);
  }
  if (s->topology.given) put_line(w, "topology", &jn_topology_object, &s->topology, NULL);
}

static void put_scenario(writer *w, const jn_scenario *s)
{
  put(w, "jounce: 1\n");
  put(w, "scenario: "), put_text(w, s->name), put(w, "\n");
  if (s->description) put(w, "description: "), put_text(w, s->description), put(w, "\n");
  for (int i = 0; i < jn_solver_object.n; i++) {
    const jn_field *f = &jn_solver_object.field[i];
    if (!(s->solver.given >> i & 1u)) continue;
    put(w, "%s: ", f->key);
    put_value(w, f, (const char *)&s->solver + f->offset);
    put(w, "\n");
  }
  const jn_kind *road = jn_road_kind_at(s->road.kind);
  if (s->road.kind || s->road.as.given) put_line(w, "road", &road->object, &s->road.as, road->word);
  if (s->nroad) put(w, "roads:\n");
  for (int i = 0; i < s->nroad; i++)
    put_kind(w, s->own_road[i].name, jn_road_kind_at(s->own_road[i].kind), &s->own_road[i].as);
  if (s->has_speed) put(w, "speed: "), put_number(w, s->speed), put(w, "\n");
  if (s->ninput) put(w, "inputs:\n");
  for (int i = 0; i < s->ninput; i++)
    put_kind(w, s->input[i].name, jn_signal_kind_at(s->input[i].kind), &s->input[i].as);
  if (s->ndriver) put(w, "drivers:\n");
  for (int i = 0; i < s->ndriver; i++)
    put_kind(w, s->driver[i].name, jn_driver_kind_at(s->driver[i].kind), &s->driver[i].as);
  put_components(w, s->component, s->ncomponent);
  if (s->record.given) put_line(w, "record", &jn_record_object, &s->record, NULL);
  if (s->nstop) put(w, "stop:\n");
  for (int i = 0; i < s->nstop; i++)
    put_entry(w, s->stop[i].name, &jn_stop_object, &s->stop[i].keys, NULL);
}

static jn_status hand_over(writer *w, jn_pos pos, char **text, unsigned long *length, jn_error *err)
{
  if (w->failed) {
    free(w->text);
    return jn_no_memory(err, pos);
  }
  *text = w->text;
  if (length) *length = w->length;
  return JN_OK;
}

jn_status jn_spec_print(const jn_spec *spec, char **text, unsigned long *length, jn_error *err)
{
  if (text) *text = NULL;
  JN_NEEDS(err, spec && text, "a spec, and a place for the text");
  writer w = {.spec = spec};
  put_model(&w);
  return hand_over(&w, spec->pos, text, length, err);
}

jn_status jn_scenario_print(const jn_scenario *scenario, char **text, unsigned long *length,
                            jn_error *err)
{
  if (text) *text = NULL;
  JN_NEEDS(err, scenario && text, "a scenario, and a place for the text");
  writer w = {0};
  put_scenario(&w, scenario);
  return hand_over(&w, scenario->pos, text, length, err);
}
