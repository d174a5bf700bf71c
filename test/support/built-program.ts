import { execFile } from 'node:child_process';
import { mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');

/** Builds the program as it is shipped into a folder of its own, and answers that folder: dist/main.js, dist/cli/main.js. Remove it afterwards. */
export async function buildProgram(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-built-'));
  for (const name of ['node_modules', 'package.json']) symlinkSync(join(root, name), join(folder, name));
  const dist = join(folder, 'dist');
  await run(join(root, 'node_modules/.bin/tsc'), [
    '-p',
    join(root, 'tsconfig.build.json'),
    '--outDir',
    join(dist, 'modules'),
    '--declarationDir',
    dist,
  ]);
  await run(process.execPath, [join(root, 'bundle.mjs'), dist]);
  return folder;
}
