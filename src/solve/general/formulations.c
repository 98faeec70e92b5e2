#include "solve/formulation.h"

#include "solve/general/dense_core.h"

const jn_formulation_table jn_formulation_SUBSYSTEM = {JN_JOINT_COORDINATES,
                                                       .core = &jn_core_multipliers, .lanes = true};
const jn_formulation_table jn_formulation_RECURSIVE = {JN_JOINT_COORDINATES,
                                                       .core = &jn_core_multipliers, .whole = true};
const jn_formulation_table jn_formulation_INDEPENDENT = {JN_JOINT_COORDINATES,
                                                         .core = &jn_core_partition, .whole = true};

#define X(name, word, help) extern const jn_formulation_table jn_formulation_##name;
JN_FORMULATION_LIST(X)
#undef X
#define X(name, word, help) [JN_FORMULATION_##name] = &jn_formulation_##name,
const jn_formulation_table *const jn_formulations[JN_NFORMULATION] = {JN_FORMULATION_LIST(X)};
#undef X
