// Debian's Chromium without a screen and without a graphics card.
import assert from 'node:assert/strict';
import {pathToFileURL} from 'node:url';
import {chromium} from 'playwright-core';

export const open_browser = () => chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'],
});

// Whatever the browser complains about, and whatever it wants from elsewhere, fails the test.
export async function open_page(browser, file, options = {}) {
  const page = await browser.newPage({viewport: {width: 1400, height: 900}, ...options});
  page.complaints = [];
  page.setDefaultTimeout(120000);  // a busy machine is no failure
  page.on('console', (m) => { if (['error', 'warning'].includes(m.type())) page.complaints.push(m.text()); });
  page.on('pageerror', (e) => page.complaints.push(e.message));
  page.on('request', (r) => { if (!/^(file|data|blob):/.test(r.url()) || r.url().startsWith('file:') && !r.url().endsWith('.html')) page.complaints.push(r.url()); });
  await page.goto(pathToFileURL(file).href);
  await page.waitForFunction(() => window.jounce);
  return page;
}

export async function close_page(page) {
  assert.deepEqual(page.complaints, []);
  await page.close();
}

export const frames = (page, n = 3) => page.evaluate((count) => new Promise((done) => {
  const next = (left) => left === 0 ? done() : requestAnimationFrame(() => next(left - 1));
  next(count);
}), n);
