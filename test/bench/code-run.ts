import type { Profiler } from 'node:inspector';
import { placeOf } from './steps.ts';

/** What code ran: functions, and bytes of their source. */
export interface CodeRun {
  readonly functions: number;
  readonly bytes: number;
  /** The same by room of ours, or by package. */
  readonly places: ReadonlyMap<string, { functions: number; bytes: number }>;
}

/** @param root the folder of the repository */
export function codeRun(scripts: readonly Profiler.ScriptCoverage[], root: string): CodeRun {
  const places = new Map<string, { functions: number; bytes: number }>();
  let [functions, bytes] = [0, 0];
  for (const { url, functions: all } of scripts) {
    const called = all.filter(({ ranges }) => ranges[0]!.count > 0).length;
    if (called === 0) continue;
    const ran = bytesRun(all.flatMap(({ ranges }) => ranges));
    const room = /^(?:src\/[\w-]+|[^#/]+(?:\/[\w-]+)?)/.exec(placeOf(url, root))?.[0] ?? url;
    const place = places.get(room) ?? { functions: 0, bytes: 0 };
    places.set(room, { functions: place.functions + called, bytes: place.bytes + ran });
    functions += called;
    bytes += ran;
  }
  return { functions, bytes, places };
}

/** The bytes whose innermost range was run. Ranges lie in each other or apart. */
function bytesRun(ranges: readonly Profiler.CoverageRange[]): number {
  const sorted = ranges.toSorted((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset);
  const around: Profiler.CoverageRange[] = [];
  let bytes = 0;
  for (const range of sorted) {
    while (around.length > 0 && around.at(-1)!.endOffset <= range.startOffset) around.pop();
    const length = range.endOffset - range.startOffset;
    const outer = around.at(-1);
    if (outer !== undefined && outer.count > 0) bytes -= length;
    if (range.count > 0) bytes += length;
    around.push(range);
  }
  return bytes;
}
