import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { LoopbackUpstream } from '../../src/providers/testing/loopback-upstream.js';
import { buildProgram } from '../support/built-program.js';
import { GatewayProcess } from '../support/gateway-process.js';
import { ModuleFolder } from '../support/module-folder.js';

jest.setTimeout(120_000);

/** A package as a vendor would write it, which says its region as the answer. */
const acme = `export function createAcme({ baseURL, apiKey, headers, region, fetch }) {
  return { languageModel: (modelId) => ({
    specificationVersion: 'v4', provider: 'acme', modelId, supportedUrls: {},
    async doGenerate({ abortSignal }) {
      const body = JSON.stringify({ modelId, region });
      const response = await fetch(baseURL + '/say', { method: 'POST', headers: { 'x-acme-key': apiKey, ...headers }, body, signal: abortSignal });
      if (!response.ok) {
        throw Object.assign(new Error('refused'), { name: 'AI_APICallError', statusCode: response.status, responseBody: await response.text() });
      }
      const { say } = await response.json();
      const count = { total: 3, noCache: 3, cacheRead: undefined, cacheWrite: undefined, text: 3, reasoning: undefined };
      return { content: [{ type: 'text', text: say }], finishReason: { unified: 'stop', raw: 'stop' }, usage: { inputTokens: count, outputTokens: count }, warnings: [] };
    },
    async doStream() { throw new Error('it does not stream'); },
  }) };
}`;
const careless = acme.replace('await fetch(', 'await globalThis.fetch(').replace('baseURL +', "'http://127.0.0.1:9' +");

/** In a process of its own, where Node finds packages, and not a test runner. */
describe('Packages of the AI SDK', () => {
  let program: string;
  let folder: ModuleFolder;
  let upstream: LoopbackUpstream;
  let gateway: GatewayProcess | undefined;

  beforeAll(async () => {
    [program, upstream] = await Promise.all([buildProgram(), LoopbackUpstream.start()]);
    folder = new ModuleFolder(program);
    for (const [name, code] of Object.entries({ acme, careless })) {
      folder.write(
        `node_modules/@ours/${name}/package.json`,
        JSON.stringify({ name: `@ours/${name}`, type: 'module', exports: './index.js' }),
      );
      folder.write(`node_modules/@ours/${name}/index.js`, code);
    }
  });
  afterAll(async () => {
    gateway?.signal('SIGTERM');
    await gateway?.exited;
    await upstream.stop();
    folder.remove();
    rmSync(program, { recursive: true });
  });

  const configure = (text: string) => folder.write('switchyard.yaml', text);

  it('are found from the folder of the configuration file, asked with its key, and keep its secrets', async () => {
    const secret = 'region of Sedm-Bukov';
    configure(`
      providers:
        ours:
          type: ai-sdk
          base_url: ${upstream.origin}/v1
          api_key: sk-ours-4f1d2c3b5a69788796
          headers: { x-tenant: tenant-of-ours }
          free: true
          options: { package: '@ours/acme', settings: { region: ${secret} } }
          models: { acme-1: { context_length: 8000, max_tokens: 100 } }
        mistral-sdk:
          type: ai-sdk
          base_url: ${upstream.origin}/v1
          api_key: k
          options: { package: '@ai-sdk/mistral' }
          models: { mistral-large-latest: {} }
    `);
    const env = { SWITCHYARD_CONFIG: join(folder.path, 'switchyard.yaml'), SWITCHYARD_STORE_DATA_DIR: join(folder.path, 'data') };
    gateway = new GatewayProcess([process.execPath, join(program, 'dist/main.js')], { cwd: tmpdir(), env });
    const address = await gateway.listening();
    expect((await gateway.output(/^Providers: (.*)$/m))[1]).toContain('ours, mistral-sdk');
    const [key] = await gateway.output(/\bsy-live-\w{32}\b/);
    const ask = async () => {
      const answer = await fetch(`${address}/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'acme-1', messages: [{ role: 'user', content: 'hello' }] }),
      });
      return { status: answer.status, body: await answer.text() };
    };
    upstream.replies({ headers: { 'content-type': 'application/json' }, body: '{"say":"Ahoj"}' });
    expect(await ask()).toMatchObject({ status: 200, body: expect.stringContaining('"content":"Ahoj"') as string });
    expect(upstream.requests[0]).toMatchObject({ path: '/v1/say', body: JSON.stringify({ modelId: 'acme-1', region: secret }) });
    expect(upstream.requests[0]!.headers).toMatchObject({ 'x-acme-key': 'sk-ours-4f1d2c3b5a69788796', 'x-tenant': 'tenant-of-ours' });

    upstream.replies(({ body }) => ({
      status: 400,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ message: `Wrong: ${body}` }),
    }));
    const refused = await ask();
    expect(refused).toMatchObject({ status: 400, body: expect.stringContaining('Wrong: ') as string });
    for (const text of [refused.body, gateway.stdout, gateway.stderr]) expect(text).not.toContain('Sedm-Bukov');
  });

  it.each([
    [
      'no package',
      'options: { pakage: "@ours/acme" }',
      /switchyard\.yaml:6:\d+: providers\.ours\.options\.pakage is unknown; did you mean package\?/,
    ],
    [
      'none that is installed',
      'options: { package: "@ours/absent" }',
      /the package @ours\/absent is not installed in \S+: npm install @ours\/absent/,
    ],
    [
      'one that asks past the gateway',
      'options: { package: "@ours/careless" }',
      /the package @ours\/careless does not send its requests with the setting fetch/,
    ],
    [
      'one without that function',
      'options: { package: "@ours/acme", export: createAcne }',
      /has no function createAcne; it has createAcme/,
    ],
  ])('are refused by config check where the entry names %s', async (_, options, complaint) => {
    configure(`providers:\n  ours:\n    type: ai-sdk\n    base_url: http://127.0.0.1:9\n    api_key: k\n    ${options}\n`);
    const { code, stderr } = await folder.switchyard('config', 'check');
    expect(stderr).toMatch(complaint);
    expect(code).toBe(1);
  });

  it('have options that editors know, with the settings marked as secrets', async () => {
    configure('{}');
    const { stdout } = await folder.switchyard('config', 'schema');
    expect(stdout.replaceAll(/\s+/g, '')).toMatch(/"settings":\{[^]{0,400}?"writeOnly":true/);
  });
});
