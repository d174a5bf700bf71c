import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { LoopbackUpstream } from '../../src/providers/testing/loopback-upstream.js';
import { buildProgram } from '../support/built-program.js';
import { GatewayProcess } from '../support/gateway-process.js';
import { ModuleFolder } from '../support/module-folder.js';
import { until } from '../support/until.js';

jest.setTimeout(120_000);

/** A module whose model's name says which mistake it makes, in TypeScript that Node runs as it is. */
const clumsy = `import {
  configuredEndpoint, type Endpoint, type GenerationChunk, type GenerationRequest, ModelProvider, type ProviderCall, type ProviderConfig,
  ProviderError, providerModule, type ProviderServices, requestTo, upstreamError, usageOf,
} from '@switchyard-gateway/switchyard/provider';

const capabilities = { chat: true, completion: false, function_calling: false, vision: false, embeddings: false, json_mode: false };
const facts = { created: 1, price: { prompt: 0, completion: 0 }, contextLength: 100, maxTokens: 50, capabilities, parameters: ['max_tokens'] };

class Clumsy extends ModelProvider {
  readonly id: string;
  readonly name = 'Clumsy';
  readonly #services: ProviderServices;
  readonly #endpoint: Endpoint;

  constructor(id: string, config: ProviderConfig, services: ProviderServices) {
    super();
    this.id = id;
    this.#services = services;
    this.#endpoint = configuredEndpoint(config, (key) => ({ authorization: 'Bearer ' + key }));
  }

  models() {
    return ['slips', 'asks', 'wraps', 'floats', 'haunts'].map((id) => ({ id, ...facts }));
  }

  async *generate(request: GenerationRequest, call: ProviderCall): AsyncGenerator<GenerationChunk, void> {
    if (call.upstreamModel === 'slips') yield this.#read(undefined as never);
    if (call.upstreamModel === 'floats') void this.#refresh();
    if (call.upstreamModel === 'haunts') void Promise.reject('of nobody knows whom');
    if (['floats', 'haunts'].includes(call.upstreamModel)) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      yield this.#read({ text: 'served' });
      return;
    }
    if (call.upstreamModel === 'wraps') {
      try {
        JSON.parse('{"said": a customer’s words}');
      } catch (cause) {
        throw new ProviderError('bad_response', 'The answer cannot be read', { cause });
      }
    }
    const response = await this.#services.transport.send(requestTo(this.#endpoint, { operation: 'say', body: '{}', signal: call.signal }));
    if (response.status !== 200) throw upstreamError(await response.refusal(this.#endpoint.secrets));
  }

  async #refresh() {
    await new Promise((resolve) => setImmediate(resolve));
    throw new Error('no token');
  }

  #read(answer: { text: string }): GenerationChunk {
    return { choices: [{ index: 0, delta: { role: 'assistant', content: answer.text }, finish_reason: 'stop' }], usage: usageOf(1, 1) };
  }

  close() {
    this.#services.logger.warn('closed, and never said the-fetched-token');
  }
}

export default providerModule({
  types: [{ type: 'clumsy', name: 'Clumsy', baseUrl: 'http://127.0.0.1:1' }],
  create: async (id, config, services) => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    if (config.options['mistake']) throw new Error('no such mistake: ' + String((config.options['mistake'] as { kind: string }).kind));
    services.hide('the-fetched-token');
    services.logger.log('made with key-of-clumsy and the-fetched-token', new Error('nothing, with key-of-clumsy'));
    services.metrics.count('made');
    services.metrics.set('tokens_left', 7);
    services.metrics.observe('signing', 0.02);
    return new Clumsy(id, config, services);
  },
});
`;

