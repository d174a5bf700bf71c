import { sourceBytes, sourceOf } from '../../../json/json-source.js';
import { JsonText } from '../../../json/json-text.js';
import { copyOf } from '../../../wire/members.js';
import type { JsonObject } from '../../../wire/json-object.js';
import { LARGE_BODY, LargeBody } from '../../transport/large-body.js';
import { IN_PIECES } from '../translated-json.js';

/**
 * The JSON of a request body. Its large members are copied as the bytes that the client sent, where these are known.
 * Where much of it was changed, it is made piece by piece.
 */
export function toJson(body: JsonObject): string | Buffer | LargeBody {
  let large: Uint8Array[] | undefined;
  let rest = body;
  let changed = 0;
  for (const name in body) {
    const value = body[name];
    const source = sourceOf(value);
    if (!source) {
      changed += typeof value === 'string' ? value.length : sourceBytes(value);
      continue;
    }
    if (rest === body) rest = copyOf(body);
    rest[name] = undefined;
    (large ??= []).push(Buffer.from(`,${JSON.stringify(name)}:`), ...source);
  }
  if (changed >= IN_PIECES) return new LargeBody(new JsonText(body));
  if (!large) return JSON.stringify(body);
  // `rest` always has a member, the model.
  const parts = [Buffer.from(JSON.stringify(rest).slice(0, -1)), ...large, Buffer.from('}')];
  const all = new LargeBody(parts);
  return all.length! < LARGE_BODY ? Buffer.concat(parts, all.length) : all;
}
