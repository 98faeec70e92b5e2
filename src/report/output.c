// output.c: all files that are written: as files without names, which get them when they are whole. Who dies before that leaves
// nothing, and what had the name stays as it was.
#define _GNU_SOURCE  // O_TMPFILE, fopencookie
#include "report/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/record.h"

// ---- names -----------------------------------------------------------------------------------------

static char *folder_of(const char *file)
{
  const char *slash = strrchr(file, '/');
  return slash ? strndup(file, slash == file ? 1 : (size_t)(slash - file)) : strdup(".");
}

bool jn_is_same_file(const char *a, const char *b)
{
  struct stat p, q;
  if (!stat(a, &p) && !stat(b, &q)) return p.st_dev == q.st_dev && p.st_ino == q.st_ino;
  const char *x = strrchr(a, '/'), *y = strrchr(b, '/');
  if (strcmp(x ? x + 1 : a, y ? y + 1 : b) != 0) return false;
  char *m = folder_of(a), *n = folder_of(b);
  const bool same =
      m && n && !stat(m, &p) && !stat(n, &q) && p.st_dev == q.st_dev && p.st_ino == q.st_ino;
  free(m), free(n);
  return same;
}

bool jn_is_standard(const char *file)
{
  struct stat is, open;
  if (stat(file, &is) || !S_ISREG(is.st_mode)) return false;
  for (int i = STDOUT_FILENO; i <= STDERR_FILENO; i++)
    if (!fstat(i, &open) && open.st_dev == is.st_dev && open.st_ino == is.st_ino) return true;
  return false;
}

jn_status jn_output_check(const char *file, const char *what, const jn_file_list *inputs,
                          jn_error *err)
{
  for (; inputs; inputs = inputs->next)
    if (jn_is_same_file(file, inputs->name))
      return jn_fail(err, JN_E_CALL, (jn_pos){file, 0, 0}, NULL,
                     "the %s cannot be written here: it is made from this file; name another one",
                     what);
  return JN_OK;
}

// A name in the folder that nobody has and that nobody foresees.
static char *make_name(const char *folder)
{
  static const char digits[] = "0123456789abcdefghijklmnopqrstuv";
  uint64_t random;
  char *name = NULL;
  if (getrandom(&random, sizeof random, 0) != sizeof random) return NULL;
  const size_t room = strlen(folder) + sizeof "/.jounce-" + 12;
  if (!(name = malloc(room))) return NULL;
  size_t n = (size_t)snprintf(name, room, "%s/.jounce-", folder);
  for (int i = 0; i < 12; i++, random >>= 5) name[n++] = digits[random & 31];
  name[n] = 0;
  return name;
}

// ---- a file that gets its name when it is whole ------------------------------------------------------

