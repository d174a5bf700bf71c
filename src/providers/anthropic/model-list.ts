import { isObject, type JsonObject } from '../../wire/json-object.js';
import { messagesError } from '../protocols/anthropic-messages/error.js';
import { efforts } from '../protocols/anthropic-messages/wire.js';
import type { Endpoint } from '../protocols/endpoint.js';
import { fetchList, noModelList, probeList } from '../protocols/fetch-list.js';
import { isText } from '../protocols/is-text.js';
import type { HttpTransport } from '../transport/http-transport.js';
import { positiveInteger } from '../model-facts/positive-integer.js';
import type { ClaudeModel } from '../model-facts/claude/claude-models.js';
import { factsOf, isListed } from '../model-facts/claude/claude-facts.js';

/**
 * The models that the key may use, by `GET v1/models`; retired ones are not among them. Our facts count before those of
 * the list, except for limits and the release date, which the list knows better. A snapshot is offered also under its
 * undated name, where our list has that name.
 * @throws ProviderError
 */
export async function fetchModelList(transport: HttpTransport, endpoint: Endpoint, signal: AbortSignal): Promise<ClaudeModel[]> {
  const body = await fetchList(transport, endpoint, { operation: 'v1/models', query: 'limit=1000', signal, failed: messagesError });
  const list = isObject(body) ? body['data'] : undefined;
  if (!Array.isArray(list)) throw noModelList();
  const models = list.filter((entry): entry is JsonObject & { id: string } => isObject(entry) && isText(entry['id'])).map(listed);
  const byId = new Map(models.map((model) => [model.id, model]));
  for (const model of models) {
    const { id } = factsOf(model.id);
    if (isListed(id) && !byId.has(id)) byId.set(id, { ...model, id });
  }
  return [...byId.values()];
}

/** @throws ProviderError */
export function probeModelList(transport: HttpTransport, endpoint: Endpoint, signal: AbortSignal): Promise<void> {
  return probeList(transport, endpoint, { operation: 'v1/models', query: 'limit=1', signal, failed: messagesError });
}

function listed(entry: JsonObject & { id: string }): ClaudeModel {
  const facts = factsOf(entry.id);
  const created = isText(entry['created_at']) ? entry['created_at'] : '';
  const told = positiveInteger(entry['max_tokens']);
  const limits = { maxTokens: told ?? facts.traits.maxTokens, defaultTokens: told ? undefined : facts.traits.defaultTokens };
  return {
    ...facts,
    id: entry.id,
    released: Date.parse(created) > 0 ? created : facts.released,
    contextLength: positiveInteger(entry['max_input_tokens']) ?? facts.contextLength,
    traits: isListed(entry.id) ? { ...facts.traits, ...limits } : { ...facts.traits, ...toldTraits(entry['capabilities']), ...limits },
  };
}

/** The traits of a model that is newer than our list, as far as the vendor's list tells them. */
function toldTraits(capabilities: unknown): Partial<ClaudeModel['traits']> {
  if (!isObject(capabilities)) return {};
  const { thinking, effort, structured_outputs } = capabilities;
  const types = isObject(thinking) && isObject(thinking['types']) ? thinking['types'] : {};
  const off = supports(types['disabled']) ? 'disabled' : 'between_tools';
  return {
    ...(isObject(thinking) && { thinking: supports(types['adaptive']) ? 'adaptive' : supports(types['enabled']) ? 'budget' : 'none' }),
    ...(isObject(thinking) && { thinkingOff: supports(types[off]) ? off : 'never', unlisted: false }),
    ...(isObject(effort) && { efforts: efforts.filter((word) => supports(effort[word])) }),
    ...(isObject(structured_outputs) && { structuredOutputs: supports(structured_outputs) }),
  };
}

function supports(capability: unknown): boolean {
  return isObject(capability) && capability['supported'] === true;
}
