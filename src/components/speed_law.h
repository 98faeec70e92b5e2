// speed_law.h: a driver who holds a speed: a PI controller within the limits of its torque.
#ifndef JN_COMPONENTS_SPEED_LAW_H
#define JN_COMPONENTS_SPEED_LAW_H

typedef struct speed_law {
  double gain;           // torque per error of the speed [N m s/m]
  double integral_time;  // [s]
  double least, most;    // torque [N m]
} speed_law;

typedef struct speed_out {
  double torque;
  double rate;  // of the state
} speed_out;

// With the error e of the speed and the state z, the part of the torque that has summed up [AsH06, ch. 3]:
//
//   T = gain e + z, at least `least` and at most `most`,   z' = (T - z) / Ti
//
// Between the limits z' = gain e / Ti: an integral. At a limit z goes to that limit and no farther, so that
// it has not wound up when the error changes its sign.
static inline speed_out speed_driver(const speed_law *k, double error, double z)
{
  const double wanted = k->gain * error + z;
  const double below = wanted < k->most ? wanted : k->most;
  const double torque = below > k->least ? below : k->least;
  return (speed_out){torque, (torque - z) / k->integral_time};
}

// A mass m driven by T / r answers e'' + gain / (m r) (e' + e / Ti) = 0: critically damped with this Ti.
static inline double speed_critical_time(double mass, double radius, double gain)
{
  return 4.0 * mass * radius / gain;
}

#endif
