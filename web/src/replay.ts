// replay.ts: the mechanism in 3-D at the clock's time.
import * as THREE from 'three';
import {OrbitControls} from 'three/examples/jsm/controls/OrbitControls.js';
import {Clock} from './clock';
import {index_at, Link, Motion, Result, Scene, Vec3} from './data';
import {make, nice_step} from './format';
import {corner_of} from './groups';
import {Ground, Road} from './ground';
import {body_shape, GROUND, ground_mark, joint_shape, link_shape, Look, points_of, rod_between, Stretch, V, vec,
        wheel_shape} from './shapes';
import {on_theme, theme} from './theme';

export type View = 'iso' | 'side' | 'top' | 'rear';
export const views: View[] = ['iso', 'side', 'top', 'rear'];

const directions: {[view in View]: Vec3} = {  // from what is looked at to the camera
  iso: [0.85, 1, 0.55], side: [0, -1, 0.06], top: [0, -1e-3, 1], rear: [-1, 0, 0.22],
};

interface Ends {
  stretch: Stretch;
  bodies: [number, number];
  at: [V, V];  // from the centre of gravity; in the world, for the ground
}

export class Replay {
  readonly root: HTMLElement;
  readonly bodies: THREE.Group[];
  follows = true;
  private readonly canvas: HTMLCanvasElement;
  private readonly tip = make('div', {class: 'tip'});
  private readonly renderer: THREE.WebGLRenderer;
  private readonly scene = new THREE.Scene();
  private readonly camera = new THREE.PerspectiveCamera(32, 1, 0.01, 1000);
  private readonly controls: OrbitControls;
  private readonly sun = new THREE.DirectionalLight(0xffffff, 2.2);
  private readonly sky = new THREE.HemisphereLight(0xffffff, 0xb8bcc4, 1.7);
  private readonly ground: Ground;
  private readonly road: Road;
  private readonly traces = new THREE.Group();
  private readonly ends: Ends[] = [];
  private readonly wheels: {object: THREE.Object3D; axis: V; rest: THREE.Quaternion; angle: Float32Array | null}[] = [];
  private readonly look: Look;
  private readonly model: Scene;
  private readonly motion: Motion;
  private readonly focus_body: number;  // -1: the whole
  private readonly focus = new THREE.Vector3();
  private readonly paint: {[name: string]: THREE.MeshStandardMaterial} = {};
  private readonly hues: THREE.MeshStandardMaterial[] = [];
  private readonly box = new THREE.Box3();  // of all that moves, over the whole run
  private readonly position = new Float64Array(3);
  private readonly rotation = new Float64Array(4);
  private leaves = false;  // a vehicle that falls or climbs by more than its size: the camera goes along
  private stale = true;

  constructor(private readonly result: Result, private readonly clock: Clock, vehicle: string | null) {
    this.model = result.about.scene!;
    this.motion = result.motion!;
    this.focus_body = vehicle ? this.model.bodies.findIndex((b) => b.name === vehicle) : -1;
    const size = this.extent();
    this.look = {size, thick: (vehicle ? 0.0055 : 0.0085) * size};
    this.canvas = make('canvas', {'aria-label': 'The mechanism in motion', tabindex: '0'});
    this.root = make('div', {class: 'viewport'}, this.canvas, this.tip);
    this.renderer = new THREE.WebGLRenderer({canvas: this.canvas, antialias: true, alpha: true});
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFSoftShadowMap;
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.controls.addEventListener('change', () => (this.stale = true));

    this.make_paint();
    this.bodies = this.model.bodies.map((_, i) => this.make_body(i));
    this.make_joints();
    this.make_links();
    this.make_wheels();
    this.make_traces();
    this.measure();
    this.road = new Road(result, this.motion, this.paint.road);
    this.ground = this.make_ground();
    this.make_light();
    this.update();
    this.view(this.flat() ? 'top' : 'iso');
    this.colour();

    clock.on_change(() => (this.stale = true));
    on_theme(() => this.colour());
    new ResizeObserver(() => this.resize()).observe(this.root);
    this.canvas.addEventListener('pointermove', (e) => this.point(e));
    this.canvas.addEventListener('pointerleave', () => this.tip.classList.remove('on'));
    this.loop(performance.now());
  }

