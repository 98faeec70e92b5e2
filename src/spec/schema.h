// schema.h: the model file as one set of lists.
//
// Each list below is an object of the file: its keys, what kind of value they take, in which unit,
// whether they may be left out, and a sentence. The C structs, the reader's tables, the writer and
// docs/format.md are all made from these lists; nothing about a key is stated anywhere else.
#ifndef JN_SPEC_SCHEMA_H
#define JN_SPEC_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

// ---- kinds of values, and how docs call them ---------------------------------------------------

typedef struct jn_auto {
  double value;
  bool automatic;  // the file says "auto": chosen so that the design position is balanced
} jn_auto;

typedef struct jn_vectors {  // one vector, or one for each of two bodies
  int n;
  double v[2][3];
} jn_vectors;

enum { JN_PLACES_MOST = 8 };

typedef struct jn_places {
  int n;
  double v[JN_PLACES_MOST][3];
} jn_places;

typedef struct jn_indices {
  int n;
  const int *i;
} jn_indices;

enum { JN_NUMBERS_MOST = 8 };

typedef struct jn_numbers {
  int n;
  double v[JN_NUMBERS_MOST];
} jn_numbers;

typedef struct jn_texts {
  int n;
  const char *const *text;
  const jn_pos *pos;  // where each of them stands
} jn_texts;

typedef struct jn_curve_spec {
  int n;
  const double *x, *y;
  int method;   // index into JN_CURVE_METHODS
  int outside;  // index into JN_CURVE_OUTSIDE
} jn_curve_spec;

enum { JN_CARPET_MOST_SLIPS = 31, JN_CARPET_MOST_LOADS = 15 };

typedef struct jn_carpet_spec {  // a table over slip and load
  int nslip, nload;              // no loads: not given
  const double *slip, *load;
  const double *value;  // (nload x nslip)
  jn_pos pos;
} jn_carpet_spec;

enum { JN_MAP_MOST = 63 };

typedef struct jn_map_spec {  // force over deflection and rate together
  int n, nrate;               // none: not given
  const double *deflection, *rate;
  const double *value;  // (nrate x n)
  int method, outside;  // as of a curve
  jn_pos pos;
} jn_map_spec;

typedef struct jn_parameters {  // those of a list are called "1", "2", ...
  int n;
  const char *const *name;
  const double *value;
} jn_parameters;

typedef double jn_two[2], jn_three[3], jn_four[4], jn_six[6];
typedef int jn_two_bodies[2];
typedef struct jn_motion_spec jn_motion_spec;  // made of its list below
typedef struct jn_patches jn_patches;

// What it is called, in C (void: never inside an element), in docs.
#define JN_TYPES(X)                                                                                \
  X(NUMBER, double, "number")                                                                      \
  X(AUTO, jn_auto, "number or `auto`")                                                             \
  X(INTEGER, int, "whole number")                                                                  \
  X(FLAG, bool, "`true` or `false`")                                                               \
  X(TEXT, const char *, "text")                                                                    \
  X(CHOICE, int, "one of the words")                                                               \
  X(POINT, jn_three, "point [x, y, z] or the name of one in `points`")                             \
  X(POINTS, jn_vectors, "point, or a list of two points")                                          \
  X(PLACES, jn_places, "list of 1 to 8 points")                                                    \
  X(VECTOR, jn_three, "vector [x, y, z]")                                                          \
  X(AXIS, jn_three, "direction [x, y, z], of any length but zero")                                 \
  X(AXES, jn_vectors, "direction, or a list of two directions")                                    \
  X(TRIPLE, jn_three, "three numbers, along the element's own axes")                               \
  X(PAIR, jn_two, "two numbers")                                                                   \
  X(NUMBERS, jn_numbers, "list of 1 to 8 numbers")                                                 \
  X(NEVER, double, "number or `never`")                                                            \
  X(INERTIA, jn_six, "[xx, yy, zz] or [xx, yy, zz, xy, xz, yz]")                                   \
  X(ORIENTATION, jn_four,                                                                          \
    "quaternion [w, x, y, z], or angles [roll, pitch, yaw]: yaw about z, then pitch about the "    \
    "new y, then roll about the new x")                                                            \
  X(BODY, int, "name of a body, or `ground`")                                                      \
  X(BODIES, jn_two_bodies, "two names of bodies, one of which may be `ground`")                    \
  X(JOINT, int, "name of a joint")                                                                 \
  X(JOINTS, jn_indices, "list of names of joints")                                                 \
  X(TYRE, int, "name of one in `tyres`")                                                           \
  X(CURVE, jn_curve_spec, "list of points [x, y], or a mapping (see curves)")                      \
  X(SERIES, jn_curve_spec, "list of at least two points [x, y], x rising")                         \
  X(CARPET, jn_carpet_spec, "mapping (see tables of a tyre)")                                      \
  X(MAP, jn_map_spec, "mapping (see maps)")                                                        \
  X(NAME, const char *, "name of an element of the model")                                         \
  X(NAMES, jn_texts, "name of an element of the model, or a list of them")                         \
  X(CHANNEL, const char *, "name of a channel")                                                    \
  X(CHANNELS, jn_texts,                                                                            \
    "name of a channel, in which `*` stands for any characters, or a list of them")                \
  X(MOTION, jn_motion_spec, "mapping (see motion)")                                                \
  X(UNITS, void, "mapping (see units)")                                                            \
  X(FILES, void, "file name, or a list of them")                                                   \
  X(FILE, const char *, "file name, relative to this file")                                        \
  X(PARAMETERS, jn_parameters, "mapping from names to numbers, or a list of numbers; in no units") \
  X(SECTION, void, "mapping from names to elements")                                               \
  X(TOPOLOGY, void, "mapping (see topology)")                                                      \
  X(ROAD, void, "mapping (see road)")                                                              \
  X(PATCHES, jn_patches, "mapping from names to patches (see patch)")                              \
  X(RECORD, void, "mapping (see record)")

#define X(type, ctype, text) JN_T_##type,
typedef enum jn_type { JN_TYPES(X) JN_NTYPE } jn_type;
#undef X
#define X(type, ctype, text) typedef ctype jn_value_##type;
JN_TYPES(X)
#undef X

// ---- quantities: powers of the file's units ---------------------------------------------------
// length, mass, time, angle, force; then the SI unit. Force has a unit of its own, so that a file in
// millimetres writes N/mm. The four JOINT_ ones are of length or of angle, as the joint moves.

