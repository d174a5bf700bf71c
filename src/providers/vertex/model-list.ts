import { isObject } from '../../wire/json-object.js';
import type { ListedModel } from '../model-facts/gemini/offered-models.js';
import type { Endpoint } from '../protocols/endpoint.js';
import { fetchList, noModelList, probeList } from '../protocols/fetch-list.js';
import { generateContentError } from '../protocols/gemini-generate-content/error.js';
import { isText } from '../protocols/is-text.js';
import type { ProviderTransport } from '../kit/provider-services.js';

/** Pages that are asked for at most, each of the largest size that the API allows. */
const MAX_PAGES = 10;

const operation = 'publishers/google/models';

/**
 * Fetches the list of Google's own models: all that there are, whether they run at the location or not.
 * @param endpoint its address ends before `publishers`
 * @throws ProviderError
 */
export async function fetchModelList(transport: ProviderTransport, endpoint: Endpoint, signal: AbortSignal): Promise<ListedModel[]> {
  const models: ListedModel[] = [];
  let token = '';
  for (let page = 0; page < MAX_PAGES; page++) {
    const query = `pageSize=100${token}`;
    const body = await fetchList(transport, endpoint, { operation, query, signal, failed: generateContentError });
    if (!isObject(body)) throw noModelList();
    const { publisherModels = [], nextPageToken } = body;
    if (!Array.isArray(publisherModels)) throw noModelList();
    models.push(...publisherModels.flatMap(geminiOf));
    if (!isText(nextPageToken)) return models;
    token = `&pageToken=${encodeURIComponent(nextPageToken)}`;
  }
  return models;
}

/** @throws ProviderError */
export function probeModelList(transport: ProviderTransport, endpoint: Endpoint, signal: AbortSignal): Promise<void> {
  return probeList(transport, endpoint, { operation, query: 'pageSize=1', signal, failed: generateContentError });
}

/** The list has models of all kinds; those that generateContent serves are called Gemini. */
function geminiOf(model: unknown): ListedModel[] {
  const path = isObject(model) && isText(model['name']) ? model['name'] : '';
  const name = path.slice(path.lastIndexOf('/') + 1);
  return name.startsWith('gemini-') ? [{ name }] : [];
}
