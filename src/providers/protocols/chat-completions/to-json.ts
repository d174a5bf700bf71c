import { sourceOf } from '../../../json/json-source.js';
import type { JsonObject } from '../../../wire/json-object.js';
import { LARGE_BODY, LargeBody } from '../../transport/large-body.js';

/** The members of a request body that can be large. */
const members = ['messages', 'tools'] as const;

/**
 * The JSON of a request body. Its large members are copied as the bytes that the client sent, where these are known.
 */
export function toJson(body: JsonObject): string | Buffer | LargeBody {
  let large: Uint8Array[] | undefined;
  let rest = body;
  for (const name of members) {
    const source = sourceOf(body[name]);
    if (!source) continue;
    if (rest === body) rest = { ...body };
    rest[name] = undefined;
    (large ??= []).push(Buffer.from(`,"${name}":`), ...source);
  }
  if (!large) return JSON.stringify(body);
  // `rest` always has a member, the model.
  const parts = [Buffer.from(JSON.stringify(rest).slice(0, -1)), ...large, Buffer.from('}')];
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return length < LARGE_BODY ? Buffer.concat(parts, length) : new LargeBody(length, () => joined(parts, length));
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const bytes = Buffer.allocUnsafeSlow(length);
  let end = 0;
  for (const part of parts) {
    bytes.set(part, end);
    end += part.length;
  }
  return bytes;
}
