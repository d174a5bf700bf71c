import { AccountStore } from '../src/auth/account-store.js';
import { type ApiKey, ApiKeyStore } from '../src/auth/api-key-store.js';
import { ProjectStore } from '../src/auth/project-store.js';
import type { BudgetsDto } from '../src/auth/rules/rules.dto.js';
import { LeaseLedger } from '../src/billing/leases/lease-ledger.js';
import { verifyLedger } from '../src/billing/verify-ledger.js';
import { Database } from '../src/database/database.js';
import type { Reply } from '../src/providers/testing/loopback-upstream.js';
import { describeGateways } from './support/describe-gateways.js';
import { jsonReply } from './support/openai-bytes.js';
import { useGateway, useUpstream } from './support/started.js';
import { until } from './support/until.js';
import { expectError } from './support/wire-schemas.js';

const DAY = 86_400_000;
/** Ten tokens of completion cost 0.01 credits, the prompt nothing. */
const pricing = { prompt: '0', completion: '1' };

const choice = (text: string, finish_reason: string | null) => ({ index: 0, text, logprobs: null, finish_reason });
const usage = (completion_tokens: number) => ({ prompt_tokens: 1, completion_tokens, total_tokens: completion_tokens + 1 });
const whole = (tokens: number): Reply => jsonReply({ choices: [choice('yes', 'length')], usage: usage(tokens) });
const streamed = (tokens: number): Reply => ({
  headers: { 'content-type': 'text/event-stream' },
  body: [{ choices: [choice('yes', 'length')] }, { choices: [], usage: usage(tokens) }]
    .map((event) => `data: ${JSON.stringify(event)}\n\n`)
    .concat('data: [DONE]\n\n')
    .join(''),
});

const refusal = (response: { status: number; body: unknown }) => {
  expectError(response, 402, 'budget_exceeded');
  return (response.body as { error: { message: string; type: string } }).error;
};

interface Limited {
  readonly accountId: string;
  readonly projectId: string;
  readonly liveKey: string;
  readonly apiKey: ApiKey;
}

describeGateways('Budgets', (start) => {
  const upstream = useUpstream();
  const gateway = useGateway(() => {
    const offer = { pricing, context_length: 20_000, max_tokens: 100, capabilities: { completion: true } };
    return start({ providers: { upstream: { base_url: `${upstream.origin}/v1`, models: { exact: offer } } } });
  });
  afterEach(async () => {
    const database = gateway.running.app.get(Database);
    await until(async () => gateway.running.app.get(LeaseLedger).unwritten === 0, 'all written');
    expect((await verifyLedger(database)).findings).toEqual([]);
  });

  const keys = () => gateway.running.app.get(ApiKeyStore);
  async function limited(budgets: Partial<Record<'key' | 'project' | 'account', BudgetsDto>>): Promise<Limited> {
    const { accountId } = await gateway.newCustomer('10');
    const { id: projectId } = await gateway.running.app
      .get(ProjectStore)
      .create({ accountId, name: 'p', rules: { budgets: budgets.project } });
    if (budgets.account) await gateway.running.app.get(AccountStore).change(accountId, { rules: { budgets: budgets.account } });
    const made = await keys().create({ accountId, environment: 'live', projectId, rules: { budgets: budgets.key } });
    return { accountId, projectId, liveKey: made.key, apiKey: made.apiKey };
  }
  const ask = (key: string, max_tokens?: number) => gateway.post('completions', { model: 'exact', prompt: 'Is it?', max_tokens }, key);
  const stream = (key: string, max_tokens?: number) =>
    gateway.stream('completions', { model: 'exact', prompt: 'Is it?', max_tokens }, { key });

  it.each(['key', 'project', 'account'] as const)('of a %s refuse with 402 that says which one it is and when it renews', async (kind) => {
    const { liveKey } = await limited({ [kind]: { day: '0.05' } });
    upstream.replies(whole(10));
    expect((await ask(liveKey, 10)).status).toBe(200);
    for (const refused of [await ask(liveKey, 41), await ask(liveKey, 51)]) {
      const tomorrow = new Date(Math.floor(Date.now() / DAY + 1) * DAY).toISOString().replace('.000', '');
      const { message, type } = refusal(refused);
      expect(type).toBe('payment_required');
      expect(message).toBe(
        `This request could cost more than is left of the ${kind}’s daily budget of 0.05 credits. It renews at ${tomorrow}.`,
      );
      expect(refused.headers['x-should-retry']).toBe('false');
    }
    const { headers } = await ask(liveKey, 41);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(headers['retry-after'])).toBeLessThanOrEqual(86_400);
    // A streamed one is refused before its stream begins.
    const refused = await stream(liveKey, 41);
    expect([refused.status, refused.headers['content-type']]).toEqual([402, 'application/json; charset=utf-8']);
    upstream.replies(streamed(40));
    expect(await (await stream(liveKey, 40)).text()).toContain('[DONE]');
    expectError(await ask(liveKey, 1), 402, 'budget_exceeded');
  });
});
