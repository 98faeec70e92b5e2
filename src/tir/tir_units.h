// tir_units.h: from the units that a tyre property file states to SI.
#ifndef JN_TIR_TIR_UNITS_H
#define JN_TIR_TIR_UNITS_H

#include "tir/tir_keys.h"
#include "tir/tir_scan.h"

#define TIR_QUANTITY_ENUM(name, length, force, angle, mass, time) TIR_Q_##name,
typedef enum tir_quantity { TIR_QUANTITIES(TIR_QUANTITY_ENUM) TIR_NQUANTITY } tir_quantity;

// Keys of [UNITS]. Pressure is last: without a unit of its own it is force over length squared.
#define TIR_DIMENSIONS(X)        X(LENGTH) X(FORCE) X(ANGLE) X(MASS) X(TIME) X(PRESSURE)
#define TIR_DIMENSION_ENUM(name) TIR_IN_##name,
typedef enum tir_dimension { TIR_DIMENSIONS(TIR_DIMENSION_ENUM) TIR_NDIMENSION } tir_dimension;

// One unit is up / down of SI: with two whole numbers, most values are rounded once.
typedef struct tir_unit {
  double up, down;
} tir_unit;

typedef struct tir_units {
  tir_unit unit[TIR_NDIMENSION];
  int line[TIR_NDIMENSION];  // where the file states it, 0: it does not
} tir_units;

tir_units jn_tir_units_si(void);

// A line of [UNITS]; *known is false if it is about something else.
jn_status jn_tir_units_read(tir_units *units, const char *file, const tir_line *line, bool *known,
                            jn_error *err);

// May overflow to infinity.
double jn_tir_to_si(const tir_units *units, tir_quantity quantity, double value);

#endif