  // ---- what is there --------------------------------------------------------------------------

  private extent(): number {
    const box = new THREE.Box3();
    this.model.bodies.forEach((b, i) => {
      box.expandByPoint(vec(b.cg));
      for (const p of points_of(this.model, i)) box.expandByPoint(p);
    });
    for (const w of this.model.wheels) box.expandByPoint(vec(w.at).add(new THREE.Vector3(0, 0, -w.radius)));
    const size = box.getSize(new THREE.Vector3()).length();
    return size > 0 ? size : 1;
  }

  private make_paint(): void {
    const solid = (roughness = 0.55, metalness = 0.05) => new THREE.MeshStandardMaterial({roughness, metalness});
    for (const name of ['body', 'joint', 'spring', 'damper', 'thin', 'tyre', 'rim', 'mark', 'ground', 'upright', 'road']) this.paint[name] = solid();
    this.paint.road.side = THREE.DoubleSide;
    this.paint.tyre.roughness = 0.9;
    this.paint.damper.metalness = 0.25;
    this.paint.sheet = new THREE.MeshStandardMaterial({
      roughness: 0.7, transparent: true, opacity: 0.16, side: THREE.DoubleSide, depthWrite: false});
    for (let i = 0; i < 6; i++) this.hues.push(solid());
  }

  private make_body(i: number): THREE.Group {
    const group = new THREE.Group(), inner = new THREE.Group(), body = this.model.bodies[i];
    const chassis = this.is_chassis(i);
    const shape = body_shape(this.model, i, chassis, this.look);
    const stems = [...new Set(this.model.bodies.map((b) => corner_of(b.name).stem))];
    const hue = this.hues[stems.indexOf(corner_of(body.name).stem) % this.hues.length];
    inner.position.set(-body.cg[0], -body.cg[1], -body.cg[2]);
    const add = (mesh: THREE.Object3D) => {
      mesh.castShadow = true;
      mesh.userData.name = body.name;
      inner.add(mesh);
    };
    if (shape.solid) add(new THREE.Mesh(shape.solid, hue));
    if (shape.sheet) {
      const sheet = chassis ? this.paint.sheet : this.sheet_of(hue);
      const mesh = new THREE.Mesh(shape.sheet, sheet);
      add(mesh);
      mesh.renderOrder = chassis ? 3 : 2;
    }
    if (shape.edges) {
      const lines = new THREE.LineSegments(shape.edges, new THREE.LineBasicMaterial({transparent: true, opacity: 0.55}));
      lines.userData.edge = true;
      inner.add(lines);
    }
    group.add(inner);
    group.name = body.name;
    this.scene.add(group);
    return group;
  }

  // Of a vehicle: what it is looked at by, and other heavy bodies that carry no wheel themselves.
  private is_chassis(i: number): boolean {
    const {bodies, wheels} = this.model, all = bodies.reduce((sum, b) => sum + b.mass, 0);
    return this.focus_body >= 0 &&
      (i === this.focus_body || (bodies[i].mass > 0.15 * all && !wheels.some((w) => w.body === i)));
  }

  private readonly sheets = new Map<THREE.Material, THREE.MeshStandardMaterial>();
  private sheet_of(hue: THREE.MeshStandardMaterial): THREE.MeshStandardMaterial {
    let sheet = this.sheets.get(hue);
    if (!sheet) {
      sheet = new THREE.MeshStandardMaterial({
        roughness: 0.6, transparent: true, opacity: 0.4, side: THREE.DoubleSide, depthWrite: false});
      this.sheets.set(hue, sheet);
    }
    return sheet;
  }

