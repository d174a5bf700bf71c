import { changedFrom } from '../../json/json-source.js';
import type { OverInputs } from '../../wire/generation.js';
import type { InputsRequest } from '../../wire/inputs-request.js';
import { type PromptSize, settingsSize } from '../planning/token-counter.js';
import type { UpstreamCall } from '../planning/upstream-call.js';

/** Inputs that one upstream call has at most, where its provider says nothing: as many as a client may send. */
export const MAX_INPUTS = 2_048;

/** Tokens that vendors put around an input: marks of its beginning and end, or what says what it is for. */
export const INPUT_OVERHEAD = 16;

/**
 * As few calls as may be, each with the next inputs.
 * @param contextLength tokens of one input
 * @param most of one call: inputs, and tokens of all of them; absent: no more than each input may have
 * @param sizeOf the size of the input at a place
 */
export function planInputs(
  settings: OverInputs,
  contextLength: number,
  most: { readonly inputs: number; readonly tokens?: number | undefined },
  sizeOf: (index: number) => PromptSize,
): UpstreamCall[] {
  const rest = settingsSize(settings);
  const { input } = settings;
  const calls: UpstreamCall[] = [];
  let [first, bytes, bound] = [0, 0, 0];
  const add = (end: number): void => {
    calls.push({
      request: first === 0 && end === input.length ? settings : ({ ...settings, input: sliceOf(input, first, end) } as OverInputs),
      firstIndex: first,
      promptBytes: rest.bytes + bytes,
      promptBound: rest.bound + bound,
    });
    [first, bytes, bound] = [end, 0, 0];
  };
  for (let index = 0; index < input.length; index++) {
    const size = sizeOf(index);
    const bounded = Math.min(size.bound, contextLength);
    if (index > first && (index - first >= most.inputs || bound + bounded > (most.tokens ?? Infinity))) add(index);
    bytes += size.bytes;
    bound += bounded;
  }
  add(input.length);
  return calls;
}

function sliceOf(input: InputsRequest['input'], from: number, to: number): InputsRequest['input'] {
  return changedFrom(input, input.slice(from, to));
}
