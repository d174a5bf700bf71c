import { sql } from 'kysely';
import { LedgerBench, request, settlement } from './testing/ledger-bench.js';

describe('the check of the ledger', () => {
  let bench: LedgerBench;
  let requestId: string;
  let accountId: string;

  beforeEach(async () => {
    bench = await LedgerBench.start();
    const principal = await bench.customer(100n);
    const settled = request(principal);
    (await bench.ledger.hold(settled)).settle(settlement('completed', 0, 4));
    await bench.ledger.hold(request(principal, { maxTokens: 6 }));
    await bench.known(principal);
    await bench.written();
    ({ requestId } = settled);
    ({ accountId } = principal);
  });
  afterEach(() => bench.stop());

  it('finds nothing wrong with a right one, and says how much it has seen', async () => {
    expect(await bench.verify()).toEqual({ findings: [], balances: 8, transfers: 2, usages: 1 });
  });

  it.each([
    [
      'a posted balance',
      () => sql`update balance set posted = posted + 1 where account_id = ${accountId} and environment = 'live'`,
      'came in',
      '97',
    ],
    ['a reserved balance', () => sql`update balance set reserved = 0 where account_id = ${accountId}`, 'reserved', '0'],
    [
      'revenue',
      () => sql`update balance set posted = posted - 1 where account_id = 'system:revenue' and environment = 'live'`,
      'came in',
      '3',
    ],
    ['a charge', () => sql`update usage set amount = 3 where request_id = ${requestId}`, 'tokens at its price', '3'],
    ['a usage row', () => sql`delete from usage where request_id = ${requestId}`, 'came in', '96'],
    ['a lease', () => sql`update lease set granted = granted + 1 where account_id = ${accountId}`, 'reserved', '17'],
    [
      'the price that it refers to',
      () => sql`update usage set price_id = 'nowhere' where request_id = ${requestId}`,
      'refers to the price',
      '1000 and 1000',
    ],
    ['a row in flight', () => sql`update inflight set hold = 1000`, 'open requests hold', '1000'],
  ])('names the row when %s was tampered with', async (_what, tamper, law, found) => {
    await tamper().execute(bench.database.db);
    const { findings } = await bench.verify();
    expect(findings).toContainEqual(expect.objectContaining({ law: expect.stringContaining(law), found }));
  });
});
