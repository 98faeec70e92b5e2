// shapes.ts: how bodies, joints, springs and wheels look. All is drawn from what the model says: the points
// at which a body is held, its centre of gravity, its inertia. Lengths are in metres, in the design position.
import * as THREE from 'three';
import {ConvexGeometry} from 'three/examples/jsm/geometries/ConvexGeometry.js';
import {mergeGeometries} from 'three/examples/jsm/utils/BufferGeometryUtils.js';
import {Body, Joint, Link, Scene, Vec3, Wheel} from './data';

export type V = THREE.Vector3;
export const vec = (p: Vec3): V => new THREE.Vector3(p[0], p[1], p[2]);

export const GROUND = -1;
const UP = new THREE.Vector3(0, 1, 0);  // of three.js cylinders

export interface Look {
  size: number;   // extent of the whole mechanism [m]
  thick: number;  // radius of a rod [m]
}

// ---- pieces ---------------------------------------------------------------------------------------

function plain(geometry: THREE.BufferGeometry): THREE.BufferGeometry {
  const flat = geometry.index ? geometry.toNonIndexed() : geometry;
  flat.deleteAttribute('uv');
  return flat;
}

export function rod(a: V, b: V, radius: number, radius_b = radius): THREE.BufferGeometry {
  const along = b.clone().sub(a), length = along.length();
  const g = new THREE.CylinderGeometry(radius_b, radius, Math.max(length, 1e-9), 14, 1);
  g.applyQuaternion(new THREE.Quaternion().setFromUnitVectors(UP, length > 0 ? along.divideScalar(length) : UP));
  g.translate((a.x + b.x) / 2, (a.y + b.y) / 2, (a.z + b.z) / 2);
  return plain(g);
}

export function ball(at: V, radius: number): THREE.BufferGeometry {
  return plain(new THREE.SphereGeometry(radius, 18, 12).translate(at.x, at.y, at.z));
}

function plate(corners: V[]): THREE.BufferGeometry {
  const g = new THREE.BufferGeometry().setFromPoints(corners);
  g.computeVertexNormals();
  return g;
}

// The cuboid of equal mass and equal moments of inertia: of sides a b c, Ixx = m (b² + c²) / 12 and so on.
export function equal_cuboid(body: Body): V {
  const [xx, yy, zz] = body.inertia, side = (s: number) => Math.sqrt(Math.max(0, (6 * s) / body.mass));
  return new THREE.Vector3(side(yy + zz - xx), side(xx + zz - yy), side(xx + yy - zz));
}

// ---- bodies -----------------------------------------------------------------------------------------

// Where a body is held, once each.
export function points_of(scene: Scene, body: number): V[] {
  const found: V[] = [];
  const add = (p: V) => {
    if (!found.some((q) => q.distanceTo(p) < 1e-6)) found.push(p);
  };
  const ends = (bodies: [number, number], at: Vec3[]) => {
    for (let side = 0; side < 2; side++)
      if (bodies[side] === body && at.length > 0) add(vec(at[Math.min(side, at.length - 1)]));
  };
  for (const j of scene.joints) ends(j.bodies, j.at);
  for (const l of scene.links) ends(l.bodies, l.at);
  for (const m of scene.mounts) ends(m.bodies, m.at);
  for (const w of scene.wheels) if (w.body === body) add(vec(w.at));
  return found;
}

function distance_to_segment(p: V, a: V, b: V): number {
  const on = new THREE.Line3(a, b).closestPointToPoint(p, true, new THREE.Vector3());
  return on.distanceTo(p);
}

export interface BodyShape {
  solid: THREE.BufferGeometry | null;
  sheet: THREE.BufferGeometry | null;  // translucent: arms' plates, the box of a chassis
  edges: THREE.BufferGeometry | null;
}

function merged(list: THREE.BufferGeometry[]): THREE.BufferGeometry | null {
  return list.length > 0 ? mergeGeometries(list) : null;
}

// What a body touches the road with.
function contacts_of(scene: Scene, body: number): V[] {
  return scene.contacts.filter((c) => c.body === body).flatMap((c) => c.at.map(vec));
}

// A chassis with contacts: what they and its points span.
function hull_shape(points: V[]): BodyShape {
  const g = new ConvexGeometry(points);
  return {solid: null, sheet: plain(g.clone()), edges: new THREE.EdgesGeometry(g, 10)};
}

