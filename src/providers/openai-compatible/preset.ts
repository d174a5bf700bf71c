import type { ProviderConfig } from '../../config/config.schema.js';
import type { ProviderType } from '../../config/provider-type.js';
import type { Dataset } from '../model-facts/model-facts.js';
import type { EmbeddingLimits, HostedCall, InputCeilings } from '../contract/model-provider.js';
import type { Parameter } from '../contract/parameters.js';
import type { ChatCompletionsDialect } from '../protocols/chat-completions/chat-completions.protocol.js';
import type { RerankForm } from '../protocols/rerank-form.js';
import type { TakenItems } from '../protocols/openai-responses/request.js';
import type { RequestRules } from '../contract/request-rules.js';
import type { ProviderServices } from '../kit/provider-services.js';
import type { Sign } from '../transport/upstream-request.js';
import type { ListedFacts } from './model-facts.js';
import type { ListedModel } from './model-list.js';

/**
 * A vendor of the OpenAI format as data: its address, our credentials, and how it differs from the format. An absent
 * field means that it does not differ.
 */
export interface Preset extends ProviderType {
  /** The path that is appended to an address without one. */
  readonly path?: string;
  /** Headers that carry the key, in lower case; otherwise `authorization: Bearer`. */
  readonly credentials?: (apiKey: string) => Readonly<Record<string, string>>;
  /** What signs the requests of an entry in the place of its key, where the entry's `options` say so. */
  readonly signs?: (config: ProviderConfig, services: ProviderServices) => Promise<Sign> | undefined;
  /** False where the vendor has no list of models. */
  readonly lists?: false;
  /** The vendor's names of models that are offered without having been listed. */
  readonly models?: readonly string[];
  /** Reads what only this vendor's list says, or says in units of its own. */
  readonly listed?: (model: ListedModel) => ListedFacts;
  /** Whether a listed model answers neither chat nor completions. */
  readonly leavesOut?: (model: ListedModel) => boolean;
  /** Whether models support legacy completions: all of them, or those of these names, which then do not chat. */
  readonly completions?: true | RegExp;
  /** Takes token ids for the prompts of legacy completions. Absent: they are refused. */
  readonly tokenIdPrompts?: true;
  /** Parameters that the vendor refuses or ignores. */
  readonly without?: readonly Parameter[];
  /** The same as `without`, for one model. */
  readonly modelWithout?: (upstreamModel: string) => readonly Parameter[];
  /** Parameters that most compatible servers do not support, and this one does. */
  readonly beyond?: readonly ('suffix' | 'echo')[];
  /**
   * Parameters beyond the wire format that the vendor knows and that change neither the price of a request nor what it
   * reaches. All others are left out.
   */
  readonly extras: readonly string[];
  /**
   * What one call for embeddings may have, and the parameters beyond the wire format that go on with it. Absent: as many
   * inputs as the format allows, and no token ids.
   */
  readonly embeddings?: Omit<EmbeddingLimits, 'dimensions'> & { readonly extras?: readonly string[] };
  /**
   * How texts are scored, how many in one call, and the parameters beyond the wire format that go on with it. Absent: the
   * vendor does not do it.
   */
  readonly rerank?: RerankForm & { readonly inputs?: number; readonly extras?: readonly string[] };
  /**
   * Tokens that one part of a message counts at most which holds media. Absent: the model takes none, unless it is free
   * or the operator says what they count.
   */
  readonly inputCeilings?: (upstreamModel: string) => InputCeilings;
  /**
   * Whether `max_tokens` limits reasoning too, by the vendor's documents. Where it does not, or they do not say, the
   * output limit of a model that reasons is held.
   */
  readonly limitsReasoning?: true;
  /** What the vendor does beside generating for every request of a model. */
  readonly hostedCalls?: (upstreamModel: string) => readonly HostedCall[];
  /** Answers list each of these calls. */
  readonly listsHostedCalls?: true;
  /**
   * Takes marks of caching in messages and tools (`cache_control`). Absent: they are dropped, because many a vendor
   * refuses fields that it does not know.
   */
  readonly cacheMarks?: true;
  /** The vendor's names of models that write to a cache only what a mark asks for, so that nothing else is held. */
  readonly writesMarked?: RegExp;
  /** What it takes of a chat with a model, where that is less than the format allows. */
  readonly rules?: (upstreamModel: string) => RequestRules;
  readonly dialect?: ChatCompletionsDialect;
  /**
   * Whether requests in the Responses format are asked at the vendor's own `/responses`, where an entry's option
   * `responses` does not say. Absent: as chat completions.
   */
  readonly responses?: TakenItems;
  /** Types of hosted tools that it has in that format, where an entry's option `hosted_tools` does not say. */
  readonly hostedTools?: readonly string[];
  /** The vendor's id in data sets of models. */
  readonly dataset?: Dataset;
}
