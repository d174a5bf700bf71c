import { isObject, type JsonObject } from '../../wire/json-object.js';
import type { Endpoint } from '../protocols/endpoint.js';
import { fetchList, noModelList, probeList } from '../protocols/fetch-list.js';
import { isText } from '../protocols/is-text.js';
import type { HttpTransport } from '../transport/http-transport.js';
import { embeddingFamily } from './embeddings.js';
import { converseError } from './error.js';
import { foundationModel } from './model-name.js';

/** Pages of inference profiles that are read: 1,000 profiles each. */
const MAX_PAGES = 10;

/** Models that answer with text, but not in a conversation. */
const otherUse = /embed|rerank|-image|canvas|reel|sonic/;

export interface ListedModel {
  /** The client's name. */
  readonly id: string;
  /** The vendor's name. */
  readonly upstreamModel: string;
  readonly vision: boolean;
}

/**
 * The models that are listed for the account in the region: foundation models that are served on demand under their own
 * ids, and inference profiles under theirs. Where a prefix of profiles is set, the models that have such a profile,
 * under the foundation model's id.
 * @param prefix of inference profiles, without its dot
 * @throws ProviderError
 */
export async function fetchModelList(
  transport: HttpTransport,
  control: Endpoint,
  prefix: string | undefined,
  signal: AbortSignal,
): Promise<ListedModel[]> {
  const [foundation, profiles] = await Promise.all([
    fetchFoundation(transport, control, signal),
    fetchProfiles(transport, control, signal),
  ]);
  const vision = new Map(foundation.map((model) => [model['modelId'], texts(model['inputModalities']).includes('IMAGE')]));
  const served = profiles.flatMap((id): ListedModel[] => {
    const base = foundationModel(id);
    if (!vision.has(base)) return [];
    const listed = { upstreamModel: id, vision: vision.get(base)! };
    if (prefix === undefined) return [{ id, ...listed }];
    return id === `${prefix}.${base}` ? [{ id: base, ...listed }] : [];
  });
  const replaced = new Set(served.map(({ id }) => id));
  const onDemand = foundation.flatMap((model): ListedModel[] => {
    const id = model['modelId'];
    if (replaced.has(id) || !texts(model['inferenceTypesSupported']).includes('ON_DEMAND')) return [];
    return [{ id, upstreamModel: id, vision: vision.get(id)! }];
  });
  return [...onDemand, ...served];
}

/** @throws ProviderError */
export function probeModelList(transport: HttpTransport, control: Endpoint, signal: AbortSignal): Promise<void> {
  return probeList(transport, control, { operation: 'foundation-models', query: 'byOutputModality=TEXT', signal, failed: converseError });
}

type FoundationModel = JsonObject & { readonly modelId: string };

async function fetchFoundation(transport: HttpTransport, control: Endpoint, signal: AbortSignal): Promise<FoundationModel[]> {
  const body = await fetchList(transport, control, { operation: 'foundation-models', query: '', signal, failed: converseError });
  const models = listIn(body, 'modelSummaries').filter((model): model is FoundationModel => isText(model['modelId']));
  return models.filter(isOfUse);
}

/** Whether it makes embeddings of texts, or has conversations of texts. */
function isOfUse({ modelId, outputModalities }: FoundationModel): boolean {
  if (embeddingFamily(modelId)) return true;
  return !otherUse.test(modelId) && (outputModalities === undefined || texts(outputModalities).includes('TEXT'));
}

/** The ids of the inference profiles that AWS defines. */
async function fetchProfiles(transport: HttpTransport, control: Endpoint, signal: AbortSignal): Promise<string[]> {
  const ids = new Set<string>();
  let next: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const query = `maxResults=1000&type=SYSTEM_DEFINED${next === undefined ? '' : `&nextToken=${encodeURIComponent(next)}`}`;
    const body = await fetchList(transport, control, { operation: 'inference-profiles', query, signal, failed: converseError });
    for (const { inferenceProfileId: id, status = 'ACTIVE' } of listIn(body, 'inferenceProfileSummaries')) {
      if (isText(id) && status === 'ACTIVE') ids.add(id);
    }
    const token = isObject(body) ? body['nextToken'] : undefined;
    if (!isText(token)) break;
    next = token;
  }
  return [...ids];
}

function listIn(body: unknown, name: string): JsonObject[] {
  const list = isObject(body) ? body[name] : undefined;
  if (!Array.isArray(list)) throw noModelList();
  return list.filter(isObject);
}

function texts(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
