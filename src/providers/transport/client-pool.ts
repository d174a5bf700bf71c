import type { Client } from 'undici';
import type { UpstreamExchange } from './upstream-exchange.js';

/** A client opens its connection when there is a request, and anew when it was closed meanwhile. */
interface Place {
  readonly client: Client;
  free: boolean;
}

/**
 * undici's clients for one origin, each with one connection and one request at a time. The one that was free last is used first, the others' connections
 * close one after the other. undici's own pool looks for a free one among all, twice a request, which takes 10 µs where hundreds of streams are open.
 */
export class ClientPool {
  readonly #places: Place[] = [];
  readonly #free: Place[] = [];
  readonly #waiting = new Set<UpstreamExchange>();

  /**
   * @param limit clients at most; exchanges beyond wait for their turn
   * @param send gives an exchange to a client
   */
  constructor(
    private readonly limit: number,
    private readonly make: () => Client,
    private readonly send: (exchange: UpstreamExchange, client: Client) => void,
  ) {}

  /** Sends it, at once or when it is its turn. */
  add(exchange: UpstreamExchange): void {
    const place = this.#free.pop() ?? this.#another();
    if (place) this.#use(place, exchange);
    else this.#waiting.add(exchange);
  }

  /** Its turn need not come any more. */
  forget(exchange: UpstreamExchange): void {
    this.#waiting.delete(exchange);
  }

  async destroy(): Promise<void> {
    for (const exchange of this.#waiting) exchange.abandon();
    await Promise.all(this.#places.map(({ client }) => client.destroy()));
  }

  #another(): Place | undefined {
    if (this.#places.length >= this.limit) return undefined;
    const place = { client: this.make(), free: false };
    this.#places.push(place);
    // Also when a free one had to open its connection anew.
    place.client.on('drain', () => {
      if (!place.free) this.#next(place);
    });
    return place;
  }

  #next(place: Place): void {
    if (this.#waiting.size === 0) {
      place.free = true;
      this.#free.push(place);
      return;
    }
    const [exchange] = this.#waiting;
    this.#waiting.delete(exchange!);
    this.#use(place, exchange!);
  }

  #use(place: Place, exchange: UpstreamExchange): void {
    place.free = false;
    this.send(exchange, place.client);
    // Refused for what it is: the client has nothing to do for it, and will not say that it is free.
    if (exchange.ended) this.#next(place);
  }
}
