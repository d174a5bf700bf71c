import type { Client } from 'undici';
import type { UpstreamExchange } from './upstream-exchange.js';

/**
 * undici's client opens its connection when it is given a request, and again when the connection was closed meanwhile.
 */
interface Place {
  readonly client: Client;
  free: boolean;
}

/**
 * undici's clients for one origin, each with one connection and one request at a time. The client that was used last is
 * taken first, so that the connections of the others time out and close. undici's own pool searches all clients for a
 * free one twice a request, which takes 10 µs where hundreds of streams are open.
 */
export class ClientPool {
  readonly #places: Place[] = [];
  readonly #free: Place[] = [];
  readonly #waiting = new Set<UpstreamExchange>();

  /**
   * @param limit clients at most; exchanges beyond it wait
   * @param send gives an exchange to a client
   */
  constructor(
    private readonly limit: number,
    private readonly make: () => Client,
    private readonly send: (exchange: UpstreamExchange, client: Client) => void,
  ) {}

  /** Sends the exchange, at once or as soon as a client is free. */
  add(exchange: UpstreamExchange): void {
    const place = this.#free.pop() ?? this.#another();
    if (place) this.#use(place, exchange);
    else this.#waiting.add(exchange);
  }

  /** Takes the exchange out of the waiting line. */
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
    // undici emits this also after a free client had to reconnect.
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
    // undici refused the request itself. The client then has no work and will not emit `drain`.
    if (exchange.ended) this.#next(place);
  }
}
