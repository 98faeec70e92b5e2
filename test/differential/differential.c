// differential.c: random vehicles, each in every path and formulation, compared.
//
//   differential [--seed S] [--count N] [--jobs J] ...        vehicles S, S + 1, ... S + N - 1
//   differential --only SEED                                  one of them, with all its numbers
//   differential --files MODEL SCENARIO                       a vehicle from files, without identities
//
// Each job is a child that works through every J-th vehicle. One that crashes, hangs or trips a sanitizer is a finding, and
// the rest goes on in another child. Findings are reduced at the end and written to a folder. Exit code 0: nothing was found,
// 1: something was, 2: wrong call.
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "compare.h"

enum { MOST_SKIPPED = 400 };
enum { MOST_JOBS = 64, MOST_FOUND = 1000, MOST_REASONS = 64, SECONDS_EACH = 30, STOP_AFTER = 10 };

typedef struct options {
  uint64_t seed;
  uint64_t count;
  int jobs;
  bool only, keep_going, until_found, no_reduction;
  double seconds;  // 0: no limit
  const char *out, *model, *scenario;
  int nskip;
  uint64_t skip[MOST_SKIPPED];
} options;

typedef struct reason {
  char text[WHAT];
  bool rejected;
  int count;
} reason;

typedef struct tally {
  int drawn, rejected, lanes, nfound, nreason;
  long made[NCHECK], skipped[NSKIP];
  double worst[NCHECK], slowest, seconds;
  uint64_t worst_seed[NCHECK], slowest_seed;
  reason reason[MOST_REASONS];
  outcome *found;  // (MOST_FOUND)
  coverage_table cover;
} tally;

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// ---- counting ---------------------------------------------------------------------------------------

static void count_reason(tally *t, const outcome *o)
{
  if (!o->reason[0]) return;
  int i = 0;
  while (i < t->nreason &&
         (strcmp(t->reason[i].text, o->reason) || t->reason[i].rejected != o->rejected))
    i++;
  if (i == MOST_REASONS) return;
  if (i == t->nreason) {
    memcpy(t->reason[i].text, o->reason, sizeof o->reason);
    t->reason[i].rejected = o->rejected;
    t->nreason++;
  }
  t->reason[i].count++;
}

static void show_findings(const outcome *o)
{
  for (int k = 0; k < NCHECK; k++)
    if (o->ratio[k] > 1.0)
      printf("vehicle %" PRIu64 ", %s: %s, ratio %.3g: %s\n", o->seed,
             o->lanes ? "lanes" : "general", check_word[k], o->ratio[k], o->what[k]);
  fflush(stdout);
}

static void count(tally *t, const outcome *o)
{
  if (o->skip) return;
  t->drawn++;
  t->rejected += o->rejected;
  t->lanes += o->lanes;
  t->seconds += o->seconds;
  if (o->seconds > t->slowest) t->slowest = o->seconds, t->slowest_seed = o->seed;
  count_reason(t, o);
  for (int k = 0; k < NCHECK; k++) {
    t->made[k] += o->made[k];
    if (o->ratio[k] > t->worst[k]) t->worst[k] = o->ratio[k], t->worst_seed[k] = o->seed;
  }
  for (int k = 0; k < NSKIP; k++) t->skipped[k] += o->skipped[k];
  if (!o->rejected) coverage_add(&t->cover, &o->cover, o->lanes);
  if (worst_check(o) < 0) return;
  show_findings(o);
  if (t->nfound < MOST_FOUND) t->found[t->nfound++] = *o;
}

static void show(const tally *t, double wall)
{
  printf(
      "\n%d vehicles drawn, %d rejected, %d in lanes, %d with findings; %.1f s, %.3f s each, "
      "the longest %.2f s (%" PRIu64 ")\n",
      t->drawn, t->rejected, t->lanes, t->nfound, wall, t->drawn ? t->seconds / t->drawn : 0.0,
      t->slowest, t->slowest_seed);
  for (int r = 1; r >= 0; r--) {
    bool any = false;
    for (int i = 0; i < t->nreason; i++) {
      if (t->reason[i].rejected != (bool)r) continue;
      if (!any) printf("%s\n", r ? "rejected:" : "not in lanes:");
      any = true;
      printf("  %5d  %s\n", t->reason[i].count, t->reason[i].text);
    }
  }
  long all = 0;
  for (int k = 0; k < NCHECK; k++) all += t->made[k];
  printf("%ld comparisons:\n  %-20s %9s  %-10s %s\n", all, "", "made", "worst", "of vehicle");
  for (int k = 0; k < NCHECK; k++)
    if (t->made[k])
      printf("  %-20s %9ld  %-10.3g %-10" PRIu64 " %s\n", check_word[k], t->made[k], t->worst[k],
             t->worst_seed[k], check_help[k]);
  printf("not compared:\n");
  for (int k = 0; k < NSKIP; k++)
    if (t->skipped[k]) printf("  %7ld  %s\n", t->skipped[k], skip_text[k]);
  coverage_show(&t->cover, stdout);
  fflush(stdout);
}

