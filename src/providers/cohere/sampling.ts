import type { ChatGenerationRequest } from '../../wire/generation.js';
import { ProviderError } from '../contract/provider-error.js';
import type { ChatBody } from './wire.js';

/** Stop sequences that Cohere takes. */
const MAX_STOP_SEQUENCES = 5;

/** The least and the most that Cohere takes of a parameter that the wire format knows in a wider range. */
const ranges = { p: [0.01, 0.99], presence_penalty: [0, 1], frequency_penalty: [0, 1] } as const;

/**
 * Sets how tokens are chosen, and where the answer ends. What is outside of Cohere's range becomes its nearest value,
 * and is reported as dropped.
 * @throws ProviderError invalid_request
 */
export function setSampling(body: ChatBody, request: ChatGenerationRequest, dropped: (parameter: string) => void): void {
  const { max_tokens, temperature, seed, stop, top_p, presence_penalty, frequency_penalty } = request;
  if (max_tokens !== undefined) body.max_tokens = max_tokens;
  if (temperature !== undefined) body.temperature = temperature;
  if (seed !== undefined) body.seed = seed;
  if (stop?.length) body.stop_sequences = stopSequences(stop);
  const within = (name: keyof typeof ranges, parameter: string, value: number | undefined): void => {
    if (value === undefined) return;
    const [least, most] = ranges[name];
    if (value < least || value > most) dropped(parameter);
    body[name] = Math.min(Math.max(value, least), most);
  };
  within('p', 'top_p', top_p);
  within('presence_penalty', 'presence_penalty', presence_penalty);
  within('frequency_penalty', 'frequency_penalty', frequency_penalty);
}

function stopSequences(stop: readonly string[]): string[] {
  if (stop.length <= MAX_STOP_SEQUENCES) return [...stop];
  throw new ProviderError('invalid_request', `This model takes at most ${MAX_STOP_SEQUENCES} stop sequences, not ${stop.length}`);
}
