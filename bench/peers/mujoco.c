// mujoco.c: MuJoCo as a peer. Joint coordinates, sparse factors of the mass matrix; loops are equality
// constraints, soft by design, solved as a convex problem.
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>

#include "peer.h"

typedef struct choice {
  const char *integrator, *solver;
} choice;
static const choice NEWTON = {"Euler", "Newton"}, CG = {"Euler", "CG"}, PGS = {"Euler", "PGS"},
                    IMPLICIT = {"implicit", "Newton"}, RK4 = {"RK4", "Newton"};
static const peer_variant variants[] = {
    {"euler", "tree, soft equalities, Newton", "semi-implicit Euler", true, &NEWTON},
    {"euler-cg", "tree, soft equalities, CG", "semi-implicit Euler", true, &CG},
    {"euler-pgs", "tree, soft equalities, PGS", "semi-implicit Euler", true, &PGS},
    {"implicit", "tree, soft equalities, Newton", "implicit", false, &IMPLICIT},
    {"rk4", "tree, soft equalities, Newton", "RK4", false, &RK4},
    {0},
};

// The stiffest that MuJoCo allows: time constants of no less than two steps, impedances of no more
// than 0.9999. Its defaults would leave position errors of 4 mm in joints.
#define STIFF "solref='0.002 1' solimp='0.9999 0.9999 0.001'"
_Static_assert(sizeof(mjtNum) == sizeof(double), "MuJoCo computes with doubles");

typedef struct run {
  mjModel *model;
  mjData *data;
  int id[NBODY];
} run;

// ---- model ------------------------------------------------------------------------------------------

static void body_name(int body, char name[16])
{
  static const char *const part[4] = {"lower", "upper", "upright", "wheel"};
  if (body < 2)
    snprintf(name, 16, "%s", body == RACK ? "rack" : "chassis");
  else
    snprintf(name, 16, "%s%d", part[(body - 2) % 4], (body - 2) / 4);
}

// Opens a body; its joint, its points and its children follow.
static void put_body(FILE *out, int body, int parent)
{
  static const double world[3] = {0.0, 0.0, 0.0};
  const double *p = cg_of(body), *up = parent < 0 ? world : cg_of(parent);
  const body_mass m = mass_of(body);
  char name[16];
  body_name(body, name);
  fprintf(out,
          "<body name='%s' pos='%.17g %.17g %.17g'>"
          "<inertial pos='0 0 0' mass='%.17g' diaginertia='%.17g %.17g %.17g'/>",
          name, p[0] - up[0], p[1] - up[1], p[2] - up[2], m.mass, m.inertia[0], m.inertia[1],
          m.inertia[2]);
}

static void put_joint(FILE *out, const char *type, const char *axis, const double *at, int body)
{
  const double *p = cg_of(body);
  fprintf(out, "<joint type='%s' axis='%s' pos='%.17g %.17g %.17g'/>", type, axis, at[0] - p[0],
          at[1] - p[1], at[2] - p[2]);
}

static void put_site(FILE *out, const char *name, int i, const double *at, int body)
{
  const double *p = cg_of(body);
  fprintf(out, "<site name='%s%d' pos='%.17g %.17g %.17g'/>", name, i, at[0] - p[0], at[1] - p[1],
          at[2] - p[2]);
}

static void put_inner_ends(FILE *out, int body)
{
  for (int i = 0; i < NCORNER; i++)
    if (CORNERS[i].tie_body == body) put_site(out, "tie_in", i, CORNERS[i].tie_in, body);
}

static void put_corner(FILE *out, int i)
{
  const corner *c = &CORNERS[i];
  put_body(out, lower_arm(i), CHASSIS);
  put_joint(out, "hinge", "1 0 0", c->lower_pivot, lower_arm(i));
  put_site(out, "spring_low", i, c->spring_low, lower_arm(i));
  put_body(out, upright(i), lower_arm(i));
  put_joint(out, "ball", "1 0 0", c->lower_ball, upright(i));
  put_site(out, "tie_out", i, c->tie_out, upright(i));
  put_body(out, wheel(i), upright(i));
  put_joint(out, "hinge", "0 1 0", c->hub, wheel(i));
  fprintf(out, "</body></body></body>");
  put_body(out, upper_arm(i), CHASSIS);
  put_joint(out, "hinge", "1 0 0", c->upper_pivot, upper_arm(i));
  fprintf(out, "</body>");
}