#define JN_QUANTITIES(X)                                        \
  X(ONE, 0, 0, 0, 0, 0, "1")                                    \
  X(LENGTH, 1, 0, 0, 0, 0, "m")                                 \
  X(MASS, 0, 1, 0, 0, 0, "kg")                                  \
  X(TIME, 0, 0, 1, 0, 0, "s")                                   \
  X(ANGLE, 0, 0, 0, 1, 0, "rad")                                \
  X(FORCE, 0, 0, 0, 0, 1, "N")                                  \
  X(TORQUE, 1, 0, 0, 0, 1, "N m")                               \
  X(INERTIA, 2, 1, 0, 0, 0, "kg m²")                            \
  X(SPEED, 1, 0, -1, 0, 0, "m/s")                               \
  X(RATE, 0, 0, -1, 1, 0, "rad/s")                              \
  X(ACCELERATION, 1, 0, -2, 0, 0, "m/s²")                       \
  X(FREQUENCY, 0, 0, -1, 0, 0, "Hz")                            \
  X(PER_TIME, 0, 0, -1, 0, 0, "1/s")                            \
  X(INPUT, 0, 0, 0, 0, 0, "SI")                                 \
  X(PER_SPEED, -1, 0, 1, 0, 0, "s/m")                           \
  X(STIFFNESS, -1, 0, 0, 0, 1, "N/m")                           \
  X(DAMPING, -1, 0, 1, 0, 1, "N s/m")                           \
  X(TURN_STIFFNESS, 1, 0, 0, -1, 1, "N m/rad")                  \
  X(TURN_DAMPING, 1, 0, 1, -1, 1, "N m s/rad")                  \
  X(FORCE_PER_ANGLE, 0, 0, 0, -1, 1, "N/rad")                   \
  X(TORQUE_PER_SPEED, 0, 0, 1, 0, 1, "N m s/m")                 \
  X(PRESSURE, -2, 0, 0, 0, 1, "Pa")                             \
  X(JOINT_VALUE, 0, 0, 0, 0, 0, "m or rad")                     \
  X(JOINT_SPEED, 0, 0, 0, 0, 0, "m/s or rad/s")                 \
  X(JOINT_STIFFNESS, 0, 0, 0, 0, 0, "N/m or N m/rad")           \
  X(JOINT_DAMPING, 0, 0, 0, 0, 0, "N s/m or N m s/rad")         \
  X(FORCE_OVER_LENGTH, 0, 0, 0, 0, 0, "m, N")                   \
  X(FORCE_OVER_SPEED, 0, 0, 0, 0, 0, "m/s, N")                  \
  X(FORCE_OVER_ANGLE, 0, 0, 0, 0, 0, "rad, N")                  \
  X(FORCE_OVER_SLIP, 0, 0, 0, 0, 0, "1, N")                     \
  X(TORQUE_OVER_ANGLE, 0, 0, 0, 0, 0, "rad, N m")               \
  X(TORQUE_OVER_RATE, 0, 0, 0, 0, 0, "rad/s, N m")              \
  X(FORCE_MAP, 0, 0, 0, 0, 0, "m, m/s, N")                      \
  X(TORQUE_MAP, 0, 0, 0, 0, 0, "rad, rad/s, N m")               \
  X(ANGLE_OVER_FORCE, 0, 0, 0, 0, 0, "N, rad")                  \
  X(ANGLE_OVER_TORQUE, 0, 0, 0, 0, 0, "N m, rad")               \
  X(JOINT_VALUE_OVER_TIME, 0, 0, 0, 0, 0, "s, m or rad")        \
  X(INPUT_OVER_TIME, 0, 0, 0, 0, 0, "s, SI")                    \
  X(FORCE_PER_LENGTHS, 0, 0, 0, 0, 0, "N/m, N/m², ...")         \
  X(FORCE_PER_SPEEDS, 0, 0, 0, 0, 0, "N s/m, N s²/m², ...")     \
  X(TORQUE_PER_ANGLES, 0, 0, 0, 0, 0, "N m/rad, N m/rad², ...") \
  X(TORQUE_PER_RATES, 0, 0, 0, 0, 0, "N m s/rad, N m s²/rad², ...")

#define X(q, l, m, t, a, f, si) JN_Q_##q,
typedef enum jn_quantity { JN_QUANTITIES(X) JN_NQUANTITY } jn_quantity;
#undef X

// dimension, name, and the SI value of one as a ratio: 235 mm is 235 / 1000 m, rounded once
#define JN_UNITS(X)                              \
  X(LENGTH, "m", 1.0, 1.0)                       \
  X(LENGTH, "mm", 1.0, 1000.0)                   \
  X(LENGTH, "cm", 1.0, 100.0)                    \
  X(LENGTH, "km", 1000.0, 1.0)                   \
  X(LENGTH, "in", 254.0, 10000.0)                \
  X(LENGTH, "ft", 3048.0, 10000.0)               \
  X(MASS, "kg", 1.0, 1.0)                        \
  X(MASS, "g", 1.0, 1000.0)                      \
  X(MASS, "t", 1000.0, 1.0)                      \
  X(MASS, "lb", 45359237.0, 100000000.0)         \
  X(MASS, "slug", 14.593902937206364, 1.0)       \
  X(TIME, "s", 1.0, 1.0)                         \
  X(TIME, "ms", 1.0, 1000.0)                     \
  X(ANGLE, "rad", 1.0, 1.0)                      \
  X(ANGLE, "deg", 3.14159265358979323846, 180.0) \
  X(FORCE, "N", 1.0, 1.0)                        \
  X(FORCE, "kN", 1000.0, 1.0)                    \
  X(FORCE, "lbf", 44482216152605.0, 10000000000000.0)

enum { JN_DIM_LENGTH, JN_DIM_MASS, JN_DIM_TIME, JN_DIM_ANGLE, JN_DIM_FORCE, JN_NDIM };

// ---- words ------------------------------------------------------------------------------------

#define JN_AXES_WORDS(X)                                \
  X(ISO, "iso", "ISO 8855: x forward, y left, z up")    \
  X(SAE, "sae", "SAE J670: x forward, y right, z down") \
  X(DADS, "dads", "DADS: x right, y forward, z up")

#define JN_CURVE_METHODS(X)                                                                      \
  X(LINEAR, "linear", "straight lines")                                                          \
  X(AKIMA, "akima", "Akima's piecewise cubic: smooth, beside steps it may go beyond the points") \
  X(MONOTONE, "monotone", "piecewise cubic that is monotone where the points are")

