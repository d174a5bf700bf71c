import { decodedStart, longTextAt } from '../../json/long-text.js';

/** Bytes of a long id as it is written. */
const TELLING = 4_096;

/** What tells an id from others: the id itself; of one that was not read yet its beginning and its length. */
export function idKey(holder: object, name: string): string {
  const long = longTextAt(holder, name);
  return long ? `${decodedStart(long, TELLING)} ${long.bytes}` : ((holder as Record<string, string | undefined>)[name] ?? '');
}
