import { isStandardTier } from '../../../wire/service-tier.js';
import { isObject } from '../../../wire/json-object.js';
import { ProviderError } from '../../contract/provider-error.js';
import type { GenerateContentRequest, GenerationConfig, ThinkingConfig } from './wire.js';

/**
 * Adds what a client says in Google's own words beside the parameters of the wire format: `top_k`, `safety_settings` (a
 * list of categories and thresholds), `service_tier`, and, as Google's OpenAI-compatible address accepts it,
 * `extra_body.google` or `google` with `thinking_config` and `safety_settings` in it.
 * @param dropped is told of everything else
 * @throws ProviderError invalid_request
 */
export function addGoogleOptions(
  body: GenerateContentRequest & { generationConfig: GenerationConfig },
  extra: Readonly<Record<string, unknown>>,
  dropped: (parameter: string) => void,
): void {
  for (const [name, value] of Object.entries(extra)) {
    if (value == null) continue;
    if (name === 'top_k') body.generationConfig.topK = number(name, value);
    else if (name === 'safety_settings') body.safetySettings = list(name, value);
    else if (name === 'service_tier' && typeof value === 'string') body.serviceTier = isStandardTier(value) ? 'standard' : value;
    else if (name === 'google') addNested(value, name);
    else if (name === 'extra_body' && isObject(value) && value['google'] != null) addNested(value['google'], 'extra_body.google');
    else dropped(name);
  }

  function addNested(options: unknown, where: string): void {
    for (const [name, value] of Object.entries(isObject(options) ? options : {})) {
      const path = `${where}.${name}`;
      if (name === 'safety_settings') body.safetySettings = list(path, value);
      else if (name === 'thinking_config' && isObject(value)) {
        body.generationConfig.thinkingConfig = { ...body.generationConfig.thinkingConfig, ...thinking(path, value) };
      } else dropped(path);
    }
  }
}

/** A level and a budget exclude each other. Either replaces what follows from `reasoning_effort`. */
function thinking(path: string, { include_thoughts, thinking_budget, thinking_level }: Record<string, unknown>): ThinkingConfig {
  const config: ThinkingConfig = {};
  if (typeof include_thoughts === 'boolean') config.includeThoughts = include_thoughts;
  if (thinking_budget != null || typeof thinking_level === 'string') {
    config.thinkingBudget = thinking_budget == null ? undefined : number(`${path}.thinking_budget`, thinking_budget);
    config.thinkingLevel = typeof thinking_level === 'string' ? thinking_level.toUpperCase() : undefined;
  }
  return config;
}

function number(name: string, value: unknown): number {
  if (typeof value === 'number') return value;
  throw new ProviderError('invalid_request', `${name} must be a number`);
}

function list(name: string, value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  throw new ProviderError('invalid_request', `${name} must be an array`);
}
