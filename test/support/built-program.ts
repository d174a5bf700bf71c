import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');
const built = join(root, 'node_modules/.cache/switchyard-built');

/** Builds that are kept. */
const MAX_KEPT = 3;

/** The program as it is shipped, in a folder of its own: dist/main.js, dist/cli/main.js. Remove it afterwards. */
export async function buildProgram(): Promise<string> {
  const dist = join(built, version());
  if (!existsSync(dist)) await build(dist);
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-built-'));
  for (const name of ['node_modules', 'package.json']) symlinkSync(join(root, name), join(folder, name));
  cpSync(dist, join(folder, 'dist'), { recursive: true });
  return folder;
}

/** Another for all that a build is made from: ten specs of one run need it, and compiling takes ten seconds. */
function version(): string {
  const hash = createHash('sha256');
  const files = ['src/**/*.*', 'bundle.mjs', 'tsconfig*.json', 'package-lock.json'];
  for (const file of globSync(files, { cwd: root }).toSorted()) {
    const { size, mtimeMs } = statSync(join(root, file));
    hash.update(`${file} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

async function build(dist: string): Promise<void> {
  mkdirSync(built, { recursive: true });
  const kept = readdirSync(built).map((name) => join(built, name));
  const byAge = kept.toSorted((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  for (const old of byAge.slice(MAX_KEPT - 1)) rmSync(old, { recursive: true, force: true });
  const making = mkdtempSync(join(built, 'making-'));
  const tsc = join(root, 'node_modules/.bin/tsc');
  await run(tsc, ['-p', join(root, 'tsconfig.build.json'), '--outDir', join(making, 'modules'), '--declarationDir', making]);
  await run(process.execPath, [join(root, 'bundle.mjs'), making]);
  if (!existsSync(dist)) renameSync(making, dist);
}
