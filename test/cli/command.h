// command.h: run the real command as a person would, and see everything that it does.
#ifndef JN_TEST_COMMAND_H
#define JN_TEST_COMMAND_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "harness.h"

// What takes five minutes of the processor hangs, a hundred times what any of these takes; or it waits for something that does not come.
enum {
  JT_MOST_ARGUMENTS = 16,
  JT_MOST_OUTPUT = 1 << 16,
  JT_PROCESSOR_S = 300,
  JT_PATIENCE_S = 580
};

typedef struct jt_run {
  int code;   // exit code, -1 if it was ended by a signal
  bool hung;  // it did not end by itself
  char out[JT_MOST_OUTPUT], err[JT_MOST_OUTPUT];
} jt_run;

static inline void jt_take(int from, char *text)
{
  ssize_t n = pread(from, text, JT_MOST_OUTPUT - 1, 0);
  text[n > 0 ? n : 0] = 0;
  close(from);
}

static inline double jt_now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// `arguments` ends with NULL. It runs in `folder`, without standard input.
static inline void jt_command(const char *folder, const char *const *arguments, jt_run *run)
{
  const char *argv[JT_MOST_ARGUMENTS + 2] = {JN_COMMAND};
  for (int i = 0; i < JT_MOST_ARGUMENTS && arguments[i]; i++) argv[i + 1] = arguments[i];
  char name[] = "/tmp/jounce-output-XXXXXX", other[] = "/tmp/jounce-output-XXXXXX";
  int out = mkstemp(name), err = mkstemp(other);
  assert_true(out >= 0 && err >= 0);
  unlink(name), unlink(other);
  *run = (jt_run){.code = -1};

  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    int in = open("/dev/null", O_RDONLY);
    setrlimit(RLIMIT_CPU, &(struct rlimit){JT_PROCESSOR_S, JT_PROCESSOR_S});
    if (chdir(folder) || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0) _exit(126);
    execv(JN_COMMAND, (char *const *)argv);
    _exit(127);
  }
  int status = 0;
  double give_up = jt_now() + JT_PATIENCE_S;
  pid_t ended;
  while ((ended = waitpid(child, &status, WNOHANG)) == 0) {
    if (jt_now() > give_up) {
      kill(child, SIGKILL);
      run->hung = true;
      ended = waitpid(child, &status, 0);
      break;
    }
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
  assert_int_equal(ended, child);
  if (WIFEXITED(status)) run->code = WEXITSTATUS(status);
  if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL))
    run->hung = true;
  jt_take(out, run->out);
  jt_take(err, run->err);
}

// Names in a folder, "." and ".." not counted.
static inline int jt_count_files(const char *folder)
{
  DIR *d = opendir(folder);
  int n = 0;
  assert_non_null(d);
  for (const struct dirent *e; (e = readdir(d));)
    n += strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
  closedir(d);
  return n;
}

#endif
