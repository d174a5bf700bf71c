import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/**
 * Has Node import the TypeScript of src and test as it stands. swc compiles a file once for each content; what it makes,
 * and V8's code of it, is kept in node_modules/.cache.
 */
const root = fileURLToPath(new URL('../..', import.meta.url));
const require = module.createRequire(import.meta.url);
const cache = join(root, 'node_modules/.cache/specs');
const options = { ...JSON.parse(readFileSync(join(root, '.swcrc'), 'utf8')), swcrc: false, sourceMaps: 'inline' };

/** Packages for which specs get a module of ours. */
const replaced = new Map([
  ['@jest/globals', new URL('./jest-globals.mjs', import.meta.url).href],
  ['fast-check', new URL('../support/seeded-fast-check.ts', import.meta.url).href],
]);

mkdirSync(cache, { recursive: true });
module.enableCompileCache(join(cache, 'v8'));
module.registerHooks({
  resolve(specifier, { parentURL, ...context }, next) {
    const ours = parentURL !== undefined && !parentURL.includes('/node_modules/');
    const url = ours && (replaced.get(specifier) ?? typescriptOf(specifier, parentURL));
    return url ? { url, format: 'module', shortCircuit: true } : next(specifier, { parentURL, ...context });
  },
  load(url, context, next) {
    if (!/\.tsx?$/.test(url) || url.includes('/node_modules/')) return next(url, context);
    return { format: 'module', source: readFileSync(compiled(fileURLToPath(url)), 'utf8'), shortCircuit: true };
  },
});

/**
 * Our imports name the file that tsc writes, those of the dashboard name none. A thread has none of these hooks, and
 * would take 30 ms of CPU to strip types: it gets what swc has made, whose imports are of packages only.
 */
function typescriptOf(specifier, parentURL) {
  if (!/^\.{1,2}\//.test(specifier)) return undefined;
  const file = specifier.replace(/\.js$/, '');
  const candidates = ['.ts', '.tsx'].map((ending) => new URL(`${file}${ending}`, parentURL));
  const url = candidates.find((candidate) => existsSync(candidate))?.href;
  return url?.endsWith('.worker.ts') ? pathToFileURL(compiled(fileURLToPath(url))).href : url;
}

/** @returns the file of what swc makes of it */
function compiled(filename) {
  const source = readFileSync(filename, 'utf8');
  const digest = createHash('sha1')
    .update(JSON.stringify([options, filename, source]))
    .digest('hex');
  const kept = join(cache, `${digest}.mjs`);
  if (existsSync(kept)) return kept;
  // Its library takes 0.3 s of CPU to load, in each worker.
  const { transformSync } = require('@swc/core');
  const { code } = transformSync(source, { ...options, filename });
  // Another worker may read it at any moment.
  writeFileSync(`${kept}.${process.pid}`, code);
  renameSync(`${kept}.${process.pid}`, kept);
  return kept;
}
