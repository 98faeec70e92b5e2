// curves.ts: one chart of curves y over x: a colour for each level, solid for the first tyre, dashed for the second.
import {make, nice_step, number_text} from './format';
import {on_theme, Theme, theme} from './theme';

export interface Curve {
  tyre: number;
  level: number;
  x: (number | null)[];
  y: (number | null)[];
}

export interface Chart {
  title: string;
  x: {name: string; unit: string};
  y: {name: string; unit: string};
  equal?: boolean;  // one scale for both axes, and curves that turn back
  levels: string[];
  curves: Curve[];
}

// Which tyres are drawn: the same in all charts.
export class Shown {
  private readonly on: boolean[];
  private readonly listeners: (() => void)[] = [];
  constructor(tyres: number) {
    this.on = Array<boolean>(tyres).fill(true);
  }
  has(tyre: number): boolean {
    return this.on[tyre];
  }
  toggle(tyre: number): boolean {
    this.on[tyre] = !this.on[tyre];
    for (const listener of this.listeners) listener();
    return this.on[tyre];
  }
  on_change(listener: () => void): void {
    this.listeners.push(listener);
  }
}

interface Frame {
  width: number;
  height: number;
  left: number;
  right: number;
  top: number;
  bottom: number;
  x: [number, number];
  y: [number, number];
  px: (x: number) => number;
  py: (y: number) => number;
  to_x: (px: number) => number;
}

const label = (axis: {name: string; unit: string}) => (axis.unit === '1' ? axis.name : `${axis.name} [${axis.unit}]`);

const level_text = (name: string) => name.replace(/-(?=\d)/, '−');

const finite = (v: number | null): v is number => v !== null && isFinite(v);

function extent(values: Iterable<number | null>): [number, number] {
  let low = Infinity, high = -Infinity;
  for (const v of values) if (finite(v)) [low, high] = [Math.min(low, v), Math.max(high, v)];
  return low <= high ? [low, high] : [-1, 1];
}

// y of a curve at x; its xs rise. null: beyond its ends.
export function value_at(curve: Curve, x: number): number | null {
  const {x: xs, y: ys} = curve;
  for (let i = 1; i < xs.length; i++) {
    const [a, b, ya, yb] = [xs[i - 1], xs[i], ys[i - 1], ys[i]];
    if (!finite(a) || !finite(b) || !finite(ya) || !finite(yb) || x < a || x > b) continue;
    return b > a ? ya + (yb - ya) * (x - a) / (b - a) : ya;
  }
  return null;
}

export class CurvePlot {
  readonly root: HTMLElement;
  private readonly canvas = make('canvas');
  private readonly holder: HTMLElement;
  private readonly readout = make('div', {class: 'readout'});  // what is under the pointer
  private readonly hidden = new Set<number>();  // levels
  private zoom: [number, number] | null = null;
  private pointer: {x: number; y: number} | null = null;
  private drag: number | null = null;  // where it began [px]
  private waiting = false;

  constructor(readonly chart: Chart, private readonly shown: Shown) {
    this.holder = make('div', {class: 'chart'}, this.canvas, this.readout);
    this.readout.hidden = true;
    const keys = chart.levels.map((name, i) => {
      const key = make('button', {type: 'button', class: 'key', style: `--series: var(--s${i % 8 + 1})`},
        make('i', {style: 'background: var(--series)'}), make('span', {}, level_text(name)));
      key.addEventListener('click', () => {
        if (!this.hidden.delete(i)) this.hidden.add(i);
        key.classList.toggle('off', this.hidden.has(i));
        this.update();
      });
      return key;
    });
    this.root = make('article', {class: 'plot'}, make('header', {}, make('h3', {}, chart.title)),
      make('div', {class: 'legend'}, ...keys), this.holder);
    new ResizeObserver(() => this.update()).observe(this.holder);
    on_theme(() => this.update());
    shown.on_change(() => this.update());
    this.listen();
  }

  // Curves that are drawn.
  visible(): Curve[] {
    return this.chart.curves.filter((c) => this.shown.has(c.tyre) && !this.hidden.has(c.level));
  }

  private listen(): void {
    const {canvas} = this;
    const at = (e: MouseEvent) => ({x: e.offsetX, y: e.offsetY});
    canvas.addEventListener('pointermove', (e) => { this.pointer = at(e); this.update(); });
    canvas.addEventListener('pointerleave', () => { this.pointer = null; this.drag = null; this.update(); });
    canvas.addEventListener('pointerdown', (e) => { if (!this.chart.equal && e.pointerType === 'mouse') this.drag = e.offsetX; });
    canvas.addEventListener('pointerup', (e) => {
      const begin = this.drag;
      this.drag = null;
      if (begin === null || Math.abs(e.offsetX - begin) < 5) return;
      const f = this.frame(), ends = [f.to_x(begin), f.to_x(e.offsetX)].sort((a, b) => a - b);
      this.zoom = [Math.max(ends[0], f.x[0]), Math.min(ends[1], f.x[1])];
      this.update();
    });
    canvas.addEventListener('dblclick', () => { this.zoom = null; this.update(); });
  }

