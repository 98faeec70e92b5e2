#include "json/json.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

json_t *jn_json_number(double x)
{
  return isfinite(x) ? json_real(x) : json_null();
}

json_t *jn_json_count(int n)
{
  return n >= 0 ? json_integer(n) : json_null();
}

json_t *jn_json_text(const char *text)
{
  if (!text) return json_null();
  const size_t length = strlen(text);
  char *good = malloc(3 * length + 1), *to = good;
  if (!good) return NULL;
  for (size_t i = 0; i < length;) {
    unsigned code;
    const size_t n = jn_utf8_next((const unsigned char *)text + i, length - i, &code);
    memcpy(to, n ? text + i : "\xef\xbf\xbd", n ? n : 3);
    to += n ? n : 3;
    i += n ? n : 1;
  }
  json_t *o = json_stringn(good, (size_t)(to - good));
  free(good);
  return o;
}

static void keep_if(bool whole, json_t **document)
{
  if (whole) return;
  json_decref(*document);
  *document = NULL;
}

void jn_json_put(json_t **object, const char *key, json_t *value)
{
  keep_if(!json_object_set_new(*object, key, value), object);
}

void jn_json_add(json_t **array, json_t *value)
{
  keep_if(!json_array_append_new(*array, value), array);
}

void jn_json_add_first(json_t **array, json_t *value)
{
  keep_if(!json_array_insert_new(*array, 0, value), array);
}

// As text first: writing it may need memory too, and half a document is none. Into room of its length, because the library leaves out
// keys where memory does not suffice to let a text grow.
static char *text_of(const json_t *document, size_t flags, size_t *length)
{
  *length = json_dumpb(document, NULL, 0, flags);
  char *text = *length ? malloc(*length) : NULL;
  if (text && json_dumpb(document, text, *length, flags) == *length) return text;
  free(text);
  return NULL;
}

jn_status jn_json_write(json_t *document, int digits, FILE *out, jn_error *err)
{
  size_t length;
  char *text = text_of(document, JSON_INDENT(2) | JSON_REAL_PRECISION((size_t)digits), &length);
  json_decref(document);
  if (!text) return jn_no_memory(err, JN_NOWHERE);
  fwrite(text, 1, length, out);
  fputc('\n', out);
  free(text);
  if (ferror(out))
    return jn_fail(err, JN_E_FILE, JN_NOWHERE, NULL, "the JSON output cannot be written");
  return JN_OK;
}
