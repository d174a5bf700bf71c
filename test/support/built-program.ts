import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');
const builds = join(root, 'node_modules/.cache/switchyard-built');

/** How many builds are kept: of three versions of the sources, with the page of the dashboard and without. */
const MAX_KEPT = 6;

/**
 * The program as it is shipped: dist/main.js, dist/cli/main.js. All specs run one build, to which none may write. The
 * caller removes the folder, in which the build is a link.
 *
 * @param options.dashboard with its page
 */
export async function buildProgram({ dashboard = false } = {}): Promise<string> {
  return inFolder(dashboard ? await withDashboard() : await compiled(), symlinkSync);
}

/** The same with a build of the caller's own. */
export async function copyProgram(): Promise<string> {
  return inFolder(await compiled(), (dist, copy) => cpSync(dist, copy, { recursive: true }));
}

function inFolder(dist: string, put: (dist: string, at: string) => void): string {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-built-'));
  for (const name of ['node_modules', 'package.json']) symlinkSync(join(root, name), join(folder, name));
  put(dist, join(folder, 'dist'));
  return folder;
}

function compiled(): Promise<string> {
  return kept('program', async (folder) => {
    const dist = join(folder, 'dist');
    await run(join(root, 'node_modules/.bin/tsc'), ['-p', join(root, 'tsconfig.build.json'), '--outDir', dist]);
    await run(process.execPath, [join(dist, 'openapi/main.js'), join(root, 'src')]);
  });
}

function withDashboard(): Promise<string> {
  return kept('program-and-page', async (folder) => {
    const dist = join(folder, 'dist');
    cpSync(await compiled(), dist, { recursive: true });
    const outDir = join(dist, 'dashboard/built');
    // Jest's own NODE_ENV would make it a build for development.
    const env = { ...process.env, NODE_ENV: 'production' };
    const config = join(root, 'src/dashboard/web/vite.config.ts');
    await run(join(root, 'node_modules/.bin/vite'), ['build', '--config', config, '--outDir', outDir, '--emptyOutDir'], { env });
  });
}

/** Identifies the files that a build is made from. */
export function sourcesVersion(): string {
  const hash = createHash('sha256');
  const files = ['src/**/*.*', 'tsconfig*.json', 'package-lock.json'];
  for (const file of globSync(files, { cwd: root }).toSorted()) {
    const { size, mtimeMs } = statSync(join(root, file));
    hash.update(`${file} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

/**
 * Makes a build of these sources, or finds that which was made of them.
 *
 * @returns its dist
 */
async function kept(name: string, make: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(builds, `${name}-${sourcesVersion()}`);
  if (!existsSync(folder)) {
    mkdirSync(builds, { recursive: true });
    for (const old of oldest()) rmSync(old, { recursive: true, force: true });
    // As deep as where it is kept: a source map names its source by the relative path from there.
    const making = mkdtempSync(join(builds, 'making-'));
    chmodSync(making, 0o755);
    // What imports the package of the gateway from within finds it here.
    symlinkSync(join(root, 'package.json'), join(making, 'package.json'));
    await make(making);
    try {
      renameSync(making, folder);
    } catch {
      // Another spec was faster.
      rmSync(making, { recursive: true });
    }
  }
  return join(folder, 'dist');
}

function oldest(): string[] {
  const all = readdirSync(builds).map((name) => join(builds, name));
  return all.toSorted((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs).slice(MAX_KEPT - 1);
}
