import { realpathSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import 'reflect-metadata';
import { systemClock } from '../../common/time/clock.js';
import { timeLimited } from '../../common/time/waits.js';
import { ConfigError } from '../../config/config-problems.js';
import { declareOptions } from '../../config/declared-options.js';
import { configPath, type LoadOptions, locateSetting } from '../../config/load-config.js';
import { COMPATIBLE } from '../../config/provider-type.js';
import { isObject } from '../../wire/json-object.js';
import { loadedModule } from './loaded-module.js';
import { moduleAddress, resolveForModules } from './module-address.js';
import { setPackageFolder } from './package-folder.js';
import type { LoadedModule } from '../kit/provider-module.js';
import { syntaxProblem } from './syntax-problem.js';
import { reasonOf } from '../errors/thrown.js';

/** Milliseconds that the code of one module may take to be read and run. */
const PATIENCE = 30_000;

/**
 * Loads the modules that the configuration names, one after the other. Their code runs in this process and with its
 * rights.
 * @throws ConfigError naming each one that cannot be used
 */
export async function loadProviderModules(names: readonly string[], options: LoadOptions): Promise<LoadedModule[]> {
  const folder = dirname(configPath(options));
  setPackageFolder(folder);
  // A process that is sent its configuration has not read it, and so has not declared them.
  declareOptions(options.types ?? []);
  if (names.length === 0) return [];
  const files = resolveForModules(folder);
  const taken = new Set([COMPATIBLE, ...(options.types ?? []).map(({ type }) => type)]);
  const problems: string[] = [];
  const modules: LoadedModule[] = [];
  for (const [index, name] of names.entries()) {
    const path = ['modules', String(index)];
    const refuse = (why: string): void => void problems.push(`${locateSetting(path, options)}: ${path.join('.')} (${name}) ${why}`);
    try {
      const address = moduleAddress(name, folder);
      const module = await loadedModule(await defaultExport(address), taken);
      if (typeof module === 'string') refuse(module);
      else {
        modules.push({ ...module, place: { name, folder: folderOf(files.packages.get(name) ?? address) } });
        for (const { type } of module.types) taken.add(type);
      }
    } catch (error) {
      refuse(`cannot be loaded: ${syntaxProblem(error, files.last) ?? reasonOf(error)}`);
    }
  }
  if (problems.length > 0) throw new ConfigError(problems);
  declareOptions(modules.flatMap(({ types }) => types));
  return modules;
}

/** The folder of a package, or that of a file which belongs to none. */
function folderOf(address: string): string {
  const file = realpathSync(fileURLToPath(address));
  const manifest = file.includes('/node_modules/') ? findPackageJSON(pathToFileURL(file)) : undefined;
  return dirname(manifest ?? file);
}

async function defaultExport(address: string): Promise<unknown> {
  const { default: exported } = await timeLimited(systemClock, PATIENCE, import(address) as Promise<{ default?: unknown }>);
  // What TypeScript makes of an ES module for CommonJS.
  return isObject(exported) && exported['__esModule'] === true && 'default' in exported ? exported['default'] : exported;
}
