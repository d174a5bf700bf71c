import { Injectable, type OnApplicationShutdown, Optional } from '@nestjs/common';
import { AnswerBudget } from '../../common/limits/byte-budget.js';
import { Clock, systemClock } from '../../common/time/clock.js';
import { ProviderError } from '../contract/provider-error.js';
import { Connections } from './connections.js';
import type { UpstreamReceiver } from './upstream-receiver.js';
import type { UpstreamExchange } from './upstream-exchange.js';
import { PulledResponse } from './pulled-response.js';
import type { UpstreamRequest } from './upstream-request.js';
import { UpstreamResponse } from './upstream-response.js';

/** All connections to providers. There is no pipelining, and redirects are not followed. */
@Injectable()
export class HttpTransport implements OnApplicationShutdown {
  /** By origin; each entry of a list reaches the origin in another way. */
  readonly #connections = new Map<string, Connections[]>();

  /** @param waiting the budget of what has come and waits in memory */
  constructor(
    @Optional() readonly waiting: AnswerBudget = new AnswerBudget(),
    readonly clock: Clock = systemClock,
  ) {}

  /**
   * Sends a request and resolves with the head of its response, whatever its status.
   * @throws ProviderError timeout, unreachable or bad_response; unreachable as well when `signal` aborts
   */
  async send(request: UpstreamRequest): Promise<UpstreamResponse> {
    if (request.signal?.aborted) throw new ProviderError('unreachable', 'The request was given up');
    const pulled = new PulledResponse();
    const exchange = this.open(request, pulled);
    return new UpstreamResponse(exchange, pulled, await pulled.headArrived);
  }

  /**
   * Sends a request whose response, or failure, is pushed to `receiver`. For the gateway's own protocols; what it takes
   * is no part of the contract with modules.
   */
  open(request: UpstreamRequest, receiver: UpstreamReceiver): UpstreamExchange {
    return this.#connectionsFor(request).open(request, receiver);
  }

  /** Runs after the server has closed, and destroys the connections that are still open. */
  async onApplicationShutdown(): Promise<void> {
    const all = [...this.#connections.values()].flat();
    this.#connections.clear();
    await Promise.all(all.map((connections) => connections.destroy()));
  }

  #connectionsFor({ origin, timeouts, reach = {} }: UpstreamRequest): Connections {
    let all = this.#connections.get(origin);
    if (!all) this.#connections.set(origin, (all = []));
    for (const connections of all) if (connections.serve(timeouts, reach)) return connections;
    const connections = new Connections(origin, timeouts.connect, reach, this.clock);
    all.push(connections);
    return connections;
  }
}
