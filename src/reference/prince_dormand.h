// prince_dormand.h: the Runge-Kutta pair of `reference`.
#ifndef JN_REFERENCE_PRINCE_DORMAND_H
#define JN_REFERENCE_PRINCE_DORMAND_H

int jn_prince_dormand_set(void *erkstep);  // of ARKODE; returns its flag, 0: good

#endif
