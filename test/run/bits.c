// bits.c: prints a hash of all channels of several models over some hundred steps. It is linked
// with the engine built in different ways; test_bits compares what these print.
#include <stdio.h>
#include <string.h>

#include "jounce/jounce.h"
#include "jounce/sim.h"

static uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a

static void add(const double *x, int n)
{
  for (int i = 0; i < n; i++) {
    uint64_t bits;
    double value = x[i] == x[i] ? x[i] : 0.0;  // NaN has many patterns
    memcpy(&bits, &value, sizeof bits);
    for (int k = 0; k < 8; k++) hash = (hash ^ (bits >> (8 * k) & 255)) * 0x100000001b3u;
  }
}

static int run(const char *file, const jn_sim_opts *o, int steps)
{
  jn_error err = {0};
  jn_spec *spec = NULL;
  jn_model *model = NULL;
  jn_system *system = NULL;
  jn_data *data = NULL;
  jn_status st = jn_spec_load(file, NULL, 0, &spec, &err);
  if (!st) st = jn_model_compile(spec, NULL, &model, &err);
  if (!st) st = jn_system_create(model, NULL, o, &system, &err);
  if (!st) st = jn_data_create(system, &data, &err);
  if (st) {
    char line[1024];
    fprintf(stderr, "%s\n", jn_error_line(&err, line, sizeof line));
    return 1;
  }
  jn_step_flags flags = JN_STEP_OK;
  for (int i = 0; i < steps && !flags; i++) {
    flags = jn_evaluate(system, data);
    add(jn_row(data), jn_channel_count(system));
    if (!flags) flags = jn_step(system, data);
  }
  if (!flags) flags = jn_evaluate(system, data);
  add(jn_row(data), jn_channel_count(system));
  printf("%-32s %-12s %-10s %-10s %016llx\n", file,
         jn_sim_word_of("formulation", (int)o->formulation),
         jn_sim_word_of("integrator", (int)o->integrator),
         jn_sim_word_of("stabilize", (int)o->stabilize), (unsigned long long)hash);
  jn_data_free(data);
  jn_system_free(system);
  jn_model_free(model);
  jn_spec_free(spec);
  return flags != JN_STEP_OK;
}

int main(void)
{
  static const struct {
    const char *file;
    double step;
  } model[] = {
      {"models/double-pendulum.yaml", 1e-3},
      {"models/slider-crank.yaml", 1e-3},
      {"models/hmmwv.yaml", 1e-3},
      {"models/passenger-car.yaml", 1e-3},
      {"models/five-link-joints.yaml", 1e-4},
      {"models/flyball.yaml", 1e-5},
      {"models/andrews.yaml", 1e-5},
      {"models/bricard.yaml", 1e-3},
      {"models/spinning-top.yaml", 1e-4},
  };
  int wrong = 0;
  for (size_t i = 0; i < sizeof model / sizeof *model; i++)
    for (int k = 0; k < JN_NINTEGRATOR; k++) {
      if (k == JN_INTEGRATOR_REFERENCE) continue;
      jn_sim_opts o = {.formulation = (jn_formulation)(k % JN_NFORMULATION),
                       .integrator = (jn_integrator)k,
                       .stabilize = (jn_stabilize)(k % JN_NSTABILIZE),
                       .step = model[i].step};
      wrong |= run(model[i].file, &o, 200);
      if (k != JN_INTEGRATOR_AB3) continue;
      for (int f = 1; f < JN_NFORMULATION; f++) {
        o.formulation = (jn_formulation)f;
        wrong |= run(model[i].file, &o, 200);
      }
    }
  // in lanes
  static const char *const vehicle[] = {"models/peer-vehicle.yaml", "models/hmmwv.yaml",
                                        "models/passenger-car.yaml",
                                        "models/tractor-semitrailer.yaml"};
  for (size_t i = 0; i < sizeof vehicle / sizeof *vehicle; i++)
    for (int k = 0; k < JN_NINTEGRATOR; k++) {
      const jn_sim_opts o = {.integrator = (jn_integrator)k};
      if (k != JN_INTEGRATOR_REFERENCE) wrong |= run(vehicle[i], &o, 200);
    }
  return wrong;
}
