// constraint_rows.h: constraint rows of the cut joints, stage by stage.
#ifndef JN_SOLVE_GENERAL_CONSTRAINT_ROWS_H
#define JN_SOLVE_GENERAL_CONSTRAINT_ROWS_H

#include "solve/general/general.h"

void jn_rows_residuals(const jn_system *s, jn_data *d);  // poses  -> residuals alone
void jn_rows_positions(const jn_system *s, jn_data *d);  // poses  -> residuals, wrenches
void jn_rows_rates(const jn_system *s, jn_data *d);      // twists -> rates of residuals
void jn_rows_gamma(const jn_system *s, jn_data *d);      // twists -> accelerations that rows demand

#endif
