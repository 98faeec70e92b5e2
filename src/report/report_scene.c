// report_scene.c: what the replay draws, from the model: where bodies are held, what lies between them.
#include "report/report_result.h"

static json_t *numbers(const double *x, int n)
{
  json_t *list = json_array();
  for (int i = 0; i < n; i++) jn_json_add(&list, jn_json_number(x[i]));
  return list;
}

static json_t *vectors(const jn_vectors *v)
{
  json_t *list = json_array();
  for (int i = 0; i < v->n; i++) jn_json_add(&list, numbers(v->v[i], 3));
  return list;
}

static json_t *pair(const int body[2])  // -1: ground
{
  return json_pack("[i, i]", body[0], body[1]);
}

static json_t *bodies(const jn_spec *s)
{
  static const double vehicle_axes[4] = {1.0, 0.0, 0.0, 0.0};
  json_t *list = json_array();
  for (int i = 0; i < s->nbody; i++) {
    const jn_body_keys *k = &s->body[i].keys;
    const double *axes = JN_GIVEN(k, jn_body_keys, orientation) ? k->orientation : vehicle_axes;
    jn_json_add(
        &list, json_pack("{s:o, s:o, s:o, s:o, s:o}", "name", jn_json_text(s->body[i].name), "mass",
                         jn_json_number(k->mass), "cg", numbers(k->cg, 3), "inertia",
                         numbers(k->inertia, 3), "orientation", numbers(axes, 4)));
  }
  return list;
}

static json_t *joints(const jn_spec *s)
{
  json_t *list = json_array();
  for (int i = 0; i < s->njoint; i++) {
    const jn_joint_spec *j = &s->joint[i];
    jn_json_add(&list, json_pack("{s:o, s:s, s:o, s:o, s:o}", "name", jn_json_text(j->name), "type",
                                 jn_joint_kinds[j->kind].word, "bodies", pair(j->keys.bodies), "at",
                                 vectors(&j->keys.at), "axis", vectors(&j->keys.axis)));
  }
  return list;
}

static json_t *link(const jn_force_spec *f)
{
  const jn_tsda_keys *k = &f->as.tsda;
  const bool spring = k->stiffness != 0.0 || k->spring_curve.n > 0 || k->spring_polynomial.n > 0;
  const bool damper = k->damping != 0.0 || k->damper_curve.n > 0 || k->damper_polynomial.n > 0;
  return json_pack("{s:o, s:o, s:o, s:b, s:b}", "name", jn_json_text(f->name), "bodies",
                   pair(k->bodies), "at", vectors(&k->at), "spring", spring, "damper", damper);
}

static json_t *wheel(const jn_spec *s, const jn_force_spec *f)
{
  const bool own = f->kind == JN_FORCE_WHEEL;
  const int tyre = own ? f->as.wheel.tyre : f->as.tyre.tyre;
  return json_pack("{s:o, s:i, s:o, s:o, s:o, s:b}", "name", jn_json_text(f->name), "body",
                   own ? f->as.wheel.body : f->as.tyre.body, "at",
                   numbers(own ? f->as.wheel.at : f->as.tyre.at, 3), "axis",
                   numbers(own ? f->as.wheel.axis : f->as.tyre.axis, 3), "radius",
                   jn_json_number(jn_tyre_radius(&s->tyre[tyre])), "spins", own);
}

static json_t *mount(const jn_force_spec *f)
{
  return json_pack("{s:o, s:o, s:o}", "name", jn_json_text(f->name), "bodies",
                   pair(f->as.bushing.bodies), "at", vectors(&f->as.bushing.at));
}

static json_t *contact(const jn_force_spec *f)
{
  const jn_contact_keys *k = &f->as.contact;
  json_t *at = json_array();
  for (int i = 0; i < k->at.n; i++) jn_json_add(&at, numbers(k->at.v[i], 3));
  return json_pack("{s:o, s:i, s:o}", "name", jn_json_text(f->name), "body", k->body, "at", at);
}

json_t *jn_page_scene(const jn_spec *s)
{
  json_t *links = json_array(), *wheels = json_array(), *mounts = json_array(),
         *contacts = json_array();
  for (int i = 0; i < s->nforce; i++) {
    const jn_force_spec *f = &s->force[i];
    if (f->kind == JN_FORCE_TSDA) jn_json_add(&links, link(f));
    if (f->kind == JN_FORCE_BUSHING) jn_json_add(&mounts, mount(f));
    if (f->kind == JN_FORCE_CONTACT) jn_json_add(&contacts, contact(f));
    if (f->kind == JN_FORCE_WHEEL || f->kind == JN_FORCE_TYRE) jn_json_add(&wheels, wheel(s, f));
  }
  return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "bodies", bodies(s), "joints", joints(s),
                   "links", links, "wheels", wheels, "mounts", mounts, "contacts", contacts);
}
