import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../wire/json-object.js';
import { readEnvironment, type Setting } from './config-environment.js';
import { type ConfigFile, readConfigFile } from './config-file.js';
import { ConfigError, describeIssues, dotted, type Locate } from './config-problems.js';
import { type Config, configSchema, type ProviderConfig } from './config.schema.js';
import { completeProviders, meantType, typeProblem } from './provider-defaults.js';
import type { ProviderType } from './provider-type.js';
import { declareOptions } from './declared-options.js';
import { coerceOptions, optionProblems } from './option-problems.js';
import { deepFreeze } from './deep-freeze.js';
import { type Path, shapeOf } from './schema-shape.js';
import { withoutEffect } from './variables-without-effect.js';
import { ownOf, setMember } from '../wire/own-members.js';

export interface LoadOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** The folder in which switchyard.yaml is looked for. */
  readonly cwd?: string;
  /** The file to read instead of SWITCHYARD_CONFIG or switchyard.yaml; it must exist. */
  readonly file?: string;
  /** Types of providers, which complete the entries of the `providers` section. */
  readonly types?: readonly ProviderType[];
  /**
   * What the modules have brought. Absent where they are not loaded: entries of `providers` that may be of their types
   * are then left out.
   */
  readonly modules?: LoadedModules;
  /** Leaves out values that are none of those that there are, for what is wrong beside them. */
  readonly withoutWrongChoices?: true;
}

/** What the packages and files of the `modules` setting have brought. */
export interface LoadedModules {
  /** The value of the setting when they were loaded. */
  readonly names: readonly string[];
  readonly types: readonly ProviderType[];
}

const DEFAULT_FILE = 'switchyard.yaml';

const shape = shapeOf(configSchema);

const noModules: LoadedModules = { names: [], types: [] };

const noFile = (): ConfigFile => ({ value: {}, problems: [], variables: new Set(), locate: () => 'environment' });

/**
 * Loads the configuration from defaults, switchyard.yaml and the environment, of which the later one wins. The result
 * is frozen.
 * @throws ConfigError that names each problem with its file, line, column and field, or its environment variable
 */
export function loadConfig(options: LoadOptions = {}): Config {
  const sources = mergedSources(options);
  const { error } = options.withoutWrongChoices ? configSchema.safeParse(sources.source.value) : {};
  for (const { code, path } of error?.issues ?? [])
    if (code === 'invalid_value') delete at(sources.source.value, path.slice(0, -1).map(String))?.[String(path.at(-1))];
  return checked(sources, options.modules);
}

/**
 * An entry of `providers` that comes from elsewhere than the file, completed and checked as one of the file. Of the
 * environment it gets the proxy alone.
 * @param entry as it would stand in the file
 * @throws ConfigError whose problems begin with `settings`, in the place of the entry's own path
 */
export function loadProviderEntry(id: string, entry: object, types: readonly ProviderType[], env = process.env): ProviderConfig {
  const proxies = Object.fromEntries(Object.entries(env).filter(([name]) => /^(https?|no)_proxy$/i.test(name)));
  const source = { ...noFile(), value: { providers: { [id]: structuredClone(entry) } }, locate: () => '' };
  try {
    const config = checked(completed({ source, settings: [], problems: [] }, { env: proxies, types, modules: noModules }), noModules);
    return config.providers[id]!;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError(error.problems.map((problem) => problem.replace(`: providers.${id}`, 'settings')));
  }
}

/** @throws ConfigError */
function checked({ source, settings, problems, types }: MergedSources, modules: LoadedModules | undefined): Config {
  const locate = locator(settings, source);
  const result = configSchema.safeParse(source.value);
  const issues = result.success ? [] : describeIssues(result.error.issues, shape, source.value, locate);
  const all = [
    ...source.problems,
    ...issues
      .filter((issue) => !source.problems.some((problem) => placeOf(problem) === placeOf(issue)))
      .map(withMeantType(source.value['providers'], types)),
    ...problems,
    ...unknownTypes(source.value, types, locate),
    ...optionProblems(source.value['providers'], locate),
  ];
  if (!result.success || all.length > 0) {
    // What is missing may come from modules that are not loaded yet.
    if (modules && !isDeepStrictEqual(source.value['modules'] ?? [], modules.names))
      all.push(`${locate(['modules'], 'value')}: modules changed, which are loaded when the gateway starts`);
    throw new ConfigError(all);
  }
  return deepFreeze(result.data);
}

/** Sentences for the operator about environment variables that change nothing. */
export function variablesWithoutEffect(options: LoadOptions = {}): string[] {
  const { env = process.env } = options;
  const { source, settings, types } = mergedSources(options);
  return withoutEffect(env, { settings, types, shape, named: source.variables, providers: at(source.value, ['providers']) ?? {} });
}

type Sources = ReturnType<typeof readSources>;
type MergedSources = Sources & { readonly types: readonly ProviderType[] };

/** The file with what the environment puts into it. */
function mergedSources(options: LoadOptions): MergedSources {
  return completed(readSources(options), options);
}

