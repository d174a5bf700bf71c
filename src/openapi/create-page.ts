import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Makes one page of its three parts.
 * @param folder that has page.html, page.css and page.js
 */
export function createPage(folder: string): string {
  const part = (name: string): string => readFileSync(join(folder, name), 'utf8');
  return part('page.html')
    .replace('<style></style>', () => `<style>${part('page.css')}</style>`)
    .replace('<script></script>', () => `<script>${part('page.js')}</script>`);
}
