// ground.ts: what a mechanism stands on: a plane with a grid that fades into the distance; and the road of a
// vehicle, as its wheels have met it.
import * as THREE from 'three';
import {index_at, Motion, Result, Wheel} from './data';

// ---- the plane ---------------------------------------------------------------------------------------

export interface Plane {  // z = height + slope_x x + slope_y y
  height: number;
  slope_x: number;
  slope_y: number;
}

// Lines one pixel wide at any distance, thinned out before they would flicker.
const vertex = `
  varying vec3 at;
  void main() {
    vec4 world = modelMatrix * vec4(position, 1.0);
    at = world.xyz;
    gl_Position = projectionMatrix * viewMatrix * world;
  }`;
const fragment = `
  varying vec3 at;
  uniform float cell;
  uniform float reach;
  uniform vec3 centre;
  uniform vec3 line;
  float lines(float size) {
    vec2 u = at.xy / size, w = max(fwidth(u), vec2(1e-6));
    vec2 d = abs(fract(u - 0.5) - 0.5) / w;
    float thin = 1.0 - smoothstep(0.25, 0.6, max(w.x, w.y));
    return (1.0 - min(min(d.x, d.y), 1.0)) * thin;
  }
  void main() {
    float fade = 1.0 - smoothstep(0.35, 1.0, length(at.xy - centre.xy) / reach);
    float alpha = fade * max(0.4 * lines(cell), 0.75 * lines(5.0 * cell));
    if (alpha < 0.004) discard;
    gl_FragColor = vec4(line, alpha);
    #include <colorspace_fragment>
  }`;

export class Ground {
  readonly object = new THREE.Group();
  private readonly paint: THREE.ShaderMaterial;
  private readonly shade = new THREE.ShadowMaterial({opacity: 0.16, depthWrite: false});

  constructor(private readonly plane: Plane, cell: number, reach: number) {
    const shape = new THREE.PlaneGeometry(2 * reach, 2 * reach);
    this.paint = new THREE.ShaderMaterial({
      vertexShader: vertex, fragmentShader: fragment, transparent: true, depthWrite: false, side: THREE.DoubleSide,
      uniforms: {
        cell: {value: cell}, reach: {value: reach}, centre: {value: new THREE.Vector3()}, line: {value: new THREE.Color()},
      },
    });
    const grid = new THREE.Mesh(shape, this.paint), shadow = new THREE.Mesh(shape, this.shade);
    grid.renderOrder = -2;
    shadow.renderOrder = -1;
    shadow.receiveShadow = true;
    this.object.add(grid, shadow);
    const normal = new THREE.Vector3(-plane.slope_x, -plane.slope_y, 1).normalize();
    this.object.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), normal);
  }

  colours(line: string, shade: number): void {
    (this.paint.uniforms.line.value as THREE.Color).set(line);
    this.shade.opacity = shade;
  }

  height_at(x: number, y: number): number {
    return this.plane.height + this.plane.slope_x * x + this.plane.slope_y * y;
  }

  // The plane goes along with what is looked at; its lines stay where they are in the world.
  follow(x: number, y: number): void {
    this.object.position.set(x, y, this.height_at(x, y));
    (this.paint.uniforms.centre.value as THREE.Vector3).copy(this.object.position);
  }
}

// ---- the road, from the heights that the wheels have recorded -------------------------------------------

interface Track {
  wheel: Wheel;
  heights: ArrayLike<number>;  // over the result's rows
  points: THREE.Vector3[];     // on the road under the wheel's centre
}

const MOST_POINTS = 2000;

function tracks_of(result: Result, motion: Motion): Track[] {
  const scene = result.about.scene!, stride = Math.max(1, Math.ceil(result.time.length / MOST_POINTS));
  const position = new Float64Array(3), rotation = new Float64Array(4), turn = new THREE.Quaternion();
  return scene.wheels.flatMap((wheel) => {
    const channel = result.find(`wheel.${wheel.name}.road`);
    if (!channel) return [];
    const heights = channel.values(), cg = scene.bodies[wheel.body].cg, points: THREE.Vector3[] = [];
    for (let row = 0; row < heights.length; row += stride) {
      motion.at(wheel.body, result.time[row], position, rotation);
      const at = new THREE.Vector3(wheel.at[0] - cg[0], wheel.at[1] - cg[1], wheel.at[2] - cg[2]);
      at.applyQuaternion(turn.fromArray(rotation));
      if (isFinite(heights[row]))
        points.push(new THREE.Vector3(at.x + position[0], at.y + position[1], heights[row] - motion.origin[2]));
    }
    return [{wheel, heights, points}];
  });
}

