// plain_file.h: files that are read.
#ifndef JN_REPORT_PLAIN_FILE_H
#define JN_REPORT_PLAIN_FILE_H

#include "base/error.h"

// Opens a file and nothing else: a pipe would be waited for, and opening a device may do something. *in is a descriptor.
jn_status jn_plain_open(const char *file, int *in, jn_error *err);

#endif