describe('A mistake in a module', () => {
  let program: string;
  let folder: ModuleFolder;
  let upstream: LoopbackUpstream;
  let gateway: GatewayProcess;
  let ask: (model: string) => Promise<string>;
  let url: string;
  let lines: () => Record<string, unknown>[];

  beforeAll(async () => {
    [program, upstream] = await Promise.all([buildProgram(), LoopbackUpstream.start()]);
    folder = new ModuleFolder(program);
    folder.write('clumsy/index.ts', clumsy);
    const providers = { clumsy: { base_url: upstream.origin, api_key: 'key-of-clumsy', free: true } };
    folder.write('switchyard.yaml', JSON.stringify({ modules: ['./clumsy'], providers, routing: { retries: 0 } }));
    gateway = new GatewayProcess([process.execPath, join(program, 'dist/main.js')], { cwd: folder.path });
    url = await gateway.listening();
    const [key] = await gateway.output(/\bsy-live-\w{32}\b/);
    ask = async (model) => {
      const answer = await fetch(`${url}/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model, messages: [{ role: 'user', content: 'go on' }] }),
      });
      return `${answer.status} ${await answer.text()}`;
    };
    lines = () =>
      gateway.stderr
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as Record<string, unknown>);
  });
  afterAll(async () => {
    await gateway.stop();
    await upstream.stop();
    folder.remove();
    rmSync(program, { recursive: true });
  });

  const told = async (pattern: RegExp) => {
    await until(() => lines().some(({ msg }) => pattern.test(String(msg))), `${String(pattern)} in ${gateway.stderr}`);
    return lines().find(({ msg }) => pattern.test(String(msg)))! as {
      level: string;
      msg: string;
      err?: { message: string; stack: string };
    };
  };
  const lineOf = (code: string) => clumsy.split('\n').findIndex((line) => line.includes(code)) + 1;

  it('is logged with message and stack in its source, and the client learns nothing of it', async () => {
    const answer = await ask('slips');
    expect(answer).toMatch(/^502 /);
    expect(answer).not.toContain('undefined');
    const { err } = await told(/^clumsy failed \(bad_response.*the provider module failed$/);
    expect(err?.message).toBe("Cannot read properties of undefined (reading 'text')");
    expect(err?.stack).toContain(`clumsy/index.ts:${lineOf('answer.text')}:`);
  });

  it('is logged with its cause, without what that quotes of an answer', async () => {
    expect(await ask('wraps')).toMatch(/^502 /);
    const { err } = await told(/^clumsy failed \(bad_response.*The answer cannot be read$/);
    expect(err?.stack).toMatch(/^SyntaxError: /);
    expect(err?.stack).toContain(`clumsy/index.ts:${lineOf('JSON.parse')}:`);
    expect(gateway.stderr).not.toContain('customer');
  });

  it('is told from a wrong key and from a model that the key may not use, by what the vendor says', async () => {
    const refuse = (status: number, error: object) => upstream.replies({ status, body: JSON.stringify({ error }) });
    refuse(401, { message: 'Incorrect API key key-of-clumsy', code: 'invalid_api_key' });
    expect(await ask('asks')).not.toContain('Incorrect');
    const wrong = await told(/^clumsy failed \(authentication.*status 401/);
    expect(wrong.msg).toMatch(/\(status 401\): invalid_api_key: Incorrect API key \[redacted\]$/);
    expect(wrong.level).toBe('error');
    refuse(403, { message: 'Project p has no access to model asks', type: 'permission_error' });
    expect(await ask('asks')).not.toContain('Project');
    expect((await told(/status 403/)).msg).toMatch(/\(status 403\): permission_error: Project p has no access to model asks$/);
  });

  it('is seen in a log and in metrics of the module’s own, in the name of its entry', async () => {
    const made = await told(/^made with/);
    expect(made).toMatchObject({ context: 'providers.clumsy', msg: 'made with [redacted] and [redacted]' });
    expect(made.err?.message).toBe('nothing, with [redacted]');
    const page = await (await fetch(url.replace('/v1', '/metrics'))).text();
    expect(page).toContain('switchyard_provider_made_total{provider="clumsy"} 1\n');
    expect(page).toContain('switchyard_provider_tokens_left{provider="clumsy"} 7\n');
    expect(page).toContain('switchyard_provider_signing_seconds_count{provider="clumsy"} 1\n');
  });

  it('in create is named with its place by config check', async () => {
    const place = `(clumsy/index.ts:${lineOf('no such mistake')}:`;
    for (const [mistake, complaint] of [
      [{ kind: 'big' }, 'no such mistake: big'],
      [true, 'no such mistake: undefined'],
    ] as const) {
      folder.write('bad.yaml', JSON.stringify({ modules: ['./clumsy'], providers: { clumsy: { options: { mistake } } } }));
      const { code, stderr } = await folder.switchyard('config', 'check', 'bad.yaml');
      expect(code).toBe(1);
      expect(stderr).toContain(`providers.clumsy: ${complaint} ${place}`);
    }
  });

  it('in a promise that nobody waits for is logged with the module’s name, once a minute, and hurts no request', async () => {
    for (let times = 0; times < 3; times++) expect(await ask('floats')).toMatch(/^200 .*served/);
    const { level, err } = await told(/^Nobody waited for a promise of the module \.\/clumsy that was rejected: no token$/);
    expect(level).toBe('error');
    expect(err?.stack).toContain(`clumsy/index.ts:${lineOf("new Error('no token')")}:`);
    expect(lines().filter(({ msg }) => String(msg).startsWith('Nobody waited'))).toHaveLength(1);
  });

  it('is closed away with its entry, and nothing of it shows a secret', async () => {
    const [closed] = [told(/^closed, and never said \[redacted\]$/)];
    gateway.signal('SIGTERM');
    expect((await gateway.exited).code).toBe(0);
    expect(await closed).toMatchObject({ context: 'providers.clumsy' });
    expect(gateway.stdout + gateway.stderr).not.toMatch(/key-of-clumsy|the-fetched-token/);
  });

  it('that cannot be told from the gateway’s own ends the process in order', async () => {
    gateway = new GatewayProcess([process.execPath, join(program, 'dist/main.js')], { cwd: folder.path });
    url = await gateway.listening();
    expect(await ask('haunts')).toMatch(/^200 .*served/);
    expect((await gateway.exited).code).toBe(1);
    const { level } = await told(/^The process ends, because a promise .* nobody waited for: of nobody knows whom$/);
    expect(level).toBe('fatal');
    await told(/^closed, and never said/);
  });
});
