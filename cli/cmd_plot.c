// cmd_plot.c: `jounce plot RESULT`
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "jounce/report.h"

const char jn_help_plot[] =
    "  --out FILE       the report, RESULT with the ending .html if not given; - is standard "
    "output\n"
    "\n"
    "RESULT is what jounce run has recorded: NAME.h5, NAME.csv, or a folder with one of them.\n"
    "The report is one file that opens in a browser, without network: what was run, plots with a\n"
    "search through all channels, and, from NAME.h5, the mechanism moving in 3-D.\n"
    "\n"
    "A report keeps so many rows that its numbers stay below 20 MB: every n-th row, and the last "
    "one;\n"
    "at most 2000 channels. Largest values are those of all rows.\n";

typedef struct call {
  const char *result, *out;
} call;

static int parse(call *c, int argc, char **argv)
{
  for (int i = 1; i < argc; i++) {
    const char *name = argv[i], *value;
    if ((value = jn_cli_value(argc, argv, &i, "--out")))
      c->out = value;
    else if (name[0] == '-')
      return jn_cli_misuse("plot", "plot has no option \"%s\"", name);
    else if (c->result)
      return jn_cli_misuse("plot", "plot takes one result, found \"%s\" too", name);
    else
      c->result = name;
    int code = jn_cli_has_value("plot", name, value);
    if (code) return code;
  }
  return c->result ? JN_EXIT_DONE : jn_cli_misuse("plot", "plot needs a result");
}

static void print_report(const char *file, const jn_report *p, int64_t rows)
{
  printf("%-13s%s: %lld of %lld rows, %d of %d channels", "report", file, (long long)p->rows,
         (long long)rows, p->channels, p->channels_of);
  if (p->motion) printf(", replay of %lld rows", (long long)p->motion);
  printf("\n");
  if (p->note[0]) printf("%-13s%s\n", "note", p->note);
}

static int write_page(const call *c, jn_result *result)
{
  jn_error err = {0};
  jn_report report;
  char *name = c->out ? NULL : jn_cli_beside(jn_result_file(result), ".html");
  const char *file = c->out ? c->out : name;
  if (!file) return jn_cli_no_memory();
  int code = JN_EXIT_DONE;
  if (jn_report_write(result, file, &report, &err))
    code = jn_cli_error(&err);
  else if (strcmp(file, "-"))
    print_report(file, &report, jn_result_rows(result));
  free(name);
  return code;
}

int jn_cmd_plot(int argc, char **argv)
{
  call c = {0};
  jn_error err = {0};
  jn_result *result = NULL;
  int code = parse(&c, argc, argv);
  if (!code && jn_result_open(c.result, &result, &err)) code = jn_cli_error(&err);
  if (!code) code = write_page(&c, result);
  jn_result_free(result);
  return code;
}
