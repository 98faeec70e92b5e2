// scenario_schema.h: the scenario file as one set of lists, in the manner of schema.h.
//
// Values of inputs and limits of stops are of a unit that a scenario cannot know, because the model
// says what a channel drives: they are in SI whatever the file's units are. Times, frequencies and
// phases, lengths of the road and the initial speed are in the file's units.
#ifndef JN_SPEC_SCENARIO_SCHEMA_H
#define JN_SPEC_SCENARIO_SCHEMA_H

#include "jounce/sim.h"
#include "spec/schema.h"

// ---- objects: X(type, key, quantity, need, range, words, help) -----------------------------------

#define JN_SOLVER(X)                                                                             \
  X(NUMBER, end, TIME, REQUIRED, ABOVE_ZERO, NULL,                                               \
    "instant at which the run ends; it begins at 0")                                             \
  X(NUMBER, step, TIME, "1e-3", ABOVE_ZERO, NULL, "length of a step")                            \
  X(CHOICE, formulation, ONE, "subsystem", ANY, jn_formulation_words, "equations of motion")     \
  X(CHOICE, integrator, ONE, "ab3", ANY, jn_integrator_words, "how time goes on")                \
  X(CHOICE, stabilize, ONE, "projection", ANY, jn_stabilize_words, "what keeps loops closed")    \
  X(CHOICE, path, ONE, "auto", ANY, jn_path_words, "how `subsystem` is computed")                \
  X(NUMBER, baumgarte, PER_TIME, "a tenth of 1/step", ABOVE_ZERO, NULL,                          \
    "rate at which `baumgarte` lets drift decay")                                                \
  X(INTEGER, newton_iterations, ONE, "2", ABOVE_ZERO, NULL, "corrections of `newton` in a step") \
  X(NUMBER, tolerance, ONE, "1e-12", ABOVE_ZERO, NULL, "relative tolerance of `reference`")

#define JN_SCENARIO(X)                                                                            \
  X(INTEGER, jounce, ONE, REQUIRED, ANY, NULL, "version of the format: 1")                        \
  X(TEXT, scenario, ONE, REQUIRED, ANY, NULL, "its name; distinguishes a scenario from a model")  \
  X(TEXT, description, ONE, "none", ANY, NULL, "anything a reader should know")                   \
  X(UNITS, units, ONE, "SI", ANY, NULL,                                                           \
    "units of this file's numbers, but for values of inputs and limits of stops")                 \
  JN_SOLVER(X)                                                                                    \
  X(SECTION, inputs, ONE, "none", ANY, NULL, "what goes into channels over time (see input)")     \
  X(SECTION, drivers, ONE, "none", ANY, NULL, "who closes loops around the vehicle (see driver)") \
  X(SECTION, components, ONE, "none", ANY, NULL,                                                  \
    "controllers and the like, beside those of the model (see component)")                        \
  X(ROAD, road, ONE, "the plane z = 0", ANY, NULL, "surface under the tyres")                     \
  X(SECTION, roads, ONE, "none", ANY, NULL,                                                       \
    "roads of individual wheels, in place of `road` (see road)")                                  \
  X(NUMBER, speed, SPEED, "as the model says", ANY, NULL,                                         \
    "forward speed of all that floats, with wheels that roll, in place of the model's initial "   \
    "velocities of bodies and spins of wheels")                                                   \
  X(RECORD, record, ONE, "most channels", ANY, NULL, "what is recorded, and how often")           \
  X(SECTION, stop, ONE, "none", ANY, NULL, "conditions of which one ends the run early (see stop)")

#define JN_PATCH(X)                                                                              \
  X(PAIR, x, LENGTH, "everywhere", ANY, NULL, "from where to where along the world's x")         \
  X(PAIR, y, LENGTH, "everywhere", ANY, NULL, "from where to where along the world's y")         \
  X(NUMBER, friction, ONE, REQUIRED, ANY, NULL,                                                  \
    "within it, relative to that of the tyre's parameters, from 0.001 to 10")                    \
  X(NUMBER, edge, LENGTH, "0", NOT_NEGATIVE, NULL,                                               \
    "width inside its border over which friction goes over in a straight line, at most half of " \
    "the patch; 0: it jumps")

