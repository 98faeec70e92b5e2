// result_hdf5.c: a record in HDF5, read.
//
// The library was not made for files that somebody has tampered with or that a disc has damaged: on some of
// them it ends the program. So a child process opens the file first, and only what it finds good is opened here.
//
// The format can have other files read: data that are stored there, links that lead there. A result has neither, nor anything else
// that jounce does not write: filters, virtual datasets, links that are only names. It is asked before anything is read.
#define _GNU_SOURCE  // pipe2
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "report/hdf5.h"
#include "report/result_internal.h"

enum { MOST_TEXT = 64 << 20, MOST_LIST = 1 << 20, MOST_ATTRIBUTES = 1000, PATIENCE_S = 20 };

static jn_status broken(const jn_result *r, const char *what, jn_error *err)
{
  if (r->pool.failed) return jn_result_out_of_memory(r, err);
  return jn_fail(err, JN_E_PARSE, (jn_pos){r->file, 0, 0}, what[0] ? what : NULL,
                 "is broken, or is no result of jounce run");
}

// ---- datasets --------------------------------------------------------------------------------------

typedef enum place { PLACE_HERE, PLACE_ELSEWHERE, PLACE_IN_PIECES } place;

// Are its numbers or texts in this file, in one piece, as they are?
static place place_of(hid_t list)
{
  const H5D_layout_t layout = H5Pget_layout(list);
  if (layout == H5D_VIRTUAL || H5Pget_external_count(list) != 0) return PLACE_ELSEWHERE;
  return (layout == H5D_CONTIGUOUS || layout == H5D_COMPACT) && H5Pget_nfilters(list) == 0
             ? PLACE_HERE
             : PLACE_IN_PIECES;
}

static jn_status check_link(const jn_result *r, const char *name, jn_error *err)
{
  H5L_info_t link;
  if (H5Lget_info((hid_t)r->hdf5, name, &link, H5P_DEFAULT) < 0) return broken(r, name, err);
  if (link.type == H5L_TYPE_HARD) return JN_OK;
  return jn_fail(err, JN_E_PARSE, (jn_pos){r->file, 0, 0}, name,
                 "is a link, which might lead to another file: a result of jounce run has none");
}

// On an error there is nothing to close.
static jn_status open_set(const jn_result *r, const char *name, hid_t *set, jn_error *err)
{
  *set = -1;
  jn_status st = check_link(r, name, err);
  if (st) return st;
  *set = H5Dopen((hid_t)r->hdf5, name, H5P_DEFAULT);
  const hid_t list = *set < 0 ? -1 : H5Dget_create_plist(*set);
  if (list < 0) {
    st = broken(r, name, err);
  } else {
    const place is = place_of(list);
    if (is == PLACE_ELSEWHERE)
      st = jn_fail(err, JN_E_PARSE, (jn_pos){r->file, 0, 0}, name,
                   "is stored in another file: a result of jounce run is one file");
    if (is == PLACE_IN_PIECES)
      st =
          jn_fail(err, JN_E_PARSE, (jn_pos){r->file, 0, 0}, name,
                  "is not contiguous, as jounce writes it (h5repack -l CONTI -f NONE makes it so)");
    H5Pclose(list);
  }
  if (st && *set >= 0) H5Dclose(*set);
  if (st) *set = -1;
  return st;
}

// ---- texts -----------------------------------------------------------------------------------------

// `count` texts of fixed length, from a dataset or an attribute.
typedef struct texts {
  char *all;
  size_t count, size;
} texts;

static bool is_fixed_text(hid_t type)
{
  return H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0;
}

static bool take_texts(jn_result *r, hid_t object, bool attribute, texts *out)
{
  const hid_t type = attribute ? H5Aget_type(object) : H5Dget_type(object);
  const hid_t space = attribute ? H5Aget_space(object) : H5Dget_space(object);
  bool good = type >= 0 && space >= 0 && is_fixed_text(type);
  const hssize_t n = good ? H5Sget_simple_extent_npoints(space) : 0;
  const size_t size = good ? H5Tget_size(type) : 0;
  good = n > 0 && n <= MOST_LIST && size > 0 && size <= MOST_TEXT / (size_t)n;
  if (good) {
    out->count = (size_t)n, out->size = size;
    out->all = jn_pool_alloc(&r->pool, out->count, size + 1);
    good = out->all &&
           (attribute ? H5Aread(object, type, out->all)
                      : H5Dread(object, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out->all)) >= 0;
  }
  if (space >= 0) H5Sclose(space);
  if (type >= 0) H5Tclose(type);
  return good;
}

