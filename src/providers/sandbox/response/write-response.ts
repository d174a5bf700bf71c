import type { GenerationChoice, GenerationChunk } from '../../../wire/generation.js';
import { type Usage, usageOf } from '../../../wire/usage.js';
import type { ProviderCall } from '../../contract/model-provider.js';
import type { Pacer } from '../pacer.js';
import type { SandboxResponse } from './response.js';
import { joinDeltas, type ChoiceDelta } from './choice-delta.js';

/** How an operation writes the deltas of a choice on the wire. */
export interface ChoiceShape {
  /** The beginning of a streamed choice before its first delta, where the operation has one. */
  first(index: number): GenerationChoice | undefined;
  part(index: number, delta: ChoiceDelta): GenerationChoice;
  /** @param delta all deltas of a choice that is not streamed, joined */
  whole(index: number, delta: ChoiceDelta): GenerationChoice;
}

/**
 * Yields a chunk for each delta, taking the choices in turn. The last chunk carries the usage; it is missing when the
 * signal aborts.
 */
export async function* streamedChunks(
  response: SandboxResponse,
  shape: ChoiceShape,
  call: ProviderCall,
  pacer: Pacer,
): AsyncGenerator<GenerationChunk> {
  for (const index of response.choices.keys()) {
    const first = shape.first(index);
    if (first) yield { choices: [first], promptTokens: response.promptTokens, tokens: 0 };
  }
  const running = new Map(response.choices.entries());
  let generated = 0;
  let reasoned = 0;
  while (running.size > 0) {
    for (const [index, deltas] of running) {
      if (pacer.due) await pacer.yieldToEventLoop();
      if (call.flow.paused) await readyOrAborted(call);
      if (call.signal.aborted) return;
      const delta = deltas.next().value;
      if (!delta) continue;
      generated += delta.generated;
      reasoned += delta.reasoned;
      if (delta.finish) running.delete(index);
      const chunk = { choices: [shape.part(index, delta)], promptTokens: response.promptTokens, tokens: delta.generated };
      yield running.size > 0 ? chunk : { ...chunk, usage: usage(response, generated, reasoned) };
    }
  }
}

/** Yields the whole response in one chunk, or nothing when the signal aborts. */
export async function* wholeChunk(
  response: SandboxResponse,
  shape: ChoiceShape,
  call: ProviderCall,
  pacer: Pacer,
): AsyncGenerator<GenerationChunk> {
  const choices: GenerationChoice[] = [];
  let generated = 0;
  let reasoned = 0;
  for (const [index, deltas] of response.choices.entries()) {
    const parts: ChoiceDelta[] = [];
    for (const delta of deltas) {
      if (pacer.due) await pacer.yieldToEventLoop();
      if (call.signal.aborted) return;
      if (delta) parts.push(delta);
    }
    const whole = joinDeltas(parts);
    generated += whole.generated;
    reasoned += whole.reasoned;
    choices.push(shape.whole(index, whole));
  }
  yield { choices, tokens: generated, usage: usage(response, generated, reasoned) };
}

function usage({ promptTokens, imageTokens, reasons }: SandboxResponse, generated: number, reasoned: number): Usage {
  return {
    ...usageOf(promptTokens, generated),
    ...(imageTokens ? { prompt_tokens_details: { image_tokens: imageTokens } } : {}),
    ...(reasons ? { completion_tokens_details: { reasoning_tokens: reasoned } } : {}),
  };
}

async function readyOrAborted({ flow, signal }: ProviderCall): Promise<void> {
  if (signal.aborted) return;
  const over = new AbortController();
  const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true, signal: over.signal }));
  await Promise.race([flow.ready(), aborted]);
  over.abort();
}