// Not every file system has files without names.
static bool open_named(jn_new_file *o)
{
  if (!(o->name = make_name(o->folder))) return false;
  o->file = open(o->name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (o->file >= 0) return true;
  free(o->name);
  o->name = NULL;
  return false;
}

bool jn_output_open(jn_new_file *o, const char *file)
{
  struct stat was;
  const bool there = !lstat(file, &was) && S_ISREG(was.st_mode);
  *o = (jn_new_file){0};
  if (there && access(file, W_OK)) return false;  // renaming would not ask
  if (!there && !stat(file, &was) && S_ISDIR(was.st_mode)) {
    errno = EISDIR;
    return false;
  }
  if (!(o->folder = folder_of(file))) return false;
  o->file = open(o->folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
  if (o->file >= 0 ||
      ((errno == EOPNOTSUPP || errno == EISDIR || errno == ENOENT) && open_named(o))) {
    if (!there || !fchmod(o->file, was.st_mode & 0777)) return true;
    jn_output_close(o, true);
    return false;
  }
  free(o->folder);
  o->folder = NULL;
  return false;
}

bool jn_output_write(const jn_new_file *o, const void *data, size_t n, int64_t at)
{
  for (const char *from = data; n > 0;) {
    const ssize_t put = pwrite(o->file, from, n, (off_t)at);
    if (put < 0 && errno == EINTR) continue;
    if (put == 0) errno = EIO;
    if (put <= 0) return false;
    from += put, at += put, n -= (size_t)put;
  }
  return true;
}

// Any name at all, for a file that has none: what is there cannot be replaced by anything else.
static bool take_any_name(jn_new_file *o)
{
  char from[32], *name = make_name(o->folder);
  snprintf(from, sizeof from, "/proc/self/fd/%d", o->file);
  if (name && !linkat(AT_FDCWD, from, AT_FDCWD, name, AT_SYMLINK_FOLLOW)) {
    o->name = name;
    return true;
  }
  free(name);
  return false;
}

static bool exchange(const char *own, const char *name)
{
  struct stat is;
  if (!lstat(name, &is) && S_ISDIR(is.st_mode)) {
    errno = EISDIR;
    return false;
  }
  if (!renameat2(AT_FDCWD, own, AT_FDCWD, name, RENAME_EXCHANGE)) return true;
  return (errno == ENOENT || errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP) &&
         !rename(own, name);
}

// Does the name still lead to this file, and not to another that somebody has put there?
static bool has_name(const jn_new_file *o)
{
  struct stat own, there;
  return o->name && !fstat(o->file, &own) && !lstat(o->name, &there) &&
         own.st_dev == there.st_dev && own.st_ino == there.st_ino;
}

static bool give_name(jn_new_file *o, const char *name, bool swap)
{
  char *own = strdup(name);
  const bool unnamed = !o->name;
  if (!unnamed && !has_name(o)) {
    free(own);
    errno = ESTALE;
    return false;
  }
  if (own && !fsync(o->file) && (o->name || take_any_name(o)) &&
      (swap ? exchange(o->name, own) : !rename(o->name, own))) {
    free(o->name);
    o->name = own;
    return o->named = true;
  }
  const int why = errno;
  if (unnamed && o->name) {
    unlink(o->name);
    free(o->name);
    o->name = NULL;
  }
  free(own);
  errno = why;
  return false;
}

bool jn_output_name(jn_new_file *o, const char *name)
{
  return give_name(o, name, false);
}

bool jn_output_swap(jn_new_file *o, const char *name)
{
  return give_name(o, name, true);
}

void jn_output_close(jn_new_file *o, bool discard)
{
  const int why = errno;
  if (!o->folder) return;
  if ((discard || !o->named) && has_name(o)) unlink(o->name);
  close(o->file);
  free(o->name);
  free(o->folder);
  *o = (jn_new_file){0};
  errno = why;
}

// ---- a file in one go --------------------------------------------------------------------------------

typedef struct target {
  const char *file, *what;
  char *name;       // without links; NULL: it is no file but a stream, which is written as it comes
  jn_new_file out;  // of a file
  int stream;       // else
  int64_t written;  // bytes
  int why;          // errno of the first write that failed, 0: none
} target;

static jn_status cannot(const target *t, int why, jn_error *err)
{
  return jn_fail(err, JN_E_FILE, (jn_pos){t->file, 0, 0}, NULL, "the %s cannot be written: %s",
                 t->what, strerror(why));
}

// Once a write has failed, the rest is dropped, so that the first reason is the one that is reported.
static ssize_t put_bytes(void *cookie, const char *data, size_t n)
{
  target *t = cookie;
  size_t done = 0;
  if (t->name && !t->why && !jn_output_write(&t->out, data, n, t->written)) t->why = errno;
  while (!t->name && !t->why && done < n) {
    const ssize_t put = write(t->stream, data + done, n - done);
    if (put > 0)
      done += (size_t)put;
    else if (put == 0 || errno != EINTR)
      t->why = put == 0 ? EIO : errno;
  }
  t->written += (int64_t)n;
  return (ssize_t)n;
}

// What it is that will be written: a file, through links, or a stream that is there, such as a pipe or a terminal.
static jn_status find_target(target *t, jn_error *err)
{
  const jn_pos pos = {t->file, 0, 0};
  struct stat is;
  if (jn_is_standard(t->file))
    return jn_fail(
        err, JN_E_CALL, pos, NULL,
        "the %s cannot be written here: standard output or errors go to it; name another file, "
        "or - for standard output",
        t->what);
  if (!stat(t->file, &is) && !S_ISREG(is.st_mode)) {
    t->stream = open(t->file, O_WRONLY | O_NOCTTY | O_CLOEXEC);
    return t->stream >= 0 ? JN_OK : cannot(t, errno, err);
  }
  t->name = realpath(t->file, NULL);
  if (!t->name && errno == ENOENT && !lstat(t->file, &is))
    return jn_fail(err, JN_E_FILE, pos, NULL, "the %s cannot be written: a link that leads nowhere",
                   t->what);
  if (!t->name) t->name = strdup(t->file);
  if (!t->name) return jn_no_memory(err, pos);
  if (jn_record_is_growing(t->name) || jn_record_is_awaited(t->name))
    return jn_fail(
        err, JN_E_CALL, pos, NULL,
        "the %s cannot be written here: a run that goes on has this file; name another one",
        t->what);
  return jn_output_open(&t->out, t->name) ? JN_OK : cannot(t, errno, err);
}

jn_status jn_file_write(const char *file, const char *what, jn_file_put put, void *user,
                        jn_error *err)
{
  const bool standard = !strcmp(file, "-");
  target t = {.file = standard ? "standard output" : file, .what = what, .stream = -1};
  jn_status st = JN_OK;
  if (standard) {
    fflush(stdout);
    t.stream = STDOUT_FILENO;
  } else {
    st = find_target(&t, err);
  }
  FILE *out = st ? NULL : fopencookie(&t, "w", (cookie_io_functions_t){.write = put_bytes});
  if (!st && !out) st = jn_no_memory(err, JN_NOWHERE);
  if (!st) {
    setvbuf(out, NULL, _IOFBF, 1 << 16);
    st = put(out, user, err);
  }
  if (out && fclose(out) && !t.why) t.why = errno;
  if (!st && !t.why && t.name && !jn_output_name(&t.out, t.name)) t.why = errno;
  if (!st && t.why) st = cannot(&t, t.why, err);
  jn_output_close(&t.out, st != JN_OK);
  if (t.stream >= 0 && !standard && close(t.stream) && !st) st = cannot(&t, errno, err);
  free(t.name);
  return st;
}
