// explicit_fused.c: the same integrators with fused products, for states in lanes: built for CPUs that have them (CMakeLists.txt).
#define jn_integ_place    jn_integ_place_fused
#define jn_integ_restart  jn_integ_restart_fused
#define jn_integ_starting jn_integ_starting_fused
#define jn_integ_step     jn_integ_step_fused
#define jn_integ_rk4      jn_integ_rk4_fused
#include "solve/integrate/explicit.c"
