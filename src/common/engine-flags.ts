import { setFlagsFromString } from 'node:v8';

/**
 * How V8 is to keep a gateway that serves:
 *
 * - without its middle compiler, whose work leaves 25 MB with the allocator after a burst;
 * - without its habit to allocate in the old generation what a burst has shown to live long: each request would stay there until the next full
 *   collection (see `OpenSet`).
 *
 * Not on the command line: with any such flag from the beginning, Node refuses the code cache of its own modules, which is a fifth of a start. So this
 * comes when everything is loaded.
 */
export function setEngineFlags(): void {
  setFlagsFromString('--no-maglev');
  setFlagsFromString('--no-allocation-site-pretenuring');
}
