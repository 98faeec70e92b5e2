// tir.h: a tyre property file (TeimOrbit text) as it was written, in SI units.
#ifndef JN_TIR_TIR_H
#define JN_TIR_TIR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "tir/tir_keys.h"

// TIR_PCX1 ... : index of a key in the order of keys.h.
#define TIR_ENUM(key, quantity, otherwise, use) TIR_##key,
#define TIR_ENUM_LIST(section, LIST)            LIST(TIR_ENUM)
enum { TIR_SECTIONS(TIR_ENUM_LIST) TIR_NKEY };

typedef enum tir_side { TIR_LEFT, TIR_RIGHT, TIR_EITHER } tir_side;  // EITHER: symmetric or unknown

// {pen fz} and rows of numbers, in SI: x rising, y not falling, none negative.
typedef struct tir_table {
  int n;  // 0, or 2 and more
  const double *x, *y;
} tir_table;

// Something of the file that nothing here uses: a key, a table, a whole section.
typedef struct tir_item {
  const char *section, *key;  // key NULL: the section
  const char *text;           // its value as written, "" for tables and sections
  int line;
  bool replaced;  // it is known here, and something else is taken in its place: `text` says what
} tir_item;

// value[TIR_USE_MODE] is 0 to 4, plus 10 or 20, without the hundreds that a file may have; negative:
// the file wants its tyre mirrored. A Q_FZ1 of zero means that VERTICAL_STIFFNESS is taken, as files
// say. A Q_RE0 of zero would leave no radius: it counts as absent. Of a table that is given several
// times the last one counts.
typedef struct jn_tir {
  const char *file;
  const char *format;                    // PROPERTY_FILE_FORMAT as written, "" if absent
  int version;                           // 52 or 61: equations that apply
  int fittyp;                            // as written, 0 if absent
  tir_side side;                         // it was measured on
  bool has_side;                         // the file says so
  double value[TIR_NKEY];                // SI; NAN where neither the file nor keys.h gives one
  int line[TIR_NKEY];                    // where the file gives it, 0: it does not
  tir_table deflection_load, bottoming;  // n = 0: none
  int nunused;
  const tir_item *unused;
} jn_tir;

// From memory; everything is kept in `pool`. `file` stands for it in messages.
jn_status jn_tir_parse(const char *text, size_t length, const char *file, jn_pool *pool,
                       jn_tir *out, jn_error *err);

// What a model has in place of what its file says: the file need not have it, nor have it right.
typedef struct tir_instead {
  bool value[TIR_NKEY];
  int version;  // 0: the file says it
  bool deflection_load, bottoming;
} tir_instead;

// In place of everything: only lines that cannot be read are errors then.
static inline tir_instead jn_tir_instead_of_all(void)
{
  tir_instead all = {.version = 61, .deflection_load = true, .bottoming = true};
  for (int i = 0; i < TIR_NKEY; i++) all.value[i] = true;
  return all;
}

// From a file; `from` is where its name was written ({NULL, 0, 0}: on the command line), for messages. `instead` may be
// NULL: then the file must be complete.
JN_PRIVATE jn_status jn_tir_load(const char *file, jn_pos from, const tir_instead *instead,
                                 jn_pool *pool, jn_tir *out, jn_error *err);

const char *jn_tir_key(int key);               // "PCX1"
const char *jn_tir_section(int key);           // of the list in keys.h
bool jn_tir_uses(const jn_tir *tir, int key);  // do the equations of its version read that key?

#endif
