// spec.h: the editable description of a model, read from files.
//
// Libraries: jn_spec_load, jn_spec_parse and jn_spec_reads are in libjounce-offline, the rest in libjounce.
#ifndef JOUNCE_SPEC_H
#define JOUNCE_SPEC_H

#include "jounce/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct jn_spec jn_spec;

// Read a model file with what it includes, then apply `nset` overrides "path=value", such as
// "bodies.chassis.mass=1500", in the units of the file that has the value. On success the caller owns *out and returns
// it with jn_spec_free(). Every error names its position.
JN_API jn_status jn_spec_load(const char *file, const char *const *set, int nset, jn_spec **out,
                              jn_error *err);

// The same from memory; `name` stands for the file in messages, and includes are looked for beside
// it.
JN_API jn_status jn_spec_parse(const char *text, unsigned long length, const char *name,
                               const char *const *set, int nset, jn_spec **out, jn_error *err);

// The whole description as one model file without includes, in SI units and ISO axes. The caller
// returns *text with free(). Reading it again gives the same text.
JN_API jn_status jn_spec_print(const jn_spec *spec, char **text, unsigned long *length,
                               jn_error *err);

// Is it, by whatever name, one of the files that the description was read from, or one that it names: the model's, those that it
// includes, tyre property files, plug-ins?
JN_API int jn_spec_reads(const jn_spec *spec, const char *file);

JN_API void jn_spec_free(jn_spec *spec);  // NULL is allowed

#ifdef __cplusplus
}
#endif

#endif
