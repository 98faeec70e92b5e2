// reference.h: `reference`: adaptive integration to tight tolerances, for comparisons, not for real time.
//
// Library: libjounce-offline.
#ifndef JOUNCE_REFERENCE_H
#define JOUNCE_REFERENCE_H

#include "jounce/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct jn_reference jn_reference;

// Takes a run over from where it is. System and data must outlive it; the data is not to be stepped by jn_step
// meanwhile, but jn_evaluate may look at it. On success the caller owns *out.
JN_API jn_status jn_reference_create(const jn_system *system, jn_data *data, jn_reference **out,
                                     jn_error *err);
JN_API void jn_reference_free(jn_reference *reference);  // NULL is allowed

// Bring the data to time t exactly, not before where it is.
JN_API jn_status jn_reference_advance(jn_reference *reference, double t, jn_error *err);

// Called before each step with the time that is reached: what is not zero ends jn_reference_advance there, with an error; the data has
// that time. NULL: nobody.
JN_API void jn_reference_watch(jn_reference *reference, int (*watch)(void *user, double t),
                               void *user);

JN_API long jn_reference_steps(const jn_reference *reference);  // taken so far

#ifdef __cplusplus
}
#endif

#endif
