import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LoopbackProxy } from '../../src/providers/testing/loopback-proxy.js';
import { buildProgram } from '../support/built-program.js';
import { GatewayProcess } from '../support/gateway-process.js';
import { until } from '../support/until.js';

const tls = (name: string) => join(import.meta.dirname, '../support/tls', name);
const ca = { NODE_EXTRA_CA_CERTS: tls('ca.pem') };

/** A name that nobody resolves: it is reached by the proxy or not at all. */
const provider = { GROQ_API_KEY: 'sk-outbound', SWITCHYARD_PROVIDERS_GROQ_BASE_URL: 'https://provider.test' };

describe('Connections to providers', () => {
  let program: string;
  let cwd: string;
  let upstream: Server;
  let proxy: LoopbackProxy;
  const processes: GatewayProcess[] = [];

  beforeAll(async () => {
    [program, proxy] = await Promise.all([buildProgram(), LoopbackProxy.start()]);
    upstream = createServer({ cert: readFileSync(tls('server.pem')), key: readFileSync(tls('server.key')) }, (request, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ data: [{ id: `asked-with-${request.headers.authorization}` }] }));
    });
    await new Promise<void>((done) => upstream.listen(0, '127.0.0.1', done));
    proxy.leadsTo = (upstream.address() as AddressInfo).port;
  });
  afterAll(async () => {
    upstream.close();
    await proxy.stop();
    rmSync(program, { recursive: true });
  });
  beforeEach(() => {
    cwd = mkdtempSync(join(tmpdir(), 'switchyard-outbound-'));
    proxy.asked.length = 0;
  });
  afterEach(async () => {
    await Promise.all(processes.splice(0).map((process) => process.stop()));
    rmSync(cwd, { recursive: true });
  });

  const start = async (env: Record<string, string>) => {
    const gateway = new GatewayProcess([process.execPath, join(program, 'dist/main.js')], { cwd, env: { ...provider, ...env } });
    processes.push(gateway);
    const baseUrl = await gateway.listening();
    const [key] = await gateway.output(/\bsy-live-\w{32}\b/);
    const models = async () => {
      const answer = await fetch(`${baseUrl}/models?provider=groq&active_only=false`, { headers: { authorization: `Bearer ${key}` } });
      return ((await answer.json()) as { data: { id: string }[] }).data.map(({ id }) => id);
    };
    return { gateway, models };
  };

  it('go through the proxy of the environment and trust its further authorities', async () => {
    const { models } = await start({ ...ca, HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` });
    await until(async () => (await models()).length === 1, 'the list through the proxy');
    expect(await models()).toEqual(['asked-with-Bearer sk-outbound']);
    expect(proxy.asked[0]?.target).toBe('provider.test:443');
  });

  it('go through a provider’s own proxy', async () => {
    const own = `http://me:secret@127.0.0.1:${proxy.port}`;
    const { gateway, models } = await start({ ...ca, SWITCHYARD_PROVIDERS_GROQ_PROXY: own, HTTPS_PROXY: 'http://127.0.0.1:9' });
    await until(async () => (await models()).length === 1, 'the list through the proxy');
    expect(proxy.asked[0]?.authorization).toBe(`Basic ${btoa('me:secret')}`);
    expect(gateway.stdout + gateway.stderr).not.toContain('secret');
  });

  it('fail where the certificate is of an authority that nobody named', async () => {
    const { gateway, models } = await start({ HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` });
    await gateway.output(/groq could not list its models: The provider cannot be reached \([A-Z_]*(SIGNATURE|CERT)[A-Z_]*\)/);
    expect(await models()).toEqual([]);
  });

  it('are direct to this machine itself, whatever the environment’s proxy, but not against a provider’s own', async () => {
    const here = { ...ca, HTTPS_PROXY: 'http://127.0.0.1:9', SWITCHYARD_PROVIDERS_GROQ_BASE_URL: `https://127.0.0.1:${proxy.leadsTo}` };
    const direct = await start(here);
    await until(async () => (await direct.models()).length === 1, 'the list');
    expect(proxy.asked).toEqual([]);
    const proxied = await start({
      ...here,
      SWITCHYARD_PROVIDERS_GROQ_PROXY: `http://127.0.0.1:${proxy.port}`,
      SWITCHYARD_STORE_DATA_DIR: 'other',
    });
    await until(async () => (await proxied.models()).length === 1, 'the list through the proxy');
    expect(proxy.asked[0]?.target).toBe(`127.0.0.1:${proxy.leadsTo}`);
  });
});
