import type { FinishReason } from '../../wire/chat-completion.js';
import { ProviderError } from '../contract/provider-error.js';

/**
 * Translates the vendor's reason. A response that is done without one, as from old servers, has stopped, and
 * so it has with a word that we do not know; the vendor's own form of OpenAI's format says the same.
 * @param called whether the response has tool calls
 * @throws ProviderError bad_response where the model was loaded into memory, or out of it, in the place of an answer
 */
export function finishReasonFrom(reason: string | undefined, called: boolean): FinishReason {
  if (reason === 'load' || reason === 'unload') throw new ProviderError('bad_response', `Ollama did not answer: ${reason}`);
  if (reason === 'length') return 'length';
  return called ? 'tool_calls' : 'stop';
}
