import type { ChatLogprobs, TokenLogprob } from '../../../wire/chat-completion.js';
import type { LogprobsResult, TokenCandidate } from './wire.js';

/** @param top number of tokens that the client asked for; Google's list has one at least */
export function logprobsFrom({ chosenCandidates, topCandidates }: LogprobsResult, top: number): ChatLogprobs | undefined {
  if (!Array.isArray(chosenCandidates) || chosenCandidates.length === 0) return undefined;
  const content = chosenCandidates.map((chosen, step): TokenLogprob => {
    const alternatives = topCandidates?.[step]?.candidates ?? [];
    return { ...tokenLogprob(chosen), top_logprobs: alternatives.slice(0, top).map(tokenLogprob) };
  });
  return { content, refusal: null };
}

function tokenLogprob({ token = '', logProbability = 0 }: TokenCandidate): { token: string; logprob: number; bytes: number[] | null } {
  // A token that is a part of a character arrives as the replacement character, and its bytes are lost.
  return { token, logprob: logProbability, bytes: token.includes('\ufffd') ? null : [...Buffer.from(token)] };
}
