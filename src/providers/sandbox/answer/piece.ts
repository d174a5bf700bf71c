import type { FinishReason, ToolCallDelta } from '../../../wire/chat-completion.js';
import type { ScoredToken } from './token-source.js';

/** A token at its place in the text of its choice. */
export interface PlacedToken extends ScoredToken {
  /** UTF-16 code units of the choice's text before the token. */
  readonly offset: number;
}

/** Part of one choice, before it takes the shape of an operation. */
export interface Piece {
  readonly text: string;
  /** The tokens that begin in `text`. */
  readonly tokens: readonly PlacedToken[];
  readonly toolCalls: readonly ToolCallDelta[];
  /** Completion tokens in this piece. */
  readonly generated: number;
  /** Set on the last piece, which holds nothing else. */
  readonly finish: FinishReason | null;
}

/** The pieces of one choice. `undefined`: the last token is held back, nothing to send yet. */
export type Pieces = Generator<Piece | undefined, void>;

const nothing: Piece = { text: '', tokens: [], toolCalls: [], generated: 0, finish: null };

export const textPiece = (text: string, tokens: readonly PlacedToken[], generated = tokens.length): Piece => ({
  ...nothing,
  text,
  tokens,
  generated,
});

export const toolCallPiece = (delta: ToolCallDelta, generated: number): Piece => ({ ...nothing, toolCalls: [delta], generated });

export const finishPiece = (finish: FinishReason): Piece => ({ ...nothing, finish });

/** All pieces of a choice as one. */
export function joinPieces(pieces: readonly Piece[]): Piece {
  return {
    text: pieces.map((piece) => piece.text).join(''),
    tokens: pieces.flatMap((piece) => piece.tokens),
    toolCalls: joinToolCalls(pieces.flatMap((piece) => piece.toolCalls)),
    generated: pieces.reduce((sum, piece) => sum + piece.generated, 0),
    finish: pieces.at(-1)?.finish ?? null,
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
