// report_result.h: the parts of a report. Its data is a row of blocks in base64, behind which a JSON object says where
// they are (web/src/data.ts reads both).
#ifndef JN_REPORT_REPORT_PAGE_H
#define JN_REPORT_REPORT_PAGE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "jounce/report.h"
#include "json/json.h"
#include "report/output.h"
#include "spec/spec_internal.h"

// The page as web/ makes it, with a comment where the result belongs.
extern const char jn_page_template[] __attribute__((visibility("hidden")));
extern const char jn_page_template_end[] __attribute__((visibility("hidden")));

// ---- blocks ------------------------------------------------------------------------------------------

typedef struct jn_blocks {
  FILE *out;
  int64_t used;  // bytes so far, before they are encoded
} jn_blocks;

// Appends a block and fills it up to a multiple of 12 bytes. Such a block can be decoded alone, and begins where
// numbers of 4 bytes may. Returns its offset.
int64_t jn_blocks_put(jn_blocks *b, const void *bytes, size_t n);

// ---- what it says --------------------------------------------------------------------------------

// The object that a page is made of, as the element #about. NULL: memory is exhausted.
jn_status jn_page_about(FILE *out, const json_t *about, jn_error *err);

// Writes a page: the template, with what `put` writes in its place.
jn_status jn_page_file(const char *file, jn_file_put put, void *user, jn_error *err);

// What there is to draw: bodies, joints, links, wheels.
json_t *jn_page_scene(const jn_spec *spec);

// What was run and how it went: {title: {name: value}}. The spec may be NULL.
json_t *jn_page_facts(const jn_result *result, const jn_spec *spec);

#endif
