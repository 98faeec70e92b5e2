// command_file.h: commands on a model that a test writes, and cells of the tables they print.
#ifndef JT_PLUGIN_COMMAND_FILE_H
#define JT_PLUGIN_COMMAND_FILE_H

#include "cli/command.h"

static jt_run run;

#define RUN(...) jt_command(".", (const char *const[]){__VA_ARGS__, NULL}, &run)

static char file[] = "/tmp/jounce-plugin-XXXXXX";  // between begin and end

static double cell(const char *line, int column)
{
  for (; column > 0 && line; column--) line = strchr(line, ',') ? strchr(line, ',') + 1 : NULL;
  assert_non_null(line);
  return strtod(line, NULL);
}

static int begin(void **state)
{
  (void)state;
  const int f = mkstemp(file);
  return f < 0 || close(f);
}

static int end(void **state)
{
  (void)state;
  return unlink(file);
}

#endif
