// use_locale.h: the process under another locale, for what must not depend on it.
#ifndef JN_TEST_USE_LOCALE_H
#define JN_TEST_USE_LOCALE_H

#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A locale of the machine, or one made for the test in `folder`; false if there is neither.
static inline bool use_locale(const char *folder, const char *name, const char *source,
                              const char *point)
{
  if (!setlocale(LC_ALL, name)) {
    char command[512];
    snprintf(command, sizeof command, "localedef -i %s -f UTF-8 %s/%s > %s/log 2>&1", source,
             folder, name, folder);
    if (system(command) == -1) return false;
    setenv("LOCPATH", folder, 1);
    bool made = setlocale(LC_ALL, name);
    unsetenv("LOCPATH");
    if (!made) return false;
  }
  return !strcmp(localeconv()->decimal_point, point);
}

#endif