// A chassis: a box around its points, a little larger, with its edges.
function box_shape(points: V[], cg: V, thick: number): BodyShape {
  const box = new THREE.Box3().setFromPoints([...points, cg]).expandByScalar(2 * thick);
  const size = box.getSize(new THREE.Vector3()), middle = box.getCenter(new THREE.Vector3());
  const g = new THREE.BoxGeometry(size.x, size.y, size.z).translate(middle.x, middle.y, middle.z);
  return {solid: null, sheet: plain(g.clone()), edges: new THREE.EdgesGeometry(g)};
}

// A cuboid of the body's inertia at its centre of gravity, never thinner than a rod.
function mass_piece(body: Body, thick: number, largest: number): THREE.BufferGeometry {
  const s = equal_cuboid(body), fit = Math.min(1, largest / Math.max(s.x, s.y, s.z, 1e-9));
  const side = (x: number) => Math.max(x * fit, 2.2 * thick);
  const g = new THREE.BoxGeometry(side(s.x), side(s.y), side(s.z));
  const [w, x, y, z] = body.orientation;
  g.applyQuaternion(new THREE.Quaternion(x, y, z, w));
  return plain(g.translate(...body.cg));
}

// The pivot that makes an arm of a body: a revolute joint whose other points lie well off its axis.
function pivot_of(scene: Scene, body: number, points: V[]): {at: V; axis: V; reach: number} | null {
  for (const j of scene.joints) {
    const side = j.bodies.indexOf(body);
    if (j.type !== 'revolute' || side < 0 || j.at.length === 0 || j.axis.length === 0) continue;
    const at = vec(j.at[Math.min(side, j.at.length - 1)]);
    const axis = vec(j.axis[Math.min(side, j.axis.length - 1)]).normalize();
    const off = points.map((p) => p.clone().sub(at).addScaledVector(axis, -p.clone().sub(at).dot(axis)).length());
    const reach = Math.max(...off);
    if (points.length > 2 && reach > 0) return {at, axis, reach};
  }
  return null;
}

// An arm: two legs from its pivot axis to the outermost point, a plate between them.
function arm_shape(points: V[], pivot: {at: V; axis: V; reach: number}, thick: number): BodyShape {
  const half = pivot.axis.clone().multiplyScalar(0.3 * pivot.reach);
  const a = pivot.at.clone().sub(half), b = pivot.at.clone().add(half);
  const off = (p: V) => distance_to_segment(p, a, b);
  const outer = points.reduce((far, p) => (off(p) > off(far) ? p : far));
  const rest = points.filter((p) => p !== outer && p.distanceTo(pivot.at) > 1e-6);
  const solid = [rod(a, b, thick), rod(a, outer, 0.85 * thick), rod(b, outer, 0.85 * thick),
                 ball(a, thick * 1.15), ball(b, thick * 1.15), ball(outer, thick * 1.15)];
  for (const p of rest) {  // a seat for what stands on the arm
    const foot = new THREE.Vector3();
    new THREE.Triangle(a, b, outer).closestPointToPoint(p, foot);
    solid.push(ball(p, thick));
    if (foot.distanceTo(p) > 0.5 * thick) solid.push(rod(foot, p, 0.7 * thick));
  }
  return {solid: merged(solid), sheet: plate([a, b, outer]), edges: null};
}

function star_shape(body: Body, points: V[], thick: number): BodyShape {
  const cg = vec(body.cg), solid: THREE.BufferGeometry[] = [];
  const all = [...points];
  if (all.length === 0) return {solid: mass_piece(body, thick, Infinity), sheet: null, edges: null};
  const extent = new THREE.Box3().setFromPoints([...points, cg]).getSize(new THREE.Vector3()).length();
  // A centre of gravity that stands out of what the points span is a mass of its own: a bob, a ball.
  const out = all.length === 1 ? all[0].distanceTo(cg)
    : all.length === 2 ? distance_to_segment(cg, all[0], all[1]) : 0;
  const has_mass = all.length <= 2 && (out > 0.12 * extent || all.length === 1);
  if (has_mass) {
    solid.push(mass_piece(body, thick, all.length === 1 ? 1.5 * extent : 0.22 * extent));
    all.push(cg);
  }
  if (all.length === 2) solid.push(rod(all[0], all[1], thick));
  else if (all.length === 3) {
    const far = longest_pair(all), third = all.find((p) => p !== far[0] && p !== far[1])!;
    solid.push(rod(far[0], far[1], thick));
    const on = new THREE.Line3(far[0], far[1]).closestPointToPoint(third, true, new THREE.Vector3());
    if (on.distanceTo(third) > 0.02 * extent) {
      solid.push(rod(third, far[0], 0.8 * thick), rod(third, far[1], 0.8 * thick));
      for (const p of all) solid.push(ball(p, thick));
      return {solid: merged(solid), sheet: plate(all), edges: null};
    }
  } else {
    const hub = all.reduce((sum, p) => sum.add(p), new THREE.Vector3()).divideScalar(all.length);
    for (const p of all) solid.push(rod(hub, p, thick));
    solid.push(ball(hub, 1.3 * thick));
  }
  for (const p of all) solid.push(ball(p, thick));
  return {solid: merged(solid), sheet: null, edges: null};
}

