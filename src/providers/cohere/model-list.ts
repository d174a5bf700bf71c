import { isObject, type JsonObject } from '../../wire/json-object.js';
import { positiveInteger } from '../model-facts/positive-integer.js';
import type { Endpoint } from '../protocols/endpoint.js';
import { fetchList, noModelList, probeList } from '../protocols/fetch-list.js';
import { isText } from '../protocols/is-text.js';
import type { HttpTransport } from '../transport/http-transport.js';
import { chatError } from './error.js';

/** Pages that are asked for at most, each of the largest size that the API allows. */
const MAX_PAGES = 10;

/** An element of `GET v1/models`. */
export interface ListedModel {
  readonly name: string;
  /** Tokens. */
  readonly contextLength: number | undefined;
  /** Absent where the list does not say it. */
  readonly tools: boolean | undefined;
  readonly vision: boolean | undefined;
}

/**
 * Fetches the list of models that chat, make embeddings or score texts.
 * @throws ProviderError
 */
export async function fetchModelList(transport: HttpTransport, endpoint: Endpoint, signal: AbortSignal): Promise<ListedModel[]> {
  const models: ListedModel[] = [];
  let token = '';
  for (let page = 0; page < MAX_PAGES; page++) {
    const query = `page_size=1000${token}`;
    const body = await fetchList(transport, endpoint, { operation: 'v1/models', query, signal, failed: chatError });
    if (!isObject(body) || !Array.isArray(body['models'])) throw noModelList();
    models.push(...body['models'].filter(isOfUse).map(listed));
    if (!isText(body['next_page_token'])) return models;
    token = `&page_token=${encodeURIComponent(body['next_page_token'])}`;
  }
  return models;
}

/** @throws ProviderError */
export function probeModelList(transport: HttpTransport, endpoint: Endpoint, signal: AbortSignal): Promise<void> {
  return probeList(transport, endpoint, { operation: 'v1/models', query: 'endpoint=chat&page_size=1', signal, failed: chatError });
}

/** Another server may not say what its models do. */
function isOfUse(model: unknown): model is JsonObject & { name: string } {
  if (!isObject(model) || !isText(model['name'])) return false;
  const { endpoints } = model;
  return (
    !Array.isArray(endpoints) || endpoints.length === 0 || ['chat', 'embed', 'rerank'].some((endpoint) => endpoints.includes(endpoint))
  );
}

function listed({ name, context_length, features, supports_vision }: JsonObject & { name: string }): ListedModel {
  const known = Array.isArray(features) && features.length > 0 ? features : undefined;
  return {
    name,
    contextLength: positiveInteger(context_length),
    tools: known?.includes('tools'),
    vision: typeof supports_vision === 'boolean' ? supports_vision : known?.includes('vision') || undefined,
  };
}
