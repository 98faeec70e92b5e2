// tyre.h: a tyre alone: its steady-state forces, its slip stiffness and friction limits, its load, and what its file says. No vehicle is needed.
//
// Libraries: jn_tyre_load, jn_tyre_load_model, jn_tyre_report_write and jn_tyre_table_write are in libjounce-offline, the rest in libjounce.
//
// Signs of ISO-W: positive kappa drives, a positive slip angle slides to the left and gives a negative side force, positive
// camber leans to the right. The tyre is on the side that it was measured on.
#ifndef JOUNCE_TYRE_H
#define JOUNCE_TYRE_H

#include "jounce/spec.h"

#ifdef __cplusplus
extern "C" {
#endif

// Immutable once made: any number of threads may share it.
typedef struct jn_tyre jn_tyre;

// From a tyre property file (.tir). `set` are `nset` keys of a magic-formula tyre in a model: "formulas=book",
// "pressure=180e3", "coefficients.LMUY=0.8". On success the caller owns *out and returns it with jn_tyre_free().
JN_API jn_status jn_tyre_load(const char *file, const char *const *set, int nset, jn_tyre **out,
                              jn_error *err);

// One of the tyres of a model file, or of a file that has tyres alone, as models include them; otherwise as jn_tyre_of, with
// overrides as of jn_spec_load.
JN_API jn_status jn_tyre_load_model(const char *file, const char *name, const char *const *set,
                                    int nset, jn_tyre **out, jn_error *err);

// One of a model's tyres. `name` may be NULL if the model has just one. Kinds that have no law of slip and load
// (vertical, linear, mf-simple, brush) are refused. The spec must outlive the tyre.
JN_API jn_status jn_tyre_of(const jn_spec *spec, const char *name, jn_tyre **out, jn_error *err);

JN_API void jn_tyre_free(jn_tyre *tyre);  // NULL is allowed

// ---- what it is ------------------------------------------------------------------------------------

typedef enum jn_tyre_side { JN_TYRE_LEFT, JN_TYRE_RIGHT, JN_TYRE_EITHER } jn_tyre_side;

// Where a number is not known it is NaN. A range is what the file says, or what tyres usually see.
typedef struct jn_tyre_info {
  const char *name;   // of the tyre in its model, or of the file without folder and ending
  const char *kind;   // as in models: "magic-formula"
  const char *file;   // it was read from, NULL: none
  int version;        // of the Magic Formula: 52 or 61; 0: another law
  jn_tyre_side side;  // it was measured on
  int use_mode;       // USE_MODE of the file, or what the model says in its place; -1: another law
  double load;        // nominal                                                          [N]
  double radius;      // unloaded                                                         [m]
  double pressure;    // of inflation: what pressure NaN means below                      [Pa]
  double speed;       // of reference                                                     [m/s]
  int has_pressure;   // 1: its formulas depend on the pressure
  double loads[2];    // ranges: load [N], slip, slip angle [rad], camber [rad], pressure [Pa]
  double kappas[2], alphas[2], cambers[2], pressures[2];
} jn_tyre_info;

JN_API jn_tyre_info jn_tyre_about(const jn_tyre *tyre);

// USE_MODE in words: "Fx and Fy combined, relaxation linear"; static text.
JN_API const char *jn_tyre_use_text(int use_mode);

typedef enum jn_tyre_origin {
  JN_TYRE_READ,     // from the file
  JN_TYRE_SET,      // by the model or the caller, in place of the file's
  JN_TYRE_DEFAULT,  // not given: the value that formulas take then
  JN_TYRE_UNUSED,   // given, and no formula of this version uses it
  JN_TYRE_UNKNOWN   // in the file, and ignored: not known here, or replaced, as `text` says
} jn_tyre_origin;

typedef struct jn_tyre_entry {
  jn_tyre_origin origin;
  const char *section, *key;  // key NULL: the section
  const char *text;           // of JN_TYRE_UNKNOWN: as written, or what is taken instead; else NULL
  double value;               // in SI; NaN of JN_TYRE_UNKNOWN
  const char *unit;           // "N", "1" of a plain number
  int line;                   // of the file, 0: not from it
} jn_tyre_entry;

// Everything that the file and its version know, in the order of the sections; of laws without a file nothing.
JN_API int jn_tyre_entry_count(const jn_tyre *tyre);
JN_API jn_tyre_entry jn_tyre_entry_at(const jn_tyre *tyre, int i);

// ---- what it does ----------------------------------------------------------------------------------
// None of these allocates; there is always an answer.

typedef struct jn_tyre_point {
  double kappa, alpha, gamma;  // slip, slip angle [rad], camber [rad]
  double load;                 // [N]
  double pressure;             // [Pa]; NaN: the tyre's own
  double speed;                // longitudinal [m/s]; negative: in reverse
} jn_tyre_point;

typedef struct jn_tyre_forces {
  double fx, fy;      // [N]
  double mx, my, mz;  // on the wheel, at the contact point [N m]
} jn_tyre_forces;

// Steady state. The formulas as published: what a run does beside them at walking pace (rolling resistance and trail
// fade as the wheel comes to rest) is left out.
JN_API jn_tyre_forces jn_tyre_at(const jn_tyre *tyre, jn_tyre_point at);

typedef struct jn_tyre_limits {  // longitudinal [0] and lateral [1]
  double stiffness[2];           // at zero slip: force per slip, per tangent of the slip angle [N]
  double friction[2];            // largest force over load, shifts of the curve not counted
  double relaxation[2];          // lengths [m]
} jn_tyre_limits;

JN_API jn_tyre_limits jn_tyre_limits_at(const jn_tyre *tyre, double load, double camber);

typedef struct jn_tyre_stand {
  double load;            // [N]
  double deflection;      // of the radius that the tyre has at its spin [m]
  double loaded_radius;   // [m]
  double rolling_radius;  // speed over spin of a wheel that rolls freely [m]
} jn_tyre_stand;

// Upright, rolling freely at that speed: at a deflection, and at a load.
JN_API jn_tyre_stand jn_tyre_load_at(const jn_tyre *tyre, double deflection, double speed);
JN_API jn_tyre_stand jn_tyre_stand_at(const jn_tyre *tyre, double load, double speed);

// The largest sqrt((Fx / (mux Fz))^2 + (Fy / (muy Fz))^2) in the tyre's ranges, and where it is. Formulas whose
// combined slip is fitted well stay near 1; shifts of the curves and poor fits go beyond. Takes some hundredths of a second.
typedef struct jn_tyre_utilisation {
  double value;
  jn_tyre_point at;
} jn_tyre_utilisation;

JN_API jn_tyre_utilisation jn_tyre_utilise(const jn_tyre *tyre);

// The figures by which tyres are compared: what it is, and what it does upright at its nominal load.
typedef struct jn_tyre_figure {
  const char *key, *name,
      *unit;     // "cornering_stiffness", "cornering stiffness", "N/rad"; static texts
  double value;  // NaN: the tyre has none
} jn_tyre_figure;

enum { JN_TYRE_FIGURES = 16 };
JN_API void jn_tyre_figures(const jn_tyre *tyre, jn_tyre_figure out[JN_TYRE_FIGURES]);

// ---- what is made of it ----------------------------------------------------------------------------

// An HTML file with all curves, which needs no other file and no network; "-" is standard output. `other` is drawn
// beside, dashed; it may be NULL. The file is whole or not made, and is none that the tyres were read from.
JN_API jn_status jn_tyre_report_write(const jn_tyre *tyre, const jn_tyre *other, const char *file,
                                      jn_error *err);

// Forces at the points of a CSV file, as CSV to a file or to standard output ("-"). Lines that begin with # are skipped; the first
// other one names the columns, among them kappa, alpha_rad, gamma_rad, Fz_N, p_Pa and vx_mps in any order. p_Pa may be
// empty or nan: the tyre's own. Nothing is written unless every row is good, nor over a file that was read.
JN_API jn_status jn_tyre_table_write(const jn_tyre *tyre, const char *points, const char *file,
                                     jn_error *err);

#ifdef __cplusplus
}
#endif

#endif
