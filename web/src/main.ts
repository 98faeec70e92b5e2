// main.ts: the page: summary, replay and plots of one result; or a tyre (tyre.ts).
import 'uplot/dist/uPlot.min.css';
import './style.css';
import {Clock} from './clock';
import {About, Channel, read_result, Result} from './data';
import {icon, make} from './format';
import {derive_vehicle, Panel, sections, vehicle_body} from './groups';
import {PathPlot} from './path';
import {Picker} from './picker';
import {Angles, Plot, Shared, Zoom} from './plot';
import {Replay} from './replay';
import {summary} from './summary';
import {transport} from './transport';
import {show_tyre, TyreAbout} from './tyre';

function head(result: Result): HTMLElement {
  const {about} = result;
  return make('header', {class: 'top'},
    make('div', {class: 'titles'}, make('h1', {}, about.model ?? about.source),
      make('p', {}, [about.scenario, about.source].filter(Boolean).join(' · '))),
    make('span', {class: 'mark'}, `jounce ${about.version}`));
}

function notes(result: Result): HTMLElement | null {
  const {about} = result, lines = [...about.notes];
  const thinned = (what: string, t: {count: number; of: number; every: number}) => {
    if (t.every > 1) lines.push(`${what} shows every ${t.every}th row: ${t.count} of ${t.of}. Largest values are those of all rows.`);
  };
  thinned('This report', about.rows);
  if (about.motion && about.motion.every > about.rows.every) thinned('The replay', about.motion);
  if (about.channels_left_out > 0) lines.push(`${about.channels_left_out} further channels of the result are not in this report.`);
  if (lines.length === 0) return null;
  return make('ul', {class: 'notes'}, ...lines.map((l) => make('li', {}, l)));
}

function plots(shared: Shared, vehicle: string | null): HTMLElement {
  const picker = new Picker(shared.result);
  const root = make('main', {class: 'plots'});
  const edit = (plot: Plot) => picker.open(plot.channels, (channels) => plot.show(channels));
  const draw = (panel: Panel): HTMLElement => panel.path
    ? new PathPlot(shared, panel.title, panel.channels[0], panel.channels[1]).root
    : new Plot(shared, panel, {edit}).root;

  const own = make('div', {class: 'grid'});
  const own_section = make('section', {class: 'group'}, make('h2', {}, 'Own plots'), own);
  own_section.hidden = true;
  const add = make('button', {type: 'button', class: 'text strong'}, icon('plus'), 'New plot');
  add.addEventListener('click', () => {
    let plot: Plot | null = null;
    picker.open([], (channels: Channel[]) => {
      if (plot) return plot.show(channels);
      plot = new Plot(shared, {title: `Plot ${own.childElementCount + 1}`, channels}, {
        edit, remove: (p) => { p.root.remove(); own_section.hidden = own.childElementCount === 0; }});
      own.append(plot.root);
      own_section.hidden = false;
    });
  });
  const reset = make('button', {type: 'button', class: 'text'}, icon('reset'), 'Whole time');
  reset.addEventListener('click', () => shared.zoom.set(null));
  reset.hidden = true;
  shared.zoom.on_change(() => { reset.hidden = shared.zoom.range === null; });

  const degrees = make('button', {type: 'button', class: 'text', title: 'Angles in degrees', 'aria-pressed': 'false'}, 'deg');
  degrees.addEventListener('click', () => {
    shared.angles.set(!shared.angles.degrees);
    degrees.setAttribute('aria-pressed', String(shared.angles.degrees));
  });

  const list = sections(shared.result, vehicle);
  const jumps = make('nav', {class: 'jumps', 'aria-label': 'Sections'});
  root.append(make('div', {class: 'bar'}, jumps, make('span', {class: 'spring'}), reset, degrees, add), own_section);
  for (const section of list) {
    const grid = make('div', {class: 'grid'});
    const group = make('details', {class: 'group'},
      make('summary', {}, make('h2', {}, section.title), make('span', {class: 'count'}, String(section.panels.length))), grid);
    let filled = false;
    const fill = () => {
      if (filled || !group.open) return;
      filled = true;
      grid.append(...section.panels.map(draw));
    };
    group.addEventListener('toggle', fill);
    group.open = section.open;
    fill();
    const jump = make('button', {type: 'button', class: 'text'}, section.title);
    jump.addEventListener('click', () => {
      group.open = true;
      group.scrollIntoView({behavior: 'smooth', block: 'start'});
    });
    jumps.append(jump);
    root.append(group);
  }
  root.append(picker.root);
  return root;
}

function start(): void {
  const told_about = JSON.parse(document.getElementById('about')!.textContent!) as About | TyreAbout;
  if ('tyre' in told_about) return show_tyre(told_about);
  const result = read_result(told_about), {about} = result;
  document.title = `${about.model ?? about.source} · jounce`;
  const vehicle = vehicle_body(about.scene);
  if (vehicle) derive_vehicle(result, vehicle);
  const time = result.motion?.time ?? result.time;
  const clock = new Clock(time[0] ?? 0, time[time.length - 1] ?? 0);
  const shared: Shared = {result, clock, zoom: new Zoom(), angles: new Angles()};

  const side = make('aside', {class: 'side'});
  let replay: Replay | null = null;
  if (result.motion && about.scene) {
    try {
      replay = new Replay(result, clock, vehicle);
      side.append(make('div', {class: 'stage'}, replay.root, transport(clock, result, replay)));
    } catch (error) {  // no WebGL: the plots are still worth having
      side.append(make('p', {class: 'notes'}, `The replay cannot be shown: ${(error as Error).message}`));
    }
  }
  const noted = notes(result);
  side.append(summary(result, clock, vehicle));
  if (noted) side.append(noted);
  document.body.classList.toggle('still', !replay);
  document.body.append(head(result), make('div', {class: 'columns'}, side, plots(shared, vehicle)));
  // For the browser's console, and for tests.
  Object.assign(window, {jounce: {result, clock, zoom: shared.zoom, replay}});
}

start();
