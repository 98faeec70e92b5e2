// plot.ts: one plot over time. All plots share the clock's time and one zoom.
import uPlot from 'uplot';
import {Clock} from './clock';
import {Channel, nearest_index, Result} from './data';
import {icon_button, make, number_text} from './format';
import {corner_of, Panel, take_apart} from './groups';
import {on_theme, theme} from './theme';

// ---- what all plots share -----------------------------------------------------------------------

export class Zoom {
  range: [number, number] | null = null;  // null: everything
  private readonly listeners: (() => void)[] = [];
  on_change(listener: () => void): void {
    this.listeners.push(listener);
  }
  set(range: [number, number] | null): void {
    if (range?.[0] === this.range?.[0] && range?.[1] === this.range?.[1]) return;
    this.range = range;
    for (const listener of this.listeners) listener();
  }
}

// Angles in radians, as recorded, or in degrees.
export class Angles {
  degrees = false;
  private readonly listeners: (() => void)[] = [];
  on_change(listener: () => void): void {
    this.listeners.push(listener);
  }
  set(degrees: boolean): void {
    this.degrees = degrees;
    for (const listener of this.listeners) listener();
  }
  turns(channel: Channel): boolean {
    return this.degrees && /^rad\b/.test(channel.unit);
  }
  unit(channel: Channel): string {
    return this.turns(channel) ? channel.unit.replace('rad', 'deg') : channel.unit;
  }
  values(channel: Channel): ArrayLike<number> {
    return this.turns(channel) ? Float32Array.from(channel.values(), (x) => x * DEGREE) : channel.values();
  }
  at(channel: Channel, row: number): number {
    return channel.values()[row] * (this.turns(channel) ? DEGREE : 1);
  }
}

const DEGREE = 180 / Math.PI;

export interface Shared {
  result: Result;
  clock: Clock;
  zoom: Zoom;
  angles: Angles;
}

// Rows where nothing was measured are gaps.
function with_gaps(values: ArrayLike<number>): ArrayLike<number> | (number | null)[] {
  for (let i = 0; i < values.length; i++)
    if (!isFinite(values[i])) return Array.from(values, (v) => (isFinite(v) ? v : null));
  return values;
}

// What distinguishes the channels of one plot.
export function short_names(channels: Channel[]): string[] {
  const parts = channels.map(take_apart);
  const same = <T>(list: T[]) => list.every((x) => x === list[0]);
  if (channels.length === 1) return [channels[0].name];
  if (same(parts.map((p) => p.quantity)) && same(parts.map((p) => p.group))) {
    const corners = parts.map((p) => corner_of(p.element));
    return same(corners.map((c) => c.stem)) ? corners.map((c, i) => c.corner || parts[i].element)
                                            : parts.map((p) => p.element);
  }
  if (same(parts.map((p) => `${p.group}.${p.element}`))) return parts.map((p) => p.quantity.replace(/_/g, ' '));
  return channels.map((c) => c.name);
}

export class Plot {
  readonly root: HTMLElement;
  channels: Channel[];
  private chart: uPlot | null = null;
  private readonly holder: HTMLElement;
  private readonly legend: HTMLElement;
  private readonly marker: HTMLElement;
  private readonly hidden = new Set<string>();
  private readings: HTMLElement[] = [];
  private visible = false;

  constructor(private readonly shared: Shared, readonly panel: Panel,
              actions: {edit?: (plot: Plot) => void; remove?: (plot: Plot) => void}) {
    this.channels = [...panel.channels];
    this.holder = make('div', {class: 'chart'});
    this.legend = make('div', {class: 'legend'});
    this.marker = make('div', {class: 'marker'});
    const head = make('header', {}, make('h3', {}, panel.title));
    if (actions.edit) head.append(icon_button('edit', 'Choose channels', () => actions.edit!(this)));
    if (actions.remove) head.append(icon_button('close', 'Remove this plot', () => actions.remove!(this)));
    this.root = make('article', {class: 'plot'}, head, this.legend, this.holder);
    // A canvas is made when it comes into sight: a report may have a hundred of them.
    new IntersectionObserver((entries) => {
      this.visible = entries[entries.length - 1].isIntersecting;
      if (this.visible && !this.chart) this.draw();
      if (this.visible) this.follow();
    }, {rootMargin: '200px'}).observe(this.root);
    new ResizeObserver(() => this.resize()).observe(this.holder);
    shared.clock.on_change(() => this.follow());
    shared.zoom.on_change(() => this.rescale());
    shared.angles.on_change(() => this.redraw());
    on_theme(() => this.redraw());
  }

  show(channels: Channel[]): void {
    this.channels = channels;
    this.redraw();
  }

  private redraw(): void {
    this.chart?.destroy();
    this.chart = null;
    if (this.visible) {
      this.draw();
      this.follow();
    }
  }

  private resize(): void {
    const width = this.holder.clientWidth, height = this.holder.clientHeight;
    if (this.chart && width > 0 && (width !== this.chart.width || height !== this.chart.height)) {
      this.chart.setSize({width, height});
      this.follow();
    }
  }

  private rescale(): void {
    const {zoom, clock} = this.shared;
    const [min, max] = zoom.range ?? [clock.first, clock.last];
    this.chart?.setScale('x', {min, max});
    this.follow();
  }

