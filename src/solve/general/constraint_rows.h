// constraint_rows.h: constraint rows of a cut joint, stage by stage.
#ifndef JN_SOLVE_GENERAL_CONSTRAINT_ROWS_H
#define JN_SOLVE_GENERAL_CONSTRAINT_ROWS_H

#include "solve/general/general.h"

void jn_cut_residuals(const jn_system *s, jn_data *d, int i);  // poses  -> residuals alone
void jn_cut_positions(const jn_system *s, jn_data *d, int i);  // poses  -> residuals, wrenches
void jn_cut_rates(const jn_system *s, jn_data *d, int i);      // twists -> rates of residuals
void jn_cut_gamma(const jn_system *s, jn_data *d, int i);  // twists -> accelerations rows demand

#endif
