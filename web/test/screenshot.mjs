// screenshot.mjs PAGE PICTURE [TIME]: what a person sees who opens a page; see tools/screenshot.
import {pathToFileURL} from 'node:url';
import {open_browser} from './browser.mjs';

const [page_file, picture, time] = process.argv.slice(2);
const browser = await open_browser();
const page = await browser.newPage({viewport: {width: 1440, height: 900}, colorScheme: 'light'});
await page.goto(pathToFileURL(page_file).href);
await page.waitForFunction(() => window.jounce);
if (time) await page.evaluate((t) => { window.jounce.clock.seek(t); window.jounce.replay?.view('iso'); }, Number(time));
await page.waitForTimeout(2000);
await page.screenshot({path: picture});
await browser.close();
