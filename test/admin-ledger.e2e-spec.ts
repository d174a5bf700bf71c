import { ApiKeyStore } from '../src/auth/api-key-store.js';
import { LedgerVerification } from '../src/billing/ledger-verification.js';
import { Database } from '../src/database/database.js';
import { Administration } from './support/administration.js';
import { describeGateways } from './support/describe-gateways.js';
import { seedRequests } from './support/seed-requests.js';
import { useGateway, useOperator } from './support/started.js';
import { until } from './support/until.js';

describeGateways('The ledger, verified by operators', (start) => {
  const gateway = useGateway(() => start());
  const operator = useOperator(gateway);

  const verify = async () => {
    const { status, body } = await operator.post('ledger/verify');
    return [status, body] as [number, { balances: number; transfers: number; usages: number }];
  };

  it('agrees while requests are answered, for all who ask at once', async () => {
    const { accountId, liveKey } = await gateway.newCustomer();
    const complete = () => gateway.post('completions', { model: 'sandbox-text', prompt: 'Hello', max_tokens: 1 }, liveKey);
    const [verified, again, ...answers] = await Promise.all([verify(), verify(), complete(), complete()]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(verified).toMatchObject([200, { ok: true, findings: [] }]);
    expect(again).toEqual(verified);
    await operator.post(`accounts/${accountId}/credits/grants`, { id: `more-${accountId}`, environment: 'live', amount: '1' }).expect(200);
    const [, later] = await verify();
    expect(later).toMatchObject({ ok: true });
    expect(later.transfers).toBe(verified[1].transfers + 1);
    expect(later.balances).toBeGreaterThanOrEqual(2);
  });

  it('shows what does not agree', async () => {
    const { accountId } = await gateway.newCustomer();
    const { db } = gateway.running.app.get(Database);
    const add = (amount: bigint) =>
      db
        .updateTable('balance')
        .set(({ eb }) => ({ posted: eb('posted', '+', amount) }))
        .where('account_id', '=', accountId)
        .where('environment', '=', 'live')
        .execute();
    await add(5n);
    const row = `balance ${accountId} live`;
    expect(await verify()).toMatchObject([
      200,
      {
        ok: false,
        findings: expect.arrayContaining([expect.objectContaining({ row, law: 'a balance is what came in less what went out' })]),
      },
    ]);
    await add(-5n);
    expect(await verify()).toMatchObject([200, { ok: true }]);
  });

  it('is given up when the gateway stops, which does not wait for it', async () => {
    const stopping = await start();
    const { app } = stopping.running;
    const { accountId } = await stopping.newCustomer();
    const { apiKey } = await app.get(ApiKeyStore).create({ accountId, environment: 'live' });
    const [from, to] = [Date.now() - 3_600_000, Date.now()];
    await seedRequests(app.get(Database), { accountId, keys: [apiKey.id], models: ['m'], count: 20_000, from, to });
    const verification = app.get(LedgerVerification);
    const running = (await Administration.as(stopping.running, 'operator'))
      .post('ledger/verify')
      .then(({ status, body }) => ({ status, body }));
    await until(() => verification.isRunning, 'a verification that runs');
    const [answer] = await Promise.all([running, stopping.close()]);
    expect(answer).toMatchObject({ status: 503, body: { error: { code: 'service_unavailable' } } });
  });
});
