/** What has something for a client. */
export interface HandsOver {
  handOver(): void;
}

let waiting: HandsOver[] = [];

/**
 * Has it hand over what it has at the end of this turn of the event loop, together with the others of the turn: whoever reads it on this machine, a client
 * or a proxy, is then woken once and not for each, which is most of what a write costs (measured).
 */
export function atTurnEnd(one: HandsOver): void {
  if (waiting.push(one) === 1) setImmediate(handAllOver);
}

/** Now: to be called before anything is written down that holds good only for what was delivered. */
export function handAllOver(): void {
  while (waiting.length > 0) {
    const all = waiting;
    waiting = [];
    for (const one of all) one.handOver();
  }
}
