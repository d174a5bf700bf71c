/**
 * Lines are passed on together, once there are so many characters or after so many milliseconds: handing over each line
 * alone costs more than making it.
 */
const GATHERED_CHARACTERS = 32 * 1024;
const GATHERED_MS = 50;

/** Gathers lines for a stream on which every write is expensive. */
export class GatheredLines {
  #pending = '';
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly stream: { write(lines: string): unknown }) {}

  /** @param lines whole lines */
  write(lines: string): void {
    this.#pending += lines;
    if (this.#pending.length >= GATHERED_CHARACTERS) this.flush();
    else this.#timer ??= setTimeout(this.flush, GATHERED_MS).unref();
  }

  readonly flush = (): void => {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const lines = this.#pending;
    this.#pending = '';
    if (lines !== '') this.stream.write(lines);
  };
}
