// record_hdf5.c: rows in HDF5, such that the file is whole at every instant.
//
// HDF5 changes several places of a file when a dataset grows, and a program that dies between two of these
// changes leaves a file that no longer opens. So the library is not asked to let anything grow. It makes the
// whole file before the first row, with room for all rows that are to come, as contiguous datasets;
// the room that no row has yet is a hole, which takes no place on the disc. From then on rows are written to
// where the library says that they are (H5Dget_offset), and shown by one write of eight bytes: the number
// of rows in the header of a dataset. Before it the file has the old rows, after it the new ones, and
// there is nothing between. docs/results.md describes it from the reader's side.
#include <endian.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "plan/system.h"
#include "report/hdf5.h"
#include "report/record.h"
#include "spec/scenario_internal.h"

static const double MOST_BYTES = 1e12;                           // of one file
static const int64_t BUFFER_BYTES = 256 * 1024;                  // of rows that wait to be written
enum { OUTCOME_ROOM = 16, ERROR_ROOM = 400, TEXT_ROOM = 1024 };  // of attributes [bytes]

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "rows are written as they are in memory");

static const char *const set_name[JN_HDF5_SETS] = {"motion", "channels", "time"};

// ---- what is written once -----------------------------------------------------------------------------

// Fixed length, UTF-8, closed by a zero: what every reader understands.
static hid_t text_type(size_t length)
{
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, length + 1);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

// A new one, or another value of one that is there.
static bool put_attribute(hid_t object, const char *name, hid_t type, const void *value)
{
  const hid_t space = H5Screate(H5S_SCALAR);
  const hid_t attribute = H5Aexists(object, name) > 0
                              ? H5Aopen(object, name, H5P_DEFAULT)
                              : H5Acreate(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  const bool good = attribute >= 0 && H5Awrite(attribute, type, value) >= 0;
  if (attribute >= 0) H5Aclose(attribute);
  H5Sclose(space);
  return good;
}

// `length`, or less so that a character of UTF-8 is not cut.
static size_t cut(const char *text, size_t length)
{
  const size_t all = strlen(text);
  if (all <= length) return all;
  while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80) length--;
  return length;
}

// With room for `room` bytes, so that another text may take its place; 0: for this one. HDF5 takes no more
// than 64 KB; who writes longer names finds them in the model.
static bool put_text(hid_t object, const char *name, const char *text, size_t room)
{
  char padded[TEXT_ROOM + 1] = {0};
  if (!text) return true;
  const size_t length = cut(text, room ? room : TEXT_ROOM);
  memcpy(padded, text, length);
  const hid_t type = text_type(room ? room : length);
  const bool good = put_attribute(object, name, type, padded);
  H5Tclose(type);
  return good;
}

static bool put_number(hid_t object, const char *name, double x)
{
  return put_attribute(object, name, H5T_NATIVE_DOUBLE, &x);
}

static bool put_integer(hid_t object, const char *name, int64_t x)
{
  return put_attribute(object, name, H5T_NATIVE_INT64, &x);
}

static bool put_dataset(hid_t file, const char *name, hid_t type, hid_t space, const void *value)
{
  const hid_t set = H5Dcreate(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  const bool good = set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) >= 0;
  if (set >= 0) H5Dclose(set);
  return good;
}

static bool put_document(hid_t file, const char *name, const char *text)
{
  const hid_t type = text_type(strlen(text)), space = H5Screate(H5S_SCALAR);
  const bool good = put_dataset(file, name, type, space, text);
  H5Sclose(space);
  H5Tclose(type);
  return good;
}

