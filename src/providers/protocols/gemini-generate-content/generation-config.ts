import { copyMember, copyMembers, hasSomeText } from '../../../json/long-text.js';
import type { ChatGenerationRequest } from '../../../wire/generation.js';
import { ProviderError } from '../../provider-error.js';
import type { GenerationConfig } from './wire.js';
import { googleSchema } from './json-schema.js';

/** Stop sequences at most. Google refuses more of them with a message that uses its own names. */
const MAX_STOP_SEQUENCES = 5;

/**
 * Sampling and the form of the response. What is absent in the request stays absent.
 * @throws ProviderError invalid_request
 */
export function generationConfig(request: ChatGenerationRequest): GenerationConfig {
  const config: GenerationConfig = {
    temperature: request.temperature,
    topP: request.top_p,
    seed: request.seed,
    presencePenalty: request.presence_penalty,
    frequencyPenalty: request.frequency_penalty,
    maxOutputTokens: request.max_tokens,
  };
  if (request.n > 1) config.candidateCount = request.n;
  if (request.stop?.length) {
    if (request.stop.length > MAX_STOP_SEQUENCES) {
      throw new ProviderError(
        'invalid_request',
        `This model takes at most ${MAX_STOP_SEQUENCES} stop sequences, not ${request.stop.length}`,
      );
    }
    config.stopSequences = [...request.stop];
  }
  if (request.logprobs) {
    config.responseLogprobs = true;
    if (request.top_logprobs) config.logprobs = request.top_logprobs;
  }
  const format = request.response_format;
  if (format && format.type !== 'text') config.responseMimeType = 'application/json';
  if (format?.type === 'json_schema' && format.json_schema.schema) config.responseJsonSchema = responseSchema(format.json_schema);
  return config;
}

function responseSchema(named: { schema?: Record<string, unknown>; description?: string }): Record<string, unknown> {
  const converted = googleSchema(named.schema ?? {});
  if (!hasSomeText(named, 'description') || '$ref' in converted) return converted;
  const described = {};
  copyMember(named, 'description', described);
  return copyMembers(converted, described);
}