static jn_status take_list(jn_result *r, const char *name, texts *out, jn_error *err)
{
  hid_t set;
  jn_status st = open_set(r, name, &set, err);
  if (st) return st;
  if (!take_texts(r, set, false, out)) st = broken(r, name, err);
  H5Dclose(set);
  return st;
}

static const char *text_at(jn_result *r, const texts *t, size_t i)
{
  const char *from = t->all + i * t->size;
  return jn_pool_text_n(&r->pool, from, strnlen(from, t->size));
}

// ---- what was run ----------------------------------------------------------------------------------

static bool take_value(jn_result *r, hid_t attribute, const char *name)
{
  if (++r->nattribute > MOST_ATTRIBUTES) return false;
  const hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
  const H5T_class_t kind = type >= 0 ? H5Tget_class(type) : H5T_NO_CLASS;
  const bool one = space >= 0 && H5Sget_simple_extent_npoints(space) == 1;
  bool good = true;  // what somebody else has added is left alone
  if (space >= 0) H5Sclose(space);
  if (one && type >= 0 && is_fixed_text(type)) {
    texts t = {0};
    good = take_texts(r, attribute, true, &t) && jn_result_put(r, name, text_at(r, &t, 0), NAN);
  } else if (one && (kind == H5T_FLOAT || kind == H5T_INTEGER)) {
    double x = NAN;
    good = H5Aread(attribute, H5T_NATIVE_DOUBLE, &x) >= 0 && jn_result_put(r, name, NULL, x);
  }
  if (type >= 0) H5Tclose(type);
  return good;
}

static herr_t each_attribute(hid_t file, const char *name, const H5A_info_t *info, void *user)
{
  (void)info;
  const hid_t attribute = H5Aopen(file, name, H5P_DEFAULT);
  const bool good = attribute >= 0 && take_value(user, attribute, name);
  if (attribute >= 0) H5Aclose(attribute);
  return good ? 0 : -1;
}

static jn_status take_head(jn_result *r, jn_error *err)
{
  if (H5Aiterate((hid_t)r->hdf5, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, each_attribute, r) < 0)
    return broken(r, "attributes", err);
  const double format = jn_result_number(r, "jounce_result");
  if (isnan(format))
    return jn_fail(err, JN_E_PARSE, (jn_pos){r->file, 0, 0}, NULL,
                   "is HDF5, but no result of jounce run: it has no attribute \"jounce_result\"");
  if (format != JN_RESULT_FORMAT)
    return jn_fail(err, JN_E_PARSE, (jn_pos){r->file, 0, 0}, "jounce_result",
                   "is %g, this version of jounce reads %d", format, JN_RESULT_FORMAT);
  texts t;
  jn_status st = take_list(r, "model", &t, err);
  if (!st && !(r->model = text_at(r, &t, 0))) st = jn_result_out_of_memory(r, err);
  if (st || H5Lexists((hid_t)r->hdf5, "scenario", H5P_DEFAULT) <= 0) return st;
  st = take_list(r, "scenario", &t, err);
  if (!st && !(r->scenario = text_at(r, &t, 0))) st = jn_result_out_of_memory(r, err);
  return st;
}

static jn_status take_names(jn_result *r, jn_error *err)
{
  texts name, unit, help, body;
  jn_status st = take_list(r, "channel_names", &name, err);
  if (!st) st = take_list(r, "channel_units", &unit, err);
  if (!st && unit.count != name.count) st = broken(r, "channel_units", err);
  if (!st) st = take_list(r, "channel_helps", &help, err);
  if (!st && help.count != name.count) st = broken(r, "channel_helps", err);
  if (!st) st = take_list(r, "body_names", &body, err);
  if (st) return st;
  r->channel = jn_pool_alloc(&r->pool, name.count, sizeof *r->channel);
  r->body = jn_pool_alloc(&r->pool, body.count, sizeof *r->body);
  if (!r->channel || !r->body) return jn_result_out_of_memory(r, err);
  for (size_t i = 0; i < name.count; i++) {
    jn_channel *c = &r->channel[i];
    *c = (jn_channel){text_at(r, &name, i), text_at(r, &unit, i), text_at(r, &help, i), 0};
    if (!c->name || !c->unit || !c->help) return jn_result_out_of_memory(r, err);
  }
  for (size_t i = 0; i < body.count; i++)
    if (!(r->body[i] = text_at(r, &body, i))) return jn_result_out_of_memory(r, err);
  r->nchannel = (int)name.count;
  r->nbody = (int)body.count;
  return JN_OK;
}

