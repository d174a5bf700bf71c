import type { Capabilities } from '../../wire/model.js';
import { isObject, type JsonObject } from '../../wire/json-object.js';
import type { ProviderModel, ProviderPrice } from '../model-provider.js';
import { isText } from '../protocols/is-text.js';
import { positiveInteger } from '../positive-integer.js';
import type { ListedModel } from './model-list.js';

export type ListedFacts = Partial<
  Pick<
    ProviderModel,
    'price' | 'contextLength' | 'maxTokens' | 'created' | 'parameters' | 'inputModalities' | 'outputModalities' | 'status'
  >
> & { capabilities?: Partial<Capabilities> };

/**
 * What the list of a server says of a model, in the spellings of: our own list (whole, so that a gateway behind a
 * gateway loses nothing), vLLM (`max_model_len`), llama.cpp (`meta.n_ctx_train`), Groq (`context_window`), Mistral
 * (`max_context_length`), OpenRouter (`top_provider`, `architecture`).
 */
export function factsOf(listed: ListedModel): ListedFacts {
  const meta = inside(listed, 'meta');
  const topProvider = inside(listed, 'top_provider');
  const architecture = inside(listed, 'architecture');
  const told = inside(listed, 'capabilities');
  return {
    created: positiveInteger(listed['created']),
    price: price(listed['pricing']),
    contextLength: firstCount(
      listed['context_length'],
      listed['max_model_len'],
      listed['context_window'],
      listed['max_context_length'],
      meta['n_ctx'],
      meta['n_ctx_train'],
    ),
    maxTokens: firstCount(
      listed['max_tokens'],
      listed['max_output_tokens'],
      listed['max_completion_tokens'],
      topProvider['max_completion_tokens'],
    ),
    capabilities: capabilities(listed, told),
    parameters: texts(told['supported_parameters']) ?? texts(listed['supported_parameters']),
    inputModalities: texts(told['input_modalities']) ?? texts(architecture['input_modalities']),
    outputModalities: texts(told['output_modalities']) ?? texts(architecture['output_modalities']),
    status: status(listed['status']),
  };
}

/**
 * Whether a model, by its name, answers with sound, pictures or scores. OpenAI's plain list distinguishes such models
 * by nothing else.
 */
export function saysNoText({ id }: ListedModel): boolean {
  return /(^|[-/])(whisper|tts|dall-e|gpt-image|sora|moderation|transcribe|realtime|rerank)/i.test(id);
}

const flags = ['chat', 'completion', 'function_calling', 'vision', 'embeddings', 'json_mode'] as const;

function capabilities(listed: ListedModel, told: JsonObject): Partial<Capabilities> {
  const result: Partial<Capabilities> = {};
  const taken = texts(listed['supported_parameters']);
  if (taken) Object.assign(result, { function_calling: taken.includes('tools'), json_mode: taken.includes('response_format') });
  const inputs = texts(inside(listed, 'architecture')['input_modalities']);
  if (inputs) result.vision = inputs.includes('image');
  if (/embed/i.test(listed.id)) Object.assign(result, { chat: false, embeddings: true, function_calling: false, json_mode: false });
  // Both servers support legacy completions for every model that they serve.
  if (listed['owned_by'] === 'vllm' || listed['owned_by'] === 'llamacpp') result.completion = true;
  Object.assign(result, flag('chat', told['completion_chat']));
  for (const name of flags) Object.assign(result, flag(name, told[name]));
  return result;
}

/** The flag where the list has it; otherwise nothing. */
export function flag(name: keyof Capabilities, told: unknown): Partial<Capabilities> {
  return typeof told === 'boolean' ? { [name]: told } : {};
}

/** A price in another unit than ours is ignored. */
function price(value: unknown): ProviderPrice | undefined {
  if (!isObject(value) || value['unit'] !== '1k_tokens') return undefined;
  const { prompt, completion } = value;
  return isPrice(prompt) && isPrice(completion) ? { prompt, completion } : undefined;
}

function isPrice(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

function status(value: unknown): ProviderModel['status'] {
  if (!isObject(value) || typeof value['active'] !== 'boolean') return undefined;
  return { active: value['active'], message: isText(value['message']) ? value['message'].slice(0, 200) : '' };
}

function inside(value: JsonObject, name: string): JsonObject {
  const inner = value[name];
  return isObject(inner) ? inner : {};
}

function texts(value: unknown): string[] | undefined {
  return Array.isArray(value) ? value.filter(isText) : undefined;
}

function firstCount(...values: unknown[]): number | undefined {
  return values.map(positiveInteger).find((value) => value !== undefined);
}
