// precompiled.c: the precompiled operation lists, to compare with.
#include "solve/fast/operations.h"

#define PHASE(i, phase, name) static const lane_op list_##i[] = {
#define OP(kind, word, ...)                                              \
  {LANE_##kind, (int)(sizeof((const int[]){__VA_ARGS__}) / sizeof(int)), \
   (const int[]){__VA_ARGS__}},
#define END \
  }         \
  ;
#include "solve/fast/precompiled.inc"
#undef PHASE
#undef OP
#undef END

const lane_compiled jn_lane_compiled[] = {
#define PHASE(i, phase, name) \
  {name, LANE_##phase, (int)(sizeof list_##i / sizeof *list_##i), list_##i},
#define OP(kind, word, ...)
#define END
#include "solve/fast/precompiled.inc"
    {0}};

const int jn_lane_ncompiled = (int)(sizeof jn_lane_compiled / sizeof *jn_lane_compiled) - 1;
