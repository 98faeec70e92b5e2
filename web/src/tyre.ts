// tyre.ts: the page of `jounce tyre`: curves of one tyre, or of two, and what their files say.
import {Chart, CurvePlot, Shown} from './curves';
import {make, number_text} from './format';

// As src/report/report_tyre.c writes it.
interface Figure {
  key: string;
  name: string;
  unit: string;
  value: number;
}

interface Entry {
  origin: 'read' | 'set' | 'default' | 'unused' | 'unknown';
  section: string;
  key: string | null;   // null: the whole section
  text: string | null;  // of an unknown one, as written
  value: number | null;
  unit: string;
  line: number;  // 0: not from the file
}

interface Tyre {
  name: string;
  file: string | null;
  kind: string;
  version: number;
  side: string;
  use: string;
  figures: Figure[];
  entries: Entry[];
}

export interface TyreAbout {
  version: string;
  tyre: {tyres: Tyre[]; sections: {title: string; charts: Chart[]}[]};
}

const plain = (unit: string) => (unit === '1' ? '' : unit);

const law = (t: Tyre) =>
  t.version ? `Magic Formula ${Math.floor(t.version / 10)}.${t.version % 10}` : t.kind;

// One row for each name, one column for each tyre.
function table(title: string, rows: [string, string[], string][]): HTMLElement {
  return make('section', {class: 'facts'}, make('h3', {}, title), make('table', {}, make('tbody', {}, ...rows.map(([name, values, unit]) =>
    make('tr', {}, make('td', {}, name), ...values.map((v) => make('td', {class: 'number'}, v)), make('td', {class: 'unit'}, unit))))));
}

function figures(tyres: Tyre[]): HTMLElement {
  const names = new Map<string, Figure>();
  for (const t of tyres) for (const f of t.figures) if (!names.has(f.key)) names.set(f.key, f);
  const value = (t: Tyre, key: string) => t.figures.find((f) => f.key === key)?.value;
  return table('Upright, at the nominal load', [...names.values()].map((f) =>
    [f.name, tyres.map((t) => number_text(value(t, f.key), 4)), plain(f.unit)]));
}

function identity(t: Tyre, dashed: boolean, several: boolean): HTMLElement {
  const rows: [string, string][] = [['law', law(t)], ['measured on', t.side], ['computes', t.use]];
  if (t.file) rows.unshift(['file', t.file]);
  return make('section', {class: 'facts'},
    make('h3', {class: 'tyre-name'}, several ? make('i', {class: dashed ? 'dash' : 'line'}) : null, t.name),
    make('dl', {}, ...rows.filter(([, v]) => v).flatMap(([k, v]) => [make('dt', {}, k), make('dd', {}, v)])));
}

// ---- what the files say -----------------------------------------------------------------------------

const titles: [Entry['origin'], string][] = [
  ['read', 'Read from the file'],
  ['set', 'Set in place of the file\'s'],
  ['default', 'Not given, and taken as'],
  ['unused', 'Given, but no formula here uses it'],
  ['unknown', 'Not known here, ignored'],
];

const entry_value = (e: Entry) => e.value === null ? e.text ?? '' : [number_text(e.value, 7), plain(e.unit)].join(' ').trim();

function entry_list(list: Entry[]): HTMLElement {
  return make('div', {class: 'entries'}, ...list.map((e) => make('div', {
    class: 'entry', title: [e.section, e.line ? `line ${e.line}` : ''].filter(Boolean).join(', ')},
    make('span', {class: 'name'}, e.key ?? `[${e.section}]`), make('span', {class: 'value'}, entry_value(e)))));
}

function details(title: string, count: number, open: boolean, content: HTMLElement): HTMLDetailsElement {
  const root = make('details', {class: 'group'},
    make('summary', {}, make('h2', {}, title), make('span', {class: 'count'}, String(count))), content);
  root.open = open;
  return root;
}

function entries(t: Tyre, several: boolean): HTMLElement[] {
  return titles.map(([origin, title]) => ({title, list: t.entries.filter((e) => e.origin === origin)}))
    .filter(({list}) => list.length > 0)
    .map(({title, list}) => details(several ? `${t.name}: ${title.toLowerCase()}` : title, list.length, false, entry_list(list)));
}

// Keys of two tyres whose values differ.
function differences(a: Tyre, b: Tyre): HTMLElement | null {
  const other = new Map(b.entries.filter((e) => e.value !== null).map((e) => [e.key, e]));
  const rows: [string, string[], string][] = [];
  for (const e of a.entries) {
    const o = other.get(e.key);
    if (e.value !== null && o && o.value !== e.value) rows.push([e.key!, [number_text(e.value, 6), number_text(o.value, 6)], plain(e.unit)]);
  }
  if (rows.length === 0) return null;
  return details('Values that differ', rows.length, false, table(`${a.name}, ${b.name}`, rows));
}

// ---- the page -----------------------------------------------------------------------------------------

export function show_tyre(about: TyreAbout): void {
  const {tyres, sections} = about.tyre, several = tyres.length > 1;
  const shown = new Shown(tyres.length);
  const title = tyres.map((t) => t.name).join(' and ');
  document.title = `${title} · jounce`;
  document.body.classList.add('still', 'tyre');

  const root = make('main', {class: 'plots'});
  const jumps = make('nav', {class: 'jumps', 'aria-label': 'Sections'});
  const keys = make('div', {class: 'tyre-keys'});
  if (several) keys.append(...tyres.map((t, i) => {
    const key = make('button', {type: 'button', class: 'key', title: t.file ?? ''}, make('i', {class: i ? 'dash' : 'line'}), make('span', {}, t.name));
    key.addEventListener('click', () => key.classList.toggle('off', !shown.toggle(i)));
    return key;
  }));
  root.append(make('div', {class: 'bar'}, jumps, make('span', {class: 'spring'}), keys));
  const plots: CurvePlot[] = [];
  for (const section of sections) {
    const grid = make('div', {class: 'grid wide'});
    const group = details(section.title, section.charts.length, true, grid);
    for (const chart of section.charts) {
      const plot = new CurvePlot(chart, shown);
      plots.push(plot);
      grid.append(plot.root);
    }
    const jump = make('button', {type: 'button', class: 'text'}, section.title);
    jump.addEventListener('click', () => {
      group.open = true;
      group.scrollIntoView({behavior: 'smooth', block: 'start'});
    });
    jumps.append(jump);
    root.append(group);
  }
  const different = several ? differences(tyres[0], tyres[1]) : null;
  if (different) root.append(different);
  for (const t of tyres) root.append(...entries(t, several));

  const side = make('aside', {class: 'side'}, make('div', {class: 'summary'},
    ...tyres.map((t, i) => identity(t, i > 0, several)), figures(tyres)));
  document.body.append(
    make('header', {class: 'top'},
      make('div', {class: 'titles'}, make('h1', {}, title), make('p', {}, tyres.map(law).join(' · '))),
      make('span', {class: 'mark'}, `jounce ${about.version}`)),
    make('div', {class: 'columns'}, side, root));
  // For the browser's console, and for tests.
  Object.assign(window, {jounce: {about, plots, shown}});
}
