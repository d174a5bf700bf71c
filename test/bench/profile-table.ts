import type { HeapProfiler, Profiler } from 'node:inspector';
import type { Frame } from './steps.ts';

const IDLE = '(idle)';

/** What falls to each step, or to each owner of code, and to all of them. */
export interface Shares<Name extends string> {
  readonly parts: ReadonlyMap<Name, number>;
  readonly sum: number;
}

/** @param stack from the innermost frame */
type NameOf<Name> = (stack: Iterable<Frame>) => Name;

/**
 * The CPU of the main thread by what its stacks belong to. Each sample stands for the same share of it: the time between
 * two samples is also that of other threads which had the core meanwhile.
 * @param cpu microseconds that the thread has had
 */
export function timesOf<Name extends string>({ nodes, samples = [] }: Profiler.Profile, cpu: number, nameOf: NameOf<Name>): Shares<Name> {
  const parents = new Map<number, Profiler.ProfileNode>();
  for (const node of nodes) for (const child of node.children ?? []) parents.set(child, node);
  const byId = new Map(nodes.map((node) => [node.id, node]));
  function* stackOf(id: number): Generator<Frame> {
    for (let node = byId.get(id); node; node = parents.get(node.id)) yield node.callFrame;
  }
  const counts = new Map<number, number>();
  for (const id of samples) if (byId.get(id)!.callFrame.functionName !== IDLE) counts.set(id, (counts.get(id) ?? 0) + 1);
  const all = Array.from(counts.values()).reduce((sum, count) => sum + count, 0);
  const parts = new Map<Name, number>();
  for (const [id, count] of counts) add(parts, nameOf(stackOf(id)), (cpu * count) / all);
  return { parts, sum: cpu };
}

/** Bytes that were allocated, by what the stacks belong to. */
export function bytesOf<Name extends string>({ head }: HeapProfiler.SamplingHeapProfile, nameOf: NameOf<Name>): Shares<Name> {
  const parts = new Map<Name, number>();
  let sum = 0;
  const visit = ({ callFrame, children, selfSize }: HeapProfiler.SamplingHeapProfileNode, outer: readonly Frame[]): void => {
    const stack = [callFrame, ...outer];
    sum += selfSize;
    if (selfSize > 0) add(parts, nameOf(stack), selfSize);
    for (const child of children) visit(child, stack);
  };
  visit(head, []);
  return { parts, sum };
}

function add<Name>(sums: Map<Name, number>, name: Name, amount: number): void {
  sums.set(name, (sums.get(name) ?? 0) + amount);
}
