import { ProviderError } from '../provider-error.js';
import { isJson, type Json } from './json.js';

/** What an event of a stream says. @throws ProviderError bad_response, without the cause: its message quotes the answer */
export function eventObject(data: string): Json {
  let event: unknown;
  try {
    event = JSON.parse(data);
  } catch {
    throw new ProviderError('bad_response', 'An event of the provider’s stream is not JSON');
  }
  if (!isJson(event)) throw new ProviderError('bad_response', 'An event of the provider’s stream is not an object');
  return event;
}
