// utf8.h: one character of UTF-8.
#ifndef JN_BASE_UTF8_H
#define JN_BASE_UTF8_H

#include <stddef.h>

// Length of the character at s and its code; 0 if it is not well formed: overlong, a surrogate, beyond U+10FFFF,
// or cut off by the end (left >= 1 bytes).
static inline size_t jn_utf8_next(const unsigned char *s, size_t left, unsigned *code)
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

#endif