#define JN_CURVE_OUTSIDE(X)         \
  X(HOLD, "hold", "the last value") \
  X(LINEAR, "linear", "a straight line with the last slope")

#define JN_FRAME_WORDS(X)                \
  X(WORLD, "world", "axes of the world") \
  X(BODY, "body", "axes that turn with the body")

#define X(kind, word, help) JN_FRAME_##kind,
enum { JN_FRAME_WORDS(X) };
#undef X

#define JN_SIDE_WORDS(X)              \
  X(LEFT, "left", "the left side")    \
  X(RIGHT, "right", "the right side") \
  X(EITHER, "either", "symmetric, or not known: nothing is mirrored")

#define JN_FORMULAS_WORDS(X)                                                                   \
  X(PAPER, "paper", "as TNO's program is known to have them: slip angle and camber as angles") \
  X(BOOK, "book", "as Pacejka's book prints them: tangent and sine")

#define JN_COMBINED_WORDS(X)                                                                    \
  X(WEIGHTING, "weighting", "by the coefficients of the file; those that are absent are zero")  \
  X(ELLIPSE, "ellipse", "the friction ellipse of PAC2002, for files without such coefficients") \
  X(TYPICAL, "typical", "as weighting, with typical values of coefficients that are absent")

#define JN_SQUARE_WORDS(X)                              \
  X(INSIDE, "inside", "cos(QSX5 atan((QSX6 Fz/Fz0)²))") \
  X(OUTSIDE, "outside", "cos(QSX5 (atan(QSX6 Fz/Fz0))²)")

#define JN_RESISTANCE_WORDS(X)                                      \
  X(NOMINAL, "nominal", "of the nominal load, times (Fz/Fz0)^QSY7") \
  X(LOAD, "load", "of the load itself, times the same")

#define X(kind, word, help) JN_SIDE_##kind,
enum { JN_SIDE_WORDS(X) };
#undef X

// ---- objects: X(type, key, quantity, need, range, words, help) -----------------------------------
// need: REQUIRED, or the default as docs print it. A default that is a number is also what the
// reader puts there. range: ANY, ABOVE_ZERO, NOT_NEGATIVE, NOT_ZERO.

#define REQUIRED NULL

#define JN_MODEL(X)                                                                               \
  X(INTEGER, jounce, ONE, REQUIRED, ANY, NULL, "version of the format: 1")                        \
  X(TEXT, name, ONE, "file name", ANY, NULL, "what reports call the model")                       \
  X(TEXT, description, ONE, "none", ANY, NULL, "anything a reader should know")                   \
  X(UNITS, units, ONE, "SI", ANY, NULL, "units of this file's numbers")                           \
  X(CHOICE, axes, ONE, "iso", ANY, jn_axes_words, "axes of this file's vectors")                  \
  X(FILES, include, ONE, "none", ANY, NULL,                                                       \
    "files read first; this file overrides them, key by key")                                     \
  X(VECTOR, gravity, ACCELERATION, "[0, 0, -9.81] in ISO axes", ANY, NULL,                        \
    "acceleration of free fall")                                                                  \
  X(SECTION, points, ONE, "none", ANY, NULL, "named points, to be written once and used by name") \
  X(SECTION, bodies, ONE, REQUIRED, ANY, NULL, "rigid bodies (see body)")                         \
  X(SECTION, joints, ONE, "none", ANY, NULL, "joints (see joint)")                                \
  X(SECTION, tyres, ONE, "none", ANY, NULL, "tyre data that wheels refer to (see tyre)")          \
  X(SECTION, forces, ONE, "none", ANY, NULL, "force elements (see force)")                        \
  X(SECTION, components, ONE, "none", ANY, NULL, "controllers and the like (see component)")      \
  X(SECTION, initial, ONE, "at rest in the design position", ANY, NULL,                           \
    "initial values of joints and velocities of bodies (see initial)")                            \
  X(TOPOLOGY, topology, ONE, "automatic", ANY, NULL, "choices of the user, otherwise automatic")

#define JN_BODY(X)                                                                      \
  X(NUMBER, mass, MASS, REQUIRED, ABOVE_ZERO, NULL, "mass")                             \
  X(POINT, cg, LENGTH, REQUIRED, ANY, NULL, "centre of gravity in the design position") \
  X(INERTIA, inertia, INERTIA, REQUIRED, ANY, NULL,                                     \
    "matrix elements of the inertia about the centre of gravity, in the body's axes")   \
  X(ORIENTATION, orientation, ANGLE, "vehicle axes", ANY, NULL,                         \
    "the body's axes in the design position")                                           \
  X(BODY, parent, ONE, "automatic", ANY, NULL,                                          \
    "for a body that no joint reaches: what its free joint is relative to")

#define JN_JOINT(X)                                                                       \
  X(BODIES, bodies, ONE, REQUIRED, ANY, NULL,                                             \
    "the two bodies; reactions are reported on the second")                               \
  X(POINTS, at, LENGTH, "see joint types", ANY, NULL, "joint point, or one on each body") \
  X(AXES, axis, ONE, "see joint types", ANY, NULL, "joint axis, or one on each body")     \
  X(NUMBER, lead, LENGTH, "see joint types", NOT_ZERO, NULL,                              \
    "screw: travel along the axis in one turn, right-handed if positive")                 \
  X(MOTION, motion, ONE, "free to move", ANY, NULL, "prescribed motion: the joint is driven")

#define JN_MOTION(X)                                                               \
  X(CHANNEL, channel, ONE, "none", ANY, NULL,                                      \
    "channel that gives the joint's value; where that jumps, a filter is needed")  \
  X(NUMBER, filter, TIME, "none", ABOVE_ZERO, NULL,                                \
    "time constant of a critically damped second-order filter behind the channel") \
  X(CURVE, curve, JOINT_VALUE_OVER_TIME, "none", ANY, NULL, "the joint's value over time")

#define JN_TOPOLOGY(X)                                    \
  X(BODY, base, ONE, "automatic", ANY, NULL, "base body") \
  X(JOINTS, cut, ONE, "automatic", ANY, NULL, "joints that must be cut")

