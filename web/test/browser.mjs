// Debian's Chromium without a screen and without a graphics card.
import {chromium} from 'playwright-core';

export const open_browser = () => chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'],
});
