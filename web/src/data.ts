// data.ts: the result as it is written into the page by src/report/report_result.c.
//
// Element #about holds a JSON object, element #data one base64 text of blocks. Each block begins at a
// multiple of 12 bytes, which is a multiple of 16 characters: so it can be decoded alone, when it is
// looked at.

export type Vec3 = [number, number, number];

export interface ChannelInfo {
  name: string;
  unit: string;
  help: string;
  min: number | null;  // over all rows of the result, also those that are not in the page
  max: number | null;
  min_time: number | null;
  max_time: number | null;
  last: number | null;
  at?: number;     // offset of its block [bytes]
  value?: number | null;  // of one that is constant and has no block
}

export interface Joint {
  name: string;
  type: string;
  bodies: [number, number];  // -1: ground
  at: Vec3[];                // none, one, or one for each body
  axis: Vec3[];
}

export interface Body {
  name: string;
  mass: number;
  cg: Vec3;
  inertia: Vec3;                                   // xx, yy, zz in the body's axes
  orientation: [number, number, number, number];  // of the body's axes, w x y z
}

export interface Link {  // a spring, a damper, an actuator between two points
  name: string;
  bodies: [number, number];
  at: [Vec3, Vec3];
  spring: boolean;
  damper: boolean;
}

export interface Wheel {
  name: string;
  body: number;
  at: Vec3;
  axis: Vec3;
  radius: number;
  spins: boolean;  // its spin is a state, not a motion of the body
}

export interface Mount {  // a bushing
  name: string;
  bodies: [number, number];
  at: Vec3[];
}

export interface Contact {  // points of a body that the road pushes back
  name: string;
  body: number;
  at: Vec3[];
}

export interface Scene {
  bodies: Body[];
  joints: Joint[];
  links: Link[];
  wheels: Wheel[];
  mounts: Mount[];
  contacts: Contact[];
}

export interface About {
  version: string;
  model: string | null;
  scenario: string | null;
  source: string;
  facts: {[group: string]: {[name: string]: string}};
  notes: string[];
  rows: {count: number; of: number; every: number; time: number};
  channels: ChannelInfo[];
  channels_left_out: number;
  motion: null | {
    count: number; of: number; every: number; time: number; at: number; origin: Vec3; bodies: string[];
  };
  scene: Scene | null;
}

export interface Channel extends ChannelInfo {
  derived: boolean;
  values(): ArrayLike<number>;
}

function decode(text: string, offset: number, bytes: number): ArrayBuffer {
  const begin = (offset / 3) * 4;
  const binary = atob(text.slice(begin, begin + Math.ceil(bytes / 3) * 4));
  const out = new Uint8Array(bytes);
  for (let i = 0; i < bytes; i++) out[i] = binary.charCodeAt(i);
  return out.buffer;
}

// The last index i with table[i] <= x, at least 0.
export function index_at(table: ArrayLike<number>, x: number): number {
  let low = 0, high = table.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (table[middle] <= x) low = middle;
    else high = middle - 1;
  }
  return low;
}

export function nearest_index(table: ArrayLike<number>, x: number): number {
  const i = index_at(table, x);
  return i + 1 < table.length && table[i + 1] - x < x - table[i] ? i + 1 : i;
}

export class Result {
  readonly time: Float64Array;
  readonly channels: Channel[];
  readonly motion: Motion | null;
  private readonly by_name = new Map<string, Channel>();

  constructor(readonly about: About, data: string) {
    const n = about.rows.count;
    this.time = new Float64Array(decode(data, about.rows.time, 8 * n));
    this.channels = about.channels.map((info) => {
      let kept: Float32Array | undefined;
      return {
        ...info,
        derived: false,
        values: () => (kept ??= info.at === undefined
          ? new Float32Array(n).fill(info.value ?? NaN)
          : new Float32Array(decode(data, info.at, 4 * n))),
      };
    });
    for (const c of this.channels) this.by_name.set(c.name, c);
    this.motion = about.motion && about.motion.count > 0 ? new Motion(about, data) : null;
  }

  find(name: string): Channel | undefined {
    return this.by_name.get(name);
  }

  // A channel that follows from others, computed when it is looked at.
  derive(name: string, unit: string, help: string, compute: () => Float32Array): Channel {
    let kept: Float32Array | undefined;
    const values = () => (kept ??= compute());
    const times = this.time;
    const extreme = (sign: number) => {
      const v = values();
      let best = -1;
      for (let i = 0; i < v.length; i++)
        if (isFinite(v[i]) && (best < 0 || sign * v[i] > sign * v[best])) best = i;
      return best;
    };
    const channel: Channel = {
      name, unit, help, values, derived: true,
      get min() { const i = extreme(-1); return i < 0 ? null : values()[i]; },
      get max() { const i = extreme(1); return i < 0 ? null : values()[i]; },
      get min_time() { const i = extreme(-1); return i < 0 ? null : times[i]; },
      get max_time() { const i = extreme(1); return i < 0 ? null : times[i]; },
      get last() { const v = values(); return v[v.length - 1]; },
    };
    this.channels.push(channel);
    this.by_name.set(name, channel);
    return channel;
  }
}

// Places of all bodies over time: straight lines and equal turns between two rows.
export class Motion {
  readonly time: Float64Array;
  readonly origin: Vec3;
  readonly names: string[];
  readonly count: number;
  private readonly rows: Float32Array[];  // for each body x y z w x y z, row by row

  constructor(about: About, data: string) {
    const m = about.motion!;
    this.count = m.count;
    this.names = m.bodies;
    this.origin = m.origin;
    this.time = new Float64Array(decode(data, m.time, 8 * m.count));
    const block = Math.ceil((28 * m.count) / 12) * 12;
    this.rows = m.bodies.map((_, i) => new Float32Array(decode(data, m.at + i * block, 28 * m.count)));
  }

  // Fills position and rotation (x y z w, as three.js has it).
  at(body: number, t: number, position: Float64Array, rotation: Float64Array): void {
    const i = index_at(this.time, t), k = Math.min(i + 1, this.count - 1);
    const span = this.time[k] - this.time[i];
    const s = span > 0 ? Math.min(1, Math.max(0, (t - this.time[i]) / span)) : 0;
    const row = this.rows[body], a = 7 * i, b = 7 * k;
    for (let c = 0; c < 3; c++) position[c] = row[a + c] + s * (row[b + c] - row[a + c]);
    let dot = 0;
    for (let c = 3; c < 7; c++) dot += row[a + c] * row[b + c];
    const sign = dot < 0 ? -1 : 1;
    dot = Math.min(1, Math.abs(dot));
    const angle = Math.acos(dot), sine = Math.sin(angle);
    const wa = sine > 1e-6 ? Math.sin((1 - s) * angle) / sine : 1 - s;
    const wb = (sine > 1e-6 ? Math.sin(s * angle) / sine : s) * sign;
    rotation[3] = wa * row[a + 3] + wb * row[b + 3];
    for (let c = 0; c < 3; c++) rotation[c] = wa * row[a + 4 + c] + wb * row[b + 4 + c];
  }

  position(body: number, row: number): Vec3 {
    const r = this.rows[body];
    return [r[7 * row], r[7 * row + 1], r[7 * row + 2]];
  }
}

export function read_result(about: About): Result {
  const element = document.getElementById('data')!;
  const result = new Result(about, element.textContent!.trim());
  element.remove();
  return result;
}
