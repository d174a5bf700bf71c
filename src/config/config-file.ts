import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Document, Node } from 'yaml';
import { ConfigError, dotted } from './config-problems.js';
import { coerce, type Path, type Shape, shapeAt } from './schema-shape.js';

export interface ConfigFile {
  readonly value: Record<string, unknown>;
  readonly problems: readonly string[];
  /** The names of the environment variables that it refers to. */
  readonly variables: ReadonlySet<string>;
  /**
   * Where the value at `path` (or its name) stands, as `file:line:column`. Where the file does not have it, the nearest
   * place above it counts.
   */
  locate(path: Path, part: 'key' | 'value'): string;
}

const require = createRequire(import.meta.url);

/** Loads the parser, which has 72 files, with the first configuration file: most first starts have none. */
const yaml = () => require('yaml') as typeof import('yaml');

/** A word that the operator has probably meant as a variable. */
const bareName = /(?<=^|\s)\$[A-Z_][A-Z0-9_]*(?=\s|$)/;
const escapedName = /(?<=^|\s)\$(?=\$[A-Z_][A-Z0-9_]*(\s|$))/g;

/**
 * Reads the YAML file. A section without a field counts as an empty one. `${NAME}` inside a text is replaced from the
 * environment, and `$${` is a plain `${`. The word `$NAME` is refused, and `$$NAME` is a plain `$NAME`.
 * @param name the file's name in messages to the operator
 * @throws ConfigError when it cannot be read or is not YAML
 */
export function readConfigFile(path: string, name: string, shape: Shape, env: NodeJS.ProcessEnv): ConfigFile {
  const { isMap, LineCounter, parseDocument } = yaml();
  const lines = new LineCounter();
  // Pretty errors are off because they quote the lines around, which may hold secrets.
  const document = parseDocument(read(path, name), { lineCounter: lines, prettyErrors: false, logLevel: 'error' });
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${name}:${line}:${col}`;
  };
  // The parser reports errors that follow from the first one too, and only the first one has to be mended.
  const [error] = document.errors;
  if (error) throw new ConfigError([`${at(error.pos[0])}: not valid YAML (${error.code.toLowerCase().replaceAll('_', ' ')})`]);
  if (document.contents !== null && !isMap(document.contents) && !isEmpty(document.contents))
    throw new ConfigError([`${name}:1:1: the file must be a map of sections`]);
  const nameless = aliasesOfNothing(document, at);
  if (nameless.length > 0) throw new ConfigError(nameless);
  const { problems, variables } = interpolate(document, shape, env, at);
  return {
    value: withoutEmpty(plain(document, name), shape) as Record<string, unknown>,
    problems,
    variables,
    locate: (place, part) => at(offsetOf(document, place, part)),
  };
}

function read(path: string, name: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError([`${name} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`]);
  }
}

/** A secret without quotes that begins with `*` is such an alias, which is why its text is not shown. */
function aliasesOfNothing(document: Document, at: (offset: number) => string): string[] {
  const { isAlias, visit } = yaml();
  const anchors = new Set<string>();
  const problems: string[] = [];
  visit(document, {
    Node(_, node, ancestors) {
      if (!isAlias(node)) {
        if (node.anchor !== undefined) anchors.add(node.anchor);
      } else if (!anchors.has(node.source)) {
        const place = `${at(node.range?.[0] ?? 0)}: ${dotted(pathTo(ancestors))}`;
        problems.push(`${place} has an alias (*...) that no anchor (&...) before it names: put a value that begins with * in quotes`);
      }
    },
  });
  return problems;
}

/** @throws ConfigError where aliases of aliases would make a small file fill the memory */
function plain(document: Document, name: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    throw new ConfigError([`${name}:1:1: aliases (*...) repeat too often what anchors (&...) name: write some of it out`]);
  }
}

function isEmpty(node: Node): boolean {
  return yaml().isScalar(node) && node.value === null;
}

function interpolate(
  document: Document,
  shape: Shape,
  env: NodeJS.ProcessEnv,
  at: (offset: number) => string,
): Pick<ConfigFile, 'problems' | 'variables'> {
  const problems: string[] = [];
  const variables = new Set<string>();
  yaml().visit(document, {
    Scalar(part, node, ancestors) {
      const text = node.value;
      if (part === 'key' || typeof text !== 'string' || !text.includes('$')) return;
      const path = pathTo(ancestors);
      const place = at(node.range?.[0] ?? 0);
      if (bareName.test(text))
        problems.push(`${place}: ${dotted(path)} has $NAME without braces: write \${NAME} for a variable, or $$NAME for this text`);
      node.value = text.replace(escapedName, '');
      if (!text.includes('${')) return;
      let missing = false;
      const filled = String(node.value).replace(/\$(\$\{)|\$\{([^}]*)\}/g, (_, literal: string | undefined, name = '') => {
        if (literal) return literal;
        variables.add(String(name));
        const value = env[name as string];
        if (!value) {
          missing = true;
          problems.push(`${place}: ${dotted(path)} needs the environment variable ${String(name)}, which is not set`);
        }
        return value ?? '';
      });
      node.value = missing ? filled : coerce(filled, shapeAt(shape, path));
    },
  });
  return { problems, variables };
}

function pathTo(ancestors: readonly unknown[]): string[] {
  const { isScalar } = yaml();
  return ancestors.flatMap((ancestor) =>
    typeof ancestor === 'object' && ancestor !== null && 'key' in ancestor && isScalar(ancestor.key) ? [String(ancestor.key.value)] : [],
  );
}

function offsetOf(document: Document, path: Path, part: 'key' | 'value'): number {
  const { isMap, isNode, isScalar, isSeq } = yaml();
  let node: unknown = document.contents;
  let offset = 0;
  for (const [depth, name] of path.entries()) {
    if (isSeq(node)) {
      node = node.items[Number(name)];
      if (isNode(node) && node.range) offset = node.range[0];
      continue;
    }
    if (!isMap(node)) break;
    const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === name);
    if (!pair) break;
    const key = pair.key as Node;
    offset = key.range?.[0] ?? offset;
    node = pair.value;
    if (isNode(node) && node.range && !(part === 'key' && depth === path.length - 1)) offset = node.range[0];
  }
  return offset;
}

/** Replaces null by an empty section: `server:` with all of its fields commented out is null in YAML. */
function withoutEmpty(value: unknown, shape: Shape | undefined): unknown {
  if (shape?.kind !== 'section' && shape?.kind !== 'named') return value;
  if (value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, below]) => [name, withoutEmpty(below, shapeAt(shape, [name]))]));
}
