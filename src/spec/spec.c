#include "spec/spec_internal.h"

#include <stdlib.h>

const char *jn_spec_body_name(const jn_spec *spec, int body)
{
  return body == JN_GROUND ? "ground" : spec->body[body].name;
}

// The first key of an element's list that has this type; NULL: there is none.
static const void *first_of_type(const jn_force_spec *f, jn_type type)
{
  const jn_object *o = &jn_force_kind_at(f->kind)->object;
  for (int i = 0; i < o->n; i++)
    if (o->field[i].type == type) return (const char *)&f->as + o->field[i].offset;
  return NULL;
}

int jn_force_bodies(const jn_spec *spec, const jn_force_spec *f, int body[2])
{
  const int *pair = first_of_type(f, JN_T_BODIES), *joint = first_of_type(f, JN_T_JOINT);
  if (!pair && joint) pair = spec->joint[*joint].keys.bodies;
  if (pair) {
    body[0] = pair[0], body[1] = pair[1];
    return 2;
  }
  body[0] = *(const int *)first_of_type(f, JN_T_BODY);
  return 1;
}

const jn_vectors *jn_force_points(const jn_force_spec *f)
{
  return first_of_type(f, JN_T_POINTS);
}

bool jn_force_binds(const jn_force_spec *f)
{
  return f->kind != JN_FORCE_TORQUE &&
         (first_of_type(f, JN_T_BODIES) || first_of_type(f, JN_T_JOINT));
}

const char *jn_force_channel(const jn_force_spec *f)
{
  const char *const *channel = first_of_type(f, JN_T_CHANNEL);
  return channel ? *channel : NULL;
}

double jn_tyre_radius(const jn_tyre_spec *tyre)
{
  if (tyre->kind == JN_TYRE_MAGIC_FORMULA) return tyre->tir->value[TIR_UNLOADED_RADIUS];
  return tyre->as.vertical.radius;  // the first key of all the others
}

bool jn_joint_driven(const jn_joint_spec *joint)
{
  return JN_GIVEN(&joint->keys, jn_joint_keys, motion);
}

bool jn_file_list_add(jn_pool *pool, const jn_file_list **list, const char *name)
{
  jn_file_list *one = jn_pool_alloc(pool, 1, sizeof *one);
  if (!one) return false;
  *one = (jn_file_list){name, *list};
  *list = one;
  return true;
}

void jn_spec_free(jn_spec *spec)
{
  if (!spec) return;
  jn_pool_free(&spec->pool);
  free(spec);
}
