// parameter_list.h: the numbers of a system, as one block for its plan: what two systems that share a plan may have different.
//
// It has no address in it and no index that is not the plan's. Beside it a system has what the scenario gives, and objects of shared
// libraries, which are made of parameters by their own code.
#ifndef JN_RUN_PARAMETER_LIST_H
#define JN_RUN_PARAMETER_LIST_H

#include "plan/system.h"

// Numbers that the motion depends on, then the state that a run begins with. `count` of each is the plan's.
int jn_parameters_count(const jn_system *s, bool with_start);
void jn_parameters_gather(const jn_system *s, bool with_start, double *number);
void jn_parameters_scatter(jn_system *s, bool with_start, const double *number);

#endif
