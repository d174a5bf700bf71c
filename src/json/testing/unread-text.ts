import type { LongText } from '../long-text.js';

/** A long text that fails where anything is read of it that is not given. */
export function unreadText(given: Partial<LongText>): LongText {
  const unread = (): never => {
    throw new Error('it is decoded');
  };
  return { bytes: 0, json: [], start: unread, after: unread, pieces: unread, decode: unread, ...given };
}
