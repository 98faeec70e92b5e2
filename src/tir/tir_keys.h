// tir_keys.h: what a tyre property file may say in numbers, as one list.
//
// X(key, quantity, default, use): key as files write it; quantity as of TIR_QUANTITIES; default in SI
// where the file does not say it, NAN: none is assumed; use: versions of the Magic Formula that read
// it (5: 5.2, 6: 6.1, B: both), or N: it is read and reported, and nothing here depends on it.
#ifndef JN_TIR_TIR_KEYS_H
#define JN_TIR_TIR_KEYS_H

// X(quantity, length, force, angle, mass, time): powers of the file's units; pressure may have a unit
// of its own, else it is force over length squared
#define TIR_QUANTITIES(X)           \
  X(ONE, 0, 0, 0, 0, 0)             \
  X(LENGTH, 1, 0, 0, 0, 0)          \
  X(FORCE, 0, 1, 0, 0, 0)           \
  X(ANGLE, 0, 0, 1, 0, 0)           \
  X(MASS, 0, 0, 0, 1, 0)            \
  X(INERTIA, 2, 0, 0, 1, 0)         \
  X(SPEED, 1, 0, 0, 0, -1)          \
  X(STIFFNESS, -1, 1, 0, 0, 0)      \
  X(DAMPING, -1, 1, 0, 0, 1)        \
  X(TURN_STIFFNESS, 1, 1, -1, 0, 0) \
  X(ACCELERATION, 1, 0, 0, 0, -2)   \
  X(PRESSURE, 0, 0, 0, 0, 0)

#define TIR_MODEL(X)        \
  X(FITTYP, ONE, NAN, B)    \
  X(USE_MODE, ONE, 14, B)   \
  X(VXLOW, SPEED, 1, B)     \
  X(LONGVL, SPEED, 16.7, B) \
  X(MFSAFE1, ONE, NAN, N)   \
  X(MFSAFE2, ONE, NAN, N)   \
  X(MFSAFE3, ONE, NAN, N)

#define TIR_DIMENSION(X)             \
  X(UNLOADED_RADIUS, LENGTH, NAN, B) \
  X(WIDTH, LENGTH, NAN, N)           \
  X(RIM_RADIUS, LENGTH, NAN, B)      \
  X(RIM_WIDTH, LENGTH, NAN, N)       \
  X(ASPECT_RATIO, ONE, NAN, N)

#define TIR_OPERATING_CONDITIONS(X) \
  X(INFLPRES, PRESSURE, NAN, 6)     \
  X(NOMPRES, PRESSURE, NAN, 6)

#define TIR_INERTIA(X)         \
  X(MASS, MASS, NAN, N)        \
  X(IXX, INERTIA, NAN, N)      \
  X(IYY, INERTIA, NAN, N)      \
  X(BELT_MASS, MASS, NAN, N)   \
  X(BELT_IXX, INERTIA, NAN, N) \
  X(BELT_IYY, INERTIA, NAN, N) \
  X(GRAVITY, ACCELERATION, NAN, N)

// QFZ1 ... are what some files call Q_FZ1 ...: aliases (tir.c).
#define TIR_VERTICAL(X)                    \
  X(FNOMIN, FORCE, NAN, B)                 \
  X(VERTICAL_STIFFNESS, STIFFNESS, NAN, B) \
  X(VERTICAL_DAMPING, DAMPING, 0, B)       \
  X(MC_CONTOUR_A, ONE, NAN, N)             \
  X(MC_CONTOUR_B, ONE, NAN, N)             \
  X(BREFF, ONE, 0, B)                      \
  X(DREFF, ONE, 0, B)                      \
  X(FREFF, ONE, 0, B)                      \
  X(Q_RE0, ONE, 1, B)                      \
  X(Q_V1, ONE, 0, B)                       \
  X(Q_V2, ONE, 0, B)                       \
  X(Q_FZ1, ONE, NAN, B)                    \
  X(Q_FZ2, ONE, 0, B)                      \
  X(Q_FZ3, ONE, 0, B)                      \
  X(Q_FCX, ONE, 0, N)                      \
  X(Q_FCY, ONE, 0, N)                      \
  X(Q_FCY2, ONE, 0, N)                     \
  X(Q_CAM, ONE, 0, N)                      \
  X(Q_CAM1, ONE, 0, N)                     \
  X(Q_CAM2, ONE, 0, N)                     \
  X(Q_CAM3, ONE, 0, N)                     \
  X(Q_FYS1, ONE, 0, N)                     \
  X(Q_FYS2, ONE, 0, N)                     \
  X(Q_FYS3, ONE, 0, N)                     \
  X(PFZ1, ONE, 0, 6)                       \
  X(BOTTOM_OFFST, LENGTH, NAN, B)          \
  X(BOTTOM_STIFF, STIFFNESS, NAN, B)       \
  X(BOTTOMING_RADIUS, LENGTH, NAN, B)