function longest_pair(points: V[]): [V, V] {
  let best: [V, V] = [points[0], points[1]];
  for (const a of points) for (const b of points) if (a.distanceTo(b) > best[0].distanceTo(best[1])) best = [a, b];
  return best;
}

export function body_shape(scene: Scene, i: number, vehicle: boolean, look: Look): BodyShape {
  const body = scene.bodies[i], points = points_of(scene, i), touches = contacts_of(scene, i);
  if (vehicle && points.length > 3 && touches.length > 0) return hull_shape([...points, ...touches, vec(body.cg)]);
  if (vehicle && points.length > 3) return box_shape(points, vec(body.cg), look.thick);
  const pivot = scene.wheels.some((w) => w.body === i) ? null : pivot_of(scene, i, points);
  const shape = pivot ? arm_shape(points, pivot, look.thick) : star_shape(body, points, look.thick);
  const balls = touches.map((p) => ball(p, look.thick));
  return {...shape, solid: merged(shape.solid ? [shape.solid, ...balls] : balls)};
}

// ---- joints --------------------------------------------------------------------------------------

// Drawn on the second body (the first, if the second is the ground): a sphere, a pin along the axis, a block.
export function joint_shape(joint: Joint, look: Look): {body: number; geometry: THREE.BufferGeometry} | null {
  if (joint.at.length === 0 || ['free', 'fixed', 'no-rotation', 'distance'].includes(joint.type)) return null;
  const side = joint.bodies[1] === GROUND ? 0 : 1;
  const at = vec(joint.at[Math.min(side, joint.at.length - 1)]), r = 1.75 * look.thick;
  const axis = joint.axis.length > 0 ? vec(joint.axis[Math.min(side, joint.axis.length - 1)]).normalize() : null;
  const body = joint.bodies[side];
  if (!axis || joint.type === 'spherical') return {body, geometry: ball(at, r)};
  const end = (k: number) => at.clone().addScaledVector(axis, k * look.thick);
  if (joint.type === 'translational' || joint.type === 'planar') {
    const g = new THREE.BoxGeometry(2.6 * r, 1.7 * r, 1.7 * r);
    g.applyQuaternion(new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(1, 0, 0), axis));
    return {body, geometry: plain(g.translate(at.x, at.y, at.z))};
  }
  if (joint.type === 'universal') {
    const other = vec(joint.axis[joint.axis.length - 1]).normalize();
    const cross = (d: V) => rod(at.clone().addScaledVector(d, -1.3 * r), at.clone().addScaledVector(d, 1.3 * r), 0.5 * r);
    return {body, geometry: mergeGeometries([cross(axis), cross(other), ball(at, 0.8 * r)])};
  }
  return {body, geometry: rod(end(-2.6), end(2.6), 1.5 * look.thick)};
}

// Where a joint holds on to the ground: a small pedestal under it.
export function ground_mark(at: V, look: Look): THREE.BufferGeometry {
  const g = new THREE.ConeGeometry(2.6 * look.thick, 4 * look.thick, 4).rotateX(Math.PI / 2).rotateZ(Math.PI / 4);
  return plain(g.translate(at.x, at.y, at.z - 2 * look.thick));
}

// ---- springs, dampers, massless rods -----------------------------------------------------------------

