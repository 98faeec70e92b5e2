// record_state.c: the state of a run in a file of its own, to go on from.
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "report/plain_file.h"
#include "report/record.h"
#include "run/run_internal.h"

static jn_status fail(const char *file, jn_error *err, const char *what, int error)
{
  return jn_fail(err, JN_E_FILE, (jn_pos){file, 0, 0}, NULL, "%s: %s", what, strerror(error));
}

// What there is, at most `size` bytes; -1: it cannot be read, and errno says why.
static long read_bytes(int in, unsigned char *bytes, size_t size)
{
  size_t n = 0;
  while (n < size) {
    const ssize_t got = read(in, bytes + n, size - n);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) break;
    n += (size_t)got;
  }
  return (long)n;
}

jn_status jn_state_read(jn_data *d, const char *file, jn_error *err)
{
  const size_t size = jn_data_save(d, NULL, 0) + 1;  // one more than it may have
  int in;
  jn_error why = {0};
  jn_status st = jn_plain_open(file, &in, &why);
  if (st)
    return jn_fail(err, st, (jn_pos){file, 0, 0}, NULL, "the state cannot be read: it %s",
                   why.text);
  unsigned char *bytes = malloc(size);
  const long n = bytes ? read_bytes(in, bytes, size) : 0;
  if (!bytes)
    st = jn_no_memory(err, (jn_pos){file, 0, 0});
  else if (n < 0)
    st = fail(file, err, "the state cannot be read", errno);
  else if ((st = jn_data_restore(d, bytes, (size_t)n, &why)))
    jn_fail(err, st, (jn_pos){file, 0, 0}, NULL, "%s", why.text);
  free(bytes);
  close(in);
  return st;
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
  if (jn_is_standard(file))
    return jn_fail(
        err, JN_E_FILE, (jn_pos){file, 0, 0}, NULL,
        "the state cannot be saved here: standard output or errors go to it; name another file");
  int in = -1;
  if (S_ISREG(is.st_mode) && (in = open(file, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)) < 0)
    return fail(file, err, "the state cannot be saved", errno);
  const bool state =
      in >= 0 && (is.st_size == 0 ||
                  (read_bytes(in, (unsigned char *)first, sizeof first) == (long)sizeof first &&
                   jn_state_begins(first)));
  if (in >= 0) close(in);
  if (!state)
    return jn_fail(err, JN_E_FILE, (jn_pos){file, 0, 0}, NULL,
                   "is there and is no saved state: it is not overwritten");
  return access(file, W_OK) ? fail(file, err, "the state cannot be saved", errno) : JN_OK;
}

typedef struct saved {
  const unsigned char *bytes;
  size_t size;
} saved;

static jn_status put_bytes(FILE *out, void *user, jn_error *err)
{
  const saved *s = user;
  (void)err;
  fwrite(s->bytes, 1, s->size, out);
  return JN_OK;
}

jn_status jn_state_write(const jn_data *d, const char *file, jn_error *err)
{
  const size_t size = jn_data_save(d, NULL, 0);
  unsigned char *bytes = malloc(size);
  if (!bytes) return jn_no_memory(err, (jn_pos){file, 0, 0});
  jn_data_save(d, bytes, size);
  const jn_status st = jn_file_write(file, "state", put_bytes, &(saved){bytes, size}, err);
  free(bytes);
  return st;
}
