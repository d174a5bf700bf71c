import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapping } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** CommonJS is told by its path, an ES module by its address. */
const position = /(file:\/\/[^\s()]+\.[cm]?js|(?<=[\s(])\/[^\s()]+\.[cm]?js):(\d+):(\d+)/g;

const maps = new Map<string, SourceMap | undefined>();

/**
 * Replaces the positions in a stack trace by those in the source, where source maps lie beside the files. Node's own
 * `--enable-source-maps` reads all source maps at the start and keeps them, which takes 15 MB and 100 ms although
 * nothing may ever fail.
 */
export function withSourcePositions(stack: string): string {
  return stack.replace(position, (place, named: string, line: string, column: string) => {
    const isPath = named.startsWith('/');
    const file = isPath ? pathToFileURL(named).href : named;
    const entry: Partial<SourceMapping> = mapOf(file)?.findEntry(Number(line) - 1, Number(column) - 1) ?? {};
    const { originalSource, originalLine = 0, originalColumn = 0 } = entry;
    if (originalSource === undefined) return place;
    const source = new URL(originalSource, file);
    return `${isPath ? fileURLToPath(source) : source.href}:${originalLine + 1}:${originalColumn + 1}`;
  });
}

function mapOf(file: string): SourceMap | undefined {
  if (!maps.has(file)) maps.set(file, read(`${file}.map`));
  return maps.get(file);
}

function read(file: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(new URL(file), 'utf8')) as ConstructorParameters<typeof SourceMap>[0]);
  } catch {
    return undefined;
  }
}
