// fail_file.c: preloaded, it makes calls on files fail: open, write, fsync, rename and their likes, each of them in turn.
//
// Environment: JT_FILE_AT, the number of the call, from 1, at which it happens (0: never); JT_FILE_ERROR, the errno that the call
// fails with, or "kill", which ends the process before the call; JT_FILE_ON, that all calls behind it fail too, as on a full disk;
// JT_FILE_COUNT, a file that gets the number of calls at the end. Programs that are started by the one at hand do not get the library.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_long calls;
static long at;
static pid_t own;
static int error, kills, on;
static char count[4096];

__attribute__((constructor)) static void begin(void)
{
  const char *a = getenv("JT_FILE_AT"), *e = getenv("JT_FILE_ERROR"), *c = getenv("JT_FILE_COUNT");
  at = a ? atol(a) : 0;
  own = getpid();
  kills = e && !strcmp(e, "kill");
  error = e && !kills ? atoi(e) : EIO;
  on = getenv("JT_FILE_ON") != NULL;
  if (c) snprintf(count, sizeof count, "%s", c);
  unsetenv("LD_PRELOAD");
}

__attribute__((destructor)) static void end(void)
{
  char text[32];
  if (!count[0]) return;
  const long file = syscall(SYS_openat, AT_FDCWD, count, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  const int n = snprintf(text, sizeof text, "%ld\n", (long)calls);
  if (file >= 0) (void)!syscall(SYS_write, file, text, (size_t)n);
}

static int fails(void)
{
  if (getpid() != own) return 0;  // of a copy of the process
  const long number = atomic_fetch_add(&calls, 1) + 1;
  if (!at || number < at || (number > at && !on)) return 0;
  if (kills) syscall(SYS_kill, getpid(), SIGKILL);
  errno = error;
  return 1;
}

// What a build that counts its lines writes at the end (make coverage) is none of ours.
static int is_counts(const char *name)
{
  const size_t n = strlen(name);
  return n > 5 && !strcmp(name + n - 5, ".gcda");
}

// The call of the C library behind this one.
#define REAL(name)               \
  static __typeof__(&name) real; \
  if (!real) *(void **)&real = dlsym(RTLD_NEXT, #name)

#define WITH_MODE(flags, mode)                                                      \
  va_list args;                                                                     \
  va_start(args, flags);                                                            \
  const mode_t mode = (flags) & (O_CREAT | __O_TMPFILE) ? va_arg(args, mode_t) : 0; \
  va_end(args)

int open(const char *name, int flags, ...)
{
  WITH_MODE(flags, mode);
  REAL(open);
  return !is_counts(name) && fails() ? -1 : real(name, flags, mode);
}

int open64(const char *name, int flags, ...)
{
  WITH_MODE(flags, mode);
  REAL(open64);
  return !is_counts(name) && fails() ? -1 : real(name, flags, mode);
}

FILE *fopen(const char *name, const char *mode)
{
  REAL(fopen);
  return !is_counts(name) && fails() ? NULL : real(name, mode);
}

FILE *fopen64(const char *name, const char *mode)
{
  REAL(fopen64);
  return !is_counts(name) && fails() ? NULL : real(name, mode);
}

FILE *tmpfile(void)
{
  REAL(tmpfile);
  return fails() ? NULL : real();
}

FILE *tmpfile64(void)
{
  REAL(tmpfile64);
  return fails() ? NULL : real();
}

// Messages are not what is looked at.
ssize_t write(int file, const void *data, size_t n)
{
  REAL(write);
  return file != STDERR_FILENO && fails() ? -1 : real(file, data, n);
}

// Half of it, so that what is cut is seen too; but for a few bytes, which no disk tears.
enum { TEARS = 8 };

ssize_t pwrite(int file, const void *data, size_t n, off_t where)
{
  REAL(pwrite);
  if (!fails()) return real(file, data, n, where);
  const int why = errno;
  if (n > TEARS) (void)!real(file, data, n / 2, where);
  errno = why;
  return -1;
}

ssize_t pwrite64(int file, const void *data, size_t n, off64_t where)
{
  REAL(pwrite64);
  if (!fails()) return real(file, data, n, where);
  const int why = errno;
  if (n > TEARS) (void)!real(file, data, n / 2, where);
  errno = why;
  return -1;
}

#define PLAIN(result, name, parameters, arguments) \
  result name parameters                           \
  {                                                \
    REAL(name);                                    \
    return fails() ? -1 : real arguments;          \
  }

PLAIN(int, fsync, (int file), (file))
PLAIN(int, fdatasync, (int file), (file))
PLAIN(int, ftruncate, (int file, off_t size), (file, size))
PLAIN(int, ftruncate64, (int file, off64_t size), (file, size))
PLAIN(int, fchmod, (int file, mode_t mode), (file, mode))
PLAIN(int, rename, (const char *from, const char *to), (from, to))
PLAIN(int, renameat2, (int a, const char *from, int b, const char *to, unsigned flags),
      (a, from, b, to, flags))
PLAIN(int, linkat, (int a, const char *from, int b, const char *to, int flags),
      (a, from, b, to, flags))
PLAIN(int, mkdir, (const char *name, mode_t mode), (name, mode))
PLAIN(int, pipe2, (int ends[2], int flags), (ends, flags))
