import type { AxeResults } from 'axe-core';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { describeService } from '../../src/common/testing/describe-service.js';
import { chromiumPath } from './open-chromium.js';

/** Specs that need a browser. */
export function describeChromium(name: string, specs: () => void): void {
  describeService('Chromium', chromiumPath !== undefined, name, specs);
}

/** Ends when nothing fades, slides or changes its colour any more; what turns for ever is not waited for. */
const STILL = `Promise.all(
  document
    .getAnimations()
    .filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity)
    .map(({ finished }) => finished.catch(() => undefined)),
)`;

/**
 * What axe finds that keeps people from using a page: its serious and critical violations, each with where it is. It is
 * run beside the page's policy, which allows no script of others.
 */
export async function seriousViolations(page: Page): Promise<string[]> {
  const source = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  await page.evaluate(source);
  await page.evaluate(STILL);
  const { violations } = await page.evaluate<AxeResults>('axe.run({ resultTypes: ["violations"] })');
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`);
}
