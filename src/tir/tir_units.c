#include "tir/tir_units.h"

#include <stdio.h>

// X(dimension, word, up, down), as files spell them in upper or lower case. The pound is 0.45359237 kg
// and standard gravity 9.80665 m/s^2, both by definition; other values follow from these two and
// from the inch of 25.4 mm.
#define WORDS(X)                                   \
  X(LENGTH, "meter", 1, 1)                         \
  X(LENGTH, "metre", 1, 1)                         \
  X(LENGTH, "meters", 1, 1)                        \
  X(LENGTH, "metres", 1, 1)                        \
  X(LENGTH, "m", 1, 1)                             \
  X(LENGTH, "mm", 1, 1000)                         \
  X(LENGTH, "millimeter", 1, 1000)                 \
  X(LENGTH, "millimetre", 1, 1000)                 \
  X(LENGTH, "millimeters", 1, 1000)                \
  X(LENGTH, "cm", 1, 100)                          \
  X(LENGTH, "centimeter", 1, 100)                  \
  X(LENGTH, "centimetre", 1, 100)                  \
  X(LENGTH, "km", 1000, 1)                         \
  X(LENGTH, "kilometer", 1000, 1)                  \
  X(LENGTH, "inch", 254, 10000)                    \
  X(LENGTH, "inches", 254, 10000)                  \
  X(LENGTH, "in", 254, 10000)                      \
  X(LENGTH, "foot", 3048, 10000)                   \
  X(LENGTH, "feet", 3048, 10000)                   \
  X(LENGTH, "ft", 3048, 10000)                     \
  X(FORCE, "newton", 1, 1)                         \
  X(FORCE, "newtons", 1, 1)                        \
  X(FORCE, "n", 1, 1)                              \
  X(FORCE, "knewton", 1000, 1)                     \
  X(FORCE, "kilonewton", 1000, 1)                  \
  X(FORCE, "kn", 1000, 1)                          \
  X(FORCE, "pound_force", 4.4482216152605, 1)      \
  X(FORCE, "lbf", 4.4482216152605, 1)              \
  X(FORCE, "kpound_force", 4448.2216152605, 1)     \
  X(FORCE, "kg_force", 9.80665, 1)                 \
  X(FORCE, "kilogram_force", 9.80665, 1)           \
  X(FORCE, "kgf", 9.80665, 1)                      \
  X(ANGLE, "radians", 1, 1)                        \
  X(ANGLE, "radian", 1, 1)                         \
  X(ANGLE, "rad", 1, 1)                            \
  X(ANGLE, "degrees", 3.14159265358979323846, 180) \
  X(ANGLE, "degree", 3.14159265358979323846, 180)  \
  X(ANGLE, "deg", 3.14159265358979323846, 180)     \
  X(MASS, "kg", 1, 1)                              \
  X(MASS, "kilogram", 1, 1)                        \
  X(MASS, "kilograms", 1, 1)                       \
  X(MASS, "g", 1, 1000)                            \
  X(MASS, "gram", 1, 1000)                         \
  X(MASS, "grams", 1, 1000)                        \
  X(MASS, "tonne", 1000, 1)                        \
  X(MASS, "pound_mass", 0.45359237, 1)             \
  X(MASS, "pound", 0.45359237, 1)                  \
  X(MASS, "lbm", 0.45359237, 1)                    \
  X(MASS, "slug", 4.4482216152605 / 0.3048, 1)     \
  X(TIME, "second", 1, 1)                          \
  X(TIME, "seconds", 1, 1)                         \
  X(TIME, "sec", 1, 1)                             \
  X(TIME, "s", 1, 1)                               \
  X(TIME, "millisecond", 1, 1000)                  \
  X(TIME, "ms", 1, 1000)                           \
  X(TIME, "minute", 60, 1)                         \
  X(TIME, "min", 60, 1)                            \
  X(TIME, "hour", 3600, 1)                         \
  X(PRESSURE, "pascal", 1, 1)                      \
  X(PRESSURE, "pa", 1, 1)                          \
  X(PRESSURE, "kpascal", 1000, 1)                  \
  X(PRESSURE, "kilopascal", 1000, 1)               \
  X(PRESSURE, "kpa", 1000, 1)                      \
  X(PRESSURE, "megapascal", 1e6, 1)                \
  X(PRESSURE, "mpa", 1e6, 1)                       \
  X(PRESSURE, "bar", 1e5, 1)                       \
  X(PRESSURE, "psi", 4.4482216152605, 0.00064516)