// ---- jobs -------------------------------------------------------------------------------------------

typedef struct job {
  pid_t child;
  int from;       // end of its pipe
  uint64_t next;  // vehicle that it works on, as a number from 0
  size_t have;    // bytes of an outcome
  outcome *part;
} job;

static void put_all(int to, const void *from, size_t size)
{
  const char *at = from;
  while (size) {
    const ssize_t n = write(to, at, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) _exit(1);
    at += n, size -= (size_t)n;
  }
}

static bool is_skipped(const options *p, uint64_t seed)
{
  for (int i = 0; i < p->nskip; i++)
    if (p->skip[i] == seed) return true;
  return false;
}

// Of the process's own time, so that a busy machine makes no findings; ten times of that by the clock. 0: none.
static void set_limit(int seconds)
{
  const struct itimerval limit = {.it_value = {.tv_sec = seconds}};
  setitimer(ITIMER_PROF, &limit, NULL);
  alarm(10u * (unsigned)seconds);
}

static void work(const options *p, uint64_t first, double until, int to)
{
  static vehicle v;
  static outcome o;
  for (uint64_t i = first; i < p->count; i += (uint64_t)p->jobs) {
    if (p->seconds > 0.0 && now() > until) break;
    if (is_skipped(p, p->seed + i)) {
      memset(&o, 0, sizeof o);
      o.seed = p->seed + i, o.skip = true;
      put_all(to, &o, sizeof o);
      continue;
    }
    set_limit(SECONDS_EACH);
    vehicle_draw(&v, p->seed + i);
    compare_vehicle(&v, p->seed + i, ~0ull, &o);
    set_limit(0);
    put_all(to, &o, sizeof o);
  }
}

static bool start(const options *p, job *j, double until)
{
  int ends[2];
  fflush(NULL);
  if (pipe(ends)) return false;
  j->child = fork();
  if (j->child < 0) {
    j->child = 0;
    close(ends[0]), close(ends[1]);
    return false;
  }
  if (j->child == 0) {
    close(ends[0]);
    work(p, j->next, until, ends[1]);
    _exit(0);
  }
  close(ends[1]);
  j->from = ends[0];
  j->have = 0;
  return j->child > 0;
}

// The child has ended: in the midst of a vehicle, or because there are no more.
static void ended(const options *p, job *j, tally *t, double until)
{
  int status = 0;
  close(j->from);
  waitpid(j->child, &status, 0);
  j->child = 0;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  static outcome o;
  memset(&o, 0, sizeof o);
  o.seed = p->seed + j->next;
  const int by = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (by == SIGPROF || by == SIGALRM)
    note(&o, CHECK_SLOW, INFINITY, "longer than %d s", SECONDS_EACH);
  else
    note(&o, CHECK_CRASH, INFINITY, "signal %d, exit %d", by,
         WIFEXITED(status) ? WEXITSTATUS(status) : 0);
  count(t, &o);
  j->next += (uint64_t)p->jobs;
  if (j->next < p->count) start(p, j, until);
}

static void stop(job *j)
{
  if (!j->child) return;
  kill(j->child, SIGKILL);
  waitpid(j->child, NULL, 0);
  close(j->from);
  j->child = 0;
}

