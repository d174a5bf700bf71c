import { setFlagsFromString } from 'node:v8';

/**
 * How V8 is to keep a gateway that serves:
 *
 * - without its middle compiler, whose work leaves 25 to 35 MB with the allocator after a burst: 8 KB of each of 3,000 open streams;
 * - with hot functions optimized after a third of the calls that V8 waits for: what they do is the same from the first request on, and a gateway that is
 *   new, or has been silent, costs a quarter less in its first ten seconds;
 * - without its habit to allocate in the old generation what a burst has shown to live long: each request would stay there until the next full
 *   collection (see `OpenSet`).
 *
 * Not on the command line: with any such flag from the beginning, Node refuses the code cache of its own modules, which is a fifth of a start. So this
 * comes when everything is loaded.
 */
export function setEngineFlags(): void {
  setFlagsFromString('--no-maglev');
  setFlagsFromString('--invocation-count-for-turbofan=1000');
  setFlagsFromString('--no-allocation-site-pretenuring');
}
