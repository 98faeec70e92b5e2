// groups.ts: which plots a result begins with, found from the names of its channels.
import {Channel, Result, Scene} from './data';

export interface Panel {
  title: string;
  channels: Channel[];
  path?: boolean;  // the first over the second, both on one scale
}

export interface Section {
  title: string;
  open: boolean;
  panels: Panel[];
}

// The body that a vehicle is looked at by: the one called chassis, else the heaviest of a model with wheels.
export function vehicle_body(scene: Scene | null): string | null {
  if (!scene || scene.bodies.length === 0) return null;
  const named = scene.bodies.find((b) => b.name === 'chassis');
  if (scene.wheels.length === 0) return null;
  return (named ?? scene.bodies.reduce((a, b) => (b.mass > a.mass ? b : a))).name;
}

// ---- what follows from other channels ----------------------------------------------------------

function rate(values: ArrayLike<number>, time: Float64Array): Float32Array {
  const n = values.length, out = new Float32Array(n);
  for (let i = 0; i < n; i++) {
    const a = Math.max(0, i - 1), b = Math.min(n - 1, i + 1);
    out[i] = b > a ? (values[b] - values[a]) / (time[b] - time[a]) : NaN;
  }
  return out;
}

export function derive_vehicle(result: Result, body: string): void {
  const find = (quantity: string) => result.find(`${body}.${quantity}`);
  const vx = find('vx'), vy = find('vy'), yaw = find('yaw');
  if (!vx || !vy) return;
  result.derive('vehicle.speed', 'm/s', `over the ground, from ${body}.vx and ${body}.vy`, () => {
    const x = vx.values(), y = vy.values();
    return Float32Array.from(x, (v, i) => Math.hypot(v, y[i]));
  });
  if (!yaw) return;
  const ax = find('ax'), ay = find('ay');
  const source = ax && ay ? `from ${body}.ax and ${body}.ay` : `by differences of ${body}.vx and ${body}.vy`;
  const turned = (along: boolean) => () => {
    const x = ax && ay ? ax.values() : rate(vx.values(), result.time);
    const y = ax && ay ? ay.values() : rate(vy.values(), result.time);
    const angle = yaw.values();
    return Float32Array.from(angle, (psi, i) => along
      ? x[i] * Math.cos(psi) + y[i] * Math.sin(psi)
      : y[i] * Math.cos(psi) - x[i] * Math.sin(psi));
  };
  result.derive('vehicle.lateral_acceleration', 'm/s²', `to the left, horizontal, ${source}`, turned(false));
  result.derive('vehicle.longitudinal_acceleration', 'm/s²', `forward, horizontal, ${source}`, turned(true));
}

// ---- names ----------------------------------------------------------------------------------------

interface Part {
  channel: Channel;
  group: string;     // "joint", "force", "wheel", "tyre", "solver", or "" for bodies and the rest
  element: string;   // "lca_pivot_fl"
  quantity: string;  // "angle"
}

const groups = new Set(['joint', 'force', 'wheel', 'tyre', 'solver', 'vehicle']);

export function take_apart(channel: Channel): Part {
  const words = channel.name.split('.');
  const whole = words[0] === 'solver' || words[0] === 'vehicle';  // a group that is one element
  const group = groups.has(words[0]) && words.length > (whole ? 1 : 2) ? words[0] : '';
  if (group && whole)
    return {channel, group, element: '', quantity: words.slice(1).join('.')};
  const rest = group ? words.slice(1) : words;
  return {channel, group, element: rest.slice(0, -1).join('.'), quantity: rest[rest.length - 1]};
}

// "lca_pivot_fl" is corner fl of the four that are called lca_pivot.
export function corner_of(element: string): {stem: string; corner: string} {
  const match = /^(.*?)[_-]?(fl|fr|rl|rr|[1-9][lr])$/.exec(element);
  return match ? {stem: match[1], corner: match[2]} : {stem: element, corner: ''};
}

const MOST_IN_A_PLOT = 8;

// One plot for each stem and quantity; elements that stand alone share plots by quantity and unit.
function by_stem(parts: Part[], quantities: string[]): Panel[] {
  const panels: Panel[] = [];
  for (const quantity of quantities) {
    const stems = new Map<string, Part[]>();
    for (const part of parts) {
      if (part.quantity !== quantity) continue;
      const stem = corner_of(part.element).stem;
      stems.set(stem, [...(stems.get(stem) ?? []), part]);
    }
    const single = new Map<string, Part[]>();
    for (const [stem, list] of stems) {
      if (list.length > 1)
        panels.push({title: stem ? `${stem}: ${quantity}` : `${list[0].group} ${quantity}`, channels: list.map((p) => p.channel)});
      else single.set(list[0].channel.unit, [...(single.get(list[0].channel.unit) ?? []), list[0]]);
    }
    for (const list of single.values())
      for (let i = 0; i < list.length; i += MOST_IN_A_PLOT) {
        const some = list.slice(i, i + MOST_IN_A_PLOT);
        const title = some.length === 1 ? `${some[0].element}: ${quantity}` : quantity;
        panels.push({title, channels: some.map((p) => p.channel)});
      }
  }
  return panels;
}

