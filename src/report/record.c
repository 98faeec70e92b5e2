// record.c: the record of a run. Its files are called NAME.unfinished.csv and NAME.unfinished.h5 while it grows, and lose the word
// when it is whole: until then an older result is left as it is, and what a killed run leaves has the word in its name.
// docs/results.md describes it.
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plan/system.h"
#include "report/record.h"
#include "spec/scenario_internal.h"

enum { CSV, HDF5 };
static const char *const ending[JN_RECORD_FILES] = {".csv", ".h5"};

// ---- names -----------------------------------------------------------------------------------------

static char *join(const char *a, const char *b, const char *c)
{
  const size_t room = strlen(a) + strlen(b) + strlen(c) + 1;
  char *text = malloc(room);
  if (text) snprintf(text, room, "%s%s%s", a, b, c);
  return text;
}

static bool ends_in(const char *text, const char *end)
{
  const size_t n = strlen(text), m = strlen(end);
  return n >= m && !strcmp(text + n - m, end);
}

// Of the scenario's file, else of the model's, without folder and ending.
static char *usual_name(const jn_system *s)
{
  const char *file = s->binding.scenario ? s->binding.scenario->pos.file : s->model->spec->pos.file;
  if (!file) file = "run";
  const char *base = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
  const char *dot = strrchr(base, '.');
  return strndup(base, dot && dot > base ? (size_t)(dot - base) : strlen(base));
}

jn_status jn_record_name(const jn_system *s, const jn_run_opts *opts, char **out, jn_error *err)
{
  *out = NULL;
  char *name = opts->name ? strdup(opts->name) : usual_name(s);
  if (!name) return jn_no_memory(err, JN_NOWHERE);
  if (!name[0] || strchr(name, '/') || !strcmp(name, ".") || !strcmp(name, "..") ||
      ends_in(name, JN_UNFINISHED)) {
    const jn_status st = jn_fail(err, JN_E_CALL, JN_NOWHERE, NULL,
                                 "a record cannot be called \"%s\": expected a name without a "
                                 "folder, which does not end in " JN_UNFINISHED,
                                 jn_quoted(name, strlen(name), 128).text);
    free(name);
    return st;
  }
  const bool slash = opts->out[0] && opts->out[strlen(opts->out) - 1] == '/';
  *out = join(opts->out, slash ? "" : "/", name);
  free(name);
  return *out ? JN_OK : jn_no_memory(err, JN_NOWHERE);
}

int jn_record_has(const char *name, const char *file)
{
  static const char *const own[] = {".csv", ".h5", JN_UNFINISHED ".csv", JN_UNFINISHED ".h5",
                                    JN_LOCKED};
  int has = 0;
  for (size_t i = 0; i < sizeof own / sizeof *own && !has; i++) {
    char *one = join(name, own[i], "");
    has = !one ? -1 : jn_is_same_file(one, file);
    free(one);
  }
  return has;
}

// Of the first of these endings that it has: is the name in front of it a run's?
static bool is_locked(const char *file, const char *const *own, size_t n)
{
  char lock[PATH_MAX + sizeof JN_LOCKED];
  for (size_t i = 0; i < n; i++) {
    if (!ends_in(file, own[i]) || strlen(file) >= PATH_MAX) continue;
    snprintf(lock, sizeof lock, "%.*s" JN_LOCKED, (int)(strlen(file) - strlen(own[i])), file);
    return jn_lock_is_held(lock);
  }
  return false;
}

bool jn_record_is_growing(const char *file)
{
  static const char *const own[] = {JN_UNFINISHED ".csv", JN_UNFINISHED ".h5", JN_LOCKED};
  return is_locked(file, own, sizeof own / sizeof *own);
}

bool jn_record_is_awaited(const char *file)
{
  static const char *const own[] = {".csv", ".h5"};
  return is_locked(file, own, sizeof own / sizeof *own);
}

// What the run reads is not written over.
static jn_status check_inputs(const char *name, const jn_system *s, const jn_run_opts *opts,
                              jn_error *err)
{
  int has = opts->from ? jn_record_has(name, opts->from) : 0;
  const char *read = has ? opts->from : NULL;
  const jn_file_list *list[] = {s->model->spec->files,
                                s->binding.scenario ? s->binding.scenario->files : NULL};
  for (int i = 0; i < 2; i++)
    for (const jn_file_list *f = list[i]; f && !read; f = f->next)
      if ((has = jn_record_has(name, f->name))) read = f->name;
  if (!read) return JN_OK;
  if (has < 0) return jn_no_memory(err, JN_NOWHERE);
  return jn_fail(
      err, JN_E_CALL, (jn_pos){read, 0, 0}, NULL,
      "the record would be written over this file, which the run reads: take another folder "
      "(--out) or name (--name)");
}

