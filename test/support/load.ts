/** How requests ended, as their clients saw it. */
export interface Tally {
  served: number;
  /** An error in the envelope instead of an answer. */
  refused: number;
  /** A stream that ended with an error event. */
  cut: number;
  /** The connection broke, which a client sees. */
  broken: number;
  /** What a client could take for a whole answer and is none, or an error of another shape. */
  dishonest: number;
  /** Neither answer nor error in time. */
  hung: number;
}

export interface LoadOptions {
  /** Base address with /v1. */
  readonly address: string;
  readonly key: string;
  readonly model: string;
  /** Clients, each of which asks again as soon as it is answered; every other request is streamed. */
  readonly clients: number;
  /** Milliseconds after which a request counts as hung. */
  readonly patience: number;
}

/** Clients that ask until they are told to stop, over connections that they keep. */
export class Load {
  readonly tally: Tally = { served: 0, refused: 0, cut: 0, broken: 0, dishonest: 0, hung: 0 };
  /** What went wrong, in the clients' words; the last hundred. */
  readonly complaints: string[] = [];
  /** Requests whose connection broke, from when to when, on the clock of `performance.now()`. */
  readonly breaks: { readonly from: number; readonly to: number }[] = [];
  /** Milliseconds of the longest request. */
  longest = 0;
  readonly #options: LoadOptions;
  readonly #clients: Promise<void>[];
  #stopped = false;

  constructor(options: LoadOptions) {
    this.#options = options;
    this.#clients = Array.from({ length: options.clients }, (_, number) => this.#run(number));
  }

  get total(): number {
    return Object.values(this.tally).reduce((sum: number, count: number) => sum + count, 0);
  }

  /** Resolves when the requests that are open have ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#clients);
  }

  async #run(number: number): Promise<void> {
    for (let turn = number; !this.#stopped; turn++) {
      const began = performance.now();
      const outcome = await this.#ask(turn % 2 === 0);
      this.longest = Math.max(this.longest, performance.now() - began);
      this.tally[outcome]++;
      if (outcome === 'broken') this.breaks.push({ from: began, to: performance.now() });
      // A refusal comes at once; a client waits before it asks again.
      if (outcome !== 'served') await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async #ask(stream: boolean): Promise<keyof Tally> {
    const { address, key, model, patience } = this.#options;
    try {
      const response = await fetch(`${address}/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model, stream, max_tokens: 20, messages: [{ role: 'user', content: 'hello' }] }),
        signal: AbortSignal.timeout(patience),
      });
      const body = await response.text();
      const outcome = outcomeOf(response.status, body, stream);
      if (outcome !== 'served') this.#complain(`${response.status} ${body.slice(-300)}`);
      return outcome;
    } catch (error) {
      const { name, message, cause } = error as Error;
      this.#complain(`${name}: ${message} ${cause instanceof Error ? cause.message : ''}`);
      return name === 'TimeoutError' ? 'hung' : 'broken';
    }
  }

  #complain(text: string): void {
    this.complaints.push(text);
    if (this.complaints.length > 100) this.complaints.shift();
  }
}

/** How a client takes an answer. */
export function outcomeOf(status: number, body: string, stream: boolean): keyof Tally {
  if (status === 200 && isWhole(body, stream)) return 'served';
  const last = status === 200 && stream ? (/(?:^|\n)data: (\{.*\})\n\n$/.exec(body)?.[1] ?? '') : body;
  if (!/^\{"error":\{"message":".+","type":".+","code":".+"\}\}$/.test(last)) return 'dishonest';
  return status === 200 ? 'cut' : 'refused';
}

function isWhole(body: string, stream: boolean): boolean {
  if (stream) return body.endsWith('data: [DONE]\n\n') && body.includes('"finish_reason":"stop"');
  try {
    return (JSON.parse(body) as { choices: { finish_reason: string }[] }).choices[0]!.finish_reason === 'stop';
  } catch {
    return false;
  }
}
