import type { ProviderType } from '../../config/provider-type.js';
import type { Dataset } from '../model-facts/model-facts.js';
import type { Parameter } from '../parameters.js';
import type { ChatCompletionsDialect } from '../protocols/chat-completions/chat-completions.protocol.js';
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
  /** Parameters that the vendor refuses or ignores. */
  readonly without?: readonly Parameter[];
  /** The same as `without`, for one model. */
  readonly modelWithout?: (upstreamModel: string) => readonly Parameter[];
  /** Parameters that most compatible servers do not support, and this one does. */
  readonly beyond?: readonly ('suffix' | 'echo')[];
  /** Parameters outside of the format that the vendor accepts, where it refuses all others. */
  readonly extras?: readonly string[];
  readonly dialect?: ChatCompletionsDialect;
  /** The vendor's id in data sets of models. */
  readonly dataset?: Dataset;
}
