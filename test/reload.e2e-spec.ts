import { ConfigService } from '../src/config/config.service.js';
import { type Config, configSchema } from '../src/config/config.schema.js';
import { ModelProvider } from '../src/providers/contract/model-provider.js';
import { ProviderError } from '../src/providers/contract/provider-error.js';
import type { GenerationChunk } from '../src/wire/generation.js';
import { usageOf } from '../src/wire/usage.js';
import { createTestApp, type TestApp } from './support/create-test-app.js';
import { until } from './support/until.js';

/** `slow` fails when it is told to, `sure` answers until it is closed. Both offer the model `shared`. */
class Scripted extends ModelProvider {
  readonly name = 'Scripted';
  readonly failure = Promise.withResolvers<never>();
  asked = 0;
  closed = false;

  constructor(readonly id: string) {
    super();
  }

  models() {
    const capabilities = { chat: true, completion: false, function_calling: false, vision: false, embeddings: false, json_mode: false };
    const price = { prompt: '0', completion: '0' };
    return [{ id: 'shared', created: 1, price, contextLength: 1_000, maxTokens: 50, capabilities, parameters: ['max_tokens'] }];
  }

  async *generate(): AsyncGenerator<GenerationChunk, void> {
    this.asked++;
    if (this.id === 'slow') await this.failure.promise;
    if (this.closed) throw new Error('asked after its end');
    const delta = { role: 'assistant' as const, content: 'here' };
    yield { choices: [{ index: 0, delta, finish_reason: 'stop' }], usage: usageOf(1, 1) };
  }

  override close(): void {
    this.closed = true;
  }
}

describe('A new configuration', () => {
  const made: Scripted[] = [];
  const types = [{ type: 'scripted', name: 'Scripted', baseUrl: 'http://127.0.0.1:1' }];
  const create = (id: string) => {
    made.push(new Scripted(id));
    return made.at(-1)!;
  };
  let gateway: TestApp;
  const settings = (ids: readonly string[], name: string): Pick<Config, 'providers' | 'routing'> => {
    const entry = { type: 'scripted', name, base_url: 'http://127.0.0.1:1', free: true };
    const { routing, providers } = configSchema.parse({
      routing: { retries: 0 },
      providers: Object.fromEntries(ids.map((id) => [id, entry])),
    });
    return { routing, providers };
  };
  const ask = async (): Promise<string> => {
    const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.liveKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'shared', messages: [{ role: 'user', content: 'go on' }] }),
    });
    return `${answer.status} ${await answer.text()}`;
  };
  beforeEach(async () => {
    made.length = 0;
    gateway = await createTestApp(settings(['slow', 'sure'], 'before'), [{ types, create }]);
  });
  afterEach(() => gateway.close());

  it('closes no provider to which a request that began before it falls back', async () => {
    const [slow, sure] = made;
    const answer = ask();
    await until(() => slow!.asked === 1, 'the first offer is asked');
    const config = gateway.app.get(ConfigService);
    await config.replace({ ...config.current, ...settings(['sure'], 'after') });
    await new Promise((resolve) => setImmediate(resolve));
    expect([slow!.closed, sure!.closed]).toEqual([false, false]);

    slow!.failure.reject(new ProviderError('overloaded', 'not now'));
    expect(await answer).toContain('"here"');
    expect(sure!.asked).toBe(1);
    await until(() => slow!.closed && sure!.closed, 'both of the old configuration are closed');
    expect(await ask()).toContain('"here"');
    expect(made[2]).toMatchObject({ id: 'sure', asked: 1, closed: false });
  });
});
