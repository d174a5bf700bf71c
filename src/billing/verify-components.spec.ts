import { sql } from 'kysely';
import { randomUUIDv7 as uuidv7 } from 'node:crypto';
import type { Principal } from '../auth/principal.js';
import { parsePrice } from '../common/prices/credits.js';
import type { Database } from '../database/database.js';
import { describeStores } from '../database/testing/describe-engines.js';
import type { TemporaryStore } from '../database/testing/temporary-store.js';
import { sumOfLines } from '../common/prices/charge-lines.js';
import { type Usage, usageOf } from '../wire/usage.js';
import { ChargeReport } from './charge-report.js';
import type { RequestFacts } from './hold/request-facts.js';
import { settleCharge } from './hold/settle-charge.js';
import { LeaseStore } from './leases/lease-store.js';
import type { LedgerBatch } from './leases/ledger-batch.js';
import { toRequest } from './leases/usage-rows.js';
import { storeCustomer } from './testing/store-customer.js';
import { verifyLedger } from './verify-ledger.js';

const NOTHING: LedgerBatch = { begins: [], progress: [], endings: [], returns: [], grants: [], renews: [] };
const HOUR = 3_600_000;

/** One nano-credit a token, a tenth for what was cached, double above 1,000 tokens. */
const price = parsePrice({
  prompt: '0.000001',
  completion: '0.000001',
  cached_input: '0.0000001',
  tiers: [{ above: 1_000, prompt: '0.000002', cached_input: '0.0000002' }],
  service_tiers: { flex: { prompt: '0.0000005', cached_input: '0.00000005' } },
});

