import request from 'supertest';
import type { UsageTable } from '../../src/database/schema.js';
import { Database } from '../../src/database/database.js';
import { type Balance, CreditStore } from '../../src/billing/credit-store.js';
import { LeaseLedger } from '../../src/billing/leases/lease-ledger.js';
import type { Environment } from '../../src/auth/principal.js';
import { apiDocuments } from './api-documents.js';
import { createTestApp, type TestApp } from './create-test-app.js';
import { createCustomer, type Customer } from './customer.js';
import { DescribedAnswers } from './described-answers.js';
import { openStream, type OpenStream, type StreamOptions } from './event-stream.js';
import { until } from './until.js';
import type { Selectable } from 'kysely';
import type { ManualClock } from '../../src/common/testing/manual-clock.js';

export type UsageRow = Selectable<UsageTable>;

/** A listening gateway and one of its customers. Every answer to `get` and `post` must be as it is described. */
export class Gateway {
  static readonly answers = new DescribedAnswers(apiDocuments.customers);

  private constructor(
    readonly running: TestApp,
    readonly customer: Customer,
    private readonly clock?: ManualClock,
  ) {}

  /**
   * @param credits of each environment, in credits
   * @param clock by which the gateway lives; absent: the system's
   */
  static async start(settings: Parameters<typeof createTestApp>[0] = {}, credits?: string, clock?: ManualClock): Promise<Gateway> {
    const running = await createTestApp(settings, [], clock);
    return new Gateway(running, await createCustomer(running.app, credits), clock);
  }

  close(): Promise<void> {
    return this.running.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  get url(): string {
    return this.running.url;
  }

  get(path: string, key = this.customer.liveKey): request.Test {
    return request(this.url).get(`/v1/${path}`).set('authorization', `Bearer ${key}`).expect(Gateway.answers.check);
  }

  post(path: string, body: object, key = this.customer.liveKey): request.Test {
    return request(this.url).post(`/v1/${path}`).set('authorization', `Bearer ${key}`).expect(Gateway.answers.check).send(body);
  }

  /** Resolves with the response's head. */
  stream(
    path: string,
    body: object,
    { key = this.customer.liveKey, headers, signal }: Partial<Pick<StreamOptions, 'key' | 'headers' | 'signal'>> = {},
  ): Promise<OpenStream> {
    return openStream({ url: `${this.url}/v1/${path}`, key, body: { stream: true, ...body }, headers, signal });
  }

  /** Another customer of the same gateway. */
  newCustomer(credits?: string): Promise<Customer> {
    return createCustomer(this.running.app, credits);
  }

  /** Nano-credits of an account that are put aside for requests that go on. */
  async held(customer: Customer, environment: Environment = 'live'): Promise<bigint> {
    return this.running.app.get(LeaseLedger).held({ accountId: customer.accountId, environment });
  }

  /** Nano-credits that a chat holds whose provider says nothing. */
  async heldFor(body: object): Promise<bigint> {
    const customer = await this.newCustomer('1000');
    const controller = new AbortController();
    const stream = this.stream('chat/completions', body, { key: customer.liveKey, signal: controller.signal });
    stream.catch(() => undefined);
    await this.#until(async () => (await this.held(customer)) > 0n, 'a hold');
    const nano = await this.held(customer);
    controller.abort();
    await this.#until(async () => (await this.held(customer)) === 0n, 'the end of the hold');
    return nano;
  }

  /** Nano-credits of an account, once nothing is held any more. */
  async balance(customer: Customer = this.customer, environment: Environment = 'live'): Promise<bigint> {
    const ledger = this.running.app.get(LeaseLedger);
    await this.#until(async () => (await this.held(customer, environment)) === 0n && ledger.unwritten === 0, 'the end of all holds');
    return (await this.#balance(customer, environment)).posted;
  }

  /** What was recorded of an account's requests, oldest first, once there is a row for `requests` of them. */
  async usage(requests: number, { accountId }: Customer = this.customer): Promise<UsageRow[]> {
    const read = () =>
      this.running.app.get(Database).db.selectFrom('usage').selectAll().where('account_id', '=', accountId).orderBy('request_id').execute();
    await this.#until(async () => (await read()).length >= requests, `${requests} usage rows`);
    return read();
  }

  /** Where time stands, what is waited for needs some of it. */
  #until(condition: () => Promise<boolean>, what: string): Promise<void> {
    const { clock } = this;
    return clock?.running === false ? clock.until(condition, 5) : until(condition, what);
  }

  async #balance({ accountId }: Customer, environment: Environment): Promise<Balance> {
    const balances = await this.running.app.get(CreditStore).balances(accountId);
    return balances.find((balance) => balance.environment === environment)!;
  }
}
