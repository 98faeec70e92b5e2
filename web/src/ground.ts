// ground.ts: what a mechanism stands on: a grid that fades into the distance, or the road's own surface.
import * as THREE from 'three';
import {Road} from './data';

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
  uniform vec3 fill;
  uniform float cover;
  float lines(float size) {
    vec2 u = at.xy / size, w = max(fwidth(u), vec2(1e-6));
    vec2 d = abs(fract(u - 0.5) - 0.5) / w;
    float thin = 1.0 - smoothstep(0.25, 0.6, max(w.x, w.y));
    return (1.0 - min(min(d.x, d.y), 1.0)) * thin;
  }
  void main() {
    float fade = 1.0 - smoothstep(0.35, 1.0, length(at.xy - centre.xy) / reach);
    float mark = max(0.4 * lines(cell), 0.75 * lines(5.0 * cell));
    float alpha = fade * max(mark, cover);
    if (alpha < 0.004) discard;
    gl_FragColor = vec4(mix(fill, line, mark), alpha);
    #include <colorspace_fragment>
  }`;

export class Ground {
  readonly object = new THREE.Group();
  private readonly grid: THREE.Mesh;
  private readonly paint: THREE.ShaderMaterial;
  private readonly shadow: THREE.Mesh;
  private readonly road: boolean;

  constructor(private readonly height: number, private readonly cell: number, reach: number, road: Road | null) {
    this.road = !!road;
    this.paint = new THREE.ShaderMaterial({
      vertexShader: vertex, fragmentShader: fragment, transparent: true, depthWrite: false, side: THREE.DoubleSide,
      uniforms: {
        cell: {value: cell}, reach: {value: reach}, centre: {value: new THREE.Vector3()},
        line: {value: new THREE.Color()}, fill: {value: new THREE.Color()}, cover: {value: road ? 0.85 : 0.0},
      },
    });
    const shape = road ? surface(road) : new THREE.PlaneGeometry(2 * reach, 2 * reach);
    this.grid = new THREE.Mesh(shape, this.paint);
    this.grid.renderOrder = -2;
    this.shadow = new THREE.Mesh(road ? shape : new THREE.PlaneGeometry(2 * reach, 2 * reach),
      new THREE.ShadowMaterial({opacity: 0.16, depthWrite: false}));
    this.shadow.receiveShadow = true;
    this.shadow.renderOrder = -1;
    this.object.add(this.grid, this.shadow);
    if (!road) this.object.position.z = height;
  }

  colours(line: string, fill: string, shade: number): void {
    (this.paint.uniforms.line.value as THREE.Color).set(line);
    (this.paint.uniforms.fill.value as THREE.Color).set(fill);
    (this.shadow.material as THREE.ShadowMaterial).opacity = shade;
  }

  // The plane goes along with what is looked at; its lines stay where they are in the world.
  follow(x: number, y: number): void {
    (this.paint.uniforms.centre.value as THREE.Vector3).set(x, y, this.height);
    if (!this.road) this.object.position.set(Math.round(x / this.cell) * this.cell, Math.round(y / this.cell) * this.cell, this.height);
  }
}

function surface(road: Road): THREE.BufferGeometry {
  const nx = road.x.length, ny = road.y.length, place: number[] = [], index: number[] = [];
  for (let k = 0; k < ny; k++)
    for (let i = 0; i < nx; i++) place.push(road.x[i], road.y[k], road.z[k * nx + i]);
  for (let k = 0; k + 1 < ny; k++)
    for (let i = 0; i + 1 < nx; i++) {
      const a = k * nx + i;
      index.push(a, a + 1, a + nx, a + 1, a + nx + 1, a + nx);
    }
  const g = new THREE.BufferGeometry();
  g.setAttribute('position', new THREE.Float32BufferAttribute(place, 3));
  g.setIndex(index);
  g.computeVertexNormals();
  return g;
}
