// topology.h: the compiled topology of a model, and the stages that make it, in their order.
//
// Bodies are nodes and joints are edges of a multigraph. Node 0 is the ground, node i + 1 is body i of
// the spec. Edges are the joints of the file in the order of their names, so that nothing here depends
// on the order of the file; then the implied free joints. Ties are broken by joint, never by the name
// of a body, so that renaming bodies changes nothing either.
#ifndef JN_PLAN_TOPOLOGY_TOPOLOGY_H
#define JN_PLAN_TOPOLOGY_TOPOLOGY_H

#include "jounce/model.h"
#include "spec/spec_internal.h"

enum {
  JN_NODE_GROUND = 0,
  JN_TREES_LISTED = 65536,   // spanning trees that --trees lists, and minimum ones compared exactly
  JN_CORE_COORDINATES = 64,  // the core is dense: it takes in no more bodies beyond this many
  JN_PART_SPLIT = 2000,      // larger parts are not searched for bodies to share
};

typedef struct jn_edge {
  const char *name;
  int joint;  // of the spec; -1: implied free joint
  int a, b;   // nodes of the joint's first and second body
  jn_joint_kind kind;
  bool driven;
  bool must_cut;  // the user says so
  int weight10;   // ten times the weight: whole numbers compare exactly
  int ncoord;     // coordinates as a tree joint, 0 if driven
  int nrow;       // constraint rows as a cut joint
  int tree_rows;  // constraint rows as a tree joint: the 1 of a distance joint
  double apart;   // how far the file's points of a tree joint were from meeting  [m]
  double askew;   // angle between its axes on the two bodies, which has been taken out  [rad]
} jn_edge;

typedef struct jn_loop {
  int cut;     // edge; a distance joint in the tree stands here too
  int length;  // joints in it, the cut one included
  int set;     // decoupled set
} jn_loop;

typedef struct jn_loop_set {  // loops that share coordinates, and no coordinate with others
  int nloop, ncoord, nrow;    // independent coordinates of its tree joints; rows of its cut joints
  bool ranked;                // false: too large for a rank, which is then unknown
  bool isolated;        // rows depend at the design position, and nothing can move away from it
  int rank;             // generic rank of the rows
  int design_rank;      // rank at the design position
  int apart_rank;       // of the rows of each of its subsystems alone, added up
  double gap;           // first rejected over last accepted pivot: how clear the rank is
  double conditioning;  // last accepted over first pivot, or over 1: how far from dependent
  double closed;        // how far the file's points were from meeting        [m]
  int nundetermined;    // joints whose reactions the redundancy leaves open
  int *undetermined;    // edges
  int nlocked;          // tree joints of the set that cannot move, whatever the motors do
  int *locked;          // edges
} jn_loop_set;

typedef struct jn_subsystem {
  int nbody;
  int *node;  // in the order of its shape: member i corresponds to member i of its like
  int shape;
  int parent;        // core node that all those lie beyond which it is jointed to
  int ncoord, nrow;  // of its tree joints; of its cut joints
  int ncut;
  int rank;  // generic rank of its rows, -1: unknown
} jn_subsystem;

typedef struct jn_chain {  // bodies one after the other, from a junction to the next or to an end
  int first, last;         // nodes
  int length;              // bodies
} jn_chain;

typedef struct jn_costs {  // floating-point operations of one evaluation, estimated
  double recursive, independent, subsystem, cartesian;
} jn_costs;

typedef struct jn_tree_list {
  double count;   // number of spanning trees, -1 if too many to count exactly
  int n, ncut;    // listed; joints cut in each
  int *weight10;  // (n)
  int *cut;       // edges (n x ncut), rising
} jn_tree_list;

struct jn_model {
  const jn_spec *spec;
  jn_pool pool;
  jn_compile_opts opts;  // the caller's choices

  // graph (graph.c)
  int nnode, nedge, nfile_edge;  // nfile_edge: edges of the file, before the implied ones
  jn_edge *edge;
  bool ground_named;            // a joint names the ground, so it counts as a body
  int *incident, *incident_at;  // edges at node v: incident[incident_at[v] .. incident_at[v + 1]]

  // tree (spanning.c)
  bool *in_tree;              // (nedge)
  int *parent, *parent_edge;  // (nnode), -1 at the ground
  int *depth;                 // bodies between the ground and this one, itself included (nnode)
  int *order;                 // forward order: parents first (nnode)
  int base;                   // node
  int weight10;  // of the joints in the tree; implied ones weigh nothing, but for a base made to float
  int longest_chain;   // bodies
  bool exact_chain;    // all minimum trees were compared
  jn_tree_list trees;  // with opts.trees

  // loops (loops.c)
  int ncut, nloop, nset, nchain;
  jn_loop *loop;     // (nloop), in the order of the joints that close them
  jn_loop_set *set;  // (nset)
  jn_chain *chain;   // (nchain)
  bool *in_loop;     // tree joint lies in a loop (nedge)
  double nonzeros;   // of the lower triangle of the mass matrix

  // subsystems (subsystem.c)
  bool *core;  // (nnode)
  int *part;   // subsystem of a node, -1: core (nnode)
  int nsubsystem, nshape;
  jn_subsystem *subsystem;

  // counts (rank.c, topology.c)
  int ncoord, nrow;
  int dof, redundant;  // -1: unknown, because a set is too large for a rank
  bool singular;
  jn_costs cost;
};

static inline bool jn_edge_free(const jn_edge *e)
{
  return e->kind == JN_JOINT_FREE;
}

// The other end.
static inline int jn_other(const jn_edge *e, int node)
{
  return e->a == node ? e->b : e->a;
}

JN_PRIVATE const char *jn_node_name(const jn_model *m, int node);
int jn_node_by_name(const jn_model *m, const char *name);  // -1: there is none

// Walk the loop of a cut joint: from the cut joint's first body up and down the tree to its second.
// Calls visit(edge, sign) with sign +1 where the walk goes from parent to child.
typedef void (*jn_visit)(void *user, int edge, int sign);
JN_PRIVATE void jn_loop_walk(const jn_model *m, int cut, jn_visit visit, void *user);

// The stages.
jn_status jn_graph_build(jn_model *m, jn_error *err);
jn_status jn_graph_index(jn_model *m, jn_error *err);  // again, after edges were added
jn_status jn_spanning_find(jn_model *m, const jn_compile_opts *opts, jn_error *err);
jn_status jn_loops_find(jn_model *m, jn_error *err);
jn_status jn_subsystems_find(jn_model *m, jn_error *err);
jn_status jn_ranks_find(jn_model *m, jn_error *err);
void jn_costs_estimate(jn_model *m);
double jn_cost_of_subsystem(const jn_model *m, int i);  // part of that of `subsystem`

// Number of spanning trees by Kirchhoff's theorem, exact up to the rounding of a double;
// -1: the graph is too large, or 128 bits do not hold the count; NaN: memory is exhausted.
double jn_spanning_count(int nnode, int nedge, const int (*ends)[2]);

// All spanning trees of a connected multigraph, in lexical order of their edges: calls visit with
// the chosen edges, rising; stops when it returns false. False: stopped or out of memory.
typedef bool (*jn_visit_tree)(void *user, const int *edge, int n);
bool jn_spanning_each(int nnode, int nedge, const int (*ends)[2], jn_visit_tree visit, void *user);

#endif
