import { foreignVariables, PREFIX, type Setting } from './config-environment.js';
import { dotted } from './config-problems.js';
import { nearest } from './nearest.js';
import { notInstalled, switchingVariables } from './provider-defaults.js';
import type { ProviderType } from './provider-type.js';
import type { Path, Shape } from './schema-shape.js';
import { isObject } from '../wire/json-object.js';

/** What was made of the environment and the file. */
interface Sources {
  /** Of two for one place the later one counts. */
  readonly settings: readonly Setting[];
  readonly types: readonly ProviderType[];
  readonly shape: Shape;
  /** Variables that the file refers to. */
  readonly named: ReadonlySet<string>;
  /** The `providers` section as it came out. */
  readonly providers: Readonly<Record<string, unknown>>;
}

/** Shorter names have too many neighbours for a guess. */
const MIN_STEM = 4;

/** Sentences for the operator about variables that were probably meant for the gateway and change nothing. */
export function withoutEffect(env: NodeJS.ProcessEnv, sources: Sources): string[] {
  return [
    ...unknownSettings(env, sources),
    ...overridden(sources),
    ...unusedKeys(env, sources),
    ...notInstalled(sources.providers, sources.types, env),
    ...mistyped(env, sources),
  ];
}

function unknownSettings(env: NodeJS.ProcessEnv, { shape }: Sources): string[] {
  const known = variablesOf(shape);
  return foreignVariables(env, shape).map((variable) => {
    const rest = variable.slice(PREFIX.length);
    const meant = known.find((name) => name.endsWith(`_${rest}`)) ?? nearest(variable, known);
    return `${variable} has no effect: there is no such setting${meant ? `; did you mean ${meant}?` : ''}`;
  });
}

/** `SWITCHYARD_SECTION_NAME` of every setting whose name is not the operator's choice. */
function variablesOf(shape: Shape, above = PREFIX.slice(0, -1)): string[] {
  if (shape.kind !== 'section') return [above];
  return [above, ...Object.entries(shape.fields).flatMap(([name, field]) => variablesOf(field, `${above}_${name.toUpperCase()}`))].slice(
    above === PREFIX.slice(0, -1) ? 1 : 0,
  );
}

function overridden({ settings }: Sources): string[] {
  return settings.flatMap(({ variable, path }, index) => {
    const winner = settings.slice(index + 1).find((later) => isPrefix(later.path, path));
    return winner ? [`${variable} has no effect: ${winner.variable} sets ${dotted(winner.path)}`] : [];
  });
}

function isPrefix(prefix: Path, path: Path): boolean {
  return prefix.every((name, depth) => path[depth] === name);
}

/** Keys and addresses of known types of providers that no entry has taken. */
function unusedKeys(env: NodeJS.ProcessEnv, { settings, types, named, providers }: Sources): string[] {
  const used = new Set([...settings.map(({ variable }) => variable), ...named]);
  return types.flatMap((type) => {
    const { apiKey, address } = type.environment ?? {};
    const taken = Object.entries(providers).find(([, entry]) => isObject(entry) && entry['type'] === type.type);
    const missing = switchingVariables(type).find((name) => !env[name]);
    return [apiKey, address].flatMap((variable) => {
      if (variable === undefined || !env[variable] || used.has(variable)) return [];
      const why = taken ? whyUnused(taken, variable === apiKey ? 'api_key' : 'base_url') : missing && `${type.type} needs ${missing} too`;
      return why ? [`${variable} has no effect: ${why}`] : [];
    });
  });
}

function whyUnused([id, entry]: [string, unknown], field: 'api_key' | 'base_url'): string {
  const own = isObject(entry) && entry[field] !== undefined;
  if (own) return `providers.${id} has its own ${field}`;
  return `a key of the environment is not sent to the base_url of providers.${id}: name it there as \${NAME}`;
}

/** Names that differ from that of a known key by a typing error. */
function mistyped(env: NodeJS.ProcessEnv, { types, named }: Sources): string[] {
  const known = types.flatMap(({ environment: { apiKey, address, options = {} } = {}, requires = [] }) =>
    [apiKey, address, ...Object.values(options), ...requires].filter((name) => name !== undefined),
  );
  return Object.keys(env).flatMap((variable) => {
    if (!env[variable] || known.includes(variable) || named.has(variable) || variable.startsWith(PREFIX)) return [];
    if (!/^[A-Z][A-Z0-9_]*_(API_?KEY|KEY|TOKEN|ENDPOINT|HOST|BASE_URL)$/.test(variable)) return [];
    const meant = nearest(variable, known);
    if (!meant || stem(meant).length < MIN_STEM) return [];
    return [`${variable} has no effect; did you mean ${meant}?`];
  });
}

/** The vendor's part of a variable's name. */
function stem(variable: string): string {
  return variable.replace(/_(API_KEY|TOKEN|HOST|ENDPOINT|BASE_URL)$/, '');
}
