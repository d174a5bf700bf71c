import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { COMPATIBLE } from '../../config/provider-type.js';
import { providerTypes } from '../../providers/registry/provider-types.js';
import { CommandError } from '../command-error.js';
import { importedFromWithin, insideFiles, registered } from './inside.js';
import { outsideFiles } from './outside.js';
import { providerFiles, type ProviderNames } from './provider-templates.js';

const MAX_NAME = 40;

/**
 * Derives the names of a provider's files and classes from its type.
 * @throws CommandError that says what a type must look like, or that it is taken
 */
export function namesOf(id: string): ProviderNames {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(id) || id.length > MAX_NAME)
    throw new CommandError(
      `a provider's name begins with a lower-case letter and has letters, digits and single dashes, at most ${MAX_NAME}`,
    );
  if ([COMPATIBLE, 'sandbox', ...providerTypes.map(({ type }) => type)].includes(id))
    throw new CommandError(`'${id}' is a type of provider that there is already`);
  const words = id.split('-').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  const pascal = words.join('');
  return {
    id,
    pascal,
    camel: pascal.charAt(0).toLowerCase() + pascal.slice(1),
    title: words.join(' '),
    upper: id.replaceAll('-', '_').toUpperCase(),
  };
}

/**
 * Writes a provider beside the gateway's own and adds it to their lists.
 * @returns its folder
 * @throws CommandError
 */
export function newProviderInside(names: ProviderNames, gateway: string): string {
  const providers = join(gateway, 'src/providers');
  if (!existsSync(providers))
    throw new CommandError('this is an installed gateway without its source: say with --dir where to put the folder');
  const folder = join(providers, names.id);
  const common = Object.entries(providerFiles(names)).map(([path, text]) => [path, importedFromWithin(text, providers)]);
  write(folder, { ...Object.fromEntries(common), ...insideFiles(names) });
  const lists = (['providers.module.ts', 'provider-types.ts'] as const).map((file) => {
    const path = join(providers, 'registry', file);
    writeFileSync(path, registered(names, file, readFileSync(path, 'utf8')));
    return path;
  });
  const prettier = join(gateway, 'node_modules/prettier/bin/prettier.cjs');
  if (existsSync(prettier))
    execFileSync(process.execPath, [prettier, '--write', '--log-level', 'error', folder, ...lists], { cwd: gateway });
  return folder;
}

/**
 * Writes a provider into a folder of its own below `parent`.
 * @returns its folder
 * @throws CommandError
 */
export function newProviderOutside(names: ProviderNames, parent: string, gateway: string): string {
  const folder = join(parent, names.id);
  write(folder, { ...providerFiles(names), ...outsideFiles(names, folder, gateway) });
  return folder;
}

function write(folder: string, files: Record<string, string>): void {
  if (existsSync(folder)) throw new CommandError(`${folder} is there already`);
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}
