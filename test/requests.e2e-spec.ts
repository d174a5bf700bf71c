import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { runCommand } from '../src/cli/testing/run-command.js';
import { LeaseLedger } from '../src/billing/leases/lease-ledger.js';
import { Database } from '../src/database/database.js';
import { type RequestHistory, RequestHistories } from '../src/observability/request-history.js';
import { RecordSweep } from '../src/observability/record-sweep.js';
import { Gateway } from './support/gateway.js';
import { chatReply } from './support/openai-bytes.js';
import { useUpstream } from './support/started.js';
import { until } from './support/until.js';

const asked = 'MARKER-OF-THE-QUESTION';
const answered = 'MARKER-OF-THE-ANSWER';

const event = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: 'x', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const sse = (body: string) => ({ headers: { 'content-type': 'text/event-stream' }, body });
const whole = (text: string, usage: object = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 }) => chatReply(text, usage);

describe('what is known of a request', () => {
  let gateway: Gateway;
  let keeping: Gateway;

  const flaky = useUpstream();
  const steady = useUpstream();
  beforeAll(async () => {
    const models = { m: { pricing: { prompt: 1, completion: 2 }, context_length: 10_000, max_tokens: 100 } };
    const providers = {
      flaky: { base_url: `${flaky.origin}/v1`, models },
      steady: { base_url: `${steady.origin}/v1`, models },
    };
    gateway = await Gateway.start({ providers });
    keeping = await Gateway.start({ providers, observability: { store_text: true } });
  });
  beforeEach(() => {
    flaky.replies({ status: 503 });
    steady.replies(whole(answered));
  });
  afterAll(async () => {
    await gateway.close();
    await keeping.close();
  });

  const quoting = { status: 400, headers: { 'content-type': 'application/json' }, body: JSON.stringify({ error: { message: asked } }) };
  const body = { model: 'm', messages: [{ role: 'user', content: asked }] };

  async function recorded(of: Gateway, id: string): Promise<RequestHistory> {
    const histories = new RequestHistories(of.running.app.get(Database));
    const ledger = of.running.app.get(LeaseLedger);
    // The charge alone, which has no status, may be there before.
    const status = async () => (await histories.find(id))?.status ?? null;
    await until(async () => (await status()) !== null && ledger.unwritten === 0, `a record of ${id}, and its charge`);
    return (await histories.find(id))!;
  }

  /** Every byte of the store's folder. */
  function stored(of: Gateway): string {
    const { data_dir } = of.running.config.store;
    return readdirSync(data_dir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => readFileSync(join(parentPath, name)).toString('latin1'))
      .join('');
  }

  it('names each attempt, what was used and what it cost', async () => {
    const answer = await gateway.post('chat/completions', body);
    const record = await recorded(gateway, answer.headers['x-request-id']!);
    expect(record).toMatchObject({
      operation: 'chat',
      model: 'm',
      status: 200n,
      outcome: 'completed',
      prompt_tokens: 7n,
      completion_tokens: 3n,
    });
    expect(record).toMatchObject({
      provider: 'steady',
      price_prompt: 1_000_000_000n,
      price_completion: 2_000_000_000n,
      charged: 13_000_000n,
      collected: 0n,
      uncollected: 0n,
    });
    expect(record.attempts).toMatchObject([
      { offer: 'flaky/m', outcome: 'overloaded', status: 503, totalMs: expect.any(Number) },
      { offer: 'steady/m', outcome: 'served', queueMs: expect.any(Number), firstTokenMs: expect.any(Number), totalMs: expect.any(Number) },
    ]);
  });

  it('tells what was collected beyond its hold, and what was not to be had', async () => {
    const poor = await gateway.newCustomer('0.1');
    steady.replies(whole(answered, { prompt_tokens: 1, completion_tokens: 90, total_tokens: 91 }));
    const answer = await gateway.post('chat/completions', { ...body, max_tokens: 1 }, poor.liveKey);
    expect(answer.headers['x-switchyard-cost']).toBe('0.181');
    await gateway.balance(poor);
    const { charged, collected, uncollected } = await recorded(gateway, answer.headers['x-request-id']!);
    expect([charged, uncollected]).toEqual([100_000_000n, 81_000_000n]);
    expect(collected > 0n && collected < charged!).toBe(true);
  });

  it('is found by the client’s own x-request-id, the newest of several, but a gateway’s id is that request alone', async () => {
    const ask = async (own: string) => (await gateway.post('chat/completions', body).set('x-request-id', own)).headers['x-request-id']!;
    const [first, second] = [await ask('mine'), await ask('mine')];
    expect([first, second]).not.toContain('mine');
    await recorded(gateway, second);
    expect(await recorded(gateway, 'mine')).toMatchObject({ request_id: second, client_request_id: 'mine' });
    await recorded(gateway, await ask(first));
    expect(await recorded(gateway, first)).toMatchObject({ request_id: first, client_request_id: 'mine' });
  });

  it('is complete too where the client left in mid-stream', async () => {
    flaky.replies({ ...sse(event({ role: 'assistant', content: 'One' }) + event({ content: ' two' })), ending: 'stall' });
    const stream = await gateway.stream('chat/completions', body);
    await stream.next();
    await stream.next();
    stream.leave();
    const record = await recorded(gateway, stream.headers['x-request-id'] as string);
    expect(record).toMatchObject({ outcome: 'client_left', streamed: 1n, completion_tokens: 2n, price_completion: 2_000_000_000n });
    expect(record.attempts).toMatchObject([{ offer: 'flaky/m', outcome: 'client_left', firstTokenMs: expect.any(Number) }]);
  });

  it('does not hold a word of what was said, anywhere in the store', async () => {
    const whole1 = await gateway.post('chat/completions', { ...body, user: asked, metadata: { note: asked } });
    expect(whole1.text).toContain(answered);
    steady.replies(sse(event({ role: 'assistant', content: answered }) + event({}, 'stop')));
    const streamed = await gateway.stream('chat/completions', body);
    expect(await streamed.text()).toContain(answered);
    steady.replies(quoting);
    const failed = await gateway.post('chat/completions', body);
    expect(failed.status).toBe(400);
    for (const headers of [whole1.headers, streamed.headers, failed.headers] as Record<string, string>[])
      await recorded(gateway, headers['x-request-id']!);
    expect(stored(gateway)).toContain('chat');
    const { error_message } = await recorded(gateway, failed.headers['x-request-id']!);
    expect(error_message).toMatch(/^The provider has rejected the request\. /);
    expect(stored(gateway)).not.toContain(asked);
    expect(stored(gateway)).not.toContain(answered);
  });

  describe('where the operator keeps texts', () => {
    const said = async (id: string) => {
      const histories = new RequestHistories(keeping.running.app.get(Database));
      await until(async () => (await histories.text(id)) !== undefined, `the text of ${id}`);
      const { request, answer } = (await histories.text(id))!;
      return { request, answer };
    };

    it('holds what was asked and answered, streamed or not', async () => {
      const answer = await keeping.post('chat/completions', body);
      const one = await said(answer.headers['x-request-id']!);
      expect(JSON.parse(one.request)).toEqual(body);
      expect(JSON.parse(one.answer!)).toMatchObject([{ index: 0, delta: { content: answered }, finish_reason: 'stop' }]);
      expect(stored(keeping)).toContain(asked);
      expect(stored(keeping)).toContain(answered);

      steady.replies(sse(event({ role: 'assistant', content: 'One' }) + event({ content: ' two' }) + event({}, 'stop')));
      const stream = await keeping.stream('chat/completions', body);
      await stream.text();
      const two = await said(stream.headers['x-request-id'] as string);
      expect(JSON.parse(two.answer!)).toMatchObject([{ delta: { content: 'One two' }, finish_reason: 'stop' }]);
    });

    it('is cut where it is long', async () => {
      const long = 'x'.repeat(200_000);
      steady.replies(whole(long));
      const models = { messages: [{ role: 'user', content: 'y'.repeat(9_000).repeat(9) }], model: 'sandbox-chat', max_tokens: 1 };
      const answer = await keeping.post('chat/completions', { ...models, model: 'm', messages: [{ role: 'user', content: 'y' }] });
      expect(answer.status).toBe(200);
      const { answer: kept } = await said(answer.headers['x-request-id']!);
      expect(kept!.length).toBeLessThan(70_000);
      expect(kept).toMatch(/xxx… \(cut\)$/);
      const refused = await keeping.post('chat/completions', models);
      const { request } = await said(refused.headers['x-request-id']!);
      expect(request.length).toBeLessThan(70_000);
    });

    it('holds the provider’s own words of an error', async () => {
      steady.replies(quoting);
      const { headers } = await keeping.post('chat/completions', body).expect(400);
      expect((await recorded(keeping, headers['x-request-id']!)).error_message).toBe(asked);
    });

    it('is shown by the command line, and goes with the record', async () => {
      const answer = await keeping.post('chat/completions', body);
      const id = answer.headers['x-request-id']!;
      await said(id);
      await recorded(keeping, id);
      const configFile = join(keeping.running.config.store.data_dir, 'for-the-command-line.json');
      writeFileSync(configFile, JSON.stringify({ store: keeping.running.config.store }));
      const showOf = async (one: string, ...flags: string[]) => {
        const { code, out, err } = await runCommand('requests', 'show', one, '--config', configFile, ...flags);
        expect({ code, err }).toEqual({ code: 0, err: '' });
        return out;
      };
      const show = (...flags: string[]) => showOf(id, ...flags);
      const { headers } = await keeping.post('chat/completions', { ...body, model: 'nobody-has-it' });
      await recorded(keeping, headers['x-request-id']!);
      expect(await showOf(headers['x-request-id']!)).toMatch(/model_not_found\nbecause +The model 'nobody-has-it' does not exist/);
      expect(await show()).not.toContain(asked);
      expect(await show('--text')).toMatch(new RegExp(`asked +.*${asked}.*\\nanswered +.*${answered}`));
      expect(JSON.parse(await show('--text', '--json'))).toMatchObject({ text: { request: expect.stringContaining(asked) } });

      const { db } = keeping.running.app.get(Database);
      const old = sql<string>`'00000000' || substr(request_id, 9)`;
      for (const table of ['usage', 'request_record', 'request_text'] as const)
        await db.updateTable(table).set({ request_id: old }).execute();
      await keeping.running.app.get(RecordSweep).sweep();
      expect(await new RequestHistories(keeping.running.app.get(Database)).list({ limit: 1 })).toEqual([]);
      expect(await db.selectFrom('request_text').select('request_id').execute()).toEqual([]);
      expect(await db.selectFrom('usage').select('request_id').execute()).not.toEqual([]);
    });
  });
});