#define TIR_STRUCTURAL(X)                      \
  X(LONGITUDINAL_STIFFNESS, STIFFNESS, NAN, 6) \
  X(LATERAL_STIFFNESS, STIFFNESS, NAN, 6)      \
  X(YAW_STIFFNESS, TURN_STIFFNESS, NAN, N)     \
  X(PCFX1, ONE, 0, 6)                          \
  X(PCFX2, ONE, 0, 6)                          \
  X(PCFX3, ONE, 0, 6)                          \
  X(PCFY1, ONE, 0, 6)                          \
  X(PCFY2, ONE, 0, 6)                          \
  X(PCFY3, ONE, 0, 6)                          \
  X(PCMZ1, ONE, 0, N)

#define TIR_PRESSURE_RANGE(X)  \
  X(PRESMIN, PRESSURE, NAN, 6) \
  X(PRESMAX, PRESSURE, NAN, 6)

#define TIR_FORCE_RANGE(X) \
  X(FZMIN, FORCE, NAN, N)  \
  X(FZMAX, FORCE, NAN, B)

#define TIR_SLIP_RANGE(X) \
  X(KPUMIN, ONE, NAN, B)  \
  X(KPUMAX, ONE, NAN, B)

#define TIR_ANGLE_RANGE(X) \
  X(ALPMIN, ANGLE, NAN, B) \
  X(ALPMAX, ANGLE, NAN, B)

#define TIR_CAMBER_RANGE(X) \
  X(CAMMIN, ANGLE, NAN, B)  \
  X(CAMMAX, ANGLE, NAN, B)

// LCZ scales the vertical stiffness: files in use have 0.44, so it must not be forgotten.
#define TIR_SCALING(X) \
  X(LFZO, ONE, 1, B)   \
  X(LCX, ONE, 1, B)    \
  X(LMUX, ONE, 1, B)   \
  X(LEX, ONE, 1, B)    \
  X(LKX, ONE, 1, B)    \
  X(LHX, ONE, 1, B)    \
  X(LVX, ONE, 1, B)    \
  X(LGAX, ONE, 1, 5)   \
  X(LCY, ONE, 1, B)    \
  X(LMUY, ONE, 1, B)   \
  X(LEY, ONE, 1, B)    \
  X(LKY, ONE, 1, B)    \
  X(LHY, ONE, 1, B)    \
  X(LVY, ONE, 1, B)    \
  X(LGAY, ONE, 1, 5)   \
  X(LKYC, ONE, 1, B)   \
  X(LKZC, ONE, 1, B)   \
  X(LTR, ONE, 1, B)    \
  X(LRES, ONE, 1, B)   \
  X(LGAZ, ONE, 1, 5)   \
  X(LXAL, ONE, 1, B)   \
  X(LYKA, ONE, 1, B)   \
  X(LVYKA, ONE, 1, B)  \
  X(LS, ONE, 1, B)     \
  X(LSGKP, ONE, 1, B)  \
  X(LSGAL, ONE, 1, B)  \
  X(LGYR, ONE, 1, N)   \
  X(LMX, ONE, 1, B)    \
  X(LVMX, ONE, 1, B)   \
  X(LMY, ONE, 1, B)    \
  X(LMUV, ONE, 0, N)   \
  X(LCZ, ONE, 1, B)    \
  X(LIP, ONE, 1, N)    \
  X(LMP, ONE, 1, N)

#define TIR_LONGITUDINAL(X) \
  X(PCX1, ONE, 0, B)        \
  X(PDX1, ONE, 0, B)        \
  X(PDX2, ONE, 0, B)        \
  X(PDX3, ONE, 0, B)        \
  X(PEX1, ONE, 0, B)        \
  X(PEX2, ONE, 0, B)        \
  X(PEX3, ONE, 0, B)        \
  X(PEX4, ONE, 0, B)        \
  X(PKX1, ONE, 0, B)        \
  X(PKX2, ONE, 0, B)        \
  X(PKX3, ONE, 0, B)        \
  X(PHX1, ONE, 0, B)        \
  X(PHX2, ONE, 0, B)        \
  X(PVX1, ONE, 0, B)        \
  X(PVX2, ONE, 0, B)        \
  X(PPX1, ONE, 0, 6)        \
  X(PPX2, ONE, 0, 6)        \
  X(PPX3, ONE, 0, 6)        \
  X(PPX4, ONE, 0, 6)        \
  X(RBX1, ONE, 0, B)        \
  X(RBX2, ONE, 0, B)        \
  X(RBX3, ONE, 0, 6)        \
  X(RCX1, ONE, 0, B)        \
  X(REX1, ONE, 0, B)        \
  X(REX2, ONE, 0, B)        \
  X(RHX1, ONE, 0, B)        \
  X(PTX1, ONE, 0, 5)        \
  X(PTX2, ONE, 0, 5)        \
  X(PTX3, ONE, 0, 5)        \
  X(PTX4, ONE, 0, N)

