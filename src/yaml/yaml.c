#include "yaml/yaml.h"

#include <errno.h>
#include <libfyaml.h>
#include <stdlib.h>
#include <string.h>

#include "yaml/grammar.h"
#include "yaml/yaml_filter.h"

typedef struct builder {
  const char *text;
  size_t length;
  const jn_source *source;
  jn_pool *pool;
  jn_spent *spent;
  jn_error *err;
  jn_node *root;
  jn_node *open[JN_FILE_MOST_DEPTH];  // mappings and lists that are not closed yet
  int depth;
  int documents;
  const char *key;  // of the mapping at hand, waiting for its value
  size_t key_length;
  jn_pos key_pos;
  jn_pos last;  // of the event before, for what takes no room in the file
} builder;

// The library's marks of quoted text, anchors, aliases and tags stand behind their first character.
static jn_pos token_position(const builder *b, struct fy_token *token, int back)
{
  const struct fy_mark *mark = token ? fy_token_start_mark(token) : NULL;
  if (!mark) return b->last;
  int col = mark->column + 1;
  return (jn_pos){b->source->file, mark->line + 1, col > back ? col - back : 1};
}

static jn_pos position(builder *b, struct fy_event *event)
{
  struct fy_token *scalar = event->type == FYET_SCALAR ? event->scalar.value : NULL;
  if (scalar) {
    enum fy_scalar_style style = fy_token_scalar_style(scalar);
    bool quoted = style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED;
    return b->last = token_position(b, scalar, quoted);
  }
  const struct fy_mark *mark = fy_event_start_mark(event);
  if (mark) b->last = (jn_pos){b->source->file, mark->line + 1, mark->column + 1};
  return b->last;
}

static jn_status refuse(builder *b, jn_pos pos, const char *what)
{
  return jn_fail(b->err, JN_E_PARSE, pos, NULL, "%s", what);
}

// Does the node at hand have to be a key?
static bool wants_key(const builder *b)
{
  return b->depth > 0 && b->open[b->depth - 1]->kind == JN_NODE_MAP && !b->key;
}

static jn_status add_node(builder *b, jn_node_kind kind, jn_pos pos, jn_node **out)
{
  if (++b->spent->values > JN_FILE_MOST_VALUES)
    return jn_fail(b->err, JN_E_LIMIT, pos, NULL, "one value too many: a %s has at most %d",
                   b->spent->what, JN_FILE_MOST_VALUES);
  jn_node *n = jn_pool_alloc(b->pool, 1, sizeof *n);
  if (!n) return jn_no_memory(b->err, pos);
  n->kind = kind;
  n->source = b->source;
  n->line = pos.line;
  n->col = pos.col;
  n->key = b->key;
  n->key_length = b->key ? b->key_length : 0;
  n->key_line = b->key_pos.line ? b->key_pos.line : pos.line;  // an empty key is nowhere
  n->key_col = b->key_pos.line ? b->key_pos.col : pos.col;
  b->key = NULL;
  if (b->depth > 0)
    jn_node_append(b->open[b->depth - 1], n);
  else
    b->root = n;
  *out = n;
  return JN_OK;
}

static jn_status open_node(builder *b, jn_node_kind kind, jn_pos pos)
{
  jn_node *n = NULL;
  if (wants_key(b)) return refuse(b, pos, "a key must be a single word, not a list or a mapping");
  if (b->depth == JN_FILE_MOST_DEPTH)
    return jn_fail(b->err, JN_E_LIMIT, pos, NULL,
                   "mappings and lists are nested deeper than %d levels", JN_FILE_MOST_DEPTH);
  jn_status st = add_node(b, kind, pos, &n);
  if (!st) b->open[b->depth++] = n;
  return st;
}

static jn_status close_node(builder *b)
{
  const jn_node *n = b->open[--b->depth];
  if (n->kind != JN_NODE_MAP) return JN_OK;
  bool memory;
  const jn_node *twice = jn_node_twice(n, &memory);
  if (memory) return jn_no_memory(b->err, jn_node_pos(n));
  if (!twice) return JN_OK;
  return jn_fail(b->err, JN_E_PARSE, jn_node_key_pos(twice), NULL,
                 "\"%s\" stands here a second time, the first is in line %d",
                 jn_quoted(twice->key, twice->key_length, 64).text,
                 jn_node_key_pos(jn_node_find(n, twice->key)).line);
}

