// hdf5_file.c: a file that is open, for the HDF5 library: it reads and writes through the descriptor that we hold, whatever name
// the file has, or none, and takes no locks.
//
// The library never lets go of a file that it cannot write, and crashes at the end of the program over one that a limit of file
// sizes has cut. So a write that fails is remembered here and reported to the library as done; whoever closes the file asks.
#define _GNU_SOURCE  // pread, pwrite
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/hdf5.h"
#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

typedef struct held {
  H5FD_t public;  // the library's own, first
  int file;
  haddr_t end;  // of what it has given to its objects
} held;

// errno of what failed here while the file was opened; of the first write that failed since then
static _Thread_local int open_error, write_error;

static H5FD_t *held_open(const char *name, unsigned flags, hid_t access, haddr_t most)
{
  (void)name, (void)most;
  const int *file = H5Pget_driver_info(access);
  held *h = file ? calloc(1, sizeof *h) : NULL;
  if (!h) {
    open_error = ENOMEM;
    return NULL;
  }
  h->file =
      fcntl(*file, F_DUPFD_CLOEXEC, 0);  // the caller's may be closed before the library lets go
  if (h->file >= 0 && (!(flags & H5F_ACC_TRUNC) || !ftruncate(h->file, 0))) return &h->public;
  open_error = errno;
  if (h->file >= 0) close(h->file);
  free(h);
  return NULL;
}

static herr_t held_close(H5FD_t *f)
{
  held *h = (held *)f;
  close(h->file);
  free(h);
  return 0;
}

static herr_t held_query(const H5FD_t *f, unsigned long *flags)
{
  (void)f;
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
           H5FD_FEAT_AGGREGATE_SMALLDATA;
  return 0;
}

static haddr_t held_get_eoa(const H5FD_t *f, H5FD_mem_t type)
{
  (void)type;
  return ((const held *)f)->end;
}

static herr_t held_set_eoa(H5FD_t *f, H5FD_mem_t type, haddr_t end)
{
  (void)type;
  ((held *)f)->end = end;
  return 0;
}

static haddr_t held_get_eof(const H5FD_t *f, H5FD_mem_t type)
{
  struct stat is;
  (void)type;
  return fstat(((const held *)f)->file, &is) ? HADDR_UNDEF : (haddr_t)is.st_size;
}

// Behind the end of the file there are zeros.
static herr_t held_read(H5FD_t *f, H5FD_mem_t type, hid_t transfer, haddr_t at, size_t n,
                        void *data)
{
  (void)type, (void)transfer;
  for (char *to = data; n > 0;) {
    const ssize_t got = pread(((held *)f)->file, to, n, (off_t)at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) {
      memset(to, 0, n);
      break;
    }
    to += got, at += (haddr_t)got, n -= (size_t)got;
  }
  return 0;
}

static herr_t held_write(H5FD_t *f, H5FD_mem_t type, hid_t transfer, haddr_t at, size_t n,
                         const void *data)
{
  (void)type, (void)transfer;
  const jn_new_file out = {.file = ((held *)f)->file};
  if (!write_error && !jn_output_write(&out, data, n, (int64_t)at)) write_error = errno;
  return 0;
}

static herr_t held_truncate(H5FD_t *f, hid_t transfer, hbool_t closing)
{
  (void)transfer, (void)closing;
  const held *h = (const held *)f;
  if (!write_error && held_get_eof(f, H5FD_MEM_DEFAULT) != h->end &&
      ftruncate(h->file, (off_t)h->end))
    write_error = errno;
  return 0;
}

static const H5FD_class_t held_class = {
#ifdef H5FD_CLASS_VERSION
    .version = H5FD_CLASS_VERSION,
    .value = 513,  // of those that no library of drivers has taken
#endif
    .name = "jounce_held",
    .maxaddr = INT64_MAX,
    .fc_degree = H5F_CLOSE_STRONG,
    .fapl_size = sizeof(int),
    .open = held_open,
    .close = held_close,
    .query = held_query,
    .get_eoa = held_get_eoa,
    .set_eoa = held_set_eoa,
    .get_eof = held_get_eof,
    .read = held_read,
    .write = held_write,
    .truncate = held_truncate,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

// In the oldest format, whose headers have no checksum; all in places of eight bytes, so that a number is not
// on two pages, of which one might be written without the other.
static hid_t access_list(int file)
{
  static hid_t driver = H5I_INVALID_HID;
  if (H5Iis_valid(driver) <= 0) driver = H5FDregister(&held_class);
  const hid_t list = H5Pcreate(H5P_FILE_ACCESS);
  if (H5Pset_driver(list, driver, &file) >= 0 &&
      H5Pset_libver_bounds(list, H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST) >= 0 &&
      H5Pset_alignment(list, 1, 8) >= 0)
    return list;
  if (list >= 0) H5Pclose(list);
  return H5I_INVALID_HID;
}

hid_t jn_hdf5_begin(int file, jn_hdf5_use use)
{
  const hid_t list = access_list(file);
  open_error = write_error = 0;
  if (list < 0) return H5I_INVALID_HID;
  const hid_t h =
      use == JN_HDF5_NEW
          ? H5Fcreate("held", H5F_ACC_TRUNC, H5P_DEFAULT, list)
          : H5Fopen("held", use == JN_HDF5_CHANGE ? H5F_ACC_RDWR : H5F_ACC_RDONLY, list);
  H5Pclose(list);
  if (h < 0) errno = open_error;
  return h;
}

bool jn_hdf5_end(hid_t file)
{
  const bool good = H5Fclose(file) >= 0 && !write_error;
  if (write_error) errno = write_error;
  return good;
}
