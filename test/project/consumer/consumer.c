// A program of a user: read a model, compile it, print its degrees of freedom.
#include <jounce/jounce.h>
#include <stdio.h>

int main(int argc, char **argv)
{
  jn_error err;
  jn_spec *spec = NULL;
  jn_model *model = NULL;
  char line[512];
  int wrong = argc != 2 || jn_spec_load(argv[1], NULL, 0, &spec, &err) ||
              jn_model_compile(spec, NULL, &model, &err);
  if (wrong)
    fprintf(stderr, "%s\n",
            argc == 2 ? jn_error_line(&err, line, sizeof line) : "one model, please");
  else
    printf("%d degrees of freedom\n", jn_model_count(model).dof);
  jn_model_free(model);
  jn_spec_free(spec);
  return wrong;
}