// Text behind | or >. As a whole document it may begin in the first column, and libfyaml 0.7.12
// then gives more bytes than it has written.
static bool is_block(struct fy_event *event)
{
  enum fy_scalar_style style =
      event->scalar.value ? fy_token_scalar_style(event->scalar.value) : FYSS_PLAIN;
  return style == FYSS_LITERAL || style == FYSS_FOLDED;
}

// End of line at s: its length, 0 if there is none.
static size_t line_break(const char *s, size_t left)
{
  if (left == 0 || (s[0] != '\n' && s[0] != '\r')) return 0;
  return s[0] == '\r' && left > 1 && s[1] == '\n' ? 2 : 1;
}

// Text in single quotes from behind the opening one: '' is a quote, blanks around the end of a line
// go, one end of line is a blank, and of several the first goes [YAML 1.2, 7.3.2]. Decoded here,
// because libfyaml 0.7.12 misreads several quotes in a row, and leaks memory over them and over
// carriage returns. Never longer than what is written, so `out` needs room for `left` bytes.
static size_t unquote(const char *s, size_t left, char *out)
{
  size_t n = 0, kept = 0;  // kept: blanks in front of it are not the line's last ones
  for (size_t i = 0; i < left;) {
    size_t end = line_break(s + i, left - i), breaks = 0;
    if (s[i] == '\'') {
      if (i + 1 == left || s[i + 1] != '\'') break;
      out[n++] = '\'';
      i += 2;
    } else if (!end) {
      out[n++] = s[i++];
    } else {
      while (n > kept && (out[n - 1] == ' ' || out[n - 1] == '\t')) n--;
      for (; end; end = line_break(s + i, left - i), breaks++) {
        i += end;
        while (i < left && (s[i] == ' ' || s[i] == '\t')) i++;
      }
      if (breaks == 1) out[n++] = ' ';
      for (; breaks > 1; breaks--) out[n++] = '\n';
      kept = n;
    }
  }
  return n;
}

// The text of a scalar, in the pool; NULL if memory is exhausted.
static char *scalar_text(const builder *b, struct fy_event *event, size_t *length)
{
  struct fy_token *token = event->scalar.value;
  const struct fy_mark *from = token ? fy_token_start_mark(token) : NULL;
  *length = 0;
  if (from && from->input_pos <= b->length && fy_token_scalar_style(token) == FYSS_SINGLE_QUOTED) {
    const struct fy_mark *to = fy_token_end_mark(token);
    size_t end = to && to->input_pos < b->length ? to->input_pos : b->length;
    size_t left = end > from->input_pos ? end - from->input_pos : 0;
    char *copy = jn_pool_alloc(b->pool, left + 1, 1);
    if (copy) *length = unquote(b->text + from->input_pos, left, copy), copy[*length] = 0;
    return copy;
  }
  const char *text = token ? fy_token_get_text(token, length) : "";
  // Without memory the library may give an empty text.
  if (!text || (token && *length != fy_token_get_text_length(token))) return NULL;
  return jn_pool_text_n(b->pool, text, *length);
}

static jn_status add_scalar(builder *b, struct fy_event *event)
{
  jn_pos pos = position(b, event);
  if (b->depth == 0 && is_block(event))
    return refuse(b, pos, "found a block of text, expected a mapping or a single value");
  size_t length;
  char *copy = scalar_text(b, event, &length);
  if (!copy) return jn_no_memory(b->err, pos);
  if (memchr(copy, 0, length))
    return refuse(b, pos,
                  is_block(event)
                      ? "found a block of blanks, expected text"
                      : "text may not contain the character \\0, expected printable ones");
  if (wants_key(b)) {
    b->key = copy;
    b->key_length = length;
    b->key_pos = event->scalar.value ? pos : (jn_pos){pos.file, 0, 0};
    return JN_OK;
  }
  jn_node *n = NULL;
  jn_status st = add_node(b, JN_NODE_SCALAR, pos, &n);
  if (st) return st;
  n->text = copy;
  n->length = length;
  n->quoted = event->scalar.value && fy_token_scalar_style(event->scalar.value) != FYSS_PLAIN;
  return JN_OK;
}

