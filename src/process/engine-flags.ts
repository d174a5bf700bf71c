import { setFlagsFromString } from 'node:v8';

/**
 * How V8 is to keep a gateway that serves:
 *
 * - without its middle compiler, whose work leaves 25 to 35 MB with the allocator after a burst: 8 KB of each of 3,000 open streams;
 * - with hot functions optimized after a third of the calls that V8 waits for: what they do is the same from the first request on, and a gateway that is
 *   new, or has been silent, costs a quarter less in its first ten seconds;
 * - without its habit to allocate in the old generation what a burst has shown to live long: each request would stay there until the next full
 *   collection (see `IndexedSet`);
 * - without a collection after eight seconds of little work, which takes compiled code along: requests after such a pause cost six times as much for a
 *   second. A longer silence is another matter (`IdleMemory`).
 *
 * Not on the command line: with any such flag from the beginning, Node refuses the code cache of its own modules, which is a fifth of a start. So this
 * comes when everything is loaded, and what V8 made of it is kept (src/main.ts).
 *
 * Sizes of the young generation are no such flags. `npm start` has it begin with 2 MB: after the many small collections of a start with less, V8 takes most
 * of what it allocates for garbage, and marks the whole heap before the gateway listens, 20 to 40 ms.
 */
export function setEngineFlags(): void {
  setFlagsFromString('--no-maglev');
  setFlagsFromString('--invocation-count-for-turbofan=1000');
  setFlagsFromString('--no-allocation-site-pretenuring');
  setFlagsFromString('--memory-reducer-gc-count=0');
}
