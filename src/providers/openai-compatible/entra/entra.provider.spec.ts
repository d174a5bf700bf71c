import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../../config/load-config.js';
import { secretsOfProvider } from '../../../config/secrets.js';
import type { ChatGenerationRequest } from '../../../wire/generation.js';
import { AccessToken, bearer } from '../../access-token.js';
import { providerTypes } from '../../provider-types.js';
import { describeProvider } from '../../testing/describe-provider.js';
import type { HttpTransport } from '../../transport/http-transport.js';
import { OpenAICompatibleProvider } from '../openai-compatible.provider.js';
import { azure } from '../presets/azure.js';

const chat: ChatGenerationRequest = { operation: 'chat', model: 'm', stream: false, n: 1, messages: [{ role: 'user', content: 'hello' }] };
const chunk = (content: string) => `data: {"choices":[{"index":0,"delta":{"content":"${content}"},"finish_reason":null}]}\n\n`;
const end = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n';
const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };

/** The entry's key is the token; it stands among the options so that the provider knows what must not show. */
describeProvider({
  name: 'azure with tokens of Entra',
  create: ({ config: { api_key: key = '', ...config }, services }) => {
    const token = new AccessToken(
      () => Promise.resolve({ token: key, expiresAt: Date.now() + 3_600_000 }),
      (secret) => services.hide(secret),
    );
    const models = config.models ?? { 'gpt-5': { context_length: 1_000, max_tokens: 100 } };
    const entry = { ...config, models, type: 'azure', options: { token: key } };
    const { chatCompletions, transport } = services;
    return new OpenAICompatibleProvider('azure', entry, chatCompletions, transport as HttpTransport, azure, undefined, bearer(token));
  },
  errorBody: (_status, message) => JSON.stringify({ error: { message } }),
  event: chunk('0123456789'),
  fixtures: [
    {
      name: 'text',
      request: chat,
      whole: Buffer.from(
        JSON.stringify({ choices: [{ index: 0, message: { role: 'assistant', content: 'Ahoj, Žofia' }, finish_reason: 'stop' }], usage }),
      ),
      stream: Buffer.from(
        `${chunk('Ahoj, ')}${chunk('Žofia')}${end}data: {"choices":[],"usage":${JSON.stringify(usage)}}\n\ndata: [DONE]\n\n`,
      ),
      expect: { choices: [{ text: 'Ahoj, Žofia' }], usage },
    },
  ],
  failures: [
    {
      name: 'a role that is lacking',
      status: 401,
      body: '{"error":{"code":"PermissionDenied","message":"The principal lacks the required data action"}}',
      kind: 'authentication',
    },
  ],
});

describe('An entry of type azure', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'switchyard-azure-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const load = (options: string) => {
    const file = join(folder, 'switchyard.yaml');
    writeFileSync(file, `providers: { azure: { options: ${options} } }`);
    const env = { AZURE_OPENAI_ENDPOINT: 'https://harbour.openai.azure.com' };
    return loadConfig({ file, env, cwd: folder, types: providerTypes }).providers['azure']!;
  };

  it('has secrets that nothing shows', () => {
    const entry = load('{ entra: client_secret, tenant_id: t, client_id: c, client_secret: abc }');
    expect(entry.base_url).toBe('https://harbour.openai.azure.com');
    expect(secretsOfProvider(entry)).toContain('abc');
  });

  it.each([
    ['{ entra: client_secret, tenant_id: t, client_id: c }', /yaml:1.*providers\.azure\.options\.client_secret: is missing/],
    ['{ entra: client_certificate, tenant_id: t, client_id: c }', /providers\.azure\.options\.certificate_file: is missing/],
    ['{ entra: password }', /providers\.azure\.options\.entra: /],
    ['{ tenant: t }', /providers\.azure\.options\.tenant is unknown/],
    ['{ entra: default, scope: nothing }', /providers\.azure\.options\.scope: /],
  ])('with the options %s is refused by file, line and field', (options, message) => {
    expect(() => load(options)).toThrow(message);
  });

  it('loads what makes tokens only where it asks for them', () => {
    const source = readFileSync(new URL('../presets/azure.ts', import.meta.url), 'utf8');
    expect(source.match(/^import .*entra.*$/gm)).toEqual(["import { entraOptions } from '../entra/entra.options.js';"]);
  });
});
