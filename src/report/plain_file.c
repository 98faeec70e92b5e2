// plain_file.c: files that are read, and nothing that only looks like one.
#include "report/plain_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Looked at before it is opened, and after, because it may have been another one.
jn_status jn_plain_open(const char *file, int *in, jn_error *err)
{
  const jn_pos pos = {file, 0, 0};
  struct stat is;
  *in = -1;
  int failed = stat(file, &is);
  if (!failed && S_ISREG(is.st_mode)) {
    *in = open(file, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    failed = *in < 0 || fstat(*in, &is);
  }
  if (!failed && S_ISREG(is.st_mode)) return JN_OK;
  const int why = errno;
  if (*in >= 0) close(*in);
  *in = -1;
  return failed ? jn_fail(err, JN_E_FILE, pos, NULL, "cannot be opened: %s", strerror(why))
                : jn_fail(err, JN_E_FILE, pos, NULL, "is no plain file, but %s",
                          S_ISDIR(is.st_mode) ? "a directory" : "a device, a pipe or a socket");
}
