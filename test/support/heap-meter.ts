import { freePort } from './free-port.ts';

/** Tells what a process can reach in memory. */
export interface HeapMeter {
  /** Of node, which starts the process. */
  readonly flags: readonly string[];
  /** Bytes of the main thread's objects and buffers, without garbage. */
  reachable(): Promise<number>;
}

export async function heapMeter(): Promise<HeapMeter> {
  const port = await freePort();
  return {
    flags: ['--import', `${new URL('heap-meter.mjs', import.meta.url).href}?${port}`],
    reachable: async () => Number(await (await fetch(`http://127.0.0.1:${port}`)).text()),
  };
}
