import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/*
 * Everything by which the gateway departs from V8's defaults. Measured with Node 24.21 on two cores.
 *
 * One setting cannot be made from here, because V8 reads it when it creates its heap: `npm start` limits the
 * semi-spaces of the young generation to 16 MB (`--max-semi-space-size=16`). An open idle stream takes 45 KiB with the
 * limit and 66 KiB without it; we promise at most 50.
 */

type Gc = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void;

let gc: Gc | undefined;

/** Sets the flags of V8 that take effect in a process that runs already. */
export function setV8Flags(): void {
  // V8 would allocate objects in the old generation because earlier objects of their kind have lived long. After a
  // burst
  // of streams each request would leave 25 KB there until the next full collection, instead of 2.6 KB
  // (test/long/memory.spec.ts).
  setFlagsFromString('--no-allocation-site-pretenuring');
  // V8 optimizes hot functions after a third of the calls that it waits for by default. A new gateway under full load
  // reaches its final cost after some five seconds instead of more than ten; between them a request of 1 KB takes 19 to
  // 27 % less CPU. Once warm there is no difference.
  setFlagsFromString('--invocation-count-for-turbofan=1000');
  // The middle compiler leaves memory with the allocator after a burst. An open idle stream, of 3,000, takes 50 KiB
  // without it and 55 to 59 with it; we promise about 50. Chunks and requests cost the same.
  setFlagsFromString('--no-maglev');
  // V8 would collect garbage after eight seconds of little work, and throw compiled code away with it. In the first
  // second
  // after a pause of eleven seconds a request would take 1,332 µs of CPU instead of 214 (64 connections). A longer
  // silence
  // is the business of IdleMemory.
  setFlagsFromString('--memory-reducer-gc-count=0');
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
