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

#define X(type, text) text,
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

#define OWNER jn_tsda_spec
static const jn_field tsda_fields[] = {JN_TSDA(FIELD)};
#undef OWNER
#define OWNER jn_rsda_spec
static const jn_field rsda_fields[] = {JN_RSDA(FIELD)};
#undef OWNER
#define OWNER jn_bushing_spec
static const jn_field bushing_fields[] = {JN_BUSHING(FIELD)};
#undef OWNER
#define OWNER jn_servo_spec
static const jn_field servo_fields[] = {JN_SERVO(FIELD)};
#undef OWNER
#define OWNER jn_force_keys
static const jn_field force_fields[] = {JN_FORCE(FIELD)};
#undef OWNER
#define OWNER jn_torque_spec
static const jn_field torque_fields[] = {JN_TORQUE(FIELD)};
#undef OWNER
#define OWNER jn_plugin_spec
static const jn_field plugin_fields[] = {JN_PLUGIN(FIELD)};
#undef OWNER
#define OWNER jn_wheel_spec
static const jn_field wheel_fields[] = {JN_WHEEL(FIELD)};
#undef OWNER
#define OWNER jn_tyre_contact_spec
static const jn_field tyre_fields[] = {JN_TYRE_CONTACT(FIELD)};
#undef OWNER
#define OWNER jn_tyre_vertical_spec
static const jn_field vertical_fields[] = {JN_TYRE_VERTICAL(FIELD)};
#undef OWNER
#define OWNER jn_tyre_linear_spec
static const jn_field linear_fields[] = {JN_TYRE_LINEAR(FIELD)};
#undef OWNER
#define OWNER jn_tyre_mf_simple_spec
static const jn_field mf_simple_fields[] = {JN_TYRE_MF_SIMPLE(FIELD)};
#undef OWNER
#define OWNER jn_tyre_brush_spec
static const jn_field brush_fields[] = {JN_TYRE_BRUSH(FIELD)};
#undef OWNER
#define OWNER jn_tyre_magic_formula_spec
static const jn_field magic_formula_fields[] = {JN_TYRE_MAGIC_FORMULA(FIELD)};
#undef OWNER
#define OWNER jn_tyre_fiala_spec
static const jn_field fiala_fields[] = {JN_TYRE_FIALA(FIELD)};
#undef OWNER
#define OWNER jn_tyre_carpet_spec
static const jn_field carpet_fields[] = {JN_TYRE_CARPET(FIELD)};
#undef OWNER
#define OWNER jn_tyre_plugin_spec
static const jn_field tyre_plugin_fields[] = {JN_TYRE_PLUGIN(FIELD)};
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
#define OWNER jn_driver_speed_spec
static const jn_field speed_fields[] = {JN_DRIVER_SPEED_KEYS(FIELD)};
#undef OWNER
#define OWNER jn_patch_keys
static const jn_field patch_fields[] = {JN_PATCH(FIELD)};
const jn_object jn_patch_object = OBJECT(patch_fields);
#undef OWNER
#define OWNER jn_road_plugin_spec
static const jn_field road_plugin_fields[] = {JN_ROAD_PLUGIN_KEYS(FIELD)};
#undef OWNER
#define OWNER jn_road_flat_spec
static const jn_field flat_fields[] = {JN_ROAD_FLAT_KEYS(FIELD)};
#undef OWNER
#define OWNER jn_road_half_sine_spec
static const jn_field half_sine_fields[] = {JN_ROAD_HALF_SINE_KEYS(FIELD)};
#undef OWNER
#define OWNER jn_road_plateau_spec
static const jn_field plateau_fields[] = {JN_ROAD_PLATEAU_KEYS(FIELD)};
#undef OWNER
#define OWNER jn_signal_constant_spec
static const jn_field constant_fields[] = {JN_SIGNAL_CONSTANT(FIELD)};
#undef OWNER
#define OWNER jn_signal_step_spec
static const jn_field step_fields[] = {JN_SIGNAL_STEP(FIELD)};
#undef OWNER
#define OWNER jn_signal_ramp_spec
static const jn_field ramp_fields[] = {JN_SIGNAL_RAMP(FIELD)};
#undef OWNER
#define OWNER jn_signal_sine_spec
static const jn_field sine_fields[] = {JN_SIGNAL_SINE(FIELD)};
#undef OWNER
#define OWNER jn_signal_chirp_spec
static const jn_field chirp_fields[] = {JN_SIGNAL_CHIRP(FIELD)};
#undef OWNER
#define OWNER jn_signal_table_spec
static const jn_field table_fields[] = {JN_SIGNAL_TABLE(FIELD)};
#undef OWNER

#define X(kind, word, ncoord, nrow, weight, p0, p1, a0, a1, drivable, has, help) \
  {word, ncoord, nrow, weight, p0, p1, a0, a1, drivable, has, help},
const jn_joint_kind_info jn_joint_kinds[JN_NJOINT_KIND] = {JN_JOINT_KINDS(X)};
#undef X

#define X(kind, word, list, member, help) \
  {word, {member##_fields, sizeof member##_fields / sizeof *member##_fields, 0}, help},
const jn_kind jn_force_kinds[JN_NFORCE_KIND] = {JN_FORCE_KINDS(X)};
const jn_kind jn_tyre_kinds[JN_NTYRE_KIND] = {JN_TYRE_KINDS(X)};
const jn_kind jn_signal_kinds[JN_NSIGNAL_KIND] = {JN_SIGNAL_KINDS(X)};
const jn_kind jn_road_kinds[JN_NROAD_KIND] = {JN_ROAD_KINDS(X)};
const jn_kind jn_driver_kinds[JN_NDRIVER_KIND] = {JN_DRIVER_KINDS(X)};
#undef X