#define JN_TSDA(X)                                                                            \
  X(BODIES, bodies, ONE, REQUIRED, ANY, NULL, "the two bodies")                               \
  X(POINTS, at, LENGTH, REQUIRED, ANY, NULL, "two attachment points, one on each body")       \
  X(NUMBER, stiffness, STIFFNESS, "0", ANY, NULL, "tension per lengthening")                  \
  X(NUMBER, damping, DAMPING, "0", ANY, NULL, "tension per rate of lengthening")              \
  X(AUTO, free_length, LENGTH, "length in the design position", ABOVE_ZERO, NULL,             \
    "length without spring force")                                                            \
  X(AUTO, preload, FORCE, "0", ANY, NULL, "constant tension added")                           \
  X(CURVE, spring_curve, FORCE_OVER_LENGTH, "none", ANY, NULL,                                \
    "tension over lengthening, added to the linear term")                                     \
  X(CURVE, damper_curve, FORCE_OVER_SPEED, "none", ANY, NULL,                                 \
    "tension over rate of lengthening, added to the linear term")                             \
  X(NUMBERS, spring_polynomial, FORCE_PER_LENGTHS, "none", ANY, NULL,                         \
    "tension over lengthening x: coefficients of x, x², x³ ..., added to the linear term")    \
  X(NUMBERS, damper_polynomial, FORCE_PER_SPEEDS, "none", ANY, NULL,                          \
    "tension over rate of lengthening, likewise")                                             \
  X(MAP, map, FORCE_MAP, "none", ANY, NULL,                                                   \
    "tension over lengthening and its rate together, added to the other terms")               \
  X(CHANNEL, channel, ONE, "none", ANY, NULL, "actuator: channel that gives further tension") \
  X(NUMBER, lag, TIME, "0", NOT_NEGATIVE, NULL,                                               \
    "time constant of a first-order lag behind the channel")

#define JN_RSDA(X)                                                                              \
  X(JOINT, joint, ONE, REQUIRED, ANY, NULL, "revolute, cylindrical or screw joint it acts in")  \
  X(NUMBER, stiffness, TURN_STIFFNESS, "0", ANY, NULL, "torque per angle; turns are counted")   \
  X(NUMBER, damping, TURN_DAMPING, "0", ANY, NULL, "torque per angular speed")                  \
  X(AUTO, free_angle, ANGLE, "0", ANY, NULL, "joint angle without spring torque")               \
  X(AUTO, preload, TORQUE, "0", ANY, NULL, "constant torque added")                             \
  X(CURVE, spring_curve, TORQUE_OVER_ANGLE, "none", ANY, NULL,                                  \
    "torque over angle, added to the linear term")                                              \
  X(CURVE, damper_curve, TORQUE_OVER_RATE, "none", ANY, NULL,                                   \
    "torque over angular speed, added to the linear term")                                      \
  X(NUMBERS, spring_polynomial, TORQUE_PER_ANGLES, "none", ANY, NULL,                           \
    "torque over angle x from the free one: coefficients of x, x², x³ ..., added likewise")     \
  X(NUMBERS, damper_polynomial, TORQUE_PER_RATES, "none", ANY, NULL,                            \
    "torque over angular speed, likewise")                                                      \
  X(MAP, map, TORQUE_MAP, "none", ANY, NULL,                                                    \
    "torque over angle from the free one and angular speed together, added to the other terms") \
  X(CHANNEL, channel, ONE, "none", ANY, NULL, "actuator: channel that gives further torque")    \
  X(NUMBER, lag, TIME, "0", NOT_NEGATIVE, NULL,                                                 \
    "time constant of a first-order lag behind the channel")

#define JN_BUSHING(X)                                                                              \
  X(BODIES, bodies, ONE, REQUIRED, ANY, NULL, "the two bodies; its axes turn with the first")      \
  X(POINTS, at, LENGTH, REQUIRED, ANY, NULL,                                                       \
    "centre; the reaction acts at the second body's point")                                        \
  X(AXES, axes, ONE, "vehicle axes", ANY, NULL,                                                    \
    "two directions: the first axis, and a second one that spans the plane of axes 1 and 2")       \
  X(TRIPLE, stiffness, STIFFNESS, "0", NOT_NEGATIVE, NULL, "along the three axes")                 \
  X(TRIPLE, damping, DAMPING, "0", NOT_NEGATIVE, NULL, "along the three axes")                     \
  X(TRIPLE, rotational_stiffness, TURN_STIFFNESS, "0", NOT_NEGATIVE, NULL, "about the three axes") \
  X(TRIPLE, rotational_damping, TURN_DAMPING, "0", NOT_NEGATIVE, NULL, "about the three axes")

#define JN_SERVO(X)                                                                     \
  X(JOINT, joint, ONE, REQUIRED, ANY, NULL, "joint with one coordinate that it drives") \
  X(NUMBER, stiffness, JOINT_STIFFNESS, REQUIRED, NOT_NEGATIVE, NULL,                   \
    "force or torque per difference to the channel")                                    \
  X(NUMBER, damping, JOINT_DAMPING, "0", NOT_NEGATIVE, NULL,                            \
    "force or torque per difference to the channel's rate")                             \
  X(CHANNEL, channel, ONE, REQUIRED, ANY, NULL, "channel that gives the wanted joint value")

#define JN_FORCE(X)                                                                             \
  X(BODY, body, ONE, REQUIRED, ANY, NULL, "body that it acts on")                               \
  X(POINT, at, LENGTH, "centre of gravity", ANY, NULL, "point of the body that it acts at")     \
  X(VECTOR, force, FORCE, REQUIRED, ANY, NULL, "force, or force per unit of the channel")       \
  X(CHOICE, frame, ONE, "world", ANY, jn_frame_words, "axes in which the force stays constant") \
  X(CHANNEL, channel, ONE, "none", ANY, NULL, "channel that the force is multiplied with")      \
  X(NUMBER, lag, TIME, "0", NOT_NEGATIVE, NULL,                                                 \
    "time constant of a first-order lag behind the channel")

#define JN_TORQUE(X)                                                                           \
  X(BODIES, bodies, ONE, REQUIRED, ANY, NULL, "acts on the second, its reaction on the first") \
  X(AXIS, axis, ONE, REQUIRED, ANY, NULL, "direction, fixed in the first body")                \
  X(NUMBER, torque, TORQUE, REQUIRED, ANY, NULL, "torque, or torque per unit of the channel")  \
  X(NUMBER, start, TIME, "from the beginning", ANY, NULL, "instant from which it acts")        \
  X(CHANNEL, channel, ONE, "none", ANY, NULL, "channel that the torque is multiplied with")    \
  X(NUMBER, lag, TIME, "0", NOT_NEGATIVE, NULL,                                                \
    "time constant of a first-order lag behind the channel")

