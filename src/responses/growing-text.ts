import type { CustomToolCallItem, FunctionCallItem } from '../wire/response.js';

/** A text of the output to which deltas add: one part of a message or of reasoning, or the input of a call. */
export class GrowingText {
  /**
   * @param type of the events of its deltas
   * @param place the members of these events beside type, number and delta
   * @param add puts a delta into the item
   */
  constructor(
    readonly type: `response.${string}.delta`,
    readonly place: Readonly<Record<string, unknown>>,
    readonly add: (delta: string) => void,
  ) {}
}

/** Is told of the output as it comes. */
export interface OutputSteps {
  /** @param members of the event of this step, beside its type and number */
  step(type: string, members: Readonly<Record<string, unknown>>): void;
  delta(text: GrowingText, delta: string): void;
}

/** @param written is told of each delta of a function's arguments */
export function growingInput(
  item: FunctionCallItem | CustomToolCallItem,
  place: Readonly<Record<string, unknown>>,
  written: (delta: string) => void,
): GrowingText {
  if (item.type === 'custom_tool_call')
    return new GrowingText('response.custom_tool_call_input.delta', place, (delta) => (item.input += delta));
  return new GrowingText('response.function_call_arguments.delta', place, (delta) => {
    item.arguments += delta;
    written(delta);
  });
}
