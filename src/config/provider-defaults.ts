import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { isObject } from '../wire/json-object.js';
import type { Setting } from './config-environment.js';
import { suggestionAmong } from './config-problems.js';
import { isSecretOption } from './declared-options.js';
import { environmentProxy } from './environment-proxy.js';
import { didYouMean } from './nearest.js';
import { COMPATIBLE, type ProviderType } from './provider-type.js';
import { ownOf } from '../wire/own-members.js';

type Entry = Record<string, unknown>;

const require = createRequire(import.meta.url);

/**
 * Completes the `providers` section, which holds what the file and the SWITCHYARD_ variables say, with what the types
 * of providers say: an entry's type where its name is one, its address and key where it has none, whole entries that
 * other variables switch on, and the environment's proxy.
 * @param fromFile the section as the file has it: a key from the environment is never sent to an address from a file
 * @returns the values that came from the environment, and their variables
 */
export function completeProviders(section: Entry, fromFile: Entry, types: readonly ProviderType[], env: NodeJS.ProcessEnv): Setting[] {
  const byType = new Map(types.map((type) => [type.type, type]));
  const settings: Setting[] = [];
  const set = (id: string, entry: Entry, field: string, variable: string, value: string): void => {
    entry[field] = value;
    settings.push({ variable, path: ['providers', id, field], value });
  };
  const complete = (id: string, entry: Entry, type: ProviderType): void => {
    const { baseUrl, free, environment = {} } = type;
    const { apiKey = '', address = '', port } = environment;
    const stated = ownOf(fromFile, id);
    const elsewhere = isObject(stated) && stated['base_url'] !== undefined;
    if (entry['base_url'] === undefined && env[address]) set(id, entry, 'base_url', address, addressOf(env[address], port));
    for (const [option, variable] of Object.entries(environment.options ?? {})) {
      const options = (entry['options'] ??= {});
      if (!isObject(options) || options[option] !== undefined || !env[variable]) continue;
      if (elsewhere && isSecretOption(type.type, option)) continue;
      options[option] = env[variable];
      settings.push({ variable, path: ['providers', id, 'options', option], value: env[variable] });
    }
    entry['base_url'] ??= baseUrl && withOptions(baseUrl, entry['options']);
    if (entry['api_key'] === undefined && !elsewhere && env[apiKey]) set(id, entry, 'api_key', apiKey, env[apiKey]);
    if (free) entry['free'] ??= true;
  };

  for (const [id, entry] of Object.entries(section)) {
    if (!isObject(entry)) continue;
    if (entry['type'] === undefined && byType.has(id)) entry['type'] = id;
    const type = byType.get(String(entry['type']));
    if (type) complete(id, entry, type);
  }
  const used = usedTypes(section);
  for (const type of types) {
    if (used.has(type.type) || Object.hasOwn(section, type.type) || !switchedOn(type, env)) continue;
    const entry: Entry = { type: type.type };
    complete(type.type, entry, type);
    section[type.type] = entry;
  }
  for (const [id, entry] of Object.entries(section)) {
    if (!isObject(entry) || entry['proxy'] !== undefined || !URL.canParse(String(entry['base_url']))) continue;
    const proxy = environmentProxy(String(entry['base_url']), env);
    if (proxy) set(id, entry, 'proxy', proxy.variable, proxy.value);
  }
  return settings;
}

/** Says what is wrong with an entry's type, if anything. */
export function typeProblem(type: unknown, types: readonly ProviderType[]): string | undefined {
  const known = [COMPATIBLE, ...types.map((one) => one.type)];
  if (typeof type !== 'string' || known.includes(type)) return undefined;
  return `is unknown${suggestionAmong(type, known)}`;
}

/** Says which type an entry was probably meant to be that has neither a type nor an address. */
export function meantType(id: string, types: readonly ProviderType[]): string {
  if (types.length === 0) return '';
  const known = types.map(({ type }) => type);
  return `: ${id} is no known type${didYouMean(id, known) || ', so it needs one'}`;
}

/**
 * Fills in the options that an address names. A value that could lead to another host is left out, so that the address
 * is missing.
 */
function withOptions(baseUrl: string, options: unknown): string | undefined {
  let whole = true;
  const filled = baseUrl.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = isObject(options) ? ownOf(options, name) : undefined;
    if (typeof value === 'string' && /^[a-zA-Z0-9-]+$/.test(value)) return value;
    whole = false;
    return '';
  });
  return whole ? filled : undefined;
}

/** The variables that switch a type on without an entry, all of them together; none where it needs an entry. */
export function switchingVariables({ baseUrl, environment = {}, requires }: ProviderType): readonly string[] {
  const { apiKey, address } = environment;
  return requires ?? [apiKey, baseUrl !== undefined && apiKey ? undefined : address].filter((name) => name !== undefined);
}

function switchedOn(type: ProviderType, env: NodeJS.ProcessEnv): boolean {
  return isAskedFor(type, env) && allInstalled(type);
}

function isAskedFor(type: ProviderType, env: NodeJS.ProcessEnv): boolean {
  const needed = switchingVariables(type);
  return needed.length > 0 && needed.every((name) => env[name]);
}

/**
 * Sentences for the operator about types that the environment would switch on if the vendor's packages were installed.
 * A machine may have such variables for another reason, so that this is no error.
 * @param providers the `providers` section as it came out
 */
export function notInstalled(
  providers: Readonly<Record<string, unknown>>,
  types: readonly ProviderType[],
  env: NodeJS.ProcessEnv = process.env,
): string[] {
  const used = usedTypes(providers);
  return types
    .filter((type) => !used.has(type.type) && !Object.hasOwn(providers, type.type) && isAskedFor(type, env) && !allInstalled(type))
    .map((type) => {
      const variables = switchingVariables(type).join(' and ');
      return `${variables} switch nothing on: ${type.name} needs packages that are not installed: npm install ${type.packages?.join(' ')}`;
    });
}

function allInstalled({ packages = [] }: ProviderType): boolean {
  return packages.every((name) => require.resolve.paths(name)?.some((folder) => existsSync(join(folder, name, 'package.json'))));
}

function usedTypes(providers: Readonly<Record<string, unknown>>): ReadonlySet<unknown> {
  return new Set(Object.values(providers).map((entry) => (isObject(entry) ? entry['type'] : undefined)));
}

/**
 * Makes a URL of `host`, `host:port` or a whole URL. A server that listens on all addresses is called on this machine.
 */
function addressOf(text: string, port: number | undefined): string {
  if (port === undefined || text.includes('://')) return text;
  const host = text.replace(/^0\.0\.0\.0(?=:|$)/, '127.0.0.1');
  return /:\d+$/.test(host) ? `http://${host}` : `http://${host}:${port}`;
}
