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