  // At most one drawing for each picture of the screen.
  private update(): void {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => { this.waiting = false; this.draw(); });
  }

  private ranges(): {x: [number, number]; y: [number, number]} {
    const curves = this.visible().length > 0 ? this.visible() : this.chart.curves;
    const x = this.zoom ?? extent(curves.flatMap((c) => c.x));
    const inside = curves.flatMap((c) => this.zoom ? c.y.filter((_, i) => finite(c.x[i]) && c.x[i]! >= x[0] && c.x[i]! <= x[1]) : c.y);
    const [low, high] = extent(inside), size = Math.max(Math.abs(low), Math.abs(high));
    const flat = high - low <= 1e-6 * size || size === 0, room = flat ? (size > 0 ? 0.1 * size : 1) : 0.06 * (high - low);
    return {x: x[1] > x[0] ? x : [x[0] - 1, x[1] + 1], y: [low - room, high + room]};
  }

  private frame(): Frame {
    const width = this.holder.clientWidth, height = this.holder.clientHeight;
    const {x, y} = this.ranges();
    const left = 62, right = width - 14, top = 8, bottom = height - 40;
    let sx = (right - left) / (x[1] - x[0]), sy = (bottom - top) / (y[1] - y[0]);
    if (this.chart.equal) sx = sy = 0.94 * Math.min(sx, sy);
    const cx = (x[0] + x[1]) / 2, cy = (y[0] + y[1]) / 2, mx = (left + right) / 2, my = (top + bottom) / 2;
    const to_x = (p: number) => cx + (p - mx) / sx, to_y = (p: number) => cy - (p - my) / sy;
    return {
      width, height, left, right, top, bottom, x: [to_x(left), to_x(right)], y: [to_y(bottom), to_y(top)], to_x,
      px: (v) => mx + (v - cx) * sx, py: (v) => my - (v - cy) * sy,
    };
  }

  private draw_axes(g: CanvasRenderingContext2D, f: Frame, colours: Theme): void {
    g.font = `12px ${getComputedStyle(document.body).fontFamily}`;
    g.fillStyle = colours.faint;
    g.lineWidth = 1;
    const rule = (x0: number, y0: number, x1: number, y1: number, strong: boolean) => {
      g.strokeStyle = colours.grid;
      if (strong) g.strokeStyle = colours.faint;
      g.globalAlpha = strong ? 0.55 : 1;
      g.beginPath();
      g.moveTo(Math.round(x0) + 0.5, Math.round(y0) + 0.5);
      g.lineTo(Math.round(x1) + 0.5, Math.round(y1) + 0.5);
      g.stroke();
      g.globalAlpha = 1;
    };
    const step_x = nice_step((f.x[1] - f.x[0]) * 64 / (f.right - f.left)), step_y = nice_step((f.y[1] - f.y[0]) * 34 / (f.bottom - f.top));
    g.textAlign = 'center';
    g.textBaseline = 'top';
    for (let k = Math.ceil(f.x[0] / step_x - 1e-9); k * step_x <= f.x[1] + 1e-9 * step_x; k++) {
      rule(f.px(k * step_x), f.top, f.px(k * step_x), f.bottom, k === 0);
      g.fillText(number_text(k * step_x), f.px(k * step_x), f.bottom + 6);
    }
    g.textAlign = 'right';
    g.textBaseline = 'middle';
    for (let k = Math.ceil(f.y[0] / step_y - 1e-9); k * step_y <= f.y[1] + 1e-9 * step_y; k++) {
      rule(f.left, f.py(k * step_y), f.right, f.py(k * step_y), k === 0);
      g.fillText(number_text(k * step_y), f.left - 6, f.py(k * step_y));
    }
    g.textAlign = 'center';
    g.textBaseline = 'bottom';
    g.fillText(label(this.chart.x), (f.left + f.right) / 2, f.height - 2);
    g.save();
    g.translate(12, (f.top + f.bottom) / 2);
    g.rotate(-Math.PI / 2);
    g.textBaseline = 'middle';
    g.fillText(label(this.chart.y), 0, 0);
    g.restore();
  }

  private draw_curve(g: CanvasRenderingContext2D, f: Frame, c: Curve, colour: string): void {
    g.strokeStyle = colour;
    g.lineWidth = 1.8;
    g.lineJoin = 'round';
    g.setLineDash(c.tyre > 0 ? [6, 4] : []);
    g.beginPath();
    let gap = true;
    c.x.forEach((x, i) => {
      const y = c.y[i];
      if (!finite(x) || !finite(y)) gap = true;
      else if (gap) { g.moveTo(f.px(x), f.py(y)); gap = false; }
      else g.lineTo(f.px(x), f.py(y));
    });
    g.stroke();
    g.setLineDash([]);
  }

  private dot(g: CanvasRenderingContext2D, x: number, y: number, colour: string, panel: string): void {
    g.beginPath();
    g.arc(x, y, 3.5, 0, 2 * Math.PI);
    g.fillStyle = colour;
    g.fill();
    g.lineWidth = 1.5;
    g.strokeStyle = panel;
    g.stroke();
  }

  // A box in the half that the pointer is not in: where it is, then a line for each level.
  private show_tip(where: string, rows: {level: number; text: string}[]): void {
    this.readout.hidden = false;
    this.readout.classList.toggle('right', this.pointer!.x < this.holder.clientWidth / 2);
    this.readout.replaceChildren(make('div', {class: 'where'}, where), ...rows.map(({level, text}) =>
      make('div', {class: 'line'}, make('i', {style: `background: var(--s${level % 8 + 1})`}),
        make('span', {}, level_text(this.chart.levels[level])), make('span', {class: 'reading'}, text))));
  }

  // Values of all curves at the pointer's x, or of the nearest point where curves turn back.
  private read(g: CanvasRenderingContext2D, f: Frame, colours: Theme): void {
    const colour = (c: Curve) => colours.series[c.level % colours.series.length];
    const unit = (axis: {unit: string}) => (axis.unit === '1' ? '' : ` ${axis.unit}`);
    this.readout.hidden = true;
    if (!this.pointer) return;
    if (this.chart.equal) {
      const found = this.nearest(f, this.pointer);
      if (!found) return;
      this.dot(g, f.px(found.x), f.py(found.y), colour(found.c), colours.panel);
      const {x, y} = this.chart;
      this.show_tip(`${x.name} ${number_text(found.x, 4)}, ${y.name} ${number_text(found.y, 4)}${unit(y)}`, [{level: found.c.level, text: ''}]);
      return;
    }
    const x = f.to_x(this.pointer.x);
    if (x < f.x[0] || x > f.x[1]) return;
    g.strokeStyle = colours.faint;
    g.setLineDash([3, 3]);
    g.lineWidth = 1;
    g.beginPath();
    g.moveTo(this.pointer.x, f.top);
    g.lineTo(this.pointer.x, f.bottom);
    g.stroke();
    g.setLineDash([]);
    const texts: string[][] = this.chart.levels.map(() => []);
    for (const c of this.visible()) {
      const y = value_at(c, x);
      if (y === null) continue;
      texts[c.level].push(number_text(y, 4));
      this.dot(g, f.px(x), f.py(y), colour(c), colours.panel);
    }
    this.show_tip(`at ${number_text(x, 3)}${unit(this.chart.x)}`, texts
      .map((values, level) => ({level, text: values.join(' / ') + unit(this.chart.y)})).filter((_, i) => texts[i].length > 0));
  }

  private nearest(f: Frame, to: {x: number; y: number}): {c: Curve; x: number; y: number} | null {
    let best: {c: Curve; x: number; y: number} | null = null, least = 40 ** 2;
    for (const c of this.visible()) {
      for (let i = 0; i < c.x.length; i++) {
        const x = c.x[i], y = c.y[i];
        if (!finite(x) || !finite(y)) continue;
        const d = (f.px(x) - to.x) ** 2 + (f.py(y) - to.y) ** 2;
        if (d < least) [least, best] = [d, {c, x, y}];
      }
    }
    return best;
  }

  private draw(): void {
    const f = this.frame();
    if (f.right - f.left < 20 || f.bottom - f.top < 20) return;
    const colours = theme(), dense = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(f.width * dense);
    this.canvas.height = Math.round(f.height * dense);
    const g = this.canvas.getContext('2d')!;
    g.scale(dense, dense);
    this.draw_axes(g, f, colours);
    g.save();
    g.beginPath();
    g.rect(f.left, f.top, f.right - f.left, f.bottom - f.top);
    g.clip();
    for (const c of this.visible()) this.draw_curve(g, f, c, colours.series[c.level % colours.series.length]);
    if (this.drag !== null && this.pointer) {
      g.fillStyle = colours.faint;
      g.globalAlpha = 0.15;
      g.fillRect(Math.min(this.drag, this.pointer.x), f.top, Math.abs(this.pointer.x - this.drag), f.bottom - f.top);
      g.globalAlpha = 1;
    }
    this.read(g, f, colours);
    g.restore();
  }
}
