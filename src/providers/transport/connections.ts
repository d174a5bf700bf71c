import type { Client, Dispatcher } from 'undici';
import type { Clock } from '../../common/time/clock.js';
import { ClientPool } from './client-pool.js';
import { createConnector } from './connector.js';
import { isProviderError, ProviderError } from '../contract/provider-error.js';
import { signed } from './signed-request.js';
import type { UpstreamReceiver } from './upstream-receiver.js';
import { UpstreamExchange, type UpstreamExchangeOwner } from './upstream-exchange.js';
import { LargeBody } from './large-body.js';
import { undici } from './undici.js';
import type { Reach, Timeouts, UpstreamRequest } from './upstream-request.js';

/** Connections to one origin at most. Requests beyond them wait, at most for their connect timeout. */
const CONNECTIONS = 10_000;

/**
 * Milliseconds that an idle connection is kept open where the provider does not say: less than the 60 s after which
 * common load balancers close theirs.
 */
const KEEP_ALIVE = 50_000;

/** All connections to one origin that are reached in the same way. */
export class Connections implements UpstreamExchangeOwner {
  readonly #options: Client.Options;
  readonly #pool: ClientPool;
  /** The number of requests that have no connection yet. */
  #waiting = 0;
  #dispatching: UpstreamExchange | undefined;

  constructor(
    private readonly origin: string,
    private readonly timeout: Timeouts['connect'],
    private readonly reach: Reach,
    readonly clock: Clock,
  ) {
    const connect = createConnector({ ...reach, timeout, clock }, (socket) => {
      if (this.#dispatching) this.#dispatching.connecting = socket;
    });
    this.#options = {
      connect: (given, callback) => {
        // undici opens a new connection after each request that was given up in the middle of its response, though
        // nobody needs it.
        if (this.#dispatching || this.#waiting > 0) connect(given, callback);
        else queueMicrotask(() => callback(new Error('no request waits for a connection'), null));
      },
      pipelining: 1,
      // Whoever counts connections, time-outs and reuse here knows HTTP/1.1 alone.
      allowH2: false,
      keepAliveTimeout: KEEP_ALIVE,
    };
    this.#pool = new ClientPool(
      CONNECTIONS,
      () => this.#client(),
      (exchange, client) => this.#dispatch(exchange, client, dispatchOptions(exchange.request)),
    );
  }

  /** Whether these connections serve requests with these timeouts and this reach. */
  serve({ connect }: Timeouts, { allowLinkLocal = false, publicOnly = false, proxy }: Reach): boolean {
    const { reach } = this;
    return (
      connect === this.timeout &&
      allowLinkLocal === (reach.allowLinkLocal ?? false) &&
      publicOnly === (reach.publicOnly ?? false) &&
      proxy === reach.proxy
    );
  }

  /** Sends a request whose response, or failure, is pushed to `receiver`. */
  open(request: UpstreamRequest, receiver: UpstreamReceiver): UpstreamExchange {
    const exchange = new UpstreamExchange(request, receiver, this);
    this.#waiting++;
    const { body, sign } = request;
    if (sign || (body instanceof LargeBody && body.length === undefined)) void this.#prepare(exchange);
    else this.#pool.add(exchange);
    return exchange;
  }

  async #prepare(exchange: UpstreamExchange): Promise<void> {
    const { body, sign } = exchange.request;
    try {
      if (body instanceof LargeBody) await body.measure();
      if (sign && !exchange.ended) exchange.request = await signed(exchange.request, sign);
    } catch (error) {
      exchange.refuse(
        isProviderError(error) ? error : new ProviderError('bad_response', 'The request cannot be written', { cause: error }),
      );
    }
    if (!exchange.ended) this.#pool.add(exchange);
  }

  sendAnew(exchange: UpstreamExchange): void {
    const client = this.#client();
    this.#dispatch(exchange, client, { ...dispatchOptions(exchange.request), reset: true });
    void client.close();
  }

  waitsNoMore(exchange: UpstreamExchange): void {
    this.#waiting--;
    this.#pool.forget(exchange);
  }

  destroy(): Promise<void> {
    return this.#pool.destroy();
  }

  #client(): Client {
    return new (undici().Client)(this.origin, this.#options);
  }

  /**
   * undici opens a connection within the call of `dispatch` that needs it, and for a body that is iterated over in a
   * microtask of that call. A socket that is opened meanwhile therefore belongs to this exchange.
   */
  #dispatch(exchange: UpstreamExchange, client: Client, options: Dispatcher.DispatchOptions): void {
    const later = (options.body as UpstreamRequest['body']) instanceof LargeBody;
    if (later) queueMicrotask(() => (this.#dispatching = exchange));
    this.#dispatching = exchange;
    client.dispatch(options, exchange);
    this.#dispatching = undefined;
    if (later) queueMicrotask(() => (this.#dispatching = undefined));
  }
}

function dispatchOptions({ method, path, headers: given, body, timeouts }: UpstreamRequest): Dispatcher.DispatchOptions {
  const headers: Record<string, string> = { ...given, 'accept-encoding': 'identity' };
  if (body instanceof LargeBody) headers['content-length'] = String(body.length);
  return {
    method,
    path,
    headers,
    body: body as Dispatcher.DispatchOptions['body'],
    headersTimeout: timeouts.first_byte,
    bodyTimeout: timeouts.idle,
  };
}
