import { mkdtemp, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import request from 'supertest';
import { configSchema } from '../src/config/config.schema.js';
import { GatewayAdapter } from '../src/http/server/gateway-adapter.js';
import { serve } from '../src/process/serve.js';
import { startupErrorMessage } from '../src/process/startup-error.js';
import { Administration } from './support/administration.js';
import { expectEnvelope } from './support/expect-envelope.js';
import { Gateway } from './support/gateway.js';
import { open as openSocket, sendRaw } from './support/raw-socket.js';
import { useGateway } from './support/started.js';

describe('The administration on a port of its own', () => {
  let operator: Administration;
  let adminUrl: string;
  const gateway = useGateway(() => Gateway.start({ server: { admin_port: 0 } }));
  beforeAll(async () => {
    adminUrl = `http://127.0.0.1:${portOf(gateway)}`;
    operator = await Administration.as(gateway.running, 'operator', undefined, adminUrl);
  });

  const portOf = ({ running }: Gateway): number => {
    const { adminServer } = running.app.getHttpAdapter() as unknown as GatewayAdapter;
    return (adminServer!.address() as AddressInfo).port;
  };

  it('answers there, with its tokens', async () => {
    expect((await operator.get('accounts')).status).toBe(200);
    expectEnvelope(await request(adminUrl).get('/admin/v1/accounts'), 401, 'missing_api_key');
    expectEnvelope(await new Administration(adminUrl, gateway.customer.liveKey).get('accounts'), 401, 'invalid_api_key');
  });

  it('does not exist on the port of the customers', async () => {
    const there = (path: string, key: string) => request(gateway.url).get(path).set('authorization', `Bearer ${key}`);
    expectEnvelope(await there('/admin/v1/accounts', operator.token), 401, 'invalid_api_key');
    const { message: known } = expectEnvelope(await there('/admin/v1/accounts', gateway.customer.liveKey), 404, 'not_found');
    const { message: unknown } = expectEnvelope(await there('/no/v1/such-thing', gateway.customer.liveKey), 404, 'not_found');
    expect(known.replace('/admin/v1/accounts', '')).toBe(unknown.replace('/no/v1/such-thing', ''));
    // Another method of an address that there is on the other port.
    const put = request(gateway.url).put('/admin/v1/accounts').set('authorization', `Bearer ${gateway.customer.liveKey}`);
    expectEnvelope(await put.send({}), 404, 'not_found');
    expectEnvelope(await there('/admin/v1/openapi.json', gateway.customer.liveKey), 404, 'not_found');
    // The router decodes addresses, and takes whole URLs.
    expectEnvelope(await there('/%61dmin/v1/accounts', gateway.customer.liveKey), 404, 'not_found');
    const whole = `GET http://x/admin/v1/accounts HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${operator.token}\r\nconnection: close\r\n\r\n`;
    expect((await sendRaw(gateway.running.port, whole)).status).toBe(401);
  });

  it('has nothing else on its port, but health and descriptions', async () => {
    const there = (path: string, key?: string) => {
      const sent = request(adminUrl).get(path);
      return key === undefined ? sent : sent.set('authorization', `Bearer ${key}`);
    };
    expect((await there('/health/ready')).status).toBe(200);
    expect(expectEnvelope(await there('/dashboard'), 404, 'not_found').message).toContain('npm run build');
    expectEnvelope(await request(gateway.url).get('/dashboard'), 401, 'missing_api_key');
    for (const path of ['/', '/metrics', '/v1/models', '/v1/no-such-thing']) {
      expectEnvelope(await there(path), 401, 'missing_api_key');
      expectEnvelope(await there(path, gateway.customer.liveKey), 401, 'invalid_api_key');
      expectEnvelope(await there(path, operator.token), 404, 'not_found');
    }
    const body = { model: 'sandbox-text', prompt: 'Hello', max_tokens: 1 };
    const posted = request(adminUrl).post('/v1/completions').set('authorization', `Bearer ${gateway.customer.liveKey}`);
    expectEnvelope(await posted.send(body), 401, 'invalid_api_key');
    for (const path of ['/openapi.json', '/docs', '/admin/v1/openapi.json']) expect([200, 404]).toContain((await there(path)).status);
    for (const path of ['/openapi.json', '/docs']) expect((await there(path)).status).toBe((await request(gateway.url).get(path)).status);
  });

  it('takes bodies of at most 256 KB', async () => {
    const name = 'x'.repeat(256 * 1024);
    expectEnvelope(await operator.post('accounts', { name }), 413, 'request_too_large');
    const chunked = `POST /admin/v1/accounts HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${operator.token}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`;
    const json = JSON.stringify({ name });
    const bytes = `${chunked}${json.length.toString(16)}\r\n${json}\r\n0\r\n\r\n`;
    expect((await sendRaw(portOf(gateway), bytes)).status).toBe(413);
    expectEnvelope(await operator.post('accounts', { name: 'x'.repeat(201) }), 400, 'invalid_request');
  });

  it('ends with the gateway, and a start fails where the port is taken', async () => {
    const blocker = createServer();
    await new Promise<void>((resolve) => blocker.listen(0, '127.0.0.1', resolve));
    const { port } = blocker.address() as AddressInfo;
    const data_dir = await mkdtemp(join(tmpdir(), 'switchyard-test-'));
    const config = configSchema.parse({
      server: { port: 0, admin_port: port, drain_timeout: 1000 },
      store: { data_dir },
      observability: { log_level: 'silent' },
    });
    const failure: unknown = await serve(config, []).catch((error: unknown) => error);
    expect(startupErrorMessage(failure, config)).toBe(
      `Port ${port} on 127.0.0.1 is in use. Choose another one with server.admin_port, or stop what listens there.`,
    );
    await new Promise((resolve) => blocker.close(resolve));
    await rm(data_dir, { recursive: true });
    const one = await Gateway.start({ server: { admin_port: 0 } });
    const { adminServer } = one.running.app.getHttpAdapter() as unknown as { adminServer: Server };
    const idle = await openSocket(portOf(one));
    const closed = new Promise((resolve) => idle.once('close', resolve));
    await one.close();
    await closed;
    expect(adminServer.listening).toBe(false);
  });
});