#define TIR_OVERTURNING(X) \
  X(QSX1, ONE, 0, B)       \
  X(QSX2, ONE, 0, B)       \
  X(QSX3, ONE, 0, B)       \
  X(QSX4, ONE, 0, 6)       \
  X(QSX5, ONE, 0, 6)       \
  X(QSX6, ONE, 0, 6)       \
  X(QSX7, ONE, 0, 6)       \
  X(QSX8, ONE, 0, 6)       \
  X(QSX9, ONE, 0, 6)       \
  X(QSX10, ONE, 0, 6)      \
  X(QSX11, ONE, 0, 6)      \
  X(QSX12, ONE, 0, 6)      \
  X(QSX13, ONE, 0, 6)      \
  X(QSX14, ONE, 0, 6)      \
  X(PPMX1, ONE, 0, 6)      \
  X(QPX1, ONE, 0, N)

#define TIR_LATERAL(X) \
  X(PCY1, ONE, 0, B)   \
  X(PDY1, ONE, 0, B)   \
  X(PDY2, ONE, 0, B)   \
  X(PDY3, ONE, 0, B)   \
  X(PEY1, ONE, 0, B)   \
  X(PEY2, ONE, 0, B)   \
  X(PEY3, ONE, 0, B)   \
  X(PEY4, ONE, 0, B)   \
  X(PEY5, ONE, 0, 6)   \
  X(PKY1, ONE, 0, B)   \
  X(PKY2, ONE, 0, B)   \
  X(PKY3, ONE, 0, B)   \
  X(PKY4, ONE, 2, 6)   \
  X(PKY5, ONE, 0, 6)   \
  X(PKY6, ONE, 0, 6)   \
  X(PKY7, ONE, 0, 6)   \
  X(PHY1, ONE, 0, B)   \
  X(PHY2, ONE, 0, B)   \
  X(PHY3, ONE, 0, 5)   \
  X(PVY1, ONE, 0, B)   \
  X(PVY2, ONE, 0, B)   \
  X(PVY3, ONE, 0, B)   \
  X(PVY4, ONE, 0, B)   \
  X(PPY1, ONE, 0, 6)   \
  X(PPY2, ONE, 0, 6)   \
  X(PPY3, ONE, 0, 6)   \
  X(PPY4, ONE, 0, 6)   \
  X(PPY5, ONE, 0, 6)   \
  X(RBY1, ONE, 0, B)   \
  X(RBY2, ONE, 0, B)   \
  X(RBY3, ONE, 0, B)   \
  X(RBY4, ONE, 0, 6)   \
  X(RCY1, ONE, 0, B)   \
  X(REY1, ONE, 0, B)   \
  X(REY2, ONE, 0, B)   \
  X(RHY1, ONE, 0, B)   \
  X(RHY2, ONE, 0, B)   \
  X(RVY1, ONE, 0, B)   \
  X(RVY2, ONE, 0, B)   \
  X(RVY3, ONE, 0, B)   \
  X(RVY4, ONE, 0, B)   \
  X(RVY5, ONE, 0, B)   \
  X(RVY6, ONE, 0, B)   \
  X(PTY1, ONE, 0, 5)   \
  X(PTY2, ONE, 0, 5)   \
  X(PTY3, ONE, 0, N)

#define TIR_ROLLING(X) \
  X(QSY1, ONE, 0, B)   \
  X(QSY2, ONE, 0, B)   \
  X(QSY3, ONE, 0, B)   \
  X(QSY4, ONE, 0, B)   \
  X(QSY5, ONE, 0, 6)   \
  X(QSY6, ONE, 0, 6)   \
  X(QSY7, ONE, 0, 6)   \
  X(QSY8, ONE, 0, 6)

