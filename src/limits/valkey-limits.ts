import { randomUUID } from 'node:crypto';
import type { Redis } from 'iovalkey';
import { vendorPackage } from '../providers/vendor-package.js';
import { capacityOf } from '../common/gcra.js';
import { type BucketAnswer, type BucketAsk, LimitStore, type PlacesAnswer, type PlacesAsk, PLACES_TTL } from './limit-store.js';
import { bucketScript, placesScript } from './valkey-scripts.js';

/** Milliseconds for a command, and for a connection. */
const TIMEOUT = 1_000;

/** What beginnings the server's keys have, which may hold other things too. */
const PREFIX = 'switchyard:limit:';

/** The names under which the client knows the scripts: it sends a script once, and its digest from then on. */
const scripts = {
  switchyardBucket: { numberOfKeys: 1, lua: bucketScript },
  switchyardPlaces: { numberOfKeys: 1, lua: placesScript },
};

/** Buckets and places in a Valkey or Redis, on its clock. One script answers a question about one subject. */
export class ValkeyLimits extends LimitStore {
  readonly #node = randomUUID();

  private constructor(
    private readonly client: Redis,
    private readonly ttl: number,
  ) {
    super();
  }

  /**
   * Connects in the background: a server that is away does not keep the gateway from its start.
   * @param address redis://... or rediss://...
   * @param ttl milliseconds that the places of a process live
   * @throws Error (rejects) where the client's package is not installed
   */
  static async open(address: string, ttl: number = PLACES_TTL): Promise<ValkeyLimits> {
    const library = await vendorPackage(['iovalkey'], () => import('iovalkey'));
    const client = new library.Redis(address, {
      scripts,
      connectTimeout: TIMEOUT,
      commandTimeout: TIMEOUT,
      // Without a connection a question fails at once, and is not sent again: its units would be taken twice.
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      autoResendUnfulfilledCommands: false,
      connectionName: 'switchyard',
      lazyConnect: true,
    });
    // Without a listener it would print each failure; the exchange says once that the store is away.
    client.on('error', () => undefined);
    await client.connect().catch(() => undefined);
    return new ValkeyLimits(client, ttl);
  }

  override async buckets(asks: readonly BucketAsk[]): Promise<BucketAnswer[]> {
    const answers = await this.#run(
      'switchyardBucket',
      asks.map(({ subject, kind, rate, need, want, back }) => [`${kind}:${subject}`, rate.perMinute, capacityOf(rate), need, want, back]),
    );
    return answers.map(([granted, level]) => ({ granted, level }));
  }

  override async places(asks: readonly PlacesAsk[]): Promise<PlacesAnswer[]> {
    const answers = await this.#run(
      'switchyardPlaces',
      asks.map(({ subject, limit, used, wanted }) => [`places:${subject}`, this.#node, limit, used, wanted, this.ttl]),
    );
    return answers.map(([granted, others]) => ({ granted, others }));
  }

  /** The server deletes by itself what says nothing any more. */
  override async sweep(): Promise<void> {}

  override async close(): Promise<void> {
    this.client.disconnect();
  }

  async #run(script: keyof typeof scripts, calls: readonly (readonly [string, ...(string | number)[]])[]): Promise<[number, number][]> {
    const pipeline = this.client.pipeline(calls.map(([key, ...values]) => [script, PREFIX + key, ...values]));
    const results = (await pipeline.exec()) ?? [];
    return results.map(([error, answer]) => {
      if (error) throw error;
      const [first, second] = answer as [unknown, unknown];
      return [Number(first), Number(second)];
    });
  }
}
