/**
 * Passes text on up to the first stop sequence, and holds back what may still become one. It runs Knuth-Morris-Pratt
 * for each sequence.
 */
export class StopMatcher {
  readonly #patterns: readonly Pattern[];
  #held = '';
  #stopped = false;

  constructor(stops: readonly string[]) {
    this.#patterns = stops.filter((stop) => stop !== '').map((stop) => new Pattern(stop));
  }

  /** Whether a stop sequence has been met, after which nothing more comes out. */
  get stopped(): boolean {
    return this.#stopped;
  }

  /**
   * Takes the next text.
   * @returns what can no longer be part of a stop sequence
   */
  push(text: string): string {
    if (this.#patterns.length === 0) return text;
    if (this.#stopped) return '';
    const start = this.#held.length;
    this.#held += text;
    for (let i = start; i < this.#held.length; i++) {
      const unit = this.#held.charCodeAt(i);
      let longest = 0;
      for (const pattern of this.#patterns) if (pattern.advance(unit)) longest = Math.max(longest, pattern.length);
      if (longest > 0) {
        this.#stopped = true;
        return this.#release(i + 1 - longest);
      }
    }
    const possible = Math.max(...this.#patterns.map((pattern) => pattern.matched));
    return this.#release(this.#held.length - possible);
  }

  /** @returns what was held back, when no more text comes */
  end(): string {
    return this.#stopped ? '' : this.#release(this.#held.length);
  }

  #release(length: number): string {
    const text = this.#held.slice(0, length);
    this.#held = this.#held.slice(length);
    return text;
  }
}

class Pattern {
  /** The length, in UTF-16 code units, of the longest beginning of the sequence that the text ends with. */
  matched = 0;
  readonly #borders: readonly number[];

  constructor(private readonly sequence: string) {
    const borders = [0];
    for (let i = 1, border = 0; i < sequence.length; i++) {
      while (border > 0 && sequence[i] !== sequence[border]) border = borders[border - 1]!;
      if (sequence[i] === sequence[border]) border++;
      borders.push(border);
    }
    this.#borders = borders;
  }

  get length(): number {
    return this.sequence.length;
  }

  /** @returns whether the sequence is complete */
  advance(unit: number): boolean {
    while (this.matched > 0 && unit !== this.sequence.charCodeAt(this.matched)) this.matched = this.#borders[this.matched - 1]!;
    if (unit === this.sequence.charCodeAt(this.matched)) this.matched++;
    return this.matched === this.sequence.length;
  }
}