#define JN_PLUGIN(X)                                                                            \
  X(FILE, plugin, ONE, REQUIRED, ANY, NULL, "shared object with the element (jounce/plugin.h)") \
  X(BODIES, bodies, ONE, REQUIRED, ANY, NULL, "acts on the second, its reaction on the first")  \
  X(POINTS, at, LENGTH, REQUIRED, ANY, NULL, "one point for both bodies, or one on each")       \
  X(PARAMETERS, parameters, ONE, "none", ANY, NULL, "what the plug-in is given")

#define JN_CONTACT(X)                                                                           \
  X(BODY, body, ONE, REQUIRED, ANY, NULL, "body that the road pushes back")                     \
  X(PLACES, at, LENGTH, REQUIRED, ANY, NULL, "its points, such as corners of roof and sill")    \
  X(NUMBER, stiffness, STIFFNESS, REQUIRED, ABOVE_ZERO, NULL, "of each point, per depth")       \
  X(NUMBER, damping, PER_SPEED, "0.5", NOT_NEGATIVE, NULL,                                      \
    "share of the elastic force that is added per speed of approach, and taken off in retreat") \
  X(NUMBER, friction, ONE, "0.5", NOT_NEGATIVE, NULL, "times that of the road")

// How a suspension holds the wheel of a tyre.
#define JN_MOUNTING(X)                                                                      \
  X(CHOICE, side, ONE, "left where y is above zero, right where below", ANY, jn_side_words, \
    "side of the vehicle: a tyre measured on the other one is mirrored")                    \
  X(CURVE, steer_by_force, ANGLE_OVER_FORCE, "none", ANY, NULL,                             \
    "compliance: angle to the left over side force to the left")                            \
  X(CURVE, steer_by_torque, ANGLE_OVER_TORQUE, "none", ANY, NULL,                           \
    "compliance: angle to the left over aligning torque, upwards positive")                 \
  X(CURVE, camber_by_force, ANGLE_OVER_FORCE, "none", ANY, NULL,                            \
    "compliance: lean to the right over side force to the left")                            \
  X(CURVE, camber_by_torque, ANGLE_OVER_TORQUE, "none", ANY, NULL,                          \
    "compliance: lean to the right over aligning torque")                                   \
  X(NUMBER, compliance_lag, TIME, "5e-3", ABOVE_ZERO, NULL,                                 \
    "time constant with which compliances follow")

#define JN_WHEEL(X)                                                                         \
  X(BODY, body, ONE, REQUIRED, ANY, NULL, "body that carries the wheel's mass and bearing") \
  X(POINT, at, LENGTH, REQUIRED, ANY, NULL, "wheel centre")                                 \
  X(AXIS, axis, ONE, "[0, 1, 0] in ISO axes", ANY, NULL, "spin axis, to the left")          \
  X(NUMBER, inertia, INERTIA, REQUIRED, ABOVE_ZERO, NULL,                                   \
    "about the spin axis, a state of its own")                                              \
  X(TYRE, tyre, ONE, REQUIRED, ANY, NULL, "its tyre")                                       \
  X(FLAG, gyroscopic, ONE, "true", ANY, NULL, "apply the gyroscopic moment of the spin")    \
  X(FLAG, steered, ONE, "false", ANY, NULL,                                                 \
    "turns about the body's z axis by the channel wheel.NAME.steer, without a linkage")     \
  JN_MOUNTING(X)                                                                            \
  X(BODY, reaction, ONE, "the same body", ANY, NULL,                                        \
    "body that takes the reaction of the driving torque, where it does not turn with the wheel")

#define JN_TYRE_CONTACT(X)                                                            \
  X(BODY, body, ONE, REQUIRED, ANY, NULL, "wheel body, on a joint that lets it spin") \
  X(POINT, at, LENGTH, REQUIRED, ANY, NULL, "wheel centre")                           \
  X(AXIS, axis, ONE, "[0, 1, 0] in ISO axes", ANY, NULL, "spin axis, to the left")    \
  X(TYRE, tyre, ONE, REQUIRED, ANY, NULL, "its tyre")                                 \
  JN_MOUNTING(X)                                                                      \
  X(BODY, reaction, ONE, "the bearing's other body", ANY, NULL,                       \
    "body that takes the reaction of the driving torque")

// The order of a tyre's keys is that of its kernel's parameters (elements/tyre/tyre_kinds.h).
#define JN_TYRE_VERTICAL(X)                                                \
  X(NUMBER, radius, LENGTH, REQUIRED, ABOVE_ZERO, NULL, "unloaded radius") \
  X(NUMBER, stiffness, STIFFNESS, REQUIRED, ABOVE_ZERO, NULL, "vertical")  \
  X(NUMBER, damping, DAMPING, "0", NOT_NEGATIVE, NULL, "vertical")

#define JN_TYRE_LINEAR(X)                                                                      \
  JN_TYRE_VERTICAL(X)                                                                          \
  X(NUMBER, slip_stiffness, FORCE, REQUIRED, ABOVE_ZERO, NULL, "longitudinal force per slip")  \
  X(NUMBER, cornering_stiffness, FORCE_PER_ANGLE, REQUIRED, ABOVE_ZERO, NULL,                  \
    "side force per slip angle")                                                               \
  X(NUMBER, load, FORCE, REQUIRED, ABOVE_ZERO, NULL, "load below which both stiffnesses fade") \
  X(NUMBER, friction, ONE, REQUIRED, ABOVE_ZERO, NULL, "limit of the force pair over the load")

#define JN_TYRE_MF_SIMPLE(X)                                                                   \
  JN_TYRE_VERTICAL(X)                                                                          \
  X(NUMBER, rolling_radius, LENGTH, REQUIRED, ABOVE_ZERO, NULL, "effective rolling radius")    \
  X(NUMBER, relaxation_length, LENGTH, REQUIRED, ABOVE_ZERO, NULL, "of the longitudinal slip") \
  X(NUMBER, b, ONE, REQUIRED, ANY, NULL, "stiffness factor")                                   \
  X(NUMBER, c, ONE, REQUIRED, ANY, NULL, "shape factor")                                       \
  X(NUMBER, d, ONE, REQUIRED, ANY, NULL, "peak over load")                                     \
  X(NUMBER, e, ONE, REQUIRED, ANY, NULL, "curvature factor")                                   \
  X(CHOICE, frame, ONE, "body", ANY, jn_frame_words,                                           \
    "longitudinal is x of the world (on a rig), or turns with the wheel")