static jn_status take(builder *b, struct fy_event *event)
{
  struct fy_token *anchor = NULL, *tag = NULL;
  switch (event->type) {
    case FYET_SCALAR:
      anchor = event->scalar.anchor, tag = event->scalar.tag;
      break;
    case FYET_MAPPING_START:
      anchor = event->mapping_start.anchor, tag = event->mapping_start.tag;
      break;
    case FYET_SEQUENCE_START:
      anchor = event->sequence_start.anchor, tag = event->sequence_start.tag;
      break;
    case FYET_ALIAS:
      anchor = event->alias.anchor;
      break;
    default:
      break;
  }
  if (anchor)
    return refuse(b, token_position(b, anchor, 1),
                  b->spent->what[0] == 's'  // in a scenario a * most likely begins a pattern
                      ? "anchors (&) and aliases (*) are not allowed; put a text with * in quotes"
                      : "anchors (&) and aliases (*) are not allowed; name a point in `points`, or "
                        "write it out");
  if (tag) return refuse(b, token_position(b, tag, 0), "tags (!) are not allowed; leave them out");
  if (b->documents > 1)
    return refuse(b, position(b, event), "a second document begins here; a file holds one");
  switch (event->type) {
    case FYET_DOCUMENT_START:
      b->documents++;
      if (b->documents > 1 && fy_event_start_mark(event))
        return refuse(b, position(b, event), "a second document begins here; a file holds one");
      return JN_OK;
    case FYET_MAPPING_START:
      return open_node(b, JN_NODE_MAP, position(b, event));
    case FYET_SEQUENCE_START:
      return open_node(b, JN_NODE_LIST, position(b, event));
    case FYET_MAPPING_END:
    case FYET_SEQUENCE_END:
      return close_node(b);
    case FYET_SCALAR:
      return add_scalar(b, event);
    default:
      return JN_OK;
  }
}

// The library's own words about what does not follow the grammar.
static jn_status grammar_error(builder *b, struct fy_diag *diag)
{
  void *iterator = NULL;
  const struct fy_diag_error *e;
  while ((e = fy_diag_errors_iterate(diag, &iterator)) && e->type < FYET_ERROR) continue;
  if (errno == ENOMEM) return jn_no_memory(b->err, (jn_pos){b->source->file, 1, 1});
  if (!e) return refuse(b, b->last, "not YAML: the grammar is broken here, or shortly behind");
  return jn_grammar_fail(b->text, b->length, (jn_pos){b->source->file, e->line, e->column}, e->msg,
                         b->err);
}

// All events of the text, until something is wrong.
static jn_status take_all(builder *b, struct fy_parser *parser, struct fy_diag *diag)
{
  jn_status st = JN_OK;
  bool ended = false;
  errno = 0;
  while (!st && !ended) {
    struct fy_event *event = fy_parser_parse(parser);
    if (!event) break;
    ended = event->type == FYET_STREAM_END;
    st = take(b, event);
    fy_parser_event_free(parser, event);
  }
  if (!st && (!ended || fy_parser_get_stream_error(parser))) st = grammar_error(b, diag);
  return st;
}

// The library reads too far when a file ends behind | or >: it gets a copy that ends in a comment.
static char *with_comment(const char *text, size_t length, size_t *padded)
{
  static const char end[] = "\n#\n";
  char *copy = malloc(length + sizeof end);
  if (!copy) return NULL;
  memcpy(copy, text, length);
  size_t from = length > 0 && text[length - 1] == '\n';  // no blank line: it would belong to a text
  memcpy(copy + length, end + from, sizeof end - from);
  *padded = length + sizeof end - 1 - from;
  return copy;
}

jn_status jn_yaml_parse(const char *text, size_t length, const jn_source *source, jn_pool *pool,
                        jn_spent *spent, jn_node **root, jn_error *err)
{
  const jn_pos whole = {source->file, 1, 1};
  builder b = {.text = text,
               .length = length,
               .source = source,
               .pool = pool,
               .spent = spent,
               .err = err,
               .last = whole};
  struct fy_diag_cfg diag_cfg;
  fy_diag_cfg_default(&diag_cfg);
  diag_cfg.fp = NULL;
  struct fy_diag *diag = fy_diag_create(&diag_cfg);
  struct fy_parse_cfg cfg = {.flags = FYPCF_QUIET | FYPCF_JSON_NONE | FYPCF_DEFAULT_VERSION_1_2,
                             .diag = diag};
  if (diag) fy_diag_set_collect_errors(diag, true);
  struct fy_parser *parser = diag ? fy_parser_create(&cfg) : NULL;
  size_t padded = 0;
  char *copy = with_comment(text, length, &padded);
  jn_status st = !parser || !copy || fy_parser_set_string(parser, copy, padded)
                     ? jn_no_memory(err, whole)
                     : take_all(&b, parser, diag);
  if (parser) fy_parser_destroy(parser);
  if (diag) fy_diag_destroy(diag);
  free(copy);
  *root = b.root;
  return st;
}
