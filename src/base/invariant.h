// invariant.h: what must hold whatever the input is. Builds for developers look (debug, sanitize: JN_VALIDATING); others do not, so that it
// may cost.
#ifndef JN_BASE_INVARIANT_H
#define JN_BASE_INVARIANT_H

#ifdef JN_VALIDATING
#include <assert.h>
#define JN_ASSERT(condition) assert(condition)  // on the spot
#define JN_VALIDATE(call) \
  assert(call)  // a function that walks through something and says whether it is sound
#else
#define JN_ASSERT(condition) ((void)0)
#define JN_VALIDATE(call)    ((void)0)
#endif

#endif
