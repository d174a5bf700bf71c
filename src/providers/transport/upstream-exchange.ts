import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import type { Dispatcher } from 'undici';
import type { Clock, Timer } from '../../common/time/clock.js';
import { ProviderError } from '../contract/provider-error.js';
import { connectionError } from './connection-error.js';
import { failedOnReusedConnection } from './connector.js';
import type { UpstreamReceiver } from './upstream-receiver.js';
import type { UpstreamRequest } from './upstream-request.js';

/**
 * The rest of a response that is still read after its reader has seen enough, so that the connection can be used again
 * instead of being closed.
 */
const drain = { bytes: 64 * 1024, ms: 1_000 };

/** The owner of the connections that an exchange uses. */
export interface UpstreamExchangeOwner {
  readonly clock: Clock;
  /** Sends the request again, on a connection that has not been used. */
  sendAnew(exchange: UpstreamExchange): void;
  /** Called once, when the exchange waits for a connection no longer: it has one, or has ended without one. */
  waitsNoMore(exchange: UpstreamExchange): void;
}

/**
 * One request on one connection. It is undici's handler on one side and feeds the receiver of the response on the
 * other.
 */
export class UpstreamExchange implements Dispatcher.DispatchHandler {
  readonly #onAbort: (() => void) | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  /** The socket that is being opened for this request. */
  connecting: Socket | undefined;
  #timer: Timer;
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
    public request: UpstreamRequest,
    private readonly receiver: UpstreamReceiver,
    private readonly owner: UpstreamExchangeOwner,
  ) {
    const { timeouts, signal } = request;
    this.#deadline = this.clock.monotonic() + timeouts.total;
    this.#timer = this.clock.setTimeout(this.#onTimer, Math.min(timeouts.connect, timeouts.total));
    if (!signal) return;
    this.#onAbort = () => this.#giveUp();
    signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  get clock(): Clock {
    return this.owner.clock;
  }

  get ended(): boolean {
    return this.#closed;
  }

  /** It has a connection, on which the request is written. */
  get sent(): boolean {
    return this.#started;
  }

  /** Pauses the connection, whatever its receiver says, until it is called with false. */
  hold(held: boolean): void {
    this.#held = held;
    this.flow();
  }

  /**
   * The response is complete. A short rest of the body is read and dropped so that the connection can be used again; a
   * longer one closes the connection.
   */
  release(): void {
    if (this.#closed) return;
    this.#unlisten();
    this.#held = false;
    this.#draining = 0;
    this.receiver.discard();
    this.clock.clear(this.#timer);
    this.#timer = this.clock.setTimeout(this.#onTimer, drain.ms);
    this.flow();
  }

  /** The reader wants no more. Closes the connection unless the response has ended or was released. */
  abandon(): void {
    if (this.#draining === undefined) this.#giveUp();
  }

  /** The request cannot be sent. */
  refuse(error: ProviderError): void {
    this.#stop(error);
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

  /** undici calls it at the first byte of the response. */
  onResponseStarted(): void {
    this.#begun = true;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return;
    this.#answered = true;
    const encoding = headers['content-encoding'];
    if (encoding === undefined || encoding === 'identity') this.receiver.head({ status, headers });
    else this.#stop(compressed(encoding, status));
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

  /** Pauses or resumes the connection. To be called when the receiver's `full` may have changed. */
  flow(): void {
    const controller = this.#controller;
    if (!controller || this.#closed) return;
    const pause = this.#held || this.receiver.full;
    if (pause === controller.paused) return;
    if (pause) controller.pause();
    else controller.resume();
  }

  /**
   * One timer serves all waits: it looks at what the exchange waits for when it fires. Most exchanges end before they
   * have waited that long for anything.
   */
  readonly #onTimer = (): void => {
    if (this.#draining !== undefined) return this.#expired('The provider did not end its answer');
    if (!this.#started) return this.#expired('The provider did not accept a connection in time');
    const left = this.#deadline - this.clock.monotonic();
    if (left > 0) this.#timer = this.clock.setTimeout(this.#onTimer, Math.max(left, 1));
    else this.#stop(new ProviderError(this.#answered ? 'total_timeout' : 'timeout', 'The provider took too long to finish its answer'));
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
    this.clock.clear(this.#timer);
    this.#unlisten();
  }

  #unlisten(): void {
    if (this.#onAbort) this.request.signal!.removeEventListener('abort', this.#onAbort);
  }
}

/** Every request asks for answers as they are. The log names what came. */
function compressed(encoding: string, status: number): ProviderError {
  const message = `The provider compressed its answer (${encoding.slice(0, 50)}), which was to come as it is`;
  return new ProviderError('bad_response', message, { status });
}
