import type { ProviderType } from '../../config/provider-type.js';
import type { Dataset } from '../model-facts/model-facts.js';
import type { Parameter } from '../parameters.js';
import type { ChatCompletionsDialect } from '../protocols/chat-completions/chat-completions.protocol.js';
import type { ListedFacts } from './model-facts.js';
import type { ListedModel } from './model-list.js';

/** A vendor of the OpenAI format, as data: where it is, who we are to it, and in what it differs. Absent fields mean that it does not. */
export interface Preset extends ProviderType {
  /** Put behind an address that has no path. */
  readonly path?: string;
  /** Headers that carry the key, in lower case; otherwise `authorization: Bearer`. */
  readonly credentials?: (apiKey: string) => Readonly<Record<string, string>>;
  /** What `GET models` does not tell: false where there is no list. */
  readonly lists?: false;
  /** Vendor's names of models that are offered without having been listed. */
  readonly models?: readonly string[];
  /** Reads what this vendor's list alone says, or says in units of its own. */
  readonly listed?: (model: ListedModel) => ListedFacts;
  /** Listed models that answer neither chat nor completions. */
  readonly leavesOut?: (model: ListedModel) => boolean;
  /** Legacy completions: of every model, or of those of these names, which then do not chat. */
  readonly completions?: true | RegExp;
  /** Parameters that it refuses or does not heed. */
  readonly without?: readonly Parameter[];
  /** As `without`, of one model. */
  readonly modelWithout?: (upstreamModel: string) => readonly Parameter[];
  /** Parameters that are not usual among compatible servers. */
  readonly beyond?: readonly ('suffix' | 'echo')[];
  /** Parameters outside the format that it takes, where it refuses all others. */
  readonly extras?: readonly string[];
  readonly dialect?: ChatCompletionsDialect;
  /** The vendor's id in data sets of models. */
  readonly dataset?: Dataset;
}
