// generate.h: how vehicles are drawn: random numbers, elements, and the parts that a vehicle is put together from.
//
// There are two streams of random numbers, one for choices and one for sizes. A corner that is drawn again with both
// streams put
// back and the other side is the exact mirror image; with the choices alone put back it is of the same kind, with
// other numbers.
#ifndef JT_DIFFERENTIAL_GENERATE_H
#define JT_DIFFERENTIAL_GENERATE_H

#include "differential/vehicle.h"

typedef struct streams {
  uint64_t choice, size;
} streams;

typedef struct drawing {
  vehicle *v;
  streams random;
  vehicle_place place;  // of what is added next
  double side;  // 1: left, -1: right; y of points, and what follows the mirror, has it as a factor
  char suffix[8];  // of names: "_fl"
  // The vehicle
  bool
      square;  // axes along the vehicle's, principal axes too: bodies hinged about one have an operation of their own
  bool calm;   // begins in one way only, whatever the tree is: identities need that
  bool wild;   // anything goes; otherwise what today's lanes take
  double mass;    // of the unit: chassis or trailer
  double length;  // of a size: 1 for a car
  double speed;   // forward
  double radius;  // of tyres
  double towing_mass;
  int rig;         // joint that holds the chassis, VEHICLE_NONE: none
  bool afloat;     // the chassis has a free joint
  double gravity;  // 9.81
  int chassis;
  int one_tyre;  // one for all, -1: each axle has its own
  // The corner
  double sprung, unsprung;  // masses that it carries and has
  int top;                  // body that suspensions hang on
  int rack;                 // body that tie rods end on, VEHICLE_NONE: the top
  bool half_rack;           // the right side is not steered
  int arm;                  // some body of it, for what is attached to it
  double centre[3];         // of the wheel, y to the left on both sides
  int tyre;
  bool bearing;  // its wheel is a body on a bearing, not an element
  bool dual;     // two tyres side by side
} drawing;

// ---- numbers (generate_elements.c) ----------------------------------------------------------------------

// Short decimals: what is written is what is meant.
double rounded(double x, int digits);

bool chance(drawing *d, double probability);
int choose(drawing *d, int n);
#define CHOOSE(d, ...) \
  ((const int[]){__VA_ARGS__}[choose(d, (int)(sizeof(const int[]){__VA_ARGS__} / sizeof(int)))])
double size_in(drawing *d, double lo, double hi);
double log_size_in(drawing *d, double lo, double hi);
streams fork_streams(drawing *d);

// A vector of components of up to `reach`, and a direction of any length, away from zero.
void vector_in(drawing *d, double reach, double x[3]);
void direction_in(drawing *d, double x[3]);
// A direction near another one, of any length and either sign where `free`.
void direction_near(drawing *d, double x, double y, double z, double apart, bool free,
                    double out[3]);

// A point of the corner at an offset from its wheel's centre, in lengths of the vehicle; jittered, and on the
// corner's side.
void point_at(drawing *d, double x, double y, double z, double out[3]);
void between(const double a[3], const double b[3], double part, double out[3]);
double distance_of(const double a[3], const double b[3]);
void cross_of(const double a[3], const double b[3], double out[3]);

// ---- elements ---------------------------------------------------------------------------------------

// All return an index. With no room left they end the program: sizes in vehicle.h are for the largest vehicle drawn.
int add_body(drawing *d, const char *name, double mass, const double cg[3], double radius);
int add_joint(drawing *d, const char *name, vehicle_joint_kind kind, int a, int b);
int add_joint_at(drawing *d, const char *name, vehicle_joint_kind kind, int a, int b,
                 const double at[3]);
int add_revolute(drawing *d, const char *name, int a, int b, const double at[3],
                 const double axis[3]);
int add_distance(drawing *d, const char *name, int a, int b, const double p[3], const double q[3]);
int add_universal(drawing *d, const char *name, int a, int b, const double at[3],
                  const double along[3]);
int add_force(drawing *d, const char *name, vehicle_force_kind kind, int a, int b);
int add_spring(drawing *d, const char *name, int a, int b, const double p[3], const double q[3],
               double stiffness, double damping);
int add_bushing(drawing *d, const char *name, int a, int b, const double at[3], double mass,
                double frequency, double radius);
int add_servo(drawing *d, const char *name, int joint, double inertia, double frequency);
int add_channel(drawing *d, const char *name);
vehicle_curve curve_through(drawing *d, double reach, double height);
// Axes of the joint's kind, near a direction.
void give_axes(drawing *d, int joint, const double near[3], double apart);

// Two of a joint's bodies exchanged, with what is given on each.
void turn_round(drawing *d, int joint);

// ---- parts ------------------------------------------------------------------------------------------

typedef enum suspension {
  DOUBLE_WISHBONE,
  MACPHERSON,
  STRUT_BODY,
  TRAILING_ARM,
  SEMI_TRAILING,
  SWING_AXLE,
  PUSHROD,
  LINKED,   // a lower arm and three rods
  SLIDING,  // pillar
  RIGID,    // right on the top
  MULTILINK,
  SOLID_GUIDED,
  SOLID_SLIDING,
  SOLID_SPHERE,
  SOLID_LINKS,
  NSUSPENSION
} suspension;

void draw_corner(drawing *d, suspension kind, bool steered);
void draw_solid_axle(drawing *d, suspension kind);

// A tyre for the load, and the wheels of a carrier: one or two, as elements or as bodies.
int draw_tyre(drawing *d, double radius, double load);
void draw_wheel(drawing *d, int carrier, const double centre[3], double mass, bool steerable);

void drive_by_curve(drawing *d, int joint, double reach);  // a prescribed motion over time
bool is_wheel_body(const vehicle *v, int body);
void draw_limbs(drawing *d);
void draw_loops(drawing *d);
void draw_core(drawing *d, uint64_t seed);  // by a stream of its own
void draw_elements(drawing *d);
void draw_topology(drawing *d);
void draw_initial(drawing *d);
void draw_scenario(drawing *d);

// Later features, by streams of their own: vehicles without them stay what they were. What a channel of the model may be given.
// In some cars one corner or two have a hinge whose axes differ on its two bodies, so that no group of lanes takes them.
void draw_rare(drawing *d, uint64_t seed);
void draw_odd_corner(drawing *d, uint64_t seed);
void draw_contacts(drawing *d, uint64_t seed);
void begin_stream(drawing *d, uint64_t a, uint64_t b);
double reach_of_channel(const drawing *d, int channel);

#endif
