import type { Cluster } from 'node:cluster';

// Asked for only where there is a process to be a worker of: a start need not load it, and child processes with it.
const cluster = process.send && (process.getBuiltinModule('node:cluster') as unknown as Cluster);

/** Which of several processes on one port this one is, or undefined where it is none of them. */
export const workerId: number | undefined = cluster?.worker?.id;
