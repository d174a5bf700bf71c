import { existsSync, readFileSync } from 'node:fs';
import type { Profiler } from 'node:inspector';
import { SourceMap, type SourceMapPayload, type SourceMapping } from 'node:module';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The same profile with the sources in the place of the bundle, as far as its maps know them. */
export function withSources(profile: Profiler.Profile): Profiler.Profile {
  const maps = new Map<string, SourceMap | undefined>();
  const mapOf = (url: string): SourceMap | undefined => {
    if (!maps.has(url)) {
      const path = `${fileURLToPath(url)}.map`;
      maps.set(url, existsSync(path) ? new SourceMap(JSON.parse(readFileSync(path, 'utf8')) as SourceMapPayload) : undefined);
    }
    return maps.get(url);
  };
  const original = (frame: Profiler.ProfileNode['callFrame']): Profiler.ProfileNode['callFrame'] => {
    const { url, lineNumber, columnNumber } = frame;
    const entry = url.startsWith('file:') ? mapOf(url)?.findEntry(lineNumber, columnNumber) : undefined;
    // Without a source where the map has none for the place.
    if (!entry || !('originalSource' in entry)) return frame;
    const { originalSource, originalLine, originalColumn } = entry as SourceMapping;
    const source = resolve(dirname(fileURLToPath(url)), originalSource);
    return { ...frame, url: pathToFileURL(source).href, lineNumber: originalLine, columnNumber: originalColumn };
  };
  return { ...profile, nodes: profile.nodes.map((node) => ({ ...node, callFrame: original(node.callFrame) })) };
}

const IDLE = '(idle)';

/** Package, module of Node's, folder of ours, or what V8 says it did. */
export function groupOf({ url, functionName }: Profiler.ProfileNode['callFrame'], root: string): string {
  if (url === '') return functionName.startsWith('(') ? functionName : `native ${functionName || '(unnamed)'}`;
  if (url.startsWith('node:'))
    return url
      .split('/')
      .slice(0, url.startsWith('node:internal') ? 2 : 1)
      .join('/');
  if (!url.startsWith('file:')) return url;
  const path = fileURLToPath(url);
  const inPackage = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path);
  if (inPackage) return inPackage[1]!;
  const [first, second, third] = relative(root, path).split('/');
  return first === 'src' && third !== undefined ? `src/${second}` : first!;
}

/** Microseconds of self time by group, and of them all but idle. */
export function selfTimes(profile: Profiler.Profile, root: string): { groups: Map<string, number>; busy: number; idle: number } {
  const byNode = new Map(profile.nodes.map(({ id, callFrame }) => [id, groupOf(callFrame, root)]));
  const groups = new Map<string, number>();
  const deltas = profile.timeDeltas!;
  // A sample stands for the time until the next one.
  profile.samples!.forEach((id, index) => {
    const group = byNode.get(id)!;
    groups.set(group, (groups.get(group) ?? 0) + (deltas[index + 1] ?? 0));
  });
  const idle = groups.get(IDLE) ?? 0;
  groups.delete(IDLE);
  return { groups, busy: [...groups.values()].reduce((sum, micros) => sum + micros, 0), idle };
}
