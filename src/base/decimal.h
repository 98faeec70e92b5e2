// decimal.h: a number written with a dot, whatever decimal point the process's locale has.
#ifndef JN_BASE_DECIMAL_H
#define JN_BASE_DECIMAL_H

#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JN_DECIMAL_LONGEST = 64 };  // bytes of a number; longer ones are no numbers

// Is it a number: sign, digits with one point, exponent?
static inline bool jn_is_decimal(const char *s)
{
  int digits = 0;
  if (*s == '-' || *s == '+') s++;
  for (; *s >= '0' && *s <= '9'; s++) digits++;
  if (*s == '.') s++;
  for (; *s >= '0' && *s <= '9'; s++) digits++;
  if (!digits) return false;
  if (*s == 'e' || *s == 'E') {
    s++;
    if (*s == '-' || *s == '+') s++;
    if (*s < '0' || *s > '9') return false;
    while (*s >= '0' && *s <= '9') s++;
  }
  return *s == 0;
}

// `text` has been seen to be a number of at most JN_DECIMAL_LONGEST bytes: strtod expects the
// decimal point of the process's locale, files have a dot wherever they are read.
static inline double jn_decimal(const char *text)
{
  char copy[JN_DECIMAL_LONGEST + 8];
  const char *point = localeconv()->decimal_point;
  const char *dot = strchr(text, '.');
  if (!dot || !strcmp(point, ".")) return strtod(text, NULL);
  snprintf(copy, sizeof copy, "%.*s%s%s", (int)(dot - text), text, point, dot + 1);
  return strtod(copy, NULL);
}

#endif