// The folder and those above it. Whether it is one shows when a file is opened in it.
static jn_status make_folder(const char *folder, jn_error *err)
{
  char path[PATH_MAX];
  const size_t n = strlen(folder);
  if (n == 0 || n >= sizeof path)
    return jn_fail(err, JN_E_FILE, JN_NOWHERE, NULL, "the folder's name is empty or too long");
  for (size_t i = 1; i <= n; i++) {
    if (folder[i] && folder[i] != '/') continue;
    memcpy(path, folder, i);
    path[i] = 0;
    if (!mkdir(path, 0777) || errno == EEXIST || errno == EISDIR) continue;
    const int why = errno;
    struct stat there;
    if (!stat(path, &there))
      continue;  // a part of the path that cannot be written, and need not be
    errno = why;
    return jn_fail(err, JN_E_FILE, (jn_pos){path, 0, 0}, NULL, "the folder cannot be made: %s",
                   strerror(why));
  }
  return JN_OK;
}

// ---- the name, taken ---------------------------------------------------------------------------------

static jn_status cannot(const char *name, jn_error *err)
{
  const int why = errno;
  const jn_status st =
      jn_fail(err, JN_E_FILE, (jn_pos){name, 0, 0}, NULL, "the record cannot be written: %s",
              why ? strerror(why) : "the HDF5 library fails");
  errno = why;
  return st;
}

static jn_status take_name(jn_record *c, const char *name, jn_error *err)
{
  char *lock = join(name, JN_LOCKED, ""), who[48] = "";
  long holder;
  if (!lock) return jn_no_memory(err, JN_NOWHERE);
  const bool taken = jn_lock_take(&c->lock, lock, &holder);
  const int why = errno;
  jn_status st = JN_OK;
  struct stat there;
  const char *csv_or_hdf5 = c->name[CSV] ? c->name[CSV] : c->name[HDF5];
  if (!taken && why != EAGAIN) {
    const char *failed = lstat(lock, &there) ? csv_or_hdf5 : lock;
    errno = why;
    st = cannot(failed, err);
  }
  free(lock);
  errno = why;
  if (taken || st) return st;
  if (holder > 0) snprintf(who, sizeof who, " (process %ld)", holder);
  return jn_fail(
      err, JN_E_FILE, (jn_pos){csv_or_hdf5, 0, 0}, NULL,
      "another run%s is recording under this name: take another name (--name) or folder (--out)",
      who);
}

// ---- the files ---------------------------------------------------------------------------------------

// One of them may be what a killed run has left, in a format that this one does not write.
static bool show(jn_new_file *out, const char *name, int k, char **shown)
{
  char *own = join(name, JN_UNFINISHED, ending[k]);
  errno = own ? errno : ENOMEM;
  bool good = own && (out ? jn_output_name(out, own) : !unlink(own) || errno == ENOENT);
  *shown = good && out ? own : NULL;
  if (!*shown) free(own);
  return good;
}

static bool make_files(jn_record *c, jn_run_result *r, const char *name, int64_t rows,
                       const double *motion)
{
  const bool csv = c->name[CSV], hdf5 = c->name[HDF5];
  if (csv && !hdf5 && !strcmp(c->name[CSV], "-") && !(r->file = strdup("-"))) {
    errno = ENOMEM;
    return false;
  }
  if (csv && !jn_csv_open(&c->csv, c->name[CSV], r)) return false;
  if (csv) jn_csv_row(&c->csv, r->last);
  if (csv && !jn_csv_flush(&c->csv)) return false;
  if (hdf5 && !jn_hdf5_open(&c->hdf5, c->name[HDF5], r, rows, motion)) return false;
  c->rows = 1;
  if (c->csv.standard) return true;
  return show(hdf5 ? &c->hdf5.out : NULL, name, HDF5, &r->hdf5) &&
         show(csv ? &c->csv.out : NULL, name, CSV, &r->file);
}

