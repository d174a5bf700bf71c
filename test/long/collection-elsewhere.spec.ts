import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { verifyLedger } from '../../src/billing/verify-ledger.js';
import { charge, formatCredits, parsePrice } from '../../src/common/prices/credits.js';
import { Database } from '../../src/database/database.js';
import { describePostgres } from '../../src/database/testing/describe-engines.js';
import { Cluster, listModels, type NewCustomer, type Node } from '../support/cluster.js';
import type { Customer } from '../support/customer.js';
import { describeSharedGateways } from '../support/describe-gateways.js';
import type { Gateway } from '../support/gateway.js';
import { HeldUpstream } from '../support/held-upstream.js';
import { until } from '../support/until.js';

const CREDIT = 1_000_000_000n;
const pricing = { prompt: '0', completion: '0.03' };
const price = parsePrice(pricing);
const MOST = 10_000;
const due = (tokens: number): bigint => charge(price, 0, tokens);

/** Leases that come back soon when nothing is asked of them, so that a test need not wait. */
const settings = (origin: string) => ({
  store: { lease_ttl: 4_000 },
  providers: {
    upstream: {
      base_url: `${origin}/v1`,
      models: { thinks: { pricing, context_length: 20_000, max_tokens: MOST, capabilities: { completion: true } } },
    },
  },
});

describeSharedGateways('What a provider counts beyond the hold, where other gateways have leased the balance', (start) => {
  let upstream: HeldUpstream;
  let gateways: readonly Gateway[];
  let prompts = 0;
  beforeAll(async () => {
    upstream = await HeldUpstream.start();
    gateways = await Promise.all(Array.from({ length: 3 }, () => start(settings(upstream.origin))));
  });
  afterAll(async () => {
    await Promise.all(gateways.map((gateway) => gateway.close()));
    await upstream.stop();
  });

  const database = (): Database => gateways[0]!.running.app.get(Database);
  const balance = ({ accountId }: Customer) =>
    database()
      .db.selectFrom('balance')
      .select(['posted', 'reserved'])
      .where('account_id', '=', accountId)
      .where('environment', '=', 'live')
      .executeTakeFirstOrThrow();

  /** A customer whose key all gateways know. */
  async function newCustomer(credits: string): Promise<Customer> {
    const customer = await gateways[0]!.newCustomer(credits);
    for (const gateway of gateways) await until(async () => (await gateway.get('models', customer.liveKey)).status === 200, 'the key');
    return customer;
  }

  /** Resolves when the provider has the request, with what resolves when its client has the answer. */
  async function ask(gateway: Gateway, { liveKey }: Customer, max_tokens: number) {
    const prompt = `Prompt ${prompts++}`;
    const answered = gateway.post('completions', { model: 'thinks', prompt, max_tokens }, liveKey).then(({ status }) => status);
    expect(await Promise.race([answered, upstream.has(prompt)])).toBeUndefined();
    return async (tokens: number) => {
      upstream.answer(prompt, tokens);
      expect(await answered).toBe(200);
    };
  }

  it.each([2, 3])('is collected from it, with %i gateways', async (count) => {
    const customer = await newCustomer('1');
    const [one, ...others] = gateways.slice(0, count) as [Gateway, ...Gateway[]];
    const hidden = [await ask(one, customer, 1), await ask(one, customer, 1), await ask(one, customer, 1)];
    for (const other of others) await (await ask(other, customer, MOST))(1);
    const { posted, reserved } = await balance(customer);
    expect(posted - reserved).toBeLessThan(due(MOST) * 2n);
    await Promise.all(hidden.map((answer) => answer(MOST)));
    const all = 3n * due(MOST) + BigInt(others.length) * due(1);
    await until(async () => (await balance(customer)).posted === CREDIT - all, 'all of it');
    for (const row of await one.usage(3 + others.length, customer)) expect(row).toMatchObject({ uncollected: 0n });
    expect((await verifyLedger(database())).findings).toEqual([]);
  });

  it('is collected as far as the account goes, at any order of events', async () => {
    const request = fc.record({ at: fc.nat({ max: 2 }), max_tokens: fc.constantFrom(1, 2_000, 4_000), counted: fc.nat({ max: MOST }) });
    const order = fc.array(fc.nat({ max: 7 }), { minLength: 8, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(fc.array(request, { minLength: 3, maxLength: 8 }), order, async (requests, ranks) => {
        const customer = await newCustomer('0.5');
        const answers: (() => Promise<void>)[] = [];
        let cost = 0n;
        for (const { at, max_tokens, counted } of requests) {
          // What is held and what is asked for never comes to more than the account has, so that nobody is refused.
          const answer = await ask(gateways[at]!, customer, answers.length < 4 ? max_tokens : 1);
          answers.push(() => answer(counted));
          cost += due(counted);
        }
        const ordered = answers.toSorted((a, b) => ranks[answers.indexOf(a)]! - ranks[answers.indexOf(b)]!);
        await Promise.all(ordered.map((answer) => answer()));
        await gateways[0]!.usage(requests.length, customer);
        await until(async () => (await balance(customer)).reserved === 0n, 'all leases given back');
        const money = CREDIT / 2n;
        expect((await balance(customer)).posted).toBe(cost < money ? money - cost : 0n);
        expect((await verifyLedger(database())).findings).toEqual([]);
      }),
      { numRuns: 6 },
    );
  });
});

describePostgres('What a provider counts beyond the hold, where gateways are killed', () => {
  let upstream: HeldUpstream;
  let cluster: Cluster;
  beforeAll(async () => {
    [upstream, cluster] = await Promise.all([HeldUpstream.start(), Cluster.begin()]);
  });
  afterAll(async () => {
    await cluster.end();
    await upstream.stop();
  });

  it.each(['that has leased the balance', 'that has just answered'])('is collected once, also where it is one %s', async (whose) => {
    const start = () => cluster.start(settings(upstream.origin));
    const [one, other] = await Promise.all([start(), start()]);
    const customer: NewCustomer = await cluster.customer('0.5');
    for (const { url } of [one, other]) await until(async () => (await listModels(url, customer.key)) === 200, 'the key');
    const ask = async ({ url }: Node, prompt: string, max_tokens: number): Promise<number> => {
      const headers = { authorization: `Bearer ${customer.key}`, 'content-type': 'application/json' };
      const response = await fetch(`${url}/completions`, { method: 'POST', headers, body: JSON.stringify({ model: 'thinks', prompt, max_tokens }) }); // prettier-ignore
      await response.arrayBuffer();
      return response.status;
    };
    const journalOf = ({ process: { cwd } }: Node): string => {
      const folder = join(cwd, 'data/journal');
      return readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8')).join(''); // prettier-ignore
    };
    const hidden = ask(one, 'hidden', 1);
    await upstream.has('hidden');
    const leasing = ask(other, 'leasing', MOST);
    await upstream.has('leasing');
    upstream.answer('leasing', 1);
    expect(await leasing).toBe(200);
    const dying = whose.endsWith('balance') ? other : one;
    const kill = async () => {
      await until(() => journalOf(dying).includes('"end"'), 'the end in its journal');
      await dying.process.stop();
    };
    if (dying === other) await kill();
    upstream.answer('hidden', MOST);
    expect(await hidden).toBe(200);
    if (dying === one) await kill();
    await cluster.again(dying);
    const left = CREDIT / 2n - due(MOST) - due(1);
    await until(async () => (await cluster.balance(customer.account)).posted === left, `${formatCredits(left)} left`);
    expect(await cluster.cli('ledger', 'verify')).toMatch(/^OK: /);
  });
});
