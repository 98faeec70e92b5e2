// jounce.h: everything.
#ifndef JOUNCE_JOUNCE_H
#define JOUNCE_JOUNCE_H

#include "jounce/base.h"
#include "jounce/equilibrium.h"
#include "jounce/model.h"
#include "jounce/reference.h"
#include "jounce/report.h"
#include "jounce/result.h"
#include "jounce/run.h"
#include "jounce/scenario.h"
#include "jounce/sim.h"
#include "jounce/spec.h"
#include "jounce/tyre.h"

#endif
