import type { IncomingHttpHeaders } from 'node:http';
import { type Dispatcher, Pool } from 'undici';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

type Then = (error: Error | null, answer?: Answer) => void;

/** Sends a request's body on, and gathers the answer. */
export type Pass = (path: string, headers: IncomingHttpHeaders, body: Buffer, then: Then) => void;

class Collector implements Dispatcher.DispatchHandler {
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  readonly #body: Buffer[] = [];
  readonly #then: Then;

  constructor(then: Then) {
    this.#then = then;
  }

  onRequestStart(): void {}

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#body.push(chunk);
  }

  onResponseEnd(): void {
    this.#then(null, { status: this.#status, headers: this.#headers, body: Buffer.concat(this.#body) });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#then(error);
  }
}

export function passTo(origin: string): Pass {
  const pool = new Pool(origin, { connections: 4096, headersTimeout: 0, bodyTimeout: 0 });
  return (path, { authorization }, body, then) => {
    const headers = { 'content-type': 'application/json', authorization };
    pool.dispatch({ path, method: 'POST', headers, body }, new Collector(then));
  };
}
