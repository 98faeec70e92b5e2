// output.c: files made, closed, and removed again where they could not be finished.
#include "report/output.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

jn_status jn_output(const char *file, const char *what, jn_output_put put, void *user,
                    jn_error *err)
{
  const bool standard = !strcmp(file, "-");
  const jn_pos pos = {standard ? "standard output" : file, 0, 0};
  FILE *out = standard ? stdout : fopen(file, "wb");
  if (!out)
    return jn_fail(err, JN_E_FILE, pos, NULL, "the %s cannot be written: %s", what,
                   strerror(errno));
  struct stat there;
  const bool is_file = !fstat(fileno(out), &there) && S_ISREG(there.st_mode) && !standard;
  jn_status st = put(out, user, err);
  const bool written = !fflush(out) && !ferror(out);
  const int why = errno;
  const bool closed = standard || !fclose(out);
  if (!st && !(written && closed))
    st = jn_fail(err, JN_E_FILE, pos, NULL, "the %s cannot be written: %s", what,
                 strerror(written ? errno : why));
  if (st && is_file) unlink(file);
  return st;
}
