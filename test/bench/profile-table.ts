import type { HeapProfiler, Profiler } from 'node:inspector';
import { type Frame, type Step, stepOf } from './steps.ts';

const IDLE = '(idle)';

/** What falls to each step, and to all of them. */
export interface ByStep {
  readonly steps: ReadonlyMap<Step, number>;
  readonly sum: number;
}

/**
 * The CPU of the main thread by step. Each sample stands for the same share of it: the time between two samples is also
 * that of other threads which had the core meanwhile.
 * @param cpu microseconds that the thread has had
 */
export function timesOf({ nodes, samples = [] }: Profiler.Profile, root: string, cpu: number): ByStep {
  const parents = new Map<number, Profiler.ProfileNode>();
  for (const node of nodes) for (const child of node.children ?? []) parents.set(child, node);
  const byId = new Map(nodes.map((node) => [node.id, node]));
  function* stackOf(id: number): Generator<Frame> {
    for (let node = byId.get(id); node; node = parents.get(node.id)) yield node.callFrame;
  }
  const counts = new Map<number, number>();
  for (const id of samples) if (byId.get(id)!.callFrame.functionName !== IDLE) counts.set(id, (counts.get(id) ?? 0) + 1);
  const all = Array.from(counts.values()).reduce((sum, count) => sum + count, 0);
  const times = new Map<Step, number>();
  for (const [id, count] of counts) add(times, stepOf(stackOf(id), root), (cpu * count) / all);
  return { steps: times, sum: cpu };
}

/** Bytes by step. */
export function bytesOf({ head }: HeapProfiler.SamplingHeapProfile, root: string): ByStep {
  const bytes = new Map<Step, number>();
  let sum = 0;
  const visit = ({ callFrame, children, selfSize }: HeapProfiler.SamplingHeapProfileNode, outer: readonly Frame[]): void => {
    const stack = [callFrame, ...outer];
    sum += selfSize;
    if (selfSize > 0) add(bytes, stepOf(stack, root), selfSize);
    for (const child of children) visit(child, stack);
  };
  visit(head, []);
  return { steps: bytes, sum };
}

function add(sums: Map<Step, number>, step: Step, amount: number): void {
  sums.set(step, (sums.get(step) ?? 0) + amount);
}
