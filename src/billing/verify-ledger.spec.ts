import { type RawBuilder, sql } from 'kysely';
import { randomUUIDv7 as uuidv7 } from 'node:crypto';
import type { Principal } from '../auth/principal.js';
import type { Database } from '../database/database.js';
import { describeStores } from '../database/testing/describe-engines.js';
import type { TemporaryStore } from '../database/testing/temporary-store.js';
import type { Ending, RequestFacts } from './hold/request-facts.js';
import { LeaseStore } from './leases/lease-store.js';
import type { LedgerBatch } from './leases/ledger-batch.js';
import { ONE_NANO } from './testing/ledger-bench.js';
import { storeCustomer } from './testing/store-customer.js';
import { type Finding, verifyLedger } from './verify-ledger.js';

const NOTHING: LedgerBatch = { begins: [], progress: [], endings: [], returns: [], grants: [], renews: [] };
const HOUR = 3_600_000;
const ROLLED_BACK = new Error('rolled back');

describeStores('the check of the ledger', (create) => {
  let store: TemporaryStore;
  let database: Database;
  let customer: Principal;
  let other: Principal;
  const [lease, otherLease, settled, open] = [uuidv7(), uuidv7(), uuidv7(), uuidv7()];

  /** 100 nano-credits; 30 are leased, of these 4 are spent and 6 held. Beside it another customer with a lease. */
  beforeAll(async () => {
    store = await create();
    database = await store.open();
    customer = await storeCustomer(database, store.config, 100n);
    other = await storeCustomer(database, store.config, 8n, 'test');
    const node = new LeaseStore(database, uuidv7(), HOUR);

    for (const [leaseId, account, amount] of [
      [lease, customer, 20n],
      [otherLease, other, 8n],
    ] as const)
      await node.sync({
        ...NOTHING,
        grants: [{ leaseId, account, opens: true, demand: () => ({ need: amount, short: false, recalls: false }) }],
      });
    const facts = (requestId: string, hold: bigint): RequestFacts => ({
      requestId,
      principal: customer,
      operation: 'chat',
      model: 'model',
      price: ONE_NANO,
      leaseId: lease,
      hold,
      startedAt: 1,
    });
    const ending: Ending = {
      request: facts(settled, 10n),
      charge: { promptTokens: 1, completionTokens: 3, price: ONE_NANO, amount: 4n, excess: 0n },
      outcome: 'completed',
      estimated: false,
      provider: 'provider',
      endedAt: 2,
    };
    await node.sync({ ...NOTHING, endings: [ending], begins: [facts(open, 6n)] });
    await unguard(database);
  });
  afterAll(() => store.remove());

  /** What the check finds in a store to which this was done; nothing of it stays. */
  async function findingsAfter(tamper: readonly RawBuilder<unknown>[]): Promise<readonly Finding[]> {
    let findings: readonly Finding[] = [];
    const work = database.transaction(async (trx) => {
      for (const statement of tamper) await statement.execute(trx);
      ({ findings } = await verifyLedger({ snapshot: (read) => read(trx) }));
      throw ROLLED_BACK;
    });
    await expect(work).rejects.toBe(ROLLED_BACK);
    return findings;
  }

  it('finds nothing wrong with a right one, and says how much it has seen', async () => {
    expect(await verifyLedger(database)).toEqual({ findings: [], balances: 8, transfers: 2, usages: 1 });
  });

  const balance =
    (set: string, account: () => string, environment = 'live') =>
    () => [sql`update balance set ${sql.raw(set)} where account_id = ${account()} and environment = ${environment}`];
  const usage = (set: string) => () => [sql`update usage set ${sql.raw(set)} where request_id = ${settled}`];
  const own = () => customer.accountId;
  const named =
    (account: () => string, environment = 'live') =>
    () =>
      `balance ${account()} ${environment}`;
  const grants = () => 'system:grants';
  const revenue = () => 'system:revenue';
  const [came, reserved, cost] = ['what came in less what went out', 'what the leases are worth', 'its tokens at its price'];
  const theUsage = () => `usage ${settled}`;
  const theLease = () => `lease ${lease}`;
  const theOpen = () => `inflight ${open}`;
  const claimed = (leaseId: string, granted: bigint) => () => [sql`insert into claim values (${leaseId}, ${settled}, ${granted})`];
  const claims = 'a request claims what a lease';
  const theClaim = (leaseId: string) => () => `claim ${leaseId} ${settled}`;

  it.each<[what: string, tamper: () => RawBuilder<unknown>[], law: string, row: () => string, expected: string, found: string]>([
    ['credits are added to a balance', balance('posted = posted + 1', own), came, named(own), '96', '97'],
    ['credits are taken from a balance', balance('posted = posted - 1', own), came, named(own), '96', '95'],
    ['a balance is overdrawn', balance('posted = 25', own), 'less than is reserved', named(own), 'at least 26', '25'],
    ['a reservation is dropped', balance('reserved = 0', own), reserved, named(own), '26', '0'],
    ['revenue is put aside', balance('posted = posted - 1', revenue), came, named(revenue), '4', '3'],
    ['a system account has a reservation', balance('reserved = 7', grants), reserved, named(grants), '0', '7'],
    ['credits come from nowhere', balance('posted = -99', grants), 'all balances together', () => 'balance * live', '0', '1'],
    [
      'a balance is deleted',
      () => [sql`delete from balance where account_id = ${own()} and environment = 'test'`],
      'a balance in each environment',
      () => `account ${own()}`,
      '2',
      '1',
    ],
    ['a grant is changed', () => [sql`update transfer set amount = 101 where credit_account_id = ${own()}`], came, named(own), '97', '96'],
    [
      'a grant is larger than all money',
      () => [sql`update transfer set amount = 9223372036854775807`],
      came,
      named(own),
      '9223372036854775803',
      '96',
    ],
    ['a grant is deleted', () => [sql`delete from transfer where credit_account_id = ${own()}`], came, named(own), '-4', '96'],
    [
      'a grant is of nothing',
      () => [sql`update transfer set id = 'void', amount = 0 where credit_account_id = ${own()}`],
      'a transfer moves something',
      () => 'transfer void',
      'more than 0',
      '0',
    ],
    ['a charge is lowered', usage('amount = 3'), cost, theUsage, '4', '3'],
    ['a charge is raised', usage('amount = 5'), cost, theUsage, '4', '5'],
    ['a price is raised after the event', usage('price_completion = 2000'), cost, theUsage, '7', '4'],
    ['tokens are added after the event', usage('prompt_tokens = 2'), cost, theUsage, '5', '4'],
    ['an outcome that costs nothing is noted', usage(`outcome = 'provider_failed'`), cost, theUsage, '0', '4'],
    ['more was charged than was held', usage('hold = 3'), 'its hold and what was collected', theUsage, '1', '0'],
    ['an earlier version charged more than was held', usage('hold = 3, collected = null'), cost, theUsage, '3', '4'],
    ['the gateway’s own count is charged beyond the hold', usage('hold = 3, collected = 1, estimated = 1'), cost, theUsage, '3', '4'],
    ['something was collected within the hold', usage('collected = 1'), 'its hold and what was collected', theUsage, '0', '1'],
    ['less was charged than a provider has counted', usage('hold = 3, amount = 3'), cost, theUsage, '4', '3'],
    [
      'a part of a charge is negative',
      usage('amount = -1, uncollected = 5'),
      'no part of a charge is negative',
      theUsage,
      'at least 0',
      '-1',
    ],
    [
      'a price that it refers to is not there',
      usage(`price_id = 'nowhere'`),
      'refers to the price',
      theUsage,
      'a price row',
      '1000 and 1000',
    ],
    [
      'a request is moved to another key',
      () => [sql`update usage set key_id = ${other.keyId}`],
      'belongs to a key',
      theUsage,
      'a key of',
      'key_',
    ],
    ['a request is moved to the other environment', usage(`environment = 'test'`), 'belongs to a key', theUsage, 'test', 'key_'],
    ['a usage row is deleted', () => [sql`delete from usage`], came, named(own), '100', '96'],
    ['revenue misses a usage row', () => [sql`delete from usage`], came, named(revenue), '0', '4'],
    ['more is leased than reserved', () => [sql`update lease set granted = 31 where id = ${lease}`], reserved, named(own), '27', '26'],
    ['a lease is overspent', () => [sql`update lease set spent = 31 where id = ${lease}`], 'no more of a lease', theLease, '0 to 30', '31'],
    ['a lease is deleted', () => [sql`delete from lease where id = ${lease}`], reserved, named(own), '0', '26'],
    ['a claim is beyond what its lease was granted', claimed(lease, 31n), claims, theClaim(lease), 'such a lease', '31'],
    ['a claim is on another’s lease', claimed(otherLease, 1n), claims, theClaim(otherLease), 'such a lease', '1'],
    ['a claim is on a lease that is gone', claimed('gone', 1n), claims, theClaim('gone'), 'such a lease', '1'],
    [
      'an open request has lost its lease',
      () => [sql`delete from lease where id = ${lease}`],
      'holds from a lease',
      theOpen,
      'a lease of',
      lease,
    ],
    [
      'an open request holds from another’s lease',
      () => [sql`update inflight set lease_id = ${otherLease}`],
      'holds from a lease',
      theOpen,
      'a lease of',
      otherLease,
    ],
    [
      'an open request holds more than its lease',
      () => [sql`update inflight set hold = 1000`],
      'open requests hold no more',
      theLease,
      'at most 26',
      '1000',
    ],
    [
      'an open request holds more than all money',
      () => [
        sql`insert into inflight select ${uuidv7()}, node_id, lease_id, account_id, environment, key_id, operation, model, price_prompt, price_completion, 9223372036854775807, 0, 0, 1, null, null from inflight`,
      ],
      'open requests hold no more',
      theLease,
      'at most 26',
      '9223372036854775813',
    ],
    [
      'an open request has another’s key',
      () => [sql`update inflight set key_id = ${other.keyId}`],
      'belongs to a key',
      theOpen,
      'a key of',
      'key_',
    ],
    [
      'a settled request is in flight',
      () => [sql`update inflight set request_id = ${settled}`],
      'a settled request',
      () => `inflight ${settled}`,
      'none',
      'one',
    ],
  ])('names the row when %s', async (_what, tamper, law, row, expected, found) => {
    expect(await findingsAfter(tamper())).toContainEqual({
      law: expect.stringContaining(law) as string,
      row: row(),
      expected: expect.stringContaining(expected) as string,
      found: expect.stringContaining(found) as string,
    });
  });

  it('tells of a hundred rows at most', async () => {
    const keys = Array.from(
      { length: 150 },
      () => sql`insert into account (id, name, kind, created_at) values (${uuidv7()}, ${uuidv7()}, 'customer', 1)`,
    );
    expect(await findingsAfter(keys)).toHaveLength(100);
  });
});

/** Takes the constraints out of the way, as a hand with the rights of the store's owner can. */
async function unguard({ db, engine }: Database): Promise<void> {
  if (engine === 'sqlite') {
    await sql`pragma foreign_keys = off`.execute(db);
    await sql`pragma ignore_check_constraints = on`.execute(db);
    for (const name of ['transfer_never_changed_by_update', 'transfer_never_changed_by_delete'])
      await sql`drop trigger ${sql.ref(name)}`.execute(db);
    return;
  }
  await sql`do $$
    declare found record;
    begin
      for found in select conrelid::regclass as owner, conname from pg_constraint where contype = 'c' and connamespace = 'public'::regnamespace loop
        execute format('alter table %s drop constraint %I', found.owner, found.conname);
      end loop;
      for found in select oid::regclass as owner from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace loop
        execute format('alter table %s disable trigger all', found.owner);
      end loop;
    end $$`.execute(db);
}
