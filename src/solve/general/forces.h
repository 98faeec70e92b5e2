// forces.h: applied forces of all elements, in the order of elements/kinds.h and of names, then of wheels.
#ifndef JN_SOLVE_GENERAL_FORCES_H
#define JN_SOLVE_GENERAL_FORCES_H

#include "solve/general/cut_angle.h"

// Clears and fills force, tau, the elements' outputs and power. Reads positions, speeds, inputs and lags.
void jn_forces_apply(const jn_system *s, jn_data *d);

// One of them; adds to what is there.
void jn_element_apply(const jn_system *s, jn_data *d, int i);

// Derivatives of the elements' own states: dx (nx), and rates of the declared ones; of actuators' lags alone.
void jn_lags_states(const jn_system *s, const jn_data *d, double *dx, double *rate);
void jn_forces_states(const jn_system *s, const jn_data *d, double *dx, double *rate);

// The same of wheels and tyres, called by these two: adds to what is there, and fills d->wheel.
void jn_wheels_apply(const jn_system *s, jn_data *d);
void jn_wheels_states(const jn_system *s, const jn_data *d, double *dx, double *rate);
void jn_wheel_apply(const jn_system *s, jn_data *d, int i);
void jn_wheel_states(const jn_system *s, const jn_data *d, int i, double *dx, double *rate);
JN_PRIVATE v3 jn_wheel_centre(const jn_system *s, const jn_data *d, int i);  // in the world

// Of motion that is not finite: a remark that names the first plug-in tyre which gave such where it was asked something
// finite, to be put behind a message; "": there is none.
enum { JN_REMARK = 192 };
JN_PRIVATE const char *jn_wheels_remark(const jn_system *s, char text[JN_REMARK]);

// Drivers: the torque of their wheels from the speed of their bodies; of one of them, whose speed is known; their states.
void jn_drivers_act(const jn_system *s, jn_data *d);
void jn_driver_act(const jn_system *s, jn_data *d, int i, double speed);
void jn_drivers_states(const jn_system *s, const jn_data *d, double *dx);

#endif
