// plan_list.h: everything that is plan and no number, as one list: what two systems that share a plan have alike, item by item, and
// what a saved state is known by.
#ifndef JN_RUN_PLAN_LIST_H
#define JN_RUN_PLAN_LIST_H

#include "plan/system.h"

typedef struct jn_plan_item {
  const char *section, *name;  // joints, lca_fl; name may be NULL
  const char *what;            // "its type"
  const char *word;            // what it is, NULL: `value`
  int64_t value;
} jn_plan_item;

typedef struct jn_plan_list {
  int n, room;
  jn_plan_item *item;
  bool full;  // memory is exhausted
} jn_plan_list;

// Names are those of the spec and the system, which must outlive it.
void jn_plan_list_model(jn_plan_list *list, const jn_model *m);
void jn_plan_list_system(jn_plan_list *list, const jn_system *s);
void jn_plan_list_free(jn_plan_list *list);

uint64_t jn_plan_list_mark(const jn_plan_list *list);

// JN_E_PLAN, and the first item that differs by name, should `changed` not be as `plan` is.
jn_status jn_plan_list_compare(const jn_plan_list *plan, const jn_plan_list *changed, jn_pos pos,
                               jn_error *err);

#endif
