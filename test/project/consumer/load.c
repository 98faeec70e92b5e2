// A program that opens libjounce-offline.so at run time, as scripting languages do: its path is the argument.
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
  void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  if (!library || !dlsym(library, "jn_spec_load")) {
    fprintf(stderr, "%s\n", argc == 2 ? dlerror() : "one library, please");
    return 1;
  }
  return dlclose(library);
}