#define JN_TYRE_BRUSH(X)                                                                           \
  JN_TYRE_LINEAR(X)                                                                                \
  X(NUMBER, relaxation_x, LENGTH, "2e-1", ABOVE_ZERO, NULL,                                        \
    "relaxation length of the longitudinal force")                                                 \
  X(NUMBER, relaxation_y, LENGTH, "4e-1", ABOVE_ZERO, NULL, "relaxation length of the side force") \
  X(NUMBER, lead, TIME, "5e-3", ABOVE_ZERO, NULL,                                                  \
    "damping time: by which the force leads the tread's deflection; damps a wheel that stands")

#define JN_TYRE_MAGIC_FORMULA(X)                                                                   \
  X(FILE, file, ONE, "none: all is given here", ANY, NULL, "tyre property file (.tir)")            \
  X(INTEGER, version, ONE, "that of the file", ANY, NULL, "of the formulas: 52 or 61")             \
  X(CHOICE, measured, ONE, "as the file says", ANY, jn_side_words, "side it was measured on")      \
  X(PARAMETERS, coefficients, ONE, "those of the file", ANY, NULL,                                 \
    "by their names in such files, in SI; they override the file's")                               \
  X(SERIES, load_curve, FORCE_OVER_LENGTH, "none", ANY, NULL,                                      \
    "load over deflection, in place of the vertical stiffness")                                    \
  X(SERIES, bottoming_curve, FORCE_OVER_LENGTH, "none", ANY, NULL,                                 \
    "further load over deflection, or over depth below BOTTOMING_RADIUS where that is given")      \
  X(NUMBER, pressure, PRESSURE, "that of the file", ABOVE_ZERO, NULL, "of inflation")              \
  X(INTEGER, use_mode, ONE, "that of the file", ANY, NULL,                                         \
    "0 to 4: no force along the road, Fx, Fy, both, both combined; +10 relaxation, +20 nonlinear") \
  X(CHOICE, formulas, ONE, "paper", ANY, jn_formulas_words, "where publications differ")           \
  X(FLAG, capped, ONE, "true", ANY, NULL, "curvature factors are at most 1")                       \
  X(NUMBER, digression, ONE, "1", ABOVE_ZERO, NULL,                                                \
    "factor A of the friction scaling of vertical shifts; the book has 10")                        \
  X(CHOICE, combined, ONE, "weighting", ANY, jn_combined_words, "forces at combined slip")         \
  X(FLAG, newer, ONE, "false", ANY, NULL, "use coefficients of 6.1 that a file of 5.2 gives")      \
  X(CHOICE, overturning, ONE, "inside", ANY, jn_square_words, "square in the overturning moment")  \
  X(CHOICE, resistance, ONE, "nominal", ANY, jn_resistance_words, "rolling resistance of 6.1")     \
  X(NUMBER, lead, TIME, "5e-3", ABOVE_ZERO, NULL,                                                  \
    "damping time: by which the force leads the tread's deflection; damps a wheel that stands")

// Keys that all tyres with a steady-state law share: load, and how a tyre stands.
#define JN_TYRE_ROLLING(X)                                                              \
  X(NUMBER, radius, LENGTH, REQUIRED, ABOVE_ZERO, NULL, "unloaded radius")              \
  X(NUMBER, stiffness, STIFFNESS, "that of load_curve", ABOVE_ZERO, NULL,               \
    "vertical; needed where there is no load_curve")                                    \
  X(SERIES, load_curve, FORCE_OVER_LENGTH, "none", ANY, NULL,                           \
    "load over deflection, from [0, 0] on and rising, instead of the stiffness")        \
  X(NUMBER, damping, DAMPING, "0", NOT_NEGATIVE, NULL, "vertical, at the nominal load") \
  X(NUMBER, load, FORCE, REQUIRED, ABOVE_ZERO, NULL, "nominal load")                    \
  X(NUMBER, lead, TIME, "5e-3", ABOVE_ZERO, NULL,                                       \
    "damping time: by which the force leads the tread's deflection; damps a wheel that stands")

#define JN_TYRE_RELAXATION(X)                                    \
  X(NUMBER, rolling_resistance, LENGTH, "0", NOT_NEGATIVE, NULL, \
    "moment against the rolling over load")                      \
  X(NUMBER, relaxation_x, LENGTH, "2e-1", ABOVE_ZERO, NULL,      \
    "relaxation length of the longitudinal force")               \
  X(NUMBER, relaxation_y, LENGTH, "4e-1", ABOVE_ZERO, NULL, "relaxation length of the side force")

#define JN_TYRE_FIALA(X)                                                                        \
  JN_TYRE_ROLLING(X)                                                                            \
  X(NUMBER, slip_stiffness, FORCE, REQUIRED, ABOVE_ZERO, NULL, "longitudinal force per slip")   \
  X(NUMBER, cornering_stiffness, FORCE_PER_ANGLE, REQUIRED, ABOVE_ZERO, NULL,                   \
    "side force per slip angle")                                                                \
  X(NUMBER, friction, ONE, REQUIRED, ABOVE_ZERO, NULL, "limit of the force over load, no slip") \
  X(NUMBER, friction_sliding, ONE, "friction", ABOVE_ZERO, NULL,                                \
    "and at slips of 1 and more; linear between")                                               \
  X(NUMBER, width, LENGTH, "0", NOT_NEGATIVE, NULL, "sets the aligning torque")                 \
  JN_TYRE_RELAXATION(X)

#define JN_TYRE_CARPET(X)                                                      \
  JN_TYRE_ROLLING(X)                                                           \
  X(CARPET, side_force, FORCE_OVER_ANGLE, REQUIRED, ANY, NULL,                 \
    "over slip angle and load; ISO-W: negative at positive slip angles")       \
  X(CARPET, longitudinal_force, FORCE_OVER_SLIP, REQUIRED, ANY, NULL,          \
    "over slip and load; positive at positive slips, which drive")             \
  X(CARPET, aligning_torque, TORQUE_OVER_ANGLE, "none", ANY, NULL,             \
    "over slip angle and load; ISO-W: positive at small positive slip angles") \
  JN_TYRE_RELAXATION(X)