describeStores('charges by components', (create) => {
  let store: TemporaryStore;
  let database: Database;
  let customer: Principal;
  let node: LeaseStore;
  const leaseId = uuidv7();

  beforeAll(async () => {
    store = await create();
    database = await store.open();
    customer = await storeCustomer(database, store.config, 100_000n);
    node = new LeaseStore(database, uuidv7(), HOUR);
    const demand = () => ({ need: 50_000n, short: false, recalls: false });
    await node.sync({ ...NOTHING, grants: [{ leaseId, account: customer, opens: true, demand }] });
  });
  afterAll(() => store.remove());

  const facts = (): RequestFacts => ({
    requestId: uuidv7(),
    principal: customer,
    operation: 'chat',
    model: 'model',
    price,
    leaseId,
    hold: 10_000n,
    startedAt: 1,
  });
  async function ended(usage: Usage): Promise<string> {
    const request = facts();
    const { due, ...charge } = settleCharge({ outcome: 'completed', usage, estimated: false }, request.hold, price, request.startedAt);
    const ending = { request, charge: { ...charge, amount: due, excess: 0n }, outcome: 'completed', estimated: false } as const;
    await node.sync({ ...NOTHING, endings: [{ ...ending, provider: 'provider', endedAt: 2 }] });
    return request.requestId;
  }
  /** Charged by the gateway's count, which is more than the hold. */
  async function cut(usage: Usage): Promise<void> {
    const request = { ...facts(), hold: 100n };
    const { due, ...charge } = settleCharge({ outcome: 'completed', usage, estimated: true }, request.hold, price, request.startedAt);
    expect(due).toBe(100n);
    const ending = { request, charge: { ...charge, amount: due, excess: 0n }, outcome: 'completed', estimated: true } as const;
    await node.sync({ ...NOTHING, endings: [{ ...ending, provider: 'provider', endedAt: 2 }] });
  }

  const cached = (prompt: number, of: number): Usage => ({ ...usageOf(prompt, 10), prompt_tokens_details: { cached_tokens: of } });
  const rowOf = (id: string) => database.db.selectFrom('usage').selectAll().where('request_id', '=', id).executeTakeFirstOrThrow();

  it('keep their counts, by which each of them is computed again', async () => {
    const row = await rowOf(await ended(cached(500, 400)));
    expect(row).toMatchObject({ prompt_tokens: 500n, amount: 150n, price_components: price.components!.text });
    expect(JSON.parse(row.parts!)).toEqual({ cached_input: 400 });
    const long = await rowOf(await ended(cached(1_500, 1_000)));
    expect(long.amount).toBe(1_210n);
    expect(JSON.parse(long.parts!)).toEqual({ 'cached_input>1000': 1_000, 'prompt>1000': 500, 'completion>1000': 10 });
    expect((await rowOf(await ended(usageOf(20, 10)))).parts).toBeNull();
    const flexible = await rowOf(await ended({ ...cached(500, 400), service_tier: 'flex' }));
    expect(JSON.parse(flexible.parts!)).toEqual({ 'cached_input@flex': 400, 'prompt@flex': 100, 'completion@flex': 10 });
    expect((await verifyLedger(database)).findings).toEqual([]);
  });

  it.each([
    ['less was cached', sql`parts = '{"cached_input":300}'`, 'costs its tokens at its price'],
    ['more was cached than was sent', sql`parts = '{"cached_input":501}'`, 'no part of a request has more tokens'],
    ['its components are gone', sql`price_components = null`, 'costs its tokens at its price'],
    ['a service tier is charged', sql`parts = '{"cached_input":400,"prompt@flex":100}'`, 'costs its tokens at its price'],
    ['a tier is charged', sql`parts = '{"cached_input>1000":400}'`, 'costs its tokens at its price'],
  ])('are found wrong when %s', async (_what, set, law) => {
    const id = await ended(cached(500, 400));
    const right = await rowOf(id);
    await sql`update usage set ${set} where request_id = ${id}`.execute(database.db);
    const { findings } = await verifyLedger(database);
    await database.db
      .updateTable('usage')
      .set({ parts: right.parts, price_components: right.price_components })
      .where('request_id', '=', id)
      .execute();
    expect(findings).toContainEqual(expect.objectContaining({ law: expect.stringContaining(law), row: `usage ${id}` }));
  });

  it('are summed up, component by component', async () => {
    const other = await storeCustomer(database, store.config, 0n);
    const use = async (usage: Usage, outcome: 'completed' | 'provider_failed' = 'completed') => {
      const request = { ...facts(), principal: other, leaseId: undefined };
      const { due, ...charge } = settleCharge({ outcome, usage, estimated: false }, request.hold, price, request.startedAt);
      const ending = { request, charge: { ...charge, amount: due, excess: 0n }, outcome, estimated: false, endedAt: 2 };
      await node.sync({ ...NOTHING, endings: [{ ...ending, provider: 'provider' }] });
    };
    await use(cached(500, 400));
    await use(cached(600, 100));
    await use(usageOf(20, 10));
    await use(cached(1_500, 1_000));
    await use(cached(900, 900), 'provider_failed');
    expect(await new ChargeReport(database).sum({ accountId: other.accountId })).toEqual({
      // The account has nothing.
      adjustments: [{ name: 'uncollected', amount: -1_910_000n }],
      lines: [
        { name: 'cached_input', count: 500, rate: 100n },
        { name: 'cached_input', above: 1_000, count: 1_000, rate: 200n },
        { name: 'completion', count: 30n, rate: 1_000n },
        { name: 'completion', above: 1_000, count: 10, rate: 1_000n },
        { name: 'prompt', count: 620n, rate: 1_000n },
        { name: 'prompt', above: 1_000, count: 500, rate: 2_000n },
      ],
      saved: 500n * 900n + 1_000n * 1_800n,
    });
  });

  it('are known of a request whose process dies', async () => {
    const request = facts();
    await node.sync({ ...NOTHING, begins: [request] });
    const row = await database.db.selectFrom('inflight').selectAll().where('request_id', '=', request.requestId).executeTakeFirstOrThrow();
    expect(toRequest(row)).toEqual(request);
  });

  it('explain themselves to the unit, where the hold has cut them too', async () => {
    await ended(cached(501, 401));
    await cut(cached(1_500, 1_000));
    const { lines, adjustments } = await new ChargeReport(database).sum({});
    const amounts = await database.db.selectFrom('usage').select(['amount', 'uncollected']).execute();
    const charged = amounts.reduce((sum, { amount }) => sum + amount, 0n);
    const told = adjustments.reduce((sum, { amount }) => sum + amount, sumOfLines(lines));
    expect(told).toBe(charged * 1000n);
    expect(adjustments.find(({ name }) => name === 'beyond the hold')).toEqual({ name: 'beyond the hold', amount: -1_110_000n });
  });

  it('are read page by page, where the hold has cut many of them', async () => {
    const principal = await storeCustomer(database, store.config, 0n);
    const ofRequest = { ...facts(), principal, leaseId: undefined, hold: 100n };
    const { due, ...charge } = settleCharge({ outcome: 'completed', usage: cached(500, 400), estimated: true }, 100n, price, 1);
    const ending = {
      charge: { ...charge, amount: due, excess: 0n },
      outcome: 'completed',
      estimated: true,
      provider: 'p',
      endedAt: 2,
    } as const;
    const endings = Array.from({ length: 2_100 }, () => ({ ...ending, request: { ...ofRequest, requestId: uuidv7() } }));
    await node.sync({ ...NOTHING, endings });
    const sizes: number[] = [];
    const db = database.db.withPlugin({
      transformQuery: ({ node: query }) => query,
      transformResult({ result }) {
        sizes.push(result.rows.length);
        return Promise.resolve(result);
      },
    });
    const report = new ChargeReport({ db, engine: database.engine } as Database);
    const { adjustments } = await report.sum({ accountId: principal.accountId });
    expect(Math.max(...sizes)).toBe(1_000);
    // Each comes to 150 nano-credits, of which 100 were held.
    expect(adjustments.find(({ name }) => name === 'beyond the hold')).toEqual({ name: 'beyond the hold', amount: -50_000n * 2_100n });
  });
});
