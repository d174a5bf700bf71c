import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The folder of this program: a checkout or an installed package. */
export const programFolder = resolve(import.meta.dirname, '../..');

/** The version of this program. */
export function version(): string {
  return (JSON.parse(readFileSync(join(programFolder, 'package.json'), 'utf8')) as { version: string }).version;
}
