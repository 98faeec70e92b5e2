// A program of a target that has libjounce alone.
#include <jounce/jounce.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
  static const char *const words[] = {"steer", "brake"};
  const char *near = jn_nearest_word("stear", words, 2);
  printf("jounce %s\n", jn_version());
  return jn_sim_word("integrator", "ab3") < 0 || !near || strcmp(near, "steer") != 0;
}
