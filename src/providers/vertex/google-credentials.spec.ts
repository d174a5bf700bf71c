import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { keepEnvironment } from '../../common/testing/keep-environment.js';
import { sharedFolder } from '../../common/testing/started.js';
import type { ChatGenerationRequest } from '../../wire/generation.js';
import { EntrySecrets } from '../credentials/entry-secrets.js';
import { hideSecrets, withoutSecrets } from '../errors/hidden-secrets.js';
import type { ModelProvider } from '../contract/model-provider.js';
import type { ProviderError } from '../contract/provider-error.js';
import { testCall } from '../testing/call.js';
import { collect, readAll } from '../testing/collect.js';
import { fakeDate } from '../testing/credentials/fake-date.js';
import { LoopbackTokenService } from '../testing/credentials/loopback-token-service.js';
import type { RecordedRequest, Reply } from '../testing/loopback-upstream.js';
import type { SuiteEntry } from '../testing/provider-suite.js';
import { json } from '../testing/suite-context.js';
import { suiteEntry } from '../testing/suite-entry.js';
import { createVertexProvider } from './vertex.provider.js';

const MINUTE = 60_000;
const chat: ChatGenerationRequest = { operation: 'chat', model: 'm', stream: false, n: 1, messages: [{ role: 'user', content: 'hello' }] };
const answer = json('{"candidates":[{"content":{"parts":[{"text":"Ahoj"}]},"finishReason":"STOP","index":0}]}');
const { privateKey, publicKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});
const serviceAccount = JSON.stringify({
  type: 'service_account',
  project_id: 'harbour-1',
  private_key_id: 'k1',
  private_key: privateKey,
  client_email: 'gateway@harbour-1.iam.gserviceaccount.com',
});