#define JN_ROAD_ANY_KEYS(X)               \
  X(NAMES, wheels, ONE, "all", ANY, NULL, \
    "of an entry of `roads`: wheels and tyres that stand on it; of `road` there is none")

#define JN_ROAD_SURFACE_KEYS(X)                                    \
  JN_ROAD_ANY_KEYS(X)                                              \
  X(NUMBER, friction, ONE, "1", ANY, NULL,                         \
    "relative to that of the tyre's parameters, from 0.001 to 10") \
  X(PATCHES, patches, ONE, "none", ANY, NULL,                      \
    "where friction is another; each lies on those before it")

#define JN_ROAD_PLUGIN_KEYS(X)                                                      \
  JN_ROAD_ANY_KEYS(X)                                                               \
  X(FILE, plugin, ONE, REQUIRED, ANY, NULL, "shared object, relative to this file") \
  X(PARAMETERS, parameters, ONE, "none", ANY, NULL, "what it is given")

#define JN_ROAD_FLAT_KEYS(X)                                                                 \
  JN_ROAD_SURFACE_KEYS(X)                                                                    \
  X(NUMBER, height, LENGTH, "0", ANY, NULL, "of the plane at the world's origin")            \
  X(NUMBER, grade, ONE, "0", ANY, NULL, "rise per length along the world's x: 0.2 for 20 %") \
  X(NUMBER, bank, ONE, "0", ANY, NULL, "rise per length along the world's y")

#define JN_ROAD_BUMP_KEYS(X)                                                                 \
  JN_ROAD_SURFACE_KEYS(X)                                                                    \
  X(NUMBER, at, LENGTH, REQUIRED, ANY, NULL, "x at which it begins")                         \
  X(NUMBER, length, LENGTH, REQUIRED, ABOVE_ZERO, NULL, "along x")                           \
  X(NUMBER, height, LENGTH, REQUIRED, ANY, NULL, "above the plane z = 0")                    \
  X(NUMBER, moving, SPEED, "0", ANY, NULL,                                                   \
    "speed at which it passes under the wheels: each stands on a post of the road's height " \
    "at its x of the design position + moving t")

#define JN_ROAD_HALF_SINE_KEYS(X) JN_ROAD_BUMP_KEYS(X)

#define JN_ROAD_PLATEAU_KEYS(X) \
  JN_ROAD_BUMP_KEYS(X)          \
  X(NUMBER, edge, LENGTH, REQUIRED, ABOVE_ZERO, NULL, "length of each edge, within the length")

#define JN_DRIVER_SPEED_KEYS(X)                                                          \
  X(NAME, body, ONE, REQUIRED, ANY, NULL,                                                \
    "body whose speed it holds: of the centre of gravity, along the body's own x")       \
  X(NAMES, wheels, ONE, REQUIRED, ANY, NULL,                                             \
    "wheels that it drives, each with the same part of the torque")                      \
  X(NUMBER, speed, SPEED, "the scenario's `speed`", ANY, NULL,                           \
    "what it aims at; an entry `driver.NAME.speed` of `inputs` may give it instead")     \
  X(NUMBER, gain, TORQUE_PER_SPEED, "mass × radius / 1 s", ABOVE_ZERO, NULL,             \
    "torque of all its wheels per error of the speed")                                   \
  X(NUMBER, integral_time, TIME, "4 × mass × radius / gain", ABOVE_ZERO, NULL,           \
    "time in which a lasting error adds as much again; the default is critical damping") \
  X(NUMBER, most, TORQUE, "3 m/s² × mass × radius × its wheels / all", ANY, NULL,        \
    "largest torque of all its wheels: by default far from what tyres can hold")         \
  X(NUMBER, least, TORQUE, "-most", ANY, NULL,                                           \
    "least torque of all its wheels; they brake below zero")

#define JN_SIGNAL_CONSTANT(X) X(NUMBER, value, INPUT, REQUIRED, ANY, NULL, "value at all times")

