// grammar.h: what does not follow the grammar, in words that help.
#ifndef JN_YAML_GRAMMAR_H
#define JN_YAML_GRAMMAR_H

#include <stddef.h>

#include "base/error.h"

// The YAML library reported `message` at `pos` in `text`.
jn_status jn_grammar_fail(const char *text, size_t length, jn_pos pos, const char *message,
                          jn_error *err);

#endif
