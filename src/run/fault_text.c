// fault_text.c: which component or force gave what is not finite, or which plug-in broke its contract, as contacts have kept it
// (elements/road/keep.h).
#include <stdio.h>

#include "elements/road/keep.h"
#include "run/run_internal.h"
#include "solve/fast/fast.h"

static const char *name_of_tyre(const jn_system *s, const jn_wheel *w)
{
  return s->model->spec->tyre[w->plugin - s->tyre_plugin].name;
}

const char *jn_plugin_fault_text(const jn_system *s, const jn_data *d, char text[JN_REMARK])
{
  jn_components_remark(s, d, text);
  for (int i = 0; i < s->nelement && d->faulty_plugin >= 0 && !text[0]; i++)
    if (s->element[i].plugin == d->faulty_plugin)
      snprintf(text, JN_REMARK,
               ": the plug-in force \"%s\" gave what is not a number, of a motion that is",
               s->element[i].name);
  for (int i = 0; i < s->nwheel && !text[0]; i++) {
    const jn_wheel *w = &s->wheel[i];
    const int marks = keep_marks(d->wheel[i].keep) | jn_lane_marks(s, d, i);
    if (marks & KEEP_TYRE_BROKE)
      snprintf(
          text, JN_REMARK,
          ": the plug-in tyre \"%s\" gave what is not a number, or no length, at a slip that is",
          name_of_tyre(s, w));
    else if (marks & KEEP_ROAD_BROKE)
      snprintf(text, JN_REMARK, ": the road \"%s\" gave what is not a number, or friction below %g",
               s->binding.road[w->road].name, JN_ROAD_LEAST_FRICTION);
  }
  return text;
}
