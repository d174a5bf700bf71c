import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifyLedger } from '../../src/billing/verify-ledger.js';
import { openDatabase } from '../../src/database/open-database.js';
import { LoopbackUpstream } from '../../src/providers/testing/loopback-upstream.js';
import { buildProgram } from '../support/built-program.js';
import { openStream } from '../support/event-stream.js';
import { GatewayProcess } from '../support/gateway-process.js';
import { until } from '../support/until.js';

const pricing = { prompt: '0.003', completion: '0.015', cached_input: '0.0003', cache_write_5m: '0.00375' };

/** A message that has come to its third word, and to nothing more. */
const stalled = (usage: object) => ({
  headers: { 'content-type': 'text/event-stream' },
  body: [
    { type: 'message_start', message: { type: 'message', role: 'assistant', content: [], usage } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    ...['w1 ', 'w2 ', 'w3 '].map((text) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })),
  ]
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join(''),
  ending: 'stall' as const,
});

/** The same of a provider that says in its last event at which service tier it serves. */
const stalledAtFlex = {
  headers: { 'content-type': 'text/event-stream' },
  body: ['w1 ', 'w2 ', 'w3 ']
    .map((content, at) => ({ choices: [{ index: 0, delta: { content } }], ...(at === 2 && { service_tier: 'flex' }) }))
    .map((event) => `data: ${JSON.stringify(event)}\n\n`)
    .join(''),
  ending: 'stall' as const,
};

describe('A gateway that is killed in the middle of streams with prices by components', () => {
  it('charges the parts of their prompts that their provider told, or else those that are likely', async () => {
    const upstream = await LoopbackUpstream.start();
    const told = { input_tokens: 100, cache_read_input_tokens: 800, cache_creation_input_tokens: 200, output_tokens: 1 };
    upstream.replies(({ body }) => (body.includes('flex') ? stalledAtFlex : stalled(body.includes('untold') ? {} : told)));
    const program = await buildProgram();
    const cwd = mkdtempSync(join(tmpdir(), 'switchyard-crash-'));
    const facts = { context_length: 10_000, max_tokens: 1_000, capabilities: {} };
    const tiers = { service_tiers: { flex: { prompt: '0.0015', completion: '0.0075' } } };
    const providers = {
      claude: { type: 'anthropic', base_url: upstream.origin, api_key: 'key', models: { claude: { ...facts, pricing } } },
      vendor: { base_url: upstream.origin, models: { tiered: { ...facts, pricing: { ...pricing, ...tiers } } } },
    };
    // JSON is YAML.
    writeFileSync(join(cwd, 'switchyard.yaml'), JSON.stringify({ observability: { log_level: 'error' }, providers }));
    const start = () => new GatewayProcess([process.execPath, join(program, 'dist/main.js')], { cwd });
    const first = start();
    let second: GatewayProcess | undefined;
    try {
      const url = `${await first.listening()}/chat/completions`;
      const [key] = await first.output(/\bsy-live-\w{32}\b/);
      const content = (text: string) => [{ type: 'text', text: text.repeat(1_000), cache_control: { type: 'ephemeral' } }];
      for (const asked of [
        { model: 'claude', messages: [{ role: 'user', content: content('told ') }] },
        { model: 'claude', messages: [{ role: 'user', content: content('untold ') }] },
        { model: 'tiered', messages: [{ role: 'user', content: 'Hello' }], service_tier: 'flex' },
      ]) {
        const answer = await openStream({ url, key, body: { ...asked, max_tokens: 10, stream: true } });
        await answer.next();
      }
      const store = await openDatabase({ data_dir: join(cwd, 'data') });
      // A crash may lose the charge of the last write; these have been seen by the store.
      const known = () => store.db.selectFrom('inflight').select('completion_tokens').execute();
      await until(async () => (await known()).filter((one) => one.completion_tokens === 3n).length === 3, 'the store’s word');
      first.signal('SIGKILL');
      await first.exited;
      second = start();
      await second.listening();
      const rows = await store.db.selectFrom('usage').select(['amount', 'parts', 'prompt_tokens']).orderBy('request_id').execute();
      const { findings } = await verifyLedger(store);
      await store.close();
      // 100 x 3,000 + 800 x 300 + 200 x 3,750 + 3 x 15,000; and a prompt that may all have been cached.
      const [one, other, flexible] = rows;
      expect(one).toEqual({ amount: 1_335_000n, prompt_tokens: 1_100n, parts: '{"cached_input":800,"cache_write_5m":200}' });
      const prompt = other!.prompt_tokens;
      expect(other).toEqual({ amount: prompt * 300n + 45_000n, prompt_tokens: prompt, parts: `{"cached_input":${prompt}}` });
      const asked = flexible!.prompt_tokens;
      const parts = `{"prompt@flex":${asked},"completion@flex":3}`;
      expect(flexible).toEqual({ amount: asked * 1_500n + 22_500n, prompt_tokens: asked, parts });
      expect(findings).toEqual([]);
    } finally {
      await first.stop();
      await second?.stop();
      await upstream.stop();
      for (const folder of [cwd, program]) rmSync(folder, { recursive: true });
    }
  });
});