  // The marker, and the values beside the names, at the clock's time.
  follow(): void {
    if (!this.chart || !this.visible) return;
    const {clock, result, angles} = this.shared;
    const t = clock.now, x = this.chart.valToPos(t, 'x');
    this.marker.style.transform = `translateX(${x.toFixed(1)}px)`;
    this.marker.style.visibility = x >= 0 && x <= this.chart.over.clientWidth ? 'visible' : 'hidden';
    const row = nearest_index(result.time, t);
    this.readings.forEach((reading, i) => {
      reading.textContent = number_text(angles.at(this.channels[i], row), 4);
    });
  }

  private draw_legend(colours: string[]): void {
    const names = short_names(this.channels);
    this.readings = this.channels.map(() => make('span', {class: 'reading'}));
    this.legend.replaceChildren(...this.channels.map((channel, i) => {
      const key = make('button', {type: 'button', class: 'key', title: `${channel.name}: ${channel.help}`},
        make('i', {style: `background:${colours[i]}`}), make('span', {}, names[i]), this.readings[i]);
      key.classList.toggle('off', this.hidden.has(channel.name));
      key.addEventListener('click', () => {
        const off = !this.hidden.delete(channel.name);
        if (off) this.hidden.add(channel.name);
        key.classList.toggle('off', off);
        this.chart?.setSeries(i + 1, {show: !off});
      });
      return key;
    }));
  }

  private draw(): void {
    const {result, clock, zoom, angles} = this.shared, colours = theme();
    const colour = (i: number) => colours.series[i % colours.series.length];
    this.draw_legend(this.channels.map((_, i) => colour(i)));
    if (this.channels.length === 0) return;
    const units = [...new Set(this.channels.map((c) => angles.unit(c)))];
    const font = `12px ${getComputedStyle(document.body).fontFamily}`;
    const axis = (unit: string, side: 1 | 3): uPlot.Axis => ({
      scale: unit, side, size: (u, values) => {
        const context = u.ctx;
        context.save();
        context.font = font;
        const widest = Math.max(0, ...(values ?? []).map((v) => context.measureText(v).width));
        context.restore();
        return Math.ceil(widest) + 18;
      },
      font, labelFont: font, stroke: colours.faint, label: unit === '1' ? '' : unit, labelSize: unit === '1' ? 0 : 18, labelGap: 2,
      grid: {show: side === 3, stroke: colours.grid, width: 1},
      ticks: {show: false}, gap: 8,
      values: (_, splits) => splits.map((v) => number_text(v, 6)),
    });
    const data = [result.time, ...this.channels.map((c) => with_gaps(angles.values(c)))];
    const options: uPlot.Options = {
      width: this.holder.clientWidth, height: this.holder.clientHeight,
      legend: {show: false},
      padding: [8, 12, 0, 0],
      cursor: {
        y: false, points: {show: false},
        drag: {x: true, y: false, setScale: false},
        bind: {dblclick: () => () => { zoom.set(null); return null; }},
      },
      scales: {
        x: {time: false, range: () => zoom.range ?? [clock.first, clock.last]},
        ...Object.fromEntries(units.map((unit) => [unit, {range: padded} as uPlot.Scale])),
      },
      axes: [
        {font, stroke: colours.faint, size: 26, gap: 6, space: 70, ticks: {show: false},
         grid: {stroke: colours.grid, width: 1},
         values: (_, splits) => splits.map((v, i) => number_text(v, 6) + (i === splits.length - 1 ? ' s' : ''))},
        axis(units[0], 3),
        ...(units.length > 1 ? [axis(units[1], 1)] : []),
      ],
      series: [{}, ...this.channels.map((c, i): uPlot.Series => ({
        scale: angles.unit(c), stroke: colour(i), width: 1.6, pxAlign: 0, points: {show: false}, show: !this.hidden.has(c.name),
        spanGaps: false,
      }))],
      hooks: {
        setSelect: [(u) => {
          if (u.select.width < 4) return;
          zoom.set([u.posToVal(u.select.left, 'x'), u.posToVal(u.select.left + u.select.width, 'x')]);
          u.setSelect({left: 0, top: 0, width: 0, height: 0}, false);
        }],
        setCursor: [(u) => clock.look(u.cursor.left! >= 0 ? u.posToVal(u.cursor.left!, 'x') : null)],
      },
    };
    this.holder.replaceChildren();
    this.chart = new uPlot(options, data as uPlot.AlignedData, this.holder);
    this.chart.over.append(this.marker);
    this.chart.over.addEventListener('click', () => {
      const left = this.chart?.cursor.left ?? -1;
      if (left >= 0) clock.seek(this.chart!.posToVal(left, 'x'));
    });
  }
}

// A little room above and below, and a flat line in the middle; a spread that is only rounding is flat.
function padded(_: uPlot, low: number | null, high: number | null): [number, number] {
  if (low === null || high === null) return [-1, 1];
  const size = Math.max(Math.abs(low), Math.abs(high)), spread = high - low;
  if (spread <= 1e-6 * size || size === 0) {
    const half = size > 0 ? 0.1 * size : 1;
    return [low - half, high + half];
  }
  return [low - 0.08 * spread, high + 0.08 * spread];
}