static void draw_all(const options *p, tally *t)
{
  static job jobs[MOST_JOBS];
  const double until = now() + p->seconds;
  for (int i = 0; i < p->jobs; i++) {
    jobs[i] = (job){.next = (uint64_t)i, .part = malloc(sizeof(outcome))};
    if (jobs[i].part && jobs[i].next < p->count) start(p, &jobs[i], until);
  }
  for (;;) {
    struct pollfd wait[MOST_JOBS];
    int of[MOST_JOBS], n = 0;
    for (int i = 0; i < p->jobs; i++)
      if (jobs[i].child) of[n] = i, wait[n++] = (struct pollfd){jobs[i].from, POLLIN, 0};
    const bool enough = p->until_found ? t->nfound > 0 : !p->keep_going && t->nfound >= STOP_AFTER;
    if (!n || enough) break;
    if (poll(wait, (nfds_t)n, -1) < 0 && errno != EINTR) break;
    for (int i = 0; i < n; i++) {
      job *j = &jobs[of[i]];
      if (!wait[i].revents) continue;
      const ssize_t got = read(j->from, (char *)j->part + j->have, sizeof(outcome) - j->have);
      if (got < 0) continue;
      if (got == 0) {
        ended(p, j, t, until);
        continue;
      }
      j->have += (size_t)got;
      if (j->have < sizeof(outcome)) continue;
      j->have = 0;
      j->next += (uint64_t)p->jobs;
      count(t, j->part);
    }
  }
  for (int i = 0; i < p->jobs; i++) stop(&jobs[i]), free(jobs[i].part);
}

// ---- reduction --------------------------------------------------------------------------------------

enum { REDUCTIONS_EACH = 2, REDUCTIONS = 16, REDUCTION_SECONDS = 60 };

static int by_seed(const void *a, const void *b)
{
  const uint64_t x = ((const outcome *)a)->seed, y = ((const outcome *)b)->seed;
  return x < y ? -1 : x > y;
}

static void reduce_all(const options *p, tally *t)
{
  static vehicle v;
  int done[NCHECK] = {0}, running = 0, all = 0;
  qsort(t->found, (size_t)t->nfound, sizeof *t->found, by_seed);
  for (int i = 0; i < t->nfound; i++)
    for (int k = 0; k < NCHECK; k++) {
      const outcome *o = &t->found[i];
      if (!(o->ratio[k] > 1.0) || done[k] >= REDUCTIONS_EACH || all >= REDUCTIONS) continue;
      done[k]++, all++;
      if (running == p->jobs) wait(NULL), running--;
      printf("reducing vehicle %" PRIu64 ", %s, to %s\n", o->seed, check_word[k], p->out);
      fflush(NULL);
      const pid_t child = fork();
      if (child == 0) {
        vehicle_draw(&v, o->seed);
        reduce(&v, o, (check)k, REDUCTION_SECONDS, p->out);
        _exit(0);
      }
      running += child > 0;
    }
  while (running-- > 0) wait(NULL);
}

// ---- one vehicle ------------------------------------------------------------------------------------

static void show_all(const outcome *o)
{
  printf("%s, %.3f s\n",
         o->rejected ? "rejected"
         : o->lanes  ? "in lanes"
                     : "general path",
         o->seconds);
  if (o->reason[0]) printf("  %s\n", o->reason);
  for (int k = 0; k < NCHECK; k++)
    if (o->made[k])
      printf("  %-20s %5d  %-9.3g %s\n", check_word[k], o->made[k], o->ratio[k], o->what[k]);
  for (int k = 0; k < NSKIP; k++)
    if (o->skipped[k]) printf("  %5d  %s\n", o->skipped[k], skip_text[k]);
}

static char *read_file(const char *name)
{
  FILE *in = fopen(name, "r");
  char *text = NULL;
  size_t size = 0, have = 0;
  if (!in) return NULL;
  do {
    text = realloc(text, size += 65536);
    if (!text) break;
    have += fread(text + have, 1, size - have - 1, in);
  } while (have == size - 1);
  fclose(in);
  if (text) text[have] = 0;
  return text;
}

static int compare_files(const options *p)
{
  static outcome o;
  char *model = read_file(p->model), *scenario = read_file(p->scenario);
  if (!model || !scenario) {
    fprintf(stderr, "differential: %s cannot be read\n", model ? p->scenario : p->model);
    return 2;
  }
  compare_text(model, scenario, p->model, p->seed, ~0ull, &o);
  show_all(&o);
  free(model), free(scenario);
  return worst_check(&o) >= 0;
}

static int compare_one(const options *p)
{
  static vehicle v;
  static outcome o;
  set_limit(SECONDS_EACH);
  vehicle_draw(&v, p->seed);
  write_all_alike(&v, p->seed, p->out);
  printf("%s/vehicle-%" PRIu64 ".yaml and .scenario.yaml, and those that must move alike\n", p->out,
         p->seed);
  fflush(stdout);
  compare_vehicle(&v, p->seed, ~0ull, &o);
  show_all(&o);
  return worst_check(&o) >= 0;
}

