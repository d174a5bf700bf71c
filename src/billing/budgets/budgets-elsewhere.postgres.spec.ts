import { started } from '../../common/testing/started.js';
import type { Principal } from '../../auth/principal.js';
import { describePostgres } from '../../database/testing/describe-engines.js';
import type { Hold, HoldRequest } from '../hold/ledger.js';
import type { LeaseLedger } from '../leases/lease-ledger.js';
import type { BudgetedCustomer } from '../testing/budgeted-customer.js';
import { request, settlement } from '../testing/ledger-bench.js';
import { SharedStore } from '../testing/shared-store.js';

describePostgres('budgets that several gateways share', () => {
  const store = started(() => SharedStore.start(), 'stop');
  let customer: BudgetedCustomer;
  beforeEach(async () => {
    customer = await store.customer();
  });
  afterEach(() => store.endGateways());

  const gateway = async (): Promise<LeaseLedger> => (await store.gateway()).ledger;
  const hold = async (ledger: LeaseLedger, principal: Principal, maxTokens: number, changes: Partial<HoldRequest> = {}): Promise<Hold> =>
    ledger.hold(request(principal, { maxTokens, ...changes }));

  it.each(['key', 'project', 'account'] as const)('of a %s let as many requests through as they can pay for, and no more', async (kind) => {
    const gateways = await Promise.all([gateway(), gateway(), gateway()]);
    const principal = await customer.key({ [kind]: { day: '0.000000850', ever: '0.000002' } });
    for (let round = 0; round < 4; round++) {
      const holds = await Promise.allSettled(Array.from({ length: 60 }, (_, index) => hold(gateways[index % 3]!, principal, 100)));
      const made = holds.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      for (const one of holds) if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'budget_exceeded' });
      expect(made).toHaveLength(8 - round);
      for (const [index, one] of made.entries()) one.settle(settlement(index === 0 ? 'completed' : 'provider_failed', 0, 100));
    }
  });

  it('are told of once when they are reached, whichever gateways find it', async () => {
    const endpoint = { id: 'whk', url: 'https://example.com', events: '["budget.reached"]', secret: new Uint8Array() };
    await store.database.db
      .insertInto('webhook_endpoint')
      .values({ ...endpoint, created_at: 1, version: 1 })
      .execute();
    const gateways = await Promise.all([gateway(), gateway(), gateway()]);
    const principal = await customer.key({ key: { day: '0.000000950' }, account: { ever: '0.000000850' } });
    const ask = async (index: number) => (await hold(gateways[index % 3]!, principal, 10)).settle(settlement('completed', 0, 10));
    for (let round = 0; round < 5; round++) await Promise.allSettled(Array.from({ length: 30 }, (_, index) => ask(index)));
    const told = await store.database.db.selectFrom('webhook_delivery').select('data').where('endpoint_id', '=', 'whk').execute();
    expect(told.map(({ data }) => JSON.parse(data) as object)).toMatchObject([{ scope: 'account', spent: '0.00000085' }]);
  });

  it('ask each other for what they do not use, before they refuse or shorten an answer', async () => {
    const [one, two] = [await gateway(), await gateway()];
    const principal = await customer.key({ key: { month: '0.000000800' } });
    (await hold(one, principal, 720)).settle(settlement('completed', 0, 20));
    const shortened = await hold(two, principal, 10_000, { maxTokensMayShrink: true });
    expect(shortened.amount).toBe(780n);
    await expect(hold(one, principal, 1)).rejects.toMatchObject({ code: 'budget_exceeded', advice: { retryAfter: 1 } });
    shortened.settle(settlement('completed', 0, 30));
    expect((await hold(one, principal, 750)).settle(settlement('completed', 0, 750))).toBe(750n);
    await expect(hold(two, principal, 1)).rejects.toMatchObject({ code: 'budget_exceeded', advice: { retry: false } });
  });
});