#define JN_TYRE_PLUGIN(X)                                                                   \
  JN_TYRE_ROLLING(X)                                                                        \
  X(FILE, plugin, ONE, REQUIRED, ANY, NULL, "shared object with the law (jounce/plugin.h)") \
  X(CHOICE, measured, ONE, "either", ANY, jn_side_words, "side that the law holds on")      \
  X(PARAMETERS, parameters, ONE, "none", ANY, NULL, "what the plug-in is given")

#define JN_INITIAL_JOINT(X)                                                                        \
  X(NUMBER, angle, ANGLE, "0", ANY, NULL,                                                          \
    "revolute, cylindrical, screw: from the design position")                                      \
  X(NUMBER, position, LENGTH, "0", ANY, NULL, "translational, cylindrical: likewise")              \
  X(NUMBER, speed, JOINT_SPEED, "0", ANY, NULL, "rate of the angle or (cylindrical) the position") \
  X(NUMBER, spin, RATE, "0", ANY, NULL, "cylindrical: rate of the angle")                          \
  X(PAIR, angles, ANGLE, "0", ANY, NULL, "universal: about the first and the second axis")         \
  X(PAIR, speeds, RATE, "0", ANY, NULL, "universal: their rates")                                  \
  X(ORIENTATION, orientation, ANGLE, "design position", ANY, NULL,                                 \
    "spherical, free: second body relative to the first, from the design position")                \
  X(VECTOR, angular_velocity, RATE, "0", ANY, NULL,                                                \
    "spherical, free: second body relative to the first, in the first body's axes")                \
  X(VECTOR, offset, LENGTH, "0", ANY, NULL,                                                        \
    "free, no-rotation: from the design position, in the first body's axes")                       \
  X(VECTOR, velocity, SPEED, "0", ANY, NULL, "free, no-rotation: likewise, the rate of the offset")

#define JN_INITIAL_BODY(X)                                                                     \
  X(VECTOR, velocity, SPEED, "follows from the joints", ANY, NULL, "of the centre of gravity") \
  X(VECTOR, angular_velocity, RATE, "follows from the joints", ANY, NULL, "of the body, world axes")

#define JN_INITIAL_WHEEL(X)              \
  X(NUMBER, speed, RATE, "0", ANY, NULL, \
    "spin against the body that carries it, forward if positive")

// ---- kinds: elements distinguished by their key `type` ------------------------------------------------

// What a joint of a kind has by name: coordinates, which are channels and initial values of these names, and keys of its own.
enum {
  JN_HAS_NONE = 0,
  JN_HAS_ANGLE = 1,
  JN_HAS_POSITION = 2,  // with an angle too, the rate of that is its spin
  JN_HAS_ANGLES = 4,    // two
  JN_HAS_ORIENTATION = 8,
  JN_HAS_OFFSET = 16,
  JN_HAS_LEAD = 32,  // the key `lead`
  JN_HAS_BOTH = JN_HAS_ANGLE | JN_HAS_POSITION
};

// kind, word, coordinates, rows when cut, weight [TsH89], points and axes (least, most), may be driven, what it has by name, help
#define JN_JOINT_KINDS(X)                                                                          \
  X(FIXED, "fixed", 0, 6, 0.0, 0, 2, 0, 0, 0, JN_HAS_NONE, "no motion")                            \
  X(REVOLUTE, "revolute", 1, 5, 1.1, 1, 2, 1, 2, 1, JN_HAS_ANGLE, "turns about the axis")          \
  X(TRANSLATIONAL, "translational", 1, 5, 1.0, 1, 2, 1, 2, 1, JN_HAS_POSITION,                     \
    "slides along the axis")                                                                       \
  X(CYLINDRICAL, "cylindrical", 2, 4, 2.1, 1, 2, 1, 2, 0, JN_HAS_BOTH,                             \
    "turns about and slides along the axis")                                                       \
  X(UNIVERSAL, "universal", 2, 4, 2.2, 1, 2, 2, 2, 0, JN_HAS_ANGLES,                               \
    "turns about an axis of the first body and about an axis of the second")                       \
  X(SPHERICAL, "spherical", 3, 3, 3.0, 1, 2, 0, 0, 0, JN_HAS_ORIENTATION, "turns about the point") \
  X(PLANAR, "planar", 3, 3, 3.1, 1, 2, 1, 2, 0, JN_HAS_NONE,                                       \
    "slides in the plane normal to the axis, turns about it")                                      \
  X(SCREW, "screw", 1, 5, 1.1, 1, 2, 1, 2, 1, JN_HAS_ANGLE | JN_HAS_LEAD,                          \
    "turns about the axis and advances by the lead")                                               \
  X(FREE, "free", 6, 0, 6.5, 0, 1, 0, 0, 0, JN_HAS_ORIENTATION | JN_HAS_OFFSET,                    \
    "any motion: gives a body six coordinates")                                                    \
  X(NO_ROTATION, "no-rotation", 3, 3, 3.0, 0, 1, 0, 0, 0, JN_HAS_OFFSET,                           \
    "three translations, no rotation")                                                             \
  X(DISTANCE, "distance", 6, 1, 6.0, 2, 2, 0, 0, 0, JN_HAS_NONE,                                   \
    "massless rod between two spheres")                                                            \
  X(SPHERICAL_REVOLUTE, "spherical-revolute", 4, 2, 4.1, 2, 2, 1, 1, 0, JN_HAS_NONE,               \
    "massless link: turns about the axis at the first point on the first body, sphere at the "     \
    "second")                                                                                      \
  X(SPHERICAL_TRANSLATIONAL, "spherical-translational", 4, 2, 4.0, 1, 2, 1, 1, 0, JN_HAS_NONE,     \
    "massless slider: moves along the axis on the first body, sphere on the second")

// kind, word, list, member, help
#define JN_FORCE_KINDS(X)                                                                 \
  X(TSDA, "tsda", JN_TSDA, tsda, "spring, damper and actuator between two points")        \
  X(RSDA, "rsda", JN_RSDA, rsda, "spring, damper and actuator about a joint's axis")      \
  X(BUSHING, "bushing", JN_BUSHING, bushing, "stiffness and damping in six directions")   \
  X(SERVO, "servo", JN_SERVO, servo, "holds a joint coordinate to a channel")             \
  X(FORCE, "force", JN_FORCE, force, "force on a body")                                   \
  X(TORQUE, "torque", JN_TORQUE, torque, "torque between two bodies")                     \
  X(PLUGIN, "plugin", JN_PLUGIN, plugin, "force of a shared object")                      \
  X(CONTACT, "contact", JN_CONTACT, contact, "points that the road pushes back")          \
  X(WHEEL, "wheel", JN_WHEEL, wheel, "wheel whose spin is a state of its own, on a body") \
  X(TYRE, "tyre", JN_TYRE_CONTACT, tyre, "tyre of a wheel that is a body")