jn_status jn_record_open(jn_record *c, jn_run_result *r, const jn_run_opts *opts, int64_t rows,
                         const double *motion, jn_error *err)
{
  const bool standard = !strcmp(opts->out, "-");
  const bool wanted[] = {[CSV] = standard || opts->format != JN_RECORD_HDF5,
                         [HDF5] = !standard && opts->format != JN_RECORD_CSV};
  char *name = NULL;
  *c = (jn_record){0};
  jn_status st = standard ? JN_OK : jn_record_name(r->system, opts, &name, err);
  for (int k = 0; k < JN_RECORD_FILES && !st; k++)
    if (wanted[k] && !(c->name[k] = standard ? strdup("-") : join(name, ending[k], "")))
      st = jn_no_memory(err, JN_NOWHERE);
  if (!st && wanted[HDF5]) st = jn_hdf5_check(c->name[HDF5], r, rows, err);
  if (!st && !standard) st = check_inputs(name, r->system, opts, err);
  if (!st && !standard) st = make_folder(opts->out, err);
  if (!st && !standard) st = take_name(c, name, err);
  if (!st && !make_files(c, r, name, rows, motion))
    st = errno == ENOMEM
             ? jn_no_memory(err, JN_NOWHERE)
             : cannot(standard ? "standard output" : c->name[c->name[CSV] ? CSV : HDF5], err);
  const int why = errno;
  free(name);
  c->open = !st;
  if (st) {
    jn_record_close(c, true);
    free(r->file), free(r->hdf5);
    r->file = r->hdf5 = NULL;
  }
  errno = why;
  return st;
}

bool jn_record_flush(jn_record *c, bool to_disc)
{
  const int64_t waiting = c->waiting;
  c->waiting = 0;
  bool good = !c->hdf5.open || jn_hdf5_flush(&c->hdf5, to_disc);
  if (good && c->csv.open && !jn_csv_flush(&c->csv)) {
    const int why = errno;
    if (c->hdf5.open) (void)jn_hdf5_show(&c->hdf5, c->rows);
    errno = why;
    good = false;
  }
  if (good && to_disc && c->csv.open && !c->csv.standard) good = !fsync(c->csv.out.file);
  if (good) c->rows += waiting;
  return good;
}

bool jn_record_row(jn_record *c, const double *value, const double *motion)
{
  const bool room =
      (!c->csv.open || jn_csv_has_room(&c->csv)) && (!c->hdf5.open || jn_hdf5_has_room(&c->hdf5));
  if (!room && !jn_record_flush(c, false)) return false;
  if (c->hdf5.open && !jn_hdf5_row(&c->hdf5, value, motion)) return false;
  if (c->csv.open) jn_csv_row(&c->csv, value);
  c->waiting++;
  return true;
}

static void swap(char **a, char **b)
{
  char *was = *a;
  *a = *b, *b = was;
}

// Both or none, because they belong together: until the second file has its name, the older result that had the first one's can
// get it back.
static bool give_names(jn_record *c, jn_run_result *r)
{
  const bool csv = c->csv.open && !c->csv.standard, hdf5 = c->hdf5.open;
  if (hdf5 && !(csv ? jn_output_swap : jn_output_name)(&c->hdf5.out, c->name[HDF5])) return false;
  if (csv && !jn_output_name(&c->csv.out, c->name[CSV])) {
    const int why = errno;
    if (hdf5) (void)jn_output_swap(&c->hdf5.out, r->hdf5);
    errno = why;
    return false;
  }
  if (csv && hdf5) unlink(r->hdf5);  // the older one's
  if (csv) swap(&r->file, &c->name[CSV]);
  if (hdf5) swap(&r->hdf5, &c->name[HDF5]);
  return true;
}

bool jn_record_finish(jn_record *c, jn_run_result *r)
{
  if (c->hdf5.open && !jn_hdf5_finish(&c->hdf5, r)) return false;
  if (r->outcome == JN_RUN_UNRECORDED) return true;
  const int64_t rows_end = c->csv.end;
  if (c->csv.open && !jn_csv_finish(&c->csv, r)) return false;
  if (give_names(c, r)) return true;
  if (c->csv.open) jn_csv_go_back(&c->csv, rows_end);
  return false;
}

void jn_record_close(jn_record *c, bool discard)
{
  const int why = errno;
  jn_csv_close(&c->csv, discard);
  jn_hdf5_close(&c->hdf5, discard);
  jn_lock_release(&c->lock);
  for (int k = 0; k < JN_RECORD_FILES; k++) free(c->name[k]);
  *c = (jn_record){0};
  errno = why;
}
