#include "tir/tir_scan.h"

#include <string.h>

#include "base/decimal.h"

static bool is_white(char c)
{
  return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

static bool is_comment(char c)
{
  return c == '$' || c == '!';
}

static char upper(char c)
{
  return (char)(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
}

bool jn_tir_same(tir_span span, const char *word)
{
  if (strlen(word) != span.length) return false;
  for (size_t i = 0; i < span.length; i++)
    if (upper(span.at[i]) != upper(word[i])) return false;
  return true;
}

static tir_span skip(tir_span s, size_t n)
{
  return (tir_span){s.at + n, s.length - n, s.col + (int)n};
}

static tir_span trim(tir_span s)
{
  while (s.length && is_white(s.at[0])) s = skip(s, 1);
  while (s.length && is_white(s.at[s.length - 1])) s.length--;
  return s;
}

tir_span jn_tir_word(tir_span *span)
{
  tir_span word = trim(*span);
  size_t n = 0;
  while (n < word.length && !is_white(word.at[n])) n++;
  *span = skip(word, n);
  word.length = n;
  return word;
}

// ---- numbers ----------------------------------------------------------------------------------

static bool is_not_finite(tir_span s)
{
  static const char *const words[] = {"nan", "inf", "infinity"};
  if (s.length && (s.at[0] == '-' || s.at[0] == '+')) s = skip(s, 1);
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (jn_tir_same(s, words[i])) return true;
  return false;
}

tir_number jn_tir_number(tir_span span, double *out)
{
  char text[JN_DECIMAL_LONGEST + 1];
  if (is_not_finite(span)) return TIR_NOT_FINITE;
  if (span.length > JN_DECIMAL_LONGEST) return TIR_NO_NUMBER;
  for (size_t i = 0; i < span.length; i++) text[i] = upper(span.at[i]) == 'D' ? 'e' : span.at[i];
  text[span.length] = 0;
  if (!jn_is_decimal(text)) return TIR_NO_NUMBER;
  *out = jn_decimal(text);
  return *out - *out == 0.0 ? TIR_NUMBER : TIR_NOT_FINITE;  // 1e999 is infinite
}

// ---- lines ------------------------------------------------------------------------------------

jn_status jn_tir_scan_begin(tir_scan *scan, const char *text, size_t length, const char *file,
                            jn_error *err)
{
  static const char mark[] = "\xef\xbb\xbf", end_of_dos_file = 0x1a;
  *scan = (tir_scan){.file = file};
  if (length > TIR_MOST_BYTES)
    return jn_fail(err, JN_E_LIMIT, (jn_pos){file, 0, 0}, NULL,
                   "has %zu bytes, a tyre property file has at most %d", length, TIR_MOST_BYTES);
  if (length >= 3 && !memcmp(text, mark, 3)) {
    text += 3;
    length -= 3;
  }
  if (length && text[length - 1] == end_of_dos_file) length--;
  scan->next = text;
  scan->end = text + length;
  return JN_OK;
}

// A line ends with LF, CR LF or, in files of old Macintoshes, CR.
static jn_status take_line(tir_scan *scan, tir_span *out, jn_error *err)
{
  const char *begin = scan->next, *s = begin;
  const jn_pos pos = {scan->file, ++scan->line, 1};
  if (scan->line > TIR_MOST_LINES)
    return jn_fail(err, JN_E_LIMIT, pos, NULL, "is one line too many: at most %d are read",
                   TIR_MOST_LINES);
  while (s < scan->end && *s != '\n' && *s != '\r') {
    if (!*s)
      return jn_fail(err, JN_E_PARSE, (jn_pos){scan->file, scan->line, (int)(s - begin) + 1}, NULL,
                     "found a zero byte, expected text in ASCII, UTF-8 or Latin-1");
    if (++s - begin > TIR_LONGEST_LINE)
      return jn_fail(err, JN_E_LIMIT, pos, NULL, "is a line of more than %d bytes",
                     TIR_LONGEST_LINE);
  }
  *out = (tir_span){begin, (size_t)(s - begin), 1};
  if (s < scan->end) s += *s == '\r' && s + 1 < scan->end && s[1] == '\n' ? 2 : 1;
  scan->next = s;
  return JN_OK;
}

// What stands before a comment, without white space around it. Inside quotes there is no comment.
static tir_span before_comment(tir_span s)
{
  size_t n = 0;
  while (n < s.length && !is_comment(s.at[n])) n++;
  s.length = n;
  return trim(s);
}

static size_t key_length(tir_span s)
{
  size_t n = 0;
  while (n < s.length && (s.at[n] == '_' || s.at[n] == '-' || s.at[n] == '.' ||
                          (upper(s.at[n]) >= 'A' && upper(s.at[n]) <= 'Z') ||
                          (n > 0 && s.at[n] >= '0' && s.at[n] <= '9')))
    n++;
  return n;
}

static void complain(tir_line *line, tir_span odd, const char *expected)
{
  line->trouble = expected;
  line->odd = odd;
}

static void scan_value(tir_span s, tir_line *line)
{
  s = trim(s);
  line->value = s;
  if (!s.length || (s.at[0] != '\'' && s.at[0] != '"')) {
    line->value = before_comment(s);
    return;
  }
  const char *close = memchr(s.at + 1, s.at[0], s.length - 1);
  line->quoted = true;
  if (!close) {
    line->value = skip(s, 1);
    complain(line, s, "a text whose quote is closed in the same line");
    return;
  }
  line->value = (tir_span){s.at + 1, (size_t)(close - s.at) - 1, s.col + 1};
  const tir_span rest = before_comment(skip(s, (size_t)(close - s.at) + 1));
  if (rest.length) complain(line, rest, "the end of the line or a comment behind the text");
}

// [SECTION], {columns} or (sub-section), which nothing but a comment may follow.
static void scan_head(tir_span s, char close, tir_line *line)
{
  const char *end = memchr(s.at, close, s.length);
  line->kind = close == ']' ? TIR_LINE_SECTION : TIR_LINE_HEAD;
  if (!end) {
    line->name = before_comment(skip(s, 1));
    complain(line, before_comment(s),
             close == ']'   ? "[SECTION]"
             : close == '}' ? "{columns}"
                            : "(sub-section)");
    return;
  }
  const size_t length = (size_t)(end - s.at);
  line->name = trim((tir_span){s.at + 1, length - 1, s.col + 1});
  const tir_span rest = before_comment(skip(s, length + 1));
  if (rest.length)
    complain(line, rest, "the end of the line or a comment behind the bracket");
  else if (!line->name.length)
    complain(line, s, "a name inside the brackets");
}

jn_status jn_tir_scan_next(tir_scan *scan, tir_line *out, bool *more, jn_error *err)
{
  tir_span s = {0};
  do {
    *more = scan->next < scan->end;
    if (!*more) return JN_OK;
    jn_status st = take_line(scan, &s, err);
    if (st) return st;
    s = trim(s);
  } while (!s.length || is_comment(s.at[0]));
  *out = (tir_line){.kind = TIR_LINE_TEXT, .number = scan->line, .name = s};
  switch (s.at[0]) {
    case '[':
      scan_head(s, ']', out);
      return JN_OK;
    case '{':
      scan_head(s, '}', out);
      return JN_OK;
    case '(':
      scan_head(s, ')', out);
      return JN_OK;
  }
  const size_t key = key_length(s);
  const tir_span rest = trim(skip(s, key));
  if (key && rest.length && rest.at[0] == '=') {
    out->kind = TIR_LINE_PAIR;
    out->name.length = key;
    scan_value(skip(rest, 1), out);
  } else {
    out->name = before_comment(s);
  }
  return JN_OK;
}
