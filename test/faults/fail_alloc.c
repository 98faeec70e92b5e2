// fail_alloc.c: a library to be preloaded into a command, in which an allocation fails.
//
//   JT_FAIL_AT=N      the Nth allocation finds no memory, counted from where the command's own code begins
//   JT_FAIL_ON=1      and so do all behind it
//   JT_FAIL_SITES=F   where each allocation is made is written to the file F: a line with a number for the calls that led to it
//   JT_FAIL_TRACE=F   the calls that led to the failure, and to a crash, are written to the file F
//
// Clocks go on by a microsecond with each look at them, so that two runs of a command write the same bytes.
#define _GNU_SOURCE
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

enum { DEEPEST = 40, LONGEST = 5 };  // calls; time of the processor [s]: what takes more hangs

static long count, fail_at;
static bool ready, fails_on;  // allocations before `ready` are those of the loader
static FILE *sites;
static __thread bool inside;  // of what is done here itself

static void trace(const char *what)
{
  const char *file = getenv("JT_FAIL_TRACE");
  const int out = file ? open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
  if (out < 0) return;
  void *call[DEEPEST];
  const int n = backtrace(call, DEEPEST);
  (void)!write(out, what, strlen(what));
  backtrace_symbols_fd(call, n, out);
  close(out);
}

static void note_site(void)
{
  void *call[DEEPEST];
  unsigned long hash = 14695981039346656037u;
  const int n = backtrace(call, DEEPEST);
  for (int i = 0; i < n; i++) hash = (hash ^ (unsigned long)call[i]) * 1099511628211u;
  fprintf(sites, "%lx\n", hash);
}

static bool fails(void)
{
  if (!ready || inside) return false;
  const long n = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
  if (sites) {
    inside = true;
    note_site();
    inside = false;
  }
  if (fail_at == 0 || n < fail_at || (n > fail_at && !fails_on)) return false;
  inside = true;
  if (n == fail_at) trace("failed allocation\n");
  inside = false;
  errno = ENOMEM;
  return true;
}

static void crashed(int sign)
{
  inside = true;
  trace("crash\n");
  signal(sign, SIG_DFL);
  raise(sign);
}

__attribute__((constructor)) static void begin(void)
{
  static const int signs[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};
  const char *at = getenv("JT_FAIL_AT"), *file = getenv("JT_FAIL_SITES");
  void *call[1];
  backtrace(call, 1);  // the first call loads a library
  if (getenv("JT_FAIL_TRACE"))
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) signal(signs[i], crashed);
  fail_at = at ? atol(at) : 0;
  fails_on = getenv("JT_FAIL_ON") != NULL;
  sites = file ? fopen(file, "w") : NULL;
  setrlimit(RLIMIT_CPU, &(struct rlimit){LONGEST, LONGEST});
  ready = true;
}

__attribute__((destructor)) static void end(void)
{
  inside = true;
  if (sites) fclose(sites);
  sites = NULL;
}

// ---- allocations -----------------------------------------------------------------------------------

void *malloc(size_t size)
{
  return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
  return fails() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *at, size_t size)
{
  return fails() ? NULL : __libc_realloc(at, size);
}

void *reallocarray(void *at, size_t n, size_t size)
{
  size_t bytes;
  if (__builtin_mul_overflow(n, size, &bytes)) return errno = ENOMEM, NULL;
  return realloc(at, bytes);
}

void *memalign(size_t alignment, size_t size)
{
  return fails() ? NULL : __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
  return memalign(alignment, size);
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
  void *at = memalign(alignment, size);
  if (!at) return ENOMEM;
  *out = at;
  return 0;
}

// ---- clocks ----------------------------------------------------------------------------------------

static struct timespec look(void)
{
  static long looks;  // [us]
  const long us = __atomic_add_fetch(&looks, 1, __ATOMIC_RELAXED);
  return (struct timespec){1600000000 + us / 1000000, us % 1000000 * 1000};
}

int clock_gettime(clockid_t clock, struct timespec *out)
{
  (void)clock;
  *out = look();
  return 0;
}

int gettimeofday(struct timeval *restrict out, void *restrict zone)
{
  (void)zone;
  const struct timespec t = look();
  *out = (struct timeval){t.tv_sec, t.tv_nsec / 1000};
  return 0;
}

time_t time(time_t *out)
{
  const struct timespec t = look();
  if (out) *out = t.tv_sec;
  return t.tv_sec;
}
