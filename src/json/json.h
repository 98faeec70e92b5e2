// json.h: JSON documents (libjansson) that are whole or not there. Where memory does not suffice for a value it is NULL, so is what
// it is put into, and so on up to the document: whoever makes one asks nothing on the way, jn_json_write asks once at its end.
// json_pack does the same with what it is given as "o".
#ifndef JN_JSON_JSON_H
#define JN_JSON_JSON_H

#include <jansson.h>
#include <stdio.h>

#include "base/error.h"

json_t *jn_json_number(double x);        // null if not finite
json_t *jn_json_count(int n);            // null if below zero: not known
json_t *jn_json_text(const char *text);  // bytes that are no UTF-8 as U+FFFD; NULL: null

// These take the value over. *object and *array become NULL where memory does not suffice, and may be.
void jn_json_put(json_t **object, const char *key, json_t *value);
void jn_json_add(json_t **array, json_t *value);
void jn_json_add_first(json_t **array, json_t *value);

// Writes a document, numbers with so many digits, and frees it.
jn_status jn_json_write(json_t *document, int digits, FILE *out, jn_error *err);

#endif
