import { isObject, type JsonObject } from '../../wire/json-object.js';
import type { Endpoint } from '../protocols/endpoint.js';
import { fetchList, noModelList, probeList } from '../protocols/fetch-list.js';
import { isText } from '../protocols/is-text.js';
import { upstreamError } from '../protocols/upstream-error.js';
import type { HttpTransport } from '../transport/http-transport.js';

/** An element of `GET {base_url}/models`: its id, and whatever else the server says. */
export type ListedModel = JsonObject & { readonly id: string };

/**
 * The query makes another gateway of our kind tell everything; other servers ignore it.
 * @throws ProviderError
 */
export async function fetchModelList(transport: HttpTransport, endpoint: Endpoint, signal: AbortSignal): Promise<readonly ListedModel[]> {
  const query = 'include_capabilities=true&active_only=false';
  const body = await fetchList(transport, endpoint, { operation: 'models', query, signal, failed: upstreamError });
  const list = isObject(body) ? body['data'] : body;
  if (!Array.isArray(list)) throw noModelList();
  return list.filter((model): model is ListedModel => isObject(model) && isText(model['id']));
}

/** @throws ProviderError */
export function probeModelList(transport: HttpTransport, endpoint: Endpoint, signal: AbortSignal): Promise<void> {
  return probeList(transport, endpoint, { operation: 'models', query: 'limit=1', signal, failed: upstreamError });
}
