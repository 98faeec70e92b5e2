// record_state.c: the state of a run in a file of its own, to go on from.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "report/record.h"

static jn_status fail(const char *file, jn_error *err, const char *what, int error)
{
  return jn_fail(err, JN_E_FILE, (jn_pos){file, 0, 0}, NULL, "%s: %s", what, strerror(error));
}

// What there is, at most `size` bytes; -1: it cannot be read, and errno says why.
static long read_bytes(const char *file, unsigned char *bytes, size_t size)
{
  struct stat is;
  if (stat(file, &is)) return -1;
  if (S_ISDIR(is.st_mode)) {
    errno = EISDIR;
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
  if (!bytes) return jn_fail(err, JN_E_MEMORY, (jn_pos){file, 0, 0}, NULL, "memory is exhausted");
  const long n = read_bytes(file, bytes, size);
  jn_error why = {0};
  jn_status st = n < 0 ? fail(file, err, "the state cannot be read", errno)
                       : jn_data_restore(d, bytes, (size_t)n, &why);
  if (st && n >= 0) jn_fail(err, st, (jn_pos){file, 0, 0}, NULL, "%s", why.text);
  free(bytes);
  return st;
}

jn_status jn_state_write(const jn_data *d, const char *file, jn_error *err)
{
  const size_t size = jn_data_save(d, NULL, 0);
  unsigned char *bytes = malloc(size);
  if (!bytes) return jn_fail(err, JN_E_MEMORY, (jn_pos){file, 0, 0}, NULL, "memory is exhausted");
  jn_data_save(d, bytes, size);
  FILE *out = fopen(file, "wb");
  bool good = out && fwrite(bytes, 1, size, out) == size;
  int error = errno;
  if (out && fclose(out) && good) good = false, error = errno;
  free(bytes);
  return good ? JN_OK : fail(file, err, "the state cannot be saved", error);
}