static bool put_list(hid_t file, const char *name, const char *const *text, int n)
{
  const size_t count = (size_t)n;
  size_t longest = 0;
  for (int i = 0; i < n; i++)
    if (strlen(text[i]) > longest) longest = strlen(text[i]);
  char *all = calloc(count, longest + 1);
  if (!all) return false;
  for (int i = 0; i < n; i++) memcpy(all + (size_t)i * (longest + 1), text[i], strlen(text[i]));
  const hid_t type = text_type(longest), space = H5Screate_simple(1, (hsize_t[]){count}, NULL);
  const bool good = put_dataset(file, name, type, space, all);
  H5Sclose(space);
  H5Tclose(type);
  free(all);
  return good;
}

static bool put_lists(hid_t file, const jn_run_result *r)
{
  jn_pool pool = {0};
  const int n = r->nchannel, nbody = jn_body_count(r->system);
  const char **name = jn_pool_alloc(&pool, (size_t)n, sizeof *name),
             **unit = jn_pool_alloc(&pool, (size_t)n, sizeof *unit),
             **help = jn_pool_alloc(&pool, (size_t)n, sizeof *help),
             **body = jn_pool_alloc(&pool, (size_t)nbody, sizeof *body);
  for (int i = 0; i < n && !pool.failed; i++) {
    const jn_channel c = jn_channel_at(r->system, r->channel[i]);
    name[i] = c.name, unit[i] = c.unit, help[i] = c.help;
  }
  for (int i = 0; i < nbody && !pool.failed; i++) body[i] = jn_body_name(r->system, i);
  const bool good = !pool.failed && put_list(file, "channel_names", name, n) &&
                    put_list(file, "channel_units", unit, n) &&
                    put_list(file, "channel_helps", help, n) &&
                    put_list(file, "body_names", body, nbody);
  jn_pool_free(&pool);
  return good;
}

static bool put_documents(hid_t file, const jn_system *s)
{
  char *model = NULL, *scenario = NULL;
  bool good = !jn_spec_print(s->model->spec, &model, NULL, NULL);
  if (good && s->binding.scenario)
    good = !jn_scenario_print(s->binding.scenario, &scenario, NULL, NULL);
  if (good) good = put_document(file, "model", model);
  if (good && scenario) good = put_document(file, "scenario", scenario);
  free(model);
  free(scenario);
  return good;
}

static bool put_head(hid_t file, const jn_run_result *r, time_t time)
{
  const jn_system *s = r->system;
  char created[32];
  struct tm utc;
  strftime(created, sizeof created, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&time, &utc));
  return put_integer(file, "jounce_result", JN_RESULT_FORMAT) &&
         put_text(file, "jounce", jn_version(), 0) && put_text(file, "created", created, 0) &&
         put_text(file, "model", r->model, 0) && put_text(file, "scenario", r->scenario, 0) &&
         put_text(file, "model_file", s->model->spec->pos.file, 0) &&
         put_text(file, "scenario_file", s->binding.scenario ? s->binding.scenario->pos.file : NULL,
                  0) &&
         put_text(file, "formulation", jn_sim_word_of("formulation", (int)r->solver.formulation),
                  0) &&
         put_text(file, "integrator", jn_sim_word_of("integrator", (int)r->solver.integrator), 0) &&
         put_text(file, "stabilize", jn_sim_word_of("stabilize", (int)r->solver.stabilize), 0) &&
         put_number(file, "step", r->solver.step) && put_number(file, "end", r->end);
}

// ---- what is known at the end -------------------------------------------------------------------------

const char *jn_outcome_word(jn_run_outcome outcome)
{
  static const char *const word[] = {"done", "stopped", "interrupted", "failed", "unrecorded"};
  return word[outcome];
}