  private holder(body: number): THREE.Object3D {
    return body === GROUND ? this.scene : this.bodies[body].children[0];
  }

  private make_joints(): void {
    for (const joint of this.model.joints) {
      const shape = joint_shape(joint, this.look);
      if (shape) {
        const mesh = new THREE.Mesh(shape.geometry, this.paint.joint);
        mesh.userData.name = `${joint.name} (${joint.type})`;
        mesh.castShadow = true;
        this.holder(shape.body).add(mesh);
      }
      if (joint.type === 'free') continue;
      joint.bodies.forEach((body, side) => {
        if (body !== GROUND || joint.at.length === 0) return;
        const at = this.out_of_world(vec(joint.at[Math.min(side, joint.at.length - 1)]));
        this.scene.add(new THREE.Mesh(ground_mark(at, this.look), this.paint.ground));
      });
    }
  }

  // World coordinates in which the picture is drawn: less the motion's origin.
  private out_of_world(p: V): V {
    return p.sub(vec(this.motion.origin));
  }

  private end(body: number, at: Vec3): V {
    return body === GROUND ? this.out_of_world(vec(at)) : vec(at).sub(vec(this.model.bodies[body].cg));
  }

  private connect(stretches: Stretch[], bodies: [number, number], at: Vec3[], name: string): void {
    for (const stretch of stretches) {
      stretch.object.traverse((o) => {
        o.castShadow = true;
        o.userData.name = name;
      });
      this.scene.add(stretch.object);
      this.ends.push({stretch, bodies, at: [this.end(bodies[0], at[0]), this.end(bodies[1], at[at.length - 1])]});
    }
  }

  private make_links(): void {
    const {spring, damper, thin} = this.paint;
    // Elements between the same two points, a spring and its stops, are drawn once.
    const drawn = new Set<string>();
    const once = (what: string, link: Link) => {
      const key = `${what} ${link.bodies} ${link.at}`;
      return !drawn.has(key) && !!drawn.add(key);
    };
    for (const all of this.model.links) {
      const link = {...all, spring: all.spring && once('spring', all), damper: all.damper && once('damper', all)};
      if (!link.spring && !link.damper && (all.spring || all.damper)) continue;
      this.connect(link_shape(link, this.look, {spring, damper, thin}), link.bodies, link.at, link.name);
    }
    for (const joint of this.model.joints)
      if (joint.at.length === 2 && ['distance', 'spherical-revolute'].includes(joint.type))
        this.connect([rod_between(this.paint.upright, 0.8 * this.look.thick)], joint.bodies, joint.at, `${joint.name} (${joint.type})`);
    for (const link of this.model.links)
      link.bodies.forEach((body, side) => {
        if (body !== GROUND) return;
        const mark = ground_mark(this.out_of_world(vec(link.at[side])), this.look);
        this.scene.add(new THREE.Mesh(mark, this.paint.ground));
      });
  }

