import type { GenerationRequest } from '../../wire/generation.js';
import type { OllamaOptions } from './ollama.type.js';
import type { ModelOptions } from './wire.js';

/** Parameters beyond the wire format that the vendor has among its `options`, under the same names. */
export const optionNames = [
  'top_k',
  'min_p',
  'typical_p',
  'tfs_z',
  'repeat_last_n',
  'repeat_penalty',
  'mirostat',
  'mirostat_tau',
  'mirostat_eta',
] as const;

/** Sampling and limits of a request. What is absent in it stays absent. */
export function modelOptions(request: GenerationRequest, { num_ctx }: OllamaOptions): ModelOptions {
  const { extra = {} } = request;
  const options: ModelOptions = {
    num_ctx,
    num_predict: request.max_tokens,
    stop: request.stop && [...request.stop],
    seed: request.seed,
    temperature: request.temperature,
    top_p: request.top_p,
    presence_penalty: request.presence_penalty,
    frequency_penalty: request.frequency_penalty,
  };
  for (const name of optionNames) if (extra[name] != null) options[name] = extra[name];
  return options;
}
