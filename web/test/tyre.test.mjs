// The page that `jounce tyre` writes, in a browser: JOUNCE names the command. Every value is compared with the table of
// `jounce tyre --at`, which the page does not read.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, test} from 'node:test';
import {fileURLToPath} from 'node:url';
import {close_page, frames, open_browser, open_page} from './browser.mjs';

const jounce = process.env.JOUNCE;
const data = fileURLToPath(new URL('../../test/tir/data/', import.meta.url));
const [newer, older] = ['every_coefficient_61.tir', 'every_coefficient_52.tir'].map((name) => join(data, name));
const folder = mkdtempSync(join(tmpdir(), 'jounce-tyre-'));

let browser;
before(async () => { browser = await open_browser(); });
after(async () => {
  await browser?.close();
  rmSync(folder, {recursive: true});
});

function page_of(name, ...options) {
  const out = join(folder, `${name}.html`);
  execFileSync(jounce, ['tyre', ...options, '--out', out]);
  return out;
}

// Forces at points, each an object of the columns' names.
function forces(file, points) {
  const csv = join(folder, 'points.csv'), names = ['kappa', 'alpha_rad', 'gamma_rad', 'Fz_N', 'p_Pa', 'vx_mps'];
  writeFileSync(csv, [names, ...points.map((p) => names.map((n) => p[n] ?? ''))].map((row) => row.join(',')).join('\n'));
  const [head, ...rows] = execFileSync(jounce, ['tyre', file, '--at', csv], {encoding: 'utf8'}).trim().split('\n').map((l) => l.split(','));
  return rows.map((row) => Object.fromEntries(head.map((n, i) => [n, Number(row[i])])));
}

const nominal = {kappa: 0, alpha_rad: 0, gamma_rad: 0, Fz_N: 4000, vx_mps: 16.7};
const DEGREE = Math.PI / 180;

const charts = (page) => page.evaluate(() => window.jounce.about.tyre.sections.flatMap((s) => s.charts));

function near(found, wanted, size, what) {
  assert.ok(Math.abs(found - wanted) <= 1e-7 * size, `${what}: ${found}, not ${wanted}`);
}

// Pixels of a plot that have about the colour of a level.
const pixels = (page, title, level) => page.evaluate(([wanted, i]) => {
  const plot = window.jounce.plots.find((p) => p.chart.title === wanted), canvas = plot.root.querySelector('canvas');
  const style = getComputedStyle(document.documentElement).getPropertyValue(`--s${i + 1}`).trim();
  const rgb = [1, 3, 5].map((k) => parseInt(style.slice(k, k + 2), 16));
  const copy = Object.assign(document.createElement('canvas'), {width: canvas.width, height: canvas.height});
  const g = copy.getContext('2d', {willReadFrequently: true});
  g.drawImage(canvas, 0, 0);
  const {data: bytes} = g.getImageData(0, 0, copy.width, copy.height);
  let n = 0;
  for (let k = 0; k < bytes.length; k += 4)
    n += bytes[k + 3] > 200 && rgb.every((c, q) => Math.abs(bytes[k + q] - c) < 12);
  return n;
}, [title, level]);

test('curves are the forces of the tyre', async () => {
  const page = await open_page(browser, page_of('one', newer));
  const all = await charts(page);
  const sweeps = [
    ['Fx over slip, by load', 'Fx', 3, (x) => ({...nominal, kappa: x, Fz_N: 6000})],
    ['Fy over slip angle, by load', 'Fy', 1, (x) => ({...nominal, alpha_rad: x * DEGREE, Fz_N: 2000})],
    ['Fy over slip angle, by camber', 'Fy', 4, (x) => ({...nominal, alpha_rad: x * DEGREE, gamma_rad: 6 * DEGREE})],
    ['Aligning Mz over slip angle, by camber', 'Mz', 0, (x) => ({...nominal, alpha_rad: x * DEGREE, gamma_rad: -6 * DEGREE})],
    ['Overturning Mx over slip angle, by load', 'Mx', 2, (x) => ({...nominal, alpha_rad: x * DEGREE})],
    ['Rolling resistance My over speed, by load', 'My', 2, (x) => ({...nominal, vx_mps: x})],
    ['Fx over slip, by slip angle', 'Fx', 3, (x) => ({...nominal, kappa: x, alpha_rad: 8 * DEGREE})],
    ['Fy over slip, by slip angle', 'Fy', 4, (x) => ({...nominal, kappa: x, alpha_rad: 12 * DEGREE})],
    ['Fy over slip angle, by pressure', 'Fy', 0, (x) => ({...nominal, alpha_rad: x * DEGREE, p_Pa: 170e3})],
  ];
  for (const [title, column, level, point] of sweeps) {
    const chart = all.find((c) => c.title === title), curve = chart.curves.find((c) => c.level === level);
    assert.equal(curve.x.length, 161);
    const wanted = forces(newer, curve.x.map(point)), size = Math.max(...wanted.map((w) => Math.abs(w[column])));
    wanted.forEach((w, i) => near(curve.y[i], w[column], size, `${title}, ${chart.levels[level]}, ${curve.x[i]}`));
  }
  await close_page(page);
});

test('the friction ellipse has the forces of a wheel from lock to spin', async () => {
  const page = await open_page(browser, page_of('one', newer));
  const ellipse = (await charts(page)).find((c) => c.equal);
  assert.deepEqual(ellipse.levels, ['α 0°', 'α ±2°', 'α ±4°', 'α ±8°', 'α ±12°']);
  const at_eight = ellipse.curves.filter((c) => c.level === 3);
  assert.equal(at_eight.length, 2);
  const [locked, spun] = forces(newer, [-1, 1].map((kappa) => ({...nominal, kappa, alpha_rad: 8 * DEGREE})));
  const right = at_eight.find((c) => c.y[80] < 0);  // a positive slip angle
  near(right.x[0], locked.Fx, 4000, 'Fx locked');
  near(right.y[0], locked.Fy, 4000, 'Fy locked');
  near(right.x[160], spun.Fx, 4000, 'Fx spun');
  await close_page(page);
});

