import type { InferenceRequest } from '../../wire/generation.js';
import { hasCacheMarks } from '../planning/cache-marks.js';

/**
 * UTF-8 bytes below which a prompt is not cached: vendors document 1,024 tokens or more (OpenAI, Anthropic, Gemini),
 * but for DeepSeek and xAI.
 */
const LEAST = 4_096;

/** Whether a vendor's cache probably has the beginning of the prompt: it was marked for it, or is a later turn. */
export function mayBeCached(request: InferenceRequest, promptBytes: number): boolean {
  if (promptBytes < LEAST || request.operation !== 'chat') return false;
  return request.messages.some(({ role }) => role === 'assistant') || hasCacheMarks(request);
}
