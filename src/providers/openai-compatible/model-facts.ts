import { type Abilities, abilityNames } from '../../wire/model.js';
import { type HoursQuote, parseHours } from '../../common/prices/price-hours.js';
import type { Weekday } from '../../wire/weekday.js';
import { serviceTierName } from '../../wire/service-tier.js';
import { isObject, type JsonObject } from '../../wire/json-object.js';
import type { ProviderModel, ProviderPrice } from '../contract/model-provider.js';
import { componentsPerThousand, perThousand } from '../contract/price-decimal.js';
import { isText } from '../protocols/is-text.js';
import { positiveInteger } from '../model-facts/positive-integer.js';
import type { ListedModel } from './model-list.js';

export type ListedFacts = { readonly reasoning?: boolean | undefined } & Partial<
  Pick<
    ProviderModel,
    'price' | 'contextLength' | 'maxTokens' | 'created' | 'parameters' | 'inputModalities' | 'outputModalities' | 'status'
  >
> & { capabilities?: Partial<Abilities> };

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
    price: price(listed['pricing'], listed['pricing_components']),
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
    ...(texts(listed['supported_parameters'])?.includes('reasoning') && { reasoning: true }),
  };
}

/**
 * Whether a model, by its name, answers with sound, pictures or scores. OpenAI's plain list distinguishes such models
 * by nothing else.
 */
export function saysNoText({ id }: ListedModel): boolean {
  return /(^|[-/])(whisper|tts|dall-e|gpt-image|sora|moderation|transcribe|realtime|rerank)/i.test(id);
}

function capabilities(listed: ListedModel, told: JsonObject): Partial<Abilities> {
  const result: Partial<Abilities> = {};
  const taken = texts(listed['supported_parameters']);
  if (taken) Object.assign(result, { function_calling: taken.includes('tools'), json_mode: taken.includes('response_format') });
  const inputs = texts(inside(listed, 'architecture')['input_modalities']);
  if (inputs) result.vision = inputs.includes('image');
  if (/embed/i.test(listed.id)) Object.assign(result, { chat: false, embeddings: true, function_calling: false, json_mode: false });
  // Both servers support legacy completions for every model that they serve.
  if (listed['owned_by'] === 'vllm' || listed['owned_by'] === 'llamacpp') result.completion = true;
  Object.assign(result, flag('chat', told['completion_chat']));
  for (const name of abilityNames) Object.assign(result, flag(name, told[name]));
  return result;
}

/** The flag where the list has it; otherwise nothing. */
export function flag(name: keyof Abilities, told: unknown): Partial<Abilities> {
  return typeof told === 'boolean' ? { [name]: told } : {};
}

/** A price in another unit than ours is ignored. */
function price(value: unknown, components: unknown): ProviderPrice | undefined {
  if (!isObject(value) || value['unit'] !== '1k_tokens') return undefined;
  const { prompt, completion } = value;
  if (!isPrice(prompt) || !isPrice(completion)) return undefined;
  if (!isObject(components)) return { prompt, completion };
  const services = isObject(components['service_tiers']) ? components['service_tiers'] : {};
  const priced = Object.entries(services).flatMap(([name, level]) =>
    serviceTierName.test(name) && isObject(level) ? [[name, { tiers: [], ...levelOf(level, prompt, completion) }] as const] : [],
  );
  const hours = objects(components['hours']).flatMap((told) => {
    const when = hoursOf(told);
    return when ? [{ ...when, tiers: [], ...levelOf(told, prompt, completion) }] : [];
  });
  return {
    ...levelOf(components, prompt, completion),
    ...(priced.length > 0 && { service_tiers: Object.fromEntries(priced) }),
    ...(hours.length > 0 && { hours }),
  };
}

/** A level that lacks a price has that of the base. */
function levelOf(told: JsonObject, prompt: number, completion: number): ProviderPrice {
  const base = { prompt, completion };
  const tiers = objects(told['tiers']).flatMap(({ above, beyond, ...rates }) => {
    const tier = perThousand({ ...base, ...rates }, 1_000);
    return positiveInteger(above) && tier ? [{ above: above as number, ...(beyond === true && { beyond }), ...tier }] : [];
  });
  const level = perThousand({ ...base, ...told }, 1_000) ?? { ...base, ...componentsPerThousand(told, 1_000) };
  return { ...level, ...(tiers.length > 0 && { tiers }) };
}

function hoursOf({ from, to, days }: JsonObject): HoursQuote | undefined {
  const quote = { from: String(from), to: String(to), ...(Array.isArray(days) && { days: days as Weekday[] }) };
  try {
    parseHours(quote);
    return quote;
  } catch {
    return undefined;
  }
}

function objects(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
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
