// laws_data.h: a Fiala tyre and two carpets that tests share. Numbers are made up.
#ifndef JN_TEST_LAWS_DATA_H
#define JN_TEST_LAWS_DATA_H

#include "elements/tyre/fiala.h"
#include "elements/tyre/tabulated.h"

enum {
  LAWS_AT = 40,  // where the blocks begin: not at zero, so that places are taken to be relative
  LAWS_TABLE = LAWS_AT + 3 * TABULATED_ROWS + 24 * TABULATED_ROW
};

static const double laws_fiala[FIALA_FIELDS] = {6e4, 4.5e4, 0.95, 0.7, 0.2, 0.012, 0.2, 0.4};

#define LAWS_DEGREE (3.14159265358979323846 / 180.0)

static const double laws_angles[] = {0.0,
                                     1.0 * LAWS_DEGREE,
                                     2.0 * LAWS_DEGREE,
                                     4.0 * LAWS_DEGREE,
                                     6.0 * LAWS_DEGREE,
                                     8.0 * LAWS_DEGREE,
                                     12.0 * LAWS_DEGREE,
                                     20.0 * LAWS_DEGREE};
static const double laws_loads[] = {10e3, 20e3, 40e3};
static const double laws_side[] = {
    0, -1900, -3600, -6100,  -7500,  -8000,  -8200,  -7600,   // peak at 12 degrees
    0, -3300, -6300, -11000, -13800, -14900, -14400, -13600,  // at 8
    0, -4900, -9500, -17500, -23100, -26300, -28200, -26500};
static const double laws_torque[] = {0, 60,  105, 130,  100,  60,  10,  -15,  //
                                     0, 180, 320, 420,  350,  230, 60,  -40,  //
                                     0, 420, 800, 1200, 1150, 850, 300, -100};
static const double laws_slips[] = {0.0, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0};
static const double laws_ahead_loads[] = {12e3, 20e3, 36e3};
static const double laws_ahead[] = {0, 4000,  7600,  9500,  9300,  8300,  7400,
                                    0, 6200,  12000, 15400, 15100, 13600, 12100,
                                    0, 10500, 20600, 26700, 26900, 24300, 21800};

// Given on one side.
static const tabulated_data laws_half = {
    .side_force = {8, 3, laws_angles, laws_loads, laws_side, {0}, "side_force"},
    .longitudinal_force = {7, 3, laws_slips, laws_ahead_loads, laws_ahead, {0}, "longitudinal"},
    .aligning_torque = {8, 2, laws_angles, laws_loads + 1, laws_torque + 8, {0}, "aligning_torque"},
    .rolling_resistance = 0.006,
    .relaxation_x = 0.3,
    .relaxation_y = 0.7};

// Given on both sides, unlike each other, with forces and a torque at zero slip, which is not everywhere a point.
static const double laws_both_angles[] = {-0.3, -0.12, -0.06, -0.02, 0.02, 0.05, 0.13, 0.25};
static const double laws_both_side[] = {7500,  8300,  7000,  2900, -2500, -6000, -7900,  -7700,
                                        13000, 15100, 12000, 4800, -4500, -9700, -14300, -14000};
static const double laws_both_torque[] = {30, -20, -150, -100, 130, 160, 30, -20};
static const double laws_both_slips[] = {-1.0, -0.3, -0.09, -0.03, 0.0, 0.03, 0.11, 0.4, 1.0};
static const double laws_both_ahead[] = {
    -7000,  -8200,  -9300,  -5100, -150, 4900, 9000,  8600,  7900,  //
    -12000, -13900, -15600, -8200, -240, 8000, 15000, 14100, 12500};
static const tabulated_data laws_full = {
    .side_force = {8, 2, laws_both_angles, laws_loads, laws_both_side, {0}, "side_force"},
    .longitudinal_force = {9, 2, laws_both_slips, laws_loads, laws_both_ahead, {0}, "longitudinal"},
    .aligning_torque = {8, 1, laws_both_angles, laws_loads, laws_both_torque, {0}, "torque"},
    .rolling_resistance = 0.0,
    .relaxation_x = 0.2,
    .relaxation_y = 0.5};

#endif
