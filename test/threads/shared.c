// shared.c: one model and its systems, shared by four threads with a run each. Built with the thread sanitizer, which ends
// the program when two threads touch the same memory and one of them writes.
//
//   shared          threads step, read rows, save, restore, switch parameters, make systems and find equilibria; each must end with
//                   the very bits that one thread alone ends with
//   shared --race   two threads write to one number, to see that the sanitizer sees
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jounce/equilibrium.h"
#include "jounce/jounce.h"

enum { THREADS = 4, ROUNDS = 6, STEPS = 25 };

typedef struct subject {
  const char *model, *scenario, *change;  // as --set has it
  jn_sim_opts opts;
} subject;

static const subject subjects[] = {
    {"models/hmmwv.yaml", "scenarios/hmmwv-yaw-hold.yaml", "bodies.chassis.mass=2600", {0}},
    {"models/hmmwv-mf.yaml",
     "scenarios/hmmwv-mf-step-steer.yaml",
     "forces.spring_fl.free_length=0.35",
     {.path = JN_PATH_NARROW}},
    {"models/passenger-car.yaml",
     "scenarios/passenger-car.yaml",
     "points.bar_axle=[-2721, -468, 303]",
     {.path = JN_PATH_GENERAL}},
    {"models/slider-crank.yaml",
     "scenarios/slider-crank.yaml",
     "bodies.rod.mass=2",
     {.formulation = JN_FORMULATION_INDEPENDENT, .integrator = JN_INTEGRATOR_RK4}},
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

// What all threads see; nobody writes to it once it is made.
typedef struct shared {
  const subject *what;
  jn_spec *spec, *changed;
  jn_model *model;
  jn_scenario *scenario;
  jn_system *system, *other;  // other: with the change, on the same plan
  jn_rows *rows;
  int nchannel;
  pthread_barrier_t *begin;
} shared;

typedef struct worker {
  const shared *all;
  pthread_t thread;
  double *row;
  const char *wrong;  // what has failed, NULL: nothing
} worker;

// ---- one thread -------------------------------------------------------------------------------------

static bool save_and_restore(jn_data *data)
{
  jn_error err;
  const size_t size = jn_data_save(data, NULL, 0);
  void *bytes = malloc(size);
  const bool good =
      bytes && jn_data_save(data, bytes, size) == size && !jn_data_restore(data, bytes, size, &err);
  free(bytes);
  return good;
}

static const char *drive(const shared *all, jn_data *data, double *row)
{
  jn_error err;
  for (int round = 0; round < ROUNDS; round++) {
    const jn_system *s = round % 2 ? all->other : all->system;
    double few[2];
    if (round && jn_data_switch(data, s, &err)) return "a switch";
    for (int i = 0; i < STEPS; i++)
      if (jn_step(s, data)) return "a step";
    if (jn_rows_fill(all->rows, data, few)) return "a selection of channels";
    if (round % 3 == 0 && !save_and_restore(data)) return "a saved state";
    if (jn_evaluate(s, data)) return "a row";
  }
  memcpy(row, jn_row(data), (size_t)all->nchannel * sizeof *row);
  return NULL;
}

// Made of what is shared, while others step.
static const char *make(const shared *all)
{
  jn_error err;
  jn_system *own = NULL, *with = NULL;
  jn_equilibrium *rest = NULL;
  jn_model *model = NULL;
  const char *wrong = NULL;
  if (jn_model_compile(all->spec, NULL, &model, &err)) wrong = "compiling";
  if (!wrong && jn_system_create(all->model, all->scenario, &all->what->opts, &own, &err))
    wrong = "making a system";
  if (!wrong && jn_system_with(all->system, all->changed, &with, &err)) wrong = "changing a system";
  // A vehicle that moves has none; it is refused by all threads alike.
  if (!wrong) (void)jn_equilibrium_find(all->system, NULL, &rest, &err);
  jn_equilibrium_free(rest);
  jn_system_free(with);
  jn_system_free(own);
  jn_model_free(model);
  return wrong;
}

static void *work(void *user)
{
  worker *w = user;
  jn_error err;
  jn_data *data = NULL;
  if (w->all->begin) pthread_barrier_wait(w->all->begin);
  if (jn_data_create(w->all->system, &data, &err)) w->wrong = "making data";
  if (!w->wrong) w->wrong = drive(w->all, data, w->row);
  if (!w->wrong) w->wrong = make(w->all);
  jn_data_free(data);
  return NULL;
}

// ---- all of them --------------------------------------------------------------------------------------

static int fail(const char *model, const char *what)
{
  fprintf(stderr, "%s: %s has failed\n", model, what);
  return 1;
}

static int open_shared(shared *all)
{
  const subject *what = all->what;
  jn_error err = {0};
  char line[1024];
  const int channel[2] = {0, 1};
  if (!jn_spec_load(what->model, NULL, 0, &all->spec, &err) &&
      !jn_spec_load(what->model, &what->change, 1, &all->changed, &err) &&
      !jn_model_compile(all->spec, NULL, &all->model, &err) &&
      !jn_scenario_load(what->scenario, &all->scenario, &err) &&
      !jn_system_create(all->model, all->scenario, &what->opts, &all->system, &err) &&
      !jn_system_with(all->system, all->changed, &all->other, &err) &&
      !jn_rows_create(all->system, channel, 2, &all->rows, &err)) {
    all->nchannel = jn_channel_count(all->system);
    return 0;
  }
  return fail(what->model, jn_error_line(&err, line, sizeof line));
}

static void close_shared(shared *all)
{
  jn_rows_free(all->rows);
  jn_system_free(all->other);
  jn_system_free(all->system);
  jn_scenario_free(all->scenario);
  jn_model_free(all->model);
  jn_spec_free(all->changed);
  jn_spec_free(all->spec);
}

// Bits differ where one thread has disturbed another in a way that is no race, too.
static int compare(const shared *all, const worker *w, const double *alone)
{
  if (w->wrong) return fail(all->what->model, w->wrong);
  for (int c = 0; c < all->nchannel; c++)
    if (memcmp(&w->row[c], &alone[c], sizeof *alone)) {
      fprintf(stderr, "%s: %s is %.17g in a thread, %.17g alone\n", all->what->model,
              jn_channel_at(all->system, c).name, w->row[c], alone[c]);
      return 1;
    }
  return 0;
}

static int share(const subject *what)
{
  pthread_barrier_t begin;
  shared all = {.what = what};
  worker alone = {.all = &all}, thread[THREADS];
  if (open_shared(&all)) return 1;
  double *rows = calloc((size_t)all.nchannel * (THREADS + 1), sizeof *rows);
  if (!rows || pthread_barrier_init(&begin, NULL, THREADS)) return fail(what->model, "memory");
  alone.row = rows + (size_t)THREADS * (size_t)all.nchannel;
  work(&alone);
  all.begin = &begin;
  for (int i = 0; i < THREADS; i++) {
    thread[i] = (worker){.all = &all, .row = rows + (size_t)i * (size_t)all.nchannel};
    if (pthread_create(&thread[i].thread, NULL, work, &thread[i])) abort();
  }
  int wrong = alone.wrong ? fail(what->model, alone.wrong) : 0;
  for (int i = 0; i < THREADS; i++) {
    pthread_join(thread[i].thread, NULL);
    wrong |= compare(&all, &thread[i], alone.row);
  }
  pthread_barrier_destroy(&begin);
  free(rows);
  close_shared(&all);
  if (!wrong) printf("%s: %d threads, %d steps each\n", what->model, THREADS, ROUNDS * STEPS);
  return wrong;
}

// ---- what a race looks like --------------------------------------------------------------------------

static int number;

static void *count(void *user)
{
  for (int i = 0; i < 100000; i++) number++;
  return user;
}

static int race(void)
{
  pthread_t other;
  if (pthread_create(&other, NULL, count, NULL)) abort();
  count(NULL);
  pthread_join(other, NULL);
  printf("%d\n", number);
  return 0;
}

int main(int argc, char **argv)
{
  if (argc > 1 && !strcmp(argv[1], "--race")) return race();
  int wrong = 0;
  for (int i = 0; i < SUBJECTS; i++) wrong |= share(&subjects[i]);
  return wrong;
}