#define JN_SIGNAL_STEP(X)                                                                      \
  X(NUMBER, at, TIME, REQUIRED, ANY, NULL, "instant of the step, at which it is `to` already") \
  X(NUMBER, from, INPUT, "0", ANY, NULL, "value before it")                                    \
  X(NUMBER, to, INPUT, REQUIRED, ANY, NULL, "value after it")

#define JN_SIGNAL_RAMP(X)                                                       \
  X(NUMBER, start, TIME, "0", ANY, NULL, "instant at which it leaves `from`")   \
  X(NUMBER, end, TIME, REQUIRED, ANY, NULL, "instant at which it reaches `to`") \
  X(NUMBER, from, INPUT, "0", ANY, NULL, "value before it")                     \
  X(NUMBER, to, INPUT, REQUIRED, ANY, NULL, "value after it")

#define JN_SIGNAL_SINE(X)                                                                       \
  X(NUMBER, amplitude, INPUT, REQUIRED, ANY, NULL, "half of the distance between its extremes") \
  X(NUMBER, frequency, FREQUENCY, REQUIRED, ABOVE_ZERO, NULL, "periods in a unit of time")      \
  X(NUMBER, phase, ANGLE, "0", ANY, NULL, "of the sine at `start`")                             \
  X(NUMBER, offset, INPUT, "0", ANY, NULL,                                                      \
    "added at all times; all there is before `start` "                                          \
    "and from `end`")                                                                           \
  X(NUMBER, start, TIME, "0", ANY, NULL, "instant at which the sine begins")                    \
  X(NEVER, end, TIME, "never", ANY, NULL, "instant at which it ends")

#define JN_SIGNAL_CHIRP(X)                                                                      \
  X(NUMBER, amplitude, INPUT, REQUIRED, ANY, NULL, "half of the distance between its extremes") \
  X(PAIR, frequencies, FREQUENCY, REQUIRED, NOT_NEGATIVE, NULL,                                 \
    "at `start` and at `end`; in between it changes evenly")                                    \
  X(NUMBER, start, TIME, "0", ANY, NULL, "instant at which the sine begins, with phase 0")      \
  X(NUMBER, end, TIME, REQUIRED, ANY, NULL, "instant at which it ends")                         \
  X(NUMBER, offset, INPUT, "0", ANY, NULL,                                                      \
    "added at all times; all there is before `start` "                                          \
    "and from `end`")

#define JN_SIGNAL_TABLE(X)                                                      \
  X(SERIES, points, INPUT_OVER_TIME, REQUIRED, ANY, NULL, "[time, value]")      \
  X(CHOICE, method, ONE, "linear", ANY, jn_curve_methods, "between the points") \
  X(CHOICE, outside, ONE, "hold", ANY, jn_curve_outside,                        \
    "before the first and after the last point")

#define JN_RECORD(X)                                                                  \
  X(CHANNELS, channels, ONE,                                                          \
    "all but accelerations, reactions, quaternions and rates in own axes", ANY, NULL, \
    "what is recorded, such as `\"chassis.*\"`")                                      \
  X(NUMBER, every, TIME, "each step, but at most 10,000 rows", ABOVE_ZERO, NULL,      \
    "time from row to row")

#define JN_STOP(X)                                                                        \
  X(CHANNEL, channel, ONE, REQUIRED, ANY, NULL, "channel that is watched")                \
  X(NUMBER, below, INPUT, "none", ANY, NULL, "the run ends when the channel is below it") \
  X(NUMBER, above, INPUT, "none", ANY, NULL, "the run ends when the channel is above it")

// ---- kinds of inputs: kind, word, list, member, help ----------------------------------------------

#define JN_SIGNAL_KINDS(X)                                                                     \
  X(CONSTANT, "constant", JN_SIGNAL_CONSTANT, constant,                                        \
    "One value; a number alone means the same")                                                \
  X(STEP, "step", JN_SIGNAL_STEP, step, "Two values, one before an instant and one from it")   \
  X(RAMP, "ramp", JN_SIGNAL_RAMP, ramp, "From one value to another in a straight line")        \
  X(SINE, "sine", JN_SIGNAL_SINE, sine,                                                        \
    "offset + amplitude sin(2π frequency (t - start) + phase)")                                \
  X(CHIRP, "chirp", JN_SIGNAL_CHIRP, chirp, "A sine whose frequency changes evenly with time") \
  X(TABLE, "table", JN_SIGNAL_TABLE, table, "Points, and a curve through them (see curves)")

