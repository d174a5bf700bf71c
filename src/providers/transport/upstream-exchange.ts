import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import type { Dispatcher } from 'undici';
import { ProviderError } from '../provider-error.js';
import { connectionError } from './connection-error.js';
import { failedOnReusedConnection } from './connector.js';
import type { UpstreamReceiver } from './upstream-receiver.js';
import type { UpstreamRequest } from './upstream-request.js';

/** What may still come when the reader has seen enough, so that the connection can serve again instead of being closed. */
const drain = { bytes: 64 * 1024, ms: 1_000 };

/** Whose connections an exchange is made on. */
export interface UpstreamExchangeOwner {
  /** Sends the request once more, on a connection that has not been used. */
  sendAnew(exchange: UpstreamExchange): void;
  /** Called once, when the exchange needs no new connection any more: it has one, or has ended without. */
  waitsNoMore(exchange: UpstreamExchange): void;
}

/** One request on one connection: undici's handler on one side, the answer's receiver on the other. */
export class UpstreamExchange implements Dispatcher.DispatchHandler {
  readonly #onAbort: (() => void) | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  /** Opened for this request, which alone waits for it. */
  connecting: Socket | undefined;
  #timer: NodeJS.Timeout;
  readonly #deadline: number;
  #begun = false;
  #hasConnected = false;
  #started = false;
  #answered = false;
  #closed = false;
  #retried = false;
  #held = false;
  #draining: number | undefined;

  constructor(
    readonly request: UpstreamRequest,
    private readonly receiver: UpstreamReceiver,
    private readonly owner: UpstreamExchangeOwner,
  ) {
    const { timeouts, signal } = request;
    this.#deadline = performance.now() + timeouts.total;
    this.#timer = setTimeout(this.#onTimer, Math.min(timeouts.connect, timeouts.total));
    if (!signal) return;
    this.#onAbort = () => this.#giveUp();
    signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  get ended(): boolean {
    return this.#closed;
  }

  /** Pauses the connection whatever its reader does, until it is called with false. */
  hold(held: boolean): void {
    this.#held = held;
    this.flow();
  }

  /** The answer is complete: short remains are read away so that the connection can serve again, anything else closes it. */
  release(): void {
    if (this.#closed) return;
    this.#unlisten();
    this.#held = false;
    this.#draining = 0;
    this.receiver.discard();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#onTimer, drain.ms);
    this.flow();
  }

  /** The reader wants no more: closes the connection unless the answer has ended or was released. */
  abandon(): void {
    if (this.#draining === undefined) this.#giveUp();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    this.#connected();
    if (this.#closed) {
      controller.abort(new Error('given up before it was sent'));
      return;
    }
    this.#started = true;
  }

  /** undici saw the first byte of the answer. */
  onResponseStarted(): void {
    this.#begun = true;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return;
    this.#answered = true;
    const encoding = headers['content-encoding'];
    if (encoding === undefined || encoding === 'identity') this.receiver.head({ status, headers });
    else this.#stop(new ProviderError('bad_response', 'The provider compressed an answer that was to come as it is', { status }));
  }

  onResponseData(_controller: Dispatcher.DispatchController, bytes: Buffer): void {
    if (this.#draining === undefined) {
      this.receiver.bytes(bytes);
      this.flow();
      return;
    }
    this.#draining += bytes.length;
    if (this.#draining > drain.bytes) this.#giveUp();
  }

  onResponseEnd(): void {
    this.#close();
    this.receiver.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#closed) return;
    if (!this.#begun && !this.#retried && failedOnReusedConnection(error)) {
      this.#retried = true;
      this.owner.sendAnew(this);
      return;
    }
    this.#connected();
    this.#fail(connectionError(error, this.#answered));
  }

  /** To be called when the receiver's `full` may have changed. */
  flow(): void {
    const controller = this.#controller;
    if (!controller || this.#closed) return;
    const pause = this.#held || this.receiver.full;
    if (pause === controller.paused) return;
    if (pause) controller.pause();
    else controller.resume();
  }

  /** One timer, for what is waited for when it fires: most exchanges end before they have waited for anything as long as that. */
  readonly #onTimer = (): void => {
    if (this.#draining !== undefined) return this.#expired('The provider did not end its answer');
    if (!this.#started) return this.#expired('The provider did not accept a connection in time');
    const left = this.#deadline - performance.now();
    if (left > 0) this.#timer = setTimeout(this.#onTimer, Math.max(left, 1));
    else this.#expired('The provider took too long to finish its answer');
  };

  #expired(message: string): void {
    this.#stop(new ProviderError('timeout', message));
  }

  #giveUp(): void {
    this.#stop(new ProviderError('unreachable', 'The request was given up'));
  }

  #stop(error: ProviderError): void {
    if (this.#closed) return;
    this.receiver.discard();
    this.#fail(error);
    const { connecting } = this;
    this.#connected();
    if (this.#controller) this.#controller.abort(error);
    else connecting?.destroy();
  }

  #fail(error: ProviderError): void {
    this.#close();
    this.receiver.fail(error);
  }

  #connected(): void {
    if (this.#hasConnected) return;
    this.#hasConnected = true;
    this.connecting = undefined;
    this.owner.waitsNoMore(this);
  }

  #close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#unlisten();
  }

  #unlisten(): void {
    if (this.#onAbort) this.request.signal!.removeEventListener('abort', this.#onAbort);
  }
}
