/** Characters that JSON.stringify may write in more than their UTF-8 bytes. */
// oxlint-disable-next-line no-control-regex
const escaped = /["\\\u0000-\u001f\ud800-\udfff]/;

/** Characters up to which a text is looked through one by one. */
const SHORT = 48;

/** Characters from which on the escapes of a text are not counted: to write them would take as long as the text. */
const LONG = 4 * 1024;

/**
 * The UTF-8 bytes of a parsed value as JSON without white space: the length of what JSON.stringify makes of it, without
 * making it. A long text counts without its escapes.
 */
export function jsonBytes(value: unknown): number {
  if (typeof value === 'string') return textBytesAsJson(value);
  if (typeof value !== 'object' || value === null) return String(value).length;
  let bytes = 1;
  if (Array.isArray(value)) {
    for (const element of value) bytes += jsonBytes(element) + 1;
  } else if (JSON.isRawJSON(value)) {
    return value.rawJSON.length;
  } else {
    for (const name in value) {
      const member = (value as Record<string, unknown>)[name];
      if (member !== undefined) bytes += textBytesAsJson(name) + jsonBytes(member) + 2;
    }
  }
  return Math.max(bytes, 2);
}

/** The UTF-8 bytes of a member as JSON, with its name, its colon and its comma; 0 where it is undefined. */
export function memberBytes(holder: object, name: string): number {
  const value = (holder as Record<string, unknown>)[name];
  return value === undefined ? 0 : textBytesAsJson(name) + jsonBytes(value) + 2;
}

function textBytesAsJson(text: string): number {
  if (text.length <= SHORT && isPlain(text)) return text.length + 2;
  return text.length < LONG && escaped.test(text) ? Buffer.byteLength(JSON.stringify(text)) : Buffer.byteLength(text) + 2;
}

/** Whether each character is one byte of JSON. */
function isPlain(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code > 0x7e || code < 0x20 || code === 0x22 || code === 0x5c) return false;
  }
  return true;
}
