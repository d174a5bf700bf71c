import type { LookupAddress } from 'node:dns';
import type { Lookup } from '../../common/addresses/refused-addresses.js';

/** Resolves every name to these addresses, to the next ones each time. */
export function resolvesTo(...answers: string[][]): { resolve: Lookup; asked: string[] } {
  const asked: string[] = [];
  const resolve: Lookup = (name, { all }, callback) => {
    const list: LookupAddress[] = answers[Math.min(asked.push(name), answers.length) - 1]!.map((address) => ({ address, family: 4 }));
    if (all) callback(null, list);
    else callback(null, list[0]!.address, 4);
  };
  return { resolve, asked };
}
