import type { ChatGenerationRequest } from '../../../wire/generation.js';
import { describedSchema } from '../../translation/described-schema.js';
import { ProviderError } from '../../contract/provider-error.js';
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
  const schema = format && describedSchema(format);
  if (schema) config.responseJsonSchema = googleSchema(schema);
  return config;
}
