import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LoopbackUpstream } from '../../src/providers/testing/loopback-upstream.js';
import type { Model, ModelList } from '../../src/wire/model.js';
import { buildProgram } from '../support/built-program.js';
import { GatewayProcess } from '../support/gateway-process.js';
import { until } from '../support/until.js';

const fixture = (path: string) => readFileSync(new URL(`../../src/providers/${path}`, import.meta.url));

describe('Configuration of a running gateway', () => {
  let program: string;
  let cwd: string;
  let upstream: LoopbackUpstream;
  const processes: GatewayProcess[] = [];

  beforeAll(async () => {
    [program, upstream] = await Promise.all([buildProgram(), LoopbackUpstream.start()]);
  });
  afterAll(async () => {
    rmSync(program, { recursive: true });
    await upstream.stop();
  });
  beforeEach(() => (cwd = mkdtempSync(join(tmpdir(), 'switchyard-configuration-'))));
  afterEach(async () => {
    await Promise.all(processes.splice(0).map((process) => process.stop()));
    rmSync(cwd, { recursive: true });
  });

  const start = async (env: Record<string, string> = {}) => {
    const gateway = new GatewayProcess([process.execPath, join(program, 'dist/main.js')], { cwd, env });
    processes.push(gateway);
    const baseUrl = await gateway.listening();
    const [key] = await gateway.output(/\bsy-live-\w{32}\b/);
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    return {
      gateway,
      models: async (): Promise<Model[]> =>
        ((await (await fetch(`${baseUrl}/models?active_only=false`, { headers })).json()) as ModelList).data,
      chat: (model: string, more: object = {}) =>
        fetch(`${baseUrl}/chat/completions`, {
          method: 'POST',
          headers,
          body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Ahoj' }], ...more }),
        }),
    };
  };

  describe('by the environment alone', () => {
    it('a key switches a provider on, at its own address unless another is given', async () => {
      const bodies: Record<string, string | Buffer> = {
        '/api/tags': '{"models":[{"name":"local-model:latest","digest":"d"}]}',
        '/api/show': '{"capabilities":["completion"]}',
        '/api/chat': fixture('ollama/__fixtures__/text.json'),
      };
      upstream.replies(({ path }) => ({ headers: { 'content-type': 'application/json' }, body: bodies[path] }));
      const { gateway, models, chat } = await start({ OLLAMA_HOST: upstream.origin.replace('http://', '') });
      const [, on] = await gateway.output(/^Providers: (.*)$/m);
      expect(on).toBe('sandbox, ollama');
      const model = (await models()).find(({ id }) => id === 'local-model:latest');
      expect(model).toMatchObject({
        provider: { id: 'ollama', name: 'Ollama' },
        pricing: { prompt: 0, completion: 0 },
        status: { active: true },
        capabilities: { chat: true, completion: true },
      });
      const answer = await chat('local-model:latest');
      expect(await answer.json()).toMatchObject({
        choices: [{ message: { role: 'assistant' } }],
        usage: { prompt_tokens: 11, completion_tokens: 17 },
      });
      expect(answer.headers.get('x-switchyard-served-by')).toBe('ollama/local-model:latest');
      expect(upstream.requests.map(({ path }) => path)).toEqual(['/api/tags', '/api/show', '/api/chat']);
    });

    it('a provider that offers nothing, as Azure whose deployments nobody has named, is told of', async () => {
      const azure = { AZURE_OPENAI_API_KEY: 'sk-secret', AZURE_OPENAI_ENDPOINT: upstream.origin };
      const { gateway } = await start(azure);
      await gateway.output(/"level":"warn".*azure offers no model: name those that it has in providers\.azure\.models/);
      const named = {
        SWITCHYARD_PROVIDERS_AZURE_MODELS: '{"mine":{"context_length":10,"max_tokens":5}}',
        SWITCHYARD_STORE_DATA_DIR: 'second',
      };
      const { gateway: second, models } = await start({ ...azure, ...named });
      expect((await models()).map(({ id }) => id)).toContain('mine');
      expect(second.stderr).not.toContain('offers no model');
    });

    it('its address is told as clients reach it', async () => {
      const gateway = new GatewayProcess([process.execPath, join(program, 'dist/main.js')], {
        cwd,
        env: { SWITCHYARD_SERVER_PUBLIC_URL: 'https://ai.example.com/' },
      });
      processes.push(gateway);
      const [, address, called] = await gateway.output(/listening on (\S+)[^]*^curl (\S+)/m);
      expect([address, called]).toEqual(['https://ai.example.com/v1', 'https://ai.example.com/v1/chat/completions']);
    });

    it('several keys switch several on, and none of them is told', async () => {
      upstream.replies({ status: 503 });
      const names = ['OPENAI', 'ANTHROPIC', 'GEMINI', 'MISTRAL', 'GROQ', 'XAI'];
      const env = names.flatMap((name) => [
        [`${name}_API_KEY`, `sk-secret-of-${name}`],
        [`SWITCHYARD_PROVIDERS_${name}_BASE_URL`, upstream.origin],
      ]);
      const { gateway } = await start(Object.fromEntries(env) as Record<string, string>);
      const [, on] = await gateway.output(/^Providers: (.*)$/m);
      expect(on?.split(', ').sort()).toEqual(['anthropic', 'gemini', 'groq', 'mistral', 'openai', 'sandbox', 'xai']);
      expect(gateway.stdout + gateway.stderr).not.toContain('sk-secret');
    });
  });

  describe('by its file, while it runs', () => {
    const event = (content: string) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`;
    const free = { base_url: '', free: true, models: { m: { context_length: 1_000, max_tokens: 100 } } };
    const write = (settings: object | string): void => {
      const file = join(cwd, 'switchyard.yaml');
      // As editors do it: the new file takes the place of the old one.
      writeFileSync(`${file}~`, typeof settings === 'string' ? settings : JSON.stringify(settings));
      renameSync(`${file}~`, file);
    };

    it('takes providers on and away, and lives through a bad file, under a running stream', async () => {
      upstream.replies(({ body }) =>
        body.includes('"stream":true')
          ? { headers: { 'content-type': 'text/event-stream' }, body: event('tick '), endless: true, pace: 20 }
          : { headers: { 'content-type': 'application/json' }, body: fixture('openai-compatible/__fixtures__/text.json') },
      );
      const first = { ...free, base_url: upstream.origin, prefix: 'first/' };
      const second = { ...free, base_url: upstream.origin, prefix: 'second/' };
      write({ providers: { first } });
      const { gateway, models, chat } = await start();
      const told = (pattern: RegExp) => until(() => pattern.test(gateway.stderr), `${String(pattern)} in ${gateway.stderr}`);
      const offered = async () => (await models()).map(({ id }) => id).filter((id) => id.endsWith('/m'));
      expect(await offered()).toEqual(['first/m']);

      const stream = await chat('first/m', { stream: true });
      const events = stream.body!.pipeThrough(new TextDecoderStream()).getReader();
      const goesOn = async () => {
        // What is still to come after what has come so far.
        for (let read = 0; read < 5; read++) expect((await events.read()).value).toContain('tick');
      };
      await goesOn();

      write({ providers: { first, second } });
      await told(/configuration read again: providers\.second changed/);
      expect(await offered()).toEqual(['first/m', 'second/m']);
      expect((await chat('second/m')).status).toBe(200);
      await goesOn();

      write('providers:\n  first: {base_url: "http://x"}\n  third: {bse_url: "http://x"}\nserver: {');
      await told(/"level":"error".*the new configuration cannot be used, the previous one stays: switchyard\.yaml:4:10: not valid YAML/);
      write('providers:\n  first: {base_url: "http://x"}\n  third: {bse_url: "http://x"}\n');
      await told(/the previous one stays: .*switchyard\.yaml:3:11: providers\.third\.bse_url is unknown; did you mean base_url\?/);
      expect(await offered()).toEqual(['first/m', 'second/m']);
      expect((await chat('second/m')).status).toBe(200);
      await goesOn();

      write({ providers: { sandbox: second } });
      await told(/the previous one stays: Providers: two providers have the id 'sandbox'/);
      expect(await offered()).toEqual(['first/m', 'second/m']);

      write({ providers: { second }, server: { max_open_requests: 50, heartbeat: 1_000 } });
      await told(/configuration read again: server\.heartbeat, providers\.first changed/);
      await told(/server\.max_open_requests changed as well: in force after a restart/);
      expect(await offered()).toEqual(['second/m']);
      expect((await chat('first/m')).status).toBe(404);
      await goesOn();

      gateway.signal('SIGHUP');
      await told(/configuration read again: nothing changed/);
      await goesOn();
      await events.cancel();
    });

    it.each(['has started with', 'was given later'])('leaves everything as it was while the file is away that it %s', async (since) => {
      const file = join(cwd, 'switchyard.yaml');
      const settings = { providers: { first: { ...free, base_url: upstream.origin, prefix: 'first/' } } };
      if (since === 'has started with') write(settings);
      const { gateway, models } = await start();
      const told = (pattern: RegExp) => until(() => pattern.test(gateway.stderr), `${String(pattern)} in ${gateway.stderr}`);
      if (since === 'was given later') {
        gateway.signal('SIGHUP');
        await told(/configuration read again: nothing changed/);
        write(settings);
        await told(/configuration read again: providers\.first changed/);
      }
      renameSync(file, `${file}.away`);
      gateway.signal('SIGHUP');
      await told(/the previous one stays: switchyard\.yaml cannot be read \(ENOENT\)/);
      expect((await models()).map(({ id }) => id)).toContain('first/m');
      renameSync(`${file}.away`, file);
      write({ ...settings, server: { heartbeat: 1_000 } });
      await told(/configuration read again: server\.heartbeat changed/);
      expect((await models()).map(({ id }) => id)).toContain('first/m');
    });
  });
});
