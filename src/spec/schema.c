#include "spec/scenario_schema.h"

#define X(kind, word, help) {word, help},
const jn_word jn_axes_words[] = {JN_AXES_WORDS(X){0}};
const jn_word jn_curve_methods[] = {JN_CURVE_METHODS(X){0}};
const jn_word jn_curve_outside[] = {JN_CURVE_OUTSIDE(X){0}};
const jn_word jn_frame_words[] = {JN_FRAME_WORDS(X){0}};
const jn_word jn_side_words[] = {JN_SIDE_WORDS(X){0}};
const jn_word jn_formulas_words[] = {JN_FORMULAS_WORDS(X){0}};
const jn_word jn_combined_words[] = {JN_COMBINED_WORDS(X){0}};
const jn_word jn_square_words[] = {JN_SQUARE_WORDS(X){0}};
const jn_word jn_resistance_words[] = {JN_RESISTANCE_WORDS(X){0}};
const jn_word jn_formulation_words[] = {JN_FORMULATION_LIST(X){0}};
const jn_word jn_integrator_words[] = {JN_INTEGRATOR_LIST(X){0}};
const jn_word jn_stabilize_words[] = {JN_STABILIZE_LIST(X){0}};
const jn_word jn_path_words[] = {JN_PATH_LIST(X){0}};
#undef X

#define X(type, ctype, text) text,
const char *const jn_type_texts[JN_NTYPE] = {JN_TYPES(X)};
#undef X

#define X(q, l, m, t, a, f, si) {{l, m, t, a, f}, si},
const jn_quantity_info jn_quantities[JN_NQUANTITY] = {JN_QUANTITIES(X)};
#undef X

#define X(dimension, word, up, down) {JN_DIM_##dimension, word, up, down},
const jn_unit jn_units[] = {JN_UNITS(X){0}};
#undef X

const char *const jn_dimension_words[JN_NDIM] = {"length", "mass", "time", "angle", "force"};

// OWNER is the struct that the list being expanded belongs to; a whole file has none.
#define FIELD(type, name, quantity, need, range, words, help) \
  {#name, JN_T_##type, JN_Q_##quantity, need, JN_R_##range, words, offsetof(OWNER, name), help},
#define LOOSE_FIELD(type, name, quantity, need, range, words, help) \
  {#name, JN_T_##type, JN_Q_##quantity, need, JN_R_##range, words, 0, help},
#define OBJECT(fields)                                    \
  {                                                       \
    fields, sizeof fields / sizeof *fields, sizeof(OWNER) \
  }

static const jn_field model_fields[] = {JN_MODEL(LOOSE_FIELD)};
const jn_object jn_model_object = {model_fields, sizeof model_fields / sizeof *model_fields, 0};

static const jn_field scenario_fields[] = {JN_SCENARIO(LOOSE_FIELD)};
const jn_object jn_scenario_object = {scenario_fields,
                                      sizeof scenario_fields / sizeof *scenario_fields, 0};

#define OWNER jn_body_keys
static const jn_field body_fields[] = {JN_BODY(FIELD)};
const jn_object jn_body_object = OBJECT(body_fields);
#undef OWNER
#define OWNER jn_joint_keys
static const jn_field joint_fields[] = {JN_JOINT(FIELD)};
const jn_object jn_joint_object = OBJECT(joint_fields);
#undef OWNER
#define OWNER jn_motion_spec
static const jn_field motion_fields[] = {JN_MOTION(FIELD)};
const jn_object jn_motion_object = OBJECT(motion_fields);
#undef OWNER
#define OWNER jn_topology_spec
static const jn_field topology_fields[] = {JN_TOPOLOGY(FIELD)};
const jn_object jn_topology_object = OBJECT(topology_fields);
#undef OWNER
#define OWNER jn_initial_joint_keys
static const jn_field initial_joint_fields[] = {JN_INITIAL_JOINT(FIELD)};
const jn_object jn_initial_joint_object = OBJECT(initial_joint_fields);
#undef OWNER
#define OWNER jn_initial_body_keys
static const jn_field initial_body_fields[] = {JN_INITIAL_BODY(FIELD)};
const jn_object jn_initial_body_object = OBJECT(initial_body_fields);
#undef OWNER
#define OWNER jn_initial_wheel_keys
static const jn_field initial_wheel_fields[] = {JN_INITIAL_WHEEL(FIELD)};
const jn_object jn_initial_wheel_object = OBJECT(initial_wheel_fields);
#undef OWNER

#define OWNER jn_solver_spec
static const jn_field solver_fields[] = {JN_SOLVER(FIELD)};
const jn_object jn_solver_object = OBJECT(solver_fields);
#undef OWNER
#define OWNER jn_record_spec
static const jn_field record_fields[] = {JN_RECORD(FIELD)};
const jn_object jn_record_object = OBJECT(record_fields);
#undef OWNER
#define OWNER jn_stop_keys
static const jn_field stop_fields[] = {JN_STOP(FIELD)};
const jn_object jn_stop_object = OBJECT(stop_fields);
#undef OWNER
#define OWNER jn_patch_keys
static const jn_field patch_fields[] = {JN_PATCH(FIELD)};
const jn_object jn_patch_object = OBJECT(patch_fields);
#undef OWNER

#define X(kind, word, ncoord, nrow, weight, p0, p1, a0, a1, drivable, has, help) \
  {word, ncoord, nrow, weight, p0, p1, a0, a1, drivable, has, help},
const jn_joint_kind_info jn_joint_kinds[JN_NJOINT_KIND] = {JN_JOINT_KINDS(X)};
#undef X

// A kind's table is made where its struct has the name that FIELD knows.
#define KIND(enumerator, tag, word, list, help)              \
  case enumerator: {                                         \
    typedef tag OWNER;                                       \
    static const jn_field field[] = {list(FIELD)};           \
    static const jn_kind info = {word, OBJECT(field), help}; \
    return &info;                                            \
  }
#define KINDS(name, LIST)                   \
  const jn_kind *jn_##name##_kind_at(int k) \
  {                                         \
    switch (k) {                            \
      LIST(X)                               \
      default:                              \
        return NULL;                        \
    }                                       \
  }
#define X(kind, word, list, member, help) \
  KIND(JN_FORCE_##kind, jn_##member##_keys, word, list, help)
KINDS(force, JN_FORCE_KINDS)
#undef X
#define X(kind, word, list, member, help) \
  KIND(JN_TYRE_##kind, jn_tyre_##member##_spec, word, list, help)
KINDS(tyre, JN_TYRE_KINDS)
#undef X
#define X(kind, word, list, member, help) \
  KIND(JN_SIGNAL_##kind, jn_signal_##member##_spec, word, list, help)
KINDS(signal, JN_SIGNAL_KINDS)
#undef X
#define X(kind, word, list, member, help) \
  KIND(JN_ROAD_KIND_##kind, jn_road_##member##_spec, word, list, help)
KINDS(road, JN_ROAD_KINDS)
#undef X
#define X(kind, word, list, member, help) \
  KIND(JN_DRIVER_##kind, jn_driver_##member##_spec, word, list, help)
KINDS(driver, JN_DRIVER_KINDS)
#undef X