function by_element(parts: Part[], elements: string[], sets: [string, string[]][]): Panel[] {
  return elements.flatMap((element) => sets.map(([what, quantities]) => ({
    title: `${element}: ${what}`,
    channels: quantities.flatMap((q) => parts.filter((p) => p.element === element && p.quantity === q))
      .map((p) => p.channel),
  })));
}

// ---- sections -------------------------------------------------------------------------------------

export function sections(result: Result, vehicle: string | null): Section[] {
  const parts = result.channels.filter((c) => c.name !== 'time').map(take_apart);
  const of = (...names: string[]) => parts.filter((p) => names.includes(p.group));
  const {scene} = result.about;
  const unique = (list: Part[]) => [...new Set(list.map((p) => p.element))];
  const body_names = scene?.bodies.map((b) => b.name) ?? unique(parts.filter((p) => p.group === '' && p.quantity === 'vx'));
  const known = new Set(body_names);
  const bodies = parts.filter((p) => p.group === '' && known.has(p.element));
  const inputs = parts.filter((p) => p.group === '' && !known.has(p.element));
  const out: Section[] = [];
  // Plots in which nothing moves are left to who looks for them, unless nothing moves at all.
  const moves = (c: Channel) => c.max !== null && c.min !== null && c.max - c.min > 1e-12;
  const anything = parts.some((p) => moves(p.channel));
  const add = (title: string, open: boolean, panels: Panel[]) => {
    const filled = panels.filter((p) => p.channels.length > 0 && (!p.path || p.channels.length === 2) &&
      (!anything || p.channels.some(moves)));
    if (filled.length > 0) out.push({title, open, panels: filled});
  };

  if (vehicle) {
    const pick = (...names: string[]) =>
      names.map((n) => result.find(n.includes('.') ? n : `${vehicle}.${n}`)).filter((c): c is Channel => !!c);
    add('Vehicle', true, [
      {title: 'Path, y over x', channels: pick('x', 'y'), path: true},
      {title: 'Speed', channels: pick('vehicle.speed')},
      {title: 'Acceleration', channels: pick('vehicle.lateral_acceleration', 'vehicle.longitudinal_acceleration')},
      {title: 'Yaw rate', channels: pick('wz')},
      {title: 'Roll and pitch', channels: pick('roll', 'pitch')},
      {title: 'Height of the centre of gravity', channels: pick('z')},
    ]);
  }
  const single = new Map<string, Part[]>();
  for (const p of inputs) single.set(p.channel.unit, [...(single.get(p.channel.unit) ?? []), p]);
  add('Inputs', true, [...single.values()].flatMap((list) => {
    const panels: Panel[] = [];
    for (let i = 0; i < list.length; i += MOST_IN_A_PLOT)
      panels.push({title: list.length === 1 ? list[0].channel.name : 'Inputs',
                   channels: list.slice(i, i + MOST_IN_A_PLOT).map((p) => p.channel)});
    return panels;
  }));
  const turning = of('wheel', 'tyre');
  const first = ['fz', 'fx', 'fy', 'slip_angle', 'slip', 'speed', 'camber', 'deflection'];
  add('Wheels', true, by_stem(turning, [...new Set([...first, ...turning.map((p) => p.quantity)])]));
  if (!vehicle)
    add('Bodies', true, by_element(bodies, body_names, [['position', ['x', 'y', 'z']], ['velocity', ['vx', 'vy', 'vz']]]));
  add('Joints', true, by_stem(of('joint'), ['angle', 'angle1', 'angle2', 'position', 'speed', 'speed1', 'speed2', 'spin']));
  add('Forces', true, by_stem(of('force'), ['force', 'fx', 'fy', 'fz', 'length', 'angle', 'position']));
  const has = (name: string) => [result.find(`solver.${name}`)].filter((c): c is Channel => !!c);
  add('Solver', true, [
    {title: 'Energy and work', channels: [...has('energy'), ...has('work')]},
    {title: 'Energy drift', channels: has('energy_drift')},
    {title: 'Constraint residuals', channels: [...has('position_norm'), ...has('velocity_norm')]},
    {title: 'Events', channels: has('events')},
  ]);
  if (vehicle) add('Bodies', false, by_stem(bodies, ['z', 'roll', 'pitch', 'yaw']));
  const reactions = of('joint').filter((p) => /^[fm][xyz]$/.test(p.quantity));
  add('Reactions', false, by_element(reactions, unique(reactions), [['reaction force', ['fx', 'fy', 'fz']], ['reaction moment', ['mx', 'my', 'mz']]]));
  return out;
}
