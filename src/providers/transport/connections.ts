import { Client, type Dispatcher } from 'undici';
import { ClientPool } from './client-pool.js';
import { createConnector } from './connector.js';
import type { UpstreamReceiver } from './upstream-receiver.js';
import { UpstreamExchange, type UpstreamExchangeOwner } from './upstream-exchange.js';
import { LargeBody } from './large-body.js';
import type { Reach, Timeouts, UpstreamRequest } from './upstream-request.js';

/** Open connections to one origin; requests beyond wait, at most their connect timeout. */
const CONNECTIONS = 10_000;

/** Milliseconds an idle connection is kept where the provider does not say; below the 60 s after which common load balancers close theirs. */
const KEEP_ALIVE = 50_000;

/** Every connection to one origin that is reached in one way. */
export class Connections implements UpstreamExchangeOwner {
  readonly #options: Client.Options;
  readonly #pool: ClientPool;
  /** Requests that have no connection yet. */
  #waiting = 0;
  #dispatching: UpstreamExchange | undefined;

  constructor(
    private readonly origin: string,
    private readonly timeout: Timeouts['connect'],
    private readonly reach: Reach,
  ) {
    const connect = createConnector({ ...reach, timeout }, (socket) => {
      if (this.#dispatching) this.#dispatching.connecting = socket;
    });
    this.#options = {
      connect: (given, callback) => {
        // undici opens a new connection after each request that was given up in mid-answer, for nobody.
        if (this.#dispatching || this.#waiting > 0) connect(given, callback);
        else queueMicrotask(() => callback(new Error('no request waits for a connection'), null));
      },
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE,
    };
    this.#pool = new ClientPool(
      CONNECTIONS,
      () => new Client(origin, this.#options),
      (exchange, client) => this.#dispatch(exchange, client, dispatchOptions(exchange.request)),
    );
  }

  /** Whether requests to be sent like this are theirs. */
  serve({ connect }: Timeouts, { allowLinkLocal = false, proxy }: Reach): boolean {
    return connect === this.timeout && allowLinkLocal === (this.reach.allowLinkLocal ?? false) && proxy === this.reach.proxy;
  }

  /** Sends a request whose answer, or failure, is pushed to `receiver`. */
  open(request: UpstreamRequest, receiver: UpstreamReceiver): UpstreamExchange {
    const exchange = new UpstreamExchange(request, receiver, this);
    this.#waiting++;
    this.#pool.add(exchange);
    return exchange;
  }

  sendAnew(exchange: UpstreamExchange): void {
    const client = new Client(this.origin, this.#options);
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

  /**
   * undici opens a connection within the call that needs it, and for a body that it is to iterate over in a microtask of that call, so that a socket
   * opened meanwhile is this exchange's.
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
