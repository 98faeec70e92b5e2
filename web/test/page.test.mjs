// The page that `jounce plot` writes, in a browser: JOUNCE names the command. Every number is compared with the
// run's CSV record, which the page does not read.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, test} from 'node:test';
import {fileURLToPath} from 'node:url';
import {close_page, frames, open_browser, open_page} from './browser.mjs';

const jounce = process.env.JOUNCE;
const models = fileURLToPath(new URL('../../models/', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'jounce-page-'));
const SINGLE = 2 ** -24;  // what rounding to 4 bytes changes, relative

let browser;
before(async () => { browser = await open_browser(); });
after(async () => {
  await browser?.close();
  rmSync(folder, {recursive: true});
});

// ---- results ----------------------------------------------------------------------------------------

function run(model, ...options) {
  const out = join(folder, model);
  execFileSync(jounce, ['run', `${models}${model}.yaml`, '--out', out, '--record', '*', ...options]);
  return {page: plot(join(out, `${model}.h5`)), csv: read_csv(join(out, `${model}.csv`))};
}

function plot(result, ...options) {
  execFileSync(jounce, ['plot', result, ...options]);
  return result.replace(/\.\w+$/, '.html');
}

function read_csv(file) {
  const lines = readFileSync(file, 'utf8').trim().split('\n').filter((l) => !l.startsWith('#'));
  const names = lines[0].split(',');
  const rows = lines.slice(1).map((l) => l.split(',').map(Number));
  return {names, rows, at: (row, name) => rows[row][names.indexOf(name)]};
}

// ---- pages ------------------------------------------------------------------------------------------

const open = (file, options) => open_page(browser, file, options);
const close = close_page;

// Place and turn of every body, and the time that they belong to.
const poses = (page) => page.evaluate(() => ({
  time: window.jounce.clock.now,
  bodies: window.jounce.replay.bodies.map((b) => ({name: b.name, p: b.position.toArray(), q: b.quaternion.toArray()})),
}));

const seek = async (page, t) => {
  await page.evaluate((time) => window.jounce.clock.seek(time), t);
  await frames(page);
};

function same_pose(shown, csv, row) {
  for (const body of shown.bodies) {
    ['x', 'y', 'z'].forEach((c, i) => {
      const wanted = csv.at(row, `${body.name}.${c}`);
      assert.ok(Math.abs(body.p[i] - wanted) <= 2 * SINGLE * Math.max(1, Math.abs(wanted)), `${body.name}.${c}: ${body.p[i]}, not ${wanted}`);
    });
    // Quaternions of the record are of the body's own axes: here, of bodies that have the vehicle's.
    if (!/^lca|^uca/.test(body.name)) {
      const wanted = ['qx', 'qy', 'qz', 'qw'].map((c) => csv.at(row, `${body.name}.${c}`));
      const dot = wanted.reduce((sum, w, i) => sum + w * body.q[i], 0);
      assert.ok(1 - Math.abs(dot) < 8 * SINGLE, `${body.name} is turned: ${body.q}, not ${wanted}`);
    }
  }
}

// ---- tests ------------------------------------------------------------------------------------------

test('the replay shows the motion of the record', async () => {
  const {page: file, csv} = run('hmmwv', '--without-tyres', '--end', '0.5');
  const page = await open(file);
  for (const row of [0, 123, 500]) {
    await seek(page, csv.at(row, 'time'));
    same_pose(await poses(page), csv, row);
  }
  // Between two rows a body is between its two places.
  const t = (csv.at(40, 'time') + csv.at(41, 'time')) / 2;
  await seek(page, t);
  const z = (await poses(page)).bodies[0].p[2], a = csv.at(40, 'chassis.z'), b = csv.at(41, 'chassis.z');
  assert.ok(Math.abs(z - (a + b) / 2) <= 2 * SINGLE);
  await close(page);
});

