import type { OfferedModelConfig, ProviderConfig } from '../../config/config.schema.js';
import type { EmbeddingLimits, ProviderModel, ProviderPrice } from './model-provider.js';
import type { RequestRules } from './request-rules.js';
import { ownOf } from '../../wire/own-members.js';

/** What is known of a model, whatever an entry of the configuration says of it. */
export type KnownModel = Omit<ProviderModel, 'id' | 'upstreamModel'>;

/** The status message of a model that its operator has switched off without a message. */
export const SWITCHED_OFF = 'Switched off by the operator';

const free: ProviderPrice = { prompt: 0, completion: 0 };

/** What an entry says of all its models. */
type EntryTerms = Pick<ProviderConfig, 'prefix' | 'free'> &
  Partial<Pick<ProviderConfig, 'base_url' | 'extra_parameters' | 'input_ceilings' | 'allow_account_ids' | 'allow_internal_media'>>;

/**
 * A model as an entry of the configuration offers it. What the operator says counts before what is known.
 * @param id the name in the entry, or the vendor's own name
 * @param entry what the operator says of the model
 */
export function offeredModel(
  id: string,
  entry: OfferedModelConfig,
  known: KnownModel,
  config: EntryTerms,
): ProviderModel & { readonly upstreamModel: string } {
  const { prefix, free: isFree, extra_parameters: extras = [], input_ceilings: ceilings } = config;
  const contextLength = entry.context_length ?? known.contextLength;
  return {
    ...known,
    id: prefix + id,
    upstreamModel: entry.upstream_model ?? id,
    created: entry.created ?? known.created,
    price: entry.pricing ?? (isFree ? free : known.price),
    ownPrice: entry.pricing !== undefined,
    contextLength,
    maxTokens: Math.min(entry.max_tokens ?? known.maxTokens, contextLength),
    defaultTokens: entry.max_tokens === undefined ? known.defaultTokens : undefined,
    capabilities: { ...known.capabilities, ...entry.capabilities },
    embeddings: embeddingLimits(known.embeddings, entry.embeddings),
    parameters: entry.parameters ?? [...new Set([...known.parameters, ...extras])],
    inputCeilings: { ...known.inputCeilings, ...ceilings, ...entry.input_ceilings },
    hiddenReasoning: entry.hidden_reasoning ?? known.hiddenReasoning,
    accountIds: config.allow_account_ids,
    ...(config.base_url && { ownHost: new URL(config.base_url).host }),
    internalMedia: config.allow_internal_media,
    continues: entry.continues ?? known.continues,
    completionsViaChat: entry.completions_via_chat ?? known.completionsViaChat,
    cacheBreakpoints: entry.cache_breakpoints ?? known.cacheBreakpoints,
    tokenIdPrompts: entry.token_id_prompts ?? known.tokenIdPrompts,
    lowersMaxTokens: entry.lower_max_tokens ?? known.lowersMaxTokens,
    billsAborted: entry.bills_aborted ?? known.billsAborted,
    rules: requestRules(known.rules, entry.system_messages),
    status: entry.active === undefined ? known.status : { active: entry.active, message: entry.active ? 'Operational' : SWITCHED_OFF },
  };
}

/** What is known of calls for embeddings, with what the operator says of them; undefined where nobody says anything. */
export function embeddingLimits(known: EmbeddingLimits | undefined, entry: OfferedModelConfig['embeddings']): EmbeddingLimits | undefined {
  if (!entry) return known;
  const { token_ids: tokenIds, ...own } = entry;
  return { ...known, ...own, ...(tokenIds !== undefined && { tokenIds }) };
}

/** What is known of requests, with what the operator says of system messages. */
export function requestRules(known: RequestRules | undefined, said: OfferedModelConfig['system_messages']): RequestRules | undefined {
  if (!said) return known;
  return said === 'one' ? { ...known, system: 'one', developer: false } : { ...known, system: undefined, developer: undefined };
}

/**
 * The models that the entry's `models` names; otherwise all that are known.
 * @param facts by the vendor's own names
 * @param unknown used for a model that the operator names and `facts` does not have
 */
export function offeredModels(
  config: EntryTerms & Pick<ProviderConfig, 'models'>,
  facts: Readonly<Record<string, KnownModel>>,
  unknown: KnownModel,
): ProviderModel[] {
  const named: Record<string, OfferedModelConfig> = config.models ?? Object.fromEntries(Object.keys(facts).map((name) => [name, {}]));
  return Object.entries(named).map(([id, entry]) => {
    const name = entry.upstream_model ?? id;
    return offeredModel(id, entry, ownOf(facts, name) ?? unknown, config);
  });
}
