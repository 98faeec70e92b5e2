// path.ts: where something went, seen from above: y over x on one scale.
import {Channel, nearest_index} from './data';
import {make, nice_step, number_text} from './format';
import {Shared} from './plot';
import {on_theme, theme} from './theme';

export class PathPlot {
  readonly root: HTMLElement;
  private readonly canvas = make('canvas');
  private readonly holder: HTMLElement;
  private readonly reading = make('span', {class: 'reading'});

  constructor(private readonly shared: Shared, title: string,
              private readonly x: Channel, private readonly y: Channel) {
    this.holder = make('div', {class: 'chart'}, this.canvas);
    this.root = make('article', {class: 'plot'}, make('header', {}, make('h3', {}, title)),
      make('div', {class: 'legend'}, make('span', {class: 'key'}, make('span', {}, `${x.name}, ${y.name}`), this.reading)),
      this.holder);
    new ResizeObserver(() => this.draw()).observe(this.holder);
    shared.clock.on_change(() => this.draw());
    on_theme(() => this.draw());
    this.canvas.addEventListener('pointermove', (e) => this.shared.clock.look(this.time_near(e)));
    this.canvas.addEventListener('pointerleave', () => this.shared.clock.look(null));
    this.canvas.addEventListener('click', (e) => this.shared.clock.seek(this.time_near(e)));
  }

  private frame() {
    const width = this.holder.clientWidth, height = this.holder.clientHeight;
    const room = {left: 52, right: 14, top: 8, bottom: 28};
    const [x0, x1, y0, y1] = [this.x.min ?? 0, this.x.max ?? 1, this.y.min ?? 0, this.y.max ?? 1];
    const across = width - room.left - room.right, up = height - room.top - room.bottom;
    const spread = Math.max(x1 - x0, y1 - y0, 20);  // [m]: a path of millimetres is standing
    const scale = Math.min(across / Math.max(x1 - x0, 0.05 * spread), up / Math.max(y1 - y0, 0.05 * spread)) * 0.9;
    const cx = (x0 + x1) / 2, cy = (y0 + y1) / 2;
    return {
      width, height, room, scale, across, up, cx, cy,
      px: (x: number) => room.left + across / 2 + (x - cx) * scale,
      py: (y: number) => room.top + up / 2 - (y - cy) * scale,
    };
  }

  private time_near(e: PointerEvent | MouseEvent): number {
    const f = this.frame(), xs = this.x.values(), ys = this.y.values();
    let best = 0, least = Infinity;
    for (let i = 0; i < xs.length; i++) {
      const d = (f.px(xs[i]) - e.offsetX) ** 2 + (f.py(ys[i]) - e.offsetY) ** 2;
      if (d < least) [least, best] = [d, i];
    }
    return this.shared.result.time[best];
  }

  private draw(): void {
    const f = this.frame();
    if (f.width <= 0 || f.height <= 0) return;
    const colours = theme(), dense = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(f.width * dense);
    this.canvas.height = Math.round(f.height * dense);
    const g = this.canvas.getContext('2d')!;
    g.scale(dense, dense);
    g.font = `12px ${getComputedStyle(document.body).fontFamily}`;
    g.fillStyle = colours.faint;
    g.strokeStyle = colours.grid;
    const right = f.room.left + f.across, bottom = f.room.top + f.up, step = nice_step(64 / f.scale);
    g.beginPath();
    g.textAlign = 'center';
    g.textBaseline = 'top';
    const x_low = f.cx - f.across / 2 / f.scale, x_high = f.cx + f.across / 2 / f.scale;
    let label_end = '';
    for (let k = Math.ceil(x_low / step); k * step <= x_high; k++) {
      g.moveTo(f.px(k * step), f.room.top);
      g.lineTo(f.px(k * step), bottom);
      label_end = (k + 1) * step > x_high ? ' m' : '';
      g.fillText(number_text(k * step) + label_end, f.px(k * step), bottom + 8);
    }
    g.textAlign = 'right';
    g.textBaseline = 'middle';
    const y_low = f.cy - f.up / 2 / f.scale, y_high = f.cy + f.up / 2 / f.scale;
    const step_y = nice_step(34 / f.scale);
    for (let k = Math.ceil(y_low / step_y); k * step_y <= y_high; k++) {
      g.moveTo(f.room.left, f.py(k * step_y));
      g.lineTo(right, f.py(k * step_y));
      g.fillText(number_text(k * step_y), f.room.left - 8, f.py(k * step_y));
    }
    g.stroke();
    const xs = this.x.values(), ys = this.y.values();
    const row = nearest_index(this.shared.result.time, this.shared.clock.now);
    const line = (from: number, to: number, width: number, colour: string) => {
      const stride = Math.max(1, Math.floor((to - from) / 4000));
      g.beginPath();
      for (let i = from; i <= to; i += stride) g.lineTo(f.px(xs[i]), f.py(ys[i]));
      g.lineTo(f.px(xs[to]), f.py(ys[to]));
      g.lineWidth = width;
      g.strokeStyle = colour;
      g.lineJoin = 'round';
      g.stroke();
    };
    g.globalAlpha = 0.35;
    line(0, xs.length - 1, 1.6, colours.series[0]);
    g.globalAlpha = 1;
    line(0, row, 2, colours.series[0]);
    g.beginPath();
    g.arc(f.px(xs[row]), f.py(ys[row]), 4.5, 0, 2 * Math.PI);
    g.fillStyle = colours.marker;
    g.fill();
    g.lineWidth = 2;
    g.strokeStyle = colours.panel;
    g.stroke();
    this.reading.textContent = `${number_text(xs[row], 4)}, ${number_text(ys[row], 4)} m`;
  }
}