class Helix extends THREE.Curve<THREE.Vector3> {
  constructor(private readonly turns: number, private readonly radius: number) {
    super();
  }
  override getPoint(s: number, out = new THREE.Vector3()): THREE.Vector3 {
    const flat = 0.06, a = 2 * Math.PI * this.turns * s;
    return out.set(this.radius * Math.cos(a), flat + (1 - 2 * flat) * s, this.radius * Math.sin(a));
  }
}

export interface Stretch {
  object: THREE.Object3D;
  place(a: V, b: V): void;
}

const along = new THREE.Vector3(), turn = new THREE.Quaternion();

function stand(object: THREE.Object3D, a: V, b: V): number {
  along.subVectors(b, a);
  const length = along.length();
  if (length > 0) object.quaternion.copy(turn.setFromUnitVectors(UP, along.divideScalar(length)));
  object.position.copy(a);
  return length;
}

// A piece that is one metre long, and is stretched between its ends.
function stretched(geometry: THREE.BufferGeometry, material: THREE.Material): Stretch {
  const object = new THREE.Mesh(geometry, material);
  return {object, place: (a, b) => { object.scale.set(1, Math.max(stand(object, a, b), 1e-6), 1); }};
}

export function rod_between(material: THREE.Material, radius: number): Stretch {
  return stretched(new THREE.CylinderGeometry(radius, radius, 1, 12).translate(0, 0.5, 0), material);
}

export function link_shape(link: Link, look: Look, paint: {spring: THREE.Material; damper: THREE.Material; thin: THREE.Material}): Stretch[] {
  const length = vec(link.at[0]).distanceTo(vec(link.at[1])), r = Math.min(3.2 * look.thick, 0.22 * length || 1);
  const out: Stretch[] = [];
  if (link.spring) {
    const turns = 7, wire = 0.16 * r;
    const coil = stretched(new THREE.TubeGeometry(new Helix(turns, r), turns * 26, wire, 7), paint.spring);
    out.push(coil);
  }
  if (link.damper) {  // a tube on the first body, a rod on the second, of lengths that do not change
    const object = new THREE.Group(), inner = 0.62 * r;
    const tube = new THREE.Mesh(new THREE.CylinderGeometry(inner, inner, 0.58 * length, 16).translate(0, 0.29 * length, 0), paint.damper);
    const stem = new THREE.Mesh(new THREE.CylinderGeometry(0.4 * inner, 0.4 * inner, 0.6 * length, 12).translate(0, -0.3 * length, 0), paint.damper);
    object.add(tube, stem);
    out.push({object, place: (a, b) => { stem.position.y = stand(object, a, b); }});
  }
  if (!link.spring && !link.damper) out.push(rod_between(paint.thin, 0.35 * look.thick));
  return out;
}

// ---- wheels -----------------------------------------------------------------------------------------

// About the y axis, which is the axle: a round tyre, a rim with spokes, one of them marked.
export function wheel_shape(wheel: Wheel, paint: {tyre: THREE.Material; rim: THREE.Material; mark: THREE.Material}): THREE.Group {
  const R = wheel.radius, half = 0.3 * R, group = new THREE.Group();
  const profile = [[0.64, 0.86], [0.8, 1], [0.93, 0.96], [0.985, 0.72], [1, 0.3], [1, -0.3], [0.985, -0.72], [0.93, -0.96], [0.8, -1], [0.64, -0.86]]
    .map(([r, y]) => new THREE.Vector2(r * R, y * half));
  group.add(new THREE.Mesh(new THREE.LatheGeometry(profile, 56), paint.tyre));
  const ring = new THREE.LatheGeometry([[0.66, 0.8], [0.6, 0.74], [0.57, 0], [0.6, -0.74], [0.66, -0.8]]
    .map(([r, y]) => new THREE.Vector2(r * R, y * half)), 48);
  group.add(new THREE.Mesh(ring, paint.rim));
  const spokes = 5;
  for (let i = 0; i < spokes; i++) {
    const a = (2 * Math.PI * i) / spokes;
    const spoke = new THREE.BoxGeometry(0.5 * R, 0.5 * half, 0.09 * R).translate(0.36 * R, 0, 0).rotateY(a);
    group.add(new THREE.Mesh(spoke, i === 0 ? paint.mark : paint.rim));
  }
  group.add(new THREE.Mesh(new THREE.CylinderGeometry(0.15 * R, 0.15 * R, 1.1 * half, 24), paint.rim));
  return group;
}
