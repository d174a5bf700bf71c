import type { GenerationChoice, GenerationChunk } from '../../../wire/generation.js';
import { usageOf } from '../../../wire/usage.js';
import type { ProviderCall } from '../../model-provider.js';
import type { Pacer } from '../pacer.js';
import type { Answer } from './answer.js';
import { joinPieces, type Piece } from './piece.js';

/** How the pieces of an operation look on the wire. */
export interface AnswerShape {
  /** What a streamed choice begins with, if anything. */
  first(index: number): GenerationChoice | undefined;
  part(index: number, piece: Piece): GenerationChoice;
  /** A choice that is not streamed. */
  whole(index: number, piece: Piece): GenerationChoice;
}

/** A chunk a piece, the choices taking turns; the last chunk carries usage. Ends without it when the signal aborts. */
export async function* streamAnswer(answer: Answer, shape: AnswerShape, call: ProviderCall, pacer: Pacer): AsyncGenerator<GenerationChunk> {
  for (const index of answer.choices.keys()) {
    const first = shape.first(index);
    if (first) yield { choices: [first], promptTokens: answer.promptTokens, tokens: 0 };
  }
  const running = new Map(answer.choices.entries());
  let generated = 0;
  while (running.size > 0) {
    for (const [index, pieces] of running) {
      if (pacer.due) await pacer.breathe();
      if (call.flow.paused) await readyOrAborted(call);
      if (call.signal.aborted) return;
      const piece = pieces.next().value;
      if (!piece) continue;
      generated += piece.generated;
      if (piece.finish) running.delete(index);
      const chunk = { choices: [shape.part(index, piece)], promptTokens: answer.promptTokens, tokens: piece.generated };
      yield running.size > 0 ? chunk : { ...chunk, usage: usageOf(answer.promptTokens, generated) };
    }
  }
}

/** Everything in one chunk. */
export async function* wholeAnswer(answer: Answer, shape: AnswerShape, call: ProviderCall, pacer: Pacer): AsyncGenerator<GenerationChunk> {
  const choices: GenerationChoice[] = [];
  let generated = 0;
  for (const [index, pieces] of answer.choices.entries()) {
    const parts: Piece[] = [];
    for (const piece of pieces) {
      if (pacer.due) await pacer.breathe();
      if (call.signal.aborted) return;
      if (piece) parts.push(piece);
    }
    const whole = joinPieces(parts);
    generated += whole.generated;
    choices.push(shape.whole(index, whole));
  }
  yield { choices, tokens: generated, usage: usageOf(answer.promptTokens, generated) };
}

async function readyOrAborted({ flow, signal }: ProviderCall): Promise<void> {
  if (signal.aborted) return;
  const over = new AbortController();
  const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true, signal: over.signal }));
  await Promise.race([flow.ready(), aborted]);
  over.abort();
}
