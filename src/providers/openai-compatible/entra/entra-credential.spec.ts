import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { jest } from '@jest/globals';
import { keepEnvironment } from '../../../common/testing/keep-environment.js';
import { sharedFolder, started } from '../../../common/testing/started.js';
import { loadConfig } from '../../../config/load-config.js';
import { secretsOfProvider } from '../../../config/secrets.js';
import type { ChatGenerationRequest } from '../../../wire/generation.js';
import { EntrySecrets } from '../../credentials/entry-secrets.js';
import { hideSecrets, withoutSecrets } from '../../errors/hidden-secrets.js';
import type { ModelFactsService } from '../../model-facts/model-facts.service.js';
import type { ModelProvider } from '../../contract/model-provider.js';
import { ChatCompletionsProtocol } from '../../protocols/chat-completions/chat-completions.protocol.js';
import type { ProviderError } from '../../contract/provider-error.js';
import { providerTypes } from '../../registry/provider-types.js';
import { testCall } from '../../testing/call.js';
import { collect, readAll } from '../../testing/collect.js';
import { fakeDate } from '../../testing/credentials/fake-date.js';
import { LoopbackTokenService } from '../../testing/credentials/loopback-token-service.js';
import type { RecordedRequest, Reply } from '../../testing/loopback-upstream.js';
import { json } from '../../testing/suite-context.js';
import { suiteEntry } from '../../testing/suite-entry.js';
import { HttpTransport } from '../../transport/http-transport.js';
import { OpenAICompatibleFactory } from '../openai-compatible.factory.js';
import { entraOptions } from './entra.options.js';

const MINUTE = 60_000;
const chat: ChatGenerationRequest = { operation: 'chat', model: 'm', stream: false, n: 1, messages: [{ role: 'user', content: 'hello' }] };
const answer = json('{"choices":[{"index":0,"message":{"role":"assistant","content":"Ahoj"},"finish_reason":"stop"}]}');
const tenant = 'aaaabbbb-0000-cccc-1111-dddd2222eeee';
const login = `https://login.microsoftonline.com/${tenant}`;
const application = { tenant_id: tenant, client_id: '00001111-aaaa-2222-bbbb-3333cccc4444' };
const secret = { entra: 'client_secret', ...application, client_secret: 'secret-of-the-application' };
const tls = (name: string) => fileURLToPath(new URL(`../../testing/credentials/tls/${name}`, import.meta.url));

