/**
 * The place of a thought signature in the OpenAI format: `extra_content.google.thought_signature`, on a tool call for
 * the part of that call, on the delta or the message for the text. Google's OpenAI-compatible address uses the same
 * places, so that clients that know it keep signatures already.
 */
export function withSignature(signature: string): { google: { thought_signature: string } } {
  return { google: { thought_signature: signature } };
}

export function signatureOf(extraContent: unknown): string | undefined {
  const signature = (extraContent as { google?: { thought_signature?: unknown } | null } | null | undefined)?.google?.thought_signature;
  return typeof signature === 'string' && signature !== '' ? signature : undefined;
}

/**
 * A value that Google documents for calls whose signature is not known, because another model made them or the client
 * did not keep it. Gemini 3 and later refuse a call without any signature.
 */
export const ABSENT_SIGNATURE = 'skip_thought_signature_validator';
