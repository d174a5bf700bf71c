import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');
const built = join(root, 'node_modules/.cache/switchyard-built');
const builtPages = join(root, 'node_modules/.cache/switchyard-built-pages');

/** How many builds are kept. */
const MAX_KEPT = 3;

/**
 * Builds the program as it is shipped into a folder of its own: dist/main.js, dist/cli/main.js. The caller removes the
 * folder afterwards.
 */
export async function buildProgram(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-built-'));
  for (const name of ['node_modules', 'package.json']) symlinkSync(join(root, name), join(folder, name));
  const dist = join(folder, 'dist');
  const kept = join(built, sourcesVersion());
  if (existsSync(kept)) cpSync(kept, dist, { recursive: true });
  else {
    // Not directly where it is kept: a source map names its source by the relative path from the folder that tsc wrote
    // to.
    const tsc = join(root, 'node_modules/.bin/tsc');
    await run(tsc, ['-p', join(root, 'tsconfig.build.json'), '--outDir', dist]);
    await run(process.execPath, [join(dist, 'openapi/main.js'), join(root, 'src')]);
    keep(dist, kept);
  }
  return folder;
}

/** Builds the page of the dashboard into a folder that `buildProgram` has made. */
export async function buildDashboard(folder: string): Promise<void> {
  const page = join(root, 'src/dashboard/web');
  const outDir = join(folder, 'dist/dashboard/built');
  const kept = join(builtPages, sourcesVersion());
  if (existsSync(kept)) return cpSync(kept, outDir, { recursive: true });
  const vite = join(root, 'node_modules/.bin/vite');
  // Jest's own NODE_ENV would make it a build for development.
  const env = { ...process.env, NODE_ENV: 'production' };
  await run(vite, ['build', '--config', join(page, 'vite.config.ts'), '--outDir', outDir, '--emptyOutDir'], { env });
  keep(outDir, kept);
}

/**
 * Identifies the files that a build is made from: ten specs of one run need the same build, and compiling takes three
 * seconds.
 */
export function sourcesVersion(): string {
  const hash = createHash('sha256');
  const files = ['src/**/*.*', 'tsconfig*.json', 'package-lock.json'];
  for (const file of globSync(files, { cwd: root }).toSorted()) {
    const { size, mtimeMs } = statSync(join(root, file));
    hash.update(`${file} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

function keep(dist: string, kept: string): void {
  const folder = dirname(kept);
  mkdirSync(folder, { recursive: true });
  const all = readdirSync(folder).map((name) => join(folder, name));
  const byAge = all.toSorted((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  for (const old of byAge.slice(MAX_KEPT - 1)) rmSync(old, { recursive: true, force: true });
  const making = mkdtempSync(join(folder, 'making-'));
  cpSync(dist, making, { recursive: true });
  if (!existsSync(kept)) renameSync(making, kept);
}
