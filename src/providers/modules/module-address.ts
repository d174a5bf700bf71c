import { existsSync, readFileSync, statSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isObject } from '../../wire/json-object.js';
import { StartError } from '../../config/start-error.js';
import { ownOf } from '../../wire/own-members.js';

/** A prefix for the name of a package that is to be resolved from the folder of the configuration file. */
const FROM_FOLDER = 'switchyard-module:';

const indexFiles = ['index.js', 'index.mjs', 'index.ts', 'index.mts'];

/**
 * @returns the address under which `import` finds a module: a path that begins with a dot or a slash is resolved from
 * `folder`, anything else is a package, as code in `folder` would find it
 * @throws StartError where nothing is there, or a folder without an entry
 */
export function moduleAddress(name: string, folder: string): string {
  if (!/^(\.{0,2}\/|\.{1,2}$)/.test(name)) return FROM_FOLDER + name;
  const path = resolve(folder, name);
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) throw new StartError(`there is no ${path}`);
  return pathToFileURL(found.isDirectory() ? entryOf(path) : path).href;
}

/**
 * @returns the address under which `import` finds a package of a vendor, or a part of one (`@vendor/package/part`):
 * as `moduleAddress` does, but without what `resolveForModules` adds for modules
 * @throws StartError where nothing is there
 */
export function packageAddress(name: string, folder: string): string {
  const address = moduleAddress(name, folder);
  if (!address.startsWith(FROM_FOLDER)) return address;
  const [, owner, part = ''] = /^((?:@[^/]+\/)?[^/]+)(?:\/(.+))?$/.exec(name) ?? [];
  const places = owner ? (createRequire(join(folder, 'modules')).resolve.paths(owner) ?? []) : [];
  const found = places.map((place) => join(place, owner!)).find((place) => existsSync(join(place, 'package.json')));
  if (!found) throw new StartError(`the package ${name} is not installed in ${folder}: npm install ${owner ?? name}`);
  const target = part ? partOf(found, `./${part}`) : entryOf(found);
  if (!target) throw new StartError(`the package ${owner} has no part ${part}`);
  return pathToFileURL(target).href;
}

/** Packages that there must be once in a process: a class of another copy would be another class. */
const shared =
  /^(@switchyard-gateway\/switchyard\/provider|@nestjs\/(common|core)|reflect-metadata|rxjs|class-validator|class-transformer)(\/|$)/;

/**
 * Resolves packages from `folder`, and the gateway's own kit and Nest to those of this gateway, wherever the importing
 * file lies and whatever is installed there. It stays in force for the life of the process, because modules may import
 * later.
 * @returns the file that was read last, and where packages were found, by their names
 */
export function resolveForModules(folder: string): { readonly last: string | undefined; readonly packages: ReadonlyMap<string, string> } {
  const here = pathToFileURL(join(folder, 'modules')).href;
  const packages = new Map<string, string>();
  const files: { last: string | undefined; packages: Map<string, string> } = { last: undefined, packages };
  registerHooks({
    resolve(specifier, context, next) {
      if (shared.test(specifier)) return next(specifier, { ...context, parentURL: import.meta.url });
      if (!specifier.startsWith(FROM_FOLDER)) return next(specifier, context);
      const name = specifier.slice(FROM_FOLDER.length);
      const found = next(name, { ...context, parentURL: here });
      packages.set(name, found.url);
      return found;
    },
    load(url, context, next) {
      if (url.startsWith('file:')) files.last = url;
      return next(url, context);
    },
  });
  return files;
}

/** The file that a folder's package.json names as its entry, or the folder's index file. */
function entryOf(folder: string): string {
  const manifest = join(folder, 'package.json');
  const { exports, main } = (existsSync(manifest) ? JSON.parse(readFileSync(manifest, 'utf8')) : {}) as Record<string, unknown>;
  const named = pointOf(exports) ?? main ?? indexFiles.find((file) => existsSync(join(folder, file)));
  if (typeof named !== 'string')
    throw new StartError(`the folder has none of ${indexFiles.join(', ')}, and no package.json that names its entry`);
  return join(folder, named);
}

function partOf(folder: string, part: string): string | undefined {
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { exports?: unknown };
  const target = isObject(exports) ? pointOf(ownOf(exports, part)) : undefined;
  return typeof target === 'string' ? join(folder, target) : undefined;
}

/** The target of `exports` for an import of the package itself. */
function pointOf(exports: unknown): unknown {
  if (typeof exports !== 'object' || exports === null) return exports;
  const conditions = exports as Record<string, unknown>;
  const name = ['.', 'node', 'import', 'default'].find((condition) => Object.hasOwn(conditions, condition));
  return name && pointOf(conditions[name]);
}