  // Wheels whose spin is a state turn by the integral of their recorded speed.
  private make_wheels(): void {
    for (const wheel of this.model.wheels) {
      const {tyre, rim, mark} = this.paint, object = wheel_shape(wheel, {tyre, rim, mark});
      object.traverse((o) => {
        o.castShadow = true;
        o.userData.name = wheel.name;
      });
      const axis = vec(wheel.axis).normalize();
      const rest = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 1, 0), axis);
      object.position.copy(vec(wheel.at));
      this.holder(wheel.body).add(object);
      const speed = wheel.spins ? this.result.find(`wheel.${wheel.name}.speed`) ?? this.result.find(`wheel.${wheel.name}.spin`) : undefined;
      let angle: Float32Array | null = null;
      if (speed) {
        const v = speed.values(), t = this.result.time;
        angle = new Float32Array(v.length);
        let sum = 0;
        for (let i = 1; i < v.length; i++) {
          sum += 0.5 * (v[i] + v[i - 1]) * (t[i] - t[i - 1]);
          angle[i] = sum;
        }
      }
      this.wheels.push({object, axis: new THREE.Vector3(0, 1, 0), rest, angle});
    }
  }

  private make_traces(): void {
    const chosen = this.focus_body >= 0 ? [this.focus_body] : this.model.bodies.map((_, i) => i).slice(0, 24);
    const stride = Math.max(1, Math.floor(this.motion.count / 4000));
    for (const body of chosen) {
      const points: V[] = [];
      for (let row = 0; row < this.motion.count; row += stride) points.push(vec(this.motion.position(body, row)));
      const line = new THREE.Line(new THREE.BufferGeometry().setFromPoints(points),
        new THREE.LineBasicMaterial({transparent: true, opacity: this.focus_body >= 0 ? 0.8 : 0.4}));
      line.frustumCulled = false;
      this.traces.add(line);
    }
    this.scene.add(this.traces);
  }

  // ---- where it goes ----------------------------------------------------------------------------

  private measure(): void {
    const stride = Math.max(1, Math.floor(this.motion.count / 100));
    const points = this.model.bodies.map((body, i) => [...points_of(this.model, i), vec(body.cg)].map((p) => p.sub(vec(body.cg))));
    const turn = new THREE.Quaternion(), at = new THREE.Vector3();
    for (let row = 0; row < this.motion.count; row += stride)
      points.forEach((list, i) => {
        this.motion.at(i, this.motion.time[row], this.position, this.rotation);
        turn.fromArray(this.rotation);
        for (const p of list) this.box.expandByPoint(at.copy(p).applyQuaternion(turn).add(new THREE.Vector3().fromArray(this.position)));
      });
    for (const p of points_of(this.model, GROUND)) this.box.expandByPoint(this.out_of_world(p));
    this.leaves = this.box.max.z - this.box.min.z > this.look.size;
  }

  // A mechanism in a horizontal plane is best seen from above.
  private flat(): boolean {
    const s = this.box.getSize(new THREE.Vector3());
    return this.focus_body < 0 && s.z < 0.04 * Math.max(s.x, s.y);
  }

  private make_ground(): Ground {
    const s = this.look.size, vehicle = this.focus_body >= 0;
    // Vehicles stand on their road, or on z = 0; under anything else the grid lies just below what moves.
    const below = vehicle ? -this.motion.origin[2] : this.box.min.z - (this.flat() ? 0.04 : 0.12) * s;
    const plane = this.road.plane ?? {height: below, slope_x: 0, slope_y: 0};
    const reach = vehicle ? 9 * s : 2 * Math.max(s, this.box.getSize(new THREE.Vector3()).length());
    const ground = new Ground(plane, nice_step(0.12 * s), reach);
    if (vehicle)  // a path is drawn on the road
      this.traces.children.forEach((line) => {
        const place = (line as THREE.Line).geometry.attributes.position as THREE.BufferAttribute;
        for (let i = 0; i < place.count; i++)
          place.setZ(i, ground.height_at(place.getX(i), place.getY(i)) + 0.004 * s);
      });
    this.scene.add(ground.object, this.road.object);
    return ground;
  }

  private make_light(): void {
    const reach = 0.9 * Math.max(this.look.size, this.focus_body >= 0 ? 0 : this.box.getSize(new THREE.Vector3()).length());
    const c = this.sun.shadow.camera;
    [c.left, c.right, c.bottom, c.top, c.near, c.far] = [-reach, reach, -reach, reach, 0.1 * reach, 8 * reach];
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.radius = 5;
    this.sun.shadow.normalBias = 0.002 * reach;
    this.sun.shadow.bias = -0.001;
    this.sun.castShadow = true;
    this.sun.userData.reach = reach;
    this.scene.add(this.sun, this.sun.target, this.sky);
  }

  private colour(): void {
    const dark = theme().dark, p = this.paint;
    const set = (name: string, light: string, night: string) => p[name].color.set(dark ? night : light);
    set('joint', '#2f3a4a', '#e3e8ef');
    set('spring', '#d9822b', '#e59a4c');
    set('damper', '#5c6675', '#98a3b3');
    set('thin', '#9aa3ae', '#6d7785');
    set('tyre', '#33373d', '#3b4048');
    set('rim', '#c3c9d1', '#a7afba');
    set('mark', '#c8472f', '#e0694f');
    set('ground', '#aab1bb', '#5a6472');
    set('road', '#d5dae1', '#343c47');
    set('upright', '#7d8896', '#8b96a5');
    set('sheet', '#5b7ba6', '#7fa3d1');
    const hues = dark ? ['#7aa2d6', '#6fb7a8', '#c6a86a', '#b08bc0', '#cf8484', '#9aa6b4']
                      : ['#41689c', '#3b8577', '#a8853b', '#80588f', '#ad5a57', '#6a7684'];
    this.hues.forEach((hue, i) => {
      hue.color.set(hues[i]);
      this.sheets.get(hue)?.color.set(hues[i]);
    });
    this.scene.traverse((o) => {
      if (o.userData.edge) (((o as THREE.LineSegments).material) as THREE.LineBasicMaterial).color.set(dark ? '#9db9de' : '#41689c');
    });
    this.traces.children.forEach((o, i) => (((o as THREE.Line).material) as THREE.LineBasicMaterial).color
      .set(this.focus_body >= 0 ? (dark ? '#e0694f' : '#c8472f') : hues[i % hues.length]));
    this.ground.colours(dark ? '#566272' : '#9aa6b6', dark ? 0.45 : 0.17);
    this.sky.intensity = dark ? 1.3 : 1.7;
    this.stale = true;
  }

  // ---- camera -------------------------------------------------------------------------------------

  view(view: View): void {
    this.update();
    const box = new THREE.Box3();
    if (this.focus_body >= 0 || this.box.isEmpty()) {
      for (const group of this.bodies) box.expandByObject(group);
    } else box.copy(this.box).expandByScalar(4 * this.look.thick);
    const middle = box.getCenter(new THREE.Vector3()), s = box.getSize(new THREE.Vector3());
    const direction = vec(directions[view]);
    if (this.focus_body >= 0) {
      direction.applyAxisAngle(new THREE.Vector3(0, 0, 1), this.heading());
      middle.z -= 0.04 * s.length();
    }
    direction.normalize();
    // Far enough for every corner of the box.
    const tan_y = Math.tan((this.camera.fov * Math.PI) / 360), tan_x = tan_y * this.camera.aspect;
    const right = new THREE.Vector3().crossVectors(this.camera.up, direction).normalize();
    const up = new THREE.Vector3().crossVectors(direction, right);
    let far = 0;
    for (let i = 0; i < 8; i++) {
      const corner = new THREE.Vector3((i & 1 ? 0.5 : -0.5) * s.x, (i & 2 ? 0.5 : -0.5) * s.y, (i & 4 ? 0.5 : -0.5) * s.z);
      far = Math.max(far, corner.dot(direction) + Math.abs(corner.dot(right)) / tan_x, corner.dot(direction) + Math.abs(corner.dot(up)) / tan_y);
    }
    far = Math.max((this.focus_body >= 0 ? 1.02 : 0.98) * far, 0.3 * this.look.size);
    this.camera.near = 0.002 * far;
    this.camera.far = Math.max(60 * far, 40 * this.look.size);
    this.camera.updateProjectionMatrix();
    this.controls.target.copy(middle);
    this.camera.position.copy(middle).addScaledVector(direction, far);
    this.controls.update();
    this.stale = true;
  }

  private heading(): number {
    const forward = new THREE.Vector3(1, 0, 0).applyQuaternion(this.bodies[this.focus_body].quaternion);
    return Math.atan2(forward.y, forward.x);
  }

  show_traces(on: boolean): void {
    this.traces.visible = on;
    this.stale = true;
  }

  private resize(): void {
    const width = this.root.clientWidth, height = this.root.clientHeight;
    if (width === 0 || height === 0) return;
    const first = this.camera.aspect === 1 && !this.root.dataset.sized;
    this.root.dataset.sized = 'yes';
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, 2));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    if (first) this.view(this.flat() ? 'top' : 'iso');
    this.stale = true;
  }

  // ---- at a time ----------------------------------------------------------------------------------

  private update(): void {
    const t = this.clock.now;
    this.bodies.forEach((group, i) => {
      this.motion.at(i, t, this.position, this.rotation);
      group.position.set(this.position[0], this.position[1], this.position[2]);
      group.quaternion.set(this.rotation[0], this.rotation[1], this.rotation[2], this.rotation[3]);
      group.updateMatrix();
    });
    const place = (body: number, at: V) => body === GROUND ? at.clone() : at.clone().applyMatrix4(this.bodies[body].matrix);
    for (const e of this.ends) e.stretch.place(place(e.bodies[0], e.at[0]), place(e.bodies[1], e.at[1]));
    const time = this.result.time, i = index_at(time, t), k = Math.min(i + 1, time.length - 1);
    const s = time[k] > time[i] ? (t - time[i]) / (time[k] - time[i]) : 0;
    for (const w of this.wheels) {
      const angle = w.angle ? w.angle[i] + s * (w.angle[k] - w.angle[i]) : 0;
      w.object.quaternion.copy(w.rest).multiply(new THREE.Quaternion().setFromAxisAngle(w.axis, angle));
    }
    const now = this.focus_body >= 0 ? this.bodies[this.focus_body].position : this.box.getCenter(new THREE.Vector3());
    if (this.follows && this.focus_body >= 0) {
      const moved = now.clone().sub(this.focus);
      if (!this.leaves) moved.z = 0;
      this.camera.position.add(moved);
      this.controls.target.add(moved);
    }
    this.focus.copy(now);
    this.ground.follow(now.x, now.y);
    this.road.update(t);
    const reach = this.sun.userData.reach as number;
    this.sun.target.position.copy(now);
    this.sun.position.copy(now).add(new THREE.Vector3(-0.8, -1.1, 2.4).multiplyScalar(1.4 * reach));
  }

  private last = 0;

  // Draws when something has changed; the clock goes on with the frames of the screen.
  private loop(now: number): void {
    const seconds = Math.min(0.1, (now - this.last) / 1000);
    this.last = now;
    this.clock.tick(seconds);
    const was = this.stale;
    if (was) this.update();
    this.stale = false;
    if (this.controls.update() || was || this.stale) this.renderer.render(this.scene, this.camera);
    requestAnimationFrame((t) => this.loop(t));
  }

  // The name of what is under the pointer.
  private point(e: PointerEvent): void {
    if (e.buttons !== 0) {
      this.tip.classList.remove('on');
      return;
    }
    const at = new THREE.Vector2((2 * e.offsetX) / this.root.clientWidth - 1, 1 - (2 * e.offsetY) / this.root.clientHeight);
    const ray = new THREE.Raycaster();
    ray.setFromCamera(at, this.camera);
    const hits = ray.intersectObjects(this.scene.children, true).filter((h) => h.object.userData.name);
    const solid = hits.find((h) => !(((h.object as THREE.Mesh).material) as THREE.Material).transparent) ?? hits[0];
    this.tip.classList.toggle('on', !!solid);
    if (!solid) return;
    this.tip.textContent = solid.object.userData.name as string;
    this.tip.style.transform = `translate(${e.offsetX + 14}px, ${e.offsetY + 14}px)`;
  }
}
