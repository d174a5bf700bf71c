import { ProviderError } from '../provider-error.js';
import { isObject, type JsonObject } from '../../wire/json-object.js';

/** What an event of a stream says. @throws ProviderError bad_response, without the cause: its message quotes the answer */
export function eventObject(data: string): JsonObject {
  let event: unknown;
  try {
    event = JSON.parse(data);
  } catch {
    throw new ProviderError('bad_response', 'An event of the provider’s stream is not JSON');
  }
  if (!isObject(event)) throw new ProviderError('bad_response', 'An event of the provider’s stream is not an object');
  return event;
}
