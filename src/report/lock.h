// lock.h: who holds a name, until he lets it go or dies.
#ifndef JN_REPORT_LOCK_H
#define JN_REPORT_LOCK_H

#include <stdbool.h>

typedef struct jn_lock {
  int file;
  char *name;  // of the file that stands for the lock; NULL: it is not held
} jn_lock;

// false: errno says why; EAGAIN: another process holds it, whose number is in *holder, 0 if that is not known.
bool jn_lock_take(jn_lock *lock, const char *name, long *holder);
void jn_lock_release(jn_lock *lock);  // what was not taken may be released too

bool jn_lock_is_held(const char *name);  // by somebody

#endif