test('what is drawn between bodies fits: joints meet, springs have their recorded lengths', async () => {
  const csv = read_csv(join(folder, 'hmmwv', 'hmmwv.csv'));
  const page = await open(join(folder, 'hmmwv', 'hmmwv.html'));
  const row = 321;
  await seek(page, csv.at(row, 'time'));
  const found = await page.evaluate(() => {
    const {replay, result} = window.jounce, {scene} = result.about;
    const place = (body, at) => {
      const cg = scene.bodies[body].cg, group = replay.bodies[body];
      return group.localToWorld(group.position.clone().set(at[0] - cg[0], at[1] - cg[1], at[2] - cg[2]));
    };
    const gap = (j) => place(j.bodies[0], j.at[0]).distanceTo(place(j.bodies[1], j.at[0]));
    return {
      gaps: scene.joints.filter((j) => ['revolute', 'spherical'].includes(j.type)).map((j) => [j.name, gap(j)]),
      lengths: scene.links.map((l) => [l.name, place(l.bodies[0], l.at[0]).distanceTo(place(l.bodies[1], l.at[1]))]),
    };
  });
  assert.equal(found.gaps.length, 16);
  for (const [name, gap] of found.gaps) assert.ok(gap < 1e-6, `${name} has a position error of ${gap}`);
  assert.equal(found.lengths.length, 12);
  for (const [name, length] of found.lengths)
    assert.ok(Math.abs(length - csv.at(row, `force.${name}.length`)) < 1e-6, `${name} is ${length} long`);
  // The coils themselves: one metre long, scaled.
  const coils = await page.evaluate(() => {
    const out = [];
    window.jounce.replay.bodies[0].parent.traverse((o) => { if (/^spring_/.test(o.userData.name ?? '')) out.push([o.userData.name, o.scale.y]); });
    return out;
  });
  assert.equal(coils.length, 4);
  for (const [name, length] of coils) assert.ok(Math.abs(length - csv.at(row, `force.${name}.length`)) < 1e-6);
  await close(page);
});

test('play moves it, pause stops it, the slider and the keys scrub', async () => {
  const page = await open(join(folder, 'hmmwv', 'hmmwv.html'));
  const csv = read_csv(join(folder, 'hmmwv', 'hmmwv.csv'));
  const first = await poses(page);
  await page.keyboard.press('Space');
  await page.waitForFunction(() => window.jounce.clock.now > 0.02);
  await page.keyboard.press('Space');
  await frames(page);
  const second = await poses(page);
  assert.ok(second.time > first.time);
  const row = Math.floor(second.time / 1e-3), part = second.time / 1e-3 - row;
  const wanted = (1 - part) * csv.at(row, 'chassis.z') + part * csv.at(row + 1, 'chassis.z');
  assert.ok(Math.abs(second.bodies[0].p[2] - wanted) <= 2 * SINGLE);
  assert.notDeepEqual(second.bodies, first.bodies);
  await page.waitForTimeout(100);
  assert.deepEqual(await poses(page), second);

  await page.locator('.scrub').fill('0.5');
  await frames(page);
  const half = await poses(page);
  assert.equal(half.time, 0.25);
  same_pose(half, csv, 250);
  await page.keyboard.press('ArrowRight');
  await frames(page);
  same_pose(await poses(page), csv, 251);
  await page.keyboard.press('Home');
  assert.equal((await poses(page)).time, 0);

  // Without the loop, it stays at the end.
  await page.getByRole('button', {name: 'Loop'}).click();
  await page.locator('select').selectOption('8');
  await page.getByRole('button', {name: 'Play'}).click();
  await page.waitForFunction(() => !window.jounce.clock.playing);
  assert.equal((await poses(page)).time, 0.5);
  await close(page);
});

// Channels that a page has not are written into it, each with one value at all times.
function with_channels(file, values) {
  const channels = Object.entries(values).map(([name, value]) => JSON.stringify(
    {name, unit: '', help: '', min: value, max: value, min_time: 0, max_time: 0, last: value, value}));
  const out = file.replace('.html', '-more.html');
  writeFileSync(out, readFileSync(file, 'utf8').replace('"channels":[', `"channels":[${channels.join()},`));
  return out;
}