#define WORD_ROW(dimension, word, up, down) {TIR_IN_##dimension, word, {up, down}},
static const struct {
  tir_dimension dimension;
  const char *word;
  tir_unit unit;
} words[] = {WORDS(WORD_ROW)};

#define DIMENSION_NAME(name) #name,
static const char *const dimension_name[] = {TIR_DIMENSIONS(DIMENSION_NAME)};

#define QUANTITY_ROW(name, length, force, angle, mass, time) {length, force, angle, mass, time},
static const int power[TIR_NQUANTITY][TIR_IN_PRESSURE] = {TIR_QUANTITIES(QUANTITY_ROW)};

tir_units jn_tir_units_si(void)
{
  tir_units units = {0};
  for (int i = 0; i < TIR_NDIMENSION; i++) units.unit[i] = (tir_unit){1.0, 1.0};
  return units;
}

static jn_status no_such_unit(const char *file, const tir_line *line, int dimension, jn_error *err)
{
  char known[256] = "";
  size_t at = 0;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if ((int)words[i].dimension == dimension && at + 20 < sizeof known)
      at += (size_t)snprintf(known + at, sizeof known - at, "%s%s", at ? ", " : "", words[i].word);
  return jn_fail(err, JN_E_SCHEMA, (jn_pos){file, line->number, line->value.col},
                 dimension_name[dimension], "found \"%s\", expected one of %s",
                 jn_quoted(line->value.at, line->value.length, 80).text, known);
}

jn_status jn_tir_units_read(tir_units *units, const char *file, const tir_line *line, bool *known,
                            jn_error *err)
{
  int d = 0;
  while (d < TIR_NDIMENSION && !jn_tir_same(line->name, dimension_name[d])) d++;
  *known = d < TIR_NDIMENSION;
  if (!*known || !line->value.length) return JN_OK;
  if (units->line[d])
    return jn_fail(err, JN_E_SCHEMA, (jn_pos){file, line->number, line->name.col},
                   dimension_name[d], "is given twice, first in line %d", units->line[d]);
  size_t i = 0;
  while (i < sizeof words / sizeof *words &&
         ((int)words[i].dimension != d || !jn_tir_same(line->value, words[i].word)))
    i++;
  if (i == sizeof words / sizeof *words) return no_such_unit(file, line, d, err);
  units->unit[d] = words[i].unit;
  units->line[d] = line->number;
  return JN_OK;
}

static void raise(tir_unit *out, tir_unit unit, int n)
{
  for (; n > 0; n--) {
    out->up *= unit.up;
    out->down *= unit.down;
  }
  for (; n < 0; n++) {
    out->up *= unit.down;
    out->down *= unit.up;
  }
}

double jn_tir_to_si(const tir_units *units, tir_quantity quantity, double value)
{
  tir_unit whole = {1.0, 1.0};
  if (quantity == TIR_Q_PRESSURE) {
    if (units->line[TIR_IN_PRESSURE]) {
      whole = units->unit[TIR_IN_PRESSURE];
    } else {
      raise(&whole, units->unit[TIR_IN_FORCE], 1);
      raise(&whole, units->unit[TIR_IN_LENGTH], -2);
    }
  }
  for (int d = 0; d < TIR_IN_PRESSURE; d++) raise(&whole, units->unit[d], power[quantity][d]);
  return value * whole.up / whole.down;
}
