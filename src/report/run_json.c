// run_json.c: the result of a run as one JSON object.
#include <jansson.h>
#include <math.h>

#include "base/error.h"
#include "jounce/run.h"

static json_t *number(double x)
{
  return isfinite(x) ? json_real(x) : json_null();
}

static json_t *text(const char *s)  // NULL, or not UTF-8: null
{
  json_t *o = s ? json_string(s) : NULL;
  return o ? o : json_null();
}

static json_t *known(int n)
{
  return n >= 0 ? json_integer(n) : json_null();
}

static json_t *notes(const jn_run_result *r)
{
  json_t *list = json_array();
  for (int i = 0; i < r->nnote; i++) json_array_append_new(list, text(r->note[i]));
  return list;
}

static json_t *record(const jn_run_result *r)
{
  if (!r->file && !r->hdf5) return json_null();
  return json_pack("{s:o, s:o, s:I, s:i}", "file", text(r->file), "hdf5", text(r->hdf5), "rows",
                   (json_int_t)r->rows, "channels", r->nchannel);
}

static json_t *wrong(const jn_run_result *r)
{
  if (!r->error[0]) return json_null();
  return json_pack("{s:o, s:o, s:o}", "time", number(r->error_time), "body", text(r->error_body),
                   "text", text(r->error));
}

static json_t *doubt(const jn_run_result *r)
{
  if (!r->doubt[0]) return json_null();
  return json_pack("{s:o, s:o}", "time", number(r->doubt_time), "text", text(r->doubt));
}

static json_t *last_row(const jn_run_result *r)
{
  json_t *o = json_object();
  for (int i = 0; i < r->nchannel; i++)
    json_object_set_new(o, jn_channel_at(r->system, r->channel[i]).name, number(r->last[i]));
  return o;
}

jn_status jn_run_show_json(const jn_run_result *r, FILE *out, jn_error *err)
{
  char path[400];
  const struct {
    const char *key;
    json_t *value;
  } list[] = {
      {"model", text(r->model)},
      {"scenario", text(r->scenario)},
      {"formulation", text(jn_sim_word_of("formulation", (int)r->solver.formulation))},
      {"integrator", text(jn_sim_word_of("integrator", (int)r->solver.integrator))},
      {"stabilization", text(jn_sim_word_of("stabilize", (int)r->solver.stabilize))},
      {"path", text(jn_system_path_line(r->system, path, sizeof path))},
      {"step", number(r->solver.step)},
      {"end", number(r->end)},
      {"bodies", json_integer(r->count.bodies)},
      {"joints", json_integer(r->count.joints)},
      {"coordinates", json_integer(r->count.coordinates)},
      {"constraints", json_integer(r->count.constraints)},
      {"dof", known(r->count.dof)},
      {"ok", json_boolean(!r->error[0])},
      {"error", wrong(r)},
      {"doubt", doubt(r)},
      {"stopped", text(r->stopped)},
      {"interrupted", json_boolean(r->outcome == JN_RUN_INTERRUPTED)},
      {"time", number(r->time)},
      {"steps", json_integer(r->steps)},
      {"wall_time", number(r->wall_time)},
      {"us_per_step",
       json_pack("{s:o, s:o, s:o, s:o}", "mean", number(r->us_mean), "median", number(r->us_median),
                 "p99", number(r->us_p99), "max", number(r->us_max))},
      {"realtime_factor", number(r->realtime_factor)},
      {"us_per_row",
       json_pack("{s:o, s:o}", "evaluate", number(r->us_row), "record", number(r->us_record))},
      {"step_share", number(r->step_share)},
      {"max_position_norm", number(r->stats.position_norm)},
      {"max_velocity_norm", number(r->stats.velocity_norm)},
      {"energy_drift", number(r->stats.energy_drift)},
      {"energy_in_play", number(r->stats.energy_in_play)},
      {"path_difference",
       jn_system_path(r->system).general ? json_null() : number(r->stats.path_difference)},
      {"events", json_integer(r->stats.events)},
      {"notes", notes(r)},
      {"record", record(r)},
      {"final", last_row(r)},
  };
  json_t *o = json_object();
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    json_object_set_new(o, list[i].key, list[i].value);
  int failed = json_dumpf(o, out, JSON_INDENT(2) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(17));
  fputc('\n', out);
  json_decref(o);
  if (failed || ferror(out))
    return jn_fail(err, JN_E_FILE, JN_NOWHERE, NULL, "the JSON output cannot be written");
  return JN_OK;
}
