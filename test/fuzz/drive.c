// drive.c: a fuzz target without libFuzzer, by any compiler, so many inputs and no more: the same ones everywhere, whatever else the
// machine does.
//
//   fuzz_WHAT COUNT FOUND SEEDS...   so many mutations of files, or of all files in folders; each file itself first
//   fuzz_WHAT FILE                   that input alone
//
// What ends the program is left in the file FOUND.
#include <dirent.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz/mutate.h"

enum { MOST_SEEDS = 512, MOST_BYTES = 1 << 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

typedef struct input {
  uint8_t *data;
  size_t size;
} input;

static input seeds[MOST_SEEDS], present;
static int nseed;
static const char *found;
static unsigned dice = 1;

// ---- mutations of bytes, as libFuzzer has them ---------------------------------------------------------

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most)
{
  static const uint8_t odd[] = {0, 1, 0x7f, 0x80, 0xff, ' ', '\n', '<', '"', '\\', ',', '-'};
  const size_t at = pick(&dice, size + 1), left = size - at;
  uint8_t byte = (uint8_t)pick(&dice, 256);
  switch (pick(&dice, 6)) {
    case 0:
      return splice(data, size, most, at, 0, &byte, 1);
    case 1:
      return splice(data, size, most, at, pick(&dice, (left < 64 ? left : 64) + 1), "", 0);
    case 2:
      return splice(data, size, most, at, 0, odd + pick(&dice, sizeof odd), 1);
    case 3: {  // a piece of it once more
      const size_t from = pick(&dice, size + 1), n = size - from < 256 ? size - from : 256;
      return splice(data, size, most, at, 0, data + from, pick(&dice, n + 1));
    }
    case 4:
      if (left) data[at] = odd[pick(&dice, sizeof odd)];
      return size;
    default:
      if (left) data[at] ^= (uint8_t)(1u << pick(&dice, 8));
      return size;
  }
}

// ---- what was found --------------------------------------------------------------------------------------

// By calls that a handler of signals may make. Sanitizers call it too, before they end the program.
static void keep(void)
{
  FILE *out = found && present.data ? fopen(found, "wb") : NULL;
  if (!out) return;
  fwrite(present.data, 1, present.size, out);
  fclose(out);
}

static void end(int number)
{
  keep();
  signal(number, SIG_DFL);
  raise(number);
}

void __sanitizer_set_death_callback(void (*call)(void)) __attribute__((weak));

static void watch(void)
{
  static const int ends[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGALRM};
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
    if (!__sanitizer_set_death_callback || ends[i] == SIGABRT || ends[i] == SIGALRM)
      signal(ends[i], end);
  if (__sanitizer_set_death_callback) __sanitizer_set_death_callback(keep);
}

// A hang is a finding, too; the time is far above what an input may take on the busiest of machines.
static void try_input(uint8_t *data, size_t size)
{
  enum { PATIENCE_S = 120 };
  // A copy of its own, so that a sanitizer sees the byte behind its end.
  present = (input){malloc(size ? size : 1), size};
  if (!present.data) abort();
  memcpy(present.data, data, size);
  alarm(PATIENCE_S);
  LLVMFuzzerTestOneInput(present.data, size);
  alarm(0);
  free(present.data);
  present.data = NULL;
}

// ---- seeds -----------------------------------------------------------------------------------------------

static void take_file(const char *name)
{
  FILE *in = fopen(name, "rb");
  uint8_t *data = malloc(MOST_BYTES);
  if (!in || !data || nseed == MOST_SEEDS) {
    fprintf(stderr, "%s cannot be read, or is one too many\n", name);
    exit(2);
  }
  seeds[nseed++] = (input){data, fread(data, 1, MOST_BYTES, in)};
  fclose(in);
}

static void take_seeds(const char *path)
{
  struct stat there;
  struct dirent **list;
  if (stat(path, &there) || !S_ISDIR(there.st_mode)) {
    take_file(path);
    return;
  }
  const int n =
      scandir(path, &list, NULL, alphasort);  // in an order that does not hang on the disc
  for (int i = 0; i < n; i++) {
    char name[PATH_MAX];
    snprintf(name, sizeof name, "%s/%s", path, list[i]->d_name);
    if (!stat(name, &there) && S_ISREG(there.st_mode)) take_file(name);
    free(list[i]);
  }
  if (n >= 0) free(list);
}

int main(int argc, char **argv)
{
  static uint8_t data[MOST_BYTES];
  if (argc != 2 && argc < 4) return fprintf(stderr, "COUNT FOUND SEEDS..., or FILE\n"), 2;
  const long count = argc > 2 ? atol(argv[1]) : 0;
  for (int i = argc > 2 ? 3 : 1; i < argc; i++) take_seeds(argv[i]);
  if (argc > 2) found = argv[2];
  watch();
  for (int i = 0; i < nseed; i++) try_input(seeds[i].data, seeds[i].size);
  for (long k = 0; k < count; k++) {
    const input *from = &seeds[pick(&dice, (size_t)nseed)];
    size_t size = from->size;
    memcpy(data, from->data, size);
    for (unsigned times = 1 + pick(&dice, 4); times > 0; times--)
      size = LLVMFuzzerCustomMutator(data, size, sizeof data, (unsigned)k * 4 + times);
    try_input(data, size);
  }
  printf("%d seeds, %ld mutations of them\n", nseed, count);
  for (int i = 0; i < nseed; i++) free(seeds[i].data);
  return 0;
}
