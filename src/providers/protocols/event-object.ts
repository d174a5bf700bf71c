import { isObject, type JsonObject } from '../../wire/json-object.js';
import { ProviderError } from '../contract/provider-error.js';
import { parsedJson, requireParsable } from '../translation/parsed-json.js';

/**
 * Parses the data of an event of a stream.
 * @throws ProviderError limit_exceeded; bad_response, without the cause, whose message would quote the response
 */
export function eventObject(data: string): JsonObject {
  requireParsable(data);
  const event = parsedJson(data);
  if (event === undefined) throw new ProviderError('bad_response', 'An event of the provider’s stream is not JSON');
  if (!isObject(event)) throw new ProviderError('bad_response', 'An event of the provider’s stream is not an object');
  return event;
}
