// union_find.h: union-find. group[v] is another member of v's group, or v itself if it stands for the group.
#ifndef JN_BASE_UNION_FIND_H
#define JN_BASE_UNION_FIND_H

static inline int jn_group_find(int *group, int v)
{
  while (group[v] != v) v = group[v] = group[group[v]];
  return v;
}

#endif
