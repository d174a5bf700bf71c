import { setMember } from '../wire/own-members.js';
import { type LongText, longTextAt, putLongText } from './long-text.js';
import { longTextOf } from './outlined-text.js';

/** A member of an object, which is a text, null or absent. */
export type Member = readonly [holder: object, name: string];

/** Makes a member of several texts. Those that were not read yet are not decoded. */
export function putJoined(to: object, as: string, members: readonly Member[], between = ''): void {
  const texts = members.map(
    ([holder, name]) => longTextAt(holder, name) ?? (holder as Record<string, string | null | undefined>)[name] ?? '',
  );
  if (texts.every((text) => typeof text === 'string')) setMember(to, as, texts.join(between));
  else putLongText(to, as, joined(texts, between));
}

function joined(texts: readonly (LongText | string)[], between: string): LongText {
  const json: Buffer[] = [];
  let escapes = 0;
  const add = (text: LongText | string): void => {
    const parts = typeof text === 'string' ? [Buffer.from(JSON.stringify(text).slice(1, -1))] : text.json;
    for (const part of parts) {
      json.push(part);
      escapes += part.length;
    }
    escapes -= typeof text === 'string' ? Buffer.byteLength(text) : text.bytes;
  };
  for (const [index, text] of texts.entries()) {
    if (index > 0 && between !== '') add(between);
    add(text);
  }
  return longTextOf(json, escapes)!;
}