// The plane nearest to points, in the mean of squares; level if they do not determine its slope.
function plane_through(points: THREE.Vector3[]): Plane {
  const n = points.length, mean = new THREE.Vector3();
  for (const p of points) mean.addScaledVector(p, 1 / n);
  let xx = 0, xy = 0, yy = 0, xz = 0, yz = 0;
  for (const p of points) {
    const x = p.x - mean.x, y = p.y - mean.y, z = p.z - mean.z;
    xx += x * x, xy += x * y, yy += y * y, xz += x * z, yz += y * z;
  }
  const det = xx * yy - xy * xy;
  if (!(det > 1e-9 * (xx + yy) ** 2)) return {height: mean.z, slope_x: 0, slope_y: 0};
  const slope_x = (xz * yy - yz * xy) / det, slope_y = (yz * xx - xz * xy) / det;
  return {height: mean.z - slope_x * mean.x - slope_y * mean.y, slope_x, slope_y};
}

function ribbon(track: Track): THREE.BufferGeometry {
  const half = 0.55 * track.wheel.radius, place: number[] = [], index: number[] = [], list = track.points;
  const side = new THREE.Vector3();
  list.forEach((p, i) => {
    side.subVectors(list[Math.min(i + 1, list.length - 1)], list[Math.max(i - 1, 0)]);
    side.set(-side.y, side.x, 0).normalize().multiplyScalar(half);
    place.push(p.x + side.x, p.y + side.y, p.z, p.x - side.x, p.y - side.y, p.z);
    if (i > 0) index.push(2 * i - 2, 2 * i - 1, 2 * i, 2 * i - 1, 2 * i + 1, 2 * i);
  });
  const g = new THREE.BufferGeometry();
  g.setAttribute('position', new THREE.Float32BufferAttribute(place, 3));
  g.setIndex(index);
  g.computeVertexNormals();
  return g;
}

// A road that is a plane is that plane. Where it is not, a strip lies under each wheel's way; under a wheel that
// stays where it is while the road moves, as on a rig, a post goes up and down.
export class Road {
  readonly object = new THREE.Group();
  readonly plane: Plane | null = null;  // null: nothing is known
  private readonly posts: {post: THREE.Object3D; heights: ArrayLike<number>}[] = [];

  constructor(private readonly result: Result, private readonly motion: Motion, paint: THREE.Material) {
    const tracks = tracks_of(result, motion), all = tracks.flatMap((t) => t.points);
    if (all.length === 0) return;
    const plane = plane_through(all);
    const off = Math.max(...all.map((p) => Math.abs(p.z - plane.height - plane.slope_x * p.x - plane.slope_y * p.y)));
    const radius = Math.max(...tracks.map((t) => t.wheel.radius));
    if (off < 1e-3 * radius) {
      this.plane = plane;
      return;
    }
    this.plane = {height: Math.min(...all.map((p) => p.z)) - 0.03 * radius, slope_x: 0, slope_y: 0};
    for (const track of tracks) {
      const box = new THREE.Box3().setFromPoints(track.points), size = box.getSize(new THREE.Vector3());
      const r = track.wheel.radius;
      if (Math.hypot(size.x, size.y) > r) {
        const strip = new THREE.Mesh(ribbon(track), paint);
        strip.receiveShadow = true;
        this.object.add(strip);
      } else {
        const post = new THREE.Group(), middle = box.getCenter(new THREE.Vector3());
        const top = new THREE.Mesh(new THREE.BoxGeometry(1.2 * r, 0.9 * r, 0.08 * r).translate(0, 0, -0.04 * r), paint);
        const column = new THREE.Mesh(new THREE.BoxGeometry(0.3 * r, 0.3 * r, 1.5 * r).translate(0, 0, -0.79 * r), paint);
        post.add(top, column);
        top.receiveShadow = true;
        post.position.set(middle.x, middle.y, 0);
        this.object.add(post);
        this.posts.push({post, heights: track.heights});
      }
    }
  }

  update(t: number): void {
    const time = this.result.time, i = index_at(time, t), k = Math.min(i + 1, time.length - 1);
    const s = time[k] > time[i] ? (t - time[i]) / (time[k] - time[i]) : 0;
    for (const p of this.posts) p.post.position.z = p.heights[i] + s * (p.heights[k] - p.heights[i]) - this.motion.origin[2];
  }
}
