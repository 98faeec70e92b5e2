// output.h: files that are written whole, or not at all.
#ifndef JN_REPORT_OUTPUT_H
#define JN_REPORT_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/error.h"
#include "jounce/report.h"
#include "spec/spec_internal.h"

// ---- a file that gets its name when it is whole -----------------------------------------------------

// All that is written goes through `file`. Until it is named, the file is in no folder, or under a name that nobody else has.
typedef struct jn_new_file {
  int file;    // descriptor; meaningless without `folder`
  char *name;  // NULL: none, on a file system where files must have one this is .jounce-...
  char *folder;
  bool named;  // by jn_output_name
} jn_new_file;

// In the folder of `file`, with the rights of what has that name now. false: errno says why, as for all of these.
bool jn_output_open(jn_new_file *o, const char *file);

bool jn_output_write(const jn_new_file *o, const void *data, size_t n, int64_t at);

// What was written is on the disc; then the file has this name, in place of whatever had it, and of its own before. A link
// is replaced, not followed.
bool jn_output_name(jn_new_file *o, const char *name);

// The same for a file that has a name, which goes to what had the new one. Where a file system cannot do that, and where nothing had
// it, as above.
bool jn_output_swap(jn_new_file *o, const char *name);

// A file without a name is gone then. `discard`: one with a name too.
void jn_output_close(jn_new_file *o, bool discard);

// ---- names ------------------------------------------------------------------------------------------

// An error if what is written to `file` would be written over one of those that it is made from.
jn_status jn_output_check(const char *file, const char *what, const jn_file_list *inputs,
                          jn_error *err);

// Are two names of files those of one, whether it is there or not?
bool jn_is_same_file(const char *a, const char *b);

// A file that standard output or errors go to, by whatever name: one in its place would take what was written.
bool jn_is_standard(const char *file);

#endif
