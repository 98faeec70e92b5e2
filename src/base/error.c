#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

const char *jn_status_text(jn_status status)
{
  switch (status) {
#define X(name, code, text) \
  case name:                \
    return text;
    JN_STATUS_LIST(X)
#undef X
  }
  return "unknown status";
}

const char *jn_version(void)
{
  return JN_VERSION;
}

jn_status jn_fail(jn_error *err, jn_status code, jn_pos pos, const char *path, const char *fmt, ...)
{
  if (!err) return code;
  *err = (jn_error){.code = code, .line = pos.line, .col = pos.col};
  if (pos.file) jn_quote(pos.file, strlen(pos.file), err->file, sizeof err->file);
  if (path) jn_quote(path, strlen(path), err->path, sizeof err->path);
  va_list args;
  va_start(args, fmt);
  vsnprintf(err->text, sizeof err->text, fmt, args);
  va_end(args);
  return code;
}

jn_status jn_no_memory(jn_error *err, jn_pos pos)
{
  return jn_fail(err, JN_E_MEMORY, pos, NULL, "memory is exhausted");
}

char *jn_error_line(const jn_error *err, char *line, unsigned long size)
{
  if (!err || !line || !size) {
    if (line && size) *line = 0;
    return line;
  }
  char position[32] = "";
  if (err->line > 0) snprintf(position, sizeof position, ":%d:%d", err->line, err->col);
  snprintf(line, size, "%s%s%s%s%s%s", err->file, position, err->file[0] ? ": " : "", err->path,
           err->path[0] ? ": " : "", err->text);
  return line;
}

char *jn_quote(const char *text, unsigned long length, char *out, unsigned long size)
{
  const unsigned char *s = (const unsigned char *)text;
  unsigned long at = 0;
  for (unsigned long i = 0; i < length;) {
    unsigned code;
    unsigned long n = jn_utf8_next(s + i, length - i, &code);
    char shown[8];
    if (n == 0 || s[i] < 0x20 || s[i] == 0x7f) {
      snprintf(shown, sizeof shown, "\\x%02x", s[i]);
      n = 1;
    } else {
      memcpy(shown, s + i, n);
      shown[n] = 0;
    }
    unsigned long wide = strlen(shown);
    if (at + wide + 4 > size) {  // room for "..." and the closing zero
      memcpy(out + at, "...", 3);
      at += 3;
      break;
    }
    memcpy(out + at, shown, wide);
    at += wide;
    i += n;
  }
  out[at] = 0;
  return out;
}
