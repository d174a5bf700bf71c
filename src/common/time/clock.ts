/** A wait that was begun. The process may end before an unreferenced one is over. */
export interface Timer {
  unref(): this;
}

interface DelayOptions {
  /** Ends the wait early: the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Whether the wait keeps the process alive; absent: it does. */
  readonly ref?: boolean;
}

/**
 * What time it is, and what waits for it to pass. Whatever is decided by time asks this port, so that a test can move
 * it. What only measures (durations in logs and metrics) need not.
 */
export abstract class Clock {
  /** Milliseconds since 1970. It may be set back. */
  abstract now(): number;

  /** Milliseconds that are never set back, since a moment that nobody knows. */
  abstract monotonic(): number;

  /** Calls `run` once, after `ms` milliseconds. */
  abstract setTimeout(run: () => void, ms: number): Timer;

  /** Calls `run` every `ms` milliseconds. */
  abstract setInterval(run: () => void, ms: number): Timer;

  /** Nothing is called any more; for a timer that is over, or none, it does nothing. */
  abstract clear(timer: Timer | undefined): void;

  /** Resolves after `ms` milliseconds. */
  delay(ms: number, { signal, ref = true }: DelayOptions = {}): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error);
      const onAbort = (): void => {
        this.clear(timer);
        reject(signal!.reason as Error);
      };
      const timer = this.setTimeout(() => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      }, ms);
      if (!ref) timer.unref();
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** A signal that aborts after `ms` milliseconds, as `AbortSignal.timeout` does. */
  timeout(ms: number): AbortSignal {
    const late = new AbortController();
    this.setTimeout(() => late.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError')), ms).unref();
    return late.signal;
  }
}

/** The clock of the machine. */
class SystemClock extends Clock {
  now(): number {
    return Date.now();
  }

  monotonic(): number {
    return performance.now();
  }

  setTimeout(run: () => void, ms: number): Timer {
    return setTimeout(run, ms);
  }

  setInterval(run: () => void, ms: number): Timer {
    return setInterval(run, ms);
  }

  clear(timer: Timer | undefined): void {
    clearTimeout(timer as NodeJS.Timeout | undefined);
  }
}

export const systemClock: Clock = new SystemClock();
