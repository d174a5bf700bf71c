import { setMember } from '../../wire/own-members.js';

/** Characters of what comes before the data. */
const MAX_HEAD = 1_024;

/** A text that may be a data: URL (RFC 2397). */
interface DataUrl {
  /** Up to the comma before the data, with it; the whole text where no comma is near its beginning. */
  readonly head: string;
  readonly data: string;
}

/** @returns undefined where the member is no text */
export function dataUrlAt(holder: object, name: string): DataUrl | undefined {
  const url = (holder as Record<string, unknown>)[name];
  if (typeof url !== 'string') return undefined;
  const length = url.slice(0, MAX_HEAD).indexOf(',') + 1;
  return length > 0 ? { head: url.slice(0, length), data: url.slice(length) } : { head: url, data: '' };
}

/** The media type of base64 data, in lower case; the empty string where the URL has none. */
export function mediaTypeOf({ head }: DataUrl): string {
  const [, mediaType = ''] = /^data:([\w.+-]+\/[\w.+-]+)(?:;[^,;]+)*;base64,$/i.exec(head) ?? [];
  return mediaType.toLowerCase();
}

/** Makes the data a member of an object, or an element of an array. */
export function putData(holder: object, name: string, { data }: DataUrl): void {
  setMember(holder, name, data);
}

/** Sets the data of an object. */
export function withData<T extends { data: string }>(holder: T, url: DataUrl): T {
  putData(holder, 'data', url);
  return holder;
}

/**
 * A pattern of what comes before base64 data.
 * @param types of media, as a regular expression
 * @param more what is behind that expression, as another beginning
 */
export function base64Of(types: string, more = ''): RegExp {
  return new RegExp(`^data:(${types})(;[^,;]+)*;base64,$${more}`, 'i');
}