test('wheels turn by the integral of their speed, and stand on the road that they recorded', async () => {
  const file = join(folder, 'hmmwv', 'hmmwv.html');
  const about = JSON.parse(/id="about">(.*?)<\/script>/s.exec(readFileSync(file, 'utf8'))[1]);
  const wheels = about.scene.wheels, values = {};
  for (const w of wheels) {
    values[`wheel.${w.name}.speed`] = 2;
    values[`wheel.${w.name}.road`] = w.at[0] > 0 ? 0.2 : 0.1;
  }
  const page = await open(with_channels(file, values));
  await seek(page, 0.25);
  const found = await page.evaluate(() => {
    const {wheels, ground} = window.jounce.replay;
    return {turns: wheels.map((w) => w.object.quaternion.toArray()), front: ground.height_at(1.65, 3), rear: ground.height_at(-1.65, -3)};
  });
  assert.equal(found.turns.length, 4);
  for (const q of found.turns) {  // 0.5 rad about the axle, which is y: forward
    assert.ok(Math.abs(q[1] - Math.sin(0.25)) < 1e-6 && Math.abs(q[3] - Math.cos(0.25)) < 1e-6, `turned by ${q}`);
  }
  assert.ok(Math.abs(found.front - 0.2) < 1e-3 && Math.abs(found.rear - 0.1) < 1e-3, JSON.stringify(found));
  await close(page);
});

test('a vehicle drives on its wheels, along its path', async () => {
  const out = join(folder, 'drive'), scenario = join(models, '../scenarios/hmmwv-step-steer.yaml');
  execFileSync(jounce, ['run', `${models}hmmwv.yaml`, scenario, '--out', out, '--record', '*', '--every', '0.01', '--end', '3']);
  const page = await open(plot(join(out, 'hmmwv-step-steer.h5'))), csv = read_csv(join(out, 'hmmwv-step-steer.csv'));
  const row = 250;
  await seek(page, csv.at(row, 'time'));
  const wheels = await page.evaluate(() => {
    const {replay, result} = window.jounce;
    replay.scene.updateMatrixWorld();
    return replay.wheels.map((w, i) => ({
      name: result.about.scene.wheels[i].name, turn: w.object.quaternion.toArray(),
      at: w.object.getWorldPosition(w.object.position.clone()).toArray()}));
  });
  assert.equal(wheels.length, 4);
  for (const {name, at, turn} of wheels) {
    ['x', 'y', 'z'].forEach((c, i) => assert.ok(Math.abs(at[i] - csv.at(row, `wheel.${name}.${c}`)) < 1e-5, `wheel ${name} is at ${at}`));
    let angle = 0;  // of the spin, by trapezoids
    for (let i = 1; i <= row; i++) angle += 0.005 * (csv.at(i, `wheel.${name}.speed`) + csv.at(i - 1, `wheel.${name}.speed`));
    assert.ok(angle > 50 && Math.abs(Math.cos(angle / 2) * turn[3] + Math.sin(angle / 2) * turn[1]) > 1 - 1e-6, `wheel ${name} is turned by ${turn}`);
  }
  // The marker of the path stands where the chassis is, in a curve of its own colour.
  const text = await page.locator('.plot', {hasText: 'Path, y over x'}).locator('.reading').textContent();
  const [x, y] = text.replaceAll('−', '-').split(',').map(parseFloat);
  assert.ok(Math.abs(x - csv.at(row, 'chassis.x')) < 5e-4 * x && Math.abs(y - csv.at(row, 'chassis.y')) < 5e-4 * y, text);
  await close(page);
});

test('views look where they say', async () => {
  const page = await open(join(folder, 'hmmwv', 'hmmwv.html'));
  const wanted = {side: [0, -1, 0], top: [0, 0, 1], rear: [-1, 0, 0]};
  for (const [view, direction] of Object.entries(wanted)) {
    await page.getByRole('button', {name: view, exact: true}).click();
    const along = await page.evaluate(() => {
      const {camera, controls} = window.jounce.replay;
      return camera.position.clone().sub(controls.target).normalize().toArray();
    });
    const cosine = along.reduce((sum, a, i) => sum + a * direction[i], 0);
    assert.ok(cosine > 0.95, `${view}: from ${along}`);
  }
  await close(page);
});

