import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { Clock, type Timer } from '../time/clock.js';

/** Turns of the event loop after each timer, in which what it has begun goes on. */
const TURNS = 3;

/** Milliseconds of the machine's time for which something is waited for. */
const PATIENCE_MS = 30_000;

interface Waiting extends Timer {
  readonly run: () => void;
  /** Milliseconds between two runs; undefined for a timeout. */
  readonly every: number | undefined;
  /** On the clock of `monotonic()`. */
  due: number;
  /** Where time passes by itself too. */
  real: NodeJS.Timeout | undefined;
}

/** A clock that a test moves. In between it stands. */
export class ManualClock extends Clock {
  /** Milliseconds by which it was moved. */
  #moved = 0;
  readonly #began = { now: Date.now(), monotonic: Math.floor(performance.now()) };
  /** In the order of their making. */
  readonly #waiting = new Set<Waiting>();

  /** One that goes on by itself as the system's does, for a gateway that is to work between the moves. */
  static running(): ManualClock {
    return new ManualClock(true);
  }

  /** @param running as `ManualClock.running` */
  constructor(readonly running = false) {
    super();
  }

  now(): number {
    return Math.floor((this.running ? Date.now() : this.#began.now) + this.#moved);
  }

  monotonic(): number {
    return (this.running ? performance.now() : this.#began.monotonic) + this.#moved;
  }

  setTimeout(run: () => void, ms: number): Timer {
    return this.#wait(run, ms, undefined);
  }

  setInterval(run: () => void, ms: number): Timer {
    return this.#wait(run, ms, ms);
  }

  clear(timer: Timer | undefined): void {
    const waiting = timer as Waiting | undefined;
    if (waiting && this.#waiting.delete(waiting)) clearTimeout(waiting.real);
  }

  /** Lets time pass: what is due runs in its order, and what it has begun without input or output runs on. */
  async advance(ms: number): Promise<void> {
    await this.#move(ms, (due) => due);
  }

  /** Lets time pass in steps until a promise is settled: what it waits for are timers, and what comes between them. */
  async advanceUntil<T>(promise: PromiseLike<T>, step = 100): Promise<T> {
    const waits = { over: false };
    const end = (): void => void (waits.over = true);
    promise.then(end, end);
    while (!waits.over) await this.advance(step);
    return promise;
  }

  /** As if the machine had slept: at once it is `ms` milliseconds later, and what is due runs once. */
  async leap(ms: number): Promise<void> {
    await this.#move(ms, (_due, end) => end);
  }

  /**
   * Lets `step` milliseconds pass again and again until it is so, where what they bring about needs the store or sockets.
   * @throws Error where it is not so in half a minute of the machine's time
   */
  async until(condition: () => boolean | Promise<boolean>, step: number): Promise<void> {
    for (const deadline = performance.now() + PATIENCE_MS; !(await condition()); await delay(5)) {
      if (performance.now() > deadline) throw new Error(`not within ${PATIENCE_MS} ms: ${String(condition)}`);
      await this.advance(step);
    }
  }

  async #move(ms: number, at: (due: number, end: number) => number): Promise<void> {
    await turns();
    const moved = this.#moved + ms;
    const end = this.monotonic() + ms;
    for (let next = this.#next(end); next; next = this.#next(end)) {
      this.#reach(at(next.due, end));
      this.#fire(next);
      await turns();
    }
    // Somebody else may have moved it further meanwhile.
    this.#moved = Math.max(this.#moved, moved);
    // What is due soon by this clock is due soon by the machine's, which a timer was given before the move.
    if (this.running) for (const waiting of this.#waiting) this.#run(waiting);
    await turns();
  }

  /** The first that is due by a time. */
  #next(end: number): Waiting | undefined {
    let first: Waiting | undefined;
    for (const one of this.#waiting) if (one.due <= end && (!first || one.due < first.due)) first = one;
    return first;
  }

  #reach(time: number): void {
    this.#moved += Math.max(0, time - this.monotonic());
  }

  #wait(run: () => void, ms: number, every: number | undefined): Timer {
    const waiting: Waiting = {
      run,
      every,
      due: 0,
      real: undefined,
      unref() {
        waiting.real?.unref();
        return waiting;
      },
    };
    this.#waiting.add(waiting);
    this.#arm(waiting, ms);
    return waiting;
  }

  #arm(waiting: Waiting, ms: number): void {
    const wait = ms >= 1 ? ms : 1;
    waiting.due = this.monotonic() + wait;
    if (this.running) this.#run(waiting);
  }

  /** Has the machine's time fire a timer when it is due. */
  #run(waiting: Waiting): void {
    const hasRef = waiting.real?.hasRef() ?? true;
    clearTimeout(waiting.real);
    waiting.real = setTimeout(() => this.#fire(waiting), Math.max(1, Math.ceil(waiting.due - this.monotonic())));
    if (!hasRef) waiting.real.unref();
  }

  #fire(waiting: Waiting): void {
    if (waiting.every === undefined) this.clear(waiting);
    else this.#arm(waiting, waiting.every);
    waiting.run();
  }
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await nextTurn();
}
