// report_facts.c: what was run and how it went, as pairs of texts under four titles.
#include <math.h>
#include <stdarg.h>

#include "jounce/model.h"
#include "report/report_result.h"

__attribute__((format(printf, 3, 4))) static void put(json_t **group, const char *name,
                                                      const char *fmt, ...)
{
  char text[512];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  jn_json_put(group, name, jn_json_text(text));
}

static void put_text(json_t **group, const char *name, const char *text)
{
  if (text && text[0]) put(group, name, "%s", text);
}

// What is not known is left out.
static void put_number(json_t **group, const char *name, const jn_result *r, const char *key,
                       const char *unit)
{
  const double x = jn_result_number(r, key);
  const bool long_whole = fabs(x) >= 1e3 && fabs(x) < 1e6;
  if (isfinite(x)) put(group, name, long_whole ? "%.0f%s" : "%.3g%s", x, unit);
}

static json_t *model(const jn_spec *spec)
{
  json_t *group = json_object();
  jn_model *compiled = NULL;
  if (!spec) return group;
  double mass = 0.0;
  for (int i = 0; i < spec->nbody; i++) mass += spec->body[i].keys.mass;
  put(&group, "bodies", "%d", spec->nbody);
  put(&group, "joints", "%d", spec->njoint);
  const jn_status st = jn_model_compile(spec, NULL, &compiled, NULL);
  if (st == JN_E_MEMORY) {
    json_decref(group);
    return NULL;
  }
  if (!st) {
    const jn_model_counts n = jn_model_count(compiled);
    put(&group, "cut joints", "%d", n.cuts);
    put(&group, "coordinates", "%d", n.coordinates);
    put(&group, "constraints", "%d", n.constraints);
    if (n.dof >= 0) put(&group, "degrees of freedom", "%d", n.dof);
    if (n.redundant > 0) put(&group, "redundant constraints", "%d", n.redundant);
    jn_model_free(compiled);
  }
  put(&group, "mass", "%.6g kg", mass);
  return group;
}

static json_t *solver(const jn_result *r)
{
  json_t *group = json_object();
  put_text(&group, "formulation", jn_result_text(r, "formulation"));
  put_text(&group, "integrator", jn_result_text(r, "integrator"));
  put_text(&group, "stabilisation", jn_result_text(r, "stabilize"));
  const double step = jn_result_number(r, "step");
  if (isfinite(step)) put(&group, "step", "%.6g ms", 1e3 * step);
  if (jn_result_number(r, "max_position_norm") > 0.0) {
    put_number(&group, "position residual", r, "max_position_norm", " m, rad");
    put_number(&group, "velocity residual", r, "max_velocity_norm", " m/s, rad/s");
  }
  put_number(&group, "energy drift", r, "energy_drift", " J");
  put_number(&group, "energy in play", r, "energy_in_play", " J");
  if (jn_result_number(r, "path_difference") > 0.0)
    put_number(&group, "lanes against general path", r, "path_difference",
               " of the largest acceleration");
  return group;
}

static json_t *run(const jn_result *r)
{
  json_t *group = json_object();
  put_text(&group, "outcome", jn_result_text(r, "outcome"));
  put_text(&group, "error", jn_result_text(r, "error"));
  put_text(&group, "not to be trusted", jn_result_text(r, "doubt"));
  put(&group, "rows", "%lld", (long long)jn_result_rows(r));
  put(&group, "channels", "%d", jn_result_channel_count(r));
  const double steps = jn_result_number(r, "steps"), events = jn_result_number(r, "events");
  if (isfinite(steps)) put(&group, "steps", "%.0f", steps);
  if (isfinite(events)) put(&group, "events", "%.0f", events);
  put_number(&group, "real-time factor", r, "realtime_factor", "");
  put_number(&group, "median step", r, "us_median", " µs");
  put_number(&group, "99 of 100 steps below", r, "us_p99", " µs");
  put_number(&group, "longest step", r, "us_max", " µs");
  put_text(&group, "created", jn_result_text(r, "created"));
  return group;
}

json_t *jn_page_facts(const jn_result *result, const jn_spec *spec)
{
  const struct {
    const char *title;
    json_t *group;
  } list[] = {{"Model", model(spec)}, {"Solver", solver(result)}, {"Run", run(result)}};
  json_t *facts = json_object();
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    if (list[i].group && json_object_size(list[i].group) == 0)
      json_decref(list[i].group);
    else
      jn_json_put(&facts, list[i].title, list[i].group);
  }
  return facts;
}
