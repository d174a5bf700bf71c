import { isObject, type JsonObject } from '../../wire/json-object.js';
import { setMember } from '../../wire/own-members.js';
import { ANY_OTHER, parameterNames } from './parameters.js';

/** Change how the next token is chosen, or which tokens may be. */
export const samplingExtras = [
  'top_k',
  'top_a',
  'min_p',
  'typical_p',
  'tfs_z',
  'repetition_penalty',
  'repeat_penalty',
  'repeat_last_n',
  'length_penalty',
  'dynatemp_range',
  'dynatemp_exponent',
  'xtc_probability',
  'xtc_threshold',
  'dry_multiplier',
  'dry_base',
  'dry_allowed_length',
  'dry_penalty_last_n',
  'dry_sequence_breakers',
  'mirostat',
  'mirostat_tau',
  'mirostat_eta',
  'mirostat_target',
  'mirostat_lr',
  'samplers',
  'min_tokens',
  'ignore_eos',
  'stop_token_ids',
  'allowed_token_ids',
  'bad_words',
  'include_stop_str_in_output',
  'skip_special_tokens',
  'spaces_between_special_tokens',
] as const;

/** Bind the output to a grammar. */
export const grammarExtras = [
  'grammar',
  'json_schema',
  'structured_outputs',
  'guided_json',
  'guided_regex',
  'guided_choice',
  'guided_grammar',
  'guided_decoding_backend',
  'guided_whitespace_pattern',
] as const;

/** Say how long the model reasons, and how its reasoning is shown. It is output, and counts as such. */
const reasoningExtras = [
  'reasoning',
  'thinking',
  'think',
  'enable_thinking',
  'thinking_budget',
  'include_reasoning',
  'reasoning_format',
  'reasoning_split',
  'verbosity',
] as const;

/** Become part of the prompt, whose bytes they count among. */
const promptExtras = ['documents', 'chat_template_kwargs', 'citation_options'] as const;

/**
 * Name the request or its user to the vendor, and its prompt to the vendor's cache. Keeping a prompt for longer has no
 * price of its own (developers.openai.com/api/docs/guides/prompt-caching).
 */
const labelExtras = ['metadata', 'safety_identifier', 'prompt_cache_key', 'prompt_cache_retention', 'cache_salt'] as const;

/** Say how the prompt is laid out, or cut. */
const layoutExtras = [
  'add_generation_prompt',
  'continue_final_message',
  'add_special_tokens',
  'cache_prompt',
  'truncate_prompt_tokens',
  'prompt_truncate_len',
  'context_length_exceeded_behavior',
  'safe_prompt',
  'prompt_mode',
] as const;

/** Say what an embedding is for, and what happens to an input that is too long. */
export const embeddingExtras = ['input_type', 'task_type', 'task', 'title', 'truncate', 'truncation', 'normalize'] as const;

/**
 * Parameters beyond the wire format that change neither the price of a request nor what it reaches, wherever they are
 * understood. A preset names those that its vendor takes; what a provider's own list tells counts only as far as it is
 * in here.
 */
export const neutralExtras: readonly string[] = [
  ...samplingExtras,
  ...grammarExtras,
  ...reasoningExtras,
  ...promptExtras,
  ...labelExtras,
  ...layoutExtras,
];

const neutral: ReadonlySet<string> = new Set(neutralExtras);
const readByModels: ReadonlySet<string> = new Set(promptExtras);

/** Names that a body has of the gateway itself. */
const wireNames: ReadonlySet<string> = new Set([
  ...parameterNames,
  'model',
  'messages',
  'prompt',
  'stream',
  'stream_options',
  'max_completion_tokens',
  'best_of',
  'functions',
  'function_call',
]);

/**
 * Parameters that are known to change the price or the reach of a request. None of them is neutral; they are listed so
 * that `*` does not stand for them either: an operator who means one names it.
 */
const namedOnly: ReadonlySet<string> = new Set([
  'models',
  'route',
  'provider',
  'plugins',
  'transforms',
  'preset',
  'extra_body',
  'extra_headers',
  'extra_query',
  'options',
  'service_tier',
  'priority',
  'speed',
  'inference_geo',
  'betas',
  'web_search',
  'web_search_options',
  'search_parameters',
  'search_settings',
  'compound_custom',
  'mcp_servers',
  'prediction',
  'store',
  'background',
  'modalities',
  'audio',
  'cache_control',
  'prompt_cache_options',
  'container',
  'conversation',
  'previous_response_id',
  'cached_content',
  'chat_template',
  'mm_processor_kwargs',
  'media_io_kwargs',
  'prompt_logprobs',
  'use_beam_search',
  'max_new_tokens',
  'max_output_tokens',
  'max_length',
  'n_predict',
  'num_predict',
  'num_return_sequences',
  'candidate_count',
]);

/**
 * Whether a parameter beyond the wire format goes on to a model that takes `taken`. Names that differ from those of the
 * wire format in their case alone never do, because some servers read them as the same.
 */
export function goesOn(name: string, taken: ReadonlySet<string>): boolean {
  const folded = foldedCase(name);
  if (wireNames.has(folded)) return false;
  return taken.has(name) || (taken.has(ANY_OTHER) && !namedOnly.has(folded));
}

/** Whether a parameter beyond the wire format is text for the model, or may be because nobody knows what it is. */
export function mayBeRead(name: string): boolean {
  return readByModels.has(name) || !neutral.has(name);
}

/**
 * What a provider's own list of parameters says, as far as it can be believed: it is the word of another house, not of
 * the operator.
 * @param others what `*` in it stands for
 */
export function vouchedFor(listed: readonly string[], others: readonly string[]): string[] {
  const known = listed.filter((name) => neutral.has(name) || (parameterNames as readonly string[]).includes(name));
  return listed.includes(ANY_OTHER) ? [...new Set([...known, ...others])] : known;
}

/** Names of ids that point into the account whose key is used at a vendor: files, stores, conversations, caches. */
const accountIds =
  /^(file_?ids?|file_?uris?|vector_store_ids?|container(_id)?|previous_response_id|conversation(_id)?|cached_?content|asset_pointer|thread(_id)?|assistant(_id)?)$/i;

/** Whether a field of this name may point into the operator's account at a vendor. */
export function isAccountId(name: string): boolean {
  return accountIds.test(name);
}

/** The value without ids that point into an account, and without what has nothing beside such an id. */
export function withoutAccountIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((one) => !isReference(one)).map(withoutAccountIds);
  if (!isObject(value)) return value;
  const kept: JsonObject = {};
  for (const [name, member] of Object.entries(value)) if (!isAccountId(name)) setMember(kept, name, withoutAccountIds(member));
  return kept;
}

/** Whether there is nothing but a type and ids that point into an account. */
function isReference(value: unknown): boolean {
  const names = isObject(value) ? Object.keys(value) : [];
  return names.some(isAccountId) && names.every((name) => name === 'type' || isAccountId(name));
}

/** One form for all letters that are equal but for their case, as Unicode folds it: `K` (the Kelvin sign) is a `k`. */
function foldedCase(name: string): string {
  return name.toUpperCase().toLowerCase();
}
