import { randomUUIDv7 as uuidv7 } from 'node:crypto';
import { jest } from '@jest/globals';
import type { Principal } from '../../auth/principal.js';
import { configSchema } from '../../config/config.schema.js';
import type { Database } from '../../database/database.js';
import { describeEngines } from '../../database/testing/describe-engines.js';
import { jsonRow } from '../../database/json-rows.js';
import { parsePrice } from '../../common/prices/credits.js';
import { recordNames } from '../../observability/record-columns.js';
import { CreditStore } from '../credit-store.js';
import type { Supply } from '../hold/demand.js';
import { lastWord } from '../hold/purse.js';
import { crashedEnding, type Ending, type RequestFacts } from '../hold/request-facts.js';
import { ONE_NANO } from '../testing/ledger-bench.js';
import { storeCustomer } from '../testing/store-customer.js';
import { verifyLedger } from '../verify-ledger.js';
import { LeaseStore } from './lease-store.js';
import type { LedgerBatch } from './ledger-batch.js';
import { LedgerFigures } from './ledger-figures.js';
import { UnitOfWork } from '../protocol/unit-of-work.js';
import { rowOf } from './usage-rows.js';

const NOTHING: LedgerBatch = { begins: [], progress: [], endings: [], returns: [], grants: [], renews: [] };
const HOUR = 3_600_000;