#define X(kind, word, ...) JN_SIGNAL_##kind,
typedef enum jn_signal_kind { JN_SIGNAL_KINDS(X) JN_NSIGNAL_KIND } jn_signal_kind;
#undef X

// ---- kinds of roads: likewise ------------------------------------------------------------------------

#define JN_ROAD_KINDS(X)                                                                           \
  X(FLAT, "flat", JN_ROAD_FLAT_KEYS, flat, "A plane")                                              \
  X(HALF_SINE, "half-sine", JN_ROAD_HALF_SINE_KEYS, half_sine,                                     \
    "A bump of half a sine, across the whole road: height sin(π (x - at) / length)")               \
  X(PLATEAU, "plateau", JN_ROAD_PLATEAU_KEYS, plateau,                                             \
    "A plateau with haversine edges, across the whole road: height (1 - cos(π (x - at) / edge)) " \
    "/ 2 "                                                                                         \
    "on the way up, the same mirrored on the way down")                                            \
  X(PLUGIN, "plugin", JN_ROAD_PLUGIN_KEYS, plugin,                                                 \
    "A road of your own, as a shared object (see [plugins.md](plugins.md))")

#define X(kind, word, ...) JN_ROAD_KIND_##kind,
typedef enum jn_road_kind { JN_ROAD_KINDS(X) JN_NROAD_KIND } jn_road_kind;
#undef X

// ---- kinds of drivers: likewise ---------------------------------------------------------------------

#define JN_DRIVER_KINDS(X)                                                                       \
  X(SPEED, "speed", JN_DRIVER_SPEED_KEYS, speed,                                                 \
    "Holds a speed by the torque of wheels: cruise control, a PI controller that does not wind " \
    "up at its limits. Mass in the defaults is that of the body and of all that joints and "     \
    "force elements hold to it, but not of what stands on the ground, with what "                \
    "the spin of wheels adds to it; radius is that of the driven tyres, unloaded")

#define X(kind, word, ...) JN_DRIVER_##kind,
typedef enum jn_driver_kind { JN_DRIVER_KINDS(X) JN_NDRIVER_KIND } jn_driver_kind;
#undef X

// ---- structs and tables -------------------------------------------------------------------------

JN_STRUCT(jn_solver_spec, JN_SOLVER);
#define X(kind, word, list, member, help) JN_STRUCT(jn_signal_##member##_spec, list);
JN_SIGNAL_KINDS(X)
#undef X
JN_STRUCT(jn_patch_keys, JN_PATCH);
typedef struct jn_patches {
  int n;
  const char *const *name;
  const jn_patch_keys *patch;
} jn_patches;
JN_STRUCT(jn_road_any_spec, JN_ROAD_ANY_KEYS);          // what all of them begin with
JN_STRUCT(jn_road_surface_spec, JN_ROAD_SURFACE_KEYS);  // and all but plug-ins
#define X(kind, word, list, member, help) JN_STRUCT(jn_road_##member##_spec, list);
JN_ROAD_KINDS(X)
#undef X
#define X(kind, word, list, member, help) JN_STRUCT(jn_driver_##member##_spec, list);
JN_DRIVER_KINDS(X)
#undef X
JN_STRUCT(jn_record_spec, JN_RECORD);
JN_STRUCT(jn_stop_keys, JN_STOP);

extern const jn_word jn_formulation_words[], jn_integrator_words[], jn_stabilize_words[],
    jn_path_words[];
extern const jn_object jn_patch_object, jn_scenario_object, jn_solver_object, jn_record_object,
    jn_stop_object;
const jn_kind *jn_signal_kind_at(int kind);
const jn_kind *jn_road_kind_at(int kind);
const jn_kind *jn_driver_kind_at(int kind);

#endif