// ---- rows ------------------------------------------------------------------------------------------

// A dataset of numbers with these dimensions behind that of rows.
static jn_status open_rows(const jn_result *r, const char *name, int n, const int *size, hid_t *set,
                           int64_t *rows, jn_error *err)
{
  hsize_t dims[4];
  bool good = false;
  const jn_status st = open_set(r, name, set, err);
  if (st) return st;
  const hid_t space = H5Dget_space(*set), type = H5Dget_type(*set);
  if (space >= 0 && type >= 0 && H5Sget_simple_extent_ndims(space) == 1 + n &&
      H5Sget_simple_extent_dims(space, dims, NULL) == 1 + n && H5Tequal(type, H5T_IEEE_F64LE) > 0)
    good = dims[0] > 0 && dims[0] < INT64_MAX;
  for (int i = 0; i < n && good; i++) good = dims[i + 1] == (hsize_t)size[i];
  if (type >= 0) H5Tclose(type);
  if (space >= 0) H5Sclose(space);
  if (good) {
    *rows = (int64_t)dims[0];
    return JN_OK;
  }
  H5Dclose(*set);
  *set = -1;
  return broken(r, name, err);
}

// Time first, because it grows last: what is opened after it is at least as long.
static jn_status take_rows(jn_result *r, jn_error *err)
{
  hid_t time = -1, channels = -1, motion = -1;
  int64_t there = 0, moved = 0;
  jn_status st = open_rows(r, "time", 0, NULL, &time, &r->rows, err);
  if (time >= 0) H5Dclose(time);
  if (!st) st = open_rows(r, "channels", 1, (int[]){r->nchannel}, &channels, &there, err);
  if (!st) st = open_rows(r, "motion", 2, (int[]){r->nbody, 7}, &motion, &moved, err);
  if (channels >= 0) r->channels = channels;
  if (motion >= 0) r->motion = motion;
  if (!st && there < r->rows) st = broken(r, "channels", err);
  if (!st && moved < r->rows) st = broken(r, "motion", err);
  return st;
}

static jn_status read_rows(const jn_result *r, int64_t set, int rank, const hsize_t *start,
                           const hsize_t *stride, const hsize_t *count, double *out, jn_error *err)
{
  const jn_hdf5_quiet quiet = jn_hdf5_quiet_begin();
  const hid_t space = H5Dget_space((hid_t)set), memory = H5Screate_simple(rank, count, NULL);
  const bool good = space >= 0 && memory >= 0 &&
                    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, stride, count, NULL) >= 0 &&
                    H5Dread((hid_t)set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, out) >= 0;
  if (memory >= 0) H5Sclose(memory);
  if (space >= 0) H5Sclose(space);
  jn_hdf5_quiet_end(quiet);
  return good ? JN_OK
              : jn_fail(err, JN_E_FILE, (jn_pos){r->file, 0, 0}, NULL, "rows cannot be read");
}

jn_status jn_result_read_hdf5(jn_result *r, int channel, int64_t first, int64_t stride,
                              int64_t count, double *out, jn_error *err)
{
  return read_rows(r, r->channels, 2, (hsize_t[]){(hsize_t)first, (hsize_t)channel},
                   (hsize_t[]){(hsize_t)stride, 1}, (hsize_t[]){(hsize_t)count, 1}, out, err);
}

jn_status jn_result_read_all_hdf5(jn_result *r, int64_t first, int64_t stride, int64_t count,
                                  double *out, jn_error *err)
{
  return read_rows(r, r->channels, 2, (hsize_t[]){(hsize_t)first, 0},
                   (hsize_t[]){(hsize_t)stride, 1},
                   (hsize_t[]){(hsize_t)count, (hsize_t)r->nchannel}, out, err);
}

