// lock.c: a lock is a file with the holder's number in it, and a lock of the kernel's on it. The file alone means nothing: the
// kernel's lock is gone with the process that took it, however that ended.
#define _GNU_SOURCE  // F_OFD_SETLK
#include "report/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static int ask_kernel(int file, int command, struct flock *whole)
{
  *whole = (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET};
  return fcntl(file, command, whole);
}

// Its holder deletes the file when he lets go: then the lock that was taken is one on a file that nobody else will find.
static bool is_found(int file, const char *name)
{
  struct stat own, there;
  return !fstat(file, &own) && !lstat(name, &there) && own.st_dev == there.st_dev &&
         own.st_ino == there.st_ino;
}

// He writes it at once after he took the lock.
static long read_holder(int file)
{
  char text[24] = "";
  for (int i = 0; i < 50 && !strchr(text, '\n'); i++) {
    const ssize_t n = pread(file, text, sizeof text - 1, 0);
    text[n > 0 ? n : 0] = 0;
    if (i) nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
  return strtol(text, NULL, 10);
}

static bool write_holder(int file)
{
  char text[24];
  const int n = snprintf(text, sizeof text, "%ld\n", (long)getpid());
  return !ftruncate(file, 0) && pwrite(file, text, (size_t)n, 0) == n;
}

// Empty, or a number in a line, under one name: nobody else's file of that name is taken for a lock.
static bool is_lock(int file, const struct stat *is)
{
  char text[24];
  const ssize_t n = pread(file, text, sizeof text, 0);
  if (!S_ISREG(is->st_mode) || is->st_nlink > 1 || n < 0 || n == sizeof text) return false;
  for (ssize_t i = 0; i < n; i++)
    if (i + 1 < n ? text[i] < '0' || text[i] > '9' : text[i] != '\n') return false;
  return true;
}

bool jn_lock_take(jn_lock *lock, const char *name, long *holder)
{
  struct flock whole;
  struct stat is;
  *lock = (jn_lock){.file = -1};
  *holder = 0;
  char *own = strdup(name);
  int file = -1;
  bool good = false;
  while (own && !good) {
    file = open(name, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666);
    if (file < 0 || fstat(file, &is)) break;
    if (!is_lock(file, &is)) {
      errno = S_ISREG(is.st_mode) ? EEXIST : EINVAL;
      break;
    }
    if (ask_kernel(file, F_OFD_SETLK, &whole)) {
      if (errno == EACCES) errno = EAGAIN;
      break;
    }
    if (is_found(file, name)) {
      good = true;
    } else {
      close(file);
    }
  }
  if (good) {
    *lock = (jn_lock){file, own};
    if (write_holder(file)) return true;
    const int why = errno;
    jn_lock_release(lock);
    errno = why;
    return false;
  }
  const int why = errno;
  if (file >= 0 && why == EAGAIN) *holder = read_holder(file);
  if (file >= 0) close(file);
  free(own);
  errno = why;
  return false;
}

void jn_lock_release(jn_lock *lock)
{
  const int why = errno;
  if (!lock->name) return;
  if (is_found(lock->file, lock->name)) unlink(lock->name);
  close(lock->file);
  free(lock->name);
  *lock = (jn_lock){.file = -1};
  errno = why;
}

bool jn_lock_is_held(const char *name)
{
  struct flock whole;
  const int file = open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (file < 0) return false;
  const bool held = !ask_kernel(file, F_OFD_GETLK, &whole) && whole.l_type != F_UNLCK;
  close(file);
  return held;
}
