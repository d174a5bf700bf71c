import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifyLedger } from '../src/billing/verify-ledger.js';
import { CatalogueService } from '../src/catalogue/catalogue.service.js';
import { formatCredits } from '../src/common/prices/credits.js';
import { ConfigService } from '../src/config/config.service.js';
import { Database } from '../src/database/database.js';
import { Gateway } from './support/gateway.js';
import { until } from './support/until.js';

const price = (factor: number) => ({
  prompt: `0.00${factor}`,
  completion: `0.0${factor}`,
  cached_input: `0.000${factor}`,
  tiers: [{ above: 500, prompt: `0.02${factor}` }],
});
const usage = { prompt_tokens: 1_000, completion_tokens: 10, prompt_tokens_details: { cached_tokens: 900 } };
const chunk = (delta: object, more = {}) => `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: null }], ...more })}\n\n`;
const end = `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage })}\n\ndata: [DONE]\n\n`;

describe('A price that changes twice in the middle of a stream', () => {
  /** The answers of the provider that wait for their end. */
  const open: ServerResponse[] = [];
  const provider = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(chunk({ role: 'assistant', content: 'Hello' }));
    open.push(response);
  });
  let gateway: Gateway;

  const providers = (factor: number) => ({
    vendor: {
      base_url: `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`,
      models: { m: { context_length: 10_000, max_tokens: 100, pricing: price(factor) } },
    },
  });

  beforeAll(async () => {
    await once(provider.listen(0, '127.0.0.1'), 'listening');
    gateway = await Gateway.start({ providers: providers(1) }, '1000');
  });
  afterAll(async () => {
    await gateway.close();
    provider.close();
    provider.closeAllConnections();
  });

  const changeTo = async (factor: number): Promise<void> => {
    const config = gateway.running.app.get(ConfigService);
    const vendor = { ...config.current.providers['vendor']!, models: providers(factor).vendor.models };
    await config.replace({ ...config.current, providers: { ...config.current.providers, vendor } });
    const shown = () => gateway.running.app.get(CatalogueService).find('m').offers[0].price;
    await until(() => shown()?.id !== undefined && formatCredits(shown()!.prompt) === `0.00${factor}`, `price ${factor}`);
  };
  const begun = async () => {
    const stream = await gateway.stream('chat/completions', { model: 'm', messages: [{ role: 'user', content: 'Hello' }] });
    await stream.next();
    return stream;
  };

  it('changes neither its hold nor its charge, and counts for the next one', async () => {
    const first = await begun();
    const held = await gateway.held(gateway.customer);
    await changeTo(3);
    const second = await begun();
    await changeTo(5);
    expect(await gateway.held(gateway.customer)).toBeGreaterThan(held);
    const third = await begun();
    for (const response of open) response.end(chunk({ content: ' there' }) + end);
    for (const stream of [first, second, third]) await stream.text();
    await gateway.balance();
    const rows = await gateway.usage(3);
    // At the tier of each: 100 x prompt + 900 x cached + 10 x completion.
    expect(rows.map((row) => [formatCredits(row.amount), formatCredits(row.price_prompt)])).toEqual([
      ['0.00229', '0.001'],
      ['0.00287', '0.003'],
      ['0.00345', '0.005'],
    ]);
    expect(new Set(rows.map(({ price_id }) => price_id)).size).toBe(3);
    expect(rows[0]!.hold).toBe(held);
    expect((await verifyLedger(gateway.running.app.get(Database))).findings).toEqual([]);
  });
});