// The same list makes the attributes, before the run, and fills them after it, when the header of the
// file has its final size: so even this changes no place but the values themselves.
static bool put_statistics(hid_t file, const jn_run_result *r, bool ended)
{
  return put_text(file, "outcome", ended ? jn_outcome_word(r->outcome) : "running", OUTCOME_ROOM) &&
         put_text(file, "error", ended ? r->error : "", ERROR_ROOM) &&
         put_text(file, "doubt", ended ? r->doubt : "", ERROR_ROOM) &&
         put_integer(file, "steps", ended ? r->steps : 0) &&
         put_integer(file, "events", ended ? r->stats.events : 0) &&
         put_number(file, "wall_time", ended ? r->wall_time : NAN) &&
         put_number(file, "realtime_factor", ended ? r->realtime_factor : NAN) &&
         put_number(file, "us_mean", ended ? r->us_mean : NAN) &&
         put_number(file, "us_median", ended ? r->us_median : NAN) &&
         put_number(file, "us_p99", ended ? r->us_p99 : NAN) &&
         put_number(file, "us_max", ended ? r->us_max : NAN) &&
         put_number(file, "max_position_norm", ended ? r->stats.position_norm : NAN) &&
         put_number(file, "max_velocity_norm", ended ? r->stats.velocity_norm : NAN) &&
         put_number(file, "energy_drift", ended ? r->stats.energy_drift : NAN) &&
         put_number(file, "energy_in_play", ended ? r->stats.energy_in_play : NAN) &&
         put_number(file, "path_difference", ended ? r->stats.path_difference : NAN);
}

// ---- the file ------------------------------------------------------------------------------------------

// A dataset with room for all rows. Returns where its first row and its header are.
static bool put_rows(hid_t file, int k, jn_hdf5 *h, haddr_t *header)
{
  jn_hdf5_set *set = &h->set[k];
  const hsize_t size[3] = {(hsize_t)h->room, (hsize_t)set->n[0], (hsize_t)set->n[1]};
  const hid_t space = H5Screate_simple(1 + (set->n[0] > 0) + (set->n[1] > 0), size, NULL);
  const hid_t list = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_layout(list, H5D_CONTIGUOUS);
  H5Pset_alloc_time(list, H5D_ALLOC_TIME_EARLY);
  H5Pset_fill_time(list, H5D_FILL_TIME_NEVER);
  H5Pset_obj_track_times(list, false);
  const hid_t data =
      H5Dcreate(file, set_name[k], H5T_IEEE_F64LE, space, H5P_DEFAULT, list, H5P_DEFAULT);
  H5O_info_t info;
  bool good = data >= 0 && H5Oget_info(data, &info) >= 0;
  const haddr_t at = good ? H5Dget_offset(data) : HADDR_UNDEF;
  good = good && at != HADDR_UNDEF;
  set->at = (int64_t)at;
  if (good) *header = info.addr;
  if (good && k == JN_HDF5_TIME) good = put_text(data, "unit", "s", 0);
  if (good && k == JN_HDF5_MOTION)
    good = put_text(data, "columns", "x y z qw qx qy qz", 0) &&
           put_text(data, "help",
                    "centre of gravity [m], rotation from the design position; world axes", 0);
  if (data >= 0) H5Dclose(data);
  H5Pclose(list);
  H5Sclose(space);
  return good;
}

// Place of the number of rows: the first dimension in the dataspace message of a version 1 object header
// [HDF5, IV.A.1.a, IV.A.2.b]. -1: it is not there.
static int64_t find_extent(int file, haddr_t header, int64_t rows)
{
  enum { HEAD = 16, MESSAGE = 8, DATASPACE = 1, DIMENSIONS = 8 };
  unsigned char bytes[512];
  const ssize_t n = pread(file, bytes, sizeof bytes, (off_t)header);
  if (n < HEAD || bytes[0] != 1) return -1;
  for (ssize_t at = HEAD; at + MESSAGE + DIMENSIONS + 8 <= n;) {
    const int type = bytes[at] | bytes[at + 1] << 8, size = bytes[at + 2] | bytes[at + 3] << 8;
    uint64_t first;
    if (type != DATASPACE) {
      at += MESSAGE + size;
      continue;
    }
    memcpy(&first, bytes + at + MESSAGE + DIMENSIONS, sizeof first);
    const int64_t place = (int64_t)header + at + MESSAGE + DIMENSIONS;
    return le64toh(first) == (uint64_t)rows && place % 8 == 0 ? place : -1;
  }
  return -1;
}

