#include "file/filter.h"

#include <string.h>

// One character of UTF-8 at s: its length and code, or 0 if it is not well formed (overlong,
// surrogate, beyond U+10FFFF, cut off).
static size_t utf8_next(const unsigned char *s, size_t left, unsigned *code)
{
  static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
  size_t n = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
  if (n == 0 || n > left || s[0] > 0xf4) return 0;
  *code = n == 1 ? s[0] : s[0] & (0x7fu >> n);
  for (size_t i = 1; i < n; i++) {
    if ((s[i] & 0xc0) != 0x80) return 0;
    *code = *code << 6 | (s[i] & 0x3fu);
  }
  if (n > 1 && (*code < least[n] || *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000)))
    return 0;
  return n;
}

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

// A ? that announces a key: by itself where a value may begin. The library has a way of dying on a
// tab behind such a key, and nobody needs one here. `before` is the last character in front of it that
// is not blank, 0 at the beginning of a line.
static bool announces_key(const unsigned char *s, size_t i, size_t length, unsigned before)
{
  return s[i] == '?' && (i + 1 == length || strchr(" \t\r\n", s[i + 1])) &&
         (before == 0 || (before < 0x80 && strchr("-?:,[{", (int)before)));
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

jn_status jn_filter(const char *text, size_t length, const char *file, jn_spent *spent,
                    size_t *skip, jn_error *err)
{
  const unsigned char *s = (const unsigned char *)text;
  jn_pos pos = {file, 1, 1};
  int blank_lines = 0, blanks = 0;
  unsigned before = 0;  // in this line; '#' to its end inside a comment
  jn_status st = check_encoding(s, length, pos, err);
  *skip = length >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0;
  for (size_t i = *skip; i < length && !st;) {
    unsigned code;
    size_t n = utf8_next(s + i, length - i, &code);
    if (n == 0)
      return jn_fail(err, JN_E_PARSE, pos, NULL, "the byte 0x%02x is not UTF-8 text", s[i]);
    if (!allowed(code))
      return jn_fail(err, JN_E_PARSE, pos, NULL,
                     "the character U+%04X is not allowed, expected printable text", code);
    if (code == '%' && pos.col == 1 &&
        !(pos.line == 1 && is_version_directive(text + i, length - i)))
      return jn_fail(err, JN_E_PARSE, pos, NULL,
                     "a line may not begin with %%, except %%YAML 1.2 as the first one");
    if (before != '#' && announces_key(s, i, length, before))
      return jn_fail(err, JN_E_PARSE, pos, NULL, "found ?, expected a key: a single word and a colon");
    if (is_mark(s, i, length) && ++spent->marks > JN_FILE_MOST_MARKS)
      return jn_fail(err, JN_E_LIMIT, pos, NULL,
                     "too much for one model: %d separators up to here, which stand for more than "
                     "the %d values that are allowed",
                     JN_FILE_MOST_MARKS, JN_FILE_MOST_VALUES);
    bool breaks = code == '\n' || (code == '\r' && (i + 1 >= length || s[i + 1] != '\n'));
    // The library walks through blank lines again for each of them, and through blanks behind
    // something for each of those; the short runs of every file are free.
    if (breaks || code == ' ' || code == '\t' || code == '\r') {
      blank_lines += breaks;
      blanks = blank_lines ? 0 : blanks + 1;
      spent->blank += blank_lines + (blanks > 16 ? blanks : 0);
    } else {
      blank_lines = blanks = 0;
    }
    if (spent->blank > JN_FILE_MOST_BLANK)
      return jn_fail(err, JN_E_LIMIT, pos, NULL,
                     "too much white space up to here; leave blank lines out");
    if (breaks)
      before = 0;
    else if (before != '#' && (code != '#' || before == 0 || blanks > 0) && blanks == 0)
      before = code;
    if (breaks)
      pos.line++, pos.col = 1;
    else
      pos.col++;
    i += n;
  }
  return st;
}
