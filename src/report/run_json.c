// run_json.c: the result of a run as one JSON object.
#include <math.h>

#include "base/error.h"
#include "jounce/run.h"
#include "json/json.h"

static json_t *notes(const jn_run_result *r)
{
  json_t *list = json_array();
  for (int i = 0; i < r->nnote; i++) jn_json_add(&list, jn_json_text(r->note[i]));
  return list;
}

static json_t *record(const jn_run_result *r)
{
  if (!r->file && !r->hdf5) return json_null();
  return json_pack("{s:o, s:o, s:I, s:i}", "file", jn_json_text(r->file), "hdf5",
                   jn_json_text(r->hdf5), "rows", (json_int_t)r->rows, "channels", r->nchannel);
}

static json_t *wrong(const jn_run_result *r)
{
  if (!r->error[0]) return json_null();
  return json_pack("{s:o, s:o, s:o}", "time", jn_json_number(r->error_time), "body",
                   jn_json_text(r->error_body), "text", jn_json_text(r->error));
}

static json_t *doubt(const jn_run_result *r)
{
  if (!r->doubt[0]) return json_null();
  return json_pack("{s:o, s:o}", "time", jn_json_number(r->doubt_time), "text",
                   jn_json_text(r->doubt));
}

static json_t *last_row(const jn_run_result *r)
{
  json_t *o = json_object();
  for (int i = 0; i < r->nchannel; i++)
    jn_json_put(&o, jn_channel_at(r->system, r->channel[i]).name, jn_json_number(r->last[i]));
  return o;
}

jn_status jn_run_show_json(const jn_run_result *r, FILE *out, jn_error *err)
{
  JN_NEEDS(err, r && r->system && out, "a result that jn_run has filled, and a stream");
  char path[400];
  const struct {
    const char *key;
    json_t *value;
  } list[] = {
      {"model", jn_json_text(r->model)},
      {"scenario", jn_json_text(r->scenario)},
      {"formulation", jn_json_text(jn_sim_word_of("formulation", (int)r->solver.formulation))},
      {"integrator", jn_json_text(jn_sim_word_of("integrator", (int)r->solver.integrator))},
      {"stabilization", jn_json_text(jn_sim_word_of("stabilize", (int)r->solver.stabilize))},
      {"path", jn_json_text(jn_system_path_line(r->system, path, sizeof path))},
      {"step", jn_json_number(r->solver.step)},
      {"end", jn_json_number(r->end)},
      {"bodies", json_integer(r->count.bodies)},
      {"joints", json_integer(r->count.joints)},
      {"coordinates", json_integer(r->count.coordinates)},
      {"constraints", json_integer(r->count.constraints)},
      {"dof", jn_json_count(r->count.dof)},
      {"ok", json_boolean(!r->error[0])},
      {"error", wrong(r)},
      {"doubt", doubt(r)},
      {"stopped", jn_json_text(r->stopped)},
      {"interrupted", json_boolean(r->outcome == JN_RUN_INTERRUPTED)},
      {"time", jn_json_number(r->time)},
      {"steps", json_integer(r->steps)},
      {"wall_time", jn_json_number(r->wall_time)},
      {"us_per_step", json_pack("{s:o, s:o, s:o, s:o}", "mean", jn_json_number(r->us_mean),
                                "median", jn_json_number(r->us_median), "p99",
                                jn_json_number(r->us_p99), "max", jn_json_number(r->us_max))},
      {"realtime_factor", jn_json_number(r->realtime_factor)},
      {"us_per_row", json_pack("{s:o, s:o}", "evaluate", jn_json_number(r->us_row), "record",
                               jn_json_number(r->us_record))},
      {"step_share", jn_json_number(r->step_share)},
      {"max_position_norm", jn_json_number(r->stats.position_norm)},
      {"max_velocity_norm", jn_json_number(r->stats.velocity_norm)},
      {"energy_drift", jn_json_number(r->stats.energy_drift)},
      {"energy_in_play", jn_json_number(r->stats.energy_in_play)},
      {"path_difference",
       jn_system_path(r->system).general ? json_null() : jn_json_number(r->stats.path_difference)},
      {"events", json_integer(r->stats.events)},
      {"notes", notes(r)},
      {"record", record(r)},
      {"final", last_row(r)},
  };
  json_t *o = json_object();
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    jn_json_put(&o, list[i].key, list[i].value);
  return jn_json_write(o, 17, out, err);
}
