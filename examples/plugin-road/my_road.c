// my_road.c: a road of your own: a speed bump of half a sine across one lane of the road, painted and so with less friction.
//
//   cc -O2 -shared -fPIC -I../../include my_road.c -o my_road.so -lm
//
//   z = height sin(pi (x - at) / length)  for at <= x <= at + length and right <= y <= left, else 0
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "jounce/plugin.h"

typedef struct bump {
  double at, length, height, right, left, friction;
} bump;

static const double PI = 3.14159265358979323846;

static int init(const jn_plugin_setup *setup, void **self)
{
  const bump b = {.at = jn_plugin_number(setup, "at", 10.0),
                  .length = jn_plugin_number(setup, "length", 1.0),
                  .height = jn_plugin_number(setup, "height", 0.08),
                  .right = jn_plugin_number(setup, "right", -1e6),
                  .left = jn_plugin_number(setup, "left", 1e6),
                  .friction = jn_plugin_number(setup, "friction", 1.0)};
  if (!(b.length > 0.0) || !(b.friction >= JN_ROAD_LEAST_FRICTION)) {
    snprintf(setup->reason, setup->reason_size, "length and friction must be above zero");
    return 1;
  }
  bump *k = malloc(sizeof *k);
  if (!k) return 1;
  *k = b;
  *self = k;
  return 0;
}

// An answer everywhere: beside the bump it is the plane z = 0, which the answer is before the call. There is nothing to look
// for, so the hint stays as it is.
static void at(const void *self, const jn_road_plugin_query *query, int *hint,
               jn_road_plugin_answer *answer)
{
  const bump *b = self;
  const double s = query->x - b->at, k = PI / b->length;
  (void)hint;
  if (s < 0.0 || s > b->length || query->y < b->right || query->y > b->left) return;
  answer->height = b->height * sin(k * s);
  answer->slope_x = b->height * k * cos(k * s);
  answer->friction = b->friction;
}

static const char *const names[] = {"at", "length", "height", "right", "left", "friction", NULL};

const jn_road_plugin_table jounce_road_plugin = {
    .version = JN_PLUGIN_VERSION, .parameter = names, .init = init, .at = at, .free = free};
