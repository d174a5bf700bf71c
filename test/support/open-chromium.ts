import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Where Debian and others put the browser, at first the one without windows; `CHROMIUM` names another place. */
const places = [
  process.env['CHROMIUM'],
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

export const chromiumPath = places.find((path): path is string => path !== undefined && existsSync(path));

/** A browser without a window. */
export function openChromium(): Promise<Browser> {
  if (chromiumPath === undefined) throw new Error('no Chromium is installed');
  // Chromium does not start its sandbox as root, as CI often runs.
  return chromium.launch({ executablePath: chromiumPath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] });
}
