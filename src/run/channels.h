// channels.h: channels object by object.
#ifndef JN_RUN_CHANNELS_H
#define JN_RUN_CHANNELS_H

#include "solve/data.h"

enum { JN_SUBJECT_CHANNELS = 192 };  // of one object, at most

// Values of a subject's channels, in their order; without details where nobody wants them: rotations of bodies, steer angles of
// wheels.
void jn_subject_fill(const jn_system *s, jn_data *d, const jn_subject *o, bool details, double *to);

// Channels that depend on reactions of joints or of prescribed motions; that are such details.
bool jn_channel_is_reaction(const jn_system *s, int channel);
bool jn_channel_is_detail(const jn_system *s, const jn_subject *o, int channel);

// Seven channels of each body, position and quaternion; and where bodies are, made of their values (jn_body_motion).
JN_PRIVATE void jn_motion_channels(const jn_system *s, int *channel);
JN_PRIVATE void jn_motion_from(const jn_system *s, const double *value, double *motion);

#endif
