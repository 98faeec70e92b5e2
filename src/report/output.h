// output.h: a file that is written whole or not at all.
#ifndef JN_REPORT_OUTPUT_H
#define JN_REPORT_OUTPUT_H

#include <stdio.h>

#include "base/error.h"

// Makes the file, "-" for standard output, and lets `put` write it. What was begun is removed if it cannot be finished. `what` it
// is stands in messages: "report".
typedef jn_status (*jn_output_put)(FILE *out, void *user, jn_error *err);
jn_status jn_output(const char *file, const char *what, jn_output_put put, void *user,
                    jn_error *err);

#endif