// ---- call -------------------------------------------------------------------------------------------

static void usage(FILE *out)
{
  fprintf(out,
          "differential: random vehicles, each in every path and formulation, compared\n"
          "  --seed S             first vehicle (1)\n"
          "  --count N            how many (200)\n"
          "  --jobs J             so many at a time (1)\n"
          "  --seconds T          begin no further one after that time\n"
          "  --keep-going         all of them; otherwise it ends after 10 with findings\n"
          "  --until-found        up to the first finding, which is not reduced\n"
          "  --no-reduction       findings are not reduced\n"
          "  --out DIR            where reduced findings go (build/differential)\n"
          "  --skip S,S,...       vehicles that are left out\n"
          "  --only SEED          one vehicle: all comparisons, its files in DIR\n"
          "  --files MODEL SCENARIO   a vehicle from files, without identities\n");
}

static bool number(const char *text, double least, double *out)
{
  char *end = NULL;
  *out = text ? strtod(text, &end) : 0.0;
  return text && end != text && !*end && *out >= least;
}

static void read_skipped(const char *text, options *p)
{
  for (char *end = NULL; *text && p->nskip < MOST_SKIPPED; text = end + (*end == ',')) {
    p->skip[p->nskip] = strtoull(text, &end, 10);
    if (end == text) return;
    p->nskip++;
  }
}

static int read_call(int argc, char **argv, options *p)
{
  for (int i = 1; i < argc; i++) {
    const char *word = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
    double x = 0.0;
    if (!strcmp(word, "--help")) return 0;
    if (!strcmp(word, "--keep-going")) {
      p->keep_going = true;
    } else if (!strcmp(word, "--until-found")) {
      p->until_found = p->no_reduction = true;
    } else if (!strcmp(word, "--no-reduction")) {
      p->no_reduction = true;
    } else if (!strcmp(word, "--skip") && value) {
      read_skipped(value, p), i++;
    } else if (!strcmp(word, "--out") && value) {
      p->out = value, i++;
    } else if (!strcmp(word, "--files") && i + 2 < argc) {
      p->model = value, p->scenario = argv[i + 2], i += 2;
    } else if (!strcmp(word, "--seed") && number(value, 0, &x)) {
      p->seed = (uint64_t)x, i++;
    } else if (!strcmp(word, "--only") && number(value, 0, &x)) {
      p->only = true, p->seed = (uint64_t)x, i++;
    } else if (!strcmp(word, "--count") && number(value, 1, &x)) {
      p->count = (uint64_t)x, i++;
    } else if (!strcmp(word, "--seconds") && number(value, 0, &x)) {
      p->seconds = x, i++;
    } else if (!strcmp(word, "--jobs") && number(value, 1, &x) && x <= MOST_JOBS) {
      p->jobs = (int)x, i++;
    } else {
      fprintf(stderr, "differential: \"%s\" is wrong here\n", word);
      return 2;
    }
  }
  return -1;
}

int main(int argc, char **argv)
{
  static options p = {.seed = 1, .count = 200, .jobs = 1, .out = "build/differential"};
  const int call = read_call(argc, argv, &p);
  if (call >= 0) {
    usage(call ? stderr : stdout);
    return call;
  }
  if (p.model) return compare_files(&p);
  if (p.only) return compare_one(&p);
  static tally t;
  const double begun = now();
  t.found = malloc(MOST_FOUND * sizeof *t.found);
  if (!t.found) return 2;
  draw_all(&p, &t);
  if (t.nfound && !p.no_reduction) reduce_all(&p, &t);
  show(&t, now() - begun);
  const int found = t.nfound;
  free(t.found);
  // A run that compares next to nothing has not passed.
  const bool whole = t.drawn >= (int)p.count || p.seconds > 0.0 || p.until_found || found;
  const bool idle = p.count >= 100 && (20 * t.rejected > t.drawn || 2 * t.lanes < t.drawn);
  if (!whole)
    fprintf(stderr, "only %d of %llu vehicles were compared\n", t.drawn,
            (unsigned long long)p.count);
  if (idle) fprintf(stderr, "too many vehicles are rejected, or too few in lanes\n");
  return found > 0 || !whole || idle;
}
