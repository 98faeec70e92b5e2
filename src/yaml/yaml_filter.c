#include "yaml/yaml_filter.h"

#include <string.h>

#include "base/utf8.h"

// Printable in the sense of YAML 1.2 (production 1), less the byte order mark, which may only come
// first, and less NEL and the line and paragraph separators, about which YAML versions disagree.
static bool allowed(unsigned code)
{
  if (code < 0x20) return code == '\t' || code == '\n' || code == '\r';
  if (code >= 0x7f && code <= 0x9f) return false;
  return code != 0x2028 && code != 0x2029 && code != 0xfeff && code != 0xfffe && code != 0xffff;
}

static bool is_version_directive(const char *line, size_t left)
{
  static const char directive[] = "%YAML 1.2";
  size_t n = sizeof directive - 1;
  if (left < n || memcmp(line, directive, n)) return false;
  while (n < left && (line[n] == ' ' || line[n] == '\t')) n++;
  return n < left && (line[n] == '\n' || line[n] == '\r');
}

// Could a value begin or end here? Seen without its context, so text and comments count too.
static bool is_mark(const unsigned char *s, size_t i, size_t length)
{
  const char *const blank = " \t\r\n";
  switch (s[i]) {
    case '[':
    case ']':
    case '{':
    case '}':
    case ',':
    case '&':
    case '*':
    case '!':
      return true;
    case ':':
    case '-':
    case '?':  // only in front of white space
      return i + 1 == length || strchr(blank, s[i + 1]);
    case '#':  // it ends a text in front of it
    case '"':
    case '\'':  // the opening one
      return i == 0 || (s[i - 1] < 0x80 && strchr(" \t\r\n[]{},:\"'", s[i - 1]));
    default:
      return false;
  }
}

static jn_status check_encoding(const unsigned char *s, size_t length, jn_pos pos, jn_error *err)
{
  if (length < 2) return JN_OK;
  bool mark = (s[0] == 0xff && s[1] == 0xfe) || (s[0] == 0xfe && s[1] == 0xff);
  bool zero = (!s[0] && s[1] && s[1] < 0x80) || (!s[1] && s[0] && s[0] < 0x80);
  if (mark || zero)  // a zero beside a letter: two bytes to a character
    return jn_fail(err, JN_E_PARSE, pos, NULL, "the file is UTF-16, expected UTF-8");
  return JN_OK;
}

// Where the walk through a file is.
typedef struct walk {
  jn_pos pos;
  unsigned before;  // last character in this line that is not blank, 0 if there is none
  bool comment;
  int breaks;  // ends of lines since then
  int blanks;  // blanks since then, if it is in this line
} walk;

// A ? that announces a key: by itself where a value may begin. The library has a way of dying on a
// tab behind such a key, and nobody needs one here.
static bool announces_key(const walk *w, const unsigned char *s, size_t left)
{
  return s[0] == '?' && !w->comment && (left == 1 || strchr(" \t\r\n", s[1])) &&
         (w->before < 0x80 && strchr("-?:,[{", (int)w->before));  // finds 0 too
}

static void step(walk *w, unsigned code, bool ends_line)
{
  w->pos.col++;
  if (ends_line) {
    *w = (walk){.pos = {w->pos.file, w->pos.line + 1, 1}, .breaks = w->breaks + 1};
  } else if (code == ' ' || code == '\t' || code == '\r') {
    w->blanks += w->breaks == 0;
  } else {
    w->comment |= code == '#' && (w->before == 0 || w->blanks > 0);
    w->before = code;
    w->breaks = w->blanks = 0;
  }
}

// The character at hand, by itself and where it stands.
static jn_status check_character(const walk *w, const unsigned char *s, size_t left, unsigned code,
                                 jn_error *err)
{
  if (!allowed(code))
    return jn_fail(err, JN_E_PARSE, w->pos, NULL,
                   "the character U+%04X is not allowed, expected printable text", code);
  if (code == '%' && w->pos.col == 1 &&
      !(w->pos.line == 1 && is_version_directive((const char *)s, left)))
    return jn_fail(err, JN_E_PARSE, w->pos, NULL,
                   "a line may not begin with %%, except %%YAML 1.2 as the first one");
  if (announces_key(w, s, left))
    return jn_fail(err, JN_E_PARSE, w->pos, NULL, "found ?, expected a key: one word and a colon");
  return JN_OK;
}

static jn_status check_spent(const jn_spent *spent, jn_pos pos, jn_error *err)
{
  if (spent->marks > JN_FILE_MOST_MARKS)
    return jn_fail(err, JN_E_LIMIT, pos, NULL,
                   "too much for one %s: %d separators up to here, which stand for more than "
                   "the %d values that are allowed",
                   spent->what, JN_FILE_MOST_MARKS, JN_FILE_MOST_VALUES);
  if (spent->lines > JN_FILE_MOST_LINES)
    return jn_fail(err, JN_E_LIMIT, pos, NULL, "one line too many: a %s has at most %d",
                   spent->what, JN_FILE_MOST_LINES);
  if (spent->blank > JN_FILE_MOST_BLANK)
    return jn_fail(err, JN_E_LIMIT, pos, NULL,
                   "too much white space up to here; leave blank lines out");
  return JN_OK;
}

jn_status jn_filter(const char *text, size_t length, const char *file, jn_spent *spent,
                    size_t *skip, jn_error *err)
{
  const unsigned char *s = (const unsigned char *)text;
  walk w = {.pos = {file, 1, 1}, .breaks = 1};
  jn_status st = check_encoding(s, length, w.pos, err);
  if (st) return st;
  *skip = length >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0;
  for (size_t i = *skip, n; i < length; i += n) {
    unsigned code;
    n = jn_utf8_next(s + i, length - i, &code);
    if (n == 0)
      return jn_fail(err, JN_E_PARSE, w.pos, NULL, "the byte 0x%02x is not UTF-8 text", s[i]);
    st = check_character(&w, s + i, length - i, code, err);
    if (st) return st;
    const jn_pos pos = w.pos;
    bool ends_line = code == '\n' || (code == '\r' && (i + 1 >= length || s[i + 1] != '\n'));
    step(&w, code, ends_line);
    // The library walks through blank lines again for each of them, and through blanks behind
    // something for each of those; the short runs of every file are free.
    spent->blank += w.breaks + (w.blanks > 16 ? w.blanks : 0);
    spent->marks += is_mark(s, i, length);
    spent->lines += ends_line;
    st = check_spent(spent, pos, err);
    if (st) return st;
  }
  return JN_OK;
}
