import { AccountStore } from '../../src/auth/account-store.js';
import { ApiKeyStore } from '../../src/auth/api-key-store.js';
import { ProjectStore } from '../../src/auth/project-store.js';
import { LeaseLedger } from '../../src/billing/leases/lease-ledger.js';
import { verifyLedger } from '../../src/billing/verify-ledger.js';
import { Database } from '../../src/database/database.js';
import { LoopbackUpstream } from '../../src/providers/testing/loopback-upstream.js';
import { describeSharedGateways } from '../support/describe-gateways.js';
import type { Gateway } from '../support/gateway.js';
import { until } from '../support/until.js';

/** Credits, and what one request costs of them: a hundred fit. */
const BUDGET = '1';
const NANO = 1_000_000_000n;
const TOKENS = 10;
const pricing = { prompt: '0', completion: '1' };

const REQUESTS = 200;
/** So that all of a wave are under way together. */
const ANSWER_MS = 300;

/**
 * Answered where the store could not be asked in time. PostgreSQL ends the transaction of a gateway that stands still
 * for a second, as on a busy machine, and a second later requests wait no longer. It costs nothing.
 */
const SLOW = '503 service_unavailable: Credits cannot be checked at the moment. Please try again.';

const answer = JSON.stringify({
  choices: [{ index: 0, message: { role: 'assistant', content: 'yes' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: TOKENS, total_tokens: TOKENS + 1 },
});

describeSharedGateways('A budget over three gateways', (start) => {
  let upstream: LoopbackUpstream;
  let gateways: readonly [Gateway, Gateway, Gateway];
  beforeAll(async () => {
    upstream = await LoopbackUpstream.start();
    upstream.replies(() => ({ headers: { 'content-type': 'application/json' }, body: answer, delay: ANSWER_MS }));
    const models = { m: { pricing, context_length: 8_000, max_tokens: 1_000 } };
    const settings = { providers: { p: { base_url: `${upstream.origin}/v1`, models } } };
    gateways = await Promise.all([start(settings), start(settings), start(settings)]);
  });
  afterAll(async () => {
    await Promise.all(gateways.map((gateway) => gateway.close()));
    await upstream.stop();
  });

  async function limited(kind: 'key' | 'project' | 'account') {
    const { app } = gateways[0].running;
    const { accountId } = await gateways[0].newCustomer('10');
    const budgets = { ever: BUDGET };
    const project = await app.get(ProjectStore).create({ accountId, name: 'p', rules: kind === 'project' ? { budgets } : {} });
    if (kind === 'account') await app.get(AccountStore).change(accountId, { rules: { budgets } });
    const rules = kind === 'key' ? { budgets } : {};
    const made = await app.get(ApiKeyStore).create({ accountId, environment: 'live', projectId: project.id, rules });
    await Promise.all(gateways.map(({ running }) => running.app.get(Database).look()));
    return { accountId, key: made.key };
  }

  const ask = async (gateway: Gateway, key: string): Promise<string> => {
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hello' }], max_tokens: TOKENS }),
    });
    const { error } = (await response.json()) as { error?: { code: string; message: string } };
    // What nobody expects is told whole.
    const code = response.status === 503 ? `${error?.code}: ${error?.message}` : error?.code;
    return `${response.status} ${code ?? ''}`.trim();
  };

  it.each(['key', 'project', 'account'] as const)('of a %s is never exceeded by 200 requests at once, and is used', async (kind) => {
    const { accountId, key } = await limited(kind);
    const wave = () => Promise.all(Array.from({ length: REQUESTS }, (_, number) => ask(gateways[number % 3]!, key)));
    const answers = [...(await wave()), ...(await wave())];
    expect([...new Set(answers)].filter((one) => one !== SLOW).sort()).toEqual(['200', '402 budget_exceeded']);
    expect(answers.filter((one) => one === SLOW).length).toBeLessThan(REQUESTS);
    const ledgers = gateways.map(({ running }) => running.app.get(LeaseLedger));
    await until(async () => ledgers.every(({ unwritten }) => unwritten === 0), 'all written');
    const database = gateways[0].running.app.get(Database);
    const rows = await database.db.selectFrom('usage').select('amount').where('account_id', '=', accountId).execute();
    const spent = rows.reduce((sum, { amount }) => sum + amount, 0n);
    expect(spent).toBe(BigInt(answers.filter((status) => status === '200').length) * (NANO / 100n));
    expect(spent).toBeLessThanOrEqual(NANO);
    expect(spent).toBeGreaterThanOrEqual((NANO * 9n) / 10n);
    expect((await verifyLedger(database)).findings).toEqual([]);
  });
});