test('plots are drawn, and read the record at the clock\'s time', async () => {
  const {page: file, csv} = run('slider-crank', '--end', '0.5');
  const page = await open(file);
  await seek(page, 0.2);
  const plot = page.locator('.plot', {has: page.getByRole('heading', {name: 'rod: position'})});
  await plot.scrollIntoViewIfNeeded();
  await plot.locator('canvas').waitFor();
  await frames(page);
  const shown = (await plot.locator('.reading').allTextContents()).map((t) => Number(t.replaceAll('−', '-')));
  ['x', 'y', 'z'].forEach((c, i) => {
    const wanted = csv.at(200, `rod.${c}`);
    assert.ok(Math.abs(shown[i] - wanted) <= 5e-4 * Math.abs(wanted), `rod.${c}: ${shown[i]}, not ${wanted}`);
  });
  // Every plot in sight has a curve in its own colour.
  const drawn = await page.evaluate(() => {
    const colour = getComputedStyle(document.documentElement).getPropertyValue('--s1').trim();
    const [r, g, b] = [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));
    return [...document.querySelectorAll('.plot .u-wrap canvas')].map((canvas) => {
      const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
      let n = 0;
      for (let i = 0; i < data.length; i += 4)
        if (Math.abs(data[i] - r) + Math.abs(data[i + 1] - g) + Math.abs(data[i + 2] - b) < 24 && data[i + 3] > 200) n++;
      return n;
    });
  });
  assert.ok(drawn.length >= 4);
  for (const n of drawn) assert.ok(n >= 20, `curves have ${drawn} points of their colour`);
  await close(page);
});

test('a pointer over a plot looks at that time, a click goes there, a drag zooms all plots', async () => {
  const page = await open(join(folder, 'hmmwv', 'hmmwv.html'));
  const over = page.locator('.plot .u-over').first();
  await over.waitFor();
  const box = await over.boundingBox();
  const at = (part) => [box.x + part * box.width, box.y + box.height / 2];
  await page.mouse.move(...at(0.6));
  assert.ok(Math.abs((await poses(page)).time - 0.3) < 2e-3);
  await page.mouse.move(box.x + box.width / 2, box.y - 60);
  assert.equal((await poses(page)).time, 0);
  await page.mouse.click(...at(0.6));
  await page.mouse.move(box.x + box.width / 2, box.y - 60);
  assert.ok(Math.abs((await poses(page)).time - 0.3) < 2e-3);

  await page.mouse.move(...at(0.2));
  await page.mouse.down();
  await page.mouse.move(...at(0.4), {steps: 4});
  await page.mouse.up();
  const [low, high] = await page.evaluate(() => window.jounce.zoom.range);
  assert.ok(Math.abs(low - 0.1) < 4e-3 && Math.abs(high - 0.2) < 4e-3, `zoomed to ${low} … ${high}`);
  await page.getByRole('button', {name: 'Whole time'}).click();
  assert.equal(await page.evaluate(() => window.jounce.zoom.range), null);
  await close(page);
});

