#include "spec/spec_internal.h"

#include <stdlib.h>

const char *jn_spec_body_name(const jn_spec *spec, int body)
{
  return body == JN_GROUND ? "ground" : spec->body[body].name;
}

int jn_force_bodies(const jn_spec *spec, const jn_force_spec *f, int body[2])
{
  const int *pair = NULL;
  switch (f->kind) {
    case JN_FORCE_TSDA:
      pair = f->as.tsda.bodies;
      break;
    case JN_FORCE_BUSHING:
      pair = f->as.bushing.bodies;
      break;
    case JN_FORCE_PLUGIN:
      pair = f->as.plugin.bodies;
      break;
    case JN_FORCE_TORQUE:
      pair = f->as.torque.bodies;
      break;
    case JN_FORCE_RSDA:
      pair = spec->joint[f->as.rsda.joint].keys.bodies;
      break;
    case JN_FORCE_SERVO:
      pair = spec->joint[f->as.servo.joint].keys.bodies;
      break;
    case JN_FORCE_FORCE:
      body[0] = f->as.force.body;
      return 1;
    case JN_FORCE_WHEEL:
      body[0] = f->as.wheel.body;
      return 1;
    case JN_FORCE_TYRE:
      body[0] = f->as.tyre.body;
      return 1;
    case JN_NFORCE_KIND:
      return 0;
  }
  body[0] = pair[0], body[1] = pair[1];
  return 2;
}

bool jn_force_binds(const jn_force_spec *f)
{
  return f->kind == JN_FORCE_TSDA || f->kind == JN_FORCE_RSDA || f->kind == JN_FORCE_BUSHING ||
         f->kind == JN_FORCE_SERVO || f->kind == JN_FORCE_PLUGIN;
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

void jn_spec_free(jn_spec *spec)
{
  if (!spec) return;
  jn_pool_free(&spec->pool);
  free(spec);
}
