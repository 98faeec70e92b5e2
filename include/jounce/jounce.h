// jounce.h: everything.
#ifndef JOUNCE_JOUNCE_H
#define JOUNCE_JOUNCE_H

#include "jounce/base.h"
#include "jounce/model.h"
#include "jounce/spec.h"

#endif
