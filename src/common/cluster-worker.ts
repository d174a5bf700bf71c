import cluster from 'node:cluster';

/** The number of this process among those that serve on one port, or undefined where it is none of them. */
export const workerId: number | undefined = cluster.worker?.id;
