// reduce.c: a finding brought down to what is needed for it, and written where a person can run it.
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "compare.h"

// ---- children ---------------------------------------------------------------------------------------

static bool read_all(int from, void *to, size_t size)
{
  char *at = to;
  while (size) {
    const ssize_t n = read(from, at, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n, size -= (size_t)n;
  }
  return true;
}

static void write_all(int to, const void *from, size_t size)
{
  const char *at = from;
  while (size) {
    const ssize_t n = write(to, at, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) _exit(1);
    at += n, size -= (size_t)n;
  }
}

void compare_guarded(const vehicle *v, uint64_t seed, checks wanted, unsigned seconds, outcome *o)
{
  int ends[2];
  memset(o, 0, sizeof *o);
  o->seed = seed;
  fflush(NULL);
  if (pipe(ends)) return;
  const pid_t child = fork();
  if (child == 0) {
    const int quiet = open("/dev/null", O_WRONLY);
    if (quiet >= 0) dup2(quiet, STDERR_FILENO);
    close(ends[0]);
    alarm(seconds);
    compare_vehicle(v, seed, wanted, o);
    write_all(ends[1], o, sizeof *o);
    _exit(0);
  }
  close(ends[1]);
  const bool whole = child > 0 && read_all(ends[0], o, sizeof *o);
  close(ends[0]);
  int status = 0;
  if (child > 0) waitpid(child, &status, 0);
  if (whole) return;
  memset(o, 0, sizeof *o);
  o->seed = seed;
  const int by = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (by == SIGALRM)
    note(o, CHECK_SLOW, INFINITY, "longer than %u s", seconds);
  else
    note(o, CHECK_CRASH, INFINITY, "signal %d, exit %d", by,
         WIFEXITED(status) ? WEXITSTATUS(status) : 0);
}

// ---- taking out -------------------------------------------------------------------------------------

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static checks checks_for(check k)
{
  return k == CHECK_CRASH || k == CHECK_SLOW || k == CHECK_ACCEPTED ? ~0ull : 1ull << k;
}

// Far enough above 1 that it is the same thing and not a tolerance that was nearly met.
static bool is_same(const outcome *o, check k, double ratio)
{
  return !o->rejected && o->ratio[k] > fmin(3.0, 0.9 * ratio);
}

static int take_out(vehicle *best, uint64_t seed, const outcome *found, check k, double until)
{
  static vehicle next;
  static outcome o;
  int taken = 0;
  for (bool again = true; again && now() < until;) {
    again = false;
    for (int part = 0; part < vehicle_parts(best) && now() < until; part++) {
      next = *best;
      if (!vehicle_take_out(&next, part)) continue;
      compare_guarded(&next, seed, checks_for(k), 10, &o);
      if (!is_same(&o, k, found->ratio[k])) continue;
      *best = next;
      again = true;
      taken++;
    }
  }
  return taken;
}

// ---- writing ----------------------------------------------------------------------------------------

static FILE *open_at(const char *folder, const char *name, const char *end)
{
  char path[512];
  snprintf(path, sizeof path, "%s/%s%s", folder, name, end);
  return fopen(path, "w");
}

// Tyre files are named from the project's folder; a model in another folder names them by their whole path.
static void write_model(const vehicle *v, const char *folder, const char *name)
{
  char *text = vehicle_model(v), here[400];
  FILE *out = open_at(folder, name, ".yaml");
  if (!getcwd(here, sizeof here)) here[0] = 0;
  for (const char *c = text; c && out && *c;) {
    static const char key[] = "file: models/";
    if (strncmp(c, key, sizeof key - 1)) {
      fputc(*c++, out);
      continue;
    }
    fprintf(out, "file: %s/models/", here);
    c += sizeof key - 1;
  }
  if (out) fclose(out);
  free(text);
}

static void write_scenario(const vehicle *v, const char *folder, const char *name)
{
  char *text = vehicle_scenario(v);
  FILE *out = open_at(folder, name, ".scenario.yaml");
  if (out && text) fputs(text, out);
  if (out) fclose(out);
  free(text);
}

// Pairs of runs that show it, where the command line can.
static void write_commands(FILE *out, check k, const char *folder, const char *name)
{
  static const char *const runs[NCHECK][2] = {
      [CHECK_INITIAL_RECURSIVE] = {"--path general", "--formulation recursive"},
      [CHECK_INITIAL_INDEPENDENT] = {"--path general", "--formulation independent"},
      [CHECK_STATE_RECURSIVE] = {"--path general", "--formulation recursive"},
      [CHECK_STATE_INDEPENDENT] = {"--path general", "--formulation independent"},
      [CHECK_STATE_LANES] = {"--path auto", "--path general"},
      [CHECK_STATE_LIST] = {"--path auto", "--path list"},
      [CHECK_STATE_NARROW] = {"--path auto", "--path narrow"},
      [CHECK_RUN_RECURSIVE] = {"--path general", "--formulation recursive"},
      [CHECK_RUN_INDEPENDENT] = {"--path general", "--formulation independent"},
      [CHECK_RUN_RATES] = {"--path auto", "--path general"},
      [CHECK_RUN_LANES] = {"--path auto", "--path general"},
      [CHECK_DRAWN_RECURSIVE] = {"--path general", "--formulation recursive"},
      [CHECK_DRAWN_RK4] = {"--path general", "--path general --integrator rk4"},
      [CHECK_DRAWN_LANES] = {"--path auto", "--path general"},
      [CHECK_DRAWN_LIST] = {"--path auto", "--path list"},
      [CHECK_DRAWN_NARROW] = {"--path auto", "--path narrow"},
      [CHECK_UNUSED_LANES] = {"--path auto", "--path general"},
      [CHECK_ENERGY] = {"--path general", NULL},
  };
  const bool drawn = k >= CHECK_DRAWN_RECURSIVE && k <= CHECK_DRAWN_NARROW;
  const bool at_once = k <= CHECK_UNUSED_LANES;
  for (int i = 0; i < 2 && runs[k][i]; i++)
    fprintf(out, "  build/jounce run %s/%s.yaml %s/%s.scenario.yaml %s%s%s --out -\n", folder, name,
            folder, name, runs[k][i], drawn ? "" : " --integrator rk4",
            at_once ? " --step 1e-5 --end 1e-5" : " --end 0.05");
}

static void write_text(const vehicle *v, const outcome *found, const outcome *o, check k, int taken,
                       const char *folder, const char *name)
{
  FILE *out = open_at(folder, name, ".txt");
  (void)v;
  if (!out) return;
  fprintf(out, "%s: %s\n\n", check_word[k], check_help[k]);
  fprintf(out, "vehicle %llu, ratio %.3g: %s\n", (unsigned long long)found->seed, found->ratio[k],
          found->what[k]);
  fprintf(out, "%d parts taken out, ratio %.3g: %s\n", taken, o->ratio[k], o->what[k]);
  fprintf(out, "%s\n\n", o->lanes ? "runs in lanes" : o->reason);
  fprintf(out, "  build/test/differential --only %llu\n", (unsigned long long)found->seed);
  if (k < CHECK_RENAMED)
    fprintf(out, "  build/test/differential --files %s/%s.yaml %s/%s.scenario.yaml\n", folder, name,
            folder, name);
  write_commands(out, k, folder, name);
  for (int i = 0; i < NCHECK; i++)
    if (found->ratio[i] > 1.0 && i != (int)k)
      fprintf(out, "\nthe whole vehicle also has %s, ratio %.3g: %s\n", check_word[i],
              found->ratio[i], found->what[i]);
  fclose(out);
}

static void make_folder(const char *folder)
{
  char path[400];
  snprintf(path, sizeof path, "%s", folder);
  for (char *c = path + 1; *c; c++)
    if (*c == '/') *c = 0, mkdir(path, 0777), *c = '/';
  mkdir(path, 0777);
}

void write_all_alike(const vehicle *v, uint64_t seed, const char *folder)
{
  static vehicle other;
  char name[80];
  make_folder(folder);
  snprintf(name, sizeof name, "vehicle-%llu", (unsigned long long)seed);
  write_model(v, folder, name);
  write_scenario(v, folder, name);
  for (int t = 0; t <= VEHICLE_NIDENTITY; t++) {
    if (t < VEHICLE_NIDENTITY ? !vehicle_transform(v, (vehicle_identity)t, seed, &other)
                              : !vehicle_set_free(v, &other))
      continue;
    snprintf(name, sizeof name, "vehicle-%llu.%s", (unsigned long long)seed,
             check_word[CHECK_RENAMED + t]);
    write_model(&other, folder, name);
    write_scenario(&other, folder, name);
  }
}

void reduce(const vehicle *v, const outcome *found, check k, double seconds, const char *folder)
{
  static vehicle best;
  static outcome o;
  char name[80];
  best = *v;
  const int taken = take_out(&best, found->seed, found, k, now() + seconds);
  compare_guarded(&best, found->seed, checks_for(k), 30, &o);
  make_folder(folder);
  snprintf(name, sizeof name, "%s-%llu", check_word[k], (unsigned long long)found->seed);
  write_model(&best, folder, name);
  write_scenario(&best, folder, name);
  write_text(&best, found, &o, k, taken, folder, name);
  // Of vehicles that must move alike, the other one as well.
  static vehicle other;
  const int t = (int)k - CHECK_RENAMED;
  if (t >= 0 && t < VEHICLE_NIDENTITY &&
      vehicle_transform(&best, (vehicle_identity)t, found->seed, &other)) {
    strncat(name, ".other", sizeof name - strlen(name) - 1);
    write_model(&other, folder, name);
    write_scenario(&other, folder, name);
  }
}
