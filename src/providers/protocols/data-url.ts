import { decodedStart, type LongText, longTextAt, putLongText, valueAt } from '../../json/long-text.js';

/** Characters of what comes before the data. */
const MAX_HEAD = 1_024;

const COMMA = 0x2c;

/** A text that may be a data: URL (RFC 2397). */
export interface DataUrl {
  /** Up to the comma before the data, with it; the whole text where no comma is near its beginning. */
  readonly head: string;
  readonly data: string | LongText;
}

/** @returns undefined where the member is no text. Data that was not read yet is not decoded. */
export function dataUrlAt(holder: object, name: string): DataUrl | undefined {
  const text = longTextAt(holder, name);
  const comma = text ? text.start(MAX_HEAD).indexOf(COMMA) : -1;
  if (text && comma >= 0) return { head: decodedStart(text, comma + 1), data: text.after(comma + 1) };
  const url = text ? (holder as Record<string, unknown>)[name] : valueAt(holder, name);
  if (typeof url !== 'string') return undefined;
  const length = url.slice(0, MAX_HEAD).indexOf(',') + 1;
  return length > 0 ? { head: url.slice(0, length), data: url.slice(length) } : { head: url, data: '' };
}

/** Sets the data of an object. */
export function withData<T extends { data: string }>(holder: T, { data }: DataUrl): T {
  if (typeof data === 'string') holder.data = data;
  else putLongText(holder, 'data', data);
  return holder;
}
