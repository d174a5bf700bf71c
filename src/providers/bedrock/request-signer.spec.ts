import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { countTurns } from '../../common/testing/count-turns.js';
import { keepEnvironment } from '../../common/testing/keep-environment.js';
import { sharedFolder, started } from '../../common/testing/started.js';
import { providerSchema } from '../../config/config.schema.js';
import { testCall } from '../testing/call.js';
import { readAll } from '../testing/collect.js';
import { LoopbackUpstream } from '../testing/loopback-upstream.js';
import { HttpTransport } from '../transport/http-transport.js';
import { LargeBody } from '../transport/large-body.js';
import { requestTo } from '../transport/testing/request-to.js';
import { awsPackages } from './aws-packages.js';
import type { BedrockOptions } from './bedrock.options.js';
import { BedrockProvider } from './bedrock.provider.js';
import { requestSigner } from './request-signer.js';

const packages = await awsPackages();

describe('credentials', () => {
  const folder = sharedFolder();
  const transport = new HttpTransport();
  const upstream = LoopbackUpstream.during(() => transport.onApplicationShutdown());
  const tokens = started(() => LoopbackUpstream.start(), 'stop');
  const hidden: string[] = [];
  keepEnvironment();

  beforeEach(() => {
    // AWS's credential chain must not find a developer's own.
    for (const name of Object.keys(process.env)) if (name.startsWith('AWS_')) delete process.env[name];
    hidden.length = 0;
    upstream.replies({ status: 503, body: '{}' });
    tokens.replies({ status: 404 });
    given({
      AWS_EC2_METADATA_DISABLED: 'true',
      AWS_CONFIG_FILE: join(folder, 'config'),
      AWS_SHARED_CREDENTIALS_FILE: join(folder, 'credentials'),
    });
  });
  const given = (env: Readonly<Record<string, string>>): void => void Object.assign(process.env, env);
  const made = (options: object = {}, more: object = {}): BedrockProvider => {
    const config = providerSchema.parse({
      type: 'bedrock',
      base_url: upstream.origin,
      options: { region: 'eu-west-1', ...options },
      ...more,
    });
    return new BedrockProvider('aws', config, packages, { transport, hide: (secret) => hidden.push(secret) });
  };
  const ask = async (provider: BedrockProvider, signal?: AbortSignal): Promise<unknown> => {
    const request = { operation: 'chat' as const, model: 'm', stream: true, n: 1, messages: [{ role: 'user' as const, content: 'a' }] };
    return readAll(provider.generate(request, testCall(signal && { signal }))).catch((error: unknown) => error);
  };
  const credentialOf = (): string => {
    const header = String(upstream.requests.at(-1)?.headers.authorization);
    return /^AWS4-HMAC-SHA256 Credential=([^/]+)\/\d{8}\/eu-west-1\/bedrock\/aws4_request, SignedHeaders=/.exec(header)?.[1] ?? header;
  };
  const inAnHour = (): string => new Date(Date.now() + 3_600_000).toISOString();
  const containerAnswer = (id: string, end: string) => ({
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ AccessKeyId: id, SecretAccessKey: `secret of ${id}`, Token: `token of ${id}`, Expiration: end }),
  });

  it('are the entry’s own keys, with the token of temporary ones', async () => {
    given({ AWS_ACCESS_KEY_ID: 'AKIDENV', AWS_SECRET_ACCESS_KEY: 'secret of the environment' });
    await ask(made({ access_key_id: 'AKIDOWN', secret_access_key: 'own secret', session_token: 'own token' }));
    expect([credentialOf(), upstream.requests[0]?.headers['x-amz-security-token']]).toEqual(['AKIDOWN', 'own token']);
  });

  it('are a bearer key where the entry has one, and nothing is signed', async () => {
    await ask(made({}, { api_key: 'bedrock-api-key-x' }));
    expect(upstream.requests[0]?.headers.authorization).toBe('Bearer bedrock-api-key-x');
    expect(Object.keys(upstream.requests[0]!.headers).filter((name) => name.startsWith('x-amz'))).toEqual([]);
  });

  it('sign the hash of a large body, which is made with other turns of the event loop in between', async () => {
    const options = { region: 'eu-west-1', access_key_id: 'AKIDOWN', secret_access_key: 'own secret' } as BedrockOptions;
    const sign = requestSigner(packages, options, () => undefined);
    let turns = 0;
    const counted: typeof sign = async (request) => {
      const turned = countTurns();
      const headers = await sign(request);
      turns = turned();
      return headers;
    };
    const body = new LargeBody(Array.from({ length: 40 }, (_, index) => `${index} Žofia `.repeat(10_000)));
    await transport.send(requestTo(upstream.origin, { body, sign: counted }));
    const [sent] = upstream.requests;
    expect(sent?.headers['x-amz-content-sha256']).toBe(
      createHash('sha256')
        .update(sent?.body ?? '')
        .digest('hex'),
    );
    expect(turns).toBeGreaterThan(3);
  });

  it('are those of the environment', async () => {
    given({ AWS_ACCESS_KEY_ID: 'AKIDENV', AWS_SECRET_ACCESS_KEY: 'secret of the environment' });
    await ask(made());
    expect([credentialOf(), hidden]).toEqual(['AKIDENV', ['secret of the environment']]);
  });

  it('are those of a profile', async () => {
    const profile = (name: string) => `[${name}]\naws_access_key_id = AKID${name}\naws_secret_access_key = secret of ${name}\n`;
    // AWS's package reads a file once.
    given({ AWS_SHARED_CREDENTIALS_FILE: join(folder, 'profiles') });
    writeFileSync(join(folder, 'profiles'), profile('default') + profile('models'));
    await ask(made({ profile: 'models' }));
    expect(credentialOf()).toBe('AKIDmodels');
    await ask(made());
    expect(credentialOf()).toBe('AKIDdefault');
  });

  it('are those of a container, asked for at the first request and once at a time, and kept', async () => {
    given({ AWS_CONTAINER_CREDENTIALS_FULL_URI: `${tokens.origin}/role`, AWS_CONTAINER_AUTHORIZATION_TOKEN: 'of the container' });
    tokens.replies(containerAnswer('AKIDROLE', inAnHour()));
    const provider = made();
    expect(tokens.requests).toHaveLength(0);
    await Promise.all([ask(provider), ask(provider), ask(provider)]);
    await ask(provider);
    expect([credentialOf(), upstream.requests.length, tokens.requests.length]).toEqual(['AKIDROLE', 4, 1]);
    expect(tokens.requests[0]).toMatchObject({ path: '/role', headers: { authorization: 'of the container' } });
    expect(new Set(hidden)).toEqual(new Set(['secret of AKIDROLE', 'token of AKIDROLE']));
  });

  it('are asked for again shortly before their end, while the old ones still serve', async () => {
    given({ AWS_CONTAINER_CREDENTIALS_FULL_URI: `${tokens.origin}/role` });
    let asked = 0;
    tokens.replies(() => containerAnswer(`AKID${++asked}`, asked === 1 ? new Date(Date.now() + 60_000).toISOString() : inAnHour()));
    const provider = made();
    await ask(provider);
    expect(credentialOf()).toBe('AKID1');
    do await ask(provider);
    while (credentialOf() === 'AKID1');
    expect([credentialOf(), asked]).toEqual(['AKID2', 2]);
  });

  it('are those that a web identity is exchanged for', async () => {
    writeFileSync(join(folder, 'token'), 'jwt of the pod');
    given({
      AWS_ROLE_ARN: 'arn:aws:iam::123456789012:role/models',
      AWS_WEB_IDENTITY_TOKEN_FILE: join(folder, 'token'),
      AWS_ENDPOINT_URL_STS: tokens.origin,
    });
    const credentials = `<Credentials><AccessKeyId>AKIDPOD</AccessKeyId><SecretAccessKey>secret of the pod</SecretAccessKey><SessionToken>token of the pod</SessionToken><Expiration>${inAnHour()}</Expiration></Credentials>`;
    const result = `<AssumeRoleWithWebIdentityResult>${credentials}</AssumeRoleWithWebIdentityResult>`;
    tokens.replies({
      headers: { 'content-type': 'text/xml' },
      body: `<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">${result}</AssumeRoleWithWebIdentityResponse>`,
    });
    await ask(made());
    expect(credentialOf()).toBe('AKIDPOD');
    const sent = new URLSearchParams(tokens.requests[0]?.body);
    expect([sent.get('Action'), sent.get('WebIdentityToken')]).toEqual(['AssumeRoleWithWebIdentity', 'jwt of the pod']);
  });

  it('that cannot be found are an error of our account, and are looked for again', async () => {
    const provider = made();
    expect(await ask(provider)).toMatchObject({ kind: 'authentication', message: 'The request could not be signed' });
    expect(upstream.requests).toHaveLength(0);
    given({ AWS_ACCESS_KEY_ID: 'AKIDLATE', AWS_SECRET_ACCESS_KEY: 'late' });
    await ask(provider);
    expect(credentialOf()).toBe('AKIDLATE');
  });

  it('that do not come in time are a timeout, and an abort ends the wait', async () => {
    given({ AWS_CONTAINER_CREDENTIALS_FULL_URI: `${tokens.origin}/role` });
    tokens.replies({ ending: 'silent' });
    const timeouts = { connect: 200, first_byte: 30_000, idle: 30_000, total: 60_000 };
    expect(await ask(made({}, { timeouts }))).toMatchObject({ kind: 'timeout' });
    const abort = new AbortController();
    const waiting = tokens.nextRequest();
    const asked = ask(made(), abort.signal);
    await waiting;
    abort.abort();
    expect(await asked).toEqual([]);
    expect(upstream.requests).toHaveLength(0);
  });
});
