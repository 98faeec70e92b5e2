// print.h: text that grows, and the numbers and lists of a YAML file.
#ifndef JT_DIFFERENTIAL_PRINT_H
#define JT_DIFFERENTIAL_PRINT_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "differential/vehicle.h"

typedef struct text {
  char *s;
  size_t n, size;
} text;

static inline void say(text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static inline void say(text *t, const char *fmt, ...)
{
  char line[512];
  va_list arg;
  va_start(arg, fmt);
  const int n = vsnprintf(line, sizeof line, fmt, arg);
  va_end(arg);
  if (n < 0 || (size_t)n >= sizeof line) abort();
  if (t->n + (size_t)n + 1 > t->size) {
    t->size = 2 * (t->n + (size_t)n + 1) + 4096;
    t->s = realloc(t->s, t->size);
    if (!t->s) abort();
  }
  memcpy(t->s + t->n, line, (size_t)n + 1);
  t->n += (size_t)n;
}

// As short as gives the same number back.
static inline void number(text *t, double x)
{
  char s[40];
  if (x == 0.0) x = 0.0;  // no minus sign
  for (int digits = 6; digits <= 17; digits++) {
    snprintf(s, sizeof s, "%.*g", digits, x);
    if (strtod(s, NULL) == x) break;
  }
  say(t, "%s", s);
}

static inline void list(text *t, const double *x, int n)
{
  say(t, "[");
  for (int i = 0; i < n; i++) {
    if (i) say(t, ", ");
    number(t, x[i]);
  }
  say(t, "]");
}

static inline void key(text *t, const char *name, double x)
{
  say(t, ", %s: ", name);
  number(t, x);
}

static inline void key_if(text *t, const char *name, double x)
{
  if (x != 0.0) key(t, name, x);
}

static inline void key_list(text *t, const char *name, const double *x, int n)
{
  say(t, ", %s: ", name);
  list(t, x, n);
}

// One, or one on each body.
static inline void vectors(text *t, const char *name, const double x[2][3], int n)
{
  if (n == 0) return;
  if (n == 1) {
    key_list(t, name, x[0], 3);
    return;
  }
  say(t, ", %s: [", name);
  list(t, x[0], 3);
  say(t, ", ");
  list(t, x[1], 3);
  say(t, "]");
}

static inline void points(text *t, const vehicle_curve *c)
{
  say(t, "[");
  for (int i = 0; i < c->n; i++) {
    if (i) say(t, ", ");
    list(t, (double[]){c->x[i], c->y[i]}, 2);
  }
  say(t, "]");
}

static const char *const methods[] = {"linear", "akima", "monotone"};

static inline void curve(text *t, const char *name, const vehicle_curve *c, const char *outside)
{
  if (!c->n) return;
  say(t, ", %s: ", name);
  if (!c->method && !c->outside) {
    points(t, c);
    return;
  }
  say(t, "{points: ");
  points(t, c);
  if (c->method) say(t, ", method: %s", methods[c->method]);
  if (c->outside) say(t, ", outside: %s", outside);
  say(t, "}");
}

static const char *const sides[] = {"", "left", "right", "either"};

// One line of `tyres` (print_tyres.c).
void print_tyre(text *t, const vehicle_tyre *y);

#endif
