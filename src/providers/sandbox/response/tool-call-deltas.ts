import { randomBytes } from 'node:crypto';
import type { Tokenizer } from '../language/tokenizer.js';
import { finishDelta, type ChoiceDeltas, toolCallDelta } from './choice-delta.js';
import { TextAssembler } from './text-assembler.js';

/** A tool call that the response consists of. */
export interface PlannedCall {
  readonly name: string;
  /** The arguments as JSON. */
  readonly arguments: string;
}

/**
 * Yields the deltas of tool calls: each call begins with its id and name, and its arguments follow a token at a time.
 */
export function* toolCallDeltas(calls: readonly PlannedCall[], tokenizer: Tokenizer, maxTokens: number): ChoiceDeltas {
  let left = maxTokens;
  for (const [index, call] of calls.entries()) {
    const name = tokenizer.encode(call.name);
    left -= name.length;
    if (left < 0) return yield finishDelta('length');
    yield toolCallDelta({ index, id: callId(), type: 'function', function: { name: call.name, arguments: '' } }, name.length);

    const assembler = new TextAssembler(tokenizer.vocabulary);
    let held = 0;
    for (const token of tokenizer.encode(call.arguments)) {
      if (--left < 0) return yield finishDelta('length');
      held++;
      const text = assembler.push(token);
      if (text === '') continue;
      yield toolCallDelta({ index, function: { arguments: text } }, held);
      held = 0;
    }
  }
  return yield finishDelta('tool_calls');
}

/** Unlike everything else, ids do not depend on the seed: two calls in one conversation must never share one. */
const callId = () => `call_${randomBytes(12).toString('hex')}`;