#define TIR_ALIGNING(X) \
  X(QBZ1, ONE, 0, B)    \
  X(QBZ2, ONE, 0, B)    \
  X(QBZ3, ONE, 0, B)    \
  X(QBZ4, ONE, 0, B)    \
  X(QBZ5, ONE, 0, B)    \
  X(QBZ9, ONE, 0, B)    \
  X(QBZ10, ONE, 0, B)   \
  X(QCZ1, ONE, 0, B)    \
  X(QDZ1, ONE, 0, B)    \
  X(QDZ2, ONE, 0, B)    \
  X(QDZ3, ONE, 0, B)    \
  X(QDZ4, ONE, 0, B)    \
  X(QDZ6, ONE, 0, B)    \
  X(QDZ7, ONE, 0, B)    \
  X(QDZ8, ONE, 0, B)    \
  X(QDZ9, ONE, 0, B)    \
  X(QDZ10, ONE, 0, 6)   \
  X(QDZ11, ONE, 0, 6)   \
  X(QEZ1, ONE, 0, B)    \
  X(QEZ2, ONE, 0, B)    \
  X(QEZ3, ONE, 0, B)    \
  X(QEZ4, ONE, 0, B)    \
  X(QEZ5, ONE, 0, B)    \
  X(QHZ1, ONE, 0, B)    \
  X(QHZ2, ONE, 0, B)    \
  X(QHZ3, ONE, 0, B)    \
  X(QHZ4, ONE, 0, B)    \
  X(PPZ1, ONE, 0, 6)    \
  X(PPZ2, ONE, 0, 6)    \
  X(SSZ1, ONE, 0, B)    \
  X(SSZ2, ONE, 0, B)    \
  X(SSZ3, ONE, 0, B)    \
  X(SSZ4, ONE, 0, B)    \
  X(QTZ1, ONE, 0, N)    \
  X(MBELT, MASS, 0, N)  \
  X(QPZ1, ONE, 0, N)    \
  X(QPZ2, ONE, 0, N)

#define TIR_TURNSLIP(X) \
  X(PDXP1, ONE, 0, N)   \
  X(PDXP2, ONE, 0, N)   \
  X(PDXP3, ONE, 0, N)   \
  X(PKYP1, ONE, 0, N)   \
  X(PDYP1, ONE, 0, N)   \
  X(PDYP2, ONE, 0, N)   \
  X(PDYP3, ONE, 0, N)   \
  X(PDYP4, ONE, 0, N)   \
  X(PHYP1, ONE, 0, N)   \
  X(PHYP2, ONE, 0, N)   \
  X(PHYP3, ONE, 0, N)   \
  X(PHYP4, ONE, 0, N)   \
  X(PECP1, ONE, 0, N)   \
  X(PECP2, ONE, 0, N)   \
  X(QDTP1, ONE, 0, N)   \
  X(QCRP1, ONE, 0, N)   \
  X(QCRP2, ONE, 0, N)   \
  X(QBRP1, ONE, 0, N)   \
  X(QDRP1, ONE, 0, N)

// X(section as files write it, list). A key is accepted in any section of this list, as other readers
// do.
#define TIR_SECTIONS(X)                               \
  X("MODEL", TIR_MODEL)                               \
  X("DIMENSION", TIR_DIMENSION)                       \
  X("OPERATING_CONDITIONS", TIR_OPERATING_CONDITIONS) \
  X("INERTIA", TIR_INERTIA)                           \
  X("VERTICAL", TIR_VERTICAL)                         \
  X("STRUCTURAL", TIR_STRUCTURAL)                     \
  X("INFLATION_PRESSURE_RANGE", TIR_PRESSURE_RANGE)   \
  X("VERTICAL_FORCE_RANGE", TIR_FORCE_RANGE)          \
  X("LONG_SLIP_RANGE", TIR_SLIP_RANGE)                \
  X("SLIP_ANGLE_RANGE", TIR_ANGLE_RANGE)              \
  X("INCLINATION_ANGLE_RANGE", TIR_CAMBER_RANGE)      \
  X("SCALING_COEFFICIENTS", TIR_SCALING)              \
  X("LONGITUDINAL_COEFFICIENTS", TIR_LONGITUDINAL)    \
  X("OVERTURNING_COEFFICIENTS", TIR_OVERTURNING)      \
  X("LATERAL_COEFFICIENTS", TIR_LATERAL)              \
  X("ROLLING_COEFFICIENTS", TIR_ROLLING)              \
  X("ALIGNING_COEFFICIENTS", TIR_ALIGNING)            \
  X("TURNSLIP_COEFFICIENTS", TIR_TURNSLIP)

#endif
