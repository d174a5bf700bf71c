import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import type { Dispatcher } from 'undici';
import { ProviderError } from '../provider-error.js';
import { BodyQueue } from './body-queue.js';
import { connectionError } from './connection-error.js';
import { failedOnReusedConnection } from './connector.js';
import type { UpstreamRequest } from './upstream-request.js';

/** What may still come when the reader has seen enough, so that the connection can serve again instead of being closed. */
const drain = { bytes: 64 * 1024, ms: 1_000 };

export interface ExchangeHead {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
}

/** One request on one connection: undici's handler on one side, head and body for the reader on the other. */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly body = new BodyQueue();
  readonly #head = Promise.withResolvers<ExchangeHead>();
  readonly #request: UpstreamRequest;
  readonly #dispatchAnew: (handler: Dispatcher.DispatchHandler) => void;
  readonly #onAbort = () => this.#stop(new ProviderError('unreachable', 'The request was given up'));
  #controller: Dispatcher.DispatchController | undefined;
  /** Opened for this request, which alone waits for it. */
  connecting: Socket | undefined;
  #timer: NodeJS.Timeout;
  readonly #deadline: number;
  #begun = false;
  #hasConnected = false;
  #answered = false;
  #closed = false;
  #retried = false;
  #held = false;
  #draining: number | undefined;

  /**
   * @param dispatchAnew sends the request once more, on a connection that has not been used.
   * @param onConnected called once, when it needs no new connection any more: it has one, or has ended without.
   */
  constructor(
    request: UpstreamRequest,
    dispatchAnew: (handler: Dispatcher.DispatchHandler) => void,
    private readonly onConnected: () => void,
  ) {
    this.#request = request;
    this.#dispatchAnew = dispatchAnew;
    this.#deadline = performance.now() + request.timeouts.total;
    this.#timer = this.#expire(request.timeouts.connect, 'The provider did not accept a connection in time');
    request.signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** @throws ProviderError (rejects) when no head comes. */
  get head(): Promise<ExchangeHead> {
    return this.#head.promise;
  }

  /** The next read of the body. @throws ProviderError */
  async read(): Promise<readonly Buffer[] | undefined> {
    const chunks = await this.body.read();
    this.#flow();
    return chunks;
  }

  /** Pauses the connection whatever its reader does, until it is called with false. */
  hold(held: boolean): void {
    this.#held = held;
    this.#flow();
  }

  /** The answer is complete: short remains are read away so that the connection can serve again, anything else closes it. */
  release(): void {
    if (this.#closed) return;
    this.#request.signal.removeEventListener('abort', this.#onAbort);
    this.#held = false;
    this.#draining = 0;
    this.body.clear();
    clearTimeout(this.#timer);
    this.#timer = this.#expire(drain.ms, 'The provider did not end its answer');
    this.#flow();
  }

  /** The reader wants no more: closes the connection unless the answer has ended or was released. */
  abandon(): void {
    if (this.#draining === undefined) this.#onAbort();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    this.#connected();
    if (this.#closed) {
      controller.abort(new Error('given up before it was sent'));
      return;
    }
    clearTimeout(this.#timer);
    this.#timer = this.#expire(Math.max(this.#deadline - performance.now(), 1), 'The provider took too long to finish its answer');
  }

  /** undici saw the first byte of the answer. */
  onResponseStarted(): void {
    this.#begun = true;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return;
    this.#answered = true;
    this.#head.resolve({ status, headers });
  }

  onResponseData(_controller: Dispatcher.DispatchController, bytes: Buffer): void {
    if (this.#draining === undefined) {
      this.body.push(bytes);
      this.#flow();
      return;
    }
    this.#draining += bytes.length;
    if (this.#draining > drain.bytes) this.#onAbort();
  }

  onResponseEnd(): void {
    this.#close();
    this.body.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#closed) return;
    if (!this.#begun && !this.#retried && failedOnReusedConnection(error)) {
      this.#retried = true;
      this.#dispatchAnew(this);
      return;
    }
    this.#connected();
    this.#fail(connectionError(error, this.#answered));
  }

  #flow(): void {
    const controller = this.#controller;
    if (!controller || this.#closed) return;
    const pause = this.#held || this.body.full;
    if (pause === controller.paused) return;
    if (pause) controller.pause();
    else controller.resume();
  }

  #expire(ms: number, message: string): NodeJS.Timeout {
    return setTimeout(() => this.#stop(new ProviderError('timeout', message)), ms);
  }

  #stop(error: ProviderError): void {
    if (this.#closed) return;
    this.body.clear();
    this.#fail(error);
    const { connecting } = this;
    this.#connected();
    if (this.#controller) this.#controller.abort(error);
    else connecting?.destroy();
  }

  #fail(error: ProviderError): void {
    this.#close();
    this.#head.reject(error);
    this.body.fail(error);
  }

  #connected(): void {
    if (this.#hasConnected) return;
    this.#hasConnected = true;
    this.connecting = undefined;
    this.onConnected();
  }

  #close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#request.signal.removeEventListener('abort', this.#onAbort);
  }
}
