// mix.h: splitmix64 (Steele, Lea & Flood 2014), as a hash of whole numbers and as a generator that gives the same
// numbers on every machine.
#ifndef JN_BASE_MIX_H
#define JN_BASE_MIX_H

#include <stdint.h>

static inline uint64_t jn_mix(uint64_t x)
{
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

static inline double jn_mix_next(uint64_t *state)  // in [0, 1)
{
  uint64_t x = jn_mix(*state);
  *state += 0x9e3779b97f4a7c15u;
  return (double)(x >> 11) * 0x1p-53;
}

#endif
