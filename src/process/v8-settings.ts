import { executionAsyncResource } from 'node:async_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** What Node has to be given before the program, because V8 reads it when it creates its heap. */
export const startFlags: readonly string[] = ['--max-semi-space-size=16'];

/*
 * Everything by which the gateway departs from V8's defaults. Measured with Node 24.21 on two cores.
 *
 * One setting cannot be made from here, because V8 reads it when it creates its heap: `npm start` and
 * `switchyard start` limit the semi-spaces of the young generation to 16 MB. An open idle stream takes
 * 45 KiB with the limit and 66 KiB without it.
 *
 * The compilers are left alone. With `--no-maglev` and `--invocation-count-for-turbofan=1000` the first 1,000 requests
 * of a process took 1,500 µs instead of 1,000 each; an open idle stream took 2 to 5 KiB less.
 */

type Gc = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void;

let gc: Gc | undefined;

/** Makes the settings that take effect in a process that runs already. */
export function setV8Flags(): void {
  // V8 would allocate objects in the old generation because earlier objects of their kind have lived long. After a
  // burst of streams each request would leave 25 KB there until the next full collection, instead of 2.6 KB
  // (test/long/memory.spec.ts).
  setFlagsFromString('--no-allocation-site-pretenuring');
  // V8 would collect garbage after eight seconds of little work, and throw compiled code away with it. In the first
  // second after a pause of eleven seconds a request would take 1,332 µs of CPU instead of 214 (64 connections). A
  // longer silence is the business of IdleMemory.
  setFlagsFromString('--memory-reducer-gc-count=0');
  // V8 compiles whatever reads buffers for a process in which none has ever been given away. The first prompt of
  // 100 KB, whose buffers are freed at once, would make it throw away the code of 111 functions, of nearly all of a
  // request.
  new ArrayBuffer(1).transfer(0);
}

const ticks: object[] = [];

/**
 * Keeps one of the objects that Node queues for each `process.nextTick`. When a full collection finds none of them
 * alive, V8 forgets their hidden class and from then on makes every one with calls of its runtime, which takes 400 ns
 * instead of 50. A request has some thirty of them, which was 3 % of a request of 1 KB and 2 % of a chunk. To be called before
 * anything large is imported, which is when the first full collections happen.
 */
export function keepTickClass(): void {
  process.nextTick(() => ticks.push(executionAsyncResource()));
}

/**
 * Collects all garbage and gives the memory back to the system. A gateway that has just started takes 129 MiB after it
 * and 162 MiB without it; we promise at most 150. After 3,000 streams V8 by itself gives nothing back within 45 seconds
 * of silence.
 */
export function collectGarbage(): void {
  if (!gc) {
    setFlagsFromString('--expose-gc');
    gc = runInNewContext('gc') as Gc;
  }
  // The flavor makes V8 collect twice and shrink the young generation to its initial size.
  gc({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