// All but rows, for which there is room.
static bool put_all(hid_t file, jn_hdf5 *h, const jn_run_result *r, haddr_t header[JN_HDF5_SETS])
{
  bool good = put_head(file, r, h->created) && put_statistics(file, r, false) &&
              put_documents(file, r->system) && put_lists(file, r);
  for (int k = 0; k < JN_HDF5_SETS && good; k++) good = put_rows(file, k, h, &header[k]);
  return good;
}

static bool make_file(jn_hdf5 *h, const jn_run_result *r)
{
  haddr_t header[JN_HDF5_SETS];
  const hid_t file = jn_hdf5_begin(h->out.file, JN_HDF5_NEW);
  if (file < 0) return false;
  const bool good = put_all(file, h, r, header);
  if (!jn_hdf5_end(file) || !good) return false;
  for (int k = 0; k < JN_HDF5_SETS; k++) {
    h->set[k].extent = find_extent(h->out.file, header[k], h->room);
    if (h->set[k].extent >= 0) continue;
    errno = ENOTSUP;  // a library with headers of its own kind
    return false;
  }
  return true;
}

// Time last, whose length is the number of rows.
bool jn_hdf5_show(jn_hdf5 *h, int64_t rows)
{
  const uint64_t n = htole64((uint64_t)rows);
  bool good = true;
  for (int k = 0; k < JN_HDF5_SETS && good; k++)
    good = jn_output_write(&h->out, &n, sizeof n, h->set[k].extent);
  if (good) h->rows = rows;
  return good;
}

// What was held is written, then shown.
bool jn_hdf5_flush(jn_hdf5 *h, bool to_disc)
{
  const int held = h->held;
  bool good = true;
  h->held = 0;
  if (!held) return true;
  for (int k = 0; k < JN_HDF5_SETS && good; k++) {
    const size_t size = (size_t)h->set[k].width * sizeof(double);
    good = jn_output_write(&h->out, h->set[k].buffer, (size_t)held * size,
                           h->set[k].at + h->rows * (int64_t)size);
  }
  if (good && to_disc) good = !fdatasync(h->out.file);
  return good && jn_hdf5_show(h, h->rows + held);
}

static void hold_row(jn_hdf5 *h, const double *value, const double *motion)
{
  const double *const from[JN_HDF5_SETS] = {motion, value, value};  // time is the first channel
  for (int k = 0; k < JN_HDF5_SETS; k++)
    memcpy(h->set[k].buffer + h->held * h->set[k].width, from[k],
           (size_t)h->set[k].width * sizeof(double));
  h->held++;
}

// ---- the recorder --------------------------------------------------------------------------------------

static int64_t numbers_of_row(const jn_run_result *r)
{
  return 1 + r->nchannel + 7 * jn_body_count(r->system);
}

jn_status jn_hdf5_check(const char *name, const jn_run_result *r, int64_t rows, jn_error *err)
{
  const int64_t width = numbers_of_row(r);
  if ((double)rows * (double)width * sizeof(double) <= MOST_BYTES) return JN_OK;
  return jn_fail(err, JN_E_LIMIT, (jn_pos){name, 0, 0}, NULL,
                 "%.3g rows of %lld numbers are more than 1 TB: take rows less often (--every), "
                 "or CSV alone (--format csv)",
                 (double)rows, (long long)width);
}

