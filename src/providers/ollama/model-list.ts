import { isObject, type JsonObject } from '../../wire/json-object.js';
import { isProviderError } from '../contract/provider-error.js';
import type { Endpoint } from '../protocols/endpoint.js';
import { fetchList, noModelList, probeList } from '../protocols/fetch-list.js';
import { isText } from '../protocols/is-text.js';
import type { HttpTransport } from '../transport/http-transport.js';
import { ollamaError } from './error.js';
import { type ShownFacts, shownFacts } from './shown-facts.js';
import type { TagsResponse } from './wire.js';

/** Models that are asked about at a time. */
const AT_ONCE = 4;

/** Models of one server that are asked about at most; nothing but their names is known of the others. */
const MAX_SHOWN = 1_000;

/** A model that the server has in its store. */
export interface ListedModel {
  /** With its tag. */
  readonly name: string;
  /** Unix timestamp in seconds. */
  readonly modified: number;
  /** Absent where the server has not told the facts. */
  readonly facts?: ShownFacts;
}

interface Shown {
  readonly digest: unknown;
  readonly facts: ShownFacts;
}

/**
 * The models of a server by `GET api/tags`, with what `POST api/show` tells of each. A model that was shown is asked
 * about again when its digest has changed. Nothing is loaded, and nothing pulled.
 */
export class ModelList {
  readonly #shown = new Map<string, Shown>();

  constructor(
    private readonly transport: HttpTransport,
    private readonly endpoint: Endpoint,
  ) {}

  /**
   * @param wanted whether a model is asked about; absent: all are
   * @throws ProviderError
   */
  async fetch(signal: AbortSignal, wanted: (name: string) => boolean = () => true): Promise<ListedModel[]> {
    const tags = await fetchList(this.transport, this.endpoint, { operation: 'api/tags', query: '', signal, failed: ollamaError });
    if (!isTags(tags)) throw noModelList();
    const named = tags.models.flatMap((model) => {
      const name = model.model ?? model.name;
      return isText(name) ? [{ ...model, name }] : [];
    });
    const asked = named.filter(({ name }) => wanted(name)).slice(0, MAX_SHOWN);
    const waiting = [...asked];
    const askOn = async (): Promise<void> => {
      for (let model = waiting.shift(); model; model = waiting.shift()) await this.#ask(model.name, model.digest, signal);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, askOn));
    const names = new Set(asked.map(({ name }) => name));
    for (const name of this.#shown.keys()) if (!names.has(name)) this.#shown.delete(name);
    return named.map(({ name, modified_at }) => {
      const modified = isText(modified_at) ? Math.floor(Date.parse(modified_at) / 1_000) : 0;
      return { name, modified: modified > 0 ? modified : 0, facts: this.#shown.get(name)?.facts };
    });
  }

  /** @throws ProviderError */
  probe(signal: AbortSignal): Promise<void> {
    return probeList(this.transport, this.endpoint, { operation: 'api/tags', query: '', signal, failed: ollamaError });
  }

  /** Has the server tell the facts of a model, where they are not known, and where it tells them. */
  async #ask(model: string, digest: unknown, signal: AbortSignal): Promise<void> {
    if (isText(digest) && this.#shown.get(model)?.digest === digest) return;
    this.#shown.delete(model);
    const request = { operation: 'api/show', query: '', body: JSON.stringify({ model }), signal, failed: ollamaError };
    try {
      this.#shown.set(model, { digest, facts: shownFacts(await fetchList(this.transport, this.endpoint, request)) });
    } catch (error) {
      if (signal.aborted || !isProviderError(error)) throw error;
    }
  }
}

function isTags(body: unknown): body is TagsResponse & JsonObject {
  return isObject(body) && Array.isArray(body['models']) && body['models'].every(isObject);
}
