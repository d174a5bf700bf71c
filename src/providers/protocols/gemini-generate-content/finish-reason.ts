import type { FinishReason } from '../../../wire/chat-completion.js';
import { ProviderError } from '../../contract/provider-error.js';
import { ownOf } from '../../../wire/own-members.js';

const reasons: Readonly<Record<string, FinishReason>> = {
  STOP: 'stop',
  MAX_TOKENS: 'length',
  // The limit of the model for one request. The rest would have to be asked for with a continuation token.
  CONTINUATION: 'length',
  SAFETY: 'content_filter',
  RECITATION: 'content_filter',
  LANGUAGE: 'content_filter',
  BLOCKLIST: 'content_filter',
  PROHIBITED_CONTENT: 'content_filter',
  SPII: 'content_filter',
  MODEL_ARMOR: 'content_filter',
  IMAGE_SAFETY: 'content_filter',
  IMAGE_PROHIBITED_CONTENT: 'content_filter',
  IMAGE_RECITATION: 'content_filter',
};

/**
 * Translates Google's finish reason.
 * @returns undefined while the candidate is not finished
 * @throws ProviderError bad_response for an end that is no response (MALFORMED_FUNCTION_CALL, UNEXPECTED_TOOL_CALL,
 * OTHER ...): the wire format has no word for it, and `stop` would make half a response look complete
 */
export function finishReasonFrom(reason: string | null | undefined): FinishReason | undefined {
  if (!reason || reason === 'FINISH_REASON_UNSPECIFIED') return undefined;
  const known = ownOf(reasons, reason);
  if (!known) throw new ProviderError('bad_response', `Gemini broke its answer off: ${reason}`.slice(0, 100));
  return known;
}