test('every chart is drawn, every level of it', async () => {
  const page = await open_page(browser, page_of('one', newer));
  await frames(page);
  const all = await charts(page);
  assert.equal(all.length, 21);
  assert.equal(await page.locator('.plot canvas').count(), 21);
  for (const chart of all) {
    // Curves may lie under others, but never all of them.
    const drawn = await Promise.all(chart.levels.map((_, i) => pixels(page, chart.title, i)));
    assert.ok(Math.max(...drawn) > 100, `${chart.title}: ${drawn}`);
    assert.ok(drawn.at(-1) > 60, `${chart.title}: the last level has ${drawn.at(-1)} pixels`);
  }
  await close_page(page);
});

test('a pointer reads all curves, a key hides one', async () => {
  const page = await open_page(browser, page_of('one', newer));
  const title = 'Fy over slip angle, by load';
  const plot = page.locator('.plot', {has: page.locator('h3', {hasText: new RegExp(`^${title}$`)})});
  const box = await plot.locator('canvas').boundingBox();
  await page.mouse.move(box.x + 0.75 * box.width, box.y + box.height / 2);
  await frames(page);
  const lines = plot.locator('.readout .line');
  assert.equal(await lines.count(), 5);
  const at = Number((await plot.locator('.readout .where').textContent()).match(/at ([\d.]+) deg/)[1]);
  const [wanted] = forces(newer, [{...nominal, alpha_rad: at * DEGREE}]);
  const found = Number((await lines.nth(2).locator('.reading').textContent()).replace('−', '-').replace(' N', ''));
  assert.ok(Math.abs(found - wanted.Fy) < 0.01 * Math.abs(wanted.Fy), `${found}, not ${wanted.Fy} at ${at}`);
  assert.ok(await pixels(page, title, 2) > 100);
  await plot.locator('.key').nth(2).click();
  await frames(page);
  assert.ok(await pixels(page, title, 2) < 20);
  await close_page(page);
});

test('two tyres lie over each other, solid and dashed, and differ where their files do', async () => {
  const page = await open_page(browser, page_of('two', newer, '--compare', older));
  const title = 'Fy over slip angle, by load';
  const chart = (await charts(page)).find((c) => c.title === title);
  assert.deepEqual(chart.curves.map((c) => [c.level, c.tyre]), [0, 1, 2, 3, 4].flatMap((l) => [[l, 0], [l, 1]]));
  for (const [i, file] of [newer, older].entries()) {
    const curve = chart.curves.find((c) => c.level === 4 && c.tyre === i);
    const wanted = forces(file, curve.x.map((x) => ({...nominal, alpha_rad: x * DEGREE, Fz_N: 8000})));
    wanted.forEach((w, k) => near(curve.y[k], w.Fy, 8000, `${file} at ${curve.x[k]}`));
  }
  await frames(page);
  const both = await pixels(page, title, 4);
  await page.locator('.tyre-keys .key').nth(0).click();
  await frames(page);
  const dashed = await pixels(page, title, 4);
  await page.locator('.tyre-keys .key').nth(0).click();
  await page.locator('.tyre-keys .key').nth(1).click();
  await frames(page);
  const solid = await pixels(page, title, 4);
  assert.ok(dashed > 30 && dashed < 0.8 * solid && both > solid, `${both} both, ${solid} solid, ${dashed} dashed`);
  // Pressure is for the one that knows it.
  const pressure = (await charts(page)).find((c) => /by pressure/.test(c.title));
  assert.deepEqual([...new Set(pressure.curves.map((c) => c.tyre))], [0]);
  assert.equal(await page.locator('.group h2', {hasText: 'Values that differ'}).count(), 1);
  await close_page(page);
});

test('what the file says is there, with its lines', async () => {
  const page = await open_page(browser, page_of('set', newer, '--set', 'coefficients.LMUY=0.5'));
  const group = page.locator('details.group', {has: page.locator('h2', {hasText: 'Set in place'})});
  await group.locator('summary').click();
  assert.equal(await group.locator('.entry').count(), 1);
  assert.equal(await group.locator('.entry').innerText().then((t) => t.replace(/\s+/g, ' ')), 'LMUY 0.5');
  const read = page.locator('details.group', {has: page.locator('h2', {hasText: 'Read from the file'})});
  await read.locator('summary').click();
  const first = read.locator('.entry', {has: page.locator('.name', {hasText: /^PCX1$/})});
  assert.match(await first.getAttribute('title'), /^LONGITUDINAL_COEFFICIENTS, line \d+$/);
  await close_page(page);
});

test('it fits a telephone and the night', async () => {
  for (const options of [{viewport: {width: 360, height: 740}}, {viewport: {width: 820, height: 1100}, colorScheme: 'dark'}]) {
    const page = await open_page(browser, page_of('two', newer, '--compare', older), options);
    await frames(page);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), options.viewport.width);
    assert.ok(await pixels(page, 'Fx over slip, by load', 2) > 100);
    await close_page(page);
  }
});

test('names are text, whatever they are', async () => {
  const odd = join(folder, '<b>"odd" \\ <script> ä\n.tir');
  execFileSync('cp', [newer, odd]);
  const page = await open_page(browser, page_of('odd', odd));
  assert.match(await page.locator('h1').textContent(), /^<b>"odd"/);
  await close_page(page);
});