function completed({ source, settings, problems }: Sources, options: LoadOptions): MergedSources {
  const { env = process.env, types: ownTypes = [], modules } = options;
  const types = [...ownTypes, ...(modules?.types ?? [])];
  declareOptions(types);
  const fromFile = structuredClone(at(source.value, ['providers']) ?? {});
  for (const setting of settings) put(source.value, setting);
  const providers = (source.value['providers'] ??= {});
  if (isObject(providers)) {
    settings.push(...completeProviders(providers, fromFile, types, env));
    if (!modules && namesModules(source.value)) leaveOutUnknown(providers, types);
    coerceOptions(providers);
  }
  return { source, settings, problems, types };
}

/** The names in the setting `modules`, whatever else is wrong with the configuration. */
export function modulesOf(options: LoadOptions): string[] {
  const { modules } = mergedSources(options).source.value;
  return Array.isArray(modules) ? modules.filter((name) => typeof name === 'string') : [];
}

/**
 * Where the value at `path` comes from, for a problem that shows only later: `file:line:column`, or the name of an
 * environment variable.
 */
export function locateSetting(path: Path, options: LoadOptions = {}): string {
  const { source, settings } = readSources(options);
  return locator(settings, source)(path, 'value');
}

/**
 * Where each value comes from that is no default, by its name (`server.port`): as `locateSetting`.
 * @throws ConfigError where the file cannot be read
 */
export function settingSources(options: LoadOptions = {}): Map<string, string> {
  const { source, settings } = mergedSources(options);
  const locate = locator(settings, source);
  const found = new Map<string, string>();
  const walk = (value: unknown, path: Path): void => {
    if (isObject(value)) for (const [name, below] of Object.entries(value)) walk(below, [...path, name]);
    else found.set(dotted(path), locate(path, 'value'));
  };
  walk(source.value, []);
  return found;
}

function readSources(options: LoadOptions) {
  const { env = process.env } = options;
  const { file } = requireFound(options);
  const source = file ? readConfigFile(configPath(options), file, shape, env) : noFile();
  return { source, ...readEnvironment(env, shape, (section) => Object.keys(at(source.value, section) ?? {})) };
}

/**
 * The same options, in which the file that is there now is named: a configuration that has had a file is not read
 * without it later.
 */
export function requireFound(options: LoadOptions): LoadOptions {
  const { env = process.env, file = env['SWITCHYARD_CONFIG'] } = options;
  return { ...options, file: file || (existsSync(configPath(options)) ? DEFAULT_FILE : undefined) };
}

/** The path of the configuration file, whether it exists or not. */
export function configPath({ env = process.env, cwd = process.cwd(), file = env['SWITCHYARD_CONFIG'] }: LoadOptions = {}): string {
  return resolve(cwd, file || DEFAULT_FILE);
}

/** The place at the beginning of a problem. A value that needs an unset variable is reported for that alone. */
function placeOf(problem: string): string {
  return problem.slice(0, problem.indexOf(': '));
}

/** What an entry lacks that only variables make is told of one of them: the file has no place for it. */
function locator(settings: readonly Setting[], source: ConfigFile): Locate {
  return (path, part) => {
    const within = (above: Path | undefined) => above?.every((name, depth) => path[depth] === name) ?? false;
    const setting = settings.findLast((candidate) => within(candidate.path)) ?? settings.find(({ entry }) => within(entry));
    return setting?.variable ?? source.locate(path, part);
  };
}

function namesModules({ modules }: Record<string, unknown>): boolean {
  return Array.isArray(modules) && modules.length > 0;
}

/** Leaves out entries of unknown types. Without their modules they can be neither completed nor checked. */
function leaveOutUnknown(providers: Record<string, unknown>, types: readonly ProviderType[]): void {
  for (const [id, entry] of Object.entries(providers)) {
    if (!isObject(entry)) continue;
    const { type, base_url } = entry;
    if (type === undefined ? base_url === undefined : typeProblem(type, types)) delete providers[id];
  }
}

/** A missing address is told with the type that the entry's name was probably meant to be. */
function withMeantType(providers: unknown, types: readonly ProviderType[]): (problem: string) => string {
  return (problem) => {
    const id = / providers\.([^.]+)\.base_url is missing$/.exec(problem)?.[1] ?? '';
    const entry = isObject(providers) ? ownOf(providers, id) : undefined;
    return isObject(entry) && entry['type'] === undefined ? problem + meantType(id, types) : problem;
  };
}

function unknownTypes({ providers }: Record<string, unknown>, types: readonly ProviderType[], locate: Locate): string[] {
  if (!isObject(providers) || types.length === 0) return [];
  return Object.entries(providers).flatMap(([id, entry]) => {
    const problem = isObject(entry) && typeProblem(entry['type'], types);
    const path = ['providers', id, 'type'];
    return problem ? [`${locate(path, 'value')}: ${path.join('.')} ${problem}`] : [];
  });
}

function at(value: unknown, path: Path): Record<string, unknown> | undefined {
  let here = value;
  for (const name of path) here = isObject(here) ? ownOf(here, name) : undefined;
  return isObject(here) ? here : undefined;
}

/** Puts a setting into its place. Where something other than a section is in the way, the validation reports that. */
function put(value: Record<string, unknown>, { path, value: setting }: Setting): void {
  let here = value;
  for (const name of path.slice(0, -1)) {
    const below = ownOf(here, name) ?? {};
    setMember(here, name, below);
    if (!isObject(below)) return;
    here = below;
  }
  setMember(here, path.at(-1)!, setting);
}
