import { emptyFolder } from '../../common/testing/started.js';
import { knownFacts } from './known-models.js';
import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { configSchema } from '../../config/config.schema.js';
import { ConfigService } from '../../config/config.service.js';
import { ModelFactsService } from './model-facts.service.js';
import { modelsDevFacts } from './models-dev.js';

const modelsDev = {
  acme: {
    id: 'acme',
    name: 'Acme',
    env: ['ACME_API_KEY'],
    npm: '@ai-sdk/openai-compatible',
    doc: 'https://acme.example/docs',
    models: {
      'acme-1': {
        id: 'acme-1',
        name: 'Acme 1',
        attachment: true,
        reasoning: false,
        tool_call: true,
        structured_output: false,
        temperature: false,
        release_date: '2026-10-01',
        modalities: { input: ['text', 'image'], output: ['text'] },
        cost: { input: 1.25, output: 10, cache_read: 0.125, tiers: [{ input: 2.5, output: 15, tier: { type: 'context', size: 272_000 } }] },
        limit: { context: 400_000, input: 272_000, output: 128_000 },
      },
      'acme-fast': {
        id: 'acme-fast',
        cost: { input: 5, output: 25 },
        experimental: {
          modes: {
            fast: { cost: { input: 10, output: 50, cache_read: 1 }, provider: { body: { service_tier: 'priority' } } },
            headed: { cost: { input: 1, output: 1 }, provider: { body: { service_tier: 'flex' }, headers: { 'x-beta': '1' } } },
            mixed: { cost: { input: 1, output: 1 }, provider: { body: { service_tier: 'flex', speed: 'fast' } } },
            unpriced: { provider: { body: { service_tier: 'flex' } } },
            usual: { cost: { input: 1, output: 1 }, provider: { body: { service_tier: 'default' } } },
          },
        },
      },
      'acme-free': { id: 'acme-free', cost: { input: 0, output: 0 }, limit: { context: 0, output: 0 } },
    },
  },
};

describe('modelsDevFacts', () => {
  it.each([
    ['o4-mini', true],
    ['gpt-6-sol', true],
    ['gpt-5-chat-latest', undefined],
    ['gpt-4o', undefined],
    ['vendor/Qwen3-8B:latest', true],
    ['qwen2.5-7b', undefined],
    ['grok-4-1-fast-reasoning', true],
    ['grok-4-1-fast-non-reasoning', undefined],
    ['deepseek-r1-distill-llama-70b', true],
    ['sonar-deep-research', true],
    ['kimi-k2-thinking', true],
    ['llama-3.3-70b', undefined],
  ])('%s reasons: %s', (name, reasoning) => expect(knownFacts(name, true)?.reasoning).toBe(reasoning));

  it('reads limits, capabilities, what is not taken, and the price with its components and tiers', () => {
    const facts = modelsDevFacts(modelsDev).get('acme');
    expect(facts?.get('acme-1')).toEqual({
      created: Date.UTC(2026, 9, 1) / 1_000,
      price: {
        prompt: '0.00125',
        completion: '0.01',
        cached_input: '0.000125',
        tiers: [{ above: 272_000, prompt: '0.0025', completion: '0.015' }],
      },
      contextLength: 400_000,
      maxTokens: 128_000,
      capabilities: { function_calling: true, json_mode: false, vision: true },
      reasoning: false,
      without: ['reasoning_effort', 'temperature', 'top_p'],
    });
    expect(facts?.get('acme-fast')?.price).toEqual({
      prompt: '0.005',
      completion: '0.025',
      service_tiers: { priority: { prompt: '0.01', completion: '0.05', cached_input: '0.001' } },
    });
    expect(facts?.get('acme-free')).toEqual({ capabilities: {}, without: [] });
  });

  it.each([[[]], ['text'], [null], [{ acme: {} }], [{ acme: { models: [] } }]])('refuses another shape: %j', (data) =>
    expect(() => modelsDevFacts(data)).toThrow(TypeError),
  );
});

describe('ModelFactsService', () => {
  const folder = emptyFolder();
  const file = join(folder, 'api.json');
  let warnings: string[];

  beforeEach(() => {
    warnings = [];
    Logger.overrideLogger({ log: () => undefined, error: () => undefined, warn: (text: string) => warnings.push(text) });
  });
  afterEach(() => Logger.overrideLogger(false));

  const service = () => new ModelFactsService(new ConfigService(configSchema.parse({ catalogue: { models_dev: file } })));
  const openai = { genaiPrices: 'openai', modelsDev: 'acme' };

  it('counts the operator’s file before public prices, these before our own facts', async () => {
    writeFileSync(file, JSON.stringify({ acme: { models: { 'gpt-4o': { cost: { input: 7, output: 8 } } } } }));
    const of = await service().of(openai);
    expect(of('gpt-4o')).toMatchObject({
      price: { prompt: '0.007' },
      contextLength: 128_000,
      maxTokens: 16_384,
      capabilities: { vision: true },
    });
    expect(of('gpt-4o-mini')).toMatchObject({ price: { prompt: '0.00015' } });
    expect(of('unheard-of')).toEqual({ capabilities: {} });
  });

  it('tells only what a model can do where nobody says whose it is', async () => {
    expect((await service().of(undefined))('vendor/Qwen2.5-VL-7B:latest')).toEqual({ capabilities: { vision: true } });
    expect((await service().of(undefined))('gpt-4o')).toEqual({ capabilities: { vision: true }, without: ['reasoning_effort'] });
  });

  it('reads the file again when it has changed, and says once what is wrong with it', async () => {
    const facts = service();
    const price = async () => (await facts.of({ modelsDev: 'acme' }))('acme-1').price?.prompt;
    expect(await price()).toBeUndefined();
    expect(await price()).toBeUndefined();
    expect(warnings).toEqual([expect.stringContaining('catalogue.models_dev is left out: ENOENT')]);
    writeFileSync(file, JSON.stringify(modelsDev));
    expect(await price()).toBe('0.00125');
    writeFileSync(file, '{"acme":');
    utimesSync(file, 1, 1);
    expect(await price()).toBeUndefined();
    expect(warnings).toHaveLength(2);
  });
});
