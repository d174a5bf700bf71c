import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Client, type Dispatcher, Pool } from 'undici';
import { ProviderError } from '../provider-error.js';
import { createConnector } from './connector.js';
import type { ExchangeReceiver } from './exchange-receiver.js';
import { Exchange } from './exchange.js';
import { LargeBody } from './large-body.js';
import { PulledAnswer } from './pulled-answer.js';
import type { UpstreamRequest } from './upstream-request.js';
import { UpstreamResponse } from './upstream-response.js';

/** Open connections to one origin; requests beyond wait, at most their connect timeout. */
const CONNECTIONS = 10_000;

/** Milliseconds an idle connection is kept where the provider does not say; below the 60 s after which common load balancers close theirs. */
const KEEP_ALIVE = 50_000;

interface Origin {
  readonly pool: Pool;
  readonly options: Client.Options;
  /** Requests that have no connection yet. */
  waiting: number;
}

/** Every connection to providers: one pool an origin, no pipelining, no redirects. */
@Injectable()
export class HttpTransport implements OnApplicationShutdown {
  #dispatching: Exchange | undefined;
  readonly #pools = new Map<string, Origin>();

  /**
   * Sends a request and resolves with the head of its answer, whatever its status.
   * @throws ProviderError timeout, unreachable or bad_response; unreachable as well when `signal` aborts.
   */
  async send(request: UpstreamRequest): Promise<UpstreamResponse> {
    if (request.signal?.aborted) throw new ProviderError('unreachable', 'The request was given up');
    const answer = new PulledAnswer();
    const exchange = this.open(request, answer);
    return new UpstreamResponse(exchange, answer, await answer.headArrived);
  }

  /** Sends a request whose answer, or failure, is pushed to `receiver`. */
  open(request: UpstreamRequest, receiver: ExchangeReceiver): Exchange {
    const origin = this.#origin(request);
    const { pool, options } = origin;
    const { body } = request;
    const headers: Record<string, string> = { ...request.headers, 'accept-encoding': 'identity' };
    if (body instanceof LargeBody) headers['content-length'] = String(body.length);
    const dispatch: Dispatcher.DispatchOptions = {
      method: request.method,
      path: request.path,
      headers,
      body: body as Dispatcher.DispatchOptions['body'],
      headersTimeout: request.timeouts.first_byte,
      bodyTimeout: request.timeouts.idle,
    };
    origin.waiting++;
    const exchange = new Exchange(
      request,
      receiver,
      (handler) => {
        const client = new Client(request.origin, options);
        this.#dispatch(handler, client, { ...dispatch, reset: true });
        void client.close();
      },
      () => origin.waiting--,
    );
    this.#dispatch(exchange, pool, dispatch);
    return exchange;
  }

  /**
   * undici opens a connection within the call that needs it, and for a body that it is to iterate over in a microtask of that call, so that a socket
   * opened meanwhile is this exchange's.
   */
  #dispatch(exchange: Exchange, dispatcher: Dispatcher, options: Dispatcher.DispatchOptions): void {
    const later = (options.body as UpstreamRequest['body']) instanceof LargeBody;
    if (later) queueMicrotask(() => (this.#dispatching = exchange));
    this.#dispatching = exchange;
    dispatcher.dispatch(options, exchange);
    this.#dispatching = undefined;
    if (later) queueMicrotask(() => (this.#dispatching = undefined));
  }

  /** After the server has closed: what is still open is cut. */
  async onApplicationShutdown(): Promise<void> {
    const pools = [...this.#pools.values()];
    this.#pools.clear();
    await Promise.all(pools.map(({ pool }) => pool.destroy()));
  }

  #origin({ origin, timeouts, reach = {} }: UpstreamRequest): Origin {
    const key = `${origin} ${timeouts.connect} ${reach.allowLinkLocal ?? false} ${reach.proxy ?? ''}`;
    const known = this.#pools.get(key);
    if (known) return known;
    const connect = createConnector({ ...reach, timeout: timeouts.connect }, (socket) => {
      if (this.#dispatching) this.#dispatching.connecting = socket;
    });
    const options: Client.Options = {
      connect: (given, callback) => {
        // undici opens a new connection after each request that was given up in mid-answer, for nobody.
        if (this.#dispatching || entry.waiting > 0) connect(given, callback);
        else queueMicrotask(() => callback(new Error('no request waits for a connection'), null));
      },
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE,
    };
    const entry: Origin = { pool: new Pool(origin, { ...options, connections: CONNECTIONS }), options, waiting: 0 };
    this.#pools.set(key, entry);
    return entry;
  }
}
