// run_text.c: the result of a run as text for people.
#include <math.h>
#include <string.h>

#include "jounce/run.h"

static const char *plural(int n)
{
  return n == 1 ? "" : "s";
}

static void show_model(const jn_run_result *r, FILE *out)
{
  const jn_model_counts *n = &r->count;
  fprintf(out, "%-13s%s%s%d bod%s, %d joint%s, %d coordinate%s, %d constraint%s", "model",
          r->model ? r->model : "", r->model ? ": " : "", n->bodies, n->bodies == 1 ? "y" : "ies",
          n->joints, plural(n->joints), n->coordinates, plural(n->coordinates), n->constraints,
          plural(n->constraints));
  if (n->dof >= 0) fprintf(out, ", %d degree%s of freedom", n->dof, plural(n->dof));
  fputc('\n', out);
  if (r->scenario) fprintf(out, "%-13s%s\n", "scenario", r->scenario);
  fprintf(out, "%-13s%s, %s, ", "solver", jn_sim_word_of("formulation", (int)r->solver.formulation),
          jn_sim_word_of("integrator", (int)r->solver.integrator));
  if (n->constraints) fprintf(out, "%s, ", jn_sim_word_of("stabilize", (int)r->solver.stabilize));
  fprintf(out, "step %.9g s\n", r->solver.step);
  char path[400];
  fprintf(out, "%-13s%s\n", "path", jn_system_path_line(r->system, path, sizeof path));
}

static void show_times(const jn_run_result *r, FILE *out)
{
  fprintf(out, "%-13s%lld step%s to t = %.9g s in %.3g s", "run", (long long)r->steps,
          r->steps == 1 ? "" : "s", r->time, r->wall_time);
  if (isfinite(r->realtime_factor))
    fprintf(out, "; steps alone %.3g times as fast as real time", r->realtime_factor);
  fputc('\n', out);
  if (isfinite(r->us_mean))
    fprintf(out, "%-13s%.3g us on average, median %.3g, 99 of 100 below %.3g, longest %.3g\n",
            "a step", r->us_mean, r->us_median, r->us_p99, r->us_max);
  if (!isfinite(r->us_row)) return;
  fprintf(out, "%-13s%.3g us to evaluate", "a row", r->us_row);
  if (isfinite(r->us_record)) fprintf(out, ", %.3g us to record", r->us_record);
  fprintf(out, "; steps are %.0f %% of the time\n", 100.0 * r->step_share);
}

static void show_record(const jn_run_result *r, FILE *out)
{
  const char *file = r->file && !strcmp(r->file, "-") ? "standard output" : r->file;
  if (!r->hdf5 && !file) return;
  fprintf(out, "%-13s%s%s%s: %lld row%s, %d channel%s\n", "record", r->hdf5 ? r->hdf5 : "",
          r->hdf5 && file ? " and " : "", file ? file : "", (long long)r->rows,
          r->rows == 1 ? "" : "s", r->nchannel, plural(r->nchannel));
}

void jn_run_show_text(const jn_run_result *r, FILE *out)
{
  if (!r || !r->system || !out) return;
  show_model(r, out);
  show_times(r, out);
  if (r->count.constraints)
    fprintf(out, "%-13sposition error at most %.3g m or rad, velocity error %.3g m/s or rad/s\n",
            "loops", r->stats.position_norm, r->stats.velocity_norm);
  if (!jn_system_path(r->system).general)
    fprintf(out, "%-13slanes and general path differ by at most %.2g of the largest acceleration\n",
            "agreement", r->stats.path_difference);
  fprintf(out, "%-13sdrifts by at most %.3g J, %.3g J are in play\n", "energy",
          r->stats.energy_drift, r->stats.energy_in_play);
  if (r->stats.events) fprintf(out, "%-13s%lld\n", "events", (long long)r->stats.events);
  show_record(r, out);
  if (r->stopped) fprintf(out, "%-13s%s, at t = %.9g s\n", "stopped by", r->stopped, r->time);
  if (r->outcome == JN_RUN_INTERRUPTED)
    fprintf(out, "%-13sat t = %.9g s\n", "interrupted", r->time);
  for (int i = 0; i < r->nnote; i++) fprintf(out, "%-13s%s\n", "note", r->note[i]);
}
