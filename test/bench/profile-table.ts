import type { Profiler } from 'node:inspector';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

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
  if (first !== 'dist') return first!;
  return third === undefined ? 'src' : `src/${second}`;
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