describeEngines('the operations of the lease protocol', (open) => {
  const config = configSchema.parse({ keys: { pepper: 'p'.repeat(32) } });
  let database: Database;
  let principal: Principal;
  let node: LeaseStore;
  let other: LeaseStore;
  let reaperFigures: LedgerFigures;

  beforeAll(async () => {
    database = await open();
  });
  beforeEach(async () => {
    principal = await storeCustomer(database, config, 100n);
    node = new LeaseStore(database, uuidv7(), HOUR);
    reaperFigures = new LedgerFigures();
    other = new LeaseStore(database, uuidv7(), HOUR, reaperFigures);
  });
  afterEach(async () => {
    expect((await verifyLedger(database)).findings).toEqual([]);
  });

  const ask = async (store: LeaseStore, leaseId: string, need: bigint, opens = true) =>
    (
      await store.sync({
        ...NOTHING,
        grants: [
          {
            leaseId,
            account: principal,
            opens,
            demand: ({ available }) => ({ need: need <= available ? need : undefined, short: false, recalls: false }),
          },
        ],
      })
    ).leases.get(leaseId);
  const facts = (leaseId: string, hold: bigint): RequestFacts => ({
    requestId: uuidv7(),
    principal,
    operation: 'chat',
    model: 'model',
    price: ONE_NANO,
    leaseId,
    hold,
    startedAt: 1,
  });
  const ending = (request: RequestFacts, tokens: number): Ending => ({
    request,
    charge: { promptTokens: 0, completionTokens: tokens, price: ONE_NANO, amount: BigInt(tokens), excess: 0n },
    outcome: 'completed',
    estimated: false,
    provider: 'provider',
    endedAt: 2,
  });
  const balance = async () => {
    const [live] = await new CreditStore(database).balances(principal.accountId);
    return { posted: live!.posted, leased: live!.leased };
  };
  const usage = ({ requestId }: RequestFacts) =>
    database.db.selectFrom('usage').select(['amount', 'uncollected', 'outcome']).where('request_id', '=', requestId).execute();

  it('grants, charges and gives back', async () => {
    const lease = uuidv7();
    expect(await ask(node, lease, 20n)).toMatchObject({ granted: 30n, spent: 0n });
    expect(await balance()).toEqual({ posted: 100n, leased: 30n });
    const request = facts(lease, 20n);
    const answer = await node.sync({
      ...NOTHING,
      endings: [ending(request, 8)],
      returns: [{ leaseId: lease, account: principal, amount: 5n }],
    });
    expect(answer.leases.get(lease)).toMatchObject({ granted: 25n, spent: 8n });
    expect(await balance()).toEqual({ posted: 92n, leased: 17n });
    const last = await node.sync({ ...NOTHING, returns: [{ leaseId: lease, account: principal, amount: 17n }] });
    expect(last.leases.has(lease)).toBe(false);
    expect(await balance()).toEqual({ posted: 92n, leased: 0n });
  });

  it('stores what is known of a request in its usage row, in the statement of its charge, also where it is repeated', async () => {
    const lease = uuidv7();
    await ask(node, lease, 30n);
    const known = (client: string) => ({
      record: jsonRow([2n ** 53n + 1n, 1, client, 0, 200, null, null, '[{"offer":"p/m"}]', '["\ud800\0"]']),
    });
    const stored = ({ requestId }: RequestFacts) =>
      database.db
        .selectFrom('usage')
        .select(['amount', 'created_at', ...recordNames])
        .where('request_id', '=', requestId)
        .execute();
    const batch = jest.spyOn(database, 'batch');
    const [first, second, third] = [facts(lease, 5n), facts(lease, 5n), facts(lease, 5n)];

    await node.sync({ ...NOTHING, endings: [{ ...ending(first, 3), row: rowOf(ending(first, 3)), ...known('mine') }, ending(second, 3)] });
    const nothing = Object.fromEntries(recordNames.map((name) => [name, null]));
    const record = { began_at: 2n ** 53n + 1n, duration_ms: 1n, client_request_id: 'mine', streamed: 0n, status: 200n, error_code: null };
    expect(await stored(first)).toMatchObject([{ amount: 3n, created_at: 2n, ...record, attempts: '[{"offer":"p/m"}]' }]);
    expect(await stored(second)).toEqual([{ amount: 3n, created_at: 2n, ...nothing }]);

    batch.mockRejectedValueOnce(new Error('the store is away'));
    const again = { ...NOTHING, endings: [{ ...ending(third, 3), ...known('\0\udc00') }] };
    await expect(node.sync(again)).rejects.toThrow('away');
    // After a failure nothing is known of the lease, so that it is read first.
    await node.sync(again);
    await node.sync(again);
    expect(await stored(third)).toMatchObject([{ amount: 3n, status: 200n }]);
    batch.mockRestore();
  });

  it('never grants more than there is, however many ask at once', async () => {
    const stores = Array.from({ length: 8 }, () => new LeaseStore(database, uuidv7(), HOUR));
    const leases = await Promise.all(stores.map((store) => ask(store, uuidv7(), 30n)));
    const granted = leases.reduce((sum, lease) => sum + (lease?.granted ?? 0n), 0n);
    expect(leases.filter((lease) => lease !== undefined)).toHaveLength(2);
    expect(await balance()).toEqual({ posted: 100n, leased: granted });
    expect(granted <= 100n).toBe(true);
  });

  describe('a batch of ends', () => {
    let reading: jest.SpiedFunction<typeof UnitOfWork.load>;
    beforeEach(() => {
      reading = jest.spyOn(UnitOfWork, 'load');
    });
    afterEach(() => reading.mockRestore());

    it('is written without reading anything, as long as what was heard of its leases is so', async () => {
      const [one, two] = [uuidv7(), uuidv7()];
      await ask(node, one, 20n);
      const second = await storeCustomer(database, config, 100n);
      const ofSecond = (hold: bigint): RequestFacts => ({ ...facts(two, hold), principal: second });
      await node.sync({
        ...NOTHING,
        grants: [{ leaseId: two, account: second, opens: true, demand: () => ({ need: 20n, short: false, recalls: false }) }],
      });
      reading.mockClear();
      const begun = facts(one, 5n);
      const requests = [facts(one, 5n), ofSecond(6n), facts(one, 7n)];
      const answer = await node.sync({
        ...NOTHING,
        begins: [begun],
        endings: requests.map((request, index) => ending(request, 3 + index)),
      });
      expect(answer.leases.get(one)).toMatchObject({ granted: 30n, spent: 8n });
      expect(answer.leases.get(two)).toMatchObject({ granted: 30n, spent: 4n });
      const progress = { requestId: begun.requestId, price: ONE_NANO, promptTokens: 1, completionTokens: 1 };
      await node.sync({ ...NOTHING, progress: [progress] });
      await node.sync({ ...NOTHING, endings: [ending(begun, 2)], renews: [one] });
      expect(reading).not.toHaveBeenCalled();
      expect(await balance()).toEqual({ posted: 90n, leased: 20n });
      expect(await usage(requests[1]!)).toEqual([{ amount: 4n, uncollected: 0n, outcome: 'completed' }]);
      const left = await database.db.selectFrom('inflight').select('request_id').where('lease_id', 'in', [one, two]).execute();
      expect(left).toEqual([]);
    });

    it('is written once, also where its first answer was lost', async () => {
      const lease = uuidv7();
      await ask(node, lease, 20n);
      const request = facts(lease, 20n);
      const batch = { ...NOTHING, endings: [ending(request, 8)] };
      const transaction = database.transaction.bind(database);
      const lost = jest.spyOn(database, 'transaction').mockImplementationOnce(async (work) => {
        await transaction(work);
        throw new Error('no answer');
      });
      await expect(node.sync(batch)).rejects.toThrow('no answer');
      lost.mockRestore();
      reading.mockClear();
      expect((await node.sync(batch)).leases.get(lease)).toMatchObject({ granted: 30n, spent: 8n });
      expect(reading).toHaveBeenCalledTimes(1);
      expect(await balance()).toEqual({ posted: 92n, leased: 22n });
      await node.sync({ ...NOTHING, endings: [ending(facts(lease, 5n), 5)] });
      expect(reading).toHaveBeenCalledTimes(1);
      expect(await balance()).toEqual({ posted: 87n, leased: 17n });
    });

    it('is read for where its lease was ended, where its lease cannot pay it, and where it was written before', async () => {
      const brief = new LeaseStore(database, uuidv7(), -1);
      const [gone, small] = [uuidv7(), uuidv7()];
      await ask(brief, gone, 20n);
      await other.reapExpired();
      await ask(node, small, 8n);
      reading.mockClear();
      const [late, long] = [facts(gone, 20n), facts(small, 40n)];
      expect((await brief.sync({ ...NOTHING, endings: [ending(late, 6)] })).leases.size).toBe(0);
      expect(reading).toHaveBeenCalledTimes(1);
      await node.sync({ ...NOTHING, endings: [ending(long, 30)] });
      expect(reading).toHaveBeenCalledTimes(2);
      await node.sync({ ...NOTHING, endings: [ending(long, 30)] });
      expect(reading).toHaveBeenCalledTimes(3);
      expect(await balance()).toEqual({ posted: 64n, leased: 0n });
    });
  });

  it('takes the same batch twice for one', async () => {
    const lease = uuidv7();
    await ask(node, lease, 40n);
    const [short, long] = [facts(lease, 20n), facts(lease, 20n)];
    const batch: LedgerBatch = { ...NOTHING, begins: [long], endings: [ending(short, 8)] };
    await node.sync(batch);
    await node.sync(batch);
    expect(await balance()).toMatchObject({ posted: 92n });
    await node.sync({ ...NOTHING, endings: [ending(short, 8), ending(long, 9)] });
    await node.sync({ ...NOTHING, endings: [ending(long, 9)] });
    expect(await balance()).toMatchObject({ posted: 83n });
    expect(await usage(long)).toEqual([{ amount: 9n, uncollected: 0n, outcome: 'completed' }]);
  });

  it('reaps what nobody renews: charges what was delivered, returns the rest, and no process’s live leases', async () => {
    const brief = new LeaseStore(database, uuidv7(), -1);
    const [lease, alive] = [uuidv7(), uuidv7()];
    await ask(brief, lease, 40n);
    await ask(node, alive, 10n);
    const [known, unknown] = [facts(lease, 20n), facts(lease, 20n)];
    await brief.sync({
      ...NOTHING,
      begins: [known],
      progress: [{ requestId: known.requestId, price: ONE_NANO, promptTokens: 3, completionTokens: 4 }],
    });
    expect(await brief.reapExpired()).toBe(0);
    expect(await other.reapExpired()).toBe(1);
    expect(reaperFigures.recovered).toEqual({ live: 1, test: 0 });
    expect(await usage(known)).toEqual([{ amount: 7n, uncollected: 0n, outcome: 'crashed' }]);
    expect(await balance()).toMatchObject({ posted: 93n });
    expect(await other.reapExpired()).toBe(0);

    // The process was only slow: it comes back, and what it knows counts.
    const answer = await brief.sync({ ...NOTHING, endings: [ending(known, 10), ending(unknown, 6)], renews: [lease] });
    expect(answer.leases.has(lease)).toBe(false);
    expect(await usage(known)).toEqual([{ amount: 10n, uncollected: 0n, outcome: 'completed' }]);
    expect(await usage(unknown)).toEqual([{ amount: 6n, uncollected: 0n, outcome: 'completed' }]);
    expect(await balance()).toMatchObject({ posted: 84n });
  });

  it('records what a late process cannot collect, and overdraws nobody', async () => {
    const figures = new LedgerFigures();
    const brief = new LeaseStore(database, uuidv7(), -1, figures);
    const [lease, next] = [uuidv7(), uuidv7()];
    await ask(brief, lease, 90n);
    const late = facts(lease, 90n);
    await other.reapExpired();
    await ask(node, next, 95n);
    await brief.sync({ ...NOTHING, endings: [ending(late, 50)] });
    await brief.sync({ ...NOTHING, endings: [ending(late, 50)] });
    expect(figures).toMatchObject({ uncollected: { live: 45n, test: 0n }, recovered: { live: 0, test: 0 } });
    expect(await usage(late)).toEqual([{ amount: 5n, uncollected: 45n, outcome: 'completed' }]);
    expect(await balance()).toEqual({ posted: 95n, leased: 95n });
  });

  describe('where more is due than its lease pays', () => {
    const beyond = (request: RequestFacts, amount: bigint, excess: bigint): Ending => {
      const told = ending(request, Number(amount + excess));
      return { ...told, charge: { ...told.charge, amount, excess } };
    };
    const row = ({ requestId }: RequestFacts) =>
      database.db.selectFrom('usage').select(['amount', 'collected', 'uncollected']).where('request_id', '=', requestId).execute();

    it('collects it from the balance, and nothing that this or another process has leased, however often it is told', async () => {
      const figures = new LedgerFigures();
      const collector = new LeaseStore(database, uuidv7(), HOUR, figures);
      const [mine, others] = [uuidv7(), uuidv7()];
      // 20 and an eighth of the other 80; then 30 and an eighth of the other 40.
      expect(await ask(collector, mine, 20n)).toMatchObject({ granted: 30n });
      expect(await ask(other, others, 30n)).toMatchObject({ granted: 35n });
      const [first, second] = [facts(mine, 20n), facts(mine, 10n)];
      for (let time = 0; time < 2; time++) {
        await collector.sync({ ...NOTHING, endings: [beyond(first, 20n, 25n)] });
        expect(await row(first)).toEqual([{ amount: 45n, collected: 25n, uncollected: 0n }]);
        expect(await balance()).toEqual({ posted: 55n, leased: 45n });
      }
      for (let time = 0; time < 2; time++) {
        await collector.sync({ ...NOTHING, endings: [beyond(second, 5n, 50n)] });
        expect(await row(second)).toEqual([{ amount: 15n, collected: 5n, uncollected: 40n }]);
        expect(await balance()).toEqual({ posted: 40n, leased: 40n });
      }
      expect(figures).toMatchObject({ collected: { live: 30n, test: 0n }, uncollected: { live: 40n, test: 0n } });
    });

    const giveBack = (store: LeaseStore, leaseId: string, amount: bigint) =>
      store.sync({ ...NOTHING, returns: [{ leaseId, account: principal, amount }] });
    const claims = (...leaseIds: string[]) => database.db.selectFrom('claim').selectAll().where('lease_id', 'in', leaseIds).execute();

    it('asks other processes for what they do not use, and collects it once, whatever they have spent meanwhile', async () => {
      const figures = new LedgerFigures();
      const giver = new LeaseStore(database, uuidv7(), HOUR, figures);
      const [mine, others] = [uuidv7(), uuidv7()];
      await ask(node, mine, 20n);
      await ask(giver, others, 70n);
      const owing = facts(mine, 20n);
      for (let time = 0; time < 2; time++) await node.sync({ ...NOTHING, endings: [beyond(owing, 30n, 50n)] });
      expect(await row(owing)).toEqual([{ amount: 30n, collected: 10n, uncollected: 50n }]);
      expect(await giver.recalls()).toContainEqual({ account: expect.objectContaining({ accountId: principal.accountId }), recall: 1n });

      await giver.sync({ ...NOTHING, endings: [ending(facts(others, 10n), 8)] });
      await giveBack(giver, others, 40n);
      expect(await row(owing)).toEqual([{ amount: 70n, collected: 50n, uncollected: 10n }]);
      expect(await balance()).toEqual({ posted: 22n, leased: 22n });
      await giver.sync({ ...NOTHING, endings: [ending(facts(others, 10n), 10)] });
      for (let time = 0; time < 2; time++) await node.sync({ ...NOTHING, endings: [beyond(owing, 30n, 50n)] });
      await giveBack(giver, others, 12n);
      expect(await row(owing)).toEqual([{ amount: 80n, collected: 60n, uncollected: 0n }]);
      expect(await balance()).toEqual({ posted: 2n, leased: 0n });
      expect(figures.collected.live).toBe(50n);
      expect(await claims(mine, others)).toEqual([]);
    });

    it('collects nothing of what other processes are granted later', async () => {
      const [mine, others, later] = [uuidv7(), uuidv7(), uuidv7()];
      await ask(node, mine, 20n);
      await ask(other, others, 70n);
      const owing = facts(mine, 20n);
      await node.sync({ ...NOTHING, endings: [beyond(owing, 30n, 50n)] });
      await new CreditStore(database).grant({ accountId: principal.accountId, environment: 'live', amount: 80n });
      await ask(other, others, 30n, false);
      await ask(other, later, 50n);
      await giveBack(other, later, 50n);
      await other.sync({ ...NOTHING, endings: [ending(facts(others, 65n), 65)] });
      await giveBack(other, others, 35n);
      expect(await row(owing)).toEqual([{ amount: 35n, collected: 15n, uncollected: 45n }]);
      expect(await balance()).toEqual({ posted: 80n, leased: 0n });
      expect(await claims(mine, others, later)).toEqual([]);
    });

    it.each(['a process that goes silent', 'its own process that dies'])('collects it from the lease of %s', async (whose) => {
      const [mine, others, dead] = [uuidv7(), uuidv7(), uuidv7()];
      const silent = new LeaseStore(database, dead, -1);
      await ask(node, mine, 20n);
      await ask(silent, others, 70n);
      const owing = whose.startsWith('its') ? facts(others, 20n) : facts(mine, 20n);
      const told = owing.leaseId === mine ? beyond(owing, 30n, 50n) : beyond(owing, 20n, 40n);
      await other.replay([told], uuidv7());
      expect(await row(owing)).toMatchObject([{ uncollected: owing.leaseId === mine ? 50n : 40n }]);
      await other.reapDead(dead);
      await node.sync({ ...NOTHING, endings: [told] });
      expect(await row(owing)).toMatchObject([{ uncollected: 0n }]);
    });

    it('collects for several in the order in which they came, however many give back at once', async () => {
      const givers = Array.from({ length: 3 }, () => ({ lease: uuidv7(), store: new LeaseStore(database, uuidv7(), HOUR) }));
      const mine = uuidv7();
      await ask(node, mine, 1n);
      for (const { lease, store } of givers) await ask(store, lease, 25n);
      const requests = [facts(mine, 0n), facts(mine, 0n), facts(mine, 0n)];
      const due = [40n, 30n, 50n] as const;
      await Promise.all([
        ...requests.map((one, index) => node.sync({ ...NOTHING, endings: [beyond(one, 0n, due[index]!)] })),
        ...givers.map(({ lease, store }) => giveBack(store, lease, 25n)),
      ]);
      for (const { lease, store } of givers) await giveBack(store, lease, 100n);
      await giveBack(node, mine, 100n);
      const rows = (await Promise.all(requests.map(row))).flat();
      expect(rows.reduce((sum, { amount }) => sum + amount, 0n)).toBe(100n);
      for (const [index, { amount, uncollected }] of rows.entries()) expect(amount + uncollected).toBe(due[index]);
      expect(await balance()).toEqual({ posted: 0n, leased: 0n });
      expect(await claims(mine, ...givers.map(({ lease }) => lease))).toEqual([]);
    });

    it('collects as much from the journal of a process that has died, whether or not its lease has run out', async () => {
      const brief = new LeaseStore(database, uuidv7(), -1);
      const [lease, gone] = [uuidv7(), uuidv7()];
      await ask(node, lease, 20n);
      await ask(brief, gone, 10n);
      const [alive, late] = [facts(lease, 20n), facts(gone, 10n)];
      const successor = new LeaseStore(database, uuidv7(), HOUR);
      for (let time = 0; time < 2; time++) await successor.replay([beyond(alive, 20n, 5n)], uuidv7());
      expect(await row(alive)).toEqual([{ amount: 25n, collected: 5n, uncollected: 0n }]);
      await other.reapExpired();
      for (let time = 0; time < 2; time++) await successor.replay([beyond(late, 10n, 4n)], uuidv7());
      expect(await row(late)).toEqual([{ amount: 14n, collected: 4n, uncollected: 0n }]);
      expect(await balance()).toMatchObject({ posted: 61n });
    });
  });

  it('charges what a silent process had delivered by the parts of its prompt', async () => {
    const brief = new LeaseStore(database, uuidv7(), -1);
    const lease = uuidv7();
    await ask(brief, lease, 90n);
    const price = parsePrice({ prompt: '0.000001', completion: '0.000001', cached_input: '0.0000001', cache_write_5m: '0.000002' });
    const request = { ...facts(lease, 90n), price };
    const prompts = [{ prompt_tokens: 60, prompt_tokens_details: { cached_tokens: 40, cache_creation_tokens: 10 } }];
    const progress = { requestId: request.requestId, price, promptTokens: 60, completionTokens: 5, prompts };
    await brief.sync({ ...NOTHING, begins: [request], progress: [progress] });
    await other.reapExpired();
    // 40 x 0.1 + 10 x 2 + 10 + 5
    expect(await usage(request)).toEqual([{ amount: 39n, uncollected: 0n, outcome: 'crashed' }]);
  });

  it('gives back to the customer what the reaper had charged for a request that then failed', async () => {
    const brief = new LeaseStore(database, uuidv7(), -1);
    const lease = uuidv7();
    await ask(brief, lease, 20n);
    const request = facts(lease, 20n);
    await brief.sync({
      ...NOTHING,
      begins: [request],
      progress: [{ requestId: request.requestId, price: ONE_NANO, promptTokens: 0, completionTokens: 5 }],
    });
    await other.reapExpired();
    expect(await balance()).toMatchObject({ posted: 95n });
    const failed = { ...ending(request, 5), outcome: 'provider_failed' as const };
    await brief.sync({ ...NOTHING, endings: [{ ...failed, charge: { ...failed.charge, amount: 0n } }] });
    expect(await balance()).toMatchObject({ posted: 100n });
    expect(await usage(request)).toEqual([{ amount: 0n, uncollected: 0n, outcome: 'provider_failed' }]);
  });

  it('does not bring a lease back that has run out', async () => {
    const brief = new LeaseStore(database, uuidv7(), -1);
    const lease = uuidv7();
    await ask(brief, lease, 20n);
    await other.reapExpired();
    expect(await ask(brief, lease, 20n, false)).toBeUndefined();
    expect(await balance()).toEqual({ posted: 100n, leased: 0n });
  });

  it('asks other processes for what they do not use before it has the last word', async () => {
    const supplies: Supply[] = [];
    /** A request of 90 that a wallet asks for. */
    const askFor90 = async (lease: string, recalled?: bigint) => {
      supplies.length = 0;
      const demand = (supply: Supply) => {
        supplies.push(supply);
        const final = lastWord(recalled, supply.reached);
        const fits = supply.available >= 90n;
        return { need: fits ? 90n : undefined, short: !fits && !final, recalls: !fits && !final && recalled === undefined };
      };
      const answer = await node.sync({ ...NOTHING, grants: [{ leaseId: lease, account: principal, opens: true, demand }] });
      return { answer: answer.grants.get(lease)!, lease: answer.leases.get(lease) };
    };
    const [idle, busy, mine] = [uuidv7(), uuidv7(), uuidv7()];
    await ask(other, idle, 20n);
    await ask(new LeaseStore(database, uuidv7(), HOUR), busy, 1n);
    const follower = await open();
    const heard = Promise.withResolvers<bigint>();
    await follower.follow('recall', async () => {
      const recalls = await new LeaseStore(follower, uuidv7(), HOUR).recalls();
      for (const { account, recall } of recalls) if (account.accountId === principal.accountId) heard.resolve(recall);
    });

    const first = await askFor90(mine);
    expect(first).toMatchObject({ answer: { posted: 100n, recall: 1n }, lease: undefined });
    expect(supplies.at(-1)).toMatchObject({ elsewhere: 30n + 9n, reached: 0n });
    expect(await heard.promise).toBe(1n);

    // While it waits nobody gets more than needed.
    expect(await ask(other, idle, 1n, false)).toMatchObject({ granted: 31n });
    await other.sync({ ...NOTHING, returns: [{ leaseId: idle, account: principal, amount: 31n, recalled: 1n }] });
    const again = await askFor90(mine, 1n);
    expect(again).toMatchObject({ answer: { recall: undefined }, lease: { granted: 90n, recalled: 1n } });
    expect(supplies.at(-1)).toMatchObject({ available: 91n, elsewhere: 9n });

    await node.sync({ ...NOTHING, returns: [{ leaseId: mine, account: principal, amount: 90n }] });
    await ask(other, idle, 20n);
    await askFor90(mine, 1n);
    expect(supplies.at(-1)).toMatchObject({ reached: 0n });
  });

  it('settles twice-told crashes once', async () => {
    const lease = uuidv7();
    await ask(node, lease, 20n);
    const request = facts(lease, 20n);
    const crash = crashedEnding(request, { promptTokens: 1, completionTokens: 2 }, 3);
    const figures = new LedgerFigures();
    const successor = new LeaseStore(database, uuidv7(), HOUR, figures);
    await successor.replay([crash], uuidv7());
    await successor.replay([crash], uuidv7());
    expect(figures.recovered).toEqual({ live: 1, test: 0 });
    expect(await usage(request)).toEqual([{ amount: 3n, uncollected: 0n, outcome: 'crashed' }]);
    expect(await balance()).toMatchObject({ posted: 97n });
  });
});
