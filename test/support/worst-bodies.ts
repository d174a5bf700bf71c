import { ordinaryBody } from './hostile-bodies.ts';

/** Makes a body of about so many bytes. */
type Maker = (bytes: number) => Buffer;

const asked = (...contents: string[]) =>
  Buffer.from(`{"model":"m","messages":[${contents.map((content) => `{"role":"user","content":"${content}"}`).join(',')}]}`);
const text =
  (one: string): Maker =>
  (bytes) =>
    asked(one.repeat(bytes / one.length));
const escaped = '\\u20ac\\"'.repeat(560);

/**
 * Of each way of reading what is answered in small turns the body that is the dearest: a scan of the whole at once would
 * take three times as long as the longest of its turns.
 */
export const worstBodies: readonly (readonly [string, Maker])[] = [
  ['a text of numeric escapes', text('\\u20ac')],
  ['a text of escaped quotes', text('\\"')],
  ['texts of 4 KB with escapes', (bytes) => asked(...Array.from({ length: bytes / (escaped.length + 30) }, () => escaped))],
  ['short messages', ordinaryBody],
];
