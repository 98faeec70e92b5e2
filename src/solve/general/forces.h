// forces.h: applied forces of all elements, in the order of elements/element_kinds.h and of names, then of wheels.
#ifndef JN_SOLVE_GENERAL_FORCES_H
#define JN_SOLVE_GENERAL_FORCES_H

#include "solve/general/cut_angle.h"

// Clears and fills force, tau, the elements' outputs and power. Reads positions, velocities, inputs and lags.
void jn_forces_apply(const jn_system *s, jn_data *d);

// One of them; adds to what is there.
void jn_element_apply(const jn_system *s, jn_data *d, int i);
void jn_element_apply_as(const jn_system *s, jn_data *d, const jn_element *e);

// Force and moment of a contact about the anchor of its body, in the body's own axes, and its outputs and power; for who knows how
// the body stands in the world (r, place) and moves (motion: own axes, about the anchor).
sv jn_contact_apply(const jn_system *s, jn_data *d, const jn_element *e, const m3 *r, v3 place,
                    sv motion);

// Of wheels and tyres: adds to what is there, and fills d->wheel; derivatives of their states: dx (nx), and rates of the declared
// ones.
void jn_wheels_apply(const jn_system *s, jn_data *d);
void jn_wheels_states(const jn_system *s, const jn_data *d, double *dx, double *rate);
void jn_wheel_apply(const jn_system *s, jn_data *d, int i);
void jn_wheel_states(const jn_system *s, const jn_data *d, int i, double *dx, double *rate);
JN_PRIVATE v3 jn_wheel_centre(const jn_system *s, const jn_data *d, int i);  // in the world

enum { JN_REMARK = 256 };

// Components: outputs of those that need no sensor directly, with the inputs of the instant; sensors, and outputs of the others;
// these outputs alone, whose sensors are on the bus; derivatives of states.
void jn_components_early(const jn_system *s, jn_data *d);
void jn_components_act(const jn_system *s, jn_data *d);
void jn_components_late(const jn_system *s, jn_data *d);
void jn_components_states(const jn_system *s, jn_data *d, double *dx, double *rate);
void jn_sensor_read(const jn_system *s, jn_data *d, int i);
static inline double jn_sense_part(v3 x, int axis)
{
  return axis == 0 ? x.x : axis == 1 ? x.y : x.z;
}
double jn_sense_angle(m3 r, const double orientation[4], int axis);  // roll, pitch or yaw

// States at rest: of components that need no sensor directly; sensed: of all but those that prescribe motions, sensors being on
// the bus. False: memory is exhausted.
bool jn_components_start(const jn_system *s, jn_data *d, bool sensed);

// The first component that gave what is not finite, and its output or state; "": there is none.
JN_PRIVATE const char *jn_components_remark(const jn_system *s, const jn_data *d,
                                            char text[JN_REMARK]);

#endif
