/** The longest time in milliseconds that a response of the sandbox keeps the event loop to itself. */
const SLICE_MS = 1;

interface Waiting {
  readonly used: number;
  readonly resume: () => void;
}

/**
 * Gives out slices of computing, one in each turn of the event loop: however many responses compute, whatever else the
 * process does comes in between. The response that has computed least is next, so that a short one need not wait for
 * long ones.
 */
class Slices {
  readonly #waiting: Waiting[] = [];

  /** @param used milliseconds that the response has computed */
  next(used: number): Promise<void> {
    return new Promise((resume) => {
      if (this.#waiting.push({ used, resume }) === 1) setImmediate(this.#give);
    });
  }

  readonly #give = (): void => {
    let least = 0;
    for (let index = 1; index < this.#waiting.length; index++) if (this.#waiting[index]!.used < this.#waiting[least]!.used) least = index;
    const [{ resume }] = this.#waiting.splice(least, 1) as [Waiting];
    // Node runs what is set here in the next turn, after it has looked at the sockets.
    if (this.#waiting.length > 0) setImmediate(this.#give);
    resume();
  };
}

/** Those of the process: it has one event loop. */
const slices = new Slices();

/**
 * Lets the event loop run between slices of computing. Each response has its own pacer, which is cheap enough to ask
 * for every token.
 */
export class Pacer {
  #sliceEnd = 0;
  #used = 0;

  /** Whether there is no slice, or it is used up, so that the caller should `await yieldToEventLoop()`. */
  get due(): boolean {
    return performance.now() >= this.#sliceEnd;
  }

  async yieldToEventLoop(): Promise<void> {
    // What it waited for meanwhile is no computing: a slice counts as two at most.
    if (this.#sliceEnd > 0) this.#used += Math.min(performance.now() - this.#sliceEnd, SLICE_MS) + SLICE_MS;
    await slices.next(this.#used);
    this.#sliceEnd = performance.now() + SLICE_MS;
  }
}
