// channels.h: channels object by object.
#ifndef JN_RUN_CHANNELS_H
#define JN_RUN_CHANNELS_H

#include "base/quat.h"
#include "solve/data.h"

enum { JN_SUBJECT_CHANNELS = 192 };  // of one object, at most

// Values of a subject's channels, in their order; without details where nobody wants them: parts of bodies (below), steer angles
// of wheels.
enum { JN_ALL_DETAILS = 15 };
void jn_subject_fill(const jn_system *s, jn_data *d, const jn_subject *o, unsigned details,
                     double *to);

// The same of the solver, with the energy of bodies as the lanes have it.
void jn_solver_fill(const jn_system *s, jn_data *d, jn_energy bodies, double *to);

// Does a channel depend on reactions of joints or of prescribed motions? Which detail does it need?
bool jn_channel_is_reaction(const jn_system *s, int channel);
unsigned jn_channel_detail(const jn_system *s, const jn_subject *o, int channel);

// What a body's channels are made of, whoever has it; and which of them they need.
typedef struct jn_body_row {
  v3 p, v, a;      // of the cg, world
  v3 w, dw;        // world
  v3 speed, rate;  // v and w in axes that are the world's in the design position
  v3 angles;       // roll, pitch, yaw
  q4 q;            // from the body's axes to the world
} jn_body_row;

enum {
  JN_BODY_ANGLES = 1,
  JN_BODY_QUATERNION = 2,
  JN_BODY_ACCELERATIONS = 4,
  JN_BODY_OWN_AXES = 8
};  // parts

unsigned jn_body_part(int channel);  // that one of its channels needs, counted from its first
void jn_body_values(const jn_body_row *motion, unsigned parts, double *to);  // of these alone

// Kinetic, and potential of its weight from the design position; of its motion p, v, w. r: from axes that are the world's there.
jn_energy jn_body_energy(const jn_system *s, int body, const jn_body_row *motion, const m3 *r);

// Seven channels of each body, position and quaternion; and where bodies are, made of their values (jn_body_motion).
JN_PRIVATE void jn_motion_channels(const jn_system *s, int *channel);
JN_PRIVATE void jn_motion_from(const jn_system *s, const double *value, double *motion);

#endif
