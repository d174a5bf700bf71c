import { isObject, type JsonObject } from '../../wire/json-object.js';
import type { ListedModel } from '../model-facts/gemini/offered-models.js';
import type { Endpoint } from '../protocols/endpoint.js';
import { fetchList, noModelList, probeList } from '../protocols/fetch-list.js';
import { generateContentError } from '../protocols/gemini-generate-content/error.js';
import { isText } from '../protocols/is-text.js';
import type { HttpTransport } from '../transport/http-transport.js';
import { positiveInteger } from '../model-facts/positive-integer.js';

/** Pages that are asked for at most, each of the largest size that the API allows. */
const MAX_PAGES = 10;

/**
 * Fetches the list of models that support generateContent, or make embeddings.
 * @throws ProviderError
 */
export async function fetchModelList(transport: HttpTransport, endpoint: Endpoint, signal: AbortSignal): Promise<ListedModel[]> {
  const models: ListedModel[] = [];
  let token = '';
  for (let page = 0; page < MAX_PAGES; page++) {
    const query = `pageSize=1000${token}`;
    const body = await fetchList(transport, endpoint, { operation: 'models', query, signal, failed: generateContentError });
    if (!isObject(body) || !Array.isArray(body['models'])) throw noModelList();
    models.push(...body['models'].filter(isOfUse).map(listed));
    if (!isText(body['nextPageToken'])) return models;
    token = `&pageToken=${encodeURIComponent(body['nextPageToken'])}`;
  }
  return models;
}

/** @throws ProviderError */
export function probeModelList(transport: HttpTransport, endpoint: Endpoint, signal: AbortSignal): Promise<void> {
  return probeList(transport, endpoint, { operation: 'models', query: 'pageSize=1', signal, failed: generateContentError });
}

function isOfUse(model: unknown): model is JsonObject & { name: string } {
  if (!isObject(model) || !isText(model['name'])) return false;
  const methods = model['supportedGenerationMethods'];
  return Array.isArray(methods) && (methods.includes('generateContent') || methods.includes('embedContent'));
}

function listed(model: JsonObject & { name: string }): ListedModel {
  return {
    name: model.name.replace(/^models\//, ''),
    inputTokenLimit: positiveInteger(model['inputTokenLimit']),
    outputTokenLimit: positiveInteger(model['outputTokenLimit']),
  };
}
