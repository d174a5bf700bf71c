import type { RecordedRequest, Reply } from '../../src/providers/testing/loopback-upstream.ts';
import { firstPieces, PROMPT_TOKENS, streamedPieces, wholePieces } from '../chaos/answers.ts';

/** What a client asks for, and what its provider does. */
export interface Script {
  readonly pieces: number;
  /** Milliseconds between pieces. */
  readonly pace: number;
  /** `leave`: the provider falls silent and the client goes. `cut`: the provider's connection breaks. `refuse`: 500. */
  readonly end: 'stop' | 'leave' | 'cut' | 'refuse';
  readonly stream: boolean;
  /** Whether the client names max_tokens, as many as the pieces. */
  readonly insists: boolean;
  /** Tokens beyond max_tokens that the provider counts at the end, and nobody sees. */
  readonly hidden: number;
}

/** Credits per 1,000 tokens, chosen so that every charge has to be rounded. */
export const PRICE = { prompt: '0.123456789', completion: '0.987654321' };
const [PROMPT_NANO, COMPLETION_NANO] = [123_456_789n, 987_654_321n];

/** Nano-credits that an answer costs of which so many tokens were delivered. */
export function priceOf(tokens: number): bigint {
  return tokens === 0 ? 0n : (BigInt(PROMPT_TOKENS) * PROMPT_NANO + BigInt(tokens) * COMPLETION_NANO + 999n) / 1000n;
}

/** Bytes for which the gateway counts as many tokens as the provider reports later. */
const PROMPT_BYTES = PROMPT_TOKENS * 6;

/** The script goes to the provider as the prompt. */
export function bodyOf({ pieces, pace, end, stream, insists, hidden }: Script): string {
  const content = `${pieces} ${pace} ${end} ${hidden} `.padEnd(PROMPT_BYTES, '.');
  return JSON.stringify({
    // Failures pause an offer, so that requests that are to fail have an offer of their own.
    model: end === 'cut' || end === 'refuse' ? 'failing' : 'm',
    stream,
    messages: [{ role: 'user', content }],
    ...(insists && { max_tokens: Math.max(1, pieces) }),
  });
}

/** Plays the provider: each piece is one token, and some are hidden. */
export function play({ body }: RecordedRequest): Reply {
  const { messages, stream, max_tokens } = JSON.parse(body) as { messages: { content: string }[]; stream?: boolean; max_tokens: number };
  const [wanted, pace, end, hidden] = messages[0]!.content.split(' ') as [string, string, Script['end'], string];
  const pieces = Math.min(Number(wanted), max_tokens);
  const finish = pieces < Number(wanted) ? 'length' : 'stop';
  if (end === 'refuse') return { status: 500, headers: { 'content-type': 'application/json' }, body: '{"error":{"message":"no"}}' };
  if (!stream)
    return {
      headers: { 'content-type': 'application/json' },
      body: wholePieces(pieces, finish, Number(hidden)),
      delay: Number(pace) * pieces,
    };
  const text = streamedPieces(pieces, finish, Number(hidden));
  const after = end === 'stop' ? text.length : firstPieces(pieces).length;
  const cuts = Number(pace) > 0 ? eventOffsets(text) : [];
  return {
    headers: { 'content-type': 'text/event-stream' },
    body: text,
    cuts,
    pace: Number(pace),
    after,
    ending: end === 'cut' ? 'reset' : end === 'leave' ? 'stall' : 'end',
  };
}

function eventOffsets(text: string): number[] {
  const offsets: number[] = [];
  for (let at = text.indexOf('data:'); at >= 0; at = text.indexOf('data:', at + 1)) offsets.push(at);
  return offsets;
}
