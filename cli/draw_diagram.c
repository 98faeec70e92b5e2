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

static int cannot_write(const char *file, int why)
{
  fprintf(stderr, "jounce: %s: the diagram cannot be written: %s\n", file, strerror(why));
  return JN_EXIT_WRONG;
}

static int write_text(const char *file, const char *text)
{
  FILE *out = fopen(file, "w");
  if (!out) return cannot_write(file, errno);
  const int wrong = fputs(text, out) < 0 || fflush(out) ? errno : 0;
  if (!fclose(out) && !wrong) return JN_EXIT_DONE;
  const int why = wrong ? wrong : errno;
  remove(file);
  return cannot_write(file, why);
}

// `dot` reads the graph from a file without a name, so that neither of the two waits for the other.
static int draw(const char *file, const char *kind, const char *text)
{
  char option[16];
  snprintf(option, sizeof option, "-T%s", kind);
  char *const argv[] = {"dot", option, "-Gdpi=96", "-o", (char *)file, NULL};
  FILE *graph = tmpfile();
  if (!graph || fputs(text, graph) < 0 || fflush(graph) || fseek(graph, 0, SEEK_SET)) {
    const int why = errno;
    if (graph) fclose(graph);
    return cannot_write(file, why);
  }
  posix_spawn_file_actions_t to;
  pid_t child;
  int status = 0;
  posix_spawn_file_actions_init(&to);
  posix_spawn_file_actions_adddup2(&to, fileno(graph), STDIN_FILENO);
  const int wrong = posix_spawnp(&child, "dot", &to, NULL, argv, environ);
  posix_spawn_file_actions_destroy(&to);
  fclose(graph);
  if (wrong == ENOENT) {
    fprintf(
        stderr,
        "jounce: %s: pictures are drawn by Graphviz, which is not installed (Debian: apt install "
        "graphviz); or take --diagram %.*s.dot and draw that elsewhere\n",
        file, (int)(strrchr(file, '.') - file), file);
    return JN_EXIT_WRONG;
  }
  if (wrong) return cannot_write(file, wrong);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (WIFEXITED(status) && !WEXITSTATUS(status)) return JN_EXIT_DONE;
  fprintf(stderr, "jounce: %s: dot could not draw the diagram\n", file);
  return JN_EXIT_WRONG;
}

int jn_cli_diagram(const jn_system *system, const char *file)
{
  const char *kind = ending_of(file);
  if (!strcmp(file, "-")) {
    jn_system_show_dot(system, stdout);
    return JN_EXIT_DONE;
  }
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  if (out) jn_system_show_dot(system, out);
  const int short_of_memory = !out || ferror(out);
  int code;
  if ((out && fclose(out)) || short_of_memory || !text)
    code = jn_cli_no_memory();
  else
    code = !strcmp(kind, "dot") || !strcmp(kind, "gv") ? write_text(file, text)
                                                       : draw(file, kind, text);
  free(text);
  return code;
}
