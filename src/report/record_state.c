// record_state.c: the state of a run in a file of its own, to go on from.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "report/record.h"
#include "run/run_internal.h"

static jn_status fail(const char *file, jn_error *err, const char *what, int error)
{
  return jn_fail(err, JN_E_FILE, (jn_pos){file, 0, 0}, NULL, "%s: %s", what, strerror(error));
}

// What there is, at most `size` bytes; -1: it cannot be read, and errno says why.
static long read_bytes(const char *file, unsigned char *bytes, size_t size)
{
  struct stat is;
  if (stat(file, &is)) return -1;
  if (!S_ISREG(is.st_mode)) {  // a pipe would be waited for
    errno = S_ISDIR(is.st_mode) ? EISDIR : EINVAL;
    return -1;
  }
  FILE *in = fopen(file, "rb");
  if (!in) return -1;
  const size_t n = fread(bytes, 1, size, in);
  const bool bad = ferror(in);
  const int error = errno;
  fclose(in);
  errno = error;
  return bad ? -1 : (long)n;
}

jn_status jn_state_read(jn_data *d, const char *file, jn_error *err)
{
  const size_t size = jn_data_save(d, NULL, 0) + 1;  // one more than it may have
  unsigned char *bytes = malloc(size);
  if (!bytes) return jn_no_memory(err, (jn_pos){file, 0, 0});
  const long n = read_bytes(file, bytes, size);
  jn_error why = {0};
  jn_status st = n < 0 ? fail(file, err, "the state cannot be read", errno)
                       : jn_data_restore(d, bytes, (size_t)n, &why);
  if (st && n >= 0) jn_fail(err, st, (jn_pos){file, 0, 0}, NULL, "%s", why.text);
  free(bytes);
  return st;
}

// The folder of a file, without links and dots. NULL: there is none, or no memory. The caller frees it.
static char *folder_of(const char *file)
{
  const char *slash = strrchr(file, '/');
  char *folder = slash ? strndup(file, slash == file ? 1 : (size_t)(slash - file)) : strdup(".");
  char *whole = folder ? realpath(folder, NULL) : NULL;
  free(folder);
  return whole;
}

bool jn_is_same_file(const char *a, const char *b)
{
  struct stat p, q;
  if (!stat(a, &p) && !stat(b, &q)) return p.st_dev == q.st_dev && p.st_ino == q.st_ino;
  const char *x = strrchr(a, '/'), *y = strrchr(b, '/');
  if (strcmp(x ? x + 1 : a, y ? y + 1 : b) != 0) return false;
  char *m = folder_of(a), *n = folder_of(b);
  const bool same = m && n && !strcmp(m, n);
  free(m), free(n);
  return same;
}

// A file that standard output or errors go to, by whatever name (/dev/stdout): a state in its place would take what was written.
static bool is_standard(const struct stat *is)
{
  struct stat open;
  for (int i = STDOUT_FILENO; i <= STDERR_FILENO; i++)
    if (!fstat(i, &open) && open.st_dev == is->st_dev && open.st_ino == is->st_ino) return true;
  return false;
}

jn_status jn_state_check(const char *file, jn_error *err)
{
  struct stat is;
  char first[JN_STATE_MAGIC] = "";
  if (stat(file, &is)) {
    const int why = errno;
    if (!lstat(file, &is))
      return fail(file, err, "the state cannot be saved: a link that leads nowhere", why);
    errno = why;
    char *folder = strdup(file), *slash = folder ? strrchr(folder, '/') : NULL;
    if (!folder) return fail(file, err, "the state cannot be saved", ENOMEM);
    if (slash) slash[slash == folder] = 0;
    const bool bad = errno != ENOENT || access(slash ? folder : ".", W_OK | X_OK);
    const int error = errno;
    free(folder);
    return bad ? fail(file, err, "the state cannot be saved", error) : JN_OK;
  }
  if (is_standard(&is))
    return jn_fail(
        err, JN_E_FILE, (jn_pos){file, 0, 0}, NULL,
        "the state cannot be saved here: standard output or errors go to it; name another file");
  FILE *in = S_ISREG(is.st_mode) ? fopen(file, "rb") : NULL;
  const bool state = in && (is.st_size == 0 || (fread(first, 1, sizeof first, in) == sizeof first &&
                                                jn_state_begins(first)));
  if (in) fclose(in);
  return state ? JN_OK
               : jn_fail(err, JN_E_FILE, (jn_pos){file, 0, 0}, NULL,
                         "is there and is no saved state: it is not overwritten");
}

// Into a file of its own, which then takes the place of what is there: a state is whole, or it is the one before. A link stays one:
// it is what it leads to that is replaced.
jn_status jn_state_write(const jn_data *d, const char *file, jn_error *err)
{
  char *target = realpath(file, NULL);
  const char *name = target ? target : file;  // which is not there yet
  const size_t size = jn_data_save(d, NULL, 0), length = strlen(name);
  unsigned char *bytes = malloc(size);
  char *part = malloc(length + 8);
  if (!bytes || !part) {
    free(bytes), free(part), free(target);
    return jn_no_memory(err, (jn_pos){file, 0, 0});
  }
  jn_data_save(d, bytes, size);
  memcpy(part, name, length);
  memcpy(part + length, ".XXXXXX", 8);
  const int f = mkstemp(part);
  FILE *out = f < 0 ? NULL : fdopen(f, "wb");
  bool good =
      out && !fchmod(f, 0644) && fwrite(bytes, 1, size, out) == size && !fflush(out) && !fsync(f);
  int error = errno;
  if (out && fclose(out) && good) good = false, error = errno;
  if (good && rename(part, name)) good = false, error = errno;
  if (!good && f >= 0) unlink(part);
  free(bytes), free(part), free(target);
  return good ? JN_OK : fail(file, err, "the state cannot be saved", error);
}
