// fehlberg.h: the Runge-Kutta method of `reference`.
#ifndef JN_REFERENCE_FEHLBERG_H
#define JN_REFERENCE_FEHLBERG_H

int jn_fehlberg_set(void *erkstep);  // of ARKODE; returns its flag, 0: good

#endif
