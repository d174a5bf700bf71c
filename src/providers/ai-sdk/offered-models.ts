import type { OfferedModelConfig, ProviderConfig } from '../../config/config.schema.js';
import { base64Of } from '../translation/data-url.js';
import type { Dataset, ModelFacts } from '../model-facts/model-facts.js';
import { mistralRules } from '../model-facts/mistral-rules.js';
import type { ProviderModel } from '../contract/model-provider.js';
import { offeredModel } from '../contract/offered-models.js';
import type { Parameter } from '../contract/parameters.js';
import { membersRead } from '../translation/read-members.js';
import type { RequestRules } from '../contract/request-rules.js';
import { chats } from '../../wire/model.js';
import { aiSdkOptionsOf } from './ai-sdk.type.js';
import type { AiSdkModel } from './wire.js';
import { ownOf } from '../../wire/own-members.js';

/** Vendors whose packages and models public data sets know. */
const datasets: Readonly<Record<string, Dataset>> = {
  '@ai-sdk/anthropic': { genaiPrices: 'anthropic', modelsDev: 'anthropic' },
  '@ai-sdk/cerebras': { genaiPrices: 'cerebras', modelsDev: 'cerebras' },
  '@ai-sdk/cohere': { genaiPrices: 'cohere', modelsDev: 'cohere' },
  '@ai-sdk/deepseek': { genaiPrices: 'deepseek', modelsDev: 'deepseek' },
  '@ai-sdk/fireworks': { genaiPrices: 'fireworks', modelsDev: 'fireworks-ai' },
  '@ai-sdk/google': { genaiPrices: 'google', modelsDev: 'google' },
  '@ai-sdk/groq': { genaiPrices: 'groq', modelsDev: 'groq' },
  '@ai-sdk/mistral': { genaiPrices: 'mistral', modelsDev: 'mistral' },
  '@ai-sdk/openai': { genaiPrices: 'openai', modelsDev: 'openai' },
  '@ai-sdk/perplexity': { genaiPrices: 'perplexity', modelsDev: 'perplexity' },
  '@ai-sdk/togetherai': { genaiPrices: 'together', modelsDev: 'togetherai' },
  '@ai-sdk/xai': { genaiPrices: 'x-ai', modelsDev: 'xai' },
};

export function datasetOf(name: string): Dataset | undefined {
  return ownOf(datasets, name);
}

/** Of the AI SDK's parts; only the model itself tells which addresses it takes. */
const media = { image: base64Of('[^,;]+'), file: base64Of('[^,;]+'), audio: /^/ };
const reads = membersRead();

/** What vendors take of a chat, as far as their packages do not see to it. */
const rules: Readonly<Record<string, RequestRules>> = {
  '@ai-sdk/mistral': mistralRules,
};

/** Tokens, where nobody says; the output limit is then the same. */
const DEFAULT_CONTEXT_LENGTH = 32_768;

/** Parameters that the options of a call have a place for. */
const spoken: readonly (Parameter | 'top_k')[] = [
  'max_tokens',
  'stop',
  'tools',
  'tool_choice',
  'response_format',
  'temperature',
  'top_p',
  'top_k',
  'seed',
  'presence_penalty',
  'frequency_penalty',
  'reasoning_effort',
];

/** The models that an entry names: what the operator says of them, and what public data sets do. */
export class OfferedModels {
  readonly #rules: RequestRules | undefined;

  constructor(
    private readonly config: ProviderConfig,
    private readonly version: AiSdkModel['specificationVersion'],
    private readonly known: (upstreamModel: string) => ModelFacts = () => ({}),
  ) {
    this.#rules = ownOf(rules, aiSdkOptionsOf(config.options).package);
  }

  configured(): ProviderModel[] {
    return Object.entries(this.config.models ?? {}).map(([id, entry]) => this.#model(id, entry));
  }

  /** A model that is not listed, on the terms of the entry's `open`. */
  open(upstreamModel: string): ProviderModel | undefined {
    const { open } = this.config;
    return open && this.#model(upstreamModel, open);
  }

  #model(id: string, entry: OfferedModelConfig): ProviderModel {
    const facts = this.known(entry.upstream_model ?? id);
    const contextLength = entry.context_length ?? facts.contextLength ?? DEFAULT_CONTEXT_LENGTH;
    const capabilities = { ...chats, ...facts.capabilities, ...entry.capabilities };
    return offeredModel(
      id,
      entry,
      {
        created: facts.created ?? 0,
        price: facts.price,
        contextLength,
        maxTokens: facts.maxTokens ?? contextLength,
        capabilities,
        parameters: this.#parameters(facts, capabilities),
        hiddenReasoning: facts.reasoning ?? 'asked',
        rules: { ...this.#rules, resultMedia: 'behind', media, reads },
      },
      this.config,
    );
  }

  #parameters({ without = [] }: ModelFacts, { function_calling, json_mode }: ProviderModel['capabilities']): string[] {
    const refused = new Set<string>(without);
    if (!function_calling) for (const name of ['tools', 'tool_choice']) refused.add(name);
    if (!json_mode) refused.add('response_format');
    if (this.version !== 'v4') refused.add('reasoning_effort');
    return spoken.filter((name) => !refused.has(name));
  }
}