test('channels are found by words and plotted', async () => {
  const page = await open(join(folder, 'hmmwv', 'hmmwv.html'));
  const csv = read_csv(join(folder, 'hmmwv', 'hmmwv.csv'));
  await page.getByRole('button', {name: 'New plot'}).click();
  await page.getByPlaceholder('Search').fill('wheel_fl.w rad/s velocity');
  const names = await page.locator('.channel .name').allTextContents();
  assert.deepEqual(names, ['wheel_fl.wx', 'wheel_fl.wy', 'wheel_fl.wz']);
  await page.locator('[data-channel="wheel_fl.wx"]').click();
  await page.getByPlaceholder('Search').fill('lca_fl.z');
  await page.locator('[data-channel="lca_fl.z"]').click();
  await page.getByRole('button', {name: 'Done'}).click();
  await seek(page, 0.1);
  const plot = page.locator('.plot').first();
  assert.deepEqual(await plot.locator('.key > span:not(.reading)').allTextContents(), ['wheel_fl.wx', 'lca_fl.z']);
  const shown = (await plot.locator('.reading').allTextContents()).map((t) => Number(t.replaceAll('−', '-')));
  ['wheel_fl.wx', 'lca_fl.z'].forEach((name, i) => {
    const wanted = csv.at(100, name);
    assert.ok(Math.abs(shown[i] - wanted) <= 5e-4 * Math.abs(wanted) + 1e-12, `${name}: ${shown[i]}, not ${wanted}`);
  });
  await plot.hover();
  await plot.getByRole('button', {name: 'Remove'}).click();
  assert.equal(await page.getByText('Own plots').isVisible(), false);
  await close(page);
});

test('mechanisms of every kind open, by day and by night, on any screen', async () => {
  const list = [['slider-crank'], ['andrews', '--end', '0.01', '--step', '1e-5'], ['pendulum-chain'],
                ['flyball', '--step', '1e-4', '--integrator', 'rk4'], ['spinning-top'], ['free-body'],
                ['tractor-semitrailer', '--without-tyres', '--end', '0.1']];
  const screens = [['light', 1400], ['dark', 390], ['dark', 1000]];
  for (const [i, [model, ...options]] of list.entries()) {
    const {page: file, csv} = run(model, '--end', '0.2', ...options);
    const [colorScheme, width] = screens[i % screens.length];
    const page = await open(file, {viewport: {width, height: 800}, colorScheme});
    await seek(page, csv.at(csv.rows.length - 1, 'time'));
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    assert.ok(overflow <= 0, `${model} at ${width}: wider than the screen by ${overflow}`);
    const seen = await page.evaluate(() => {  // the picture has more than its background
      const {replay} = window.jounce, gl = replay.renderer.getContext();
      replay.renderer.render(replay.scene, replay.camera);
      const w = gl.drawingBufferWidth, h = gl.drawingBufferHeight, data = new Uint8Array(4 * w * h);
      gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, data);
      let n = 0;
      for (let i = 3; i < data.length; i += 4) n += data[i] === 255 ? 1 : 0;
      return n / (w * h);
    });
    assert.ok(seen > 0.001, `${model}: bodies cover ${seen} of the picture`);
    await close(page);
  }
});

test('a record without motion gives plots alone', async () => {
  const file = plot(join(folder, 'slider-crank', 'slider-crank.csv'), '--out', join(folder, 'csv.html')) && join(folder, 'csv.html');
  const page = await open(file);
  assert.equal(await page.evaluate(() => window.jounce.replay), null);
  assert.equal(await page.locator('.transport').count(), 0);
  await page.locator('.plot canvas').first().waitFor();
  assert.ok(await page.getByText('no replay').isVisible());
  await close(page);
});

test('names are text, whatever they are', async () => {
  const name = '</script><script>window.broken=1</script><!--<img src=x onerror=window.broken=2>&amp;"\\';
  const file = join(folder, 'odd.csv');
  writeFileSync(file, `# units: s,<b>m</b>\ntime,${name}\n${[0, 1, 2].map((t) => `${t},${t * t}`).join('\n')}\n`);
  const page = await open(plot(file));
  assert.equal(await page.evaluate(() => window.broken), undefined);
  assert.equal(await page.evaluate(() => window.jounce.result.channels[1].name), name);
  await page.getByText('window.broken=1').first().waitFor();
  await close(page);
});

test('a result of one row and one of numbers that are none opens', async () => {
  for (const [what, rows] of [['one', '0,1\n'], ['wild', '0,nan\n1,inf\n2,1e300\n3,-1e300\n']]) {
    const file = join(folder, `${what}.csv`);
    writeFileSync(file, `time,a\n${rows}`);
    const page = await open(plot(file));
    assert.equal(await page.locator('.plot').count(), 1);
    await close(page);
  }
});