jn_status jn_result_motion_hdf5(jn_result *r, int64_t first, int64_t stride, int64_t count,
                                double *out, jn_error *err)
{
  return read_rows(r, r->motion, 3, (hsize_t[]){(hsize_t)first, 0, 0},
                   (hsize_t[]){(hsize_t)stride, 1, 1},
                   (hsize_t[]){(hsize_t)count, (hsize_t)r->nbody, 7}, out, err);
}

// ---- the file --------------------------------------------------------------------------------------

static jn_status open_file(jn_result *r, int in, jn_error *err)
{
  const hid_t file = jn_hdf5_begin(in, JN_HDF5_READ);
  if (file < 0 && errno == ENOMEM) return jn_result_out_of_memory(r, err);
  if (file < 0 && errno)
    return jn_fail(err, JN_E_FILE, (jn_pos){r->file, 0, 0}, NULL, "cannot be read: %s",
                   strerror(errno));
  if (file < 0) return broken(r, "", err);
  r->hdf5 = file;
  jn_status st = take_head(r, err);
  if (!st) st = take_names(r, err);
  if (!st) st = take_rows(r, err);
  return st;
}

void jn_result_close_hdf5(jn_result *r)
{
  const jn_hdf5_quiet quiet = jn_hdf5_quiet_begin();
  if (r->channels) H5Dclose((hid_t)r->channels);
  if (r->motion) H5Dclose((hid_t)r->motion);
  (void)jn_hdf5_end((hid_t)r->hdf5);
  r->hdf5 = r->channels = r->motion = 0;
  jn_hdf5_quiet_end(quiet);
}

// ---- whether it can be opened ------------------------------------------------------------------------

static void try_it(const char *name, int in, jn_error *err)
{
  jn_result r = {.file = (char *)name};
  jn_status st = open_file(&r, in, err);
  double *row = st ? NULL : calloc((size_t)r.nchannel + 7 * (size_t)r.nbody, sizeof *row);
  if (!st && !row) st = jn_result_out_of_memory(&r, err);
  if (!st) st = jn_result_read_hdf5(&r, 0, r.rows - 1, 1, 1, row, err);
  if (!st) (void)jn_result_motion_hdf5(&r, r.rows - 1, 1, 1, row, err);
  if (r.hdf5) jn_result_close_hdf5(&r);
}

static bool read_answer(int from, jn_error *answer)
{
  size_t n = 0;
  for (ssize_t got = 1; got && n < sizeof *answer;) {
    got = read(from, (char *)answer + n, sizeof *answer - n);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return false;
    n += (size_t)got;
  }
  return n == sizeof *answer;
}

// What the child finds wrong, if anything, it writes to a pipe; of one that dies or hangs nothing is heard.
static jn_status check_by_child(const jn_result *r, int in, jn_error *err)
{
  int ends[2] = {-1, -1};
  jn_error answer = {0};
  const pid_t child = pipe2(ends, O_CLOEXEC) ? -1 : fork();
  const int why = errno;
  if (child == 0) {
    const int null = open("/dev/null", O_WRONLY);
    dup2(null, STDERR_FILENO);
    for (int i = 1; i < NSIG; i++) signal(i, SIG_DFL);  // it may die whatever the caller catches
    alarm(PATIENCE_S);
    try_it(r->file, in, &answer);
    _exit(write(ends[1], &answer, sizeof answer) != sizeof answer);
  }
  if (ends[1] >= 0) close(ends[1]);
  const bool heard = child > 0 && read_answer(ends[0], &answer);
  if (ends[0] >= 0) close(ends[0]);
  while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR) continue;
  if (child < 0)
    return jn_fail(err, JN_E_FILE, (jn_pos){r->file, 0, 0}, NULL,
                   "cannot be checked by a process of its own: %s", strerror(why));
  if (!heard) return broken(r, "", err);
  if (answer.code && err) *err = answer;
  return answer.code;
}

jn_status jn_result_open_hdf5(jn_result *r, int in, jn_error *err)
{
  const jn_hdf5_quiet quiet = jn_hdf5_quiet_begin();
  jn_status st = check_by_child(r, in, err);
  if (!st) st = open_file(r, in, err);
  jn_hdf5_quiet_end(quiet);
  return st;
}
