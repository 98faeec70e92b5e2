#include "yaml/grammar.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

// The library's words know YAML's grammar, ours what a person has most likely done. The first that
// is found in its message counts.
static const struct {
  const char *message, *meant;
} words[] = {
    {"tab char", "found a tab in the indentation, expected spaces"},
    {"cannot start with blank", "found a tab in the indentation, expected spaces"},
    {"invalid tab", "found a tab in the indentation, expected spaces"},
    {"cannot use tab", "found a tab in the indentation, expected spaces"},
    {"invalid multiline",
     "found text that runs on into a line with a key; a colon is missing here, or "
     "the next line is indented too far"},
    {"invalid indentation in mapping", "the indentation fits none of the lines above"},
    {"invalid value after mapping", "found text, expected `key: value`"},
    {"missing ':'", "found no colon, expected `key: value`"},
    {"could not find expected ':'", "found no colon, expected `key: value`"},
    {"did not find expected key", "expected `key: value`, as in the lines above"},
    {"expected '-' indicator", "expected a further `- ` of the list above, or less indentation"},
    {"end of block sequence", "expected a further `- ` of the list above, or less indentation"},
    {"missing comma in flow sequence", "expected a comma or the closing ]"},
    {"missing comma in flow mapping", "expected a comma or the closing }"},
    {"without a closing bracket", "the file ends, expected the closing ] or }"},
    {"mismatched flow sequence end", "found ], expected }"},
    {"mismatched flow mapping end", "found }, expected ]"},
    {"extra closing", "found a closing bracket without its opening one"},
    {"extra comma", "found a second comma, expected a value"},
    {"comma in the beginning", "found a comma, expected a value"},
    {"invalid nested block mapping",
     "found a second colon in one line; text with a colon needs quotes"},
    {"without closing quote", "the quote that opens here is not closed"},
    {"wrongly indented double-quoted", "the quote that opens here is not closed"},
    {"wrongly indented single-quoted", "the quote that opens here is not closed"},
    {"invalid trailing content", "found text behind a closing quote"},
    {"block sequence on the same line",
     "found `- ` behind a key; such a list begins in the next line"},
    {"in flow mode", "indented too little inside brackets, or a bracket above is not closed"},
    {"wrongly indented flow",
     "indented too little inside brackets, or a bracket above is not closed"},
    {"plain scalar cannot start", "text that begins with this character needs quotes"},
    {"invalid escape", "found a backslash that begins no escape; single quotes take it as it is"},
    {"block scalar no linebreak", "found text behind | or >, expected it in the next line"},
    {"missing document start", "found text behind the end of the document"},
    {"undefined tag prefix", "tags (!) are not allowed; leave them out"},
    {"invalid tag", "tags (!) are not allowed; leave them out"},
    {"tag URI", "tags (!) are not allowed; leave them out"},
    {"invalid anchor", "anchors (&) are not allowed; leave them out"},
    {"invalid alias",
     "aliases (*) are not allowed; write the value out, or in quotes if it is text"},
    {"without content", "found nothing behind %YAML, expected a file that begins with `jounce: 1`"},
};

enum { DEEPEST = 64 };

typedef struct bracket {
  char is;
  int line, col;
} bracket;

static bool comes_before(jn_pos a, jn_pos b)
{
  return a.line < b.line || (a.line == b.line && a.col < b.col);
}

// The innermost bracket in front of *pos that is open there; a place behind the text becomes its
// end. Quotes and comments are known, text in blocks is not: a wrong guess adds a wrong hint to a
// right message.
static bool find_open(const char *text, size_t length, jn_pos *pos, bracket *out)
{
  bracket open[DEEPEST];
  int depth = 0;
  char quote = 0, before = ' ';
  bool comment = false, escaped = false;
  jn_pos at = {pos->file, 1, 1};
  for (size_t i = 0; i < length && comes_before(at, *pos); i++) {
    char c = text[i];
    if ((c & 0xc0) == 0x80) continue;  // inside a character
    bool token = strchr(" \t\r\n[]{},:", before) != NULL;
    if (comment) {
      comment = c != '\n' && c != '\r';
    } else if (quote) {
      if (c == quote && !escaped) quote = 0;
      escaped = c == '\\' && quote == '"' && !escaped;
    } else if ((c == '"' || c == '\'') && token) {
      quote = c;
    } else if (c == '#' && token) {
      comment = true;
    } else if (c == '[' || c == '{') {
      if (depth < DEEPEST) open[depth++] = (bracket){c, at.line, at.col};
    } else if ((c == ']' || c == '}') && depth > 0) {
      depth--;
    }
    before = c;
    if (c == '\n')
      at.line++, at.col = 1;
    else
      at.col++;
  }
  if (comes_before(at, *pos)) *pos = at;
  if (depth > 0) *out = open[depth - 1];
  return depth > 0;
}

jn_status jn_grammar_fail(const char *text, size_t length, jn_pos pos, const char *message,
                          jn_error *err)
{
  char shown[160], hint[96] = "";
  const char *meant = NULL;
  for (size_t i = 0; i < sizeof words / sizeof *words && !meant; i++)
    if (strstr(message, words[i].message)) meant = words[i].meant;
  if (!meant) meant = jn_quote(message, strcspn(message, "\n"), shown, sizeof shown);
  bracket open;
  if (find_open(text, length, &pos, &open) && (open.line != pos.line || open.col != pos.col))
    snprintf(hint, sizeof hint, "; the %c of line %d, column %d is still open", open.is, open.line,
             open.col);
  return jn_fail(err, JN_E_PARSE, pos, NULL, "not YAML: %s%s", meant, hint);
}
