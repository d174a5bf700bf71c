import { suggestion } from './config-problems.js';
import { coerce, type Path, type Shape } from './schema-shape.js';

/** Names that platforms and people expect. A variable SWITCHYARD_SECTION_NAME wins over them. */
const aliases: Readonly<Record<string, Path>> = {
  PORT: ['server', 'port'],
  HOST: ['server', 'host'],
  DATABASE_URL: ['store', 'database_url'],
  SWITCHYARD_PEPPER: ['keys', 'pepper'],
  SWITCHYARD_WORKERS: ['server', 'workers'],
  OTEL_EXPORTER_OTLP_ENDPOINT: ['observability', 'otlp_endpoint'],
  OTEL_SERVICE_NAME: ['observability', 'service_name'],
};

export const PREFIX = 'SWITCHYARD_';

/** What other programs read, the command line among them, and what Kubernetes sets beside a service of that name. */
const foreign = /^SWITCHYARD_(CONFIG|URL|API_KEY|SERVICE_(HOST|PORT.*)|PORT(_\d+_(TCP|UDP).*)?)$/;

export interface Setting {
  readonly variable: string;
  readonly path: Path;
  readonly value: unknown;
  /** The entry that the setting is in, where the file does not have it. */
  readonly entry?: Path;
}

/**
 * Reads the settings in the environment. A section or a list may be given whole, as JSON. A variable that begins like a
 * section but names nothing in it is a problem. Any other variable belongs to somebody else: Kubernetes sets
 * SWITCHYARD_PORT=tcp://... beside a service of that name.
 * @param names the operator's own names so far, by section: `local-llm` is spelled LOCAL_LLM
 */
export function readEnvironment(
  env: NodeJS.ProcessEnv,
  shape: Shape,
  names: (section: Path) => readonly string[],
): { settings: Setting[]; problems: string[] } {
  const settings: Setting[] = [];
  const problems: string[] = [];
  const take = (variable: string, { path, shape: at, entry }: Found, text: string): void => {
    settings.push({ variable, path, value: coerce(text, at), entry });
  };
  for (const [variable, path] of Object.entries(aliases)) {
    const found = findPath(path.join('_').toUpperCase(), shape, names);
    if (env[variable] && found) take(variable, found, env[variable]);
  }
  for (const [variable, text] of Object.entries(env)) {
    if (!text || !variable.startsWith(PREFIX) || Object.hasOwn(aliases, variable)) continue;
    const rest = variable.slice(PREFIX.length);
    const found = findPath(rest, shape, names);
    if (found) take(variable, found, text);
    else problems.push(...unknown(variable, rest, shape));
  }
  return { settings, problems };
}

/** Variables that begin like ours, are not empty, name no setting and are nobody else's that is known. */
export function foreignVariables(env: NodeJS.ProcessEnv, shape: Shape): string[] {
  return Object.keys(env).filter((variable) => {
    if (!env[variable] || !variable.startsWith(PREFIX) || Object.hasOwn(aliases, variable) || foreign.test(variable)) return false;
    const rest = variable.slice(PREFIX.length);
    return !findPath(rest, shape, () => []) && unknown(variable, rest, shape).length === 0;
  });
}

interface Found {
  readonly path: Path;
  readonly shape: Shape;
  /** As in `Setting`. */
  readonly entry?: Path;
}

/** Finds the place that `rest`, for example SERVER_BODY_LIMIT, names. */
function findPath(rest: string, shape: Shape, names: (section: Path) => readonly string[], above: Path = []): Found | undefined {
  if (shape.kind === 'section') {
    for (const [name, field] of Object.entries(shape.fields)) {
      const found = descend(rest, name, field, names, above);
      if (found) return found;
    }
  }
  if (shape.kind === 'named') {
    for (const name of names(above)) {
      const found = descend(rest, name, shape.each, names, above);
      if (found) return found;
    }
    return newName(rest, shape.each, names, above);
  }
  return undefined;
}

function descend(rest: string, name: string, shape: Shape, names: (section: Path) => readonly string[], above: Path): Found | undefined {
  const word = spelled(name);
  const path = [...above, name];
  if (rest === word) return { path, shape };
  return rest.startsWith(`${word}_`) ? findPath(rest.slice(word.length + 1), shape, names, path) : undefined;
}

/**
 * Takes a new name from `rest`, for example LOCAL_LLM_BASE_URL: the shortest one after which a field follows, in the
 * spelling of ids.
 */
function newName(rest: string, each: Shape, names: (section: Path) => readonly string[], above: Path): Found | undefined {
  for (let end = rest.indexOf('_'); end > 0; end = rest.indexOf('_', end + 1)) {
    const path = [...above, rest.slice(0, end).toLowerCase().replaceAll('_', '-')];
    const found = findPath(rest.slice(end + 1), each, names, path);
    if (found) return { ...found, entry: path };
  }
  return undefined;
}

function unknown(variable: string, rest: string, shape: Shape): string[] {
  if (shape.kind !== 'section') return [];
  const section = Object.keys(shape.fields).find((name) => rest.startsWith(`${spelled(name)}_`));
  if (!section) return [];
  const field = rest.slice(section.length + 1).toLowerCase();
  return [`${variable}: ${section}.${field} is unknown${suggestion(field, shape.fields[section])}`];
}

function spelled(name: string): string {
  return name.toUpperCase().replace(/[^A-Z0-9]/g, '_');
}
