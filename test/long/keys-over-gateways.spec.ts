import { describePostgres } from '../../src/database/testing/describe-engines.js';
import { LoopbackUpstream, type RecordedRequest } from '../../src/providers/testing/loopback-upstream.js';
import type { RulesDto } from '../../src/auth/rules/rules.dto.js';
import type { Administration } from '../support/administration.js';
import { type Answer, type ClockedNode, Cluster, complete, listModels } from '../support/cluster.js';
import { type OpenStream, openStream, payloadsOf } from '../support/event-stream.js';
import { HeldUpstream } from '../support/held-upstream.js';
import { allowance } from '../support/machine.js';
import { until } from '../support/until.js';

const HOUR = 3_600_000;
/** Nano-credits of a hundredth of a credit, which ten tokens cost. */
const CENT = 10_000_000;
const pricing = { prompt: 0, completion: 1 };
const offer = { pricing, context_length: 20_000, max_tokens: 100 };

const event = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { role: 'assistant', content: 'one two three' }, finish_reason: null }] })}\n\n`;
const answer = JSON.stringify({
  choices: [{ index: 0, message: { role: 'assistant', content: 'yes' }, finish_reason: 'length' }],
  usage: { prompt_tokens: 1, completion_tokens: 10, total_tokens: 11 },
});
const reply = ({ body }: RecordedRequest) =>
  body.includes('"stream":true')
    ? { headers: { 'content-type': 'text/event-stream' }, body: event, ending: 'stall' as const }
    : { headers: { 'content-type': 'application/json' }, body: answer };

interface MadeKey {
  readonly id: string;
  readonly key: string;
}

describePostgres('A key at three gateways', () => {
  let cluster: Cluster;
  let upstream: LoopbackUpstream;
  let held: HeldUpstream;
  let nodes: readonly ClockedNode[];
  let operator: Administration;
  let accountId: string;

  beforeAll(async () => {
    [cluster, upstream, held] = await Promise.all([Cluster.begin(), LoopbackUpstream.start(), HeldUpstream.start()]);
    upstream.replies(reply);
    const settings = {
      providers: {
        p: { base_url: `${upstream.origin}/v1`, models: { exact: offer } },
        held: { base_url: `${held.origin}/v1`, models: { held: { ...offer, capabilities: { completion: true } } } },
      },
    };
    nodes = await Promise.all([cluster.startClocked(settings), cluster.startClocked(settings), cluster.startClocked(settings)]);
    operator = await cluster.operator(nodes[0]!);
    accountId = await made('accounts', { name: 'Acme' }).then(({ id }) => id);
    await made(`accounts/${accountId}/credits/grants`, { id: 'grant-1', amount: '100', environment: 'live' });
  });
  afterEach(() => setClocks(Date.now()));
  afterAll(async () => {
    const verified = await cluster.cli('ledger', 'verify');
    await cluster.end();
    await Promise.all([upstream.stop(), held.stop()]);
    expect(verified).toMatch(/^OK: /);
  });

  const setClocks = (time: number) => Promise.all(nodes.map(({ setClock }) => setClock(time)));
  async function made(path: string, body: object): Promise<MadeKey> {
    const { status, body: answered } = await operator.post(path, body);
    expect({ status, answered: answered as MadeKey }).toMatchObject({ status: 200 });
    return answered as MadeKey;
  }
  /** Each gateway has answered it once. */
  const known = ({ key }: MadeKey) => statuses(({ url }) => until(async () => (await listModels(url, key)) === 200, 'the key is known'));
  async function newKey(rules: RulesDto = {}): Promise<MadeKey> {
    const key = await made(`accounts/${accountId}/keys`, { environment: 'live', rules });
    await known(key);
    return key;
  }
  async function rotate({ id }: MadeKey, graceSeconds: number): Promise<MadeKey> {
    const key = await made(`accounts/${accountId}/keys/${id}/rotate`, { grace_seconds: graceSeconds });
    await known(key);
    return key;
  }

  const ask = ({ url }: ClockedNode, { key }: MadeKey, max_tokens = 10) => complete(url, key, { model: 'exact', max_tokens });
  const statuses = <T>(of: (node: ClockedNode) => Promise<T>): Promise<T[]> => Promise.all(nodes.map(of));
  const streams = ({ key }: MadeKey): Promise<OpenStream[]> =>
    Promise.all(
      nodes.map(async ({ url }) => {
        const body = { model: 'exact', stream: true, max_tokens: 10, messages: [{ role: 'user', content: 'Hello' }] };
        const stream = await openStream({ url: `${url}/chat/completions`, key, body });
        await stream.next();
        return stream;
      }),
    );
  const lastOf = (text: string): unknown => JSON.parse(payloadsOf(text).at(-1)!);

  /** Its last refusal, when no other gateway has anything left that it could give back. */
  async function refusedForGood(node: ClockedNode, key: MadeKey, max_tokens?: number): Promise<Answer> {
    let refused = await ask(node, key, max_tokens);
    await until(async () => {
      if (refused.status === 402 && refused.headers.get('x-should-retry') === 'false') return true;
      refused = await ask(node, key, max_tokens);
      return false;
    }, 'a refusal for good');
    expect(refused.body.error!.code).toBe('budget_exceeded');
    return refused;
  }

  const spent = async (keyId: string): Promise<Record<string, number>> => {
    const rows = await cluster.query<{ name: string; spent: string }>(
      `select name, spent from budget where name like 'key/' || $1 || '/live/%' order by name`,
      keyId,
    );
    return Object.fromEntries(rows.map((row) => [row.name.slice(`key/${keyId}/live/`.length), Number(row.spent) / CENT]));
  };

  describe('whose budget renews at midnight of UTC', () => {
    const now = new Date();
    const lastMidnight = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1);
    const midnight = lastMidnight - 24 * HOUR;
    const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);
    const timeOf = (time: number) => new Date(time).toISOString().replace('.000', '');

    it('is refused with 402 that says when, and admitted after it by each of them', async () => {
      await setClocks(midnight - HOUR);
      const key = await newKey({ budgets: { day: '0.06', month: '0.1' } });
      for (const node of [...nodes, ...nodes]) expect((await ask(node, key)).status).toBe(200);
      for (const node of nodes) {
        const { headers, body } = await refusedForGood(node, key);
        expect(body.error!.message).toContain(`the key’s daily budget of 0.06 credits. It renews at ${timeOf(midnight)}.`);
        expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
        expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(3_600);
      }
      await setClocks(midnight);
      for (const node of nodes) expect((await ask(node, key)).status).toBe(200);
      for (const node of nodes) {
        const { body } = await refusedForGood(node, key, 20);
        expect(body.error!.message).toContain(`the key’s monthly budget of 0.1 credits. It renews at ${timeOf(lastMidnight)}.`);
      }
      await setClocks(lastMidnight);
      for (const node of nodes) expect((await ask(node, key, 20)).status).toBe(200);
      await until(async () => Object.values(await spent(key.id)).reduce((sum, cents) => sum + cents, 0) === 2 * (6 + 3 + 3), 'all charged');
      expect(await spent(key.id)).toEqual({
        [`day/${dayOf(midnight - HOUR)}`]: 6,
        [`day/${dayOf(midnight)}`]: 3,
        [`day/${dayOf(lastMidnight)}`]: 3,
        [`month/${dayOf(midnight).slice(0, 7)}`]: 9,
        [`month/${dayOf(lastMidnight).slice(0, 7)}`]: 3,
      });
    });

    it('has what came before charged to the period in which it came, however late it ends', async () => {
      await setClocks(midnight - HOUR);
      const key = await newKey({ budgets: { day: '0.1' } });
      const late = fetch(`${nodes[0]!.url}/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'held', prompt: 'late', max_tokens: 60 }),
      });
      await held.has('late');
      for (const node of nodes) expect((await ask(node, key, 50)).status).toBe(402);
      await setClocks(midnight);
      // All of the new day's budget is there at once.
      expect((await ask(nodes[1]!, key, 100)).status).toBe(200);
      expect((await ask(nodes[0]!, key, 90)).status).toBe(200);
      held.answer('late', 60);
      expect((await late).status).toBe(200);
      expect((await ask(nodes[2]!, key, 80)).status).toBe(200);
      for (const node of nodes) await refusedForGood(node, key, 80);
      await until(async () => Object.values(await spent(key.id)).reduce((sum, cents) => sum + cents, 0) === 9, 'all charged');
      expect(await spent(key.id)).toEqual({ [`day/${dayOf(midnight - HOUR)}`]: 6, [`day/${dayOf(midnight)}`]: 3 });
    });
  });

  describe('that is rotated', () => {
    it('works beside its successor within the grace and is refused after it, at each of them', async () => {
      const old = await newKey();
      const next = await rotate(old, 3_600);
      for (const { key } of [old, next]) expect(await statuses(({ url }) => listModels(url, key))).toEqual([200, 200, 200]);
      const [ending, staying] = [await streams(old), await streams(next)];
      await setClocks(Date.now() + HOUR + 1_000);
      const refused = await statuses((node) => ask(node, old));
      for (const { status, body } of refused) expect([status, body.error!.code]).toEqual([401, 'expired_api_key']);
      expect(await statuses(async (node) => (await ask(node, next)).status)).toEqual([200, 200, 200]);
      for (const stream of ending) expect(lastOf(await stream.text())).toMatchObject({ error: { code: 'expired_api_key' } });
      for (const stream of staying) {
        expect(stream.received).not.toContain('error');
        stream.leave();
      }
    });

    it('shares its limits and its budgets with its successor', async () => {
      const inTurn = async (old: MadeKey, count: number): Promise<readonly [MadeKey, MadeKey]> => {
        const keys = [old, await rotate(old, 3_600)] as const;
        for (let turn = 0; turn < count; turn++)
          await until(async () => (await ask(nodes[turn % 3]!, keys[turn % 2]!)).status === 200, `request ${turn}`);
        return keys;
      };
      // Six, beside those that have shown that the gateways know the two keys.
      for (const key of await inTurn(await newKey({ requests_per_minute: 1, burst_seconds: 12 * 60 }), 6))
        expect(await statuses(async (node) => (await ask(node, key)).status)).toEqual([429, 429, 429]);
      for (const key of await inTurn(await newKey({ budgets: { ever: '0.06' } }), 6)) {
        for (const node of nodes) await refusedForGood(node, key);
      }
    });
  });

  it.each<[string, (id: string) => PromiseLike<{ status: number }>]>([
    ['is revoked', (id) => operator.delete(`accounts/${accountId}/keys/${id}`)],
    ['has its account suspended', () => operator.post(`accounts/${accountId}/suspend`)],
  ])('that %s is refused within a second by all, and its streams end', async (what, end) => {
    const key = await newKey();
    const open = await streams(key);
    const began = performance.now();
    const ms = () => Math.round(performance.now() - began);
    const ends = open.map(async (stream) => ({ last: lastOf(await stream.text()), after: ms() }));
    const refusals = nodes.map(async ({ url }) => {
      await until(async () => (await listModels(url, key.key)) === 401, 'the key is refused');
      return ms();
    });
    expect((await end(key.id)).status).toBe(200);
    const revoked = ms();
    const [ended, refused] = await Promise.all([Promise.all(ends), Promise.all(refusals)]);
    for (const { last } of ended) expect(last).toMatchObject({ error: { code: 'invalid_api_key' } });
    const after = ended.map((one) => one.after);
    process.stderr.write(`${what}: ${revoked} ms; refused after ${refused.join(', ')} ms, streams ended after ${after.join(', ')} ms\n`);
    for (const one of [...after, ...refused]) expect(one - revoked).toBeLessThan(1_000 * allowance().time);
    if (what === 'is revoked') return;
    expect((await operator.post(`accounts/${accountId}/resume`)).status).toBe(200);
    await known(key);
  });
});