/** Microsoft's own client in front of its token service, and Azure OpenAI itself, on loopback. */
describe('Azure OpenAI with tokens of Microsoft Entra', () => {
  const microsoft = started(() => LoopbackTokenService.start(), 'stop');
  const folder = sharedFolder();
  keepEnvironment();
  const transports: HttpTransport[] = [];

  beforeEach(() => {
    microsoft.proxy.asked.length = 0;
    // Nothing of this machine's own: no login of a developer, no program that knows one.
    process.env['HOME'] = folder;
    process.env['PATH'] = folder;
  });
  afterEach(async () => {
    jest.useRealTimers();
    await Promise.all(transports.splice(0).map((transport) => transport.onApplicationShutdown()));
  });

  const isForToken = ({ path }: RecordedRequest) => path.includes('/oauth2/v2.0/token') || path.startsWith('/msi/token');
  const hourly = (index: number) => json(`{"token_type":"Bearer","expires_in":3600,"access_token":"eyJ0.entra.${index}"}`);
  const gives = (reply: (index: number) => Reply = hourly, model = answer) => {
    let given = 0;
    microsoft.upstream.replies((request) => {
      if (isForToken(request)) return reply(given++);
      if (!request.path.includes('.well-known') && !request.path.includes('/discovery/')) return model;
      const endpoints = {
        issuer: `${login}/v2.0`,
        authorization_endpoint: `${login}/authorize`,
        token_endpoint: `${login}/oauth2/v2.0/token`,
      };
      return json(
        JSON.stringify({ ...endpoints, tenant_discovery_endpoint: `${login}/v2.0/.well-known/openid-configuration`, metadata: [] }),
      );
    });
  };
  const tokenRequests = () => microsoft.upstream.requests.filter(isForToken);
  const asked = () => microsoft.upstream.requests.filter(({ path }) => path.endsWith('/chat/completions'));
  const bearers = () => asked().map(({ headers }) => headers.authorization);

  const provider = async (options: object, entry: object = {}, base = 'https://localhost'): Promise<ModelProvider> => {
    const { config, services } = suiteEntry(base, {
      type: 'azure',
      options: entraOptions.parse(options),
      proxy: microsoft.proxyUrl,
      ...entry,
    });
    const secrets = new EntrySecrets([]);
    const transport = new HttpTransport();
    transports.push(transport);
    const facts = services.facts as ModelFactsService;
    const factory = new OpenAICompatibleFactory(new ChatCompletionsProtocol(transport), transport, facts);
    const made = await factory.create('azure', config, { ...services, transport, hide: (one) => secrets.hide(one) });
    hideSecrets(made, secrets);
    return made;
  };
  const ask = async (of: ModelProvider) => collect(await readAll(of.generate(chat, testCall({ upstreamModel: 'gpt-5' })))).choices[0]?.text;
  const refusal = (of: ModelProvider): Promise<ProviderError> =>
    ask(of).then(
      () => Promise.reject(new Error('it answers')),
      (error: ProviderError) => error,
    );

  // Before the others: Microsoft's client keeps the first machine's identity, and how it is asked, for the process.
  it('are none where no default identity gives one, though the machine’s own did not answer', async () => {
    gives(() => ({ status: 503 }));
    Object.assign(process.env, { IDENTITY_ENDPOINT: `${microsoft.upstream.origin}/msi/token`, IDENTITY_HEADER: 'header-of-the-machine' });
    const error = await refusal(await provider({ entra: 'default' }));
    expect(error).toMatchObject({ kind: 'authentication', cause: { name: 'AggregateAuthenticationError' } });
    expect(asked()).toEqual([]);
  });

  it.each([
    ['a secret', secret, /client_secret=secret-of-the-application/],
    ['a certificate', { entra: 'client_certificate', ...application, certificate_file: tls('application.pem') }, /client_assertion=eyJ/],
  ])('are got by %s through the entry’s proxy, and go there in the place of its key', async (_what, options, body) => {
    gives();
    const made = await provider(options);
    expect(microsoft.proxy.asked).toHaveLength(0);
    expect(await ask(made)).toBe('Ahoj');
    expect(new Set(microsoft.proxy.asked.map(({ target }) => target))).toEqual(new Set(['login.microsoftonline.com:443', 'localhost:443']));
    expect(tokenRequests()[0]?.body).toMatch(body);
    expect(decodeURIComponent(tokenRequests()[0]?.body ?? '')).toContain('scope=https://cognitiveservices.azure.com/.default');
    expect(asked()[0]).toMatchObject({ path: '/openai/v1/chat/completions', headers: { authorization: 'Bearer eyJ0.entra.0' } });
    expect(asked()[0]?.headers['api-key']).toBeUndefined();
  });

  it('are got by a workload identity by its own variables', async () => {
    gives();
    const file = join(folder, 'federated');
    writeFileSync(file, 'token-of-the-pod');
    Object.assign(process.env, {
      AZURE_TENANT_ID: application.tenant_id,
      AZURE_CLIENT_ID: application.client_id,
      AZURE_FEDERATED_TOKEN_FILE: file,
    });
    for (const entra of ['workload_identity', 'default']) {
      expect(await ask(await provider({ entra }))).toBe('Ahoj');
      expect(tokenRequests().at(-1)?.body).toContain('client_assertion=token-of-the-pod');
    }
  });

  it('are got by the default identity from the variables of an application', async () => {
    gives();
    Object.assign(process.env, {
      AZURE_TENANT_ID: tenant,
      AZURE_CLIENT_ID: application.client_id,
      AZURE_CLIENT_SECRET: 'of-the-environment',
    });
    expect(await ask(await provider({ entra: 'default' }))).toBe('Ahoj');
    expect(tokenRequests()[0]?.body).toContain('client_secret=of-the-environment');
  });

  it('are got by a managed identity from this machine’s own service, without the proxy', async () => {
    const expires_on = Math.floor(Date.now() / 1_000) + 3_600;
    gives((index) => json(JSON.stringify({ access_token: `eyJ0.managed.${index}`, token_type: 'Bearer', resource: 'r', expires_on })));
    Object.assign(process.env, { IDENTITY_ENDPOINT: `${microsoft.upstream.origin}/msi/token`, IDENTITY_HEADER: 'header-of-the-machine' });
    expect(await ask(await provider({ entra: 'managed_identity', client_id: 'of-several' }))).toBe('Ahoj');
    expect(microsoft.proxy.asked.map(({ target }) => target)).toEqual(['localhost:443']);
    expect(tokenRequests()[0]).toMatchObject({ headers: { 'x-identity-header': 'header-of-the-machine' } });
    expect(tokenRequests()[0]?.path).toContain('client_id=of-several');
    expect(bearers()).toEqual(['Bearer eyJ0.managed.0']);
  });

  it('are one token for all requests, and another before it ends', async () => {
    fakeDate();
    const second = Promise.withResolvers<void>();
    gives((index) => {
      if (index === 1) second.resolve();
      return hourly(index);
    });
    const made = await provider(secret);
    await Promise.all(Array.from({ length: 10 }, () => ask(made)));
    expect(tokenRequests()).toHaveLength(1);
    expect(new Set(bearers())).toEqual(new Set(['Bearer eyJ0.entra.0']));
    jest.setSystemTime(Date.now() + 57 * MINUTE);
    await ask(made);
    await second.promise;
    jest.setSystemTime(Date.now() + 4 * MINUTE);
    await ask(made);
    expect(tokenRequests()).toHaveLength(2);
    expect(bearers().slice(-2)).toEqual(['Bearer eyJ0.entra.0', 'Bearer eyJ0.entra.1']);
  });

  it('show in no error, though the provider repeats them', async () => {
    gives(undefined, { ...json('{"error":{"message":"Bearer eyJ0.entra.0 asks too much","code":"bad"}}'), status: 400 });
    const made = await provider(secret);
    const error = withoutSecrets(made, await refusal(made));
    expect(error).toMatchObject({ kind: 'invalid_request', message: 'Bearer [redacted] asks too much' });
  });

  it('that are refused are a failed authentication, and nothing is asked for without them', async () => {
    const refused = {
      error: 'invalid_client',
      error_description: 'AADSTS7000215: Invalid client secret provided.',
      error_codes: [7_000_215],
    };
    gives(() => ({ ...json(JSON.stringify(refused)), status: 401 }));
    const error = await refusal(await provider(secret));
    expect(error).toMatchObject({ kind: 'authentication', cause: { message: expect.stringContaining('AADSTS7000215') as string } });
    expect([error.message, (error.cause as Error).message, (error.cause as Error).stack].join()).not.toContain('secret-of-the-application');
    expect(asked()).toEqual([]);
  });

  it('that cannot be had now say nothing of the application', async () => {
    gives(() => ({ ...json('{"error":"temporarily_unavailable"}'), status: 503, headers: { 'retry-after': '7' } }));
    const made = await provider(secret);
    expect(await refusal(made)).toMatchObject({ kind: 'overloaded', retryAfterMs: 7_000 });
    // Microsoft's client asks nobody for a while now.
    expect(await refusal(made)).toMatchObject({ kind: 'overloaded' });
    const nobody = await provider({ ...secret, client_id: 'another' }, { proxy: 'http://127.0.0.1:9' });
    expect(await refusal(nobody)).toMatchObject({ kind: 'unreachable' });
  });

  it('are for those that ask for them: another entry sends its key', async () => {
    gives();
    expect(await ask(await provider({}))).toBe('Ahoj');
    expect(asked()[0]?.headers).toMatchObject({ 'api-key': expect.any(String) as string });
    expect(tokenRequests()).toEqual([]);
  });
});

describe('An entry of type azure', () => {
  const folder = sharedFolder();

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
