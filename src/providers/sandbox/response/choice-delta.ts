import type { FinishReason, ToolCallDelta } from '../../../wire/chat-completion.js';
import type { ScoredToken } from './token-source.js';

/** A token at its place in the text of its choice. */
export interface PlacedToken extends ScoredToken {
  /** Where the token begins in the choice's text, in UTF-16 code units. */
  readonly offset: number;
}

/** A part of one choice, before a ChoiceShape writes it as its operation wants it. */
export interface ChoiceDelta {
  readonly text: string;
  /** What the model thinks before it writes the text or calls a function. */
  readonly reasoning: string;
  /** The tokens that begin in `text`. */
  readonly tokens: readonly PlacedToken[];
  readonly toolCalls: readonly ToolCallDelta[];
  /** How many completion tokens the delta holds. */
  readonly generated: number;
  /** How many of them are reasoning. */
  readonly reasoned: number;
  /** The reason on the last delta, which holds nothing else; null on all others. */
  readonly finish: FinishReason | null;
}

/** The deltas of one choice. Undefined means that the last token is held back, so that there is nothing to send yet. */
export type ChoiceDeltas = Generator<ChoiceDelta | undefined, void>;

const nothing: ChoiceDelta = { text: '', reasoning: '', tokens: [], toolCalls: [], generated: 0, reasoned: 0, finish: null };

export const textDelta = (text: string, tokens: readonly PlacedToken[], generated = tokens.length): ChoiceDelta => ({
  ...nothing,
  text,
  tokens,
  generated,
});

export const reasoningDelta = (reasoning: string, generated: number): ChoiceDelta => ({
  ...nothing,
  reasoning,
  generated,
  reasoned: generated,
});

export const toolCallDelta = (delta: ToolCallDelta, generated: number): ChoiceDelta => ({ ...nothing, toolCalls: [delta], generated });

export const finishDelta = (finish: FinishReason): ChoiceDelta => ({ ...nothing, finish });

/** Joins all deltas of a choice. */
export function joinDeltas(deltas: readonly ChoiceDelta[]): ChoiceDelta {
  return {
    text: deltas.map((delta) => delta.text).join(''),
    reasoning: deltas.map((delta) => delta.reasoning).join(''),
    tokens: deltas.flatMap((delta) => delta.tokens),
    toolCalls: joinToolCalls(deltas.flatMap((delta) => delta.toolCalls)),
    generated: deltas.reduce((sum, delta) => sum + delta.generated, 0),
    reasoned: deltas.reduce((sum, delta) => sum + delta.reasoned, 0),
    finish: deltas.at(-1)?.finish ?? null,
  };
}

function joinToolCalls(deltas: readonly ToolCallDelta[]): ToolCallDelta[] {
  const calls: ToolCallDelta[] = [];
  for (const delta of deltas) {
    const call = calls[delta.index];
    if (call) call.function = { ...call.function, arguments: (call.function?.arguments ?? '') + (delta.function?.arguments ?? '') };
    else calls.push({ ...delta });
  }
  return calls;
}
