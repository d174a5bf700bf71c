import { isObject } from '../wire/json-object.js';
import type { Setting } from './config-environment.js';
import { suggestionAmong } from './config-problems.js';
import { environmentProxy } from './environment-proxy.js';
import { COMPATIBLE, type ProviderType } from './provider-type.js';

type Entry = Record<string, unknown>;

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
  const complete = (id: string, entry: Entry, { baseUrl, free, environment = {} }: ProviderType): void => {
    const { apiKey = '', address = '', port } = environment;
    const stated = fromFile[id];
    const elsewhere = isObject(stated) && stated['base_url'] !== undefined;
    if (entry['base_url'] === undefined && env[address]) set(id, entry, 'base_url', address, addressOf(env[address], port));
    entry['base_url'] ??= baseUrl;
    if (entry['api_key'] === undefined && !elsewhere && env[apiKey]) set(id, entry, 'api_key', apiKey, env[apiKey]);
    if (free) entry['free'] ??= true;
  };

  for (const [id, entry] of Object.entries(section)) {
    if (!isObject(entry)) continue;
    if (entry['type'] === undefined && byType.has(id)) entry['type'] = id;
    const type = byType.get(String(entry['type']));
    if (type) complete(id, entry, type);
  }
  const used = new Set(Object.values(section).map((entry) => (isObject(entry) ? entry['type'] : undefined)));
  for (const type of types) {
    if (used.has(type.type) || type.type in section || !switchedOn(type, env)) continue;
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

function switchedOn({ baseUrl, environment }: ProviderType, env: NodeJS.ProcessEnv): boolean {
  if (!environment) return false;
  const { apiKey, address } = environment;
  const needed = [apiKey, baseUrl !== undefined && apiKey ? undefined : address].filter((name) => name !== undefined);
  return needed.length > 0 && needed.every((name) => env[name]);
}

/**
 * Makes a URL of `host`, `host:port` or a whole URL. A server that listens on all addresses is called on this machine.
 */
function addressOf(text: string, port: number | undefined): string {
  if (port === undefined || text.includes('://')) return text;
  const host = text.replace(/^0\.0\.0\.0(?=:|$)/, '127.0.0.1');
  return /:\d+$/.test(host) ? `http://${host}` : `http://${host}:${port}`;
}