/** Google's own client in front of token services, and Vertex AI itself, on loopback. */
describe('Vertex AI’s credentials', () => {
  let google: LoopbackTokenService;
  const folder = sharedFolder();
  keepEnvironment();
  const entries: SuiteEntry[] = [];

  beforeAll(async () => {
    google = await LoopbackTokenService.start();
  });
  afterAll(async () => {
    for (const entry of entries) await entry.close();
    await google.stop();
  });
  beforeEach(() => {
    Object.assign(process.env, { HOME: folder, METADATA_SERVER_DETECTION: 'none' });
    google.proxy.asked.length = 0;
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  /** Tokens are called ya29.0, ya29.1 and so on. */
  const hourly = (index: number) => json(`{"access_token":"ya29.${index}","expires_in":3600}`);
  const gives = (reply: (index: number) => Reply = hourly, model = answer) => {
    let given = 0;
    google.upstream.replies((request) => (isForToken(request) ? reply(given++) : model));
  };
  const isForToken = ({ path }: RecordedRequest) => path.endsWith('/token') || path.includes('/token?');
  const tokenRequests = () => google.upstream.requests.filter(isForToken);
  const bearers = () => google.upstream.requests.filter((one) => !isForToken(one)).map(({ headers }) => headers.authorization);

  const provider = async (options: object, base: string, entry: object = {}): Promise<ModelProvider> => {
    const whole = suiteEntry(base, { type: 'vertex', options: { project: 'harbour-1', location: 'global', ...options }, ...entry });
    entries.push(whole);
    const secrets = new EntrySecrets([]);
    const { api_key: _, ...config } = whole.config;
    const services = { ...whole.services, hide: (secret: string) => secrets.hide(secret) };
    const made = await createVertexProvider('vertex', config, services);
    hideSecrets(made, secrets);
    return made;
  };
  /** Google under its own name is reached by the entry's proxy alone. */
  const proxied = (options: object, entry: object = {}) => provider(options, 'https://localhost', { proxy: google.proxyUrl, ...entry });
  const ask = async (asked: ModelProvider) => collect(await readAll(asked.generate(chat, testCall({ upstreamModel: 'gemini-3.5-flash' }))));
  const refusal = (asked: ModelProvider): Promise<ProviderError> =>
    ask(asked).then(
      () => Promise.reject(new Error('it answers')),
      (error: ProviderError) => error,
    );
  const written = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const byKey = { service_account: serviceAccount };

  it.each(['as text', 'in a file'])('of a service account, %s, sign for a token through the entry’s proxy', async (how) => {
    gives();
    const made = await proxied(how === 'as text' ? byKey : { service_account_file: written('key.json', serviceAccount) });
    expect(google.proxy.asked).toHaveLength(0);
    expect((await ask(made)).choices[0]?.text).toBe('Ahoj');
    expect(google.proxy.asked.map(({ target }) => target)).toEqual(['oauth2.googleapis.com:443', 'localhost:443']);
    expect(bearers()).toEqual(['Bearer ya29.0']);
    const assertion = new URLSearchParams(tokenRequests()[0]?.body).get('assertion') ?? '';
    const [head = '', claims = '', signature = ''] = assertion.split('.');
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({
      iss: 'gateway@harbour-1.iam.gserviceaccount.com',
      scope: 'https://www.googleapis.com/auth/cloud-platform',
    });
    expect(verify('sha256', Buffer.from(`${head}.${claims}`), createPublicKey(publicKey), Buffer.from(signature, 'base64url'))).toBe(true);
  });

  it('give one token to all requests, and another before it ends', async () => {
    fakeDate();
    const second = Promise.withResolvers<void>();
    gives((index) => {
      if (index === 1) second.resolve();
      return hourly(index);
    });
    const made = await proxied(byKey);
    await Promise.all(Array.from({ length: 10 }, () => ask(made)));
    await made.probe?.(new AbortController().signal).catch(() => undefined);
    expect(tokenRequests()).toHaveLength(1);
    expect(new Set(bearers())).toEqual(new Set(['Bearer ya29.0']));
    jest.setSystemTime(Date.now() + 57 * MINUTE);
    await ask(made);
    await second.promise;
    jest.setSystemTime(Date.now() + 4 * MINUTE);
    await ask(made);
    expect(tokenRequests()).toHaveLength(2);
    expect(bearers().slice(-2)).toEqual(['Bearer ya29.0', 'Bearer ya29.1']);
  });

  it('show in no error, though the provider repeats them', async () => {
    const said = { ...json('{"error":{"code":400,"message":"Bearer ya29.0 asks too much","status":"INVALID_ARGUMENT"}}'), status: 400 };
    gives(undefined, said);
    const made = await proxied(byKey);
    const error = withoutSecrets(made, await refusal(made));
    expect(error).toMatchObject({ kind: 'invalid_request', message: 'Bearer [redacted] asks too much' });
  });

  it('that are refused are a failed authentication, and nothing is asked for without them', async () => {
    gives(() => ({ ...json('{"error":"invalid_grant","error_description":"Invalid JWT Signature."}'), status: 400 }));
    const error = await refusal(await proxied(byKey));
    expect(error).toMatchObject({ kind: 'authentication', cause: { message: 'invalid_grant: Invalid JWT Signature.' } });
    expect(JSON.stringify([error.message, (error.cause as Error).message, (error.cause as Error).stack])).not.toContain('eyJ');
    expect(bearers()).toEqual([]);
  });

  it('that cannot be had now say nothing of themselves', async () => {
    gives(() => ({ status: 503, headers: { 'retry-after': '7' } }));
    expect(await refusal(await proxied(byKey))).toMatchObject({ kind: 'overloaded', retryAfterMs: 7_000 });
    const nobody = { proxy: 'http://127.0.0.1:9' };
    expect(await refusal(await proxied(byKey, nobody))).toMatchObject({ kind: 'unreachable' });
  });

  it.each([
    ['a file that is missing', { service_account_file: '/nowhere/key.json' }, /no such file.*\/nowhere\/key\.json/],
    ['what is no JSON', { service_account: 'MIIEvQIBADANBgkq' }, /^The key of the service account is no JSON$/],
    [
      'another type',
      { service_account: '{"type":"authorized_user","refresh_token":"1//secret"}' },
      /^The key is none of a service account/,
    ],
    ['no credentials at all', {}, /^Could not load the default credentials/],
  ])('are looked for at the first request: %s is a failed authentication', async (_what, options, message) => {
    gives();
    const error = await refusal(await proxied(options));
    expect(error.kind).toBe('authentication');
    expect((error.cause as Error).message).toMatch(message);
    expect(error.message + String(error.cause)).not.toMatch(/MIIE|1\/\/secret/);
    expect(google.upstream.requests).toHaveLength(0);
  });

  it('are those of the application where the entry names none: a login, through the entry’s proxy too', async () => {
    gives();
    const login = { type: 'authorized_user', client_id: 'c', client_secret: 's', refresh_token: '1//r', quota_project_id: 'quota-1' };
    process.env['GOOGLE_APPLICATION_CREDENTIALS'] = written('login.json', JSON.stringify(login));
    expect((await ask(await proxied({}))).choices[0]?.text).toBe('Ahoj');
    expect(google.proxy.asked.map(({ target }) => target)).toEqual(['oauth2.googleapis.com:443', 'localhost:443']);
    expect(tokenRequests()[0]?.body).toContain('grant_type=refresh_token');
    expect(bearers()).toEqual(['Bearer ya29.0']);
    expect(google.upstream.requests.at(-1)?.headers['x-goog-user-project']).toBe('quota-1');
  });

  it('are those of a federation of identities', async () => {
    gives();
    const federation = {
      type: 'external_account',
      audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q',
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      token_url: `${google.upstream.origin}/v1/token`,
      credential_source: { file: written('subject.txt', 'token-of-this-machine') },
    };
    process.env['GOOGLE_APPLICATION_CREDENTIALS'] = written('federation.json', JSON.stringify(federation));
    const made = await provider({}, google.upstream.origin);
    expect((await ask(made)).choices[0]?.text).toBe('Ahoj');
    expect(tokenRequests()[0]?.body).toContain('token-of-this-machine');
    expect(bearers()).toEqual(['Bearer ya29.0']);
  });

  it('are those of the metadata server where there are no others', async () => {
    gives((index) => {
      const reply = json(`{"access_token":"ya29.${index}","expires_in":3600,"token_type":"Bearer"}`);
      return { ...reply, headers: { ...reply.headers, 'metadata-flavor': 'Google' } };
    });
    Object.assign(process.env, { METADATA_SERVER_DETECTION: 'assume-present', GCE_METADATA_HOST: google.upstream.origin });
    const made = await provider({}, google.upstream.origin);
    await Promise.all([ask(made), ask(made)]);
    expect(tokenRequests().map(({ path, headers }) => [path.split('?')[0], headers['metadata-flavor']])).toEqual([
      ['/computeMetadata/v1/instance/service-accounts/default/token', 'Google'],
    ]);
    expect(bearers()).toEqual(['Bearer ya29.0', 'Bearer ya29.0']);
  });
});
