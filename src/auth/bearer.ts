/** The longest header that is looked at, in characters; a key has at most 55. */
const MAX_HEADER_LENGTH = 512;

/**
 * Reads the key from an Authorization header. The result is empty when there is none. A header of another scheme
 * becomes a text that no key can be, so that it costs the same work as a wrong key.
 */
export function bearerToken(authorization: string | undefined): string {
  if (authorization === undefined) return '';
  const header = (authorization.length > MAX_HEADER_LENGTH ? authorization.slice(0, MAX_HEADER_LENGTH) : authorization).trim();
  if (header.startsWith('Bearer ')) return header.slice(7).trimStart();
  if (header === '') return '';
  const space = header.search(/[ \t]/);
  const scheme = space < 0 ? header : header.slice(0, space);
  if (scheme.toLowerCase() !== 'bearer') return `other scheme: ${header}`;
  return space < 0 ? '' : header.slice(space).trimStart();
}
