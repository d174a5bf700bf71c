import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LoopbackTokenService } from '../../src/providers/testing/credentials/loopback-token-service.js';
import { buildProgram } from '../support/built-program.js';
import { openStream } from '../support/event-stream.js';
import { GatewayProcess } from '../support/gateway-process.js';

const certificate = fileURLToPath(new URL('../../src/providers/testing/credentials/tls/token-services.pem', import.meta.url));
const token = 'ya29.fEtchEd-Jb71Qz93Lm45Xv08Wt26';
const login = 'https://login.microsoftonline.com/aaaabbbb-0000-cccc-1111-dddd2222eeee';

const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});
const service_account = JSON.stringify({ type: 'service_account', private_key: privateKey, client_email: 'a@b.iam.gserviceaccount.com' });

/** Google's and Microsoft's own clients fetch it in a gateway as it is shipped; both vendors repeat it. */
describe('A token that a running gateway has fetched', () => {
  let services: LoopbackTokenService;
  let program: string;
  let cwd: string;
  let gateway: GatewayProcess;

  beforeAll(async () => {
    [services, program] = await Promise.all([LoopbackTokenService.start(), buildProgram()]);
    cwd = mkdtempSync(join(tmpdir(), 'switchyard-tokens-'));
    services.upstream.replies(({ path, headers }) => {
      const json = (status: number, body: object) => ({
        status,
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      });
      if (/\/token(\?|$)/.test(path)) return json(200, { access_token: token, expires_in: 3_600, token_type: 'Bearer' });
      if (path.includes('.well-known') || path.includes('/discovery/'))
        return json(200, {
          issuer: `${login}/v2.0`,
          authorization_endpoint: `${login}/authorize`,
          token_endpoint: `${login}/oauth2/v2.0/token`,
          tenant_discovery_endpoint: `${login}/v2.0/.well-known/openid-configuration`,
          metadata: [],
        });
      const { authorization = '' } = headers;
      const message = `[${authorization}] [${encodeURIComponent(authorization)}] [${Buffer.from(authorization).toString('base64')}]`;
      return json(500, { error: { message, status: 'INTERNAL', code: 500 } });
    });
    const models = { m: { context_length: 8_000, max_tokens: 10 } };
    const common = { base_url: 'https://localhost', proxy: services.proxyUrl, free: true };
    const application = {
      tenant_id: login.slice(-36),
      client_id: '00001111-aaaa-2222-bbbb-3333cccc4444',
      client_secret: 'qX7~vQ2mR9tL4wZ8',
    };
    const config = {
      observability: { log_level: 'info' },
      routing: { retries: 0 },
      providers: {
        google: { ...common, type: 'vertex', prefix: 'google/', options: { project: 'p', service_account }, models },
        microsoft: { ...common, type: 'azure', prefix: 'microsoft/', options: { entra: 'client_secret', ...application }, models },
      },
    };
    // JSON is YAML.
    writeFileSync(join(cwd, 'switchyard.yaml'), JSON.stringify(config));
    gateway = new GatewayProcess([process.execPath, join(program, 'dist/main.js')], { cwd, env: { NODE_EXTRA_CA_CERTS: certificate } });
  });
  afterAll(async () => {
    await gateway.stop();
    await services.stop();
    for (const folder of [program, cwd]) rmSync(folder, { recursive: true });
  });

  const pieces = Array.from({ length: token.length - 11 }, (_, from) => token.slice(from, from + 12));
  const leaks = (text: string) =>
    pieces.filter((piece) => [piece, ...[0, 1, 2].map((by) => inBase64(piece.slice(by)))].some((form) => text.includes(form)));
  /** Without the characters that depend on what follows. */
  const inBase64 = (text: string) => Buffer.from(text.slice(0, text.length - (text.length % 3))).toString('base64');

  it('shows in no answer, no line of the log and no file of the store', async () => {
    const baseUrl = await gateway.listening();
    const [key = ''] = await gateway.output(/\bsy-live-\w{32}\b/);
    for (const model of ['google/m', 'microsoft/m'])
      for (const stream of [true, false]) {
        const body = { model, stream, messages: [{ role: 'user', content: 'a' }] };
        const answer = await openStream({ url: `${baseUrl}/chat/completions`, key, body });
        expect(leaks((await answer.text()) + JSON.stringify(answer.headers))).toEqual([]);
      }
    const asked = services.upstream.requests.filter(({ headers }) => headers.authorization === `Bearer ${token}`);
    expect(asked).toHaveLength(4);
    for (const id of ['google', 'microsoft']) await gateway.output(new RegExp(`${id} failed`));
    gateway.signal('SIGTERM');
    const { stdout, stderr } = await gateway.exited;
    expect(leaks(stdout + stderr)).toEqual([]);
    expect(stderr).toContain('[redacted]');
    for (const secret of ['qX7~vQ2mR9tL4wZ8', privateKey.slice(40, 80)]) expect(stderr).not.toContain(secret);
    const data = join(cwd, 'data');
    const files = readdirSync(data, { recursive: true, encoding: 'utf8' }).filter((name) => statSync(join(data, name)).isFile());
    expect(files.length).toBeGreaterThan(1);
    for (const name of files) expect([name, leaks(readFileSync(join(data, name), 'latin1'))]).toEqual([name, []]);
  });
});
