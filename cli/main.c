#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "json/json.h"

#define X(name, arguments, summary) {#name, arguments, summary, jn_help_##name, jn_cmd_##name},
static const jn_command commands[] = {JN_COMMANDS(X)};
#undef X
enum { NCOMMAND = sizeof commands / sizeof *commands };

static bool explained;  // why the exit code is not 0, in a line
static int unwritten;   // errno of standard output, 0: it takes what is printed

int jn_cli_error(const jn_error *err)
{
  char line[1024];
  explained = true;
  fprintf(stderr, "jounce: %s\n", jn_error_line(err, line, sizeof line));
  return JN_EXIT_WRONG;
}

int jn_cli_no_memory(void)
{
  jn_error err = {.code = JN_E_MEMORY};
  snprintf(err.text, sizeof err.text, "%s", jn_status_text(JN_E_MEMORY));
  return jn_cli_error(&err);
}

// One line, whatever the words of the call are.
static void put_line_of(const char *fmt, va_list args)
{
  char text[8192];
  vsnprintf(text, sizeof text, fmt, args);
  fprintf(stderr, "jounce: ");
  for (const unsigned char *c = (const unsigned char *)text; *c; c++)
    fprintf(stderr, *c < 0x20 || *c == 0x7f ? "\\x%02x" : "%c", *c);
}

int jn_cli_fail(int code, const char *fmt, ...)
{
  va_list args;
  explained = true;
  (void)jn_cli_written();
  va_start(args, fmt);
  put_line_of(fmt, args);
  va_end(args);
  fputc('\n', stderr);
  return code;
}

int jn_cli_misuse(const char *command, const char *fmt, ...)
{
  va_list args;
  explained = true;
  va_start(args, fmt);
  put_line_of(fmt, args);
  va_end(args);
  fprintf(stderr, " (see jounce %s%s--help)\n", command, command[0] ? " " : "");
  return JN_EXIT_WRONG;
}

const char *jn_cli_value(int argc, char **argv, int *i, const char *name)
{
  size_t n = strlen(name);
  if (strncmp(argv[*i], name, n)) return NULL;
  if (argv[*i][n] == '=') return argv[*i] + n + 1;
  if (argv[*i][n] != 0) return NULL;
  return ++*i < argc ? argv[*i] : "";
}

char *jn_cli_beside(const char *file, const char *ending)
{
  const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
  const char *dot = strrchr(base, '.');
  const int stem = (int)(dot && dot > base ? dot - file : (long)strlen(file));
  const size_t room = (size_t)stem + strlen(ending) + 1;
  char *name = malloc(room);
  if (name) snprintf(name, room, "%.*s%s", stem, file, ending);
  return name;
}

int jn_cli_json(json_t *object)
{
  jn_error err = {0};
  if (jn_json_write(object, 17, stdout, &err) && err.code == JN_E_MEMORY) return jn_cli_error(&err);
  return JN_EXIT_DONE;  // what standard output has not taken is found at the end
}

int jn_cli_written(void)
{
  errno = 0;
  if (!fflush(stdout) && !ferror(stdout)) return 1;
  if (!unwritten) unwritten = errno ? errno : EIO;
  return 0;
}

// What has failed before keeps its exit code, and its line; so does what a signal has ended.
static int finish(int code)
{
  if (jn_cli_written() || explained || code > JN_EXIT_WRONG) return code;
  return jn_cli_fail(JN_EXIT_WRONG, "standard output cannot be written: %s", strerror(unwritten));
}

static void print_help(void)
{
  printf("jounce %s: real-time multibody vehicle dynamics\n\n", jn_version());
  for (int i = 0; i < NCOMMAND; i++)
    printf("  jounce %-11s %s\n%21s%s\n", commands[i].name, commands[i].arguments, "",
           commands[i].summary);
  printf("\n  jounce help COMMAND explains a command; jounce --version names the version.\n");
}

static void print_command(const jn_command *c)
{
  printf("jounce %s %s\n%s\n\n%s", c->name, c->arguments, c->summary, c->help);
}

static const jn_command *find_command(const char *name)
{
  for (int i = 0; i < NCOMMAND; i++)
    if (!strcmp(name, commands[i].name)) return &commands[i];
  return NULL;
}

static int no_command(const char *name)
{
  const char *names[NCOMMAND];
  char all[160] = "";
  for (int i = 0; i < NCOMMAND; i++) {
    names[i] = commands[i].name;
    strcat(strcat(all, i ? ", " : ""), names[i]);
  }
  const char *near = jn_nearest_word(name, names, NCOMMAND);
  return near ? jn_cli_misuse("", "there is no command \"%s\", did you mean \"%s\"?", name, near)
              : jn_cli_misuse("", "there is no command \"%s\"; expected %s", name, all);
}

static bool asks_for_help(const char *word)
{
  return !strcmp(word, "--help") || !strcmp(word, "-h");
}

// `jounce help`, `jounce help COMMAND`
static int help(int argc, char **argv)
{
  if (argc > 3) return jn_cli_misuse("", "help takes one command, found \"%s\" too", argv[3]);
  const jn_command *c = argc == 3 ? find_command(argv[2]) : NULL;
  if (argc == 3 && !c && !asks_for_help(argv[2]) && strcmp(argv[2], "help"))
    return no_command(argv[2]);
  if (c)
    print_command(c);
  else
    print_help();
  return JN_EXIT_DONE;
}

// A standard stream that is closed leaves its number to the first file that is opened, which would then get what is printed. What is
// put there instead fails in the same way.
static void hold_standard_streams(void)
{
  for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
    if (fcntl(i, F_GETFD) < 0 && open("/dev/null", i == STDIN_FILENO ? O_WRONLY : O_RDONLY) != i)
      _exit(JN_EXIT_WRONG);
}

static int run(int argc, char **argv)
{
  if (argc < 2) {
    print_help();
    return JN_EXIT_WRONG;
  }
  if (asks_for_help(argv[1]) || !strcmp(argv[1], "help")) return help(argc, argv);
  if (!strcmp(argv[1], "--version")) {
    printf("jounce %s\n", jn_version());
    return JN_EXIT_DONE;
  }
  const jn_command *c = find_command(argv[1]);
  if (!c) return no_command(argv[1]);
  for (int i = 2; i < argc; i++)
    if (asks_for_help(argv[i])) {
      print_command(c);
      return JN_EXIT_DONE;
    }
  return c->run(argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
  hold_standard_streams();
  signal(SIGXFSZ, SIG_IGN);  // a limit of file sizes is an error of the write that meets it
  return finish(run(argc, argv));
}
