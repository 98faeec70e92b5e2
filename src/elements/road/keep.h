// keep.h: what one contact of a wheel keeps in the data, in the bits of a double: in its lower half the hint of a road by calls
// (calls.h); above it marks of plug-ins that broke their contract, which gave what is not a number where they were asked
// something finite. Nothing depends on marks but the message of a run that fails: by the time that a failure is seen, the motion
// itself may be lost.
#ifndef JN_ELEMENTS_ROAD_KEEP_H
#define JN_ELEMENTS_ROAD_KEEP_H

#include "base/real.h"

enum { KEEP_ROAD_BROKE = 1, KEEP_TYRE_BROKE = 2 };

JN_INLINE int64_t keep_bits(double word)
{
  int64_t bits;
  memcpy(&bits, &word, sizeof bits);
  return bits;
}

JN_INLINE int keep_marks(double word)
{
  return (int)(keep_bits(word) >> 32);
}

JN_INLINE double keep_word(int hint, int marks)
{
  const int64_t bits = (int64_t)marks << 32 | (uint32_t)hint;
  double word;
  memcpy(&word, &bits, sizeof word);
  return word;
}

// In one lane. NULL: nothing is kept.
JN_INLINE void keep_mark(real *keep, int lane, int mark)
{
  if (!keep) return;
  const double word = r_lane(*keep, lane);
  r_put(keep, lane, keep_word((int)keep_bits(word), keep_marks(word) | mark));
}

#endif
