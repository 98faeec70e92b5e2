// result.c: which file is meant, and what both kinds of files have in common.
#include "report/result_internal.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/plain_file.h"
#include "report/record.h"

jn_status jn_result_out_of_memory(const jn_result *r, jn_error *err)
{
  return jn_no_memory(err, (jn_pos){r->file, 0, 0});
}

// ---- which file ------------------------------------------------------------------------------------

static const char *ending(const char *name)
{
  const char *dot = strrchr(name, '.');
  return dot ? dot : "";
}

// The result in a folder: all that it holds has one name, and the .h5 is taken if there is one.
static jn_status find_in(const char *folder, char *file, size_t size, jn_error *err)
{
  const jn_pos pos = {folder, 0, 0};
  char found[NAME_MAX + 1] = "", other[NAME_MAX + 1] = "";
  DIR *d = opendir(folder);
  if (!d) return jn_fail(err, JN_E_FILE, pos, NULL, "cannot be opened: %s", strerror(errno));
  for (const struct dirent *e; (e = readdir(d));) {
    const bool hdf5 = !strcmp(ending(e->d_name), ".h5");
    if (!hdf5 && strcmp(ending(e->d_name), ".csv")) continue;
    const size_t stem = strlen(e->d_name) - strlen(ending(e->d_name));
    const size_t known = strlen(found) - strlen(ending(found));
    if (found[0] && (stem != known || strncmp(found, e->d_name, stem)))
      strcpy(other, e->d_name);
    else if (hdf5 || !found[0])
      strcpy(found, e->d_name);
  }
  closedir(d);
  if (!found[0])
    return jn_fail(err, JN_E_FILE, pos, NULL, "holds no result: no file ends in .h5 or .csv");
  if (other[0]) {
    return jn_fail(err, JN_E_FILE, pos, NULL,
                   "holds several results, \"%s\" and \"%s\" among them: name one of them",
                   jn_quoted(found, strlen(found), 128).text,
                   jn_quoted(other, strlen(other), 128).text);
  }
  const char *slash = folder[strlen(folder) - 1] == '/' ? "" : "/";
  if ((size_t)snprintf(file, size, "%s%s%s", folder, slash, found) >= size)
    return jn_fail(err, JN_E_FILE, pos, NULL, "the name is too long");
  return JN_OK;
}

typedef enum kind { KIND_HDF5, KIND_TEXT } kind;

static jn_status find_kind(const char *file, int in, kind *out, jn_error *err)
{
  static const char signature[8] = "\211HDF\r\n\032\n";
  const jn_pos pos = {file, 0, 0};
  char head[256];
  struct stat is;
  // A file of the kernel's has no size, whatever it has to say.
  const ssize_t n = fstat(in, &is) ? -1 : is.st_size ? pread(in, head, sizeof head, 0) : 0;
  if (n < 0) return jn_fail(err, JN_E_FILE, pos, NULL, "cannot be read: %s", strerror(errno));
  if (n == 0) return jn_fail(err, JN_E_PARSE, pos, NULL, "is empty, expected a result");
  *out = n >= (ssize_t)sizeof signature && !memcmp(head, signature, sizeof signature) ? KIND_HDF5
                                                                                      : KIND_TEXT;
  if (*out == KIND_TEXT && memchr(head, 0, (size_t)n))
    return jn_fail(err, JN_E_PARSE, pos, NULL,
                   "is no result: neither HDF5 nor comma-separated values");
  return JN_OK;
}

// Of a record that is not whole: does a run still write it? What is known otherwise is in the file, of a CSV of ours behind its rows.
static bool put_outcome(jn_result *r)
{
  const size_t word = sizeof JN_UNFINISHED - 1, stem = strlen(r->file) - strlen(ending(r->file));
  const bool named = stem > word && !strncmp(r->file + stem - word, JN_UNFINISHED, word);
  const char *outcome = jn_result_text(r, "outcome");
  const bool ours = named || jn_result_text(r, "jounce");
  if (outcome ? strcmp(outcome, "running") != 0 : !ours) return true;
  return jn_result_put(r, "outcome", jn_record_is_growing(r->file) ? "running" : "unfinished", NAN);
}

static jn_status open_in(jn_result *r, int in, jn_error *err)
{
  kind is = KIND_TEXT;
  jn_status st = find_kind(r->file, in, &is, err);
  if (!st) st = is == KIND_HDF5 ? jn_result_open_hdf5(r, in, err) : jn_result_open_csv(r, in, err);
  return st || put_outcome(r) ? st : jn_result_out_of_memory(r, err);
}

jn_status jn_result_open(const char *path, jn_result **out, jn_error *err)
{
  char file[PATH_MAX];
  struct stat there;
  int in = -1;
  if (out) *out = NULL;
  JN_NEEDS(err, path && out, "the name of a result, and a place for it");
  if (!path[0] || strlen(path) >= sizeof file)
    return jn_fail(err, JN_E_FILE, JN_NOWHERE, NULL, "the name of the result is empty or too long");
  strcpy(file, path);
  const bool folder = !stat(path, &there) && S_ISDIR(there.st_mode);
  jn_status st = folder ? find_in(path, file, sizeof file, err) : JN_OK;
  if (!st) st = jn_plain_open(file, &in, err);
  if (st) return st;
  jn_result *r = calloc(1, sizeof *r);
  if (r) r->file = jn_pool_text(&r->pool, file);
  st = r && r->file ? open_in(r, in, err) : jn_no_memory(err, JN_NOWHERE);
  close(in);
  if (st)
    jn_result_free(r);
  else
    *out = r;
  return st;
}