#define JN_TYRE_KINDS(X)                                                               \
  X(VERTICAL, "vertical", JN_TYRE_VERTICAL, vertical, "vertical force only")           \
  X(LINEAR, "linear", JN_TYRE_LINEAR, linear, "linear in slip up to a friction limit") \
  X(MF_SIMPLE, "mf-simple", JN_TYRE_MF_SIMPLE, mf_simple,                              \
    "longitudinal Magic Formula of four factors, with relaxation")                     \
  X(BRUSH, "brush", JN_TYRE_BRUSH, brush,                                              \
    "tread elements: combined slip with relaxation; stands still at rest")             \
  X(MAGIC_FORMULA, "magic-formula", JN_TYRE_MAGIC_FORMULA, magic_formula,              \
    "Magic Formula 5.2 or 6.1, from a tyre property file")                             \
  X(FIALA, "fiala", JN_TYRE_FIALA, fiala, "Fiala's formulas, with combined slip")      \
  X(CARPET, "carpet", JN_TYRE_CARPET, carpet,                                          \
    "tabulated tyre (carpet plot): measured forces over slips and load")               \
  X(PLUGIN, "plugin", JN_TYRE_PLUGIN, plugin, "law of a shared object")

#define X(kind, word, ...) JN_JOINT_##kind,
typedef enum jn_joint_kind { JN_JOINT_KINDS(X) JN_NJOINT_KIND } jn_joint_kind;
#undef X
#define X(kind, word, ...) JN_FORCE_##kind,
typedef enum jn_force_kind { JN_FORCE_KINDS(X) JN_NFORCE_KIND } jn_force_kind;
#undef X
#define X(kind, word, ...) JN_TYRE_##kind,
typedef enum jn_tyre_kind { JN_TYRE_KINDS(X) JN_NTYRE_KIND } jn_tyre_kind;
#undef X

// ---- structs ---------------------------------------------------------------------------------------
// Each begins with the set of keys that were given, bit i for the i-th key of its list.

#define JN_MEMBER(type, name, quantity, need, range, words, help) jn_value_##type name;
#define JN_BIT(type, name, quantity, need, range, words, help)    char name;
#define JN_STRUCT(tag, LIST)  \
  typedef struct tag {        \
    uint32_t given;           \
    LIST(JN_MEMBER)           \
  } tag;                      \
  typedef struct tag##_bits { \
    LIST(JN_BIT)              \
  } tag##_bits

// Was this key given? JN_GIVEN(&body->keys, jn_body_keys, orientation)
#define JN_GIVEN(values, tag, key) (((values)->given >> offsetof(tag##_bits, key)) & 1u)

JN_STRUCT(jn_body_keys, JN_BODY);
JN_STRUCT(jn_motion_spec, JN_MOTION);
JN_STRUCT(jn_joint_keys, JN_JOINT);
JN_STRUCT(jn_topology_spec, JN_TOPOLOGY);
#define X(kind, word, list, member, help) JN_STRUCT(jn_##member##_keys, list);
JN_FORCE_KINDS(X)
#undef X
#define X(kind, word, list, member, help) JN_STRUCT(jn_tyre_##member##_spec, list);
JN_TYRE_KINDS(X)
#undef X
JN_STRUCT(jn_tyre_rolling_spec, JN_TYRE_ROLLING);  // what those with a law begin with
JN_STRUCT(jn_initial_joint_keys, JN_INITIAL_JOINT);
JN_STRUCT(jn_initial_body_keys, JN_INITIAL_BODY);
JN_STRUCT(jn_initial_wheel_keys, JN_INITIAL_WHEEL);

// ---- tables ----------------------------------------------------------------------------------------

typedef enum jn_range { JN_R_ANY, JN_R_ABOVE_ZERO, JN_R_NOT_NEGATIVE, JN_R_NOT_ZERO } jn_range;

typedef struct jn_word {
  const char *word, *help;
} jn_word;

typedef struct jn_field {
  const char *key;
  jn_type type;
  jn_quantity quantity;
  const char *need;  // NULL: required; else the default, as docs print it
  jn_range range;
  const jn_word *words;  // of a CHOICE, closed by {NULL}
  size_t offset;
  const char *help;
} jn_field;

typedef struct jn_object {
  const jn_field *field;
  int n;
  size_t size;
} jn_object;

typedef struct jn_joint_kind_info {
  const char *word;
  int ncoord, nrow;
  double weight;
  int points_least, points_most, axes_least, axes_most;
  bool drivable;
  int has;  // JN_HAS_
  const char *help;
} jn_joint_kind_info;

typedef struct jn_kind {  // of a force or a tyre
  const char *word;
  jn_object object;
  const char *help;
} jn_kind;

typedef struct jn_unit {
  int dimension;
  const char *word;
  double up, down;
} jn_unit;

typedef struct jn_quantity_info {
  signed char power[5];
  const char *si;
} jn_quantity_info;

extern const jn_word jn_axes_words[], jn_curve_methods[], jn_curve_outside[], jn_frame_words[],
    jn_side_words[], jn_formulas_words[], jn_combined_words[], jn_square_words[],
    jn_resistance_words[];
extern const jn_object jn_model_object, jn_body_object, jn_joint_object, jn_motion_object,
    jn_topology_object, jn_initial_joint_object, jn_initial_body_object, jn_initial_wheel_object;
JN_PRIVATE extern const jn_joint_kind_info jn_joint_kinds[JN_NJOINT_KIND];
static inline bool jn_joint_has(jn_joint_kind kind, int all)
{
  return (jn_joint_kinds[kind].has & all) == all;
}
static inline bool jn_joint_slides(jn_joint_kind kind)  // and does nothing else that has a name
{
  return (jn_joint_kinds[kind].has & JN_HAS_BOTH) == JN_HAS_POSITION;
}
const jn_kind *jn_force_kind_at(int kind);
const jn_kind *jn_tyre_kind_at(int kind);
extern const jn_unit jn_units[];  // closed by {0, NULL, 0, 0}
extern const char *const jn_dimension_words[JN_NDIM];
extern const jn_quantity_info jn_quantities[JN_NQUANTITY];
extern const char *const jn_type_texts[JN_NTYPE];

#endif
