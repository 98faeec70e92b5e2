// draw_diagram.c: a Graphviz graph to a file, drawn by `dot` if the file's name asks for a picture.
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"

extern char **environ;

// What a file's name ends in; NULL: none of those that can be made.
static const char *ending_of(const char *file)
{
  static const char *const known[] = {"dot", "gv", "svg", "png", "pdf"};
  const char *dot = strrchr(file, '.');
  for (size_t i = 0; dot && i < sizeof known / sizeof *known; i++)
    if (!strcmp(dot + 1, known[i])) return known[i];
  return NULL;
}

int jn_cli_is_diagram(const char *word)
{
  return !strcmp(word, "-") || ending_of(word) != NULL;
}

// ---- a picture -------------------------------------------------------------------------------------

typedef struct drawing {
  const jn_system *system;
  const char *file, *kind;
  int code;  // exit code, once something was reported
} drawing;

static int cannot_draw(const drawing *d, int why)
{
  return jn_cli_fail(JN_EXIT_WRONG, "%s: the diagram cannot be drawn: %s", d->file, strerror(why));
}

static int run_dot(const drawing *d, FILE *graph, FILE *picture)
{
  char option[16];
  snprintf(option, sizeof option, "-T%s", d->kind);
  char *const argv[] = {"dot", option, "-Gdpi=96", NULL};
  posix_spawn_file_actions_t to;
  pid_t child;
  int status = 0, wrong = posix_spawn_file_actions_init(&to);
  if (wrong) return cannot_draw(d, wrong);
  wrong = posix_spawn_file_actions_adddup2(&to, fileno(graph), STDIN_FILENO);
  if (!wrong) wrong = posix_spawn_file_actions_adddup2(&to, fileno(picture), STDOUT_FILENO);
  if (!wrong) wrong = posix_spawnp(&child, "dot", &to, NULL, argv, environ);
  posix_spawn_file_actions_destroy(&to);
  if (wrong == ENOENT)
    return jn_cli_fail(
        JN_EXIT_WRONG,
        "%s: pictures are drawn by Graphviz, which is not installed (Debian: apt install "
        "graphviz); or take --diagram %.*s.dot and draw that elsewhere",
        d->file, (int)(strrchr(d->file, '.') - d->file), d->file);
  if (wrong) return cannot_draw(d, wrong);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (WIFEXITED(status) && !WEXITSTATUS(status)) return JN_EXIT_DONE;
  return jn_cli_fail(JN_EXIT_WRONG, "%s: dot could not draw the diagram", d->file);
}

static int copy(const drawing *d, FILE *from, FILE *to)
{
  char bytes[1 << 14];
  rewind(from);
  for (size_t n; (n = fread(bytes, 1, sizeof bytes, from)) > 0;) fwrite(bytes, 1, n, to);
  return ferror(from) ? cannot_draw(d, errno) : JN_EXIT_DONE;
}

// Graph and picture are in files without names, so that neither of the two programs waits for the other.
static int draw(const drawing *d, FILE *out)
{
  FILE *graph = tmpfile(), *picture = graph ? tmpfile() : NULL;
  if (graph) jn_system_show_dot(d->system, graph);
  int code = JN_EXIT_DONE;
  if (!picture || fflush(graph) || ferror(graph) || fseek(graph, 0, SEEK_SET))
    code = cannot_draw(d, errno);
  if (!code) code = run_dot(d, graph, picture);
  if (!code) code = copy(d, picture, out);
  if (graph) fclose(graph);
  if (picture) fclose(picture);
  return code;
}

static jn_status put_diagram(FILE *out, void *user, jn_error *err)
{
  drawing *d = user;
  (void)err;
  if (!d->kind || !strcmp(d->kind, "dot") || !strcmp(d->kind, "gv"))
    jn_system_show_dot(d->system, out);
  else
    d->code = draw(d, out);
  return d->code ? JN_E_FILE : JN_OK;
}

int jn_cli_diagram(const jn_system *system, const char *file)
{
  jn_error err = {0};
  drawing d = {.system = system, .file = file, .kind = strcmp(file, "-") ? ending_of(file) : NULL};
  const jn_status st = jn_file_write(file, "diagram", put_diagram, &d, &err);
  return d.code ? d.code : st ? jn_cli_error(&err) : JN_EXIT_DONE;
}