static char *model_text(const choice *k, size_t *length)
{
  char *text = NULL;
  FILE *out = open_memstream(&text, length);
  if (!out) return NULL;
  fprintf(out,
          "<mujoco><compiler angle='radian'/>"
          "<option timestep='%.17g' gravity='0 0 %.17g' integrator='%s' solver='%s' "
          "iterations='50' tolerance='1e-10' jacobian='dense'>"
          "<flag contact='disable' limit='disable' frictionloss='disable'/></option><worldbody>",
          STEP, -GRAVITY, k->integrator, k->solver);
  put_body(out, CHASSIS, -1);
  fprintf(out, "<freejoint/>");
  for (int i = 0; i < NCORNER; i++) put_site(out, "spring_top", i, CORNERS[i].spring_top, CHASSIS);
  put_inner_ends(out, CHASSIS);
  put_body(out, RACK, CHASSIS);
  put_joint(out, "slide", "0 1 0", RACK_CG, RACK);
  put_inner_ends(out, RACK);
  fprintf(out, "</body>");
  for (int i = 0; i < NCORNER; i++) put_corner(out, i);
  fprintf(out, "</body></worldbody><tendon>");
  for (int i = 0; i < NCORNER; i++)
    fprintf(out,
            "<spatial name='tie%d'><site site='tie_in%d'/><site site='tie_out%d'/></spatial>"
            "<spatial name='spring%d' stiffness='%.17g' damping='%.17g' springlength='%.17g'>"
            "<site site='spring_top%d'/><site site='spring_low%d'/></spatial>",
            i, i, i, i, SPRING_STIFFNESS, SPRING_DAMPING, CORNERS[i].free_length, i, i);
  fprintf(out, "</tendon><equality>");
  for (int i = 0; i < NCORNER; i++) {
    const double *p = cg_of(upright(i)), *u = CORNERS[i].upper_ball;
    fprintf(out,
            "<connect body1='upright%d' body2='upper%d' anchor='%.17g %.17g %.17g' " STIFF
            "/><tendon tendon1='tie%d' " STIFF "/>",
            i, i, u[0] - p[0], u[1] - p[1], u[2] - p[2], i);
  }
  fprintf(out, "</equality></mujoco>");
  fclose(out);
  return text;
}

// ---- run --------------------------------------------------------------------------------------------

static void load(const run *r, int i, body_state *s)
{
  const mjData *d = r->data;
  const int b = r->id[i];
  const double *v = d->cvel + 6 * b, *about = d->subtree_com + 3 * r->model->body_rootid[b];
  memcpy(s->p, d->xipos + 3 * b, sizeof s->p);
  memcpy(s->r, d->ximat + 9 * b, sizeof s->r);
  const double arm[3] = {s->p[0] - about[0], s->p[1] - about[1], s->p[2] - about[2]};
  double turning[3];
  cross(v, arm, turning);
  for (int k = 0; k < 3; k++) s->w[k] = v[k], s->v[k] = v[3 + k] + turning[k];
}

// MuJoCo calls it in every evaluation, once velocities are known. It has no argument of ours.
static const run *running;

static void apply_forces(const mjModel *m, mjData *d)
{
  (void)m;
  body_state s[NBODY];
  body_force f[NBODY];
  load(running, CHASSIS, &s[CHASSIS]);
  load(running, RACK, &s[RACK]);
  for (int i = 0; i < NCORNER; i++) load(running, wheel(i), &s[wheel(i)]);
  forces_at(d->time, s, f);
  for (int i = 0; i < NBODY; i++)
    memcpy(d->xfrc_applied + 6 * running->id[i], &f[i], 6 * sizeof(double));
}

static void close_run(void *p)
{
  run *r = p;
  mjcb_control = NULL;
  mj_deleteData(r->data);
  mj_deleteModel(r->model);
  free(r);
}

static mjModel *make(const choice *k)
{
  char err[512] = "memory is exhausted";
  size_t length = 0;
  char *text = model_text(k, &length);
  mjVFS *files = malloc(sizeof *files);
  mjModel *model = NULL;
  if (text && files) {
    mj_defaultVFS(files);
    mj_makeEmptyFileVFS(files, "vehicle.xml", (int)length);
    memcpy(files->filedata[mj_findFileVFS(files, "vehicle.xml")], text, length);
    model = mj_loadXML("vehicle.xml", files, err, sizeof err);
    mj_deleteVFS(files);
  }
  if (!model) fprintf(stderr, "MuJoCo: %s\n", err);
  free(files);
  free(text);
  return model;
}

static void *open_run(const peer_variant *v)
{
  run *r = calloc(1, sizeof *r);
  if (!r) return NULL;
  r->model = make(v->choice);
  r->data = r->model ? mj_makeData(r->model) : NULL;
  if (!r->data) {
    close_run(r);
    return NULL;
  }
  for (int i = 0; i < NBODY; i++) {
    char name[16];
    body_name(i, name);
    r->id[i] = mj_name2id(r->model, mjOBJ_BODY, name);
  }
  r->data->qvel[0] = SPEED;
  for (int i = 0; i < NCORNER; i++)
    r->data->qvel[r->model->body_dofadr[r->id[wheel(i)]]] = SPEED / HUB_HEIGHT;
  running = r;
  mjcb_control = apply_forces;
  mj_forward(r->model, r->data);
  return r;
}

static bool step(void *p)
{
  run *r = p;
  mj_step(r->model, r->data);
  return r->data->warning[mjWARN_BADQACC].number == 0;
}

static void states(void *p, body_state *s)
{
  run *r = p;
  mj_fwdPosition(r->model, r->data);
  mj_fwdVelocity(r->model, r->data);
  for (int i = 0; i < NBODY; i++) load(r, i, &s[i]);
}

const peer peer_mujoco = {"MuJoCo", variants, open_run, step, states, close_run};
