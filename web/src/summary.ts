// summary.ts: what was run, how well it went, and the largest values of the run.
import {Clock} from './clock';
import {Channel, Result} from './data';
import {make, number_text} from './format';
import {take_apart} from './groups';

function facts(title: string, entries: {[name: string]: string}): HTMLElement {
  return make('section', {class: 'facts'}, make('h3', {}, title),
    make('dl', {}, ...Object.entries(entries).flatMap(([name, value]) => [make('dt', {}, name), make('dd', {}, value)])));
}

interface Peak {
  what: string;
  channel: Channel;
  value: number;
  time: number | null;
}

function peak_of(what: string, channels: Channel[]): Peak[] {
  let best: Peak | null = null;
  for (const channel of channels) {
    const low = channel.min ?? 0, high = channel.max ?? 0, down = -low > high;
    const peak = {what, channel, value: down ? low : high, time: down ? channel.min_time : channel.max_time};
    if (!best || Math.abs(peak.value) > Math.abs(best.value)) best = peak;
  }
  return best && best.value !== 0 ? [best] : [];
}

export function peaks(result: Result, vehicle: string | null): Peak[] {
  const named = (...names: string[]) => names.map((n) => result.find(n)).filter((c): c is Channel => !!c);
  const parts = result.channels.map(take_apart);
  const of = (group: string, quantity: RegExp, unit?: string) => parts
    .filter((p) => p.group === group && quantity.test(p.quantity) && (!unit || p.channel.unit === unit)).map((p) => p.channel);
  const own: [string, Channel[]][] = vehicle ? [
    ['speed', named('vehicle.speed')],
    ['lateral acc.', named('vehicle.lateral_acceleration')],
    ['longitudinal acc.', named('vehicle.longitudinal_acceleration')],
    ['yaw rate', named(`${vehicle}.wz`)],
    ['roll', named(`${vehicle}.roll`)],
    ['pitch', named(`${vehicle}.pitch`)],
    ['wheel load', of('wheel', /^fz$/)],
    ['slip angle', of('tyre', /^slip_angle$/)],
  ] : [['body speed', of('', /^v[xyz]$/, 'm/s')], ['body turn rate', of('', /^w[xyz]$/, 'rad/s')]];
  return [...own,
    ['joint speed', of('joint', /^speed|^spin$/, 'rad/s')] as [string, Channel[]],
    ['element force', of('force', /^force$|^f[xyz]$/, 'N')] as [string, Channel[]],
    ['joint reaction', of('joint', /^f[xyz]$/)] as [string, Channel[]],
  ].flatMap(([what, channels]) => peak_of(what, channels));
}

export function summary(result: Result, clock: Clock, vehicle: string | null): HTMLElement {
  const root = make('div', {class: 'summary'});
  for (const [title, entries] of Object.entries(result.about.facts)) root.append(facts(title, entries));
  const list = peaks(result, vehicle);
  if (list.length > 0) {
    const rows = list.map((p) => {
      const row = make('tr', {title: `${p.channel.name}: ${p.channel.help}`}, make('td', {}, p.what),
        make('td', {class: 'number'}, number_text(p.value, 4)), make('td', {class: 'unit'}, p.channel.unit),
        make('td', {class: 'number'}));
      if (p.time !== null) {
        const jump = make('button', {type: 'button', class: 'jump', title: 'Go to this time'}, `${number_text(p.time, 4)} s`);
        jump.addEventListener('click', () => { clock.play(false); clock.seek(p.time!); });
        row.lastElementChild!.append(jump);
      }
      return row;
    });
    root.append(make('section', {class: 'facts'}, make('h3', {}, 'Largest values'), make('table', {}, make('tbody', {}, ...rows))));
  }
  return root;
}
