import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { randomUUIDv7 as uuidv7 } from 'node:crypto';
import { storeCustomer } from '../testing/store-customer.js';
import { sharedFolder } from '../../common/testing/started.js';
import type { Principal } from '../../auth/principal.js';
import { configSchema } from '../../config/config.schema.js';
import { ConfigService } from '../../config/config.service.js';
import type { Database } from '../../database/database.js';
import { openDatabase } from '../../database/open-database.js';
import { describePostgres } from '../../database/testing/describe-engines.js';
import { TemporaryPostgres } from '../../database/testing/temporary-postgres.js';
import type { Hold, HoldRequest } from '../hold/ledger.js';
import { request, settlement } from '../testing/ledger-bench.js';
import { NoDelivery } from '../testing/no-delivery.js';
import { verifyLedger } from '../verify-ledger.js';
import { LeaseLedger } from './lease-ledger.js';
import { LeaseStore } from './lease-store.js';
import { LedgerFigures } from './ledger-figures.js';

const MINUTE = 60_000;

describePostgres('idle money at other gateways', () => {
  const folder = sharedFolder();
  const ending: (() => Promise<void>)[] = [];
  let postgres: TemporaryPostgres;
  let database: Database;
  let principal: Principal;

  beforeAll(async () => {
    Logger.overrideLogger(false);
    postgres = await TemporaryPostgres.startServer();
    database = await openDatabase({ data_dir: 'unused', database_url: postgres.url });
  });
  beforeEach(async () => {
    const config = configSchema.parse({ keys: { pepper: 'p'.repeat(32) } });
    principal = await storeCustomer(database, config, 800n);
  });
  afterEach(async () => {
    await Promise.all(ending.splice(0).map((end) => end()));
    expect((await verifyLedger(database)).findings).toEqual([]);
  });
  afterAll(async () => {
    await database.close();
    await postgres.stop();
  });

  /** @param ttl milliseconds that a lease lives; answers are waited for a tenth of it */
  async function gateway(ttl = MINUTE): Promise<LeaseLedger> {
    const own = await openDatabase({ data_dir: 'unused', database_url: postgres.url });
    const store = { data_dir: join(folder, uuidv7()), database_url: postgres.url, lease_ttl: ttl };
    const ledger = new LeaseLedger(own, new ConfigService(configSchema.parse({ store })), new NoDelivery(), new LedgerFigures());
    await ledger.onModuleInit();
    ending.push(async () => {
      await ledger.onApplicationShutdown();
      await own.close();
    });
    return ledger;
  }
  const hold = async (ledger: LeaseLedger, maxTokens: number, changes: Partial<HoldRequest> = {}): Promise<Hold> =>
    ledger.hold(request(principal, { maxTokens, ...changes }));
  const refusal = (advice: object) => expect.objectContaining({ code: 'insufficient_credits', advice });

  it('pays for a request that would have been refused', async () => {
    const [one, two] = [await gateway(), await gateway()];
    (await hold(one, 720)).settle(settlement('completed', 0, 20));
    // One has leased 730 and used 20, and the account has 70 besides.
    expect((await hold(two, 780)).amount).toBe(780n);
    await expect(hold(one, 1)).rejects.toEqual(refusal({ retryAfter: 1 }));
  });

  it('lengthens an answer that would have been shortened', async () => {
    const [one, two] = [await gateway(), await gateway()];
    (await hold(one, 400)).settle(settlement('completed', 0, 0));
    expect(await hold(two, 10_000, { maxTokensMayShrink: true })).toMatchObject({ maxTokens: 800, amount: 800n });
    await expect(hold(one, 10, { maxTokensMayShrink: true })).rejects.toEqual(refusal({ retryAfter: 1 }));
  });

  it('is given back by all of several, while what they hold for requests stays', async () => {
    const [one, two, three, four] = await Promise.all([gateway(), gateway(), gateway(), gateway()]);
    await hold(one, 100);
    await hold(two, 100);
    (await hold(three, 100)).settle(settlement('completed', 0, 50));
    expect((await hold(four, 550)).amount).toBe(550n);
    await expect(hold(four, 1)).rejects.toEqual(refusal({ retryAfter: 1 }));
  });

  it('is not asked for when it would not help', async () => {
    const [one, two] = [await gateway(), await gateway()];
    await hold(one, 100);
    await expect(hold(two, 801)).rejects.toEqual(refusal({}));
    const [row] = await database.db.selectFrom('balance').select('recall').where('account_id', '=', principal.accountId).execute();
    expect(row).toEqual({ recall: 0n });
  });

  it('is waited for no longer than a tenth of a lease’s life where a gateway does not answer', async () => {
    const silent = new LeaseStore(database, uuidv7(), MINUTE);
    await silent.sync({
      begins: [],
      progress: [],
      endings: [],
      returns: [],
      grants: [{ leaseId: uuidv7(), account: principal, opens: true, demand: () => ({ need: 700n, short: false, recalls: false }) }],
      renews: [],
    });
    const ledger = await gateway(5_000);
    const began = performance.now();
    const refused = hold(ledger, 200);
    // Who can be served meanwhile is.
    expect((await hold(ledger, 40)).amount).toBe(40n);
    await expect(refused).rejects.toEqual(refusal({ retryAfter: 1 }));
    expect(performance.now() - began).toBeGreaterThan(500);
    await silent.reapDead();
  });

  it('stays theirs after PostgreSQL was away, until they have had the time to renew their leases', async () => {
    const TTL = 2_000;
    const other = new LeaseStore(database, uuidv7(), TTL);
    await gateway(TTL);
    const leaseId = uuidv7();
    const ask = { leaseId, account: principal, opens: true, demand: () => ({ need: 700n, short: false, recalls: false }) };
    await other.sync({ begins: [], progress: [], endings: [], returns: [], grants: [ask], renews: [] });
    await postgres.halt('SIGQUIT');
    await delay(1.75 * TTL); // The lease runs out by PostgreSQL's clock, which nobody moves.
    await postgres.resume();
    // It may have answered for as long as it takes to find out that it does.
    const back = performance.now() - 100;
    const leases = () => database.db.selectFrom('lease').select('id').where('id', '=', leaseId).execute();
    while ((await leases()).length > 0) await delay(10);
    expect(performance.now() - back).toBeGreaterThan(TTL / 2);
  });

  it('never makes more requests succeed than can be paid for, and never fewer', async () => {
    const gateways = await Promise.all([gateway(), gateway(), gateway()]);
    for (let round = 0; round < 5; round++) {
      const holds = await Promise.allSettled(Array.from({ length: 60 }, (_, index) => hold(gateways[index % 3]!, 100)));
      const made = holds.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      expect(made).toHaveLength(8);
      for (const one of made) one.settle(settlement('provider_failed', 0, 0));
    }
  });
});
