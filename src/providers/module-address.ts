import { existsSync, readFileSync, statSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A prefix for the name of a package that is to be resolved from the folder of the configuration file. */
const FROM_FOLDER = 'switchyard-module:';

const indexFiles = ['index.js', 'index.mjs', 'index.ts', 'index.mts'];

/**
 * @returns the address under which `import` finds a module: a path that begins with a dot or a slash is resolved from
 * `folder`, anything else is a package, as code in `folder` would find it
 * @throws Error where nothing is there, or a folder without an entry
 */
export function moduleAddress(name: string, folder: string): string {
  if (!/^(\.{0,2}\/|\.{1,2}$)/.test(name)) return FROM_FOLDER + name;
  const path = resolve(folder, name);
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) throw new Error(`there is no ${path}`);
  return pathToFileURL(found.isDirectory() ? entryOf(path) : path).href;
}

/**
 * Resolves packages from `folder`, and `switchyard/provider` to this gateway's own, wherever the importing file lies
 * and whatever is installed there. It stays in force for the life of the process, because modules may import later.
 */
export function resolveForModules(folder: string): void {
  const here = pathToFileURL(join(folder, 'modules')).href;
  registerHooks({
    resolve(specifier, context, next) {
      if (/^switchyard\/provider(\/|$)/.test(specifier)) return next(specifier, { ...context, parentURL: import.meta.url });
      if (!specifier.startsWith(FROM_FOLDER)) return next(specifier, context);
      return next(specifier.slice(FROM_FOLDER.length), { ...context, parentURL: here });
    },
  });
}

/** The file that a folder's package.json names as its entry, or the folder's index file. */
function entryOf(folder: string): string {
  const manifest = join(folder, 'package.json');
  const { exports, main } = (existsSync(manifest) ? JSON.parse(readFileSync(manifest, 'utf8')) : {}) as Record<string, unknown>;
  const named = pointOf(exports) ?? main ?? indexFiles.find((file) => existsSync(join(folder, file)));
  if (typeof named !== 'string')
    throw new Error(`the folder has none of ${indexFiles.join(', ')}, and no package.json that names its entry`);
  return join(folder, named);
}

/** The target of `exports` for an import of the package itself. */
function pointOf(exports: unknown): unknown {
  if (typeof exports !== 'object' || exports === null) return exports;
  const conditions = exports as Record<string, unknown>;
  const name = ['.', 'node', 'import', 'default'].find((condition) => condition in conditions);
  return name && pointOf(conditions[name]);
}
