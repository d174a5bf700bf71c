/** Deltas that a text may have in pieces, beside one for so many characters. */
const PIECES = 512;
const CHARACTERS = 64;

/** A text of the output to which deltas add: one part of a message or of reasoning, or the input of a call. */
export class GrowingText {
  #pieces = 0;

  /**
   * @param type of the events of its deltas
   * @param place the members of these events beside type, number and delta
   * @param append puts a delta into the item, and returns the text that it has then
   */
  constructor(
    readonly type: `response.${string}.delta`,
    readonly place: Readonly<Record<string, unknown>>,
    private readonly append: (delta: string) => string,
  ) {}

  add(delta: string): void {
    const text = this.append(delta);
    if (++this.#pieces <= PIECES + text.length / CHARACTERS) return;
    // V8 keeps each delta with some fifty bytes beside it until one character of the text is looked at.
    text.charCodeAt(0);
    this.#pieces = 0;
  }
}

/** Is told of the output as it comes. */
export interface OutputSteps {
  /** @param members of the event of this step, beside its type and number */
  step(type: string, members: Readonly<Record<string, unknown>>): void;
  delta(text: GrowingText, delta: string): void;
}