void jn_result_free(jn_result *r)
{
  if (!r) return;
  if (r->hdf5) jn_result_close_hdf5(r);
  free(r->row);
  jn_pool_free(&r->pool);
  free(r);
}

// ---- what is in it ---------------------------------------------------------------------------------

bool jn_result_put(jn_result *r, const char *name, const char *text, double number)
{
  jn_result_value *v = jn_pool_alloc(&r->pool, 1, sizeof *v);
  if (!v) return false;
  v->name = jn_pool_text(&r->pool, name);
  v->text = text ? jn_pool_text(&r->pool, text) : NULL;
  v->number = number;
  v->next = r->value;
  r->value = v;
  return v->name && (v->text || !text);
}

static const jn_result_value *find_value(const jn_result *r, const char *name)
{
  const jn_result_value *v = r && name ? r->value : NULL;
  while (v && strcmp(v->name, name)) v = v->next;
  return v;
}

const char *jn_result_text(const jn_result *r, const char *name)
{
  const jn_result_value *v = find_value(r, name);
  return v ? v->text : NULL;
}

double jn_result_number(const jn_result *r, const char *name)
{
  const jn_result_value *v = find_value(r, name);
  return v && !v->text ? v->number : NAN;
}

const char *jn_result_file(const jn_result *r)
{
  return r ? r->file : NULL;
}

int64_t jn_result_rows(const jn_result *r)
{
  return r ? r->rows : 0;
}

int jn_result_channel_count(const jn_result *r)
{
  return r ? r->nchannel : 0;
}

jn_channel jn_result_channel_at(const jn_result *r, int i)
{
  return r && i >= 0 && i < r->nchannel ? r->channel[i] : (jn_channel){0};
}

int jn_result_channel_find(const jn_result *r, const char *name)
{
  for (int i = 0; r && name && i < r->nchannel; i++)
    if (!strcmp(r->channel[i].name, name)) return i;
  return -1;
}

int jn_result_body_count(const jn_result *r)
{
  return r ? r->nbody : 0;
}

const char *jn_result_body_name(const jn_result *r, int i)
{
  return r && i >= 0 && i < r->nbody ? r->body[i] : NULL;
}

const char *jn_result_model(const jn_result *r)
{
  return r ? r->model : NULL;
}

const char *jn_result_scenario(const jn_result *r)
{
  return r ? r->scenario : NULL;
}

// ---- rows ------------------------------------------------------------------------------------------

static jn_status check_rows(const jn_result *r, int64_t first, int64_t stride, int64_t count,
                            const double *out, jn_error *err)
{
  JN_NEEDS(err, r && (out || !count), "a result, and a place for its numbers");
  if (first >= 0 && stride >= 1 && count >= 0 &&
      (count == 0 || (first < r->rows && (r->rows - 1 - first) / stride >= count - 1)))
    return JN_OK;
  return jn_fail(err, JN_E_CALL, (jn_pos){r->file, 0, 0}, NULL,
                 "rows from %lld, every %lld, %lld of them: it has %lld rows", (long long)first,
                 (long long)stride, (long long)count, (long long)r->rows);
}

jn_status jn_result_read(jn_result *r, int channel, int64_t first, int64_t stride, int64_t count,
                         double *out, jn_error *err)
{
  jn_status st = check_rows(r, first, stride, count, out, err);
  if (!st && (channel < 0 || channel >= r->nchannel))
    st = jn_fail(err, JN_E_CALL, (jn_pos){r->file, 0, 0}, NULL,
                 "channel %d: it has %d channels from 0", channel, r->nchannel);
  if (st || count == 0) return st;
  if (r->hdf5) return jn_result_read_hdf5(r, channel, first, stride, count, out, err);
  for (int64_t i = 0; i < count; i++) out[i] = r->row[(first + i * stride) * r->nchannel + channel];
  return JN_OK;
}

jn_status jn_result_read_all(jn_result *r, int64_t first, int64_t stride, int64_t count,
                             double *out, jn_error *err)
{
  jn_status st = check_rows(r, first, stride, count, out, err);
  if (st || count == 0) return st;
  const size_t width = (size_t)r->nchannel;
  if (r->hdf5) return jn_result_read_all_hdf5(r, first, stride, count, out, err);
  for (int64_t i = 0; i < count; i++)
    memcpy(out + (size_t)i * width, r->row + (size_t)(first + i * stride) * width,
           width * sizeof *out);
  return JN_OK;
}

jn_status jn_result_motion(jn_result *r, int64_t first, int64_t stride, int64_t count, double *out,
                           jn_error *err)
{
  jn_status st = check_rows(r, first, stride, count, out, err);
  if (st || count == 0 || r->nbody == 0) return st;
  return jn_result_motion_hdf5(r, first, stride, count, out, err);
}