static bool set_up(jn_hdf5 *h, const jn_run_result *r, int64_t rows)
{
  const int64_t fit = BUFFER_BYTES / (numbers_of_row(r) * (int64_t)sizeof(double)) + 1;
  h->room = rows;
  h->most = (int)(fit < rows ? fit : rows);
  h->created = time(NULL);
  h->set[JN_HDF5_MOTION].n[0] = jn_body_count(r->system), h->set[JN_HDF5_MOTION].n[1] = 7;
  h->set[JN_HDF5_CHANNELS].n[0] = r->nchannel;
  for (int k = 0; k < JN_HDF5_SETS; k++) {
    jn_hdf5_set *set = &h->set[k];
    set->width = (set->n[0] ? set->n[0] : 1) * (set->n[1] ? set->n[1] : 1);
    set->buffer = malloc((size_t)(h->most * set->width) * sizeof(double));
    if (!set->buffer) return false;
  }
  return true;
}

bool jn_hdf5_open(jn_hdf5 *h, const char *name, const jn_run_result *r, int64_t rows,
                  const double *motion)
{
  if (!set_up(h, r, rows)) {
    errno = ENOMEM;
    return false;
  }
  const jn_hdf5_quiet quiet = jn_hdf5_quiet_begin();
  errno = 0;
  h->open = jn_output_open(&h->out, name) && make_file(h, r);
  if (h->open) hold_row(h, r->last, motion);
  h->open = h->open && jn_hdf5_flush(h, false);
  jn_hdf5_quiet_end(quiet);
  return h->open;
}

bool jn_hdf5_has_room(const jn_hdf5 *h)
{
  return h->held < h->most;
}

bool jn_hdf5_row(jn_hdf5 *h, const double *value, const double *motion)
{
  if (h->rows + h->held == h->room) {
    errno = EFBIG;  // more rows than were announced
    return false;
  }
  hold_row(h, value, motion);
  return true;
}

static bool set_statistics(const jn_new_file *out, const jn_run_result *r)
{
  const hid_t file = jn_hdf5_begin(out->file, JN_HDF5_CHANGE);
  if (file < 0) return false;
  const bool good = put_statistics(file, r, true);
  return jn_hdf5_end(file) && good;
}

static bool copy_bytes(const jn_new_file *from, int64_t at, const jn_new_file *to, int64_t there,
                       int64_t n)
{
  char bytes[1 << 16];
  while (n > 0) {
    const size_t want = n < (int64_t)sizeof bytes ? (size_t)n : sizeof bytes;
    const ssize_t got = pread(from->file, bytes, want, (off_t)at);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0 || !jn_output_write(to, bytes, (size_t)got, there)) return false;
    at += got, there += got, n -= got;
  }
  return true;
}

// A run that ended early leaves room that no row will take: the file is made again without, and takes the
// old one's place in one instant.
static bool shrink(jn_hdf5 *h, const jn_run_result *r)
{
  jn_hdf5 fit = *h;
  fit.room = h->rows;
  if (!jn_output_open(&fit.out, h->out.name)) return false;
  bool good = make_file(&fit, r);
  for (int k = 0; k < JN_HDF5_SETS && good; k++)
    good = copy_bytes(&h->out, h->set[k].at, &fit.out, fit.set[k].at,
                      h->rows * h->set[k].width * (int64_t)sizeof(double));
  good = good && set_statistics(&fit.out, r) && jn_output_name(&fit.out, h->out.name);
  jn_output_close(good ? &h->out : &fit.out, !good);
  if (good) *h = fit;
  return good;
}

bool jn_hdf5_finish(jn_hdf5 *h, const jn_run_result *r)
{
  jn_hdf5_quiet quiet = jn_hdf5_quiet_begin();
  errno = 0;
  const bool rows = jn_hdf5_flush(h, false);
  const bool good = (h->rows < h->room && shrink(h, r)) || set_statistics(&h->out, r);
  jn_hdf5_quiet_end(quiet);
  return rows && good;
}

void jn_hdf5_close(jn_hdf5 *h, bool discard)
{
  jn_output_close(&h->out, discard);
  for (int k = 0; k < JN_HDF5_SETS; k++) free(h->set[k].buffer);
  memset(h, 0, sizeof *h);
}
