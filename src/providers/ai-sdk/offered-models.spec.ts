import { createMistral } from '@ai-sdk/mistral';
import { suiteEntry } from '../testing/suite-entry.js';
import type { HttpTransport } from '../transport/http-transport.js';
import { AiSdkProvider } from './ai-sdk.provider.js';

describe('the models of an entry', () => {
  const offered = async (packageName: string, entry: Record<string, unknown>, version: 'v3' | 'v4' = 'v4') => {
    const { config, services, ...made } = suiteEntry('http://127.0.0.1:1/v1', { options: { package: packageName }, ...entry });
    const provider = new AiSdkProvider(
      'any',
      config,
      { create: createMistral, version },
      services.transport as HttpTransport,
      services.facts,
    );
    await made.close();
    return { models: await provider.models(), open: provider.open('any-name') };
  };

  it('have public prices and limits where the package’s vendor is known', async () => {
    const { models, open } = await offered('@ai-sdk/mistral', { models: { mine: { upstream_model: 'mistral-large-latest' } } });
    expect(models).toMatchObject([{ id: 'mine', upstreamModel: 'mistral-large-latest', price: expect.anything() as unknown }]);
    expect(open).toBeUndefined();
  });

  it('have what the operator says of any other', async () => {
    const { models } = await offered('acme', { models: { 'mistral-large-latest': {} } });
    expect(models[0]?.price).toBeUndefined();
    const terms = { pricing: { prompt: '1', completion: '2' }, context_length: 1_000, max_tokens: 100, parameters: ['stop'] };
    const told = { price: terms.pricing, contextLength: 1_000, maxTokens: 100, parameters: ['stop'] };
    expect(await offered('acme', { models: { any: terms }, open: terms })).toMatchObject({ models: [told], open: told });
  });

  it('take what the package can be told', async () => {
    const { models: newest } = await offered('acme', { models: { any: {} } });
    expect(newest[0]?.parameters).toEqual(
      expect.arrayContaining(['max_tokens', 'stop', 'tools', 'tool_choice', 'response_format', 'seed', 'top_k', 'reasoning_effort']),
    );
    for (const name of ['n', 'logprobs', 'user', 'logit_bias', 'parallel_tool_calls', 'suffix', 'echo'])
      expect(newest[0]?.parameters).not.toContain(name);
    const { models: older } = await offered('acme', { models: { any: {} } }, 'v3');
    expect(older[0]?.parameters).not.toContain('reasoning_effort');
    const { models: plain } = await offered('acme', { models: { any: { capabilities: { function_calling: false, json_mode: false } } } });
    for (const name of ['tools', 'tool_choice', 'response_format']) expect(plain[0]?.parameters).not.toContain(name);
  });
});
